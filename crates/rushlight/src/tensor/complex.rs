//! Functions of complex tensors that combine a few ops.
use super::Tensor;
use crate::{Error, Result};

impl Tensor {
    /// Returns the complex conjugate, and a real tensor itself. All dtypes.
    pub fn conj(&self) -> Result<Self> {
        if self.dtype().is_complex() { self.conj_physical() } else { Ok(self.clone()) }
    }

    /// Computes the angles of complex numbers in radians, in [-pi, pi]. Of real numbers it is 0, pi for negative ones, and NaN
    /// for NaN. FLOAT and COMPLEX dtypes.
    ///
    /// ```
    /// use rushlight::{C128, Device, Tensor};
    /// let z = Tensor::new(&[C128::new(0.0, 2.0)], &Device::Cpu)?;
    /// assert_eq!(z.angle()?.to_vec1::<f64>()?, [std::f64::consts::FRAC_PI_2]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn angle(&self) -> Result<Self> {
        if self.dtype().is_complex() {
            return self.imag()?.atan2(&self.real()?);
        }
        let pi = self.constant_like(std::f64::consts::PI)?;
        let zero = self.constant_like(0.0)?;
        let angle = self.lt(&zero)?.where_cond(&pi, &zero)?;
        self.ne(self)?.where_cond(self, &angle)
    }

    /// Makes complex numbers of their absolute values and angles in radians, which have one shape. F32 and F64.
    pub fn polar(abs: &Self, angle: &Self) -> Result<Self> {
        (abs * angle.cos()?)?.complex(&(abs * angle.sin()?)?)
    }

    /// Returns the real and the imaginary parts as a new last dimension of size 2. This is a copy. COMPLEX dtypes.
    ///
    /// ```
    /// use rushlight::{C64, Device, Tensor};
    /// let z = Tensor::new(&[C64::new(1.0, 2.0)], &Device::Cpu)?;
    /// assert_eq!(z.view_as_real()?.to_vec2::<f32>()?, [[1., 2.]]);
    /// assert_eq!(z.view_as_real()?.view_as_complex()?.to_vec1::<C64>()?, [C64::new(1.0, 2.0)]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn view_as_real(&self) -> Result<Self> {
        Tensor::stack(&[self.real()?, self.imag()?], self.rank())
    }

    /// Joins real and imaginary parts, which the last dimension of size 2 holds. This is a copy. F32 and F64.
    pub fn view_as_complex(&self) -> Result<Self> {
        let Some(last) = self.rank().checked_sub(1).filter(|last| self.dims()[*last] == 2) else {
            let text = format!("the last dimension must have size 2; the shape is {:?}", self.shape());
            return Err(Error::invalid("view_as_complex", text));
        };
        let part = |i| self.narrow(last, i, 1)?.squeeze(last);
        part(0)?.complex(&part(1)?)
    }

    /// Returns the result of a function of real tensors that treats both parts of complex numbers alike.
    pub(crate) fn map_parts(&self, f: impl Fn(&Self) -> Result<Self>) -> Result<Self> {
        if self.dtype().is_complex() { f(&self.real()?)?.complex(&f(&self.imag()?)?) } else { f(self) }
    }

    /// Returns `beta * self + alpha * product` of complex tensors; with a `beta` of 0 `self` is not read.
    pub(crate) fn complex_added(&self, product: Self, beta: f64, alpha: f64) -> Result<Self> {
        let scaled = |t: &Self, f: f64| if f == 1.0 { Ok(t.clone()) } else { t.affine(f, 0.0) };
        let product = scaled(&product, alpha)?;
        if beta == 0.0 { Ok(product) } else { scaled(self, beta)?.broadcast_add(&product) }
    }

    /// Matrix product of complex tensors, made of four real ones.
    pub(crate) fn complex_matmul(&self, rhs: &Self) -> Result<Self> {
        let (a, b) = ([self.real()?, self.imag()?], [rhs.real()?, rhs.imag()?]);
        let re = (a[0].matmul(&b[0])? - a[1].matmul(&b[1])?)?;
        re.complex(&(a[0].matmul(&b[1])? + a[1].matmul(&b[0])?)?)
    }

    /// Computes complex powers by e^(w log z), as NumPy: 1 where w is 0; where z is 0 it is 0 for a positive real part of w, else
    /// NaN.
    pub(crate) fn complex_pow(&self, w: &Self) -> Result<Self> {
        let [zero, one, nan] = [0.0, 1.0, f64::NAN].map(|v| self.constant_like(v));
        let (zero, one) = (zero?, one?);
        let is_zero = self.eq(&zero)?;
        // The logarithm of 0 would make the gradient NaN.
        let power = (w * is_zero.where_cond(&one, self)?.log()?)?.exp()?;
        let real = w.real()?;
        let of_zero = real.gt(&real.constant_like(0.0)?)?.where_cond(&zero, &nan?)?;
        let power = is_zero.where_cond(&of_zero, &power)?;
        // z^0 is 1, also for 0, infinities and NaN; else it stays in the gradient graph, for the exponent's gradient. (Adding 0 makes an
        // imaginary part of -0 positive.)
        let of_none = power.ne(&power)?.where_cond(&one, &(&power + &zero)?)?;
        w.eq(&zero)?.where_cond(&of_none, &power)
    }

    /// Computes complex powers with one real exponent: products for whole ones up to 100, as NumPy, else e^(e log z).
    pub(crate) fn complex_powf(&self, e: f64) -> Result<Self> {
        if e == 0.5 {
            return self.sqrt();
        }
        if e != e.trunc() || e.abs() > 100.0 {
            return self.complex_pow(&self.constant_like(e)?);
        }
        let (mut left, mut square, mut power) = (e.abs() as u32, self.clone(), None);
        while left > 0 {
            if left % 2 == 1 {
                power = Some(match power {
                    Some(p) => (p * &square)?,
                    None => square.clone(),
                });
            }
            left /= 2;
            if left > 0 {
                square = square.square()?;
            }
        }
        match power {
            None => {
                // The result stays in the gradient graph: a selection that takes no element of `self`.
                let one = self.constant_like(1.0)?;
                one.ne(&one)?.where_cond(self, &one)
            }
            Some(p) if e < 0.0 => p.reciprocal(),
            Some(p) => Ok(p),
        }
    }
}
