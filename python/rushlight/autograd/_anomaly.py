"""Errors at the first gradient that is not a number."""

from __future__ import annotations

from rushlight._native import _set_detect_anomalies

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class set_detect_anomaly:
    """Sets whether gradients are checked for NaN: immediately, or as a context manager until the block ends.

    Parameters
    ----------
    mode
        Whether ``backward`` on this thread ends with an error at the first op whose gradient has a NaN.
    check_nan
        With False gradients are not checked for NaN.

    Examples
    --------
    >>> import rushlight as rl
    >>> with rl.autograd.set_detect_anomaly(False):
    ...     pass
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._mode = mode and check_nan
        self._before = _set_detect_anomalies(self._mode)

    def __enter__(self) -> None:
        _set_detect_anomalies(self._mode)

    def __exit__(self, *error: object) -> None:
        _set_detect_anomalies(self._before)


class detect_anomaly(set_detect_anomaly):
    """A context manager in which ``backward`` ends with an error at the first op whose gradient has a NaN.

    The error names the op. The host reads each gradient, so this is slow.

    Parameters
    ----------
    check_nan
        Whether gradients are checked for NaN.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor(0.0, requires_grad=True)
    >>> with rl.autograd.detect_anomaly():
    ...     try:
    ...         (rl.sqrt(x) * 0.0).backward()
    ...     except RuntimeError as error:
    ...         print(error)
    sqrt: its gradient has a NaN (found because detect_anomaly is on)
    """

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__(True, check_nan)
