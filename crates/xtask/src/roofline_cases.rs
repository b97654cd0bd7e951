//! `roofline`: runs the kernel forms whose cost is modelled, each alone, on the device of the environment. It prints the
//! description of each form and then what the virtual GPU counts; `cargo xtask roofline --count` reads both from stderr.
use crate::Outcome;
use rushlight::ops::Reduction;
use rushlight::ops::adam_step::AdamStep;
use rushlight::quantized::{GgmlDType, limit_scales};
use rushlight::{DType, Device, Result, Tensor};
use xtask::roofline::counts::{Case, Growth, Ideal};

/// Growth of what each element costs, with blocks for more elements.
const LINEAR: Growth = Growth { work: 1, bytes: 1, blocks: 1 };
/// The same in the same blocks: a longer line of one block.
const LONGER: Growth = Growth { work: 1, bytes: 1, blocks: 0 };
/// Products of square matrices, by the length of a side; attention, by the sequence's length and the number of heads.
const PRODUCT: Growth = Growth { work: 3, bytes: 2, blocks: 2 };

/// Percent of the bandwidth that memory-bound forms must reach, of the peak for products, and of either for all others.
const STREAM: f64 = 80.0;
const GEMM_F16: f64 = 60.0;
const GEMM_F32: f64 = 70.0;
const LEAST: f64 = 50.0;

const M: usize = 1 << 20;
const F32: DType = DType::F32;
const F16: DType = DType::F16;

/// Runs all cases, or those whose number is `part` modulo `parts`.
pub fn run(args: &[String]) -> Outcome {
    let number = |n: usize| args.get(n).map_or(Ok(n), |a| a.parse::<usize>());
    let (part, parts) = (number(0)?, number(1)?);
    let mut r = Runner { device: Device::new_rocm(0)?, part, parts, number: 0 };
    elementwise(&mut r)?;
    reductions(&mut r)?;
    lines(&mut r)?;
    indices(&mut r)?;
    products(&mut r)?;
    quantized(&mut r)?;
    windows(&mut r)?;
    Ok(())
}

struct Runner {
    device: Device,
    part: usize,
    parts: usize,
    number: usize,
}

/// The sizes of a form: elements, bytes and operations, how they grow, and the goal.
struct Sizes {
    ideal: Ideal,
    elements: usize,
    bytes: usize,
    operations: usize,
    growth: Growth,
    goal: f64,
}

/// Returns the sizes of a form that reads and writes `bytes` for each element.
fn stream(elements: usize, bytes: usize) -> Sizes {
    Sizes {
        ideal: Ideal::Memory,
        elements,
        bytes: elements * bytes,
        operations: 0,
        growth: LINEAR,
        goal: STREAM,
    }
}

impl Runner {
    /// Runs a form, unless it is not of this part.
    fn case(
        &mut self,
        family: &str,
        name: &str,
        sizes: Sizes,
        run: impl FnOnce(&Device) -> Result<Box<dyn FnOnce() -> Result<()>>>,
    ) -> Result<()> {
        self.number += 1;
        if (self.number - 1) % self.parts.max(1) != self.part % self.parts.max(1) {
            return Ok(());
        }
        let Sizes { ideal, elements, bytes, operations, growth, goal } = sizes;
        let [elements, bytes, operations] = [elements, bytes, operations].map(|n| n as f64);
        let (name, family) = (name.to_string(), family.to_string());
        let case = Case { name, family, ideal, elements, bytes, operations, growth, goal };
        let run = run(&self.device)?;
        self.device.synchronize()?;
        eprintln!("{}", case.line());
        run()?;
        self.device.synchronize()?;
        eprintln!("end");
        Ok(())
    }
}

/// Returns numbers from -2 to 2 that are the same in every run.
fn data(shape: &[usize], dtype: DType, device: &Device) -> Result<Tensor> {
    let n = shape.iter().product();
    let v = (0..n).map(|i: usize| ((i * 7919 + i / 7) % 257) as f32 / 64.0 - 2.0).collect();
    Tensor::from_vec::<_, f32>(v, shape, &Device::Cpu)?.to_dtype(dtype)?.to_device(device)
}

