//! Output files of a command: tables as CSV, traces and pictures.
//!
//! Whether a file can be written is checked before the first run. The content goes to `FILE.partial` in the same
//! folder, which replaces `FILE` by an atomic rename when it is complete. A run that ends early therefore leaves the
//! old file unchanged, and the finished rows of a table in the partial file, without handlers for signals or power
//! failures. Only an empty partial file is useless; a signal [deletes](signals) it.
//!
//! The name `-` means standard output; printed text goes to standard error in this case.

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
    page::Page,
    rows::RowFile,
    table::CsvFile,
    text::{JsonFile, TextFile},
    traces::Traces,
};

/// Formats a modeled time in microseconds for a CSV file, exact to the picosecond.
pub(super) fn micros(span: Span) -> String {
    let (whole, rest) = (span.as_picos() / 1_000_000, span.as_picos() % 1_000_000);
    format!("{whole}.{rest:06}")
}

/// Converts a text to a part of a file name: keeps letters, digits and the characters in `kept`, and replaces others by
/// `-`.
pub(super) fn harmless(text: &str, kept: &str) -> String {
    text.chars().map(|c| if c.is_alphanumeric() || kept.contains(c) { c } else { '-' }).collect()
}
