//! Tests of the code that all vendors share, on the recording runtime.
use super::alloc::{self, Mode};
use super::launch::{StridedIter, collapse, iter};
use super::record::{Recorder, State, device};
use super::settings::Settings;
use super::{GpuDevice, GpuMemoryStats};
use crate::ops::binary::{Binary, BinaryOp};
use crate::ops::index_add::IndexAdd;
use crate::ops::{IndexMode, Op};
use crate::storage::{Backend, Storage, View, ViewMut};
use crate::{DType, Device, Error, Layout, Result, Tensor};
use std::sync::{Arc, Mutex};

fn add(dev: &GpuDevice<Recorder>, layouts: [&Layout; 3]) -> Result<()> {
    let n = |l: &Layout| l.end().unwrap_or(0);
    let (a, b) = (dev.alloc(DType::F32, n(layouts[1]))?, dev.alloc(DType::F32, n(layouts[2]))?);
    let mut out = dev.alloc(DType::F32, n(layouts[0]))?;
    let op = Op::Binary(Binary(BinaryOp::Add));
    let ins = [View { storage: &a, layout: layouts[1] }, View { storage: &b, layout: layouts[2] }];
    dev.run(&op, &ins, &mut [ViewMut { storage: &mut out, layout: layouts[0] }])
}

fn launched(state: &Arc<Mutex<State>>) -> Vec<String> {
    state.lock().unwrap().launches.iter().map(|l| l.0.to_string()).collect()
}

#[test]
fn layouts_collapse_to_the_fewest_dimensions() -> Result<()> {
    let c = Layout::contiguous((2, 3, 4));
    let w = iter(&[&c, &c]);
    assert_eq!((w.count, w.rank, w.dims[0], w.strides[1][0], w.index64), (24, 1, 24, 1, 0));
    // A transposed input keeps two dimensions. The dimension of size 1 is dropped.
    let t = Layout::contiguous((3, 1, 4)).transpose(0, 2)?;
    let out = Layout::contiguous((4, 1, 3));
    let w = iter(&[&out, &t]);
    assert_eq!((w.rank, &w.dims[..2], &w.strides[1][..2]), (2, &[4, 3][..], &[1, 4][..]));
    // A broadcast input: dimensions of stride 0 are merged.
    let b = Layout::contiguous(()).broadcast_as((5, 6))?;
    let w = iter(&[&Layout::contiguous((5, 6)), &b]);
    assert_eq!((w.rank, w.dims[0], w.strides[1][0]), (1, 30, 0));
    // A scalar becomes one dimension of size 1. An empty tensor has no elements.
    assert_eq!(iter(&[&Layout::contiguous(())]).rank, 1);
    assert_eq!(iter(&[&Layout::contiguous((2, 0))]).count, 0);
    let empty = iter(&[&Layout::contiguous((0, 5, 0)).permute(&[2, 0, 1])?]);
    assert_eq!((empty.count, empty.rank, empty.dims[0]), (0, 1, 0));
    Ok(())
}

#[test]
fn offsets_beyond_32_bits_take_64_bit_indices() {
    let mut strides = [[0u64; 8]; 1];
    strides[0][0] = 1 << 31;
    assert_eq!(collapse(&[2], &strides).index64, 0);
    assert_eq!(collapse(&[3], &strides).index64, 1);
    strides[0][0] = 1u64.wrapping_neg();
    assert_eq!(collapse(&[3], &strides).index64, 1);
    let w: StridedIter<1> = collapse(&[1 << 31], &[[1, 0, 0, 0, 0, 0, 0, 0]]);
    assert_eq!(w.index64, 1);
}

#[test]
fn contiguous_operands_take_the_contiguous_kernel_and_nothing_is_launched_for_no_elements() -> Result<()> {
    let (dev, state) = device(1 << 20, Settings::default());
    let c = Layout::contiguous((4, 5));
    let t = Layout::contiguous((5, 4)).transpose(0, 1)?;
    add(&dev, [&c, &c, &c])?;
    add(&dev, [&c, &c, &t])?;
    let none = Layout::contiguous((0, 5));
    add(&dev, [&none, &none, &none])?;
    assert_eq!(launched(&state), ["binary.hip:add_f32_contig", "binary.hip:add_f32_strided"]);
    assert_eq!(dev.counters().launches, 2);
    // One compilation for the dtype, with its macro.
    let compiled = &state.lock().unwrap().compiled;
    assert_eq!(compiled.len(), 1);
    assert!(
        compiled[0].1.iter().any(|o| o == "-DRL_T=f32") && compiled[0].1.iter().any(|o| o == "-DRL_FLOAT=1")
    );
    Ok(())
}