/// Returns indices below a number, in no order; each once in every `below` of them if that is a power of two.
fn ids(shape: &[usize], below: usize, device: &Device) -> Result<Tensor> {
    let n = shape.iter().product();
    let v = (0..n).map(|i: usize| i.wrapping_mul(2_654_435_761) % below).map(|i| i as u32).collect();
    Tensor::from_vec::<_, u32>(v, shape, &Device::Cpu)?.to_device(device)
}

/// Returns what runs an op and drops its result.
fn once(op: impl FnOnce() -> Result<Tensor> + 'static) -> Result<Box<dyn FnOnce() -> Result<()>>> {
    Ok(Box::new(move || op().map(drop)))
}

type Unary = fn(&Tensor) -> Result<Tensor>;

fn elementwise(r: &mut Runner) -> Result<()> {
    let family = "elementwise contiguous";
    for (name, n) in [("add f32", M), ("add f32 large", 8 * M)] {
        r.case(family, name, stream(n, 12), |d| {
            let (x, y) = (data(&[n], F32, d)?, data(&[n], F32, d)?);
            once(move || &x + &y)
        })?;
    }
    r.case(family, "add f16", stream(2 * M, 6), |d| {
        let (x, y) = (data(&[2 * M], F16, d)?, data(&[2 * M], F16, d)?);
        once(move || &x + &y)
    })?;
    let unary: [(&str, DType, usize, Unary); 7] = [
        ("exp f32", F32, 2 * M, |x| x.exp()),
        ("exp f32 large", F32, 8 * M, |x| x.exp()),
        ("exp f16", F16, 4 * M, |x| x.exp()),
        ("gelu f32", F32, 2 * M, |x| x.gelu()),
        ("gelu f32 large", F32, 8 * M, |x| x.gelu()),
        ("gelu_erf f32", F32, 2 * M, |x| x.gelu_erf()),
        ("gelu f16", F16, 4 * M, |x| x.gelu()),
    ];
    for (name, dtype, n, op) in unary {
        r.case(family, name, stream(n, 2 * dtype.size_in_bytes()), |d| {
            let x = data(&[n], dtype, d)?;
            once(move || op(&x))
        })?;
    }
    let family = "broadcast, strided";
    for (name, dtype) in [("row add f32", F32), ("row add f16", F16)] {
        r.case(family, name, stream(2 * M, 2 * dtype.size_in_bytes()), |d| {
            let (x, y) = (data(&[2048, 1024], dtype, d)?, data(&[1024], dtype, d)?);
            once(move || x.broadcast_add(&y))
        })?;
    }
    r.case(family, "scalar compare f32", stream(2 * M, 5), |d| {
        let x = data(&[2 * M], F32, d)?;
        once(move || x.gt(0.0))
    })?;
    r.case(family, "where f32", stream(M, 13), |d| {
        let (x, y) = (data(&[M], F32, d)?, data(&[M], F32, d)?);
        let c = x.to_device(&Device::Cpu)?.gt(0.0)?.to_device(d)?;
        once(move || c.where_cond(&x, &y))
    })?;
    r.case(family, "affine f32", stream(2 * M, 8), |d| {
        let x = data(&[2 * M], F32, d)?;
        once(move || x.affine(2.0, 1.0))
    })?;
    for (name, dtype) in [("transposed copy f32", F32), ("transposed copy f16", F16)] {
        r.case("transposed copy", name, stream(2 * M, 2 * dtype.size_in_bytes()), |d| {
            let x = data(&[1024, 2048], dtype, d)?;
            once(move || x.t()?.copy())
        })?;
    }
    for (name, from, to) in [("cast f32 f16", F32, F16), ("cast f16 f32", F16, F32)] {
        r.case("cast", name, stream(2 * M, 6), |d| {
            let x = data(&[2 * M], from, d)?;
            once(move || x.to_dtype(to))
        })?;
    }
    r.case("optimizer", "adam f32", stream(M, 28), |d| {
        let [p, m, v, g] = [(); 4].map(|_| data(&[M], F32, d));
        let (p, m, v, g) = (p?, m?, v?.sqr()?, g?);
        Ok(Box::new(move || p.adam_step(&m, &v, &g, AdamStep::adam(1))))
    })
}

