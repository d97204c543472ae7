//! What an algorithm comes in: schedules that can be made and predicted, of which the fastest is taken.

use super::{Draft, Instance};
use crate::{pattern::Exchange, time::Span};

/// The ways to exchange that the algorithms beyond the papers try. To send and receive at once, as the papers do, costs
/// `o_x` and gains nothing over doing it in turn.
const EXCHANGES: [(Exchange, &str); 2] =
    [(Exchange::InTurn, "in turn"), (Exchange::Overlapped, "overlapped")];

/// A schedule that has not been made yet.
pub(super) struct Variant {
    /// What tells it from the others of its algorithm; empty if there are none.
    pub(super) name: String,
    /// It is known to take at least this long.
    pub(super) floor: Span,
    make: Box<dyn Fn(&Instance) -> Draft + Send + Sync>,
}

impl Variant {
    /// The one of many that is called so.
    pub(super) fn new(name: String, make: impl Fn(&Instance) -> Draft + Send + Sync + 'static) -> Variant {
        Variant { name, floor: Span::ZERO, make: Box::new(make) }
    }

    /// The only one of its algorithm.
    pub(super) fn only(make: impl Fn(&Instance) -> Draft + Send + Sync + 'static) -> Vec<Variant> {
        vec![Variant::new(String::new(), make)]
    }

    /// Every choice with every way to exchange. `name` says what the choice is called.
    pub(super) fn each<C: Copy + Send + Sync + 'static>(
        choices: impl IntoIterator<Item = C>,
        name: impl Fn(C) -> String,
        make: impl Fn(&Instance, C, Exchange) -> Draft + Copy + Send + Sync + 'static,
    ) -> Vec<Variant> {
        let each = choices.into_iter().flat_map(|choice| EXCHANGES.map(|exchange| (choice, exchange)));
        each.map(|(choice, (exchange, exchange_name))| {
            let name = format!("{}, {exchange_name}", name(choice));
            Variant::new(name, move |instance| make(instance, choice, exchange))
        })
        .collect()
    }

    /// The same, known to take at least this long.
    pub(super) fn at_least(self, floor: Span) -> Variant {
        Variant { floor, ..self }
    }

    /// Makes the schedule.
    pub(super) fn draft(&self, instance: &Instance) -> Draft {
        (self.make)(instance)
    }
}
