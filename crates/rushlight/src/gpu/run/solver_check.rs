//! The check that a vendor's library of decompositions must pass before it is used: matrices with known values, in f64 on the
//! host.
use super::solver::{Plan, Room, Task, issue};
use crate::DType;
use crate::gpu::GpuDevice;
use crate::gpu::runtime::{Failure, Outcome, Runtime};
use crate::gpu::solver::Factors;
use crate::gpu::vendor::Matrix;
use num_complex::Complex;

type C = Complex<f64>;

/// Sizes of the check's matrices, which have more than one panel.
const ROWS: u64 = 80;
const COLUMNS: u64 = 70;
const BATCH: u64 = 2;

/// A column-major matrix.
#[derive(Clone)]
struct Dense {
    rows: usize,
    columns: usize,
    all: Vec<C>,
}

impl Dense {
    fn new(rows: usize, columns: usize, f: impl Fn(usize, usize) -> C) -> Self {
        let all = (0..rows * columns).map(|e| f(e % rows, e / rows)).collect();
        Self { rows, columns, all }
    }

    fn at(&self, i: usize, j: usize) -> C {
        self.all[j * self.rows + i]
    }

    fn adjoint(&self) -> Self {
        Self::new(self.columns, self.rows, |i, j| self.at(j, i).conj())
    }

    fn times(&self, other: &Self) -> Self {
        Self::new(self.rows, other.columns, |i, j| {
            (0..self.columns).map(|l| self.at(i, l) * other.at(l, j)).sum()
        })
    }

    /// Whether no element differs by more than a bound.
    fn near(&self, other: &Self, bound: f64) -> bool {
        let same = self.rows == other.rows && self.columns == other.columns;
        same && self.all.iter().zip(&other.all).all(|(a, b)| (a - b).norm() <= bound)
    }

    fn is_unitary(&self, bound: f64) -> bool {
        self.adjoint().times(self).near(&unit(self.columns), bound)
    }
}

fn unit(n: usize) -> Dense {
    Dense::new(n, n, |i, j| C::from(f64::from(u8::from(i == j))))
}

/// Returns a number from -1 to 1.
fn entry(seed: u64, i: u64) -> f64 {
    let mixed = (i + seed * 65_537 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn complex(dtype: DType) -> bool {
    matches!(dtype, DType::C64 | DType::C128)
}

/// Whether a dtype's parts have 32 bits.
fn single(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::C64)
}

fn drawn(dtype: DType, seed: u64, rows: usize, columns: usize) -> Dense {
    Dense::new(rows, columns, |i, j| {
        let e = (j * rows + i) as u64;
        C::new(entry(seed, 2 * e), if complex(dtype) { entry(seed, 2 * e + 1) } else { 0.0 })
    })
}

/// Returns a reflection, which is unitary and Hermitian.
fn reflection(dtype: DType, seed: u64, n: usize) -> Dense {
    let v = drawn(dtype, seed, n, 1);
    let square: f64 = v.all.iter().map(|x| x.norm_sqr()).sum();
    Dense::new(n, n, |i, j| {
        C::from(f64::from(u8::from(i == j))) - v.all[i] * v.all[j].conj() * (2.0 / square)
    })
}

/// Returns the values of matrix `b` of the batch: eigenvalues ascend, singular values descend.
fn values(task: Task, b: usize) -> Vec<f64> {
    let n = COLUMNS as usize;
    let by = if b == 0 { 0.125 } else { 0.5 };
    let eigen = matches!(task, Task::Eigh(_));
    (0..n).map(|i| by * if eigen { i as f64 - 20.0 } else { (n - i) as f64 }).collect()
}

/// Returns matrix `b` of the batch. The second one is singular for LU (column 5 is zero), and not positive definite for Cholesky
/// (element 40 of the diagonal is negative).
fn input(p: &Plan, b: usize) -> Dense {
    let (m, n, seed) = (p.rows as usize, p.columns as usize, 10 * b as u64);
    match p.task {
        Task::Lu => {
            let x = drawn(p.dtype, seed, m, n);
            Dense::new(m, n, |i, j| if b == 1 && j == 5 { C::from(0.0) } else { x.at(i, j) })
        }
        Task::Qr(..) => drawn(p.dtype, seed, m, n),
        Task::Cholesky => {
            let x = drawn(p.dtype, seed, n, n);
            Dense::new(n, n, |i, j| match i == j {
                true if b == 1 && i == 40 => C::from(-1.0),
                true => C::from(n as f64),
                false => (x.at(i, j) + x.at(j, i).conj()) * 0.5,
            })
        }
        Task::Eigh(_) => {
            let (d, h) = (values(p.task, b), reflection(p.dtype, seed, n));
            let scaled = Dense::new(n, n, |i, j| h.at(i, j) * d[j]);
            scaled.times(&h)
        }
        Task::Svd(_) => {
            let (d, left, right) =
                (values(p.task, b), reflection(p.dtype, seed, m), reflection(p.dtype, seed + 1, n));
            let scaled = Dense::new(m, n, |i, j| left.at(i, j) * d[j]);
            scaled.times(&right)
        }
    }
}

fn encode(dtype: DType, all: &[C]) -> Vec<u8> {
    let part = |v: f64| {
        if single(dtype) { (v as f32).to_le_bytes().to_vec() } else { v.to_le_bytes().to_vec() }
    };
    let both = |x: &C| if complex(dtype) { [part(x.re), part(x.im)].concat() } else { part(x.re) };
    all.iter().flat_map(both).collect()
}

fn decode(dtype: DType, bytes: &[u8]) -> Vec<C> {
    let size = if single(dtype) { 4 } else { 8 };
    let parts: Vec<f64> = bytes
        .chunks_exact(size)
        .map(|b| super::blas::decode(if single(dtype) { DType::F32 } else { DType::F64 }, b))
        .collect();
    match complex(dtype) {
        true => parts.chunks_exact(2).map(|p| C::new(p[0], p[1])).collect(),
        false => parts.into_iter().map(C::from).collect(),
    }
}

/// The results on the device.
struct Results<'a, R: Runtime> {
    dev: &'a GpuDevice<R>,
    dtype: DType,
}