fn reductions(r: &mut Runner) -> Result<()> {
    for (name, dtype) in [("sum rows f32", F32), ("sum rows f16", F16)] {
        r.case("reduce rows, all", name, stream(4 * M, dtype.size_in_bytes()), |d| {
            let x = data(&[4096, 1024], dtype, d)?;
            once(move || x.sum(1))
        })?;
    }
    r.case("reduce rows, all", "sum all f32", stream(4 * M, 4), |d| {
        let x = data(&[4 * M], F32, d)?;
        once(move || x.sum_all())
    })?;
    r.case("reduce rows, all", "max rows f32", stream(4 * M, 4), |d| {
        let x = data(&[4096, 1024], F32, d)?;
        once(move || x.max(1))
    })?;
    r.case("reduce columns", "sum columns f32", stream(4 * M, 4), |d| {
        let x = data(&[4096, 1024], F32, d)?;
        once(move || x.sum(0))
    })?;
    let many = Sizes { growth: LINEAR, ..stream(M, 8) };
    r.case("cumsum", "cumsum lines f32", many, |d| {
        let x = data(&[4096, 256], F32, d)?;
        once(move || x.cumsum(1))
    })?;
    r.case("cumsum", "cumsum 1-D f32", Sizes { growth: LONGER, ..stream(M, 8) }, |d| {
        let x = data(&[M], F32, d)?;
        once(move || x.cumsum(0))
    })
}

fn lines(r: &mut Runner) -> Result<()> {
    let softmax = [
        ("softmax short", "softmax 256 f32", [4096, 256], F32),
        ("softmax short", "softmax 1024 f16", [2048, 1024], F16),
        ("softmax long", "softmax 4096 f32", [256, 4096], F32),
        ("softmax long", "softmax 32768 f32", [32, 32_768], F32),
    ];
    for (family, name, [rows, n], dtype) in softmax {
        r.case(family, name, stream(rows * n, 2 * dtype.size_in_bytes()), |d| {
            let x = data(&[rows, n], dtype, d)?;
            once(move || x.softmax(1))
        })?;
    }
    r.case("norms", "layer_norm 1024 f32", stream(M, 8), |d| {
        let (x, w, b) = (data(&[1024, 1024], F32, d)?, data(&[1024], F32, d)?, data(&[1024], F32, d)?);
        once(move || x.layer_norm(1, Some(&w), Some(&b), 1e-5))
    })?;
    r.case("norms", "rms_norm 4096 f16", stream(M, 4), |d| {
        let (x, w) = (data(&[256, 4096], F16, d)?, data(&[4096], F16, d)?);
        once(move || x.rms_norm(1, Some(&w), 1e-5))
    })?;
    for (name, [rows, classes]) in [("1000", [1024, 1000]), ("32k", [32, 32_000])] {
        let (forward, backward) =
            (format!("cross_entropy {name} f32"), format!("cross_entropy {name} backward f32"));
        r.case("cross entropy", &forward, stream(rows * classes, 4), |d| {
            let (x, t) = (data(&[rows, classes], F32, d)?, ids(&[rows], classes, d)?);
            once(move || x.cross_entropy(&t, Reduction::Mean, -100, 0.0))
        })?;
        // It reads the logits and writes their gradient.
        r.case("cross entropy", &backward, stream(rows * classes, 8), |d| {
            let (x, t) = (data(&[rows, classes], F32, d)?.leaf(), ids(&[rows], classes, d)?);
            let loss = x.cross_entropy(&t, Reduction::Mean, -100, 0.0)?;
            Ok(Box::new(move || loss.backward_accumulate(None)))
        })?;
    }
    Ok(())
}

