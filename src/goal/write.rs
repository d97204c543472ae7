//! Writes schedules in GOAL.

use std::{fmt::Arguments, io::Write};

use super::error::WriteError;
use crate::{
    model::MachineSpec,
    pattern::{Action, Schedule},
    rank::Rank,
    time::Span,
};

/// Writes a schedule in GOAL for a machine, whose parameters determine the times of copying and combining.
///
/// Each operation requires its predecessor, or only the start of its predecessor where the node does not wait for the predecessor's end. If
/// the text is read back and run with [blocking](super::Sends::Blocking) sends, the program takes the time of the schedule to the
/// picosecond. With eager sends, as in LogGOPSim, a node continues earlier after a send. Computation times that are not whole nanoseconds
/// are written with decimals, which LogGOPSim does not read.
///
/// ```
/// use multicomputer::{goal, pattern::{Builder, Exchange, Transfer}};
///
/// let mut builder = Builder::new(2, &[0], &[1000], Exchange::Together);
/// builder.iteration([Transfer { from: 0, to: 1, blocks: [0].into() }]);
/// let mut text = Vec::new();
/// goal::write(&builder.finish(), &"hockney:1x2".parse()?, &mut text)?;
/// let expected = "num_ranks 2\nrank 0 {\nl1: send 1000b to 1\n}\nrank 1 {\nl1: recv 1000b from 0\n}\n";
/// assert_eq!(String::from_utf8(text)?, expected);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WriteError`] if the schedule has hardware barriers, or the machine uses the rendezvous protocol.
pub fn write(schedule: &Schedule, machine: &MachineSpec, out: impl Write) -> Result<(), WriteError> {
    if machine.rendezvous().is_some() {
        return Err(WriteError::Rendezvous);
    }
    let mut writer = Writer::new(schedule.nodes(), out)?;
    let mut started = Vec::new();
    for rank in 0..schedule.nodes() {
        writer.begin(rank)?;
        started.clear();
        for step in schedule.steps(rank) {
            action(&mut writer, &mut started, schedule, machine, &step.action)?;
        }
        writer.end()?;
    }
    writer.finish()
}

/// Writes one step of a rank. `started` are the labels of started sends that no operation requires yet.
fn action<W: Write>(
    writer: &mut Writer<W>,
    started: &mut Vec<u64>,
    schedule: &Schedule,
    machine: &MachineSpec,
    action: &Action,
) -> Result<(), WriteError> {
    let parameters = machine.parameters();
    match action {
        Action::Send(message) => writer.send(message.bytes, message.peer, 0, false).map(drop),
        Action::Start(message) => {
            started.push(writer.send(message.bytes, message.peer, 0, true)?);
            Ok(())
        }
        Action::WaitAll => {
            started.drain(..).for_each(|label| writer.require(label));
            Ok(())
        }
        Action::Recv(message) => writer.recv(message.bytes, message.peer, 0),
        Action::Exchange { send, recv } => {
            // A combined send and receive is written as a send, a receive and o_x: a receive that begins when the sent message has left
            // ends at the same time as the combined call, less o_x.
            writer.send(send.bytes, send.peer, 0, false)?;
            writer.recv(recv.bytes, recv.peer, 0)?;
            writer.calc(parameters.exchange_overhead())
        }
        Action::Pack(bytes) => writer.calc(parameters.copying(*bytes)),
        Action::Combine(bytes) => writer.calc(parameters.combining(schedule.elements(*bytes))),
        Action::Merge { into, .. } => {
            writer.calc(parameters.combining(schedule.elements(schedule.sizes()[*into as usize])))
        }
        Action::Pause(span) => writer.calc(*span),
        Action::Barrier => Err(WriteError::Barrier),
    }
}

/// Writes operations, each of which requires the previous one of its rank.
pub(super) struct Writer<W> {
    out: W,
    /// The number of operations of the rank so far, which is also the label of the last one.
    last: u64,
    /// Whether the next operation requires only the start of the last one.
    goes_on: bool,
    /// Sends that the next operation requires.
    waits: Vec<u64>,
}

impl<W: Write> Writer<W> {
    /// Begins a text for a number of ranks.
    pub(super) fn new(ranks: usize, mut out: W) -> Result<Writer<W>, WriteError> {
        writeln!(out, "num_ranks {ranks}")?;
        Ok(Writer { out, last: 0, goes_on: false, waits: Vec::new() })
    }

    /// Begins a rank.
    pub(super) fn begin(&mut self, rank: Rank) -> Result<(), WriteError> {
        (self.last, self.goes_on) = (0, false);
        self.waits.clear();
        Ok(writeln!(self.out, "rank {rank} {{")?)
    }

    /// Ends a rank.
    pub(super) fn end(&mut self) -> Result<(), WriteError> {
        Ok(writeln!(self.out, "}}")?)
    }

    /// Ends the text.
    pub(super) fn finish(mut self) -> Result<(), WriteError> {
        Ok(self.out.flush()?)
    }

    /// Writes a send and returns its label. If it `goes_on`, the next operation requires only its start.
    pub(super) fn send(&mut self, bytes: u64, to: Rank, tag: u64, goes_on: bool) -> Result<u64, WriteError> {
        self.operation(format_args!("send {bytes}b to {to}{}", tagged(tag)))?;
        self.goes_on = goes_on;
        Ok(self.last)
    }

    pub(super) fn recv(&mut self, bytes: u64, from: Rank, tag: u64) -> Result<(), WriteError> {
        self.operation(format_args!("recv {bytes}b from {from}{}", tagged(tag)))
    }

    /// Lets the next operation require the end of the send with this label.
    pub(super) fn require(&mut self, label: u64) {
        self.waits.push(label);
    }

    /// Writes a computation, unless it takes no time.
    pub(super) fn calc(&mut self, span: Span) -> Result<(), WriteError> {
        let (nanos, picos) = (span.as_picos() / 1000, span.as_picos() % 1000);
        match picos {
            _ if span.is_zero() => Ok(()),
            0 => self.operation(format_args!("calc {nanos}")),
            _ => self.operation(format_args!("calc {nanos}.{picos:03}")),
        }
    }

    /// Writes an operation that depends on the previous one.
    fn operation(&mut self, text: Arguments<'_>) -> Result<(), WriteError> {
        let (before, relation) = (self.last, if self.goes_on { "irequires" } else { "requires" });
        self.last += 1;
        self.goes_on = false;
        writeln!(self.out, "l{}: {text}", self.last)?;
        if before > 0 {
            writeln!(self.out, "l{} {relation} l{before}", self.last)?;
        }
        for send in self.waits.drain(..) {
            writeln!(self.out, "l{} requires l{send}", self.last)?;
        }
        Ok(())
    }
}

/// Returns the tag of an operation; none is written for tag 0.
fn tagged(tag: u64) -> String {
    if tag == 0 { String::new() } else { format!(" tag {tag}") }
}
