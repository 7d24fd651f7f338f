// Which lines L1 gives up when none of data is left. One warp an SM reads lines in a row, one at a time; then the SM times a load of one
// of them, SM b line 4 b. What an SM gives up next it remembers from launch to launch.  The source of data/h200_l1_vacated.json.
__device__ __forceinline__ int ld(const int*p){int v;asm volatile("ld.global.ca.b32 %0,[%1];":"=r"(v):"l"(p):"memory");return v;}
extern "C" __global__ void fill_and_look(int*g,int lines,unsigned char*out){
 int lane=threadIdx.x,acc=0;
 for(int i=0;i<lines;++i){acc+=ld(g+(size_t)i*32+lane+acc);if(__any_sync(~0u,acc!=0))acc=0;}
 __syncwarp();
 if(blockIdx.x<128){int*p=g+blockIdx.x*4*32;long long a=clock64();int v=ld(p+lane);if(__any_sync(~0u,v!=0))acc=1;long long b=clock64();if(lane==0)out[blockIdx.x]=(b-a)>150;}
 if(acc)g[0]=0;
}
#ifndef __CUDACC_RTC__
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e=(x);if(e){printf("ERR %s line %d\n",cudaGetErrorString(e),__LINE__);exit(1);}}while(0)
int main(){char*raw;unsigned char*out;CK(cudaMalloc(&raw,(size_t)1<<36));CK(cudaMallocManaged(&out,128));
 int*g=(int*)(((size_t)raw+((size_t)1<<35)-1)&~(((size_t)1<<35)-1));CK(cudaMemset(g,0,(size_t)1<<28));
 auto test=[&](int lines){fill_and_look<<<132,32>>>(g,lines,out);CK(cudaDeviceSynchronize());
  printf("%d:",lines);for(int b=0;b<128;++b)if(out[b])printf(" %d",4*b);printf("\n");};
 for(int n=1696;n<=1808;n+=4)test(n);
 for(int r=0;r<24;++r)test(1752);
 for(int r=0;r<24;++r)test(2048);
}
#endif
