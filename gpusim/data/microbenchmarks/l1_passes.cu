// What L1 replaces. One block of 1024 threads passes over four regions, whole warps over whole lines, in the order of a text of at most
// eight letters (the lowest byte first), with a barrier after each. Sizes in KiB.  The source of data/h200_l1_passes.json, whose hits are
// those of all passes together.
//   A B C     read that region                          W, X    write region W, region A
//   R         read region W                             P, p    write one word, one sector of each line of W
//   s, t      read sector 0, sector 1 of each line of A D       read A, each line by two warps side by side
//   M         read A and write W, a word of each in turns
__device__ __forceinline__ int ld(const int*p){int v;asm volatile("ld.global.ca.b32 %0,[%1];":"=r"(v):"l"(p));return v;}
extern "C" __global__ void __launch_bounds__(1024) l1_passes(int*A,const int*B,const int*C,int*W,int a,int b,int c,int w,unsigned long long passes,int*sink){
 int acc=0,warp=threadIdx.x/32,lane=threadIdx.x%32;
 for(;passes;passes>>=8){int o=passes&255;
  if(o=='A')for(int i=threadIdx.x;i<a*256;i+=1024)acc+=ld(A+i);
  if(o=='B')for(int i=threadIdx.x;i<b*256;i+=1024)acc+=ld(B+i);
  if(o=='C')for(int i=threadIdx.x;i<c*256;i+=1024)acc+=ld(C+i);
  if(o=='R')for(int i=threadIdx.x;i<w*256;i+=1024)acc+=ld(W+i);
  if(o=='W')for(int i=threadIdx.x;i<w*256;i+=1024)W[i]=i;
  if(o=='X')for(int i=threadIdx.x;i<a*256;i+=1024)A[i]=i;
  if(o=='M')for(int i=threadIdx.x;i<a*256;i+=1024)W[i]=ld(A+i);
  if(o=='P')for(int i=warp;i<w*8;i+=32)if(lane==0)W[i*32]=i;
  if(o=='p')for(int i=warp;i<w*8;i+=32)if(lane<8)W[i*32+lane]=i;
  if(o=='s')for(int i=warp;i<a*8;i+=32)if(lane<8)acc+=ld(A+i*32+lane);
  if(o=='t')for(int i=warp;i<a*8;i+=32)if(lane<8)acc+=ld(A+i*32+8+lane);
  if(o=='D')for(int i=warp/2;i<a*8;i+=16)acc+=ld(A+i*32+lane);
  __syncthreads();}
 if(acc==0x12345678)sink[0]=acc;}
