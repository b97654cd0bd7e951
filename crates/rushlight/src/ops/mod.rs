//! Ops as data: the list of op definitions, and the trait that they implement.
//!
//! A definition states everything that is true of an op on every backend: name, inputs and dtype sets, attributes, shape rule,
//! gradient rule (`vjp`), accuracy, samples for the sweeps, and the public method. `ops!` makes `enum Op` of the list. Each
//! backend matches it exhaustively, so the compiler reports an op that a backend lacks.
use crate::autograd::Vjp;
use crate::dtype::DTypeSet;
use crate::{DType, Error, Result, Shape, Tensor};
use smallvec::SmallVec;

pub(crate) mod adjoint;
mod attribute;
mod documentation;
mod index_mode;
mod numerics;
mod pattern;
mod pydoc;
mod samples;
mod scaling;
mod shape_rule;
mod signature;
pub use attribute::{Allowed, AttributeSpec};
pub use documentation::Documentation;
pub use index_mode::IndexMode;
pub use loss::{IGNORE_INDEX, Reduction};
pub use numerics::{Accuracy, Reference, SpecialValues, TermOrder};
pub use pattern::{ConvPass, Pattern, Threshold, Thresholds};
pub use samples::{Domain, Fill, Sample, Spec};
pub use scaling::Scaling;
pub use shape_rule::ShapeRule;
pub use signature::{
    Attribute, Calling, DefaultValue, Kind, Operands, PythonSignature, TensorArgument, Value,
};
pub(crate) use signature::{chosen, given, signature};

/// Shape and dtype of an input or output.
#[derive(Debug, Clone, PartialEq)]
pub struct Meta {
    /// Shape.
    pub shape: Shape,
    /// Dtype.
    pub dtype: DType,
}

impl Meta {
    /// A shape with a dtype.
    #[inline]
    pub fn new(shape: Shape, dtype: DType) -> Self {
        Self { shape, dtype }
    }
}

/// One declared input of an op.
#[derive(Debug, Clone, Copy)]
pub struct Input {
    /// Name, as users know it.
    pub name: &'static str,
    /// Dtypes it may have.
    pub dtypes: DTypeSet,
    /// Index of an earlier input that must have the same dtype.
    pub same_as: Option<usize>,
}

impl Input {
    /// An input with a separate dtype.
    pub const fn new(name: &'static str, dtypes: DTypeSet) -> Self {
        Self { name, dtypes, same_as: None }
    }

    /// An input that has the dtype of input 0.
    pub const fn same(name: &'static str, dtypes: DTypeSet) -> Self {
        Self { name, dtypes, same_as: Some(0) }
    }
}

/// The memory that an op writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Writes a new output.
    Out,
    /// Updates the first N operands in place and reads the others.
    InOut(usize),
}

/// The values that a gradient rule reads. Bit i of `inputs` stands for input i.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reads {
    /// Inputs whose values are read.
    pub inputs: u32,
    /// Whether the output's values are read.
    pub output: bool,
}

impl Reads {
    /// Reads no values. (Shapes and dtypes are always known.)
    pub const NONE: Self = Self { inputs: 0, output: false };
    /// Reads the output.
    pub const OUTPUT: Self = Self { inputs: 0, output: true };
    /// Reads the inputs of a bit mask.
    pub const fn inputs(mask: u32) -> Self {
        Self { inputs: mask, output: false }
    }
    /// Reads the factor other than `wanted`, for a product of inputs 0 and 1: the gradient of one factor reads the
    /// other.
    pub(crate) const fn other_factor(wanted: usize) -> Self {
        Self::inputs(if wanted == 0 { 2 } else { 1 })
    }
    /// Reads the values that `self` or `rhs` reads.
    pub const fn or(self, rhs: Self) -> Self {
        Self { inputs: self.inputs | rhs.inputs, output: self.output || rhs.output }
    }
}

/// Gradients of the inputs, in order; `None` for an input without a gradient.
pub type Grads = SmallVec<[Option<Tensor>; 3]>;

