//! Index ops: values, layouts, dtypes of indices, gradients, errors. Expected values were computed with PyTorch 2.13.
use rushlight::{DType, Device, Error, Result, Tensor, Var};

const IDS: [DType; 5] = [DType::U8, DType::U32, DType::I64, DType::I32, DType::I16];

/// Returns the CPU, and the test device, which rejects host memory.
fn devices() -> [Device; 2] {
    [Device::Cpu, Device::new_testdev(0)]
}

/// Returns the elements as f64, whatever the dtype.
fn flat(t: &Tensor) -> Result<Vec<f64>> {
    t.to_dtype(DType::F64)?.flatten_all()?.to_vec1()
}

/// Returns the same elements with an offset and other strides.
fn twisted(t: &Tensor) -> Result<Tensor> {
    let padded = t.pad_with_same(0, 1, 1)?.t()?.contiguous()?.t()?;
    padded.narrow(0, 1, t.dim(0)?)
}

fn x(device: &Device) -> Result<Tensor> {
    Tensor::arange(0f32, 12., device)?.reshape((4, 3))
}

#[test]
fn gather_values() -> Result<()> {
    for device in devices() {
        let x = x(&device)?;
        for dtype in IDS {
            let rows = Tensor::new(&[[0u32, 2, 1], [3, 3, 0]], &device)?.to_dtype(dtype)?;
            let columns = Tensor::new(&[[2u32, 0], [1, 1], [0, 2]], &device)?.to_dtype(dtype)?;
            for (x, rows, columns) in [
                (x.clone(), rows.clone(), columns.clone()),
                (twisted(&x)?, twisted(&rows)?, twisted(&columns)?),
            ] {
                assert!(x.is_contiguous() || !rows.is_contiguous());
                assert_eq!(flat(&x.gather(&rows, 0)?)?, [0., 7., 5., 9., 10., 2.]);
                // The index tensor is smaller than x in dimension 0.
                assert_eq!(flat(&x.gather(&columns, 1)?)?, [2., 0., 4., 4., 6., 8.]);
            }
        }
    }
    Ok(())
}

#[test]
fn gather_gradient_of_a_smaller_index_tensor() -> Result<()> {
    for device in devices() {
        let x = Var::from_tensor(&x(&device)?)?;
        let ids = Tensor::new(&[[2u32, 0], [1, 1], [0, 2]], &device)?;
        let weight = Tensor::new(&[[1f32, 2.], [3., 4.], [5., 6.]], &device)?;
        let grads = (x.gather(&ids, 1)? * weight)?.backward()?;
        let g = grads.get(&x).expect("x has a gradient");
        assert_eq!(flat(g)?, [2., 0., 1., 0., 7., 0., 5., 0., 6., 0., 0., 0.]);
    }
    Ok(())
}

#[test]
fn scatter_values() -> Result<()> {
    let set = [1., 1., 6., 3., 4., 3., 6., 2., 8., 4., 5., 11.];
    let add = [1., 1., 8., 3., 4., 8., 6., 9., 8., 13., 15., 11.];
    for device in devices() {
        let x = x(&device)?;
        let src = Tensor::new(&[[1f32, 2., 3.], [4., 5., 6.]], &device)?;
        for dtype in IDS {
            let ids = Tensor::new(&[[0u32, 2, 1], [3, 3, 0]], &device)?.to_dtype(dtype)?;
            for (x, ids, src) in
                [(x.clone(), ids.clone(), src.clone()), (twisted(&x)?, twisted(&ids)?, twisted(&src)?)]
            {
                assert_eq!(flat(&x.scatter(&ids, &src, 0)?)?, set);
                assert_eq!(flat(&x.scatter_add(&ids, &src, 0)?)?, add);
                // The same along the other dimension, on transposed tensors.
                let (xt, idt, st) = (x.t()?, ids.t()?, src.t()?);
                assert_eq!(flat(&xt.scatter(&idt, &st, 1)?.t()?)?, set);
                assert_eq!(flat(&xt.scatter_add(&idt, &st, 1)?.t()?)?, add);
                // In place, also through a strided view.
                for y in [x.copy()?, twisted(&x.copy()?)?] {
                    let y = y.detach();
                    y.scatter_set(&ids, &src, 0)?;
                    assert_eq!(flat(&y)?, set);
                    let y = y.t()?;
                    y.scatter_set(&idt, &xt.gather(&idt, 1)?, 1)?;
                    assert_eq!(flat(&y.t()?)?, flat(&x)?);
                    y.scatter_add_set(&idt, &st, 1)?;
                    assert_eq!(flat(&y.t()?)?, add);
                }
            }
        }
    }
    Ok(())
}

