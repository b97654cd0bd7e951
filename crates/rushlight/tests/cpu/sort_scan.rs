//! Sorting, running sums, flips, triangles, predicates. Expected values were computed with PyTorch 2.13.
use rushlight::{DType, Device, Result, Tensor, Var};

fn devices() -> [Device; 2] {
    [Device::Cpu, Device::new_testdev(0)]
}

fn bits(t: &Tensor) -> Result<Vec<u32>> {
    Ok(t.flatten_all()?.to_vec1::<f32>()?.iter().map(|v| v.to_bits()).collect())
}

#[test]
fn sort_orders_nan_zero_and_infinity() -> Result<()> {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let up = ([-inf, -1., 0., -0., 3., 3., inf, nan], [4u32, 2, 5, 6, 0, 3, 7, 1]);
    let down = ([nan, inf, 3., 3., 0., -0., -1., -inf], [1u32, 7, 0, 3, 5, 6, 2, 4]);
    for device in devices() {
        let t = Tensor::new(&[[3f32, nan, -1., 3., -inf, 0., -0., inf]], &device)?;
        for (descending, (values, places)) in [(false, up), (true, down)] {
            let (v, i) = t.sort(1, descending)?;
            assert_eq!(bits(&v)?, values.map(f32::to_bits));
            assert_eq!(i.to_vec2::<u32>()?, [places]);
            assert_eq!(t.argsort(1, descending, DType::I64)?.to_vec2::<i64>()?, [places.map(i64::from)]);
            for dtype in [DType::F16, DType::BF16, DType::F64] {
                assert_eq!(
                    t.to_dtype(dtype)?.argsort(1, descending, DType::U32)?.to_vec2::<u32>()?,
                    [places]
                );
            }
        }
    }
    // A NaN with the sign bit set is as large as any other NaN.
    let t = Tensor::new(&[-nan, 1f32, nan], &Device::Cpu)?;
    assert_eq!(t.argsort(0, false, DType::U32)?.to_vec1::<u32>()?, [1, 0, 2]);
    Ok(())
}

/// Parts of the order are those of the whole order, for lanes of every length that is sorted in another way, with ties, NaN
/// and both directions. (The whole order is compared with PyTorch's in the tests beside.)
#[test]
fn a_part_of_the_order_is_that_of_the_whole() -> Result<()> {
    for n in [1usize, 2, 7, 64, 65, 1000, 1024, 1025, 5000, 40_000] {
        // Many ties; a NaN, an infinity and a negative zero here and there.
        let one = |i: usize| match (i * 7919) % 101 {
            0 => f32::NAN,
            1 => f32::NEG_INFINITY,
            2 => -0.0,
            k => ((k * k) % 37) as f32 - 11.0,
        };
        let x = Tensor::from_vec((0..2 * n).map(one).collect::<Vec<f32>>(), (2, n), &Device::Cpu)?;
        let strided = x.t()?.contiguous()?.t()?;
        for dtype in [DType::F32, DType::F64, DType::BF16] {
            for (x, descending) in [(&x, false), (&strided, true)] {
                let x = x.to_dtype(dtype)?;
                let whole = x.argsort(1, descending, DType::I64)?;
                for (start, count) in
                    [(0, 1), (0, n / 16), (0, n / 2), (n / 3, 1), (n / 3, n / 4), (n - 1, 9), (n, 1)]
                {
                    let part = x.argsort_part(1, descending, DType::I64, start, count)?;
                    let want = whole.narrow(1, start, count.min(n - start))?;
                    assert_eq!(
                        part.to_vec2::<i64>()?,
                        want.to_vec2::<i64>()?,
                        "{n} {dtype:?} {start} {count}"
                    );
                }
                let first = x.t()?.argsort_part(0, descending, DType::U32, 0, 1)?;
                assert_eq!(first.dims(), [1, 2]);
                assert_eq!(
                    first.t()?.to_dtype(DType::I64)?.to_vec2::<i64>()?,
                    whole.narrow(1, 0, 1)?.to_vec2::<i64>()?
                );
            }
        }
    }
    // NumPy's order of the largest three of [3, 9, 5, 7, 9], the first of equal ones first.
    let t = Tensor::new(&[3i64, 9, 5, 7, 9], &Device::Cpu)?;
    assert_eq!(t.argsort_part(0, true, DType::I64, 0, 3)?.to_vec1::<i64>()?, [1, 4, 3]);
    assert_eq!(t.argsort_part(0, false, DType::I64, 2, 2)?.to_vec1::<i64>()?, [3, 1]);
    Ok(())
}

