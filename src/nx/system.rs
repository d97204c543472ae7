//! The system side of NX on a node: it takes messages from the network, stores them, and forwards broadcasts.
//!
//! # Rationale
//!
//! A broadcast must be forwarded by a node that is busy with other calls: a node that waits for a message of another type, or is in a
//! global operation, and receives the broadcast only later. If the broadcast were forwarded by its receive call, such programs would
//! deadlock here although they run on a Paragon. Therefore *every* call that waits takes in all messages, in the order in which they
//! arrive:
//!
//! ```text
//!                      +-- is it a broadcast? charge the copy, send it to this node's children
//!                      v
//!   the network --> receive_next --> the first posted receive that accepts it --> filled, until somebody waits for it
//!                        \
//!                         +----> the buffer, if there is none             --> a receive or a probe that comes later
//! ```
//!
//! The receive overhead of a message is charged when it is taken in. For a message that is received as soon as it arrives, this is the cost
//! of [`recv`](crate::comm::Group::recv). An unexpected message costs nothing more when the program receives it: the node has spent the
//! overhead while it waited for something else.
//!
//! A posted receive (`irecv`) also posts a receive with the machine, so that the machine can model the overlap of sends and receives. The
//! receives posted with the machine accept any message: messages fill them in the order of arrival, and this module assigns the messages to
//! the program's receives.
//!
//! A node that computes, or whose program has returned, forwards nothing.

use std::collections::{BTreeMap, VecDeque};

use super::{
    Nx, NxError,
    handler::Handlers,
    info::{Criteria, Info},
    tree::{TreeNeighbors, tree_neighbors},
};
use crate::{
    comm::{Message, RecvRequest, SendRequest, Tested},
    payload::Payload,
    rank::{ANY_SOURCE, Rank, Tag},
    time::Span,
};

/// The tags of internal messages. A program cannot select them, because a named tag is greater than [`MAX_TYPE`](super::MAX_TYPE).
pub(super) mod tags {
    use crate::rank::Tag;

    /// Partial results sent to node 0.
    pub(crate) const COMBINE: Tag = Tag::named(b"Comb");
    /// Parts of a vector sent to node 0.
    pub(crate) const GATHER: Tag = Tag::named(b"Gath");
    /// Results sent to all nodes.
    pub(crate) const SPREAD: Tag = Tag::named(b"Sprd");

    /// Returns the tag of a round of a barrier; the number of rounds is at most the number of digits and letters.
    pub(crate) fn sync(round: u32) -> Tag {
        let digit = char::from_digit(round, 36).unwrap_or('z') as u8;
        Tag::named(&[b'S', b'y', b'n', digit])
    }
}

/// A message that has been taken from the network.
#[derive(Clone, Debug)]
pub(super) struct Arrived {
    pub(super) source: Rank,
    pub(super) tag: Tag,
    pub(super) payload: Payload,
}

impl Arrived {
    pub(super) fn info(&self) -> Info {
        Info::new(self.source, self.tag, &self.payload)
    }
}

/// The number of a receive of the program.
pub(super) type Ticket = u64;

/// The state of NX on a node; see the [module](self).
#[derive(Debug, Default)]
pub(super) struct System<'a> {
    /// Receives posted with the machine that have not been waited for, the oldest first.
    open: VecDeque<RecvRequest<'a>>,
    /// Unexpected messages: the program has not received them yet.
    buffer: VecDeque<Arrived>,
    next: Ticket,
    /// The receives of the program that have no message yet, with their criteria.
    posted: VecDeque<(Ticket, Criteria)>,
    /// The messages assigned to receives of the program, by ticket.
    pub(super) filled: BTreeMap<Ticket, Arrived>,
    /// Receives whose message is to be discarded.
    ignored: Vec<Ticket>,
    pub(super) handlers: Handlers<'a>,
    /// The message that `infocount` and similar calls describe.
    pub(super) last: Option<Info>,
}