#[test]
fn scatter_in_place_writes_only_its_view() -> Result<()> {
    let x = x(&Device::Cpu)?;
    let ids = Tensor::new(&[[1u8], [0]], &Device::Cpu)?;
    let src = Tensor::new(&[[-1f32], [-2.]], &Device::Cpu)?;
    x.narrow(0, 1, 2)?.narrow(1, 1, 2)?.scatter_set(&ids, &src, 1)?;
    assert_eq!(flat(&x)?, [0., 1., 2., 3., 4., -1., 6., -2., 8., 9., 10., 11.]);
    Ok(())
}

#[test]
fn scatter_keeps_the_last_of_equal_indices() -> Result<()> {
    // Large enough for several threads.
    let (rows, n) = (64, 4000);
    let ids = Tensor::zeros((rows, n), DType::U32, &Device::Cpu)?;
    let src = Tensor::arange(0i64, (rows * n) as i64, &Device::Cpu)?.reshape((rows, n))?;
    let out = Tensor::zeros((rows, 2), DType::I64, &Device::Cpu)?.scatter(&ids, &src, 1)?;
    let last: Vec<i64> = (1..=rows as i64).flat_map(|r| [r * n as i64 - 1, 0]).collect();
    assert_eq!(out.flatten_all()?.to_vec1::<i64>()?, last);
    // Fewer rows of indices than the target has; then a scatter along dimension 0.
    let sums = Tensor::zeros((rows + 3, 2), DType::I64, &Device::Cpu)?.scatter_add(&ids, &src, 1)?;
    let want: Vec<i64> = (0..rows as i64)
        .map(|r| {
            let n = n as i64;
            n * n * r + n * (n - 1) / 2
        })
        .chain([0; 3])
        .collect();
    assert_eq!(sums.narrow(1, 0, 1)?.flatten_all()?.to_vec1::<i64>()?, want);
    let down = Tensor::zeros((3, n), DType::I64, &Device::Cpu)?.scatter(&ids, &src, 0)?;
    assert_eq!(down.get(0)?.to_vec1::<i64>()?, src.get(rows - 1)?.to_vec1::<i64>()?);
    assert_eq!(down.get(1)?.max_all()?.to_scalar::<i64>()?, 0);
    Ok(())
}

#[test]
fn scatter_gradients() -> Result<()> {
    for device in devices() {
        let x = Var::from_tensor(&Tensor::new(&[1f64, 2., 3., 4.], &device)?)?;
        let src = Var::from_tensor(&Tensor::new(&[5f64, 6., 7.], &device)?)?;
        // Element 2 is written twice: only the last source element counts.
        let ids = Tensor::new(&[2u32, 0, 2], &device)?;
        let weight = Tensor::new(&[10f64, 20., 30., 40.], &device)?;
        let grads = (x.scatter(&ids, &src, 0)? * &weight)?.backward()?;
        assert_eq!(flat(grads.get(&x).expect("x"))?, [0., 20., 0., 40.]);
        assert_eq!(flat(grads.get(&src).expect("src"))?, [0., 10., 30.]);
        let grads = (x.scatter_add(&ids, &src, 0)? * &weight)?.backward()?;
        assert_eq!(flat(grads.get(&x).expect("x"))?, [10., 20., 30., 40.]);
        assert_eq!(flat(grads.get(&src).expect("src"))?, [30., 10., 30.]);
    }
    Ok(())
}