#[test]
fn sort_along_any_axis() -> Result<()> {
    let up = ([[2, 0, 3], [5, 1, 3], [5, 1, 4], [7, 1, 9]], [[1u32, 2, 0], [0, 0, 2], [2, 1, 3], [3, 3, 1]]);
    let down =
        ([[7, 1, 9], [5, 1, 4], [5, 1, 3], [2, 0, 3]], [[3u32, 0, 1], [0, 1, 3], [2, 3, 0], [1, 2, 2]]);
    for device in devices() {
        let y = Tensor::new(&[[5i32, 1, 3], [2, 1, 9], [5, 0, 3], [7, 1, 4]], &device)?;
        for y in [y.clone(), y.t()?.contiguous()?.t()?] {
            for (descending, (values, places)) in [(false, up), (true, down)] {
                let (v, i) = y.sort(0, descending)?;
                assert_eq!(v.to_vec2::<i32>()?, values);
                assert_eq!(i.to_vec2::<u32>()?, places);
                let (v, i) = y.t()?.sort_last_dim(!descending)?;
                assert_eq!(v.t()?.to_vec2::<i32>()?, values);
                assert_eq!(i.t()?.to_vec2::<u32>()?, places);
            }
        }
    }
    let deep = Tensor::new(&[[[2u8, 9], [1, 7], [3, 8]]], &Device::Cpu)?;
    assert_eq!(deep.sort(1, false)?.0.to_vec3::<u8>()?, [[[1, 7], [2, 8], [3, 9]]]);
    Ok(())
}

#[test]
fn sort_orders_every_dtype() -> Result<()> {
    macro_rules! check {
        ($($t:ty),*) => {$({
            let data = [<$t>::MAX, 0, <$t>::MIN, 1, <$t>::MAX - 1];
            let (v, _) = Tensor::new(&data, &Device::Cpu)?.sort(0, false)?;
            let mut want = data;
            want.sort();
            assert_eq!(v.to_vec1::<$t>()?, want);
        })*};
    }
    check!(u8, i8, u16, i16, u32, i32, u64, i64);
    let b = Tensor::new(&[true, false, true, false], &Device::Cpu)?;
    assert_eq!(b.argsort(0, false, DType::U32)?.to_vec1::<u32>()?, [1, 3, 0, 2]);
    assert_eq!(b.sort(0, true)?.0.to_vec1::<bool>()?, [true, true, false, false]);
    assert!(Tensor::zeros(2, DType::C64, &Device::Cpu)?.sort(0, false).is_err());
    Ok(())
}

