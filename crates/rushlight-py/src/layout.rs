//! Signatures: which argument of a call belongs to which parameter of a body.
use crate::function::{Callable, MOST, Slots};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

/// How an argument may be given.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Passing {
    /// By position only.
    Position,
    /// By position or name.
    Either,
    /// All further positional arguments (`*args`).
    Rest,
    /// By name only.
    Keyword,
}

impl Passing {
    /// The kind in Python's module `inspect`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Position => "POSITIONAL_ONLY",
            Self::Either => "POSITIONAL_OR_KEYWORD",
            Self::Rest => "VAR_POSITIONAL",
            Self::Keyword => "KEYWORD_ONLY",
        }
    }
}

/// A parameter of a signature.
pub struct Name {
    pub name: String,
    pub passing: Passing,
    /// The default, as Python writes it.
    pub default: Option<String>,
    /// The parameter of the body.
    pub slot: usize,
}

/// A parsed signature.
pub struct Layout {
    /// The parameters without a method's tensor, in order: those by position come first.
    pub names: Vec<Name>,
    /// The body's parameters that positional arguments go to, in order.
    order: [u8; MOST],
    /// Number of parameters that may be given by position, and the number of those that must be given.
    positional: usize,
    required: usize,
    /// Whether a parameter must be given by name.
    needs_names: bool,
    /// The parameter of all further positional arguments.
    pub rest: Option<usize>,
    /// Defaults, by parameter of the body; None where the signature does not have it.
    pub defaults: [Py<PyAny>; MOST],
}

impl Layout {
    /// Reads `name(a, /, b=1, *, c=None)`. `parameters` are those of the body; a method's own tensor is the first of them.
    pub fn parse(py: Python<'_>, signature: &str, parameters: &[&str], method: bool) -> Result<Self, String> {
        let inside =
            signature.split_once('(').and_then(|(_, i)| i.strip_suffix(')')).ok_or("no parentheses")?;
        let mut names: Vec<Name> = Vec::new();
        let mut defaults: [Py<PyAny>; MOST] = std::array::from_fn(|_| py.None());
        let (mut passing, mut rest) = (Passing::Either, None);
        if parameters.len() > MOST {
            return Err(format!("more than {MOST} parameters"));
        }
        for part in inside.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            match part {
                "/" => names.iter_mut().for_each(|n| n.passing = Passing::Position),
                "*" => passing = Passing::Keyword,
                _ => {
                    let (name, default) = match part.split_once('=') {
                        Some((name, default)) => (name.trim(), Some(default.trim().to_string())),
                        None => (part, None),
                    };
                    let further = name.strip_prefix('*');
                    let name = further.unwrap_or(name);
                    // The tensor of a method has another name than the function's first parameter.
                    let slot = parameters.iter().position(|p| *p == name);
                    let slot = slot
                        .or((method && name == "other").then_some(1))
                        .ok_or(format!("no parameter {name}"))?;
                    if let Some(default) = &default {
                        defaults[slot] = literal(py, default)?;
                    }
                    let how = if further.is_some() { Passing::Rest } else { passing };
                    if further.is_some() {
                        rest = Some(slot);
                        passing = Passing::Keyword;
                    }
                    names.push(Name { name: name.to_string(), passing: how, default, slot });
                }
            }
        }
        let by_position = |n: &&Name| matches!(n.passing, Passing::Position | Passing::Either);
        let positional = names.iter().filter(by_position).count();
        let required = names.iter().filter(by_position).take_while(|n| n.default.is_none()).count();
        let needs_names = names.iter().any(|n| n.passing == Passing::Keyword && n.default.is_none());
        let mut order = [0; MOST];
        for (to, n) in order.iter_mut().zip(&names) {
            *to = u8::try_from(n.slot).map_err(|_| "too many parameters")?;
        }
        Ok(Self { names, order, positional, required, needs_names, rest, defaults })
    }

    /// The further positional arguments as a tuple, where the signature takes them.
    pub fn rest_of<'py>(
        &self,
        py: Python<'py>,
        given: &[Borrowed<'_, 'py, PyAny>],
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.rest.is_none() || given.len() <= self.positional {
            return Ok(None);
        }
        PyTuple::new(py, &given[self.positional..]).map(|t| Some(t.into_any()))
    }
}

