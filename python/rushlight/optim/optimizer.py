"""The base of optimizers: parameter groups, state, and saving both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, TypeAlias

from rushlight import _core as rl
from rushlight._native import Tensor

__all__ = ["Group", "Optimizer", "Params"]

Group: TypeAlias = dict[str, Any]
Params: TypeAlias = Iterable[Tensor] | Iterable[Mapping[str, Any]]


class Optimizer:
    """The base of optimizers, which update parameters from their gradients.

    Parameters
    ----------
    params
        Tensors that require a gradient, or groups: mappings with the key ``"params"`` and
        settings that differ from `defaults`.
    defaults
        Settings of a group that does not name its own.

    Raises
    ------
    TypeError, ValueError
        If `params` holds something else than tensors or groups, or a setting is out of range.

    Attributes
    ----------
    param_groups
        Groups with all their settings; changing ``group["lr"]`` takes effect at the next step.
    state
        Per parameter, by its index over all groups: the values that the next step needs.

    Examples
    --------
    >>> import rushlight as rl
    >>> model = rl.nn.Linear(2, 1)
    >>> optimizer = rl.optim.SGD(model.parameters(), lr=0.1)
    >>> optimizer.param_groups[0]["lr"]
    0.1
    """

    def __init__(self, params: Params, defaults: Mapping[str, Any]) -> None:
        self.defaults = dict(defaults)
        self.param_groups: list[Group] = []
        self.state: dict[int, dict[str, Any]] = {}
        name = type(self).__name__
        if isinstance(params, Tensor):
            raise TypeError(f"{name}: params is one tensor; give an iterable of them")
        if hasattr(params, "parameters"):
            kind = type(params).__name__
            raise TypeError(f"{name}: params is a module ({kind}); give its tensors: {name}(m.parameters())")
        if not isinstance(params, Iterable):
            raise TypeError(
                f"{name}: params is an iterable of Tensors or groups, got {type(params).__name__}"
            )
        entries: list[Any] = list(params)
        if not entries:
            raise ValueError(f"{name}: no parameters given")
        if isinstance(entries[0], Mapping):
            for group in entries:
                self.add_param_group(group)
        else:
            self.add_param_group({"params": entries})

    def add_param_group(self, group: Mapping[str, Any]) -> None:
        """Adds parameters with their own settings.

        Parameters
        ----------
        group
            A mapping with the key ``"params"``, and settings that differ from the defaults.

        Raises
        ------
        TypeError
            If it is not a mapping, or a setting is unknown or of another type.
        ValueError
            If a parameter is given twice or is the result of an op, or a setting is out of range.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=0.1)
        >>> optimizer.add_param_group({"params": rl.zeros(2, requires_grad=True), "lr": 0.5})
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.1, 0.5]
        """
        name = type(self).__name__
        if not isinstance(group, Mapping):
            raise TypeError(f"{name}: a group is a mapping, got {type(group).__name__}")
        if "params" not in group:
            raise ValueError(f"{name}: a group needs the key 'params'")
        unknown = [key for key in group if key != "params" and key not in self.defaults]
        if unknown:
            raise TypeError(f"{name}: unknown settings {', '.join(map(str, unknown))}")
        params = group["params"]
        params = [params] if isinstance(params, Tensor) else list(params)
        known = {id(p) for g in self.param_groups for p in g["params"]}
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(f"{name}: a parameter is a {type(param).__name__}, not a Tensor")
            if not param.is_leaf:
                raise ValueError(f"{name}: a parameter is the result of an op; give leaves")
            if id(param) in known:
                raise ValueError(f"{name}: a parameter is given twice")
            known.add(id(param))
        full: Group = {**self.defaults, **group, "params": params}
        self._check(full)
        self.param_groups.append(full)

    def _check(self, group: Group) -> None:
        """Raise TypeError or ValueError if a group's settings make no sense."""
        name = type(self).__name__
        for key in ("lr", "weight_decay", "eps", "momentum", "dampening"):
            if key in group:
                self._number(key, group[key])
                if key != "dampening" and not group[key] >= 0:
                    raise ValueError(f"{name}: {key} {group[key]} is negative or NaN")
        if "betas" in group:
            betas = group["betas"]
            if not isinstance(betas, (tuple, list)) or len(betas) != 2:
                raise TypeError(f"{name}: betas are two numbers, got {betas!r}")
            for beta in betas:
                self._number("beta", beta)
                if not 0 <= beta < 1:
                    raise ValueError(f"{name}: beta {beta} is not in [0, 1)")

    def _number(self, key: str, value: Any) -> None:
        if not isinstance(value, (Real, Tensor)):
            raise TypeError(f"{type(self).__name__}: {key} is a number, got {type(value).__name__} {value!r}")

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drops the gradients, or fills them with zeros.

        Parameters
        ----------
        set_to_none
            Whether ``grad`` becomes None instead of zeros.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.ones(1, requires_grad=True)
        >>> (x * x).sum().backward()
        >>> rl.optim.SGD([x]).zero_grad()
        >>> x.grad is None
        True
        """
        for group in self.param_groups:
            for param in group["params"]:
                if param.grad is None:
                    continue
                param.grad = None if set_to_none else rl.zeros_like(param.grad)

    def step(self) -> None:
        """Updates every parameter that has a gradient, in place.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.ones(1, requires_grad=True)
        >>> x.grad = rl.ones(1)
        >>> rl.optim.SGD([x], lr=0.25).step()
        >>> x.tolist()
        [0.75]
        """
        with rl.no_grad():
            number = 0
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        state = self.state.setdefault(number, {})
                        self._update(group, param, param.grad, state)
                    number += 1

    def _update(self, group: Group, param: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no _update()")

    def state_dict(self) -> dict[str, Any]:
        """Returns state and settings, with the parameters replaced by their indices.

        Returns
        -------
        dict
            ``{"state": .., "param_groups": ..}``. The tensors are copies: a later step does not change them.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=0.1)
        >>> optimizer.state_dict()["param_groups"][0]["params"]
        [0]
        """
        groups, start = [], 0
        for group in self.param_groups:
            count = len(group["params"])
            settings = {key: value for key, value in group.items() if key != "params"}
            groups.append({**settings, "params": list(range(start, start + count))})
            start += count
        state = {number: _copied(entry) for number, entry in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes over the state that `state_dict` returned for the same parameters.

        Parameters
        ----------
        state_dict
            The dict; tensors are copied to the device and dtype of their parameters.

        Raises
        ------
        TypeError
            If it is not a mapping.
        ValueError
            If keys are missing, or groups, parameters or shapes do not fit; the message names every
            misfit, and nothing has changed.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.zeros(1, requires_grad=True)
        >>> saved = rl.optim.SGD([x], lr=0.1).state_dict()
        >>> optimizer = rl.optim.SGD([x])
        >>> optimizer.load_state_dict(saved)
        >>> optimizer.param_groups[0]["lr"]
        0.1
        """
        name = type(self).__name__
        what = f"{name}.load_state_dict takes what state_dict() returned"
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"{what}, got {type(state_dict).__name__}")
        lacking = [key for key in ("param_groups", "state") if key not in state_dict]
        if lacking:
            raise ValueError(f"{what}; {' and '.join(map(repr, lacking))} is not in it")
        groups, state = state_dict["param_groups"], state_dict["state"]
        grouped = isinstance(groups, (list, tuple)) and all(
            isinstance(group, Mapping) and "params" in group for group in groups
        )
        if not grouped or not isinstance(state, Mapping):
            raise ValueError(f"{what}; its state is a dict, and each of its groups has the key 'params'")
        params = [p for group in self.param_groups for p in group["params"]]
        wrong: list[str] = []
        if len(groups) != len(self.param_groups):
            wrong.append(f"{len(groups)} groups where the optimizer has {len(self.param_groups)}")
        for i, (theirs, ours) in enumerate(zip(groups, self.param_groups, strict=False)):
            if len(theirs["params"]) != len(ours["params"]):
                wrong.append(
                    f"group {i}: {len(theirs['params'])} parameters "
                    f"where the optimizer has {len(ours['params'])}"
                )
            unknown = sorted(set(theirs) - set(ours))
            if unknown:
                wrong.append(f"group {i}: unknown settings {', '.join(unknown)}")
        loaded: dict[int, dict[str, Any]] = {}
        for key, entry in state.items():
            # Keys of a JSON file are texts.
            number = int(key) if str(key).isdecimal() else -1
            if not 0 <= number < len(params) or not isinstance(entry, Mapping):
                wrong.append(f"state of parameter {key!r}: there are {len(params)}, each with a dict")
                continue
            param = params[number]
            for item, value in entry.items():
                if isinstance(value, Tensor) and value.ndim and value.shape != param.shape:
                    wrong.append(
                        f"state {item!r} of parameter {number}: shape {value.shape} "
                        f"where the parameter has {param.shape}"
                    )
            loaded[number] = _copied(entry, param)
        if wrong:
            text = "\n  ".join(wrong)
            raise ValueError(f"load_state_dict for {name}:\n  {text}")
        merged = [
            {**ours, **theirs, "params": ours["params"]}
            for ours, theirs in zip(self.param_groups, groups, strict=True)
        ]
        for group in merged:
            self._check(group)
        self.param_groups, self.state = merged, loaded

    def __repr__(self) -> str:
        lines = []
        for i, group in enumerate(self.param_groups):
            settings = ", ".join(f"{k}={v}" for k, v in group.items() if k != "params")
            lines.append(f"  group {i}: {len(group['params'])} parameters, {settings}")
        return f"{type(self).__name__}(\n" + "\n".join(lines) + "\n)"


def _copied(entry: Mapping[str, Any], like: Tensor | None = None) -> dict[str, Any]:
    """Copies of the tensors of a parameter's state, where the parameter is."""
    out: dict[str, Any] = {}
    for key, value in entry.items():
        if isinstance(value, Tensor):
            copy = value.detach().clone()
            out[key] = copy if like is None else copy.to(device=like.device, dtype=like.dtype)
        else:
            out[key] = value
    return out
