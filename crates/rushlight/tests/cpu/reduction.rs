//! The reduction tree, implemented again from docs/NUMERICS.md and compared with the library: equal bits for every
//! size, axis and number of threads.
use rushlight::{DType, Device, Element, Result, Tensor, cpu};

/// Sums a sequence as the page defines it: in chunks of 1024 elements, each in 32 lanes that are folded by halves. The
/// chunk sums are summed in the same way.
fn tree<C: Copy>(values: &[C], zero: C, add: fn(C, C) -> C) -> C {
    if values.is_empty() {
        return zero;
    }
    let sums: Vec<C> = values
        .chunks(1024)
        .map(|chunk| {
            let mut lanes = [zero; 32];
            for (i, v) in chunk.iter().enumerate() {
                lanes[i % 32] = add(lanes[i % 32], *v);
            }
            let mut rest = lanes.to_vec();
            while rest.len() > 1 {
                let (low, high) = rest.split_at(rest.len() / 2);
                rest = low.iter().zip(high).map(|(a, b)| add(*a, *b)).collect();
            }
            rest[0]
        })
        .collect();
    if sums.len() == 1 { sums[0] } else { tree(&sums, zero, add) }
}

/// Returns numbers of different magnitudes and both signs, so that another order of addition gives other bits.
fn numbers(n: usize) -> Vec<f64> {
    let mut state = 1u64;
    (0..n)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let unit = (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
            unit * [1.0, 37.0, 0.001, 4000.0][(state >> 3) as usize % 4]
        })
        .collect()
}

const SIZES: [usize; 10] = [0, 1, 31, 32, 33, 1023, 1024, 1025, 5000, (1 << 20) + 3];

#[test]
fn sums_follow_the_tree_for_any_thread_count() -> Result<()> {
    let all = numbers(SIZES[9]);
    for threads in 1..=4 {
        cpu::set_num_threads(threads);
        for n in SIZES {
            let f32s: Vec<f32> = all[..n].iter().map(|v| *v as f32).collect();
            let t = Tensor::from_slice(&f32s, n, &Device::Cpu)?;
            let want = tree(&f32s, 0f32, |a, b| a + b);
            assert_eq!(
                t.sum_all()?.to_scalar::<f32>()?.to_bits(),
                want.to_bits(),
                "{n} f32, {threads} threads"
            );
            if n > 0 {
                let mean = want / n as f32;
                assert_eq!(t.mean_all()?.to_scalar::<f32>()?.to_bits(), mean.to_bits(), "mean of {n}");
            }
            let t64 = Tensor::from_slice(&all[..n], n, &Device::Cpu)?;
            let want = tree(&all[..n], 0f64, |a, b| a + b);
            assert_eq!(t64.sum_all()?.to_scalar::<f64>()?.to_bits(), want.to_bits(), "{n} f64");
            // f16 and bf16 are summed in f32 and rounded once.
            let halves: Vec<half::f16> = f32s.iter().map(|v| half::f16::from_f32(v * 0.01)).collect();
            let wide: Vec<f32> = halves.iter().map(|v| v.to_f32()).collect();
            let got = Tensor::from_slice(&halves, n, &Device::Cpu)?.sum_all()?.to_scalar::<half::f16>()?;
            assert_eq!(got, half::f16::from_f32(tree(&wide, 0f32, |a, b| a + b)), "{n} f16");
            let near_one: Vec<f32> = f32s.iter().map(|v| 1.0 + v * 1e-5).collect();
            let got = Tensor::from_slice(&near_one, n, &Device::Cpu)?.prod_all()?.to_scalar::<f32>()?;
            assert_eq!(got.to_bits(), tree(&near_one, 1f32, |a, b| a * b).to_bits(), "product of {n}");
        }
    }
    cpu::set_num_threads(0);
    Ok(())
}

/// The bits of extremes of numbers among which are NaNs with and without a sign, infinities, and zeros of both signs.
#[test]
fn extremes_have_the_bits_of_the_tree() -> Result<()> {
    fn max<T: PartialOrd + Copy>(a: T, b: T) -> T {
        if a < b || b.partial_cmp(&b).is_none() { b } else { a }
    }
    fn min<T: PartialOrd + Copy>(a: T, b: T) -> T {
        if a > b || b.partial_cmp(&b).is_none() { b } else { a }
    }
    let infinity = f64::INFINITY;
    let some = [-f64::NAN, f64::NAN, infinity, -infinity, 0.0, -0.0];
    for n in [1, 40, 64, 100, 1024, 1300, 5000, 70_001] {
        let plain = numbers(n);
        let positive: Vec<f64> = plain.iter().map(|v| v.abs()).collect();
        let negative: Vec<f64> = plain.iter().map(|v| -v.abs()).collect();
        for special in some.iter().map(|v| vec![*v]).chain([vec![], vec![0.0, -0.0], vec![-0.0, 0.0]]) {
            for base in [&plain, &positive, &negative, &vec![-infinity; n], &vec![infinity; n]] {
                let mut v = base.clone();
                for (i, s) in special.iter().enumerate() {
                    v[(n / 3 + 37 * i) % n] = *s;
                }
                let narrow: Vec<f32> = v.iter().map(|v| *v as f32).collect();
                let what = format!("{n} with {special:?}, first {}", base[0]);
                let wide = Tensor::from_slice(&v, n, &Device::Cpu)?;
                assert_eq!(
                    wide.max(0)?.to_scalar::<f64>()?.to_bits(),
                    tree(&v, -infinity, max).to_bits(),
                    "{what}"
                );
                assert_eq!(
                    wide.min(0)?.to_scalar::<f64>()?.to_bits(),
                    tree(&v, infinity, min).to_bits(),
                    "{what}"
                );
                let got = Tensor::from_slice(&narrow, n, &Device::Cpu)?;
                let want = [tree(&narrow, f32::NEG_INFINITY, max), tree(&narrow, f32::INFINITY, min)];
                let got = [got.max(0)?.to_scalar::<f32>()?, got.min(0)?.to_scalar::<f32>()?];
                assert_eq!(got.map(f32::to_bits), want.map(f32::to_bits), "{what}");
            }
        }
    }
    Ok(())
}

