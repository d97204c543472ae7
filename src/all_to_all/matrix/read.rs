//! Reading of matrices from text: tables of numbers, edge lists, and MatrixMarket.

use std::path::Path;

use super::{Matrix, MatrixError, MatrixFileError, MatrixFileProblem};
use crate::{
    input,
    rank::Rank,
    table::{Row, Table},
    text::shown,
};

mod market;

/// Maximum number of nodes of an edge list or a MatrixMarket file: the matrix has an entry for each pair, 2 GiB for this many nodes.
const MAX_LISTED_NODES: usize = 1 << 14;

/// The words of a header of an edge list.
const HEADER: [&[&str]; 2] =
    [&["from", "source", "src", "sender"], &["to", "target", "dst", "dest", "destination", "receiver"]];

/// Reads matrices from texts in these formats, which the reader tells apart:
///
/// | format | content |
/// | --- | --- |
/// | table | a line for each sender with the bytes for each receiver, separated by commas, semicolons, tabs or blanks |
/// | edge list | lines of three fields, sender, receiver and bytes, after a header `from,to,bytes` or without one |
/// | MatrixMarket | `%%MatrixMarket matrix coordinate` or `array`, `integer`, `real` or `pattern`, `general` or `symmetric` |
///
/// Lines of three fields are an edge list unless there are three of them and no header: these are the table of three nodes. Nodes of edge
/// lists are counted from 0, those of MatrixMarket from 1. Entries of the same pair are added. In tables and edge lists, everything from
/// a `#` to the end of the line is a comment, and an empty field is 0.
///
/// ```
/// use multicomputer::all_to_all::{Matrix, MatrixReader};
///
/// let table: Matrix = "0 3\n5 0\n".parse()?;
/// let reader = MatrixReader::new();
/// assert_eq!(reader.read("from\tto\tbytes\n0\t1\t3\n1\t0\t5\n")?, table);
/// assert_eq!(reader.read("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 3\n2 1 5\n")?, table);
/// // Fractions of 8 bytes.
/// assert_eq!(reader.total(8).read("0,0.375\n0.625,0\n")?, table);
/// # Ok::<(), multicomputer::all_to_all::MatrixError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatrixReader {
    nodes: Option<usize>,
    total: Option<u64>,
}

impl MatrixReader {
    /// Creates a reader of whole numbers of bytes.
    pub fn new() -> MatrixReader {
        MatrixReader::default()
    }

    /// Sets the number of nodes of edge lists, which need not name every node. Default: the largest node number plus 1.
    #[must_use]
    pub fn nodes(self, nodes: usize) -> MatrixReader {
        MatrixReader { nodes: Some(nodes), ..self }
    }

    /// Sets the total bytes of all messages. Entries are then weights: each message has the fraction of these bytes that its entry is of
    /// the sum of all entries, rounded to the nearest byte.
    #[must_use]
    pub fn total(self, bytes: u64) -> MatrixReader {
        MatrixReader { total: Some(bytes), ..self }
    }

    /// Reads a matrix from a text.
    ///
    /// # Errors
    ///
    /// [`MatrixError`] with the line, what was given and what is allowed there.
    pub fn read(&self, text: &str) -> Result<Matrix, MatrixError> {
        let Some(total) = self.total else {
            let (nodes, bytes) = self.entries::<u64>(text)?;
            return Matrix::of(nodes, |from, to| bytes[from * nodes + to]);
        };
        let (nodes, weights) = self.entries::<f64>(text)?;
        let sum: f64 = weights.iter().sum();
        if !(sum > 0.0 && sum.is_finite()) {
            return Err(MatrixError::NoWeight);
        }
        let bytes = |from: Rank, to: Rank| (weights[from * nodes + to] / sum * total as f64).round() as u64;
        Matrix::of(nodes, bytes)
    }

    /// Reads a matrix from a file.
    ///
    /// # Errors
    ///
    /// [`MatrixFileError`] names the file and the reason why it cannot be read or parsed.
    pub fn from_file(&self, path: impl AsRef<Path>) -> Result<Matrix, MatrixFileError> {
        let path = path.as_ref();
        input::read(path)
            .map_err(MatrixFileProblem::Unreadable)
            .and_then(|text| Ok(self.read(&text)?))
            .map_err(|problem| MatrixFileError::new(path, problem))
    }

