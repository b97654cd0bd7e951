"""Transforms of functions: gradients, products with Jacobians, Jacobians and Hessians. They nest.

A function is differentiated by its tensor arguments, which may be in tuples, lists and dicts.
"""

from ._transforms import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, value_and_grad, vjp

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "value_and_grad", "vjp"]
