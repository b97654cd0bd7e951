"""PyTorch's module for several GPUs, which runs on one device here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .module import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """Runs a module on its own device; a batch is not divided among several GPUs.

    Parameters
    ----------
    module
        The module, in whose state dict keys begin with ``module.``.
    device_ids
        Numbers of GPUs or devices, at most one.
    output_device, dim
        Accepted as in PyTorch, without effect.

    Raises
    ------
    ValueError
        If several devices are named.

    Examples
    --------
    >>> import rushlight as rl
    >>> model = rl.nn.DataParallel(rl.nn.Linear(2, 1))
    >>> model(rl.ones(3, 2)).shape, list(model.state_dict())
    ((3, 1), ['module.weight', 'module.bias'])
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        if device_ids is not None and len(device_ids) > 1:
            raise ValueError(
                f"DataParallel: the module runs on one device, and {len(device_ids)} are named; "
                "leave out device_ids"
            )
        self.module = module
        self.device_ids, self.output_device, self.dim = device_ids, output_device, dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Calls the module.

        Parameters
        ----------
        *inputs, **kwargs
            Its arguments.

        Returns
        -------
        object
            Its result.
        """
        return self.module(*inputs, **kwargs)
