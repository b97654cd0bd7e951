//! a*b + c of all lanes, rounded once, with the CPU's FMA instruction; on a baseline x86-64 it would be a call for
//! each lane.

macro_rules! fused {
    ($name:ident $fast:ident $t:ty) => {
        /// Replaces the first operands by the results.
        pub(super) fn $name<const L: usize>(a: &mut [$t; L], b: &[$t; L], c: &[$t; L]) {
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                // SAFETY: the processor has what the function is compiled for.
                return unsafe { $fast(a, b, c) };
            }
            for l in 0..L {
                a[l] = a[l].mul_add(b[l], c[l]);
            }
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        fn $fast<const L: usize>(a: &mut [$t; L], b: &[$t; L], c: &[$t; L]) {
            for l in 0..L {
                a[l] = a[l].mul_add(b[l], c[l]);
            }
        }
    };
}
fused!(fused32 fast32 f32);
fused!(fused64 fast64 f64);
