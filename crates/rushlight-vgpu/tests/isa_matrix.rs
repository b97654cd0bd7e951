//! Matrix instructions: where the elements of the matrices lie (with whole numbers, whose sums are exact), the rounding
//! of sums, and what the engine refuses.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::isa::{assemble, program, targets};
use common::*;
use half::{bf16, f16};
use rushlight_vgpu::Out;
use rushlight_vgpu::hip::*;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Element {
    F32,
    F16,
    Bf16,
    F64,
    I8,
}
use Element::*;

include!("data/matrix.rs");

/// An instruction with the modifiers that follow its operands.
struct One {
    arch: &'static str,
    text: String,
    side: usize,
    depth: usize,
    element: Element,
}

impl One {
    fn wave(&self) -> usize {
        if self.arch == "gfx1100" { 32 } else { 64 }
    }

    fn bits(&self) -> usize {
        match self.element {
            F64 => 64,
            F32 => 32,
            F16 | Bf16 => 16,
            I8 => 8,
        }
    }

    /// Elements of a row of a factor in one lane. RDNA3 keeps whole rows, and each of them twice.
    fn each(&self) -> usize {
        if self.arch == "gfx1100" { self.depth } else { self.side * self.depth / 64 }
    }

    /// Registers of a factor, and of the sum.
    fn registers(&self) -> (usize, usize) {
        let of_sum = if self.element == F64 { 64 } else { 32 };
        (self.each() * self.bits() / 32, self.side * self.side / self.wave() * of_sum / 32)
    }

    /// Row of the result in element `n` of a lane, whose column is the lane's number modulo `side`.
    fn row(&self, n: usize, lane: usize) -> usize {
        match (self.arch, self.element, self.side) {
            ("gfx1100", ..) => 2 * n + lane / 16,
            (_, F64, _) => 4 * n + lane / 16,
            (.., 16) => 4 * (lane / 16) + n,
            _ => 8 * (n / 4) + 4 * (lane / 32) + n % 4,
        }
    }

    fn encode(&self, v: f64) -> u64 {
        match self.element {
            F64 => v.to_bits(),
            F32 => (v as f32).to_bits() as u64,
            F16 => f16::from_f64(v).to_bits() as u64,
            Bf16 => bf16::from_f64(v).to_bits() as u64,
            I8 => v as i64 as u64 & 255,
        }
    }

    fn encode_sum(&self, v: f64) -> u64 {
        match self.element {
            F64 => v.to_bits(),
            I8 => v as i32 as u32 as u64,
            _ => (v as f32).to_bits() as u64,
        }
    }

    fn decode_sum(&self, v: u64) -> f64 {
        match self.element {
            F64 => f64::from_bits(v),
            I8 => v as i32 as f64,
            _ => f32::from_bits(v as u32) as f64,
        }
    }

    /// Returns the kernel: it loads registers, executes the instruction with a single active lane, and stores the result.
    /// With `accumulators`, the sum and the second factor are in accumulation registers.
    fn source(&self, accumulators: bool) -> String {
        let (of_factor, of_sum) = self.registers();
        let step = 4 * self.wave();
        let mut text = String::from("v_lshlrev_b32 v1, 2, v0\n");
        let first = [8, 8 + of_factor.max(2), 24];
        let letters = if accumulators { ["v", "a", "a"] } else { ["v"; 3] };
        let counts = [of_factor, of_factor, of_sum];
        for ((first, letter), count) in first.iter().zip(letters).zip(counts) {
            for r in 0..count {
                text += &format!("global_load_dword {letter}{}, v1, s[6:7]\n", first + r);
                text += &format!("v_add_u32 v1, {step}, v1\n");
            }
        }
        let range = |n: usize| match counts[n] {
            1 => format!("{}{}", letters[n], first[n]),
            c => format!("{}[{}:{}]", letters[n], first[n], first[n] + c - 1),
        };
        let (name, rest) = self.text.split_once(' ').unwrap_or((&self.text, ""));
        let [a, b, c] = [0, 1, 2].map(range);
        text += "s_waitcnt vmcnt(0)\ns_mov_b64 exec, 4\n";
        text += &format!("{name} {c}, {a}, {b}, {c} {rest}\ns_nop 7\ns_nop 7\ns_mov_b64 exec, -1\n");
        text += "v_lshlrev_b32 v1, 2, v0\n";
        for r in 0..of_sum {
            text += &format!("global_store_dword v1, {}{}, s[4:5]\n", letters[2], first[2] + r);
            text += &format!("v_add_u32 v1, {step}, v1\n");
        }
        text += "s_endpgm\n";
        if self.arch == "gfx1100" {
            text = text.replace("s_mov_b64 exec", "s_mov_b32 exec_lo").replace("v_add_u32", "v_add_nc_u32");
        }
        program(self.arch, &text, 0).replace(".amdhsa_next_free_vgpr 64", ".amdhsa_next_free_vgpr 128")
    }

