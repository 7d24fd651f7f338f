"""Attention for decoding: the one new query of every head over a cache of N keys and values.

Q and O are [B, H, d]; K and V are [B, H/G, N, d]: G query heads share a head of keys and values (G = 1: each has its
own).  A block takes a head of keys and values and all G queries, so that K and V are read once, however large G is.
P lanes hold a key between them, in loads of 16 bytes each; such a team of lanes has U keys and values under way at a
time and keeps an online softmax of its own.  When the cache has passed by, the teams' parts are merged.

Where heads are too few to fill the GPU, S blocks share a cache (Flash-Decoding): each leaves its O and the logarithm L
of its sum of exp(score) in HBM, and a second kernel merges them.
"""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Published, Textbook, Traffic, numpy_dtype
from gpusim.catalogue.chain import Chain, Step
from gpusim.catalogue.element_types import each_type, named

LOWEST = -3.4028234663852886e38  # of fp32: where no key was seen, for -inf would be subtracted from -inf
SHUFFLES = 5  # steps of a butterfly over all 32 lanes


# ------------------------------------------------------------------ what the kernels share


def team_rules(element):
    """Check that a warp is whole teams, and that a team's lanes load a row in whole vectors."""
    wide = 16 // element.nbytes

    def rules(p):
        return [
            (32 % p.P == 0, "P lanes hold a key, and a warp holds whole keys: P must divide 32"),
            (p.d % (wide * p.P) == 0, f"P lanes load {wide} elements each at a time: {wide}*P must divide d"),
            (p.W <= 32, "W warps must fit a block of 1024 threads"),
        ]

    return rules


def group_rules(element):
    """Check besides that query heads share those of keys evenly."""
    rules = team_rules(element)
    return lambda p: [*rules(p), (p.H % p.G == 0, "G query heads share a head of keys: G must divide H")]


