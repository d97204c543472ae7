//! The shares of flows over time, for a trace: what each flow's rate was, and which place bounded it.
//!
//! The recorder only looks at the shares after they have been worked out, so that it changes none.

use crate::{
    rank::Rank,
    record::{Bottleneck, Share},
    time::Time,
};

/// The relative difference below which rates count as the same.
const SAME: f64 = 1e-11;

/// The shares that have ended, and for each sender the share of its message under way.
#[derive(Debug)]
pub(super) struct Recorder {
    ended: Vec<Share>,
    open: Vec<Option<Share>>,
}

impl Recorder {
    pub(super) fn new(nodes: usize) -> Recorder {
        Recorder { ended: Vec::new(), open: vec![None; nodes] }
    }

    /// Notes that a message begins to move at `now`; its rate is not known yet.
    pub(super) fn start(&mut self, now: Time, from: Rank, to: Rank, seq: u64) {
        self.open[from] = Some(Share { from, to, seq, start: now, end: now, rate: 0.0, bottleneck: None });
    }

    /// Notes the rate and the bottleneck of a sender's message from `now` on.
    pub(super) fn set(&mut self, now: Time, from: Rank, rate: f64, bottleneck: Option<Bottleneck>) {
        let Some(open) = &mut self.open[from] else { return };
        if open.start == now {
            (open.rate, open.bottleneck) = (rate, bottleneck);
        } else if !same(open.rate, rate) || open.bottleneck != bottleneck {
            self.ended.push(Share { end: now, ..*open });
            *open = Share { start: now, end: now, rate, bottleneck, ..*open };
        }
    }

    /// Notes that a sender's message has left.
    pub(super) fn end(&mut self, now: Time, from: Rank) {
        let open = self.open[from].take().filter(|open| open.start < now);
        self.ended.extend(open.map(|open| Share { end: now, ..open }));
    }

    /// All shares, in the order of their beginnings, then of their senders; those under way end at `now`.
    pub(super) fn finish(mut self, now: Time) -> Vec<Share> {
        (0..self.open.len()).for_each(|from| self.end(now, from));
        self.ended.sort_unstable_by_key(|share| (share.start, share.from, share.seq));
        self.ended
    }
}

/// Whether two rates differ by rounding alone.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * a.abs().min(b.abs())
}
