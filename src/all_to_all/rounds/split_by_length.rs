//! Short and long messages, moved by two procedures, one after the other.

use std::sync::Arc;

use super::{
    super::{
        Instance, Matrix, Piece,
        procedure::{ExchangeError, Procedure, Transport},
    },
    contents::PartPayloads,
    stage::concatenate,
};
use crate::{
    pattern::{Action, Schedule, Step},
    payload::Payload,
    time::Span,
};

/// The split of messages by length, the order of the two parts, and the pauses between them.
#[derive(Clone, Debug)]
pub(crate) struct PartOrder {
    /// Maximum length of a short message in bytes.
    max_short: u64,
    is_long_first: bool,
    /// The pause of each node between the two parts.
    pauses: Schedule,
}

impl PartOrder {
    /// Creates the split: messages of up to `max_short` bytes are short. Node `k` pauses for `pauses[k]` after the first part.
    pub(crate) fn new(max_short: u64, is_long_first: bool, pauses: &[Span]) -> PartOrder {
        let pause = |&span: &Span| match span {
            Span::ZERO => Vec::new(),
            span => vec![Step { iteration: 0, action: Action::Pause(span) }],
        };
        PartOrder {
            max_short,
            is_long_first,
            pauses: Schedule::of_lengths(pauses.iter().map(pause).collect()),
        }
    }

    /// Returns whether any node pauses.
    pub(crate) fn has_pauses(&self) -> bool {
        self.pauses.iterations() > 0
    }

    /// Returns the short and the long part in execution order.
    pub(crate) fn in_order<T>(&self, [short, long]: [T; 2]) -> [T; 2] {
        if self.is_long_first { [long, short] } else { [short, long] }
    }
}

/// Short and long messages, moved by two procedures in sequence.
#[derive(Debug)]
pub(crate) struct SplitByLength {
    order: PartOrder,
    /// The procedure for short messages, and the procedure for long messages.
    parts: [Arc<dyn Procedure>; 2],
}

impl SplitByLength {
    /// Combines procedures for the two [parts](split) of a matrix.
    pub(crate) fn new(order: PartOrder, parts: [Arc<dyn Procedure>; 2]) -> SplitByLength {
        SplitByLength { order, parts }
    }

    fn in_order(&self) -> [&dyn Procedure; 2] {
        self.order.in_order(self.parts.each_ref().map(|part| &**part))
    }
}

/// Returns the messages of up to `max_short` bytes, and the longer messages.
pub(crate) fn split(matrix: &Matrix, max_short: u64) -> [Matrix; 2] {
    [true, false].map(|is_short| matrix.filtered(|bytes| (bytes <= max_short) == is_short))
}

/// Returns the short and the long messages as exchanges among the same members.
pub(crate) fn instances(instance: &Instance, max_short: u64) -> [Instance; 2] {
    split(instance.matrix(), max_short).map(|part| instance.with(Arc::new(part)))
}

impl Procedure for SplitByLength {
    fn schedule(&self) -> Option<Arc<Schedule>> {
        let [first, second] = self.in_order();
        let before = concatenate(&*first.schedule()?, &self.order.pauses);
        Some(Arc::new(concatenate(&before, &*second.schedule()?)))
    }

    fn moved(&self) -> Option<(Vec<Piece>, Schedule)> {
        let [first, second] = self.in_order();
        let ((mut pieces, schedule), (others, next)) = (first.moved()?, second.moved()?);
        pieces.extend(others);
        Some((pieces, schedule.then(self.order.pauses.clone()).then_others(next)))
    }

    fn carry_out(
        &self,
        transport: &mut Transport<'_>,
        outgoing: Vec<Payload>,
    ) -> Result<Vec<Payload>, ExchangeError> {
        let part = |is_short: bool| {
            let of = |payload: &Payload| match (payload.len() <= self.order.max_short) == is_short {
                true => payload.clone(),
                false => Payload::empty(),
            };
            outgoing.iter().map(of).collect()
        };
        let ([first, second], [for_first, for_second]) =
            (self.in_order(), self.order.in_order([part(true), part(false)]));
        let first = first.carry_out(transport, for_first)?;
        transport.walk(&self.order.pauses, &mut PartPayloads::new(Vec::new()))?;
        let second = second.carry_out(transport, for_second)?;
        // From each rank, one of the two payloads is empty.
        let either = |(first, second): (Payload, Payload)| if first.is_empty() { second } else { first };
        Ok(first.into_iter().zip(second).map(either).collect())
    }
}
