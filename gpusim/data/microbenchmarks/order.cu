// Which warps of a block get ahead where all want one unit: each notes the clock at every stamp.  The source of data/h200_order.json.
#define STAMP(k) if(threadIdx.x%32==0)t[(size_t)(threadIdx.x/32)*stamps+(k)]=clock();
extern "C" {
// loads of a small array, stride words a lane apart, four at a time, from L1
__global__ void order_ldg(int n,int stride,const int*__restrict__ A,int*sink,int*t,int stamps){
  const int*p=A+(threadIdx.x%32)*stride;int acc=0;
  for(int i=threadIdx.x%32;i<32*32*32;i+=32)acc+=A[i%(32*stride+32)];
  __syncthreads();
  for(int k=0;k<stamps;++k){STAMP(k)
    for(int i=0;i<n;++i){int v,u,w,z;asm volatile("ld.global.ca.b32 %0,[%4];ld.global.ca.b32 %1,[%4+4];ld.global.ca.b32 %2,[%4+8];ld.global.ca.b32 %3,[%4+12];":"=r"(v),"=r"(u),"=r"(w),"=r"(z):"l"(p));acc+=v+u+w+z;p+=v;}}
  if(acc==12345)sink[0]=acc;
}
// loads of shared memory, stride words a lane apart, one at a time
__global__ void order_lds(int n,int stride,int*sink,int*t,int stamps){
  __shared__ int m[8192];for(int i=threadIdx.x;i<8192;i+=blockDim.x)m[i]=0;__syncthreads();
  unsigned p=(unsigned)__cvta_generic_to_shared(m)+(threadIdx.x%32)*stride*4;int acc=0;
  for(int k=0;k<stamps;++k){STAMP(k)
    for(int i=0;i<n;++i){int v;asm volatile("ld.shared.b32 %0,[%1];":"=r"(v):"r"(p));acc+=v;p+=v;}}
  if(acc==12345)sink[0]=acc;
}
// four chains of FFMA
__global__ void order_fma(int n,float x,int*sink,int*t,int stamps){
  float c0=x+threadIdx.x,c1=c0,c2=c0,c3=c0;
  for(int k=0;k<stamps;++k){STAMP(k)
#pragma unroll 8
    for(int i=0;i<n;++i){c0=c0*x+x;c1=c1*x+x;c2=c2*x+x;c3=c3*x+x;}}
  if(c0+c1+c2+c3==12345.f)sink[0]=1;
}
}
