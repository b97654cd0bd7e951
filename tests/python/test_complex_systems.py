"""Determinants' logarithms and solutions by Cholesky's factors of complex matrices."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as rl
from compare import to_np
from test_complex_linear import EPS, SHAPES, draw, hermitian, near


@pytest.mark.parametrize("dtype", EPS)
@pytest.mark.parametrize("shape", SHAPES)
def test_functions_of_factors(shape: tuple[int, ...], dtype: str) -> None:
    a = hermitian(*shape).astype(dtype)
    b = draw(*shape[:-1], 2, seed=1).astype(dtype)
    for upper in (False, True):
        factor = to_np(rl.linalg.cholesky(rl.asarray(a), upper=upper))
        # The other triangle is not read.
        other = np.tril(np.ones_like(factor), -1)
        factor = rl.asarray(factor + (other if upper else other.swapaxes(-1, -2)))
        near(rl.cholesky_solve(rl.asarray(b), factor, upper), np.linalg.solve(a, b), dtype, 1000)
        near(rl.cholesky_inverse(factor, upper), np.linalg.inv(a), dtype, 1000)


@pytest.mark.parametrize("dtype", EPS)
@pytest.mark.parametrize("shape", SHAPES)
def test_logarithms_of_determinants(shape: tuple[int, ...], dtype: str) -> None:
    a = draw(*shape).astype(dtype)
    sign, size = np.linalg.slogdet(a.astype(np.complex128))
    near(rl.logdet(rl.asarray(a)), size + np.log(sign), dtype, 1000)


def test_gradients() -> None:
    x = rl.asarray(hermitian(3, 3)).requires_grad_()
    y = rl.asarray(draw(3, 2)).requires_grad_()
    assert rl.autograd.gradcheck(rl.logdet, [x])
    assert rl.autograd.gradcheck(lambda x, y: rl.cholesky_solve(y, x), [x, y])
