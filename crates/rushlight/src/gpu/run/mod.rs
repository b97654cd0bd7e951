//! The exhaustive match of the GPU backend: it maps each op to the function that launches its kernels.
pub(crate) mod accumulate_norm;
pub(crate) mod activation;
pub(crate) mod attention;
pub(crate) mod batch_norm;
pub(crate) mod bias_activation;
mod blas;
pub(crate) mod conv;
pub(crate) mod decompose;
mod dnn;
pub(crate) mod elementwise;
pub(crate) mod fft;
mod fft_library;
pub(crate) mod grid_sample;
pub(crate) mod grouped_matmul;
pub(crate) mod im2col;
pub(crate) mod index;
mod layerwise;
pub(crate) mod linalg;
pub(crate) mod loss;
pub(crate) mod matmul;
pub(crate) mod norm;
pub(crate) mod optim;
pub(crate) mod pad;
pub(crate) mod pointwise_loss;
pub(crate) mod pooling;
pub(crate) mod quantized;
pub(crate) mod random;
pub(crate) mod recurrent;
pub(crate) mod reduce;
pub(crate) mod rotary_embedding;
pub(crate) mod softmax;
pub(crate) mod softplus;
pub(crate) mod solver;
mod solver_check;
pub(crate) mod sort;
pub(crate) mod sparse;
pub(crate) mod spatial;
pub(crate) mod upsample;

use super::launch::Call;
use super::runtime::Runtime;
use crate::Result;
use crate::ops::Op;

