"""How gpusim is built: hatchling, and wheels that carry the engine compiled for baselines of their architecture.

A wheel so built is for one Python and one platform.  It is compiled for the best baseline that this machine runs, since
``pip install .`` builds it for this machine; with ``GPUSIM_ALL_BASELINES=1``, for all.  ``HATCH_BUILD_NO_HOOKS=true``
builds one that carries no compiled code, and is for any machine; so is a wheel built on an architecture without a
baseline.  An editable install compiles nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hatchling.build
from hatchling.build import *  # noqa: F403  what a backend offers, but for what is below
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

if TYPE_CHECKING:
    from gpusim.engine.compiling.baselines import Baseline

ROOT = Path(__file__).resolve().parent
ALL = "GPUSIM_ALL_BASELINES"
"""Environment variable: unless it is empty or 0, a wheel is for other machines of this architecture as well."""
COMPILES = ("joblib", "numba", "numpy", "rich")
"""What compiling, and showing how far that is, needs of all that gpusim needs."""


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """What a wheel is built with, and an editable one is not: the releases that gpusim runs with."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    compilers = [each for each in project["dependencies"] if each.startswith(COMPILES)]
    return [*hatchling.build.get_requires_for_build_wheel(config_settings), *compilers]


class CompiledEngine(BuildHookInterface):
    """Puts the compiled engine into a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile it, unless it is compiled when it is first used."""
        sys.path.insert(0, str(ROOT))
        if version == "editable":
            return
        self._made = tempfile.TemporaryDirectory(prefix="gpusim-wheel-")
        for baseline in wanted():
            print(f"gpusim: the engine is compiled for {baseline.name}, unless it was before", flush=True)
            compile_engine(Path(self._made.name), baseline)
        compiled = Path(self._made.name, "engine", "compiled")
        if not compiled.exists():
            print("gpusim: the wheel carries no compiled code", flush=True)
            return
        build_data["force_include"][str(compiled)] = "gpusim/engine/compiled"
        build_data.update(pure_python=False, infer_tag=True)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Leave nothing behind."""
        if hasattr(self, "_made"):
            self._made.cleanup()


def wanted() -> list[Baseline]:
    """What the engine is compiled for: the best that this machine runs, or all that others may run as well."""
    from llvmlite.binding import get_host_cpu_features

    from gpusim.engine.compiling import baselines

    found = baselines.of_machine()
    if os.environ.get(ALL, "0") in ("", "0"):
        features = get_host_cpu_features() if any(each.needs for each in found) else {}
        return [each for each in found if each.runs_on(features)][:1]
    return list(found)


def compile_engine(package: Path, baseline: Baseline) -> None:
    """Compile in a process whose numba is told for which processor, and nothing else.

    What is compiled stays in a folder of the cache folder, so that a build which is stopped goes on where it was.

    Parameters
    ----------
    package : Path
        Folder to write to what the package is to carry.
    baseline : Baseline

    Raises
    ------
    RuntimeError
        If it cannot be compiled.
    """
    from gpusim.folders import cache_folder, usable

    own = cache_folder() / "wheel"
    told = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    told["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [told.get("PYTHONPATH")])])
    told["GPUSIM_CACHE_DIR"] = str(own if usable(own) else package / "cache")
    command = [sys.executable, __file__, str(package), baseline.name]
    if subprocess.run(command, env=told | baseline.settings, cwd=package).returncode:
        raise RuntimeError(
            "the engine cannot be compiled; with HATCH_BUILD_NO_HOOKS=true a wheel is built without, and compiles it "
            "when it is first used"
        )


def _compile(package: str, name: str) -> None:
    """What that process does."""
    from gpusim.engine.compiling import baselines
    from gpusim.engine.core import shipping
    from gpusim.progress import compiling

    (baseline,) = (each for each in baselines.of_machine() if each.name == name)
    shipping.write(Path(package), baseline, compiling)


if __name__ == "__main__":
    _compile(*sys.argv[1:])
