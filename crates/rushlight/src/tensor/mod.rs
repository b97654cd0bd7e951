//! The tensor: a handle to a storage, a layout, and a node of the gradient graph.
use crate::autograd::{self, GradFn, Node};
use crate::cpu::CpuStorage;
use crate::handle::{Handle, Slot};
use crate::ops::{Meta, Op, Role};
use crate::profiler;
use crate::storage::{Storage, StorageCell, View, ViewMut};
use crate::{DType, Device, Dim, Error, Layout, Result, Shape};
use smallvec::SmallVec;
use std::borrow::Borrow;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{RwLockReadGuard, RwLockWriteGuard};

pub(crate) mod attention;
mod complex;
mod compose;
mod create;
mod decompositions;
mod deform;
mod each;
mod fft;
pub(crate) mod grid_sample;
mod host;
mod linalg;
mod moments;
mod operators;
mod select;
mod views;

/// A number that identifies a tensor, or its node in the gradient graph. Numbers increase in the order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorId(usize);

impl TensorId {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        Self(NEXT.fetch_add(1, Relaxed))
    }
}

pub(crate) struct Inner {
    id: TensorId,
    pub(crate) cell: Handle<StorageCell>,
    layout: Layout,
    dtype: DType,
    device: Device,
    pub(crate) node: Option<Handle<Node>>,
}

/// An n-dimensional array. Cloning is cheap: clones share the storage, and the node in the gradient graph.
///
/// ```
/// use rushlight::{DType, Device, Tensor};
/// let t = Tensor::arange(0f32, 6., &Device::Cpu)?.reshape((2, 3))?;
/// assert_eq!((t.dims(), t.dtype()), (&[2, 3][..], DType::F32));
/// assert_eq!(t.t()?.to_vec2::<f32>()?, [[0., 3.], [1., 4.], [2., 5.]]);
/// # Ok::<(), rushlight::Error>(())
/// ```
#[derive(Clone)]
pub struct Tensor(pub(crate) Handle<Inner>);

impl AsRef<Tensor> for Tensor {
    fn as_ref(&self) -> &Tensor {
        self
    }
}

pub(crate) type Small<T> = SmallVec<[T; 4]>;

impl Tensor {
    /// (The layout is passed by reference and copied straight to its final memory.)
    #[inline(always)]
    fn build(
        cell: Handle<StorageCell>,
        layout: &Layout,
        dtype: DType,
        device: Device,
        node: Option<Handle<Node>>,
    ) -> Result<Self> {
        layout.shape().checked("shape")?;
        let slot = Slot::new();
        let id = node.as_ref().map_or_else(TensorId::new, |n| n.id());
        Ok(Self(slot.fill(Inner { id, cell, layout: layout.clone(), dtype, device, node })))
    }

    /// A tensor over a new storage that holds exactly the shape's elements, row-major.
    pub(crate) fn from_parts(storage: Storage, shape: Shape, device: &Device) -> Result<Self> {
        let dtype = storage.dtype();
        let cell = StorageCell::shared(storage);
        Self::build(cell, &Layout::contiguous(shape), dtype, device.clone(), None)
    }

    /// Returns a new tensor of unspecified elements.
    pub(crate) fn alloc(shape: &Shape, dtype: DType, device: &Device) -> Result<Self> {
        let bytes = shape.elem_count().checked_mul(dtype.size_in_bytes());
        if bytes.is_none_or(|b| b > isize::MAX as usize) {
            return Err(Error::SizeOverflow { op: "alloc", shape: shape.clone() }.bt());
        }
        let storage = device.backend().alloc(dtype, shape.elem_count())?;
        Self::from_parts(storage, shape.clone(), device)
    }