/// The GPU backend's support of an op.
pub(crate) enum KernelEntry<R: Runtime> {
    /// The op is run by this function.
    Run(fn(&Call<'_, R>) -> Result<()>),
    /// The op is not supported. The text is the reason.
    No(&'static str),
}

/// The reason for an op whose kernel is not written yet.
const LATER: &str = "its kernel is not written yet; move the tensors to the CPU for this op";

/// Whether one launch may run several calls of an op.
pub(crate) fn runs_together(op: &Op) -> bool {
    matches!(
        op,
        Op::SgdStep(_)
            | Op::AdamStep(_)
            | Op::RmspropStep(_)
            | Op::AdagradStep(_)
            | Op::OptimizerStep(_)
            | Op::UnscaleAndCheckFinite(_)
            | Op::ClipValue(_)
            | Op::AccumulateNorm(_)
    )
}

/// Runs several calls of an op in few launches; `shared` has the outputs that they share.
pub(crate) fn together<R: Runtime>(calls: &[Call<'_, R>], shared: &Call<'_, R>) -> Result<()> {
    match shared.op {
        Op::UnscaleAndCheckFinite(_) => optim::unscale_all(calls, shared.output(0)?),
        Op::AccumulateNorm(_) => accumulate_norm::accumulate_norms(calls, shared.output(0)?),
        Op::ClipValue(_) => optim::clip_values(calls),
        _ => optim::steps(calls),
    }
}

/// Returns the entry of an op, which says whether it is supported.
pub(crate) fn arm<R: Runtime>(op: &Op) -> KernelEntry<R> {
    use KernelEntry::Run;
    match op {
        Op::Unary(_) => Run(elementwise::unary),
        Op::Binary(_) => Run(elementwise::binary),
        Op::Cmp(_) | Op::Predicate(_) => Run(elementwise::compare),
        Op::Affine(_) => Run(elementwise::affine),
        Op::Powf(_) => Run(elementwise::powf),
        Op::Elu(_) => Run(elementwise::elu),
        Op::Cast(_) => Run(elementwise::cast),
        Op::WhereCond(_) => Run(elementwise::where_cond),
        Op::Copy(_) => Run(elementwise::copy),
        Op::Fill(_) => Run(elementwise::fill),
        Op::Flip(_) => Run(elementwise::flip),
        Op::Triangle(_) => Run(elementwise::triangle),
        Op::Arange(_) => Run(elementwise::arange),
        Op::Clamp(_) => Run(elementwise::clamp),
        Op::ClampBackward(_) => Run(elementwise::clamp_backward),
        Op::ClampTensor(_) => Run(elementwise::clamp_tensor),
        Op::Lerp(_) => Run(elementwise::lerp),
        Op::AddCMul(_) => Run(elementwise::addcmul),
        Op::Random(_) => Run(random::random),
        Op::Dropout(_) => Run(random::dropout),
        Op::Reduce(_) => Run(reduce::reduce),
        Op::Cholesky(_) | Op::LuFactor(_) => Run(linalg::factor),
        Op::SolveTriangular(_) => Run(linalg::solve_triangular),
        Op::Eig(_) => KernelEntry::No(LATER),
        Op::Qr(_) | Op::Eigh(_) | Op::Svd(_) => Run(decompose::decompose),
        Op::PivotsToPermutation(_) => Run(linalg::pivots_to_permutation),
        Op::ArgSort(_) => Run(sort::argsort),
        Op::CumSum(_) => Run(sort::cumsum),
        Op::Fft(_) => Run(fft::fft),
        Op::Softmax(_) => Run(softmax::softmax),
        Op::SoftmaxBackward(_) => Run(softmax::softmax_backward),
        Op::NllLoss(_) => Run(loss::nll_loss),
        Op::NllLossBackward(_) => Run(loss::nll_loss_backward),
        Op::CrossEntropy(_) => Run(loss::cross_entropy),
        Op::CrossEntropyBackward(_) => Run(loss::cross_entropy_backward),
        Op::Norm(_) => Run(norm::norm),
        Op::FusedNorm(_) => Run(norm::fused_norm),
        Op::NormBackward(_) => Run(norm::norm_backward),
        Op::NormWeightGrad(_) => Run(norm::norm_weight_grad),
        Op::BatchNormStats(_) => Run(batch_norm::batch_norm_stats),
        Op::BatchNorm(_) => Run(batch_norm::batch_norm),
        Op::BatchNormWeightGrad(_) => Run(batch_norm::batch_norm_weight_grad),
        Op::BatchNormBackward(_) => Run(batch_norm::batch_norm_backward),
        Op::Attention(_) => Run(attention::attention),
        Op::AttentionStats(_) => Run(attention::attention_stats),
        Op::AttentionQueryGrad(_) => Run(attention::attention_query_grad),
        Op::AttentionKeyGrad(_) => Run(attention::attention_key_grad),
        Op::RotaryEmbedding(_) => Run(rotary_embedding::rotary_embedding),
        Op::SgdStep(_) | Op::AdamStep(_) | Op::RmspropStep(_) | Op::AdagradStep(_) | Op::OptimizerStep(_) => {
            Run(optim::step)
        }
        Op::UnscaleAndCheckFinite(_) => Run(optim::unscale),
        Op::ClipValue(_) => Run(optim::clip_value),
        Op::AccumulateNorm(_) => Run(accumulate_norm::accumulate_norm),
        Op::MatMul(_) => Run(matmul::matmul),
        Op::AddMm(_) => Run(matmul::addmm),
        Op::GroupedMatMul(_) => Run(grouped_matmul::grouped_matmul),
        Op::CsrMatMul(_) => Run(sparse::csr_matmul),
        Op::SampledMatMul(_) => Run(sparse::sampled_matmul),
        Op::Dequantize(_) => Run(quantized::dequantize),
        Op::QMatMul(_) => Run(quantized::qmatmul),
        Op::QuantizeInt8(_) => Run(quantized::quantize_int8),
        Op::QMatMulInt8(_) => Run(quantized::qmatmul_int8),
        Op::Conv(_) => Run(conv::conv),
        Op::ConvTranspose(_) => Run(conv::conv_transpose),
        Op::ConvWeightGrad(_) => Run(conv::conv_weight_grad),
        Op::MaxPool(_) => Run(pooling::max_pool),
        Op::MaxPoolBackward(_) => Run(pooling::max_pool_backward),
        Op::MaxPoolIndices(_) => Run(pooling::max_pool_indices),
        Op::AvgPool(_) => Run(pooling::avg_pool),
        Op::AvgPoolBackward(_) => Run(pooling::avg_pool_backward),
        Op::UpsampleNearest(_) => Run(upsample::nearest),
        Op::UpsampleNearestBackward(_) => Run(upsample::nearest_backward),
        Op::UpsampleBilinear(_) => Run(upsample::bilinear),
        Op::UpsampleBilinearBackward(_) => Run(upsample::bilinear_backward),
        Op::Im2Col(_) => Run(im2col::im2col),
        Op::Col2Im(_) => Run(im2col::col2im),
        Op::Pad(_) => Run(pad::pad),
        Op::PadBackward(_) => Run(pad::pad_backward),
        Op::GridSample(_) => Run(grid_sample::grid_sample),
        Op::GridSampleInputGrad(_) => Run(grid_sample::input_grad),
        Op::GridSampleGridGrad(_) => Run(grid_sample::grid_grad),
        Op::IndexSelect(_) => Run(index::index_select),
        Op::IndexAdd(_) => Run(index::index_add),
        Op::Gather(_) => Run(index::gather),
        Op::Scatter(_) => Run(index::scatter),
        Op::ScatterReduce(_) => Run(index::scatter_reduce),
        Op::Activation(_) => Run(activation::activation),
        Op::ActivationBackward(_) => Run(activation::activation_backward),
        Op::Softplus(_) => Run(softplus::softplus),
        Op::BiasActivation(_) => Run(bias_activation::bias_activation),
        Op::BiasActivationBackward(_) => Run(bias_activation::bias_activation_backward),
        Op::PointwiseLoss(_) => Run(pointwise_loss::pointwise_loss),
        Op::PointwiseLossBackward(_) => Run(pointwise_loss::pointwise_loss_backward),
        Op::BiasDropout(_) => Run(random::bias_dropout),
        Op::LstmCell(_) => Run(recurrent::lstm_cell),
        Op::LstmCellBackward(_) => Run(recurrent::lstm_cell_backward),
        Op::GruCell(_) => Run(recurrent::gru_cell),
        Op::GruCellBackward(_) => Run(recurrent::gru_cell_backward),
    }
}