#[test]
fn index_add_of_many_rows_takes_atomics_unless_results_must_be_deterministic() -> Result<()> {
    let kernel = |dtype: DType, size: usize, n: usize| -> Result<String> {
        let (dev, state) = device(1 << 20, Settings::default());
        let [x, src, ids] =
            [Layout::contiguous((size, 32)), Layout::contiguous((n, 32)), Layout::contiguous(n)];
        let ins = [dev.alloc(dtype, size * 32)?, dev.alloc(DType::U32, n)?, dev.alloc(dtype, n * 32)?];
        let views = [&x, &ids, &src];
        let ins: Vec<_> = ins.iter().zip(views).map(|(storage, layout)| View { storage, layout }).collect();
        let mut out = dev.alloc(dtype, size * 32)?;
        let op = Op::IndexAdd(IndexAdd { dim: 0, rule: IndexMode::Within });
        dev.run(&op, &ins, &mut [ViewMut { storage: &mut out, layout: &x }])?;
        Ok(launched(&state).last().cloned().unwrap_or_default())
    };
    assert_eq!(kernel(DType::F32, 300, 500)?, "index_add.hip:index_add_f32_atomic");
    // One case has few indices, the other has few targets.
    assert_eq!(kernel(DType::F32, 300, 64)?, "index_add.hip:index_add_f32_row");
    assert_eq!(kernel(DType::F32, 8, 500)?, "index_add.hip:index_add_f32_target");
    crate::set_deterministic(true);
    let repeats = (kernel(DType::F64, 300, 500), kernel(DType::I64, 300, 500), kernel(DType::U8, 300, 500));
    crate::set_deterministic(false);
    assert_eq!(repeats.0?, "index_add.hip:index_add_f64_target");
    // Integer sums do not depend on the order. There are no atomics for 8-bit integers.
    assert_eq!(repeats.1?, "index_add.hip:index_add_i64_atomic");
    assert_eq!(repeats.2?, "index_add.hip:index_add_u8_target");
    Ok(())
}

