//! Views compared with a model, a list of element numbers; sizes that overflow; tensors shared by many threads.
use proptest::prelude::*;
use rushlight::{DType, Device, Layout, Result, Shape, Tensor};

const CPU: &Device = &Device::Cpu;

/// The model: dimensions, and the original number of each element, in row-major order.
#[derive(Debug, Clone, PartialEq)]
struct Model {
    dims: Vec<usize>,
    at: Vec<i64>,
}

impl Model {
    fn new(dims: &[usize]) -> Self {
        let n: usize = dims.iter().product();
        Self { dims: dims.to_vec(), at: (0..n as i64).collect() }
    }

    /// Returns a view with new dimensions. `from` maps an index of the view to an index of this model.
    fn pick(&self, dims: &[usize], from: impl Fn(&[usize]) -> Vec<usize>) -> Self {
        let n: usize = dims.iter().product();
        let at = (0..n)
            .map(|mut i| {
                let mut index = vec![0; dims.len()];
                for d in (0..dims.len()).rev() {
                    index[d] = i % dims[d];
                    i /= dims[d];
                }
                let old = from(&index);
                self.at[old.iter().zip(&self.dims).fold(0, |p, (i, d)| p * d + i)]
            })
            .collect();
        Self { dims: dims.to_vec(), at }
    }
}

