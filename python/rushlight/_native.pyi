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
    """Type of a tensor's elements, such as ``rushlight.float32``. There is one object for each dtype.

    Examples
    --------
    >>> rl.float32
    rushlight.float32
    >>> rl.ones(2).dtype is rl.float32
    True
    """
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

    Parameters
    ----------
    name : Device or str
        ``"cpu"``, ``"rocm:0"`` (also ``"hip:0"``) or ``"cuda:0"``.

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
    """
    def __eq__(self, other: typing.Any, /) -> builtins.bool: ...
    def __hash__(self) -> builtins.int:
        """That of its name, which it is equal to."""
    def __new__(cls, name: Device | builtins.str, /) -> typing.Self: ...
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
        """Computes the absolute value; its gradient at 0 is 0.

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
    def acos(self) -> Tensor:
        """Computes the arc cosine in radians; NaN outside [-1, 1].

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
    def acosh(self) -> Tensor:
        """Computes the inverse hyperbolic cosine; NaN below 1.

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
    def add(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes self + other; integers wrap.

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
        >>> rl.tensor([1, 2]).add(rl.tensor([10, 20]))
        tensor([11, 22], dtype=int64, device='cpu')
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
    def addmm(self, mat1: Tensor, mat2: Tensor, /, *, beta: typing.SupportsFloat | typing.SupportsIndex = 1.0, alpha: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> Tensor:
        """Computes ``beta * x + alpha * (mat1 @ mat2)`` in one pass; ``x`` is broadcast to the shape of the product.

        Parameters
        ----------
        mat1 : Tensor
            Left factor, of shape (n, k).
        mat2 : Tensor
            Right factor, of shape (k, m).
        beta : float, default 1.0
            Factor of ``x``.
        alpha : float, default 1.0
            Factor of the product.

        Returns
        -------
        Tensor
            Result of shape (n, m).

        Raises
        ------
        ValueError
            If the shapes cannot be broadcast to one shape.
        TypeError
            If the dtypes differ.

        Examples
        --------
        >>> rl.tensor([1.0, 2.0]).addmm(rl.ones((1, 3)), rl.ones((3, 2)))
        tensor([[4., 5.]], dtype=float32, device='cpu')
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
    def argsort(self, axis: typing.SupportsIndex = -1, descending: builtins.bool = False, *, stable: builtins.bool = True, dim: typing.SupportsIndex | None = None) -> Tensor:
        """Returns the indices that sort a tensor along an axis; NaN counts as the largest.

        Parameters
        ----------
        axis, dim : int, default -1
            Axis to work along; a negative one counts from the end. ``dim`` is PyTorch's name of the parameter.
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
        """
    def asin(self) -> Tensor:
        """Computes the arc sine in radians; NaN outside [-1, 1].

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
    def atanh(self) -> Tensor:
        """Computes the inverse hyperbolic tangent; NaN outside [-1, 1].

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
    def backward(self, gradient: Tensor | None = None, retain_graph: builtins.bool | None = None, create_graph: builtins.bool = False) -> None:
        """Computes gradients and adds them to ``.grad`` of every leaf that the tensor was computed from.

        The graph lives as long as the tensors computed by it, so ``backward`` can be called again.

        Parameters
        ----------
        gradient : Tensor, optional
            Gradient of the result with respect to this tensor, in its shape. Needed unless the tensor has one element.
        retain_graph : bool, optional
            Accepted for compatibility with PyTorch; the graph is always kept.
        create_graph : bool, default False
            Only False: gradients have no gradients themselves.

        Raises
        ------
        RuntimeError
            If the tensor does not require a gradient, or ``gradient`` is missing.
        NotImplementedError
            If ``create_graph=True``.

        Examples
        --------
        >>> x = rl.tensor([1.0, 2.0], requires_grad=True)
        >>> (x ** 2).sum().backward()
        >>> x.grad
        tensor([2., 4.], dtype=float32, device='cpu')
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
    @builtins.property
    def data(self) -> Tensor:
        """Elements without gradient history, over the same memory.

        Assigning replaces the elements. A leaf stays a leaf, and keeps its gradient if shape and dtype still match.

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
    def div(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes self / other, correctly rounded. Integers give the default float in Python; in Rust they truncate, and x / 0 is 0. PyTorch's name of ``divide``.

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
        >>> rl.tensor([1, 3]).div(rl.tensor([2, 2]))
        tensor([0.5000, 1.5000], dtype=float32, device='cpu')
        """
    def divide(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes self / other, correctly rounded. Integers give the default float in Python; in Rust they truncate, and x / 0 is 0.

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
        >>> rl.tensor([1, 3]).divide(rl.tensor([2, 2]))
        tensor([0.5000, 1.5000], dtype=float32, device='cpu')
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
    @builtins.property
    def dtype(self) -> DType:
        """Dtype of the elements.

        Examples
        --------
        >>> rl.ones(2).dtype
        rushlight.float32
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
    def flip(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
        """Reverses the order of elements along axes.

        Parameters
        ----------
        axis : int or tuple of int, optional
            Axes to reverse; all of them by default. ``dim`` is PyTorch's name.

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
        >>> rl.tensor([1, 2, 3]).flip()
        tensor([3, 2, 1], dtype=int64, device='cpu')
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
    def index_add(self, dim: typing.SupportsIndex, index: Tensor, source: Tensor) -> Tensor:
        """Returns a copy with entries of ``source`` added along a dimension at indices.

        Parameters
        ----------
        dim : int
            Dimension to index; a negative one counts from the end.
        index : Tensor
            Indices, of an integer dtype. Negative ones of a signed dtype count from the end.
        source : Tensor
            Entries to add, one for each index.

        Returns
        -------
        Tensor
            Copy of the tensor with the entries added.

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
        >>> rl.zeros(3).index_add(0, rl.tensor([2, 2]), rl.tensor([5.0, 7.0]))
        tensor([ 0.,  0., 12.], dtype=float32, device='cpu')
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
        """Tells where an element is +inf or -inf; never for integers.

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
        """Tells where an element is NaN; never for integers.

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
    def log(self) -> Tensor:
        """Computes the natural logarithm; NaN below 0, -inf at 0.

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
    def log_softmax(self, dim: typing.SupportsIndex | None = None, *, axis: typing.SupportsIndex | None = None) -> Tensor:
        """Computes the logarithm of the softmax along an axis, accurate where the softmax underflows.

        Parameters
        ----------
        dim, axis : int
            Dimension along which the results add up to 1. A negative one counts from the end.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.
        IndexError
            If the axis is out of range.

        Examples
        --------
        >>> rl.tensor([1.0, 2.0, 3.0]).log_softmax(dim=0)
        tensor([-2.4076, -1.4076, -0.4076], dtype=float32, device='cpu')
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
    def matmul(self, other: Tensor, /) -> Tensor:
        """Multiplies by a matrix over the last two dimensions; the other dimensions are broadcast.

        Parameters
        ----------
        other : Tensor
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
    def max(self, dim: typing.SupportsIndex, keepdim: builtins.bool = False) -> ValuesIndices:
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
    def min(self, dim: typing.SupportsIndex, keepdim: builtins.bool = False) -> ValuesIndices:
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
    def mul(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes self * other; integers wrap. PyTorch's name of ``multiply``.

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
        >>> rl.tensor([1, 2]).mul(rl.tensor([10, 20]))
        tensor([10, 40], dtype=int64, device='cpu')
        """
    def multiply(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes self * other; integers wrap.

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
        >>> rl.tensor([1, 2]).multiply(rl.tensor([10, 20]))
        tensor([10, 40], dtype=int64, device='cpu')
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
    def pow(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes self to the power other; integers wrap, and a negative exponent truncates the fraction.

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
    def reciprocal(self) -> Tensor:
        """Computes 1 / x, correctly rounded.

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
    def round(self) -> Tensor:
        """Rounds to the nearest integer, halves to even. The gradient is 0.

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
    def scatter(self, dim: typing.SupportsIndex, index: Tensor, src: Tensor | builtins.complex) -> Tensor:
        """Returns a copy with elements written at indices: ``out[i, index[i, j]] = src[i, j]`` along dimension 1.

        Of equal indices the last one wins.

        Parameters
        ----------
        dim : int
            Dimension to index; a negative one counts from the end.
        index : Tensor
            Indices, of an integer dtype. Negative ones of a signed dtype count from the end.
        src : Tensor or number
            Values to write; a tensor has at least the shape of ``index``.

        Returns
        -------
        Tensor
            Copy of the tensor with these elements replaced.

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
        >>> rl.zeros(3).scatter(0, rl.tensor([2, 0]), rl.tensor([5.0, 7.0]))
        tensor([7., 0., 5.], dtype=float32, device='cpu')
        """
    def scatter_add(self, dim: typing.SupportsIndex, index: Tensor, src: Tensor | builtins.complex) -> Tensor:
        """Returns a copy with elements added at indices: ``out[i, index[i, j]] += src[i, j]`` along dimension 1.

        Parameters
        ----------
        dim : int
            Dimension to index; a negative one counts from the end.
        index : Tensor
            Indices, of an integer dtype. Negative ones of a signed dtype count from the end.
        src : Tensor or number
            Values to add; a tensor has at least the shape of ``index``.

        Returns
        -------
        Tensor
            Copy of the tensor with the values added.

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
        >>> rl.zeros(3).scatter_add(0, rl.tensor([2, 2]), rl.tensor([5.0, 7.0]))
        tensor([ 0.,  0., 12.], dtype=float32, device='cpu')
        """
    @builtins.property
    def shape(self) -> builtins.tuple[builtins.int, ...]:
        """Sizes of the dimensions, as a tuple.

        Examples
        --------
        >>> rl.ones((2, 3)).shape
        (2, 3)
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
    @builtins.property
    def size(self) -> builtins.int:
        """Number of elements.

        Examples
        --------
        >>> rl.ones((2, 3)).size
        6
        """
    def softmax(self, dim: typing.SupportsIndex | None = None, *, axis: typing.SupportsIndex | None = None) -> Tensor:
        """Computes the softmax, ``exp(x) / sum(exp(x))``, along an axis.

        Parameters
        ----------
        dim, axis : int
            Dimension along which the results add up to 1. A negative one counts from the end.

        Returns
        -------
        Tensor
            Result in the shape of the tensor.

        Raises
        ------
        TypeError
            If the dtype is not supported.
        IndexError
            If the axis is out of range.

        Examples
        --------
        >>> rl.tensor([1.0, 2.0, 3.0]).softmax(dim=0)
        tensor([0.0900, 0.2447, 0.6652], dtype=float32, device='cpu')
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
    def sort(self, *, axis: typing.SupportsIndex, descending: builtins.bool = False, stable: builtins.bool = True) -> Tensor:
        """Sorts elements along an axis. The order of equal elements is kept, and NaN counts as the largest.

        Parameters
        ----------
        dim : int, default -1
            Axis to sort along. The result is the pair ``(values, indices)``, as in PyTorch.
        descending : bool, default False
            Whether to sort from the largest element to the smallest.
        stable : bool, default True
            Accepted for compatibility; sorting is always stable.
        axis : int, optional
            Axis to sort along, under NumPy's name. The result is the sorted tensor.

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
        axis : int, optional
            Axis to sort along, under NumPy's name. The result is the sorted tensor.

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
    def sqrt(self) -> Tensor:
        """Computes the square root, correctly rounded; NaN below 0.

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
    def std(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *position: builtins.int, keepdims: builtins.bool | None = None, correction: typing.SupportsFloat | typing.SupportsIndex | None = None, ddof: typing.SupportsFloat | typing.SupportsIndex | None = None, dtype: DType | builtins.str | None = None, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Computes the standard deviation over axes, with the divisor n - correction.

        Parameters
        ----------
        axis, dim : int or tuple of int, optional
            Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        correction : float, default 0.0
            Subtracted from the number of elements in the divisor; 1 gives the unbiased estimate. ``ddof`` is NumPy's name.
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
    def sub(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes self - other; integers wrap. PyTorch's name of ``subtract``.

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
        >>> rl.tensor([1, 2]).sub(rl.tensor([10, 20]))
        tensor([ -9, -18], dtype=int64, device='cpu')
        """
    def subtract(self, other: Tensor | builtins.complex, /) -> Tensor:
        """Computes self - other; integers wrap.

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
        >>> rl.tensor([1, 2]).subtract(rl.tensor([10, 20]))
        tensor([ -9, -18], dtype=int64, device='cpu')
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
    def take(self, indices: Tensor, /, axis: typing.SupportsIndex | None = None, *, dim: typing.SupportsIndex | None = None) -> Tensor:
        """Selects entries along an axis by indices of any shape.

        Parameters
        ----------
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
            If ``axis`` is missing and the tensor is not a vector.

        Examples
        --------
        >>> rl.tensor([10, 20, 30]).take(rl.tensor([2, 0]))
        tensor([30, 10], dtype=int64, device='cpu')
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
    def to(self, *args: typing.Any, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, copy: builtins.bool = False) -> Tensor:
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
    def tril(self, diagonal: typing.SupportsIndex | None = None, *, k: typing.SupportsIndex | None = None) -> Tensor:
        """Returns the lower triangle of the last two dimensions, with zeros above a diagonal.

        Parameters
        ----------
        diagonal : int, default 0
            Diagonal: 0 is the main one, positive ones lie above it. ``k`` is the array API's name.

        Returns
        -------
        Tensor
            New tensor in the shape of the tensor.

        Raises
        ------
        ValueError
            If the tensor has fewer than two dimensions.

        Examples
        --------
        >>> rl.ones((2, 3)).tril()
        tensor([[1., 0., 0.],
                [1., 1., 0.]], dtype=float32, device='cpu')
        """
    def triu(self, diagonal: typing.SupportsIndex | None = None, *, k: typing.SupportsIndex | None = None) -> Tensor:
        """Returns the upper triangle of the last two dimensions, with zeros below a diagonal.

        Parameters
        ----------
        diagonal : int, default 0
            Diagonal: 0 is the main one, positive ones lie above it. ``k`` is the array API's name.

        Returns
        -------
        Tensor
            New tensor in the shape of the tensor.

        Raises
        ------
        ValueError
            If the tensor has fewer than two dimensions.

        Examples
        --------
        >>> rl.ones((2, 3)).triu()
        tensor([[1., 1., 1.],
                [0., 1., 1.]], dtype=float32, device='cpu')
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
    def unsqueeze(self, dim: typing.SupportsIndex, /) -> Tensor:
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
    def var(self, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *position: builtins.int, keepdims: builtins.bool | None = None, correction: typing.SupportsFloat | typing.SupportsIndex | None = None, ddof: typing.SupportsFloat | typing.SupportsIndex | None = None, dtype: DType | builtins.str | None = None, out: Tensor | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
        """Computes the variance over axes, with the divisor n - correction.

        Parameters
        ----------
        axis, dim : int or tuple of int, optional
            Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
        keepdims, keepdim : bool, default False
            Whether the reduced axes stay, with size 1.
        correction : float, default 0.0
            Subtracted from the number of elements in the divisor; 1 gives the unbiased estimate. ``ddof`` is NumPy's name.
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
]

def _avg_pool1d(x: Tensor, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], count_include_pad: builtins.bool, /) -> Tensor:
    """Mean of each window of (n, c, l)."""

def _avg_pool2d(x: Tensor, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], count_include_pad: builtins.bool, /) -> Tensor:
    """Mean of each window of (n, c, h, w)."""

def _avg_pool3d(x: Tensor, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], count_include_pad: builtins.bool, /) -> Tensor:
    """Mean of each window of (n, c, d, h, w)."""

