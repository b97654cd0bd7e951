//! Temporary memory of ops. If memory runs out, these functions return an error, as for tensors; a plain `Vec` would
//! abort the process.
use super::buffer::no_memory;
use crate::Result;

/// Returns an empty vector with capacity for `n` elements.
///
/// # Errors
/// If memory runs out.
pub fn room<T>(n: usize) -> Result<Vec<T>> {
    let mut v = Vec::new();
    match v.try_reserve_exact(n) {
        Ok(()) => Ok(v),
        Err(_) => Err(no_memory(n.saturating_mul(std::mem::size_of::<T>()))),
    }
}

/// Returns `n` copies of a value.
///
/// # Errors
/// If memory runs out.
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

/// Collects the `n` values of an iterator, or returns its first error.
///
/// # Errors
/// If memory runs out, or the iterator gives an error.
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

/// Appends a value.
///
/// # Errors
/// If memory runs out.
pub fn push<T>(values: &mut Vec<T>, value: T) -> Result<()> {
    let more = values.len().max(4);
    values.try_reserve(1).map_err(|_| no_memory(more.saturating_mul(std::mem::size_of::<T>())))?;
    values.push(value);
    Ok(())
}

/// Returns a copy of a slice.
///
/// # Errors
/// If memory runs out.
pub fn copied<T: Copy>(values: &[T]) -> Result<Vec<T>> {
    let mut v = room(values.len())?;
    v.extend_from_slice(values);
    Ok(v)
}
