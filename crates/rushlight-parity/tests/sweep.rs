//! Every sample of every op definition on the test device, in all dtypes and layouts, the uses that definitions reject, and
//! the gradient rules by finite differences. (Layouts on the CPU are cases of `parity.rs`.)
//!
//! `RUSHLIGHT_CASE=add#1/f32 cargo test -p rushlight-parity --test sweep` runs the cases whose name contains the text.
#[path = "../../rushlight/tests/common/mod.rs"]
mod common;
use common::report::{Check, Report, as_f64, bits, differentiable, gradients, text};
use rushlight::ops::{Allowed, Differentiable, Domain, Op};
use rushlight::{DType, Device, Result, Tensor, autograd};
use rushlight_parity::sweep::{Case, Form, lay, poison};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn bad_uses_fail_with_the_same_words_on_every_device() {
    let mut r = Report::new();
    for case in Case::all().iter() {
        let Some(want) = case.error else { continue };
        r.case(&case.name, || {
            let mut texts = Vec::new();
            for device in [Device::Cpu, Device::new_testdev(1)] {
                match case.run(&text(case.tensors(&device))?) {
                    Ok(_) => return Err(format!("gave no error on {:?}", device.location())),
                    Err(e) => texts.push(e.to_string()),
                }
            }
            if !texts[0].contains(want) || texts[0] != texts[1] {
                return Err(format!("wanted `{want}`, got {texts:?}"));
            }
            Ok(())
        });
    }
    r.finish(100);
}

/// Every definition rejects a dtype outside its sets, dtypes or devices that differ, and the wrong number of inputs.
#[test]
fn wrong_dtypes_devices_and_counts_are_rejected() {
    let mut r = Report::new();
    let mut seen = BTreeSet::new();
    for case in Case::all().iter().filter(|c| c.error.is_none() && c.form == Form::Contiguous) {
        if !seen.insert(case.op.name()) {
            continue;
        }
        let declared = case.op.inputs();
        for (i, d) in declared.iter().enumerate() {
            for &dtype in DType::ALL.iter().filter(|t| !d.dtypes.contains(**t)) {
                r.case(&format!("{}/input {i} as {}", case.op.name(), dtype.as_str()), || {
                    let mut texts = Vec::new();
                    for device in [Device::Cpu, Device::new_testdev(1)] {
                        let mut ins = text(case.tensors(&device))?;
                        ins[i] = text(Tensor::zeros(ins[i].shape(), dtype, &device))?;
                        match case.op.run(&ins) {
                            Ok(_) => return Err("gave no error".to_string()),
                            Err(e) => texts.push(e.to_string()),
                        }
                    }
                    let fits = texts[0].contains("dtype");
                    if fits && texts[0] == texts[1] { Ok(()) } else { Err(format!("{texts:?}")) }
                });
            }
        }
        if declared.len() > 1 {
            r.case(&format!("{}/devices", case.op.name()), || {
                let mut ins = text(case.tensors(&Device::Cpu))?;
                ins[1] = text(ins[1].to_device(&Device::new_testdev(1)))?;
                match case.op.run(&ins) {
                    Err(e) if e.to_string().contains("device mismatch") => Ok(()),
                    other => Err(format!("{other:?}")),
                }
            });
        }
        r.case(&format!("{}/count", case.op.name()), || {
            let mut ins = text(case.tensors(&Device::Cpu))?;
            ins.push(ins[0].clone());
            match case.op.run(&ins) {
                Err(e) if e.to_string().contains("tensors, got") => Ok(()),
                other => Err(format!("{other:?}")),
            }
        });
    }
    r.finish(100);
}

#[test]
fn the_test_device_gives_the_cpus_bits_without_transfers() {
    let mut r = Report::new();
    let device = Device::new_testdev(1);
    let Device::Test(counter) = &device else { panic!("not a test device") };
    let moved = || (counter.counts().0, counter.counts().1);
    for case in Case::all().iter().filter(|c| c.error.is_none()) {
        r.case(&case.name, || {
            let want = text(case.run(&text(case.tensors(&Device::Cpu))?))?;
            let uploads = moved();
            let inputs = text(case.tensors(&device))?;
            if moved() != (uploads.0 + inputs.len(), uploads.1) {
                return Err("laying the inputs out moved memory".to_string());
            }
            let before = moved();
            let got = text(case.run(&inputs))?;
            if moved() != before {
                return Err(format!("the op moved memory: {before:?} -> {:?}", moved()));
            }
            for (g, w) in got.iter().zip(&want) {
                if bits(g)? != bits(w)? || g.shape() != w.shape() || g.dtype() != w.dtype() {
                    return Err(format!("{g:?} on the test device, {w:?} on the CPU"));
                }
            }
            Ok(())
        });
    }
    r.finish(10_000);
}

