//! Candidate shapes for message forwarding: the axes, an estimate of the time, and the paces (see [`Pace`]) to try.

use std::sync::Arc;

use super::{
    super::{Instance, procedure::Draft},
    closed_form::Times,
    digits::{self, Axis, Pace},
    stage::Stage,
};
use crate::{
    pattern::Exchange,
    plan::{Variant, bound::MARGIN},
    rank::Rank,
    time::Span,
};

/// The axes along which messages are forwarded, one after the other.
pub(in crate::all_to_all) struct Shape {
    /// Name of the plans, and description of the axes. The full name of a plan has the axes in parentheses, followed by the pace.
    name: &'static str,
    along: String,
    /// The rank at each place (see [`digits`]).
    ranks: Arc<[Rank]>,
    axes: Arc<[Axis]>,
    times: Times,
}

impl Shape {
    /// Creates a shape from the axes, the rank at each place, and the times of the closed form. `name` and `along` form the plan names.
    pub(in crate::all_to_all) fn new(
        name: &'static str,
        along: String,
        ranks: &Arc<[Rank]>,
        axes: impl Into<Arc<[Axis]>>,
        times: Times,
    ) -> Shape {
        Shape { name, along, ranks: ranks.clone(), axes: axes.into(), times }
    }

    /// Returns the distinct paces, beginning with the one that is estimated to be the fastest.
    fn paces(&self) -> Vec<Pace> {
        let is_binary = self.axes.iter().flat_map(Axis::digits).all(|(_, values)| values <= 2);
        // With one message per digit, `AtOnce` is the same as `Overlapped`.
        let is_same = |pace: Pace| is_binary && pace == Pace::Each(Exchange::Overlapped);
        let likely = self.times.pace();
        let others = Pace::ALL.into_iter().filter(|&pace| pace != likely && !is_same(pace));
        std::iter::once(likely).chain(others).collect()
    }

    fn name(&self, pace: Pace) -> String {
        format!("{} ({}{})", self.name, self.along, pace.name())
    }

    /// Returns the variant that forwards all messages at `pace`.
    fn variant(&self, pace: Pace) -> Variant<Instance> {
        let (ranks, axes) = (self.ranks.clone(), self.axes.clone());
        Variant::new(self.name(pace), move |instance: &Instance| {
            let matrix = instance.matrix().clone();
            let schedule = digits::schedule(&matrix, &ranks, &axes, pace);
            Ok(Draft::by(Stage::forwarded(matrix, schedule)))
        })
    }

    /// Returns variants with a lower bound on their time: all paces if `are_all`, otherwise only the pace that is estimated to be the
    /// fastest.
    pub(in crate::all_to_all) fn variants(
        &self,
        instance: &Instance,
        are_all: bool,
    ) -> Vec<Variant<Instance>> {
        let floor = mean_port_time(instance, &self.ranks, &self.axes);
        let paces = self.paces().into_iter().take(if are_all { Pace::ALL.len() } else { 1 });
        let estimate = |pace| match pace {
            Pace::AtOnce => self.times.at_once,
            Pace::Each(_) => self.times.in_turn,
        };
        paces.map(|pace| self.variant(pace).at_least(floor).estimated(estimate(pace))).collect()
    }
}

/// Returns a lower bound on the time if messages are forwarded along the axes: the mean port time of all ranks.
pub(in crate::all_to_all) fn mean_port_time(instance: &Instance, ranks: &[Rank], axes: &[Axis]) -> Span {
    let parameters = instance.parameters();
    let moved = digits::total_bytes(instance.matrix(), &digits::places(ranks), axes);
    let mean = moved as f64 / instance.size() as f64;
    Span::from_secs_f64(MARGIN * mean * parameters.node_beta() * 2.0 / parameters.duplex())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_radix_2_at_once_and_overlapped_are_one_pace() {
        let shape = |radix: usize, at_once: u64| {
            let times = Times { at_once: Span::from_picos(at_once), in_turn: Span::from_picos(2) };
            let axes = vec![Axis { extent: 7, stride: 1, radix }];
            Shape::new("bruck", format!("radix {radix}"), &(0..7).collect(), axes, times)
        };
        assert_eq!(shape(3, 1).paces(), Pace::ALL);
        let binary = shape(2, 3);
        let names: Vec<String> =
            binary.paces().iter().map(|&pace| binary.variant(pace).name().to_owned()).collect();
        assert_eq!(names, ["bruck (radix 2, in turn)", "bruck (radix 2, at once)", "bruck (radix 2)"]);
    }
}
