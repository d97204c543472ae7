//! Columns shared by all comparisons.

use multicomputer::{Clock, Span, report::Verdict};

use super::{
    super::{clock, setting},
    Column, Comparison, Figure, Ran, Row, decides,
};

/// Returns all columns: first those specific to the comparison, which take precedence over shared columns of the same
/// name, then the shared columns.
pub(super) fn columns<'a, C: Comparison>(of: &C) -> Vec<Column<'a, Row<'a, C>>> {
    let mut columns = of.columns();
    columns.extend(setting::columns(|row: &Row<'a, C>| &row.solved.setting));
    columns.extend(attempts());
    columns.extend(bound());
    columns.extend(runs());
    columns.extend(pace());
    columns
}

/// Returns columns for the algorithm, its variant and its time, or the reason why it does not apply.
fn attempts<'a, C: Comparison>() -> [Column<'a, Row<'a, C>>; 4] {
    [
        Column::new("algorithm", |row: &Row<'a, C>| row.name()).left(),
        Column::new("chosen", |row: &Row<'a, C>| (!row.attempts.is_empty()).then(|| row.chosen())).left(),
        Column::new("modeled_us", Row::starred).titled(title("modeled")),
        Column::new("restriction", |row: &Row<'a, C>| row.line.attempts.as_ref().err().cloned()),
    ]
}

/// Returns the title of a column of times with a star; its last two blanks are above the star.
pub(crate) fn title(times: &str) -> String {
    format!("{times} {{unit}}  ")
}

/// Returns columns for the lower bound, the tightest of its parts, and the ratio of the time to the lower bound.
fn bound<'a, C: Comparison>() -> [Column<'a, Row<'a, C>>; 3] {
    [
        Column::new("bound_us", |row: &Row<'a, C>| row.solved.case.bound.time()).titled("lower bound"),
        Column::new("decided_by", |row: &Row<'a, C>| decides(&row.solved.case.bound))
            .titled("tightest bound")
            .left(),
        Column::new("ratio", Row::ratio).titled("/ bound"),
    ]
}

/// Returns columns for the run. Tables show its time only under clocks where it can differ from the prediction.
fn runs<'a, C: Comparison>() -> [Column<'a, Row<'a, C>>; 5] {
    [
        Column::new("clock", |row: &Row<'a, C>| row.ran().map(|_| clock::name(row.solved.case.clock))).left(),
        Column::new("run_us", Row::run_time),
        Column::new("run", |row: &Row<'a, C>| {
            row.run_time().filter(|_| row.solved.case.clock != Clock::Virtual)
        })
        .titled("run {unit}"),
        Column::new("messages", |row: &Row<'a, C>| row.ran().map(|ran| ran.messages)),
        Column::new("bytes_sent", |row: &Row<'a, C>| row.ran().map(|ran| ran.bytes)).titled("bytes"),
    ]
}

/// Returns columns for the pace of the host in real time. The wall-clock time is also that of runs without modeled
/// time.
fn pace<'a, C: Comparison>() -> [Column<'a, Row<'a, C>>; 7] {
    [
        Column::new("wall_us", |row: &Row<'a, C>| {
            let wall = |ran: &Ran| match ran.real_time {
                Some(real) => Some(Span::from(real.wall)),
                None => (!ran.is_modeled).then_some(ran.time),
            };
            row.ran().and_then(wall)
        }),
        Column::new("dilation", |row: &Row<'a, C>| row.real().next().map(|real| real.dilation)),
        Column::new("error", |row: &Row<'a, C>| {
            let errors: Vec<f64> = row.real().map(|real| real.error).collect();
            match errors.len() {
                0 => Figure::None,
                several => Figure::Percent(errors.iter().sum::<f64>() / several as f64),
            }
        })
        .titled("error %"),
        Column::new("answers", |row: &Row<'a, C>| row.real().next().map(|real| real.calls)),
        Column::new("late_answers", |row: &Row<'a, C>| row.real().next().map(|real| real.late_calls)),
        Column::new("slip_us", |row: &Row<'a, C>| {
            row.real().next().map(|real| Span::from(real.largest_lateness.by))
        }),
        // A slipped run takes precedence over the first run.
        Column::new("pace", |row: &Row<'a, C>| {
            let slipped = row.real().find(|real| real.verdict == Verdict::Slipped);
            slipped.or(row.real().next()).map(|real| real.verdict.to_string())
        }),
    ]
}
