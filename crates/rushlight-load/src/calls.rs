//! Checked calls of a table of functions.

/// Turns the return value of a C function into a result.
pub trait Check<R> {
    /// The value of a success.
    type Value;
    /// The error of a failure.
    type Error;
    /// Returns the value of a success, or the error that `returned` stands for.
    fn check(&self, call: &'static str, returned: R) -> Result<Self::Value, Self::Error>;
}

/// Makes a struct with the checked calls of a library from its list of functions, the same list that
/// [`symbols!`](crate::symbols!) takes. [`Check`] defines the result of each C return type; its error must implement
/// `From<`[`MissingSymbol`](crate::MissingSymbol)`>`.
///
/// ```
/// use rushlight_load::{Check, MissingSymbol};
/// mod list {
///     rushlight_load::symbols! { /// Of some library.
///         Symbols; "stopping" { fn stop(code: i32) -> i32; } }
/// }
/// use list::Symbols;
/// rushlight_load::calls! { Symbols; "stopping" { fn stop(code: i32) -> i32; } }
/// impl Check<i32> for Calls {
///     type Value = ();
///     type Error = MissingSymbol;
///     fn check(&self, _: &'static str, _: i32) -> Result<(), MissingSymbol> { Ok(()) }
/// }
/// # fn _never(calls: &Calls) -> Result<(), MissingSymbol> { unsafe { calls.stop(1) } }
/// ```
#[macro_export]
macro_rules! calls {
    ($(#[$meta:meta])* $Table:ident; $( $purpose:literal { $( fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty; )* } )*) => {
        /// The functions of the library; each returns a `Result`.
        #[derive(Debug)]
        pub struct Calls {
            symbols: $Table,
        }

        impl Calls {
            /// Wraps a table of symbols.
            pub fn new(symbols: $Table) -> Self {
                Self { symbols }
            }

            /// Returns the table with the addresses of the functions.
            pub fn symbols(&self) -> &$Table {
                &self.symbols
            }

            $( $(
                #[doc = concat!("Calls `", stringify!($name), "`.")]
                ///
                /// # Safety
                /// Pointers and handles are valid as the C function requires, and stay valid as long as it uses them.
                pub unsafe fn $name(&self, $($arg: $ty),*) -> std::result::Result<<Self as $crate::Check<$ret>>::Value, <Self as $crate::Check<$ret>>::Error> {
                    let function = self.symbols.$name()?;
                    // SAFETY: the caller vouches for the arguments.
                    let returned = unsafe { function($($arg),*) };
                    $crate::Check::<$ret>::check(self, stringify!($name), returned)
                }
            )* )*
        }
    };
}
