//! Index ops for arbitrary shapes, layouts, axes and indices, valid or not: the right values or an error, never a
//! panic.
use proptest::prelude::*;
use rushlight::{DType, Device, Result, Tensor};

/// Returns row-major strides.
fn strides(dims: &[usize]) -> Vec<usize> {
    let mut s = vec![1; dims.len()];
    for i in (1..dims.len()).rev() {
        s[i - 1] = s[i] * dims[i];
    }
    s
}

/// Returns the coordinates of an element.
fn coords(mut n: usize, dims: &[usize]) -> Vec<usize> {
    let mut at = vec![0; dims.len()];
    for (i, &d) in dims.iter().enumerate().rev() {
        at[i] = n % d;
        n /= d;
    }
    at
}

fn place(at: &[usize], dims: &[usize]) -> usize {
    at.iter().zip(strides(dims)).map(|(i, s)| i * s).sum()
}

/// Returns the same elements with the strides of another order of dimensions.
fn relaid(t: &Tensor, turn: usize) -> Result<Tensor> {
    let rank = t.rank();
    if rank == 0 {
        return Ok(t.clone());
    }
    let perm: Vec<usize> = (0..rank).map(|i| (i + turn) % rank).collect();
    let mut back = vec![0; rank];
    perm.iter().enumerate().for_each(|(new, &old)| back[old] = new);
    t.permute(perm)?.contiguous()?.permute(back)
}

fn tensor(data: &[i64], dims: &[usize]) -> Result<Tensor> {
    Tensor::from_slice(data, dims, &Device::Cpu)
}

fn values(t: &Tensor) -> Result<Vec<i64>> {
    t.flatten_all()?.to_vec1()
}

/// The shape of a tensor, and a shape of an index tensor that fits it or almost fits it.
#[derive(Debug, Clone)]
struct Case {
    x: Vec<usize>,
    ids: Vec<usize>,
    dim: usize,
    /// Smallest and largest index.
    range: (i64, i64),
    turn: usize,
    seed: u64,
}

fn case(valid: bool) -> impl Strategy<Value = Case> {
    (prop::collection::vec(0usize..4, 1..5), any::<u64>(), 0usize..4, 0usize..4).prop_map(
        move |(x, seed, turn, at)| {
            let mut r = seed;
            let mut next = move |n: u64| {
                r = r.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (r >> 33) % n
            };
            let dim = if valid { at % x.len() } else { at };
            let mut ids: Vec<usize> = x
                .iter()
                .enumerate()
                .map(|(i, &d)| if i == dim { next(5) as usize } else { next(d as u64 + 1) as usize })
                .collect();
            if !valid && next(3) == 0 {
                let i = next(ids.len() as u64) as usize;
                ids[i] += 1;
            }
            if !valid && next(5) == 0 {
                ids.push(1);
            }
            let size = x.get(dim).copied().unwrap_or(1) as i64;
            if valid && size == 0 {
                ids[dim] = 0;
            }
            let range = if valid { (0, size.max(1)) } else { (-(next(2) as i64), size + next(2) as i64) };
            Case { x, ids, dim, range, turn, seed }
        },
    )
}

impl Case {
    fn data(&self, n: usize, salt: u64, low: i64, high: i64) -> Vec<i64> {
        let mut r = self.seed ^ salt;
        (0..n)
            .map(|_| {
                r = r.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                low + ((r >> 33) as i64).rem_euclid((high - low).max(1))
            })
            .collect()
    }

    /// Whether these shapes and indices are valid for gather.
    fn fits(&self, ids: &[i64]) -> bool {
        self.dim < self.x.len()
            && self.x.len() == self.ids.len()
            && (0..self.x.len()).all(|i| i == self.dim || self.ids[i] <= self.x[i])
            && ids.iter().all(|&i| i >= 0 && i < self.x[self.dim] as i64)
    }

    /// Returns the offset in x to which element `k` of the index tensor, with value `id`, refers.
    fn target(&self, k: usize, id: i64) -> usize {
        let mut at = coords(k, &self.ids);
        at[self.dim] = id as usize;
        place(&at, &self.x)
    }
}

