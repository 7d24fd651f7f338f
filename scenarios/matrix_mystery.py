"""Why is the throughput of a matmul no smooth function of n?

Claim: it drops where the tiles no longer fit the SMs in as many waves, and lies lower for n that
are no multiples of 64, lowest for odd ones.
Formula: tiles = ceil(n/128)^2, waves = ceil(tiles/SMs), each as long as n steps of a tile, so that
throughput = 2 n^3 / (waves n t); t is that of the simulated launch with the fullest wave.
"""

import argparse

import gpusim
from gpusim.pictures.saving import picture_file, save
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import NOTHING, format_share

GPU, TILE = "h200", 128
SIMULATED = [256, 510, 511, 512, 768, 1408, 1409]
BY_WAVES = [2048, 2049, 2432, 2433, 4096]
ANY, QUADS = "matmul-register-tiled", "matmul-register-tiled-vec4"
QUADS_UP_TO = 768  # of multiples of 4, which that kernel needs; larger ones take seconds each
FAMILIES = {"of 64": "tab:green", "of 2": "tab:orange", "odd": "tab:red"}


def family(n: int) -> str:
    """Say what n is a multiple of."""
    return "of 64" if n % 64 == 0 else "odd" if n % 2 else "of 2"


def tiling(n: int) -> gpusim.model.waves.Tiling:
    """Cover C with tiles, of which an SM holds one at a time."""
    return gpusim.model.waves.quantise((n, n), (TILE, TILE), gpusim.load_gpu(GPU).sm_count)


def rate(n: int, seconds: float) -> float:
    """Give TFLOP/s."""
    return 2e-12 * n**3 / seconds


def simulate(kernel: str, sizes: list[int]) -> dict[int, gpusim.Profile]:
    """Predict every size."""
    with ProgressLine() as progress:
        return {n: gpusim.predict(kernel, GPU, n=n, progress=progress) for n in sizes}


def curve(simulated: dict[int, gpusim.Profile], sizes: list[int]) -> dict[int, float]:
    """Give TFLOP/s by waves, their length taken from the simulated launch whose waves are fullest."""
    fullest = max(simulated, key=lambda n: tiling(n).waves.utilisation)
    step = simulated[fullest].seconds / (tiling(fullest).waves.count * fullest)
    return {n: rate(n, tiling(n).waves.seconds(n * step)) for n in sizes}


def row(n: int, by_waves: float, any_n: gpusim.Profile | None, quads: gpusim.Profile | None) -> list[str]:
    """Give the table's row for one size."""
    found = tiling(n)
    rates = [NOTHING if profile is None else f"{rate(n, profile.seconds):.2f}" for profile in (any_n, quads)]
    sectors = NOTHING if any_n is None else f"{any_n.sectors_per_load:.2f}"
    waves = [str(found.waves.count), format_share(found.waves.utilisation)]
    return [str(n), family(n), str(found.tiles), *waves, f"{by_waves:.2f}", rates[0], sectors, rates[1]]


def draw(ax, any_n: dict[int, gpusim.Profile], quads: dict[int, gpusim.Profile]):
    """Draw the curve by waves, and what is simulated, coloured by family."""
    fine = curve(any_n, list(range(256, 4097)))
    ax.plot([*fine], [*fine.values()], color="0.6", linewidth=1, label="by waves (formula)", zorder=1)
    for name, colour in FAMILIES.items():
        for marker, kernel, found in (("o", ANY, any_n), ("^", QUADS, quads)):
            points = [(n, rate(n, profile.seconds)) for n, profile in found.items() if family(n) == name]
            if points:
                ax.scatter(*zip(*points, strict=True), color=colour, marker=marker, label=f"{kernel}, n {name}")
    ax.set(xlabel="n", ylabel="TFLOP/s", title=f"n x n of fp32 on {GPU}: markers simulated, line by the formula")
    ax.legend(fontsize="small")
    return ax


def why() -> str:
    """Say what is seen."""
    before, after, sms = tiling(1408).tiles, tiling(1409).tiles, gpusim.load_gpu(GPU).sm_count
    return (
        f"The drops are waves: n = 1408 has {before} tiles, 1409 has {after}, and there are {sms} SMs, so a few take "
        "a second tile while the others wait. (The formula has the second wave last as long as a full one; simulated, "
        "few tiles go faster.) Alignment is the smaller part, and odd is no worse than even: rows that do not begin "
        "with a sector touch more of them, and n = 510 or 511 is a few per cent slower than 512. What a multiple of 4 "
        "allows weighs more: the kernel that loads 16 bytes at a time. Neither kernel uses tensor cores."
    )


def main() -> None:
    """Print claim, formula and prediction."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--n", type=int, nargs="+", default=SIMULATED, help="sizes to simulate (2048 and more: 15 s each)"
    )
    parser.add_argument("--plot", type=picture_file, metavar="FILE", help="draw it too: a .png, .svg or .pdf")
    given = parser.parse_args()
    any_n = simulate(ANY, given.n)
    quads = simulate(QUADS, [n for n in given.n if n % 4 == 0 and n <= QUADS_UP_TO])
    sizes = sorted({*given.n, *BY_WAVES})
    by_waves = curve(any_n, sizes)
    heading = ["n", "family", "tiles", "waves", "SMs busy", "by waves", "simulated", "sectors a load", "16-byte loads"]
    rows = [row(n, by_waves[n], any_n.get(n), quads.get(n)) for n in sizes]
    about = f"TFLOP/s of {ANY}, fp32, tiles of {TILE} x {TILE}, and of -vec4 (16-byte loads), on {GPU}:"
    show([__doc__, about, ""])
    show([*table_of([heading, *rows], right=range(2, 9), keys=2), "", why()])
    if given.plot:
        save(lambda ax: draw(ax, any_n, quads), given.plot)


if __name__ == "__main__":
    main()
