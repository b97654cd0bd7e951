"""Special functions: PyTorch's ``torch.special``.

Those without a kernel are composed of others in float64, and rounded once to float32.
"""

from __future__ import annotations

from . import _compose as _c
from . import _core as rl
from . import _native as n
from ._check import typed
from ._compose.airy import airy_ai
from ._compose.arithmetic import no_logarithm
from ._compose.axes import Number, device_of
from ._compose.bessel import i0, i0e, i1, i1e
from ._compose.derivatives import with_derivative
from ._compose.elementwise import _floats
from ._compose.error_functions import erfc, erfcx, log_ndtr, ndtr, ndtri
from ._compose.everyday import spherical_bessel_j0
from ._compose.gamma import digamma, hurwitz, lgamma, mvlgamma, polygamma
from ._compose.hankel import (
    bessel_j0,
    bessel_j1,
    bessel_y0,
    bessel_y1,
    modified_bessel_k0,
    modified_bessel_k1,
    scaled_modified_bessel_k0,
    scaled_modified_bessel_k1,
)
from ._compose.incomplete_gamma import gammainc, gammaincc
from ._compose.polynomials import (
    chebyshev_polynomial_t,
    chebyshev_polynomial_u,
    chebyshev_polynomial_v,
    chebyshev_polynomial_w,
    hermite_polynomial_h,
    hermite_polynomial_he,
    laguerre_polynomial_l,
    legendre_polynomial_p,
    shifted_chebyshev_polynomial_t,
    shifted_chebyshev_polynomial_u,
    shifted_chebyshev_polynomial_v,
    shifted_chebyshev_polynomial_w,
)
from ._native import Tensor

__all__ = [
    "airy_ai",
    "bessel_j0",
    "bessel_j1",
    "bessel_y0",
    "bessel_y1",
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "exp2",
    "expit",
    "expm1",
    "gammainc",
    "gammaincc",
    "gammaln",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "log1p",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "modified_bessel_i0",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "multigammaln",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "round",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
    "sinc",
    "softmax",
    "spherical_bessel_j0",
    "xlog1py",
    "xlogy",
    "zeta",
]

erf = n.erf
erfinv = n.erfinv
exp2 = _c.exp2
expit = n.sigmoid
expm1 = n.expm1
gammaln = lgamma
log1p = n.log1p
log_softmax = _c.log_softmax
logit = _c.logit
logsumexp = n.logsumexp
modified_bessel_i0 = i0
modified_bessel_i1 = i1
multigammaln = mvlgamma
psi = digamma
round = n.round
sinc = _c.sinc
softmax = _c.softmax
xlogy = _c.xlogy


def _entr(x: Tensor) -> Tensor:
    y = -x * rl.log(x)
    return rl.where(x == 0, 0.0, rl.where(x < 0, -rl.inf, y))


@typed
def entr(input: Tensor) -> Tensor:
    """Returns ``-x log(x)``, 0 at 0, and minus infinity below.

    Parameters
    ----------
    input
        Any shape and real dtype.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`; float32 for integers. The gradient is infinite at 0 and NaN below.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.entr(rl.tensor([0.0, -1.0])).tolist()
    [0.0, -inf]
    """
    return with_derivative("entr", input, _entr, lambda x: -1 - rl.log(x))


@typed
def xlog1py(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """Returns ``input * log1p(other)``, 0 where `input` is 0 and `other` is not NaN.

    Parameters
    ----------
    input, other
        Tensors, or a tensor and a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape and the promoted dtype.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.xlog1py(rl.tensor([0.0, 2.0]), rl.tensor([-1.0, 0.0])).tolist()
    [0.0, 0.0]
    """
    x, y = _floats("xlog1py", input, other)
    zero = no_logarithm(x, y, -1.0)
    # (The sum makes -0 to 0.)
    return rl.where(zero, 0.0, x * rl.log1p(rl.where(zero, 0.0, y)) + 0.0)


@typed
def zeta(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """Returns the Hurwitz zeta function: the sum of ``(other + k) ** -input`` over k from 0 on.

    Parameters
    ----------
    input
        The exponent, above 1; at 1 the result is infinite, below NaN.
    other
        The first term's base; infinite at 0, -1 and so on. At other negative numbers NaN, unless the exponent
        is whole. Shapes broadcast.

    Returns
    -------
    Tensor
        Of the promoted dtype, float32 for integers. The gradient is that of the base; the exponent has none.

    Raises
    ------
    TypeError
        If a dtype is complex, or the exponent requires a gradient.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.zeta(rl.tensor([2.0]), 1.0)
    tensor([1.6449], dtype=float32, device='cpu')
    """
    device = device_of(input, other)
    dtype = n._promote(input, other)
    if dtype.is_complex:
        raise TypeError(f"zeta: complex numbers are not supported, got {dtype}")
    dtype = dtype if dtype.is_floating_point else rl.float32
    if isinstance(input, Tensor) and input.requires_grad and rl.is_grad_enabled():
        raise TypeError("zeta: the exponent has no gradient; detach it")
    s = rl.asarray(input, dtype=rl.float64, device=device)
    base = other.to(dtype) if isinstance(other, Tensor) else rl.full((), other, dtype=dtype, device=device)
    base = rl.broadcast_to(base, rl.broadcast_shapes(s.shape, base.shape))
    return with_derivative("zeta", base, lambda q: hurwitz(s, q), lambda q: -s * zeta(s + 1, q))
