//! The arguments of a run-time compiler as C strings.
use std::ffi::{CString, c_char, c_int};

/// A source with its name, headers (name and text) and options, each ending with NUL.
///
/// ```
/// let options = ["-O3".to_string()];
/// let s = rushlight_load::Strings::new("int x;", "x.cu", &[("x.h", "")], &options).unwrap();
/// assert_eq!((s.headers().0, s.options().0), (1, 1));
/// let why = rushlight_load::Strings::new("\0", "x.cu", &[], &options).unwrap_err();
/// assert_eq!(why, "the source or an option of x.cu holds a NUL byte");
/// ```
#[derive(Debug)]
pub struct Strings {
    source: CString,
    name: CString,
    texts: List,
    names: List,
    options: List,
}

/// Strings, and the array of pointers to them that C receives.
#[derive(Debug)]
struct List {
    _strings: Vec<CString>,
    pointers: Vec<*const c_char>,
    count: c_int,
}

impl Strings {
    /// Copies all strings.
    ///
    /// # Errors
    /// The reason why one is not a valid C argument: a NUL byte, or more strings than an int can count.
    pub fn new(
        source: &str,
        name: &str,
        headers: &[(&str, &str)],
        options: &[String],
    ) -> Result<Self, String> {
        let c = |text: &str| {
            CString::new(text).map_err(|_| format!("the source or an option of {name} holds a NUL byte"))
        };
        let list = |all: &mut dyn Iterator<Item = &str>| -> Result<List, String> {
            let strings = all.map(c).collect::<Result<Vec<_>, _>>()?;
            let count = c_int::try_from(strings.len())
                .map_err(|_| format!("{} headers or options of {name}", strings.len()))?;
            // Moving a string does not move its text.
            let pointers = strings.iter().map(|s| s.as_ptr()).collect();
            Ok(List { _strings: strings, pointers, count })
        };
        Ok(Self {
            source: c(source)?,
            name: c(name)?,
            texts: list(&mut headers.iter().map(|h| h.1))?,
            names: list(&mut headers.iter().map(|h| h.0))?,
            options: list(&mut options.iter().map(String::as_str))?,
        })
    }

    /// Returns the source and its name. All pointers are valid as long as this value.
    pub fn source(&self) -> (*const c_char, *const c_char) {
        (self.source.as_ptr(), self.name.as_ptr())
    }

    /// Returns the number of headers, their texts, and their names.
    pub fn headers(&self) -> (c_int, *const *const c_char, *const *const c_char) {
        (self.texts.count, self.texts.pointers.as_ptr(), self.names.pointers.as_ptr())
    }

    /// Returns the number of options, and the options.
    pub fn options(&self) -> (c_int, *const *const c_char) {
        (self.options.count, self.options.pointers.as_ptr())
    }
}
