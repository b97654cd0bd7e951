//! The word list of docs/STYLE.md: dialect and ambiguous words, each with the plain word to use.
//!
//! Comments, doc comments, strings, names of tests and documents are checked. Code, and text in back quotes, is not.

/// Files that are never checked: this list, other people's text, and data.
const SKIPPED: &[&str] = &[
    "crates/xtask/src/words.rs",
    "crates/rushlight-vgpu/tests/vectors/",
    "crates/rushlight/tests/fixtures/",
];

/// One entry of the list.
struct Entry {
    /// Words in lower case; `a|b` stands for either word.
    phrase: &'static str,
    /// Whether the phrase counts only at the beginning of a paragraph.
    opener: bool,
    /// Longer phrases that contain the phrase and are allowed.
    except: &'static [&'static str],
    /// The words to use.
    instead: &'static str,
}

const fn entry(phrase: &'static str, except: &'static [&'static str], instead: &'static str) -> Entry {
    Entry { phrase, opener: false, except, instead }
}

/// The word list. Each of these words also has an ordinary meaning, so that a reader would have to guess which one is
/// meant.
const LIST: &[Entry] = &[
    Entry { phrase: "what", opener: true, except: &[], instead: "begin with a verb, or name the thing" },
    entry("told", &[], "reported, printed, raised, returned, passed"),
    entry(
        "is|are|was|were|be not there",
        &[],
        "is missing, is not supported, is not installed, does not exist",
    ),
    entry("is|are|was|were there", &["is there a"], "exists, is present, is installed"),
    entry(
        "place|places",
        &[
            "in place",
            "out of place",
            "take|takes|took place",
            "last place",
            "last places",
            "decimal place|places",
        ],
        "index, offset, position, element, slot; `instead of` for `in place of`",
    ),
    entry(
        "ids",
        &[
            "process|device|thread|block|user|group|driver ids",
            "process and thread ids",
            "thread and block ids",
        ],
        "indices",
    ),
    entry("so many", &[], "the number, or N"),
    entry("ways", &["both ways"], "methods, variants, directions"),
    entry("of its|their|one's own", &[], "its own X, a separate X, a custom X"),
    entry("in turns", &[], "alternately, one after the other"),
    entry("names no", &[], "does not name"),
    entry("is|are|was|were no", &[], "is not a, is not an (after `there` it is plain)"),
    entry("card|cards", &["graphics card|cards"], "op definition, definition"),
    entry("stand|stands|standing still", &[], "is broadcast, has stride 0"),
    entry("somebody|anybody", &[], "say who: the caller, the user, another process"),
    entry("without a word", &[], "silently"),
    entry("worked out", &[], "computed"),
    entry("synchronise|synchronised|synchronisation", &[], "synchronize (-ize in all words)"),
    entry("initialise|initialised|initialisation", &[], "initialize (-ize in all words)"),
    entry("normalise|normalised|normalisation", &[], "normalize (-ize in all words)"),
    entry("optimise|optimised|optimisation|optimiser", &[], "optimize (-ize in all words)"),
    entry("recognise|recognised", &[], "recognize (-ize in all words)"),
    entry(
        "summarise|summarised|vectorise|vectorises|vectorised",
        &[],
        "summarize, vectorize (-ize in all words)",
    ),
    entry(
        "generalise|specialise|specialised|materialise|materialised|quantise|quantised",
        &[],
        "-ize in all words",
    ),
    // candle's error message names its parameter `indexes`.
    entry("indexes", &["indexes . src"], "indices"),
];

/// The kind of a file, by the ending of its name.
#[derive(Clone, Copy, PartialEq)]
enum Language {
    Rust,
    C,
    Python,
    Toml,
    Markdown,
}

impl Language {
    fn of(file: &str) -> Option<Self> {
        if file.rsplit('/').next() == Some("Makefile") {
            return Some(Self::Toml);
        }
        Some(match file.rsplit_once('.')?.1 {
            "rs" => Self::Rust,
            "h" | "hip" | "c" | "cpp" => Self::C,
            "py" => Self::Python,
            "toml" | "yml" | "yaml" | "sh" => Self::Toml,
            "md" => Self::Markdown,
            _ => return None,
        })
    }
}

/// A word or the end of a sentence (`.`), with its line number.
#[derive(Debug)]
struct Token {
    word: String,
    line: usize,
}

/// A paragraph of prose.
#[derive(Debug, Default)]
struct Block {
    tokens: Vec<Token>,
    /// Whether its first word begins a comment, a docstring or a paragraph.
    opens: bool,
    /// Whether it is the text of a string literal, which counts as prose only if it has several words.
    literal: bool,
}

/// Collects paragraphs from lines of text.
#[derive(Default)]
struct Prose {
    blocks: Vec<Block>,
    quoted: bool,
}

impl Prose {
    fn begin(&mut self, opens: bool, literal: bool) {
        self.quoted = false;
        self.blocks.push(Block { opens, literal, ..Block::default() });
    }

    fn line(&mut self, text: &str, line: usize) {
        if text.trim().is_empty() {
            let literal = self.blocks.last().is_some_and(|b| b.literal);
            let opens = self.blocks.last().is_some_and(|b| b.opens);
            self.begin(opens, literal);
            return;
        }
        if self.blocks.is_empty() {
            self.begin(true, false);
        }
        let Some(block) = self.blocks.last_mut() else { return };
        let mut word = String::new();
        for c in text.chars().chain([' ']) {
            if c == '`' {
                self.quoted = !self.quoted;
            }
            if !self.quoted && (c.is_alphanumeric() || matches!(c, '_' | '\'' | '-')) {
                word.extend(c.to_lowercase());
                continue;
            }
            let whole = word.trim_matches(['-', '\'']);
            if !whole.is_empty() {
                block.tokens.push(Token { word: whole.to_string(), line });
            }
            word.clear();
            if matches!(c, '.' | ';' | ':' | '!' | '?' | '(' | ')' | '|' | '`' | ',') {
                block.tokens.push(Token { word: ".".into(), line });
            }
        }
    }
}

/// Returns the prose of a file.
fn prose(language: Language, text: &str) -> Vec<Block> {
    let mut out = Prose::default();
    if language == Language::Markdown {
        markdown(text, &mut out);
    } else {
        source(language, text, &mut out);
        test_names(language, text, &mut out);
    }
    out.blocks
}

fn markdown(text: &str, out: &mut Prose) {
    let mut fenced = false;
    for (i, line) in text.lines().enumerate() {
        let plain = line.trim();
        if plain.starts_with("```") {
            fenced = !fenced;
        }
        let list = plain.starts_with("- ") || plain.starts_with("* ");
        if fenced || plain.starts_with("```") {
            out.line("", i + 1);
        } else if plain.starts_with('#') {
            out.begin(false, false);
            out.line(plain, i + 1);
            out.begin(true, false);
        } else {
            if list || plain.starts_with('|') {
                out.begin(list, false);
            }
            // Skips the target of a link, which is not prose.
            let mut rest = line;
            let mut shown = String::new();
            while let Some((before, after)) = rest.split_once("](") {
                shown.push_str(before);
                rest = after.split_once(')').map_or("", |x| x.1);
            }
            shown.push_str(rest);
            out.line(if plain.is_empty() { "" } else { &shown }, i + 1);
        }
    }
}

/// Collects the comments and strings of a source file.
fn source(language: Language, text: &str, out: &mut Prose) {
    let c: Vec<char> = text.chars().collect();
    let hash = matches!(language, Language::Python | Language::Toml);
    let (mut i, mut line, mut comment_line) = (0, 1, 0);
    let starts = |i: usize, s: &str| s.chars().enumerate().all(|(k, x)| c.get(i + k) == Some(&x));
    while i < c.len() {
        if c[i] == '\n' {
            line += 1;
            i += 1;
        } else if (hash && c[i] == '#') || (!hash && starts(i, "//")) {
            let end = (i..c.len()).find(|&k| c[k] == '\n').unwrap_or(c.len());
            let comment: String = c[i..end].iter().collect();
            let comment = comment.trim_start_matches(['/', '!', '#']);
            if comment_line + 1 != line {
                out.begin(true, false);
            }
            comment_line = line;
            out.line(comment, line);
            i = end;
        } else if !hash && starts(i, "/*") {
            out.begin(true, false);
            let end = (i..c.len()).find(|&k| starts(k, "*/")).unwrap_or(c.len());
            let comment: String = c[i..end].iter().collect();
            for (k, l) in comment.lines().enumerate() {
                out.line(l.trim_start_matches(['/', '*', ' ']), line + k);
            }
            line += comment.matches('\n').count();
            i = end;
        } else if c[i] == '\'' && language != Language::Python && language != Language::Toml {
            // A quote begins a character literal or a lifetime.
            i += match (c.get(i + 1), c.get(i + 2)) {
                (Some('\\'), _) => (i + 3..c.len()).find(|&k| c[k] == '\'').map_or(1, |k| k + 1 - i),
                (_, Some('\'')) => 3,
                _ => 1,
            };
        } else if c[i] == '"' || (hash && c[i] == '\'') {
            let hashes = c[..i].iter().rev().take_while(|x| **x == '#').count();
            let raw = language == Language::Rust && i > hashes && c[i - 1 - hashes] == 'r';
            let triple = hash && c.get(i + 1) == Some(&c[i]) && c.get(i + 2) == Some(&c[i]);
            let close: String = match (raw, triple) {
                (true, _) => std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect(),
                (_, true) => std::iter::repeat_n(c[i], 3).collect(),
                _ => c[i].to_string(),
            };
            let mut k = i + if triple { 3 } else { 1 };
            let begin = k;
            while k < c.len() && !starts(k, &close) {
                k += if c[k] == '\\' && !raw { 2 } else { 1 };
            }
            let string: String = c[begin.min(c.len())..k.min(c.len())].iter().collect();
            out.begin(triple, true);
            for (n, l) in string.split('\n').enumerate() {
                out.line(l, line + n);
            }
            line += string.matches('\n').count();
            i = k + close.chars().count();
        } else {
            i += 1;
        }
    }
}

/// Collects the names of tests as prose.
fn test_names(language: Language, text: &str, out: &mut Prose) {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for (i, line) in lines.iter().enumerate() {
        let name = match language {
            Language::Rust if lines[i.saturating_sub(3)..i].iter().any(|l| l.starts_with("#[test]")) => {
                line.strip_prefix("fn ")
            }
            Language::Python => line.strip_prefix("def test_"),
            _ => None,
        };
        if let Some((name, _)) = name.and_then(|n| n.split_once('(')) {
            out.begin(true, false);
            out.line(&name.replace('_', " "), i + 1);
        }
    }
}

/// Returns the number of tokens that a phrase covers from `at` on; `None` if it does not match there.
fn matches(phrase: &str, tokens: &[Token], at: usize) -> Option<usize> {
    let mut n = 0;
    for alternatives in phrase.split(' ') {
        let token = tokens.get(at + n)?;
        if !alternatives.split('|').any(|w| w == token.word) {
            return None;
        }
        n += 1;
    }
    Some(n)
}

/// Returns whether one of the exceptions covers the tokens `at..at + n`.
fn excepted(entry: &Entry, tokens: &[Token], at: usize, n: usize) -> bool {
    let covers = |phrase: &str| {
        (0..=at).rev().take(5).any(|from| matches(phrase, tokens, from).is_some_and(|m| from + m >= at + n))
    };
    let there = entry.phrase.ends_with(" no") && at > 0 && tokens[at - 1].word == "there";
    let longer = entry.phrase.ends_with(" no")
        && tokens.get(at + n).is_some_and(|t| matches!(t.word.as_str(), "longer" | "more" | "less"));
    there || longer || entry.except.iter().any(|e| covers(e))
}

/// Returns the findings in a file's text: line, the words found, the words to use.
fn find(file: &str, text: &str) -> Vec<(usize, String, &'static str)> {
    let Some(language) = Language::of(file) else { return Vec::new() };
    if SKIPPED.iter().any(|s| file.contains(s)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for block in prose(language, text) {
        let words = block.tokens.iter().filter(|t| t.word != ".").count();
        if block.literal && words < 2 {
            continue;
        }
        for entry in LIST {
            let starts = if entry.opener { 1 } else { block.tokens.len() };
            for at in 0..starts.min(block.tokens.len()) {
                let Some(n) = matches(entry.phrase, &block.tokens, at) else { continue };
                if (entry.opener && !block.opens) || excepted(entry, &block.tokens, at, n) {
                    continue;
                }
                let words: Vec<&str> = block.tokens[at..at + n].iter().map(|t| t.word.as_str()).collect();
                found.push((block.tokens[at].line, words.join(" "), entry.instead));
            }
        }
    }
    found.sort();
    found
}

fn message(file: &str, (line, words, instead): (usize, String, &str)) -> String {
    format!("{file}:{line}: \"{words}\": write {instead} (docs/STYLE.md)")
}

/// Adds the findings in a file to `found`.
pub fn check(file: &str, text: &str, found: &mut Vec<String>) {
    found.extend(find(file, text).into_iter().map(|f| message(file, f)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(file: &str, text: &str) -> Vec<String> {
        find(file, text).into_iter().map(|f| f.1).collect()
    }

    #[test]
    fn every_entry_finds_its_words_in_a_comment() {
        for entry in LIST {
            for choice in 0..4 {
                let pick = |word: &str| {
                    let all: Vec<&str> = word.split('|').collect();
                    all[choice.min(all.len() - 1)].to_string()
                };
                let phrase: Vec<String> = entry.phrase.split(' ').map(pick).collect();
                let text = format!("// {} x\n", phrase.join(" "));
                assert!(words("a.rs", &text).contains(&phrase.join(" ")), "{text}");
            }
        }
    }

    #[test]
    fn exceptions_are_plain_english() {
        for entry in LIST {
            for except in entry.except {
                let plain: Vec<&str> = except.split(' ').map(|w| w.split('|').next().unwrap_or(w)).collect();
                let text = format!("// It {} then\n", plain.join(" "));
                assert_eq!(words("a.rs", &text), [""; 0], "{text}");
            }
        }
        assert_eq!(words("a.rs", "// There is no device, and it is no longer used.\n"), [""; 0]);
    }

    #[test]
    fn comments_strings_and_test_names_are_prose_and_code_is_not() {
        let text = "/// What x is.\nfn places() { let told = \"it was told so\"; }\n";
        assert_eq!(words("a.rs", text), ["what", "told"]);
        assert_eq!(words("a.rs", "#[test]\nfn places_are_kept() {}\n"), ["places"]);
        assert_eq!(words("a.rs", "fn places_are_kept() {}\n"), [""; 0]);
        assert_eq!(words("a.rs", "// `told` in back quotes\nlet a = '\"'; let b = \"place\";\n"), [""; 0]);
        assert_eq!(words("a.rs", "let a = r#\"a \" place\"#; // told\n"), ["place", "told"]);
        assert_eq!(
            words("a.py", "def test_what_is_told():\n    \"\"\"What x is.\n\n    It is told.\"\"\"\n").len(),
            4
        );
        assert_eq!(words("a.h", "/* what is\n * told */ int place;\n"), ["what", "told"]);
        assert_eq!(words("a.toml", "# told\nplace = \"the place\"\n"), ["told", "place"]);
        assert_eq!(words("Makefile", "# told\n"), ["told"]);
        assert_eq!(words(".github/a.yml", "name: a # told\n"), ["told"]);
    }

    #[test]
    fn a_phrase_may_span_lines_but_not_sentences() {
        assert_eq!(words("a.rs", "// of its\n// own\n"), ["of its own"]);
        assert_eq!(words("a.rs", "// so. Many\n// So it is. There\n"), [""; 0]);
        assert_eq!(words("a.rs", "// Only inside a sentence: what it is\n"), [""; 0]);
    }

    #[test]
    fn documents_are_checked_outside_of_code() {
        let text = "# What works\n\ntold `told`\n\n```\ntold\n```\n\n- What is it\n- [x](told/places.md)\n";
        assert_eq!(words("a.md", text), ["told", "what"]);
    }

    #[test]
    fn findings_name_file_line_and_remedy() {
        let mut found = Vec::new();
        check("docs/STYLE.md", "a\ntold\n", &mut found);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("docs/STYLE.md:2: \"told\": write reported"), "{found:?}");
        // New folders are checked without being listed.
        check("new/folder/a.rs", "// told\n", &mut found);
        assert_eq!(found.len(), 2);
    }
}
