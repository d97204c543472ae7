//! Cases: one value of every axis.

use std::collections::BTreeMap;

use crate::Axis;

/// The values of all axes that a study sets, as texts.
pub(crate) type Values = BTreeMap<Axis, Vec<String>>;

/// The seed of a study that sets none.
pub(crate) const DEFAULT_SEED: u64 = 1;

/// One value of each axis that the study sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Point<'a>(BTreeMap<Axis, &'a str>);

impl<'a> Point<'a> {
    /// The case of a number, counted from 0; the last axis varies fastest.
    pub(crate) fn nth(values: &'a Values, number: u64) -> Point<'a> {
        let mut rest = number;
        let mut point = BTreeMap::new();
        for (&axis, values) in values.iter().rev() {
            let count = values.len() as u64;
            point.insert(axis, values[(rest % count) as usize].as_str());
            rest /= count;
        }
        Point(point)
    }

    /// The case with one value of each of these axes.
    pub(crate) fn of(values: &'a BTreeMap<Axis, String>) -> Point<'a> {
        Point(values.iter().map(|(&axis, value)| (axis, value.as_str())).collect())
    }

    /// The value of an axis; `None` if the study does not set it.
    pub(crate) fn text(&self, axis: Axis) -> Option<&'a str> {
        self.0.get(&axis).copied()
    }

    /// The value of an axis of whole numbers, which was checked when the study was made.
    pub(crate) fn count(&self, axis: Axis) -> Option<u64> {
        self.text(axis)?.parse().ok()
    }

    /// The seed.
    pub(crate) fn seed(&self) -> u64 {
        self.count(Axis::Seed).unwrap_or(DEFAULT_SEED)
    }

    /// The same case without the axes that change runs only. Cases with equal results have equal plans, unless the seed decides.
    pub(crate) fn of_plans(&self) -> Point<'a> {
        Point(
            self.0
                .iter()
                .filter(|(axis, _)| !axis.is_of_runs())
                .map(|(&axis, &value)| (axis, value))
                .collect(),
        )
    }

    /// The same case without an axis.
    pub(crate) fn without(mut self, axis: Axis) -> Point<'a> {
        self.0.remove(&axis);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_axis_varies_fastest() {
        let text = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        let values = Values::from([(Axis::Seed, text(&["1", "2", "3"])), (Axis::Nodes, text(&["4", "8"]))]);
        let seen: Vec<_> = (0..6)
            .map(|number| {
                let point = Point::nth(&values, number);
                (point.count(Axis::Nodes).unwrap(), point.seed())
            })
            .collect();
        assert_eq!(seen, [(4, 1), (4, 2), (4, 3), (8, 1), (8, 2), (8, 3)]);
    }
}
