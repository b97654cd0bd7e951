//! Finding and opening AMD's libraries.
mod open;
mod search;

pub(crate) use open::{open_hip, open_sibling, other_runtimes};
pub use rushlight_load::Library;
pub(crate) use rushlight_load::elf;
pub use search::Search;