fn check(c: &Case, dtype: DType) -> Result<()> {
    let (n, m) = (c.x.iter().product(), c.ids.iter().product());
    let (x, src) = (c.data(n, 1, -9, 9), c.data(m, 2, -9, 9));
    let ids = c.data(m, 3, c.range.0, c.range.1);
    // A negative index becomes a large one in an unsigned dtype. It is invalid there, too, and never the sentinel of
    // I64.
    let signed = !matches!(dtype, DType::U8 | DType::U32) || ids.iter().all(|&i| i >= 0);
    let dtype = if signed { dtype } else { DType::I32 };
    let xt = relaid(&tensor(&x, &c.x)?, c.turn)?;
    let st = relaid(&tensor(&src, &c.ids)?, c.turn + 1)?;
    let it = relaid(&tensor(&ids, &c.ids)?.to_dtype(dtype)?, c.turn + 2)?;
    let fits = c.fits(&ids);
    let gathered = xt.gather(&it, c.dim);
    let (set, add) = (xt.scatter(&it, &st, c.dim), xt.scatter_add(&it, &st, c.dim));
    let target = xt.copy()?;
    let in_place = target.scatter_set(&it, &st, c.dim);
    assert_eq!(gathered.is_ok(), fits, "gather: {gathered:?}");
    assert_eq!(set.is_ok(), fits);
    assert_eq!(add.is_ok(), fits);
    assert_eq!(in_place.is_ok(), fits);
    if !fits {
        assert_eq!(values(&target)?, x, "a failed op changed its target");
        return Ok(());
    }
    let want: Vec<i64> = ids.iter().enumerate().map(|(k, &id)| x[c.target(k, id)]).collect();
    assert_eq!(values(&gathered?)?, want);
    let (mut want_set, mut want_add) = (x.clone(), x.clone());
    for (k, &id) in ids.iter().enumerate() {
        want_set[c.target(k, id)] = src[k];
        want_add[c.target(k, id)] += src[k];
    }
    assert_eq!(values(&set?)?, want_set);
    assert_eq!(values(&add?)?, want_add);
    assert_eq!(values(&target)?, want_set);
    let view = relaid(&tensor(&x, &c.x)?, c.turn)?.copy()?;
    let view = relaid(&view, c.turn + 1)?;
    view.scatter_add_set(&it, &st, c.dim)?;
    assert_eq!(values(&view)?, want_add);
    Ok(())
}

