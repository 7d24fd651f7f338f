"""Programs as they are: the host part runs here, every kernel that it launches is simulated.

A program runs as a process of its own, with a CUDA runtime of ours in the place of NVIDIA's (``runtime``, in C++, made
by :mod:`~gpusim.run.runtime_library`).  Device memory is a file in memory that both processes map
(:mod:`~gpusim.run.memory`).  A launch is a message (:mod:`~gpusim.run.session`), which is simulated
(:mod:`~gpusim.run.launches`) before the program goes on.
"""
