//! The parity suite: every case of every op definition on the CPU, and, ignored by default, on an AMD GPU or the virtual one:
//!
//! `make test-rocm`, or `RUSHLIGHT_ROCM_PATH=... cargo test --release --workspace --test parity -- --ignored`.
//! `RUSHLIGHT_CASE=add#1/f32` selects cases by a part of their names, `RUSHLIGHT_SEED=7` other values, `RUSHLIGHT_DTYPES=f32,f16`
//! those dtypes of each op that has them, `RUSHLIGHT_SAMPLE=3` three cases of each op, dtype and pass, evenly over
//! layouts, shapes and values, and `RUSHLIGHT_PART=1/2/SEED` one of two halves of these cases, drawn by the seed. The number of
//! cases left out is printed. `RUSHLIGHT_AGAINST=rocm:1` takes another device (`cpu`,
//! `rocm:N`, `cuda:N`) as the reference in place of the true results.
#[path = "../../rushlight/tests/common/mod.rs"]
mod common;
use common::device::gpu;
use common::report::Report;
use rushlight::cpu::CpuStorage;
use rushlight::{DType, Device};
use rushlight_parity::sweep::hash;
use rushlight_parity::{Against, Case, Output, Pass, Status, class, interleave, known};
use std::collections::{BTreeMap, BTreeSet};

fn seed() -> u64 {
    std::env::var("RUSHLIGHT_SEED").ok().map_or(0, |s| s.parse().expect("RUSHLIGHT_SEED is a number"))
}

/// Returns the cases of some dtypes (all of them by default), at most `most` of each op, dtype and pass. An op without these
/// dtypes keeps another one.
fn sample(all: Vec<Case>, dtypes: &[DType], most: usize) -> Vec<Case> {
    // Indices and conditions have other dtypes.
    let named = |c: &Case| {
        let known = |d: &DType| dtypes.contains(d);
        c.dtypes().iter().any(known) && c.dtypes().iter().all(|d| known(d) || !d.is_float())
    };
    let have: BTreeSet<&str> = all.iter().filter(|c| named(c)).map(Case::op).collect();
    let mut own: BTreeMap<&str, DType> = BTreeMap::new();
    all.iter().for_each(|c| _ = own.entry(c.op()).or_insert(c.dtype()));
    let wanted = |c: &Case| {
        dtypes.is_empty()
            || if have.contains(c.op()) { named(c) } else { own.get(c.op()) == Some(&c.dtype()) }
    };
    let mut taken: BTreeMap<(&str, DType, Pass), usize> = BTreeMap::new();
    let mut some = BTreeSet::new();
    for i in interleave(&all, 0) {
        let n = taken.entry((all[i].op(), all[i].dtype(), all[i].pass)).or_default();
        if wanted(&all[i]) && *n < most {
            *n += 1;
            some.insert(i);
        }
    }
    all.iter().enumerate().filter(|(i, _)| some.contains(i)).map(|(_, c)| c.clone()).collect()
}

/// Returns the part of the cases that `PART/PARTS/SEED` names; the seed and their names divide them.
fn part_of(all: Vec<Case>, text: &str) -> Option<Vec<Case>> {
    let (part, rest) = text.split_once('/')?;
    let (parts, seed) = rest.split_once('/')?;
    let (part, parts): (u64, u64) = (part.parse().ok()?, parts.parse().ok()?);
    // (The lowest bits of this hash depend on few bits of the text.)
    let own = |c: &Case| (hash(&format!("{seed} {}", c.name)) >> 32) % parts == part;
    (part < parts).then(|| all.into_iter().filter(own).collect())
}

