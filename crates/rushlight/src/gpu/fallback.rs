//! `RUSHLIGHT_FALLBACK=cpu`: runs ops that a device does not support on the CPU, and prints one warning for each op and
//! dtypes. Operands are copied to the host and results back. Without the setting, such an op is an error.
use super::runtime::Runtime;
use super::{GpuDevice, GpuStorage, lock};
use crate::cpu::CpuStorage;
use crate::ops::Op;
use crate::storage::{Storage, View, ViewMut};
use crate::{DType, Error, Result};

impl<R: Runtime> GpuDevice<R> {
    /// Returns whether the op must run on the CPU: the error states that the device does not support it, and the
    /// setting is on. Prints a warning to stderr the first time for the op and dtypes.
    pub(crate) fn falls_back(&self, error: &Error, dtypes: &[DType]) -> bool {
        let Error::Unsupported { op, reason, .. } = error.root() else { return false };
        if self.0.settings.fallback {
            let names = dtypes.iter().map(|d| d.as_str()).collect::<Vec<_>>().join(", ");
            let what = format!("{op} of {names}");
            if !lock(&self.0.warned).contains(&what) {
                eprintln!(
                    "rushlight: warning: {what} runs on the CPU (RUSHLIGHT_FALLBACK=cpu), since {}:{} lacks it: {reason}",
                    R::KIND,
                    self.ordinal()
                );
                lock(&self.0.warned).insert(what);
            }
        }
        self.0.settings.fallback
    }

    /// Runs an op on the CPU.
    pub(super) fn run_on_cpu(&self, op: &Op, inputs: &[View<'_>], outputs: &mut [ViewMut<'_>]) -> Result<()> {
        let host = |s: &Storage| Ok(Storage::Cpu(self.read(self.own(s)?)?));
        let sources = inputs.iter().map(|v| host(v.storage)).collect::<Result<Vec<_>>>()?;
        let mut targets = outputs.iter().map(|v| host(v.storage)).collect::<Result<Vec<_>>>()?;
        let ins: Vec<View<'_>> =
            sources.iter().zip(inputs).map(|(storage, v)| View { storage, layout: v.layout }).collect();
        let mut outs: Vec<ViewMut<'_>> = targets
            .iter_mut()
            .zip(outputs.iter())
            .map(|(storage, v)| ViewMut { storage, layout: v.layout })
            .collect();
        crate::cpu::run(op, &ins, &mut outs)?;
        for (v, made) in outputs.iter().zip(&targets) {
            self.overwrite(self.own(v.storage)?, crate::device::cpu_ref(made)?)?;
        }
        Ok(())
    }

    /// Overwrites a storage with host elements of the same dtype and number.
    pub(crate) fn overwrite(&self, storage: &GpuStorage<R>, host: &CpuStorage) -> Result<()> {
        if (storage.dtype(), storage.len()) != (host.dtype(), host.len()) {
            return Err(Error::invalid("upload", "memory of another dtype or size"));
        }
        if storage.is_empty() {
            return Ok(());
        }
        self.send(storage, host)
    }
}
