//! The environment variables of all crates and of the Python package, in one table, and the one parser of their values.
//!
//! An unset or empty variable is the default. A value that its [`Kind`] does not have is an [`Invalid`] error, which lists
//! the valid values. [`problems`] finds invalid values and names that are not in the table.
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

mod table;

pub use table::*;

/// The prefix of every name in the table.
pub const PREFIX: &str = "RUSHLIGHT_";

/// The values that a variable may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// `1`, `true`, `on` or `0`, `false`, `off`.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number of this range.
    Integer(u64, u64),
    /// A number of seconds, which may have a fraction.
    Seconds,
    /// A file or a folder.
    Path,
    /// Folders, separated by colons.
    Paths,
    /// A text; its form, which the code that reads it checks.
    Text(&'static str),
}

/// One environment variable.
#[derive(Debug)]
pub struct Setting {
    /// The name, with its prefix.
    pub name: &'static str,
    /// The valid values.
    pub kind: Kind,
    /// The effect of an unset variable, for the documentation.
    pub default: &'static str,
    /// The part of the project that reads it.
    pub reader: Reader,
    /// The effect, in one sentence.
    pub doc: &'static str,
}

/// The part of the project that reads a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The library, from Rust and from Python.
    Library,
    /// The Python package.
    Python,
    /// The virtual GPUs.
    VirtualGpu,
    /// Builds, tests and project tasks.
    Development,
}

/// A value that a variable may not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The variable.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// The valid values, in words.
    pub expected: String,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}: expected {}", self.name, self.value, self.expected)
    }
}

impl Error for Invalid {}

impl Kind {
    /// Returns the valid values in words, as after "expected".
    ///
    /// ```
    /// use rushlight_load::settings::Kind;
    /// assert_eq!(Kind::Choice(&["auto", "native", "vendor"]).expected(), "auto, native or vendor");
    /// ```
    pub fn expected(self) -> String {
        match self {
            Self::Flag => "1, true, on, 0, false or off".into(),
            Self::Choice(words) => match words {
                [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
                _ => words.concat(),
            },
            Self::Integer(least, u64::MAX) => format!("a whole number, {least} or more"),
            Self::Integer(least, most) => format!("a whole number from {least} to {most}"),
            Self::Seconds => "a number of seconds".into(),
            Self::Path => "a path".into(),
            Self::Paths => "folders, separated by colons".into(),
            Self::Text(form) => form.into(),
        }
    }
}

/// Parses a flag.
fn flag(value: &str) -> Option<bool> {
    match value {
        "1" | "true" | "on" => Some(true),
        "0" | "false" | "off" => Some(false),
        _ => None,
    }
}

/// Parses a number of seconds that is not negative.
fn seconds(value: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(value.parse().ok()?).ok()
}

impl Setting {
    /// Returns the value, also an empty one.
    pub fn os(&self) -> Option<OsString> {
        std::env::var_os(self.name)
    }

    /// Returns the value unless it is empty.
    fn given(&self) -> Option<OsString> {
        self.os().filter(|v| !v.is_empty())
    }

    /// Parses a value that is not empty.
    fn parse<T>(
        &self,
        value: Option<OsString>,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Invalid> {
        let Some(value) = value else { return Ok(None) };
        match value.to_str().map(str::trim).and_then(parse) {
            Some(parsed) => Ok(Some(parsed)),
            None => Err(self.invalid(&value)),
        }
    }

    /// Makes the error of an invalid value.
    pub fn invalid(&self, value: impl AsRef<OsStr>) -> Invalid {
        let value = value.as_ref().display().to_string();
        Invalid { name: self.name, value, expected: self.kind.expected() }
    }

    /// Reads a [`Kind::Flag`]; unset is false.
    pub fn flag(&self) -> Result<bool, Invalid> {
        self.flag_of(self.given())
    }

    /// Parses a flag that comes from elsewhere, such as a command line.
    pub fn flag_of(&self, value: Option<OsString>) -> Result<bool, Invalid> {
        debug_assert_eq!(self.kind, Kind::Flag, "{}", self.name);
        Ok(self.parse(value, flag)?.unwrap_or(false))
    }

    /// Reads a [`Kind::Choice`].
    pub fn choice(&self) -> Result<Option<&'static str>, Invalid> {
        self.choice_of(self.given())
    }

