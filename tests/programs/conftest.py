"""What every test of this folder needs: a compiler for the GPU."""

from tests.cuda.conftest import compiler  # noqa: F401 (a fixture)
