//! The results of candle's tests, compared with the expected ones.
use super::Result;
use std::collections::{BTreeMap, BTreeSet};

/// The result of one test file.
pub enum Outcome {
    /// The file does not compile.
    NotCompiled,
    /// The program ran: for each test whether it passed, for each test on the chosen device the number of kernels that it
    /// launched, and the whole output.
    Ran { tests: BTreeMap<String, bool>, launches: BTreeMap<String, u64>, text: String },
}

/// The outcomes of all files.
pub struct Report {
    task: &'static str,
    device: String,
    files: Vec<(&'static str, Outcome, BTreeSet<String>)>,
}

/// Returns the names of the tests that a file runs on the chosen device: the second argument of each `test_device!`.
pub fn device_tests(source: &str) -> BTreeSet<String> {
    let uses = source.split("test_device!(").skip(1);
    let args = uses.filter_map(|u| u.split(')').next());
    args.filter_map(|a| a.split(',').nth(1)).map(|n| n.trim().to_string()).collect()
}

/// Reads `file::test: reason` lines, and `file::test on DEVICE: reason` lines of a device, whose name begins with `DEVICE`.
pub fn parse_exceptions(text: &str, device: &str) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let parts = line.split_once(": ").filter(|(_, reason)| !reason.trim().is_empty());
        let (name, reason) =
            parts.ok_or_else(|| format!("exceptions: '{line}' is not `file::test: reason`"))?;
        let (test, only) = name.split_once(" on ").unwrap_or((name, ""));
        if device.starts_with(only) {
            found.insert(test.to_string(), reason.trim().to_string());
        }
    }
    Ok(found)
}

impl Report {
    pub fn new(task: &'static str, device: &str) -> Self {
        Self { task, device: device.to_string(), files: Vec::new() }
    }

    pub fn add(&mut self, file: &'static str, outcome: Outcome, on_device: BTreeSet<String>) {
        self.files.push((file, outcome, on_device));
    }

    /// Returns every test as (`file::test`, passed).
    fn tests(&self) -> BTreeMap<String, bool> {
        let ran = self.files.iter().filter_map(|(file, outcome, _)| match outcome {
            Outcome::Ran { tests, .. } => Some((file, tests)),
            Outcome::NotCompiled => None,
        });
        ran.flat_map(|(file, tests)| tests.iter().map(move |(t, ok)| (format!("{file}::{t}"), *ok))).collect()
    }

    /// Prints the output of every file with a failure, then the table.
    pub fn print(&self, package: &str) {
        for (file, outcome, _) in &self.files {
            if let Outcome::Ran { tests, text, .. } = outcome
                && tests.values().any(|ok| !ok)
            {
                println!("--- {file} ---\n{text}");
            }
        }
        println!("{package}'s own tests, device {}", self.device);
        let line = |name: &str, n: [String; 5]| {
            println!("{name:<22} {:>6} {:>6}   {:>9} {:>12} {:>9}", n[0], n[1], n[2], n[3], n[4]);
        };
        line("file", ["passed", "failed", "on device", "fixed to CPU", "launches"].map(String::from));
        let mut sum = [0; 5];
        for (file, outcome, on_device) in &self.files {
            let Outcome::Ran { tests, launches, .. } = outcome else {
                println!("{file:<22} not compiled");
                continue;
            };
            let passed = tests.values().filter(|ok| **ok).count();
            let device = tests.keys().filter(|t| on_device.contains(*t)).count();
            let launched = launches.values().sum::<u64>() as usize;
            let row = [passed, tests.len() - passed, device, tests.len() - device, launched];
            line(file, row.map(|n| n.to_string()));
            sum.iter_mut().zip(row).for_each(|(s, r)| *s += r);
        }
        line("all", sum.map(|n| n.to_string()));
    }

    /// Fails unless exactly the excepted tests failed and every expected test ran.
    pub fn check(&self, exceptions: &BTreeMap<String, String>, expected: usize) -> Result<()> {
        let tests = self.tests();
        let mut wrong = Vec::new();
        for (file, outcome, _) in &self.files {
            if matches!(outcome, Outcome::NotCompiled) {
                wrong.push(format!("{file}: does not compile"));
            }
        }
        for (name, ok) in &tests {
            match (ok, exceptions.get(name)) {
                (false, None) => wrong.push(format!("{name} failed")),
                (true, Some(_)) => wrong.push(format!("{name} passed, but is listed as an exception")),
                (false, Some(reason)) => println!("expected failure: {name}: {reason}"),
                (true, None) => {}
            }
        }
        wrong.extend(
            exceptions.keys().filter(|e| !tests.contains_key(*e)).map(|e| format!("no test is called {e}")),
        );
        if tests.len() != expected {
            wrong.push(format!("{} tests were found, candle has {expected}", tests.len()));
        }
        if !wrong.is_empty() {
            return Err(format!("{}:\n  {}", self.task, wrong.join("\n  ")));
        }
        println!("{}: all {} tests have the expected result on {}", self.task, tests.len(), self.device);
        Ok(())
    }