    /// Parses a choice that comes from elsewhere, such as a command line.
    pub fn choice_of(&self, value: Option<OsString>) -> Result<Option<&'static str>, Invalid> {
        let Kind::Choice(words) = self.kind else { return Err(self.invalid("not a choice")) };
        self.parse(value, |v| words.iter().find(|w| **w == v).copied())
    }

    /// Reads a [`Kind::Integer`].
    pub fn integer(&self) -> Result<Option<u64>, Invalid> {
        self.integer_of(self.given())
    }

    /// Parses a number that comes from elsewhere, such as a command line.
    pub fn integer_of(&self, value: Option<OsString>) -> Result<Option<u64>, Invalid> {
        let Kind::Integer(least, most) = self.kind else { return Err(self.invalid("not an integer")) };
        self.parse(value, |v| v.parse().ok().filter(|n| (least..=most).contains(n)))
    }

    /// Reads a [`Kind::Seconds`].
    pub fn seconds(&self) -> Result<Option<Duration>, Invalid> {
        debug_assert_eq!(self.kind, Kind::Seconds, "{}", self.name);
        self.parse(self.given(), seconds)
    }

    /// Reads a [`Kind::Path`].
    pub fn path(&self) -> Option<PathBuf> {
        self.given().map(PathBuf::from)
    }

    /// Reads a [`Kind::Paths`].
    pub fn paths(&self) -> Vec<PathBuf> {
        self.given().map(|v| std::env::split_paths(&v).collect()).unwrap_or_default()
    }

    /// Reads a [`Kind::Text`], whose form the caller checks.
    pub fn text(&self) -> Result<Option<String>, Invalid> {
        self.parse(self.given(), |v| Some(v.to_string()))
    }

    /// Checks the value by its kind. The form of a [`Kind::Text`] is left to its reader.
    pub fn check(&self) -> Result<(), Invalid> {
        self.check_value(self.given())
    }

    fn check_value(&self, value: Option<OsString>) -> Result<(), Invalid> {
        let good = |v: &str| match self.kind {
            Kind::Flag => flag(v).map(drop),
            Kind::Choice(words) => words.contains(&v).then_some(()),
            Kind::Integer(least, most) => v.parse().ok().filter(|n| (least..=most).contains(n)).map(drop),
            Kind::Seconds => seconds(v).map(drop),
            Kind::Path | Kind::Paths | Kind::Text(_) => Some(()),
        };
        if matches!(self.kind, Kind::Path | Kind::Paths) {
            return Ok(());
        }
        self.parse(value, good).map(drop)
    }
}

/// Returns a sentence for each variable whose value is invalid and for each unknown name with our [`PREFIX`].
///
/// ```
/// for problem in rushlight_load::settings::problems() {
///     eprintln!("{problem}");
/// }
/// ```
pub fn problems() -> Vec<String> {
    let invalid = ALL.iter().filter_map(|s| s.check().err()).map(|e| e.to_string());
    invalid.chain(unknown()).collect()
}

/// Returns a sentence for each unknown name with our [`PREFIX`] in the environment.
pub fn unknown() -> Vec<String> {
    let mut names: Vec<String> = std::env::vars_os().filter_map(|(n, _)| n.into_string().ok()).collect();
    names.sort();
    names.iter().filter_map(|n| unknown_name(n)).collect()
}

/// Prints the sentences of [`unknown`] on stderr, once a process.
pub fn warn_unknown() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| unknown().iter().for_each(|u| eprintln!("rushlight: {u}")));
}

