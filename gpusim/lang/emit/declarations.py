"""What surrounds a kernel's body: headers, tile sizes, helpers, the signature, shared arrays."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import PurePath

from gpusim.hardware import DEFAULT_ARCHITECTURE, of_architecture
from gpusim.hardware.sections import Shared
from gpusim.lang.binding import most_threads
from gpusim.lang.emit import types
from gpusim.lang.emit.accesses import Accesses
from gpusim.lang.emit.expressions import ONE
from gpusim.lang.emit.helpers import HELPERS
from gpusim.lang.emit.lines import STEP, wrapped
from gpusim.lang.evaluate import binary
from gpusim.lang.lower import bind
from gpusim.lang.tree import (
    CopyAsync,
    Expr,
    GlobalArray,
    Load,
    LoadMatrices,
    SharedArray,
    Stmt,
    Store,
    Tree,
    distinct,
    operands,
    statements,
)


def dynamic_shared(tree: Tree, tiles: Mapping[str, int]) -> int:
    """Bytes of dynamic shared memory that the source of a description is launched with: 0 where all of it is static.

    Parameters
    ----------
    tree : Tree
    tiles : mapping of str to int
        A value for every tile size.
    """
    shared = of_architecture(DEFAULT_ARCHITECTURE, Shared)
    _, nbytes = bind.shared_layout(tree, tiles, shared.max_bytes_per_block)
    return nbytes if nbytes > shared.default_max_bytes_per_block else 0


class Declarations:
    """All of a source but the kernel's body.

    Making one gives parameters and arrays their names.

    Parameters
    ----------
    tree : Tree
    tiles : mapping of str to int
        All tile sizes.
    body : sequence of Stmt
        What is to be written.
    accesses : Accesses
        Where the names are noted.
    name : str
        Of the function.
    """

    def __init__(
        self, tree: Tree, tiles: Mapping[str, int], body: Sequence[Stmt], accesses: Accesses, name: str
    ) -> None:
        self.tree, self.tiles, self.accesses = tree, tiles, accesses
        self.write = accesses.write
        scope = accesses.scope
        for helper in HELPERS:
            scope.declare(helper)
        for param in tree.params:
            self.write.names[param.name] = scope.declare(param.name)
        self.arrays: list[GlobalArray | SharedArray] = [*tree.globals, *tree.shared]
        for array in self.arrays:
            accesses.storage[array] = scope.declare(array.name)
        self.name = scope.declare(name)
        self.memory = scope.declare("memory")
        self.kept = list(statements(body))
        self.shared = of_architecture(DEFAULT_ARCHITECTURE, Shared)
        self.layout, self.shared_bytes = bind.shared_layout(tree, tiles, self.shared.max_bytes_per_block)

    def source(self, body: str) -> str:
        """The whole text around ``body``."""
        kernel = f"{self._signature()}{self._shared()}{body}}}\n"
        parts = [self._header(), self._includes(), self._constants(kernel), *self._helpers(kernel), kernel]
        return "\n".join(part for part in parts if part)

    # ---------------------------------------------------------- before the kernel

    def _header(self) -> str:
        """What it was made from, and how to launch it."""
        sizes = ", ".join(f"{name} = {value}" for name, value in self.tiles.items())
        made = f"// {self.tree.name} of {PurePath(self.tree.source).name}{f' with {sizes}' if sizes else ''}"
        grid, block = (", ".join(map(self.write.text, _used(shape))) for shape in (self.tree.grid, self.tree.block))
        launch = f"// Launch: dim3 grid({grid}), block({block});"
        if self._is_dynamic:
            launch += f" {self.shared_bytes} bytes of dynamic shared memory"
        return "\n".join(line for text in (made, launch) for line in _comment(text)) + "\n"

    def _includes(self) -> str:
        dtypes = {a.dtype for a in self.arrays}
        dtypes.update(e.dtype for e in distinct(operand for s in self.kept for operand in operands(s)))
        headers = dict.fromkeys(header for dtype, header in types.HEADERS.items() if dtype in dtypes)
        return "".join(f"#include <{header}>\n" for header in headers)

    def _constants(self, kernel: str) -> str:
        names = ((self.write.names[name], value) for name, value in self.tiles.items())
        return "".join(f"constexpr int {name} = {value};\n" for name, value in names if _mentions(kernel, name))

    @staticmethod
    def _helpers(kernel: str) -> list[str]:
        return [text for name, text in HELPERS.items() if _mentions(kernel, name)]

    # ---------------------------------------------------------- the kernel's head

    def _signature(self) -> str:
        pointers = [self._pointer(a) for a in self.tree.globals]
        numbers = [f"{types.NAMES[p.dtype]} {self.write.names[p.name]}" for p in self.tree.params if p.role != "tile"]
        head = f'extern "C" __global__ void __launch_bounds__({self._threads()})'
        rest = wrapped(f"{self.name}({', '.join([*pointers, *numbers])}) {{", more=2 * STEP)
        return "\n".join([head, *rest]) + "\n"

    def _threads(self) -> str:
        """Most threads of a block."""
        if None in bind.block_shape(self.tree, self.tiles):
            return str(most_threads())
        return self.write.text(reduce(lambda a, b: binary("mul", a, b), self.tree.block))

    def _pointer(self, array: GlobalArray) -> str:
        const = "const " if array.intent == "in" else ""
        return f"{const}{types.NAMES[array.dtype]}* __restrict__ {self.accesses.storage[array]}"

    # ---------------------------------------------------------- shared arrays

    @property
    def _is_dynamic(self) -> bool:
        return bool(dynamic_shared(self.tree, self.tiles))

    def _shared(self) -> str:
        lines = []
        if self._is_dynamic:
            lines.append(f"extern __shared__ __align__({bind.SHARED_ALIGNMENT}) unsigned char {self.memory}[];")
        for array, info in zip(self.tree.shared, self.layout, strict=True):
            lines.append(self._part(array, info.offset) if self._is_dynamic else self._static(array))
        return "".join(f"{line}\n" for text in lines for line in wrapped(text, STEP))

    def _extents(self, array: SharedArray) -> str:
        return "".join(f"[{self.write.text(e)}]" for e in array.shape)

    def _part(self, array: SharedArray, offset: int) -> str:
        """An array in dynamic shared memory."""
        name, kind = self.accesses.storage[array], f"{types.NAMES[array.dtype]} (*){self._extents(array)}"
        place = f"{self.memory} + {offset}" if offset else self.memory
        return f"auto& {name} = *reinterpret_cast<{kind}>({place});"

    def _static(self, array: SharedArray) -> str:
        accesses = [s for s in self.kept if getattr(s, "array", None) is array]
        widths = [len(s.temps if isinstance(s, Load) else s.values) for s in accesses if isinstance(s, (Load, Store))]
        pieces = any(isinstance(s, (LoadMatrices, CopyAsync)) for s in accesses)
        wide = pieces or max(widths, default=1) > 1
        align = f"__align__({bind.SHARED_ALIGNMENT}) " if wide else ""
        # What is only written would be left out, and with it the memory that it takes.
        kept = "volatile " if all(isinstance(s, Store) for s in accesses) and not wide else ""
        declared = f"{self.accesses.storage[array]}{self._extents(array)};"
        return f"__shared__ {align}{kept}{types.NAMES[array.dtype]} {declared}"


def _used(shape: tuple[Expr, Expr, Expr]) -> list[Expr]:
    """Extents up to the last that is not 1."""
    kept = list(shape)
    while len(kept) > 1 and kept[-1] == ONE:
        kept.pop()
    return kept


def _comment(text: str) -> list[str]:
    first, *more = wrapped(text)
    return [first, *(f"//     {line.strip()}" for line in more)]


def _mentions(code: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", code) is not None
