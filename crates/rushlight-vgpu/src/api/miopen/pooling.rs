//! Pooling: descriptors, workspace, both directions.
use super::pooling_compute::{self, Job, Mode, Window};
use super::tensor::{Kind, Tensor};
use super::{All, BAD_PARM, Ctx, Done, INVALID_VALUE, NOT_IMPLEMENTED, Refused, Status, UNKNOWN};
use super::{compile, entry, hip, refuse, with};
use crate::api::hip::Ptr;
use crate::support::config;
use crate::support::out::Out;
use std::ffi::c_void;

#[derive(Clone, Debug, Default)]
pub(crate) struct Descriptor {
    window: Option<Window>,
    /// Bytes of a stored index; default uint8.
    index: usize,
    /// Whether indices count in the image; if unset, the default for the number of dimensions.
    image: Option<bool>,
}

pub extern "C" fn miopenCreatePoolingDescriptor(to: Out<Ptr>) -> Status {
    entry("miopenCreatePoolingDescriptor", |all| {
        let key = all.key();
        to.set(key as Ptr).map_err(hip)?;
        all.pools.insert(key, Descriptor { index: 1, ..Descriptor::default() });
        Ok(())
    })
}

fn change(name: &str, at: Ptr, f: impl FnOnce(&mut Descriptor) -> Done) -> Status {
    entry(name, |all| match all.pools.get_mut(&(at as usize)) {
        Some(p) => f(p),
        None => refuse(BAD_PARM, "the pooling descriptor is NULL, destroyed, or invalid"),
    })
}

pub extern "C" fn miopenSetNdPoolingDescriptor(
    at: Ptr,
    mode: i32,
    rank: i32,
    sizes: Out<i32>,
    pads: Out<i32>,
    strides: Out<i32>,
) -> Status {
    change("miopenSetNdPoolingDescriptor", at, |p| {
        let mode = match mode {
            0 => Mode::Max,
            1 => Mode::Average,
            2 => Mode::Inclusive,
            _ => return refuse(INVALID_VALUE, format!("invalid pooling mode {mode}")),
        };
        let read = |what: &str, list: Out<i32>, least: i32| -> Done<Vec<usize>> {
            let list = list.list(rank.clamp(0, 8) as usize);
            if !(2..=3).contains(&list.len()) {
                return refuse(BAD_PARM, format!("{what}: expected 2 or 3 numbers"));
            }
            match list.iter().find(|v| **v < least) {
                Some(v) => refuse(BAD_PARM, format!("{what} {v}: must be at least {least}")),
                None => Ok(list.into_iter().map(|v| v as usize).collect()),
            }
        };
        p.window = Some(Window {
            mode,
            sizes: read("window", sizes, 1)?,
            pads: read("padding", pads, 0)?,
            strides: read("stride", strides, 1)?,
        });
        Ok(())
    })
}

pub extern "C" fn miopenSetPoolingIndexType(at: Ptr, kind: i32) -> Status {
    change("miopenSetPoolingIndexType", at, |p| {
        if !(0..=3).contains(&kind) {
            return refuse(BAD_PARM, format!("invalid index type {kind}"));
        }
        p.index = 1 << kind;
        Ok(())
    })
}

pub extern "C" fn miopenSetPoolingWorkSpaceIndexMode(at: Ptr, mode: i32) -> Status {
    change("miopenSetPoolingWorkSpaceIndexMode", at, |p| {
        if !(0..=1).contains(&mode) {
            return refuse(BAD_PARM, format!("invalid index mode {mode}"));
        }
        p.image = Some(mode == 1);
        Ok(())
    })
}

pub extern "C" fn miopenDestroyPoolingDescriptor(at: Ptr) -> Status {
    entry("miopenDestroyPoolingDescriptor", |all| match all.pools.remove(&(at as usize)) {
        Some(_) => Ok(()),
        None => refuse(BAD_PARM, "the pooling descriptor is NULL, destroyed, or invalid"),
    })
}

fn descriptor(all: &All, at: Ptr) -> Done<(Descriptor, Window)> {
    match all.pools.get(&(at as usize)) {
        Some(d) => match &d.window {
            Some(w) => Ok((d.clone(), w.clone())),
            None => refuse(BAD_PARM, "the pooling descriptor was not set"),
        },
        None => refuse(BAD_PARM, "the pooling descriptor is NULL, destroyed, or invalid"),
    }
}

pub extern "C" fn miopenPoolingGetWorkSpaceSizeV2(at: Ptr, y: Ptr, to: Out<usize>) -> Status {
    entry("miopenPoolingGetWorkSpaceSizeV2", |all| {
        let (d, w) = descriptor(all, at)?;
        let y = all.tensor("y", y)?;
        to.set(if w.mode == Mode::Max { y.count() * d.index } else { 0 }).map_err(hip)
    })
}

