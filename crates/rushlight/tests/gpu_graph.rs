//! Graphs: recorded work against the same work done eagerly, the memory of graphs, and what cannot be recorded. Tests on the
//! recording device need no GPU; the others are ignored by default (`make test-rocm`).
mod common;
use common::device::gpu;
use common::report::bits;
use rushlight::gpu::{Capture, Graph, record};
use rushlight::{DType, Device, Result, Tensor, Var};

fn text<T>(r: Result<T>) -> String {
    r.err().map(|e| e.to_string()).unwrap_or_default()
}

/// A step of gradient descent of a linear model with a nonlinearity, on fixed tensors.
struct Model {
    weights: Vec<Var>,
    x: Tensor,
    y: Tensor,
}

fn numbers(seed: u64, shape: (usize, usize), device: &Device) -> Result<Tensor> {
    let n = shape.0 * shape.1;
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let values: Vec<f32> = (0..n)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect();
    Tensor::from_vec(values, shape, device)
}

impl Model {
    fn new(device: &Device) -> Result<Self> {
        let weights = [(9, 24), (24, 3)].iter().enumerate();
        let weights = weights.map(|(i, s)| Var::from_tensor(&numbers(i as u64 + 1, *s, device)?));
        Ok(Self {
            weights: weights.collect::<Result<_>>()?,
            x: numbers(10, (7, 9), device)?,
            y: numbers(11, (7, 3), device)?,
        })
    }

    fn step(&self) -> Result<Tensor> {
        let hidden = self.x.matmul(&self.weights[0])?.tanh()?;
        let loss = hidden.matmul(&self.weights[1])?.sub(&self.y)?.sqr()?.mean_all()?;
        let grads = loss.backward()?;
        for w in &self.weights {
            let g = grads.get(w).expect("a gradient");
            w.set(&w.sub(&(g * 0.05)?)?)?;
        }
        Ok(loss)
    }
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn replayed_steps_have_the_bits_of_eager_ones() -> Result<()> {
    let (device, handle) = gpu();
    let (eager, recorded) = (Model::new(&device)?, Model::new(&device)?);
    eager.step()?;
    recorded.step()?;
    let (graph, loss) = Graph::capture(&device, || recorded.step())?;
    for turn in 0..6 {
        for model in [&eager, &recorded] {
            model.x.assign(&numbers(20 + turn, (7, 9), &device)?)?;
        }
        let want = eager.step()?;
        let before = handle.counters();
        graph.replay()?;
        let after = handle.counters();
        assert_eq!((after.launches - before.launches, after.graph_launches - before.graph_launches), (1, 1));
        assert_eq!(bits(&loss).unwrap(), bits(&want).unwrap(), "{turn}");
        for (a, b) in eager.weights.iter().zip(&recorded.weights) {
            assert_eq!(bits(a).unwrap(), bits(b).unwrap(), "{turn}");
        }
    }
    assert!(graph.launches() > 5, "{graph:?}");
    Ok(())
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn a_failed_capture_leaves_the_device_usable() -> Result<()> {
    let (device, handle) = gpu();
    let x = Tensor::ones((4, 3), DType::F32, &device)?;
    (&x + &x)?;
    handle.empty_cache()?;
    let before = handle.memory_stats();
    let e = text(Graph::capture(&device, || (&x + &x)?.to_vec2::<f32>()));
    assert!(e.contains("a graph is being captured on") && e.contains("after a replay"), "{e}");
    let e = text(Graph::capture(&device, || x.rand_like(0., 1.)));
    assert!(e.contains("random numbers"), "{e}");
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        Graph::capture(&device, || -> Result<()> { panic!("in the capture") })
    }));
    assert!(panicked.is_err());
    let after = handle.memory_stats();
    assert_eq!((after.live, after.reserved), (before.live, before.reserved));
    let (graph, y) = Graph::capture(&device, || &x + &x)?;
    graph.replay()?;
    assert_eq!(y.sum_all()?.to_scalar::<f32>()?, 24.0);
    Ok(())
}

