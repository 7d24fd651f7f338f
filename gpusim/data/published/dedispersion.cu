// Dedispersion in one launch of a tuning space: for each of MEASURES dispersion measures the CHANNELS are summed, each
// shifted by what it comes later. Macros are the parameters: a block has BLOCK_X x BLOCK_Y threads. A thread sums
// TILE_X samples of TILE_Y measures. They lie side by side, or BLOCK_X and BLOCK_Y apart with STRIDED_X and STRIDED_Y.
#ifndef SAMPLES
#define SAMPLES 25000
#define MEASURES 2048
#define CHANNELS 1536
#define LATEST 650
#endif
constexpr int ROW = SAMPLES + LATEST;
constexpr float FIRST = 0.0f, STEP = 0.02f;  // measures
constexpr int STRIDE_X = STRIDED_X ? BLOCK_X : 1, STRIDE_Y = STRIDED_Y ? BLOCK_Y : 1;
constexpr int THREAD_X = STRIDED_X ? 1 : TILE_X, THREAD_Y = STRIDED_Y ? 1 : TILE_Y;

extern "C" __global__ void dedispersion(const unsigned char* input, float* output, const float* delays) {
  const int x = blockIdx.x * BLOCK_X * TILE_X + threadIdx.x * THREAD_X;
  const int y = blockIdx.y * BLOCK_Y * TILE_Y + threadIdx.y * THREAD_Y;
  for (int i = 0; i < TILE_X; ++i) {
    const int sample = x + i * STRIDE_X;
    if (sample >= SAMPLES) continue;
    for (int j = 0; j < TILE_Y; ++j) {
      const int measure = y + j * STRIDE_Y;
      if (measure >= MEASURES) continue;
      float sum = 0.0f;
      for (int channel = 0; channel < CHANNELS; ++channel) {
        const unsigned later = (FIRST + measure * STEP) * delays[channel];
        sum += input[channel * ROW + (sample + later)];
      }
      output[measure * SAMPLES + sample] = sum;
    }
  }
}
