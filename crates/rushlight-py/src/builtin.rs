//! Creates Python's builtin functions and method descriptors for the functions of the registry.
//!
//! CPython calls a builtin function by a C function alone, without saying which one it calls. There is one small C function for
//! each index of the registry, and they all lead to [`Callable::call`](crate::function::Callable::call). (PyO3 makes such a C
//! function, and the parsing of its arguments, for each `#[pyfunction]`, which costs build time and size.)
#![allow(unsafe_code)]
use crate::function::{Callable, callable};
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::impl_::trampoline::{MethodDef, fastcall_cfunction_with_keywords as fastcall};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use std::ffi::{CString, c_int};

type Enter = unsafe extern "C" fn(
    *mut ffi::PyObject,
    *const *mut ffi::PyObject,
    ffi::Py_ssize_t,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

/// The C function of the callable at index `N`.
unsafe extern "C" fn enter<const N: usize>(
    slf: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: CPython calls this with its lock held, and with the arguments of a call.
    unsafe { enter_at(N, slf, args, count, names) }
}

/// # Safety
/// The thread holds the interpreter's lock; `args` points to `count` positional arguments, followed by one
/// argument for each name.
#[inline(never)]
unsafe fn enter_at(
    index: usize,
    slf: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let mut frame = Frame { index, names };
    // SAFETY: as the caller says; the frame lives as long as the call.
    unsafe { fastcall::<Entry>(slf, args, count, (&raw mut frame).cast()) }
}

/// The arguments of a call that `run` gets in place of the keyword names.
struct Frame {
    index: usize,
    /// A tuple of the keyword arguments' names, or null.
    names: *mut ffi::PyObject,
}

/// PyO3's entry from C: it attaches to the interpreter, and turns errors and panics into exceptions.
struct Entry;

impl MethodDef<fastcall::Func> for Entry {
    const METH: fastcall::Func = run;
}

/// # Safety
/// `args` points to `count` positional arguments, followed by one argument for each name; `frame` points to a
/// [`Frame`].
unsafe fn run(
    py: Python<'_>,
    slf: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    frame: *mut ffi::PyObject,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: `enter_at` passes a frame on its stack.
    let frame = unsafe { &*frame.cast::<Frame>() };
    let Some(callable) = callable(frame.index) else {
        return Err(PyRuntimeError::new_err("the function is not registered"));
    };
    // SAFETY: the names are a tuple or null, and live as long as the call.
    let names = unsafe { Borrowed::from_ptr_or_opt(py, frame.names) };
    let names = names.map(|names| names.cast::<PyTuple>()).transpose()?;
    let count = usize::try_from(count).unwrap_or(0);
    let all = count + names.map_or(0, |n| n.len());
    let all: &[Borrowed<'_, '_, PyAny>] = if all == 0 {
        &[]
    } else {
        // SAFETY: CPython passes this number of arguments, which live as long as the call. `Borrowed` is a transparent pointer to
        // an object, as PyO3 itself relies on.
        unsafe { std::slice::from_raw_parts(args.cast(), all) }
    };
    let (given, named) = all.split_at(count);
    // SAFETY: a method's `slf` is the tensor, which lives as long as the call; CPython has checked its class.
    let slf = if callable.is_method() { unsafe { Borrowed::from_ptr_or_opt(py, slf) } } else { None };
    callable.call(py, slf, given, names, named).map(Bound::into_ptr)
}

macro_rules! table {
    ($($row:literal)*) => { [$(
        enter::<{ $row * 8 }>, enter::<{ $row * 8 + 1 }>, enter::<{ $row * 8 + 2 }>, enter::<{ $row * 8 + 3 }>,
        enter::<{ $row * 8 + 4 }>, enter::<{ $row * 8 + 5 }>, enter::<{ $row * 8 + 6 }>, enter::<{ $row * 8 + 7 }>,
    )*] };
}

/// The C functions, by index of the registry. If the registry has more entries, importing the module is an
/// error; add rows then.
static TABLE: &[Enter] = &table! {
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
    40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77
    78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99
};

/// Makes the method definition of the callable at an index of the registry.
fn definition(index: usize, callable: &Callable) -> PyResult<*mut ffi::PyMethodDef> {
    let Some(enter) = TABLE.get(index) else {
        return Err(PyRuntimeError::new_err(format!(
            "no C function for the callable {index}; add rows to TABLE"
        )));
    };
    let name = CString::new(callable.name())?;
    let doc = CString::new(format!("{}\n--\n\n{}", callable.text_signature(), callable.doc()))?;
    // Leaked: CPython keeps pointers to the definition and to its texts for the life of the process.
    let definition = Box::new(ffi::PyMethodDef {
        ml_name: name.into_raw(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: *enter },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS as c_int,
        ml_doc: doc.into_raw(),
    });
    Ok(Box::into_raw(definition))
}

/// Makes a function of a module.
pub fn function<'py>(m: &Bound<'py, PyModule>, index: usize, of: &Callable) -> PyResult<Bound<'py, PyAny>> {
    let name = m.name()?;
    let definition = definition(index, of)?;
    // SAFETY: the definition is never freed, and the module and its name are objects.
    unsafe {
        let made = ffi::PyCFunction_NewEx(definition, m.as_ptr(), name.as_ptr());
        Bound::from_owned_ptr_or_err(m.py(), made)
    }
}

/// Makes a method descriptor of a class.
pub fn method<'py>(class: &Bound<'py, PyType>, index: usize, of: &Callable) -> PyResult<Bound<'py, PyAny>> {
    let definition = definition(index, of)?;
    // SAFETY: the definition is never freed, and the class is a type.
    unsafe {
        let made = ffi::PyDescr_NewMethod(class.as_type_ptr(), definition);
        Bound::from_owned_ptr_or_err(class.py(), made)
    }
}
