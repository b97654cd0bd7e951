//! Decompositions of matrices by rocSOLVER or cuSOLVER: products of the factors in f64, conventions of signs, matrices that our
//! kernels must take, and warnings if the library cannot be used. Ignored by default, see `gpu.rs`. RUSHLIGHT_VGPU_FAULT makes the
//! virtual GPU's library fail.
mod common;
use common::device::{Gpu, gpu};
use common::report::{Check, Report, bits, text};
use common::vendor::{Chosen, Names, child, data, warning};
use rushlight::gpu::{Choice, Family};
use rushlight::ops::Op;
use rushlight::ops::cholesky::Cholesky;
use rushlight::ops::eigh::Eigh;
use rushlight::ops::lu_factor::LuFactor;
use rushlight::ops::qr::{Qr, QrMode};
use rushlight::ops::svd::{Svd, SvdMode};
use rushlight::{C128, DType, Device, Result, Tensor};
use rushlight_parity::sweep::Case;

const OPS: [&str; 5] = ["cholesky", "lu_factor", "qr", "eigh", "svd"];
const DTYPES: [DType; 4] = [DType::F32, DType::F64, DType::C64, DType::C128];

/// A row-major matrix.
#[derive(Clone)]
struct Dense {
    rows: usize,
    columns: usize,
    all: Vec<C128>,
}

impl Dense {
    fn new(rows: usize, columns: usize, f: impl Fn(usize, usize) -> C128) -> Self {
        let all = (0..rows * columns).map(|e| f(e / columns, e % columns)).collect();
        Self { rows, columns, all }
    }
    fn of(rows: usize, columns: usize, all: &[C128]) -> Self {
        Self { rows, columns, all: all[..rows * columns].to_vec() }
    }
    fn at(&self, i: usize, j: usize) -> C128 {
        self.all[i * self.columns + j]
    }
    fn adjoint(&self) -> Self {
        Self::new(self.columns, self.rows, |i, j| self.at(j, i).conj())
    }
    fn times(&self, other: &Self) -> Self {
        Self::new(self.rows, other.columns, |i, j| {
            (0..self.columns).map(|k| self.at(i, k) * other.at(k, j)).sum()
        })
    }
    fn scaled(&self, by: &[C128]) -> Self {
        Self::new(self.rows, self.columns, |i, j| self.at(i, j) * by[j])
    }
    fn near(&self, what: &str, other: &Self, bound: f64) -> Check {
        assert_eq!((self.rows, self.columns), (other.rows, other.columns));
        let worst = self.all.iter().zip(&other.all).map(|(a, b)| (a - b).norm());
        let worst = worst.fold(0.0, |m: f64, e| if e > m || e.is_nan() { e } else { m });
        if worst <= bound { Ok(()) } else { Err(format!("{what}: {worst:e} off, may {bound:e}")) }
    }
    fn orthonormal(&self, what: &str, bound: f64) -> Check {
        let unit = Self::new(self.columns, self.columns, |i, j| C128::from(f64::from(u8::from(i == j))));
        self.adjoint().times(self).near(what, &unit, bound)
    }
    /// Checks that the largest element of each of the first columns is positive; one of those that are about as large.
    fn positive(&self, columns: usize) -> Check {
        for j in 0..columns {
            let column: Vec<C128> = (0..self.rows).map(|i| self.at(i, j)).collect();
            let most = column.iter().fold(0.0, |m: f64, x| m.max(x.norm()));
            let good = |x: &C128| x.norm() >= 0.999 * most && x.re >= 0.999 * most;
            if !column.iter().any(good) {
                return Err(format!("column {j} has no positive largest element"));
            }
        }
        Ok(())
    }
}

fn numbers(t: &Tensor) -> std::result::Result<Vec<C128>, String> {
    text(t.to_device(&Device::Cpu).and_then(|t| t.to_dtype(DType::C128)?.flatten_all()?.to_vec1::<C128>()))
}

