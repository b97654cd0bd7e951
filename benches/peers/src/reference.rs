//! Computes the parity suite's cases with candle, in f64 (integers keep their dtype). The cases are Rushlight's; only the
//! function that is called differs.
use candle_core::{DType as Theirs, Device, Tensor, Var};
use rushlight::cpu::CpuStorage;
use rushlight::ops::binary::{Binary, BinaryOp as B};
use rushlight::ops::cmp::CmpOp as C;
use rushlight::ops::copy::Copy;
use rushlight::ops::reduce::{Reduce, ReduceOp as R};
use rushlight::ops::resize::Resize;
use rushlight::ops::scatter::ScatterMode;
use rushlight::ops::unary::{Unary, UnaryOp as U};
use rushlight::ops::{IndexMode, Op, window::Window};
use rushlight_parity::{Case, Output, Pass};
use rushlight::{DType, Tensor as Ours};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The true outputs (or gradients), or the reason why there are none.
pub type Answer = Result<Vec<Output>, String>;

/// Returns candle's outputs for a case, or why candle has none that are comparable.
pub fn of(case: &Case) -> Answer {
    if case.pass == Pass::Error {
        return Err("candle words its errors differently".to_string());
    }
    if case.is_hard() {
        return Err("candle has other rules for hard numbers".to_string());
    }
    let ours = case.tensors(&rushlight::Device::Cpu).map_err(|e| e.to_string())?;
    let ids = matches!(case.what(), Op::IndexSelect(_) | Op::Gather(_) | Op::Scatter(_) | Op::IndexAdd(_));
    let ins: Vec<Tensor> =
        ours.iter().enumerate().map(|(i, t)| given(t, ids && i == 1)).collect::<Result<_, _>>()?;
    if let (true, Some(given)) = (ids, ours.get(1)) {
        other_ids(case.what(), given)?;
    }
    // Some of candle's functions panic on dtypes that they do not support.
    let made = catch_unwind(AssertUnwindSafe(|| match case.pass {
        Pass::Gradient => gradients(case.what(), &ins),
        _ => call(case.what(), &ins).and_then(|t| Ok(vec![output(&t)?])),
    }));
    made.unwrap_or_else(|_| Err(format!("candle's {} panics on {}", case.op(), case.dtype().as_str())))
}

/// Returns an error for indices that candle treats differently: negative ones, and those equal to their type's MAX, which
/// candle skips.
fn other_ids(op: &Op, ids: &Ours) -> Result<(), String> {
    let rule = match op {
        Op::IndexSelect(i) => i.rule,
        Op::Gather(g) => g.rule,
        Op::Scatter(s) => s.rule,
        Op::IndexAdd(i) => i.rule,
        _ => return Ok(()),
    };
    let max = match ids.dtype() {
        DType::U8 => i64::from(u8::MAX),
        DType::U32 => i64::from(u32::MAX),
        DType::I16 => i64::from(i16::MAX),
        DType::I32 => i64::from(i32::MAX),
        _ => i64::MAX,
    };
    let all = ids.to_dtype(DType::I64).and_then(|t| t.copy()?.flatten_all()?.to_vec1::<i64>());
    let all = all.map_err(|e| e.to_string())?;
    if all.iter().any(|id| *id < 0) {
        return Err("candle has no negative indices".to_string());
    }
    let as_candle = rule == IndexMode::MaxSkips && !matches!(ids.dtype(), DType::I16 | DType::I32);
    match all.contains(&max) && !as_candle {
        true => Err("candle takes an id of its type's MAX for none".to_string()),
        false => Ok(()),
    }
}

fn refuses(e: candle_core::Error) -> String {
    let text = e.to_string();
    format!("candle refuses: {}", text.lines().next().unwrap_or_default())
}

/// Returns an input as candle's tensor. Floats are f64; indices of dtypes that candle lacks are i64.
fn given(t: &Ours, is_id: bool) -> Result<Tensor, String> {
    let flat = |d| t.to_dtype(d)?.copy()?.flatten_all();
    let (dims, cpu) = (t.dims().to_vec(), &Device::Cpu);
    macro_rules! make {
        ($d:ident, $t:ty) => {{
            let v: Vec<$t> =
                flat(DType::$d).and_then(|t| t.to_vec1()).map_err(|e: rushlight::Error| e.to_string())?;
            Tensor::from_vec(v, dims, cpu).map_err(refuses)
        }};
    }
    match t.dtype() {
        DType::F64 | DType::F32 | DType::F16 | DType::BF16 => make!(F64, f64),
        DType::U8 | DType::Bool => make!(U8, u8),
        DType::U32 => make!(U32, u32),
        DType::I64 => make!(I64, i64),
        DType::I16 | DType::I32 if is_id => make!(I64, i64),
        DType::I16 => make!(I16, i16),
        DType::I32 => make!(I32, i32),
        other => Err(format!("candle has no {} here", other.as_str())),
    }
}

