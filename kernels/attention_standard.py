"""Attention by the book: scores, softmax and values as three kernels, and its gradient as five.

Algorithms 0 and 3 of Dao et al. 2022 (arXiv 2205.14135).  S = Q K^T / sqrt(d) and P = softmax(S), N x N for every
head, are written by one kernel and read by the next.  The products are of L pairs of matrices at once, a block for
every tile of T x T elements of a result: C = A B (nn), A B^T (nt) or A^T B (tn).

As models are trained, mask and dropout are kernels of their own between them (S^masked and P^dropped of its appendix
B.3).  The mask is an array of 0 and -inf that all heads share and that is added to the scores in place; dropout draws
the mask that the backward pass of FlashAttention-1 draws for the same seed.
"""

import numpy as np

import gpusim.lang as gl
from gpusim.catalogue.algorithm import Algorithm, Published, Textbook, Traffic, numpy_dtype
from gpusim.catalogue.chain import Chain, Step
from gpusim.catalogue.element_types import each_type, named
from gpusim.lang.collective import block_sum
from gpusim.lang.dropout import GOLDEN, PARTS, factors, kept, random_bits

# ------------------------------------------------------------------ products of many matrices


def tiles_of_products(p):
    """Take a block for every tile of every result."""
    return (gl.cdiv(p.N, p.T), gl.cdiv(p.M, p.T), p.L)


def square_rule(p):
    """Limit blocks of T x T threads."""
    return [(p.T * p.T <= 1024, "T*T threads must fit a block of 1024: T is at most 32")]


def product(function):
    """Make a description of a kernel that takes a tile of a product a block."""
    return gl.kernel(grid=tiles_of_products, block=lambda p: (p.T * p.T,), requires=square_rule)(function)


def times_transposed(t, scaled):
    """Describe C = A B^T, of elements of type `t`; where `scaled`, divided by sqrt(K)."""

    @product
    def times_transposed(
        A: gl.In[t, "L", "M", "K"],
        B: gl.In[t, "L", "N", "K"],
        C: gl.Out[t, "L", "M", "N"],
        T: gl.Tile = 32,
    ):
        """Walk along the rows of both; a row of padding keeps the columns of B's tile in different banks."""
        M, N, K = gl.sizes("M", "N", "K")
        sA, sB = gl.shared(t, T, T), gl.shared(t, T, T + 1)
        r, c, z = gl.tid.x // T, gl.tid.x % T, gl.ctaid.z
        row, first = gl.ctaid.y * T + r, gl.ctaid.x * T
        acc = gl.var(gl.f32, 0.0)
        for k in gl.range(0, K, T):
            sA[r, c] = A.load(z, row, k + c, guard=(row < M) & (k + c < K), other=0.0)
            sB[r, c] = B.load(z, first + r, k + c, guard=(first + r < N) & (k + c < K), other=0.0)
            gl.barrier()
            for i in gl.unroll(T):
                acc += sA[r, i] * sB[c, i]
            gl.barrier()
        with gl.if_((row < M) & (first + c < N)):
            C[z, row, first + c] = acc * gl.rsqrt(gl.cast(gl.f32, K)) if scaled else acc

    return times_transposed


def times(t):
    """Describe C = A B, of elements of type `t`."""

    @product
    def times(
        A: gl.In[t, "L", "M", "K"],
        B: gl.In[t, "L", "K", "N"],
        C: gl.Out[t, "L", "M", "N"],
        T: gl.Tile = 32,
    ):
        """Walk along the rows of A and down the columns of B."""
        M, N, K = gl.sizes("M", "N", "K")
        sA, sB = gl.shared(t, T, T), gl.shared(t, T, T)
        r, c, z = gl.tid.x // T, gl.tid.x % T, gl.ctaid.z
        row, col = gl.ctaid.y * T + r, gl.ctaid.x * T + c
        acc = gl.var(gl.f32, 0.0)
        for k in gl.range(0, K, T):
            sA[r, c] = A.load(z, row, k + c, guard=(row < M) & (k + c < K), other=0.0)
            sB[r, c] = B.load(z, k + r, col, guard=(k + r < K) & (col < N), other=0.0)
            gl.barrier()
            for i in gl.unroll(T):
                acc += sA[r, i] * sB[i, c]
            gl.barrier()
        with gl.if_((row < M) & (col < N)):
            C[z, row, col] = acc

    return times


