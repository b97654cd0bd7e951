"""Transforms of functions: gradients, products with Jacobians, Jacobians and Hessians. They nest.

A function is differentiated by its tensor arguments, which may be in tuples, lists and dicts.
"""

from ._modules import functional_call
from ._transforms import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, value_and_grad, vjp

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "value_and_grad",
    "vjp",
]