    /// Returns a view of the same storage through another layout; the tape records `rule` for it.
    pub(crate) fn view(&self, layout: impl Borrow<Layout>, rule: impl FnOnce() -> GradFn) -> Result<Self> {
        let layout = layout.borrow();
        // A broadcast view may have more elements than `usize` can count; `elem_count` saturates.
        if layout.shape().elem_count() == usize::MAX {
            return Err(Error::SizeOverflow { op: "view", shape: layout.shape().clone() }.bt());
        }
        let node = autograd::record(rule, &[self], layout.shape(), self.dtype());
        Self::build(self.0.cell.clone(), layout, self.0.dtype, self.0.device.clone(), node)
    }

    /// Checks an op's inputs and returns the output's shape and dtype.
    #[allow(clippy::question_mark)] // `?` would take the result apart and rebuild it
    #[inline(always)]
    fn check(op: &Op, inputs: &[&Tensor]) -> Result<Meta> {
        let declared = op.inputs();
        if declared.len() != inputs.len() {
            return Err(Error::invalid(
                op.name(),
                format!("takes {} tensors, got {}", declared.len(), inputs.len()),
            ));
        }
        let meta = |t: &Tensor| Meta::new(t.shape().clone(), t.dtype());
        // The result is inspected where it was written and never moved: see `run`.
        let out = match *inputs {
            [a] => op.infer(&[meta(a)]),
            [a, b] => op.infer(&[meta(a), meta(b)]),
            _ => op.infer(&inputs.iter().map(|t| meta(t)).collect::<SmallVec<[Meta; 4]>>()),
        };
        if out.is_err() {
            return out;
        }
        for t in &inputs[1..] {
            if !inputs[0].device().same_device(t.device()) {
                return Err(Error::DeviceMismatchBinaryOp {
                    lhs: inputs[0].device().location(),
                    rhs: t.device().location(),
                    op: op.name(),
                }
                .bt());
            }
        }
        for (d, t) in declared.iter().zip(inputs) {
            if let Some(first) = d.same_as.map(|i| inputs[i].dtype())
                && first != t.dtype()
            {
                return Err(Error::DTypeMismatchBinaryOp { lhs: first, rhs: t.dtype(), op: op.name() }.bt());
            }
            if !d.dtypes.contains(t.dtype()) {
                return Err(Error::UnsupportedDTypeForOp(t.dtype(), op.name()).bt());
            }
        }
        out
    }

    /// Runs an op that returns a new tensor, and records it if an input is part of a gradient graph.
    pub fn run(op: Op, inputs: &[&Tensor]) -> Result<Tensor> {
        // The result is matched by reference: moving a value right after a call makes the CPU wait for its stores.
        match Self::check(&op, inputs) {
            Ok(ref meta) => Self::make(op, inputs, meta),
            Err(e) => Err(e),
        }
    }

    fn make(op: Op, inputs: &[&Tensor], meta: &Meta) -> Result<Tensor> {
        if let Role::InOut(_) = op.role() {
            return Err(Error::invalid(op.name(), "works in place; use run_inplace"));
        }
        let (device, count) = (inputs[0].device(), meta.shape.elem_count());
        let bytes = count.checked_mul(meta.dtype.size_in_bytes());
        if bytes.is_none_or(|b| b > isize::MAX as usize) {
            return Err(Error::SizeOverflow { op: op.name(), shape: meta.shape.clone() }.bt());
        }
        let mut out = device.backend().alloc(meta.dtype, count);
        // The output usually has the layout of input 0. Copying that is cheaper than computing a new one.
        let like = inputs[0].layout();
        let made;
        let layout = if like.shape() == &meta.shape && like.is_fresh() {
            like
        } else {
            made = Layout::contiguous(meta.shape.clone());
            &made
        };
        if let Ok(storage) = &mut out {
            let mut outputs = [ViewMut { storage, layout }];
            let run = || with_views(inputs, |views| device.backend().run(&op, views, &mut outputs));
            profiler::op(op.name(), device, inputs.iter().copied(), bytes.unwrap_or(0), run)?;
        }
        let cell = match out {
            Ok(storage) => StorageCell::shared(storage),
            Err(e) => return Err(e),
        };
        let node = autograd::record_op(op, inputs, layout.shape(), meta.dtype, &cell);
        Self::build(cell, layout, meta.dtype, device.clone(), node)
    }

