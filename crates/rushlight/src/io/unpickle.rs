//! A parser of Python's pickle format, which builds a description of the objects and executes nothing.
//!
//! Opcodes follow Python's `pickletools`. A call in a pickle (`REDUCE`, `NEWOBJ`, `BUILD`) becomes a record of the
//! call. Objects are stored in one list and refer to each other by index. So shared and recursive objects are not
//! copied, memory is bounded by the pickle's length, and this code does not recurse.
use crate::{Error, Result};
use std::collections::HashMap;

/// Index of an object.
pub(super) type Id = usize;

/// A Python object, as far as it matters for tensors.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    None,
    Bool(bool),
    Int(i64),
    /// An integer that does not fit i64.
    BigInt,
    Float(f64),
    Text(String),
    Bytes,
    Tuple(Vec<Id>),
    List(Vec<Id>),
    Set,
    Dict(Vec<(Id, Id)>),
    /// A class or function, by module and name.
    Global(String, String),
    /// A call that was not executed, with the state and items that its result would have received.
    Call {
        callable: Id,
        args: Id,
        state: Option<Id>,
        items: Vec<(Id, Id)>,
    },
    /// A persistent id: a reference to data in the surrounding file.
    Persistent(Id),
}

enum Slot {
    Value(Id),
    Mark,
}

fn bad(msg: impl std::fmt::Display) -> Error {
    Error::Pickle(msg.to_string()).bt()
}

/// The objects of a pickle.
pub(super) struct Objects {
    values: Vec<Value>,
    pub(super) root: Id,
}

impl Objects {
    pub(super) fn get(&self, id: Id) -> &Value {
        self.values.get(id).unwrap_or(&Value::None)
    }

    /// Parses a pickle.
    pub(super) fn read(bytes: &[u8]) -> Result<Self> {
        let mut machine =
            Machine { bytes, at: 0, values: Vec::new(), stack: Vec::new(), memo: HashMap::new() };
        let root = machine.run()?;
        Ok(Self { values: machine.values, root })
    }
}

struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    values: Vec<Value>,
    stack: Vec<Slot>,
    memo: HashMap<u32, Id>,
}

