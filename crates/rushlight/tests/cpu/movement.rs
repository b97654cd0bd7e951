//! Ops that move elements, at sizes on both sides of those at which the driver changes its algorithm, compared with lists of
//! element numbers.
use rushlight::ops::pad::PadMode;
use rushlight::{DType, Device, Result, Scalar, Tensor, cpu};

const CPU: &Device = &Device::Cpu;

/// Dtypes of 1, 2, 4 and 8 bytes. Numbers up to 250 are exact in all of them.
const DTYPES: [DType; 4] = [DType::U8, DType::BF16, DType::F32, DType::I64];
const PERIOD: usize = 251;

fn numbered(dims: &[usize], dtype: DType) -> Result<Tensor> {
    let n: usize = dims.iter().product();
    let data: Vec<i64> = (0..n).map(|i| (i % PERIOD) as i64).collect();
    Tensor::from_vec(data, dims, CPU)?.to_dtype(dtype)
}

fn values(t: &Tensor) -> Result<Vec<i64>> {
    t.flatten_all()?.to_dtype(DType::I64)?.to_vec1()
}

/// Returns the index of each dimension of element `n`.
fn index(mut n: usize, dims: &[usize]) -> Vec<usize> {
    let mut at = vec![0; dims.len()];
    for (i, d) in dims.iter().enumerate().rev() {
        at[i] = n % d;
        n /= d;
    }
    at
}

fn number(at: &[usize], dims: &[usize]) -> usize {
    at.iter().zip(dims).fold(0, |n, (i, d)| n * d + i)
}

/// Returns the elements of a new shape, each of which is `from(index)` of a tensor of `dims`.
fn picked(new: &[usize], dims: &[usize], from: impl Fn(&[usize]) -> Vec<usize>) -> Vec<i64> {
    let n = new.iter().product();
    (0..n).map(|i| (number(&from(&index(i, new)), dims) % PERIOD) as i64).collect()
}

/// Runs a test with one thread and with three.
fn with_threads(test: impl Fn() -> Result<()>) -> Result<()> {
    for threads in [1, 3] {
        cpu::set_num_threads(threads);
        let done = test();
        cpu::set_num_threads(0);
        done?;
    }
    Ok(())
}

#[test]
fn a_copy_of_permuted_dimensions_has_their_elements() -> Result<()> {
    let cases: &[(&[usize], &[usize])] = &[
        (&[7, 9], &[1, 0]),
        (&[8, 8], &[1, 0]),
        (&[16, 17], &[1, 0]),
        (&[63, 64], &[1, 0]),
        (&[64, 65], &[1, 0]),
        (&[130, 127], &[1, 0]),
        (&[200, 300], &[1, 0]),
        (&[3, 1500], &[1, 0]),
        (&[1500, 3], &[1, 0]),
        (&[5, 70, 90], &[0, 2, 1]),
        (&[70, 5, 90], &[2, 1, 0]),
        (&[70, 90, 3], &[2, 0, 1]),
        (&[90, 3, 70], &[1, 2, 0]),
        (&[6, 7, 8, 9], &[3, 2, 1, 0]),
        (&[4, 60, 5, 33], &[0, 2, 3, 1]),
        (&[2, 3, 4, 5, 6], &[4, 1, 3, 0, 2]),
    ];
    with_threads(|| {
        for &(dims, perm) in cases {
            let new: Vec<usize> = perm.iter().map(|p| dims[*p]).collect();
            let old = |at: &[usize]| {
                let mut old = vec![0; at.len()];
                perm.iter().zip(at).for_each(|(p, i)| old[*p] = *i);
                old
            };
            for dtype in DTYPES {
                let x = numbered(dims, dtype)?;
                let want = picked(&new, dims, old);
                assert_eq!(values(&x.permute(perm)?.contiguous()?)?, want, "{dims:?} {perm:?} {dtype:?}");
                // The same with gaps on both sides.
                let last = dims.len() - 1;
                let (a, b) = (dims[0] / 3, dims[last] / 4);
                let part = x.narrow(0, a, dims[0] - a)?.narrow(last, b, dims[last] - b)?.permute(perm)?;
                let from = |at: &[usize]| {
                    let mut old = old(at);
                    old[0] += a;
                    old[last] += b;
                    old
                };
                let want = picked(part.dims(), dims, from);
                assert_eq!(values(&part.contiguous()?)?, want, "{dims:?} {perm:?} {dtype:?}");
                let mut wider = part.dims().to_vec();
                wider[last] += 3;
                let target = Tensor::zeros(wider, dtype, CPU)?;
                target.slice_set(&part.contiguous()?, last, 2)?;
                let got = target.narrow(last, 2, part.dims()[last])?;
                assert_eq!(values(&got.contiguous()?)?, want, "{dims:?} {perm:?} {dtype:?}");
            }
        }
        Ok(())
    })
}

