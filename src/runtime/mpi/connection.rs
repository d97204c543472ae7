//! Transport of frames and data through MPI: permanently posted receives, and long data in both directions.
//!
//! A short message is one frame. The data of a long message follows its frame as separate messages; it is copied only for nonblocking sends
//! and in short segments. The receiver posts receives for the data as soon as it has the frame, even if its program has not asked for the
//! message yet. A sender therefore waits only until its receiver makes a call. Messages of one rank are delivered in the order of sending.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use bytes::Bytes;
use ferrompi::{Communicator, Error, PersistentRequest, Source};

use super::{
    frame::{self, Header, Kind, LONGEST, Part, ROOM},
    pool::Pool,
};
use crate::{
    error::CommError,
    payload::{Payload, Segment},
    wire::{NodeId, RequestId},
};

/// Returns the error of a call for an error of the MPI library.
pub(super) fn transport_error(error: Error) -> CommError {
    CommError::Transport(error.to_string())
}

/// The MPI tags of frames and of the data of long messages.
const FRAME: i32 = 0;
const DATA: i32 = 1;

/// The number of receives posted for frames.
const POSTED: usize = 4;

/// The length in bytes from which a segment is sent separately; adjacent shorter segments are copied into one part.
const ALONE: u64 = 16 << 10;

/// The connection to the other ranks.
pub(super) struct Connection {
    comm: Communicator,
    posted: RefCell<Posted>,
    /// A buffer in which frames are assembled.
    scratch: RefCell<Vec<u8>>,
    /// For each rank, its messages from the first incomplete one on, in the order of sending.
    incoming: RefCell<BTreeMap<NodeId, VecDeque<Incoming>>>,
    /// The long messages of nonblocking sends in progress.
    outgoing: RefCell<Vec<Outgoing>>,
    pool: Arc<Pool>,
    /// The numbers of messages sent and received so far.
    sent: Cell<u64>,
    received: Cell<u64>,
    /// The numbers of frames sent to each rank, and received from all.
    frames_sent: RefCell<Vec<u64>>,
    frames_received: Cell<u64>,
}

/// A ring of receives for frames. The receive at `next` completes next; the `taken` receives before it have delivered their frames and must
/// be posted again.
struct Posted {
    receives: Vec<PersistentRequest<u8>>,
    next: usize,
    taken: usize,
}

impl Posted {
    /// Posts again the receive whose frame was taken first.
    fn post_one(&mut self) -> Result<(), Error> {
        let first = (self.next + POSTED - self.taken) % POSTED;
        self.taken -= 1;
        self.receives[first].start()
    }
}

/// A message in reception: its header and its parts.
struct Incoming {
    header: Header,
    parts: Vec<IncomingPart>,
    /// The number of parts whose lengths have not arrived.
    missing: usize,
}

/// A part of a message in reception.
enum IncomingPart {
    Whole(Segment),
    Coming(PersistentRequest<u8>, usize),
}

/// A long message that is being sent.
struct Outgoing {
    request: RequestId,
    parts: Vec<PersistentRequest<u8>>,
}

/// A frame: the sending rank, its header, and its data.
type Frame = (NodeId, Header, Bytes);

/// An arrived message or control frame: the sending rank, the header, and the data.
pub(super) type Arrived = (NodeId, Header, Payload);

impl Connection {
    pub(super) fn new(comm: Communicator) -> Result<Connection, Error> {
        let receive = |_| {
            let mut receive = comm.recv_init(vec![0; LONGEST], Source::Any, FRAME)?;
            receive.start()?;
            Ok(receive)
        };
        let receives = (0..POSTED).map(receive).collect::<Result<_, Error>>()?;
        let frames_sent = RefCell::new(vec![0; comm.size() as usize]);
        let (scratch, incoming, outgoing, pool, sent, received, frames_received) = Default::default();
        let posted = RefCell::new(Posted { receives, next: 0, taken: 0 });
        Ok(Connection {
            comm,
            posted,
            scratch,
            incoming,
            outgoing,
            pool,
            sent,
            received,
            frames_sent,
            frames_received,
        })
    }

    /// Completes the posted receives, so that MPI can be finalized.
    pub(super) fn close(&self) -> Result<(), Error> {
        let posted = &mut *self.posted.borrow_mut();
        while posted.taken > 0 {
            posted.post_one()?;
        }
        for _ in 0..POSTED {
            self.send_frame(self.comm.rank() as NodeId, Header::new(Kind::Nothing), &[])?;
            posted.receives[posted.next].wait()?;
            posted.next = (posted.next + 1) % POSTED;
        }
        Ok(())
    }

