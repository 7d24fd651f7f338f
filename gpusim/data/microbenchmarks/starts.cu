// When the blocks of a first and a second wave start, by the global timer and by each SM's clock. The source of data/h200_starts.json.
#include <cstdio>
#include <vector>
#include <algorithm>
#include <map>
#include <cuda_runtime.h>
typedef long long ll; typedef unsigned u32;
__device__ __forceinline__ ll now(){ll t;asm volatile("mov.u64 %0,%%clock64;":"=l"(t)::"memory");return t;}
__device__ __forceinline__ ll gt(){ll t;asm volatile("mov.u64 %0,%%globaltimer;":"=l"(t)::"memory");return t;}
__device__ __forceinline__ u32 smid(){u32 s;asm volatile("mov.u32 %0,%%smid;":"=r"(s));return s;}
// warps but the first of a block sleep, so that nobody takes another one's issue slots
extern "C" __global__ void __launch_bounds__(1024) hold(int c,ll*out){ll t0=now(),g0=gt();while(now()-t0<c)__nanosleep(200);
 if(threadIdx.x==0){ll*o=out+6*(ll)blockIdx.x;o[0]=smid();o[1]=t0;o[2]=g0;o[3]=now();o[4]=gt();}}
int main(){ll*d;cudaMalloc(&d,1<<26);std::vector<ll>h(1<<22);
 int S[][2]={{32,32},{64,32},{128,16},{256,8},{512,4},{1024,2},{32,8},{256,2},{256,4},{1024,1}};
 for(auto&s:S)for(int waves:{1,2})for(int c:{30000}){int slots=s[1],n=132*slots*waves;
  if(waves==2&&s[1]*s[0]<2048&&s[1]<32)continue;
  for(int r=0;r<3;++r){hold<<<n,s[0]>>>(c,d);if(cudaDeviceSynchronize()){printf("err\n");return 1;}}
  cudaMemcpy(h.data(),d,48LL*n,cudaMemcpyDeviceToHost);
  for(int w=0;w<waves;++w){ std::vector<ll> g; ll lo=1LL<<62; for(int b=w*132*slots;b<(w+1)*132*slots;++b)lo=std::min(lo,h[6*b+2]);
   for(int b=w*132*slots;b<(w+1)*132*slots;++b)g.push_back(h[6*b+2]-lo); std::vector<ll> u=g; std::sort(u.begin(),u.end());
   printf("threads %d blocks/SM %d wave %d of %d: start ns min..max q10 %lld q50 %lld q90 %lld max %lld; by index:",s[0],slots,w+1,waves,u[u.size()/10],u[u.size()/2],u[u.size()*9/10],u.back());
   for(int k=0;k<=10;++k)printf(" %lld",g[std::min<size_t>(g.size()-1,g.size()*k/10)]); printf("\n");
   // by SM clock: of each SM the starts relative to its first block of this wave
   std::map<ll,std::vector<ll>> m; for(int b=w*132*slots;b<(w+1)*132*slots;++b)m[h[6*b]].push_back(h[6*b+1]); int k=0; std::vector<double> at(slots,0);
   for(auto&e:m){auto v=e.second;std::sort(v.begin(),v.end());if((int)v.size()!=slots)continue;for(int j=0;j<slots;++j)at[j]+=v[j]-v[0];++k;}
   printf("   SMs with all: %d; mean start of k-th block by SM clock:",k);for(int j=0;j<slots;j+=(slots>8?slots/8:1))printf(" %.0f",at[j]/std::max(k,1));printf(" last %.0f\n",at[slots-1]/std::max(k,1)); }
 }}
