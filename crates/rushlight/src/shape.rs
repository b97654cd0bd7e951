//! Shapes, and types for arguments that are a shape, a dimension or several dimensions.
#![allow(clippy::redundant_closure_call)]
pub use crate::dimvec::{DimVec, MAX_RANK};
use crate::{Error, Result};

/// The dimensions of a tensor, outermost first.
///
/// ```
/// use rushlight::Shape;
/// let s = Shape::from((2, 3, 4));
/// assert_eq!((s.rank(), s.elem_count(), s.dims()), (3, 24, &[2, 3, 4][..]));
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Shape(DimVec);

impl std::fmt::Debug for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Python's notation of a tuple: `()`, `(2,)`, `(2, 3)`.
        match self.dims() {
            [one] => write!(f, "({one},)"),
            many => {
                f.write_str("(")?;
                for (i, n) in many.iter().enumerate() {
                    write!(f, "{}{n}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
        }
    }
}

impl<const C: usize> From<&[usize; C]> for Shape {
    fn from(dims: &[usize; C]) -> Self {
        Self(DimVec::from_slice(dims))
    }
}
impl<const C: usize> From<[usize; C]> for Shape {
    fn from(dims: [usize; C]) -> Self {
        Self(DimVec::from_slice(&dims))
    }
}
impl From<&[usize]> for Shape {
    fn from(dims: &[usize]) -> Self {
        Self(DimVec::from_slice(dims))
    }
}
impl From<&Shape> for Shape {
    fn from(shape: &Shape) -> Self {
        shape.clone()
    }
}
impl From<Vec<usize>> for Shape {
    fn from(dims: Vec<usize>) -> Self {
        Self(DimVec::from(dims))
    }
}
impl From<DimVec> for Shape {
    fn from(dims: DimVec) -> Self {
        Self(dims)
    }
}
impl From<()> for Shape {
    fn from((): ()) -> Self {
        Self::default()
    }
}
impl From<usize> for Shape {
    fn from(d: usize) -> Self {
        Self::from([d])
    }
}
impl From<(usize,)> for Shape {
    fn from(d: (usize,)) -> Self {
        Self::from([d.0])
    }
}
macro_rules! shape_from_tuple {
    ($($t:ty, [$($i:tt),*];)*) => {$(
        impl From<$t> for Shape {
            fn from(d: $t) -> Self {
                Self::from([$(d.$i),*])
            }
        }
    )*};
}
shape_from_tuple! {
    (usize, usize), [0, 1];
    (usize, usize, usize), [0, 1, 2];
    (usize, usize, usize, usize), [0, 1, 2, 3];
    (usize, usize, usize, usize, usize), [0, 1, 2, 3, 4];
    (usize, usize, usize, usize, usize, usize), [0, 1, 2, 3, 4, 5];
}

impl Shape {
    /// A shape of the given dimensions.
    pub fn from_dims(dims: &[usize]) -> Self {
        dims.into()
    }

    /// Number of dimensions.
    #[inline]
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// Sizes of the dimensions.
    #[inline]
    pub fn dims(&self) -> &[usize] {
        &self.0
    }

    /// Returns the sizes of the dimensions as a vector.
    pub fn into_dims(self) -> Vec<usize> {
        self.0.to_vec()
    }

    /// Size of one dimension.
    pub fn dim<I: Dim>(&self, dim: I) -> Result<usize> {
        Ok(self.dims()[dim.to_index(self, "dim")?])
    }

    /// Returns an error if the shape has more dimensions than a tensor can have.
    #[inline]
    pub(crate) fn checked(&self, op: &'static str) -> Result<()> {
        if self.0.fits() {
            return Ok(());
        }
        Err(Error::RankTooLarge { op, rank: self.0.given(), max: MAX_RANK }.bt())
    }

    /// Number of elements; 1 for rank 0. Saturates at `usize::MAX`, so that allocating such a shape fails.
    #[inline]
    pub fn elem_count(&self) -> usize {
        let mut count = 1usize;
        for &d in &self.0 {
            if d == 0 {
                return 0;
            }
            count = count.saturating_mul(d);
        }
        count
    }

    /// Strides, in elements, of a row-major tensor of this shape.
    pub(crate) fn stride_contiguous(&self) -> DimVec {
        let mut strides = DimVec::from_elem(0, self.rank());
        let mut acc = 1usize;
        for (s, d) in strides.iter_mut().zip(self.dims()).rev() {
            *s = acc;
            acc = acc.saturating_mul(*d);
        }
        strides
    }

    /// Whether the strides are row-major for this shape.
    #[inline]
    pub fn is_contiguous(&self, stride: &[usize]) -> bool {
        contiguous(self.0.iter().zip(stride).rev(), self.rank() == stride.len())
    }

    /// Whether the strides are column-major for this shape.
    pub fn is_fortran_contiguous(&self, stride: &[usize]) -> bool {
        contiguous(self.0.iter().zip(stride), self.rank() == stride.len())
    }

    /// This shape with more dimensions at the end.
    pub fn extend(mut self, more: &[usize]) -> Self {
        self.0.extend_from_slice(more);
        self
    }

    /// Returns the shape to which two operands broadcast (NumPy's rule), or a mismatch error that names the op.
    pub fn broadcast_shape_binary_op(&self, rhs: &Self, op: &'static str) -> Result<Shape> {
        let (l, r) = (self.dims(), rhs.dims());
        let rank = l.len().max(r.len());
        let mut out = DimVec::from_elem(0, rank);
        for i in 0..rank {
            let a = if i < l.len() { l[l.len() - 1 - i] } else { 1 };
            let b = if i < r.len() { r[r.len() - 1 - i] } else { 1 };
            out[rank - 1 - i] = match (a, b) {
                (a, b) if a == b => a,
                (1, b) => b,
                (a, 1) => a,
                _ => {
                    return Err(Error::ShapeMismatchBinaryOp { lhs: self.clone(), rhs: rhs.clone(), op }.bt());
                }
            };
        }
        Ok(Shape(out))
    }

    fn unexpected_rank(&self, expected: usize) -> Error {
        Error::UnexpectedNumberOfDims { expected, got: self.rank(), shape: self.clone() }.bt()
    }

    pub(crate) fn out_of_range(&self, dim: i32, op: &'static str) -> Error {
        Error::DimOutOfRange { shape: self.clone(), dim, op }.bt()
    }
}

#[inline]
fn contiguous<'a>(pairs: impl Iterator<Item = (&'a usize, &'a usize)>, same_rank: bool) -> bool {
    let mut acc = 1;
    for (&dim, &stride) in pairs {
        if dim > 1 && stride != acc {
            return false;
        }
        acc *= dim;
    }
    same_rank
}

