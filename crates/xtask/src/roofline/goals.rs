//! The goals of the estimates, and the forms that miss them for a known reason.
use super::counts::{Case, Ideal, Table};
use super::gpus::{GPUS, Gpu};
use super::model::{Estimate, estimate};
use crate::{Outcome, tree};
use std::collections::BTreeMap;

/// The list of reasons: form, the GPUs on which it misses its goal, the reason.
pub const REASONS: &str = "crates/xtask/roofline_reasons.tsv";

/// Bytes of the memory-bound problems: 1, 16 and 256 MiB.
const BYTES: [f64; 3] = [1048576.0, 16777216.0, 268435456.0];

/// Returns the factors by which a form is larger than the counted one, smallest first. Goals apply to the last two of
/// memory-bound forms, and to the last one of others.
pub fn factors(case: &Case) -> [f64; 3] {
    match (case.ideal, case.growth.work) {
        (Ideal::Memory, _) => BYTES.map(|b| b / case.bytes),
        (_, 1) => [1.0, 16.0, 64.0],
        // Sides, or sequences, of 512, 1,024 and 4,096; of 2, 4 and 16 heads.
        _ => [1.0, 2.0, 8.0],
    }
}

/// Returns the estimates of a form on a GPU.
pub fn estimates(table: &Table, gpu: &Gpu, case: &Case) -> [Estimate; 3] {
    let launches = table.launches(gpu.target, &case.name);
    factors(case).map(|f| estimate(gpu, case, &launches, f))
}

/// Returns the least percentage of the sizes for which a goal applies.
pub fn reached(case: &Case, all: &[Estimate; 3]) -> f64 {
    let first = if case.ideal == Ideal::Memory { 1 } else { 2 };
    all[first..].iter().fold(f64::INFINITY, |least, e| least.min(e.percent))
}

/// Returns the names of the GPUs on which each form misses its goal.
pub fn missed(table: &Table) -> BTreeMap<&str, Vec<&'static str>> {
    let mut all = BTreeMap::new();
    for case in &table.cases {
        let misses = |gpu: &&Gpu| reached(case, &estimates(table, gpu, case)).round() < case.goal;
        let gpus: Vec<&str> = GPUS.iter().filter(misses).map(|g| g.name).collect();
        if !gpus.is_empty() {
            all.insert(case.name.as_str(), gpus);
        }
    }
    all
}

/// A line of the list of reasons.
pub struct Reason {
    pub form: String,
    pub gpus: Vec<String>,
    pub why: String,
}

/// Reads the list of reasons.
pub fn reasons() -> Outcome<Vec<Reason>> {
    parse(&tree::read(&tree::root().join(REASONS))?)
}

fn parse(text: &str) -> Outcome<Vec<Reason>> {
    let line = |l: &str| -> Outcome<Reason> {
        let [form, gpus, why] = l.split('\t').collect::<Vec<_>>()[..] else {
            return Err(format!("{REASONS}: not three columns: {l}").into());
        };
        let gpus = gpus.split(',').map(String::from).collect();
        Ok(Reason { form: form.into(), gpus, why: why.into() })
    };
    text.lines().filter(|l| !l.starts_with('#') && !l.is_empty()).map(line).collect()
}

/// Returns what contradicts the list: a form that misses its goal without a reason, a reason without such a form.
pub fn findings(missed: &BTreeMap<&str, Vec<&str>>, reasons: &[Reason]) -> Vec<String> {
    let mut found = Vec::new();
    for (form, gpus) in missed {
        let listed = |g: &str| reasons.iter().any(|r| r.form == *form && r.gpus.iter().any(|own| own == g));
        let open: Vec<&str> = gpus.iter().copied().filter(|g| !listed(g)).collect();
        if !open.is_empty() {
            found
                .push(format!("{form} misses its goal on {} without a reason in {REASONS}", open.join(", ")));
        }
    }
    for r in reasons {
        let misses = |g: &str| missed.get(r.form.as_str()).is_some_and(|all| all.contains(&g));
        let stale: Vec<&str> = r.gpus.iter().map(String::as_str).filter(|g| !misses(g)).collect();
        if !stale.is_empty() {
            found.push(format!("{REASONS}: {} does not miss its goal on {}", r.form, stale.join(", ")));
        }
        if r.why.trim().len() < 10 {
            found.push(format!("{REASONS}: {} has no reason", r.form));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_miss_needs_a_reason_and_each_reason_a_miss() {
        let missed = BTreeMap::from([("softmax", vec!["MI300X", "H100"])]);
        let find = |text: &str| findings(&missed, &parse(text).unwrap());
        assert_eq!(find("# note\nsoftmax\tMI300X,H100\ttwo waves of eight\n"), Vec::<String>::new());
        let open = find("softmax\tMI300X\ttwo waves of eight\n");
        assert!(open.len() == 1 && open[0].contains("on H100 without a reason"), "{open:?}");
        let stale = find("softmax\tMI300X,H100,MI250X\ttwo waves of eight\nadd\tH100\tit is slow here\n");
        assert!(stale.len() == 2 && stale[0].contains("not miss its goal on MI250X"), "{stale:?}");
        assert!(find("softmax\tMI300X,H100\t?\n")[0].contains("no reason"));
        assert!(find("*\tMI300X,H100\tall of them together\n").len() > 1, "no wildcard");
        assert!(parse("softmax\tMI300X").is_err());
    }

    #[test]
    fn goals_apply_from_16_mib() {
        let e = |percent| Estimate { microseconds: 1.0, percent, bound: super::super::model::Bound::Issue };
        let line = "case\tadd\telementwise\tmemory\t1024\t1048576\t0\t1,1,1\t80";
        let case = Case::parse(line).unwrap();
        assert_eq!(factors(&case), [1.0, 16.0, 256.0]);
        assert_eq!(reached(&case, &[e(1.0), e(70.0), e(90.0)]), 70.0);
        let product = Case {
            ideal: Ideal::F16,
            growth: super::super::counts::Growth { work: 3, bytes: 2, blocks: 2 },
            ..case
        };
        assert_eq!(reached(&product, &[e(1.0), e(20.0), e(60.0)]), 60.0);
    }
}