    /// Fails unless every test on the device launched a kernel, except the listed ones, which must launch none.
    pub fn check_launches(&self, no_kernel: &BTreeMap<String, String>) -> Result<()> {
        let (mut wrong, mut proven) = (Vec::new(), 0);
        let mut unseen: BTreeSet<&String> = no_kernel.keys().collect();
        for (file, outcome, on_device) in &self.files {
            let Outcome::Ran { tests, launches, .. } = outcome else { continue };
            for test in on_device.iter().filter(|t| tests.get(*t) == Some(&true)) {
                let name = format!("{file}::{test}");
                unseen.remove(&name);
                match (launches.get(test), no_kernel.contains_key(&name)) {
                    (None, _) => wrong.push(format!("{name} reported no launches")),
                    (Some(0), false) => wrong.push(format!("{name} launched no kernel")),
                    (Some(0), true) => {}
                    (Some(n), true) => {
                        wrong.push(format!("{name} launched {n} kernels, but is listed to launch none"))
                    }
                    (Some(_), false) => proven += 1,
                }
            }
        }
        wrong.extend(unseen.iter().map(|n| format!("{n} is listed to launch no kernel, and did not run")));
        if !wrong.is_empty() {
            return Err(format!("{} on {}:\n  {}", self.task, self.device, wrong.join("\n  ")));
        }
        println!("{proven} tests launched kernels, {} have none to launch", no_kernel.len());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(tests: BTreeMap<String, bool>, launches: &[(&str, u64)]) -> Outcome {
        let launches = launches.iter().map(|(n, l)| (n.to_string(), *l)).collect();
        Outcome::Ran { tests, launches, text: String::new() }
    }

    #[test]
    fn every_test_must_have_launched_a_kernel() {
        let check = |launches: &[(&str, u64)], listed: &str| {
            let mut r = Report::new("candle-tests", "rocm");
            let tests: BTreeMap<String, bool> = ["a", "b", "on_cpu"].map(|n| (n.to_string(), true)).into();
            let on_device = ["a", "b"].map(String::from).into();
            r.add("tensor", ran(tests, launches), on_device);
            r.check_launches(&parse_exceptions(listed, "rocm").unwrap())
        };
        assert_eq!(check(&[("a", 2), ("b", 1)], ""), Ok(()));
        assert_eq!(check(&[("a", 2), ("b", 0)], "tensor::b: empty"), Ok(()));
        for (launches, listed, text) in [
            (&[("a", 2), ("b", 0)][..], "", "tensor::b launched no kernel"),
            (&[("a", 2)], "", "tensor::b reported no launches"),
            (&[("a", 2), ("b", 1)], "tensor::b: empty", "tensor::b launched 1 kernels"),
            (&[("a", 2), ("b", 1)], "tensor::c: empty", "tensor::c is listed"),
        ] {
            let error = check(launches, listed).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
    }

    fn report(tests: &[(&str, bool)]) -> Report {
        let mut r = Report::new("candle-tests", "cpu");
        let tests = tests.iter().map(|(n, ok)| (n.to_string(), *ok)).collect();
        r.add("tensor", ran(tests, &[]), BTreeSet::new());
        r
    }

    #[test]
    fn names_of_device_tests() {
        let found =
            device_tests("test_device!(a, a_cpu, a_gpu, a_metal);\ntest_device!(\n    b,\n    b_cpu,\n);");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a_cpu", "b_cpu"]);
    }

    #[test]
    fn only_listed_failures_are_accepted() {
        let listed =
            parse_exceptions("# note\ntensor::b: candle asserts a defect\ntensor::a on rocm: bits\n", "cpu")
                .unwrap();
        assert!(report(&[("a", true), ("b", false)]).check(&listed, 2).is_ok());
        let errors = [
            (report(&[("a", false), ("b", false)]), "tensor::a failed"),
            (report(&[("a", true), ("b", true)]), "tensor::b passed"),
            (report(&[("a", true), ("c", true)]), "no test is called tensor::b"),
            (report(&[("b", false)]), "1 tests were found, candle has 2"),
        ];
        for (r, text) in errors {
            let got = r.check(&listed, 2).unwrap_err();
            assert!(got.contains(text), "{got}");
        }
        let mut r = report(&[("a", true), ("b", false)]);
        r.add("conv", Outcome::NotCompiled, BTreeSet::new());
        assert!(r.check(&listed, 2).unwrap_err().contains("conv: does not compile"));
        assert!(parse_exceptions("tensor::b", "cpu").is_err());
        let on_rocm = parse_exceptions("tensor::b on rocm: bits", "rocm-gfx90a").unwrap();
        assert_eq!(on_rocm.keys().collect::<Vec<_>>(), ["tensor::b"]);
    }
}
