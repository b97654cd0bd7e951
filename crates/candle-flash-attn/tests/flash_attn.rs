//! Every function against loops in f64, on the CPU, the test device and a GPU.
use candle_core::{DType, Device, Result, Tensor};
use candle_flash_attn as flash;

/// The attention that the loops compute.
#[derive(Clone, Default)]
struct Rule {
    scale: f32,
    slopes: Option<Vec<f32>>,
    left: Option<usize>,
    right: Option<usize>,
    softcap: Option<f32>,
    ranges: Vec<(usize, usize)>,
}

/// Queries, keys and values of a sequence, `[length, heads, size]` each.
struct Sequence {
    q: Vec<f64>,
    k: Vec<f64>,
    v: Vec<f64>,
}

const SIZE: usize = 16;

/// Attention of one sequence of `n` queries and `m` keys.
fn truth(rule: &Rule, s: &Sequence, n: usize, m: usize, heads: [usize; 2]) -> Vec<f64> {
    let [h, g] = heads;
    let row = |of: &[f64], i: usize, head: usize, heads: usize| {
        let at = (i * heads + head) * SIZE;
        of[at..at + SIZE].to_vec()
    };
    let mut out = Vec::new();
    for i in 0..n {
        for head in 0..h {
            let (q, at) = (row(&s.q, i, head, h), i as i64 + m as i64 - n as i64);
            let within = |j: i64| {
                let open = |e: usize| e as i64;
                let seen = rule.left.is_none_or(|l| j >= at - open(l))
                    && rule.right.is_none_or(|r| j <= at + open(r));
                let both = |&(a, b): &(usize, usize)| [at, j].iter().all(|&p| p >= open(a) && p < open(b));
                seen || rule.ranges.iter().any(both)
            };
            let mut weights = Vec::new();
            for j in 0..m {
                if !within(j as i64) {
                    continue;
                }
                let k = row(&s.k, j, head * g / h, g);
                let mut score = q.iter().zip(&k).map(|(a, b)| a * b).sum::<f64>() * f64::from(rule.scale);
                if let Some(cap) = rule.softcap {
                    score = f64::from(cap) * (score / f64::from(cap)).tanh();
                }
                if let Some(slopes) = &rule.slopes {
                    score -= f64::from(slopes[head]) * (at - j as i64).abs() as f64;
                }
                weights.push((j, score));
            }
            let peak = weights.iter().map(|w| w.1).fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = weights.iter().map(|w| (w.1 - peak).exp()).sum();
            let mut y = vec![0.0; SIZE];
            for (j, score) in weights {
                let v = row(&s.v, j, head * g / h, g);
                y.iter_mut().zip(v).for_each(|(y, v)| *y += (score - peak).exp() / sum * v);
            }
            out.extend(y);
        }
    }
    out
}

fn numbers(t: &Tensor) -> Result<Vec<f64>> {
    t.to_device(&Device::Cpu)?.to_dtype(DType::F64)?.flatten_all()?.to_vec1()
}

/// A random tensor, rounded to a dtype.
fn random(device: &Device, dtype: DType, dims: &[usize]) -> Result<Tensor> {
    Tensor::randn(0f32, 1., dims, &Device::Cpu)?.to_dtype(dtype)?.to_device(device)
}

fn close(device: &Device, found: &Tensor, expected: &[f64], name: &str) -> Result<()> {
    assert!(found.device().same_device(device), "{name}: the result is on another device");
    let found_numbers = numbers(found)?;
    assert_eq!(found_numbers.len(), expected.len(), "{name}");
    let bound = match found.dtype() {
        DType::F16 => 3e-3,
        DType::BF16 => 2e-2,
        DType::F32 => 2e-5,
        _ => 1e-6,
    };
    for (i, (a, b)) in found_numbers.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= bound, "{name}: element {i} is {a}, not {b}");
    }
    Ok(())
}

