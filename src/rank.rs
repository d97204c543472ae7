//! Ranks, tags, and the selection of messages by receives.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The number of a node within a group: 0 to `size - 1`.
///
/// In the group of all nodes, the world, the rank of a node is the node's number in the machine. Reports, traces, errors of runs and
/// topologies name nodes by this number; messages and collective calls use ranks of their group.
/// [`Group::world_rank`](crate::comm::Group::world_rank) converts a rank into the node's number.
pub type Rank = usize;

/// The source of the null message, which a receive from the null process returns; no group has this rank.
pub(crate) const NULL_PROCESS: Rank = Rank::MAX;

/// A message label chosen by the program. A receive accepts one tag or any tag.
///
/// A tag is a number. Some tags also have a [name](Tag::name), which reports, errors and traces show instead of the number.
///
/// ```
/// use multicomputer::{Select, Tag};
/// let select = Select::from((3, Tag(7)));
/// assert_eq!(select.to_string(), "rank 3 with tag 7");
/// assert_eq!(Tag::named(b"Halo").to_string(), "tag Halo");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Tag(pub u32);

/// The kinds of collective calls, by their code in [`Tag::of_call`]. A call of any other kind has the code 0, "call".
const OPERATIONS: [&str; 14] = [
    "call",
    "barrier",
    "broadcast",
    "scatter",
    "gather",
    "all-gather",
    "reduce",
    "all-reduce",
    "reduce-scatter",
    "scan",
    "all-to-all",
    "sparse exchange",
    "s-to-p broadcast",
    "exclusive-scan",
];

/// The first tag of collective calls. Tags made by [`Tag::named`] are smaller, because ASCII letters are below 128.
const FIRST_OF_CALLS: u32 = 1 << 31;

/// The number of low bits that count calls; the bits above them hold the kind of call.
const BITS_OF_COUNT: u32 = 24;

impl Tag {
    /// Returns the tag with this name: four letters or digits, of which the first is a letter.
    ///
    /// # Panics
    /// If the name does not have this form.
    pub const fn named(name: &[u8; 4]) -> Tag {
        assert!(is_name(name), "a name has four letters or digits and begins with a letter");
        Tag(u32::from_be_bytes(*name))
    }

    /// Returns the tag for the messages of collective call number `nth` of a group, whose kind is `operation`. Tags repeat after 2^24
    /// calls.
    pub(crate) fn of_call(operation: &str, nth: u64) -> Tag {
        let code = OPERATIONS.iter().position(|&known| known == operation).unwrap_or(0) as u32;
        Tag(FIRST_OF_CALLS | code << BITS_OF_COUNT | (nth as u32 & ((1 << BITS_OF_COUNT) - 1)))
    }

    /// Returns the name of the tag, if it has one: the text given to [`Tag::named`], such as `StoP`, or the kind and the number of a
    /// collective call. `broadcast 3` is the fourth collective call of a group, a broadcast. All tags of the library have a name. A tag
    /// chosen by a program may have a name by chance if it is 2^30 or larger, which does no harm.
    ///
    /// ```
    /// use multicomputer::Tag;
    /// assert_eq!(Tag(1_400_139_600).name().as_deref(), Some("StoP"));
    /// assert_eq!(Tag(7).name(), None);
    /// ```
    pub fn name(self) -> Option<String> {
        if let Some(call) = self.0.checked_sub(FIRST_OF_CALLS) {
            let operation = OPERATIONS.get((call >> BITS_OF_COUNT) as usize)?;
            return Some(format!("{operation} {}", call & ((1 << BITS_OF_COUNT) - 1)));
        }
        let name = self.0.to_be_bytes();
        is_name(&name).then(|| name.map(char::from).iter().collect())
    }
}

const fn is_name(name: &[u8; 4]) -> bool {
    let [first, rest @ ..] = name;
    let [second, third, fourth] = rest;
    first.is_ascii_alphabetic()
        && second.is_ascii_alphanumeric()
        && third.is_ascii_alphanumeric()
        && fourth.is_ascii_alphanumeric()
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "tag {name}"),
            None => write!(f, "tag {}", self.0),
        }
    }
}

/// A selector that accepts messages from every rank of the group: `recv(ANY_SOURCE)`.
pub const ANY_SOURCE: AnySource = AnySource;

/// A selector that accepts every tag: `recv((3, ANY_TAG))`.
pub const ANY_TAG: AnyTag = AnyTag;

/// The type of [`ANY_SOURCE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnySource;

/// The type of [`ANY_TAG`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnyTag;

/// The target rank and the tag of a message: `3` means rank 3 and tag 0, `(3, Tag(7))` names both.
///
/// `None` in place of a rank is the null process: a send to it does nothing and takes no time, as with `MPI_PROC_NULL`. So the neighbour of a
/// [shift](crate::comm::Shift), which may be beyond the edge of the grid, is a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The target's rank within the group in which the message is sent; `None` is the null process.
    pub rank: Option<Rank>,
    /// The label of the message; `Tag(0)` by default.
    pub tag: Tag,
}

