//! Files of the parity suite's results, `tests/parity/*.json`, in which some ops ran again after the whole run.
use crate::Outcome;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The beginning of a cell's line in a results file.
const CELL: &str = "  [";

/// Returns the cells of a results file by their lines, without commas, and with their ops.
fn lines(text: &str) -> Outcome<Vec<(String, &str)>> {
    let cells = text.lines().filter(|l| l.starts_with(CELL)).map(|l| l.trim_end_matches(','));
    cells
        .map(|line| {
            let cell: Value = serde_json::from_str(line)?;
            Ok((cell[0].as_str().ok_or_else(|| format!("no cell: {line}"))?.to_string(), line))
        })
        .collect()
}

/// Returns the ops of a results file.
pub fn ops(text: &str) -> Outcome<BTreeSet<String>> {
    Ok(lines(text)?.into_iter().map(|(op, _)| op).collect())
}

/// Returns a results file in which the results of `ops` are those of a later run of these ops, `part`. The head says in
/// `renewed` at which commit and when each of them ran.
pub fn renew(whole: &str, part: &str, ops: &[String]) -> Outcome<String> {
    let later: BTreeMap<String, Value> = serde_json::from_str(part)?;
    if later.get("not_begun").is_none_or(|n| n != 0) {
        return Err("a run that renews results was not finished".into());
    }
    let renewed = |op: &String| ops.contains(op);
    let new: Vec<_> = lines(part)?.into_iter().filter(|(op, _)| renewed(op)).collect();
    if let Some(op) = ops.iter().find(|op| !new.iter().any(|(o, _)| o == *op)) {
        return Err(format!("the run has no results of {op}").into());
    }
    let mut cells: Vec<_> = lines(whole)?.into_iter().filter(|(op, _)| !renewed(op)).collect();
    cells.extend(new);
    let mut totals = BTreeMap::new();
    for (_, line) in &cells {
        let cell: Value = serde_json::from_str(line)?;
        for (status, n) in cell[3].as_object().into_iter().flatten() {
            *totals.entry(status.clone()).or_insert(0) += n.as_u64().unwrap_or_default();
        }
    }
    let mut head: BTreeMap<String, Value> = serde_json::from_str(whole)?;
    let mut dates: BTreeMap<String, String> =
        head.remove("renewed").map(serde_json::from_value).transpose()?.unwrap_or_default();
    let word = |name: &str| later.get(name).and_then(Value::as_str).unwrap_or_default();
    dates.extend(ops.iter().map(|op| (op.clone(), format!("{} {}", word("commit"), word("when")))));
    let mut text = String::new();
    for line in whole.lines().take_while(|l| !l.starts_with(" \"cells\"")) {
        if let Some(old) = line.strip_prefix(" \"totals\": ") {
            let mut all: BTreeMap<String, u64> = serde_json::from_str(old.trim_end_matches(','))?;
            all.values_mut().for_each(|n| *n = 0);
            all.extend(totals.clone());
            writeln!(text, " \"renewed\": {},", serde_json::to_string(&dates)?)?;
            writeln!(text, " \"totals\": {},", serde_json::to_string(&all)?)?;
        } else if !line.starts_with(" \"renewed\"") {
            writeln!(text, "{line}")?;
        }
    }
    let cells: Vec<&str> = cells.iter().map(|(_, line)| *line).collect();
    writeln!(text, " \"cells\": [\n{}\n ]\n}}", cells.join(",\n"))?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_run_of_some_ops_replaces_their_cells() {
        let whole = concat!(
            "{\n \"chosen\": \"\",\n \"not_begun\": 0,\n \"totals\": {\"FAIL\": 1, \"PASS\": 9},\n \"cells\": [\n",
            "  [\"add\",\"f32\",\"forward\",{\"PASS\":7}],\n  [\"exp\",\"f32\",\"forward\",{\"PASS\":2,\"FAIL\":1}]\n ]\n}\n"
        );
        let part = concat!(
            "{\n \"chosen\": \"exp\",\n \"not_begun\": 0,\n \"commit\": \"c\",\n \"when\": \"w\",\n \"cells\": [\n",
            "  [\"exp\",\"f32\",\"forward\",{\"PASS\":4}],\n  [\"exp2\",\"f32\",\"forward\",{\"PASS\":5}]\n ]\n}\n"
        );
        let text = renew(whole, part, &["exp".into()]).unwrap();
        let cells: Vec<&str> = lines(&text).unwrap().into_iter().map(|(_, line)| line.trim()).collect();
        assert_eq!(cells, [r#"["add","f32","forward",{"PASS":7}]"#, r#"["exp","f32","forward",{"PASS":4}]"#]);
        let head: BTreeMap<String, Value> = serde_json::from_str(&text).unwrap();
        assert_eq!(head["totals"], serde_json::json!({"FAIL": 0, "PASS": 11}));
        assert_eq!(head["renewed"], serde_json::json!({"exp": "c w"}));
        assert_eq!(renew(&text, part, &["exp".into()]).unwrap(), text);
        let error = renew(whole, part, &["log".into()]).unwrap_err().to_string();
        assert!(error.contains("no results of log"), "{error}");
    }
}