/// A default as a Python object.
fn literal(py: Python<'_>, text: &str) -> Result<Py<PyAny>, String> {
    let object = match text {
        "None" => Ok(py.None()),
        "..." => Ok(py.Ellipsis()),
        "True" => true.into_py_any(py),
        "False" => false.into_py_any(py),
        _ => match (text.parse::<i64>(), text.parse::<f64>(), text.strip_prefix(['"', '\''])) {
            (Ok(int), ..) => int.into_py_any(py),
            (_, Ok(float), _) => float.into_py_any(py),
            (_, _, Some(word)) => word.trim_end_matches(['"', '\'']).into_py_any(py),
            _ => return Err(format!("{text} is not a value")),
        },
    };
    object.map_err(|e| e.to_string())
}

impl Callable {
    /// Puts the arguments of a call into the slots that the body reads. Errors have the words of Python's
    /// own.
    pub fn bind<'a, 'py>(
        &self,
        slots: &mut Slots<'a, 'py>,
        given: &[Borrowed<'a, 'py, PyAny>],
        names: Option<Borrowed<'a, 'py, PyTuple>>,
        named: &[Borrowed<'a, 'py, PyAny>],
    ) -> PyResult<()> {
        let layout = &self.layout;
        if given.len() > layout.positional && layout.rest.is_none() {
            return Err(self.too_many(given.len()));
        }
        for (slot, argument) in layout.order.iter().zip(given.iter().take(layout.positional)) {
            slots[usize::from(*slot)] = Some(*argument);
        }
        if names.is_none() && given.len() >= layout.required && !layout.needs_names {
            return Ok(());
        }
        if let Some(names) = names {
            let mut by_position = Vec::new();
            for (key, argument) in names.iter_borrowed().zip(named) {
                let key = key.cast::<PyString>()?;
                let key = key.to_str()?;
                let found = layout.names.iter().find(|n| n.name == key && n.passing != Passing::Rest);
                match found {
                    Some(n) if n.passing == Passing::Position => by_position.push(format!("'{key}'")),
                    Some(n) => {
                        if slots[n.slot].replace(*argument).is_some() {
                            return Err(self.error(&format!("got multiple values for argument '{key}'")));
                        }
                    }
                    None => return Err(self.error(&format!("got an unexpected keyword argument '{key}'"))),
                }
            }
            if !by_position.is_empty() {
                return Err(self.error(&format!(
                    "got some positional-only arguments passed as keyword arguments: {}",
                    listed(&by_position)
                )));
            }
        }
        self.complete(slots)
    }

    /// Fails where a required argument is missing.
    fn complete(&self, slots: &Slots<'_, '_>) -> PyResult<()> {
        let missing = |keyword: bool| -> Vec<String> {
            let names = self.layout.names.iter().filter(|n| {
                n.default.is_none()
                    && n.passing != Passing::Rest
                    && (n.passing == Passing::Keyword) == keyword
                    && slots[n.slot].is_none()
            });
            names.map(|n| format!("'{}'", n.name)).collect()
        };
        for (keyword, kind) in [(false, "positional"), (true, "keyword")] {
            let names = missing(keyword);
            if !names.is_empty() {
                let s = if names.len() == 1 { "" } else { "s" };
                let text = format!("missing {} required {kind} argument{s}: {}", names.len(), listed(&names));
                return Err(self.error(&text));
            }
        }
        Ok(())
    }

    #[cold]
    fn too_many(&self, given: usize) -> PyErr {
        let (least, most) = (self.layout.required, self.layout.positional);
        let was = if given == 1 { "was" } else { "were" };
        let text = if least == most {
            format!("takes {most} positional arguments but {given} {was} given")
        } else {
            format!("takes from {least} to {most} positional arguments but {given} {was} given")
        };
        PyTypeError::new_err(format!("{} {text}", self.full_name()))
    }
}

/// Joins names as Python's messages do: `'a'`, `'a' and 'b'`, `'a', 'b', and 'c'`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [first @ .., last] => format!("{}, and {last}", first.join(", ")),
    }
}
