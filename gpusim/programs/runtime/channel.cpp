// Questions to gpusim, and its answers: a header of two words, then a body.

#include "runtime.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

namespace gpusim {

namespace {

int socket_to_gpusim() {
    static const int found = [] {
        const char *text = std::getenv("GPUSIM_RUN_SOCKET");
        if (!text) {
            std::fputs("gpusim: this program's CUDA runtime is gpusim's: start it by gpusim run\n", stderr);
            _exit(2);
        }
        return std::atoi(text);
    }();
    return found;
}

[[noreturn]] void end() {
    std::fflush(nullptr);
    _exit(2);
}

void send_all(const void *data, size_t nbytes) {
    auto at = static_cast<const char *>(data);
    while (nbytes) {
        ssize_t n = write(socket_to_gpusim(), at, nbytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) end();
        at += n, nbytes -= size_t(n);
    }
}

void read_all(void *data, size_t nbytes) {
    auto at = static_cast<char *>(data);
    while (nbytes) {
        ssize_t n = read(socket_to_gpusim(), at, nbytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) end();
        at += n, nbytes -= size_t(n);
    }
}

struct Device {
    std::string name;
    std::map<std::string, int64_t> numbers;

    Device() {
        std::istringstream lines(ask(Ask::hello, "").body);
        std::getline(lines, name);
        std::string key;
        int64_t value;
        while (lines >> key >> value) numbers[key] = value;
    }
};

const Device &the_device() {
    static const Device found;
    return found;
}

}  // namespace

Answer ask(Ask what, const std::string &body) {
    // What the program has printed comes before what gpusim prints.
    std::fflush(nullptr);
    uint32_t head[2] = {uint32_t(what), uint32_t(body.size())};
    std::string message(reinterpret_cast<char *>(head), sizeof head);
    message += body;
    send_all(message.data(), message.size());
    struct {
        int32_t status;
        uint32_t nbytes;
    } told;
    read_all(&told, sizeof told);
    Answer answer{told.status, std::string(told.nbytes, '\0')};
    read_all(&answer.body[0], told.nbytes);
    if (answer.status < 0) end();  // gpusim has said why
    return answer;
}

void refuse(const std::string &call) {
    ask(Ask::refused, call);
    end();
}

int64_t device(const char *name) {
    auto found = the_device().numbers.find(name);
    return found == the_device().numbers.end() ? 0 : found->second;
}

const std::string &device_name() { return the_device().name; }

}  // namespace gpusim

// What stands in for a call that nobody wrote (calls.cpp has one of each) ends here.
GPUSIM_API int gpusim_refuse(const char *call) { gpusim::refuse(call); }
