//! Checked calls of a table of functions.

/// Turns what a C function returned into a result.
pub trait Check<R> {
    /// What is left of a success.
    type Value;
    /// What a failure becomes.
    type Error;
    /// The value, or the error that `returned` stands for.
    fn check(&self, call: &'static str, returned: R) -> Result<Self::Value, Self::Error>;
}

/// Makes the struct of a library's checked calls from its list of functions, the one that [`symbols!`](crate::symbols!) was
/// given. [`Check`] says what each type of result becomes; its error can be made of a [`MissingSymbol`](crate::MissingSymbol).
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
        /// The library's functions, each of which answers with a result.
        #[derive(Debug)]
        pub struct Calls {
            symbols: $Table,
        }

        impl Calls {
            /// Of these symbols.
            pub fn new(symbols: $Table) -> Self {
                Self { symbols }
            }

            /// The functions' addresses.
            pub fn symbols(&self) -> &$Table {
                &self.symbols
            }

            $( $(
                #[doc = concat!("Calls `", stringify!($name), "`.")]
                ///
                /// # Safety
                /// Pointers and handles are valid as the C function demands, and stay so as long as it uses them.
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