#[test]
fn half_floats_accumulate_in_f32() -> Result<()> {
    for (dtype, base) in [(DType::F16, 2048.), (DType::BF16, 256.)] {
        // If ones were added one by one in the dtype itself, the sum would stay at the base.
        let x = Tensor::new(&[base], &Device::Cpu)?.to_dtype(dtype)?;
        let ones = Tensor::ones(5, dtype, &Device::Cpu)?;
        let ids = Tensor::zeros(5, DType::I64, &Device::Cpu)?;
        let want = Tensor::new(&[base + 5.], &Device::Cpu)?.to_dtype(dtype)?;
        assert_ne!(flat(&want)?, [base]);
        assert_eq!(flat(&x.scatter_add(&ids, &ones, 0)?)?, flat(&want)?);
        assert_eq!(flat(&x.index_add(&ids, &ones, 0)?)?, flat(&want)?);
        let y = x.broadcast_as((3, 1))?.contiguous()?;
        y.narrow(0, 1, 1)?.scatter_add_set(&ids.reshape((1, 5))?, &ones.reshape((1, 5))?, 1)?;
        assert_eq!(flat(&y)?, [base, flat(&want)?[0], base]);
    }
    Ok(())
}

#[test]
fn sums_keep_fractions() -> Result<()> {
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
        let x = Tensor::new(&[0.25f32, 0.5], &Device::Cpu)?.to_dtype(dtype)?;
        let ids = Tensor::new(&[1u8, 1], &Device::Cpu)?;
        assert_eq!(flat(&x.scatter_add(&ids, &x, 0)?)?, [0.25, 1.25]);
        assert_eq!(flat(&x.index_add(&ids, &x, 0)?)?, [0.25, 1.25]);
        x.scatter_add_set(&ids, &x.copy()?, 0)?;
        assert_eq!(flat(&x)?, [0.25, 1.25]);
    }
    Ok(())
}

#[test]
fn indices_equal_to_their_types_max_are_padding() -> Result<()> {
    // 256 elements. With U8 indices, candle's methods take 255 as padding.
    let x = Tensor::arange(1f32, 257., &Device::Cpu)?;
    let ids = Tensor::new(&[255u8, 254], &Device::Cpu)?;
    assert_eq!(flat(&x.gather(&ids, 0)?)?, [0., 255.]);
    assert_eq!(flat(&x.index_select(&ids, 0)?)?, [0., 255.]);
    // In the op without padding, 255 is an index like any other, also in the gradient.
    use rushlight::ops::{IndexMode, Op, gather::Gather, index_select::IndexSelect};
    let v = Var::from_tensor(&x)?;
    for op in [
        Op::Gather(Gather { dim: 0, rule: IndexMode::Within }),
        Op::IndexSelect(IndexSelect { dim: 0, rule: IndexMode::Within }),
    ] {
        let y = Tensor::run(op, &[&v, &ids])?;
        assert_eq!(flat(&y)?, [256., 255.]);
        let g = y.backward()?.remove(&v).expect("a gradient");
        assert_eq!(flat(&g.narrow(0, 253, 3)?)?, [0., 1., 1.]);
    }
    let ids = Tensor::new(&[u32::MAX, 1], &Device::Cpu)?;
    let two = Tensor::new(&[5f32, 6.], &Device::Cpu)?;
    assert_eq!(flat(&two.scatter_add(&ids, &two, 0)?)?, [5., 12.]);
    assert_eq!(flat(&two.index_add(&ids, &two, 0)?)?, [5., 12.]);
    Ok(())
}

#[test]
fn a_bad_id_is_an_error_and_writes_nothing() -> Result<()> {
    let is_index = |r: Result<Tensor>, op: &str, index: i64, size: usize| match r.map_err(|e| e.to_string()) {
        Err(text) => assert_eq!(text, format!("{op} invalid index {index} with dim size {size}")),
        Ok(t) => panic!("{op}: {t:?} instead of an error"),
    };
    let x = x(&Device::Cpu)?;
    let ids = Tensor::new(&[[0i64, 1, 4]], &Device::Cpu)?;
    let src = Tensor::ones((1, 3), DType::F32, &Device::Cpu)?;
    is_index(x.gather(&ids, 0), "gather", 4, 4);
    is_index(x.scatter(&ids, &src, 0), "scatter", 4, 4);
    is_index(x.scatter_add(&ids, &src, 0), "scatter_add", 4, 4);
    is_index(x.index_select(&ids.squeeze(0)?, 0), "index_select", 4, 4);
    is_index(x.gather(&Tensor::new(&[[-1i32; 3]], &Device::Cpu)?, 0), "gather", -1, 4);
    let before = flat(&x)?;
    is_index(x.scatter_set(&ids, &src, 0).map(|()| x.clone()), "scatter_set", 4, 4);
    is_index(x.scatter_add_set(&ids, &src, 0).map(|()| x.clone()), "scatter_add_set", 4, 4);
    assert_eq!(flat(&x)?, before);
    // An empty dimension, from which nothing can be selected.
    let empty = Tensor::zeros((0, 3), DType::F32, &Device::Cpu)?;
    is_index(empty.gather(&Tensor::zeros((1, 3), DType::U8, &Device::Cpu)?, 0), "gather", 0, 0);
    Ok(())
}

