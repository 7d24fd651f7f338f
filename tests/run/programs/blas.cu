// Calls of cuBLAS and cuBLASLt, held against loops of the host; a kernel of its own between them.
#include <cmath>
#include <cstdio>
#include <vector>

#include <cublasLt.h>
#include <cublas_v2.h>

static int wrong = 0;

template <class T> struct Device {
    T *p;
    size_t n;
    Device(const std::vector<T> &from) : n(from.size()) {
        cudaMalloc(&p, n * sizeof(T));
        cudaMemcpy(p, from.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }
    std::vector<T> back() const {
        std::vector<T> found(n);
        cudaMemcpy(found.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
        return found;
    }
};

template <class T> std::vector<T> some(int n, int seed) {
    std::vector<T> found;
    for (int i = 0; i < n; ++i) found.push_back(T(float((i * 37 + seed * 11) % 17 - 8) / 8));
    return found;
}

template <class A, class B> void same(const char *what, const A &got, const B &want, double within) {
    for (size_t i = 0; i < want.size(); ++i)
        if (!(std::abs(double(float(got[i])) - double(want[i])) <= within)) {
            std::printf("%s: %g, not %g, at %zu\n", what, double(float(got[i])), double(want[i]), i);
            ++wrong;
            return;
        }
}

// Column by column, as cuBLAS has it.
template <class T>
std::vector<double> product(bool ta, bool tb, int m, int n, int k, const std::vector<T> &a, int lda,
                            const std::vector<T> &b, int ldb) {
    std::vector<double> c(m * n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            for (int l = 0; l < k; ++l)
                c[i + j * m] += double(float(a[ta ? l + i * lda : i + l * lda])) * double(float(b[tb ? j + l * ldb : l + j * ldb]));
    return c;
}

__global__ void twice(float *x) { x[threadIdx.x] *= 2; }

static void products(cublasHandle_t h) {
    const int m = 12, n = 10, k = 8;
    const float alpha = 2, beta = 3;
    for (int how = 0; how < 4; ++how) {
        bool ta = how & 1, tb = how & 2;
        int lda = ta ? k + 2 : m + 1, ldb = tb ? n + 3 : k;
        auto a = some<float>(lda * (ta ? m : k), 1), b = some<float>(ldb * (tb ? k : n), 2), c = some<float>(m * n, 3);
        Device<float> da(a), db(b), dc(c);
        cublasSgemm(h, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, &alpha, da.p, lda, db.p,
                    ldb, &beta, dc.p, m);
        twice<<<1, m * n>>>(dc.p);
        auto want = product(ta, tb, m, n, k, a, lda, b, ldb);
        for (int i = 0; i < m * n; ++i) want[i] = 2 * (alpha * want[i] + beta * c[i]);
        same("Sgemm", dc.back(), want, 1e-5);
    }
    auto a = some<__half>(3 * m * k, 4), b = some<__half>(3 * k * n, 5);
    Device<__half> da(a), db(b), dc(std::vector<__half>(3 * m * n));
    const float one = 1, none = 0;
    cublasGemmStridedBatchedEx(h, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, da.p, CUDA_R_16F, m, m * k, db.p, CUDA_R_16F,
                               k, k * n, &none, dc.p, CUDA_R_16F, m, m * n, 3, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    auto got = dc.back();
    for (int i = 0; i < 3; ++i) {
        std::vector<__half> ai(a.begin() + i * m * k, a.begin() + (i + 1) * m * k), bi(b.begin() + i * k * n, b.begin() + (i + 1) * k * n);
        std::vector<__half> ci(got.begin() + i * m * n, got.begin() + (i + 1) * m * n);
        same("GemmStridedBatchedEx", ci, product(false, false, m, n, k, ai, m, bi, k), 2e-2);
    }
}

static void vectors(cublasHandle_t h) {
    const int m = 6, n = 4;
    const double alpha = 2, beta = -1;
    auto a = some<double>(m * n, 1), x = some<double>(2 * m, 2), y = some<double>(n, 3);
    Device<double> da(a), dx(x), dy(y);
    cublasDgemv(h, CUBLAS_OP_T, m, n, &alpha, da.p, m, dx.p, -2, &beta, dy.p, 1);
    std::vector<double> want(n);
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < m; ++i) want[j] += alpha * a[i + j * m] * x[2 * (m - 1 - i)];
        want[j] += beta * y[j];
    }
    same("Dgemv", dy.back(), want, 1e-12);
    cublasDaxpy(h, n, &alpha, dx.p, 1, dy.p, 1);
    for (int j = 0; j < n; ++j) want[j] += alpha * x[j];
    same("Daxpy", dy.back(), want, 1e-12);
    double dot = 0, expected = 0;
    int at = 0;
    cublasDdot(h, n, dy.p, 1, dx.p, 2, &dot);
    for (int j = 0; j < n; ++j) expected += want[j] * x[2 * j];
    same("Ddot", std::vector<double>{dot}, std::vector<double>{expected}, 1e-12);
    cublasIdamax(h, n, dy.p, 1, &at);
    for (int j = 0; j < n; ++j)
        if (std::abs(want[j]) > std::abs(want[at - 1]) + 1e-9) ++wrong, std::printf("Idamax: %d\n", at);
}

static void with_bias_and_gelu() {
    const int m = 8, n = 6, k = 4;
    auto a = some<float>(m * k, 1), b = some<float>(k * n, 2), bias = some<float>(m, 3);
    Device<float> da(a), db(b), dbias(bias), dd(std::vector<float>(m * n)), daux(std::vector<float>(m * n));
    cublasLtHandle_t h;
    cublasLtCreate(&h);
    cublasLtMatmulDesc_t how;
    cublasLtMatmulDescCreate(&how, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    auto epilogue = CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    int64_t ld = m;
    cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
    cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &dbias.p, sizeof dbias.p);
    cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &daux.p, sizeof daux.p);
    cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &ld, sizeof ld);
    cublasLtMatrixLayout_t la, lb, ldd;
    cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, m, k, m);
    cublasLtMatrixLayoutCreate(&lb, CUDA_R_32F, k, n, k);
    cublasLtMatrixLayoutCreate(&ldd, CUDA_R_32F, m, n, m);
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulHeuristicResult_t found;
    int count = 0;
    cublasLtMatmulAlgoGetHeuristic(h, how, la, lb, ldd, ldd, preference, 1, &found, &count);
    const float one = 1, none = 0;
    cublasLtMatmul(h, how, &one, da.p, la, db.p, lb, &none, dd.p, ldd, dd.p, ldd, &found.algo, nullptr, 0, nullptr);
    auto before = product(false, false, m, n, k, a, m, b, k), want = before;
    for (int i = 0; i < m * n; ++i) {
        double x = before[i] += bias[i % m];
        want[i] = 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    }
    same("what GELU is taken of", daux.back(), before, 1e-5);
    same("cublasLtMatmul", dd.back(), want, 1e-5);
    if (count != 1) ++wrong;
}

int main() {
    cublasHandle_t h;
    cublasCreate(&h);
    products(h), vectors(h), with_bias_and_gelu();
    cublasDestroy(h);
    std::printf("%d wrong\n", wrong);
    return wrong;
}