#[test]
fn a_large_transposed_copy_has_the_elements_of_its_input() -> Result<()> {
    // Beyond 16 MiB the output is written past the caches.
    let dims = [2050, 2100];
    let x = numbered(&dims, DType::F32)?;
    let got = values(&x.t()?.contiguous()?)?;
    assert_eq!(got, picked(&[dims[1], dims[0]], &dims, |at| vec![at[1], at[0]]));
    // Rows that are not aligned to 16 bytes.
    let part = x.narrow(1, 1, 2099)?;
    let got = values(&part.t()?.contiguous()?)?;
    assert_eq!(got, picked(&[2099, dims[0]], &dims, |at| vec![at[1], at[0] + 1]));
    Ok(())
}

#[test]
fn flipped_dimensions_are_reversed_in_any_layout() -> Result<()> {
    let dims = [9, 70, 33];
    with_threads(|| {
        for dtype in DTYPES {
            let x = numbered(&dims, dtype)?;
            let turned = numbered(&[33, 70, 9], dtype)?.permute((2, 1, 0))?;
            for mask in 0..8usize {
                let flips: Vec<usize> = (0..3).filter(|d| mask >> d & 1 == 1).collect();
                let from = |at: &[usize]| -> Vec<usize> {
                    (0..3).map(|d| if flips.contains(&d) { dims[d] - 1 - at[d] } else { at[d] }).collect()
                };
                assert_eq!(values(&x.flip(&flips)?)?, picked(&dims, &dims, from), "{flips:?} {dtype:?}");
                let want = picked(&dims, &[33, 70, 9], |at| {
                    let at = from(at);
                    vec![at[2], at[1], at[0]]
                });
                assert_eq!(values(&turned.flip(&flips)?)?, want, "{flips:?} {dtype:?}");
            }
        }
        Ok(())
    })
}

/// Returns indices below `size` with repetitions.
fn some_indices(dims: &[usize], size: usize) -> Vec<i64> {
    let n: usize = dims.iter().product();
    (0..n).map(|i| ((i * 7919 + i / 13) % size) as i64).collect()
}

