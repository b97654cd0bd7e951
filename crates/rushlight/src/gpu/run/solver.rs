//! Decompositions of matrices by the vendor's library (hip/solver.hip): which ones, the copies to its order and back, and the
//! results that are computed again by our kernels.
use super::matmul::{MatrixStrides, last_two};
use super::solver_check::check;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand, StridedIter};
use crate::gpu::params::{kernel_enum, kernel_params};
use crate::gpu::runtime::{Failure, Outcome, Runtime};
use crate::gpu::solver::{Decomposition, Factors, Job};
use crate::gpu::vendor::{Family, Library, Matrix, Reason, by_library};
use crate::gpu::{GpuDevice, GpuStorage};
use crate::ops::Op;
use crate::ops::svd::SvdMode;
use crate::{DType, Result};

static SMALL: Reason = Reason::never("it is slower for small matrices");
static SIZE: Reason = Reason::new("a dimension is beyond 31 bits");
static MEMORY: Reason = Reason::new("no device memory is left for its matrices");
static ARRANGE: Reason = Reason::new("its matrices cannot be arranged");

/// Least number of rows and of columns for which a library pays. It works on panels of 32 to 64 columns, with several launches for
/// each, and our kernels on a matrix with one block: matrices of few panels wait for launches most of the time.
const LEAST: u64 = 128;
/// The same for a batch with a matrix for each compute unit. Our kernels use the whole GPU for these, and cuSOLVER has one call for
/// each.
const LEAST_IN_BATCH: u64 = 512;

kernel_enum! {
    /// The elements of a matrix that count.
    pub(crate) enum SolverPart {
        /// All of them.
        All = 0,
        /// The upper triangle.
        Upper = 1,
        /// The lower triangle.
        Lower = 2,
    }
}

kernel_params! {
    /// Parameters of copies between our matrices and those of a vendor's library.
    pub(crate) struct SolverParams {
        /// Address of the output.
        out: u64,
        /// Address of the input.
        from: u64,
        /// Address of the signs of columns or rows, or 0.
        signs: u64,
        /// Address of the words that report elements which a library cannot take.
        state: u64,
        /// Elements from one matrix of the output to the next.
        out_stride: u64,
        /// Elements from one matrix of the input to the next.
        from_stride: u64,
        /// Strides of a matrix of the input.
        strides: MatrixStrides,
        /// Matrices.
        matrices: u64,
        /// Rows of a matrix; elements of a vector.
        rows: u64,
        /// Columns of a matrix.
        columns: u64,
        /// Signs, or numbers, of each matrix.
        count: u64,
        /// Blocks of the grid.
        blocks: u64,
        /// The elements that count.
        part: SolverPart,
        /// 1: elements of the input are conjugated.
        conjugate: u32,
        /// 1: signs are those of rows.
        by_row: u32,
        /// Bytes of a pivot; 0: the numbers are real values.
        pivot_bytes: u32,
        /// First elements of the matrices of our input.
        starts: StridedIter<1>,
    }
}

/// A decomposition without its sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Task {
    Lu,
    Cholesky,
    /// Columns of Q, rows of R.
    Qr(u64, u64),
    /// Whether there are vectors.
    Eigh(bool),
    Svd(Factors),
}

/// A decomposition of a batch as the library's.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub task: Task,
    pub dtype: DType,
    /// Rows and columns of the library's matrices.
    pub rows: u64,
    pub columns: u64,
    pub batch: u64,
    /// Whether these are the conjugate transposes of ours, so that there are no more columns than rows.
    pub turned: bool,
}

