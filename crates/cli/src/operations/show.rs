//! Results of a comparison of algorithms as text: one form for all operations.

use std::{
    collections::BTreeMap,
    fmt::{self, Write},
};

use multicomputer::Clock;
use multicomputer_published::median;

use super::{
    super::{
        compare::{Column, Figure, Results, Solved, bound_line, table},
        data::Content,
        table::Table,
        unit::Unit,
    },
    Operations, R, Requested, columns, growth,
};

/// Maximum number of algorithms for a table with a row for each problem; with more algorithms, each run has its own
/// row.
const MAX_COLUMNS: usize = 20;

type All<'a> = Results<'a, Operations>;

/// Writes the heading, one problem in detail or the table of a sweep, and notes.
pub(super) fn show(of: &Operations, results: &All<'_>, text: &mut String) -> fmt::Result {
    let unit = results.unit(|row| {
        [
            row.times().min(),
            row.facts().and_then(|facts| facts.estimate),
            row.run_time(),
            columns::predicted(row),
        ]
    });
    let common = of.differences.common(results.first());
    write!(text, "{}: {common}, {} time{}", of.title, of.time, results.setting())?;
    match results.solved {
        [one] => {
            writeln!(text, "\n")?;
            if let Some(picture) = results.first().picture() {
                writeln!(text, "{picture}")?;
            }
            writeln!(text, "{}", results.table(&names(of, results), unit))?;
            if !results.is_over_mpi() {
                writeln!(text, "{}", fastest_and_bound(results, one, unit))?;
            }
        }
        _ => sweep(of, results, unit, text)?,
    }
    notes(of, results, unit).iter().try_for_each(|note| writeln!(text, "{note}"))?;
    match results.solved {
        [_] => growth::tables(&results.rows(), text),
        _ => Ok(()),
    }
}

/// Returns the columns for one problem.
fn names(of: &Operations, results: &All<'_>) -> String {
    if results.is_over_mpi() {
        return "algorithm wall least_us lower_us upper_us most_us mpi_ratio? predicted_us prediction_error messages? \
                bytes_sent? chosen"
            .to_owned();
    }
    let spread = if of.seeds > 1 { "min max" } else { "" };
    let bandwidths = if of.bandwidth { "algbw_gb_s busbw_gb_s" } else { "" };
    // Figures that only runs have would be empty for most algorithms.
    let runs = match results.counts() {
        (all, runs) if all == runs => "bytes_sent? waiting_us? link? link_bytes? busy?",
        _ => "",
    };
    format!(
        "algorithm modeled_us {spread} {bandwidths} estimate_us? ratio iterations? messages? {runs} run? pace? error? chosen"
    )
}

