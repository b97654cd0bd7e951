//! cuDNN: convolutions and average pooling of contiguous tensors.
use super::Device;
use crate::result::cudnn::{Calls, open};
use crate::sys::*;
use crate::{Error, Result, process};
use std::ffi::{c_int, c_void};

/// The type of elements. Sums are computed in f32; f32 inputs are never rounded to a narrower type (no TF32).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum DnnKind {
    F16,
    BF16,
    F32,
}

impl DnnKind {
    fn raw(self) -> cudnnDataType_t {
        match self {
            Self::F16 => CUDNN_DATA_HALF,
            Self::BF16 => CUDNN_DATA_BFLOAT16,
            Self::F32 => CUDNN_DATA_FLOAT,
        }
    }
}

/// The direction of a convolution y = conv(x, w): which of x, w and y it computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Computes y from x and w.
    Forward,
    /// Computes x from y and w: the gradient of the input, and the transposed convolution.
    BackwardData,
    /// Computes w from x and y: the gradient of the weights.
    BackwardWeights,
}

/// A convolution. Shapes are batch, channels and 2 or 3 spatial sizes; paddings, strides and dilations have one
/// number for each spatial size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvConfig {
    /// Which tensor is computed.
    pub direction: Direction,
    /// The type of all tensors.
    pub kind: DnnKind,
    /// The input.
    pub x: Vec<u64>,
    /// The kernel.
    pub w: Vec<u64>,
    /// The output.
    pub y: Vec<u64>,
    /// Zero padding on both sides.
    pub pads: Vec<u64>,
    /// Strides.
    pub strides: Vec<u64>,
    /// Dilations.
    pub dilations: Vec<u64>,
    /// Groups of channels.
    pub groups: u64,
}

/// An average pooling of f32, with shapes as for a convolution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolConfig {
    /// The input.
    pub x: Vec<u64>,
    /// The output.
    pub y: Vec<u64>,
    /// Sizes of the window.
    pub window: Vec<u64>,
    /// Padding on both sides.
    pub pads: Vec<u64>,
    /// Strides.
    pub strides: Vec<u64>,
    /// Whether padding counts as zeros.
    pub include_pad: bool,
}

fn ints(call: &'static str, values: &[u64]) -> Result<Vec<c_int>> {
    let int =
        |v: &u64| c_int::try_from(*v).map_err(|_| Error::argument(call, format!("{v} does not fit an int")));
    values.iter().map(int).collect()
}

/// A cuDNN handle on a device's stream.
#[derive(Debug)]
pub struct Dnn {
    calls: &'static Calls,
    device: Device,
    raw: cudnnHandle_t,
}

// SAFETY: a handle may be used by any thread, one at a time; methods that use it take `&mut`.
unsafe impl Send for Dnn {}

impl Dnn {
    /// Opens cuDNN for a device.
    ///
    /// # Errors
    /// cuDNN is missing or does not support the device.
    ///
    /// ```no_run
    /// let device = rushlight_cuda::Device::new(0)?;
    /// let dnn = rushlight_cuda::Dnn::new(&device)?;
    /// println!("cuDNN {}", dnn.version()?);
    /// # Ok::<(), rushlight_cuda::Error>(())
    /// ```
    pub fn new(device: &Device) -> Result<Self> {
        device.enter("cudnnCreate")?;
        let mut dnn = Self { calls: open()?, device: device.clone(), raw: std::ptr::null_mut() };
        // SAFETY: the pointer is that of a field, the stream lives as long as the device.
        unsafe {
            dnn.calls.cudnnCreate(&mut dnn.raw)?;
            dnn.calls.cudnnSetStream(dnn.raw, device.stream())?;
        }
        Ok(dnn)
    }

    /// Returns cuDNN's version, as 90100 or, for version 8, 8907.
    pub fn version(&self) -> Result<usize> {
        // SAFETY: takes nothing.
        unsafe { self.calls.cudnnGetVersion() }
    }

