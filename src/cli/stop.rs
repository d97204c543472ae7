//! `multicomputer stop`: the s-to-p algorithms side by side, on one problem with all that is known of it, or in a sweep
//! over machines, distributions, numbers of sources and lengths.
//!
//! Anything that cannot be done is found out before the first run.

use std::{
    fmt::{self, Write as _},
    io::Write,
    rc::Rc,
};

use clap::Args;
use multicomputer::{
    Clock, Machine, Rank, Span,
    report::LinkReport,
    stop::{Algorithm, Distribution, Plan, picture},
    units::Sizes,
};

use super::{
    broadcast::broadcast,
    clock,
    compare::{
        Attempt, Case, Column, Comparison, Execution, Figure, Ran, Refusal, Row, Runs, Solved, bound_columns,
        bound_line, by_algorithm, clock_column, compare, left_out, machine_columns, of_runs, pace_columns,
        starred, table, time_columns, unit_of,
    },
    data::Content,
    error::Error,
    lists::List,
    options::{MachinesOptions, RunOptions},
};

mod growth;
mod lists;
mod task;

use self::{
    growth::Growth,
    lists::Choice,
    task::{Differences, Task},
};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Number of nodes that hold a message: 30, a list 1,5,10, a doubling range 1..64, or one in steps 10..100+10
    /// [default: as many as a block or a list has, otherwise 30, or all nodes of a smaller machine]
    #[arg(long, value_name = "NUMBERS", value_parser = lists::counts, allow_negative_numbers = true)]
    sources: Option<List<usize>>,

    // The help texts of names are made from what can be spelled.
    #[arg(long, value_name = "NAMES", default_value = "row", value_parser = lists::distributions, help = lists::distribution_help())]
    distribution: List<Distribution>,

    /// The ranks of the sources, such as 0,5,17
    #[arg(long, value_name = "RANKS", value_parser = lists::ranks, conflicts_with_all = ["sources", "distribution"])]
    at: Option<List<Rank>>,

    /// The length of each message: 2K, a list 1K,4K, or a doubling range 8..64K
    #[arg(long, value_name = "SIZES", default_value = "2K", allow_negative_numbers = true)]
    bytes: Sizes,

    #[arg(long, value_name = "NAMES", default_value = "all", value_parser = lists::algorithms, help = lists::algorithm_help())]
    algorithm: List<Choice>,

    /// Send lengths without data, for messages that would not fit in memory; then only lengths are checked
    #[arg(long)]
    phantom: bool,

    #[command(flatten)]
    machines: MachinesOptions,

    #[command(flatten)]
    options: RunOptions,
}

const EXAMPLES: &str = "\
Examples:
  multicomputer stop                                   all algorithms on one problem
  multicomputer stop --at 0,7,42 --bytes 8M --phantom  given sources, long messages without data
  multicomputer stop --sources 10..100+10 --algorithm br-lin,2-step,auto
                                                       a sweep over the number of sources
  multicomputer stop --mesh 4x4,8x8,16x16 --bytes 64..16K --csv times.csv
                                                       over shapes and lengths, into a file
  multicomputer stop --mesh 4x4 --algorithm auto --clock real:8
                                                       in real time";

/// With more algorithms than this a row for each problem would be too wide; then each run has a row of its own.
const WIDEST: usize = 8;

/// Runs all algorithms on all problems, and prints how they compare.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let options = &arguments.options;
    let clock = options.clock();
    let machines = arguments.machines.descriptions()?;
    let machines = machines.iter().map(|description| options.build(description, clock).map(Rc::new));
    let machines: Vec<Rc<Machine>> = machines.collect::<Result<_, Error>>()?;
    // Only now: machines that this host cannot run have been refused, and their problems would not fit in memory.
    let tasks = task::tasks(arguments, &machines)?;
    let differences = Differences::of(&tasks);
    let content = Content::new(arguments.phantom, options.seed);
    let case = |task: Task| Case {
        lines: task.algorithms.iter().map(|&algorithm| vec![algorithm]).collect(),
        bound: task.instance.lower_bound(),
        description: task.instance.machine().clone(),
        machine: Some(machines[task.machine].clone()),
        clock,
        problem: task,
    };
    let cases = tasks.into_iter().map(case).collect();
    compare(&Broadcasts { clock, content, differences }, cases, Runs::All, options, out)
}

/// A run.
type R<'a> = Row<'a, Broadcasts>;

/// The comparison.
struct Broadcasts {
    clock: Clock,
    content: Content,
    differences: Differences,
}

impl Comparison for Broadcasts {
    type Problem = Task;
    type Algorithm = Algorithm;
    type Plan = Plan;
    type Facts = Growth;

    fn name(&self, algorithm: &Algorithm) -> String {
        algorithm.to_string()
    }

    fn describe(&self, task: &Task, algorithm: &Algorithm) -> String {
        format!("{algorithm} on {task}, {}", clock::name(self.clock))
    }

    fn label(&self, task: &Task, algorithm: Option<&Algorithm>) -> String {
        self.differences.label(task, algorithm)
    }

    fn plan(&self, task: &Task, algorithm: &Algorithm) -> Result<Plan, Refusal> {
        algorithm.plan(&task.instance).map_err(|cause| Refusal::Fatal(Error::usage(cause)))
    }

    fn predicted(&self, plan: &Plan) -> Option<Span> {
        Some(plan.prediction().modeled.since_start())
    }

    /// The variant of the algorithm, or what *Auto* has taken; empty if it has only one.
    fn chosen(&self, algorithm: &Algorithm, plan: &Plan) -> String {
        match (plan.algorithm(), plan.variant()) {
            (taken, variant) if taken == algorithm => variant.to_owned(),
            (taken, "") => taken.to_string(),
            (taken, variant) => format!("{taken}: {variant}"),
        }
    }

