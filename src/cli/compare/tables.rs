//! Tables of many cases: the times of all algorithms side by side, and what is fastest for each case.

use super::{
    super::{
        table::{Align, Table},
        unit::Unit,
    },
    Column, Comparison, Figure, Row, Solved, bound_columns,
    column::{cell, heading},
    table,
};

/// A row for each case: the columns of its keys, a cell for each of these algorithms, and the columns at the end.
pub(in crate::cli) fn by_algorithm<C: Comparison>(
    of: &C,
    solved: &[Solved<C>],
    [keys, ends]: [&str; 2],
    algorithms: &[String],
    unit: Unit,
    show: impl Fn(Option<&Row<'_, C>>) -> String,
) -> Table {
    let columns = of.columns();
    // A unit that stands behind a number stands behind its title, too.
    let pad = if show(None).ends_with(' ') { "  " } else { "" };
    let names: Vec<String> = algorithms.iter().map(|name| format!("{name}{pad}")).collect();
    let names = names.iter().map(|name| (name.as_str(), Align::Right));
    let [keyed, ending] =
        [keys, ends].map(|names| names.split_whitespace().map(|name| heading(&columns, name)));
    let mut table = Table::new(keyed.chain(names).chain(ending));
    for solved in solved {
        let rows = solved.rows(of);
        let Some(first) = rows.first() else { continue };
        let outer = |names: &str| -> Vec<String> {
            names.split_whitespace().map(|name| cell(&columns, name, first, unit)).collect()
        };
        let inner = algorithms.iter().map(|name| show(rows.iter().find(|row| row.name() == *name)));
        table.row(outer(keys).into_iter().chain(inner).chain(outer(ends)));
    }
    table
}

/// A row for each case, with its key and what is fastest.
pub(in crate::cli) fn choices<'a, C: Comparison>(
    of: &'a C,
    solved: &'a [Solved<C>],
    key: &str,
    unit: Unit,
) -> Table {
    let mut columns = of.columns();
    columns.extend([
        Column::shown("fastest", |row: &Row<'a, C>| row.time().into()).titled("fastest {unit}"),
        Column::shown("name", |row: &Row<'a, C>| Figure::Text(row.name())).titled("algorithm").left(),
        Column::shown("first", |row: &Row<'a, C>| {
            row.attempts.first().map(|attempt| attempt.chosen.clone()).into()
        })
        .titled("chosen")
        .left(),
    ]);
    columns.extend(bound_columns());
    let fastest: Vec<Row<'a, C>> =
        solved.iter().filter_map(|solved| solved.fastest(of).map(|(row, _)| row)).collect();
    let names = format!("{key} fastest bound_us ratio decided_by name first");
    table(&columns, &names, &fastest, unit)
}

/// The time of a row in such a table, with a star at the fastest.
pub(in crate::cli) fn starred<C: Comparison>(row: Option<&Row<'_, C>>, unit: Unit) -> String {
    let fastest = |row: &Row<'_, C>| row.solved.fastest(row.of).map(|(_, time)| time);
    let time = row.and_then(|row| Some((row.time()?, fastest(row))));
    time.map_or_else(|| "-  ".to_owned(), |(time, fastest)| unit.starred(time, fastest))
}