def _batch_norm(x: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None, bias: Tensor | None, training: builtins.bool, momentum: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, /) -> Tensor:
    """Normalization of each channel of (n, c, ..) by the batch or by running statistics, which the batch moves in place."""

def _conv1d(x: Tensor, weight: Tensor, bias: Tensor | None, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], groups: builtins.int, /) -> Tensor:
    """Cross-correlation of (n, c, l) with (o, c / groups, k), plus a bias of shape (o,)."""

def _conv2d(x: Tensor, weight: Tensor, bias: Tensor | None, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], groups: builtins.int, /) -> Tensor:
    """Cross-correlation of (n, c, h, w) with (o, c / groups, kh, kw), plus a bias of shape (o,)."""

def _conv3d(x: Tensor, weight: Tensor, bias: Tensor | None, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], groups: builtins.int, /) -> Tensor:
    """Cross-correlation of (n, c, d, h, w) with (o, c / groups, kd, kh, kw), plus a bias of shape (o,)."""

def _conv_transpose1d(x: Tensor, weight: Tensor, bias: Tensor | None, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], groups: builtins.int, output_padding: builtins.int | collections.abc.Sequence[builtins.int], /) -> Tensor:
    """Transposed convolution of (n, c, l) with (c, o / groups, k), plus a bias of shape (o,)."""

