"""Can a model ask over the Model Context Protocol, and make a kernel faster by what it hears?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.ask.documents import faults
from tests.ask.transposes import LAUNCH, PADDED, READING, SLOW, TRANSPOSE

pytest.importorskip("mcp")

import anyio
from mcp import ClientSession, StdioServerParameters, stdio_client

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 4
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
GREETING = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}},
}  # fmt: skip
ENDLESS = """\
__global__ void slowly(float* x) {
    float a = x[0];
    for (int i = 0; i < 2000000000; ++i) a = a * 1.5f + 1;
    x[0] = a;
}
"""

pytestmark = [pytest.mark.usefixtures("compiler"), pytest.mark.slow]


class Asking:
    """A client in a session, which notes how far the server says that it is."""

    def __init__(self, session: ClientSession) -> None:
        self.session, self.heard = session, []

    async def _note(self, done: float, total: float | None, text: str | None) -> None:
        self.heard.append((done, total, text))

    async def __call__(self, tool: str, **arguments: Any) -> Any:
        self.heard.clear()
        return await self.session.call_tool(tool, arguments, progress_callback=self._note)


def session(dialogue, *, seconds=60):
    """Hold a dialogue with a server of its own."""

    async def held():
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "gpusim", "mcp", "--seconds", str(seconds)], env=ENVIRONMENT
        )
        async with stdio_client(command) as (reading, writing), ClientSession(reading, writing) as one:
            about = await one.initialize()
            await dialogue(Asking(one), about)

    anyio.run(held)


def said(answer):
    (content,) = answer.content
    assert len(content.text) <= 6_000
    assert len(json.dumps(answer.structured_content)) <= 6_000
    return content.text


@pytest.mark.long
def test_a_slow_transpose_is_made_faster():
    async def dialogue(ask, about):
        assert about.server_info.name == "gpusim"
        assert "advise" in about.instructions

        before = await ask("advise", source=SLOW, **LAUNCH)
        assert not before.is_error, said(before)
        assert said(before).startswith(f"Most is lost to bank conflicts at kernel.cu:{READING}: ")
        assert "Pad rows of the shared array by a word" in said(before).partition("\n\n")[0].replace("\n", " ")
        assert faults(before.structured_content, "advice") == []
        (advice,) = before.structured_content["advice"]
        finding = advice["findings"][0]
        assert finding["places"][0]["name"] == f"kernel.cu:{READING}"
        assert ask.heard, "nothing was said of progress"
        assert [done for done, _, _ in ask.heard] == sorted(done for done, _, _ in ask.heard)

        after = await ask("profile", source=PADDED, **LAUNCH)
        assert faults(after.structured_content, "profiles") == []
        (profile,) = after.structured_content["profiles"]
        assert profile["derived"]["bank_conflicts"] == 0
        cycles = profile["metrics"]["gpc__cycles_elapsed.max"]
        assert f"{cycles['value']:,}".replace(",", " ") in said(after).partition("\n")[0]

        realised = advice["cycles"] / cycles["value"]
        assert realised == pytest.approx(finding["speedup"], rel=0.1)
        assert finding["interval"]["low"] <= realised <= finding["interval"]["high"]

        compared = await ask("diff", before={"source": SLOW, **LAUNCH}, after={"source": PADDED, **LAUNCH})
        assert faults(compared.structured_content, "diff") == []
        diff = compared.structured_content["diff"]
        assert diff["time"]["a"] / diff["time"]["b"] == pytest.approx(realised, rel=1e-3)
        assert f"({realised:.2f}x as fast; 80 %: " in said(compared).partition("\n\n")[0].replace("\n", " ")
        cause = diff["why"]["causes"][0]
        assert cause["cause"] == "bank conflicts"
        assert cause["change"] == pytest.approx(diff["why"]["cycles"]["change"], rel=0.1)
        assert ask.heard, "nothing was said of progress"

        again = await ask("advise", source=PADDED, **LAUNCH)
        assert "bank conflicts" not in {one["cause"] for one in again.structured_content["advice"][0]["findings"]}

    session(dialogue)


@pytest.mark.long
def test_the_pitch_is_searched_and_the_least_traffic_asked_for():
    async def dialogue(ask, about):
        found = await ask("tune", source=TRANSPOSE, over={"PITCH": [32, 33, 40]}, top=1, **LAUNCH)
        assert not found.is_error, said(found)
        assert faults(found.structured_content, "tuning") == []
        assert found.structured_content["tuning"]["candidates"][0]["point"] == {"PITCH": 33}
        assert said(found).startswith("PITCH=33 is the fastest, by ")
        assert ask.heard, "nothing was said of progress"

        least = await ask("bound", kernel="transpose-padded", params={"n": 256})
        assert not least.is_error, said(least)
        assert faults(least.structured_content, "bound") == []
        (bound,) = least.structured_content["bounds"]
        hbm = next(level for level in bound["levels"] if level["level"] == "HBM")
        assert hbm["bound_bytes"] == 256 * 256 * 4
        assert hbm["bound_bytes"] <= hbm["counted_bytes"] < 1.1 * hbm["bound_bytes"]
        assert said(least).startswith("No schedule moves less than 262 kB at HBM (this one 1.0 times that), ")

    session(dialogue)


def test_what_there_is_and_what_there_is_not():
    async def dialogue(ask, about):
        tools = {tool.name: tool for tool in (await ask.session.list_tools()).tools}
        assert {"predict", "profile", "advise", "diff", "tune", "bound", "check", "kernels", "gpus"} == tools.keys()
        for tool in tools.values():
            assert tool.description
            assert tool.annotations.read_only_hint
            for name, parameter in tool.input_schema["properties"].items():
                assert parameter["description"], f"{tool.name} does not say what {name} is"

        assert "transpose-padded" in said(await ask("kernels"))
        assert "--T  --tile" in said(await ask("kernels", words="transpose-padded"))
        assert "h200" in said(await ask("gpus"))
        assert "62914560" in said(await ask("gpus", name="h200"))

        for arguments, says in (
            ({"kernel": "transpose-pad"}, "unknown kernel 'transpose-pad': did you mean transpose-padded"),
            ({"kernel": "copy", "param": {}}, "unknown parameter 'param': did you mean params?"),
            ({"kernel": "copy", "params": {"N": 0}}, "N"),
            ({"kernel": "copy", "gpu": "h20"}, "unknown GPU 'h20': did you mean h200?"),
            ({"kernel": "copy", "cache": "hot"}, "cache: input should be 'cold', 'warm' or 'flushed'"),
            ({}, "kernel: field required"),
        ):
            answer = await ask("predict", **arguments)
            assert answer.is_error
            assert says in said(answer)
            assert "Traceback" not in said(answer)
        assert said(await ask("predct")) == "unknown tool 'predct': did you mean predict?"
        answer = await ask("profile", source='#include "/etc/passwd"\n__global__ void k() {}', grid=1, block=1)
        assert said(answer).startswith("source: includes '/etc/passwd': only headers of CUDA")
        answer = await ask("profile", source="__global__ void k() { x }", grid=1, block=1)
        assert said(answer).startswith("kernel.cu does not compile for sm_90")
        assert "/tmp" not in said(answer)

    session(dialogue)


@pytest.mark.long
def test_a_launch_that_is_too_long_ends_in_time_and_the_next_is_answered():
    async def dialogue(ask, about):
        await ask("gpus")  # by now the engine is loaded
        began = time.monotonic()
        answer = await ask("profile", source=ENDLESS, grid=1, block=32, args={"x": "zeros:1"})
        assert time.monotonic() - began < SECONDS + 5
        assert answer.is_error
        assert said(answer).startswith(f"not done within {SECONDS} s (")
        assert "ask for smaller sizes" in said(answer)

        with anyio.move_on_after(2):  # a client that gives up
            await ask("profile", source=ENDLESS, grid=1, block=32, args={"x": "zeros:1"})
        assert not (await ask("predict", kernel="copy", params={"N": 65536})).is_error

    session(dialogue, seconds=SECONDS)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_ends_when_it_is_told_to(number, status):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-m", "gpusim", "mcp"], **pipes, text=True, env=ENVIRONMENT) as server:
        server.stdin.write(json.dumps(GREETING) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        server.send_signal(number)
        assert server.wait(10) == status
        assert server.stderr.read() == f"gpusim: {'interrupted' if status == 130 else 'terminated'}\n"


def test_nothing_but_the_protocol_goes_to_standard_output():
    source = '#include <cstdio>\n__global__ void k() { printf("hello\\n"); }'
    requests = [
        GREETING,
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "profile", "arguments": {
            "source": source, "grid": 1, "block": 32}}},
    ]  # fmt: skip
    command = [sys.executable, "-W", "default", "-m", "gpusim", "mcp"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as server:
        for one in requests:
            server.stdin.write(json.dumps({"jsonrpc": "2.0"} | one) + "\n")
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        rest, _ = server.communicate(timeout=60)  # closes its input: it ends
    assert [one["id"] for one in answers] == [1, 2]
    assert "It prints: hello" in answers[1]["result"]["content"][0]["text"]
    assert (server.returncode, rest) == (0, "")