/// A device that records, and the function that returns the bytes allocated on it.
fn recorder(memory: usize) -> Result<(Device, impl Fn() -> usize)> {
    let (device, state) = record::recorded(memory)?;
    // The first capture allocates what a device has once.
    Graph::capture(&device, || Ok(()))?;
    Ok((device, move || state.lock().unwrap().used()))
}

fn empty_cache(device: &Device) -> Result<()> {
    let Device::Record(d) = device else { panic!("the recording device") };
    d.empty_cache()
}

/// Bytes of a block for 1000 x 1000 f32.
const BLOCK: usize = 4 << 20;

#[test]
fn the_memory_of_a_graph_is_its_own_until_the_last_tensor_goes() -> Result<()> {
    let (device, used) = recorder(64 << 20)?;
    let none = used();
    let zeros = || Tensor::zeros((1000, 1000), DType::F32, &device);
    let x = zeros()?;
    let f = || -> Result<Tensor> { ((&x + 1.0)? * 2.0)? + 3.0 };
    f()?;
    empty_cache(&device)?;
    let (graph, y) = Graph::capture(&device, f)?;
    // The graph has two blocks: that of the first result is used again for the third.
    assert_eq!(used() - none, 3 * BLOCK);
    let others = [zeros()?, zeros()?];
    assert_eq!(used() - none, 5 * BLOCK, "a block of the graph was given away");
    drop(others);
    empty_cache(&device)?;
    drop(graph);
    empty_cache(&device)?;
    assert_eq!(used() - none, 3 * BLOCK);
    drop(y);
    assert_eq!(used() - none, BLOCK);
    let (graph, y) = Graph::capture(&device, f)?;
    drop(y);
    assert_eq!(used() - none, 3 * BLOCK, "the graph still writes there");
    drop(graph);
    assert_eq!(used() - none, BLOCK);
    Ok(())
}

#[test]
fn a_capture_without_memory_is_an_error_and_frees_nothing() -> Result<()> {
    let (device, used) = recorder(3 * BLOCK)?;
    let x = Tensor::zeros((1000, 1000), DType::F32, &device)?;
    (&x + 1.0)?;
    empty_cache(&device)?;
    let before = used();
    let e = text(Graph::capture(&device, || (&x + 1.0)? + &(&x + 2.0)?));
    assert!(e.contains("4000000 bytes requested on record:0"), "{e}");
    assert_eq!(used(), before);
    (&x + 1.0).map(|_| ())
}

#[test]
fn memory_from_before_that_is_dropped_in_the_capture_stays() -> Result<()> {
    let (device, used) = recorder(64 << 20)?;
    let x = Tensor::zeros((1000, 1000), DType::F32, &device)?;
    let mut held = Some((&x + 1.0)?);
    let before = used();
    let (graph, y) = Graph::capture(&device, || {
        let y = (held.as_ref().expect("held") * 2.0)?;
        held = None;
        Ok(y)
    })?;
    empty_cache(&device)?;
    assert_eq!(used() - before, BLOCK);
    drop((graph, y));
    empty_cache(&device)?;
    assert_eq!(before - used(), BLOCK);
    Ok(())
}

#[test]
fn captures_belong_to_one_thread() -> Result<()> {
    let (device, _) = recorder(64 << 20)?;
    let x = Tensor::zeros(10, DType::F32, &device)?;
    let mut capture = Capture::begin(&device)?;
    let said = std::thread::scope(|s| {
        let other = s
            .spawn(|| (text(&x + &x), text(Capture::begin(&device)), text(capture.end()), capture.is_open()));
        other.join().unwrap()
    });
    assert!(said.0.contains("another thread captures a graph on test:0"), "{said:?}");
    assert!(
        said.1.contains("one capture at a time") && said.2.contains("by the thread that began it"),
        "{said:?}"
    );
    assert!(said.3);
    let graph = capture.end()?;
    assert!(text(capture.end()).contains("it has ended"));
    graph.replay()?;
    let e = text(Capture::begin(&Device::Cpu));
    assert!(e.contains("cpu has no graphs"), "{e}");
    Ok(())
}
