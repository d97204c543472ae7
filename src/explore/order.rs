//! An order of arrival: all decisions of an execution, as a value and as text.

use std::{fmt, str::FromStr};

use thiserror::Error;

use super::log::{Decision, RankLog, RankScript, set};
use crate::{rank::Rank, text::shown};

/// An order of arrival: for every receive or probe that could have taken one of several messages, the source of the message that it takes, and
/// for every wait or test that could have returned one of several requests, this request. With these decisions a deterministic program does
/// the same in every run: [`Machine::replay_order`](crate::Machine::replay_order).
///
/// The text form, by `Display` and `FromStr`, has one line for each decision. Receives and probes, and waits and tests, are counted on each rank
/// from 0.
///
/// ```text
/// all sends wait for their receives
/// all collective calls wait for all ranks
/// rank 0: receive 2 takes a message of rank 3
/// rank 0: receive 3 takes nothing
/// rank 1: wait 0 returns request 2 of its list
/// rank 1: wait 1 returns nothing
/// ```
///
/// The first line is there if the sends of the program are synchronous, whatever rule the machine has; the second one if calls wait for all members
/// of their groups that may also go on ([`Transport::may_wait_for_all`](crate::comm::transport::Transport::may_wait_for_all)).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order {
    waits: Waits,
    ranks: Vec<RankScript>,
}

/// Which calls wait that need not wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Waits {
    /// All sends of the program, for their receives.
    pub(super) sends: bool,
    /// All [calls that may wait](crate::comm::transport::Transport::may_wait_for_all) for all members of their groups.
    pub(super) calls: bool,
}

/// The line of an order in which sends wait.
const SENDS_WAIT: &str = "all sends wait for their receives";

/// The line of an order in which calls wait.
const CALLS_WAIT: &str = "all collective calls wait for all ranks";

/// The error of an order that cannot be read from text.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "line {line} of the order is `{}`: write `all sends wait for their receives`, `all collective calls wait for all ranks`, `rank 0: receive 2 takes a message of rank 3`, `.. takes nothing`, `rank 0: wait 1 returns request 2 of \
     its list` or `.. returns nothing`",
    shown(given)
)]
pub struct OrderError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The line.
    pub given: String,
}

impl Order {
    /// The order of the decisions of a run, without those of calls that could not have decided otherwise.
    pub(super) fn of(logs: &[RankLog], mut ranks: Vec<RankScript>, waits: Waits) -> Order {
        for (script, log) in ranks.iter_mut().zip(logs) {
            for (decision, receive) in script.receives.iter_mut().zip(&log.receives) {
                decision.take_if(|_| !receive.select.is_wild() && !receive.may_fail);
            }
            for (decision, pick) in script.picks.iter_mut().zip(&log.picks) {
                decision.take_if(|_| pick.requests.len() == 1 && !pick.may_fail);
            }
        }
        Order { waits, ranks }
    }

    /// Whether all sends of the program wait for their receives, on any machine.
    pub fn sends_wait(&self) -> bool {
        self.waits.sends
    }

    /// Whether all [calls that may wait](crate::comm::transport::Transport::may_wait_for_all) for all members of their groups do so.
    pub fn calls_wait(&self) -> bool {
        self.waits.calls
    }

    pub(super) fn waits(&self) -> Waits {
        self.waits
    }

    /// The decisions of a rank.
    pub(super) fn script(&self, rank: Rank) -> RankScript {
        self.ranks.get(rank).cloned().unwrap_or_default()
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        let Waits { sends, calls } = self.waits;
        let first = [sends.then_some(SENDS_WAIT), calls.then_some(CALLS_WAIT)];
        let decisions = self.ranks.iter().enumerate().flat_map(|(rank, script)| {
            let receives = script.receives.iter().enumerate();
            let receives = receives.filter_map(move |(number, decision)| {
                Some(match (*decision)? {
                    Decision::From(source) => {
                        format!("rank {rank}: receive {number} takes a message of rank {source}")
                    }
                    Decision::Nothing => format!("rank {rank}: receive {number} takes nothing"),
                })
            });
            let picks = script.picks.iter().enumerate();
            let picks = picks.filter_map(move |(number, decision)| {
                Some(match (*decision)? {
                    Decision::From(index) => {
                        format!("rank {rank}: wait {number} returns request {index} of its list")
                    }
                    Decision::Nothing => format!("rank {rank}: wait {number} returns nothing"),
                })
            });
            receives.chain(picks)
        });
        first.into_iter().flatten().map(str::to_owned).chain(decisions)
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, line) in self.lines().enumerate() {
            f.write_str(if nth == 0 { "" } else { "\n" })?;
            f.write_str(&line)?;
        }
        Ok(())
    }
}

/// The maximum number of a rank or a call in a text, so that a wrong text takes no memory.
const MAX_NUMBER: usize = 1 << 24;

impl FromStr for Order {
    type Err = OrderError;

    fn from_str(text: &str) -> Result<Order, OrderError> {
        let mut order = Order::default();
        for (nth, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            order.add(line).ok_or_else(|| OrderError { line: nth + 1, given: line.into() })?;
        }
        Ok(order)
    }
}

impl Order {
    /// Adds the decision of a line.
    fn add(&mut self, line: &str) -> Option<()> {
        match line.trim() {
            SENDS_WAIT => {
                self.waits.sends = true;
                return Some(());
            }
            CALLS_WAIT => {
                self.waits.calls = true;
                return Some(());
            }
            _ => {}
        }
        let number = |word: &str| word.parse().ok().filter(|&number: &usize| number < MAX_NUMBER);
        let words: Vec<&str> = line.split_whitespace().collect();
        let (rank, call, nth, decision) = match words[..] {
            ["rank", rank, call @ "receive", nth, "takes", "a", "message", "of", "rank", source] => {
                (rank, call, nth, Decision::From(number(source)? as u32))
            }
            ["rank", rank, call @ "receive", nth, "takes", "nothing"]
            | ["rank", rank, call @ "wait", nth, "returns", "nothing"] => {
                (rank, call, nth, Decision::Nothing)
            }
            ["rank", rank, call @ "wait", nth, "returns", "request", index, "of", "its", "list"] => {
                (rank, call, nth, Decision::From(number(index)? as u32))
            }
            _ => return None,
        };
        let (rank, nth) = (number(rank.strip_suffix(':')?)?, number(nth)?);
        if self.ranks.len() <= rank {
            self.ranks.resize(rank + 1, RankScript::default());
        }
        let script = &mut self.ranks[rank];
        set(if call == "receive" { &mut script.receives } else { &mut script.picks }, nth, decision);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_an_order_is_read_back() {
        let text = "all sends wait for their receives\nall collective calls wait for all ranks\nrank 0: receive 2 takes a message of rank 3\n\
                    rank 0: receive 3 takes nothing\nrank 1: wait 0 returns request 2 of its list\nrank 1: wait 1 returns nothing";
        let order: Order = text.parse().unwrap();
        assert_eq!(order.to_string(), text);
        let wrong = format!("{text}\n\nrank 1: wait 1 returns something");
        assert_eq!(wrong.parse::<Order>().unwrap_err().line, 8);
        assert!("rank 0: receive 99999999999 takes nothing".parse::<Order>().is_err());
    }
}