#[test]
fn wrong_shapes_and_dtypes() -> Result<()> {
    let x = x(&Device::Cpu)?;
    let ids = Tensor::zeros((2, 3), DType::U32, &Device::Cpu)?;
    let text = |r: Result<Tensor>| r.expect_err("an error").to_string();
    assert_eq!(
        text(x.gather(&Tensor::zeros((2, 4), DType::U32, &Device::Cpu)?, 0)),
        "shape mismatch in gather, lhs: (4, 3), rhs: (2, 4)"
    );
    assert_eq!(text(x.gather(&ids.to_dtype(DType::F32)?, 0)), "unsupported dtype F32 for op gather");
    assert_eq!(text(x.gather(&ids.to_dtype(DType::U64)?, 0)), "unsupported dtype U64 for op gather");
    let src = Tensor::zeros((2, 3), DType::F64, &Device::Cpu)?;
    assert_eq!(text(x.scatter(&ids, &src, 0)), "dtype mismatch in scatter, lhs: F32, rhs: F64");
    assert_eq!(text(x.gather(&ids, 2)), "gather: dimension index 2 out of range for shape (4, 3)");
    let src = Tensor::zeros((2, 2), DType::F32, &Device::Cpu)?;
    assert_eq!(
        text(x.scatter(&ids, &src, 1)),
        "shape mismatch in scatter (indexes, src), lhs: (2, 3), rhs: (2, 2)"
    );
    // The target of an in-place op must not share storage with its source, be part of a graph, or be broadcast.
    let shared = x.scatter_set(&Tensor::zeros((4, 3), DType::U32, &Device::Cpu)?, &x, 0);
    assert!(matches!(shared.expect_err("shared").root(), Error::SharedStorage { .. }));
    let var = Var::from_tensor(&x)?;
    let src = Tensor::zeros((2, 3), DType::F32, &Device::Cpu)?;
    // A source whose gradient would be lost is rejected.
    let tracked = Var::from_tensor(&src)?;
    for lost in [x.scatter_set(&ids, &tracked, 0), x.scatter_add_set(&ids, &tracked, 0)] {
        assert!(matches!(lost.expect_err("tracked").root(), Error::InplaceOnTracked { .. }));
    }
    rushlight::autograd::no_grad(|| x.copy()?.scatter_set(&ids, &tracked, 0))?;
    let lost = x.index_put_set(2, &ids, &tracked, false);
    assert!(matches!(lost.expect_err("tracked").root(), Error::InplaceOnTracked { .. }));
    assert!(matches!(
        var.scatter_set(&ids, &src, 0).expect_err("tracked").root(),
        Error::InplaceOnTracked { .. }
    ));
    assert!(
        Tensor::zeros(3, DType::F32, &Device::Cpu)?.broadcast_as((4, 3))?.scatter_set(&ids, &src, 0).is_err()
    );
    Ok(())
}