/// Whether an op has a gradient, and what autograd does if it has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Differentiable {
    /// The op has a gradient for floating-point inputs.
    Yes,
    /// The op computes a part of another op's gradient, and has a gradient too. Tests of that other op's second
    /// derivative cover it.
    Again,
    /// The op computes a part of another op's gradient, and that op has no second derivative; or its gradient is not written. The
    /// op is recorded; a backward pass that reaches it returns an error. The text is the reason and the remedy, which the message
    /// gives after the op's name.
    Refused(&'static str),
    /// The op has no gradient and is not recorded, because its output is constant or not a new floating-point tensor.
    /// The text is the reason.
    No(&'static str),
}

/// An op definition: everything that is true of an op on every backend.
pub trait OpDef: Sized {
    /// The op's name, the same on every layer.
    fn name(&self) -> &'static str;
    /// The declared inputs.
    fn inputs(&self) -> &'static [Input];
    /// Whether the op writes a new output or updates operands in place.
    fn role(&self) -> Role {
        Role::Out
    }
    /// Returns the output's shape and dtype, or an error if the inputs' shapes do not fit the op. The values of the attributes
    /// have been checked, each by itself ([`Allowed`]).
    fn infer(&self, ins: &[Meta]) -> Result<Meta>;
    /// Returns whether the op has a gradient.
    fn differentiable(&self) -> Differentiable {
        Differentiable::Yes
    }
    /// The values that `vjp` reads, for all inputs together.
    fn reads(&self) -> Reads {
        Reads::NONE
    }
    /// The values that the gradient of input `wanted` reads; override it where these are fewer than `reads`. Values
    /// that no requested gradient reads are not kept and may change, so `vjp` must read them inside `Vjp::when` only.
    fn reads_for(&self, wanted: usize) -> Reads {
        let _ = wanted;
        self.reads()
    }
    /// Returns the gradients of the inputs, computed from the gradient of the output.
    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        Err(match self.differentiable() {
            Differentiable::Refused(why) => Error::NoSecondDerivative { op: c.op_name(), why },
            _ => Error::BackwardNotSupported { op: c.op_name() },
        }
        .bt())
    }
    /// The rule for the output's shape. `infer` applies it, unless the rule is [`ShapeRule::Computed`].
    fn shape_rule(&self) -> ShapeRule;
    /// Declares the attributes: the parameters of the op that are not tensors.
    fn attributes(&self) -> &'static [AttributeSpec];
    /// The values of the attributes, in order.
    fn values(&self) -> Vec<Value>;
    /// How output elements depend on input elements.
    fn pattern(&self) -> Pattern;
    /// The error bound that tests apply to results.
    fn accuracy(&self) -> Accuracy;
    /// The order in which terms are added.
    fn term_order(&self) -> TermOrder;
    /// Restrictions on tests with infinities, NaN and numbers at the ends of the range.
    fn special_values(&self) -> SpecialValues;
    /// The NumPy and PyTorch functions that the parity suite compares the op with.
    fn reference(&self) -> Reference;
    /// The sizes at which the op's kernels change their algorithm.
    fn thresholds(&self) -> Thresholds;
    /// Returns the op with `f` applied to each attribute that multiplies terms, or `None` if there is no such
    /// attribute. Error bounds of [`Accuracy::Products`] are relative to the result of the op whose factors and inputs
    /// are replaced by their magnitudes.
    fn map_factors(&self, f: fn(f64) -> f64) -> Option<Self> {
        let _ = f;
        None
    }
    /// Returns the op for inputs of another dtype, or `None` if no attribute depends on the dtype.
    fn with_dtype(&self, dtype: DType) -> Option<Self> {
        let _ = dtype;
        None
    }
    /// Valid and invalid example calls, which the sweeps run for every dtype, layout and backend.
    fn samples() -> Vec<Sample>;
    /// The Python functions that are generated from the definition. Empty for an op that users do not call, and for a
    /// function that needs more than one op (docs/contributing/add-an-op.md has the rule).
    fn python_signatures() -> Vec<PythonSignature> {
        Vec::new()
    }
}

