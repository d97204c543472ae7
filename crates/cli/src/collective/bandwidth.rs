//! Bandwidths as nccl-tests defines them: *algorithm bandwidth* is the bytes of the vector over the time, *bus
//! bandwidth* is independent of the number of members.

use std::fmt::{self, Write};

use super::{
    super::{
        compare::{Column, Figure, Results, Row},
        unit::Unit,
    },
    Collectives, R,
};

/// Column names, separated by blanks.
pub(super) const NAMES: &str = "algbw_gb_s busbw_gb_s";

/// Returns the columns, in GB/s.
pub(super) fn columns<'a, 'e>() -> [Column<'a, R<'a, 'e>>; 2] {
    [
        Column::new("algbw_gb_s", |row: &R| algorithm(row)).titled("algbw GB/s"),
        Column::new("busbw_gb_s", |row: &R| bus(row)).titled("busbw GB/s"),
    ]
}

/// Writes two tables of a sweep, of algorithm and bus bandwidth, with a row for each length.
pub(super) fn show(
    results: &Results<'_, Collectives<'_>>,
    algorithms: &[String],
    unit: Unit,
    text: &mut String,
) -> fmt::Result {
    type Of = fn(&R<'_, '_>) -> Option<f64>;
    let kinds: [(&str, Of); 2] = [("Algorithm", algorithm), ("Bus", bus)];
    for (name, of) in kinds {
        let figure = move |row: Option<&R<'_, '_>>| Figure::from(row.and_then(of));
        let table = results.by_algorithm(["bytes", ""], algorithms.iter().zip(algorithms), unit, figure);
        writeln!(text, "{name} bandwidth in GB/s:\n\n{table}")?;
    }
    Ok(())
}

/// Returns the algorithm bandwidth in GB/s; `None` if the operation takes no time.
fn algorithm(row: &Row<'_, Collectives<'_>>) -> Option<f64> {
    let seconds = row.time()?.as_secs_f64();
    (seconds > 0.0).then(|| row.problem().task.bytes() as f64 / seconds / 1e9)
}

/// Returns the bus bandwidth in GB/s; `None` if nccl-tests defines none for the operation (scan) or if the operation takes no time.
fn bus(row: &Row<'_, Collectives<'_>>) -> Option<f64> {
    let task = &row.problem().task;
    Some(algorithm(row)? * task.operation().bus_factor(task.size())?)
}
