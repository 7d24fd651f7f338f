// Device code that the program brings: what nvcc's host code registers before main, and is loaded when first needed.

#include "runtime.h"

#include <sstream>

namespace gpusim {

namespace {

struct Variable {
    size_t offset, nbytes;
    bool constant;
};

struct Module {
    const void *fatbin;
    int index = -1;
    Address base = 0;
    std::map<std::string, std::unique_ptr<Kernel>> kernels;
    std::map<std::string, Variable> variables;
    std::vector<std::pair<void **, std::string>> managed;
};

struct Function {
    Module *module;
    std::string symbol;
    Kernel *kernel = nullptr;
};

struct Symbol {
    Module *module;
    std::string name;
};

// Never taken down: programs call CUDA from what runs after main.
struct Registered {
    std::vector<std::unique_ptr<Module>> modules;
    std::map<const void *, std::unique_ptr<Function>> functions;
    std::map<const void *, Symbol> symbols;
};

Registered &registered() {
    static Registered *all = new Registered;
    return *all;
}

struct Wrapper {  // what __cudaRegisterFatBinary is given
    int32_t magic, version;
    const void *data;
    void *more;
};

struct Container {  // how a fat binary begins
    uint32_t magic;
    uint16_t version, head;
    uint64_t nbytes;
};

void read_kernel(Module &module, std::istringstream &line) {
    auto kernel = std::make_unique<Kernel>();
    size_t n_params;
    line >> kernel->index >> kernel->symbol >> kernel->registers >> kernel->shared >> kernel->constant >>
        kernel->local >> kernel->max_threads >> kernel->param_bytes >> n_params;
    for (size_t n = 0; n < n_params; ++n) {
        size_t offset, nbytes;
        line >> offset >> nbytes;
        kernel->params.emplace_back(offset, nbytes);
    }
    kernel->module = module.index;
    module.kernels[kernel->symbol] = std::move(kernel);
}

void place(Module &module, size_t nbytes) {
    if (!nbytes) return;
    if (allocate(&module.base, nbytes, module.managed.empty() ? Kind::variables : Kind::managed))
        refuse("a module whose variables do not fit device memory");
    std::string body;
    put(body, uint64_t(module.index)), put(body, module.base);
    ask(Ask::placed, body);
}

void load(Module &module) {
    if (module.index >= 0) return;
    auto head = static_cast<const Container *>(module.fatbin);
    std::string code(static_cast<const char *>(module.fatbin), head->head + head->nbytes);
    std::istringstream lines(ask(Ask::module, code).body);
    std::string text, what;
    size_t nbytes = 0;
    while (std::getline(lines, text)) {
        std::istringstream line(text);
        line >> what;
        if (what == "module") line >> module.index >> nbytes;
        if (what == "kernel") read_kernel(module, line);
        if (what == "variable") {
            std::string name;
            Variable one;
            line >> name >> one.offset >> one.nbytes >> one.constant;
            module.variables[name] = one;
        }
    }
    place(module, nbytes);
    for (auto &[host, name] : module.managed)
        if (module.variables.count(name)) *host = reinterpret_cast<void *>(module.base + module.variables[name].offset);
}

Module &module_of(void **handle) { return *reinterpret_cast<Module *>(handle); }

}  // namespace

Kernel *kernel_of(const void *function) {
    auto found = registered().functions.find(function);
    Function *one = found == registered().functions.end() ? nullptr : found->second.get();
    if (!one)  // by the handle that __cudaGetKernel gave
        for (auto &[host, each] : registered().functions)
            if (each.get() == function) one = each.get();
    if (!one) return nullptr;
    if (!one->kernel) {
        load(*one->module);
        auto kernel = one->module->kernels.find(one->symbol);
        if (kernel == one->module->kernels.end()) return nullptr;
        one->kernel = kernel->second.get();
    }
    return one->kernel;
}

bool variable_of(const void *symbol, Address *address, size_t *nbytes) {
    auto found = registered().symbols.find(symbol);
    if (found == registered().symbols.end()) return false;
    Module &module = *found->second.module;
    load(module);
    auto variable = module.variables.find(found->second.name);
    if (variable == module.variables.end()) return false;
    *address = module.base + variable->second.offset, *nbytes = variable->second.nbytes;
    return true;
}

}  // namespace gpusim

