//! Variants of a kernel: one op has several kernels, for different layouts or sizes of its operands.

macro_rules! variants {
    ($($(#[doc = $doc:literal])* $variant:ident $suffix:literal,)*) => {
        /// Variant of a kernel: the last part of the kernel's name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Variant { $($(#[doc = $doc])* $variant),* }

        impl Variant {
            #[cfg(test)]
            const ALL: &'static [Variant] = &[$(Variant::$variant),*];

            /// Returns the suffix of the kernel's name.
            pub const fn suffix(self) -> &'static str {
                match self { $(Variant::$variant => $suffix),* }
            }
        }
    };
}

variants! {
    /// All operands are contiguous.
    Contig "contig",
    /// Several contiguous tensors.
    Table "table",
    /// Any strides.
    Strided "strided",
    /// Packs of 16 bytes.
    Vector "vector",
    /// One thread for each output (reductions) or line (cumsum).
    Thread "thread",
    /// Reductions: 32 threads for each chunk of an output whose elements are adjacent. Scatter: one thread for each
    /// line.
    Row "row",
    /// Reductions: 32 outputs side by side, because adjacent outputs are adjacent in memory.
    Column "column",
    /// Reductions: reduces the partial values of an earlier pass.
    Partials "partials",
    /// 32 threads for each line.
    Group "group",
    /// A block for each line, or for some of them.
    Block "block",
    /// A block of 1,024 threads for each line.
    Wide "wide",
    /// 32 threads for each chunk of several contiguous tensors, whose squares are added.
    Norms "norms",
    /// One thread for each element of the output. Values that belong to a whole line are computed before.
    Element "element",
    /// One block for each tile, which the block keeps in LDS.
    Tile "tile",
    /// Products of f16 and bf16, as Tile, by the matrix units where the GPU has any, with their rounding.
    Matrix "matrix",
    /// Products in larger tiles; of f16 and bf16 as Matrix.
    Large "large",
    /// Attention of f16 and bf16 and its gradients by matrix units, for queries, keys and values of up to 32 elements.
    Matrix32 "matrix32",
    /// Up to 64.
    Matrix64 "matrix64",
    /// Up to 128.
    Matrix128 "matrix128",
    /// Up to 256.
    Matrix256 "matrix256",
    /// As Tile, with 64-bit indices.
    Tile64 "tile64",
    /// Writes a table of coordinates that another variant reads.
    Taps "taps",
    /// Merges pairs of sorted runs.
    Merge "merge",
    /// As Merge, with 64-bit indices.
    Merge64 "merge64",
    /// Convolutions of f32, f16 and bf16 whose channels are not in packs, and gradients of their kernels: as Matrix.
    Gather "gather",
    /// Convolutions of few channels: one thread for each element of the output.
    Direct "direct",
    /// Adds the partial sums that the blocks of another variant wrote.
    Finish "finish",
    /// Scatter: one thread for each range of target elements, which reads all indices.
    Target "target",
    /// Scatter: one thread for each source element, which adds atomically, in any order.
    Atomic "atomic",
}

#[cfg(test)]
mod tests {
    use super::Variant;

    #[test]
    fn suffixes_differ_and_have_no_underscore() {
        let all: std::collections::BTreeSet<&str> = Variant::ALL.iter().map(|v| v.suffix()).collect();
        assert_eq!(all.len(), Variant::ALL.len());
        // Kernel names are split at underscores, so a suffix must not contain one.
        assert!(all.iter().all(|s| !s.contains('_')));
    }
}