/// An argument that selects a dimension: an index, or [`D`] counted from the end.
pub trait Dim {
    /// Returns the index in a shape, or an error that names the op.
    fn to_index(&self, shape: &Shape, op: &'static str) -> Result<usize>;
    /// Returns the index at which a new dimension is inserted, from 0 to the rank, or an error that names the op.
    fn to_index_plus_one(&self, shape: &Shape, op: &'static str) -> Result<usize>;
}

impl Dim for usize {
    fn to_index(&self, shape: &Shape, op: &'static str) -> Result<usize> {
        if *self >= shape.rank() { Err(shape.out_of_range(*self as i32, op)) } else { Ok(*self) }
    }
    fn to_index_plus_one(&self, shape: &Shape, op: &'static str) -> Result<usize> {
        if *self > shape.rank() { Err(shape.out_of_range(*self as i32, op)) } else { Ok(*self) }
    }
}

/// A dimension counted from the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum D {
    /// The last dimension.
    Minus1,
    /// The dimension before the last.
    Minus2,
    /// The n-th dimension from the end; 1 is the last.
    Minus(usize),
}

impl D {
    fn back(self) -> usize {
        match self {
            Self::Minus1 => 1,
            Self::Minus2 => 2,
            Self::Minus(n) => n,
        }
    }
}

impl Dim for D {
    fn to_index(&self, shape: &Shape, op: &'static str) -> Result<usize> {
        let n = self.back();
        if n == 0 || n > shape.rank() {
            return Err(shape.out_of_range(-(n as i32), op));
        }
        Ok(shape.rank() - n)
    }
    fn to_index_plus_one(&self, shape: &Shape, op: &'static str) -> Result<usize> {
        let n = self.back();
        if n == 0 || n > shape.rank() + 1 {
            return Err(shape.out_of_range(-(n as i32), op));
        }
        Ok(shape.rank() + 1 - n)
    }
}

/// An argument that selects several dimensions.
pub trait Dims: Sized {
    /// Returns the indices without a check for repeated ones.
    fn to_indexes_internal(self, shape: &Shape, op: &'static str) -> Result<DimVec>;

    /// Returns the indices. Fails if one is out of range or repeated.
    fn to_indexes(self, shape: &Shape, op: &'static str) -> Result<DimVec> {
        let dims = self.to_indexes_internal(shape, op)?;
        if !dims.fits() {
            return Err(Error::RankTooLarge { op, rank: dims.given(), max: MAX_RANK }.bt());
        }
        for (i, &d) in dims.iter().enumerate() {
            if dims[..i].contains(&d) {
                return Err(Error::DuplicateDimIndex { shape: shape.clone(), dims: dims.to_vec(), op }.bt());
            }
            if d >= shape.rank() {
                return Err(shape.out_of_range(d as i32, op));
            }
        }
        Ok(dims)
    }
}

impl Dims for Vec<usize> {
    fn to_indexes_internal(self, _: &Shape, _: &'static str) -> Result<DimVec> {
        Ok(self.into())
    }
}
impl<const N: usize> Dims for [usize; N] {
    fn to_indexes_internal(self, _: &Shape, _: &'static str) -> Result<DimVec> {
        Ok(DimVec::from(&self[..]))
    }
}
impl Dims for &[usize] {
    fn to_indexes_internal(self, _: &Shape, _: &'static str) -> Result<DimVec> {
        Ok(DimVec::from(self))
    }
}
impl Dims for DimVec {
    fn to_indexes_internal(self, _: &Shape, _: &'static str) -> Result<DimVec> {
        Ok(self)
    }
}
impl Dims for () {
    fn to_indexes_internal(self, _: &Shape, _: &'static str) -> Result<DimVec> {
        Ok(DimVec::new())
    }
}
impl<T: Dim + Sized> Dims for T {
    fn to_indexes_internal(self, shape: &Shape, op: &'static str) -> Result<DimVec> {
        Ok(DimVec::from([self.to_index(shape, op)?]))
    }
}
macro_rules! dims_tuple {
    ($($($t:ident $i:tt),*;)*) => {$(
        impl<$($t: Dim),*> Dims for ($($t,)*) {
            fn to_indexes_internal(self, shape: &Shape, op: &'static str) -> Result<DimVec> {
                Ok(DimVec::from([$(self.$i.to_index(shape, op)?),*]))
            }
        }
    )*};
}
dims_tuple! {
    D1 0;
    D1 0, D2 1;
    D1 0, D2 1, D3 2;
    D1 0, D2 1, D3 2, D4 3;
    D1 0, D2 1, D3 2, D4 3, D5 4;
    D1 0, D2 1, D3 2, D4 3, D5 4, D6 5;
}

macro_rules! extract_dims {
    ($fn:ident, $n:literal, $of:expr, $out:ty) => {
        impl Shape {
            /// Returns the sizes of the dimensions, or an error for another rank.
            pub fn $fn(&self) -> Result<$out> {
                if self.rank() != $n {
                    return Err(self.unexpected_rank($n));
                }
                Ok(($of)(self.dims()))
            }
        }
        impl crate::Tensor {
            /// Returns the sizes of the dimensions, or an error for another rank.
            pub fn $fn(&self) -> Result<$out> {
                self.shape().$fn()
            }
        }
        impl TryInto<$out> for Shape {
            type Error = Error;
            fn try_into(self) -> Result<$out> {
                self.$fn()
            }
        }
    };
}
extract_dims!(dims0, 0, |_: &[usize]| (), ());
extract_dims!(dims1, 1, |d: &[usize]| d[0], usize);
extract_dims!(dims2, 2, |d: &[usize]| (d[0], d[1]), (usize, usize));
extract_dims!(dims3, 3, |d: &[usize]| (d[0], d[1], d[2]), (usize, usize, usize));
extract_dims!(dims4, 4, |d: &[usize]| (d[0], d[1], d[2], d[3]), (usize, usize, usize, usize));
extract_dims!(dims5, 5, |d: &[usize]| (d[0], d[1], d[2], d[3], d[4]), (usize, usize, usize, usize, usize));

/// A shape in which one dimension may be `()`, to be computed from the number of elements.
pub trait ShapeWithOneHole {
    /// Returns the full shape for a number of elements.
    fn into_shape(self, el_count: usize) -> Result<Shape>;
}

impl<S: Into<Shape>> ShapeWithOneHole for S {
    fn into_shape(self, _: usize) -> Result<Shape> {
        Ok(self.into())
    }
}

impl ShapeWithOneHole for ((),) {
    fn into_shape(self, el_count: usize) -> Result<Shape> {
        Ok(el_count.into())
    }
}

pub(crate) fn hole_size(el_count: usize, prod: usize, s: &dyn std::fmt::Debug) -> Result<usize> {
    if prod == 0 {
        crate::bail!("cannot reshape tensor of {el_count} elements to {s:?}: the other dims are empty")
    }
    if !el_count.is_multiple_of(prod) {
        crate::bail!("cannot reshape tensor with {el_count} elements to {s:?}")
    }
    Ok(el_count / prod)
}

macro_rules! one_hole {
    ($($t:ty, $hole:tt, [$($i:tt),*], [$($all:tt),*];)*) => {$(
        impl ShapeWithOneHole for $t {
            fn into_shape(self, el_count: usize) -> Result<Shape> {
                let hole = hole_size(el_count, 1usize $(.saturating_mul(self.$i))*, &self)?;
                let pick = |_: ()| hole;
                Ok(Shape::from([$(one_hole!(@ self $hole $all pick)),*]))
            }
        }
    )*};
    (@ $s:ident 0 0 $p:ident) => { $p($s.0) };
    (@ $s:ident 1 1 $p:ident) => { $p($s.1) };
    (@ $s:ident 2 2 $p:ident) => { $p($s.2) };
    (@ $s:ident 3 3 $p:ident) => { $p($s.3) };
    (@ $s:ident 4 4 $p:ident) => { $p($s.4) };
    (@ $s:ident $h:tt $i:tt $p:ident) => { $s.$i };
}
one_hole! {
    ((), usize), 0, [1], [0, 1];
    (usize, ()), 1, [0], [0, 1];
    ((), usize, usize), 0, [1, 2], [0, 1, 2];
    (usize, (), usize), 1, [0, 2], [0, 1, 2];
    (usize, usize, ()), 2, [0, 1], [0, 1, 2];
    ((), usize, usize, usize), 0, [1, 2, 3], [0, 1, 2, 3];
    (usize, (), usize, usize), 1, [0, 2, 3], [0, 1, 2, 3];
    (usize, usize, (), usize), 2, [0, 1, 3], [0, 1, 2, 3];
    (usize, usize, usize, ()), 3, [0, 1, 2], [0, 1, 2, 3];
    ((), usize, usize, usize, usize), 0, [1, 2, 3, 4], [0, 1, 2, 3, 4];
    (usize, (), usize, usize, usize), 1, [0, 2, 3, 4], [0, 1, 2, 3, 4];
    (usize, usize, (), usize, usize), 2, [0, 1, 3, 4], [0, 1, 2, 3, 4];
    (usize, usize, usize, (), usize), 3, [0, 1, 2, 4], [0, 1, 2, 3, 4];
    (usize, usize, usize, usize, ()), 4, [0, 1, 2, 3], [0, 1, 2, 3, 4];
}
