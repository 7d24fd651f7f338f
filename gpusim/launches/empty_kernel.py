"""A launch that does nothing, which times are held against, and one that only takes time, to run ahead of them."""

from __future__ import annotations

SOURCE = """
extern "C" __global__ void empty() {}
extern "C" __global__ void spin(long long cycles) { long long t = clock64(); while (clock64() - t < cycles) {} }
"""


def seconds(gpu: str) -> float:
    """Predicted duration of an empty launch.

    Parameters
    ----------
    gpu : str
        Name, or path of a TOML file.
    """
    from gpusim import cuda, hardware
    from gpusim.frontends.cuda import profile

    kernel = cuda.compile(SOURCE, gpu=hardware.load(gpu).arch).kernel("empty")
    return profile(kernel, 1, 1, gpu=gpu, values=False).seconds
