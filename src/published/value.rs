//! Published numbers beside modeled ones.

use std::fmt;

use super::{Timed, Verdict};
use crate::{error::Failure, machine::Clock, report::RunReport};

/// A published number, and the same worked out here.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Value {
    /// The subject: the setup, as far as it differs from one value of a job to the next.
    pub what: String,
    /// The unit of both: `ms`, `us`.
    pub unit: &'static str,
    /// As it is published.
    pub published: f64,
    /// As it is here.
    pub modeled: f64,
    /// The kind of number.
    pub kind: Kind,
    /// The certainty of the published number.
    pub sure: Sure,
    /// The reason for a difference, where it is known.
    pub why: &'static str,
    /// The program that was timed, if it can be run on its own.
    timed: Option<Timed>,
}

/// The kinds of published numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Measured on a machine.
    Measured,
    /// Measured, and among the numbers to which the parameters of the machine, or the costs of its library, were fitted: that it
    /// is near shows how near one set of parameters can come, and not how well it foresees.
    Fitted,
    /// Worked out on paper: a coefficient, a count.
    Derived,
}

impl Kind {
    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Measured => "measured",
            Kind::Fitted => "fitted",
            Kind::Derived => "derived",
        }
    }
}

/// The certainty that something is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Sure {
    /// It is printed so.
    Printed,
    /// It is read so, with this probability in percent: the text at hand is damaged.
    Read(u8),
    /// It is not published, but said here of what is: with which limits a formula holds, what another reading would mean. A
    /// [`Summary`](super::Summary) does not count it.
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
    /// The relative error up to which a measured number counts as met, the same for all: 20 %. The times to which the Paragon
    /// was fitted stray by 13 %.
    pub const NEAR: f64 = 0.2;

    /// The relative error up to which a derived number counts as met: rounding only.
    pub const EXACT: f64 = 1e-6;

    pub(super) fn new(what: impl Into<String>, unit: &'static str, published: f64, modeled: f64) -> Value {
        let (kind, sure) = (Kind::Measured, Sure::Printed);
        Value { what: what.into(), unit, published, modeled, kind, sure, why: "", timed: None }
    }

    /// Published in milliseconds.
    pub(super) fn ms(what: impl Into<String>, published: f64, modeled: f64) -> Value {
        Value::new(what, "ms", published, modeled)
    }

    /// Published in milliseconds, and timed here.
    pub(super) fn timed(what: impl Into<String>, published: f64, timed: Timed) -> Value {
        Value { timed: Some(timed.clone()), ..Value::ms(what, published, timed.millis) }
    }

    /// Runs what was timed, one thread for each node, under a clock; lengths move instead of data. In virtual and in real time the
    /// modeled time of the report is that of the value. `None` if it is no time of something that can be run on its own.
    ///
    /// # Errors
    ///
    /// The reason why it cannot be run: the host may have too few threads.
    pub fn run(&self, clock: Clock) -> Option<Result<RunReport, Failure>> {
        self.timed.as_ref().map(|timed| timed.run(clock))
    }

    pub(super) fn fitted(self) -> Value {
        Value { kind: Kind::Fitted, ..self }
    }

    pub(super) fn derived(self) -> Value {
        Value { kind: Kind::Derived, ..self }
    }

    pub(super) fn read(self, percent: u8) -> Value {
        Value { sure: Sure::Read(percent), ..self }
    }

    pub(super) fn because(self, why: &'static str) -> Value {
        Value { why, ..self }
    }

    /// The relative error: 0.1 if a tenth too much comes out.
    pub fn error(&self) -> f64 {
        self.modeled / self.published - 1.0
    }

    /// Whether what comes out is near enough: within [`NEAR`](Value::NEAR), or [`EXACT`](Value::EXACT) if it is derived.
    pub fn verdict(&self) -> Verdict {
        let limit = if self.kind == Kind::Derived { Value::EXACT } else { Value::NEAR };
        if self.error().abs() <= limit { Verdict::Holds } else { Verdict::Fails }
    }
}
