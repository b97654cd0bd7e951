//! Python functions as data: signature, documentation and body. Every function and the method of Tensor that belongs to it are
//! declared once, and called by one path.
use crate::builtin;
use crate::op_functions::ShortCall;
use crate::tensor::PyTensor;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use rushlight::ops::Documentation;
use std::sync::OnceLock;

pub use crate::layout::{Layout, Passing};

/// The largest number of parameters of a function.
pub const MOST: usize = 16;

/// A parameter: its name and the type that its argument is converted to.
#[derive(Clone, Copy)]
pub struct Parameter {
    pub name: &'static str,
    /// The type, as the stub writes it.
    pub hint: fn() -> String,
}

/// The code behind a function.
pub enum Body {
    /// Written by hand.
    Written(for<'a, 'py> fn(&Call<'a, 'py>) -> PyResult<Bound<'py, PyAny>>),
    /// The op of a definition.
    Op(Box<crate::op_functions::OpFunction>),
}

/// A method of Tensor.
pub struct Method {
    /// Signature without the tensor, as Python writes it.
    pub signature: String,
    pub documentation: Documentation,
}

/// A function, or only a method, as data.
pub struct Function {
    /// Signature in Python's syntax: `"clip(x, /, min=None, max=None)"`.
    pub signature: String,
    pub documentation: Documentation,
    /// The parameters of the function and its methods, in the order in which the body numbers them; a
    /// method's tensor is the first.
    pub parameters: Vec<Parameter>,
    /// Whether the module has the function.
    pub in_module: bool,
    pub methods: Vec<Method>,
    pub body: Body,
}

impl Function {
    /// Name of the function.
    pub fn name(&self) -> &str {
        self.signature.split('(').next().unwrap_or_default()
    }

    /// Adds the method of the same name, whose parameters are the function's without the first.
    pub fn method(self) -> Self {
        let name = self.name().to_string();
        self.also(&name)
    }

    /// Adds a method of this name, whose parameters are the function's without the first.
    pub fn also(self, name: &str) -> Self {
        let inside = self.signature.split_once('(').map_or("", |(_, inside)| inside);
        let rest = inside.split_once([',', ')']).map_or("", |(_, rest)| rest.trim_start());
        let rest = rest.strip_prefix('/').map_or(rest, |r| r.trim_start_matches([',', ' ']));
        let rest = rest.strip_suffix(')').unwrap_or(rest);
        let signature = format!("{name}({rest})");
        self.method_as(&signature)
    }

    /// Adds a method with its own signature.
    pub fn method_as(mut self, signature: &str) -> Self {
        let name = signature.split('(').next().unwrap_or_default();
        let mut documentation = self.documentation.of_method(self.name(), name);
        if signature.contains("out=None") {
            // NumPy's reductions pass `out=None` to the method.
            documentation.parameters.push(rushlight::pydoc!(@parameter out).to_string());
        }
        self.methods.push(Method { signature: signature.to_string(), documentation });
        self
    }

    /// Adds a method with its own signature and documentation.
    pub fn method_with(mut self, signature: &str, documentation: Documentation) -> Self {
        self.methods.push(Method { signature: signature.to_string(), documentation });
        self
    }

    /// Leaves the function out of the module: it is a method alone.
    pub fn method_only(mut self) -> Self {
        self.in_module = false;
        self
    }
}

/// The documentation of a function as data, in the form of [`rushlight::pydoc`].
macro_rules! document {
    (
        $summary:expr;
        ($($name:ident $($set:ident)? $(: $type:literal $text:literal)?),* $(,)?) $(-> $result:literal $means:literal)?;
        ($($error:ident $(: $why:literal)?),* $(,)?);
        [$($line:expr),* $(,)?]
    ) => {
        $crate::function::documentation(
            $summary,
            &[$(rushlight::pydoc!(@parameter $name $($set)? $(: $type $text)?)),*],
            None $(.or(Some(($result, $means))))?,
            &[$(rushlight::pydoc!(@error $error $(: $why)?)),*],
            &[$($line),*],
        )
    };
}

/// A function as data: signature as Python writes it, documentation in the form of [`rushlight::pydoc`], and a closure whose
/// parameters are named as in the signature. A type that holds None is for a parameter that may be missing.
///
/// ```text
/// function!(
///     "argsort(x, /, axis=-1, descending=False)";
///     "Returns the indices that sort a tensor.";
///     (x, axis_last, descending: "bool, default False" "Whether ..") -> "Tensor" "Indices, of dtype int64.";
///     (axis);
///     [">>> rl.argsort(rl.tensor([3, 1, 2]))", "tensor([1, 2, 0], dtype=int64, device='cpu')"];
///     |py, x: Arg, axis: i64, descending: bool| order(py, &x.0, axis, descending)
/// )
/// .method()
/// ```
macro_rules! function {
    (
        $signature:expr; $summary:expr; ($($parameters:tt)*) $(-> $result:literal $means:literal)?; ($($errors:tt)*);
        [$($line:expr),* $(,)?];
        |$py:ident $(, $name:ident: $type:ty)* $(,)?| $body:expr
    ) => {
        $crate::function::Function {
            signature: $signature.to_string(),
            documentation: $crate::function::document!(
                $summary; ($($parameters)*) $(-> $result $means)?; ($($errors)*); [$($line),*]
            ),
            parameters: vec![$($crate::function::Parameter {
                name: stringify!($name),
                hint: || <$type as pyo3::FromPyObject<'_, '_>>::INPUT_TYPE.to_string(),
            }),*],
            in_module: true,
            methods: Vec::new(),
            body: $crate::function::Body::Written(|call| {
                let $py = call.py;
                let mut at = 0;
                $(let $name: $type = call.next(&mut at)?;)*
                let _ = at;
                $crate::function::object($py, $body)
            }),
        }
    };
}

pub(crate) use {document, function};

/// Makes a documentation of its parts; the macros call this function.
pub fn documentation(
    summary: &str,
    parameters: &[&str],
    returns: Option<(&str, &str)>,
    raises: &[&str],
    example: &[&str],
) -> Documentation {
    let all = |lines: &[&str]| lines.iter().map(|line| (*line).to_string()).collect();
    Documentation {
        summary: summary.to_string(),
        parameters: all(parameters),
        returns: returns.map(|(kind, means)| (kind.to_string(), means.to_string())),
        raises: all(raises),
        example: all(example),
    }
}

/// The result of a body as an object.
pub fn object<'py, T: IntoPyObjectExt<'py>>(
    py: Python<'py>,
    result: PyResult<T>,
) -> PyResult<Bound<'py, PyAny>> {
    result?.into_bound_py_any(py)
}

