//! The contention delay of each message, by its shares.
//!
//! The loss of a message is the time by which its transfer took longer than n * beta. Part of the loss would occur without other traffic,
//! on a link slower than the sender's port; the rest is lost to contention, share by share. Times are integer picoseconds, so the
//! real-valued losses of the shares are rounded as running sums, and the last sum equals the whole loss.

use std::collections::BTreeMap;

use super::{AnalysisError, MessageRef};
use crate::{
    model::MachineSpec,
    rank::Rank,
    record::{Share, Trace, Transfer},
    time::{Span, Time},
};

/// A sum of losses below this value, in picoseconds, is a rounding error.
const ROUNDING: f64 = 0.5;

/// A message that has left its sender.
#[derive(Clone, Debug)]
pub(super) struct Moved {
    pub(super) transfer: Transfer,
    /// The shares in time order, as a range of `Messages::shares`.
    pub(super) shares: std::ops::Range<usize>,
    /// The loss that would also occur without other traffic, plus rounding errors.
    pub(super) own: Span,
    /// The loss to contention in each share.
    pub(super) lost: Vec<Span>,
}

impl Moved {
    pub(super) fn message(&self) -> MessageRef {
        let Transfer { from, to, seq, .. } = self.transfer;
        MessageRef { from, seq, to }
    }
}

/// All messages of a run.
#[derive(Debug)]
pub(super) struct Messages {
    /// The messages by sender and number.
    pub(super) moved: BTreeMap<(Rank, u64), Moved>,
    /// The shares of all messages, grouped by message.
    pub(super) shares: Vec<Share>,
}

impl Messages {
    pub(super) fn of(trace: &Trace, machine: &MachineSpec) -> Result<Messages, AnalysisError> {
        if machine.faults().is_some() {
            return Err(AnalysisError::Faults);
        }
        let nodes = machine.nodes();
        let mut shares = trace.shares.clone();
        shares.sort_by_key(|share| (share.from, share.seq, share.start));
        let strange = |from: Rank, to: Rank| [from, to].into_iter().find(|&rank| rank >= nodes);
        let of_share = shares.iter().find_map(|share| Some((strange(share.from, share.to)?, share.start)));
        let of_transfer =
            trace.transfers.iter().find_map(|sent| Some((strange(sent.from, sent.to)?, sent.entered)));
        if let Some((rank, at)) = of_share.or(of_transfer) {
            return Err(AnalysisError::Incomplete { what: "node", rank, at });
        }
        let mut moved = BTreeMap::new();
        for &transfer in &trace.transfers {
            let key = (transfer.from, transfer.seq);
            let first = shares.partition_point(|share| (share.from, share.seq) < key);
            let last = shares.partition_point(|share| (share.from, share.seq) <= key);
            let (own, lost) = losses(&transfer, &shares[first..last], machine)?;
            moved.insert(key, Moved { transfer, shares: first..last, own, lost });
        }
        Ok(Messages { moved, shares })
    }

    /// Returns a message by its sender and number; an error if it was not recorded.
    pub(super) fn get(&self, from: Rank, seq: u64, at: Time) -> Result<&Moved, AnalysisError> {
        self.moved.get(&(from, seq)).ok_or(AnalysisError::Incomplete { what: "message", rank: from, at })
    }
}

/// Returns a message's loss without other traffic, and its loss to contention in each share.
fn losses(
    transfer: &Transfer,
    shares: &[Share],
    machine: &MachineSpec,
) -> Result<(Span, Vec<Span>), AnalysisError> {
    let Transfer { from, to, bytes, entered, left, .. } = *transfer;
    let mut at = entered;
    for share in shares {
        if share.start != at {
            return Err(AnalysisError::Incomplete { what: "share of a message", rank: from, at });
        }
        at = share.end;
    }
    if at != left {
        return Err(AnalysisError::Incomplete { what: "share of a message", rank: from, at });
    }
    let parameters = machine.parameters();
    let topology = machine.topology();
    let mut route = Vec::new();
    if from != to {
        topology.route(from, to, &mut route);
    }
    let port = parameters.port_capacity();
    let alone = route.iter().map(|&link| machine.link_capacity(link)).fold(port, f64::min);
    // The same rounding as in the fabric.
    let moving = Span::from_secs_f64(bytes as f64 * parameters.beta());
    let all = left.since(entered) - moving;
    let slower = if alone < port { Span::from_secs_f64(bytes as f64 / alone) - moving } else { Span::ZERO };
    let own = slower.min(all);
    let lost = spread(shares, alone, all - own);
    let spread: Span = lost.iter().copied().sum();
    Ok((all - spread, lost))
}

/// Divides the loss of a message among its shares, in proportion to the time that each share would have saved at the rate without other
/// traffic.
fn spread(shares: &[Share], alone: f64, loss: Span) -> Vec<Span> {
    let picos = |share: &Share| share.end.since(share.start).as_picos();
    let exact = |share: &Share| picos(share) as f64 * (1.0 - share.rate / alone).max(0.0);
    let total: f64 = shares.iter().map(exact).sum();
    let mut lost = vec![Span::ZERO; shares.len()];
    if total < ROUNDING {
        return lost;
    }
    let (mut sum, mut done) = (0.0, 0);
    for (share, lost) in shares.iter().zip(&mut lost) {
        sum += exact(share);
        let until = (loss.as_picos() as f64 * (sum / total)).round() as u64;
        let here = until.min(loss.as_picos()).saturating_sub(done).min(picos(share));
        done += here;
        *lost = Span::from_picos(here);
    }
    // The rounding remainder goes to the last shares that are long enough for it.
    for (share, lost) in shares.iter().zip(&mut lost).rev() {
        let room = picos(share) - lost.as_picos();
        if exact(share) >= ROUNDING {
            let more = room.min(loss.as_picos() - done);
            done += more;
            *lost += Span::from_picos(more);
        }
    }
    lost
}

/// Divides a span in proportion to `weights`, which must not all be zero. Running sums are rounded to picoseconds, so that the parts add up
/// to the span.
pub(super) fn divide(span: Span, weights: &[f64]) -> impl Iterator<Item = Span> {
    let total: f64 = weights.iter().sum();
    let (mut sum, mut done) = (0.0, 0);
    let last = weights.len().saturating_sub(1);
    let part = move |(index, weight): (usize, &f64)| {
        sum += weight;
        let until = (span.as_picos() as f64 * (sum / total)).round() as u64;
        let until = if index == last { span.as_picos() } else { until.clamp(done, span.as_picos()) };
        let part = Span::from_picos(until - done);
        done = until;
        part
    };
    weights.iter().enumerate().map(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_whole() {
        let parts = |picos, weights: &[f64]| {
            divide(Span::from_picos(picos), weights).map(|part| part.as_picos()).collect::<Vec<_>>()
        };
        assert_eq!(parts(10, &[1.0, 1.0, 1.0]), [3, 4, 3]);
        assert_eq!(parts(1, &[1.0, 1.0]), [1, 0]);
        assert_eq!(parts(7, &[2.0]), [7]);
        assert_eq!(parts(100, &[3.0, 0.0, 1.0]), [75, 0, 25]);
        assert_eq!(parts(5, &[]), [0; 0]);
    }
}
