//! The layout of a tensor in its storage: shape, strides (in elements) and offset.
use crate::shape::DimVec;
use crate::{Dim, Error, Result, Shape};

/// Shape, strides and start of a view into a storage. Strides are in elements and never negative.
///
/// ```
/// use rushlight::Layout;
/// let l = Layout::contiguous((2, 3)).transpose(0, 1)?;
/// assert_eq!((l.dims(), l.stride(), l.is_contiguous()), (&[3, 2][..], &[1, 3][..], false));
/// # Ok::<(), rushlight::Error>(())
/// ```
#[derive(Debug, PartialEq, Eq, Clone)]
pub struct Layout {
    shape: Shape,
    stride: DimVec,
    start_offset: usize,
}

impl Layout {
    /// Makes a layout from its parts; `stride` has one entry for each dimension.
    pub fn new(shape: Shape, stride: impl Into<DimVec>, start_offset: usize) -> Self {
        let stride = stride.into();
        debug_assert_eq!(shape.rank(), stride.len());
        Self { shape, stride, start_offset }
    }

    /// Returns the row-major layout from an offset on.
    pub fn contiguous_with_offset<S: Into<Shape>>(shape: S, start_offset: usize) -> Self {
        let shape = shape.into();
        let stride = shape.stride_contiguous();
        Self { shape, stride, start_offset }
    }

    /// Returns the row-major layout from offset 0 on.
    pub fn contiguous<S: Into<Shape>>(shape: S) -> Self {
        Self::contiguous_with_offset(shape, 0)
    }

    /// Whether this equals [`Layout::contiguous`] of the shape.
    #[inline]
    pub(crate) fn is_fresh(&self) -> bool {
        let mut acc = 1usize;
        let step = |(&dim, &stride): (&usize, &usize)| {
            let expected = acc;
            acc = acc.saturating_mul(dim);
            stride == expected
        };
        self.start_offset == 0 && self.dims().iter().zip(&self.stride).rev().all(step)
    }

    /// Sizes of the dimensions.
    #[inline]
    pub fn dims(&self) -> &[usize] {
        self.shape.dims()
    }

    /// Size of one dimension.
    pub fn dim<I: Dim>(&self, dim: I) -> Result<usize> {
        self.shape.dim(dim)
    }

    /// The shape.
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Strides in elements.
    #[inline]
    pub fn stride(&self) -> &[usize] {
        &self.stride
    }

    /// Offset of the first element in the storage.
    #[inline]
    pub fn start_offset(&self) -> usize {
        self.start_offset
    }

    /// Returns the first offset and the one after the last, if the layout is row-major.
    pub fn contiguous_offsets(&self) -> Option<(usize, usize)> {
        self.is_contiguous().then(|| (self.start_offset, self.start_offset + self.shape.elem_count()))
    }

    /// Returns one past the highest storage offset of any element, or `None` for an empty view or on overflow.
    pub fn end(&self) -> Option<usize> {
        let mut last = self.start_offset;
        for (&d, &s) in self.dims().iter().zip(self.stride()) {
            last = last.checked_add(d.checked_sub(1)?.checked_mul(s)?)?;
        }
        last.checked_add(1)
    }

