//! Search for the lengths at which the choice changes: a sweep, then bisection between neighbouring lengths with
//! different choices.
//!
//! A choice that holds only between two neighbouring lengths of the sweep is not found if both lengths have the same
//! choice.

use multicomputer::{
    Span,
    collective::{Algorithm, Operation, Plan, Task},
    model::MachineSpec,
};
use multicomputer_study::default_element;

use super::super::{count::counted, error::Error, progress::Progress};

/// A search: machine, operation and precision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search<'a> {
    pub(super) machine: &'a MachineSpec,
    pub(super) operation: Operation,
    /// Precision as a ratio: lengths within this factor are not bisected.
    pub(super) factor: f64,
    pub(super) progress: &'a Progress,
}

/// Choice for one length.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) bytes: u64,
    pub(super) choice: String,
    pub(super) modeled: Span,
    /// Ratio of the modeled time to the lower bound.
    pub(super) ratio: Option<f64>,
}

/// Lengths with the same choice, as far as known: all lengths tried, at least one, in ascending order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Interval(Vec<Point>);

impl Interval {
    pub(super) fn points(&self) -> &[Point] {
        &self.0
    }

    pub(super) fn first(&self) -> &Point {
        &self.0[0]
    }

    pub(super) fn last(&self) -> &Point {
        &self.0[self.0.len() - 1]
    }
}

impl Search<'_> {
    /// Finds the intervals from the shortest to the longest of `lengths`.
    pub(super) fn intervals(&self, lengths: &[u64]) -> Result<Vec<Interval>, Error> {
        let mut points = Vec::new();
        for bytes in self.whole(lengths) {
            points.push(self.point(bytes)?);
            self.progress.end();
        }
        let points = self.refined(points, self.factor, |bytes| self.point(bytes))?;
        Ok(joined(points))
    }

    /// Rounds lengths down to whole elements, and removes duplicates.
    pub(super) fn whole(&self, lengths: &[u64]) -> Vec<u64> {
        let element = default_element(self.operation);
        let mut lengths: Vec<u64> = lengths.iter().map(|bytes| bytes / element * element).collect();
        lengths.dedup();
        lengths
    }

    /// Bisects between points with different choices until their lengths are within `factor`.
    pub(super) fn refined(
        &self,
        points: Vec<Point>,
        factor: f64,
        point: impl Fn(u64) -> Result<Point, Error>,
    ) -> Result<Vec<Point>, Error> {
        let mut done: Vec<Point> = Vec::new();
        // Points to process; the next point is last.
        let mut rest: Vec<Point> = points.into_iter().rev().collect();
        while let Some(next) = rest.pop() {
            let differs =
                |last: &&Point| last.choice != next.choice && next.bytes as f64 > last.bytes as f64 * factor;
            let last = done.last().filter(differs);
            match last.and_then(|last| self.between(last.bytes, next.bytes)) {
                Some(middle) => rest.extend([next, point(middle)?]),
                None => done.push(next),
            }
        }
        Ok(done)
    }

    /// Returns the geometric mean of two lengths in whole elements, if it lies between them.
    fn between(&self, low: u64, high: u64) -> Option<u64> {
        let element = default_element(self.operation) as f64;
        let middle = (low as f64 * high as f64).sqrt();
        let middle = ((middle / element).round() * element) as u64;
        (low < middle && middle < high).then_some(middle)
    }

    /// Plans an algorithm for a length.
    pub(super) fn plan(&self, algorithm: &Algorithm, bytes: u64) -> Result<Plan, Error> {
        self.progress.begin(&format!("{} of {}", self.operation, counted(bytes, "byte")));
        algorithm.plan(&self.task(bytes)?).map_err(Error::usage)
    }

    fn task(&self, bytes: u64) -> Result<Task, Error> {
        let element = default_element(self.operation);
        let task = Task::builder(self.machine, self.operation).elements(bytes / element);
        task.element_bytes(element).build().map_err(Error::usage)
    }

    fn point(&self, bytes: u64) -> Result<Point, Error> {
        let plan = self.plan(&Algorithm::AUTO, bytes)?;
        let modeled = plan.prediction().modeled.since_start();
        let ratio = plan.task().lower_bound().ratio(modeled);
        Ok(Point { bytes, choice: without_details(plan.name()), modeled, ratio })
    }
}

/// Removes details from the name of a plan: a suffix in parentheses, and numbers of pieces.
fn without_details(name: &str) -> String {
    let name = name.split_once(" (").map_or(name, |(name, _)| name);
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    name.split(' ').filter(|word| !is_number(word)).collect::<Vec<_>>().join(" ")
}

/// Joins neighbouring points with the same choice.
fn joined(points: Vec<Point>) -> Vec<Interval> {
    let intervals = points.chunk_by(|one, other| one.choice == other.choice);
    intervals.map(|points| Interval(points.to_vec())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_no_part_of_a_choice() {
        for (name, choice) in [
            ("2x3:SMC,columns (in turn)", "2x3:SMC,columns"),
            ("doubling", "doubling"),
            ("64 blocks,compact (overlapped, 2 segments)", "blocks,compact"),
            ("chain, 8 chunks", "chain, chunks"),
        ] {
            assert_eq!(without_details(name), choice);
        }
    }
}
