//! Report of several jobs: a self-contained page with verdicts first, then every item with its values, claims and
//! plots, and the machines with the sources of their parameters.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use multicomputer::model::presets;
use multicomputer_published::{
    Claim, Kind, Outcome, Paper, Sensitivity, Summary, Sure, Value, Variation, Verdict,
};

use super::{Item, Runs, Worked, changing, is_failed, tolerance, variations};

/// Explanations for readers.
const READING: [(&str, &str); 7] = [
    (
        "Values",
        "Published numbers beside modeled ones. Each machine has one set of parameters; none is adjusted for an item.",
    ),
    (
        "Kinds",
        "Measured numbers are met if the error is at most 20 %. Fitted numbers were measured too, and used to fit the parameters of \
         the machine or the costs of its library: their errors show how well one set of parameters can fit, not how well the model \
         predicts. Derived numbers are coefficients of formulas. Counted numbers were counted in a figure, or printed as parameters of \
         the machine. Both are met up to rounding.",
    ),
    (
        "Claims",
        "Statements in a paper. Each is judged by a rule with fixed limits, as strict as the wording of the statement: it holds if what \
         stands after 'holds if' is true. The reason is given beside every claim that does not hold.",
    ),
    (
        "Sensitivity",
        "With --sensitivity, each item is also computed with each fitted parameter of the Paragon 20 % lower and 20 % higher. A verdict \
         that differs names the change; all other verdicts stay the same under each of these changes.",
    ),
    (
        "Sure",
        "Certainty that the paper says this: printed, or a probability where the text at hand is damaged. Ours: stated here, not in \
         the paper, and not counted.",
    ),
    (
        "Real",
        "Only in real time: the time of the host's threads, in modeled time, and whether they kept pace. Modeled times are the same \
         under both clocks.",
    ),
    (
        "Plots",
        "The axes are those of the paper's figures. Large hollow marks are published points, with a dotted line between them; thin \
         dotted lines without marks are formulas, everything else is modeled. Most figures of the papers were drawn without numbers: \
         there are no published points to show. Hover over a point for its values.",
    ),
];

/// Returns the page.
pub(super) fn of(command: &str, clock: &str, items: &[Item], summary: &Summary) -> String {
    let title = "Published results, computed";
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(include_str!("page.css"))) }
            }
            body {
                (navigation(items))
                h1 { (title) }
                p {
                    "Figures, tables and claims of five papers on message passing, on the virtual machines of "
                    code { "multicomputer " (env!("CARGO_PKG_VERSION")) } ", in " (clock) " time. This page was made by"
                }
                pre { (command) }
                (summed_up(items, summary))
                h2 id="reading" { "How to read it" }
                (reading())
                @for paper in Paper::ALL {
                    (of_paper(paper, items))
                }
                (machines())
            }
        }
    };
    page.into_string()
}

/// Returns the list of all items, which stays in view.
fn navigation(items: &[Item]) -> Markup {
    html! {
        nav {
            a href="#verdicts" { "Verdicts" }
            a href="#reading" { "How to read it" }
            @for paper in Paper::ALL {
                @let of_this_paper: Vec<&Item> = items.iter().filter(|(job, _)| job.paper() == paper).collect();
                @if !of_this_paper.is_empty() {
                    b { (paper.name()) }
                    @for (job, _) in of_this_paper {
                        a href={ "#" (job.id()) } title=(job.title()) { (job.id()) }
                    }
                }
            }
            a href="#machines" { "Machines" }
        }
    }
}

fn summed_up(items: &[Item], summary: &Summary) -> Markup {
    let [hold, judged, open] = summary.claims();
    html! {
        h2 id="verdicts" { "Verdicts" }
        ul.cards {
            li { b { (hold) " of " (judged) } "claims hold" @if open > 0 { ", " (open) " cannot be judged" } }
            @for kind in Kind::ALL {
                @if let Some((count, median)) = summary.median_error(kind) {
                    li { b { (format!("{:.1} %", 100.0 * median)) } "median error of " (count) " " (kind.name()) " values" }
                }
            }
            @if let Some([changed, all]) = changing(items) {
                li { b { (changed) " of " (all) } "verdicts on a Paragon change if one fitted parameter does, by 20 %" }
            }
        }
        div.scroll {
            table {
                tr { th { "item" } th.number { "values met" } th.number { "claims that hold" } th { "place" } th { "title" } }
                @for item @ (job, worked) in items {
                    tr {
                        td { a href={ "#" (job.id()) } { (job.id()) } }
                        @match worked {
                            Ok(Worked { outcome, .. }) => {
                                td.number { (met(outcome.values.iter().map(Value::verdict))) }
                                td.number { (met(counted(outcome).map(|claim| claim.verdict))) }
                            }
                            Err(_) => {
                                td.open colspan="2" { (if is_failed(item) { "failed" } else { "not yet" }) }
                            }
                        }
                        td { (job.paper().name()) ", " (job.place()) }
                        td { (job.title()) }
                    }
                }
            }
        }
        @if !summary.failing.is_empty() || !summary.far.is_empty() {
            h3 { "Differences, and their reasons" }
            ul {
                @for (id, said, why) in &summary.failing {
                    li { a href={ "#" (id) } { (id) } ": " (said) ". " span.fails { "Does not hold" } ": " (why) "." }
                }
                @for (id, value) in &summary.far {
                    li {
                        a href={ "#" (id) } { (id) } ": " (value.what.replace('*', "")) ", published "
                        (value.published) " " (value.unit) ", here " (format!("{:.3}", value.modeled)) " " (value.unit)
    ": " (reason(value)) "."
                    }
                }
            }
        }
    }
}

