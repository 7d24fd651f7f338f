// --grid 1 --block 32 --arg first=4 --arg y=zeros:32
// A matrix of 8 rows is loaded from the fourth row on.
__global__ void wrong(int first, unsigned* y) {
    __shared__ __align__(16) unsigned rows[8][4];
    rows[threadIdx.x / 4][threadIdx.x % 4] = threadIdx.x;
    __syncwarp();
    unsigned loaded, at = static_cast<unsigned>(__cvta_generic_to_shared(&rows[first + threadIdx.x % 8][0]));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(loaded) : "r"(at) : "memory");  // here: out-of-bounds-shared
    y[threadIdx.x] = loaded;
}

__global__ void right(int first, unsigned* y) {
    __shared__ __align__(16) unsigned rows[8][4];
    rows[threadIdx.x / 4][threadIdx.x % 4] = threadIdx.x;
    __syncwarp();
    unsigned loaded, at = static_cast<unsigned>(__cvta_generic_to_shared(&rows[(first + threadIdx.x) % 8][0]));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(loaded) : "r"(at) : "memory");
    y[threadIdx.x] = loaded;
}