#[test]
fn compiled_code_is_kept_on_disk_and_torn_or_foreign_files_are_not_used() -> Result<()> {
    let dir = std::env::temp_dir().join(format!("rushlight-kernels-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    let c = Layout::contiguous(4);
    let compiles = || -> Result<usize> {
        let (dev, state) = device(1 << 20, Settings { cache: Some(dir.clone()), ..Settings::default() });
        add(&dev, [&c, &c, &c])?;
        let n = state.lock().unwrap().compiled.len();
        Ok(n)
    };
    assert_eq!((compiles()?, compiles()?), (1, 0));
    let files: Vec<_> = std::fs::read_dir(dir.join("kernels"))?
        .map(|f| f.map(|f| f.path()))
        .collect::<std::io::Result<_>>()?;
    assert_eq!(files.len(), 1, "{files:?}");
    let whole = std::fs::read(&files[0])?;
    std::fs::write(&files[0], &whole[..whole.len() - 1])?;
    assert_eq!((compiles()?, compiles()?), (1, 0), "a torn file is written anew");
    let mut changed = whole.clone();
    *changed.last_mut().expect("code") ^= 1;
    std::fs::write(&files[0], &changed)?;
    assert_eq!((compiles()?, compiles()?), (1, 0), "a changed file is written anew");
    let id = whole.split(|b| *b == b'\n').next().expect("an id");
    super::kernel_files::write(&files[0], &String::from_utf8_lossy(id), b"broken")?;
    assert_eq!((compiles()?, compiles()?), (1, 0), "a file that does not load is written anew");
    std::fs::write(&files[0], b"something else")?;
    assert_eq!(compiles()?, 1, "a file of another key is not used");
    // The folder cannot be created, so every process compiles.
    std::fs::remove_dir_all(&dir)?;
    std::fs::write(&dir, b"in the way")?;
    assert_eq!((compiles()?, compiles()?), (1, 1));
    std::fs::remove_file(&dir)?;
    Ok(())
}

fn live(dev: &GpuDevice<Recorder>, dtype: DType, lens: &[usize]) -> Result<Vec<Storage>> {
    lens.iter().map(|n| dev.alloc(dtype, *n)).collect()
}

#[test]
fn small_blocks_are_cut_from_slabs_counted_and_given_back() -> Result<()> {
    const SLAB: usize = 2 << 20;
    let (dev, _) = device(1 << 30, Settings::default());
    let a = dev.alloc(DType::F32, 1000)?;
    let want = GpuMemoryStats {
        requested: 4000,
        live: 4096,
        peak: 4096,
        reserved: SLAB,
        blocks: 1,
        device_allocations: 1,
    };
    assert_eq!(dev.memory_stats(), want);
    let more = live(&dev, DType::U8, &[1, 511, 512, 513])?;
    let s = dev.memory_stats();
    assert_eq!((s.requested, s.live, s.blocks), (4000 + 1537, 4096 + 2560, 5));
    drop((a, more));
    let s = dev.memory_stats();
    assert_eq!((s.requested, s.live, s.blocks, s.peak, s.reserved), (0, 0, 0, 4096 + 2560, SLAB));
    dev.reset_peak();
    // Freed neighbours are merged: two of the largest small blocks fill the slab.
    let halves = live(&dev, DType::U8, &[1 << 20, (1 << 20) - 100])?;
    let s = dev.memory_stats();
    assert_eq!((s.live, s.peak, s.reserved, s.device_allocations), (SLAB, SLAB, SLAB, 1));
    // Each larger block is a separate allocation, reused by size class.
    let large = dev.alloc(DType::U8, (1 << 20) + 1)?;
    let size = alloc::class((1 << 20) + 1);
    let s = dev.memory_stats();
    assert_eq!((s.live, s.reserved, s.device_allocations), (SLAB + size, SLAB + size, 2));
    drop(large);
    drop(dev.alloc(DType::U8, size - 5)?);
    assert_eq!(dev.memory_stats().device_allocations, 2, "the block was not reused");
    drop(halves);
    dev.empty_cache()?;
    assert_eq!((dev.memory_stats().live, dev.memory_stats().reserved), (0, 0));
    // A tensor without elements needs no memory.
    let empty = dev.alloc(DType::F64, 0)?;
    assert_eq!(dev.memory_stats().blocks, 0);
    drop(empty);
    Ok(())
}

#[test]
fn many_small_tensors_take_few_allocations_and_empty_cache_returns_the_slabs_that_are_free() -> Result<()> {
    let (dev, state) = device(1 << 30, Settings::default());
    let mut all = live(&dev, DType::F32, &vec![1; 100_000])?;
    let s = dev.memory_stats();
    assert_eq!((s.requested, s.live, s.blocks), (400_000, 100_000 * 512, 100_000));
    assert_eq!((s.device_allocations, s.reserved), (25, 25 << 21));
    // One tensor keeps its slab; the other slabs are released.
    all.truncate(1);
    dev.empty_cache()?;
    let s = dev.memory_stats();
    assert_eq!((s.live, s.blocks, s.reserved), (512, 1, 2 << 20));
    assert_eq!(state.lock().unwrap().used(), 2 << 20);
    drop(all);
    dev.empty_cache()?;
    assert_eq!((dev.memory_stats().reserved, state.lock().unwrap().used()), (0, 0));
    Ok(())
}

#[test]
fn a_loop_holds_as_much_at_step_1000_as_at_step_10() -> Result<()> {
    let (dev, _) = device(1 << 30, Settings::default());
    let kept = live(&dev, DType::F32, &[10, 1000, 400_000])?;
    let mut held = Vec::new();
    for step in 0..1000 {
        // Sizes differ from step to step, and the tensors of a step live until the next step has begun.
        let _made = live(&dev, DType::F32, &[1 + step % 7, 300 + step % 900, 2000, 300_000 + step % 64])?;
        add(&dev, [&Layout::contiguous(64), &Layout::contiguous(64), &Layout::contiguous(64)])?;
        let s = dev.memory_stats();
        held.push((s.blocks, s.reserved, s.device_allocations));
    }
    assert_eq!(held[9], held[999]);
    drop(kept);
    let s = dev.memory_stats();
    assert_eq!((s.requested, s.live, s.blocks), (0, 0, 0));
    Ok(())
}

#[test]
fn with_guards_or_exact_each_block_is_an_allocation_of_its_size() -> Result<()> {
    for (mode, beside) in [(Mode::Exact, 0), (Mode::Guards, 512)] {
        let (dev, state) = device(1 << 20, Settings { pool: mode, ..Settings::default() });
        let made = live(&dev, DType::U8, &[1, 513, 1000])?;
        let s = dev.memory_stats();
        assert_eq!((s.live, s.reserved, s.device_allocations), (1514, 1514, 3), "{mode:?}");
        assert_eq!(state.lock().unwrap().used(), 1514 + 3 * beside, "{mode:?}");
        drop(made);
        drop(dev.alloc(DType::U8, 513)?);
        assert_eq!(dev.memory_stats().device_allocations, 3, "{mode:?}: the block was not reused");
        dev.empty_cache()?;
        assert_eq!((dev.memory_stats().reserved, state.lock().unwrap().used()), (0, 0), "{mode:?}");
    }
    Ok(())
}

#[test]
fn the_cache_is_given_back_before_memory_is_out_and_the_error_says_what_is_held() -> Result<()> {
    let (dev, _) = device(1 << 20, Settings::default());
    let small: Vec<Storage> = (0..8).map(|_| dev.alloc(DType::U8, 100_000)).collect::<Result<_>>()?;
    drop(small);
    let big = dev.alloc(DType::U8, 900_000)?;
    let e = dev.alloc(DType::U8, 400_000).err().map(|e| e.to_string()).unwrap_or_default();
    let live = alloc::class(900_000);
    assert!(
        e.contains("400000 bytes requested on record:0") && e.contains(&format!("{live} bytes in use")),
        "{e}"
    );
    assert!(e.contains("free") && e.contains("reserved"), "{e}");
    drop(big);
    // The device still works.
    dev.alloc(DType::U8, 900_000).map(|_| ())
}

#[test]
fn apart_blocks_have_the_bytes_asked_for_and_go_when_they_are_dropped() {
    let (rt, mut pool) = (Recorder::new(1 << 20), alloc::Pool::new(Mode::Exact, true));
    let a = pool.alloc(&rt, 13).expect("memory");
    assert_eq!((a.bytes, pool.stats.reserved), (13, 13));
    pool.release(&rt, &a).expect("freed");
    assert_eq!((pool.stats.live, pool.stats.reserved, pool.stats.blocks), (0, 0, 0));
    pool.alloc(&rt, 13).expect("memory");
    assert_eq!(pool.stats.device_allocations, 2, "a block was kept");
}

#[test]
fn size_classes_waste_little_and_grow() {
    let mut last = 0;
    for bytes in (1..4_000_000).step_by(997) {
        let c = alloc::class(bytes);
        assert!(c >= bytes && c >= last, "{bytes}: {c} after {last}");
        assert!(c - bytes <= 512.max(bytes / 7), "{bytes}: {c}");
        assert_eq!(alloc::class(c), c, "{bytes}");
        last = c;
    }
}

#[test]
fn a_write_beside_a_block_is_an_error_of_the_next_call() -> Result<()> {
    use super::runtime::Runtime;
    let (dev, _) = device(1 << 20, Settings { pool: Mode::Guards, ..Settings::default() });
    let a = dev.alloc(DType::U8, 512)?;
    let Storage::Record(s) = &a else { panic!("not recorded memory") };
    let end = s.address() + 512;
    drop(a);
    dev.synchronize()?;
    let a = dev.alloc(DType::U8, 512)?;
    dev.runtime().fill(end + 3, 0, 1).expect("fill");
    drop(a);
    let e = dev.synchronize().err().map(|e| e.to_string()).unwrap_or_default();
    assert!(e.contains("wrote outside its buffer: byte 3 of the 256 after a block of 512 bytes"), "{e}");
    dev.synchronize()
}

#[test]
fn memory_of_another_device_is_refused() -> Result<()> {
    let (one, _) = device(1 << 20, Settings::default());
    let (two, _) = device(1 << 20, Settings::default());
    let a = one.alloc(DType::F32, 4)?;
    match two.download(&a) {
        Err(e) => {
            assert!(matches!(e.root(), Error::Device(t) if t.contains("memory of another device")), "{e}")
        }
        Ok(_) => panic!("was accepted"),
    }
    Ok(())
}

/// Counts the host allocations of a call on the recording device, after a few calls that fill caches.
fn cost(f: &dyn Fn() -> Result<Tensor>) -> Result<usize> {
    for _ in 0..3 {
        f()?;
    }
    let before = super::counting::count();
    let t = f()?;
    let n = super::counting::count() - before;
    drop(t);
    Ok(n)
}

type Run = fn(&Tensor, &Tensor) -> Result<Tensor>;

#[test]
fn a_launch_allocates_nothing_on_the_host() -> Result<()> {
    let (dev, state) = device(1 << 30, Settings::default());
    let dev = Device::Record(dev);
    let x = Tensor::zeros((4, 4), DType::F32, &dev)?;
    let v = crate::Var::from_tensor(&x)?;
    let ids = Tensor::zeros(4, DType::U32, &dev)?;
    // Tensors, storages and tape nodes reuse the memory of dropped ones.
    let ops: &[(&str, Run)] = &[
        ("add", |x, _| x.add(x)),
        ("exp", |x, _| x.exp()),
        ("affine", |x, _| x.affine(2.0, 1.0)),
        ("to_dtype", |x, _| x.to_dtype(DType::F16)),
        ("matmul", |x, _| x.matmul(x)),
        ("sum", |x, _| x.sum(1)),
        ("max", |x, _| x.max(0)),
        ("softmax", |x, _| x.softmax(1)),
        ("cumsum", |x, _| x.cumsum(0)),
        ("index_select", |x, ids| x.index_select(ids, 0)),
        ("embedding of a transposed table", |x, ids| x.t()?.index_select(ids, 0)),
    ];
    let mut wrong = Vec::new();
    for (name, f) in ops {
        let launched = state.lock().unwrap().launched;
        let (plain, tracked) = (cost(&|| f(&x, &ids))?, cost(&|| f(&v, &ids))?);
        if (plain, tracked) != (0, 0) {
            wrong.push(format!("{name}: {plain} untracked, {tracked} tracked"));
        }
        assert!(state.lock().unwrap().launched >= launched + 8, "{name} launched nothing");
    }
    let fill = cost(&|| x.zero_set().map(|()| x.clone()))?;
    if fill > 0 {
        wrong.push(format!("zero_set: {fill}"));
    }
    assert!(wrong.is_empty(), "too many allocations:\n{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn with_sync_every_op_is_waited_for() -> Result<()> {
    let c = Layout::contiguous(4);
    for (sync, waits) in [(false, 0), (true, 2)] {
        let (dev, state) = device(1 << 30, Settings { sync, ..Settings::default() });
        add(&dev, [&c, &c, &c])?;
        add(&dev, [&c, &c, &c])?;
        assert_eq!(state.lock().unwrap().waits, waits);
    }
    Ok(())
}

#[test]
fn uploads_wait_only_when_the_pinned_buffer_is_full() -> Result<()> {
    let (dev, state) = device(1 << 30, Settings::default());
    // The recorder rejects a write to pinned memory that is not copied yet.
    let up = |n: usize| dev.upload(crate::CpuStorage::F32(vec![1.0f32; n].into()));
    let seen = || {
        let s = state.lock().unwrap();
        (s.waits, s.pinned.clone())
    };
    // 16 uploads of 256 kB fill a buffer of 4 MiB.
    for _ in 0..16 {
        up(1 << 16)?;
    }
    assert_eq!(seen(), (0, vec![4 << 20]));
    up(3)?;
    assert_eq!(seen(), (1, vec![4 << 20]));
    // A larger upload gets a larger buffer, once.
    up(1 << 20)?;
    up(1 << 20)?;
    assert_eq!(seen(), (2, vec![4 << 20, 8 << 20]));
    up(1)?;
    assert_eq!(seen(), (3, vec![4 << 20, 8 << 20]));
    // The largest go without pinned memory.
    up(super::staging::MOST / 4 + 1)?;
    assert_eq!(seen(), (3, vec![4 << 20, 8 << 20]));
    let storage = dev.upload(crate::CpuStorage::F32(vec![1.0, 2.0, 3.0].into()))?;
    assert_eq!(dev.download(&storage)?.as_slice::<f32>()?, [1.0, 2.0, 3.0]);
    Ok(())
}

#[test]
fn an_unsupported_op_is_an_error_unless_the_cpu_may_run_it() -> Result<()> {
    let reason = "it has no adder";
    let run = |fallback: bool| -> Result<Vec<f32>> {
        let (dev, state) = device(1 << 20, Settings { fallback, ..Settings::default() });
        state.lock().unwrap().lacks = Some(reason);
        let up = |v: Vec<f32>| dev.upload(crate::CpuStorage::F32(v.into()));
        // The first operand is a strided view, updated in place: every second element, from index 1 on.
        let (mut a, b) = (up(vec![9.0, 1.0, 9.0, 2.0, 9.0, 3.0])?, up(vec![10.0, 20.0, 30.0])?);
        let every_other = Layout::new((3,).into(), vec![2], 1);
        let op = Op::SgdStep(crate::ops::sgd_step::SgdStep { lr: -1.0, ..Default::default() });
        let ins = [View { storage: &b, layout: &Layout::contiguous(3) }];
        assert_eq!(dev.supports(&op, &[DType::F32, DType::F32]), crate::Support::No(reason));
        dev.run(&op, &ins, &mut [ViewMut { storage: &mut a, layout: &every_other }])?;
        assert!(launched(&state).is_empty());
        Ok(dev.download(&a)?.as_slice::<f32>()?.to_vec())
    };
    let e = run(false).err().map(|e| e.to_string()).unwrap_or_default();
    assert_eq!(e, "op sgd_step is not supported on record:0: it has no adder");
    assert_eq!(run(true)?, [9.0, 11.0, 9.0, 22.0, 9.0, 33.0]);
    Ok(())
}

#[test]
fn a_full_disk_keeps_no_code_and_no_halves() -> Result<()> {
    let dir = std::env::temp_dir().join(format!("rushlight-full-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    let c = Layout::contiguous(4);
    let files = || -> std::io::Result<Vec<_>> {
        std::fs::read_dir(dir.join("kernels"))?.map(|f| f.map(|f| f.path())).collect()
    };
    let compiles = || -> Result<usize> {
        let (dev, state) = device(1 << 20, Settings { cache: Some(dir.clone()), ..Settings::default() });
        add(&dev, [&c, &c, &c])?;
        let n = state.lock().unwrap().compiled.len();
        Ok(n)
    };
    assert_eq!(compiles()?, 1);
    let [file] = &files()?[..] else { panic!("one file was to be there") };
    std::fs::remove_file(file)?;
    // The temporary file in the same folder is a link to a full device, so that writing fails.
    for n in 0..100 {
        let temp = format!("{}.{}.{n}.tmp", file.display(), std::process::id());
        std::os::unix::fs::symlink("/dev/full", temp)?;
    }
    assert_eq!((compiles()?, compiles()?), (1, 1));
    assert_eq!((file.exists(), files()?.len()), (false, 98));
    std::fs::remove_dir_all(&dir)?;
    Ok(())
}

#[test]
fn sources_may_come_from_a_folder() -> Result<()> {
    let dir = std::env::temp_dir().join(format!("rushlight-sources-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let c = Layout::contiguous(4);
    let run = || {
        let (dev, _) = device(1 << 20, Settings { sources: Some(dir.clone()), ..Settings::default() });
        add(&dev, [&c, &c, &c])
    };
    // Only the files that the unit includes, directly or indirectly, are read.
    for (file, text) in [
        ("binary.hip", "#include \"elementwise.h\"\n"),
        ("elementwise.h", "#include \"num.h\"\n"),
        ("num.h", ""),
    ] {
        let e = run().err().map(|e| e.to_string()).unwrap_or_default();
        assert!(e.contains(&format!("RUSHLIGHT_KERNEL_SOURCES: {}", dir.join(file).display())), "{e}");
        std::fs::write(dir.join(file), text)?;
    }
    run()?;
    std::fs::remove_dir_all(&dir)?;
    Ok(())
}