impl System<'_> {
    fn find(&self, wanted: Criteria) -> Option<usize> {
        self.buffer.iter().position(|arrived| wanted.accepts(arrived.source, arrived.tag))
    }

    /// Posts a receive: assigns a message from the buffer, or else queues the receive.
    fn post(&mut self, wanted: Criteria) -> Ticket {
        let ticket = self.next;
        self.next += 1;
        match self.find(wanted).and_then(|at| self.buffer.remove(at)) {
            Some(arrived) => drop(self.filled.insert(ticket, arrived)),
            None => self.posted.push_back((ticket, wanted)),
        }
        ticket
    }

    /// Assigns a message to the first posted receive that accepts it, or to the buffer.
    fn match_or_buffer(&mut self, arrived: Arrived) {
        let Some(at) = self.posted.iter().position(|(_, wanted)| wanted.accepts(arrived.source, arrived.tag))
        else {
            return self.buffer.push_back(arrived);
        };
        if let Some((ticket, _)) = self.posted.remove(at) {
            match self.ignored.iter().position(|&ignored| ignored == ticket) {
                Some(at) => drop(self.ignored.swap_remove(at)),
                None => {
                    if let Some(arrived) = self.handlers.take(ticket, arrived) {
                        self.filled.insert(ticket, arrived);
                    }
                }
            }
        }
    }

    /// Marks a receive whose message is to be discarded.
    pub(super) fn ignore(&mut self, ticket: Ticket) {
        if self.filled.remove(&ticket).is_none() {
            self.ignored.push(ticket);
        }
    }

    /// Cancels a receive. A message already assigned to it goes to another receive or back to the buffer.
    pub(super) fn cancel(&mut self, ticket: Ticket) {
        self.posted.retain(|&(posted, _)| posted != ticket);
        let Some(arrived) = self.filled.remove(&ticket) else { return };
        if self.posted.iter().any(|(_, wanted)| wanted.accepts(arrived.source, arrived.tag)) {
            self.match_or_buffer(arrived);
        } else {
            // The message goes to the front, because matching messages in the buffer arrived later.
            self.buffer.push_front(arrived);
        }
    }
}

