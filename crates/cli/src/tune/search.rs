//! The lengths at which a choice changes: a sweep, and then halves where the choices at both ends differ.
//!
//! A choice that holds only between two neighbouring lengths of the sweep, both of which have another one in common, is
//! not found.

use multicomputer::{
    Span,
    collective::{Algorithm, Operation, Plan, Task},
    model::MachineSpec,
};

use super::super::{collective::default_element, count::counted, error::Error, progress::Progress};

/// A search: of what, and how precise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search<'a> {
    pub(super) machine: &'a MachineSpec,
    pub(super) operation: Operation,
    /// Lengths that differ by no more than this are as good as one.
    pub(super) factor: f64,
    pub(super) progress: &'a Progress,
}

/// The choice for one length.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) bytes: u64,
    pub(super) choice: String,
    pub(super) modeled: Span,
    /// Ratio of the modeled time to the lower bound.
    pub(super) ratio: Option<f64>,
}

/// Lengths with one choice, as far as is known: all that were tried, at least one, from the shortest.
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
    /// The intervals from the shortest to the longest of the lengths.
    pub(super) fn intervals(&self, lengths: &[u64]) -> Result<Vec<Interval>, Error> {
        let mut points = Vec::new();
        for bytes in self.whole(lengths) {
            points.push(self.point(bytes)?);
            self.progress.end();
        }
        let points = self.refined(points, self.factor, |bytes| self.point(bytes))?;
        Ok(joined(points))
    }

    /// The lengths in whole elements, each once.
    pub(super) fn whole(&self, lengths: &[u64]) -> Vec<u64> {
        let element = default_element(self.operation);
        let mut lengths: Vec<u64> = lengths.iter().map(|bytes| bytes / element * element).collect();
        lengths.dedup();
        lengths
    }

    /// Points with others between those that differ, as close as they shall be.
    pub(super) fn refined(
        &self,
        points: Vec<Point>,
        factor: f64,
        point: impl Fn(u64) -> Result<Point, Error>,
    ) -> Result<Vec<Point>, Error> {
        let mut done: Vec<Point> = Vec::new();
        // The points still to come, the next one last.
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

    /// A length half-way between two others, if there is one.
    fn between(&self, low: u64, high: u64) -> Option<u64> {
        let element = default_element(self.operation) as f64;
        let middle = (low as f64 * high as f64).sqrt();
        let middle = ((middle / element).round() * element) as u64;
        (low < middle && middle < high).then_some(middle)
    }

    /// The plan of an algorithm for a length.
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

/// The name of a plan without how it is carried out in detail: what stands in brackets at the end, and numbers of
/// pieces.
fn without_details(name: &str) -> String {
    let name = name.split_once(" (").map_or(name, |(name, _)| name);
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    name.split(' ').filter(|word| !is_number(word)).collect::<Vec<_>>().join(" ")
}

/// Neighbours with the same choice made one.
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
