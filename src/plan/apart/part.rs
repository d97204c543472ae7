//! Some of the messages as a problem of their own, and the variants that are taken for it.

use std::{collections::BTreeSet, sync::Arc};

use super::{Bounds, Divisible, ENDS};
use crate::{
    plan::{
        Problem,
        choose::{check_messages, fastest_with},
        problem::Draft,
        registry::{Algorithm, Variant},
    },
    time::{Span, Time},
};

/// Parts one after the other.
pub(super) type Row<P> = Vec<Arc<Chosen<P>>>;

/// A variant's algorithm and name but for numbers: neighbouring parts are often treated alike, in other numbers of pieces.
pub(super) fn kind<P: Problem>(variant: &Variant<P>) -> String {
    let algorithm = variant.algorithm().map_or("", Algorithm::name);
    let name = variant.name().chars().filter(|letter| !letter.is_ascii_digit());
    algorithm.chars().chain([' ']).chain(name).collect()
}

/// The key by which a row is told from others.
pub(super) fn key<P: Problem>(row: &Row<P>) -> Vec<(Bounds, usize)> {
    row.iter().map(|part| (part.bounds, part.nth)).collect()
}

/// The orders in which parts are tried: from the shortest messages on; from the longest on; the longest and then the others
/// from the shortest on; and the others from the longest on and then the longest.
pub(super) fn orders(way: &[Bounds]) -> Vec<Vec<Bounds>> {
    let forth = way.to_vec();
    let back: Vec<Bounds> = way.iter().rev().copied().collect();
    let mut orders = vec![forth.clone(), back.clone()];
    if way.len() > 2 {
        let (mut before, mut after) = (forth, back);
        before.rotate_right(1);
        after.rotate_left(1);
        orders.extend([before, after]);
    }
    orders
}

/// The variant of several parts, one after the other.
pub(super) fn in_a_row<P: Divisible>(parts: Row<P>) -> Variant<P> {
    let names: Vec<&str> = parts.iter().map(|part| &*part.name).collect();
    Variant::new(names.join(", then "), move |problem: &P| {
        let draft = |part: &Arc<Chosen<P>>| part.variant.draft(&problem.part(&part.is_in));
        let drafts: Vec<P::Draft> = parts.iter().map(draft).collect::<Result<_, _>>()?;
        let parts: Vec<_> = parts.iter().zip(&drafts).map(|(part, draft)| (&*part.is_in, draft)).collect();
        Ok(problem.joined(&parts))
    })
}

/// Some of the messages, as a problem of their own.
#[derive(Clone)]
pub(super) struct Part<P> {
    pub(super) bounds: Bounds,
    name: String,
    pub(super) is_in: Vec<bool>,
    pub(super) problem: P,
}

/// A part with the variant that is taken for it.
pub(super) struct Chosen<P: Problem> {
    pub(super) bounds: Bounds,
    /// The number of the variant among all for the part.
    pub(super) nth: usize,
    name: String,
    pub(super) is_in: Vec<bool>,
    pub(super) variant: Variant<P>,
    pub(super) draft: P::Draft,
}

impl<P: Divisible> Part<P> {
    /// The messages that are longer than one place and no longer than the other.
    pub(super) fn of(problem: &P, lengths: &[u64], (over, up_to): Bounds) -> Part<P> {
        let is_in = |&length: &u64| (over == ENDS.0 || length > over) && length <= up_to;
        let is_in: Vec<bool> = lengths.iter().map(is_in).collect();
        // It never is all of them.
        let name = match (over, up_to) {
            (over, u64::MAX) => format!("over {over} B"),
            (0, up_to) => format!("up to {up_to} B"),
            (over, up_to) => format!("over {over} up to {up_to} B"),
        };
        Part { bounds: (over, up_to), name, problem: problem.part(&is_in), is_in }
    }

    /// Whether at most one of the messages, of these lengths, is in it, empty ones aside.
    pub(super) fn is_single(&self, lengths: &[u64]) -> bool {
        self.is_in.iter().zip(lengths).filter(|&(&is_in, &length)| is_in && length > 0).count() <= 1
    }

    /// With the variant that is the fastest, if that ends by the limit: of all, or of those that are likely alone. Likely ones are
    /// tried first.
    pub(super) fn chosen(
        self,
        likely: &BTreeSet<String>,
        only_likely: bool,
        limit: Time,
    ) -> Option<(Span, Chosen<P>)> {
        let is_likely = |variant: &Variant<P>| likely.contains(&kind(variant));
        let listed = self.problem.others().ok()?.into_iter().enumerate();
        let (numbers, mut variants): (Vec<usize>, Vec<Variant<P>>) =
            listed.filter(|(_, variant)| !only_likely || is_likely(variant)).unzip();
        let (nth, predicted) = fastest_with(&P::APART, &self.problem, &variants, is_likely, limit).ok()?;
        let time = predicted.prediction.modeled.since_start();
        Some((time, self.with(numbers[nth], variants.swap_remove(nth), predicted.draft)))
    }

    /// With the variant of this number, if that can be made and sent.
    pub(super) fn by(self, nth: usize, variant: Variant<P>) -> Option<Chosen<P>> {
        let draft = variant.draft(&self.problem).ok()?;
        check_messages(draft.schedule()?).ok()?;
        Some(self.with(nth, variant, draft))
    }

    fn with(self, nth: usize, variant: Variant<P>, draft: P::Draft) -> Chosen<P> {
        let algorithm = variant.algorithm().unwrap_or(&P::APART).to_string();
        let name = format!("{} by {}", self.name, P::plan_name(algorithm, variant.name()));
        Chosen { bounds: self.bounds, nth, name, is_in: self.is_in, variant, draft }
    }
}
