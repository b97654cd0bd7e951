//! Memory that an op needs beside its result. Where none is left the op is an error, as where a tensor finds none: a
//! plain `Vec` would end the process.
use super::buffer::no_memory;
use crate::Result;

/// An empty vector with room for `n` elements.
///
/// # Errors
/// There is no memory for them.
pub fn room<T>(n: usize) -> Result<Vec<T>> {
    let mut v = Vec::new();
    match v.try_reserve_exact(n) {
        Ok(()) => Ok(v),
        Err(_) => Err(no_memory(n.saturating_mul(std::mem::size_of::<T>()))),
    }
}

/// `n` times a value.
///
/// # Errors
/// There is no memory for them.
///
/// ```
/// use rushlight::cpu::scratch;
/// assert_eq!(scratch::filled(3, 1.5f32)?, [1.5; 3]);
/// assert!(scratch::filled(1 << 60, 0u8).is_err());
/// # Ok::<(), rushlight::Error>(())
/// ```
pub fn filled<T: Clone>(n: usize, value: T) -> Result<Vec<T>> {
    let mut v = room(n)?;
    v.resize(n, value);
    Ok(v)
}

/// The `n` values of an iterator, or its first error.
///
/// # Errors
/// There is no memory for them.
pub fn collected<T, E: From<crate::Error>>(
    n: usize,
    values: impl Iterator<Item = std::result::Result<T, E>>,
) -> std::result::Result<Vec<T>, E> {
    let mut v = room(n)?;
    for value in values {
        v.push(value?);
    }
    Ok(v)
}

/// One value more.
///
/// # Errors
/// There is no memory for it.
pub fn push<T>(values: &mut Vec<T>, value: T) -> Result<()> {
    let more = values.len().max(4);
    values.try_reserve(1).map_err(|_| no_memory(more.saturating_mul(std::mem::size_of::<T>())))?;
    values.push(value);
    Ok(())
}

/// A copy.
///
/// # Errors
/// There is no memory for it.
pub fn copied<T: Copy>(values: &[T]) -> Result<Vec<T>> {
    let mut v = room(values.len())?;
    v.extend_from_slice(values);
    Ok(v)
}