    /// Returns the number of nodes and the entries, row by row.
    fn entries<V: Value>(&self, text: &str) -> Result<(usize, Vec<V>), MatrixError> {
        if market::is_market(text) {
            return market::read(text);
        }
        let mut table = Table::read(text);
        let has_header = table.rows().first().is_some_and(|row| is_header(*row));
        if has_header {
            table.skip_header();
        }
        let rows = table.rows();
        let has_three = |row: &Row<'_>| row.fields().count() == 3;
        if has_header || (rows.len() != 3 && rows.first().is_some_and(has_three)) {
            return self.edges(&table);
        }
        let mut values = Vec::new();
        for row in rows {
            let before = values.len();
            for (field, text) in (1..).zip(row.fields()) {
                values.push(value(text, row.line, field, &table)?);
            }
            let entries = values.len() - before;
            if entries != rows.len() {
                let separator = table.separator().to_string();
                return Err(MatrixError::Entries { line: row.line, entries, rows: rows.len(), separator });
            }
        }
        Ok((rows.len(), values))
    }

    /// Reads an edge list.
    fn edges<V: Value>(&self, table: &Table<'_>) -> Result<(usize, Vec<V>), MatrixError> {
        let mut edges = Vec::new();
        let most = self.nodes.unwrap_or(MAX_LISTED_NODES);
        for &row in table.rows() {
            let fields: Vec<&str> = row.fields().collect();
            let [from, to, bytes] = fields[..] else {
                let separator = table.separator().to_string();
                return Err(MatrixError::EdgeFields { line: row.line, fields: fields.len(), separator });
            };
            let node = |given: &str| {
                let node = given.parse().ok().filter(|&node: &Rank| node < most);
                node.ok_or_else(|| MatrixError::EdgeNode { line: row.line, given: shown(given), nodes: most })
            };
            edges.push((node(from)?, node(to)?, value(bytes, row.line, 3, table)?));
        }
        let listed = edges.iter().map(|&(from, to, _)| from.max(to) + 1).max().unwrap_or(0);
        let nodes = self.nodes.unwrap_or(listed);
        Ok((nodes, summed(nodes, edges)))
    }
}

/// Returns the entries of a matrix row by row from its messages; those of the same pair are added.
fn summed<V: Value>(nodes: usize, messages: Vec<(Rank, Rank, V)>) -> Vec<V> {
    let mut values = vec![V::default(); nodes * nodes];
    for (from, to, value) in messages {
        let sum = &mut values[from * nodes + to];
        *sum = sum.plus(value);
    }
    values
}

fn is_header(row: Row<'_>) -> bool {
    let fields: Vec<String> = row.fields().take(4).map(str::to_lowercase).collect();
    fields.len() == 3 && HEADER.iter().zip(&fields).all(|(known, field)| known.contains(&field.as_str()))
}

fn value<V: Value>(text: &str, line: usize, field: usize, table: &Table<'_>) -> Result<V, MatrixError> {
    V::parse(text).map_err(|invalid| {
        let given = shown(text);
        match invalid {
            Invalid::Number => {
                MatrixError::Entry { line, field, given, separator: table.separator().to_string() }
            }
            Invalid::Fraction => MatrixError::Fraction { line, field, given },
            Invalid::Size => MatrixError::EntryTooLarge { line, field, given },
        }
    })
}

/// An entry: whole bytes, or a weight.
trait Value: Copy + Default {
    fn parse(text: &str) -> Result<Self, Invalid>;

    /// Returns the sum; the largest value if the sum is larger.
    fn plus(self, other: Self) -> Self;
}

/// Why a text is not an entry.
#[derive(Clone, Copy, Debug)]
enum Invalid {
    Number,
    Fraction,
    Size,
}

impl Value for u64 {
    fn parse(text: &str) -> Result<u64, Invalid> {
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return if text.is_empty() { Ok(0) } else { text.parse().map_err(|_| Invalid::Size) };
        }
        // Other programs write whole numbers as 3.0 or 3.000e+00.
        let number = f64::parse(text)?;
        match number {
            _ if number.fract() != 0.0 => Err(Invalid::Fraction),
            _ if number >= 2_f64.powi(63) => Err(Invalid::Size),
            _ => Ok(number as u64),
        }
    }

    fn plus(self, other: u64) -> u64 {
        self.saturating_add(other)
    }
}

impl Value for f64 {
    fn parse(text: &str) -> Result<f64, Invalid> {
        if text.is_empty() {
            return Ok(0.0);
        }
        text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0).ok_or(Invalid::Number)
    }

    fn plus(self, other: f64) -> f64 {
        self + other
    }
}

#[cfg(test)]
mod tests;
