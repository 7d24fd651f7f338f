"""What ``torch.compile`` writes for a GPU, made here without one, and run."""

import pytest

pytest.importorskip("triton", reason="gpusim[triton] is not installed")
torch = pytest.importorskip("torch", minversion="2.10", reason="PyTorch is not installed")

from gpusim.triton import activate

pytestmark = pytest.mark.filterwarnings("ignore")  # PyTorch's own


def written(function, *shape):
    """Source that PyTorch makes of a function for a GPU that is not there."""
    from torch._inductor.debug import DebugContext
    from torch._inductor.decomposition import select_decomp_table
    from torch._inductor.graph import GraphLowering
    from torch._inductor.virtualized import V
    from torch._subclasses import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    with torch._C.DisableTorchFunction(), FakeTensorMode() as fake:
        x = torch.empty(shape, device="cuda")
        graph = GraphLowering(make_fx(lambda x: (function(x),), decomposition_table=select_decomp_table())(x))
        with V.set_graph_handler(graph), V.set_fake_mode(fake), V.set_debug_handler(DebugContext()):
            graph.run(x)
            source, _ = graph.codegen()
    return getattr(source, "value", source)


def test_elu_is_launched_and_its_tiles_are_chosen_by_predicted_times(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    with activate("h100-sxm", summary=False) as gpu:
        code = {"__name__": "written"}
        exec(compile(written(torch.nn.functional.elu, 512, 256), str(tmp_path / "written.py"), "exec"), code)
        x = torch.randn(512, 256, device="cuda")
        (y,) = code["call"]([x.clone()])
        assert y.is_cuda
        torch.testing.assert_close(y, torch.nn.functional.elu(x))
        *tried, best = gpu.launches
        assert best.seconds == min(one.seconds for one in tried)