    /// Starts the product of matrices in row-major order; returns where its registers go. `spoil` changes the registers of
    /// the factors.
    fn start(&self, a: &[f64], b: &[f64], c: &[f64], accumulators: bool, spoil: impl Fn(&mut [u32])) -> u64 {
        let (of_factor, of_sum) = self.registers();
        let (wave, side, each) = (self.wave(), self.side, self.each());
        let mut words = vec![0u32; (2 * of_factor + of_sum) * wave];
        let mut put = |first: usize, lane: usize, n: usize, bits: usize, v: u64| {
            let at = n * bits;
            let word = (first + at / 32) * wave + lane;
            words[word] |= (v as u32) << (at % 32);
            if bits == 64 {
                words[word + wave] = (v >> 32) as u32;
            }
        };
        for lane in 0..wave {
            for n in 0..each {
                let (line, k) =
                    (lane % side, if self.arch == "gfx1100" { n } else { lane / side * each + n });
                put(0, lane, n, self.bits(), self.encode(a[line * self.depth + k]));
                put(of_factor, lane, n, self.bits(), self.encode(b[k * side + line]));
            }
            let bits = if self.element == F64 { 64 } else { 32 };
            for n in 0..side * side / wave {
                let v = self.encode_sum(c[self.row(n, lane) * side + lane % side]);
                put(2 * of_factor, lane, n, bits, v);
            }
        }
        spoil(&mut words);
        let image = assemble(&self.source(accumulators), self.arch);
        let mut m: Ptr = std::ptr::null_mut();
        assert_eq!(hipModuleLoadData(Out::to(&mut m), image.as_ptr().cast()), 0);
        let (input, out) = (upload(&words), malloc(4 * of_sum * wave));
        assert_eq!(Module(m).launch("one", 1, wave as u32, 0, &mut [out, input]), 0);
        out
    }

    /// Returns the product, plus `c`.
    fn run(&self, a: &[f64], b: &[f64], c: &[f64], accumulators: bool) -> Vec<f64> {
        let (_, of_sum) = self.registers();
        let (wave, side) = (self.wave(), self.side);
        let out = self.start(a, b, c, accumulators, |_| {});
        let got = download::<u32>(out, of_sum * wave);
        let mut d = vec![f64::NAN; side * side];
        for lane in 0..wave {
            for n in 0..side * side / wave {
                let v = match self.element {
                    F64 => got[2 * n * wave + lane] as u64 | (got[(2 * n + 1) * wave + lane] as u64) << 32,
                    _ => got[n * wave + lane] as u64,
                };
                d[self.row(n, lane) * side + lane % side] = self.decode_sum(v);
            }
        }
        d
    }
}

