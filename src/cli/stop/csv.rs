//! All figures of all runs, exact, as CSV.

use multicomputer::{Clock, Span, report::RealTimeReport};

use super::{
    super::{clock, files::micros},
    outcome::{Outcome, Solved},
};

/// The titles.
pub(super) const HEADER: [&str; 25] = [
    "machine",
    "rows",
    "columns",
    "distribution",
    "sources",
    "bytes",
    "algorithm",
    "variant",
    "clock",
    "modeled_us",
    "bound_us",
    "ratio",
    "iterations",
    "messages",
    "bytes_sent",
    "link",
    "link_bytes",
    "link_busy_us",
    "wall_us",
    "dilation",
    "error",
    "answers",
    "late_answers",
    "slip_us",
    "pace",
];

/// The row of a run. What the host took is there in real time only: in virtual time the file is the same every time.
pub(super) fn row(
    clock: Clock,
    Solved { task, bound, .. }: &Solved,
    run: &Outcome,
) -> [String; HEADER.len()] {
    let grid = task.instance.machine().topology().grid();
    let side = |side: Option<usize>| side.map_or_else(String::new, |side| side.to_string());
    let link = run.link.as_ref();
    let real =
        |figure: &dyn Fn(&RealTimeReport) -> String| run.real_time.as_ref().map_or_else(String::new, figure);
    [
        task.machine_name().to_owned(),
        side(grid.map(|grid| grid.rows)),
        side(grid.map(|grid| grid.columns)),
        task.distribution.clone(),
        task.sources().to_string(),
        task.bytes.to_string(),
        run.algorithm.to_string(),
        run.variant.clone(),
        clock::name(clock).to_owned(),
        micros(run.modeled),
        micros(bound.time()),
        bound.ratio(run.modeled).map_or_else(String::new, |ratio| ratio.to_string()),
        run.growth.iterations.to_string(),
        run.messages.to_string(),
        run.bytes.to_string(),
        link.map_or_else(String::new, |link| link.link.to_string()),
        link.map_or_else(String::new, |link| link.load.bytes.to_string()),
        link.map_or_else(String::new, |link| micros(link.load.busy)),
        real(&|real| micros(Span::from(real.wall))),
        real(&|real| real.dilation.to_string()),
        real(&|real| real.error.to_string()),
        real(&|real| real.answers.to_string()),
        real(&|real| real.late_answers.to_string()),
        real(&|real| micros(Span::from(real.slip.by))),
        real(&|real| real.verdict.to_string()),
    ]
}
