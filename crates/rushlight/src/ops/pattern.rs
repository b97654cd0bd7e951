//! How an op's output elements depend on its inputs' elements, and the sizes at which its kernels change their algorithm.

/// How output elements depend on input elements. It decides which shapes and values the parity suite runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// On the inputs' elements at the same index. The op accepts any shape.
    Elementwise {
        /// Whether the sweep also runs a permuted tensor with six dimensions.
        rank6: bool,
    },
    /// On elements along a line: a dimension, or several (reductions, scans, sorts, softmax, losses).
    Lines,
    /// On elements in a window over the spatial dimensions (pools and resizing).
    Windows,
    /// On elements in a window, multiplied by a kernel.
    Convolution(ConvPass),
    /// On a row of input `lhs` and a column of the next input.
    Product {
        /// Index of the input that is the left factor.
        lhs: usize,
    },
    /// On a row of input `queries` and all rows of the next input, weighted by the exponentials of their products.
    Attention {
        /// Index of the input that holds the queries.
        queries: usize,
    },
    /// On all elements of a matrix: the last two dimensions.
    Matrix,
    /// On elements that an index tensor selects.
    Indexed,
    /// On no input: the op writes the tensors that it updates in place.
    Filled,
}

/// The pass of a convolution that an op computes: the convolution itself, or one of its two gradients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConvPass {
    /// The convolution.
    Forward,
    /// The gradient of the input.
    Transposed,
    /// The gradient of the kernel.
    Weights,
}

impl Pattern {
    /// Elementwise. The sweep also runs a permuted tensor with six dimensions.
    pub const ELEMENTWISE: Self = Self::Elementwise { rank6: true };
    /// Elementwise. The sweep runs the samples' shapes only.
    pub const ELEMENTWISE_AS_SAMPLED: Self = Self::Elementwise { rank6: false };

    /// Whether the op is elementwise, so that it accepts any shape.
    pub const fn is_elementwise(self) -> bool {
        matches!(self, Self::Elementwise { .. })
    }

    /// Whether the op works over the spatial dimensions of its first input.
    pub const fn is_spatial(self) -> bool {
        matches!(self, Self::Windows | Self::Convolution(_))
    }
}

/// A size at which a kernel changes its algorithm, and sizes to test on both sides of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threshold {
    /// The part of the kernels that the size is compared with (a tile, a block, ..), as a noun phrase.
    pub what: &'static str,
    /// The largest size on the lower side.
    pub at: usize,
    /// Sizes to test on the lower side.
    pub below: &'static [usize],
    /// Sizes to test on the upper side.
    pub above: &'static [usize],
}

/// Lanes that fold a chunk of a sum. One thread reduces a line that is shorter.
const LANES: Threshold = Threshold { what: "lanes that fold a chunk", at: 32, below: &[0, 1], above: &[33] };
/// Rows and columns of a tile of a matrix product. Also the lines of an index that one thread reads.
const TILE: Threshold = Threshold { what: "a tile of a product", at: 64, below: &[64], above: &[65] };
const BLOCK: Threshold = Threshold { what: "threads of a block", at: 256, below: &[65], above: &[257] };
/// Indices that the CPU converts together. Also the columns of a scan that one thread handles there.
const PIECE: Threshold =
    Threshold { what: "a piece of a line on the CPU", at: 512, below: &[257], above: &[1025] };
/// Lines that the CPU scans together. Also the dimension below which it copies a plane, or visits indices, element by
/// element.
const FEW: Threshold = Threshold { what: "a few lines on the CPU", at: 7, below: &[1], above: &[33] };
const ROWS: Threshold =
    Threshold { what: "rows of a tile of a transposed copy", at: 128, below: &[65], above: &[257] };
const CHUNK: Threshold = Threshold { what: "elements of a chunk", at: 1024, below: &[257], above: &[1025] };
/// Used where all dimensions change at once: neighbouring lines are then as short or as long, too.
const SHORT: Threshold =
    Threshold { what: "a line that one thread reduces", at: 32, below: &[20], above: &[33] };
/// About twice the number of threads of a GPU with 48 compute units, so that each thread handles several elements.
const THREADS: Threshold =
    Threshold { what: "threads of a GPU", at: 98_304, below: &[1025], above: &[196_613] };
const GRID: Threshold = Threshold { what: "rows of a grid", at: 65_535, below: &[1025], above: &[65_537] };
const KEPT: Threshold =
    Threshold { what: "a line that a block keeps", at: 4096, below: &[4096], above: &[9001] };
