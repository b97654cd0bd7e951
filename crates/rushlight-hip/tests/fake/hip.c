/* A HIP runtime that is only as large as the tests of the loader and of the safe layer need: "device memory" is the
   host's, kernels do nothing. Built by the tests with
     VERSION    what hipRuntimeGetVersion answers
     R0000      has hipGetDeviceProperties       R0600   has hipGetDevicePropertiesR0600
     RTC        has hiprtc's functions           NO_x    lacks function x
     ONLY_RTC   is a libhiprtc                   ONLY_BLAS   is a librocblas
   and steered at run time by FAKE_COUNT (devices, default 1) and FAKE_FAIL ("function=code"; 9999 ends the process). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define API __attribute__((visibility("default")))

static int dead;
static void end(void) { dead = 1; }
__attribute__((constructor)) static void start(void) { atexit(end); }

/* A call after the runtime's own end is what the crate must never make. */
static int fail(const char *name) {
  if (dead) { fprintf(stderr, "%s after the end\n", name); _exit(99); }
  const char *set = getenv("FAKE_FAIL");
  size_t n = strlen(name);
  int code = set && !strncmp(set, name, n) && set[n] == '=' ? atoi(set + n + 1) : 0;
  if (code == 9999) _exit(98);
  return code;
}
#define CALL do { int e = fail(__func__); if (e) return e; } while (0)

#if defined(RTC) || defined(ONLY_RTC)
struct program { char options[4096]; };
API int hiprtcVersion(int *a, int *b) { *a = 9; *b = 0; return 0; }
API int hiprtcCreateProgram(struct program **p, const char *s, const char *n, int h, const char **t, const char **i) {
  (void)s; (void)n; (void)t; (void)i;
  CALL;
  *p = calloc(1, sizeof **p);
  sprintf((*p)->options, "%d headers", h);
  return 0;
}
API int hiprtcCompileProgram(struct program *p, int n, const char **o) {
  for (int i = 0; i < n; i++) { strcat(p->options, "|"); strcat(p->options, o[i]); }
  CALL;
  return 0;
}
/* The log's size without a NUL, and no NUL written, as old versions do it. */
API int hiprtcGetProgramLogSize(struct program *p, size_t *n) { *n = strlen(p->options); return 0; }
API int hiprtcGetProgramLog(struct program *p, char *out) { memcpy(out, p->options, strlen(p->options)); return 0; }
API int hiprtcGetCodeSize(struct program *p, size_t *n) { (void)p; *n = 4; return 0; }
API int hiprtcGetCode(struct program *p, char *out) { (void)p; memcpy(out, "\x7f" "ELF", 4); return 0; }
API int hiprtcDestroyProgram(struct program **p) { free(*p); *p = 0; return 0; }
#endif

#ifdef ONLY_BLAS
typedef long long i64;
API int rocblas_create_handle(void **h) { CALL; *h = malloc(1); return 0; }
API int rocblas_destroy_handle(void *h) { CALL; free(h); return 0; }
API int rocblas_set_stream(void *h, void *s) { (void)h; (void)s; return 0; }
API int rocblas_set_pointer_mode(void *h, int m) { (void)h; return m; }
API int rocblas_set_atomics_mode(void *h, int m) { (void)h; return m; }
API int rocblas_get_version_string(char *out, size_t n) { snprintf(out, n, "4.4.1.fake"); return 0; }
/* f32 only, plain. */
API int rocblas_gemm_strided_batched_ex(void *h, int ta, int tb, int m, int n, int k, const float *alpha, const float *a,
    int at, int lda, i64 sa, const float *b, int bt, int ldb, i64 sb, const float *beta, const float *c, int ct, int ldc,
    i64 sc, float *d, int dt, int ldd, i64 sd, int batch, int compute, int algo, int index, unsigned flags) {
  (void)h;
  CALL;
  if (at != 151 || bt != 151 || ct != 151 || dt != 151 || compute != 151 || algo || index || flags) return 2;
  for (int z = 0; z < batch; z++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++) {
        float sum = 0;
        for (int l = 0; l < k; l++)
          sum += a[z * sa + (ta == 111 ? i + (i64)l * lda : l + (i64)i * lda)]
               * b[z * sb + (tb == 111 ? l + (i64)j * ldb : j + (i64)l * ldb)];
        d[z * sd + i + (i64)j * ldd] = *alpha * sum + (*beta ? *beta * c[z * sc + i + (i64)j * ldc] : 0);
      }
  return 0;
}
#endif

#if !defined(ONLY_RTC) && !defined(ONLY_BLAS)
static __thread int current;
static int launches, sets;
static char last[256];

API int fake_current(void) { return current; }
API int fake_launches(void) { return launches; }
API int fake_sets(void) { return sets; }
API const char *fake_last(void) { return last; }

