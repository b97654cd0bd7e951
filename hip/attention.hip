// attention: softmax(q k^T scale + bias) v and its gradients, without the weights in memory.
#include "attention.h"
#include "attention_matrix.h"

#if RL_FLOAT
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
    const u32 first = thread() % ACROSS;
    each_head(p, p.heads, [&](u64 b, u64 h) {
        const Head head(p, in, b, h);
        Online o;
        online<false>(p, s, head, 0, step, o);
        const Matrix g(p.grad, p.grad_strides, b, h, in.query, in.queries, p.width);
        const Matrix y(p.result, p.result_strides, b, h, in.query, in.queries, p.width);
        A* out = (A*)p.out + head.stats;
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            const u64 row = in.row0 + Tile::y() + i;
            A dot = (A)0;
            for (u64 c = first; c < p.width; c += ACROSS) dot = rl::fma(g.at(row, c), y.at(row, c), dot);
            dot = fold_row(dot, [](A a, A b) { return a + b; });
            if (row >= in.queries || first != 0) continue;
            out[row] = o.sum[i] == (A)0 ? lowest<A>() : o.peak[i] + rl::log(o.sum[i]);
            out[p.batch * p.heads * p.queries + row] = dot;
        }
    });
}

RL_KERNEL(attention_query_grad, tile)(rl::AttentionParams p) {
    using namespace rl;
    Shared& s = shared(p);
    u32 step = 0;
    const u64 across = tiles(p.depth), column = block() % across * TILE;
    const Span in(p, block() / across, false);
    const u64 row0 = in.row0;
    each_head(p, p.heads, [&](u64 b, u64 h) {
        const Head head(p, in, b, h);
        const Matrix q(p.q, p.q_strides, b, h, in.query, in.queries, p.depth);
        const Matrix k(p.k, p.k_strides, b, head.group, in.key, in.keys, p.depth);
        const Matrix v(p.v, p.v_strides, b, head.group, in.key, in.keys, p.width);
        const Matrix g(p.grad, p.grad_strides, b, h, in.query, in.queries, p.width);
        const A* stats = (const A*)p.stats + head.stats;
        A all[EACH], dot[EACH];
        for (u32 i = 0; i < EACH; i++) {
            const u64 row = row0 + Tile::y() + i;
            all[i] = row < in.queries ? stats[row] : (A)0;
            dot[i] = row < in.queries ? stats[p.batch * p.heads * p.queries + row] : (A)0;
        }
        Tile sum;
        sum.clear();
        const u64 end = in.keys_end(p);
        for (u64 k0 = 0; k0 < end; k0 += TILE) {
            Tile scores, products;
            scores.products(s, q, row0, k, k0);
            products.products(s, g, row0, v, k0);
            head.drop_some(p, row0, k0, products);
#pragma unroll
            for (u32 i = 0; i < EACH; i++) {
#pragma unroll
                for (u32 j = 0; j < EACH; j++) {
                    const A w = weight(head.score(p, scores.v[i][j], row0 + Tile::y() + i, k0 + Tile::x() + j), all[i]);
                    scores.v[i][j] = score_grad(w, products.v[i][j], dot[i]);
                }
            }
            scores.share(s);
            sum.add(s, k, k0, column, step);
        }
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            const u64 row = row0 + Tile::y() + i;
#pragma unroll
            for (u32 j = 0; j < EACH; j++) {
                const u64 c = column + Tile::x() + j;
                if (row >= in.queries || c >= p.depth) continue;
                ((RL_T*)p.out)[(head.stats + row) * p.depth + c] = from_acc<RL_T>(sum.v[i][j] * (A)p.scale);
            }
        }
    });
}

RL_KERNEL(attention_key_grad, tile)(rl::AttentionParams p) {
    using namespace rl;
    Shared& s = shared(p);
    u32 step = 0;
    // The first tiles across are of keys, the others of values.
    const u64 across = tiles(p.depth) + tiles(p.width);
    const Span in(p, block() / across, true);
    const u64 row0 = in.row0;
    const bool of_keys = block() % across < tiles(p.depth);
    const u64 column = (block() % across - (of_keys ? 0 : tiles(p.depth))) * TILE;
    each_head(p, p.groups, [&](u64 b, u64 group) {
        const Matrix k(p.k, p.k_strides, b, group, in.key, in.keys, p.depth);
        const Matrix v(p.v, p.v_strides, b, group, in.key, in.keys, p.width);
        Tile sum;
        sum.clear();
        const u64 shared_by = p.heads / p.groups;
        for (u64 h = group * shared_by; h < (group + 1) * shared_by; h++) {
            const Head head(p, in, b, h);
            const Matrix q(p.q, p.q_strides, b, h, in.query, in.queries, p.depth);
            const Matrix g(p.grad, p.grad_strides, b, h, in.query, in.queries, p.width);
            const A* stats = (const A*)p.stats + head.stats;
            for (u64 q0 = in.first_query(p); q0 < in.queries; q0 += TILE) {
                Tile scores, products;
                scores.products(s, k, row0, q, q0);
                if (of_keys) products.products(s, v, row0, g, q0);
#pragma unroll
                for (u32 j = 0; j < EACH; j++) {
                    const u64 query = q0 + Tile::x() + j;
                    const bool known = query < in.queries;
                    const A all = known ? stats[query] : (A)0;
                    const A dot = known ? stats[p.batch * p.heads * p.queries + query] : (A)0;
                    bool kept[EACH];
                    if (p.dropping) head.draw(p, query, row0 + Tile::y(), kept);
#pragma unroll
                    for (u32 i = 0; i < EACH; i++) {
                        const A factor = !p.dropping ? (A)1 : kept[i] ? (A)p.keep : (A)0;
                        const A w = weight(head.score(p, scores.v[i][j], query, row0 + Tile::y() + i), all);
                        if (of_keys) scores.v[i][j] = score_grad(w, factor == (A)0 ? (A)0 : products.v[i][j] * factor, dot);
                        else scores.v[i][j] = w * factor;
                    }
                }
                scores.share(s);
                if (of_keys) sum.add(s, q, q0, column, step);
                else sum.add(s, g, q0, column, step);
            }
        }
        RL_T* out = (RL_T*)p.out + ((b * p.groups + group) * p.keys + in.key) * (p.depth + p.width);
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            const u64 row = row0 + Tile::y() + i;
#pragma unroll
            for (u32 j = 0; j < EACH; j++) {
                const u64 c = column + Tile::x() + j;
                if (row >= in.keys || c >= (of_keys ? p.depth : p.width)) continue;
                const A total = of_keys ? sum.v[i][j] * (A)p.scale : sum.v[i][j];
                out[row * (p.depth + p.width) + (of_keys ? 0 : p.depth) + c] = from_acc<RL_T>(total);
            }
        }
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
RL_KERNEL(attention, matrix32)(rl::AttentionParams p) { rl::attend_all<32>(p); }
RL_KERNEL(attention, matrix64)(rl::AttentionParams p) { rl::attend_all<64>(p); }
RL_KERNEL(attention, matrix128)(rl::AttentionParams p) { rl::attend_all<128>(p); }
RL_KERNEL(attention, matrix256)(rl::AttentionParams p) { rl::attend_all<256>(p); }
#endif