def transposed_times(t):
    """Describe C = A^T B, of elements of type `t`."""

    @product
    def transposed_times(
        A: gl.In[t, "L", "K", "M"],
        B: gl.In[t, "L", "K", "N"],
        C: gl.Out[t, "L", "M", "N"],
        T: gl.Tile = 32,
    ):
        """Walk down the columns of both."""
        M, N, K = gl.sizes("M", "N", "K")
        sA, sB = gl.shared(t, T, T), gl.shared(t, T, T)
        r, c, z = gl.tid.x // T, gl.tid.x % T, gl.ctaid.z
        first, col = gl.ctaid.y * T, gl.ctaid.x * T + c
        acc = gl.var(gl.f32, 0.0)
        for k in gl.range(0, K, T):
            sA[r, c] = A.load(z, k + r, first + c, guard=(k + r < K) & (first + c < M), other=0.0)
            sB[r, c] = B.load(z, k + r, col, guard=(k + r < K) & (col < N), other=0.0)
            gl.barrier()
            for i in gl.unroll(T):
                acc += sA[i, r] * sB[i, c]
            gl.barrier()
        with gl.if_((first + r < M) & (col < N)):
            C[z, first + r, col] = acc

    return transposed_times


# ------------------------------------------------------------------ softmax's gradient


def softmax_gradient(t):
    """Describe dS = P (dP - rowsum(P dP)) / sqrt(d), of matrices of elements of type `t`."""

    @gl.kernel(
        grid=lambda p: (p.M,),
        block=lambda p: (p.threads,),
        requires=lambda p: [
            (p.threads <= 1024, "threads must fit a block of 1024"),
            (p.threads % 32 == 0, "threads must be whole warps: a multiple of 32"),
        ],
    )
    def softmax_gradient(
        P: gl.In[t, "M", "N"],
        dP: gl.In[t, "M", "N"],
        dS: gl.Out[t, "M", "N"],
        d: gl.Scalar[gl.i32],
        threads: gl.Tile = 256,
    ):
        """Take a row a block, in two passes."""
        _, N = gl.sizes("M", "N")
        row = gl.ctaid.x
        part = gl.var(gl.f32, 0.0)
        for i in gl.range(gl.tid.x, N, gl.ntid.x):
            part += P[row, i] * dP[row, i]
        total = block_sum(part, threads)
        scale = gl.rsqrt(gl.cast(gl.f32, d))
        for i in gl.range(gl.tid.x, N, gl.ntid.x):
            dS[row, i] = P[row, i] * (dP[row, i] - total) * scale

    return softmax_gradient


# ------------------------------------------------------------------ mask and dropout, a row a block


def threads_rule(p):
    """Limit the threads of a block."""
    return [(p.threads <= 1024, "threads must fit a block of 1024")]


def dropout_rules(p):
    """Limit, besides the threads, how much is dropped."""
    return [*threads_rule(p), ((p.drop >= 0) & (p.drop < PARTS), "drop of 256 weights are dropped: 0 <= drop <= 255")]


def masking(t):
    """Describe S = S + mask, of scores and a mask of type `t`."""

    @gl.kernel(grid=lambda p: (p.M,), block=lambda p: (p.threads,), requires=threads_rule)
    def masking(
        S: gl.InOut[t, "M", "N"],
        mask: gl.In[t, "N", "N"],
        threads: gl.Tile = 256,
    ):
        """Take the mask's rows in turns: every N rows of S are of another head."""
        _, N = gl.sizes("M", "N")
        row = gl.ctaid.x
        query = row % N
        for i in gl.range(gl.tid.x, N, gl.ntid.x):
            S[row, i] = S[row, i] + mask[query, i]

    return masking


def dropping(t):
    """Describe the dropout of weights of type `t`."""

    @gl.kernel(grid=lambda p: (p.M,), block=lambda p: (p.threads,), requires=dropout_rules)
    def dropping(
        x: gl.In[t, "M", "N"],
        y: gl.Out[t, "M", "N"],
        drop: gl.Scalar[gl.i32],
        seed: gl.Scalar[gl.i32],
        threads: gl.Tile = 256,
    ):
        """Derive the mask from row and column, so that it need not be stored."""
        _, N = gl.sizes("M", "N")
        row = gl.ctaid.x
        start = random_bits(gl.cast(gl.u32, seed) * GOLDEN + row)
        scale = PARTS * gl.rcp(gl.cast(gl.f32, PARTS - drop))
        for i in gl.range(gl.tid.x, N, gl.ntid.x):
            y[row, i] = x[row, i] * gl.select(kept(start + i, drop), scale, 0.0)

    return dropping


