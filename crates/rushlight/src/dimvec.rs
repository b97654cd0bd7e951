//! A vector of up to [`MAX_RANK`] numbers, one for each dimension, stored inline.
use std::ops::{Deref, DerefMut};

/// The largest number of dimensions of a tensor.
pub const MAX_RANK: usize = 8;

/// Dimensions, strides or dimension indices: a vector of at most [`MAX_RANK`] numbers without a heap allocation, so
/// that copying one is a few moves.
///
/// If more numbers are added, the vector counts them but does not keep them; its last element is then the product of
/// the numbers that do not fit. This is enough for the error message when a tensor of such a shape is made.
///
/// ```
/// use rushlight::shape::DimVec;
/// let mut d = DimVec::from_slice(&[2, 3]);
/// d.push(4);
/// assert_eq!((&d[..], d.fits()), (&[2, 3, 4][..], true));
/// assert!(!DimVec::from_slice(&[1; 9]).fits());
/// ```
#[derive(Clone, Default, Eq)]
pub struct DimVec {
    /// Slots past the length are 0, so that equal vectors have equal slots.
    places: [usize; MAX_RANK],
    /// Number of numbers added.
    given: usize,
}

impl DimVec {
    /// Returns an empty vector.
    #[inline]
    pub const fn new() -> Self {
        Self { places: [0; MAX_RANK], given: 0 }
    }

    /// Returns the numbers of a slice.
    #[inline]
    pub fn from_slice(numbers: &[usize]) -> Self {
        numbers.iter().copied().collect()
    }

    /// Returns `len` copies of a number.
    #[inline]
    pub fn from_elem(number: usize, len: usize) -> Self {
        std::iter::repeat_n(number, len).collect()
    }

    /// Number of numbers added. This is the length, unless it is greater than [`MAX_RANK`].
    #[inline]
    pub fn given(&self) -> usize {
        self.given
    }

    /// Whether at most [`MAX_RANK`] numbers were added.
    #[inline]
    pub fn fits(&self) -> bool {
        self.given <= MAX_RANK
    }

    /// Adds a number at the end.
    #[inline]
    pub fn push(&mut self, number: usize) {
        match self.places.get_mut(self.given) {
            Some(place) => *place = number,
            None => self.places[MAX_RANK - 1] = self.places[MAX_RANK - 1].saturating_mul(number),
        }
        self.given += 1;
    }

    /// Adds the numbers of a slice at the end.
    #[inline]
    pub fn extend_from_slice(&mut self, numbers: &[usize]) {
        numbers.iter().for_each(|&n| self.push(n));
    }

    /// Adds a number before position `at`.
    ///
    /// # Panics
    /// If `at` is past the length.
    pub fn insert(&mut self, at: usize, number: usize) {
        self.push(number);
        self[at..].rotate_right(1);
    }

    /// Removes the number at a position.
    ///
    /// # Panics
    /// If the position is past the last number.
    pub fn remove(&mut self, at: usize) -> usize {
        let number = self[at];
        self[at..].rotate_left(1);
        self.given = self.len() - 1;
        self.places[self.given] = 0;
        number
    }

    /// The numbers.
    #[inline]
    pub fn as_slice(&self) -> &[usize] {
        &self.places[..self.given.min(MAX_RANK)]
    }
}

impl PartialEq for DimVec {
    /// Compares all slots: cheaper than a call that compares only the slots in use.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let differ = self.places.iter().zip(&other.places).fold(0, |d, (a, b)| d | (a ^ b));
        differ == 0 && self.given == other.given
    }
}

impl Deref for DimVec {
    type Target = [usize];
    #[inline]
    fn deref(&self) -> &[usize] {
        self.as_slice()
    }
}

impl DerefMut for DimVec {
    #[inline]
    fn deref_mut(&mut self) -> &mut [usize] {
        &mut self.places[..self.given.min(MAX_RANK)]
    }
}

impl std::fmt::Debug for DimVec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_slice().fmt(f)
    }
}

impl FromIterator<usize> for DimVec {
    #[inline]
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut v = Self::new();
        numbers.into_iter().for_each(|n| v.push(n));
        v
    }
}

impl<'a> IntoIterator for &'a DimVec {
    type Item = &'a usize;
    type IntoIter = std::slice::Iter<'a, usize>;
    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Vec<usize>> for DimVec {
    fn from(numbers: Vec<usize>) -> Self {
        Self::from_slice(&numbers)
    }
}

impl From<&[usize]> for DimVec {
    fn from(numbers: &[usize]) -> Self {
        Self::from_slice(numbers)
    }
}

impl<const N: usize> From<[usize; N]> for DimVec {
    #[inline]
    fn from(numbers: [usize; N]) -> Self {
        Self::from_slice(&numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_what_a_vector_does() {
        let (mut d, mut v) = (DimVec::new(), Vec::new());
        for (i, n) in [5, 6, 7, 8, 9, 10, 11, 12].into_iter().enumerate() {
            d.insert(i / 2, n);
            v.insert(i / 2, n);
            assert_eq!(d[..], v[..]);
        }
        while !v.is_empty() {
            let at = v.len() / 3;
            assert_eq!(d.remove(at), v.remove(at));
            assert_eq!(d, DimVec::from_slice(&v), "slots past the end must not count");
        }
    }

    #[test]
    fn more_than_max_rank_numbers_do_not_fit_and_keep_their_product() {
        let d = DimVec::from_slice(&[1, 2, 1, 1, 1, 1, 1, 3, 5, 7]);
        assert_eq!((d.given(), d.fits(), d.len()), (10, false, MAX_RANK));
        assert_eq!(d.iter().product::<usize>(), 2 * 3 * 5 * 7);
        assert_ne!(d, DimVec::from_slice(&d));
    }
}