impl From<Rank> for Destination {
    fn from(rank: Rank) -> Self {
        (rank, Tag::default()).into()
    }
}

impl From<(Rank, Tag)> for Destination {
    fn from((rank, tag): (Rank, Tag)) -> Self {
        Destination { rank: Some(rank), tag }
    }
}

impl From<Option<Rank>> for Destination {
    fn from(rank: Option<Rank>) -> Self {
        (rank, Tag::default()).into()
    }
}

impl From<(Option<Rank>, Tag)> for Destination {
    fn from((rank, tag): (Option<Rank>, Tag)) -> Self {
        Destination { rank, tag }
    }
}

/// The source and the tag of the messages that a receive or a probe accepts.
///
/// Programs use the short forms: `3` (rank 3, any tag), `(3, Tag(7))`, `ANY_SOURCE`, `(ANY_SOURCE, Tag(7))`, `(3, ANY_TAG)`.
///
/// `None` in place of a rank is the null process, as with `MPI_PROC_NULL`: a receive from it takes no time and returns the null message,
/// which is [empty](crate::comm::Message::is_null). So the neighbour of a [shift](crate::comm::Shift), which may be beyond the edge of the
/// grid, is a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Select {
    /// The accepted sources.
    pub source: Source,
    /// The tag that the message must have; `None` accepts every tag.
    pub tag: Option<Tag>,
}

/// The sources that a [selection](Select) accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Every rank.
    Any,
    /// One rank.
    Rank(Rank),
    /// The null process: there is no message to wait for.
    Null,
}

impl Select {
    /// Returns whether a message with tag `tag` from `source` is accepted.
    pub fn accepts(&self, source: Rank, tag: Tag) -> bool {
        let is_accepted = match self.source {
            Source::Any => true,
            Source::Rank(rank) => rank == source,
            Source::Null => false,
        };
        is_accepted && self.tag.is_none_or(|t| t == tag)
    }

    /// Returns the selection of a source and a tag, where `None` accepts all.
    pub(crate) fn any_or(source: Option<Rank>, tag: Option<Tag>) -> Select {
        Select { source: source.map_or(Source::Any, Source::Rank), tag }
    }
}

impl From<Rank> for Select {
    fn from(rank: Rank) -> Self {
        Select { source: Source::Rank(rank), tag: None }
    }
}

impl From<(Rank, Tag)> for Select {
    fn from((rank, tag): (Rank, Tag)) -> Self {
        Select { source: Source::Rank(rank), tag: Some(tag) }
    }
}

impl From<(Rank, AnyTag)> for Select {
    fn from((rank, _): (Rank, AnyTag)) -> Self {
        Select { source: Source::Rank(rank), tag: None }
    }
}

impl From<Option<Rank>> for Select {
    fn from(rank: Option<Rank>) -> Self {
        Select { source: rank.map_or(Source::Null, Source::Rank), tag: None }
    }
}

impl From<(Option<Rank>, Tag)> for Select {
    fn from((rank, tag): (Option<Rank>, Tag)) -> Self {
        Select { source: rank.map_or(Source::Null, Source::Rank), tag: Some(tag) }
    }
}

impl From<AnySource> for Select {
    fn from(_: AnySource) -> Self {
        Select { source: Source::Any, tag: None }
    }
}

impl From<(AnySource, Tag)> for Select {
    fn from((_, tag): (AnySource, Tag)) -> Self {
        Select { source: Source::Any, tag: Some(tag) }
    }
}

impl From<(AnySource, AnyTag)> for Select {
    fn from(_: (AnySource, AnyTag)) -> Self {
        Select { source: Source::Any, tag: None }
    }
}

impl fmt::Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source {
            Source::Rank(rank) => write!(f, "rank {rank}")?,
            Source::Any => f.write_str("any rank")?,
            Source::Null => f.write_str("the null process")?,
        }
        match self.tag {
            Some(tag) => write!(f, " with {tag}"),
            None => f.write_str(" with any tag"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tags_are_read_back() {
        assert_eq!(Tag::named(b"StoP"), Tag(1_400_139_600));
        assert_eq!(Tag::named(b"z9Z0").name().as_deref(), Some("z9Z0"));
        for unnamed in
            [0, 7, 999_999_999, u32::from_be_bytes(*b"9abc"), u32::from_be_bytes(*b"a bc"), u32::MAX]
        {
            assert_eq!(Tag(unnamed).to_string(), format!("tag {unnamed}"));
        }
    }

    #[test]
    fn tags_of_calls_name_the_operation_and_differ_from_call_to_call() {
        for operation in OPERATIONS {
            let tags = [0, 1, (1 << 24) - 1].map(|nth| Tag::of_call(operation, nth));
            let names = tags.map(|tag| tag.name().unwrap());
            assert_eq!(names, [0, 1, 16_777_215].map(|nth| format!("{operation} {nth}")));
        }
        assert_eq!(Tag::of_call("of another library", 5).to_string(), "tag call 5");
        assert_eq!(Tag::of_call("scan", 1 << 24), Tag::of_call("scan", 0));
    }
}
