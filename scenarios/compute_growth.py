"""How fast has computing grown against memory, and how fast what models are trained with?

Claim: from P100 to B200 the peak of 16-bit floats grew some 100-fold, HBM's bandwidth 11-fold, so
the ridge moved from 29 to 281 FLOP/byte; training compute grew a million-fold in seven years.
Formula: ridge = peak / bandwidth, dense. Training takes 6 FLOP a parameter and token (Kaplan et al.
2020, arXiv 2001.08361, section 2.1): 2 forward, 4 backward.
"""

import argparse

import gpusim
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import NOTHING, format_factor

roofline = gpusim.model.roofline

GPUS = {"p100": 2016, "v100": 2017, "a100-80gb": 2020, "h100-sxm": 2022, "h200": 2023, "b200": 2024}  # announced
YEAR_S = 365 * 86400

# Year, parameters (of a mixture of experts: used for a token), tokens, FLOP that the source prints, and the source.
MODELS = {
    "Transformer, big": (2017, 213e6, None, 2.3e19, "Vaswani et al. 2017, arXiv 1706.03762, table 2"),
    "BERT-Large": (2018, 355e6, 250e9, 5.33e20, "Brown et al. 2020, arXiv 2005.14165, table D.1"),
    "RoBERTa-Large": (2019, 355e6, 2000e9, 4.26e21, "Brown et al. 2020, table D.1"),
    "GPT-3": (2020, 175e9, 300e9, 3.14e23, "Brown et al. 2020, table D.1"),
    "Chinchilla": (2022, 70e9, 1.4e12, None, "Hoffmann et al. 2022, arXiv 2203.15556"),
    "PaLM": (2022, 540e9, 780e9, None, "Chowdhery et al. 2022, arXiv 2204.02311"),
    "Llama 3 405B": (2024, 405e9, 15.6e12, 3.8e25, "Grattafiori et al. 2024, arXiv 2407.21783, section 3.2"),
    "DeepSeek-V3": (2024, 37e9, 14.8e12, None, "DeepSeek-AI 2024, arXiv 2412.19437"),
}


def flops_of(name: str) -> float:
    """Give the FLOP of a model's training: as printed, else by the formula."""
    _, parameters, tokens, printed, _ = MODELS[name]
    return printed or 6 * parameters * tokens


def gpu_rows(dtype: str) -> list[list[str]]:
    """Give the peaks of every generation, and what each grew by."""
    rows = [["GPU", "year", "TFLOP/s", "GB/s", "ridge", "FLOP/s x", "bytes/s x", "ridge x", "L2 MB"]]
    before = None
    for name, year in GPUS.items():
        gpu = gpusim.hardware.load(name)
        now = (roofline.peak_flops(gpu, dtype), roofline.bandwidth(gpu), roofline.ridge_point(gpu, dtype))
        grown = map(format_factor, (a / b for a, b in zip(now, before, strict=True))) if before else [NOTHING] * 3
        figures = [f"{now[0] / 1e12:.0f}", f"{now[1] / 1e9:.0f}", f"{now[2]:.0f}"]
        rows.append([name, str(year), *figures, *grown, f"{gpu.l2.size_bytes / 1e6:.0f}"])
        before = now
    return rows


def model_rows(dtype: str) -> list[list[str]]:
    """Give what models were trained with: by the source, by 6 N D, and in years of a GPU of today at its peak."""
    last = [*GPUS][-1]
    rows = [["model", "year", "parameters", "tokens", "FLOP, source", "6 N D", f"{last}-years"]]
    for name, (year, parameters, tokens, printed, _) in MODELS.items():
        shown = [f"{x:.3g}" if x else NOTHING for x in (parameters, tokens, printed)]
        formula = f"{6 * parameters * tokens:.3g}" if tokens else NOTHING
        years = flops_of(name) / roofline.peak_flops(last, dtype) / YEAR_S
        rows.append([name, str(year), *shown, formula, f"{years:.2g}"])
    return rows


def yearly(factor: float, years: int) -> str:
    """Write a growth as a factor a year."""
    return f"{factor ** (1 / years):.1f}"


def main() -> None:
    """Print claim, formula and tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dtype", default="fp16", choices=("fp16", "fp32"), help="of the peaks [fp16]")
    dtype = parser.parse_args().dtype
    first, *_, last = GPUS
    flops, nbytes = (of(last) / of(first) for of in (lambda gpu: roofline.peak_flops(gpu, dtype), roofline.bandwidth))
    span = GPUS[last] - GPUS[first]
    begin, end = "Transformer, big", "Llama 3 405B"
    needed, years = flops_of(end) / flops_of(begin), MODELS[end][0] - MODELS[begin][0]
    why = (
        f"{first} to {last}: FLOP/s {format_factor(flops)}-fold, {yearly(flops, span)} a year; bytes/s "
        f"{format_factor(nbytes)}-fold, {yearly(nbytes, span)} a year. To stay at the peak a kernel must do "
        f"{format_factor(flops / nbytes)} times as much with each byte. {begin} to {end}: {needed:.2g}-fold, "
        f"{yearly(needed, years)} a year, more than a GPU gives: the rest is more GPUs, for longer. Tensor cores came "
        f"with the v100; {last} has two dies. Peaks and bandwidths are dense, by the data sheets, whose names "
        "gpusim gpus NAME gives. Years are those of the announcement. Parameters of DeepSeek-V3: used for a token."
    )
    sources = [["model", "source"], *([name, source] for name, (*_, source) in MODELS.items())]
    tables = [*table_of(gpu_rows(dtype), right=range(1, 9)), "", *table_of(model_rows(dtype), right=range(1, 7))]
    about = f"Peaks of {dtype}, on tensor cores where there are some, and what grew by a generation:"
    show([__doc__, about, "", *tables, "", *table_of(sources), "", why])


if __name__ == "__main__":
    main()
