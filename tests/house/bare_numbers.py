"""Numbers written out in the engine and in what builds its machines, but for those that say nothing of hardware.

``python -m tests.house.bare_numbers`` prints them.  Those about hardware are in the files of GPUs and generations.
Let pass without a word are 0, 1 and 2; columns numbered by ``range``; words and masks in operations on bits; widths of
operands where a width or bytes are computed with.  All others are in `OWN`.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2] / "gpusim"
ROOMS = ("engine", "simulate")

PLAIN = {0, 1, 2}
SHIFTS = {4, 8, 16, 32}
WIDTHS = {4, 8, 16}
ENCODED = (ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)

ISA = "widths and encodings of the ISA"
FORMAT = "how the simulator keeps something: bits of a word, places of a table, numbers of columns"
PACE = "how far the simulator goes before it looks elsewhere, and what its host fetches ahead"
SCRAMBLED = "made up, to look random"
LENGTH = "how much of a long launch is run, and how it is watched"
GIVEN = "what CUDA and the host give"
SHOWN = "what is shown to a user"
OWN = (
    ("engine/alu/", ISA, "*"),
    ("engine/compiling/", "how numba compiles", "*"),
    ("engine/core/answers.py", PACE, "AHEAD"),
    ("engine/core/barriers.py", ISA, "FULL reach"),
    ("engine/core/bulk_copies.py", ISA, "name_box"),
    ("engine/core/beside.py", "how numba compiles", "LEAST_WORK BETWEEN_LOOKS"),
    ("engine/core/checking/accesses.py", ISA, "WORD_MASK is_amid words_of_race look_at_local may_be_done MATRIX_ROW"),
    ("engine/core/checking/accesses.py", ISA, "look_at_matrices"),
    ("engine/core/checking/meetings.py", FORMAT, "COMPLETE_AT"),
    ("engine/core/checking/meetings.py", ISA, "arrive_at_mbarrier"),
    ("engine/core/checking/order.py", GIVEN, "in_cluster"),
    ("engine/core/checking/order.py", SCRAMBLED, "first_place"),
    ("engine/core/checking/order.py", FORMAT, "OF_BLOCK_AT"),
    ("engine/core/checking/observing.py", SCRAMBLED, "ODD"),
    ("engine/state/checks.py", FORMAT, "*"),
    ("engine/core/flow.py", PACE, "SPUN"),
    ("engine/core/flow.py", FORMAT, "NO_ROOM"),
    ("engine/core/flow.py", ISA, "start"),
    ("engine/core/fragments.py", FORMAT, "FIELD"),
    ("engine/core/indirect_control.py", ISA, "barrier_named"),
    ("engine/core/lane_exchange.py", ISA, "*"),
    ("engine/core/blocks.py", ISA, "set_place"),
    ("engine/core/device_heap.py", GIVEN, "UNIT"),
    ("engine/core/device_heap.py", FORMAT, "SMALL PLAIN"),
    ("engine/core/device_printf.py", ISA, "ONE"),
    ("engine/core/system_calls.py", ISA, "LOW"),
    ("engine/core/bulk_copies.py", ISA, "BLOCKS_AT"),
    ("engine/core/cluster_barrier.py", FORMAT, "tell_of_cluster"),
    ("engine/core/mbarriers.py", ISA, "complete_lanes arrive"),
    ("engine/core/remote_mbarriers.py", ISA, "arrive_remotely"),
    ("engine/core/paths.py", ISA, "FULL"),
    ("engine/core/register_file.py", FORMAT, "FIELD FIELDS LATE ASKS_FIELD spread read_bank"),
    ("engine/core/register_writes.py", ISA, "WIDEST"),
    ("engine/core/warp.py", PACE, "PATIENCE"),
    ("engine/core/warp.py", FORMAT, "ROUNDS_FIELD"),
    ("engine/hierarchy/access_patterns.py", FORMAT, "PATTERNS_KEPT NOWHERE"),
    ("engine/hierarchy/address_map.py", SCRAMBLED, "ODD"),
    ("engine/hierarchy/bank_conflicts.py", FORMAT, "PAIR"),
    ("engine/hierarchy/constant_cache.py", FORMAT, "BANK_AT"),
    ("engine/hierarchy/l1.py", FORMAT, "L1_AGAIN ORDER set_of"),
    ("engine/hierarchy/l2_sets.py", FORMAT, "PARTIAL_AT"),
    ("engine/hierarchy/line_masks.py", FORMAT, "words_of full_sectors touched_sectors"),
    ("engine/hierarchy/outbox.py", FORMAT, "SECTORS_AT N_OUTBOX N_WAITER MOST_ASKED N_HEARD NUMBER_AT"),
    ("engine/hierarchy/scramble.py", SCRAMBLED, "*"),
    ("engine/hierarchy/servers.py", FORMAT, "SPAN_BITS N_SPANS"),
    ("engine/hierarchy/tag_stage.py", FORMAT, "COUNT_FIELD"),
    ("engine/load_store/async_copy.py", ISA, "kept_bits"),
    ("engine/load_store/atomics.py", ISA, "atomic_shared"),
    ("engine/load_store/below.py", PACE, "BACK AHEAD"),
    ("engine/load_store/boxes.py", ISA, "*"),
    ("engine/load_store/tensor_maps.py", ISA, "box_of read_map"),
    ("engine/load_store/buffers.py", ISA, "short_addresses"),
    ("engine/load_store/constants.py", ISA, "load_indexed"),
    ("engine/load_store/global_memory.py", PACE, "FETCHED_AHEAD"),
    ("engine/load_store/global_memory.py", ISA, "extend"),
    ("engine/load_store/local_memory.py", ISA, "move_local"),
    ("engine/load_store/matrices.py", ISA, "*"),
    ("engine/load_store/shared_memory.py", FORMAT, "BY_ATOMICS shared_addresses"),
    ("engine/load_store/textures.py", ISA, "CORNERS STEPS along real from_half"),
    ("engine/load_store/textures.py", FORMAT, "FARTHEST"),
    ("engine/load_store/unwritten.py", FORMAT, "BLANK_BITS"),
    ("engine/load_store/warpgroup.py", ISA, "*"),
    ("engine/state/arrays.py", FORMAT, "Machine CACHE_LINE"),
    ("engine/state/copies.py", FORMAT, "*"),
    (
        "engine/state/columns.py",
        FORMAT,
        "TICKS NEVER PENDING MAX_SPLITS N_GROUPS_KEPT GLOBAL_BASE lines_of SHARED_WINDOW_HI N_UNITS N_REASONS",
    ),
    (
        "engine/state/columns.py",
        FORMAT,
        "UNIT_FIELD UNIT_BUSY INBOUND_KEPT WAVES N_TURN WAVES_FIELD N_TEXTURE",
    ),
    (
        "engine/state/columns.py",
        FORMAT,
        "LANES_FIELD ROUND_PAYS NO_CONFLICTS SPARES FAILURE N_WINDOWS LINK_WRITE_FIELD",
    ),
    ("engine/state/columns.py", ISA, "N_MEETINGS N_BARRIERS N_SCOREBOARDS N_BANKS N_PLACES WINDOW_AT"),
    ("engine/state/error_codes.py", FORMAT, "*"),
    ("engine/state/geometry.py", ISA, "WORD"),
    ("engine/state/reference.py", FORMAT, "_WORD"),
    ("simulate/build.py", FORMAT, "COALESCER_ENTRIES PARTIAL_ENTRIES l1_table"),
    ("simulate/build.py", PACE, "TAG_QUEUE_CYCLES ISSUE_QUEUE_CYCLES LEAST_AHEAD"),
    ("simulate/clock.py", SHOWN, "time_metrics"),
    ("simulate/counting.py", LENGTH, "MOST_TIMED _show"),
    ("simulate/driving.py", LENGTH, "STEPS_A_CALL NO_LIMIT"),
    ("simulate/endless.py", LENGTH, "*"),
    ("simulate/touching.py", LENGTH, "MOST_INSTRUCTIONS"),
    ("simulate/execution.py", LENGTH, "FEWEST_BLOCKS MOST_MARKED"),
    ("simulate/launch.py", GIVEN, "ALIGNMENT POINTER MAP_NORESERVE GRANTED MOST_BYTES SWAPPED arrays_of"),
    ("simulate/known_errors.py", SHOWN, "ENOUGH"),
    ("simulate/metrics.py", SHOWN, "_number"),
    ("simulate/printed.py", GIVEN, "FIFO_BYTES MOST_ARGUMENTS"),
    ("simulate/printf_format.py", "how C writes numbers", "*"),
    ("simulate/quick.py", LENGTH, "COMMON UNEQUAL RUN_WHOLE COUNTED STRETCH TAKEN ALONE UNFAIR"),
    ("simulate/record.py", SHOWN, "_cycles _events _stays"),
    ("simulate/sample.py", LENGTH, "*"),
    ("simulate/spared.py", ISA, "VECTOR"),
    ("simulate/tensor_maps.py", ISA, "WORD"),
    ("simulate/scattered.py", LENGTH, "FACTORS FEW ORDERS TRIED"),
    ("simulate/textures.py", GIVEN, "HANDLE_BYTES CHANNELS MOST_TEXELS FULL"),
    ("simulate/utilisation.py", SHOWN, "utilisation"),
    ("simulate/workers.py", PACE, "SMS_EACH"),
    ("simulate/window.py", LENGTH, "WINDOW FEWEST LITTLE_SHORT"),
    ("simulate/without.py", "by how much a GPU is another one without a cause of time", "SOONER LARGER"),
)
"""Why numbers of a file or folder say nothing of hardware, and which ones: by the names that they are given (the first
of a line) or the functions that they stand in; ``*``: all."""


class Number(NamedTuple):
    """A number in a source."""

    file: str
    line: int
    scope: str
    """What it is given to, or the function that it stands in."""
    value: float
    text: str


def numbers(source: str, file: str) -> Iterator[Number]:
    """Every number of a source that is not let pass."""
    for top in ast.parse(source).body:
        yield from _within(top, file, _scope(top))


def bare(root: Path = ROOT) -> list[Number]:
    """Every number of the rooms that nothing excuses."""
    found = []
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.py")):
            file = path.relative_to(root).as_posix()
            found += [n for n in numbers(path.read_text(encoding="utf-8"), file) if not excused(n)]
    return found


def excused(number: Number) -> bool:
    """Whether `OWN` says why a number is none about hardware."""
    names = [names.split() for place, _, names in OWN if number.file.startswith(place)]
    return any(name in ("*", number.scope) for each in names for name in each)


def _scope(node: ast.stmt) -> str:
    """The name of a function or class, or the first name that something is given."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return names[0] if names else ""