def _conv_transpose2d(x: Tensor, weight: Tensor, bias: Tensor | None, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], groups: builtins.int, output_padding: builtins.int | collections.abc.Sequence[builtins.int], /) -> Tensor:
    """Transposed convolution of (n, c, h, w) with (c, o / groups, kh, kw), plus a bias of shape (o,)."""

def _conv_transpose3d(x: Tensor, weight: Tensor, bias: Tensor | None, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], groups: builtins.int, output_padding: builtins.int | collections.abc.Sequence[builtins.int], /) -> Tensor:
    """Transposed convolution of (n, c, d, h, w) with (c, o / groups, kd, kh, kw), plus a bias of shape (o,)."""

def _cross_entropy(x: Tensor, target: Tensor, weight: Tensor | None, ignore_index: typing.SupportsIndex, reduction: builtins.str, label_smoothing: typing.SupportsFloat | typing.SupportsIndex, /) -> Tensor:
    """Cross-entropy of logits with class indices: x is (n, c, ..), target (n, ..), weight (c,)."""

def _cuda_search(folder: builtins.str | os.PathLike[builtins.str], /) -> None:
    """A folder where CUDA's libraries are looked for, too."""

def _deform_conv2d(x: Tensor, offset: Tensor, weight: Tensor, bias: Tensor | None, mask: Tensor | None, stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], dilation: builtins.int | collections.abc.Sequence[builtins.int], /) -> Tensor:
    """Convolution of windows sampled at positions."""