/// A batch of sequences.
struct Batch {
    q: Tensor,
    k: Tensor,
    v: Tensor,
    sequences: Vec<Sequence>,
}

fn batch(device: &Device, dtype: DType, [n, m]: [usize; 2], [h, g]: [usize; 2]) -> Result<Batch> {
    let [q, k, v] =
        [(n, h), (m, g), (m, g)].map(|(len, heads)| random(device, dtype, &[2, len, heads, SIZE]));
    let (q, k, v) = (q?, k?, v?);
    let part = |t: &Tensor, i| numbers(&t.get(i)?);
    let sequence = |i| Ok(Sequence { q: part(&q, i)?, k: part(&k, i)?, v: part(&v, i)? });
    let sequences = (0..2).map(sequence).collect::<Result<_>>()?;
    Ok(Batch { q, k, v, sequences })
}

const HEADS: [usize; 2] = [4, 2];
const SLOPES: [f32; 4] = [0.5, 0.25, 0.125, 0.0625];

/// Windows of all kinds: none, causal ones, narrow ones, one that excludes nothing.
const WINDOWS: [(Option<usize>, Option<usize>); 7] = [
    (None, None),
    (None, Some(0)),
    (Some(3), Some(0)),
    (Some(2), Some(1)),
    (Some(4), None),
    (None, Some(2)),
    (Some(100), Some(100)),
];

fn batches(device: &Device) -> Result<()> {
    let slopes = Tensor::new(&SLOPES, device)?;
    // As many queries as keys, fewer, one, and more, of which the first have no keys.
    for lengths in [[7, 7], [3, 9], [1, 11], [9, 4]] {
        for dtype in [DType::F32, DType::F16, DType::BF16, DType::F64] {
            let b = batch(device, dtype, lengths, HEADS)?;
            let (q, k, v) = (&b.q, &b.k, &b.v);
            let check = |rule: Rule, found: Tensor, name: &str| {
                assert_eq!((found.dims(), found.dtype()), (q.dims(), dtype), "{name}");
                let rows = b.sequences.iter().flat_map(|s| truth(&rule, s, lengths[0], lengths[1], HEADS));
                close(device, &found, &rows.collect::<Vec<_>>(), &format!("{name} {lengths:?} {dtype:?}"))
            };
            let scale = 0.3;
            for causal in [false, true] {
                let rule = Rule { scale, right: causal.then_some(0), ..Rule::default() };
                check(rule.clone(), flash::flash_attn(q, k, v, scale, causal)?, "flash_attn")?;
                let rule = Rule { slopes: Some(SLOPES.to_vec()), ..rule };
                check(rule, flash::flash_attn_alibi(q, k, v, &slopes, scale, causal)?, "alibi")?;
            }
            for (left, right) in WINDOWS {
                let rule = Rule { scale, left, right, ..Rule::default() };
                let found = flash::flash_attn_windowed(q, k, v, scale, left, right)?;
                check(rule.clone(), found, &format!("windowed {left:?} {right:?}"))?;
                let capped = Rule { softcap: Some(0.7), ..rule.clone() };
                let found = flash::flash_attn_alibi_windowed_softcap(q, k, v, None, scale, left, right, 0.7)?;
                check(capped.clone(), found, &format!("softcap {left:?} {right:?}"))?;
                let rule = Rule { slopes: Some(SLOPES.to_vec()), ..rule };
                let found = flash::flash_attn_alibi_windowed(q, k, v, &slopes, scale, left, right)?;
                check(rule, found, &format!("alibi windowed {left:?} {right:?}"))?;
                let rule = Rule { slopes: Some(SLOPES.to_vec()), ..capped };
                let some = Some(&slopes);
                let found = flash::flash_attn_alibi_windowed_softcap(q, k, v, some, scale, left, right, 0.7)?;
                check(rule, found, &format!("alibi softcap {left:?} {right:?}"))?;
            }
        }
    }
    Ok(())
}