impl Plan {
    /// Returns `None` for matrices without elements.
    fn new(op: &Op, a: &Operand<'_>) -> Option<Self> {
        let [outer @ .., rows, columns] = a.layout.dims() else { return None };
        let (m, n) = (*rows, *columns);
        let task = match op {
            Op::LuFactor(_) => Task::Lu,
            Op::Cholesky(_) => Task::Cholesky,
            Op::Qr(op) => {
                let (left, right) = op.mode.sizes(m, n);
                Task::Qr(left as u64, right as u64)
            }
            Op::Eigh(op) => Task::Eigh(op.vectors),
            Op::Svd(op) => Task::Svd(match op.mode {
                SvdMode::Values => Factors::None,
                SvdMode::Reduced => Factors::Reduced,
                SvdMode::Full => Factors::Full,
            }),
            _ => return None,
        };
        let turned = matches!(task, Task::Svd(_)) && m < n;
        let (rows, columns) = if turned { (n, m) } else { (m, n) };
        let batch = outer.iter().product::<usize>() as u64;
        let (rows, columns) = (rows as u64, columns as u64);
        (m > 0 && n > 0 && batch > 0).then_some(Self { task, dtype: a.dtype, rows, columns, batch, turned })
    }

    pub fn short(&self) -> u64 {
        self.rows.min(self.columns)
    }

    /// Whether the library is expected to be faster than our kernels.
    fn pays(&self, units: u64) -> bool {
        self.short() >= if self.batch < units { LEAST } else { LEAST_IN_BATCH }
    }

    /// Returns the number of this kind of call, which stands for the decomposition and the dtype.
    fn kind(&self) -> usize {
        let task = match self.task {
            Task::Lu => 0,
            Task::Cholesky => 1,
            Task::Qr(..) => 2,
            Task::Eigh(true) => 3,
            Task::Eigh(false) => 4,
            Task::Svd(Factors::None) => 5,
            Task::Svd(Factors::Reduced) => 6,
            Task::Svd(Factors::Full) => 7,
        };
        let dtype = match self.dtype {
            DType::F32 => 0,
            DType::F64 => 1,
            DType::C64 => 2,
            _ => 3,
        };
        task * 4 + dtype
    }

    /// Returns the columns of U that are computed.
    fn left(&self) -> u64 {
        match self.task {
            Task::Svd(Factors::Reduced) => self.columns,
            Task::Svd(Factors::Full) => self.rows,
            _ => 0,
        }
    }

    /// Returns the number of columns for which there is memory: Q may have more than its matrix.
    fn wide(&self) -> u64 {
        match self.task {
            Task::Qr(left, _) => self.columns.max(left),
            _ => self.columns,
        }
    }

    /// Returns the decomposition in memory.
    pub fn job<R: Runtime>(&self, room: &Room<R>) -> Decomposition {
        let job = match self.task {
            Task::Lu => Job::Lu { pivots: room.vector },
            Task::Cholesky => Job::Cholesky,
            Task::Qr(..) => Job::Qr { tau: room.vector },
            Task::Eigh(vectors) => Job::Eigh { values: room.vector, vectors },
            Task::Svd(factors) => Job::Svd { values: room.vector, factors, u: room.u, v: room.v },
        };
        let (rows, columns, batch) = (self.rows, self.columns, self.batch);
        Decomposition { dtype: self.dtype, rows, columns, batch, a: room.a, job, info: room.info }
    }

    /// Returns the computation of Q, after that of R; `None` if Q has no columns.
    pub fn second<R: Runtime>(&self, room: &Room<R>) -> Option<Decomposition> {
        let Task::Qr(left @ 1.., _) = self.task else { return None };
        let steps = self.short();
        let job = Job::Q { tau: room.vector, k: steps, steps };
        Some(Decomposition { columns: left, job, ..self.job(room) })
    }

    /// Decomposes by the library. Returns `false` if our kernels must compute the result.
    fn run<'a, R: Runtime>(
        &self,
        c: &Call<'a, R>,
        library: &Library<'a, R>,
        kind: usize,
    ) -> std::result::Result<bool, &'a Reason> {
        let room = Room::new(c.dev, self).map_err(|_| &MEMORY)?;
        let arrange = |done: Result<()>| done.map_err(|_| &ARRANGE);
        arrange(self.load(c, &room))?;
        library.call(kind, || issue(c.dev, &self.job(&room)))?;
        if let Task::Qr(left, right) = self.task {
            // Q replaces R, which is copied first.
            arrange(self.store_r(c, &room, left, right))?;
            if let Some(second) = self.second(&room) {
                library.call(kind, || issue(c.dev, &second))?;
                arrange(self.store_q(c, &room, left, right))?;
            }
        } else {
            arrange(self.store(c, &room))?;
        }
        Ok(!room.failed(c.dev, self.batch).map_err(|_| &ARRANGE)?)
    }
}