def _device_count(kind: builtins.str, /) -> builtins.int:
    """Number of devices of a kind (``"rocm"`` or ``"cuda"``) that can be opened."""

def _dropout(input: Tensor, p: typing.SupportsFloat | typing.SupportsIndex, training: builtins.bool, /) -> Tensor:
    """In training, zeros in place of elements with probability ``p`` and the others over ``1 - p``; else the tensor itself."""

def _dtype(name: DType | builtins.str, /) -> DType:
    """The dtype of a name."""

def _embedding(input: Tensor, weight: Tensor, /) -> Tensor:
    """Rows of a table, one for each id."""

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

def _gpu_warm(kind: builtins.str, index: typing.SupportsIndex, ops: collections.abc.Sequence[builtins.str], dtypes: collections.abc.Sequence[DType | builtins.str], report: typing.Any, /) -> builtins.dict[builtins.str, typing.Any]:
    """Compiles the kernels of ops and dtypes (none: all) ahead. `report` is called with steps done, all steps, the last one's name and
    kernels compiled. Gives the folder that keeps them and the numbers.
    """

def _grid_sample(x: Tensor, grid: Tensor, mode: builtins.str, padding_mode: builtins.str, unit: builtins.str, /) -> Tensor:
    """Images sampled at positions."""

def _group_norm(x: Tensor, groups: builtins.int, weight: Tensor | None, bias: Tensor | None, eps: typing.SupportsFloat | typing.SupportsIndex, /) -> Tensor:
    """Mean 0 and variance 1 over each group of channels of (n, c, ..), times ``weight`` plus ``bias`` of shape (c,)."""

def _grouped_matmul(a: Tensor, b: Tensor, offs: Tensor, /) -> Tensor:
    """Products of groups."""

def _instance_norm(x: Tensor, running_mean: Tensor, running_var: Tensor, weight: Tensor | None, bias: Tensor | None, momentum: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, /) -> Tensor:
    """Normalization of each channel of each sample of (n, c, ..), which moves running statistics in place."""

def _layer_norm(x: Tensor, dims: builtins.int, weight: Tensor | None, bias: Tensor | None, eps: typing.SupportsFloat | typing.SupportsIndex, /) -> Tensor:
    """Mean 0 and variance 1 over the last ``dims`` axes, times ``weight`` plus ``bias``."""

def _load_npy(path: builtins.str | os.PathLike[builtins.str], device: Device | builtins.str | None, /) -> Tensor:
    """The tensor of an npy file."""

def _load_npz(path: builtins.str | os.PathLike[builtins.str], device: Device | builtins.str | None, /) -> builtins.dict[builtins.str, Tensor]:
    """The tensors of an npz file by name, in the file's order."""

def _load_pth(path: builtins.str | os.PathLike[builtins.str], device: Device | builtins.str | None, key: builtins.str | None, /) -> builtins.dict[builtins.str, Tensor]:
    """The tensors of a pth file by name; ``key`` names the entry that holds them."""

def _max_pool1d(x: Tensor, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], /) -> Tensor:
    """Maximum of each window of (n, c, l)."""

def _max_pool2d(x: Tensor, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], /) -> Tensor:
    """Maximum of each window of (n, c, h, w)."""

def _max_pool3d(x: Tensor, kernel_size: builtins.int | collections.abc.Sequence[builtins.int], stride: builtins.int | collections.abc.Sequence[builtins.int], padding: builtins.int | collections.abc.Sequence[builtins.int], /) -> Tensor:
    """Maximum of each window of (n, c, d, h, w)."""

def _nll_loss(x: Tensor, target: Tensor, weight: Tensor | None, ignore_index: typing.SupportsIndex, reduction: builtins.str, /) -> Tensor:
    """Negative log-likelihood of class indices: x is (n, c, ..), target (n, ..), weight (c,)."""

def _one_hot(x: Tensor, num_classes: builtins.int, /) -> Tensor:
    """Returns rows with 1 at the index that each value gives and 0 elsewhere, in a new last dimension; int64."""

def _pad(x: Tensor, pads: builtins.int | collections.abc.Sequence[builtins.int], mode: builtins.str, value: builtins.complex | None, /) -> Tensor:
    """Elements added at the ends of axes."""

def _promote(*values: typing.Any) -> DType:
    """The dtype that tensors, dtypes and Python numbers meet in."""

def _rebuild(data: builtins.bytes, dtype: DType | builtins.str, shape: builtins.int | collections.abc.Sequence[builtins.int], device: Device | builtins.str, requires_grad: builtins.bool, /) -> Tensor:
    """A pickled tensor."""