/// Lines on both sides of the length from which the CPU sorts by digits. The expected order is that of the standard library's
/// stable sort.
#[test]
fn long_lines_are_sorted_stably_in_every_dtype() -> Result<()> {
    for n in [1023usize, 1024, 3000] {
        // Few values, so that many are equal, and a wide range.
        for (dtype, range) in [
            (DType::F32, 1e30),
            (DType::F32, 4.0),
            (DType::F16, 3e4),
            (DType::BF16, 1e30),
            (DType::F64, 1e300),
            (DType::F64, 4.0),
            (DType::I64, 9e18),
            (DType::I32, 2e9),
            (DType::I16, 3e4),
            (DType::I8, 1e2),
        ] {
            let draw = |i: usize| (((i * 7919 + 13) % 10_007) as f64 / 5003.5 - 1.0) * range;
            let data: Vec<f64> = (0..2 * n).map(|i| draw(i).trunc()).collect();
            let t = Tensor::from_vec(data, (2, n), &Device::Cpu)?.to_dtype(dtype)?;
            let values = t.to_dtype(DType::F64)?.to_vec2::<f64>()?;
            let exact = if dtype == DType::I64 { Some(t.to_vec2::<i64>()?) } else { None };
            for descending in [false, true] {
                let found = t.argsort(1, descending, DType::I64)?.to_vec2::<i64>()?;
                for (line, found) in found.iter().enumerate() {
                    let mut want: Vec<i64> = (0..n as i64).collect();
                    want.sort_by(|a, b| {
                        let (a, b) = (*a as usize, *b as usize);
                        let (a, b) = if descending { (b, a) } else { (a, b) };
                        match &exact {
                            Some(v) => v[line][a].cmp(&v[line][b]),
                            // -0 equals 0.
                            None => values[line][a].partial_cmp(&values[line][b]).expect("no NaN"),
                        }
                    });
                    assert_eq!(*found, want, "{dtype:?} {n} {descending}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn sort_gradient_returns_to_the_original_order() -> Result<()> {
    for device in devices() {
        let x = Var::from_tensor(&Tensor::new(&[[3f64, 1., 2.], [4., 4., 0.]], &device)?)?;
        let (sorted, _) = x.sort(1, true)?;
        let weight = Tensor::new(&[[1f64, 10., 100.], [1., 10., 100.]], &device)?;
        let g = (sorted * weight)?.backward()?.remove(&x).expect("a gradient");
        assert_eq!(g.to_vec2::<f64>()?, [[1., 100., 10.], [1., 10., 100.]]);
    }
    Ok(())
}

#[test]
fn sort_of_nothing_and_of_bad_axes() -> Result<()> {
    for shape in [(0, 4), (4, 0)] {
        let t = Tensor::zeros(shape, DType::F32, &Device::Cpu)?;
        for dim in [0, 1] {
            assert_eq!(t.sort(dim, false)?.0.dims(), t.dims());
        }
    }
    let t = Tensor::zeros((2, 3), DType::F32, &Device::Cpu)?;
    assert!(t.sort(2, false).is_err() && t.argsort(0, false, DType::F32).is_err());
    assert!(Tensor::new(1f32, &Device::Cpu)?.sort_last_dim(true).is_err());
    Ok(())
}

#[test]
fn cumsum_values_and_gradient() -> Result<()> {
    for device in devices() {
        let x = Tensor::arange(1f32, 13., &device)?.reshape((2, 3, 2))?;
        let want = [[[1f32, 2.], [4., 6.], [9., 12.]], [[7., 8.], [16., 18.], [27., 30.]]];
        assert_eq!(x.cumsum(1)?.to_vec3::<f32>()?, want);
        let turned = x.permute((2, 0, 1))?.contiguous()?.permute((1, 2, 0))?;
        assert_eq!(turned.cumsum(1)?.to_vec3::<f32>()?, want);
        let x = Var::from_tensor(&Tensor::new(&[[1f64, 2., 3.], [4., 5., 6.]], &device)?)?;
        for (dim, want) in [(0, [[5f64, 7., 9.], [4., 5., 6.]]), (1, [[6., 5., 3.], [15., 11., 6.]])] {
            let weight = Tensor::new(&[[1f64, 2., 3.], [4., 5., 6.]], &device)?;
            let g = (x.cumsum(dim)? * weight)?.backward()?.remove(&x).expect("a gradient");
            assert_eq!(g.to_vec2::<f64>()?, want);
        }
        let f = Tensor::new(&[0.25f32, 0.5, -1.], &device)?;
        assert_eq!(f.cumsum(0)?.to_vec1::<f32>()?, [0.25, 0.75, -0.25]);
        assert_eq!(Tensor::new(&[200u8, 100], &device)?.cumsum(0)?.to_vec1::<u8>()?, [200, 44]);
        // If computed in f16, 2048 + 1 + 1 + .. would stay at 2048.
        let h = Tensor::new(&[2048f32, 1., 1., 1., 1.], &device)?.to_dtype(DType::F16)?;
        let sums = h.cumsum(0)?.to_dtype(DType::F32)?.to_vec1::<f32>()?;
        assert_eq!(sums, [2048., 2048., 2050., 2052., 2052.]);
        assert_eq!(Tensor::zeros((0, 3), DType::F32, &device)?.cumsum(0)?.dims(), &[0, 3]);
    }
    let x = Tensor::ones(1 << 20, DType::I32, &Device::Cpu)?.reshape((1 << 10, 1 << 10))?;
    let sums = x.cumsum(1)?;
    let row: Vec<i32> = (1..=1 << 10).collect();
    assert_eq!(sums.get(777)?.to_vec1::<i32>()?, row);
    assert!(x.cumsum(2).is_err());
    Ok(())
}

#[test]
fn flips() -> Result<()> {
    for device in devices() {
        let x = Tensor::arange(0u16, 12, &device)?.reshape((2, 3, 2))?;
        let want = [[[7u16, 6], [9, 8], [11, 10]], [[1, 0], [3, 2], [5, 4]]];
        assert_eq!(x.flip(&[0, 2])?.to_vec3::<u16>()?, want);
        let turned = x.permute((2, 0, 1))?.contiguous()?.permute((1, 2, 0))?;
        assert_eq!(turned.flip(&[2, 0])?.to_vec3::<u16>()?, want);
        assert_eq!(x.flip(&[])?.to_vec3::<u16>()?, x.to_vec3::<u16>()?);
        for dtype in [DType::Bool, DType::F8E4M3, DType::C64, DType::C128, DType::F64] {
            let y = x.to_dtype(dtype)?;
            let back = y.flip(&[1])?.flip(&[1])?.to_cpu_storage()?;
            assert_eq!(back, y.to_cpu_storage()?);
        }
        let v = Var::from_tensor(&Tensor::new(&[1f32, 2., 3.], &device)?)?;
        let weight = Tensor::new(&[1f32, 10., 100.], &device)?;
        let g = (v.flip(&[0])? * weight)?.backward()?.remove(&v).expect("a gradient");
        assert_eq!(g.to_vec1::<f32>()?, [100., 10., 1.]);
    }
    let x = Tensor::zeros((2, 3), DType::F32, &Device::Cpu)?;
    let text = |r: Result<Tensor>| r.expect_err("an error").to_string();
    assert_eq!(text(x.flip(&[2])), "flip: dimension index 2 out of range for shape (2, 3)");
    assert_eq!(text(x.flip(&[1, 1])), "flip: duplicate dim index [1, 1] for shape (2, 3)");
    assert!(x.flip(&[usize::MAX]).is_err());
    let nothing = Tensor::zeros((2, 0), DType::F32, &Device::Cpu)?;
    assert_eq!(nothing.flip(&[0, 1])?.dims(), &[2, 0]);
    Ok(())
}

#[test]
fn triangles() -> Result<()> {
    for device in devices() {
        let x = Tensor::arange(1i64, 13, &device)?.reshape((3, 4))?;
        for x in [x.clone(), x.t()?.contiguous()?.t()?] {
            let low: [[i64; 4]; 3] = [[0; 4], [5, 0, 0, 0], [9, 10, 0, 0]];
            assert_eq!(x.tril(-1)?.to_vec2::<i64>()?, low);
            let high: [[i64; 4]; 3] = [[0, 0, 3, 4], [0, 0, 0, 8], [0; 4]];
            assert_eq!(x.triu(2)?.to_vec2::<i64>()?, high);
            for k in -5..=5 {
                let both = (x.tril(k)? + x.triu(k + 1)?)?;
                assert_eq!(both.to_vec2::<i64>()?, x.to_vec2::<i64>()?);
            }
            for k in [i64::MIN, i64::MAX] {
                assert_eq!(x.tril(k)?.ne(0i64)?.any((0, 1))?.to_scalar::<bool>()?, k > 0);
                assert_eq!(x.triu(k)?.ne(0i64)?.any((0, 1))?.to_scalar::<bool>()?, k < 0);
            }
        }
        let batch = Tensor::stack(&[&x, &x.affine(2.0, 0.0)?], 0)?;
        assert_eq!(batch.tril(0)?.get(1)?.to_vec2::<i64>()?, x.affine(2.0, 0.0)?.tril(0)?.to_vec2::<i64>()?);
        let v = Var::ones((2, 2), DType::F32, &device)?;
        let g = v.triu(1)?.backward()?.remove(&v).expect("a gradient");
        assert_eq!(g.to_vec2::<f32>()?, [[0., 1.], [0., 0.]]);
        let ones = Tensor::ones((3, 3), DType::BF16, &device)?;
        let (low, high) = (Tensor::tril2(3, DType::BF16, &device)?, Tensor::triu2(3, DType::BF16, &device)?);
        assert_eq!(ones.tril(0)?.to_vec2::<half::bf16>()?, low.to_vec2::<half::bf16>()?);
        assert_eq!(ones.triu(0)?.to_vec2::<half::bf16>()?, high.to_vec2::<half::bf16>()?);
    }
    assert!(Tensor::zeros(3, DType::F32, &Device::Cpu)?.tril(0).is_err());
    Ok(())
}

#[test]
fn predicates_and_logic() -> Result<()> {
    for device in devices() {
        for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
            let x = Tensor::new(&[1f32, f32::NAN, f32::INFINITY, -f32::INFINITY, -0.], &device)?
                .to_dtype(dtype)?;
            assert_eq!(x.isnan()?.to_vec1::<bool>()?, [false, true, false, false, false]);
            assert_eq!(x.isinf()?.to_vec1::<bool>()?, [false, false, true, true, false]);
            assert_eq!(x.isfinite()?.to_vec1::<bool>()?, [true, false, false, false, true]);
            assert_eq!(x.logical_not()?.to_vec1::<bool>()?, [false, false, false, false, true]);
            let y = x.flip(&[0])?;
            assert_eq!(x.logical_and(&y)?.to_vec1::<bool>()?, [false, true, true, true, false]);
            assert_eq!(x.logical_or(&y)?.to_vec1::<bool>()?, [true; 5]);
            assert_eq!(x.logical_xor(&y)?.to_vec1::<bool>()?, [true, false, false, false, true]);
        }
        for dtype in [DType::Bool, DType::U8, DType::I8, DType::I64, DType::U64] {
            let x = Tensor::new(&[0u8, 0, 1, 1], &device)?.to_dtype(dtype)?;
            let y = Tensor::new(&[0u8, 1, 0, 1], &device)?.to_dtype(dtype)?;
            assert_eq!(x.isnan()?.to_vec1::<bool>()?, [false; 4]);
            assert_eq!(x.isinf()?.to_vec1::<bool>()?, [false; 4]);
            assert_eq!(x.isfinite()?.to_vec1::<bool>()?, [true; 4]);
            assert_eq!(x.logical_and(&y)?.to_vec1::<bool>()?, [false, false, false, true]);
            assert_eq!(x.logical_or(&y)?.to_vec1::<bool>()?, [false, true, true, true]);
            assert_eq!(x.logical_xor(&y)?.to_vec1::<bool>()?, [false, true, true, false]);
            let grid = x.reshape((4, 1))?.broadcast_logical_and(&y)?;
            assert_eq!(grid.to_vec2::<bool>()?[2], [false, true, false, true]);
        }
    }
    let (a, b) = (Tensor::zeros(2, DType::U8, &Device::Cpu)?, Tensor::zeros(3, DType::U8, &Device::Cpu)?);
    assert!(a.logical_and(&b).is_err() && a.broadcast_logical_or(&b).is_err());
    assert!(a.logical_and(&a.to_dtype(DType::F32)?).is_err());
    Ok(())
}

#[test]
fn square_matrices_of_any_size_or_an_error_that_names_the_shape() -> Result<()> {
    for device in [Device::Cpu, Device::new_testdev(7)] {
        for dtype in [DType::Bool, DType::U8, DType::BF16, DType::F64] {
            let ones = |t: Tensor| t.to_dtype(DType::U8)?.to_vec2::<u8>();
            assert_eq!(
                ones(Tensor::eye(3, dtype, &device)?)?,
                [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
                "{dtype:?}"
            );
            assert_eq!(ones(Tensor::triu2(2, dtype, &device)?)?, [[1, 1], [0, 1]], "{dtype:?}");
            assert_eq!(ones(Tensor::eye(1, dtype, &device)?)?, [[1]]);
            assert_eq!(Tensor::eye(0, dtype, &device)?.dims(), [0, 0]);
        }
        for n in [1usize << 32, (1 << 32) + 1, usize::MAX] {
            for made in [Tensor::eye, Tensor::tril2, Tensor::triu2] {
                let text = made(n, DType::U8, &device).unwrap_err().to_string();
                assert!(text.contains(&format!("({n}, {n})")), "{text}");
            }
        }
    }
    Ok(())
}
