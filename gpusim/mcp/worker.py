"""The process in which tools run: requests come as lines of JSON, and what becomes of them goes as lines of JSON.

It is no part of the protocol: the server ends it when a call takes too long, whatever it is doing.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from typing import Any

from gpusim.errors import GpusimError
from gpusim.names import suggest

Line = dict[str, Any]

APART = 0.5
"""Seconds between two reports of progress at least."""

LONGEST = 4_000
"""Characters of an error, which may have what a compiler wrote."""


def main() -> None:
    """Answer requests until there are no more; nothing but the answers goes to standard output."""
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever is printed is for who watches, not for who asked

    def say(line: Line) -> None:
        print(json.dumps(line, allow_nan=False), file=lines, flush=True)

    serve(sys.stdin, say)


def serve(requests: Iterable[str], say: Callable[[Line], None]) -> None:
    """Load the engine, say so, and answer requests one after another.

    Parameters
    ----------
    requests : iterable of str
        ``{"tool": NAME, "arguments": {...}, "seconds": LIMIT}``.
    say : callable
        Called with ``{"ready": true}``, ``{"doing": TEXT}``, and for each request with ``{"text": ..., "document":
        ...}`` or ``{"error": TEXT}``.
    """
    from gpusim.simulate import load_engine

    load_engine()
    say({"ready": True})
    for request in requests:
        say(answered(json.loads(request), say))


def answered(request: Line, say: Callable[[Line], None]) -> Line:
    """Answer a request, or say what is wrong with it.

    Parameters
    ----------
    request, say
        As for :func:`serve`.
    """
    from gpusim.mcp.answers import cut

    try:
        return _asked(request, say)
    except GpusimError as error:
        return {"error": cut(str(error), LONGEST)}
    except MemoryError:
        return {"error": "not enough memory: ask for smaller sizes"}
    except Exception as error:  # a bug; the next request is none the worse
        traceback.print_exc()
        return {"error": f"a fault of gpusim's own: {type(error).__name__}: {cut(str(error), LONGEST)}"}


def _asked(request: Line, say: Callable[[Line], None]) -> Line:
    from pydantic import ValidationError

    from gpusim.mcp.call import Call
    from gpusim.mcp.tools import TOOLS, parameters

    name = request["tool"]
    if name not in TOOLS:
        raise GpusimError(f"unknown tool {name!r}: {suggest(name, TOOLS)}")
    try:
        checked = parameters(name).model_validate(request["arguments"])
    except ValidationError as error:
        known = list(parameters(name).model_fields)
        raise GpusimError("; ".join(_fault(one, known) for one in error.errors())) from None
    given = {key: getattr(checked, key) for key in type(checked).model_fields}
    return TOOLS[name](Call(request["seconds"], _seldom(say)), **given)._asdict()


def _fault(error: Any, known: list[str]) -> str:
    """What is wrong with a parameter."""
    where = ".".join(map(str, error["loc"]))
    if error["type"] == "extra_forbidden":
        return f"unknown parameter {where!r}: {suggest(str(error['loc'][-1]), _inside(error['loc'], known))}"
    return f"{where}: {error['msg'][:1].lower()}{error['msg'][1:]}"


def _inside(place: tuple[Any, ...], known: list[str]) -> list[str]:
    """Names that are known where a fault is: a tool's, or those of a launch that it takes."""
    from gpusim.mcp.asked import Launch

    return known if len(place) == 1 else list(Launch.model_fields)


def _seldom(say: Callable[[Line], None]) -> Callable[[str], None]:
    """Tell of progress, but not all the time."""
    last = 0.0

    def tell(text: str) -> None:
        nonlocal last
        if time.monotonic() - last >= APART:
            last = time.monotonic()
            say({"doing": text})

    return tell
