"""Programs as they are: the host part runs here, every kernel that it launches is simulated.

A program runs as a process of its own, with a CUDA runtime of ours in the place of NVIDIA's (``runtime``, in C++, made
by :mod:`~gpusim.programs.runtime_library`).  Device memory is a file in memory that both processes map
(:mod:`~gpusim.programs.memory`).  A launch is a message (:mod:`~gpusim.programs.session`), which is simulated
(:mod:`~gpusim.programs.launches`) before the program goes on.
"""
