// im2col: windows of images as columns; col2im: the sum of columns in images. One thread for each element of the result. The
// columns of an element of an image are added in row-major order of the window's elements: that is the windows in reverse.
#include "num.h"
#include "params.h"

namespace rl {

#if RL_WORD
RL_DEV void im2col(const ColumnParams& p) {
    const u64 step = (u64)p.blocks * RL_BLOCK;
    for (u64 e = global_thread(); e < p.count; e += step) {
        u64 o[2], k[2], channel;
        u64 rest = div_mod(e, p.windows[1], p.index64, o[1]);
        rest = div_mod(rest, p.windows[0], p.index64, o[0]);
        rest = div_mod(rest, p.kernel_size[1], p.index64, k[1]);
        rest = div_mod(rest, p.kernel_size[0], p.index64, k[0]);
        const u64 batch = div_mod(rest, p.channels, p.index64, channel);
        u64 at = batch * p.input_stride[0] + channel * p.input_stride[1];
        bool inside = true;
        for (int d = 0; d < 2; d++) {
            // An index in the padding before the image wraps around to a large number.
            const u64 i = o[d] * p.stride[d] + k[d] * p.dilation[d] - p.padding[d];
            inside = inside && i < p.size[d];
            at += i * p.input_stride[2 + d];
        }
        ((RL_T*)p.out)[e] = inside ? ((const RL_T*)p.input)[(i64)at] : RL_T{};
    }
}
#endif

#if RL_NUMERIC
RL_DEV void col2im(const ColumnParams& p) {
    const u64 step = (u64)p.blocks * RL_BLOCK;
    for (u64 e = global_thread(); e < p.count; e += step) {
        u64 i[2], channel, from[2], to[2];
        u64 rest = div_mod(e, p.size[1], p.index64, i[1]);
        rest = div_mod(rest, p.size[0], p.index64, i[0]);
        const u64 batch = div_mod(rest, p.channels, p.index64, channel);
        // The windows that hold the element, or step over it.
        for (int d = 0; d < 2; d++) {
            i[d] += p.padding[d];
            const u64 span = (p.kernel_size[d] - 1) * p.dilation[d] + 1;
            u64 unused;
            from[d] = i[d] < span ? 0 : div_mod(i[d] - span, p.stride[d], p.index64, unused) + 1;
            to[d] = div_mod(i[d], p.stride[d], p.index64, unused) + 1;
            if (to[d] > p.windows[d]) to[d] = p.windows[d];
        }
        const u64 start = batch * p.input_stride[0];
        acc_t<RL_T> sum = 0;
        for (u64 a = to[0]; a-- > from[0];) {
            u64 rest0, rest1;
            const u64 k0 = div_mod(i[0] - a * p.stride[0], p.dilation[0], p.index64, rest0);
            if (rest0 != 0) continue;
            for (u64 b = to[1]; b-- > from[1];) {
                const u64 k1 = div_mod(i[1] - b * p.stride[1], p.dilation[1], p.index64, rest1);
                if (rest1 != 0) continue;
                const u64 row = (channel * p.kernel_size[0] + k0) * p.kernel_size[1] + k1;
                const u64 at = start + row * p.input_stride[1] + (a * p.windows[1] + b) * p.input_stride[2];
                sum = add<acc_t<RL_T>>(sum, acc<RL_T>(((const RL_T*)p.input)[(i64)at]));
            }
        }
        ((RL_T*)p.out)[e] = from_acc<RL_T>(sum);
    }
}
#endif

}  // namespace rl

#if RL_WORD
// The kernel only moves values, so RL_T is the unsigned integer of their size (c128 for 16 bytes).
RL_KERNEL(im2col, strided)(rl::ColumnParams p) { rl::im2col(p); }
#endif
#if RL_NUMERIC
RL_KERNEL(col2im, strided)(rl::ColumnParams p) { rl::col2im(p); }
#endif
