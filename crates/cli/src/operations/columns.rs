//! Columns of comparisons of algorithms of the operations.

use multicomputer::{Span, report::LinkReport};
use multicomputer_study::Problem;

use super::{
    super::{
        clock,
        compare::{Attempt, Column, Figure, Ran, Spread, mean, title},
        setting::machine_columns,
    },
    Operations, R, Requested,
    task::COLUMNS,
};

/// Names of the CSV columns. Columns that do not apply are empty.
pub(super) const FILE: &str = concat!(
    machine_columns!(),
    " seed operation members size root distribution sources matrix fan_out skew matrix_seed class uniform sent received \
     fan_in entries total_bytes bytes element in_order algorithm chosen modeled_us predicted_us estimate_us bound_us \
     decided_by ratio algbw_gb_s busbw_gb_s iterations messages bytes_sent clock run_us waiting_us link link_bytes \
     link_busy_us wall_us dilation error answers late_answers slip_us pace least_us lower_us upper_us most_us repetitions \
     mpi_ratio prediction_error restriction"
);

/// Returns the columns.
pub(super) fn columns<'a>(of: &Operations) -> Vec<Column<'a, R<'a>>> {
    let problem = COLUMNS.map(|(name, is_left)| {
        let column = Column::new(name, move |row: &R| Figure::text_or_none(row.problem().text(name)));
        if is_left { column.left() } else { column }
    });
    let times = if of.seeds > 1 { "mean" } else { clock::kind_of_time(multicomputer::Clock::Virtual) };
    let columns = [
        Column::new("seed", |row: &R| {
            let seed = |attempt: &Attempt<Operations>| attempt.algorithm.library()?.seed();
            row.attempts.first().and_then(seed).unwrap_or(row.of.seed)
        }),
        Column::new("modeled_us", |row: &R| match is_over_mpi(row) {
            true => Figure::None,
            false => row.starred(),
        })
        .titled(title(times)),
        Column::new("min", |row: &R| row.times().min()),
        Column::new("max", |row: &R| row.times().max()),
        Column::new("estimate_us", |row: &R| row.facts()?.estimate).titled("closed form"),
        Column::new("algbw_gb_s", |row: &R| bandwidth(row)).titled("algbw GB/s"),
        Column::new("busbw_gb_s", |row: &R| bus_bandwidth(row)).titled("busbw GB/s"),
        // Means over all seeds.
        Column::new("iterations", |row: &R| row.mean_count(|attempt| Some(attempt.facts.iterations? as u64))),
        Column::new("messages", |row: &R| {
            row.mean_count(|attempt| counted(attempt).map(|ran| ran.messages).or(attempt.facts.messages))
        }),
        Column::new("bytes_sent", |row: &R| row.mean_count(|attempt| Some(counted(attempt)?.bytes)))
            .titled("bytes"),
        Column::new("clock", |row: &R| row.ran().map(|_| row.of.time)).left(),
        Column::new("run_us", |row: &R| row.run_time().filter(|_| !is_over_mpi(row))),
        // Waiting times can be far shorter than the times of runs.
        Column::new("waiting_us", |row: &R| {
            mean(row.runs().filter(|ran| ran.spread.is_none()).map(|ran| ran.waiting))
        })
        .titled("waiting {unit}")
        .own_unit(),
        Column::new("link", |row: &R| loaded(row).map(|link| link.link.to_string()))
            .titled("most loaded link")
            .left(),
        Column::new("link_bytes", |row: &R| loaded(row).map(|link| link.load.bytes)).titled("its bytes"),
        Column::new("link_busy_us", |row: &R| loaded(row).map(|link| link.load.busy)),
        Column::new("busy", busy).titled("busy %"),
        Column::new("wall", R::starred).titled(title("wall")),
        Column::new("least_us", |row: &R| spread(row, |spread| spread.least)).titled("min"),
        Column::new("lower_us", |row: &R| spread(row, |spread| spread.lower)).titled("1st quartile"),
        Column::new("upper_us", |row: &R| spread(row, |spread| spread.upper)).titled("3rd quartile"),
        Column::new("most_us", |row: &R| spread(row, |spread| spread.most)).titled("max"),
        Column::new("repetitions", |row: &R| row.ran()?.spread.map(|spread| spread.repetitions)),
        Column::new("mpi_ratio", over_mpi).titled("/ mpi"),
        Column::new("predicted_us", predicted).titled("predicted"),
        Column::new("prediction_error", |row: &R| {
            prediction_error(row).map_or(Figure::None, Figure::Percent)
        })
        .titled("error %"),
        Column::new("fastest", R::time).titled("fastest {unit}"),
    ];
    problem.into_iter().chain(columns).collect()
}

