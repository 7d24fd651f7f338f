"""Why is a token that is decoded so much dearer than one of the prompt?

Claim: one query reads the whole cache for itself, so memory binds; a prompt's queries share it, and
arithmetic binds. Heads that share keys raise the FLOPs a byte, more sequences do not; where heads
are too few to fill the GPU, S blocks share a cache (Flash-Decoding).
Formula: FLOPs are 4 N d a query and head, bytes 8 N d/G of the cache in fp32: G/2 FLOP/byte; with N
queries N/4 (Q, K, V and O once). The ridge point is P/b, with P of fp32 and b of HBM.
"""

import argparse

import gpusim
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_bytes, format_seconds, format_share

roofline = gpusim.model.roofline
Found = gpusim.Profile | gpusim.ChainProfile
D = 64
DECODING = ((1, 1, 1), (1, 1, 8), (8, 1, 1), (8, 8, 1), (8, 8, 8))
"""Sequences B, query heads G that share keys, parts S of the cache."""


def arguments() -> argparse.Namespace:
    """Give the sizes asked for, or those that tell the story in seconds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gpu", default="h200", help="a GPU as gpusim gpus lists it [h200]")
    parser.add_argument("--n", type=int, default=2048, help="keys in each cache [2048]")
    parser.add_argument("--prompt", type=int, default=512, help="tokens of the prompt [512]")
    parser.add_argument("--heads", type=int, default=32, help="query heads, a multiple of 8 [32]")
    return parser.parse_args()


def decode(gpu: str, B: int, G: int, S: int, **sizes: int) -> Found:
    """Predict one token for each of B sequences."""
    with ProgressLine() as progress:
        if S > 1:
            return gpusim.predict_chain("attention-decode-split", gpu, B=B, G=G, S=S, progress=progress, **sizes)
        kernel = "attention-decode-gqa" if G > 1 else "attention-decode"
        return gpusim.predict(kernel, gpu, B=B, G=G, progress=progress, **sizes)


def row(what: tuple[str, ...], found: Found, intensity: float, pairs: int, gpu: str) -> list[str]:
    """Give the table's row for one way to attend, for so many pairs of a query and a key."""
    first = found.steps[0] if isinstance(found, gpusim.ChainProfile) else found
    roof = roofline.of_profile(first, gpu=gpu)
    return [
        *what,
        str(first.blocks),
        f"{intensity:.3g}",
        f"{roof.ceilings[-1].intensity:.3g}",
        roof.bound,
        format_bytes(found.dram_bytes),
        format_seconds(found.seconds),
        format_share(roof.seconds / found.seconds),
        format_seconds(found.seconds / pairs),
        first.bound,
    ]


def main() -> None:
    """Print claim, formula and prediction."""
    given = arguments()
    gpu, sizes = given.gpu, {"H": given.heads, "d": D}
    with ProgressLine() as progress:
        prompt = gpusim.predict("flash-attention-2", gpu, N=given.prompt, progress=progress, **sizes)
    rows = [row(("prompt", "1", "1", "1"), prompt, given.prompt / 4, given.prompt**2, gpu)]
    for B, G, S in DECODING:
        found = decode(gpu, B, G, S, N=given.n, **sizes)
        rows.append(row(("token", str(B), str(G), str(S)), found, G / 2, B * given.n, gpu))
    heading = ["what", "B", "G", "S", "blocks", "FLOP/B", "seen", "roof", "HBM", "time", "of roof", "a key", "bound by"]
    ridge = roofline.ridge_point(gpu, "fp32", tensor_cores=False)
    about = (
        f"{given.heads} heads of fp32, d = {D}, on {gpu}, ridge point {ridge:.0f} FLOP/byte: a prompt of "
        f"{given.prompt} tokens, or one token for each of B sequences with caches of {given.n} (a key: time over "
        "queries and keys):"
    )
    why = (
        "More sequences fill the SMs and HBM, but each brings a cache: FLOP/byte stay. Shared keys raise them G-fold, "
        "and alone save little time, for they leave a Gth of the blocks (tail: SMs without one); splitting the cache "
        "gives these back. Seen are more FLOPs than 4 N d (sums across lanes, exponentials), and of O only what has "
        "left L2. The prompt is right of the ridge point; few warps on an SM keep it far from its roof."
    )
    show([__doc__, about, "", *table_of([heading, *rows], right=range(1, 12), keys=4), "", why])


if __name__ == "__main__":
    main()