def _rms_norm(x: Tensor, dims: builtins.int, weight: Tensor | None, eps: typing.SupportsFloat | typing.SupportsIndex, /) -> Tensor:
    """Mean square 1 over the last ``dims`` axes, times ``weight``."""

def _rocm_compile(index: typing.SupportsIndex, source: builtins.str, name: builtins.str, options: collections.abc.Sequence[builtins.str], /) -> _RocmKernel:
    """Compiles HIP source for an AMD GPU and finds a kernel in it."""

def _rocm_folders() -> builtins.list[builtins.str]:
    """The folders that AMD's libraries are looked for in, in order."""

def _rocm_loaded() -> builtins.str | None:
    """The HIP library that the process has loaded, if it has; nothing is looked for."""

def _samples() -> builtins.list[typing.Any]:
    """Returns every sample of every op that has a function here: name, operands, attributes, result."""

def _save_npy(path: builtins.str | os.PathLike[builtins.str], tensor: Tensor, /) -> None:
    """Writes a tensor to an npy file."""

def _save_npz(path: builtins.str | os.PathLike[builtins.str], names: collections.abc.Sequence[builtins.str], tensors: collections.abc.Sequence[Tensor], /) -> None:
    """Writes named tensors to an npz file."""

def _set_grad_enabled(enabled: builtins.bool, /) -> builtins.bool:
    """Switches recording on this thread; gives the state before."""

def _settings_problems() -> builtins.list[builtins.str]:
    """Returns a sentence for each environment variable of Rushlight that is invalid or unknown."""

def _signatures() -> builtins.list[typing.Any]:
    """Returns the signatures of the functions and methods, for the stub: whether it is a method, its name, its parameters (name, kind,
    type, default), the type of its result, and its documentation.
    """

def _supports(op: builtins.str, dtype: DType | builtins.str, device: Device | builtins.str, grad: builtins.bool, /) -> builtins.bool:
    """Whether a device runs an op on a dtype, and gives a gradient for it."""

def _upsample_linear(x: Tensor, size: builtins.int | collections.abc.Sequence[builtins.int] | None, scale: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex] | None, align_corners: builtins.bool, /) -> Tensor:
    """Resized by linear interpolation."""

def _upsample_nearest(x: Tensor, size: builtins.int | collections.abc.Sequence[builtins.int] | None, scale: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex] | None, /) -> Tensor:
    """Resized by the nearest element."""

def abs(x: Tensor, /) -> Tensor:
    """Computes the absolute value; its gradient at 0 is 0.

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
    >>> rl.abs(rl.tensor([-3, 2]))
    tensor([3, 2], dtype=int64, device='cpu')
    """

def acos(x: Tensor, /) -> Tensor:
    """Computes the arc cosine in radians; NaN outside [-1, 1].

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
    >>> rl.acos(rl.tensor([0.0, 1.0]))
    tensor([1.5708, 0.0000], dtype=float32, device='cpu')
    """

def acosh(x: Tensor, /) -> Tensor:
    """Computes the inverse hyperbolic cosine; NaN below 1.

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
    >>> rl.acosh(rl.tensor([1.0, 2.0]))
    tensor([0.0000, 1.3170], dtype=float32, device='cpu')
    """

def adam_step(param: Tensor, grad: Tensor, exp_avg: Tensor, exp_avg_sq: Tensor, /, *, step: typing.SupportsIndex, lr: typing.SupportsFloat | typing.SupportsIndex, beta1: typing.SupportsFloat | typing.SupportsIndex, beta2: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, weight_decay: typing.SupportsFloat | typing.SupportsIndex) -> None:
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
        Number of the step; the first is 1.
    lr : float
        Learning rate.
    beta1 : float
        Decay of the running mean of gradients.
    beta2 : float
        Decay of the running mean of squared gradients.
    eps : float
        Added to the denominator.
    weight_decay : float
        Factor of the weight decay.

    Raises
    ------
    ValueError
        If the shapes differ.
    TypeError
        If the dtypes differ.

    Examples
    --------
    >>> w, m, v = rl.tensor([1.0]), rl.zeros(1), rl.zeros(1)
    >>> how = dict(step=1, lr=0.1, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0)
    >>> rl.adam_step(w, rl.tensor([2.0]), m, v, **how)
    >>> w
    tensor([0.9000], dtype=float32, device='cpu')
    """

def adamw_step(param: Tensor, grad: Tensor, exp_avg: Tensor, exp_avg_sq: Tensor, /, *, step: typing.SupportsIndex, lr: typing.SupportsFloat | typing.SupportsIndex, beta1: typing.SupportsFloat | typing.SupportsIndex, beta2: typing.SupportsFloat | typing.SupportsIndex, eps: typing.SupportsFloat | typing.SupportsIndex, weight_decay: typing.SupportsFloat | typing.SupportsIndex) -> None:
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
        Number of the step; the first is 1.
    lr : float
        Learning rate.
    beta1 : float
        Decay of the running mean of gradients.
    beta2 : float
        Decay of the running mean of squared gradients.
    eps : float
        Added to the denominator.
    weight_decay : float
        Factor of the weight decay.

    Raises
    ------
    ValueError
        If the shapes differ.
    TypeError
        If the dtypes differ.

    Examples
    --------
    >>> w, m, v = rl.tensor([1.0]), rl.zeros(1), rl.zeros(1)
    >>> how = dict(step=1, lr=0.1, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0)
    >>> rl.adamw_step(w, rl.tensor([2.0]), m, v, **how)
    >>> w
    tensor([0.9000], dtype=float32, device='cpu')
    """

