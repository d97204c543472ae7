//! Detailed output for one algorithm or figure on one network.

use std::fmt::{self, Write};

use multicomputer::{Clock, Span, collective::Operation, textbook::Topic, units::format_bytes};

use super::{
    super::{
        compare::{Ran, Row},
        count::counted,
        table::{
            Align::{Left, Right},
            Table,
        },
        unit::Unit,
    },
    Arguments, Chapter,
    case::{Case, combines, has_sources},
    facts::Facts,
    folding::folded,
    parameters,
    words::sentences,
};

/// Writes all figures of a case.
pub(super) fn show(arguments: &Arguments, row: &Row<'_, Chapter<'_>>, text: &mut String) -> fmt::Result {
    let (Some(facts), Some(ran)) = (row.facts(), row.ran()) else { return Ok(()) };
    let case = row.problem();
    if let Some(figure) = case.item.figure {
        writeln!(text, "Figure {}: {}", figure.number, figure.title)?;
    }
    let topic = case.item.topic;
    writeln!(text, "{}: {}, section {}", title(topic), topic.title(), topic.section())?;
    let setting = row.solved.setting.title_without_parameters();
    writeln!(text, "{}{setting}: {}", case.machine.name(), what(arguments, case))?;
    writeln!(text, "{}", parameters::line(&case.machine, arguments.word_bytes))?;
    writeln!(text, "{}\n", parameters::sends(&case.machine))?;
    if !facts.drawing.is_empty() {
        writeln!(text, "{}", facts.drawing)?;
    }
    writeln!(text, "{}", times(arguments.options.clock(), topic, facts, ran))?;
    if let Some(link) = &facts.shared {
        let load = &link.load;
        let (link, all) = (link.link, load.messages);
        let messages = counted(load.most_flows, "message");
        let bytes = format_bytes(load.bytes);
        writeln!(
            text,
            "Most loaded link of the run: {link}, at most {messages} at once, {all} in all with {bytes}."
        )?;
    }
    sentences(facts).iter().try_for_each(|sentence| writeln!(text, "{}", folded(sentence.split(' '), 0)))?;
    let threads = counted(case.machine.nodes(), "thread");
    writeln!(text, "The algorithm was run on {threads}: {}.", checked(arguments, topic))
}

/// Returns the title: `Algorithm 4.7`, `Example 4.1`, `pipelined`.
fn title(topic: Topic) -> String {
    match topic {
        Topic::MatrixVector => "Example 4.1".to_owned(),
        Topic::Algorithm(algorithm) => match algorithm.name() {
            number if number.starts_with('4') => format!("Algorithm {number}"),
            name => name.to_owned(),
        },
    }
}

/// Describes the nodes, and the messages between them.
fn what(arguments: &Arguments, case: &Case) -> String {
    let size = counted(case.machine.nodes(), "node");
    let bytes = counted(arguments.word_bytes, "byte");
    let Topic::Algorithm(algorithm) = case.item.topic else {
        return format!("{size}; a matrix of {0} x {0} elements, {1} each", case.words, bytes);
    };
    let message = format!("{} of {bytes}", counted(case.words, "word"));
    let root = arguments.source.unwrap_or(0);
    let route = match algorithm.operation() {
        Operation::Broadcast => format!("from node {root} to all"),
        Operation::Reduce => format!("from each, combined at node {root}"),
        Operation::ReduceScatter => "from each for each, combined there".to_owned(),
        _ => match arguments.sources.filter(|_| has_sources(Topic::Algorithm(algorithm))) {
            Some(1) => "from one source to all".to_owned(),
            Some(sources) => format!("from each of {sources} sources to all"),
            None => "from each to all".to_owned(),
        },
    };
    let order =
        if arguments.in_order && combines(Topic::Algorithm(algorithm)) { ", in rank order" } else { "" };
    format!("{size}; {message} {route}{order}")
}

/// Describes the result of the check of a run.
fn checked(arguments: &Arguments, topic: Topic) -> &'static str {
    match topic {
        Topic::MatrixVector => "the first column has the product that a sequential loop computes",
        Topic::Algorithm(_) if arguments.phantom => "every node has data of the correct length",
        Topic::Algorithm(_) => "every node has the correct data",
    }
}

/// Returns a table of the times: by the equation, in step, modeled, and of the run.
fn times(clock: Clock, topic: Topic, facts: &Facts, ran: &Ran) -> Table {
    let Facts { equation, in_step, modeled, .. } = *facts;
    let unit = Unit::exact_for(&[equation, in_step, modeled]);
    let mut table = Table::new([("", Left), (unit.name(), Right), ("/ equation", Right), ("", Left)]);
    let mut row = |name: &str, span: Span, meaning: &str| {
        let ratio = match equation.is_zero() {
            true => "-".to_owned(),
            false => format!("{:.2}", span.as_secs_f64() / equation.as_secs_f64()),
        };
        table.row([name.to_owned(), unit.cell(span), ratio, meaning.to_owned()]);
    };
    let name =
        topic.equation_number().map_or_else(|| "equation".to_owned(), |number| format!("equation {number}"));
    row(&name, equation, topic.formula());
    row("in step", in_step, "if all nodes synchronize after each step; links are shared");
    row("modeled", modeled, "virtual time");
    match (clock, ran.real_time) {
        (Clock::Host, _) => row("run", ran.time, "on the wall clock, by the threads of this host"),
        (_, Some(real)) => row("run", ran.time, &format!("in real time, at dilation {:.2}", real.dilation)),
        _ => {}
    }
    table
}
