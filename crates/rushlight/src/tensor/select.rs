//! Masks and index tensors: finding, selecting and replacing elements. Composed of other ops.
use super::Tensor;
use crate::ops::cmp::CmpOp;
use crate::ops::index_select::IndexSelect;
use crate::ops::scatter::{Scatter, ScatterMode};
use crate::ops::{IndexMode, Op};
use crate::{DType, Device, Error, Result, Scalar};

fn constant(v: i64, like: &Tensor) -> Result<Tensor> {
    Tensor::full(v, (), like.device())?.broadcast_as(like.shape())
}

impl Tensor {
    /// Returns the row-major positions of the elements that are not zero, as an I64 vector. ORDERED dtypes.
    ///
    /// The number of results depends on the data, so this waits for the device and reads one number.
    pub fn flat_nonzero(&self) -> Result<Tensor> {
        let flat = self.detach().flatten_all()?;
        let n = flat.elem_count();
        if n == 0 {
            return Tensor::zeros(0, DType::I64, self.device());
        }
        let zero = Tensor::full_scalar(Scalar::zero(flat.dtype()), (), flat.device())?;
        let mask = flat.compare(&zero.broadcast_as(n)?, CmpOp::Ne, DType::Bool)?;
        // Each nonzero element writes its position at its running count minus 1; the other elements have an index that
        // is skipped.
        let count = mask.to_dtype(DType::I64)?.cumsum(0)?;
        let total: i64 = count.narrow(0, n - 1, 1)?.squeeze(0)?.to_scalar()?;
        let place = mask.where_cond(&count.sub(&constant(1, &count)?)?, &constant(i64::MAX, &count)?)?;
        let out = Tensor::zeros(total as usize, DType::I64, self.device())?;
        out.scatter_set(&place, &Tensor::arange(0i64, n as i64, self.device())?, 0)?;
        Ok(out)
    }