/// (2058 is 2 3 7^3: of factors that the kernel has. Longer lines are transformed in passes.)
const TRANSFORMED: Threshold =
    Threshold { what: "a line that a block transforms", at: 2048, below: &[1025], above: &[2058] };
const SORTED: Threshold =
    Threshold { what: "a line that a block sorts", at: 2048, below: &[1025], above: &[9001] };

/// The sizes at which the kernels of an op change their algorithm. The parity suite replaces the samples' sizes by
/// sizes on both sides of each threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// Thresholds of the size of one dimension.
    pub dimension: &'static [Threshold],
    /// Threshold of the sizes of all dimensions, changed together.
    pub all: Threshold,
    /// Threshold of one dimension beyond which a launch has more work than the GPU runs at once.
    pub launch: Option<Threshold>,
    /// Threshold of the length of a line.
    pub line: Option<Threshold>,
    /// Number and length of lines for which each block handles several lines, so that it reuses its shared memory.
    pub many_lines: Option<(usize, usize)>,
    /// Length of a line that consists of several chunks.
    pub chunks: usize,
}

impl Thresholds {
    const COMMON: Self = Self {
        dimension: &[LANES, TILE, BLOCK, CHUNK],
        all: SHORT,
        launch: None,
        line: None,
        many_lines: None,
        chunks: 4 * 1024 + 3,
    };
    /// For elementwise ops.
    pub const ELEMENTWISE: Self = Self { launch: Some(THREADS), ..Self::COMMON };
    /// For copies, which transpose planes on the CPU.
    pub const COPIED: Self = Self { dimension: &[FEW, LANES, TILE, ROWS, BLOCK, CHUNK], ..Self::ELEMENTWISE };
    /// For pools, resizing and convolutions, where a thread computes one element.
    pub const SPATIAL: Self = Self { launch: Some(THREADS), ..Self::COMMON };
    /// For ops along lines. By length, a line is handled by a thread, a part of a block, a block, or several passes.
    pub const LINES: Self =
        Self { launch: Some(GRID), line: Some(KEPT), many_lines: Some((1_600, 65)), ..Self::COMMON };
    /// For reversals, which are copies on the CPU.
    pub const FLIPPED: Self = Self { dimension: Self::COPIED.dimension, ..Self::LINES };
    /// For scans, where a block handles 32 lines.
    pub const SCAN: Self = Self {
        dimension: &[FEW, LANES, TILE, BLOCK, PIECE, CHUNK],
        many_lines: Some((49_200, 65)),
        ..Self::LINES
    };
    /// For sorts.
    pub const SORT: Self = Self { line: Some(SORTED), ..Self::LINES };
    /// For Fourier transforms. The samples have lengths of all kinds, so few are added.
    pub const FFT: Self = Self { dimension: &[LANES], line: Some(TRANSFORMED), ..Self::COMMON };
    /// For matrix products.
    pub const PRODUCT: Self = Self::COMMON;
    /// For ops that read or write at indices, where several blocks share the indices of a long line.
    pub const INDEXED: Self = Self { dimension: &[FEW, LANES, TILE, BLOCK, PIECE, CHUNK], ..Self::COMMON };
    /// For ops that fill their targets without reading an input.
    pub const FILLED: Self = Self::COMMON;

    /// Returns the sizes on both sides of the thresholds of one dimension, in increasing order.
    pub fn sizes(&self) -> Vec<usize> {
        let mut all: Vec<usize> =
            self.dimension.iter().flat_map(|t| t.below.iter().chain(t.above)).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns every threshold.
    pub fn all(&self) -> impl Iterator<Item = &Threshold> {
        self.dimension.iter().chain([&self.all]).chain(&self.launch).chain(&self.line)
    }
}

#[cfg(test)]
mod tests {
    use crate::ops::Op;

    #[test]
    fn thresholds_have_sizes_on_both_sides() {
        for sample in Op::all_samples() {
            let thresholds = sample.op.thresholds();
            for t in thresholds.all() {
                let name = sample.op.name();
                assert!(!t.below.is_empty() && t.below.iter().all(|n| *n <= t.at), "{name}: {t:?}");
                assert!(!t.above.is_empty() && t.above.iter().all(|n| *n > t.at), "{name}: {t:?}");
            }
        }
    }
}