fn is_over_mpi(row: &R) -> bool {
    row.solved.case.is_over_mpi()
}

/// Returns the run of an attempt if its messages were counted: MPI does not count the messages of its own operations.
fn counted(attempt: &Attempt<Operations>) -> Option<&Ran> {
    attempt.ran.as_ref().filter(|_| !matches!(attempt.algorithm, Requested::Mpi))
}

/// Returns the link that carried the most bytes.
fn loaded<'a>(row: &R<'a>) -> Option<&'a LinkReport> {
    row.ran()?.loaded.as_ref()
}

/// Returns the fraction of the time in which the most loaded link was busy, in percent.
fn busy(row: &R) -> Option<String> {
    let (link, time) = (loaded(row)?, row.ran()?.time);
    (!time.is_zero()).then(|| format!("{:.1}", 100.0 * link.load.busy.as_secs_f64() / time.as_secs_f64()))
}

/// Returns the algorithm bandwidth of nccl-tests in GB/s: the bytes of the vector over the time; `None` if the operation takes no time.
pub(super) fn bandwidth(row: &R) -> Option<f64> {
    let Problem::Collective(task) = &row.problem().problem else { return None };
    let seconds = row.time()?.as_secs_f64();
    (seconds > 0.0).then(|| task.bytes() as f64 / seconds / 1e9)
}

/// Returns the bus bandwidth of nccl-tests in GB/s, which does not depend on the number of members; `None` if nccl-tests defines none (scan).
pub(super) fn bus_bandwidth(row: &R) -> Option<f64> {
    let Problem::Collective(task) = &row.problem().problem else { return None };
    Some(bandwidth(row)? * task.operation().bus_factor(task.size())?)
}

/// Returns a mean over the spreads of repeated calls.
fn spread(row: &R, of: impl Fn(Spread) -> Span) -> Option<Span> {
    mean(row.runs().filter_map(|ran| ran.spread).map(of))
}

/// Returns the mean prediction of all attempts.
pub(super) fn predicted(row: &R) -> Option<Span> {
    mean(row.attempts.iter().filter_map(|attempt| attempt.predicted))
}

/// Returns the ratio of the time to the time of MPI's own operation.
pub(super) fn over_mpi(row: &R) -> Option<f64> {
    let is_mpi = |requested: &Requested| matches!(requested, Requested::Mpi);
    let native = row.solved.lines.iter().position(|line| is_mpi(&line.algorithm))?;
    let native = row.solved.row(row.of, native).run_time().filter(|time| !time.is_zero())?;
    let time = row.run_time().filter(|_| !is_mpi(&row.line.algorithm));
    time.map(|time| time.as_secs_f64() / native.as_secs_f64())
}

/// Returns the relative error of the prediction over MPI: predicted time over measured time, minus 1.
pub(super) fn prediction_error(row: &R) -> Option<f64> {
    let (predicted, time) = (predicted(row)?, row.run_time().filter(|_| is_over_mpi(row))?);
    (!time.is_zero()).then(|| predicted.as_secs_f64() / time.as_secs_f64() - 1.0)
}
