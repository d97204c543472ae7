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
        Attempt, Case, Column, Comparison, Execution, Planned, Ran, Results, Row, Runs, bound_line, compare,
        left_out, title,
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

    const FILE: &'static str = "machine rows columns distribution sources bytes algorithm variant clock modeled_us \
                                bound_us ratio iterations messages bytes_sent link link_bytes link_busy_us wall_us \
                                dilation error answers late_answers slip_us pace";

    fn describe(&self, task: &Task, algorithm: &Algorithm) -> String {
        format!("{algorithm} on {task}, {}", clock::name(self.clock))
    }

    fn heading(&self, task: &Task, algorithm: &Algorithm) -> String {
        format!("{algorithm}: {task}, {}", clock::name(self.clock))
    }

    fn label(&self, task: &Task, algorithm: Option<&Algorithm>) -> String {
        self.differences.label(task, algorithm)
    }

    fn plan(&self, task: &Task, algorithm: &Algorithm) -> Result<Result<Planned<Plan>, String>, Error> {
        let plan = algorithm.plan(&task.instance).map_err(Error::usage)?;
        // The variant of the algorithm, or what *Auto* has taken; empty if it has only one.
        let chosen = match (plan.algorithm(), plan.variant()) {
            (taken, variant) if taken == algorithm => variant.to_owned(),
            (taken, "") => taken.to_string(),
            (taken, variant) => format!("{taken}: {variant}"),
        };
        Ok(Ok(Planned { predicted: Some(plan.prediction().modeled.since_start()), chosen, plan }))
    }

    fn facts(&self, _: &Task, planned: &Planned<Plan>, _: Option<&Ran>) -> Growth {
        Growth::of(planned.plan.growth())
    }

    fn run(&self, plan: &Plan, execution: Execution<'_>) -> Result<Ran, Error> {
        broadcast(plan, self.content, execution)
    }

    /// The time of the run: all of them are run.
    fn time(&self, attempt: &Attempt<Self>) -> Option<Span> {
        attempt.ran.as_ref().map(|ran| ran.time)
    }

    fn columns<'a>(&self) -> Vec<Column<'a, R<'a>>> {
        vec![
            Column::new("distribution", |row: &R| row.problem().distribution.clone()).left(),
            Column::new("sources", |row: &R| row.problem().sources()),
            Column::new("bytes", |row: &R| row.problem().bytes),
            Column::new("variant", |row: &R| row.chosen()).left(),
            Column::new("modeled_us", Row::modeled),
            Column::new("time", Row::starred).titled(title(clock::kind_of_time(self.clock))),
            // Beside times of the host.
            Column::new("predicted", |row: &R| {
                row.modeled().filter(|_| row.ran().is_some_and(|ran| !ran.is_modeled))
            })
            .titled("predicted {unit}"),
            Column::new("iterations", |row: &R| row.facts().map(|growth| growth.iterations)),
            Column::new("link", |row: &R| loaded(row).map(|link| link.link.to_string()))
                .titled("most loaded link")
                .left(),
            Column::new("link_bytes", |row: &R| loaded(row).map(|link| link.load.bytes)).titled("its bytes"),
            Column::new("link_busy_us", |row: &R| loaded(row).map(|link| link.load.busy)),
            Column::new("busy", busy).titled("busy %"),
        ]
    }

    fn show(&self, results: &Results<'_, Self>, text: &mut String) -> fmt::Result {
        let (first, unit) = (results.first(), results.unit(|row| [row.time()]));
        let mut parts = self.differences.common(first);
        parts.push(format!("{} time", clock::name(self.clock)));
        write!(text, "S-to-p broadcasting: {}", parts.join(", "))?;
        if let [one] = results.solved {
            writeln!(text, "\n")?;
            if let Some(grid) = first.instance.machine().topology().grid() {
                writeln!(text, "{}", picture(grid, first.instance.sources()))?;
            }
            let names = "algorithm time predicted? ratio iterations messages bytes_sent link link_bytes busy pace? error? \
                         variant";
            writeln!(text, "{}\n{}", results.table(names, unit), bound_line(&one.case.bound, unit))?;
        } else {
            writeln!(text, "; {} times in {}\n", clock::kind_of_time(self.clock), unit.name())?;
            let lines = || results.solved.iter().flat_map(|solved| &solved.lines);
            let has_run = |algorithm: &Algorithm| lines().any(|line| line.algorithm == *algorithm);
            let run: Vec<String> = Algorithm::all().filter(has_run).map(|run| run.to_string()).collect();
            let keys = self.differences.keys.join(" ");
            let table = match run.len() > WIDEST {
                true => {
                    results.table(&format!("{keys} algorithm time predicted? bound_us ratio variant"), unit)
                }
                false => results.times([&keys, "bound_us"], &run, unit),
            };
            writeln!(text, "{table}")?;
        }
        let checked = match self.content {
            Content::Random { .. } => "every byte of every source",
            Content::Phantom => "a message of the right length from every source",
        };
        let star = match self.clock {
            Clock::Host => "* is the fastest of these runs.".to_owned(),
            _ => unit.star(),
        };
        writeln!(text, "{star}\nAfter every run every node held {checked}.")?;
        let causes = results.solved.iter().flat_map(|solved| &solved.case.problem.left_out);
        let left_out = left_out(causes, |times| match results.solved.len() {
            1 => String::new(),
            problems => format!(" of {times} of {problems} problems"),
        });
        results.notes().iter().chain(&left_out).try_for_each(|note| writeln!(text, "{note}"))?;
        match results.solved {
            [_] => growth::tables(&results.rows(), text),
            _ => Ok(()),
        }
    }
}

/// The link that carried the most bytes.
fn loaded<'a>(row: &R<'a>) -> Option<&'a LinkReport> {
    row.ran()?.loaded.as_ref()
}

/// The share of the time in which that link was busy.
fn busy(row: &R) -> Option<String> {
    let (link, time) = (loaded(row)?, row.ran()?.time);
    (!time.is_zero()).then(|| format!("{:.1}", 100.0 * link.load.busy.as_secs_f64() / time.as_secs_f64()))
}
