"""Launches of the scripts in tests/triton/scripts as a launch file, to be measured on a GPU and predicted.

``python -m calibration.triton_scripts FOLDER`` runs the scripts, which takes Triton and PyTorch and no GPU, and writes
their machine code and ``launches.json``.  ``gpusim measure --launches FOLDER/launches.json`` measures them, ``gpusim
profile --launches FOLDER/launches.json --gpu h100-sxm`` predicts them.  Views that begin within an array are left out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np

from gpusim.simulate.prediction import listening
from gpusim.simulate.tensor_maps import TensorMap
from gpusim.simulate.work import Work

SCRIPTS = Path(__file__).parents[1] / "tests" / "triton" / "scripts"
LEFT_OUT = ("grouped_gemm",)
"""Scripts whose kernels find pointers in arrays, which a launch file does not tell."""

SMALL = 4096  # bytes; arrays so small may be locks, which begin as zeros
CONTENTS = "randint:60"
"""Bytes that are small numbers of any floating-point type, and no NaN."""


class Collected:
    """Launches that are heard of, each once.

    Parameters
    ----------
    folder : Path
        Where machine code goes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.launches: dict[str, dict[str, Any]] = {}
        self.script = ""

    def hear(self, work: Work) -> None:
        """Take a launch that is about to be predicted."""
        launch, kernel = work.launch, work.source
        if self.script in LEFT_OUT or any(name.startswith("before") for name in launch.besides):
            return
        data: bytes = kernel.cubin.data  # type: ignore[attr-defined]
        name = f"{work.name}-{hashlib.sha256(data).hexdigest()[:8]}.cubin"
        (self.folder / name).write_bytes(data)
        told = {
            "source": name, "kernel": work.name, "grid": list(launch.grid), "block": list(launch.block),
            "dynamic_shared": launch.dynamic_shared, "args": [_argument(value) for value in launch.arguments.values()],
        }  # fmt: skip
        key = json.dumps(told)
        if key not in self.launches:
            self.launches[key] = {"id": f"{self.script}-{len(self.launches)}", **told}


def _argument(value: Any) -> dict[str, Any]:
    """An argument as a launch file has it."""
    if isinstance(value, TensorMap):
        own = {"shape": list(value.shape), "box": list(value.box)}
        swizzle = {} if value.swizzle is None else {"swizzle": value.swizzle}
        return {"tensormap": value.array.dtype.name, "init": "normal", **own, **swizzle}
    if isinstance(value, np.ndarray):
        return {"buffer": "uint8", "count": value.nbytes, "init": "zeros" if value.nbytes <= SMALL else CONTENTS}
    return {"bytes": bytes(value).hex()}


def main(arguments: list[str] | None = None) -> int:
    """Run the scripts and write their launches."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args(arguments).folder
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
    found = Collected(folder)
    for script in sorted(SCRIPTS.glob("*.py")):
        found.script = script.stem
        with listening(found.hear):
            runpy.run_path(str(script))["gpu"].close()
    listed = list(found.launches.values())
    (folder / "launches.json").write_text(json.dumps(listed, indent=1))
    print(f"{len(listed)} launches in {folder / 'launches.json'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
