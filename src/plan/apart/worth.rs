//! What is worth a look: the search for ways to part messages ends where nothing can be much faster than what is known, or where it is
//! unlikely to pay.
//!
//! Without a root a part takes long to look at, 5 to 20 ms among 64 nodes and more among more, and there may be a hundred of them.
//! The figures below are of 78 problems of 256 and 512 nodes and of some 90 of 64, in which two parts were found and which have no root.
//! Where there is a root parts are soon looked at and overlap, and little is left out; among up to 16 nodes nothing is that could pay.

use super::{Divisible, Parting, Way, times};
use crate::time::Time;

/// Among up to so many nodes parts are soon looked at.
pub(super) const VERY_FEW: usize = 16;

/// Nothing more is looked at if the fastest way, or all messages at once, takes at most so many times as long as nothing can beat. Of 8
/// such problems of 256 and 512 nodes one was faster apart, by a third of a percent.
const CLOSE: f64 = 1.1;

/// The same where parts are soon looked at.
const VERY_CLOSE: f64 = 1.001;

/// Two parts leave no time for others if they take so many times what is to be beaten. Where messages were faster apart, the first two
/// never took more than 1.16 times that.
pub(super) const HOPELESS: f64 = 1.2;

/// More than two places are looked at if the fastest way with these takes at most so many times what is to be beaten: where more places were
/// faster, it was at most 1.04 times.
const PROMISING: f64 = 1.05;

/// Places are moved among many nodes if the fastest way takes at most so many times what is to be beaten: where messages were faster
/// apart, it was at most 1.01 times in all but one.
const HARDLY: f64 = 1.02;

/// Nothing more is looked at when parts and rows of parts have had so many messages, or so many for each pair of nodes.
const MOST: u64 = 200_000;
const MOST_A_PAIR: u64 = 2;

/// So many ways are tried at a time all the same.
const FIRST_WAYS: usize = 3;

/// So many ways are tried at a time among many nodes, whose parts take hardly more time together than those of the first: at most so
/// many times as long.
const FEW_WAYS: usize = 2;
const LIKE: f64 = 1.02;

impl<P: Divisible> Parting<'_, P> {
    /// Whether nothing can be much faster than the fastest way so far, or all messages at once.
    pub(super) fn is_close(&self) -> bool {
        self.is_within(if self.is_selective { CLOSE } else { VERY_CLOSE })
    }

    fn is_within(&self, factor: f64) -> bool {
        self.given.min(self.limit) <= times(Time::ZERO + self.floor, factor)
    }

    /// Whether more places than the first two could be worth their time.
    pub(super) fn is_promising(&self) -> bool {
        !self.is_selective || self.limit <= times(self.given, PROMISING)
    }

    /// Whether places near those of the fastest way could be worth their time: among few nodes only where that is faster than all messages
    /// at once.
    pub(super) fn is_worth_refining(&self) -> bool {
        !self.is_selective
            || self.limit < self.given
            || !self.is_among_few && self.limit <= times(self.given, HARDLY)
    }

    /// Whether parts have had so many messages that no more places are looked at, or nothing can be faster.
    pub(super) fn is_tired(&self) -> bool {
        let pairs = (self.problem.members().len() as u64).pow(2);
        self.messages > MOST.max(MOST_A_PAIR * pairs) || self.is_within(VERY_CLOSE)
    }

    /// Those of the ways, of which the first takes the least time, that are tried.
    pub(super) fn likely_ways(&self, mut ways: Vec<Way>) -> Vec<Way> {
        if self.is_tired() {
            ways.truncate(FIRST_WAYS);
        }
        if self.is_laborious {
            ways.truncate(FEW_WAYS);
            if let Some(&(least, _)) = ways.first() {
                ways.retain(|&(time, _)| Time::ZERO + time <= times(Time::ZERO + least, LIKE));
            }
        }
        ways
    }
}