/// Queues a decomposition with the memory that the library needs for it.
pub(super) fn issue<R: Runtime>(dev: &GpuDevice<R>, d: &Decomposition) -> Outcome<()> {
    let runtime = dev.runtime();
    let mut bytes = 0;
    runtime.solver(&mut |s| {
        bytes = s.space(d)?;
        Ok(())
    })?;
    let space = dev.storage(DType::U8, (bytes as usize).max(1)).map_err(|_| Failure::OutOfMemory)?;
    runtime.solver(&mut |s| s.run(d, (space.address(), bytes)))
}

/// The library's matrices and vectors on the device.
pub(super) struct Room<R: Runtime> {
    _block: GpuStorage<R>,
    /// Words of the load (hip/solver.hip), and behind them the library's info words.
    state: u64,
    info: u64,
    pub a: Matrix,
    /// Pivots, factors of reflections or values.
    pub vector: u64,
    pub u: Matrix,
    pub v: Matrix,
    signs: u64,
}

const WORD: u64 = size_of::<u32>() as u64;

impl<R: Runtime> Room<R> {
    /// Allocates memory. Words are 0.
    pub fn new(dev: &GpuDevice<R>, p: &Plan) -> Outcome<Self> {
        let size = p.dtype.size_in_bytes() as u64;
        let (a, u) = (p.rows * p.wide(), p.rows * p.left());
        let v = if u > 0 { p.columns * p.columns } else { 0 };
        let words = (1 + 2 * p.batch) * WORD;
        let elements = |n: u64| p.batch.checked_mul(n)?.checked_mul(size);
        let vector = p.batch * p.short() * size.max(8);
        let parts = [Some(words), elements(a), Some(vector), elements(u), elements(v), elements(p.short())];
        let mut at = [0u64; 6];
        let mut total = 0u64;
        for (at, bytes) in at.iter_mut().zip(parts) {
            *at = total;
            let bytes = bytes.and_then(|b| b.checked_next_multiple_of(256));
            total = bytes.and_then(|b| total.checked_add(b)).ok_or(Failure::OutOfMemory)?;
        }
        let block = dev.storage(DType::U8, total as usize).map_err(|_| Failure::OutOfMemory)?;
        let [state, of_a, vector, of_u, of_v, signs] = at.map(|at| block.address() + at);
        dev.runtime().fill(state, 0, words as usize)?;
        Ok(Self {
            _block: block,
            state,
            info: state + (1 + p.batch) * WORD,
            a: Matrix { ptr: of_a, ld: p.rows, stride: a },
            vector,
            u: Matrix { ptr: of_u, ld: p.rows, stride: u },
            v: Matrix { ptr: of_v, ld: p.columns, stride: v },
            signs,
        })
    }

    /// Waits for the library. Returns its info words behind those of the load.
    pub fn words(&self, dev: &GpuDevice<R>, batch: u64) -> Outcome<Vec<i32>> {
        let mut bytes = vec![0u8; ((1 + 2 * batch) * WORD) as usize];
        dev.runtime().download(&mut bytes, self.state)?;
        Ok(bytes.chunks_exact(4).map(|w| i32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect())
    }

    /// Whether the library could not take a matrix, or reports that one is singular or did not converge.
    fn failed(&self, dev: &GpuDevice<R>, batch: u64) -> Outcome<bool> {
        let words = self.words(dev, batch)?;
        let (of_load, info) = words.split_at(1 + batch as usize);
        Ok(of_load[0] != 0 || of_load[1..].contains(&0) || info.iter().any(|w| *w != 0))
    }
}

/// The copies.
impl Plan {
    fn params<R: Runtime>(&self, room: &Room<R>, starts: StridedIter<1>) -> SolverParams {
        SolverParams {
            out: 0,
            from: room.a.ptr,
            signs: 0,
            state: room.state,
            out_stride: 0,
            from_stride: room.a.stride,
            strides: MatrixStrides { row: 1, column: room.a.ld },
            matrices: self.batch,
            rows: self.rows,
            columns: self.columns,
            count: self.short(),
            blocks: 0,
            part: SolverPart::All,
            conjugate: 0,
            by_row: 0,
            pivot_bytes: 0,
            starts,
        }
    }

