//! A reader that knows its position and the file's length, so that no size stated in a file is believed.
use crate::{Error, Result};
use std::io::{BufReader, Read, Seek, SeekFrom};

pub struct Source<R: Read + Seek> {
    reader: BufReader<R>,
    format: &'static str,
    at: u64,
    len: u64,
}

impl<R: Read + Seek> Source<R> {
    /// Reads from the position `start` on.
    pub fn new(mut reader: R, format: &'static str, start: u64) -> Result<Self> {
        let len = reader.seek(SeekFrom::End(0))?;
        let at = reader.seek(SeekFrom::Start(start))?;
        Ok(Self { reader: BufReader::new(reader), format, at, len })
    }

    /// Returns the position in bytes from the start of the file.
    pub fn at(&self) -> u64 {
        self.at
    }

    pub fn remaining(&self) -> u64 {
        self.len.saturating_sub(self.at)
    }

    /// Returns an error about the bytes at `at`.
    pub fn invalid(&self, at: u64, message: impl Into<String>) -> Error {
        Error::Invalid { format: self.format, at, message: message.into() }
    }

    /// Fails if fewer than `needed` bytes are left.
    pub fn needs(&self, needed: u64, what: impl Into<String>) -> Result<()> {
        let remaining = self.remaining();
        if needed <= remaining {
            return Ok(());
        }
        Err(Error::TooShort { format: self.format, at: self.at, what: what.into(), needed, remaining })
    }

    pub fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        self.needs(N as u64, what)?;
        let mut bytes = [0; N];
        self.reader.read_exact(&mut bytes)?;
        self.at += N as u64;
        Ok(bytes)
    }

    pub fn u32(&mut self, what: &str) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    pub fn u64(&mut self, what: &str) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    /// Reads `len` bytes, which must exist before memory for them is allocated.
    pub fn bytes(&mut self, len: u64, what: impl Into<String>) -> Result<Vec<u8>> {
        self.needs(len, what)?;
        let mut bytes = vec![0; usize::try_from(len).unwrap_or(usize::MAX)];
        self.reader.read_exact(&mut bytes)?;
        self.at += len;
        Ok(bytes)
    }

    /// Skips bytes that exist.
    pub fn skip(&mut self, len: u64, what: impl Into<String>) -> Result<()> {
        self.needs(len, what)?;
        self.reader.seek_relative(i64::try_from(len).unwrap_or(i64::MAX))?;
        self.at += len;
        Ok(())
    }
}
