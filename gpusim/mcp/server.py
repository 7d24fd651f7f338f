"""The Model Context Protocol on standard input and output: which tools there are, and calls of them."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from gpusim.mcp.process import Process
from gpusim.mcp.tools import TOOLS, parameters

SIGNALLED = 128
"""Added to a signal's number it is the exit status after that signal, as shells give it."""

INSTRUCTIONS = """\
gpusim predicts, with no GPU, how long a CUDA kernel takes on a GPU and what it moves through the memory hierarchy.
check says what is wrong with a kernel. To make it faster: advise it, mend what the first finding names, then diff it \
with the mended source, which says what was gained. tune searches tiles and macros; bound says whether there is \
anything left to gain. Take small, representative sizes. Times come with intervals, counters with claims: exact, \
modelled, calibrated or extrapolated."""


def run(seconds: float) -> None:
    """Serve until standard input ends.

    Parameters
    ----------
    seconds : float
        How long a call may take.
    """
    anyio.run(_serve, seconds)


async def _serve(seconds: float) -> None:
    from gpusim import __version__

    process = Process()
    desk = _Desk(process, seconds)
    server = Server(
        "gpusim", version=__version__, instructions=INSTRUCTIONS, on_list_tools=_list, on_call_tool=desk.call
    )
    process.start()
    try:
        async with anyio.create_task_group() as tasks:
            if os.name == "posix":
                tasks.start_soon(_end_at_a_signal, process)
            async with stdio_server() as (reading, writing):
                await server.run(reading, writing, server.create_initialization_options())
            tasks.cancel_scope.cancel()
    finally:
        process.close()


async def _end_at_a_signal(process: Process) -> None:
    """End at once when told to: a thread waits for what is asked next, and would for as long as nobody closes it."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for one in signals:
            process.close()
            print("gpusim:", "interrupted" if one == signal.SIGINT else "terminated", file=sys.stderr, flush=True)
            os._exit(SIGNALLED + one)


async def _list(context: ServerRequestContext[Any, Any], asked: PaginatedRequestParams | None) -> ListToolsResult:
    """Every tool."""
    return ListToolsResult(tools=[described(name) for name in TOOLS])


def described(name: str) -> Tool:
    """Give a tool as the protocol has it.

    Parameters
    ----------
    name : str
        Of :data:`gpusim.mcp.tools.TOOLS`.
    """
    about = " ".join((TOOLS[name].__doc__ or "").split())
    harmless = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
    schema = parameters(name).model_json_schema()
    return Tool(name=name, description=about, input_schema=schema, annotations=harmless)


class _Desk:
    """Takes calls, one at a time.

    Parameters
    ----------
    process : Process
        Answers them.
    seconds : float
        How long one may take.
    """

    def __init__(self, process: Process, seconds: float) -> None:
        self._process, self._seconds, self._lock = process, seconds, anyio.Lock()

    async def call(self, context: ServerRequestContext[Any, Any], asked: CallToolRequestParams) -> CallToolResult:
        """Answer a call; one that is cancelled is ended."""
        began = time.monotonic()

        def tell(text: str) -> None:
            anyio.from_thread.run(context.session.report_progress, time.monotonic() - began, self._seconds, text)

        async with self._lock:
            try:
                line = await anyio.to_thread.run_sync(
                    self._process.ask, asked.name, asked.arguments or {}, self._seconds, tell, abandon_on_cancel=True
                )
            except anyio.get_cancelled_exc_class():
                self._process.end()
                raise
        return result(line)


def result(line: dict[str, Any]) -> CallToolResult:
    """Give an answer, or an error, as the protocol has it.

    Parameters
    ----------
    line : dict
        As :meth:`gpusim.mcp.process.Process.ask` gives it.
    """
    if "error" in line:
        return CallToolResult(content=[TextContent(type="text", text=line["error"])], is_error=True)
    content: list[ContentBlock] = [TextContent(type="text", text=line["text"])]
    return CallToolResult(content=content, structured_content=line["document"])
