//! Figures as sentences: shared links, and causes of a difference from the equation.

use super::facts::{Facts, Sharing};

/// Returns sentences that compare the modeled time with the equation, and give the causes of a difference.
pub(super) fn sentences(facts: &Facts) -> Vec<String> {
    let Facts { equation, modeled, .. } = *facts;
    if !facts.is_moving {
        let nothing = "No message goes over a link.".to_owned();
        let rest =
            (modeled != equation).then(|| "The equation counts messages that are not sent.".to_owned());
        return [nothing].into_iter().chain(rest).collect();
    }
    let links = links(facts.sharing);
    if modeled == equation {
        return vec![format!("{links}: equation and modeled time agree.")];
    }
    let mut sentences = vec![format!("{links}.")];
    sentences.extend(if modeled > equation { slower(facts) } else { faster(facts) });
    sentences
}

/// Describes the links that messages of a step share, and the effect.
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

/// Returns the causes of a modeled time above the equation.
fn slower(facts: &Facts) -> Vec<String> {
    let Facts { modeled, in_step, without_conflicts, .. } = *facts;
    let mut sentences = Vec::new();
    let is_congested = in_step > without_conflicts;
    let times = facts.slow_down().map_or_else(String::new, |times| format!("{times:.2} times "));
    let most_in_a_step = facts.sharing.map_or(1, |sharing| sharing.busiest.messages);
    let meeting = facts.shared.as_ref().filter(|link| u64::from(link.load.most_flows) > most_in_a_step);
    let costs = &facts.causes.costs;
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
        sentences.push("Nodes wait for slower nodes.".to_owned());
    }
    sentences
}

/// Returns the causes of a modeled time below the equation.
fn faster(facts: &Facts) -> Vec<String> {
    let Facts { modeled, equation, in_step, .. } = *facts;
    let mut sentences = Vec::new();
    let strict = facts.causes.strict.filter(|&strict| strict > modeled);
    if let Some(strict) = strict {
        let as_in_equation = if strict == equation { ", the time by the equation" } else { "" };
        sentences.push(format!(
            "Senders continue before their messages have been received, so they run ahead of their receivers. If sends were \
             blocking (--strict), the run would take {strict}{as_in_equation}."
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