/// Reduces leading, inner, middle and several axes, and transposed inputs. The reduced elements must be taken in
/// row-major order of the reduced axes of the tensor's shape, whatever their order in memory.
#[test]
fn the_tree_is_that_of_the_shape_for_every_axis_and_layout() -> Result<()> {
    for dims in [[3usize, 1025, 2], [1100, 3, 5], [2, 3, 1030], [33, 40, 70], [1, 5000, 1], [40, 1, 1500]] {
        let n: usize = dims.iter().product();
        let data: Vec<f32> = numbers(n).iter().map(|v| *v as f32).collect();
        let t = Tensor::from_slice(&data, dims.to_vec(), &Device::Cpu)?;
        let stored = t.permute((2, 0, 1))?.force_contiguous()?.permute((1, 2, 0))?;
        let gaps = Tensor::zeros((dims[0], dims[1], 2 * dims[2]), DType::F32, &Device::Cpu)?
            .slice(2, 1, dims[2], 2)?;
        gaps.assign(&t)?;
        for axes in [vec![0], vec![1], vec![2], vec![0, 1], vec![0, 2], vec![1, 2], vec![0, 1, 2]] {
            // The reduced elements of each output, collected by iterating over all indices.
            let kept: Vec<usize> = (0..3).filter(|a| !axes.contains(a)).collect();
            let outputs: usize = kept.iter().map(|a| dims[*a]).product();
            let mut groups: Vec<Vec<f32>> = vec![Vec::new(); outputs];
            for (i, v) in data.iter().enumerate() {
                let at = [i / (dims[1] * dims[2]), i / dims[2] % dims[1], i % dims[2]];
                let place = kept.iter().fold(0, |p, a| p * dims[*a] + at[*a]);
                groups[place].push(*v);
            }
            let want: Vec<u32> = groups.iter().map(|g| tree(g, 0f32, |a, b| a + b).to_bits()).collect();
            for (name, x) in [("contiguous", &t), ("permuted", &stored), ("gaps", &gaps)] {
                let got = x.sum(axes.clone())?.flatten_all()?.to_vec1::<f32>()?;
                let got: Vec<u32> = got.into_iter().map(f32::to_bits).collect();
                assert_eq!(got, want, "{dims:?} over {axes:?}, {name}");
            }
        }
    }
    Ok(())
}

/// Sums of halves over rows, whose chunks are read in runs, and reductions of integers over them.
#[test]
fn columns_of_halves_and_integers_have_the_bits_of_the_tree() -> Result<()> {
    use half::{bf16, f16};
    use rushlight::ops::reduce::ReduceOp;
    for (rows, width) in [(300usize, 70usize), (131, 33), (40, 300), (9, 1)] {
        let (planes, kept) = (5, rows - 3);
        let data: Vec<f32> = numbers(planes * rows * width).iter().map(|v| (v * 0.01) as f32).collect();
        let x = Tensor::from_slice(&data, (planes, rows, width), &Device::Cpu)?;
        // The rows that the view keeps, in their order.
        let column = |data: &[f32], c: usize| -> Vec<f32> {
            let all = (0..planes * rows).filter(|r| r % rows >= 2 && r % rows < 2 + kept);
            all.map(|r| data[r * width + c]).collect()
        };
        for dtype in [DType::F16, DType::BF16] {
            let x = x.to_dtype(dtype)?;
            let wide = x.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()?;
            let got = x.narrow(1, 2, kept)?.sum((0, 1))?.to_dtype(DType::F32)?.to_vec1::<f32>()?;
            for (c, got) in got.into_iter().enumerate() {
                let sum = tree(&column(&wide, c), 0f32, |a, b| a + b);
                let want = if dtype == DType::F16 {
                    f16::from_f32(sum).to_f32()
                } else {
                    bf16::from_f32(sum).to_f32()
                };
                assert_eq!(got.to_bits(), want.to_bits(), "{dtype:?}, {rows} rows of {width}: column {c}");
            }
        }
        for dtype in [DType::I8, DType::U8, DType::I16, DType::I32, DType::I64] {
            let x = x.affine(20.0, 0.0)?.to_dtype(dtype)?;
            let wide = x.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()?;
            let x = x.narrow(1, 2, kept)?;
            let reduced = |op, to| x.reduce(op, 0b11, false, to)?.to_dtype(DType::F64)?.to_vec1::<f64>();
            let (most, least) = (reduced(ReduceOp::Max, dtype)?, reduced(ReduceOp::Min, dtype)?);
            let (sum, any) = (reduced(ReduceOp::Sum, DType::I64)?, reduced(ReduceOp::Any, DType::U8)?);
            for c in 0..width {
                let v: Vec<f64> = column(&wide, c).into_iter().map(f64::from).collect();
                let want = [
                    v.iter().copied().fold(f64::MIN, f64::max),
                    v.iter().copied().fold(f64::MAX, f64::min),
                    v.iter().sum(),
                    f64::from(v.iter().any(|v| *v != 0.0)),
                ];
                let got = [most[c], least[c], sum[c], any[c]];
                assert_eq!(got, want, "{dtype:?}, {rows} rows of {width}: column {c}");
            }
        }
    }
    Ok(())
}

