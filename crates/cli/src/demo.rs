//! `multicomputer demo`, also the default command: an s-to-p broadcast of real data from several distributions of the
//! sources, in virtual and in real time.

use std::{
    fmt::{self, Write as _},
    io::Write,
    rc::Rc,
};

use clap::Args;
use multicomputer::{
    Clock, Machine, Span,
    model::MachineSpec,
    pattern::Schedule,
    plan::Search,
    s_to_p::{Algorithm, Distribution, Instance, Plan},
    units::{Sizes, format_bytes},
};
use multicomputer_study::{checked, place_sources};

use super::{
    clock,
    compare::{
        Attempt, Attempted, Case, Column, Comparison, Execution, Place, Planned, Ran, Results, Row, Runs,
        compare, on_the_host,
    },
    count::counted,
    data::Content,
    error::Error,
    lists::List,
    options::{MachineOptions, RunOptions, read_number},
    pace::pace,
    patience,
    setting::machine_columns,
    unit::Unit,
};

/// Default distributions.
const DEFAULT_DISTRIBUTIONS: [Distribution; 3] =
    [Distribution::Row, Distribution::RightDiagonal, Distribution::SquareBlock];

/// Arguments of the command.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Set the number of sources, the nodes that hold a message [default: the size of a block or a list; otherwise
    /// 30, or all nodes of a smaller machine]
    #[arg(long, value_name = "NUMBER", value_parser = read_number::<usize>, allow_negative_numbers = true)]
    sources: Option<usize>,

    /// Set the length of each message: 2K, a list 1K,4K, or a doubling range 8..64K (K is 1024 bytes, kB 1000)
    #[arg(long, value_name = "SIZES", default_value = "2K", allow_negative_numbers = true)]
    bytes: Sizes,

    // The help text is generated from the names of the distributions.
    #[arg(long, value_name = "NAME", value_delimiter = ',', help = distribution_help())]
    distribution: Vec<Distribution>,

    #[command(flatten)]
    machine: MachineOptions,

    #[command(flatten)]
    options: RunOptions,
}

fn distribution_help() -> String {
    let default = DEFAULT_DISTRIBUTIONS.map(|distribution| distribution.name()).join(", ");
    format!(
        "Place the sources, comma-separated; repeatable: {} [default: {default}]",
        Distribution::spellings()
    )
}

/// One run of the demonstration, with its plan.
#[derive(Clone, Debug)]
struct Placement {
    clock: Clock,
    bytes: u64,
    distribution: Distribution,
    plan: Rc<Plan>,
}

/// Formats distribution, length and clock: `row, 2 KiB, virtual`.
impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}, {}", self.distribution, format_bytes(self.bytes), clock::name(self.clock))
    }
}

/// Runs all cases, and prints their table and a conclusion.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let options = &arguments.options;
    let spec = options.with_rendezvous_option(arguments.machine.spec()?);
    let fixed = arguments.distribution.iter().find_map(Distribution::sources);
    let count = arguments.sources.or(fixed);
    let clocks = options.clocks();
    let machines = clocks.iter().map(|&clock| Ok((clock, Rc::new(options.build(&spec, clock)?))));
    let machines: Vec<(Clock, Rc<Machine>)> = machines.collect::<Result<_, Error>>()?;
    // After building the machines: plans for a machine that this host cannot run might not fit in memory.
    let plans = plans(arguments, &spec, count)?;
    let sources = plans.first().map_or(0, |(.., plan)| plan.instance().sources().len());
    let mut cases: Vec<Case<Demonstration>> = Vec::new();
    for (clock, machine) in machines {
        for (bytes, distribution, plan) in plans.iter().cloned() {
            cases.push(Case {
                lines: vec![vec!["Br_Lin"]],
                bound: plan.instance().lower_bound(),
                spec: spec.clone(),
                place: Some(Place::Machine(machine.clone())),
                clock,
                problem: Placement { clock, bytes, distribution, plan },
            });
        }
    }
    // Checked before the first run, because virtual time comes first.
    for Case { clock, problem, .. } in &cases {
        patience::check(*clock, problem.plan.prediction().modeled.since_start(), &problem.to_string())?;
    }
    let (many_sizes, many_clocks) = (arguments.bytes.as_slice().len() > 1, clocks.len() > 1);
    let content = Content::new(false, options.seed);
    let demonstration = Demonstration { spec, sources, content, many_sizes, many_clocks };
    compare(&demonstration, cases, Runs::All, options, out)
}

/// Returns the plans for all sizes and the requested distributions, without duplicates, in the order given; by default,
/// for the default distributions.
fn plans(
    arguments: &Arguments,
    spec: &MachineSpec,
    count: Option<usize>,
) -> Result<Vec<(u64, Distribution, Rc<Plan>)>, Error> {
    let distributions = match &arguments.distribution[..] {
        [] => List::of(DEFAULT_DISTRIBUTIONS),
        distributions => List::of(distributions.iter().cloned()).without_duplicates(),
    };
    let mut plans = Vec::new();
    for bytes in &arguments.bytes {
        for distribution in distributions.iter() {
            let sources = place_sources(spec, distribution, count).map_err(Error::usage)?;
            let lengths = vec![bytes; sources.len()];
            let instance = Instance::new(spec, &sources, &lengths).map_err(Error::usage)?;
            let plan = Algorithm::BR_LIN.plan(&instance).map_err(Error::usage)?;
            plans.push((bytes, distribution.clone(), Rc::new(plan)));
        }
    }
    Ok(plans)
}

/// A table row: one run.
type R<'a> = Row<'a, Demonstration>;