fn all() -> Vec<One> {
    let arch = std::env::var("RUSHLIGHT_VGPU_ARCH").unwrap();
    let of = |m: &(&'static str, &str, usize, usize, Element)| One {
        arch: m.0,
        text: m.1.to_string() + if m.1.ends_with("iu8") { " neg_lo:[1,1,0]" } else { "" },
        side: m.2,
        depth: m.3,
        element: m.4,
    };
    MATRIX.iter().filter(|m| m.0 == arch).map(of).collect()
}

fn one(name: &str) -> One {
    all().into_iter().find(|o| o.text.starts_with(name)).expect("an instruction of the target")
}

/// Numbers from 0 to 1, the same in each run.
fn numbers() -> impl FnMut() -> f64 {
    let mut state = 7u64;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    }
}

const ALL: [&str; 3] = ["gfx1100", "gfx90a", "gfx942"];

#[test]
fn of_whole_numbers() {
    for arch in targets(&ALL) {
        child("of_whole_numbers", &[("ENGINE", "isa"), ("ARCH", arch)], || {
            let mut next = numbers();
            for o in all() {
                let mut whole =
                    |n: usize| -> Vec<f64> { (0..n).map(|_| (next() * 255.0).floor() - 127.0).collect() };
                let (n, k) = (o.side, o.depth);
                let (a, b, c) = (whole(n * k), whole(k * n), whole(n * n));
                let mut want = c.clone();
                for (at, w) in want.iter_mut().enumerate() {
                    *w += (0..k).map(|j| a[at / n * k + j] * b[j * n + at % n]).sum::<f64>();
                }
                for accumulators in [false, true] {
                    if accumulators && arch == "gfx1100" {
                        continue;
                    }
                    assert!(o.run(&a, &b, &c, accumulators) == want, "{} {accumulators}", o.text);
                }
            }
        });
    }
}

/// Sums of f32 and f64 have the bits of fused multiply-adds in order, others are within the rounding errors of f32.
#[test]
fn of_other_numbers() {
    for arch in targets(&ALL) {
        child("of_other_numbers", &[("ENGINE", "isa"), ("ARCH", arch)], || {
            let mut next = numbers();
            for o in all().into_iter().filter(|o| o.element != I8) {
                let (n, k) = (o.side, o.depth);
                // As the instruction reads them.
                let read = |v: f64| match o.element {
                    F64 => v,
                    F32 => v as f32 as f64,
                    F16 => f16::from_f64(v).to_f64(),
                    _ => bf16::from_f64(v).to_f64(),
                };
                let mut some = |n: usize| -> Vec<f64> { (0..n).map(|_| read(next() - 0.5)).collect() };
                let (a, b, c) = (some(n * k), some(k * n), some(n * n));
                let got = o.run(&a, &b, &c, false);
                let mut inexact = 0;
                for (at, got) in got.into_iter().enumerate() {
                    let pairs = || (0..k).map(|j| (a[at / n * k + j], b[j * n + at % n]));
                    let close = pairs().fold(c[at], |s, (x, y)| x.mul_add(y, s));
                    let want = match o.element {
                        F64 => close,
                        F32 => pairs().fold(c[at] as f32, |s, (x, y)| (x as f32).mul_add(y as f32, s)) as f64,
                        _ => {
                            let size = pairs().map(|(x, y)| (x * y).abs()).sum::<f64>() + c[at].abs();
                            let bound = k as f64 * f32::EPSILON as f64 * size;
                            assert!((got - close).abs() <= bound, "{}: {got} and {close}", o.text);
                            got
                        }
                    };
                    assert_eq!(got.to_bits(), want.to_bits(), "{}: {got} and {want}", o.text);
                    inexact += usize::from(got != close);
                }
                assert!(inexact > 0 || o.element == F64, "{}: the sums are not rounded", o.text);
            }
        });
    }
}

