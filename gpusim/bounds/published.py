"""Bounds that others published, each with a program of ours: what a test holds ours against.

``formula`` is the term that grows fastest, in elements, S being those of the fast memory.  Where several papers bound a
program the best is told; what is only told as an order, with Omega, has the constant 1 and ``order`` set.
"""

from __future__ import annotations

from typing import NamedTuple

HONG_KUNG = "Hong and Kung 1981"
IRONY = "Irony, Toledo, Tiskin 2004, Theorem 2.1"
SMITH = "Smith, Lowery, Langou, van de Geijn 2019 (arXiv 1702.02017)"
BALLARD = "Ballard, Demmel, Holtz, Schwartz 2011 (arXiv 0905.2485), G / (8 sqrt(M))"
BEAUMONT = "Beaumont, Eyraud-Dubois, Verite, Langou 2022 (arXiv 2202.10217)"
CHRIST = "Christ, Demmel, Knight, Scanlon, Yelick 2013 (arXiv 1308.0068)"
MTTKRP = "Ballard, Knight, Rouse 2018 (arXiv 1708.07401)"
DINH = "Demmel, Dinh 2018 (arXiv 1802.06905)"
DAO = "Dao, Fu, Ermon, Rudra, Re 2022 (arXiv 2205.14135), Theorem 2"
SAHA = "Saha, Ye 2024 (arXiv 2402.07443)"
IOLB = "Olivry, Langou, Pouchet, Sadayappan, Rastello 2020 (arXiv 1911.06664)"
SOAP = "Kwasniewski and others 2021 (arXiv 2105.07203)"
LU = "Kwasniewski, Kabic and others 2021 (arXiv 2010.05975)"
INPUTS = "every element of the inputs, once"


class Row(NamedTuple):
    """A bound that was published.

    Attributes
    ----------
    program : str
    computation : str
    formula : str
        Of S and the loops' names in capitals.
    source : str
    order : bool
        Whether no constant was published.
    """

    program: str
    computation: str
    formula: str
    source: str
    order: bool = False


GEMM = "C[m,n] += A[m,k] * B[k,n]"
LU_TEXT = "A[i,j] -= A'[i,k] * A'[k,j] for k < i, k < j"
CHOLESKY = "A[i,j] -= A'[i,k] * A'[j,k] for k < j, j < i"