#[test]
fn index_select_of_any_layout() -> Result<()> {
    for device in devices() {
        let x = Tensor::arange(0i32, 24, &device)?.reshape((2, 3, 4))?;
        for dim in 0..3 {
            let ids = Tensor::new(&[1u32, 0, 1, 1, 0], &device)?;
            // Strided indices: every second element of ten.
            let spread = Tensor::stack(&[&ids, &ids.affine(0.0, 7.0)?], 1)?.narrow(1, 0, 1)?.squeeze(1)?;
            assert_eq!(spread.stride(), &[2]);
            let parts: Vec<Tensor> =
                [1, 0, 1, 1, 0].iter().map(|&i| x.narrow(dim, i, 1)).collect::<Result<_>>()?;
            let want = flat(&Tensor::cat(&parts, dim)?)?;
            for x in [x.clone(), x.permute((2, 0, 1))?.contiguous()?.permute((1, 2, 0))?] {
                assert_eq!(flat(&x.index_select(&ids, dim)?)?, want);
                assert_eq!(flat(&x.index_select(&spread, dim)?)?, want);
            }
        }
        // An offset view.
        let tail = x.narrow(0, 1, 1)?;
        let ids = Tensor::new(&[2u32, u32::MAX], &device)?;
        assert_eq!(flat(&tail.index_select(&ids, 1)?)?, [20., 21., 22., 23., 0., 0., 0., 0.]);
        let turned = tail.t()?;
        assert_eq!(flat(&turned.index_select(&ids, 2)?)?, [20., 0., 21., 0., 22., 0., 23., 0.]);
    }
    Ok(())
}

#[test]
fn one_hot_rows() -> Result<()> {
    for device in devices() {
        let ids = Tensor::new(&[[0i64, 2], [1, -1]], &device)?;
        let hot = ids.one_hot(4, 2f32, -1.)?;
        assert_eq!(
            hot.to_vec3::<f32>()?,
            [[[2., -1., -1., -1.], [-1., -1., 2., -1.]], [[-1., 2., -1., -1.], [-1., -1., -1., -1.]]]
        );
        assert!(ids.one_hot(2, 1u8, 0).is_err());
        assert!(ids.affine(1.0, -1.0)?.one_hot(4, 1u8, 0).is_err());
        // Without the sentinel, candle's -1 is an error.
        use rushlight::Scalar::U8;
        assert!(ids.one_hot_scalar(4, U8(1), U8(0), false).is_err());
        assert!(Tensor::new(u32::MAX, &device)?.one_hot(4, 1u8, 0).is_err());
        assert!(Tensor::new(i64::MAX, &device)?.one_hot(4, 1u8, 0).is_err());
        let hot = Tensor::new(3u8, &device)?.one_hot_scalar(4, U8(1), U8(0), false)?;
        assert_eq!(hot.to_vec1::<u8>()?, [0, 0, 0, 1]);
        assert_eq!(Tensor::zeros((2, 0), DType::U8, &device)?.one_hot(3, 1u8, 0)?.dims(), &[2, 0, 3]);
    }
    Ok(())
}

#[test]
fn masks() -> Result<()> {
    for device in devices() {
        let z = Tensor::new(&[[[0i32, 1], [2, 0]], [[0, 0], [3, 4]]], &device)?;
        let want = [[0i64, 0, 1], [0, 1, 0], [1, 1, 0], [1, 1, 1]];
        assert_eq!(z.nonzero()?.to_vec2::<i64>()?, want);
        assert_eq!(z.t()?.t()?.nonzero()?.to_vec2::<i64>()?, want);
        assert_eq!(z.ne(0i32)?.nonzero()?.to_vec2::<i64>()?, want);
        assert_eq!(z.zeros_like()?.nonzero()?.dims(), &[0, 3]);
        assert_eq!(Tensor::new(5f32, &device)?.nonzero()?.dims(), &[1, 0]);
        assert_eq!(Tensor::zeros((2, 0), DType::F32, &device)?.nonzero()?.dims(), &[0, 2]);
        assert_eq!(Tensor::new(&[f32::NAN, -0., 0.], &device)?.nonzero()?.to_vec2::<i64>()?, [[0]]);

        let m = Tensor::arange(0f32, 24., &device)?.reshape((2, 3, 4))?;
        let mask = Tensor::new(&[[true, false, true], [false, false, true]], &device)?;
        let rows = [[0f32, 1., 2., 3.], [8., 9., 10., 11.], [20., 21., 22., 23.]];
        assert_eq!(m.boolean_mask(&mask)?.to_vec2::<f32>()?, rows);
        assert_eq!(m.masked_select(&mask.unsqueeze(2)?)?.to_vec1::<f32>()?, rows.concat());
        assert_eq!(m.boolean_mask(&Tensor::new(true, &device)?)?.dims(), &[1, 2, 3, 4]);
        assert!(m.boolean_mask(&mask.t()?).is_err());
        let v = Var::from_tensor(&Tensor::new(&[1f32, 2., 3.], &device)?)?;
        let picked = v.masked_select(&v.ne(2f32)?)?;
        let g = picked.sqr()?.backward()?.remove(&v).expect("a gradient");
        assert_eq!(g.to_vec1::<f32>()?, [2., 0., 6.]);
    }
    Ok(())
}

