//! Writes schedules in GOAL.

use std::io::Write;

use super::error::WriteError;
use crate::{
    model::MachineSpec,
    pattern::{Action, Message, Schedule},
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
    let mut writer = Writer { out, last: 0, goes_on: false, started: Vec::new(), waits: Vec::new() };
    writeln!(writer.out, "num_ranks {}", schedule.nodes())?;
    for rank in 0..schedule.nodes() {
        writeln!(writer.out, "rank {rank} {{")?;
        (writer.last, writer.goes_on) = (0, false);
        writer.started.clear();
        writer.waits.clear();
        for step in schedule.steps(rank) {
            writer.action(schedule, machine, &step.action)?;
        }
        writeln!(writer.out, "}}")?;
    }
    Ok(writer.out.flush()?)
}

struct Writer<W> {
    out: W,
    /// The number of operations of the rank so far, which is also the label of the last one.
    last: u64,
    /// Whether the next operation requires only the start of the last one.
    goes_on: bool,
    /// Started sends that no operation requires yet.
    started: Vec<u64>,
    /// Sends that the next operation requires.
    waits: Vec<u64>,
}

impl<W: Write> Writer<W> {
    fn action(
        &mut self,
        schedule: &Schedule,
        machine: &MachineSpec,
        action: &Action,
    ) -> Result<(), WriteError> {
        let parameters = machine.parameters();
        match action {
            Action::Send(message) => self.send(message),
            Action::Start(message) => {
                self.send(message)?;
                self.started.push(self.last);
                self.goes_on = true;
                Ok(())
            }
            Action::WaitAll => {
                self.waits.append(&mut self.started);
                Ok(())
            }
            Action::Recv(message) => self.recv(message),
            Action::Exchange { send, recv } => {
                // A combined send and receive is written as a send, a receive and o_x: a receive that begins when the sent message has left
                // ends at the same time as the combined call, less o_x.
                self.send(send)?;
                self.recv(recv)?;
                self.calc(parameters.exchange_overhead())
            }
            Action::Pack(bytes) => self.calc(parameters.copying(*bytes)),
            Action::Combine(bytes) => self.calc(parameters.combining(schedule.elements(*bytes))),
            Action::Merge { into, .. } => {
                self.calc(parameters.combining(schedule.elements(schedule.sizes()[*into as usize])))
            }
            Action::Pause(span) => self.calc(*span),
            Action::Barrier => Err(WriteError::Barrier),
        }
    }

    fn send(&mut self, message: &Message) -> Result<(), WriteError> {
        self.operation(&format!("send {}b to {}", message.bytes, message.peer))
    }

    fn recv(&mut self, message: &Message) -> Result<(), WriteError> {
        self.operation(&format!("recv {}b from {}", message.bytes, message.peer))
    }

    fn calc(&mut self, span: Span) -> Result<(), WriteError> {
        let (nanos, picos) = (span.as_picos() / 1000, span.as_picos() % 1000);
        match picos {
            _ if span.is_zero() => Ok(()),
            0 => self.operation(&format!("calc {nanos}")),
            _ => self.operation(&format!("calc {nanos}.{picos:03}")),
        }
    }

    /// Writes an operation that depends on the previous one.
    fn operation(&mut self, text: &str) -> Result<(), WriteError> {
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
