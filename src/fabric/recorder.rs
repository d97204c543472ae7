//! The shares of flows over time, for a trace: the rate of each flow, and the bottleneck that limited it.
//!
//! The recorder reads shares after they have been computed and does not affect them.

use crate::{
    rank::Rank,
    record::{Bottleneck, Share},
    time::Time,
};

/// The relative difference below which rates are considered equal.
const EQUAL_RATES: f64 = 1e-11;

/// The completed shares, and for each out-port the open share of its current message.
#[derive(Debug)]
pub(super) struct Recorder {
    ended: Vec<Share>,
    open: Vec<Option<Share>>,
}

impl Recorder {
    pub(super) fn new(flows: usize) -> Recorder {
        Recorder { ended: Vec::new(), open: vec![None; flows] }
    }

    /// Records that a message starts to move at `now`; its rate is not known yet.
    pub(super) fn start(&mut self, now: Time, flow: u32, (from, to): (Rank, Rank), seq: u64) {
        self.open[flow as usize] =
            Some(Share { from, to, seq, start: now, end: now, rate: 0.0, bottleneck: None });
    }

    /// Records the rate and the bottleneck of a message from `now` on.
    pub(super) fn set(&mut self, now: Time, flow: u32, rate: f64, bottleneck: Option<Bottleneck>) {
        let Some(open) = &mut self.open[flow as usize] else { return };
        if open.start == now {
            (open.rate, open.bottleneck) = (rate, bottleneck);
        } else if !same(open.rate, rate) || open.bottleneck != bottleneck {
            self.ended.push(Share { end: now, ..*open });
            *open = Share { start: now, end: now, rate, bottleneck, ..*open };
        }
    }

    /// Records that a message has left.
    pub(super) fn end(&mut self, now: Time, flow: u32) {
        let open = self.open[flow as usize].take().filter(|open| open.start < now);
        self.ended.extend(open.map(|open| Share { end: now, ..open }));
    }

    /// Returns all shares, ordered by start, then by sender; open shares end at `now`.
    pub(super) fn finish(mut self, now: Time) -> Vec<Share> {
        (0..self.open.len() as u32).for_each(|flow| self.end(now, flow));
        self.ended.sort_unstable_by_key(|share| (share.start, share.from, share.seq));
        self.ended
    }
}

/// Returns whether two rates differ only by rounding.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= EQUAL_RATES * a.abs().min(b.abs())
}
