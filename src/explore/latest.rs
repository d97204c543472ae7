//! The receives and messages that a match directly follows: of many that it follows, those that do not follow from others.

use std::collections::BTreeMap;

use super::log::RankLog;
use crate::{
    rank::Tag,
    wire::{Context, Label, MessageId, NodeId, Selector},
};

/// Numbers in growing order, each with a value.
type Numbered<N, T> = Vec<(N, T)>;

/// The last one before a number.
fn last_before<N: PartialOrd, T: Copy>(list: &Numbered<N, T>, number: N) -> Option<T> {
    let after = list.partition_point(|(other, _)| *other < number);
    Some(list[after.checked_sub(1)?].1)
}

/// The receives of a rank that take messages, by their selectors: each with its number and its match.
#[derive(Default)]
pub(super) struct Posted {
    /// Those of one source and one tag.
    exact: BTreeMap<(Context, NodeId, Tag), Numbered<usize, Option<usize>>>,
    others: Vec<(Selector, Numbered<usize, Option<usize>>)>,
}

impl Posted {
    pub(super) fn of(log: &RankLog, match_of: impl Fn(usize) -> Option<usize>) -> Posted {
        let mut posted = Posted::default();
        let receives = log.receives.iter().enumerate();
        for (number, receive) in receives.filter(|(_, receive)| receive.consumes && !receive.withdrawn) {
            let select = receive.select;
            let list = match (select.source, select.tag) {
                (Some(source), Some(tag)) => posted.exact.entry((select.context, source, tag)).or_default(),
                _ => match posted.others.iter().position(|(other, _)| *other == select) {
                    Some(at) => &mut posted.others[at].1,
                    None => {
                        posted.others.push((select, Vec::new()));
                        let last = posted.others.len() - 1;
                        &mut posted.others[last].1
                    }
                },
            };
            list.push((number, match_of(number)));
        }
        posted
    }

    /// The matches of the receives before the one with this number that accept a message: of those with one selector the last one, which follows the
    /// others.
    pub(super) fn before(&self, number: usize, label: Label) -> impl Iterator<Item = usize> {
        let exact = self.exact.get(&(label.context, label.source, label.tag));
        let others =
            self.others.iter().filter(move |(select, _)| select.accepts(&label)).map(|(_, list)| list);
        exact.into_iter().chain(others).filter_map(move |list| last_before(list, number)?)
    }
}

/// The messages of a channel by context and tag, each with its number among those of the sender.
pub(super) type ByLabel = BTreeMap<(Context, Tag), Numbered<u64, MessageId>>;

/// The messages of a channel before one of them that its receive accepts: of those with one label the last one, whose match follows the others'.
pub(super) fn earlier<'l>(
    labels: &'l ByLabel,
    select: &Selector,
    label: Label,
    id: MessageId,
) -> impl Iterator<Item = MessageId> + use<'l> {
    let (first, last) = select.tag.map_or((Tag(0), Tag(u32::MAX)), |tag| (tag, tag));
    let accepted = labels.range((label.context, first)..=(label.context, last));
    accepted.filter_map(move |(_, list)| last_before(list, id.seq))
}