def _within(node: ast.AST, file: str, scope: str, above: tuple[ast.AST, ...] = ()) -> Iterator[Number]:
    if isinstance(node, ast.Constant):
        if type(node.value) in (int, float) and node.value not in PLAIN and not _let_pass(node, above):
            yield Number(file, node.lineno, scope, node.value, ast.unparse(above[-1]))
        return
    if isinstance(node, ast.Assign) and _numbers_columns(node):
        return
    for child in ast.iter_child_nodes(node):
        yield from _within(child, file, scope, (*above, node))


def _numbers_columns(node: ast.Assign) -> bool:
    """Whether names are numbered: ``A, B, C = range(3)``."""
    value = node.value
    called = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "range"
    return called and isinstance(node.targets[0], ast.Tuple)


def _let_pass(node: ast.Constant, above: tuple[ast.AST, ...]) -> bool:
    """Whether a number is a shift, a mask or a width."""
    holder = above[-1]
    if isinstance(holder, ast.Call) and ast.unparse(holder.func) in ("np.uint32", "np.uint64"):
        holder = above[-2]
    if isinstance(holder, ast.BinOp | ast.AugAssign) and isinstance(holder.op, ENCODED):
        mask = isinstance(node.value, int) and node.value + 1 in {1 << k for k in (4, 8, 16, 32)}
        return mask or node.value in SHIFTS
    computed = [each for each in above if isinstance(each, ast.BinOp | ast.Compare)]
    words = ast.unparse(computed[0]).lower() if computed else ""
    return node.value in WIDTHS and ("width" in words or "byte" in words)


def main() -> None:
    """Print them."""
    for n in bare():
        print(f"gpusim/{n.file}:{n.line}: {n.value:g} in {n.scope or 'the module'}: {n.text}")


if __name__ == "__main__":
    main()
