// Calls a library only where it has an argument.
#include <cstdio>

#include <cusparse.h>

int main(int argc, char **) {
    puts("begun");
    return argc > 1 ? cusparseCreate(nullptr) : 0;
}