def add(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Computes x1 + x2; integers wrap.

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
        Input, of any dtype.
    mat1 : Tensor
        Left factor, of shape (n, k).
    mat2 : Tensor
        Right factor, of shape (k, m).
    beta : float, default 1.0
        Factor of ``x``.
    alpha : float, default 1.0
        Factor of the product.

    Returns
    -------
    Tensor
        Result of shape (n, m).

    Raises
    ------
    ValueError
        If the shapes cannot be broadcast to one shape.
    TypeError
        If the dtypes differ.

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

def arange(start: builtins.complex, /, stop: builtins.complex | None = None, step: builtins.complex = ..., *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
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
    device : Device or str, default "cpu"
        Device of the result.
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

def argsort(x: Tensor, /, axis: typing.SupportsIndex = -1, descending: builtins.bool = False, *, stable: builtins.bool = True, dim: typing.SupportsIndex | None = None) -> Tensor:
    """Returns the indices that sort a tensor along an axis; NaN counts as the largest.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    axis, dim : int, default -1
        Axis to work along; a negative one counts from the end. ``dim`` is PyTorch's name of the parameter.
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
        Device of the result; that of ``obj`` by default.
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
    """Computes the arc sine in radians; NaN outside [-1, 1].

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
    >>> rl.asin(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5708], dtype=float32, device='cpu')
    """

def asinh(x: Tensor, /) -> Tensor:
    """Computes the inverse hyperbolic sine.

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
    >>> rl.asinh(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8814], dtype=float32, device='cpu')
    """

def atan(x: Tensor, /) -> Tensor:
    """Computes the arc tangent in radians.

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
    """Computes the inverse hyperbolic tangent; NaN outside [-1, 1].

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
    >>> rl.atanh(rl.tensor([0.0, 0.5]))
    tensor([0.0000, 0.5493], dtype=float32, device='cpu')
    """

def bernoulli(input: Tensor, p: typing.SupportsFloat | typing.SupportsIndex | None = None) -> Tensor:
    """Draws ones with given probabilities, and zeros otherwise.

    Parameters
    ----------
    input : Tensor
        Probabilities, of a floating-point dtype. With ``p`` it only gives shape, dtype and device.
    p : float, optional
        One probability for all elements.

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

def concat(arrays: collections.abc.Sequence[Tensor], /, axis: typing.SupportsIndex | None = ..., *, dim: typing.SupportsIndex | None = None) -> Tensor:
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

def cos(x: Tensor, /) -> Tensor:
    """Computes the cosine of an angle in radians.

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
    >>> rl.cos(rl.tensor([0.0, 1.0]))
    tensor([1.0000, 0.5403], dtype=float32, device='cpu')
    """

def cosh(x: Tensor, /) -> Tensor:
    """Computes the hyperbolic cosine.

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
    """Computes x1 / x2, correctly rounded. Integers give the default float in Python; in Rust they truncate, and x / 0 is 0.

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

def empty(shape: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Returns a tensor of unspecified values.

    Parameters
    ----------
    shape : int or sequence of int
        Shape of the result, as one sequence or as separate integers.
    dtype : DType or str, default float32
        Dtype of the result.
    device : Device or str, default "cpu"
        Device of the result.
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
    DeviceError
        If the device is missing or fails.

    Examples
    --------
    >>> rl.empty((1, 2)).shape
    (1, 2)
    """

def empty_cache() -> None:
    """Returns memory that is kept for reuse to the system.

    Examples
    --------
    >>> rl.empty_cache()
    >>> rl.memory_stats()['cached']
    0
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

def exp(x: Tensor, /) -> Tensor:
    """Computes e^x.

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
    >>> rl.expm1(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 1.7183], dtype=float32, device='cpu')
    """

def eye(n_rows: builtins.int, n_cols: builtins.int | None = None, /, *, k: typing.SupportsIndex = 0, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
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
    device : Device or str, default "cpu"
        Device of the result.
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

def flatten(x: Tensor, /, start_dim: typing.SupportsIndex = 0, end_dim: typing.SupportsIndex = ...) -> Tensor:
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

def flip(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None) -> Tensor:
    """Reverses the order of elements along axes.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype.
    axis : int or tuple of int, optional
        Axes to reverse; all of them by default. ``dim`` is PyTorch's name.

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
    device : Device or str, default "cpu"
        Device of the result.
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
        Input, of any dtype but a complex one.

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
    """Tells where an element is +inf or -inf; never for integers.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but a complex one.

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
    """Tells where an element is NaN; never for integers.

    Parameters
    ----------
    x : Tensor
        Input, of any dtype but a complex one.

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

def linspace(start: builtins.complex, stop: builtins.complex, /, num: builtins.int, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, endpoint: builtins.bool = True, requires_grad: builtins.bool = False) -> Tensor:
    """Returns evenly spaced numbers over an interval.

    Parameters
    ----------
    start : number
        First number.
    stop : number
        End of the interval.
    num : int
        How many numbers.
    dtype : DType or str, default float32
        Dtype of the result.
    device : Device or str, default "cpu"
        Device of the result.
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
        If an argument is complex.

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
    """Computes the natural logarithm; NaN below 0, -inf at 0.

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
    >>> rl.log(rl.tensor([1.0, 10.0]))
    tensor([0.0000, 2.3026], dtype=float32, device='cpu')
    """

def log10(x: Tensor, /) -> Tensor:
    """Computes the logarithm to base 10.

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
    >>> rl.log10(rl.tensor([1.0, 1000.0]))
    tensor([0., 3.], dtype=float32, device='cpu')
    """

def log1p(x: Tensor, /) -> Tensor:
    """Computes log(1 + x), exact near 0.

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
    >>> rl.log1p(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 0.6931], dtype=float32, device='cpu')
    """

def log2(x: Tensor, /) -> Tensor:
    """Computes the logarithm to base 2.

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
        Input, of any dtype but a complex one.

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
        Input, of a floating-point dtype. Integers and bools are computed in float32.
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