#[test]
fn gather_and_scatter_follow_row_major_order_for_any_length() -> Result<()> {
    // Shapes of the tensor and of the indices. Lines of 512 indices are converted at a time; lines of fewer than 8 are visited
    // along a longer dimension.
    let cases: &[(&[usize], &[usize], usize)] = &[
        (&[600], &[1300], 0),
        (&[5, 600], &[5, 511], 1),
        (&[5, 600], &[4, 513], 1),
        (&[40, 600], &[100, 550], 0),
        (&[40, 70], &[700, 7], 0),
        (&[700, 7], &[700, 7], 1),
        (&[700, 6], &[650, 5], 0),
        (&[30, 3, 90], &[30, 8, 90], 1),
        (&[3, 90, 5, 4], &[3, 90, 9, 4], 2),
    ];
    with_threads(|| {
        for &(dims, shape, dim) in cases {
            let list = some_indices(shape, dims[dim]);
            let target = |i: usize| {
                let mut at = index(i, shape);
                at[dim] = list[i] as usize;
                number(&at, dims)
            };
            let n: usize = dims.iter().product();
            for dtype in DTYPES {
                let x = numbered(dims, dtype)?;
                let from = numbered(shape, dtype)?;
                for ids in [DType::I64, DType::I32, DType::U32] {
                    let ids = Tensor::from_vec(list.clone(), shape, CPU)?.to_dtype(ids)?;
                    // The same indices with other strides.
                    let turned: Vec<usize> = (0..shape.len()).rev().collect();
                    let other = ids.permute(turned.clone())?.contiguous()?.permute(turned)?;
                    for ids in [&ids, &other] {
                        let want: Vec<i64> = (0..list.len()).map(|i| (target(i) % PERIOD) as i64).collect();
                        assert_eq!(values(&x.gather(ids, dim)?)?, want, "{dims:?} {shape:?} {dtype:?}");
                        let mut want: Vec<i64> = (0..n).map(|i| (i % PERIOD) as i64).collect();
                        (0..list.len()).for_each(|i| want[target(i)] = (i % PERIOD) as i64);
                        let got = values(&x.scatter(ids, &from, dim)?)?;
                        assert_eq!(got, want, "{dims:?} {shape:?} {dtype:?}");
                    }
                }
            }
            // The order of additions shows in the bits of f32.
            let terms: Vec<f32> = (0..list.len()).map(|i| 1.0 / (i as f32 + 3.0)).collect();
            let ids = Tensor::from_vec(list.clone(), shape, CPU)?;
            let from = Tensor::from_vec(terms.clone(), shape, CPU)?;
            let got = Tensor::zeros(dims, DType::F32, CPU)?.scatter_add(&ids, &from, dim)?;
            let mut want = vec![0f32; n];
            (0..list.len()).for_each(|i| want[target(i)] += terms[i]);
            let got: Vec<u32> = got.flatten_all()?.to_vec1::<f32>()?.iter().map(|v| v.to_bits()).collect();
            assert_eq!(got, want.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), "{dims:?} {shape:?}");
        }
        Ok(())
    })
}

#[test]
fn index_select_and_index_add_follow_the_order_of_indices() -> Result<()> {
    let cases: &[(&[usize], usize, usize)] = &[
        (&[700], 0, 1100),
        (&[40, 600], 1, 513),
        (&[300, 130], 0, 700),
        (&[90, 3], 0, 800),
        (&[4, 50, 6], 1, 70),
    ];
    with_threads(|| {
        for &(dims, dim, count) in cases {
            let list = some_indices(&[count], dims[dim]);
            let mut shape = dims.to_vec();
            shape[dim] = count;
            let source = |at: &[usize]| {
                let mut at = at.to_vec();
                at[dim] = list[at[dim]] as usize;
                at
            };
            let ids = Tensor::from_vec(list.clone(), count, CPU)?;
            for dtype in DTYPES {
                let x = numbered(dims, dtype)?;
                let turned: Vec<usize> = (0..dims.len()).rev().collect();
                let other = x.permute(turned.clone())?.contiguous()?.permute(turned)?;
                let want = picked(&shape, dims, source);
                for x in [&x, &other] {
                    assert_eq!(values(&x.index_select(&ids, dim)?)?, want, "{dims:?} {dim} {dtype:?}");
                }
            }
            let n = shape.iter().product();
            let terms: Vec<f32> = (0..n).map(|i| 1.0 / (i as f32 + 3.0)).collect();
            let mut want = vec![0f32; dims.iter().product()];
            (0..n).for_each(|i| want[number(&source(&index(i, &shape)), dims)] += terms[i]);
            let from = Tensor::from_vec(terms, shape.clone(), CPU)?;
            let got = Tensor::zeros(dims, DType::F32, CPU)?.index_add(&ids, &from, dim)?;
            let got: Vec<u32> = got.flatten_all()?.to_vec1::<f32>()?.iter().map(|v| v.to_bits()).collect();
            assert_eq!(got, want.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), "{dims:?} {dim}");
        }
        Ok(())
    })
}

