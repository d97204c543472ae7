//! The messages of each step, as lines of text.

use multicomputer::{
    model::Description,
    textbook::{Figure, Step},
};

use super::super::count::counted;

/// Columns of a line.
pub(super) const WIDTH: usize = 100;
/// The most messages of a step that are shown.
const MESSAGES: usize = 64;
/// The most steps that are shown, from the first one on; the last one always is.
const STEPS: usize = 24;

/// A line for each step, more if it is long, and one for the link that most messages share, if any do.
pub(super) fn drawing(figure: &Figure, machine: &Description, full: bool) -> String {
    let steps = figure.steps();
    let width = steps.len().to_string().len();
    let indent = " ".repeat("step : ".len() + width);
    let mut text = String::new();
    for (number, step) in (1..).zip(steps) {
        let left_out = steps.len().saturating_sub(STEPS + 1);
        if left_out > 0 && !full && number > STEPS && number < steps.len() {
            if number == STEPS + 1 {
                text.push_str(&format!("... {}\n", counted(left_out, "more step")));
            }
            continue;
        }
        let label = format!("step {number}:");
        text.push_str(&format!("{label:<width$}{}\n", wrapped(step, full, &indent), width = indent.len()));
        if let Some(busiest) = step.busiest().filter(|busiest| busiest.messages > 1) {
            let link = machine.topology().link(busiest.link);
            text.push_str(&format!("{indent}{} messages share {link}\n", busiest.messages));
        }
    }
    text
}

/// The messages of a step with commas between them, broken into lines.
fn wrapped(step: &Step, full: bool, indent: &str) -> String {
    let mut messages = step.texts();
    if messages.is_empty() {
        return "nothing".to_owned();
    }
    if messages.len() > MESSAGES && !full {
        let left_out = messages.len() - MESSAGES;
        messages.truncate(MESSAGES);
        messages.push(format!("... {left_out} more"));
    }
    let mut text = String::new();
    let mut column = indent.len();
    let last = messages.len() - 1;
    for (index, message) in messages.iter().enumerate() {
        let comma = usize::from(index < last);
        if index > 0 && column + 1 + message.len() + comma > WIDTH {
            text.push('\n');
            text.push_str(indent);
            column = indent.len();
        } else if index > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(message);
        column += message.len() + comma;
        if index < last {
            text.push(',');
        }
    }
    text
}
