//! The calls for sending, receiving and probing.

use bytemuck::Pod;

use super::{
    ANY, Info, Mid, Nx, NxError,
    info::{self, Buffer, Wanted},
};
use crate::{
    payload::Payload,
    rank::{Rank, Tag},
};

/// The destination of a message.
enum To {
    Node(Rank),
    Others,
}

impl<'a> Nx<'a, '_> {
    /// Sends a message of type `mtype` to a node, or to all others if `node` is -1, and returns when it has left; for
    /// a message to all others, when it has left to the last of this node's children in the tree. `ptype` is 0.
    ///
    /// The time is that of [`send`](crate::comm::Group::send); see the [module](super) on broadcasts. `data` is a slice, a
    /// vector or any other [`Payload`].
    ///
    /// # Errors
    /// [`NxError::Type`], [`NxError::Node`] or [`NxError::ProcessType`] for an argument out of range;
    /// [`NxError::Comm`].
    pub fn csend(&self, mtype: i32, data: impl Into<Payload>, node: i32, ptype: i32) -> Result<(), NxError> {
        let (tag, to) = self.destination(mtype, node, ptype)?;
        match to {
            To::Node(node) => Ok(self.wire.send((node, tag), data)?),
            To::Others => self.broadcast(tag, &data.into()),
        }
    }

    /// Sends like [`csend`](Nx::csend), but returns after the overhead of sending: o_s, for a message to all others
    /// once for each of this node's children in the tree. The data has been taken over, so its memory may be used
    /// again at once.
    ///
    /// # Errors
    /// As [`csend`](Nx::csend).
    pub fn isend(
        &self,
        mtype: i32,
        data: impl Into<Payload>,
        node: i32,
        ptype: i32,
    ) -> Result<Mid<'a>, NxError> {
        let (tag, to) = self.destination(mtype, node, ptype)?;
        let requests = match to {
            To::Node(node) => vec![self.wire.isend((node, tag), data)?],
            To::Others => self.start_broadcast(tag, &data.into())?,
        };
        Ok(Mid::of_sends(requests))
    }

    /// Receives a message of type `typesel`, or of any type if it is -1, from any node: the message that has come
    /// first (at one instant, that of the lowest node). It goes to the beginning of `buf`, and the number of its
    /// elements is returned.
    ///
    /// The time is that of [`recv`](crate::comm::Group::recv), but see the [module](super) on messages that come before it.
    ///
    /// # Errors
    /// [`NxError::TypeSelector`]; [`NxError::BufferTooShort`] if the message is longer than the buffer, and
    /// [`NxError::Data`] if its elements are of another type: the message is lost then; [`NxError::Comm`].
    pub fn crecv<T: Pod>(&self, typesel: i32, buf: &mut [T]) -> Result<usize, NxError> {
        let mid = self.irecv_early(false, self.wanted(typesel, ANY, ANY)?, buf)?;
        self.msgwait(mid)?;
        Ok(self.received::<T>())
    }

    /// Posts a receive like that of [`crecv`](Nx::crecv), and returns at once. [`msgwait`](Nx::msgwait) waits for the
    /// message, and [`infocount`](Nx::infocount) then returns its length.
    ///
    /// # Errors
    /// [`NxError::TypeSelector`]; [`NxError::Comm`].
    pub fn irecv<'b, T: Pod>(&self, typesel: i32, buf: &'b mut [T]) -> Result<Mid<'b>, NxError> {
        self.irecv_early(true, self.wanted(typesel, ANY, ANY)?, buf)
    }

    /// Receives like [`crecv`](Nx::crecv), from node `nodesel`, or any if it is -1; `ptypesel` is 0, or -1 for any. A
    /// broadcast is from the node that called it. Returns the entries that NX puts into the array `info`, and does
    /// not change [`infocount`](Nx::infocount) and its like.
    ///
    /// # Errors
    /// As [`crecv`](Nx::crecv); [`NxError::NodeSelector`], [`NxError::ProcessType`].
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

    /// Posts a receive like [`irecv`](Nx::irecv), with the selectors of [`crecvx`](Nx::crecvx). When it has been
    /// waited for, [`infocount`](Nx::infocount) and its like return the entries that NX puts into the array `info`.
    ///
    /// # Errors
    /// As [`irecv`](Nx::irecv); [`NxError::NodeSelector`], [`NxError::ProcessType`].
    pub fn irecvx<'b, T: Pod>(
        &self,
        typesel: i32,
        buf: &'b mut [T],
        nodesel: i32,
        ptypesel: i32,
    ) -> Result<Mid<'b>, NxError> {
        self.irecv_early(true, self.wanted(typesel, nodesel, ptypesel)?, buf)
    }

    /// Posts a receive, sends, and waits for the message, as for a request and its reply; returns the number of
    /// elements received.
    ///
    /// # Errors
    /// As [`csend`](Nx::csend) and [`crecv`](Nx::crecv).
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

    /// Sends and receives like [`csendrecv`](Nx::csendrecv), but returns after the overhead of sending; the message
    /// number is complete when the message has left and the other one has arrived.
    ///
    /// # Errors
    /// As [`isend`](Nx::isend) and [`irecv`](Nx::irecv).
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
        let receive = self.irecv_early(true, wanted, buf)?;
        let send = self.isend(mtype, data, node, ptype)?;
        Ok(self.msgmerge(send, receive))
    }

    /// Receives a message as a payload, with its [`Info`]: not a call of NX, but for messages of unknown length and
    /// for [phantom](Payload::phantom) ones. Selectors and costs are those of [`crecvx`](Nx::crecvx).
    ///
    /// # Errors
    /// [`NxError::TypeSelector`], [`NxError::NodeSelector`]; [`NxError::Comm`].
    pub fn receive(&self, typesel: i32, nodesel: i32) -> Result<(Info, Payload), NxError> {
        let arrived = self.take(self.wanted(typesel, nodesel, ANY)?)?;
        Ok((arrived.info(), arrived.payload))
    }

    /// Waits until a message has arrived that `crecv(typesel, ..)` would receive, without receiving it;
    /// [`infocount`](Nx::infocount) and its like describe it. The receive overhead of the message is spent here.
    ///
    /// # Errors
    /// [`NxError::TypeSelector`]; [`NxError::Comm`].
    pub fn cprobe(&self, typesel: i32) -> Result<(), NxError> {
        let info = self.find(self.wanted(typesel, ANY, ANY)?)?;
        self.system.borrow_mut().last = Some(info);
        Ok(())
    }

    /// Whether at this instant of the node's clock a message has arrived that `crecv(typesel, ..)` would receive. If
    /// so, [`infocount`](Nx::infocount) and its like describe it. A probe without success costs no modeled time; a
    /// message that is found costs its receive overhead, whatever its type.
    ///
    /// # Errors
    /// [`NxError::TypeSelector`]; [`NxError::Comm`], in virtual time with
    /// [`CommError::Livelock`](crate::error::CommError::Livelock) if the program has probed without success for too long.
    pub fn iprobe(&self, typesel: i32) -> Result<bool, NxError> {
        let info = self.try_find(self.wanted(typesel, ANY, ANY)?)?;
        let system = &mut *self.system.borrow_mut();
        system.last = info.or(system.last);
        Ok(info.is_some())
    }

    /// Probes like [`cprobe`](Nx::cprobe), with the selectors and the result of [`crecvx`](Nx::crecvx).
    ///
    /// # Errors
    /// As [`cprobe`](Nx::cprobe); [`NxError::NodeSelector`], [`NxError::ProcessType`].
    pub fn cprobex(&self, typesel: i32, nodesel: i32, ptypesel: i32) -> Result<Info, NxError> {
        self.find(self.wanted(typesel, nodesel, ptypesel)?)
    }

    /// Probes like [`iprobe`](Nx::iprobe), with the selectors of [`crecvx`](Nx::crecvx); `None` if there is no
    /// message.
    ///
    /// # Errors
    /// As [`iprobe`](Nx::iprobe); [`NxError::NodeSelector`], [`NxError::ProcessType`].
    pub fn iprobex(&self, typesel: i32, nodesel: i32, ptypesel: i32) -> Result<Option<Info>, NxError> {
        self.try_find(self.wanted(typesel, nodesel, ptypesel)?)
    }

    /// The length in bytes of the message last received or found by a probe, not by an `x` call other than `irecvx`.
    ///
    /// # Errors
    /// [`NxError::NoMessage`] if there was none yet.
    pub fn infocount(&self) -> Result<u64, NxError> {
        self.last().map(|info| info.count)
    }

    /// The node that sent the message of [`infocount`](Nx::infocount); for a broadcast the node that called it.
    ///
    /// # Errors
    /// [`NxError::NoMessage`] if there was none yet.
    pub fn infonode(&self) -> Result<i32, NxError> {
        self.last().map(|info| info.node)
    }

    /// The type of the message of [`infocount`](Nx::infocount).
    ///
    /// # Errors
    /// [`NxError::NoMessage`] if there was none yet.
    pub fn infotype(&self) -> Result<i32, NxError> {
        self.last().map(|info| info.mtype)
    }

    /// The process type of the sender of the message of [`infocount`](Nx::infocount): 0.
    ///
    /// # Errors
    /// [`NxError::NoMessage`] if there was none yet.
    pub fn infoptype(&self) -> Result<i32, NxError> {
        self.last().map(|info| info.ptype)
    }

    fn last(&self) -> Result<Info, NxError> {
        self.system.borrow().last.ok_or(NxError::NoMessage)
    }

    /// The number of elements of the message just received.
    fn received<T>(&self) -> usize {
        let bytes = self.system.borrow().last.map_or(0, |info| info.count as usize);
        bytes.checked_div(size_of::<T>()).unwrap_or(0)
    }

    fn irecv_early<'b, T: Pod>(
        &self,
        early: bool,
        wanted: Wanted,
        buf: &'b mut [T],
    ) -> Result<Mid<'b>, NxError> {
        Ok(Mid::of_receive(self.post(wanted, early)?, Buffer::of(buf)))
    }

    fn wanted(&self, typesel: i32, nodesel: i32, ptypesel: i32) -> Result<Wanted, NxError> {
        info::wanted(typesel, nodesel, ptypesel, self.node.size())
    }

    fn destination(&self, mtype: i32, node: i32, ptype: i32) -> Result<(Tag, To), NxError> {
        let nodes = self.node.size();
        let to = match usize::try_from(node) {
            Ok(node) if node < nodes => To::Node(node),
            Err(_) if node == ANY => To::Others,
            _ => return Err(NxError::Node { given: node, nodes }),
        };
        info::process(ptype)?;
        Ok((info::sent_type(mtype)?, to))
    }
}
