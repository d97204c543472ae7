//! What the ranks of a run have begun and is not matched yet.

use std::{collections::BTreeMap, num::NonZeroU32, sync::Arc};

use multicomputer::{
    Rank, Tag,
    comm::transport::{Context, From, To},
};

use super::{Check, Site, blocks::SentBlock, collective::Entered, window::Clock};
use crate::datatype::signature::Signature;

/// The other side of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Peer {
    To(To),
    From(From),
}

/// A communicator, for texts.
#[derive(Clone, Debug)]
pub(super) struct Label {
    /// Its name; may be empty.
    pub(super) name: String,
    /// The call that has made it.
    pub(super) made: Option<Site>,
}

impl Label {
    /// The communicator of a rank as text.
    pub(super) fn text(&self, check: &Check, rank: Rank) -> String {
        match self.made {
            _ if !self.name.is_empty() => self.name.clone(),
            Some(site) => format!("the communicator of {}", check.line(rank, site)),
            None => "another communicator".into(),
        }
    }
}

/// A message that no receive has taken.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) site: Site,
    pub(super) to: Rank,
    pub(super) context: Context,
    pub(super) tag: Tag,
    pub(super) comm: Label,
    /// The processes of the communicator, if it is no intercommunicator.
    pub(super) members: Option<Arc<[Rank]>>,
    pub(super) signature: Signature,
    pub(super) type_name: String,
    /// Whether it was sent in ready mode.
    pub(super) is_ready: bool,
    /// What the sender knew, if order is followed.
    pub(super) clock: Option<Clock>,
}

/// A receive or a probe that has taken no message.
#[derive(Clone, Debug)]
pub(super) struct Posted {
    pub(super) site: Site,
    pub(super) source: Option<Rank>,
    pub(super) context: Context,
    pub(super) tag: Option<Tag>,
    pub(super) comm: Label,
    /// As of [`Sent`].
    pub(super) members: Option<Arc<[Rank]>>,
}

/// The calls of one collective operation: those with the same number on one communicator.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) members: Vec<Rank>,
    pub(super) entered: BTreeMap<Rank, Entered>,
}

/// All that is not matched.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// By the sending node and the number that it has given the message.
    pub(super) sends: BTreeMap<(Rank, NonZeroU32), Sent>,
    /// Blocks of exchanges, by the sending node and the number that it has given the block.
    pub(super) blocks: BTreeMap<(Rank, NonZeroU32), SentBlock>,
    /// By the receiving node and the number of the receive.
    pub(super) receives: BTreeMap<(Rank, NonZeroU32), Posted>,
    /// By communicator and number of the call.
    pub(super) operations: BTreeMap<(Context, u64), Operation>,
}
