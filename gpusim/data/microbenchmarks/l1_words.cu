// Which words of a line L1 keeps of what is read and written in part.  Kernels take texts of steps, a line (or 32 rows) for each, and
// block b times a read of word b in the end.  The source of data/h200_l1_words.json.
struct Text { unsigned char op[10], word[10]; };  // op 255 ends a text
__device__ __forceinline__ int ld(const int*p){int v;asm volatile("ld.global.ca.b32 %0,[%1];":"=r"(v):"l"(p):"memory");return v;}
__device__ __forceinline__ int cg(const unsigned char*p){int v;asm volatile("ld.global.cg.u8 %0,[%1];":"=r"(v):"l"(p):"memory");return v;}
__device__ __forceinline__ void rest(int cycles){long long a=clock64();while(clock64()-a<cycles);}
extern "C" {
// One line.  Each read is waited for.  0 one lane reads a word, 1 a warp the line, 2 eight lanes a sector, 7 four lanes a word of each
// sector; 3 to 6 and 8 write a word, a sector, the line, half a sector, a word of each sector.
__global__ void l1_words(int*g,const unsigned char*texts,int n,unsigned char*gone,int wait){
 int lane=threadIdx.x,acc=0;
 for(int t=0;t<n;++t){const unsigned char*text=texts+t*sizeof(Text);
  for(int k=0;k<10;++k){
   int op=cg(text+k),a=cg(text+10+k);if(op==255)break;
   int*p=g+(size_t)t*32;
   if(op==0){if(lane==0)acc+=ld(p+a+acc);}
   else if(op==1)acc+=ld(p+lane+acc);
   else if(op==2){if(lane<8)acc+=ld(p+(a&24)+lane+acc);}
   else if(op==7){if(lane<4)acc+=ld(p+(a&7)+8*lane+acc);}
   else{
    if(op==3){if(lane==0)p[a]=acc;}
    else if(op==4){if(lane<8)p[(a&24)+lane]=acc;}
    else if(op==5)p[lane]=acc;
    else if(op==6){if(lane<4)p[(a&28)+lane]=acc;}
    else if(op==8){if(lane<4)p[(a&7)+8*lane]=acc;}
    rest(wait);}
   if(__any_sync(~0u,acc!=0))acc=0;
   __syncwarp();}
  int*p=g+(size_t)t*32+blockIdx.x;
  long long a=clock64();int v=ld(p+acc);if(__any_sync(~0u,v!=0))acc=1;long long b=clock64();
  if(lane==0)gone[blockIdx.x*n+t]=(b-a)>150;}
 if(acc)g[0]=0;
}
// A row of 64 words for each lane.  0 read a word and wait for it, 1 read one and go on, 3 write one, 5 rest.
__global__ void l1_rows(int*g,const unsigned char*texts,int n,unsigned char*gone,int delay){
 int lane=threadIdx.x,acc=0;
 for(int t=0;t<n;++t){const unsigned char*text=texts+t*sizeof(Text);
  int*row=g+(size_t)t*2048,*p=row+lane*64;
  int op[8],a[8],v[8],never=0;
#pragma unroll
  for(int k=0;k<8;++k){op[k]=cg(text+k);a[k]=cg(text+10+k);v[k]=0;never+=op[k]+a[k];}
  if(__any_sync(~0u,never==12345))acc=1;
  __syncwarp();
#pragma unroll
  for(int k=0;k<8;++k){
   if(op[k]==1)v[k]=ld(p+a[k]);
   else if(op[k]==0){v[k]=ld(p+a[k]);if(__any_sync(~0u,v[k]==77))acc=1;}
   else if(op[k]==3)p[a[k]]=lane;
   else if(op[k]==5)rest(delay);
  }
#pragma unroll
  for(int k=0;k<8;++k)if(__any_sync(~0u,v[k]==77))acc=1;
  rest(4000);
  p=row+blockIdx.x;
  long long b=clock64();int w=ld(p+acc);if(__any_sync(~0u,w==77))acc=1;long long c=clock64();
  if(lane==0)gone[blockIdx.x*n+t]=(c-b)>150;}
 if(acc)g[0]=0;
}
// Rows that are there, a lane each, are stored to twice, with chain[t] multiplications between; block b reads row b in the end.
__global__ void stored_twice(int*g,const int*chain,int n,unsigned char*gone,int*gap){
 int lane=threadIdx.x%32,warp=threadIdx.x/32,acc=0;
 for(int t=0;t<n;++t){
  int*p=g+((size_t)(t*2+warp)*32+lane)*64,k=chain[t],x=k,v=ld(p+1);if(__any_sync(~0u,v==77))acc=1;
  __syncthreads();
  long long a=clock64();
  asm volatile("st.global.b32 [%0],%1;"::"l"(p),"r"(acc):"memory");
#pragma unroll 1
  for(int i=0;i<k;++i)asm volatile("mad.lo.s32 %0,%0,%0,%0;":"+r"(x)::"memory");
  long long b=clock64();
  asm volatile("st.global.b32 [%0],%1;"::"l"(p+3),"r"(x):"memory");
  rest(4000);
  long long c=clock64();v=0;if(lane==blockIdx.x)v=ld(p+acc);if(__any_sync(~0u,v==77))acc=1;long long d=clock64();
  if(lane==0){size_t i=(blockIdx.x*blockDim.x/32+warp)*n+t;gone[i]=(d-c)>150;gap[i]=b-a;}}
 if(acc)g[0]=0;
}
// Each thread changes its row of 64 words, visit after visit.  By division the next word is asked for just before the last one is
// stored; without it the compiler reads ahead by many.
#define VISITS(NAME,EXPRESSION) __global__ void __launch_bounds__(64) NAME(float*O,float a,float b,float c,int visits,int groups){ \
 for(int r=0;r<visits;++r)for(int i=0;i<groups;++i){float*p=O+(size_t)(i*blockDim.x+threadIdx.x)*64;float cc=c+threadIdx.x; \
  _Pragma("unroll") for(int d=0;d<64;++d)p[d]=EXPRESSION;__syncthreads();}}
VISITS(divided,(a*p[d]+b)/cc)
VISITS(multiplied,__fdividef(a*p[d]+b,cc))
}
#ifndef __CUDACC_RTC__
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e=(x);if(e){printf("ERR %s line %d\n",cudaGetErrorString(e),__LINE__);exit(1);}}while(0)
int main(int argc,char**argv){ // which kernel, a file of texts, a file of 32 bytes for each out: 1 where a word was gone
 int*g;unsigned char*gone,*texts;CK(cudaMalloc(&g,(size_t)1<<28));CK(cudaMemset(g,0,(size_t)1<<28));
 std::vector<Text>v(4096);FILE*f=fopen(argv[2],"rb"),*o=fopen(argv[3],"wb");int n=fread(v.data(),sizeof(Text),v.size(),f);
 CK(cudaMalloc(&gone,32*n));CK(cudaMalloc(&texts,n*sizeof(Text)));CK(cudaMemcpy(texts,v.data(),n*sizeof(Text),cudaMemcpyHostToDevice));
 if(atoi(argv[1]))l1_rows<<<32,32>>>(g,texts,n,gone,3000);else l1_words<<<32,32>>>(g,texts,n,gone,0);
 std::vector<unsigned char>h(32*n);CK(cudaMemcpy(h.data(),gone,32*n,cudaMemcpyDeviceToHost));
 fwrite(h.data(),1,32*n,o);fclose(o);
}
#endif