    fn enter(&self, call: &'static str) -> Result<&'static Calls> {
        self.device.enter(call)?;
        Ok(self.calls)
    }
}

impl Drop for Dnn {
    fn drop(&mut self) {
        if !self.raw.is_null() && process::fine() && self.device.enter("cudnnDestroy").is_ok() {
            // SAFETY: this is the last use of the handle. There is nothing to be done about a failure.
            let _ = unsafe { self.calls.cudnnDestroy(self.raw) };
        }
    }
}

/// Defines the type of a descriptor, which destroys its handle when dropped.
macro_rules! descriptors {
    ($($name:ident $raw:ident $create:ident $destroy:ident;)*) => { $(
        #[derive(Debug)]
        struct $name {
            calls: &'static Calls,
            raw: $raw,
        }

        // SAFETY: descriptors are not changed after they are made, and cuDNN reads them only.
        unsafe impl Send for $name {}

        impl $name {
            fn make(calls: &'static Calls) -> Result<Self> {
                let mut made = Self { calls, raw: std::ptr::null_mut() };
                // SAFETY: the pointer is that of a field.
                unsafe { calls.$create(&mut made.raw)? };
                Ok(made)
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                if !self.raw.is_null() && process::fine() {
                    // SAFETY: this is the last use of it. Nothing but memory of the host is freed, so nothing is lost.
                    let _ = unsafe { self.calls.$destroy(self.raw) };
                }
            }
        }
    )* };
}
descriptors! {
    Tensor cudnnTensorDescriptor_t cudnnCreateTensorDescriptor cudnnDestroyTensorDescriptor;
    Filter cudnnFilterDescriptor_t cudnnCreateFilterDescriptor cudnnDestroyFilterDescriptor;
    Window cudnnConvolutionDescriptor_t cudnnCreateConvolutionDescriptor cudnnDestroyConvolutionDescriptor;
    Pooling cudnnPoolingDescriptor_t cudnnCreatePoolingDescriptor cudnnDestroyPoolingDescriptor;
}

impl Tensor {
    /// Describes a contiguous tensor.
    fn new(calls: &'static Calls, kind: DnnKind, shape: &[u64]) -> Result<Self> {
        let call = "cudnnSetTensorNdDescriptor";
        let dims = ints(call, shape)?;
        let mut strides = vec![1u64; shape.len()];
        for d in (1..shape.len()).rev() {
            strides[d - 1] = strides[d].saturating_mul(shape[d]);
        }
        let strides = ints(call, &strides)?;
        let made = Self::make(calls)?;
        // SAFETY: the descriptor lives; both arrays have the length that is passed.
        unsafe {
            calls.cudnnSetTensorNdDescriptor(
                made.raw,
                kind.raw(),
                dims.len() as c_int,
                dims.as_ptr(),
                strides.as_ptr(),
            )?;
        }
        Ok(made)
    }
}

/// The descriptors of a convolution.
#[derive(Debug)]
pub struct Conv {
    direction: Direction,
    x: Tensor,
    w: Filter,
    y: Tensor,
    window: Window,
}

/// An algorithm that cuDNN offers for a convolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Algorithm {
    direction: Direction,
    number: c_int,
    workspace: usize,
    deterministic: bool,
}

impl Algorithm {
    /// Returns the bytes of workspace that it needs.
    pub fn workspace(&self) -> u64 {
        self.workspace as u64
    }

    /// Returns cuDNN's number of it, among those of its direction.
    pub fn number(&self) -> i32 {
        self.number
    }

    /// Returns whether it gives the same bits in every run. The others add parts of sums by atomics, halves in half precision.
    pub fn is_deterministic(&self) -> bool {
        self.deterministic
    }

    /// Returns whether it gives the same bits in every run and keeps a NaN where it belongs.
    pub fn is_faithful(&self) -> bool {
        self.deterministic && !self.is_fft() && !self.is_winograd()
    }

    /// Returns whether it uses the Fourier transform, which spreads one NaN over a whole image.
    pub fn is_fft(&self) -> bool {
        match self.direction {
            Direction::Forward => {
                [CUDNN_CONVOLUTION_FWD_ALGO_FFT, CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING].contains(&self.number)
            }
            Direction::BackwardData => {
                [CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT, CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING]
                    .contains(&self.number)
            }
            Direction::BackwardWeights => {
                [CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING]
                    .contains(&self.number)
            }
        }
    }

    /// Returns whether it uses Winograd's transform, which is inexact in half precision and loses NaN.
    pub fn is_winograd(&self) -> bool {
        match self.direction {
            Direction::Forward => {
                [CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD, CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED]
                    .contains(&self.number)
            }
            Direction::BackwardData => {
                [CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD, CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED]
                    .contains(&self.number)
            }
            Direction::BackwardWeights => [
                CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD,
                CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED,
            ]
            .contains(&self.number),
        }
    }
}

/// More algorithms than cuDNN has for any direction, each in several math types.
const MOST: usize = 32;

/// The factors alpha = 1 and beta = 0.
static FACTORS: [f32; 2] = [1.0, 0.0];