/// Writes the tables of a sweep: the figures of each algorithm on each problem, and the fastest algorithms.
fn sweep(of: &Operations, results: &All<'_>, unit: Unit, text: &mut String) -> fmt::Result {
    let keys = of.differences.0.iter().map(|key| match *key {
        "machine" => format!("machine {}", results.setting_columns()),
        key => key.to_owned(),
    });
    let keys = keys.collect::<Vec<_>>().join(" ");
    let mut names: Vec<String> = Vec::new();
    // Without the algorithms that apply to no problem: notes say why.
    let rows: Vec<R<'_>> = results.rows().into_iter().filter(|row| !row.attempts.is_empty()).collect();
    for name in rows.iter().map(R::name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let is_over_mpi = results.is_over_mpi();
    let kind = if is_over_mpi { "wall" } else { "modeled" };
    writeln!(text, "; {kind} times in {}\n", unit.name())?;
    let mut by_algorithm = |title: String, figure: fn(&R<'_>) -> Figure| {
        let table = table_of(results, &keys, &names, unit, figure);
        table.map_or(Ok(()), |table| writeln!(text, "{title}{table}"))
    };
    if names.len() > MAX_COLUMNS {
        let times = if is_over_mpi { "wall mpi_ratio? predicted_us" } else { "modeled_us" };
        let names = format!("{keys} algorithm {times} run? bound_us ratio? chosen");
        writeln!(text, "{}", table(&results.columns(), &names, &rows, unit))?;
    } else {
        by_algorithm(String::new(), |row| row.starred())?;
        let wall = |row: &R<'_>| row.run_time().filter(|_| row.runs().any(|ran| !ran.is_modeled)).into();
        if is_over_mpi {
            by_algorithm("Times divided by that of MPI's operation:\n\n".to_owned(), |row| {
                columns::over_mpi(row).into()
            })?;
            by_algorithm("Prediction errors, percent of the measured time:\n\n".to_owned(), |row| {
                columns::prediction_error(row).map_or(Figure::None, Figure::Percent)
            })?;
        } else {
            by_algorithm(format!("Run times on the threads of this host, in {}:\n\n", unit.name()), wall)?;
        }
        if of.bandwidth {
            by_algorithm("Algorithm bandwidth in GB/s:\n\n".to_owned(), |row| {
                columns::bandwidth(row).into()
            })?;
            by_algorithm("Bus bandwidth in GB/s:\n\n".to_owned(), |row| columns::bus_bandwidth(row).into())?;
        }
        if of.seeds > 1 {
            by_algorithm(format!("Minimum of {} seeds (means above):\n\n", of.seeds), |row| {
                row.times().min().filter(|_| row.attempts.len() > 1).into()
            })?;
            by_algorithm(format!("Maximum of {} seeds:\n\n", of.seeds), |row| {
                row.times().max().filter(|_| row.attempts.len() > 1).into()
            })?;
        }
    }
    if is_over_mpi {
        return Ok(());
    }
    let fastest = results.solved.iter().filter_map(|solved| Some(solved.fastest(results.of)?.0));
    let names = format!("{keys} fastest bound_us ratio decided_by algorithm chosen");
    writeln!(text, "{}", table(&results.columns(), &names, &fastest.collect::<Vec<_>>(), unit))
}

/// Returns a table with a row for each problem: the columns `keys`, and a figure of each algorithm that has it; `None` if none has.
fn table_of(
    results: &All<'_>,
    keys: &str,
    algorithms: &[String],
    unit: Unit,
    figure: fn(&R<'_>) -> Figure,
) -> Option<Table> {
    let has_value = |row: &R<'_>| !matches!(figure(row), Figure::None | Figure::Starred(None, _));
    let rows = results.rows();
    let has_figure = |algorithm: &&String| rows.iter().any(|row| row.name() == **algorithm && has_value(row));
    let algorithms: Vec<&String> = algorithms.iter().filter(has_figure).collect();
    if algorithms.is_empty() {
        return None;
    }
    let is_starred = rows.iter().any(|row| matches!(figure(row), Figure::Starred(..)));
    let mut columns = results.columns();
    let mut names = keys.to_owned();
    for (nth, algorithm) in algorithms.into_iter().enumerate() {
        let name = format!("#{nth}");
        names += &format!(" {name}");
        let algorithm = algorithm.clone();
        let title = if is_starred { format!("{algorithm}  ") } else { algorithm.clone() };
        let of_case = move |first: &R<'_>| {
            let rows = first.solved.rows(first.of);
            let empty = if is_starred { Figure::Starred(None, None) } else { Figure::None };
            rows.iter().find(|row| row.name() == algorithm).map_or(empty, figure)
        };
        columns.push(Column::new(name, of_case).titled(title));
    }
    let first = results.solved.iter().filter_map(|solved| solved.rows(results.of).into_iter().next());
    Some(table(&columns, &names, &first.collect::<Vec<_>>(), unit))
}

/// Returns a line with the fastest algorithm and its time, and a line with the lower bound.
fn fastest_and_bound(results: &All<'_>, solved: &Solved<Operations>, unit: Unit) -> String {
    let bound = &solved.case.bound;
    let fastest = solved.fastest(results.of).map_or_else(String::new, |(row, time)| {
        let ratio = bound.ratio(time);
        let of_bound = ratio.map_or_else(String::new, |ratio| format!(", {ratio:.2} times the lower bound"));
        let how = match (row.name(), row.chosen()) {
            (name, chosen) if name == chosen => name,
            (name, chosen) => format!("{chosen}, chosen by {name}"),
        };
        format!("Fastest: {how}: {}{of_bound}.\n", unit.text(time))
    });
    fastest + &bound_line(bound, unit)
}

/// Returns the notes under the tables.
fn notes(of: &Operations, results: &All<'_>, unit: Unit) -> Vec<String> {
    let mut notes = Vec::new();
    if results.is_over_mpi() {
        notes.extend(measured(results));
    } else {
        notes.extend((results.solved.len() > 1).then(|| unit.star()));
        notes.push(which_ran(of, results));
        let is_sorted = |row: &R<'_>| {
            row.line.algorithm.library().is_some_and(multicomputer_study::Algorithm::needs_data)
                && !row.attempts.is_empty()
        };
        if of.content == Content::Phantom && results.rows().iter().any(is_sorted) {
            notes.push("`sorting` was not run: it needs data, and --phantom sends none.".to_owned());
        }
        notes.extend(results.notes());
    }
    notes.extend(skipped(results));
    notes
}

