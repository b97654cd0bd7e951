//! Gradients through graphs: reuse, views, changes in place, accumulation, errors, and very long chains.
use rushlight::{DType, Device, Error, GradStore, Result, Tensor, Var, autograd};

const CPU: &Device = &Device::Cpu;

fn var(v: &[f64]) -> Result<Var> {
    Var::from_tensor(&Tensor::from_slice(v, v.len(), CPU)?)
}

fn flat(t: &Tensor) -> Result<Vec<f64>> {
    t.flatten_all()?.to_vec1()
}

fn of(g: &GradStore, v: &Var) -> Vec<f64> {
    flat(g.get(v).expect("a gradient")).expect("f64")
}

/// Compares the gradient of `sum(f(x) * w)` on the tape with central differences, for a 2 x 6 tensor.
fn check(f: impl Fn(&Tensor) -> Result<Tensor>) -> Result<()> {
    let data: Vec<f64> = (0..12).map(|i| ((i * 29 + 7) % 31) as f64 / 10.0 - 1.4).collect();
    let at = |d: &[f64]| Tensor::from_slice(d, (2, 6), CPU);
    let loss = |x: &Tensor| -> Result<Tensor> {
        let y = f(x)?;
        let n = y.elem_count();
        let w: Vec<f64> = (0..n).map(|i| ((i * 13 + 5) % 17) as f64 / 8.0 - 0.9).collect();
        (&y * Tensor::from_vec(w, y.shape(), CPU)?.to_device(y.device())?)?.sum_all()
    };
    let x = Var::from_tensor(&at(&data)?)?;
    let grads = loss(&x)?.backward()?;
    let grad = of(&grads, &x);
    assert_eq!(grads.get(&x).map(|g| g.dims().to_vec()), Some(vec![2, 6]));
    for i in 0..data.len() {
        let moved = |by: f64| -> Result<f64> {
            let mut d = data.clone();
            d[i] += by;
            loss(&at(&d)?)?.to_scalar::<f64>()
        };
        let numeric = (moved(1e-5)? - moved(-1e-5)?) / 2e-5;
        assert!(
            (numeric - grad[i]).abs() <= 1e-5 * grad[i].abs().max(1.0),
            "element {i}: {} {numeric}",
            grad[i]
        );
    }
    Ok(())
}

#[test]
fn through_views_joins_and_choices() -> Result<()> {
    check(|x| x.reshape((3, 4))?.sqr())?;
    check(|x| x.t()?.sqr())?;
    check(|x| x.t()?.reshape((4, 3))?.sin())?;
    check(|x| x.unsqueeze(1)?.permute((2, 0, 1))?.exp())?;
    check(|x| x.narrow(1, 2, 3)?.sqr())?;
    check(|x| x.slice(1, 1, 3, 2)?.sqr())?;
    check(|x| x.unsqueeze(0)?.broadcast_as((3, 2, 6))?.sqr()?.squeeze(0))?;
    check(|x| x.narrow(0, 0, 1)?.broadcast_as((4, 6))?.sqr())?;
    check(|x| x.unfold(1, 3, 1)?.sqr())?;
    check(|x| x.unfold(1, 2, 3)?.sqr())?;
    check(|x| x.t()?.unfold(0, 4, 2)?.sqr())?;
    check(|x| Tensor::cat(&[&x.sqr()?, x, &x.exp()?], 1))?;
    check(|x| Tensor::cat(&[x, x], 0)?.sqr())?;
    check(|x| Tensor::stack(&[x, &x.sin()?], 1)?.sqr())?;
    check(|x| {
        x.chunk(4, 1)?
            .into_iter()
            .try_fold(x.narrow(1, 0, 1)?, |a, c| a.broadcast_add(&c.sqr()?)?.sum_keepdim(1))
    })?;
    check(|x| x.gt(&x.zeros_like()?)?.where_cond(&x.sqr()?, &x.exp()?))?;
    check(|x| x.get(1)?.sqr())?;
    check(|x| x.squeeze(0)?.flatten_all()?.sqr())?;
    check(|x| x.repeat((2, 3))?.sqr())?;
    check(|x| x.roll(2, 1)?.sqr()?.cumsum_by_hand())?;
    check(|x| x.pad_with_zeros(1, 1, 2)?.exp())?;
    check(|x| x.pad_with_same(1, 2, 1)?.sqr())?;
    check(|x| x.slice_scatter(&x.narrow(1, 0, 2)?.sqr()?, 1, 3)?.exp())?;
    check(|x| x.slice_assign(&[1..2, 2..5], &x.narrow(0, 0, 1)?.narrow(1, 1, 3)?.sqr()?)?.exp())?;
    check(|x| x.contiguous()?.copy()?.sqr())
}