    /// Returns the coordinates of the elements that are not zero, row-major: I64 of shape `[count, rank]`. ORDERED
    /// dtypes.
    ///
    /// The number of results depends on the data, so this waits for the device and reads one number.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let t = Tensor::new(&[[0f32, 2.], [3., 0.]], &Device::Cpu)?;
    /// assert_eq!(t.nonzero()?.to_vec2::<i64>()?, [[0, 1], [1, 0]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn nonzero(&self) -> Result<Tensor> {
        let mut rest = self.flat_nonzero()?;
        let mut columns = Vec::with_capacity(self.rank());
        for &dim in self.dims().iter().rev() {
            let size = constant(dim as i64, &rest)?;
            columns.push(rest.remainder(&size)?);
            rest = rest.floor_divide(&size)?;
        }
        columns.reverse();
        if columns.is_empty() {
            return Tensor::zeros((rest.elem_count(), 0), DType::I64, self.device());
        }
        Tensor::stack(&columns, 1)
    }

    /// Returns the elements where a mask is not zero, row-major, as a vector. Both tensors are broadcast to one shape
    /// (NumPy's rule). Gradients flow to the selected elements. Waits for the device, see [`Tensor::nonzero`].
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let t = Tensor::new(&[[1f32, 2.], [3., 4.]], &Device::Cpu)?;
    /// assert_eq!(t.masked_select(&t.gt(1.5f32)?)?.to_vec1::<f32>()?, [2., 3., 4.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn masked_select(&self, mask: &Tensor) -> Result<Tensor> {
        let (x, mask) = self.broadcast_pair(mask, "masked_select")?;
        x.index_leading(x.rank(), &mask.flat_nonzero()?)
    }

    /// Returns NumPy's `x[mask]`: the mask covers the leading dimensions, and the result has shape `[count, rest..]`
    /// with an entry for each mask element that is not zero. Gradients flow to the selected elements. Waits for the
    /// device, see [`Tensor::nonzero`].
    pub fn boolean_mask(&self, mask: &Tensor) -> Result<Tensor> {
        if !self.dims().starts_with(mask.dims()) {
            return Err(Error::ShapeMismatchBinaryOp {
                lhs: self.shape().clone(),
                rhs: mask.shape().clone(),
                op: "boolean_mask",
            }
            .bt());
        }
        self.index_leading(mask.rank(), &mask.flat_nonzero()?)
    }

    /// Returns this tensor with its first `k` dimensions merged into one.
    fn lead(&self, k: usize, op: &'static str) -> Result<Tensor> {
        if k > self.rank() {
            return Err(self.shape().out_of_range(k as i32, op));
        }
        let (lead, rest) = self.dims().split_at(k);
        let dims: Vec<usize> = std::iter::once(lead.iter().product()).chain(rest.iter().copied()).collect();
        self.reshape(dims)
    }

    /// Returns the entries at row-major positions in the first `k` dimensions, merged into one. The result has shape
    /// `positions.dims() ++ rest`. Positions: INDEX dtypes, any shape. A position out of range is an error.
    pub fn index_leading(&self, k: usize, positions: &Tensor) -> Result<Tensor> {
        let lead = self.lead(k, "index")?;
        let definition = Op::IndexSelect(IndexSelect { dim: 0, rule: IndexMode::Within });
        let out = Tensor::run(definition, &[&lead, &positions.flatten_all()?])?;
        out.reshape([positions.dims(), &self.dims()[k..]].concat())
    }

    /// Returns a copy in which `values` replaces the elements at row-major positions of the tensor or, if `accumulate`,
    /// is added to them. `values` is broadcast to the shape of `positions`. Where a position repeats, the last value is
    /// kept, or all are added. Gradients flow to this tensor and to `values`. All dtypes (`accumulate`: NUMERIC);
    /// positions: INDEX dtypes, any shape. A position out of range is an error.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let t = Tensor::new(&[[1f32, 2.], [3., 4.]], &Device::Cpu)?;
    /// let at = Tensor::new(&[3i64, 0], &Device::Cpu)?;
    /// let out = t.index_put(&at, &Tensor::new(9f32, &Device::Cpu)?, false)?;
    /// assert_eq!(out.to_vec2::<f32>()?, [[9., 2.], [3., 9.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn index_put(&self, positions: &Tensor, values: &Tensor, accumulate: bool) -> Result<Tensor> {
        self.index_put_leading(self.rank(), positions, values, accumulate)
    }

    /// Same as [`Tensor::index_put`] for whole entries of the first `k` dimensions, merged into one. `values` is
    /// broadcast to `positions.dims() ++ rest`.
    pub fn index_put_leading(
        &self,
        k: usize,
        positions: &Tensor,
        values: &Tensor,
        accumulate: bool,
    ) -> Result<Tensor> {
        let (table, ids, rows) = self.put_operands(k, positions, values)?;
        let out = Tensor::run(put(accumulate, false), &[&table, &ids, &rows])?;
        out.reshape(self.shape())
    }

    /// Same as [`Tensor::index_put_leading`], in place: every tensor that shares this storage sees the change. Nothing
    /// is written if a position is out of range. Fails if this tensor or `values` is part of a gradient graph.
    pub fn index_put_set(
        &self,
        k: usize,
        positions: &Tensor,
        values: &Tensor,
        accumulate: bool,
    ) -> Result<()> {
        self.check_writable("index_put")?;
        values.check_lost("index_put")?;
        let (table, ids, rows) = self.put_operands(k, positions, values)?;
        if table.shares_storage(self) {
            return Tensor::run_inplace(put(accumulate, true), &[&table], &[&ids, &rows]);
        }
        // The leading dimensions of a view may not be mergeable, so change a copy and write it back.
        Tensor::run_inplace(put(accumulate, true), &[&table], &[&ids, &rows])?;
        self.write(&table.reshape(self.shape())?)
    }

    /// Returns the operands of a scatter along dimension 0: the table of entries, and a position and a value for each
    /// element.
    fn put_operands(
        &self,
        k: usize,
        positions: &Tensor,
        values: &Tensor,
    ) -> Result<(Tensor, Tensor, Tensor)> {
        let table = self.lead(k, "index_put")?;
        let (n, rest) = (positions.elem_count(), &self.dims()[k..]);
        let width: usize = rest.iter().product();
        let rows = values.broadcast_as([positions.dims(), rest].concat())?.reshape((n, width))?;
        let ids = positions.reshape((n, 1))?.broadcast_as((n, width))?;
        let len = table.dims()[0];
        Ok((table.reshape((len, width))?, ids, rows))
    }

    /// Combines one index tensor for each of `dims` into row-major positions, as I64. The index tensors are broadcast
    /// to one shape. Negative indices count from the end (Python's rule).
    ///
    /// An index out of range is an error. The CPU reports it at once. On other devices the result is a position that is
    /// out of range for every tensor, so that the op that uses it reports the error.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let row = Tensor::new(&[[0i64], [-1]], &Device::Cpu)?;
    /// let column = Tensor::new(&[2i64, 0], &Device::Cpu)?;
    /// let at = Tensor::flat_positions(&[&row, &column], &[2, 3])?;
    /// assert_eq!(at.to_vec2::<i64>()?, [[2, 0], [5, 3]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn flat_positions(indexes: &[&Tensor], dims: &[usize]) -> Result<Tensor> {
        if indexes.len() != dims.len() {
            return Err(Error::invalid(
                "index",
                format!("{} index tensors for {} dimensions", indexes.len(), dims.len()),
            ));
        }
        let mut flat: Option<Tensor> = None;
        for (ids, &size) in indexes.iter().zip(dims) {
            let ids = ids.wrap_negative(size)?;
            flat = Some(match flat {
                None => ids,
                Some(flat) => {
                    let (flat, ids) = flat.broadcast_pair(&ids, "index")?;
                    let sum = flat.mul(&constant(size as i64, &flat)?)?.add(&ids)?;
                    // An index that is invalid in either operand keeps the sum invalid.
                    flat.minimum(&ids)?.lt(0i64)?.where_cond(&constant(i64::MIN, &sum)?, &sum)?
                }
            });
        }
        flat.ok_or_else(|| Error::OpRequiresAtLeastOneTensor { op: "index" }.bt())
    }

    /// Returns indices of a dimension as I64, in which negative indices are replaced by those counted from the end
    /// (Python's rule). An index out of range is an error on the CPU, and becomes `i64::MIN` on other devices (see
    /// [`Tensor::flat_positions`]). INT dtypes.
    pub fn wrap_negative(&self, size: usize) -> Result<Tensor> {
        if !self.dtype().is_int() {
            return Err(Error::UnsupportedDTypeForOp(self.dtype(), "index").bt());
        }
        let ids = self.to_dtype(DType::I64)?;
        let n = size as i64;
        if let Device::Cpu = self.device()
            && ids.elem_count() > 0
        {
            for index in [ids.min_all()?.to_scalar::<i64>()?, ids.max_all()?.to_scalar::<i64>()?] {
                if index < -n || index >= n {
                    return Err(Error::InvalidIndex { op: "index", index, size }.bt());
                }
            }
        }
        let wrapped = ids.lt(0i64)?.where_cond(&ids.add(&constant(n, &ids)?)?, &ids)?;
        let bad = (wrapped.lt(0i64)? + wrapped.ge(n)?)?;
        bad.where_cond(&constant(i64::MIN, &ids)?, &wrapped)
    }
}

fn put(accumulate: bool, in_place: bool) -> Op {
    let mode = if accumulate { ScatterMode::Add } else { ScatterMode::Set };
    Op::Scatter(Scatter { dim: 0, mode, in_place, rule: IndexMode::Within })
}
