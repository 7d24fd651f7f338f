// Where in the program calls of the API come from, of a program that is checked: addresses of its code, innermost first.
//
// gpusim finds their lines in the executable's debug information (gpusim/programs/host_lines.py), so these addresses are
// those that the executable's file has, wherever it was loaded.

#include "runtime.h"

#include <cstdlib>
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <sys/auxv.h>

namespace gpusim {

namespace {

constexpr int MOST_FRAMES = 32;

// Where a loaded file begins, and the name of the function there that others may call.
Dl_info at(const void *code) {
    Dl_info found{};
    dladdr(code, &found);
    return found;
}

// How far from its own addresses the executable was loaded.
uint64_t moved_by(const void *program) {
    return static_cast<const Elf64_Ehdr *>(program)->e_type == ET_DYN ? uint64_t(program) : 0;
}

}  // namespace

bool is_checked() {
    static const bool found = std::getenv("GPUSIM_RUN_CHECKED") != nullptr;
    return found;
}

Caller caller() {
    static const void *const program = at(reinterpret_cast<void *>(getauxval(AT_PHDR))).dli_fbase;
    static const void *const runtime = at(reinterpret_cast<void *>(&caller)).dli_fbase;
    void *frames[MOST_FRAMES];
    Caller found;
    int n = backtrace(frames, MOST_FRAMES);
    for (int k = 0; k < n; k++) {
        const char *code = static_cast<char *>(frames[k]) - 1;  // of the call, not of what it returns to
        Dl_info place = at(code);
        if (place.dli_fbase == runtime && found.code.empty())
            found.call = place.dli_sname ? place.dli_sname : found.call;
        else if (place.dli_fbase == program)
            found.code.push_back(uint64_t(code) - moved_by(program));
    }
    return found;
}

}  // namespace gpusim