/// Returns the claims that a summary counts.
fn counted(outcome: &Outcome) -> impl Iterator<Item = &Claim> {
    outcome.claims.iter().filter(|claim| claim.sure != Sure::Ours)
}

/// Returns the number of verdicts that hold, and the number of verdicts that were judged.
fn met(verdicts: impl Iterator<Item = Verdict>) -> String {
    let judged: Vec<Verdict> = verdicts.filter(|verdict| *verdict != Verdict::Open).collect();
    let hold = judged.iter().filter(|verdict| **verdict == Verdict::Holds).count();
    if judged.is_empty() { "-".to_owned() } else { format!("{hold} of {}", judged.len()) }
}

fn reading() -> Markup {
    html! {
        dl {
            @for (term, text) in READING {
                dt { b { (term) } }
                dd { (text) }
            }
        }
    }
}

fn of_paper(paper: Paper, items: &[Item]) -> Markup {
    let of_this_paper: Vec<&Item> = items.iter().filter(|(job, _)| job.paper() == paper).collect();
    html! {
        @if !of_this_paper.is_empty() {
            h2 { (paper.title()) }
            @for (job, worked) in of_this_paper {
                section id=(job.id()) {
                    h3 { (job.id()) ", " (job.place()) ": " (job.title()) }
                    p.setup { (job.setup()) }
                    @match worked {
                        Ok(Worked { outcome, runs, plots, sensitivity }) => {
                            (values(outcome, runs, sensitivity.as_ref()))
                            (claims(outcome, sensitivity.as_ref()))
                            @for (chart, plot) in outcome.charts.iter().zip(plots) {
                                figure aria-label=(chart.title) { (PreEscaped(plot)) }
                            }
                            pre { "multicomputer reproduce " (job.id()) " --out DIR" }
                        }
                        Err(reason) => p.open { (reason) }
                    }
                }
            }
        }
    }
}

fn values(outcome: &Outcome, runs: &Runs, sensitivity: Option<&Sensitivity>) -> Markup {
    html! {
        @if !outcome.values.is_empty() {
            div.scroll {
                table {
                    tr {
                        th { "value" } th.number { "published" } th.number { "modeled" } th { "unit" }
                        th.number { "error %" } th { "kind" } th { "sure" } th { "verdict" } th { "holds if" }
                        @if !runs.is_empty() { th.number { "real" } th { "pace" } }
                        th { "why" }
                    }
                    @for (nth, value) in outcome.values.iter().enumerate() {
                        tr {
                            td { (value.what.replace('*', "")) }
                            td.number { (value.published) }
                            td.number { (format!("{:.3}", value.modeled)) }
                            td { (value.unit) }
                            td.number { (format!("{:+.1}", super::text::rounded(100.0 * value.error()))) }
                            td { (value.kind.name()) }
                            td { (value.sure) }
                            td { (verdict(value.verdict())) }
                            td {
                                (tolerance(value))
                                (changes(sensitivity.map(|found| &found.values[nth])))
                            }
                            @match runs.get(nth) {
                                Some(Some(run)) => {
                                    td.number { (format!("{:.3}", super::real(run))) }
                                    td { (run.verdict) }
                                }
                                Some(None) => { td.number { "-" } td {} }
                                None => {}
                            }
                            td.why { (if value.verdict() == Verdict::Holds { value.why } else { reason(value) }) }
                        }
                    }
                }
            }
        }
    }
}

fn claims(outcome: &Outcome, sensitivity: Option<&Sensitivity>) -> Markup {
    html! {
        @if !outcome.claims.is_empty() {
            ul.claims {
                @for (nth, claim) in outcome.claims.iter().enumerate() {
                    li {
                        (claim.said) " (" (claim.sure) "): " (verdict(claim.verdict)) ". "
                        span.why { (claim.why) }
                        @if !claim.rule.is_empty() { div.rule { "Holds if " (claim.rule) "." } }
                        (changes(sensitivity.map(|found| &found.claims[nth])))
                    }
                }
            }
        }
    }
}

/// Returns the changes of a fitted parameter that change a verdict; nothing if there are none.
fn changes(changed: Option<&Vec<Variation>>) -> Markup {
    html! {
        @if let Some(changed) = changed.filter(|changed| !changed.is_empty()) {
            div.rule { "Changes with " (variations(changed)) "." }
        }
    }
}

/// Returns the reason for the difference of a value.
fn reason(value: &Value) -> &str {
    if value.why.is_empty() { "no reason is known" } else { value.why }
}

fn verdict(verdict: Verdict) -> Markup {
    let class = match verdict {
        Verdict::Holds => "holds",
        Verdict::Fails => "fails",
        _ => "open",
    };
    html! { span class={ "verdict " (class) } { (verdict) } }
}

fn machines() -> Markup {
    html! {
        h2 id="machines" { "The machines" }
        p {
            "The parameters of each machine, their certainty, and their source. Printed: in one of the papers \
             or in the source named; fitted: by a fit of the timing model to published times; inferred: \
             deduced from other values; recalled: from memory, not verified; chosen: not measured on a \
             machine."
        }
        @for machine in presets::NAMES {
            @let sources = presets::sources(machine);
            @if !sources.is_empty() {
                h3 { (machine) }
                div.scroll {
                    table {
                        tr { th { "parameter" } th { "value" } th { "certainty" } th { "source" } }
                        @for source in sources {
                            tr { td { (source.parameters) } td { (source.value) } td { (source.sure) } td { (source.source) } }
                        }
                    }
                }
            }
        }
    }
}
