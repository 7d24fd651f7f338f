// The other half of a program of two files.
__global__ void three(int *x) { *x = 3; }

void launch(int *x) { three<<<1, 1>>>(x); }