/// A change of a view. Its numbers are taken modulo the number of possible values.
#[derive(Debug, Clone)]
enum Step {
    Permute(usize),
    Transpose(usize, usize),
    Narrow(usize, usize, usize),
    Slice(usize, usize, usize, usize),
    Unsqueeze(usize),
    Squeeze(usize),
    Broadcast(usize, usize),
    Reshape(usize),
    Unfold(usize, usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    let n = 0usize..24;
    prop_oneof![
        n.clone().prop_map(Step::Permute),
        (n.clone(), n.clone()).prop_map(|(a, b)| Step::Transpose(a, b)),
        (n.clone(), n.clone(), n.clone()).prop_map(|(a, b, c)| Step::Narrow(a, b, c)),
        (n.clone(), n.clone(), n.clone(), 1usize..4).prop_map(|(a, b, c, d)| Step::Slice(a, b, c, d)),
        n.clone().prop_map(Step::Unsqueeze),
        n.clone().prop_map(Step::Squeeze),
        (n.clone(), 1usize..4).prop_map(|(a, b)| Step::Broadcast(a, b)),
        n.clone().prop_map(Step::Reshape),
        (n.clone(), n, 1usize..4).prop_map(|(a, b, c)| Step::Unfold(a, b, c)),
    ]
}

/// Returns the i-th factorization of a number of elements into dimensions.
fn shapes_of(n: usize, i: usize) -> Vec<usize> {
    let mut all = vec![vec![n], vec![1, n], vec![n, 1]];
    for a in 1..=n.min(12) {
        if n.is_multiple_of(a) {
            all.push(vec![a, n / a]);
            for b in 1..=(n / a).min(6) {
                if (n / a).is_multiple_of(b) {
                    all.push(vec![a, b, n / a / b]);
                }
            }
        }
    }
    all[i % all.len()].clone()
}

fn apply(t: &Tensor, m: &Model, step: &Step) -> Result<Option<(Tensor, Model)>> {
    let (dims, rank) = (m.dims.clone(), m.dims.len());
    let n: usize = dims.iter().product();
    Ok(match *step {
        Step::Permute(k) if rank > 0 => {
            let perm: Vec<usize> = (0..rank)
                .map(|i| if k % 2 == 0 { (i + k) % rank } else { rank - 1 - (i + k) % rank })
                .collect();
            let new: Vec<usize> = perm.iter().map(|p| dims[*p]).collect();
            let model = m.pick(&new, |i| {
                let mut old = vec![0; rank];
                perm.iter().zip(i).for_each(|(p, i)| old[*p] = *i);
                old
            });
            Some((t.permute(perm)?, model))
        }
        Step::Transpose(a, b) if rank > 0 => {
            let (a, b) = (a % rank, b % rank);
            let mut new = dims.clone();
            new.swap(a, b);
            let model = m.pick(&new, |i| {
                let mut i = i.to_vec();
                i.swap(a, b);
                i
            });
            Some((t.transpose(a, b)?, model))
        }
        Step::Narrow(d, s, l) if rank > 0 => {
            let d = d % rank;
            let start = s % (dims[d] + 1);
            let len = l % (dims[d] - start + 1);
            let mut new = dims.clone();
            new[d] = len;
            let model = m.pick(&new, |i| {
                let mut i = i.to_vec();
                i[d] += start;
                i
            });
            Some((t.narrow(d, start, len)?, model))
        }
        Step::Slice(d, s, l, by) if rank > 0 && dims[d % rank] > 0 => {
            let d = d % rank;
            let start = s % dims[d];
            let len = l % ((dims[d] - 1 - start) / by + 2);
            let mut new = dims.clone();
            new[d] = len;
            let model = m.pick(&new, |i| {
                let mut i = i.to_vec();
                i[d] = start + i[d] * by;
                i
            });
            Some((t.slice(d, start, len, by)?, model))
        }
        Step::Unsqueeze(d) if rank < 8 => {
            let d = d % (rank + 1);
            let mut new = dims;
            new.insert(d, 1);
            Some((t.unsqueeze(d)?, Model { dims: new, at: m.at.clone() }))
        }
        Step::Squeeze(d) if rank > 0 => {
            let d = d % rank;
            let mut new = dims.clone();
            if dims[d] == 1 {
                new.remove(d);
            }
            Some((t.squeeze(d)?, Model { dims: new, at: m.at.clone() }))
        }
        Step::Broadcast(d, by) if rank > 0 && rank < 8 && n <= 200 => {
            let d = d % rank;
            let mut new = dims.clone();
            if dims[d] == 1 {
                new[d] = by;
                let model = m.pick(&new, |i| {
                    let mut i = i.to_vec();
                    i[d] = 0;
                    i
                });
                Some((t.broadcast_as(new)?, model))
            } else {
                new.insert(0, by);
                let model = m.pick(&new, |i| i[1..].to_vec());
                Some((t.broadcast_as(new)?, model))
            }
        }
        Step::Reshape(i) => {
            let new = if n == 0 { vec![3, 0] } else { shapes_of(n, i) };
            Some((t.reshape(new.clone())?, Model { dims: new, at: m.at.clone() }))
        }
        Step::Unfold(d, size, by) if rank > 0 && rank < 8 && dims[d % rank] > 0 && n <= 200 => {
            let d = d % rank;
            let size = size % dims[d] + 1;
            let mut new = dims.clone();
            new[d] = (dims[d] - size) / by + 1;
            new.push(size);
            let model = m.pick(&new, |i| {
                let mut old = i[..rank].to_vec();
                old[d] = i[d] * by + i[rank];
                old
            });
            Some((t.unfold(d, size, by)?, model))
        }
        _ => None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn views_are_what_the_model_says(dims in prop::collection::vec(0usize..6, 0..4), steps in prop::collection::vec(step(), 1..8)) {
        let mut m = Model::new(&dims);
        let mut t = Tensor::from_slice(&m.at, dims, CPU).unwrap();
        for s in &steps {
            if let Some((u, n)) = apply(&t, &m, s).unwrap() {
                (t, m) = (u, n);
            }
            prop_assert_eq!(t.dims(), &m.dims[..]);
            prop_assert_eq!(t.flatten_all().unwrap().to_vec1::<i64>().unwrap(), m.at.clone(), "after {:?}", s);
            // Ops that iterate over the layout agree with the model: elementwise, reduce and copy.
            let want: Vec<i64> = m.at.iter().map(|v| -v).collect();
            prop_assert_eq!(t.neg().unwrap().flatten_all().unwrap().to_vec1::<i64>().unwrap(), want);
            prop_assert_eq!(t.sum_all().unwrap().to_scalar::<i64>().unwrap(), m.at.iter().sum::<i64>());
            let blocks: usize = match t.strided_blocks() {
                rushlight::StridedBlocks::SingleBlock { len, .. } => len,
                rushlight::StridedBlocks::UniformBlocks { block_len, count, .. } => block_len * count,
                rushlight::StridedBlocks::MultipleBlocks { block_start_index, block_len } => block_start_index.count() * block_len,
            };
            prop_assert_eq!(blocks, m.at.len());
            // Offsets are distinct if and only if the view does not overlap itself.
            let places: std::collections::BTreeSet<usize> = t.strided_index().collect();
            if places.len() < m.at.len() {
                prop_assert!(t.layout().may_overlap_itself());
            }
            if !t.layout().may_overlap_itself() && !m.at.is_empty() {
                let u = t.copy().unwrap().zeros_like().unwrap();
                prop_assert!(t.copy().unwrap().assign(&u).is_ok());
            }
        }
    }

    #[test]
    fn broadcast_shapes_follow_numpys_rule(a in prop::collection::vec(0usize..4, 0..5), b in prop::collection::vec(0usize..4, 0..5)) {
        let rank = a.len().max(b.len());
        let pad = |v: &[usize]| [vec![1; rank - v.len()], v.to_vec()].concat();
        let want: Option<Vec<usize>> = pad(&a).iter().zip(pad(&b)).map(|(&x, y)| match (x, y) {
            (x, y) if x == y => Some(x),
            (1, y) => Some(y),
            (x, 1) => Some(x),
            _ => None,
        }).collect();
        let got = Shape::from(a.clone()).broadcast_shape_binary_op(&Shape::from(b.clone()), "add").ok();
        prop_assert_eq!(got.map(|s| s.dims().to_vec()), want.clone());
        let (x, y) = (Tensor::ones(a, DType::F32, CPU).unwrap(), Tensor::ones(b, DType::F32, CPU).unwrap());
        prop_assert_eq!(x.broadcast_add(&y).ok().map(|t| t.dims().to_vec()), want);
    }

    /// Arbitrary numbers: a result or an error, never a panic or an abort.
    #[test]
    fn hostile_numbers_give_errors(
        dims in prop::collection::vec(prop_oneof![0usize..4, Just(usize::MAX), Just(1usize << 32), Just(1usize << 62), Just(isize::MAX as usize)], 0..10),
        a in prop_oneof![0usize..4, Just(usize::MAX), Just(1usize << 62)],
        b in prop_oneof![0usize..4, Just(usize::MAX), Just(1usize << 62)],
        c in prop_oneof![0usize..4, Just(usize::MAX), Just(1usize << 62)],
    ) {
        let bytes = dims.iter().try_fold(1usize, |p, d| p.checked_mul(*d)).and_then(|n| n.checked_mul(4));
        let empty = dims.contains(&0);
        // Memory is allocated only if the size is small, or so large that it must fail.
        if empty || bytes.is_none_or(|n| !(4096..=1 << 60).contains(&n)) {
            for dtype in [DType::F32, DType::U8, DType::C64] {
                let t = Tensor::zeros(dims.clone(), dtype, CPU);
                prop_assert_eq!(t.is_ok(), dims.len() <= 8 && (empty || bytes.is_some_and(|n| n < 1 << 40)), "{:?}", dims);
            }
        }
        let t = Tensor::arange(0u8, 6, CPU).unwrap().reshape((2, 3)).unwrap();
        let _ = t.broadcast_as(dims.clone());
        let _ = t.reshape(dims.clone());
        let _ = t.narrow(a, b, c);
        let _ = t.slice(a, b, c, b);
        let _ = t.unfold(a, b, c);
        let _ = t.transpose(a, b);
        let _ = t.permute(dims.clone());
        let _ = t.flatten(a, b);
        let _ = t.get_on_dim(a, b);
        let _ = t.chunk(a.min(10), b);
        let _ = t.pad_with_zeros(a, b, c);
        let _ = t.slice_scatter(&t, a, b);
        let _ = t.slice_set(&t.copy().unwrap(), a, b);
        let _ = t.slice_assign(&[a..b, b..c], &t);
        let _ = t.reshape((a, b, ()));
        let _ = t.reshape((a, (), b, c));
        let _ = t.sum(dims.clone());
        let _ = t.dim(a);
        let _ = t.index_select(&t.flatten_all().unwrap(), a);
        if bytes.is_none() && !empty {
            let wide = t.narrow(0, 0, 1).unwrap().narrow(1, 0, 1).unwrap().squeeze(0).unwrap();
            let view = wide.broadcast_as(dims.clone());
            prop_assert!(view.and_then(|v| v.exp()).is_err());
        }
    }
}

#[test]
fn sizes_that_overflow_are_errors_with_names() -> Result<()> {
    let huge = usize::MAX / 2;
    let e = Tensor::zeros((huge, 4), DType::F32, CPU).unwrap_err().to_string();
    assert!(e.contains("more elements or bytes"), "{e}");
    let one = Tensor::ones((1, 1), DType::F32, CPU)?;
    let e = one.broadcast_as((huge, 4)).unwrap_err().to_string();
    assert!(e.contains("more elements or bytes"), "{e}");
    // A view whose number of elements is representable is valid, until an op must allocate memory for them.
    let v = one.broadcast_as((huge, 1))?;
    for e in [
        v.add(&v).map(|_| ()),
        v.copy().map(|_| ()),
        v.to_dtype(DType::F64).map(|_| ()),
        v.matmul(&one.broadcast_as((1, 3))?).map(|_| ()),
    ] {
        assert!(e.unwrap_err().to_string().contains("more elements or bytes"));
    }
    assert!(Tensor::cat(&[&v, &v, &v], 0).is_err());
    assert!(one.repeat((huge, 4)).is_err());
    assert!(one.reshape(vec![1; 9]).is_err());
    let eight = one.reshape(vec![1; 8])?;
    assert!(eight.unsqueeze(0).is_err());
    assert!(Tensor::arange_step(0i64, i64::MAX, 1, CPU).is_err());
    assert!(Layout::contiguous((huge, huge)).end().is_none());
    // A request that is too large for the machine is an error, not an abort.
    let e = Tensor::zeros(1usize << 46, DType::U8, CPU).unwrap_err().to_string();
    assert!(e.contains("out of memory"), "{e}");
    Ok(())
}

#[test]
fn tensors_are_shared_between_threads_without_deadlock() -> Result<()> {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Tensor>();
    shared::<rushlight::Var>();
    shared::<rushlight::Error>();
    let n = 1000;
    let a = Tensor::zeros(n, DType::I32, CPU)?;
    let b = Tensor::zeros(n, DType::I32, CPU)?;
    let (done, ended) = std::sync::mpsc::channel();
    for k in 0..4 {
        // Readers and writers use the same two tensors, in every order.
        let (a, b, done) = (a.clone(), b.clone(), done.clone());
        std::thread::spawn(move || {
            for i in 0..500 {
                match (i + k) % 4 {
                    0 => a.assign(&b.affine(1.0, 1.0).expect("sum")).expect("assign"),
                    1 => b.assign(&a).expect("assign"),
                    2 => {
                        // The reader sees a writer's whole change or none of it.
                        let v = (&a + &b).expect("sum").to_vec1::<i32>().expect("values");
                        assert!(v.iter().all(|x| *x == v[0]), "a torn read");
                    }
                    _ => a.assign(&b).expect("assign"),
                }
            }
            done.send(()).expect("the test waits");
        });
    }
    drop(done);
    for _ in 0..4 {
        let end = ended.recv_timeout(std::time::Duration::from_secs(60));
        end.expect("a thread failed, or waits for another for ever");
    }
    Ok(())
}

#[test]
fn more_dimensions_than_a_tensor_can_have_are_refused_in_words() -> Result<()> {
    let cpu = &Device::Cpu;
    let eight = Tensor::zeros(vec![1; 8], DType::F32, cpu)?;
    let nine = vec![1usize, 1, 1, 1, 1, 1, 1, 2, 3];
    let text = |r: Result<Tensor>| r.unwrap_err().to_string();
    for error in [
        text(Tensor::zeros(nine.clone(), DType::F32, cpu)),
        text(Tensor::from_vec(vec![0f32; 6], nine.clone(), cpu)),
        text(Tensor::zeros((2, 3), DType::F32, cpu)?.reshape(nine.clone())),
        text(Tensor::zeros(3, DType::F32, cpu)?.broadcast_as(nine.clone())),
        text(Tensor::zeros((), DType::F32, cpu)?.broadcast_left(nine.clone())),
        text(Tensor::rand(0f32, 1., nine, cpu)),
        text(eight.unsqueeze(0)),
        text(eight.unfold(0, 1, 1)),
        text(eight.permute(vec![0, 1, 2, 3, 4, 5, 6, 7, 0])),
        text(eight.sum(vec![1, 2, 3, 4, 5, 6, 7, 0, 0])),
    ] {
        assert!(error.contains("rank 9 is more than the 8 dimensions a tensor can have"), "{error}");
    }
    Ok(())
}

/// Short rows of padded operands, with more elements than a block and a thread's share has.
#[test]
fn where_cond_of_short_padded_rows() {
    let (rows, pad) = (9000usize, 8usize);
    let cond: Vec<u8> = (0..rows * pad).map(|i| u8::from(i % 3 == 1) * 2).collect();
    let values: Vec<f32> = (0..rows * pad).map(|i| i as f32).collect();
    for width in [1usize, 2, 3, 4, 5, 7] {
        let narrow = |t: Tensor| t.reshape((rows / 10, 10, pad)).unwrap().narrow(2, 1, width).unwrap();
        let c = narrow(Tensor::from_vec(cond.clone(), rows * pad, &Device::Cpu).unwrap());
        let y = narrow(Tensor::from_vec(values.clone(), rows * pad, &Device::Cpu).unwrap());
        let x = Tensor::new(-1f32, &Device::Cpu).unwrap().broadcast_as(c.shape()).unwrap();
        let got = c.where_cond(&x, &y).unwrap().flatten_all().unwrap().to_vec1::<f32>().unwrap();
        let at = |r: usize, j: usize| r * pad + 1 + j;
        let all = (0..rows).flat_map(|r| (0..width).map(move |j| (r, j)));
        let expected: Vec<f32> =
            all.map(|(r, j)| if cond[at(r, j)] != 0 { -1.0 } else { values[at(r, j)] }).collect();
        assert_eq!(got, expected, "rows of {width}");
    }
}
