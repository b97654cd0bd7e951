"""L-BFGS, with a line search for the strong Wolfe conditions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from rushlight import _core as rl
from rushlight._native import Tensor

from .optimizer import Group, Optimizer, Params

__all__ = ["LBFGS"]

Measure: TypeAlias = Callable[[float], tuple[float, Tensor]]


class LBFGS(Optimizer):
    """The quasi-Newton method L-BFGS (Liu, Nocedal 1989), for full batches.

    A step calls its closure several times. The state holds up to `history_size` pairs of vectors of the size
    of all parameters, and each iteration reads a few numbers on the host.

    Parameters
    ----------
    params
        Tensors or one group, see `Optimizer`.
    lr
        The first length of each line, except the first iteration's, which is at most `lr`.
    max_iter
        Iterations of a step.
    max_eval
        Calls of the closure in a step; None means ``max_iter * 5 // 4``.
    tolerance_grad
        A step ends where no element of the gradient is larger.
    tolerance_change
        A step ends where parameters or loss change by less.
    history_size
        Number of pairs kept.
    line_search_fn
        None, or ``"strong_wolfe"``.

    Raises
    ------
    TypeError, ValueError
        If a setting is of another type or out of range, or there is more than one group.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([2.0, -1.0], requires_grad=True)
    >>> optimizer = rl.optim.LBFGS([x], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((x - 3.0) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> loss = optimizer.step(closure)
    >>> [round(value, 4) for value in x.tolist()]
    [3.0, 3.0]
    """

    def __init__(
        self,
        params: Params,
        lr: float = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "max_iter": max_iter,
                "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
                "tolerance_grad": tolerance_grad,
                "tolerance_change": tolerance_change,
                "history_size": history_size,
                "line_search_fn": line_search_fn,
            },
        )

    def _check(self, group: Group) -> None:
        super()._check(group)
        if self.param_groups and group["params"] is not self.param_groups[0]["params"]:
            raise ValueError("LBFGS: parameters in several groups are not supported; give one list")
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise ValueError(
                f"LBFGS: line_search_fn {group['line_search_fn']!r} is not None or 'strong_wolfe'"
            )

    def _flat_grad(self) -> Tensor:
        params = self.param_groups[0]["params"]
        return rl.concat([_flat(rl.zeros_like(p) if p.grad is None else p.grad) for p in params])

    def _move(self, starts: list[Tensor], direction: Tensor, length: float) -> None:
        """Set the parameters to their start plus a multiple of the direction."""
        offset = 0
        for param, start in zip(self.param_groups[0]["params"], starts, strict=True):
            part = direction[offset : offset + param.numel()].reshape(param.shape)
            param.copy_(start + part * length)
            offset += param.numel()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Runs up to `max_iter` iterations.

        Parameters
        ----------
        closure
            A function that zeroes the gradients, computes the loss, calls ``backward`` and returns the loss.

        Returns
        -------
        Any
            The closure's first result: the loss before the step.

        Raises
        ------
        TypeError
            If the closure is missing.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.tensor([2.0], requires_grad=True)
        >>> optimizer = rl.optim.LBFGS([x])
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = (x * x).sum()
        ...     loss.backward()
        ...     return loss
        >>> float(optimizer.step(closure))
        4.0
        """
        if closure is None:
            raise TypeError("LBFGS.step: a closure that computes the loss and its gradients is missing")
        with rl.no_grad():
            return self._iterate(closure)

    def _iterate(self, closure: Callable[[], Any]) -> Any:
        group = self.param_groups[0]
        params, lr = group["params"], float(group["lr"])
        state = self.state[params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)

        def evaluate() -> tuple[Any, float, Tensor]:
            with rl.enable_grad():
                result = closure()
            state["func_evals"] += 1
            return result, float(result), self._flat_grad()

        first, loss, grad = evaluate()
        begun = state["func_evals"]
        if _largest(grad) <= group["tolerance_grad"]:
            return first
        for count in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            direction = state["d"] = self._direction(state, grad)
            state["prev_flat_grad"], state["prev_loss"] = grad, loss
            before, slope = loss, _dot(grad, direction)
            length = min(1.0, 1.0 / float(rl.sum(rl.abs(grad)))) * lr if state["n_iter"] == 1 else lr
            state["t"] = length
            if slope > -group["tolerance_change"]:
                break
            starts = [p.detach().clone() for p in params]
            if group["line_search_fn"] is not None:

                def measure(
                    t: float, starts: list[Tensor] = starts, direction: Tensor = direction
                ) -> tuple[float, Tensor]:
                    self._move(starts, direction, t)
                    return evaluate()[1:]

                start = Point(0.0, loss, grad, slope)
                # Evaluations that are left; the first call of the closure counts, too.
                most = group["max_eval"] - (state["func_evals"] - begun + 1)
                found = _strong_wolfe(measure, length, direction, start, group["tolerance_change"], most)
                length, loss, grad = found.t, found.f, found.g
                state["t"] = length
                self._move(starts, direction, length)
            else:
                self._move(starts, direction, length)
                if count < group["max_iter"]:
                    _, loss, grad = evaluate()
            if (
                state["func_evals"] - begun + 1 >= group["max_eval"]
                or _largest(grad) <= group["tolerance_grad"]
                or _largest(direction * length) <= group["tolerance_change"]
                or abs(loss - before) < group["tolerance_change"]
            ):
                break
        return first

    def _direction(self, state: dict[str, Any], grad: Tensor) -> Tensor:
        """Return minus the gradient times the inverse Hessian that the last steps suggest."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1.0)
            return -grad
        y, s = grad - state["prev_flat_grad"], state["d"] * state["t"]
        curvature = _dot(y, s)
        changes, steps, inverse = state["old_dirs"], state["old_stps"], state["ro"]
        if curvature > 1e-10:
            if len(changes) == self.param_groups[0]["history_size"]:
                for kept in (changes, steps, inverse):
                    kept.pop(0)
            changes.append(y)
            steps.append(s)
            inverse.append(1.0 / curvature)
            state["H_diag"] = curvature / _dot(y, y)
        q: Tensor = -grad
        weights: list[float] = []
        for y, s, ro in zip(reversed(changes), reversed(steps), reversed(inverse), strict=True):
            weights.append(_dot(s, q) * ro)
            q = q - y * weights[-1]
        q = q * state["H_diag"]
        for y, s, ro, weight in zip(changes, steps, inverse, reversed(weights), strict=True):
            q = q + s * (weight - _dot(y, q) * ro)
        return q


class Point(NamedTuple):
    """A point of a line: its parameter, the loss, the gradient and the slope along the line."""

    t: float
    f: float
    g: Tensor
    slope: float


def _flat(x: Tensor) -> Tensor:
    return x.detach().reshape((-1,))


def _dot(a: Tensor, b: Tensor) -> float:
    return float(rl.sum(a * b))


def _largest(x: Tensor) -> float:
    return float(rl.max(rl.abs(x)))


def _minimum(a: Point, b: Point, bounds: tuple[float, float] | None = None) -> float:
    """Return where the cubic through two points with their slopes is least, within bounds."""
    low, high = bounds or (min(a.t, b.t), max(a.t, b.t))
    a, b = (a, b) if a.t <= b.t else (b, a)
    d1 = a.slope + b.slope - 3 * (a.f - b.f) / (a.t - b.t)
    square = d1 * d1 - a.slope * b.slope
    if square < 0:
        return (low + high) / 2
    d2 = math.sqrt(square)
    found = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    return min(max(found, low), high)


def _strong_wolfe(
    measure: Measure, t: float, direction: Tensor, start: Point, tolerance: float, most: int
) -> Point:
    """Return a point that satisfies the strong Wolfe conditions, or the best of `most` + 1."""
    c1, c2 = 1e-4, 0.9

    def at(t: float) -> Point:
        f, g = measure(t)
        return Point(t, f, g, _dot(g, direction))

    def too_high(p: Point) -> bool:
        return p.f > start.f + c1 * p.t * start.slope

    def flat(p: Point) -> bool:
        return abs(p.slope) <= -c2 * start.slope

    last, now, count = start, at(t), 0
    while True:
        if count == most:
            return min((start, now), key=lambda p: p.f)
        if too_high(now) or (count > 1 and now.f >= last.f):
            break
        if flat(now):
            return now
        if now.slope >= 0:
            break
        step = (now.t + 0.01 * (now.t - last.t), now.t * 10)
        last, now = now, at(_minimum(last, now, step))
        count += 1
    # Between `low`, the best so far, and `high` there is a point that fits.
    low, high = (last, now) if last.f <= now.f else (now, last)
    size = _largest(direction)
    slow = False
    while count < most and abs(high.t - low.t) * size >= tolerance:
        left, right = min(low.t, high.t), max(low.t, high.t)
        t = _minimum(low, high)
        margin = 0.1 * (right - left)
        if min(right - t, t - left) < margin:
            if slow or t >= right or t <= left:
                t = right - margin if abs(t - right) < abs(t - left) else left + margin
                slow = False
            else:
                slow = True
        else:
            slow = False
        now = at(t)
        count += 1
        if too_high(now) or now.f >= low.f:
            high = now
            if high.f < low.f:
                low, high = high, low
        else:
            if flat(now):
                return now
            if now.slope * (high.t - low.t) >= 0:
                high = low
            low = now
    return low
