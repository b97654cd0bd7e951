//! Files of importance weights.
use crate::{Error, Result};
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

/// Reads the weights of each tensor, for [`QTensor::quantize_imatrix`](super::QTensor::quantize_imatrix).
pub fn load_imatrix<P: AsRef<Path>>(fname: P) -> Result<HashMap<String, Vec<f32>>> {
    let read = || -> Result<_> { Ok(rushlight_ggml::imatrix::read(&mut File::open(&fname)?)?) };
    let all = read().map_err(|e: Error| e.with_path(&fname))?;
    Ok(all.into_iter().collect())
}
