//! Short messages and long ones, each moved in their own way, one after the other.

use std::sync::Arc;

use super::{
    super::{
        Instance, Matrix, Piece,
        procedure::{ExchangeError, Procedure, Transport},
    },
    cargo::Parts,
    stage::one_after_the_other,
};
use crate::{
    pattern::{Action, Schedule, Step},
    payload::Payload,
    time::Span,
};

/// The messages of up to so many bytes and the others, by two procedures in a row.
#[derive(Debug)]
pub(crate) struct Parted {
    /// The length of the longest short message.
    most: u64,
    is_long_first: bool,
    /// The pauses of every node between the two.
    between: Schedule,
    short: Box<dyn Procedure>,
    long: Box<dyn Procedure>,
}

impl Parted {
    /// By procedures for the two [parts](parted) of a matrix, perhaps the long ones first, and with pauses in between.
    pub(crate) fn new(
        most: u64,
        is_long_first: bool,
        between: Schedule,
        [short, long]: [Box<dyn Procedure>; 2],
    ) -> Parted {
        Parted { most, is_long_first, between, short, long }
    }

    /// The two in order.
    fn in_order(&self) -> [&dyn Procedure; 2] {
        match self.is_long_first {
            true => [&*self.long, &*self.short],
            false => [&*self.short, &*self.long],
        }
    }
}

/// The schedule of nodes that pause for some time each.
pub(crate) fn pauses(spans: &[Span]) -> Schedule {
    let pause = |&span: &Span| match span {
        Span::ZERO => Vec::new(),
        span => vec![Step { iteration: 0, action: Action::Pause(span) }],
    };
    Schedule::of_lengths(spans.iter().map(pause).collect())
}

/// The schedule of so many nodes that do not pause.
pub(crate) fn without_pauses(nodes: usize) -> Schedule {
    Schedule::of_lengths(vec![Vec::new(); nodes])
}

/// The messages of up to `most` bytes, and the others.
pub(crate) fn parted(matrix: &Matrix, most: u64) -> [Matrix; 2] {
    [true, false].map(|is_short| matrix.filtered(|bytes| (bytes <= most) == is_short))
}

/// The same as exchanges among the same members.
pub(crate) fn instances(instance: &Instance, most: u64) -> [Instance; 2] {
    parted(instance.matrix(), most).map(|part| instance.with(Arc::new(part)))
}

impl Procedure for Parted {
    fn schedule(&self) -> Option<Arc<Schedule>> {
        let [first, second] = self.in_order();
        let before = one_after_the_other(&*first.schedule()?, &self.between);
        Some(Arc::new(one_after_the_other(&before, &*second.schedule()?)))
    }

    fn moved(&self) -> Option<(Vec<Piece>, Schedule)> {
        let [first, second] = self.in_order();
        let ((mut pieces, schedule), (others, next)) = (first.moved()?, second.moved()?);
        pieces.extend(others);
        Some((pieces, schedule.then(self.between.clone()).then_others(next)))
    }

    fn carry_out(
        &self,
        transport: &mut Transport<'_>,
        outgoing: Vec<Payload>,
    ) -> Result<Vec<Payload>, ExchangeError> {
        let part = |is_short: bool| {
            let of = |payload: &Payload| match (payload.len() <= self.most) == is_short {
                true => payload.clone(),
                false => Payload::empty(),
            };
            outgoing.iter().map(of).collect()
        };
        let [first, second] = self.in_order();
        let first = first.carry_out(transport, part(!self.is_long_first))?;
        transport.walk(&self.between, &mut Parts::new(Vec::new()))?;
        let second = second.carry_out(transport, part(self.is_long_first))?;
        // From each rank one of the two is empty.
        let either = |(first, second): (Payload, Payload)| if first.is_empty() { second } else { first };
        Ok(first.into_iter().zip(second).map(either).collect())
    }
}