/// Returns the cases that the environment selects, and the number of those left out.
fn chosen() -> (Vec<Case>, usize) {
    let all = Case::all(seed());
    let dtypes = std::env::var("RUSHLIGHT_DTYPES").unwrap_or_default();
    let dtypes = dtypes.split(',').filter(|d| !d.is_empty()).map(|d| d.parse().expect("RUSHLIGHT_DTYPES"));
    let most = std::env::var("RUSHLIGHT_SAMPLE").map_or(usize::MAX, |n| n.parse().expect("RUSHLIGHT_SAMPLE"));
    let n = all.len();
    let some = sample(all, &dtypes.collect::<Vec<_>>(), most);
    let some = match std::env::var("RUSHLIGHT_PART") {
        Ok(part) => part_of(some, &part).expect("RUSHLIGHT_PART is PART/PARTS/SEED"),
        Err(_) => some,
    };
    let left = n - some.len();
    (some, left)
}

/// Returns a device by the name that `rushlight parity --against` takes.
fn named(name: &str) -> Device {
    let (kind, number) = name.split_once(':').unwrap_or((name, "0"));
    let number = number.parse().expect("the number of a device");
    match kind {
        "cpu" => Device::Cpu,
        "rocm" => Device::new_rocm(number).expect("the device of RUSHLIGHT_AGAINST"),
        "cuda" => Device::new_cuda(number).expect("the device of RUSHLIGHT_AGAINST"),
        _ => panic!("RUSHLIGHT_AGAINST={name}: expected f64, cpu, rocm:N or cuda:N"),
    }
}

/// Runs the suite. `RUSHLIGHT_KNOWN` names ops whose hard numbers a compiler is known to get wrong: their failures are printed
/// and do not fail the test.
fn suite(device: &Device) {
    let mut r = Report::new();
    let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
    let (cases, left) = chosen();
    let at_least = if left == 0 { 100_000 } else { cases.len() };
    println!("{} cases, {left} left out", cases.len());
    let known = std::env::var("RUSHLIGHT_KNOWN").unwrap_or_default();
    let reference = std::env::var("RUSHLIGHT_AGAINST").ok().filter(|n| n != "f64").map(|n| named(&n));
    let against = reference.as_ref().map_or(Against::F64, Against::Device);
    for case in cases {
        r.case(&case.name, || {
            let v = case.run(device, against);
            match v.status {
                Status::Pass => Ok(()),
                Status::Fail if case.is_hard() && known.split(',').any(|op| op == case.op()) => {
                    println!("known: {}: {}", case.name, v.reason);
                    Ok(())
                }
                Status::Fail => Err(v.reason),
                Status::Skip => {
                    *skipped.entry(v.reason).or_default() += 1;
                    Ok(())
                }
            }
        });
    }
    if !skipped.is_empty() {
        println!("not run: {skipped:?}");
    }
    r.finish(at_least);
}