/// Checks the decomposition of each matrix of a batch: products of factors, orthonormal factors, order and signs.
fn verify(op: &Op, x: &Tensor, got: &Tensor) -> Check {
    let dims = x.dims();
    let (m, n) = (dims[dims.len() - 2], dims[dims.len() - 1]);
    let count: usize = dims[..dims.len() - 2].iter().product();
    let (all, results) = (numbers(x)?, numbers(got)?);
    let single = matches!(x.dtype(), DType::F32 | DType::C64);
    let epsilon = if single { f64::from(f32::EPSILON) } else { f64::EPSILON };
    for b in 0..if m * n == 0 { 0 } else { count } {
        let a = Dense::of(m, n, &all[b * m * n..]);
        let out = &results[b * (results.len() / count)..][..results.len() / count];
        let size = a.all.iter().map(|v| v.norm_sqr()).sum::<f64>().sqrt().max(1e-30);
        let unit = 16.0 * m.max(n) as f64 * epsilon;
        decomposition(op, &a, out, unit, unit * size).map_err(|e| format!("matrix {b}: {e}"))?;
    }
    Ok(())
}

/// Checks one decomposition. `unit` bounds errors of orthonormal matrices, `bound` those of products.
fn decomposition(op: &Op, a: &Dense, out: &[C128], unit: f64, bound: f64) -> Check {
    let (m, n, k) = (a.rows, a.columns, a.rows.min(a.columns));
    let zero = C128::from(0.0);
    // The lower triangle of a Hermitian matrix counts.
    let whole = Dense::new(m, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less if m == n => a.at(j, i).conj(),
        std::cmp::Ordering::Equal => C128::from(a.at(i, i).re),
        _ => a.at(i, j),
    });
    match op {
        Op::Cholesky(_) => {
            let l = Dense::of(n, n, out);
            if (0..n).any(|i| (i + 1..n).any(|j| l.at(i, j) != zero)) {
                return Err("the upper triangle is not 0".into());
            }
            l.times(&l.adjoint()).near("L L^T", &whole, bound)
        }
        Op::LuFactor(_) => {
            let lu = Dense::of(m + 1, n, out);
            let mut rows: Vec<usize> = (0..m).collect();
            for i in 0..k {
                rows.swap(i, lu.at(m, i).re as usize);
            }
            if (k..n).any(|j| lu.at(m, j) != zero) {
                return Err("there are pivots beyond the diagonal".into());
            }
            let l = Dense::new(m, k, |i, j| match i.cmp(&j) {
                std::cmp::Ordering::Less => zero,
                std::cmp::Ordering::Equal => C128::from(1.0),
                std::cmp::Ordering::Greater => lu.at(i, j),
            });
            let u = Dense::new(k, n, |i, j| if i <= j { lu.at(i, j) } else { zero });
            let exchanged = Dense::new(m, n, |i, j| a.at(rows[i], j));
            if l.all.iter().any(|x| x.norm() > 1.0 + unit) {
                return Err("a pivot is not a largest element".into());
            }
            l.times(&u).near("L U", &exchanged, bound)
        }
        Op::Qr(op) => {
            let (left, right) = match op.mode {
                QrMode::Reduced => (k, k),
                QrMode::Complete => (m, m),
                QrMode::R => (0, k),
            };
            let (q, r) = (Dense::of(m, left, out), Dense::of(right, n, &out[m * left..]));
            for i in 0..right {
                if (0..i.min(n)).any(|j| r.at(i, j) != zero) || (i < k && r.at(i, i).im != 0.0) {
                    return Err("R is not upper triangular with a real diagonal".into());
                }
            }
            // The first element of R has the sign that LAPACK gives it, unless the column needs no reflection.
            let tail = (1..m).any(|i| a.at(i, 0) != zero) || a.at(0, 0).im != 0.0;
            if tail && a.at(0, 0).re != 0.0 && r.at(0, 0).re * a.at(0, 0).re > 0.0 {
                return Err("R has another sign".into());
            }
            if left == 0 {
                return r.adjoint().times(&r).near(
                    "R^H R",
                    &a.adjoint().times(a),
                    bound * bound / unit.max(1e-300) * 4.0,
                );
            }
            q.orthonormal("Q^H Q", unit)?;
            q.times(&r).near("Q R", a, bound)
        }
        Op::Eigh(op) => {
            let values = &out[..n];
            if !values.is_sorted_by(|a, b| a.re <= b.re) || values.iter().any(|v| v.im != 0.0) {
                return Err("values are not real and ascending".into());
            }
            let trace = (values.iter().sum::<C128>() - (0..n).map(|i| whole.at(i, i)).sum::<C128>()).norm();
            if trace > bound {
                return Err(format!("the trace is {trace:e} off"));
            }
            if !op.vectors {
                return Ok(());
            }
            let v = Dense::of(n, n, &out[n..]);
            v.orthonormal("V^H V", unit)?;
            v.positive(n)?;
            whole.times(&v).near("A V", &v.scaled(values), bound)
        }
        Op::Svd(op) => {
            let (left, right) = match op.mode {
                SvdMode::Reduced => (k, k),
                SvdMode::Full => (m, n),
                SvdMode::Values => (0, 0),
            };
            let values = &out[..k];
            if !values.is_sorted_by(|a, b| a.re >= b.re) || values.iter().any(|v| v.im != 0.0 || v.re < 0.0) {
                return Err("values are not real and descending".into());
            }
            let squares: f64 = values.iter().map(|v| v.norm_sqr()).sum();
            let size: f64 = a.all.iter().map(|v| v.norm_sqr()).sum();
            if (squares.sqrt() - size.sqrt()).abs() > bound {
                return Err("the values have another norm".into());
            }
            if left == 0 {
                return Ok(());
            }
            let u = Dense::of(m, left, &out[k..]);
            let v = Dense::of(right, n, &out[k + m * left..]);
            u.orthonormal("U^H U", unit)?;
            v.adjoint().orthonormal("V^H V", unit)?;
            u.positive(k)?;
            let scaled = Dense::new(m, k, |i, j| u.at(i, j) * values[j]);
            let first = Dense::new(k, n, |i, j| v.at(i, j));
            scaled.times(&first).near("U S V^H", a, bound)
        }
        other => Err(format!("{} is no decomposition", other.name())),
    }
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn every_sample_by_the_library() {
    let (device, handle) = gpu();
    let _chosen = Chosen::new(&handle, Family::Solver, Choice::Vendor);
    let mut r = Report::new();
    for case in Case::all().iter().filter(|c| c.error.is_none() && OPS.contains(&c.op.definition())) {
        r.case(&case.name, || {
            let inputs = text(case.tensors(&Device::Cpu))?;
            let want = text(case.run(&inputs))?;
            let before = handle.counters().solver_calls;
            let got = text(case.run(&text(case.tensors(&device))?))?;
            let made = handle.counters().solver_calls - before;
            let [got, want] = [&got[0], &want[0]].map(|t| t.to_device(&Device::Cpu));
            let (got, want) = (text(got)?, text(want)?);
            let x = &inputs[0];
            if x.elem_count() == 0 {
                return if made == 0 && bits(&got)? == bits(&want)? { Ok(()) } else { Err("empty".into()) };
            }
            if made == 0 {
                return Err("the library was not called".into());
            }
            // Our kernels take what the library reports: the CPU's bits, which may be NaN.
            let same = bits(&got)? == bits(&want)?;
            let finite = numbers(&want)?.iter().all(|v| v.re.is_finite());
            if same || (finite && verify(&case.op, x, &got).is_ok()) {
                return Ok(());
            }
            verify(&case.op, x, &got).and(Err("a result that is not finite has other bits".into()))
        });
    }
    r.finish(100);
}

