//! The list of all compilations, for tasks that compile kernels ahead of time.
use super::archive::source_hash;
use super::kernels::{HEADERS, Unit, options};
use super::runtime::c_name;
use crate::DType;

/// One compilation of the kernel cache. `cargo xtask kernels` compiles the same instances ahead of time.
#[derive(Debug, Clone)]
pub struct Instance {
    /// Name of the source file, without `.hip`.
    pub unit: &'static str,
    /// Text of the source.
    pub source: &'static str,
    /// Dtype for which the unit is compiled.
    pub dtype: DType,
    /// Name of the dtype in kernel names.
    pub name: &'static str,
    /// Options for every compiler.
    pub options: Vec<String>,
    /// Parameter structs of the kernels, with their sizes in bytes.
    pub params: &'static [(&'static str, usize)],
}

/// Returns an instance for every unit and dtype.
pub fn instances() -> Vec<Instance> {
    let of = |unit: Unit| {
        let dtypes = DType::ALL.iter().copied().filter(move |d| unit.dtypes().contains(*d));
        dtypes.map(move |dtype| Instance {
            unit: unit.name(),
            source: unit.source(),
            dtype,
            name: c_name(dtype),
            options: options(dtype),
            params: unit.sizes(),
        })
    };
    Unit::ALL.iter().copied().flat_map(of).collect()
}

impl Instance {
    /// Returns the hash by which archives of kernels are searched.
    pub fn source_hash(&self) -> String {
        source_hash(HEADERS, self.source, &self.options)
    }
}

/// Returns names and texts of the headers that kernel sources include.
pub fn headers() -> &'static [(&'static str, &'static str)] {
    HEADERS
}
