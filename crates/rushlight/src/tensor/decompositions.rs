//! Decompositions of matrices: QR, eigenvalues and singular values.
//!
//! Functions that iterate wait for the results and return [`Error::Singular`] if these did not converge, which happens for infinities
//! and NaN alone.
use super::Tensor;
use crate::ops::Op;
use crate::ops::adjoint::{adjoint, real_part};
use crate::ops::eig::Eig;
use crate::ops::eigh::Eigh;
use crate::ops::qr::{Qr, QrMode};
use crate::ops::svd::{Svd, SvdMode};
use crate::{Error, Result, Shape};

/// Returns an error if a value is NaN.
fn converged(op: &'static str, values: &Tensor) -> Result<()> {
    let values = values.detach();
    if values.elem_count() == 0 || values.ne(&values)?.max_all()?.to_scalar::<u8>()? == 0 {
        return Ok(());
    }
    let msg = "the algorithm did not converge: do the matrices hold infinities or NaN?".into();
    Err(Error::Singular { op, msg }.bt())
}

/// Returns the sizes of matrices, or an error.
fn matrices(op: &'static str, shape: &Shape) -> Result<(usize, usize)> {
    match shape.dims() {
        [.., m, n] => Ok((*m, *n)),
        _ => Err(crate::ops::cholesky::too_few(op, shape)),
    }
}

impl Tensor {
    /// Computes the QR factorization of matrices `[.., m, n]`: Q with orthonormal columns, and the upper triangular R, whose diagonal
    /// is real and has LAPACK's signs. In [`QrMode::R`] Q has no columns. F32, F64 and COMPLEX dtypes.
    ///
    /// ```
    /// use rushlight::{Device, Tensor, ops::qr::QrMode};
    /// let (q, r) = Tensor::new(&[[3f32], [4.]], &Device::Cpu)?.qr(QrMode::Reduced)?;
    /// assert_eq!(r.to_vec2::<f32>()?, [[-5.]]);
    /// assert_eq!(q.dims(), [2, 1]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// The tensor holds no matrix.
    pub fn qr(&self, mode: QrMode) -> Result<(Self, Self)> {
        let (m, n) = matrices("qr", self.shape())?;
        let op = Qr { mode };
        op.parts(&Tensor::run(Op::Qr(op), &[self])?, m, n)
    }

    fn eigh_of(&self, op: &'static str, upper: bool, vectors: bool) -> Result<(Self, Self)> {
        let (_, n) = matrices(op, self.shape())?;
        let x = self.symmetric()?;
        let x = if upper { adjoint(&x)? } else { x };
        let decompose = Eigh { vectors };
        let (values, vectors) = decompose.parts(&Tensor::run(Op::Eigh(decompose), &[&x])?, n)?;
        let values = real_part(&values)?;
        converged(op, &values)?;
        Ok((values, vectors))
    }

    /// Computes the eigenvalues, which are real, of symmetric or complex Hermitian matrices in ascending order, and the matrices whose
    /// columns are their eigenvectors. One triangle is read, the upper one if `upper` is set. The gradient is symmetric (Hermitian); it is
    /// infinite where eigenvalues are equal. The first of the largest elements of a vector is positive. F32, F64 and COMPLEX dtypes.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let (values, _) = Tensor::new(&[[0f64, 2.], [2., 0.]], &Device::Cpu)?.eigh(false)?;
    /// let values = values.to_vec1::<f64>()?;
    /// assert!((values[0] + 2.).abs() < 1e-14 && (values[1] - 2.).abs() < 1e-14);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// A matrix is not square, or holds infinities or NaN.
    pub fn eigh(&self, upper: bool) -> Result<(Self, Self)> {
        self.eigh_of("eigh", upper, true)
    }

    /// Same as [`Tensor::eigh`], without the vectors.
    ///
    /// # Errors
    /// A matrix is not square, or holds infinities or NaN.
    pub fn eigvalsh(&self, upper: bool) -> Result<Self> {
        Ok(self.eigh_of("eigvalsh", upper, self.track_op())?.0)
    }

    fn svd_of(&self, op: &'static str, mode: SvdMode) -> Result<(Self, Self, Self)> {
        let (m, n) = matrices(op, self.shape())?;
        let decompose = Svd { mode };
        let (u, s, vh) = decompose.parts(&Tensor::run(Op::Svd(decompose), &[self])?, m, n)?;
        let s = real_part(&s)?;
        converged(op, &s)?;
        Ok((u, s, vh))
    }

    /// Computes U, S and V^H, for which `U diag(S) V^H` are the matrices `[.., m, n]`: S, real, in descending order, U and V^H orthonormal,
    /// with as many columns and rows as there are values, or, with `full`, square. The first of the largest elements of a column of U is
    /// positive. There is a gradient, unless `full` is set and the matrices are not square; it is infinite where values are equal.
    /// F32, F64 and COMPLEX dtypes.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let (u, s, vt) = Tensor::new(&[[3f32], [4.]], &Device::Cpu)?.svd(false)?;
    /// assert_eq!(s.to_vec1::<f32>()?, [5.]);
    /// assert_eq!((u.dims(), vt.dims()), (&[2, 1][..], &[1, 1][..]));
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// The tensor holds no matrix, or infinities or NaN.
    pub fn svd(&self, full: bool) -> Result<(Self, Self, Self)> {
        let (m, n) = matrices("svd", self.shape())?;
        self.svd_of("svd", if full && m != n { SvdMode::Full } else { SvdMode::Reduced })
    }

    /// Same as [`Tensor::svd`], without the factors.
    ///
    /// # Errors
    /// The tensor holds no matrix, or infinities or NaN.
    pub fn svdvals(&self) -> Result<Self> {
        let mode = if self.track_op() { SvdMode::Reduced } else { SvdMode::Values };
        Ok(self.svd_of("svdvals", mode)?.1)
    }

    fn eig_of(&self, op: &'static str, vectors: bool) -> Result<(Self, Self)> {
        let (_, n) = matrices(op, self.shape())?;
        let decompose = Eig { vectors };
        let all = Tensor::run(Op::Eig(decompose), &[self])?;
        let last = all.rank() - 1;
        converged(op, &all.narrow(last, 0, if all.dtype().is_complex() { n } else { 2 * n })?)?;
        decompose.parts(&all, n)
    }

    /// Computes the eigenvalues of square matrices, and the matrices whose columns are their eigenvectors, both complex. Values of real
    /// matrices that are not real come in pairs, that with the positive imaginary part first. Vectors have norm 1, and their first largest
    /// element is positive. The gradient is infinite where eigenvalues are equal. On the CPU. F32, F64 and COMPLEX dtypes.
    ///
    /// ```
    /// use rushlight::{C64, Device, Tensor};
    /// let (values, _) = Tensor::new(&[[0f32, 1.], [-1., 0.]], &Device::Cpu)?.eig()?;
    /// assert_eq!(values.to_vec1::<C64>()?, [C64::new(0., 1.), C64::new(0., -1.)]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// A matrix is not square, or holds infinities or NaN; or the tensor is on a GPU.
    pub fn eig(&self) -> Result<(Self, Self)> {
        self.eig_of("eig", true)
    }

    /// Same as [`Tensor::eig`], without the vectors.
    ///
    /// # Errors
    /// As for [`Tensor::eig`].
    pub fn eigvals(&self) -> Result<Self> {
        Ok(self.eig_of("eigvals", self.track_op())?.0)
    }
}
