//! Linear algebra: functions that combine the ops of factorizations and of triangular systems.
//!
//! A function whose name ends in `_ex` returns, as I32, 0 for each matrix that could be factorized, else the number of the row at
//! which that failed, from 1 on. The others wait for these numbers and return [`Error::Singular`] if one is not 0.
use super::Tensor;
use crate::autograd::GradFn;
use crate::ops::Op;
use crate::ops::cholesky::{Cholesky, check_square};
use crate::ops::lu_factor::{LuFactor, factors, pivots, rows_in_order};
use crate::ops::solve_triangular::SolveTriangular;
use crate::{D, DType, Error, Result, Shape};

/// An LU factorization: factors, pivots, and whether each diagonal element of the upper factor is 0 (U8).
struct Lu {
    all: Tensor,
    zeros: Tensor,
}

impl Lu {
    fn of(x: &Tensor) -> Result<Self> {
        let all = Tensor::run(Op::LuFactor(LuFactor), &[x])?;
        let zeros = Self::diagonal(&all)?.detach().eq(0.0)?;
        Ok(Self { all, zeros })
    }

    /// The diagonal of the upper factor.
    fn diagonal(all: &Tensor) -> Result<Tensor> {
        let dims = all.dims();
        let (m, n) = (dims[dims.len() - 2] - 1, dims[dims.len() - 1]);
        diagonal(all, m.min(n))
    }
}

/// Returns the first `n` elements of the diagonals of matrices.
fn diagonal(x: &Tensor, n: usize) -> Result<Tensor> {
    let columns = x.dims()[x.rank() - 1];
    let flat = x.flatten_from(x.rank() - 2)?;
    flat.slice(flat.rank() - 1, 0, n, columns + 1)
}

/// Returns for each line of a truth tensor the number of the first true element, from 1 on, as I32; 0 if there is none.
fn first_true(x: &Tensor) -> Result<Tensor> {
    let last = x.rank() - 1;
    if x.dims()[last] == 0 {
        return x.sum(last)?.to_dtype(DType::I32);
    }
    let number = x.argmax(last)?.to_dtype(DType::I32)?.affine(1.0, 1.0)?;
    number * x.any(last)?.to_dtype(DType::I32)?
}

/// Returns an error if an element of a truth tensor is true. `what` describes what is wrong with the matrix, after its name.
fn check(op: &'static str, failed: &Tensor, what: fn(i32) -> String) -> Result<()> {
    if failed.elem_count() == 0 || failed.max_all()?.to_scalar::<u8>()? == 0 {
        return Ok(());
    }
    let all = first_true(failed)?.flatten_all()?.to_vec1::<i32>()?;
    let found = all.iter().enumerate().find(|(_, row)| **row != 0);
    let (matrix, row) = found.map_or((0, 0), |(i, row)| (i, *row));
    let which = if failed.rank() > 1 { format!("matrix {matrix} of the batch") } else { "the matrix".into() };
    Err(Error::Singular { op, msg: format!("{which} {}", what(row)) }.bt())
}

fn not_positive(row: i32) -> String {
    format!("is not positive definite: its leading minor of order {row} is not positive")
}

fn singular(row: i32) -> String {
    format!("is singular: the pivot of row {row} is 0")
}

/// Returns two tensors of matrices with their batch dimensions broadcast to one shape.
fn batched(op: &'static str, a: &Tensor, b: &Tensor) -> Result<(Tensor, Tensor)> {
    let (Some(ra), Some(rb)) = (a.rank().checked_sub(2), b.rank().checked_sub(2)) else {
        return Err(Error::shapes(a.shape(), b.shape(), op));
    };
    if a.dims()[..ra] == b.dims()[..rb] {
        return Ok((a.clone(), b.clone()));
    }
    let lead = |t: &Tensor, n: usize| Shape::from(&t.dims()[..n]);
    let outer = lead(a, ra).broadcast_shape_binary_op(&lead(b, rb), op)?;
    let whole = |t: &Tensor, n: usize| t.broadcast_as(outer.clone().extend(&t.dims()[n..]));
    Ok((whole(a, ra)?, whole(b, rb)?))
}

