//! Lines of points from rows: several rows with the same x become a point at their mean.

use std::collections::BTreeMap;

use super::{
    columns::{NAMES, X_COLUMNS},
    records::Records,
    settings::{SEEDS, SETTINGS},
};

/// A line: rows with the same keys.
pub(super) struct Line<'a> {
    /// First row.
    pub(super) row: &'a [String],
    /// Points by ascending x, one for each x.
    pub(super) points: Vec<[f64; 2]>,
    /// End of the line's name that says what points are means of: ` (mean of 30 seeds)`; empty if no point is a mean.
    pub(super) note: String,
}

/// Lines of a table.
pub(super) struct Lines<'a> {
    pub(super) lines: Vec<Line<'a>>,
    /// Number of points that are means.
    pub(super) means: usize,
}

/// Rows with the same x, with their y values.
type Place<'a> = Vec<(f64, &'a [String])>;

impl<'a> Lines<'a> {
    pub(super) fn of(
        records: &'a Records,
        by: &[String],
        point: impl Fn(&[String]) -> Option<[f64; 2]>,
    ) -> Lines<'a> {
        let mut keys: Vec<Vec<&str>> = Vec::new();
        // First row of each line, and its rows by the bits of x.
        let mut lines: Vec<(&[String], BTreeMap<u64, Place<'a>>)> = Vec::new();
        for row in records.rows() {
            let Some([x, y]) = point(row) else { continue };
            let key: Vec<&str> = by.iter().map(|column| records.cell(row, column)).collect();
            let nth = keys.iter().position(|other| *other == key).unwrap_or_else(|| {
                keys.push(key);
                lines.push((row, BTreeMap::new()));
                lines.len() - 1
            });
            lines[nth].1.entry(x.to_bits()).or_default().push((y, row));
        }
        let places = lines.iter().flat_map(|(_, places)| places.values());
        let means = places.filter(|place| place.len() > 1).count();
        let line = |(row, places): (&'a [String], BTreeMap<u64, Place<'a>>)| {
            let mut points: Vec<[f64; 2]> =
                places.iter().map(|(x, place)| [f64::from_bits(*x), mean(place)]).collect();
            points.sort_by(|one, other| one[0].total_cmp(&other[0]));
            let places: Vec<Place<'_>> = places.into_values().collect();
            Line { row, points, note: note(records, &places) }
        };
        Lines { lines: lines.into_iter().map(line).collect(), means }
    }

    pub(super) fn numbers(&self, axis: usize) -> impl Iterator<Item = f64> {
        self.lines.iter().flat_map(move |line| line.points.iter().map(move |point| point[axis]))
    }
}

/// Returns the mean y value. The differences from the first value are summed, so that the mean of equal values is
/// exact.
fn mean(place: &Place<'_>) -> f64 {
    let first = place[0].0;
    first + place.iter().map(|(y, _)| y - first).sum::<f64>() / place.len() as f64
}

/// Returns the note on what the points of a line are means of: seeds, or rows with the columns in which they differ.
/// Empty if the rows of each place have equal y values.
pub(super) fn note(records: &Records, places: &[Place<'_>]) -> String {
    let is_mean = |place: &&Place<'_>| place.iter().any(|(y, _)| *y != place[0].0);
    let Some(most) = places.iter().filter(is_mean).map(Vec::len).max() else { return String::new() };
    let cells = |place: &Place<'_>, column: &str| {
        let mut cells: Vec<String> =
            place.iter().map(|(_, row)| records.cell(row, column).to_owned()).collect();
        cells.sort_unstable();
        cells.dedup();
        cells.len()
    };
    let columns = SEEDS.into_iter().map(|(column, _)| column);
    let columns =
        columns.chain(["algorithm"]).chain(NAMES).chain(X_COLUMNS.into_iter().map(|(column, ..)| column));
    let mut differing: Vec<&str> = Vec::new();
    for column in columns.chain(SETTINGS.into_iter().map(|(column, ..)| column)) {
        let differs = |place: &Place<'_>| cells(place, column) > 1;
        if !differing.contains(&column) && places.iter().filter(is_mean).any(differs) {
            differing.push(column);
        }
    }
    let seeds = SEEDS.into_iter().find(|(column, _)| {
        differing == [*column]
            && places.iter().filter(is_mean).all(|place| cells(place, column) == place.len())
    });
    let up_to = if places.iter().all(|place| place.len() == most) { "" } else { "up to " };
    match (seeds, &differing[..]) {
        (Some((_, seeds)), _) => format!(" (mean of {up_to}{most} {seeds})"),
        (None, []) => format!(" (mean of {up_to}{most} rows)"),
        (None, columns) => {
            format!(" (mean of {up_to}{most} rows that differ in {})", columns.join(", "))
        }
    }
}