fn index_dtype() -> impl Strategy<Value = DType> {
    prop::sample::select(vec![DType::U8, DType::U32, DType::I64, DType::I32, DType::I16])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn gather_and_scatter(c in case(true), dtype in index_dtype()) {
        check(&c, dtype).unwrap();
    }

    #[test]
    fn gather_and_scatter_of_anything(c in case(false), dtype in index_dtype()) {
        check(&c, dtype).unwrap();
    }

    #[test]
    fn index_select_and_add(c in case(false), count in 0usize..5, dtype in index_dtype()) {
        let n: usize = c.x.iter().product();
        let x = c.data(n, 1, -9, 9);
        let ids = c.data(count, 2, c.range.0.max(0), c.range.1);
        let xt = relaid(&tensor(&x, &c.x).unwrap(), c.turn).unwrap();
        let it = tensor(&ids, &[count]).unwrap().to_dtype(dtype).unwrap();
        let picked = xt.index_select(&it, c.dim);
        let fits = c.dim < c.x.len() && ids.iter().all(|&i| i < c.x[c.dim] as i64);
        prop_assert_eq!(picked.is_ok(), fits);
        if let Ok(picked) = picked {
            let mut dims = c.x.clone();
            dims[c.dim] = count;
            prop_assert_eq!(picked.dims(), &dims[..]);
            let m: usize = dims.iter().product();
            let source = |k: usize| {
                let mut at = coords(k, &dims);
                at[c.dim] = ids[at[c.dim]] as usize;
                place(&at, &c.x)
            };
            let want: Vec<i64> = (0..m).map(|k| x[source(k)]).collect();
            prop_assert_eq!(values(&picked).unwrap(), want);
            let add = c.data(m, 3, -9, 9);
            let at = relaid(&tensor(&add, &dims).unwrap(), c.turn).unwrap();
            let mut want = x.clone();
            (0..m).for_each(|k| want[source(k)] += add[k]);
            prop_assert_eq!(values(&xt.index_add(&it, &at, c.dim).unwrap()).unwrap(), want);
        }
    }

    #[test]
    fn sort_cumsum_and_flip(c in case(false), descending in any::<bool>()) {
        let n: usize = c.x.iter().product();
        let x = c.data(n, 1, -4, 4);
        let xt = relaid(&tensor(&x, &c.x).unwrap(), c.turn).unwrap();
        let fits = c.dim < c.x.len();
        let sorted = xt.sort(c.dim, descending);
        prop_assert_eq!(sorted.is_ok(), fits);
        prop_assert_eq!(xt.cumsum(c.dim).is_ok(), fits);
        prop_assert_eq!(xt.flip(&[c.dim]).is_ok(), fits);
        prop_assert_eq!(xt.tril(c.range.0).is_ok(), c.x.len() >= 2);
        if !fits {
            return Ok(());
        }
        let (sorted, order) = sorted.unwrap();
        let (size, step) = (c.x[c.dim], strides(&c.x)[c.dim]);
        let (mut want, mut places) = (x.clone(), vec![0u32; n]);
        let (mut sums, mut flipped) = (x.clone(), x.clone());
        for first in (0..n).filter(|&k| coords(k, &c.x)[c.dim] == 0) {
            let lane: Vec<i64> = (0..size).map(|i| x[first + i * step]).collect();
            let mut by: Vec<usize> = (0..size).collect();
            by.sort_by_key(|&i| if descending { -lane[i] } else { lane[i] });
            let mut sum = 0;
            for i in 0..size {
                let at = first + i * step;
                want[at] = lane[by[i]];
                places[at] = by[i] as u32;
                sum += lane[i];
                sums[at] = sum;
                flipped[at] = lane[size - 1 - i];
            }
        }
        prop_assert_eq!(values(&sorted).unwrap(), want);
        prop_assert_eq!(order.flatten_all().unwrap().to_vec1::<u32>().unwrap(), places);
        prop_assert_eq!(values(&xt.cumsum(c.dim).unwrap()).unwrap(), sums);
        prop_assert_eq!(values(&xt.flip(&[c.dim]).unwrap()).unwrap(), flipped);
    }

    #[test]
    fn triangles(c in case(true), k in -5i64..6) {
        let n: usize = c.x.iter().product();
        let x = c.data(n, 1, 1, 9);
        let xt = relaid(&tensor(&x, &c.x).unwrap(), c.turn).unwrap();
        let (low, high) = (xt.tril(k), xt.triu(k));
        prop_assert_eq!((low.is_ok(), high.is_ok()), (c.x.len() >= 2, c.x.len() >= 2));
        if let (Ok(low), Ok(high)) = (low, high) {
            let d = |i: usize| {
                let at = coords(i, &c.x);
                at[at.len() - 1] as i64 - at[at.len() - 2] as i64
            };
            let want: Vec<i64> = (0..n).map(|i| if d(i) <= k { x[i] } else { 0 }).collect();
            prop_assert_eq!(values(&low).unwrap(), want);
            let want: Vec<i64> = (0..n).map(|i| if d(i) >= k { x[i] } else { 0 }).collect();
            prop_assert_eq!(values(&high).unwrap(), want);
        }
    }

    #[test]
    fn nonzero_and_put(c in case(true), ids in prop::collection::vec(-3i64..20, 0..6), add in any::<bool>()) {
        let n: usize = c.x.iter().product();
        let x = c.data(n, 1, 0, 3);
        let xt = relaid(&tensor(&x, &c.x).unwrap(), c.turn).unwrap();
        let hits: Vec<usize> = (0..n).filter(|&i| x[i] != 0).collect();
        let want: Vec<i64> = hits.iter().flat_map(|&i| coords(i, &c.x)).map(|v| v as i64).collect();
        let found = xt.nonzero().unwrap();
        prop_assert_eq!(found.dims(), &[hits.len(), c.x.len()]);
        prop_assert_eq!(values(&found).unwrap(), want);
        let picked = xt.masked_select(&xt).unwrap();
        prop_assert_eq!(values(&picked).unwrap(), hits.iter().map(|&i| x[i]).collect::<Vec<_>>());

        let put = c.data(ids.len(), 2, -9, 9);
        let (it, vt) = (tensor(&ids, &[ids.len()]).unwrap(), tensor(&put, &[ids.len()]).unwrap());
        let out = xt.index_put(&it, &vt, add);
        let target = relaid(&xt.copy().unwrap(), c.turn).unwrap();
        let in_place = target.index_put_set(c.x.len(), &it, &vt, add);
        let fits = ids.iter().all(|&i| i >= 0 && i < n as i64);
        prop_assert_eq!((out.is_ok(), in_place.is_ok()), (fits, fits));
        let mut want = x.clone();
        if fits {
            for (&i, &v) in ids.iter().zip(&put) {
                want[i as usize] = if add { want[i as usize] + v } else { v };
            }
            prop_assert_eq!(&values(&out.unwrap()).unwrap(), &want);
        }
        prop_assert_eq!(values(&target).unwrap(), want);
    }
}
