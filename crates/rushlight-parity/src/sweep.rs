//! Cases of the sweeps: every sample of every op definition, for every dtype it declares and several layouts of its inputs.
//!
//! The Rust tests, the parity suite and the Python tests take their cases from here, so a case means the same everywhere. A
//! case can be run alone by its name, for instance `add#1/f32,f32/transposed`.
use float8::F8E4M3;
use half::{bf16, f16};
use rushlight::cpu::CpuStorage;
use rushlight::ops::copy::Copy as CopyOp;
use rushlight::ops::{Domain, Op, Pattern, Sample, Spec};
use rushlight::{C64, C128, DType, Device, Element, Error, Kind, Result, Scalar, Shape, Tensor};
use std::collections::HashMap;

/// Layout of a case's inputs in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// Row-major from the start of the storage.
    Contiguous,
    /// Row-major, between other elements of the storage.
    Offset,
    /// Dimensions stored in reverse order.
    Transposed,
    /// Every other element of a larger tensor, in every dimension.
    Stepped,
    /// One dimension broadcast (stride 0).
    Broadcast,
    /// A different one of the above for each input.
    Mixed,
    /// Six permuted dimensions, for elementwise ops only.
    Rank6,
}

impl Form {
    /// Every form.
    pub const ALL: &'static [Self] = &[
        Self::Contiguous,
        Self::Offset,
        Self::Transposed,
        Self::Stepped,
        Self::Broadcast,
        Self::Mixed,
        Self::Rank6,
    ];

    /// Name, as in a case's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Contiguous => "contiguous",
            Self::Offset => "offset",
            Self::Transposed => "transposed",
            Self::Stepped => "stepped",
            Self::Broadcast => "broadcast",
            Self::Mixed => "mixed",
            Self::Rank6 => "rank6",
        }
    }
}

/// One use of an op: attributes, inputs of known dtypes, layout and values.
#[derive(Debug, Clone)]
pub struct Case {
    /// Unique name: op, number of the sample, dtypes of the inputs, layout.
    pub name: String,
    /// The op with its attributes.
    pub op: Op,
    /// Shape and domain of each input.
    pub specs: Vec<Spec>,
    /// Dtype of each input.
    pub dtypes: Vec<DType>,
    /// Layout of the inputs.
    pub form: Form,
    /// If the call must fail: a part of the error's text.
    pub error: Option<&'static str>,
    /// Whether the gradient is checked by finite differences.
    pub grad: bool,
    /// Seed of the inputs' values. It depends on the op and the sample only, so that dtypes and layouts have the same numbers.
    pub seed: u64,
}

impl Case {
    /// Returns every case: good samples in every dtype and layout, bad ones in every dtype.
    pub fn all() -> Vec<Case> {
        Self::of(&Op::all_samples())
    }

    /// Returns the cases of some samples.
    pub fn of(samples: &[Sample]) -> Vec<Case> {
        let mut count: HashMap<&'static str, usize> = HashMap::new();
        let mut all = Vec::new();
        for s in samples {
            let name = s.op.name();
            let n = count.entry(name).or_default();
            *n += 1;
            for row in s.dtype_rows() {
                let op = s.op.with_dtype(row.first().copied().unwrap_or(DType::F32));
                let dtypes: Vec<&str> = row.iter().map(|d| d.as_str()).collect();
                for &form in Form::ALL {
                    let Some(specs) = in_form(s, form) else { continue };
                    all.push(Case {
                        name: format!("{name}#{n}/{}/{}", dtypes.join(","), form.as_str()),
                        op: op.clone(),
                        specs,
                        dtypes: row.clone(),
                        form,
                        error: s.error,
                        grad: s.grad,
                        seed: hash(name) ^ (*n as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15),
                    });
                }
            }
        }
        all
    }

    /// Returns the values of input `i`, row-major, in CPU memory.
    pub fn values(&self, i: usize) -> Result<CpuStorage> {
        let (Some(spec), Some(&dtype)) = (self.specs.get(i), self.dtypes.get(i)) else {
            return Err(Error::invalid("sweep", "the case has no such input"));
        };
        let mut rng = Rng(self.seed ^ (i as u64 + 1).wrapping_mul(0xD1B5_4A32_D192_ED03));
        let n = spec.shape.elem_count();
        let mut v = draw(&spec.domain, &mut rng, n, i);
        if spec.domain == Domain::Distinct && !dtype.is_float() {
            // Distinct floats are 0.1 apart; integers need steps of 1.
            v.iter_mut().for_each(|v| *v *= 10.0);
        }
        if matches!(spec.domain, Domain::FromEnd(_)) && !dtype.is_signed_int() {
            v.iter_mut().for_each(|v| *v = v.max(0.0));
        }
        fill_storage(dtype, &v)
    }

    /// Makes the inputs on a device. Each is uploaded once; its layout is made on the device.
    pub fn tensors(&self, device: &Device) -> Result<Vec<Tensor>> {
        (0..self.specs.len()).map(|i| self.input(i, self.values(i)?, device)).collect()
    }