fn unknown_name(name: &str) -> Option<String> {
    if !name.starts_with(PREFIX) || ALL.iter().any(|s| s.name == name) {
        return None;
    }
    let near = ALL.iter().map(|s| (distance(s.name, name), s.name)).min()?;
    let hint = if near.0 <= 3 { format!("; is {} meant?", near.1) } else { String::new() };
    Some(format!("{name} is not a variable of rushlight{hint} (docs/guide/environment.md lists them)"))
}

/// The number of letters to insert, delete or replace to get from `a` to `b`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(setting: &Setting, value: &str) -> Result<(), String> {
        setting.check_value(Some(value.into())).map_err(|e| e.to_string())
    }

    #[test]
    fn invalid_values_of_each_kind_are_errors_that_list_the_valid_ones() {
        for (setting, value, expected) in [
            (&SYNC, "yes", "1, true, on, 0, false or off"),
            (&SYNC, "2", "1, true, on, 0, false or off"),
            (&BLAS, "fast", "auto, native or vendor"),
            (&FALLBACK, "gpu", "cpu"),
            (&NUM_THREADS, "0", "a whole number from 1 to 4096"),
            (&NUM_THREADS, "4097", "a whole number from 1 to 4096"),
            (&NUM_THREADS, "-1", "a whole number from 1 to 4096"),
            (&NUM_THREADS, "two", "a whole number from 1 to 4096"),
            (&VGPU_MEM, "1", "a whole number, 65536 or more"),
            (&CONV_WAIT, "long", "a number of seconds"),
            (&CONV_WAIT, "-1", "a number of seconds"),
            (&CONV_WAIT, "inf", "a number of seconds"),
        ] {
            let want = format!("{}={value}: expected {expected}", setting.name);
            assert_eq!(check(setting, value), Err(want));
        }
    }

    #[test]
    fn valid_values_are_accepted() {
        for (setting, values) in [
            (&SYNC, &["0", "1", "true", "false", "on", "off", " 1"][..]),
            (&BLAS, &["auto", "native", "vendor"]),
            (&NUM_THREADS, &["1", "4096"]),
            (&CONV_WAIT, &["0", "0.2", "20"]),
            (&CACHE_DIR, &["/x", "relative"]),
            (&VGPU_ORDER, &["forward", "seed:3"]),
        ] {
            for value in values {
                assert_eq!(check(setting, value), Ok(()), "{}", setting.name);
            }
        }
        assert_eq!(SYNC.check_value(None), Ok(()));
    }

    #[cfg(unix)]
    #[test]
    fn a_value_that_is_not_unicode_is_an_error_except_for_paths() {
        use std::os::unix::ffi::OsStringExt;
        let value = || Some(OsString::from_vec(vec![0xff]));
        assert!(SYNC.check_value(value()).is_err() && VGPU_ORDER.check_value(value()).is_err());
        assert!(CACHE_DIR.check_value(value()).is_ok() && CUDA_PATH.check_value(value()).is_ok());
    }

    #[test]
    fn unknown_names_are_reported_with_the_nearest_one() {
        assert_eq!(unknown_name("PATH"), None);
        assert_eq!(unknown_name("RUSHLIGHT_SYNC"), None);
        let near = unknown_name("RUSHLIGHT_NUM_THREAD");
        assert!(near.is_some_and(|t| t.contains("is RUSHLIGHT_NUM_THREADS meant?")));
        let far = unknown_name("RUSHLIGHT_COMPLETELY_DIFFERENT");
        assert!(far.is_some_and(|t| !t.contains("meant")));
    }

    #[test]
    fn the_table_is_complete_and_has_each_name_once() {
        for (i, s) in ALL.iter().enumerate() {
            assert!(s.name.starts_with(PREFIX), "{}", s.name);
            assert!(ALL[..i].iter().all(|t| t.name != s.name), "{}", s.name);
            assert!(s.doc.ends_with('.') && !s.default.is_empty(), "{}", s.name);
        }
    }
}
