//! The CPU time of noisy nodes: work is prolonged by the noise periods that fall into it.

use std::collections::VecDeque;

use super::Kernel;
use crate::{
    model::noise::Periods,
    time::{Span, Time},
    wire::NodeId,
};

/// The noise of one node.
#[derive(Debug)]
pub(super) struct NodeNoise {
    periods: Periods,
    /// The noise periods that end after the node's clock, in order.
    ahead: VecDeque<(Time, Time)>,
}

impl NodeNoise {
    pub(super) fn new(periods: Periods) -> NodeNoise {
        NodeNoise { periods, ahead: VecDeque::new() }
    }

    /// The end of work of length `span` from `start`, on a node whose clock `clock` is not after `start`.
    fn end_of(&mut self, clock: Time, start: Time, span: Span) -> Time {
        while self.ahead.front().is_some_and(|&(_, end)| end <= clock) {
            self.ahead.pop_front();
        }
        let mut end = start + span;
        for nth in 0.. {
            while self.ahead.len() <= nth {
                let next = self.periods.find(|&(_, end)| end > clock);
                self.ahead.extend(next);
            }
            let (begin, over) = self.ahead[nth];
            if begin >= end || end == Time::MAX {
                break;
            }
            // A period that has begun before the work counts only from the start of the work.
            end += over.since(begin.max(start));
        }
        end
    }

    /// The time without noise from `start`, which is not before the node's clock, to `end`.
    fn work_between(&self, start: Time, end: Time) -> Span {
        let noise = |&(begin, over): &(Time, Time)| over.min(end).since(begin.max(start));
        end.since(start) - self.ahead.iter().map(noise).sum()
    }
}

impl Kernel {
    /// The end of CPU work of length `span` from `start`.
    pub(super) fn work_end(&mut self, id: NodeId, start: Time, span: Span) -> Time {
        let node = &mut self.nodes[id as usize];
        match &mut node.node_noise {
            Some(node_noise) if !span.is_zero() => node_noise.end_of(node.clock, start, span),
            _ => start + span,
        }
    }

    /// The CPU time without noise from `start`, not before the node's clock, to `end`. The end of the work must have been computed before,
    /// by [`work_end`](Kernel::work_end).
    fn work_between(&self, id: NodeId, start: Time, end: Time) -> Span {
        match &self.nodes[id as usize].node_noise {
            Some(node_noise) => node_noise.work_between(start, end),
            None => end.since(start),
        }
    }

    /// Counts the noise in work from `start` to `end`, truncated at the node's death; returns the time worked.
    pub(super) fn count_noise(&mut self, id: NodeId, start: Time, end: Time) -> Span {
        let end = self.clamp_to_death(id, end);
        let work = self.work_between(id, start, end);
        self.nodes[id as usize].record.noise += end.since(start) - work;
        work
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Noise;

    #[test]
    fn work_continues_between_noise_periods() {
        let at = |micros| Time::ZERO + Span::from_micros(micros);
        let noise = Noise::new(Span::from_micros(100), Span::from_micros(10)).unwrap();
        let mut node_noise = NodeNoise::new(noise.first(Span::from_micros(50)).periods(0));
        let mut end = |clock, start, micros| {
            let end = node_noise.end_of(at(clock), at(start), Span::from_micros(micros));
            end.since_start().as_micros_f64()
        };
        // The periods: 50 to 60, 150 to 160, 250 to 260.
        assert_eq!(end(0, 0, 50), 50.0, "up to the beginning of a period");
        assert_eq!(end(0, 0, 51), 61.0);
        assert_eq!(end(0, 0, 240), 270.0, "0 to 50, 60 to 150, 160 to 250, and 10 more after a third period");
        assert_eq!(end(55, 55, 5), 65.0, "from within a period");
        assert_eq!(end(55, 150, 1), 161.0, "from the beginning of a period");
        assert_eq!(end(60, 160, 1), 161.0, "from the end of a period");
        assert_eq!(end(1000, 1000, 50), 1050.0);
    }
}
