"""Python's own `multiprocessing` under PyTorch's name; tensors travel between processes as copies."""

from multiprocessing import *  # noqa: F403
from multiprocessing import Pipe, Pool, Process, Queue, get_context, set_start_method

__all__ = ["Pipe", "Pool", "Process", "Queue", "get_context", "set_start_method"]
