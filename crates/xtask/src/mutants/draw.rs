//! Wrong kernels drawn at random: a mutation operator changes one position of one file of `hip/`. A seed draws the same
//! wrong kernels as long as the sources are the same.
use rushlight_parity::sweep::Rng;

/// A mutation operator: its name, and the changes that it makes to a line of code.
pub struct Operator {
    pub name: &'static str,
    changes: fn(&str) -> Vec<Change>,
}

/// Bytes from..to of a line, and what replaces them.
type Change = (usize, usize, String);

/// One changed position.
#[derive(Debug, Clone, PartialEq)]
pub struct Site {
    pub file: String,
    /// Line number, from 0.
    pub line: usize,
    pub operator: &'static str,
    pub before: String,
    pub after: String,
}

/// Returns each occurrence of a text, replaced.
fn each(line: &str, from: &str, to: &str) -> Vec<Change> {
    line.match_indices(from).map(|(at, _)| (at, at + from.len(), to.to_string())).collect()
}

/// Returns each occurrence of either text of some pairs, replaced by the other text.
fn swaps(line: &str, pairs: &[(&str, &str)]) -> Vec<Change> {
    pairs.iter().flat_map(|(a, b)| [each(line, a, b), each(line, b, a)].concat()).collect()
}

fn word(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// Returns each occurrence of a name that is not part of a longer one.
fn names(line: &str, from: &str, to: &str) -> Vec<Change> {
    let alone =
        |at: &usize, end: usize| !word(line[..*at].chars().next_back()) && !word(line[end..].chars().next());
    each(line, from, to).into_iter().filter(|(at, end, _)| alone(at, *end)).collect()
}

/// Returns the brackets that open at a byte, with their content.
fn closed(line: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (i, c) in line[open..].char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return Some(open + i);
        }
    }
    None
}

/// Returns the ranges of the conditions of `if`.
fn conditions(line: &str) -> Vec<(usize, usize)> {
    let opens = line.match_indices("if (").map(|(at, _)| at + 3);
    opens.filter_map(|open| Some((open + 1, closed(line, open)?))).collect()
}

fn comparisons(line: &str) -> Vec<Change> {
    if line.contains("template") {
        return Vec::new();
    }
    [swaps(line, &[(" < ", " <= "), (" > ", " >= ")]), each(line, " == ", " != ")].concat()
}

fn constants(line: &str) -> Vec<Change> {
    let mut found = Vec::new();
    let bytes = line.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        let start = i;
        while i < bytes.len() && bytes[i].is_ascii_digit() {
            i += 1;
        }
        if i == start {
            i += 1;
            continue;
        }
        let part = word(line[..start].chars().next_back()) || line[..start].ends_with('.');
        let more = line[i..].starts_with(['.', 'x', 'e'])
            || line[i..].starts_with(|c: char| c.is_alphabetic() && c != 'u');
        if !part
            && !more
            && let Ok(n) = line[start..i].parse::<u64>()
        {
            found.push((start, i, (n + 1).to_string()));
        }
    }
    found
}

fn subscripts(line: &str) -> Vec<Change> {
    ["d", "i", "k", "j"].iter().flat_map(|x| each(line, &format!("[{x}]"), "[0]")).collect()
}

/// Returns each call with two simple arguments, with the arguments exchanged.
fn arguments(line: &str) -> Vec<Change> {
    let mut found = Vec::new();
    for (open, _) in line.match_indices('(') {
        let call = word(line[..open].chars().next_back());
        let Some(close) = closed(line, open).filter(|_| call) else { continue };
        let parts: Vec<&str> = line[open + 1..close].split(", ").collect();
        let plain = |p: &&str| !p.is_empty() && p.chars().all(|c| c.is_alphanumeric() || "_.[]".contains(c));
        if let [a, b] = parts[..]
            && plain(&a)
            && plain(&b)
            && a != b
        {
            found.push((open + 1, close, format!("{b}, {a}")));
        }
    }
    found
}

/// THE list of operators.
pub const OPERATORS: &[Operator] = &[
    Operator { name: "comparison", changes: comparisons },
    Operator { name: "sum and difference", changes: |l| swaps(l, &[(" + ", " - ")]) },
    Operator { name: "product for a sum", changes: |l| swaps(l, &[(" * ", " + ")]) },
    Operator { name: "quotient", changes: |l| [each(l, " / ", " * "), each(l, " % ", " / ")].concat() },
    Operator { name: "and, or", changes: |l| swaps(l, &[(" && ", " || ")]) },
    Operator { name: "constant", changes: constants },
    Operator { name: "wrong stride or element", changes: subscripts },
    Operator { name: "lost barrier", changes: |l| each(l, "sync();", ";") },
    Operator { name: "swapped operands", changes: arguments },
    Operator { name: "lost sum", changes: |l| [each(l, " += ", " = "), each(l, " -= ", " += ")].concat() },
    Operator {
        name: "narrow accumulation",
        changes: |l| [each(l, "(A)", "(T)"), each(l, "(C)", "(T)"), names(l, "acc_t<T>", "T")].concat(),
    },
    Operator {
        name: "wave size",
        changes: |l| {
            [names(l, "32", "(int)warpSize"), names(l, "32u", "64u"), names(l, "LANES", "64")].concat()
        },
    },
    Operator {
        name: "dropped bound",
        changes: |l| conditions(l).into_iter().map(|(a, b)| (a, b, "true".to_string())).collect(),
    },
    Operator {
        name: "negated condition",
        changes: |l| conditions(l).into_iter().map(|(a, b)| (a, b, format!("!({})", &l[a..b]))).collect(),
    },
    Operator {
        name: "NaN dropped",
        changes: |l| {
            l.match_indices("is_nan(")
                .filter_map(|(at, _)| Some((at, closed(l, at + 6)? + 1, "false".to_string())))
                .collect()
        },
    },
    Operator { name: "shift", changes: |l| swaps(l, &[(" >> ", " << "), (" & ", " | ")]) },
    Operator { name: "flag", changes: |l| [names(l, "true", "false"), names(l, "false", "true")].concat() },
    Operator {
        name: "sign",
        changes: |l| [each(l, "return -", "return "), each(l, "(-", "("), each(l, "? -", "? ")].concat(),
    },
];

