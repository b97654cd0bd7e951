//! Convolution descriptors, and the shape of the output.
use super::tensor::Tensor;
use super::{BAD_PARM, Done, Status, UNKNOWN, entry, hip, refuse};
use crate::api::hip::Ptr;
use crate::support::out::Out;

#[derive(Clone, Debug)]
pub(crate) struct Descriptor {
    pub pads: Vec<usize>,
    pub strides: Vec<usize>,
    pub dilations: Vec<usize>,
    pub transposed: bool,
    /// Not checked when it is set.
    pub groups: i32,
    pub output_pads: Vec<usize>,
    pub deterministic: bool,
}

/// Returns the output's shape; errors are those of the real library's checks.
pub(crate) fn output(c: &Descriptor, x: &Tensor, w: &Tensor) -> Done<Vec<usize>> {
    let n = x.dims.len();
    let shapes = || format!("x {:?}, w {:?}, {} groups", x.dims, w.dims, c.groups);
    if n < 3 || w.dims.len() != n || c.pads.len() != n - 2 {
        return refuse(BAD_PARM, format!("{}: {} dimensions of the window", shapes(), c.pads.len()));
    }
    if x.kind != w.kind {
        return refuse(BAD_PARM, format!("x is {:?}, w is {:?}", x.kind, w.kind));
    }
    let Some(groups) = usize::try_from(c.groups).ok().filter(|g| *g > 0) else {
        return refuse(BAD_PARM, shapes());
    };
    let span = |d: usize| 1 + c.dilations[d] * (w.dims[d + 2] - 1);
    if c.transposed {
        if x.dims[1] != w.dims[0] || !w.dims[0].is_multiple_of(groups) {
            return refuse(BAD_PARM, format!("{}: channels do not match", shapes()));
        }
        if let Some(d) = (0..n - 2).find(|d| c.output_pads[*d] >= c.strides[*d]) {
            return refuse(
                BAD_PARM,
                format!("output padding {} must be less than the stride", c.output_pads[d]),
            );
        }
        let size = |d: usize| {
            let whole = c.strides[d] * (x.dims[d + 2] - 1) + span(d) + c.output_pads[d];
            whole.saturating_sub(2 * c.pads[d]).max(1)
        };
        return Ok([x.dims[0], w.dims[1] * groups].into_iter().chain((0..n - 2).map(size)).collect());
    }
    let fits = x.dims[1].is_multiple_of(w.dims[1]) && w.dims[0].is_multiple_of(x.dims[1] / w.dims[1]);
    if !fits || x.dims[1] / w.dims[1] != groups {
        return refuse(BAD_PARM, format!("{}: channels do not match", shapes()));
    }
    let size = |d: usize| (x.dims[d + 2] + 2 * c.pads[d]).saturating_sub(span(d)) / c.strides[d] + 1;
    Ok([x.dims[0], w.dims[0]].into_iter().chain((0..n - 2).map(size)).collect())
}

fn numbers(what: &str, list: &[i32], least: i32) -> Done<Vec<usize>> {
    match list.iter().find(|v| **v < least) {
        Some(v) => refuse(BAD_PARM, format!("{what} {v}: must be at least {least}")),
        None => Ok(list.iter().map(|v| *v as usize).collect()),
    }
}

fn init(name: &str, at: Ptr, pads: &[i32], strides: &[i32], dilations: &[i32], mode: i32) -> Status {
    entry(name, |all| {
        let Some(slot) = all.convs.get_mut(&(at as usize)) else {
            return refuse(BAD_PARM, "the convolution descriptor is NULL, destroyed, or invalid");
        };
        if !(0..=3).contains(&mode) {
            return refuse(BAD_PARM, format!("invalid mode {mode}"));
        }
        if pads.is_empty() || pads.len() != strides.len() || pads.len() != dilations.len() {
            return refuse(BAD_PARM, "no paddings, strides or dilations");
        }
        // Initialization resets earlier settings: groups, output padding.
        *slot = Some(Descriptor {
            pads: numbers("padding", pads, 0)?,
            strides: numbers("stride", strides, 1)?,
            dilations: numbers("dilation", dilations, 1)?,
            transposed: mode == 1,
            groups: 1,
            output_pads: vec![0; pads.len()],
            deterministic: false,
        });
        Ok(())
    })
}

fn change(name: &str, at: Ptr, f: impl FnOnce(&mut Descriptor) -> Done) -> Status {
    entry(name, |all| {
        all.conv(at)?;
        match all.convs.get_mut(&(at as usize)) {
            Some(Some(c)) => f(c),
            _ => Ok(()),
        }
    })
}

pub extern "C" fn miopenCreateConvolutionDescriptor(to: Out<Ptr>) -> Status {
    entry("miopenCreateConvolutionDescriptor", |all| {
        let key = all.key();
        to.set(key as Ptr).map_err(hip)?;
        all.convs.insert(key, None);
        Ok(())
    })
}

