//! Execution of one rank of a program on a node, with real bytes.

use super::{
    error::{PlayError, TooManyRanks},
    program::{Operation, Program},
    turns::{Sends, Turn, Turns},
};
use crate::{
    comm::{AnyRequest, Message, Node, Request},
    payload::Payload,
    random::RandomNumbers,
    rank::{Rank, Select, Tag},
};

impl Program {
    /// Executes the operations of this node's rank; a node without a rank returns immediately. The content of a message
    /// is generated from its sender, tag and length, and the receiver verifies it.
    ///
    /// ```
    /// use multicomputer::{Machine, goal::{Program, Sends}};
    ///
    /// let text = "num_ranks 2\nrank 0 { send 1000b to 1 }\nrank 1 { recv 1000b from 0 }";
    /// let program = Program::read(text.as_bytes())?;
    /// let run = Machine::hockney(1, 2).build()?.run(|node| Ok(program.play(node, Sends::Eager)?))?;
    /// assert_eq!(run.report.makespan.to_string(), "180 us");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PlayError`] if the machine has too few nodes, or if a message differs from what its receive specifies.
    #[track_caller]
    pub fn play(&self, node: &Node<'_>, sends: Sends) -> Result<(), PlayError> {
        let (ranks, nodes) = (self.ranks(), node.size());
        if ranks > nodes {
            return Err(TooManyRanks { ranks, nodes }.into());
        }
        let world = node.world();
        let mut turns = Turns::new(self.part(node.rank()), sends, node.machine());
        // The requests of the open operations, in the order of [`Turns::open`].
        let mut requests: Vec<Option<AnyRequest<'_>>> = Vec::new();
        loop {
            match turns.next() {
                Turn::Begin(operation) => match *turns.operation(operation) {
                    Operation::Send { to, tag, bytes } => {
                        let data = data(node.rank(), tag, bytes);
                        let request = world.isend((to as Rank, tag), data)?;
                        if turns.is_open(operation) {
                            requests.push(Some(request.into()));
                        } else {
                            request.detach();
                        }
                    }
                    Operation::Recv { from, tag, .. } => {
                        let source = from.map(|from| from as Rank);
                        requests.push(Some(world.irecv(Select::any_or(source, tag))?.into()));
                    }
                    Operation::Calc(span) => node.compute(span)?,
                },
                Turn::Wait(operation) => {
                    if let Some(request) = requests.pop().flatten() {
                        check(turns.operation(operation), request.wait()?)?;
                    }
                }
                Turn::WaitAny => {
                    let (place, message) = Request::wait_any(&mut requests)?;
                    requests.remove(place);
                    let operation = turns.open()[place];
                    check(turns.operation(operation), message)?;
                    turns.ended_at(place);
                }
                Turn::End => return Ok(()),
            }
        }
    }
}

/// Generates the content of a message.
fn data(from: Rank, tag: Tag, length: u32) -> Payload {
    let mut numbers = RandomNumbers::of(u64::from(tag.0), from as u64);
    let words = (0..length.div_ceil(8)).flat_map(|_| numbers.next().to_le_bytes());
    words.take(length as usize).collect::<Vec<u8>>().into()
}

/// Verifies the length and the bytes of a received message.
fn check(operation: &Operation, message: Option<Message>) -> Result<(), PlayError> {
    let (&Operation::Recv { bytes, .. }, Some(message)) = (operation, message) else { return Ok(()) };
    let (from, given, expected) = (message.source, message.len(), u64::from(bytes));
    if given != expected {
        return Err(PlayError::Length { from, given, expected });
    }
    if message.payload.to_bytes()? != data(from, message.tag, bytes).to_bytes()? {
        return Err(PlayError::Content { from });
    }
    Ok(())
}
