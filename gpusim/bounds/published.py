"""Bounds that others published, each with a program of ours: what a test holds ours against.

``formula`` is the term that grows fastest, in elements, S being those of the fast memory.  What is only
told as an order, with Omega, has the constant 1 and ``order`` set.  Papers themselves were not at hand: a source says
against what its formulas were checked.
"""

from __future__ import annotations

from typing import NamedTuple


class Source(NamedTuple):
    """Where a bound was published.

    Attributes
    ----------
    name : str
        Authors, year, and where to find it.
    checked : str
        Against what the formulas here were checked; empty where they are as remembered.
    """

    name: str
    checked: str = ""


LISTED = "tables in the SOAP authors' tool"
"""``soap/utils.py`` of the estimator in spcl/dace: their own bounds of PolyBench, and earlier ones.

These are not named there; they are taken for IOLB's.  The papers may differ.
"""

HONG_KUNG = Source("Hong and Kung 1981", "abstract")
SMITH = Source("Smith, Lowery, Langou, van de Geijn 2019 (arXiv 1702.02017)", "abstract")
BEAUMONT = Source("Beaumont, Eyraud-Dubois, Vérité, Langou 2022 (arXiv 2202.10217)", "abstract")
IOLB = Source("Olivry, Langou, Pouchet, Sadayappan, Rastello 2020 (arXiv 1911.06664)", LISTED)
SOAP = Source("Kwasniewski and others 2021 (arXiv 2105.07203)", LISTED)
SAHA = Source("Saha, Ye 2024 (arXiv 2402.07443)", "abstract")
LI = Source("Li and others 2024 (arXiv 2410.09397)", "summary")
ORDER = Source("Ballard, Demmel, Holtz, Schwartz 2011 (arXiv 0905.2485)", "abstract")
IRONY = Source("Irony, Toledo, Tiskin 2004")
BALLARD = Source("Ballard, Demmel, Holtz, Schwartz 2011 (arXiv 0905.2485), G / (8 sqrt(M))")
CHRIST = Source("Christ, Demmel, Knight, Scanlon, Yelick 2013 (arXiv 1308.0068)")
MTTKRP = Source("Ballard, Rouse, Knight 2018 (arXiv 1708.07401)")
DINH = Source("Demmel, Dinh 2018 (arXiv 1802.06905)")
INPUTS = Source("every element of the inputs, once", "itself")


class Row(NamedTuple):
    """A bound that was published.

    Attributes
    ----------
    program : str
    computation : str
    formula : str
        Of S and the loops' names in capitals.
    source : Source
    order : bool
        Whether no constant was published.
    higher : str
        Why ours is lower, where it is; empty where it must not be.
    """

    program: str
    computation: str
    formula: str
    source: Source
    order: bool = False
    higher: str = ""


GEMM = "C[m,n] += A[m,k] * B[k,n]"
TWO = "T[i,j] += A[i,k] * B[k,j]; D[i,l] += T'[i,j] * C[j,l]"
THREE = "E[i,j] += A[i,k] * B[k,j]; F[j,l] += C[j,m] * D[m,l]; G[i,l] += E'[i,j] * F'[j,l]"
SYRK = "C[i,j] += A[i,k] * A[j,k] for j <= i"
LU_TEXT = "A[i,j] -= A'[i,k] * A'[k,j] for k < i, k < j"
CHOLESKY = "A[i,j] -= A'[i,k] * A'[j,k] for k < j, j < i"
PATHS = "D[i,j] min= D'[i,k] + D'[k,j]"
TRMM = "B[i,j] += A[k,i] * B'[k,j] for i < k"
DOITGEN = "T[r,q,p] += A[r,q,k] * C[k,p]"
COVARIANCE = "C[i,j] += X[k,i] * X[k,j] for i <= j"
CORRELATION = (
    "m[j] += X[k,j]; v[j] += X[k,j] * m'[j]; Z[k,j] = X[k,j] - m'[j] / v'[j]; C[i,j] += Z'[k,i] * Z'[k,j] for i < j"
)
GRAM_SCHMIDT = "R[k,j] += Q[i,k] * A[i,j]; A[i,j] -= Q[i,k] * R'[k,j] for k < j"
NUSSINOV = "T[i,j] max= T'[i,k] + T'[k+1,j] for i < k, k < j"
GEMVER = "B[i,j] = A[i,j] + u[i] * v[j] + w[i] * z[j]; x[i] += B'[j,i] * y[j]; s[i] += B'[i,j] * x'[j]"
JACOBI = "A[t+1,i] = A[t,i-1] + A[t,i] + A[t,i+1]"
JACOBI_2D = "A[t+1,i,j] = A[t,i,j] + A[t,i-1,j] + A[t,i+1,j] + A[t,i,j-1] + A[t,i,j+1]"
HEAT = (
    "A[t+1,i,j,k] = A[t,i,j,k] + A[t,i-1,j,k] + A[t,i+1,j,k] + A[t,i,j-1,k] + A[t,i,j+1,k] + A[t,i,j,k-1]"
    " + A[t,i,j,k+1]"
)
SEIDEL = (
    "A[t+1,i,j] = A[t+1,i-1,j-1] + A[t+1,i-1,j] + A[t+1,i-1,j+1] + A[t+1,i,j-1] + A[t,i,j] + A[t,i,j+1]"
    " + A[t,i+1,j-1] + A[t,i+1,j] + A[t,i+1,j+1]"
)
ATTENTION = "O[h,i,(d)] += Q[h,i,(d)] * K[h,j,(d)] * V[h,j,(d)]"
BACKWARD = "dQ[h,i,(d)], dK[h,j,(d)], dV[h,j,(d)] += dO[h,i,(d)] * Q[h,i,(d)] * K[h,j,(d)] * V[h,j,(d)]"

