//! `multicomputer textbook`: runs the textbook's algorithms and figures, and compares modeled times with its equations.
//!
//! One case is shown in detail, step by step; several cases are a table. Everything is run on real threads, with data
//! that is checked. The output has the modeled times, the times by the equation, and the links that messages of a step
//! share.

use std::{
    fmt::{self, Write as _},
    io::Write,
    rc::Rc,
};

use clap::Args;
use multicomputer::{
    Clock, Span, Time, collective,
    model::MachineSpec,
    msccl::{Program, WriteError},
    pattern::Schedule,
    plan::{LowerBound, Search},
    textbook::{Algorithm, Topic},
};
use multicomputer_study::checked;

use super::{
    compare::{
        Attempted, Case, Column, Comparison, Execution, Figure, Place, Planned, Ran, Results, Row, Runs,
        compare,
    },
    count::counted,
    data::Content,
    error::Error,
    files::harmless,
    lists::List,
    options::{RunOptions, read_machine, read_number},
    setting::setting_columns,
    unit::Unit,
};

mod case;
mod facts;
mod folding;
mod list;
mod lists;
mod matrix;
mod parameters;
mod single;
mod steps;
mod words;

use self::{
    case::{has_source, has_sources},
    facts::Facts,
    lists::Item,
    matrix::Matrix,
    parameters::ParameterOptions,
};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    // The help text is generated from the names of algorithms and figures.
    #[arg(value_name = "WHAT", required_unless_present = "list", value_parser = lists::read_items, help = lists::help())]
    what: Option<List<Item>>,

    /// List all algorithms with their equations, and all figures
    #[arg(long, conflicts_with = "what")]
    list: bool,

    /// Choose the networks, comma-separated: ring:8,mesh:4x4,hypercube:16 [default: the network that the algorithm is
    /// designed for]
    #[arg(long, value_name = "TOPOLOGY", value_parser = lists::read_topologies, conflicts_with = "machine")]
    topology: Option<List<String>>,

    /// Choose the machine instead: paragon:16x32, hockney:10x10, line:8, or a machine file (.toml); repeatable
    #[arg(long, value_name = "MACHINE", value_parser = read_machine)]
    machine: Vec<MachineSpec>,

    /// Set the words of a message: 1000, a list 10,1000, or a doubling range 1..64K. One-to-all broadcast and
    /// all-to-one reduction: of the whole vector; all-to-all operations: of each node's block; example-4.1: rows of
    /// the matrix [default: 1000; of example-4.1 one element a node]
    #[arg(long, value_name = "NUMBERS", value_parser = lists::read_words, allow_negative_numbers = true)]
    words: Option<List<u64>>,

    /// Set the bytes of a word
    #[arg(long, value_name = "BYTES", default_value_t = 8, value_parser = lists::read_word, allow_negative_numbers = true)]
    word_bytes: u64,

    /// Set the source of a one-to-all broadcast, or the destination of an all-to-one reduction [default: 0]
    #[arg(long, value_name = "RANK", visible_alias = "destination", value_parser = read_number::<usize>, allow_negative_numbers = true)]
    source: Option<usize>,

    /// Set the number of sources of pipelined and in-turn, spaced evenly from node 0 on [default: all nodes]
    #[arg(long, value_name = "NUMBER", value_parser = read_number::<usize>, allow_negative_numbers = true)]
    sources: Option<usize>,

    /// Combine in rank order, as for an operator that is not commutative
    #[arg(long)]
    in_order: bool,

    #[command(flatten)]
    parameters: ParameterOptions,

    /// Send lengths without data, for messages that do not fit in memory; only lengths are checked
    #[arg(long)]
    phantom: bool,

    /// Show all messages of all steps, without limit
    #[arg(long)]
    full: bool,

    #[command(flatten)]
    options: RunOptions,
}

const EXAMPLES: &str = "\
Examples:
  multicomputer textbook --list                        all algorithms, equations and figures
  multicomputer textbook 4.7                           on the network that it is designed for
  multicomputer textbook fig-4.12                      the same on a ring: congestion
  multicomputer textbook 4.2 --source 5 --topology mesh:3x4 --strict
                                                       from any source, with the book's sends
  multicomputer textbook 4.4,4.6,4.7 --topology ring:16,mesh:4x4,hypercube:16 --words 10,1000
                                                       a table: every algorithm on every network
  multicomputer textbook example-4.1 --topology mesh:4x4 --words 64 --gamma 100ns
                                                       a matrix of 64 x 64 times a vector
  multicomputer textbook all                           every algorithm on its network";