fn indices(r: &mut Runner) -> Result<()> {
    let sort = |n: usize| Sizes { goal: LEAST, ..stream(n, 8) };
    r.case("argsort", "argsort lines 1024 f32", sort(M / 4), |d| {
        let x = data(&[256, 1024], F32, d)?;
        once(move || x.arg_sort_last_dim(true))
    })?;
    r.case("argsort", "argsort 131072 f32", sort(M / 8), |d| {
        let x = data(&[M / 8], F32, d)?;
        once(move || x.arg_sort_last_dim(true))
    })?;
    // Index and element are read, an element is written.
    r.case("gather", "gather f32", stream(M, 12), |d| {
        let (x, i) = (data(&[1024, 1024], F32, d)?, ids(&[1024, 1024], 1024, d)?);
        once(move || x.gather(&i, 1))
    })?;
    r.case("gather", "gather f16", stream(M, 8), |d| {
        let (x, i) = (data(&[1024, 1024], F16, d)?, ids(&[1024, 1024], 1024, d)?);
        once(move || x.gather(&i, 1))
    })?;
    r.case("index_select", "index_select rows 512 f32", stream(2 * M, 8), |d| {
        let (x, i) = (data(&[4096, 512], F32, d)?, ids(&[4096], 4096, d)?);
        once(move || x.index_select(&i, 0))
    })?;
    // The source is read, the target is read and written.
    r.case("scatter_add, index_add", "scatter_add f32", stream(M, 16), |d| {
        let (x, y) = (data(&[1024, 1024], F32, d)?, data(&[1024, 1024], F32, d)?);
        let i = ids(&[1024, 1024], 1024, d)?;
        once(move || x.scatter_add(&i, &y, 1))
    })?;
    r.case("scatter_add, index_add", "index_add rows 512 f32", stream(M, 12), |d| {
        let (x, y, i) = (data(&[2048, 512], F32, d)?, data(&[2048, 512], F32, d)?, ids(&[2048], 2048, d)?);
        once(move || x.index_add(&i, &y, 0))
    })
}

fn products(r: &mut Runner) -> Result<()> {
    let product = |n: usize, dtype: DType| Sizes {
        ideal: if dtype == F16 { Ideal::F16 } else { Ideal::F32 },
        elements: n * n * n,
        bytes: 3 * n * n * dtype.size_in_bytes(),
        operations: 2 * n * n * n,
        growth: PRODUCT,
        goal: if dtype == F16 { GEMM_F16 } else { GEMM_F32 },
    };
    for (name, dtype) in [("matmul 512 f32", F32), ("matmul 512 f16", F16)] {
        r.case("matmul", name, product(512, dtype), |d| {
            let (x, y) = (data(&[512, 512], dtype, d)?, data(&[512, 512], dtype, d)?);
            once(move || x.matmul(&y))
        })?;
    }
    // Batches, of which each compute unit gets a large tile.
    let batch = 20;
    for (name, dtype) in [("matmul 20 of 512 f32", F32), ("matmul 20 of 512 f16", F16)] {
        let one = product(512, dtype);
        let sizes = Sizes {
            elements: batch * one.elements,
            bytes: batch * one.bytes,
            operations: batch * one.operations,
            ..one
        };
        r.case("matmul", name, sizes, |d| {
            let (x, y) = (data(&[batch, 512, 512], dtype, d)?, data(&[batch, 512, 512], dtype, d)?);
            once(move || x.matmul(&y))
        })?;
    }
    // Two products of 2 heads of 512 queries and keys of 64 numbers; the gradients compute five. Heads grow with the
    // sequence.
    let (heads, long) = (2, 512);
    let attention = |dtype: DType, products: usize, size: usize| Sizes {
        ideal: if dtype == F16 { Ideal::F16 } else { Ideal::F32 },
        elements: products * heads * long * long * size,
        bytes: 4 * heads * long * size * dtype.size_in_bytes(),
        operations: 2 * products * heads * long * long * size,
        growth: PRODUCT,
        goal: LEAST,
    };
    for (name, dtype) in [("f32", F32), ("f16", F16)] {
        let shape = [1, heads, long, 64];
        r.case("attention", &format!("attention {name}"), attention(dtype, 2, 64), |d| {
            let [q, k, v] = [(); 3].map(|_| data(&shape, dtype, d));
            let (q, k, v) = (q?, k?, v?);
            once(move || q.scaled_dot_product_attention(&k, &v, None, 0.0, false, None))
        })?;
        r.case("attention", &format!("attention backward {name}"), attention(dtype, 5, 64), |d| {
            let [q, k, v] = [(); 3].map(|_| data(&shape, dtype, d).map(|t| t.leaf()));
            let y = q?.scaled_dot_product_attention(&k?, &v?, None, 0.0, false, None)?;
            let g = data(&shape, dtype, d)?;
            Ok(Box::new(move || y.backward_accumulate(Some(&g))))
        })?;
    }
    r.case("attention", "attention f16 of 128", attention(F16, 2, 128), |d| {
        let [q, k, v] = [(); 3].map(|_| data(&[1, heads, long, 128], F16, d));
        let (q, k, v) = (q?, k?, v?);
        once(move || q.scaled_dot_product_attention(&k, &v, None, 0.0, false, None))
    })?;
    // A third of n^3 multiplications and additions.
    let n = 128;
    let cholesky = Sizes {
        ideal: Ideal::F32,
        elements: 8 * n * n * n / 6,
        bytes: 2 * 8 * n * n * 4,
        operations: 8 * n * n * n / 3,
        growth: LINEAR,
        goal: LEAST,
    };
    r.case("cholesky", "cholesky 8 of 128 f32", cholesky, |d| {
        let x = data(&[8, n, n], F32, &Device::Cpu)?;
        let eye = Tensor::eye(n, F32, &Device::Cpu)?.affine(8.0 * n as f64, 0.0)?;
        let x = x.matmul(&x.transpose(1, 2)?)?.broadcast_add(&eye)?.to_device(d)?;
        once(move || Ok(x.cholesky_ex(false)?.0))
    })?;
    // Real input, and half a spectrum of complex numbers.
    r.case("fft", "rfft 1024 f32", stream(M / 2, 8), |d| {
        let x = data(&[512, 1024], F32, d)?;
        once(move || x.rfft(1))
    })
}

