//! The parts of MessagePack that the notes of a code object use.

#[derive(Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(&'a str),
    Bytes(&'a [u8]),
    Array(Vec<Value<'a>>),
    Map(Vec<(Value<'a>, Value<'a>)>),
}

impl<'a> Value<'a> {
    /// Reads the value at the start of the bytes.
    pub fn read(bytes: &'a [u8]) -> Option<Value<'a>> {
        Reader(bytes).value(0)
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        let Value::Map(pairs) = self else { return None };
        pairs.iter().find(|p| p.0 == Value::Text(key)).map(|p| &p.1)
    }

    pub fn int(&self, key: &str) -> Option<i64> {
        match self.get(key)? {
            Value::Int(n) => Some(*n),
            _ => None,
        }
    }

    pub fn text(&self, key: &str) -> Option<&'a str> {
        match self.get(key)? {
            Value::Text(t) => Some(t),
            _ => None,
        }
    }

    /// Returns whether a key exists and is true.
    pub fn is(&self, key: &str) -> bool {
        self.get(key) == Some(&Value::Bool(true))
    }

    pub fn list(&self, key: &str) -> &[Value<'a>] {
        match self.get(key) {
            Some(Value::Array(v)) => v,
            _ => &[],
        }
    }
}

struct Reader<'a>(&'a [u8]);

/// The deepest nesting that is read; notes have about five levels.
const DEPTH: u32 = 32;

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(head)
    }

    /// Reads a big-endian number of `n` bytes.
    fn number(&mut self, n: usize) -> Option<u64> {
        Some(self.take(n)?.iter().fold(0, |v, b| v << 8 | *b as u64))
    }

    fn text(&mut self, n: usize) -> Option<Value<'a>> {
        Some(Value::Text(std::str::from_utf8(self.take(n)?).ok()?))
    }

    fn array(&mut self, n: usize, depth: u32) -> Option<Value<'a>> {
        (0..n).map(|_| self.value(depth + 1)).collect::<Option<Vec<_>>>().map(Value::Array)
    }

    fn map(&mut self, n: usize, depth: u32) -> Option<Value<'a>> {
        let pair = |r: &mut Self| Some((r.value(depth + 1)?, r.value(depth + 1)?));
        (0..n).map(|_| pair(self)).collect::<Option<Vec<_>>>().map(Value::Map)
    }

    fn value(&mut self, depth: u32) -> Option<Value<'a>> {
        if depth > DEPTH {
            return None;
        }
        let first = self.take(1)?[0];
        Some(match first {
            0..=0x7f => Value::Int(first as i64),
            0xe0..=0xff => Value::Int(first as i8 as i64),
            0x80..=0x8f => self.map(first as usize & 15, depth)?,
            0x90..=0x9f => self.array(first as usize & 15, depth)?,
            0xa0..=0xbf => self.text(first as usize & 31)?,
            0xc0 => Value::Nil,
            0xc2 => Value::Bool(false),
            0xc3 => Value::Bool(true),
            0xc4..=0xc6 => {
                let n = self.number(1 << (first - 0xc4))?;
                Value::Bytes(self.take(n as usize)?)
            }
            0xca => Value::Float(f32::from_bits(self.number(4)? as u32) as f64),
            0xcb => Value::Float(f64::from_bits(self.number(8)?)),
            0xcc..=0xcf => Value::Int(self.number(1 << (first - 0xcc))? as i64),
            0xd0 => Value::Int(self.number(1)? as i8 as i64),
            0xd1 => Value::Int(self.number(2)? as i16 as i64),
            0xd2 => Value::Int(self.number(4)? as i32 as i64),
            0xd3 => Value::Int(self.number(8)? as i64),
            0xd9..=0xdb => {
                let n = self.number(1 << (first - 0xd9))?;
                self.text(n as usize)?
            }
            0xdc | 0xdd => {
                let n = self.number(2 << (first - 0xdc))?;
                self.array(n as usize, depth)?
            }
            0xde | 0xdf => {
                let n = self.number(2 << (first - 0xde))?;
                self.map(n as usize, depth)?
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_the_format_describes_them() {
        let bytes = b"\x83\xa1a\x92\x01\xff\xa1b\xcd\x01\x00\xa1c\xd9\x02hi";
        let v = Value::read(bytes).expect("reads");
        assert_eq!(v.list("a"), [Value::Int(1), Value::Int(-1)]);
        assert_eq!((v.int("b"), v.text("c"), v.int("c"), v.get("d")), (Some(256), Some("hi"), None, None));
        assert_eq!(Value::read(&bytes[..bytes.len() - 1]), None, "cut short");
        assert_eq!(Value::read(&[0x91; 40]), None, "deeper than any note");
    }
}