#[test]
fn every_case_on_the_cpu() {
    suite(&Device::Cpu);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn every_case_on_rocm() {
    let (device, handle) = gpu();
    println!("{handle:?}");
    suite(&device);
}

/// Compares functions of f64 with true values of more digits.
fn true_values(device: &Device) {
    let mut r = Report::new();
    for k in known() {
        r.case(&format!("{}/f64/true", k.name), || match k.worst(device) {
            Ok(worst) => {
                println!("{}: {worst:.3} of {} units", k.name, k.units());
                if worst <= k.units() { Ok(()) } else { Err(format!("{worst} units off, may {}", k.units())) }
            }
            Err(e) => Err(e.to_string()),
        });
    }
    r.finish(29);
}

#[test]
fn true_values_on_the_cpu() {
    true_values(&Device::Cpu);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn true_values_on_rocm() {
    let (device, _) = gpu();
    true_values(&device);
}

/// Runs values, gradients and bad uses of every op on the CPU, with a GPU's results as the reference.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn the_cpu_against_rocm() {
    let (device, _) = gpu();
    let mut r = Report::new();
    for case in sample(Case::all(seed()), &[DType::F32], 1) {
        r.case(&case.name, || match case.run(&Device::Cpu, Against::Device(&device)) {
            v if v.status == Status::Fail => Err(v.reason),
            v if v.status == Status::Skip && !v.reason.starts_with("no-reference: rocm:0: ") => Err(v.reason),
            _ => Ok(()),
        });
    }
    r.finish(300);
}

/// Names are unique, every op has every kind of case that applies to it, and cases cover the index dtypes.
#[test]
fn cases_have_unique_names_and_cover_the_definitions() {
    let all = Case::all(0);
    let names: BTreeSet<&str> = all.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names.len(), all.len(), "case names repeat");
    let ops = |f: &dyn Fn(&&Case) -> bool| -> BTreeSet<&str> { all.iter().filter(f).map(Case::op).collect() };
    let every = ops(&|_| true);
    assert!(every.len() > 140 && ops(&|c| c.pass == Pass::Forward) == every);
    let hard = ops(&|c| c.is_hard());
    let grown = ops(&|c| c.name.contains(":33/"));
    assert!(hard.contains("isfinite") && hard.contains("isnan") && hard.contains("logical_and"));
    let nan = ops(&|c| c.name.ends_with("/nan"));
    for op in ["max", "argmin", "sum", "cumsum", "matmul", "conv2d", "softmax", "argsort", "max_pool2d"] {
        assert!(nan.contains(op), "{op} has no case with a NaN");
    }
    // One row, many terms: CPU libraries have a separate algorithm for them.
    let long = |c: &Case| c.shapes().iter().map(|s| s.dims().to_vec()).eq([vec![1, 1025], vec![1025, 4]]);
    for dtype in [DType::F32, DType::F16, DType::I64] {
        assert!(all.iter().any(|c| c.op() == "matmul" && c.dtype() == dtype && long(c)), "{dtype:?}");
    }
    for op in ["add", "exp", "sum", "matmul", "conv2d", "index_select", "softmax", "argsort", "max_pool2d"] {
        assert!(hard.contains(op), "{op} has no case of hard numbers");
        assert!(grown.contains(op), "{op} has no case of size 33");
    }
    for dtype in ["u8", "i16", "u32", "i32", "i64"] {
        for op in ["index_select", "gather", "scatter_add", "index_add"] {
            let part = format!("/f32,{dtype}");
            assert!(
                all.iter().any(|c| c.op() == op && c.name.contains(&part)),
                "{op} has no case of {dtype} indices"
            );
        }
    }
}

#[test]
fn hard_inputs_hold_the_ends_of_the_range() {
    let all = Case::all(0);
    let case = all.iter().find(|c| c.name == "add#1/f32,f32/hard").expect("a case");
    let CpuStorage::F32(v) = case.values(0).expect("values") else { panic!("not f32") };
    let has = |f: &dyn Fn(&f32) -> bool| v.iter().any(f);
    assert!(has(&|v| v.is_nan()) && has(&|v| *v == f32::INFINITY) && has(&|v| *v == f32::MIN));
    assert!(has(&|v| v.is_subnormal()) && has(&|v| v.to_bits() == 0x8000_0000));
    // The peaks of a long line must lie beyond the elements that a block's threads read first.
    let mut peaks = all.iter().filter(|c| c.op() == "softmax" && c.name.ends_with("/peaks"));
    assert!(peaks.any(|c| match c.values(0).expect("values") {
        CpuStorage::F32(v) => v.iter().skip(1024).any(|v| *v == 3000.0),
        _ => false,
    }));
    let case = all.iter().find(|c| c.name == "neg#1/i64/hard").expect("a case");
    let CpuStorage::I64(v) = case.values(0).expect("values") else { panic!("not i64") };
    assert!(v.contains(&i64::MIN) && v.contains(&i64::MAX));
}

/// A seed changes the values and not the names; cases have different values.
#[test]
fn seeds_change_values() {
    let (a, b) = (Case::all(0), Case::all(1));
    let of = |all: &[Case], name: &str| {
        let case = all.iter().find(|c| c.name == name).expect("a case");
        case.values(0).expect("values").as_bytes().to_vec()
    };
    let name = "add#1/f32,f32/contiguous";
    assert!(of(&a, name) != of(&b, name) && of(&a, name) == of(&Case::all(0), name));
    assert!(of(&a, name) != of(&a, "sub#1/f32,f32/contiguous"));
}

