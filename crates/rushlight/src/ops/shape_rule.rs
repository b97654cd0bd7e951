//! The rules for shapes of outputs, as data. `infer` computes the shape from the rule, so the two cannot disagree.
use super::{Meta, same_shape};
use crate::shape::DimVec;
use crate::{Error, Result, Shape};

/// The shape of an op's output, from the shapes of its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShapeRule {
    /// The shape of input N.
    Input(usize),
    /// The shape that all inputs have.
    Equal,
    /// The shape that all inputs have, which includes dimension `dim`.
    Along {
        /// The dimension.
        dim: usize,
    },
    /// The shape of input 0 without the dimensions of a set, or with size 1 for them.
    Reduced {
        /// Bit i: dimension i is reduced.
        axes: u32,
        /// Whether reduced dimensions stay with size 1.
        keepdim: bool,
    },
    /// `[.., m, k]` and `[.., k, n]` give `[.., m, n]`.
    Product,
    /// The shape of input 0. Indices select along dimension `dim`, which must exist.
    Indexed {
        /// The dimension.
        dim: usize,
    },
    /// The shape of input 0, with the length of the index vector, input 1, in one dimension.
    Selected {
        /// The dimension.
        dim: usize,
    },
    /// The shape of the indices, input 1. In dimensions other than `dim`, it may be smaller than input 0.
    Gathered {
        /// The dimension.
        dim: usize,
    },
    /// Computed by `infer` from sizes and attributes. The text describes the rule.
    Computed(&'static str),
}

impl ShapeRule {
    /// Returns the output's shape.
    ///
    /// # Errors
    /// The inputs' shapes do not fit the rule, or the rule is [`ShapeRule::Computed`].
    #[inline(always)]
    pub fn infer(self, op: &'static str, ins: &[Meta]) -> Result<Shape> {
        match self {
            Self::Input(i) => Ok(ins[i].shape.clone()),
            Self::Equal => same_shape(ins, op),
            rule => rule.infer_other(op, ins),
        }
    }

    fn infer_other(self, op: &'static str, ins: &[Meta]) -> Result<Shape> {
        let x = &ins[0].shape;
        let with = |dim: usize| match dim < x.rank() {
            true => Ok(()),
            false => Err(x.out_of_range(dim as i32, op)),
        };
        let mismatch = || Error::ShapeMismatchBinaryOp { lhs: x.clone(), rhs: ins[1].shape.clone(), op }.bt();
        match self {
            Self::Input(_) | Self::Equal => self.infer(op, ins),
            Self::Along { dim } => {
                let shape = same_shape(ins, op)?;
                with(dim)?;
                Ok(shape)
            }
            Self::Reduced { axes, keepdim } => {
                let sizes = x.dims().iter().enumerate();
                let dims: DimVec = match keepdim {
                    true => sizes.map(|(i, &d)| if axes >> i & 1 == 1 { 1 } else { d }).collect(),
                    false => sizes.filter(|(i, _)| axes >> i & 1 == 0).map(|(_, d)| *d).collect(),
                };
                Ok(dims.into())
            }
            Self::Product => {
                let (a, b) = (x.dims(), ins[1].shape.dims());
                let rank = a.len();
                let fits = rank >= 2
                    && b.len() == rank
                    && a[rank - 1] == b[rank - 2]
                    && a[..rank - 2] == b[..rank - 2];
                if !fits {
                    return Err(mismatch());
                }
                Ok(Shape::from(&a[..rank - 1]).extend(&[b[rank - 1]]))
            }
            Self::Indexed { dim } => {
                with(dim)?;
                Ok(x.clone())
            }
            Self::Selected { dim } => {
                with(dim)?;
                let indices = &ins[1].shape;
                if indices.rank() != 1 {
                    return Err(Error::UnexpectedNumberOfDims {
                        expected: 1,
                        got: indices.rank(),
                        shape: indices.clone(),
                    }
                    .bt());
                }
                let mut dims = DimVec::from_slice(x.dims());
                dims[dim] = indices.dims()[0];
                Ok(dims.into())
            }
            Self::Gathered { dim } => {
                with(dim)?;
                let indices = &ins[1].shape;
                let sizes = x.dims().iter().zip(indices.dims()).enumerate();
                let fits = x.rank() == indices.rank()
                    && sizes.into_iter().all(|(i, (size, n))| i == dim || n <= size);
                if fits { Ok(indices.clone()) } else { Err(mismatch()) }
            }
            Self::Computed(_) => Err(Error::invalid(op, "has no shape rule as data")),
        }
    }
}

impl std::fmt::Display for ShapeRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Input(i) => write!(f, "that of input {i}"),
            Self::Equal => write!(f, "that of all inputs"),
            Self::Along { .. } => write!(f, "that of all inputs, with `dim`"),
            Self::Reduced { .. } => write!(f, "that of input 0 without `axes`, or with size 1 for them"),
            Self::Product => write!(f, "[.., m, k] and [.., k, n] give [.., m, n]"),
            Self::Indexed { .. } => write!(f, "that of input 0, with `dim`"),
            Self::Selected { .. } => write!(f, "that of input 0, with as many entries in `dim` as indices"),
            Self::Gathered { .. } => write!(f, "that of the indices"),
            Self::Computed(text) => write!(f, "{text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ShapeRule;
    use crate::ops::{Meta, Op};

    /// Every rule other than `Computed` gives the shape that the op returns.
    #[test]
    fn rules_give_the_inferred_shapes() {
        let mut rules = 0;
        for s in Op::all_samples().iter().filter(|s| s.error.is_none()) {
            let rule = s.op.shape_rule();
            if matches!(rule, ShapeRule::Computed(_)) {
                continue;
            }
            for row in s.dtype_rows() {
                let ins: Vec<Meta> =
                    s.inputs.iter().zip(&row).map(|(i, d)| Meta::new(i.shape.clone(), *d)).collect();
                let op = row.first().map_or_else(|| s.op.clone(), |d| s.op.with_dtype(*d));
                let Ok(meta) = op.infer(&ins) else { continue };
                assert_eq!(rule.infer(op.name(), &ins).unwrap(), meta.shape, "{}", op.name());
                rules += 1;
            }
        }
        assert!(rules > 3000, "{rules}");
    }
}
