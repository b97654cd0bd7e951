// attention.h: parts of softmax(q k^T scale + bias) v and of its gradients, without the weights in memory. A block computes a tile of
// the output: rows are queries (for the gradients of keys and values: keys), columns a part of a value (query, key). It goes over the
// other rows tile by tile: products of both make a tile of scores, in registers; scores become weights, in LDS; weights times the
// other rows are added to the tile. Sums are in order of the rows, in one fused chain, so results do not depend on the wave.
// Dropout draws for four neighbouring keys at a time, which one thread has in each kernel.
#pragma once
#include "fault.h"
#include "num.h"
#include "params.h"
#include "philox.h"

namespace rl {

#if RL_FLOAT
using A = acc_t<RL_T>;

// A thread computes EACH x EACH of a tile's elements; STEP rows or columns of the factors are in LDS.
constexpr u32 EACH = sizeof(A) == 4 ? 4 : 2, ACROSS = 16, TILE = ACROSS * EACH, STEP = 16;
static_assert(ACROSS * ACROSS == RL_BLOCK && TILE * STEP == EACH * RL_BLOCK, "a thread loads EACH elements of a factor");

struct Shared {
    // A thread's EACH elements of a row are 16 aligned bytes, which it reads at once.
    alignas(16) A left[STEP][TILE + 4];
    alignas(16) A right[STEP][TILE + 4];
    alignas(16) A weights[TILE][TILE + 4];  // by the other row, then by the tile's row
    u32 odd;                    // the last step that met an element that is not finite
};

// The elements of one head.
struct Matrix {
    const RL_T* data;
    u64 row_step, column_step, rows, columns;

    RL_FN Matrix(u64 address, const u64 (&strides)[4], u64 batch, u64 head, u64 first, u64 n, u64 m)
        : data((const RL_T*)address + (i64)(batch * strides[0] + head * strides[1] + first * strides[2])), row_step(strides[2]),
          column_step(strides[3]), rows(n), columns(m) {}
    RL_FN A at(u64 row, u64 column) const {
        return row < rows && column < columns ? acc<RL_T>(data[(i64)(row * row_step + column * column_step)]) : (A)0;
    }
};

// A tile of numbers: this thread has rows y() + i and columns x() + j.
struct Tile {
    A v[EACH][EACH];

    static RL_FN u32 x() { return thread() % ACROSS * EACH; }
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
                        v[i][j] = fma(s.left[kk][y() + i], s.right[kk][x() + j], v[i][j]);
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
                        for (u32 j = 0; j < EACH; j++) v[i][j] = fma(w, s.right[kk][x() + j], v[i][j]);
                    }
                }
                continue;
            }
#pragma unroll 4
            for (u32 kk = 0; kk < STEP; kk++) {
                for (u32 i = 0; i < EACH; i++) {
                    for (u32 j = 0; j < EACH; j++) {
                        v[i][j] = fma(s.weights[k + kk][y() + i], s.right[kk][x() + j], v[i][j]);
                    }
                }
            }
        }
    }
    // Stores the tile in LDS as the weights that `add` reads.
    RL_FN void share(Shared& s) const {
        sync();
        for (u32 i = 0; i < EACH; i++) {
            for (u32 j = 0; j < EACH; j++) s.weights[x() + j][y() + i] = v[i][j];
        }
    }
};

// Queries and keys that belong together, all of a head or those of a packed sequence, and a tile of these queries, or of the keys.
struct Span {
    u64 query, queries, key, keys;  // the first ones, and their numbers
    i64 diagonal;                   // a causal query i attends to the keys up to i + diagonal; both count from the first ones
    u64 row0;                       // the tile's first row, counted so, too
    u64 side;                       // rows of a tile

