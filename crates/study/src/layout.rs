//! The layout of a study's rows: the axes that vary, in nesting order, and their values.

use std::collections::BTreeSet;

use crate::{Axis, Row, Study};

/// Columns that tell cases apart, in nesting order. The seed, which varies fastest, is apart.
const COLUMNS: [&str; 26] = [
    "operation",
    "machine",
    "nodes",
    "ports",
    "placement",
    "alpha_us",
    "beta_ns_per_byte",
    "send_overhead_us",
    "receive_overhead_us",
    "exchange_overhead_us",
    "latency_us",
    "hop_us",
    "link_excess",
    "gamma_us",
    "rendezvous",
    "root",
    "distribution",
    "sources",
    "fan_out",
    "skew",
    "bytes",
    "element",
    "effort",
    "clock",
    "noise",
    "faults",
];

/// The axes that vary, without the seed: names and values as texts. The last axis varies fastest.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Layout {
    /// The title of the study.
    pub title: Option<String>,
    /// Names and values.
    pub axes: Vec<(String, Vec<String>)>,
    /// The other axes that the study sets, with their only values; without axes whose values are in the machine's name.
    pub fixed: Vec<(String, String)>,
    /// Number of seeds. Cases that differ in the seed only are consecutive.
    pub seeds: usize,
}

impl Layout {
    /// Returns the layout of a study, with values as they were written.
    pub fn of(study: &Study) -> Layout {
        let values = |axis| study.values(axis).unwrap_or_default();
        let axes = study.varied().into_iter().filter(|&axis| axis != Axis::Seed);
        let axes = axes.map(|axis| (axis.name().to_owned(), values(axis).to_vec())).collect();
        let in_names = [Axis::Operation, Axis::Machine, Axis::Nodes, Axis::Shape];
        let fixed = Axis::all().filter(|axis| !in_names.contains(axis)).filter_map(|axis| {
            let [value] = study.values(axis)? else { return None };
            Some((axis.name().to_owned(), value.clone()))
        });
        let fixed = fixed.collect();
        Layout { title: study.title.clone(), axes, fixed, seeds: values(Axis::Seed).len().max(1) }
    }

    /// Returns the layout of all rows of a study, in the order of the cases. Of columns that vary together, such as `machine` and `nodes`,
    /// the first is an axis.
    ///
    /// ```
    /// use multicomputer_study::{Axis, Layout, Shard, Study};
    ///
    /// let mut study = Study::default();
    /// study.set(Axis::Machine, "mesh:2x2,torus:2x2")?;
    /// study.set(Axis::Bytes, "8..32")?;
    /// let rows: Vec<_> = study.rows(Shard::WHOLE)?.collect::<Result<_, _>>()?;
    /// assert_eq!(Layout::of_rows(&rows), Layout::of(&study));
    /// # Ok::<(), multicomputer_study::StudyError>(())
    /// ```
    pub fn of_rows(rows: &[Row]) -> Layout {
        let seeds = rows.iter().map(|row| row.seed).collect::<BTreeSet<_>>().len().max(1);
        let mut cases: Vec<Vec<String>> = Vec::new();
        for row in rows.iter().filter(|row| row.case % seeds as u64 == 0) {
            if row.case / seeds as u64 == cases.len() as u64 {
                let cells = row.cells();
                let cell = |column: &&str| {
                    cells.iter().find(|(name, _)| name == column).map(|(_, cell)| cell.clone())
                };
                cases.push(COLUMNS.iter().filter_map(cell).collect());
            }
        }
        let distinct = |columns: &[usize]| {
            let tuple =
                |case: &Vec<String>| columns.iter().map(|&column| case[column].clone()).collect::<Vec<_>>();
            cases.iter().map(tuple).collect::<BTreeSet<_>>().len()
        };
        let mut kept = Vec::new();
        for column in 0..COLUMNS.len() {
            let more = [&kept[..], &[column]].concat();
            if distinct(&more) > distinct(&kept).max(1) {
                kept = more;
            }
        }
        let values = |column: usize| {
            let mut values: Vec<String> = Vec::new();
            for case in &cases {
                if !values.contains(&case[column]) {
                    values.push(case[column].clone());
                }
            }
            values
        };
        let axes = kept.iter().map(|&column| (COLUMNS[column].to_owned(), values(column))).collect();
        let layout = Layout { title: None, axes, fixed: Vec::new(), seeds };
        let is_case = |(nth, case): (usize, &Vec<String>)| {
            let values = layout.values(nth as u64).into_iter().map(|(_, value)| value);
            values.eq(kept.iter().map(|&column| case[column].as_str()))
        };
        let product: usize = layout.axes.iter().map(|(_, values)| values.len()).product();
        if product == cases.len() && cases.iter().enumerate().all(is_case) {
            return layout;
        }
        // The axes do not show in the columns.
        let numbers = (0..cases.len()).map(|case| case.to_string()).collect();
        Layout { axes: vec![("case".to_owned(), numbers)], ..layout }
    }

    /// Returns the name and the value of each axis for a case; cases that differ in the seed only count as one.
    pub fn values(&self, case: u64) -> Vec<(&str, &str)> {
        let mut rest = case as usize;
        let mut values: Vec<(&str, &str)> = Vec::new();
        for (name, of_axis) in self.axes.iter().rev() {
            values.push((name, &of_axis[rest % of_axis.len()]));
            rest /= of_axis.len();
        }
        values.reverse();
        values
    }
}
