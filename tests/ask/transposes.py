"""A transpose through shared memory, with as many words in a row of the tile as PITCH says, and its launch."""

TRANSPOSE = """\
__global__ void transpose(const float* x, float* y, int n) {
    __shared__ float tile[32][PITCH];
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = x[(row + j) * n + col];
    __syncthreads();
    col = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        y[(row + j) * n + col] = tile[threadIdx.x][threadIdx.y + j];
}
"""
SLOW, PADDED = TRANSPOSE.replace("PITCH", "32"), TRANSPOSE.replace("PITCH", "33")
READING = 9
"""The line whose lanes read a column of the tile."""

LAUNCH = {"grid": [16, 16], "block": [32, 8], "args": {"n": 512, "x": "normal:n*n", "y": "zeros:n*n"}}
