//! The exhaustive match of the GPU: which function launches which op's kernels.
pub(crate) mod elementwise;
pub(crate) mod loss;
pub(crate) mod optim;
pub(crate) mod random;
pub(crate) mod reduce;
pub(crate) mod softmax;
pub(crate) mod sort;

use super::launch::Call;
use super::runtime::Runtime;
use crate::Result;
use crate::ops::Op;

/// What the GPU does with an op.
pub(crate) enum Arm<R: Runtime> {
    /// Runs it with this function.
    Run(fn(&Call<'_, R>) -> Result<()>),
    /// Cannot, for this reason.
    No(&'static str),
}

const LATER: &str = "its kernel is not written yet; move the tensors to the CPU for this op";

/// The arm of an op; what is supported derives from it.
pub(crate) fn arm<R: Runtime>(op: &Op) -> Arm<R> {
    use Arm::{No, Run};
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
        Op::AddCMul(_) => Run(elementwise::addcmul),
        Op::Random(_) => Run(random::random),
        Op::Dropout(_) => Run(random::dropout),
        Op::Reduce(_) => Run(reduce::reduce),
        Op::ArgSort(_) => Run(sort::argsort),
        Op::CumSum(_) => Run(sort::cumsum),
        Op::Softmax(_) => Run(softmax::softmax),
        Op::SoftmaxBackward(_) => Run(softmax::softmax_backward),
        Op::NllLoss(_) => Run(loss::nll_loss),
        Op::NllLossBackward(_) => Run(loss::nll_loss_backward),
        Op::CrossEntropy(_) => Run(loss::cross_entropy),
        Op::CrossEntropyBackward(_) => Run(loss::cross_entropy_backward),
        Op::SgdStep(_) => Run(optim::sgd_step),
        Op::AdamStep(_) => Run(optim::adam_step),
        Op::MatMul(_) | Op::AddMm(_) => No(LATER),
        Op::Conv(_) | Op::ConvTranspose(_) | Op::ConvWeightGrad(_) => No(LATER),
        Op::MaxPool(_) | Op::MaxPoolBackward(_) | Op::AvgPool(_) | Op::AvgPoolBackward(_) => No(LATER),
        Op::UpsampleNearest(_)
        | Op::UpsampleNearestBackward(_)
        | Op::UpsampleBilinear(_)
        | Op::UpsampleBilinearBackward(_) => No(LATER),
        Op::IndexSelect(_) | Op::IndexAdd(_) | Op::Gather(_) | Op::Scatter(_) => No(LATER),
    }
}
