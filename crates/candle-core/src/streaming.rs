//! Tensors that arrive in parts along a dimension: audio, for example.
use rushlight::{D, Module, Result, Shape, Tensor, bail};

/// A dimension that can be used more than once.
pub trait Dim: rushlight::Dim + Copy {}
impl<T: rushlight::Dim + Copy> Dim for T {}

/// A part of a stream: a tensor, or nothing.
#[derive(Clone)]
pub struct StreamTensor(Option<Tensor>);

impl std::fmt::Debug for StreamTensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.shape() {
            Some(shape) => write!(f, "{shape:?}"),
            None => f.write_str("Empty"),
        }
    }
}

impl From<Option<Tensor>> for StreamTensor {
    fn from(tensor: Option<Tensor>) -> Self {
        Self(tensor)
    }
}

impl From<Tensor> for StreamTensor {
    fn from(tensor: Tensor) -> Self {
        Self(Some(tensor))
    }
}

impl From<()> for StreamTensor {
    fn from((): ()) -> Self {
        Self(None)
    }
}

impl StreamTensor {
    /// Returns nothing as a part.
    pub fn empty() -> Self {
        Self(None)
    }

    /// Returns a tensor as a part.
    pub fn from_tensor(tensor: Tensor) -> Self {
        Self(Some(tensor))
    }

    /// Returns the tensor.
    pub fn as_option(&self) -> Option<&Tensor> {
        self.0.as_ref()
    }

    /// Returns the tensor's shape.
    pub fn shape(&self) -> Option<&Shape> {
        self.0.as_ref().map(Tensor::shape)
    }

    /// Returns the length of a dimension, 0 of nothing.
    pub fn seq_len<I: Dim>(&self, dim: I) -> Result<usize> {
        self.0.as_ref().map_or(Ok(0), |t| t.dim(dim))
    }

    /// Makes it nothing.
    pub fn reset(&mut self) {
        self.0 = None;
    }

    /// Joins two parts along a dimension.
    pub fn cat2<I: Dim>(&self, rhs: &Self, dim: I) -> Result<Self> {
        match (&self.0, &rhs.0) {
            (Some(a), Some(b)) => Ok(Tensor::cat(&[a, b], dim)?.into()),
            (Some(t), None) | (None, Some(t)) => Ok(t.clone().into()),
            (None, None) => Ok(Self::empty()),
        }
    }

    /// Returns up to `len` elements of a dimension, from `offset` on.
    pub fn narrow<I: Dim>(&self, dim: I, offset: usize, len: usize) -> Result<Self> {
        let left = self.seq_len(dim)?.saturating_sub(offset);
        match &self.0 {
            Some(t) if left > 0 => Ok(t.narrow(dim, offset, len.min(left))?.into()),
            _ => Ok(Self::empty()),
        }
    }

    /// Returns the first `lhs_len` elements of a dimension, and the others.
    pub fn split<I: Dim>(&self, dim: I, lhs_len: usize) -> Result<(Self, Self)> {
        let first = if lhs_len == 0 { Self::empty() } else { self.narrow(dim, 0, lhs_len)? };
        Ok((first, self.narrow(dim, lhs_len, usize::MAX)?))
    }

    /// Applies a module to the tensor, if there is one.
    pub fn apply<M: Module>(&self, m: &M) -> Result<Self> {
        Ok(Self(self.0.as_ref().map(|t| t.apply(m)).transpose()?))
    }
}

/// A module that is given a stream part by part. It may keep elements until it has as many as it needs.
pub trait StreamingModule {
    /// Returns what follows from the next part.
    fn step(&mut self, xs: &StreamTensor) -> Result<StreamTensor>;
    /// Forgets the elements that were kept.
    fn reset_state(&mut self);
}

/// The operation of a [`StreamingBinOp`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Mul,
    Sub,
    Div,
}

/// An operation of two streams whose parts may have different lengths.
#[derive(Debug, Clone)]
pub struct StreamingBinOp {
    prev_lhs: StreamTensor,
    prev_rhs: StreamTensor,
    /// The operation.
    pub op: BinOp,
    /// The dimension along which parts follow one another.
    pub dim: D,
}

