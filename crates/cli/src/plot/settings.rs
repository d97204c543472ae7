//! The columns that say on which machine a row was run, and how: legends have those in which lines differ.

use std::collections::BTreeMap;

use multicomputer::model::MachineSpec;

use super::records::Records;

/// Columns that distinguish lines if others do not, in this order, with what a legend has before and behind a
/// cell.
pub(super) const SETTINGS: [(&str, &str, &str); 17] = [
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
    ("topology", "", ""),
    ("machine", "", ""),
    ("machine_hash", "machine hash ", ""),
];

/// Columns of seeds: rows that differ in these alone are shown as their mean. With the name of several.
pub(super) const SEEDS: [(&str, &str); 3] =
    [("seed", "seeds"), ("noise_seed", "noise seeds"), ("matrix_seed", "matrix seeds")];

/// What a legend has around the cells of a column, if that is one of these or of a seed.
pub(super) fn setting(column: &str) -> Option<(&'static str, &'static str, &'static str)> {
    const OF_SEEDS: [(&str, &str, &str); 2] = [("seed", "seed ", ""), ("noise_seed", "noise seed ", "")];
    SETTINGS.into_iter().chain(OF_SEEDS).find(|(name, ..)| *name == column)
}

/// Whether rows that are the same in some columns are the same in another one, too.
pub(super) fn follows(records: &Records, column: &str, from: &[&str]) -> bool {
    let mut found: BTreeMap<Vec<&str>, &str> = BTreeMap::new();
    records.rows().iter().all(|row| {
        let key = from.iter().map(|column| records.cell(row, column)).collect();
        let cell = records.cell(row, column);
        *found.entry(key).or_insert(cell) == cell
    })
}

/// The columns that a title tells if they are the same in all rows: what is set, and the parameters of a machine whose
/// name does not tell them.
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