    RL_FN Span(const AttentionParams& p, u64 tile, bool by_key, u64 side = TILE)
        : query(0), queries(p.queries), key(0), keys(p.keys), diagonal(0), row0(tile * side), side(side) {
        if (!p.query_offsets) return;
        // The tiles of sequence n are those from offset / side + n on: at least as many as it has.
        const u64 rows = by_key ? p.key_offsets : p.query_offsets, limit = by_key ? p.keys : p.queries;
        u64 n = 0, end = p.sequences + 1;
        while (end - n > 1) {
            const u64 middle = (n + end) / 2;
            if (offset(rows, middle, limit) / side + middle <= tile) n = middle;
            else end = middle;
        }
        row0 = (tile - offset(rows, n, limit) / side - n) * side;
        query = offset(p.query_offsets, n, p.queries);
        key = offset(p.key_offsets, n, p.keys);
        // Rows after the last sequence belong to none.
        const bool none = n == p.sequences;
        const u64 query_end = none ? (by_key ? query : p.queries) : offset(p.query_offsets, n + 1, p.queries);
        const u64 key_end = none ? (by_key ? p.keys : key) : offset(p.key_offsets, n + 1, p.keys);
        queries = query_end < query ? 0 : query_end - query;
        keys = key_end < key ? 0 : key_end - key;
        diagonal = (i64)keys - (i64)queries;
    }
    // The same, of which the compiler knows that all threads have it.
    RL_FN Span uniform() const {
        Span s = *this;
        s.query = hidden_uniform(query);
        s.queries = hidden_uniform(queries);
        s.key = hidden_uniform(key);
        s.keys = hidden_uniform(keys);
        s.diagonal = (i64)hidden_uniform((u64)diagonal);
        s.row0 = hidden_uniform(row0);
        return s;
    }
    // Offset n, whatever is in memory, at most `limit`.
    static RL_FN u64 offset(u64 address, u64 n, u64 limit) {
        const i64 v = ((const i64*)address)[n];
        return v < 0 ? 0 : (u64)v < limit ? (u64)v : limit;
    }
    // The end of the keys that the tile's queries may attend to.
    RL_FN u64 keys_end(const AttentionParams& p) const {
        const i64 end = (i64)(row0 + side) + diagonal;
        return !p.causal || end >= (i64)keys ? keys : end < 0 ? 0 : (u64)end;
    }
    // The number of keys that query i may attend to.
    RL_FN i64 keys_of(const AttentionParams& p, u64 i) const {
        const i64 end = (i64)i + diagonal + 1;
        return !p.causal || end > (i64)keys ? (i64)keys : end;
    }
    // The first query that may attend to key j.
    RL_FN i64 queries_before(const AttentionParams& p, u64 j) const {
        return p.causal && (i64)j > diagonal ? (i64)j - diagonal : 0;
    }
    // The first query that may attend to the tile's keys.
    RL_FN u64 first_query(const AttentionParams& p) const {
        return (u64)queries_before(p, row0);
    }
};

// Reports offsets that do not ascend from 0 to at most the number of rows.
RL_DEV void check_offsets(const AttentionParams& p) {
    if (!p.query_offsets || block() != 0 || block_y() != 0) return;
    for (u64 n = thread(); n < 2 * (p.sequences + 1); n += RL_BLOCK) {
        const bool of_keys = n > p.sequences;
        const u64 at = of_keys ? n - p.sequences - 1 : n;
        const i64* v = (const i64*)(of_keys ? p.key_offsets : p.query_offsets) + at;
        const i64 least = at == 0 ? 0 : v[-1], most = at == 0 ? 0 : (i64)(of_keys ? p.keys : p.queries);
        if (*v < least || *v > most) report(p.check, p.offsets_operand + of_keys, at, *v, (u64)most + 1);
    }
}

// The offsets of a head in mask, bias and statistics.
struct Head {
    u64 batch, head, group, mask, bias, stats;
    const Span& span;

