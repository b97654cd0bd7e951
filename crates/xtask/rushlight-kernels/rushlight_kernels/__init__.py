"""Compiled kernels of Rushlight for common AMD GPUs.

The package has no functions. Rushlight finds its folder, and loads kernels from the archives in it
instead of compiling them when they are first used. ``rushlight info`` lists the archives.
"""
