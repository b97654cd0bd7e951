// Opens the library as a HIP program does and runs a kernel. Arguments: the library, HIP's major version.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *ptr;
#define FN(name, ...) int (*name)(__VA_ARGS__) = (int (*)(__VA_ARGS__))dlsym(lib, #name); \
    if (!name) { printf("%s is missing\n", #name); return 1; }
#define OK(call) do { int rc = (call); if (rc) { printf("%s: %d\n", #call, rc); return 1; } } while (0)

static const char *source =
    "extern \"C\" __global__ void saxpy(int n, float a, const float* x, float* y) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] = a * x[i] + y[i];\n"
    "}\n";

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    ptr lib = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
    if (!lib) { printf("%s\n", dlerror()); return 1; }
    FN(hipInit, unsigned) FN(hipRuntimeGetVersion, int *) FN(hipMalloc, ptr *, size_t) FN(hipFree, ptr)
    FN(hipMemcpy, ptr, const void *, size_t, int) FN(hipModuleLoadData, ptr *, const void *)
    FN(hipModuleGetFunction, ptr *, ptr, const char *) FN(hipModuleUnload, ptr) FN(hipDeviceSynchronize, void)
    FN(hipModuleLaunchKernel, ptr, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, ptr, ptr *, ptr *)
    FN(hiprtcCreateProgram, ptr *, const char *, const char *, int, const char **, const char **)
    FN(hiprtcCompileProgram, ptr, int, const char **) FN(hiprtcGetCodeSize, ptr, size_t *)
    FN(hiprtcGetCode, ptr, char *) FN(hiprtcDestroyProgram, ptr *)
    FN(hiprtcAddNameExpression, ptr, const char *) FN(hiprtcGetLoweredName, ptr, const char *, const char **)
    int version = 0, n = 1000;
    OK(hipInit(0));
    OK(hipRuntimeGetVersion(&version));
    if (version / 10000000 != atoi(argv[2])) { printf("version %d\n", version); return 1; }
    // HIP 5 lacks the new layout of properties.
    if (!dlsym(lib, "hipGetDevicePropertiesR0600") != (atoi(argv[2]) == 5)) { printf("R0600\n"); return 1; }
    ptr program, module, f, x, y;
    size_t size;
    const char *options[] = {"--offload-arch=gfx1100", "-O3"};
    OK(hiprtcCreateProgram(&program, source, "saxpy.hip", 0, NULL, NULL));
    OK(hiprtcCompileProgram(program, 2, options));
    OK(hiprtcGetCodeSize(program, &size));
    char *code = malloc(size);
    OK(hiprtcGetCode(program, code));
    OK(hiprtcDestroyProgram(&program));
    OK(hipModuleLoadData(&module, code));
    free(code);
    OK(hipModuleGetFunction(&f, module, "saxpy"));
    float host[1000], a = 2.0f;
    for (int i = 0; i < n; i++) host[i] = (float)i;
    OK(hipMalloc(&x, sizeof host));
    OK(hipMalloc(&y, sizeof host));
    OK(hipMemcpy(x, host, sizeof host, 1));
    OK(hipMemcpy(y, host, sizeof host, 1));
    ptr args[] = {&n, &a, &x, &y};
    OK(hipModuleLaunchKernel(f, (n + 63) / 64, 1, 1, 64, 1, 1, 0, NULL, args, NULL));
    OK(hipMemcpy(host, y, sizeof host, 2));
    for (int i = 0; i < n; i++) if (host[i] != 3.0f * i) { printf("%d: %f\n", i, host[i]); return 1; }
    OK(hipFree(x));
    OK(hipFree(y));
    OK(hipModuleUnload(module));

    // A template by name, and a header of the program.
    const char *header = "template <class T> __global__ void fill(T* p, T v) { p[threadIdx.x] = v; }\n";
    const char *name = "fill.h", *lowered = NULL;
    OK(hiprtcCreateProgram(&program, "#include \"fill.h\"\n", "t.hip", 1, &header, &name));
    OK(hiprtcAddNameExpression(program, "fill<short>"));
    OK(hiprtcAddNameExpression(program, "&fill<double>"));
    if (hiprtcAddNameExpression(program, "(fill<int>)") != 10) { printf("parentheses\n"); return 1; }
    OK(hiprtcCompileProgram(program, 1, options));
    OK(hiprtcGetCodeSize(program, &size));
    code = malloc(size);
    OK(hiprtcGetCode(program, code));
    OK(hiprtcGetLoweredName(program, "&fill<double>", &lowered));
    OK(hipModuleLoadData(&module, code));
    OK(hipModuleGetFunction(&f, module, lowered));
    double v = 1.5, back[8];
    OK(hipMalloc(&x, sizeof back));
    ptr two[] = {&x, &v};
    OK(hipModuleLaunchKernel(f, 1, 1, 1, 8, 1, 1, 0, NULL, two, NULL));
    OK(hipMemcpy(back, x, sizeof back, 2));
    for (int i = 0; i < 8; i++) if (back[i] != 1.5) { printf("fill: %f\n", back[i]); return 1; }
    OK(hiprtcDestroyProgram(&program));
    printf("fine\n");
    return 0;
}
