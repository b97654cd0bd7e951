// attention: softmax(q k^T scale + bias) v and its gradients, without the weights in memory. A block computes a tile of the
// output: its rows are queries (keys, for the gradients of keys and values), its columns a part of the elements of a row.
// The block iterates over tiles of the other rows (keys, or queries): products of both make a tile of scores in registers,
// which become weights in LDS, and the weights times the other rows are added to the output tile. Each sum runs in the
// order of the rows as one chain of fma, so results do not depend on the wave size.
#include "num.h"
#include "params.h"

namespace rl {

#if RL_FLOAT
using A = acc_t<RL_T>;

// A thread computes EACH x EACH of a tile's elements; STEP rows or columns of the factors are in LDS.
constexpr u32 EACH = sizeof(A) == 4 ? 4 : 2, ACROSS = 16, TILE = ACROSS * EACH, STEP = 16;
static_assert(ACROSS * ACROSS == RL_BLOCK && TILE * STEP == EACH * RL_BLOCK, "a thread loads EACH elements of a factor");

struct Shared {
    A left[STEP][TILE + 4], right[STEP][TILE + 4];
    A weights[TILE][TILE + 1];  // by the other row, then by the tile's row
    u32 odd;                    // the last step that met an element that is not finite
};

// The elements of one head.
struct Matrix {
    const RL_T* data;
    u64 row_step, column_step, rows, columns;

    RL_FN Matrix(u64 address, const u64 (&strides)[4], u64 batch, u64 head, u64 n, u64 m)
        : data((const RL_T*)address + (i64)(batch * strides[0] + head * strides[1])), row_step(strides[2]),
          column_step(strides[3]), rows(n), columns(m) {}
    RL_FN A at(u64 row, u64 column) const {
        return row < rows && column < columns ? acc<RL_T>(data[(i64)(row * row_step + column * column_step)]) : (A)0;
    }
};

// A tile of numbers: this thread has rows y() + i and columns x() + ACROSS j.
struct Tile {
    A v[EACH][EACH];

    static RL_FN u32 x() { return thread() % ACROSS; }
    static RL_FN u32 y() { return thread() / ACROSS * EACH; }

    RL_FN void clear() {
        for (u32 i = 0; i < EACH; i++) {
            for (u32 j = 0; j < EACH; j++) v[i][j] = (A)0;
        }
    }
    // Computes the tile of products of the rows of `a` from a0 on with the rows of `b` from b0 on.
    RL_FN void products(Shared& s, const Matrix& a, u64 a0, const Matrix& b, u64 b0) {
        clear();
        const u32 depth = thread() % STEP;
        for (u64 k = 0; k < a.columns; k += STEP) {
            sync();
            for (u32 l = 0; l < EACH; l++) {
                const u32 row = thread() / STEP + l * (RL_BLOCK / STEP);
                s.left[depth][row] = a.at(a0 + row, k + depth);
                s.right[depth][row] = b.at(b0 + row, k + depth);
            }
            sync();
#pragma unroll 4
            for (u32 kk = 0; kk < STEP; kk++) {
                for (u32 i = 0; i < EACH; i++) {
                    for (u32 j = 0; j < EACH; j++) {
                        v[i][j] = fma(s.left[kk][y() + i], s.right[kk][x() + j * ACROSS], v[i][j]);
                    }
                }
            }
        }
    }
    // Adds the weights times the rows of `b` from b0 on, in the columns from `column` on. A weight of 0 excludes a row even
    // if it holds NaN or infinities.
    RL_FN void add(Shared& s, const Matrix& b, u64 b0, u64 column, u32& step) {
        const u32 across = thread() % TILE;
        for (u32 k = 0; k < TILE && b0 + k < b.rows; k += STEP) {
            sync();
            step++;
            bool finite = true;
            for (u32 l = 0; l < EACH; l++) {
                const u32 depth = thread() / TILE + l * (RL_BLOCK / TILE);
                const A e = b.at(b0 + k + depth, column + across);
                finite = finite && e - e == (A)0;
                s.right[depth][across] = e;
            }
            if (!finite) s.odd = step;
            sync();
            if (s.odd == step) {
                for (u32 kk = 0; kk < STEP; kk++) {
#pragma unroll
                    for (u32 i = 0; i < EACH; i++) {
                        const A w = s.weights[k + kk][y() + i];
                        if (w == (A)0) continue;
#pragma unroll
                        for (u32 j = 0; j < EACH; j++) v[i][j] = fma(w, s.right[kk][x() + j * ACROSS], v[i][j]);
                    }
                }
                continue;
            }
#pragma unroll 4
            for (u32 kk = 0; kk < STEP; kk++) {
                for (u32 i = 0; i < EACH; i++) {
                    for (u32 j = 0; j < EACH; j++) {
                        v[i][j] = fma(s.weights[k + kk][y() + i], s.right[kk][x() + j * ACROSS], v[i][j]);
                    }
                }
            }
        }
    }
    // Stores the tile in LDS as the weights that `add` reads.
    RL_FN void share(Shared& s) const {
        sync();
        for (u32 i = 0; i < EACH; i++) {
            for (u32 j = 0; j < EACH; j++) s.weights[x() + j * ACROSS][y() + i] = v[i][j];
        }
    }
};

// The offsets of a head in mask and bias, and of its statistics.
struct Head {
    u64 batch, head, group, mask, bias, stats;