    /// Runs an op that updates `targets` in place, from their old values and `inputs`. An input that shares a target's
    /// storage is copied first.
    pub fn run_inplace(op: Op, targets: &[&Tensor], inputs: &[&Tensor]) -> Result<()> {
        let all: Small<&Tensor> = targets.iter().chain(inputs).copied().collect();
        Self::check(&op, &all)?;
        let name = op.name();
        for t in targets {
            t.check_writable(name)?;
        }
        for (i, t) in targets.iter().enumerate() {
            if targets[..i].iter().any(|u| u.shares_storage(t)) {
                return Err(Error::SharedStorage { op: name }.bt());
            }
        }
        let copies: Small<Tensor> = inputs
            .iter()
            .map(|t| {
                let clash = targets.iter().any(|u| u.shares_storage(t));
                if clash { autograd::no_grad(|| t.force_contiguous()) } else { Ok((*t).clone()) }
            })
            .collect::<Result<_>>()?;
        let sources: Small<&Tensor> = copies.iter().collect();
        let mut locks = Locks::new(&sources, targets);
        let (reads, writes) = locks.split();
        let mut outputs: Small<ViewMut<'_>> = writes
            .into_iter()
            .zip(targets)
            .map(|(storage, t)| ViewMut { storage, layout: t.layout() })
            .collect();
        let result = targets.first().map_or(Ok(()), |t| {
            let run = || t.device().backend().run(&op, &views(&reads, &sources), &mut outputs);
            profiler::op(name, t.device(), all.iter().copied(), 0, run)
        });
        targets.iter().for_each(|t| t.0.cell.bump());
        result
    }

    /// Returns an error if an in-place change of this tensor would invalidate a recorded gradient, or if its elements
    /// overlap.
    pub(crate) fn check_writable(&self, op: &'static str) -> Result<()> {
        if autograd::is_enabled()
            && let Some(node) = &self.0.node
        {
            let msg = if node.is_leaf() {
                "a variable that requires a gradient cannot be changed in place; use Var::set, or change it under no_grad"
            } else {
                "a tensor that is part of a gradient graph cannot be changed in place; detach or copy it first"
            };
            return Err(Error::InplaceOnTracked { op, msg }.bt());
        }
        if self.layout().may_overlap_itself() {
            return Err(Error::invalid(
                op,
                "the tensor names some elements more than once (it was broadcast); copy it before changing it",
            ));
        }
        Ok(())
    }

    /// Whether both tensors are views of one storage.
    pub fn shares_storage(&self, other: &Tensor) -> bool {
        Handle::same(&self.0.cell, &other.0.cell)
    }

    // --- properties ---

