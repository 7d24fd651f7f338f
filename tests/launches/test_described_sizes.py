"""A kernel whose shared memory is too much to be static is launched with as much dynamic shared memory."""

import re

import pytest

import gpusim
from gpusim.catalogue import lookup
from gpusim.frontends.described import tiles_of
from gpusim.launches.profiling import record_all
from gpusim.launches.spec import DescribedLaunch

FEW = ("matmul-tiled", {"n": 64}, 0)
MUCH = ("flash-attention-2-tensor", {"N": 128, "H": 1}, 65536)


@pytest.mark.parametrize(("kernel", "params", "nbytes"), [FEW, MUCH])
def test_what_is_emitted_says_how_much(kernel, params, nbytes):
    algorithm = lookup.get(kernel)
    launch = DescribedLaunch.of(algorithm, params)
    told = re.search(r"(\d+) bytes of dynamic", algorithm.kernel.emit(**tiles_of(launch.bound)))
    assert (int(told[1]) if told else 0) == nbytes
    assert launch.sizes(None).dynamic_shared == nbytes


@pytest.mark.usefixtures("compiler")
def test_the_emitted_kernel_touches_no_shared_memory_beyond():
    launch = DescribedLaunch.of(lookup.get(MUCH[0]), MUCH[1])
    (record,) = record_all([launch], "h200", described=False)
    assert not record["error"]
    described = gpusim.predict(MUCH[0], **MUCH[1])
    loads = "smsp__inst_executed_op_ldsm.sum"
    assert record["metrics"][loads] == described.value(loads)
