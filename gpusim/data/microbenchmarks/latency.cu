// What the constants of gpusim/simulate/measured.py were read from: latency of single loads, alone and beside traffic of a
// known rate; launches of blocks that do nothing, spin, load or store; stores and loads of different strides.
typedef long long ll; typedef unsigned u32; typedef unsigned long long ull;
__device__ __forceinline__ ll now(){ll t;asm volatile("mov.u64 %0,%%clock64;":"=l"(t)::"memory");return t;}
__device__ __forceinline__ u32 ldcg(const u32*p){u32 v;asm volatile("ld.global.cg.b32 %0,[%1];":"=r"(v):"l"(p):"memory");return v;}
__device__ __forceinline__ u32 ldca(const u32*p){u32 v;asm volatile("ld.global.ca.b32 %0,[%1];":"=r"(v):"l"(p):"memory");return v;}
extern "C" {
// one thread: latency of each of n loads, addresses base + order[i]
__global__ void lat(const u32*g,const u32*order,int n,u32*out){u32 z=0;for(int i=0;i<n;++i){u32 o=order[i]+z;ll t=now();u32 v=ldcg(g+o);z=v&0x80000000u;if(z==1)z=2;ll e=now();out[i]=(u32)(e-t)+z;}}
// whole warp, lane-contiguous
__global__ void latw(const u32*g,const u32*order,int n,u32*out){u32 z=0;for(int i=0;i<n;++i){u32 o=order[i]+z;ll t=now();u32 v=ldcg(g+o+threadIdx.x);if(__any_sync(~0u,v==0x7fffffff))asm volatile("trap;");ll e=now();if(threadIdx.x==0)out[i]=(u32)(e-t);}}
__global__ void flush(u32*p,size_t n){size_t i=blockIdx.x*(size_t)blockDim.x+threadIdx.x;for(;i<n;i+=(size_t)gridDim.x*blockDim.x)p[i]=i;}
// block 0 of SM probes while the others make traffic: rw 0 reads, 1 copies, 2 writes; gap cycles between accesses of a warp
__global__ void __launch_bounds__(512) load_probe(const uint4*src,uint4*dst,u32 words,int gap,int rw,const u32*g,const u32*order,int n,u32*out,volatile u32*stop,ull*work){
 if(blockIdx.x==0){ if(threadIdx.x<32){ll s=now();while(now()-s<20000);u32 z=0;for(int i=0;i<n;++i){u32 o=order[i]+z;ll t=now();u32 v=ldcg(g+o+threadIdx.x);if(__any_sync(~0u,v==0x7fffffff))asm volatile("trap;");ll e=now();if(threadIdx.x==0)out[i]=(u32)(e-t);} if(threadIdx.x==0){__threadfence();*stop=1;}} return;}
 u32 nt=(gridDim.x-1)*blockDim.x,i=(blockIdx.x-1)*blockDim.x+threadIdx.x;u32 acc=0;ll s=now();ull k=0;
 while(1){uint4 v[4];u32 q[4];
#pragma unroll
 for(int j=0;j<4;++j){q[j]=i;i+=nt;if(i>=words)i-=words;v[j]=make_uint4(1,2,3,4);if(rw<2){asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];":"=r"(v[j].x),"=r"(v[j].y),"=r"(v[j].z),"=r"(v[j].w):"l"(src+q[j]));}}
#pragma unroll
 for(int j=0;j<4;++j){if(rw>0)dst[q[j]]=v[j];else acc+=v[j].x^v[j].y^v[j].z^v[j].w;}
 k+=4;while(now()-s<gap*(ll)k);if((k&15)==0&&*stop)break;}
 if(acc==0x12345)out[0]=acc; ll e=now(); if(threadIdx.x==0){work[2*blockIdx.x]=k;work[2*blockIdx.x+1]=e-s;}}
}
// ---- block launch
extern "C" __global__ void e_empty(){}
extern "C" __global__ void __launch_bounds__(256) e_spin(int c,u32*sink){ll t=now();while(now()-t<c);}
extern "C" __global__ void e_load(const u32*g,u32*sink){u32 v=g[blockIdx.x*blockDim.x+threadIdx.x];if(v==0x12345678)sink[0]=v;}
extern "C" __global__ void e_store(u32*sink){sink[blockIdx.x*blockDim.x+threadIdx.x]=threadIdx.x;}
extern "C" __global__ void e_where(u32*sm,ll*t){if(threadIdx.x==0){u32 s;asm volatile("mov.u32 %0,%%smid;":"=r"(s));unsigned long long q;asm volatile("mov.u64 %0,%%globaltimer;":"=l"(q));sm[blockIdx.x]=s;t[2*blockIdx.x]=now();t[2*blockIdx.x+1]=q;}}
extern "C" __global__ void e_where2(u32*sm,ll*t,int c){ll a=now();while(now()-a<c);if(threadIdx.x==0){u32 s;asm volatile("mov.u32 %0,%%smid;":"=r"(s));sm[blockIdx.x]=s;t[2*blockIdx.x]=a;t[2*blockIdx.x+1]=now();}}
// ---- bandwidth of stores and strided loads: all SMs, each thread its own words
extern "C" __global__ void w_coal(u32*p,int n){u32 i=blockIdx.x*blockDim.x+threadIdx.x;for(int k=0;k<n;++k)p[i+(size_t)k*gridDim.x*blockDim.x]=k;}
extern "C" __global__ void w_strided(u32*p,int n,int s){size_t i=(size_t)(blockIdx.x*blockDim.x+threadIdx.x)*s;for(int k=0;k<n;++k)p[i+k]=k;}
extern "C" __global__ void r_strided(const u32*p,int n,int s,u32*sink){size_t i=(size_t)(blockIdx.x*blockDim.x+threadIdx.x)*s;u32 a=0;for(int k=0;k<n;++k){u32 v;asm volatile("ld.global.cg.b32 %0,[%1];":"=r"(v):"l"(p+i+8*k));a+=v;}if(a==0x1234567)sink[0]=a;}