/// Lengths of packed sequences: one without queries, one without keys, one with more queries than keys.
const LENGTHS: [[usize; 2]; 5] = [[3, 3], [0, 2], [2, 6], [2, 0], [5, 3]];

fn offsets(device: &Device, of: usize) -> Result<Tensor> {
    let mut ends = vec![0u32];
    LENGTHS.iter().for_each(|l| ends.push(ends[ends.len() - 1] + l[of] as u32));
    Tensor::new(ends, device)
}

fn sequences(device: &Device) -> Result<()> {
    let slopes = Tensor::new(&SLOPES, device)?;
    let [n, m] = [0, 1].map(|of| LENGTHS.iter().map(|l| l[of]).sum::<usize>());
    let (a, b) = (offsets(device, 0)?, offsets(device, 1)?);
    for dtype in [DType::F32, DType::BF16] {
        // Two rows of queries and one of keys that belong to no sequence.
        let q = random(device, dtype, &[n + 2, HEADS[0], SIZE])?;
        let [k, v] = [0, 1].map(|_| random(device, dtype, &[m + 1, HEADS[1], SIZE]));
        let (k, v) = (k?, v?);
        let check = |rule: Rule, found: Tensor, name: &str| {
            let (mut expected, mut at) = (Vec::new(), [0, 0]);
            for [n, m] in LENGTHS {
                let part = |t: &Tensor, at: usize, len: usize| numbers(&t.narrow(0, at, len)?);
                let s = Sequence { q: part(&q, at[0], n)?, k: part(&k, at[1], m)?, v: part(&v, at[1], m)? };
                expected.extend(truth(&rule, &s, n, m, HEADS));
                at = [at[0] + n, at[1] + m];
            }
            expected.resize(q.elem_count(), 0.0);
            assert_eq!((found.dims(), found.dtype()), (q.dims(), dtype), "{name}");
            close(device, &found, &expected, &format!("{name} {dtype:?}"))
        };
        let scale = 0.3;
        for causal in [false, true] {
            let rule = Rule { scale, right: causal.then_some(0), ..Rule::default() };
            let found = flash::flash_attn_varlen(&q, &k, &v, &a, &b, 5, 6, scale, causal)?;
            check(rule.clone(), found, "varlen")?;
            let rule = Rule { slopes: Some(SLOPES.to_vec()), ..rule };
            let found = flash::flash_attn_varlen_alibi(&q, &k, &v, &slopes, &a, &b, 5, 6, scale, causal)?;
            check(rule, found, "varlen_alibi")?;
        }
        for (left, right) in WINDOWS {
            let name = format!("{left:?} {right:?}");
            let rule = Rule { scale, left, right, ..Rule::default() };
            let found = flash::flash_attn_varlen_windowed(&q, &k, &v, &a, &b, 5, 6, scale, left, right)?;
            check(rule.clone(), found, &format!("varlen_windowed {name}"))?;
            let rule = Rule { slopes: Some(SLOPES.to_vec()), ..rule };
            let found = flash::flash_attn_varlen_alibi_windowed(
                &q, &k, &v, &slopes, &a, &b, 5, 6, scale, left, right,
            )?;
            check(rule.clone(), found, &format!("varlen_alibi_windowed {name}"))?;
            for slopes in [Some(&slopes), None] {
                let found = flash::flash_attn_varlen_alibi_windowed_softcap(
                    &q, &k, &v, slopes, &a, &b, 5, 6, scale, left, right, 0.7,
                )?;
                let slopes = slopes.map(|_| SLOPES.to_vec());
                let rule = Rule { softcap: Some(0.7), slopes, ..rule.clone() };
                check(rule, found, &format!("varlen softcap {name}"))?;
            }
        }
    }
    Ok(())
}

