//! Pointers that C callers pass.
use crate::support::error::{self, Code};
use std::ffi::{CStr, c_char, c_void};

/// A pointer to which a function writes a result: NULL or valid for a `T`. Only C callers create one, so HIP's
/// contract about the pointer always holds.
#[repr(transparent)]
pub struct Out<T>(*mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Out<T> {}

impl<T> Out<T> {
    /// Creates the pointer of a variable.
    pub fn to(target: &mut T) -> Out<T> {
        Out(target)
    }

    /// Creates a NULL pointer.
    pub fn null() -> Out<T> {
        Out(std::ptr::null_mut())
    }

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    pub(crate) fn set(self, value: T) -> Result<(), Code> {
        if self.0.is_null() {
            return Err(error::INVALID_VALUE);
        }
        // SAFETY: not NULL, so a `T` of the caller.
        unsafe { self.0.write(value) };
        Ok(())
    }

    /// Reads the value.
    pub(crate) fn get(self) -> Option<T>
    where
        T: Copy,
    {
        // SAFETY: not NULL, so a `T` of the caller that HIP's contract requires to be initialized.
        (!self.0.is_null()).then(|| unsafe { self.0.read() })
    }

    /// Writes the elements of a C array; NULL means that the caller wants none.
    pub(crate) fn fill(self, values: &[T])
    where
        T: Copy,
    {
        if !self.0.is_null() {
            // SAFETY: not NULL, so the caller's array, which has room for as many as the call gives.
            unsafe { self.0.copy_from_nonoverlapping(values.as_ptr(), values.len()) };
        }
    }

    /// Reads the elements of a C array.
    pub(crate) fn list(self, count: usize) -> Vec<T>
    where
        T: Copy,
    {
        if self.0.is_null() || count == 0 {
            return Vec::new();
        }
        // SAFETY: the caller promises `count` elements.
        unsafe { std::slice::from_raw_parts(self.0, count) }.to_vec()
    }
}

impl Out<u8> {
    /// Writes bytes to a buffer.
    pub(crate) fn bytes(self, from: &[u8]) {
        // SAFETY: the caller's buffer has the size that another call returned.
        unsafe { self.0.copy_from_nonoverlapping(from.as_ptr(), from.len()) }
    }
}

/// Reads a C string of the caller.
pub(crate) fn text(at: *const c_char) -> Option<String> {
    // SAFETY: C callers pass NULL or a string that ends in NUL.
    (!at.is_null()).then(|| unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned())
}

/// Writes a C string of at most `len` bytes, with its NUL.
pub(crate) fn put_text(to: *mut c_char, len: i32, text: &str) -> Result<(), Code> {
    if to.is_null() || len <= 0 {
        return Err(error::INVALID_VALUE);
    }
    let n = text.len().min(len as usize - 1);
    // SAFETY: the caller's buffer holds `len` bytes.
    unsafe {
        to.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), n);
        to.add(n).write(0);
    }
    Ok(())
}

/// Copies bytes of the caller.
pub(crate) fn bytes(at: *const c_void, len: usize) -> Vec<u8> {
    if len == 0 {
        return Vec::new();
    }
    // SAFETY: the caller promises `len` bytes.
    unsafe { std::slice::from_raw_parts(at.cast::<u8>(), len) }.to_vec()
}
