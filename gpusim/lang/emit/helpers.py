"""Functions that emitted kernels call: what CUDA C++ has no short word for."""

from __future__ import annotations

_APPROXIMATE = """static __device__ __forceinline__ float fast_{name}(float x) {{
    float y;
    asm("{instruction} %0, %1;" : "=f"(y) : "f"(x));
    return y;
}}
"""
_SM_ID = """static __device__ __forceinline__ int sm_id() {
    int sm;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}
"""
_FLOORED = {
    "floor_div": """static __device__ __forceinline__ int floor_div(int a, int b) {
    return a / b - (a % b != 0 && (a ^ b) < 0);
}
""",
    "floor_mod": """static __device__ __forceinline__ int floor_mod(int a, int b) {
    int rest = a % b;
    return rest != 0 && (rest ^ b) < 0 ? rest + b : rest;
}
""",
}
_LOAD = """static __device__ __forceinline__ void {name}(unsigned& a, unsigned& b,
        unsigned& c, unsigned& d, const void* row) {{
    const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4{how}.shared.b16 {{%0, %1, %2, %3}}, [%4];"
        : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
        : "r"(place)
        : "memory");
}}
"""
_MMA = """static __device__ __forceinline__ void mma_{name}(float (&sums)[4], const unsigned (&a)[4],
        const unsigned (&b)[2]) {{
    asm("mma.sync.aligned.{shape}.row.col.f32.{name}.{name}.f32 "
        "{{%0, %1, %2, %3}}, {{%4, %5, %6, %7}}, {{%8, %9}}, {{%0, %1, %2, %3}};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}}
"""
_PAIR = """static __device__ __forceinline__ unsigned pair_{name}(float low, float high) {{
    unsigned both;
    asm("cvt.rn.{name}x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}}
"""
_COPY = """static __device__ __forceinline__ void copy_async_{nbytes}(void* to, const void* from, bool there) {{
    const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.{cached}.shared.global [%0], [%1], {nbytes}, %2;"
        ::"r"(place), "l"(from), "r"(there ? {nbytes} : 0)
        : "memory");
}}
"""
_COMMIT = """static __device__ __forceinline__ void copy_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
"""
_WAIT = """template <int left>
static __device__ __forceinline__ void copy_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}
"""
_SHAPES = {"f16": "m16n8k16", "bf16": "m16n8k16", "tf32": "m16n8k8", "e4m3": "m16n8k32"}
_INSTRUCTIONS = {"sqrt": "sqrt.approx.ftz.f32", "rcp": "rcp.approx.ftz.f32", "tanh": "tanh.approx.f32"}
HELPERS = {
    **{f"fast_{name}": _APPROXIMATE.format(name=name, instruction=text) for name, text in _INSTRUCTIONS.items()},
    "load_matrices": _LOAD.format(name="load_matrices", how=""),
    "load_transposed": _LOAD.format(name="load_transposed", how=".trans"),
    **{f"mma_{name}": _MMA.format(name=name, shape=shape) for name, shape in _SHAPES.items()},
    **{f"pair_{name}": _PAIR.format(name=name) for name in ("f16", "bf16")},
    **{f"copy_async_{n}": _COPY.format(nbytes=n, cached="cg" if n == 16 else "ca") for n in (4, 8, 16)},
    "copy_commit": _COMMIT,
    "copy_wait": _WAIT,
    "sm_id": _SM_ID,
    **_FLOORED,
}
"""By name; those that a kernel mentions are written before it."""
