// What all parts of the CUDA runtime of `gpusim run` share.
//
// It is loaded by the user's program in the place of libcudart.  It keeps allocations, streams and events itself; kernels
// are simulated by gpusim, the parent process, at the other end of a socket.  Device memory is a file in memory that both
// have mapped (memory.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

namespace gpusim __attribute__((visibility("default"))) {  // libraries (../libraries) call it, too

using Address = uint64_t;

// ---------------------------------------------------------------- to gpusim and back (channel.cpp)

enum class Ask : uint32_t {
    hello = 1, module = 2, placed = 3, launch = 4, occupancy = 5, refused = 6, catch_up = 7, library = 8, product = 9,
    texture = 10, left = 11, allocated = 12, failed = 13
};

struct Answer {
    int32_t status;  // a cudaError_t
    std::string body;
};

Answer ask(Ask what, const std::string &body);

// Ends the program: gpusim says that its runtime does not have this call.
[[noreturn]] void refuse(const std::string &call);

// What the GPU is, by the names that gpusim/programs/device.py gives.
int64_t device(const char *name);
const std::string &device_name();

size_t stack_bytes();  // of a thread whose functions recurse, as the program has set it

template <class T> void put(std::string &body, const T &value) {
    body.append(reinterpret_cast<const char *>(&value), sizeof value);
}

// ---------------------------------------------------------------- errors (errors.cpp)

// Every call of the API goes through this: one at a time, its error kept for cudaGetLastError.
cudaError_t call(const std::function<cudaError_t()> &body);

// A kernel did something wrong.  Nothing is launched any more, and every call fails so from when the program has waited.
void fault(cudaError_t error);
void settle();
cudaError_t coming();
cudaError_t faulted();

// ---------------------------------------------------------------- where calls come from (callers.cpp)

struct Caller {
    std::string call;            // of the API
    std::vector<uint64_t> code;  // addresses in the executable's file, innermost first
};

bool is_checked();  // whether the program is (`gpusim run --check`)
Caller caller();

// ---------------------------------------------------------------- memory (memory.cpp)

enum class Kind : uint32_t { device, managed, host, variables, freed };

struct Allocation {
    Address first;
    size_t nbytes;
    uint64_t number;
    Kind kind;
};

cudaError_t allocate(Address *address, size_t nbytes, Kind kind);
cudaError_t release(Address address);
const Allocation *allocation_at(Address address);
uint64_t allocations_version();
std::string allocations_table();  // where the program is checked with what has been freed

inline bool holds(const Allocation *one, Address address, size_t nbytes) {
    return one && nbytes <= one->nbytes - (address - one->first);
}

bool is_device(const void *pointer);
void *view(const void *pointer);  // where this process reads and writes what a pointer, a device's or its own, names
cudaError_t copy(void *to, const void *from, size_t nbytes, cudaMemcpyKind kind);
cudaError_t copy_rows(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t width, size_t rows,
                      cudaMemcpyKind kind);
cudaError_t fill(void *to, unsigned value, size_t nbytes, size_t unit = 1);  // with units of so many bytes
cudaError_t fill_rows(char *to, size_t pitch, unsigned value, size_t width, size_t rows, size_t unit = 1);

enum class Passing : uint64_t { read = 0, written = 1, from_host = 2, to_host = 3 };  // gpusim/engine/hierarchy/copies.py

struct Moved {  // a stretch of the device's memory that was copied or set
    Passing what;
    Address first;
    uint64_t nbytes;
};

std::vector<Moved> moved();  // since this was last asked

// ---------------------------------------------------------------- arrays (textures.cpp)

size_t texel_bytes(cudaArray_const_t array);
cudaPitchedPtr rows_of(cudaArray_const_t array);  // its texels, one row after another

// ---------------------------------------------------------------- modules and kernels (modules.cpp)

struct Kernel {
    int module, index;
    std::string symbol;
    int registers, shared, local, max_threads, constant;
    int dynamic_allowed = -1;  // as cudaFuncSetAttribute says; -1: nobody said
    size_t param_bytes;
    std::vector<std::pair<size_t, size_t>> params;  // offset, bytes
};

Kernel *kernel_of(const void *function);
bool variable_of(const void *symbol, Address *address, size_t *nbytes);

// ---------------------------------------------------------------- streams and their clocks (streams.cpp)

struct Graph {
    std::vector<std::function<cudaError_t(cudaStream_t)>> steps;
};

// Does something in a stream, or notes it where the stream is captured into a graph.
cudaError_t in_stream(cudaStream_t stream, const std::function<cudaError_t(cudaStream_t)> &work);
void advance(cudaStream_t stream, double seconds);
void wait_for(cudaStream_t stream);
void wait_for_all();
uint64_t stream_number(cudaStream_t stream);
std::shared_ptr<Graph> graph_of(cudaGraph_t graph);

// ---------------------------------------------------------------- launches (launches.cpp)

struct Launch {
    Kernel *kernel;
    dim3 grid, block, cluster{0, 0, 0};
    size_t dynamic;
    bool cooperative = false;
    std::string params;
};

cudaError_t prepare(Launch *launch, const void *function, dim3 grid, dim3 block, void **arguments, size_t dynamic);
cudaError_t run(const Launch &launch, cudaStream_t stream);
void catch_up();  // before anything else looks at memory: have there what launches have made of it

// ---------------------------------------------------------------- products of matrices, for libraries (products.cpp)

struct Matrix {  // as it lies in memory, column by column: gpusim/programs/products.py has the same
    Address first = 0;
    int64_t rows = 0, columns = 0, ld = 0, stride = 0;  // stride: elements from one of a batch to the next
    int64_t type = 0;                                   // a cudaDataType
    int64_t transposed = 0;                             // whether a product takes it so
};

struct Product {  // D = alpha A B + beta C, and what an epilogue of cuBLASLt adds
    Matrix a, b, c, d, bias, aux;
    int64_t batch = 1, epilogue = 1;
    double alpha = 1, beta = 0;
};

size_t size_of(int64_t type);  // bytes of an element; 0: gpusim does not compute with it

// Ends the program unless the user wants gpusim to compute what this call of a library does.
void library_call(const char *name);
cudaError_t multiply(const Product &product);
// Notes what a library's call reads or writes, which is a device's or the host's.
void touched(const void *first, size_t nbytes, bool written);

}  // namespace gpusim

#define GPUSIM_API extern "C" __attribute__((visibility("default")))