# ------------------------------------------------------------------ the kernels as algorithms

ERRORS = {gl.f32: 1e-5, gl.f16: 2**-10}  # of fp16: a unit in the last place


def wide(x, name):
    """Give an input in double precision."""
    return x[name].astype(np.float64)


def product_of(name, t, kernel, formula, what, family="matmul"):
    """Make an algorithm of a product of L pairs of matrices; `formula` computes it in NumPy."""
    return Algorithm(
        name=named(name, t),
        summary=f"{what}, of L pairs of matrices ({t.value})",
        kernel=kernel,
        reference=lambda x, **p: {"C": formula(wide(x, "A"), wide(x, "B")).astype(x["A"].dtype)},
        sizes={"L": 16, "M": 512, "N": 512, "K": 64},
        aliases={"n": ("M", "N", "K"), "tile": ("T",)},
        io={"A": Traffic("L*M*K*ceil(N/T)"), "B": Traffic("L*K*N*ceil(M/T)"), "C": Traffic(stores="L*M*N")},
        textbook=Textbook("2*L*M*N*K/T", "L*M*N", t.nbytes),
        tolerance="4e-6*K" if t is gl.f32 else "1e-3*(1 + K**0.5)",
        family=family,
    )


def scores(t):
    """Make S = Q K^T / sqrt(d)."""
    return product_of(
        "attention-scores", t, times_transposed(t, scaled=True),
        lambda A, B: A @ B.swapaxes(1, 2) / np.sqrt(A.shape[2]), "S = Q K^T / sqrt(d): A B^T / sqrt(K)",
        "attention",
    )  # fmt: skip


def plain_nt(t):
    """Make C = A B^T."""
    kernel = times_transposed(t, scaled=False)
    return product_of("matmul-batched-nt", t, kernel, lambda A, B: A @ B.swapaxes(1, 2), "C = A B^T")


def plain_nn(t):
    """Make C = A B."""
    return product_of("matmul-batched-nn", t, times(t), lambda A, B: A @ B, "C = A B")


def plain_tn(t):
    """Make C = A^T B."""
    kernel = transposed_times(t)
    return product_of("matmul-batched-tn", t, kernel, lambda A, B: A.swapaxes(1, 2) @ B, "C = A^T B")


def gradient_of_softmax(x, *, d, **p):
    """Give dS in double precision."""
    P, dP = wide(x, "P"), wide(x, "dP")
    dS = P * (dP - (P * dP).sum(axis=1, keepdims=True)) / np.sqrt(d)
    return {"dS": dS.astype(x["P"].dtype)}


def shares(t):
    """Make what draws rows that sum to one."""

    def draw(rng, shape, p):
        drawn = rng.random(shape)
        return (drawn / drawn.sum(axis=-1, keepdims=True)).astype(numpy_dtype(t.value))

    return draw


def backward_of_softmax(t):
    """Make the gradient of softmax."""
    return Algorithm(
        name=named("softmax-backward", t),
        summary=f"dS = P (dP - rowsum(P dP)) / sqrt(d) ({t.value})",
        kernel=softmax_gradient(t),
        reference=gradient_of_softmax,
        sizes={"M": 8192, "N": 512},
        scalars={"d": 64},
        aliases={"n": ("M", "N"), "block": ("threads",)},
        draw={"P": shares(t)},
        io={"P": Traffic("2*M*N"), "dP": Traffic("2*M*N"), "dS": Traffic(stores="M*N")},
        textbook=Textbook("4*M*N", "M*N", t.nbytes),
        computation="total[m] += P[m,n] * dP[m,n]; dS[m,n] = P[m,n] * (dP[m,n] - total[m])",
        tolerance=ERRORS[t],
        family="attention",
    )


def causal(t):
    """Make what draws the mask that hides later keys."""

    def draw(rng, shape, p):
        return np.where(np.tri(shape[-1], dtype=bool), 0, -np.inf).astype(numpy_dtype(t.value))

    return draw


def mask_reference(x, *, M, N, **p):
    """Add in double precision."""
    return {"S": (wide(x, "S") + wide(x, "mask")[np.arange(M) % N]).astype(x["S"].dtype)}