def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Multiplies matrices over the last two dimensions; the other dimensions are broadcast.

    A vector on the left is a row, one on the right a column; that dimension is removed from the result.

    Parameters
    ----------
    x1 : Tensor
        Left factor, of shape (.., n, k) or (k,).
    x2 : Tensor
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
        Input, of a floating-point dtype; integers and bools are computed in float32.
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
    >>> rl.multiply(rl.tensor([1, 2]), rl.tensor([10, 20]))
    tensor([10, 40], dtype=int64, device='cpu')
    """

def negative(x: Tensor, /) -> Tensor:
    """Computes -x; integers wrap.

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

def ones(shape: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Returns a tensor of ones.

    Parameters
    ----------
    shape : int or sequence of int
        Shape of the result, as one sequence or as separate integers.
    dtype : DType or str, default float32
        Dtype of the result.
    device : Device or str, default "cpu"
        Device of the result.
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
    """Computes x1 to the power x2; integers wrap, and a negative exponent truncates the fraction.

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
        Input, of an integer or floating-point dtype.
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

def rand(shape: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Draws random numbers, uniformly from [0, 1).

    Parameters
    ----------
    shape : int or sequence of int
        Shape of the result, as one sequence or as separate integers.
    dtype : DType or str, default float32
        Dtype of the result.
    device : Device or str, default "cpu"
        Device of the result.
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
    DeviceError
        If the device is missing or fails.

    Examples
    --------
    >>> rl.rand(2, 3).shape
    (2, 3)
    """

def randint(low: builtins.int, high: typing.Any | None = None, size: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None) -> Tensor:
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
    device : Device or str, default "cpu"
        Device of the result.

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

def randn(shape: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Draws random numbers from the standard normal distribution.

    Parameters
    ----------
    shape : int or sequence of int
        Shape of the result, as one sequence or as separate integers.
    dtype : DType or str, default float32
        Dtype of the result.
    device : Device or str, default "cpu"
        Device of the result.
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
    DeviceError
        If the device is missing or fails.

    Examples
    --------
    >>> rl.randn(2, 3).shape
    (2, 3)
    """

def reciprocal(x: Tensor, /) -> Tensor:
    """Computes 1 / x, correctly rounded.

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

def round(x: Tensor, /) -> Tensor:
    """Rounds to the nearest integer, halves to even. The gradient is 0.

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
    >>> rl.round(rl.tensor([0.5, 1.5, 1.7]))
    tensor([0., 2., 2.], dtype=float32, device='cpu')
    """

def rsqrt(x: Tensor, /) -> Tensor:
    """Computes 1 / sqrt(x).

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

def sgd_step(param: Tensor, grad: Tensor, buffer: Tensor | None, /, *, lr: typing.SupportsFloat | typing.SupportsIndex, momentum: typing.SupportsFloat | typing.SupportsIndex, dampening: typing.SupportsFloat | typing.SupportsIndex, weight_decay: typing.SupportsFloat | typing.SupportsIndex, nesterov: builtins.bool, first: builtins.bool) -> None:
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
        Factor of the momentum buffer.
    dampening : float
        Reduction of the gradient that enters the buffer.
    weight_decay : float
        Factor of the L2 penalty.
    nesterov : bool
        Whether to use Nesterov momentum.
    first : bool
        Whether this is the first step, which fills the buffer.

    Raises
    ------
    ValueError
        If the shapes differ.
    TypeError
        If the dtypes differ.

    Examples
    --------
    >>> w = rl.tensor([1.0])
    >>> rl.sgd_step(w, rl.tensor([2.0]), None, lr=0.1, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False, first=True)
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
    >>> rl.sin(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8415], dtype=float32, device='cpu')
    """

def sinh(x: Tensor, /) -> Tensor:
    """Computes the hyperbolic sine.

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
def sort(x: Tensor, /, *, axis: typing.SupportsIndex | None = None, descending: builtins.bool = False, stable: builtins.bool = True) -> Tensor:
    """Sorts elements along an axis. The order of equal elements is kept, and NaN counts as the largest.

    Parameters
    ----------
    x : Tensor
        Input of rank 1 or more.
    axis : int, default -1
        Axis to sort along. The result is the sorted tensor.
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
        If the axis is given by position.

    Examples
    --------
    >>> rl.sort(rl.tensor([3, 1, 2]))
    tensor([1, 2, 3], dtype=int64, device='cpu')
    >>> rl.sort(rl.tensor([3, 1, 2]), dim=0).indices
    tensor([1, 2, 0], dtype=int64, device='cpu')
    """
@typing.overload
def sort(x: Tensor, /, *, dim: typing.SupportsIndex, descending: builtins.bool = False, stable: builtins.bool = True) -> ValuesIndices:
    """Sorts elements along an axis. The order of equal elements is kept, and NaN counts as the largest.

    Parameters
    ----------
    x : Tensor
        Input of rank 1 or more.
    axis : int, default -1
        Axis to sort along. The result is the sorted tensor.
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
        If the axis is given by position.

    Examples
    --------
    >>> rl.sort(rl.tensor([3, 1, 2]))
    tensor([1, 2, 3], dtype=int64, device='cpu')
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
    """Computes the square root, correctly rounded; NaN below 0.

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
    >>> rl.sqrt(rl.tensor([2.0, 9.0]))
    tensor([1.4142, 3.0000], dtype=float32, device='cpu')
    """

def square(x: Tensor, /) -> Tensor:
    """Computes x * x; integers wrap.

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

def std(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *position: builtins.int, keepdims: builtins.bool | None = None, correction: typing.SupportsFloat | typing.SupportsIndex | None = 0.0, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Computes the standard deviation over axes, with the divisor n - correction.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype. Integers and bools are computed in float32.
    axis, dim : int or tuple of int, optional
        Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.
    correction : float, default 0.0
        Subtracted from the number of elements in the divisor; 1 gives the unbiased estimate.

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

def subtract(x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Computes x1 - x2; integers wrap.

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
    >>> rl.subtract(rl.tensor([1, 2]), rl.tensor([10, 20]))
    tensor([ -9, -18], dtype=int64, device='cpu')
    """

def sum(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdims: builtins.bool | None = None, *, dtype: DType | builtins.str | None = None, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Sums elements over axes; integers are summed in 64 bits.

    Parameters
    ----------
    x : Tensor
        Input, of an integer or floating-point dtype.
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
    >>> rl.tan(rl.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5574], dtype=float32, device='cpu')
    """

def tanh(x: Tensor, /) -> Tensor:
    """Computes the hyperbolic tangent.

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
    device : Device or str, default "cpu"
        Device of the result.
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
    diagonal : int, default 0
        Diagonal: 0 is the main one, positive ones lie above it. ``k`` is the array API's name.

    Returns
    -------
    Tensor
        New tensor in the shape of ``x``.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions.

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
    diagonal : int, default 0
        Diagonal: 0 is the main one, positive ones lie above it. ``k`` is the array API's name.

    Returns
    -------
    Tensor
        New tensor in the shape of ``x``.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions.

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

def upsample_bilinear2d(x: Tensor, size: builtins.int | collections.abc.Sequence[builtins.int] | None, scale: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex] | None, align_corners: builtins.bool, /) -> Tensor:
    """Resizes the last two axes by linear interpolation along both.

    Parameters
    ----------
    x : Tensor
        Input of shape (n, c, h, w), of a floating-point dtype.
    size : sequence of int or None
        New height and width. Either this or ``scale`` is None.
    scale : sequence of float or None
        Factors of the height and width; results are rounded down.
    align_corners : bool
        Whether the corner elements keep their positions.

    Returns
    -------
    Tensor
        Resized tensor.

    Raises
    ------
    ValueError
        If not exactly one of ``size`` and ``scale`` is given, or a number is missing.

    Examples
    --------
    >>> rl.upsample_bilinear2d(rl.ones((1, 1, 2, 2)), (3, 3), None, True).shape
    (1, 1, 3, 3)
    """

def upsample_nearest1d(x: Tensor, size: builtins.int | collections.abc.Sequence[builtins.int] | None, scale: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex] | None, /) -> Tensor:
    """Resizes the last axis; each new element copies the nearest old one.

    Parameters
    ----------
    x : Tensor
        Input of shape (n, c, l), of a floating-point dtype.
    size : sequence of int or None
        New length. Either this or ``scale`` is None.
    scale : sequence of float or None
        Factors of the length; results are rounded down.

    Returns
    -------
    Tensor
        Resized tensor.

    Raises
    ------
    ValueError
        If not exactly one of ``size`` and ``scale`` is given, or a number is missing.

    Examples
    --------
    >>> rl.upsample_nearest1d(rl.tensor([[[1.0, 2.0]]]), (4,), None)
    tensor([[[1., 1., 2., 2.]]], dtype=float32, device='cpu')
    """

