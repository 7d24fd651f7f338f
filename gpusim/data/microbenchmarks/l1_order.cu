// Which lines of a set L1 keeps. A warp reads and writes lines of one set, one after another, in the order of a text, and then times a
// read of one of them; block b the line b % 8 of each text.  The source of data/h200_l1_order.json.
//   R, W    read, write the whole line                r, s    read its sector 0, sector 1
//   w, x    write its sector 0, one word of that (x is not in the table: what it leaves depends on how the sector was read)
struct Text { unsigned short line[8]; unsigned char steps[24]; };  // a step: what in the upper half, which line in the lower; 0xff ends
__device__ __forceinline__ int ld(const int*p){int v;asm volatile("ld.global.ca.b32 %0,[%1];":"=r"(v):"l"(p):"memory");return v;}
__device__ __forceinline__ int cg(const unsigned char*p){int v;asm volatile("ld.global.cg.u8 %0,[%1];":"=r"(v):"l"(p):"memory");return v;}
__device__ __forceinline__ int*line_of(int*g,const unsigned char*text,int which){return g+(size_t)(cg(text+2*which)|cg(text+2*which+1)<<8)*32;}
extern "C" __global__ void l1_order(int*g,const unsigned char*texts,int n,unsigned char*gone){
 int lane=threadIdx.x,acc=0;
 for(int t=0;t<n;++t){const unsigned char*text=texts+t*sizeof(Text);
  for(int k=0;k<24;++k){
   int step=cg(text+16+k);if(step==0xff)break;
   int*p=line_of(g,text,step&15);step>>=4;
   if(step==0)acc+=ld(p+lane+acc);
   else if(step==2){if(lane<8)acc+=ld(p+lane+acc);}
   else if(step==3){if(lane>=8&&lane<16)acc+=ld(p+lane+acc);}
   else{if(step==1||step==4&&lane<8||lane==0)p[lane]=acc;long long a=clock64();while(clock64()-a<1500);}
   if(__any_sync(~0u,acc!=0))acc=0;
   __syncwarp();}
  int*p=line_of(g,text,blockIdx.x%8);
  long long a=clock64();int v=ld(p+lane+acc);if(__any_sync(~0u,v!=0))acc=1;long long b=clock64();
  if(lane==0)gone[blockIdx.x*n+t]=(b-a)>150;}
 if(acc)g[0]=0;
}
#ifndef __CUDACC_RTC__
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e=(x);if(e){printf("ERR %s line %d\n",cudaGetErrorString(e),__LINE__);exit(1);}}while(0)
int main(int argc,char**argv){ // a file of texts in, a file of 8 bytes for each out: 1 where the line was gone
 char*raw;unsigned char*gone,*texts;CK(cudaMalloc(&raw,(size_t)1<<36));
 int*g=(int*)(((size_t)raw+((size_t)1<<35)-1)&~(((size_t)1<<35)-1));CK(cudaMemset(g,0,1<<24));
 std::vector<Text>v(4096);FILE*f=fopen(argv[1],"rb"),*o=fopen(argv[2],"wb");int n=fread(v.data(),sizeof(Text),v.size(),f);
 CK(cudaMallocManaged(&gone,8*n));CK(cudaMallocManaged(&texts,n*sizeof(Text)));memcpy(texts,v.data(),n*sizeof(Text));
 l1_order<<<8,32>>>(g,texts,n,gone);CK(cudaDeviceSynchronize());
 fwrite(gone,1,8*n,o);fclose(o);
}
#endif
