//! Compares two runs: of two devices of this process, or of two machines by their result files.
use super::case::{Case, Pass};
use super::compare::{Comparison, Host, bits, true_ones};
use super::judge::{Output, START, Status, Verdict, own_gradients};
use rushlight::{Device, Result, Support};

impl Case {
    /// Compares two runs' outputs (or gradients) of the case. They agree if they have the same bits, or if each is within
    /// the op's bound of the true result. For an op that promises bits they must have the same bits. `there` names the
    /// second run in messages: `on rocm:1`.
    ///
    /// # Errors
    /// The case cannot be run on the CPU, or an output cannot be read.
    ///
    /// ```
    /// use rushlight::Device;
    /// use rushlight_parity::{Against, Case};
    /// let cases = Case::all(0);
    /// let case = cases.iter().find(|c| c.name == "exp#1/f32/contiguous").expect("a case");
    /// let other = case.run(&Device::Cpu, Against::F64).outputs;
    /// assert!(case.agree(&other, &other, "in the other run")?.good());
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn agree(&self, a: &[Output], b: &[Output], there: &str) -> Result<Comparison> {
        let mut c = Comparison::default();
        if a.len() != b.len() {
            c.words = Some(format!("{} outputs, {there} {}", a.len(), b.len()));
        }
        for (k, (a, b)) in a.iter().zip(b).enumerate() {
            let host = |o: &Output| Host::over(o.dtype, o.dims.clone(), o.storage.clone());
            bits(k, &host(a)?, &host(b)?, there, &mut c);
        }
        if c.good() {
            return Ok(c);
        }
        let near = (self.judge_outputs(a)?.good(), self.judge_outputs(b)?.good());
        if near == (true, true) && c.words.is_none() {
            return Ok(Comparison { wrong: 0, mismatches: Vec::new(), ..c });
        }
        let which = match near {
            (true, false) => format!("this one is within its op's bound, that {there} is not"),
            (false, true) => format!("that {there} is within its op's bound, this one is not"),
            (false, false) => "neither is within its op's bound".to_string(),
            (true, true) => "both are within their op's bound".to_string(),
        };
        let differs = match (c.words.take(), c.mismatches.first()) {
            (None, Some(m)) => format!(
                "{} of {} elements: {:?} is {}, {there} {} ({:.2} ulp apart)",
                c.wrong, c.elements, m.position, m.got, m.want, m.ulp
            ),
            (words, _) => words.unwrap_or_default(),
        };
        c.words = Some(format!("{differs}; {which}"));
        Ok(c)
    }

    /// Judges outputs (or gradients) by true ones of another library, in f64: each may be off by the bound of the op's class,
    /// or by the rounding errors of its dtype.
    ///
    /// # Errors
    /// The case cannot be run on the CPU, or an output cannot be read.
    ///
    /// ```
    /// use rushlight::{DType, Device, cpu::CpuStorage};
    /// use rushlight_parity::{Against, Case, Output};
    /// let cases = Case::all(0);
    /// let case = cases.iter().find(|c| c.name == "neg#1/f32/contiguous").expect("a case");
    /// let own = case.run(&Device::Cpu, Against::F64).outputs;
    /// let CpuStorage::F32(values) = &own[0].storage else { panic!("not f32") };
    /// let values: Vec<f64> = values.iter().map(|v| f64::from(*v)).collect();
    /// let truth = Output { dtype: DType::F64, storage: CpuStorage::F64(values.into()), ..own[0].clone() };
    /// assert!(case.judge_true_outputs(&own, &[truth])?.good());
    /// assert!(!case.judge_true_outputs(&own, &[])?.good());
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn judge_true_outputs(&self, outputs: &[Output], truth: &[Output]) -> Result<Comparison> {
        let mut c = Comparison::default();
        let shapes = |all: &[Output]| -> Vec<Vec<usize>> { all.iter().map(|o| o.dims.clone()).collect() };
        if shapes(outputs) != shapes(truth) {
            c.words = Some(format!("shapes {:?}, the reference's {:?}", shapes(outputs), shapes(truth)));
            return Ok(c);
        }
        let hosts = |all: &[Output]| -> Result<Vec<Host>> {
            all.iter().map(|o| Host::over(o.dtype, o.dims.clone(), o.storage.clone())).collect()
        };
        let got = hosts(outputs)?;
        let truth: Vec<Vec<f64>> = hosts(truth)?.iter().map(|h| h.parts().1.into_owned()).collect();
        if self.pass == Pass::Gradient {
            own_gradients(&got, &truth, &mut c);
            c.elements = got.iter().map(|g| g.numbers.len()).sum();
            return Ok(c);
        }
        true_ones(self.what(), &self.tensors(&Device::Cpu)?, &got, &truth, !self.overflows())
    }

    /// Runs the case on two devices. The second one's outputs are the reference.
    pub(super) fn against_device(&self, device: &Device, reference: &Device) -> Verdict {
        let there = reference.location();
        if let Support::No(why) = reference.supports(self.what(), self.dtypes()) {
            return Verdict::new(Status::Skip, format!("no-reference: {there}: {why}"));
        }
        if self.pass == Pass::Error {
            return self.refused(device, reference);
        }
        let given = |on: &Device| -> Result<_> {
            let (hosts, took, wrong) = self.outputs(on)?;
            let hash = hosts.iter().fold(START, |h, g| g.hash(h));
            let outputs: Vec<Output> = hosts.into_iter().map(Host::output).collect();
            Ok((outputs, hash, took, wrong))
        };
        let found = given(device).and_then(|got| {
            let want = given(reference)
                .map_err(|e| rushlight::Error::msg(format!("the reference, {there}: {e}")))?;
            let c = self.agree(&got.0, &want.0, &format!("on {there}"))?;
            Ok((got, want.3, c))
        });
        match found {
            Ok(((outputs, hash, took, wrong), wrong_there, mut numbers)) => {
                if let Some(wrong) =
                    wrong.or_else(|| Some(format!("the reference, {there}: {}", wrong_there?)))
                {
                    numbers.words.get_or_insert(wrong);
                }
                let status = if numbers.good() { Status::Pass } else { Status::Fail };
                Verdict { status, reason: numbers.reason(), numbers, hash, outputs, took }
            }
            Err(e) => Verdict::new(Status::Fail, e.to_string()),
        }
    }
}
