//! The variants that many algorithms come in: a single one, or every choice with every way to exchange.

use std::borrow::Cow;

use super::{Draft, Instance};
use crate::{
    pattern::Exchange,
    plan::{PlanError, Variant},
    time::Span,
};

/// The variants of an algorithm for an instance.
pub(super) type Variants = Result<Vec<Variant<Instance>>, PlanError>;

/// The ways to exchange that the algorithms beyond the papers try. To send and receive at once, as the papers do, costs
/// `o_x` and gains nothing over doing it in turn.
const EXCHANGES: [(Exchange, &str); 2] =
    [(Exchange::InTurn, "in turn"), (Exchange::Overlapped, "overlapped")];

/// Figures of a choice that are known before its schedule is made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// A lower limit of its time.
    pub(super) least: Span,
    /// About as many messages as it has; 0 if that is not known.
    pub(super) messages: u64,
}

/// The single variant of an algorithm.
pub(super) fn only(make: impl Fn(&Instance) -> Draft + Send + Sync + 'static) -> Variants {
    Ok(vec![Variant::new("", move |instance| Ok(make(instance)))])
}

/// The same with the members in the order of their nodes, whatever that of their ranks is.
pub(super) fn in_node_order(instance: &Instance) -> Cow<'_, Instance> {
    instance.in_node_order().map_or(Cow::Borrowed(instance), |(ordered, _)| Cow::Owned(ordered))
}

/// A draft for the members in the order of their nodes, whatever that of their ranks is.
pub(super) fn by_nodes(instance: &Instance, make: impl Fn(&Instance) -> Draft) -> Draft {
    match instance.in_node_order() {
        Some((ordered, ranks)) => make(&ordered).by_ranks(&ranks),
        None => make(instance),
    }
}

/// Every choice with every way to exchange. `name` tells choices apart.
pub(super) fn each<C: Copy + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = C>,
    name: impl Fn(C) -> String,
    make: impl Fn(&Instance, C, Exchange) -> Draft + Copy + Send + Sync + 'static,
) -> Variants {
    each_known(choices, |_| Known::default(), name, make)
}

/// Every choice with every way to exchange. `known` tells what is known of a choice before its schedule is made.
pub(super) fn each_known<C: Copy + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = C>,
    known: impl Fn(C) -> Known,
    name: impl Fn(C) -> String,
    make: impl Fn(&Instance, C, Exchange) -> Draft + Copy + Send + Sync + 'static,
) -> Variants {
    let variant = |choice, (exchange, exchange_name)| {
        let full_name = format!("{}, {exchange_name}", name(choice));
        let variant = Variant::new(full_name, move |instance| {
            Ok(by_nodes(instance, |instance| make(instance, choice, exchange)))
        });
        let Known { least, messages } = known(choice);
        variant.at_least(least).of_messages(messages)
    };
    Ok(choices.into_iter().flat_map(|choice| EXCHANGES.map(|exchange| variant(choice, exchange))).collect())
}