fn pages(device: &Device) -> Result<()> {
    let (page, lengths) = (4, [[5, 9], [6, 6]]);
    let q = random(device, DType::F32, &[11, HEADS[0], SIZE])?;
    let [k, v] = [0, 1].map(|_| random(device, DType::F32, &[7, page, HEADS[1], SIZE]));
    let (k, v) = (k?, v?);
    let table = [[6u32, 0, 3], [2, 5, 0]];
    let (a, b) = (Tensor::new(&[0u32, 5, 11], device)?, Tensor::new(&[0u32, 9, 15], device)?);
    let ranges = Tensor::new(&[[[4i32, 7], [0, 0]], [[1, 3], [4, 6]]], device)?;
    let table_there = Tensor::new(&table, device)?;
    for (left, right) in WINDOWS {
        for (some, softcap) in [(None, None), (Some(&ranges), None), (Some(&ranges), Some(0.7))] {
            let found = flash::flash_attn_varlen_paged_windowed(
                &q,
                &k,
                &v,
                &a,
                &b,
                &table_there,
                some,
                6,
                9,
                0.3,
                left,
                right,
                page,
                softcap,
            )?;
            let mut expected = Vec::new();
            for (i, [n, m]) in lengths.into_iter().enumerate() {
                let own = |pool: &Tensor| -> Result<Vec<f64>> {
                    let blocks = table[i].iter().map(|&id| numbers(&pool.get(id as usize)?));
                    Ok(blocks.collect::<Result<Vec<_>>>()?.concat())
                };
                let s = Sequence { q: numbers(&q.narrow(0, 5 * i, n)?)?, k: own(&k)?, v: own(&v)? };
                let known = [vec![(4, 7)], vec![(1, 3), (4, 6)]];
                let ranges = if some.is_some() { known[i].clone() } else { Vec::new() };
                let rule = Rule { scale: 0.3, slopes: None, left, right, softcap, ranges };
                expected.extend(truth(&rule, &s, n, m, HEADS));
            }
            close(device, &found, &expected, &format!("paged {left:?} {right:?} {}", some.is_some()))?;
        }
    }
    Ok(())
}

fn all(device: &Device) -> Result<()> {
    batches(device)?;
    sequences(device)?;
    pages(device)
}

#[test]
fn every_function_is_that_of_the_loops() -> Result<()> {
    all(&Device::Cpu)
}

#[test]
fn every_function_runs_on_another_device() -> Result<()> {
    all(&Device::new_testdev(41))
}

#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn every_function_runs_on_a_gpu() -> Result<()> {
    let device = match std::env::var("RUSHLIGHT_TEST_DEVICE").as_deref() {
        Ok("cuda") => Device::new_cuda(0)?,
        _ => Device::new_rocm(0)?,
    };
    all(&device)
}

#[test]
fn gradients_are_those_of_ops() -> Result<()> {
    use candle_core::{D, Var};
    let of = |dims: [usize; 4]| Var::randn(0f64, 1., dims.as_slice(), &Device::Cpu);
    let (q, k, v) = (of([1, 5, 2, 8])?, of([1, 5, 2, 8])?, of([1, 5, 2, 8])?);
    let first = |t: &Tensor| t.transpose(1, 2)?.contiguous();
    for softcap in [None, Some(0.7f32)] {
        let y = match softcap {
            None => flash::flash_attn_windowed(&q, &k, &v, 0.3, Some(2), Some(0))?,
            Some(cap) => {
                flash::flash_attn_alibi_windowed_softcap(&q, &k, &v, None, 0.3, Some(2), Some(0), cap)?
            }
        };
        let found = (y.sqr()?.sum_all()?).backward()?;
        let (q1, k1, v1) = (first(&q)?, first(&k)?, first(&v)?);
        let mut scores = (q1.matmul(&k1.t()?)? * f64::from(0.3f32))?;
        if let Some(cap) = softcap.map(f64::from) {
            scores = ((scores / cap)?.tanh()? * cap)?;
        }
        let keep = |(i, j): (usize, usize)| if j <= i && j + 2 >= i { 0.0 } else { f64::NEG_INFINITY };
        let mask: Vec<f64> = (0..25).map(|x| keep((x / 5, x % 5))).collect();
        let scores = scores.broadcast_add(&Tensor::from_vec(mask, (5, 5), &Device::Cpu)?)?;
        let y = scores.softmax(D::Minus1)?.matmul(&v1)?;
        let expected = y.sqr()?.sum_all()?.backward()?;
        for x in [&q, &k, &v] {
            let (a, b) = (found.get(x).expect("a gradient"), expected.get(x).expect("a gradient"));
            assert!((a - b)?.abs()?.max_all()?.to_scalar::<f64>()? < 1e-10, "{softcap:?}");
        }
    }
    Ok(())
}