/// Arguments of a call, by parameter.
pub type Slots<'a, 'py> = [Option<Borrowed<'a, 'py, PyAny>>; MOST];

/// A call: the arguments that were given, by parameter.
pub struct Call<'a, 'py> {
    pub py: Python<'py>,
    pub callable: &'a Callable,
    pub slots: Slots<'a, 'py>,
}

impl<'a, 'py> Call<'a, 'py> {
    /// The argument of a parameter, or its default; None where the signature does not have the parameter.
    pub fn at<'c>(&'c self, slot: usize) -> Borrowed<'c, 'py, PyAny> {
        self.slots[slot].unwrap_or_else(|| self.callable.layout.defaults[slot].bind_borrowed(self.py))
    }

    /// Converts the argument of parameter `at`, and increments `at`.
    pub fn next<'c, T: FromPyObject<'c, 'py>>(&'c self, at: &mut usize) -> PyResult<T> {
        *at += 1;
        self.convert(*at - 1)
    }

    /// Converts the argument of a parameter.
    pub fn convert<'c, T: FromPyObject<'c, 'py>>(&'c self, slot: usize) -> PyResult<T> {
        self.at(slot).extract::<T>().map_err(|e| self.callable.argument(self.py, slot, e.into()))
    }
}

/// A function, or a method of Tensor, as CPython calls it.
pub struct Callable {
    function: &'static Function,
    name: String,
    method: bool,
    short_call: Option<ShortCall>,
    pub layout: Layout,
    documentation: &'static Documentation,
}

