// A driver without a GPU: device memory is host memory, and a launch runs the function that the kernel's name
// selects, or only records it. Errors are those of the real driver. Tests compile it; -D leaves functions out.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 4096
enum { SUCCESS, INVALID_VALUE, OUT_OF_MEMORY, NOT_INITIALIZED, NO_DEVICE = 100, INVALID_DEVICE, INVALID_IMAGE = 200,
       INVALID_CONTEXT = 201, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700 };
typedef int result;
typedef unsigned long long address;

static struct { char *at; size_t bytes; } blocks[SLOTS];
static size_t used;
static int started, lost;
static __thread void *current;
static char context, stream;

static size_t setting(const char *name, size_t otherwise) {
    const char *v = getenv(name);
    return v && *v ? strtoull(v, 0, 10) : otherwise;
}
static size_t total(void) { return setting("FAKE_CUDA_MEMORY", (size_t)4 << 30); }
// Returns whether a range lies in a block; every call on memory checks this.
static int inside(address p, size_t n) {
    for (int i = 0; i < SLOTS; i++)
        if (blocks[i].at && p >= (address)blocks[i].at && p + n <= (address)blocks[i].at + blocks[i].bytes) return 1;
    return 0;
}
static result ready(void) {
    if (!started) return NOT_INITIALIZED;
    if (current != &context) return INVALID_CONTEXT;
    return lost ? ILLEGAL_ADDRESS : SUCCESS;
}
#define READY do { result r = ready(); if (r) return r; } while (0)

