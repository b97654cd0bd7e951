//! Dtype objects.
use pyo3::exceptions::PyTypeError;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};
use pyo3::{type_hint_identifier, type_hint_union};
use rushlight::pydoc;
use rushlight::{DType, Kind};

#[doc = pydoc!(
    "Type of a tensor's elements, such as ``rushlight.float32``. There is one object for each dtype.";
    (name: "DType or str" "A dtype, or its name, such as ``\"float32\"``.");
    (TypeError: "If there is no such dtype.");
    [
        ">>> rl.float32", "rushlight.float32", ">>> rl.ones(2).dtype is rl.float32", "True",
        ">>> rl.dtype('float32') is rl.float32", "True"
    ]
)]
#[pyclass(frozen, name = "DType", module = "rushlight")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PyDType(pub DType);

/// A dtype as a result: converts to the one Python object of this dtype, so that ``x.dtype is
/// rushlight.float32``.
pub struct TheDType(pub DType);

impl<'py> IntoPyObject<'py> for TheDType {
    type Target = PyDType;
    type Output = Bound<'py, PyDType>;
    type Error = PyErr;
    const OUTPUT_TYPE: PyStaticExpr = <PyDType as pyo3::PyTypeInfo>::TYPE_HINT;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        static OBJECTS: PyOnceLock<Vec<(DType, Py<PyDType>)>> = PyOnceLock::new();
        let all = OBJECTS.get_or_try_init(py, || {
            DType::ALL.iter().map(|d| Ok((*d, Py::new(py, PyDType(*d))?))).collect::<PyResult<_>>()
        })?;
        match all.iter().find(|(d, _)| *d == self.0) {
            Some((_, object)) => Ok(object.bind(py).clone()),
            None => Bound::new(py, PyDType(self.0)),
        }
    }
}

/// Array-API name of a dtype.
pub fn name(d: DType) -> &'static str {
    d.long_name()
}

/// Short names whose number means bits here and bytes in NumPy.
const TWO_MEANINGS: [(&str, &str, &str); 3] =
    [("i8", "int8", "int64"), ("u8", "uint8", "uint64"), ("f16", "float16", "a float of 16 bytes")];

/// A dtype by its array-API name, its short name, or PyTorch's name for it.
pub fn parse(s: &str) -> Option<DType> {
    let alias = match s {
        "half" => "f16",
        "float" => "f32",
        "double" => "f64",
        "int" => "i64",
        "long" => "i64",
        "bool_" => "bool",
        "float8_e4m3" => "f8e4m3",
        "complex" | "cfloat" => "c64",
        "cdouble" => "c128",
        other => other,
    };
    DType::ALL.iter().copied().find(|d| name(*d) == alias || d.as_str() == alias)
}

#[pymethods]
impl PyDType {
    /// Returns the one object of a dtype.
    #[new]
    #[pyo3(signature = (name, /))]
    fn of_name(name: DTypeArg) -> TheDType {
        TheDType(name.0)
    }

    #[doc = pydoc!(
        "Name of the dtype, such as ``\"float32\"``.";
        ();
        ();
        [">>> rl.float32.name", "'float32'"]
    )]
    #[getter]
    fn name(&self) -> &'static str {
        name(self.0)
    }

    #[doc = pydoc!(
        "Bytes of one element.";
        ();
        ();
        [">>> rl.float32.itemsize", "4"]
    )]
    #[getter]
    fn itemsize(&self) -> usize {
        self.0.size_in_bytes()
    }

    #[doc = pydoc!(
        "Kind of the dtype: ``\"bool\"``, ``\"unsigned integer\"``, ``\"signed integer\"``, ``\"real floating\"`` or ``\"complex floating\"``.";
        ();
        ();
        [">>> rl.float32.kind", "'real floating'"]
    )]
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0.kind() {
            Kind::Bool => "bool",
            Kind::UInt => "unsigned integer",
            Kind::Int => "signed integer",
            Kind::Float => "real floating",
            Kind::Complex => "complex floating",
        }
    }

    #[doc = pydoc!(
        "Whether the dtype is a real floating-point one.";
        ();
        ();
        [">>> rl.float32.is_floating_point, rl.int32.is_floating_point", "(True, False)"]
    )]
    #[getter]
    fn is_floating_point(&self) -> bool {
        self.0.is_float()
    }

    #[doc = pydoc!(
        "Whether the dtype is complex.";
        ();
        ();
        [">>> rl.complex64.is_complex, rl.float32.is_complex", "(True, False)"]
    )]
    #[getter]
    fn is_complex(&self) -> bool {
        self.0.is_complex()
    }

    /// Tells whether the other is the same dtype, or its name.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        if let Ok(d) = other.cast::<Self>() {
            return d.get().0 == self.0;
        }
        let Ok(text) = other.cast::<PyString>() else { return false };
        text.to_cow().is_ok_and(|s| TWO_MEANINGS.iter().all(|m| m.0 != s) && parse(&s) == Some(self.0))
    }

    /// Returns the hash of its name, which it is equal to.
    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyString::new(py, name(self.0)).hash()
    }

    fn __repr__(&self) -> String {
        format!("rushlight.{}", name(self.0))
    }

    fn __str__(&self) -> &'static str {
        name(self.0)
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (memo, /))]
    fn __deepcopy__<'py>(slf: Bound<'py, Self>, memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        let _ = memo;
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (&'static str,))> {
        Ok((py.import("rushlight._native")?.getattr("_dtype")?, (name(self.0),)))
    }
}

/// Returns the dtype of a name.
#[pyfunction]
#[pyo3(name = "_dtype", signature = (name, /))]
pub fn dtype_of_name(name: DTypeArg) -> TheDType {
    TheDType(name.0)
}

/// An argument that names a dtype: a dtype object, its name, ``bool`` / ``int`` / ``float`` / ``complex``, or a NumPy dtype.
#[derive(Clone, Copy)]
pub struct DTypeArg(pub DType);

impl<'py> FromPyObject<'_, 'py> for DTypeArg {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr =
        type_hint_union!(<PyDType as pyo3::PyTypeInfo>::TYPE_HINT, type_hint_identifier!("builtins", "str"));

    fn extract(obj: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(d) = obj.cast::<PyDType>() {
            return Ok(Self(d.get().0));
        }
        let unknown = |text: &str| PyTypeError::new_err(format!("'{text}' is not a dtype of rushlight"));
        if let Ok(s) = obj.cast::<PyString>() {
            let s = s.to_cow()?;
            if let Some((_, here, numpy)) = TWO_MEANINGS.iter().find(|m| m.0 == s) {
                return Err(PyTypeError::new_err(format!(
                    "dtype '{s}' is {here} to some and {numpy} to NumPy: give that name"
                )));
            }
            return parse(&s).map(Self).ok_or_else(|| unknown(&s));
        }
        if let Ok(t) = obj.cast::<PyType>() {
            let text = t.name()?.to_cow()?.into_owned();
            let found = match text.as_str() {
                "int" => Some(DType::I64),
                "float" => Some(DType::F32),
                other => parse(other),
            };
            return found.map(Self).ok_or_else(|| unknown(&text));
        }
        // A NumPy dtype (or ml_dtypes, or torch's through its name).
        if let Ok(text) = obj.getattr("name").and_then(|n| n.extract::<String>())
            && let Some(d) = parse(&text)
        {
            return Ok(Self(d));
        }
        Err(unknown(&obj.repr()?.to_cow()?))
    }
}