    RL_FN Head(const AttentionParams& p, const Span& in, u64 b, u64 h) : batch(b), head(h), span(in) {
        group = h / (p.heads / p.groups);
        mask = b * p.mask_strides[0] + h * p.mask_strides[1];
        bias = b * p.bias_strides[0] + h * p.bias_strides[1];
        stats = (b * p.heads + h) * p.queries + in.query;
    }
    // Returns the score of query i and key j, given their product; negative infinity if the key is excluded.
    RL_FN A score(const AttentionParams& p, A product, u64 i, u64 j) const {
        if (i >= span.queries || j >= span.keys || (p.causal && (i64)j > (i64)i + span.diagonal)) return lowest<A>();
        if (p.mask && !((const boolean*)p.mask)[(i64)(mask + i * p.mask_strides[2] + j * p.mask_strides[3])].bits) {
            return lowest<A>();
        }
        const A v = product * (A)p.scale;
        if (!p.bias) return v;
        return v + acc<RL_T>(((const RL_T*)p.bias)[(i64)(bias + i * p.bias_strides[2] + j * p.bias_strides[3])]);
    }
    // Which of the weights of query i and EACH keys from j on, a multiple of EACH, dropout keeps.
    RL_FN void draw(const AttentionParams& p, u64 i, u64 j, bool (&kept)[EACH]) const {
        const Drawn w = philox(p.seed, p.draw, (stats + i) * ((p.keys + 3) / 4) + j / 4);
#pragma unroll
        for (u32 n = 0; n < EACH; n++) kept[n] = (EACH == 4 || j % 4 == 0 ? w.w[n] : w.w[(n + 2) % 4]) < p.threshold;
    }
    // Drops some of a tile whose rows are queries from i0 on and whose columns are keys from j0 on.
    RL_FN void drop_some(const AttentionParams& p, u64 i0, u64 j0, Tile& tile) const {
        if (!p.dropping) return;
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            bool kept[EACH];
            draw(p, i0 + Tile::y() + i, j0 + Tile::x(), kept);
#pragma unroll
            for (u32 j = 0; j < EACH; j++) tile.v[i][j] = kept[j] ? tile.v[i][j] * (A)p.keep : (A)0;
        }
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
                v = head.score(p, v, row0 + Tile::y() + i, k0 + Tile::x() + j);
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
RL_DEV void online(const AttentionParams& p, Shared& s, const Head& head, u64 column, u32& step, Online& o) {
    const Span& in = head.span;
    const Matrix q(p.q, p.q_strides, head.batch, head.head, in.query, in.queries, p.depth);
    const Matrix k(p.k, p.k_strides, head.batch, head.group, in.key, in.keys, p.depth);
    const Matrix v(p.v, p.v_strides, head.batch, head.group, in.key, in.keys, p.width);
    for (u32 i = 0; i < EACH; i++) {
        o.peak[i] = lowest<A>();
        o.sum[i] = (A)0;
    }
    o.out.clear();
    const u64 end = in.keys_end(p);
    for (u64 k0 = 0; k0 < end; k0 += TILE) {
        Tile scores;
        scores.products(s, q, in.row0, k, k0);
        o.take(p, head, scores, in.row0, k0);
        if constexpr (VALUES) {
            head.drop_some(p, in.row0, k0, scores);
            scores.share(s);
            o.out.add(s, v, k0, column, step);
        }
    }
}

// Computes the tile of the result at the span's first row and `column`.
RL_DEV void attend(const AttentionParams& p, Shared& s, const Head& head, u64 column, u32& step) {
    const Span& in = head.span;
    Online o;
    online<true>(p, s, head, column, step, o);
#pragma unroll
    for (u32 i = 0; i < EACH; i++) {
        const u64 row = in.row0 + Tile::y() + i;
#pragma unroll
        for (u32 j = 0; j < EACH; j++) {
            const u64 c = column + Tile::x() + j;
            if (row >= in.queries || c >= p.width) continue;
            const A v = o.sum[i] == (A)0 ? (A)0 : div(o.out.v[i][j], o.sum[i]);
            ((RL_T*)p.out)[(head.stats + row) * p.width + c] = from_acc<RL_T>(v);
        }
    }
}

// Computes the statistics of the span's tile of queries.
RL_DEV void statistics(const AttentionParams& p, Shared& s, const Head& head, u32& step) {
    const Span& in = head.span;
    const u32 first = thread() % ACROSS;
    Online o;
    online<false>(p, s, head, 0, step, o);
    const Matrix g(p.grad, p.grad_strides, head.batch, head.head, in.query, in.queries, p.width);
    const Matrix y(p.result, p.result_strides, head.batch, head.head, in.query, in.queries, p.width);
    A* out = (A*)p.out + head.stats;
#pragma unroll
    for (u32 i = 0; i < EACH; i++) {
        const u64 row = in.row0 + Tile::y() + i;
        A dot = (A)0;
        for (u64 c = first; c < p.width; c += ACROSS) dot = fma(g.at(row, c), y.at(row, c), dot);
        dot = fold_row(dot, [](A a, A b) { return a + b; });
        if (row >= in.queries || first != 0) continue;
        out[row] = o.sum[i] == (A)0 ? lowest<A>() : o.peak[i] + log(o.sum[i]);
        out[p.batch * p.heads * p.queries + row] = dot;
    }
}

// Computes the tile of the queries' gradient at the span's first row and `column`.
RL_DEV void query_grad(const AttentionParams& p, Shared& s, const Head& head, u64 column, u32& step) {
    const Span& in = head.span;
    const u64 b = head.batch, row0 = in.row0;
    const Matrix q(p.q, p.q_strides, b, head.head, in.query, in.queries, p.depth);
    const Matrix k(p.k, p.k_strides, b, head.group, in.key, in.keys, p.depth);
    const Matrix v(p.v, p.v_strides, b, head.group, in.key, in.keys, p.width);
    const Matrix g(p.grad, p.grad_strides, b, head.head, in.query, in.queries, p.width);
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
}

// Computes the tile of the keys' gradient (else of the values') at the span's first key and `column`.
RL_DEV void key_grad(const AttentionParams& p, Shared& s, const Span& in, u64 b, u64 group, bool of_keys, u64 column, u32& step) {
    const u64 row0 = in.row0;
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
}

// Memory of the block, with no step yet.
RL_DEV Shared& shared(const AttentionParams& p) {
    __shared__ Shared s;
    check_offsets(p);
    if (thread() == 0) s.odd = 0;
    sync();
    return s;
}
#endif

}  // namespace rl