    /// The number of messages sent so far.
    pub(super) fn sent(&self) -> u64 {
        self.sent.get()
    }

    /// The number of messages received so far.
    pub(super) fn received(&self) -> u64 {
        self.received.get()
    }

    /// The number of frames sent to each rank so far.
    pub(super) fn frames_sent(&self) -> Vec<u64> {
        self.frames_sent.borrow().clone()
    }

    /// The number of frames received so far.
    pub(super) fn frames_received(&self) -> u64 {
        self.frames_received.get()
    }

    /// Whether all messages whose frames have arrived are complete.
    pub(super) fn is_empty(&self) -> bool {
        self.incoming.borrow().is_empty()
    }

    /// Whether all long messages of nonblocking sends have been sent.
    pub(super) fn is_idle(&self) -> bool {
        self.outgoing.borrow().is_empty()
    }

    /// Sends a frame other than a message of the program, such as a query.
    pub(super) fn send_frame(&self, to: NodeId, header: Header, data: &[u8]) -> Result<(), Error> {
        let mut scratch = self.scratch.borrow_mut();
        scratch.clear();
        scratch.extend_from_slice(header.bytes());
        scratch.extend_from_slice(data);
        self.frames_sent.borrow_mut()[to as usize] += 1;
        self.comm.send(&scratch, to as i32, FRAME)
    }

    /// Sends a message, and returns when MPI has accepted it; calls `meanwhile` until then. `header` describes everything except the
    /// encoding of the data.
    pub(super) fn send(
        &self,
        to: NodeId,
        header: Header,
        payload: Payload,
        mut meanwhile: impl FnMut(),
    ) -> Result<(), Error> {
        if self.send_short(to, header, &payload)? {
            return Ok(());
        }
        let pieces = self.announce(to, header, &payload)?;
        ferrompi::scope(|scope| {
            let mut requests = Vec::with_capacity(pieces.len());
            for piece in &pieces {
                requests.push(self.comm.isend(scope, piece, to as i32, DATA)?);
            }
            while let Some(last) = requests.last_mut() {
                match last.test()? {
                    Some(_) => drop(requests.pop()),
                    None => meanwhile(),
                }
            }
            Ok(())
        })
    }

    /// Starts to send a message for a request; returns whether MPI has already accepted it.
    pub(super) fn begin(
        &self,
        to: NodeId,
        header: Header,
        payload: Payload,
        request: RequestId,
    ) -> Result<bool, Error> {
        if self.send_short(to, header, &payload)? {
            return Ok(true);
        }
        let pieces = self.announce(to, header, &payload)?;
        // Copied, because MPI reads the data after this call has returned.
        let start = |piece: Bytes| {
            let mut send = self.comm.send_init(self.pool.copy(&piece), to as i32, DATA)?;
            send.start()?;
            Ok(send)
        };
        let parts: Vec<_> = pieces.into_iter().map(start).collect::<Result<_, Error>>()?;
        let is_done = parts.is_empty();
        if !is_done {
            self.outgoing.borrow_mut().push(Outgoing { request, parts });
        }
        Ok(is_done)
    }

    /// Sends a message as one frame, if it is short enough; returns whether it was sent.
    fn send_short(&self, to: NodeId, header: Header, payload: &Payload) -> Result<bool, Error> {
        if payload.len() > ROOM as u64 || payload.is_phantom() {
            return Ok(false);
        }
        self.sent.set(self.sent.get() + 1);
        self.frames_sent.borrow_mut()[to as usize] += 1;
        let mut scratch = self.scratch.borrow_mut();
        scratch.clear();
        scratch.extend_from_slice(header.of_kind(Kind::Short).bytes());
        for segment in payload.segments() {
            if let Segment::Data(bytes) = segment {
                scratch.extend_from_slice(bytes);
            }
        }
        self.comm.send(&scratch, to as i32, FRAME)?;
        Ok(true)
    }

    /// Sends the header of a long message and the lengths of its parts; returns the data to send after it.
    fn announce(&self, to: NodeId, header: Header, payload: &Payload) -> Result<Vec<Bytes>, Error> {
        self.sent.set(self.sent.get() + 1);
        let (parts, pieces) = cut(payload);
        let words = frame::words(&parts);
        let header = Header { parts: parts.len() as u32, ..header };
        for (nth, words) in words.chunks(ROOM / size_of::<u64>()).enumerate() {
            let kind = if nth == 0 { Kind::Long } else { Kind::More };
            self.send_frame(to, header.of_kind(kind), bytemuck::cast_slice(words))?;
        }
        Ok(pieces)
    }

