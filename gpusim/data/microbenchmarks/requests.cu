// Which sectors that warps of an SM ask for, or write, one after the other go to L2 in one request: programs of warps, told by macros.
typedef long long ll;
typedef unsigned u32;
#ifdef STORE
#define ASK(type,r,base,at) asm volatile("st.global." type " [%0+%1],%2;"::"l"(base),"n"(at),r(lane));
#define B(at) ASK("b8","r",p8,at)
#define H(at) asm volatile("st.global.b16 [%0+%1],%2;"::"l"(p16),"n"(at),"h"((unsigned short)lane));
#define W(at) ASK("b32","r",p32,at)
#define X(at) ASK("b32","r",px,at)
#define Y(at) ASK("b32","r",py,at)
#else
#define ASK(type,r,base,at) {u32 v;asm volatile("ld.global." type " %0,[%1+%2];":"=r"(v):"l"(base),"n"(at));seen+=v;}
#define B(at) ASK("u8","r",p8,at)
#define H(at) {unsigned short v;asm volatile("ld.global.u16 %0,[%1+%2];":"=h"(v):"l"(p16),"n"(at));seen+=v;}
#define W(at) ASK("u32","r",p32,at)
#define X(at) ASK("u32","r",px,at)
#define Y(at) ASK("u32","r",py,at)
#endif
#define T(n) _Pragma("unroll") for(int t=0;t<n;++t)asm volatile("xor.b32 %0,%0,%1;":"+r"(x[t&3]):"r"(lane));
#ifndef APART
#define APART 1
#endif
#ifndef W0
#define W0
#endif
#ifndef W1
#define W1
#endif
#ifndef W4
#define W4
#endif
#ifndef REST
#define REST
#endif
extern "C" __global__ void __launch_bounds__(1024) requests(char*g,int n,int period,int span,ll*when){
 int w=threadIdx.x/32;u32 lane=threadIdx.x%32,x[4]={1,2,3,lane},free[10]={lane,lane*3,lane*5,lane*7,lane*9,lane*11,lane*13,lane*15,lane*17,lane*19},seen=0;
 ll t0=clock64()+2000,sum=0;
 for(int i=0;i<n;++i){
  char*p8=g+(size_t)i*span*128+lane,*p16=p8+lane,*p32=p16+2*lane,*px=g+(size_t)i*span*128+lane%16*4+lane/16*APART*128,*py=g+(size_t)i*span*128+lane*16;
  while(clock64()<t0+(ll)i*period);
  __syncthreads();
  ll a=clock64();
  if(w==0){W0}
  else if(w==1){W1}
  else if(w==4){W4}
  else if(w>7){REST}
#pragma unroll
  for(int k=0;k<10;++k)asm volatile("mad.lo.u32 %0,%0,%0,7;":"+r"(free[k]));
  sum+=clock64()-a;}
 if(lane==0)when[w]=sum;
 for(int k=0;k<10;++k)seen+=free[k];
 if(seen+x[0]+x[1]+x[2]+x[3]==0x12345678u)when[0]=0;}
