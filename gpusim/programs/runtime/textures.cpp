// CUDA arrays, and texture objects, which read them or other memory of the device.
//
// An array is device memory in which one row of texels lies after another; caches know those of two dimensions by tiles,
// for which there is room.  A texture object is a number of gpusim's, which knows what it reads
// (gpusim/programs/textures.py).

#include "runtime.h"

namespace gpusim {

namespace {

size_t bytes_of(const cudaChannelFormatDesc &texel) { return size_t(texel.x + texel.y + texel.z + texel.w) / 8; }

constexpr size_t TILE_BYTES = 64, TILE_ROWS = 8;

struct Array {
    Address first;
    cudaChannelFormatDesc texel;
    size_t width, height;  // texels; no height where there is one dimension
    unsigned flags;

    size_t pitch() const { return width * bytes_of(texel); }
    size_t rows() const { return height ? height : 1; }
    size_t tiles() const { return height ? (pitch() + TILE_BYTES - 1) / TILE_BYTES * TILE_BYTES : 0; }
    size_t bytes() const { return height ? tiles() * ((height + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS) : pitch(); }
};

struct Object {
    cudaResourceDesc resource;
    cudaTextureDesc texture;
    size_t made;  // so often: of the same texture the number is the same
};

// Source: CUDA C++ Programming Guide 13, technical specifications, textures.
constexpr size_t MOST_X = 131072, MOST_Y = 65536, MOST_LINEAR = size_t(1) << 27, PITCH_UNIT = 32;

std::map<Address, Array> arrays;
std::map<cudaTextureObject_t, Object> objects;

const Array *array_of(cudaArray_const_t handle) {
    auto found = arrays.find(Address(handle));
    return found == arrays.end() ? nullptr : &found->second;
}

size_t channels_of(const cudaChannelFormatDesc &texel) {
    return size_t(texel.x > 0) + size_t(texel.y > 0) + size_t(texel.z > 0) + size_t(texel.w > 0);
}

// One, two or four channels of the same 8, 16 or 32 bits.
bool is_texel(const cudaChannelFormatDesc &texel) {
    int kind = int(texel.f);
    bool known = kind >= cudaChannelFormatKindSigned && kind <= cudaChannelFormatKindFloat;
    bool sized = texel.x == 32 || texel.x == 16 || (texel.x == 8 && kind != cudaChannelFormatKindFloat);
    bool two = texel.y == texel.x, four = two && texel.z == texel.x && texel.w == texel.x;
    return known && sized && (four || ((two || !texel.y) && !texel.z && !texel.w));
}

cudaError_t make_array(cudaArray_t *array, const cudaChannelFormatDesc &texel, size_t width, size_t height,
                       unsigned flags) {
    if (faulted()) return faulted();
    if (!array || !width || width > MOST_X || height > MOST_Y) return cudaErrorInvalidValue;
    if (!is_texel(texel)) return cudaErrorInvalidChannelDescriptor;
    Array made{0, texel, width, height, flags};
    if (cudaError_t error = allocate(&made.first, made.bytes(), Kind::device)) return error;
    arrays[made.first] = made;
    *array = reinterpret_cast<cudaArray_t>(made.first);
    return cudaSuccess;
}

struct Row {  // gpusim/programs/textures.py has the same
    uint64_t address, width, height, pitch, tiles, bits, channels, channel, normalized, linear, read, modes[2];
    float border[4];
};

// Whether all texels lie in one allocation, each where the GPU looks for it.
bool is_there(const Row &row, size_t texel) {
    size_t rows = row.height ? row.height : 1;
    bool sized = row.height ? row.width <= MOST_X && rows <= MOST_Y && row.pitch % PITCH_UNIT == 0
                            : row.width <= MOST_LINEAR;
    if (!row.width || !sized || row.address % texel || row.pitch < row.width * texel) return false;
    if (row.pitch > (size_t(1) << 32)) return false;
    size_t nbytes = row.pitch * (rows - 1) + row.width * texel;
    return is_device(reinterpret_cast<const void *>(row.address)) &&
           holds(allocation_at(row.address), row.address, nbytes);
}

// Where what a texture object reads lies; of three dimensions, layers, faces and levels there is nothing.
cudaError_t locate(const cudaResourceDesc &resource, Row *row, cudaChannelFormatDesc *texel) {
    if (resource.resType == cudaResourceTypeArray) {
        const Array *array = array_of(resource.res.array.array);
        if (!array) return cudaErrorInvalidResourceHandle;
        *texel = array->texel;
        row->address = array->first, row->width = array->width, row->height = array->height;
        row->pitch = array->pitch(), row->tiles = array->tiles();
        return cudaSuccess;
    }
    if (resource.resType == cudaResourceTypeLinear) {
        auto &linear = resource.res.linear;
        *texel = linear.desc;
        if (!is_texel(*texel)) return cudaErrorInvalidChannelDescriptor;
        row->address = Address(linear.devPtr), row->pitch = linear.sizeInBytes;
        row->width = linear.sizeInBytes / bytes_of(*texel), row->height = 0;
    } else if (resource.resType == cudaResourceTypePitch2D) {
        auto &rows = resource.res.pitch2D;
        if (!rows.height) return cudaErrorInvalidValue;
        *texel = rows.desc;
        row->address = Address(rows.devPtr), row->width = rows.width, row->height = rows.height;
        row->pitch = rows.pitchInBytes;
    } else if (resource.resType == cudaResourceTypeMipmappedArray) {
        refuse("cudaCreateTextureObject of a mipmapped array");
    } else {
        return cudaErrorInvalidValue;
    }
    if (!is_texel(*texel)) return cudaErrorInvalidChannelDescriptor;
    return is_there(*row, bytes_of(*texel)) ? cudaSuccess : cudaErrorInvalidValue;
}

bool is_known(const cudaTextureDesc &texture) {
    for (cudaTextureAddressMode mode : {texture.addressMode[0], texture.addressMode[1]})
        if (unsigned(mode) > cudaAddressModeBorder) return false;
    return unsigned(texture.filterMode) <= cudaFilterModeLinear &&
           unsigned(texture.readMode) <= cudaReadModeNormalizedFloat;
}

cudaError_t make_object(cudaTextureObject_t *made, const cudaResourceDesc &resource, const cudaTextureDesc &texture) {
    if (faulted()) return faulted();
    if (!is_known(texture)) return cudaErrorInvalidValue;
    Row row{};
    cudaChannelFormatDesc texel;
    if (cudaError_t error = locate(resource, &row, &texel)) return error;
    bool whole = texture.readMode == cudaReadModeElementType && texel.f != cudaChannelFormatKindFloat;
    if (whole && texture.filterMode == cudaFilterModeLinear) return cudaErrorInvalidFilterSetting;
    row.bits = uint64_t(texel.x), row.channels = channels_of(texel), row.channel = uint64_t(texel.f);
    row.normalized = texture.normalizedCoords != 0, row.linear = texture.filterMode == cudaFilterModeLinear;
    row.read = texture.readMode == cudaReadModeNormalizedFloat && texel.f != cudaChannelFormatKindFloat;
    for (int k = 0; k < 2; ++k) row.modes[k] = uint64_t(texture.addressMode[k]);
    std::memcpy(row.border, texture.borderColor, sizeof row.border);
    std::string body;
    put(body, row);
    std::memcpy(made, ask(Ask::texture, body).body.data(), sizeof *made);
    objects[*made] = {resource, texture, objects[*made].made + 1};
    return cudaSuccess;
}

// A place in an array, so many bytes into a row.
char *place(const Array &array, size_t bytes, size_t row) {
    return reinterpret_cast<char *>(array.first + row * array.pitch() + bytes);
}

// Whether rows lie within an array.
bool lies_in(const Array &array, size_t bytes, size_t row, size_t width, size_t rows) {
    return row < array.rows() && rows <= array.rows() - row && bytes <= array.pitch() && width <= array.pitch() - bytes;
}

// The same of so many bytes from a place on, row after row.
bool goes_on_in(const Array &array, size_t bytes, size_t row, size_t nbytes) {
    return row < array.rows() && bytes <= array.pitch() && nbytes <= array.pitch() * (array.rows() - row) - bytes;
}

cudaError_t to_array(cudaArray_t array, size_t bytes, size_t row, const void *from, size_t pitch, size_t width,
                     size_t rows, cudaMemcpyKind kind) {
    const Array *to = array_of(array);
    if (!to) return cudaErrorInvalidResourceHandle;
    if (!lies_in(*to, bytes, row, width, rows)) return cudaErrorInvalidValue;
    return copy_rows(place(*to, bytes, row), to->pitch(), static_cast<const char *>(from), pitch, width, rows,
                     kind);
}

cudaError_t from_array(void *to, size_t pitch, cudaArray_const_t array, size_t bytes, size_t row, size_t width,
                       size_t rows, cudaMemcpyKind kind) {
    const Array *from = array_of(array);
    if (!from) return cudaErrorInvalidResourceHandle;
    if (!lies_in(*from, bytes, row, width, rows)) return cudaErrorInvalidValue;
    return copy_rows(static_cast<char *>(to), pitch, place(*from, bytes, row), from->pitch(), width, rows, kind);
}

}  // namespace

size_t texel_bytes(cudaArray_const_t array) {
    const Array *found = array_of(array);
    return found ? bytes_of(found->texel) : 0;
}

cudaPitchedPtr rows_of(cudaArray_const_t array) {
    const Array *found = array_of(array);
    if (!found) return {};
    return {reinterpret_cast<void *>(found->first), found->pitch(), found->width, found->rows()};
}

}  // namespace gpusim

using namespace gpusim;

// ---------------------------------------------------------------- arrays

GPUSIM_API cudaChannelFormatDesc CUDARTAPI cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
    return {x, y, z, w, f};
}

