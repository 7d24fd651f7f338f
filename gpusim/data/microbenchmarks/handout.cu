// Which SM each block of a grid is given to, past the first wave. The source of data/h200_handout.json.
extern "C" __global__ void copied(const float*x,float*y,unsigned*sms){
 unsigned sm;asm volatile("mov.u32 %0,%%smid;":"=r"(sm));
 int i=blockIdx.x*blockDim.x+threadIdx.x;y[i]=x[i];
 if(threadIdx.x==0)sms[blockIdx.x]=sm;
}
#ifndef __CUDACC_RTC__
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
int main(){ // copies one MiWord with 4096 blocks of 256, eight times; a line for each
 float*x,*y;unsigned*sms;cudaMalloc(&x,1<<22);cudaMalloc(&y,1<<22);cudaMalloc(&sms,4096*4);cudaMemset(x,0,1<<22);
 char*junk;cudaMalloc(&junk,1<<28);std::vector<unsigned>h(4096);
 for(int r=0;r<8;++r){cudaMemset(junk,r,1<<28);copied<<<4096,256>>>(x,y,sms);
  cudaMemcpy(h.data(),sms,4096*4,cudaMemcpyDeviceToHost);for(unsigned s:h)printf("%u ",s);printf("\n");}
 return cudaDeviceSynchronize();
}
#endif
