"""Descriptions of what the kernels do not use: names that clash, wide halves, large shared memory, odd scopes."""
# ruff: noqa: F821 - a shape in an annotation is no name to look up

import gpusim.lang as gl

ONE_BLOCK = {"grid": lambda p: (1,), "block": lambda p: (64,)}


@gl.kernel(**ONE_BLOCK, name="new")
def clashes(float: gl.In[gl.f32, 64], y: gl.Out[gl.f32, 64], int: gl.Scalar[gl.i32], T: gl.Tile = 4):  # noqa: A002
    """Names that mean something in C++, or twice in the description."""
    threadIdx = gl.tid.x
    new = float[threadIdx]
    memory = gl.var(gl.f32, new * 2.0)
    for _ in gl.range(0, T):
        memory += new
    y[threadIdx] = memory + gl.cast(gl.f32, int)


@gl.kernel(grid=lambda p: (p.N,), block=lambda p: (8, 4, 2))
def negatives(x: gl.In[gl.i32, "N", 64], y: gl.Out[gl.i32, "N", 64]):
    """Hardware numbers where their sign matters."""
    me = gl.laneid + 32 * gl.warpid
    v = gl.var(gl.i32, 0)
    with gl.if_(gl.tid.x - 4 < 0):
        v += gl.maximum(gl.tid.y - 2, -1) * 10
    v += gl.abs(gl.tid.x - 5) + gl.select(gl.tid.z == 0, gl.tid.x, -gl.tid.y)
    v += (3 - gl.ctaid.x) >> 1
    v += gl.minimum(gl.tid.x % 4, 2) + gl.maximum(gl.tid.x // 4 - 1, gl.tid.y % 2 - 1) * 3
    y[gl.ctaid.x, me] = v + gl.cast(gl.i32, gl.cast(gl.f32, gl.tid.x - 2) * 0.5) + x[gl.ctaid.x, me]


@gl.kernel(**ONE_BLOCK)
def on_an_sm(x: gl.In[gl.i32, 64], y: gl.Out[gl.i32, 64]):
    """The number of the SM, whatever it is."""
    bit = gl.smid & 1
    y[gl.tid.x] = x[gl.tid.x] + bit * bit - bit


@gl.kernel(**ONE_BLOCK)
def scopes(x: gl.In[gl.i32, 64], y: gl.Out[gl.i32, 64]):
    """A variable made in a branch and used after it; one that no iteration starts anew; arrays not of zeros."""
    t = gl.tid.x
    with gl.if_(t < 16):
        late = gl.var(gl.i32, x[t])
    with gl.else_():
        late.set(7)
    for i in gl.range(0, 3):
        with gl.if_(i == 0):
            kept = gl.var(gl.i32, t)
        kept += i
        late += kept
    least = gl.local(gl.i32, 2, init=5)
    unset = gl.local(gl.i32, 2, init=None)
    for j in gl.unroll(2):
        unset[j] = least[j] + j
    y[t] = late + unset[0] + unset[1]


@gl.kernel(**ONE_BLOCK)
def order(x: gl.InOut[gl.i32, 64], y: gl.Out[gl.i32, 64]):
    """Loads that a store, a barrier or a condition keeps where they are."""
    t = gl.tid.x
    s = gl.shared(gl.i32, 64)
    s[t] = x[t] * 3
    gl.barrier()
    got = s[63 - t] + 1
    gl.barrier()
    s[t] = 0
    gl.barrier()
    x.store(t, s[t] + got, guard=t < 60)
    y.store(t, x.load(t, guard=(t > 2) & (t < 60), other=-1) + got, guard=t < 60)


@gl.kernel(**ONE_BLOCK)
def diverging(x: gl.In[gl.f32, 64], y: gl.Out[gl.f32, 64]):
    """Shuffles of whole warps, and among the lanes of a branch."""
    t = gl.tid.x
    v = gl.var(gl.f32, x[t])
    with gl.if_(t // 32 == 1):
        v += gl.shfl_xor(v, 16)
    with gl.if_(t % 2 < 1):
        v += gl.shfl_xor(v, 2)
    y[t] = v


@gl.kernel(**ONE_BLOCK)
def neighbours(x: gl.In[gl.f32, 64], y: gl.Out[gl.f32, 128]):
    """Stores one after another under the same guard."""
    t = gl.tid.x
    inside = t < 60
    value = x.load(t, guard=inside, other=0.0)
    for e in range(2):
        y.store(t + 64 * e, value, guard=inside)
    with gl.if_(t >= 60):
        y[t] = 0.0
        y[t + 64] = 0.0


@gl.kernel(**ONE_BLOCK)
def halves(x: gl.In[gl.bf16, 512], h: gl.In[gl.bf16, 128], y: gl.Out[gl.bf16, 512], z: gl.Out[gl.bf16, 128]):
    """Eight halves at a time, copied and computed; two; a guard with something instead."""
    t = gl.tid.x
    eight = x.load(8 * t, vec=8)
    with gl.if_(t < 32):
        y.store(8 * t, eight)
    with gl.else_():
        y.store(8 * t, tuple(v * 2.0 for v in eight))
    low, high = h.load(2 * t, vec=2, guard=t > 5, other=1.5)
    z.store(2 * t, (high, low))


@gl.kernel(**ONE_BLOCK)
def binary16(x: gl.In[gl.f16, 256], y: gl.Out[gl.f16, 256], z: gl.Out[gl.f32, 64]):
    """The other half type."""
    t = gl.tid.x
    quad = x.load(4 * t, vec=4, cache="cg")
    y.store(4 * t, quad)
    z[t] = gl.cast(gl.f16, quad[0] * quad[3])


@gl.kernel(**ONE_BLOCK)
def octets(x: gl.In[gl.e4m3, 1024], h: gl.In[gl.e5m2, 256], y: gl.Out[gl.e4m3, 1024], z: gl.Out[gl.e5m2, 256]):
    """Sixteen fp8 at a time, copied and computed; two, four and one; a guard with something instead; shared ones."""
    t = gl.tid.x
    s = gl.shared(gl.e4m3, 64)
    many = x.load(16 * t, vec=16)
    with gl.if_(t < 32):
        y.store(16 * t, many)
    with gl.else_():
        y.store(16 * t, tuple(v * 200.0 for v in many))
    s[t] = many[5]
    gl.barrier()
    low, high = h.load(4 * t, vec=2, guard=t > 5, other=1.5)
    z.store(4 * t, (high, s[63 - t], low, h[4 * t + 3] * 3.0e4))


@gl.kernel(**ONE_BLOCK)
def spacious(x: gl.In[gl.f32, 64], y: gl.Out[gl.f32, 64], S: gl.Tile = 200):
    """More shared memory than can be declared."""
    t = gl.tid.x
    first = gl.shared(gl.f32, 64, S)
    second = gl.shared(gl.f32, 64)
    first[t, S - 1] = x[t]
    second[t] = 2.0
    gl.barrier()
    y[t] = first[63 - t, S - 1] * second[t]


@gl.kernel(**ONE_BLOCK)
def bits(a: gl.In[gl.i32, 64], b: gl.In[gl.u32, 64], y: gl.Out[gl.u32, 64], w: gl.Scalar[gl.u32]):
    """Operators of both integer types, mixed."""
    t = gl.tid.x
    i, u = a[t] - 50, b[t]
    v = gl.var(gl.u32, u)
    v += gl.cast(gl.u32, i) >> 3
    v ^= (u & 0xFF | w) << 2
    v -= gl.select((i < 0) | (u > 70) & (t > 3), u, w) * 3
    with gl.if_(gl.cast(gl.u32, i) > u):
        v += gl.minimum(u, w)
    y[t] = v + (u // 3) % 5 + 2654435769


@gl.kernel(**ONE_BLOCK)
def idle(x: gl.In[gl.f32, 64], y: gl.Out[gl.f32, 64]):
    """Values and storage that nobody needs."""
    t = gl.tid.x
    s = gl.shared(gl.f32, 64)
    unused = gl.var(gl.f32, 1.0)
    nothing = gl.local(gl.f32, 4)  # noqa: F841
    twice = x[t] * 2.0  # noqa: F841
    s[t] = x[t]
    unused += 2.0
    y[t] = gl.maximum(x[t], -gl.inf)


@gl.kernel(**ONE_BLOCK)
def float_extreme(y: gl.InOut[gl.f32, 1]):
    """What CUDA C++ has no function for."""
    gl.atomic_max(y, 0, gl.cast(gl.f32, gl.tid.x))


VALID = (clashes, negatives, scopes, order, diverging, halves, binary16, octets, spacious, bits, idle)


@gl.kernel(**ONE_BLOCK)
def constants(y: gl.Out[gl.f32, 64], T: gl.Tile = 16):
    """Values of tiles alone: one that C++ computes itself, and those for which it calls a function."""
    half = T // 2 - 1
    scale = gl.rsqrt(gl.cast(gl.f32, T))
    least = gl.minimum(T, 9)
    y[gl.tid.x] = (scale * gl.cast(gl.f32, half) + gl.cast(gl.f32, least)) * scale