/// Runs the requested cases, and prints the results.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let Some(items) = arguments.what.as_ref().filter(|_| !arguments.list) else {
        return Ok(write!(out, "{}", list::List)?);
    };
    let cases = case::cases(arguments, items)?;
    let options = &arguments.options;
    let is_single = cases.len() == 1;
    let case = |case: case::Case| {
        Ok(Case {
            lines: vec![vec![case.item]],
            bound: LowerBound::new([]),
            spec: case.machine.clone(),
            place: Some(Place::Machine(Rc::new(options.build(&case.machine, options.clock())?))),
            clock: options.clock(),
            problem: case,
        })
    };
    let cases = cases.into_iter().map(case).collect::<Result<_, Error>>()?;
    compare(&Chapter { arguments, is_single }, cases, Runs::All, options, out)
}

/// A table row: one case.
type R<'a, 'e> = Row<'a, Chapter<'e>>;

/// Comparison of modeled times with equations.
struct Chapter<'a> {
    arguments: &'a Arguments,
    /// Whether there is only one case: its steps are drawn, and the causes of a difference from the equation are found.
    is_single: bool,
}

/// Plan of a case.
enum Solution {
    /// Plan of an algorithm.
    Algorithm(Algorithm, Box<collective::Plan>),
    /// Data of example 4.1.
    Matrix(Box<Matrix>),
}

impl Comparison for Chapter<'_> {
    type Problem = case::Case;
    type Algorithm = Item;
    type Plan = Solution;
    type Facts = Facts;

    const FILE: &'static str = concat!(
        "name algorithm section equation machine topology nodes rows columns ",
        setting_columns!(),
        " seed words word_bytes source sources strict \
                                steps equation_us in_step_us modeled_us slow_down sharing sharing_step sharing_link \
                                most_loaded_link most_flows link_bytes clock run_us wall_us dilation error answers \
                                late_answers slip_us pace restriction"
    );

    fn describe(&self, case: &case::Case, _: &Item) -> String {
        case.to_string()
    }

    /// Returns the label of a run: `4.7-ring-8-1000`.
    fn label(&self, case: &case::Case, _: Option<&Item>) -> String {
        harmless(&format!("{}-{}-{}", case.item, case.machine.name(), case.words), "-.")
    }

    fn plan(&self, case: &case::Case, _: &Item, _: Search) -> Attempted<Solution> {
        let plan = match case.item.topic {
            Topic::Algorithm(algorithm) => self.planned(case, algorithm, &case.machine).map(|plan| {
                let modeled = plan.prediction().modeled.since_start();
                (Solution::Algorithm(algorithm, Box::new(plan)), Some(modeled))
            }),
            Topic::MatrixVector => Matrix::of(self.arguments, case).map(|matrix| {
                // A run on another clock does not show the virtual time.
                let is_virtual = self.arguments.options.clock() == Clock::Virtual;
                let modeled = if is_virtual { None } else { matrix.modeled(&case.machine) };
                (Solution::Matrix(Box::new(matrix)), modeled)
            }),
        };
        Ok(plan.map(|(plan, predicted)| Planned {
            plan,
            predicted,
            chosen: String::new(),
            is_complete: true,
        }))
    }

    fn schedule<'a>(&self, plan: &'a Self::Plan) -> Option<&'a Schedule> {
        match plan {
            Solution::Algorithm(_, plan) => Some(plan.schedule()),
            Solution::Matrix(_) => None,
        }
    }

    fn msccl(&self, plan: &Solution) -> Result<Program, WriteError> {
        match plan {
            Solution::Algorithm(_, plan) => plan.msccl(),
            Solution::Matrix(_) => Err(WriteError::Operation { operation: "product".to_owned() }),
        }
    }

    fn facts(&self, case: &case::Case, planned: &Planned<Solution>, ran: Option<&Ran>) -> Facts {
        self.facts_of(case, planned, ran)
    }

    fn run(&self, plan: &Solution, execution: Execution<'_>) -> Result<Ran, Error> {
        let content = Content::new(self.arguments.phantom, self.arguments.options.seed);
        match plan {
            Solution::Algorithm(_, plan) => checked::collective(plan, content, execution),
            Solution::Matrix(matrix) => matrix.run(execution),
        }
    }

    fn columns<'a>(&self) -> Vec<Column<'a, Row<'a, Self>>> {
        vec![
            Column::new("name", |row: &R| row.name()).left(),
            Column::new("algorithm", |row: &R| row.problem().item.topic.name()),
            Column::new("section", |row: &R| row.problem().item.topic.section()),
            Column::new("equation", |row: &R| row.problem().item.topic.equation_number()),
            Column::new("network", |row: &R| row.problem().machine.base_name().to_owned()).left(),
            Column::new("topology", |row: &R| row.problem().machine.topology().name()),
            Column::new("words", |row: &R| row.problem().words),
            Column::new("word_bytes", |row: &R| row.of.arguments.word_bytes),
            Column::new("source", |row: &R| {
                has_source(row.problem().item.topic).then(|| row.of.arguments.source.unwrap_or(0))
            }),
            Column::new("sources", |row: &R| {
                let sources = row.of.arguments.sources.unwrap_or(row.problem().machine.nodes());
                has_sources(row.problem().item.topic).then_some(sources)
            }),
            Column::new("strict", |row: &R| row.of.arguments.parameters.strict),
            Column::new("steps", |row: &R| Some(row.facts()?.steps)),
            Column::new("equation_us", |row: &R| Some(row.facts()?.equation)).titled("equation"),
            Column::new("in_step_us", |row: &R| Some(row.facts()?.in_step)).titled("in step"),
            Column::new("modeled_us", |row: &R| Some(row.facts()?.modeled)).titled("modeled"),
            Column::new("slow_down", |row: &R| row.facts()?.slow_down()).titled("/ equation"),
            Column::new("sharing", |row: &R| Some(row.facts()?.sharing?.busiest.messages)),
            Column::new("sharing_step", |row: &R| Some(row.facts()?.sharing?.step)),
            Column::new("sharing_link", |row: &R| Some(row.facts()?.sharing?.link.to_string())),
            Column::new("most_loaded_link", |row: &R| Some(row.facts()?.shared.as_ref()?.link.to_string())),
            Column::new("most_flows", |row: &R| Some(row.facts()?.shared.as_ref()?.load.most_flows)),
            Column::new("link_bytes", |row: &R| Some(row.facts()?.shared.as_ref()?.load.bytes)),
            Column::new("most", |row: &R| match &row.line.attempts {
                Ok(_) => row.facts().map(Facts::most_on_a_link).into(),
                Err(cause) => Figure::Remark(format!("({cause})")),
            })
            .titled("max on a link")
            .left(),
            Column::new("run", |row: &R| row.run_time().filter(|_| row.solved.case.clock != Clock::Virtual)),
        ]
    }

    fn show(&self, results: &Results<'_, Self>, text: &mut String) -> fmt::Result {
        match &results.rows()[..] {
            [row] => single::show(self.arguments, row, text)?,
            rows => self.several(results, rows, text)?,
        }
        results.notes().into_iter().try_for_each(|note| writeln!(text, "{note}"))
    }
}

