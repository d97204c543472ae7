//! Claims in words, and how they are judged.

use std::{fmt, ops::RangeInclusive};

use super::Sure;

/// A claim of a paper, judged by what comes out here.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Claim {
    /// The name of the function that judges it, in `src/published`; its documentation says more.
    pub name: &'static str,
    /// The claim.
    pub said: &'static str,
    /// The certainty that this is claimed.
    pub sure: Sure,
    /// Whether it holds here.
    pub verdict: Verdict,
    /// The reason, with the results.
    pub why: String,
    /// The results in detail, with those that are expected: not of the paper, but of this model as it is.
    pub checks: Vec<Check>,
}

/// Whether something published comes out here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// It does.
    Holds,
    /// It does not.
    Fails,
    /// Neither: too little is published, or too little is here, to tell.
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

/// Something that comes out, and what is expected to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Check {
    /// The subject.
    pub what: String,
    /// The result.
    pub found: String,
    /// The result that is expected.
    pub expected: String,
    /// Whether it does.
    pub is_met: bool,
}

impl Claim {
    /// A claim that has not been judged.
    pub(super) fn new(name: &'static str, said: &'static str) -> Claim {
        let (why, checks) = (String::new(), Vec::new());
        Claim { name, said, sure: Sure::Printed, verdict: Verdict::Open, why, checks }
    }

    /// The same, read in a damaged text.
    pub(super) fn read(self, percent: u8) -> Claim {
        Claim { sure: Sure::Read(percent), ..self }
    }

    /// The same, said here and not in the paper.
    pub(super) fn ours(self) -> Claim {
        Claim { sure: Sure::Ours, ..self }
    }

    /// Whether all that comes out is what is expected of the model. That says nothing of the claim.
    pub fn is_as_expected(&self) -> bool {
        self.checks.iter().all(|check| check.is_met)
    }

    /// The verdict: it holds if this is so.
    pub(super) fn judged(self, holds: bool, why: impl Into<String>) -> Claim {
        let verdict = if holds { Verdict::Holds } else { Verdict::Fails };
        Claim { verdict, why: why.into(), ..self }
    }

    /// The verdict: nobody can tell.
    pub(super) fn open(self, why: impl Into<String>) -> Claim {
        Claim { verdict: Verdict::Open, why: why.into(), ..self }
    }

    fn check(&mut self, what: impl Into<String>, found: String, expected: String, is_met: bool) {
        self.checks.push(Check { what: what.into(), found, expected, is_met });
    }

    /// A number is in a range.
    pub(super) fn within(&mut self, what: impl Into<String>, found: f64, range: RangeInclusive<f64>) {
        self.all_within(what, [found], range);
    }

    /// Some numbers are all in a range.
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

    /// Some numbers are all above a limit.
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

    /// Some numbers are all below a limit.
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

    /// Something is what is expected.
    pub(super) fn same<T: PartialEq + fmt::Debug>(&mut self, what: impl Into<String>, found: T, expected: T) {
        self.check(what, format!("{found:?}"), format!("{expected:?}"), found == expected);
    }

    /// Something is so.
    pub(super) fn is(&mut self, what: impl Into<String>, is_so: bool) {
        self.same(what, is_so, true);
    }
}

/// The least and the most of some numbers.
fn ends(numbers: &[f64]) -> String {
    let (least, most) = (super::least(numbers.iter().copied()), super::most(numbers.iter().copied()));
    match numbers {
        [] => "nothing".to_owned(),
        _ if least == most => format!("{least:.6}"),
        _ => format!("{least:.6} to {most:.6}"),
    }
}

/// One line: what, what comes out, and what is expected.
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

    /// A NaN is in no range, and nothing is not all.
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
