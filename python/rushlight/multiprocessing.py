"""Python's own `multiprocessing` under PyTorch's name; tensors travel between processes as copies."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing import Pipe, Pool, Process, Queue, get_context, set_start_method

__all__ = ["Pipe", "Pool", "Process", "Queue", "get_context", "set_start_method"]


def __getattr__(name: str) -> Any:
    # Imported at the first use, so that programs of one process do not pay for it.
    import multiprocessing

    return getattr(multiprocessing, name)
