"""Is a read of what nothing has written found, wherever in an output, and no other?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gpusim.lang as gl
from gpusim.engine.load_store.unwritten import BLANK_BITS
from gpusim.simulate import SimulationError, execute
from tests.kernels.run import mine, prepare

STRETCH = 1 << BLANK_BITS
N = 5 * STRETCH + 77  # several stretches that are marked together, and a part of one
EDGES = (0, 1, STRETCH - 1, STRETCH, 3 * STRETCH + 5, 5 * STRETCH, N - 1)


@gl.kernel(grid=lambda p: (1,), block=lambda p: (1,))
def store_and_load(
    at: gl.In[gl.i32, 2], x: gl.In[gl.f32, N], y: gl.InOut[gl.f32, N], z: gl.Out[gl.f32, N]
):  # fmt: skip
    """y[at[0]] = x[at[0]], z[at[1]] = y[at[1]]."""
    put, get = at[0], at[1]
    y[put] = x[put]
    z[get] = y[get]


@pytest.mark.parametrize("put", EDGES)
def test_only_what_was_written_may_be_read(put):
    drawn, gpu, held = prepare(mine(store_and_load), {})
    for get in sorted({*EDGES, put - 1, put + 1} & set(range(N))):
        at = np.array([put, get], np.int32)
        launch = replace(drawn, arguments={**drawn.arguments, "at": at}, outputs=("y", "z"))
        if get == put:
            assert execute(launch, gpu, held)["z"][get] == drawn.arguments["x"][get]
        else:
            with pytest.raises(SimulationError, match="reads y where nothing wrote"):
                execute(launch, gpu, held)
