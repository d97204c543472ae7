//! Errors of communication matrices.

use thiserror::Error;

use crate::{rank::Rank, text::count};

/// Reason why input is not a valid communication matrix.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MatrixError {
    /// There are no nodes.
    #[error("the matrix has no rows: give one row for each node")]
    Empty,
    /// A row does not have one entry for each node.
    #[error(
        "row {row} of the matrix (counted from 0) has {entries} entries: a matrix of {} needs {nodes} in each row",
        count(*nodes as u64, "row")
    )]
    NotSquare {
        /// The number of rows.
        nodes: usize,
        /// The row, counted from 0.
        row: usize,
        /// The number of entries in the row.
        entries: usize,
    },
    /// A line of a table does not have one entry for each row.
    #[error(
        "line {line} has {}: a matrix of {} needs {rows} in each line, separated by {separator} as in its first line; \
         the text after the last separator counts as an entry",
        if *entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") },
        count(*rows as u64, "row")
    )]
    Entries {
        /// The line, counted from 1.
        line: usize,
        /// The number of entries in the line.
        entries: usize,
        /// The number of rows.
        rows: usize,
        /// The separator in the plural, such as `commas`.
        separator: String,
    },
    /// An entry is not a number of bytes.
    #[error(
        "line {line}, entry {field}: `{given}` is not a number of bytes; allowed are numbers from 0, without a unit, \
         separated by {separator} as in the first line"
    )]
    Entry {
        /// The line, counted from 1.
        line: usize,
        /// The field in the line, counted from 1.
        field: usize,
        /// The text given.
        given: String,
        /// The separator in the plural, such as `commas`.
        separator: String,
    },
    /// An entry is not a whole number, and no total is given.
    #[error(
        "line {line}, entry {field}: `{given}` is a fraction of a byte: give the total bytes of all messages (`--total`, \
         `MatrixReader::total`) if entries are fractions of them"
    )]
    Fraction {
        /// The line, counted from 1.
        line: usize,
        /// The field in the line, counted from 1.
        field: usize,
        /// The text given.
        given: String,
    },
    /// An entry is too large.
    #[error(
        "line {line}, entry {field}: `{given}` bytes are too many: a node may send or receive less than 2^60 bytes in total"
    )]
    EntryTooLarge {
        /// The line, counted from 1.
        line: usize,
        /// The field in the line, counted from 1.
        field: usize,
        /// The text given.
        given: String,
    },
    /// A line of an edge list does not have three fields.
    #[error(
        "line {line} has {}: an edge list has three in each line, sender, receiver and bytes, separated by {separator} \
         as in its first line",
        count(*fields as u64, "field")
    )]
    EdgeFields {
        /// The line, counted from 1.
        line: usize,
        /// The number of fields in the line.
        fields: usize,
        /// The separator in the plural, such as `commas`.
        separator: String,
    },
    /// An edge list names a node that does not exist.
    #[error(
        "line {line}: `{given}` is not a node; this is an edge list (three fields in each line: sender, receiver, bytes), \
         and nodes are 0 to {}",
        nodes.saturating_sub(1)
    )]
    EdgeNode {
        /// The line, counted from 1.
        line: usize,
        /// The text given.
        given: String,
        /// The number of nodes.
        nodes: usize,
    },
    /// The text is not a communication matrix in MatrixMarket's format.
    #[error("MatrixMarket, line {line}: {problem}")]
    Market {
        /// The line, counted from 1.
        line: usize,
        /// What was given and what is allowed.
        problem: String,
    },
    /// A total is to be divided among entries that are all 0, or whose sum is not finite.
    #[error(
        "no message can have a fraction of the total: the entries add up to 0, or to more than a number can be"
    )]
    NoWeight,
    /// A node would send or receive too many bytes.
    #[error("node {node} would send or receive 2^60 bytes or more in total; allowed is less")]
    TooMuch {
        /// The node.
        node: Rank,
    },
}
