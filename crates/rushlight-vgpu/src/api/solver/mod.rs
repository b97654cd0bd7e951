//! The code that rocSOLVER and cuSOLVER share: batches of matrices, and decompositions as work of a stream.
pub(crate) mod compute;

use crate::api::blas::gemm::{Matrix, Type};
use crate::api::blas::{Refused, size_of};
use crate::api::hip::Ptr;
use crate::device::gpu::Gpu;
use crate::device::stream::Work;
use crate::support::config;
use compute::{Dense, Z};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A decomposition of each matrix of a batch; addresses of vectors, which lie without gaps, or at a stride of elements.
#[derive(Clone, Copy)]
pub(crate) enum Job {
    /// The pivots, and the bytes of one.
    Lu(Vector, usize),
    Cholesky,
    Qr(Vector),
    /// tau, and the number of reflections.
    Product(Vector, usize),
    /// The values, and whether there are vectors.
    Eigh(Vector, bool),
    /// The values, U and V^H; `None`: not computed.
    Svd(Vector, Option<Matrix>, Option<Matrix>),
}

/// The vectors of a batch.
#[derive(Clone, Copy)]
pub(crate) struct Vector {
    pub at: usize,
    pub count: usize,
    pub stride: i64,
}

/// A checked call.
pub(crate) struct Call {
    pub of: Type,
    pub a: Matrix,
    pub batch: usize,
    pub job: Job,
    /// Address of the info words; 0: there are none.
    pub info: usize,
    /// Scratch memory: address and bytes. It is overwritten.
    pub space: (usize, usize),
    /// Memory for the elements beside a diagonal.
    pub beside: Option<Vector>,
}

/// Returns the bytes of a real number of a type.
fn part(of: Type) -> usize {
    if matches!(of, Type::C32 | Type::C64) { size_of(of) / 2 } else { size_of(of) }
}

impl Vector {
    /// The span of elements of a size, as that of a matrix with one column.
    fn span(self, batch: usize, size: usize) -> Option<(usize, usize)> {
        let column = Matrix { at: self.at, rows: self.count, cols: 1, ld: self.count, stride: self.stride };
        column.span(batch, size)
    }
    fn address(self, batch: usize, i: usize, size: usize) -> usize {
        let first = batch as i64 * self.stride + i as i64;
        self.at.wrapping_add_signed(first as isize * size as isize)
    }
}

/// Whether this call fails by `RUSHLIGHT_VGPU_FAULT`.
pub(crate) fn fails_now() -> bool {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let number = CALLS.fetch_add(1, Relaxed);
    config::get().faults.solver_fails_after.is_some_and(|n| number >= n)
}

fn read(of: Type, at: usize) -> Z {
    // SAFETY: the caller checked that the element lies inside one allocation.
    unsafe {
        match of {
            Type::F32 => Z(f64::from((at as *const f32).read_unaligned()), 0.0),
            Type::C32 => {
                let [re, im] = (at as *const [f32; 2]).read_unaligned();
                Z(f64::from(re), f64::from(im))
            }
            Type::C64 => {
                let [re, im] = (at as *const [f64; 2]).read_unaligned();
                Z(re, im)
            }
            _ => Z((at as *const f64).read_unaligned(), 0.0),
        }
    }
}

fn write(of: Type, at: usize, v: Z) {
    // SAFETY: as above.
    unsafe {
        match of {
            Type::F32 => (at as *mut f32).write_unaligned(v.0 as f32),
            Type::C32 => (at as *mut [f32; 2]).write_unaligned([v.0 as f32, v.1 as f32]),
            Type::C64 => (at as *mut [f64; 2]).write_unaligned([v.0, v.1]),
            _ => (at as *mut f64).write_unaligned(v.0),
        }
    }
}

/// The type of a type's parts.
fn real(of: Type) -> Type {
    if part(of) == 4 { Type::F32 } else { Type::F64 }
}

fn address(m: &Matrix, of: Type, batch: usize, i: usize, j: usize) -> usize {
    m.at.wrapping_add_signed(m.index(batch, i, j) * size_of(of) as isize)
}

fn load(m: &Matrix, of: Type, batch: usize) -> Dense {
    Dense::new(m.rows, m.cols, |i, j| read(of, address(m, of, batch, i, j)))
}

fn store(m: &Matrix, of: Type, batch: usize, from: &Dense, keep: impl Fn(usize, usize) -> bool) {
    for j in 0..m.cols {
        for i in (0..m.rows).filter(|i| keep(*i, j)) {
            write(of, address(m, of, batch, i, j), from.at(i, j));
        }
    }
}

