# Made from the module by crates/rushlight-py/stubs.py; not edited by hand.
import builtins
import collections.abc
import os
import pathlib
import typing

import typing_extensions

from .return_types import ValuesIndices

__commit__: builtins.str
__version__: builtins.str

class DeviceError(builtins.RuntimeError): ...

@typing.final
class DType:
    """The type of a tensor's elements, such as ``rushlight.float32``."""
    def __copy__(self) -> DType: ...
    def __deepcopy__(self, memo: typing.Any, /) -> DType: ...
    def __eq__(self, other: typing.Any, /) -> builtins.bool:
        """Whether it is the same dtype, or the name of it."""
    def __hash__(self) -> builtins.int:
        """The hash of its name, which it is equal to."""
    def __reduce__(self) -> builtins.tuple[typing.Any, ...]: ...
    def __repr__(self) -> builtins.str: ...
    def __str__(self) -> builtins.str: ...
    @builtins.property
    def is_floating_point(self) -> builtins.bool:
        """Whether it is a real floating-point dtype."""
    @builtins.property
    def itemsize(self) -> builtins.int:
        """Bytes of one element."""
    @builtins.property
    def kind(self) -> builtins.str:
        """One of ``"bool"``, ``"unsigned integer"``, ``"signed integer"``, ``"real floating"``, ``"complex floating"``."""
    @builtins.property
    def name(self) -> builtins.str:
        """Name, such as ``"float32"``."""

@typing.final
class Device:
    """Where a tensor lives: ``"cpu"``, ``"rocm:0"`` (also ``"hip:0"``) or ``"cuda:0"``."""
    def __eq__(self, other: typing.Any, /) -> builtins.bool: ...
    def __hash__(self) -> builtins.int:
        """That of its name, which it is equal to."""
    def __new__(cls, name: Device | builtins.str, /) -> typing.Self: ...
    def __reduce__(self) -> builtins.tuple[typing.Any, ...]: ...
    def __repr__(self) -> builtins.str: ...
    def __str__(self) -> builtins.str: ...
    @builtins.property
    def index(self) -> builtins.int | None:
        """Number of the GPU; None for the CPU."""
    @builtins.property
    def type(self) -> builtins.str:
        """Kind: ``"cpu"``, ``"rocm"`` or ``"cuda"``."""

