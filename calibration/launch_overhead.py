"""What a host takes to launch kernels, to wait for them and to copy: by its own clock, on a machine with a GPU.

``python -m calibration.launch_overhead`` compiles data/launches/host.cu with nvcc, runs it (half a minute) and writes
``data/launch_overhead-GPU.json`` and the package's copy of it, which ``gpusim scenario launch-overhead`` shows.  Where
there is no nvcc, ``--program FILE`` takes a program that was built elsewhere, with what the first line of host.cu says.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import gpusim
from calibration.bench import DATA, as_json

SOURCE = DATA / "launches" / "host.cu"
PACKAGED = Path(gpusim.__file__).parent / "data"
LIMIT_S = 300
"""Longest that compiling, and measuring, may take."""


def built(folder: Path) -> Path:
    """Compile the program with the nvcc that is found first."""
    program = folder / "host"
    command = ["nvcc", "-O2", "-arch=native", "-o", str(program), str(SOURCE)]
    subprocess.run(command, check=True, timeout=LIMIT_S)
    return program


def read(printed: str) -> dict[str, Any]:
    """Read what the program prints.

    Parameters
    ----------
    printed : str
        Its first line: GPU, CUDA of the driver and of the runtime.  Then ``name: median least most``.

    Returns
    -------
    dict
        ``device``, ``driver_cuda``, ``runtime_cuda``, and ``us``: by name median, least and most microseconds.

    Raises
    ------
    ValueError
        If a line is not of that form.
    """
    first, *lines = printed.strip().splitlines()
    device, driver, runtime = first.rsplit(", ", 2)
    named = (line.split(": ") for line in lines)
    figures = {name: [float(each) for each in numbers.split()] for name, numbers in named}
    if any(len(three) != 3 for three in figures.values()):
        raise ValueError("a line does not have three numbers")
    return {"device": device, "driver_cuda": int(driver), "runtime_cuda": int(runtime), "us": figures}


def processor() -> str:
    """Name the host's processor, which decides more than the GPU does."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def main() -> None:
    """Measure, and write both files."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--program", type=Path, help="host.cu, built already")
    parser.add_argument("--gpu", default="h200", help="what the files are named after [h200]")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = given.program.resolve() if given.program else built(Path(folder))
        done = subprocess.run([str(program)], check=True, timeout=LIMIT_S, stdout=subprocess.PIPE, text=True)
    found = {
        "about": f"python -m calibration.launch_overhead ({SOURCE.name}); us: median, least and most of 21 rounds",
        "gpu": given.gpu, "date": datetime.datetime.now(datetime.UTC).date().isoformat(), "host": processor(),
        **read(done.stdout),
    }  # fmt: skip
    for file in (DATA / f"launch_overhead-{given.gpu}.json", PACKAGED / f"launch-overhead-{given.gpu}.json"):
        file.write_text(as_json(found), encoding="utf-8")
        print(f"{file} written")


if __name__ == "__main__":
    main()