    RL_FN Head(const AttentionParams& p, u64 b, u64 h) : batch(b), head(h) {
        group = h / (p.heads / p.groups);
        mask = b * p.mask_strides[0] + h * p.mask_strides[1];
        bias = b * p.bias_strides[0] + h * p.bias_strides[1];
        stats = (b * p.heads + h) * p.queries;
    }
    // Returns the score of query i and key j, given their product; negative infinity if the key is excluded.
    RL_FN A score(const AttentionParams& p, A product, u64 i, u64 j) const {
        if (i >= p.queries || j >= p.keys || (p.causal && j > i)) return lowest<A>();
        if (p.mask && !((const boolean*)p.mask)[(i64)(mask + i * p.mask_strides[2] + j * p.mask_strides[3])].bits) {
            return lowest<A>();
        }
        const A v = product * (A)p.scale;
        if (!p.bias) return v;
        return v + acc<RL_T>(((const RL_T*)p.bias)[(i64)(bias + i * p.bias_strides[2] + j * p.bias_strides[3])]);
    }
};

// e^(score - base), 0 for an excluded key.
RL_DEV A weight(A score, A base) { return score == lowest<A>() ? (A)0 : exp(score - base); }

// The gradient of a score.
RL_DEV A score_grad(A weight, A product, A dot) { return weight == (A)0 ? (A)0 : weight * (product - dot); }

// Reduces one number per thread over the threads of a row.
template <class F>
RL_DEV A fold_row(A v, F f) {
    for (u32 half = ACROSS / 2; half > 0; half /= 2) v = f(v, shfl_xor(v, half));
    return v;
}

RL_DEV u64 tiles(u64 n) { return (n + TILE - 1) / TILE; }

// Returns the end of the keys that the queries of the tile from `row` on may attend to.
RL_DEV u64 keys_end(const AttentionParams& p, u64 row) {
    return p.causal && row + TILE < p.keys ? row + TILE : p.keys;
}

// Calls f(batch, head) for the heads of this block.
template <class F>
RL_DEV void each_head(const AttentionParams& p, u64 heads, F f) {
    for (u64 at = block_y(); at < p.batch * heads; at += p.blocks) {
        u64 head;
        const u64 batch = div_mod(at, heads, head);
        f(batch, head);
    }
}

// The online softmax of a tile of queries: their largest scores, sums, and weights times values.
struct Online {
    A peak[EACH], sum[EACH];
    Tile out;

    // Converts the scores of the keys from k0 on to weights.
    RL_FN void take(const AttentionParams& p, const Head& head, Tile& scores, u64 row0, u64 k0) {
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            A largest = lowest<A>();
#pragma unroll
            for (u32 j = 0; j < EACH; j++) {
                A& v = scores.v[i][j];
                v = head.score(p, v, row0 + Tile::y() + i, k0 + Tile::x() + j * ACROSS);
                largest = maximum(largest, v);
            }
            largest = maximum(peak[i], fold_row(largest, [](A a, A b) { return maximum(a, b); }));
            const A factor = weight(peak[i], largest);
            A all = (A)0;
#pragma unroll
            for (u32 j = 0; j < EACH; j++) {
                A& v = scores.v[i][j];
                v = weight(v, largest);
                all = all + v;
            }
            sum[i] = sum[i] * factor + fold_row(all, [](A a, A b) { return a + b; });
            peak[i] = largest;
#pragma unroll
            for (u32 j = 0; j < EACH; j++) out.v[i][j] = factor == (A)0 ? (A)0 : out.v[i][j] * factor;
        }
    }
};