    fn facts(&self, _: &Task, plan: &Plan, _: Option<&Ran>) -> Growth {
        Growth::of(plan.growth())
    }

    fn run(&self, plan: &Plan, execution: Execution<'_>) -> Result<Ran, Error> {
        broadcast(plan, self.content, execution)
    }

    /// The time of the run: all of them are run.
    fn time(&self, attempt: &Attempt<Self>) -> Option<Span> {
        attempt.ran.as_ref().map(|ran| ran.time)
    }

    fn columns<'a>(&self) -> Vec<Column<Row<'a, Self>>> {
        let [bound, _, ratio] = bound_columns();
        let [modeled_us, time] = time_columns(clock::kind_of_time(self.clock));
        let mut columns: Vec<Column<R<'a>>> = machine_columns().into();
        columns.extend([
            Column::new("distribution", |row: &R| Figure::text(&row.problem().distribution)).left(),
            Column::new("sources", |row: &R| Figure::text(row.problem().sources())),
            Column::new("bytes", |row: &R| Figure::text(row.problem().bytes)),
            Column::new("algorithm", |row: &R| Figure::Text(row.name())).left(),
            Column::new("variant", |row: &R| Figure::Text(row.chosen())).left(),
            clock_column(),
            modeled_us,
            time,
            bound,
            ratio,
            Column::new("iterations", |row: &R| {
                row.facts().map(|growth| growth.iterations.to_string()).into()
            }),
            Column::new("messages", |row: &R| row.ran().map(|ran| ran.messages.to_string()).into()),
            Column::new("bytes_sent", |row: &R| row.ran().map(|ran| ran.bytes.to_string()).into())
                .titled("bytes"),
            Column::new("link", |row: &R| loaded(row, |link| Figure::text(link.link)))
                .titled("most loaded link")
                .left(),
            Column::new("link_bytes", |row: &R| loaded(row, |link| Figure::text(link.load.bytes)))
                .titled("its bytes"),
            Column::new("link_busy_us", |row: &R| loaded(row, |link| link.load.busy.into())),
            Column::shown("busy", busy).titled("busy %"),
        ]);
        columns.extend(pace_columns());
        columns
    }

    fn show(&self, solved: &[Solved<Self>], text: &mut String) -> fmt::Result {
        let Some(first) = solved.first() else { return Ok(()) };
        let unit = unit_of(self, solved, |row| vec![row.time()]);
        let columns = self.columns();
        let rows: Vec<Row<'_, Self>> = solved.iter().flat_map(|solved| solved.rows(self)).collect();
        let mut parts = self.differences.common(&first.case.problem);
        parts.push(format!("{} time", clock::name(self.clock)));
        write!(text, "S-to-p broadcasting: {}", parts.join(", "))?;
        if let [one] = solved {
            writeln!(text, "\n")?;
            if let Some(grid) = one.case.problem.instance.machine().topology().grid() {
                writeln!(text, "{}", picture(grid, one.case.problem.instance.sources()))?;
            }
            let names =
                "algorithm time ratio iterations messages bytes_sent link link_bytes busy pace error variant";
            writeln!(text, "{}", table(&columns, names, &rows, unit))?;
            writeln!(text, "{}", bound_line(&one.case.bound, unit))?;
        } else {
            writeln!(text, "; {} times in {}\n", clock::kind_of_time(self.clock), unit.name())?;
            let has_run = |algorithm: &Algorithm| rows.iter().any(|row| row.line.algorithm == *algorithm);
            let run: Vec<String> = Algorithm::all().filter(has_run).map(|run| run.to_string()).collect();
            let keys = self.differences.keys.join(" ");
            let table = match run.len() > WIDEST {
                true => {
                    let names = format!("{keys} algorithm time bound_us ratio variant");
                    table(&columns, &names, &rows, unit)
                }
                false => {
                    by_algorithm(self, solved, [&keys, "bound_us"], &run, unit, |row| starred(row, unit))
                }
            };
            writeln!(text, "{table}")?;
        }
        self.notes(solved, text, &unit.star())?;
        match solved {
            [_] => growth::tables(&rows, text),
            _ => Ok(()),
        }
    }
}

impl Broadcasts {
    /// Notes on the marks, on what was checked and left out, and on how well the host kept pace.
    fn notes(&self, solved: &[Solved<Self>], text: &mut String, star: &str) -> fmt::Result {
        let checked = match self.content {
            Content::Random { .. } => "every byte of every source",
            Content::Phantom => "a message of the right length from every source",
        };
        writeln!(text, "{star}\nAfter every run every node held {checked}.")?;
        let left_out = left_out(solved.iter().flat_map(|solved| &solved.case.problem.left_out), |times| {
            match solved.len() {
                1 => String::new(),
                problems => format!(" of {times} of {problems} problems"),
            }
        });
        let notes = of_runs(self, solved).into_iter().chain(left_out);
        notes.into_iter().try_for_each(|note| writeln!(text, "{note}"))
    }
}

/// A figure of the link that carried the most bytes.
fn loaded(row: &Row<'_, Broadcasts>, figure: fn(&LinkReport) -> Figure) -> Figure {
    row.ran().and_then(|ran| ran.loaded.as_ref()).map_or(Figure::None, figure)
}

/// The share of the time in which that link was busy.
fn busy(row: &Row<'_, Broadcasts>) -> Figure {
    let busy = row.ran().and_then(|ran| Some((ran.loaded.as_ref()?.load.busy, ran.time)));
    let share =
        busy.filter(|(_, time)| !time.is_zero()).map(|(busy, time)| busy.as_secs_f64() / time.as_secs_f64());
    share.map(|share| format!("{:.1}", 100.0 * share)).into()
}