/// A running sum made of slices, in which each tensor is used several times.
trait ByHand {
    fn cumsum_by_hand(&self) -> Result<Tensor>;
}
impl ByHand for Tensor {
    fn cumsum_by_hand(&self) -> Result<Tensor> {
        let mut sum = self.narrow(1, 0, 1)?;
        let mut all = vec![sum.clone()];
        for i in 1..self.dim(1)? {
            sum = (sum + self.narrow(1, i, 1)?)?;
            all.push(sum.clone());
        }
        Tensor::cat(&all, 1)
    }
}

#[test]
fn through_uses_reductions_and_devices() -> Result<()> {
    let test = Device::new_testdev(3);
    check(|x| (x * x)?.add(&(x + x.sin()?)?))?;
    check(|x| (x.sum_keepdim(1)?.broadcast_mul(x)? - x.mean_all()?.broadcast_as((2, 6))?)?.exp())?;
    check(|x| x.broadcast_mul(&x.narrow(0, 1, 1)?))?;
    check(|x| x.matmul(&x.t()?)?.sqr())?;
    check(|x| x.var(1)?.sqrt())?;
    check(|x| x.log_sum_exp(1))?;
    check(|x| x.to_device(&test)?.sqr()?.to_device(CPU)?.exp())?;
    check(|x| x.to_device(&test)?.t()?.sin())?;
    check(|x| (x.exp()? / x.sqr()?.affine(1.0, 1.0)?)?.log())
}

#[test]
fn through_dtypes() -> Result<()> {
    let x = Var::new(&[1.5f32, -2.0, 0.25], CPU)?;
    let grads = x.to_dtype(DType::F64)?.sqr()?.to_dtype(DType::F16)?.backward()?;
    let g = grads.get(&x).expect("a gradient");
    assert_eq!((g.dtype(), g.to_vec1::<f32>()?), (DType::F32, vec![3.0, -4.0, 0.5]));
    // Integers and bools have no gradient.
    assert!(!x.to_dtype(DType::I32)?.track_op());
    assert!(!x.gt(&x.zeros_like()?)?.track_op());
    assert!(!x.argmax(0)?.track_op());
    Ok(())
}

