//! What is seen, in words: who shares links, and why modeled time is what it is.

use multicomputer::Span;

use super::{
    super::unit::Unit,
    outcome::{Figures, Sharing},
    steps::WIDTH,
};

/// Sentences on how modeled time and the equation compare, and why. All follow from the figures.
pub(super) fn sentences(figures: &Figures) -> Vec<String> {
    let Figures { equation, modeled, .. } = *figures;
    if figures.ran.link.is_none() {
        let nothing = "No message goes over a link.".to_owned();
        let rest = (modeled != equation).then(|| "The equation counts some that are not there.".to_owned());
        return [nothing].into_iter().chain(rest).collect();
    }
    let links = links(figures.sharing);
    if modeled == equation {
        return vec![format!("{links}: equation and modeled time agree.")];
    }
    let mut sentences = vec![format!("{links}.")];
    sentences.extend(if modeled > equation { slower(figures) } else { faster(figures) });
    sentences
}

/// Whether messages of a step share links, and what of it.
fn links(sharing: Option<Sharing>) -> String {
    let Some(Sharing { step, link, busiest, time, alone }) = sharing else {
        return "No two messages of a step share a link".to_owned();
    };
    let messages = busiest.messages;
    if time == alone {
        return format!(
            "Up to {messages} messages of a step share a link ({link} in step {step}), which is fast enough for them"
        );
    }
    let times = time.as_secs_f64() / alone.as_secs_f64();
    format!(
        "Links are shared: in step {step}, {messages} messages go over {link}, and the step takes {times:.2} times as \
         long as it would without"
    )
}

/// Why modeled time is more than the equation.
fn slower(figures: &Figures) -> Vec<String> {
    let Figures { modeled, in_step, without_conflicts, .. } = *figures;
    let mut sentences = Vec::new();
    let is_congested = in_step > without_conflicts;
    let times = figures.slow_down().map_or_else(String::new, |times| format!("{times:.2} times "));
    let most_in_a_step = figures.sharing.map_or(1, |sharing| sharing.busiest.messages);
    let meeting = figures.ran.link.as_ref().filter(|link| u64::from(link.load.most_flows) > most_in_a_step);
    let costs = &figures.causes.costs;
    if is_congested {
        sentences.push(match modeled {
            _ if modeled == in_step => {
                format!("The modeled time is {times}the equation: just what it takes if all nodes keep in step.")
            }
            _ if modeled < in_step => format!(
                "The modeled time is {times}the equation; nodes that are done with a step go on, so that it is less than \
                 if all kept in step."
            ),
            _ => format!("The modeled time is {times}the equation, and more than if all nodes kept in step."),
        });
    }
    if let Some(link) = meeting {
        let most = link.load.most_flows;
        sentences.push(format!("Messages of different steps meet, up to {most} at once on {}.", link.link));
    }
    if !costs.is_empty() {
        sentences.push(format!("The equation leaves out {}.", costs.join(", and ")));
    }
    if sentences.is_empty() {
        sentences.push("Nodes wait for others that are behind them.".to_owned());
    }
    sentences
}

/// Why modeled time is less than the equation.
fn faster(figures: &Figures) -> Vec<String> {
    let Figures { modeled, equation, in_step, .. } = *figures;
    let mut sentences = Vec::new();
    let strict = figures.causes.strict.filter(|&strict| strict > modeled);
    if let Some(strict) = strict {
        let as_said = if strict == equation { ", what the equation says" } else { "" };
        sentences.push(format!(
            "A sender is ahead of its receivers: it goes on before its message has been received. If it waited (--strict) \
             it would take {strict}{as_said}."
        ));
    }
    if strict.unwrap_or(modeled) < equation {
        sentences.push(if in_step < equation {
            "The steps have less to do than the equation counts, which is an upper bound here.".to_owned()
        } else {
            "Nodes do not wait for each other at the end of a step: those that have less to do are ahead."
                .to_owned()
        });
    }
    sentences
}

/// A sentence broken into lines.
pub(super) fn folded(sentence: &str) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in sentence.split(' ') {
        if column > 0 && column + 1 + word.len() > WIDTH {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += word.len();
    }
    text
}

/// How times are shown that are to be compared: in one unit, and with six digits behind the point if three do not show
/// them as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Times {
    unit: Unit,
    decimals: usize,
}

impl Times {
    pub(super) fn of(spans: impl IntoIterator<Item = Span, IntoIter: Clone>) -> Times {
        let spans = spans.into_iter();
        let unit = Unit::of(spans.clone());
        let is_exact = spans.into_iter().all(|span| unit.is_exact(span));
        Times { unit, decimals: if is_exact { 3 } else { 6 } }
    }

    /// The name of the unit.
    pub(super) fn unit(self) -> &'static str {
        self.unit.name()
    }

    /// A time without its unit.
    pub(super) fn cell(self, span: Span) -> String {
        self.unit.with_decimals(span, self.decimals)
    }
}

/// A ratio.
pub(super) fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_broken_between_words() {
        let folded = folded(&"a sentence of words ".repeat(12));
        assert!(folded.lines().all(|line| line.len() <= WIDTH && !line.starts_with(' ')), "{folded}");
        assert_eq!(folded.lines().count(), 3);
    }

    #[test]
    fn times_are_exact_to_the_nanosecond() {
        let (whole, odd) = (Span::from_micros(3190), Span::from_nanos(521_600));
        assert_eq!(Times::of([whole]).cell(whole), "3.190");
        assert_eq!(Times::of([whole, odd]).cell(odd), "0.521600");
        let fast = [Span::from_nanos(1503), Span::from_nanos(12_000)];
        assert_eq!((Times::of(fast).unit(), Times::of(fast).cell(fast[0])), ("us", "1.503".to_owned()));
    }
}
