"""Modules that hold parameters."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, SupportsIndex, overload

from rushlight._native import Tensor

from .module import Module
from .parameter import Parameter

__all__ = ["ParameterDict", "ParameterList"]


class ParameterList(Module):
    """A list whose tensors are registered as parameters. It has no `forward`.

    Parameters
    ----------
    values
        The initial values. A tensor becomes a `Parameter`; anything else is kept as it is.

    Examples
    --------
    >>> import rushlight as rl
    >>> weights = rl.nn.ParameterList([rl.ones((2, 2)), rl.zeros(2)])
    >>> len(weights), list(weights.state_dict())
    (2, ['0', '1'])
    """

    _tall = True

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        object.__setattr__(self, "_length", 0)
        self.extend(values or ())

    _length: int

    def _name(self, index: SupportsIndex) -> str:
        at = operator.index(index)
        if not -self._length <= at < self._length:
            raise IndexError(f"ParameterList: no value {at} among {self._length}")
        return str(at % self._length)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> ParameterList: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return getattr(self, self._name(index))

    def __setitem__(self, index: SupportsIndex, value: Any) -> None:
        setattr(self, self._name(index), _registered(value))

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, str(i)) for i in range(self._length))

    def __iadd__(self, values: Iterable[Any]) -> ParameterList:
        return self.extend(values)

    def append(self, value: Any) -> ParameterList:
        """Adds a value at the end.

        Parameters
        ----------
        value
            A tensor, which becomes a `Parameter`, or anything else.

        Returns
        -------
        ParameterList
            Itself.
        """
        setattr(self, str(self._length), _registered(value))
        object.__setattr__(self, "_length", self._length + 1)
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Adds values at the end.

        Parameters
        ----------
        values
            The values, in order.

        Returns
        -------
        ParameterList
            Itself.
        """
        for value in list(values):
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """Returns a line for each value.

        Returns
        -------
        str
            Text for the repr.
        """
        return "\n".join(f"({i}): {_shown(value)}" for i, value in enumerate(self))


class ParameterDict(Module):
    """A dict whose tensors are registered as parameters. It has no `forward`.

    Parameters
    ----------
    parameters
        The initial values: a mapping by name, or pairs of name and value. A tensor becomes a `Parameter`;
        anything else is kept as it is.

    Examples
    --------
    >>> import rushlight as rl
    >>> scales = rl.nn.ParameterDict({"left": rl.ones(2), "right": rl.zeros(2)})
    >>> scales["right"].requires_grad, sorted(scales.state_dict())
    (True, ['left', 'right'])
    """

    _tall = True

    def __init__(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None) -> None:
        super().__init__()
        object.__setattr__(self, "_names", {})
        if parameters is not None:
            self.update(parameters)

    _names: dict[str, None]

    def __getitem__(self, key: str) -> Any:
        if key not in self._names:
            raise KeyError(key)
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        if key not in self._names:
            self._check_name(key, self._names)
            self._names[key] = None
        setattr(self, key, _registered(value))

    def __delitem__(self, key: str) -> None:
        del self._names[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._names))

    def __contains__(self, key: object) -> bool:
        return key in self._names

    def __or__(self, other: ParameterDict) -> ParameterDict:
        made = self.copy()
        made.update(other)
        return made

    def __ior__(self, other: ParameterDict) -> ParameterDict:
        self.update(other)
        return self

    def copy(self) -> ParameterDict:
        """Returns another dict of the same parameters.

        Returns
        -------
        ParameterDict
            The dict.

        Examples
        --------
        >>> import rushlight as rl
        >>> scales = rl.nn.ParameterDict({"a": rl.ones(2)})
        >>> scales.copy()["a"] is scales["a"]
        True
        """
        return ParameterDict(self.items())

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Returns a value, after setting it if the name is new.

        Parameters
        ----------
        key
            The name.
        default
            The value for a new name.

        Returns
        -------
        object
            The value under the name.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.nn.ParameterDict().setdefault("a", rl.ones(2)).shape
        (2,)
        """
        if key not in self:
            self[key] = default
        return self[key]

    def get(self, key: str, default: Any = None) -> Any:
        """Returns a value, or a default.

        Parameters
        ----------
        key
            The name.
        default
            The result if the name is missing.

        Returns
        -------
        object
            The value.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.nn.ParameterDict().get("a") is None
        True
        """
        if key not in self:
            return default
        return self[key]

    def pop(self, key: str) -> Any:
        """Removes a value and returns it.

        Parameters
        ----------
        key
            Its name.

        Returns
        -------
        object
            The value.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.nn.ParameterDict({"a": rl.ones(2)}).pop("a").shape
        (2,)
        """
        found = self[key]
        del self[key]
        return found

    def popitem(self) -> tuple[str, Any]:
        """Removes the last value and returns it with its name.

        Returns
        -------
        tuple of (str, object)
            Name and value.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.nn.ParameterDict({"a": rl.ones(2)}).popitem()[0]
        'a'
        """
        key = list(self._names)[-1]
        return key, self.pop(key)

    def clear(self) -> None:
        """Removes every value.

        Examples
        --------
        >>> import rushlight as rl
        >>> scales = rl.nn.ParameterDict({"a": rl.ones(2)})
        >>> scales.clear()
        >>> len(scales)
        0
        """
        for key in list(self._names):
            del self[key]

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Returns a new dict with one value under each name.

        Parameters
        ----------
        keys
            The names.
        default
            The value of each.

        Returns
        -------
        ParameterDict
            The new dict.

        Examples
        --------
        >>> import rushlight as rl
        >>> list(rl.nn.ParameterDict().fromkeys(["a", "b"], rl.ones(2)))
        ['a', 'b']
        """
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> Iterable[str]:
        """Returns the names.

        Returns
        -------
        iterable of str
            In the order of registration.

        Examples
        --------
        >>> import rushlight as rl
        >>> list(rl.nn.ParameterDict({"a": rl.ones(2)}).keys())
        ['a']
        """
        return self._names.keys()

    def values(self) -> Iterable[Any]:
        """Returns the values.

        Returns
        -------
        iterable of object
            In the order of registration.

        Examples
        --------
        >>> import rushlight as rl
        >>> len(list(rl.nn.ParameterDict({"a": rl.ones(2)}).values()))
        1
        """
        return [self[key] for key in self]

    def items(self) -> Iterable[tuple[str, Any]]:
        """Returns the names with their values.

        Returns
        -------
        iterable of (str, object)
            In the order of registration.

        Examples
        --------
        >>> import rushlight as rl
        >>> [key for key, _ in rl.nn.ParameterDict({"a": rl.ones(2)}).items()]
        ['a']
        """
        return [(key, self[key]) for key in self]

    def update(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]] | ParameterDict) -> None:
        """Adds values, or replaces those of the same names.

        Parameters
        ----------
        parameters
            A mapping by name, or pairs of name and value.

        Examples
        --------
        >>> import rushlight as rl
        >>> scales = rl.nn.ParameterDict()
        >>> scales.update({"a": rl.ones(2)})
        >>> list(scales)
        ['a']
        """
        pairs = parameters if not isinstance(parameters, (Mapping, ParameterDict)) else parameters.items()
        for key, value in pairs:
            self[key] = value

    def extra_repr(self) -> str:
        """Returns a line for each value.

        Returns
        -------
        str
            Text for the repr.
        """
        return "\n".join(f"({key}): {_shown(value)}" for key, value in self.items())


def _registered(value: Any) -> Any:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _shown(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{type(value).__name__} containing: [{value.dtype} of shape {value.shape} ({value.device})]"
    return f"Object of type: {type(value).__name__}"
