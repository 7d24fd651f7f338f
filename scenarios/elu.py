"""Does it matter who writes the kernel of ELU: CUDA by hand, Triton or torch.compile?

Claim: y = x where positive, else alpha (exp(x) - 1) moves the same bytes in whatever language; what
costs is running it eagerly, each operation a kernel of its own.
Formula: one kernel moves 2 N elements. Eagerly exp, - 1, times alpha and where move 9 N: three
arrays between them are written and read, and x is read twice.
"""

import argparse
import os
import tempfile
from importlib.util import find_spec
from pathlib import Path
from unittest import mock

import numpy as np

import gpusim.cuda
import gpusim.triton
from gpusim.catalogue.lookup import get
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import format_bytes, format_count, format_seconds

GPU, ALPHA, BLOCK = "h200", 2, 256
SECTORS = "lts__t_sectors_srcunit_tex_op_{}.sum"
MISSING = {
    "triton": "Triton is not installed (pip install 'gpusim[triton]'): its kernel and Inductor's are left out.",
    "torch": "PyTorch is not installed: what torch.compile writes is left out.",
}


def drawn(N: int) -> tuple[np.ndarray, np.ndarray]:
    """Give x and what ELU makes of it."""
    x = np.random.default_rng(1).standard_normal(N, np.float32)
    return x, np.where(x > 0, x, ALPHA * np.expm1(np.minimum(x, 0)))


def compiled(N: int, progress: ProgressLine) -> gpusim.Profile:
    """Profile the description as CUDA C++, compiled."""
    x, expected = drawn(N)
    module = gpusim.cuda.compile(get("elu-alpha").kernel.emit(B=BLOCK), gpu=GPU)
    arguments = [x, y := np.zeros_like(x), N, float(ALPHA)]
    profile = gpusim.profile(module.kernel("elu_alpha"), -(-N // BLOCK), BLOCK, arguments, gpu=GPU, progress=progress)
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)
    return profile


def by_triton(N: int) -> gpusim.Profile:
    """Profile a kernel in Triton, 1024 elements a program."""
    import triton
    import triton.language as tl

    @triton.jit
    def elu(x, y, n, alpha, WIDTH: tl.constexpr):
        i = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
        v = tl.load(x + i, mask=i < n)
        tl.store(y + i, tl.where(v > 0, v, alpha * (tl.exp(v) - 1)), mask=i < n)

    x, expected = drawn(N)
    y = np.zeros_like(x)
    profile = gpusim.triton.profile(elu, (triton.cdiv(N, 1024),), x, y, N, float(ALPHA), gpu=GPU, WIDTH=1024)
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)
    return profile


def written(torch, x) -> str:
    """Give the source that torch.compile's back end, Inductor, writes for a GPU, without one."""
    from torch._inductor.debug import DebugContext
    from torch._inductor.decomposition import select_decomp_table
    from torch._inductor.graph import GraphLowering
    from torch._inductor.virtualized import V
    from torch._subclasses import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    def eager(x):
        return (torch.where(x > 0, x, ALPHA * (torch.exp(x) - 1)),)

    with torch._C.DisableTorchFunction(), FakeTensorMode() as fake:
        like = torch.empty(x.shape, device="cuda")
        graph = GraphLowering(make_fx(eager, decomposition_table=select_decomp_table())(like))
        with V.set_graph_handler(graph), V.set_fake_mode(fake), V.set_debug_handler(DebugContext()):
            graph.run(like)
            source, _ = graph.codegen()
    return getattr(source, "value", source)


def by_torch(N: int) -> gpusim.Profile:
    """Profile the kernel that Inductor writes for the four operations, with the tiles that it takes."""
    import torch

    x, expected = drawn(N)
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.dict(os.environ, TORCHINDUCTOR_CACHE_DIR=folder),
        gpusim.triton.activate(GPU, summary=False) as gpu,
    ):
        file, code = Path(folder, "written.py"), {"__name__": "written"}
        file.write_text(written(torch, given := torch.from_numpy(x).to("cuda")), encoding="utf-8")
        exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), code)
        (y,) = code["call"]([given.clone()])
        np.testing.assert_allclose(y.cpu().numpy(), expected, rtol=1e-4, atol=1e-5)
        return gpu.launches[-1]


def row(name: str, profiles: list[gpusim.Profile], N: int) -> list[str]:
    """Give the table's row of launches that follow one another."""
    passed = sum(32 * of.value(SECTORS.format(way)) for of in profiles for way in ("read", "write"))
    issued = sum(of.warp_instructions for of in profiles)
    took, hbm = (sum(getattr(of, what) for of in profiles) for what in ("seconds", "dram_bytes"))
    moved = [f"{passed / (4 * N):.1f} N", format_bytes(passed), format_bytes(hbm)]
    return [name, str(len(profiles)), *moved, format_count(issued), f"{32 * issued / N:.1f}", format_seconds(took)]


def main() -> None:
    """Print claim, formula and prediction."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, default=1 << 20, help="elements [1048576]")
    N, lacking = parser.parse_args().n, [name for name in MISSING if not find_spec(name)]
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # what Triton did before it asked
    with ProgressLine() as progress:
        eager = gpusim.predict_chain("elu-alpha-unfused", GPU, n=N, alpha=ALPHA, progress=progress)
        fused = gpusim.predict("elu-alpha", GPU, n=N, alpha=ALPHA, progress=progress)
        found = {"eager": list(eager.steps), "described": [fused], "CUDA": [compiled(N, progress)]}
    found |= {} if "triton" in lacking else {"Triton": [by_triton(N)]}
    found |= {} if lacking else {"torch.compile": [by_torch(N)]}
    heading = ["by", "launches", "through L2", "bytes", "HBM", "instructions", "an element", "time"]
    why = (
        "Fused, all move the same bytes, and times differ little: by instructions and by blocks to be handed out. "
        "Triton's kernel issues fewest of both, because a thread takes several neighbours. Eagerly it takes four "
        "times as long, for arrays between the steps and three launches more. Where L2 keeps these arrays, HBM sees "
        "nothing of them. A comparison would be a fifth launch; here it is inside where. What lies between launches "
        "on the host is not in these times."
    )
    table = table_of([heading, *(row(name, of, N) for name, of in found.items())], right=range(1, 8))
    show([__doc__, *table, "", why, *(line for name in lacking for line in ("", MISSING[name]))])


if __name__ == "__main__":
    main()
