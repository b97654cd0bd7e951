# Made from the module by crates/rushlight-py/stubs.py; not edited by hand.
import builtins
import collections.abc
import os
import pathlib
import typing

import typing_extensions

from ._tensor.size import Count, Size
from .return_types import QR, USV, Frexp, Histogram, MinMax, Slogdet, ValuesIndices
from .sparse import COOTensor, CSRTensor, SparseTensor

__commit__: builtins.str
__version__: builtins.str

class DeviceError(builtins.RuntimeError): ...

@typing.final
class DType:
    """Type of a tensor's elements, such as ``rushlight.float32``. There is one object for each dtype.

    Parameters
    ----------
    name : DType or str
        A dtype, or its name, such as ``"float32"``.

    Raises
    ------
    TypeError
        If there is no such dtype.

    Examples
    --------
    >>> rl.float32
    rushlight.float32
    >>> rl.ones(2).dtype is rl.float32
    True
    >>> rl.dtype('float32') is rl.float32
    True
    """
    def __copy__(self) -> DType: ...
    def __deepcopy__(self, memo: typing.Any, /) -> DType: ...
    def __eq__(self, other: typing.Any, /) -> builtins.bool:
        """Tells whether the other is the same dtype, or its name."""
    def __hash__(self) -> builtins.int:
        """Returns the hash of its name, which it is equal to."""
    def __new__(cls, name: DType | builtins.str, /) -> typing.Self:
        """Returns the one object of a dtype."""
    def __reduce__(self) -> builtins.tuple[typing.Any, ...]: ...
    def __repr__(self) -> builtins.str: ...
    def __str__(self) -> builtins.str: ...
    @builtins.property
    def is_complex(self) -> builtins.bool:
        """Whether the dtype is complex.

        Examples
        --------
        >>> rl.complex64.is_complex, rl.float32.is_complex
        (True, False)
        """
    @builtins.property
    def is_floating_point(self) -> builtins.bool:
        """Whether the dtype is a real floating-point one.

        Examples
        --------
        >>> rl.float32.is_floating_point, rl.int32.is_floating_point
        (True, False)
        """
    @builtins.property
    def itemsize(self) -> builtins.int:
        """Bytes of one element.

        Examples
        --------
        >>> rl.float32.itemsize
        4
        """
    @builtins.property
    def kind(self) -> builtins.str:
        """Kind of the dtype: ``"bool"``, ``"unsigned integer"``, ``"signed integer"``, ``"real floating"`` or ``"complex floating"``.

        Examples
        --------
        >>> rl.float32.kind
        'real floating'
        """
    @builtins.property
    def name(self) -> builtins.str:
        """Name of the dtype, such as ``"float32"``.

        Examples
        --------
        >>> rl.float32.name
        'float32'
        """

@typing.final
class Device:
    """Device that holds tensors and computes with them. It equals its name.

    In a ``with`` statement it is the device of new tensors for which none is named.

    Parameters
    ----------
    name : Device or str
        ``"cpu"``, ``"rocm:0"`` (also ``"hip:0"``) or ``"cuda:0"``.
    index : int, optional
        Number of the GPU, where the name is only its kind: ``("cuda", 0)``.

    Raises
    ------
    DeviceError
        If the device is missing or fails.

    Examples
    --------
    >>> rl.Device('cpu')
    Device('cpu')
    >>> rl.ones(2).device == 'cpu'
    True
    >>> with rl.Device('cpu'):
    ...     x = rl.zeros(2)
    """
    def __enter__(self) -> Device:
        """Makes this device the default for a `with` block."""
    def __eq__(self, other: typing.Any, /) -> builtins.bool: ...
    def __exit__(self, *_error: builtins.int) -> None: ...
    def __hash__(self) -> builtins.int:
        """Returns the hash of its name, which it is equal to."""
    def __new__(cls, name: typing.Any, index: typing.SupportsIndex | None = None, /) -> typing.Self: ...
    def __reduce__(self) -> builtins.tuple[typing.Any, ...]: ...
    def __repr__(self) -> builtins.str: ...
    def __str__(self) -> builtins.str: ...
    @builtins.property
    def index(self) -> builtins.int | None:
        """Number of the GPU; None for the CPU.

        Examples
        --------
        >>> rl.ones(1).device.index is None
        True
        """
    @builtins.property
    def type(self) -> builtins.str:
        """Kind of the device: ``"cpu"``, ``"rocm"`` or ``"cuda"``.

        Examples
        --------
        >>> rl.ones(1).device.type
        'cpu'
        """

@typing.final
class Generator:
    """Source of random numbers apart from those of the devices.

    Equal seeds give equal numbers on every device. Without ``manual_seed`` the seed comes from the operating system.

    Parameters
    ----------
    device : Device or str, optional
        Device that ``device`` gives; a generator serves tensors of all devices.

    Raises
    ------
    DeviceError
        If the device is missing or fails.

    Examples
    --------
    >>> g = rl.Generator().manual_seed(7)
    >>> a = rl.rand(3, generator=g)
    >>> (rl.rand(3, generator=g.manual_seed(7)) == a).tolist()
    [True, True, True]
    """
    def __new__(cls, device: Device | builtins.str | None = None) -> typing.Self: ...
    def __reduce__(self) -> builtins.tuple[typing.Any, ...]: ...
    def __repr__(self) -> builtins.str: ...
    @builtins.property
    def device(self) -> Device:
        """Device that was given.

        Examples
        --------
        >>> rl.Generator().device
        Device('cpu')
        """
    def get_state(self) -> Tensor:
        """Returns the state: all that the next numbers depend on.

        Returns
        -------
        Tensor
            Vector of 16 elements, of dtype uint8.

        Examples
        --------
        >>> g = rl.Generator()
        >>> state = g.get_state()
        >>> a = rl.randn(2, generator=g)
        >>> g.set_state(state)
        >>> (rl.randn(2, generator=g) == a).tolist()
        [True, True]
        """
    def initial_seed(self) -> builtins.int:
        """Returns the seed.

        Returns
        -------
        int
            The seed that the generator was given last.

        Examples
        --------
        >>> rl.Generator().manual_seed(3).initial_seed()
        3
        """
    def manual_seed(self, seed: builtins.int, /) -> Generator:
        """Seeds the generator.

        Parameters
        ----------
        seed : int
            Seed, from 0 to 2**64 - 1.

        Returns
        -------
        Generator
            The generator itself.

        Raises
        ------
        ValueError
            If the seed is negative or too large.

        Examples
        --------
        >>> rl.Generator().manual_seed(7).initial_seed()
        7
        """
    def seed(self) -> builtins.int:
        """Seeds the generator by a number from the operating system.

        Returns
        -------
        int
            The seed.

        Examples
        --------
        >>> g = rl.Generator()
        >>> g.seed() == g.initial_seed()
        True
        """
    def set_state(self, new_state: Tensor, /) -> None:
        """Goes on from a state.

        Parameters
        ----------
        new_state : Tensor
            Result of ``get_state`` or ``rl.get_rng_state``.

        Raises
        ------
        ValueError
            If it does not have 16 elements.
        TypeError
            If it is not a vector of dtype uint8.

        Examples
        --------
        >>> g = rl.Generator()
        >>> g.set_state(rl.get_rng_state())
        """

@typing_extensions.disjoint_base
class Tensor:
    """N-dimensional array on a device, for which gradients can be computed.

    ``Tensor(data)`` shares the memory of a tensor, and copies other data as ``rushlight.tensor`` does.

    Parameters
    ----------
    data : number, nested sequence, array or Tensor
        Elements.
    dtype : DType or str, optional
        Dtype of the elements; that of ``data`` by default.
    device : Device or str, optional
        Device of the elements; that of ``data``, or the CPU, by default.
    requires_grad : bool, default False
        Whether gradients are recorded for the result.

    Raises
    ------
    TypeError
        If an element is not a number.
    ValueError
        If the rows of nested sequences have different lengths.

    Examples
    --------
    >>> x = rl.Tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> x @ x
    tensor([[ 7., 10.],
            [15., 22.]], dtype=float32, device='cpu')
    """
    @property
    def H(self) -> Tensor:
        """Transposed and conjugated matrix: a view of a real one, a copy of a complex one.

        Raises AttributeError unless the tensor has rank 2.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.ones((2, 3)).H.shape
        (3, 2)
        """
    @builtins.property
    def T(self) -> Tensor:
        """Transposed matrix, a view.

        Raises ValueError unless the tensor has rank 2.

        Examples
        --------
        >>> rl.tensor([[1, 2], [3, 4]]).T
        tensor([[1, 3],
                [2, 4]], dtype=int64, device='cpu')
        """
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: object, /) -> Tensor: ...
    def __and__(self, other: object, /) -> Tensor: ...
    def __array__(self, dtype: typing.Any | None = None, copy: builtins.bool | None = None) -> typing.Any:
        """Converts to a NumPy array, for ``numpy.asarray``."""
    def __array_namespace__(self, *, api_version: builtins.str | None = None) -> typing.Any:
        """Returns the namespace of array functions: ``rushlight``."""
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
        """Returns a DLPack capsule that shares the memory."""
    def __dlpack_device__(self) -> builtins.tuple[builtins.int, builtins.int]:
        """Returns DLPack's device type and number."""
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
    def _complex(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Makes complex numbers of their real parts self and imaginary parts other.

        Parameters
        ----------
        other : Tensor or number
            Right operand of dtype float32 or float64. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1.0, 3.0])._complex(rl.tensor([2.0, -4.0]))
        tensor([1.+2.j, 3.-4.j], dtype=complex64, device='cpu')
        """
    def _imag(self) -> Tensor:
        """Returns the imaginary part.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([1.0 + 2.0j])._imag()
        tensor([2.], dtype=float32, device='cpu')
        """
    def _mul_sigmoid(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes self / (1 + e^-other), the gated linear unit (Dauphin et al. 2017).

        Parameters
        ----------
        other : Tensor or number
            Right operand of a floating-point dtype; integers and bools are computed in float32. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([3.0, 3.0])._mul_sigmoid(rl.tensor([0.0, 2.0]))
        tensor([1.5000, 2.6424], dtype=float32, device='cpu')
        """
    def _prelu(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Returns self where it is positive, else self * other (He et al. 2015).

        Parameters
        ----------
        other : Tensor or number
            Right operand of a floating-point dtype; integers and bools are computed in float32. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([-2.0, 2.0])._prelu(rl.tensor([0.25, 0.25]))
        tensor([-0.5000,  2.0000], dtype=float32, device='cpu')
        """
    def _real(self) -> Tensor:
        """Returns the real part.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([1.0 + 2.0j])._real()
        tensor([1.], dtype=float32, device='cpu')
        """
    def _sgn(self) -> Tensor:
        """Computes the complex number of absolute value 1 in the same direction, x / |x|; 0 for 0.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([3.0 + 4.0j])._sgn()
        tensor([0.6000+0.8000j], dtype=complex64, device='cpu')
        """
    def abs(self) -> Tensor:
        """Computes the absolute value, which is real for complex numbers; its gradient at 0 is 0.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([-3, 2]).abs()
        tensor([3, 2], dtype=int64, device='cpu')
        """
    def abs_(self) -> typing.Self:
        """Replaces the elements by those of ``abs``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.abs_() is x
        True
        """
    def absolute(self) -> Tensor:
        """Computes the absolute value, which is real for complex numbers; its gradient at 0 is 0.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([-3, 2]).abs()
        tensor([3, 2], dtype=int64, device='cpu')
        """
    def absolute_(self) -> typing.Self:
        """Replaces the elements by those of ``absolute``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.absolute_() is x
        True
        """
    def acos(self) -> Tensor:
        """Computes the arc cosine in radians; NaN for real numbers outside [-1, 1].

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).acos()
        tensor([1.5708, 0.0000], dtype=float32, device='cpu')
        """
    def acos_(self) -> typing.Self:
        """Replaces the elements by those of ``acos``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.acos_() is x
        True
        """
    def acosh(self) -> Tensor:
        """Computes the inverse hyperbolic cosine; NaN for real numbers below 1.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([1.0, 2.0]).acosh()
        tensor([0.0000, 1.3170], dtype=float32, device='cpu')
        """
    def acosh_(self) -> typing.Self:
        """Replaces the elements by those of ``acosh``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([1.5, 2.0])
        >>> x.acosh_() is x
        True
        """
    def add(self, other: Tensor | builtins.complex, *, alpha: builtins.complex = 1) -> Tensor:
        """Computes self + other; integers wrap.

        Parameters
        ----------
        other : Tensor or number
            Right operand of any dtype but bool. Both sides are promoted to one dtype and broadcast to one shape.
        alpha : number, default 1
            Factor of the second operand, by which it is multiplied first.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 2]).add(rl.tensor([10, 20]))
        tensor([11, 22], dtype=int64, device='cpu')
        """
    def add_(self, other: Tensor | builtins.complex, *, alpha: builtins.complex = 1) -> typing.Self:
        """Replaces the elements by those of ``add``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of any dtype but bool. Both sides are promoted to one dtype and broadcast to one shape.
        alpha : number, default 1
            Factor of the second operand, by which it is multiplied first.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.add_(1.0) is x
        True
        """
    def addbmm(input, batch1: Tensor, batch2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """Adds the sum of products of matrices: ``beta * input + alpha * sum(batch1 @ batch2)``.

        Parameters
        ----------
        input
            A tensor that broadcasts to a product.
        batch1, batch2
            Batches of shapes ``(b, n, k)`` and ``(b, k, m)``.
        beta, alpha
            Factors. With ``beta=0`` `input` is not read, so that its NaN do not count.

        Returns
        -------
        Tensor
            Shape ``(n, m)``.

        Raises
        ------
        ValueError
            If the shapes do not fit.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.addbmm(rl.ones(1), rl.ones((2, 1, 3)), rl.ones((2, 3, 1))).tolist()
        [[7.0]]
        """
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> typing.Self:
        """Replaces the elements by those of ``addbmm``.

        Parameters
        ----------
        batch1, batch2
            Batches of shapes ``(b, n, k)`` and ``(b, k, m)``.
        beta, alpha
            Factors. With ``beta=0`` `input` is not read, so that its NaN do not count.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> x.addbmm_(rl.ones((1, 2, 3)), rl.ones((1, 3, 2))) is x
        True
        """
    def addcdiv(self, a: Tensor | builtins.complex, b: Tensor | builtins.complex, /, value: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
        """Computes ``x + value * a / b`` in one pass; shapes are broadcast.

        Parameters
        ----------
        a : Tensor or number
            Input 2, of a floating-point dtype; integers and bools are computed in float32.
        b : Tensor or number
            Input 3, of a floating-point dtype; integers and bools are computed in float32.
        value : float, default 1.0
            Factor of the product or quotient.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If the dtype is not supported.
        ValueError
            If the shapes do not match.

        Examples
        --------
        >>> rl.tensor([1.0, 2.0]).addcdiv(rl.tensor([3.0, 4.0]), 2.0)
        tensor([2.5000, 4.0000], dtype=float32, device='cpu')
        """
    def addcdiv_(self, a: Tensor | builtins.complex, b: Tensor | builtins.complex, /, value: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> typing.Self:
        """Replaces the elements by those of ``addcdiv``.

        Parameters
        ----------
        a : Tensor or number
            Input 2, of a floating-point dtype; integers and bools are computed in float32.
        b : Tensor or number
            Input 3, of a floating-point dtype; integers and bools are computed in float32.
        value : float, default 1.0
            Factor of the product or quotient.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.addcdiv_(rl.ones(2), rl.ones(2), value=2.0) is x
        True
        """
    def addcmul(self, a: Tensor | builtins.complex, b: Tensor | builtins.complex, /, value: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
        """Computes ``x + value * a * b`` in one pass; shapes are broadcast.

        Parameters
        ----------
        a : Tensor or number
            Input 2, of an integer or floating-point dtype.
        b : Tensor or number
            Input 3, of an integer or floating-point dtype.
        value : float, default 1.0
            Factor of the product or quotient.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If the dtype is not supported.
        ValueError
            If the shapes do not match.

        Examples
        --------
        >>> rl.tensor([1, 2]).addcmul(rl.tensor([3, 4]), 10, value=2.0)
        tensor([61, 82], dtype=int64, device='cpu')
        """
    def addcmul_(self, a: Tensor | builtins.complex, b: Tensor | builtins.complex, /, value: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> typing.Self:
        """Replaces the elements by those of ``addcmul``.

        Parameters
        ----------
        a : Tensor or number
            Input 2, of an integer or floating-point dtype.
        b : Tensor or number
            Input 3, of an integer or floating-point dtype.
        value : float, default 1.0
            Factor of the product or quotient.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.addcmul_(rl.ones(2), rl.ones(2), value=2.0) is x
        True
        """
    def addmm(self, mat1: Tensor, mat2: Tensor, /, *, beta: typing.SupportsFloat | typing.SupportsIndex = 1.0, alpha: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
        """Computes ``beta * x + alpha * (mat1 @ mat2)`` in one pass; ``x`` is broadcast to the shape of the product.

        Parameters
        ----------
        mat1 : Tensor
            Left factor, of shape (n, k).
        mat2 : Tensor
            Right factor, of shape (k, m).
        beta : float, default 1.0
            Factor of the matrix that is added.
        alpha : float, default 1.0
            Factor of the product.

        Returns
        -------
        Tensor
            Result of shape (n, m).

        Raises
        ------
        TypeError
            If the dtype is not supported.
        ValueError
            If the shapes do not match.

        Examples
        --------
        >>> rl.tensor([1.0, 2.0]).addmm(rl.ones((1, 3)), rl.ones((3, 2)))
        tensor([[4., 5.]], dtype=float32, device='cpu')
        """
    def addmm_(self, mat1: Tensor, mat2: Tensor, /, *, beta: typing.SupportsFloat | typing.SupportsIndex = 1.0, alpha: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> typing.Self:
        """Replaces the elements by those of ``addmm``.

        Parameters
        ----------
        mat1 : Tensor
            Left factor, of shape (n, k).
        mat2 : Tensor
            Right factor, of shape (k, m).
        beta : float, default 1.0
            Factor of the matrix that is added.
        alpha : float, default 1.0
            Factor of the product.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> x.addmm_(rl.ones((2, 3)), rl.ones((3, 2))) is x
        True
        """
    def addmv(input, mat: Tensor, vec: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """Adds the product of a matrix and a vector: ``beta * input + alpha * (mat @ vec)``.

        Parameters
        ----------
        input
            A vector, or a number.
        mat, vec
            Shapes ``(n, k)`` and ``(k,)``.
        beta, alpha
            Factors. With ``beta=0`` `input` is not read, so that its NaN do not count.

        Returns
        -------
        Tensor
            Shape ``(n,)``.

        Raises
        ------
        ValueError
            If the shapes do not fit.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.addmv(rl.ones(1), rl.ones((1, 3)), rl.ones(3)).tolist()
        [4.0]
        """
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> typing.Self:
        """Replaces the elements by those of ``addmv``.

        Parameters
        ----------
        mat, vec
            Shapes ``(n, k)`` and ``(k,)``.
        beta, alpha
            Factors. With ``beta=0`` `input` is not read, so that its NaN do not count.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.addmv_(rl.ones((2, 3)), rl.ones(3)) is x
        True
        """
    def addr(input, vec1: Tensor, vec2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """Adds the outer product of two vectors: ``beta * input + alpha * outer(vec1, vec2)``.

        Parameters
        ----------
        input
            A tensor that broadcasts to the product.
        vec1, vec2
            Vectors of ``n`` and ``m`` elements.
        beta, alpha
            Factors. With ``beta=0`` `input` is not read, so that its NaN do not count.

        Returns
        -------
        Tensor
            Shape ``(n, m)``.

        Raises
        ------
        ValueError
            If one is not a vector, or the shapes do not broadcast.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.addr(rl.ones((1, 2)), rl.tensor([2.0]), rl.tensor([3.0, 4.0])).tolist()
        [[7.0, 9.0]]
        """
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> typing.Self:
        """Replaces the elements by those of ``addr``.

        Parameters
        ----------
        vec1, vec2
            Vectors of ``n`` and ``m`` elements.
        beta, alpha
            Factors. With ``beta=0`` `input` is not read, so that its NaN do not count.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> x.addr_(rl.ones(2), rl.ones(2)) is x
        True
        """
    def adjoint(input) -> Tensor:
        """Transposes and conjugates matrices.

        Parameters
        ----------
        input
            Rank 2 or more.

        Returns
        -------
        Tensor
            With the last two axes exchanged: a view of a real tensor, a copy of a complex one.

        Raises
        ------
        ValueError
            If the rank is less than 2.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.adjoint(rl.ones((2, 3, 4))).shape
        (2, 4, 3)
        """
    def all(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Tests whether all elements over axes are nonzero.

        Parameters
        ----------
        axis, dim : int or tuple of int, optional
            Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        out : None
            Only None; NumPy's functions pass it.

        Returns
        -------
        Tensor
            One value for each element of the axes that stay.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0, 2]).all()
        tensor(False, dtype=bool, device='cpu')
        """
    def allclose(input, other: Tensor | builtins.complex, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> builtins.bool:
        """Returns whether ``|input - other| <= atol + rtol * |other|`` everywhere.

        Parameters
        ----------
        input, other
            Tensors, or a tensor and a number; shapes broadcast.
        rtol, atol
            The relative and the absolute tolerance.
        equal_nan
            Whether two NaN are close.

        Returns
        -------
        bool
            Whether all elements are close.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.allclose(rl.tensor([1.0, 2.0]), rl.tensor([1.0, 2.0 + 1e-6]))
        True
        """
    def amax(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Finds the largest element over axes; NaN if there is one. PyTorch's name of ``max`` over axes.

        Parameters
        ----------
        axis, dim : int or tuple of int, optional
            Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        out : None
            Only None; NumPy's functions pass it.

        Returns
        -------
        Tensor
            One value for each element of the axes that stay.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        TypeError
            If the dtype is not supported.
        ValueError
            If there is no element to choose from.

        Examples
        --------
        >>> rl.tensor([3, 1, 2]).amax()
        tensor(3, dtype=int64, device='cpu')
        """
    def amin(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Finds the smallest element over axes; NaN if there is one. PyTorch's name of ``min`` over axes.

        Parameters
        ----------
        axis, dim : int or tuple of int, optional
            Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        out : None
            Only None; NumPy's functions pass it.

        Returns
        -------
        Tensor
            One value for each element of the axes that stay.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        TypeError
            If the dtype is not supported.
        ValueError
            If there is no element to choose from.

        Examples
        --------
        >>> rl.tensor([3, 1, 2]).amin()
        tensor(1, dtype=int64, device='cpu')
        """
    def aminmax(input, *, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> MinMax:
        """Returns the smallest and the largest elements.

        Parameters
        ----------
        input
            Any shape, with an element or more.
        dim
            The axis; None for all.
        keepdim
            Whether the axes stay with size 1.

        Returns
        -------
        MinMax
            `min` and `max`.

        Examples
        --------
        >>> import rushlight as rl
        >>> low, high = rl.aminmax(rl.tensor([2, 1, 3]))
        >>> low.item(), high.item()
        (1, 3)
        """
    def angle(input, *, deg: builtins.bool = False) -> Tensor:
        """Returns the angles of numbers in the complex plane in radians, in [-pi, pi].

        Parameters
        ----------
        input
            Any shape and dtype. The angle of a real number is pi if it is negative, otherwise 0.
        deg
            Whether the angles are in degrees.

        Returns
        -------
        Tensor
            Of the shape of `input` and the dtype of the parts; integers give the default dtype. NaN for NaN. The
            gradient at 0 is 0.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.angle(rl.tensor([2.0, -1.0])).tolist()
        [0.0, 3.1415927410125732]
        """
    def any(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Tests whether any element over axes is nonzero.

        Parameters
        ----------
        axis, dim : int or tuple of int, optional
            Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        out : None
            Only None; NumPy's functions pass it.

        Returns
        -------
        Tensor
            One value for each element of the axes that stay.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0, 2]).any()
        tensor(True, dtype=bool, device='cpu')
        """
    def arccos(self) -> Tensor:
        """Computes the arc cosine in radians; NaN for real numbers outside [-1, 1].

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).acos()
        tensor([1.5708, 0.0000], dtype=float32, device='cpu')
        """
    def arccos_(self) -> typing.Self:
        """Replaces the elements by those of ``arccos``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.arccos_() is x
        True
        """
    def arccosh(self) -> Tensor:
        """Computes the inverse hyperbolic cosine; NaN for real numbers below 1.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([1.0, 2.0]).acosh()
        tensor([0.0000, 1.3170], dtype=float32, device='cpu')
        """
    def arccosh_(self) -> typing.Self:
        """Replaces the elements by those of ``arccosh``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([1.5, 2.0])
        >>> x.arccosh_() is x
        True
        """
    def arcsin(self) -> Tensor:
        """Computes the arc sine in radians; NaN for real numbers outside [-1, 1].

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).asin()
        tensor([0.0000, 1.5708], dtype=float32, device='cpu')
        """
    def arcsin_(self) -> typing.Self:
        """Replaces the elements by those of ``arcsin``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.arcsin_() is x
        True
        """
    def arcsinh(self) -> Tensor:
        """Computes the inverse hyperbolic sine.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).asinh()
        tensor([0.0000, 0.8814], dtype=float32, device='cpu')
        """
    def arcsinh_(self) -> typing.Self:
        """Replaces the elements by those of ``arcsinh``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.arcsinh_() is x
        True
        """
    def arctan(self) -> Tensor:
        """Computes the arc tangent in radians.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).atan()
        tensor([0.0000, 0.7854], dtype=float32, device='cpu')
        """
    def arctan2(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes the angle of the point (other, self) in radians, in [-pi, pi].

        Parameters
        ----------
        other : Tensor or number
            Right operand of a floating-point dtype; integers and bools are computed in float32. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).atan2(rl.tensor([1.0, 1.0]))
        tensor([0.0000, 0.7854], dtype=float32, device='cpu')
        """
    def arctan2_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``arctan2``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of a floating-point dtype; integers and bools are computed in float32. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.arctan2_(rl.ones(2)) is x
        True
        """
    def arctan_(self) -> typing.Self:
        """Replaces the elements by those of ``arctan``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.arctan_() is x
        True
        """
    def arctanh(self) -> Tensor:
        """Computes the inverse hyperbolic tangent; NaN for real numbers outside [-1, 1].

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 0.5]).atanh()
        tensor([0.0000, 0.5493], dtype=float32, device='cpu')
        """
    def arctanh_(self) -> typing.Self:
        """Replaces the elements by those of ``arctanh``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.arctanh_() is x
        True
        """
    def argmax(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Finds the index of the first largest element along an axis, or in the flattened tensor.

        Parameters
        ----------
        axis : int, optional
            Axis to search; a negative one counts from the end. The flattened tensor by default. ``dim`` is PyTorch's name.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        out : None
            Only None; NumPy's functions pass it.

        Returns
        -------
        Tensor
            Indices, of dtype int64.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([3, 1, 2]).argmax()
        tensor(0, dtype=int64, device='cpu')
        """
    def argmin(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Finds the index of the first smallest element along an axis, or in the flattened tensor.

        Parameters
        ----------
        axis : int, optional
            Axis to search; a negative one counts from the end. The flattened tensor by default. ``dim`` is PyTorch's name.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        out : None
            Only None; NumPy's functions pass it.

        Returns
        -------
        Tensor
            Indices, of dtype int64.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([3, 1, 2]).argmin()
        tensor(1, dtype=int64, device='cpu')
        """
    def argsort(self, axis: typing.SupportsIndex | None = -1, descending: builtins.bool = False, *, stable: builtins.bool = True, dim: typing.SupportsIndex | None = None) -> Tensor:
        """Returns the indices that sort a tensor along an axis; NaN counts as the largest.

        Parameters
        ----------
        axis, dim : int or None, default -1
            Axis to work along; a negative one counts from the end. ``axis=None`` takes all elements as a vector. ``dim`` is PyTorch's name of the parameter.
        descending : bool, default False
            Whether to sort from the largest element to the smallest.
        stable : bool, default True
            Accepted for compatibility; sorting is always stable.

        Returns
        -------
        Tensor
            Indices, of dtype int64.

        Raises
        ------
        IndexError
            If an axis is out of range.

        Examples
        --------
        >>> rl.tensor([3, 1, 2]).argsort()
        tensor([1, 2, 0], dtype=int64, device='cpu')
        >>> rl.tensor([[3, 1], [2, 5]]).argsort(axis=None).tolist()
        [1, 2, 0, 3]
        """
    def argwhere(input) -> Tensor:
        """Returns the indices of the elements that are not zero, one row for each.

        Parameters
        ----------
        input
            Rank 1 or more.

        Returns
        -------
        Tensor
            int64, shape ``(count, rank)``, in row-major order.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.argwhere(rl.tensor([0, 3, 4])).tolist()
        [[1], [2]]
        """
    def asin(self) -> Tensor:
        """Computes the arc sine in radians; NaN for real numbers outside [-1, 1].

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).asin()
        tensor([0.0000, 1.5708], dtype=float32, device='cpu')
        """
    def asin_(self) -> typing.Self:
        """Replaces the elements by those of ``asin``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.asin_() is x
        True
        """
    def asinh(self) -> Tensor:
        """Computes the inverse hyperbolic sine.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).asinh()
        tensor([0.0000, 0.8814], dtype=float32, device='cpu')
        """
    def asinh_(self) -> typing.Self:
        """Replaces the elements by those of ``asinh``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.asinh_() is x
        True
        """
    def astype(self, dtype: DType | builtins.str, /, *, copy: builtins.bool = True, device: Device | builtins.str | None = None) -> Tensor:
        """Converts the tensor to another dtype.

        Parameters
        ----------
        dtype : DType or str
            Dtype of the result.
        copy : bool, default True
            Whether to copy even if nothing changes.
        device : Device or str, optional
            Device of the result; the tensor's own by default.

        Returns
        -------
        Tensor
            Converted tensor.

        Raises
        ------
        TypeError
            If the argument is not a dtype.

        Examples
        --------
        >>> rl.tensor([1.7, -1.7]).astype(rl.int32)
        tensor([ 1, -1], dtype=int32, device='cpu')
        """
    def atan(self) -> Tensor:
        """Computes the arc tangent in radians.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).atan()
        tensor([0.0000, 0.7854], dtype=float32, device='cpu')
        """
    def atan2(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes the angle of the point (other, self) in radians, in [-pi, pi].

        Parameters
        ----------
        other : Tensor or number
            Right operand of a floating-point dtype; integers and bools are computed in float32. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).atan2(rl.tensor([1.0, 1.0]))
        tensor([0.0000, 0.7854], dtype=float32, device='cpu')
        """
    def atan2_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``atan2``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of a floating-point dtype; integers and bools are computed in float32. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.atan2_(rl.ones(2)) is x
        True
        """
    def atan_(self) -> typing.Self:
        """Replaces the elements by those of ``atan``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.atan_() is x
        True
        """
    def atanh(self) -> Tensor:
        """Computes the inverse hyperbolic tangent; NaN for real numbers outside [-1, 1].

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 0.5]).atanh()
        tensor([0.0000, 0.5493], dtype=float32, device='cpu')
        """
    def atanh_(self) -> typing.Self:
        """Replaces the elements by those of ``atanh``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.atanh_() is x
        True
        """
    def backward(self, gradient: Tensor | None = None, retain_graph: builtins.bool | None = None, create_graph: builtins.bool = False, inputs: Tensor | collections.abc.Sequence[Tensor] | None = None) -> None:
        """Computes gradients and adds them to ``.grad`` of every leaf that the tensor was computed from.

        Then the tensor forgets the graph that computed it, unless it is retained. The memory of the graph is freed when no other tensor needs it.

        Parameters
        ----------
        gradient : Tensor, optional
            Gradient of the result with respect to this tensor, in its shape. Needed unless the tensor has one element.
        retain_graph : bool, optional
            Whether ``backward`` can be called again; by default the value of ``create_graph``.
        create_graph : bool, default False
            Whether the gradients are parts of a graph, so that they have gradients. Set ``.grad`` to None when you are done: gradient and leaf then keep each other alive.
        inputs : Tensor or sequence of Tensor, optional
            Leaves that get a gradient; all by default.

        Raises
        ------
        RuntimeError
            If the tensor does not require a gradient, its graph was freed, ``gradient`` is missing, or an input is not a leaf.
        NotImplementedError
            If an op has no second derivative, and ``create_graph`` was asked for.

        Examples
        --------
        >>> x = rl.tensor([1.0, 2.0], requires_grad=True)
        >>> (x ** 2).sum().backward()
        >>> x.grad
        tensor([2., 4.], dtype=float32, device='cpu')
        """
    def baddbmm(input, batch1: Tensor, batch2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """Adds the products of two batches of matrices: ``beta * input + alpha * (batch1 @ batch2)``.

        Parameters
        ----------
        input
            A tensor that broadcasts to the products.
        batch1, batch2
            Batches of shapes ``(b, n, k)`` and ``(b, k, m)``.
        beta, alpha
            Factors. With ``beta=0`` `input` is not read, so that its NaN do not count.

        Returns
        -------
        Tensor
            Shape ``(b, n, m)``.

        Raises
        ------
        ValueError
            If the shapes do not fit.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.baddbmm(rl.ones(1), rl.ones((2, 1, 3)), rl.ones((2, 3, 1)), alpha=2).flatten().tolist()
        [7.0, 7.0]
        """
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> typing.Self:
        """Replaces the elements by those of ``baddbmm``.

        Parameters
        ----------
        batch1, batch2
            Batches of shapes ``(b, n, k)`` and ``(b, k, m)``.
        beta, alpha
            Factors. With ``beta=0`` `input` is not read, so that its NaN do not count.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([[[1.0, 2.0], [3.0, 4.0]]])
        >>> x.baddbmm_(rl.ones((1, 2, 3)), rl.ones((1, 3, 2))) is x
        True
        """
    def bernoulli(self, p: builtins.float | None = None, *, generator: Generator | None = None) -> Tensor:
        """Draws ones with a probability, and zeros otherwise, into a new tensor.

        Parameters
        ----------
        p
            The probability; if None, the elements of the tensor are the probabilities.
        generator
            Source of the random numbers; that of the device by default.

        Returns
        -------
        Tensor
            Of the shape and dtype of the tensor.

        Raises
        ------
        ValueError
            If a probability is not between 0 and 1.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([0.0, 1.0]).bernoulli().tolist()
        [0.0, 1.0]
        """
    def bernoulli_(self, p: Tensor | builtins.float = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Replaces the elements by ones with a probability, and zeros otherwise.

        Parameters
        ----------
        p
            The probability: a number, or a tensor that broadcasts.
        generator
            Source of the random numbers; that of the device by default.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        ValueError
            If a probability is not between 0 and 1.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.empty(3).bernoulli_(1.0).tolist()
        [1.0, 1.0, 1.0]
        """
    def bfloat16(self) -> Tensor:
        """Converts the tensor to bfloat16.

        Returns
        -------
        Tensor
            Converted tensor; the tensor itself if nothing changes.

        Examples
        --------
        >>> rl.tensor([1, 2]).bfloat16()
        tensor([1., 2.], dtype=bfloat16, device='cpu')
        """
    def bincount(input, weights: Tensor | None = None, minlength: builtins.int = 0) -> Tensor:
        """Counts how often each integer occurs.

        Parameters
        ----------
        input
            A vector of integers, none negative.
        weights
            The weight of each element; 1 by default.
        minlength
            The least length of the result.

        Returns
        -------
        Tensor
            Element i is the count of i: int64, or the weights' sum in their dtype (float64 for integers).

        Raises
        ------
        TypeError
            If `input` does not hold integers.
        ValueError
            If `input` is not a vector, holds a negative number, or the weights have another shape.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.bincount(rl.tensor([0, 2, 2])).tolist()
        [1, 0, 2]
        """
    def bitwise_and(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes the bits set in both elements; `and` for bools.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer dtype or bool. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([6, 12]).bitwise_and(rl.tensor([3, 10]))
        tensor([2, 8], dtype=int64, device='cpu')
        """
    def bitwise_and_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``bitwise_and``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer dtype or bool. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([1, 2])
        >>> x.bitwise_and_(3) is x
        True
        """
    def bitwise_invert(self) -> Tensor:
        """Inverts every bit; a bool is negated.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0, 5]).bitwise_invert()
        tensor([-1, -6], dtype=int64, device='cpu')
        """
    def bitwise_left_shift(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Shifts the bits of self up by other; 0 once all are shifted out, and for a negative count.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer dtype. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 3]).bitwise_left_shift(rl.tensor([4, 1]))
        tensor([16,  6], dtype=int64, device='cpu')
        """
    def bitwise_left_shift_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``bitwise_left_shift``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer dtype. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([1, 2])
        >>> x.bitwise_left_shift_(3) is x
        True
        """
    def bitwise_not(self) -> Tensor:
        """Inverts every bit; a bool is negated.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0, 5]).bitwise_invert()
        tensor([-1, -6], dtype=int64, device='cpu')
        """
    def bitwise_not_(self) -> typing.Self:
        """Replaces the elements by those of ``bitwise_not``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([1, 2])
        >>> x.bitwise_not_() is x
        True
        """
    def bitwise_or(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes the bits set in either element; `or` for bools.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer dtype or bool. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([6, 12]).bitwise_or(rl.tensor([3, 10]))
        tensor([ 7, 14], dtype=int64, device='cpu')
        """
    def bitwise_or_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``bitwise_or``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer dtype or bool. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([1, 2])
        >>> x.bitwise_or_(3) is x
        True
        """
    def bitwise_right_shift(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Shifts the bits of self down by other and keeps the sign; 0 or -1 once all are shifted out, and for a negative count.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer dtype. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([16, -8]).bitwise_right_shift(rl.tensor([2, 1]))
        tensor([ 4, -4], dtype=int64, device='cpu')
        """
    def bitwise_right_shift_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``bitwise_right_shift``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer dtype. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([1, 2])
        >>> x.bitwise_right_shift_(1) is x
        True
        """
    def bitwise_xor(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes the bits set in exactly one of two elements; `!=` for bools.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer dtype or bool. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([6, 12]).bitwise_xor(rl.tensor([3, 10]))
        tensor([5, 6], dtype=int64, device='cpu')
        """
    def bitwise_xor_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``bitwise_xor``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer dtype or bool. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([1, 2])
        >>> x.bitwise_xor_(3) is x
        True
        """
    def bmm(input, mat2: Tensor) -> Tensor:
        """Multiplies two batches of matrices.

        Parameters
        ----------
        input, mat2
            Batches of shapes ``(b, n, k)`` and ``(b, k, m)``.

        Returns
        -------
        Tensor
            Shape ``(b, n, m)``.

        Raises
        ------
        ValueError
            If one does not have rank 3, or the sizes do not match.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.bmm(rl.ones((2, 1, 3)), rl.ones((2, 3, 4))).shape
        (2, 1, 4)
        """
    def bool(self) -> Tensor:
        """Converts the tensor to bool: True where an element is nonzero.

        Returns
        -------
        Tensor
            Converted tensor; the tensor itself if nothing changes.

        Examples
        --------
        >>> rl.tensor([0.0, 2.0]).bool()
        tensor([False,  True], dtype=bool, device='cpu')
        """
    def broadcast_to(self, *size: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
        """Repeats axes of size 1 without a copy.

        Parameters
        ----------
        *size
            The new shape, as one sequence or as separate integers.

        Returns
        -------
        Tensor
            A view.

        Raises
        ------
        ValueError
            If the shapes do not broadcast.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.ones((2, 1)).broadcast_to((2, 3)).shape
        (2, 3)
        """
    def byte(self) -> Tensor:
        """Converts to uint8.

        Returns
        -------
        Tensor
            The converted tensor; the tensor itself if nothing changes.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([1.5]).byte().dtype
        rushlight.uint8
        """
    def cauchy_(self, median: builtins.float = 0.0, sigma: builtins.float = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Replaces the elements by draws from a Cauchy distribution.

        Parameters
        ----------
        median, sigma
            Its median, and half the distance between its quartiles.
        generator
            Source of the random numbers; that of the device by default.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        ValueError
            If `sigma` is not positive.
        TypeError
            If the dtype is not floating point.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.empty(3).cauchy_(5.0).shape
        (3,)
        """
    def cdouble(self) -> Tensor:
        """Converts the tensor to complex128.

        Returns
        -------
        Tensor
            Converted tensor; the tensor itself if nothing changes.

        Examples
        --------
        >>> rl.tensor([1.5, -2.0]).cdouble().dtype
        rushlight.complex128
        """
    def ceil(self) -> Tensor:
        """Rounds up to an integer. The gradient is 0.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([-1.5, 1.5]).ceil()
        tensor([-1.,  2.], dtype=float32, device='cpu')
        """
    def ceil_(self) -> typing.Self:
        """Replaces the elements by those of ``ceil``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.ceil_() is x
        True
        """
    def cfloat(self) -> Tensor:
        """Converts the tensor to complex64.

        Returns
        -------
        Tensor
            Converted tensor; the tensor itself if nothing changes.

        Examples
        --------
        >>> rl.tensor([1.5, -2.0]).cfloat().dtype
        rushlight.complex64
        """
    def char(self) -> Tensor:
        """Converts to int8.

        Returns
        -------
        Tensor
            The converted tensor; the tensor itself if nothing changes.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([1.5]).char().dtype
        rushlight.int8
        """
    def cholesky(input, upper: builtins.bool = False) -> Tensor:
        """Returns Cholesky's factor of positive definite matrices: `rushlight.linalg.cholesky`.

        Parameters
        ----------
        input
            Symmetric positive definite matrices.
        upper
            Whether to read the upper triangle, and to return the upper factor.

        Returns
        -------
        Tensor
            Triangular matrices with a positive diagonal.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.cholesky(rl.tensor([[4.0]])).tolist()
        [[2.0]]
        """
    def cholesky_inverse(L, upper: builtins.bool = False) -> Tensor:
        """Returns inverses of matrices from their Cholesky factors.

        Parameters
        ----------
        L
            Factors, as `rushlight.linalg.cholesky` returns them.
        upper
            Whether they are upper ones.

        Returns
        -------
        Tensor
            The inverses of ``L @ L.mH``, or of ``L.mH @ L``.

        Raises
        ------
        ValueError
            If the matrices are not square.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.cholesky_inverse(rl.tensor([[2.0]])).tolist()
        [[0.25]]
        """
    def cholesky_solve(B, L: Tensor, upper: builtins.bool = False) -> Tensor:
        """Solves systems by Cholesky's factors of their matrices.

        Parameters
        ----------
        B
            Right sides: matrices.
        L
            Factors, as `rushlight.linalg.cholesky` returns them.
        upper
            Whether they are upper ones.

        Returns
        -------
        Tensor
            X with ``L @ L.mT @ X = B``, or with ``L.mT @ L @ X = B``.

        Raises
        ------
        ValueError
            If the shapes do not fit.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.cholesky_solve(rl.tensor([[8.0]]), rl.tensor([[2.0]])).tolist()
        [[2.0]]
        """
    def chunk(self, chunks: builtins.int, dim: typing.SupportsIndex = 0, *, axis: typing.SupportsIndex | None = None) -> builtins.tuple[Tensor, ...]:
        """Splits the tensor along a dimension into at most ``chunks`` pieces of one size.

        Parameters
        ----------
        chunks : int
            Number of pieces; the last may be smaller, and there may be fewer.
        axis, dim : int, default 0
            Axis to work along; a negative one counts from the end. ``dim`` is PyTorch's name of the parameter.

        Returns
        -------
        tuple[Tensor, ...]
            Views, in order.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If ``chunks`` is not positive.

        Examples
        --------
        >>> [p.tolist() for p in rl.arange(5).chunk(2)]
        [[0, 1, 2], [3, 4]]
        """
    def clamp(self, min: Tensor | builtins.complex | None = None, max: Tensor | builtins.complex | None = None) -> Tensor:
        """Limits elements to an interval; a missing bound does not limit. PyTorch's name of ``clip``.

        Parameters
        ----------
        min : Tensor or number, optional
            Lower bound.
        max : Tensor or number, optional
            Upper bound.

        Returns
        -------
        Tensor
            Result in the dtype of the tensor; NaN stays.

        Raises
        ------
        TypeError
            If the dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([-2, 1, 5]).clamp(0, 3)
        tensor([0, 1, 3], dtype=int64, device='cpu')
        """
    def clamp_(self, min: Tensor | builtins.complex | None = None, max: Tensor | builtins.complex | None = None) -> typing.Self:
        """Replaces the elements by those of ``clamp``.

        Parameters
        ----------
        min : Tensor or number, optional
            Lower bound.
        max : Tensor or number, optional
            Upper bound.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.clamp_(0.0, 0.3) is x
        True
        """
    def clamp_max(input, max: Tensor | builtins.float) -> Tensor:
        """Limits elements from above.

        Parameters
        ----------
        input
            Any shape; integer or floating point.
        max
            The largest value: a number, or a tensor that broadcasts.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.clamp_max(rl.tensor([-1.0, 2.0]), 0.0).tolist()
        [-1.0, 0.0]
        """
    def clamp_max_(self, max: Tensor | builtins.float) -> typing.Self:
        """Replaces the elements by those of ``clamp_max``.

        Parameters
        ----------
        max
            The largest value: a number, or a tensor that broadcasts.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.clamp_max_(0.3) is x
        True
        """
    def clamp_min(input, min: Tensor | builtins.float) -> Tensor:
        """Limits elements from below.

        Parameters
        ----------
        input
            Any shape; integer or floating point.
        min
            The least value: a number, or a tensor that broadcasts.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.clamp_min(rl.tensor([-1.0, 2.0]), 0.0).tolist()
        [0.0, 2.0]
        """
    def clamp_min_(self, min: Tensor | builtins.float) -> typing.Self:
        """Replaces the elements by those of ``clamp_min``.

        Parameters
        ----------
        min
            The least value: a number, or a tensor that broadcasts.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.clamp_min_(0.3) is x
        True
        """
    def clip(self, min: Tensor | builtins.complex | None = None, max: Tensor | builtins.complex | None = None) -> Tensor:
        """Limits elements to an interval; a missing bound does not limit.

        Parameters
        ----------
        min : Tensor or number, optional
            Lower bound.
        max : Tensor or number, optional
            Upper bound.

        Returns
        -------
        Tensor
            Result in the dtype of the tensor; NaN stays.

        Raises
        ------
        TypeError
            If the dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([-2, 1, 5]).clip(0, 3)
        tensor([0, 1, 3], dtype=int64, device='cpu')
        """
    def clip_(self, min: Tensor | builtins.complex | None = None, max: Tensor | builtins.complex | None = None) -> typing.Self:
        """Replaces the elements by those of ``clip``.

        Parameters
        ----------
        min : Tensor or number, optional
            Lower bound.
        max : Tensor or number, optional
            Upper bound.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.clip_(0.0, 0.3) is x
        True
        """
    def clone(self) -> Tensor:
        """Copies the tensor; gradients flow through the copy.

        Returns
        -------
        Tensor
            Tensor that shares no memory with this one.

        Examples
        --------
        >>> x = rl.ones(2)
        >>> y = x.clone()
        >>> y[0] = 5
        >>> x
        tensor([1., 1.], dtype=float32, device='cpu')
        """
    def conj(x, /) -> Tensor:
        """Returns the complex conjugate, which is `x` itself for a real tensor.

        Parameters
        ----------
        x
            Any shape and dtype.

        Returns
        -------
        Tensor
            A copy for a complex tensor, else `x` itself.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.conj(rl.tensor([1 + 2j])).tolist()
        [(1-2j)]
        """
    def conj_physical(self) -> Tensor:
        """Computes the complex conjugate.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([1.0 + 2.0j]).conj_physical()
        tensor([1.-2.j], dtype=complex64, device='cpu')
        """
    def conj_physical_(self) -> typing.Self:
        """Replaces the elements by those of ``conj_physical``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([1 + 2j])
        >>> x.conj_physical_() is x
        True
        """
    def contiguous(self) -> Tensor:
        """Returns the elements in row-major order in memory.

        Returns
        -------
        Tensor
            Row-major tensor; the tensor itself if it is row-major already.

        Examples
        --------
        >>> rl.ones((2, 3)).mT.contiguous().is_contiguous()
        True
        """
    def copy_(self, src: Tensor, /) -> Tensor:
        """Copies the elements of another tensor into this one; they are broadcast and converted.

        Parameters
        ----------
        src : Tensor
            Tensor to copy from, on any device.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        ValueError
            If the shape of ``src`` cannot be broadcast to that of the tensor.
        RuntimeError
            If the tensor is a leaf that requires a gradient.

        Examples
        --------
        >>> x = rl.zeros(2)
        >>> x.copy_(rl.tensor([1, 2]))
        tensor([1., 2.], dtype=float32, device='cpu')
        """
    def copysign(x1, x2: Tensor | builtins.complex, /) -> Tensor:
        """Returns the magnitude of ``x1`` with the sign of ``x2``.

        Parameters
        ----------
        x1, x2
            Tensors, or one tensor and a number; shapes broadcast.

        Returns
        -------
        Tensor
            Of the broadcast shape; the promoted dtype, or float32 for integers.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.copysign(rl.tensor([1.0, -2.0]), -0.0).tolist()
        [-1.0, -2.0]
        """
    def copysign_(self, x2: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``copysign``.

        Parameters
        ----------
        x1, x2
            Tensors, or one tensor and a number; shapes broadcast.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.copysign_(-1.0) is x
        True
        """
    def corrcoef(input) -> Tensor:
        """Returns the correlations of variables.

        Parameters
        ----------
        input
            One row for each variable, or a vector of one variable; floating point.

        Returns
        -------
        Tensor
            A square matrix, or a scalar, from -1 to 1.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.corrcoef(rl.tensor([[0.0, 1.0, 3.0], [0.0, 2.0, 6.0]])).round().tolist()
        [[1.0, 1.0], [1.0, 1.0]]
        """
    def cos(self) -> Tensor:
        """Computes the cosine of an angle in radians.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).cos()
        tensor([1.0000, 0.5403], dtype=float32, device='cpu')
        """
    def cos_(self) -> typing.Self:
        """Replaces the elements by those of ``cos``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.cos_() is x
        True
        """
    def cosh(self) -> Tensor:
        """Computes the hyperbolic cosine.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).cosh()
        tensor([1.0000, 1.5431], dtype=float32, device='cpu')
        """
    def cosh_(self) -> typing.Self:
        """Replaces the elements by those of ``cosh``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.cosh_() is x
        True
        """
    def count_nonzero(x, /, axis: builtins.int | builtins.tuple[builtins.int, ...] | None = None, *, keepdims: builtins.bool = False, dim: builtins.int | builtins.tuple[builtins.int, ...] | None = None) -> Tensor:
        """Counts the elements that are not zero.

        Parameters
        ----------
        x
            Any shape and dtype.
        axis, dim
            The axis, by either name; several as a tuple, None for all.
        keepdims
            Whether the axes stay with size 1.

        Returns
        -------
        Tensor
            int64.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.count_nonzero(rl.tensor([0, 1, 2])).item()
        2
        """
    def cov(input, *, correction: builtins.int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
        """Returns the covariances of variables.

        Parameters
        ----------
        input
            One row for each variable, or a vector of one variable; floating point.
        correction
            The number that is subtracted from the number of observations to give the divisor.
        fweights
            How often each observation was made: integers, 0 or more.
        aweights
            The weight of each observation: 0 or more.

        Returns
        -------
        Tensor
            A square matrix, or a scalar for one variable.

        Raises
        ------
        TypeError
            If `fweights` are not integers.
        ValueError
            If the rank is above 2, or weights are negative or not one for each observation.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.cov(rl.tensor([[0.0, 2.0], [2.0, 0.0]])).tolist()
        [[2.0, -2.0], [-2.0, 2.0]]
        """
    def cpu(self) -> Tensor:
        """Copies the tensor to the CPU.

        Returns
        -------
        Tensor
            Tensor on the CPU; the tensor itself if it is on the CPU already.

        Examples
        --------
        >>> rl.ones(2).cpu().device
        Device('cpu')
        """
    def cross(input, other: Tensor, dim: builtins.int = -1, *, axis: builtins.int | None = None) -> Tensor:
        """Returns the cross products of vectors of three elements.

        Parameters
        ----------
        input, other
            Tensors that broadcast, with 3 elements along the axis.
        dim
            The axis.
        axis
            The array API's name of `dim`.

        Returns
        -------
        Tensor
            Of the broadcast shape.

        Raises
        ------
        ValueError
            If an axis does not have 3 elements.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.cross(rl.tensor([1.0, 0.0, 0.0]), rl.tensor([0.0, 1.0, 0.0])).tolist()
        [0.0, 0.0, 1.0]
        """
    def cuda(self, device: Device | builtins.str | builtins.int | None = None, non_blocking: builtins.bool = False) -> Tensor:
        """Copies the tensor to an NVIDIA GPU.

        Parameters
        ----------
        device
            The device or its number; the first one by default.
        non_blocking
            Accepted for compatibility, without effect.

        Returns
        -------
        Tensor
            The tensor on the GPU.

        Raises
        ------
        DeviceError
            If there is no such GPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> try:
        ...     kind = rl.ones(2).cuda().device.type
        ... except rl.DeviceError:
        ...     kind = "cuda"
        >>> kind
        'cuda'
        """
    def cummax(input, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> ValuesIndices:
        """Returns running maxima along an axis, and their indices.

        Parameters
        ----------
        input
            Rank 1 or more.
        dim, axis
            The axis, by either name.

        Returns
        -------
        ValuesIndices
            `values` and int64 `indices`; of equal elements the index of the last. After a NaN the maximum is NaN.

        Examples
        --------
        >>> import rushlight as rl
        >>> values, indices = rl.cummax(rl.tensor([1, 3, 2, 3]), 0)
        >>> values.tolist(), indices.tolist()
        ([1, 3, 3, 3], [0, 1, 1, 3])
        """
    def cummin(input, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> ValuesIndices:
        """Returns running minima along an axis, and their indices.

        Parameters
        ----------
        input
            Rank 1 or more.
        dim, axis
            The axis, by either name.

        Returns
        -------
        ValuesIndices
            `values` and int64 `indices`; of equal elements the index of the last. After a NaN the minimum is NaN.

        Examples
        --------
        >>> import rushlight as rl
        >>> values, indices = rl.cummin(rl.tensor([3, 1, 2, 1]), 0)
        >>> values.tolist(), indices.tolist()
        ([3, 1, 1, 1], [0, 1, 1, 3])
        """
    def cumprod(x, /, dim: builtins.int | None = None, *, dtype: DType | builtins.str | None = None, axis: builtins.int | None = None) -> Tensor:
        """Returns running products along an axis: PyTorch's name for `cumulative_prod`.

        Parameters
        ----------
        x
            Rank 1 or more; numeric.
        dim, axis
            The axis, by either name; a vector needs none.
        dtype
            Converts the input first. By default integers multiply in 64 bits.

        Returns
        -------
        Tensor
            Of the shape of `x`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.cumprod(rl.tensor([1, 2, 3]), 0).tolist()
        [1, 2, 6]
        """
    def cumprod_(self, dim: builtins.int | None = None, *, dtype: DType | builtins.str | None = None, axis: builtins.int | None = None) -> typing.Self:
        """Replaces the elements by those of ``cumprod``.

        Parameters
        ----------
        dim, axis
            The axis, by either name; a vector needs none.
        dtype
            Converts the input first. By default integers multiply in 64 bits.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.cumprod_(0) is x
        True
        """
    def cumsum(self, dim: typing.SupportsIndex | None = None, *, axis: typing.SupportsIndex | None = None, dtype: DType | builtins.str | None = None) -> Tensor:
        """Computes running sums along a dimension.

        Parameters
        ----------
        axis, dim : int, optional
            Axis to work along; a negative one counts from the end. It may be left out for a tensor of rank 1.
        dtype : DType or str, optional
            Dtype to sum in, and of the result; 64-bit for integers by default.

        Returns
        -------
        Tensor
            Running sums.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If ``dim`` is missing and the tensor is not a vector.

        Examples
        --------
        >>> rl.tensor([1, 2, 3]).cumsum(0)
        tensor([1, 3, 6], dtype=int64, device='cpu')
        """
    def cumsum_(self, dim: typing.SupportsIndex | None = None, *, axis: typing.SupportsIndex | None = None, dtype: DType | builtins.str | None = None) -> typing.Self:
        """Replaces the elements by those of ``cumsum``.

        Parameters
        ----------
        axis, dim : int, optional
            Axis to work along; a negative one counts from the end. It may be left out for a tensor of rank 1.
        dtype : DType or str, optional
            Dtype to sum in, and of the result; 64-bit for integers by default.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.cumsum_(0) is x
        True
        """
    @builtins.property
    def data(self) -> Tensor:
        """Elements without gradient history, over the same memory.

        Assigning replaces the elements. A leaf stays a leaf, and keeps its gradient if shape and dtype still match. A change in place, as in ``x.data += y``, changes the elements of ``x`` and is not part of its gradient history.

        Examples
        --------
        >>> x = rl.tensor([1.0], requires_grad=True)
        >>> x.data = rl.tensor([5.0])
        >>> x.item()
        5.0
        """
    @data.setter
    def data(self, value: Tensor) -> None:
        """Replaces the elements; a leaf stays a leaf, and keeps its gradient where that still fits."""
    def data_ptr(self) -> builtins.int:
        """Returns the address of the first element, after the work on the tensor's device has ended.

        Returns
        -------
        int
            Address in the memory of the device.

        Examples
        --------
        >>> rl.ones(2).data_ptr() > 0
        True
        """
    def deg2rad(input) -> Tensor:
        """Converts degrees to radians.

        Parameters
        ----------
        input
            Any shape.

        Returns
        -------
        Tensor
            Of the shape of `input`.

        Examples
        --------
        >>> import rushlight as rl
        >>> round(rl.deg2rad(rl.tensor([180.0])).item(), 4)
        3.1416
        """
    def deg2rad_(self) -> typing.Self:
        """Replaces the elements by those of ``deg2rad``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.deg2rad_() is x
        True
        """
    def det(A) -> Tensor:
        """Returns the determinants of matrices.

        Parameters
        ----------
        A
            Square matrices.

        Returns
        -------
        Tensor
            One number for each matrix. The gradient is NaN for a singular matrix.

        Raises
        ------
        ValueError
            If the matrices are not square.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.linalg.det(rl.tensor([[1.0, 2.0], [2.0, 8.0]])).item()
        4.0
        """
    def detach(self) -> Tensor:
        """Returns the tensor without its gradient history; the memory is shared.

        Returns
        -------
        Tensor
            Leaf tensor over the same memory.

        Examples
        --------
        >>> x = rl.tensor([1.0], requires_grad=True)
        >>> (x * 2).detach().requires_grad
        False
        """
    def detach_(self) -> Tensor:
        """Removes the tensor from the gradient graph, in place.

        Returns
        -------
        Tensor
            The tensor itself.

        Examples
        --------
        >>> x = rl.tensor([1.0], requires_grad=True) * 2
        >>> x.detach_().requires_grad
        False
        """
    @builtins.property
    def device(self) -> Device:
        """Device that holds the elements.

        Examples
        --------
        >>> rl.ones(2).device
        Device('cpu')
        """
    def diag(input, diagonal: builtins.int = 0) -> Tensor:
        """Returns the diagonal of a matrix, or the matrix with a vector on its diagonal.

        Parameters
        ----------
        input
            A matrix or a vector.
        diagonal
            The diagonal: 0 is the main one, positive ones lie above it.

        Returns
        -------
        Tensor
            A vector for a matrix; a square matrix, zero elsewhere, for a vector.

        Raises
        ------
        ValueError
            If `input` is neither a matrix nor a vector.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.diag(rl.tensor([1, 2])).tolist()
        [[1, 0], [0, 2]]
        """
    def diag_embed(input, offset: builtins.int = 0) -> Tensor:
        """Returns matrices with the last axis on a diagonal, and zeros elsewhere.

        Parameters
        ----------
        input
            Rank 1 or more.
        offset
            The diagonal: 0 is the main one, positive ones lie above it.

        Returns
        -------
        Tensor
            The last axis is replaced by two.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.diag_embed(rl.tensor([[1, 2]])).tolist()
        [[[1, 0], [0, 2]]]
        """
    def diagflat(input, offset: builtins.int = 0) -> Tensor:
        """Returns a square matrix with all elements on a diagonal, and zeros elsewhere.

        Parameters
        ----------
        input
            Any shape; the elements are taken in row-major order.
        offset
            The diagonal: 0 is the main one, positive ones lie above it.

        Returns
        -------
        Tensor
            A matrix of the dtype of `input`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.diagflat(rl.tensor([[1], [2]])).tolist()
        [[1, 0], [0, 2]]
        """
    def diagonal(input, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """Returns a diagonal over two axes.

        Parameters
        ----------
        input
            Rank 2 or more.
        offset
            The diagonal: 0 is the main one, positive ones lie above it.
        dim1, dim2
            The axes of the rows and of the columns.

        Returns
        -------
        Tensor
            The other axes, then the diagonal.

        Raises
        ------
        ValueError
            If both axes are the same.
        IndexError
            If an axis is out of range.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.diagonal(rl.tensor([[1, 2], [3, 4]])).tolist()
        [1, 4]
        """
    def diagonal_scatter(input, src: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """Returns a copy with a diagonal over two axes replaced.

        Parameters
        ----------
        input
            Rank 2 or more.
        src
            The new diagonal, in the shape of `diagonal` of the same arguments.
        offset
            The diagonal: 0 is the main one, positive ones lie above it.
        dim1, dim2
            The axes of the rows and of the columns.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.

        Raises
        ------
        ValueError
            If `src` has another shape, or both axes are the same.
        IndexError
            If an axis is out of range.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.diagonal_scatter(rl.zeros((2, 2)), rl.tensor([5.0, 7.0])).tolist()
        [[5.0, 0.0], [0.0, 7.0]]
        """
    def diff(x, /, n: builtins.int = 1, axis: builtins.int = -1, prepend: Tensor | None = None, append: Tensor | None = None, *, dim: builtins.int | None = None) -> Tensor:
        """Returns the differences of neighbours along an axis.

        Parameters
        ----------
        x
            Rank 1 or more; numeric or bool.
        n
            Number of times that differences are taken.
        axis, dim
            The axis, by either name.
        prepend, append
            Values to join at the beginning and the end first.

        Returns
        -------
        Tensor
            `n` elements less along the axis; the dtype of `x`.

        Raises
        ------
        ValueError
            If `n` is negative.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.diff(rl.tensor([1, 4, 9])).tolist()
        [3, 5]
        """
    def digamma(input) -> Tensor:
        """Returns the derivative of `lgamma`.

        Parameters
        ----------
        input
            Any shape and real dtype.

        Returns
        -------
        Tensor
            Of the dtype of `input`, float32 for integers; NaN at -1, -2 and so on.

        Raises
        ------
        TypeError
            If the dtype is complex.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.digamma(rl.tensor([1.0, 2.0]))
        tensor([-0.5772,  0.4228], dtype=float32, device='cpu')
        """
    def digamma_(self) -> typing.Self:
        """Replaces the elements by those of ``digamma``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.digamma_() is x
        True
        """
    def dim(self) -> builtins.int:
        """Returns the number of dimensions.

        Returns
        -------
        int
            Rank of the tensor.

        Examples
        --------
        >>> rl.ones((2, 3)).dim()
        2
        """
    def dist(input, other: Tensor, p: builtins.float = 2.0) -> Tensor:
        """Returns the norm of the difference of two tensors.

        Parameters
        ----------
        input, other
            Floating-point tensors that broadcast.
        p
            The order of the norm.

        Returns
        -------
        Tensor
            A scalar.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.dist(rl.tensor([0.0, 0.0]), rl.tensor([3.0, 4.0])).item()
        5.0
        """
    def div(input, other: Tensor | builtins.complex, *, rounding_mode: builtins.str | None = None) -> Tensor:
        """Divides; the quotient may be rounded to a whole number.

        Parameters
        ----------
        input, other
            Tensors, or a tensor and a number; shapes broadcast.
        rounding_mode
            ``"floor"`` rounds down, ``"trunc"`` towards zero, and None not at all.

        Returns
        -------
        Tensor
            Of the broadcast shape. The promoted dtype; not rounded, the default float for integers.

        Raises
        ------
        ValueError
            If `rounding_mode` is another text.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.div(rl.tensor([-7, 7]), 2).tolist()
        [-3.5, 3.5]
        >>> rl.div(rl.tensor([-7, 7]), 2, rounding_mode="trunc").tolist()
        [-3, 3]
        """
    def div_(self, other: Tensor | builtins.complex, *, rounding_mode: builtins.str | None = None) -> typing.Self:
        """Replaces the elements by those of ``div``.

        Parameters
        ----------
        input, other
            Tensors, or a tensor and a number; shapes broadcast.
        rounding_mode
            ``"floor"`` rounds down, ``"trunc"`` towards zero, and None not at all.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.div_(2.0) is x
        True
        """
    def divide(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes self / other, correctly rounded for real numbers. Integers give the default float in Python; in Rust they truncate, and x / 0 is 0.

        Parameters
        ----------
        other : Tensor or number
            Right operand of any dtype but bool. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 3]).divide(rl.tensor([2, 2]))
        tensor([0.5000, 1.5000], dtype=float32, device='cpu')
        """
    def divide_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``divide``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of any dtype but bool. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.divide_(2.0) is x
        True
        """
    def dot(x1, x2: Tensor, /) -> Tensor:
        """Sums the products of two vectors.

        Parameters
        ----------
        x1, x2
            Numeric vectors of one length.

        Returns
        -------
        Tensor
            A scalar of the promoted dtype.

        Raises
        ------
        ValueError
            If one is not a vector, or the lengths differ.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.dot(rl.tensor([1.0, 2.0]), rl.tensor([3.0, 4.0])).item()
        11.0
        """
    def double(self) -> Tensor:
        """Converts the tensor to float64.

        Returns
        -------
        Tensor
            Converted tensor; the tensor itself if nothing changes.

        Examples
        --------
        >>> rl.tensor([1, 2]).double()
        tensor([1., 2.], dtype=float64, device='cpu')
        """
    def dsplit(input, indices_or_sections: builtins.int | collections.abc.Sequence[builtins.int] | Tensor) -> builtins.tuple[Tensor, ...]:
        """Cuts the third axis into equal pieces or at indices.

        Parameters
        ----------
        input
            Rank 3 or more.
        indices_or_sections
            Number of pieces, or the index at which each piece but the first begins.

        Returns
        -------
        tuple of Tensor
            Views.

        Raises
        ------
        ValueError
            If the pieces would not have one size, or the rank is less than 3.

        Examples
        --------
        >>> import rushlight as rl
        >>> [x.tolist() for x in rl.dsplit(rl.tensor([[[1, 2]]]), 2)]
        [[[[1]]], [[[2]]]]
        """
    @builtins.property
    def dtype(self) -> DType:
        """Dtype of the elements.

        Examples
        --------
        >>> rl.ones(2).dtype
        rushlight.float32
        """
    def element_size(self) -> builtins.int:
        """Returns the number of bytes of an element.

        Returns
        -------
        int
            The size of the dtype.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.ones(2).element_size()
        4
        """
    def elu(self, alpha: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
        """Computes ELU: ``x`` where it is positive, else ``alpha * (exp(x) - 1)``.

        Parameters
        ----------
        alpha : float, default 1.0
            Factor of the exponential part.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([-1.0, 2.0]).elu()
        tensor([-0.6321,  2.0000], dtype=float32, device='cpu')
        """
    def eq(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Tells where an element of self is equal to that of other. PyTorch's name of ``equal``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result of dtype bool in the common shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 2, 3]).eq(rl.tensor([2, 2, 2]))
        tensor([False,  True, False], dtype=bool, device='cpu')
        """
    def eq_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``eq``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.eq_(0.5) is x
        True
        """
    def equal(self, other: Tensor) -> builtins.bool:
        """Returns whether two tensors have the same shape and equal elements; `eq` compares elements.

        Parameters
        ----------
        other
            The other tensor.

        Returns
        -------
        bool
            False if one element differs; NaN differs from every number. Dtypes are promoted.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([1, 2]).equal(rl.tensor([1, 2])), rl.tensor([1, 2]).equal(rl.tensor([1, 3]))
        (True, False)
        """
    def erf(self) -> Tensor:
        """Computes the error function.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).erf()
        tensor([0.0000, 0.8427], dtype=float32, device='cpu')
        """
    def erf_(self) -> typing.Self:
        """Replaces the elements by those of ``erf``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.erf_() is x
        True
        """
    def erfc(input) -> Tensor:
        """Returns ``1 - erf(x)``, accurate where it is small.

        Parameters
        ----------
        input
            Any shape and real dtype.

        Returns
        -------
        Tensor
            Of the dtype of `input`, float32 for integers.

        Raises
        ------
        TypeError
            If the dtype is complex.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.erfc(rl.tensor([0.0, 1.0]))
        tensor([1.0000, 0.1573], dtype=float32, device='cpu')
        """
    def erfc_(self) -> typing.Self:
        """Replaces the elements by those of ``erfc``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.erfc_() is x
        True
        """
    def erfinv(self) -> Tensor:
        """Computes the inverse of the error function; infinite at -1 and 1, NaN beyond.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 0.5]).erfinv()
        tensor([0.0000, 0.4769], dtype=float32, device='cpu')
        """
    def erfinv_(self) -> typing.Self:
        """Replaces the elements by those of ``erfinv``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.erfinv_() is x
        True
        """
    def exp(self) -> Tensor:
        """Computes e^x.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).exp()
        tensor([1.0000, 2.7183], dtype=float32, device='cpu')
        """
    def exp2(input) -> Tensor:
        """Returns 2 to the power of each element.

        Parameters
        ----------
        input
            Any shape.

        Returns
        -------
        Tensor
            Of the shape of `input`; integers give the default dtype.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.exp2(rl.tensor([0.0, 3.0])).tolist()
        [1.0, 8.0]
        """
    def exp2_(self) -> typing.Self:
        """Replaces the elements by those of ``exp2``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.exp2_() is x
        True
        """
    def exp_(self) -> typing.Self:
        """Replaces the elements by those of ``exp``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.exp_() is x
        True
        """
    def expand(self, shape: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int) -> Tensor:
        """Broadcasts the tensor to a shape, as a view.

        Parameters
        ----------
        shape : int or sequence of int
            Shape of the result, as one sequence or as separate integers; -1 keeps a size.

        Returns
        -------
        Tensor
            View in which repeated elements share memory.

        Raises
        ------
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([[1], [2]]).expand(-1, 3)
        tensor([[1, 1, 1],
                [2, 2, 2]], dtype=int64, device='cpu')
        """
    def expand_as(self, other: Tensor, /) -> Tensor:
        """Broadcasts the tensor to the shape of another tensor, as a view.

        Parameters
        ----------
        other : Tensor
            Tensor that gives the shape.

        Returns
        -------
        Tensor
            View in which repeated elements share memory.

        Raises
        ------
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 2]).expand_as(rl.ones((2, 2)))
        tensor([[1, 2],
                [1, 2]], dtype=int64, device='cpu')
        """
    def expand_dims(self, axis: builtins.int | collections.abc.Sequence[builtins.int], /) -> Tensor:
        """Inserts dimensions of size 1, as a view.

        Parameters
        ----------
        axis : int or tuple of int
            Indices of the new dimensions in the result; negative ones count from the end.

        Returns
        -------
        Tensor
            View with the new dimensions.

        Raises
        ------
        IndexError
            If an axis is out of range.

        Examples
        --------
        >>> rl.ones(3).expand_dims(0).shape
        (1, 3)
        """
    def expm1(self) -> Tensor:
        """Computes e^x - 1, exact near 0.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).expm1()
        tensor([0.0000, 1.7183], dtype=float32, device='cpu')
        """
    def expm1_(self) -> typing.Self:
        """Replaces the elements by those of ``expm1``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.expm1_() is x
        True
        """
    def exponential_(self, lambd: builtins.float = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Replaces the elements by draws from an exponential distribution.

        Parameters
        ----------
        lambd
            Its rate.
        generator
            Source of the random numbers; that of the device by default.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        ValueError
            If the rate is not positive.
        TypeError
            If the dtype is not floating point.

        Examples
        --------
        >>> import rushlight as rl
        >>> bool((rl.empty(100).exponential_() >= 0).all())
        True
        """
    def fill_(self, value: builtins.complex, /) -> Tensor:
        """Sets every element to a number, in place.

        Parameters
        ----------
        value : number
            New value of every element.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        OverflowError
            If the value does not fit the dtype.
        RuntimeError
            If the tensor is a leaf that requires a gradient.

        Examples
        --------
        >>> rl.zeros(2).fill_(7)
        tensor([7., 7.], dtype=float32, device='cpu')
        """
    def fill_diagonal_(self, fill_value: builtins.complex, wrap: builtins.bool = False) -> Tensor:
        """Writes a number to the main diagonal.

        Parameters
        ----------
        fill_value
            The number.
        wrap
            Whether the diagonal of a matrix with more rows than columns begins again, after one row.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        ValueError
            If the rank is less than 2, or the sizes of a tensor of rank 3 or more differ.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.zeros((2, 2)).fill_diagonal_(5).tolist()
        [[5.0, 0.0], [0.0, 5.0]]
        """
    def fix(self) -> Tensor:
        """Rounds towards 0 to an integer. The gradient is 0.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([-1.5, 1.5]).trunc()
        tensor([-1.,  1.], dtype=float32, device='cpu')
        """
    def fix_(self) -> typing.Self:
        """Replaces the elements by those of ``fix``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.fix_() is x
        True
        """
    def flatten(self, start_dim: typing.SupportsIndex = 0, end_dim: typing.SupportsIndex = ...) -> Tensor:
        """Joins consecutive dimensions into one.

        Parameters
        ----------
        start_dim : int, default 0
            First dimension to join.
        end_dim : int, default -1
            Last dimension to join.

        Returns
        -------
        Tensor
            Tensor with one dimension in place of these; memory is shared where that is possible.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If ``start_dim`` comes after ``end_dim``.

        Examples
        --------
        >>> rl.ones((2, 3, 4)).flatten().shape
        (24,)
        """
    def flip(self, *more: builtins.int, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, dims: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
        """Reverses the order of elements along axes.

        Parameters
        ----------
        axis : int or tuple of int, optional
            Axes to reverse, also by position, as one sequence or as separate integers; all of them by default. ``dims`` is PyTorch's name.
        dim : int or tuple of int, optional
            The same as ``axis``.
        dims : int or tuple of int, optional
            The same as ``axis``.

        Returns
        -------
        Tensor
            New tensor in the shape of the tensor.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.

        Examples
        --------
        >>> rl.tensor([1, 2, 3]).flip(0)
        tensor([3, 2, 1], dtype=int64, device='cpu')
        """
    def fliplr(input) -> Tensor:
        """Reverses the second axis.

        Parameters
        ----------
        input
            Rank 2 or more.

        Returns
        -------
        Tensor
            Of the shape of `input`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.fliplr(rl.tensor([[1, 2]])).tolist()
        [[2, 1]]
        """
    def flipud(input) -> Tensor:
        """Reverses the first axis.

        Parameters
        ----------
        input
            Rank 1 or more.

        Returns
        -------
        Tensor
            Of the shape of `input`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.flipud(rl.tensor([1, 2])).tolist()
        [2, 1]
        """
    def float(self) -> Tensor:
        """Converts the tensor to float32.

        Returns
        -------
        Tensor
            Converted tensor; the tensor itself if nothing changes.

        Examples
        --------
        >>> rl.tensor([1, 2]).float()
        tensor([1., 2.], dtype=float32, device='cpu')
        """
    def float_power(input, exponent: Tensor | builtins.complex) -> Tensor:
        """Raises to a power in float64.

        Parameters
        ----------
        input, exponent
            Tensors, or one tensor and a number; shapes broadcast.

        Returns
        -------
        Tensor
            float64, or complex128 for complex numbers; of the broadcast shape.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.float_power(rl.tensor([2, 3]), -1.0).tolist()[0]
        0.5
        """
    def float_power_(self, exponent: Tensor | builtins.complex) -> typing.Self:
        """Replaces the elements by those of ``float_power``.

        Parameters
        ----------
        input, exponent
            Tensors, or one tensor and a number; shapes broadcast.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.float_power_(2.0) is x
        True
        """
    def floor(self) -> Tensor:
        """Rounds down to an integer. The gradient is 0.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([-1.5, 1.5]).floor()
        tensor([-2.,  1.], dtype=float32, device='cpu')
        """
    def floor_(self) -> typing.Self:
        """Replaces the elements by those of ``floor``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.floor_() is x
        True
        """
    def floor_divide(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes the quotient rounded down (Python's `//`); integers: x // 0 is 0. The gradient is 0.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer or floating-point dtype. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([7, -7]).floor_divide(rl.tensor([3, 3]))
        tensor([ 2, -3], dtype=int64, device='cpu')
        """
    def floor_divide_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``floor_divide``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer or floating-point dtype. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.floor_divide_(2.0) is x
        True
        """
    def fmax(input, other: Tensor) -> Tensor:
        """Returns the larger of two elements; if one of them is NaN, the other one.

        Parameters
        ----------
        input, other
            Floating-point or integer tensors that broadcast.

        Returns
        -------
        Tensor
            Of the broadcast shape and the promoted dtype.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.fmax(rl.tensor([1.0, rl.nan]), rl.tensor([2.0, 3.0])).tolist()
        [2.0, 3.0]
        """
    def fmin(input, other: Tensor) -> Tensor:
        """Returns the smaller of two elements; if one of them is NaN, the other one.

        Parameters
        ----------
        input, other
            Floating-point or integer tensors that broadcast.

        Returns
        -------
        Tensor
            Of the broadcast shape and the promoted dtype.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.fmin(rl.tensor([1.0, rl.nan]), rl.tensor([2.0, 3.0])).tolist()
        [1.0, 3.0]
        """
    def fmod(input, other: Tensor | builtins.complex) -> Tensor:
        """Returns the remainder of a division, with the sign of `input`, like ``fmod`` of C.

        Parameters
        ----------
        input, other
            Tensors, or a tensor and a number; shapes broadcast.

        Returns
        -------
        Tensor
            Of the broadcast shape and the promoted dtype. `remainder` has the sign of `other`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.fmod(rl.tensor([-5.0, 5.0]), 3.0).tolist()
        [-2.0, 2.0]
        """
    def fmod_(self, other: Tensor | builtins.complex) -> typing.Self:
        """Replaces the elements by those of ``fmod``.

        Parameters
        ----------
        input, other
            Tensors, or a tensor and a number; shapes broadcast.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.fmod_(2.0) is x
        True
        """
    def frac(self) -> Tensor:
        """Computes the fractional part, x - trunc(x).

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([-1.5, 1.25]).frac()
        tensor([-0.5000,  0.2500], dtype=float32, device='cpu')
        """
    def frac_(self) -> typing.Self:
        """Replaces the elements by those of ``frac``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.frac_() is x
        True
        """
    def frexp(input) -> Frexp:
        """Returns mantissas and exponents of 2, whose products ``mantissa * 2**exponent`` are the elements.

        Parameters
        ----------
        input
            Any shape and real dtype.

        Returns
        -------
        Frexp
            `mantissa`, from 0.5 to below 1 in absolute value, of the dtype of `input` (the default dtype for
            integers), and int32 `exponent`. Zeros, infinities and NaN stay, with the exponent 0.

        Raises
        ------
        TypeError
            If the dtype is complex.

        Examples
        --------
        >>> import rushlight as rl
        >>> mantissa, exponent = rl.frexp(rl.tensor([6.0, -0.25]))
        >>> mantissa.tolist(), exponent.tolist()
        ([0.75, -0.5], [3, -1])
        """
    def gather(self, dim: typing.SupportsIndex, index: Tensor) -> Tensor:
        """Selects one element for each index: ``out[i, j] = x[i, index[i, j]]`` along dimension 1.

        Parameters
        ----------
        dim : int
            Dimension to index; a negative one counts from the end.
        index : Tensor
            Indices, of an integer dtype. Negative ones of a signed dtype count from the end.

        Returns
        -------
        Tensor
            Elements in the shape of ``index``.

        Raises
        ------
        IndexError
            If an index or the dimension is out of range.
        TypeError
            If the indices are not integers.
        ValueError
            If the shapes do not match.

        Examples
        --------
        >>> rl.tensor([[1, 2], [3, 4]]).gather(1, rl.tensor([[1], [0]]))
        tensor([[2],
                [3]], dtype=int64, device='cpu')
        """
    def gcd(input, other: Tensor | builtins.complex) -> Tensor:
        """Returns the greatest common divisor of integers.

        Parameters
        ----------
        input, other
            Tensors, or a tensor and a number, of integer dtypes; shapes broadcast.

        Returns
        -------
        Tensor
            Of the broadcast shape and the promoted dtype; 0 or more, and 0 where both arguments are 0.

        Raises
        ------
        TypeError
            If the promoted dtype is not an integer dtype, or both arguments are numbers.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.gcd(rl.tensor([12, -9, 0]), rl.tensor([18, 6, 4])).tolist()
        [6, 3, 4]
        """
    def gcd_(self, other: Tensor | builtins.complex) -> typing.Self:
        """Replaces the elements by those of ``gcd``.

        Parameters
        ----------
        input, other
            Tensors, or a tensor and a number, of integer dtypes; shapes broadcast.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([6, 6])
        >>> x.gcd_(rl.tensor([4, 9])) is x
        True
        """
    def ge(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Tells where an element of self is at least that of other. PyTorch's name of ``greater_equal``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result of dtype bool in the common shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 2, 3]).ge(rl.tensor([2, 2, 2]))
        tensor([False,  True,  True], dtype=bool, device='cpu')
        """
    def ge_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``ge``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.ge_(0.5) is x
        True
        """
    def gelu(self, approximate: builtins.str = "none") -> Tensor:
        """Computes GELU, x * Phi(x), where Phi is the normal distribution function.

        Parameters
        ----------
        approximate : str, default "none"
            ``"none"`` computes the exact function, ``"tanh"`` the approximation by a tanh.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.
        ValueError
            If ``approximate`` is another word.

        Examples
        --------
        >>> rl.tensor([-1.0, 1.0]).gelu()
        tensor([-0.1587,  0.8413], dtype=float32, device='cpu')
        """
    def gelu_erf(self) -> Tensor:
        """Computes exact GELU, x * Phi(x), where Phi is the normal distribution function.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([-1.0, 1.0]).gelu_erf()
        tensor([-0.1587,  0.8413], dtype=float32, device='cpu')
        """
    def gelu_tanh(self) -> Tensor:
        """Computes GELU in its tanh variant (Hendrycks and Gimpel 2016).

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([-1.0, 1.0]).gelu_tanh()
        tensor([-0.1588,  0.8412], dtype=float32, device='cpu')
        """
    def geometric_(self, p: builtins.float, *, generator: Generator | None = None) -> Tensor:
        """Replaces the elements by numbers of trials up to the first success.

        Parameters
        ----------
        p
            The probability of a success.
        generator
            Source of the random numbers; that of the device by default.

        Returns
        -------
        Tensor
            The tensor itself, with whole numbers from 1.

        Raises
        ------
        ValueError
            If the probability is not between 0 and 1.

        Examples
        --------
        >>> import rushlight as rl
        >>> bool((rl.empty(100).geometric_(0.5) >= 1).all())
        True
        """
    def ger(x1, x2: Tensor, /) -> Tensor:
        """Returns all products of two vectors' elements.

        Parameters
        ----------
        x1, x2
            Numeric vectors of lengths n and m.

        Returns
        -------
        Tensor
            Shape ``(n, m)``, of the promoted dtype.

        Raises
        ------
        ValueError
            If one is not a vector.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.outer(rl.tensor([1, 2]), rl.tensor([3, 4])).tolist()
        [[3, 4], [6, 8]]
        """
    def get_device(input) -> builtins.int:
        """Returns the number of the GPU that a tensor is on.

        Parameters
        ----------
        input
            Any tensor.

        Returns
        -------
        int
            The number of the GPU; -1 for a tensor on the CPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.get_device(rl.ones(2))
        -1
        """
    @builtins.property
    def grad(self) -> Tensor | None:
        """Gradient accumulated by ``backward``, or None; it can be set and deleted.

        Examples
        --------
        >>> x = rl.tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> x.grad
        tensor([2., 4.], dtype=float32, device='cpu')
        """
    @grad.deleter
    def grad(self) -> None: ...
    @grad.setter
    def grad(self, value: Tensor | None) -> None: ...
    @builtins.property
    def grad_fn(self) -> builtins.str | None:
        """Name of the operation that the tensor was computed by, if gradients are recorded for it, or None.

        Examples
        --------
        >>> x = rl.tensor([1.0], requires_grad=True)
        >>> x.exp().grad_fn
        'exp'
        """
    def greater(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Tells where an element of self is greater than that of other. PyTorch's name of ``greater``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result of dtype bool in the common shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 2, 3]).gt(rl.tensor([2, 2, 2]))
        tensor([False, False,  True], dtype=bool, device='cpu')
        """
    def greater_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``greater``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.greater_(0.5) is x
        True
        """
    def greater_equal(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Tells where an element of self is at least that of other. PyTorch's name of ``greater_equal``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result of dtype bool in the common shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 2, 3]).ge(rl.tensor([2, 2, 2]))
        tensor([False,  True,  True], dtype=bool, device='cpu')
        """
    def greater_equal_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``greater_equal``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.greater_equal_(0.5) is x
        True
        """
    def gt(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Tells where an element of self is greater than that of other. PyTorch's name of ``greater``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result of dtype bool in the common shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 2, 3]).gt(rl.tensor([2, 2, 2]))
        tensor([False, False,  True], dtype=bool, device='cpu')
        """
    def gt_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``gt``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.gt_(0.5) is x
        True
        """
    def half(self) -> Tensor:
        """Converts the tensor to float16.

        Returns
        -------
        Tensor
            Converted tensor; the tensor itself if nothing changes.

        Examples
        --------
        >>> rl.tensor([1, 2]).half()
        tensor([1., 2.], dtype=float16, device='cpu')
        """
    def heaviside(input, values: Tensor) -> Tensor:
        """Returns 0 for negative elements, 1 for positive ones, and a given number for 0.

        Parameters
        ----------
        input
            Any shape; integer or floating point.
        values
            The numbers for 0; a tensor of the same dtype that broadcasts.

        Returns
        -------
        Tensor
            Of the broadcast shape and the dtype of `input`.

        Raises
        ------
        TypeError
            If the dtypes differ.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.heaviside(rl.tensor([-1.0, 0.0, 2.0]), rl.tensor(0.5)).tolist()
        [0.0, 0.5, 1.0]
        """
    def heaviside_(self, values: Tensor) -> typing.Self:
        """Replaces the elements by those of ``heaviside``.

        Parameters
        ----------
        values
            The numbers for 0; a tensor of the same dtype that broadcasts.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.heaviside_(rl.ones(2)) is x
        True
        """
    def histc(input, bins: builtins.int = 100, min: builtins.complex = 0, max: builtins.complex = 0) -> Tensor:
        """Counts elements in intervals of equal width.

        Parameters
        ----------
        input
            Any shape; floating point.
        bins
            Number of intervals.
        min, max
            The ends; the smallest and the largest element if they are equal. What is outside is not counted.

        Returns
        -------
        Tensor
            Shape ``(bins,)``, of the dtype of `input`. The last interval has both its ends.

        Raises
        ------
        TypeError
            If the dtype is not floating point.
        ValueError
            If there are no bins, or `max` is below `min`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.histc(rl.tensor([0.5, 1.5, 1.6, 9.0]), bins=2, min=0, max=2).tolist()
        [1.0, 2.0]
        """
    def histogram(input, bins: builtins.int | Tensor, *, range: builtins.tuple[builtins.float, builtins.float] | None = None, weight: Tensor | None = None, density: builtins.bool = False) -> Histogram:
        """Counts elements in intervals.

        Parameters
        ----------
        input
            Any shape; floating point.
        bins
            The number of intervals of equal width, or their edges: a sorted vector of the dtype of `input`.
        range
            The first and the last edge, if `bins` is a number; by default the smallest and the largest element.
        weight
            What each element adds to its interval, of the shape of `input`; 1 by default.
        density
            Whether the sums are divided by the width of their interval and by the sum of all of them.

        Returns
        -------
        Histogram
            The sums `hist`, of the dtype of `input`, and the edges `bin_edges`, one more. The last interval has
            both its ends; what is outside is not counted.

        Raises
        ------
        TypeError
            If the dtype is not floating point.
        ValueError
            If there are no bins, edges do not increase, the range is empty or not finite, or shapes do not fit.

        Examples
        --------
        >>> import rushlight as rl
        >>> hist, edges = rl.histogram(rl.tensor([1.0, 2.0, 2.5, 4.0]), bins=3)
        >>> hist.tolist(), edges.tolist()
        ([1.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0])
        """
    def hsplit(input, indices_or_sections: builtins.int | collections.abc.Sequence[builtins.int] | Tensor) -> builtins.tuple[Tensor, ...]:
        """Cuts the second axis, or the only axis of a vector, into equal pieces or at indices.

        Parameters
        ----------
        input
            Rank 1 or more.
        indices_or_sections
            Number of pieces, or the index at which each piece but the first begins.

        Returns
        -------
        tuple of Tensor
            Views.

        Raises
        ------
        ValueError
            If the pieces would not have one size, or `input` is a scalar.

        Examples
        --------
        >>> import rushlight as rl
        >>> [x.tolist() for x in rl.hsplit(rl.tensor([[1, 2], [3, 4]]), 2)]
        [[[1], [3]], [[2], [4]]]
        """
    def hypot(x1, x2: Tensor | builtins.complex, /) -> Tensor:
        """Returns ``sqrt(x1**2 + x2**2)`` without overflow of the squares.

        Parameters
        ----------
        x1, x2
            Tensors, or one tensor and a number; shapes broadcast.

        Returns
        -------
        Tensor
            Of the broadcast shape; the promoted dtype, or float32 for integers.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.hypot(rl.tensor([3.0]), rl.tensor([4.0])).tolist()
        [5.0]
        """
    def hypot_(self, x2: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``hypot``.

        Parameters
        ----------
        x1, x2
            Tensors, or one tensor and a number; shapes broadcast.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.hypot_(rl.ones(2)) is x
        True
        """
    def i0(input) -> Tensor:
        """Returns the modified Bessel function of the first kind of order 0.

        Parameters
        ----------
        input
            Any shape and real dtype.

        Returns
        -------
        Tensor
            Of the dtype of `input`, float32 for integers.

        Raises
        ------
        TypeError
            If the dtype is complex.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.i0(rl.tensor([0.0, 1.0]))
        tensor([1.0000, 1.2661], dtype=float32, device='cpu')
        """
    def i0_(self) -> typing.Self:
        """Replaces the elements by those of ``i0``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.i0_() is x
        True
        """
    def igamma(input, other: Tensor | builtins.complex) -> Tensor:
        """Returns the part of a gamma distribution below `other`: the regularized lower incomplete gamma.

        Parameters
        ----------
        input
            The shape parameter a, 0 or more.
        other
            The upper end of the integral of ``t**(a - 1) exp(-t) / gamma(a)`` from 0, 0 or more; shapes
            broadcast.

        Returns
        -------
        Tensor
            From 0 to 1; of the promoted dtype, float32 for integers. NaN for negative numbers. The gradient is
            that of `other`.

        Raises
        ------
        TypeError
            If a dtype is complex, or `input` requires a gradient.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.special.gammainc(rl.tensor([1.0, 2.0]), 1.0)
        tensor([0.6321, 0.2642], dtype=float32, device='cpu')
        """
    def igammac(input, other: Tensor | builtins.complex) -> Tensor:
        """Returns the part of a gamma distribution above `other`: the regularized upper incomplete gamma.

        Parameters
        ----------
        input
            The shape parameter a, 0 or more.
        other
            The lower end of the integral of ``t**(a - 1) exp(-t) / gamma(a)`` to infinity, 0 or more; shapes
            broadcast.

        Returns
        -------
        Tensor
            From 0 to 1; of the promoted dtype, float32 for integers. NaN for negative numbers. The gradient is
            that of `other`.

        Raises
        ------
        TypeError
            If a dtype is complex, or `input` requires a gradient.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.special.gammaincc(rl.tensor([1.0, 2.0]), 1.0)
        tensor([0.3679, 0.7358], dtype=float32, device='cpu')
        """
    @property
    def imag(self) -> Tensor:
        """Imaginary part of a complex tensor, a copy.

        Raises AttributeError if the tensor is not complex.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([1 + 2j]).imag.tolist()
        [2.0]
        """
    def index_add(input, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: builtins.complex = 1) -> Tensor:
        """Returns a copy with entries of another tensor added along an axis at indices.

        Parameters
        ----------
        input
            Any dtype.
        dim
            The axis.
        index
            Integers. Negative ones of a signed dtype count from the end.
        source
            Entries to add, one for each index.
        alpha
            A factor of `source`.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`; entries of equal indices are all added.

        Raises
        ------
        IndexError
            If the axis or an index is out of range.
        TypeError
            If the indices are not integers, or `alpha` is a fraction and the tensors hold integers.
        ValueError
            If the shapes do not match.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.index_add(rl.zeros(3), 0, rl.tensor([2, 2]), rl.tensor([5.0, 7.0])).tolist()
        [0.0, 0.0, 12.0]
        >>> rl.index_add(rl.zeros(2), 0, rl.tensor([1]), rl.tensor([5.0]), alpha=-2).tolist()
        [0.0, -10.0]
        """
    def index_add_(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: builtins.complex = 1) -> typing.Self:
        """Replaces the elements by those of ``index_add``.

        Parameters
        ----------
        dim
            The axis.
        index
            Integers. Negative ones of a signed dtype count from the end.
        source
            Entries to add, one for each index.
        alpha
            A factor of `source`.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.index_add_(0, rl.tensor([1]), rl.tensor([2.0])) is x
        True
        """
    def index_copy(input, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
        """Returns a copy with entries of an axis replaced by those of another tensor.

        Parameters
        ----------
        input
            Rank 1 or more.
        dim
            The axis.
        index
            A vector of different entries.
        source
            The new entries: the shape of `input` with one entry for each index.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.

        Raises
        ------
        IndexError
            If the axis or an index is out of range.
        TypeError
            If the dtypes of `input` and `source` differ.
        ValueError
            If `source` has another shape.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.index_copy(rl.zeros(3), 0, rl.tensor([2, 0]), rl.tensor([5.0, 7.0])).tolist()
        [7.0, 0.0, 5.0]
        """
    def index_copy_(self, dim: builtins.int, index: Tensor, source: Tensor) -> typing.Self:
        """Replaces the elements by those of ``index_copy``.

        Parameters
        ----------
        dim
            The axis.
        index
            A vector of different entries.
        source
            The new entries: the shape of `input` with one entry for each index.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.index_copy_(0, rl.tensor([1]), rl.tensor([2.0])) is x
        True
        """
    def index_fill(input, dim: builtins.int, index: Tensor, value: builtins.complex) -> Tensor:
        """Returns a copy with a value written at entries of an axis.

        Parameters
        ----------
        input
            Any shape and dtype.
        dim
            The axis.
        index
            A vector of the entries.
        value
            The number to write.

        Returns
        -------
        Tensor
            A new tensor.

        Raises
        ------
        IndexError
            If the axis or an index is out of range.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.index_fill(rl.zeros(3), 0, rl.tensor([0, 2]), 5.0).tolist()
        [5.0, 0.0, 5.0]
        """
    def index_fill_(self, dim: builtins.int, index: Tensor, value: builtins.complex) -> typing.Self:
        """Replaces the elements by those of ``index_fill``.

        Parameters
        ----------
        dim
            The axis.
        index
            A vector of the entries.
        value
            The number to write.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.index_fill_(0, rl.tensor([1]), 2.0) is x
        True
        """
    def index_put(input, indices: collections.abc.Sequence[Tensor], values: Tensor | builtins.complex, accumulate: builtins.bool = False) -> Tensor:
        """Returns a copy with values written at indices, or added there.

        Parameters
        ----------
        input
            Rank 1 or more.
        indices
            One tensor of integers for each of the first axes, or a mask; integers broadcast.
        values
            A tensor that broadcasts to the elements, or a number.
        accumulate
            Whether values are added to the elements; those of equal indices are all added.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.

        Raises
        ------
        IndexError
            If an index is out of range.
        ValueError
            If there are more indices than axes, or the values do not broadcast.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.index_put(rl.zeros(3), (rl.tensor([0, 2]),), rl.tensor([5.0, 7.0])).tolist()
        [5.0, 0.0, 7.0]
        >>> rl.index_put(rl.zeros(3), (rl.tensor([1, 1]),), rl.ones(2), accumulate=True).tolist()
        [0.0, 2.0, 0.0]
        """
    def index_put_(self, indices: collections.abc.Sequence[Tensor], values: Tensor | builtins.complex, accumulate: builtins.bool = False) -> typing.Self:
        """Replaces the elements by those of ``index_put``.

        Parameters
        ----------
        indices
            One tensor of integers for each of the first axes, or a mask; integers broadcast.
        values
            A tensor that broadcasts to the elements, or a number.
        accumulate
            Whether values are added to the elements; those of equal indices are all added.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.index_put_((rl.tensor([1]),), rl.tensor([2.0])) is x
        True
        """
    def index_reduce(input, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
        """Returns a copy with entries of an axis reduced at indices.

        For axis 0, ``out[index[i]]`` is the reduction of itself and of each ``source[i]`` of that index.

        Parameters
        ----------
        input
            A tensor of numbers.
        dim
            The axis that the indices are of.
        index
            A vector of indices, of an integer dtype.
        source
            The entries: the shape of `input` with one entry for each index, and its dtype.
        reduce
            ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``. Means of integers are rounded down.
        include_self
            Whether entries of `input` belong to the reduction. Those without an index are kept in any case.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.

        Raises
        ------
        IndexError
            If the axis or an index is out of range.
        TypeError
            If the dtypes of `input` and `source` differ.
        ValueError
            If the shapes do not fit, or `reduce` is another word.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> rl.index_reduce(x, 0, rl.tensor([1, 1]), rl.tensor([[5.0, 6.0], [2.0, 9.0]]), "amax").tolist()
        [[1.0, 2.0], [5.0, 9.0]]
        """
    def index_reduce_(self, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> typing.Self:
        """Replaces the elements by those of ``index_reduce``.

        Parameters
        ----------
        dim
            The axis that the indices are of.
        index
            A vector of indices, of an integer dtype.
        source
            The entries: the shape of `input` with one entry for each index, and its dtype.
        reduce
            ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``. Means of integers are rounded down.
        include_self
            Whether entries of `input` belong to the reduction. Those without an index are kept in any case.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.index_reduce_(0, rl.tensor([1]), rl.tensor([2.0]), "amax") is x
        True
        """
    def index_select(self, dim: typing.SupportsIndex, index: Tensor) -> Tensor:
        """Selects entries along a dimension by a vector of indices.

        Parameters
        ----------
        dim : int
            Dimension to index; a negative one counts from the end.
        index : Tensor
            Indices, of an integer dtype. Negative ones of a signed dtype count from the end.

        Returns
        -------
        Tensor
            Copy with one entry for each index.

        Raises
        ------
        IndexError
            If an index or the dimension is out of range.
        TypeError
            If the indices are not integers.

        Examples
        --------
        >>> rl.tensor([10, 20, 30]).index_select(0, rl.tensor([2, 0]))
        tensor([30, 10], dtype=int64, device='cpu')
        """
    def inner(input, other: Tensor) -> Tensor:
        """Sums products over the last axes of two tensors.

        Parameters
        ----------
        input, other
            Numeric tensors with a last axis of one size, or scalars.

        Returns
        -------
        Tensor
            The other axes of `input`, then those of `other`.

        Raises
        ------
        ValueError
            If the sizes differ.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.inner(rl.tensor([1.0, 2.0]), rl.tensor([[3.0, 4.0]])).tolist()
        [11.0]
        """
    def int(self) -> Tensor:
        """Converts the tensor to int32.

        Returns
        -------
        Tensor
            Converted tensor; the tensor itself if nothing changes.

        Examples
        --------
        >>> rl.tensor([1.5, -1.5]).int()
        tensor([ 1, -1], dtype=int32, device='cpu')
        """
    def inverse(A) -> Tensor:
        """Returns the inverses of matrices.

        Parameters
        ----------
        A
            Square matrices.

        Returns
        -------
        Tensor
            Of the shape of `A`. To multiply by an inverse, `solve` is faster and more accurate.

        Raises
        ------
        LinAlgError
            If a matrix is singular.
        ValueError
            If the matrices are not square.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.linalg.inv(rl.tensor([[1.0, 2.0], [2.0, 8.0]])).tolist()
        [[2.0, -0.5], [-0.5, 0.25]]
        """
    def is_complex(input) -> builtins.bool:
        """Returns whether the dtype is complex.

        Parameters
        ----------
        input
            Any tensor.

        Returns
        -------
        bool
            True for complex64 and complex128.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.is_complex(rl.ones(2))
        False
        """
    def is_contiguous(self) -> builtins.bool:
        """Returns whether the elements are in row-major order in memory.

        Returns
        -------
        bool
            False for most transposed tensors and slices.

        Examples
        --------
        >>> rl.ones((2, 3)).is_contiguous(), rl.ones((2, 3)).mT.is_contiguous()
        (True, False)
        """
    @property
    def is_cpu(self) -> builtins.bool:
        """Whether the tensor is on the CPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.ones(2).is_cpu
        True
        """
    @property
    def is_cuda(self) -> builtins.bool:
        """Whether the tensor is on an NVIDIA GPU; ``x.device.type`` is ``"rocm"`` on an AMD GPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.ones(2).is_cuda
        False
        """
    def is_floating_point(self) -> builtins.bool:
        """Returns whether the dtype is a real floating-point one.

        Returns
        -------
        bool
            True for float16, bfloat16, float32, float64 and float8_e4m3fn.

        Examples
        --------
        >>> rl.ones(2).is_floating_point()
        True
        """
    @builtins.property
    def is_leaf(self) -> builtins.bool:
        """Whether the tensor was made by the user, not computed from a tensor that requires a gradient.

        Examples
        --------
        >>> x = rl.tensor([1.0], requires_grad=True)
        >>> x.is_leaf, (x * 2).is_leaf
        (True, False)
        """
    def is_nonzero(input) -> builtins.bool:
        """Returns whether the only element is not zero.

        Parameters
        ----------
        input
            A tensor of one element.

        Returns
        -------
        bool
            Whether the element differs from 0.

        Raises
        ------
        ValueError
            If there are several elements, or none.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.is_nonzero(rl.tensor([3.0]))
        True
        """
    def is_same_size(input, other: Tensor) -> builtins.bool:
        """Returns whether two tensors have the same shape.

        Parameters
        ----------
        input, other
            Tensors of any dtypes.

        Returns
        -------
        bool
            Whether the shapes are equal.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.is_same_size(rl.ones(2), rl.ones(3))
        False
        """
    def is_signed(input) -> builtins.bool:
        """Returns whether the dtype has negative numbers.

        Parameters
        ----------
        input
            Any tensor.

        Returns
        -------
        bool
            False for bool and unsigned integers.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.is_signed(rl.tensor([1])), rl.is_signed(rl.tensor([True]))
        (True, False)
        """
    @property
    def is_sparse(self) -> builtins.bool:
        """False; True of a `rushlight.sparse.COOTensor`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.zeros(2).is_sparse, rl.zeros(2).to_sparse().is_sparse
        (False, True)
        """
    @property
    def is_sparse_csr(self) -> builtins.bool:
        """False; True of a `rushlight.sparse.CSRTensor`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.zeros((2, 2)).is_sparse_csr, rl.zeros((2, 2)).to_sparse_csr().is_sparse_csr
        (False, True)
        """
    def isclose(input, other: Tensor | builtins.complex, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> Tensor:
        """Returns where ``|input - other| <= atol + rtol * |other|``.

        Parameters
        ----------
        input, other
            Tensors, or a tensor and a number; shapes broadcast.
        rtol, atol
            The relative and the absolute tolerance.
        equal_nan
            Whether two NaN are close.

        Returns
        -------
        Tensor
            bool, of the broadcast shape. Infinities are close where they are equal.

        Raises
        ------
        ValueError
            If a tolerance is negative.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.isclose(rl.tensor([1.0, 2.0]), rl.tensor([1.0, 2.1])).tolist()
        [True, False]
        """
    def isfinite(self) -> Tensor:
        """Tells where an element is neither NaN nor infinite; always for integers.

        Returns
        -------
        Tensor
            Result of dtype bool in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([1.0, float('inf')]).isfinite()
        tensor([ True, False], dtype=bool, device='cpu')
        """
    def isinf(self) -> Tensor:
        """Tells where an element is +inf or -inf; never for integers. A complex number is infinite if a part is.

        Returns
        -------
        Tensor
            Result of dtype bool in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([1.0, float('inf')]).isinf()
        tensor([False,  True], dtype=bool, device='cpu')
        """
    def isnan(self) -> Tensor:
        """Tells where an element is NaN; never for integers. A complex number is NaN if a part is.

        Returns
        -------
        Tensor
            Result of dtype bool in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([1.0, float('nan')]).isnan()
        tensor([False,  True], dtype=bool, device='cpu')
        """
    def isneginf(input) -> Tensor:
        """Returns where elements are negative infinity.

        Parameters
        ----------
        input
            Any shape and real dtype.

        Returns
        -------
        Tensor
            bool, of the shape of `input`.

        Raises
        ------
        TypeError
            If the dtype is complex.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.isneginf(rl.tensor([-rl.inf, 1.0])).tolist()
        [True, False]
        """
    def isposinf(input) -> Tensor:
        """Returns where elements are positive infinity.

        Parameters
        ----------
        input
            Any shape and real dtype.

        Returns
        -------
        Tensor
            bool, of the shape of `input`.

        Raises
        ------
        TypeError
            If the dtype is complex.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.isposinf(rl.tensor([rl.inf, 1.0])).tolist()
        [True, False]
        """
    def isreal(input) -> Tensor:
        """Returns where elements have no imaginary part.

        Parameters
        ----------
        input
            Any shape and dtype.

        Returns
        -------
        Tensor
            bool, of the shape of `input`; True for every real number.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.isreal(rl.tensor([1.0, 2.0])).tolist()
        [True, True]
        """
    def istft(input, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True, normalized: builtins.bool = False, onesided: builtins.bool | None = None, length: builtins.int | None = None, return_complex: builtins.bool = False) -> Tensor:
        """Returns the signal whose `stft` is nearest to the input, in the sense of least squares.

        Parameters
        ----------
        input
            Shape (frequencies, parts) or (batch, frequencies, parts); complex.
        n_fft, hop_length, win_length, window, center, normalized
            As for `stft`.
        onesided
            Whether the input has ``n_fft // 2 + 1`` frequencies, which is the default unless it has `n_fft` of
            them.
        length
            The number of elements of the signal. By default all elements that parts cover, without the padding.
        return_complex
            Whether the signal is complex, which needs all frequencies.

        Returns
        -------
        Tensor
            Shape (t,) or (batch, t).

        Raises
        ------
        ValueError
            If the shape or the window does not fit, or the windows leave an element of the signal out.
        TypeError
            If the input is not complex, or one side of the frequencies is to give a complex signal.

        Examples
        --------
        >>> import rushlight as rl
        >>> window = rl.hann_window(4)
        >>> y = rl.stft(rl.arange(8.0), 4, window=window)
        >>> [round(v, 4) for v in rl.istft(y, 4, window=window).tolist()]
        [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
        """
    def item(self) -> typing.Any:
        """Returns the only element as a Python number.

        Returns
        -------
        number
            bool, int, float or complex, by the dtype.

        Raises
        ------
        ValueError
            If the tensor does not have exactly one element.

        Examples
        --------
        >>> rl.tensor([2.5]).item()
        2.5
        """
    @builtins.property
    def itemsize(self) -> builtins.int:
        """Bytes of one element.

        Examples
        --------
        >>> rl.ones(2).itemsize
        4
        """
    def kron(input, other: Tensor) -> Tensor:
        """Returns the Kronecker product.

        Parameters
        ----------
        input, other
            Numeric tensors; the lower rank gets axes of size 1.

        Returns
        -------
        Tensor
            Each size is the product of the two.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.kron(rl.tensor([1, 2]), rl.tensor([3, 4])).tolist()
        [3, 4, 6, 8]
        """
    def kthvalue(input, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool | None = None) -> ValuesIndices:
        """Returns the element that is the k-th smallest along an axis, and its index.

        Parameters
        ----------
        input
            Rank 1 or more.
        k
            The element, counted from 1 for the smallest.
        dim, axis
            The axis, by either name.
        keepdim, keepdims
            One parameter: whether the axis stays with size 1.

        Returns
        -------
        ValuesIndices
            `values` and int64 `indices`.

        Raises
        ------
        ValueError
            If the axis has no such element.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.kthvalue(rl.tensor([3.0, 9.0, 5.0]), 2).values.item()
        5.0
        """
    def lcm(input, other: Tensor | builtins.complex) -> Tensor:
        """Returns the least common multiple of integers.

        Parameters
        ----------
        input, other
            Tensors, or a tensor and a number, of integer dtypes; shapes broadcast.

        Returns
        -------
        Tensor
            Of the broadcast shape and the promoted dtype; 0 or more, and 0 where an argument is 0. Multiples
            that the dtype cannot hold wrap.

        Raises
        ------
        TypeError
            If the promoted dtype is not an integer dtype, or both arguments are numbers.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.lcm(rl.tensor([12, -9, 0]), rl.tensor([18, 6, 4])).tolist()
        [36, 18, 0]
        """
    def lcm_(self, other: Tensor | builtins.complex) -> typing.Self:
        """Replaces the elements by those of ``lcm``.

        Parameters
        ----------
        input, other
            Tensors, or a tensor and a number, of integer dtypes; shapes broadcast.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([6, 6])
        >>> x.lcm_(rl.tensor([4, 9])) is x
        True
        """
    def ldexp(input, other: Tensor | builtins.complex) -> Tensor:
        """Returns ``input * 2**other``.

        Parameters
        ----------
        input
            Any shape.
        other
            The exponents, usually integers; shapes broadcast.

        Returns
        -------
        Tensor
            Of the broadcast shape; floating point.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.ldexp(rl.tensor([1.0, 3.0]), rl.tensor([1, -1])).tolist()
        [2.0, 1.5]
        """
    def ldexp_(self, other: Tensor | builtins.complex) -> typing.Self:
        """Replaces the elements by those of ``ldexp``.

        Parameters
        ----------
        other
            The exponents, usually integers; shapes broadcast.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.ldexp_(1.0) is x
        True
        """
    def le(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Tells where an element of self is at most that of other. PyTorch's name of ``less_equal``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result of dtype bool in the common shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 2, 3]).le(rl.tensor([2, 2, 2]))
        tensor([ True,  True, False], dtype=bool, device='cpu')
        """
    def le_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``le``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.le_(0.5) is x
        True
        """
    def lerp(input, end: Tensor, weight: Tensor | builtins.float) -> Tensor:
        """Interpolates linearly: ``input + weight * (end - input)``.

        If the weight is 0.5 or more, the result is computed from `end`, as
        ``end - (end - input) * (1 - weight)``, so that the weight 1 gives `end` exactly.

        Parameters
        ----------
        input, end
            Floating-point or complex tensors of one dtype; shapes broadcast.
        weight
            A number, or a tensor that broadcasts.

        Returns
        -------
        Tensor
            Of the broadcast shape.

        Raises
        ------
        TypeError
            If a dtype is neither floating point nor complex, or the dtypes differ.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.lerp(rl.tensor([0.0, 2.0]), rl.tensor([4.0, 4.0]), 0.25).tolist()
        [1.0, 2.5]
        """
    def lerp_(self, end: Tensor, weight: Tensor | builtins.float) -> typing.Self:
        """Replaces the elements by those of ``lerp``.

        Parameters
        ----------
        input, end
            Floating-point or complex tensors of one dtype; shapes broadcast.
        weight
            A number, or a tensor that broadcasts.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.lerp_(rl.ones(2), 0.5) is x
        True
        """
    def less(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Tells where an element of self is less than that of other. PyTorch's name of ``less``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result of dtype bool in the common shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 2, 3]).lt(rl.tensor([2, 2, 2]))
        tensor([ True, False, False], dtype=bool, device='cpu')
        """
    def less_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``less``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.less_(0.5) is x
        True
        """
    def less_equal(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Tells where an element of self is at most that of other. PyTorch's name of ``less_equal``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result of dtype bool in the common shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 2, 3]).le(rl.tensor([2, 2, 2]))
        tensor([ True,  True, False], dtype=bool, device='cpu')
        """
    def less_equal_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``less_equal``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.less_equal_(0.5) is x
        True
        """
    def lgamma(input) -> Tensor:
        """Returns the logarithm of the absolute value of the gamma function.

        Parameters
        ----------
        input
            Any shape and real dtype.

        Returns
        -------
        Tensor
            Of the dtype of `input`, float32 for integers; infinite at 0, -1, -2 and so on.

        Raises
        ------
        TypeError
            If the dtype is complex.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.lgamma(rl.tensor([1.0, 4.0])).exp()
        tensor([1., 6.], dtype=float32, device='cpu')
        """
    def lgamma_(self) -> typing.Self:
        """Replaces the elements by those of ``lgamma``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.lgamma_() is x
        True
        """
    def log(self) -> Tensor:
        """Computes the natural logarithm; NaN for real numbers below 0, -inf at 0.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([1.0, 10.0]).log()
        tensor([0.0000, 2.3026], dtype=float32, device='cpu')
        """
    def log10(self) -> Tensor:
        """Computes the logarithm to base 10.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([1.0, 1000.0]).log10()
        tensor([0., 3.], dtype=float32, device='cpu')
        """
    def log10_(self) -> typing.Self:
        """Replaces the elements by those of ``log10``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.log10_() is x
        True
        """
    def log1p(self) -> Tensor:
        """Computes log(1 + x), exact near 0.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).log1p()
        tensor([0.0000, 0.6931], dtype=float32, device='cpu')
        """
    def log1p_(self) -> typing.Self:
        """Replaces the elements by those of ``log1p``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.log1p_() is x
        True
        """
    def log2(self) -> Tensor:
        """Computes the logarithm to base 2.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([1.0, 8.0]).log2()
        tensor([0., 3.], dtype=float32, device='cpu')
        """
    def log2_(self) -> typing.Self:
        """Replaces the elements by those of ``log2``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.log2_() is x
        True
        """
    def log_(self) -> typing.Self:
        """Replaces the elements by those of ``log``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.log_() is x
        True
        """
    def log_normal_(self, mean: builtins.float = 1.0, std: builtins.float = 2.0, *, generator: Generator | None = None) -> Tensor:
        """Replaces the elements by numbers whose logarithms are draws from a normal distribution.

        Parameters
        ----------
        mean, std
            Mean and standard deviation of the logarithms.
        generator
            Source of the random numbers; that of the device by default.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        ValueError
            If the standard deviation is not positive.
        TypeError
            If the dtype is not floating point.

        Examples
        --------
        >>> import rushlight as rl
        >>> bool((rl.empty(100).log_normal_() > 0).all())
        True
        """
    def log_softmax(input, dim: builtins.int | None = None, dtype: DType | builtins.str | None = None, *, axis: builtins.int | None = None) -> Tensor:
        """Computes the logarithm of the softmax along an axis, accurate where the softmax underflows.

        Parameters
        ----------
        input
            Floating point, or with `dtype` of any dtype.
        dim, axis
            The axis along which the results of the softmax add up to 1.
        dtype
            The dtype of the result, to which the input is converted first.

        Returns
        -------
        Tensor
            Of the shape of `input`.

        Raises
        ------
        IndexError
            If the axis is out of range.
        TypeError
            If no axis is given, or the dtype is not floating point.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.log_softmax(rl.tensor([0.0, -1000.0]), 0).tolist()
        [0.0, -1000.0]
        """
    def logaddexp(x1, x2: Tensor | builtins.complex, /) -> Tensor:
        """Returns ``log(exp(x1) + exp(x2))`` without overflow.

        Parameters
        ----------
        x1, x2
            Tensors, or one tensor and a number; shapes broadcast.

        Returns
        -------
        Tensor
            Of the broadcast shape; the promoted dtype, or float32 for integers. Of complex numbers the logarithm
            whose imaginary part is near that of the argument with the larger real part.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.logaddexp(rl.tensor([1000.0]), rl.tensor([-1000.0])).tolist()
        [1000.0]
        """
    def logaddexp2(input, other: Tensor | builtins.complex) -> Tensor:
        """Returns ``log2(2**input + 2**other)`` without overflow.

        Parameters
        ----------
        input, other
            Tensors, or one tensor and a number; shapes broadcast.

        Returns
        -------
        Tensor
            Of the broadcast shape; the promoted dtype, or float32 for integers.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.logaddexp2(rl.tensor([3.0, 1000.0]), rl.tensor([3.0, -1000.0])).tolist()
        [4.0, 1000.0]
        """
    def logcumsumexp(input, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Tensor:
        """Returns running values of ``log(sum(exp(x)))`` along an axis, without overflow.

        Parameters
        ----------
        input
            Floating point, rank 1 or more.
        dim, axis
            The axis, by either name.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`. No gradient flows from a result that is minus infinity.

        Raises
        ------
        TypeError
            If the dtype is not floating point.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.logcumsumexp(rl.tensor([-rl.inf, 1000.0, -1000.0]), 0).tolist()
        [-inf, 1000.0, 1000.0]
        """
    def logdet(input) -> Tensor:
        """Returns the logarithms of determinants.

        Parameters
        ----------
        input
            Square matrices.

        Returns
        -------
        Tensor
            One number for each matrix: NaN for a negative determinant, ``-inf`` for 0. Complex
            for complex matrices.

        Raises
        ------
        ValueError
            If the matrices are not square.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.logdet(rl.eye(3)).item()
        0.0
        """
    def logical_and(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Tells where both elements are nonzero; NaN counts as nonzero.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result of dtype bool in the common shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([0, 2]).logical_and(rl.tensor([3, 4]))
        tensor([False,  True], dtype=bool, device='cpu')
        """
    def logical_and_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``logical_and``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.logical_and_(rl.zeros(2)) is x
        True
        """
    def logical_not(self) -> Tensor:
        """Tells where an element is zero.

        Returns
        -------
        Tensor
            Result of dtype bool in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0, 2]).logical_not()
        tensor([ True, False], dtype=bool, device='cpu')
        """
    def logical_not_(self) -> typing.Self:
        """Replaces the elements by those of ``logical_not``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.logical_not_() is x
        True
        """
    def logical_or(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Tells where at least one of two elements is nonzero; NaN counts as nonzero.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result of dtype bool in the common shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([0, 2]).logical_or(rl.tensor([3, 4]))
        tensor([True, True], dtype=bool, device='cpu')
        """
    def logical_or_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``logical_or``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.logical_or_(rl.zeros(2)) is x
        True
        """
    def logical_xor(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Tells where exactly one of two elements is nonzero; NaN counts as nonzero.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result of dtype bool in the common shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([0, 2]).logical_xor(rl.tensor([3, 4]))
        tensor([ True, False], dtype=bool, device='cpu')
        """
    def logical_xor_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``logical_xor``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.logical_xor_(rl.zeros(2)) is x
        True
        """
    def logit(input, eps: builtins.float | None = None) -> Tensor:
        """Returns ``log(x / (1 - x))``, the inverse of `sigmoid`.

        Parameters
        ----------
        input
            Any shape; floating point, from 0 to 1.
        eps
            Limits `input` to ``[eps, 1 - eps]`` first.

        Returns
        -------
        Tensor
            Of the shape of `input`: infinite at 0 and 1, as the gradient is, and NaN outside.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.logit(rl.tensor([0.5])).item()
        0.0
        """
    def logit_(self, eps: builtins.float | None = None) -> typing.Self:
        """Replaces the elements by those of ``logit``.

        Parameters
        ----------
        eps
            Limits `input` to ``[eps, 1 - eps]`` first.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.logit_() is x
        True
        """
    def logsumexp(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Computes log(sum(exp(x))) over axes, without overflow for large elements.

        Parameters
        ----------
        axis, dim : int or tuple of int, optional
            Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.

        Returns
        -------
        Tensor
            One value for each element of the axes that stay; minus infinity where there is no element.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([1000.0, 1000.0]).logsumexp()
        tensor(1000.6932, dtype=float32, device='cpu')
        """
    def long(self) -> Tensor:
        """Converts the tensor to int64.

        Returns
        -------
        Tensor
            Converted tensor; the tensor itself if nothing changes.

        Examples
        --------
        >>> rl.tensor([1.5, -1.5]).long()
        tensor([ 1, -1], dtype=int64, device='cpu')
        """
    def lt(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Tells where an element of self is less than that of other. PyTorch's name of ``less``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result of dtype bool in the common shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 2, 3]).lt(rl.tensor([2, 2, 2]))
        tensor([ True, False, False], dtype=bool, device='cpu')
        """
    def lt_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``lt``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.lt_(0.5) is x
        True
        """
    def lu_solve(b, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """Solves systems by the LU factorization of their matrices: `rushlight.linalg.lu_solve`.

        Parameters
        ----------
        b
            Right sides: matrices.
        LU_data, LU_pivots
            The results of `rushlight.linalg.lu_factor`.

        Returns
        -------
        Tensor
            The solutions.

        Raises
        ------
        ValueError
            If the shapes do not fit, or a pivot is not the number of a row.

        Examples
        --------
        >>> import rushlight as rl
        >>> LU, pivots = rl.linalg.lu_factor(rl.tensor([[2.0]]))
        >>> rl.lu_solve(rl.tensor([[8.0]]), LU, pivots).tolist()
        [[4.0]]
        """
    @property
    def mH(self) -> Tensor:
        """Transposed and conjugated matrices: a view of real ones, a copy of complex ones.

        Raises AttributeError if the tensor has rank 0 or 1.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.ones((5, 2, 3)).mH.shape
        (5, 3, 2)
        """
    @builtins.property
    def mT(self) -> Tensor:
        """View with the last two dimensions exchanged.

        Raises ValueError if the tensor has rank 0 or 1.

        Examples
        --------
        >>> rl.ones((5, 2, 3)).mT.shape
        (5, 3, 2)
        """
    def masked_fill(self, mask: Tensor, value: builtins.complex) -> Tensor:
        """Returns a copy with a value written where a mask is True.

        Parameters
        ----------
        mask : Tensor
            Mask, of dtype bool.
        value : number
            Value to write; it fits the dtype of the tensor.

        Returns
        -------
        Tensor
            Copy with these elements replaced.

        Raises
        ------
        ValueError
            If the shapes cannot be broadcast to one shape.
        TypeError
            If the mask is not of dtype bool, or the value is of another kind than the dtype.

        Examples
        --------
        >>> rl.tensor([1, 2, 3]).masked_fill(rl.tensor([True, False, True]), 0)
        tensor([0, 2, 0], dtype=int64, device='cpu')
        """
    def masked_fill_(self, mask: Tensor, value: builtins.complex) -> typing.Self:
        """Replaces the elements by those of ``masked_fill``.

        Parameters
        ----------
        mask : Tensor
            Mask, of dtype bool.
        value : number
            Value to write; it fits the dtype of the tensor.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.masked_fill_(rl.tensor([True, False]), 0.0) is x
        True
        """
    def masked_scatter(input, mask: Tensor, source: Tensor) -> Tensor:
        """Returns a copy in which the elements where a mask is True are the first ones of another tensor.

        Parameters
        ----------
        input
            Any shape.
        mask
            bool; it and `input` broadcast.
        source
            The new elements in row-major order, of the dtype of `input`.

        Returns
        -------
        Tensor
            Of the broadcast shape and the dtype of `input`.

        Raises
        ------
        TypeError
            If the mask is not of dtype bool, or the dtypes of `input` and `source` differ.
        ValueError
            If `source` has too few elements.

        Examples
        --------
        >>> import rushlight as rl
        >>> mask = rl.tensor([True, False, True])
        >>> rl.masked_scatter(rl.zeros(3), mask, rl.tensor([5.0, 7.0])).tolist()
        [5.0, 0.0, 7.0]
        """
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> typing.Self:
        """Replaces the elements by those of ``masked_scatter``.

        Parameters
        ----------
        mask
            bool; it and `input` broadcast.
        source
            The new elements in row-major order, of the dtype of `input`.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.masked_scatter_(rl.tensor([True, False]), rl.zeros(1)) is x
        True
        """
    def masked_select(input, mask: Tensor) -> Tensor:
        """Returns the elements where a mask is True, as a vector.

        Parameters
        ----------
        input
            Any shape and dtype.
        mask
            bool; it and `input` broadcast.

        Returns
        -------
        Tensor
            The elements in row-major order.

        Raises
        ------
        TypeError
            If the mask is not of dtype bool.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.tensor([1, 2, 3])
        >>> rl.masked_select(x, x > 1).tolist()
        [2, 3]
        """
    def matmul(self, other: Tensor | SparseTensor, /) -> Tensor:
        """Multiplies by a matrix over the last two dimensions; the other dimensions are broadcast.

        Parameters
        ----------
        other : Tensor or SparseTensor
            Right factor, of shape (.., k, m) or (k,).

        Returns
        -------
        Tensor
            Product of shape (.., n, m), in the common dtype.

        Raises
        ------
        ValueError
            If the sizes do not match, or a factor has rank 0.
        TypeError
            If ``other`` is not a tensor.

        Examples
        --------
        >>> rl.tensor([[1, 2], [3, 4]]).matmul(rl.tensor([1, 10]))
        tensor([21, 43], dtype=int64, device='cpu')
        """
    def matrix_exp(A) -> Tensor:
        """Returns exponentials of square matrices: ``I + A + A @ A / 2 + ...``.

        A matrix is halved until its 1-norm is small, its exponential is approximated by a quotient of polynomials
        (Higham 2005), and the result is squared as many times. The gradient is that of these operations.

        Parameters
        ----------
        A
            Square matrices, real or complex.

        Returns
        -------
        Tensor
            The same shape.

        Raises
        ------
        ValueError
            If the matrices are not square.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.linalg.matrix_exp(rl.tensor([[0.0, 1.0], [0.0, 0.0]])).tolist()
        [[1.0, 1.0], [0.0, 1.0]]
        """
    def matrix_power(A, n: builtins.int) -> Tensor:
        """Multiplies matrices by themselves.

        Parameters
        ----------
        A
            Square matrices.
        n
            The power; 0 gives unit matrices, a negative one powers of the inverses.

        Returns
        -------
        Tensor
            Of the shape of `A`.

        Raises
        ------
        LinAlgError
            If `n` is negative and a matrix is singular.
        ValueError
            If the matrices are not square.
        TypeError
            If `n` is not an integer.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.linalg.matrix_power(rl.tensor([[1.0, 1.0], [0.0, 1.0]]), 5).tolist()
        [[1.0, 5.0], [0.0, 1.0]]
        """
    @typing.overload
    def max(self, *, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, out: None = None) -> Tensor:
        """Finds the largest element over axes; NaN if there is one.

        Parameters
        ----------
        dim : int, optional
            One axis, also by position. The result is the pair ``(values, indices)``, as in PyTorch.
        axis : int or tuple of int, optional
            Axes to reduce, as in NumPy; all axes by default. The result is a tensor.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        out : None
            Only None; NumPy's functions pass it.
        other : Tensor, optional
            A tensor to compare with, also by position: the result is ``maximum(x, other)``, as in PyTorch.

        Returns
        -------
        Tensor or ValuesIndices
            Values in the tensor's dtype; with ``dim`` also the int64 index of the first of them.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        ValueError
            If there is no element to choose from.

        Examples
        --------
        >>> rl.tensor([3, 1, 2]).max()
        tensor(3, dtype=int64, device='cpu')
        """
    @typing.overload
    def max(self, other: Tensor, /) -> Tensor:
        """Finds the largest element over axes; NaN if there is one.

        Parameters
        ----------
        dim : int, optional
            One axis, also by position. The result is the pair ``(values, indices)``, as in PyTorch.
        axis : int or tuple of int, optional
            Axes to reduce, as in NumPy; all axes by default. The result is a tensor.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        out : None
            Only None; NumPy's functions pass it.
        other : Tensor, optional
            A tensor to compare with, also by position: the result is ``maximum(x, other)``, as in PyTorch.

        Returns
        -------
        Tensor or ValuesIndices
            Values in the tensor's dtype; with ``dim`` also the int64 index of the first of them.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        ValueError
            If there is no element to choose from.

        Examples
        --------
        >>> rl.tensor([3, 1, 2]).max()
        tensor(3, dtype=int64, device='cpu')
        """
    @typing.overload
    def max(self, dim: builtins.int, keepdim: builtins.bool = False) -> ValuesIndices:
        """Finds the largest element over axes; NaN if there is one.

        Parameters
        ----------
        dim : int, optional
            One axis, also by position. The result is the pair ``(values, indices)``, as in PyTorch.
        axis : int or tuple of int, optional
            Axes to reduce, as in NumPy; all axes by default. The result is a tensor.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        out : None
            Only None; NumPy's functions pass it.
        other : Tensor, optional
            A tensor to compare with, also by position: the result is ``maximum(x, other)``, as in PyTorch.

        Returns
        -------
        Tensor or ValuesIndices
            Values in the tensor's dtype; with ``dim`` also the int64 index of the first of them.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        ValueError
            If there is no element to choose from.

        Examples
        --------
        >>> rl.tensor([3, 1, 2]).max()
        tensor(3, dtype=int64, device='cpu')
        """
    def maximum(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes the larger of two elements; NaN if either is. Equal elements share the gradient.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer or floating-point dtype. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 5]).maximum(rl.tensor([4, 2]))
        tensor([4, 5], dtype=int64, device='cpu')
        """
    def mean(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dtype: DType | builtins.str | None = None, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Averages elements over axes; integers and bools are averaged in float32.

        Parameters
        ----------
        axis, dim : int or tuple of int, optional
            Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        dtype : DType or str, optional
            Dtype to compute in, and of the result.
        out : None
            Only None; NumPy's functions pass it.

        Returns
        -------
        Tensor
            One value for each element of the axes that stay.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([1.0, 2.0, 6.0]).mean()
        tensor(3., dtype=float32, device='cpu')
        """
    def median(input, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool | None = None) -> Tensor | ValuesIndices:
        """Returns the median; for an even number of elements the lower one of the middle two, as in PyTorch.

        With NumPy's names, an `axis` or `keepdims`, it is NumPy's: the mean of the middle two, without indices.

        Parameters
        ----------
        input
            Any shape. The median of elements that include NaN is NaN, and so is that of no floats.
        dim
            The axis, with an element or more; None for all elements.
        keepdim
            Whether the axis stays with size 1.
        axis, keepdims
            The same for NumPy's median.

        Returns
        -------
        Tensor or ValuesIndices
            A scalar; with `dim` the pair of `values` and int64 `indices`. NumPy's median of integers is of the
            default float dtype.

        Raises
        ------
        ValueError
            If the axis `dim` has no element, or there are no elements at all and they are integers.
        TypeError
            If names of PyTorch and NumPy are mixed.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.median(rl.tensor([4.0, 1.0, 3.0, 2.0])).item()
        2.0
        >>> rl.median(rl.tensor([[3, 1, 2]]), dim=1).indices.tolist()
        [2]
        >>> rl.median(rl.tensor([4.0, 1.0, 3.0, 2.0]), axis=0).item()
        2.5
        """
    @typing.overload
    def min(self, *, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, out: None = None) -> Tensor:
        """Finds the smallest element over axes; NaN if there is one.

        Parameters
        ----------
        dim : int, optional
            One axis, also by position. The result is the pair ``(values, indices)``, as in PyTorch.
        axis : int or tuple of int, optional
            Axes to reduce, as in NumPy; all axes by default. The result is a tensor.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        out : None
            Only None; NumPy's functions pass it.
        other : Tensor, optional
            A tensor to compare with, also by position: the result is ``minimum(x, other)``, as in PyTorch.

        Returns
        -------
        Tensor or ValuesIndices
            Values in the tensor's dtype; with ``dim`` also the int64 index of the first of them.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        ValueError
            If there is no element to choose from.

        Examples
        --------
        >>> rl.tensor([3, 1, 2]).min()
        tensor(1, dtype=int64, device='cpu')
        """
    @typing.overload
    def min(self, other: Tensor, /) -> Tensor:
        """Finds the smallest element over axes; NaN if there is one.

        Parameters
        ----------
        dim : int, optional
            One axis, also by position. The result is the pair ``(values, indices)``, as in PyTorch.
        axis : int or tuple of int, optional
            Axes to reduce, as in NumPy; all axes by default. The result is a tensor.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        out : None
            Only None; NumPy's functions pass it.
        other : Tensor, optional
            A tensor to compare with, also by position: the result is ``minimum(x, other)``, as in PyTorch.

        Returns
        -------
        Tensor or ValuesIndices
            Values in the tensor's dtype; with ``dim`` also the int64 index of the first of them.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        ValueError
            If there is no element to choose from.

        Examples
        --------
        >>> rl.tensor([3, 1, 2]).min()
        tensor(1, dtype=int64, device='cpu')
        """
    @typing.overload
    def min(self, dim: builtins.int, keepdim: builtins.bool = False) -> ValuesIndices:
        """Finds the smallest element over axes; NaN if there is one.

        Parameters
        ----------
        dim : int, optional
            One axis, also by position. The result is the pair ``(values, indices)``, as in PyTorch.
        axis : int or tuple of int, optional
            Axes to reduce, as in NumPy; all axes by default. The result is a tensor.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        out : None
            Only None; NumPy's functions pass it.
        other : Tensor, optional
            A tensor to compare with, also by position: the result is ``minimum(x, other)``, as in PyTorch.

        Returns
        -------
        Tensor or ValuesIndices
            Values in the tensor's dtype; with ``dim`` also the int64 index of the first of them.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        ValueError
            If there is no element to choose from.

        Examples
        --------
        >>> rl.tensor([3, 1, 2]).min()
        tensor(1, dtype=int64, device='cpu')
        """
    def minimum(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes the smaller of two elements; NaN if either is. Equal elements share the gradient.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer or floating-point dtype. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 5]).minimum(rl.tensor([4, 2]))
        tensor([1, 2], dtype=int64, device='cpu')
        """
    def mm(input, mat2: typing.Any) -> Tensor:
        """Multiplies two matrices.

        Parameters
        ----------
        input, mat2
            Matrices of shapes ``(n, k)`` and ``(k, m)``. Sparse ones are multiplied by `rushlight.sparse.mm`.

        Returns
        -------
        Tensor, or a sparse tensor
            Shape ``(n, m)``; sparse if both are.

        Raises
        ------
        ValueError
            If one is not a matrix, or the inner sizes differ.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.mm(rl.tensor([[1.0, 2.0]]), rl.tensor([[3.0], [4.0]])).tolist()
        [[11.0]]
        """
    def mode(input, dim: builtins.int = -1, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool | None = None) -> ValuesIndices:
        """Returns the most frequent element along an axis; of several the smallest.

        Parameters
        ----------
        input
            Any shape, with an element or more along the axis. NaN is equal to no element.
        dim, axis
            The axis, by either name.
        keepdim, keepdims
            One parameter: whether the axis stays with size 1.

        Returns
        -------
        ValuesIndices
            The elements, and the int64 index of the last one of them.

        Raises
        ------
        ValueError
            If the axis has no element.

        Examples
        --------
        >>> import rushlight as rl
        >>> values, indices = rl.mode(rl.tensor([[1, 2, 2, 1, 3], [5, 5, 4, 4, 1]]))
        >>> values.tolist(), indices.tolist()
        ([1, 4], [3, 3])
        """
    def moveaxis(x, source: builtins.int | builtins.tuple[builtins.int, ...], destination: builtins.int | builtins.tuple[builtins.int, ...], /) -> Tensor:
        """Moves axes to new positions; the others keep their order.

        Parameters
        ----------
        x
            Any shape and dtype.
        source, destination
            Old and new positions of one axis or of several.

        Returns
        -------
        Tensor
            A view.

        Raises
        ------
        ValueError
            If the two have different lengths.
        IndexError
            If an axis is out of range.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.moveaxis(rl.ones((2, 3, 4)), 0, -1).shape
        (3, 4, 2)
        """
    def movedim(x, source: builtins.int | builtins.tuple[builtins.int, ...], destination: builtins.int | builtins.tuple[builtins.int, ...], /) -> Tensor:
        """Moves axes to new positions; the others keep their order.

        Parameters
        ----------
        x
            Any shape and dtype.
        source, destination
            Old and new positions of one axis or of several.

        Returns
        -------
        Tensor
            A view.

        Raises
        ------
        ValueError
            If the two have different lengths.
        IndexError
            If an axis is out of range.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.moveaxis(rl.ones((2, 3, 4)), 0, -1).shape
        (3, 4, 2)
        """
    def msort(input) -> Tensor:
        """Sorts along the first axis, in ascending order.

        Parameters
        ----------
        input
            Rank 1 or more.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.

        Raises
        ------
        IndexError
            If `input` is a scalar.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.msort(rl.tensor([[3, 1], [2, 4]])).tolist()
        [[2, 1], [3, 4]]
        """
    def mul(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes self * other; integers wrap. PyTorch's name of ``multiply``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of any dtype but bool. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 2]).mul(rl.tensor([10, 20]))
        tensor([10, 40], dtype=int64, device='cpu')
        """
    def mul_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``mul``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of any dtype but bool. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.mul_(2.0) is x
        True
        """
    def multinomial(input, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Generator | None = None) -> Tensor:
        """Draws indices with probabilities in proportion to weights.

        With one sample, or without replacement, the indices of the largest ``weight / e`` are taken for
        exponential random numbers ``e`` (Efraimidis and Spirakis, 2006): the n-th index is distributed as a draw
        from the rest.

        Parameters
        ----------
        input
            Weights of shape ``(k,)`` or ``(rows, k)``: floating point, finite, none negative, not all 0 in a row.
        num_samples
            Number of indices to draw for each row.
        replacement
            Whether an index may be drawn again.
        generator
            Source of the random numbers; that of the device by default.

        Returns
        -------
        Tensor
            int64, of shape ``(num_samples,)`` or ``(rows, num_samples)``.

        Raises
        ------
        TypeError
            If the dtype is not floating point.
        ValueError
            If the rank is another, a weight is negative or not finite, a row has the sum 0, or more samples
            without replacement are asked for than there are positive weights.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.multinomial(rl.tensor([0.0, 1.0, 0.0]), 3, replacement=True).tolist()
        [1, 1, 1]
        """
    def multiply(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes self * other; integers wrap.

        Parameters
        ----------
        other : Tensor or number
            Right operand of any dtype but bool. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 2]).multiply(rl.tensor([10, 20]))
        tensor([10, 40], dtype=int64, device='cpu')
        """
    def multiply_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``multiply``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of any dtype but bool. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.multiply_(2.0) is x
        True
        """
    def mv(input, vec: Tensor) -> Tensor:
        """Multiplies a matrix by a vector.

        Parameters
        ----------
        input
            Shape ``(n, k)``.
        vec
            Shape ``(k,)``.

        Returns
        -------
        Tensor
            Shape ``(n,)``.

        Raises
        ------
        ValueError
            If the ranks are others, or the inner sizes differ.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.mv(rl.tensor([[1.0, 2.0]]), rl.tensor([3.0, 4.0])).tolist()
        [11.0]
        """
    def mvlgamma(input, p: builtins.int) -> Tensor:
        """Returns the logarithm of the multivariate gamma function.

        Parameters
        ----------
        input
            Any shape and real dtype; larger than ``(p - 1) / 2``.
        p
            The number of dimensions, 1 or more.

        Returns
        -------
        Tensor
            ``p (p - 1) / 4 log(pi)`` plus the sum of ``lgamma(input - j / 2)`` over j from 0 to p - 1.

        Raises
        ------
        TypeError
            If the dtype is complex.
        ValueError
            If `p` is below 1, or more elements are needed than a tensor can have.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.mvlgamma(rl.tensor([2.0]), 2).exp()
        tensor([1.5708], dtype=float32, device='cpu')
        """
    def mvlgamma_(self, p: builtins.int) -> typing.Self:
        """Replaces the elements by those of ``mvlgamma``.

        Parameters
        ----------
        p
            The number of dimensions, 1 or more.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([1.5, 2.0])
        >>> x.mvlgamma_(2) is x
        True
        """
    def nan_to_num(input, nan: builtins.float = 0.0, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Tensor:
        """Replaces NaN and infinities.

        Parameters
        ----------
        input
            Any shape; floating point; complex, whose parts are treated alike; or integers, which stay as they
            are.
        nan
            The number in place of NaN.
        posinf, neginf
            Numbers in place of infinities; the largest and the smallest of the dtype by default.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.nan_to_num(rl.tensor([rl.nan, rl.inf, 1.0]), posinf=5.0).tolist()
        [0.0, 5.0, 1.0]
        """
    def nan_to_num_(self, nan: builtins.float = 0.0, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> typing.Self:
        """Replaces the elements by those of ``nan_to_num``.

        Parameters
        ----------
        nan
            The number in place of NaN.
        posinf, neginf
            Numbers in place of infinities; the largest and the smallest of the dtype by default.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.nan_to_num_() is x
        True
        """
    def nanmean(input, dim: builtins.int | builtins.tuple[builtins.int, ...] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | builtins.tuple[builtins.int, ...] | None = None, keepdims: builtins.bool | None = None) -> Tensor:
        """Averages the elements that are not NaN.

        Parameters
        ----------
        input
            Any shape; floating point.
        dim, axis
            The axis, by either name, or several; None for all.
        keepdim, keepdims
            One parameter: whether the axes stay with size 1.

        Returns
        -------
        Tensor
            The other axes; NaN where there is no number.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.nanmean(rl.tensor([1.0, 3.0, rl.nan])).item()
        2.0
        """
    def nanmedian(input, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | builtins.tuple[builtins.int, ...] | None = None, keepdims: builtins.bool | None = None) -> Tensor | ValuesIndices:
        """Returns the median of the elements that are not NaN; of an even number the lower one of the middle two.

        With NumPy's names, an `axis` or `keepdims`, it is NumPy's: the mean of the middle two, without indices.

        Parameters
        ----------
        input
            Any shape.
        dim
            The axis, with an element or more; None for all elements.
        keepdim
            Whether the axis stays with size 1.
        axis, keepdims
            The same for NumPy's median; several axes as a tuple.

        Returns
        -------
        Tensor or ValuesIndices
            A scalar; with `dim` the pair of `values` and int64 `indices`. NaN where all elements
            are, and of no elements. NumPy's median of integers is of the default float dtype.

        Raises
        ------
        TypeError
            If names of PyTorch and NumPy are mixed.
        ValueError
            If the axis `dim` has no element, or there are no elements at all and they are integers.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.nanmedian(rl.tensor([4.0, float("nan"), 3.0, 2.0])).item()
        3.0
        """
    def nanquantile(input, q: builtins.float | collections.abc.Sequence[builtins.float] | Tensor, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = 'linear', method: builtins.str | None = None, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None) -> Tensor:
        """Returns quantiles of the elements that are not NaN.

        Parameters
        ----------
        input
            Floating point; with an element or more.
        q
            One probability or several, from 0 to 1.
        dim, axis
            The axis, by either name, or several as a tuple; None for all elements.
        keepdim, keepdims
            One parameter: whether the axes stay with size 1.
        interpolation, method
            One parameter, by PyTorch's and by NumPy's name. Between two elements ``"linear"``, ``"lower"``,
            ``"higher"``, ``"midpoint"`` or ``"nearest"``; or another definition of quantiles, as in NumPy:
            ``"inverted_cdf"``, ``"averaged_inverted_cdf"``, ``"closest_observation"``,
            ``"interpolated_inverted_cdf"``, ``"hazen"``, ``"weibull"``, ``"median_unbiased"`` or
            ``"normal_unbiased"`` (1 to 9, without the 7th, ``"linear"``, of Hyndman and Fan 1996).

        Returns
        -------
        Tensor
            One value for each line; with several `q` these are the first axis. NaN where all elements are.

        Raises
        ------
        TypeError
            If the dtype is not floating point, or a parameter is given by both names.
        ValueError
            If a probability is not between 0 and 1, there is no element, or `interpolation` is another text.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.tensor([0.0, 1.0, 2.0, 3.0, rl.nan])
        >>> rl.nanquantile(x, 0.5).item(), rl.nanquantile(x, 0.5, method="inverted_cdf").item()
        (1.5, 1.0)
        """
    def nansum(input, dim: builtins.int | builtins.tuple[builtins.int, ...] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | builtins.tuple[builtins.int, ...] | None = None, keepdims: builtins.bool | None = None) -> Tensor:
        """Sums elements, with 0 in place of NaN.

        Parameters
        ----------
        input
            Any shape.
        dim, axis
            The axis, by either name, or several; None for all.
        keepdim, keepdims
            One parameter: whether the axes stay with size 1.

        Returns
        -------
        Tensor
            The other axes.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.nansum(rl.tensor([1.0, rl.nan])).item()
        1.0
        """
    def narrow(self, dim: typing.SupportsIndex, start: builtins.int, length: builtins.int) -> Tensor:
        """Returns a range of entries along a dimension, as a view.

        Parameters
        ----------
        dim : int
            Dimension; a negative one counts from the end.
        start : int
            First entry.
        length : int
            Number of entries.

        Returns
        -------
        Tensor
            View of these entries.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If the range exceeds the dimension, or a number is negative.

        Examples
        --------
        >>> rl.arange(5).narrow(0, 1, 3)
        tensor([1, 2, 3], dtype=int64, device='cpu')
        """
    @builtins.property
    def nbytes(self) -> builtins.int:
        """Bytes of all elements.

        Examples
        --------
        >>> rl.ones((2, 3)).nbytes
        24
        """
    @builtins.property
    def ndim(self) -> builtins.int:
        """Number of dimensions.

        Examples
        --------
        >>> rl.ones((2, 3)).ndim
        2
        """
    def ndimension(self) -> builtins.int:
        """Returns the number of dimensions.

        Returns
        -------
        int
            Rank of the tensor.

        Examples
        --------
        >>> rl.ones((2, 3)).dim()
        2
        """
    def ne(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Tells where an element of self is different from that of other. PyTorch's name of ``not_equal``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result of dtype bool in the common shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 2, 3]).ne(rl.tensor([2, 2, 2]))
        tensor([ True, False,  True], dtype=bool, device='cpu')
        """
    def ne_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``ne``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.ne_(0.5) is x
        True
        """
    def neg(self) -> Tensor:
        """Computes -x; integers wrap. PyTorch's name of ``negative``.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([-3, 2]).neg()
        tensor([ 3, -2], dtype=int64, device='cpu')
        """
    def neg_(self) -> typing.Self:
        """Replaces the elements by those of ``neg``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.neg_() is x
        True
        """
    def negative(self) -> Tensor:
        """Computes -x; integers wrap.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([-3, 2]).negative()
        tensor([ 3, -2], dtype=int64, device='cpu')
        """
    def negative_(self) -> typing.Self:
        """Replaces the elements by those of ``negative``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.negative_() is x
        True
        """
    def nelement(self) -> builtins.int:
        """Returns the number of elements.

        Returns
        -------
        int
            Product of the sizes.

        Examples
        --------
        >>> rl.ones((2, 3)).numel()
        6
        """
    def new_empty(self, *size: builtins.int | collections.abc.Sequence[builtins.int], dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
        """Returns a tensor of unspecified values of the dtype and device of this one.

        Parameters
        ----------
        *size
            The shape, as one sequence or as separate integers.
        dtype, device
            Others than those of the tensor.
        requires_grad
            Whether gradients are recorded for the result.

        Returns
        -------
        Tensor
            A new tensor.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([1.0]).new_empty(2, 3).shape
        (2, 3)
        """
    def new_full(self, size: builtins.int | collections.abc.Sequence[builtins.int], fill_value: builtins.complex, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
        """Returns a tensor of one value of the dtype and device of this one.

        Parameters
        ----------
        size
            The shape.
        fill_value
            The value of every element.
        dtype, device
            Others than those of the tensor.
        requires_grad
            Whether gradients are recorded for the result.

        Returns
        -------
        Tensor
            A new tensor.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([1.0]).new_full((2,), 5).tolist()
        [5.0, 5.0]
        """
    def new_ones(self, *size: builtins.int | collections.abc.Sequence[builtins.int], dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
        """Returns a tensor of ones of the dtype and device of this one.

        Parameters
        ----------
        *size
            The shape, as one sequence or as separate integers.
        dtype, device
            Others than those of the tensor.
        requires_grad
            Whether gradients are recorded for the result.

        Returns
        -------
        Tensor
            A new tensor.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([1.0]).new_ones((2,)).tolist()
        [1.0, 1.0]
        """
    def new_tensor(self, data: typing.Any, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
        """Copies data into a tensor of the dtype and device of this one.

        Parameters
        ----------
        data
            Numbers, nested sequences, an array or a tensor.
        dtype, device
            Others than those of the tensor.
        requires_grad
            Whether gradients are recorded for the result.

        Returns
        -------
        Tensor
            A new tensor.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([1.0]).new_tensor([1, 2]).dtype
        rushlight.float32
        """
    def new_zeros(self, *size: builtins.int | collections.abc.Sequence[builtins.int], dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
        """Returns a tensor of zeros of the dtype and device of this one.

        Parameters
        ----------
        *size
            The shape, as one sequence or as separate integers.
        dtype, device
            Others than those of the tensor.
        requires_grad
            Whether gradients are recorded for the result.

        Returns
        -------
        Tensor
            A new tensor.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([1, 2]).new_zeros(2, 2).tolist()
        [[0, 0], [0, 0]]
        """
    def nextafter(x1, x2: Tensor | builtins.complex, /) -> Tensor:
        """Returns the next representable number from ``x1`` towards ``x2``.

        Parameters
        ----------
        x1, x2
            float32 or float64 tensors, or one tensor and a number; shapes broadcast.

        Returns
        -------
        Tensor
            Of the broadcast shape and the promoted dtype.

        Raises
        ------
        TypeError
            If the promoted dtype is neither float32 nor float64.

        Examples
        --------
        >>> import rushlight as rl
        >>> bool((rl.nextafter(rl.ones(1), rl.tensor([2.0])) > 1).all())
        True
        """
    def nextafter_(self, x2: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``nextafter``.

        Parameters
        ----------
        x1, x2
            float32 or float64 tensors, or one tensor and a number; shapes broadcast.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.nextafter_(1.0) is x
        True
        """
    @typing.overload
    def nonzero(self, *, as_tuple: typing.Literal[True]) -> builtins.tuple[Tensor, ...]:
        """Returns the indices of the nonzero elements, in row-major order.

        Parameters
        ----------
        as_tuple : bool, default False
            False returns a matrix with one row for each element; True returns one vector for each dimension.

        Returns
        -------
        Tensor or tuple[Tensor, ...]
            Indices, of dtype int64.

        Raises
        ------
        ValueError
            If the tensor has rank 0.

        Examples
        --------
        >>> rl.tensor([[0, 3], [4, 0]]).nonzero()
        tensor([[0, 1],
                [1, 0]], dtype=int64, device='cpu')
        """
    @typing.overload
    def nonzero(self, *, as_tuple: typing.Literal[False] = False) -> Tensor:
        """Returns the indices of the nonzero elements, in row-major order.

        Parameters
        ----------
        as_tuple : bool, default False
            False returns a matrix with one row for each element; True returns one vector for each dimension.

        Returns
        -------
        Tensor or tuple[Tensor, ...]
            Indices, of dtype int64.

        Raises
        ------
        ValueError
            If the tensor has rank 0.

        Examples
        --------
        >>> rl.tensor([[0, 3], [4, 0]]).nonzero()
        tensor([[0, 1],
                [1, 0]], dtype=int64, device='cpu')
        """
    def norm(input, p: builtins.float | builtins.str | None = 'fro', dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: DType | builtins.str | None = None) -> Tensor:
        """Returns the norm of the elements, as of one vector.

        Parameters
        ----------
        input
            Any shape; floating point or complex.
        p
            The order: 2, ``"fro"`` or None for the Euclidean norm; 0 counts the elements that are not zero;
            ``inf`` and ``-inf`` take the largest and the smallest absolute value.
        dim
            The axes, of which the elements are taken together; None for all.
        keepdim
            Whether the axes stay with size 1.
        dtype
            Converts the input first.

        Returns
        -------
        Tensor
            The other axes; real, also for complex numbers. The gradient is 0 where the norm is 0.

        Raises
        ------
        TypeError
            If the dtype is neither floating point nor complex.
        ValueError
            If `p` is another text.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.norm(rl.tensor([3.0, 4.0])).item()
        5.0
        >>> rl.norm(rl.tensor([[3.0, -4.0]]), 1, dim=1).tolist()
        [7.0]
        """
    def normal_(self, mean: builtins.float = 0.0, std: builtins.float = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Replaces the elements by draws from a normal distribution.

        Parameters
        ----------
        mean, std
            Its mean and standard deviation.
        generator
            Source of the random numbers; that of the device by default.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        ValueError
            If the standard deviation is negative.
        TypeError
            If the dtype is not floating point.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.empty(1000).normal_(5.0, 0.1)
        >>> bool((x.mean() - 5.0).abs() < 0.1)
        True
        """
    def not_equal(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Tells where an element of self is different from that of other. PyTorch's name of ``not_equal``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result of dtype bool in the common shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 2, 3]).ne(rl.tensor([2, 2, 2]))
        tensor([ True, False,  True], dtype=bool, device='cpu')
        """
    def not_equal_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``not_equal``.

        Parameters
        ----------
        other : Tensor or number
            Right operand. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.not_equal_(0.5) is x
        True
        """
    def numel(self) -> builtins.int:
        """Returns the number of elements.

        Returns
        -------
        int
            Product of the sizes.

        Examples
        --------
        >>> rl.ones((2, 3)).numel()
        6
        """
    def numpy(self, *, force: builtins.bool = False) -> typing.Any:
        """Returns a NumPy array that shares the memory.

        Parameters
        ----------
        force : bool, default False
            Whether to detach the tensor and copy it to the CPU first, if that is needed.

        Returns
        -------
        numpy.ndarray
            Array over the tensor's memory; bfloat16 and float8 need the package ml_dtypes and are copied.

        Raises
        ------
        RuntimeError
            If the tensor requires a gradient and ``force`` is False.
        TypeError
            If the tensor is not on the CPU and ``force`` is False, or NumPy is not installed.

        Examples
        --------
        >>> rl.tensor([1, 2]).numpy()
        array([1, 2])
        """
    def outer(x1, x2: Tensor, /) -> Tensor:
        """Returns all products of two vectors' elements.

        Parameters
        ----------
        x1, x2
            Numeric vectors of lengths n and m.

        Returns
        -------
        Tensor
            Shape ``(n, m)``, of the promoted dtype.

        Raises
        ------
        ValueError
            If one is not a vector.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.outer(rl.tensor([1, 2]), rl.tensor([3, 4])).tolist()
        [[3, 4], [6, 8]]
        """
    def permute(self, dims: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int) -> Tensor:
        """Reorders the dimensions, as a view. PyTorch's name of ``permute_dims``.

        Parameters
        ----------
        dims : int or sequence of int
            Order of the dimensions, as one sequence or as separate integers.

        Returns
        -------
        Tensor
            View with dimension ``dims[i]`` as dimension i.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If a dimension is missing or given twice.

        Examples
        --------
        >>> rl.ones((2, 3, 4)).permute(2, 0, 1).shape
        (4, 2, 3)
        """
    def permute_dims(self, axes: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int) -> Tensor:
        """Reorders the dimensions, as a view.

        Parameters
        ----------
        axes : int or sequence of int
            Order of the dimensions, as one sequence or as separate integers.

        Returns
        -------
        Tensor
            View with dimension ``axes[i]`` as dimension i.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If a dimension is missing or given twice.

        Examples
        --------
        >>> rl.ones((2, 3, 4)).permute_dims(2, 0, 1).shape
        (4, 2, 3)
        """
    def pin_memory(self) -> Tensor:
        """Returns the tensor itself: copies of any tensor to a GPU go through pinned memory.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        ValueError
            If the tensor is not on the CPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.ones(2)
        >>> x.pin_memory() is x
        True
        """
    def pinverse(input, rcond: builtins.float = 1e-15) -> Tensor:
        """Returns the pseudoinverses of matrices: `rushlight.linalg.pinv`.

        Parameters
        ----------
        input
            Matrices.
        rcond
            Singular values up to this part of the largest one count as 0.

        Returns
        -------
        Tensor
            The pseudoinverses.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.pinverse(rl.tensor([[2.0], [0.0]])).tolist()
        [[0.5, 0.0]]
        """
    def polygamma(self, n: builtins.int) -> Tensor:
        """Returns a derivative of `digamma`: the function `rushlight.polygamma`.

        Parameters
        ----------
        n
            The order of the derivative, 0 or more.

        Returns
        -------
        Tensor
            Of the dtype of the tensor, float32 for integers.

        Raises
        ------
        ValueError
            If the order is negative.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([1.0]).polygamma(1)
        tensor([1.6449], dtype=float32, device='cpu')
        """
    def polygamma_(self, n: builtins.int) -> typing.Self:
        """Replaces the elements by those of ``polygamma``.

        Parameters
        ----------
        n
            The order of the derivative, 0 or more.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.polygamma_(1) is x
        True
        """
    def positive(self) -> Tensor:
        """Returns the tensor itself, as ``+x`` does.

        Returns
        -------
        Tensor
            The tensor.

        Raises
        ------
        TypeError
            If the dtype is bool.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([-1]).positive().tolist()
        [-1]
        """
    def pow(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes self to the power other; integers wrap, and a negative exponent truncates the fraction. Complex numbers are computed as e^(other log self), with 0 where self is 0 and other has a positive real part.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer or floating-point dtype. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([2, 3]).pow(rl.tensor([3, 2]))
        tensor([8, 9], dtype=int64, device='cpu')
        """
    def pow_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``pow``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer or floating-point dtype. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.pow_(2.0) is x
        True
        """
    def prod(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dtype: DType | builtins.str | None = None, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Multiplies elements over axes; integers are multiplied in 64 bits.

        Parameters
        ----------
        axis, dim : int or tuple of int, optional
            Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        dtype : DType or str, optional
            Dtype to compute in, and of the result.
        out : None
            Only None; NumPy's functions pass it.

        Returns
        -------
        Tensor
            One value for each element of the axes that stay.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([2, 3, 4]).prod()
        tensor(24, dtype=int64, device='cpu')
        """
    def put(input, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """Returns a copy with elements written at indices of the flattened tensor, or added there.

        Parameters
        ----------
        input
            Any shape.
        index
            Integers, of any shape.
        source
            As many elements, of the dtype of `input`.
        accumulate
            Whether elements are added; those of equal indices are all added.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.

        Raises
        ------
        IndexError
            If an index is out of range.
        TypeError
            If the dtypes of `input` and `source` differ.
        ValueError
            If there is another number of elements than of indices.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.put(rl.zeros((2, 2)), rl.tensor([0, 3]), rl.tensor([5.0, 7.0])).tolist()
        [[5.0, 0.0], [0.0, 7.0]]
        """
    def put_(self, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> typing.Self:
        """Replaces the elements by those of ``put``.

        Parameters
        ----------
        index
            Integers, of any shape.
        source
            As many elements, of the dtype of `input`.
        accumulate
            Whether elements are added; those of equal indices are all added.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.put_(rl.tensor([1]), rl.tensor([2.0])) is x
        True
        """
    def qr(input, some: builtins.bool = True) -> QR:
        """Returns the factors of matrices ``Q @ R``: `rushlight.linalg.qr`.

        Parameters
        ----------
        input
            Matrices.
        some
            Whether `Q` has as many columns as the smaller side; otherwise it is square.

        Returns
        -------
        QR
            `Q` and `R`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.qr(rl.tensor([[3.0], [4.0]])).R.tolist()
        [[-5.0]]
        """
    def quantile(input, q: builtins.float | collections.abc.Sequence[builtins.float] | Tensor, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = 'linear', method: builtins.str | None = None, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None) -> Tensor:
        """Returns quantiles along an axis.

        Parameters
        ----------
        input
            Floating point; with an element or more.
        q
            One probability or several, from 0 to 1.
        dim, axis
            The axis, by either name, or several as a tuple; None for all elements.
        keepdim, keepdims
            One parameter: whether the axes stay with size 1.
        interpolation, method
            One parameter, by PyTorch's and by NumPy's name. Between two elements ``"linear"``, ``"lower"``,
            ``"higher"``, ``"midpoint"`` or ``"nearest"``; or another definition of quantiles, as in NumPy:
            ``"inverted_cdf"``, ``"averaged_inverted_cdf"``, ``"closest_observation"``,
            ``"interpolated_inverted_cdf"``, ``"hazen"``, ``"weibull"``, ``"median_unbiased"`` or
            ``"normal_unbiased"`` (1 to 9, without the 7th, ``"linear"``, of Hyndman and Fan 1996).

        Returns
        -------
        Tensor
            One value for each line; with several `q` these are the first axis. NaN where an element is.

        Raises
        ------
        TypeError
            If the dtype is not floating point, or a parameter is given by both names.
        ValueError
            If a probability is not between 0 and 1, there is no element, or `interpolation` is another text.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.tensor([0.0, 1.0, 2.0, 3.0])
        >>> rl.quantile(x, 0.5).item(), rl.quantile(x, 0.5, method="inverted_cdf").item()
        (1.5, 1.0)
        """
    def rad2deg(input) -> Tensor:
        """Converts radians to degrees.

        Parameters
        ----------
        input
            Any shape.

        Returns
        -------
        Tensor
            Of the shape of `input`.

        Examples
        --------
        >>> import rushlight as rl
        >>> round(rl.rad2deg(rl.tensor([rl.pi])).item(), 3)
        180.0
        """
    def rad2deg_(self) -> typing.Self:
        """Replaces the elements by those of ``rad2deg``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.rad2deg_() is x
        True
        """
    def random_(self, from_: builtins.int = 0, to: builtins.int | None = None, *, generator: Generator | None = None) -> Tensor:
        """Replaces the elements by random whole numbers; ``random_(to)`` draws from 0 up to ``to`` (excluded).

        Parameters
        ----------
        from_, to
            The ends. Without them integers are drawn from 0 to the dtype's largest number, and floats from 0 to
            the number up to which the dtype holds every whole number.
        generator
            Source of the random numbers; that of the device by default.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        ValueError
            If there is no number between the ends.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.zeros(100).random_(3)
        >>> bool((x < 3).all())
        True
        """
    def ravel(self, start_dim: typing.SupportsIndex = 0, end_dim: typing.SupportsIndex = ...) -> Tensor:
        """Joins consecutive dimensions into one.

        Parameters
        ----------
        start_dim : int, default 0
            First dimension to join.
        end_dim : int, default -1
            Last dimension to join.

        Returns
        -------
        Tensor
            Tensor with one dimension in place of these; memory is shared where that is possible.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If ``start_dim`` comes after ``end_dim``.

        Examples
        --------
        >>> rl.ones((2, 3, 4)).flatten().shape
        (24,)
        """
    @property
    def real(self) -> Tensor:
        """Real part: a copy for a complex tensor, else the tensor itself.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([1 + 2j]).real.tolist()
        [1.0]
        """
    def reciprocal(self) -> Tensor:
        """Computes 1 / x, correctly rounded for real numbers.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([2.0, 4.0]).reciprocal()
        tensor([0.5000, 0.2500], dtype=float32, device='cpu')
        """
    def reciprocal_(self) -> typing.Self:
        """Replaces the elements by those of ``reciprocal``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.reciprocal_() is x
        True
        """
    def register_hook(self, hook: typing.Any) -> typing.Any:
        """Registers a function that ``backward`` calls with the gradient of this tensor, and that may replace it.

        It is called each time the whole gradient of the tensor was computed, before the gradient goes on to what the tensor was computed from, and before it is added to ``.grad``.

        Parameters
        ----------
        hook : callable
            Takes the gradient; returns None, or a gradient of the same shape and dtype to go on with.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` removes the hook.

        Raises
        ------
        RuntimeError
            If the tensor does not require a gradient.
        TypeError
            If ``hook`` cannot be called.

        Examples
        --------
        >>> x = rl.tensor([1.0, 2.0], requires_grad=True)
        >>> handle = x.register_hook(lambda grad: grad * 10)
        >>> (x * x).sum().backward()
        >>> x.grad.tolist()
        [20.0, 40.0]
        """
    def register_post_accumulate_grad_hook(self, hook: typing.Any) -> typing.Any:
        """Registers a function that ``backward`` calls after it has added to ``.grad`` of this leaf.

        Parameters
        ----------
        hook : callable
            Takes this tensor. Its result is not used.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` removes the hook.

        Raises
        ------
        RuntimeError
            If the tensor is not a leaf that requires a gradient.
        TypeError
            If ``hook`` cannot be called.

        Examples
        --------
        >>> x = rl.tensor([1.0, 2.0], requires_grad=True)
        >>> handle = x.register_post_accumulate_grad_hook(lambda x: print(x.grad.tolist()))
        >>> (x * x).sum().backward()
        [2.0, 4.0]
        """
    def relu(self) -> Tensor:
        """Computes max(x, 0); its gradient at 0 is 0.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([-1.0, 2.0]).relu()
        tensor([0., 2.], dtype=float32, device='cpu')
        """
    def relu_(self) -> typing.Self:
        """Replaces the elements by those of ``relu``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.relu_() is x
        True
        """
    def relu_squared(self) -> Tensor:
        """Computes max(x, 0)^2 (So et al. 2021).

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([-1.0, 3.0]).relu_squared()
        tensor([0., 9.], dtype=float32, device='cpu')
        """
    def remainder(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes the remainder with the sign of other (Python's `%`); integers: x % 0 is 0.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer or floating-point dtype. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([7, -7]).remainder(rl.tensor([3, 3]))
        tensor([1, 2], dtype=int64, device='cpu')
        """
    def remainder_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``remainder``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of an integer or floating-point dtype. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.remainder_(2.0) is x
        True
        """
    def renorm(input, p: builtins.float, dim: builtins.int, maxnorm: builtins.float) -> Tensor:
        """Scales the entries of an axis whose norm is larger than a limit down to the limit.

        Parameters
        ----------
        input
            Rank 2 or more; floating point.
        p
            The order of the norm, over all other axes.
        dim
            The axis.
        maxnorm
            The limit.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.

        Raises
        ------
        ValueError
            If the rank is less than 2, `p` is not positive, or `maxnorm` is negative.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.tensor([[1.0, 0.0], [0.0, 4.0]])
        >>> rl.renorm(x, 2, 0, 2.0).round().tolist()
        [[1.0, 0.0], [0.0, 2.0]]
        """
    def renorm_(self, p: builtins.float, dim: builtins.int, maxnorm: builtins.float) -> typing.Self:
        """Replaces the elements by those of ``renorm``.

        Parameters
        ----------
        p
            The order of the norm, over all other axes.
        dim
            The axis.
        maxnorm
            The limit.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> x.renorm_(2.0, 0, 1.0) is x
        True
        """
    def repeat(self, *repeats: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
        """Repeats the tensor along each axis, as PyTorch does; NumPy's ``repeat`` is `repeat_interleave`.

        Parameters
        ----------
        *repeats
            Number of repeats along each axis, as one sequence or as separate integers; new axes come first.

        Returns
        -------
        Tensor
            A new tensor.

        Raises
        ------
        ValueError
            If there are fewer numbers than axes, or one is negative.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([1, 2]).repeat(2, 2).tolist()
        [[1, 2, 1, 2], [1, 2, 1, 2]]
        """
    def repeat_interleave(input, repeats: builtins.int | collections.abc.Sequence[builtins.int] | Tensor | None = None, dim: builtins.int | None = None, *, output_size: builtins.int | None = None, axis: builtins.int | None = None) -> Tensor:
        """Repeats each entry of an axis: `repeat` with PyTorch's arguments.

        Parameters
        ----------
        input
            Any shape and dtype; without `repeats` it holds the numbers of repeats.
        repeats
            Number of repeats: one number, or one for each entry; by default those of `input`, for the indices 0,
            1 and so on.
        dim, axis
            The axis, by either name; None repeats the flattened tensor.
        output_size
            Accepted as in PyTorch, without effect.

        Returns
        -------
        Tensor
            Of the dtype of `input`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.repeat_interleave(rl.tensor([1, 2]), repeats=2).tolist()
        [1, 1, 2, 2]
        >>> rl.repeat_interleave(rl.tensor([2, 0, 1])).tolist()
        [0, 0, 2]
        """
    @builtins.property
    def requires_grad(self) -> builtins.bool:
        """Whether gradients are recorded for the tensor; it can be set on leaf tensors.

        Examples
        --------
        >>> rl.tensor([1.0], requires_grad=True).requires_grad
        True
        """
    @requires_grad.setter
    def requires_grad(self, value: builtins.bool) -> None: ...
    def requires_grad_(self, requires_grad: builtins.bool = True) -> Tensor:
        """Switches the recording of gradients on or off, in place.

        Parameters
        ----------
        requires_grad : bool, default True
            Whether gradients are recorded.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the dtype is not floating-point, or recording of a computed tensor is switched off.

        Examples
        --------
        >>> x = rl.tensor([1.0]).requires_grad_()
        >>> x.requires_grad
        True
        """
    def reshape(self, shape: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int, copy: builtins.bool | None = None) -> Tensor:
        """Returns the elements in another shape; memory is shared where that is possible.

        Parameters
        ----------
        shape : int or sequence of int
            New shape. One size may be -1: it follows from the number of elements.
        copy : bool, optional
            True copies always; False raises an error where a copy is needed.

        Returns
        -------
        Tensor
            Tensor in the new shape.

        Raises
        ------
        ValueError
            If the number of elements differs, or ``copy=False`` and a copy is needed.

        Examples
        --------
        >>> rl.arange(6).reshape(2, -1)
        tensor([[0, 1, 2],
                [3, 4, 5]], dtype=int64, device='cpu')
        """
    def reshape_as(self, other: Tensor) -> Tensor:
        """Returns the elements in the shape of another tensor.

        Parameters
        ----------
        other
            The other tensor.

        Returns
        -------
        Tensor
            A view where that is possible.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.arange(4).reshape_as(rl.ones((2, 2))).tolist()
        [[0, 1], [2, 3]]
        """
    def retain_grad(self) -> None:
        """Makes ``backward`` keep the gradient of this computed tensor in ``.grad``. A leaf keeps it anyway.

        Raises
        ------
        RuntimeError
            If the tensor does not require a gradient.

        Examples
        --------
        >>> x = rl.tensor([1.0, 2.0], requires_grad=True)
        >>> y = x * 3
        >>> y.retain_grad()
        >>> (y * y).sum().backward()
        >>> y.grad.tolist()
        [6.0, 12.0]
        """
    @builtins.property
    def retains_grad(self) -> builtins.bool:
        """Whether ``retain_grad`` was called on this computed tensor.

        Examples
        --------
        >>> x = rl.tensor([1.0], requires_grad=True)
        >>> x.retains_grad
        False
        """
    def roll(x, /, shift: builtins.int | collections.abc.Sequence[builtins.int] | None = None, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, shifts: builtins.int | collections.abc.Sequence[builtins.int] | None = None, dims: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
        """Shifts entries along axes; entries shifted past an end come in at the other end.

        Parameters
        ----------
        x
            Any shape and dtype.
        shift, shifts
            Number of entries to shift by, under either name; one number for all axes, or one for each.
        axis, dim, dims
            The axis, by any of the names; several as a tuple, None rolls the flattened tensor.

        Returns
        -------
        Tensor
            Of the shape and dtype of `x`.

        Raises
        ------
        ValueError
            If the numbers of shifts and axes differ.
        TypeError
            If the shift is missing, or given by two names.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.roll(rl.tensor([1, 2, 3]), 1).tolist()
        [3, 1, 2]
        """
    def rot90(input, k: builtins.int = 1, dims: collections.abc.Sequence[builtins.int] = (0, 1)) -> Tensor:
        """Rotates by quarter turns in the plane of two axes.

        Parameters
        ----------
        input
            Rank 2 or more.
        k
            Number of quarter turns, from the first axis towards the second.
        dims
            The two axes.

        Returns
        -------
        Tensor
            The rotated tensor.

        Raises
        ------
        ValueError
            If there are not two axes.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.rot90(rl.tensor([[1, 2], [3, 4]])).tolist()
        [[2, 4], [1, 3]]
        """
    def round(self, *, decimals: builtins.int = 0) -> Tensor:
        """Rounds to the nearest integer, halves to even. The gradient is 0.

        Parameters
        ----------
        decimals : int, default 0
            Number of decimals that stay; a negative one rounds to tens, hundreds and so on.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.5, 1.5, 1.7]).round()
        tensor([0., 2., 2.], dtype=float32, device='cpu')
        """
    def round_(self, *, decimals: builtins.int = 0) -> typing.Self:
        """Replaces the elements by those of ``round``.

        Parameters
        ----------
        decimals : int, default 0
            Number of decimals that stay; a negative one rounds to tens, hundreds and so on.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.round_() is x
        True
        """
    def rsqrt(self) -> Tensor:
        """Computes 1 / sqrt(x).

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([1.0, 4.0]).rsqrt()
        tensor([1.0000, 0.5000], dtype=float32, device='cpu')
        """
    def rsqrt_(self) -> typing.Self:
        """Replaces the elements by those of ``rsqrt``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.rsqrt_() is x
        True
        """
    def scatter(input, dim: builtins.int, index: Tensor, src: Tensor | builtins.complex | None = None, *, value: builtins.complex | None = None, reduce: builtins.str | None = None) -> Tensor:
        """Returns a copy with elements written at indices: ``out[i, index[i, j]] = src[i, j]`` along axis 1.

        Of equal indices the last one wins; with `reduce` all of them are added or multiplied.

        Parameters
        ----------
        input
            Any shape and dtype.
        dim
            The axis.
        index
            Integers. Negative ones of a signed dtype count from the end.
        src
            A tensor of the dtype of `input` and at least of the shape of `index`, or a number.
        value
            The number, under PyTorch's name.
        reduce
            ``"add"`` or ``"multiply"``: how elements are combined with those of `input`.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.

        Raises
        ------
        IndexError
            If the axis or an index is out of range.
        TypeError
            If the indices are not integers, or both or none of `src` and `value` are given.
        ValueError
            If the shapes do not match, or `reduce` is another text.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.scatter(rl.zeros(3), 0, rl.tensor([2, 0]), rl.tensor([5.0, 7.0])).tolist()
        [7.0, 0.0, 5.0]
        >>> rl.scatter(rl.ones(3), 0, rl.tensor([2, 2]), 5.0, reduce="add").tolist()
        [1.0, 1.0, 11.0]
        """
    def scatter_(self, dim: builtins.int, index: Tensor, src: Tensor | builtins.complex | None = None, *, value: builtins.complex | None = None, reduce: builtins.str | None = None) -> typing.Self:
        """Replaces the elements by those of ``scatter``.

        Parameters
        ----------
        dim
            The axis.
        index
            Integers. Negative ones of a signed dtype count from the end.
        src
            A tensor of the dtype of `input` and at least of the shape of `index`, or a number.
        value
            The number, under PyTorch's name.
        reduce
            ``"add"`` or ``"multiply"``: how elements are combined with those of `input`.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.scatter_(0, rl.tensor([1]), 2.0) is x
        True
        """
    def scatter_add(x, dim: builtins.int, index: Tensor, src: Tensor | builtins.complex, /) -> Tensor:
        """Returns a copy with elements added at indices: ``out[i, index[i, j]] += src[i, j]`` along dimension 1.

        Parameters
        ----------
        x
            Input, of any dtype.
        dim
            Dimension to index; a negative one counts from the end.
        index
            Indices, of an integer dtype. Negative ones of a signed dtype count from the end.
        src
            Values to add, or a number; a tensor has at least the shape of ``index``.

        Returns
        -------
        Tensor
            Copy of ``x`` with the values added.

        Raises
        ------
        IndexError
            If an index or the dimension is out of range.
        TypeError
            If the indices are not integers.
        ValueError
            If the shapes do not match.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.scatter_add(rl.zeros(3), 0, rl.tensor([2, 2]), rl.tensor([5.0, 7.0]))
        tensor([ 0.,  0., 12.], dtype=float32, device='cpu')
        """
    def scatter_add_(self, dim: builtins.int, index: Tensor, src: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``scatter_add``.

        Parameters
        ----------
        dim
            Dimension to index; a negative one counts from the end.
        index
            Indices, of an integer dtype. Negative ones of a signed dtype count from the end.
        src
            Values to add, or a number; a tensor has at least the shape of ``index``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.scatter_add_(0, rl.tensor([1]), rl.tensor([2.0])) is x
        True
        """
    def scatter_reduce(input, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
        """Returns a copy with elements reduced at indices.

        For dimension 0, ``out[index[i, j], j]`` is the reduction of itself and of each ``src[i, j]`` of that
        index. The result does not depend on the order in which a GPU handles the elements, but for sums and means
        of floats. Elements that give the same extreme share its gradient.

        Parameters
        ----------
        input
            A tensor of numbers.
        dim
            The dimension that the indices are of.
        index
            Indices, of an integer dtype, and of a shape that fits into those of `src` and, but for `dim`, of
            `input`.
        src
            The elements to reduce, of the dtype of `input`.
        reduce
            ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``. Means of integers are rounded down.
        include_self
            Whether elements of `input` belong to the reduction. Those without an index are kept in any case.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.

        Raises
        ------
        IndexError
            If the dimension or an index is out of range.
        TypeError
            If the dtypes of `input` and `src` differ.
        ValueError
            If the shapes do not fit, or `reduce` is another word.

        Examples
        --------
        >>> import rushlight as rl
        >>> x, at = rl.tensor([1.0, 2.0]), rl.tensor([1, 1])
        >>> rl.scatter_reduce(x, 0, at, rl.tensor([5.0, 7.0]), "amax").tolist()
        [1.0, 7.0]
        >>> rl.scatter_reduce(x, 0, at, rl.tensor([5.0, 7.0]), "mean", include_self=False).tolist()
        [1.0, 6.0]
        """
    def scatter_reduce_(self, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> typing.Self:
        """Replaces the elements by those of ``scatter_reduce``.

        Parameters
        ----------
        dim
            The dimension that the indices are of.
        index
            Indices, of an integer dtype, and of a shape that fits into those of `src` and, but for `dim`, of
            `input`.
        src
            The elements to reduce, of the dtype of `input`.
        reduce
            ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``. Means of integers are rounded down.
        include_self
            Whether elements of `input` belong to the reduction. Those without an index are kept in any case.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.scatter_reduce_(0, rl.tensor([1]), rl.tensor([2.0]), "amax") is x
        True
        """
    def select(input, dim: builtins.int, index: builtins.int) -> Tensor:
        """Returns one entry of an axis, without the axis.

        Parameters
        ----------
        input
            Rank 1 or more.
        dim
            The axis.
        index
            The entry; a negative one counts from the end.

        Returns
        -------
        Tensor
            A view.

        Raises
        ------
        IndexError
            If the axis or the entry is out of range.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.select(rl.tensor([[1, 2], [3, 4]]), 1, 0).tolist()
        [1, 3]
        """
    def select_scatter(input, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
        """Returns a copy with one entry of an axis replaced.

        Parameters
        ----------
        input
            Rank 1 or more.
        src
            The new entry, in the shape of ``input.select(dim, index)``.
        dim
            The axis.
        index
            The entry; a negative one counts from the end.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.

        Raises
        ------
        IndexError
            If the axis or the entry is out of range.
        ValueError
            If `src` has another shape.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.select_scatter(rl.zeros((2, 2)), rl.ones(2), 0, 1).tolist()
        [[0.0, 0.0], [1.0, 1.0]]
        """
    def sgn(input) -> Tensor:
        """Returns the signs of the elements: -1, 0 or 1. Of complex numbers it is x / abs(x), and 0 for 0.

        Parameters
        ----------
        input
            Any shape; integer, floating point or complex.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sgn(rl.tensor([-2.0, 0.0, 3.0])).tolist()
        [-1.0, 0.0, 1.0]
        """
    def sgn_(self) -> typing.Self:
        """Replaces the elements by those of ``sgn``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.sgn_() is x
        True
        """
    @builtins.property
    def shape(self) -> Size:
        """Sizes of the dimensions, as a tuple.

        Examples
        --------
        >>> rl.ones((2, 3)).shape
        (2, 3)
        """
    def short(self) -> Tensor:
        """Converts to int16.

        Returns
        -------
        Tensor
            The converted tensor; the tensor itself if nothing changes.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([1.5]).short().dtype
        rushlight.int16
        """
    def sigmoid(self) -> Tensor:
        """Computes the logistic function, 1 / (1 + e^-x).

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).sigmoid()
        tensor([0.5000, 0.7311], dtype=float32, device='cpu')
        """
    def sigmoid_(self) -> typing.Self:
        """Replaces the elements by those of ``sigmoid``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.sigmoid_() is x
        True
        """
    def sign(self) -> Tensor:
        """Computes the sign: -1, 0 or 1. NaN stays NaN, and the gradient is 0.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([-3.0, 0.0, 2.0]).sign()
        tensor([-1.,  0.,  1.], dtype=float32, device='cpu')
        """
    def sign_(self) -> typing.Self:
        """Replaces the elements by those of ``sign``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.sign_() is x
        True
        """
    def signbit(x, /) -> Tensor:
        """Returns where the sign is minus, also of -0.0 and of negative NaN.

        Parameters
        ----------
        x
            Any shape; integer or floating point.

        Returns
        -------
        Tensor
            bool, of the shape of `x`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.signbit(rl.tensor([-0.0, 0.0])).tolist()
        [True, False]
        """
    def silu(self) -> Tensor:
        """Computes x * sigmoid(x).

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).silu()
        tensor([0.0000, 0.7311], dtype=float32, device='cpu')
        """
    def sin(self) -> Tensor:
        """Computes the sine of an angle in radians.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).sin()
        tensor([0.0000, 0.8415], dtype=float32, device='cpu')
        """
    def sin_(self) -> typing.Self:
        """Replaces the elements by those of ``sin``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.sin_() is x
        True
        """
    def sinc(input) -> Tensor:
        """Returns ``sin(pi * x) / (pi * x)``, and 1 at 0.

        Parameters
        ----------
        input
            Any shape.

        Returns
        -------
        Tensor
            Of the shape of `input`; integers give the default dtype.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sinc(rl.tensor([0.0])).tolist()
        [1.0]
        """
    def sinc_(self) -> typing.Self:
        """Replaces the elements by those of ``sinc``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.sinc_() is x
        True
        """
    def sinh(self) -> Tensor:
        """Computes the hyperbolic sine.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).sinh()
        tensor([0.0000, 1.1752], dtype=float32, device='cpu')
        """
    def sinh_(self) -> typing.Self:
        """Replaces the elements by those of ``sinh``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.sinh_() is x
        True
        """
    @builtins.property
    def size(self) -> Count:
        """Number of elements.

        Examples
        --------
        >>> rl.ones((2, 3)).size
        6
        """
    def slice_scatter(input, src: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
        """Returns a copy with a slice of an axis replaced.

        Parameters
        ----------
        input
            Rank 1 or more.
        src
            The new entries, in the shape of the slice.
        dim
            The axis.
        start, end, step
            The slice ``start:end:step``.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.

        Raises
        ------
        IndexError
            If the axis is out of range.
        ValueError
            If `src` has another shape, or the step is not positive.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.slice_scatter(rl.zeros(4), rl.ones(2), step=2).tolist()
        [1.0, 0.0, 1.0, 0.0]
        """
    def slogdet(A) -> Slogdet:
        """Returns the signs of determinants, and the logarithms of their magnitudes, which do not overflow.

        Parameters
        ----------
        A
            Square matrices.

        Returns
        -------
        Slogdet
            `sign` and `logabsdet`; 0 and ``-inf`` for a singular matrix. The sign of a complex determinant is the
            determinant divided by its magnitude.

        Raises
        ------
        ValueError
            If the matrices are not square.

        Examples
        --------
        >>> import rushlight as rl
        >>> sign, logabsdet = rl.linalg.slogdet(rl.eye(2) * -3)
        >>> sign.item(), round(logabsdet.item(), 4)
        (1.0, 2.1972)
        """
    def softmax(input, dim: builtins.int | None = None, dtype: DType | builtins.str | None = None, *, axis: builtins.int | None = None) -> Tensor:
        """Computes the softmax, ``exp(x) / sum(exp(x))``, along an axis.

        Parameters
        ----------
        input
            Floating point, or with `dtype` of any dtype.
        dim, axis
            The axis along which the results add up to 1.
        dtype
            The dtype of the result, to which the input is converted first.

        Returns
        -------
        Tensor
            Of the shape of `input`.

        Raises
        ------
        IndexError
            If the axis is out of range.
        TypeError
            If no axis is given, or the dtype is not floating point.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.softmax(rl.tensor([0, 0]), 0, rl.float32).tolist()
        [0.5, 0.5]
        """
    def softplus(self, beta: typing.SupportsFloat | typing.SupportsIndex = 1.0, threshold: typing.SupportsFloat | typing.SupportsIndex = 20.0) -> Tensor:
        """Computes softplus: ``log(1 + exp(beta * x)) / beta``, and ``x`` where ``beta * x`` is above `threshold`.

        Parameters
        ----------
        beta : float, default 1.0
            Sharpness of the bend at 0.
        threshold : float, default 20.0
            The value of ``beta * x`` above which the result is ``x``.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([-1.0, 2.0]).softplus()
        tensor([0.3133, 2.1269], dtype=float32, device='cpu')
        """
    @typing.overload
    def sort(self, *, axis: typing.SupportsIndex | None, descending: builtins.bool = False, stable: builtins.bool = True) -> Tensor:
        """Sorts elements along an axis. The order of equal elements is kept, and NaN counts as the largest.

        Parameters
        ----------
        dim : int, default -1
            Axis to sort along. The result is the pair ``(values, indices)``, as in PyTorch.
        descending : bool, default False
            Whether to sort from the largest element to the smallest.
        stable : bool, default True
            Accepted for compatibility; sorting is always stable.
        axis : int or None, optional
            Axis to sort along, under NumPy's name. The result is the sorted tensor. None sorts all elements, as a vector.

        Returns
        -------
        ValuesIndices or Tensor
            Sorted values and their int64 indices; with ``axis`` the values alone.

        Raises
        ------
        IndexError
            If an axis is out of range.

        Examples
        --------
        >>> values, indices = rl.tensor([3, 1, 2]).sort(descending=True)
        >>> values
        tensor([3, 2, 1], dtype=int64, device='cpu')
        >>> indices
        tensor([0, 2, 1], dtype=int64, device='cpu')
        """
    @typing.overload
    def sort(self, dim: typing.SupportsIndex = -1, descending: builtins.bool = False, *, stable: builtins.bool = True) -> ValuesIndices:
        """Sorts elements along an axis. The order of equal elements is kept, and NaN counts as the largest.

        Parameters
        ----------
        dim : int, default -1
            Axis to sort along. The result is the pair ``(values, indices)``, as in PyTorch.
        descending : bool, default False
            Whether to sort from the largest element to the smallest.
        stable : bool, default True
            Accepted for compatibility; sorting is always stable.
        axis : int or None, optional
            Axis to sort along, under NumPy's name. The result is the sorted tensor. None sorts all elements, as a vector.

        Returns
        -------
        ValuesIndices or Tensor
            Sorted values and their int64 indices; with ``axis`` the values alone.

        Raises
        ------
        IndexError
            If an axis is out of range.

        Examples
        --------
        >>> values, indices = rl.tensor([3, 1, 2]).sort(descending=True)
        >>> values
        tensor([3, 2, 1], dtype=int64, device='cpu')
        >>> indices
        tensor([0, 2, 1], dtype=int64, device='cpu')
        """
    def split(self, split_size_or_sections: builtins.int | collections.abc.Sequence[builtins.int], dim: typing.SupportsIndex = 0, *, axis: typing.SupportsIndex | None = None) -> builtins.tuple[Tensor, ...]:
        """Splits the tensor along a dimension into pieces of given sizes.

        Parameters
        ----------
        split_size_or_sections : int or sequence of int
            Size of each piece (the last may be smaller), or the size of every piece.
        axis, dim : int, default 0
            Axis to work along; a negative one counts from the end. ``dim`` is PyTorch's name of the parameter.

        Returns
        -------
        tuple[Tensor, ...]
            Views, in order.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If a size is not positive, or the sizes do not add up to the length of the axis.

        Examples
        --------
        >>> [p.tolist() for p in rl.arange(5).split([1, 4])]
        [[0], [1, 2, 3, 4]]
        """
    def split_with_sizes(self, split_size_or_sections: builtins.int | collections.abc.Sequence[builtins.int], dim: typing.SupportsIndex = 0, *, axis: typing.SupportsIndex | None = None) -> builtins.tuple[Tensor, ...]:
        """Splits the tensor along a dimension into pieces of given sizes.

        Parameters
        ----------
        split_size_or_sections : int or sequence of int
            Size of each piece (the last may be smaller), or the size of every piece.
        axis, dim : int, default 0
            Axis to work along; a negative one counts from the end. ``dim`` is PyTorch's name of the parameter.

        Returns
        -------
        tuple[Tensor, ...]
            Views, in order.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If a size is not positive, or the sizes do not add up to the length of the axis.

        Examples
        --------
        >>> [p.tolist() for p in rl.arange(5).split([1, 4])]
        [[0], [1, 2, 3, 4]]
        """
    def sqrt(self) -> Tensor:
        """Computes the square root, correctly rounded for real numbers; NaN for those below 0.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([2.0, 9.0]).sqrt()
        tensor([1.4142, 3.0000], dtype=float32, device='cpu')
        """
    def sqrt_(self) -> typing.Self:
        """Replaces the elements by those of ``sqrt``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.sqrt_() is x
        True
        """
    def square(self) -> Tensor:
        """Computes x * x; integers wrap.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([-3.0, 2.0]).square()
        tensor([9., 4.], dtype=float32, device='cpu')
        """
    def square_(self) -> typing.Self:
        """Replaces the elements by those of ``square``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.square_() is x
        True
        """
    def squeeze(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
        """Removes dimensions of size 1, as a view.

        Parameters
        ----------
        axis : int or tuple of int, optional
            Dimensions of size 1 to remove; all of them by default. ``dim`` is PyTorch's name.

        Returns
        -------
        Tensor
            View without these dimensions.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If a dimension does not have size 1.

        Examples
        --------
        >>> rl.ones((1, 3, 1)).squeeze(0).shape
        (3, 1)
        """
    def squeeze_(self, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
        """Removes axes of size 1 from the tensor itself.

        Parameters
        ----------
        dim
            The axes; all of size 1 if None. Others stay, as in PyTorch.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        IndexError
            If an axis is out of range.
        RuntimeError
            If the tensor requires a gradient.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.ones((1, 3, 1)).squeeze_().shape
        (3,)
        """
    def std(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *position: builtins.int, keepdims: builtins.bool | None = None, correction: typing.SupportsFloat | typing.SupportsIndex | None = None, ddof: typing.SupportsFloat | typing.SupportsIndex | None = None, unbiased: builtins.bool | None = None, dtype: DType | builtins.str | None = None, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Computes the standard deviation over axes, with the divisor n - correction. That of complex numbers is real.

        Parameters
        ----------
        axis, dim : int or tuple of int, optional
            Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        correction : float, default 0.0
            Subtracted from the number of elements in the divisor; 1 gives the unbiased estimate. ``ddof`` is NumPy's name.
        unbiased : bool, optional
            PyTorch's name: True is ``correction=1``, False ``correction=0``.
        dtype : DType or str, optional
            Dtype of the result.
        out : None
            Only None; NumPy's functions pass it.

        Returns
        -------
        Tensor
            One value for each element of the axes that stay.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([1.0, 2.0, 6.0]).std()
        tensor(2.1602, dtype=float32, device='cpu')
        """
    def std_mean(input, dim: builtins.int | builtins.tuple[builtins.int, ...] | None = None, *, correction: builtins.float | None = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False) -> builtins.tuple[Tensor, Tensor]:
        """Returns standard deviations and means.

        Parameters
        ----------
        input
            Any shape; floating point.
        dim
            The axis, or several; None for all.
        correction
            The number that is subtracted from the number of elements to give the divisor; 1 by default.
        unbiased
            Whether `correction` is 1, or else 0.
        keepdim
            Whether the axes stay with size 1.

        Returns
        -------
        tuple of Tensor
            The standard deviations and the means.

        Raises
        ------
        TypeError
            If `correction` and `unbiased` are both given.

        Examples
        --------
        >>> import rushlight as rl
        >>> s, m = rl.std_mean(rl.tensor([1.0, 3.0]), correction=0)
        >>> s.item(), m.item()
        (1.0, 2.0)
        """
    def stft(input, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True, pad_mode: builtins.str = 'reflect', normalized: builtins.bool = False, onesided: builtins.bool | None = None, return_complex: builtins.bool | None = None) -> Tensor:
        """Returns the Fourier transforms of overlapping parts of a signal: its spectrum over time.

        Parameters
        ----------
        input
            The signal: shape (t,) or (batch, t); float32, float64 or complex.
        n_fft
            The number of elements of a part, which is transformed.
        hop_length
            The distance between the beginnings of parts; a quarter of `n_fft` by default.
        win_length
            The number of elements of the window; `n_fft` by default. A shorter one gets zeros on both sides.
        window
            Factors of the elements of a part, such as `hann_window(n_fft)`; 1 by default.
        center
            Whether the signal is padded, so that part k is centred on element ``k * hop_length``.
        pad_mode
            How it is padded: ``"reflect"``, ``"constant"``, ``"replicate"`` or ``"circular"``.
        normalized
            Whether the result is divided by the root of `n_fft`.
        onesided
            Whether the result has the first ``n_fft // 2 + 1`` frequencies only: the default for real signals and
            windows.
        return_complex
            False returns real and imaginary parts as a last dimension of size 2. True by default; PyTorch has no
            default.

        Returns
        -------
        Tensor
            Shape (frequencies, parts) or (batch, frequencies, parts).

        Raises
        ------
        ValueError
            If the signal is too short, or a length or the window does not fit.
        TypeError
            If the dtype cannot be transformed, or `onesided` is set for complex numbers.

        Examples
        --------
        >>> import rushlight as rl
        >>> y = rl.stft(rl.ones(8), 4, center=False)
        >>> y.shape, y[:, 0].real.tolist()
        ((3, 5), [4.0, 0.0, 0.0])
        """
    def stride(self) -> builtins.tuple[builtins.int, ...]:
        """Returns the strides: how many elements apart in memory neighbours along each dimension are.

        Returns
        -------
        tuple[int, ...]
            One stride for each dimension.

        Examples
        --------
        >>> rl.ones((2, 3)).stride()
        (3, 1)
        """
    def sub(self, other: Tensor | builtins.complex, *, alpha: builtins.complex = 1) -> Tensor:
        """Computes self - other; integers wrap. PyTorch's name of ``subtract``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of any dtype but bool. Both sides are promoted to one dtype and broadcast to one shape.
        alpha : number, default 1
            Factor of the second operand, by which it is multiplied first.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 2]).sub(rl.tensor([10, 20]))
        tensor([ -9, -18], dtype=int64, device='cpu')
        """
    def sub_(self, other: Tensor | builtins.complex, *, alpha: builtins.complex = 1) -> typing.Self:
        """Replaces the elements by those of ``sub``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of any dtype but bool. Both sides are promoted to one dtype and broadcast to one shape.
        alpha : number, default 1
            Factor of the second operand, by which it is multiplied first.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.sub_(1.0) is x
        True
        """
    def subtract(self, other: Tensor | builtins.complex, *, alpha: builtins.complex = 1) -> Tensor:
        """Computes self - other; integers wrap.

        Parameters
        ----------
        other : Tensor or number
            Right operand of any dtype but bool. Both sides are promoted to one dtype and broadcast to one shape.
        alpha : number, default 1
            Factor of the second operand, by which it is multiplied first.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 2]).subtract(rl.tensor([10, 20]))
        tensor([ -9, -18], dtype=int64, device='cpu')
        """
    def subtract_(self, other: Tensor | builtins.complex, *, alpha: builtins.complex = 1) -> typing.Self:
        """Replaces the elements by those of ``subtract``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of any dtype but bool. Both sides are promoted to one dtype and broadcast to one shape.
        alpha : number, default 1
            Factor of the second operand, by which it is multiplied first.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.subtract_(1.0) is x
        True
        """
    def sum(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dtype: DType | builtins.str | None = None, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Sums elements over axes; integers are summed in 64 bits.

        Parameters
        ----------
        axis, dim : int or tuple of int, optional
            Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        dtype : DType or str, optional
            Dtype to compute in, and of the result.
        out : None
            Only None; NumPy's functions pass it.

        Returns
        -------
        Tensor
            One value for each element of the axes that stay.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([1, 2, 3]).sum()
        tensor(6, dtype=int64, device='cpu')
        """
    def sum_to_size(self, *size: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
        """Sums the axes along which a tensor of a smaller shape would be repeated.

        Parameters
        ----------
        *size
            A shape that broadcasts to that of the tensor, as one sequence or as separate integers.

        Returns
        -------
        Tensor
            Of the given shape.

        Raises
        ------
        ValueError
            If the shape does not broadcast to that of the tensor.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.ones((2, 3)).sum_to_size(3).tolist()
        [2.0, 2.0, 2.0]
        """
    def svd(input, some: builtins.bool = True, compute_uv: builtins.bool = True) -> USV:
        """Returns the singular value decomposition of matrices ``U @ diag(S) @ V.mH``.

        `rushlight.linalg.svd` returns ``V.mH`` in place of V.

        Parameters
        ----------
        input
            Matrices.
        some
            Whether U and V have as many columns as there are values; otherwise they are square.
        compute_uv
            False gives zeros for U and V, which are square then.

        Returns
        -------
        USV
            `U`, `S` and `V`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.svd(rl.tensor([[3.0], [4.0]]))[1].tolist()
        [5.0]
        """
    def swapaxes(x, axis1: builtins.int, axis2: builtins.int, /) -> Tensor:
        """Swaps two axes.

        Parameters
        ----------
        x
            Any shape and dtype.
        axis1, axis2
            The axes.

        Returns
        -------
        Tensor
            A view.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.swapaxes(rl.ones((2, 3)), 0, 1).shape
        (3, 2)
        """
    def swapaxes_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Exchanges two axes of the tensor itself.

        Parameters
        ----------
        dim0, dim1
            The axes.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        IndexError
            If an axis is out of range.
        RuntimeError
            If the tensor requires a gradient.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.ones((2, 3, 4)).transpose_(0, 2).shape
        (4, 3, 2)
        """
    def swapdims(x, axis1: builtins.int, axis2: builtins.int, /) -> Tensor:
        """Swaps two axes.

        Parameters
        ----------
        x
            Any shape and dtype.
        axis1, axis2
            The axes.

        Returns
        -------
        Tensor
            A view.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.swapaxes(rl.ones((2, 3)), 0, 1).shape
        (3, 2)
        """
    def swapdims_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Exchanges two axes of the tensor itself.

        Parameters
        ----------
        dim0, dim1
            The axes.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        IndexError
            If an axis is out of range.
        RuntimeError
            If the tensor requires a gradient.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.ones((2, 3, 4)).transpose_(0, 2).shape
        (4, 3, 2)
        """
    def t(self) -> Tensor:
        """Transposes a matrix, as a view; a vector or number is returned unchanged.

        Returns
        -------
        Tensor
            View of shape (m, n) of a matrix of shape (n, m).

        Raises
        ------
        ValueError
            If the tensor has more than two dimensions.

        Examples
        --------
        >>> rl.ones((2, 3)).t().shape
        (3, 2)
        """
    def t_(self) -> Tensor:
        """Transposes a matrix itself; a vector or a scalar stays as it is.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        ValueError
            If the rank is more than 2.
        RuntimeError
            If the tensor requires a gradient.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.ones((2, 3)).t_().shape
        (3, 2)
        """
    def take(x, indices: Tensor, /, axis: builtins.int | None = None, *, dim: builtins.int | None = None) -> Tensor:
        """Selects entries along an axis, or elements of the flattened tensor, by indices of any shape.

        Parameters
        ----------
        x
            Any shape and dtype.
        indices
            Integers. Negative ones of a signed dtype count from the end.
        axis, dim
            The axis; without one the indices are those of the elements in row-major order, as in NumPy and
            PyTorch.

        Returns
        -------
        Tensor
            With an axis the entries: the axis is replaced by the axes of `indices`. Else the elements, in the
            shape of `indices`.

        Raises
        ------
        IndexError
            If an index or the axis is out of range.
        TypeError
            If the indices are not integers, or axis and dim are both given.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.tensor([[1, 2, 3], [4, 5, 6]])
        >>> rl.take(x, rl.tensor([2, 0]), axis=1).tolist()
        [[3, 1], [6, 4]]
        >>> rl.take(x, rl.tensor([[5], [0]])).tolist()
        [[6], [1]]
        """
    def take_along_dim(input, indices: Tensor, dim: builtins.int | None = None) -> Tensor:
        """Selects one element for each index along an axis: `take_along_axis` with PyTorch's arguments.

        Parameters
        ----------
        input
            Any shape.
        indices
            Integers; the other axes broadcast.
        dim
            The axis; None takes from the flattened tensor.

        Returns
        -------
        Tensor
            The elements, in the shape of `indices`.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.tensor([[3, 1], [2, 4]])
        >>> rl.take_along_dim(x, x.argsort(1), 1).tolist()
        [[1, 3], [2, 4]]
        """
    def tan(self) -> Tensor:
        """Computes the tangent of an angle in radians.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).tan()
        tensor([0.0000, 1.5574], dtype=float32, device='cpu')
        """
    def tan_(self) -> typing.Self:
        """Replaces the elements by those of ``tan``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.tan_() is x
        True
        """
    def tanh(self) -> Tensor:
        """Computes the hyperbolic tangent.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([0.0, 1.0]).tanh()
        tensor([0.0000, 0.7616], dtype=float32, device='cpu')
        """
    def tanh_(self) -> typing.Self:
        """Replaces the elements by those of ``tanh``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.tanh_() is x
        True
        """
    def tensor_split(input, indices_or_sections: builtins.int | collections.abc.Sequence[builtins.int] | Tensor, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """Cuts an axis into pieces, of sizes that differ by 1 at most, or at indices.

        Parameters
        ----------
        input
            Rank 1 or more.
        indices_or_sections
            Number of pieces, of which the first are larger; or the index at which each piece but the first
            begins.
        dim
            The axis.

        Returns
        -------
        tuple of Tensor
            Views.

        Raises
        ------
        IndexError
            If the axis is out of range.
        ValueError
            If the number of pieces is not positive.

        Examples
        --------
        >>> import rushlight as rl
        >>> [x.tolist() for x in rl.tensor_split(rl.arange(5), 3)]
        [[0, 1], [2, 3], [4]]
        >>> [x.tolist() for x in rl.tensor_split(rl.arange(5), (1, 4))]
        [[0], [1, 2, 3], [4]]
        """
    def tile(x, repetitions: builtins.tuple[builtins.int, ...], /) -> Tensor:
        """Repeats the tensor along each axis.

        Parameters
        ----------
        x
            Any shape and dtype.
        repetitions
            Number of repeats along each of the last axes; new axes come first.

        Returns
        -------
        Tensor
            Of the dtype of `x`.

        Raises
        ------
        ValueError
            If a number is negative.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tile(rl.tensor([1, 2]), (2, 2)).tolist()
        [[1, 2, 1, 2], [1, 2, 1, 2]]
        """
    def to(self, *args: typing.Any, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, copy: builtins.bool = False, non_blocking: builtins.bool = False) -> Tensor:
        """Converts the tensor to another dtype, another device, or both.

        Parameters
        ----------
        args : DType, Device, str or Tensor
            Dtype or device, in any order; a tensor gives both.
        dtype : DType or str, optional
            Dtype of the result.
        device : Device or str, optional
            Device of the result.
        copy : bool, default False
            Whether to copy even if nothing changes.
        non_blocking : bool, default False
            Accepted for compatibility with PyTorch, without effect.

        Returns
        -------
        Tensor
            Converted tensor; the tensor itself if nothing changes.

        Raises
        ------
        DeviceError
            If the device is missing or fails.
        TypeError
            If an argument is neither a dtype nor a device.

        Examples
        --------
        >>> rl.tensor([1, 2]).to(rl.float64)
        tensor([1., 2.], dtype=float64, device='cpu')
        >>> rl.tensor([1, 2]).to('cpu').device
        Device('cpu')
        """
    def to_dense(self) -> Tensor:
        """Returns the tensor itself, which is dense, so that a function can take dense and sparse tensors.

        Returns
        -------
        Tensor
            The tensor.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([0.0, 5.0]).to_dense().tolist()
        [0.0, 5.0]
        """
    def to_device(self, device: Device | builtins.str, /, *, stream: typing.Any | None = None) -> Tensor:
        """Copies the tensor to another device.

        Parameters
        ----------
        device : Device or str
            Device of the result.
        stream : None
            Only None: streams cannot be chosen.

        Returns
        -------
        Tensor
            Tensor on the device; the tensor itself if it is on that device already.

        Raises
        ------
        DeviceError
            If the device is missing or fails.
        ValueError
            If a stream is given.

        Examples
        --------
        >>> rl.ones(2).to_device('cpu').device
        Device('cpu')
        """
    def to_sparse(self, sparse_dim: builtins.int | None = None) -> COOTensor:
        """Converts to a sparse tensor by coordinates, in which elements that are 0 are not stored.

        Parameters
        ----------
        sparse_dim
            The number of dimensions, from the first on, that become sparse; all by default.

        Returns
        -------
        rushlight.sparse.COOTensor
            The sparse tensor, to which gradients flow.

        Raises
        ------
        ValueError
            If `sparse_dim` is not from 1 to the rank.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([[0.0, 5.0], [7.0, 0.0]]).to_sparse().indices().tolist()
        [[0, 1], [1, 0]]
        """
    def to_sparse_coo(self) -> COOTensor:
        """Converts to a sparse tensor by coordinates, as `to_sparse` does.

        Returns
        -------
        rushlight.sparse.COOTensor
            The sparse tensor, to which gradients flow.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([0.0, 5.0]).to_sparse_coo().values().tolist()
        [5.0]
        """
    def to_sparse_csr(self) -> CSRTensor:
        """Converts a matrix to compressed rows, in which elements that are 0 are not stored.

        Returns
        -------
        rushlight.sparse.CSRTensor
            The sparse matrix, to which gradients flow.

        Raises
        ------
        ValueError
            If this is not a matrix.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([[0.0, 5.0], [7.0, 0.0]]).to_sparse_csr().crow_indices().tolist()
        [0, 1, 2]
        """
    def tolist(self) -> typing.Any:
        """Returns the elements as nested lists of Python numbers.

        Returns
        -------
        list or number
            One level of lists for each dimension; a number for rank 0.

        Examples
        --------
        >>> rl.tensor([[1, 2], [3, 4]]).tolist()
        [[1, 2], [3, 4]]
        """
    def topk(input, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True, *, axis: builtins.int | None = None) -> ValuesIndices:
        """Returns the largest elements along an axis and their indices.

        Parameters
        ----------
        input
            Rank 1 or more.
        k
            Number of elements.
        dim, axis
            The axis, by either name.
        largest
            False returns the smallest.
        sorted
            Accepted for compatibility; the elements are always in order.

        Returns
        -------
        ValuesIndices
            `values` and int64 `indices`, of size `k` along the axis. Of equal elements the first come first.

        Raises
        ------
        ValueError
            If the axis has fewer than `k` elements.

        Examples
        --------
        >>> import rushlight as rl
        >>> values, indices = rl.topk(rl.tensor([3.0, 9.0, 5.0]), 2)
        >>> values.tolist(), indices.tolist()
        ([9.0, 5.0], [1, 2])
        """
    def trace(input) -> Tensor:
        """Sums the diagonal of a matrix.

        Parameters
        ----------
        input
            A matrix.

        Returns
        -------
        Tensor
            A scalar.

        Raises
        ------
        ValueError
            If `input` is not a matrix.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.trace(rl.tensor([[1, 2], [3, 4]])).item()
        5
        """
    def transpose(self, dim0: typing.SupportsIndex, dim1: typing.SupportsIndex, /) -> Tensor:
        """Exchanges two dimensions, as a view.

        Parameters
        ----------
        dim0 : int
            First dimension.
        dim1 : int
            Second dimension.

        Returns
        -------
        Tensor
            View with the dimensions exchanged.

        Raises
        ------
        IndexError
            If an axis is out of range.

        Examples
        --------
        >>> rl.ones((2, 3, 4)).transpose(0, 2).shape
        (4, 3, 2)
        """
    def transpose_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Exchanges two axes of the tensor itself.

        Parameters
        ----------
        dim0, dim1
            The axes.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        IndexError
            If an axis is out of range.
        RuntimeError
            If the tensor requires a gradient.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.ones((2, 3, 4)).transpose_(0, 2).shape
        (4, 3, 2)
        """
    def tril(self, diagonal: typing.SupportsIndex | None = None, *, k: typing.SupportsIndex | None = None) -> Tensor:
        """Returns the lower triangle of the last two dimensions, with zeros above a diagonal.

        Parameters
        ----------
        diagonal, k : int, default 0
            Diagonal that bounds the triangle: 0 is the main one, positive ones lie above it. ``k`` is the array API's name.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.
        ValueError
            If the shape and the numbers do not match.

        Examples
        --------
        >>> rl.ones((2, 3)).tril()
        tensor([[1., 0., 0.],
                [1., 1., 0.]], dtype=float32, device='cpu')
        """
    def tril_(self, diagonal: typing.SupportsIndex | None = None, *, k: typing.SupportsIndex | None = None) -> typing.Self:
        """Replaces the elements by those of ``tril``.

        Parameters
        ----------
        diagonal, k : int, default 0
            Diagonal that bounds the triangle: 0 is the main one, positive ones lie above it. ``k`` is the array API's name.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> x.tril_() is x
        True
        """
    def triu(self, diagonal: typing.SupportsIndex | None = None, *, k: typing.SupportsIndex | None = None) -> Tensor:
        """Returns the upper triangle of the last two dimensions, with zeros below a diagonal.

        Parameters
        ----------
        diagonal, k : int, default 0
            Diagonal that bounds the triangle: 0 is the main one, positive ones lie above it. ``k`` is the array API's name.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.
        ValueError
            If the shape and the numbers do not match.

        Examples
        --------
        >>> rl.ones((2, 3)).triu()
        tensor([[1., 1., 1.],
                [0., 1., 1.]], dtype=float32, device='cpu')
        """
    def triu_(self, diagonal: typing.SupportsIndex | None = None, *, k: typing.SupportsIndex | None = None) -> typing.Self:
        """Replaces the elements by those of ``triu``.

        Parameters
        ----------
        diagonal, k : int, default 0
            Diagonal that bounds the triangle: 0 is the main one, positive ones lie above it. ``k`` is the array API's name.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> x.triu_() is x
        True
        """
    def true_divide(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes self / other, correctly rounded for real numbers. Integers give the default float in Python; in Rust they truncate, and x / 0 is 0.

        Parameters
        ----------
        other : Tensor or number
            Right operand of any dtype but bool. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            Result in the common dtype and shape.

        Raises
        ------
        TypeError
            If no operand is a tensor, or the common dtype is not supported.
        ValueError
            If the shapes cannot be broadcast to one shape.

        Examples
        --------
        >>> rl.tensor([1, 3]).divide(rl.tensor([2, 2]))
        tensor([0.5000, 1.5000], dtype=float32, device='cpu')
        """
    def true_divide_(self, other: Tensor | builtins.complex, /) -> typing.Self:
        """Replaces the elements by those of ``true_divide``.

        Parameters
        ----------
        other : Tensor or number
            Right operand of any dtype but bool. Both sides are promoted to one dtype and broadcast to one shape.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.true_divide_(2.0) is x
        True
        """
    def trunc(self) -> Tensor:
        """Rounds towards 0 to an integer. The gradient is 0.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([-1.5, 1.5]).trunc()
        tensor([-1.,  1.], dtype=float32, device='cpu')
        """
    def trunc_(self) -> typing.Self:
        """Replaces the elements by those of ``trunc``.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.trunc_() is x
        True
        """
    def type(self, dtype: DType | builtins.str | None = None, non_blocking: builtins.bool = False) -> Tensor | builtins.str:
        """Converts to a dtype, or without arguments returns PyTorch's name of the class of such tensors.

        Parameters
        ----------
        dtype
            The dtype, its name, or PyTorch's class, such as ``rl.FloatTensor``, or its name.
        non_blocking
            Accepted for compatibility, without effect.

        Returns
        -------
        Tensor or str
            The converted tensor, the tensor itself if nothing changes; or the name.

        Raises
        ------
        TypeError
            If the argument is not a dtype.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([1.5]).type(rl.int64).tolist()
        [1]
        >>> rl.tensor([1.5]).type()
        'rushlight.FloatTensor'
        """
    def type_as(self, other: Tensor) -> Tensor:
        """Converts to the dtype and device of another tensor.

        Parameters
        ----------
        other
            The other tensor.

        Returns
        -------
        Tensor
            The converted tensor; the tensor itself if nothing changes.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.tensor([1, 2]).type_as(rl.ones(1)).dtype
        rushlight.float32
        """
    def unbind(self, dim: typing.SupportsIndex = 0, *, axis: typing.SupportsIndex | None = None) -> builtins.tuple[Tensor, ...]:
        """Splits the tensor into its entries along a dimension.

        Parameters
        ----------
        axis, dim : int, default 0
            Axis to work along; a negative one counts from the end. ``dim`` is PyTorch's name of the parameter.

        Returns
        -------
        tuple[Tensor, ...]
            Views without the dimension, one for each entry.

        Raises
        ------
        IndexError
            If an axis is out of range.

        Examples
        --------
        >>> rl.tensor([[1, 2], [3, 4]]).unbind()[0]
        tensor([1, 2], dtype=int64, device='cpu')
        """
    def unflatten(input, dim: builtins.int, sizes: collections.abc.Sequence[builtins.int]) -> Tensor:
        """Splits one axis into several.

        Parameters
        ----------
        input
            Any shape and dtype.
        dim
            The axis.
        sizes
            The sizes; one may be -1.

        Returns
        -------
        Tensor
            A view where that is possible.

        Raises
        ------
        ValueError
            If the sizes do not fit.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.unflatten(rl.ones((2, 6)), 1, (3, -1)).shape
        (2, 3, 2)
        """
    def unfold(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
        """Returns windows of an axis as a new last axis. The result is a copy; in PyTorch it is a view.

        Parameters
        ----------
        dimension
            The axis.
        size
            Elements of a window.
        step
            From the beginning of a window to that of the next.

        Returns
        -------
        Tensor
            The axis has one entry for each window that fits.

        Raises
        ------
        IndexError
            If the axis is out of range.
        ValueError
            If the window is longer than the axis, or the step is not positive.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.arange(5).unfold(0, 3, 2).tolist()
        [[0, 1, 2], [2, 3, 4]]
        """
    def uniform_(self, from_: builtins.float = 0.0, to: builtins.float = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Replaces the elements by draws from the uniform distribution over ``[from_, to)``.

        Parameters
        ----------
        from_, to
            The ends.
        generator
            Source of the random numbers; that of the device by default.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        ValueError
            If `to` is below `from_`.
        TypeError
            If the dtype is not floating point.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.empty(100).uniform_(-1.0, 1.0)
        >>> bool((x.abs() <= 1).all())
        True
        """
    def unique(input, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Tensor | builtins.tuple[Tensor, ...]:
        """Returns the distinct elements in ascending order.

        Parameters
        ----------
        input
            Any shape and dtype. Each NaN is a separate element.
        sorted
            Accepted for compatibility; the result is always sorted.
        return_inverse
            Whether to return the index of each element among the distinct ones.
        return_counts
            Whether to return the number of occurrences of each element.
        dim, axis
            Compares the entries of this axis in place of single elements.

        Returns
        -------
        Tensor or tuple of Tensor
            The distinct elements, then the inverse and the counts that were asked for.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.unique(rl.tensor([3, 1, 3])).tolist()
        [1, 3]
        >>> values, counts = rl.unique(rl.tensor([[2, 2], [1, 2], [2, 2]]), dim=0, return_counts=True)
        >>> values.tolist(), counts.tolist()
        ([[1, 2], [2, 2]], [1, 2])
        """
    def unique_consecutive(input, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Tensor | builtins.tuple[Tensor, ...]:
        """Returns the elements without those that equal the element before them.

        Parameters
        ----------
        input
            Any shape, which is flattened without `dim`.
        return_inverse
            Whether to return the index of each element's run.
        return_counts
            Whether to return the lengths of the runs.
        dim
            Compares the entries of this axis in place of single elements.

        Returns
        -------
        Tensor or tuple of Tensor
            The elements or entries, then the inverse and the counts that were asked for.

        Raises
        ------
        IndexError
            If the axis is out of range.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.unique_consecutive(rl.tensor([1, 1, 2, 1])).tolist()
        [1, 2, 1]
        >>> rl.unique_consecutive(rl.tensor([[1, 2], [1, 2], [1, 3]]), dim=0).tolist()
        [[1, 2], [1, 3]]
        """
    def unsqueeze(self, dim: typing.SupportsIndex) -> Tensor:
        """Inserts a dimension of size 1, as a view.

        Parameters
        ----------
        dim : int
            Index of the new dimension in the result; a negative one counts from the end.

        Returns
        -------
        Tensor
            View with the new dimension.

        Raises
        ------
        IndexError
            If an axis is out of range.

        Examples
        --------
        >>> rl.ones(3).unsqueeze(0).shape
        (1, 3)
        """
    def unsqueeze_(self, dim: builtins.int) -> Tensor:
        """Inserts an axis of size 1 into the tensor itself.

        Parameters
        ----------
        dim
            The index of the new axis.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        IndexError
            If the axis is out of range.
        RuntimeError
            If the tensor requires a gradient.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.ones(3)
        >>> x.unsqueeze_(0) is x, x.shape
        (True, (1, 3))
        """
    def var(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *position: builtins.int, keepdims: builtins.bool | None = None, correction: typing.SupportsFloat | typing.SupportsIndex | None = None, ddof: typing.SupportsFloat | typing.SupportsIndex | None = None, unbiased: builtins.bool | None = None, dtype: DType | builtins.str | None = None, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Computes the variance over axes, with the divisor n - correction. That of complex numbers is real: the mean of squared distances.

        Parameters
        ----------
        axis, dim : int or tuple of int, optional
            Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        correction : float, default 0.0
            Subtracted from the number of elements in the divisor; 1 gives the unbiased estimate. ``ddof`` is NumPy's name.
        unbiased : bool, optional
            PyTorch's name: True is ``correction=1``, False ``correction=0``.
        dtype : DType or str, optional
            Dtype of the result.
        out : None
            Only None; NumPy's functions pass it.

        Returns
        -------
        Tensor
            One value for each element of the axes that stay.

        Raises
        ------
        IndexError
            If an axis is out of range.
        ValueError
            If an axis is given twice.
        TypeError
            If the dtype is not supported.

        Examples
        --------
        >>> rl.tensor([1.0, 2.0, 6.0]).var()
        tensor(4.6667, dtype=float32, device='cpu')
        """
    def var_mean(input, dim: builtins.int | builtins.tuple[builtins.int, ...] | None = None, *, correction: builtins.float | None = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False) -> builtins.tuple[Tensor, Tensor]:
        """Returns variances and means.

        Parameters
        ----------
        input
            Any shape; floating point.
        dim
            The axis, or several; None for all.
        correction
            The number that is subtracted from the number of elements to give the divisor; 1 by default.
        unbiased
            Whether `correction` is 1, or else 0.
        keepdim
            Whether the axes stay with size 1.

        Returns
        -------
        tuple of Tensor
            The variances and the means.

        Raises
        ------
        TypeError
            If `correction` and `unbiased` are both given.

        Examples
        --------
        >>> import rushlight as rl
        >>> v, m = rl.var_mean(rl.tensor([1.0, 5.0]), correction=0)
        >>> v.item(), m.item()
        (4.0, 3.0)
        """
    def vdot(input, other: Tensor) -> Tensor:
        """Sums the products of two vectors, of which the first one is conjugated.

        Parameters
        ----------
        input, other
            Vectors of one size.

        Returns
        -------
        Tensor
            A scalar.

        Raises
        ------
        ValueError
            If one is not a vector, or the sizes differ.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.vdot(rl.tensor([1.0, 2.0]), rl.tensor([3.0, 4.0])).item()
        11.0
        """
    def view(self, shape: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int) -> Tensor:
        """Returns the elements in another shape, as ``reshape`` without ``copy``.

        Parameters
        ----------
        shape : int or sequence of int
            New shape. One size may be -1: it follows from the number of elements.

        Returns
        -------
        Tensor
            Tensor in the new shape.

        Raises
        ------
        ValueError
            If the number of elements differs.

        Examples
        --------
        >>> rl.arange(6).view(2, 3)
        tensor([[0, 1, 2],
                [3, 4, 5]], dtype=int64, device='cpu')
        """
    def view_as(self, other: Tensor) -> Tensor:
        """Returns the elements in the shape of another tensor.

        Parameters
        ----------
        other
            The other tensor.

        Returns
        -------
        Tensor
            A view where that is possible.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.arange(4).reshape_as(rl.ones((2, 2))).tolist()
        [[0, 1], [2, 3]]
        """
    def vsplit(input, indices_or_sections: builtins.int | collections.abc.Sequence[builtins.int] | Tensor) -> builtins.tuple[Tensor, ...]:
        """Cuts the first axis into equal pieces or at indices.

        Parameters
        ----------
        input
            Rank 2 or more.
        indices_or_sections
            Number of pieces, or the index at which each piece but the first begins.

        Returns
        -------
        tuple of Tensor
            Views.

        Raises
        ------
        ValueError
            If the pieces would not have one size, or the rank is less than 2.

        Examples
        --------
        >>> import rushlight as rl
        >>> [x.tolist() for x in rl.vsplit(rl.tensor([[1, 2], [3, 4]]), 2)]
        [[[1, 2]], [[3, 4]]]
        """
    def where(self, condition: Tensor, other: Tensor | builtins.complex) -> Tensor:
        """Returns the tensor's elements where a condition holds, and others elsewhere.

        Parameters
        ----------
        condition
            bool.
        other
            A tensor or a number; all three broadcast.

        Returns
        -------
        Tensor
            Of the broadcast shape and the promoted dtype.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.tensor([-1.0, 2.0])
        >>> x.where(x > 0, 0.0).tolist()
        [0.0, 2.0]
        """
    def xlogy(input, other: Tensor | builtins.complex) -> Tensor:
        """Returns ``input * log(other)``, and 0 where `input` is 0.

        Parameters
        ----------
        input, other
            Tensors, or a tensor and a number; shapes broadcast.

        Returns
        -------
        Tensor
            Of the broadcast shape; floating point. NaN where `other` is NaN.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.xlogy(rl.tensor([0.0, 2.0]), rl.tensor([0.0, 1.0])).tolist()
        [0.0, 0.0]
        """
    def xlogy_(self, other: Tensor | builtins.complex) -> typing.Self:
        """Replaces the elements by those of ``xlogy``.

        Parameters
        ----------
        input, other
            Tensors, or a tensor and a number; shapes broadcast.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.
        ValueError
            If the result has another shape.
        TypeError
            If the result is of another kind, as floats are for a tensor of integers.

        Examples
        --------
        >>> x = rl.tensor([0.25, 0.5])
        >>> x.xlogy_(rl.ones(2)) is x
        True
        """
    def zero_(self) -> Tensor:
        """Sets every element to 0, in place.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        RuntimeError
            If the tensor is a leaf that requires a gradient.

        Examples
        --------
        >>> rl.ones(2).zero_()
        tensor([0., 0.], dtype=float32, device='cpu')
        """

@typing.final
class _GpuGraph:
    """A graph of one GPU, and its capture."""
    def __new__(cls, device: Device | builtins.str, /) -> typing.Self: ...
    def begin(self) -> None:
        """Starts to record the work of this thread on the device."""
    def end(self, keep: builtins.bool, /) -> None:
        """Ends the capture; if `keep` is false, what was recorded is dropped."""
    def launches(self) -> builtins.int:
        """Number of kernels of this library that a replay runs."""
    def replay(self) -> None:
        """Queues the recorded work."""
    def reset(self) -> None:
        """Drops the recorded work and its memory."""

@typing.final
class _HookHandle:
    """The registration of a hook of a tensor; `rushlight._hooks.GradientHandle` wraps it."""
    def remove(self) -> None:
        """Removes the hook."""

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
    def attributes(self, index: typing.SupportsIndex, /) -> builtins.dict[builtins.str, Tensor]:
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
    def reference(self, index: typing.SupportsIndex, /) -> builtins.dict[builtins.str, Tensor]:
        """Returns what NumPy and PyTorch have in place of the op: its kind ("function", "expression" or "none"), the names in
        NumPy and in PyTorch, whether only floats are compared, and the reason where there is nothing.
        """
    def run(self, index: typing.SupportsIndex, device: Device | builtins.str, against: builtins.str, keep: typing.SupportsIndex, /) -> builtins.dict[builtins.str, typing.Any]:
        """Runs a case against "f64", "cpu" or another device's name; outputs of up to `keep` bytes come back."""
    def what(self, index: typing.SupportsIndex, /) -> builtins.str:
        """Returns the op with its attributes, as text."""

@typing.final
class _ProfilerRange:
    """A named part of the program, which `_profiler_range` begins."""
    def end(self) -> None:
        """Ends the part."""

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
    "Generator",
    "Tensor",
    "abs",
    "accumulate_norm",
    "acos",
    "acosh",
    "adagrad_step",
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
    "clip_value",
    "concat",
    "conj_physical",
    "cos",
    "cosh",
    "cumulative_sum",
    "divide",
    "elu",
    "empty",
    "empty_cache",
    "empty_like",
    "equal",
    "erf",
    "erfinv",
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
    "get_default_device",
    "get_default_dtype",
    "get_num_threads",
    "get_rng_state",
    "greater",
    "greater_equal",
    "index_select",
    "initial_seed",
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
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsumexp",
    "manual_seed",
    "matmul",
    "matrix_transpose",
    "max",
    "maximum",
    "mean",
    "memory_stats",
    "min",
    "minimum",
    "multiply",
    "negative",
    "nonzero",
    "not_equal",
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
    "relu_squared",
    "remainder",
    "reset_peak_memory",
    "reshape",
    "rmsprop_step",
    "round",
    "rsqrt",
    "save_file",
    "seed",
    "set_default_device",
    "set_default_dtype",
    "set_num_threads",
    "set_rng_state",
    "sgd_step",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "sinh",
    "softplus",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "subtract",
    "sum",
    "take_along_axis",
    "tan",
    "tanh",
    "tensor",
    "tril",
    "triu",
    "trunc",
    "unscale_and_check_finite",
    "unstack",
    "upsample_bilinear2d",
    "upsample_nearest1d",
    "upsample_nearest2d",
    "use_deterministic_algorithms",
    "var",
    "where",
    "zeros",
    "zeros_like",
]

def _accumulate_norms(total: Tensor, tensors: collections.abc.Sequence[Tensor], order: typing.SupportsFloat | typing.SupportsIndex, /) -> None:
    """`accumulate_norm` over a list of tensors."""

def _activations() -> builtins.str:
    """Returns the name of the precision of the other factor of products with blocks."""

def _adadelta_step(param: Tensor, grad: Tensor, v: Tensor, a: Tensor, /, *, rho: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, lr: typing.SupportsFloat | typing.SupportsIndex, keep: typing.SupportsFloat | typing.SupportsIndex = 1.0, weight_decay: typing.SupportsFloat | typing.SupportsIndex = 0.0, maximize: builtins.bool = False) -> None:
    """Performs one step of Adadelta, in place.

    Parameters
    ----------
    param : Tensor
        Parameter to update.
    grad : Tensor
        Its gradient.
    v : Tensor
        State, which is updated too.
    a : Tensor
        State, which is updated too.
    rho : float
        Share of the old means that is kept.
    eps : float
        Added to the denominator.
    lr : float
        Learning rate.
    keep : float, default 1.0
        Factor of the parameter.
    weight_decay : float, default 0.0
        Factor of the parameter that is added to the gradient.
    maximize : bool, default False
        Whether the step goes uphill.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.
    """

def _adagrad_steps(params: collections.abc.Sequence[Tensor], grads: collections.abc.Sequence[Tensor], sums: collections.abc.Sequence[Tensor], step: typing.SupportsIndex, lr: typing.SupportsFloat | typing.SupportsIndex, lr_decay: typing.SupportsFloat | typing.SupportsIndex, weight_decay: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, maximize: builtins.bool, /) -> None:
    """Runs `adagrad_step` on lists of tensors."""

def _adam_steps(params: collections.abc.Sequence[Tensor], grads: collections.abc.Sequence[Tensor], exp_avgs: collections.abc.Sequence[Tensor], exp_avg_sqs: collections.abc.Sequence[Tensor], step: typing.SupportsIndex, lr: typing.SupportsFloat | typing.SupportsIndex, beta1: typing.SupportsFloat | typing.SupportsIndex, beta2: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, weight_decay: typing.SupportsFloat | typing.SupportsIndex, decoupled: builtins.bool, maximize: builtins.bool, /) -> None:
    """Runs `adam_step`, or `adamw_step` where `decoupled`, on lists of tensors."""

def _adamax_step(param: Tensor, grad: Tensor, m: Tensor, top: Tensor, /, *, beta1: typing.SupportsFloat | typing.SupportsIndex, beta2: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, rate: typing.SupportsFloat | typing.SupportsIndex, keep: typing.SupportsFloat | typing.SupportsIndex = 1.0, weight_decay: typing.SupportsFloat | typing.SupportsIndex = 0.0, maximize: builtins.bool = False) -> None:
    """Performs one step of Adamax, in place.

    Parameters
    ----------
    param : Tensor
        Parameter to update.
    grad : Tensor
        Its gradient.
    m : Tensor
        State, which is updated too.
    top : Tensor
        State, which is updated too.
    beta1 : float
        Share of the old mean that is kept.
    beta2 : float
        Share of the old second state that is kept.
    eps : float
        Added to the denominator.
    rate : float
        Factor of the mean; negative downhill.
    keep : float, default 1.0
        Factor of the parameter.
    weight_decay : float, default 0.0
        Factor of the parameter that is added to the gradient.
    maximize : bool, default False
        Whether the step goes uphill.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.
    """

def _adaptive_avg_pool1d(x: Tensor, /, output_size: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Computes the mean of each adaptive window of (n, c, l).

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    output_size : int or sequence of int
        Number of windows along each spatial dimension.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _adaptive_avg_pool2d(x: Tensor, /, output_size: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Computes the mean of each adaptive window of (n, c, h, w).

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    output_size : int or sequence of int
        Number of windows along each spatial dimension.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _adaptive_avg_pool3d(x: Tensor, /, output_size: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Computes the mean of each adaptive window of (n, c, d, h, w).

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    output_size : int or sequence of int
        Number of windows along each spatial dimension.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _adaptive_max_pool1d(x: Tensor, /, output_size: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Computes the maximum of each adaptive window of (n, c, l).

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.
    output_size : int or sequence of int
        Number of windows along each spatial dimension.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _adaptive_max_pool1d_indices(x: Tensor, /, output_size: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Returns the index of the maximum of each adaptive window.

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.
    output_size : int or sequence of int
        Number of windows along each spatial dimension.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _adaptive_max_pool2d(x: Tensor, /, output_size: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Computes the maximum of each adaptive window of (n, c, h, w).

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.
    output_size : int or sequence of int
        Number of windows along each spatial dimension.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _adaptive_max_pool2d_indices(x: Tensor, /, output_size: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Returns the index of the maximum of each adaptive window.

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.
    output_size : int or sequence of int
        Number of windows along each spatial dimension.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _adaptive_max_pool3d(x: Tensor, /, output_size: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Computes the maximum of each adaptive window of (n, c, d, h, w).

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.
    output_size : int or sequence of int
        Number of windows along each spatial dimension.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _adaptive_max_pool3d_indices(x: Tensor, /, output_size: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Returns the index of the maximum of each adaptive window.

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.
    output_size : int or sequence of int
        Number of windows along each spatial dimension.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _add_kernel_archives(folder: builtins.str | os.PathLike[builtins.str], /) -> None:
    """Adds a folder with archives of compiled kernels, for devices that are opened later."""

def _amsgrad_step(param: Tensor, grad: Tensor, m: Tensor, v: Tensor, top: Tensor, /, *, beta1: typing.SupportsFloat | typing.SupportsIndex, beta2: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, root: typing.SupportsFloat | typing.SupportsIndex, rate: typing.SupportsFloat | typing.SupportsIndex, keep: typing.SupportsFloat | typing.SupportsIndex = 1.0, weight_decay: typing.SupportsFloat | typing.SupportsIndex = 0.0, maximize: builtins.bool = False) -> None:
    """Performs one step of Adam with the largest second moment, in place.

    Parameters
    ----------
    param : Tensor
        Parameter to update.
    grad : Tensor
        Its gradient.
    m : Tensor
        State, which is updated too.
    v : Tensor
        State, which is updated too.
    top : Tensor
        State, which is updated too.
    beta1 : float
        Share of the old mean that is kept.
    beta2 : float
        Share of the old second state that is kept.
    eps : float
        Added to the denominator.
    root : float
        Divisor of the root of the largest mean of squares.
    rate : float
        Factor of the mean; negative downhill.
    keep : float, default 1.0
        Factor of the parameter.
    weight_decay : float, default 0.0
        Factor of the parameter that is added to the gradient.
    maximize : bool, default False
        Whether the step goes uphill.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.
    """

def _apply(name: builtins.str, run: typing.Any, context: typing.Any, inputs: collections.abc.Sequence[Tensor], outputs: collections.abc.Sequence[Tensor], constant: collections.abc.Sequence[typing.SupportsIndex], saved: collections.abc.Sequence[Tensor | None], keep_none: builtins.bool, /) -> builtins.list[Tensor]:
    """Records that a function computed the outputs from the inputs, and returns the outputs as parts of the graph."""

def _asgd_step(param: Tensor, grad: Tensor, average: Tensor, /, *, eta: typing.SupportsFloat | typing.SupportsIndex, mu: typing.SupportsFloat | typing.SupportsIndex, keep: typing.SupportsFloat | typing.SupportsIndex = 1.0, weight_decay: typing.SupportsFloat | typing.SupportsIndex = 0.0, maximize: builtins.bool = False) -> None:
    """Performs one step of averaged gradient descent, in place.

    Parameters
    ----------
    param : Tensor
        Parameter to update.
    grad : Tensor
        Its gradient.
    average : Tensor
        State, which is updated too.
    eta : float
        Learning rate of this step.
    mu : float
        Share of the parameter in the average.
    keep : float, default 1.0
        Factor of the parameter.
    weight_decay : float, default 0.0
        Factor of the parameter that is added to the gradient.
    maximize : bool, default False
        Whether the step goes uphill.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.
    """

def _attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: typing.SupportsFloat | typing.SupportsIndex, causal: builtins.bool, scale: typing.SupportsFloat | typing.SupportsIndex | None, /) -> Tensor:
    """Computes the attention of queries (.., h, l, d) to keys (.., g, s, d) and values (.., g, s, e)."""

def _attention_weights(query: Tensor, key: Tensor, mask: Tensor | None, causal: builtins.bool, scale: typing.SupportsFloat | typing.SupportsIndex | None, /) -> Tensor:
    """Computes the weights of attention, (.., h, l, s)."""

def _avg_pool1d(x: Tensor, /, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], ceil_mode: builtins.bool, count_include_pad: builtins.bool, divisor_override: typing.SupportsIndex) -> Tensor:
    """Computes the mean of each window of (n, c, l).

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    kernel_size : int or sequence of int
        Sizes of the window, for each spatial dimension.
    stride : int or sequence of int
        Steps from one window to the next, for each spatial dimension.
    padding : int or sequence of int
        Elements added on both sides of each spatial dimension.
    ceil_mode : bool
        Whether a last window that reaches beyond the padding counts.
    count_include_pad : bool
        Whether padding counts as zeros.
    divisor_override : int
        Divisor of the sums; 0: the number of elements of the window.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _avg_pool2d(x: Tensor, /, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], ceil_mode: builtins.bool, count_include_pad: builtins.bool, divisor_override: typing.SupportsIndex) -> Tensor:
    """Computes the mean of each window of (n, c, h, w).

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    kernel_size : int or sequence of int
        Sizes of the window, for each spatial dimension.
    stride : int or sequence of int
        Steps from one window to the next, for each spatial dimension.
    padding : int or sequence of int
        Elements added on both sides of each spatial dimension.
    ceil_mode : bool
        Whether a last window that reaches beyond the padding counts.
    count_include_pad : bool
        Whether padding counts as zeros.
    divisor_override : int
        Divisor of the sums; 0: the number of elements of the window.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _avg_pool3d(x: Tensor, /, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], ceil_mode: builtins.bool, count_include_pad: builtins.bool, divisor_override: typing.SupportsIndex) -> Tensor:
    """Computes the mean of each window of (n, c, d, h, w).

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    kernel_size : int or sequence of int
        Sizes of the window, for each spatial dimension.
    stride : int or sequence of int
        Steps from one window to the next, for each spatial dimension.
    padding : int or sequence of int
        Elements added on both sides of each spatial dimension.
    ceil_mode : bool
        Whether a last window that reaches beyond the padding counts.
    count_include_pad : bool
        Whether padding counts as zeros.
    divisor_override : int
        Divisor of the sums; 0: the number of elements of the window.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _backward(outputs: collections.abc.Sequence[Tensor], grad_outputs: collections.abc.Sequence[Tensor | None], inputs: collections.abc.Sequence[Tensor] | None, create_graph: builtins.bool, /) -> None:
    """Adds the gradients of the outputs, weighted, to those of leaves, or only of the inputs."""

def _batch_norm(x: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None, bias: Tensor | None, training: builtins.bool, momentum: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, /) -> Tensor:
    """Normalizes each channel of (n, c, ..) by the batch's statistics or by running ones, which the batch changes in place."""

def _bias_activation(x: Tensor, bias: Tensor, /, activation: builtins.str) -> Tensor:
    """Adds a bias and applies an activation.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    bias : Tensor
        Number that is added to each element; it is broadcast.
    activation : str
        The function that is applied to the sum.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _bias_dropout(x: Tensor, bias: Tensor, p: typing.SupportsFloat | typing.SupportsIndex, training: builtins.bool, /) -> Tensor:
    """Computes ``x + bias``, in training with dropout."""

def _celu(x: Tensor, /, alpha: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
    """Computes ``x`` where it is positive, else ``alpha * (exp(x / alpha) - 1)``.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.
    alpha : float, default 1.0
        The negative of the limit for small ``x``; not 0.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    """

def _cholesky(x: Tensor, upper: builtins.bool, /) -> Tensor:
    """Returns Cholesky's factor."""

def _cholesky_ex(x: Tensor, upper: builtins.bool, /) -> builtins.tuple[Tensor, Tensor]:
    """Returns Cholesky's factor and the order of the first minor that is not positive."""

def _clip_values(grads: collections.abc.Sequence[Tensor], min: typing.SupportsFloat | typing.SupportsIndex, max: typing.SupportsFloat | typing.SupportsIndex, /) -> None:
    """`clip_value` over a list of gradients."""

def _col2im(columns: Tensor, /, output_size: builtins.int | collections.abc.Sequence[builtins.int], kernel_size: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Adds columns to the windows of (n, c, h, w).

    Parameters
    ----------
    columns : Tensor
        Input, of an integer or floating-point dtype.
    output_size : int or sequence of int
        Height and width of the images.
    kernel_size : int or sequence of int
        Sizes of the window, for each spatial dimension.
    dilation : int or sequence of int
        Steps between the elements of a window, for each spatial dimension.
    padding : int or sequence of int
        Elements added on both sides of each spatial dimension.
    stride : int or sequence of int
        Steps from one window to the next, for each spatial dimension.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, output_size ..).

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _complex(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Makes complex numbers of their real parts x1 and imaginary parts x2.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of dtype float32 or float64. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl._complex(rl.tensor([1.0, 3.0]), rl.tensor([2.0, -4.0]))
    tensor([1.+2.j, 3.-4.j], dtype=complex64, device='cpu')
    """

def _conv1d(x: Tensor, weight: Tensor, bias: Tensor | None, /, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], groups: builtins.int) -> Tensor:
    """Computes the cross-correlation of (n, c, l) with (o, c / groups, k), plus a bias.

    Parameters
    ----------
    x : Tensor
        Input of shape (n, channels, ..), of an integer or floating-point dtype.
    weight : Tensor
        Kernel, of the dtype of ``x``.
    bias : Tensor or None
        One number for each channel of the result, which is added to it.
    stride : int or sequence of int
        Steps from one window to the next, for each spatial dimension.
    padding : int or sequence of int
        Elements added on both sides of each spatial dimension.
    dilation : int or sequence of int
        Steps between the elements of a window, for each spatial dimension.
    groups : int
        Blocks of channels that do not mix.

    Returns
    -------
    Tensor
        Result of shape (batch, out channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _conv2d(x: Tensor, weight: Tensor, bias: Tensor | None, /, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], groups: builtins.int) -> Tensor:
    """Computes the cross-correlation of (n, c, h, w) with (o, c / groups, kh, kw), plus a bias.

    Parameters
    ----------
    x : Tensor
        Input of shape (n, channels, ..), of an integer or floating-point dtype.
    weight : Tensor
        Kernel, of the dtype of ``x``.
    bias : Tensor or None
        One number for each channel of the result, which is added to it.
    stride : int or sequence of int
        Steps from one window to the next, for each spatial dimension.
    padding : int or sequence of int
        Elements added on both sides of each spatial dimension.
    dilation : int or sequence of int
        Steps between the elements of a window, for each spatial dimension.
    groups : int
        Blocks of channels that do not mix.

    Returns
    -------
    Tensor
        Result of shape (batch, out channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _conv3d(x: Tensor, weight: Tensor, bias: Tensor | None, /, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], groups: builtins.int) -> Tensor:
    """Computes the cross-correlation of (n, c, d, h, w) with (o, c / groups, kd, kh, kw), plus a bias.

    Parameters
    ----------
    x : Tensor
        Input of shape (n, channels, ..), of an integer or floating-point dtype.
    weight : Tensor
        Kernel, of the dtype of ``x``.
    bias : Tensor or None
        One number for each channel of the result, which is added to it.
    stride : int or sequence of int
        Steps from one window to the next, for each spatial dimension.
    padding : int or sequence of int
        Elements added on both sides of each spatial dimension.
    dilation : int or sequence of int
        Steps between the elements of a window, for each spatial dimension.
    groups : int
        Blocks of channels that do not mix.

    Returns
    -------
    Tensor
        Result of shape (batch, out channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _conv_transpose1d(x: Tensor, weight: Tensor, bias: Tensor | None, /, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], groups: builtins.int, output_padding: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Computes the transposed convolution of (n, c, l) with (c, o / groups, k), plus a bias.

    Parameters
    ----------
    x : Tensor
        Input of shape (n, channels, ..), of an integer or floating-point dtype.
    weight : Tensor
        Kernel, of the dtype of ``x``.
    bias : Tensor or None
        One number for each channel of the result, which is added to it.
    stride : int or sequence of int
        Steps from one window to the next, for each spatial dimension.
    padding : int or sequence of int
        Elements added on both sides of each spatial dimension.
    dilation : int or sequence of int
        Steps between the elements of a window, for each spatial dimension.
    groups : int
        Blocks of channels that do not mix.
    output_padding : int or sequence of int
        Elements added at the end of each spatial dimension of the output.

    Returns
    -------
    Tensor
        Result of shape (batch, groups * kernel channels, sizes whose windows the input has ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _conv_transpose2d(x: Tensor, weight: Tensor, bias: Tensor | None, /, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], groups: builtins.int, output_padding: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Computes the transposed convolution of (n, c, h, w) with (c, o / groups, kh, kw), plus a bias.

    Parameters
    ----------
    x : Tensor
        Input of shape (n, channels, ..), of an integer or floating-point dtype.
    weight : Tensor
        Kernel, of the dtype of ``x``.
    bias : Tensor or None
        One number for each channel of the result, which is added to it.
    stride : int or sequence of int
        Steps from one window to the next, for each spatial dimension.
    padding : int or sequence of int
        Elements added on both sides of each spatial dimension.
    dilation : int or sequence of int
        Steps between the elements of a window, for each spatial dimension.
    groups : int
        Blocks of channels that do not mix.
    output_padding : int or sequence of int
        Elements added at the end of each spatial dimension of the output.

    Returns
    -------
    Tensor
        Result of shape (batch, groups * kernel channels, sizes whose windows the input has ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _conv_transpose3d(x: Tensor, weight: Tensor, bias: Tensor | None, /, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], groups: builtins.int, output_padding: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Computes the transposed convolution of (n, c, d, h, w) with (c, o / groups, kd, kh, kw), plus a bias.

    Parameters
    ----------
    x : Tensor
        Input of shape (n, channels, ..), of an integer or floating-point dtype.
    weight : Tensor
        Kernel, of the dtype of ``x``.
    bias : Tensor or None
        One number for each channel of the result, which is added to it.
    stride : int or sequence of int
        Steps from one window to the next, for each spatial dimension.
    padding : int or sequence of int
        Elements added on both sides of each spatial dimension.
    dilation : int or sequence of int
        Steps between the elements of a window, for each spatial dimension.
    groups : int
        Blocks of channels that do not mix.
    output_padding : int or sequence of int
        Elements added at the end of each spatial dimension of the output.

    Returns
    -------
    Tensor
        Result of shape (batch, groups * kernel channels, sizes whose windows the input has ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _cpu_isa() -> builtins.str:
    """Returns the level of the CPU's instructions in use, in the words of `RUSHLIGHT_CPU_ISA`."""

def _cross_entropy(x: Tensor, target: Tensor, weight: Tensor | None, /, ignore_index: typing.SupportsIndex = -100, reduction: builtins.str = "mean", label_smoothing: typing.SupportsFloat | typing.SupportsIndex = 0.0) -> Tensor:
    """Computes the cross-entropy of logits with class indices: x is (n, c, ..), target (n, ..), weight (c,).

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    target : Tensor
        Input 2, of an integer dtype.
    weight : Tensor or None
        Input 3, of a floating-point dtype.
    ignore_index : int, default -100
        Elements with this target have no loss and no gradient.
    reduction : str, default "mean"
        How the losses of the elements are combined.
    label_smoothing : float, default 0.0
        Share of the target that is distributed evenly over all classes.

    Returns
    -------
    Tensor
        Result of shape that of the targets, or a scalar.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _csr_matmul(values: Tensor, dense: Tensor, crow: Tensor, col: Tensor, /) -> Tensor:
    """Multiplies a matrix in CSR form by a dense one.

    Parameters
    ----------
    values : Tensor
        Entries of the sparse matrix.
    dense : Tensor
        Dense matrix, of the dtype of ``values``.
    crow : Tensor
        Start of each row among the entries, and the end of the last one.
    col : Tensor
        Column of each entry.

    Returns
    -------
    Tensor
        Result of shape (rows, columns of dense).

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.
    """

def _cuda_search(folder: builtins.str | os.PathLike[builtins.str], /) -> None:
    """Adds a folder in which CUDA's libraries are searched for."""

def _deform_conv2d(x: Tensor, offset: Tensor, weight: Tensor, bias: Tensor | None, mask: Tensor | None, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], /) -> Tensor:
    """Computes the convolution of windows that are sampled at positions."""

def _dequantize(blocks: Tensor, /, format: builtins.str) -> Tensor:
    """Computes the numbers of ggml's blocks, in float32.

    Parameters
    ----------
    blocks : Tensor
        Matrix of uint8 whose rows have the bytes of whole blocks.
    format : str
        The type of the blocks.

    Returns
    -------
    Tensor
        Result of shape (rows, elements of a row).

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    """

def _det(x: Tensor, /) -> Tensor:
    """Returns the determinant."""

def _device_count(kind: builtins.str, /) -> builtins.int:
    """Returns the number of devices of a kind (``"rocm"`` or ``"cuda"``) that can be opened."""

def _dropout(input: Tensor, p: typing.SupportsFloat | typing.SupportsIndex, training: builtins.bool, /) -> Tensor:
    """In training, sets elements to 0 with probability ``p`` and divides the others by ``1 - p``; else returns the tensor itself."""

def _dtype(name: DType | builtins.str, /) -> DType:
    """Returns the dtype of a name."""

def _eig(x: Tensor, /) -> builtins.tuple[Tensor, Tensor]:
    """Returns eigenvalues and eigenvectors of general matrices."""

def _eigh(x: Tensor, upper: builtins.bool, /) -> builtins.tuple[Tensor, Tensor]:
    """Returns eigenvalues and eigenvectors."""

def _eigvals(x: Tensor, /) -> Tensor:
    """Returns eigenvalues of general matrices."""

def _eigvalsh(x: Tensor, upper: builtins.bool, /) -> Tensor:
    """Returns eigenvalues."""

def _embedding(input: Tensor, weight: Tensor, /) -> Tensor:
    """Returns rows of a table, one for each index; negative indices are errors.

    Parameters
    ----------
    input : Tensor
        Indices, of an integer dtype.
    weight : Tensor
        Table, of shape (rows, columns).

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.
    """

def _embedding_rms_norm(table: Tensor, ids: Tensor, weight: Tensor | None, /, eps: typing.SupportsFloat | typing.SupportsIndex) -> Tensor:
    """Returns rows of a table, scaled to a mean square of 1, times ``weight``.

    Parameters
    ----------
    table : Tensor
        Input, of a floating-point dtype.
    ids : Tensor
        Input 2, of an integer dtype.
    weight : Tensor or None
        Input 3, of a floating-point dtype.
    eps : float
        Number added to the variance.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.
    """

def _fft(x: Tensor, /, dim: typing.SupportsIndex | None = None, inverse: builtins.bool = False, scale: typing.SupportsFloat | typing.SupportsIndex = 1.0, *, axis: typing.SupportsIndex | None = None) -> Tensor:
    """Transforms complex numbers along a dimension.

    Parameters
    ----------
    x : Tensor
        Input, of a complex dtype.
    dim, axis : int
        Dimension to transform. A negative one counts from the end.
    inverse : bool, default False
        Whether the exponents are positive.
    scale : float, default 1.0
        Factor of the result.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    IndexError
        If the axis is out of range.
    """

def _generator_of_state(state: builtins.bytes, device: Device | builtins.str, /) -> Generator:
    """Returns the generator of a pickle."""

def _ggml_quantize(x: Tensor, format: builtins.str, importance: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex] | None, /) -> builtins.tuple[builtins.str, Tensor]:
    """Returns the name and the blocks of a tensor, quantized on the CPU; ``importance`` has a weight for each element of
    a row.
    """

def _ggml_types() -> builtins.list[builtins.tuple[builtins.str, builtins.int, builtins.int]]:
    """Returns the block types: the name, the elements of a block, and its bytes."""

def _gguf_metadata(path: builtins.str | os.PathLike[builtins.str], /) -> builtins.dict[builtins.str, typing.Any]:
    """Returns the metadata of a GGUF file."""

def _gpu_empty_cache(kind: builtins.str, index: typing.SupportsIndex, /) -> None:
    """Frees a GPU's memory that is kept for reuse."""

def _gpu_loaded_kernels(kind: builtins.str, index: typing.SupportsIndex, /) -> builtins.list[builtins.tuple[builtins.str, builtins.str]]:
    """Returns names of the kernel files and dtypes that a GPU has loaded."""

def _gpu_memory_stats(kind: builtins.str, index: typing.SupportsIndex, /) -> builtins.dict[builtins.str, builtins.int]:
    """Returns the memory, launches, transfers and library calls of a GPU so far."""

def _gpu_properties(kind: builtins.str, index: typing.SupportsIndex, /) -> builtins.dict[builtins.str, typing.Any]:
    """Returns the name, target, wave size, compute units and bytes of memory of a GPU."""

def _gpu_reset_peak(kind: builtins.str, index: typing.SupportsIndex, /) -> None:
    """Sets the peak of a GPU's memory to the memory in use now."""

def _gpu_synchronize(kind: builtins.str, index: typing.SupportsIndex, /) -> None:
    """Waits for a GPU, and raises the errors that its kernels recorded."""

def _gpu_warm(kind: builtins.str, index: typing.SupportsIndex, ops: collections.abc.Sequence[builtins.str], dtypes: collections.abc.Sequence[DType | builtins.str], report: typing.Any, /) -> builtins.dict[builtins.str, typing.Any]:
    """Compiles the kernels of ops and dtypes (none: all) ahead. `report` is called with steps done, all steps, the last one's name and
    kernels compiled. Gives the folder that keeps them and the numbers.
    """

def _grad(outputs: collections.abc.Sequence[Tensor], inputs: collections.abc.Sequence[Tensor], grad_outputs: collections.abc.Sequence[Tensor | None], create_graph: builtins.bool, /) -> builtins.list[Tensor | None]:
    """Computes the gradients of the weighted outputs with respect to the inputs; None for an input that is not used."""

def _grid_sample(x: Tensor, grid: Tensor, /, mode: builtins.str, padding_mode: builtins.str, unit: builtins.str) -> Tensor:
    """Samples images or volumes at the positions of a grid.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    grid : Tensor
        Input 2, of a floating-point dtype.
    mode : str
        How the value between elements is computed.
    padding_mode : str
        Values outside of the image.
    unit : str
        Meaning of -1 and 1, or indices of elements.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, sizes of the grid ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _group_norm(x: Tensor, weight: Tensor | None, bias: Tensor | None, /, num_groups: builtins.int, eps: typing.SupportsFloat | typing.SupportsIndex) -> Tensor:
    """Normalizes each group of channels of (n, c, ..) to mean 0 and variance 1, times ``weight`` plus ``bias`` of shape (c,).

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    weight : Tensor or None
        Input 2, of a floating-point dtype.
    bias : Tensor or None
        Input 3, of a floating-point dtype.
    num_groups : int
        Number of groups of channels.
    eps : float
        Number added to the variance.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _grouped_matmul(a: Tensor, b: Tensor, offs: Tensor, /) -> Tensor:
    """Multiplies the matrices of groups.

    Parameters
    ----------
    a : Tensor
        Left factors, of a floating-point dtype.
    b : Tensor
        Right factors, of the dtype of ``a``.
    offs : Tensor
        End of each group, of dtype int32.

    Returns
    -------
    Tensor
        Result of shape (m, n) for groups of rows, (groups, m, n) for groups of the inner dimension.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.
    """

def _gru_cell(x: Tensor, y: Tensor, h: Tensor, /) -> Tensor:
    """Returns the hidden state after a step of a GRU, from the pre-activations (.., 3, h) of the input and of the hidden state.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    y : Tensor
        Input 2, of a floating-point dtype.
    h : Tensor
        Input 3, of a floating-point dtype.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _hardshrink(x: Tensor, /, lambd: typing.SupportsFloat | typing.SupportsIndex = 0.5) -> Tensor:
    """Replaces small elements by 0.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.
    lambd : float, default 0.5
        Largest magnitude of elements that become 0.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    """

def _hardsigmoid(x: Tensor, /) -> Tensor:
    """Computes ``relu6(x + 3) / 6``.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    """

def _hardswish(x: Tensor, /) -> Tensor:
    """Computes ``x * relu6(x + 3) / 6``.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    """

def _hardtanh(x: Tensor, /, min_val: typing.SupportsFloat | typing.SupportsIndex = -1.0, max_val: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
    """Limits ``x`` to an interval; its gradient at the bounds is 0.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.
    min_val : float, default -1.0
        Lower bound.
    max_val : float, default 1.0
        Upper bound, not below the lower one.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    """

def _im2col(x: Tensor, /, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Copies the windows of (n, c, h, w) to columns.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    kernel_size : int or sequence of int
        Sizes of the window, for each spatial dimension.
    dilation : int or sequence of int
        Steps between the elements of a window, for each spatial dimension.
    padding : int or sequence of int
        Elements added on both sides of each spatial dimension.
    stride : int or sequence of int
        Steps from one window to the next, for each spatial dimension.

    Returns
    -------
    Tensor
        Result of shape (batch, channels * elements of a window, windows).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _imag(x: Tensor, /) -> Tensor:
    """Returns the imaginary part.

    Parameters
    ----------
    x : Tensor
        Input, of a complex dtype.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl._imag(rl.tensor([1.0 + 2.0j]))
    tensor([2.], dtype=float32, device='cpu')
    """

def _instance_norm(x: Tensor, running_mean: Tensor, running_var: Tensor, weight: Tensor | None, bias: Tensor | None, momentum: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, /) -> Tensor:
    """Normalizes each channel of each sample of (n, c, ..), and changes running statistics in place."""

def _inv(x: Tensor, /) -> Tensor:
    """Returns the inverse."""

def _inv_ex(x: Tensor, /) -> builtins.tuple[Tensor, Tensor]:
    """Returns the inverse, and the number of the first pivot that is 0."""

def _irfft(x: Tensor, n: typing.SupportsIndex, dim: typing.SupportsIndex, scale: typing.SupportsFloat | typing.SupportsIndex, /) -> Tensor:
    """Returns the n real numbers whose transform has this first half, multiplied by a number."""

def _kernel_archives() -> builtins.list[builtins.str]:
    """Returns a sentence for each archive of compiled kernels that is found."""

def _lamb_step(param: Tensor, grad: Tensor, m: Tensor, v: Tensor, /, *, beta1: typing.SupportsFloat | typing.SupportsIndex, beta2: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, root: typing.SupportsFloat | typing.SupportsIndex, rate: typing.SupportsFloat | typing.SupportsIndex, lr: typing.SupportsFloat | typing.SupportsIndex, keep: typing.SupportsFloat | typing.SupportsIndex = 1.0, weight_decay: typing.SupportsFloat | typing.SupportsIndex = 0.0, maximize: builtins.bool = False) -> None:
    """Performs one step of LAMB, in place.

    Parameters
    ----------
    param : Tensor
        Parameter to update.
    grad : Tensor
        Its gradient.
    m : Tensor
        State, which is updated too.
    v : Tensor
        State, which is updated too.
    beta1 : float
        Share of the old mean that is kept.
    beta2 : float
        Share of the old second state that is kept.
    eps : float
        Added to the denominator.
    root : float
        Divisor of the root of the mean of squares.
    rate : float
        Factor of the mean.
    lr : float
        Learning rate.
    keep : float, default 1.0
        Factor of the parameter.
    weight_decay : float, default 0.0
        Factor of the parameter that is added to the change.
    maximize : bool, default False
        Whether the step goes uphill.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.
    """

def _lars_momentum_step(param: Tensor, grad: Tensor, momentum_buffer: Tensor, /, *, momentum: typing.SupportsFloat | typing.SupportsIndex, trust: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, lr: typing.SupportsFloat | typing.SupportsIndex, first: builtins.bool, nesterov: builtins.bool, keep: typing.SupportsFloat | typing.SupportsIndex = 1.0, weight_decay: typing.SupportsFloat | typing.SupportsIndex = 0.0, maximize: builtins.bool = False) -> None:
    """Performs one step of LARS, in place.

    Parameters
    ----------
    param : Tensor
        Parameter to update.
    grad : Tensor
        Its gradient.
    momentum_buffer : Tensor
        State, which is updated too.
    momentum : float
        Factor of the momentum buffer.
    trust : float
        Factor of the parameter's norm.
    eps : float
        Added to the denominator.
    lr : float
        Learning rate.
    first : bool
        Whether the buffer is set, as in the first step.
    nesterov : bool
        Whether the step looks ahead.
    keep : float, default 1.0
        Factor of the parameter.
    weight_decay : float, default 0.0
        Factor of the parameter that is added to the gradient.
    maximize : bool, default False
        Whether the step goes uphill.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.
    """

def _lars_step(param: Tensor, grad: Tensor, /, *, trust: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, lr: typing.SupportsFloat | typing.SupportsIndex, keep: typing.SupportsFloat | typing.SupportsIndex = 1.0, weight_decay: typing.SupportsFloat | typing.SupportsIndex = 0.0, maximize: builtins.bool = False) -> None:
    """Performs one step of LARS without momentum, in place.

    Parameters
    ----------
    param : Tensor
        Parameter to update.
    grad : Tensor
        Its gradient.
    trust : float
        Factor of the parameter's norm.
    eps : float
        Added to the denominator.
    lr : float
        Learning rate.
    keep : float, default 1.0
        Factor of the parameter.
    weight_decay : float, default 0.0
        Factor of the parameter that is added to the gradient.
    maximize : bool, default False
        Whether the step goes uphill.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.
    """

def _layer_norm(x: Tensor, weight: Tensor | None, bias: Tensor | None, /, dims: builtins.int, eps: typing.SupportsFloat | typing.SupportsIndex) -> Tensor:
    """Normalizes the last ``dims`` axes to mean 0 and variance 1, times ``weight`` plus ``bias``.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    weight : Tensor or None
        Input 2, of a floating-point dtype.
    bias : Tensor or None
        Input 3, of a floating-point dtype.
    dims : int
        Number of last dimensions that are normalized together.
    eps : float
        Number added to the variance.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _layernorm_gelu(x: Tensor, weight: Tensor | None, bias: Tensor | None, /, dims: builtins.int, eps: typing.SupportsFloat | typing.SupportsIndex) -> Tensor:
    """Normalizes the last ``dims`` axes to mean 0 and variance 1, and applies exact GELU.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    weight : Tensor or None
        Input 2, of a floating-point dtype.
    bias : Tensor or None
        Input 3, of a floating-point dtype.
    dims : int
        Number of last dimensions that are normalized together.
    eps : float
        Number added to the variance.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _layernorm_relu(x: Tensor, weight: Tensor | None, bias: Tensor | None, /, dims: builtins.int, eps: typing.SupportsFloat | typing.SupportsIndex) -> Tensor:
    """Normalizes the last ``dims`` axes to mean 0 and variance 1, and applies relu.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    weight : Tensor or None
        Input 2, of a floating-point dtype.
    bias : Tensor or None
        Input 3, of a floating-point dtype.
    dims : int
        Number of last dimensions that are normalized together.
    eps : float
        Number added to the variance.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _leaky_relu(x: Tensor, /, negative_slope: typing.SupportsFloat | typing.SupportsIndex = 0.01) -> Tensor:
    """Multiplies elements that are not positive by a number.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.
    negative_slope : float, default 0.01
        Factor of elements that are not positive.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    """

def _lerp(x: Tensor | builtins.complex, end: Tensor | builtins.complex, weight: Tensor | builtins.complex, /) -> Tensor:
    """Interpolates between two tensors by a tensor.

    Parameters
    ----------
    x : Tensor or number
        Input, of a floating-point dtype; integers and bools are computed in float32.
    end : Tensor or number
        Input 2, of a floating-point dtype; integers and bools are computed in float32.
    weight : Tensor or number
        Input 3, of a floating-point dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _lerp_scalar(x: Tensor | builtins.complex, end: Tensor | builtins.complex, /, weight: typing.SupportsFloat | typing.SupportsIndex) -> Tensor:
    """Interpolates between two tensors by a number.

    Parameters
    ----------
    x : Tensor or number
        Input, of a floating-point dtype; integers and bools are computed in float32.
    end : Tensor or number
        Input 2, of a floating-point dtype; integers and bools are computed in float32.
    weight : float
        Part of the way from ``x`` to ``end``.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _lion_step(param: Tensor, grad: Tensor, m: Tensor, /, *, beta1: typing.SupportsFloat | typing.SupportsIndex, beta2: typing.SupportsFloat | typing.SupportsIndex, lr: typing.SupportsFloat | typing.SupportsIndex, keep: typing.SupportsFloat | typing.SupportsIndex = 1.0, weight_decay: typing.SupportsFloat | typing.SupportsIndex = 0.0, maximize: builtins.bool = False) -> None:
    """Performs one step of Lion, in place.

    Parameters
    ----------
    param : Tensor
        Parameter to update.
    grad : Tensor
        Its gradient.
    m : Tensor
        State, which is updated too.
    beta1 : float
        Share of the old mean that is kept.
    beta2 : float
        Share of the old second state that is kept.
    lr : float
        Learning rate.
    keep : float, default 1.0
        Factor of the parameter.
    weight_decay : float, default 0.0
        Factor of the parameter that is added to the gradient.
    maximize : bool, default False
        Whether the step goes uphill.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.
    """

def _load_gguf(path: builtins.str | os.PathLike[builtins.str], device: Device | builtins.str | None, progress: typing.Any | None, /) -> builtins.tuple[builtins.dict[typing.Any, typing.Any], builtins.list[builtins.tuple[builtins.str, builtins.tuple[builtins.str, builtins.list[builtins.int], Tensor]]]]:
    """Returns the metadata of a GGUF file, and its tensors by name in the order of the file. `progress` is called after each tensor
    with the bytes that have been read, and those of all tensors.
    """

def _load_npy(path: builtins.str | os.PathLike[builtins.str], device: Device | builtins.str | None, /) -> Tensor:
    """Returns the tensor of an npy file."""

def _load_npz(path: builtins.str | os.PathLike[builtins.str], device: Device | builtins.str | None, /) -> builtins.dict[builtins.str, Tensor]:
    """Returns the tensors of an npz file by name, in the file's order."""

def _load_pth(path: builtins.str | os.PathLike[builtins.str], device: Device | builtins.str | None, key: builtins.str | None, /) -> builtins.dict[builtins.str, Tensor]:
    """Returns the tensors of a pth file by name; ``key`` names the entry that holds them."""

def _logsigmoid(x: Tensor, /) -> Tensor:
    """Computes ``log(1 / (1 + exp(-x)))``.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    """

def _lstm_cell(gates: Tensor, c: Tensor, /) -> builtins.tuple[Tensor, Tensor]:
    """Returns the hidden and the cell state after a step of an LSTM, from the gates' pre-activations (.., 4, h) and the cell state."""

def _lu_factor_ex(x: Tensor, /) -> builtins.tuple[Tensor, Tensor, Tensor]:
    """Returns the factors, pivots and the number of the first pivot that is 0."""

def _lu_solve(lu: Tensor, pivots: Tensor, b: Tensor, left: builtins.bool, transposed: builtins.bool, /) -> Tensor:
    """Returns the solution of a system by the factors of its matrix."""

def _lu_unpack(lu: Tensor, pivots: Tensor, /) -> builtins.tuple[Tensor, Tensor, Tensor]:
    """Returns P, L and U."""

def _max_pool1d(x: Tensor, /, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], ceil_mode: builtins.bool) -> Tensor:
    """Computes the maximum of each window of (n, c, l).

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.
    kernel_size : int or sequence of int
        Sizes of the window, for each spatial dimension.
    stride : int or sequence of int
        Steps from one window to the next, for each spatial dimension.
    padding : int or sequence of int
        Elements added on both sides of each spatial dimension.
    dilation : int or sequence of int
        Steps between the elements of a window, for each spatial dimension.
    ceil_mode : bool
        Whether a last window that reaches beyond the padding counts.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _max_pool1d_indices(x: Tensor, /, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], ceil_mode: builtins.bool) -> Tensor:
    """Returns the index of the maximum of each window.

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.
    kernel_size : int or sequence of int
        Sizes of the window, for each spatial dimension.
    stride : int or sequence of int
        Steps from one window to the next, for each spatial dimension.
    padding : int or sequence of int
        Elements added on both sides of each spatial dimension.
    dilation : int or sequence of int
        Steps between the elements of a window, for each spatial dimension.
    ceil_mode : bool
        Whether a last window that reaches beyond the padding counts.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _max_pool2d(x: Tensor, /, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], ceil_mode: builtins.bool) -> Tensor:
    """Computes the maximum of each window of (n, c, h, w).

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.
    kernel_size : int or sequence of int
        Sizes of the window, for each spatial dimension.
    stride : int or sequence of int
        Steps from one window to the next, for each spatial dimension.
    padding : int or sequence of int
        Elements added on both sides of each spatial dimension.
    dilation : int or sequence of int
        Steps between the elements of a window, for each spatial dimension.
    ceil_mode : bool
        Whether a last window that reaches beyond the padding counts.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _max_pool2d_indices(x: Tensor, /, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], ceil_mode: builtins.bool) -> Tensor:
    """Returns the index of the maximum of each window.

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.
    kernel_size : int or sequence of int
        Sizes of the window, for each spatial dimension.
    stride : int or sequence of int
        Steps from one window to the next, for each spatial dimension.
    padding : int or sequence of int
        Elements added on both sides of each spatial dimension.
    dilation : int or sequence of int
        Steps between the elements of a window, for each spatial dimension.
    ceil_mode : bool
        Whether a last window that reaches beyond the padding counts.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _max_pool3d(x: Tensor, /, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], ceil_mode: builtins.bool) -> Tensor:
    """Computes the maximum of each window of (n, c, d, h, w).

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.
    kernel_size : int or sequence of int
        Sizes of the window, for each spatial dimension.
    stride : int or sequence of int
        Steps from one window to the next, for each spatial dimension.
    padding : int or sequence of int
        Elements added on both sides of each spatial dimension.
    dilation : int or sequence of int
        Steps between the elements of a window, for each spatial dimension.
    ceil_mode : bool
        Whether a last window that reaches beyond the padding counts.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _max_pool3d_indices(x: Tensor, /, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], ceil_mode: builtins.bool) -> Tensor:
    """Returns the index of the maximum of each window.

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.
    kernel_size : int or sequence of int
        Sizes of the window, for each spatial dimension.
    stride : int or sequence of int
        Steps from one window to the next, for each spatial dimension.
    padding : int or sequence of int
        Elements added on both sides of each spatial dimension.
    dilation : int or sequence of int
        Steps between the elements of a window, for each spatial dimension.
    ceil_mode : bool
        Whether a last window that reaches beyond the padding counts.

    Returns
    -------
    Tensor
        Result of shape (batch, channels, windows ..).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _mish(x: Tensor, /) -> Tensor:
    """Computes ``x * tanh(log(1 + exp(x)))``.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    """

def _mul_sigmoid(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Computes x1 / (1 + e^-x2), the gated linear unit (Dauphin et al. 2017).

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of a floating-point dtype; integers and bools are computed in float32. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl._mul_sigmoid(rl.tensor([3.0, 3.0]), rl.tensor([0.0, 2.0]))
    tensor([1.5000, 2.6424], dtype=float32, device='cpu')
    """

def _nadam_step(param: Tensor, grad: Tensor, m: Tensor, v: Tensor, /, *, beta1: typing.SupportsFloat | typing.SupportsIndex, beta2: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, correction: typing.SupportsFloat | typing.SupportsIndex, gradient_rate: typing.SupportsFloat | typing.SupportsIndex, mean_rate: typing.SupportsFloat | typing.SupportsIndex, keep: typing.SupportsFloat | typing.SupportsIndex = 1.0, weight_decay: typing.SupportsFloat | typing.SupportsIndex = 0.0, maximize: builtins.bool = False) -> None:
    """Performs one step of NAdam, in place.

    Parameters
    ----------
    param : Tensor
        Parameter to update.
    grad : Tensor
        Its gradient.
    m : Tensor
        State, which is updated too.
    v : Tensor
        State, which is updated too.
    beta1 : float
        Share of the old mean that is kept.
    beta2 : float
        Share of the old second state that is kept.
    eps : float
        Added to the denominator.
    correction : float
        Divisor of the mean of squares.
    gradient_rate : float
        Factor of the gradient; negative downhill.
    mean_rate : float
        Factor of the mean; negative downhill.
    keep : float, default 1.0
        Factor of the parameter.
    weight_decay : float, default 0.0
        Factor of the parameter that is added to the gradient.
    maximize : bool, default False
        Whether the step goes uphill.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.
    """

def _nll_loss(x: Tensor, target: Tensor, weight: Tensor | None, /, ignore_index: typing.SupportsIndex = -100, reduction: builtins.str = "mean") -> Tensor:
    """Computes the negative log-likelihood of class indices: x is (n, c, ..), target (n, ..), weight (c,).

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    target : Tensor
        Input 2, of an integer dtype.
    weight : Tensor or None
        Input 3, of a floating-point dtype.
    ignore_index : int, default -100
        Elements with this target have no loss and no gradient.
    reduction : str, default "mean"
        How the losses of the elements are combined.

    Returns
    -------
    Tensor
        Result of shape that of the targets, or a scalar.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _one_hot(x: Tensor, num_classes: builtins.int, /) -> Tensor:
    """Returns rows with 1 at the index that each value gives and 0 elsewhere, in a new last dimension; int64."""

def _optimizer_steps(name: builtins.str, params: collections.abc.Sequence[Tensor], grads: collections.abc.Sequence[Tensor], states: collections.abc.Sequence[collections.abc.Sequence[Tensor]], numbers: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], keep: typing.SupportsFloat | typing.SupportsIndex, weight_decay: typing.SupportsFloat | typing.SupportsIndex, maximize: builtins.bool, /) -> None:
    """Runs the step `name` of the family of `optimizer_step` on lists of tensors; `states` has a list for each state."""

def _packed_attention(query: Tensor, key: Tensor, value: Tensor, query_offsets: Tensor, key_offsets: Tensor, dropout_p: typing.SupportsFloat | typing.SupportsIndex, causal: builtins.bool, scale: typing.SupportsFloat | typing.SupportsIndex | None, /) -> Tensor:
    """Computes the attention of packed sequences: queries (t, h, d) to keys (u, g, d) and values (u, g, e)."""

def _pad(x: Tensor, /, pads: builtins.int | collections.abc.Sequence[builtins.int], mode: builtins.str, value: builtins.complex) -> Tensor:
    """Adds elements at the ends of dimensions.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    pads : sequence of int
        Elements before and behind each of the last dimensions; a negative number removes.
    mode : str
        The elements added.
    value : number
        Value that mode constant adds, of the input's dtype.

    Returns
    -------
    Tensor
        Result of shape that of input 0 with the elements added and removed.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    """

def _pointwise_loss(x: Tensor | builtins.complex, target: Tensor | builtins.complex, /, kind: builtins.str, parameter: typing.SupportsFloat | typing.SupportsIndex = 1.0, reduction: builtins.str = "none") -> Tensor:
    """Computes a loss of each element, such as the squared difference, and reduces the losses.

    Parameters
    ----------
    x : Tensor or number
        Input, of a floating-point dtype; integers and bools are computed in float32.
    target : Tensor or number
        Input 2, of a floating-point dtype; integers and bools are computed in float32.
    kind : str
        The loss.
    parameter : float, default 1.0
        beta of smooth_l1, delta of huber, eps of poisson_nll, or the margin; others ignore it.
    reduction : str, default "none"
        How the losses of the elements are combined.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _prelu(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Returns x1 where it is positive, else x1 * x2 (He et al. 2015).

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of a floating-point dtype; integers and bools are computed in float32. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl._prelu(rl.tensor([-2.0, 2.0]), rl.tensor([0.25, 0.25]))
    tensor([-0.5000,  2.0000], dtype=float32, device='cpu')
    """

def _profiler_range(name: builtins.str, /) -> _ProfilerRange:
    """Begins a named part of the program."""

def _profiler_start(shapes: builtins.bool, memory: builtins.bool, device_times: builtins.bool, /) -> None:
    """Begins to record. The arguments say whether shapes of inputs, bytes in use and times of GPUs are recorded."""

def _profiler_stop() -> builtins.tuple[builtins.float, builtins.list[builtins.dict[builtins.str, typing.Any]]]:
    """Ends the recording. Gives its duration in seconds and a dict for each event; times are in seconds since the start."""

def _promote(*values: typing.Any) -> DType:
    """Returns the dtype to which tensors, dtypes and Python numbers are promoted."""

def _qmatmul(x: Tensor, blocks: Tensor, /, format: builtins.str) -> Tensor:
    """Multiplies by the transpose of a matrix of ggml's blocks.

    Parameters
    ----------
    x : Tensor
        Left factor, of a floating-point dtype; its last dimension is multiplied.
    blocks : Tensor
        Matrix of uint8 whose rows have the bytes of whole blocks.
    format : str
        The type of the blocks.

    Returns
    -------
    Tensor
        Result of shape (m, rows of blocks).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _qmatmul_with(x: Tensor, blocks: Tensor, format: builtins.str, activations: builtins.str, /) -> Tensor:
    """Multiplies by the transpose of a matrix of blocks, in a precision of the other factor: one op, or two."""

def _qr(x: Tensor, mode: builtins.str, /) -> builtins.tuple[Tensor, Tensor]:
    """Returns Q and R."""

def _radam_step(param: Tensor, grad: Tensor, m: Tensor, v: Tensor, /, *, beta1: typing.SupportsFloat | typing.SupportsIndex, beta2: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, rate: typing.SupportsFloat | typing.SupportsIndex, rectified: builtins.bool, keep: typing.SupportsFloat | typing.SupportsIndex = 1.0, weight_decay: typing.SupportsFloat | typing.SupportsIndex = 0.0, maximize: builtins.bool = False) -> None:
    """Performs one step of RAdam, in place.

    Parameters
    ----------
    param : Tensor
        Parameter to update.
    grad : Tensor
        Its gradient.
    m : Tensor
        State, which is updated too.
    v : Tensor
        State, which is updated too.
    beta1 : float
        Share of the old mean that is kept.
    beta2 : float
        Share of the old second state that is kept.
    eps : float
        Added to the denominator.
    rate : float
        Factor of the mean; negative downhill.
    rectified : bool
        Whether the mean is divided by the root of the squares.
    keep : float, default 1.0
        Factor of the parameter.
    weight_decay : float, default 0.0
        Factor of the parameter that is added to the gradient.
    maximize : bool, default False
        Whether the step goes uphill.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.
    """

def _reaches_others(outputs: collections.abc.Sequence[Tensor], inputs: collections.abc.Sequence[Tensor], /) -> builtins.bool:
    """Tells whether the outputs were computed from leaves other than the inputs."""

def _real(x: Tensor, /) -> Tensor:
    """Returns the real part.

    Parameters
    ----------
    x : Tensor
        Input, of a complex dtype.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl._real(rl.tensor([1.0 + 2.0j]))
    tensor([1.], dtype=float32, device='cpu')
    """

def _rebuild(data: builtins.bytes, dtype: DType | builtins.str, shape: builtins.int | collections.abc.Sequence[builtins.int], device: Device | builtins.str, requires_grad: builtins.bool, /) -> Tensor:
    """Returns the tensor of a pickle."""

def _recurrent(cell: builtins.str, gates: Tensor, sizes: builtins.int | collections.abc.Sequence[builtins.int], reverse: builtins.bool, h: Tensor, c: Tensor | None, weight: Tensor, bias: Tensor | None, projection: Tensor | None, /) -> builtins.tuple[Tensor, Tensor, Tensor | None]:
    """Returns the hidden states of all steps of a direction of a recurrent layer, and the last hidden and cell states."""

def _relu6(x: Tensor, /) -> Tensor:
    """Limits ``x`` to the numbers from 0 to 6.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    """

def _residual_layernorm(x: Tensor, residual: Tensor, weight: Tensor | None, bias: Tensor | None, /, dims: builtins.int, eps: typing.SupportsFloat | typing.SupportsIndex) -> Tensor:
    """Normalizes the last ``dims`` axes of a sum to mean 0 and variance 1.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    residual : Tensor
        Input 2, of a floating-point dtype.
    weight : Tensor or None
        Input 3, of a floating-point dtype.
    bias : Tensor or None
        Input 4, of a floating-point dtype.
    dims : int
        Number of last dimensions that are normalized together.
    eps : float
        Number added to the variance.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _rfft(x: Tensor, dim: typing.SupportsIndex, scale: typing.SupportsFloat | typing.SupportsIndex, /) -> Tensor:
    """Returns the first half of the transform of real numbers, multiplied by a number."""

def _rms_norm(x: Tensor, weight: Tensor | None, /, dims: builtins.int, eps: typing.SupportsFloat | typing.SupportsIndex) -> Tensor:
    """Scales the last ``dims`` axes to a mean square of 1, times ``weight``.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    weight : Tensor or None
        Input 2, of a floating-point dtype.
    dims : int
        Number of last dimensions that are normalized together.
    eps : float
        Number added to the variance.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _rmsprop_steps(params: collections.abc.Sequence[Tensor], grads: collections.abc.Sequence[Tensor], square_avgs: collections.abc.Sequence[Tensor], grad_avgs: collections.abc.Sequence[Tensor], buffers: collections.abc.Sequence[Tensor], lr: typing.SupportsFloat | typing.SupportsIndex, alpha: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, weight_decay: typing.SupportsFloat | typing.SupportsIndex, momentum: typing.SupportsFloat | typing.SupportsIndex, centered: builtins.bool, maximize: builtins.bool, /) -> None:
    """Runs `rmsprop_step` on lists of tensors; lists that a step does not need are not read."""

def _rocm_compile(index: typing.SupportsIndex, source: builtins.str, name: builtins.str, options: collections.abc.Sequence[builtins.str], /) -> _RocmKernel:
    """Compiles HIP source for an AMD GPU and finds a kernel in it."""

def _rocm_folders() -> builtins.list[builtins.str]:
    """Returns the folders in which AMD's libraries are searched for, in order."""

def _rocm_loaded() -> builtins.str | None:
    """Returns the HIP library that the process has loaded, or None; nothing is searched for."""

def _rotary_embedding(x: Tensor, cos: Tensor, sin: Tensor, /, interleaved: builtins.bool) -> Tensor:
    """Rotates pairs of elements of the last axis.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    cos : Tensor
        Cosines of the angles, which are broadcast.
    sin : Tensor
        Sines of the angles, which are broadcast.
    interleaved : bool
        Whether the elements of a pair are neighbours.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.
    """

def _rprop_step(param: Tensor, grad: Tensor, last: Tensor, size: Tensor, /, *, less: typing.SupportsFloat | typing.SupportsIndex, more: typing.SupportsFloat | typing.SupportsIndex, smallest: typing.SupportsFloat | typing.SupportsIndex, largest: typing.SupportsFloat | typing.SupportsIndex, keep: typing.SupportsFloat | typing.SupportsIndex = 1.0, weight_decay: typing.SupportsFloat | typing.SupportsIndex = 0.0, maximize: builtins.bool = False) -> None:
    """Performs one step of Rprop, in place.

    Parameters
    ----------
    param : Tensor
        Parameter to update.
    grad : Tensor
        Its gradient.
    last : Tensor
        State, which is updated too.
    size : Tensor
        State, which is updated too.
    less : float
        Factor of a size where the sign changed.
    more : float
        Factor of a size where the sign stayed.
    smallest : float
        Lower bound of the sizes.
    largest : float
        Upper bound of the sizes.
    keep : float, default 1.0
        Factor of the parameter.
    weight_decay : float, default 0.0
        Factor of the parameter that is added to the gradient.
    maximize : bool, default False
        Whether the step goes uphill.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.
    """

def _sampled_matmul(a: Tensor, b: Tensor, row: Tensor, col: Tensor, /) -> Tensor:
    """Computes elements of the product of ``a`` and the transpose of ``b``.

    Parameters
    ----------
    a : Tensor
        Matrix.
    b : Tensor
        Matrix with as many columns, of the dtype of ``a``.
    row : Tensor
        Row of ``a`` for each element.
    col : Tensor
        Row of ``b`` for each element.

    Returns
    -------
    Tensor
        Result of shape (entries).

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.
    """

def _samples() -> builtins.list[typing.Any]:
    """Returns every sample of every op that has a function here: name, operands, attributes, result."""

def _save_gguf(path: builtins.str | os.PathLike[builtins.str], tensors: collections.abc.Sequence[builtins.tuple[builtins.str, builtins.str, collections.abc.Sequence[typing.SupportsIndex], Tensor]], metadata: builtins.dict[typing.Any, typing.Any], /) -> None:
    """Writes a GGUF file."""

def _save_npy(path: builtins.str | os.PathLike[builtins.str], tensor: Tensor, /) -> None:
    """Writes a tensor to an npy file."""

def _save_npz(path: builtins.str | os.PathLike[builtins.str], names: collections.abc.Sequence[builtins.str], tensors: collections.abc.Sequence[Tensor], /) -> None:
    """Writes named tensors to an npz file."""

def _scatter_max(x: Tensor, dim: typing.SupportsIndex, index: Tensor, src: Tensor, /) -> Tensor:
    """Returns a copy with the largest elements at indices.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    dim : int
        Dimension to index; a negative one counts from the end.
    index : Tensor
        Indices, of an integer dtype. Negative ones of a signed dtype count from the end.
    src : Tensor
        Values to combine; the tensor has at least the shape of ``index``.

    Returns
    -------
    Tensor
        Copy of ``x`` with the elements combined.

    Raises
    ------
    IndexError
        If an index or the dimension is out of range.
    TypeError
        If the indices are not integers.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> rl._native._scatter_max(rl.ones(3), 0, rl.tensor([2, 2]), rl.tensor([5.0, 7.0]))
    tensor([1., 1., 7.], dtype=float32, device='cpu')
    """

def _scatter_min(x: Tensor, dim: typing.SupportsIndex, index: Tensor, src: Tensor, /) -> Tensor:
    """Returns a copy with the smallest elements at indices.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    dim : int
        Dimension to index; a negative one counts from the end.
    index : Tensor
        Indices, of an integer dtype. Negative ones of a signed dtype count from the end.
    src : Tensor
        Values to combine; the tensor has at least the shape of ``index``.

    Returns
    -------
    Tensor
        Copy of ``x`` with the elements combined.

    Raises
    ------
    IndexError
        If an index or the dimension is out of range.
    TypeError
        If the indices are not integers.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> rl._native._scatter_min(rl.ones(3), 0, rl.tensor([2, 2]), rl.tensor([-5.0, 7.0]))
    tensor([ 1.,  1., -5.], dtype=float32, device='cpu')
    """

def _scatter_prod(x: Tensor, dim: typing.SupportsIndex, index: Tensor, src: Tensor, /) -> Tensor:
    """Returns a copy with elements multiplied at indices.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    dim : int
        Dimension to index; a negative one counts from the end.
    index : Tensor
        Indices, of an integer dtype. Negative ones of a signed dtype count from the end.
    src : Tensor
        Values to combine; the tensor has at least the shape of ``index``.

    Returns
    -------
    Tensor
        Copy of ``x`` with the elements combined.

    Raises
    ------
    IndexError
        If an index or the dimension is out of range.
    TypeError
        If the indices are not integers.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> rl._native._scatter_prod(rl.ones(3), 0, rl.tensor([2, 2]), rl.tensor([5.0, 7.0]))
    tensor([ 1.,  1., 35.], dtype=float32, device='cpu')
    """

def _selu(x: Tensor, /) -> Tensor:
    """Computes ELU with the numbers that keep mean 0 and variance 1.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    """

def _set_activations(name: builtins.str, /) -> None:
    """Sets the precision of the other factor of products with blocks."""

def _set_detect_anomalies(detect: builtins.bool, /) -> builtins.bool:
    """Sets whether walks check for NaN on this thread, and returns the setting before."""

def _set_grad_enabled(enabled: builtins.bool, /) -> builtins.bool:
    """Sets whether this thread records, and returns the setting before."""

def _settings_problems() -> builtins.list[builtins.str]:
    """Returns a sentence for each environment variable of Rushlight that is invalid or unknown."""

def _sgd_steps(params: collections.abc.Sequence[Tensor], grads: collections.abc.Sequence[Tensor], buffers: collections.abc.Sequence[Tensor], lr: typing.SupportsFloat | typing.SupportsIndex, momentum: typing.SupportsFloat | typing.SupportsIndex, dampening: typing.SupportsFloat | typing.SupportsIndex, weight_decay: typing.SupportsFloat | typing.SupportsIndex, nesterov: builtins.bool, first: builtins.bool, maximize: builtins.bool, /) -> None:
    """Runs `sgd_step` on lists of tensors; `buffers` is not read where momentum is 0."""

def _sgn(x: Tensor, /) -> Tensor:
    """Computes the complex number of absolute value 1 in the same direction, x / |x|; 0 for 0.

    Parameters
    ----------
    x : Tensor
        Input, of a complex dtype.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl._sgn(rl.tensor([3.0 + 4.0j]))
    tensor([0.6000+0.8000j], dtype=complex64, device='cpu')
    """

def _signatures() -> builtins.list[typing.Any]:
    """Returns the signatures of the functions and methods, for the stub: whether it is a method, its name, its parameters (name, kind,
    type, default), the type of its result, and its documentation.
    """

def _slogdet(x: Tensor, /) -> builtins.tuple[Tensor, Tensor]:
    """Returns the sign of the determinant and the logarithm of its magnitude."""

def _softshrink(x: Tensor, /, lambd: typing.SupportsFloat | typing.SupportsIndex = 0.5) -> Tensor:
    """Moves ``x`` towards 0, but not beyond.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.
    lambd : float, default 0.5
        Distance by which elements move; not negative.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    """

def _softsign(x: Tensor, /) -> Tensor:
    """Computes ``x / (1 + |x|)``.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    """

def _solve(a: Tensor, b: Tensor, left: builtins.bool, /) -> Tensor:
    """Returns the solution of a system."""

def _solve_ex(a: Tensor, b: Tensor, left: builtins.bool, /) -> builtins.tuple[Tensor, Tensor]:
    """Returns the solution of a system, and the number of the first pivot that is 0."""

def _solve_triangular(a: Tensor, b: Tensor, upper: builtins.bool, left: builtins.bool, unit: builtins.bool, /) -> Tensor:
    """Returns the solution of a triangular system."""

def _sort_part(x: Tensor, dim: typing.SupportsIndex, descending: builtins.bool, start: typing.SupportsIndex, count: typing.SupportsIndex, /) -> typing.Any:
    """Returns the pair of at most `count` sorted elements along an axis from `start` on, and their indices."""

def _supports(op: builtins.str, dtype: DType | builtins.str, device: Device | builtins.str, grad: builtins.bool, /) -> builtins.bool:
    """Tells whether a device runs an op on a dtype, and whether it has a gradient."""

def _svd(x: Tensor, full: builtins.bool, /) -> builtins.tuple[Tensor, Tensor, Tensor]:
    """Returns U, S and V^T."""

def _svdvals(x: Tensor, /) -> Tensor:
    """Returns singular values."""

def _tanhshrink(x: Tensor, /) -> Tensor:
    """Computes ``x - tanh(x)``.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    """

def _threshold(x: Tensor, /, threshold: typing.SupportsFloat | typing.SupportsIndex, value: typing.SupportsFloat | typing.SupportsIndex) -> Tensor:
    """Replaces elements that do not exceed a threshold.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.
    threshold : float
        Bound that an element must exceed to stay.
    value : float
        Result for other elements.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    """

def _unscale_and_check_finite(grads: collections.abc.Sequence[Tensor], found: Tensor, factor: Tensor, /) -> None:
    """Runs `unscale_and_check_finite` on a list of gradients."""

def _upsample_linear1d(x: Tensor, /, size: builtins.int | collections.abc.Sequence[builtins.int] | None = None, scale: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex] | None = None, align_corners: builtins.bool = False) -> Tensor:
    """Resizes the last axis by linear interpolation.

    Parameters
    ----------
    x : Tensor
        Input of shape (n, c, ..), whose further axes are resized.
    size : int or sequence of int, optional
        The new spatial sizes.
    scale : float or sequence of float, optional
        Factors that the new sizes come from, where no sizes are given.
    align_corners : bool, default False
        Whether the centres of the corner elements keep their positions.

    Returns
    -------
    Tensor
        Resized tensor.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _upsample_nearest3d(x: Tensor, /, size: builtins.int | collections.abc.Sequence[builtins.int] | None = None, scale: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex] | None = None) -> Tensor:
    """Resizes the last three axes; each new element copies the nearest old one.

    Parameters
    ----------
    x : Tensor
        Input of shape (n, c, ..), whose further axes are resized.
    size : int or sequence of int, optional
        The new spatial sizes.
    scale : float or sequence of float, optional
        Factors that the new sizes come from, where no sizes are given.

    Returns
    -------
    Tensor
        Resized tensor.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def _upsample_trilinear3d(x: Tensor, /, size: builtins.int | collections.abc.Sequence[builtins.int] | None = None, scale: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex] | None = None, align_corners: builtins.bool = False) -> Tensor:
    """Resizes the last three axes by linear interpolation along each.

    Parameters
    ----------
    x : Tensor
        Input of shape (n, c, ..), whose further axes are resized.
    size : int or sequence of int, optional
        The new spatial sizes.
    scale : float or sequence of float, optional
        Factors that the new sizes come from, where no sizes are given.
    align_corners : bool, default False
        Whether the centres of the corner elements keep their positions.

    Returns
    -------
    Tensor
        Resized tensor.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.
    """

def abs(x: Tensor, /) -> Tensor:
    """Computes the absolute value, which is real for complex numbers; its gradient at 0 is 0.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but bool.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.abs(rl.tensor([-3, 2]))
    tensor([3, 2], dtype=int64, device='cpu')
    """

def accumulate_norm(total: Tensor, x: Tensor, /, order: typing.SupportsFloat | typing.SupportsIndex) -> None:
    """Adds the sum of ``abs(x) ** order`` to a scalar, in place; the joint norm of tensors is its root.

    Parameters
    ----------
    total : Tensor
        Scalar to add to; float64 for float64, else float32.
    x : Tensor
        Tensor, such as a gradient.
    order : float
        Order of the norm, above 0; infinity takes the largest magnitude.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> total = rl.tensor(0.0)
    >>> for g in (rl.tensor([3.0, -4.0]), rl.tensor([12.0])):
    ...     rl.accumulate_norm(total, g, 2.0)
    >>> float(total) ** 0.5
    13.0
    """

def acos(x: Tensor, /) -> Tensor:
    """Computes the arc cosine in radians; NaN for real numbers outside [-1, 1].

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.acos(rl.tensor([0.0, 1.0]))
    tensor([1.5708, 0.0000], dtype=float32, device='cpu')
    """

def acosh(x: Tensor, /) -> Tensor:
    """Computes the inverse hyperbolic cosine; NaN for real numbers below 1.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.acosh(rl.tensor([1.0, 2.0]))
    tensor([0.0000, 1.3170], dtype=float32, device='cpu')
    """

def adagrad_step(param: Tensor, grad: Tensor, sum: Tensor, /, *, step: builtins.int, lr: typing.SupportsFloat | typing.SupportsIndex, lr_decay: typing.SupportsFloat | typing.SupportsIndex, weight_decay: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, maximize: builtins.bool = False) -> None:
    """Performs one step of Adagrad, in place.

    Parameters
    ----------
    param : Tensor
        Parameter to update.
    grad : Tensor
        Its gradient.
    sum : Tensor
        Sum of squared gradients, which is updated too.
    step : int
        Number of the step, from 1.
    lr : float
        Learning rate of the first step.
    lr_decay : float
        Decay of the learning rate.
    weight_decay : float
        Weight decay.
    eps : float
        Added to the root.
    maximize : bool, default False
        Whether the step goes uphill.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> w, s = rl.tensor([1.0]), rl.zeros(1)
    >>> numbers = dict(lr=0.5, lr_decay=0.0, weight_decay=0.0, eps=0.0)
    >>> rl.adagrad_step(w, rl.tensor([2.0]), s, step=1, **numbers)
    >>> w, s
    (tensor([0.5000], dtype=float32, device='cpu'), tensor([4.], dtype=float32, device='cpu'))
    """

def adam_step(param: Tensor, grad: Tensor, exp_avg: Tensor, exp_avg_sq: Tensor, /, *, step: builtins.int, lr: typing.SupportsFloat | typing.SupportsIndex, beta1: typing.SupportsFloat | typing.SupportsIndex, beta2: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, weight_decay: typing.SupportsFloat | typing.SupportsIndex, maximize: builtins.bool = False) -> None:
    """Performs one step of Adam, in place; the weight decay is added to the gradient.

    Parameters
    ----------
    param : Tensor
        Parameter to update.
    grad : Tensor
        Its gradient.
    exp_avg : Tensor
        Running mean of gradients, which is updated too.
    exp_avg_sq : Tensor
        Running mean of squared gradients, which is updated too.
    step : int
        Number of the step, from 1.
    lr : float
        Learning rate.
    beta1 : float
        Share of the old first moment that is kept.
    beta2 : float
        Share of the old second moment that is kept.
    eps : float
        Added to the root of the second moment.
    weight_decay : float
        Weight decay.
    maximize : bool, default False
        Whether the step goes uphill.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> w, m, v = rl.tensor([1.0]), rl.zeros(1), rl.zeros(1)
    >>> how = dict(step=1, lr=0.1, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0)
    >>> rl.adam_step(w, rl.tensor([2.0]), m, v, **how)
    >>> w
    tensor([0.9000], dtype=float32, device='cpu')
    """

def adamw_step(param: Tensor, grad: Tensor, exp_avg: Tensor, exp_avg_sq: Tensor, /, *, step: builtins.int, lr: typing.SupportsFloat | typing.SupportsIndex, beta1: typing.SupportsFloat | typing.SupportsIndex, beta2: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, weight_decay: typing.SupportsFloat | typing.SupportsIndex, maximize: builtins.bool = False) -> None:
    """Performs one step of AdamW, in place; the weight decay shrinks the parameter itself.

    Parameters
    ----------
    param : Tensor
        Parameter to update.
    grad : Tensor
        Its gradient.
    exp_avg : Tensor
        Running mean of gradients, which is updated too.
    exp_avg_sq : Tensor
        Running mean of squared gradients, which is updated too.
    step : int
        Number of the step, from 1.
    lr : float
        Learning rate.
    beta1 : float
        Share of the old first moment that is kept.
    beta2 : float
        Share of the old second moment that is kept.
    eps : float
        Added to the root of the second moment.
    weight_decay : float
        Weight decay.
    maximize : bool, default False
        Whether the step goes uphill.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> w, m, v = rl.tensor([1.0]), rl.zeros(1), rl.zeros(1)
    >>> how = dict(step=1, lr=0.1, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0)
    >>> rl.adamw_step(w, rl.tensor([2.0]), m, v, **how)
    >>> w
    tensor([0.9000], dtype=float32, device='cpu')
    """

def add(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /, *, alpha: builtins.complex = 1) -> Tensor:
    """Computes x1 + x2; integers wrap.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of any dtype but bool. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.
    alpha : number, default 1
        Factor of the second operand, by which it is multiplied first.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.add(rl.tensor([1, 2]), rl.tensor([10, 20]))
    tensor([11, 22], dtype=int64, device='cpu')
    """

def addcdiv(x: Tensor | builtins.complex, a: Tensor | builtins.complex, b: Tensor | builtins.complex, /, value: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
    """Computes ``x + value * a / b`` in one pass; shapes are broadcast.

    Parameters
    ----------
    x : Tensor or number
        Input, of a floating-point dtype; integers and bools are computed in float32.
    a : Tensor or number
        Input 2, of a floating-point dtype; integers and bools are computed in float32.
    b : Tensor or number
        Input 3, of a floating-point dtype; integers and bools are computed in float32.
    value : float, default 1.0
        Factor of the product or quotient.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> rl.addcdiv(rl.tensor([1.0, 2.0]), rl.tensor([3.0, 4.0]), 2.0)
    tensor([2.5000, 4.0000], dtype=float32, device='cpu')
    """

def addcmul(x: Tensor | builtins.complex, a: Tensor | builtins.complex, b: Tensor | builtins.complex, /, value: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
    """Computes ``x + value * a * b`` in one pass; shapes are broadcast.

    Parameters
    ----------
    x : Tensor or number
        Input, of an integer or floating-point dtype.
    a : Tensor or number
        Input 2, of an integer or floating-point dtype.
    b : Tensor or number
        Input 3, of an integer or floating-point dtype.
    value : float, default 1.0
        Factor of the product or quotient.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> rl.addcmul(rl.tensor([1, 2]), rl.tensor([3, 4]), 10, value=2.0)
    tensor([61, 82], dtype=int64, device='cpu')
    """

def addmm(x: Tensor, mat1: Tensor, mat2: Tensor, /, *, beta: typing.SupportsFloat | typing.SupportsIndex = 1.0, alpha: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
    """Computes ``beta * x + alpha * (mat1 @ mat2)`` in one pass; ``x`` is broadcast to the shape of the product.

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.
    mat1 : Tensor
        Left factor, of shape (n, k).
    mat2 : Tensor
        Right factor, of shape (k, m).
    beta : float, default 1.0
        Factor of the matrix that is added.
    alpha : float, default 1.0
        Factor of the product.

    Returns
    -------
    Tensor
        Result of shape (n, m).

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> rl.addmm(rl.tensor([1.0, 2.0]), rl.ones((1, 3)), rl.ones((3, 2)))
    tensor([[4., 5.]], dtype=float32, device='cpu')
    """

def all(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Tests whether all elements over axes are nonzero.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but a complex one.
    axis, dim : int or tuple of int, optional
        Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.

    Returns
    -------
    Tensor
        One value for each element of the axes that stay.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.all(rl.tensor([0, 2]))
    tensor(False, dtype=bool, device='cpu')
    """

def amax(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Finds the largest element over axes; NaN if there is one. PyTorch's name of ``max`` over axes.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but a complex one.
    axis, dim : int or tuple of int, optional
        Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.

    Returns
    -------
    Tensor
        One value for each element of the axes that stay.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If there is no element to choose from.

    Examples
    --------
    >>> rl.amax(rl.tensor([3, 1, 2]))
    tensor(3, dtype=int64, device='cpu')
    """

def amin(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Finds the smallest element over axes; NaN if there is one. PyTorch's name of ``min`` over axes.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but a complex one.
    axis, dim : int or tuple of int, optional
        Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.

    Returns
    -------
    Tensor
        One value for each element of the axes that stay.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If there is no element to choose from.

    Examples
    --------
    >>> rl.amin(rl.tensor([3, 1, 2]))
    tensor(1, dtype=int64, device='cpu')
    """

def any(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Tests whether any element over axes is nonzero.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but a complex one.
    axis, dim : int or tuple of int, optional
        Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.

    Returns
    -------
    Tensor
        One value for each element of the axes that stay.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.any(rl.tensor([0, 2]))
    tensor(True, dtype=bool, device='cpu')
    """

def arange(start: builtins.complex, /, stop: builtins.complex | None = None, step: builtins.complex = 1, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Returns numbers at equal steps, from ``start`` up to ``stop`` (excluded).

    Parameters
    ----------
    start : number
        First number; with one argument it is ``stop``, and the first number is 0.
    stop : number, optional
        End, which is excluded.
    step : number, default 1
        Distance between two numbers; not 0.
    dtype : DType or str, optional
        Dtype of the result; int64 if all arguments are integers, else float32.
    device : Device or str, optional
        Device of the result; the default device (``get_default_device``) if it is not given.
    requires_grad : bool, default False
        Whether gradients are recorded for the result.

    Returns
    -------
    Tensor
        Vector of ``ceil((stop - start) / step)`` numbers.

    Raises
    ------
    ValueError
        If ``step`` is 0.
    TypeError
        If an argument is complex.

    Examples
    --------
    >>> rl.arange(5)
    tensor([0, 1, 2, 3, 4], dtype=int64, device='cpu')
    >>> rl.arange(1, 10, 3)
    tensor([1, 4, 7], dtype=int64, device='cpu')
    """

def are_deterministic_algorithms_enabled() -> builtins.bool:
    """Returns whether the same bits are required in every run.

    Returns
    -------
    bool
        True after ``use_deterministic_algorithms(True)``.

    Examples
    --------
    >>> rl.use_deterministic_algorithms(False)
    >>> rl.are_deterministic_algorithms_enabled()
    False
    """

def argmax(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Finds the index of the first largest element along an axis, or in the flattened tensor.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but a complex one.
    axis : int, optional
        Axis to search; a negative one counts from the end. The flattened tensor by default. ``dim`` is PyTorch's name.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.

    Returns
    -------
    Tensor
        Indices, of dtype int64.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.argmax(rl.tensor([3, 1, 2]))
    tensor(0, dtype=int64, device='cpu')
    """

def argmin(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Finds the index of the first smallest element along an axis, or in the flattened tensor.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but a complex one.
    axis : int, optional
        Axis to search; a negative one counts from the end. The flattened tensor by default. ``dim`` is PyTorch's name.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.

    Returns
    -------
    Tensor
        Indices, of dtype int64.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.argmin(rl.tensor([3, 1, 2]))
    tensor(1, dtype=int64, device='cpu')
    """

def argsort(x: Tensor, /, axis: typing.SupportsIndex | None = -1, descending: builtins.bool = False, *, stable: builtins.bool = True, dim: typing.SupportsIndex | None = None) -> Tensor:
    """Returns the indices that sort a tensor along an axis; NaN counts as the largest.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    axis, dim : int or None, default -1
        Axis to work along; a negative one counts from the end. ``axis=None`` takes all elements as a vector. ``dim`` is PyTorch's name of the parameter.
    descending : bool, default False
        Whether to sort from the largest element to the smallest.
    stable : bool, default True
        Accepted for compatibility; sorting is always stable.

    Returns
    -------
    Tensor
        Indices, of dtype int64.

    Raises
    ------
    IndexError
        If an axis is out of range.

    Examples
    --------
    >>> rl.argsort(rl.tensor([3, 1, 2]))
    tensor([1, 2, 0], dtype=int64, device='cpu')
    >>> rl.argsort(rl.tensor([[3, 1], [2, 5]]), axis=None).tolist()
    [1, 2, 0, 3]
    """

def asarray(obj: typing.Any, /, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, copy: builtins.bool | None = None) -> Tensor:
    """Converts data to a tensor, and shares its memory where that is possible.

    Memory of tensors, of NumPy arrays and of objects with ``__dlpack__`` or ``__cuda_array_interface__`` is shared. For the
    last kind ``device`` must be given. Python numbers and sequences are copied.

    Parameters
    ----------
    obj : number, nested sequence, array or Tensor
        Data to convert.
    dtype : DType or str, optional
        Dtype of the result; that of ``obj`` by default.
    device : Device or str, optional
        Device of the result. By default that of a tensor or of an object with ``__dlpack__``, else the default device.
    copy : bool, optional
        True copies always; False raises an error where a copy is needed.

    Returns
    -------
    Tensor
        Tensor of the data.

    Raises
    ------
    ValueError
        If ``copy=False`` and a copy is needed.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.array([1.0, 2.0])
    >>> t = rl.asarray(a)
    >>> a[0] = 5.0
    >>> t
    tensor([5., 2.], dtype=float64, device='cpu')
    """

def asin(x: Tensor, /) -> Tensor:
    """Computes the arc sine in radians; NaN for real numbers outside [-1, 1].

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.asin(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5708], dtype=float32, device='cpu')
    """

def asinh(x: Tensor, /) -> Tensor:
    """Computes the inverse hyperbolic sine.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.asinh(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8814], dtype=float32, device='cpu')
    """

def atan(x: Tensor, /) -> Tensor:
    """Computes the arc tangent in radians.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.atan(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7854], dtype=float32, device='cpu')
    """

def atan2(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Computes the angle of the point (x2, x1) in radians, in [-pi, pi].

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of a floating-point dtype; integers and bools are computed in float32. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.atan2(rl.tensor([0.0, 1.0]), rl.tensor([1.0, 1.0]))
    tensor([0.0000, 0.7854], dtype=float32, device='cpu')
    """

def atanh(x: Tensor, /) -> Tensor:
    """Computes the inverse hyperbolic tangent; NaN for real numbers outside [-1, 1].

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.atanh(rl.tensor([0.0, 0.5]))
    tensor([0.0000, 0.5493], dtype=float32, device='cpu')
    """

def bernoulli(input: Tensor, p: typing.SupportsFloat | typing.SupportsIndex | None = None, *, generator: Generator | None = None) -> Tensor:
    """Draws ones with given probabilities, and zeros otherwise.

    Parameters
    ----------
    input : Tensor
        Probabilities, of a floating-point dtype. With ``p`` it only gives shape, dtype and device.
    p : float, optional
        One probability for all elements.
    generator : Generator, optional
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        Zeros and ones in the shape and dtype of ``input``.

    Raises
    ------
    ValueError
        If a probability is not between 0 and 1.
    TypeError
        If ``p`` is missing and ``input`` is not floating-point.

    Examples
    --------
    >>> rl.bernoulli(rl.tensor([0.0, 1.0]))
    tensor([0., 1.], dtype=float32, device='cpu')
    """

def bitwise_and(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Computes the bits set in both elements; `and` for bools.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of an integer dtype or bool. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.bitwise_and(rl.tensor([6, 12]), rl.tensor([3, 10]))
    tensor([2, 8], dtype=int64, device='cpu')
    """

def bitwise_invert(x: Tensor, /) -> Tensor:
    """Inverts every bit; a bool is negated.

    Parameters
    ----------
    x : Tensor
        Input, of an integer dtype or bool.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.bitwise_invert(rl.tensor([0, 5]))
    tensor([-1, -6], dtype=int64, device='cpu')
    """

def bitwise_left_shift(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Shifts the bits of x1 up by x2; 0 once all are shifted out, and for a negative count.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of an integer dtype. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.bitwise_left_shift(rl.tensor([1, 3]), rl.tensor([4, 1]))
    tensor([16,  6], dtype=int64, device='cpu')
    """

def bitwise_or(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Computes the bits set in either element; `or` for bools.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of an integer dtype or bool. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.bitwise_or(rl.tensor([6, 12]), rl.tensor([3, 10]))
    tensor([ 7, 14], dtype=int64, device='cpu')
    """

def bitwise_right_shift(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Shifts the bits of x1 down by x2 and keeps the sign; 0 or -1 once all are shifted out, and for a negative count.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of an integer dtype. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.bitwise_right_shift(rl.tensor([16, -8]), rl.tensor([2, 1]))
    tensor([ 4, -4], dtype=int64, device='cpu')
    """

def bitwise_xor(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Computes the bits set in exactly one of two elements; `!=` for bools.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of an integer dtype or bool. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.bitwise_xor(rl.tensor([6, 12]), rl.tensor([3, 10]))
    tensor([5, 6], dtype=int64, device='cpu')
    """

def broadcast_to(x: Tensor, /, shape: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Broadcasts a tensor to a shape, as a view.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    shape : int or sequence of int
        Shape of the result.

    Returns
    -------
    Tensor
        View in which repeated elements share memory.

    Raises
    ------
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.broadcast_to(rl.tensor([1, 2]), (2, 2))
    tensor([[1, 2],
            [1, 2]], dtype=int64, device='cpu')
    """

def ceil(x: Tensor, /) -> Tensor:
    """Rounds up to an integer. The gradient is 0.

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.ceil(rl.tensor([-1.5, 1.5]))
    tensor([-1.,  2.], dtype=float32, device='cpu')
    """

def chunk(x: Tensor, /, chunks: builtins.int, axis: typing.SupportsIndex = 0, *, dim: typing.SupportsIndex | None = None) -> builtins.tuple[Tensor, ...]:
    """Splits a tensor along an axis into at most ``chunks`` pieces of one size.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    chunks : int
        Number of pieces; the last may be smaller, and there may be fewer.
    axis, dim : int, default 0
        Axis to work along; a negative one counts from the end. ``dim`` is PyTorch's name of the parameter.

    Returns
    -------
    tuple[Tensor, ...]
        Views, in order.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If ``chunks`` is not positive.

    Examples
    --------
    >>> [p.tolist() for p in rl.chunk(rl.arange(5), 2)]
    [[0, 1, 2], [3, 4]]
    """

def clip(x: Tensor, /, min: Tensor | builtins.complex | None = None, max: Tensor | builtins.complex | None = None) -> Tensor:
    """Limits elements to an interval; a missing bound does not limit.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    min : Tensor or number, optional
        Lower bound.
    max : Tensor or number, optional
        Upper bound.

    Returns
    -------
    Tensor
        Result in the dtype of ``x``; NaN stays.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.clip(rl.tensor([-2, 1, 5]), 0, 3)
    tensor([0, 1, 3], dtype=int64, device='cpu')
    """

def clip_value(grad: Tensor, /, min: typing.SupportsFloat | typing.SupportsIndex, max: typing.SupportsFloat | typing.SupportsIndex) -> None:
    """Limits the elements of a gradient to an interval, in place.

    Parameters
    ----------
    grad : Tensor
        Gradient to limit.
    min : float
        The least value.
    max : float
        The largest value.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.

    Examples
    --------
    >>> g = rl.tensor([-3.0, 0.5])
    >>> rl.clip_value(g, -1.0, 1.0)
    >>> g
    tensor([-1.0000,  0.5000], dtype=float32, device='cpu')
    """

def concat(arrays: collections.abc.Sequence[Tensor], /, axis: typing.SupportsIndex | None = 0, *, dim: typing.SupportsIndex | None = None) -> Tensor:
    """Joins tensors along an existing axis.

    Parameters
    ----------
    arrays : sequence of Tensor
        Tensors whose sizes match on all other axes.
    axis : int or None, default 0
        Axis to join along; None joins the flattened tensors. ``dim`` is PyTorch's name.

    Returns
    -------
    Tensor
        New tensor in the common dtype.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If there are no tensors, or their sizes do not match.

    Examples
    --------
    >>> rl.concat([rl.tensor([1, 2]), rl.tensor([3])])
    tensor([1, 2, 3], dtype=int64, device='cpu')
    """

def conj_physical(x: Tensor, /) -> Tensor:
    """Computes the complex conjugate.

    Parameters
    ----------
    x : Tensor
        Input, of a complex dtype.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.conj_physical(rl.tensor([1.0 + 2.0j]))
    tensor([1.-2.j], dtype=complex64, device='cpu')
    """

def cos(x: Tensor, /) -> Tensor:
    """Computes the cosine of an angle in radians.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.cos(rl.tensor([0.0, 1.0]))
    tensor([1.0000, 0.5403], dtype=float32, device='cpu')
    """

def cosh(x: Tensor, /) -> Tensor:
    """Computes the hyperbolic cosine.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.cosh(rl.tensor([0.0, 1.0]))
    tensor([1.0000, 1.5431], dtype=float32, device='cpu')
    """

def cumulative_sum(x: Tensor, /, axis: typing.SupportsIndex | None = None, *, dtype: DType | builtins.str | None = None, include_initial: builtins.bool = False, dim: typing.SupportsIndex | None = None) -> Tensor:
    """Computes running sums along an axis.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    axis, dim : int, optional
        Axis to work along; a negative one counts from the end. It may be left out for a tensor of rank 1.
    dtype : DType or str, optional
        Dtype to sum in, and of the result; 64-bit for integers by default.
    include_initial : bool, default False
        Whether the result begins with 0, so that the axis is longer by one.

    Returns
    -------
    Tensor
        Running sums.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If ``axis`` is missing and ``x`` is not a vector.

    Examples
    --------
    >>> rl.cumulative_sum(rl.tensor([1, 2, 3]))
    tensor([1, 3, 6], dtype=int64, device='cpu')
    """

def divide(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Computes x1 / x2, correctly rounded for real numbers. Integers give the default float in Python; in Rust they truncate, and x / 0 is 0.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of any dtype but bool. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.divide(rl.tensor([1, 3]), rl.tensor([2, 2]))
    tensor([0.5000, 1.5000], dtype=float32, device='cpu')
    """

def elu(x: Tensor, /, alpha: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
    """Computes ELU: ``x`` where it is positive, else ``alpha * (exp(x) - 1)``.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.
    alpha : float, default 1.0
        Factor of the exponential part.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.elu(rl.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000], dtype=float32, device='cpu')
    """

def empty(shape: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *more: builtins.int, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False, size: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
    """Returns a tensor of unspecified values.

    Parameters
    ----------
    shape : int or sequence of int
        Shape of the result, as one sequence or as separate integers.
    dtype : DType or str, default float32
        Dtype of the result.
    device : Device or str, optional
        Device of the result; the default device (``get_default_device``) if it is not given.
    requires_grad : bool, default False
        Whether gradients are recorded for the result.
    size : int or sequence of int, optional
        PyTorch's name of ``shape``.

    Returns
    -------
    Tensor
        New tensor.

    Raises
    ------
    ValueError
        If a size is negative.
    DeviceError
        If the device is missing or fails.

    Examples
    --------
    >>> rl.empty((1, 2)).shape
    (1, 2)
    """

def empty_cache() -> None:
    """Returns memory that is kept for reuse to the system, except blocks that other threads keep for themselves.

    Examples
    --------
    >>> rl.empty_cache()
    """

def empty_like(x: Tensor, /, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Returns unspecified values in the shape, dtype and device of a tensor.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    dtype : DType or str, optional
        Dtype of the result; that of ``x`` by default.
    device : Device or str, optional
        Device of the result; that of ``x`` by default.
    requires_grad : bool, default False
        Whether gradients are recorded for the result.

    Returns
    -------
    Tensor
        New tensor in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    DeviceError
        If the device is missing or fails.

    Examples
    --------
    >>> rl.empty_like(rl.tensor([5, 6])).shape
    (2,)
    """

def equal(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Tells where an element of x1 is equal to that of x2.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result of dtype bool in the common shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.equal(rl.tensor([1, 2, 3]), rl.tensor([2, 2, 2]))
    tensor([False,  True, False], dtype=bool, device='cpu')
    """

def erf(x: Tensor, /) -> Tensor:
    """Computes the error function.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.erf(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8427], dtype=float32, device='cpu')
    """

def erfinv(x: Tensor, /) -> Tensor:
    """Computes the inverse of the error function; infinite at -1 and 1, NaN beyond.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.erfinv(rl.tensor([0.0, 0.5]))
    tensor([0.0000, 0.4769], dtype=float32, device='cpu')
    """

def exp(x: Tensor, /) -> Tensor:
    """Computes e^x.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.exp(rl.tensor([0.0, 1.0]))
    tensor([1.0000, 2.7183], dtype=float32, device='cpu')
    """

def expand_dims(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
    """Inserts dimensions of size 1, as a view.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    axis : int or tuple of int
        Indices of the new dimensions in the result; negative ones count from the end. ``dim`` is PyTorch's name.

    Returns
    -------
    Tensor
        View with the new dimensions.

    Raises
    ------
    IndexError
        If an axis is out of range.
    TypeError
        If ``axis`` is missing.

    Examples
    --------
    >>> rl.expand_dims(rl.ones(3), axis=0).shape
    (1, 3)
    """

def expm1(x: Tensor, /) -> Tensor:
    """Computes e^x - 1, exact near 0.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.expm1(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 1.7183], dtype=float32, device='cpu')
    """

def eye(n_rows: builtins.int, n_cols: builtins.int | None = None, /, *, k: builtins.int = 0, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Returns a matrix with ones on a diagonal and zeros elsewhere.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    n_cols : int, optional
        Number of columns; as many as rows by default.
    k : int, default 0
        Diagonal: 0 is the main one, positive ones lie above it.
    dtype : DType or str, default float32
        Dtype of the result.
    device : Device or str, optional
        Device of the result; the default device (``get_default_device``) if it is not given.
    requires_grad : bool, default False
        Whether gradients are recorded for the result.

    Returns
    -------
    Tensor
        Matrix of shape (n_rows, n_cols).

    Raises
    ------
    ValueError
        If a number of rows or columns is negative.

    Examples
    --------
    >>> rl.eye(2, 3)
    tensor([[1., 0., 0.],
            [0., 1., 0.]], dtype=float32, device='cpu')
    """

def flatten(x: Tensor, /, start_dim: typing.SupportsIndex = 0, end_dim: typing.SupportsIndex = -1) -> Tensor:
    """Joins consecutive dimensions into one.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    start_dim : int, default 0
        First dimension to join.
    end_dim : int, default -1
        Last dimension to join.

    Returns
    -------
    Tensor
        Tensor with one dimension in place of these; memory is shared where that is possible.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If ``start_dim`` comes after ``end_dim``.

    Examples
    --------
    >>> rl.flatten(rl.ones((2, 3, 4)), 1).shape
    (2, 12)
    """

def flip(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, dims: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
    """Reverses the order of elements along axes.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    axis : int or tuple of int, optional
        Axes to reverse; all of them by default. ``dim`` and ``dims`` are PyTorch's names.

    Returns
    -------
    Tensor
        New tensor in the shape of ``x``.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.

    Examples
    --------
    >>> rl.flip(rl.tensor([1, 2, 3]))
    tensor([3, 2, 1], dtype=int64, device='cpu')
    """

def floor(x: Tensor, /) -> Tensor:
    """Rounds down to an integer. The gradient is 0.

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.floor(rl.tensor([-1.5, 1.5]))
    tensor([-2.,  1.], dtype=float32, device='cpu')
    """

def floor_divide(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Computes the quotient rounded down (Python's `//`); integers: x // 0 is 0. The gradient is 0.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of an integer or floating-point dtype. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.floor_divide(rl.tensor([7, -7]), rl.tensor([3, 3]))
    tensor([ 2, -3], dtype=int64, device='cpu')
    """

def frac(x: Tensor, /) -> Tensor:
    """Computes the fractional part, x - trunc(x).

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.frac(rl.tensor([-1.5, 1.25]))
    tensor([-0.5000,  0.2500], dtype=float32, device='cpu')
    """

def from_dlpack(x: typing.Any, /, *, device: Device | builtins.str | None = None, copy: builtins.bool | None = None) -> Tensor:
    """Wraps the memory of any object with ``__dlpack__`` in a tensor.

    Parameters
    ----------
    x : object
        Array of any library that supports DLPack.
    device : Device or str, optional
        Device of the result; the device of ``x`` by default.
    copy : bool, optional
        True copies always; False raises an error where a copy is needed.

    Returns
    -------
    Tensor
        Tensor over the memory of ``x``.

    Raises
    ------
    BufferError
        If the memory cannot be shared or ``copy=False`` and a copy is needed.
    TypeError
        If ``x`` has no ``__dlpack__``.

    Examples
    --------
    >>> import numpy as np
    >>> rl.from_dlpack(np.array([1.0, 2.0], dtype=np.float32))
    tensor([1., 2.], dtype=float32, device='cpu')
    """

def from_numpy(array: typing.Any, /) -> Tensor:
    """Wraps a NumPy array in a tensor that shares its memory.

    Parameters
    ----------
    array : numpy.ndarray
        Array of a dtype that rushlight has.

    Returns
    -------
    Tensor
        Tensor over the array's memory.

    Raises
    ------
    TypeError
        If the argument is not a NumPy array, or its dtype is not supported.

    Examples
    --------
    >>> import numpy as np
    >>> rl.from_numpy(np.array([1, 2]))
    tensor([1, 2], dtype=int64, device='cpu')
    """

def frombuffer(buffer: typing.Any, dtype: DType | builtins.str) -> Tensor:
    """Returns a vector over the bytes of an object with a buffer.

    The memory is shared if it is contiguous and aligned to the dtype, and copied otherwise. Changing a tensor over read-only memory (bytes) copies it first.

    Parameters
    ----------
    buffer : bytes, bytearray, memoryview or array
        Object to read.
    dtype : DType or str
        Dtype of the elements.

    Returns
    -------
    Tensor
        Vector of the elements.

    Raises
    ------
    ValueError
        If the number of bytes is not a multiple of the size of an element.

    Examples
    --------
    >>> rl.frombuffer(bytes([1, 2, 3]), rl.uint8)
    tensor([1, 2, 3], dtype=uint8, device='cpu')
    """

def full(shape: builtins.int | collections.abc.Sequence[builtins.int], fill_value: builtins.complex, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Returns a tensor with every element set to one value.

    Parameters
    ----------
    shape : int or sequence of int
        Shape of the result.
    fill_value : number
        Value of every element.
    dtype : DType or str, optional
        Dtype of the result; by default int64, float32, complex64 or bool, by the kind of ``fill_value``.
    device : Device or str, optional
        Device of the result; the default device (``get_default_device``) if it is not given.
    requires_grad : bool, default False
        Whether gradients are recorded for the result.

    Returns
    -------
    Tensor
        New tensor.

    Raises
    ------
    ValueError
        If a size is negative.
    OverflowError
        If the value does not fit the dtype.

    Examples
    --------
    >>> rl.full((2, 2), 7)
    tensor([[7, 7],
            [7, 7]], dtype=int64, device='cpu')
    """

def full_like(x: Tensor, /, fill_value: builtins.complex, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Returns one value in the shape, dtype and device of a tensor.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    fill_value : number
        Value of every element.
    dtype : DType or str, optional
        Dtype of the result; that of ``x`` by default.
    device : Device or str, optional
        Device of the result; that of ``x`` by default.
    requires_grad : bool, default False
        Whether gradients are recorded for the result.

    Returns
    -------
    Tensor
        New tensor in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    OverflowError
        If the value does not fit the dtype.

    Examples
    --------
    >>> rl.full_like(rl.tensor([1.0, 2.0]), 7)
    tensor([7., 7.], dtype=float32, device='cpu')
    """

def gather(x: Tensor, dim: typing.SupportsIndex, index: Tensor, /) -> Tensor:
    """Selects one element for each index: ``out[i, j] = x[i, index[i, j]]`` along dimension 1.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    dim : int
        Dimension to index; a negative one counts from the end.
    index : Tensor
        Indices, of an integer dtype. Negative ones of a signed dtype count from the end.

    Returns
    -------
    Tensor
        Elements in the shape of ``index``.

    Raises
    ------
    IndexError
        If an index or the dimension is out of range.
    TypeError
        If the indices are not integers.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> rl.gather(rl.tensor([[1, 2], [3, 4]]), 1, rl.tensor([[1], [0]]))
    tensor([[2],
            [3]], dtype=int64, device='cpu')
    """

def gelu(x: Tensor, /, approximate: builtins.str = "none") -> Tensor:
    """Computes GELU, x * Phi(x), where Phi is the normal distribution function.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype. Integers and bools are computed in float32.
    approximate : str, default "none"
        ``"none"`` computes the exact function, ``"tanh"`` the approximation by a tanh.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If ``approximate`` is another word.

    Examples
    --------
    >>> rl.gelu(rl.tensor([-1.0, 1.0]))
    tensor([-0.1587,  0.8413], dtype=float32, device='cpu')
    """

def gelu_erf(x: Tensor, /) -> Tensor:
    """Computes exact GELU, x * Phi(x), where Phi is the normal distribution function.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.gelu_erf(rl.tensor([-1.0, 1.0]))
    tensor([-0.1587,  0.8413], dtype=float32, device='cpu')
    """

def gelu_tanh(x: Tensor, /) -> Tensor:
    """Computes GELU in its tanh variant (Hendrycks and Gimpel 2016).

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.gelu_tanh(rl.tensor([-1.0, 1.0]))
    tensor([-0.1588,  0.8412], dtype=float32, device='cpu')
    """

def get_default_device() -> Device:
    """Returns the device of new tensors for which no ``device`` is named.

    Returns
    -------
    Device
        That of the innermost ``with`` block of a device, else that of ``set_default_device``, else the CPU.

    Examples
    --------
    >>> rl.get_default_device()
    Device('cpu')
    """

def get_default_dtype() -> DType:
    """Returns the dtype of new tensors of floats.

    Returns
    -------
    DType
        float32, unless ``set_default_dtype`` was called.

    Examples
    --------
    >>> rl.get_default_dtype()
    rushlight.float32
    """

def get_num_threads() -> builtins.int:
    """Returns how many threads an operation may use.

    Returns
    -------
    int
        Number of threads.

    Examples
    --------
    >>> rl.get_num_threads() >= 1
    True
    """

def get_rng_state(device: Device | builtins.str | None = None) -> Tensor:
    """Returns the state of a device's random numbers, from which ``set_rng_state`` goes on.

    Parameters
    ----------
    device : Device or str, optional
        The device; the default device if it is not given.

    Returns
    -------
    Tensor
        Vector of 16 elements, of dtype uint8.

    Raises
    ------
    DeviceError
        If the device is missing or fails.

    Examples
    --------
    >>> state = rl.get_rng_state()
    >>> a = rl.rand(2)
    >>> rl.set_rng_state(state)
    >>> (rl.rand(2) == a).tolist()
    [True, True]
    """

def greater(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Tells where an element of x1 is greater than that of x2.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result of dtype bool in the common shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.greater(rl.tensor([1, 2, 3]), rl.tensor([2, 2, 2]))
    tensor([False, False,  True], dtype=bool, device='cpu')
    """

def greater_equal(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Tells where an element of x1 is at least that of x2.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result of dtype bool in the common shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.greater_equal(rl.tensor([1, 2, 3]), rl.tensor([2, 2, 2]))
    tensor([False,  True,  True], dtype=bool, device='cpu')
    """

def index_add(x: Tensor, dim: typing.SupportsIndex, index: Tensor, source: Tensor, /) -> Tensor:
    """Returns a copy with entries of ``source`` added along a dimension at indices.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    dim : int
        Dimension to index; a negative one counts from the end.
    index : Tensor
        Indices, of an integer dtype. Negative ones of a signed dtype count from the end.
    source : Tensor
        Entries to add, one for each index.

    Returns
    -------
    Tensor
        Copy of ``x`` with the entries added.

    Raises
    ------
    IndexError
        If an index or the dimension is out of range.
    TypeError
        If the indices are not integers.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> rl.index_add(rl.zeros(3), 0, rl.tensor([2, 2]), rl.tensor([5.0, 7.0]))
    tensor([ 0.,  0., 12.], dtype=float32, device='cpu')
    """

def index_select(x: Tensor, dim: typing.SupportsIndex, index: Tensor, /) -> Tensor:
    """Selects entries along a dimension by a vector of indices.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    dim : int
        Dimension to index; a negative one counts from the end.
    index : Tensor
        Indices, of an integer dtype. Negative ones of a signed dtype count from the end.

    Returns
    -------
    Tensor
        Copy with one entry for each index.

    Raises
    ------
    IndexError
        If an index or the dimension is out of range.
    TypeError
        If the indices are not integers.

    Examples
    --------
    >>> rl.index_select(rl.tensor([10, 20, 30]), 0, rl.tensor([2, 0]))
    tensor([30, 10], dtype=int64, device='cpu')
    """

def initial_seed() -> builtins.int:
    """Returns the seed of the CPU's random numbers.

    Returns
    -------
    int
        The seed of ``manual_seed``, or one from the operating system.

    Examples
    --------
    >>> rl.manual_seed(3)
    >>> rl.initial_seed()
    3
    """

def is_grad_enabled() -> builtins.bool:
    """Returns whether gradients are recorded on this thread.

    Returns
    -------
    bool
        False inside ``no_grad()``.

    Examples
    --------
    >>> rl.is_grad_enabled()
    True
    """

def isfinite(x: Tensor, /) -> Tensor:
    """Tells where an element is neither NaN nor infinite; always for integers.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.

    Returns
    -------
    Tensor
        Result of dtype bool in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.isfinite(rl.tensor([1.0, float('inf')]))
    tensor([ True, False], dtype=bool, device='cpu')
    """

def isinf(x: Tensor, /) -> Tensor:
    """Tells where an element is +inf or -inf; never for integers. A complex number is infinite if a part is.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.

    Returns
    -------
    Tensor
        Result of dtype bool in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.isinf(rl.tensor([1.0, float('inf')]))
    tensor([False,  True], dtype=bool, device='cpu')
    """

def isnan(x: Tensor, /) -> Tensor:
    """Tells where an element is NaN; never for integers. A complex number is NaN if a part is.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.

    Returns
    -------
    Tensor
        Result of dtype bool in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.isnan(rl.tensor([1.0, float('nan')]))
    tensor([False,  True], dtype=bool, device='cpu')
    """

def less(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Tells where an element of x1 is less than that of x2.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result of dtype bool in the common shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.less(rl.tensor([1, 2, 3]), rl.tensor([2, 2, 2]))
    tensor([ True, False, False], dtype=bool, device='cpu')
    """

def less_equal(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Tells where an element of x1 is at most that of x2.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result of dtype bool in the common shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.less_equal(rl.tensor([1, 2, 3]), rl.tensor([2, 2, 2]))
    tensor([ True,  True, False], dtype=bool, device='cpu')
    """

def linspace(start: builtins.complex, stop: builtins.complex, /, num: builtins.int | None = None, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, endpoint: builtins.bool = True, requires_grad: builtins.bool = False, steps: builtins.int | None = None) -> Tensor:
    """Returns evenly spaced numbers over an interval.

    Parameters
    ----------
    start : number
        First number, real or complex.
    stop : number
        End of the interval.
    num : int
        How many numbers. ``steps`` is PyTorch's name.
    dtype : DType or str, optional
        Dtype of the result; float32 or, for a complex end, complex64 if it is not given.
    device : Device or str, optional
        Device of the result; the default device (``get_default_device``) if it is not given.
    endpoint : bool, default True
        Whether ``stop`` is the last number.
    requires_grad : bool, default False
        Whether gradients are recorded for the result.

    Returns
    -------
    Tensor
        Vector of ``num`` numbers.

    Raises
    ------
    ValueError
        If ``num`` is negative.
    TypeError
        If an end is complex and the dtype is not.

    Examples
    --------
    >>> rl.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000], dtype=float32, device='cpu')
    """

def load_file(path: builtins.str | os.PathLike[builtins.str], device: Device | builtins.str | None = None) -> builtins.dict[builtins.str, Tensor]:
    """Reads the tensors of a safetensors file.

    Parameters
    ----------
    path : str or os.PathLike
        File to read.
    device : Device or str, optional
        Device of the tensors; the CPU by default.

    Returns
    -------
    dict[str, Tensor]
        Tensors by name, sorted by name.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If the file is truncated or no safetensors file.

    Examples
    --------
    >>> rl.save_file({'w': rl.ones(2)}, 'weights.safetensors')
    >>> rl.load_file('weights.safetensors')['w']
    tensor([1., 1.], dtype=float32, device='cpu')
    """

def log(x: Tensor, /) -> Tensor:
    """Computes the natural logarithm; NaN for real numbers below 0, -inf at 0.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.log(rl.tensor([1.0, 10.0]))
    tensor([0.0000, 2.3026], dtype=float32, device='cpu')
    """

def log10(x: Tensor, /) -> Tensor:
    """Computes the logarithm to base 10.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.log10(rl.tensor([1.0, 1000.0]))
    tensor([0., 3.], dtype=float32, device='cpu')
    """

def log1p(x: Tensor, /) -> Tensor:
    """Computes log(1 + x), exact near 0.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.log1p(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 0.6931], dtype=float32, device='cpu')
    """

def log2(x: Tensor, /) -> Tensor:
    """Computes the logarithm to base 2.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.log2(rl.tensor([1.0, 8.0]))
    tensor([0., 3.], dtype=float32, device='cpu')
    """

def log_softmax(x: Tensor, /, dim: typing.SupportsIndex | None = None, *, axis: typing.SupportsIndex | None = None) -> Tensor:
    """Computes the logarithm of the softmax along an axis, accurate where the softmax underflows.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    dim, axis : int
        Dimension along which the results add up to 1. A negative one counts from the end.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    IndexError
        If the axis is out of range.

    Examples
    --------
    >>> rl.log_softmax(rl.tensor([1.0, 2.0, 3.0]), dim=0)
    tensor([-2.4076, -1.4076, -0.4076], dtype=float32, device='cpu')
    """

def logical_and(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Tells where both elements are nonzero; NaN counts as nonzero.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result of dtype bool in the common shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.logical_and(rl.tensor([0, 2]), rl.tensor([3, 4]))
    tensor([False,  True], dtype=bool, device='cpu')
    """

def logical_not(x: Tensor, /) -> Tensor:
    """Tells where an element is zero.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.

    Returns
    -------
    Tensor
        Result of dtype bool in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.logical_not(rl.tensor([0, 2]))
    tensor([ True, False], dtype=bool, device='cpu')
    """

def logical_or(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Tells where at least one of two elements is nonzero; NaN counts as nonzero.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result of dtype bool in the common shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.logical_or(rl.tensor([0, 2]), rl.tensor([3, 4]))
    tensor([True, True], dtype=bool, device='cpu')
    """

def logical_xor(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Tells where exactly one of two elements is nonzero; NaN counts as nonzero.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result of dtype bool in the common shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.logical_xor(rl.tensor([0, 2]), rl.tensor([3, 4]))
    tensor([ True, False], dtype=bool, device='cpu')
    """

def logsumexp(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Computes log(sum(exp(x))) over axes, without overflow for large elements.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype. Integers and bools are computed in float32.
    axis, dim : int or tuple of int, optional
        Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.

    Returns
    -------
    Tensor
        One value for each element of the axes that stay; minus infinity where there is no element.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.logsumexp(rl.tensor([1000.0, 1000.0]))
    tensor(1000.6932, dtype=float32, device='cpu')
    """

def manual_seed(seed: builtins.int, /) -> None:
    """Seeds the random numbers of every device; equal seeds give equal numbers on all of them.

    Parameters
    ----------
    seed : int
        Seed, from 0 to 2**64 - 1.

    Raises
    ------
    ValueError
        If the seed is negative or too large.

    Examples
    --------
    >>> rl.manual_seed(0)
    >>> a = rl.rand(3)
    >>> rl.manual_seed(0)
    >>> (a == rl.rand(3)).tolist()
    [True, True, True]
    """

@typing.overload
def matmul(x1: Tensor | SparseTensor, x2: Tensor, /) -> Tensor:
    """Multiplies matrices over the last two dimensions; the other dimensions are broadcast.

    A vector on the left is a row, one on the right a column; that dimension is removed from the result.

    Parameters
    ----------
    x1 : Tensor or SparseTensor
        Left factor, of shape (.., n, k) or (k,); a sparse one is multiplied by ``rushlight.sparse.mm``.
    x2 : Tensor or SparseTensor
        Right factor, of shape (.., k, m) or (k,).

    Returns
    -------
    Tensor
        Product of shape (.., n, m), in the common dtype; sparse if both factors are.

    Raises
    ------
    ValueError
        If the sizes do not match, or a factor has rank 0.
    TypeError
        If an argument is not a tensor.

    Examples
    --------
    >>> rl.matmul(rl.tensor([[1, 2], [3, 4]]), rl.tensor([1, 10]))
    tensor([21, 43], dtype=int64, device='cpu')
    """
@typing.overload
def matmul(x1: Tensor, x2: SparseTensor, /) -> Tensor:
    """Multiplies matrices over the last two dimensions; the other dimensions are broadcast.

    A vector on the left is a row, one on the right a column; that dimension is removed from the result.

    Parameters
    ----------
    x1 : Tensor or SparseTensor
        Left factor, of shape (.., n, k) or (k,); a sparse one is multiplied by ``rushlight.sparse.mm``.
    x2 : Tensor or SparseTensor
        Right factor, of shape (.., k, m) or (k,).

    Returns
    -------
    Tensor
        Product of shape (.., n, m), in the common dtype; sparse if both factors are.

    Raises
    ------
    ValueError
        If the sizes do not match, or a factor has rank 0.
    TypeError
        If an argument is not a tensor.

    Examples
    --------
    >>> rl.matmul(rl.tensor([[1, 2], [3, 4]]), rl.tensor([1, 10]))
    tensor([21, 43], dtype=int64, device='cpu')
    """
@typing.overload
def matmul(x1: SparseTensor, x2: SparseTensor, /) -> SparseTensor:
    """Multiplies matrices over the last two dimensions; the other dimensions are broadcast.

    A vector on the left is a row, one on the right a column; that dimension is removed from the result.

    Parameters
    ----------
    x1 : Tensor or SparseTensor
        Left factor, of shape (.., n, k) or (k,); a sparse one is multiplied by ``rushlight.sparse.mm``.
    x2 : Tensor or SparseTensor
        Right factor, of shape (.., k, m) or (k,).

    Returns
    -------
    Tensor
        Product of shape (.., n, m), in the common dtype; sparse if both factors are.

    Raises
    ------
    ValueError
        If the sizes do not match, or a factor has rank 0.
    TypeError
        If an argument is not a tensor.

    Examples
    --------
    >>> rl.matmul(rl.tensor([[1, 2], [3, 4]]), rl.tensor([1, 10]))
    tensor([21, 43], dtype=int64, device='cpu')
    """

def matrix_transpose(x: Tensor, /) -> Tensor:
    """Exchanges the last two dimensions, as a view.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.

    Returns
    -------
    Tensor
        View of shape (.., m, n) of a tensor of shape (.., n, m).

    Raises
    ------
    ValueError
        If ``x`` has rank 0 or 1.

    Examples
    --------
    >>> rl.matrix_transpose(rl.ones((5, 2, 3))).shape
    (5, 3, 2)
    """

@typing.overload
def max(x: Tensor, /, *, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None) -> Tensor:
    """Finds the largest element over axes; NaN if there is one.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but a complex one.
    axis : int or tuple of int, optional
        Axes to reduce; all axes by default. The result is a tensor.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.
    dim : int, optional
        One axis, under PyTorch's name. The result is the pair ``(values, indices)``.
    other : Tensor, optional
        A tensor to compare with, also by position: the result is ``maximum(x, other)``, as in PyTorch.

    Returns
    -------
    Tensor or ValuesIndices
        Values in the dtype of ``x``; with ``dim`` also the int64 index of the first of them.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If an axis is given by position.
    ValueError
        If there is no element to choose from.

    Examples
    --------
    >>> rl.max(rl.tensor([3, 1, 2]))
    tensor(3, dtype=int64, device='cpu')
    >>> values, indices = rl.max(rl.tensor([[3, 1, 2]]), dim=1)
    >>> indices
    tensor([0], dtype=int64, device='cpu')
    """
@typing.overload
def max(x: Tensor, other: Tensor, /) -> Tensor:
    """Finds the largest element over axes; NaN if there is one.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but a complex one.
    axis : int or tuple of int, optional
        Axes to reduce; all axes by default. The result is a tensor.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.
    dim : int, optional
        One axis, under PyTorch's name. The result is the pair ``(values, indices)``.
    other : Tensor, optional
        A tensor to compare with, also by position: the result is ``maximum(x, other)``, as in PyTorch.

    Returns
    -------
    Tensor or ValuesIndices
        Values in the dtype of ``x``; with ``dim`` also the int64 index of the first of them.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If an axis is given by position.
    ValueError
        If there is no element to choose from.

    Examples
    --------
    >>> rl.max(rl.tensor([3, 1, 2]))
    tensor(3, dtype=int64, device='cpu')
    >>> values, indices = rl.max(rl.tensor([[3, 1, 2]]), dim=1)
    >>> indices
    tensor([0], dtype=int64, device='cpu')
    """
@typing.overload
def max(x: Tensor, /, *, dim: typing.SupportsIndex, keepdim: builtins.bool = False) -> ValuesIndices:
    """Finds the largest element over axes; NaN if there is one.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but a complex one.
    axis : int or tuple of int, optional
        Axes to reduce; all axes by default. The result is a tensor.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.
    dim : int, optional
        One axis, under PyTorch's name. The result is the pair ``(values, indices)``.
    other : Tensor, optional
        A tensor to compare with, also by position: the result is ``maximum(x, other)``, as in PyTorch.

    Returns
    -------
    Tensor or ValuesIndices
        Values in the dtype of ``x``; with ``dim`` also the int64 index of the first of them.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If an axis is given by position.
    ValueError
        If there is no element to choose from.

    Examples
    --------
    >>> rl.max(rl.tensor([3, 1, 2]))
    tensor(3, dtype=int64, device='cpu')
    >>> values, indices = rl.max(rl.tensor([[3, 1, 2]]), dim=1)
    >>> indices
    tensor([0], dtype=int64, device='cpu')
    """

def maximum(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Computes the larger of two elements; NaN if either is. Equal elements share the gradient.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of an integer or floating-point dtype. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.maximum(rl.tensor([1, 5]), rl.tensor([4, 2]))
    tensor([4, 5], dtype=int64, device='cpu')
    """

def mean(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dtype: DType | builtins.str | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Averages elements over axes; integers and bools are averaged in float32.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.
    axis, dim : int or tuple of int, optional
        Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.
    dtype : DType or str, optional
        Dtype to compute in, and of the result.

    Returns
    -------
    Tensor
        One value for each element of the axes that stay.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.mean(rl.tensor([1.0, 2.0, 6.0]))
    tensor(3., dtype=float32, device='cpu')
    """

def memory_stats() -> builtins.dict[builtins.str, builtins.int]:
    """Returns statistics of the memory of CPU tensors.

    Returns
    -------
    dict[str, int]
        Bytes in use (``live``), their maximum (``peak``) and bytes kept for reuse (``cached``).

    Examples
    --------
    >>> sorted(rl.memory_stats())
    ['cached', 'live', 'peak']
    """

@typing.overload
def min(x: Tensor, /, *, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None) -> Tensor:
    """Finds the smallest element over axes; NaN if there is one.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but a complex one.
    axis : int or tuple of int, optional
        Axes to reduce; all axes by default. The result is a tensor.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.
    dim : int, optional
        One axis, under PyTorch's name. The result is the pair ``(values, indices)``.
    other : Tensor, optional
        A tensor to compare with, also by position: the result is ``minimum(x, other)``, as in PyTorch.

    Returns
    -------
    Tensor or ValuesIndices
        Values in the dtype of ``x``; with ``dim`` also the int64 index of the first of them.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If an axis is given by position.
    ValueError
        If there is no element to choose from.

    Examples
    --------
    >>> rl.min(rl.tensor([3, 1, 2]))
    tensor(1, dtype=int64, device='cpu')
    >>> values, indices = rl.min(rl.tensor([[3, 1, 2]]), dim=1)
    >>> indices
    tensor([1], dtype=int64, device='cpu')
    """
@typing.overload
def min(x: Tensor, other: Tensor, /) -> Tensor:
    """Finds the smallest element over axes; NaN if there is one.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but a complex one.
    axis : int or tuple of int, optional
        Axes to reduce; all axes by default. The result is a tensor.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.
    dim : int, optional
        One axis, under PyTorch's name. The result is the pair ``(values, indices)``.
    other : Tensor, optional
        A tensor to compare with, also by position: the result is ``minimum(x, other)``, as in PyTorch.

    Returns
    -------
    Tensor or ValuesIndices
        Values in the dtype of ``x``; with ``dim`` also the int64 index of the first of them.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If an axis is given by position.
    ValueError
        If there is no element to choose from.

    Examples
    --------
    >>> rl.min(rl.tensor([3, 1, 2]))
    tensor(1, dtype=int64, device='cpu')
    >>> values, indices = rl.min(rl.tensor([[3, 1, 2]]), dim=1)
    >>> indices
    tensor([1], dtype=int64, device='cpu')
    """
@typing.overload
def min(x: Tensor, /, *, dim: typing.SupportsIndex, keepdim: builtins.bool = False) -> ValuesIndices:
    """Finds the smallest element over axes; NaN if there is one.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but a complex one.
    axis : int or tuple of int, optional
        Axes to reduce; all axes by default. The result is a tensor.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.
    dim : int, optional
        One axis, under PyTorch's name. The result is the pair ``(values, indices)``.
    other : Tensor, optional
        A tensor to compare with, also by position: the result is ``minimum(x, other)``, as in PyTorch.

    Returns
    -------
    Tensor or ValuesIndices
        Values in the dtype of ``x``; with ``dim`` also the int64 index of the first of them.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If an axis is given by position.
    ValueError
        If there is no element to choose from.

    Examples
    --------
    >>> rl.min(rl.tensor([3, 1, 2]))
    tensor(1, dtype=int64, device='cpu')
    >>> values, indices = rl.min(rl.tensor([[3, 1, 2]]), dim=1)
    >>> indices
    tensor([1], dtype=int64, device='cpu')
    """

def minimum(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Computes the smaller of two elements; NaN if either is. Equal elements share the gradient.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of an integer or floating-point dtype. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.minimum(rl.tensor([1, 5]), rl.tensor([4, 2]))
    tensor([1, 2], dtype=int64, device='cpu')
    """

def multiply(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Computes x1 * x2; integers wrap.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of any dtype but bool. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.multiply(rl.tensor([1, 2]), rl.tensor([10, 20]))
    tensor([10, 40], dtype=int64, device='cpu')
    """

def negative(x: Tensor, /) -> Tensor:
    """Computes -x; integers wrap.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but bool.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.negative(rl.tensor([-3, 2]))
    tensor([ 3, -2], dtype=int64, device='cpu')
    """

@typing.overload
def nonzero(x: Tensor, /, *, as_tuple: typing.Literal[True] = True) -> builtins.tuple[Tensor, ...]:
    """Returns the indices of the nonzero elements, in row-major order.

    Parameters
    ----------
    x : Tensor
        Input of rank 1 or more, of any dtype.
    as_tuple : bool, default True
        True returns one vector for each dimension, as in the array API; False returns a matrix with one row for each element, as in PyTorch.

    Returns
    -------
    tuple[Tensor, ...] or Tensor
        Indices, of dtype int64.

    Raises
    ------
    ValueError
        If ``x`` has rank 0.

    Examples
    --------
    >>> rl.nonzero(rl.tensor([0, 3, 0, 4]))
    (tensor([1, 3], dtype=int64, device='cpu'),)
    >>> rl.nonzero(rl.tensor([0, 3]), as_tuple=False)
    tensor([[1]], dtype=int64, device='cpu')
    """
@typing.overload
def nonzero(x: Tensor, /, *, as_tuple: typing.Literal[False]) -> Tensor:
    """Returns the indices of the nonzero elements, in row-major order.

    Parameters
    ----------
    x : Tensor
        Input of rank 1 or more, of any dtype.
    as_tuple : bool, default True
        True returns one vector for each dimension, as in the array API; False returns a matrix with one row for each element, as in PyTorch.

    Returns
    -------
    tuple[Tensor, ...] or Tensor
        Indices, of dtype int64.

    Raises
    ------
    ValueError
        If ``x`` has rank 0.

    Examples
    --------
    >>> rl.nonzero(rl.tensor([0, 3, 0, 4]))
    (tensor([1, 3], dtype=int64, device='cpu'),)
    >>> rl.nonzero(rl.tensor([0, 3]), as_tuple=False)
    tensor([[1]], dtype=int64, device='cpu')
    """

def not_equal(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Tells where an element of x1 is different from that of x2.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result of dtype bool in the common shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.not_equal(rl.tensor([1, 2, 3]), rl.tensor([2, 2, 2]))
    tensor([ True, False,  True], dtype=bool, device='cpu')
    """

def ones(shape: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *more: builtins.int, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False, size: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
    """Returns a tensor of ones.

    Parameters
    ----------
    shape : int or sequence of int
        Shape of the result, as one sequence or as separate integers.
    dtype : DType or str, default float32
        Dtype of the result.
    device : Device or str, optional
        Device of the result; the default device (``get_default_device``) if it is not given.
    requires_grad : bool, default False
        Whether gradients are recorded for the result.
    size : int or sequence of int, optional
        PyTorch's name of ``shape``.

    Returns
    -------
    Tensor
        New tensor.

    Raises
    ------
    ValueError
        If a size is negative.
    DeviceError
        If the device is missing or fails.

    Examples
    --------
    >>> rl.ones((1, 2))
    tensor([[1., 1.]], dtype=float32, device='cpu')
    """

def ones_like(x: Tensor, /, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Returns ones in the shape, dtype and device of a tensor.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    dtype : DType or str, optional
        Dtype of the result; that of ``x`` by default.
    device : Device or str, optional
        Device of the result; that of ``x`` by default.
    requires_grad : bool, default False
        Whether gradients are recorded for the result.

    Returns
    -------
    Tensor
        New tensor in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    DeviceError
        If the device is missing or fails.

    Examples
    --------
    >>> rl.ones_like(rl.tensor([5, 6]))
    tensor([1, 1], dtype=int64, device='cpu')
    """

def permute_dims(x: Tensor, /, axes: builtins.int | collections.abc.Sequence[builtins.int]) -> Tensor:
    """Reorders the dimensions, as a view.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    axes : sequence of int
        Order of the dimensions, each of them once.

    Returns
    -------
    Tensor
        View with dimension ``axes[i]`` of ``x`` as dimension i.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If a dimension is missing or given twice.

    Examples
    --------
    >>> rl.permute_dims(rl.ones((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """

def positive(x: Tensor, /) -> Tensor:
    """Returns the tensor unchanged: the unary ``+``.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.

    Returns
    -------
    Tensor
        ``x`` itself.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor.

    Examples
    --------
    >>> rl.positive(rl.tensor([1, -2]))
    tensor([ 1, -2], dtype=int64, device='cpu')
    """

def pow(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Computes x1 to the power x2; integers wrap, and a negative exponent truncates the fraction. Complex numbers are computed as e^(x2 log x1), with 0 where x1 is 0 and x2 has a positive real part.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of an integer or floating-point dtype. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.pow(rl.tensor([2, 3]), rl.tensor([3, 2]))
    tensor([8, 9], dtype=int64, device='cpu')
    """

def prod(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dtype: DType | builtins.str | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Multiplies elements over axes; integers are multiplied in 64 bits.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but bool.
    axis, dim : int or tuple of int, optional
        Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.
    dtype : DType or str, optional
        Dtype to compute in, and of the result.

    Returns
    -------
    Tensor
        One value for each element of the axes that stay.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.prod(rl.tensor([2, 3, 4]))
    tensor(24, dtype=int64, device='cpu')
    """

def rand(shape: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *more: builtins.int, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False, generator: Generator | None = None, size: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
    """Draws random numbers, uniformly from [0, 1).

    Parameters
    ----------
    shape : int or sequence of int
        Shape of the result, as one sequence or as separate integers.
    dtype : DType or str, default float32
        Dtype of the result.
    device : Device or str, optional
        Device of the result; the default device (``get_default_device``) if it is not given.
    requires_grad : bool, default False
        Whether gradients are recorded for the result.
    generator : Generator, optional
        Source of the random numbers; that of the device by default.
    size : int or sequence of int, optional
        PyTorch's name of ``shape``.

    Returns
    -------
    Tensor
        New tensor.

    Raises
    ------
    ValueError
        If a size is negative.
    DeviceError
        If the device is missing or fails.

    Examples
    --------
    >>> rl.rand(2, 3).shape
    (2, 3)
    """

def randint(low: builtins.int, high: typing.Any | None = None, size: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, generator: Generator | None = None) -> Tensor:
    """Draws random integers from ``low`` up to ``high`` (excluded), each equally likely.

    ``randint(high, size)`` draws from 0.

    Parameters
    ----------
    low : int
        Smallest integer; with two arguments it is ``high``, and the smallest integer is 0.
    high : int, optional
        End, which is excluded.
    size : int or sequence of int
        Shape of the result.
    dtype : DType or str, default int64
        Dtype of the result.
    device : Device or str, optional
        Device of the result; the default device (``get_default_device``) if it is not given.
    generator : Generator, optional
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        New tensor in shape ``size``.

    Raises
    ------
    ValueError
        If there is no integer between ``low`` and ``high``.
    TypeError
        If ``size`` is missing.

    Examples
    --------
    >>> rl.randint(0, 10, (2, 3)).shape
    (2, 3)
    """

def randn(shape: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *more: builtins.int, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False, generator: Generator | None = None, size: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
    """Draws random numbers from the standard normal distribution.

    Parameters
    ----------
    shape : int or sequence of int
        Shape of the result, as one sequence or as separate integers.
    dtype : DType or str, default float32
        Dtype of the result.
    device : Device or str, optional
        Device of the result; the default device (``get_default_device``) if it is not given.
    requires_grad : bool, default False
        Whether gradients are recorded for the result.
    generator : Generator, optional
        Source of the random numbers; that of the device by default.
    size : int or sequence of int, optional
        PyTorch's name of ``shape``.

    Returns
    -------
    Tensor
        New tensor.

    Raises
    ------
    ValueError
        If a size is negative.
    DeviceError
        If the device is missing or fails.

    Examples
    --------
    >>> rl.randn(2, 3).shape
    (2, 3)
    """

def reciprocal(x: Tensor, /) -> Tensor:
    """Computes 1 / x, correctly rounded for real numbers.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.reciprocal(rl.tensor([2.0, 4.0]))
    tensor([0.5000, 0.2500], dtype=float32, device='cpu')
    """

def relu(x: Tensor, /) -> Tensor:
    """Computes max(x, 0); its gradient at 0 is 0.

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.relu(rl.tensor([-1.0, 2.0]))
    tensor([0., 2.], dtype=float32, device='cpu')
    """

def relu_squared(x: Tensor, /) -> Tensor:
    """Computes max(x, 0)^2 (So et al. 2021).

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.relu_squared(rl.tensor([-1.0, 3.0]))
    tensor([0., 9.], dtype=float32, device='cpu')
    """

def remainder(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Computes the remainder with the sign of x2 (Python's `%`); integers: x % 0 is 0.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of an integer or floating-point dtype. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.remainder(rl.tensor([7, -7]), rl.tensor([3, 3]))
    tensor([1, 2], dtype=int64, device='cpu')
    """

def reset_peak_memory() -> None:
    """Resets ``peak`` of ``memory_stats`` to the bytes in use now.

    Examples
    --------
    >>> rl.reset_peak_memory()
    >>> s = rl.memory_stats()
    >>> s['peak'] == s['live']
    True
    """

def reshape(x: Tensor, /, shape: builtins.int | collections.abc.Sequence[builtins.int], *, copy: builtins.bool | None = None) -> Tensor:
    """Returns the elements in another shape; memory is shared where that is possible.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    shape : int or sequence of int
        New shape. One size may be -1: it follows from the number of elements.
    copy : bool, optional
        True copies always; False raises an error where a copy is needed.

    Returns
    -------
    Tensor
        Tensor in the new shape.

    Raises
    ------
    ValueError
        If the number of elements differs, or ``copy=False`` and a copy is needed.

    Examples
    --------
    >>> rl.reshape(rl.arange(6), (2, -1))
    tensor([[0, 1, 2],
            [3, 4, 5]], dtype=int64, device='cpu')
    """

def rmsprop_step(param: Tensor, grad: Tensor, square_avg: Tensor, grad_avg: Tensor | None, buffer: Tensor | None, /, *, lr: typing.SupportsFloat | typing.SupportsIndex, alpha: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, weight_decay: typing.SupportsFloat | typing.SupportsIndex, momentum: typing.SupportsFloat | typing.SupportsIndex, centered: builtins.bool, maximize: builtins.bool = False) -> None:
    """Performs one step of RMSprop, in place.

    Parameters
    ----------
    param : Tensor
        Parameter to update.
    grad : Tensor
        Its gradient.
    square_avg : Tensor
        Running mean of squared gradients, which is updated too.
    grad_avg : Tensor or None
        Running mean of gradients, which is updated too; needed if `centered`.
    buffer : Tensor or None
        Momentum buffer, which is updated too; needed if ``momentum`` is not 0.
    lr : float
        Learning rate.
    alpha : float
        Share of the old mean of squares that is kept.
    eps : float
        Added to the root.
    weight_decay : float
        Weight decay.
    momentum : float
        Share of the old buffer that is kept.
    centered : bool
        Whether the root is of a variance.
    maximize : bool, default False
        Whether the step goes uphill.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> w, s = rl.tensor([1.0]), rl.zeros(1)
    >>> numbers = dict(lr=0.5, alpha=0.75, eps=0.0, weight_decay=0.0, momentum=0.0)
    >>> rl.rmsprop_step(w, rl.tensor([2.0]), s, None, None, centered=False, **numbers)
    >>> w, s
    (tensor([0.], dtype=float32, device='cpu'), tensor([1.], dtype=float32, device='cpu'))
    """

def round(x: Tensor, /, *, decimals: builtins.int = 0) -> Tensor:
    """Rounds to the nearest integer, halves to even. The gradient is 0.

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.
    decimals : int, default 0
        Number of decimals that stay; a negative one rounds to tens, hundreds and so on.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.round(rl.tensor([0.5, 1.5, 1.7]))
    tensor([0., 2., 2.], dtype=float32, device='cpu')
    """

def rsqrt(x: Tensor, /) -> Tensor:
    """Computes 1 / sqrt(x).

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.rsqrt(rl.tensor([1.0, 4.0]))
    tensor([1.0000, 0.5000], dtype=float32, device='cpu')
    """

def save_file(tensors: collections.abc.Mapping[builtins.str, Tensor], path: builtins.str | os.PathLike[builtins.str], metadata: collections.abc.Mapping[builtins.str, builtins.str] | None = None) -> None:
    """Writes named tensors, and texts about them, to a safetensors file.

    Parameters
    ----------
    tensors : Mapping[str, Tensor]
        Tensors by name. Gradients are not saved.
    path : str or os.PathLike
        File to write; an existing one is replaced.
    metadata : Mapping[str, str], optional
        Texts by name.

    Raises
    ------
    TypeError
        If a name is not text or a value is not a tensor.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> rl.save_file({'w': rl.ones(2)}, 'weights.safetensors')
    >>> rl.load_file('weights.safetensors')
    {'w': tensor([1., 1.], dtype=float32, device='cpu')}
    """

def scatter(x: Tensor, dim: typing.SupportsIndex, index: Tensor, src: Tensor | builtins.complex, /) -> Tensor:
    """Returns a copy with elements written at indices: ``out[i, index[i, j]] = src[i, j]`` along dimension 1.

    Of equal indices the last one wins.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    dim : int
        Dimension to index; a negative one counts from the end.
    index : Tensor
        Indices, of an integer dtype. Negative ones of a signed dtype count from the end.
    src : Tensor or number
        Values to write; a tensor has at least the shape of ``index``.

    Returns
    -------
    Tensor
        Copy of ``x`` with these elements replaced.

    Raises
    ------
    IndexError
        If an index or the dimension is out of range.
    TypeError
        If the indices are not integers.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> rl.scatter(rl.zeros(3), 0, rl.tensor([2, 0]), rl.tensor([5.0, 7.0]))
    tensor([7., 0., 5.], dtype=float32, device='cpu')
    """

def scatter_add(x: Tensor, dim: typing.SupportsIndex, index: Tensor, src: Tensor | builtins.complex, /) -> Tensor:
    """Returns a copy with elements added at indices: ``out[i, index[i, j]] += src[i, j]`` along dimension 1.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    dim : int
        Dimension to index; a negative one counts from the end.
    index : Tensor
        Indices, of an integer dtype. Negative ones of a signed dtype count from the end.
    src : Tensor or number
        Values to add; a tensor has at least the shape of ``index``.

    Returns
    -------
    Tensor
        Copy of ``x`` with the values added.

    Raises
    ------
    IndexError
        If an index or the dimension is out of range.
    TypeError
        If the indices are not integers.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> rl.scatter_add(rl.zeros(3), 0, rl.tensor([2, 2]), rl.tensor([5.0, 7.0]))
    tensor([ 0.,  0., 12.], dtype=float32, device='cpu')
    """

def seed() -> builtins.int:
    """Seeds the random numbers of every device by a number from the operating system.

    Returns
    -------
    int
        The seed.

    Examples
    --------
    >>> rl.seed() == rl.initial_seed()
    True
    """

def set_default_device(device: Device | builtins.str | None, /) -> None:
    """Sets the device of new tensors for which no ``device`` is named.

    It holds for the thread that calls, and for tensors that are made of shapes, of random numbers and of
    Python's and NumPy's data: ``zeros``, ``rand``, ``arange``, ``tensor``, ``asarray``, parameters of modules and the like.
    Files, ``from_numpy``, ``from_dlpack`` and generators stay on the CPU. Inside a ``with`` block of a device, it holds
    after the block.

    Parameters
    ----------
    device : Device, str or None
        The device; None is the CPU.

    Raises
    ------
    DeviceError
        If the device is missing or fails.

    Examples
    --------
    >>> rl.set_default_device('cpu')
    >>> rl.zeros(2).device
    Device('cpu')
    """

def set_default_dtype(dtype: DType | builtins.str, /) -> None:
    """Sets the dtype of new tensors of floats, for the whole process: float32 at first.

    Parameters
    ----------
    dtype : DType or str
        A floating-point dtype.

    Raises
    ------
    TypeError
        If the dtype is not a floating-point one.

    Examples
    --------
    >>> rl.set_default_dtype(rl.float64)
    >>> rl.tensor([1.0]).dtype, rl.zeros(2).dtype
    (rushlight.float64, rushlight.float64)
    >>> rl.set_default_dtype(rl.float32)
    """

def set_num_threads(n: builtins.int, /) -> None:
    """Sets how many threads an operation may use; results do not depend on it.

    Parameters
    ----------
    n : int
        Number of threads, 1 to 4096.

    Raises
    ------
    ValueError
        If ``n`` is not between 1 and 4096.

    Examples
    --------
    >>> before = rl.get_num_threads()
    >>> rl.set_num_threads(2)
    >>> rl.get_num_threads()
    2
    >>> rl.set_num_threads(before)
    """

def set_printoptions(*, precision: builtins.int | None = None, threshold: builtins.int | None = None, edgeitems: builtins.int | None = None) -> None:
    """Sets how tensors are printed; parameters that are left out keep their value.

    Parameters
    ----------
    precision : int, optional
        Digits after the decimal point (4 at the start, at most 17).
    threshold : int, optional
        Number of elements above which the middle is abbreviated (1000 at the start).
    edgeitems : int, optional
        Elements shown at each end of an abbreviated dimension (3 at the start).

    Raises
    ------
    ValueError
        If a number is negative.

    Examples
    --------
    >>> rl.set_printoptions(precision=2)
    >>> rl.tensor([0.125])
    tensor([0.12], dtype=float32, device='cpu')
    >>> rl.set_printoptions(precision=4)
    """

def set_rng_state(new_state: Tensor, device: Device | builtins.str | None = None) -> None:
    """Goes on from a state of a device's random numbers.

    Parameters
    ----------
    new_state : Tensor
        Result of ``get_rng_state``.
    device : Device or str, optional
        The device; the default device if it is not given.

    Raises
    ------
    ValueError
        If the state does not have 16 elements.
    TypeError
        If it is not a vector of dtype uint8.

    Examples
    --------
    >>> rl.set_rng_state(rl.get_rng_state())
    """

def sgd_step(param: Tensor, grad: Tensor, buffer: Tensor | None, /, *, lr: typing.SupportsFloat | typing.SupportsIndex, momentum: typing.SupportsFloat | typing.SupportsIndex, dampening: typing.SupportsFloat | typing.SupportsIndex, weight_decay: typing.SupportsFloat | typing.SupportsIndex, nesterov: builtins.bool, first: builtins.bool, maximize: builtins.bool = False) -> None:
    """Performs one step of stochastic gradient descent, in place.

    Parameters
    ----------
    param : Tensor
        Parameter to update.
    grad : Tensor
        Its gradient.
    buffer : Tensor or None
        Momentum buffer, which is updated too; needed if ``momentum`` is not 0.
    lr : float
        Learning rate.
    momentum : float
        Share of the old buffer that is kept.
    dampening : float
        Share of the gradient that does not enter the buffer.
    weight_decay : float
        Weight decay.
    nesterov : bool
        Whether Nesterov's momentum is used.
    first : bool
        Whether the buffer is still empty.
    maximize : bool, default False
        Whether the step goes uphill.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> w = rl.tensor([1.0])
    >>> numbers = dict(lr=0.1, momentum=0.0, dampening=0.0, weight_decay=0.0)
    >>> rl.sgd_step(w, rl.tensor([2.0]), None, nesterov=False, first=True, **numbers)
    >>> w
    tensor([0.8000], dtype=float32, device='cpu')
    """

def sigmoid(x: Tensor, /) -> Tensor:
    """Computes the logistic function, 1 / (1 + e^-x).

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.sigmoid(rl.tensor([0.0, 1.0]))
    tensor([0.5000, 0.7311], dtype=float32, device='cpu')
    """

def sign(x: Tensor, /) -> Tensor:
    """Computes the sign: -1, 0 or 1. NaN stays NaN, and the gradient is 0.

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.sign(rl.tensor([-3.0, 0.0, 2.0]))
    tensor([-1.,  0.,  1.], dtype=float32, device='cpu')
    """

def silu(x: Tensor, /) -> Tensor:
    """Computes x * sigmoid(x).

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.silu(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7311], dtype=float32, device='cpu')
    """

def sin(x: Tensor, /) -> Tensor:
    """Computes the sine of an angle in radians.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.sin(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8415], dtype=float32, device='cpu')
    """

def sinh(x: Tensor, /) -> Tensor:
    """Computes the hyperbolic sine.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.sinh(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 1.1752], dtype=float32, device='cpu')
    """

def softmax(x: Tensor, /, dim: typing.SupportsIndex | None = None, *, axis: typing.SupportsIndex | None = None) -> Tensor:
    """Computes the softmax, ``exp(x) / sum(exp(x))``, along an axis.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype.
    dim, axis : int
        Dimension along which the results add up to 1. A negative one counts from the end.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    IndexError
        If the axis is out of range.

    Examples
    --------
    >>> rl.softmax(rl.tensor([1.0, 2.0, 3.0]), dim=0)
    tensor([0.0900, 0.2447, 0.6652], dtype=float32, device='cpu')
    """

def softplus(x: Tensor, /, beta: typing.SupportsFloat | typing.SupportsIndex = 1.0, threshold: typing.SupportsFloat | typing.SupportsIndex = 20.0) -> Tensor:
    """Computes softplus: ``log(1 + exp(beta * x)) / beta``, and ``x`` where ``beta * x`` is above `threshold`.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype; integers and bools are computed in float32.
    beta : float, default 1.0
        Sharpness of the bend at 0.
    threshold : float, default 20.0
        The value of ``beta * x`` above which the result is ``x``.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.softplus(rl.tensor([-1.0, 2.0]))
    tensor([0.3133, 2.1269], dtype=float32, device='cpu')
    """

@typing.overload
def sort(x: Tensor, /, *, axis: typing.SupportsIndex | None = -1, descending: builtins.bool = False, stable: builtins.bool = True) -> Tensor:
    """Sorts elements along an axis. The order of equal elements is kept, and NaN counts as the largest.

    Parameters
    ----------
    x : Tensor
        Input of rank 1 or more, or of any rank for ``axis=None``.
    position : int
        An axis by position is an error, because NumPy's and PyTorch's functions return different things.
    axis : int or None, default -1
        Axis to sort along, under NumPy's name. The result is the sorted tensor. None sorts all elements, as a vector.
    descending : bool, default False
        Whether to sort from the largest element to the smallest.
    stable : bool, default True
        Accepted for compatibility; sorting is always stable.
    dim : int, optional
        Axis to sort along, under PyTorch's name. The result is the pair ``(values, indices)``.

    Returns
    -------
    Tensor or ValuesIndices
        Sorted values; with ``dim`` also their int64 indices in ``x``.

    Raises
    ------
    IndexError
        If an axis is out of range.
    TypeError
        If the axis is given by position, or by both names.

    Examples
    --------
    >>> rl.sort(rl.tensor([3, 1, 2]))
    tensor([1, 2, 3], dtype=int64, device='cpu')
    >>> rl.sort(rl.tensor([[3, 1], [2, 5]]), axis=None).tolist()
    [1, 2, 3, 5]
    >>> rl.sort(rl.tensor([3, 1, 2]), dim=0).indices
    tensor([1, 2, 0], dtype=int64, device='cpu')
    """
@typing.overload
def sort(x: Tensor, /, *, dim: typing.SupportsIndex, descending: builtins.bool = False, stable: builtins.bool = True) -> ValuesIndices:
    """Sorts elements along an axis. The order of equal elements is kept, and NaN counts as the largest.

    Parameters
    ----------
    x : Tensor
        Input of rank 1 or more, or of any rank for ``axis=None``.
    position : int
        An axis by position is an error, because NumPy's and PyTorch's functions return different things.
    axis : int or None, default -1
        Axis to sort along, under NumPy's name. The result is the sorted tensor. None sorts all elements, as a vector.
    descending : bool, default False
        Whether to sort from the largest element to the smallest.
    stable : bool, default True
        Accepted for compatibility; sorting is always stable.
    dim : int, optional
        Axis to sort along, under PyTorch's name. The result is the pair ``(values, indices)``.

    Returns
    -------
    Tensor or ValuesIndices
        Sorted values; with ``dim`` also their int64 indices in ``x``.

    Raises
    ------
    IndexError
        If an axis is out of range.
    TypeError
        If the axis is given by position, or by both names.

    Examples
    --------
    >>> rl.sort(rl.tensor([3, 1, 2]))
    tensor([1, 2, 3], dtype=int64, device='cpu')
    >>> rl.sort(rl.tensor([[3, 1], [2, 5]]), axis=None).tolist()
    [1, 2, 3, 5]
    >>> rl.sort(rl.tensor([3, 1, 2]), dim=0).indices
    tensor([1, 2, 0], dtype=int64, device='cpu')
    """

def split(x: Tensor, /, split_size_or_sections: builtins.int | collections.abc.Sequence[builtins.int], axis: typing.SupportsIndex = 0, *, dim: typing.SupportsIndex | None = None) -> builtins.tuple[Tensor, ...]:
    """Splits a tensor along an axis into pieces of given sizes.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    split_size_or_sections : int or sequence of int
        Size of each piece (the last may be smaller), or the size of every piece.
    axis, dim : int, default 0
        Axis to work along; a negative one counts from the end. ``dim`` is PyTorch's name of the parameter.

    Returns
    -------
    tuple[Tensor, ...]
        Views, in order.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If a size is not positive, or the sizes do not add up to the length of the axis.

    Examples
    --------
    >>> [p.tolist() for p in rl.split(rl.arange(5), 2)]
    [[0, 1], [2, 3], [4]]
    """

def sqrt(x: Tensor, /) -> Tensor:
    """Computes the square root, correctly rounded for real numbers; NaN for those below 0.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.sqrt(rl.tensor([2.0, 9.0]))
    tensor([1.4142, 3.0000], dtype=float32, device='cpu')
    """

def square(x: Tensor, /) -> Tensor:
    """Computes x * x; integers wrap.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but bool.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.square(rl.tensor([-3.0, 2.0]))
    tensor([9., 4.], dtype=float32, device='cpu')
    """

def squeeze(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
    """Removes dimensions of size 1, as a view.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    axis : int or tuple of int, optional
        Dimensions of size 1 to remove; all of them by default. ``dim`` is PyTorch's name.

    Returns
    -------
    Tensor
        View without these dimensions.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If a dimension does not have size 1.

    Examples
    --------
    >>> rl.squeeze(rl.ones((1, 3, 1))).shape
    (3,)
    """

def stack(arrays: collections.abc.Sequence[Tensor], /, axis: typing.SupportsIndex = 0, *, dim: typing.SupportsIndex | None = None) -> Tensor:
    """Joins tensors of one shape along a new axis.

    Parameters
    ----------
    arrays : sequence of Tensor
        Tensors of one shape.
    axis : int, default 0
        Index of the new axis in the result. ``dim`` is PyTorch's name.

    Returns
    -------
    Tensor
        New tensor in the common dtype.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If there are no tensors, or their shapes differ.

    Examples
    --------
    >>> rl.stack([rl.tensor([1, 2]), rl.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]], dtype=int64, device='cpu')
    """

def std(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *position: builtins.int, keepdims: builtins.bool | None = None, correction: typing.SupportsFloat | typing.SupportsIndex | None = 0.0, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None, unbiased: builtins.bool | None = None) -> Tensor:
    """Computes the standard deviation over axes, with the divisor n - correction. That of complex numbers is real.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype. Integers and bools are computed in float32.
    axis, dim : int or tuple of int, optional
        Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.
    correction : float, default 0.0
        Subtracted from the number of elements in the divisor; 1 gives the unbiased estimate.
    unbiased : bool, optional
        PyTorch's name: True is ``correction=1``, False ``correction=0``.

    Returns
    -------
    Tensor
        One value for each element of the axes that stay.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.std(rl.tensor([1.0, 2.0, 6.0]))
    tensor(2.1602, dtype=float32, device='cpu')
    """

def subtract(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /, *, alpha: builtins.complex = 1) -> Tensor:
    """Computes x1 - x2; integers wrap.

    Parameters
    ----------
    x1, x2 : Tensor or number
        Operands of any dtype but bool. At least one is a tensor. They are promoted to one dtype and broadcast to one shape.
    alpha : number, default 1
        Factor of the second operand, by which it is multiplied first.

    Returns
    -------
    Tensor
        Result in the common dtype and shape.

    Raises
    ------
    TypeError
        If no operand is a tensor, or the common dtype is not supported.
    ValueError
        If the shapes cannot be broadcast to one shape.

    Examples
    --------
    >>> rl.subtract(rl.tensor([1, 2]), rl.tensor([10, 20]))
    tensor([ -9, -18], dtype=int64, device='cpu')
    """

def sum(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dtype: DType | builtins.str | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Sums elements over axes; integers are summed in 64 bits.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but bool.
    axis, dim : int or tuple of int, optional
        Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.
    dtype : DType or str, optional
        Dtype to compute in, and of the result.

    Returns
    -------
    Tensor
        One value for each element of the axes that stay.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.sum(rl.tensor([1, 2, 3]))
    tensor(6, dtype=int64, device='cpu')
    """

def take(x: Tensor, indices: Tensor, /, axis: typing.SupportsIndex | None = None, *, dim: typing.SupportsIndex | None = None) -> Tensor:
    """Selects entries along an axis by indices of any shape.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    indices : Tensor
        Indices, of an integer dtype. Negative ones of a signed dtype count from the end.
    axis, dim : int, optional
        Axis to work along; a negative one counts from the end. It may be left out for a tensor of rank 1.

    Returns
    -------
    Tensor
        Entries; the axis is replaced by the dimensions of ``indices``.

    Raises
    ------
    IndexError
        If an index or the dimension is out of range.
    TypeError
        If the indices are not integers.
    ValueError
        If ``axis`` is missing and ``x`` is not a vector.

    Examples
    --------
    >>> rl.take(rl.tensor([10, 20, 30]), rl.tensor([2, 0]))
    tensor([30, 10], dtype=int64, device='cpu')
    """

def take_along_axis(x: Tensor, indices: Tensor, /, axis: typing.SupportsIndex = -1, *, dim: typing.SupportsIndex | None = None) -> Tensor:
    """Selects one element for each index: ``out[i, j] = x[i, indices[i, j]]`` along axis 1.

    The axes other than ``axis`` are broadcast.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    indices : Tensor
        Indices, of an integer dtype. Negative ones of a signed dtype count from the end.
    axis, dim : int, default -1
        Axis to work along; a negative one counts from the end. ``dim`` is PyTorch's name of the parameter.

    Returns
    -------
    Tensor
        Elements in the shape of ``indices``.

    Raises
    ------
    IndexError
        If an index or the dimension is out of range.
    TypeError
        If the indices are not integers.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> x = rl.tensor([[3, 1], [2, 4]])
    >>> rl.take_along_axis(x, rl.argsort(x))
    tensor([[1, 3],
            [2, 4]], dtype=int64, device='cpu')
    """

def tan(x: Tensor, /) -> Tensor:
    """Computes the tangent of an angle in radians.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.tan(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5574], dtype=float32, device='cpu')
    """

def tanh(x: Tensor, /) -> Tensor:
    """Computes the hyperbolic tangent.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype; integers and bools are computed in float32.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.tanh(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616], dtype=float32, device='cpu')
    """

def tensor(data: typing.Any, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Copies data into a new tensor.

    Parameters
    ----------
    data : number, nested sequence, array or Tensor
        Elements. All rows of nested sequences have one length.
    dtype : DType or str, optional
        Dtype of the result. By default that of an array; Python integers give int64, floats float32, complex numbers complex64.
    device : Device or str, optional
        Device of the result; the default device (``get_default_device``) if it is not given.
    requires_grad : bool, default False
        Whether gradients are recorded for the result.

    Returns
    -------
    Tensor
        New tensor, which shares no memory with ``data``.

    Raises
    ------
    ValueError
        If the rows of nested sequences have different lengths.
    TypeError
        If an element is not a number.

    Examples
    --------
    >>> rl.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]], dtype=int64, device='cpu')
    >>> rl.tensor([1.0, 2.0], dtype=rl.float64)
    tensor([1., 2.], dtype=float64, device='cpu')
    """

def tril(x: Tensor, /, diagonal: typing.SupportsIndex | None = None, *, k: typing.SupportsIndex | None = None) -> Tensor:
    """Returns the lower triangle of the last two dimensions, with zeros above a diagonal.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    diagonal, k : int, default 0
        Diagonal that bounds the triangle: 0 is the main one, positive ones lie above it. ``k`` is the array API's name.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.

    Examples
    --------
    >>> rl.tril(rl.ones((2, 3)))
    tensor([[1., 0., 0.],
            [1., 1., 0.]], dtype=float32, device='cpu')
    """

def triu(x: Tensor, /, diagonal: typing.SupportsIndex | None = None, *, k: typing.SupportsIndex | None = None) -> Tensor:
    """Returns the upper triangle of the last two dimensions, with zeros below a diagonal.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    diagonal, k : int, default 0
        Diagonal that bounds the triangle: 0 is the main one, positive ones lie above it. ``k`` is the array API's name.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.

    Examples
    --------
    >>> rl.triu(rl.ones((2, 3)))
    tensor([[1., 1., 1.],
            [0., 1., 1.]], dtype=float32, device='cpu')
    """

def trunc(x: Tensor, /) -> Tensor:
    """Rounds towards 0 to an integer. The gradient is 0.

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.

    Returns
    -------
    Tensor
        Result in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.trunc(rl.tensor([-1.5, 1.5]))
    tensor([-1.,  1.], dtype=float32, device='cpu')
    """

def unscale_and_check_finite(grad: Tensor, found: Tensor, factor: Tensor, /) -> None:
    """Multiplies a gradient by a number, in place, and notes whether it held an infinity or NaN.

    Parameters
    ----------
    grad : Tensor
        Gradient to multiply.
    found : Tensor
        Scalar, set to 1 if an element is infinite or NaN; float64 for float64, else float32.
    factor : Tensor
        Factor, a scalar of the dtype of `found`.

    Raises
    ------
    TypeError
        If the dtypes differ or are not supported.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> g, found = rl.tensor([2.0, float("inf")]), rl.tensor(0.0)
    >>> rl.unscale_and_check_finite(g, found, rl.tensor(0.5))
    >>> g.tolist(), found.item()
    ([1.0, inf], 1.0)
    """

def unstack(x: Tensor, /, *, axis: typing.SupportsIndex = 0, dim: typing.SupportsIndex | None = None) -> builtins.tuple[Tensor, ...]:
    """Splits a tensor into its entries along an axis.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    axis, dim : int, default 0
        Axis to work along; a negative one counts from the end. ``dim`` is PyTorch's name of the parameter.

    Returns
    -------
    tuple[Tensor, ...]
        Views without the axis, one for each entry.

    Raises
    ------
    IndexError
        If an axis is out of range.

    Examples
    --------
    >>> rl.unstack(rl.tensor([[1, 2], [3, 4]]))[0]
    tensor([1, 2], dtype=int64, device='cpu')
    """

def upsample_bilinear2d(x: Tensor, /, size: builtins.int | collections.abc.Sequence[builtins.int] | None = None, scale: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex] | None = None, align_corners: builtins.bool = False) -> Tensor:
    """Resizes the last two axes by linear interpolation along both.

    Parameters
    ----------
    x : Tensor
        Input of shape (n, c, ..), whose further axes are resized.
    size : int or sequence of int, optional
        The new spatial sizes.
    scale : float or sequence of float, optional
        Factors that the new sizes come from, where no sizes are given.
    align_corners : bool, default False
        Whether the centres of the corner elements keep their positions.

    Returns
    -------
    Tensor
        Resized tensor.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.

    Examples
    --------
    >>> rl.upsample_bilinear2d(rl.ones((1, 1, 2, 2)), (3, 3), None, True).shape
    (1, 1, 3, 3)
    """

def upsample_nearest1d(x: Tensor, /, size: builtins.int | collections.abc.Sequence[builtins.int] | None = None, scale: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex] | None = None) -> Tensor:
    """Resizes the last axis; each new element copies the nearest old one.

    Parameters
    ----------
    x : Tensor
        Input of shape (n, c, ..), whose further axes are resized.
    size : int or sequence of int, optional
        The new spatial sizes.
    scale : float or sequence of float, optional
        Factors that the new sizes come from, where no sizes are given.

    Returns
    -------
    Tensor
        Resized tensor.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.

    Examples
    --------
    >>> rl.upsample_nearest1d(rl.tensor([[[1.0, 2.0]]]), (4,), None)
    tensor([[[1., 1., 2., 2.]]], dtype=float32, device='cpu')
    """

def upsample_nearest2d(x: Tensor, /, size: builtins.int | collections.abc.Sequence[builtins.int] | None = None, scale: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex] | None = None) -> Tensor:
    """Resizes the last two axes; each new element copies the nearest old one.

    Parameters
    ----------
    x : Tensor
        Input of shape (n, c, ..), whose further axes are resized.
    size : int or sequence of int, optional
        The new spatial sizes.
    scale : float or sequence of float, optional
        Factors that the new sizes come from, where no sizes are given.

    Returns
    -------
    Tensor
        Resized tensor.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    ValueError
        If the shape and the numbers do not match.

    Examples
    --------
    >>> rl.upsample_nearest2d(rl.ones((1, 1, 2, 2)), None, (2.0, 2.0)).shape
    (1, 1, 4, 4)
    """

def use_deterministic_algorithms(mode: builtins.bool, /) -> None:
    """Requires the same bits in every run, on every device.

    rocBLAS and MIOpen are not used then, and no sum depends on the order in which atomic additions arrive. The initial
    setting is the environment variable ``RUSHLIGHT_DETERMINISTIC``, or off.

    Parameters
    ----------
    mode : bool
        True to require it.

    Raises
    ------
    TypeError
        If ``mode`` is not a bool.

    Examples
    --------
    >>> rl.use_deterministic_algorithms(True)
    >>> rl.are_deterministic_algorithms_enabled()
    True
    >>> rl.use_deterministic_algorithms(False)
    """

def var(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *position: builtins.int, keepdims: builtins.bool | None = None, correction: typing.SupportsFloat | typing.SupportsIndex | None = 0.0, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None, unbiased: builtins.bool | None = None) -> Tensor:
    """Computes the variance over axes, with the divisor n - correction. That of complex numbers is real: the mean of squared distances.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point or complex dtype. Integers and bools are computed in float32.
    axis, dim : int or tuple of int, optional
        Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.
    correction : float, default 0.0
        Subtracted from the number of elements in the divisor; 1 gives the unbiased estimate.
    unbiased : bool, optional
        PyTorch's name: True is ``correction=1``, False ``correction=0``.

    Returns
    -------
    Tensor
        One value for each element of the axes that stay.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If an axis is given twice.
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.

    Examples
    --------
    >>> rl.var(rl.tensor([1.0, 2.0, 6.0]))
    tensor(4.6667, dtype=float32, device='cpu')
    """

@typing.overload
def where(condition: Tensor, /) -> builtins.tuple[Tensor, ...]:
    """Selects elements of two tensors by a condition; with the condition alone finds where it is nonzero, as ``nonzero`` does.

    Parameters
    ----------
    condition : Tensor
        Condition, of dtype bool; alone of any dtype.
    x1 : Tensor or number
        Elements where the condition is True.
    x2 : Tensor or number
        Elements where it is False.

    Returns
    -------
    Tensor or tuple[Tensor, ...]
        Result in the common dtype of ``x1`` and ``x2``, in the common shape of all three; of the condition alone one vector of int64 indices for each dimension.

    Raises
    ------
    ValueError
        If the shapes cannot be broadcast to one shape.
    TypeError
        If the condition is not of dtype bool, or one of ``x1`` and ``x2`` is missing.

    Examples
    --------
    >>> x = rl.tensor([-1, 2])
    >>> rl.where(x > 0, x, 0)
    tensor([0, 2], dtype=int64, device='cpu')
    >>> rl.where(x > 0)
    (tensor([1], dtype=int64, device='cpu'),)
    """
@typing.overload
def where(condition: Tensor, x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Selects elements of two tensors by a condition; with the condition alone finds where it is nonzero, as ``nonzero`` does.

    Parameters
    ----------
    condition : Tensor
        Condition, of dtype bool; alone of any dtype.
    x1 : Tensor or number
        Elements where the condition is True.
    x2 : Tensor or number
        Elements where it is False.

    Returns
    -------
    Tensor or tuple[Tensor, ...]
        Result in the common dtype of ``x1`` and ``x2``, in the common shape of all three; of the condition alone one vector of int64 indices for each dimension.

    Raises
    ------
    ValueError
        If the shapes cannot be broadcast to one shape.
    TypeError
        If the condition is not of dtype bool, or one of ``x1`` and ``x2`` is missing.

    Examples
    --------
    >>> x = rl.tensor([-1, 2])
    >>> rl.where(x > 0, x, 0)
    tensor([0, 2], dtype=int64, device='cpu')
    >>> rl.where(x > 0)
    (tensor([1], dtype=int64, device='cpu'),)
    """

def zeros(shape: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *more: builtins.int, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False, size: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
    """Returns a tensor of zeros.

    Parameters
    ----------
    shape : int or sequence of int
        Shape of the result, as one sequence or as separate integers.
    dtype : DType or str, default float32
        Dtype of the result.
    device : Device or str, optional
        Device of the result; the default device (``get_default_device``) if it is not given.
    requires_grad : bool, default False
        Whether gradients are recorded for the result.
    size : int or sequence of int, optional
        PyTorch's name of ``shape``.

    Returns
    -------
    Tensor
        New tensor.

    Raises
    ------
    ValueError
        If a size is negative.
    DeviceError
        If the device is missing or fails.

    Examples
    --------
    >>> rl.zeros((1, 2))
    tensor([[0., 0.]], dtype=float32, device='cpu')
    """

def zeros_like(x: Tensor, /, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Returns zeros in the shape, dtype and device of a tensor.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    dtype : DType or str, optional
        Dtype of the result; that of ``x`` by default.
    device : Device or str, optional
        Device of the result; that of ``x`` by default.
    requires_grad : bool, default False
        Whether gradients are recorded for the result.

    Returns
    -------
    Tensor
        New tensor in the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not a tensor, or its dtype is not supported.
    DeviceError
        If the device is missing or fails.

    Examples
    --------
    >>> rl.zeros_like(rl.tensor([5, 6]))
    tensor([0, 0], dtype=int64, device='cpu')
    """