impl<R: Runtime> Results<'_, R> {
    /// Reads matrix `b` of a batch.
    fn matrix(&self, x: Matrix, b: u64, rows: u64, columns: u64) -> Outcome<Dense> {
        let size = self.dtype.size_in_bytes() as u64;
        let mut bytes = vec![0u8; (rows * columns * size) as usize];
        self.dev.runtime().download(&mut bytes, x.ptr + b * x.stride * size)?;
        Ok(Dense { rows: rows as usize, columns: columns as usize, all: decode(self.dtype, &bytes) })
    }

    /// Reads the real numbers of matrix `b`.
    fn numbers(&self, at: u64, b: u64, count: u64) -> Outcome<Vec<f64>> {
        let real = if single(self.dtype) { DType::F32 } else { DType::F64 };
        let size = real.size_in_bytes() as u64;
        let mut bytes = vec![0u8; (count * size) as usize];
        self.dev.runtime().download(&mut bytes, at + b * count * size)?;
        Ok(decode(real, &bytes).iter().map(|x| x.re).collect())
    }

    fn pivots(&self, at: u64, b: u64, count: u64) -> Outcome<Vec<u64>> {
        let size = R::PIVOT_BYTES;
        let mut bytes = vec![0u8; (count * size) as usize];
        self.dev.runtime().download(&mut bytes, at + b * count * size)?;
        let word = |b: &[u8]| b.iter().rev().fold(0u64, |w, b| w << 8 | u64::from(*b));
        Ok(bytes.chunks_exact(size as usize).map(word).collect())
    }
}

