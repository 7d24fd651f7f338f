"""Kernels of Warp's, which reads the source of its kernels from a file."""

import warp as wp


@wp.kernel
def moved(x: wp.array(dtype=wp.vec3), by: float, y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = by * (x[i][0] + x[i][1] + x[i][2])


@wp.kernel
def indexed(y: wp.array2d(dtype=int)):
    i, j = wp.tid()
    y[i, j] = 100 * i + j
