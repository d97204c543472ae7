//! All figures, exact, as CSV.

use multicomputer::{Span, report::RealTimeReport};

use super::{
    super::{clock, figures::decides, files::micros},
    Arguments,
    outcome::{Figures, Line, Solved},
};

/// The titles.
pub(super) const HEADER: [&str; 27] = [
    "machine",
    "rows",
    "columns",
    "members",
    "size",
    "operation",
    "root",
    "bytes",
    "element",
    "in_order",
    "algorithm",
    "chosen",
    "modeled_us",
    "estimate_us",
    "bound_us",
    "decided_by",
    "ratio",
    "clock",
    "run_us",
    "wall_us",
    "dilation",
    "error",
    "answers",
    "late_answers",
    "slip_us",
    "pace",
    "restriction",
];

/// The row of an algorithm on a task. What was not run has no clock.
pub(super) fn row(arguments: &Arguments, solved: &Solved, line: &Line) -> [String; HEADER.len()] {
    let task = &solved.task.task;
    let grid = task.machine().topology().grid();
    let side = |side: Option<usize>| side.map_or_else(String::new, |side| side.to_string());
    let figures = line.figures.as_ref().ok();
    let figure = |show: &dyn Fn(&Figures) -> String| figures.map_or_else(String::new, show);
    let ran = figures.and_then(|figures| figures.ran);
    let real = ran.and_then(|ran| ran.real_time);
    let real = |show: &dyn Fn(RealTimeReport) -> String| real.map_or_else(String::new, show);
    let ratio =
        |modeled: Span| solved.bound.ratio(modeled).map_or_else(String::new, |ratio| ratio.to_string());
    [
        task.machine().name().to_owned(),
        side(grid.map(|grid| grid.rows)),
        side(grid.map(|grid| grid.columns)),
        arguments.members.to_string(),
        task.size().to_string(),
        task.operation().to_string(),
        if task.operation().has_root() { task.root().to_string() } else { String::new() },
        task.bytes().to_string(),
        task.element_bytes().to_string(),
        task.is_in_order().to_string(),
        line.algorithm.clone(),
        figure(&|figures| figures.chosen.clone()),
        figure(&|figures| micros(figures.predicted)),
        figure(&|figures| micros(figures.estimate)),
        micros(solved.bound.time()),
        decides(&solved.bound).to_owned(),
        figure(&|figures| ratio(figures.predicted)),
        ran.map_or_else(String::new, |_| clock::name(arguments.options.clock()).to_owned()),
        ran.map_or_else(String::new, |ran| micros(ran.modeled)),
        real(&|real| micros(Span::from(real.wall))),
        real(&|real| real.dilation.to_string()),
        real(&|real| real.error.to_string()),
        real(&|real| real.answers.to_string()),
        real(&|real| real.late_answers.to_string()),
        real(&|real| micros(Span::from(real.slip.by))),
        real(&|real| real.verdict.to_string()),
        line.figures.as_ref().err().cloned().unwrap_or_default(),
    ]
}
