//! One algorithm or figure on one network, in full.

use std::fmt;

use multicomputer::{
    Clock,
    collective::Operation,
    report::RealTimeReport,
    textbook::{Algorithm, Topic},
    units::format_bytes,
};

use super::{
    super::{
        count::counted,
        pace,
        table::{
            Align::{Left, Right},
            Table,
        },
    },
    Arguments,
    case::{Case, has_sources},
    outcome::{Figures, Outcome},
    parameters,
    words::{Times, folded, ratio, sentences},
};

/// What is printed.
pub(super) struct Single<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) outcome: &'a Outcome,
}

impl fmt::Display for Single<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Single { arguments, outcome: Outcome { case, figures } } = self;
        let Ok(figures) = figures else { return Ok(()) };
        if let Some(figure) = case.item.figure {
            writeln!(f, "Figure {}: {}", figure.number, figure.title)?;
        }
        let topic = case.item.topic;
        writeln!(f, "{}: {}, section {}", title(topic), topic.title(), topic.section())?;
        writeln!(f, "{}: {}", case.machine.name(), what(arguments, case))?;
        writeln!(f, "{}", parameters::line(&case.machine, arguments.word_bytes))?;
        writeln!(f, "{}\n", parameters::sends(&case.machine))?;
        if !figures.drawing.is_empty() {
            writeln!(f, "{}", figures.drawing)?;
        }
        writeln!(f, "{}", times(arguments, topic, figures))?;
        if let Some(link) = &figures.ran.link {
            let load = &link.load;
            let (link, all) = (link.link, load.messages);
            let messages = counted(load.most_flows, "message");
            let bytes = format_bytes(load.bytes);
            writeln!(
                f,
                "Most loaded link of the run: {link}, at most {messages} at once, {all} in all with {bytes}."
            )?;
        }
        sentences(figures).iter().try_for_each(|sentence| writeln!(f, "{}", folded(sentence)))?;
        let threads = counted(case.machine.nodes(), "thread");
        writeln!(f, "It was run on {threads}: {}.", checked(arguments, topic))?;
        pace::notes(figures.ran.real_time).into_iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}

/// `Algorithm 4.7`, `Example 4.1`, `pipelined`
fn title(topic: Topic) -> String {
    match topic {
        Topic::MatrixVector => "Example 4.1".to_owned(),
        Topic::Algorithm(algorithm) => match algorithm.name() {
            number if number.starts_with('4') => format!("Algorithm {number}"),
            name => name.to_owned(),
        },
    }
}

/// The nodes, and what moves among them.
fn what(arguments: &Arguments, case: &Case) -> String {
    let size = counted(case.machine.nodes(), "node");
    let bytes = counted(arguments.word_bytes, "byte");
    let Topic::Algorithm(algorithm) = case.item.topic else {
        return format!("{size}; a matrix of {0} x {0} elements, {1} each", case.words, bytes);
    };
    let message = format!("{} of {bytes}", counted(case.words, "word"));
    let root = arguments.source.unwrap_or(0);
    let way = match algorithm.operation() {
        Operation::Broadcast => format!("from node {root} to all"),
        Operation::CombineToOne => format!("from each, combined at node {root}"),
        Operation::DistributedCombine => "from each for each, combined there".to_owned(),
        _ => match arguments.sources.filter(|_| has_sources(Topic::Algorithm(algorithm))) {
            Some(1) => "from one source to all".to_owned(),
            Some(sources) => format!("from each of {sources} sources to all"),
            None => "from each to all".to_owned(),
        },
    };
    let order = if arguments.in_order && combines(algorithm) { ", in rank order" } else { "" };
    format!("{size}; {message} {way}{order}")
}

fn combines(algorithm: Algorithm) -> bool {
    algorithm.operation().combines()
}

/// What was found by the check of a run.
fn checked(arguments: &Arguments, topic: Topic) -> &'static str {
    match topic {
        Topic::MatrixVector => "the first column had the product that a plain loop gives",
        Topic::Algorithm(_) if arguments.phantom => "every node had as many bytes as it should have",
        Topic::Algorithm(_) => "every node had every byte that it should have",
    }
}

/// The equation and what there is beside it.
fn times(arguments: &Arguments, topic: Topic, figures: &Figures) -> Table {
    let Figures { equation, in_step, modeled, ref ran, .. } = *figures;
    let shown = Times::of([equation, in_step, modeled]);
    let mut table = Table::new([("", Left), (shown.unit(), Right), ("/ equation", Right), ("", Left)]);
    let mut row = |name: &str, span, meaning: &str| {
        let times =
            (!equation.is_zero()).then(|| multicomputer::Span::as_secs_f64(span) / equation.as_secs_f64());
        table.row([name.to_owned(), shown.cell(span), ratio(times), meaning.to_owned()]);
    };
    let name =
        topic.equation_number().map_or_else(|| "equation".to_owned(), |number| format!("equation {number}"));
    row(&name, equation, topic.formula());
    row("in step", in_step, "if nodes wait for each other after each step, links shared");
    row("modeled", modeled, "what it takes in virtual time");
    if let (Clock::RealTime { .. }, Some(RealTimeReport { dilation, .. })) =
        (arguments.options.clock(), ran.real_time)
    {
        row("run", ran.modeled, &format!("in real time, at dilation {dilation:.2}"));
    }
    table
}