fn output(t: &Tensor) -> Result<Output, String> {
    let v = t.to_dtype(Theirs::F64).and_then(|t| t.flatten_all()?.to_vec1::<f64>()).map_err(refuses)?;
    Ok(Output { dtype: DType::F64, dims: t.dims().to_vec(), storage: CpuStorage::F64(v.into()) })
}

/// Returns the gradients of the float inputs, for a cotangent of ones.
fn gradients(op: &Op, ins: &[Tensor]) -> Answer {
    let float = |t: &Tensor| t.dtype() == Theirs::F64;
    let vars: Vec<Var> =
        ins.iter().filter(|t| float(t)).map(Var::from_tensor).collect::<Result<_, _>>().map_err(refuses)?;
    let mut next = vars.iter();
    let leaves: Vec<Tensor> = ins
        .iter()
        .map(|t| match float(t) {
            true => next.next().map_or_else(|| t.clone(), |v| v.as_tensor().clone()),
            false => t.clone(),
        })
        .collect();
    let grads = call(op, &leaves)?.backward().map_err(refuses)?;
    vars.iter()
        .map(|v| {
            let g = grads.get(v).ok_or_else(|| format!("candle has no gradient of {}", op.name()))?;
            output(g)
        })
        .collect()
}

/// Calls candle's function for an op.
fn call(op: &Op, x: &[Tensor]) -> Result<Tensor, String> {
    let none = || Err(format!("candle has no function for {}", op.name()));
    let [a, rest @ ..] = x else { return none() };
    let second = || rest.first().ok_or_else(|| format!("{} of one input", op.name()));
    let third = || rest.get(1).ok_or_else(|| format!("{} of two inputs", op.name()));
    let made = match op {
        Op::Unary(Unary(u)) => match u {
            U::Exp => a.exp(),
            U::Log => a.log(),
            U::Sin => a.sin(),
            U::Cos => a.cos(),
            U::Tanh => a.tanh(),
            U::Erf => a.erf(),
            U::Sqrt => a.sqrt(),
            U::Reciprocal => a.recip(),
            U::Square => a.sqr(),
            U::Abs => a.abs(),
            U::Neg => a.neg(),
            U::Sign => a.sign(),
            U::Floor => a.floor(),
            U::Ceil => a.ceil(),
            U::Round => a.round(),
            U::Relu => a.relu(),
            U::Silu => a.silu(),
            U::Gelu => a.gelu(),
            U::GeluErf => a.gelu_erf(),
            _ => return none(),
        },
        Op::Binary(Binary(b)) => {
            let b2 = second()?;
            match b {
                B::Add => a.add(b2),
                B::Sub => a.sub(b2),
                B::Mul => a.mul(b2),
                B::Div => a.div(b2),
                B::Pow => a.pow(b2),
                B::Maximum => a.maximum(b2),
                B::Minimum => a.minimum(b2),
                _ => return none(),
            }
        }
        Op::Cmp(c) => {
            let b = second()?;
            match c.op {
                C::Eq => a.eq(b),
                C::Ne => a.ne(b),
                C::Lt => a.lt(b),
                C::Le => a.le(b),
                C::Gt => a.gt(b),
                C::Ge => a.ge(b),
            }
        }
        Op::Reduce(r) => return reduce(r, op.name(), a),
        Op::Affine(f) => a.affine(f.mul, f.add),
        Op::Powf(p) => a.powf(p.0),
        Op::Elu(e) => a.elu(e.0),
        Op::WhereCond(_) => a.where_cond(second()?, third()?),
        Op::Copy(Copy::New) => a.copy(),
        Op::MatMul(_) => a.matmul(second()?),
        Op::Conv(c) => {
            let (k, groups) = (second()?, c.groups as usize);
            let (stride, padding, dilation) = one_for_all(&c.window, op)?;
            match c.window.spatial() {
                1 => a.conv1d(k, padding, stride, dilation, groups),
                2 => a.conv2d(k, padding, stride, dilation, groups),
                _ => return none(),
            }
        }
        Op::ConvTranspose(c) => {
            let (k, groups) = (second()?, c.groups as usize);
            let (stride, padding, dilation) = one_for_all(&c.window, op)?;
            let n = c.window.spatial();
            let more = alike(&c.output_padding.map(|v| v as usize), n)
                .ok_or_else(|| format!("candle's {} has one number for all dimensions", op.name()))?;
            match n {
                1 => a.conv_transpose1d(k, padding, more, stride, dilation, groups),
                2 if groups == 1 => a.conv_transpose2d(k, padding, more, stride, dilation),
                _ => return none(),
            }
        }
        Op::MaxPool(p) => {
            let (kernel, stride) = plane(p.pool.window(), p.pool.kernel(), op)?;
            a.max_pool2d_with_stride(kernel, stride)
        }
        Op::AvgPool(p) => {
            let (kernel, stride) = plane(p.pool.window(), p.pool.kernel(), op)?;
            a.avg_pool2d_with_stride(kernel, stride)
        }
        Op::UpsampleNearest(u) if by_factor(&u.resize) => return Err(FACTORS.to_string()),
        Op::UpsampleBilinear(u) if by_factor(&u.resize) => return Err(FACTORS.to_string()),
        Op::UpsampleNearest(u) => match (u.resize.spatial(), u.resize.size()) {
            (1, [.., w]) => a.upsample_nearest1d(w),
            (2, [_, h, w]) => a.upsample_nearest2d(h, w),
            _ => return none(),
        },
        Op::UpsampleBilinear(u) => {
            let [_, h, w] = u.resize.size();
            a.upsample_bilinear2d(h, w, u.align_corners)
        }
        Op::IndexSelect(i) => a.index_select(second()?, i.dim),
        Op::Gather(g) => a.gather(second()?, g.dim),
        Op::IndexAdd(i) => a.index_add(second()?, third()?, i.dim),
        Op::Scatter(s) => match s.mode {
            ScatterMode::Set => a.scatter(second()?, third()?, s.dim),
            ScatterMode::Add => a.scatter_add(second()?, third()?, s.dim),
        },
        Op::ArgSort(s) if s.dim + 1 == a.rank() => a.arg_sort_last_dim(!s.descending),
        // candle computes this by a product with an n x n matrix, which would be too large.
        Op::CumSum(c) if a.dims().get(c.dim).is_some_and(|n| *n > 2048) => {
            return Err("candle's cumsum of long axes needs too much memory".to_string());
        }
        Op::CumSum(c) if !c.reverse => a.cumsum(c.dim),
        Op::Flip(f) => a.flip(&(0..a.rank()).filter(|i| f.flips(*i)).collect::<Vec<_>>()),
        Op::Softmax(s) => softmax(a, s.dim, s.log),
        _ => return none(),
    };
    made.map_err(refuses)
}

