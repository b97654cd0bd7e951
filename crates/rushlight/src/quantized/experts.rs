//! Products of each row with the matrices that its indices choose, as a mixture of experts needs.
use super::{QMatMul, QTensor, activations, product};
use crate::dtype::sets;
use crate::{DType, Error, Result, Tensor};

const OP: &str = "indexed_moe_forward";

impl QTensor {
    /// Multiplies rows by the transposes of the matrices that indices choose. The tensor has E matrices, `[E, n, k]`. `x` is
    /// `[batch, topk, k]`, or `[batch, 1, k]` for a row that all its indices share, of a FLOAT dtype; `ids` is `[batch, topk]` of an INT
    /// dtype. The result, `[batch, topk, n]`, has `x[b, t] matrix(ids[b, t])^T`, in the dtype of `x`, on its device. Gradient: of `x`.
    ///
    /// The indices are copied to the CPU, since each matrix multiplies all of its rows at once ([`Tensor::qmatmul_with`]).
    ///
    /// ```
    /// use rushlight::quantized::{GgmlDType, QTensor};
    /// use rushlight::{DType, Device, Tensor};
    /// let experts = Tensor::new(&[[[1f32, 2.]], [[10., 20.]]], &Device::Cpu)?;
    /// let experts = QTensor::quantize(&experts, GgmlDType::F32)?;
    /// let (x, ids) = (Tensor::ones((1, 1, 2), DType::F32, &Device::Cpu)?, Tensor::new(&[[1u32, 0]], &Device::Cpu)?);
    /// assert_eq!(experts.indexed_moe_forward(&x, &ids)?.to_vec3::<f32>()?, [[[30.], [3.]]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// Shapes or dtypes other than these, an index that is not below E, or tensors on several devices.
    pub fn indexed_moe_forward(&self, x: &Tensor, ids: &Tensor) -> Result<Tensor> {
        let n = self.shape.dims().get(1).copied().unwrap_or(0);
        by_expert(self.shape.dims(), &self.blocks, x, ids, |rows, e| {
            rows.qmatmul_with(&self.blocks.narrow(0, e * n, n)?, self.dtype, activations())
        })
    }
}

impl QMatMul {
    /// Multiplies rows by the transposes of the matrices that indices choose ([`QTensor::indexed_moe_forward`]).
    pub fn indexed_moe_forward(&self, x: &Tensor, ids: &Tensor) -> Result<Tensor> {
        match self {
            Self::QTensor(t) => t.indexed_moe_forward(x, ids),
            Self::Tensor(w) => by_expert(w.dims(), w, x, ids, |rows, e| product(rows, &w.get(e)?)),
            Self::TensorF16(w) => {
                let half = x.to_dtype(DType::F16)?;
                by_expert(w.dims(), w, &half, ids, |rows, e| product(rows, &w.get(e)?))?.to_dtype(x.dtype())
            }
        }
    }
}

/// Sorts the pairs of a row and an index by the index, multiplies the rows of each index by `product`, and puts the
/// results where the pairs were.
fn by_expert(
    weights: &[usize],
    stored: &Tensor,
    x: &Tensor,
    ids: &Tensor,
    product: impl Fn(&Tensor, usize) -> Result<Tensor>,
) -> Result<Tensor> {
    let (&[experts, n, k], &[batch, shared, depth], &[rows, topk]) = (weights, x.dims(), ids.dims()) else {
        return Err(wrong(weights, x, ids));
    };
    if k != depth || batch != rows || (shared != 1 && shared != topk) {
        return Err(wrong(weights, x, ids));
    }
    if !sets::FLOAT.contains(x.dtype()) || !sets::INT.contains(ids.dtype()) {
        let text = format!("expected floats and integer indices, got {:?} and {:?}", x.dtype(), ids.dtype());
        return Err(Error::invalid(OP, text));
    }
    let device = x.device();
    for other in [stored.device(), ids.device()] {
        if !device.same_device(other) {
            let (lhs, rhs) = (device.location(), other.location());
            return Err(Error::DeviceMismatchBinaryOp { lhs, rhs, op: OP }.bt());
        }
    }
    let ids: Vec<i64> = ids.to_dtype(DType::I64)?.flatten_all()?.to_vec1()?;
    if let Some(bad) = ids.iter().find(|&&e| !usize::try_from(e).is_ok_and(|e| e < experts)) {
        return Err(Error::invalid(OP, format!("index {bad} of {experts} matrices")));
    }
    if ids.is_empty() || n == 0 {
        return Tensor::zeros((batch, topk, n), x.dtype(), device);
    }
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_by_key(|&pair| ids[pair]);
    let mut place = vec![0i64; order.len()];
    order.iter().enumerate().for_each(|(at, &pair)| place[pair] = at as i64);
    let row_of = |&pair: &usize| (if shared == 1 { pair / topk } else { pair }) as i64;
    let from: Vec<i64> = order.iter().map(row_of).collect();
    let pairs = order.len();
    let sorted = x.reshape((batch * shared, k))?.index_select(&Tensor::from_vec(from, pairs, device)?, 0)?;
    let (mut parts, mut start) = (Vec::new(), 0);
    for group in order.chunk_by(|&a, &b| ids[a] == ids[b]) {
        parts.push(product(&sorted.narrow(0, start, group.len())?, ids[group[0]] as usize)?);
        start += group.len();
    }
    let all = Tensor::cat(&parts, 0)?.index_select(&Tensor::from_vec(place, pairs, device)?, 0)?;
    all.reshape((batch, topk, n))
}

fn wrong(weights: &[usize], x: &Tensor, ids: &Tensor) -> Error {
    let text = format!(
        "expected matrices [E, n, k], x [batch, topk or 1, k] and indices [batch, topk], got {weights:?}, {:?} and {:?}",
        x.dims(),
        ids.dims()
    );
    Error::invalid(OP, text)
}
