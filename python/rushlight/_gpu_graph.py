"""Graphs of GPUs, which `rushlight.rocm` and `rushlight.cuda` share."""

from __future__ import annotations

from types import TracebackType

from ._native import Device, _GpuGraph

__all__ = ["GpuGraph", "graph"]


class GpuGraph:
    """Work of a GPU that is recorded once and then launched as a whole.

    Record with `graph`, launch with `replay`. A replay repeats the recorded work on the same memory: it reads
    tensors that existed before the capture, and overwrites those that were made in it. All numbers of the
    host are those of the capture.

    Parameters
    ----------
    device
        The GPU.

    Examples
    --------
    >>> import rushlight as rl
    >>> if rl.rocm.is_available():
    ...     x = rl.zeros(3, device="rocm:0")
    ...     y = x + 1  # compiles the kernel
    ...     g = rl.rocm.Graph()
    ...     with rl.rocm.graph(g):
    ...         y = x + 1
    ...     _ = x.fill_(4.0)
    ...     g.replay()
    ...     assert y.tolist() == [5, 5, 5]
    """

    def __init__(self, device: str | Device) -> None:
        self._graph = _GpuGraph(device)

    def capture_begin(self) -> None:
        """Starts to record what this thread does on the GPU; `graph` calls it.

        Raises
        ------
        DeviceError
            If the device is not a GPU, is being captured, or the graph was captured before.

        Examples
        --------
        >>> import rushlight as rl
        >>> if rl.rocm.is_available():
        ...     g = rl.rocm.Graph()
        ...     g.capture_begin()
        ...     g.capture_end()
        """
        self._graph.begin()

    def capture_end(self) -> None:
        """Ends the recording; `graph` calls it.

        Raises
        ------
        DeviceError
            If no capture is under way, or another thread began it.

        Examples
        --------
        >>> import rushlight as rl
        >>> if rl.rocm.is_available():
        ...     g = rl.rocm.Graph()
        ...     g.capture_begin()
        ...     g.capture_end()
        """
        self._graph.end(True)

    def replay(self) -> None:
        """Queues the recorded work, as one launch.

        Raises
        ------
        DeviceError
            If nothing was recorded, or a capture is under way on the GPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> if rl.rocm.is_available():
        ...     g = rl.rocm.Graph()
        ...     with rl.rocm.graph(g):
        ...         pass
        ...     g.replay()
        """
        self._graph.replay()

    def reset(self) -> None:
        """Drops the recorded work; the memory goes with the last tensor that was made in the capture.

        Raises
        ------
        DeviceError
            If the graph is being captured.

        Examples
        --------
        >>> import rushlight as rl
        >>> if rl.rocm.is_available():
        ...     rl.rocm.Graph().reset()
        """
        self._graph.reset()

    @property
    def launches(self) -> int:
        """Number of kernels of this library that a replay runs."""
        return self._graph.launches()


class graph:
    """Records the work of a with statement in a graph.

    Run the same work once before, so that kernels are compiled and libraries are checked. The recorded work
    does not run in the statement: its results have no values before the first `GpuGraph.replay`. In the
    statement, reading a tensor on the host, making one from numbers of the host, random numbers and waiting
    raise DeviceError, and so does the use of the same GPU by another thread. After an exception nothing was
    recorded, and the GPU can be used.

    Parameters
    ----------
    cuda_graph
        The graph.
    pool
        Accepted for programs that were written for PyTorch: each graph has its own memory.
    stream
        None: a graph is recorded on the stream that the GPU's ops use.

    Raises
    ------
    TypeError
        If `cuda_graph` is not a graph.
    NotImplementedError
        If `stream` is not None.
    DeviceError
        See `GpuGraph.capture_begin` and `GpuGraph.capture_end`.

    Examples
    --------
    >>> import rushlight as rl
    >>> if rl.rocm.is_available():
    ...     x = rl.ones(3, device="rocm:0")
    ...     y = x * 2  # compiles the kernel
    ...     g = rl.rocm.Graph()
    ...     with rl.rocm.graph(g):
    ...         y = x * 2
    ...     g.replay()
    ...     assert y.tolist() == [2, 2, 2]
    """

    def __init__(self, cuda_graph: GpuGraph, pool: object = None, stream: object = None) -> None:
        if not isinstance(cuda_graph, GpuGraph):
            found = type(cuda_graph).__name__
            raise TypeError(f"graph: expected a rocm.Graph or a cuda.CUDAGraph, got {found}")
        if stream is not None:
            raise NotImplementedError(
                "graph: a graph is recorded on the stream that the GPU's ops use; leave `stream` out"
            )
        self._target = cuda_graph

    def __enter__(self) -> None:
        self._target.capture_begin()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._target._graph.end(kind is None)
