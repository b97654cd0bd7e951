//! The CPU backend's exhaustive match, which calls the kernel of each op.
use super::kernels::{
    accumulate_norm, activation, attention, bias_activation as ba, cast, conv, copy, cumsum,
    elementwise as ew, fft, fused, generate, grid_sample, grouped_matmul, im2col, index, layerwise, linalg,
    loss, matmul, moves, norm, optim, pad, pointwise_loss as pl, pooling, predicate, quantized,
    quantized_int8, random, recurrent, reduce, softmax, sort, sparse, upsample,
};
use crate::device::{cpu_mut, cpu_ref};
use crate::ops::Op;
use crate::storage::{View, ViewMut};
use crate::{Error, Result};
use smallvec::SmallVec;

/// Runs an op. The caller has checked the operands.
pub(crate) fn run(op: &Op, inputs: &[View<'_>], outputs: &mut [ViewMut<'_>]) -> Result<()> {
    crate::settings::check()?;
    let name = op.name();
    let input = |i: usize| -> Result<ew::Src<'_>> {
        let v = inputs.get(i).ok_or_else(|| Error::invalid(name, "an operand is missing"))?;
        Ok((cpu_ref(v.storage)?, v.layout))
    };
    let optional = |i: usize| if i < inputs.len() { input(i).map(Some) } else { Ok(None) };
    let [first, rest @ ..] = outputs else {
        return Err(Error::invalid(name, "has no output"));
    };
    let out: ew::Dst<'_> = (cpu_mut(first.storage)?, first.layout);
    match op {
        Op::Unary(c) => ew::unary(c.0, name, input(0)?, out),
        Op::Binary(c) => ew::binary(c.0, name, input(0)?, input(1)?, out),
        Op::Cmp(c) => ew::cmp(*c, name, input(0)?, input(1)?, out),
        Op::Predicate(c) => {
            let second = if c.0.is_binary() { Some(input(1)?) } else { None };
            predicate::predicate(*c, input(0)?, second, out)
        }
        Op::Reduce(c) => reduce::reduce(c, name, input(0)?, out),
        Op::Affine(c) => ew::affine(*c, input(0)?, out),
        Op::Powf(c) => ew::powf(c.0, input(0)?, out),
        Op::Elu(c) => ew::elu(c.0, input(0)?, out),
        Op::Cast(_) => cast::cast(input(0)?, out),
        Op::WhereCond(_) => ew::where_cond(input(0)?, input(1)?, input(2)?, out),
        Op::Copy(_) => {
            let (s, l) = input(0)?;
            copy::copy(s, l, out.0, out.1)
        }
        Op::Fill(c) => ew::fill(c.0, out),
        Op::MatMul(_) => matmul::matmul(input(0)?, input(1)?, out),
        Op::GroupedMatMul(_) => grouped_matmul::grouped_matmul(input(0)?, input(1)?, input(2)?, out),
        Op::CsrMatMul(c) => sparse::csr_matmul(c.rule, [input(0)?, input(1)?, input(2)?, input(3)?], out),
        Op::SampledMatMul(c) => {
            sparse::sampled_matmul(c.rule, [input(0)?, input(1)?, input(2)?, input(3)?], out)
        }
        Op::Dequantize(c) => quantized::dequantize(c.format, input(0)?, out),
        Op::QMatMul(c) => quantized::qmatmul(*c, input(0)?, input(1)?, out),
        Op::QuantizeInt8(_) => quantized_int8::quantize_int8(input(0)?, out),
        Op::QMatMulInt8(c) => quantized_int8::qmatmul_int8(*c, input(0)?, input(1)?, out),
        Op::Conv(c) => conv::conv(&c.window, c.groups, input(0)?, input(1)?, out),
        Op::ConvTranspose(c) => conv::conv_transpose(&c.window, c.groups, input(0)?, input(1)?, out),
        Op::ConvWeightGrad(c) => conv::conv_weight_grad(&c.window, c.groups, input(0)?, input(1)?, out),
        Op::MaxPool(c) => pooling::max_pool(&c.pool, input(0)?, out),
        Op::MaxPoolBackward(c) => pooling::max_pool_backward(&c.pool, input(0)?, input(1)?, out),
        Op::MaxPoolIndices(c) => pooling::max_pool_indices(&c.pool, input(0)?, out),
        Op::AvgPool(c) => pooling::avg_pool(c, input(0)?, out),
        Op::AvgPoolBackward(c) => pooling::avg_pool_backward(&c.avg, input(0)?, out),
        Op::UpsampleNearest(c) => upsample::nearest(&c.resize, input(0)?, out),
        Op::UpsampleNearestBackward(c) => upsample::nearest_backward(&c.resize, input(0)?, out),
        Op::UpsampleBilinear(c) => upsample::bilinear(c, input(0)?, out),
        Op::UpsampleBilinearBackward(c) => upsample::bilinear_backward(&c.forward, input(0)?, out),
        Op::Im2Col(c) => im2col::im2col(c, input(0)?, out),
        Op::Col2Im(c) => im2col::col2im(&c.windows, input(0)?, out),
        Op::Pad(c) => pad::pad(c, input(0)?, out),
        Op::PadBackward(c) => pad::pad_backward(c, input(0)?, out),
        Op::GridSample(c) => grid_sample::grid_sample(c, input(0)?, input(1)?, out),
        Op::GridSampleInputGrad(c) => grid_sample::input_grad(c, input(0)?, input(1)?, out),
        Op::GridSampleGridGrad(c) => grid_sample::grid_grad(c, input(0)?, input(1)?, input(2)?, out),
        Op::IndexSelect(c) => index::index_select(c.dim, c.rule, input(0)?, input(1)?, out),
        Op::IndexAdd(c) => index::index_add(c.dim, c.rule, input(0)?, input(1)?, input(2)?, out),
        Op::Gather(c) => index::gather(c, input(0)?, input(1)?, out),
        Op::Scatter(c) if c.in_place => index::scatter(c, name, input(0)?, input(1)?, out),
        Op::Scatter(c) => {
            let (s, l) = input(0)?;
            copy::copy(s, l, out.0, out.1)?;
            index::scatter(c, name, input(1)?, input(2)?, out)
        }
        Op::ScatterReduce(c) => {
            let (s, l) = input(0)?;
            copy::copy(s, l, out.0, out.1)?;
            index::scatter_reduce(c, name, input(1)?, input(2)?, out)
        }
        Op::Cholesky(_) => linalg::cholesky(input(0)?, out),
        Op::LuFactor(_) => linalg::lu_factor(input(0)?, out),
        Op::SolveTriangular(c) => linalg::solve_triangular(c, input(0)?, input(1)?, out),
        Op::PivotsToPermutation(c) => linalg::pivots_to_permutation(c.rows, input(0)?, out),
        Op::Qr(c) => super::kernels::qr::qr(c, input(0)?, out),
        Op::Eig(c) => super::kernels::eig::eig(c, input(0)?, out),
        Op::Eigh(c) => super::kernels::eigh::eigh(c, input(0)?, out),
        Op::Svd(c) => super::kernels::svd::svd(c, input(0)?, out),
        Op::ArgSort(c) => sort::argsort(c, input(0)?, out),
        Op::CumSum(c) => cumsum::cumsum(c, input(0)?, out),
        Op::Fft(c) => fft::fft(c, input(0)?, out),
        Op::Flip(c) => moves::flip(c, input(0)?, out),
        Op::Triangle(c) => moves::triangle(c, input(0)?, out),
        Op::Arange(c) => generate::arange(c, out),
        Op::Random(c) => random::random(c, out),
        Op::Dropout(c) => random::dropout(c, input(0)?, out),
        Op::AddMm(c) => fused::addmm(c, input(0)?, input(1)?, input(2)?, out),
        Op::AddCMul(c) => fused::addcmul(c, input(0)?, input(1)?, input(2)?, out),
        Op::SgdStep(c) => optim::sgd_step(c, &mut targets(out, rest)?, input(0)?),
        Op::AdamStep(c) => optim::adam_step(c, &mut targets(out, rest)?, input(0)?),
        Op::RmspropStep(c) => optim::rmsprop_step(c, &mut targets(out, rest)?, input(0)?),
        Op::AdagradStep(c) => optim::adagrad_step(c, &mut targets(out, rest)?, input(0)?),
        Op::OptimizerStep(c) if c.op.needs_norms() => {
            layerwise::layerwise_step(c, &mut targets(out, rest)?, input(0)?)
        }
        Op::OptimizerStep(c) => optim::optimizer_step(c, &mut targets(out, rest)?, input(0)?),
        Op::ClipValue(c) => optim::clip_value(c, out),
        Op::AccumulateNorm(c) => accumulate_norm::accumulate_norm(c, out, input(0)?),
        Op::UnscaleAndCheckFinite(_) => {
            let [found] = rest else { return Err(Error::invalid(name, "an operand is missing")) };
            optim::unscale_and_check_finite(out, (cpu_mut(found.storage)?, found.layout), input(0)?)
        }
        Op::Softmax(c) => softmax::softmax(c, input(0)?, out),
        Op::SoftmaxBackward(c) => softmax::softmax_backward(c, input(0)?, input(1)?, out),
        Op::NllLoss(c) => loss::nll_loss(&c.0, input(0)?, input(1)?, optional(2)?, out),
        Op::NllLossBackward(c) => {
            loss::nll_loss_backward(&c.0, input(0)?, input(1)?.1, input(2)?, optional(3)?, out)
        }
        Op::CrossEntropy(c) => loss::cross_entropy(&c.0, input(0)?, input(1)?, optional(2)?, out),
        Op::CrossEntropyBackward(c) => {
            loss::cross_entropy_backward(&c.0, input(0)?, input(1)?, input(2)?, optional(3)?, out)
        }
        Op::Clamp(c) => ew::clamp(&c.0, input(0)?, out),
        Op::ClampBackward(c) => ew::clamp_backward(&c.0, input(0)?, input(1)?, out),
        Op::ClampTensor(c) => {
            let min = if c.lower { Some(input(1)?) } else { None };
            let max = if c.upper { Some(input(1 + usize::from(c.lower))?) } else { None };
            ew::clamp_tensor(input(0)?, min, max, out)
        }
        Op::Lerp(c) => match c.weight {
            Some(weight) => ew::lerp_scalar(weight, input(0)?, input(1)?, out),
            None => ew::lerp(input(0)?, input(1)?, input(2)?, out),
        },
        Op::Activation(c) => activation::activation(c, name, input(0)?, out),
        Op::ActivationBackward(c) => activation::activation_backward(c, name, input(0)?, input(1)?, out),
        Op::Softplus(c) => super::kernels::softplus::softplus(c, input(0)?, out),
        Op::Norm(c) => {
            let weight = if c.weighted { Some(input(1)?) } else { None };
            let bias = if c.biased { Some(input(1 + usize::from(c.weighted))?) } else { None };
            norm::norm(c, input(0)?, weight, bias, out)
        }
        Op::FusedNorm(c) => {
            let second = if c.operands() == 2 { Some(input(1)?) } else { None };
            let weight = if c.weighted { Some(input(c.operands())?) } else { None };
            let bias = if c.biased { Some(input(c.bias_at())?) } else { None };
            norm::fused_norm(c, input(0)?, second, weight, bias, out)
        }
        Op::NormBackward(c) => norm::norm_backward(c, input(0)?, input(1)?, optional(2)?, out),
        Op::NormWeightGrad(c) => norm::norm_weight_grad(c, input(0)?, input(1)?, out),
        Op::Attention(c) => {
            attention::attention(c, [input(0)?, input(1)?, input(2)?], more(c, 3, &input)?, out)
        }
        Op::AttentionStats(c) => {
            let ins = [input(0)?, input(1)?, input(2)?, input(3)?];
            attention::attention_stats(&c.0, ins, more(&c.0, 4, &input)?, out)
        }
        Op::AttentionQueryGrad(c) => {
            let ins = [input(0)?, input(1)?, input(2)?, input(3)?, input(4)?];
            attention::attention_query_grad(&c.0, ins, more(&c.0, 5, &input)?, out)
        }
        Op::AttentionKeyGrad(c) => {
            let ins = [input(0)?, input(1)?, input(2)?, input(3)?, input(4)?];
            attention::attention_key_grad(&c.0, ins, more(&c.0, 5, &input)?, out)
        }
        Op::RotaryEmbedding(c) => {
            super::kernels::rotary_embedding::rotary_embedding(c, input(0)?, input(1)?, input(2)?, out)
        }
        Op::BatchNormStats(_) => norm::batch_norm_stats(input(0)?, out),
        Op::BatchNorm(c) => {
            let weight = if c.weighted { Some(input(3)?) } else { None };
            let bias = if c.biased { Some(input(3 + usize::from(c.weighted))?) } else { None };
            norm::batch_norm(c, input(0)?, [input(1)?, input(2)?], weight, bias, out)
        }
        Op::BatchNormWeightGrad(c) => {
            norm::batch_norm_weight_grad(c, input(0)?, input(1)?, [input(2)?, input(3)?], out)
        }
        Op::BatchNormBackward(c) => {
            let stats = [input(2)?, input(3)?, input(4)?];
            norm::batch_norm_backward(c, input(0)?, input(1)?, stats, optional(5)?, out)
        }
        Op::BiasActivation(c) => ba::bias_activation(c.0, input(0)?, input(1)?, out),
        Op::BiasActivationBackward(c) => {
            ba::bias_activation_backward(c.0, input(0)?, input(1)?, input(2)?, out)
        }
        Op::PointwiseLoss(c) => pl::pointwise_loss(c, input(0)?, input(1)?, out),
        Op::PointwiseLossBackward(c) => pl::pointwise_loss_backward(c, input(0)?, input(1)?, input(2)?, out),
        Op::BiasDropout(c) => random::bias_dropout(c, input(0)?, input(1)?, out),
        Op::LstmCell(_) => recurrent::lstm_cell(input(0)?, input(1)?, out),
        Op::LstmCellBackward(_) => {
            recurrent::lstm_cell_backward([input(0)?, input(1)?], input(2)?, input(3)?, out)
        }
        Op::GruCell(_) => recurrent::gru_cell([input(0)?, input(1)?], input(2)?, out),
        Op::GruCellBackward(_) => {
            recurrent::gru_cell_backward(input(0)?, [input(1)?, input(2)?], input(3)?, out)
        }
    }
}

