// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// A ballot of all lanes in a branch that some take.
__global__ void wrong(const int* x, unsigned* y) {
    unsigned votes = 0;
    if (x[threadIdx.x] >= 10) votes = __ballot_sync(0xffffffff, x[threadIdx.x] % 2);  // here: absent-lanes
    y[threadIdx.x] = votes;
}

__global__ void right(const int* x, unsigned* y) {
    unsigned votes = __ballot_sync(0xffffffff, x[threadIdx.x] >= 10 && x[threadIdx.x] % 2);
    y[threadIdx.x] = x[threadIdx.x] >= 10 ? votes : 0;
}
