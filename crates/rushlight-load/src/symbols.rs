//! A table with the functions of one library, each resolved at its first use.
use crate::{Library, MissingSymbol};
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// A function's declaration in the list, for comparison with the C headers.
#[derive(Clone, Copy, Debug)]
pub struct Prototype {
    /// The C name.
    pub name: &'static str,
    /// The types of the parameters, as Rust text.
    pub args: &'static [&'static str],
    /// The type of the result, as Rust text.
    pub ret: &'static str,
}

/// One symbol: not resolved yet, resolved, or missing.
#[derive(Debug, Default)]
pub struct Slot(AtomicPtr<c_void>);

/// Marks a symbol that the library lacks. No function has this address.
const MISSING: *mut c_void = std::ptr::dangling_mut::<u8>().cast();

impl Slot {
    /// Returns the address of `name` in `library`, looking it up once.
    #[inline]
    pub fn resolve(
        &self,
        library: &Library,
        name: &'static CStr,
        needed_for: &'static str,
    ) -> Result<*mut c_void, MissingSymbol> {
        let mut at = self.0.load(Ordering::Acquire);
        if at.is_null() {
            at = library.symbol(name).unwrap_or(MISSING);
            self.0.store(at, Ordering::Release);
        }
        if at == MISSING {
            return Err(MissingSymbol {
                library: library.path().to_path_buf(),
                name: name.to_str().unwrap_or_default(),
                needed_for,
            });
        }
        Ok(at)
    }
}

/// Makes a struct with the symbols of a library from a list of functions, grouped by the feature that needs them.
///
/// ```
/// use std::ffi::c_int;
/// rushlight_load::symbols! {
///     /// The functions of some library.
///     Symbols;
///     "adding" { fn add(a: c_int, b: c_int) -> c_int; }
/// }
/// assert_eq!(Symbols::PROTOTYPES[0].args, ["c_int", "c_int"]);
/// ```
#[macro_export]
macro_rules! symbols {
    ($(#[$meta:meta])* $Table:ident; $( $purpose:literal { $( fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty; )* } )*) => {
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $Table {
            library: $crate::Library,
            $( $( $name: $crate::Slot, )* )*
        }

        impl $Table {
            /// The declarations of all functions in the list.
            pub const PROTOTYPES: &'static [$crate::Prototype] = &[$( $( $crate::Prototype {
                name: stringify!($name),
                args: &[$( stringify!($ty) ),*],
                ret: stringify!($ret),
            }, )* )*];

            /// Creates the table; no symbol is resolved yet.
            pub fn new(library: $crate::Library) -> Self {
                Self { library, $( $( $name: Default::default(), )* )* }
            }

            /// Returns the library that the symbols come from.
            pub fn library(&self) -> &$crate::Library {
                &self.library
            }

            $( $(
                #[doc = concat!("Returns the address of `", stringify!($name), "`, needed for ", $purpose, "; an error if the library lacks it.")]
                pub fn $name(&self) -> std::result::Result<unsafe extern "C" fn($($ty),*) -> $ret, $crate::MissingSymbol> {
                    // A name without NUL makes a valid C string.
                    const NAME: &std::ffi::CStr = match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                        Ok(name) => name,
                        Err(_) => c"",
                    };
                    let at = self.$name.resolve(&self.library, NAME, $purpose)?;
                    // SAFETY: the symbol has this name in the library, so it is the function of this prototype, which tests compare with the headers.
                    Ok(unsafe { std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C" fn($($ty),*) -> $ret>(at) })
                }
            )* )*
        }
    };
}
