"""Pictures of one launch, by their names."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gpusim.errors import ParameterError, UnknownNameError
from gpusim.pictures.canvas import styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpusim.hardware.spec import Gpu
    from gpusim.results.figures import Figures

Draw = Callable[..., "Axes"]


@styled()
def draw(
    profile: Figures, kind: str = "overview", ax: Axes | None = None, *, measured: Figures | None = None,
    line: str | None = None,
) -> Axes:  # fmt: skip
    """Draw one launch.

    Parameters
    ----------
    profile : Profile
    kind : str
        One of :data:`KINDS`.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    measured : Figures, optional
        The same launch as hardware counted it: of ``overview``, ``memory`` and ``roofline``.
    line : str, optional
        Of ``warp``: the line of the source, ``"file.cu:41"`` or ``"41"``.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    UnknownNameError
        There is no such kind, or no such line.
    ParameterError
        The profile does not know what the picture shows, or an option is of another kind.
    """
    if kind not in KINDS:
        raise UnknownNameError("kind of picture", kind, KINDS)
    if measured is not None and kind not in MEASURED:
        raise ParameterError(f"a picture of kind {kind!r} has no place for what was measured: {', '.join(MEASURED)} do")
    if line is not None and kind != "warp":
        raise ParameterError(f"line says what to draw of kind 'warp', not of {kind!r}")
    options: dict[str, Any] = {"measured": measured} if kind in MEASURED else {"line": line} if kind == "warp" else {}
    return KINDS[kind](profile, ax, **options)


def _overview(profile: Figures, ax: Axes | None, measured: Figures | None) -> Axes:
    from gpusim.pictures.overview import overview

    return overview(profile, ax, measured=measured)


def _speed_of_light(profile: Figures, ax: Axes | None) -> Axes:
    from gpusim.pictures.speed_of_light import speed_of_light

    return speed_of_light(profile, ax)


def _memory(profile: Figures, ax: Axes | None, measured: Figures | None) -> Axes:
    from gpusim.pictures.memory_chart import memory_chart

    return memory_chart(profile, ax, measured=measured)


def _roofline(profile: Figures, ax: Axes | None, measured: Figures | None) -> Axes:
    return rooflines([profile], ax, measured=[measured] if measured is not None else [])


@styled()
def rooflines(profiles: Sequence[Figures], ax: Axes | None = None, *, measured: Sequence[Figures] = ()) -> Axes:
    """Draw launches below the roofs of their GPUs.

    Parameters
    ----------
    profiles : sequence of Profile
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    measured : sequence of Figures
        Launches as hardware counted them.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        A launch whose FLOPs nobody knows, such as one of machine code.
    """
    from gpusim.model.marks import marks_of, roof_of
    from gpusim.pictures.roofline import roofline

    gpus = {profile.gpu: gpu_of(profile) for profile in profiles}
    marks = [mark for profile in profiles for mark in marks_of(profile, gpu=gpus[profile.gpu])]
    marks += [mark for one in measured for mark in marks_of(one, measured=True)]
    return roofline([roof_of(gpu) for gpu in gpus.values()], marks, ax)


def _occupancy(profile: Figures, ax: Axes | None) -> Axes:
    from gpusim.pictures.occupancy import occupancy

    registers, shared = profile.registers_per_thread, profile.shared_bytes_per_block
    if math.isnan(registers) or math.isnan(shared):
        raise ParameterError("registers and shared memory of the launch are not known of this profile")
    return occupancy(gpu_of(profile), profile.threads_per_block, round(registers), round(shared), ax)


def _waves(profile: Figures, ax: Axes | None) -> Axes:
    from gpusim.pictures.waves import waves

    return waves(profile, ax)


def _warp(profile: Figures, ax: Axes | None, line: str | None) -> Axes:
    from gpusim.pictures.warp import chosen, warp

    if profile.rerun is None:
        raise ParameterError("what a warp touches is known of a launch that this process predicted, not of a file's")
    return warp(chosen(profile.rerun.touches(), line), ax)


def _timeline(profile: Figures, ax: Axes | None) -> Axes:
    from gpusim.pictures.timeline import timeline

    if profile.timeline is None:
        raise ParameterError("a timeline is recorded where it is asked for: predict with timeline=gpusim.Recording()")
    return timeline(profile.timeline, ax)


def gpu_of(profile: Figures) -> Gpu:
    """Give the GPU of a profile: the one it was predicted on, or the one that has its name.

    Parameters
    ----------
    profile : Profile
    """
    from gpusim.hardware.library import load_gpu

    return profile.rerun.gpu if profile.rerun is not None else load_gpu(profile.gpu)


KINDS: dict[str, Draw] = {
    "overview": _overview,
    "speed-of-light": _speed_of_light,
    "memory": _memory,
    "roofline": _roofline,
    "occupancy": _occupancy,
    "waves": _waves,
    "warp": _warp,
    "timeline": _timeline,
}
"""Pictures of a launch."""

MEASURED = ("overview", "memory", "roofline")
"""Those that have a place for what was measured."""
