"""``gpusim kernels FILE``: what is inside."""

import pytest

from gpusim.cli import main


@pytest.mark.usefixtures("compiler")
def test_kernels_of_a_file_are_listed(tmp_path, capsys):
    file = tmp_path / "two.cu"
    file.write_text(
        "__global__ void a(float *x) { __shared__ float s[256]; s[threadIdx.x] = *x; __syncthreads(); *x = s[3]; }\n"
        "__global__ void b(int n) {}\nint main() { return 0; }\n"
    )
    assert main(["kernels", str(file)]) == 0
    said = capsys.readouterr().out
    assert "float* x" in said
    assert "1.02 kB" in said
    assert "int n" in said


@pytest.mark.usefixtures("compiler")
def test_a_source_that_comes_with_gpusim_is_listed_by_its_name(capsys):
    assert main(["kernels", "matmul_wgmma.cu"]) == 0
    assert "wgmma_cluster" in capsys.readouterr().out