/// The inputs of attention after the first `n`.
fn more<'a>(
    op: &crate::ops::attention::Attention,
    n: usize,
    input: &impl Fn(usize) -> Result<ew::Src<'a>>,
) -> Result<attention::More<'a>> {
    let [mask, bias] = op.masks(n).map(|at| at.map(input).transpose());
    let offsets = op.offsets(n).map(|[a, b]| Ok::<_, Error>([input(a)?, input(b)?])).transpose()?;
    Ok(attention::More { masks: [mask?, bias?], offsets })
}

/// Returns all tensors that an op updates in place.
fn targets<'a>(first: ew::Dst<'a>, rest: &'a mut [ViewMut<'_>]) -> Result<SmallVec<[ew::Dst<'a>; 3]>> {
    let mut all = SmallVec::new();
    all.push(first);
    for v in rest {
        all.push((cpu_mut(v.storage)?, v.layout));
    }
    Ok(all)
}

/// Copies tensors to an output, one after the other along a dimension.
pub(crate) fn join(inputs: &[View<'_>], dim: usize, output: &mut ViewMut<'_>) -> Result<()> {
    crate::settings::check()?;
    let from: SmallVec<[ew::Src<'_>; 8]> =
        inputs.iter().map(|v| Ok((cpu_ref(v.storage)?, v.layout))).collect::<Result<_>>()?;
    copy::join(&from, dim, (cpu_mut(output.storage)?, output.layout))
}