    /// A number that identifies the tensor.
    pub fn id(&self) -> TensorId {
        self.0.id
    }
    /// The dtype.
    pub fn dtype(&self) -> DType {
        self.0.dtype
    }
    /// The device.
    pub fn device(&self) -> &Device {
        &self.0.device
    }
    /// The shape.
    pub fn shape(&self) -> &Shape {
        self.0.layout.shape()
    }
    /// Sizes of the dimensions.
    pub fn dims(&self) -> &[usize] {
        self.shape().dims()
    }
    /// Size of one dimension.
    pub fn dim<D: Dim>(&self, dim: D) -> Result<usize> {
        Ok(self.dims()[dim.to_index(self.shape(), "dim")?])
    }
    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape().rank()
    }
    /// Number of elements.
    pub fn elem_count(&self) -> usize {
        self.shape().elem_count()
    }
    /// Shape, strides and offset.
    pub fn layout(&self) -> &Layout {
        &self.0.layout
    }
    /// Strides in elements.
    pub fn stride(&self) -> &[usize] {
        self.0.layout.stride()
    }
    /// Whether the elements are row-major without gaps.
    pub fn is_contiguous(&self) -> bool {
        self.0.layout.is_contiguous()
    }
    /// Whether the elements are column-major without gaps.
    pub fn is_fortran_contiguous(&self) -> bool {
        self.0.layout.is_fortran_contiguous()
    }
    /// Whether the tensor is a leaf of a gradient graph: made by [`crate::Var`], or marked to require a gradient.
    pub fn is_variable(&self) -> bool {
        self.0.node.as_ref().is_some_and(|n| n.is_leaf())
    }
    /// Whether the tensor is part of a gradient graph.
    pub fn track_op(&self) -> bool {
        self.0.node.is_some()
    }
    /// The elements in the storage as runs of adjacent elements.
    pub fn strided_blocks(&self) -> crate::StridedBlocks<'_> {
        self.layout().strided_blocks()
    }
    /// Storage offsets of the elements, row-major.
    pub fn strided_index(&self) -> crate::StridedIndex<'_> {
        self.layout().strided_index()
    }
    /// The storage, locked for reading, and the layout.
    pub fn storage_and_layout(&self) -> (RwLockReadGuard<'_, Storage>, &Layout) {
        (self.0.cell.read(), &self.0.layout)
    }
    /// The storage cell, which views share: its lock and version.
    pub fn storage_cell(&self) -> &StorageCell {
        &self.0.cell
    }
    /// Number of handles of the storage: this tensor, its views, and values kept for a gradient.
    pub fn storage_handles(&self) -> usize {
        Handle::count(&self.0.cell)
    }
    /// Number of times the storage was changed in place.
    pub fn version(&self) -> u64 {
        self.0.cell.version()
    }

    // --- graph ---

    /// Returns the same elements, outside any gradient graph.
    pub fn detach(&self) -> Tensor {
        if self.0.node.is_none() {
            return self.clone();
        }
        self.with_node(None)
    }

    /// The same elements, in the same memory, with the gradient history of another tensor of this shape and dtype.
    ///
    /// ```
    /// use rushlight::{Device, Tensor, Var};
    /// let x = Var::new(&[3f32], &Device::Cpu)?;
    /// let (y, memory) = (x.as_tensor().sqr()?, Tensor::new(&[9f32], &Device::Cpu)?);
    /// let both = memory.with_history_of(&y)?;
    /// assert!(both.shares_storage(&memory) && both.track_op());
    /// assert_eq!(both.backward()?.get(&x).unwrap().to_vec1::<f32>()?, [6.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn with_history_of(&self, other: &Tensor) -> Result<Tensor> {
        if self.shape() != other.shape() {
            return Err(Error::shapes(self.shape(), other.shape(), "with_history_of"));
        }
        if self.dtype() != other.dtype() {
            return Err(Error::dtype("with_history_of", self.dtype(), other.dtype()));
        }
        Ok(self.with_node(other.0.node.clone()))
    }

    /// The same elements as a new leaf that gradients are computed for.
    pub fn leaf(&self) -> Tensor {
        self.with_node(Some(Handle::new(Node::leaf(self.shape().clone(), self.dtype()))))
    }

    /// Returns the same elements without the graph that computed them, which is then freed if nothing else needs it. A leaf is
    /// returned as it is. `backward` through the result is an error.
    ///
    /// ```
    /// use rushlight::{Device, Var};
    /// let x = Var::new(&[3f32], &Device::Cpu)?;
    /// let loss = x.as_tensor().sqr()?.sum_all()?;
    /// loss.backward_accumulate(None)?;
    /// let kept = loss.without_graph();
    /// assert_eq!(kept.grad_fn(), Some("sum"));
    /// assert!(kept.backward().is_err());
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn without_graph(&self) -> Tensor {
        self.with_node(self.0.node.as_ref().map(Node::freed))
    }

    pub(crate) fn with_node(&self, node: Option<Handle<Node>>) -> Tensor {
        let id = node.as_ref().map_or_else(TensorId::new, |n| n.id());
        Self(Handle::new(Inner {
            id,
            cell: self.0.cell.clone(),
            layout: self.0.layout.clone(),
            dtype: self.0.dtype,
            device: self.0.device.clone(),
            node,
        }))
    }

    /// Returns a row-major tensor over a storage cell. Gradient rules receive a saved output in this way.
    pub(crate) fn over(
        cell: Handle<StorageCell>,
        shape: Shape,
        dtype: DType,
        device: Device,
        node: Option<Handle<Node>>,
    ) -> Result<Tensor> {
        Self::build(cell, &Layout::contiguous(shape), dtype, device, node)
    }

    pub(crate) fn node(&self) -> Option<&Handle<Node>> {
        self.0.node.as_ref()
    }

    // --- devices ---

    /// Returns the tensor on another device, or the tensor itself if it is already there.
    pub fn to_device(&self, device: &Device) -> Result<Tensor> {
        if self.device().same_device(device) {
            return Ok(self.clone());
        }
        let host = self.to_cpu_storage()?;
        let storage = device.backend().upload(host)?;
        let node =
            autograd::record(|| GradFn::ToDevice(self.device().clone()), &[self], self.shape(), self.dtype());
        let cell = StorageCell::shared(storage);
        Self::build(cell, &Layout::contiguous(self.shape().clone()), self.dtype(), device.clone(), node)
    }

    /// Returns the elements, row-major, in CPU memory.
    pub fn to_cpu_storage(&self) -> Result<CpuStorage> {
        if let Device::Cpu = self.device() {
            let guard = self.0.cell.read();
            return crate::device::cpu_ref(&guard)?.to_contiguous(self.layout());
        }
        // Gather on the device first, so that only the elements of the view are transferred.
        let whole = {
            let guard = self.0.cell.read();
            self.layout().contiguous_offsets() == Some((0, self.elem_count()))
                && guard.dtype() == self.dtype()
        };
        let t = if whole { self.detach() } else { self.detach().force_contiguous()? };
        let host = {
            let guard = t.0.cell.read();
            self.device().backend().download(&guard)?
        };
        if host.len() == self.elem_count() {
            Ok(host)
        } else {
            host.to_contiguous(&Layout::contiguous(self.shape().clone()))
        }
    }

    /// Returns the right operand of a binary op. A scalar becomes a tensor of this tensor's shape, dtype and device.
    pub(crate) fn operand<T: crate::TensorOrScalar>(&self, rhs: T) -> Result<Tensor> {
        match rhs.to_tensor_scalar()? {
            crate::TensorScalar::Tensor(t) => Ok(t),
            crate::TensorScalar::Scalar(t) => self.scalar_operand(&t),
        }
    }

    /// Returns a scalar as a tensor of this tensor's shape, dtype and device.
    pub(crate) fn scalar_operand(&self, scalar: &Tensor) -> Result<Tensor> {
        // The scalar is written by a fill on the device, so nothing is uploaded.
        let value = crate::Scalar::first(&scalar.to_cpu_storage()?).ok_or(Error::UnwrapNone)?;
        Tensor::full_scalar(value.to_dtype(self.dtype()), (), self.device())?
            .broadcast_as(self.shape().clone())
    }

    /// Broadcasts both tensors to their common shape.
    pub(crate) fn broadcast_pair(&self, rhs: &Tensor, op: &'static str) -> Result<(Tensor, Tensor)> {
        if self.shape() == rhs.shape() {
            return Ok((self.clone(), rhs.clone()));
        }
        let shape = self.shape().broadcast_shape_binary_op(rhs.shape(), op)?;
        Ok((self.broadcast_as(shape.clone())?, rhs.broadcast_as(shape)?))
    }

    /// Applies a module to the tensor.
    pub fn apply<M: crate::Module>(&self, m: &M) -> Result<Tensor> {
        m.forward(self)
    }

    /// Applies a module to the tensor, in training or evaluation mode.
    pub fn apply_t<M: crate::ModuleT>(&self, m: &M, train: bool) -> Result<Tensor> {
        m.forward_t(self, train)
    }

    /// Returns the index of a dimension given as a signed number; negative numbers count from the end.
    pub fn normalize_axis(&self, axis: i64) -> Result<usize> {
        let rank = self.rank() as i64;
        let a = if axis < 0 { axis + rank } else { axis };
        if a < 0 || a >= rank {
            return Err(self.shape().out_of_range(axis as i32, "normalize_axis"));
        }
        Ok(a as usize)
    }
}

