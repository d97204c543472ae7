//! Variants that several algorithms share: a single one, or every choice with every kind of exchange.

use std::borrow::Cow;

use super::{Draft, Instance};
use crate::{
    pattern::Exchange,
    plan::{PlanError, Variant},
    time::Span,
};

/// The variants of an algorithm for an instance.
pub(super) type Variants = Result<Vec<Variant<Instance>>, PlanError>;

/// The kinds of exchange that the algorithms beyond the papers try. A simultaneous send and receive, as in the papers, costs `o_x` and is
/// never faster than a send followed by a receive.
const EXCHANGES: [(Exchange, &str); 2] =
    [(Exchange::InTurn, "in turn"), (Exchange::Overlapped, "overlapped")];

/// Estimates for a choice, available before its schedule is made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VariantCost {
    /// Lower bound on the time.
    pub(super) lower_bound: Span,
    /// Approximate number of messages; 0 if unknown.
    pub(super) messages: u64,
}

/// Returns the variants of an algorithm that has only one; `make` makes its draft.
pub(super) fn only(make: impl Fn(&Instance) -> Draft + Send + Sync + 'static) -> Variants {
    Ok(vec![Variant::new("", move |instance| Ok(make(instance)))])
}

/// Returns the instance with its members sorted by node, independently of the order of ranks.
pub(super) fn in_node_order(instance: &Instance) -> Cow<'_, Instance> {
    instance.in_node_order().map_or(Cow::Borrowed(instance), |(ordered, _)| Cow::Owned(ordered))
}

/// Makes a draft for the members sorted by node, and maps it back to the ranks of the instance.
pub(super) fn by_nodes(instance: &Instance, make: impl Fn(&Instance) -> Draft) -> Draft {
    match instance.in_node_order() {
        Some((ordered, ranks)) => make(&ordered).by_ranks(&ranks),
        None => make(instance),
    }
}

/// Returns a variant for every choice and every kind of exchange. `name` distinguishes the choices.
pub(super) fn each<C: Copy + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = C>,
    name: impl Fn(C) -> String,
    make: impl Fn(&Instance, C, Exchange) -> Draft + Copy + Send + Sync + 'static,
) -> Variants {
    each_with_cost(choices, |_| VariantCost::default(), name, make)
}

/// Returns a variant for every choice and every kind of exchange. `cost` returns the estimates for a choice.
pub(super) fn each_with_cost<C: Copy + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = C>,
    cost: impl Fn(C) -> VariantCost,
    name: impl Fn(C) -> String,
    make: impl Fn(&Instance, C, Exchange) -> Draft + Copy + Send + Sync + 'static,
) -> Variants {
    let variant = |choice, (exchange, exchange_name)| {
        let full_name = format!("{}, {exchange_name}", name(choice));
        let variant = Variant::new(full_name, move |instance| {
            Ok(by_nodes(instance, |instance| make(instance, choice, exchange)))
        });
        let VariantCost { lower_bound, messages } = cost(choice);
        variant.at_least(lower_bound).of_messages(messages)
    };
    Ok(choices.into_iter().flat_map(|choice| EXCHANGES.map(|exchange| variant(choice, exchange))).collect())
}
