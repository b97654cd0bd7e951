"""The command ``rushlight parity``: whether a device gives right answers.

Cases, bounds and verdicts are the Rust library's (the crate ``rushlight-parity``); here they are run in worker
processes under a watchdog, and told.
"""
