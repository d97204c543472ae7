//! Where the fastest algorithm of a study changes: along the only axis that varies, or as a map of two axes.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use multicomputer_study::Layout;

use super::{
    super::table::{Align, Table},
    line::Line,
};

/// Maximum number of columns of the map.
const MAX_COLUMNS: usize = 16;

/// The choice among all algorithms, which is not compared with them.
const AUTO: &str = "auto";

/// The fastest algorithm of each case.
pub(super) struct Fastest<'a> {
    layout: &'a Layout,
    /// The algorithm with the smallest mean time of each case; the cases of all seeds are one.
    algorithms: BTreeMap<u64, (f64, &'a str)>,
    has_auto: bool,
}

impl<'a> Fastest<'a> {
    /// Returns the fastest algorithms; `None` if fewer than two algorithms are compared.
    pub(super) fn of(layout: &'a Layout, lines: &'a [Line<'a>]) -> Option<Fastest<'a>> {
        let (mut algorithms, mut names) = (BTreeMap::new(), BTreeSet::new());
        for line in lines.iter().filter(|line| line.row.algorithm != AUTO) {
            names.insert(&line.row.algorithm);
            if let Some(summary) = line.summary {
                let best = algorithms.entry(line.case).or_insert((summary.mean, line.row.algorithm.as_str()));
                if summary.mean < best.0 {
                    *best = (summary.mean, &line.row.algorithm);
                }
            }
        }
        let has_auto = lines.iter().any(|line| line.row.algorithm == AUTO);
        (names.len() > 1).then_some(Fastest { layout, algorithms, has_auto })
    }

    fn at(&self, case: usize) -> &str {
        self.algorithms.get(&(case as u64)).map_or("-", |(_, name)| name)
    }
}

impl fmt::Display for Fastest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let without_auto = if self.has_auto { ", auto left out" } else { "" };
        match &self.layout.axes[..] {
            [(axis, values)] => {
                writeln!(f, "\nFastest algorithm by {axis}{without_auto}:")?;
                let mut runs: Vec<(&str, &str, &str)> = Vec::new();
                for (case, value) in values.iter().enumerate() {
                    match runs.last_mut() {
                        Some((name, _, to)) if *name == self.at(case) => *to = value,
                        _ => runs.push((self.at(case), value, value)),
                    }
                }
                runs.iter().try_for_each(|(name, from, to)| match from == to {
                    true => writeln!(f, "  {from}: {name}"),
                    false => writeln!(f, "  {from} to {to}: {name}"),
                })
            }
            [(down, rows), (across, columns)] => {
                // Every n-th column is shown.
                let nth = columns.len().div_ceil(MAX_COLUMNS).max(1);
                let thinned = if nth > 1 { format!(" (one value in {nth})") } else { String::new() };
                writeln!(f, "\nFastest algorithm{without_auto}, {down} down and {across} across{thinned}:")?;
                let titles = columns.iter().step_by(nth).map(|value| (value.as_str(), Align::Left));
                let mut table = Table::new([(&down[..], Align::Right)].into_iter().chain(titles));
                for (row, value) in rows.iter().enumerate() {
                    let shown = (0..columns.len()).step_by(nth);
                    let cells = shown.map(|column| self.at(row * columns.len() + column));
                    table.row([value.as_str()].into_iter().chain(cells));
                }
                write!(f, "{table}")
            }
            _ => Ok(()),
        }
    }
}
