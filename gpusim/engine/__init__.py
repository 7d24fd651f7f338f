"""The simulator of one GPU, in numba.

Rooms, from the ground up: ``compiling`` (what jitted code is made of, and how it is kept), ``state`` (the arrays of a
machine and their columns), ``alu`` (values) beside ``hierarchy`` (L1 to DRAM, a unit a file), ``load_store``
(instructions that touch memory), ``core`` (blocks, warps, schedulers and time).
"""
