//! Selection of the messages that are drawn if there are too many: the most delayed ones, and a regular sample of the whole run.

use std::cmp::Reverse;

use multicomputer::Span;

/// Divisor of the number of lines: at most one line in `DELAYED` is reserved for the most delayed messages.
const DELAYED: usize = 10;

const OUTSIDE: &str = "that begin or end at a rank without a row";

/// The properties of a message that determine its selection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The time by which the message took longer to leave than the transfer time of its bytes.
    pub(super) delay: Span,
    /// Whether the sender and the receiver of the message have rows.
    pub(super) is_between_rows: bool,
}

/// The selected messages.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sample {
    /// For each message, in the given order, whether it is drawn.
    pub(super) is_drawn: Vec<bool>,
    /// A sentence on the rule; `None` if all are drawn.
    pub(super) note: Option<String>,
}

impl Sample {
    /// Selects `at_most` of the messages, which are in the order of time: up to a tenth by largest delay. The other lines are divided
    /// equally between two kinds: messages between rows, and other messages; lines that one kind does not need go to the other. A kind with
    /// more messages than lines is sampled evenly in the order of time. Without the second kind the drawing could miss phases of the run
    /// that have no messages between rows.
    pub(super) fn of(messages: &[Candidate], at_most: usize) -> Sample {
        let all = messages.len();
        if all <= at_most {
            return Sample { is_drawn: vec![true; all], note: None };
        }
        let mut delayed: Vec<usize> = (0..all).filter(|&nth| !messages[nth].delay.is_zero()).collect();
        delayed.sort_by_key(|&nth| (Reverse(messages[nth].delay), nth));
        delayed.truncate(at_most / DELAYED);
        let mut is_drawn = vec![false; all];
        delayed.iter().for_each(|&nth| is_drawn[nth] = true);
        let (between, elsewhere): (Vec<usize>, Vec<usize>) =
            (0..all).filter(|&nth| !is_drawn[nth]).partition(|&nth| messages[nth].is_between_rows);
        let room = at_most - delayed.len();
        let of_between = between.len().min(room - elsewhere.len().min(room / 2));
        let kinds = [(between, of_between, "between rows"), (elsewhere, room - of_between, OUTSIDE)];
        let others = if delayed.is_empty() { "" } else { " others" };
        let mut parts = Vec::new();
        for (messages, chosen, name) in kinds.iter().filter(|(messages, ..)| !messages.is_empty()) {
            let count = messages.len();
            (0..*chosen).for_each(|nth| is_drawn[messages[nth * count / chosen]] = true);
            parts.push(match chosen == &count {
                true => format!("the {count}{others} {name}"),
                false => format!("{chosen} of the {count}{others} {name}"),
            });
        }
        let mut note = format!("Lines: {at_most} of {all} messages, evenly spaced in the order of time");
        if parts.len() > 1 {
            note += &format!(": {}", parts.join(", "));
        }
        if !delayed.is_empty() {
            note += &format!("; including the {} with the largest delay", delayed.len());
        }
        Sample { is_drawn, note: Some(note + ".") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(sample: &Sample) -> Vec<usize> {
        (0..sample.is_drawn.len()).filter(|&nth| sample.is_drawn[nth]).collect()
    }

    fn candidates(number: usize, is_between: impl Fn(usize) -> bool, late: &[usize]) -> Vec<Candidate> {
        let delay = |nth: usize| {
            Span::from_picos(late.iter().position(|&late| late == nth).map_or(0, |place| 9 - place as u64))
        };
        (0..number).map(|nth| Candidate { delay: delay(nth), is_between_rows: is_between(nth) }).collect()
    }

    #[test]
    fn few_messages_are_all_drawn() {
        let sample = Sample::of(&candidates(5, |_| false, &[]), 5);
        assert_eq!((places(&sample), sample.note), (vec![0, 1, 2, 3, 4], None));
    }

    #[test]
    fn many_are_sampled_over_the_whole_run_with_those_most_delayed() {
        let sample = Sample::of(&candidates(100, |_| true, &[98, 3]), 11);
        assert_eq!(places(&sample), [0, 9, 19, 29, 39, 49, 59, 69, 79, 89, 98]);
        assert_eq!(
            sample.note.unwrap(),
            "Lines: 11 of 100 messages, evenly spaced in the order of time; including the 1 with the largest delay."
        );
    }

    #[test]
    fn messages_between_rows_have_half_of_the_room_and_others_are_drawn_too() {
        let sample = Sample::of(&candidates(100, |nth| nth % 50 == 7, &[]), 10);
        assert_eq!(places(&sample), [0, 7, 13, 25, 37, 50, 57, 63, 75, 87]);
        assert_eq!(
            sample.note.unwrap(),
            "Lines: 10 of 100 messages, evenly spaced in the order of time: the 2 between rows, 8 of the 98 that begin or end at a \
             rank without a row."
        );
        let phases = Sample::of(&candidates(100, |nth| nth >= 50, &[]), 10);
        assert_eq!(places(&phases), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
        let none = Sample::of(&candidates(100, |_| false, &[]), 10);
        assert_eq!(places(&none), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
    }
}