GPUSIM_API cudaError_t CUDARTAPI cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *texel, size_t width,
                                                size_t height, unsigned flags) {
    return call([&] { return texel ? make_array(array, *texel, width, height, flags) : cudaErrorInvalidValue; });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *texel,
                                                  cudaExtent extent, unsigned flags) {
    return call([&] {
        if (extent.depth) refuse("cudaMalloc3DArray of three dimensions, layers or faces");
        return make_array(array, *texel, extent.width, extent.height, flags);
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaFreeArray(cudaArray_t array) {
    return call([&] {
        wait_for_all();
        if (faulted() || !array) return faulted();
        return arrays.erase(Address(array)) ? release(Address(array)) : cudaErrorInvalidResourceHandle;
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaArrayGetInfo(cudaChannelFormatDesc *texel, cudaExtent *extent, unsigned *flags,
                                                 cudaArray_t array) {
    return call([&] {
        const Array *found = array_of(array);
        if (!found) return cudaErrorInvalidResourceHandle;
        if (texel) *texel = found->texel;
        if (extent) *extent = {found->width, found->height, 0};
        if (flags) *flags = found->flags;
        return cudaSuccess;
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaGetChannelDesc(cudaChannelFormatDesc *texel, cudaArray_const_t array) {
    return cudaArrayGetInfo(texel, nullptr, nullptr, const_cast<cudaArray_t>(array));
}

// ---------------------------------------------------------------- copies

GPUSIM_API cudaError_t CUDARTAPI cudaMemcpy2DToArrayAsync(cudaArray_t array, size_t bytes, size_t row, const void *from,
                                                         size_t pitch, size_t width, size_t height, cudaMemcpyKind kind,
                                                         cudaStream_t stream) {
    return call([&] {
        return in_stream(stream, [=](cudaStream_t) {
            return to_array(array, bytes, row, from, pitch, width, height, kind);
        });
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemcpy2DToArray(cudaArray_t array, size_t bytes, size_t row, const void *from,
                                                    size_t pitch, size_t width, size_t height, cudaMemcpyKind kind) {
    return call([&] {
        wait_for(nullptr);
        return to_array(array, bytes, row, from, pitch, width, height, kind);
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t array,
                                                           size_t bytes, size_t row, size_t width, size_t height,
                                                           cudaMemcpyKind kind, cudaStream_t stream) {
    return call([&] {
        return in_stream(stream, [=](cudaStream_t) {
            return from_array(to, pitch, array, bytes, row, width, height, kind);
        });
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t array, size_t bytes,
                                                      size_t row, size_t width, size_t height, cudaMemcpyKind kind) {
    return call([&] {
        wait_for(nullptr);
        return from_array(to, pitch, array, bytes, row, width, height, kind);
    });
}

// Of so many bytes, row after row: rows of an array lie one after another.
GPUSIM_API cudaError_t CUDARTAPI cudaMemcpyToArray(cudaArray_t array, size_t bytes, size_t row, const void *from,
                                                  size_t nbytes, cudaMemcpyKind kind) {
    return call([&] {
        wait_for(nullptr);
        const Array *to = array_of(array);
        if (!to) return cudaErrorInvalidResourceHandle;
        return goes_on_in(*to, bytes, row, nbytes) ? copy(place(*to, bytes, row), from, nbytes, kind)
                                                   : cudaErrorInvalidValue;
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaMemcpyFromArray(void *to, cudaArray_const_t array, size_t bytes, size_t row,
                                                    size_t nbytes, cudaMemcpyKind kind) {
    return call([&] {
        wait_for(nullptr);
        const Array *from = array_of(array);
        if (!from) return cudaErrorInvalidResourceHandle;
        return goes_on_in(*from, bytes, row, nbytes) ? copy(to, place(*from, bytes, row), nbytes, kind)
                                                     : cudaErrorInvalidValue;
    });
}

// ---------------------------------------------------------------- texture objects

GPUSIM_API cudaError_t CUDARTAPI cudaCreateTextureObject(cudaTextureObject_t *made, const cudaResourceDesc *resource,
                                                        const cudaTextureDesc *texture,
                                                        const cudaResourceViewDesc *view) {
    return call([&] {
        if (!made || !resource || !texture) return cudaErrorInvalidValue;
        if (view && view->format != cudaResViewFormatNone) refuse("cudaCreateTextureObject with a view of other texels");
        return make_object(made, *resource, *texture);
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaDestroyTextureObject(cudaTextureObject_t object) {
    return call([&] {
        auto found = objects.find(object);
        if (faulted() || !object) return faulted();
        if (found == objects.end()) return cudaErrorInvalidValue;
        if (!--found->second.made) objects.erase(found);
        return cudaSuccess;
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource,
                                                                 cudaTextureObject_t object) {
    return call([&] {
        auto found = objects.find(object);
        if (found == objects.end()) return cudaErrorInvalidResourceHandle;
        *resource = found->second.resource;
        return cudaSuccess;
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaGetTextureObjectTextureDesc(cudaTextureDesc *texture, cudaTextureObject_t object) {
    return call([&] {
        auto found = objects.find(object);
        if (found == objects.end()) return cudaErrorInvalidResourceHandle;
        *texture = found->second.texture;
        return cudaSuccess;
    });
}
