"""The command ``rushlight parity``, which checks that a device computes every op correctly.

Cases, bounds and verdicts are those of the Rust crate ``rushlight-parity``. This package runs the cases
in worker processes under a watchdog and reports the results.
"""