fn views<'a>(storages: &[&'a Storage], tensors: &[&'a Tensor]) -> Small<View<'a>> {
    storages.iter().zip(tensors).map(|(storage, t)| View { storage, layout: t.layout() }).collect()
}

/// Locks the storages of tensors for reading and passes their views to `f`. One or two tensors, the usual case, need no
/// bookkeeping; more are locked by [`Locks`], in the same order.
fn with_views<R>(tensors: &[&Tensor], f: impl FnOnce(&[View<'_>]) -> R) -> R {
    match *tensors {
        [t] => {
            let storage = t.0.cell.read();
            f(&[View { storage: &storage, layout: t.layout() }])
        }
        [a, b] if a.shares_storage(b) => {
            let storage = a.0.cell.read();
            f(&[
                View { storage: &storage, layout: a.layout() },
                View { storage: &storage, layout: b.layout() },
            ])
        }
        [a, b] => {
            let swap = Handle::address(&a.0.cell) > Handle::address(&b.0.cell);
            let (first, second) = if swap { (b, a) } else { (a, b) };
            let (low, high) = (first.0.cell.read(), second.0.cell.read());
            let (sa, sb) = if swap { (&high, &low) } else { (&low, &high) };
            f(&[View { storage: sa, layout: a.layout() }, View { storage: sb, layout: b.layout() }])
        }
        _ => {
            let mut locks = Locks::new(tensors, &[]);
            let (reads, _) = locks.split();
            f(&views(&reads, tensors))
        }
    }
}

enum Guard<'a> {
    Read(RwLockReadGuard<'a, Storage>),
    Write(RwLockWriteGuard<'a, Storage>),
}

/// Locks of several tensors' storages. Each distinct storage is locked once, in the order of addresses, so that two
/// threads cannot deadlock. A tensor to read must not share storage with one to write.
pub(crate) struct Locks<'a> {
    guards: Small<Guard<'a>>,
    /// Index of the guard of each tensor to read, then of each tensor to write.
    place: Small<usize>,
    reads: usize,
}

impl<'a> Locks<'a> {
    pub(crate) fn new(reads: &[&'a Tensor], writes: &[&'a Tensor]) -> Self {
        let all = || reads.iter().chain(writes).map(|t| &t.0.cell);
        let mut cells: Small<(&'a Handle<StorageCell>, bool)> =
            all().enumerate().map(|(i, c)| (c, i >= reads.len())).collect();
        cells.sort_unstable_by_key(|c| Handle::address(c.0));
        cells.dedup_by_key(|c| Handle::address(c.0));
        let position = |c| cells.binary_search_by_key(&Handle::address(c), |d| Handle::address(d.0));
        let place = all().map(|c| position(c).unwrap_or_default()).collect();
        let lock = |(cell, write): &(&'a Handle<StorageCell>, bool)| {
            if *write { Guard::Write(cell.write()) } else { Guard::Read(cell.read()) }
        };
        Self { guards: cells.iter().map(lock).collect(), place, reads: reads.len() }
    }

    /// Returns the storages to read and those to write, in the order of the tensors.
    pub(crate) fn split(&mut self) -> (Small<&Storage>, Small<&mut Storage>) {
        let (readers, writers) = self.place.split_at(self.reads);
        let mut read: Small<Option<&Storage>> = smallvec::smallvec![None; self.guards.len()];
        let mut written: Small<Option<&mut Storage>> = self.guards.iter().map(|_| None).collect();
        for (i, g) in self.guards.iter_mut().enumerate() {
            match g {
                Guard::Read(g) => read[i] = Some(g),
                Guard::Write(g) => written[i] = Some(g),
            }
        }
        (
            readers.iter().filter_map(|&i| read[i]).collect(),
            writers.iter().filter_map(|&i| written[i].take()).collect(),
        )
    }
}