impl Tensor {
    /// The same matrices, to which gradients flow symmetrically: for ops that read one triangle of symmetric matrices.
    pub(super) fn symmetric(&self) -> Result<Self> {
        if self.rank() < 2 || !self.track_op() {
            return Ok(self.clone());
        }
        self.view(self.layout(), || GradFn::Symmetric)
    }

    fn factor_of(&self, upper: bool) -> Result<(Self, Self)> {
        let x = self.symmetric()?;
        let x = if upper && x.rank() >= 2 { x.t()? } else { x };
        let factor = Tensor::run(Op::Cholesky(Cholesky), &[&x])?;
        let roots = diagonal(&factor.detach(), factor.dims()[factor.rank() - 1])?;
        let failed = roots.ne(&roots)?;
        Ok((if upper { factor.t()? } else { factor }, failed))
    }

    /// Computes Cholesky's factor L of positive definite matrices `L L^T`, of which the lower triangle is read; with `upper` the
    /// factor `L^T`, from the upper triangle. The gradient is symmetric. F32 and F64.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[4f32, 2.], [2., 10.]], &Device::Cpu)?;
    /// assert_eq!(x.cholesky(false)?.to_vec2::<f32>()?, [[2., 0.], [1., 3.]]);
    /// assert!(x.neg()?.cholesky(false).is_err());
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// A matrix is not square or not positive definite.
    pub fn cholesky(&self, upper: bool) -> Result<Self> {
        let (factor, failed) = self.factor_of(upper)?;
        check("cholesky", &failed, not_positive)?;
        Ok(factor)
    }

    /// Same as [`Tensor::cholesky`], with the order of the first leading minor that is not positive, or 0. A factor that does not
    /// exist has NaN on its diagonal.
    ///
    /// # Errors
    /// A matrix is not square.
    pub fn cholesky_ex(&self, upper: bool) -> Result<(Self, Self)> {
        let (factor, failed) = self.factor_of(upper)?;
        Ok((factor, first_true(&failed)?))
    }

    /// Computes the LU factorization of matrices `[.., m, n]` with exchanges of rows: both factors in one matrix (the ones on the
    /// diagonal of the lower one are left out), the number of the row that each row is exchanged with, from 1 on (I32), and
    /// the number of the first pivot that is 0, or 0. F32 and F64.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[1f32, 2.], [2., 8.]], &Device::Cpu)?;
    /// let (lu, pivots, info) = x.lu_factor_ex()?;
    /// assert_eq!(lu.to_vec2::<f32>()?, [[2., 8.], [0.5, -2.]]);
    /// assert_eq!((pivots.to_vec1::<i32>()?, info.to_scalar::<i32>()?), (vec![2, 2], 0));
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// The tensor holds no matrix.
    pub fn lu_factor_ex(&self) -> Result<(Self, Self, Self)> {
        let lu = Lu::of(self)?;
        Ok((factors(&lu.all)?, pivots(&lu.all)?, first_true(&lu.zeros)?))
    }

    /// Returns P, L and U, for which `P L U` is the matrix, from the results of [`Tensor::lu_factor_ex`].
    ///
    /// # Errors
    /// Shapes do not fit.
    pub fn lu_unpack(&self, pivots: &Self) -> Result<(Self, Self, Self)> {
        let [.., m, n] = *self.dims() else {
            return Err(Error::shapes(self.shape(), pivots.shape(), "lu_unpack"));
        };
        let (k, dim) = (m.min(n), self.rank() - 2);
        let order = pivots.pivots_to_permutation(m)?.unsqueeze(dim)?;
        let rows = Tensor::arange(0i64, m as i64, self.device())?.unsqueeze(1)?;
        let p = order.broadcast_eq(&rows)?.to_dtype(self.dtype())?;
        let eye = Tensor::eye(k, self.dtype(), self.device())?;
        let lower = self.narrow(dim + 1, 0, k)?.tril(-1)?;
        let eye = if m > k { eye.pad_with_zeros(0, 0, m - k)? } else { eye };
        Ok((p, lower.broadcast_add(&eye)?, self.narrow(dim, 0, k)?.triu(0)?))
    }