def upsample_nearest2d(x: Tensor, size: builtins.int | collections.abc.Sequence[builtins.int] | None, scale: collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex] | None, /) -> Tensor:
    """Resizes the last two axes; each new element copies the nearest old one.

    Parameters
    ----------
    x : Tensor
        Input of shape (n, c, h, w), of a floating-point dtype.
    size : sequence of int or None
        New height and width. Either this or ``scale`` is None.
    scale : sequence of float or None
        Factors of the height and width; results are rounded down.

    Returns
    -------
    Tensor
        Resized tensor.

    Raises
    ------
    ValueError
        If not exactly one of ``size`` and ``scale`` is given, or a number is missing.

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

def var(x: Tensor, /, axis: builtins.int | collections.abc.Sequence[builtins.int] | None = None, *position: builtins.int, keepdims: builtins.bool | None = None, correction: typing.SupportsFloat | typing.SupportsIndex | None = 0.0, dim: builtins.int | collections.abc.Sequence[builtins.int] | None = None, keepdim: builtins.bool | None = None) -> Tensor:
    """Computes the variance over axes, with the divisor n - correction.

    Parameters
    ----------
    x : Tensor
        Input, of a floating-point dtype. Integers and bools are computed in float32.
    axis, dim : int or tuple of int, optional
        Axes to reduce; negative ones count from the end. All axes by default. ``dim`` is PyTorch's name of the parameter.
    keepdims, keepdim : bool, default False
        Whether the reduced axes stay, with size 1.
    correction : float, default 0.0
        Subtracted from the number of elements in the divisor; 1 gives the unbiased estimate.

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

def where(condition: Tensor, x1: Tensor | builtins.complex, x2: Tensor | builtins.complex, /) -> Tensor:
    """Selects elements of two tensors by a condition.

    Parameters
    ----------
    condition : Tensor
        Condition, of dtype bool.
    x1 : Tensor or number
        Elements where the condition is True.
    x2 : Tensor or number
        Elements where it is False.

    Returns
    -------
    Tensor
        Result in the common dtype of ``x1`` and ``x2``, in the common shape of all three.

    Raises
    ------
    ValueError
        If the shapes cannot be broadcast to one shape.
    TypeError
        If the condition is not of dtype bool.

    Examples
    --------
    >>> x = rl.tensor([-1, 2])
    >>> rl.where(x > 0, x, 0)
    tensor([0, 2], dtype=int64, device='cpu')
    """

def zeros(shape: builtins.int | collections.abc.Sequence[builtins.int], *more: builtins.int, dtype: DType | builtins.str | None = None, device: Device | builtins.str | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Returns a tensor of zeros.

    Parameters
    ----------
    shape : int or sequence of int
        Shape of the result, as one sequence or as separate integers.
    dtype : DType or str, default float32
        Dtype of the result.
    device : Device or str, default "cpu"
        Device of the result.
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