/// Returns the note on which plans were run, and what was checked.
fn which_ran(of: &Operations, results: &All<'_>) -> String {
    let has = match of.content {
        Content::Random { .. } => "every node has the correct data",
        Content::Phantom => "every node has data of the correct length",
    };
    let which = match results.counts() {
        (_, 0) => {
            return "Nothing was run: all times are predictions, which are exact in virtual time.".to_owned();
        }
        (1, 1) => "The plan was run".to_owned(),
        (all, runs) if runs == all => format!("All {runs} plans were run"),
        (all, runs) => {
            let were = if runs == 1 { "was" } else { "were" };
            let others = if all - runs == 1 { "the other is" } else { "the others are" };
            format!("{runs} of {all} plans {were} run, {others} predicted")
        }
    };
    match results.solved[0].case.clock {
        Clock::Virtual if results.has_predictions() => format!("{which}: predictions are exact, and {has}."),
        Clock::RealTime { .. } => format!("{which}, in real time: {has}."),
        Clock::Host => format!("{which}, on the threads of this host: {has}."),
        _ => format!("{which}: {has}."),
    }
}

/// Returns a line for each distinct reason for skipping algorithms, without numbers, in which problems differ.
fn skipped(results: &All<'_>) -> Vec<String> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let all = results.solved.len();
    for line in results.solved.iter().flat_map(|solved| &solved.lines) {
        if let Err(cause) = &line.attempts {
            let cause = if all == 1 { cause } else { cause.split(" (here: ").next().unwrap_or(cause) };
            *times.entry(named(&line.algorithm, cause)).or_default() += 1;
        }
    }
    let note = |(cause, times): (String, usize)| match times == all {
        true => format!("Skipped: {cause}."),
        false => format!("Skipped for {times} of {all} problems: {cause}."),
    };
    times.into_iter().map(note).collect()
}

/// Returns the reason why an algorithm has no plan, with the name of the algorithm unless the reason contains it.
pub(super) fn named(requested: &Requested, cause: &str) -> String {
    let name = format!("`{requested}`");
    if cause.contains(&name) { cause.to_owned() } else { format!("{name} has no plan: {cause}") }
}

/// Returns notes on runs over MPI: how times were measured, the median prediction error, and the median ratio to MPI's own
/// operation.
fn measured(results: &All<'_>) -> Vec<String> {
    let rows = results.rows();
    let repetitions = rows.iter().filter_map(|row| row.ran()?.spread).map(|spread| spread.repetitions).max();
    let mut notes = vec![
        format!(
            "* is the fastest. Times are medians of {} calls after one warm-up call. Every call begins after a barrier, and \
             its time is that of the slowest rank, by its own clock.",
            repetitions.unwrap_or(0)
        ),
        "Every rank checked every byte that it received in the first and in the last call.".to_owned(),
    ];
    if let Some(error) = median(rows.iter().filter_map(columns::prediction_error).map(f64::abs).collect()) {
        let machine = results.solved[0].case.spec.name();
        notes.push(format!(
            "Predictions are for the machine {machine}; their median error is {:.0} %.",
            100.0 * error
        ));
    }
    let least = |solved: &Solved<Operations>| {
        solved.rows(results.of).iter().filter_map(columns::over_mpi).min_by(f64::total_cmp)
    };
    let least: Vec<f64> = results.solved.iter().filter_map(least).collect();
    if let Some(median) = median(least.clone()) {
        let fast = least.iter().filter(|ratio| **ratio <= 1.0).count();
        notes.push(match least[..] {
            [ratio] => format!("The fastest algorithm takes {ratio:.2} times as long as MPI's operation."),
            _ => format!(
                "The fastest algorithm takes {median:.2} times as long as MPI's operation (median), and is at least as fast in \
                 {fast} of {} cases.",
                least.len()
            ),
        });
    }
    notes
}
