//! A convolution of given shapes in one direction: validation, and the kernels that support it.
use super::conv::output;
use super::tensor::{Kind, Tensor};
use super::{All, BAD_PARM, Done, UNKNOWN, refuse};
use crate::api::hip::Ptr;
use crate::support::config;

/// The direction of a convolution `y = conv(x, w)`: which of x, w and y it computes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Direction {
    Forward,
    BackwardData,
    BackwardWeights,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Problem {
    pub direction: Direction,
    /// The caller's mode was `miopenTranspose`: its x and y are y and x here.
    pub transposed: bool,
    pub x: Tensor,
    pub w: Tensor,
    pub y: Tensor,
    pub pads: Vec<usize>,
    pub strides: Vec<usize>,
    pub dilations: Vec<usize>,
    pub groups: usize,
    pub deterministic: bool,
}

/// A kernel of the library, with the real library's families and numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solver {
    pub id: u64,
    pub family: i32,
    pub name: &'static str,
    /// Bytes.
    pub workspace: usize,
    /// Milliseconds: a simulated measurement, and the estimate without one.
    pub measured: f32,
    pub guess: f32,
}

/// The order of a function's operands: workspace and immediate calls of the forward direction take w before x.
#[derive(Clone, Copy)]
pub(crate) struct Order {
    pub direction: Direction,
    pub w_first: bool,
}

impl Order {
    /// Returns the caller's x, w and y from the two inputs and the output.
    pub fn roles<T>(self, a: T, b: T, out: T) -> [T; 3] {
        match (self.direction, self.w_first) {
            (Direction::Forward, true) => [b, a, out],
            (Direction::Forward, false) => [a, b, out],
            (Direction::BackwardData, _) => [out, b, a],
            (Direction::BackwardWeights, _) => [b, out, a],
        }
    }
}

impl Problem {
    pub(super) fn new(all: &All, order: Order, a: Ptr, b: Ptr, conv: Ptr, out: Ptr) -> Done<Self> {
        let [x, w, y] = order.roles(a, b, out);
        let (x, w, y) = (all.tensor("x", x)?, all.tensor("w", w)?, all.tensor("y", y)?);
        let c = all.conv(conv)?;
        if x.kind == Kind::F64 {
            // The real function may accept this and fail later.
            return refuse(UNKNOWN, "Unsupported data types configuration: FP64xFP64xFP64");
        }
        let want = output(c, x, w)?;
        if y.dims != want {
            return refuse(
                BAD_PARM,
                format!("y is {:?}, for x {:?} and w {:?} expected {want:?}", y.dims, x.dims, w.dims),
            );
        }
        let whole = x.kind == Kind::I8 && order.direction == Direction::Forward;
        if y.kind != x.kind && !(whole && matches!(y.kind, Kind::I32 | Kind::F32)) {
            return refuse(BAD_PARM, format!("x is {:?}, y is {:?}", x.kind, y.kind));
        }
        if x.kind == Kind::I8 && order.direction == Direction::BackwardWeights {
            return refuse(BAD_PARM, "the gradient of int8 weights is not supported");
        }
        let groups = c.groups as usize;
        for (name, t) in [("x", x), ("y", y)] {
            let step = if t.channels_last() && !t.packed() { t.strides.last() } else { t.strides.first() };
            if groups > 1 && step.is_some_and(|s| !s.is_multiple_of(groups)) {
                return refuse(BAD_PARM, format!("a stride of {name} is not a multiple of the groups"));
            }
        }
        let (direction, x, y) = match (c.transposed, order.direction) {
            (false, d) => (d, x, y),
            (true, Direction::Forward) => (Direction::BackwardData, y, x),
            (true, Direction::BackwardData) => (Direction::Forward, y, x),
            (true, Direction::BackwardWeights) => (Direction::BackwardWeights, y, x),
        };
        Ok(Self {
            direction,
            transposed: c.transposed,
            x: x.clone(),
            w: w.clone(),
            y: y.clone(),
            pads: c.pads.clone(),
            strides: c.strides.clone(),
            dilations: c.dilations.clone(),
            groups,
            deterministic: c.deterministic,
        })
    }

    /// Returns the tensor that is computed.
    pub fn result(&self) -> &Tensor {
        match self.direction {
            Direction::Forward => &self.y,
            Direction::BackwardData => &self.x,
            Direction::BackwardWeights => &self.w,
        }
    }

    /// Returns the kernels that support the problem, fastest first.
    pub fn solvers(&self) -> Vec<Solver> {
        let spatial = self.x.dims.len() - 2;
        let float = matches!(self.x.kind, Kind::F16 | Kind::Bf16 | Kind::F32);
        let (int8, forward) = (self.x.kind == Kind::I8, self.direction == Direction::Forward);
        if config::get().faults.dnn_no_solution
            || !(2..=3).contains(&spatial)
            || !(float || (int8 && forward))
        {
            return Vec::new();
        }
        let all_packed = |f: fn(&Tensor) -> bool| [&self.x, &self.w, &self.y].into_iter().all(f);
        let packed = all_packed(Tensor::packed);
        let one = |v: &[usize]| v.iter().all(|s| *s == 1);
        let unit = one(&self.strides) && one(&self.dilations) && self.groups == 1;
        // The three directions of a kernel have consecutive numbers.
        let nth = |id: u64| id + self.direction as u64;
        let columns =
            self.w.count() / self.w.dims[0] * self.y.count() / self.y.dims[..2].iter().product::<usize>();
        let mut list = Vec::new();
        if packed && float && unit && spatial == 2 && self.w.dims[2..] == [3, 3] {
            list.push(Solver {
                id: nth(53),
                family: 3,
                name: "Conv_Winograd_v21",
                workspace: 0,
                measured: 0.0117,
                guess: 12.5,
            });
        }
        // Adds in any order, so its results vary.
        let loose = self.direction == Direction::BackwardWeights;
        if packed && float && !(loose && self.deterministic) {
            list.push(Solver {
                id: nth(107),
                family: 5,
                name: "static_composable_kernel",
                workspace: if loose { 4 * self.w.count() } else { 0 },
                measured: 0.0131,
                guess: 25.75,
            });
        }
        if packed {
            list.push(Solver {
                id: nth(91),
                family: 0,
                name: "MIOpenIm2Col",
                workspace: columns * self.x.kind.size(),
                measured: 0.0423,
                guess: 40.6108,
            });
        }
        if packed || all_packed(Tensor::channels_last) || !self.result().overlaps_itself() {
            list.push(Solver {
                id: nth(85),
                family: 1,
                name: "naive_conv",
                workspace: 0,
                measured: 0.913,
                guess: 1000.0,
            });
        }
        list
    }
}
