//! Messages of each step, as text.

use multicomputer::{
    model::MachineSpec,
    textbook::{Figure, Step},
};

use super::{super::count::counted, folding::folded};

/// Maximum number of messages shown of a step.
const MESSAGES: usize = 64;
/// Maximum number of steps shown from the first one on; the last step is always shown.
const STEPS: usize = 24;

/// Returns a line for each step, wrapped if it is long, and a line for its busiest link, if messages share it.
pub(super) fn drawing(figure: &Figure, machine: &MachineSpec, full: bool) -> String {
    let steps = figure.steps();
    let indent = "step : ".len() + steps.len().to_string().len();
    let left_out = if full { 0 } else { steps.len().saturating_sub(STEPS + 1) };
    let mut text = String::new();
    for (number, step) in (1..).zip(steps) {
        if left_out > 0 && number > STEPS && number < steps.len() {
            if number == STEPS + 1 {
                text += &format!("... {}\n", counted(left_out, "more step"));
            }
            continue;
        }
        let (label, messages) = (format!("step {number}:"), messages(step, full));
        text += &format!("{label:<indent$}{}\n", folded(messages.iter().map(String::as_str), indent));
        if let Some(busiest) = step.busiest().filter(|busiest| busiest.messages > 1) {
            let link = machine.topology().link(busiest.link);
            text += &format!("{:indent$}{} messages share {link}\n", "", busiest.messages);
        }
    }
    text
}

/// Returns the messages of a step, separated by commas.
fn messages(step: &Step, full: bool) -> Vec<String> {
    let mut messages = step.texts();
    if messages.len() > MESSAGES && !full {
        let left_out = messages.len() - MESSAGES;
        messages.truncate(MESSAGES);
        messages.push(format!("... {left_out} more"));
    }
    match &mut messages[..] {
        [] => messages.push("nothing".to_owned()),
        [but_last @ .., _] => but_last.iter_mut().for_each(|message| message.push(',')),
    }
    messages
}
