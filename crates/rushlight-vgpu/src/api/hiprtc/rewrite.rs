//! Rewrites HIP to C++: takes preprocessed text, replaces the markers that the prelude's `__global__`, `__shared__`
//! and `__launch_bounds__` leave, and finds the kernels. Other text and line markers do not change, so that the
//! compiler's messages name the user's lines.

/// A kernel definition.
#[derive(Debug, PartialEq)]
pub(crate) struct Found {
    /// The name with namespaces, and with template arguments for an explicit instantiation.
    pub name: String,
    /// The first argument of `__launch_bounds__`.
    pub bounds: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Rewritten {
    pub text: String,
    pub kernels: Vec<Found>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Word,
    Other,
}

#[derive(Clone, Copy, Debug)]
struct Token {
    kind: Kind,
    at: usize,
    end: usize,
}

/// Splits text into words, literals and single characters, without white space, comments and line markers.
fn tokens(text: &str) -> Vec<Token> {
    let b = text.as_bytes();
    let word = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c >= 0x80;
    let mut out = Vec::new();
    let (mut i, mut line_start) = (0, true);
    while i < b.len() {
        let c = b[i];
        if c == b'\n' {
            line_start = true;
            i += 1;
            continue;
        }
        if c.is_ascii_whitespace() {
            i += 1;
            continue;
        }
        if c == b'#' && line_start {
            while i < b.len() && b[i] != b'\n' {
                i += 1;
            }
            continue;
        }
        line_start = false;
        let at = i;
        let kind = if word(c) {
            while i < b.len() && word(b[i]) {
                i += 1;
            }
            // R"tag( .. )tag"
            if b.get(i) == Some(&b'"') && text[at..i].ends_with('R') {
                let open = text[i..].find('(').map_or(b.len(), |n| i + n);
                let close = format!("){}\"", &text[(i + 1).min(open)..open]);
                i = text[open..].find(&close).map_or(b.len(), |n| open + n + close.len());
            } else if b[at].is_ascii_digit() {
                // 1'000 and 1.5e+3 are one number; its parts do not matter here.
                while i < b.len() && (word(b[i]) || b[i] == b'.' || b[i] == b'\'') {
                    i += 1;
                }
            }
            Kind::Word
        } else if c == b'"' || c == b'\'' {
            i += 1;
            while i < b.len() && b[i] != c && b[i] != b'\n' {
                i += if b[i] == b'\\' { 2 } else { 1 };
            }
            i += 1;
            Kind::Other
        } else {
            i += 1;
            Kind::Other
        };
        i = i.min(b.len());
        out.push(Token { kind, at, end: i });
    }
    out
}

/// The construct that a brace opens.
#[derive(PartialEq)]
enum Scope {
    Namespace(String),
    /// `extern "C" {`: names inside belong to the outer scope.
    Linkage,
    Body,
}

struct Rewriter<'a> {
    text: &'a str,
    /// Whether inline assembly is NVIDIA's.
    cuda: bool,
    tokens: Vec<Token>,
    edits: Vec<(usize, usize, String)>,
    scopes: Vec<Scope>,
    kernels: Vec<Found>,
}

/// Rewrites preprocessed text, of CUDA if `cuda` is set.
pub(crate) fn rewrite(text: &str, cuda: bool) -> Result<Rewritten, String> {
    let tokens = tokens(text);
    let mut r = Rewriter { text, cuda, tokens, edits: Vec::new(), scopes: Vec::new(), kernels: Vec::new() };
    r.scan()?;
    r.edits.sort_by_key(|e| e.0);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (from, to, new) in &r.edits {
        out.push_str(&text[at..*from]);
        out.push_str(new);
        at = *to;
    }
    out.push_str(&text[at..]);
    Ok(Rewritten { text: out, kernels: r.kernels })
}