/// Returns a matrix with this many rows; a Hermitian and definite one for ops of these.
fn matrix(op: &Op, shape: &[usize], dtype: DType) -> Result<Tensor> {
    let parts = data(shape, DType::F64)?;
    let n = shape[shape.len() - 1];
    let x = match dtype {
        DType::C64 | DType::C128 => {
            let turned = parts.flip(&[shape.len() - 1])?;
            let i = Tensor::new(C128::new(0.0, 1.0), &Device::Cpu)?;
            (parts.to_dtype(DType::C128)? + turned.to_dtype(DType::C128)?.broadcast_mul(&i)?)?
        }
        _ => parts,
    };
    let x = match op {
        Op::Cholesky(_) => {
            let by = Tensor::eye(n, DType::F64, &Device::Cpu)?.affine(2.0 * n as f64, 0.0)?;
            ((&x + x.t()?)? * 0.5)?.broadcast_add(&by)?
        }
        _ => x,
    };
    x.to_dtype(dtype)
}

fn all_ops() -> Vec<Op> {
    let mut all = vec![Op::Cholesky(Cholesky), Op::LuFactor(LuFactor)];
    all.extend([QrMode::Reduced, QrMode::Complete, QrMode::R].map(|mode| Op::Qr(Qr { mode })));
    all.extend([true, false].map(|vectors| Op::Eigh(Eigh { vectors })));
    all.extend([SvdMode::Reduced, SvdMode::Full, SvdMode::Values].map(|mode| Op::Svd(Svd { mode })));
    all
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn large_matrices_take_the_library_and_small_ones_our_kernels() {
    let (device, handle) = gpu();
    let _chosen = Chosen::new(&handle, Family::Solver, Choice::Auto);
    let cuda = matches!(handle, Gpu::Cuda(_));
    let mut r = Report::new();
    for op in all_ops() {
        let square = matches!(op, Op::Cholesky(_) | Op::Eigh(_));
        let shapes: [(&[usize], u64); 3] = match square {
            true => [(&[128, 128], 1), (&[2, 128, 128], 2), (&[120, 120], 0)],
            false => [(&[130, 128], 1), (&[128, 130], 1), (&[300, 120], 0)],
        };
        for (shape, matrices) in shapes {
            r.case(&format!("{op:?} {shape:?}"), || {
                let x = text(matrix(&op, shape, DType::F32))?;
                // The transpose of a transposed copy: neither rows nor columns are copied by chance.
                let there = text(x.t().and_then(|t| t.copy()?.to_device(&device)?.t()))?;
                text(op.run(&[there.clone()]))?;
                let before = handle.counters().solver_calls;
                let got = text(op.run(&[there]))?;
                let made = handle.counters().solver_calls - before;
                // Q is a call of its own.
                let of_q = u64::from(matches!(&op, Op::Qr(q) if q.mode != QrMode::R));
                let want = if matrices == 0 { 0 } else { 1 + of_q };
                if made != want {
                    return Err(format!("{made} calls, expected {want}"));
                }
                verify(&op, &x, &got[0])
            });
        }
    }
    // A batch that fills the GPU stays with our kernels.
    let units = if cuda { 1 << 12 } else { 1 << 10 };
    let op = Op::Cholesky(Cholesky);
    let one = matrix(&op, &[1, 128, 128], DType::F32)
        .and_then(|x| x.to_device(&device)?.broadcast_as((units, 128, 128)));
    let before = handle.counters().solver_calls;
    if handle.is_virtual() {
        println!("not tried here: {units} matrices take long on a virtual GPU");
    } else {
        op.run(&[one.expect("a batch")]).expect("the batch's factors");
        assert_eq!(handle.counters().solver_calls, before);
    }
    r.finish(25);
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn matrices_that_the_library_cannot_take_give_our_kernels_results() -> Result<()> {
    let (device, handle) = gpu();
    let mut r = Report::new();
    let same = |name: String, r: &mut Report, op: Op, x: &Tensor| {
        r.case(&name, || {
            let run = |choice| {
                let _chosen = Chosen::new(&handle, Family::Solver, choice);
                bits(&text(op.run(&[text(x.to_device(&device))?]))?[0])
            };
            let [ours, by_library] = [run(Choice::Native)?, run(Choice::Vendor)?];
            if ours == by_library { Ok(()) } else { Err("other bits".into()) }
        });
    };
    for dtype in DTYPES {
        for op in all_ops() {
            let real = matches!(op, Op::Cholesky(_) | Op::LuFactor(_));
            if real && matches!(dtype, DType::C64 | DType::C128) {
                continue;
            }
            let good = matrix(&op, &[2, 6, 6], dtype)?;
            let place = Tensor::eye(6, DType::F64, &Device::Cpu)?.affine(-1.0, 1.0)?;
            // An element of the diagonal of the second matrix that is NaN, infinite, huge; all elements tiny; all of them 0.
            for (name, by) in [("nan", f64::NAN), ("infinite", f64::INFINITY), ("huge", 1e18), ("zero", 0.0)]
            {
                let hole = match name {
                    "zero" => good.affine(0.0, 0.0)?,
                    _ => {
                        let first = Tensor::from_vec(vec![by, 0.0, 0.0, 0.0, 0.0, 0.0], (6,), &Device::Cpu)?;
                        let diagonal = place.affine(-1.0, 1.0)?.broadcast_mul(&first)?;
                        // (NaN and infinity times 0 are NaN, which would fill the matrix.)
                        let spot = Tensor::zeros((6, 6), DType::F64, &Device::Cpu)?;
                        let spot = diagonal.ne(&spot)?.where_cond(&diagonal, &spot)?.to_dtype(dtype)?;
                        good.broadcast_add(&spot)?
                    }
                };
                same(format!("{op:?} {dtype:?} {name}"), &mut r, op.clone(), &hole);
            }
            same(format!("{op:?} {dtype:?} tiny"), &mut r, op.clone(), &good.affine(1e-20, 0.0)?);
        }
    }
    // Singular, and not positive definite: the same errors.
    let singular = data(&[1, 4], DType::F32)?.broadcast_as((4, 4))?.copy()?;
    let negative = Tensor::eye(5, DType::F64, &Device::Cpu)?.affine(-1.0, 0.0)?;
    for choice in [Choice::Native, Choice::Vendor] {
        let _chosen = Chosen::new(&handle, Family::Solver, choice);
        let on = |t: &Tensor| t.to_device(&device);
        let e = on(&singular)?.inv().err().map(|e| e.to_string()).unwrap_or_default();
        assert!(e.contains("singular"), "{choice:?}: {e}");
        let e = on(&negative)?.cholesky(false).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(e.contains("positive"), "{choice:?}: {e}");
        let nan = on(&negative)?.affine(f64::NAN, 0.0)?;
        assert!(nan.eigh(false).is_err() && nan.svd(false).is_err(), "{choice:?}");
        assert_eq!(on(&singular)?.det()?.to_scalar::<f32>()?, 0.0, "{choice:?}");
    }
    r.finish(100);
    Ok(())
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn deterministic_takes_our_kernels() -> Result<()> {
    let (device, handle) = gpu();
    let _chosen = Chosen::new(&handle, Family::Solver, Choice::Vendor);
    let op = Op::LuFactor(LuFactor);
    let x = matrix(&op, &[6, 6], DType::F32)?.to_device(&device)?;
    let calls = |on: bool| -> Result<u64> {
        rushlight::set_deterministic(on);
        let before = handle.counters().solver_calls;
        let done = op.run(&[x.clone()]);
        rushlight::set_deterministic(false);
        done?;
        Ok(handle.counters().solver_calls - before)
    };
    assert_eq!((calls(true)?, calls(false)?), (0, 1));
    Ok(())
}

/// Decompositions in two dtypes. The test below runs this one with each fault of the library.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn decompositions() {
    let (device, handle) = gpu();
    for op in [Op::LuFactor(LuFactor), Op::Cholesky(Cholesky)] {
        for dtype in [DType::F32, DType::F64] {
            let x = matrix(&op, &[128, 128], dtype).expect("a matrix");
            let there = x.to_device(&device).expect("a copy");
            let got = op.run(&[there]).unwrap_or_else(|e| panic!("{e}"));
            verify(&op, &x, &got[0]).expect("the factors");
        }
    }
    println!("{} by {}", handle.counters().solver_calls, Names::of(&handle).solver);
}

/// Copies the virtual GPU's library to a folder without the solver, and returns the setting that names the folder.
fn without_solver(rocm: bool) -> (&'static str, String) {
    let name = if rocm { "RUSHLIGHT_ROCM_PATH" } else { "RUSHLIGHT_CUDA_PATH" };
    let from = std::path::PathBuf::from(std::env::var_os(name).expect("the virtual GPU")).join("lib");
    let to =
        std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("no-solver-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&to);
    std::fs::create_dir_all(to.join("lib/rocblas/library")).expect("a folder");
    std::fs::write(to.join("lib/rocblas/library/TensileLibrary.dat"), "").expect("a file");
    for entry in std::fs::read_dir(&from).expect("the libraries").flatten() {
        let file = entry.file_name();
        let text = file.to_string_lossy().into_owned();
        let at = to.join("lib").join(&file);
        if entry.file_type().is_ok_and(|t| t.is_symlink()) {
            if !text.contains("solver") {
                std::os::unix::fs::symlink("librushlight_vgpu.so", at).expect("a link");
            }
        } else if text.contains(".so") {
            std::fs::copy(entry.path(), at).expect("a copy");
        }
    }
    (name, to.display().to_string())
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn a_missing_library_warns_once_and_our_kernels_run() {
    let (_, handle) = gpu();
    let Names { solver, device, .. } = Names::of(&handle);
    let (warning, rocm) = (warning(solver), matches!(handle, Gpu::Rocm(_)));
    let by = |calls: u64| format!("{calls} by {solver}");
    for (setting, calls) in [
        (("RUSHLIGHT_SOLVER", "auto"), 4),
        (("RUSHLIGHT_SOLVER", "vendor"), 4),
        (("RUSHLIGHT_SOLVER", "native"), 0),
        (("RUSHLIGHT_DETERMINISTIC", "1"), 0),
    ] {
        let (fine, text) = child("decompositions", &[setting]);
        assert!(fine && text.contains(&by(calls)) && !text.contains(&warning), "{setting:?}: {text}");
    }
    let (fine, text) = child("decompositions", &[("RUSHLIGHT_SOLVER", "fast")]);
    assert!(!fine && text.contains("RUSHLIGHT_SOLVER=fast: expected auto, native or vendor"), "{text}");
    if !handle.is_virtual() {
        println!("not tried here: only the virtual GPU's {solver} fails on demand");
        return;
    }
    let (failed, per_check) = match rocm {
        true => ("rocblas_status_internal_error", 1),
        false => ("CUSOLVER_STATUS_EXECUTION_FAILED", 2),
    };
    let (path, folder) = without_solver(rocm);
    let after = |checked: u64| format!("solver_fails_after:{checked}");
    let (first, second) = (after(per_check), after(per_check + 1));
    let fault = "RUSHLIGHT_VGPU_FAULT";
    let hint = if rocm { "rocSOLVER decomposes matrices: install it" } else { "libcusolver" };
    for (setting, reason, calls) in [
        ((path, folder.as_str()), hint, 0),
        ((fault, "solver_no_memory"), "no device memory is left for it", 0),
        ((fault, "solver_wrong"), "its first LU factorization of F32 was wrong", 0),
        // The first check passes, and the decomposition after it fails, or the next check.
        ((fault, first.as_str()), failed, 0),
        ((fault, second.as_str()), failed, 1),
    ] {
        let (fine, text) = child("decompositions", &[setting]);
        let printed: Vec<&str> = text.lines().filter(|l| l.contains(&warning)).collect();
        assert!(fine && text.contains(&by(calls)), "{setting:?}: {text}");
        assert!(
            !printed.is_empty() && printed.len() <= 4 && printed[0].contains(reason),
            "{setting:?}: {printed:?}"
        );
        if setting.0 == path {
            assert_eq!(printed.len(), 1, "{printed:?}");
        }
        let (fine, text) = child("decompositions", &[setting, ("RUSHLIGHT_SOLVER", "vendor")]);
        let said = text.contains(&format!("RUSHLIGHT_SOLVER=vendor asks for {solver}, which cannot do it"));
        let names = ["lu_factor", "cholesky"].map(|op| format!("{op} of F32 [128, 128] on {device}"));
        let named = names
            .iter()
            .chain([&format!("lu_factor of F64 [128, 128] on {device}")])
            .any(|n| text.contains(n));
        assert!(!fine && said && text.contains(reason) && named, "{setting:?}: {text}");
    }
    let _ = std::fs::remove_dir_all(folder);
}
