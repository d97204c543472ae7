//! All figures, exact, as CSV: a line for each case.

use multicomputer::{Span, report::RealTimeReport};

use super::{
    super::{clock, files::micros},
    Arguments,
    case::{has_source, has_sources},
    outcome::{Figures, Outcome, Sharing},
};

/// The titles.
pub(super) const HEADER: [&str; 33] = [
    "name",
    "algorithm",
    "section",
    "equation",
    "machine",
    "topology",
    "nodes",
    "words",
    "word_bytes",
    "source",
    "sources",
    "strict",
    "steps",
    "equation_us",
    "in_step_us",
    "modeled_us",
    "slow_down",
    "sharing",
    "sharing_step",
    "sharing_link",
    "most_loaded_link",
    "most_flows",
    "link_bytes",
    "clock",
    "run_us",
    "wall_us",
    "dilation",
    "error",
    "answers",
    "late_answers",
    "slip_us",
    "pace",
    "restriction",
];

/// The row of a case.
pub(super) fn row(outcome: &Outcome, arguments: &Arguments) -> [String; HEADER.len()] {
    let Outcome { case, figures } = outcome;
    let topic = case.item.topic;
    let shown = figures.as_ref().ok();
    let figure = |show: &dyn Fn(&Figures) -> String| shown.map_or_else(String::new, show);
    let sharing = shown.and_then(|figures| figures.sharing);
    let sharing = |show: &dyn Fn(Sharing) -> String| sharing.map_or_else(String::new, show);
    let link = shown.and_then(|figures| figures.ran.link.as_ref());
    let real = shown.and_then(|figures| figures.ran.real_time);
    let real = |show: &dyn Fn(RealTimeReport) -> String| real.map_or_else(String::new, show);
    let nodes = case.machine.nodes();
    let sources = has_sources(topic).then(|| arguments.sources.unwrap_or(nodes).to_string());
    [
        case.item.name(),
        topic.name().to_owned(),
        topic.section().to_owned(),
        topic.equation_number().unwrap_or_default().to_owned(),
        case.machine.name().to_owned(),
        case.machine.topology().name(),
        nodes.to_string(),
        case.words.to_string(),
        arguments.word_bytes.to_string(),
        if has_source(topic) { arguments.source.unwrap_or(0).to_string() } else { String::new() },
        sources.unwrap_or_default(),
        arguments.parameters.is_strict().to_string(),
        figure(&|figures| figures.steps.to_string()),
        figure(&|figures| micros(figures.equation)),
        figure(&|figures| micros(figures.in_step)),
        figure(&|figures| micros(figures.modeled)),
        figure(&|figures| figures.slow_down().map_or_else(String::new, |times| times.to_string())),
        sharing(&|sharing| sharing.busiest.messages.to_string()),
        sharing(&|sharing| sharing.step.to_string()),
        sharing(&|sharing| sharing.link.to_string()),
        link.map_or_else(String::new, |link| link.link.to_string()),
        link.map_or_else(String::new, |link| link.load.most_flows.to_string()),
        link.map_or_else(String::new, |link| link.load.bytes.to_string()),
        figure(&|_| clock::name(arguments.options.clock()).to_owned()),
        figure(&|figures| micros(figures.ran.modeled)),
        real(&|real| micros(Span::from(real.wall))),
        real(&|real| real.dilation.to_string()),
        real(&|real| real.error.to_string()),
        real(&|real| real.answers.to_string()),
        real(&|real| real.late_answers.to_string()),
        real(&|real| micros(Span::from(real.slip.by))),
        real(&|real| real.verdict.to_string()),
        figures.as_ref().err().cloned().unwrap_or_default(),
    ]
}