/// Products with rows of blocks: of one row, which reads the blocks once, and of a prompt's rows.
fn quantized(r: &mut Runner) -> Result<()> {
    let blocks = |format: GgmlDType, rows: usize, k: usize, d: &Device| {
        let bytes = k / format.block_size() * format.type_size();
        let mut v: Vec<u8> = (0..rows * bytes).map(|i| (i * 7919 + i / 7) as u8).collect();
        limit_scales(format, &mut v);
        Tensor::from_vec::<_, u8>(v, (rows, bytes), &Device::Cpu)?.to_device(d)
    };
    let bytes = |format: GgmlDType, n: usize| n / format.block_size() * format.type_size();
    for format in [GgmlDType::Q4_0, GgmlDType::Q8_0, GgmlDType::Q4K, GgmlDType::Q6K] {
        let (rows, k) = (1024, 4096);
        let sizes = Sizes { bytes: bytes(format, rows * k) + 4 * (rows + k), ..stream(rows * k, 0) };
        r.case("products with blocks", &format!("qmatmul 1 row {format} f32"), sizes, |d| {
            let (x, w) = (data(&[1, k], F32, d)?, blocks(format, rows, k, d)?);
            once(move || x.qmatmul(&w, format))
        })?;
        let n = 512;
        let sizes = Sizes {
            ideal: Ideal::F32,
            elements: n * n * n,
            bytes: 2 * 4 * n * n + bytes(format, n * n),
            operations: 2 * n * n * n,
            growth: PRODUCT,
            goal: LEAST,
        };
        r.case("products with blocks", &format!("qmatmul 512 {format} f32"), sizes, |d| {
            let (x, w) = (data(&[n, n], F32, d)?, blocks(format, n, n, d)?);
            once(move || x.qmatmul(&w, format))
        })?;
    }
    // The same with the other factor in 8 bits.
    for format in [GgmlDType::Q8_0, GgmlDType::Q4K, GgmlDType::Q6K] {
        let (rows, k) = (1024, 4096);
        let sizes = Sizes { bytes: bytes(format, rows * k) + k / 32 * 40 + 4 * rows, ..stream(rows * k, 0) };
        r.case("products with blocks", &format!("qmatmul_int8 1 row {format} f32"), sizes, |d| {
            let (x, w) = (data(&[1, k], F32, d)?.quantize_int8()?, blocks(format, rows, k, d)?);
            once(move || x.qmatmul_int8(&w, format, F32))
        })?;
        let n = 512;
        let sizes = Sizes {
            ideal: Ideal::I8,
            elements: n * n * n,
            bytes: n * n / 32 * 40 + 4 * n * n + bytes(format, n * n),
            operations: 2 * n * n * n,
            growth: PRODUCT,
            goal: LEAST,
        };
        r.case("products with blocks", &format!("qmatmul_int8 512 {format} f32"), sizes, |d| {
            let (x, w) = (data(&[n, n], F32, d)?.quantize_int8()?, blocks(format, n, n, d)?);
            once(move || x.qmatmul_int8(&w, format, F32))
        })?;
    }
    r.case(
        "products with blocks",
        "quantize_int8 f32",
        Sizes { bytes: 4 * M + M / 32 * 40, ..stream(M, 0) },
        |d| {
            let x = data(&[256, 4096], F32, d)?;
            once(move || x.quantize_int8())
        },
    )?;
    r.case(
        "products with blocks",
        "dequantize Q4K f16",
        Sizes { bytes: 2 * M + bytes(GgmlDType::Q4K, M), ..stream(M, 0) },
        |d| {
            let w = blocks(GgmlDType::Q4K, 256, 4096, d)?;
            once(move || w.dequantize(GgmlDType::Q4K, F16))
        },
    )
}