/// Decomposes two matrices by the library, and compares the products of the factors with the matrices, and values with known ones.
pub(super) fn check<R: Runtime>(dev: &GpuDevice<R>, of: &Plan) -> Outcome<()> {
    let square = matches!(of.task, Task::Cholesky | Task::Eigh(_));
    let rows = if square { COLUMNS } else { ROWS };
    let task = match of.task {
        Task::Qr(..) => Task::Qr(rows, rows),
        task => task,
    };
    let p = Plan { task, rows, columns: COLUMNS, batch: BATCH, ..*of };
    let room = Room::new(dev, &p)?;
    // The input as the library reads it.
    let mut inputs = Vec::new();
    for b in 0..BATCH {
        let bytes = encode(p.dtype, &input(&p, b as usize).all);
        let size = p.dtype.size_in_bytes() as u64;
        dev.runtime().upload(room.a.ptr + b * room.a.stride * size, &bytes)?;
        let all = decode(p.dtype, &bytes);
        inputs.push(Dense { rows: rows as usize, columns: COLUMNS as usize, all });
    }
    issue(dev, &p.job(&room))?;
    let results = Results { dev, dtype: p.dtype };
    let words = room.words(dev, BATCH)?;
    let info = &words[1 + BATCH as usize..];
    let wrong = match p.task {
        // Matrices of rank 69 and with a negative minor are reported as such.
        Task::Lu if info != [0, 6] => Some("info"),
        Task::Cholesky if info != [0, 41] => Some("info"),
        Task::Qr(..) | Task::Eigh(_) | Task::Svd(_) if info != [0, 0] => Some("info"),
        Task::Lu => lu(&results, &p, &room, &inputs[0])?,
        Task::Cholesky => cholesky(&results, &p, &room, &inputs[0])?,
        Task::Qr(..) => qr(&results, &p, &room, &inputs)?,
        Task::Eigh(vectors) => eigh(&results, &p, &room, &inputs, vectors)?,
        Task::Svd(factors) => svd(&results, &p, &room, &inputs, factors)?,
    };
    match wrong {
        None => Ok(()),
        Some(what) => {
            let name = match p.task {
                Task::Lu => "LU factorization",
                Task::Cholesky => "Cholesky factorization",
                Task::Qr(..) => "QR factorization",
                Task::Eigh(_) => "decomposition by eigenvalues",
                Task::Svd(_) => "decomposition by singular values",
            };
            Err(Failure::Other(format!("its first {name} of {:?} was wrong ({what})", p.dtype)))
        }
    }
}

/// The result of a comparison: what is wrong, if anything is.
type Found = Outcome<Option<&'static str>>;

/// Returns the bound on an error of numbers of a size: 16 n epsilon.
fn bound(dtype: DType, size: f64) -> f64 {
    let epsilon = if single(dtype) { f64::from(f32::EPSILON) } else { f64::EPSILON };
    16.0 * ROWS as f64 * epsilon * size
}

fn lu<R: Runtime>(r: &Results<'_, R>, p: &Plan, room: &Room<R>, x: &Dense) -> Found {
    let (m, n) = (p.rows as usize, p.columns as usize);
    let lu = r.matrix(room.a, 0, p.rows, p.columns)?;
    let mut exchanged = x.clone();
    for (k, pivot) in r.pivots(room.vector, 0, p.short())?.into_iter().enumerate() {
        if pivot <= k as u64 || pivot > p.rows {
            return Ok(Some("a pivot"));
        }
        for j in 0..n {
            exchanged.all.swap(j * m + k, j * m + pivot as usize - 1);
        }
    }
    let lower = Dense::new(m, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => C::from(0.0),
        std::cmp::Ordering::Equal => C::from(1.0),
        std::cmp::Ordering::Greater => lu.at(i, j),
    });
    let upper = Dense::new(n, n, |i, j| if i <= j { lu.at(i, j) } else { C::from(0.0) });
    // The pivots are largest elements.
    let small = lower.all.iter().all(|v| v.norm() <= 1.0 + bound(p.dtype, 1.0));
    let good = small && lower.times(&upper).near(&exchanged, bound(p.dtype, 8.0));
    Ok((!good).then_some("the factors"))
}

fn cholesky<R: Runtime>(r: &Results<'_, R>, p: &Plan, room: &Room<R>, x: &Dense) -> Found {
    let n = p.rows as usize;
    let a = r.matrix(room.a, 0, p.rows, p.rows)?;
    let lower = Dense::new(n, n, |i, j| if i >= j { a.at(i, j) } else { C::from(0.0) });
    let good = (0..n).all(|i| lower.at(i, i).re > 0.0)
        && lower.times(&lower.adjoint()).near(x, bound(p.dtype, 2.0 * n as f64));
    Ok((!good).then_some("the factor"))
}

