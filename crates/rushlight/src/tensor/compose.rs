//! Tensors made from other tensors: joins, repeats, shifts, and functions that combine a few ops.
use super::{Locks, Tensor, views};
use crate::autograd::{self, GradFn};
use crate::profiler;
use crate::storage::ViewMut;
use crate::{Dim, Error, Result, Shape};

impl Tensor {
    /// Concatenates tensors along a dimension. The other dimensions must be equal. All dtypes.
    ///
    /// ```
    /// use rushlight::{DType, Device, Tensor};
    /// let a = Tensor::zeros((2, 3), DType::F32, &Device::Cpu)?;
    /// let b = Tensor::zeros((2, 1), DType::F32, &Device::Cpu)?;
    /// assert_eq!(Tensor::cat(&[&a, &b], 1)?.dims(), &[2, 4]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn cat<A: AsRef<Tensor>, D: Dim>(args: &[A], dim: D) -> Result<Self> {
        let Some(first) = args.first().map(AsRef::as_ref) else {
            return Err(Error::OpRequiresAtLeastOneTensor { op: "cat" }.bt());
        };
        let dim = dim.to_index(first.shape(), "cat")?;
        let mut lens = Vec::with_capacity(args.len());
        for (n, t) in args.iter().map(AsRef::as_ref).enumerate() {
            let mut sizes = t.dims().iter().zip(first.dims()).enumerate();
            if t.rank() != first.rank() || sizes.any(|(i, (a, b))| i != dim && a != b) {
                return Err(Error::ShapeMismatchCat {
                    dim,
                    first_shape: first.shape().clone(),
                    n: n + 1,
                    nth_shape: t.shape().clone(),
                }
                .bt());
            }
            if t.dtype() != first.dtype() {
                return Err(
                    Error::DTypeMismatchBinaryOp { lhs: first.dtype(), rhs: t.dtype(), op: "cat" }.bt()
                );
            }
            if !t.device().same_device(first.device()) {
                return Err(Error::DeviceMismatchBinaryOp {
                    lhs: first.device().location(),
                    rhs: t.device().location(),
                    op: "cat",
                }
                .bt());
            }
            lens.push(t.dims()[dim]);
        }
        if args.len() == 1 {
            return Ok(first.clone());
        }
        let mut dims = first.dims().to_vec();
        let sum = lens.iter().try_fold(0usize, |a, b| a.checked_add(*b));
        dims[dim] = sum.ok_or_else(|| Error::invalid("cat", "the joined dimension is too large"))?;
        let out = Tensor::alloc(&Shape::from(dims), first.dtype(), first.device())?;
        let all: Vec<&Tensor> = args.iter().map(AsRef::as_ref).collect();
        out.fill_from(&all, dim)?;
        let node = autograd::record(|| GradFn::Cat { dim, lens }, &all, out.shape(), out.dtype());
        Ok(if node.is_some() { out.with_node(node) } else { out })
    }

    /// Copies tensors that fill this new one into it, one after the other along a dimension.
    fn fill_from(&self, parts: &[&Tensor], dim: usize) -> Result<()> {
        let mut locks = Locks::new(parts, &[self]);
        let (reads, mut writes) = locks.split();
        let Some(storage) = writes.pop() else { return Ok(()) };
        let mut out = ViewMut { storage, layout: self.layout() };
        let run = || self.device().backend().join(&views(&reads, parts), dim, &mut out);
        let bytes = self.elem_count() * self.dtype().size_in_bytes();
        profiler::op("cat", self.device(), parts.iter().copied(), bytes, run)
    }

    /// Stacks tensors of one shape along a new dimension. All dtypes.
    pub fn stack<A: AsRef<Tensor>, D: Dim>(args: &[A], dim: D) -> Result<Self> {
        let Some(first) = args.first().map(AsRef::as_ref) else {
            return Err(Error::OpRequiresAtLeastOneTensor { op: "stack" }.bt());
        };
        let dim = dim.to_index_plus_one(first.shape(), "stack")?;
        let args = args.iter().map(|t| t.as_ref().unsqueeze(dim)).collect::<Result<Vec<_>>>()?;
        Self::cat(&args, dim)
    }

    /// Repeats the tensor along each dimension (NumPy's `tile`). Missing leading dimensions are added.
    pub fn repeat<S: Into<Shape>>(&self, shape: S) -> Result<Tensor> {
        let times = shape.into();
        let mut out = self.clone();
        while out.rank() < times.rank() {
            out = out.unsqueeze(0)?;
        }
        let skip = out.rank() - times.rank();
        for (i, &n) in times.dims().iter().enumerate() {
            if n != 1 {
                // [.., d, ..] -> [.., n, d, ..] by broadcasting -> [.., n d, ..]
                let dim = skip + i;
                let mut dims = out.dims().to_vec();
                dims.insert(dim, n);
                let merged = {
                    let mut m = out.dims().to_vec();
                    m[dim] = m[dim].saturating_mul(n);
                    m
                };
                out = out.unsqueeze(dim)?.broadcast_as(dims)?.reshape(merged)?;
            }
        }
        Ok(out)
    }

    /// Adds zeros before and after the elements of a dimension.
    pub fn pad_with_zeros<D: Dim>(&self, dim: D, left: usize, right: usize) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "pad_with_zeros")?;
        let zeros = |n: usize| {
            let mut dims = self.dims().to_vec();
            dims[dim] = n;
            Tensor::zeros(dims, self.dtype(), self.device())
        };
        let mut parts = Vec::new();
        if left > 0 {
            parts.push(zeros(left)?);
        }
        parts.push(self.clone());
        if right > 0 {
            parts.push(zeros(right)?);
        }
        Tensor::cat(&parts, dim)
    }

    /// Pads a dimension by repeating its first and its last element.
    pub fn pad_with_same<D: Dim>(&self, dim: D, left: usize, right: usize) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "pad_with_same")?;
        if left == 0 && right == 0 {
            return Ok(self.clone());
        }
        if self.elem_count() == 0 {
            crate::bail!("cannot use pad_with_same on an empty tensor")
        }
        let edge = |i: usize, n: usize| {
            let mut dims = self.dims().to_vec();
            dims[dim] = n;
            self.narrow(dim, i, 1)?.broadcast_as(dims)
        };
        let mut parts = Vec::new();
        if left > 0 {
            parts.push(edge(0, left)?);
        }
        parts.push(self.clone());
        if right > 0 {
            parts.push(edge(self.dims()[dim] - 1, right)?);
        }
        Tensor::cat(&parts, dim)
    }

    /// Shifts elements along a dimension; elements shifted past one end come in at the other.
    pub fn roll<D: Dim>(&self, shift: i32, dim: D) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "roll")?;
        let size = self.dims()[dim];
        if size == 0 {
            return Ok(self.clone());
        }
        let shift = (shift as i64).rem_euclid(size as i64) as usize;
        if shift == 0 {
            return Ok(self.clone());
        }
        let (head, tail) = (self.narrow(dim, 0, size - shift)?, self.narrow(dim, size - shift, shift)?);
        Tensor::cat(&[&tail, &head], dim)
    }

    /// Returns the coordinate grids of vectors. `xy_indexing` swaps the first two dimensions (NumPy's default).
    pub fn meshgrid<A: AsRef<Tensor>>(args: &[A], xy_indexing: bool) -> Result<Vec<Self>> {
        if args.len() <= 1 {
            return Err(Error::OpRequiresAtLeastTwoTensors { op: "meshgrid" }.bt());
        }
        let args: Vec<&Tensor> = args.iter().map(AsRef::as_ref).collect();
        let sizes = args.iter().map(|a| a.dims1()).collect::<Result<Vec<_>>>()?;
        args.iter()
            .enumerate()
            .map(|(i, a)| {
                let mut dims = vec![1; sizes.len()];
                dims[i] = sizes[i];
                let grid = a.reshape(dims)?.broadcast_as(sizes.clone())?;
                if xy_indexing { grid.transpose(0, 1)?.contiguous() } else { grid.contiguous() }
            })
            .collect()
    }

    /// Writes `src` over this tensor's elements from `offset` on in a dimension, in place.
    pub fn slice_set<D: Dim>(&self, src: &Self, dim: D, offset: usize) -> Result<()> {
        let dim = dim.to_index(self.shape(), "slice-set")?;
        src.check_lost("slice-set")?;
        if self.rank() != src.rank() {
            return Err(Error::UnexpectedNumberOfDims {
                expected: self.rank(),
                got: src.rank(),
                shape: src.shape().clone(),
            }
            .bt());
        }
        if self.shares_storage(src) {
            crate::bail!("cannot use slice_set when self and src share their storage")
        }
        if self.dtype() != src.dtype() {
            return Err(Error::DTypeMismatchBinaryOp {
                lhs: self.dtype(),
                rhs: src.dtype(),
                op: "slice-set",
            }
            .bt());
        }
        let len = src.dims()[dim];
        if offset.checked_add(len).is_none_or(|e| e > self.dims()[dim]) {
            crate::bail!(
                "shape mismatch on slice-set, dim {dim}: offset {offset} and length {len} do not fit {:?}",
                self.shape()
            )
        }
        let dst = self.narrow(dim, offset, len)?;
        if dst.shape() != src.shape() {
            return Err(Error::ShapeMismatchBinaryOp {
                lhs: dst.shape().clone(),
                rhs: src.shape().clone(),
                op: "slice-set",
            }
            .bt());
        }
        if src.elem_count() == 0 {
            return Ok(());
        }
        dst.write(src)
    }

    /// Returns a copy in which `src` replaces the elements from `start` on in a dimension.
    pub fn slice_scatter<D: Dim>(&self, src: &Self, dim: D, start: usize) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "slice-scatter")?;
        let (size, len) = (self.dims()[dim], if src.rank() == self.rank() { src.dims()[dim] } else { 0 });
        let fits = src.rank() == self.rank()
            && (0..self.rank()).all(|i| i == dim || self.dims()[i] == src.dims()[i])
            && start.checked_add(len).is_some_and(|e| e <= size);
        if !fits {
            return Err(Error::ShapeMismatchBinaryOp {
                lhs: self.shape().clone(),
                rhs: src.shape().clone(),
                op: "slice-scatter",
            }
            .bt());
        }
        let mut parts = Vec::new();
        if start > 0 {
            parts.push(self.narrow(dim, 0, start)?);
        }
        parts.push(src.clone());
        if start + len < size {
            parts.push(self.narrow(dim, start + len, size - start - len)?);
        }
        Tensor::cat(&parts, dim)
    }

    /// Same as [`Tensor::slice_scatter`] along the first dimension.
    pub fn slice_scatter0(&self, src: &Self, start: usize) -> Result<Self> {
        self.slice_scatter(src, 0, start)
    }

    /// Returns a copy in which `src` replaces the elements of a box, given by one range for each dimension.
    pub fn slice_assign<R: std::ops::RangeBounds<usize>>(&self, ranges: &[R], src: &Tensor) -> Result<Self> {
        use std::ops::Bound;
        if ranges.len() != self.rank() {
            crate::bail!("slice-assign requires {} ranges, got {}", self.rank(), ranges.len())
        }
        let mut boxes = Vec::new();
        for (i, r) in ranges.iter().enumerate() {
            let from = match r.start_bound() {
                Bound::Unbounded => 0,
                Bound::Included(v) => *v,
                Bound::Excluded(v) => v.saturating_add(1),
            };
            let to = match r.end_bound() {
                Bound::Unbounded => self.dims()[i],
                Bound::Included(v) => v.saturating_add(1),
                Bound::Excluded(v) => *v,
            };
            if to <= from || to > self.dims()[i] {
                crate::bail!(
                    "slice-assign: empty or out-of-range interval {from}..{to} for dim {i} of {:?}",
                    self.shape()
                )
            }
            boxes.push((from, to - from));
        }
        let want: Vec<usize> = boxes.iter().map(|b| b.1).collect();
        if want != src.dims() {
            crate::bail!("slice-assign: the ranges have shape {want:?}, the source {:?}", src.shape())
        }
        self.scatter_box(&boxes, src)
    }

    /// Writes `src` into a box, one dimension at a time from the innermost outwards, so that gradients reach both
    /// tensors.
    fn scatter_box(&self, boxes: &[(usize, usize)], src: &Tensor) -> Result<Tensor> {
        let mut piece = src.clone();
        for dim in (0..self.rank()).rev() {
            // The part of `self` inside the box in the outer dimensions `0..dim`, and complete in the inner ones.
            let mut base = self.clone();
            for (d, (start, len)) in boxes.iter().enumerate().take(dim) {
                base = base.narrow(d, *start, *len)?;
            }
            piece = base.slice_scatter(&piece, dim, boxes[dim].0)?;
        }
        Ok(piece)
    }

    /// Returns an upper triangular matrix of ones, including the diagonal.
    pub fn triu2(n: usize, dtype: crate::DType, device: &crate::Device) -> Result<Self> {
        Tensor::ones((n, n), dtype, device)?.triu(0)
    }

    /// Returns a lower triangular matrix of ones, including the diagonal.
    pub fn tril2(n: usize, dtype: crate::DType, device: &crate::Device) -> Result<Self> {
        Tensor::ones((n, n), dtype, device)?.tril(0)
    }

    /// Returns the identity matrix.
    pub fn eye(n: usize, dtype: crate::DType, device: &crate::Device) -> Result<Self> {
        let eye = Tensor::zeros((n, n), dtype, device)?;
        if n > 0 {
            let diagonal = eye.flatten_all()?.slice(0, 0, n, n + 1)?;
            diagonal.const_set(crate::Scalar::one(dtype))?;
        }
        Ok(eye)
    }

    /// Returns the rows of this table at the given indices, one for each element of `ids`.
    pub fn embedding(&self, ids: &Self) -> Result<Self> {
        if self.rank() != 2 || ids.rank() != 1 {
            return Err(Error::ShapeMismatchBinaryOp {
                lhs: self.shape().clone(),
                rhs: ids.shape().clone(),
                op: "embedding",
            }
            .bt());
        }
        self.index_select(ids, 0)
    }
}
