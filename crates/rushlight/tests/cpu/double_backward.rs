//! Gradients of gradients, gradients by given tensors, hooks, and user-defined functions.
use rushlight::autograd::{
    self, Function, FunctionOptions, GradHook, GradOptions, apply, grad, reaches_others,
};
use rushlight::ops::Op;
use rushlight::ops::grid_sample::{GridSample, SampleMode, SamplePadding, SampleUnit};
use rushlight::ops::grid_sample_backward::GridSampleGridGrad;
use rushlight::{DType, Device, Error, Result, Tensor, Var};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

const CPU: &Device = &Device::Cpu;
const GRAPH: GradOptions = GradOptions { create_graph: true, allow_unused: false };
const PLAIN: GradOptions = GradOptions { create_graph: false, allow_unused: false };

fn var(v: &[f64]) -> Result<Var> {
    Var::from_tensor(&Tensor::from_slice(v, v.len(), CPU)?)
}

fn one(outputs: &Tensor, input: &Tensor, options: GradOptions) -> Result<Tensor> {
    Ok(grad(&[outputs], &[input], &[], options)?.remove(0).expect("a gradient"))
}

/// Compares the first and second derivatives of `sum(f(x) * w)` on the tape with central differences, for a 2 x 6
/// tensor.
fn check(f: impl Fn(&Tensor) -> Result<Tensor>) -> Result<()> {
    let data: Vec<f64> = (0..12).map(|i| ((i * 29 + 7) % 31) as f64 / 10.0 - 1.4).collect();
    let weights = |n: usize| (0..n).map(|i| ((i * 13 + 5) % 17) as f64 / 8.0 - 0.9).collect::<Vec<_>>();
    let first = |d: &[f64], options| -> Result<(Tensor, Tensor)> {
        let x = Tensor::from_slice(d, (2, 6), CPU)?.leaf();
        let y = f(&x)?;
        let w = Tensor::from_vec(weights(y.elem_count()), y.shape(), CPU)?;
        let g = one(&(y * w)?.sum_all()?, &x, options)?;
        let w = Tensor::from_vec(weights(12), (2, 6), CPU)?.sqr()?;
        Ok((x, (g * w)?.sum_all()?))
    };
    let (x, sum) = first(&data, GRAPH)?;
    let second = one(&sum, &x, PLAIN)?.flatten_all()?.to_vec1::<f64>()?;
    assert!(second.iter().any(|v| v.abs() > 1e-3), "the second derivative is 0");
    for i in 0..data.len() {
        let moved = |by: f64| -> Result<f64> {
            let mut d = data.clone();
            d[i] += by;
            first(&d, PLAIN)?.1.to_scalar::<f64>()
        };
        let numeric = (moved(1e-5)? - moved(-1e-5)?) / 2e-5;
        assert!(
            (numeric - second[i]).abs() <= 1e-5 * second[i].abs().max(1.0),
            "element {i}: {} {numeric}",
            second[i]
        );
    }
    Ok(())
}

#[test]
fn second_derivatives_through_views_joins_and_choices() -> Result<()> {
    check(|x| x.reshape((3, 4))?.sqr())?;
    check(|x| x.t()?.reshape((4, 3))?.sin())?;
    check(|x| x.narrow(1, 2, 3)?.exp())?;
    check(|x| x.slice(1, 1, 3, 2)?.sqr())?;
    check(|x| x.sqr()?.slice(1, 1, 3, 2)?.sqr())?;
    check(|x| x.narrow(0, 0, 1)?.broadcast_as((4, 6))?.sqr())?;
    check(|x| x.sin()?.unfold(1, 3, 1)?.sqr())?;
    check(|x| x.t()?.unfold(0, 4, 2)?.exp())?;
    check(|x| Tensor::cat(&[&x.sqr()?, x, &x.exp()?], 1)?.sin())?;
    check(|x| Tensor::stack(&[x, &x.sin()?], 1)?.sqr())?;
    check(|x| x.roll(2, 1)?.sqr())?;
    check(|x| x.pad_with_same(1, 2, 1)?.sqr())?;
    check(|x| x.slice_scatter(&x.narrow(1, 0, 2)?.sqr()?, 1, 3)?.exp())?;
    check(|x| x.matmul(&x.t()?)?.sqr())?;
    check(|x| x.var(1)?.sqrt())?;
    check(|x| x.log_sum_exp(1))?;
    let test = Device::new_testdev(3);
    check(|x| x.to_device(&test)?.sqr()?.to_device(CPU)?.exp())?;
    let ids = Tensor::new(&[1u32, 0, 1], CPU)?;
    check(|x| x.index_select(&ids, 0)?.sqr())
}

