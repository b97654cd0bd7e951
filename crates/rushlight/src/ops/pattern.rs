//! How an op's output elements depend on its inputs' elements, and the sizes at which its kernels change their algorithm.

/// How output elements depend on input elements. It decides which shapes and values the parity suite runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// On the inputs' elements at the same index: any shape will do.
    Elementwise {
        /// Whether the sweep also runs six permuted dimensions.
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
        /// The left factor.
        lhs: usize,
    },
    /// On a row of input `queries` and all rows of the next input, by the exponentials of their products.
    Attention {
        /// The queries.
        queries: usize,
    },
    /// On elements that an input of indices names.
    Indexed,
    /// On no input: the op writes its targets.
    Filled,
}

/// Which of the three convolutions an op is: each is the gradient of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConvPass {
    /// The convolution.
    Forward,
    /// The gradient of its input.
    Transposed,
    /// The gradient of its kernel.
    Weights,
}

impl Pattern {
    /// Elementwise, with six permuted dimensions too.
    pub const ELEMENTWISE: Self = Self::Elementwise { rank6: true };
    /// Elementwise, in the samples' shapes only.
    pub const ELEMENTWISE_AS_SAMPLED: Self = Self::Elementwise { rank6: false };

    /// Whether any shape will do.
    pub const fn is_elementwise(self) -> bool {
        matches!(self, Self::Elementwise { .. })
    }

    /// Whether the op works over the spatial dimensions of its first input.
    pub const fn is_spatial(self) -> bool {
        matches!(self, Self::Windows | Self::Convolution(_))
    }
}

/// A size at which a kernel changes its algorithm, with sizes on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threshold {
    /// The part of the kernels that changes.
    pub what: &'static str,
    /// The largest size on the lower side.
    pub at: usize,
    /// Sizes to test on the lower side.
    pub below: &'static [usize],
    /// Sizes to test on the upper side.
    pub above: &'static [usize],
}

/// Lanes that fold a chunk of a sum: a shorter line is reduced by one thread.
const LANES: Threshold = Threshold { what: "lanes that fold a chunk", at: 32, below: &[0, 1], above: &[33] };
/// Rows and columns of a tile of a matrix product; lines of an index that one thread reads.
const TILE: Threshold = Threshold { what: "a tile of a product", at: 64, below: &[64], above: &[65] };
const BLOCK: Threshold = Threshold { what: "threads of a block", at: 256, below: &[65], above: &[257] };
const CHUNK: Threshold = Threshold { what: "elements of a chunk", at: 1024, below: &[257], above: &[1025] };
/// In place of all sizes at once, so that lines side by side are as short or as long as well.
const SHORT: Threshold =
    Threshold { what: "a line that one thread reduces", at: 32, below: &[20], above: &[33] };
/// Twice as many elements as a GPU of 48 units has threads: each thread takes several.
const THREADS: Threshold =
    Threshold { what: "threads of a GPU", at: 98_304, below: &[1025], above: &[196_613] };
const GRID: Threshold = Threshold { what: "rows of a grid", at: 65_535, below: &[1025], above: &[65_537] };
const KEPT: Threshold =
    Threshold { what: "a line that a block keeps", at: 4096, below: &[4096], above: &[9001] };
const SORTED: Threshold =
    Threshold { what: "a line that a block sorts", at: 2048, below: &[1025], above: &[9001] };

/// The sizes at which the kernels of an op change their algorithm. The parity suite puts sizes on both sides of each in place
/// of the samples' sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// Of one dimension.
    pub dimension: &'static [Threshold],
    /// Of all dimensions at once.
    pub all: Threshold,
    /// Of a dimension that makes a launch larger than the GPU takes at a time.
    pub launch: Option<Threshold>,
    /// Of a line.
    pub line: Option<Threshold>,
    /// A number of lines for which each block takes several, so that its shared memory is used again, and their length.
    pub many_lines: Option<(usize, usize)>,
    /// A line of several chunks.
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
    /// For pools, resizing and convolutions: a thread computes one element.
    pub const SPATIAL: Self = Self { launch: Some(THREADS), ..Self::COMMON };
    /// For ops along lines: a thread, a part of a block, a block or several passes take a line.
    pub const LINES: Self =
        Self { launch: Some(GRID), line: Some(KEPT), many_lines: Some((1_600, 65)), ..Self::COMMON };
    /// For scans: a block takes 32 lines.
    pub const SCAN: Self = Self { many_lines: Some((49_200, 65)), ..Self::LINES };
    /// For sorts.
    pub const SORT: Self = Self { line: Some(SORTED), ..Self::LINES };
    /// For matrix products.
    pub const PRODUCT: Self = Self::COMMON;
    /// For ops that read or write at indices: several blocks share the indices of a long line.
    pub const INDEXED: Self = Self::COMMON;
    /// For ops that fill their targets.
    pub const FILLED: Self = Self::COMMON;

    /// Sizes on both sides of the thresholds of one dimension, in increasing order.
    pub fn sizes(&self) -> Vec<usize> {
        let mut all: Vec<usize> =
            self.dimension.iter().flat_map(|t| t.below.iter().chain(t.above)).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Every threshold.
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