impl<'a> Nx<'a, '_> {
    /// Posts a receive; `early` means that the program continues and waits for the message later.
    #[track_caller]
    pub(super) fn post(&self, wanted: Criteria, early: bool) -> Result<Ticket, NxError> {
        let ticket = self.system.borrow_mut().post(wanted);
        if early && !self.system.borrow().filled.contains_key(&ticket) {
            let request = self.wire.irecv(ANY_SOURCE)?;
            self.system.borrow_mut().open.push_back(request);
        }
        Ok(ticket)
    }

    /// Waits for the message of a receive and returns it.
    #[track_caller]
    pub(super) fn wait_for(&self, ticket: Ticket) -> Result<Arrived, NxError> {
        loop {
            if let Some(arrived) = self.system.borrow_mut().filled.remove(&ticket) {
                return Ok(arrived);
            }
            self.receive_next()?;
        }
    }

    /// Returns the message of a receive, if it has arrived by this instant.
    #[track_caller]
    pub(super) fn try_take(&self, ticket: Ticket) -> Result<Option<Arrived>, NxError> {
        loop {
            if let Some(arrived) = self.system.borrow_mut().filled.remove(&ticket) {
                return Ok(Some(arrived));
            }
            if !self.poll()? {
                return Ok(None);
            }
        }
    }

    /// Waits for a message and receives it.
    #[track_caller]
    pub(super) fn take(&self, wanted: Criteria) -> Result<Arrived, NxError> {
        let ticket = self.post(wanted, false)?;
        self.wait_for(ticket)
    }

    /// Waits until a matching message has arrived, without receiving it.
    #[track_caller]
    pub(super) fn find(&self, wanted: Criteria) -> Result<Info, NxError> {
        loop {
            if let Some(info) = self.find_buffered(wanted) {
                return Ok(info);
            }
            self.receive_next()?;
        }
    }

    /// Returns the description of a matching message that has arrived by this instant.
    #[track_caller]
    pub(super) fn try_find(&self, wanted: Criteria) -> Result<Option<Info>, NxError> {
        loop {
            let found = self.find_buffered(wanted);
            if found.is_some() || !self.poll()? {
                return Ok(found);
            }
        }
    }

    fn find_buffered(&self, wanted: Criteria) -> Option<Info> {
        let system = self.system.borrow();
        system.find(wanted).map(|at| system.buffer[at].info())
    }

    /// Takes the next message from the network, waiting for it.
    #[track_caller]
    fn receive_next(&self) -> Result<(), NxError> {
        let request = self.system.borrow_mut().open.pop_front();
        let message = match request {
            Some(request) => request.wait()?,
            None => self.wire.recv(ANY_SOURCE)?,
        };
        self.dispatch(message)
    }

    /// Takes a message from the network if one has arrived by this instant; returns whether there was one.
    #[track_caller]
    pub(super) fn poll(&self) -> Result<bool, NxError> {
        let request = self.system.borrow_mut().open.pop_front();
        let message = match request {
            Some(request) => match request.test()? {
                Tested::Complete(message) => message,
                Tested::Pending(request) => {
                    self.system.borrow_mut().open.push_front(request);
                    return Ok(false);
                }
            },
            None if self.wire.try_probe(ANY_SOURCE)?.is_none() => return Ok(false),
            None => self.wire.recv(ANY_SOURCE)?,
        };
        self.dispatch(message).map(|()| true)
    }

    /// Handles a message taken from the network: forwards a broadcast, and assigns the message to a receive or the buffer.
    #[track_caller]
    fn dispatch(&self, message: Message) -> Result<(), NxError> {
        let Message { source, tag, payload, .. } = message;
        let origin = payload.origin();
        let source = match origin {
            Some(root) => {
                self.copy(payload.len())?;
                self.forward_broadcast(root as Rank, tag, &payload)?;
                root as Rank
            }
            None => source,
        };
        self.system.borrow_mut().match_or_buffer(Arrived {
            source,
            tag,
            payload: payload.on_behalf_of(None),
        });
        self.run_handlers()
    }

    /// Sends an internal NX message, always eagerly, even if the messages of programs follow the [rendezvous
    /// threshold](crate::MachineBuilder::rendezvous): NX buffers these messages, and receives others while they leave.
    #[track_caller]
    pub(super) fn send_internal(&self, to: Rank, tag: Tag, payload: Payload) -> Result<(), NxError> {
        match self.node.machine().rendezvous() {
            None => self.wire.send((to, tag), payload)?,
            Some(_) => self.wire.isend((to, tag), payload)?.detach(),
        }
        Ok(())
    }

    /// Forwards a broadcast of node `root` to this node's children in its tree, one after the other.
    #[track_caller]
    pub(super) fn forward_broadcast(&self, root: Rank, tag: Tag, payload: &Payload) -> Result<(), NxError> {
        for child in self.tree_neighbors(root).children {
            self.send_internal(child, tag, payload.clone().on_behalf_of(Some(root as u32)))?;
        }
        Ok(())
    }

    /// Sends a broadcast of this node's program to this node's children in its tree, one after the other.
    #[track_caller]
    pub(super) fn broadcast(&self, tag: Tag, payload: &Payload) -> Result<(), NxError> {
        let root = self.node.rank();
        for child in self.tree_neighbors(root).children {
            self.wire.send((child, tag), payload.clone().on_behalf_of(Some(root as u32)))?;
        }
        Ok(())
    }

    /// Starts to send a broadcast of this node to its children, without waiting for the messages to leave.
    pub(super) fn start_broadcast(
        &self,
        tag: Tag,
        payload: &Payload,
    ) -> Result<Vec<SendRequest<'a>>, NxError> {
        let root = self.node.rank();
        let start = |child| {
            let payload = payload.clone().on_behalf_of(Some(root as u32));
            Ok(self.wire.isend((child, tag), payload)?)
        };
        self.tree_neighbors(root).children.into_iter().map(start).collect()
    }

    pub(super) fn tree_neighbors(&self, root: Rank) -> TreeNeighbors {
        tree_neighbors(root, self.node.size(), self.node.rank())
    }

    /// Charges the copy of a broadcast or of an internal message through the system's buffer.
    pub(super) fn copy(&self, bytes: u64) -> Result<(), NxError> {
        self.charge(self.costs.copy.times(bytes))
    }

    pub(super) fn charge(&self, time: Span) -> Result<(), NxError> {
        if !time.is_zero() {
            self.wire.charge(time)?;
        }
        Ok(())
    }
}
