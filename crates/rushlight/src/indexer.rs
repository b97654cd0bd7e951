//! `t.i((1.., 0, &ids))`: indexing with numbers, ranges and index tensors, as in candle.
use crate::{Error, Result, Tensor};
use std::ops::{Bound, RangeBounds};

/// One entry of an index.
#[derive(Debug)]
pub enum TensorIndexer {
    /// One index; the dimension is removed.
    Select(usize),
    /// A range.
    Narrow(Bound<usize>, Bound<usize>),
    /// Indices given by a rank-1 tensor.
    IndexSelect(Tensor),
    /// An error that occurred while the index was built.
    Err(Error),
}

impl From<usize> for TensorIndexer {
    fn from(i: usize) -> Self {
        Self::Select(i)
    }
}
impl From<&[u32]> for TensorIndexer {
    fn from(ids: &[u32]) -> Self {
        match Tensor::new(ids, &crate::Device::Cpu) {
            Ok(t) => Self::IndexSelect(t),
            Err(e) => Self::Err(e),
        }
    }
}
impl From<Vec<u32>> for TensorIndexer {
    fn from(ids: Vec<u32>) -> Self {
        ids.as_slice().into()
    }
}
impl From<&Tensor> for TensorIndexer {
    fn from(t: &Tensor) -> Self {
        Self::IndexSelect(t.clone())
    }
}

trait RB: RangeBounds<usize> {}
impl RB for std::ops::Range<usize> {}
impl RB for std::ops::RangeFrom<usize> {}
impl RB for std::ops::RangeFull {}
impl RB for std::ops::RangeInclusive<usize> {}
impl RB for std::ops::RangeTo<usize> {}
impl RB for std::ops::RangeToInclusive<usize> {}

impl<T: RB> From<T> for TensorIndexer {
    fn from(r: T) -> Self {
        Self::Narrow(r.start_bound().cloned(), r.end_bound().cloned())
    }
}

/// Indexing with any type that converts to [`TensorIndexer`]s.
pub trait IndexOp<T> {
    /// Returns the indexed part.
    ///
    /// ```
    /// use rushlight::{Device, IndexOp, Tensor};
    /// let t = Tensor::arange(0u8, 6, &Device::Cpu)?.reshape((2, 3))?;
    /// assert_eq!(t.i((.., 1))?.to_vec1::<u8>()?, [1, 4]);
    /// assert_eq!(t.i((1, 1..))?.to_vec1::<u8>()?, [4, 5]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    fn i(&self, index: T) -> Result<Tensor>;
}

impl Tensor {
    fn index(&self, indexers: Vec<TensorIndexer>) -> Result<Tensor> {
        let mut x = self.clone();
        let mut dim = 0;
        if indexers.len() > self.rank() {
            return Err(self.shape().out_of_range(self.rank() as i32, "index"));
        }
        for indexer in indexers {
            x = match indexer {
                TensorIndexer::Select(n) => x.narrow(dim, n, 1)?.squeeze(dim)?,
                TensorIndexer::Narrow(left, right) => {
                    let start = match left {
                        Bound::Included(n) => n,
                        Bound::Excluded(n) => n.saturating_add(1),
                        Bound::Unbounded => 0,
                    };
                    let stop = match right {
                        Bound::Included(n) => n.saturating_add(1),
                        Bound::Excluded(n) => n,
                        Bound::Unbounded => x.dims()[dim],
                    };
                    let out = x.narrow(dim, start, stop.saturating_sub(start))?;
                    dim += 1;
                    out
                }
                TensorIndexer::IndexSelect(ids) => {
                    if ids.rank() != 1 {
                        crate::bail!(
                            "multi-dimensional tensor indexing is not supported, got {:?}",
                            ids.shape()
                        )
                    }
                    let out = x.index_select(&ids.to_device(x.device())?, dim)?;
                    dim += 1;
                    out
                }
                TensorIndexer::Err(e) => return Err(e),
            };
        }
        Ok(x)
    }
}

impl<T: Into<TensorIndexer>> IndexOp<T> for Tensor {
    fn i(&self, index: T) -> Result<Tensor> {
        self.index(vec![index.into()])
    }
}

macro_rules! index_tuple {
    ($($t:ident $i:tt),*) => {
        impl<$($t: Into<TensorIndexer>),*> IndexOp<($($t,)*)> for Tensor {
            fn i(&self, index: ($($t,)*)) -> Result<Tensor> {
                self.index(vec![$(index.$i.into()),*])
            }
        }
    };
}
index_tuple!(A 0);
index_tuple!(A 0, B 1);
index_tuple!(A 0, B 1, C 2);
index_tuple!(A 0, B 1, C 2, DD 3);
index_tuple!(A 0, B 1, C 2, DD 3, E 4);
index_tuple!(A 0, B 1, C 2, DD 3, E 4, F 5);
index_tuple!(A 0, B 1, C 2, DD 3, E 4, F 5, G 6);
