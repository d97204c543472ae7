//! Lines of points from rows: several rows with the same x become a point at their mean, repeats with other seeds with its 95 % interval.

use std::collections::BTreeMap;

use multicomputer_study::Summary;

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
    /// 95 % confidence intervals of the means, one for each point, if the rows of the points differ in their seeds only; otherwise empty.
    pub(super) intervals: Vec<[f64; 2]>,
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
            let mut places: Vec<(f64, Place<'a>)> =
                places.into_iter().map(|(x, place)| (f64::from_bits(x), place)).collect();
            places.sort_by(|one, other| one.0.total_cmp(&other.0));
            let (abscissas, places): (Vec<f64>, Vec<Place<'_>>) = places.into_iter().unzip();
            let points = abscissas.iter().zip(&places).map(|(&x, place)| [x, mean(place)]).collect();
            let note = note(records, &places);
            let interval = |place: &Place<'_>| {
                let values: Vec<f64> = place.iter().map(|(y, _)| *y).collect();
                Summary::of(&values).map_or([values[0]; 2], |summary| summary.interval)
            };
            let intervals = if note.is_of_seeds { places.iter().map(interval).collect() } else { Vec::new() };
            Line { row, points, intervals, note: note.text }
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

/// What the points of a line are means of, as the end of a name.
#[derive(Debug, Default)]
pub(super) struct Note {
    pub(super) text: String,
    /// Whether the rows of each point differ in their seeds only.
    is_of_seeds: bool,
}

/// Returns the note on what the points of a line are means of: seeds, or rows with the columns in which they differ.
/// Empty if the rows of each place have equal y values.
pub(super) fn note(records: &Records, places: &[Place<'_>]) -> Note {
    let is_mean = |place: &&Place<'_>| place.iter().any(|(y, _)| *y != place[0].0);
    let Some(most) = places.iter().filter(is_mean).map(Vec::len).max() else { return Note::default() };
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
    let text = match (seeds, &differing[..]) {
        (Some((_, seeds)), _) => format!(" (mean of {up_to}{most} {seeds}, 95 % interval)"),
        (None, []) => format!(" (mean of {up_to}{most} rows)"),
        (None, columns) => {
            format!(" (mean of {up_to}{most} rows that differ in {})", columns.join(", "))
        }
    };
    Note { text, is_of_seeds: seeds.is_some() }
}
