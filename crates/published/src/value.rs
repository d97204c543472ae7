//! Published numbers with their modeled counterparts.

use std::fmt;

use multicomputer::{Clock, error::Failure, report::RunReport};

use super::{Timed, Verdict};

/// A published number and its modeled counterpart.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Value {
    /// The subject: the part of the setup that differs among the values of a job.
    pub what: String,
    /// The unit of both numbers: `ms`, `us`.
    pub unit: &'static str,
    /// The published number.
    pub published: f64,
    /// The modeled number.
    pub modeled: f64,
    /// The kind of number.
    pub kind: Kind,
    /// How certain the published number is.
    pub sure: Sure,
    /// The reason for a deviation, if known.
    pub why: &'static str,
    /// The timed program, if it can be run separately.
    timed: Option<Timed>,
}

/// The kinds of published numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Measured on a machine.
    Measured,
    /// Measured, and used to calibrate the parameters of the machine or the costs of its library. A small error of such
    /// a value shows how well one set of parameters can fit, not how well the model predicts.
    Fitted,
    /// Derived on paper: a coefficient of a formula.
    Derived,
    /// Counted in a figure of the paper, or printed as a parameter of its machine.
    Counted,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 4] = [Kind::Measured, Kind::Fitted, Kind::Derived, Kind::Counted];

    /// Returns the name of the kind.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Measured => "measured",
            Kind::Fitted => "fitted",
            Kind::Derived => "derived",
            Kind::Counted => "counted",
        }
    }
}

/// Certainty that a value or a claim is stated in the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Sure {
    /// Printed.
    Printed,
    /// Read in a damaged text; the number is the probability of a correct reading, in percent.
    Read(u8),
    /// Not published, but a statement of this library about the model: the limits of a formula, or the consequence of another reading. A
    /// [`Summary`](super::Summary) excludes it.
    Ours,
}

/// `printed`, `70 %`, or `ours`.
impl fmt::Display for Sure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sure::Printed => f.pad("printed"),
            Sure::Ours => f.pad("ours"),
            Sure::Read(percent) => f.pad(&format!("{percent} %")),
        }
    }
}

impl Value {
    /// Maximum relative error of a measured number that counts as reproduced, the same for all jobs: 20 %. The times to which the Paragon's
    /// parameters were fitted deviate by up to 13 %.
    pub const NEAR: f64 = 0.2;

    /// Maximum relative error of a derived or counted number that counts as reproduced: rounding only.
    pub const EXACT: f64 = 1e-6;

    pub(super) fn new(what: impl Into<String>, unit: &'static str, published: f64, modeled: f64) -> Value {
        let (kind, sure) = (Kind::Measured, Sure::Printed);
        Value { what: what.into(), unit, published, modeled, kind, sure, why: "", timed: None }
    }

    /// Creates a value published in milliseconds.
    pub(super) fn ms(what: impl Into<String>, published: f64, modeled: f64) -> Value {
        Value::new(what, "ms", published, modeled)
    }

    /// Creates a value published in milliseconds and timed by a program.
    pub(super) fn timed(what: impl Into<String>, published: f64, timed: Timed) -> Value {
        Value { timed: Some(timed.clone()), ..Value::ms(what, published, timed.millis) }
    }

    /// Runs the timed program under a clock, one thread per node, with phantom payloads. In virtual and real time the
    /// report has the modeled time of the value. Returns `None` if the value has no program that can be run separately.
    ///
    /// # Errors
    ///
    /// The reason why the run failed; for example, the host may have too few threads.
    pub fn run(&self, clock: Clock) -> Option<Result<RunReport, Failure>> {
        self.timed.as_ref().map(|timed| timed.run(clock))
    }

    pub(super) fn fitted(self) -> Value {
        Value { kind: Kind::Fitted, ..self }
    }

    pub(super) fn derived(self) -> Value {
        Value { kind: Kind::Derived, ..self }
    }

    pub(super) fn counted(self) -> Value {
        Value { kind: Kind::Counted, ..self }
    }

    pub(super) fn read(self, percent: u8) -> Value {
        Value { sure: Sure::Read(percent), ..self }
    }

    pub(super) fn because(self, why: &'static str) -> Value {
        Value { why, ..self }
    }

    /// Returns the relative error: 0.1 if the modeled number is a tenth too large.
    pub fn error(&self) -> f64 {
        self.modeled / self.published - 1.0
    }

    /// Returns the maximum relative error that counts as reproduced: [`NEAR`](Value::NEAR), or [`EXACT`](Value::EXACT) if the number was
    /// not measured.
    pub fn tolerance(&self) -> f64 {
        match self.kind {
            Kind::Measured | Kind::Fitted => Value::NEAR,
            Kind::Derived | Kind::Counted => Value::EXACT,
        }
    }

    /// Returns whether the relative error is at most the [`tolerance`](Value::tolerance).
    pub fn verdict(&self) -> Verdict {
        if self.error().abs() <= self.tolerance() { Verdict::Holds } else { Verdict::Fails }
    }
}