/// Every prefix of the order has about as many cases of each op.
#[test]
fn a_part_of_the_suite_covers_every_op() {
    let all = Case::all(0);
    let order = interleave(&all, 3);
    assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), all.len());
    let some: Vec<&Case> = order.iter().take(600).map(|i| &all[*i]).collect();
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    some.iter().for_each(|c| *count.entry(c.op()).or_default() += 1);
    assert!(count.len() > 140 && count.values().all(|n| (2..=6).contains(n)), "{count:?}");
}

/// A sample has forward cases of every op, with its gradients and bad uses, in the dtypes that are asked for.
#[test]
fn a_sample_leaves_no_op_out() {
    let all = Case::all(0);
    let passes =
        |cases: &[Case]| -> BTreeSet<(&str, Pass)> { cases.iter().map(|c| (c.op(), c.pass)).collect() };
    assert_eq!(passes(&sample(all.clone(), &[], 1)), passes(&all));
    let some = sample(all.clone(), &[DType::F32], 2);
    let ops = |cases: &[Case]| -> BTreeSet<&str> { cases.iter().map(Case::op).collect() };
    assert_eq!(ops(&some), ops(&all));
    assert!((400..4000).contains(&some.len()), "{}", some.len());
    assert!(
        some.iter().all(|c| c.dtypes().contains(&DType::F32) || !c.dtypes().iter().any(|d| d.is_float()))
    );
    assert!(some.iter().filter(|c| c.op() == "add" && c.pass == Pass::Forward).count() == 2);
    assert_eq!(sample(all.clone(), &[], usize::MAX).len(), all.len());
}

/// Wrong elements are reported with their position. Any NaN equals any NaN; -0 does not equal 0.
#[test]
fn wrong_results_are_caught() {
    let all = Case::all(0);
    let judge = |name: &str, change: &dyn Fn(&mut Vec<f32>)| {
        let case = all.iter().find(|c| c.name == name).expect("a case");
        let mut outputs = case.run(&Device::Cpu, Against::F64).outputs;
        let CpuStorage::F32(v) = &outputs[0].storage else { panic!("not f32") };
        let mut values = v.to_vec();
        change(&mut values);
        outputs[0] = Output { storage: CpuStorage::F32(values.into()), ..outputs[0].clone() };
        case.judge_outputs(&outputs).expect("judged")
    };
    let next = |v: f32, n: i32| f32::from_bits((v.to_bits() as i32 + n) as u32);
    for name in ["add#1/f32,f32/contiguous", "exp#1/f32/contiguous", "matmul#1/f32,f32/contiguous"] {
        assert!(judge(name, &|_| ()).good());
        let c = judge(name, &|v| v[1] = next(v[1], 40));
        assert!(!c.good() && c.wrong == 1 && c.mismatches[0].position.last() == Some(&1), "{name}: {c:?}");
        assert!(!judge(name, &|v| v[0] = f32::NAN).good(), "{name}");
        assert!(!judge(name, &|v| v[0] = f32::INFINITY).good(), "{name}");
    }
    // One unit is too much where the class is exact, and allowed where the class is four units.
    assert!(!judge("add#1/f32,f32/contiguous", &|v| v[0] = next(v[0], 1)).good());
    assert!(judge("exp#1/f32/contiguous", &|v| v[0] = next(v[0], 1)).good());
    let hard = "add#1/f32,f32/hard";
    assert!(judge(hard, &|v| v.iter_mut().filter(|v| v.is_nan()).for_each(|v| *v = -f32::NAN)).good());
    assert!(!judge(hard, &|v| v.iter_mut().filter(|v| v.is_nan()).for_each(|v| *v = 0.0)).good());
    assert!(!judge(hard, &|v| v[0] = -v[0]).good(), "0 + 0 is 0, not -0");
    let lost = judge("max#1/f32/nan", &|v| v.iter_mut().filter(|v| v.is_nan()).for_each(|v| *v = 1.0));
    assert!(!lost.good(), "no result is NaN");
    let grad = judge("mul#1/f32,f32/contiguous/grad", &|v| v[0] *= 1.001);
    assert!(!grad.good() && grad.wrong == 1, "{grad:?}");
}

