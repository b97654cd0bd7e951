//! Tensor descriptors: dimensions and strides in the order N, C, (D,) H, W.
use super::{BAD_PARM, Done, INVALID_VALUE, Status, entry, hip, refuse};
use crate::api::hip::Ptr;
use crate::support::out::Out;

/// miopenDataType_t, limited to the types of supported tensors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    F16,
    F32,
    I32,
    I8,
    Bf16,
    F64,
    I64,
}

impl Kind {
    fn new(raw: i32) -> Option<Self> {
        Some(match raw {
            0 => Kind::F16,
            1 => Kind::F32,
            2 => Kind::I32,
            3 => Kind::I8,
            5 => Kind::Bf16,
            6 => Kind::F64,
            9 => Kind::I64,
            _ => return None,
        })
    }

    fn raw(self) -> i32 {
        match self {
            Kind::F16 => 0,
            Kind::F32 => 1,
            Kind::I32 => 2,
            Kind::I8 => 3,
            Kind::Bf16 => 5,
            Kind::F64 => 6,
            Kind::I64 => 9,
        }
    }

    pub fn size(self) -> usize {
        match self {
            Kind::I8 => 1,
            Kind::F16 | Kind::Bf16 => 2,
            Kind::F32 | Kind::I32 => 4,
            Kind::F64 | Kind::I64 => 8,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Tensor {
    pub kind: Kind,
    pub dims: Vec<usize>,
    pub strides: Vec<usize>,
}

impl Tensor {
    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        self.dims.iter().product()
    }

    /// Returns the bytes from the first element to the end of the last.
    pub fn bytes(&self) -> usize {
        let last: usize = self.dims.iter().zip(&self.strides).map(|(d, s)| (d - 1) * s).sum();
        (last + 1) * self.kind.size()
    }

    fn follows(&self, order: impl Iterator<Item = usize>) -> bool {
        let mut step = 1;
        for d in order {
            if self.dims[d] != 1 && self.strides[d] != step {
                return false;
            }
            step *= self.dims[d];
        }
        true
    }

    /// Returns whether it is contiguous as N, C, (D,) H, W.
    pub fn packed(&self) -> bool {
        self.follows((0..self.dims.len()).rev())
    }

    /// Returns whether it is contiguous with the channels last.
    pub fn channels_last(&self) -> bool {
        self.follows([1].into_iter().chain((2..self.dims.len()).rev()).chain([0]))
    }

    /// Returns whether two elements have the same address.
    pub fn overlaps_itself(&self) -> bool {
        let mut order: Vec<usize> = (0..self.dims.len()).filter(|d| self.dims[*d] > 1).collect();
        order.sort_by_key(|d| self.strides[*d]);
        let mut reach = 0;
        order.iter().any(|d| {
            let meets = self.strides[*d] <= reach;
            reach += (self.dims[*d] - 1) * self.strides[*d];
            meets
        })
    }

    /// Returns the offset of an element.
    pub fn at(&self, index: &[usize]) -> usize {
        index.iter().zip(&self.strides).map(|(i, s)| i * s).sum()
    }
}

fn make(kind: i32, dims: &[i64], strides: Option<&[i64]>) -> Done<Tensor> {
    let Some(kind) = Kind::new(kind) else {
        return refuse(BAD_PARM, format!("invalid data type {kind}"));
    };
    let size = |what: &str, v: &i64| match usize::try_from(*v) {
        Ok(v) if v > 0 => Ok(v),
        _ => refuse(BAD_PARM, format!("{what} {v}: must be greater than 0")),
    };
    let lens = dims.iter().map(|v| size("a length", v)).collect::<Done<Vec<_>>>()?;
    let count = lens.iter().try_fold(1usize, |a, v| a.checked_mul(*v));
    if count.is_none_or(|c| c > 1 << 48) {
        return refuse(BAD_PARM, format!("dimensions {dims:?} are too large"));
    }
    let strides = match strides {
        Some(s) => s.iter().map(|v| size("a stride", v)).collect::<Done<Vec<_>>>()?,
        None => {
            let mut s = vec![1; lens.len()];
            for d in (1..lens.len()).rev() {
                s[d - 1] = s[d] * lens[d];
            }
            s
        }
    };
    Ok(Tensor { kind, dims: lens, strides })
}

fn set(name: &str, at: Ptr, tensor: Done<Tensor>) -> Status {
    entry(name, |all| {
        let Some(slot) = all.tensors.get_mut(&(at as usize)) else {
            return refuse(BAD_PARM, "the tensor descriptor is NULL, destroyed, or invalid");
        };
        *slot = Some(tensor?);
        Ok(())
    })
}

pub extern "C" fn miopenCreateTensorDescriptor(to: Out<Ptr>) -> Status {
    entry("miopenCreateTensorDescriptor", |all| {
        let key = all.key();
        to.set(key as Ptr).map_err(hip)?;
        all.tensors.insert(key, None);
        Ok(())
    })
}

pub extern "C" fn miopenSet4dTensorDescriptor(at: Ptr, kind: i32, n: i32, c: i32, h: i32, w: i32) -> Status {
    let dims = [n, c, h, w].map(i64::from);
    set("miopenSet4dTensorDescriptor", at, make(kind, &dims, None))
}

fn lists<T: Copy + TryInto<i64>>(kind: i32, count: i32, dims: Out<T>, strides: Out<T>) -> Done<Tensor> {
    if dims.is_null() || count <= 0 {
        return refuse(INVALID_VALUE, "no lengths");
    }
    // Larger than any address: the next check rejects it.
    let numbers = |l: Out<T>| -> Vec<i64> {
        l.list(count as usize).into_iter().map(|v| v.try_into().unwrap_or(i64::MAX)).collect()
    };
    let strides = (!strides.is_null()).then(|| numbers(strides));
    make(kind, &numbers(dims), strides.as_deref())
}

pub extern "C" fn miopenSetTensorDescriptor(
    at: Ptr,
    kind: i32,
    count: i32,
    dims: Out<i32>,
    strides: Out<i32>,
) -> Status {
    set("miopenSetTensorDescriptor", at, lists(kind, count, dims, strides))
}

/// Since MIOpen 3.2.
pub extern "C" fn miopenSetTensorDescriptorV2(
    at: Ptr,
    kind: i32,
    count: i32,
    dims: Out<usize>,
    strides: Out<usize>,
) -> Status {
    set("miopenSetTensorDescriptorV2", at, lists(kind, count, dims, strides))
}

pub extern "C" fn miopenGetTensorDescriptor(
    at: Ptr,
    kind: Out<i32>,
    dims: Out<i32>,
    strides: Out<i32>,
) -> Status {
    entry("miopenGetTensorDescriptor", |all| {
        let t = all.tensor("the tensor", at)?;
        if !kind.is_null() {
            kind.set(t.kind.raw()).map_err(hip)?;
        }
        dims.fill(&t.dims.iter().map(|v| *v as i32).collect::<Vec<_>>());
        strides.fill(&t.strides.iter().map(|v| *v as i32).collect::<Vec<_>>());
        Ok(())
    })
}

pub extern "C" fn miopenDestroyTensorDescriptor(at: Ptr) -> Status {
    entry("miopenDestroyTensorDescriptor", |all| match all.tensors.remove(&(at as usize)) {
        Some(_) => Ok(()),
        None => refuse(BAD_PARM, "the tensor descriptor is NULL, destroyed, or invalid"),
    })
}
