"""Which training takes 20, 16, 15, 13, 10 or 9 bytes a parameter, and who says so?

Claim: what is kept for a parameter goes from 20 bytes to 6 as its parts go from fp32 to fp8.
Sources print 20, 18, 16 and 6; 15, 13, 10 and 9 are sums of types that they name, printed by none.
Formula: weight w for computing + gradient g + g added up in fp32 + master weight + Adam's m and v.
ZeRO's stages 1, 2, 3 divide the optimizer's part, gradients, weights by the GPUs.
"""

import argparse

import gpusim
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import NOTHING, format_bytes, format_number

memory = gpusim.model.training_memory

PARTS = ("weights", "gradients", "accumulation", "master")
GPU = "h100-sxm"


def row(name: str, kept, parameters: float) -> list[str]:
    """Give a recipe's row: bytes of every part, and of a model."""
    bytes_of, shown = kept.breakdown, (lambda nbytes: format_number(nbytes) if nbytes else NOTHING)
    moments = map(format_number, kept.moment_bytes)
    model = format_bytes(memory.model_bytes(parameters, kept))
    total = format_number(kept.bytes_per_parameter)
    return [
        name,
        *(shown(bytes_of[part]) for part in PARTS),
        *moments,
        total,
        "source" if kept.stated else "sum",
        model,
    ]


def stages(kept, parameters: float, devices: int) -> list[list[str]]:
    """Give what ZeRO's stages leave on a GPU."""
    rows = [["ZeRO stage", "a GPU", "bytes a parameter"]]
    for stage in range(4):
        nbytes = memory.model_bytes(parameters, kept, devices=devices, zero_stage=stage)
        rows.append([str(stage), format_bytes(nbytes), f"{nbytes / parameters:.2f}"])
    return rows


def main() -> None:
    """Print claim, formula and table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--parameters", type=float, default=7e9, help="of a model [7e9]")
    parser.add_argument("--devices", type=int, default=64, help="GPUs that ZeRO divides by [64]")
    given = parser.parse_args()
    kept = dict(sorted(memory.CONFIGURATIONS.items(), key=lambda item: -item[1].bytes_per_parameter))
    about = f"Bytes a parameter, and of a model of {given.parameters / 1e9:g} G parameters:"
    heading = ["recipe", "w", "g", "added", "master", "m", "v", "bytes", "total by", "a model"]
    table = table_of([heading, *(row(*item, given.parameters) for item in kept.items())], right=[*range(1, 8), 9])
    sources = [["recipe", "source"], *([name, recipe.source] for name, recipe in kept.items())]
    holds = gpusim.hardware.load(GPU).dram.size_bytes
    most = {name: holds / kept[name].bytes_per_parameter / 1e9 for name in ("bf16", "adam8bit-fp8-weights")}
    why = (
        f"Total by: source, where it prints the sum; sum, where it is that of types sources name. The {GPU}'s "
        f"{format_bytes(holds)} hold {most['bf16']:.1f} G parameters at 16 bytes and "
        f"{most['adam8bit-fp8-weights']:.1f} G at 9, and no activation. Scales of fp8 are not in these: scenario "
        "fp8-tiles. Whether a model trains as well is out of scope here."
    )
    zero = [f"bf16 among {given.devices} GPUs:", "", *table_of(stages(kept["bf16"], given.parameters, given.devices))]
    show([__doc__, about, "", *table, "", *table_of(sources), "", *zero, "", why])


if __name__ == "__main__":
    main()