    /// Polls once: delivers an arrived frame and complete messages to `arrived`, and requests whose messages have been sent to `left`.
    /// Returns whether there may be more.
    pub(super) fn poll(
        &self,
        mut arrived: impl FnMut(Arrived) -> Result<(), CommError>,
        mut left: impl FnMut(RequestId),
    ) -> Result<bool, CommError> {
        let frame = self
            .next_frame(|source, header, data| (source, header, Bytes::copy_from_slice(data)))
            .map_err(transport_error)?;
        let is_there = frame.is_some();
        if let Some(frame) = frame
            && let Some(message) = self.take_frame(frame).map_err(transport_error)?
        {
            arrived(message)?;
        }
        if !self.incoming.borrow().is_empty() {
            for message in self.whole().map_err(transport_error)? {
                arrived(message)?;
            }
        }
        let outgoing = &mut *self.outgoing.borrow_mut();
        let mut at = 0;
        while at < outgoing.len() {
            while let Some(part) = outgoing[at].parts.last_mut() {
                if part.test().map_err(transport_error)?.is_none() {
                    break;
                }
                if let Some(part) = outgoing[at].parts.pop() {
                    self.pool.give_back(part.into_buffer().map_err(transport_error)?);
                }
            }
            if outgoing[at].parts.is_empty() {
                left(outgoing.swap_remove(at).request);
            } else {
                at += 1;
            }
        }
        Ok(is_there)
    }

    /// Returns the next frame, without the matching lists, if it is a wanted short message; otherwise delivers it to `arrived`. To be
    /// called only while no other message is in progress.
    pub(super) fn take_directly(
        &self,
        is_wanted: impl Fn(NodeId, &Header) -> bool,
        mut arrived: impl FnMut(Arrived) -> Result<(), CommError>,
    ) -> Result<Option<Arrived>, CommError> {
        let frame = self.next_frame(|source, header, data| {
            let data = Bytes::copy_from_slice(data);
            (header.kind() == Some(Kind::Short) && is_wanted(source, &header), (source, header, data))
        });
        let frame = frame.map_err(transport_error)?;
        match frame {
            None => Ok(None),
            Some((true, (source, header, data))) => {
                self.received.set(self.received.get() + 1);
                Ok(Some((source, header, Payload::of_bytes(data, None))))
            }
            Some((false, frame)) => {
                if let Some(message) = self.take_frame(frame).map_err(transport_error)? {
                    arrived(message)?;
                }
                Ok(None)
            }
        }
    }

    /// Reads the next frame, if one has arrived. A receive is normally posted again when there is nothing else to do.
    fn next_frame<T>(&self, read: impl FnOnce(NodeId, Header, &[u8]) -> T) -> Result<Option<T>, Error> {
        let posted = &mut *self.posted.borrow_mut();
        let receive = &mut posted.receives[posted.next];
        let Some(status) = receive.test()? else {
            if posted.taken > 0 {
                posted.post_one()?;
            }
            return Ok(None);
        };
        let frame = receive.buffer()?;
        let frame = &frame[..status.count.unwrap_or(0).min(frame.len())];
        let (header, data) = Header::read(frame).unwrap_or_default();
        let source = match status.source {
            Source::Rank(rank) => rank as NodeId,
            _ => 0,
        };
        self.frames_received.set(self.frames_received.get() + 1);
        let frame = read(source, header, data);
        posted.next = (posted.next + 1) % POSTED;
        posted.taken += 1;
        if posted.taken > POSTED / 2 {
            posted.post_one()?;
        }
        Ok(Some(frame))
    }

    /// Processes a frame; returns its message if it can be delivered now.
    fn take_frame(&self, (source, header, data): Frame) -> Result<Option<Arrived>, Error> {
        let incoming = &mut *self.incoming.borrow_mut();
        match header.kind() {
            None | Some(Kind::Nothing) => Ok(None),
            Some(Kind::Short) => {
                self.received.set(self.received.get() + 1);
                let Some(waiting) = incoming.get_mut(&source) else {
                    return Ok(Some((source, header, Payload::of_bytes(data, None))));
                };
                let parts = vec![IncomingPart::Whole(Segment::Data(data))];
                waiting.push_back(Incoming { header, parts, missing: 0 });
                Ok(None)
            }
            Some(kind @ (Kind::Long | Kind::More)) => {
                let waiting = incoming.entry(source).or_default();
                if kind == Kind::Long {
                    self.received.set(self.received.get() + 1);
                    waiting.push_back(Incoming { header, parts: vec![], missing: header.parts as usize });
                }
                for part in frame::parts(&data) {
                    let piece = self.expect(source, part)?;
                    if let Some(last) = waiting.back_mut() {
                        last.parts.push(piece);
                        last.missing -= 1;
                    }
                }
                Ok(None)
            }
            Some(_) => Ok(Some((source, header, Payload::of_bytes(data, None)))),
        }
    }