impl<'a> Machine<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(n);
        let bytes = end.and_then(|end| self.bytes.get(self.at..end));
        let bytes = bytes.ok_or_else(|| bad("the pickle ends in the middle of an object"))?;
        self.at += n;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N)?);
        Ok(out)
    }

    fn u8(&mut self) -> Result<usize> {
        Ok(self.array::<1>()?[0] as usize)
    }

    fn u32(&mut self) -> Result<usize> {
        Ok(u32::from_le_bytes(self.array()?) as usize)
    }

    fn u64(&mut self) -> Result<usize> {
        Ok(usize::try_from(u64::from_le_bytes(self.array()?))?)
    }

    fn line(&mut self) -> Result<String> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|b| *b == b'\n');
        let end = end.ok_or_else(|| bad("the pickle ends in the middle of a line"))?;
        self.at += end + 1;
        Ok(String::from_utf8_lossy(&rest[..end]).trim_end_matches('\r').to_string())
    }

    fn add(&mut self, v: Value) -> Id {
        self.values.push(v);
        self.values.len() - 1
    }

    fn push(&mut self, v: Value) {
        let id = self.add(v);
        self.stack.push(Slot::Value(id));
    }

    fn text(&mut self, len: usize) -> Result<()> {
        let bytes = self.take(len)?;
        self.push(Value::Text(String::from_utf8_lossy(bytes).into_owned()));
        Ok(())
    }

    fn skip_bytes(&mut self, len: usize) -> Result<()> {
        self.take(len)?;
        self.push(Value::Bytes);
        Ok(())
    }

    fn pop(&mut self) -> Result<Id> {
        match self.stack.pop() {
            Some(Slot::Value(id)) => Ok(id),
            _ => Err(bad("an opcode finds no object on the stack")),
        }
    }

    fn top(&self) -> Result<Id> {
        match self.stack.last() {
            Some(Slot::Value(id)) => Ok(*id),
            _ => Err(bad("an opcode finds no object on the stack")),
        }
    }

    /// Removes and returns the objects above the last mark.
    fn pop_mark(&mut self) -> Result<Vec<Id>> {
        let mark = self.stack.iter().rposition(|s| matches!(s, Slot::Mark));
        let mark = mark.ok_or_else(|| bad("an opcode finds no mark on the stack"))?;
        let objects = self.stack.drain(mark..).filter_map(|s| match s {
            Slot::Value(id) => Some(id),
            Slot::Mark => None,
        });
        Ok(objects.collect())
    }

    fn pairs(ids: &[Id]) -> Result<Vec<(Id, Id)>> {
        if !ids.len().is_multiple_of(2) {
            return Err(bad("a dict has a key without a value"));
        }
        Ok(ids.chunks_exact(2).map(|p| (p[0], p[1])).collect())
    }

    fn set_items(&mut self, more: Vec<(Id, Id)>) -> Result<()> {
        let id = self.top()?;
        match &mut self.values[id] {
            Value::Dict(items) | Value::Call { items, .. } => items.extend(more),
            _ => return Err(bad("items are set on an object that is not a dict")),
        }
        Ok(())
    }

    fn append(&mut self, more: &[Id]) -> Result<()> {
        let id = self.top()?;
        match &mut self.values[id] {
            Value::List(items) => items.extend_from_slice(more),
            // A subclass of list. Its items are not stored, since they cannot be tensors with names.
            Value::Call { .. } => {}
            _ => return Err(bad("items are appended to an object that is not a list")),
        }
        Ok(())
    }

    /// Records a call. A call of `OrderedDict` becomes a dict.
    fn call(&mut self, callable: Id, args: Id) {
        let ordered = matches!(&self.values[callable], Value::Global(m, n)
            if m == "collections" && n == "OrderedDict");
        let value = match (ordered, self.values.get(args)) {
            (true, Some(Value::Tuple(args))) => Value::Dict(self.dict_args(&args.clone())),
            _ => Value::Call { callable, args, state: None, items: Vec::new() },
        };
        self.push(value);
    }

    /// Returns the items of `OrderedDict([(k, v), ..])`.
    fn dict_args(&self, args: &[Id]) -> Vec<(Id, Id)> {
        let Some(Value::List(list)) = args.first().and_then(|a| self.values.get(*a)) else {
            return Vec::new();
        };
        let pair = |id: &Id| match &self.values[*id] {
            Value::Tuple(p) | Value::List(p) if p.len() == 2 => Some((p[0], p[1])),
            _ => None,
        };
        list.iter().filter_map(pair).collect()
    }

    fn build(&mut self) -> Result<()> {
        let new = self.pop()?;
        let id = self.top()?;
        if let Value::Call { state, .. } = &mut self.values[id] {
            *state = Some(new);
        }
        Ok(())
    }

    fn get_memo(&mut self, key: usize) -> Result<()> {
        let id = u32::try_from(key).ok().and_then(|k| self.memo.get(&k).copied());
        self.stack.push(Slot::Value(id.ok_or_else(|| bad(format_args!("memo {key} was never set")))?));
        Ok(())
    }

    fn put_memo(&mut self, key: usize) -> Result<()> {
        let id = self.top()?;
        self.memo.insert(u32::try_from(key)?, id);
        Ok(())
    }

    fn long(&mut self, len: usize) -> Result<()> {
        let bytes = self.take(len)?;
        let negative = bytes.last().is_some_and(|b| b & 0x80 != 0);
        let mut wide = [if negative { 0xff } else { 0 }; 8];
        let value = if len <= 8 {
            wide[..len].copy_from_slice(bytes);
            Value::Int(i64::from_le_bytes(wide))
        } else {
            Value::BigInt
        };
        self.push(value);
        Ok(())
    }

    fn tuple(&mut self, len: usize) -> Result<()> {
        let mut ids = (0..len).map(|_| self.pop()).collect::<Result<Vec<_>>>()?;
        ids.reverse();
        self.push(Value::Tuple(ids));
        Ok(())
    }

    fn global(&mut self, module: String, name: String) {
        self.push(Value::Global(module, name));
    }

    fn run(&mut self) -> Result<Id> {
        loop {
            let at = self.at;
            let op = self.array::<1>()?[0];
            match op {
                b'.' => return self.pop(),
                0x80 => {
                    let version = self.u8()?;
                    if version > 5 {
                        return Err(bad(format_args!("pickle protocol {version} is not supported")));
                    }
                }
                0x95 => {
                    self.u64()?;
                }
                b'N' => self.push(Value::None),
                0x88 => self.push(Value::Bool(true)),
                0x89 => self.push(Value::Bool(false)),
                b'K' => {
                    let v = self.u8()?;
                    self.push(Value::Int(v as i64));
                }
                b'M' => {
                    let v = u16::from_le_bytes(self.array()?);
                    self.push(Value::Int(v.into()));
                }
                b'J' => {
                    let v = i32::from_le_bytes(self.array()?);
                    self.push(Value::Int(v.into()));
                }
                0x8a => {
                    let len = self.u8()?;
                    self.long(len)?;
                }
                0x8b => {
                    let len = self.u32()?;
                    self.long(len)?;
                }
                b'G' => {
                    let v = f64::from_be_bytes(self.array()?);
                    self.push(Value::Float(v));
                }
                b'X' | b'T' => {
                    let len = self.u32()?;
                    self.text(len)?;
                }
                0x8c | b'U' => {
                    let len = self.u8()?;
                    self.text(len)?;
                }
                0x8d => {
                    let len = self.u64()?;
                    self.text(len)?;
                }
                b'B' => {
                    let len = self.u32()?;
                    self.skip_bytes(len)?;
                }
                b'C' => {
                    let len = self.u8()?;
                    self.skip_bytes(len)?;
                }
                0x8e | 0x96 => {
                    let len = self.u64()?;
                    self.skip_bytes(len)?;
                }
                b'(' => self.stack.push(Slot::Mark),
                b'0' => {
                    self.stack.pop().ok_or_else(|| bad("an opcode finds no object on the stack"))?;
                }
                b'1' => {
                    self.pop_mark()?;
                }
                b'2' => {
                    let id = self.top()?;
                    self.stack.push(Slot::Value(id));
                }
                b')' => self.push(Value::Tuple(Vec::new())),
                b't' => {
                    let ids = self.pop_mark()?;
                    self.push(Value::Tuple(ids));
                }
                0x85..=0x87 => self.tuple(op as usize - 0x84)?,
                b']' => self.push(Value::List(Vec::new())),
                b'l' => {
                    let ids = self.pop_mark()?;
                    self.push(Value::List(ids));
                }
                b'a' => {
                    let id = self.pop()?;
                    self.append(&[id])?;
                }
                b'e' => {
                    let ids = self.pop_mark()?;
                    self.append(&ids)?;
                }
                b'}' => self.push(Value::Dict(Vec::new())),
                b'd' => {
                    let ids = self.pop_mark()?;
                    self.push(Value::Dict(Self::pairs(&ids)?));
                }
                b's' => {
                    let (value, key) = (self.pop()?, self.pop()?);
                    self.set_items(vec![(key, value)])?;
                }
                b'u' => {
                    let ids = self.pop_mark()?;
                    self.set_items(Self::pairs(&ids)?)?;
                }
                0x8f => self.push(Value::Set),
                0x90 => {
                    self.pop_mark()?;
                }
                0x91 => {
                    self.pop_mark()?;
                    self.push(Value::Set);
                }
                b'q' => {
                    let key = self.u8()?;
                    self.put_memo(key)?;
                }
                b'r' => {
                    let key = self.u32()?;
                    self.put_memo(key)?;
                }
                0x94 => self.put_memo(self.memo.len())?,
                b'h' => {
                    let key = self.u8()?;
                    self.get_memo(key)?;
                }
                b'j' => {
                    let key = self.u32()?;
                    self.get_memo(key)?;
                }
                b'c' => {
                    let (module, name) = (self.line()?, self.line()?);
                    self.global(module, name);
                }
                0x93 => {
                    let (name, module) = (self.pop()?, self.pop()?);
                    match (&self.values[module], &self.values[name]) {
                        (Value::Text(m), Value::Text(n)) => {
                            let (m, n) = (m.clone(), n.clone());
                            self.global(m, n);
                        }
                        _ => return Err(bad("a global whose module or name is not a string")),
                    }
                }
                b'R' | 0x81 => {
                    let (args, callable) = (self.pop()?, self.pop()?);
                    self.call(callable, args);
                }
                0x92 => {
                    let (_, args, callable) = (self.pop()?, self.pop()?, self.pop()?);
                    self.call(callable, args);
                }
                b'b' => self.build()?,
                b'Q' => {
                    let key = self.pop()?;
                    self.push(Value::Persistent(key));
                }
                op => return Err(bad(format_args!("opcode {op:#04x} at byte {at} is not supported"))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(bytes: &[u8]) -> Value {
        let o = Objects::read(bytes).unwrap();
        o.get(o.root).clone()
    }

    #[test]
    fn numbers() {
        assert_eq!(root(b"\x80\x02J\xff\xff\xff\xff."), Value::Int(-1));
        assert_eq!(root(b"\x8a\x02\x00\x80."), Value::Int(-32768));
        assert_eq!(root(b"\x8a\x00."), Value::Int(0));
        assert_eq!(root(b"G\x3f\xf8\0\0\0\0\0\0."), Value::Float(1.5));
    }

    #[test]
    fn a_call_is_recorded_not_made() {
        let o = Objects::read(b"cos\nsystem\n(X\x02\0\0\0lstR.").unwrap();
        let Value::Call { callable, .. } = o.get(o.root) else { panic!("{:?}", o.get(o.root)) };
        assert_eq!(o.get(*callable), &Value::Global("os".to_string(), "system".to_string()));
    }

    #[test]
    fn a_dict_that_is_filled_after_it_was_memoised_is_one_dict() {
        // The pickle of: d = {}; d["a"] = 1; (d, d)
        let o = Objects::read(b"}q\x01X\x01\0\0\0aK\x01sh\x01\x86.").unwrap();
        let Value::Tuple(ids) = o.get(o.root) else { panic!("{:?}", o.get(o.root)) };
        assert_eq!(ids[0], ids[1]);
        assert!(matches!(o.get(ids[0]), Value::Dict(items) if items.len() == 1));
    }

    #[test]
    fn broken_pickles_are_errors() {
        for bytes in
            [&b""[..], b".", b"(", b"K", b"X\xff\xff\xff\xffa.", b"h\x05.", b"t.", b"i.", b"(K\x01d."]
        {
            assert!(Objects::read(bytes).is_err(), "{bytes:?}");
        }
    }
}