#[test]
fn the_product_has_second_derivatives_at_zeros() -> Result<()> {
    let x = var(&[0.0, 2.0, 3.0])?;
    let y = x.reshape((1, 3))?.prod(1)?.sum_all()?;
    let g = one(&y, &x, GRAPH)?;
    assert_eq!(g.to_vec1::<f64>()?, [6.0, 0.0, 0.0]);
    let row = one(&g.get(0)?, &x, GRAPH)?;
    assert_eq!(row.to_vec1::<f64>()?, [0.0, 3.0, 2.0]);
    let row = one(&g.get(1)?, &x, PLAIN)?;
    assert_eq!(row.to_vec1::<f64>()?, [3.0, 0.0, 0.0]);
    Ok(())
}

#[test]
fn derivatives_of_any_order() -> Result<()> {
    let x = Var::new(0.3f64, CPU)?;
    let mut y = x.sin()?;
    for _ in 0..6 {
        y = one(&y, &x, GRAPH)?;
    }
    assert!((y.to_scalar::<f64>()? + 0.3f64.sin()).abs() < 1e-12);
    Ok(())
}

#[test]
fn gradients_by_chosen_tensors_only() -> Result<()> {
    let (x, y) = (var(&[1.0, 2.0])?, var(&[3.0, 4.0])?);
    let z = (&*x * &*y)?;
    let out = z.sqr()?.sum_all()?;
    let found = grad(&[&out], &[&z, &x], &[], PLAIN)?;
    assert_eq!(found[0].as_ref().expect("z").to_vec1::<f64>()?, [6.0, 16.0]);
    assert_eq!(found[1].as_ref().expect("x").to_vec1::<f64>()?, [18.0, 64.0]);
    assert!(x.grad().is_none() && !found[1].as_ref().is_some_and(Tensor::track_op));
    let unused = grad(&[&x.sqr()?], &[&y], &[], PLAIN);
    assert!(matches!(unused.expect_err("unused").root(), Error::Gradient { op: "grad", .. }));
    let options = GradOptions { allow_unused: true, ..PLAIN };
    assert!(grad(&[&x.sqr()?], &[&y], &[], options)?[0].is_none());
    autograd::backward(&[&out], &[], Some(&[&y]), false)?;
    assert!(x.grad().is_none() && y.grad().is_some());
    assert!(reaches_others(&[&out], &[&x]) && !reaches_others(&[&out], &[&x, &y]));
    Ok(())
}

/// The backward pass and dropping a graph of gradients do not recurse, so a small stack is enough.
#[test]
fn a_long_chain_with_a_graph_and_hooks_needs_no_stack() {
    let run = || -> Result<f32> {
        let x = Var::new(1f32, CPU)?;
        let mut y = x.as_tensor().clone();
        for i in 0..100_000 {
            let held = y.clone();
            y = y.affine(1.0, 0.0)?;
            if i % 100 == 0 {
                y.register_hook(Arc::new(move |g: &Tensor| {
                    let _ = &held;
                    Ok(Some(g.clone()))
                }))?;
                y = y.sin()?.affine(0.0, 1.0)?;
            }
        }
        let g = one(&y, &x, GRAPH)?;
        g.to_scalar::<f32>()
    };
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(run).expect("a thread");
    assert_eq!(thread.join().expect("no overflow").expect("a gradient"), 0.0);
}

struct Product(AtomicUsize);

impl Function for Product {
    fn name(&self) -> &'static str {
        "product"
    }
    fn backward(&self, saved: &[Option<Tensor>], grads: &[Option<Tensor>]) -> Result<Vec<Option<Tensor>>> {
        self.0.fetch_add(1, Relaxed);
        let (a, b) = (saved[0].as_ref().expect("a"), saved[1].as_ref().expect("b"));
        let (g, h) = (grads[0].as_ref().expect("g"), grads[1].as_ref().expect("h"));
        Ok(vec![Some(((g * b)? + h)?), Some(((g * a)? + h)?)])
    }
}

