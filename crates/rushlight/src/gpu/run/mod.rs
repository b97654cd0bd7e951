//! The exhaustive match of the GPU: which function launches which op's kernels.
pub(crate) mod elementwise;

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
        Op::Random(_) | Op::Dropout(_) => No(LATER),
        Op::Reduce(_) | Op::ArgSort(_) | Op::CumSum(_) => No(LATER),
        Op::Softmax(_) | Op::SoftmaxBackward(_) => No(LATER),
        Op::NllLoss(_) | Op::NllLossBackward(_) | Op::CrossEntropy(_) | Op::CrossEntropyBackward(_) => {
            No(LATER)
        }
        Op::SgdStep(_) | Op::AdamStep(_) => No(LATER),
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
