//! The Python module `rushlight._native`.
