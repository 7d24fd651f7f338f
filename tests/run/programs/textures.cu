// Reads texture objects of arrays, of rows with a pitch and of linear memory, and gathers by what one reads.
#include <cstdio>
#include <vector>

__global__ void sample(cudaTextureObject_t texture, float *out, int width, float shift) {
    int x = threadIdx.x, y = blockIdx.x;
    out[y * width + x] = tex2D<float>(texture, x + shift, y + shift);
}
__global__ void whole(cudaTextureObject_t texture, int4 *out) {
    out[threadIdx.x] = tex1Dfetch<int4>(texture, threadIdx.x);
}
__global__ void shares(cudaTextureObject_t texture, float *out) {
    out[threadIdx.x] = tex2D<float>(texture, (threadIdx.x + 0.5f) / 16, 0.75f);
}
// The division calls a function, from which it looks as if what is read decided where its end leads.
__global__ void divided(cudaTextureObject_t texture, float *out, int by) {
    out[threadIdx.x] = tex1Dfetch<float>(texture, int(threadIdx.x / (float)by));
}
__global__ void gather(cudaTextureObject_t where, const float *in, float *out) {
    out[threadIdx.x] = in[tex1Dfetch<int>(where, threadIdx.x)];
}

template <class T> T *device(size_t n) {
    T *p;
    cudaMalloc(&p, n * sizeof(T));
    return p;
}
template <class T> std::vector<T> host(const T *p, size_t n) {
    std::vector<T> v(n);
    cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
    return v;
}
cudaTextureObject_t object(const cudaResourceDesc &what, cudaTextureFilterMode filter, bool normalized = false,
                           cudaTextureReadMode read = cudaReadModeElementType) {
    cudaTextureDesc how = {};
    how.filterMode = filter, how.normalizedCoords = normalized, how.readMode = read;
    how.addressMode[0] = cudaAddressModeWrap, how.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t made = 0;
    cudaError_t error = cudaCreateTextureObject(&made, &what, &how, nullptr);
    if (error) printf("error %d\n", error);
    return made;
}

// Creates textures that CUDA refuses, and prints the error of each.
void refused() {
    float *few = device<float>(64);
    cudaTextureDesc how = {};
    cudaTextureObject_t made;
    cudaResourceDesc linear = {}, rows = {};
    linear.resType = cudaResourceTypeLinear, rows.resType = cudaResourceTypePitch2D;
    linear.res.linear = {few, cudaCreateChannelDesc<float>(), 1 << 20};  // beyond its allocation
    printf("refused %d", cudaCreateTextureObject(&made, &linear, &how, nullptr));
    rows.res.pitch2D = {few, cudaCreateChannelDesc<float>(), 8, size_t(1) << 40, 32};
    printf(" %d", cudaCreateTextureObject(&made, &rows, &how, nullptr));
    rows.res.pitch2D = {few, cudaCreateChannelDesc<float>(), 16, 2, 32};  // rows that overlap
    printf(" %d", cudaCreateTextureObject(&made, &rows, &how, nullptr));
    linear.res.linear = {reinterpret_cast<char *>(few) + 2, cudaCreateChannelDesc<float>(), 64};
    printf(" %d", cudaCreateTextureObject(&made, &linear, &how, nullptr));
    linear.res.linear = {few, {32, 0, 0, 32, cudaChannelFormatKindFloat}, 64};
    printf(" %d", cudaCreateTextureObject(&made, &linear, &how, nullptr));
    linear.res.linear = {few, cudaCreateChannelDesc<float>(), 256};
    how.addressMode[0] = cudaTextureAddressMode(9);
    printf(" %d", cudaCreateTextureObject(&made, &linear, &how, nullptr));
    printf(" %d\n", cudaCreateTextureObject(&made, &linear, nullptr, nullptr));
}