ROWS = (
    Row("matrix product", GEMM, "2*M*N*K/sqrt(S)", SMITH),
    Row("matrix product", GEMM, "M*N*K/(2*sqrt(2)*sqrt(S))", IRONY),
    Row("matrix product", GEMM, "M*N*K/sqrt(S)", HONG_KUNG, order=True),
    Row("products of pairs", "C[l,m,n] += A[l,m,k] * B[l,k,n]", "L*M*N*K/(8*sqrt(S))", BALLARD),
    Row(
        "two products in a row (2mm)", "T[i,j] += A[i,k] * B[k,j]; D[i,l] += T'[i,j] * C[j,l]",
        "2*I*J*K/sqrt(S) + 2*I*J*L/sqrt(S)", SOAP,
    ),
    Row(
        "three products (3mm)",
        "E[i,j] += A[i,k] * B[k,j]; F[j,l] += C[j,m] * D[m,l]; G[i,l] += E'[i,j] * F'[j,l]",
        "2*I*J*K/sqrt(S) + 2*J*L*M/sqrt(S) + 2*I*J*L/sqrt(S)", SOAP,
    ),
    Row("A A^T (syrk)", "C[i,j] += A[i,k] * A[j,k] for j <= i", "I*J*K/(sqrt(2)*sqrt(S))", BEAUMONT),
    Row("Cholesky", CHOLESKY, "I*J*K/(3*sqrt(2)*sqrt(S))", BEAUMONT),
    Row("Cholesky", CHOLESKY, "I*J*K/(48*sqrt(S))", BALLARD),
    Row("LU", LU_TEXT, "2*I*J*K/(3*sqrt(S))", LU),
    Row("LU", LU_TEXT, "I*J*K/(24*sqrt(S))", BALLARD),
    Row("triangular product (trmm)", "B[i,j] += A[k,i] * B'[k,j] for i < k", "I*J*K/(16*sqrt(S))", BALLARD),
    Row("triangular solve (trsm)", "B[i,j] -= A[i,k] * B'[k,j] for k < i", "I*J*K/(16*sqrt(S))", BALLARD),
    Row("all shortest paths", "D[i,j] min= D[i,k] + D[k,j]", "I*J*K/(8*sqrt(S))", BALLARD),
    Row("product with a small matrix (doitgen)", "T[r,q,p] += A[r,q,k] * C[k,p]", "2*R*Q*P*K/sqrt(S)", SOAP),
    Row("covariance", "C[i,j] += X[k,i] * X[k,j] for i <= j", "I*J*K/(8*2*sqrt(S))", BALLARD),
    Row("tensor contraction", "D[i,j,n,p] += E[i,j,k,l] * F[k,l,n,p]", "I*J*K*L*N*P/sqrt(S)", CHRIST, order=True),
    Row("MTTKRP of 3 axes", "B[i,r] += X[i,j,k] * A[j,r] * C[k,r]", "3*I*J*K*R/S**(2/3)", MTTKRP, order=True),
    Row(
        "MTTKRP of 4 axes", "B[i,r] += X[i,j,k,l] * A[j,r] * C[k,r] * D[l,r]",
        "4*I*J*K*L*R/S**(3/4)", MTTKRP, order=True,
    ),
    Row("n bodies", "F[i] += x[i] * x[j]", "I*J/S", CHRIST, order=True),
    Row("a join of two tables", "O[i] += a[i] * b[j]", "I*J/S", CHRIST, order=True),
    Row("outer product of vectors", "C[i,j] = a[i] * b[j]", "I*J", INPUTS),
    Row(
        "six arrays, six loops",
        "A1[i1,i3,i6] += A2[i1,i2,i4] * A3[i2,i3,i5] * A4[i3,i4,i6] * A5[i2,i6] * A6[i1,i4,i5]",
        "I1*I2*I3*I4*I5*I6/S**(8/7)", CHRIST, order=True,
    ),
    Row(
        "convolution, all extents large", "Y[n,k,p,q] += X[n,c,p+r,q+s] * W[k,c,r,s]", "N*K*P*Q*C*R*s/S", DINH,
        order=True,
    ),
    Row("matrix and vector", "y[i] += A[i,j] * x[j]", "I*J", INPUTS),
    Row("A^T A x (atax)", "t[i] += A[i,j] * x[j]; y[j] += A[i,j] * t'[i]", "I*J", IOLB),
    Row("A p and A^T r (bicg)", "q[i] += A[i,j] * p[j]; s[j] += A[i,j] * r[i]", "I*J", IOLB),
    Row("two products with A (mvt)", "u[i] += A[i,j] * y[j]; v[j] += A[i,j] * z[i]", "I*J", IOLB),
    Row("A x + B x (gesummv)", "t[i] += A[i,j] * x[j]; y[i] += B[i,j] * x[j]", "2*I*J", IOLB),
    Row("triangular solve (trisolv)", "x[i] -= L[i,j] * x'[j] for j < i", "I*J/2", IOLB),
    Row("transposition", "Y[j,i] = X[i,j]", "2*I*J", INPUTS),
    Row("sum", "y[i] += x[i,j]", "I*J", INPUTS),
    Row("softmax of rows that fit", "t[i] += x[i,j]; y[i,j] = x[i,j] / t[i]", "2*I*J", INPUTS),
    Row("layer normalisation", "t[i] += x[i,j]; y[i,j] = (x[i,j] - t[i]) * g[j] + b[j]", "2*I*J", INPUTS),
    Row(
        "attention, S > d^2", "O[h,i,(d)] += Q[h,i,(d)] * K[h,j,(d)] * V[h,j,(d)]", "H*I*J*D**2/S", SAHA, order=True
    ),
    Row(
        "attention, S > d^2", "O[h,i,(d)] += Q[h,i,(d)] * K[h,j,(d)] * V[h,j,(d)]", "H*I*J*D**2/S", DAO, order=True
    ),
    Row(
        "causal attention", "O[h,i,(d)] += Q[h,i,(d)] * K[h,j,(d)] * V[h,j,(d)] for j <= i", "H*I*J*D**2/(2*S)", SAHA,
        order=True,
    ),
    Row("Jacobi in one dimension", "A[t+1,i] = A[t,i-1] + A[t,i] + A[t,i+1]", "T*I/S", HONG_KUNG, order=True),
    Row(
        "Jacobi in two dimensions",
        "A[t+1,i,j] = A[t,i,j] + A[t,i-1,j] + A[t,i+1,j] + A[t,i,j-1] + A[t,i,j+1]", "T*I*J/sqrt(S)", HONG_KUNG,
        order=True,
    ),
    Row(
        "heat in three dimensions",
        "A[t+1,i,j,k] = A[t,i,j,k] + A[t,i-1,j,k] + A[t,i+1,j,k] + A[t,i,j-1,k] + A[t,i,j+1,k] + A[t,i,j,k-1]"
        " + A[t,i,j,k+1]", "T*I*J*K/S**(1/3)", HONG_KUNG, order=True,
    ),
)  # fmt: skip


def ratio(row: Row) -> float:
    """How many times the published bound ours is, where sizes are large.

    Parameters
    ----------
    row : Row
    """
    import sympy

    from gpusim.bounds.computation import parse
    from gpusim.bounds.formula import at_large, leading

    ours = leading(parse(row.computation))
    names = {*(str(symbol) for symbol in ours.free_symbols), "S", "D"}
    known = {one: sympy.Symbol(one, positive=True) for one in names}
    theirs = sympy.sympify(row.formula, locals={**known, "sqrt": sympy.sqrt})
    return at_large(ours) / at_large(theirs)


def verdict(times: float, *, order: bool) -> str:
    """Words for a ratio.

    Examples
    --------
    >>> verdict(1.0, order=False), verdict(4.0, order=True), verdict(0.5, order=False)
    ('equal', 'same order, constant 4', 'weaker by 2')
    """
    if order:
        return f"same order, constant {times:.3g}"
    if abs(times - 1) < 1e-6:
        return "equal"
    return f"better by {times:.3g}" if times > 1 else f"weaker by {1 / times:.3g}"
