// Source of gfx1100.co, compiled by: clang++-19 -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx1100
// -nogpuinc -nogpulib -nostdinc -fdeclspec -O3 -include ../../prelude/machine.h -mcode-object-version=5 -std=c++17
extern "C" __global__ void __launch_bounds__(256) add(float* out, const float* a, const float* b, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = a[i] + b[i];
        }
extern "C" __global__ void down(unsigned* out) {
    unsigned v = threadIdx.x;
    for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_down(v, o);
    out[threadIdx.x] = v;
}
extern "C" __global__ void all(int* i, unsigned long long* u, float* f, double* d) {
            int t = blockIdx.x * blockDim.x + threadIdx.x;
            atomicAdd(i, 1); atomicMax(i + 1, t); atomicMin(i + 2, -t); atomicOr(i + 3, 1 << (t % 31));
            atomicAdd(u, 1ull << 32); atomicXor(u + 1, (unsigned long long)t);
            atomicAdd(f, 1.0f); atomicAdd(d, 0.5);
            for (int old = i[4], seen; (seen = atomicCAS(i + 4, old, old + 2)) != old; old = seen) {}
}
