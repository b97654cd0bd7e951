//! Average pooling.
use super::{
    Ctx, CudnnStatus, Done, NOT_SUPPORTED, Object, apart, bad, factors, numbers, put, refuse, tensor, window,
    with,
};
use crate::api::hip::Ptr;
use crate::api::miopen::pooling_compute::Window;
use crate::api::miopen::pooling_compute::{self, Job, Mode};
use crate::api::miopen::tensor::{Kind, Tensor};
use crate::support::config;
use crate::support::out::Out;
use std::ffi::c_void;

pub extern "C" fn cudnnSetPoolingNdDescriptor(
    at: Ptr,
    mode: i32,
    nan: i32,
    count: i32,
    sizes: Out<i32>,
    pads: Out<i32>,
    strides: Out<i32>,
) -> CudnnStatus {
    let made = || -> Done<Window> {
        let mode = match mode {
            1 => Mode::Inclusive,
            2 => Mode::Average,
            _ => return refuse(NOT_SUPPORTED, format!("pooling mode {mode} is not supported")),
        };
        if !(0..=1).contains(&nan)
            || !(2..=3).contains(&count)
            || sizes.is_null()
            || pads.is_null()
            || strides.is_null()
        {
            return bad("expected 2 or 3 window sizes and a NaN mode of 0 or 1");
        }
        Ok(Window {
            mode,
            sizes: numbers("window", sizes, count, 1)?,
            pads: numbers("padding", pads, count, 0)?,
            strides: numbers("stride", strides, count, 1)?,
        })
    };
    put("cudnnSetPoolingNdDescriptor", at, made(), Object::Pooling)
}

fn job(c: &Ctx<'_>, pool: Ptr, x: &Tensor, y: &Tensor) -> Done<Job> {
    let w = window(c.all, pool)?;
    let n = x.dims.len();
    let size =
        |i: usize| (x.dims[i + 2] + 2 * w.pads[i]).checked_sub(w.sizes[i]).map(|r| r / w.strides[i] + 1);
    if w.sizes.len() + 2 != n || x.kind != y.kind {
        return bad("the tensors and the window have different ranks or types");
    }
    let want: Option<Vec<usize>> =
        [Some(x.dims[0]), Some(x.dims[1])].into_iter().chain((0..n - 2).map(size)).collect();
    if want.as_ref() != Some(&y.dims) {
        return bad(format!("y is {:?}, for x {:?} expected {want:?}", y.dims, x.dims));
    }
    if x.kind != Kind::F32 || config::get().faults.dnn_no_solution {
        return refuse(NOT_SUPPORTED, format!("pooling of {:?} is not supported", x.kind));
    }
    let wrong = config::get().faults.dnn_wrong;
    Ok(Job { x: x.clone(), y: y.clone(), window: w, index: 1, image: false, wrong })
}

pub extern "C" fn cudnnPoolingForward(
    h: Ptr,
    pool: Ptr,
    alpha: *const c_void,
    x: Ptr,
    x_at: *const c_void,
    beta: *const c_void,
    y: Ptr,
    y_at: Ptr,
) -> CudnnStatus {
    with("cudnnPoolingForward", h, |c| {
        factors(alpha, beta)?;
        let (xt, yt) = (tensor(c.all, x)?, tensor(c.all, y)?);
        let job = job(c, pool, &xt, &yt)?;
        let (x, y) = (x_at as usize, y_at as usize);
        apart(&[c.range("y", y, yt.bytes(), 4)?], &[c.range("x", x, xt.bytes(), 4)?])?;
        c.push(move || pooling_compute::forward(&job, x, y, 0))
    })
}

pub extern "C" fn cudnnPoolingBackward(
    h: Ptr,
    pool: Ptr,
    alpha: *const c_void,
    y: Ptr,
    y_at: *const c_void,
    dy: Ptr,
    dy_at: *const c_void,
    x: Ptr,
    x_at: *const c_void,
    beta: *const c_void,
    dx: Ptr,
    dx_at: Ptr,
) -> CudnnStatus {
    with("cudnnPoolingBackward", h, |c| {
        factors(alpha, beta)?;
        let (yt, dyt, xt, dxt) =
            (tensor(c.all, y)?, tensor(c.all, dy)?, tensor(c.all, x)?, tensor(c.all, dx)?);
        if yt.dims != dyt.dims || xt.dims != dxt.dims {
            return bad("a gradient must have the shape of its tensor");
        }
        let job = job(c, pool, &dxt, &dyt)?;
        let (dy, dx) = (dy_at as usize, dx_at as usize);
        let read = [
            c.range("y", y_at as usize, yt.bytes(), 4)?,
            c.range("dy", dy, dyt.bytes(), 4)?,
            c.range("x", x_at as usize, xt.bytes(), 4)?,
        ];
        apart(&[c.range("dx", dx, dxt.bytes(), 4)?], &read)?;
        c.push(move || pooling_compute::backward(&job, dy, dx, 0))
    })
}