    /// Solves `A X = B` for a triangular matrix A, `self`, of which the other triangle is not read, and with `unit` neither the
    /// diagonal, which then counts as ones; with `left = false` it solves `X A = B`. Batch dimensions broadcast. F32 and F64.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let a = Tensor::new(&[[2f32, 0.], [1., 4.]], &Device::Cpu)?;
    /// let b = Tensor::new(&[[2f32], [9.]], &Device::Cpu)?;
    /// assert_eq!(a.solve_triangular(&b, false, true, false)?.to_vec2::<f32>()?, [[1.], [2.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// Shapes do not fit.
    pub fn solve_triangular(&self, b: &Self, upper: bool, left: bool, unit: bool) -> Result<Self> {
        let (a, b) = batched("solve_triangular", self, b)?;
        if left {
            return Tensor::run(Op::SolveTriangular(SolveTriangular { upper, unit }), &[&a, &b]);
        }
        let op = Op::SolveTriangular(SolveTriangular { upper: !upper, unit });
        Tensor::run(op, &[&a.t()?, &b.t()?])?.t()
    }

    /// Solves `A X = B` by the factors of A, `self`, and the pivots of [`Tensor::lu_factor_ex`]; with `transposed` it solves
    /// `A^T X = B`, and with `left = false` the system of `X A`. Batch dimensions broadcast.
    ///
    /// # Errors
    /// Shapes do not fit.
    pub fn lu_solve(&self, pivots: &Self, b: &Self, left: bool, transposed: bool) -> Result<Self> {
        self.lu_solve_for("lu_solve", pivots, b, left, transposed)
    }

    fn lu_solve_for(
        &self,
        op: &'static str,
        pivots: &Self,
        b: &Self,
        left: bool,
        transposed: bool,
    ) -> Result<Self> {
        check_square(op, self.shape())?;
        let b = if left || b.rank() < 2 { b.clone() } else { b.t()? };
        let (lu, b) = batched(op, self, &b)?;
        if lu.dims()[..lu.rank() - 1] != b.dims()[..b.rank() - 1] {
            return Err(Error::shapes(lu.shape(), b.shape(), op));
        }
        let order = pivots.pivots_to_permutation(self.dims()[self.rank() - 2])?;
        let x = if transposed == left {
            let y = lu.t()?.solve_triangular(&b, false, true, false)?;
            let z = lu.t()?.solve_triangular(&y, true, true, true)?;
            let back = order.argsort(D::Minus1, false, DType::I64)?;
            rows_in_order(&z, &back)?
        } else {
            let y = lu.solve_triangular(&rows_in_order(&b, &order)?, false, true, true)?;
            lu.solve_triangular(&y, true, true, false)?
        };
        if left { Ok(x) } else { x.t() }
    }

    /// Factorizes these square matrices, and solves for `b`.
    fn solve_by(&self, op: &'static str, b: &Self, left: bool) -> Result<(Lu, Self)> {
        check_square(op, self.shape())?;
        let lu = Lu::of(self)?;
        let x = factors(&lu.all)?.lu_solve_for(op, &pivots(&lu.all)?, b, left, false)?;
        Ok((lu, x))
    }

