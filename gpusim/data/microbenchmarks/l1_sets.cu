// Which lines of L1 share a set: for a line, four lines of a pool of 2048 that replace it, found by leaving out what is not needed.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e=(x);if(e){printf("ERR %s line %d\n",cudaGetErrorString(e),__LINE__);exit(1);}}while(0)
__device__ __forceinline__ int ld(const int*p){int v;asm volatile("ld.global.ca.b32 %0,[%1];":"=r"(v):"l"(p):"memory");return v;}
__device__ __forceinline__ int cg(const int*p){int v;asm volatile("ld.global.cg.b32 %0,[%1];":"=r"(v):"l"(p):"memory");return v;}
extern "C" __global__ void probe(const int*g,unsigned target,const int*list,int n,int*out){
 int acc=0,lane=threadIdx.x;
 if(lane==0)acc+=ld(g+(size_t)target*32);
 if(__any_sync(~0u,acc==0x12345678))out[1]=1;
 for(int i=0;i<n;i+=32){int v=0;if(i+lane<n)v=ld(g+(size_t)cg(list+i+lane)*32);if(__any_sync(~0u,v==0x12345678))out[1]=1;}
 __syncwarp();
 if(lane==0){long long a=clock64();int v=ld(g+(size_t)target*32);if(v==0x12345678)out[1]=1;long long b=clock64();out[0]=(int)(b-a);}
}
int main(){char*raw;int*list,*out;CK(cudaMalloc(&raw,(size_t)1<<36));CK(cudaMallocManaged(&list,8192*4));CK(cudaMallocManaged(&out,8));
 int*g=(int*)(((size_t)raw+((size_t)1<<35)-1)&~(((size_t)1<<35)-1));printf("base %p\n",(void*)g);
 const unsigned P=1u<<21; // pool's first line
 int*dlist;CK(cudaMalloc(&dlist,8192*4));
 auto gone=[&](unsigned t,const std::vector<int>&v){CK(cudaMemcpy(dlist,v.data(),v.size()*4,cudaMemcpyHostToDevice));int c=0;for(int r=0;r<3;++r){probe<<<1,32>>>(g,t,dlist,(int)v.size(),out);CK(cudaDeviceSynchronize());c+=out[0]>120;}return c>=2;};
 std::vector<unsigned> T={0};for(int i=0;i<28;++i)T.push_back(1u<<i);T.push_back(3);T.push_back(5+1024);T.push_back(123456);T.push_back(777777);
 for(unsigned t:T){std::vector<int>v;for(int k=0;k<2048+256;++k)v.push_back(P+k);
  if(!gone(t,v)){printf("line %u: stays\n",t);continue;}
  int parts=8;while(v.size()>4&&parts<=4096){bool cut=false;size_t step=(v.size()+parts-1)/parts;if(step<1)step=1;
   for(size_t s=0;s<v.size();){std::vector<int>w;for(size_t k=0;k<v.size();++k)if(k<s||k>=s+step)w.push_back(v[k]);if(w.size()>=4&&gone(t,w)){v=w;cut=true;}else s+=step;}
   if(!cut||step>1)parts*=2;if(step==1&&!cut)break;}
  printf("line %u:",t);for(int x:v)printf(" %d",x-(int)P);printf("\n");fflush(stdout);}
}
