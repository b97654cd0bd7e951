// Decompositions of matrices by Householder's reflections and Givens rotations: qr, eigh and svd. A block of threads works on one
// matrix, in scratch memory. Elements are changed in the order and by the operations of the CPU: the bits are equal. Sums of columns
// run in the order of the rows, one thread a column; those of vectors in 32 lanes.
#include "reflections.h"

namespace rl {

RL_DEV void qr(const DecomposeParams& p) {
    const u64 m = p.rows, n = p.columns, steps = m < n ? m : n, me = thread();
    for (u64 matrix = block(); matrix < p.matrices; matrix += p.blocks) {
        const E* x = matrix_of(p, matrix);
        E* w = (E*)(p.scratch + block() * p.room);
        const Reflections all = {w + m * n, w + m * n + steps * m, m, steps, 0};
        E* q = (E*)p.out + matrix * (m * p.left + p.right * n);
        E* r = q + m * p.left;
        for (u64 e = me; e < m * n; e += RL_BLOCK) w[e] = element(x, p.a_strides, e / n, e % n);
        sync();
        const A scale = scale_of(w, m * n);
        if (is_nan(scale)) {
            fill_nan(q, m * p.left + p.right * n);
            continue;
        }
        for (u64 k = 0; k < steps; k++) {
            const A beta = reflection_of(all, k, {w + k * n + k, n}, m - k, false);
            const E tau = conj(all.tau[k]);
            if (me == 0) w[k * n + k] = real(beta);
            for (u64 j = k + 1 + me; j < n && !is_zero(tau); j += RL_BLOCK) {
                reflect(all.vector(k), tau, {w + k * n + j, n}, m - k);
            }
            sync();
        }
        for (u64 e = me; e < p.right * n; e += RL_BLOCK) r[e] = e % n >= e / n ? scaled(w[e], scale) : real(0);
        product_of(all, p.left, q);
    }
}

// A rotation.
struct Pair { A c, s; };

// The numbers c and s for which c x + s z = r and c z - s x = 0. Returns r.
RL_DEV A rotation(A x, A z, A& c, A& s) {
    if (z == 0) {
        c = 1;
        s = 0;
        return x;
    }
    if (fabs(x) > fabs(z)) {
        const A t = div(z, x), root = sqrt(fma(t, t, (A)1));
        c = div((A)1, root);
        s = t * c;
        return x * root;
    }
    const A t = div(x, z), root = sqrt(fma(t, t, (A)1));
    s = div((A)1, root);
    c = t * s;
    return z * root;
}

// Rotates adjacent rows, from row `low` on, of a matrix with rows of `width` elements.
// (Both parts of a complex number are rotated alike.)
RL_DEV void rotate(E* matrix, u64 columns, u64 low, u64 count, const Pair* pairs) {
    A* rows = (A*)matrix;
    const u64 width = columns * (sizeof(E) / sizeof(A));
    for (u64 j = thread(); j < width; j += RL_BLOCK) {
        A x = rows[low * width + j];
        for (u64 i = 0; i < count; i++) {
            const A c = pairs[i].c, s = pairs[i].s, z = rows[(low + i + 1) * width + j];
            rows[(low + i) * width + j] = fma(c, x, s * z);
            x = fma(-s, x, c * z);
        }
        rows[(low + count) * width + j] = x;
    }
}

// Writes a matrix `[m, width]` with its axes exchanged.
RL_DEV void transpose(const E* from, u64 m, u64 width, E* to) {
    for (u64 e = thread(); e < m * width; e += RL_BLOCK) to[e % width * m + e / width] = from[e];
    sync();
}

// Whether the element beside the diagonal in row k is a rounding error.
RL_DEV bool negligible(const A* d, const A* e, u64 k) {
    const A bound = epsilon() * (fabs(d[k]) + fabs(d[k + 1]));
    return fabs(e[k]) <= bound + div(least_normal(), epsilon());
}

// Finds the rows `low..high` of the last part of a matrix that is not diagonal; high is 0 if there is none. All threads call it.
RL_DEV void last_part(const A* d, const A* e, u64& low, u64& high) {
    while (high > 0) {
        low = high;
        while (low > 0 && !negligible(d, e, low - 1)) low--;
        if (low < high) return;
        high--;
    }
}

// Writes the order in which `n` numbers ascend (descend); equal ones keep theirs.
RL_DEV void order_of(const A* values, u64 n, bool descending, u64* order) {
    for (u64 i = thread(); i < n; i += RL_BLOCK) {
        u64 rank = 0;
        for (u64 j = 0; j < n; j++) {
            const bool before = descending ? values[j] > values[i] : values[j] < values[i];
            if (before || (values[j] == values[i] && j < i)) rank++;
        }
        order[rank] = i;
    }
    sync();
}

// Writes for each of `n` rows of a matrix the number by which the first of the row's largest elements becomes positive.
RL_DEV void signs_of(const E* rows, u64 n, u64 width, E* signs) {
    for (u64 i = thread(); i < n; i += RL_BLOCK) {
        E most = real(0);
        for (u64 j = 0; j < width; j++) {
            const E x = rows[i * width + j];
            if (size_of(x) > size_of(most)) most = x;
        }
        signs[i] = to_positive(most);
    }
    sync();
}

// A step of the QR algorithm for rows low..high of a symmetric tridiagonal matrix.
RL_DEV void symmetric_step(A* d, A* e, u64 low, u64 high, Pair* pairs) {
    const A beside = e[high - 1];
    const A g = div(d[high - 1] - d[high], (A)2 * beside);
    const A root = sqrt(fma(g, g, (A)1));
    const A shift = d[high] - div(beside, g + copysign(root, g));
    A x = d[low] - shift, z = e[low];
    for (u64 k = low; k < high; k++) {
        A c, s;
        const A r = rotation(x, z, c, s);
        pairs[k - low] = {c, s};
        if (k > low) e[k - 1] = r;
        const A t = (d[k + 1] - d[k]) * s + (A)2 * c * e[k];
        d[k] = d[k] + s * t;
        d[k + 1] = d[k + 1] - s * t;
        e[k] = c * t - e[k];
        x = e[k];
        if (k + 1 < high) {
            z = s * e[k + 1];
            e[k + 1] = c * e[k + 1];
        }
    }
}

RL_DEV void eigh(const DecomposeParams& p) {
    const u64 n = p.rows, me = thread();
    __shared__ u64 low, high;
    __shared__ u32 steps;
    for (u64 matrix = block(); matrix < p.matrices; matrix += p.blocks) {
        const E* x = matrix_of(p, matrix);
        u64* order = (u64*)(p.scratch + block() * p.room);
        E* a = (E*)(order + n);
        const Reflections all = {a + n * n, a + n * n + (n - 1) * n, n, n - 1, 1};
        E *w = all.v + all.room(), *s = w + n;
        A *d = (A*)(s + n), *e = d + n;
        Pair* pairs = (Pair*)(e + n);
        E* values = (E*)p.out + matrix * (n + p.left * n);
        E* q = values + n;
        const u64 count = n + p.left * n;
        // The lower triangle counts.
        for (u64 t = me; t < n * n; t += RL_BLOCK) {
            const u64 i = t / n, j = t % n;
            const E found = i < j ? conj(element(x, p.a_strides, j, i)) : element(x, p.a_strides, i, j);
            a[t] = i == j ? real(re_of(found)) : found;
        }
        sync();
        const A scale = scale_of(a, n * n);
        if (is_nan(scale)) {
            fill_nan(values, count);
            continue;
        }
        for (u64 k = 0; k + 1 < n; k++) {
            const A beta = reflection_of(all, k, {a + k * n + k + 1, 1}, n - k - 1, true);
            const E tau = all.tau[k];
            const E* v = all.vector(k) - (k + 1);
            if (me == 0) {
                d[k] = re_of(a[k * n + k]);
                e[k] = beta;
            }
            for (u64 j = k + 1 + me; j < n; j += RL_BLOCK) {
                E sum = real(0);
                for (u64 i = k + 1; i < n; i++) sum = fma(conj(v[i]), a[i * n + j], sum);
                w[j] = times(tau, conj(sum));
            }
            const E half = scaled(minus(conj(tau)), (A)0.5);
            const E by = times(half, dot({all.vector(k), 1}, {w + k + 1, 1}, n - k - 1));
            for (u64 j = k + 1 + me; j < n; j += RL_BLOCK) w[j] = fma(by, v[j], w[j]);
            sync();
            for (u64 j = k + 1 + me; j < n; j += RL_BLOCK) {
                for (u64 i = k + 1; i < n; i++) {
                    E* to = a + i * n + j;
                    *to = fma(minus(w[i]), conj(v[j]), fma(minus(v[i]), conj(w[j]), *to));
                }
            }
            sync();
        }
        if (me == 0) d[n - 1] = re_of(a[n * n - 1]);
        // Row i of q is the vector i, until the end.
        E* rows = a;
        if (p.left) {
            product_of(all, n, q);
            transpose(q, n, n, rows);
        }
        if (me == 0) {
            high = n - 1;
            steps = 0;
        }
        sync();
        while (true) {
            if (me == 0) {
                u64 from = 0, to = high;
                last_part(d, e, from, to);
                low = from;
                high = to;
                steps++;
                if (high > 0 && steps <= p.most) symmetric_step(d, e, low, high, pairs);
            }
            sync();
            const u64 from = low, to = high;
            if (to == 0 || steps > p.most) break;
            if (p.left) rotate(rows, n, from, to - from, pairs);
            sync();
        }
        if (high > 0) {
            fill_nan(values, count);
            continue;
        }
        order_of(d, n, false, order);
        for (u64 i = me; i < n; i += RL_BLOCK) values[i] = real(d[order[i]] * scale);
        if (p.left) {
            signs_of(rows, n, n, s);
            for (u64 t = me; t < n * n; t += RL_BLOCK) {
                const u64 i = order[t % n];
                q[t] = times(rows[i * n + t / n], s[i]);
            }
        }
        sync();
    }
}

// The smaller singular value of the upper triangular matrix with the diagonal f, h and another element above it.
RL_DEV A smaller(A f, A above, A h) {
    const A g = fabs(above), least = fabs(f) < fabs(h) ? fabs(f) : fabs(h), most = fabs(f) < fabs(h) ? fabs(h) : fabs(f);
    if (least == 0) return 0;
    const A sum = (A)1 + div(least, most), difference = div(most - least, most);
    if (g < most) {
        const A u = div(g, most) * div(g, most);
        return least * div((A)2, sqrt(sum * sum + u) + sqrt(difference * difference + u));
    }
    const A u = div(most, g);
    if (u == 0) return div(least * most, g);
    const A a = sum * u, b = difference * u;
    return (A)2 * (least * div((A)1, sqrt((A)1 + a * a) + sqrt((A)1 + b * b))) * u;
}

// A sweep for rows low..high of a bidiagonal matrix.
RL_DEV void sweep(A* d, A* e, u64 low, u64 high, A tiny, Pair* left, Pair* right) {
    bool singular = false;
    for (u64 k = low; k <= high; k++) singular = singular || fabs(d[k]) <= tiny;
    const A shift = singular ? (A)0 : smaller(d[high - 1], e[high - 1], d[high]);
    const A ratio = singular ? (A)0 : div(shift, d[low]);
    if (ratio * ratio <= epsilon()) {
        A c = 1, s = 0, old_c = 1, old_s = 0;
        for (u64 k = low; k < high; k++) {
            const A r = rotation(d[k] * c, e[k], c, s);
            if (k > low) e[k - 1] = old_s * r;
            d[k] = rotation(old_c * r, d[k + 1] * s, old_c, old_s);
            right[k - low] = {c, s};
            left[k - low] = {old_c, old_s};
        }
        const A h = d[high] * c;
        d[high] = h * old_c;
        e[high - 1] = h * old_s;
        return;
    }
    A f = (fabs(d[low]) - shift) * (copysign((A)1, d[low]) + div(shift, d[low]));
    A g = e[low];
    for (u64 k = low; k < high; k++) {
        A c, s;
        A r = rotation(f, g, c, s);
        if (k > low) e[k - 1] = r;
        f = c * d[k] + s * e[k];
        e[k] = c * e[k] - s * d[k];
        g = s * d[k + 1];
        d[k + 1] = c * d[k + 1];
        right[k - low] = {c, s};
        r = rotation(f, g, c, s);
        d[k] = r;
        f = c * e[k] + s * d[k + 1];
        d[k + 1] = c * d[k + 1] - s * e[k];
        if (k + 1 < high) {
            g = s * e[k + 1];
            e[k + 1] = c * e[k + 1];
        }
        left[k - low] = {c, s};
    }
    e[high - 1] = f;
}

// Makes a matrix of m rows and n columns, of which there are not more, bidiagonal.
RL_DEV void bidiagonal(E* a, u64 m, u64 n, const Reflections& left, const Reflections& right, A* d, A* e, E* sums, E* products) {
    __shared__ E lanes[RL_BLOCK];
    const u64 me = thread();
    for (u64 k = 0; k < n; k++) {
        const A beta = reflection_of(left, k, {a + k * n + k, n}, m - k, false);
        if (me == 0) d[k] = beta;
        if (k + 1 == n) break;
        const E* v = left.vector(k) - k;
        const E tau = conj(left.tau[k]);
        for (u64 j = k + 1 + me; j < n; j += RL_BLOCK) {
            E sum = real(0);
            for (u64 i = k; i < m; i++) sum = fma(conj(v[i]), a[i * n + j], sum);
            sum = times(tau, sum);
            sums[j] = sum;
            a[k * n + j] = plus(a[k * n + j], minus(sum));
            for (u64 i = k + 1; i < m; i++) a[i * n + j] = fma(minus(v[i]), sum, a[i * n + j]);
        }
        sync();
        const A other = reflection_of(right, k, {a + k * n + k + 1, 1}, n - k - 1, true);
        if (me == 0) e[k] = other;
        const E* u = right.vector(k) - (k + 1);
        const E by = right.tau[k];
        for (u64 first = k + 1; first < m; first += LINES) {
            const u64 i = first + me / LANES;
            E sum = real(0);
            if (i < m) {
                for (u64 j = k + 1 + me % LANES; j < n; j += LANES) sum = fma(u[j], a[i * n + j], sum);
            }
            lanes[me] = sum;
            sync();
            if (me % LANES == 0 && i < m) products[i] = minus(times(by, fold_lanes(lanes + me)));
            sync();
        }
        for (u64 j = k + 1 + me; j < n; j += RL_BLOCK) {
            for (u64 i = k + 1; i < m; i++) a[i * n + j] = fma(products[i], conj(u[j]), a[i * n + j]);
        }
        sync();
    }
    sync();
}

RL_DEV void svd(const DecomposeParams& p) {
    __shared__ u64 low, high;
    __shared__ u32 sweeps;
    const bool turned = p.rows < p.columns;
    const u64 m = turned ? p.columns : p.rows, n = turned ? p.rows : p.columns, me = thread();
    // Columns of the longer factor.
    const u64 width = turned ? p.right : p.left;
    const u64 count = n + p.rows * p.left + p.right * p.columns;
    for (u64 matrix = block(); matrix < p.matrices; matrix += p.blocks) {
        const E* x = matrix_of(p, matrix);
        u64* order = (u64*)(p.scratch + block() * p.room);
        E* a = (E*)(order + n);
        const Reflections left = {a + m * n, a + m * n + n * m, m, n, 0};
        E* next = left.v + left.room();
        const Reflections right = {next, next + (n - 1) * n, n, n - 1, 1};
        E *sums = right.v + right.room(), *products = sums + n;
        A *d = (A*)(products + m), *e = d + n, *sizes = e + n;
        Pair *pairs = (Pair*)(sizes + n), *others = pairs + n;
        E *longer = (E*)(others + n), *shorter = longer + m * width, *room = shorter + (width ? n * n : 0);
        E* values = (E*)p.out + matrix * count;
        if (n == 0) {
            // The factor that is not empty is a unit matrix.
            for (u64 t = me; t < count; t += RL_BLOCK) values[t] = real(t / m == t % m ? 1 : 0);
            continue;
        }
        for (u64 t = me; t < m * n; t += RL_BLOCK) {
            a[t] = turned ? conj(element(x, p.a_strides, t % n, t / n)) : element(x, p.a_strides, t / n, t % n);
        }
        sync();
        const A scale = scale_of(a, m * n);
        if (is_nan(scale)) {
            fill_nan(values, count);
            continue;
        }
        bidiagonal(a, m, n, left, right, d, e, sums, products);
        if (width) {
            product_of(left, width, room);
            transpose(room, m, width, longer);
            product_of(right, n, room);
            transpose(room, n, n, shorter);
        }
        const A most = largest(d, n), beside = largest(e, n - 1);
        const A tiny = (most > beside ? most : beside) * epsilon() * (A)0.125;
        if (me == 0) {
            high = n - 1;
            sweeps = 0;
        }
        sync();
        while (true) {
            if (me == 0) {
                u64 from = 0, to = high;
                last_part(d, e, from, to);
                low = from;
                high = to;
                sweeps++;
                if (high > 0 && sweeps <= p.most) sweep(d, e, low, high, tiny, pairs, others);
            }
            sync();
            const u64 from = low, to = high;
            if (to == 0 || sweeps > p.most) break;
            if (width) {
                rotate(longer, m, from, to - from, pairs);
                rotate(shorter, n, from, to - from, others);
            }
            sync();
        }
        if (high > 0) {
            fill_nan(values, count);
            continue;
        }
        for (u64 i = me; i < n; i += RL_BLOCK) sizes[i] = fabs(d[i]);
        sync();
        order_of(sizes, n, true, order);
        for (u64 i = me; i < n; i += RL_BLOCK) values[i] = real(sizes[order[i]] * scale);
        if (width) {
            // The factor whose largest elements are positive is U; the other one has the signs of the values, too.
            const E* first = turned ? shorter : longer;
            const E* second = turned ? longer : shorter;
            signs_of(first, n, p.rows, products);
            E* u = values + n;
            E* v = u + p.rows * p.left;
            for (u64 t = me; t < p.rows * p.left; t += RL_BLOCK) {
                const u64 column = t % p.left, i = column < n ? order[column] : column;
                u[t] = times(first[i * p.rows + t / p.left], column < n ? products[i] : real(1));
            }
            for (u64 t = me; t < p.right * p.columns; t += RL_BLOCK) {
                const u64 row = t / p.columns, i = row < n ? order[row] : row;
                E sign = real(1);
                if (row < n) sign = d[i] < 0 ? minus(products[i]) : products[i];
                v[t] = conj(times(second[i * p.columns + t % p.columns], sign));
            }
        }
        sync();
    }
}

}  // namespace rl

RL_KERNEL(qr, block)(rl::DecomposeParams p) { rl::qr(p); }
RL_KERNEL(eigh, block)(rl::DecomposeParams p) { rl::eigh(p); }
RL_KERNEL(svd, block)(rl::DecomposeParams p) { rl::svd(p); }