    fn launch<R: Runtime>(
        &self,
        c: &Call<'_, R>,
        name: &'static str,
        items: u64,
        mut p: SolverParams,
    ) -> Result<()> {
        let blocks = c.blocks(self.batch.saturating_mul(items));
        p.blocks = u64::from(blocks);
        let kernel = Kernel::new(Unit::Solver, self.dtype, name, Variant::Thread);
        c.launch(kernel, [blocks, 1, 1], BLOCK, &p)
    }

    fn load<R: Runtime>(&self, c: &Call<'_, R>, room: &Room<R>) -> Result<()> {
        let a = c.input(0)?;
        let MatrixStrides { row, column } = last_two(a.layout);
        let strides = if self.turned {
            MatrixStrides { row: column, column: row }
        } else {
            MatrixStrides { row, column }
        };
        let lower = matches!(self.task, Task::Cholesky | Task::Eigh(_));
        let p = SolverParams {
            out: room.a.ptr,
            from: a.ptr,
            out_stride: room.a.stride,
            strides,
            part: if lower { SolverPart::Lower } else { SolverPart::All },
            conjugate: u32::from(self.turned),
            ..self.params(room, super::linalg::starts(a.layout, 2))
        };
        self.launch(c, "solver_load", self.rows * self.columns, p)
    }

    /// Returns the parameters of a copy to the output, from an element on, and the size of an element.
    fn to_output<R: Runtime>(
        &self,
        c: &Call<'_, R>,
        room: &Room<R>,
        first: u64,
        out_stride: u64,
    ) -> Result<SolverParams> {
        let out = c.output(0)?.ptr + first * self.dtype.size_in_bytes() as u64;
        let starts = super::linalg::starts(c.input(0)?.layout, 2);
        Ok(SolverParams { out, out_stride, ..self.params(room, starts) })
    }

    fn matrix<R: Runtime>(&self, c: &Call<'_, R>, p: SolverParams) -> Result<()> {
        self.launch(c, "solver_store", p.rows * p.columns, p)
    }

    fn store_r<R: Runtime>(&self, c: &Call<'_, R>, room: &Room<R>, left: u64, right: u64) -> Result<()> {
        let of_q = self.rows * left;
        let p = self.to_output(c, room, of_q, of_q + right * self.columns)?;
        self.matrix(c, SolverParams { rows: right.min(self.rows), part: SolverPart::Upper, ..p })
    }

    fn store_q<R: Runtime>(&self, c: &Call<'_, R>, room: &Room<R>, left: u64, right: u64) -> Result<()> {
        let p = self.to_output(c, room, 0, self.rows * left + right * self.columns)?;
        self.matrix(c, SolverParams { columns: left, ..p })
    }

