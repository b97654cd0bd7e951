"""Names, parameters and defaults are PyTorch's, or a reason says why not."""

from __future__ import annotations

import pytest

import torch_names as t

NAMES = t.names()


def test_the_page_is_up_to_date() -> None:
    assert t.PAGE.read_text(encoding="utf-8") == t.page(), "run tests/python/torch_names.py"


@pytest.mark.parametrize("name", NAMES, ids=lambda name: f"{name.module}.{name.name}")
def test_a_name_exists_or_has_a_reason(name: t.Name) -> None:
    call = t.ours(name)
    if call is None:
        assert t.reason(name), f"{name.module}.{name.name} is missing without a reason"
        return
    if name.signature != "?":
        assert set(t.differences(name, call)) <= set(t.KNOWN)


def test_a_reason_is_of_a_name_that_is_missing() -> None:
    missing = [name for name in NAMES if t.ours(name) is None]
    for pattern in t.reasons():
        assert any(t.reason(name) == pattern.signature for name in missing), pattern
        assert t.fnmatch.filter([n.name for n in missing if n.module == pattern.module], pattern.name), (
            pattern
        )


def test_differences_are_found() -> None:
    def call(a: int, e: int, c: int = 2, b: int = 1) -> None:
        pass

    line = t.Name("torch.nn", "x", "input, a, e=2, b=1, c=3, d=(1, 2), size_average=None")
    assert t.differences(line, call) == ["no d", "another order", "no default of e", "c=2, PyTorch's is 3"]
