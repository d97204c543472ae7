//! Rows of a study as columns of a frame, which NumPy reads without a Python object for each value.

use std::collections::BTreeMap;

use multicomputer_study::Row;
use pyo3::{
    prelude::*,
    types::{PyByteArray, PyList, PyString},
};

/// The value of a row in a column.
#[derive(Debug)]
enum Cell<'a> {
    Text(Option<&'a str>),
    Whole(Option<u64>),
    Number(Option<f64>),
    Flag(Option<bool>),
}

/// A column: its name, and its value in a row.
type Entry = (&'static str, fn(&Row) -> Cell<'_>);

/// The columns of a frame in the order of [`Row`], except for what is the same in all rows of a study. Times are in seconds.
#[rustfmt::skip]
const ENTRIES: [Entry; 46] = [
    ("case", |row| Cell::Whole(Some(row.case))),
    ("operation", |row| Cell::Text(Some(&row.operation))),
    ("machine", |row| Cell::Text(Some(&row.machine))),
    ("nodes", |row| whole(row.nodes)),
    ("rows", |row| whole(row.rows)),
    ("columns", |row| whole(row.columns)),
    ("ports", |row| Cell::Whole(row.ports.map(u64::from))),
    ("placement", |row| Cell::Text(Some(&row.placement))),
    ("alpha", |row| seconds(row.alpha_us)),
    ("beta", |row| Cell::Number(row.beta_ns_per_byte.map(|beta| beta / 1e9))),
    ("send_overhead", |row| seconds(row.send_overhead_us)),
    ("receive_overhead", |row| seconds(row.receive_overhead_us)),
    ("exchange_overhead", |row| seconds(row.exchange_overhead_us)),
    ("latency", |row| seconds(row.latency_us)),
    ("hop", |row| seconds(row.hop_us)),
    ("link_excess", |row| Cell::Number(row.link_excess)),
    ("gamma", |row| Cell::Number(row.gamma_us.map(|gamma| gamma / 1e6))),
    ("rendezvous", |row| Cell::Whole(row.rendezvous)),
    ("machine_hash", |row| Cell::Text(Some(&row.machine_hash))),
    ("noise", |row| Cell::Text(row.noise.as_deref())),
    ("faults", |row| Cell::Text(row.faults.as_deref())),
    ("root", |row| whole(row.root)),
    ("distribution", |row| Cell::Text(row.distribution.as_deref())),
    ("sources", |row| whole(row.sources)),
    ("fan_out", |row| whole(row.fan_out)),
    ("skew", |row| Cell::Text(row.skew.as_deref())),
    ("bytes", |row| Cell::Whole(row.bytes)),
    ("element", |row| Cell::Whole(row.element)),
    ("clock", |row| Cell::Text(row.clock.as_deref())),
    ("effort", |row| Cell::Text(Some(&row.effort))),
    ("seed", |row| Cell::Whole(Some(row.seed))),
    ("algorithm", |row| Cell::Text(Some(&row.algorithm))),
    ("chosen", |row| Cell::Text(row.chosen.as_deref())),
    ("complete", |row| Cell::Flag(row.complete)),
    ("time", |row| seconds(row.time_us)),
    ("time_ps", |row| picos(row.time_us)),
    ("predicted", |row| seconds(row.predicted_us)),
    ("predicted_ps", |row| picos(row.predicted_us)),
    ("bound", |row| seconds(row.bound_us)),
    ("bound_ps", |row| picos(row.bound_us)),
    ("decided_by", |row| Cell::Text(row.decided_by.as_deref())),
    ("ratio", |row| Cell::Number(row.ratio)),
    ("messages", |row| Cell::Whole(row.messages)),
    ("bytes_sent", |row| Cell::Whole(row.bytes_sent)),
    ("waiting", |row| Cell::Number(row.waiting_us.map(|waiting| waiting / 1e6))),
    ("restriction", |row| Cell::Text(row.restriction.as_deref())),
];

fn whole(count: Option<usize>) -> Cell<'static> {
    Cell::Whole(count.map(|count| count as u64))
}

/// The picoseconds of a time of a row, which is exact.
fn to_picos(micros: f64) -> u64 {
    (micros * 1e6).round() as u64
}

fn picos(micros: Option<f64>) -> Cell<'static> {
    Cell::Whole(micros.map(to_picos))
}

/// A time in seconds, rounded once, as everywhere in the package.
fn seconds(micros: Option<f64>) -> Cell<'static> {
    Cell::Number(micros.map(|micros| to_picos(micros) as f64 / 1e12))
}

