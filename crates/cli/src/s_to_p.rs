//! `multicomputer s-to-p`: compares s-to-p broadcast algorithms, on one problem in detail, or in a sweep over machines,
//! distributions, numbers of sources and lengths.
//!
//! Errors in arguments are reported before the first run.

use std::{
    fmt::{self, Write as _},
    io::Write,
};

use clap::Args;
use multicomputer::{
    Clock, Rank, Span,
    pattern::Schedule,
    plan::{PlanError, Search},
    report::LinkReport,
    s_to_p::{Algorithm, Distribution, Instance, Plan, picture},
    units::Sizes,
};
use multicomputer_study::checked;

use super::{
    broadcast::own_broadcast,
    clock,
    compare::{
        Attempt, Attempted, Case, Column, Comparison, Execution, Implementation, Place, Planned, Ran,
        Results, Row, Runs, bound_line, compare, left_out, title,
    },
    data::Content,
    error::Error,
    lists::{List, algorithm_lines, lengths},
    options::{MachinesOptions, RunOptions},
    setting::machine_columns,
    site::Site,
};

mod growth;
mod lists;
mod task;

use self::{
    growth::Growth,
    task::{Differences, Task},
};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = after_help())]
pub(super) struct Arguments {
    /// Set the number of sources, the nodes that hold a message: 30, a list 1,5,10, a doubling range 1..64, or a
    /// range in steps 10..100+10 [default: the size of a block or a list; otherwise 30, or all nodes of a smaller
    /// machine]
    #[arg(long, value_name = "NUMBERS", value_parser = lists::counts, allow_negative_numbers = true)]
    sources: Option<List<usize>>,

    // The help texts are generated from the names of distributions and algorithms.
    #[arg(long, value_name = "NAMES", default_value = "row", value_parser = lists::distributions, help = lists::distribution_help())]
    distribution: List<Distribution>,

    /// Choose the ranks of the sources, such as 0,5,17
    #[arg(long, value_name = "RANKS", value_parser = lists::ranks, conflicts_with_all = ["sources", "distribution"])]
    at: Option<List<Rank>>,

    /// Set the length of each message: 2K, a list 1K,4K, or a doubling range 8..64K (K is 1024 bytes, kB 1000)
    #[arg(long, value_name = "SIZES", default_value = "2K", allow_negative_numbers = true)]
    bytes: Sizes,

    /// Set the lengths of the messages, in the order of the sources' ranks or of --at: 64K,29x32 is one message of 64
    /// KiB and 29 of 32 bytes
    #[arg(long, value_name = "LENGTHS", value_parser = lengths, conflicts_with = "bytes")]
    lengths: Option<List<u64>>,

    #[arg(long, value_name = "NAMES", default_value = "all", value_parser = lists::algorithms, help = lists::algorithm_help())]
    algorithm: List<Algorithm>,

    /// Send lengths without data, for messages that do not fit in memory; only lengths are checked
    #[arg(long)]
    pub(super) phantom: bool,

    #[command(flatten)]
    pub(super) machines: MachinesOptions,

    #[command(flatten)]
    pub(super) options: RunOptions,
}

const EXAMPLES: &str = "\
Examples:
  multicomputer s-to-p                                 all algorithms on one problem
  multicomputer s-to-p --at 0,7,42 --bytes 8M --phantom
                                                       given sources, long messages without data
  multicomputer s-to-p --sources 6 --lengths 64K,5x32  one long message, five short ones
  multicomputer s-to-p --sources 10..100+10 --algorithm br-lin,2-step,auto
                                                       a sweep over the number of sources
  multicomputer s-to-p --mesh 4x4,8x8,16x16 --bytes 64..16K --csv times.csv
                                                       over shapes and lengths, into a file
  multicomputer s-to-p --mesh 4x4 --algorithm auto --clock real:8
                                                       in real time";

/// Returns the end of the help: algorithms and examples.
fn after_help() -> String {
    format!("Algorithms:\n{}\n\n{EXAMPLES}", algorithm_lines(lists::known(), 31))
}

