//! Claims of papers and their verdicts.

use std::{fmt, ops::RangeInclusive};

use super::Sure;

/// A claim of a paper, judged by modeled results.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Claim {
    /// The name of the function in `crates/published` that judges the claim; see its documentation.
    pub name: &'static str,
    /// The claim.
    pub said: &'static str,
    /// How certain it is that the paper makes this claim.
    pub sure: Sure,
    /// The rule of the verdict, with its limits; empty if the claim cannot be judged.
    pub rule: &'static str,
    /// Whether the claim holds in the model.
    pub verdict: Verdict,
    /// The reason for the verdict, with results.
    pub why: String,
    /// Regression checks of detailed results. Their expected values are results of the current model, not of the paper.
    pub checks: Vec<Check>,
}

/// Whether a published result is reproduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// Reproduced.
    Holds,
    /// Not reproduced.
    Fails,
    /// Undecided: the publication or the model has too little information.
    Open,
}

/// `holds`, `does not hold` or `cannot be judged`.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "does not hold",
            Verdict::Open => "cannot be judged",
        })
    }
}

/// A modeled result and its expected value (regression check).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Check {
    /// The subject.
    pub what: String,
    /// The modeled result.
    pub found: String,
    /// The expected result.
    pub expected: String,
    /// Whether the result is as expected.
    pub is_met: bool,
}

impl Claim {
    /// Creates a claim without a verdict.
    pub(super) fn new(name: &'static str, said: &'static str) -> Claim {
        let (why, checks) = (String::new(), Vec::new());
        Claim { name, said, sure: Sure::Printed, rule: "", verdict: Verdict::Open, why, checks }
    }

    /// Marks the claim as read in a damaged text, with the probability of a correct reading in percent.
    pub(super) fn read(self, percent: u8) -> Claim {
        Claim { sure: Sure::Read(percent), ..self }
    }

    /// Marks the claim as a statement of this library about the model, not of the paper.
    pub(super) fn ours(self) -> Claim {
        Claim { sure: Sure::Ours, ..self }
    }

    /// Returns whether all checks are met. The checks are independent of the verdict on the claim.
    pub fn is_as_expected(&self) -> bool {
        self.checks.iter().all(|check| check.is_met)
    }

    /// Sets the verdict by a rule, which says in words when `holds` is true.
    pub(super) fn judged(self, rule: &'static str, holds: bool, why: impl Into<String>) -> Claim {
        let verdict = if holds { Verdict::Holds } else { Verdict::Fails };
        Claim { rule, verdict, why: why.into(), ..self }
    }

    /// Sets the verdict to open.
    pub(super) fn open(self, why: impl Into<String>) -> Claim {
        Claim { verdict: Verdict::Open, why: why.into(), ..self }
    }

    fn check(&mut self, what: impl Into<String>, found: String, expected: String, is_met: bool) {
        self.checks.push(Check { what: what.into(), found, expected, is_met });
    }

    /// Checks that a number is within a range.
    pub(super) fn within(&mut self, what: impl Into<String>, found: f64, range: RangeInclusive<f64>) {
        self.all_within(what, [found], range);
    }

    /// Checks that all numbers are within a range.
    pub(super) fn all_within(
        &mut self,
        what: impl Into<String>,
        found: impl IntoIterator<Item = f64>,
        range: RangeInclusive<f64>,
    ) {
        let found: Vec<f64> = found.into_iter().collect();
        let is_met = !found.is_empty() && found.iter().all(|number| range.contains(number));
        let expected = format!("{} to {}", range.start(), range.end());
        self.check(what, ends(&found), expected, is_met);
    }

    /// Checks that all numbers are above a limit.
    pub(super) fn above(
        &mut self,
        what: impl Into<String>,
        found: impl IntoIterator<Item = f64>,
        limit: f64,
    ) {
        let found: Vec<f64> = found.into_iter().collect();
        let is_met = !found.is_empty() && found.iter().all(|&number| number > limit);
        self.check(what, ends(&found), format!("above {limit}"), is_met);
    }

    /// Checks that all numbers are below a limit.
    pub(super) fn below(
        &mut self,
        what: impl Into<String>,
        found: impl IntoIterator<Item = f64>,
        limit: f64,
    ) {
        let found: Vec<f64> = found.into_iter().collect();
        let is_met = !found.is_empty() && found.iter().all(|&number| number < limit);
        self.check(what, ends(&found), format!("below {limit}"), is_met);
    }

    /// Checks that two values are equal.
    pub(super) fn same<T: PartialEq + fmt::Debug>(&mut self, what: impl Into<String>, found: T, expected: T) {
        self.check(what, format!("{found:?}"), format!("{expected:?}"), found == expected);
    }

    /// Checks that a condition is true.
    pub(super) fn is(&mut self, what: impl Into<String>, is_so: bool) {
        self.same(what, is_so, true);
    }
}

/// Formats the minimum and the maximum of some numbers.
fn ends(numbers: &[f64]) -> String {
    let (least, most) = (super::least(numbers.iter().copied()), super::most(numbers.iter().copied()));
    match numbers {
        [] => "nothing".to_owned(),
        _ if least == most => format!("{least:.6}"),
        _ => format!("{least:.6} to {most:.6}"),
    }
}

/// Formats the check in one line: subject, result, and expected result.
impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (expected: {})", self.what, self.found, self.expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_met_or_not() {
        let mut claim = Claim::new("", "");
        claim.within("in", 1.0, 1.0..=2.0);
        claim.above("above", [2.0, 3.0], 1.0);
        claim.below("below", [0.5], 1.0);
        claim.same("same", [1, 2], [1, 2]);
        assert!(claim.is_as_expected());
        claim.all_within("out", [1.0, 3.0], 1.0..=2.0);
        assert!(!claim.is_as_expected());
        assert_eq!(claim.checks[4].to_string(), "out: 1.000000 to 3.000000 (expected: 1 to 2)");
    }

    /// A NaN is outside every range, and an empty list fails every check.
    #[test]
    fn neither_nothing_nor_what_is_no_number_is_as_expected() {
        for numbers in [vec![], vec![f64::NAN]] {
            let mut claim = Claim::new("", "");
            claim.all_within("", numbers.clone(), f64::NEG_INFINITY..=f64::INFINITY);
            claim.above("", numbers.clone(), f64::NEG_INFINITY);
            claim.below("", numbers, f64::INFINITY);
            assert!(claim.checks.iter().all(|check| !check.is_met), "{claim:?}");
        }
    }
}