result cuInit(unsigned flags) {
    if (flags) return INVALID_VALUE;
    if (setting("FAKE_CUDA_DEVICES", 1) == 0) return NO_DEVICE;
    started = 1;
    return SUCCESS;
}
result cuDriverGetVersion(int *v) { *v = (int)setting("FAKE_CUDA_VERSION", 12090); return SUCCESS; }
result cuGetErrorString(result code, const char **text) {
    static const struct { result code; const char *text; } all[] = {
        {INVALID_VALUE, "invalid argument"}, {OUT_OF_MEMORY, "out of memory"}, {NO_DEVICE, "no CUDA-capable device is detected"},
        {INVALID_IMAGE, "device kernel image is invalid"}, {NOT_FOUND, "named symbol not found"},
        {ILLEGAL_ADDRESS, "an illegal memory access was encountered"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].code == code) return *text = all[i].text, SUCCESS;
    *text = 0;
    return INVALID_VALUE;
}
result cuDeviceGetCount(int *n) {
    if (!started) return NOT_INITIALIZED;
    *n = (int)setting("FAKE_CUDA_DEVICES", 1);
    return SUCCESS;
}
result cuDeviceGet(int *device, int ordinal) { *device = ordinal; return ordinal == 0 ? SUCCESS : INVALID_DEVICE; }
result cuDeviceGetName(char *name, int len, int device) {
    snprintf(name, (size_t)len, "a pretended GPU, no hardware");
    return device ? INVALID_DEVICE : SUCCESS;
}
result cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = total(); return device ? INVALID_DEVICE : SUCCESS; }
result cuDeviceGetAttribute(int *value, int attribute, int device) {
    int target = (int)setting("FAKE_CUDA_TARGET", 80);
    switch (attribute) {
        case 1: *value = 1024; break;
        case 8: *value = 49152; break;
        case 10: *value = 32; break;
        case 16: *value = 4; break;
        case 75: *value = target / 10; break;
        case 76: *value = target % 10; break;
        default: return INVALID_VALUE;
    }
    return device ? INVALID_DEVICE : SUCCESS;
}
result cuDevicePrimaryCtxRetain(void **c, int device) { *c = &context; return device ? INVALID_DEVICE : SUCCESS; }
result cuCtxSetCurrent(void *c) { current = c; return SUCCESS; }
result cuCtxSynchronize(void) { READY; return SUCCESS; }
result cuMemGetInfo_v2(size_t *free, size_t *all) { READY; *all = total(); *free = *all - used; return SUCCESS; }
result cuMemAlloc_v2(address *p, size_t bytes) {
    READY;
    if (!bytes) return INVALID_VALUE;
    if (used + bytes > total()) return OUT_OF_MEMORY;
    for (int i = 0; i < SLOTS; i++)
        if (!blocks[i].at) {
            if (!(blocks[i].at = aligned_alloc(256, (bytes + 255) / 256 * 256))) return OUT_OF_MEMORY;
            blocks[i].bytes = bytes, used += bytes, *p = (address)blocks[i].at;
            memset(blocks[i].at, 0xff, bytes);
            return SUCCESS;
        }
    return OUT_OF_MEMORY;
}
result cuMemFree_v2(address p) {
    READY;
    for (int i = 0; i < SLOTS; i++)
        if (blocks[i].at && (address)blocks[i].at == p) {
            used -= blocks[i].bytes, free(blocks[i].at), blocks[i].at = 0;
            return SUCCESS;
        }
    return INVALID_VALUE;
}
#ifndef WITHOUT_HOST_ALLOC
result cuMemHostAlloc(void **p, size_t bytes, unsigned flags) {
    READY;
    *p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    return flags == 3 && *p ? SUCCESS : INVALID_VALUE;
}
#endif
result cuMemHostGetDevicePointer_v2(address *d, void *h, unsigned flags) { READY; *d = (address)h; return flags ? INVALID_VALUE : SUCCESS; }
result cuMemcpyHtoDAsync_v2(address to, const void *from, size_t n, void *s) {
    READY;
    if (s != &stream || !inside(to, n)) return INVALID_VALUE;
    memcpy((void *)to, from, n);
    return SUCCESS;
}
result cuMemcpyDtoHAsync_v2(void *to, address from, size_t n, void *s) {
    READY;
    if (s != &stream || !inside(from, n)) return INVALID_VALUE;
    memcpy(to, (void *)from, n);
    return SUCCESS;
}
result cuMemsetD8Async(address to, unsigned char v, size_t n, void *s) {
    READY;
    if (s != &stream || !inside(to, n)) return INVALID_VALUE;
    memset((void *)to, v, n);
    return SUCCESS;
}
result cuStreamCreate(void **s, unsigned flags) { READY; *s = &stream; return flags == 1 ? SUCCESS : INVALID_VALUE; }
result cuStreamSynchronize(void *s) { READY; return s == &stream ? SUCCESS : INVALID_VALUE; }
struct mark { double at; };
result cuEventCreate(void **e, unsigned flags) { READY; *e = calloc(1, sizeof(struct mark)); return flags ? INVALID_VALUE : SUCCESS; }
result cuEventRecord(void *e, void *s) {
    static double launches;
    READY;
    if (!e || s != &stream) return INVALID_VALUE;
    ((struct mark *)e)->at = ++launches;
    return SUCCESS;
}
result cuEventElapsedTime(float *ms, void *a, void *b) {
    READY;
    if (!a || !b) return INVALID_VALUE;
    *ms = (float)(((struct mark *)b)->at - ((struct mark *)a)->at);
    return SUCCESS;
}
result cuEventDestroy_v2(void *e) { READY; free(e); return SUCCESS; }
result cuModuleLoadData(void **m, const void *image) {
    READY;
    const unsigned char *b = image;
    // A CUBIN, or the text of the tests.
    if (!(memcmp(b, "\x7f" "ELF", 4) == 0 && b[18] == 190) && memcmp(b, "pretended", 9)) return INVALID_IMAGE;
    *m = malloc(1);
    return SUCCESS;
}
result cuModuleUnload(void *m) { READY; free(m); return SUCCESS; }
result cuModuleGetFunction(void **f, void *m, const char *name) {
    READY;
    if (!m || !strncmp(name, "no_", 3)) return NOT_FOUND;
    *f = strdup(name);
    return SUCCESS;
}
result cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                      void *s, void **params, void **extra) {
    READY;
    const char *name = f;
    if (s != &stream || extra || !params || !gx || !gy || !gz || bx * by * bz > 1024 || shared > 49152) return INVALID_VALUE;
    if (!strcmp(name, "double_it")) {
        float *x = *(float **)params[0];
        for (unsigned i = 0; i < *(unsigned *)params[1]; i++) x[i] *= 2;
    } else if (!strcmp(name, "lose")) {
        lost = 1;
    } else {
        const char *notes = getenv("FAKE_CUDA_NOTES");
        FILE *out = notes ? fopen(notes, "a") : 0;
        if (out) fprintf(out, "%s %u %u %u %u\n", name, gx, gy, gz, bx), fclose(out);
    }
    return SUCCESS;
}