/// Maximum number of algorithms for a table with a row for each problem; with more algorithms, each run has its own
/// row.
const MAX_COLUMNS: usize = 8;

/// Runs all algorithms on all problems, and prints the comparison.
pub(super) fn run(arguments: &Arguments, site: &Site, out: &mut impl Write) -> Result<(), Error> {
    let options = &arguments.options;
    let clock = options.clock();
    let machines: Vec<_> = site
        .specs(&arguments.machines)?
        .into_iter()
        .map(|machine| options.with_rendezvous_option(machine))
        .collect();
    let places = machines.iter().map(|machine| site.place(options, machine));
    let places: Vec<Place> = places.collect::<Result<_, Error>>()?;
    // After building the machines: problems of a machine that this host cannot run might not fit in memory.
    let tasks = task::tasks(arguments, &machines)?;
    let differences = Differences::of(&tasks);
    let content = Content::new(arguments.phantom, options.seed);
    let case = |task: Task| Case {
        lines: site.lines(task.algorithms.iter().map(|algorithm| vec![algorithm.clone()])),
        bound: task.instance.lower_bound(),
        spec: task.instance.machine().clone(),
        place: Some(places[task.machine].clone()),
        clock,
        problem: task,
    };
    let cases = tasks.into_iter().map(case).collect();
    let time = site.time(options);
    compare(&Broadcasts { clock, time, content, differences }, cases, Runs::All, options, out)
}

/// A table row: one run.
type R<'a> = Row<'a, Broadcasts>;

/// Comparison of s-to-p broadcast algorithms.
struct Broadcasts {
    clock: Clock,
    /// Kind of time: the name of the clock, or `MPI`.
    time: &'static str,
    content: Content,
    differences: Differences,
}

impl Comparison for Broadcasts {
    type Problem = Task;
    type Algorithm = Implementation<Algorithm>;
    type Plan = Implementation<Plan, Instance>;
    type Facts = Option<Growth>;