// Iterates over the keys. With VALUES it also adds the weights times the columns of the values from `column` on.
template <bool VALUES>
RL_DEV void online(const AttentionParams& p, Shared& s, const Head& head, u64 row0, u64 column, u32& step, Online& o) {
    const Matrix q(p.q, p.q_strides, head.batch, head.head, p.queries, p.depth);
    const Matrix k(p.k, p.k_strides, head.batch, head.group, p.keys, p.depth);
    const Matrix v(p.v, p.v_strides, head.batch, head.group, p.keys, p.width);
    for (u32 i = 0; i < EACH; i++) {
        o.peak[i] = lowest<A>();
        o.sum[i] = (A)0;
    }
    o.out.clear();
    const u64 end = keys_end(p, row0);
    for (u64 k0 = 0; k0 < end; k0 += TILE) {
        Tile scores;
        scores.products(s, q, row0, k, k0);
        o.take(p, head, scores, row0, k0);
        if constexpr (VALUES) {
            scores.share(s);
            o.out.add(s, v, k0, column, step);
        }
    }
}

// Returns the block's LDS, initialized.
RL_DEV Shared& shared() {
    __shared__ Shared s;
    if (thread() == 0) s.odd = 0;
    sync();
    return s;
}
#endif

}  // namespace rl

#if RL_FLOAT
RL_KERNEL(attention, tile)(rl::AttentionParams p) {
    using namespace rl;
    Shared& s = shared();
    u32 step = 0;
    const u64 across = tiles(p.width), row0 = block() / across * TILE, column = block() % across * TILE;
    each_head(p, p.heads, [&](u64 b, u64 h) {
        Online o;
        online<true>(p, s, Head(p, b, h), row0, column, step, o);
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            const u64 row = row0 + Tile::y() + i;
#pragma unroll
            for (u32 j = 0; j < EACH; j++) {
                const u64 c = column + Tile::x() + j * ACROSS;
                if (row >= p.queries || c >= p.width) continue;
                const A v = o.sum[i] == (A)0 ? (A)0 : div(o.out.v[i][j], o.sum[i]);
                ((RL_T*)p.out)[((b * p.heads + h) * p.queries + row) * p.width + c] = from_acc<RL_T>(v);
            }
        }
    });
}

RL_KERNEL(attention_stats, tile)(rl::AttentionParams p) {
    using namespace rl;
    Shared& s = shared();
    u32 step = 0;
    const u64 row0 = (u64)block() * TILE;
    each_head(p, p.heads, [&](u64 b, u64 h) {
        const Head head(p, b, h);
        Online o;
        online<false>(p, s, head, row0, 0, step, o);
        const Matrix g(p.grad, p.grad_strides, b, h, p.queries, p.width);
        const Matrix y(p.result, p.result_strides, b, h, p.queries, p.width);
        A* out = (A*)p.out + head.stats;
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            const u64 row = row0 + Tile::y() + i;
            A dot = (A)0;
            for (u64 c = Tile::x(); c < p.width; c += ACROSS) dot = rl::fma(g.at(row, c), y.at(row, c), dot);
            dot = fold_row(dot, [](A a, A b) { return a + b; });
            if (row >= p.queries || Tile::x() != 0) continue;
            out[row] = o.sum[i] == (A)0 ? lowest<A>() : o.peak[i] + rl::log(o.sum[i]);
            out[p.batch * p.heads * p.queries + row] = dot;
        }
    });
}

