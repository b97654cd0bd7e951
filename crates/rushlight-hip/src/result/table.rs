//! Checked calls of a table of functions.
use crate::Error;

/// Turns what a C function returned into a result.
pub trait Check<R> {
    /// What is left of a success.
    type Value;
    /// The value, or the error that `returned` stands for.
    fn check(&self, call: &'static str, returned: R) -> Result<Self::Value, Error>;
}

/// Makes the struct of a library's checked calls from its list of functions.
macro_rules! calls {
    ($(#[$meta:meta])* $Table:ident; $( $purpose:literal { $( fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty; )* } )*) => {
        /// The library's functions, each of which answers with a result.
        #[derive(Debug)]
        pub struct Calls {
            symbols: $Table,
        }

        impl Calls {
            pub(crate) fn new(symbols: $Table) -> Self {
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
                pub unsafe fn $name(&self, $($arg: $ty),*) -> Result<<Self as $crate::result::Check<$ret>>::Value, $crate::Error> {
                    let function = self.symbols.$name()?;
                    // SAFETY: the caller vouches for the arguments.
                    let returned = unsafe { function($($arg),*) };
                    $crate::result::Check::<$ret>::check(self, stringify!($name), returned)
                }
            )* )*
        }
    };
}