    /// Whether the layout is row-major without gaps.
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        self.shape.is_contiguous(&self.stride)
    }

    /// Whether the layout is column-major without gaps.
    pub fn is_fortran_contiguous(&self) -> bool {
        self.shape.is_fortran_contiguous(&self.stride)
    }

    /// Whether the rank is 0.
    pub fn is_scalar(&self) -> bool {
        self.dims().is_empty()
    }

    /// Whether two indices may refer to the same element (a stride of 0, or overlapping windows).
    pub fn may_overlap_itself(&self) -> bool {
        if self.is_contiguous() || self.dims().contains(&0) {
            return false;
        }
        let mut dims: smallvec::SmallVec<[(usize, usize); crate::shape::MAX_RANK]> =
            self.dims().iter().zip(self.stride()).filter(|(d, _)| **d > 1).map(|(d, s)| (*s, *d)).collect();
        dims.sort_unstable();
        let mut reach = 0usize;
        for (stride, dim) in dims {
            if stride <= reach {
                return true;
            }
            reach = reach.saturating_add(stride.saturating_mul(dim - 1));
        }
        false
    }

    /// Selects `len` elements of a dimension, from `start` on.
    pub fn narrow(&self, dim: usize, start: usize, len: usize) -> Result<Self> {
        let size = self.shape.dim(dim)?;
        let err =
            |msg| Err(Error::NarrowInvalidArgs { shape: self.shape.clone(), dim, start, len, msg }.bt());
        match start.checked_add(len) {
            None => return err("start + len overflows"),
            Some(_) if start > size => return err("start > dim_len"),
            Some(end) if end > size => return err("start + len > dim_len"),
            Some(_) => {}
        }
        self.slice(dim, start, len, 1)
    }

    /// Selects `len` elements of a dimension, from `start` on, `step` apart. The caller has checked the bounds.
    pub(crate) fn slice(&self, dim: usize, start: usize, len: usize, step: usize) -> Result<Self> {
        let mut dims = DimVec::from_slice(self.dims());
        dims[dim] = len;
        let mut stride = self.stride.clone();
        let start_offset = self.start_offset + if len == 0 { 0 } else { stride[dim] * start };
        if len > 1 {
            stride[dim] *= step;
        }
        Ok(Self { shape: dims.into(), stride, start_offset })
    }

    /// Swaps two dimensions.
    pub fn transpose(&self, dim1: usize, dim2: usize) -> Result<Self> {
        let rank = self.shape.rank();
        if dim1 >= rank || dim2 >= rank {
            return Err(Error::UnexpectedNumberOfDims {
                expected: usize::max(dim1, dim2) + 1,
                got: rank,
                shape: self.shape.clone(),
            }
            .bt());
        }
        let mut dims = DimVec::from_slice(self.dims());
        let mut stride = self.stride.clone();
        dims.swap(dim1, dim2);
        stride.swap(dim1, dim2);
        Ok(Self { shape: dims.into(), stride, start_offset: self.start_offset })
    }

    /// Reorders the dimensions; `perm[i]` is the old index of the new dimension `i`.
    pub fn permute(&self, perm: &[usize]) -> Result<Self> {
        let rank = self.shape.rank();
        let ok = perm.len() == rank && (0..rank).all(|i| perm.contains(&i));
        if !ok {
            return Err(Error::invalid(
                "permute",
                format!("{perm:?} is not an order of the dimensions of {:?}", self.shape),
            ));
        }
        let dims: DimVec = perm.iter().map(|&i| self.dims()[i]).collect();
        let stride: DimVec = perm.iter().map(|&i| self.stride[i]).collect();
        Ok(Self { shape: dims.into(), stride, start_offset: self.start_offset })
    }

    /// Broadcasts to a larger shape: new dimensions and those of size 1 get stride 0.
    pub fn broadcast_as<S: Into<Shape>>(&self, shape: S) -> Result<Self> {
        let shape = shape.into();
        shape.checked("broadcast_as")?;
        let bad =
            || Error::BroadcastIncompatibleShapes { src_shape: self.shape.clone(), dst_shape: shape.clone() };
        let added = shape.rank().checked_sub(self.shape.rank()).ok_or_else(|| bad().bt())?;
        let mut stride = DimVec::from_elem(0, added);
        for ((&dst, &src), &s) in shape.dims()[added..].iter().zip(self.dims()).zip(&self.stride) {
            stride.push(match (dst, src) {
                (d, s_dim) if d == s_dim => s,
                (_, 1) => 0,
                _ => return Err(bad().bt()),
            });
        }
        Ok(Self { shape, stride, start_offset: self.start_offset })
    }

    /// Returns the layout of the same elements in another shape, if strides can express it without a copy.
    pub(crate) fn reshape(&self, shape: &Shape) -> Option<Self> {
        if self.is_contiguous() {
            return Some(Self::contiguous_with_offset(shape.clone(), self.start_offset));
        }
        if shape.elem_count() == 0 {
            return None;
        }
        // Merge the source into runs of dimensions that step evenly, then cut the runs into the new dimensions.
        let src: Vec<(usize, usize)> =
            self.dims().iter().copied().zip(self.stride.iter().copied()).filter(|(d, _)| *d != 1).collect();
        let mut stride = DimVec::from_elem(0, shape.rank());
        let (mut i, mut j) = (0, 0);
        let new = shape.dims();
        while i < src.len() {
            while j < new.len() && new[j] == 1 {
                j += 1;
            }
            let (mut have, mut want) = (src[i].0, *new.get(j)?);
            let (i0, j0) = (i, j);
            while have != want {
                if have < want {
                    i += 1;
                    have *= src.get(i)?.0;
                } else {
                    j += 1;
                    want *= new.get(j)?;
                }
            }
            if (i0..i).any(|k| src[k].1 != src[k + 1].0 * src[k + 1].1) {
                return None;
            }
            let mut step = src[i].1;
            for k in (j0..=j).rev() {
                stride[k] = step;
                step *= new[k];
            }
            i += 1;
            j += 1;
        }
        Some(Self { shape: shape.clone(), stride, start_offset: self.start_offset })
    }

    /// Iterates over the storage offsets of the elements, row-major.
    pub fn strided_index(&self) -> StridedIndex<'_> {
        StridedIndex::new(self)
    }

    /// Returns the elements as runs of adjacent elements.
    pub fn strided_blocks(&self) -> StridedBlocks<'_> {
        let mut block_len = 1;
        let mut used = 0;
        for (&stride, &dim) in self.stride.iter().zip(self.dims()).rev() {
            if dim > 1 && stride != block_len {
                break;
            }
            block_len *= dim;
            used += 1;
        }
        let rest = self.dims().len() - used;
        match rest {
            0 => StridedBlocks::SingleBlock { start_offset: self.start_offset, len: block_len },
            1 if used > 0 => StridedBlocks::UniformBlocks {
                start_offset: self.start_offset,
                block_len,
                count: self.dims()[0],
                src_stride: self.stride[0],
            },
            _ => StridedBlocks::MultipleBlocks {
                block_start_index: StridedIndex::over(
                    &self.dims()[..rest],
                    &self.stride[..rest],
                    self.start_offset,
                ),
                block_len,
            },
        }
    }
}