/// Factors whose first row and column are given; the others are 0.
fn first(o: &One, x: &[f64], y: &[f64], c: f64) -> f64 {
    let (n, k) = (o.side, o.depth);
    let (mut a, mut b, mut sum) = (vec![0.0; n * k], vec![0.0; k * n], vec![0.0; n * n]);
    for (j, (x, y)) in x.iter().zip(y).enumerate() {
        (a[j], b[j * n]) = (*x, *y);
    }
    sum[0] = c;
    o.run(&a, &b, &sum, false)[0]
}

#[test]
fn rounding_of_cdna2() {
    child("rounding_of_cdna2", &[("ENGINE", "isa"), ("ARCH", "gfx90a")], || {
        let big = 4096.0;
        for name in ["v_mfma_f32_32x32x8f16", "v_mfma_f32_16x16x16bf16_1k"] {
            let o = one(name);
            // 2^24 + 1 is a tie, 1 + 1 is added to it afterwards.
            assert_eq!(first(&o, &[big, 1.0, 1.0, 1.0], &[big, 1.0, 1.0, 1.0], 0.0), 16777218.0);
            // The sum of four is added to the sum so far, the next four to that.
            let ones = [1.0; 8];
            assert_eq!(
                first(&o, &ones, &[0.25, 0.25, 0.25, 0.25, 1.0, 0.0, 0.0, 0.0], 16777216.0),
                16777216.0
            );
            assert_eq!(first(&o, &ones, &[0.5, 0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0], 16777216.0), 16777218.0);
        }
        let o = one("v_mfma_f32_32x32x8f16");
        // Subnormal factors are 0, also with a large partner; so is the sum that is added to.
        assert_eq!(first(&o, &[2f64.powi(-15)], &[1024.0], 0.0), 0.0);
        assert_eq!(first(&o, &[2f64.powi(-14)], &[1024.0], 0.0), 2f64.powi(-4));
        assert_eq!(first(&o, &[0.0], &[0.0], 2f64.powi(-127)), 0.0);
        let o = one("v_mfma_f32_32x32x8bf16_1k");
        assert_eq!(first(&o, &[2f64.powi(-64)], &[2f64.powi(-63)], 0.0), 0.0, "a subnormal product");
        assert_eq!(first(&o, &[2f64.powi(-63)], &[2f64.powi(-63)], 0.0), 2f64.powi(-126));
        assert!(first(&o, &[f64::INFINITY], &[0.0], 0.0).is_nan());
    });
}

#[test]
fn rounding_of_cdna3() {
    child("rounding_of_cdna3", &[("ENGINE", "isa"), ("ARCH", "gfx942")], || {
        let big = 4096.0;
        for name in ["v_mfma_f32_32x32x8_f16", "v_mfma_f32_16x16x16_bf16"] {
            let o = one(name);
            // Eight are added exactly; 2^24 + 3 is a tie.
            assert_eq!(first(&o, &[big, 1.0, 1.0, 1.0], &[big, 1.0, 1.0, 1.0], 0.0), 16777220.0);
            // Bits more than 24 below the largest product are cut, of either sign.
            let halves = [big, 0.5, 0.5, 0.5, 0.5];
            assert_eq!(first(&o, &halves, &[big, 1.0, 1.0, 1.0, 1.0], 0.0), 16777216.0);
            assert_eq!(first(&o, &halves, &[big, -1.0, -1.0, -1.0, -1.0], 0.0), 16777216.0);
            // The sum that is added to is rounded down.
            assert_eq!(first(&o, &[big], &[big], -0.5), 16777215.0);
            assert_eq!(first(&o, &[big], &[big], 0.5), 16777216.0);
            // Beside a larger sum, products keep 31 bits, rounded down.
            let (sum, one) = (16777216.0, [1.0]);
            assert_eq!(first(&o, &one, &one, sum), 16777216.0);
            assert_eq!(first(&o, &[1.0 + 2f64.powi(-7)], &one, sum), 16777218.0);
            assert_eq!(first(&o, &[1.0, 2f64.powi(-8)], &[1.0, 1.0], sum), 16777216.0);
            assert!(first(&o, &[f64::INFINITY], &[0.0], 0.0).is_nan());
            assert_eq!(first(&o, &[-f64::INFINITY], &[1.0], 5.0), -f64::INFINITY);
        }
        // Subnormal factors and results count.
        let o = one("v_mfma_f32_32x32x8_f16");
        assert_eq!(first(&o, &[2f64.powi(-24)], &[2f64.powi(-24)], 2f64.powi(-148)), 2f64.powi(-48));
        let o = one("v_mfma_f32_32x32x8_bf16");
        assert_eq!(first(&o, &[2f64.powi(-70)], &[2f64.powi(-70)], 0.0), 2f64.powi(-140));
        assert_eq!(first(&o, &[2f64.powi(64)], &[2f64.powi(64)], 0.0), f64::INFINITY);
    });
}