def mask_of_scores(t):
    """Make the pass that masks the scores."""
    return Algorithm(
        name=named("attention-mask", t),
        summary=f"S = S + mask in place, a mask of 0 and -inf that all heads share ({t.value})",
        kernel=masking(t),
        reference=mask_reference,
        sizes={"M": 8192, "N": 512},
        aliases={"n": ("M", "N"), "block": ("threads",)},
        draw={"mask": causal(t)},
        io={"S": Traffic("M*N", "M*N"), "mask": Traffic("M*N")},
        textbook=Textbook("M*N + N**2", "M*N", t.nbytes),
        tolerance=ERRORS[t],
        family="attention",
        notes="M rows, N of them a head. The mask that is drawn is the causal one.",
    )


def dropout_reference(x, *, M, N, drop, seed, **p):
    """Drop, and scale in double precision."""
    return {"y": (wide(x, "x") * factors(M, N, drop, seed)).astype(x["x"].dtype)}


def dropout_of_weights(t):
    """Make the pass that drops weights."""
    return Algorithm(
        name=named("attention-dropout", t),
        summary=f"y = dropout(x), drop of 256 weights; the mask is a hash of row, column and seed ({t.value})",
        kernel=dropping(t),
        reference=dropout_reference,
        sizes={"M": 8192, "N": 512},
        scalars={"drop": 26, "seed": 0},
        aliases={"n": ("M", "N"), "block": ("threads",)},
        io={"x": Traffic("M*N"), "y": Traffic(stores="M*N")},
        textbook=Textbook("M*N", "M*N", t.nbytes),
        tolerance=ERRORS[t],
        family="attention",
        notes="It is its own gradient: dx = dropout(dy) with the same seed.",
    )


attention_mask = each_type(mask_of_scores)
attention_dropout = each_type(dropout_of_weights)
attention_scores = each_type(scores)
matmul_batched_nt = each_type(plain_nt)
matmul_batched_nn = each_type(plain_nn)
matmul_batched_tn = each_type(plain_tn)
softmax_backward = each_type(backward_of_softmax)

# ------------------------------------------------------------------ forward and backward, kernel after kernel

SQUARE = {"L": "B*H", "M": "N", "N": "N", "K": "d"}
TALL = {"L": "B*H", "M": "N", "N": "d", "K": "N"}
ROWS = {"M": "B*H*N", "N": "N"}
COMMON = {
    "sizes": {"B": 1, "H": 16, "N": 512, "d": 64, "T": 32},
    "aliases": {"n": ("N",), "seqlen": ("N",), "batch": ("B",), "heads": ("H",), "head-dim": ("d",), "tile": ("T",)},
    "family": "attention",
}
CASES = tuple({"B": 1, "H": 1, "N": N, "d": d, "T": T} for N in (64, 100) for d, T in ((16, 16), (64, 32)))
GRID = {"N": (4096, 16384, 65536)}
REREAD = (
    ("B*H*(2*N**2*d/T - 2*N*d)", "a tile of Q or K is loaded by each of the N/T blocks that need it"),
    ("B*H*N**2", "every row of S is read twice by the online softmax: once more"),
    ("B*H*(N**2*d/T - N**2)", "the weights are loaded by each of the d/T blocks of a row of tiles of O"),
    ("B*H*(N**2*d/T - N*d)", "V is loaded by each of the N/T blocks of a column of tiles of O"),
)
REREAD_BACKWARD = (
    ("B*H*(3*N**2*d/T - 3*N**2)", "the weights, and dS twice, are loaded by each of d/T blocks"),
    ("B*H*(5*N**2*d/T - 5*N*d)", "dO twice, V, K and Q are loaded by each of N/T blocks"),
    ("B*H*2*N**2", "softmax's gradient reads P and dP twice: first for the sums of rows"),
)


def attention(x, *, B, H, N, d, mask=0.0, Z=1.0, **p):
    """Give O in double precision, of scores with a mask and weights with the factors Z of dropout.

    A row that sees no key has no softmax, and becomes NaN.
    """
    Q, K, V = (wide(x, name).reshape(B, H, N, d) for name in "QKV")
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(d) + mask
    with np.errstate(invalid="ignore"):  # -inf - -inf, in such a row
        P = np.exp(S - S.max(axis=-1, keepdims=True))
    return {"O": (P / P.sum(axis=-1, keepdims=True) * Z @ V).reshape(B * H, N, d).astype(x["Q"].dtype)}