#[test]
fn wrong_uses_are_errors() -> Result<()> {
    let t = |dims: &[usize]| Tensor::zeros(dims, DType::F32, &Device::Cpu);
    let (q, k) = (t(&[2, 3, 4, 8])?, t(&[2, 5, 2, 8])?);
    let error =
        |q: &Tensor, k: &Tensor, v: &Tensor| flash::flash_attn(q, k, v, 1.0, true).unwrap_err().to_string();
    for (found, text) in [
        (error(&q, &k, &t(&[2, 4, 2, 8])?), "[2, 4, 2, 8]"),
        (error(&q, &t(&[2, 5, 3, 8])?, &t(&[2, 5, 3, 8])?), "[2, 5, 3, 8]"),
        (error(&q, &t(&[1, 5, 2, 8])?, &t(&[1, 5, 2, 8])?), "batch"),
        (error(&q, &t(&[2, 5, 2, 16])?, &t(&[2, 5, 2, 16])?), "[2, 5, 2, 16]"),
        (error(&t(&[3, 4, 8])?, &t(&[5, 2, 8])?, &t(&[5, 2, 8])?), "[batch, length, heads, size]"),
        (error(&q, &k.to_dtype(DType::F16)?, &k), "dtype"),
        (error(&q.to_dtype(DType::I64)?, &k.to_dtype(DType::I64)?, &k.to_dtype(DType::I64)?), "I64"),
        (error(&q, &k.to_device(&Device::new_testdev(42))?, &k), "device"),
    ] {
        assert!(found.contains("flash_attn") && found.contains(text), "{found}");
    }
    let slopes = t(&[3])?;
    let found = flash::flash_attn_alibi(&q, &k, &k, &slopes, 1.0, true).unwrap_err().to_string();
    assert!(found.contains("alibi_slopes [4]"), "{found}");
    let plain = flash::flash_attn_alibi_windowed_softcap(&q, &k, &k, None, 1.0, None, None, 0.0)?;
    assert_eq!(plain.dims(), q.dims());
    let found = flash::flash_attn_alibi_windowed_softcap(&q, &k, &k, None, 1.0, None, None, -1.0);
    assert!(found.unwrap_err().to_string().contains("softcap"));
    let (rows, keys) = (t(&[3, 4, 8])?, t(&[5, 2, 8])?);
    let at = |v: &[u32]| Tensor::new(v, &Device::Cpu);
    for (a, b) in [(vec![0, 4], vec![0, 5]), (vec![0, 2, 1], vec![0, 1, 2]), (vec![1, 3], vec![0, 5])] {
        for window in [None, Some(1)] {
            let (a, b) = (at(&a)?, at(&b)?);
            let found =
                flash::flash_attn_varlen_windowed(&rows, &keys, &keys, &a, &b, 3, 5, 1.0, window, None);
            assert!(found.is_err(), "{a} {b} {window:?}");
        }
    }
    let found = flash::flash_attn_varlen_windowed(
        &rows,
        &keys,
        &keys,
        &at(&[0, 3])?,
        &at(&[0, 2, 5])?,
        3,
        5,
        1.0,
        Some(1),
        None,
    );
    assert!(found.unwrap_err().to_string().contains("seqlens_k 3"));
    Ok(())
}