    /// Makes input `i` of these values on a device, in its layout.
    pub fn input(&self, i: usize, values: CpuStorage, device: &Device) -> Result<Tensor> {
        lay(&Tensor::from_cpu_storage(values, self.specs[i].shape.clone(), device)?, self.form_of(i))
    }

    /// Returns the layout of input `i`.
    pub fn form_of(&self, i: usize) -> Form {
        let form = match self.form {
            Form::Mixed => {
                [Form::Transposed, Form::Stepped, Form::Broadcast, Form::Offset, Form::Contiguous][i % 5]
            }
            Form::Rank6 => Form::Transposed,
            form => form,
        };
        // Targets, indices that must not repeat and offsets need distinct elements.
        let distinct = i < self.op.targets()
            || self
                .specs
                .get(i)
                .is_some_and(|s| matches!(s.domain, Domain::Permutation(_) | Domain::Offsets(_)));
        if form == Form::Broadcast && distinct { Form::Stepped } else { form }
    }

    /// Runs the op on its inputs. An op that works in place changes them and returns its targets.
    pub fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        self.op.run(inputs)
    }
}

/// Returns the inputs of a sample for a layout; `None` if the layout does not apply to the sample.
fn in_form(s: &Sample, form: Form) -> Option<Vec<Spec>> {
    let specs = s.inputs.clone();
    if s.error.is_some() {
        return (form == Form::Contiguous).then_some(specs);
    }
    let some = |f: &dyn Fn(&Shape) -> bool| specs.iter().any(|s| f(&s.shape));
    let fits = match form {
        Form::Contiguous | Form::Stepped | Form::Offset => true,
        Form::Transposed => some(&|s| s.dims().iter().filter(|d| **d > 1).count() > 1),
        Form::Broadcast => some(&|s| s.elem_count() > 1) && s.op.targets() < specs.len(),
        Form::Mixed => specs.len() > 1 && some(&|s| s.elem_count() > 1),
        Form::Rank6 => {
            let same = specs.iter().all(|i| i.shape.dims() == [2, 3]);
            if s.op.pattern() != Pattern::ELEMENTWISE || !same {
                return None;
            }
            let shape = Shape::from((2, 1, 3, 2, 1, 4));
            return Some(specs.into_iter().map(|i| Spec { shape: shape.clone(), ..i }).collect());
        }
    };
    fits.then_some(specs)
}

/// Copies the values to another layout, on the tensor's device. `Broadcast` keeps only the first entry of a dimension.
pub fn lay(t: &Tensor, form: Form) -> Result<Tensor> {
    match form {
        Form::Contiguous | Form::Mixed | Form::Rank6 => Ok(t.clone()),
        Form::Offset => {
            let n = t.elem_count();
            let big = Tensor::full_scalar(poison(t.dtype()), n + 8, t.device())?;
            let view = big.narrow(0, 3, n)?.reshape(t.shape().clone())?;
            write(view, t)
        }
        Form::Transposed => {
            let back: Vec<usize> = (0..t.rank()).rev().collect();
            t.permute(back.clone())?.force_contiguous()?.permute(back)
        }
        Form::Stepped => {
            let dims: Vec<usize> = t.dims().iter().map(|d| 2 * d + 1).collect();
            let mut view = Tensor::full_scalar(poison(t.dtype()), dims, t.device())?;
            for (dim, &d) in t.dims().iter().enumerate() {
                view = view.slice(dim, 1, d, 2)?;
            }
            write(view, t)
        }
        Form::Broadcast => match t.dims().iter().position(|d| *d > 1) {
            Some(dim) => t.narrow(dim, 0, 1)?.force_contiguous()?.broadcast_as(t.shape().clone()),
            None => Ok(t.clone()),
        },
    }
}

/// Copies `t` into a view.
fn write(view: Tensor, t: &Tensor) -> Result<Tensor> {
    Op::Copy(CopyOp::Into).run(&[view.clone(), t.clone()])?;
    Ok(view)
}

/// Returns a value that reveals a read outside the view: NaN, or an integer out of any index's range.
pub fn poison(dtype: DType) -> Scalar {
    Scalar::from_f64(if dtype.is_int() { 99.0 } else { f64::NAN }, dtype)
}

/// Returns the FNV-1a hash of a text.
pub fn hash(text: &str) -> u64 {
    hash_bytes(text.as_bytes())
}

/// Returns the FNV-1a hash of bytes.
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01B3))
}

/// A SplitMix64 generator. Cases do not use the library's generator, which they test.
pub struct Rng(pub u64);

impl Rng {
    /// Returns the next 64 bits.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number of [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns the numbers below n in a random order.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut p: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            p.swap(i, (self.next() % (i as u64 + 1)) as usize);
        }
        p
    }
}