#[test]
fn the_first_index_out_of_range_is_reported() -> Result<()> {
    for at in [3usize, 511, 512, 1999] {
        let mut list = some_indices(&[4, 500], 90);
        list[at] = 90 + at as i64;
        list[1999] = 5000;
        let first = list.iter().find(|v| **v >= 90).copied().unwrap_or(0);
        let ids = Tensor::from_vec(list.clone(), (4, 500), CPU)?;
        let x = Tensor::zeros((4, 90), DType::F32, CPU)?;
        let from = Tensor::ones((4, 500), DType::F32, CPU)?;
        let flat = ids.flatten_all()?;
        let errors = [
            x.gather(&ids, 1).err(),
            x.scatter(&ids, &from, 1).err(),
            x.scatter_add(&ids, &from, 1).err(),
            x.scatter_set(&ids, &from, 1).err(),
            x.index_select(&flat, 1).err(),
            x.index_add(&flat, &Tensor::ones((4, 2000), DType::F32, CPU)?, 1).err(),
        ];
        for e in errors {
            let text = e.map(|e| e.to_string()).unwrap_or_default();
            assert!(text.contains(&first.to_string()), "{at}: {text}");
        }
        // An op in place has written nothing.
        assert_eq!(values(&x)?, [0; 360]);
    }
    Ok(())
}

#[test]
fn running_sums_add_in_order_for_any_number_of_lines() -> Result<()> {
    let cases: &[(&[usize], usize)] = &[
        (&[1000], 0),
        (&[7, 40], 1),
        (&[8, 15], 1),
        (&[9, 16], 1),
        (&[17, 33], 1),
        (&[40, 511], 0),
        (&[5, 30, 513], 1),
    ];
    with_threads(|| {
        for &(dims, dim) in cases {
            let n: usize = dims.iter().product();
            let terms: Vec<f32> = (0..n).map(|i| 1.0 / ((i * 7919 % 1013) as f32 + 3.0)).collect();
            let mut want = terms.clone();
            for i in 0..n {
                let mut at = index(i, dims);
                if at[dim] > 0 {
                    at[dim] -= 1;
                    want[i] = want[number(&at, dims)] + terms[i];
                }
            }
            let x = Tensor::from_vec(terms, dims, CPU)?;
            let bits = |t: &Tensor| -> Result<Vec<u32>> {
                Ok(t.flatten_all()?.to_vec1::<f32>()?.iter().map(|v| v.to_bits()).collect())
            };
            let want: Vec<u32> = want.iter().map(|v| v.to_bits()).collect();
            assert_eq!(bits(&x.cumsum(dim)?)?, want, "{dims:?} {dim}");
            // The gradient is the sum from the other end.
            let back = x.flip(&[dim])?;
            let v = rushlight::Var::from_tensor(&Tensor::zeros(dims, DType::F32, CPU)?)?;
            let grads = v.cumsum(dim)?.mul(&back)?.sum_all()?.backward()?;
            let got = grads.get(&v).map(|g| g.flip(&[dim]).and_then(|g| bits(&g)));
            assert_eq!(got.transpose()?, Some(want), "{dims:?} {dim}");
        }
        Ok(())
    })
}

/// Rows on both sides of the length from which they are copied by calls, more of them than are filled at once.
#[test]
fn padded_rows_have_the_elements_of_the_input_and_the_constant() -> Result<()> {
    const VALUE: i64 = 77;
    let cases: &[(&[usize], &[[i64; 2]])] = &[
        (&[7, 300, 6], &[[0, 0], [0, 0], [1, 1]]),
        (&[5, 90, 15], &[[1, 0], [2, 3], [0, 4]]),
        (&[5, 90, 16], &[[1, 0], [2, 3], [4, 0]]),
        (&[3, 40, 9], &[[0, 1], [-2, 1], [-3, 2]]),
        (&[900, 1], &[[0, 0], [3, 3]]),
        (&[2, 5, 4000], &[[1, 1], [0, 0], [2, 1]]),
    ];
    with_threads(|| {
        for (dims, pads) in cases {
            let sizes = dims.iter().zip(*pads).map(|(d, [before, after])| *d as i64 + before + after);
            let new: Vec<usize> = sizes.map(|d| d as usize).collect();
            let want: Vec<i64> = (0..new.iter().product())
                .map(|i| {
                    let at =
                        index(i, &new).into_iter().zip(*pads).map(|(at, [before, _])| at as i64 - before);
                    let at: Vec<usize> = at.map(|at| usize::try_from(at).unwrap_or(usize::MAX)).collect();
                    let inside = at.iter().zip(*dims).all(|(at, d)| at < d);
                    if inside { (number(&at, dims) % PERIOD) as i64 } else { VALUE }
                })
                .collect();
            for dtype in DTYPES {
                let x = numbered(dims, dtype)?;
                let padded = x.pad(pads, PadMode::Constant, Scalar::from_f64(VALUE as f64, dtype))?;
                assert_eq!(padded.dims(), new, "{dims:?} {pads:?}");
                assert!(values(&padded)? == want, "{dims:?} {pads:?} {dtype:?}");
            }
        }
        Ok(())
    })
}