/// Texts, of which a study has few different ones.
#[derive(Debug, Default)]
struct Texts {
    /// The number of the text of each row.
    rows: Vec<Option<usize>>,
    /// The different texts, and the number of each.
    texts: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Texts {
    fn push(&mut self, text: Option<&str>) {
        let last = self.rows.last().copied().flatten();
        let number = text.map(|text| match last {
            Some(last) if self.texts[last] == text => last,
            _ => self.number(text),
        });
        self.rows.push(number);
    }

    fn number(&mut self, text: &str) -> usize {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len();
        self.numbers.insert(text.to_owned(), number);
        self.texts.push(text.to_owned());
        number
    }

    /// The list of the texts, in which equal texts are one object.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let texts: Vec<_> = self.texts.iter().map(|text| PyString::new(py, text)).collect();
        PyList::new(py, self.rows.iter().map(|number| number.map(|number| &texts[number])))
    }
}

/// A column as Python reads it: its name; `text` or the format of its values in Python's `struct`; its values, as a list of texts or as
/// bytes; and a byte for each row that is 1 if the value is missing, or `None` if no value is.
pub(crate) type List<'py> = (&'static str, &'static str, Bound<'py, PyAny>, Option<Bound<'py, PyByteArray>>);

/// Makes a column of values of `N` bytes. Missing values have the bytes of `filler`.
pub(crate) fn list<'py, T: Copy, const N: usize>(
    py: Python<'py>,
    name: &'static str,
    format: &'static str,
    values: &[Option<T>],
    filler: T,
    bytes: fn(T) -> [u8; N],
) -> List<'py> {
    let data: Vec<u8> = values.iter().flat_map(|value| bytes(value.unwrap_or(filler))).collect();
    let missing: Vec<u8> = values.iter().map(|value| u8::from(value.is_none())).collect();
    let missing = missing.contains(&1).then(|| PyByteArray::new(py, &missing));
    (name, format, PyByteArray::new(py, &data).into_any(), missing)
}

/// Makes a column of whole numbers.
pub(crate) fn whole_list<'py>(py: Python<'py>, name: &'static str, values: &[Option<u64>]) -> List<'py> {
    let bytes = |count: u64| i64::try_from(count).unwrap_or(i64::MAX).to_ne_bytes();
    list(py, name, "q", values, 0, bytes)
}

/// Makes a column of numbers.
pub(crate) fn number_list<'py>(py: Python<'py>, name: &'static str, values: &[Option<f64>]) -> List<'py> {
    list(py, name, "d", values, f64::NAN, f64::to_ne_bytes)
}

/// The values of a column.
#[derive(Debug)]
enum Values {
    Text(Texts),
    Whole(Vec<Option<u64>>),
    Number(Vec<Option<f64>>),
    Flag(Vec<Option<bool>>),
}

/// Rows by columns.
#[derive(Debug)]
pub(crate) struct Columns(Vec<Values>);

impl Columns {
    pub(crate) fn new() -> Columns {
        let row = Row::default();
        let empty = |(_, value): &Entry| match value(&row) {
            Cell::Text(_) => Values::Text(Texts::default()),
            Cell::Whole(_) => Values::Whole(Vec::new()),
            Cell::Number(_) => Values::Number(Vec::new()),
            Cell::Flag(_) => Values::Flag(Vec::new()),
        };
        Columns(ENTRIES.iter().map(empty).collect())
    }

    pub(crate) fn push(&mut self, row: &Row) {
        for ((_, value), values) in ENTRIES.iter().zip(&mut self.0) {
            match (value(row), values) {
                (Cell::Text(text), Values::Text(texts)) => texts.push(text),
                (Cell::Whole(count), Values::Whole(counts)) => counts.push(count),
                (Cell::Number(number), Values::Number(numbers)) => numbers.push(number),
                (Cell::Flag(flag), Values::Flag(flags)) => flags.push(flag),
                // The kind of a cell is that of its entry.
                _ => {}
            }
        }
    }

    pub(crate) fn to_lists<'py>(&self, py: Python<'py>) -> PyResult<Vec<List<'py>>> {
        let list = |((name, _), values): (&Entry, &Values)| {
            Ok(match values {
                Values::Text(texts) => (*name, "text", texts.to_list(py)?.into_any(), None),
                Values::Whole(counts) => whole_list(py, name, counts),
                Values::Number(numbers) => number_list(py, name, numbers),
                Values::Flag(flags) => list(py, name, "?", flags, false, |flag| [u8::from(flag)]),
            })
        };
        ENTRIES.iter().zip(&self.0).map(list).collect()
    }
}