#[test]
fn numbers_as_operands_are_not_uploaded() -> Result<()> {
    let device = Device::new_testdev(1);
    let Device::Test(counter) = &device else { panic!("not a test device") };
    let t = Tensor::arange(0i64, 5, &device)?;
    let before = (counter.counts().0, counter.counts().1);
    let out = [t.maximum(2i64)?, t.clamp(1i64, 3i64)?, (&t / 2.0)?, (&t * 3.0)?, t.ge(2i64)?];
    let zeros = [Tensor::zeros(3, DType::F32, &device)?, t.ones_like()?];
    assert_eq!((counter.counts().0, counter.counts().1), before);
    assert_eq!(out[0].to_vec1::<i64>()?, [2, 2, 2, 3, 4]);
    assert_eq!(out[1].to_vec1::<i64>()?, [1, 1, 2, 3, 3]);
    assert_eq!(out[4].to_vec1::<u8>()?, [0, 0, 1, 1, 1]);
    assert_eq!(zeros[1].to_vec1::<i64>()?, [1; 5]);
    Ok(())
}

/// Returns the weighted sum of an output's elements.
fn weighted(op: &Op, inputs: &[Tensor], cotangent: &Tensor) -> std::result::Result<f64, String> {
    let out = text(op.run(inputs))?;
    let (y, c) = (as_f64(&out[0])?, as_f64(cotangent)?);
    Ok(y.iter().zip(&c).map(|(a, b)| a * b).sum())
}

/// Checks the gradient rule of a case at inputs given as a function of some leaves.
fn finite_differences(
    op: &Op,
    leaves: &[Tensor],
    inputs: &dyn Fn(&[Tensor]) -> Result<Vec<Tensor>>,
) -> Check {
    let float = |t: &Tensor| t.dtype() == DType::F64;
    let tracked: Vec<Tensor> = leaves.iter().map(|t| if float(t) { t.leaf() } else { t.clone() }).collect();
    let out = text(op.run(&text(inputs(&tracked))?))?.remove(0);
    if !out.track_op() {
        return Err("the output is not part of a gradient graph".to_string());
    }
    // The cotangent is fixed and has no symmetry.
    let weights: Vec<f64> =
        (0..out.elem_count()).map(|i| ((i * 37 + 11) % 23) as f64 / 11.0 - 0.93).collect();
    let cotangent =
        text(Tensor::from_vec(weights, out.shape(), &Device::Cpu).and_then(|t| t.to_dtype(out.dtype())))?;
    text(out.backward_accumulate(Some(&cotangent)))?;
    // Only tensors that the op is given can have a gradient.
    let given = text(inputs(&tracked))?;
    let used = |t: &Tensor| given.iter().any(|g| g.shares_storage(t));
    for (k, leaf) in tracked.iter().enumerate().filter(|(_, t)| float(t) && used(t)) {
        let Some(grad) = leaf.grad() else {
            return Err(format!("input {k} has no gradient"));
        };
        let grad = as_f64(&grad)?;
        // If only this input is tracked, the gradient must be the same: the rule must not use the nodes of other inputs.
        let alone: Vec<Tensor> =
            leaves.iter().enumerate().map(|(j, t)| if j == k { t.leaf() } else { t.clone() }).collect();
        let single = text(inputs(&alone).and_then(|i| op.run(&i)))?.remove(0);
        text(single.backward_accumulate(Some(&cotangent)))?;
        let one = alone[k].grad().ok_or_else(|| format!("input {k} tracked alone has no gradient"))?;
        if as_f64(&one)? != grad {
            return Err(format!(
                "input {k}: tracked alone its gradient is {one:?}, with the others {grad:?}"
            ));
        }
        for e in 0..leaf.elem_count() {
            let moved = |by: f64| -> std::result::Result<f64, String> {
                let mut v = as_f64(&leaves[k])?;
                v[e] += by;
                let t = text(Tensor::from_vec(v, leaves[k].shape(), &Device::Cpu))?;
                let mut at: Vec<Tensor> = leaves.to_vec();
                at[k] = t;
                weighted(op, &text(inputs(&at))?, &cotangent)
            };
            let h = 1e-5;
            let numeric = (moved(h)? - moved(-h)?) / (2.0 * h);
            let diff = (numeric - grad[e]).abs();
            // The condition is written so that a NaN fails.
            if diff.is_nan() || diff > 1e-5 * grad[e].abs().max(1.0) {
                return Err(format!(
                    "input {k}, element {e}: gradient {}, finite differences {numeric}",
                    grad[e]
                ));
            }
        }
    }
    Ok(())
}

