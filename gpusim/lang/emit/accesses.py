"""Memory and other lanes: the text of loads, stores, atomics, shuffles, and of the values they give."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from gpusim.lang.description_errors import DescriptionError
from gpusim.lang.emit import types
from gpusim.lang.emit.expressions import ATOM, CHOICE, Expressions, Text, without_sign
from gpusim.lang.emit.identifiers import Scope
from gpusim.lang.emit.inline import as_loaded, stored_whole
from gpusim.lang.emit.named import Names
from gpusim.lang.evaluate import binary, constant
from gpusim.lang.operators import OPERATORS
from gpusim.lang.swizzle import swizzled
from gpusim.lang.tree import (
    Atomic,
    Binary,
    Const,
    CopyAsync,
    DType,
    Expr,
    Fragment,
    GlobalArray,
    Let,
    Load,
    LoadMatrices,
    LocalArray,
    Mma,
    Read,
    SharedArray,
    Shuffle,
    Stmt,
    Store,
    Temp,
    Tree,
    Var,
)

Memory = GlobalArray | SharedArray
CACHED = {"cg": "__ldcg", "cs": "__ldcs", "lu": "__ldlu", "cv": "__ldcv"}
SHUFFLES = {"idx": "__shfl_sync", "up": "__shfl_up_sync", "down": "__shfl_down_sync", "xor": "__shfl_xor_sync"}
ALL_LANES, LANES_HERE = "0xffffffff", "__activemask()"
LOADED = 4  # matrices at a time
UNNAMED = {"Atomic": "old", "Shuffle": "other", "Let": "value"}


class Accesses:
    """Text of what touches memory or other lanes; knows what every value and storage is called.

    Attributes
    ----------
    write : Expressions
    storage : dict
        Names of arrays and variables.
    temps : dict
        Text of temps, by id.
    whole : dict
        Name of the vector that a wide load defines, by its temps.
    packed : dict
        Name of the array that a wide store's values were put in, by the store's id.
    lanes : str
        The lanes that take part in a shuffle here.
    """

    def __init__(
        self, tree: Tree, tiles: Mapping[str, int], scope: Scope, names: Names, inlined: Mapping[int, Stmt]
    ) -> None:
        self.tree, self.tiles, self.scope, self.names, self.inlined = tree, tiles, scope, names, inlined
        self.write = Expressions(tree, self._temp)
        self.storage: dict[Memory | LocalArray | Var, str] = {}
        self.temps: dict[int, str] = {}
        self.whole: dict[tuple[Temp, ...], str] = {}
        self.packed: dict[int, str] = {}
        self.lanes = ALL_LANES

    def name_for(self, s: Stmt, temp: Temp) -> str:
        """Declare a name for a value: the description's, or one that says where it is from."""
        wide = isinstance(s, Load) and len(s.temps) > 1
        base = (self.names.vectors if wide else self.names.temps).get(temp.id)
        if base is None and isinstance(s, Load):
            base = f"{s.array.name.lower()}{len(s.temps) if wide else '_value'}"
        return self.scope.declare(base or UNNAMED[type(s).__name__])

    def _temp(self, temp: Temp) -> Text:
        s = self.inlined.get(temp.id)
        return (self.temps[temp.id], ATOM) if s is None else self.value(s)

    def value(self, s: Stmt) -> Text:
        """What a statement defines, as an expression."""
        match s:
            case Let(value=Read(target=target, indices=indices)):
                return self.element(target, indices), ATOM
            case Let(value=value):
                return self.write.text(value), CHOICE
            case Load():
                return self._load(s)
            case Shuffle(kind=kind, value=value, lane=lane):
                write = self.write
                return f"{SHUFFLES[kind]}({self.lanes}, {write.signed(value)}, {write.text(lane)})", ATOM
            case Atomic():
                return self._atomic(s), ATOM
        raise TypeError(f"defines nothing: {s!r}")

    # ---------------------------------------------------------- places

    def element(self, array: Memory | LocalArray | Var, index: tuple[Expr, ...]) -> str:
        """``A[row * K + k]`` of a global array, ``sA[r][k]`` of any other."""
        name = self.storage[array]
        if isinstance(array, GlobalArray):
            return f"{name}[{self.write.text(_flat(index, array.shape))}]"
        return name + "".join(f"[{self.write.text(i)}]" for i in swizzled(array, index, self.tiles))

    def _pointer(self, array: Memory, index: tuple[Expr, ...], kind: str) -> str:
        return f"reinterpret_cast<{kind}*>(&{self.element(array, index)})"

    def update(self, value: Expr, array: Memory | LocalArray | Var, index: tuple[Expr, ...]) -> str:
        """``= value``, or ``+= b`` where ``value`` is the sum of what is there and ``b``; all operators alike."""
        match value:
            case Binary(op=op, a=Temp() as old, b=b) if op in OPERATORS and self._is_there(old, array, index):
                if value.a.dtype is value.dtype is not DType.PRED:
                    op, b = without_sign(op, b)
                    return f"{OPERATORS[op].cuda}= {self.write.text(b)}"
        return f"= {self.write.text(value)}"

    def _is_there(self, temp: Temp, array: Memory | LocalArray | Var, index: tuple[Expr, ...]) -> bool:
        """Whether ``temp`` is what the place holds before it is assigned."""
        match self.inlined.get(temp.id):
            case Let(value=Read(target=place, indices=indices)):
                return place is array and indices == index
            case Load(array=place, index=indices, guard=None, cache="ca", temps=(_,)):
                return place is array and indices == index
        return False

    # ---------------------------------------------------------- tensor cores, copies

    def fragment(self, fragment: Fragment) -> str:
        """The array of a fragment's registers."""
        return self.element(fragment.array, fragment.indices)

    def matrices(self, s: LoadMatrices) -> str:
        """A load of matrices from shared memory."""
        each = LOADED // len(s.fragments)
        registers = [f"{self.fragment(f)}[{k}]" for f in s.fragments for k in range(each)]
        name = "load_transposed" if s.transpose else "load_matrices"
        return f"{name}({', '.join(registers)}, &{self.element(s.array, s.index)});"

    def product(self, s: Mma) -> str:
        """A product of a warp's matrices."""
        kind = "tf32" if s.kind is DType.F32 else s.kind.value
        return f"mma_{kind}({', '.join(map(self.fragment, (s.sums, s.a, s.b)))});"

    def copy(self, s: CopyAsync) -> str:
        """An asynchronous copy."""
        places = f"&{self.element(s.array, s.index)}, &{self.element(s.source, s.source_index)}"
        guard = "true" if s.guard is None else self.write.text(s.guard)
        return f"copy_async_{s.nbytes}({places}, {guard});"

    # ---------------------------------------------------------- loads

    def _load(self, s: Load) -> Text:
        fetched = self.fetched(s)
        if s.guard is None:
            return fetched, ATOM
        return self.write.choice(s.guard, fetched, self._instead(s)), CHOICE

    def fetched(self, s: Load) -> str:
        """What a load reads, its guard aside."""
        dtype, count = s.array.dtype, len(s.temps)
        if count == 1:
            place = self.element(s.array, s.index)
            return f"{CACHED[s.cache]}(&{place})" if s.cache in CACHED else place
        pointer = self._pointer(s.array, s.index, f"const {types.vector(dtype, count)}")
        return f"{CACHED[s.cache]}({pointer})" if s.cache in CACHED else f"*{pointer}"

    def _instead(self, s: Load) -> str:
        """What a load gives where its guard does not hold."""
        dtype, count = s.array.dtype, len(s.temps)
        other = s.other if s.other is not None else zero(dtype)
        if count == 1:
            return self.write.within(other, CHOICE)
        if dtype.is_narrow:
            return f"{types.vector(dtype, count)}{{}}"  # zeros; others are filled in one by one
        return f"make_{types.vector(dtype, count)}({', '.join([self.write.text(other)] * count)})"

    # ---------------------------------------------------------- stores, atomics

    def store(self, s: Store) -> str:
        """The assignment of a store, its guard aside."""
        dtype, count = s.array.dtype, len(s.values)
        if count == 1:
            return f"{self.element(s.array, s.index)} {self.update(as_loaded(s.values[0]), s.array, s.index)};"
        return f"*{self._pointer(s.array, s.index, types.vector(dtype, count))} = {self._gathered(s)};"

    def _gathered(self, s: Store) -> str:
        """The values of a wide store as one vector."""
        dtype, count = s.array.dtype, len(s.values)
        temps = stored_whole(s)
        source = self.inlined.get(temps[0].id) if temps else None
        if isinstance(source, Load) and source.temps == temps:
            return self.value(source)[0]
        name = self.whole.get(temps, self.packed.get(id(s), ""))
        if dtype.is_narrow:
            return self.bits(name, dtype, count, "const ")
        return name or f"make_{types.vector(dtype, count)}({', '.join(map(self.write.text, s.values))})"

    def is_packed(self, s: Store) -> bool:
        """Whether the values of a wide store are put together in an array before it."""
        temps = stored_whole(s)
        wide = len(s.values) > 1 and s.array.dtype.is_narrow
        return wide and not (temps and (temps in self.whole or temps[0].id in self.inlined))

    @staticmethod
    def bits(name: str, dtype: DType, count: int, const: str = "") -> str:
        """An array of a narrow type as the one word or vector that it moves as."""
        return f"*reinterpret_cast<{const}{types.vector(dtype, count)}*>({name})"

    def define_parts(self, s: Load, name: str) -> None:
        """The temps of a wide load are the parts of vector ``name``."""
        self.whole[s.temps] = name
        for temp, part in zip(s.temps, _parts(name, s.temps), strict=True):
            self.temps[temp.id] = part

    def _atomic(self, s: Atomic) -> str:
        if s.array.dtype is DType.F32 and s.op != "add":
            place = f"{self.tree.source}:{s.line}"
            raise DescriptionError(f"{place}: CUDA C++ has no atomic {s.op} of floats; keep them as i32 or u32")
        value = self.write.signed(s.value)
        return f"atomic{s.op.capitalize()}(&{self.element(s.array, s.index)}, {value})"


def _parts(name: str, temps: tuple[Temp, ...]) -> tuple[str, ...]:
    if temps[0].dtype.is_narrow:
        return tuple(f"{name}[{number}]" for number in range(len(temps)))
    return tuple(f"{name}.{part}" for part in "xyzw"[: len(temps)])


def zero(dtype: DType) -> Const:
    """Zero, or false."""
    return constant(False) if dtype is DType.PRED else constant(0, dtype)


def _flat(index: tuple[Expr, ...], shape: tuple[Expr, ...]) -> Expr:
    """Row-major number of an element."""

    def step(above: Expr, axis: tuple[Expr, Expr]) -> Expr:
        i, extent = axis
        return binary("add", binary("mul", above, extent), i)

    return reduce(step, zip(index[1:], shape[1:], strict=True), index[0])