/// Comparison of distributions of the sources.
struct Demonstration {
    spec: MachineSpec,
    sources: usize,
    content: Content,
    many_sizes: bool,
    many_clocks: bool,
}

impl Comparison for Demonstration {
    type Problem = Placement;
    type Algorithm = &'static str;
    type Plan = Rc<Plan>;
    type Facts = ();

    const FILE: &'static str = concat!(
        machine_columns!(),
        " seed algorithm distribution sources bytes clock modeled_us wall_us dilation error \
                                messages bytes_sent lost_to_sharing_us answers late_answers slip_us pace"
    );

    fn describe(&self, case: &Placement, _: &&str) -> String {
        case.to_string()
    }

    fn label(&self, case: &Placement, _: Option<&&str>) -> String {
        let mut label = case.distribution.to_string().replace(':', "-"); // not allowed on every host
        if self.many_sizes {
            label += &format!("-{}", case.bytes);
        }
        if self.many_clocks {
            label += &format!("-{}", clock::name(case.clock));
        }
        label
    }

    fn plan(&self, case: &Placement, _: &&str, _: Search) -> Attempted<Rc<Plan>> {
        let (plan, predicted) = (case.plan.clone(), case.plan.prediction().modeled.since_start());
        Ok(Ok(Planned { plan, predicted: Some(predicted), chosen: String::new(), is_complete: true }))
    }

    fn schedule<'a>(&self, plan: &'a Self::Plan) -> Option<&'a Schedule> {
        Some(plan.schedule())
    }

    fn facts(&self, _: &Placement, _: &Planned<Rc<Plan>>, _: Option<&Ran>) {}

    fn run(&self, plan: &Rc<Plan>, execution: Execution<'_>) -> Result<Ran, Error> {
        checked::s_to_p(plan, self.content, execution)
    }

    fn time(&self, attempt: &Attempt<Self>) -> Option<Span> {
        attempt.ran.as_ref().map(|ran| ran.time)
    }

    fn columns<'a>(&self) -> Vec<Column<'a, R<'a>>> {
        vec![
            Column::new("distribution", |row: &R| row.problem().distribution.to_string()).left(),
            Column::new("sources", |row: &R| row.of.sources),
            Column::new("bytes", |row: &R| row.problem().bytes),
            Column::new("modeled_us", Row::modeled).titled("modeled {unit}"),
            Column::new("wall", |row: &R| {
                row.ran().map(|ran| format!("{:.3}", 1e3 * ran.wall.as_secs_f64()))
            })
            .titled("wall ms"),
            Column::new("lost_to_sharing_us", |row: &R| row.ran().map(|ran| ran.lost_to_sharing)),
        ]
    }

    fn show(&self, results: &Results<'_, Self>, text: &mut String) -> fmt::Result {
        let rows = results.rows();
        let many_sizes = rows.windows(2).any(|pair| pair[0].problem().bytes != pair[1].problem().bytes);
        write!(
            text,
            "Br_Lin on {}{}, {}",
            self.spec.name(),
            results.setting(),
            counted(self.sources, "source")
        )?;
        if !many_sizes {
            write!(text, " with {} each", format_bytes(results.first().bytes))?;
        }
        let unit = Unit::of(rows.iter().filter_map(Row::time));
        let names = "distribution bytes clock modeled_us ratio wall dilation error messages pace";
        let names = if many_sizes { names.to_owned() } else { names.replace("bytes ", "") };
        writeln!(text, "\n\n{}\n{}", results.table(&names, unit), self.conclusion(&rows, unit, many_sizes))?;
        match rows.iter().any(|row| row.problem().clock == Clock::Host) {
            true => writeln!(text, "{}", on_the_host()),
            false => Ok(()),
        }
    }
}

impl Demonstration {
    /// Returns a conclusion from the figures, in one line.
    fn conclusion(&self, rows: &[Row<'_, Self>], unit: Unit, many_sizes: bool) -> String {
        let nodes = match self.spec.nodes() {
            1 => "The node holds".to_owned(),
            nodes => format!("All {nodes} nodes hold"),
        };
        let sources = match self.sources {
            1 => "the source".to_owned(),
            sources => format!("all {sources} sources"),
        };
        let complete = format!("{nodes} every byte of {sources}");
        let pace = pace(rows.iter().filter_map(|row| row.ran()?.real_time));
        let parts = [Some(complete), comparison(rows, unit, many_sizes), pace];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ") + "."
    }
}

/// Compares the fastest with the slowest distribution, for the longest messages and under the first clock.
fn comparison(rows: &[Row<'_, Demonstration>], unit: Unit, many_sizes: bool) -> Option<String> {
    let clock = rows.first()?.problem().clock;
    let longest = rows.iter().map(|row| row.problem().bytes).max()?;
    let compared = rows.iter().filter(|row| row.problem().clock == clock && row.problem().bytes == longest);
    let compared: Vec<(&Distribution, Span)> =
        compared.filter_map(|row| Some((&row.problem().distribution, row.time()?))).collect();
    let (fastest, best) = compared.iter().min_by_key(|(_, time)| time)?;
    let (slowest, worst) = compared.iter().max_by_key(|(_, time)| time)?;
    let at = if many_sizes { format!("with {} ", format_bytes(longest)) } else { String::new() };
    let best_time = unit.text(*best);
    if best == worst {
        let each = if compared.len() > 1 { "each distribution" } else { "that" };
        return Some(format!("{at}{each} takes {best_time}"));
    }
    let ratio = worst.as_secs_f64() / best.as_secs_f64();
    Some(format!("{at}{fastest} is fastest ({best_time}), {slowest} takes {ratio:.2} times as long"))
}
