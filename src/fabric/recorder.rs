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

/// The shares that have ended, and for each out-port the share of its message under way.
#[derive(Debug)]
pub(super) struct Recorder {
    ended: Vec<Share>,
    open: Vec<Option<Share>>,
}

impl Recorder {
    pub(super) fn new(flows: usize) -> Recorder {
        Recorder { ended: Vec::new(), open: vec![None; flows] }
    }

    /// Notes that a message begins to move at `now`; its rate is not known yet.
    pub(super) fn start(&mut self, now: Time, flow: u32, (from, to): (Rank, Rank), seq: u64) {
        self.open[flow as usize] =
            Some(Share { from, to, seq, start: now, end: now, rate: 0.0, bottleneck: None });
    }

    /// Notes the rate and the bottleneck of a message from `now` on.
    pub(super) fn set(&mut self, now: Time, flow: u32, rate: f64, bottleneck: Option<Bottleneck>) {
        let Some(open) = &mut self.open[flow as usize] else { return };
        if open.start == now {
            (open.rate, open.bottleneck) = (rate, bottleneck);
        } else if !same(open.rate, rate) || open.bottleneck != bottleneck {
            self.ended.push(Share { end: now, ..*open });
            *open = Share { start: now, end: now, rate, bottleneck, ..*open };
        }
    }

    /// Notes that a message has left.
    pub(super) fn end(&mut self, now: Time, flow: u32) {
        let open = self.open[flow as usize].take().filter(|open| open.start < now);
        self.ended.extend(open.map(|open| Share { end: now, ..open }));
    }

    /// All shares, in the order of their beginnings, then of their senders; those under way end at `now`.
    pub(super) fn finish(mut self, now: Time) -> Vec<Share> {
        (0..self.open.len() as u32).for_each(|flow| self.end(now, flow));
        self.ended.sort_unstable_by_key(|share| (share.start, share.from, share.seq));
        self.ended
    }
}

/// Whether two rates differ by rounding alone.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * a.abs().min(b.abs())
}
