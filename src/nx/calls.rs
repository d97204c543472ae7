//! The calls for sending, receiving and probing.

use bytemuck::Pod;

use super::{
    ANY, Info, Mid, Nx, NxError,
    info::{self, Buffer, Criteria, Target},
};
use crate::{
    payload::Payload,
    rank::{Rank, Tag},
};

/// The destination of a message.
enum Destination {
    Node(Rank),
    Others,
}

impl<'a> Nx<'a, '_> {
    /// Sends a message of type `mtype` to a node, or to all other nodes if `node` is -1, and returns when the message has left; with `node`
    /// -1, when it has left for the last of this node's children in the tree. `ptype` is 0.
    ///
    /// The time is that of [`send`](crate::comm::Group::send); for broadcasts see the [module](super). `data` is a slice, a vector or any
    /// other [`Payload`].
    ///
    /// # Errors
    /// Returns [`NxError::Type`], [`NxError::Node`] or [`NxError::ProcessType`] if an argument is out of range; [`NxError::Comm`].
    #[track_caller]
    pub fn csend(&self, mtype: i32, data: impl Into<Payload>, node: i32, ptype: i32) -> Result<(), NxError> {
        let (tag, to) = self.destination(mtype, node, ptype)?;
        match to {
            Destination::Node(node) => Ok(self.wire.send((node, tag), data)?),
            Destination::Others => self.broadcast(tag, &data.into()),
        }
    }

    /// Sends like [`csend`](Nx::csend), but returns after the send overhead `o_s`; with `node` -1, after one `o_s` for each of this node's
    /// children in the tree. The data has been copied or taken over, so its memory may be reused immediately.
    ///
    /// # Errors
    /// The errors of [`csend`](Nx::csend).
    #[track_caller]
    pub fn isend(
        &self,
        mtype: i32,
        data: impl Into<Payload>,
        node: i32,
        ptype: i32,
    ) -> Result<Mid<'a>, NxError> {
        let (tag, to) = self.destination(mtype, node, ptype)?;
        let requests = match to {
            Destination::Node(node) => vec![self.wire.isend((node, tag), data)?],
            Destination::Others => self.start_broadcast(tag, &data.into())?,
        };
        Ok(Mid::of_sends(requests))
    }

    /// Sends a message of type `mtype` to each of these nodes, in their order, and returns when the last message has left.
    ///
    /// The nodes get it one after the other, like messages of [`csend`](Nx::csend) (an assumption: the algorithm of NX is unknown).
    ///
    /// # Errors
    /// The errors of [`csend`](Nx::csend).
    #[track_caller]
    pub fn gsendx(&self, mtype: i32, data: impl Into<Payload>, nodes: &[i32]) -> Result<(), NxError> {
        let data = data.into();
        nodes.iter().try_for_each(|&node| match node {
            ANY => Err(NxError::Node { given: node, nodes: self.node.size() }),
            node => self.csend(mtype, data.clone(), node, 0),
        })
    }

    /// Receives a message of type `typesel`, or of any type if `typesel` is -1, from any node. Other negative numbers are [masks of
    /// types](super#types). Among several messages it takes the one that
    /// arrived first (at the same instant, the one from the lowest node). Writes the message to the beginning of `buf` and returns the
    /// number of its elements.
    ///
    /// The time is that of [`recv`](crate::comm::Group::recv); for messages that arrive before the call see the [module](super).
    ///
    /// # Errors
    /// Returns [`NxError::TypeSelector`]; [`NxError::BufferTooShort`] if the message is longer than the buffer, and [`NxError::Data`] if
    /// its elements have another type (in both cases the message is lost); [`NxError::Comm`].
    #[track_caller]
    pub fn crecv<T: Pod>(&self, typesel: i32, buf: &mut [T]) -> Result<usize, NxError> {
        let mid = self.post_receive(false, self.wanted(typesel, ANY, ANY)?, buf)?;
        self.msgwait(mid)?;
        Ok(self.received::<T>())
    }

    /// Posts a receive like [`crecv`](Nx::crecv) and returns immediately. [`msgwait`](Nx::msgwait) waits for the message, and
    /// [`infocount`](Nx::infocount) then returns its length.
    ///
    /// # Errors
    /// Returns [`NxError::TypeSelector`]; [`NxError::Comm`].
    #[track_caller]
    pub fn irecv<'b, T: Pod>(&self, typesel: i32, buf: &'b mut [T]) -> Result<Mid<'b>, NxError> {
        self.post_receive(true, self.wanted(typesel, ANY, ANY)?, buf)
    }

    /// Receives like [`crecv`](Nx::crecv), from node `nodesel`, or from any node if it is -1; `ptypesel` is 0, or -1 for any. The source of
    /// a broadcast is the node that called it. Returns the entries of NX's array `info`. Does not change the result of
    /// [`infocount`](Nx::infocount) and similar calls.
    ///
    /// # Errors
    /// The errors of [`crecv`](Nx::crecv); [`NxError::NodeSelector`], [`NxError::ProcessType`].
    #[track_caller]
    pub fn crecvx<T: Pod>(
        &self,
        typesel: i32,
        buf: &mut [T],
        nodesel: i32,
        ptypesel: i32,
    ) -> Result<Info, NxError> {
        let arrived = self.take(self.wanted(typesel, nodesel, ptypesel)?)?;
        let info = arrived.info();
        Buffer::of(buf).fill(info, &arrived.payload)?;
        Ok(info)
    }

    /// Posts a receive like [`irecv`](Nx::irecv), with the selectors of [`crecvx`](Nx::crecvx). When the program has waited for the
    /// receive, [`infocount`](Nx::infocount) and similar calls return the entries of NX's array `info`.
    ///
    /// # Errors
    /// The errors of [`irecv`](Nx::irecv); [`NxError::NodeSelector`], [`NxError::ProcessType`].
    #[track_caller]
    pub fn irecvx<'b, T: Pod>(
        &self,
        typesel: i32,
        buf: &'b mut [T],
        nodesel: i32,
        ptypesel: i32,
    ) -> Result<Mid<'b>, NxError> {
        self.post_receive(true, self.wanted(typesel, nodesel, ptypesel)?, buf)
    }

    /// Posts a receive, sends a message, and waits for the received message, as for a request and its reply. Returns the number of elements
    /// received.
    ///
    /// # Errors
    /// The errors of [`csend`](Nx::csend) and [`crecv`](Nx::crecv).
    #[track_caller]
    pub fn csendrecv<T: Pod>(
        &self,
        mtype: i32,
        data: impl Into<Payload>,
        node: i32,
        ptype: i32,
        typesel: i32,
        buf: &mut [T],
    ) -> Result<usize, NxError> {
        let mid = self.isendrecv(mtype, data, node, ptype, typesel, buf)?;
        self.msgwait(mid)?;
        Ok(self.received::<T>())
    }

    /// Sends and receives like [`csendrecv`](Nx::csendrecv), but returns after the send overhead. The message number is complete when the
    /// sent message has left and the received message has arrived.
    ///
    /// # Errors
    /// The errors of [`isend`](Nx::isend) and [`irecv`](Nx::irecv).
    #[track_caller]
    pub fn isendrecv<'b, T: Pod>(
        &self,
        mtype: i32,
        data: impl Into<Payload>,
        node: i32,
        ptype: i32,
        typesel: i32,
        buf: &'b mut [T],
    ) -> Result<Mid<'b>, NxError>
    where
        'a: 'b,
    {
        let wanted = self.wanted(typesel, ANY, ANY)?;
        self.destination(mtype, node, ptype)?;
        let receive = self.post_receive(true, wanted, buf)?;
        let send = self.isend(mtype, data, node, ptype)?;
        Ok(self.msgmerge(send, receive))
    }

    /// Posts a receive like [`irecvx`](Nx::irecvx), whose message goes to a function: once, in the call that finds the receive complete. Not an
    /// NX call; it serves programs whose memory is not made of slices.
    ///
    /// # Errors
    /// The errors of [`irecvx`](Nx::irecvx). The errors of `deliver` are those of [`msgwait`](Nx::msgwait) and [`msgdone`](Nx::msgdone).
    #[track_caller]
    pub fn ireceive<'b>(
        &self,
        typesel: i32,
        nodesel: i32,
        ptypesel: i32,
        deliver: impl FnOnce(Info, Payload) -> Result<(), NxError> + 'b,
    ) -> Result<Mid<'b>, NxError> {
        let ticket = self.post(self.wanted(typesel, nodesel, ptypesel)?, true)?;
        Ok(Mid::of_receive(ticket, Target::Function(Box::new(deliver))))
    }

    /// Receives a message as a payload, with its [`Info`]. Not an NX call; it serves messages of unknown length and
    /// [phantom](Payload::phantom) messages. Selectors and costs are those of [`crecvx`](Nx::crecvx).
    ///
    /// # Errors
    /// Returns [`NxError::TypeSelector`], [`NxError::NodeSelector`]; [`NxError::Comm`].
    #[track_caller]
    pub fn receive(&self, typesel: i32, nodesel: i32) -> Result<(Info, Payload), NxError> {
        let arrived = self.take(self.wanted(typesel, nodesel, ANY)?)?;
        Ok((arrived.info(), arrived.payload))
    }

    /// Waits until a message has arrived that `crecv(typesel, ..)` would receive, without receiving it. Then [`infocount`](Nx::infocount)
    /// and similar calls describe the message. The receive overhead of the message is charged here.
    ///
    /// # Errors
    /// Returns [`NxError::TypeSelector`]; [`NxError::Comm`].
    #[track_caller]
    pub fn cprobe(&self, typesel: i32) -> Result<(), NxError> {
        let info = self.find(self.wanted(typesel, ANY, ANY)?)?;
        self.system.borrow_mut().last = Some(info);
        Ok(())
    }

    /// Returns whether a message that `crecv(typesel, ..)` would receive has arrived at this instant of the node's clock. If so,
    /// [`infocount`](Nx::infocount) and similar calls describe it. An unsuccessful probe costs no modeled time by itself; every message
    /// that it takes from the network costs the receive overhead, even if its type does not match.
    ///
    /// # Errors
    /// Returns [`NxError::TypeSelector`]; [`NxError::Comm`], in virtual time with
    /// [`CommError::Livelock`](crate::error::CommError::Livelock) if the program has probed without success for too long.
    #[track_caller]
    pub fn iprobe(&self, typesel: i32) -> Result<bool, NxError> {
        let info = self.try_find(self.wanted(typesel, ANY, ANY)?)?;
        let system = &mut *self.system.borrow_mut();
        system.last = info.or(system.last);
        Ok(info.is_some())
    }

    /// Probes like [`cprobe`](Nx::cprobe), with the selectors and the result of [`crecvx`](Nx::crecvx).
    ///
    /// # Errors
    /// The errors of [`cprobe`](Nx::cprobe); [`NxError::NodeSelector`], [`NxError::ProcessType`].
    #[track_caller]
    pub fn cprobex(&self, typesel: i32, nodesel: i32, ptypesel: i32) -> Result<Info, NxError> {
        self.find(self.wanted(typesel, nodesel, ptypesel)?)
    }

    /// Probes like [`iprobe`](Nx::iprobe), with the selectors of [`crecvx`](Nx::crecvx). Returns `None` if there is no message.
    ///
    /// # Errors
    /// The errors of [`iprobe`](Nx::iprobe); [`NxError::NodeSelector`], [`NxError::ProcessType`].
    #[track_caller]
    pub fn iprobex(&self, typesel: i32, nodesel: i32, ptypesel: i32) -> Result<Option<Info>, NxError> {
        self.try_find(self.wanted(typesel, nodesel, ptypesel)?)
    }

    /// Returns the length in bytes of the message last received or probed. Of the `x` calls only [`irecvx`](Nx::irecvx) sets it; the others
    /// return an [`Info`].
    ///
    /// # Errors
    /// Returns [`NxError::NoMessage`] if there is no such message yet.
    pub fn infocount(&self) -> Result<u64, NxError> {
        self.last().map(|info| info.count)
    }

    /// Returns the node that sent the message of [`infocount`](Nx::infocount); for a broadcast, the node that called it.
    ///
    /// # Errors
    /// Returns [`NxError::NoMessage`] if there is no such message yet.
    pub fn infonode(&self) -> Result<i32, NxError> {
        self.last().map(|info| info.node)
    }

    /// Returns the type of the message of [`infocount`](Nx::infocount).
    ///
    /// # Errors
    /// Returns [`NxError::NoMessage`] if there is no such message yet.
    pub fn infotype(&self) -> Result<i32, NxError> {
        self.last().map(|info| info.mtype)
    }

    /// Returns the process type of the sender of the message of [`infocount`](Nx::infocount), which is 0.
    ///
    /// # Errors
    /// Returns [`NxError::NoMessage`] if there is no such message yet.
    pub fn infoptype(&self) -> Result<i32, NxError> {
        self.last().map(|info| info.ptype)
    }

    fn last(&self) -> Result<Info, NxError> {
        self.system.borrow().last.ok_or(NxError::NoMessage)
    }

    /// Returns the number of elements of the message just received.
    fn received<T>(&self) -> usize {
        let bytes = self.system.borrow().last.map_or(0, |info| info.count as usize);
        bytes.checked_div(size_of::<T>()).unwrap_or(0)
    }

    fn post_receive<'b, T: Pod>(
        &self,
        early: bool,
        wanted: Criteria,
        buf: &'b mut [T],
    ) -> Result<Mid<'b>, NxError> {
        Ok(Mid::of_receive(self.post(wanted, early)?, Target::Buffer(Buffer::of(buf))))
    }

    pub(super) fn wanted(&self, typesel: i32, nodesel: i32, ptypesel: i32) -> Result<Criteria, NxError> {
        info::wanted(typesel, nodesel, ptypesel, self.node.size())
    }

    fn destination(&self, mtype: i32, node: i32, ptype: i32) -> Result<(Tag, Destination), NxError> {
        let nodes = self.node.size();
        let to = match usize::try_from(node) {
            Ok(node) if node < nodes => Destination::Node(node),
            Err(_) if node == ANY => Destination::Others,
            _ => return Err(NxError::Node { given: node, nodes }),
        };
        info::process(ptype)?;
        Ok((info::sent_type(mtype)?, to))
    }
}
