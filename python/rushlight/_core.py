"""The top level of the package below `nn` and `optim`, which import it as ``rl``.

The package's ``__init__`` imports `nn` and `optim`. At that time the package is incomplete, so the modules of
`nn` and `optim` must not import it. tests/python/test_imports.py checks it.
"""

from ._compose import *  # noqa: F403
from ._files import *  # noqa: F403
from ._grad import *  # noqa: F403
from ._info import *  # noqa: F403
from ._native import *  # noqa: F403
from ._types import *  # noqa: F403