/// Compares R with that of plain reflections, which have LAPACK's signs.
fn qr<R: Runtime>(r: &Results<'_, R>, p: &Plan, room: &Room<R>, inputs: &[Dense]) -> Found {
    let (m, n, size) = (p.rows as usize, p.columns as usize, bound(p.dtype, 16.0));
    let mut all_r = Vec::new();
    for b in 0..BATCH {
        all_r.push(r.matrix(room.a, b, p.rows, p.columns)?);
    }
    if let Some(second) = p.second(room) {
        issue(r.dev, &second)?;
    }
    for (b, (x, found)) in inputs.iter().zip(&all_r).enumerate() {
        let want = reflected(x);
        let upper = Dense::new(m, n, |i, j| if i <= j { found.at(i, j) } else { C::from(0.0) });
        if !upper.near(&want, size) || (0..n).any(|i| found.at(i, i).im != 0.0) {
            return Ok(Some("R"));
        }
        let q = r.matrix(room.a, b as u64, p.rows, p.rows)?;
        if !q.is_unitary(bound(p.dtype, 1.0)) || !q.times(&upper).near(x, size) {
            return Ok(Some("Q"));
        }
    }
    Ok(None)
}

/// Returns R of a matrix, by Householder's reflections.
fn reflected(x: &Dense) -> Dense {
    let (m, n) = (x.rows, x.columns);
    let mut a = x.clone();
    for k in 0..n.min(m) {
        let norm = (k..m).map(|i| a.at(i, k).norm_sqr()).sum::<f64>().sqrt();
        let beta = if a.at(k, k).re < 0.0 { norm } else { -norm };
        // The reflection maps the column to beta: x - (x - beta e) w, with factor tau = (beta - alpha) / beta.
        let alpha = a.at(k, k);
        let tau = (C::from(beta) - alpha) / beta;
        let v: Vec<C> =
            (k..m).map(|i| if i == k { C::from(1.0) } else { a.at(i, k) / (alpha - beta) }).collect();
        for j in k..n {
            let sum: C = (k..m).map(|i| v[i - k].conj() * a.at(i, j)).sum();
            for i in k..m {
                a.all[j * m + i] -= tau.conj() * v[i - k] * sum;
            }
        }
    }
    Dense::new(m, n, |i, j| if i <= j { a.at(i, j) } else { C::from(0.0) })
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, v| v.abs().max(m))
}

fn same_values(dtype: DType, found: &[f64], want: &[f64]) -> bool {
    let most = largest(want);
    found.iter().zip(want).all(|(f, w)| (f - w).abs() <= bound(dtype, most))
}

fn eigh<R: Runtime>(r: &Results<'_, R>, p: &Plan, room: &Room<R>, inputs: &[Dense], vectors: bool) -> Found {
    let n = p.rows as usize;
    for (b, x) in inputs.iter().enumerate() {
        let (found, want) = (r.numbers(room.vector, b as u64, p.rows)?, values(p.task, b));
        if !same_values(p.dtype, &found, &want) {
            return Ok(Some("the values"));
        }
        if !vectors {
            continue;
        }
        let q = r.matrix(room.a, b as u64, p.rows, p.rows)?;
        let scaled = Dense::new(n, n, |i, j| q.at(i, j) * found[j]);
        if !q.is_unitary(bound(p.dtype, 1.0)) || !x.times(&q).near(&scaled, bound(p.dtype, largest(&want))) {
            return Ok(Some("the vectors"));
        }
    }
    Ok(None)
}

fn svd<R: Runtime>(
    r: &Results<'_, R>,
    p: &Plan,
    room: &Room<R>,
    inputs: &[Dense],
    factors: Factors,
) -> Found {
    let (m, n) = (p.rows as usize, p.columns as usize);
    for (b, x) in inputs.iter().enumerate() {
        let (found, want) = (r.numbers(room.vector, b as u64, p.columns)?, values(p.task, b));
        if !same_values(p.dtype, &found, &want) {
            return Ok(Some("the values"));
        }
        if factors == Factors::None {
            continue;
        }
        let columns = if factors == Factors::Full { p.rows } else { p.columns };
        let u = r.matrix(room.u, b as u64, p.rows, columns)?;
        let v = r.matrix(room.v, b as u64, p.columns, p.columns)?;
        let scaled = Dense::new(m, n, |i, j| u.at(i, j) * found[j]);
        let orthonormal = u.is_unitary(bound(p.dtype, 1.0)) && v.is_unitary(bound(p.dtype, 1.0));
        if !orthonormal || !scaled.times(&v).near(x, bound(p.dtype, largest(&want))) {
            return Ok(Some("the factors"));
        }
    }
    Ok(None)
}
