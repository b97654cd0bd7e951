//! The cost of an op: heap allocations per call, and bytes of tensor memory in addition to the output. This file has
//! one test, because the counters are global to the process.
use rushlight::{DType, Device, Result, Tensor, Var, cpu};

#[path = "common/counting.rs"]
mod counting;
use counting::count;

/// Returns the allocations of one call, after warm-up calls that fill the pool of blocks.
fn cost(f: &dyn Fn() -> Result<Tensor>) -> Result<usize> {
    for _ in 0..3 {
        f()?;
    }
    let before = count();
    let t = f()?;
    let n = count() - before;
    drop(t);
    Ok(n)
}

type Run = Box<dyn Fn(&Tensor) -> Result<Tensor>>;

fn ops(other: &Tensor) -> Vec<(&'static str, Run)> {
    let rows: Vec<(&'static str, fn(&Tensor, &Tensor) -> Result<Tensor>)> = vec![
        ("add", |x, _| x.add(x)),
        ("mul", |x, o| x.mul(o)),
        ("exp", |x, _| x.exp()),
        ("affine", |x, _| x.affine(2.0, 1.0)),
        ("eq", |x, o| x.eq(o)),
        ("to_dtype", |x, _| x.to_dtype(DType::F64)),
        ("where_cond", |x, o| o.to_dtype(DType::F32)?.where_cond_u8(x)),
        ("copy", |x, _| x.copy()),
        ("sum over 0", |x, _| x.reduce(rushlight::ops::reduce::ReduceOp::Sum, 1, false, DType::F32)),
        ("sum over 1", |x, _| x.reduce(rushlight::ops::reduce::ReduceOp::Sum, 2, false, DType::F32)),
        ("max over 1", |x, _| x.reduce(rushlight::ops::reduce::ReduceOp::Max, 2, true, DType::F32)),
        ("sum of a named dimension", |x, _| x.sum(1)),
        ("max of dimensions from the end", |x, _| x.max_keepdim(rushlight::D::Minus1)),
        ("sum_all", |x, _| x.sum_all()),
        ("matmul", |x, o| x.matmul(o)),
    ];
    rows.into_iter()
        .filter(|(n, _)| *n != "where_cond")
        .map(|(n, f)| {
            let o = other.clone();
            (n, Box::new(move |x: &Tensor| f(x, &o)) as Run)
        })
        .collect()
}

/// A short name for `where_cond`, so that each op of the table above fits one line.
trait Where {
    fn where_cond_u8(&self, x: &Tensor) -> Result<Tensor>;
}
impl Where for Tensor {
    fn where_cond_u8(&self, x: &Tensor) -> Result<Tensor> {
        self.where_cond(x, x)
    }
}

#[test]
fn an_op_costs_few_allocations_and_no_copy_of_its_inputs() -> Result<()> {
    let device = &Device::Cpu;
    // Small tensors: count heap allocations.
    let x = Tensor::randn(0f32, 1.0, (4, 4), device)?;
    let other = Tensor::randn(0f32, 1.0, (4, 4), device)?;
    let v = Var::from_tensor(&x)?;
    let mut wrong = Vec::new();
    for (name, f) in ops(&other) {
        let plain = cost(&|| f(&x))?;
        let strided = cost(&|| f(&x.t()?))?;
        let tracked = cost(&|| f(&v))?;
        // A view is one allocation (its handle).
        if plain > 2 || strided > 3 || tracked > 3 {
            wrong.push(format!("{name}: {plain} untracked, {strided} with a view, {tracked} tracked"));
        }
    }
    let cond = x.gt(&other)?;
    for (name, n) in [
        ("where_cond", cost(&|| cond.where_cond(&x, &other))?),
        ("assign", cost(&|| other.assign(&x).map(|()| x.clone()))?),
        ("narrow", cost(&|| x.narrow(0, 1, 2))?),
        ("transpose", cost(&|| x.transpose(0, 1))?),
        ("permute", cost(&|| x.permute((1, 0)))?),
        ("reshape", cost(&|| x.reshape((2, 8)))?),
        ("broadcast_as", cost(&|| x.broadcast_as((3, 4, 4)))?),
        ("unsqueeze", cost(&|| x.unsqueeze(0))?),
        ("squeeze", cost(&|| x.squeeze(0))?),
        ("clone", cost(&|| Ok(x.clone()))?),
    ] {
        if n > 2 {
            wrong.push(format!("{name}: {n}"));
        }
    }
    assert!(wrong.is_empty(), "too many allocations:\n{}", wrong.join("\n"));

    // Large strided tensors: the peak must be the output rounded up to its size class (at most a quarter more). Each thread of
    // a product packs blocks, whose size does not depend on that of the factors.
    cpu::set_num_threads(2);
    let n = 1024;
    let wide = Tensor::randn(0f32, 1.0, (n, 2 * n), device)?;
    let views = [
        wide.slice(1, 0, n, 2)?,
        wide.narrow(1, 3, n)?.t()?,
        wide.narrow(0, 0, 1)?.narrow(1, 0, n)?.broadcast_as((n, n))?,
    ];
    let cond = wide.narrow(1, 1, n)?.gt(&wide.narrow(1, 0, n)?)?.t()?;
    let mut wrong = Vec::new();
    for (i, x) in views.iter().enumerate() {
        let other = views[(i + 1) % 3].clone();
        let mut all = ops(&other);
        let c = cond.clone();
        all.push(("where_cond", Box::new(move |x| c.where_cond(x, &other))));
        for (name, f) in all {
            let live = cpu::memory_stats().live;
            cpu::reset_peak();
            let out = f(x)?;
            let used = cpu::memory_stats().peak - live;
            let size = out.elem_count() * out.dtype().size_in_bytes();
            if used > size + size / 4 + 4096 {
                wrong.push(format!("{name} of view {i}: {used} bytes for an output of {size}"));
            }
        }
    }
    assert!(wrong.is_empty(), "inputs were copied:\n{}", wrong.join("\n"));
    Ok(())
}