#[test]
fn index_put_values_and_gradients() -> Result<()> {
    for device in devices() {
        let m = Tensor::arange(0f32, 24., &device)?.reshape((2, 3, 4))?;
        let at = Tensor::flat_positions(
            &[&Tensor::new(&[1u8, 0], &device)?, &Tensor::new(&[2i64, -1], &device)?],
            &[2, 3],
        )?;
        let rows = Tensor::new(&[[-1f32, -2., -3., -4.], [-5., -6., -7., -8.]], &device)?;
        let out = m.index_put_leading(2, &at, &rows, false)?;
        let mut want = flat(&m)?;
        want[20..].copy_from_slice(&[-1., -2., -3., -4.]);
        want[8..12].copy_from_slice(&[-5., -6., -7., -8.]);
        assert_eq!(flat(&out)?, want);
        // In place, for a row-major tensor and a permuted one.
        for view in [m.copy()?, m.permute((2, 0, 1))?.contiguous()?.permute((1, 2, 0))?] {
            view.index_put_set(2, &at, &rows, false)?;
            assert_eq!(flat(&view)?, want);
        }
        assert_eq!(flat(&m.index_leading(2, &at)?)?, [20., 21., 22., 23., 8., 9., 10., 11.]);

        let x = Var::from_tensor(&Tensor::new(&[[1f64, 2.], [3., 4.]], &device)?)?;
        let v = Var::from_tensor(&Tensor::new(&[5f64, 6., 7.], &device)?)?;
        let at = Tensor::new(&[3i64, 0, 3], &device)?;
        let out = x.index_put(&at, &v, true)?;
        assert_eq!(flat(&out)?, [7., 2., 3., 16.]);
        let grads = out.sqr()?.backward()?;
        assert_eq!(flat(grads.get(&x).expect("x"))?, [14., 4., 6., 32.]);
        assert_eq!(flat(grads.get(&v).expect("v"))?, [32., 14., 32.]);
        let grads = x.index_put(&at, &v, false)?.sqr()?.backward()?;
        assert_eq!(flat(grads.get(&x).expect("x"))?, [0., 4., 6., 0.]);
        assert_eq!(flat(grads.get(&v).expect("v"))?, [0., 12., 14.]);
        assert!(x.index_put_set(2, &at, &v, false).is_err());
    }
    let x = Tensor::zeros((2, 2), DType::F32, &Device::Cpu)?;
    let one = Tensor::new(1f32, &Device::Cpu)?;
    for bad in [-1i64, 4] {
        let at = Tensor::new(&[0, bad], &Device::Cpu)?;
        assert!(x.index_put(&at, &one, false).is_err());
        assert!(x.index_put_set(2, &at, &one, false).is_err());
        assert_eq!(flat(&x)?, [0.; 4]);
    }
    Ok(())
}

#[test]
fn positions_out_of_range() -> Result<()> {
    // Even sizes: an invalid index, multiplied by the size 4, must not overflow to a valid one.
    for (bad, dim) in [(-3i64, 0), (2, 0), (-5, 1), (4, 1)] {
        for device in devices() {
            let mut ids = [Tensor::new(&[0i64, 1], &device)?, Tensor::new(&[0i64, 1], &device)?];
            ids[dim] = Tensor::new(&[0, bad], &device)?;
            let at = Tensor::flat_positions(&[&ids[0], &ids[1]], &[2, 4]);
            if let Device::Cpu = device {
                let size = [2, 4][dim];
                let text = at.expect_err("out of range").to_string();
                assert_eq!(text, format!("index invalid index {bad} with dim size {size}"));
            } else {
                let x = Tensor::zeros((2, 4), DType::F32, &device)?;
                assert!(x.index_put(&at?, &Tensor::new(1f32, &device)?, false).is_err());
            }
        }
    }
    Ok(())
}
