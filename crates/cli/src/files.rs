//! Files that a command writes: tables as CSV, traces and pictures.
//!
//! Whether a file can be written is found out before the first run, and not after the work. What is written goes beside
//! the file first, into one called `FILE.partial`, which takes its place once it is complete. So a run that is ended, in
//! whatever way, leaves the old file as it was; and since the rows of a table are written as they come, what was
//! finished by then is in the partial file. Nothing has to be caught for that: no signal, and not even power that fails.
//! An empty partial file is of no use, so a signal [deletes](signals) it.
//!
//! The name `-` means standard output; the printed text goes to standard error in this case.

use multicomputer::Span;

mod name;
mod output;
mod page;
mod rows;
mod signals;
mod table;
mod text;
mod traces;

pub(super) use self::{
    name::output_file,
    output::{OutputError, is_standard_output_taken},
    rows::RowFile,
    table::CsvFile,
    text::TextFile,
    traces::Traces,
};

/// A modeled time in microseconds for a CSV file, exact to the picosecond.
pub(super) fn micros(span: Span) -> String {
    let (whole, rest) = (span.as_picos() / 1_000_000, span.as_picos() % 1_000_000);
    format!("{whole}.{rest:06}")
}

/// A text that can be part of the name of a file: letters, digits and these characters are kept, others become `-`.
pub(super) fn harmless(text: &str, kept: &str) -> String {
    text.chars().map(|c| if c.is_alphanumeric() || kept.contains(c) { c } else { '-' }).collect()
}
