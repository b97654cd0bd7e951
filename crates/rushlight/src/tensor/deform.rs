//! Deformable convolution: samples each window at positions given by an input, then computes one matrix product.
use crate::ops::grid_sample::{SampleMode, SamplePadding, SampleUnit};
use crate::{Error, Result, Tensor};

const OP: &str = "deform_conv2d";

/// Returns input indices of the elements of each window along one dimension, `i * dilation + o * stride - padding`, as
/// `[kernel, out]`.
fn positions(
    like: &Tensor,
    (kernel, dilation): (usize, usize),
    (out, stride): (usize, usize),
    padding: usize,
) -> Result<Tensor> {
    let count = |n: usize, step: usize, start: f64| {
        let n = Tensor::arange(0u32, n as u32, like.device())?.to_dtype(like.dtype())?;
        n.affine(step as f64, start)
    };
    count(kernel, dilation, 0.0)?
        .unsqueeze(1)?
        .broadcast_add(&count(out, stride, -(padding as f64))?.unsqueeze(0)?)
}

impl Tensor {
    /// Computes a deformable convolution (Dai et al. 2017; with `mask` Zhu et al. 2019) of `[N, C, H, W]` with `weight`
    /// `[out, C / groups, kh, kw]`. Element `(i, j)` of a window is interpolated bilinearly at its position plus an
    /// offset, and multiplied by the mask. `offset` is `[N, 2 offset_groups kh kw, oh, ow]`, where the row's offset
    /// comes before the column's; `mask` is `[N, offset_groups kh kw, oh, ow]`; `bias` is `[out]`. Positions outside
    /// the image read zeros. FLOAT dtypes; all operands have the same one. Gradients of every operand have the same
    /// bits in every run. Fails if shapes do not fit.
    ///
    /// ```
    /// use rushlight::{DType, Device, Tensor};
    /// let x = Tensor::new(&[[[[1f32, 2.], [3., 4.]]]], &Device::Cpu)?;
    /// let weight = Tensor::ones((1, 1, 1, 1), DType::F32, &Device::Cpu)?;
    /// let offset = Tensor::full(0.5f32, (1, 2, 2, 2), &Device::Cpu)?;
    /// let y = x.deform_conv2d(&offset, &weight, None, None, [1, 1], [0, 0], [1, 1])?;
    /// assert_eq!(y.flatten_all()?.to_vec1::<f32>()?, [2.5, 1.5, 1.75, 1.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    #[allow(clippy::too_many_arguments)]
    pub fn deform_conv2d(
        &self,
        offset: &Self,
        weight: &Self,
        bias: Option<&Self>,
        mask: Option<&Self>,
        stride: [usize; 2],
        padding: [usize; 2],
        dilation: [usize; 2],
    ) -> Result<Self> {
        let (n, c, h, w) = self.dims4()?;
        let (outputs, per_group, kh, kw) = weight.dims4()?;
        let (batch, rows, oh, ow) = offset.dims4()?;
        let window = kh * kw;
        let size = |d: usize, size: usize, kernel: usize| {
            let span = dilation[d] * kernel.saturating_sub(1) + 1;
            (size + 2 * padding[d]).checked_sub(span).map(|rest| rest / stride[d].max(1) + 1)
        };
        let fits = window > 0
            && !stride.contains(&0)
            && !dilation.contains(&0)
            && (size(0, h, kh), size(1, w, kw)) == (Some(oh), Some(ow))
            && batch == n
            && rows > 0
            && rows % (2 * window) == 0;
        let shapes = |what: &str, t: &Self| {
            let text = format!(
                "{what} {:?} does not fit the input {:?} and the weight {:?}",
                t.dims(),
                self.dims(),
                weight.dims()
            );
            Err(Error::invalid(OP, text))
        };
        if !fits {
            return shapes("offset", offset);
        }
        let deformed = rows / (2 * window);
        if per_group == 0 || c % per_group != 0 || c % deformed != 0 || outputs % (c / per_group) != 0 {
            return shapes("offset", offset);
        }
        let groups = c / per_group;
        let (fields, points) = (n * deformed, oh * ow);
        // The coordinates (row, column) of every element of every window.
        let ys = positions(self, (kh, dilation[0]), (oh, stride[0]), padding[0])?;
        let xs = positions(self, (kw, dilation[1]), (ow, stride[1]), padding[1])?;
        let ys = ys.reshape((kh, 1, oh, 1))?.broadcast_as((kh, kw, oh, ow))?;
        let xs = xs.reshape((1, kw, 1, ow))?.broadcast_as((kh, kw, oh, ow))?;
        let regular = Tensor::stack(&[ys, xs], 4)?.reshape((1, window, points, 2))?;
        let moved = offset.reshape((fields, window, 2, points))?.transpose(2, 3)?;
        let grid = moved.broadcast_add(&regular)?;
        let image = self.reshape((fields, c / deformed, h, w))?;
        let mut columns =
            image.grid_sample(&grid, SampleMode::Bilinear, SamplePadding::Zeros, SampleUnit::Pixels)?;
        if let Some(mask) = mask {
            if mask.dims() != [n, deformed * window, oh, ow] {
                return shapes("mask", mask);
            }
            columns = columns.broadcast_mul(&mask.reshape((fields, 1, window, points))?)?;
        }
        let columns = columns.reshape((n, groups, per_group * window, points))?;
        let weight = weight.reshape((1, groups, outputs / groups, per_group * window))?;
        let out = weight.broadcast_matmul(&columns)?.reshape((n, outputs, oh, ow))?;
        match bias {
            None => Ok(out),
            Some(b) if b.dims() == [outputs] => out.broadcast_add(&b.reshape((1, outputs, 1, 1))?),
            Some(b) => shapes("bias", b),
        }
    }
}
