"""Functions that run before and after a module's state is saved or loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight._hooks import Functions, RemovableHandle

from ._tree import ModuleTree

__all__ = ["StateHookedTree"]


class StateHookedTree(ModuleTree):
    """The part of `Module` that registers hooks of `state_dict` and `load_state_dict`."""

    _save_before: Functions
    _save_after: Functions
    _load_before: Functions
    _load_after: Functions

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers a function that `state_dict` calls before it collects this module's tensors.

        Parameters
        ----------
        hook
            Called as ``hook(module, prefix, keep_vars)``; its result is not used.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` removes the hook.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.Linear(1, 1))
        >>> handle = net[0].register_state_dict_pre_hook(lambda module, prefix, keep: print(prefix))
        >>> len(net.state_dict())
        0.
        2
        """
        return self._save_before.add(hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers a function that `state_dict` calls with the tensors of this module and those below it.

        Parameters
        ----------
        hook
            Called as ``hook(module, state_dict, prefix, local_metadata)``. It changes the dict and returns
            None; the last argument is an empty dict.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` removes the hook.

        Examples
        --------
        >>> import rushlight as rl
        >>> layer = rl.nn.Linear(1, 1)
        >>> def no_bias(module, state_dict, prefix, local_metadata):
        ...     del state_dict[prefix + "bias"]
        >>> handle = layer.register_state_dict_post_hook(no_bias)
        >>> list(layer.state_dict())
        ['weight']
        """
        return self._save_after.add(hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers a function that `load_state_dict` calls before it looks for this module's values.

        Parameters
        ----------
        hook
            Called as ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys,
            unexpected_keys, error_msgs)``. It may change the dict, a copy of the caller's, and append to the
            three lists; ``local_metadata`` is an empty dict. A module is called before its children.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` removes the hook.

        Examples
        --------
        >>> import rushlight as rl
        >>> layer = rl.nn.Linear(1, 1, bias=False)
        >>> def renamed(module, state_dict, prefix, *more):
        ...     state_dict[prefix + "weight"] = state_dict.pop(prefix + "w")
        >>> handle = layer.register_load_state_dict_pre_hook(renamed)
        >>> result = layer.load_state_dict({"w": [[2.0]]})
        >>> layer.weight.item()
        2.0
        """
        return self._load_before.add(hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers a function that `load_state_dict` calls when the values are loaded.

        Parameters
        ----------
        hook
            Called as ``hook(module, incompatible_keys)`` with the lists ``missing_keys`` and
            ``unexpected_keys``, which it may change; it returns None. A module is called after its children.
            An error for missing or unexpected keys comes after the hooks, when values are loaded already.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` removes the hook.

        Examples
        --------
        >>> import rushlight as rl
        >>> layer = rl.nn.Linear(1, 1)
        >>> handle = layer.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
        >>> layer.load_state_dict({"weight": [[2.0]]}).missing_keys
        []
        """
        return self._load_after.add(hook)
