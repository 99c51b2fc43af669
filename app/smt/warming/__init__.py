"""First use of the wing's kernels while a server loads."""