/// Makes `enum Op` of the list of op definitions.
macro_rules! ops {
    ($($module:ident :: $definition:ident),* $(,)?) => {
        /// An op with its attributes: the input of [`Backend::run`](crate::Backend::run).
        #[derive(Debug, Clone)]
        #[allow(missing_docs)]
        pub enum Op { $($definition($module::$definition)),* }

        impl Op {
            /// The name of the op definition. (One definition may cover a family of ops with separate names, see
            /// [`Op::name`].)
            pub fn definition(&self) -> &'static str {
                match self { $(Self::$definition(_) => stringify!($module)),* }
            }
            /// The op's name.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$definition(c) => c.name()),* }
            }
            /// The declared inputs.
            pub fn inputs(&self) -> &'static [Input] {
                match self { $(Self::$definition(c) => c.inputs()),* }
            }
            /// Whether the op writes a new output or updates operands in place.
            pub fn role(&self) -> Role {
                match self { $(Self::$definition(c) => c.role()),* }
            }
            /// Returns whether the op has a gradient.
            pub fn differentiable(&self) -> Differentiable {
                match self { $(Self::$definition(c) => c.differentiable()),* }
            }
            /// Returns the output's shape and dtype, or an error if an attribute has a value that is not allowed or the inputs'
            /// shapes do not fit the op.
            #[inline(always)]
            pub fn infer(&self, ins: &[Meta]) -> Result<Meta> {
                match self {
                    $(Self::$definition(c) => match attribute::check(c) {
                        Ok(()) => c.infer(ins),
                        Err(e) => Err(e),
                    }),*
                }
            }
            /// The rule for the output's shape.
            pub fn shape_rule(&self) -> ShapeRule {
                match self { $(Self::$definition(c) => c.shape_rule()),* }
            }
            /// The declared attributes: the parameters of the op that are not tensors.
            pub fn attributes(&self) -> &'static [AttributeSpec] {
                match self { $(Self::$definition(c) => c.attributes()),* }
            }
            /// The values of the attributes, in order.
            pub fn values(&self) -> Vec<Value> {
                match self { $(Self::$definition(c) => c.values()),* }
            }
            /// How output elements depend on input elements.
            pub fn pattern(&self) -> Pattern {
                match self { $(Self::$definition(c) => c.pattern()),* }
            }
            /// The error bound that tests apply to results.
            pub fn accuracy(&self) -> Accuracy {
                match self { $(Self::$definition(c) => c.accuracy()),* }
            }
            /// The order in which terms are added.
            pub fn term_order(&self) -> TermOrder {
                match self { $(Self::$definition(c) => c.term_order()),* }
            }
            /// Restrictions on tests with infinities, NaN and numbers at the ends of the range.
            pub fn special_values(&self) -> SpecialValues {
                match self { $(Self::$definition(c) => c.special_values()),* }
            }
            /// The NumPy and PyTorch functions that the parity suite compares the op with.
            pub fn reference(&self) -> Reference {
                match self { $(Self::$definition(c) => c.reference()),* }
            }
            /// The sizes at which the op's kernels change their algorithm.
            pub fn thresholds(&self) -> Thresholds {
                match self { $(Self::$definition(c) => c.thresholds()),* }
            }
            pub(crate) fn reads_for(&self, wanted: usize) -> Reads {
                match self { $(Self::$definition(c) => c.reads_for(wanted)),* }
            }
            pub(crate) fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
                match self { $(Self::$definition(definition) => definition.vjp(c)),* }
            }
            /// Returns the op for inputs of another dtype: an attribute that depends on the dtype is changed, the
            /// others are kept.
            pub fn with_dtype(&self, dtype: DType) -> Self {
                match self {
                    $(Self::$definition(c) => c.with_dtype(dtype).map_or_else(|| self.clone(), Self::$definition)),*
                }
            }
            /// Returns the op with `f` applied to each attribute that multiplies terms, or `None` if there is no such
            /// attribute.
            pub fn map_factors(&self, f: fn(f64) -> f64) -> Option<Self> {
                match self { $(Self::$definition(c) => c.map_factors(f).map(Self::$definition)),* }
            }
            /// The samples of every definition.
            pub fn all_samples() -> Vec<Sample> {
                let mut all = Vec::new();
                $(all.extend(<$module::$definition as OpDef>::samples());)*
                all
            }
            /// The Python signatures of every definition.
            pub fn all_python_signatures() -> Vec<PythonSignature> {
                let mut all = Vec::new();
                $(all.extend(<$module::$definition as OpDef>::python_signatures());)*
                all
            }
        }
    };
}

impl Op {
    /// Returns how many leading operands the op updates in place.
    pub fn targets(&self) -> usize {
        match self.role() {
            Role::Out => 0,
            Role::InOut(n) => n,
        }
    }

