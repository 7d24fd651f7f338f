// Errors: the latest one of each thread, the one that nothing goes on after, and what they are called.

#include "runtime.h"

namespace gpusim {

namespace {

std::recursive_mutex one_at_a_time;
thread_local cudaError_t latest = cudaSuccess;
cudaError_t noted = cudaSuccess, final_error = cudaSuccess;

// A call has failed, of a program that is checked: which one, how, and who made it.
void tell_of_failure(cudaError_t error) {
    Caller from = caller();
    std::string body;
    put(body, uint64_t(from.code.size()));
    for (uint64_t code : from.code) put(body, code);
    ask(Ask::failed, body + from.call + " " + cudaGetErrorName(error));
}

}  // namespace

cudaError_t call(const std::function<cudaError_t()> &body) {
    std::lock_guard<std::recursive_mutex> alone(one_at_a_time);
    cudaError_t error = body();
    if (error != cudaSuccess && error != cudaErrorNotReady) {
        latest = error;
        if (is_checked() && error != noted) tell_of_failure(error);
    }
    return error;
}

void fault(cudaError_t error) { noted = error; }

void settle() { final_error = noted; }

cudaError_t coming() { return noted; }

cudaError_t faulted() { return final_error; }

}  // namespace gpusim

using namespace gpusim;

struct Named {
    int code;
    const char *name;
};

// Of this release's headers (calls.cpp).
extern const Named gpusim_error_names[];

static const struct {
    cudaError_t code;
    const char *text;
} TEXTS[] = {
    {cudaSuccess, "no error"},
    {cudaErrorInvalidValue, "invalid argument"},
    {cudaErrorMemoryAllocation, "out of memory"},
    {cudaErrorInvalidConfiguration, "invalid configuration argument"},
    {cudaErrorInvalidSymbol, "invalid device symbol"},
    {cudaErrorInvalidDeviceFunction, "invalid device function"},
    {cudaErrorInvalidDevice, "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "invalid resource handle"},
    {cudaErrorNotReady, "device not ready"},
    {cudaErrorIllegalAddress, "an illegal memory access was encountered"},
    {cudaErrorMisalignedAddress, "misaligned address"},
    {cudaErrorLaunchOutOfResources, "too many resources requested for launch"},
    {cudaErrorLaunchFailure, "unspecified launch failure"},
    {cudaErrorAssert, "device-side assert triggered"},
    {cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"},
    {cudaErrorNotSupported, "operation not supported"},
};

GPUSIM_API cudaError_t CUDARTAPI cudaGetLastError() {
    cudaError_t found = cudaPeekAtLastError();
    latest = cudaSuccess;
    return found;
}

GPUSIM_API cudaError_t CUDARTAPI cudaPeekAtLastError() { return faulted() ? faulted() : latest; }

GPUSIM_API const char *CUDARTAPI cudaGetErrorName(cudaError_t error) {
    for (const Named *one = gpusim_error_names; one->name; ++one)
        if (one->code == error) return one->name;
    return "unrecognized error code";
}

GPUSIM_API const char *CUDARTAPI cudaGetErrorString(cudaError_t error) {
    for (auto &one : TEXTS)
        if (one.code == error) return one.text;
    return cudaGetErrorName(error);
}
