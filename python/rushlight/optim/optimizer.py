"""The base of optimizers: parameter groups, state, and saving both."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any, ClassVar, TypeAlias

from rushlight import _core as rl
from rushlight._hooks import Functions, RemovableHandle
from rushlight._native import Tensor
from rushlight.sparse import COOTensor

from ._rows import Group, Row, RowUpdates

__all__ = ["Group", "Optimizer", "Params", "Row"]

Params: TypeAlias = Iterable[Tensor] | Iterable[Mapping[str, Any]] | Iterable[tuple[str, Tensor]]

# Settings that a state of an earlier version may lack.
_OPTIONAL = {"capturable", "decoupled_weight_decay", "differentiable", "foreach", "fused", "maximize"}


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """Call an optimizer's hooks around its `step`; once, where a step calls that of its base class."""

    @functools.wraps(step)
    def run(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        if self._stepping:
            return step(self, *args, **kwargs)
        self._stepping = True
        try:
            for hook in self._pre_hooks:
                changed = hook(self, args, kwargs)
                if changed is not None:
                    if not (isinstance(changed, tuple) and len(changed) == 2):
                        name = type(self).__name__
                        raise TypeError(
                            f"{name}.step: a pre hook returns None or (args, kwargs), got {changed!r}"
                        )
                    args, kwargs = changed
            result = step(self, *args, **kwargs)
            for hook in self._post_hooks:
                hook(self, args, kwargs)
            return result
        finally:
            self._stepping = False

    return run


class Optimizer(RowUpdates):
    """The base of optimizers, which update parameters from their gradients.

    Parameters
    ----------
    params
        Tensors that require a gradient, pairs of a name and a tensor (``model.named_parameters()``), or
        groups: mappings with the key ``"params"`` and settings that differ from `defaults`.
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
        By parameter (the tensor itself): a dict of the values that the next step needs, empty at first.

    Notes
    -----
    A custom optimizer overrides `step`, reads ``self.param_groups`` and keeps values in ``self.state[p]``:
    `state_dict` and `load_state_dict` then save and restore them.

    Examples
    --------
    >>> import rushlight as rl
    >>> model = rl.nn.Linear(2, 1)
    >>> optimizer = rl.optim.SGD(model.parameters(), lr=0.1)
    >>> optimizer.param_groups[0]["lr"]
    0.1
    """

    # Further settings that are numbers of at least 0.
    _numbers: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in vars(cls):
            cls.step = _with_hooks(vars(cls)["step"])  # type: ignore[method-assign]

    def __init__(self, params: Params, defaults: Mapping[str, Any]) -> None:
        self.defaults = dict(defaults)
        self.param_groups: list[Group] = []
        self.state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        self._stepping = False
        self._pre_hooks, self._post_hooks = Functions(), Functions()
        self._save_pre_hooks, self._save_post_hooks = Functions(), Functions()
        self._load_pre_hooks, self._load_post_hooks = Functions(), Functions()
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

    def add_param_group(self, param_group: Mapping[str, Any]) -> None:
        """Adds parameters with their own settings.

        Parameters
        ----------
        param_group
            A mapping with the key ``"params"``, and settings that differ from the defaults. Further keys are
            kept in the group for the caller.

        Raises
        ------
        TypeError
            If it is not a mapping, or a setting is of another type.
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
        name, group = type(self).__name__, param_group
        if not isinstance(group, Mapping):
            raise TypeError(f"{name}: a group is a mapping, got {type(group).__name__}")
        if "params" not in group:
            raise ValueError(f"{name}: a group needs the key 'params'")
        params = group["params"]
        params = [params] if isinstance(params, Tensor) else list(params)
        extra: dict[str, Any] = {}
        if params and isinstance(params[0], tuple):
            extra["param_names"] = [pair[0] for pair in params]
            params = [pair[1] for pair in params]
        known = {id(p) for g in self.param_groups for p in g["params"]}
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(f"{name}: a parameter is a {type(param).__name__}, not a Tensor")
            if param.dtype.kind not in ("real floating", "complex floating"):
                raise TypeError(f"{name}: a parameter has dtype {param.dtype}; only floats have gradients")
            if not param.is_leaf:
                raise ValueError(f"{name}: a parameter is the result of an op; give leaves")
            if id(param) in known:
                raise ValueError(f"{name}: a parameter is given twice")
            known.add(id(param))
        full: Group = {**self.defaults, **group, **extra, "params": params}
        self._check(full)
        self.param_groups.append(full)

    def _check(self, group: Group) -> None:
        """Raise TypeError or ValueError if a group's settings make no sense."""
        name = type(self).__name__
        for key, why in (
            ("capturable", "a step reads its count on the host"),
            ("differentiable", "a step is not recorded"),
            *(() if "maximize" in self.defaults else (("maximize", "negate the loss"),)),
        ):
            if group.get(key):
                raise ValueError(f"{name}: {key}=True is not supported: {why}; leave it out")
        for key in ("lr", "weight_decay", "eps", "momentum", "dampening", *self._numbers):
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
                param.grad = None if set_to_none else rl.zeros_like(param.detach())

    @_with_hooks
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates every parameter that has a gradient, in place.

        Parameters
        ----------
        closure
            A function that computes the gradients anew and returns the loss.

        Returns
        -------
        Any
            The result of `closure`; None without one.

        Raises
        ------
        TypeError
            If `closure` is not a function.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.ones(1, requires_grad=True)
        >>> x.grad = rl.ones(1)
        >>> rl.optim.SGD([x], lr=0.25).step()
        >>> x.tolist()
        [0.75]
        """
        loss = None
        if closure is not None:
            if not callable(closure):
                kind = type(closure).__name__
                raise TypeError(f"{type(self).__name__}.step: closure is a function, got {kind} {closure!r}")
            with rl.enable_grad():
                loss = closure()
        with rl.no_grad():
            for group in self.param_groups:
                rows: list[Row] = []
                for p in group["params"]:
                    grad: Any = p.grad
                    if isinstance(grad, COOTensor):
                        self._update_sparse(group, p, grad, self.state[p])
                    elif grad is not None:
                        rows.append((p, grad, self.state[p]))
                self._update_all(group, rows)
        return loss

    def _update_all(self, group: Group, rows: list[Row]) -> None:
        """Update the parameters of a group; one by one, where a subclass does not override it."""
        uphill = group.get("maximize")
        for param, grad, state in rows:
            self._update(group, param, -grad if uphill else grad, state)

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
        for hook in self._save_pre_hooks:
            hook(self)
        groups: list[Group] = []
        numbers: dict[Tensor, int] = {}
        for group in self.param_groups:
            for param in group["params"]:
                numbers[param] = len(numbers)
            settings = {key: _copied(value) for key, value in group.items() if key != "params"}
            groups.append({**settings, "params": [numbers[param] for param in group["params"]]})
        state = {numbers.get(key, key): _copied(entry) for key, entry in self.state.items()}
        saved: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in self._save_post_hooks:
            changed = hook(self, saved)
            saved = saved if changed is None else changed
        return saved

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
        for hook in self._load_pre_hooks:
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
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
            unknown = sorted(map(str, set(theirs) - set(ours)))
            lacking = sorted(set(self.defaults) - set(theirs) - _OPTIONAL)
            if unknown and lacking:
                wrong.append(
                    f"group {i}: has {', '.join(unknown)} and lacks {', '.join(lacking)}, as a state of "
                    "another optimizer"
                )
        loaded: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        for key, entry in state.items():
            if isinstance(key, str) and not key.isdecimal() and not self._shaped:
                loaded[key] = _copied(entry)  # A custom optimizer's value that is not a parameter's.
                continue
            # Keys of a JSON file are texts.
            number = int(key) if str(key).isdecimal() else -1
            if not 0 <= number < len(params) or not isinstance(entry, Mapping):
                wrong.append(f"state of parameter {key!r}: there are {len(params)}, each with a dict")
                continue
            param = params[number]
            for item, value in entry.items():
                shaped = isinstance(value, Tensor) and value.ndim and item in self._shaped
                if shaped and value.shape != param.shape:
                    wrong.append(
                        f"state {item!r} of parameter {number}: shape {value.shape} "
                        f"where the parameter has {param.shape}"
                    )
            loaded[param] = _loaded(entry, param)
        if wrong:
            text = "\n  ".join(wrong)
            raise ValueError(f"load_state_dict for {name}:\n  {text}")
        merged = [
            {**ours, **_copied(theirs), "params": ours["params"]}
            for ours, theirs in zip(self.param_groups, groups, strict=True)
        ]
        for group in merged:
            self._check(group)
        self.param_groups, self.state = merged, loaded
        for hook in self._load_post_hooks:
            hook(self)

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers a function that is called before every `step`.

        Parameters
        ----------
        hook
            The function: ``hook(optimizer, args, kwargs)``; it returns None, or the pair of arguments to use.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` ends the calls.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)])
        >>> handle = optimizer.register_step_pre_hook(lambda optimizer, args, kwargs: print("before"))
        >>> optimizer.step()
        before
        """
        return self._pre_hooks.add(hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers a function that is called after every `step`.

        Parameters
        ----------
        hook
            The function: ``hook(optimizer, args, kwargs)``.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` ends the calls.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)])
        >>> handle = optimizer.register_step_post_hook(lambda optimizer, args, kwargs: print("after"))
        >>> optimizer.step()
        after
        """
        return self._post_hooks.add(hook)

    def register_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Registers a function that is called before `state_dict` collects.

        Parameters
        ----------
        hook
            The function: ``hook(optimizer)``.
        prepend
            Whether it is called before the hooks that are registered already.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` ends the calls.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)])
        >>> handle = optimizer.register_state_dict_pre_hook(lambda optimizer: print("saving"))
        >>> _ = optimizer.state_dict()
        saving
        """
        return self._save_pre_hooks.add(hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Registers a function that is called with the result of `state_dict`.

        Parameters
        ----------
        hook
            The function: ``hook(optimizer, state_dict)``; it returns None, or the dict to use.
        prepend
            Whether it is called before the hooks that are registered already.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` ends the calls.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)])
        >>> handle = optimizer.register_state_dict_post_hook(lambda optimizer, saved: {**saved, "note": 1})
        >>> optimizer.state_dict()["note"]
        1
        """
        return self._save_post_hooks.add(hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Registers a function that is called with the dict that `load_state_dict` gets.

        Parameters
        ----------
        hook
            The function: ``hook(optimizer, state_dict)``; it returns None, or the dict to use.
        prepend
            Whether it is called before the hooks that are registered already.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` ends the calls.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)])
        >>> handle = optimizer.register_load_state_dict_pre_hook(lambda optimizer, saved: print("loading"))
        >>> optimizer.load_state_dict(optimizer.state_dict())
        loading
        """
        return self._load_pre_hooks.add(hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Registers a function that is called after `load_state_dict`.

        Parameters
        ----------
        hook
            The function: ``hook(optimizer)``.
        prepend
            Whether it is called before the hooks that are registered already.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` ends the calls.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)])
        >>> handle = optimizer.register_load_state_dict_post_hook(lambda optimizer: print("loaded"))
        >>> optimizer.load_state_dict(optimizer.state_dict())
        loaded
        """
        return self._load_post_hooks.add(hook, prepend)

    def __repr__(self) -> str:
        lines = []
        for i, group in enumerate(self.param_groups):
            settings = ", ".join(f"{k}={v}" for k, v in group.items() if k != "params")
            lines.append(f"  group {i}: {len(group['params'])} parameters, {settings}")
        return f"{type(self).__name__}(\n" + "\n".join(lines) + "\n)"


def alike(rows: list[Row], key: Callable[[dict[str, Any]], Any]) -> Iterable[tuple[Any, list[Row]]]:
    """Return the rows grouped by a key of their states: each group is updated in few launches."""
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row[2]), []).append(row)
    return groups.items()


def _copied(value: Any, like: Tensor | None = None) -> Any:
    """A copy of a value with copies of the tensors in it; with `like`, on its device and in its dtype."""
    if isinstance(value, Tensor):
        copy = value.detach().clone()
        if like is None:
            return copy
        floats = rl.isdtype(value.dtype, "real floating") and rl.isdtype(like.dtype, "real floating")
        return copy.to(device=like.device, dtype=like.dtype) if floats else copy.to(device=like.device)
    if isinstance(value, Mapping):
        return {key: _copied(entry, like) for key, entry in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_copied(entry, like) for entry in value)
    return value


def _loaded(entry: Mapping[str, Any], like: Tensor) -> dict[str, Any]:
    """A parameter's loaded state. PyTorch counts steps in a tensor, which becomes a number."""
    out = _copied(entry, like)
    for key in ("step", "mu_product", "eta", "mu"):
        if isinstance(entry.get(key), Tensor) and entry[key].size == 1:
            number = entry[key].item()
            out[key] = int(number) if key == "step" else number
    return dict(out)
