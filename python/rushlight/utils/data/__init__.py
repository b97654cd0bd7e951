"""Data sets and loaders: the names of `rushlight.data`."""

from rushlight.data import *  # noqa: F403
from rushlight.data import __all__ as __all__

from . import dataloader as dataloader
from . import dataset as dataset
from . import sampler as sampler
