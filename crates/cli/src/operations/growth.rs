//! Growth of the two decisive quantities from one iteration to the next: the number of nodes that hold a message, and
//! the maximum number of bytes on a node.

use std::fmt::{self, Write};

use multicomputer::pattern;

use super::{
    super::table::{Align, Table},
    R,
};

/// Maximum number of states shown: the state before the first iteration, and after each iteration.
const SHOWN: usize = 12;

/// Number of active nodes and maximum number of bytes on a node, before the first iteration and after the iterations
/// shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Growth {
    iterations: usize,
    first: Vec<(usize, u64)>,
    last: (usize, u64),
}

impl Growth {
    /// Copies only the states that can be shown.
    pub(super) fn of(growth: &pattern::Growth) -> Growth {
        let after = |iteration| (growth.active_after(iteration), growth.longest_after(iteration));
        let iterations = growth.iterations();
        Growth {
            iterations,
            first: (0..=iterations).take(SHOWN).map(after).collect(),
            last: after(iterations),
        }
    }
}

/// Writes tables of both quantities for all algorithms that have them.
pub(super) fn tables(rows: &[R<'_>], text: &mut String) -> fmt::Result {
    let growths = rows.iter().filter_map(|row| Some((row.name(), row.facts()?.growth.as_ref()?)));
    let growths: Vec<(String, &Growth)> = growths.collect();
    if growths.is_empty() {
        return Ok(());
    }
    let nodes = table("active nodes", &growths, |(active, _)| active as u64);
    let bytes = table("most bytes", &growths, |(_, longest)| longest);
    write!(
        text,
        "\nNumber of nodes that hold a message, and maximum of bytes on a node, after each \
         iteration:\n\n{nodes}\n{bytes}"
    )
}

/// Returns a table with a row for each algorithm and a column for each state. If there are more states than [`SHOWN`],
/// the states between the first ones and the last one are omitted.
fn table(title: &str, rows: &[(String, &Growth)], quantity: impl Fn((usize, u64)) -> u64) -> Table {
    let most = rows.iter().map(|(_, growth)| growth.iterations).max().unwrap_or(0);
    let is_cut = most >= SHOWN;
    // A truncated table has two more columns: `..` and `last`.
    let columns = if is_cut { SHOWN - 2 } else { most + 1 };
    let mut titles: Vec<String> = (0..columns).map(|iteration| iteration.to_string()).collect();
    if is_cut {
        titles.extend(["..", "last"].map(str::to_owned));
    }
    let right = titles.iter().map(|title| (title.as_str(), Align::Right));
    let mut table = Table::new([(title, Align::Left)].into_iter().chain(right));
    for (name, growth) in rows {
        let mut cells = vec![name.clone()];
        cells.extend(growth.first.iter().take(columns).map(|&holdings| quantity(holdings).to_string()));
        if growth.iterations >= columns {
            let dots = if growth.iterations > columns { ".." } else { "" };
            cells.extend([dots.to_owned(), quantity(growth.last).to_string()]);
        }
        table.row(cells);
    }
    table
}
