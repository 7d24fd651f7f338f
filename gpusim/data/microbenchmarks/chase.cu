// Latency of loads one after another: a chain of addresses through a footprint, laid by the kernel that follows it.
typedef long long ll;
typedef unsigned long long ull;
// nodes apart words of 8 bytes; each holds the address of the next: (FACTOR * i + 11) mod nodes comes to all of them where
// FACTOR - 1 is a multiple of 4 and of every prime that divides nodes, here 2, 3, 5 and 7
#define FACTOR 618661ull
#define CHASE(name,how) extern "C" __global__ void __launch_bounds__(1024) name(ull*g,int nodes,int apart,int n,ll*out,ull*sink){\
 unsigned step=FACTOR*blockDim.x%nodes,to=(FACTOR*threadIdx.x+11)%nodes;\
 for(int i=threadIdx.x;i<nodes;i+=blockDim.x){g[(size_t)i*apart]=(ull)(g+(size_t)to*apart);to+=step;if(to>=nodes)to-=nodes;}\
 __syncthreads();\
 if(threadIdx.x)return;\
 const ull*p=g;\
 for(int i=0;i<nodes;++i){ull v;asm volatile("ld.global." how ".u64 %0,[%1];":"=l"(v):"l"(p));p=(const ull*)v;}\
 ll t=clock64();\
 _Pragma("unroll 16") for(int i=0;i<n;++i){ull v;asm volatile("ld.global." how ".u64 %0,[%1];":"=l"(v):"l"(p));p=(const ull*)v;}\
 out[0]=clock64()-t;sink[0]=(ull)p;}
CHASE(chase_ca,"ca")
CHASE(chase_cg,"cg")