/// Parts of many sizes, some empty, some permuted or broadcast, of less and of much more than a thread's task.
#[test]
fn a_concatenation_has_the_elements_of_its_parts() -> Result<()> {
    let cases: &[(usize, &[usize], &[usize])] = &[
        (0, &[3, 5], &[1, 2, 0, 4]),
        (1, &[3, 5], &[1, 2, 0, 4]),
        (0, &[0, 37, 67], &[90, 1, 0, 300, 2]),
        (1, &[11, 0, 67], &[90, 1, 300, 2]),
        (2, &[33, 41, 0], &[1, 200, 5, 1, 64]),
        (1, &[2, 0, 8], &[1; 400]),
        (0, &[0, 40_000], &[1, 1, 9, 1]),
    ];
    with_threads(|| {
        for &(dim, dims, lens) in cases {
            for dtype in DTYPES {
                let mut parts = Vec::new();
                for (k, &len) in lens.iter().enumerate() {
                    let mut dims = dims.to_vec();
                    dims[dim] = len;
                    let last = dims.len() - 1;
                    parts.push(match k % 3 {
                        0 => numbered(&dims, dtype)?,
                        1 => {
                            dims.swap(0, last);
                            numbered(&dims, dtype)?.transpose(0, last)?
                        }
                        _ => numbered(&[len], dtype)?
                            .reshape(
                                (0..dims.len()).map(|d| if d == dim { len } else { 1 }).collect::<Vec<_>>(),
                            )?
                            .broadcast_as(dims)?,
                    });
                }
                let all = Tensor::cat(&parts, dim)?;
                assert!(all.is_contiguous());
                assert_eq!(all.dims()[dim], lens.iter().sum::<usize>());
                let mut start = 0;
                for (part, &len) in parts.iter().zip(lens) {
                    let got = all.narrow(dim, start, len)?;
                    assert_eq!(values(&got)?, values(part)?, "{dims:?} {dim} {dtype:?} from {start}");
                    start += len;
                }
            }
        }
        Ok(())
    })
}

#[test]
fn nested_vectors_become_tensors() -> Result<()> {
    let row = |first: u32| (first..first + 300).collect::<Vec<_>>();
    let rows = |first: u32| vec![row(first), row(first + 300)];
    let all = Tensor::new(vec![vec![rows(0), rows(600)], vec![rows(1200), rows(1800)]], CPU)?;
    assert_eq!(all.dims(), &[2, 2, 2, 300]);
    assert_eq!(all.flatten_all()?.to_vec1::<u32>()?, (0..2400).collect::<Vec<_>>());
    let (a, b) = (row(7), row(9));
    let all = Tensor::new(vec![&a[..], &b[..]], CPU)?;
    assert_eq!(all.to_vec2::<u32>()?, [a, b]);
    assert_eq!(Tensor::new(vec![Vec::<f32>::new(), Vec::new()], CPU)?.dims(), &[2, 0]);
    let ragged = Tensor::new(vec![vec![1u8, 2], vec![3]], CPU);
    assert!(ragged.is_err_and(|e| e.to_string().contains("rows of different lengths")));
    Ok(())
}
