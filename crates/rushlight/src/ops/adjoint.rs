//! Functions that gradients of decompositions share, for real and complex matrices.
use crate::{DType, Result, Tensor};

/// Returns the transposed and conjugated matrices.
pub(crate) fn adjoint(x: &Tensor) -> Result<Tensor> {
    x.t()?.conj()
}

/// Returns the real parts of complex numbers.
pub(crate) fn real_part(x: &Tensor) -> Result<Tensor> {
    if x.dtype().is_complex() { x.real() } else { Ok(x.clone()) }
}

/// Returns the unit matrix, whose diagonal selects that of other ones.
pub(super) fn unit(n: usize, x: &Tensor) -> Result<Tensor> {
    let real: DType = x.dtype().real_part();
    Tensor::eye(n, real, x.device())?.to_dtype(x.dtype())
}

/// Solves a system by a function for real matrices: a complex matrix acts on pairs of parts as a real matrix of twice the size, which
/// is triangular if the complex one is and has a real diagonal.
pub(super) fn solve_by(
    a: &Tensor,
    b: &Tensor,
    solve: impl FnOnce(&Tensor, &Tensor) -> Result<Tensor>,
) -> Result<Tensor> {
    if !a.dtype().is_complex() {
        return solve(a, b);
    }
    let (rows, columns) = (b.rank() - 2, b.rank() - 1);
    let sized = |t: Tensor, like: &Tensor, m: usize, n: usize| {
        let mut dims = like.dims().to_vec();
        (dims[rows], dims[columns]) = (m, n);
        t.reshape(dims)
    };
    let (n, k) = (b.dims()[rows], b.dims()[columns]);
    let (re, im) = (a.real()?, a.imag()?);
    let top = Tensor::stack(&[&re, &im.neg()?], columns + 1)?;
    let below = Tensor::stack(&[&im, &re], columns + 1)?;
    let pairs = sized(Tensor::stack(&[top, below], columns)?, a, 2 * n, 2 * n)?;
    let right = sized(Tensor::stack(&[b.real()?, b.imag()?], columns)?, b, 2 * n, k)?;
    let mut dims = b.dims()[..rows].to_vec();
    dims.extend([n, 2, k]);
    let found = solve(&pairs, &right)?.reshape(dims)?;
    let part = |i: usize| found.narrow(columns, i, 1)?.squeeze(columns);
    part(0)?.complex(&part(1)?)
}

/// Returns the imaginary parts of the products of columns and their gradients.
pub(super) fn turns(vectors: &Tensor, grad: &Tensor) -> Result<Tensor> {
    (vectors.conj()? * grad)?.sum_keepdim(vectors.rank() - 2)?.imag()
}

/// Adds to a gradient of complex columns what follows from their phase, by which the largest element is positive: `turns` say how
/// the loss depends on the phase. Afterwards it does not.
pub(super) fn with_phases(vectors: &Tensor, grad: &Tensor, turns: &Tensor) -> Result<Tensor> {
    let size = vectors.abs()?;
    let most = size.max_keepdim(vectors.rank() - 2)?;
    let mask = size.detach().broadcast_eq(&most.detach())?.to_dtype(size.dtype())?;
    let im = mask.broadcast_mul(&(turns / most)?.neg()?)?;
    grad + im.zeros_like()?.complex(&im)?
}
