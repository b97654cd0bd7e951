//! Tables of instructions: one text file for RDNA3 and one for both CDNA families, each read once.
use super::gcn;
use super::mem::{Cond, Mem};
use super::ops::Op;
use super::types::{Class, Enc, Family, Ty};
use std::collections::HashMap;
use std::sync::OnceLock;

fn enc(word: &str) -> Option<Enc> {
    Some(match word {
        "sop1" => Enc::Sop1,
        "sop2" => Enc::Sop2,
        "sopc" => Enc::Sopc,
        "sopk" => Enc::Sopk,
        "sopp" => Enc::Sopp,
        "smem" => Enc::Smem,
        "vop1" => Enc::Vop1,
        "vop2" => Enc::Vop2,
        "vopc" => Enc::Vopc,
        "vop3" => Enc::Vop3,
        "vop3sd" => Enc::Vop3sd,
        "vop3p" => Enc::Vop3p,
        "ds" => Enc::Ds,
        "flat" => Enc::Flat,
        "global" => Enc::Global,
        "scratch" => Enc::Scratch,
        "mubuf" => Enc::Mubuf,
        _ => return None,
    })
}

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Row {
    pub enc: Enc,
    pub code: u16,
    pub name: &'static str,
    pub op: Op,
    /// Destination and sources.
    pub ty: [Ty; 4],
    /// For memory instructions: bits of destination, address and data.
    pub bits: [u16; 4],
    pub mem: Option<Mem>,
    pub cond: Option<Cond>,
}

impl Row {
    /// Returns the number of sources.
    pub fn sources(&self) -> usize {
        self.ty[1..].iter().take_while(|t| t.class != Class::None).count()
    }
}

pub(crate) struct Table {
    rows: Vec<Row>,
    index: HashMap<(Enc, u16), usize>,
}

fn row(line: &'static str, family: Family) -> Option<Row> {
    let mut words = line.split(' ');
    let enc = enc(words.next()?.split('@').next()?)?;
    let code = words.next()?.parse().ok()?;
    let name = words.next()?;
    // GCN's names are translated to RDNA3's.
    let known = if family.gcn() { gcn::renamed(enc, name) } else { name.into() };
    let (mem, cond) = (Mem::of(enc, &known), Cond::of(&known));
    let mem = mem.map(|m| Mem { swapped: name.starts_with("ds_cmpst_"), ..m });
    let op = match (&mem, &cond) {
        (Some(_), _) => Op::memory,
        (_, Some(_)) => Op::compare,
        _ => Op::of(&known),
    };
    let mut row = Row { enc, code, name, op, ty: [Ty::NONE; 4], bits: [0; 4], mem, cond };
    for (i, word) in words.enumerate() {
        match enc {
            Enc::Smem | Enc::Ds | Enc::Flat | Enc::Global | Enc::Scratch | Enc::Mubuf => {
                *row.bits.get_mut(i)? = word.parse().ok()?;
            }
            _ => *row.ty.get_mut(i)? = Ty::parse(word)?,
        }
    }
    Some(row)
}

impl Table {
    /// Reads a table's text; the error is the line with a mistake.
    fn read(text: &'static str, family: Family) -> Result<Table, &'static str> {
        let mut table = Table { rows: Vec::new(), index: HashMap::new() };
        let own = |l: &str| match l.split(' ').next().and_then(|e| e.split_once('@')) {
            Some((_, mark)) => mark == family.mark(),
            None => true,
        };
        for line in text.lines().filter(|l| !l.starts_with('#') && !l.is_empty() && own(l)) {
            let row = row(line, family).ok_or(line)?;
            if table.index.insert((row.enc, row.code), table.rows.len()).is_some() {
                return Err(line);
            }
            table.rows.push(row);
        }
        Ok(table)
    }

    pub fn get(family: Family) -> &'static Table {
        static TABLES: [OnceLock<Table>; 3] = [const { OnceLock::new() }; 3];
        TABLES[family as usize].get_or_init(|| Table::of(text(family), family))
    }

    /// Reads a table of this crate, whose lines are all valid, as a test checks.
    fn of(text: &'static str, family: Family) -> Table {
        Table::read(text, family).unwrap_or(Table { rows: Vec::new(), index: HashMap::new() })
    }

    #[cfg(test)]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub fn find(&self, enc: Enc, code: u16) -> Option<&Row> {
        self.index.get(&(enc, code)).map(|i| &self.rows[*i])
    }
}

fn text(family: Family) -> &'static str {
    if family.gcn() { include_str!("cdna.txt") } else { include_str!("rdna3.txt") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Family; 3] = [Family::Rdna3, Family::Cdna2, Family::Cdna3];

    #[test]
    fn every_table_line_is_valid() {
        for family in ALL {
            assert_eq!(Table::read(text(family), family).err(), None, "{family:?}");
        }
        let wrong = |text| Table::read(text, Family::Cdna2).err();
        assert_eq!(wrong("vop1 1 v_mov_b32 x32"), Some("vop1 1 v_mov_b32 x32"));
        assert_eq!(wrong("sopp 1 a\nsopp 1 b"), Some("sopp 1 b"), "a code is used twice");
        assert_eq!(wrong("sopp@90a 1 a\nsopp@942 1 b"), None);
    }

    #[test]
    fn every_operation_has_a_table_row() {
        let rows = ALL.into_iter().flat_map(|f| &Table::get(f).rows);
        let named: std::collections::HashSet<Op> = rows.map(|r| r.op).collect();
        for op in Op::ALL.iter().filter(|o| **o != Op::unknown) {
            assert!(named.contains(op), "no table contains {op:?}");
        }
    }
}
