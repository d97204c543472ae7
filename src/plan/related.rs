//! Problems that are related: a schedule of one carries out another one, so that its variants are candidates there.

use std::sync::Arc;

use super::{Algorithm, Convert, Problem, Variant};
use crate::time::Span;

/// A problem that other problems are related to, of the same library or of another one.
pub(crate) trait Related: Problem {
    /// The variants of problems that are equal to this one, in other words.
    fn equal(&self) -> Vec<Variant<Self>>;

    /// The variants of problems that want more than this one, and so carry it out as well.
    fn wider(&self) -> Vec<Variant<Self>> {
        Vec::new()
    }
}

/// The variants of a problem `P` as variants of a problem `Q` that its schedules carry out, listed by an algorithm for `Q`. Their names
/// begin with words for `P`. No schedule of `P` takes less than `bound`.
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
        let floor = variant.floor().max(bound);
        variant.converted(name, problem.clone(), convert).at_least(floor).by(algorithm.clone())
    };
    variants.into_iter().map(one).collect()
}
