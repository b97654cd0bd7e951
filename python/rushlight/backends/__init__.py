"""PyTorch's switches of its libraries: programs may set them, and no result changes.

Products and convolutions of float32 are computed in float32, and sums of half precision in float32, whatever
`cuda.matmul.allow_tf32`, `cudnn.allow_tf32`, `fp32_precision` and the switches of reduced precision say.
Algorithms of cuDNN that give other bits in each run are never used, and none is chosen by timing:
`cudnn.deterministic` and `cudnn.benchmark` change nothing. ``RUSHLIGHT_CONV`` chooses whose convolutions run.
`rushlight.use_deterministic_algorithms` is the switch with an effect.
"""

from . import cuda as cuda
from . import cudnn as cudnn
from . import mkl as mkl
from . import mkldnn as mkldnn
from . import mps as mps
from . import openmp as openmp

__all__ = ["cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]