/// Two runs agree if each is within the op's bound; otherwise the message names the run that is not.
#[test]
fn runs_that_differ_are_caught() {
    let all = Case::all(0);
    let next = |v: f32, n: i32| f32::from_bits((v.to_bits() as i32 + n) as u32);
    // The CPU's outputs, with element 1 off by `by` units.
    let moved = |case: &Case, by: i32| {
        let mut outputs = case.run(&Device::Cpu, Against::F64).outputs;
        let CpuStorage::F32(v) = &outputs[0].storage else { panic!("not f32") };
        let mut values = v.to_vec();
        values[1] = next(values[1], by);
        outputs[0] = Output { storage: CpuStorage::F32(values.into()), ..outputs[0].clone() };
        outputs
    };
    // (name, units that are allowed, units that are not)
    for (name, fine, bad) in [
        ("add#1/f32,f32/contiguous", 0, 1),
        ("exp#1/f32/contiguous", 2, 40),
        ("matmul#1/f32,f32/contiguous", 1, 400),
        ("mul#1/f32,f32/contiguous/grad", 4, 40_000),
    ] {
        let case = all.iter().find(|c| c.name == name).expect("a case");
        let agree = |a, b| case.agree(&moved(case, a), &moved(case, b), "on rocm:1").expect("judged");
        assert!(agree(0, 0).good() && agree(fine, -fine).good() && agree(bad, bad).good(), "{name}");
        for (a, b, words) in [
            (0, bad, "; this one is within its op's bound, that on rocm:1 is not"),
            (bad, 0, "; that on rocm:1 is within its op's bound, this one is not"),
            (bad, -bad, "; neither is within its op's bound"),
        ] {
            let c = agree(a, b);
            assert!(
                !c.good() && c.wrong == 1 && c.mismatches[0].position.last() == Some(&1),
                "{name}: {c:?}"
            );
            assert!(c.reason().starts_with("1 of ") && c.reason().ends_with(words), "{name}: {}", c.reason());
        }
        let none = case.agree(&moved(case, 0), &[], "on rocm:1").expect("judged");
        assert!(
            none.reason().starts_with("1 outputs, on rocm:1 0") || name.ends_with("/grad"),
            "{name}: {none:?}"
        );
        assert!(!none.good());
    }
}

/// A device other than the CPU is the reference for values, a gradient and an error.
#[test]
fn another_device_is_the_reference() {
    let all = Case::all(0);
    let other = Device::new_testdev(0);
    for name in ["exp#1/f32/transposed", "add#1/f16,f16/hard", "matmul#1/f32,f32/contiguous/grad"] {
        let case = all.iter().find(|c| c.name == name).expect("a case");
        let v = case.run(&Device::Cpu, Against::Device(&other));
        assert!(v.status == Status::Pass && v.hash == case.run(&other, Against::F64).hash, "{name}: {v:?}");
    }
    let bad = all.iter().find(|c| c.pass == Pass::Error && c.op() == "matmul").expect("a bad use");
    assert_eq!(bad.run(&Device::Cpu, Against::Device(&other)).status, Status::Pass);
}

#[test]
fn bounds_are_those_of_the_classes() {
    let all = Case::all(0);
    let of = |name: &str, dtype| {
        class(all.iter().find(|c| c.name == name).expect("a case").what(), dtype).as_str()
    };
    assert_eq!(of("add#1/f32,f32/contiguous", DType::F32), "exact");
    assert_eq!(of("tanh#1/f16/contiguous", DType::F16), "ulps");
    assert_eq!(of("conv2d#1/f32,f32/contiguous", DType::F32), "products");
    assert_eq!(of("matmul#1/i32,i32/contiguous", DType::I32), "exact");
    assert_eq!(of("gelu#1/f32/contiguous", DType::F32), "ulps");
    assert!(all.iter().any(|c| class(c.what(), DType::F32).as_str() == "scaled"));
}
