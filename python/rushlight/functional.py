"""Functions for neural networks: the same names as `rushlight.nn.functional`."""

from .nn.functional import *  # noqa: F403
from .nn.functional import __all__ as __all__
