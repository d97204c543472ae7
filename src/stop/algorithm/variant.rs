//! The variants that many algorithms come in: a single one, or every choice with every way to exchange.

use super::{Draft, Instance};
use crate::{
    pattern::Exchange,
    plan::{PlanError, Variant},
};

/// The variants of an algorithm for an instance.
pub(super) type Variants = Result<Vec<Variant<Instance>>, PlanError>;

/// The ways to exchange that the algorithms beyond the papers try. To send and receive at once, as the papers do, costs
/// `o_x` and gains nothing over doing it in turn.
const EXCHANGES: [(Exchange, &str); 2] =
    [(Exchange::InTurn, "in turn"), (Exchange::Overlapped, "overlapped")];

/// The single variant of an algorithm.
pub(super) fn only(make: impl Fn(&Instance) -> Draft + Send + Sync + 'static) -> Variants {
    Ok(vec![Variant::new("", move |instance| Ok(make(instance)))])
}

/// Every choice with every way to exchange. `name` tells choices apart.
pub(super) fn each<C: Copy + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = C>,
    name: impl Fn(C) -> String,
    make: impl Fn(&Instance, C, Exchange) -> Draft + Copy + Send + Sync + 'static,
) -> Variants {
    let each = choices.into_iter().flat_map(|choice| EXCHANGES.map(|exchange| (choice, exchange)));
    let variant = |(choice, (exchange, exchange_name))| {
        let name = format!("{}, {exchange_name}", name(choice));
        Variant::new(name, move |instance| Ok(make(instance, choice, exchange)))
    };
    Ok(each.map(variant).collect())
}
