//! Example 29: active messages: locks and counters on other nodes.
//!
//! ```text
//!   node 3                       node 0            A message to node 0 is not received there: its handler
//!     |     TRY                    |               runs while node 0 waits, and answers.
//!     |--------------------------->| test and set
//!     |<---------------------------|               1. Test and set: who finds the lock free has it. Who does
//!     |     IS_YOURS or IS_TAKEN   |                  not tries again, a little later.
//!     |  .. alone ..               |               2. Fetch and add: everybody takes a ticket, and the number
//!     |     FREE                   |                  on it says whose turn it is. Nobody tries twice.
//!     |--------------------------->| reset
//! ```
//!
//! In both ways each node is to be alone for 50 us, once. A handler never waits; it computes and sends, and that is
//! all. What it shares with its program are cells, for both run on one thread.
//!
//! Run it with `cargo run --release --example 29_active_messages`.

use std::{cell::Cell, collections::BTreeMap, error::Error};

use multicomputer::{
    Run,
    comm::{Active, Handling},
    prelude::*,
};

/// How long each node is alone.
pub const ALONE: Span = Span::from_micros(50);

/// What each node reports: from when to when it was alone, and how often it had to ask.
pub type Turn = (Time, Time, u64);

const TRY: Tag = Tag(0);
const IS_YOURS: Tag = Tag(1);
const IS_TAKEN: Tag = Tag(2);
const FREE: Tag = Tag(3);
const TAKE: Tag = Tag(4);
const TICKET: Tag = Tag(5);
const NEXT: Tag = Tag(6);

/// A lock on node 0, tested and set until it is free.
pub fn test_and_set() -> Result<Run<Turn>, Box<dyn Error>> {
    let machine = Machine::cm5(16).build()?;
    let run = machine.run(|node| {
        // On node 0: the lock, and how many nodes have had it.
        let (is_held, turns) = (Cell::new(false), Cell::new(0));
        // On the others: the answer.
        let is_mine = Cell::new(None);
        let active = Active::new(node.world(), Handling::Polled, |reactions, message| match message.tag {
            TRY => {
                let was_held = is_held.replace(true);
                reactions.send((message.source, if was_held { IS_TAKEN } else { IS_YOURS }), [0, 0]);
            }
            FREE => {
                is_held.set(false);
                turns.set(turns.get() + 1);
            }
            answer => is_mine.set(Some(answer == IS_YOURS)),
        })?;
        if node.rank() == 0 {
            active.wait_while(|| turns.get() < node.size() - 1)?;
            return Ok((Time::ZERO, Time::ZERO, 0));
        }
        let mut asked = 0;
        let begin = loop {
            asked += 1;
            active.send((0, TRY), [0, 0])?;
            active.wait_while(|| is_mine.get().is_none())?;
            let now = node.now()?;
            if is_mine.take() == Some(true) {
                break now;
            }
            // Every rank waits for a time of its own, so that not all come back at once.
            active.sleep_until(now + Span::from_micros(node.rank() as u64), || true)?;
        };
        active.compute(ALONE)?;
        let end = node.now()?;
        active.send((0, FREE), [0, 0])?;
        Ok((begin, end, asked))
    })?;
    Ok(run)
}

/// Tickets from node 0: a number that is fetched and added to.
pub fn tickets() -> Result<Run<Turn>, Box<dyn Error>> {
    let machine = Machine::cm5(16).build()?;
    let run = machine.run(|node| {
        // On node 0: the next ticket, the ticket whose turn it is, and who has which.
        let (ticket, turn) = (Cell::new(0), Cell::new(0));
        let mut holders = BTreeMap::new();
        // On the others: whether it is their turn.
        let is_mine = Cell::new(false);
        let active = Active::new(node.world(), Handling::Polled, |reactions, message| match message.tag {
            TAKE => {
                let mine = ticket.replace(ticket.get() + 1);
                holders.insert(mine, message.source);
                reactions.send((message.source, TICKET), [mine, u64::from(mine == turn.get())]);
            }
            NEXT => {
                turn.set(turn.get() + 1);
                if let Some(&next) = holders.get(&turn.get()) {
                    reactions.send((next, TICKET), [turn.get(), 1]);
                }
            }
            _ => is_mine.set(message.words[1] == 1),
        })?;
        if node.rank() == 0 {
            active.wait_while(|| turn.get() < node.size() as u64 - 1)?;
            return Ok((Time::ZERO, Time::ZERO, 0));
        }
        active.send((0, TAKE), [0, 0])?;
        active.wait_while(|| !is_mine.get())?;
        let begin = node.now()?;
        active.compute(ALONE)?;
        let end = node.now()?;
        active.send((0, NEXT), [0, 0])?;
        Ok((begin, end, 1))
    })?;
    Ok(run)
}

/// The turns in their order, by rank.
pub fn order(run: &Run<Turn>) -> Vec<(Rank, Turn)> {
    let mut turns: Vec<(Rank, Turn)> = run.outputs.iter().copied().enumerate().skip(1).collect();
    turns.sort_by_key(|&(_, (begin, ..))| begin);
    turns
}

fn main() -> Result<(), MainError> {
    for (name, run) in [("test and set", test_and_set()?), ("tickets", tickets()?)] {
        let asked: u64 = run.outputs.iter().map(|&(.., asked)| asked).sum();
        println!(
            "{name}: all done at {}, {asked} questions, {} messages",
            run.report.makespan, run.report.messages
        );
        for (rank, (begin, end, asked)) in order(&run) {
            println!("  node {rank:2} from {begin} to {end}, asked {asked} times");
        }
    }
    Ok(())
}