const FACTORS: &str = "candle is asked for sizes, not for factors";

/// Returns whether the sizes come from scale factors, which then determine the sampled coordinates.
fn by_factor(r: &Resize) -> bool {
    Resize::to("resize", &r.size()[3 - r.spatial()..]).is_ok_and(|to| to != *r)
}

/// Computes softmax from candle-core's functions as candle-nn does.
fn softmax(x: &Tensor, dim: usize, log: bool) -> candle_core::Result<Tensor> {
    let shifted = x.broadcast_sub(&x.max_keepdim(dim)?)?;
    let exp = shifted.exp()?;
    let sum = exp.sum_keepdim(dim)?;
    if log { shifted.broadcast_sub(&sum.log()?) } else { exp.broadcast_div(&sum) }
}

fn reduce(r: &Reduce, name: &str, x: &Tensor) -> Result<Tensor, String> {
    let axes: Vec<usize> = (0..x.rank()).filter(|i| r.reduces(*i)).collect();
    let float = x.dtype() == Theirs::F64;
    if !float && matches!(r.op, R::Sum) && r.dtype.as_str() != x.dtype().as_str() {
        return Err("candle sums integers in their own dtype".to_string());
    }
    let made = match (r.op, axes.as_slice(), r.keepdim) {
        (R::Sum, _, true) => x.sum_keepdim(axes),
        (R::Sum, _, false) => x.sum(axes),
        (R::Mean, _, true) => x.mean_keepdim(axes),
        (R::Mean, _, false) => x.mean(axes),
        (R::Min, [one], true) => x.min_keepdim(*one),
        (R::Min, [one], false) => x.min(*one),
        (R::Max, [one], true) => x.max_keepdim(*one),
        (R::Max, [one], false) => x.max(*one),
        (R::ArgMin, [one], true) => x.argmin_keepdim(*one),
        (R::ArgMin, [one], false) => x.argmin(*one),
        (R::ArgMax, [one], true) => x.argmax_keepdim(*one),
        (R::ArgMax, [one], false) => x.argmax(*one),
        (R::Min | R::Max | R::ArgMin | R::ArgMax, ..) => {
            return Err(format!("candle has no {name} of several axes"));
        }
        _ => return Err(format!("candle has no function for {name}")),
    };
    made.map_err(refuses)
}

/// Returns the number if it is the same for all spatial dimensions.
fn alike(each: &[usize; 3], spatial: usize) -> Option<usize> {
    let own = &each[3 - spatial..];
    own.iter().all(|v| v == &own[0]).then_some(own[0])
}

/// Returns stride, padding and dilation, if each is the same in all dimensions.
fn one_for_all(w: &Window, op: &Op) -> Result<(usize, usize, usize), String> {
    let n = w.spatial();
    let of = |each: [usize; 3]| {
        alike(&each, n).ok_or_else(|| format!("candle's {} has one number for all dimensions", op.name()))
    };
    Ok((of(w.stride())?, of(w.padding())?, of(w.dilation())?))
}

type Two = (usize, usize);

/// Returns the kernel and stride of a pooling over two dimensions.
fn plane(w: &Window, [_, kh, kw]: [usize; 3], op: &Op) -> Result<(Two, Two), String> {
    let [_, sh, sw] = w.stride();
    if w.spatial() != 2 {
        return Err(format!("candle has no function for {}", op.name()));
    }
    if w.padding()[1..] != [0, 0] {
        return Err(format!("candle's {} has no padding", op.name()));
    }
    Ok(((kh, kw), (sh, sw)))
}
