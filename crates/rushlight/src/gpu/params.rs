//! Parameter structs of kernels, declared once. [`kernel_params!`] defines the `repr(C)` struct and keeps its declaration as data;
//! `cargo xtask generate` writes hip/params.h from these declarations, and kernels include that file.
use crate::shape::MAX_RANK;
use std::fmt::Write as _;

/// A type that kernel parameters may consist of: words, arrays of them, and structs defined by [`kernel_params!`]. Only
/// this module and the macros implement it.
pub(crate) trait KernelParams: Copy + 'static {
    /// Sum of the sizes of all fields in bytes. It is less than the struct's size if the struct has padding, which
    /// launches reject.
    const BYTES: usize;
}

macro_rules! words {
    ($($t:ty),*) => { $(impl KernelParams for $t { const BYTES: usize = size_of::<$t>(); })* };
}
words!(u32, u64, i64, f64);

impl<T: KernelParams, const N: usize> KernelParams for [T; N] {
    const BYTES: usize = N * T::BYTES;
}

/// The declaration of a struct or enum as data, from which its C++ text is generated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Declaration {
    pub name: &'static str,
    pub docs: &'static [&'static str],
    pub kind: Kind,
}

/// Kind of declaration.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// A struct: its template parameters as C declares them, and its fields.
    Struct(&'static str, &'static [Field]),
    /// An enum of 32 bits: documentation, name and value of each variant.
    Enum(&'static [(&'static [&'static str], &'static str, u32)]),
}

/// A field of a struct.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub name: &'static str,
    /// The type in Rust syntax.
    pub ty: &'static str,
    pub docs: &'static [&'static str],
}

