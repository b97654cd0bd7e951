// philox.h: the generator of random numbers, Philox4x32-10 (Salmon et al. 2011), as docs/NUMERICS.md defines it.
#pragma once
#include "port.h"

namespace rl {

// The words of a block.
struct Drawn {
    u32 w[4];
};

// The four words of block `b` of a draw.
RL_DEV Drawn philox(u64 seed, u64 draw, u64 b) {
    u32 c0 = (u32)b, c1 = (u32)(b >> 32), c2 = (u32)draw, c3 = (u32)(draw >> 32);
    u32 k0 = (u32)seed, k1 = (u32)(seed >> 32);
    // A loop: unrolled several times in one kernel, clang vectorizes it for x86 with wrong words.
#pragma unroll 1
    for (int round = 0; round < 10; round++) {
        const u64 p = (u64)0xD2511F53u * c0, q = (u64)0xCD9E8D57u * c2;
        c0 = (u32)(q >> 32) ^ c1 ^ k0;
        c2 = (u32)(p >> 32) ^ c3 ^ k1;
        c1 = (u32)q;
        c3 = (u32)p;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return Drawn{{c0, c1, c2, c3}};
}

}  // namespace rl