pub extern "C" fn miopenInitConvolutionDescriptor(
    at: Ptr,
    mode: i32,
    pad_h: i32,
    pad_w: i32,
    stride_h: i32,
    stride_w: i32,
    dilation_h: i32,
    dilation_w: i32,
) -> Status {
    let name = "miopenInitConvolutionDescriptor";
    init(name, at, &[pad_h, pad_w], &[stride_h, stride_w], &[dilation_h, dilation_w], mode)
}

pub extern "C" fn miopenInitConvolutionNdDescriptor(
    at: Ptr,
    rank: i32,
    pads: Out<i32>,
    strides: Out<i32>,
    dilations: Out<i32>,
    mode: i32,
) -> Status {
    let list = |l: Out<i32>| l.list(rank.clamp(0, 8) as usize);
    let name = "miopenInitConvolutionNdDescriptor";
    init(name, at, &list(pads), &list(strides), &list(dilations), mode)
}

pub extern "C" fn miopenSetConvolutionGroupCount(at: Ptr, groups: i32) -> Status {
    change("miopenSetConvolutionGroupCount", at, |c| {
        c.groups = groups;
        Ok(())
    })
}

pub extern "C" fn miopenSetTransposeConvOutputPadding(at: Ptr, h: i32, w: i32) -> Status {
    output_padding("miopenSetTransposeConvOutputPadding", at, &[h, w])
}

pub extern "C" fn miopenSetTransposeConvNdOutputPadding(at: Ptr, rank: i32, pads: Out<i32>) -> Status {
    output_padding("miopenSetTransposeConvNdOutputPadding", at, &pads.list(rank.clamp(0, 8) as usize))
}

fn output_padding(name: &str, at: Ptr, pads: &[i32]) -> Status {
    change(name, at, |c| {
        if pads.len() != c.pads.len() {
            return refuse(BAD_PARM, "the number of dimensions differs from the convolution's");
        }
        c.output_pads = numbers("output padding", pads, 0)?;
        Ok(())
    })
}

pub extern "C" fn miopenSetConvolutionAttribute(at: Ptr, attribute: i32, value: i32) -> Status {
    change("miopenSetConvolutionAttribute", at, |c| {
        match (attribute, value) {
            // Arithmetic of halves is the same with every value.
            (0, -1..=1) => {}
            (1, 0..=1) => c.deterministic = value == 1,
            _ => return refuse(BAD_PARM, format!("invalid attribute {attribute} or value {value}")),
        }
        Ok(())
    })
}

/// Since MIOpen 3.4. Find measures nothing here, in every mode.
pub extern "C" fn miopenSetConvolutionFindMode(at: Ptr, mode: i32) -> Status {
    change("miopenSetConvolutionFindMode", at, |_| {
        if [1, 2, 3, 5, 6, 7].contains(&mode) {
            Ok(())
        } else {
            refuse(BAD_PARM, format!("invalid find mode {mode}"))
        }
    })
}

pub extern "C" fn miopenDestroyConvolutionDescriptor(at: Ptr) -> Status {
    entry("miopenDestroyConvolutionDescriptor", |all| match all.convs.remove(&(at as usize)) {
        Some(_) => Ok(()),
        None => refuse(BAD_PARM, "the convolution descriptor is NULL, destroyed, or invalid"),
    })
}

pub extern "C" fn miopenGetConvolutionForwardOutputDim(
    conv: Ptr,
    x: Ptr,
    w: Ptr,
    n: Out<i32>,
    c: Out<i32>,
    h: Out<i32>,
    width: Out<i32>,
) -> Status {
    entry("miopenGetConvolutionForwardOutputDim", |all| {
        let dims = output(all.conv(conv)?, all.tensor("x", x)?, all.tensor("w", w)?)?;
        if dims.len() != 4 {
            return refuse(UNKNOWN, "the convolution does not have 2 dimensions");
        }
        for (to, v) in [n, c, h, width].into_iter().zip(dims) {
            to.set(v as i32).map_err(hip)?;
        }
        Ok(())
    })
}

pub extern "C" fn miopenGetConvolutionNdForwardOutputDim(
    conv: Ptr,
    x: Ptr,
    w: Ptr,
    rank: Out<i32>,
    to: Out<i32>,
) -> Status {
    entry("miopenGetConvolutionNdForwardOutputDim", |all| {
        let dims = output(all.conv(conv)?, all.tensor("x", x)?, all.tensor("w", w)?)?;
        rank.set(dims.len() as i32).map_err(hip)?;
        to.fill(&dims.iter().map(|v| *v as i32).collect::<Vec<_>>());
        Ok(())
    })
}