/// Declares a parameter struct of kernels. Defines the `repr(C)` struct and `DECLARATION`, from which hip/params.h is
/// generated. `struct Name<const N>` becomes a template over a number, `struct Name<const N, E>` one over a number and
/// a struct.
macro_rules! kernel_params {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),+)])?
        $vis:vis struct $name:ident $(<const $n:ident $(, $e:ident)?>)? {
            $( $(#[doc = $field_doc:literal])* $field_vis:vis $field:ident: $ty:ty, )*
        }
    ) => {
        $(#[doc = $doc])*
        #[repr(C)]
        #[derive(Debug, Clone, Copy, $($($derive),+)?)]
        $vis struct $name $(<const $n: usize $(, $e: $crate::gpu::params::KernelParams)?>)? {
            $( $(#[doc = $field_doc])* $field_vis $field: $ty, )*
        }

        impl $(<const $n: usize $(, $e: $crate::gpu::params::KernelParams)?>)? $crate::gpu::params::KernelParams
            for $name $(<$n $(, $e)?>)?
        {
            const BYTES: usize = 0 $(+ <$ty as $crate::gpu::params::KernelParams>::BYTES)*;
        }

        impl $(<const $n: usize $(, $e: $crate::gpu::params::KernelParams)?>)? $name $(<$n $(, $e)?>)? {
            /// The declaration as data.
            pub(crate) const DECLARATION: $crate::gpu::params::Declaration = $crate::gpu::params::Declaration {
                name: stringify!($name),
                docs: &[$($doc),*],
                kind: $crate::gpu::params::Kind::Struct(
                    concat!($("int ", stringify!($n) $(, ", class ", stringify!($e))?)?),
                    &[$($crate::gpu::params::Field {
                        name: stringify!($field),
                        ty: stringify!($ty),
                        docs: &[$($field_doc),*],
                    }),*],
                ),
            };
        }
    };
}
pub(crate) use kernel_params;

/// Declares an enum that the host and kernels share. In C++ it is an `enum class` of the same name.
macro_rules! kernel_enum {
    (
        $(#[doc = $doc:literal])*
        $vis:vis enum $name:ident { $( $(#[doc = $value_doc:literal])* $value:ident = $number:literal, )* }
    ) => {
        $(#[doc = $doc])*
        #[repr(u32)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name { $( $(#[doc = $value_doc])* $value = $number, )* }

        impl $crate::gpu::params::KernelParams for $name {
            const BYTES: usize = 4;
        }

        impl $name {
            /// The declaration as data.
            pub(crate) const DECLARATION: $crate::gpu::params::Declaration = $crate::gpu::params::Declaration {
                name: stringify!($name),
                docs: &[$($doc),*],
                kind: $crate::gpu::params::Kind::Enum(&[$((&[$($value_doc),*], stringify!($value), $number)),*]),
            };
        }
    };
}
pub(crate) use kernel_enum;

/// Writes documentation as comment lines.
fn comment(out: &mut String, indent: &str, docs: &[&str]) {
    docs.iter().for_each(|d| _ = writeln!(out, "{indent}//{d}"));
}

/// Returns a field's declaration in C++, where array sizes follow the name.
fn field(ty: &str, name: &str) -> String {
    match ty.strip_prefix('[').and_then(|t| t.strip_suffix(']')).and_then(|t| t.rsplit_once(';')) {
        Some((element, size)) => field(element, &format!("{name}[{}]", size.trim())),
        None => format!("{ty} {name}"),
    }
}

impl Declaration {
    /// Returns the declaration in C++.
    fn text(&self) -> String {
        let mut s = String::new();
        comment(&mut s, "", self.docs);
        match self.kind {
            Kind::Struct(template, fields) => {
                if !template.is_empty() {
                    _ = writeln!(s, "template <{template}>");
                }
                _ = writeln!(s, "struct {} {{", self.name);
                for f in fields {
                    comment(&mut s, "    ", f.docs);
                    _ = writeln!(s, "    {};", field(f.ty, f.name));
                }
            }
            Kind::Enum(values) => {
                _ = writeln!(s, "enum class {} : u32 {{", self.name);
                for (docs, name, number) in values {
                    comment(&mut s, "    ", docs);
                    _ = writeln!(s, "    {name} = {number},");
                }
            }
        }
        s + "};\n"
    }
}

/// Returns the text of hip/params.h: the declarations, and a static assertion of each parameter struct's size.
pub(super) fn header(declarations: &[Declaration], sizes: &[(&str, usize)]) -> String {
    let mut s = String::from(
        "// params.h: parameter structs of kernels, and enums that they hold. Written by `cargo xtask generate` from the\n\
         // declarations in crates/rushlight/src/gpu (kernel_params! and kernel_enum!). Do not edit.\n\
         #pragma once\n#include \"port.h\"\n\nnamespace rl {\n\n// Most dimensions of a tensor.\n",
    );
    _ = writeln!(s, "constexpr int MAX_RANK = {MAX_RANK};\n");
    for d in declarations {
        _ = writeln!(s, "{}", d.text());
    }
    s += "// The sizes that the host has.\n";
    for (name, bytes) in sizes {
        _ = writeln!(
            s,
            "static_assert(sizeof({name}) == {bytes}, \"{name} differs from the host's struct\");"
        );
    }
    s + "\n}  // namespace rl\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    kernel_params! {
        /// A pair.
        #[derive(PartialEq)]
        struct Pair<const N> {
            /// One number.
            one: u64,
            /// Others.
            others: [[u32; MAX_RANK]; N],
        }
    }

    #[test]
    fn a_declaration_becomes_its_c_text() {
        let want = "// A pair.\ntemplate <int N>\nstruct Pair {\n    // One number.\n    u64 one;\n    // Others.\n    \
                    u32 others[N][MAX_RANK];\n};\n";
        assert_eq!(Pair::<2>::DECLARATION.text(), want);
        assert_eq!((Pair::<2>::BYTES, size_of::<Pair<2>>()), (72, 72));
    }

    #[test]
    fn swapped_fields_change_the_header() {
        let declaration = Pair::<2>::DECLARATION;
        let Kind::Struct(template, fields) = declaration.kind else { panic!("no struct") };
        let swapped: Vec<Field> = fields.iter().rev().copied().collect();
        let other = Declaration { kind: Kind::Struct(template, swapped.leak()), ..declaration };
        assert_ne!(header(&[declaration], &[]), header(&[other], &[]));
    }

    #[test]
    fn the_header_of_the_kernels_is_what_the_structs_declare() {
        let of_kernels = crate::gpu::params_header();
        let file = include_str!("../../hip/params.h");
        assert!(of_kernels == file, "hip/params.h is stale: run `cargo xtask generate`");
    }
}