RL_KERNEL(attention_query_grad, tile)(rl::AttentionParams p) {
    using namespace rl;
    Shared& s = shared();
    u32 step = 0;
    const u64 across = tiles(p.depth), row0 = block() / across * TILE, column = block() % across * TILE;
    each_head(p, p.heads, [&](u64 b, u64 h) {
        const Head head(p, b, h);
        const Matrix q(p.q, p.q_strides, b, h, p.queries, p.depth);
        const Matrix k(p.k, p.k_strides, b, head.group, p.keys, p.depth);
        const Matrix v(p.v, p.v_strides, b, head.group, p.keys, p.width);
        const Matrix g(p.grad, p.grad_strides, b, h, p.queries, p.width);
        const A* stats = (const A*)p.stats + head.stats;
        A all[EACH], dot[EACH];
        for (u32 i = 0; i < EACH; i++) {
            const u64 row = row0 + Tile::y() + i;
            all[i] = row < p.queries ? stats[row] : (A)0;
            dot[i] = row < p.queries ? stats[p.batch * p.heads * p.queries + row] : (A)0;
        }
        Tile sum;
        sum.clear();
        const u64 end = keys_end(p, row0);
        for (u64 k0 = 0; k0 < end; k0 += TILE) {
            Tile scores, products;
            scores.products(s, q, row0, k, k0);
            products.products(s, g, row0, v, k0);
#pragma unroll
            for (u32 i = 0; i < EACH; i++) {
#pragma unroll
                for (u32 j = 0; j < EACH; j++) {
                    const A w = weight(head.score(p, scores.v[i][j], row0 + Tile::y() + i, k0 + Tile::x() + j * ACROSS), all[i]);
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
                const u64 c = column + Tile::x() + j * ACROSS;
                if (row >= p.queries || c >= p.depth) continue;
                ((RL_T*)p.out)[(head.stats + row) * p.depth + c] = from_acc<RL_T>(sum.v[i][j] * (A)p.scale);
            }
        }
    });
}

RL_KERNEL(attention_key_grad, tile)(rl::AttentionParams p) {
    using namespace rl;
    Shared& s = shared();
    u32 step = 0;
    // The first tiles of a row of tiles are gradients of keys, the others of values.
    const u64 across = tiles(p.depth) + tiles(p.width), row0 = block() / across * TILE;
    const bool of_keys = block() % across < tiles(p.depth);
    const u64 column = (block() % across - (of_keys ? 0 : tiles(p.depth))) * TILE;
    each_head(p, p.groups, [&](u64 b, u64 group) {
        const Matrix k(p.k, p.k_strides, b, group, p.keys, p.depth);
        const Matrix v(p.v, p.v_strides, b, group, p.keys, p.width);
        Tile sum;
        sum.clear();
        const u64 shared_by = p.heads / p.groups;
        for (u64 h = group * shared_by; h < (group + 1) * shared_by; h++) {
            const Head head(p, b, h);
            const Matrix q(p.q, p.q_strides, b, h, p.queries, p.depth);
            const Matrix g(p.grad, p.grad_strides, b, h, p.queries, p.width);
            const A* stats = (const A*)p.stats + head.stats;
            for (u64 q0 = p.causal ? row0 : 0; q0 < p.queries; q0 += TILE) {
                Tile scores, products;
                scores.products(s, k, row0, q, q0);
                if (of_keys) products.products(s, v, row0, g, q0);
#pragma unroll
                for (u32 j = 0; j < EACH; j++) {
                    const u64 query = q0 + Tile::x() + j * ACROSS;
                    const bool in = query < p.queries;
                    const A all = in ? stats[query] : (A)0;
                    const A dot = in ? stats[p.batch * p.heads * p.queries + query] : (A)0;
#pragma unroll
                    for (u32 i = 0; i < EACH; i++) {
                        const A w = weight(head.score(p, scores.v[i][j], query, row0 + Tile::y() + i), all);
                        scores.v[i][j] = of_keys ? score_grad(w, products.v[i][j], dot) : w;
                    }
                }
                scores.share(s);
                if (of_keys) sum.add(s, q, q0, column, step);
                else sum.add(s, g, q0, column, step);
            }
        }
        RL_T* out = (RL_T*)p.out + (b * p.groups + group) * p.keys * (p.depth + p.width);
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            const u64 row = row0 + Tile::y() + i;
#pragma unroll
            for (u32 j = 0; j < EACH; j++) {
                const u64 c = column + Tile::x() + j * ACROSS;
                if (row >= p.keys || c >= (of_keys ? p.depth : p.width)) continue;
                const A total = of_keys ? sum.v[i][j] * (A)p.scale : sum.v[i][j];
                out[row * (p.depth + p.width) + (of_keys ? 0 : p.depth) + c] = from_acc<RL_T>(total);
            }
        }
    });
}
#endif