impl Callable {
    fn new(
        py: Python<'_>,
        function: &'static Function,
        signature: &str,
        method: bool,
        documentation: &'static Documentation,
    ) -> PyResult<Self> {
        let name = signature.split('(').next().unwrap_or_default().to_string();
        let names: Vec<&str> = function.parameters.iter().map(|p| p.name).collect();
        let layout = Layout::parse(py, signature, &names, method).map_err(|text| {
            PyRuntimeError::new_err(format!("the signature {signature} is not right: {text}"))
        })?;
        let short_call = match &function.body {
            Body::Op(op) => op.short_call(),
            Body::Written(_) => None,
        };
        Ok(Self { function, name, method, short_call, layout, documentation })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn is_method(&self) -> bool {
        self.method
    }

    pub fn doc(&self) -> String {
        self.documentation.text()
    }

    /// The signature for `__text_signature__`.
    pub fn text_signature(&self) -> String {
        let mut parts: Vec<String> = if self.method { vec!["$self".to_string()] } else { Vec::new() };
        let only = self.layout.names.iter().any(|n| n.passing == Passing::Position);
        let (mut slash, mut star) = (only || self.method, false);
        for n in &self.layout.names {
            if slash && n.passing != Passing::Position {
                parts.push("/".to_string());
                slash = false;
            }
            if n.passing == Passing::Keyword && !star {
                parts.push("*".to_string());
                star = true;
            }
            star |= n.passing == Passing::Rest;
            parts.push(match (&n.default, n.passing) {
                (_, Passing::Rest) => format!("*{}", n.name),
                (Some(default), _) => format!("{}={default}", n.name),
                (None, _) => n.name.clone(),
            });
        }
        if slash {
            parts.push("/".to_string());
        }
        format!("{}({})", self.name, parts.join(", "))
    }

    /// The name in messages, as in `Tensor.exp()`.
    pub fn full_name(&self) -> String {
        if self.method { format!("Tensor.{}()", self.name) } else { format!("{}()", self.name) }
    }

    /// Makes a TypeError that begins with the function's name.
    pub fn error(&self, text: &str) -> PyErr {
        PyTypeError::new_err(format!("{} {text}", self.full_name()))
    }

    /// Adds the parameter's name to an error of the conversion of its argument.
    #[cold]
    pub fn argument(&self, py: Python<'_>, slot: usize, e: PyErr) -> PyErr {
        if e.is_instance_of::<PyTypeError>(py) {
            let name = self.layout.names.iter().find(|n| n.slot == slot).map_or("self", |n| n.name.as_str());
            return PyTypeError::new_err(format!("{}() argument '{name}': {}", self.name, e.value(py)));
        }
        e
    }

    /// Calls the body.
    pub fn call<'a, 'py>(
        &'a self,
        py: Python<'py>,
        slf: Option<Borrowed<'a, 'py, PyAny>>,
        given: &[Borrowed<'a, 'py, PyAny>],
        names: Option<Borrowed<'a, 'py, PyTuple>>,
        named: &[Borrowed<'a, 'py, PyAny>],
    ) -> PyResult<Bound<'py, PyAny>> {
        if names.is_none()
            && let Some(short) = self.short_call
            && let Some(out) = short.call(py, slf, given)
        {
            return out;
        }
        let mut call = Call { py, callable: self, slots: [None; MOST] };
        if slf.is_some() {
            call.slots[0] = slf;
        }
        self.bind(&mut call.slots, given, names, named)?;
        match self.layout.rest {
            None => self.run(&call),
            Some(slot) => {
                // Declared here so that the tuple lives until the body has returned.
                let rest = self.layout.rest_of(py, given)?;
                let mut call = Call { py, callable: self, slots: call.slots };
                call.slots[slot] = rest.as_ref().map(Bound::as_borrowed);
                self.run(&call)
            }
        }
    }

    fn run<'py>(&self, call: &Call<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.function.body {
            Body::Written(body) => body(call),
            Body::Op(op) => op.call(call),
        }
    }
}

static REGISTRY: OnceLock<Vec<Callable>> = OnceLock::new();

/// The callable at an index of the registry.
pub fn callable(index: usize) -> Option<&'static Callable> {
    REGISTRY.get().and_then(|all| all.get(index))
}

/// Every function, made of an op definition or written here.
fn functions() -> Vec<Function> {
    let written = [
        crate::attention::functions,
        crate::creation::functions,
        crate::deform_conv::functions,
        crate::elementwise::functions,
        crate::manipulate::functions,
        crate::reduce::functions,
        crate::pairs::functions,
        crate::along_axis::functions,
        crate::fourier::functions,
        crate::index_ops::functions,
        crate::clip::functions,
        crate::dropout::functions,
        crate::optimizer_steps::functions,
        crate::running_norms::functions,
        crate::recurrent::functions,
    ];
    crate::op_functions::functions().into_iter().chain(written.into_iter().flat_map(|f| f())).collect()
}

/// The functions and methods, as CPython calls them.
fn callables(py: Python<'_>) -> PyResult<Vec<Callable>> {
    let functions: &'static [Function] = Vec::leak(functions());
    let mut all = Vec::new();
    for function in functions {
        if function.in_module {
            all.push(Callable::new(py, function, &function.signature, false, &function.documentation)?);
        }
        for method in &function.methods {
            all.push(Callable::new(py, function, &method.signature, true, &method.documentation)?);
        }
    }
    Ok(all)
}

/// Adds the functions to the module, and the methods to Tensor.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = m.py();
    let class = py.get_type::<PyTensor>();
    if REGISTRY.get().is_none() {
        let _ = REGISTRY.set(callables(py)?);
    }
    for (index, callable) in REGISTRY.get().into_iter().flatten().enumerate() {
        if callable.method {
            class.setattr(&callable.name, builtin::method(&class, index, callable)?)?;
        } else {
            m.add(&callable.name, builtin::function(m, index, callable)?)?;
        }
    }
    Ok(())
}

/// Returns the signatures of the functions and methods, for the stub: whether it is a method, its name, its parameters (name, kind,
/// type, default), the type of its result, and its documentation.
#[pyfunction]
pub fn _signatures(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let out = PyList::empty(py);
    for callable in REGISTRY.get().into_iter().flatten() {
        let names = callable.layout.names.iter().map(|n| {
            let hint = (callable.function.parameters[n.slot].hint)();
            (n.name.clone(), n.passing.as_str(), hint, n.default.clone())
        });
        let names: Vec<_> = names.collect();
        let result = callable.documentation.returns.as_ref().map_or("None", |(kind, _)| kind.as_str());
        out.append((callable.method, &callable.name, names, result, callable.doc()))?;
    }
    Ok(out)
}