/// A layout as runs of adjacent elements. Candle's type.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum StridedBlocks<'a> {
    SingleBlock { start_offset: usize, len: usize },
    UniformBlocks { start_offset: usize, block_len: usize, count: usize, src_stride: usize },
    MultipleBlocks { block_start_index: StridedIndex<'a>, block_len: usize },
}

/// Iterator over the storage offsets of a layout, row-major.
#[derive(Debug)]
pub struct StridedIndex<'a> {
    next: Option<usize>,
    index: DimVec,
    dims: &'a [usize],
    stride: &'a [usize],
}

impl<'a> StridedIndex<'a> {
    fn new(l: &'a Layout) -> Self {
        Self::over(l.dims(), l.stride(), l.start_offset)
    }

    fn over(dims: &'a [usize], stride: &'a [usize], start: usize) -> Self {
        let next = (!dims.contains(&0)).then_some(start);
        Self { next, index: DimVec::from_elem(0, dims.len()), dims, stride }
    }
}

impl Iterator for StridedIndex<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let current = self.next?;
        let mut place = current;
        let mut more = false;
        for ((i, &dim), &stride) in self.index.iter_mut().zip(self.dims).zip(self.stride).rev() {
            if *i + 1 < dim {
                *i += 1;
                place += stride;
                more = true;
                break;
            }
            place -= *i * stride;
            *i = 0;
        }
        self.next = more.then_some(place);
        Some(current)
    }
}
