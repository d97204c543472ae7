//! CSV columns for the machine and the settings of a row. A legend shows those columns whose values differ between
//! lines.

use std::collections::BTreeMap;

use multicomputer::model::MachineSpec;

use super::records::Records;

/// Columns that distinguish lines if other columns do not, in this order, with the texts before and after a cell in a
/// legend.
pub(super) const SETTINGS: [(&str, &str, &str); 20] = [
    ("ports", "", " ports"),
    ("placement", "", ""),
    ("rendezvous", "rendezvous from ", " bytes"),
    ("noise", "noise ", ""),
    ("faults", "faults ", ""),
    ("element", "elements of ", " bytes"),
    ("root", "root ", ""),
    ("source", "source ", ""),
    ("word_bytes", "words of ", " bytes"),
    ("strict", "strict ", ""),
    ("sends", "sends ", ""),
    ("file", "", ""),
    ("alpha_us", "alpha ", " us"),
    ("beta_ns_per_byte", "beta ", " ns/B"),
    ("link_excess", "k ", ""),
    ("gamma_us", "gamma ", " us"),
    ("skew", "skew ", ""),
    ("topology", "", ""),
    ("machine", "", ""),
    ("machine_hash", "machine hash ", ""),
];

/// Columns of seeds, with their plurals. Rows that differ in seeds only are shown as their mean.
pub(super) const SEEDS: [(&str, &str); 3] =
    [("seed", "seeds"), ("noise_seed", "noise seeds"), ("matrix_seed", "matrix seeds")];

/// Returns a column of settings or of seeds, with the texts before and after a cell in a legend; `None` for other
/// columns.
pub(super) fn setting(column: &str) -> Option<(&'static str, &'static str, &'static str)> {
    const OF_SEEDS: [(&str, &str, &str); 2] = [("seed", "seed ", ""), ("noise_seed", "noise seed ", "")];
    SETTINGS.into_iter().chain(OF_SEEDS).find(|(name, ..)| *name == column)
}

/// Returns whether `column` depends on the columns `from` only: rows that are equal in `from` are equal in `column`.
pub(super) fn follows(records: &Records, column: &str, from: &[&str]) -> bool {
    let mut found: BTreeMap<Vec<&str>, &str> = BTreeMap::new();
    records.rows().iter().all(|row| {
        let key = from.iter().map(|column| records.cell(row, column)).collect();
        let cell = records.cell(row, column);
        *found.entry(key).or_insert(cell) == cell
    })
}

/// Returns the columns that a title shows if all rows are equal in them: settings that are not defaults, and the
/// parameters of a machine whose name does not tell them.
pub(super) fn title_columns(records: &Records) -> Vec<&'static str> {
    let Some(first) = records.rows().first() else { return Vec::new() };
    let is_set = |column: &str, default: &str| !["", default].contains(&records.cell(first, column));
    let defaults = [
        ("ports", "1"),
        ("placement", "identity"),
        ("rendezvous", ""),
        ("noise", ""),
        ("faults", ""),
        ("seed", "1"),
    ];
    let mut columns: Vec<&str> = Vec::new();
    if records.cell(first, "machine").parse::<MachineSpec>().is_err() {
        columns.extend(["alpha_us", "beta_ns_per_byte"].into_iter().filter(|column| is_set(column, "")));
    }
    columns.extend(
        defaults.into_iter().filter(|(column, default)| is_set(column, default)).map(|(column, _)| column),
    );
    columns
}
