//! Convolutions, computed from the definition.
use super::problem::{Direction, Problem};
use super::tensor::{Kind, Tensor};
use crate::api::blas::gemm::{Acc, Element};
use half::{bf16, f16};

/// Computes a problem with tensors at checked addresses. `wrong` makes the result wrong, for tests.
pub(crate) fn run(p: &Problem, x: usize, w: usize, y: usize, wrong: bool) {
    let go = match (p.x.kind, p.y.kind) {
        (Kind::F32, _) => typed::<f32, f32, f32>,
        (Kind::F16, _) => typed::<f16, f16, f32>,
        (Kind::Bf16, _) => typed::<bf16, bf16, f32>,
        (Kind::I8, Kind::I8) => typed::<i8, i8, i32>,
        (Kind::I8, Kind::I32) => typed::<i8, i32, i32>,
        (Kind::I8, Kind::F32) => typed::<i8, f32, i32>,
        // No solver is offered for other types.
        _ => return,
    };
    go(p, x, w, y);
    if wrong {
        let out = match p.direction {
            Direction::Forward => y,
            Direction::BackwardData => x,
            Direction::BackwardWeights => w,
        };
        make_wrong(p.result(), out);
    }
}

/// Flips the highest bits of the first element's exponent, which no rounding error does.
fn make_wrong(t: &Tensor, at: usize) {
    let high = at + t.kind.size() - 1;
    // SAFETY: a byte of the result's first element, which lies in checked memory.
    unsafe { (high as *mut u8).write((high as *mut u8).read() ^ 0x04) };
}

/// The products of a convolution's sums: calls `f(index in x, index in w, index in y)` for each, grouped by the
/// element of the result.
struct Products<'a> {
    p: &'a Problem,
    n: usize,
}

impl Products<'_> {
    /// Returns the index in x for an index in y and one in the window, per dimension.
    fn input_index(&self, d: usize, o: usize, k: usize) -> Option<usize> {
        let p = self.p;
        (o * p.strides[d] + k * p.dilations[d]).checked_sub(p.pads[d]).filter(|i| *i < p.x.dims[d + 2])
    }

    /// Calls `f(offset in x, offset in w, offset in y)` for all products of one batch, group, channel of x and
    /// channel of y.
    fn pairs(&self, b: usize, g: usize, c: usize, r: usize, f: &mut impl FnMut(usize, usize, usize)) {
        let p = self.p;
        let (cx, cy) = (p.x.dims[1] / p.groups, p.y.dims[1] / p.groups);
        let at = [p.x.at(&[b, g * cx + c]), p.w.at(&[g * cy + r, c]), p.y.at(&[b, g * cy + r])];
        self.dimension(0, at, f);
    }

    fn dimension(&self, d: usize, at: [usize; 3], f: &mut impl FnMut(usize, usize, usize)) {
        if d == self.n {
            return f(at[0], at[1], at[2]);
        }
        let p = self.p;
        for o in 0..p.y.dims[d + 2] {
            for k in 0..p.w.dims[d + 2] {
                if let Some(i) = self.input_index(d, o, k) {
                    let at = [
                        at[0] + i * p.x.strides[d + 2],
                        at[1] + k * p.w.strides[d + 2],
                        at[2] + o * p.y.strides[d + 2],
                    ];
                    self.dimension(d + 1, at, f);
                }
            }
        }
    }
}

fn typed<I: Element<A>, O: Element<A>, A: Acc>(p: &Problem, x: usize, w: usize, y: usize) {
    let products = Products { p, n: p.x.dims.len() - 2 };
    let (cx, cy) = (p.x.dims[1] / p.groups, p.y.dims[1] / p.groups);
    // SAFETY: the caller checked that every element of a tensor lies inside one allocation.
    let load = |at: usize, i: usize| unsafe { (at as *const I).add(i).read() }.load();
    let result = p.result();
    let (out, extent) = match p.direction {
        Direction::Forward => (y, result.bytes() / size_of::<O>()),
        Direction::BackwardData => (x, result.bytes() / size_of::<I>()),
        Direction::BackwardWeights => (w, result.bytes() / size_of::<I>()),
    };
    let mut sums = vec![A::ZERO; extent];
    for b in 0..p.x.dims[0] {
        for g in 0..p.groups {
            for r in 0..cy {
                for c in 0..cx {
                    products.pairs(b, g, c, r, &mut |i, k, o| {
                        let (to, left, right) = match p.direction {
                            Direction::Forward => (o, load(x, i), load(w, k)),
                            Direction::BackwardData => (i, load(y, o), load(w, k)),
                            Direction::BackwardWeights => (k, load(x, i), load(y, o)),
                        };
                        sums[to] = sums[to].mul_add(left, right);
                    });
                }
            }
        }
    }
    each(&result.dims, &mut |index| {
        let at = result.at(index);
        // SAFETY: as above; the result overlaps no operand.
        unsafe {
            match p.direction {
                Direction::Forward => (out as *mut O).add(at).write(O::store(sums[at])),
                _ => (out as *mut I).add(at).write(I::store(sums[at])),
            }
        }
    });
}

/// Calls `f` with every index of a shape.
pub(crate) fn each(dims: &[usize], f: &mut impl FnMut(&[usize])) {
    let mut index = vec![0; dims.len()];
    for _ in 0..dims.iter().product::<usize>() {
        f(&index);
        for d in (0..dims.len()).rev() {
            index[d] += 1;
            if index[d] < dims[d] {
                break;
            }
            index[d] = 0;
        }
    }
}

/// Fills memory with bytes that are NaN in every float type: a workspace after use, or Find's result.
pub(crate) fn fill_nan(from: usize, to: usize) {
    // SAFETY: the range was checked to lie inside one allocation when the work was queued.
    unsafe { std::ptr::write_bytes(from as *mut u8, 0xff, to - from) };
}