#[test]
fn integer_sums_wrap_and_widen() -> Result<()> {
    use rushlight::ops::reduce::ReduceOp;
    let v: Vec<u8> = (0..1000).map(|i| (i * 7) as u8).collect();
    let t = Tensor::from_slice(&v, 1000, &Device::Cpu)?;
    let sum: u64 = v.iter().map(|v| *v as u64).sum();
    assert_eq!(t.sum_all()?.to_scalar::<u8>()?, sum as u8);
    assert_eq!(t.reduce(ReduceOp::Sum, 1, false, DType::U64)?.to_scalar::<u64>()?, sum);
    let neg = Tensor::from_slice(&[-3i8, 100, 100], 3, &Device::Cpu)?;
    assert_eq!(neg.reduce(ReduceOp::Prod, 1, false, DType::I64)?.to_scalar::<i64>()?, -30000);
    assert_eq!(neg.sum_all()?.to_scalar::<i8>()?, -59);
    let empty = Tensor::zeros((0, 3), DType::F32, &Device::Cpu)?;
    assert_eq!(empty.sum(0)?.to_vec1::<f32>()?, [0.0; 3]);
    assert_eq!(empty.prod(0)?.to_vec1::<f32>()?, [1.0; 3]);
    assert!(empty.mean(0)?.to_vec1::<f32>()?.iter().all(|v| v.is_nan()));
    assert!(empty.max(0).is_err() && f32::from_f64(1.0) == 1.0);
    Ok(())
}

/// An output of one element has the bits of its reduction by the tree in any layout: -0 becomes the sum 0.
#[test]
fn axis_of_length_one_is_reduced_in_any_layout() {
    let special = [-0.0f32, f32::NAN, f32::INFINITY, -3.5, 1e-40];
    let values: Vec<f32> =
        (0..70 * 90).map(|i| special.get(i % 97).copied().unwrap_or(i as f32 / 7.0)).collect();
    let bits = |t: &Tensor| -> Vec<u32> {
        let v = t.to_dtype(DType::F32).unwrap().flatten_all().unwrap().to_vec1::<f32>().unwrap();
        v.iter().map(|v| v.to_bits()).collect()
    };
    for dtype in [DType::F32, DType::F16] {
        let x = Tensor::from_vec(values.clone(), (1, 70, 90), &Device::Cpu).unwrap().to_dtype(dtype).unwrap();
        let strided = x.transpose(0, 2).unwrap();
        let kept = strided.force_contiguous().unwrap();
        let expected: Vec<f32> = kept.to_dtype(DType::F32).unwrap().flatten_all().unwrap().to_vec1().unwrap();
        for t in [&strided, &kept] {
            let sum: Vec<u32> = expected.iter().map(|v| (v + 0.0).to_bits()).collect();
            assert_eq!(bits(&t.sum_keepdim(2).unwrap()), sum);
            assert_eq!(bits(&t.mean_keepdim(2).unwrap()), sum);
            let same: Vec<u32> = expected.iter().map(|v| v.to_bits()).collect();
            assert_eq!(bits(&t.max_keepdim(2).unwrap()), same);
            let first = t.argmin_keepdim(2).unwrap().flatten_all().unwrap().to_vec1::<u32>().unwrap();
            assert!(first.iter().all(|i| *i == 0));
        }
    }
    let ints = Tensor::arange(0i64, 60, &Device::Cpu).unwrap().reshape((1, 6, 10)).unwrap();
    let sum = ints.transpose(0, 2).unwrap().sum_keepdim(2).unwrap().flatten_all().unwrap();
    let expected: Vec<i64> = (0..10).flat_map(|c| (0..6).map(move |r| r * 10 + c)).collect();
    assert_eq!(sum.to_vec1::<i64>().unwrap(), expected);
}
