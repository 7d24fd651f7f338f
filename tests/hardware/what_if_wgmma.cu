// Products by a warpgroup, of what shared memory holds.

// Products of 128 columns, one after another, the first matrix in registers.
extern "C" __global__ void wgmma_wide(unsigned *y) {
    unsigned d[32] = {}, a[4] = {};
    asm volatile("wgmma.fence.sync.aligned;");
    for (int k = 0; k < 64; k++)
        asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f16.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                     "{%32, %33, %34, %35}, %36, 1, 1, 1, 0;"
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15]), "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(0x40ull));
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
    for (int k = 0; k < 32; k++) y[blockIdx.x * blockDim.x + threadIdx.x] += d[k];
}

// Products of 8 columns, one after another, the first matrix in registers.
extern "C" __global__ void wgmma_narrow(unsigned *y) {
    unsigned d[2] = {}, a[4] = {};
    asm volatile("wgmma.fence.sync.aligned;");
    for (int k = 0; k < 64; k++)
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0, %1}, "
                     "{%2, %3, %4, %5}, %6, 1, 1, 1, 0;"
                     : "+r"(d[0]), "+r"(d[1])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(0x40ull));
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
    for (int k = 0; k < 2; k++) y[blockIdx.x * blockDim.x + threadIdx.x] += d[k];
}