    const FILE: &'static str = concat!(
        machine_columns!(),
        " seed distribution sources bytes algorithm variant clock modeled_us \
                                bound_us ratio iterations messages bytes_sent link link_bytes link_busy_us wall_us \
                                dilation error answers late_answers slip_us pace"
    );

    const MPI_FILE: &'static str = concat!(
        machine_columns!(),
        " seed distribution sources bytes algorithm variant wall_us least_us lower_us \
                                    upper_us most_us repetitions mpi_ratio predicted_us prediction_error iterations \
                                    messages bytes_sent"
    );

    fn describe(&self, task: &Task, algorithm: &Implementation<Algorithm>) -> String {
        format!("{algorithm} on {task}, {}", self.time)
    }

    fn heading(&self, task: &Task, algorithm: &Implementation<Algorithm>) -> String {
        format!("{algorithm}: {task}, {}", self.time)
    }

    fn label(&self, task: &Task, algorithm: Option<&Implementation<Algorithm>>) -> String {
        self.differences.label(task, algorithm.and_then(Implementation::ours))
    }

    fn is_mpi(&self, algorithm: &Implementation<Algorithm>) -> bool {
        algorithm.ours().is_none()
    }

    fn plan(
        &self,
        task: &Task,
        algorithm: &Implementation<Algorithm>,
        search: Search,
    ) -> Attempted<Self::Plan> {
        let algorithm = match algorithm {
            Implementation::Ours(algorithm) => algorithm,
            Implementation::Mpi(()) => {
                let plan = Implementation::Mpi(task.instance.clone());
                return Ok(Ok(Planned {
                    plan,
                    predicted: None,
                    chosen: "Allgatherv".to_owned(),
                    is_complete: true,
                }));
            }
        };
        let plan = algorithm.plan_with(&task.instance, search).map_err(Error::usage)?;
        // The variant of the algorithm; for *Auto*, the chosen algorithm and its variant. Empty if the algorithm has
        // only one variant.
        let chosen = match (plan.algorithm(), plan.variant()) {
            (taken, variant) if taken == algorithm => variant.to_owned(),
            (taken, "") => taken.to_string(),
            (taken, variant) => format!("{taken}: {variant}"),
        };
        let predicted = Some(plan.prediction().modeled.since_start());
        let is_complete = plan.is_complete();
        Ok(Ok(Planned { predicted, chosen, is_complete, plan: Implementation::Ours(plan) }))
    }

    fn schedule<'a>(&self, plan: &'a Self::Plan) -> Option<&'a Schedule> {
        Some(plan.ours()?.schedule())
    }

    fn facts(&self, _: &Task, planned: &Planned<Self::Plan>, _: Option<&Ran>) -> Option<Growth> {
        planned.plan.ours().map(|plan| Growth::of(plan.growth()))
    }

    fn run(&self, plan: &Self::Plan, execution: Execution<'_>) -> Result<Ran, Error> {
        match plan {
            Implementation::Ours(plan) => checked::s_to_p(plan, self.content, execution),
            Implementation::Mpi(instance) => own_broadcast(instance, self.content, execution),
        }
    }

    /// Returns the time of the run: all plans are run.
    fn time(&self, attempt: &Attempt<Self>) -> Option<Span> {
        attempt.ran.as_ref().map(|ran| ran.time)
    }

    fn columns<'a>(&self) -> Vec<Column<'a, R<'a>>> {
        vec![
            Column::new("distribution", |row: &R| row.problem().distribution.clone()).left(),
            Column::new("sources", |row: &R| row.problem().sources()),
            Column::new("bytes", |row: &R| row.problem().bytes()),
            Column::new("variant", |row: &R| row.chosen()).left(),
            Column::new("modeled_us", Row::modeled),
            Column::new("time", Row::starred).titled(title(clock::kind_of_time(self.clock))),
            // Shown next to wall-clock times only.
            Column::new("predicted", |row: &R| {
                row.modeled().filter(|_| row.ran().is_some_and(|ran| !ran.is_modeled))
            })
            .titled("predicted {unit}"),
            Column::new("iterations", |row: &R| Some(row.facts()?.as_ref()?.iterations)),
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
        parts.push(format!("{} time", self.time));
        let heading = format!("S-to-p broadcasting: {}{}", parts.join(", "), results.setting());
        let keys = self.differences.keys.join(" ");
        let keys = match keys.strip_prefix("machine") {
            Some(others) => format!("machine {}{others}", results.setting_columns()),
            None => keys,
        };
        if results.is_over_mpi() {
            results.show_measured(&heading, &keys, "variant", text)?;
            return self.left_out(results).iter().try_for_each(|note| writeln!(text, "{note}"));
        }
        write!(text, "{heading}")?;
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
            let has_run =
                |algorithm: &Algorithm| lines().any(|line| line.algorithm.ours() == Some(algorithm));
            let run: Vec<String> = lists::known().filter(has_run).map(|run| run.to_string()).collect();
            let table = match run.len() > MAX_COLUMNS {
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
        let left_out = self.left_out(results);
        results.notes().iter().chain(&left_out).try_for_each(|note| writeln!(text, "{note}"))?;
        match results.solved {
            [_] => growth::tables(&results.rows(), text),
            _ => Ok(()),
        }
    }
}

impl Broadcasts {
    /// Returns notes on the skipped algorithms, with the reasons.
    fn left_out(&self, results: &Results<'_, Self>) -> Vec<String> {
        let causes = results.solved.iter().flat_map(|solved| &solved.case.problem.left_out);
        let words = |cause: &PlanError| match cause {
            // Without numbers, so that the problems of a sweep share one note.
            PlanError::Restricted { text, .. } if results.solved.len() > 1 => text.clone(),
            cause => cause.to_string(),
        };
        left_out(causes.map(words), |times| match results.solved.len() {
            1 => String::new(),
            problems => format!(" for {times} of {problems} problems"),
        })
    }
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