impl Chapter<'_> {
    /// Plans a case on `machine`: the machine of the case, or one with other parameters.
    fn planned(
        &self,
        case: &case::Case,
        algorithm: Algorithm,
        machine: &MachineSpec,
    ) -> Result<collective::Plan, String> {
        let task = case.task(self.arguments, algorithm, machine)?;
        let plan = algorithm.plan(&task).map_err(|cause| cause.to_string())?;
        match plan.prediction().modeled {
            Time::MAX => Err(format!("{case} takes longer than the range of modeled time")),
            _ => Ok(plan),
        }
    }

    /// Writes a table of several algorithms, networks or lengths.
    fn several(&self, results: &Results<'_, Self>, rows: &[R], text: &mut String) -> fmt::Result {
        let facts = rows.iter().filter_map(Row::facts);
        let times: Vec<Span> =
            facts.clone().flat_map(|facts| [facts.equation, facts.in_step, facts.modeled]).collect();
        let (unit, word_bytes) = (Unit::exact_for(&times), self.arguments.word_bytes);
        let bytes = counted(word_bytes, "byte");
        // The parameters have their own line or columns.
        let setting = match results.setting_columns().is_empty() {
            true => rows.first().map(|row| row.solved.setting.title_without_parameters()),
            false => Some(results.setting()),
        };
        let setting = setting.unwrap_or_default();
        writeln!(text, "The textbook's algorithms; times in {}, words of {bytes}{setting}", unit.name())?;
        if let [first, rest @ ..] = rows
            && rest
                .iter()
                .all(|other| other.problem().machine.parameters() == first.problem().machine.parameters())
        {
            writeln!(text, "{}", parameters::line(&first.problem().machine, word_bytes))?;
            writeln!(text, "{}", parameters::sends(&first.problem().machine))?;
        }
        let names = format!(
            "name network {} words equation_us in_step_us modeled_us slow_down run? pace? error? most",
            results.setting_columns()
        );
        writeln!(text, "\n{}", results.table(&names, unit))?;
        let has = if self.arguments.phantom { "data of the correct length" } else { "the correct data" };
        let which = match facts.count() {
            1 => "One was run".to_owned(),
            runs => format!("All {runs} were run"),
        };
        writeln!(text, "{which} on real threads: every node had {has}.")
    }
}
