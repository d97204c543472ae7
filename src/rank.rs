//! Who talks to whom, and about what: ranks, tags, and what a receive accepts.

use std::fmt;

use serde::Serialize;

/// The number of a node within a group: 0 to `size - 1`. In the world group it is the number of the node itself.
pub type Rank = usize;

/// A label of a message, chosen by the program; a receive can ask for one tag or for any.
///
/// ```
/// use multicomputer::{Select, Tag};
/// let select = Select::from((3, Tag(7)));
/// assert_eq!(select.to_string(), "rank 3, tag 7");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Tag(pub u32);

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tag {}", self.0)
    }
}

/// Accepts a message from every rank of the group: `recv(ANY_SOURCE)`.
pub const ANY_SOURCE: AnySource = AnySource;

/// Accepts every tag: `recv((3, ANY_TAG))`.
pub const ANY_TAG: AnyTag = AnyTag;

/// The type of [`ANY_SOURCE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnySource;

/// The type of [`ANY_TAG`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnyTag;

/// Where a message goes, and under which tag: `3` means rank 3 and tag 0, `(3, Tag(7))` names both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The rank within the group that sends.
    pub rank: Rank,
    /// The label of the message; `Tag(0)` unless given.
    pub tag: Tag,
}

impl From<Rank> for Destination {
    fn from(rank: Rank) -> Self {
        Destination { rank, tag: Tag::default() }
    }
}

impl From<(Rank, Tag)> for Destination {
    fn from((rank, tag): (Rank, Tag)) -> Self {
        Destination { rank, tag }
    }
}

/// Which messages a receive or a probe accepts.
///
/// Made from what a program writes: `3` (rank 3, any tag), `(3, Tag(7))`, `ANY_SOURCE`, `(ANY_SOURCE, Tag(7))`,
/// `(3, ANY_TAG)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Select {
    /// The rank that must have sent the message; `None` accepts every rank.
    pub source: Option<Rank>,
    /// The tag that the message must bear; `None` accepts every tag.
    pub tag: Option<Tag>,
}

impl Select {
    /// Whether a message of `tag` from `source` is accepted.
    pub fn accepts(&self, source: Rank, tag: Tag) -> bool {
        self.source.is_none_or(|s| s == source) && self.tag.is_none_or(|t| t == tag)
    }
}

impl From<Rank> for Select {
    fn from(rank: Rank) -> Self {
        Select { source: Some(rank), tag: None }
    }
}

impl From<(Rank, Tag)> for Select {
    fn from((rank, tag): (Rank, Tag)) -> Self {
        Select { source: Some(rank), tag: Some(tag) }
    }
}

impl From<(Rank, AnyTag)> for Select {
    fn from((rank, _): (Rank, AnyTag)) -> Self {
        Select { source: Some(rank), tag: None }
    }
}

impl From<AnySource> for Select {
    fn from(_: AnySource) -> Self {
        Select { source: None, tag: None }
    }
}

impl From<(AnySource, Tag)> for Select {
    fn from((_, tag): (AnySource, Tag)) -> Self {
        Select { source: None, tag: Some(tag) }
    }
}

impl From<(AnySource, AnyTag)> for Select {
    fn from(_: (AnySource, AnyTag)) -> Self {
        Select { source: None, tag: None }
    }
}

impl fmt::Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source {
            Some(rank) => write!(f, "rank {rank}")?,
            None => f.write_str("any rank")?,
        }
        match self.tag {
            Some(tag) => write!(f, ", {tag}"),
            None => f.write_str(", any tag"),
        }
    }
}
