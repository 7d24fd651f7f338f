"""gpusim for programs that ask by the Model Context Protocol: ``gpusim mcp`` serves it on standard input and output.

:mod:`~gpusim.mcp.tools` is the table of what can be asked.  A tool runs in a process of its own
(:mod:`~gpusim.mcp.worker`), which is ended when its time is up; :mod:`~gpusim.mcp.server` speaks the protocol.
"""
