// params.h: parameter structs of kernels, and enums that they hold. Written by `cargo xtask generate` from the
// declarations in crates/rushlight/src/gpu (kernel_params! and kernel_enum!). Do not edit.
#pragma once
#include "port.h"

namespace rl {

// Most dimensions of a tensor.
constexpr int MAX_RANK = 8;

// Dimensions and strides of N operands of one shape, the output first, outermost dimension first, collapsed by the host.
// Strides are in elements of each operand; negative strides and offsets are in two's complement, so an offset is cast
// when it is used: `x[(i64)at]`. (An unsigned index would tell the compiler that nothing lies before `x`.)
template <int N>
struct StridedIter {
    // Elements.
    u64 count;
    // Dimensions after collapsing.
    u32 rank;
    // Blocks of the grid.
    u32 blocks;
    // 1: offsets need 64 bits.
    u32 index64;
    // 1: every pointer is aligned to 16 bytes, except those of operands with one element for all of the last dimension.
    u32 aligned;
    // Size of each dimension.
    u64 dims[MAX_RANK];
    // Strides of each operand.
    u64 strides[N][MAX_RANK];
};

// The numbers of an op without numbers.
struct NoParams {
    // Not read; C++ has no struct of 0 bytes.
    u64 unused;
};

// Parameters of elementwise kernels: addresses with offsets applied, the iteration, and the op's own numbers.
template <int N, class E>
struct ElementwiseParams {
    // Addresses of the operands, the output first.
    u64 ptr[N];
    // Shape and strides.
    StridedIter<N> iter;
    // Numbers of the op.
    E extra;
};

// Numbers of const_set.
struct FillParams {
    // The value's bits, zero-extended; of 16 bytes the first 8.
    u64 bits;
    // The last 8 of 16 bytes.
    u64 high;
};

// Planes that a copy transposes.
struct PlaneParams {
    // Elements of a column. In the input they follow one another.
    u64 rows;
    // Elements of a row. In the output they follow one another.
    u64 columns;
    // Distance of the input's columns.
    u64 input_step;
    // Distance of the output's rows.
    u64 output_step;
    // Tiles of a plane.
    u64 tiles;
    // Tiles side by side in a plane.
    u64 tiles_across;
};

// Numbers of tril and triu.
struct TriangleParams {
    // Size of the last dimension but one.
    u64 rows;
    // Size of the last dimension.
    u64 columns;
    // Diagonal of the edge: 0 is the main one, 1 the one above it.
    i64 diagonal;
    // 1: triu, 0: tril.
    u64 upper;
};

// Numbers of affine: x * mul + add.
struct AffineParams {
    // The factor.
    f64 mul;
    // The summand.
    f64 add;
    // For integers. 1: both numbers are integers, and the arithmetic wraps.
    u64 exact;
};

// Number of an op with one number.
struct ScalarParams {
    // The number.
    f64 value;
};

// The bounds of clamp.
struct ClampParams {
    // The bits of the lower bound, zero-extended.
    u64 min;
    // The bits of the upper bound.
    u64 max;
};

// Numbers of arange: start + i * step.
struct ArangeParams {
    // Start for integers, which wrap.
    u64 start;
    // Step for integers.
    u64 step;
    // Start for floats.
    f64 float_start;
    // Step for floats.
    f64 float_step;
};

// Numbers of random kernels and of dropout.
struct RandomParams {
    // First half of the generator's key.
    u64 seed;
    // Second half: number of the draw.
    u64 draw;
    // Added to what is drawn: lower end (uniform), mean (normal).
    f64 shift;
    // Factor of what is drawn: width (uniform), standard deviation (normal); dropout: factor of kept elements.
    f64 scale;
    // Least number of the dtype in the range.
    f64 least;
    // Greatest number of the dtype in the range.
    f64 greatest;
    // Integers: the least one.
    u64 int_low;
    // Integers: how many; 0 means 2^64.
    u64 int_span;
    // Bernoulli and dropout: 32-bit words below this are a success.
    u64 threshold;
};

// Where a kernel reports an index out of range.
struct Checker {
    // Address of 8 words in host memory: state (2: complete), launch, operand, position, value, size.
    u64 page;
    // Address of a word in device memory: not 0 once a fault was reported.
    u64 flag;
    // Number of this launch.
    u64 launch;
};

// Numbers of an SGD step.
struct SgdParams {
    // Learning rate.
    f64 lr;
    // Factor of the momentum buffer.
    f64 momentum;
    // 1 - dampening.
    f64 undamped;
    // Weight decay.
    f64 weight_decay;
    // 1: weight decay is not 0.
    u32 decays;
    // 1: the first step, which copies the gradient to the buffer.
    u32 first;
    // 1: Nesterov momentum.
    u32 nesterov;
    // 1: the gradient's sign is changed.
    u32 maximize;
    // The fault flag: after an index error a step changes nothing.
    Checker check;
};

// Numbers of an Adam or AdamW step.
struct AdamParams {
    // 1 - lr * weight_decay: AdamW's factor of the parameter.
    f64 decay_factor;
    // 1 - beta1.
    f64 gradient_weight;
    // 1 - beta2.
    f64 square_weight;
    // sqrt(1 - beta2^step).
    f64 correction_root;
    // -lr / (1 - beta1^step).
    f64 negative_rate;
    // Decay of the first moment.
    f64 beta1;
    // Decay of the second moment.
    f64 beta2;
    // Added to the denominator.
    f64 eps;
    // Weight decay.
    f64 weight_decay;
    // 1: weight decay is not 0.
    u32 decays;
    // 1: AdamW, 0: Adam.
    u32 decoupled;
    // 1: the first moment is interpolated from its old value, 0: from the gradient. The nearer one rounds less.
    u32 from_old;
    // 1: the gradient's sign is changed.
    u32 maximize;
    // The fault flag: after an index error a step changes nothing.
    Checker check;
};

// Numbers of an RMSprop step.
struct RmspropParams {
    // Learning rate.
    f64 lr;
    // Decay of the means.
    f64 alpha;
    // 1 - alpha.
    f64 weight;
    // Added to the denominator.
    f64 eps;
    // Weight decay.
    f64 weight_decay;
    // Factor of the momentum buffer.
    f64 momentum;
    // 1: weight decay is not 0.
    u32 decays;
    // 1: the third operand of four is the mean of gradients, 0: the momentum buffer.
    u32 centered;
    // 1: the mean of gradients is interpolated from its old value, 0: from the gradient.
    u32 from_old;
    // 1: the gradient's sign is changed.
    u32 maximize;
    // The fault flag: after an index error a step changes nothing.
    Checker check;
};

// Numbers of an Adagrad step.
struct AdagradParams {
    // -lr / (1 + (step - 1) * lr_decay).
    f64 negative_rate;
    // Added to the denominator.
    f64 eps;
    // Weight decay.
    f64 weight_decay;
    // 1: weight decay is not 0.
    u32 decays;
    // 1: the gradient's sign is changed.
    u32 maximize;
    // The fault flag: after an index error a step changes nothing.
    Checker check;
};

// Numbers of a step of the family of ops/optimizer_step.rs.
struct StepParams {
    // The numbers of the op, in the order of its attributes.
    f64 number[6];
    // Factor of the parameter.
    f64 keep;
    // Weight decay.
    f64 weight_decay;
    // 1: weight decay is not 0.
    u32 decays;
    // 1: the gradient's sign is changed.
    u32 maximize;
    // The fault flag: after an index error a step changes nothing.
    Checker check;
};

// Numbers of clip_value.
struct ClipParams {
    // The least value.
    f64 min;
    // The largest value.
    f64 max;
};

// Scalars of unscale_and_check_finite.
struct UnscaleParams {
    // Address of the factor, of the type computed in.
    u64 factor;
    // Address of the number that becomes 1 where an element is not finite.
    u64 found;
};

// Tensors that one launch works on, all contiguous: N operands of each.
template <int N, class E>
struct TableParams {
    // Addresses of the operands.
    u64 ptr[64][N];
    // Elements of each tensor.
    u64 count[64];
    // The first block of each tensor; the blocks up to the next one's share its elements.
    u32 first[64];
    // Tensors.
    u32 tensors;
    // Blocks of the grid.
    u32 blocks;
    // Numbers of the op.
    E extra;
};

// Parameters of one pass of a reduction over N operands of one shape.
template <int N>
struct ReduceParams {
    // Addresses of the operands.
    u64 input[N];
    // Address of the results, or of the chunks' partial values: [outputs][chunks].
    u64 out;
    // Addresses that only some ops use.
    u64 aux[4];
    // Outputs.
    u64 outputs;
    // Elements of each output in this pass.
    u64 count;
    // Chunks of each output, at least 1.
    u64 chunks;
    // Elements of each output in the first pass.
    u64 total;
    // A number that only some ops use.
    u64 flag;
    // Blocks of the grid.
    u32 blocks;
    // 1: this pass writes the results.
    u32 last;
    // Over the outputs.
    StridedIter<N> kept;
    // Over the elements of an output.
    StridedIter<N> reduced;
};

// Parameters of the last launch of accumulate_norm.
struct NormTotalParams {
    // Address of the scalar, of the type computed in.
    u64 total;
    // Address of the tensors' values, of the same type.
    u64 values;
    // Number of values.
    u64 count;
};

// Parameters of softmax and log_softmax and of their gradients.
struct SoftmaxParams {
    // Address of the output, which is row-major.
    u64 out;
    // Address of the input; for gradients of the output's gradient.
    u64 input;
    // Gradients: address of the forward result.
    u64 forward;
    // Variant element: address of each line's largest element.
    u64 peak;
    // Variant element: address of each line's sum.
    u64 total;
    // Lines.
    u64 lines;
    // Elements of a line.
    u64 length;
    // Elements of the output from one element of a line to the next.
    u64 inner;
    // Strides between the elements of a line, in `input` and `forward`.
    u64 step[2];
    // 1: log_softmax.
    u64 log;
    // Variant block: groups of 32 threads for each line.
    u64 width;
    // Blocks of the grid.
    u64 blocks;
    // First elements of the lines in `input` and `forward`.
    StridedIter<2> line_starts;
};

// Parameters of layer_norm, rms_norm and group_norm and of their gradients. Element i of line l has the weight
// `(l % groups) * per + i / inner`.
struct NormParams {
    // Address of the output, which is row-major.
    u64 out;
    // Address of the input.
    u64 input;
    // Gradients: address of the output's gradient. Fused: of the other operand.
    u64 grad;
    // Address of the weight, or 0.
    u64 weight;
    // Address of the bias, or 0.
    u64 bias;
    // Variant element: address of each line's mean, correction and scale.
    u64 scales;
    // Gradients, variant element: address of each line's two means.
    u64 means;
    // Lines.
    u64 lines;
    // Elements of a line.
    u64 length;
    // Lines with separate weights.
    u64 groups;
    // Weights of a line.
    u64 per;
    // Neighbouring elements that share a weight.
    u64 inner;
    // Strides between the elements of a line, in `input` and `grad`.
    u64 step[2];
    // Added to the variance.
    f64 eps;
    // 1: about the mean.
    u64 center;
    // Variant block: groups of 32 threads for each line.
    u64 width;
    // Blocks of the grid.
    u64 blocks;
    // First elements of the lines in `input` and `grad`; variant element: all elements.
    StridedIter<2> iter;
};

// Parameters of batch_norm and of its gradient.
struct BatchNormParams {
    // Address of the output, which is row-major.
    u64 out;
    // Address of the input.
    u64 input;
    // Gradient: address of the output's gradient.
    u64 grad;
    // Address of each channel's mean.
    u64 mean;
    // Address of each channel's variance.
    u64 var;
    // Gradient: address of each channel's sums.
    u64 sums;
    // Address of the weight, or 0.
    u64 weight;
    // Address of the bias, or 0.
    u64 bias;
    // Channels.
    u64 channels;
    // Neighbouring elements of one channel.
    u64 inner;
    // Elements of a channel.
    u64 count;
    // Added to the variance.
    f64 eps;
    // Over `input` and `grad`.
    StridedIter<2> iter;
};

// Parameters of attention and its gradients. Each operand is `[batch, heads, rows, columns]`.
struct AttentionParams {
    // Address of the output, which is row-major.
    u64 out;
    // Address of the queries.
    u64 q;
    // Address of the keys.
    u64 k;
    // Address of the values.
    u64 v;
    // Address of the mask, or 0.
    u64 mask;
    // Address of the bias, or 0.
    u64 bias;
    // Gradients: address of the result's gradient.
    u64 grad;
    // Statistics: address of the result.
    u64 result;
    // Gradients: address of the statistics, which are row-major.
    u64 stats;
    // Packed sequences: address of the first queries of each and their end, in I64; or 0.
    u64 query_offsets;
    // Address of the first keys.
    u64 key_offsets;
    // Strides of the queries.
    u64 q_strides[4];
    // Strides of the keys.
    u64 k_strides[4];
    // Strides of the values.
    u64 v_strides[4];
    // Strides of the mask.
    u64 mask_strides[4];
    // Strides of the bias.
    u64 bias_strides[4];
    // Strides of the result's gradient.
    u64 grad_strides[4];
    // Strides of the result.
    u64 result_strides[4];
    // Size of the batch.
    u64 batch;
    // Heads of queries.
    u64 heads;
    // Heads of keys and values.
    u64 groups;
    // Queries of a head.
    u64 queries;
    // Keys of a head.
    u64 keys;
    // Elements of a query and of a key.
    u64 depth;
    // Elements of a value.
    u64 width;
    // Factor of the products.
    f64 scale;
    // 1: query i attends to the keys up to i.
    u64 causal;
    // Number of packed sequences.
    u64 sequences;
    // 1: weights are dropped.
    u64 dropping;
    // First half of the key of the generator.
    u64 seed;
    // Second half: number of the draw.
    u64 draw;
    // 32-bit words below this keep a weight.
    u64 threshold;
    // Factor of weights that are kept.
    f64 keep;
    // Where offsets that do not ascend are reported.
    Checker check;
    // Number of the first offsets among the op's inputs.
    u64 offsets_operand;
    // Blocks of the grid's second dimension, which share the heads.
    u64 blocks;
};

// Numbers of rotary_embedding.
struct RotaryParams {
    // From the first element of a pair to the second, in the output.
    u64 out_step;
    // The same in the input.
    u64 step;
    // 1: by the negative angles.
    u64 inverse;
};

// The dtype of an index tensor.
enum class IndexDType : u32 {
    U8 = 0,
    I16 = 1,
    I32 = 2,
    U32 = 3,
    I64 = 4,
};

// The meaning of indices that are not in `0..size`.
enum class IndexMode : u32 {
    // They are errors.
    Within = 0,
    // The dtype's largest value skips its element.
    MaxSkips = 1,
    // Negative ones count from the end.
    FromEnd = 2,
};

// An index tensor.
struct IndexTensor {
    // Where indices out of range are reported.
    Checker check;
    // Address of the first index.
    u64 ptr;
    // The index that is skipped in mode MaxSkips.
    i64 skip;
    // Size of the dimension that is indexed.
    u64 size;
    // Dtype of the indices.
    IndexDType dtype;
    // Meaning of indices out of range.
    IndexMode mode;
};

// Where the elements of lines come from.
enum class NormSource : u32 {
    // The input.
    Own = 0,
    // The rounded sums of `input` and `grad`.
    Sum = 1,
    // Rows of the table `input`, by indices that lie at the offsets of `grad`.
    Rows = 2,
};

// The function behind a normalization.
enum class NormActivation : u32 {
    // None.
    Identity = 0,
    // max(v, 0).
    Relu = 1,
    // v Phi(v), with the normal distribution function.
    Gelu = 2,
};

// Parameters of layer_norm and rms_norm that are fused with another op.
struct FusedNormParams {
    // The normalization.
    NormParams norm;
    // The indices of source Rows.
    IndexTensor index;
    // Stride between the rows of the table.
    u64 index_step;
    // Where the elements come from.
    NormSource source;
    // The function behind the normalization.
    NormActivation activation;
};

// Parameters of index_select and gather, target[e] = source[offset(e) + index[e] * index_step], and of the atomic variants
// of index_add and scatter_add, target[offset(e) + index[e] * index_step] += source[e].
struct GatherParams {
    // Address of the elements that are written.
    u64 target;
    // Address of the elements that are read.
    u64 source;
    // Over target, source and index; the indexed operand has stride 0 in the indexed dimension.
    StridedIter<3> iter;
    // The index tensor.
    IndexTensor index;
    // Stride of the indexed dimension in the indexed operand.
    u64 index_step;
    // Neighbouring elements that share an index; element e has index number e / inner % length.
    u64 inner;
    // Indices.
    u64 length;
};

// Parameters of the ordered scatter kernels: for every line, and j in order, source[line, j] is stored at or added to
// target[line, index[line, j]].
struct ScatterParams {
    // Address of the elements that are written.
    u64 target;
    // Address of the elements that are read.
    u64 source;
    // Over all dimensions but the indexed one: target, source, index.
    StridedIter<3> lines;
    // The index tensor.
    IndexTensor index;
    // Stride of the indexed dimension in the target.
    u64 target_step;
    // Stride of the indexed dimension in the source.
    u64 source_step;
    // Stride of the indexed dimension in the index tensor.
    u64 index_step;
    // Entries of a line.
    u64 length;
    // Elements of a target line that a block (variant row) or a thread (variant target) owns.
    u64 targets_each;
    // Lines from an index to the next one, row-major; 0: all lines share their indices.
    u64 inner;
};

// How losses are reduced.
enum class LossMode : u32 {
    // A loss for each target.
    Each = 0,
    // Sum of the losses by the sum of the weights.
    Mean = 1,
    // Sum of the losses.
    Sum = 2,
    // As Mean; 0 where the weights' sum is 0.
    ByteMean = 3,
    // Only the sum of the weights, by which gradients are divided.
    Divisor = 4,
};

// Parameters of losses with class targets and of their gradients. Scores are lines of classes, one for each target.
struct LossParams {
    // Address of the output.
    u64 out;
    // Address of the scores.
    u64 scores;
    // Address of the targets.
    u64 targets;
    // Address of the class weights, or 0.
    u64 weights;
    // Gradients: address of the loss's gradient.
    u64 grad;
    // Address of a pair (loss, weight) for each line, or 0: losses go to `out`.
    u64 pairs;
    // Variant element: address of each line's largest score.
    u64 peak;
    // Variant element: address of each line's sum of e^(score - peak).
    u64 total;
    // Variant element: address of each line's uniform part of label smoothing.
    u64 smoothing;
    // Address of the counter by which the last block knows that it is, and then reduces the pairs to `out`; or 0.
    u64 counter;
    // Gradients of means: address of the number to divide by; 0: the kernel counts the targets.
    u64 divisor;
    // Gradients with weights and label smoothing: address of the weights' sum.
    u64 weight_total;
    // Lines.
    u64 lines;
    // Classes: elements of a line.
    u64 classes;
    // Elements from one class to the next in the gradient, which is row-major.
    u64 inner;
    // Stride between the scores of a line.
    u64 class_step;
    // Stride between the weights.
    u64 weight_step;
    // Target that is ignored.
    i64 ignore_index;
    // 1 - s for label smoothing s: share of the target's loss.
    f64 target_share;
    // s / classes: share of each class's loss.
    f64 uniform_share;
    // Dtype of the targets.
    IndexDType index_dtype;
    // How losses are reduced.
    LossMode mode;
    // 1: there are class weights.
    u32 weighted;
    // 1: there is label smoothing.
    u32 smooth;
    // Variant block: groups of 32 threads for each line.
    u64 width;
    // Blocks of the grid.
    u64 blocks;
    // Where targets out of range are reported.
    Checker check;
    // Number of the targets among the op's inputs.
    u64 target_operand;
    // First scores of the lines, targets, gradients of the losses.
    StridedIter<3> line_starts;
};

// Parameters of cumsum.
struct CumSumParams {
    // Address of the output, which is row-major.
    u64 out;
    // Address of the input.
    u64 input;
    // Lines.
    u64 lines;
    // Elements of a line.
    u64 length;
    // Elements of the output from one element of a line to the next.
    u64 inner;
    // Stride between the elements of a line of the input.
    u64 step;
    // 1: from the last element on.
    u64 reverse;
    // Blocks of the grid.
    u64 blocks;
    // First elements of the lines in the input.
    StridedIter<1> line_starts;
};

// Parameters of the kernels of Fourier transforms.
struct FftParams {
    // Address of the output.
    u64 out;
    // Address of the input.
    u64 input;
    // Address of the roots of unity, or of the chirp.
    u64 roots;
    // Lines.
    u64 lines;
    // Elements of a line.
    u64 length;
    // Elements of a line that are not padding, and of the chirp.
    u64 count;
    // Elements of a row-major array from one element of a line to the next.
    u64 inner;
    // Stride between the elements of a line of the op's input.
    u64 step;
    // Elements that one pass transforms together.
    u64 radix;
    // Product of `radix` of the passes before.
    u64 done;
    // Factors of `radix`, 4 bits each.
    u64 factors;
    // 1: the exponents are positive.
    u64 inverse;
    // 1: the first pass, which reads the op's input.
    u64 first;
    // 1: the last pass, which multiplies by `scale`.
    u64 last;
    // 1: squares of the indices.
    u64 chirp;
    // Factor of the result.
    f64 scale;
    // Blocks of the grid.
    u64 blocks;
    // First elements of the lines in the op's input.
    StridedIter<1> line_starts;
};

// Parameters of argsort.
struct SortParams {
    // Address of the output, which is row-major.
    u64 out;
    // Address of the input.
    u64 input;
    // Address of the keys of the runs to merge: [lines][length].
    u64 keys;
    // Address of the positions of the runs to merge.
    u64 positions;
    // Address of the keys that are sorted or merged.
    u64 new_keys;
    // Address of the positions that are sorted or merged.
    u64 new_positions;
    // Lines.
    u64 lines;
    // Elements of a line.
    u64 length;
    // Positions of the order that are left out at its beginning.
    u64 start;
    // Elements of a line of the output.
    u64 count;
    // Elements of the output from one element of a line to the next.
    u64 inner;
    // Stride between the elements of a line of the input.
    u64 step;
    // Tiles of a line.
    u64 tiles;
    // Elements of a sorted run.
    u64 run;
    // 1: this launch writes the result.
    u64 last;
    // 1: in descending order.
    u64 descending;
    // 1: the output is I64, 0: U32.
    u64 output64;
    // Blocks of the grid.
    u64 blocks;
    // First elements of the lines in the input.
    StridedIter<1> line_starts;
};

// The factor beta of addmm.
enum class BetaKind : u32 {
    // 0: the summand is not read.
    Zero = 0,
    // 1: the summand is not multiplied.
    One = 1,
    // Another number.
    Other = 2,
};

// Strides of a matrix.
struct MatrixStrides {
    // From one row to the next.
    u64 row;
    // From one column to the next.
    u64 column;
};

// Parameters of matmul, out = left right, and of addmm, out = beta addend + alpha left right.
struct MatMulParams {
    // Address of the output, which is row-major.
    u64 out;
    // Address of the left matrices.
    u64 left;
    // Address of the right matrices.
    u64 right;
    // addmm: address of the summand.
    u64 addend;
    // Over the batch dimensions of out, left, right.
    StridedIter<3> batch;
    // Strides of a left matrix.
    MatrixStrides left_strides;
    // Strides of a right matrix.
    MatrixStrides right_strides;
    // Strides of the summand.
    MatrixStrides addend_strides;
    // Rows of the output.
    u64 rows;
    // Columns of the output.
    u64 columns;
    // Size of the inner dimension.
    u64 depth;
    // Blocks of the grid's second dimension, which share the batch.
    u64 batch_blocks;
    // alpha for integers, as an integer of the dtype.
    u64 int_alpha;
    // beta for integers.
    u64 int_beta;
    // alpha for floats.
    f64 float_alpha;
    // beta for floats.
    f64 float_beta;
    // 1: alpha is 1.
    u32 unit_alpha;
    // Whether beta is 0, 1 or another number.
    BetaKind beta_kind;
};

// A tensor [batch, channels, ..] with one to three spatial dimensions, which kernels take as three.
struct SpatialTensor {
    // Address of the first element.
    u64 ptr;
    // Strides of batch, channel and the three spatial dimensions, in elements.
    u64 stride[5];
};

// Parameters of convolutions. "Input" is the side that windows slide over, "output" the side with an element for each
// window, whatever of them the kernel computes.
struct ConvParams {
    // Left side of the product: the convolution's kernel; conv_weight_grad: the output's gradient.
    SpatialTensor left;
    // Right side of the product: the input; conv_transpose: the output.
    SpatialTensor right;
    // Address of the result, which is row-major.
    u64 out;
    // Size of the batch.
    u64 batch;
    // Groups of channels.
    u64 groups;
    // Input channels of a group.
    u64 channels_in;
    // Output channels of a group.
    u64 channels_out;
    // Spatial sizes of the input.
    u64 input_size[3];
    // Spatial sizes of the output.
    u64 output_size[3];
    // Spatial sizes of the convolution's kernel.
    u64 kernel_size[3];
    // Stride of the windows.
    u64 stride[3];
    // Padding before the input.
    u64 padding[3];
    // Dilation of the convolution's kernel.
    u64 dilation[3];
    // conv_transpose: phases in each dimension, the strides or the sizes where these are less.
    u64 phases[3];
    // conv_weight_grad: address of the slices' sums, where there are several slices.
    u64 partial_sums;
    // conv_weight_grad: slices of the inner dimension.
    u64 slices;
    // Blocks of the grid's second dimension, which share the groups (variant tile).
    u64 group_blocks;
    // Blocks of the grid's third dimension, which share the phases (conv_transpose, variant tile).
    u64 phase_blocks;
    // Blocks of the grid, which share the elements (variants direct and finish).
    u64 element_blocks;
    // 1: indices need 64 bits.
    u64 index64;
};

// Parameters of pooling and of its gradients.
struct PoolParams {
    // The input of pooling.
    SpatialTensor input;
    // The gradient of the output of pooling.
    SpatialTensor grad;
    // Address of the result, which is row-major.
    u64 out;
    // max_pool_backward: address of the row-major index of each window's maximum in the input's plane.
    u64 indices;
    // Elements of the result.
    u64 count;
    // Channels.
    u64 channels;
    // Spatial sizes of the input of pooling.
    u64 input_size[3];
    // Spatial sizes of the output of pooling.
    u64 output_size[3];
    // Sizes of a window, where they are regular.
    u64 kernel_size[3];
    // Stride of the windows.
    u64 stride[3];
    // Padding before the input.
    u64 padding[3];
    // Steps between the elements of a window.
    u64 dilation[3];
    // avg_pool: divisor of the sums; 0: the elements of the window.
    i64 divisor;
    // Blocks of the grid.
    u32 blocks;
    // 1: indices, coordinates or offsets in a plane need 64 bits.
    u32 index64;
    // avg_pool: 1: padding counts as elements.
    u32 count_padding;
    // 1: the windows follow from the sizes of the output.
    u32 adaptive;
};

// Parameters of upsampling and of its gradients.
struct ResizeParams {
    // The image, or the gradient of the resized image.
    SpatialTensor input;
    // Address of the result, which is row-major.
    u64 out;
    // Elements of the result.
    u64 count;
    // Channels.
    u64 channels;
    // Spatial sizes of the image.
    u64 old_size[3];
    // Spatial sizes of the resized image.
    u64 new_size[3];
    // Scale factors; 0 where only sizes were given.
    f64 factor[3];
    // Address of the table of coordinates.
    u64 taps;
    // Blocks of the grid.
    u32 blocks;
    // 1: indices or offsets in a plane need 64 bits.
    u32 index64;
    // Bilinear: 1: corner pixels keep their positions.
    u32 align_corners;
    // 1: the result is aligned to 16 bytes.
    u32 aligned;
};

// Parameters of grouped_matmul.
struct GroupedParams {
    // Address of the output, which is row-major.
    u64 out;
    // Address of the left matrix.
    u64 left;
    // Address of the right matrix or matrices.
    u64 right;
    // Address of the ends of the groups, i32.
    u64 ends;
    // Stride of the ends.
    u64 ends_step;
    // Strides of the left matrix.
    MatrixStrides left_strides;
    // Strides of a right matrix.
    MatrixStrides right_strides;
    // Groups of rows: from one right matrix to the next.
    u64 right_step;
    // Number of groups.
    u64 groups;
    // Rows of the left matrix.
    u64 rows;
    // Columns of the output.
    u64 columns;
    // Size of the inner dimension.
    u64 depth;
    // Blocks of the grid's second dimension, which share tiles of rows or groups.
    u32 shared_blocks;
    // 1: groups of rows, 0: of the inner dimension.
    u32 by_rows;
};

// Parameters of csr_matmul, with the entries in `a` and the dense matrix in `b`, and of sampled_matmul.
struct SparseParams {
    // Address of the output, which is row-major.
    u64 out;
    // Address of the first operand.
    u64 a;
    // Address of the second operand.
    u64 b;
    // Strides of the first operand; entries have that of columns.
    MatrixStrides a_strides;
    // Strides of the second operand.
    MatrixStrides b_strides;
    // Starts of the rows, or the row of each element.
    IndexTensor first;
    // Column of each entry.
    IndexTensor second;
    // Stride of `first`.
    u64 first_step;
    // Stride of `second`.
    u64 second_step;
    // Elements of the output.
    u64 count;
    // Elements of `first` and of `second`, all of which csr_matmul checks.
    u64 starts;
    // See `starts`.
    u64 entries;
    // Columns of the output of csr_matmul; terms of an element of sampled_matmul.
    u64 width;
    // Blocks of the grid.
    u64 blocks;
};

// The type of blocks, by its number in files.
enum class BlockFormat : u32 {
    // Single precision.
    F32 = 0,
    // Half precision.
    F16 = 1,
    // bfloat16.
    BF16 = 30,
    // 4 bits and a scale.
    Q4_0 = 2,
    // 4 bits, a scale and a minimum.
    Q4_1 = 3,
    // 5 bits and a scale.
    Q5_0 = 6,
    // 5 bits, a scale and a minimum.
    Q5_1 = 7,
    // 8 bits and a scale.
    Q8_0 = 8,
    // 8 bits, a scale and a sum.
    Q8_1 = 9,
    // 2 bits, in groups of 16.
    Q2K = 10,
    // 3 bits, in groups of 16.
    Q3K = 11,
    // 4 bits, in groups of 32.
    Q4K = 12,
    // 5 bits, in groups of 32.
    Q5K = 13,
    // 6 bits, in groups of 16.
    Q6K = 14,
    // 8 bits and a scale in f32.
    Q8K = 15,
};

// Parameters of dequantize, qmatmul, quantize_int8 and qmatmul_int8.
struct QuantizedParams {
    // Address of the output, which is row-major.
    u64 out;
    // Address of the left factor of a product.
    u64 x;
    // Address of the blocks.
    u64 blocks;
    // Strides of the left factor.
    MatrixStrides x_strides;
    // Strides of the matrix of blocks, in bytes.
    MatrixStrides block_strides;
    // Rows of the left factor.
    u64 rows;
    // Rows of blocks.
    u64 columns;
    // Elements of a row of blocks.
    u64 depth;
    // The type of the blocks.
    BlockFormat format;
    // Blocks of the grid.
    u32 grid;
};

// Parameters of factorizations, whose input is `a`, and of solutions of `a` for `b`. Outputs are row-major.
struct LinalgParams {
    // Address of the output.
    u64 out;
    // Address of the first operand.
    u64 a;
    // Address of the second operand.
    u64 b;
    // Strides of a matrix of the first operand.
    MatrixStrides a_strides;
    // Strides of a matrix of the second operand.
    MatrixStrides b_strides;
    // Matrices.
    u64 matrices;
    // Rows of a matrix.
    u64 rows;
    // Columns of a matrix; of a solution; exchanges of rows.
    u64 columns;
    // Columns that a block solves for: a power of two, at most 32.
    u64 width;
    // 1: the triangular matrix is an upper one.
    u64 upper;
    // 1: its diagonal counts as ones.
    u64 unit;
    // Blocks of the grid.
    u64 blocks;
    // First elements of the matrices of the first operand.
    StridedIter<1> a_starts;
    // First elements of the matrices of the second operand.
    StridedIter<1> b_starts;
};

// Parameters of qr, eigh and svd. Outputs are row-major.
struct DecomposeParams {
    // Address of the output.
    u64 out;
    // Address of the input.
    u64 a;
    // Address of scratch memory.
    u64 scratch;
    // Bytes of scratch memory for each block.
    u64 room;
    // Strides of a matrix.
    MatrixStrides a_strides;
    // Matrices.
    u64 matrices;
    // Rows of a matrix.
    u64 rows;
    // Columns of a matrix.
    u64 columns;
    // Columns of Q, of eigenvectors or of U.
    u64 left;
    // Rows of R or of V^T.
    u64 right;
    // Steps after which an iteration has failed.
    u64 most;
    // Blocks of the grid.
    u64 blocks;
    // First elements of the matrices.
    StridedIter<1> a_starts;
};

// The elements of a matrix that count.
enum class SolverPart : u32 {
    // All of them.
    All = 0,
    // The upper triangle.
    Upper = 1,
    // The lower triangle.
    Lower = 2,
};

// Parameters of copies between our matrices and those of a vendor's library.
struct SolverParams {
    // Address of the output.
    u64 out;
    // Address of the input.
    u64 from;
    // Address of the signs of columns or rows, or 0.
    u64 signs;
    // Address of the words that report elements which a library cannot take.
    u64 state;
    // Elements from one matrix of the output to the next.
    u64 out_stride;
    // Elements from one matrix of the input to the next.
    u64 from_stride;
    // Strides of a matrix of the input.
    MatrixStrides strides;
    // Matrices.
    u64 matrices;
    // Rows of a matrix; elements of a vector.
    u64 rows;
    // Columns of a matrix.
    u64 columns;
    // Signs, or numbers, of each matrix.
    u64 count;
    // Blocks of the grid.
    u64 blocks;
    // The elements that count.
    SolverPart part;
    // 1: elements of the input are conjugated.
    u32 conjugate;
    // 1: signs are those of rows.
    u32 by_row;
    // Bytes of a pivot; 0: the numbers are real values.
    u32 pivot_bytes;
    // First elements of the matrices of our input.
    StridedIter<1> starts;
};

// Values outside of an image that is sampled.
enum class SampleEdge : u32 {
    // Zeros.
    Zeros = 0,
    // The elements at the border.
    Border = 1,
    // The image mirrored at its border.
    Reflection = 2,
};

// Meaning of the numbers of a grid.
enum class SampleScale : u32 {
    // -1 and 1 are the outer borders of the first and the last element.
    Edges = 0,
    // -1 and 1 are the centres of the first and the last element.
    Centers = 1,
    // Indices of elements.
    Pixels = 2,
};

// Parameters of grid_sample and its gradients.
struct GridSampleParams {
    // The image; not read by grid_sample_input_grad.
    SpatialTensor input;
    // The gradient of the samples; not read by grid_sample.
    SpatialTensor grad;
    // Address of the grid.
    u64 grid;
    // Strides of the grid: batch, three dimensions of positions, coordinates.
    u64 grid_stride[5];
    // Address of the result, which is row-major.
    u64 out;
    // Threads with work.
    u64 count;
    // Channels.
    u64 channels;
    // Spatial sizes of the image.
    u64 size[3];
    // Spatial sizes of the samples.
    u64 sampled[3];
    // Spatial dimensions: 2 or 3.
    u32 dims;
    // Elements read in a dimension: 1 (nearest), 2 (linear) or 4 (cubic).
    u32 taps;
    // Values outside of the image.
    SampleEdge padding;
    // Meaning of the grid's numbers.
    SampleScale unit;
    // Blocks of the grid of threads.
    u32 blocks;
    // 1: indices need 64 bits.
    u32 index64;
};

// Parameters of im2col and col2im.
struct ColumnParams {
    // Address of the first element of the kernel's input.
    u64 input;
    // Address of the result, which is row-major.
    u64 out;
    // Elements of the result.
    u64 count;
    // Channels of an image.
    u64 channels;
    // Strides of the input: four of images, three of columns.
    u64 input_stride[4];
    // Height and width of an image.
    u64 size[2];
    // Number of windows along each dimension.
    u64 windows[2];
    // Sizes of a window.
    u64 kernel_size[2];
    // Steps from one window to the next.
    u64 stride[2];
    // Zeros on both sides of an image.
    u64 padding[2];
    // Steps between the elements of a window.
    u64 dilation[2];
    // Blocks of the grid.
    u32 blocks;
    // 1: indices need 64 bits.
    u32 index64;
};

// The elements that padding adds.
enum class PadKind : u32 {
    // One value.
    Constant = 0,
    // The input mirrored at its ends.
    Reflect = 1,
    // The first and the last element.
    Replicate = 2,
    // The input from its other end.
    Circular = 3,
};

// Parameters of pad and pad_backward. Dimensions are those of the input, neighbours without padding merged.
struct PadParams {
    // Address of the input's element that index 0 is.
    u64 input;
    // Address of the result, which is row-major.
    u64 out;
    // Elements of the result.
    u64 count;
    // Bits of the value that is added, zero-extended; of 16 bytes the first 8.
    u64 value;
    // The last 8 of 16 bytes.
    u64 value_high;
    // Number of dimensions.
    u32 rank;
    // Blocks of the grid.
    u32 blocks;
    // 1: indices need 64 bits.
    u32 index64;
    // The elements added.
    PadKind kind;
    // Sizes before padding.
    u64 size[MAX_RANK];
    // Sizes after it.
    u64 padded[MAX_RANK];
    // Elements before, of each dimension.
    i64 before[MAX_RANK];
    // Circular: elements removed at the beginning, and elements that are kept.
    u64 first[MAX_RANK];
    // Circular: elements that are kept.
    u64 kept[MAX_RANK];
    // Strides of the kernel's input.
    u64 stride[MAX_RANK];
};

// Numbers of an activation function.
struct ActivationNumbers {
    // The first number.
    f64 a;
    // The second number.
    f64 b;
};

// Numbers of softplus.
struct SoftplusParams {
    // Factor of the exponent.
    f64 beta;
    // Exponent above which the result is the input.
    f64 threshold;
};

// The activation of a sum.
enum class ActivationKind : u32 {
    // max(z, 0).
    Relu = 0,
    // z Phi(z).
    Gelu = 1,
    // The tanh variant of Gelu.
    GeluTanh = 2,
    // 1 / (1 + e^-z).
    Sigmoid = 3,
    // z / (1 + e^-z).
    Silu = 4,
    // tanh(z).
    Tanh = 5,
};

// The activation of a sum, for kernels.
struct ActivationParams {
    // Which activation.
    ActivationKind kind;
    // Not read; structs have no padding.
    u32 unused;
};

// The loss of an element: x is the input, t the target, d is x - t, and p the parameter.
enum class LossKind : u32 {
    // d^2.
    Mse = 0,
    // |d|.
    L1 = 1,
    // A parabola up to |d| = p, then a line of slope 1.
    SmoothL1 = 2,
    // The same, times p.
    Huber = 3,
    // The cross-entropy of probabilities.
    Bce = 4,
    // The cross-entropy of the sigmoid of logits.
    BceWithLogits = 5,
    // t ln(t) - t x.
    KlDiv = 6,
    // e^t (t - x).
    KlDivLog = 7,
    // x - t ln(x + p).
    PoissonNll = 8,
    // e^x - t x.
    PoissonNllLog = 9,
    // PoissonNll and an approximation of ln(t!).
    PoissonNllFull = 10,
    // PoissonNllLog and an approximation of ln(t!).
    PoissonNllLogFull = 11,
    // ln(1 + e^(-t x)).
    SoftMargin = 12,
    // x where t is 1, max(p - x, 0) where it is -1.
    HingeEmbedding = 13,
    // max(p - t x, 0).
    MarginRanking = 14,
};

// The loss of an element, for kernels.
struct PointwiseLossParams {
    // Which loss.
    LossKind kind;
    // For gradients. 1: of the target, 0: of the input.
    u32 of_target;
    // The parameter p of the loss.
    f64 parameter;
    // For gradients: factor of the gradient of the losses.
    f64 scale;
};

// Numbers of the cells of recurrent networks.
struct CellParams {
    // Elements of the output from one of its parts to the next.
    u64 out_step;
    // Strides from one gate to the next, in each tensor of pre-activations.
    u64 step[2];
};

// The sizes that the host has.
static_assert(sizeof(AttentionParams) == 472, "AttentionParams differs from the host's struct");
static_assert(sizeof(BatchNormParams) == 312, "BatchNormParams differs from the host's struct");
static_assert(sizeof(ColumnParams) == 168, "ColumnParams differs from the host's struct");
static_assert(sizeof(ConvParams) == 352, "ConvParams differs from the host's struct");
static_assert(sizeof(CumSumParams) == 216, "CumSumParams differs from the host's struct");
static_assert(sizeof(DecomposeParams) == 256, "DecomposeParams differs from the host's struct");
static_assert(sizeof(ElementwiseParams<1, ArangeParams>) == 192, "ElementwiseParams<1, ArangeParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<1, ClipParams>) == 176, "ElementwiseParams<1, ClipParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<1, FillParams>) == 176, "ElementwiseParams<1, FillParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<1, RandomParams>) == 232, "ElementwiseParams<1, RandomParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<1, UnscaleParams>) == 176, "ElementwiseParams<1, UnscaleParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<2, ActivationNumbers>) == 248, "ElementwiseParams<2, ActivationNumbers> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<2, AffineParams>) == 256, "ElementwiseParams<2, AffineParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<2, ClampParams>) == 248, "ElementwiseParams<2, ClampParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<2, NoParams>) == 240, "ElementwiseParams<2, NoParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<2, PlaneParams>) == 280, "ElementwiseParams<2, PlaneParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<2, RandomParams>) == 304, "ElementwiseParams<2, RandomParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<2, ScalarParams>) == 240, "ElementwiseParams<2, ScalarParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<2, SgdParams>) == 304, "ElementwiseParams<2, SgdParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<2, SoftplusParams>) == 248, "ElementwiseParams<2, SoftplusParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<2, TriangleParams>) == 264, "ElementwiseParams<2, TriangleParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<3, ActivationNumbers>) == 320, "ElementwiseParams<3, ActivationNumbers> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<3, ActivationParams>) == 312, "ElementwiseParams<3, ActivationParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<3, AdagradParams>) == 360, "ElementwiseParams<3, AdagradParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<3, CellParams>) == 328, "ElementwiseParams<3, CellParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<3, ClampParams>) == 320, "ElementwiseParams<3, ClampParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<3, NoParams>) == 312, "ElementwiseParams<3, NoParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<3, PointwiseLossParams>) == 328, "ElementwiseParams<3, PointwiseLossParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<3, RandomParams>) == 376, "ElementwiseParams<3, RandomParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<3, RmspropParams>) == 392, "ElementwiseParams<3, RmspropParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<3, ScalarParams>) == 312, "ElementwiseParams<3, ScalarParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<3, SgdParams>) == 376, "ElementwiseParams<3, SgdParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<3, StepParams>) == 400, "ElementwiseParams<3, StepParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<4, ActivationParams>) == 384, "ElementwiseParams<4, ActivationParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<4, AdamParams>) == 488, "ElementwiseParams<4, AdamParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<4, CellParams>) == 400, "ElementwiseParams<4, CellParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<4, NoParams>) == 384, "ElementwiseParams<4, NoParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<4, PointwiseLossParams>) == 400, "ElementwiseParams<4, PointwiseLossParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<4, RmspropParams>) == 464, "ElementwiseParams<4, RmspropParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<4, RotaryParams>) == 400, "ElementwiseParams<4, RotaryParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<4, ScalarParams>) == 384, "ElementwiseParams<4, ScalarParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<4, StepParams>) == 472, "ElementwiseParams<4, StepParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<5, CellParams>) == 472, "ElementwiseParams<5, CellParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<5, RmspropParams>) == 536, "ElementwiseParams<5, RmspropParams> differs from the host's struct");
static_assert(sizeof(ElementwiseParams<5, StepParams>) == 544, "ElementwiseParams<5, StepParams> differs from the host's struct");
static_assert(sizeof(FftParams) == 288, "FftParams differs from the host's struct");
static_assert(sizeof(FusedNormParams) == 432, "FusedNormParams differs from the host's struct");
static_assert(sizeof(GatherParams) == 376, "GatherParams differs from the host's struct");
static_assert(sizeof(GridSampleParams) == 240, "GridSampleParams differs from the host's struct");
static_assert(sizeof(GroupedParams) == 120, "GroupedParams differs from the host's struct");
static_assert(sizeof(LinalgParams) == 416, "LinalgParams differs from the host's struct");
static_assert(sizeof(LossParams) == 504, "LossParams differs from the host's struct");
static_assert(sizeof(MatMulParams) == 432, "MatMulParams differs from the host's struct");
static_assert(sizeof(NormParams) == 360, "NormParams differs from the host's struct");
static_assert(sizeof(NormTotalParams) == 24, "NormTotalParams differs from the host's struct");
static_assert(sizeof(PadParams) == 440, "PadParams differs from the host's struct");
static_assert(sizeof(PoolParams) == 296, "PoolParams differs from the host's struct");
static_assert(sizeof(QuantizedParams) == 88, "QuantizedParams differs from the host's struct");
static_assert(sizeof(ReduceParams<1>) == 400, "ReduceParams<1> differs from the host's struct");
static_assert(sizeof(ReduceParams<2>) == 536, "ReduceParams<2> differs from the host's struct");
static_assert(sizeof(ResizeParams) == 168, "ResizeParams differs from the host's struct");
static_assert(sizeof(ScatterParams) == 400, "ScatterParams differs from the host's struct");
static_assert(sizeof(SoftmaxParams) == 320, "SoftmaxParams differs from the host's struct");
static_assert(sizeof(SolverParams) == 272, "SolverParams differs from the host's struct");
static_assert(sizeof(SortParams) == 296, "SortParams differs from the host's struct");
static_assert(sizeof(SparseParams) == 224, "SparseParams differs from the host's struct");
static_assert(sizeof(TableParams<1, ClipParams>) == 1304, "TableParams<1, ClipParams> differs from the host's struct");
static_assert(sizeof(TableParams<1, UnscaleParams>) == 1304, "TableParams<1, UnscaleParams> differs from the host's struct");
static_assert(sizeof(TableParams<2, ScalarParams>) == 1808, "TableParams<2, ScalarParams> differs from the host's struct");
static_assert(sizeof(TableParams<2, SgdParams>) == 1872, "TableParams<2, SgdParams> differs from the host's struct");
static_assert(sizeof(TableParams<3, AdagradParams>) == 2368, "TableParams<3, AdagradParams> differs from the host's struct");
static_assert(sizeof(TableParams<3, RmspropParams>) == 2400, "TableParams<3, RmspropParams> differs from the host's struct");
static_assert(sizeof(TableParams<3, SgdParams>) == 2384, "TableParams<3, SgdParams> differs from the host's struct");
static_assert(sizeof(TableParams<3, StepParams>) == 2408, "TableParams<3, StepParams> differs from the host's struct");
static_assert(sizeof(TableParams<4, AdamParams>) == 2936, "TableParams<4, AdamParams> differs from the host's struct");
static_assert(sizeof(TableParams<4, RmspropParams>) == 2912, "TableParams<4, RmspropParams> differs from the host's struct");
static_assert(sizeof(TableParams<4, StepParams>) == 2920, "TableParams<4, StepParams> differs from the host's struct");
static_assert(sizeof(TableParams<5, RmspropParams>) == 3424, "TableParams<5, RmspropParams> differs from the host's struct");
static_assert(sizeof(TableParams<5, StepParams>) == 3432, "TableParams<5, StepParams> differs from the host's struct");

}  // namespace rl
