//! A run in the Chrome trace-event format, which <https://ui.perfetto.dev> shows as a timeline: the machine is a
//! process, every node a thread of it, every message an arrow; its network is another process, with a thread for each
//! out-port and counters of links. The kinds of slices are described in `docs/traces.md`, for users.
//!
//! [`slices`] are made from events, [`ports`] and [`links`] from transfers, and [`file`](mod@file) writes records.
//!
//! Three facts about the readers of the format determine how it is written.
//!
//! - They keep whole nanoseconds, truncate the begin and the duration separately, and drop a slice that then exceeds
//!   the slice around it. So a slice is written as its begin ("B") and its end ("E") rather than as one complete event
//!   ("X"): truncating instants never changes their order, and nested slices stay nested.
//! - Among the records of one time on one track, those that stand first in the file come first, and an arrow belongs to
//!   the innermost slice that is open then. So the records of a track are in order of time; an arrow starts right behind
//!   the begin of its send and ends right before the end of its receive. That holds for slices of zero length as well.
//! - Thread 0 is the idle thread of an operating system, and the thread with the number of its process is the main
//!   thread. So the tracks are numbered from 10,000.

mod file;
mod links;
mod ports;
mod slices;

use std::io;

use self::{file::File, slices::Slices};
use super::Trace;
use crate::{model::Description, rank::Rank};

/// Writes the trace of a run on `machine` as a Chrome trace, a JSON object that <https://ui.perfetto.dev> opens.
///
/// Each node has a track with a slice for each of its calls, an arrow from each send to its receive, and around them
/// its phases and the operations and steps of the library. Within a call there are slices of the category `overhead`
/// and of the category `waiting`, whose lengths add up to the [counters](super::NodeRecord); a wait or a barrier is
/// itself a slice of that category. Each out-port has a track of the messages that leave through it, and the links
/// that carry the most bytes, eight of them at most, have counters of the messages that move over them at the same
/// time. All names are in `docs/traces.md` of the project.
///
/// Times are modeled microseconds, exact to the picosecond; the same trace gives the same bytes. The events may be in
/// any order. An event that overlaps another of its node without lying within it goes to a second track of that node.
/// A message whose send or receive is not among the events has no arrow, and a message that took no time at all has
/// none either.
///
/// # Errors
/// The errors of the writer, or [`io::ErrorKind::InvalidInput`] if an event or a message is of a node that the
/// machine does not have.
pub fn write_chrome_trace(trace: &Trace, machine: &Description, writer: impl io::Write) -> io::Result<()> {
    let Trace { events, transfers, .. } = trace;
    let nodes = machine.nodes();
    let strange = |rank: Rank| (rank >= nodes).then_some(rank);
    let of_event = events.iter().find_map(|event| Some(("an event", strange(event.rank)?)));
    let of_transfer = transfers
        .iter()
        .find_map(|transfer| Some(("a message", strange(transfer.from).or_else(|| strange(transfer.to))?)));
    if let Some((what, rank)) = of_event.or(of_transfer) {
        let refusal = format!("{what} of node {rank} on a machine of {nodes} nodes");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, refusal));
    }
    let mut file = File::begin(machine.name(), writer)?;
    Slices::new(trace, nodes).write(&mut file)?;
    if !transfers.is_empty() {
        file.name_network(machine.name())?;
        links::write(transfers, &**machine.topology(), &mut file)?;
        ports::write(transfers, machine.parameters().ports() as usize, &mut file)?;
    }
    file.finish()
}

#[cfg(test)]
#[path = "chrome_tests.rs"]
mod tests;
