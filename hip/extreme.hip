// extreme: min, max, argmin, argmax, any and all, for the dtype RL_T. NaN is the extreme; of equal elements the first counts.
#include "reduce.h"

namespace rl {

#if RL_BOOL
RL_DEV u8 ordered(boolean v) { return v.bits != 0; }
#else
RL_DEV acc_t<RL_T> ordered(RL_T v) { return acc<RL_T>(v); }
#endif

// Whether v is more extreme than b.
template <bool MAX>
RL_DEV bool better(RL_T v, RL_T b) {
    const auto x = ordered(v), y = ordered(b);
    return !nan(y) && (nan(x) || (MAX ? x > y : x < y));
}

RL_DEV RL_T element(const ReduceParams<1>& p, u64 at) { return ((const RL_T*)p.input[0])[(i64)at]; }

template <bool MAX>
struct Extreme : One {
    using C = RL_T;
    static constexpr bool FIRST = true, LINEAR = false;  // 0 and -0 are equal: the tree's first is kept
    RL_FN C load(const ReduceParams<1>& p, const u64 (&at)[1], u64) const { return element(p, at[0]); }
    static RL_FN C zero() { return C{}; }
    static RL_FN C join(C a, C b) { return better<MAX>(b, a) ? b : a; }
    static RL_FN void write(const ReduceParams<1>& p, u64 o, C v) { ((RL_T*)p.out)[o] = v; }
};

struct Candidate {
    u64 at;
    RL_T v;
};
// Writes the index of the extreme, as I64 if `flag` is 1, else as U32.
template <bool MAX>
struct ArgExtreme : One {
    using C = Candidate;
    static constexpr bool FIRST = true, LINEAR = true;
    RL_FN C load(const ReduceParams<1>& p, const u64 (&at)[1], u64 i) const { return Candidate{i, element(p, at[0])}; }
    static RL_FN C zero() { return Candidate{0, RL_T{}}; }
    static RL_FN C join(C a, C b) {
        if (better<MAX>(b.v, a.v)) return b;
        return b.at < a.at && !better<MAX>(a.v, b.v) ? b : a;
    }
    static RL_FN void write(const ReduceParams<1>& p, u64 o, C v) {
        if (p.flag) ((u64*)p.out)[o] = v.at;
        else ((u32*)p.out)[o] = (u32)v.at;
    }
};

template <bool ALL>
struct Truth : One {
    using C = u8;
    static constexpr bool FIRST = false, LINEAR = true;
    RL_FN C load(const ReduceParams<1>& p, const u64 (&at)[1], u64) const { return ordered(element(p, at[0])) != 0; }
    static RL_FN C zero() { return ALL; }
    static RL_FN C join(C a, C b) { return ALL ? a & b : a | b; }
    static RL_FN void write(const ReduceParams<1>& p, u64 o, C v) { ((u8*)p.out)[o] = v; }
};

}  // namespace rl

RL_REDUCE(min, rl::Extreme<false>)
RL_REDUCE(max, rl::Extreme<true>)
RL_REDUCE(argmin, rl::ArgExtreme<false>)
RL_REDUCE(argmax, rl::ArgExtreme<true>)
RL_REDUCE(any, rl::Truth<false>)
RL_REDUCE(all, rl::Truth<true>)