#[test]
fn bytes_of_rdna3() {
    child("bytes_of_rdna3", &[("ENGINE", "isa"), ("ARCH", "gfx1100")], || {
        let with =
            |signs: &str| One { text: format!("v_wmma_i32_16x16x16_iu8 {signs}"), ..one("v_wmma_i32") };
        // The byte 0xff is 255, or -1 where neg_lo says so.
        assert_eq!(first(&with(""), &[-1.0], &[-1.0], 0.0), 65025.0);
        assert_eq!(first(&with("neg_lo:[1,0,0]"), &[-1.0], &[-1.0], 0.0), -255.0);
        assert_eq!(first(&with("neg_lo:[1,1,0]"), &[-1.0], &[-1.0], 0.0), 1.0);
        let most = i32::MAX as f64;
        assert_eq!(first(&with("neg_lo:[1,1,0]"), &[1.0], &[1.0], most), i32::MIN as f64, "wraps");
        assert_eq!(first(&with("neg_lo:[1,1,0] clamp"), &[1.0], &[1.0], most), most);
    });
}

/// Executes with a modifier, or with other lanes, which must end with these words.
fn refuses(test: &str, arch: &'static str, text: &str, words: &str, spoil: impl Fn(&mut [u32])) {
    prints(test, &[("ENGINE", "isa"), ("ARCH", arch)], &[words], || {
        let name = text.split(' ').next().unwrap();
        let o = One { text: text.into(), ..one(name) };
        let (n, k) = (o.side, o.depth);
        o.start(&vec![1.0; n * k], &vec![1.0; k * n], &vec![0.0; n * n], false, spoil);
        assert_ne!(hipDeviceSynchronize(), 0);
    });
}

#[test]
fn blocks_are_refused() {
    let words = "executes `v_mfma_f32_32x32x8f16` without cbsz, abid, blgp and neg";
    refuses("blocks_are_refused", "gfx90a", "v_mfma_f32_32x32x8f16 cbsz:1 abid:1", words, |_| {});
}

#[test]
fn signs_of_doubles_are_refused() {
    let words = "executes `v_mfma_f64_16x16x4_f64` without cbsz, abid, blgp and neg";
    refuses("signs_of_doubles_are_refused", "gfx942", "v_mfma_f64_16x16x4_f64 neg:[1,0,0]", words, |_| {});
}

#[test]
fn signs_of_halves_are_refused() {
    let text = "v_wmma_f32_16x16x16_f16 neg_lo:[1,0,0]";
    let words = "executes `v_wmma_f32_16x16x16_f16` without neg_lo and neg_hi";
    refuses("signs_of_halves_are_refused", "gfx1100", text, words, |_| {});
}

#[test]
fn lanes_that_do_not_repeat_are_found() {
    let words = "factor 1 of `v_wmma_f32_16x16x16_f16` differs in lanes 3 and 19";
    let spoil = |words: &mut [u32]| words[(8 + 5) * 32 + 19] ^= 1;
    refuses("lanes_that_do_not_repeat_are_found", "gfx1100", "v_wmma_f32_16x16x16_f16", words, spoil);
}
