"""The process that answers, started by :mod:`gpusim.mcp.process`."""

from __future__ import annotations

from gpusim.mcp.worker import main

if __name__ == "__main__":
    main()
