"""Launches of a user's CUDA sources: what one is (``spec``), a file of them (``file``), their ``profiling``."""
