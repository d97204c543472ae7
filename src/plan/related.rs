//! Related problems: a schedule for one problem also solves another, so its variants are candidates for both.

use std::sync::Arc;

use super::{Algorithm, Convert, Problem, Variant};
use crate::time::Span;

/// A problem to which other problems, of the same library or another one, are related.
pub(crate) trait Related: Problem {
    /// Returns the variants of equivalent problems.
    fn equal(&self) -> Vec<Variant<Self>>;

    /// Returns the variants of problems that deliver more than this one and therefore also solve it.
    fn wider(&self) -> Vec<Variant<Self>> {
        Vec::new()
    }
}

/// Converts the variants of a problem `P` into variants of a problem `Q` that the schedules of `P` also solve, listed
/// by an algorithm for `Q`. The names of the variants begin with `words`, a description of `P`. `bound` is a lower
/// bound on the time of any schedule of `P`.
pub(crate) fn converted<P: Problem, Q: Problem>(
    problem: P,
    variants: Vec<Variant<P>>,
    words: &str,
    bound: Span,
    convert: Convert<P, Q>,
    algorithm: &Algorithm<Q>,
) -> Vec<Variant<Q>> {
    let problem = Arc::new(problem);
    let one = |variant: Variant<P>| {
        let of = variant.algorithm().map_or_else(String::new, ToString::to_string);
        let name = match variant.name() {
            "" => format!("{words}, {of}"),
            name => format!("{words}, {of}, {name}"),
        };
        variant.converted(name, problem.clone(), convert).at_least(bound).by(algorithm.clone())
    };
    variants.into_iter().map(one).collect()
}