    /// Solves `A X = B` for a square matrix A, `self`, and matrices B of shape `[.., n, k]`; with `left = false` it solves
    /// `X A = B`. Batch dimensions broadcast. F32 and F64.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let a = Tensor::new(&[[1f32, 2.], [2., 8.]], &Device::Cpu)?;
    /// let b = Tensor::new(&[[5f32], [18.]], &Device::Cpu)?;
    /// assert_eq!(a.solve(&b, true)?.to_vec2::<f32>()?, [[1.], [2.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// A matrix is singular, or shapes do not fit.
    pub fn solve(&self, b: &Self, left: bool) -> Result<Self> {
        let (lu, x) = self.solve_by("solve", b, left)?;
        check("solve", &lu.zeros, singular)?;
        Ok(x)
    }

    /// Same as [`Tensor::solve`], with the number of the first pivot that is 0, or 0.
    ///
    /// # Errors
    /// Shapes do not fit.
    pub fn solve_ex(&self, b: &Self, left: bool) -> Result<(Self, Self)> {
        let (lu, x) = self.solve_by("solve_ex", b, left)?;
        Ok((x, first_true(&lu.zeros)?))
    }

    fn unit_like(&self) -> Result<Self> {
        let n = self.dims().last().copied().unwrap_or(0);
        Tensor::eye(n, self.dtype(), self.device())
    }

    /// Returns the inverses of square matrices. F32 and F64.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let a = Tensor::new(&[[1f32, 2.], [2., 8.]], &Device::Cpu)?;
    /// assert_eq!(a.inv()?.to_vec2::<f32>()?, [[2., -0.5], [-0.5, 0.25]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// A matrix is singular or not square.
    pub fn inv(&self) -> Result<Self> {
        let (lu, x) = self.solve_by("inv", &self.unit_like()?, true)?;
        check("inv", &lu.zeros, singular)?;
        Ok(x)
    }

    /// Same as [`Tensor::inv`], with the number of the first pivot that is 0, or 0.
    ///
    /// # Errors
    /// A matrix is not square.
    pub fn inv_ex(&self) -> Result<(Self, Self)> {
        let (lu, x) = self.solve_by("inv_ex", &self.unit_like()?, true)?;
        Ok((x, first_true(&lu.zeros)?))
    }

    /// The signs that exchanges of rows give determinants.
    fn signs(pivots: &Self, dtype: DType) -> Result<Self> {
        let n = pivots.dims()[pivots.rank() - 1];
        let own = Tensor::arange(1i32, n as i32 + 1, pivots.device())?;
        let moved = pivots.broadcast_ne(&own)?.to_dtype(DType::I32)?.affine(-2.0, 1.0)?;
        moved.prod(D::Minus1)?.to_dtype(dtype)
    }

    fn determinant_of(&self, op: &'static str) -> Result<(Self, Self)> {
        check_square(op, self.shape())?;
        let all = Tensor::run(Op::LuFactor(LuFactor), &[self])?;
        Ok((Self::signs(&pivots(&all)?, self.dtype())?, Lu::diagonal(&all)?))
    }

    /// Returns the determinants of square matrices. The gradient needs matrices that have an inverse. F32 and F64.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let a = Tensor::new(&[[1f32, 2.], [2., 8.]], &Device::Cpu)?;
    /// assert_eq!(a.det()?.to_scalar::<f32>()?, 4.);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// A matrix is not square.
    pub fn det(&self) -> Result<Self> {
        let (sign, diagonal) = self.determinant_of("det")?;
        diagonal.prod(D::Minus1)? * sign
    }

    /// Returns the signs of determinants, and the logarithms of their magnitudes, which do not overflow; 0 and negative infinity for
    /// singular matrices.
    ///
    /// # Errors
    /// A matrix is not square.
    pub fn slogdet(&self) -> Result<(Self, Self)> {
        let (sign, diagonal) = self.determinant_of("slogdet")?;
        let signs = diagonal.detach().sign()?.prod(D::Minus1)?;
        Ok(((signs * sign)?, diagonal.abs()?.log()?.sum(D::Minus1)?))
    }
}