API int hipRuntimeGetVersion(int *v) { *v = VERSION; return fail(__func__); }
#ifndef NO_hipGetDeviceCount
API int hipGetDeviceCount(int *n) { CALL; const char *c = getenv("FAKE_COUNT"); *n = c ? atoi(c) : 1; return *n ? 0 : 100; }
#endif
API int hipGetLastError(void) { return 0; }
API const char *hipGetErrorString(int e) { return e == 700 ? "an illegal memory access was encountered" : "a text"; }
API int hipSetDevice(int d) { CALL; current = d; sets++; return 0; }
API int hipGetDevice(int *d) { CALL; *d = current; return 0; }
API int hipDeviceSynchronize(void) { CALL; return 0; }
API int hipDeviceTotalMem(size_t *n, int d) { (void)d; *n = 123456789; return 0; }
API int hipDeviceGetAttribute(int *v, int a, int d) {
  switch (a) {
    case 87: *v = 64; return 0;   /* WarpSize */
    case 56: *v = 1024; return 0; /* MaxThreadsPerBlock */
    case 74: *v = 65536; return 0;
    case 63: *v = 110 + d; return 0;
    case 5: *v = 1700000; return 0;
    case 67: *v = 3; return 0;
    default: return 1;
  }
}
static int fill(char *p, int d, size_t size, size_t arch, size_t pci) {
  memset(p, 0x5a, size); /* every byte of the struct is written, none beyond */
  sprintf(p, "Fake %d", d);
  sprintf(p + arch, "gfx90a:sramecc+:xnack-");
  *(int *)(p + pci) = 2;
  return 0;
}
#ifdef R0000
API int hipGetDeviceProperties(char *p, int d) { CALL; return fill(p, d, 792, 396, 364); }
#endif
#ifdef R0600
API int hipGetDevicePropertiesR0600(char *p, int d) { CALL; return fill(p, d, 1472, 1160, 592); }
#endif
API int hipMemGetInfo(size_t *f, size_t *t) { CALL; *f = 1000 + current; *t = 2000; return 0; }
API int hipMalloc(void **p, size_t n) { CALL; *p = aligned_alloc(256, (n + 255) / 256 * 256); memset(*p, 0xcd, n); return 0; }
API int hipFree(void *p) { CALL; free(p); return 0; }
#ifndef NO_hipHostMalloc
API int hipHostMalloc(void **p, size_t n, unsigned f) { (void)f; CALL; *p = malloc(n); memset(*p, 0xcd, n); return 0; }
#endif
API int hipHostFree(void *p) { CALL; free(p); return 0; }
API int hipHostGetDevicePointer(void **d, void *p, unsigned f) { (void)f; *d = p; return 0; }
API int hipMemcpyAsync(void *d, const void *s, size_t n, int kind, void *stream) { (void)kind; (void)stream; CALL; memcpy(d, s, n); return 0; }
API int hipMemcpyPeerAsync(void *d, int dd, const void *s, int sd, size_t n, void *stream) {
  (void)stream;
  memcpy(d, s, n);
  sprintf(last, "peer %d<-%d", dd, sd);
  return 0;
}
API int hipMemsetD8Async(void *d, unsigned char v, size_t n, void *stream) { (void)stream; CALL; memset(d, v, n); return 0; }
API int hipStreamCreateWithFlags(void **s, unsigned f) { CALL; if (f != 1) return 1; *s = malloc(1); return 0; }
API int hipStreamDestroy(void *s) { CALL; free(s); return 0; }
API int hipStreamSynchronize(void *s) { (void)s; CALL; return 0; }
API int hipStreamQuery(void *s) { (void)s; CALL; return 0; }
API int hipEventCreateWithFlags(void **s, unsigned f) { (void)f; *s = malloc(1); return 0; }
API int hipEventDestroy(void *s) { CALL; free(s); return 0; }
API int hipEventRecord(void *e, void *s) { (void)e; (void)s; return 0; }
API int hipEventQuery(void *e) { (void)e; CALL; return 0; }
API int hipModuleLoadData(void **m, const void *image) { CALL; if (memcmp(image, "\x7f" "ELF", 4)) return 200; *m = malloc(1); return 0; }
API int hipModuleUnload(void *m) { CALL; free(m); return 0; }
API int hipModuleGetFunction(void **f, void *m, const char *name) { if (strcmp(name, "kernel")) return 500; *f = m; return 0; }
API int hipFuncGetAttribute(int *v, int a, void *f) {
  (void)f;
  int values[] = {256, 4096, 8, 16, 32};
  *v = values[a];
  return 0;
}
API int hipModuleLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned lds, void *stream, void **params, void **extra) {
  (void)f; (void)stream;
  CALL;
  launches++;
  sprintf(last, "%u,%u,%u %u,%u,%u %u %d %d", gx, gy, gz, bx, by, bz, lds, *(int *)params[0], extra == 0);
  return 0;
}
/* The first byte of what the pointer points to says its kind, in this version's numbers. */
struct attributes { unsigned type; int device; void *device_pointer, *host_pointer; int managed; unsigned flags; };
API int hipPointerGetAttributes(struct attributes *a, const void *p) {
  memset(a, 0, sizeof *a);
  a->type = *(const unsigned char *)p;
  return a->type == 99 ? 1 : 0;
}
#endif
