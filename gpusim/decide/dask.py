"""A Dask cluster as the place where points are predicted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gpusim.errors import GpusimError, LackingError

PATIENCE_S = 10
"""Seconds in which a scheduler answers, if it is there."""


@contextmanager
def cluster(address: str) -> Iterator[None]:
    """Have joblib make its calls on a cluster meanwhile.

    Parameters
    ----------
    address : str
        Of its scheduler: ``tcp://HOST:8786``.

    Raises
    ------
    GpusimError
        The package ``distributed`` is not installed, or the address is none.
    LackingError
        Nobody answers there, or it has no worker.
    """
    client = _client(address)
    try:
        _check(client, address)
        import joblib

        with joblib.parallel_config(backend="dask", client=client):
            yield
    finally:
        client.close(timeout=PATIENCE_S)


def _client(address: str) -> Any:
    try:
        import distributed
    except ImportError:
        raise GpusimError('--dask needs Dask: pip install "gpusim[dask]"') from None
    Client: Any = distributed.Client
    try:
        return Client(address, timeout=PATIENCE_S, set_as_default=False)
    except (OSError, TimeoutError):
        raise LackingError(f"--dask {address}: no scheduler answers there within {PATIENCE_S} s") from None
    except ValueError as error:
        raise GpusimError(f"--dask {address}: that is no address such as tcp://HOST:8786 ({error})") from None


def _check(client: Any, address: str) -> None:
    """Refuse a cluster that has no worker, or one whose workers have another gpusim."""
    from gpusim.kept.package import package_digest

    if not client.scheduler_info()["workers"]:
        raise LackingError(f"--dask {address}: it has no worker (dask worker {address} --nthreads 1)")
    own = package_digest()
    for worker, other in client.run(_digest).items():
        if isinstance(other, str) and other.startswith("no "):
            raise GpusimError(f"--dask {address}: worker {worker} has {other}")
        if other != own:
            raise GpusimError(
                f"--dask {address}: worker {worker} has another gpusim, or other numeric packages, than here"
            )


def _digest() -> str | None:
    """Which gpusim a worker has."""
    try:
        from gpusim.kept.package import package_digest
    except ImportError:
        return "no gpusim"
    return package_digest()