def teams_of(p):
    """Take W warps, cut into teams of P lanes."""
    return (p.P, 32 * p.W // p.P)


class Team:
    """What a team of lanes works for: head `h` of batch `b`, G queries of it, rows of d elements of one type."""

    def __init__(self, element, b, h, d, G, P, W):
        self.b, self.h, self.d, self.G = b, h, d, G
        self.lanes, self.count, self.part = P, 32 * W // P, d // P
        self.wide = 16 // element.nbytes
        self.sO = gl.shared(gl.f32, self.count, d)
        self.sl = gl.shared(gl.f32, self.count)
        self.sm = gl.shared(gl.f32, self.count)

    def column(self, e):
        """Give the column of a row that the lane's element `e` is, the first of a vector."""
        return e * self.lanes + gl.tid.x * self.wide

    def columns(self):
        """Loop over the columns that a thread takes when all threads of the block share out a row."""
        return gl.range(gl.tid.y * self.lanes + gl.tid.x, self.d, self.count * self.lanes)

    def queries(self, Q):
        """Load the G queries, divided by sqrt(d), into registers."""
        q = gl.local(gl.f32, self.G, self.part)
        scale = gl.rsqrt(gl.cast(gl.f32, self.d))
        for g in gl.unroll(self.G):
            for e in gl.unroll(0, self.part, self.wide):
                for i, value in enumerate(Q.load(self.b, self.h * self.G + g, self.column(e), vec=self.wide)):
                    q[g, e + i] = value * scale
        return q

    def rows(self, array, row, stop, U):
        """Load `row` and the U - 1 rows that follow it, as many apart as there are teams; zeros from `stop` on."""
        held = gl.local(gl.f32, U, self.part)
        for u in gl.unroll(U):
            at = row + u * self.count
            for e in gl.unroll(0, self.part, self.wide):
                values = array.load(self.b, self.h, at, self.column(e), vec=self.wide, guard=at < stop, other=0.0)
                for i, value in enumerate(values):
                    held[u, e + i] = value
        return held

    def scores(self, q, k, row, stop, U):
        """Give every lane the scores of the team's U keys for its G queries: -inf from `stop` on."""
        s = gl.local(gl.f32, self.G, U)
        for e in gl.unroll(self.part):
            for g in gl.unroll(self.G):
                for u in gl.unroll(U):
                    s[g, u] += q[g, e] * k[u, e]
        for j in gl.unroll(SHUFFLES):
            with gl.if_((1 << j) < self.lanes):
                for g in gl.unroll(self.G):
                    for u in gl.unroll(U):
                        s[g, u] += gl.shfl_xor(s[g, u], 1 << j)
        for g in gl.unroll(self.G):
            for u in gl.unroll(U):
                s[g, u] = gl.select(row + u * self.count < stop, s[g, u], -gl.inf)
        return s


class Seen:
    """What a team has seen, of each query: O before it is divided, the sum l of exp(score - m), the maximum m."""

    def __init__(self, team):
        o = gl.local(gl.f32, team.G, team.part)
        m = gl.local(gl.f32, team.G, init=LOWEST)
        l = gl.local(gl.f32, team.G)
        self.team, self.o, self.m, self.l = team, o, m, l

    def add(self, s, v, U):
        """Take in U rows of values with their scores; where the maximum grows, what was there shrinks."""
        for g in gl.unroll(self.team.G):
            new = gl.var(gl.f32, self.m[g])
            for u in gl.unroll(U):
                new.set(gl.maximum(new, s[g, u]))
            shrunk = gl.exp(self.m[g] - new)
            self.l[g] *= shrunk
            for e in gl.unroll(self.team.part):
                self.o[g, e] *= shrunk
            for u in gl.unroll(U):
                p = gl.exp(s[g, u] - new)
                self.l[g] += p
                for e in gl.unroll(self.team.part):
                    self.o[g, e] += p * v[u, e]
            self.m[g] = new

    def put(self, g):
        """Lay what the team knows of query `g` down in shared memory, and wait for the other teams."""
        team = self.team
        for e in gl.unroll(0, team.part, team.wide):
            for i in range(0, team.wide, 4):
                values = tuple(self.o[g, e + i + n] for n in range(4))
                team.sO.store(gl.tid.y, team.column(e) + i, values)
        with gl.if_(gl.tid.x == 0):
            team.sl[gl.tid.y] = self.l[g]
            team.sm[gl.tid.y] = self.m[g]
        gl.barrier()


def merged(team, e):
    """Merge what all teams have put down: give column `e` of the unnormalised O, the sum and the maximum."""
    m = gl.var(gl.f32, LOWEST)
    for t in gl.range(team.count):
        m.set(gl.maximum(m, team.sm[t]))
    l = gl.var(gl.f32, 0.0)
    o = gl.var(gl.f32, 0.0)
    for t in gl.range(team.count):
        p = gl.exp(team.sm[t] - m)
        l += p * team.sl[t]
        o += p * team.sO[t, e]
    return o, l, m


def look_up(team, Q, K, V, first, rows, N, U):
    """Pass `rows` keys and values by the queries, from `first` on, as far as there are any; give what teams saw."""
    q = team.queries(Q)
    seen = Seen(team)
    stop = gl.minimum(N, first + rows)
    for j in gl.range(0, rows, team.count * U):
        row = first + j + gl.tid.y
        k = team.rows(K, row, stop, U)
        v = team.rows(V, row, stop, U)  # on their way while the scores are computed
        seen.add(team.scores(q, k, row, stop, U), v, U)
    return seen


# ------------------------------------------------------------------ the kernels


def decode(element):
    """Describe decoding of elements of this type, a block a head of keys."""

    @gl.kernel(
        grid=lambda p: (p.H // p.G, p.B), block=teams_of, requires=group_rules(element), name=f"decode_{element.value}"
    )
    def kernel(
        Q: gl.In[element, "B", "H", "d"],
        K: gl.In[element, "B", "H // G", "N", "d"],
        V: gl.In[element, "B", "H // G", "N", "d"],
        O: gl.Out[element, "B", "H", "d"],
        d: gl.Tile = 128,
        G: gl.Tile = 1,
        P: gl.Tile = 16,
        W: gl.Tile = 8,
        U: gl.Tile = 8 // element.nbytes,
    ):
        """Pass the whole cache by the queries."""
        N = gl.sizes("N")
        team = Team(element, gl.ctaid.y, gl.ctaid.x, d, G, P, W)
        seen = look_up(team, Q, K, V, 0, N, N, U)
        for g in gl.unroll(G):
            seen.put(g)
            for e in team.columns():
                o, l, _ = merged(team, e)
                O[team.b, team.h * G + g, e] = o / l
            gl.barrier()

    return kernel


def split(element):
    """Describe decoding of elements of this type, S blocks a head of keys."""

    @gl.kernel(
        grid=lambda p: (p.S, p.H // p.G, p.B),
        block=teams_of,
        requires=group_rules(element),
        name=f"decode_split_{element.value}",
    )
    def kernel(
        Q: gl.In[element, "B", "H", "d"],
        K: gl.In[element, "B", "H // G", "N", "d"],
        V: gl.In[element, "B", "H // G", "N", "d"],
        parts_O: gl.Out[gl.f32, "B", "H", "S", "d"],
        parts_L: gl.Out[gl.f32, "B", "H", "S"],
        d: gl.Tile = 128,
        G: gl.Tile = 1,
        P: gl.Tile = 16,
        W: gl.Tile = 8,
        U: gl.Tile = 8 // element.nbytes,
    ):
        """Pass a part of the cache by the queries; one without keys has O = 0 and L = -inf."""
        N, S = gl.sizes("N", "S")
        team = Team(element, gl.ctaid.z, gl.ctaid.y, d, G, P, W)
        rows = gl.cdiv(N, S)
        seen = look_up(team, Q, K, V, gl.ctaid.x * rows, rows, N, U)
        for g in gl.unroll(G):
            seen.put(g)
            head = team.h * G + g
            for e in team.columns():
                o, l, m = merged(team, e)
                parts_O[team.b, head, gl.ctaid.x, e] = gl.select(l > 0.0, o / l, 0.0)
                with gl.if_(e == 0):
                    parts_L[team.b, head, gl.ctaid.x] = m + gl.log(l)
            gl.barrier()

    return kernel


def combine(element):
    """Describe the merging of parts into elements of this type, a block a query."""

    @gl.kernel(
        grid=lambda p: (p.H, p.B), block=teams_of, requires=team_rules(gl.f32), name=f"decode_combine_{element.value}"
    )
    def kernel(
        parts_O: gl.In[gl.f32, "B", "H", "S", "d"],
        parts_L: gl.In[gl.f32, "B", "H", "S"],
        O: gl.Out[element, "B", "H", "d"],
        d: gl.Tile = 128,
        P: gl.Tile = 16,
        W: gl.Tile = 4,
        U: gl.Tile = 2,
    ):
        """Take parts for values and their L for scores: what is merged is a softmax again."""
        S = gl.sizes("S")
        team = Team(gl.f32, gl.ctaid.y, gl.ctaid.x, d, 1, P, W)
        seen = Seen(team)
        for j in gl.range(0, S, team.count * U):
            row = j + gl.tid.y
            s = gl.local(gl.f32, 1, U)
            for u in gl.unroll(U):
                at = row + u * team.count
                s[0, u] = parts_L.load(team.b, team.h, at, guard=at < S, other=-gl.inf)
            seen.add(s, team.rows(parts_O, row, S, U), U)
        seen.put(0)
        for e in team.columns():
            o, l, _ = merged(team, e)
            O[team.b, team.h, e] = o / l

    return kernel


# ------------------------------------------------------------------ references


def attended(Q, K, V):
    """Give O of every query and the logarithm L of its sum of exp(score), of arrays in double precision."""
    group = Q.shape[1] // K.shape[1]
    K, V = (np.repeat(array, group, axis=1) for array in (K, V))
    S = np.einsum("bhd,bhnd->bhn", Q, K) / np.sqrt(Q.shape[-1])
    m = S.max(axis=-1, keepdims=True)
    P = np.exp(S - m)
    l = P.sum(axis=-1, keepdims=True)
    return np.einsum("bhn,bhnd->bhd", P / l, V), (m + np.log(l))[..., 0]


def doubles(x):
    """Give Q, K and V in double precision."""
    return (x[name].astype(np.float64) for name in "QKV")


def whole_cache(x, **p):
    """Give O in the type of Q."""
    return {"O": attended(*doubles(x))[0].astype(x["Q"].dtype)}


def parts_of_the_cache(x, *, B, H, N, S, d, **p):
    """Give O and L of every ceil(N/S) keys; what is left without keys weighs nothing."""
    Q, K, V = doubles(x)
    parts_O, parts_L = np.zeros((B, H, S, d), np.float32), np.full((B, H, S), -np.inf, np.float32)
    part = -(-N // S)
    for s in range(-(-N // part)):
        keys = slice(s * part, (s + 1) * part)
        parts_O[:, :, s], parts_L[:, :, s] = attended(Q, K[:, :, keys], V[:, :, keys])
    return {"parts_O": parts_O, "parts_L": parts_L}


def weighed(element):
    """Make the reference that weighs parts by exp(L)."""

    def reference(x, **p):
        O, L = (x[name].astype(np.float64) for name in ("parts_O", "parts_L"))
        weights = np.exp(L - L.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        return {"O": np.einsum("bhs,bhsd->bhd", weights, O).astype(numpy_dtype(element.value))}

    return reference


# ------------------------------------------------------------------ the algorithms

COMMON = {
    "family": "attention",
    "aliases": {"batch": ("B",), "heads": ("H",), "head-dim": ("d",), "warps": ("W",)},
}
SPLIT = {"splits": ("S",)}
OF_A_CACHE = {
    **COMMON,
    "aliases": {**COMMON["aliases"], "n": ("N",), "seqlen": ("N",), "group": ("G",)},
    "rules": {"Hkv": {"G": "H/Hkv"}},
}
SIZES = {"B": 16, "H": 32, "N": 1024}
TEAMS = "32*W/P"
CACHE = Traffic("B*H*N*d/G")
ERRORS = {gl.f32: 2e-5, gl.f16: 2**-10}  # of f16: a unit in the last place
QUERIES = "of a team's lanes each loads its part of Q: a block of 32W/P teams loads Q as often, from L1 all but once"


def at_once(base, element, summary, **differing):
    """Make decoding in one kernel."""
    return Algorithm(
        name=named(base, element),
        summary=f"{summary} ({element.value})",
        kernel=DECODE[element],
        sizes=SIZES,
        reference=whole_cache,
        io={"Q": Traffic(f"B*H*d*{TEAMS}"), "K": CACHE, "V": CACHE, "O": Traffic(stores="B*H*d")},
        textbook=Textbook("B*H*d + 2*B*H*N*d/G", "B*H*d", element.nbytes),
        published=Published(
            "2*N*d/G",
            "Shazeer 2019, arXiv 1911.02150: every token reads K and V, of every head (section 2.4.1) or of one (3.1)",
            times="B*H",
            departs=((f"B*H*d*{TEAMS}", QUERIES), ("B*H*d", "O is written")),
            order="N*d/G",
            grid={"N": (4096, 16384, 65536), "d": (128, 256), "G": (1, 2, 4, 8)},
            cases=tuple({"B": 1, "H": 8, "N": n, "G": g} for n in (100, 256) for g in (1, 4, 8)),
        ),
        tolerance=ERRORS[element],
        **differing,
        **OF_A_CACHE,
    )


def in_parts(element):
    """Make the first of the two kernels that decode from a cache that is split."""
    words = 4 // element.nbytes
    return Algorithm(
        name=named("attention-decode-split-parts", element),
        summary=f"Flash-Decoding: O and L of S parts of the cache, a block each ({element.value})",
        kernel=split(element),
        sizes={"B": 1, "H": 32, "N": 16384, "S": 16},
        reference=parts_of_the_cache,
        io={
            "Q": Traffic(f"B*H*S*d*{TEAMS}"),
            "K": CACHE,
            "V": CACHE,
            "parts_O": Traffic(stores="B*H*S*d"),
            "parts_L": Traffic(stores="B*H*S"),
        },
        textbook=Textbook("B*H*S*d + 2*B*H*N*d/G", f"{words}*B*H*S*(d + 1)", element.nbytes),
        tolerance=ERRORS[gl.f32],
        notes="A part is ceil(N/S) keys, the last one what is left; one without keys has O = 0 and L = -inf. "
        "attention-decode-combine merges them.",
        **{**OF_A_CACHE, "aliases": OF_A_CACHE["aliases"] | SPLIT},
    )


def combining(element):
    """Make the second."""
    words = 4 // element.nbytes
    return Algorithm(
        name=named("attention-decode-combine", element),
        summary=f"Flash-Decoding: merge S parts of O, each weighed by exp(L) ({element.value})",
        kernel=combine(element),
        sizes={"B": 1, "H": 32, "S": 16},
        reference=weighed(element),
        io={"parts_O": Traffic("B*H*S*d"), "parts_L": Traffic("B*H*S*P"), "O": Traffic(stores="B*H*d")},
        textbook=Textbook("B*H*S*(d + 1)", f"B*H*d/{words}"),
        tolerance=ERRORS[element],
        notes="parts_O and parts_L are those of attention-decode-split-parts; L = -inf weighs nothing, but not all "
        "parts of a head may have it.",
        **{**COMMON, "aliases": COMMON["aliases"] | SPLIT},
    )


DECODE = {element: decode(element) for element in (gl.f32, gl.f16)}
ONE = "one query a head over a cache of N keys"
GROUPED = "G query heads share a head of the cache, which is read once for all"
CORES = "Its products are those of FMA pipes, not of tensor cores: of f16 they bind from G = 8 on."

attention_decode = each_type(lambda element: at_once("attention-decode", element, ONE))
attention_decode_gqa = each_type(
    lambda element: at_once("attention-decode-gqa", element, GROUPED, tiles={"G": 4}, notes=CORES)
)
attention_decode_split_parts = each_type(in_parts)
attention_decode_combine = each_type(combining)


def split_and_combined(element):
    """Make the two kernels of Flash-Decoding one after the other."""
    return Chain(
        name=named("attention-decode-split", element),
        summary=f"Flash-Decoding: S parts of the cache, then their merger: two kernels ({element.value})",
        steps=(
            Step(named("attention-decode-split-parts", element)),
            Step(named("attention-decode-combine", element)),
        ),
        reference=whole_cache,
        sizes={"B": 1, "H": 32, "N": 16384, "S": 16, "d": 128, "G": 1},
        aliases={word: names for word, names in OF_A_CACHE["aliases"].items() if word != "warps"} | SPLIT,
        rules=OF_A_CACHE["rules"],
        outputs=("O",),
        tolerance=2e-5 if element is gl.f32 else 2**-9,
        family="attention",
    )


attention_decode_split = each_type(split_and_combined)
