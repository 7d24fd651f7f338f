// Device memory: a file in memory (memfd) that gpusim and this process map.
//
// At the addresses that device pointers have, this process has reserved memory that it may not touch, so that a host
// that reads through a device pointer is ended as on a machine with a GPU.  Copies go through another mapping of the
// file.  Managed memory, and the host's pinned memory, which a GPU reads too, is mapped at its own addresses as well.
//
// Where launches are checked (`gpusim run --check`), there is room behind each allocation, and what has been freed is not
// given out again as long as there is other memory.

#include "runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace gpusim {

namespace {

constexpr size_t ALIGNMENT = 512;  // bytes, as cudaMalloc's
constexpr size_t PAGE = 4096;      // bytes; what is mapped begins and ends with one
constexpr size_t MOST_ROOM = 1 << 20;  // bytes behind an allocation of a program that is checked

struct Memory {
    int file;
    Address base;
    size_t nbytes, used = 0;
    char *mapped;
    uint64_t version = 1, next_number = 1;
    std::map<Address, Allocation> allocations;
    std::map<Address, size_t> vacant;
    std::vector<Allocation> released;  // of a program that is checked: not yet vacant
    pid_t process = getpid();

    Memory() {
        file = std::atoi(std::getenv("GPUSIM_RUN_MEMORY"));
        base = Address(device("base")), nbytes = size_t(device("memory_bytes"));
        int own = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
        void *reserved = mmap(reinterpret_cast<void *>(base), nbytes, PROT_NONE, own, -1, 0);
        void *both = mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
        if (reserved == MAP_FAILED || both == MAP_FAILED) {
            std::perror("gpusim: device memory cannot be mapped");
            _exit(2);
        }
        mapped = static_cast<char *>(both);
        vacant[base] = nbytes;
    }
};

bool used = false;

Memory &memory() {
    static Memory *one = new Memory;  // for as long as the process lives
    used = true;
    return *one;
}

size_t padded(size_t nbytes, size_t unit) { return (nbytes + unit - 1) / unit * unit; }

size_t unit_of(Kind kind) { return kind == Kind::device ? ALIGNMENT : PAGE; }

// Bytes that an allocation keeps from others.
size_t room_of(size_t nbytes, Kind kind) {
    size_t own = padded(nbytes, unit_of(kind));
    return is_checked() ? own + padded(std::min(own, MOST_ROOM), unit_of(kind)) : own;
}

// Give back the pages of a stretch, which then are zeros.
void drop_pages(Address first, size_t nbytes) {
    Address begin = padded(first, PAGE), end = (first + nbytes) / PAGE * PAGE;
    if (begin < end)
        fallocate(memory().file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(begin - memory().base),
                  off_t(end - begin));
}

void make_vacant(Address first, size_t nbytes) {
    auto &vacant = memory().vacant;
    auto after = vacant.lower_bound(first);
    if (after != vacant.end() && first + nbytes == after->first) {
        nbytes += after->second;
        after = vacant.erase(after);
    }
    if (after != vacant.begin()) {
        auto before = std::prev(after);
        if (before->first + before->second == first) {
            before->second += nbytes;
            return;
        }
    }
    vacant[first] = nbytes;
}

// Who has asked for an allocation.
void tell_of_caller(uint64_t number) {
    std::string body;
    put(body, number);
    for (uint64_t code : caller().code) put(body, code);
    ask(Ask::allocated, body);
}

void map_here(const Allocation &one, size_t nbytes) {
    off_t offset = off_t(one.first - memory().base);
    auto place = reinterpret_cast<void *>(one.first);
    mmap(place, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, memory().file, offset);
}

void unmap_here(const Allocation &one, size_t nbytes) {
    auto place = reinterpret_cast<void *>(one.first);
    mmap(place, nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

// Have what was freed be given out again; whether there was any.
bool reuse() {
    std::vector<Allocation> &released = memory().released;
    for (const Allocation &one : released) make_vacant(one.first, room_of(one.nbytes, one.kind));
    bool any = !released.empty();
    released.clear();
    return any;
}

}  // namespace

cudaError_t allocate(Address *address, size_t nbytes, Kind kind) {
    Memory &m = memory();
    size_t unit = unit_of(kind), mapped = padded(nbytes, unit), taken = room_of(nbytes, kind);
    if (nbytes > m.nbytes) return cudaErrorMemoryAllocation;
    for (auto &[first, room] : m.vacant) {
        Address at = padded(first, unit);
        if (at + taken > first + room) continue;
        Address start = first, end = first + room;
        m.vacant.erase(start);
        if (start < at) m.vacant[start] = at - start;
        if (at + taken < end) m.vacant[at + taken] = end - at - taken;
        Allocation one{at, nbytes, m.next_number++, kind};
        if (is_checked()) tell_of_caller(one.number);
        m.allocations[at] = one;
        m.used += mapped, ++m.version;
        if (kind != Kind::device) map_here(one, mapped);
        *address = at;
        return cudaSuccess;
    }
    return reuse() ? allocate(address, nbytes, kind) : cudaErrorMemoryAllocation;
}

cudaError_t release(Address address) {
    if (!address) return cudaSuccess;
    Memory &m = memory();
    auto found = m.allocations.find(address);
    if (found == m.allocations.end()) return cudaErrorInvalidValue;
    catch_up();
    Allocation one = found->second;
    size_t taken = padded(one.nbytes, unit_of(one.kind));
    if (one.kind != Kind::device) unmap_here(one, taken);
    drop_pages(one.first, taken);
    m.allocations.erase(found);
    m.used -= taken, ++m.version;
    if (is_checked())
        m.released.push_back(one);
    else
        make_vacant(one.first, taken);
    return cudaSuccess;
}

const Allocation *allocation_at(Address address) {
    auto &all = memory().allocations;
    auto after = all.upper_bound(address);
    if (after == all.begin()) return nullptr;
    const Allocation &one = std::prev(after)->second;
    return address < one.first + one.nbytes || address == one.first ? &one : nullptr;
}

uint64_t allocations_version() { return memory().version; }

std::string allocations_table() {
    std::string table;
    for (auto &[first, one] : memory().allocations) {
        uint64_t row[] = {one.first, one.nbytes, one.number, uint64_t(one.kind)};
        put(table, row);
    }
    for (const Allocation &one : memory().released) {
        uint64_t row[] = {one.first, one.nbytes, one.number, uint64_t(Kind::freed)};
        put(table, row);
    }
    return table;
}

// At the end of a program that is checked, after all that it has for its end: what it has not freed.
__attribute__((destructor)) static void tell_of_what_is_left() {
    if (is_checked() && used && memory().process == getpid()) ask(Ask::left, allocations_table());
}

bool is_device(const void *pointer) {
    Address address = Address(pointer);
    return address >= memory().base && address < memory().base + memory().nbytes;
}

void *view(const void *pointer) {
    if (!is_device(pointer)) return const_cast<void *>(pointer);
    return memory().mapped + (Address(pointer) - memory().base);
}

static std::vector<Moved> since_launch;

std::vector<Moved> moved() { return std::exchange(since_launch, {}); }

// Notes a stretch of the device's memory that is copied or set, as one with the last if it goes on there.
static void note(Passing what, const void *at, size_t nbytes) {
    Address first = Address(at);
    if (!since_launch.empty()) {
        Moved &last = since_launch.back();
        if (last.what == what && last.first + last.nbytes == first) {
            last.nbytes += nbytes;
            return;
        }
    }
    since_launch.push_back({what, first, nbytes});
}

// Whether memory is the device's own, and not the host's that a device reads as well.
static bool on_device(const void *pointer) {
    const Allocation *one = is_device(pointer) ? allocation_at(Address(pointer)) : nullptr;
    return one && one->kind != Kind::host;
}

void touched(const void *first, size_t nbytes, bool written) {
    if (on_device(first)) note(written ? Passing::written : Passing::read, first, nbytes);
}

constexpr size_t STRETCH = 1 << 20;  // bytes; of what SMs copy so much is read, then written

static void note_copy(const void *to, const void *from, size_t nbytes) {
    bool into = on_device(to), out_of = on_device(from);
    if (!into || !out_of) {
        if (into) note(Passing::from_host, to, nbytes);
        if (out_of) note(Passing::to_host, from, nbytes);
        return;
    }
    for (size_t done = 0; done < nbytes; done += STRETCH) {
        size_t some = std::min(STRETCH, nbytes - done);
        note(Passing::read, static_cast<const char *>(from) + done, some);
        note(Passing::written, static_cast<const char *>(to) + done, some);
    }
}

static bool reaches(const void *pointer, size_t nbytes) {
    return !is_device(pointer) || holds(allocation_at(Address(pointer)), Address(pointer), nbytes);
}

cudaError_t copy(void *to, const void *from, size_t nbytes, cudaMemcpyKind kind) {
    if (faulted()) return faulted();
    if (!nbytes) return cudaSuccess;
    if (!to || !from || !reaches(to, nbytes) || !reaches(from, nbytes)) return cudaErrorInvalidValue;
    bool into = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool out_of = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if ((into && !is_device(to)) || (out_of && !is_device(from))) return cudaErrorInvalidValue;
    catch_up();
    std::memmove(view(to), view(from), nbytes);
    note_copy(to, from, nbytes);
    return cudaSuccess;
}

cudaError_t copy_rows(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t width, size_t rows,
                      cudaMemcpyKind kind) {
    if (rows > 1 && (width > to_pitch || width > from_pitch)) return cudaErrorInvalidPitchValue;
    for (size_t row = 0; row < rows; ++row)
        if (cudaError_t error = copy(to + row * to_pitch, from + row * from_pitch, width, kind)) return error;
    return cudaSuccess;
}

cudaError_t fill(void *to, unsigned value, size_t nbytes, size_t unit) {
    if (faulted()) return faulted();
    if (!nbytes) return cudaSuccess;
    if (!is_device(to) || !reaches(to, nbytes)) return cudaErrorInvalidValue;
    catch_up();
    char *begin = static_cast<char *>(view(to));
    for (size_t at = 0; unit > 1 && at < nbytes; at += unit) std::memcpy(begin + at, &value, unit);
    if (unit == 1) std::memset(begin, int(value), nbytes);
    if (on_device(to)) note(Passing::written, to, nbytes);
    return cudaSuccess;
}

cudaError_t fill_rows(char *to, size_t pitch, unsigned value, size_t width, size_t rows, size_t unit) {
    for (size_t row = 0; row < rows; ++row)
        if (cudaError_t error = fill(to + row * pitch, value, width, unit)) return error;
    return cudaSuccess;
}

// One side of a copy between boxes: what lies in an array is counted in texels.
struct Side {
    cudaPitchedPtr rows;
    cudaPos pos;

    Side(cudaArray_t array, const cudaPitchedPtr &pointer, cudaPos where) : rows(pointer), pos(where) {
        if (array) rows = rows_of(array), pos.x *= texel_bytes(array);
    }
    // Whether a box lies within rows of this length.
    bool holds(size_t width, size_t height) const {
        return pos.x <= rows.pitch && width <= rows.pitch - pos.x && pos.y <= rows.ysize &&
               height <= rows.ysize - pos.y && pos.z == 0;
    }
    char *at(size_t z) const {
        return static_cast<char *>(rows.ptr) + ((pos.z + z) * rows.ysize + pos.y) * rows.pitch + pos.x;
    }
};

static cudaError_t copy_box(const cudaMemcpy3DParms &p) {
    Side to(p.dstArray, p.dstPtr, p.dstPos), from(p.srcArray, p.srcPtr, p.srcPos);
    cudaArray_t array = p.dstArray ? p.dstArray : p.srcArray;
    size_t width = p.extent.width * (array ? texel_bytes(array) : 1);
    if ((p.dstArray && !to.holds(width, p.extent.height)) || (p.srcArray && !from.holds(width, p.extent.height)))
        return cudaErrorInvalidValue;
    for (size_t z = 0; z < p.extent.depth; ++z)
        if (cudaError_t error = copy_rows(to.at(z), to.rows.pitch, from.at(z), from.rows.pitch, width, p.extent.height,
                                          p.kind))
            return error;
    return cudaSuccess;
}

static cudaError_t make(void **pointer, size_t nbytes, Kind kind) {
    if (!pointer) return cudaErrorInvalidValue;
    if (faulted()) return faulted();
    *pointer = nullptr;
    return nbytes ? allocate(reinterpret_cast<Address *>(pointer), nbytes, kind) : cudaSuccess;
}

static cudaError_t at_symbol(const void *symbol, size_t offset, size_t nbytes, char **place) {
    Address address;
    size_t size;
    if (!variable_of(symbol, &address, &size)) return cudaErrorInvalidSymbol;
    if (offset > size || nbytes > size - offset) return cudaErrorInvalidValue;
    *place = reinterpret_cast<char *>(address) + offset;
    return cudaSuccess;
}

}  // namespace gpusim

using namespace gpusim;

// ---------------------------------------------------------------- allocation

GPUSIM_API cudaError_t CUDARTAPI cudaMalloc(void **pointer, size_t nbytes) {
    return call([&] { return make(pointer, nbytes, Kind::device); });
}

GPUSIM_API cudaError_t CUDARTAPI cudaFree(void *pointer) {
    return call([&] {
        wait_for_all();
        return faulted() ? faulted() : release(Address(pointer));
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMallocAsync(void **pointer, size_t nbytes, cudaStream_t) {
    return call([&] { return make(pointer, nbytes, Kind::device); });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMallocFromPoolAsync(void **pointer, size_t nbytes, cudaMemPool_t, cudaStream_t) {
    return call([&] { return make(pointer, nbytes, Kind::device); });
}

GPUSIM_API cudaError_t CUDARTAPI cudaFreeAsync(void *pointer, cudaStream_t) {
    return call([&] { return faulted() ? faulted() : release(Address(pointer)); });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMallocManaged(void **pointer, size_t nbytes, unsigned) {
    return call([&] { return make(pointer, nbytes, Kind::managed); });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMallocHost(void **pointer, size_t nbytes) {
    return call([&] { return make(pointer, nbytes, Kind::host); });
}

GPUSIM_API cudaError_t CUDARTAPI cudaHostAlloc(void **pointer, size_t nbytes, unsigned) {
    return call([&] { return make(pointer, nbytes, Kind::host); });
}

GPUSIM_API cudaError_t CUDARTAPI cudaFreeHost(void *pointer) {
    return call([&] { return release(Address(pointer)); });
}

GPUSIM_API cudaError_t CUDARTAPI cudaHostGetDevicePointer(void **pointer, void *host, unsigned) {
    return call([&]() -> cudaError_t {
        if (!is_device(host)) refuse("cudaHostGetDevicePointer of memory that cudaHostAlloc has not made");
        *pointer = host;
        return cudaSuccess;
    });
}

// What is registered is only copied faster; a kernel that reads it is told that no allocation is there.
GPUSIM_API cudaError_t CUDARTAPI cudaHostRegister(void *, size_t, unsigned) { return cudaSuccess; }
GPUSIM_API cudaError_t CUDARTAPI cudaHostUnregister(void *) { return cudaSuccess; }

GPUSIM_API cudaError_t CUDARTAPI cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    return call([&] {
        *pitch = padded(width, ALIGNMENT);
        return make(pointer, *pitch * height, Kind::device);
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMalloc3D(cudaPitchedPtr *found, cudaExtent extent) {
    return call([&] {
        found->pitch = padded(extent.width, ALIGNMENT), found->xsize = extent.width, found->ysize = extent.height;
        return make(&found->ptr, found->pitch * extent.height * extent.depth, Kind::device);
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemGetInfo(size_t *free, size_t *total) {
    return call([&] {
        *total = memory().nbytes, *free = memory().nbytes - memory().used;
        return faulted();
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaPointerGetAttributes(cudaPointerAttributes *found, const void *pointer) {
    return call([&] {
        *found = cudaPointerAttributes{};
        const Allocation *one = is_device(pointer) ? allocation_at(Address(pointer)) : nullptr;
        if (!one) {
            found->type = cudaMemoryTypeUnregistered, found->device = -2;
            found->hostPointer = const_cast<void *>(pointer);
            return cudaSuccess;
        }
        found->type = one->kind == Kind::managed ? cudaMemoryTypeManaged
                      : one->kind == Kind::host  ? cudaMemoryTypeHost
                                                 : cudaMemoryTypeDevice;
        found->devicePointer = const_cast<void *>(pointer);
        if (found->type != cudaMemoryTypeDevice) found->hostPointer = const_cast<void *>(pointer);
        return cudaSuccess;
    });
}

#if CUDART_VERSION >= 13000
GPUSIM_API cudaError_t CUDARTAPI cudaMemPrefetchAsync(const void *, size_t, cudaMemLocation, unsigned, cudaStream_t) {
    return cudaSuccess;
}
GPUSIM_API cudaError_t CUDARTAPI cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, cudaMemLocation) {
    return cudaSuccess;
}
#else
GPUSIM_API cudaError_t CUDARTAPI cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t) { return cudaSuccess; }
GPUSIM_API cudaError_t CUDARTAPI cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
#endif
GPUSIM_API cudaError_t CUDARTAPI cudaStreamAttachMemAsync(cudaStream_t, void *, size_t, unsigned) { return cudaSuccess; }

static int the_pool;  // there is one, and nothing that it is told changes it

GPUSIM_API cudaError_t CUDARTAPI cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int) {
    *pool = reinterpret_cast<cudaMemPool_t>(&the_pool);
    return cudaSuccess;
}
GPUSIM_API cudaError_t CUDARTAPI cudaDeviceGetMemPool(cudaMemPool_t *pool, int) {
    return cudaDeviceGetDefaultMemPool(pool, 0);
}
GPUSIM_API cudaError_t CUDARTAPI cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) { return cudaSuccess; }
GPUSIM_API cudaError_t CUDARTAPI cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }

// ---------------------------------------------------------------- copies

GPUSIM_API cudaError_t CUDARTAPI cudaMemcpy(void *to, const void *from, size_t nbytes, cudaMemcpyKind kind) {
    return call([&] {
        wait_for(nullptr);
        return copy(to, from, nbytes, kind);
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemcpyAsync(void *to, const void *from, size_t nbytes, cudaMemcpyKind kind,
                                                cudaStream_t stream) {
    return call([&] {
        return in_stream(stream, [=](cudaStream_t) { return copy(to, from, nbytes, kind); });
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemcpyPeer(void *to, int, const void *from, int, size_t nbytes) {
    return cudaMemcpy(to, from, nbytes, cudaMemcpyDeviceToDevice);
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                             size_t width, size_t height, cudaMemcpyKind kind) {
    return call([&] {
        wait_for(nullptr);
        return copy_rows(static_cast<char *>(to), to_pitch, static_cast<const char *>(from), from_pitch, width, height,
                         kind);
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                                  size_t width, size_t height, cudaMemcpyKind kind,
                                                  cudaStream_t stream) {
    return call([&] {
        return in_stream(stream, [=](cudaStream_t) {
            return copy_rows(static_cast<char *>(to), to_pitch, static_cast<const char *>(from), from_pitch, width,
                             height, kind);
        });
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemcpy3D(const cudaMemcpy3DParms *p) {
    return call([&] {
        wait_for(nullptr);
        return copy_box(*p);
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream) {
    return call([&] {
        return in_stream(stream, [own = *p](cudaStream_t) { return copy_box(own); });
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemset(void *to, int value, size_t nbytes) {
    return call([&] { return in_stream(nullptr, [=](cudaStream_t) { return fill(to, value, nbytes); }); });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemsetAsync(void *to, int value, size_t nbytes, cudaStream_t stream) {
    return call([&] { return in_stream(stream, [=](cudaStream_t) { return fill(to, value, nbytes); }); });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
    return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                                                  cudaStream_t stream) {
    return call([&] {
        return in_stream(stream, [=](cudaStream_t) {
            return fill_rows(static_cast<char *>(to), pitch, value, width, height);
        });
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemset3D(cudaPitchedPtr where, int value, cudaExtent extent) {
    return call([&]() -> cudaError_t {
        for (size_t z = 0; z < extent.depth; ++z)
            if (cudaError_t error = fill_rows(static_cast<char *>(where.ptr) + z * where.ysize * where.pitch,
                                              where.pitch, value, extent.width, extent.height))
                return error;
        return cudaSuccess;
    });
}

// ---------------------------------------------------------------- variables of the device

GPUSIM_API cudaError_t CUDARTAPI cudaGetSymbolAddress(void **pointer, const void *symbol) {
    return call([&] { return at_symbol(symbol, 0, 0, reinterpret_cast<char **>(pointer)); });
}

GPUSIM_API cudaError_t CUDARTAPI cudaGetSymbolSize(size_t *nbytes, const void *symbol) {
    return call([&] {
        Address address;
        return variable_of(symbol, &address, nbytes) ? cudaSuccess : cudaErrorInvalidSymbol;
    });
}

static cudaError_t to_symbol(const void *symbol, const void *from, size_t nbytes, size_t offset, cudaMemcpyKind kind) {
    char *place;
    if (cudaError_t error = at_symbol(symbol, offset, nbytes, &place)) return error;
    return copy(place, from, nbytes, kind);
}

static cudaError_t from_symbol(void *to, const void *symbol, size_t nbytes, size_t offset, cudaMemcpyKind kind) {
    char *place;
    if (cudaError_t error = at_symbol(symbol, offset, nbytes, &place)) return error;
    return copy(to, place, nbytes, kind);
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemcpyToSymbol(const void *symbol, const void *from, size_t nbytes, size_t offset,
                                                   cudaMemcpyKind kind) {
    return call([&] {
        wait_for(nullptr);
        return to_symbol(symbol, from, nbytes, offset, kind);
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t nbytes,
                                                        size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    return call([&] {
        return in_stream(stream, [=](cudaStream_t) { return to_symbol(symbol, from, nbytes, offset, kind); });
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemcpyFromSymbol(void *to, const void *symbol, size_t nbytes, size_t offset,
                                                     cudaMemcpyKind kind) {
    return call([&] {
        wait_for(nullptr);
        return from_symbol(to, symbol, nbytes, offset, kind);
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t nbytes, size_t offset,
                                                          cudaMemcpyKind kind, cudaStream_t stream) {
    return call([&] {
        return in_stream(stream, [=](cudaStream_t) { return from_symbol(to, symbol, nbytes, offset, kind); });
    });
}