    /// Runs the op by its role: returns the new output, or the operands that it updated in place.
    ///
    /// # Errors
    /// The errors of the op, for instance for shapes or dtypes that it does not accept.
    ///
    /// ```
    /// use rushlight::{Device, Tensor, ops::{Op, unary::{Unary, UnaryOp}}};
    /// let x = Tensor::new(&[1f32, 2.], &Device::Cpu)?;
    /// let y = Op::Unary(Unary(UnaryOp::Square)).run(&[x])?;
    /// assert_eq!(y[0].to_vec1::<f32>()?, [1., 4.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let refs: Vec<&Tensor> = inputs.iter().collect();
        match self.targets() {
            0 => Ok(vec![Tensor::run(self.clone(), &refs)?]),
            n => {
                let (targets, rest) = refs.split_at(n.min(refs.len()));
                Tensor::run_inplace(self.clone(), targets, rest)?;
                Ok(inputs[..n].to_vec())
            }
        }
    }
}

pub mod accumulate_norm;
pub mod activation;
pub mod activation_backward;
pub mod adagrad_step;
pub mod adam_step;
pub mod addcmul;
pub mod addmm;
pub mod affine;
pub mod arange;
pub mod arg_sort;
pub mod attention;
pub mod attention_key_grad;
pub mod attention_query_grad;
pub mod attention_stats;
pub mod avg_pool;
pub mod avg_pool_backward;
pub mod batch_norm;
pub mod batch_norm_backward;
pub mod batch_norm_stats;
pub mod batch_norm_weight_grad;
pub mod bias_activation;
pub mod bias_activation_backward;
pub mod bias_dropout;
pub mod binary;
pub mod cast;
pub mod cholesky;
pub mod clamp;
pub mod clamp_tensor;
pub mod clip_value;
pub mod cmp;
pub mod col2im;
pub mod conv;
pub mod conv_transpose;
pub mod conv_weight_grad;
pub mod copy;
pub mod cross_entropy;
pub mod cross_entropy_backward;
pub mod csr_matmul;
pub mod cumsum;
pub mod dequantize;
pub mod dropout;
pub mod eig;
pub mod eigh;
pub mod elu;
pub mod fft;
pub mod fill;
pub mod flip;
pub mod fused_norm;
pub mod gather;
pub mod grid_sample;
pub mod grid_sample_backward;
pub mod grouped_matmul;
pub mod gru_cell;
pub mod gru_cell_backward;
pub mod im2col;
pub mod index_add;
pub mod index_select;
pub mod lerp;
pub mod loss;
pub mod lstm_cell;
pub mod lstm_cell_backward;
pub mod lu_factor;
pub mod matmul;
pub mod max_pool;
pub mod max_pool_backward;
pub mod max_pool_indices;
pub mod nll_loss;
pub mod nll_loss_backward;
pub mod norm;
pub mod norm_backward;
pub mod norm_weight_grad;
pub mod optimizer_step;
pub mod pad;
pub mod pad_backward;
pub mod pivots_to_permutation;
pub mod pointwise_loss;
pub mod pointwise_loss_backward;
pub mod pool;
pub mod powf;
pub mod predicate;
pub mod qmatmul;
pub mod qmatmul_int8;
pub mod qr;
pub mod quantize_int8;
pub mod random;
pub mod reduce;
pub mod resize;
pub mod rmsprop_step;
pub mod rotary_embedding;
pub mod sampled_matmul;
pub mod scatter;
pub mod scatter_reduce;
pub mod sgd_step;
pub mod softmax;
pub mod softmax_backward;
pub mod softplus;
pub mod solve_triangular;
pub mod svd;
pub mod triangle;
pub mod unary;
pub mod unscale_and_check_finite;
pub mod upsample_bilinear;
pub mod upsample_bilinear_backward;
pub mod upsample_nearest;
pub mod upsample_nearest_backward;
pub mod where_cond;
pub mod window;