@typing_extensions.disjoint_base
class Tensor:
    """An n-dimensional array on a device, which may take part in gradients.

    ``Tensor(data)`` of an existing tensor shares its memory; of other data it copies, as ``rushlight.tensor``.
    """
    @builtins.property
    def T(self) -> Tensor:
        """The transposed matrix."""
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: object, /) -> Tensor: ...
    def __and__(self, other: object, /) -> Tensor: ...
    def __array__(self, dtype: typing.Any | None = None, copy: builtins.bool | None = None) -> typing.Any:
        """For ``numpy.asarray``."""
    def __array_namespace__(self, *, api_version: builtins.str | None = None) -> typing.Any:
        """The namespace of array functions: ``rushlight``."""
    __array_priority__: typing.Final[builtins.int]
    def __array_ufunc__(self, ufunc: typing.Any, method: builtins.str, /, *inputs: builtins.int) -> typing.Any:
        """NumPy's universal functions: the operators' give a tensor where an array meets one, others take the tensor as an
        array. ``array += tensor`` changes the array.
        """
    def __bool__(self) -> builtins.bool: ...
    def __complex__(self) -> builtins.complex: ...
    def __contains__(self, value: Tensor | builtins.complex, /) -> builtins.bool: ...
    def __copy__(self) -> Tensor: ...
    @builtins.property
    def __cuda_array_interface__(self) -> builtins.dict[builtins.str, typing.Any]:
        """Numba's description of a GPU's memory, version 3; libraries of AMD GPUs ask for it by this name too. The tensor is
        waited for, so that any stream may use it.
        """
    def __deepcopy__(self, memo: builtins.dict[typing.Any, typing.Any], /) -> Tensor: ...
    def __delitem__(self, key: typing.Any, /) -> None: ...
    def __divmod__(self, other: object, /) -> builtins.tuple[Tensor, Tensor]: ...
    def __dlpack__(self, *, stream: typing.Any | None = None, max_version: builtins.tuple[typing.SupportsIndex, typing.SupportsIndex] | None = None, dl_device: builtins.tuple[typing.SupportsIndex, typing.SupportsIndex] | None = None, copy: builtins.bool | None = None) -> typing.Any:
        """A DLPack capsule that shares the memory."""
    def __dlpack_device__(self) -> builtins.tuple[builtins.int, builtins.int]:
        """DLPack's device type and number."""
    def __eq__(self, other: typing.Any, /) -> Tensor: ...  # type: ignore[override]
    def __float__(self) -> builtins.float: ...
    def __floordiv__(self, other: object, /) -> Tensor: ...
    def __format__(self, spec: builtins.str) -> builtins.str: ...
    def __ge__(self, other: object, /) -> Tensor: ...
    def __getitem__(self, key: typing.Any, /) -> Tensor: ...
    def __gt__(self, other: object, /) -> Tensor: ...
    def __hash__(self) -> builtins.int: ...
    def __iadd__(self, other: object, /) -> typing.Self: ...
    def __iand__(self, other: object, /) -> typing.Self: ...
    def __ifloordiv__(self, other: object, /) -> typing.Self: ...
    def __ilshift__(self, other: object, /) -> typing.Self: ...
    def __imatmul__(self, other: object, /) -> typing.Self: ...
    def __imod__(self, other: object, /) -> typing.Self: ...
    def __imul__(self, other: object, /) -> typing.Self: ...
    def __index__(self) -> builtins.int: ...
    def __int__(self) -> builtins.int: ...
    def __invert__(self) -> Tensor: ...
    def __ior__(self, other: object, /) -> typing.Self: ...
    def __ipow__(self, other: object, /) -> typing.Self: ...  # type: ignore[misc]
    def __irshift__(self, other: object, /) -> typing.Self: ...
    def __isub__(self, other: object, /) -> typing.Self: ...
    def __iter__(self) -> collections.abc.Iterator[Tensor]: ...
    def __itruediv__(self, other: object, /) -> typing.Self: ...
    def __ixor__(self, other: object, /) -> typing.Self: ...
    def __le__(self, other: object, /) -> Tensor: ...
    def __len__(self) -> builtins.int: ...
    def __lshift__(self, other: object, /) -> Tensor: ...
    def __lt__(self, other: object, /) -> Tensor: ...
    def __matmul__(self, other: object, /) -> Tensor: ...
    def __mod__(self, other: object, /) -> Tensor: ...
    def __mul__(self, other: object, /) -> Tensor: ...
    def __ne__(self, other: typing.Any, /) -> Tensor: ...  # type: ignore[override]
    def __neg__(self) -> Tensor: ...
    def __new__(cls, data: typing.Any, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> typing.Self: ...
    def __or__(self, other: object, /) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __pow__(self, other: object, modulo: object = None, /) -> Tensor: ...
    def __radd__(self, other: object, /) -> Tensor: ...
    def __rand__(self, other: object, /) -> Tensor: ...
    def __rdivmod__(self, other: object, /) -> builtins.tuple[Tensor, Tensor]: ...
    def __reduce__(self) -> builtins.tuple[typing.Any, ...]: ...
    def __repr__(self) -> builtins.str: ...
    def __rfloordiv__(self, other: object, /) -> Tensor: ...
    def __rlshift__(self, other: object, /) -> Tensor: ...
    def __rmatmul__(self, other: object, /) -> Tensor: ...
    def __rmod__(self, other: object, /) -> Tensor: ...
    def __rmul__(self, other: object, /) -> Tensor: ...
    def __ror__(self, other: object, /) -> Tensor: ...
    def __rpow__(self, other: object, modulo: object = None, /) -> Tensor: ...
    def __rrshift__(self, other: object, /) -> Tensor: ...
    def __rshift__(self, other: object, /) -> Tensor: ...
    def __rsub__(self, other: object, /) -> Tensor: ...
    def __rtruediv__(self, other: object, /) -> Tensor: ...
    def __rxor__(self, other: object, /) -> Tensor: ...
    def __setitem__(self, key: typing.Any, value: typing.Any, /) -> None: ...
    def __sub__(self, other: object, /) -> Tensor: ...
    def __truediv__(self, other: object, /) -> Tensor: ...
    def __xor__(self, other: object, /) -> Tensor: ...
    def abs(self) -> Tensor:
        """Absolute value; its gradient at 0 is 0."""
    def acos(self) -> Tensor:
        """Arc cosine in radians; NaN outside [-1, 1]."""
    def acosh(self) -> Tensor:
        """Inverse hyperbolic cosine; NaN below 1."""
    def add(self, other: Tensor | builtins.complex, /) -> Tensor:
        """x1 + x2; integers wrap."""
    def addcdiv(self, a: Tensor | builtins.complex, b: Tensor | builtins.complex, /, value: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
        """``x + value * a / b``, stretched to one shape."""
    def addcmul(self, a: Tensor | builtins.complex, b: Tensor | builtins.complex, /, value: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
        """``x + value * a * b``, stretched to one shape."""
    def all(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Whether all elements over axes (all by default) are not zero."""
    def amax(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """As ``max``."""
    def amin(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """As ``min``."""
    def any(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Whether any element over axes (all by default) is not zero."""
    def argmax(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Place of the first largest element along an axis, or in the flattened tensor."""
    def argmin(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Place of the first smallest element along an axis, or in the flattened tensor."""
    def argsort(self, axis: typing.SupportsIndex = ..., descending: builtins.bool = False, *, stable: builtins.bool = True, dim: typing.SupportsIndex | None = None) -> Tensor:
        """Places of an axis's elements in sorted order."""
    def asin(self) -> Tensor:
        """Arc sine in radians; NaN outside [-1, 1]."""
    def asinh(self) -> Tensor:
        """Inverse hyperbolic sine."""
    def astype(self, dtype: DType | builtins.str, /, *, copy: builtins.bool = True, device: Device | builtins.str | None = None) -> Tensor:
        """The tensor in another dtype. ``copy=False`` gives the tensor itself where nothing changes."""
    def atan(self) -> Tensor:
        """Arc tangent in radians."""
    def atan2(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Angle of the point (x2, x1) in radians, in [-pi, pi]."""
    def atanh(self) -> Tensor:
        """Inverse hyperbolic tangent; NaN outside [-1, 1]."""
    def backward(self, gradient: Tensor | None = None, retain_graph: builtins.bool | None = None, create_graph: builtins.bool = False) -> None:
        """Adds the gradient of this tensor to ``.grad`` of every leaf it was computed from.

        The graph lives as long as the tensors computed by it, so it can be walked again whatever ``retain_graph`` says.
        """
    def bfloat16(self) -> Tensor:
        """The tensor as bfloat16."""
    def bitwise_and(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Bits set in both; `and` for bool."""
    def bitwise_invert(self) -> Tensor:
        """Bits inverted; `not` for bool."""
    def bitwise_left_shift(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Bits moved up by x2 places; 0 once all have left, and for a negative count."""
    def bitwise_or(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Bits set in either; `or` for bool."""
    def bitwise_right_shift(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Bits moved down by x2 places, the sign kept; 0 or -1 once all have left, and for a negative count."""
    def bitwise_xor(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Bits set in one of the two; `!=` for bool."""
    def bool(self) -> Tensor:
        """The tensor as bool: not zero."""
    def ceil(self) -> Tensor:
        """Rounded up. Its gradient is 0."""
    def chunk(self, chunks: builtins.int, dim: typing.SupportsIndex = 0, *, axis: typing.SupportsIndex | None = None) -> builtins.tuple[Tensor, ...]:
        """Cut along an axis into at most ``chunks`` pieces of equal size (the last may be smaller)."""
    def clamp(self, min: Tensor | builtins.complex | None = None, max: Tensor | builtins.complex | None = None) -> Tensor:
        """Between two bounds."""
    def clip(self, min: Tensor | builtins.complex | None = None, max: Tensor | builtins.complex | None = None) -> Tensor:
        """Between two bounds."""
    def clone(self) -> Tensor:
        """A copy with memory of its own, in the gradient graph."""
    def contiguous(self) -> Tensor:
        """A row-major tensor of the elements; itself if it is row-major."""
    def copy_(self, src: Tensor, /) -> Tensor:
        """Copies the elements of another tensor (stretched and converted as needed) into this one."""
    def cos(self) -> Tensor:
        """Cosine of radians."""
    def cosh(self) -> Tensor:
        """Hyperbolic cosine."""
    def cpu(self) -> Tensor:
        """The tensor on the CPU."""
    def cumsum(self, dim: typing.SupportsIndex | None = None, *, axis: typing.SupportsIndex | None = None, dtype: DType | builtins.str | None = None) -> Tensor:
        """Running sum along a dimension."""
    @builtins.property
    def data(self) -> Tensor:
        """The elements outside the gradient graph, sharing memory."""
    @data.setter
    def data(self, value: Tensor) -> None:
        """Other elements in its place; a leaf stays a leaf, and keeps its gradient where that still fits."""
    def data_ptr(self) -> builtins.int:
        """Address of the first element, in the memory of the tensor's device, which is waited for."""
    def detach(self) -> Tensor:
        """The elements outside the gradient graph, sharing memory."""
    def detach_(self) -> Tensor:
        """Takes the tensor out of the gradient graph, in place."""
    @builtins.property
    def device(self) -> Device:
        """Where the elements are."""
    def dim(self) -> builtins.int:
        """Number of dimensions."""
    def divide(self, other: Tensor | builtins.complex, /) -> Tensor:
        """x1 / x2, correctly rounded. Integers give the default float in Python; in Rust they truncate, and x / 0 is 0."""
    def double(self) -> Tensor:
        """The tensor as float64."""
    @builtins.property
    def dtype(self) -> DType:
        """Type of the elements."""
    def elu(self, alpha: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
        """``x`` where positive, else ``alpha * (exp(x) - 1)``."""
    def erf(self) -> Tensor:
        """Error function."""
    def exp(self) -> Tensor:
        """e^x."""
    def expand(self, shape: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int) -> Tensor:
        """Stretched to a shape, without a copy; -1 keeps a size."""
    def expand_as(self, other: Tensor, /) -> Tensor:
        """Stretched to the shape of another tensor."""
    def expand_dims(self, axis: builtins.int | collections.abc.Sequence[builtins.int], /) -> Tensor:
        """With new dimensions of size 1."""
    def expm1(self) -> Tensor:
        """e^x - 1, exact near 0."""
    def fill_(self, value: builtins.complex, /) -> Tensor:
        """Sets every element to a number."""
    def flatten(self, start_dim: typing.SupportsIndex = 0, end_dim: typing.SupportsIndex = ...) -> Tensor:
        """Dimensions ``start_dim`` to ``end_dim`` (with it) as one."""
    def flip(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
        """Entries in reverse order along axes (all by default)."""
    def float(self) -> Tensor:
        """The tensor as float32."""
    def floor(self) -> Tensor:
        """Rounded down. Its gradient is 0."""
    def floor_divide(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Quotient rounded down (Python's `//`); integers: x // 0 is 0. Its gradient is 0."""
    def frac(self) -> Tensor:
        """x - trunc(x)."""
    def gather(self, dim: typing.SupportsIndex, index: Tensor) -> Tensor:
        """``out[i, j] = x[i, index[i, j]]`` along a dimension (here 1)."""
    def gelu(self, approximate: builtins.str = "none") -> Tensor:
        """``x * Phi(x)``, Phi being the normal distribution function: exact, or with ``approximate="tanh"`` by a tanh."""
    def gelu_erf(self) -> Tensor:
        """GELU, exact form: x * Phi(x)."""
    def gelu_tanh(self) -> Tensor:
        """GELU, tanh form (Hendrycks and Gimpel 2016)."""
    @builtins.property
    def grad(self) -> Tensor | None:
        """The gradient gathered by ``backward``, or None."""
    @grad.deleter
    def grad(self) -> None: ...
    @grad.setter
    def grad(self, value: Tensor | None) -> None: ...
    @builtins.property
    def grad_fn(self) -> builtins.str | None:
        """The name of the op that it was computed by where gradients are recorded, or None."""
    def half(self) -> Tensor:
        """The tensor as float16."""
    def index_add(self, dim: typing.SupportsIndex, index: Tensor, source: Tensor) -> Tensor:
        """A copy with ``source``'s entries added at the indexed places of a dimension."""
    def index_select(self, dim: typing.SupportsIndex, index: Tensor) -> Tensor:
        """Entries of a dimension picked by a vector of indices."""
    def int(self) -> Tensor:
        """The tensor as int32."""
    def is_contiguous(self) -> builtins.bool:
        """Whether the elements are row-major in memory."""
    def is_floating_point(self) -> builtins.bool:
        """Whether the dtype is a real floating-point one."""
    @builtins.property
    def is_leaf(self) -> builtins.bool:
        """Whether it was made by the user and not computed from a tensor that requires a gradient."""
    def isfinite(self) -> Tensor:
        """Where an element is neither NaN nor infinite; true for integers. As bool."""
    def isinf(self) -> Tensor:
        """Where an element is +inf or -inf; false for integers. As bool."""
    def isnan(self) -> Tensor:
        """Where an element is NaN; false for integers. As bool."""
    def item(self) -> typing.Any:
        """The one element as a Python number."""
    @builtins.property
    def itemsize(self) -> builtins.int:
        """Bytes of one element."""
    def log(self) -> Tensor:
        """Natural logarithm; NaN below 0, -inf at 0."""
    def log10(self) -> Tensor:
        """Logarithm to base 10."""
    def log1p(self) -> Tensor:
        """log(1 + x), exact near 0."""
    def log2(self) -> Tensor:
        """Logarithm to base 2."""
    def log_softmax(self, dim: typing.SupportsIndex | None = None, *, axis: typing.SupportsIndex | None = None) -> Tensor:
        """Logarithm of the softmax along an axis."""
    def logical_not(self) -> Tensor:
        """Where an element is zero. As bool."""
    def long(self) -> Tensor:
        """The tensor as int64."""
    @builtins.property
    def mT(self) -> Tensor:
        """The last two dimensions swapped."""
    def masked_fill(self, mask: Tensor, value: builtins.complex) -> Tensor:
        """A copy with ``value`` where the mask holds, of the same dtype."""
    def matmul(self, other: Tensor, /) -> Tensor:
        """Matrix product over the last two dimensions; vectors and batches as in NumPy."""
    @typing.overload
    def max(self, *, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, out: None = None) -> Tensor:
        """The largest element over axes (all by default); NaN if there is one.

        By position or as `dim` the axis gives the pair ``(values, indices)``, as in PyTorch; as `axis` the values.
        """
    @typing.overload
    def max(self, dim: typing.SupportsIndex, keepdim: builtins.bool = False) -> ValuesIndices:
        """The largest element over axes (all by default); NaN if there is one.

        By position or as `dim` the axis gives the pair ``(values, indices)``, as in PyTorch; as `axis` the values.
        """
    def maximum(self, other: Tensor | builtins.complex, /) -> Tensor:
        """The larger; NaN if either is. Ties share the gradient."""
    def mean(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dtype: DType | builtins.str | None = None, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Mean over axes (all by default)."""
    @typing.overload
    def min(self, *, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, out: None = None) -> Tensor:
        """The smallest element over axes (all by default); NaN if there is one.

        By position or as `dim` the axis gives the pair ``(values, indices)``, as in PyTorch; as `axis` the values.
        """
    @typing.overload
    def min(self, dim: typing.SupportsIndex, keepdim: builtins.bool = False) -> ValuesIndices:
        """The smallest element over axes (all by default); NaN if there is one.

        By position or as `dim` the axis gives the pair ``(values, indices)``, as in PyTorch; as `axis` the values.
        """
    def minimum(self, other: Tensor | builtins.complex, /) -> Tensor:
        """The smaller; NaN if either is. Ties share the gradient."""
    def multiply(self, other: Tensor | builtins.complex, /) -> Tensor:
        """x1 * x2; integers wrap."""
    def narrow(self, dim: typing.SupportsIndex, start: builtins.int, length: builtins.int) -> Tensor:
        """``length`` entries of a dimension from ``start``."""
    @builtins.property
    def nbytes(self) -> builtins.int:
        """Bytes of all elements."""
    @builtins.property
    def ndim(self) -> builtins.int:
        """Number of dimensions."""
    def negative(self) -> Tensor:
        """-x; integers wrap."""
    @typing.overload
    def nonzero(self, *, as_tuple: typing.Literal[True]) -> builtins.tuple[Tensor, ...]:
        """Returns the indices of the elements that are not zero: one row each, or with ``as_tuple=True`` one vector for
        each axis, as ``rushlight.nonzero``.
        """
    @typing.overload
    def nonzero(self, *, as_tuple: typing.Literal[False] = False) -> Tensor:
        """Returns the indices of the elements that are not zero: one row each, or with ``as_tuple=True`` one vector for
        each axis, as ``rushlight.nonzero``.
        """
    def numel(self) -> builtins.int:
        """Number of elements."""
    def numpy(self, *, force: builtins.bool = False) -> typing.Any:
        """A NumPy array that shares the memory. ``force=True`` detaches and brings the tensor to the CPU first."""
    def permute(self, dims: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int) -> Tensor:
        """As ``permute_dims``."""
    def permute_dims(self, axes: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int) -> Tensor:
        """Dimensions in another order."""
    def pow(self, other: Tensor | builtins.complex, /) -> Tensor:
        """x1 to the power x2; integers wrap, and a negative exponent truncates the fraction."""
    def prod(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dtype: DType | builtins.str | None = None, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Product over axes (all by default); integers multiply in 64 bits."""
    def reciprocal(self) -> Tensor:
        """1 / x, correctly rounded."""
    def relu(self) -> Tensor:
        """max(x, 0); its gradient at 0 is 0."""
    def remainder(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Remainder with the sign of x2 (Python's `%`); integers: x % 0 is 0."""
    @builtins.property
    def requires_grad(self) -> builtins.bool:
        """Whether gradients are computed for it."""
    @requires_grad.setter
    def requires_grad(self, value: builtins.bool) -> None: ...
    def requires_grad_(self, requires_grad: builtins.bool = True) -> Tensor:
        """Asks for gradients, in place."""
    def reshape(self, shape: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int, copy: builtins.bool | None = None) -> Tensor:
        """The same elements in another shape; one dimension may be -1."""
    def round(self) -> Tensor:
        """Rounded to the nearest integer, halves to even. Its gradient is 0."""
    def rsqrt(self) -> Tensor:
        """1 / sqrt(x)."""
    def scatter(self, dim: typing.SupportsIndex, index: Tensor, src: Tensor | builtins.complex) -> Tensor:
        """A copy with ``out[i, index[i, j]] = src[i, j]`` along a dimension (here 1)."""
    def scatter_add(self, dim: typing.SupportsIndex, index: Tensor, src: Tensor | builtins.complex) -> Tensor:
        """A copy with ``out[i, index[i, j]] += src[i, j]`` along a dimension (here 1)."""
    @builtins.property
    def shape(self) -> builtins.tuple[builtins.int, ...]:
        """Sizes of the dimensions."""
    def sigmoid(self) -> Tensor:
        """1 / (1 + e^-x)."""
    def sign(self) -> Tensor:
        """-1, 0 or 1; NaN stays NaN. Its gradient is 0."""
    def silu(self) -> Tensor:
        """x * sigmoid(x)."""
    def sin(self) -> Tensor:
        """Sine of radians."""
    def sinh(self) -> Tensor:
        """Hyperbolic sine."""
    @builtins.property
    def size(self) -> builtins.int:
        """Number of elements."""
    def softmax(self, dim: typing.SupportsIndex | None = None, *, axis: typing.SupportsIndex | None = None) -> Tensor:
        """``exp(x) / sum(exp(x))`` along an axis."""
    @typing.overload
    def sort(self, *, axis: typing.SupportsIndex, descending: builtins.bool = False, stable: builtins.bool = True) -> Tensor:
        """Sorts along an axis: the pair ``(values, indices)``, as in PyTorch; with `axis` the values."""
    @typing.overload
    def sort(self, dim: typing.SupportsIndex = -1, descending: builtins.bool = False, *, stable: builtins.bool = True) -> ValuesIndices:
        """Sorts along an axis: the pair ``(values, indices)``, as in PyTorch; with `axis` the values."""
    def split(self, split_size_or_sections: builtins.int | collections.abc.Sequence[builtins.int], dim: typing.SupportsIndex = 0, *, axis: typing.SupportsIndex | None = None) -> builtins.tuple[Tensor, ...]:
        """Cut along an axis into pieces of a size (the last may be smaller), or of the given sizes."""
    def sqrt(self) -> Tensor:
        """Square root, correctly rounded; NaN below 0."""
    def square(self) -> Tensor:
        """x * x; integers wrap."""
    def squeeze(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
        """Without dimensions of size 1."""
    def std(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *position: builtins.int, keepdims: builtins.bool | None = None, correction: typing.SupportsFloat | typing.SupportsIndex | None = None, ddof: typing.SupportsFloat | typing.SupportsIndex | None = None, dtype: DType | builtins.str | None = None, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Standard deviation over axes (all by default), with n - correction."""
    def stride(self) -> builtins.tuple[builtins.int, ...]:
        """Strides in elements."""
    def subtract(self, other: Tensor | builtins.complex, /) -> Tensor:
        """x1 - x2; integers wrap."""
    def sum(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dtype: DType | builtins.str | None = None, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Sum over axes (all by default); integers sum in 64 bits."""
    def t(self) -> Tensor:
        """The transposed matrix."""
    def tan(self) -> Tensor:
        """Tangent of radians."""
    def tanh(self) -> Tensor:
        """Hyperbolic tangent."""
    def to(self, *args: typing.Any, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, copy: builtins.bool = False) -> Tensor:
        """The tensor in another dtype, on another device, or both; itself where nothing changes."""
    def to_device(self, device: Device | builtins.str, /, *, stream: typing.Any | None = None) -> Tensor:
        """The tensor on another device; itself if it is there."""
    def tolist(self) -> typing.Any:
        """The elements as nested lists."""
    def transpose(self, dim0: typing.SupportsIndex, dim1: typing.SupportsIndex, /) -> Tensor:
        """Two dimensions swapped."""
    def trunc(self) -> Tensor:
        """Rounded towards 0. Its gradient is 0."""
    def unbind(self, dim: typing.SupportsIndex = 0, *, axis: typing.SupportsIndex | None = None) -> builtins.tuple[Tensor, ...]:
        """The entries of an axis, as a tuple."""
    def unsqueeze(self, dim: typing.SupportsIndex, /) -> Tensor:
        """With a new dimension of size 1."""
    def var(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *position: builtins.int, keepdims: builtins.bool | None = None, correction: typing.SupportsFloat | typing.SupportsIndex | None = None, ddof: typing.SupportsFloat | typing.SupportsIndex | None = None, dtype: DType | builtins.str | None = None, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Variance over axes (all by default), divided by n - correction."""
    def view(self, shape: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int) -> Tensor:
        """As ``reshape``."""
    def zero_(self) -> Tensor:
        """Sets every element to 0."""

@typing.final
class _Memory:
    """The memory of a CPU tensor, for the buffer protocol.

    `Tensor` itself exports no buffer: `torch.asarray` asks for one before DLPack, and reads it as a flat run of float32
    whatever its shape and dtype are.
    """
    def __new__(cls, tensor: Tensor) -> typing.Self: ...
    def __buffer__(self, flags: builtins.int, /) -> builtins.memoryview: ...

@typing.final
class _Parity:
    """Every case, for a seed."""
    def __new__(cls, seed: typing.SupportsIndex, /) -> typing.Self: ...
    def attributes(self, index: typing.SupportsIndex, /) -> builtins.dict[builtins.str, typing.Any]:
        """Returns the op's attributes by name; a set of dimensions is a list."""
    def bound(self, index: typing.SupportsIndex, dtype: builtins.str, /) -> builtins.tuple[builtins.str, builtins.float]:
        """Returns the bound on an output of a dtype: "exact", "ulps", "scaled" or "products", and its number of units, or 0."""
    def cases(self) -> builtins.list[builtins.tuple[builtins.str, ...]]:
        """Returns name, op, family, dtype and pass of every case."""
    def compare(self, index: typing.SupportsIndex, a: collections.abc.Sequence[builtins.tuple[builtins.str, collections.abc.Sequence[typing.SupportsIndex], collections.abc.Sequence[typing.SupportsIndex]]], b: collections.abc.Sequence[builtins.tuple[builtins.str, collections.abc.Sequence[typing.SupportsIndex], collections.abc.Sequence[typing.SupportsIndex]]], /) -> builtins.dict[builtins.str, typing.Any]:
        """Judges whether two runs' outputs of a case agree: the same bits, or each within the op's bound."""
    def fixed_order(self, index: typing.SupportsIndex, /) -> builtins.bool:
        """Returns whether the op's results have the same bits in every run, whatever the order in which a GPU adds terms."""
    def inputs(self, index: typing.SupportsIndex, /) -> builtins.list[Tensor]:
        """Returns the inputs on the CPU, in the case's layout."""
    def judge_true(self, index: typing.SupportsIndex, device: Device | builtins.str, values: collections.abc.Sequence[collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex]], /) -> builtins.dict[builtins.str, typing.Any]:
        """Judges a device's outputs of a case by true values of another library, one list an output."""
    def judge_true_outputs(self, index: typing.SupportsIndex, outputs: collections.abc.Sequence[builtins.tuple[builtins.str, collections.abc.Sequence[typing.SupportsIndex], collections.abc.Sequence[typing.SupportsIndex]]], truth: collections.abc.Sequence[builtins.tuple[builtins.str, collections.abc.Sequence[typing.SupportsIndex], collections.abc.Sequence[typing.SupportsIndex]]], /) -> builtins.dict[builtins.str, Tensor]:
        """Judges outputs of a case by true ones of another library."""
    def order(self, seed: typing.SupportsIndex, /) -> builtins.list[builtins.int]:
        """Returns the indices of the cases in an order whose every prefix covers the ops evenly."""
    def reference(self, index: typing.SupportsIndex, /) -> builtins.dict[builtins.str, typing.Any]:
        """Returns what NumPy and PyTorch have in place of the op: its kind ("function", "expression" or "none"), the names in
        NumPy and in PyTorch, whether only floats are compared, and the reason where there is nothing.
        """
    def run(self, index: typing.SupportsIndex, device: Device | builtins.str, against: builtins.str, keep: typing.SupportsIndex, /) -> builtins.dict[builtins.str, typing.Any]:
        """Runs a case against "f64", "cpu" or another device's name; outputs of up to `keep` bytes come back."""
    def what(self, index: typing.SupportsIndex, /) -> builtins.str:
        """Returns the op with its attributes, as text."""

@typing.final
class _RocmKernel:
    """A kernel of a user's own."""
    def launch(self, grid: builtins.tuple[typing.SupportsIndex, typing.SupportsIndex, typing.SupportsIndex], block: builtins.tuple[typing.SupportsIndex, typing.SupportsIndex, typing.SupportsIndex], shared: typing.SupportsIndex, args: collections.abc.Sequence[builtins.tuple[Tensor, typing.SupportsIndex]], /) -> None:
        """Puts a launch on the GPU's stream: blocks, threads of a block, bytes of dynamic LDS, and the arguments in order. Each
        is a tensor and what it is: 0 its one element, 1 a pointer to elements that are changed, 2 to elements that are read.
        """

__all__ = [
    "DType",
    "Device",
    "DeviceError",
    "Tensor",
    "_Memory",
    "_Parity",
    "_RocmKernel",
    "_cuda_search",
    "_device_count",
    "_dtype",
    "_gpu_empty_cache",
    "_gpu_memory_stats",
    "_gpu_properties",
    "_gpu_reset_peak",
    "_gpu_synchronize",
    "_gpu_warm",
    "_load_npy",
    "_load_npz",
    "_load_pth",
    "_promote",
    "_rebuild",
    "_rocm_compile",
    "_rocm_folders",
    "_rocm_loaded",
    "_samples",
    "_save_npy",
    "_save_npz",
    "_set_grad_enabled",
    "_supports",
    "abs",
    "acos",
    "acosh",
    "adam_step",
    "adamw_step",
    "add",
    "addcdiv",
    "addcmul",
    "addmm",
    "all",
    "amax",
    "amin",
    "any",
    "arange",
    "are_deterministic_algorithms_enabled",
    "argmax",
    "argmin",
    "argsort",
    "asarray",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "avg_pool1d",
    "avg_pool2d",
    "bernoulli",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "broadcast_to",
    "ceil",
    "chunk",
    "clip",
    "concat",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "cos",
    "cosh",
    "cross_entropy",
    "cumulative_sum",
    "divide",
    "dropout",
    "elu",
    "embedding",
    "empty",
    "empty_cache",
    "empty_like",
    "equal",
    "erf",
    "exp",
    "expand_dims",
    "expm1",
    "eye",
    "flatten",
    "flip",
    "floor",
    "floor_divide",
    "frac",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "gather",
    "gelu",
    "gelu_erf",
    "gelu_tanh",
    "get_num_threads",
    "greater",
    "greater_equal",
    "index_add",
    "index_select",
    "is_grad_enabled",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "linspace",
    "load_file",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_softmax",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsumexp",
    "manual_seed",
    "matmul",
    "matrix_transpose",
    "max",
    "max_pool1d",
    "max_pool2d",
    "maximum",
    "mean",
    "memory_stats",
    "min",
    "minimum",
    "multiply",
    "negative",
    "nll_loss",
    "nonzero",
    "not_equal",
    "one_hot",
    "ones",
    "ones_like",
    "permute_dims",
    "positive",
    "pow",
    "prod",
    "rand",
    "randint",
    "randn",
    "reciprocal",
    "relu",
    "remainder",
    "reset_peak_memory",
    "reshape",
    "round",
    "rsqrt",
    "save_file",
    "scatter",
    "scatter_add",
    "set_num_threads",
    "set_printoptions",
    "sgd_step",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "sinh",
    "softmax",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "subtract",
    "sum",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensor",
    "tril",
    "triu",
    "trunc",
    "unstack",
    "upsample_bilinear2d",
    "upsample_nearest1d",
    "upsample_nearest2d",
    "use_deterministic_algorithms",
    "var",
    "where",
    "zeros",
    "zeros_like",
    "__commit__",
    "__version__",
]

def _cuda_search(folder: builtins.str | os.PathLike[builtins.str], /) -> None:
    """A folder where CUDA's libraries are looked for, too."""

def _device_count(kind: builtins.str, /) -> builtins.int:
    """Number of devices of a kind (``"rocm"`` or ``"cuda"``) that can be opened."""

def _dtype(name: DType | builtins.str, /) -> DType:
    """The dtype of a name."""

def _gpu_empty_cache(kind: builtins.str, index: typing.SupportsIndex, /) -> None:
    """Gives a GPU's memory that is kept for reuse back to it."""

def _gpu_memory_stats(kind: builtins.str, index: typing.SupportsIndex, /) -> builtins.dict[builtins.str, builtins.int]:
    """Memory, launches, transfers and calls of libraries of a GPU so far."""

def _gpu_properties(kind: builtins.str, index: typing.SupportsIndex, /) -> builtins.dict[builtins.str, typing.Any]:
    """Name, target, wave size, compute units and bytes of memory of a GPU."""

def _gpu_reset_peak(kind: builtins.str, index: typing.SupportsIndex, /) -> None:
    """Sets the peak of a GPU's memory to what is live now."""

def _gpu_synchronize(kind: builtins.str, index: typing.SupportsIndex, /) -> None:
    """Waits for a GPU, and raises what its kernels have found."""

def _gpu_warm(kind: builtins.str, index: typing.SupportsIndex, ops: collections.abc.Sequence[builtins.str], dtypes: collections.abc.Sequence[DType | builtins.str], told: typing.Any, /) -> builtins.dict[builtins.str, typing.Any]:
    """Compiles the kernels of ops and dtypes (none: all) ahead. `told` gets steps done, all, the last one's name and kernels
    compiled. Gives the folder that keeps them and the numbers.
    """

def _load_npy(path: builtins.str | os.PathLike[builtins.str], device: Device | builtins.str | None, /) -> Tensor:
    """The tensor of an npy file."""

def _load_npz(path: builtins.str | os.PathLike[builtins.str], device: Device | builtins.str | None, /) -> builtins.dict[builtins.str, Tensor]:
    """The tensors of an npz file by name, in the file's order."""

def _load_pth(path: builtins.str | os.PathLike[builtins.str], device: Device | builtins.str | None, key: builtins.str | None, /) -> builtins.dict[builtins.str, Tensor]:
    """The tensors of a pth file by name; ``key`` names the entry that holds them."""

def _promote(*values: typing.Any) -> DType:
    """The dtype that tensors, dtypes and Python numbers meet in."""

def _rebuild(data: builtins.bytes, dtype: DType | builtins.str, shape: builtins.int | collections.abc.Sequence[builtins.int], device: Device | builtins.str, requires_grad: builtins.bool, /) -> Tensor:
    """A pickled tensor."""

def _rocm_compile(index: typing.SupportsIndex, source: builtins.str, name: builtins.str, options: collections.abc.Sequence[builtins.str], /) -> _RocmKernel:
    """Compiles HIP source for an AMD GPU and finds a kernel in it."""

def _rocm_folders() -> builtins.list[builtins.str]:
    """The folders that AMD's libraries are looked for in, in order."""

def _rocm_loaded() -> builtins.str | None:
    """The HIP library that the process has loaded, if it has; nothing is looked for."""

def _samples() -> builtins.list[typing.Any]:
    """Every sample of every card that a function of this module was made of: name, operands, attributes, result."""

def _save_npy(path: builtins.str | os.PathLike[builtins.str], tensor: Tensor, /) -> None:
    """Writes a tensor to an npy file."""

def _save_npz(path: builtins.str | os.PathLike[builtins.str], names: collections.abc.Sequence[builtins.str], tensors: collections.abc.Sequence[Tensor], /) -> None:
    """Writes named tensors to an npz file."""

def _set_grad_enabled(enabled: builtins.bool, /) -> builtins.bool:
    """Switches recording on this thread; gives the state before."""

def _supports(op: builtins.str, dtype: DType | builtins.str, device: Device | builtins.str, grad: builtins.bool, /) -> builtins.bool:
    """Whether a device runs an op on a dtype, and gives a gradient for it."""

def abs(x: Tensor, /) -> Tensor:
    """Absolute value; its gradient at 0 is 0."""

def acos(x: Tensor, /) -> Tensor:
    """Arc cosine in radians; NaN outside [-1, 1]."""

def acosh(x: Tensor, /) -> Tensor:
    """Inverse hyperbolic cosine; NaN below 1."""

def adam_step(param: Tensor, grad: Tensor, exp_avg: Tensor, exp_avg_sq: Tensor, /, *, step: typing.SupportsIndex, lr: typing.SupportsFloat | typing.SupportsIndex, beta1: typing.SupportsFloat | typing.SupportsIndex, beta2: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, weight_decay: typing.SupportsFloat | typing.SupportsIndex) -> None:
    """One step of Adam, in place; the weight decay is added to the gradient."""

def adamw_step(param: Tensor, grad: Tensor, exp_avg: Tensor, exp_avg_sq: Tensor, /, *, step: typing.SupportsIndex, lr: typing.SupportsFloat | typing.SupportsIndex, beta1: typing.SupportsFloat | typing.SupportsIndex, beta2: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, weight_decay: typing.SupportsFloat | typing.SupportsIndex) -> None:
    """One step of Adam, in place; the weight decay shrinks the parameter itself."""

def add(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """x1 + x2; integers wrap."""

def addcdiv(x: Tensor | builtins.complex, a: Tensor | builtins.complex, b: Tensor | builtins.complex, /, value: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
    """``x + value * a / b``, stretched to one shape."""

def addcmul(x: Tensor | builtins.complex, a: Tensor | builtins.complex, b: Tensor | builtins.complex, /, value: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
    """``x + value * a * b``, stretched to one shape."""

def addmm(x: Tensor, mat1: Tensor, mat2: Tensor, /, *, beta: typing.SupportsFloat | typing.SupportsIndex = 1.0, alpha: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
    """``beta * x + alpha * (mat1 @ mat2)``; x is stretched to the product's shape."""

def all(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Whether all elements over axes (all by default) are not zero."""

def amax(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """As ``max``."""

def amin(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """As ``min``."""

def any(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Whether any element over axes (all by default) is not zero."""

def arange(start: builtins.complex, /, stop: builtins.complex | None = None, step: builtins.complex = ..., *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """``start, start + step, ..`` up to ``stop`` (left out)."""

def are_deterministic_algorithms_enabled() -> builtins.bool:
    """Whether the same bits are asked for in every run."""

def argmax(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Place of the first largest element along an axis, or in the flattened tensor."""

def argmin(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Place of the first smallest element along an axis, or in the flattened tensor."""

def argsort(x: Tensor, /, axis: typing.SupportsIndex = ..., descending: builtins.bool = False, *, stable: builtins.bool = True, dim: typing.SupportsIndex | None = None) -> Tensor:
    """Places of an axis's elements in sorted order. Always stable; NaN counts as the greatest."""

def asarray(obj: typing.Any, /, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, copy: builtins.bool | None = None) -> Tensor:
    """A tensor of any data. Shares the memory of tensors and arrays unless ``copy=True`` or a conversion needs a copy; that of
    an object with ``__cuda_array_interface__``, too, whose ``device`` must be given.
    """

def asin(x: Tensor, /) -> Tensor:
    """Arc sine in radians; NaN outside [-1, 1]."""

def asinh(x: Tensor, /) -> Tensor:
    """Inverse hyperbolic sine."""

def atan(x: Tensor, /) -> Tensor:
    """Arc tangent in radians."""

def atan2(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Angle of the point (x2, x1) in radians, in [-pi, pi]."""

def atanh(x: Tensor, /) -> Tensor:
    """Inverse hyperbolic tangent; NaN outside [-1, 1]."""

def avg_pool1d(x: Tensor, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], count_include_pad: builtins.bool, /) -> Tensor:
    """Mean of each window of (n, c, l)."""

def avg_pool2d(x: Tensor, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], count_include_pad: builtins.bool, /) -> Tensor:
    """Mean of each window of (n, c, h, w)."""

def bernoulli(input: Tensor, p: typing.SupportsFloat | typing.SupportsIndex | None = None) -> Tensor:
    """Ones with the probabilities that a tensor holds, or all with probability ``p`` in its shape; zeros elsewhere."""

def bitwise_and(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Bits set in both; `and` for bool."""

def bitwise_invert(x: Tensor, /) -> Tensor:
    """Bits inverted; `not` for bool."""

def bitwise_left_shift(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Bits moved up by x2 places; 0 once all have left, and for a negative count."""

def bitwise_or(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Bits set in either; `or` for bool."""

def bitwise_right_shift(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Bits moved down by x2 places, the sign kept; 0 or -1 once all have left, and for a negative count."""

def bitwise_xor(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Bits set in one of the two; `!=` for bool."""

def broadcast_to(x: Tensor, /, shape: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Stretched to a shape, without a copy."""

def ceil(x: Tensor, /) -> Tensor:
    """Rounded up. Its gradient is 0."""

def chunk(x: Tensor, /, chunks: builtins.int, axis: typing.SupportsIndex = 0, *, dim: typing.SupportsIndex | None = None) -> builtins.tuple[Tensor, ...]:
    """Cut along an axis into at most ``chunks`` pieces of equal size (the last may be smaller)."""

def clip(x: Tensor, /, min: Tensor | builtins.complex | None = None, max: Tensor | builtins.complex | None = None) -> Tensor:
    """Between two bounds, each a tensor, a number or None."""

def concat(arrays: collections.abc.Sequence[Tensor], /, axis: typing.SupportsIndex | None = ..., *, dim: typing.SupportsIndex | None = None) -> Tensor:
    """Joined along an axis; ``axis=None`` joins the flattened tensors."""

def conv1d(x: Tensor, weight: Tensor, bias: Tensor | None, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], groups: builtins.int, /) -> Tensor:
    """Cross-correlation of (n, c, l) with (o, c / groups, k), plus a bias of shape (o,)."""

def conv2d(x: Tensor, weight: Tensor, bias: Tensor | None, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], groups: builtins.int, /) -> Tensor:
    """Cross-correlation of (n, c, h, w) with (o, c / groups, kh, kw), plus a bias of shape (o,)."""

def conv3d(x: Tensor, weight: Tensor, bias: Tensor | None, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], groups: builtins.int, /) -> Tensor:
    """Cross-correlation of (n, c, d, h, w) with (o, c / groups, kd, kh, kw), plus a bias of shape (o,)."""

def conv_transpose1d(x: Tensor, weight: Tensor, bias: Tensor | None, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], groups: builtins.int, output_padding: builtins.int | collections.abc.Sequence[builtins.int], /) -> Tensor:
    """Transposed convolution of (n, c, l) with (c, o / groups, k), plus a bias of shape (o,)."""

def conv_transpose2d(x: Tensor, weight: Tensor, bias: Tensor | None, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], groups: builtins.int, output_padding: builtins.int | collections.abc.Sequence[builtins.int], /) -> Tensor:
    """Transposed convolution of (n, c, h, w) with (c, o / groups, kh, kw), plus a bias of shape (o,)."""

def cos(x: Tensor, /) -> Tensor:
    """Cosine of radians."""

def cosh(x: Tensor, /) -> Tensor:
    """Hyperbolic cosine."""

def cross_entropy(x: Tensor, target: Tensor, weight: Tensor | None, ignore_index: typing.SupportsIndex, reduction: builtins.str, label_smoothing: typing.SupportsFloat | typing.SupportsIndex, /) -> Tensor:
    """Cross-entropy of logits with class indices: x is (n, c, ..), target (n, ..), weight (c,)."""

def cumulative_sum(x: Tensor, /, axis: typing.SupportsIndex | None = None, *, dtype: DType | builtins.str | None = None, include_initial: builtins.bool = False, dim: typing.SupportsIndex | None = None) -> Tensor:
    """Running sum along an axis; a vector needs none. Integers sum in 64 bits."""

def divide(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """x1 / x2, correctly rounded. Integers give the default float in Python; in Rust they truncate, and x / 0 is 0."""

def dropout(input: Tensor, p: typing.SupportsFloat | typing.SupportsIndex, training: builtins.bool, /) -> Tensor:
    """In training, zeros in place of elements with probability ``p`` and the others over ``1 - p``; else the tensor itself."""

def elu(x: Tensor, /, alpha: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
    """``x`` where positive, else ``alpha * (exp(x) - 1)``."""

def embedding(input: Tensor, weight: Tensor, /) -> Tensor:
    """Rows of a table, one for each id."""

def empty(shape: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Elements of unspecified values."""

def empty_cache() -> None:
    """Gives memory kept for reuse back to the system."""

def empty_like(x: Tensor, /, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Unspecified values of a tensor's shape, dtype and device."""

def equal(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Where an element of x1 is equal to that of x2, as bool."""

def erf(x: Tensor, /) -> Tensor:
    """Error function."""

def exp(x: Tensor, /) -> Tensor:
    """e^x."""

def expand_dims(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
    """With new dimensions of size 1 at the given places."""

def expm1(x: Tensor, /) -> Tensor:
    """e^x - 1, exact near 0."""

def eye(n_rows: builtins.int, n_cols: builtins.int | None = None, /, *, k: typing.SupportsIndex = 0, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Ones on a diagonal, zeros elsewhere."""

def flatten(x: Tensor, /, start_dim: typing.SupportsIndex = 0, end_dim: typing.SupportsIndex = ...) -> Tensor:
    """Dimensions ``start_dim`` to ``end_dim`` (with it) as one."""

def flip(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
    """Entries in reverse order along axes (all by default)."""

def floor(x: Tensor, /) -> Tensor:
    """Rounded down. Its gradient is 0."""

def floor_divide(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Quotient rounded down (Python's `//`); integers: x // 0 is 0. Its gradient is 0."""

def frac(x: Tensor, /) -> Tensor:
    """x - trunc(x)."""

def from_dlpack(x: typing.Any, /, *, device: Device | builtins.str | None = None, copy: builtins.bool | None = None) -> Tensor:
    """A tensor over the memory of any object with ``__dlpack__``."""

def from_numpy(array: typing.Any, /) -> Tensor:
    """A tensor that shares a NumPy array's memory."""

def frombuffer(buffer: typing.Any, dtype: DType | builtins.str) -> Tensor:
    """Returns a vector over the bytes of an object with a buffer (bytes, bytearray, array).

    It shares the memory, as ``numpy.frombuffer`` does, where that is contiguous and aligned to the dtype, and copies it
    elsewhere. A change of a tensor over read-only memory (bytes) copies it first.

    Parameters
    ----------
    buffer
        The object.
    dtype : DType
        The dtype that the bytes are read as.

    Returns
    -------
    Tensor
        Rank 1.
    """

def full(shape: builtins.int | collections.abc.Sequence[builtins.int], fill_value: builtins.complex, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """A tensor of one value."""

def full_like(x: Tensor, /, fill_value: builtins.complex, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """One value in a tensor's shape, dtype and device."""

def gather(x: Tensor, dim: typing.SupportsIndex, index: Tensor, /) -> Tensor:
    """``out[i, j] = x[i, index[i, j]]`` along a dimension (here 1)."""

def gelu(x: Tensor, /, approximate: builtins.str = "none") -> Tensor:
    """``x * Phi(x)``, Phi being the normal distribution function: exact, or with ``approximate="tanh"`` by a tanh."""

def gelu_erf(x: Tensor, /) -> Tensor:
    """GELU, exact form: x * Phi(x)."""

def gelu_tanh(x: Tensor, /) -> Tensor:
    """GELU, tanh form (Hendrycks and Gimpel 2016)."""

def get_num_threads() -> builtins.int:
    """How many threads an op may use."""

def greater(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Where an element of x1 is greater than that of x2, as bool."""

def greater_equal(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Where an element of x1 is at least that of x2, as bool."""

def index_add(x: Tensor, dim: typing.SupportsIndex, index: Tensor, source: Tensor, /) -> Tensor:
    """A copy with ``source``'s entries added at the indexed places of a dimension."""

def index_select(x: Tensor, dim: typing.SupportsIndex, index: Tensor, /) -> Tensor:
    """Entries of a dimension picked by a vector of indices."""

def is_grad_enabled() -> builtins.bool:
    """Whether ops on this thread record gradients."""

def isfinite(x: Tensor, /) -> Tensor:
    """Where an element is neither NaN nor infinite; true for integers. As bool."""

def isinf(x: Tensor, /) -> Tensor:
    """Where an element is +inf or -inf; false for integers. As bool."""

def isnan(x: Tensor, /) -> Tensor:
    """Where an element is NaN; false for integers. As bool."""

def less(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Where an element of x1 is less than that of x2, as bool."""

def less_equal(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Where an element of x1 is at most that of x2, as bool."""

def linspace(start: builtins.complex, stop: builtins.complex, /, num: builtins.int, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, endpoint: builtins.bool = True, requires_grad: builtins.bool = False) -> Tensor:
    """``num`` evenly spaced numbers from ``start`` to ``stop``."""

def load_file(path: builtins.str | os.PathLike[builtins.str], device: Device | builtins.str | None = None) -> builtins.dict[builtins.str, Tensor]:
    """The tensors of a safetensors file by name, in the names' order.

    Raises
    ------
    FileNotFoundError
        If the file is not there.
    ValueError
        If it is truncated or is no safetensors file.
    """

def log(x: Tensor, /) -> Tensor:
    """Natural logarithm; NaN below 0, -inf at 0."""

def log10(x: Tensor, /) -> Tensor:
    """Logarithm to base 10."""

def log1p(x: Tensor, /) -> Tensor:
    """log(1 + x), exact near 0."""

def log2(x: Tensor, /) -> Tensor:
    """Logarithm to base 2."""

def log_softmax(x: Tensor, /, dim: typing.SupportsIndex | None = None, *, axis: typing.SupportsIndex | None = None) -> Tensor:
    """Logarithm of the softmax along an axis."""

def logical_and(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Where both elements are not zero (NaN is not). As bool."""

def logical_not(x: Tensor, /) -> Tensor:
    """Where an element is zero. As bool."""

def logical_or(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Where one element or both are not zero (NaN is not). As bool."""

def logical_xor(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Where exactly one of the two elements is not zero (NaN is not). As bool."""

def logsumexp(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """log(sum(exp(x))) over axes (all by default), stable for large values."""

def manual_seed(seed: builtins.int, /) -> None:
    """Seeds the random numbers of every device. Equal seeds give equal numbers on all of them."""

def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Matrix product over the last two dimensions; vectors and batches as in NumPy."""

def matrix_transpose(x: Tensor, /) -> Tensor:
    """The last two dimensions swapped."""

@typing.overload
def max(x: Tensor, /, *, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None) -> Tensor:
    """The largest element over axes (all by default); NaN if there is one.

    Parameters
    ----------
    x : Tensor
        Any shape; integer or floating point.
    axis, keepdims
        The axis or axes to reduce (None: all), and whether they stay with size 1. The result is a tensor.
    dim, keepdim
        One axis, under PyTorch's name. The result is the pair ``(values, indices)``.

    Returns
    -------
    Tensor or ValuesIndices
        The values, of the dtype of `x`; with `dim` also the int64 index of the first of them.
    """
@typing.overload
def max(x: Tensor, /, *, dim: typing.SupportsIndex, keepdim: builtins.bool = False) -> ValuesIndices:
    """The largest element over axes (all by default); NaN if there is one.

    Parameters
    ----------
    x : Tensor
        Any shape; integer or floating point.
    axis, keepdims
        The axis or axes to reduce (None: all), and whether they stay with size 1. The result is a tensor.
    dim, keepdim
        One axis, under PyTorch's name. The result is the pair ``(values, indices)``.

    Returns
    -------
    Tensor or ValuesIndices
        The values, of the dtype of `x`; with `dim` also the int64 index of the first of them.
    """

def max_pool1d(x: Tensor, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], /) -> Tensor:
    """Maximum of each window of (n, c, l)."""

def max_pool2d(x: Tensor, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], /) -> Tensor:
    """Maximum of each window of (n, c, h, w)."""

def maximum(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """The larger; NaN if either is. Ties share the gradient."""

def mean(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dtype: DType | builtins.str | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Mean over axes (all by default)."""

def memory_stats() -> builtins.dict[builtins.str, builtins.int]:
    """Bytes of CPU tensor memory: ``live``, ``peak`` and ``cached``."""

@typing.overload
def min(x: Tensor, /, *, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None) -> Tensor:
    """The smallest element over axes (all by default); NaN if there is one.

    Parameters
    ----------
    x : Tensor
        Any shape; integer or floating point.
    axis, keepdims
        The axis or axes to reduce (None: all), and whether they stay with size 1. The result is a tensor.
    dim, keepdim
        One axis, under PyTorch's name. The result is the pair ``(values, indices)``.

    Returns
    -------
    Tensor or ValuesIndices
        The values, of the dtype of `x`; with `dim` also the int64 index of the first of them.
    """
@typing.overload
def min(x: Tensor, /, *, dim: typing.SupportsIndex, keepdim: builtins.bool = False) -> ValuesIndices:
    """The smallest element over axes (all by default); NaN if there is one.

    Parameters
    ----------
    x : Tensor
        Any shape; integer or floating point.
    axis, keepdims
        The axis or axes to reduce (None: all), and whether they stay with size 1. The result is a tensor.
    dim, keepdim
        One axis, under PyTorch's name. The result is the pair ``(values, indices)``.

    Returns
    -------
    Tensor or ValuesIndices
        The values, of the dtype of `x`; with `dim` also the int64 index of the first of them.
    """

def minimum(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """The smaller; NaN if either is. Ties share the gradient."""

def multiply(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """x1 * x2; integers wrap."""

def negative(x: Tensor, /) -> Tensor:
    """-x; integers wrap."""

def nll_loss(x: Tensor, target: Tensor, weight: Tensor | None, ignore_index: typing.SupportsIndex, reduction: builtins.str, /) -> Tensor:
    """Negative log-likelihood of class indices: x is (n, c, ..), target (n, ..), weight (c,)."""

@typing.overload
def nonzero(x: Tensor, /, *, as_tuple: typing.Literal[True] = True) -> builtins.tuple[Tensor, ...]:
    """Returns the indices of the elements that are not zero.

    Parameters
    ----------
    x : Tensor
        Rank 1 or more.
    as_tuple : bool
        Whether the result is one int64 vector for each axis, as in the array API (the default of the function), or a
        tensor with a row for each element, as in PyTorch (the default of the method).

    Returns
    -------
    tuple of Tensor, or Tensor
        The indices, in row-major order.
    """
@typing.overload
def nonzero(x: Tensor, /, *, as_tuple: typing.Literal[False]) -> Tensor:
    """Returns the indices of the elements that are not zero.

    Parameters
    ----------
    x : Tensor
        Rank 1 or more.
    as_tuple : bool
        Whether the result is one int64 vector for each axis, as in the array API (the default of the function), or a
        tensor with a row for each element, as in PyTorch (the default of the method).

    Returns
    -------
    tuple of Tensor, or Tensor
        The indices, in row-major order.
    """

def not_equal(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Where an element of x1 is different from that of x2, as bool."""

def one_hot(x: Tensor, num_classes: builtins.int, /) -> Tensor:
    """Rows of ones at the place of each value, zeros elsewhere, in a new last dimension; int64."""

def ones(shape: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Ones."""

def ones_like(x: Tensor, /, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Ones of a tensor's shape, dtype and device."""

def permute_dims(x: Tensor, /, axes: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Dimensions in another order."""

def positive(x: Tensor, /) -> Tensor:
    """x itself, for numbers."""

def pow(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """x1 to the power x2; integers wrap, and a negative exponent truncates the fraction."""

def prod(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dtype: DType | builtins.str | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Product over axes (all by default); integers multiply in 64 bits."""

def rand(shape: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Uniform random numbers in [0, 1)."""

def randint(low: builtins.int, high: typing.Any | None = None, size: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None) -> Tensor:
    """Random integers in [low, high), or [0, low) when ``high`` is not given."""

def randn(shape: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Standard normal random numbers."""

def reciprocal(x: Tensor, /) -> Tensor:
    """1 / x, correctly rounded."""

def relu(x: Tensor, /) -> Tensor:
    """max(x, 0); its gradient at 0 is 0."""

def remainder(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Remainder with the sign of x2 (Python's `%`); integers: x % 0 is 0."""

def reset_peak_memory() -> None:
    """Sets the peak of ``memory_stats`` to what is live now."""

def reshape(x: Tensor, /, shape: builtins.int | collections.abc.Sequence[builtins.int], *, copy: builtins.bool | None = None) -> Tensor:
    """The same elements in another shape; one dimension may be -1."""

def round(x: Tensor, /) -> Tensor:
    """Rounded to the nearest integer, halves to even. Its gradient is 0."""

def rsqrt(x: Tensor, /) -> Tensor:
    """1 / sqrt(x)."""

def save_file(tensors: collections.abc.Mapping[builtins.str, Tensor], path: builtins.str | os.PathLike[builtins.str], metadata: collections.abc.Mapping[builtins.str, builtins.str] | None = None) -> None:
    """Writes named tensors, and texts about them, to a safetensors file.

    Parameters
    ----------
    tensors
        Tensors by name; gradients are not saved.
    path
        The file. It is replaced.
    metadata
        Texts by name.
    """

def scatter(x: Tensor, dim: typing.SupportsIndex, index: Tensor, src: Tensor | builtins.complex, /) -> Tensor:
    """A copy with ``out[i, index[i, j]] = src[i, j]`` along a dimension (here 1); the last of equal indices wins."""

def scatter_add(x: Tensor, dim: typing.SupportsIndex, index: Tensor, src: Tensor | builtins.complex, /) -> Tensor:
    """A copy with ``out[i, index[i, j]] += src[i, j]`` along a dimension (here 1)."""

def set_num_threads(n: builtins.int, /) -> None:
    """Sets how many threads an op may use. Results do not depend on it."""

def set_printoptions(*, precision: builtins.int | None = None, threshold: builtins.int | None = None, edgeitems: builtins.int | None = None) -> None:
    """Digits after the point, elements above which the middle is left out, and elements shown at each edge then."""

def sgd_step(param: Tensor, grad: Tensor, buffer: Tensor | None, /, *, lr: typing.SupportsFloat | typing.SupportsIndex, momentum: typing.SupportsFloat | typing.SupportsIndex, dampening: typing.SupportsFloat | typing.SupportsIndex, weight_decay: typing.SupportsFloat | typing.SupportsIndex, nesterov: builtins.bool, first: builtins.bool) -> None:
    """One step of stochastic gradient descent, in place; the buffer goes with a momentum."""

def sigmoid(x: Tensor, /) -> Tensor:
    """1 / (1 + e^-x)."""

def sign(x: Tensor, /) -> Tensor:
    """-1, 0 or 1; NaN stays NaN. Its gradient is 0."""

def silu(x: Tensor, /) -> Tensor:
    """x * sigmoid(x)."""

def sin(x: Tensor, /) -> Tensor:
    """Sine of radians."""

def sinh(x: Tensor, /) -> Tensor:
    """Hyperbolic sine."""

def softmax(x: Tensor, /, dim: typing.SupportsIndex | None = None, *, axis: typing.SupportsIndex | None = None) -> Tensor:
    """``exp(x) / sum(exp(x))`` along an axis."""

@typing.overload
def sort(x: Tensor, /, *, axis: typing.SupportsIndex | None = None, descending: builtins.bool = False, stable: builtins.bool = True) -> Tensor:
    """Sorts along an axis. The order is always stable; NaN counts as the greatest.

    Parameters
    ----------
    x : Tensor
        Any shape of rank 1 or more.
    axis : int
        The axis; the result is the sorted tensor.
    descending : bool
        Whether the largest element comes first.
    stable : bool
        Taken for compatibility; the order of equal elements is always kept.
    dim : int, optional
        The axis, under PyTorch's name; the result is the pair ``(values, indices)``.

    Returns
    -------
    Tensor or ValuesIndices
        The sorted values, of the dtype of `x`; with `dim` also their int64 indices in `x`.
    """
@typing.overload
def sort(x: Tensor, /, *, dim: typing.SupportsIndex, descending: builtins.bool = False, stable: builtins.bool = True) -> ValuesIndices:
    """Sorts along an axis. The order is always stable; NaN counts as the greatest.

    Parameters
    ----------
    x : Tensor
        Any shape of rank 1 or more.
    axis : int
        The axis; the result is the sorted tensor.
    descending : bool
        Whether the largest element comes first.
    stable : bool
        Taken for compatibility; the order of equal elements is always kept.
    dim : int, optional
        The axis, under PyTorch's name; the result is the pair ``(values, indices)``.

    Returns
    -------
    Tensor or ValuesIndices
        The sorted values, of the dtype of `x`; with `dim` also their int64 indices in `x`.
    """

def split(x: Tensor, /, split_size_or_sections: builtins.int | collections.abc.Sequence[builtins.int], axis: typing.SupportsIndex = 0, *, dim: typing.SupportsIndex | None = None) -> builtins.tuple[Tensor, ...]:
    """Cut along an axis into pieces of a size (the last may be smaller), or of the given sizes."""

def sqrt(x: Tensor, /) -> Tensor:
    """Square root, correctly rounded; NaN below 0."""

def square(x: Tensor, /) -> Tensor:
    """x * x; integers wrap."""

def squeeze(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
    """Without dimensions of size 1."""

def stack(arrays: collections.abc.Sequence[Tensor], /, axis: typing.SupportsIndex = 0, *, dim: typing.SupportsIndex | None = None) -> Tensor:
    """Joined along a new axis."""

def std(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *position: builtins.int, keepdims: builtins.bool | None = None, correction: typing.SupportsFloat | typing.SupportsIndex = 0.0, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Standard deviation over axes (all by default), with n - correction."""

def subtract(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """x1 - x2; integers wrap."""

def sum(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dtype: DType | builtins.str | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Sum over axes (all by default); integers sum in 64 bits."""

def take(x: Tensor, indices: Tensor, /, axis: typing.SupportsIndex | None = None, *, dim: typing.SupportsIndex | None = None) -> Tensor:
    """Entries of an axis picked by indices (of any shape); negative ones count from the end."""

def take_along_axis(x: Tensor, indices: Tensor, /, axis: typing.SupportsIndex = ..., *, dim: typing.SupportsIndex | None = None) -> Tensor:
    """``out[i, j] = x[i, indices[i, j]]`` along an axis (here 1); the other axes are stretched to match."""

def tan(x: Tensor, /) -> Tensor:
    """Tangent of radians."""

def tanh(x: Tensor, /) -> Tensor:
    """Hyperbolic tangent."""

def tensor(data: typing.Any, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """A tensor of a number, nested lists, or an array; always a copy."""

def tril(x: Tensor, /, *, k: typing.SupportsIndex = 0) -> Tensor:
    """The lower triangle of the last two dimensions, zeros above diagonal k."""

def triu(x: Tensor, /, *, k: typing.SupportsIndex = 0) -> Tensor:
    """The upper triangle of the last two dimensions, zeros below diagonal k."""

def trunc(x: Tensor, /) -> Tensor:
    """Rounded towards 0. Its gradient is 0."""

def unstack(x: Tensor, /, *, axis: typing.SupportsIndex = 0, dim: typing.SupportsIndex | None = None) -> builtins.tuple[Tensor, ...]:
    """The entries of an axis, as a tuple."""

def upsample_bilinear2d(x: Tensor, size: builtins.int | collections.abc.Sequence[builtins.int] | None, scale: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex] | None, align_corners: builtins.bool, /) -> Tensor:
    """(n, c, h, w) to another height and width, by linear interpolation along both."""

def upsample_nearest1d(x: Tensor, size: builtins.int | collections.abc.Sequence[builtins.int] | None, scale: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex] | None, /) -> Tensor:
    """(n, c, l) to another length, by the nearest element."""

def upsample_nearest2d(x: Tensor, size: builtins.int | collections.abc.Sequence[builtins.int] | None, scale: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex] | None, /) -> Tensor:
    """(n, c, h, w) to another height and width, by the nearest element."""

def use_deterministic_algorithms(mode: builtins.bool, /) -> None:
    """Asks for the same bits in every run, on every device: rocBLAS and MIOpen are not used, and nothing is added by atomics
    in the order of arrival. `RUSHLIGHT_DETERMINISTIC=1` is the setting at the start; without it, it is off.
    """

def var(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *position: builtins.int, keepdims: builtins.bool | None = None, correction: typing.SupportsFloat | typing.SupportsIndex = 0.0, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Variance over axes (all by default), divided by n - correction."""

def where(condition: Tensor, x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Elements of ``x1`` where the condition holds, else of ``x2``."""

def zeros(shape: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Zeros."""

def zeros_like(x: Tensor, /, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Zeros of a tensor's shape, dtype and device."""