impl Conv {
    /// Describes a convolution. All three shapes are given, whichever is computed.
    ///
    /// # Errors
    /// Sizes that do not fit an int; an error of cuDNN.
    pub fn new(dnn: &Dnn, c: &ConvConfig) -> Result<Self> {
        let call = "cudnnSetConvolutionNdDescriptor";
        let calls = dnn.enter(call)?;
        let rank = c.x.len();
        if c.w.len() != rank
            || c.y.len() != rank
            || [&c.pads, &c.strides, &c.dilations].iter().any(|v| v.len() + 2 != rank)
        {
            return Err(Error::argument(call, "shapes and window have different numbers of dimensions"));
        }
        let (pads, strides) = (ints(call, &c.pads)?, ints(call, &c.strides)?);
        let (dilations, groups, dims) =
            (ints(call, &c.dilations)?, ints(call, &[c.groups])?, ints(call, &c.w)?);
        let (x, y) = (Tensor::new(calls, c.kind, &c.x)?, Tensor::new(calls, c.kind, &c.y)?);
        let (w, window) = (Filter::make(calls)?, Window::make(calls)?);
        // Tensor cores may multiply halves, since they sum in f32; they would round f32 to TF32.
        let math = if c.kind == DnnKind::F32 { CUDNN_FMA_MATH } else { CUDNN_TENSOR_OP_MATH };
        // SAFETY: the descriptors live; the arrays have the lengths that are passed.
        unsafe {
            calls.cudnnSetFilterNdDescriptor(
                w.raw,
                c.kind.raw(),
                CUDNN_TENSOR_NCHW,
                dims.len() as c_int,
                dims.as_ptr(),
            )?;
            calls.cudnnSetConvolutionNdDescriptor(
                window.raw,
                pads.len() as c_int,
                pads.as_ptr(),
                strides.as_ptr(),
                dilations.as_ptr(),
                CUDNN_CROSS_CORRELATION,
                CUDNN_DATA_FLOAT,
            )?;
            calls.cudnnSetConvolutionGroupCount(window.raw, groups[0])?;
            calls.cudnnSetConvolutionMathType(window.raw, math)?;
        }
        Ok(Self { direction: c.direction, x, w, y, window })
    }

    /// Returns the algorithms that cuDNN offers, estimated fastest first. Nothing is measured or compiled.
    ///
    /// # Errors
    /// An error of cuDNN.
    pub fn algorithms(&self, dnn: &mut Dnn) -> Result<Vec<Algorithm>> {
        let calls = dnn.enter("cudnnGetConvolutionAlgorithm_v7")?;
        let (x, w, y, conv) = (self.x.raw, self.w.raw, self.y.raw, self.window.raw);
        let mut found = [cudnnConvolutionFwdAlgoPerf_t::default(); MOST];
        let (mut count, most, at) = (0, MOST as c_int, found.as_mut_ptr());
        // SAFETY: handle and descriptors live; there is room for as many results as are asked for.
        unsafe {
            match self.direction {
                Direction::Forward => calls
                    .cudnnGetConvolutionForwardAlgorithm_v7(dnn.raw, x, w, conv, y, most, &mut count, at)?,
                Direction::BackwardData => calls.cudnnGetConvolutionBackwardDataAlgorithm_v7(
                    dnn.raw, w, y, conv, x, most, &mut count, at,
                )?,
                Direction::BackwardWeights => calls.cudnnGetConvolutionBackwardFilterAlgorithm_v7(
                    dnn.raw, x, y, conv, w, most, &mut count, at,
                )?,
            }
        }
        let found = &found[..usize::try_from(count).unwrap_or(0).min(MOST)];
        let mut all: Vec<Algorithm> = Vec::new();
        // Each algorithm is listed once per math type; the descriptor has fixed the math type.
        for f in found.iter().filter(|f| f.status == CUDNN_STATUS_SUCCESS) {
            if all.iter().any(|a| a.number == f.algo) {
                continue;
            }
            let mut bytes = 0;
            // SAFETY: as above; the pointer is that of a local.
            let asked = unsafe {
                match self.direction {
                    Direction::Forward => calls
                        .cudnnGetConvolutionForwardWorkspaceSize(dnn.raw, x, w, conv, y, f.algo, &mut bytes),
                    Direction::BackwardData => calls.cudnnGetConvolutionBackwardDataWorkspaceSize(
                        dnn.raw, w, y, conv, x, f.algo, &mut bytes,
                    ),
                    Direction::BackwardWeights => calls.cudnnGetConvolutionBackwardFilterWorkspaceSize(
                        dnn.raw, x, y, conv, w, f.algo, &mut bytes,
                    ),
                }
            };
            if asked.is_ok() {
                all.push(Algorithm {
                    direction: self.direction,
                    number: f.algo,
                    workspace: bytes,
                    deterministic: f.determinism == CUDNN_DETERMINISTIC,
                });
            }
        }
        Ok(all)
    }