#[test]
fn a_function_with_two_outputs_is_walked_once_and_twice_differentiable() -> Result<()> {
    let (a, b) = (var(&[2.0])?, var(&[3.0])?);
    let function = Arc::new(Product(AtomicUsize::new(0)));
    let saved = vec![Some(a.as_tensor().clone()), Some(b.as_tensor().clone())];
    let options = FunctionOptions { saved, ..Default::default() };
    let (product, sum) = autograd::no_grad(|| Ok::<_, Error>(((&*a * &*b)?, (&*a + &*b)?)))?;
    let outs = apply(function.clone(), &[&a, &b], vec![product, sum], options)?;
    assert_eq!(outs[0].grad_fn(), Some("product"));
    let total = (outs[0].sqr()? + &outs[1])?;
    let g = one(&total, &a, GRAPH)?;
    assert_eq!((g.to_vec1::<f64>()?, function.0.load(Relaxed)), (vec![37.0], 1));
    // The gradient g = 2 a b^2 + 1 has the derivative 4 a b by b.
    assert_eq!(one(&g, &b, PLAIN)?.to_vec1::<f64>()?, [24.0]);
    a.set(&Tensor::new(&[9f64], CPU)?)?;
    let changed = one(&total, &b, PLAIN).expect_err("changed");
    assert!(matches!(changed.root(), Error::ChangedAfterUse { op: "product", .. }), "{changed}");
    Ok(())
}

#[test]
fn hooks_see_whole_gradients_in_order_and_end_with_their_node() -> Result<()> {
    let x = var(&[1.0, 2.0])?;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let y = x.sqr()?;
    let log = |name: &'static str, seen: &Arc<Mutex<Vec<_>>>| -> Arc<dyn GradHook> {
        let seen = seen.clone();
        Arc::new(move |g: &Tensor| {
            seen.lock().expect("not poisoned").push((name, g.to_vec1::<f64>()?));
            Ok(None)
        })
    };
    let first = y.register_hook(log("y", &seen))?;
    y.register_hook(Arc::new(|g: &Tensor| Ok(Some((g * 10.0)?))))?;
    x.register_hook(log("x", &seen))?;
    x.register_post_accumulate_grad_hook(log("sum", &seen))?;
    y.retain_grad()?;
    let out = (y.affine(2.0, 0.0)? + &y)?;
    out.backward_accumulate(None)?;
    assert_eq!(
        *seen.lock().expect("not poisoned"),
        [("y", vec![3.0, 3.0]), ("x", vec![60.0, 120.0]), ("sum", vec![60.0, 120.0])]
    );
    assert_eq!(y.grad().expect("kept").to_vec1::<f64>()?, [30.0, 30.0]);
    first.remove();
    out.backward_accumulate(None)?;
    assert_eq!(seen.lock().expect("not poisoned").len(), 5);
    let weak = Arc::downgrade(&seen);
    drop((seen, y, out, x));
    assert_eq!(weak.strong_count(), 0, "a hook outlived its tensor");
    Ok(())
}

#[test]
fn an_op_without_a_second_derivative_says_so() -> Result<()> {
    let ones = |shape: &[usize]| Tensor::ones(shape, DType::F64, CPU);
    let (g, x, grid) = (ones(&[1, 1, 2, 2])?, ones(&[1, 1, 3, 3])?.leaf(), ones(&[1, 2, 2, 2])?);
    let (mode, padding, unit) = (SampleMode::Bilinear, SamplePadding::Zeros, SampleUnit::Edges);
    let op = Op::GridSampleGridGrad(GridSampleGridGrad(GridSample { mode, padding, unit }));
    let out = Tensor::run(op, &[&g, &x, &grid])?.sum_all()?;
    let error = one(&out, &x, PLAIN).unwrap_err().to_string();
    assert!(
        error.contains("grid_sample_grid_grad has no gradient, so its op has no second derivative"),
        "{error}"
    );
    assert!(error.contains("create_graph=True"), "{error}");
    Ok(())
}
