"""Seeds of random generators: one per epoch, which a saved state can repeat."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from rushlight import _core as rl
from rushlight._native import Generator

_BITS = 2**63


class Seeds:
    """A sequence of seeds that depends on the first seed only.

    `generator` is None (the first seed comes from Rushlight's own numbers, so `manual_seed` decides it), a
    `Generator`, an int, a `random.Random`, a NumPy generator, or an object with ``initial_seed()``.
    """

    def __init__(self, name: str, generator: Any = None) -> None:
        self._seed: int | None = None
        self._count = 0
        if generator is None:
            return
        if isinstance(generator, int):
            self._seed = generator % _BITS
        elif isinstance(generator, Generator):
            self._seed = int(rl.randint(0, _BITS, (), device="cpu", generator=generator))
        elif isinstance(generator, random.Random):
            self._seed = generator.getrandbits(63)
        elif hasattr(generator, "integers"):
            self._seed = int(generator.integers(_BITS))
        elif hasattr(generator, "initial_seed"):
            self._seed = int(generator.initial_seed()) % _BITS
        else:
            raise TypeError(
                f"{name}: generator is a Generator, an int, a random.Random or a NumPy generator, "
                f"got {type(generator).__name__}"
            )

    def next(self) -> int:
        """Return the next seed."""
        if self._seed is None:
            high, low = rl.randint(0, 2**31, (2,), device="cpu").tolist()
            self._seed = high * 2**31 + low
        self._count += 1
        return random.Random(f"{self._seed} {self._count}").getrandbits(63)

    def state_dict(self) -> dict[str, Any]:
        """Return the state that determines the next seeds."""
        return {"seed": self._seed, "count": self._count}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue as the sequence that returned the state."""
        self._seed, self._count = state["seed"], state["count"]
