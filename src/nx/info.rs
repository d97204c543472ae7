//! Descriptions of received messages, checks of types and selectors, and the copy of data into buffers.

use std::fmt;

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
    /// The accepted types.
    pub(super) types: Types,
}

/// A selection of message types.
#[derive(Clone, Copy, Debug)]
pub(super) enum Types {
    /// One type, or the tag of an internal message.
    One(Tag),
    /// Bits 0 to 29 stand for the types 0 to 29, bit 30 for all higher types.
    Mask(u32),
}

impl Types {
    /// The highest bit of a mask, for all types from this one on.
    const HIGHER: u32 = 30;

    fn accept(self, sent: Tag) -> bool {
        match self {
            Types::One(tag) => tag == sent,
            Types::Mask(mask) => sent.0 <= MAX_TYPE as u32 && mask >> sent.0.min(Types::HIGHER) & 1 == 1,
        }
    }
}

impl Criteria {
    pub(super) fn accepts(&self, sender: Rank, sent: Tag) -> bool {
        self.source.is_none_or(|source| source == sender) && self.types.accept(sent)
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
    // -1, any type, has all bits of a mask.
    let types = match typesel {
        mask @ ..0 => Types::Mask(mask as u32),
        given => Types::One(sent_type(given).map_err(|_| NxError::TypeSelector { given })?),
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
    Ok(Criteria { source, types })
}

/// Where the message of a receive goes.
pub(super) enum Target<'b> {
    /// To memory of the program.
    Buffer(Buffer<'b>),
    /// To a function of the program.
    Function(Box<dyn FnOnce(Info, Payload) -> Result<(), NxError> + 'b>),
}

impl Target<'_> {
    /// Delivers the message.
    pub(super) fn take(self, info: Info, payload: Payload) -> Result<(), NxError> {
        match self {
            Target::Buffer(mut buffer) => buffer.fill(info, &payload),
            Target::Function(deliver) => deliver(info, payload),
        }
    }
}

impl fmt::Debug for Target<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Buffer(buffer) => buffer.fmt(f),
            Target::Function(_) => f.write_str("Function"),
        }
    }
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