WEIGHTED = "O[b,h,i,(d)] += Q[b,h,i,(d)] * K[b,h,j,(d)] * V[b,h,j,(d)] for i < N, j < N"
"""What the three kernels compute together: every query with every key, of which rows are needed whole."""


def three_kernels(scores, softmax, product):
    """Name the kernels of standard attention: what makes S, P and O."""
    return (
        Step(scores, {"A": "Q", "B": "K", "C": "S"}, SQUARE),
        Step(softmax, {"x": "S", "y": "P"}, {**ROWS, "B": "256"}),
        Step(product, {"A": "P", "B": "V", "C": "O"}, TALL),
    )


def forward(t):
    """Make standard attention for a type of elements, S and P among them."""
    kernels = (named(name, t) for name in ("attention-scores", "softmax-online", "matmul-batched-nn"))
    return Chain(
        name=named("attention-standard", t),
        summary=f"S = Q K^T / sqrt(d), P = softmax(S), O = P V: three kernels ({t.value})",
        steps=three_kernels(*kernels),
        reference=attention,
        computation=WEIGHTED,
        outputs=("O",),
        published=Published(
            "4*N*d + 4*N**2",
            "Algorithm 0 of Dao et al. 2022: (2Nd + N^2) + 2N^2 + (N^2 + 2Nd), in bytes of fp16 twice that",
            times="B*H",
            departs=REREAD,
            order="N**2",
            grid=GRID,
            cases=CASES,
        ),
        tolerance=1e-5 if t is gl.f32 else 4e-3,
        **COMMON,
    )


def gradients(x, *, B, H, N, d, Z=1.0, **p):
    """Give dQ, dK and dV in double precision, P as it is given, with the factors Z of dropout."""
    Q, K, V, dO = (wide(x, name).reshape(B, H, N, d) for name in ("Q", "K", "V", "dO"))
    P = wide(x, "P").reshape(B, H, N, N)
    dP = dO @ V.swapaxes(-1, -2) * Z
    dS = P * (dP - (P * dP).sum(axis=-1, keepdims=True)) / np.sqrt(d)
    found = {"dQ": dS @ K, "dK": dS.swapaxes(-1, -2) @ Q, "dV": (P * Z).swapaxes(-1, -2) @ dO}
    return {name: array.reshape(B * H, N, d).astype(x["Q"].dtype) for name, array in found.items()}


def backward(t):
    """Make the gradient of standard attention for a type of elements; P is what the forward pass has kept."""
    nn, nt, tn = (named(f"matmul-batched-{how}", t) for how in ("nn", "nt", "tn"))
    return Chain(
        name=named("attention-standard-backward", t),
        summary=f"dV = P^T dO, dP = dO V^T, dS, dQ = dS K, dK = dS^T Q: five kernels ({t.value})",
        steps=(
            Step(tn, {"A": "P", "B": "dO", "C": "dV"}, TALL),
            Step(nt, {"A": "dO", "B": "V", "C": "dP"}, SQUARE),
            Step(named("softmax-backward", t), params=ROWS),
            Step(nn, {"A": "dS", "B": "K", "C": "dQ"}, TALL),
            Step(tn, {"A": "dS", "B": "Q", "C": "dK"}, TALL),
        ),
        reference=gradients,
        draw={"P": shares(t)},
        outputs=("dQ", "dK", "dV"),
        published=Published(
            "8*N*d + 7*N**2",
            "Algorithm 3 of Dao et al. 2022 counted line by line; their Theorem 2 has its order",
            times="B*H",
            departs=REREAD_BACKWARD,
            order="N**2",
            grid=GRID,
            cases=CASES,
        ),
        tolerance=1e-5 if t is gl.f32 else 4e-3,
        **COMMON,
    )


# ------------------------------------------------------------------ the same with mask and dropout

TRAINING = {**COMMON, "scalars": {"drop": 26, "seed": 0}}


def dropout_factors(*, B, H, N, drop, seed, **p):
    """Give the factors of all heads."""
    return factors(B * H * N, N, drop, seed).reshape(B, H, N, N)


def masked_attention(x, **p):
    """Give O in double precision."""
    return attention(x, mask=wide(x, "mask"), Z=dropout_factors(**p), **p)