/// Checks shapes, types and factors of both directions, and returns the work without addresses.
fn job(
    c: &mut Ctx<'_>,
    pool: Ptr,
    x: &Tensor,
    y: &Tensor,
    factors: [*const c_void; 2],
    keeps: bool,
) -> Done<Job> {
    let (d, w) = descriptor(c.all, pool)?;
    for (at, want) in factors.into_iter().zip([1f32, 0.0]) {
        let at = at.cast_mut().cast::<f32>();
        // SAFETY: not NULL, so the caller's float.
        let value = (!at.is_null()).then(|| unsafe { at.read() });
        let value = value.ok_or_else(|| Refused(BAD_PARM, "alpha or beta is NULL".into()))?;
        if value != want {
            return refuse(UNKNOWN, format!("Only alpha=1 and beta=0 is supported, not {value}"));
        }
    }
    let n = x.dims.len();
    if x.kind != y.kind || !matches!(x.kind, Kind::F32 | Kind::F16) {
        return refuse(NOT_IMPLEMENTED, format!("pooling of {:?} to {:?}", x.kind, y.kind));
    }
    if w.sizes.len() + 2 != n || !(4..=5).contains(&n) {
        return refuse(BAD_PARM, format!("x has {n} dimensions, the window {}", w.sizes.len()));
    }
    let size = |i: usize| (x.dims[i + 2] + 2 * w.pads[i]).saturating_sub(w.sizes[i]) / w.strides[i] + 1;
    let want: Vec<usize> = x.dims[..2].iter().copied().chain((0..n - 2).map(size)).collect();
    if y.dims != want {
        return refuse(BAD_PARM, format!("y is {:?}, for x {:?} expected {want:?}", y.dims, x.dims));
    }
    let image = d.image.unwrap_or(n == 5);
    let reach: usize = if image { x.dims[2..].iter().product() } else { w.sizes.iter().product() };
    let most = if d.index < 8 { (1usize << (8 * d.index)) - 1 } else { usize::MAX };
    if w.mode == Mode::Max && keeps && reach > most {
        let why = format!("Index range not enough for max pooling bwd: {reach} elements, at most {most}");
        return refuse(UNKNOWN, why);
    }
    if config::get().faults.dnn_no_solution {
        return refuse(NOT_IMPLEMENTED, "No solver found for pooling (RUSHLIGHT_VGPU_FAULT)");
    }
    compile("MIOpenPooling")?;
    Ok(Job {
        x: x.clone(),
        y: y.clone(),
        window: w,
        index: d.index,
        image,
        wrong: config::get().faults.dnn_wrong,
    })
}

type Spans = Vec<(&'static str, (usize, usize))>;

fn spans(c: &mut Ctx<'_>, all: &[(&'static str, Ptr, &Tensor)]) -> Done<Spans> {
    all.iter().map(|(name, at, t)| Ok((*name, c.range(name, *at, t.bytes(), t.kind.size())?))).collect()
}

pub extern "C" fn miopenPoolingForward(
    h: Ptr,
    pool: Ptr,
    alpha: *const c_void,
    x: Ptr,
    x_at: *const c_void,
    beta: *const c_void,
    y: Ptr,
    y_at: Ptr,
    backward: bool,
    workspace: Ptr,
    bytes: usize,
) -> Status {
    with("miopenPoolingForward", h, |c| {
        let (xt, yt) = (c.all.tensor("x", x)?.clone(), c.all.tensor("y", y)?.clone());
        let job = job(c, pool, &xt, &yt, [alpha, beta], backward)?;
        let read = spans(c, &[("x", x_at.cast_mut(), &xt)])?;
        let mut written = spans(c, &[("y", y_at, &yt)])?;
        let keeps = backward && job.window.mode == Mode::Max;
        if keeps {
            if workspace.is_null() {
                return refuse(
                    UNKNOWN,
                    "workSpace cannot be NULL in Forward Pooling MAX mode when backward pass is requested",
                );
            }
            let needed = yt.count() * job.index;
            if bytes < needed {
                return refuse(BAD_PARM, format!("got a workspace of {bytes} bytes, expected {needed}"));
            }
            written.push(("the workspace", c.range("the workspace", workspace, bytes, job.index)?));
        }
        c.apart(&written, &read)?;
        let (x, y, indices) = (x_at as usize, y_at as usize, if keeps { workspace as usize } else { 0 });
        c.push(move || pooling_compute::forward(&job, x, y, indices))
    })
}

pub extern "C" fn miopenPoolingBackward(
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
    workspace: Ptr,
) -> Status {
    with("miopenPoolingBackward", h, |c| {
        let tensor = |name: &str, at: Ptr| c.all.tensor(name, at).cloned();
        let (yt, dyt, xt, dxt) = (tensor("y", y)?, tensor("dy", dy)?, tensor("x", x)?, tensor("dx", dx)?);
        if yt.dims != dyt.dims || xt.dims != dxt.dims || yt.kind != dyt.kind || xt.kind != dxt.kind {
            return refuse(BAD_PARM, "a gradient must have the shape and type of its tensor");
        }
        let job = job(c, pool, &dxt, &dyt, [alpha, beta], true)?;
        let mut read = spans(
            c,
            &[("y", y_at.cast_mut(), &yt), ("dy", dy_at.cast_mut(), &dyt), ("x", x_at.cast_mut(), &xt)],
        )?;
        let written = spans(c, &[("dx", dx_at, &dxt)])?;
        if job.window.mode == Mode::Max {
            if workspace.is_null() {
                return refuse(UNKNOWN, "workSpace cannot be NULL in Backward Pooling MAX mode");
            }
            let needed = yt.count() * job.index;
            read.push(("the workspace", c.range("the workspace", workspace, needed, job.index)?));
        }
        c.apart(&written, &read)?;
        let (dy, dx, indices) = (dy_at as usize, dx_at as usize, workspace as usize);
        c.push(move || pooling_compute::backward(&job, dy, dx, indices))
    })
}