/// Draws `n` values of a domain for input number `input`.
pub fn draw(domain: &Domain, rng: &mut Rng, n: usize, input: usize) -> Vec<f64> {
    match *domain {
        Domain::Range(lo, hi) => (0..n).map(|_| lo + (hi - lo) * rng.unit()).collect(),
        Domain::Away(lo, hi, step) => (0..n)
            .map(|_| {
                let v = lo + (hi - lo) * rng.unit();
                let kink = (v / step).round() * step;
                // A number within 0.02 of a kink moves to a distance of 0.03, on its side.
                if (v - kink).abs() < 0.02 { kink + if v < kink { -0.03 } else { 0.03 } } else { v }
            })
            .collect(),
        Domain::Distinct => {
            // Each input is shifted by another amount, so that elements of different inputs are never equal.
            let shift = 0.02 * input as f64 - 0.1 * (n / 2) as f64 + 0.01;
            rng.permutation(n).into_iter().map(|v| 0.1 * v as f64 + shift).collect()
        }
        Domain::Index(size) => (0..n).map(|_| (rng.next() % size.max(1) as u64) as f64).collect(),
        Domain::FromEnd(size) => {
            (0..n).map(|_| (rng.next() % (2 * size.max(1)) as u64) as f64 - size as f64).collect()
        }
        Domain::OrMax(size) => (0..n)
            .map(|_| match rng.next() % (size as u64 + 1) {
                skip if skip == size as u64 => f64::MAX,
                id => id as f64,
            })
            .collect(),
        Domain::Permutation(size) => rng.permutation(size.max(n))[..n].iter().map(|v| *v as f64).collect(),
        Domain::Offsets(size) => {
            let mut all: Vec<u64> = (0..n).map(|_| rng.next() % (size as u64 + 1)).collect();
            all.sort_unstable();
            all.iter_mut().take(1).for_each(|first| *first = 0);
            all.into_iter().map(|v| v as f64).collect()
        }
        Domain::Dominant(columns, first) => (0..n)
            .map(|i| {
                let (row, column) = (i / columns, i % columns);
                let on_diagonal = (row + first) % columns == column;
                2.0 * rng.unit() - 1.0 + if on_diagonal { columns as f64 + 1.0 } else { 0.0 }
            })
            .collect(),
        Domain::Blocks(format) => {
            let mut bytes: Vec<u8> = (0..n).map(|_| rng.next() as u8).collect();
            rushlight::quantized::limit_scales(format, &mut bytes);
            bytes.into_iter().map(f64::from).collect()
        }
        Domain::Int8Blocks => (0..n.div_ceil(40))
            .flat_map(|_| {
                let scale = (rng.unit() as f32 + 0.01) / 127.0;
                let levels: Vec<i8> = (0..32).map(|_| (rng.next() % 255) as i8).collect();
                let levels: Vec<i8> = levels.into_iter().map(|q| q.max(-127)).collect();
                let sum: i32 = levels.iter().map(|&q| i32::from(q)).sum();
                let head = scale.to_le_bytes().into_iter().chain(sum.to_le_bytes());
                head.chain(levels.into_iter().map(|q| q as u8)).collect::<Vec<_>>()
            })
            .take(n)
            .map(f64::from)
            .collect(),
        Domain::Mask | Domain::Truth => (0..n).map(|_| (rng.next() & 1) as f64).collect(),
    }
}

/// Converts values to elements of a dtype. Integers are rounded half away from 0, unsigned ones take the absolute value, bools
/// the parity; complex numbers get an imaginary part too.
pub fn fill_storage(dtype: DType, values: &[f64]) -> Result<CpuStorage> {
    if dtype == DType::C64 {
        let pairs: Vec<C64> = values.iter().map(|v| C64::new(*v as f32, 1.0 - 2.0 * *v as f32)).collect();
        return Ok(CpuStorage::from(pairs));
    }
    if dtype == DType::C128 {
        let pairs: Vec<C128> = values.iter().map(|v| C128::new(*v, 1.0 - 2.0 * *v)).collect();
        return Ok(CpuStorage::from(pairs));
    }
    let adapted = values.iter().map(|&v| match dtype.kind() {
        Kind::Float | Kind::Complex => v,
        Kind::Int => v.round(),
        Kind::UInt => v.round().abs(),
        Kind::Bool => v.round().abs() % 2.0,
    });
    macro_rules! convert {
        ($($v:ident $t:ty),*) => {
            match dtype {
                $(DType::$v => CpuStorage::from(adapted.map(<$t>::from_f64).collect::<Vec<_>>()),)*
                _ => return Err(Error::invalid("sweep", format!("draws no values of {}", dtype.as_str()))),
            }
        };
    }
    Ok(convert!(
        Bool bool, U8 u8, I8 i8, U16 u16, I16 i16, U32 u32, I32 i32, U64 u64, I64 i64,
        F8E4M3 F8E4M3, BF16 bf16, F16 f16, F32 f32, F64 f64
    ))
}