impl StreamingBinOp {
    /// Returns an operation that has kept nothing.
    pub fn new(op: BinOp, dim: D) -> Self {
        Self { prev_lhs: StreamTensor::empty(), prev_rhs: StreamTensor::empty(), op, dim }
    }

    /// Forgets the elements that were kept.
    pub fn reset_state(&mut self) {
        self.prev_lhs.reset();
        self.prev_rhs.reset();
    }

    /// Computes the operation of two tensors.
    pub fn forward(&self, lhs: &Tensor, rhs: &Tensor) -> Result<Tensor> {
        match self.op {
            BinOp::Add => lhs.add(rhs),
            BinOp::Mul => lhs.mul(rhs),
            BinOp::Sub => lhs.sub(rhs),
            BinOp::Div => lhs.div(rhs),
        }
    }

    /// Computes the operation of the elements that both streams have had so far, and keeps the others.
    pub fn step(&mut self, lhs: &StreamTensor, rhs: &StreamTensor) -> Result<StreamTensor> {
        let lhs = self.prev_lhs.cat2(lhs, self.dim)?;
        let rhs = self.prev_rhs.cat2(rhs, self.dim)?;
        let common = lhs.seq_len(self.dim)?.min(rhs.seq_len(self.dim)?);
        let (lhs, prev_lhs) = lhs.split(self.dim, common)?;
        let (rhs, prev_rhs) = rhs.split(self.dim, common)?;
        let out = match (&lhs.0, &rhs.0) {
            (Some(lhs), Some(rhs)) => self.forward(lhs, rhs)?.into(),
            (None, None) => StreamTensor::empty(),
            _ => bail!("streaming: one of two parts is empty: {lhs:?} and {rhs:?}"),
        };
        (self.prev_lhs, self.prev_rhs) = (prev_lhs, prev_rhs);
        Ok(out)
    }
}

/// A module without a state as a [`StreamingModule`].
#[derive(Debug)]
pub struct Map<T: Module>(T);

impl<T: Module> StreamingModule for Map<T> {
    fn step(&mut self, xs: &StreamTensor) -> Result<StreamTensor> {
        xs.apply(&self.0)
    }
    fn reset_state(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use rushlight::Device;

    fn part(values: &[f32]) -> Result<StreamTensor> {
        if values.is_empty() {
            return Ok(().into());
        }
        Ok(Tensor::from_slice(values, (1, values.len()), &Device::Cpu)?.into())
    }

    fn values(part: &StreamTensor) -> Result<Vec<f32>> {
        part.as_option().map_or(Ok(Vec::new()), |t| t.flatten_all()?.to_vec1())
    }

    /// The sums of two streams, however they are divided.
    #[test]
    fn elements_wait_for_those_of_the_other_stream() -> Result<()> {
        let mut sum = StreamingBinOp::new(BinOp::Add, D::Minus1);
        for (a, b, want) in [
            (&[1f32, 2., 3.][..], &[10f32][..], &[11f32][..]),
            (&[], &[20., 30.], &[22., 33.]),
            (&[4.], &[], &[]),
            (&[], &[40., 50.], &[44.]),
        ] {
            assert_eq!(values(&sum.step(&part(a)?, &part(b)?)?)?, want);
        }
        sum.reset_state();
        assert_eq!(values(&sum.step(&part(&[1.])?, &part(&[1.])?)?)?, [2.]);
        Ok(())
    }

    #[test]
    fn parts_of_a_part() -> Result<()> {
        let all = part(&[1., 2., 3.])?;
        let (first, rest) = all.split(1, 2)?;
        assert_eq!((values(&first)?, values(&rest)?), (vec![1., 2.], vec![3.]));
        let (first, rest) = all.split(1, 5)?;
        assert_eq!((values(&first)?.len(), format!("{rest:?}")), (3, "Empty".to_string()));
        assert_eq!(all.split(1, 0)?.0.seq_len(1)?, 0);
        assert_eq!(values(&all.narrow(1, 1, 1)?)?, [2.]);
        Ok(())
    }
}