// The list of op definitions. A new op needs an entry here.
ops! {
    unary::Unary,
    binary::Binary,
    cmp::Cmp,
    predicate::Predicate,
    reduce::Reduce,
    affine::Affine,
    powf::Powf,
    elu::Elu,
    activation::Activation,
    activation_backward::ActivationBackward,
    cast::Cast,
    where_cond::WhereCond,
    copy::Copy,
    fill::Fill,
    matmul::MatMul,
    grouped_matmul::GroupedMatMul,
    csr_matmul::CsrMatMul,
    sampled_matmul::SampledMatMul,
    dequantize::Dequantize,
    qmatmul::QMatMul,
    quantize_int8::QuantizeInt8,
    qmatmul_int8::QMatMulInt8,
    conv::Conv,
    conv_transpose::ConvTranspose,
    conv_weight_grad::ConvWeightGrad,
    max_pool::MaxPool,
    max_pool_backward::MaxPoolBackward,
    max_pool_indices::MaxPoolIndices,
    avg_pool::AvgPool,
    avg_pool_backward::AvgPoolBackward,
    upsample_nearest::UpsampleNearest,
    upsample_nearest_backward::UpsampleNearestBackward,
    upsample_bilinear::UpsampleBilinear,
    upsample_bilinear_backward::UpsampleBilinearBackward,
    im2col::Im2Col,
    col2im::Col2Im,
    pad::Pad,
    pad_backward::PadBackward,
    grid_sample::GridSample,
    grid_sample_backward::GridSampleInputGrad,
    grid_sample_backward::GridSampleGridGrad,
    index_select::IndexSelect,
    index_add::IndexAdd,
    gather::Gather,
    scatter::Scatter,
    scatter_reduce::ScatterReduce,
    cholesky::Cholesky,
    lu_factor::LuFactor,
    solve_triangular::SolveTriangular,
    pivots_to_permutation::PivotsToPermutation,
    qr::Qr,
    eigh::Eigh,
    eig::Eig,
    svd::Svd,
    arg_sort::ArgSort,
    cumsum::CumSum,
    fft::Fft,
    flip::Flip,
    triangle::Triangle,
    arange::Arange,
    random::Random,
    dropout::Dropout,
    softmax::Softmax,
    softmax_backward::SoftmaxBackward,
    nll_loss::NllLoss,
    nll_loss_backward::NllLossBackward,
    cross_entropy::CrossEntropy,
    cross_entropy_backward::CrossEntropyBackward,
    pointwise_loss::PointwiseLoss,
    pointwise_loss_backward::PointwiseLossBackward,
    norm::Norm,
    norm_backward::NormBackward,
    norm_weight_grad::NormWeightGrad,
    fused_norm::FusedNorm,
    batch_norm_stats::BatchNormStats,
    batch_norm::BatchNorm,
    batch_norm_weight_grad::BatchNormWeightGrad,
    batch_norm_backward::BatchNormBackward,
    addmm::AddMm,
    addcmul::AddCMul,
    lerp::Lerp,
    clamp::Clamp,
    clamp::ClampBackward,
    clamp_tensor::ClampTensor,
    sgd_step::SgdStep,
    adam_step::AdamStep,
    rmsprop_step::RmspropStep,
    adagrad_step::AdagradStep,
    optimizer_step::OptimizerStep,
    clip_value::ClipValue,
    accumulate_norm::AccumulateNorm,
    unscale_and_check_finite::UnscaleAndCheckFinite,
    softplus::Softplus,
    attention::Attention,
    attention_stats::AttentionStats,
    attention_query_grad::AttentionQueryGrad,
    attention_key_grad::AttentionKeyGrad,
    rotary_embedding::RotaryEmbedding,
    bias_activation::BiasActivation,
    bias_activation_backward::BiasActivationBackward,
    bias_dropout::BiasDropout,
    lstm_cell::LstmCell,
    lstm_cell_backward::LstmCellBackward,
    gru_cell::GruCell,
    gru_cell_backward::GruCellBackward,
}

/// Returns the shape that all inputs share, or an error if shapes differ.
#[inline(always)]
pub(crate) fn same_shape(ins: &[Meta], op: &'static str) -> Result<Shape> {
    for m in &ins[1..] {
        if m.shape != ins[0].shape {
            return Err(Error::shapes(&ins[0].shape, &m.shape, op));
        }
    }
    Ok(ins[0].shape.clone())
}

/// `grads![a, None, b]` builds the gradients of the inputs. A tensor expression stands for `Some(tensor)`.
macro_rules! grads {
    ($($g:expr),* $(,)?) => {{
        #[allow(unused_mut)]
        let mut g = $crate::ops::Grads::new();
        $(g.push(Option::<$crate::Tensor>::from($g));)*
        Ok(g)
    }};
}
pub(crate) use grads;