    fn store<R: Runtime>(&self, c: &Call<'_, R>, room: &Room<R>) -> Result<()> {
        let (m, n, k) = (self.rows, self.columns, self.short());
        match self.task {
            Task::Lu => {
                let whole = (m + 1) * n;
                self.matrix(c, self.to_output(c, room, 0, whole)?)?;
                let p = self.to_output(c, room, m * n, whole)?;
                let pivot_bytes = R::PIVOT_BYTES as u32;
                self.launch(c, "solver_values", n, SolverParams { from: room.vector, pivot_bytes, ..p })
            }
            Task::Cholesky => {
                let p = self.to_output(c, room, 0, n * n)?;
                self.matrix(c, SolverParams { part: SolverPart::Lower, ..p })
            }
            // R and Q are stored one after the other.
            Task::Qr(..) => Ok(()),
            Task::Eigh(vectors) => {
                let whole = if vectors { n + n * n } else { n };
                self.store_values(c, room, whole)?;
                if !vectors {
                    return Ok(());
                }
                let p = self.to_output(c, room, n, whole)?;
                self.launch(c, "solver_signs", k, SolverParams { out: room.signs, ..p })?;
                self.matrix(c, SolverParams { signs: room.signs, ..p })
            }
            Task::Svd(factors) => self.store_factors(c, room, factors),
        }
    }

    fn store_values<R: Runtime>(&self, c: &Call<'_, R>, room: &Room<R>, whole: u64) -> Result<()> {
        let k = self.short();
        let p = self.to_output(c, room, 0, whole)?;
        self.launch(c, "solver_values", k, SolverParams { from: room.vector, columns: k, ..p })
    }

    /// Stores singular values, U and V^H. If the matrices were turned, U is the conjugate transpose of the library's V^H, and V^H
    /// that of its U.
    fn store_factors<R: Runtime>(&self, c: &Call<'_, R>, room: &Room<R>, factors: Factors) -> Result<()> {
        let (m, n, k) = (self.rows, self.columns, self.short());
        let (tall, small) = (m * self.left(), if factors == Factors::None { 0 } else { n * n });
        let whole = k + tall + small;
        self.store_values(c, room, whole)?;
        if factors == Factors::None {
            return Ok(());
        }
        let (of_u, of_v) = if self.turned { (small, tall) } else { (tall, small) };
        debug_assert_eq!(whole, k + of_u + of_v);
        let conjugate = u32::from(self.turned);
        let at = |x: Matrix, p: SolverParams| SolverParams {
            from: x.ptr,
            from_stride: x.stride,
            strides: if self.turned {
                MatrixStrides { row: x.ld, column: 1 }
            } else {
                MatrixStrides { row: 1, column: x.ld }
            },
            conjugate,
            ..p
        };
        // Rows of U and columns of V^H are those of our matrices.
        let (u, v, u_sizes, v_sizes) = if self.turned {
            (room.v, room.u, (n, n), (self.left(), m))
        } else {
            (room.u, room.v, (m, self.left()), (n, n))
        };
        let p = at(u, self.to_output(c, room, k, whole)?);
        let p = SolverParams { rows: u_sizes.0, columns: u_sizes.1, ..p };
        self.launch(c, "solver_signs", k, SolverParams { out: room.signs, ..p })?;
        self.matrix(c, SolverParams { signs: room.signs, ..p })?;
        let p = at(v, self.to_output(c, room, k + of_u, whole)?);
        let (rows, columns) = v_sizes;
        self.matrix(c, SolverParams { signs: room.signs, by_row: 1, rows, columns, ..p })
    }
}

/// Decomposes by the library. Returns `false` if our kernel must run: the library is not chosen or does not pay, or it was given
/// a matrix that is singular, not positive definite, or has elements that it cannot take. The last case waits for the GPU.
pub(super) fn decompose<R: Runtime>(c: &Call<'_, R>) -> Result<bool> {
    let Some(plan) = Plan::new(c.op, &c.input(0)?) else { return Ok(false) };
    let mut good = true;
    let done = by_library(c, Family::Solver, |library| {
        if !library.by_name() && !plan.pays(u64::from(c.dev.info().units)) {
            return Err(&SMALL);
        }
        if [plan.rows, plan.columns, plan.wide(), plan.batch].iter().any(|v| *v > i32::MAX as u64) {
            return Err(&SIZE);
        }
        let kind = plan.kind();
        library.kind(kind, || check(c.dev, &plan))?;
        good = plan.run(c, library, kind)?;
        Ok(())
    })?;
    Ok(done && good)
}