    /// Issues it on the device's stream, which writes the operand of the direction. `space` is an address and a
    /// number of bytes.
    ///
    /// # Errors
    /// A workspace that is too small; an algorithm of another direction; an error of cuDNN.
    pub fn run(
        &self,
        dnn: &mut Dnn,
        algorithm: &Algorithm,
        [x, w, y]: [u64; 3],
        space: (u64, u64),
    ) -> Result<()> {
        let call = "cudnnConvolution";
        let calls = dnn.enter(call)?;
        if algorithm.direction != self.direction {
            return Err(Error::argument(call, "the algorithm belongs to another direction"));
        }
        if space.1 < algorithm.workspace() {
            let why = format!("got a workspace of {} bytes, expected {}", space.1, algorithm.workspace);
            return Err(Error::argument(call, why));
        }
        let at = |p: u64| p as usize as *mut c_void;
        let (x_at, w_at, y_at) = (at(x), at(w), at(y));
        let (x, w, y, conv) = (self.x.raw, self.w.raw, self.y.raw, self.window.raw);
        let (number, room, bytes) = (algorithm.number, at(space.0), space.1 as usize);
        let (one, zero) = ((&raw const FACTORS[0]).cast(), (&raw const FACTORS[1]).cast());
        // SAFETY: handle, descriptors and factors live; the caller's addresses are memory of the device of these shapes.
        unsafe {
            match self.direction {
                Direction::Forward => calls.cudnnConvolutionForward(
                    dnn.raw, one, x, x_at, w, w_at, conv, number, room, bytes, zero, y, y_at,
                ),
                Direction::BackwardData => calls.cudnnConvolutionBackwardData(
                    dnn.raw, one, w, w_at, y, y_at, conv, number, room, bytes, zero, x, x_at,
                ),
                Direction::BackwardWeights => calls.cudnnConvolutionBackwardFilter(
                    dnn.raw, one, x, x_at, y, y_at, conv, number, room, bytes, zero, w, w_at,
                ),
            }
        }
    }
}

/// The descriptors of an average pooling.
#[derive(Debug)]
pub struct Pool {
    x: Tensor,
    y: Tensor,
    window: Pooling,
}

impl Pool {
    /// Describes a pooling.
    ///
    /// # Errors
    /// Sizes that do not fit an int; an error of cuDNN.
    pub fn new(dnn: &Dnn, p: &PoolConfig) -> Result<Self> {
        let call = "cudnnSetPoolingNdDescriptor";
        let calls = dnn.enter(call)?;
        let rank = p.x.len();
        if p.y.len() != rank || [&p.window, &p.pads, &p.strides].iter().any(|v| v.len() + 2 != rank) {
            return Err(Error::argument(call, "shapes and window have different numbers of dimensions"));
        }
        let (window, pads, strides) = (ints(call, &p.window)?, ints(call, &p.pads)?, ints(call, &p.strides)?);
        let (x, y) = (Tensor::new(calls, DnnKind::F32, &p.x)?, Tensor::new(calls, DnnKind::F32, &p.y)?);
        let mode = match p.include_pad {
            true => CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
            false => CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
        };
        let made = Self { x, y, window: Pooling::make(calls)? };
        // SAFETY: the descriptor lives; the arrays have the length that is passed.
        unsafe {
            calls.cudnnSetPoolingNdDescriptor(
                made.window.raw,
                mode,
                CUDNN_PROPAGATE_NAN,
                window.len() as c_int,
                window.as_ptr(),
                pads.as_ptr(),
                strides.as_ptr(),
            )?;
        }
        Ok(made)
    }

    /// Issues the computation of y from x on the device's stream.
    ///
    /// # Errors
    /// An error of cuDNN.
    pub fn forward(&self, dnn: &mut Dnn, x: u64, y: u64) -> Result<()> {
        let calls = dnn.enter("cudnnPoolingForward")?;
        let at = |p: u64| p as usize as *mut c_void;
        let (one, zero) = ((&raw const FACTORS[0]).cast(), (&raw const FACTORS[1]).cast());
        // SAFETY: as for a convolution.
        unsafe {
            calls.cudnnPoolingForward(
                dnn.raw,
                self.window.raw,
                one,
                self.x.raw,
                at(x),
                zero,
                self.y.raw,
                at(y),
            )
        }
    }

    /// Issues the computation of the gradient of x from that of y. An average needs neither x nor y: `spare` is
    /// memory of the size of x that is passed instead.
    ///
    /// # Errors
    /// An error of cuDNN.
    pub fn backward(&self, dnn: &mut Dnn, dy: u64, dx: u64, spare: u64) -> Result<()> {
        let calls = dnn.enter("cudnnPoolingBackward")?;
        let at = |p: u64| p as usize as *mut c_void;
        let (one, zero) = ((&raw const FACTORS[0]).cast(), (&raw const FACTORS[1]).cast());
        let (x, y) = (self.x.raw, self.y.raw);
        // SAFETY: as above.
        unsafe {
            calls.cudnnPoolingBackward(
                dnn.raw,
                self.window.raw,
                one,
                y,
                at(dy),
                y,
                at(dy),
                x,
                at(spare),
                zero,
                x,
                at(dx),
            )
        }
    }
}