/// Returns the valid cases in f64 (or without a float input) whose gradient is checked.
fn grad_cases() -> Vec<Case> {
    Case::all()
        .into_iter()
        .filter(|c| c.grad && c.error.is_none() && differentiable(&c.op) && c.dtypes.contains(&DType::F64))
        .collect()
}

#[test]
fn gradients_agree_with_finite_differences() {
    let mut r = Report::new();
    for case in grad_cases() {
        if !matches!(case.form, Form::Contiguous | Form::Transposed) {
            continue;
        }
        r.case(&case.name, || {
            let ins = text(case.tensors(&Device::Cpu))?;
            finite_differences(&case.op, &ins, &|t| Ok(t.to_vec()))
        });
        if case.form != Form::Contiguous {
            continue;
        }
        // An input broadcast from one entry: the gradient of the entry is the sum over its copies.
        r.case(&format!("{}/broadcast", case.name), || {
            let ins = text(case.tensors(&Device::Cpu))?;
            let dim = |t: &Tensor| t.dims().iter().position(|d| *d > 1).filter(|_| t.dtype() == DType::F64);
            let shapes: Vec<_> = ins.iter().map(|t| t.shape().clone()).collect();
            let small = text(
                ins.iter()
                    .map(|t| dim(t).map_or(Ok(t.clone()), |d| t.narrow(d, 0, 1)?.copy()))
                    .collect::<Result<Vec<_>>>(),
            )?;
            if ties_matter(&case) {
                return Ok(());
            }
            finite_differences(&case.op, &small, &|t| {
                t.iter().zip(&shapes).map(|(t, s)| t.broadcast_as(s.clone())).collect()
            })
        });
    }
    // One tensor given twice: its gradients are added.
    for case in grad_cases().iter().filter(|c| c.form == Form::Contiguous) {
        let twin = (1..case.specs.len())
            .find(|&i| case.specs[i].shape == case.specs[0].shape && case.dtypes[i] == case.dtypes[0]);
        let Some(twin) = twin else { continue };
        r.case(&format!("{}/twice", case.name), || {
            let ins = text(case.tensors(&Device::Cpu))?;
            // Keeps a positive domain, which bases of powers and divisors need.
            let positive = matches!(case.specs[0].domain, Domain::Range(lo, _) if lo > 0.0);
            let shared = if positive { &ins[0] } else { &ins[twin] };
            let mut leaves = ins.clone();
            leaves[0] = text(shared.copy())?;
            finite_differences(&case.op, &leaves, &|t| {
                let mut all = t.to_vec();
                all[twin] = all[0].clone();
                Ok(all)
            })
        });
    }
    r.finish(300);
}

/// Returns whether equal rows give no gradient that finite differences agree with: the op selects elements along lines or in
/// windows, and such a selection of equal ones has a kink; or it factorizes matrices, which are then singular.
fn ties_matter(case: &Case) -> bool {
    let selects = |d: Domain| d == Domain::Distinct && !case.op.pattern().is_elementwise();
    case.specs.iter().any(|s| selects(s.domain) || matches!(s.domain, Domain::Dominant(..)))
}

#[test]
fn gradients_on_the_test_device_have_the_cpus_bits_without_transfers() {
    let mut r = Report::new();
    let device = Device::new_testdev(1);
    let Device::Test(counter) = &device else { panic!("not a test device") };
    let cases = Case::all()
        .into_iter()
        .filter(|c| c.grad && c.error.is_none() && differentiable(&c.op) && c.dtypes.contains(&DType::F32));
    for case in cases {
        if !matches!(case.form, Form::Contiguous | Form::Stepped) {
            continue;
        }
        r.case(&case.name, || {
            let want = gradients(text(case.tensors(&Device::Cpu))?, &case.op)?;
            let ins = text(case.tensors(&device))?;
            let before = (counter.counts().0, counter.counts().1);
            let got = gradients(ins, &case.op)?;
            let after = (counter.counts().0, counter.counts().1);
            if before != after {
                return Err(format!("moved memory: {before:?} -> {after:?}"));
            }
            if got.len() != want.len() {
                return Err(format!("{} gradients, on the CPU {}", got.len(), want.len()));
            }
            for (g, w) in got.iter().zip(&want) {
                if bits(g)? != bits(w)? {
                    return Err(format!("{g:?} on the test device, {w:?} on the CPU"));
                }
            }
            Ok(())
        });
    }
    r.finish(200);
}