int main() {
    refused();
    const int width = 32, height = 4;
    std::vector<float> in(width * height);
    for (int k = 0; k < width * height; ++k) in[k] = k;
    cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &texel, width, height);
    cudaMemcpy2DToArray(array, 0, 0, in.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice);
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray, what.res.array.array = array;
    cudaTextureObject_t nearest = object(what, cudaFilterModePoint), between = object(what, cudaFilterModeLinear);
    float *out = device<float>(width * height);
    sample<<<height, width>>>(nearest, out, width, 0);
    int wrong = host(out, in.size()) != in;
    sample<<<height, width>>>(between, out, width, 0);  // half a texel before each, along both
    printf("between %g %g\n", host(out, in.size())[0], host(out, in.size())[width + 1]);
    std::vector<float> back(in.size());
    cudaMemcpy2DFromArray(back.data(), width * 4, array, 0, 0, width * 4, height, cudaMemcpyDeviceToHost);
    cudaMemcpy3DParms box = {};
    box.srcPtr = make_cudaPitchedPtr(in.data(), width * 4, width, height), box.dstArray = array;
    box.dstPos = make_cudaPos(1, 1, 0), box.extent = make_cudaExtent(2, 1, 1), box.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&box);
    cudaError_t beyond = cudaMemcpy2DToArray(array, 4, 1, in.data(), width * 4, width * 4, 1, cudaMemcpyHostToDevice);
    box.dstPos.x = width - 1;
    printf("beyond %d %d %d\n", beyond, cudaMemcpy3D(&box), cudaMallocArray(&array, nullptr, 1, 1));
    sample<<<height, width>>>(nearest, out, width, 0);
    printf("box %g %g\n", host(out, in.size())[width + 1], host(out, in.size())[width + 2]);

    int4 *fours = device<int4>(16), *read = device<int4>(16);
    std::vector<int4> given(16, {1, 2, 3, 4});
    given[5].w = -7;
    cudaMemcpy(fours, given.data(), 256, cudaMemcpyHostToDevice);
    what = {}, what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = fours, what.res.linear.desc = cudaCreateChannelDesc<int4>();
    what.res.linear.sizeInBytes = 256;
    whole<<<1, 16>>>(object(what, cudaFilterModePoint), read);
    printf("whole %d %d\n", host(read, 16)[5].w, host(read, 16)[6].w);
    object(what, cudaFilterModeLinear);  // integers are not filtered

    size_t pitch;
    unsigned char *rows, bytes[2][16];
    cudaMallocPitch(&rows, &pitch, 16, 2);
    for (int k = 0; k < 32; ++k) bytes[k / 16][k % 16] = k / 16 ? 5 * k : 0;
    cudaMemcpy2D(rows, pitch, bytes, 16, 16, 2, cudaMemcpyHostToDevice);
    what = {}, what.resType = cudaResourceTypePitch2D;
    what.res.pitch2D = {rows, cudaCreateChannelDesc<unsigned char>(), 16, 2, pitch};
    shares<<<1, 16>>>(object(what, cudaFilterModePoint, true, cudaReadModeNormalizedFloat), out);
    printf("shares %g %g\n", 255 * host(out, 16)[0], 255 * host(out, 16)[15]);

    int *places = device<int>(32), far[32];
    what = {}, what.resType = cudaResourceTypeLinear;
    what.res.linear = {places, cudaCreateChannelDesc<int>(), 128};
    cudaTextureObject_t where = object(what, cudaFilterModePoint);
    float *from = device<float>(32 * 1024);
    for (int stride : {1, 1024}) {
        for (int k = 0; k < 32; ++k) far[k] = k * stride;
        cudaMemcpy(places, far, sizeof far, cudaMemcpyHostToDevice);
        gather<<<1, 32>>>(where, from, out);
    }
    float seven = 7;
    cudaMemcpy(from + 15, &seven, 4, cudaMemcpyHostToDevice);
    what.res.linear = {from, cudaCreateChannelDesc<float>(), 1024};
    divided<<<1, 32>>>(object(what, cudaFilterModePoint), out, 2);
    printf("divided %g\n", host(out, 32)[31]);
    cudaDestroyTextureObject(where);
    cudaFreeArray(array);
    printf("wrong %d, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
    sample<<<height, width>>>(nearest, out, width, 0);
    return wrong || cudaDeviceSynchronize() == cudaSuccess;
}