    /// Posts a receive for a part of a message.
    fn expect(&self, source: NodeId, (bytes, is_phantom): Part) -> Result<IncomingPart, Error> {
        if is_phantom {
            return Ok(IncomingPart::Whole(Segment::Phantom(bytes)));
        }
        let buffer = self.pool.take(bytes as usize);
        let mut receive = self.comm.recv_init(buffer, source as i32, DATA)?;
        receive.start()?;
        Ok(IncomingPart::Coming(receive, bytes as usize))
    }

    /// Takes the messages that can be delivered: complete messages whose predecessors from the same rank are complete.
    fn whole(&self) -> Result<Vec<Arrived>, Error> {
        let incoming = &mut *self.incoming.borrow_mut();
        let mut whole = Vec::new();
        for (&source, waiting) in incoming.iter_mut() {
            'messages: while let Some(first) = waiting.front_mut() {
                for piece in &mut first.parts {
                    if let IncomingPart::Coming(receive, _) = piece
                        && receive.test()?.is_none()
                    {
                        break 'messages;
                    }
                }
                if first.missing > 0 {
                    break;
                }
                let Some(first) = waiting.pop_front() else { break };
                let part = |piece| {
                    Ok(match piece {
                        IncomingPart::Whole(Segment::Phantom(bytes)) => Payload::phantom(bytes),
                        IncomingPart::Whole(Segment::Data(bytes)) => Payload::of_bytes(bytes, None),
                        IncomingPart::Coming(receive, bytes) => {
                            Payload::of_bytes(self.pool.lend(receive.into_buffer()?, bytes), None)
                        }
                    })
                };
                let parts = first.parts.into_iter().map(part).collect::<Result<Vec<_>, Error>>()?;
                whole.push((source, first.header, Payload::concat(parts)));
            }
        }
        incoming.retain(|_, waiting| !waiting.is_empty());
        Ok(whole)
    }
}

/// Splits a message into parts: long segments remain separate, adjacent short ones are copied together. Returns the lengths of all parts,
/// and the data of the parts that have data.
fn cut(payload: &Payload) -> (Vec<Part>, Vec<Bytes>) {
    let (mut parts, mut pieces): (Vec<Part>, Vec<Bytes>) = Default::default();
    let segments = payload.segments();
    if let [Segment::Data(bytes)] = segments {
        return (vec![(bytes.len() as u64, false)], vec![bytes.clone()]);
    }
    let is_short = |segment: &Segment| segment.len() < ALONE && matches!(segment, Segment::Data(_));
    for run in segments.chunk_by(|one, next| is_short(one) && is_short(next)) {
        match run {
            [Segment::Phantom(bytes)] => parts.push((*bytes, true)),
            [Segment::Data(bytes)] => {
                parts.push((bytes.len() as u64, false));
                pieces.push(bytes.clone());
            }
            several => {
                let mut joined = Vec::with_capacity(several.iter().map(|one| one.len() as usize).sum());
                for segment in several {
                    if let Segment::Data(bytes) = segment {
                        joined.extend_from_slice(bytes);
                    }
                }
                parts.push((joined.len() as u64, false));
                pieces.push(joined.into());
            }
        }
    }
    (parts, pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_segments_are_joined_and_long_ones_sent_separately() {
        let data = |bytes: usize| Payload::from(vec![bytes as u8; bytes]);
        let chain = [data(3), data(5), data(20_000), data(7), Payload::phantom(9), data(1), data(2)];
        let (parts, pieces) = cut(&Payload::concat(chain));
        assert_eq!(parts, [(8, false), (20_000, false), (7, false), (9, true), (3, false)]);
        assert_eq!(pieces.iter().map(Bytes::len).collect::<Vec<_>>(), [8, 20_000, 7, 3]);
        assert_eq!(&pieces[0][..], [3, 3, 3, 5, 5, 5, 5, 5]);
        assert_eq!(cut(&Payload::phantom(5)).0, [(5, true)]);
    }
}