#[test]
fn ops_without_a_gradient_say_why_and_are_not_recorded() {
    let mut r = Report::new();
    for case in Case::all().iter().filter(|c| c.error.is_none() && c.form == Form::Contiguous) {
        let Differentiable::No(reason) = case.op.differentiable() else { continue };
        r.case(&case.name, || {
            if reason.len() < 10 {
                return Err(format!("reason `{reason}`"));
            }
            let ins = text(case.tensors(&Device::Cpu))?;
            let leaves: Vec<Tensor> =
                ins.iter().map(|t| if t.dtype().is_float() { t.leaf() } else { t.clone() }).collect();
            if case.op.targets() > 0 {
                // Changing a variable under the tape is refused.
                if !leaves.iter().take(case.op.targets()).any(Tensor::track_op) {
                    return Ok(());
                }
                return match case.op.run(&leaves) {
                    Err(e) if e.to_string().contains("cannot be changed in place") => {
                        text(autograd::no_grad(|| case.op.run(&leaves))).map(|_| ())
                    }
                    other => Err(format!("on a variable: {other:?}")),
                };
            }
            let out = text(case.op.run(&leaves))?;
            if out[0].track_op() { Err("its output is in a gradient graph".to_string()) } else { Ok(()) }
        });
    }
    r.finish(100);
}

/// Returns whether a call can be wrong by its dtype only: the op has one input, and its attributes may have any value.
fn takes_everything(op: &Op) -> bool {
    op.inputs().len() == 1 && op.attributes().iter().all(|a| a.allowed == Allowed::Any)
}

#[test]
fn definitions_have_unique_names_and_good_and_bad_samples() {
    let mut definitions: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let mut graded: BTreeMap<&str, bool> = BTreeMap::new();
    let samples = Op::all_samples();
    for s in &samples {
        let (definition, name) = (s.op.definition(), s.op.name());
        let count = definitions.entry(definition).or_default();
        count.0 += s.error.is_none() as usize;
        count.1 += (s.error.is_some() || takes_everything(&s.op)) as usize;
        let owner = names.entry(name).or_insert(definition);
        assert_eq!(*owner, definition, "two definitions call an op `{name}`");
        assert_eq!(s.inputs.len(), s.op.inputs().len(), "a sample of {name} has the wrong number of inputs");
        if s.error.is_none() && differentiable(&s.op) {
            *graded.entry(name).or_default() |= s.grad;
        }
    }
    let lone: Vec<_> = definitions.iter().filter(|(_, n)| n.0 == 0 || n.1 == 0).collect();
    assert!(
        lone.is_empty(),
        "definitions with their numbers of good and bad samples, of which none may be 0: {lone:?}; add a `Sample::new`, or a \
         `Sample::bad` with a shape, dtype or attribute that is not allowed"
    );
    let unchecked: Vec<_> = graded.iter().filter(|(_, g)| !**g).collect();
    assert!(unchecked.is_empty(), "no sample checks the gradient of: {unchecked:?}");
    let all = Case::all();
    let unique: BTreeSet<&str> = all.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(unique.len(), all.len(), "case names repeat");
}

/// Each layout must be what its name says; otherwise the sweeps above would compare equal layouts.
#[test]
fn forms_have_the_named_layouts() -> Result<()> {
    let t = Tensor::arange(0f32, 12., &Device::Cpu)?.reshape((3, 4))?;
    for form in [Form::Offset, Form::Transposed, Form::Stepped] {
        let u = lay(&t, form)?;
        assert_eq!(u.to_vec2::<f32>()?, t.to_vec2::<f32>()?, "{form:?}");
        assert_eq!(u.is_contiguous(), form == Form::Offset);
    }
    assert_eq!(lay(&t, Form::Offset)?.layout().start_offset(), 3);
    assert_eq!(lay(&t, Form::Stepped)?.stride(), &[18, 2]);
    assert_eq!(lay(&t, Form::Broadcast)?.stride()[0], 0);
    assert!(poison(DType::F16).to_f64().is_nan() && poison(DType::U8).to_f64() == 99.0);
    Ok(())
}
