"""Does a launch take memory only for what its arrays hold where that matters?"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.marks import most_by_hand

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="peaks are told in KiB there")

MEGABYTES = 300
"""What a launch of any size may take: the machine twice, and the compiler's output."""
CHILD = """
import resource
import numpy as np
import gpusim
from gpusim.catalogue import lookup
from gpusim.frontends import described
from gpusim.simulate import counting, execution, guard, sample

sample.BUDGET = 1e6
counting.WINDOW = counting.WINDOW._replace(most=1e6)

def watch(kernel, **sizes):
    work = described.work(described.Described(lookup.get(kernel), lookup.get(kernel).launch(**sizes)), H200)
    held = guard.fitting(work.launch, H200, kernel)
    execution.watch(work.launch, H200, held, sample.probe_blocks(work.launch.grid))

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10

H200 = gpusim.load_gpu("h200")
gpusim.predict("transpose-shared", n=64)
watch("transpose-shared", n=64)
before = peak()
{launch}
print("MB", peak() - before)
"""
LAUNCHES = {
    "2147483647 blocks": 'gpusim.predict("copy", n=2**31 - 1, block=1)',
    "an output of 8 GiB, watched": 'watch("matmul-tiled", M=32768, N=65535, K=32, tile=32)',
    "an output of 4 GiB, by columns": 'watch("transpose-naive", n=32768)',
}


def grown(launch: str) -> int:
    """Megabytes by which a launch raises the peak of a process that has run a small one."""
    child = subprocess.run(
        [sys.executable, "-c", CHILD.format(launch=launch)], capture_output=True, text=True, check=True, timeout=500
    )
    return int(child.stdout.split("MB ")[1])


@pytest.mark.parametrize("name", most_by_hand(LAUNCHES, list(LAUNCHES)[:1]))
def test_arrays_that_nobodys_values_depend_on_take_no_memory(name):
    assert grown(LAUNCHES[name]) < MEGABYTES


@pytest.mark.long
@pytest.mark.usefixtures("compiler")
def test_nor_do_those_of_machine_code():
    text = "__global__ void k(const float* x, const int* i, float* y) { size_t t = blockIdx.x * 256ull + threadIdx.x; "
    sizes = '"float32:normal:274877906944", "int32:randint:1000:25600", "float32:zeros:274877906944"'
    launch = f"""
from gpusim.launches import profiling, spec
from gpusim.launches.arguments import from_text
from pathlib import Path
from tempfile import TemporaryDirectory
with TemporaryDirectory() as folder:
    file = Path(folder, "k.cu")
    file.write_text("{text} y[t] = x[t] + x[i[t % 25600]]; }}")
    arguments = tuple(from_text(text) for text in ({sizes}))
    profiling.profile(spec.LaunchSpec("k", file, (), None, (1 << 30, 1, 1), (256, 1, 1), args=arguments), "h200")
"""
    assert grown(launch) < MEGABYTES