impl Rewriter<'_> {
    fn word(&self, i: usize) -> &str {
        self.tokens.get(i).map_or("", |t| &self.text[t.at..t.end])
    }

    fn is_name(&self, i: usize) -> bool {
        self.tokens
            .get(i)
            .is_some_and(|t| t.kind == Kind::Word && !self.text.as_bytes()[t.at].is_ascii_digit())
    }

    /// Returns the token after the bracket that closes the one at `i`.
    fn behind(&self, i: usize) -> usize {
        let (open, close) = match self.word(i) {
            "(" => ("(", ")"),
            "[" => ("[", "]"),
            "{" => ("{", "}"),
            _ => ("<", ">"),
        };
        let mut depth = 0;
        for j in i..self.tokens.len() {
            let w = self.word(j);
            if w == open {
                depth += 1;
            } else if w == close {
                depth -= 1;
                if depth == 0 {
                    return j + 1;
                }
            } else if open == "<" && w == "(" {
                // `<` in parentheses is a comparison; such template arguments are rare enough to be skipped.
                continue;
            }
        }
        self.tokens.len()
    }

    fn cut(&mut self, from: usize, to: usize, new: &str) {
        let (at, end) = (self.tokens[from].at, self.tokens[to - 1].end);
        self.edits.push((at, end, new.to_string()));
    }

    fn slice(&self, from: usize, to: usize) -> String {
        if from >= to {
            String::new()
        } else {
            self.text[self.tokens[from].at..self.tokens[to - 1].end].to_string()
        }
    }

    fn scan(&mut self) -> Result<(), String> {
        // The first token of the current declaration.
        let mut start = 0;
        let mut i = 0;
        while i < self.tokens.len() {
            let next = match self.word(i) {
                "{" => {
                    let scope = self.scope(start, i);
                    self.scopes.push(scope);
                    start = i + 1;
                    i + 1
                }
                "}" => {
                    self.scopes.pop();
                    start = i + 1;
                    i + 1
                }
                ";" => {
                    start = i + 1;
                    i + 1
                }
                "__rlv_global__" => self.kernel(start, i)?,
                "__rlv_shared__" => self.shared(start, i)?,
                "asm" if self.cuda => self.instruction(i)?,
                "__rlv_launch_bounds__" => {
                    // Before `__global__`, or on something other than a kernel.
                    let end = self.behind(i + 1);
                    self.cut(i, end, "");
                    end
                }
                _ => i + 1,
            };
            i = next;
        }
        Ok(())
    }

    /// Returns the construct that the brace at `i` opens, from the tokens since `start`.
    fn scope(&self, start: usize, i: usize) -> Scope {
        if i >= 2 && self.word(i - 2) == "extern" && self.word(i - 1).starts_with('"') {
            return Scope::Linkage;
        }
        let Some(at) = (start..i).find(|j| self.word(*j) == "namespace") else { return Scope::Body };
        let name = (at + 1..i).filter(|j| self.is_name(*j) && self.word(*j) != "inline");
        let name: Vec<&str> = name.map(|j| self.word(j)).collect();
        Scope::Namespace(name.join("::"))
    }

    /// Handles a declaration with `__global__` at `i`; returns the next token to read.
    fn kernel(&mut self, start: usize, i: usize) -> Result<usize, String> {
        self.cut(i, i + 1, "__attribute__((used))");
        let mut bounds = None;
        for j in start..i {
            if self.word(j) == "__rlv_launch_bounds__" {
                bounds = Some(self.first_argument(j + 1));
            }
        }
        let mut j = i + 1;
        let name_at = loop {
            match self.word(j) {
                "" | ";" | "{" => return Ok(j),
                "__attribute__" | "alignas" | "decltype" | "__declspec" => j = self.behind(j + 1),
                "__rlv_launch_bounds__" => {
                    bounds = Some(self.first_argument(j + 1));
                    let end = self.behind(j + 1);
                    self.cut(j, end, "");
                    j = end;
                }
                "__rlv_global__" => {
                    self.cut(j, j + 1, "");
                    j += 1;
                }
                _ if self.is_name(j) && self.word(j + 1) == "(" => break j,
                // An explicit instantiation or specialization: name<..>(
                _ if self.is_name(j) && self.word(j + 1) == "<" && self.word(self.behind(j + 1)) == "(" => {
                    break j;
                }
                _ => j += 1,
            }
        };
        let arguments = if self.word(name_at + 1) == "<" { self.behind(name_at + 1) } else { name_at + 1 };
        let behind = self.behind(arguments);
        let open = (start..i).find(|j| self.word(*j) == "template").map(|j| self.slice(j + 1, j + 3));
        let (template, instance) = match open.as_deref().map(|s| s.replace(char::is_whitespace, "")) {
            // `template <>` specializes, `template` alone instantiates.
            Some(s) => (s.starts_with('<') && s != "<>", !s.starts_with('<')),
            None => (false, false),
        };
        let defined = self.word(behind) == "{" || instance;
        if defined && !template {
            let mut name = String::new();
            for s in &self.scopes {
                if let Scope::Namespace(n) = s
                    && !n.is_empty()
                {
                    name.push_str(n);
                    name.push_str("::");
                }
            }
            name.push_str(&self.slice(name_at, arguments));
            if instance {
                // `used` has no meaning on an instantiation.
                self.edits.iter_mut().filter(|e| e.0 == self.tokens[i].at).for_each(|e| e.2.clear());
            }
            if self.kernels.iter().all(|k| k.name != name) {
                self.kernels.push(Found { name, bounds });
            }
        } else {
            self.edits.iter_mut().filter(|e| e.0 == self.tokens[i].at).for_each(|e| e.2.clear());
        }
        Ok(arguments)
    }

    /// Replaces `asm("cvt.f32.f16 %0, %1;" : "=f"(to) : "h"(from))`, one instruction with one result, by a call of
    /// the prelude's `__rlv_ptx_cvt_f32_f16`; returns the next token to read.
    fn instruction(&mut self, i: usize) -> Result<usize, String> {
        let open = i + 1 + usize::from(self.word(i + 1) == "volatile");
        let end = self.behind(open);
        let whole = self.slice(i, end);
        let unknown = || format!("`{whole}`: the virtual GPU does not support this inline assembly");
        let text = self.word(open + 1).trim_matches('"');
        let name = text.split(' ').next().filter(|n| n.contains('.') && text.ends_with(';'));
        let name = name.ok_or_else(unknown)?.replace('.', "_");
        // After each colon: constraints, each with an expression in parentheses.
        let (mut operands, mut at) = ([Vec::new(), Vec::new()], open + 2);
        for (part, list) in operands.iter_mut().enumerate() {
            if self.word(at) != ":" {
                return Err(unknown());
            }
            at += 1;
            while self.word(at).starts_with('"') && self.word(at + 1) == "(" {
                let behind = self.behind(at + 1);
                if self.word(at).starts_with("\"=") != (part == 0) {
                    return Err(unknown());
                }
                list.push(self.slice(at + 1, behind));
                at = behind + usize::from(self.word(behind) == ",");
            }
        }
        let [to, from] = operands;
        if to.len() != 1 || at != end - 1 {
            return Err(unknown());
        }
        self.cut(i, end, &format!("{} = __rlv_ptx_{name}({})", to[0], from.join(", ")));
        Ok(end)
    }

    /// Returns the text of the first of several arguments.
    fn first_argument(&self, open: usize) -> String {
        let end = self.behind(open);
        let mut depth = 0;
        for j in open + 1..end.saturating_sub(1) {
            match self.word(j) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                "," if depth == 0 => return self.slice(open + 1, j),
                _ => {}
            }
        }
        self.slice(open + 1, end.saturating_sub(1))
    }

    /// Rewrites a variable in LDS; returns the next token to read.
    fn shared(&mut self, start: usize, i: usize) -> Result<usize, String> {
        let end =
            (i..self.tokens.len()).find(|j| self.word(*j) == ";").ok_or("`__shared__` without a `;`")?;
        if let Some(at) = (start..i).rev().find(|j| self.word(*j) == "extern") {
            return self.dynamic(at, i, end);
        }
        // The threads of a block run on one host thread, which runs one block at a time.
        if let Some(at) = (start..end).find(|j| self.word(*j) == "static") {
            self.cut(at, at + 1, "");
        }
        self.cut(i, i + 1, "");
        // alignas must precede the storage class.
        let mut at = i + 1;
        while self.word(at) == "alignas" {
            at = self.behind(at + 1);
        }
        let offset = self.tokens[at].at;
        self.edits.push((offset, offset, "static thread_local ".into()));
        Ok(at)
    }

    /// Rewrites `extern __shared__ T name[];`, whose size is set by the launch.
    fn dynamic(&mut self, at: usize, i: usize, end: usize) -> Result<usize, String> {
        let open = (i..end).rev().find(|j| self.word(*j) == "[");
        let Some(open) = open.filter(|o| self.is_name(o - 1) && *o > i + 1) else {
            return Err(format!("`{}`: only an array may be `extern __shared__`", self.slice(at, end)));
        };
        let name = self.word(open - 1).to_string();
        let mut kind = self.slice(at + 1, i);
        let mut j = i + 1;
        while j < open - 1 {
            if matches!(self.word(j), "__attribute__" | "alignas") {
                j = self.behind(j + 1);
            } else {
                kind.push(' ');
                kind.push_str(self.word(j));
                j += 1;
            }
        }
        let body = self.scopes.contains(&Scope::Body);
        let new = if body {
            format!("{kind}* const {name} = ({kind}*)__rlv_dyn_lds()")
        } else {
            format!("static __rlv_dyn<{kind}> {name}")
        };
        self.cut(at, end, &new);
        Ok(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(String, Option<String>)> {
        let r = rewrite(text, false).expect("rewrites");
        assert!(
            !r.text.contains("__rlv_global__") && !r.text.contains("__rlv_launch_bounds__"),
            "{}",
            r.text
        );
        r.kernels.into_iter().map(|k| (k.name, k.bounds)).collect()
    }
    fn one(name: &str, bounds: Option<&str>) -> Vec<(String, Option<String>)> {
        vec![(name.into(), bounds.map(str::to_string))]
    }

    #[test]
    fn kernels_are_found() {
        assert_eq!(names("extern \"C\" __rlv_global__ void k(int* a) { }"), one("k", None));
        let bounds = "__rlv_launch_bounds__(64 * (1, 2), 4)";
        assert_eq!(names(&format!("__rlv_global__ void {bounds} k() {{}}")), one("k", Some("64 * (1, 2)")));
        assert_eq!(names(&format!("{bounds} __rlv_global__ void k() {{}}")), one("k", Some("64 * (1, 2)")));
        assert_eq!(
            names("namespace a { namespace b::c { __rlv_global__ void k() {} } }"),
            one("a::b::c::k", None)
        );
        assert_eq!(names("extern \"C\" { namespace { __rlv_global__ void k() {} } }"), one("k", None));
        assert_eq!(
            names("__rlv_global__ void k(int);\n# 1 \"x\"\n__rlv_global__ void k(int) {}"),
            one("k", None)
        );
        assert_eq!(names("template <class T> __rlv_global__ void k(T* a) {}"), vec![]);
        assert_eq!(
            names(
                "template <class T> __rlv_global__ void k(T a) {} template __rlv_global__ void k<int>(int);"
            ),
            one("k<int>", None)
        );
        assert_eq!(
            names("const char* s = \"__rlv_x { ' \"; char c = '{'; __rlv_global__ void k() {}"),
            one("k", None)
        );
    }

    #[test]
    fn nvidias_instructions_become_calls() {
        let text = |t| rewrite(t, true).map(|r| r.text);
        let two = "asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(r.bits) : \"f\"(v + f(1, 2))); asm volatile(\"a.b %0, %1, %2;\" : \"=f\"(r) : \"h\"(x), \"f\"(y));";
        let want = "(r.bits) = __rlv_ptx_cvt_rn_f16_f32((v + f(1, 2))); (r) = __rlv_ptx_a_b((x), (y));";
        assert_eq!(text(two), Ok(want.into()));
        for bad in [
            "asm(\"\")",
            "asm(\"bar.sync 0;\");",
            "asm(\"a.b %0;\" : \"+f\"(x) : );",
            "asm(\"a.b %0, %1;\" : \"=f\"(x) : \"f\"(y) : \"memory\");",
        ] {
            let e = text(bad).expect_err(bad);
            assert!(e.contains("does not support this inline assembly"), "{e}");
        }
        // HIP's inline assembly is the machine's, and is not changed.
        assert_eq!(rewrite(two, false).map(|r| r.text), Ok(two.into()));
    }

    #[test]
    fn lds_becomes_thread_local() {
        let text = |t| rewrite(t, false).expect("rewrites").text;
        assert_eq!(
            text("void f() { __rlv_shared__ float s[4]; }"),
            "void f() {  static thread_local float s[4]; }"
        );
        let aligned = text("void f() { __rlv_shared__ alignas(16) float s[4]; }");
        assert_eq!(aligned, "void f() {  alignas(16) static thread_local float s[4]; }");
        let dynamic =
            text("void f() { extern __rlv_shared__ __attribute__((aligned(16))) unsigned char s[]; }");
        assert!(dynamic.contains("unsigned char* const s = "), "{dynamic}");
        assert!(text("extern __rlv_shared__ float s[];").contains("__rlv_dyn< float> s"));
        assert!(rewrite("void f() { extern __rlv_shared__ int s; }", false).is_err());
    }
}