impl Call {
    /// Checks the addresses and issues the decomposition on a stream.
    pub fn issue(self, gpu: &mut Gpu, library: &str, stream: usize) -> Result<(), Refused> {
        let (size, real) = (size_of(self.of), part(self.of));
        let mut spans = vec![("A", self.a.span(self.batch, size), size)];
        match self.job {
            Job::Lu(pivots, bytes) => spans.push(("the pivots", pivots.span(self.batch, bytes), bytes)),
            Job::Cholesky => {}
            Job::Qr(tau) | Job::Product(tau, _) => spans.push(("tau", tau.span(self.batch, size), size)),
            Job::Eigh(values, _) => spans.push(("the values", values.span(self.batch, real), real)),
            Job::Svd(values, u, v) => {
                spans.push(("the values", values.span(self.batch, real), real));
                for (name, x) in [("U", u), ("V", v)] {
                    spans.extend(x.map(|x| (name, x.span(self.batch, size), size)));
                }
            }
        }
        if let Some(beside) = self.beside {
            spans.push(("E", beside.span(self.batch, real), real));
        }
        if self.info != 0 {
            spans.push(("info", Some((self.info, self.info + 4 * self.batch)), 4));
        }
        if self.space.1 > 0 {
            spans.push((
                "the workspace",
                self.space.0.checked_add(self.space.1).map(|end| (self.space.0, end)),
                1,
            ));
        }
        let mut checked: Vec<(&str, usize, usize)> = Vec::new();
        for (name, span, size) in spans {
            let (from, to) = span.ok_or(Refused::Size)?;
            if from == to {
                continue;
            }
            if !from.is_multiple_of(size) || !matches!(gpu.memory.range(from, to - from), Ok(Some(_))) {
                let location = gpu.memory.describe(from);
                eprintln!(
                    "rushlight-vgpu: {library}: {name} ({} bytes at {from:#x}, {location}) is not aligned or not inside one allocation",
                    to - from
                );
                return Err(Refused::Pointer);
            }
            if let Some((other, ..)) = checked.iter().find(|c| from < c.2 && c.1 < to) {
                eprintln!("rushlight-vgpu: {library}: {name} overlaps {other}");
                return Err(Refused::Value);
            }
            checked.push((name, from, to));
        }
        let wrong = config::get().faults.solver_wrong;
        let job = move || {
            for i in 0..self.batch {
                self.run(i);
            }
            let (at, bytes) = match self.job {
                Job::Eigh(values, _) | Job::Svd(values, ..) => (values.at, real),
                _ => (self.a.at, real),
            };
            if wrong && self.batch > 0 {
                // SAFETY: the first element lies inside an allocation, as was checked.
                unsafe { *(at as *mut u8).add(bytes - 1) ^= 0x40 };
            }
        };
        let key = gpu.stream(stream as Ptr).map_err(|_| Refused::Stream)?;
        gpu.push(key, Work::Native(std::sync::Arc::new(job)), Vec::new())
            .map(drop)
            .map_err(|_| Refused::Device)
    }

    /// Decomposes one matrix of the batch.
    fn run(&self, b: usize) {
        let of = self.of;
        // SAFETY: these ranges lie inside allocations, as was checked.
        unsafe { std::ptr::write_bytes(self.space.0 as *mut u8, 0xee, self.space.1) };
        if let Some(beside) = self.beside {
            (0..beside.count).for_each(|i| write(real(of), beside.address(b, i, part(of)), Z(f64::NAN, 0.0)));
        }
        let vector = |to: Vector, of: Type, values: &mut dyn Iterator<Item = Z>| {
            values.enumerate().for_each(|(i, v)| write(of, to.address(b, i, size_of(of)), v));
        };
        let reals = |values: Vec<f64>| values.into_iter().map(|v| Z(v, 0.0));
        let mut a = load(&self.a, of, b);
        let (rows, cols) = (a.rows, a.cols);
        let all = |_: usize, _: usize| true;
        let lower = |i: usize, j: usize| i >= j;
        let destroy = || store(&self.a, of, b, &Dense::new(rows, cols, |_, _| Z(f64::NAN, 0.0)), all);
        let info = match self.job {
            Job::Lu(pivots, bytes) => {
                let (found, info) = compute::lu(&mut a);
                store(&self.a, of, b, &a, all);
                for (i, p) in found.into_iter().enumerate() {
                    let at = pivots.address(b, i, bytes);
                    // SAFETY: as above.
                    unsafe {
                        match bytes {
                            4 => (at as *mut i32).write_unaligned(p as i32),
                            _ => (at as *mut i64).write_unaligned(p as i64),
                        }
                    }
                }
                info
            }
            Job::Cholesky => {
                let info = compute::cholesky(&mut a);
                store(&self.a, of, b, &a, lower);
                info
            }
            Job::Qr(tau) => {
                let found = compute::qr(&mut a);
                store(&self.a, of, b, &a, all);
                vector(tau, of, &mut found.into_iter());
                0
            }
            Job::Product(tau, k) => {
                let found: Vec<Z> = (0..k).map(|i| read(of, tau.address(b, i, size_of(of)))).collect();
                compute::product(&mut a, &found);
                store(&self.a, of, b, &a, all);
                0
            }
            Job::Eigh(values, vectors) => match compute::eigh(&a) {
                Some((found, v)) => {
                    vector(values, real(of), &mut reals(found));
                    if vectors {
                        store(&self.a, of, b, &v, all)
                    } else {
                        destroy()
                    }
                    0
                }
                None => 1,
            },
            Job::Svd(values, u, v) => match compute::svd(&a) {
                Some((found_u, found, found_v)) => {
                    vector(values, real(of), &mut reals(found));
                    for (to, from) in [(u, found_u), (v, found_v)] {
                        if let Some(to) = to {
                            store(&to, of, b, &from, all);
                        }
                    }
                    destroy();
                    0
                }
                None => 1,
            },
        };
        if self.info != 0 {
            // SAFETY: as above.
            unsafe { ((self.info + 4 * b) as *mut i32).write_unaligned(info) };
        }
    }
}