def masked_forward(t):
    """Make standard attention with mask and dropout."""
    return Chain(
        name=named("attention-standard-masked-dropout", t),
        summary=f"attention-standard, mask and dropout between: five kernels ({t.value})",
        steps=(
            Step(named("attention-scores", t), {"A": "Q", "B": "K", "C": "S"}, SQUARE),
            Step(named("attention-mask", t), params=ROWS),
            Step(named("softmax-online", t), {"x": "S", "y": "P"}, {**ROWS, "B": "256"}),
            Step(named("attention-dropout", t), {"x": "P", "y": "Pd"}, ROWS),
            Step(named("matmul-batched-nn", t), {"A": "Pd", "B": "V", "C": "O"}, TALL),
        ),
        reference=masked_attention,
        outputs=("O",),
        published=Published(
            "4*N*d + 8*N**2",
            "Algorithm 0 of Dao et al. 2022 with S_masked = mask(S) and P_dropped = dropout(P) of its appendix B.3: "
            "each reads N^2 and writes N^2",
            times="B*H",
            departs=(*REREAD, ("B*H*N**2", "the mask, an array that all heads share, is read beside S")),
            order="N**2",
            grid=GRID,
            cases=CASES[::3],
        ),
        tolerance=1e-5 if t is gl.f32 else 4e-3,
        notes="The mask drawn is causal. A row that sees no key becomes NaN. drop of 256 weights are dropped.",
        **TRAINING,
    )


def causal_shares(t):
    """Make what draws rows that sum to one, with zeros for later keys: P behind a causal mask."""

    def draw(rng, shape, p):
        drawn = np.tril(rng.random(shape) + 0.01)
        return (drawn / drawn.sum(axis=-1, keepdims=True)).astype(numpy_dtype(t.value))

    return draw


def kept_by_forward(x, **p):
    """Give what the forward pass has kept beside P: P with dropout."""
    return {"Pd": (wide(x, "P") * dropout_factors(**p).reshape(x["P"].shape)).astype(x["P"].dtype)}


def masked_gradients(x, **p):
    """Give dQ, dK and dV in double precision."""
    return gradients(x, Z=dropout_factors(**p), **p)


def masked_backward(t):
    """Make the gradient of that; P and Pd are what the forward pass has kept.

    The mask needs no kernel: where it hides a key P is 0, and so is dS.
    """
    nn, nt, tn = (named(f"matmul-batched-{how}", t) for how in ("nn", "nt", "tn"))
    return Chain(
        name=named("attention-standard-masked-dropout-backward", t),
        summary=f"its gradient, dP = dropout(dO V^T): six kernels ({t.value})",
        steps=(
            Step(tn, {"A": "Pd", "B": "dO", "C": "dV"}, TALL),
            Step(nt, {"A": "dO", "B": "V", "C": "dPd"}, SQUARE),
            Step(named("attention-dropout", t), {"x": "dPd", "y": "dP"}, ROWS),
            Step(named("softmax-backward", t), params=ROWS),
            Step(nn, {"A": "dS", "B": "K", "C": "dQ"}, TALL),
            Step(tn, {"A": "dS", "B": "Q", "C": "dK"}, TALL),
        ),
        reference=masked_gradients,
        draw={"P": causal_shares(t)},
        derive=kept_by_forward,
        outputs=("dQ", "dK", "dV"),
        published=Published(
            "8*N*d + 9*N**2",
            "Algorithm 3 of Dao et al. 2022 with dP = dropout's gradient of dP_dropped, which reads N^2 and writes N^2",
            times="B*H",
            departs=REREAD_BACKWARD,
            order="N**2",
            grid=GRID,
            cases=CASES[::3],
        ),
        tolerance=1e-5 if t is gl.f32 else 4e-3,
        **TRAINING,
    )


attention_standard = each_type(forward)
attention_standard_backward = each_type(backward)
attention_standard_masked_dropout = each_type(masked_forward)
attention_standard_masked_dropout_backward = each_type(masked_backward)
attention_standard_tensor = Chain(
    name="attention-standard-tensor",
    summary="attention-standard with both products on tensor cores: three kernels (f16)",
    steps=three_kernels("attention-scores-tensor", "softmax-online-f16", "matmul-batched-nn-tensor"),
    reference=attention,
    computation=WEIGHTED,
    outputs=("O",),
    tolerance=4e-3,
    sizes={"B": 1, "H": 16, "N": 512, "d": 128},
    aliases={name: of for name, of in COMMON["aliases"].items() if name != "tile"},
    family="attention",
    notes="N and d are multiples of 8.",
)