#[test]
fn a_value_changed_after_use_is_an_error_and_leaves_gradients_alone() -> Result<()> {
    let x = var(&[1.0, 2.0])?;
    x.sqr()?.backward_accumulate(None)?;
    let before = flat(&x.grad().expect("a gradient"))?;
    let y = (&*x * 3.0)?;
    let z = y.sqr()?;
    autograd::no_grad(|| y.assign(&Tensor::zeros(2, DType::F64, CPU)?))?;
    for error in [z.backward().map(|_| ()), z.backward_accumulate(None)] {
        match error.map_err(|e| match e {
            Error::WithBacktrace { inner, .. } => *inner,
            e => e,
        }) {
            Err(Error::ChangedAfterUse { op, shape, expected, found }) => {
                assert_eq!((op, shape.dims(), found), ("square", &[2][..], expected + 1));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(flat(&x.grad().expect("a gradient"))?, before);
    // A change of the output is an error, too: the rule of exp reads it.
    let e = x.exp()?;
    let s = e.sum_all()?;
    autograd::no_grad(|| e.zero_set())?;
    assert!(s.backward().unwrap_err().to_string().contains("changed in place after it was used"));
    // The same for a change through a view of the same storage.
    let y = (&*x * 3.0)?;
    let z = y.sqr()?;
    autograd::no_grad(|| y.narrow(0, 1, 1)?.zero_set())?;
    assert!(z.backward().is_err());
    // The rule of a sum reads no values, so a change is allowed.
    let y = (&*x * 3.0)?;
    let z = y.sum_all()?;
    autograd::no_grad(|| y.zero_set())?;
    assert_eq!(of(&z.backward()?, &x), [3.0, 3.0]);
    // A variable that is set between the forward and the backward pass.
    let z = x.sqr()?;
    x.set(&Tensor::from_slice(&[5.0, 6.0], 2, CPU)?)?;
    assert!(z.backward().is_err());
    Ok(())
}

#[test]
fn only_values_that_a_wanted_gradient_reads_are_kept() -> Result<()> {
    let new = Tensor::from_slice(&[7.0, 8.0], 2, CPU)?;
    let fresh = || Ok::<_, Error>((var(&[1.0, 2.0])?, Tensor::from_slice(&[4.0, 5.0], 2, CPU)?));
    type GradFn = fn(&Tensor, &Tensor) -> Result<Tensor>;
    let product = |a: &Tensor, b: &Tensor| a.reshape((1, 2))?.matmul(&b.reshape((2, 1))?);
    let rules: [(&str, GradFn, [f64; 2]); 6] = [
        ("x * w", |x, w| x * w, [4.0, 5.0]),
        ("w * x", |x, w| w * x, [4.0, 5.0]),
        ("x / w", |x, w| x / w, [0.25, 0.2]),
        ("x . w", |x, w| x.reshape((1, 2))?.matmul(&w.reshape((2, 1))?), [4.0, 5.0]),
        ("w . x", |x, w| w.reshape((1, 2))?.matmul(&x.reshape((2, 1))?), [4.0, 5.0]),
        ("w + w * x", |x, w| w.addcmul(w, x, 1.0), [4.0, 5.0]),
    ];
    for (name, rule, want) in rules {
        // The gradient of x does not read x, so x may change.
        let (x, w) = fresh()?;
        let y = rule(&x, &w)?;
        autograd::no_grad(|| x.assign(&new))?;
        assert_eq!(of(&y.backward()?, &x), want, "{name}");
        // It reads the other factor, which must not change.
        let (x, w) = fresh()?;
        let y = rule(&x, &w)?;
        w.assign(&new)?;
        let error = y.backward().unwrap_err().to_string();
        assert!(error.contains("changed in place after it was used"), "{name}: {error}");
    }
    // If both factors need gradients, neither may change.
    let (x, w) = (var(&[1.0, 2.0])?, var(&[4.0, 5.0])?);
    let y = product(&x, &w)?;
    autograd::no_grad(|| x.assign(&new))?;
    assert!(y.backward().is_err());
    Ok(())
}

#[test]
fn writing_a_tracked_tensor_into_another_is_an_error() -> Result<()> {
    let x = var(&[1.0, 2.0])?;
    let to = Tensor::zeros(2, DType::F64, CPU)?;
    let source = (&*x * 2.0)?;
    for error in [to.assign(&source), to.assign(&x), to.slice_set(&source, 0, 0)] {
        let text = error.unwrap_err().to_string();
        assert!(text.contains("the source is part of a gradient graph"), "{text}");
    }
    assert_eq!(flat(&to)?, [0.0, 0.0]);
    autograd::no_grad(|| to.assign(&source))?;
    to.slice_set(&source.narrow(0, 1, 1)?.detach(), 0, 0)?;
    assert_eq!(flat(&to)?, [4.0, 4.0]);
    // `cat`, which writes into its output, records its sources nevertheless.
    let joined = Tensor::cat(&[&source, &*x], 0)?;
    assert_eq!(of(&joined.backward()?, &x), [3.0, 3.0]);
    Ok(())
}

#[test]
fn changing_what_is_tracked_in_place_is_an_error() -> Result<()> {
    let x = var(&[1.0, 2.0])?;
    let new = Tensor::zeros(2, DType::F64, CPU)?;
    let leaf = x.assign(&new).unwrap_err().to_string();
    assert!(leaf.contains("a variable that requires a gradient cannot be changed in place"), "{leaf}");
    let inner = (&*x + 1.0)?.assign(&new).unwrap_err().to_string();
    assert!(inner.contains("part of a gradient graph cannot be changed in place"), "{inner}");
    assert!(x.narrow(0, 0, 1)?.zero_set().is_err());
    assert_eq!(flat(&x)?, [1.0, 2.0]);
    autograd::no_grad(|| x.assign(&new))?;
    assert_eq!(flat(&x)?, [0.0, 0.0]);
    Ok(())
}

#[test]
fn no_grad_and_detach_cut_the_graph() -> Result<()> {
    let x = var(&[1.0, 2.0])?;
    let y = autograd::no_grad(|| x.sqr())?;
    assert!(!y.track_op() && autograd::is_enabled());
    // The setting is restored after a panic, too.
    let caught = std::panic::catch_unwind(|| autograd::no_grad(|| panic!("inside")));
    assert!(caught.is_err() && autograd::is_enabled());
    let z = (x.detach().sqr()? * &*x)?;
    assert_eq!(of(&z.backward()?, &x), [1.0, 4.0]);
    assert!(x.detach().shares_storage(&x) && !x.detach().track_op());
    assert!(x.detach().sqr()?.backward()?.get(&x).is_none());
    let error = y.backward_accumulate(None).unwrap_err().to_string();
    assert!(error.contains("does not require a gradient"), "{error}");
    Ok(())
}

#[test]
fn the_store_and_accumulated_gradients() -> Result<()> {
    let (x, y) = (var(&[1.0, 2.0])?, var(&[3.0, 4.0])?);
    let z = (&*x * &*y)?;
    let mut grads = z.backward()?;
    assert_eq!((of(&grads, &x), of(&grads, &y)), (vec![3.0, 4.0], vec![1.0, 2.0]));
    assert_eq!(grads.get_ids().count(), 2);
    assert!(grads.get_id(x.id()).is_some() && grads.remove(&x).is_some() && grads.get(&x).is_none());
    assert!(x.grad().is_none());
    z.backward_accumulate(None)?;
    z.backward_accumulate(Some(&Tensor::from_slice(&[10.0, 100.0], 2, CPU)?))?;
    assert_eq!(flat(&x.grad().expect("a gradient"))?, [33.0, 404.0]);
    x.set_grad(None)?;
    assert!(x.grad().is_none());
    z.backward_accumulate(None)?;
    assert_eq!(flat(&x.grad().expect("a gradient"))?, [3.0, 4.0]);
    assert_eq!(flat(&y.grad().expect("a gradient"))?, [12.0, 204.0]);
    let wrong = Tensor::zeros(3, DType::F64, CPU)?;
    assert!(z.backward_accumulate(Some(&wrong)).is_err());
    assert!(z.set_grad(None).is_err());
    // Each gradient is a separate tensor: changing one does not change another.
    let s = (&*x + &*y)?;
    x.set_grad(None)?;
    y.set_grad(None)?;
    s.backward_accumulate(None)?;
    let gx = x.grad().expect("a gradient");
    gx.const_set(rushlight::Scalar::F64(9.0))?;
    assert_eq!(flat(&y.grad().expect("a gradient"))?, [1.0, 1.0], "two leaves share one gradient's memory");
    // A gradient does not share memory with the seed.
    let seed = Tensor::from_slice(&[1.0, 1.0], 2, CPU)?;
    y.set_grad(None)?;
    y.reshape((1, 2))?.reshape(2)?.backward_accumulate(Some(&seed))?;
    y.grad().expect("a gradient").zero_set()?;
    assert_eq!(flat(&seed)?, [1.0, 1.0], "a gradient is the caller's seed");
    Ok(())
}

#[test]
fn a_shared_tensor_gets_the_sum_of_its_uses_in_any_order() -> Result<()> {
    let x = var(&[0.5, -1.5])?;
    let a = x.sqr()?;
    let b = (&a * &*x)?;
    let c = ((&b + &a)? * &a)?;
    // c = (x^3 + x^2) x^2 = x^5 + x^4
    let want: Vec<f64> = [0.5f64, -1.5].iter().map(|x| 5.0 * x.powi(4) + 4.0 * x.powi(3)).collect();
    for (g, w) in of(&c.backward()?, &x).iter().zip(want) {
        assert!((g - w).abs() < 1e-12, "{g} {w}");
    }
    Ok(())
}

/// Recording, the backward pass and dropping use a stack whose size does not depend on the graph's.
#[test]
fn a_million_ops_on_a_small_stack() {
    const N: usize = 1_000_000;
    let run = || -> Result<()> {
        let x = Var::new(&[1f32, 2.0], CPU)?;
        let mut y = x.as_tensor().clone();
        for i in 0..N {
            y = if i % 2 == 0 { y.affine(1.0, 1.0)? } else { y.neg()? };
        }
        let grads = y.backward()?;
        assert_eq!(grads.get(&x).expect("a gradient").to_vec1::<f32>()?, [1.0, 1.0]);
        drop(grads);
        drop(y);
        // A chain whose nodes are held only by the values that gradient rules have saved.
        let mut y = x.as_tensor().clone();
        for _ in 0..N / 4 {
            y = y.sqr()?.sqrt()?;
        }
        drop(y);
        Ok(())
    };
    let thread = std::thread::Builder::new().stack_size(512 * 1024).spawn(run).expect("a thread");
    thread.join().expect("no overflow").expect("no error");
}
