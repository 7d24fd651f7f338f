"""Microbenchmarks, a module a question: what an H200 took, and how the simulator comes to the same number.

Each module has ``cases()``.  Sources are ``gpusim/data/microbenchmarks/*.cu``, measured numbers
``calibration/data/h200_*.json``; a module's calls of ``bench.table`` and ``bench.launch`` name both.
"""