SCHEDULE = "the schedule of Beaumont and others moves less"
SHARED = "ours lets both operands share room"
PYRAMID = "a pyramid does more points than that allows"
CHAINS = "ours knows chains alone"

ROWS = (
    Row("matrix product", GEMM, "2*M*N*K/sqrt(S)", SMITH),
    Row("matrix product", GEMM, "2*M*N*K/sqrt(S)", SOAP),
    Row("matrix product", GEMM, "M*N*K/sqrt(S)", HONG_KUNG, order=True),
    Row("two products in a row (2mm)", TWO, "2*I*J*K/sqrt(S) + 2*I*J*L/sqrt(S)", SOAP),
    Row("three products (3mm)", THREE, "2*I*J*K/sqrt(S) + 2*J*L*M/sqrt(S) + 2*I*J*L/sqrt(S)", SOAP),
    Row("A A^T (syrk)", SYRK, "I*J*K/(sqrt(2)*sqrt(S))", BEAUMONT),
    Row("A A^T (syrk)", SYRK, "I*J*K/(2*sqrt(S))", IOLB),
    Row("Cholesky", CHOLESKY, "I*J*K/(3*sqrt(2)*sqrt(S))", BEAUMONT),
    Row("Cholesky", CHOLESKY, "I*J*K/(6*sqrt(S))", IOLB),
    Row("LU", LU_TEXT, "2*I*J*K/(3*sqrt(S))", SOAP),
    Row("LU", LU_TEXT, "I*J*K/sqrt(S)", ORDER, order=True),
    Row("triangular product (trmm)", TRMM, "I*J*K/sqrt(S)", SOAP),
    Row("all shortest paths (floyd-warshall)", PATHS, "I*J*K/sqrt(S)", IOLB),
    Row("product with a small matrix (doitgen)", DOITGEN, "2*R*Q*P*K/sqrt(S)", SOAP),
    Row("covariance", COVARIANCE, "I*J*K/(2*sqrt(S))", IOLB),
    Row("correlation", CORRELATION, "I*J*K/(2*sqrt(S))", IOLB),
    Row("Gram-Schmidt", GRAM_SCHMIDT, "I*J*K/sqrt(S)", SOAP),
    Row("folding of RNA (nussinov)", NUSSINOV, "I*J*K/(6*sqrt(S))", IOLB),
    Row("A^T A x (atax)", "t[i] += A[i,j] * x[j]; y[j] += A[i,j] * t'[i]", "I*J", SOAP),
    Row("A p and A^T r (bicg)", "q[i] += A[i,j] * p[j]; s[j] += A[i,j] * r[i]", "I*J", SOAP),
    Row("two products with A (mvt)", "u[i] += A[i,j] * y[j]; v[j] += A[i,j] * z[i]", "I*J", SOAP),
    Row("A x + B x (gesummv)", "t[i] += A[i,j] * x[j]; y[i] += B[i,j] * x[j]", "2*I*J", SOAP),
    Row("two updates and two products (gemver)", GEMVER, "I*J", SOAP),
    Row("triangular solve (trisolv)", "x[i] -= L[i,j] * x'[j] for j < i", "I*J/2", SOAP),
    Row("Jacobi in one dimension", JACOBI, "T*I/S", SOAP),
    Row("Jacobi in one dimension", JACOBI, "T*I/(8*S)", IOLB),
    Row("Jacobi in two dimensions", JACOBI_2D, "T*I*J/(3*sqrt(3)*sqrt(S))", IOLB),
    Row("heat in three dimensions", HEAT, "9*3**(1/3)*T*I*J*K/(32*S**(1/3))", IOLB),
    Row("Gauss-Seidel in two dimensions", SEIDEL, "2*T*I*J/(3*sqrt(3)*sqrt(S))", IOLB),
    Row("attention, S > d^2", ATTENTION, "H*I*J*D**2/S", SAHA, order=True),
    Row("backward pass of attention, S > d^2", BACKWARD, "H*I*J*D**2/S", LI, order=True),
    # ------------------------------------------------------------ every input once
    Row("matrix and vector", "y[i] += A[i,j] * x[j]", "I*J", INPUTS),
    Row("outer product of vectors", "C[i,j] = a[i] * b[j]", "I*J", INPUTS),
    Row("transposition", "Y[j,i] = X[i,j]", "2*I*J", INPUTS),
    Row("sum", "y[i] += x[i,j]", "I*J", INPUTS),
    Row("softmax of rows that fit", "t[i] += x[i,j]; y[i,j] = x[i,j] / t[i]", "2*I*J", INPUTS),
    Row("layer normalisation", "t[i] += x[i,j]; y[i,j] = (x[i,j] - t[i]) * g[j] + b[j]", "2*I*J", INPUTS),
    # ------------------------------------------------------------ not checked
    Row("matrix product", GEMM, "M*N*K/(2*sqrt(2)*sqrt(S))", IRONY),
    Row("products of pairs", "C[l,m,n] += A[l,m,k] * B[l,k,n]", "L*M*N*K/(8*sqrt(S))", BALLARD),
    Row("triangular solve (trsm)", "B[i,j] -= A[i,k] * B'[k,j] for k < i", "I*J*K/(16*sqrt(S))", BALLARD),
    Row("tensor contraction", "D[i,j,n,p] += E[i,j,k,l] * F[k,l,n,p]", "I*J*K*L*N*P/sqrt(S)", CHRIST, order=True),
    Row("MTTKRP of 3 axes", "B[i,r] += X[i,j,k] * A[j,r] * C[k,r]", "3*I*J*K*R/S**(2/3)", MTTKRP, order=True),
    Row(
        "MTTKRP of 4 axes", "B[i,r] += X[i,j,k,l] * A[j,r] * C[k,r] * D[l,r]",
        "4*I*J*K*L*R/S**(3/4)", MTTKRP, order=True,
    ),
    Row("n bodies", "F[i] += x[i] * x[j]", "I*J/S", CHRIST, order=True),
    Row("a join of two tables", "O[i] += a[i] * b[j]", "I*J/S", CHRIST, order=True),
    Row(
        "six arrays, six loops",
        "A1[i1,i3,i6] += A2[i1,i2,i4] * A3[i2,i3,i5] * A4[i3,i4,i6] * A5[i2,i6] * A6[i1,i4,i5]",
        "I1*I2*I3*I4*I5*I6/S**(8/7)", CHRIST, order=True,
    ),
    Row(
        "convolution, all extents large", "Y[n,k,p,q] += X[n,c,p+r,q+s] * W[k,c,r,s]", "N*K*P*Q*C*R*s/S", DINH,
        order=True,
    ),
    # ------------------------------------------------------------ higher than ours
    Row("A A^T (syrk)", SYRK, "I*J*K/sqrt(S)", SOAP, higher=SCHEDULE),
    Row("Cholesky", CHOLESKY, "I*J*K/(3*sqrt(S))", SOAP, higher=SCHEDULE),
    Row("covariance", COVARIANCE, "I*J*K/sqrt(S)", SOAP, higher=SCHEDULE),
    Row("correlation", CORRELATION, "I*J*K/sqrt(S)", SOAP, higher=SCHEDULE),
    Row("all shortest paths (floyd-warshall)", PATHS, "2*I*J*K/sqrt(S)", SOAP, higher=SHARED),
    Row("folding of RNA (nussinov)", NUSSINOV, "I*J*K/(3*sqrt(S))", SOAP, higher=SHARED),
    Row("Jacobi in two dimensions", JACOBI_2D, "2*T*I*J/sqrt(S)", SOAP, higher=PYRAMID),
    Row("heat in three dimensions", HEAT, "3*T*I*J*K/S**(1/3)", SOAP, higher=PYRAMID),
    Row("Gauss-Seidel in two dimensions", SEIDEL, "4*T*I*J/sqrt(S)", SOAP, higher=CHAINS),
)  # fmt: skip
"""PolyBench's Jacobi and heat do two of our steps in each of theirs, so their T is half of ours."""


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
