//! Views: the same storage through another layout.
use super::Tensor;
use crate::autograd::GradFn;
use crate::shape::{DimVec, Dims};
use crate::{Dim, Error, Layout, Result, Shape, ShapeWithOneHole};

impl Tensor {
    /// Returns the same elements, row-major, in another shape: a view if strides allow, otherwise a copy.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let t = Tensor::arange(0u8, 6, &Device::Cpu)?;
    /// assert_eq!(t.reshape((2, ()))?.dims(), &[2, 3]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn reshape<S: ShapeWithOneHole>(&self, s: S) -> Result<Tensor> {
        let shape = s.into_shape(self.elem_count())?;
        if shape.elem_count() != self.elem_count() {
            return Err(Error::ShapeMismatchBinaryOp {
                lhs: self.shape().clone(),
                rhs: shape,
                op: "reshape",
            }
            .bt());
        }
        match self.layout().reshape(&shape) {
            Some(ref layout) => self.view(layout, || GradFn::Reshape),
            None => self.force_contiguous()?.reshape(shape),
        }
    }

    /// Returns a view of `len` elements of a dimension, from `start` on.
    pub fn narrow<D: Dim>(&self, dim: D, start: usize, len: usize) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "narrow")?;
        let layout = self.layout().narrow(dim, start, len)?;
        if start == 0 && self.dims()[dim] == len {
            return Ok(self.clone());
        }
        self.view(layout, || GradFn::Slice { dim, start, step: 1 })
    }

    /// Returns a view of `len` elements of a dimension, from `start` on, `step` elements apart.
    pub fn slice<D: Dim>(&self, dim: D, start: usize, len: usize, step: usize) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "slice")?;
        let size = self.dims()[dim];
        let last = len.checked_sub(1).map_or(Some(start), |n| n.checked_mul(step)?.checked_add(start));
        let inside = last.is_some_and(|l| if len == 0 { l <= size } else { l < size });
        if !inside || step == 0 {
            return Err(Error::invalid(
                "slice",
                format!("start {start}, len {len}, step {step} do not fit dim {dim} of {:?}", self.shape()),
            ));
        }
        let layout = self.layout().slice(dim, start, len, step)?;
        self.view(layout, || GradFn::Slice { dim, start, step })
    }

    /// Returns a view with two dimensions swapped.
    pub fn transpose<D1: Dim, D2: Dim>(&self, dim1: D1, dim2: D2) -> Result<Tensor> {
        let dim1 = dim1.to_index(self.shape(), "transpose")?;
        let dim2 = dim2.to_index(self.shape(), "transpose")?;
        if dim1 == dim2 {
            return Ok(self.clone());
        }
        let mut perm: DimVec = (0..self.rank()).collect();
        perm.swap(dim1, dim2);
        self.view(self.layout().transpose(dim1, dim2)?, || GradFn::permute(&perm))
    }

    /// Returns a view with the last two dimensions swapped.
    pub fn t(&self) -> Result<Tensor> {
        let rank = self.rank();
        if rank < 2 {
            return Err(Error::UnexpectedNumberOfDims {
                expected: 2,
                got: rank,
                shape: self.shape().clone(),
            }
            .bt());
        }
        self.transpose(rank - 2, rank - 1)
    }

    /// Returns a view with the dimensions in another order.
    pub fn permute<D: Dims>(&self, dims: D) -> Result<Tensor> {
        let perm = dims.to_indexes(self.shape(), "permute")?;
        let layout = self.layout().permute(&perm)?;
        self.view(layout, || GradFn::permute(&perm))
    }

    /// Broadcasts the tensor to a larger shape (NumPy's rule), without a copy.
    pub fn broadcast_as<S: Into<Shape>>(&self, shape: S) -> Result<Self> {
        let shape = shape.into();
        if &shape == self.shape() {
            return Ok(self.clone());
        }
        self.view(self.layout().broadcast_as(shape)?, || GradFn::Broadcast)
    }

    /// Candle's other name for [`Tensor::broadcast_as`].
    pub fn expand<S: Into<Shape>>(&self, shape: S) -> Result<Self> {
        self.broadcast_as(shape)
    }

    /// Adds leading dimensions and broadcasts the tensor to them.
    pub fn broadcast_left<S: Into<Shape>>(&self, left_shape: S) -> Result<Self> {
        let shape = left_shape.into().extend(self.dims());
        self.broadcast_as(shape)
    }

    /// Removes a dimension if its size is 1, and returns the tensor unchanged otherwise.
    pub fn squeeze<D: Dim>(&self, dim: D) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "squeeze")?;
        if self.dims()[dim] != 1 {
            return Ok(self.clone());
        }
        let (mut dims, mut stride) = (DimVec::from_slice(self.dims()), DimVec::from_slice(self.stride()));
        dims.remove(dim);
        stride.remove(dim);
        let layout = Layout::new(dims.into(), stride, self.layout().start_offset());
        self.view(layout, || GradFn::Reshape)
    }

    /// Inserts a dimension of size 1.
    pub fn unsqueeze<D: Dim>(&self, dim: D) -> Result<Self> {
        let dim = dim.to_index_plus_one(self.shape(), "unsqueeze")?;
        let (mut dims, mut stride) = (DimVec::from_slice(self.dims()), DimVec::from_slice(self.stride()));
        if dims.len() == crate::shape::MAX_RANK {
            let (rank, max) = (dims.len() + 1, dims.len());
            return Err(Error::RankTooLarge { op: "unsqueeze", rank, max }.bt());
        }
        // This stride keeps a row-major tensor row-major.
        let step = dims.get(dim).map_or(1, |d| d * stride[dim]);
        dims.insert(dim, 1);
        stride.insert(dim, step);
        let layout = Layout::new(dims.into(), stride, self.layout().start_offset());
        self.view(layout, || GradFn::Reshape)
    }

    fn flatten_range(&self, from: usize, to: usize) -> Result<Tensor> {
        if from >= to {
            return Ok(self.clone());
        }
        let d = self.dims();
        let mid = d[from..=to].iter().product();
        let dims = [&d[..from], &[mid], &d[to + 1..]].concat();
        self.reshape(dims)
    }

    /// Merges dimensions `start_dim` to `end_dim`, inclusive, into one.
    pub fn flatten<D1: Dim, D2: Dim>(&self, start_dim: D1, end_dim: D2) -> Result<Tensor> {
        if self.rank() == 0 {
            return self.reshape(1);
        }
        let from = start_dim.to_index(self.shape(), "flatten")?;
        let to = end_dim.to_index(self.shape(), "flatten")?;
        self.flatten_range(from, to)
    }

    /// Merges the dimensions up to `end_dim`, inclusive, into one.
    pub fn flatten_to<D: Dim>(&self, end_dim: D) -> Result<Tensor> {
        self.flatten(0, end_dim)
    }

    /// Merges the dimensions from `start_dim` on into one.
    pub fn flatten_from<D: Dim>(&self, start_dim: D) -> Result<Tensor> {
        self.flatten(start_dim, crate::D::Minus1)
    }

    /// Returns all elements as a vector.
    pub fn flatten_all(&self) -> Result<Tensor> {
        self.reshape(self.elem_count())
    }

    /// Returns element `i` of the first dimension, without that dimension.
    pub fn get(&self, i: usize) -> Result<Tensor> {
        if self.rank() == 0 {
            return Ok(self.clone());
        }
        self.get_on_dim(0, i)
    }

    /// Returns element `i` of a dimension, without that dimension.
    pub fn get_on_dim<D: Dim>(&self, dim: D, i: usize) -> Result<Tensor> {
        let dim = dim.to_index(self.shape(), "get_on_dim")?;
        self.narrow(dim, i, 1)?.squeeze(dim)
    }

    /// Splits the tensor into `chunks` pieces along a dimension. If the size is not divisible, the first pieces are
    /// longer by one.
    pub fn chunk<D: Dim>(&self, chunks: usize, dim: D) -> Result<Vec<Self>> {
        let dim = dim.to_index(self.shape(), "chunk")?;
        let size = self.dims()[dim];
        if chunks == 0 {
            return Err(Error::invalid("chunk", "cannot cut into 0 pieces"));
        }
        if size < chunks {
            return (0..size).map(|i| self.narrow(dim, i, 1)).collect();
        }
        let (len, longer) = (size / chunks, size % chunks);
        let mut start = 0;
        (0..chunks)
            .map(|i| {
                let n = len + usize::from(i < longer);
                let piece = self.narrow(dim, start, n);
                start += n;
                piece
            })
            .collect()
    }

    /// Returns windows of `size` elements of a dimension, `step` elements apart, as a new last dimension. A view.
    pub fn unfold<D: Dim>(&self, dim: D, size: usize, step: usize) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "unfold")?;
        let d = self.dims()[dim];
        if step == 0 || size > d {
            return Err(Error::invalid(
                "unfold",
                format!("size {size}, step {step} do not fit dim {dim} of {:?}", self.shape()),
            ));
        }
        let count = (d - size) / step + 1;
        let (mut dims, mut stride) = (DimVec::from_slice(self.dims()), DimVec::from_slice(self.stride()));
        dims.push(size);
        stride.push(stride[dim]);
        dims[dim] = count;
        stride[dim] = if count > 1 { stride[dim] * step } else { 0 };
        let layout = Layout::new(dims.into(), stride, self.layout().start_offset());
        self.view(layout, || GradFn::Unfold { dim, step })
    }
}