fn windows(r: &mut Runner) -> Result<()> {
    // An image of 64 channels of 32 x 32, 64 channels of 3 x 3 windows.
    let (batch, channels, side) = (1, 64, 32);
    let conv = |dtype: DType, products: usize| {
        let macs = products * batch * channels * channels * side * side * 9;
        Sizes {
            ideal: if dtype == F16 { Ideal::F16 } else { Ideal::F32 },
            elements: macs,
            bytes: (2 * batch * side * side + channels * 9) * channels * dtype.size_in_bytes(),
            operations: 2 * macs,
            growth: LINEAR,
            goal: LEAST,
        }
    };
    for (name, dtype) in [("f32", F32), ("f16", F16)] {
        let (shape, window) = ([batch, channels, side, side], [channels, channels, 3, 3]);
        r.case("convolution", &format!("conv 3x3 {name}"), conv(dtype, 1), |d| {
            let (x, w) = (data(&shape, dtype, d)?, data(&window, dtype, d)?);
            once(move || x.conv2d(&w, 1, 1, 1, 1))
        })?;
        r.case("convolution", &format!("conv 3x3 backward {name}"), conv(dtype, 2), |d| {
            let (x, w) = (data(&shape, dtype, d)?.leaf(), data(&window, dtype, d)?.leaf());
            let y = x.conv2d(&w, 1, 1, 1, 1)?;
            let g = data(&shape, dtype, d)?;
            Ok(Box::new(move || y.backward_accumulate(Some(&g))))
        })?;
    }
    // Elements are those of the result; four are read for each.
    let images = [8, 64, 64, 64];
    for (name, op) in [
        ("max_pool 2x2 f32", (|x: &Tensor| x.max_pool2d(2)) as Unary),
        ("avg_pool 2x2 f32", (|x: &Tensor| x.avg_pool2d(2)) as Unary),
    ] {
        r.case("pooling", name, stream(M / 2, 20), |d| {
            let x = data(&images, F32, d)?;
            once(move || op(&x))
        })?;
    }
    for (name, op) in [
        ("upsample nearest f32", (|x: &Tensor| x.upsample_nearest2d(64, 64)) as Unary),
        ("upsample bilinear f32", (|x: &Tensor| x.upsample_bilinear2d(64, 64, false)) as Unary),
    ] {
        r.case("upsample", name, stream(M, 5), |d| {
            let x = data(&[4, 64, 32, 32], F32, d)?;
            once(move || op(&x))
        })?;
    }
    Ok(())
}
