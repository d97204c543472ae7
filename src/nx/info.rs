//! Descriptions of received messages, checks of types and selectors, and the copy of data into buffers.

use bytemuck::Pod;

use super::{ANY, MAX_TYPE, NxError};
use crate::{
    payload::{ElementType, Payload, PayloadError},
    rank::{Rank, Tag},
};

/// The description of a received or probed message: the entries that the `x` calls of NX return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// The type of the message.
    pub mtype: i32,
    /// The length of the message in bytes.
    pub count: u64,
    /// The node that sent the message; for a broadcast, the node that called it, not the node that forwarded it.
    pub node: i32,
    /// The type of the sending process: 0.
    pub ptype: i32,
}

impl Info {
    pub(super) fn new(source: Rank, tag: Tag, payload: &Payload) -> Info {
        Info { mtype: tag.0 as i32, count: payload.len(), node: source as i32, ptype: 0 }
    }
}

/// The selection criteria of a receive or a probe.
#[derive(Clone, Copy, Debug)]
pub(super) struct Criteria {
    /// The source; `None` accepts every node.
    pub(super) source: Option<Rank>,
    /// The type as a tag; `None` accepts every type that a program may use.
    pub(super) tag: Option<Tag>,
}

impl Criteria {
    pub(super) fn accepts(&self, sender: Rank, sent: Tag) -> bool {
        self.source.is_none_or(|source| source == sender)
            && self.tag.map_or(sent.0 <= MAX_TYPE as u32, |tag| tag == sent)
    }
}

/// Checks the type of a message to be sent and returns its tag.
pub(super) fn sent_type(given: i32) -> Result<Tag, NxError> {
    let tag = u32::try_from(given).ok().filter(|_| given <= MAX_TYPE);
    tag.map(Tag).ok_or(NxError::Type { given })
}

/// Checks a process type: a node has one process, of type 0.
pub(super) fn process(given: i32) -> Result<(), NxError> {
    if given == 0 { Ok(()) } else { Err(NxError::ProcessType { given }) }
}

/// Checks the selectors of a receive or a probe and returns the selection criteria.
pub(super) fn wanted(typesel: i32, nodesel: i32, ptypesel: i32, nodes: usize) -> Result<Criteria, NxError> {
    let tag = match typesel {
        ANY => None,
        given => Some(sent_type(given).map_err(|_| NxError::TypeSelector { given })?),
    };
    let source = match nodesel {
        ANY => None,
        given => {
            let node = usize::try_from(given).ok().filter(|&node| node < nodes);
            Some(node.ok_or(NxError::NodeSelector { given, nodes })?)
        }
    };
    if ptypesel != ANY {
        process(ptypesel)?;
    }
    Ok(Criteria { source, tag })
}

/// The buffer of a receive: memory of the program, and the type of its elements.
#[derive(Debug)]
pub(super) struct Buffer<'b> {
    bytes: &'b mut [u8],
    element: ElementType,
}

impl<'b> Buffer<'b> {
    pub(super) fn of<T: Pod>(elements: &'b mut [T]) -> Buffer<'b> {
        let bytes = if size_of::<T>() == 0 { &mut [] } else { bytemuck::cast_slice_mut::<T, u8>(elements) };
        Buffer { bytes, element: ElementType::of::<T>() }
    }

    /// Copies the message to the beginning of the buffer.
    pub(super) fn fill(&mut self, info: Info, payload: &Payload) -> Result<(), NxError> {
        if info.count > self.bytes.len() as u64 {
            return Err(NxError::BufferTooShort { info, buffer: self.bytes.len() });
        }
        let asked = self.element;
        if let Some(sent) = payload.element()
            && sent != asked
            && !asked.is_plain()
        {
            return Err(PayloadError::TypeMismatch { sent, asked }.into());
        }
        if !info.count.is_multiple_of(asked.size() as u64) {
            return Err(PayloadError::PartialElement { len: info.count, element: asked }.into());
        }
        let data = payload.to_bytes()?;
        self.bytes[..data.len()].copy_from_slice(&data);
        Ok(())
    }
}