/// Returns whether a line contains code that runs, and is not a comment, a directive or a declaration.
fn runs(line: &str) -> bool {
    let code = line.trim_start();
    let not =
        ["//", "#", "template", "struct", "using", "namespace", "static_assert", "}", "RL_SIZE", "union"];
    !code.is_empty() && not.iter().all(|n| !code.starts_with(n)) && !code.contains("static_assert")
}

/// Returns every position where an operator can change a file.
fn sites(file: &str, text: &str) -> Vec<Site> {
    let mut all = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.split(" //").next().unwrap_or_default();
        if !runs(line) {
            continue;
        }
        for operator in OPERATORS {
            for (from, to, with) in (operator.changes)(code) {
                let after = format!("{}{with}{}", &code[..from], &line[to..]);
                let before = line.to_string();
                if after != before {
                    let name = operator.name;
                    all.push(Site { file: file.to_string(), line: number, operator: name, before, after });
                }
            }
        }
    }
    all
}

/// Returns all positions in a random order: files alternate, and within a file the operator drawn least often comes next.
pub fn draw(files: &[(String, String)], seed: u64) -> Vec<Site> {
    let mut rng = Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x6D75_7461_6E74);
    let mut left: Vec<Vec<Site>> = files.iter().map(|(file, text)| sites(file, text)).collect();
    let mut used = vec![0usize; OPERATORS.len()];
    let mut all = Vec::new();
    let index = |name: &str| OPERATORS.iter().position(|o| o.name == name).unwrap_or(0);
    while left.iter().any(|l| !l.is_empty()) {
        let turn: Vec<usize> = rng.permutation(left.len());
        for file in turn {
            let Some(fewest) = left[file].iter().map(|s| used[index(s.operator)]).min() else { continue };
            let may: Vec<usize> =
                (0..left[file].len()).filter(|i| used[index(left[file][*i].operator)] == fewest).collect();
            let i = may[(rng.next() % may.len() as u64) as usize];
            let site = left[file].swap_remove(i);
            used[index(site.operator)] += 1;
            all.push(site);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(operator: &str, line: &str) -> Vec<String> {
        sites("f", line).into_iter().filter(|s| s.operator == operator).map(|s| s.after).collect()
    }

    #[test]
    fn operators_change_what_they_say() {
        assert!(OPERATORS.len() >= 12);
        assert_eq!(of("comparison", "for (u32 i = 0; i < n; i++) {"), ["for (u32 i = 0; i <= n; i++) {"]);
        assert_eq!(of("comparison", "template <class A> bool f(A a) { return a < 0; }"), [""; 0]);
        assert_eq!(
            of("constant", "x = 3 + y2 + 0x7f + 1.5 + 10u; // 4"),
            ["x = 4 + y2 + 0x7f + 1.5 + 10u; // 4", "x = 3 + y2 + 0x7f + 1.5 + 11u; // 4"]
        );
        assert_eq!(of("dropped bound", "if (at(i) < n) put(i);"), ["if (true) put(i);"]);
        assert_eq!(of("swapped operands", "v = join(a, b[0]);"), ["v = join(b[0], a);"]);
        assert_eq!(of("NaN dropped", "if (is_nan(a) || is_nan(b)) return a;").len(), 2);
        assert_eq!(of("lost barrier", "    sync();"), ["    ;"]);
        assert!(sites("f", "// x < y\n#pragma unroll 4\nstatic_assert(sizeof(x) == 4);").is_empty());
    }

    #[test]
    fn a_seed_gives_the_same_positions_of_every_file() {
        let files: Vec<(String, String)> = ["a", "b", "c"]
            .iter()
            .map(|f| (f.to_string(), "x = a + b;\nif (x < 3) y += x;\n".to_string()))
            .collect();
        let drawn = draw(&files, 1);
        assert_eq!(drawn, draw(&files, 1));
        assert!(drawn != draw(&files, 2));
        let first: std::collections::BTreeSet<&str> = drawn.iter().take(3).map(|s| s.file.as_str()).collect();
        assert_eq!(first.len(), 3, "each file in turn");
    }
}
