// attention: softmax(q k^T scale + bias) v and its gradients, without the weights in memory.
#include "attention.h"
#include "attention_gradient.h"
#include "attention_matrix.h"

#if RL_FLOAT
RL_KERNEL(attention_query_grad, tile)(rl::AttentionParams p) RL_UNIT_WAVES;
RL_KERNEL(attention_key_grad, tile)(rl::AttentionParams p) RL_UNIT_WAVES;
RL_KERNEL(attention, tile)(rl::AttentionParams p) {
    using namespace rl;
    Shared& s = shared(p);
    u32 step = 0;
    const u64 across = tiles(p.width), column = block() % across * TILE;
    const Span in(p, block() / across, false);
    each_head(p, p.heads, [&](u64 b, u64 h) {
        attend(p, s, Head(p, in, b, h), column, step);
    });
}

RL_KERNEL(attention_stats, tile)(rl::AttentionParams p) {
    using namespace rl;
    Shared& s = shared(p);
    u32 step = 0;
    const Span in(p, block(), false);
    each_head(p, p.heads, [&](u64 b, u64 h) {
        statistics(p, s, Head(p, in, b, h), step);
    });
}

RL_KERNEL(attention_query_grad, tile)(rl::AttentionParams p) {
    using namespace rl;
    Shared& s = shared(p);
    u32 step = 0;
    const u64 across = tiles(p.depth), column = block() % across * TILE;
    const Span in(p, block() / across, false);
    each_head(p, p.heads, [&](u64 b, u64 h) {
        query_grad(p, s, Head(p, in, b, h), column, step);
    });
}

RL_KERNEL(attention_key_grad, tile)(rl::AttentionParams p) {
    using namespace rl;
    Shared& s = shared(p);
    u32 step = 0;
    // The first tiles across are of keys, the others of values.
    const u64 across = tiles(p.depth) + tiles(p.width);
    const Span in(p, block() / across, true);
    const bool of_keys = block() % across < tiles(p.depth);
    const u64 column = (block() % across - (of_keys ? 0 : tiles(p.depth))) * TILE;
    each_head(p, p.groups, [&](u64 b, u64 group) {
        key_grad(p, s, in, b, group, of_keys, column, step);
    });
}
#endif

// Variants of f16 and bf16, by the largest size of a query, key or value: by matrix units, with their rounding, where there are
// any. The host chooses them for no other GPU, but the virtual GPU's host engine and older compilers have no units either.
#if !defined(RL_CUDA) && (defined(RL_T_IS_f16) || defined(RL_T_IS_bf16))
RL_KERNEL(attention, matrix32)(rl::AttentionParams p) RL_UNIT_WAVES;
RL_KERNEL(attention, matrix64)(rl::AttentionParams p) RL_UNIT_WAVES;
RL_KERNEL(attention, matrix128)(rl::AttentionParams p) RL_UNIT_WAVES;
RL_KERNEL(attention, matrix256)(rl::AttentionParams p) RL_UNIT_WAVES;
RL_KERNEL(attention_stats, matrix32)(rl::AttentionParams p) RL_UNIT_WAVES;
RL_KERNEL(attention_stats, matrix64)(rl::AttentionParams p) RL_UNIT_WAVES;
RL_KERNEL(attention_stats, matrix128)(rl::AttentionParams p) RL_UNIT_WAVES;
RL_KERNEL(attention_stats, matrix256)(rl::AttentionParams p) RL_UNIT_WAVES;
RL_KERNEL(attention_query_grad, matrix32)(rl::AttentionParams p) RL_UNIT_WAVES;
RL_KERNEL(attention_query_grad, matrix64)(rl::AttentionParams p) RL_UNIT_WAVES;
RL_KERNEL(attention_query_grad, matrix128)(rl::AttentionParams p) RL_UNIT_WAVES;
RL_KERNEL(attention_key_grad, matrix32)(rl::AttentionParams p) RL_UNIT_WAVES;
RL_KERNEL(attention_key_grad, matrix64)(rl::AttentionParams p) RL_UNIT_WAVES;
RL_KERNEL(attention_key_grad, matrix128)(rl::AttentionParams p) RL_UNIT_WAVES;
RL_KERNEL(attention, matrix32)(rl::AttentionParams p) { rl::attend_all<32>(p); }
RL_KERNEL(attention, matrix64)(rl::AttentionParams p) { rl::attend_all<64>(p); }
RL_KERNEL(attention, matrix128)(rl::AttentionParams p) { rl::attend_all<128>(p); }
RL_KERNEL(attention, matrix256)(rl::AttentionParams p) { rl::attend_all<256>(p); }
RL_KERNEL(attention_stats, matrix32)(rl::AttentionParams p) { rl::statistics_all<32>(p); }
RL_KERNEL(attention_stats, matrix64)(rl::AttentionParams p) { rl::statistics_all<64>(p); }
RL_KERNEL(attention_stats, matrix128)(rl::AttentionParams p) { rl::statistics_all<128>(p); }
RL_KERNEL(attention_stats, matrix256)(rl::AttentionParams p) { rl::statistics_all<256>(p); }
RL_KERNEL(attention_query_grad, matrix32)(rl::AttentionParams p) { rl::query_grad_all<32>(p); }
RL_KERNEL(attention_query_grad, matrix64)(rl::AttentionParams p) { rl::query_grad_all<64>(p); }
RL_KERNEL(attention_query_grad, matrix128)(rl::AttentionParams p) { rl::query_grad_all<128>(p); }
RL_KERNEL(attention_key_grad, matrix32)(rl::AttentionParams p) { rl::key_grad_all<32>(p); }
RL_KERNEL(attention_key_grad, matrix64)(rl::AttentionParams p) { rl::key_grad_all<64>(p); }
RL_KERNEL(attention_key_grad, matrix128)(rl::AttentionParams p) { rl::key_grad_all<128>(p); }
#endif