using namespace gpusim;

GPUSIM_API void **CUDARTAPI __cudaRegisterFatBinary(void *wrapper) {
    auto module = std::make_unique<Module>();
    module->fatbin = static_cast<Wrapper *>(wrapper)->data;
    registered().modules.push_back(std::move(module));
    return reinterpret_cast<void **>(registered().modules.back().get());
}

GPUSIM_API void CUDARTAPI __cudaRegisterFatBinaryEnd(void **) {}

GPUSIM_API void CUDARTAPI __cudaUnregisterFatBinary(void **) {}

GPUSIM_API char CUDARTAPI __cudaInitModule(void **handle) {
    call([&] {
        load(module_of(handle));
        return cudaSuccess;
    });
    return 1;
}

GPUSIM_API void CUDARTAPI __cudaRegisterFunction(void **handle, const char *host, char *, const char *symbol, int,
                                                uint3 *, uint3 *, dim3 *, dim3 *, int *) {
    auto function = std::make_unique<Function>();
    function->module = &module_of(handle), function->symbol = symbol;
    registered().functions[host] = std::move(function);
}

GPUSIM_API void CUDARTAPI __cudaRegisterVar(void **handle, char *host, char *, const char *name, int, size_t, int,
                                           int) {
    registered().symbols[host] = Symbol{&module_of(handle), name};
}

GPUSIM_API void CUDARTAPI __cudaRegisterManagedVar(void **handle, void **host, char *, const char *name, int, size_t,
                                                  int, int) {
    module_of(handle).managed.emplace_back(host, name);
    registered().symbols[host] = Symbol{&module_of(handle), name};
}

GPUSIM_API cudaError_t CUDARTAPI __cudaGetKernel(cudaKernel_t *kernel, const void *host) {
    return call([&]() -> cudaError_t {
        auto found = registered().functions.find(host);
        if (found == registered().functions.end()) return cudaErrorInvalidDeviceFunction;
        *kernel = reinterpret_cast<cudaKernel_t>(found->second.get());
        return cudaSuccess;
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaGetKernel(cudaKernel_t *kernel, const void *host) {
    return __cudaGetKernel(kernel, host);
}

GPUSIM_API cudaError_t CUDARTAPI cudaFuncGetAttributes(cudaFuncAttributes *found, const void *function) {
    return call([&]() -> cudaError_t {
        Kernel *kernel = kernel_of(function);
        if (!kernel) return cudaErrorInvalidDeviceFunction;
        *found = cudaFuncAttributes{};
        found->sharedSizeBytes = size_t(kernel->shared), found->constSizeBytes = size_t(kernel->constant);
        found->localSizeBytes = size_t(kernel->local), found->maxThreadsPerBlock = kernel->max_threads;
        found->numRegs = kernel->registers, found->preferredShmemCarveout = -1;
        found->ptxVersion = found->binaryVersion = int(10 * device("major") + device("minor"));
        int allowed = kernel->dynamic_allowed;
        found->maxDynamicSharedSizeBytes = allowed < 0 ? int(device("shared_per_block")) - kernel->shared : allowed;
        return cudaSuccess;
    });
}

GPUSIM_API cudaError_t CUDARTAPI cudaFuncSetAttribute(const void *function, cudaFuncAttribute attribute, int value) {
    return call([&]() -> cudaError_t {
        Kernel *kernel = kernel_of(function);
        if (!kernel) return cudaErrorInvalidDeviceFunction;
        if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
        if (value < 0 || value + kernel->shared > device("shared_optin")) return cudaErrorInvalidValue;
        kernel->dynamic_allowed = value;
        return cudaSuccess;
    });
}

// gpusim chooses the carve-out as the driver does where nobody asks for another one.
GPUSIM_API cudaError_t CUDARTAPI cudaFuncSetCacheConfig(const void *, cudaFuncCache) { return cudaSuccess; }
GPUSIM_API cudaError_t CUDARTAPI cudaFuncSetSharedMemConfig(const void *, cudaSharedMemConfig) { return cudaSuccess; }
