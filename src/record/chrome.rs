//! A run in the Chrome trace-event format, which <https://ui.perfetto.dev> shows as a timeline. The machine is a
//! process, every node a thread, every message an arrow. The network is another process, with a thread for each
//! out-port and counters of links. `docs/traces.md` describes the kinds of slices for users.
//!
//! [`slices`] converts events, [`ports`] and [`links`] convert transfers, and [`file`](mod@file) writes the records.
//!
//! Three properties of the format's readers determine how it is written.
//!
//! - Readers keep whole nanoseconds, truncate the begin and the duration separately, and drop a slice that then exceeds
//!   its enclosing slice. So a slice is written as its begin ("B") and its end ("E") rather than as one complete event
//!   ("X"): truncating instants never changes their order, and nested slices stay nested.
//! - Records of equal time on one track keep their order in the file, and an arrow is attached to the innermost slice that is open at the
//!   arrow's position in the file. So the records of a track are in time order; an arrow starts right after the begin of its send and ends
//!   right before the end of its receive, even for slices of zero length.
//! - Thread 0 is the idle thread of an operating system, and the thread with the number of its process is the main
//!   thread. So the tracks are numbered from 10,000.

mod file;
mod links;
mod ports;
mod slices;

use std::io;

use self::{file::File, slices::Slices};
use super::Trace;
use crate::{model::MachineSpec, rank::Rank};

/// Writes the trace of a run on `machine` as a Chrome trace, a JSON object that <https://ui.perfetto.dev> opens.
///
/// Each node has a track with a slice for each call, an arrow from each send to its receive, and enclosing slices for phases and for
/// operations and steps of the library. Within a call there are slices of the categories `overhead` and `waiting`, whose sums equal the
/// [counters](super::NodeRecord); a wait or a barrier is itself a slice of the category `waiting`. Each out-port has a track of the
/// messages that leave through it. The links with the most bytes, at most eight, have counters of the messages that move over them at
/// the same time. `docs/traces.md` of the project lists all names.
///
/// Times are modeled microseconds, exact to the picosecond; equal traces give identical bytes. The events may be in any
/// order. An event that overlaps another one of its node without being nested in it goes to a second track of the node.
/// A message has no arrow if its send or receive is not among the events, or if it took no time.
///
/// # Errors
/// The errors of the writer, or [`io::ErrorKind::InvalidInput`] if the machine lacks the node of an event or a message.
pub fn write_chrome_trace(trace: &Trace, machine: &MachineSpec, writer: impl io::Write) -> io::Result<()> {
    let Trace { events, transfers, .. } = trace;
    let nodes = machine.nodes();
    let out_of_range = |rank: Rank| (rank >= nodes).then_some(rank);
    let of_event = events.iter().find_map(|event| Some(("an event", out_of_range(event.rank)?)));
    let of_transfer = transfers.iter().find_map(|transfer| {
        Some(("a message", out_of_range(transfer.from).or_else(|| out_of_range(transfer.to))?))
    });
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
