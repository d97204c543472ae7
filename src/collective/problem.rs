//! Collective operations as problems for the planner.

use std::sync::Arc;

use super::{
    Algorithm, Draft, Operation, Strategy, Task, algorithm::unsplit_variants, delivery, task::Identity,
};
use crate::{
    model::MachineSpec,
    pattern::{DeliveryError, Exchange},
    plan::{PlanError, Planned, Problem, Registered, Variant, split::Divisible},
    rank::Rank,
    time::Span,
};

impl Problem for Task {
    type Kind = Operation;

    fn kind(&self) -> Operation {
        self.operation()
    }

    fn machine(&self) -> &MachineSpec {
        self.machine()
    }

    fn members(&self) -> &Arc<[Rank]> {
        self.members()
    }
}

impl Planned for Task {
    /// The strategy, if the algorithm is one.
    type Parameter = Option<Strategy>;
    type Workspace = ();
    type Draft = Draft;
    type Key = Identity;

    fn key(&self) -> Identity {
        self.identity()
    }

    fn key_of_shape(&self) -> Option<Identity> {
        Some(self.identity_without_members())
    }

    fn workspace(&self) {}

    fn check_delivery(&self, draft: &Draft) -> Result<(), DeliveryError> {
        delivery::check(self, draft)
    }

    fn spelling(parameter: &Option<Strategy>) -> Option<String> {
        parameter.as_ref().map(|strategy| strategy.spelled(Operation::Broadcast))
    }

    fn called(&self, algorithm: String, parameter: &Option<Strategy>) -> String {
        parameter.as_ref().map_or(algorithm, |strategy| strategy.spelled(self.operation()))
    }

    fn known(&self) -> Vec<String> {
        Algorithm::of(self.operation()).iter().map(|algorithm| algorithm.name().to_owned()).collect()
    }
}

impl Divisible for Task {
    const APART: Algorithm = Algorithm::APART;

    fn unsplit_variants(&self) -> Result<Vec<Variant<Task>>, PlanError> {
        unsplit_variants(self)
    }

    /// The lengths of the blocks; the root's own block counts as 0, because it does not move.
    fn lengths(&self) -> Vec<u64> {
        let operation = self.operation();
        if !operation.has_blocks() {
            return Vec::new();
        }
        let stays = |rank| operation.has_root() && rank == self.root();
        let length = |rank| self.block(rank).end - self.block(rank).start;
        (0..self.size()).map(|rank| if stays(rank) { 0 } else { length(rank) }).collect()
    }

    fn part(&self, is_in: &[bool]) -> Task {
        Task::part(self, is_in)
    }

    fn joined(&self, parts: &[(&[bool], &Draft)]) -> Draft {
        let parts = parts.iter().map(|&(is_in, draft)| draft.placed(&Task::part(self, is_in), self));
        parts
            .reduce(Draft::then)
            .unwrap_or_else(|| Draft::moving(self, Vec::new(), &[], Exchange::InTurn, |_| ()))
    }

    fn quick_lower_bound(&self) -> Span {
        self.quick_bound().time()
    }

    fn has_root(&self) -> bool {
        self.operation().has_root()
    }
}

impl Registered for Task {
    const AUTO: Algorithm = Algorithm::AUTO;

    fn algorithms() -> Vec<Algorithm> {
        [Algorithm::NAMED, Algorithm::UNTRIED].concat()
    }

    const OTHER_SYNTAX: &'static str = "; a strategy is written as for a broadcast, such as 2x3x5:SSMCC";

    /// Reads a strategy exactly as [`spelling`](Planned::spelling) writes it. The text here belongs to no particular operation; `6:C`,
    /// which is valid for an all-gather, is not valid for a broadcast.
    fn parse_other(text: &str) -> Option<Result<Algorithm, String>> {
        if !text.contains(':') {
            return None;
        }
        let strategy = Strategy::parse(Operation::Broadcast, text);
        Some(strategy.map(Algorithm::strategy).map_err(|cause| {
            format!(
                "{cause} (without an operation, write a strategy as for a broadcast; `Strategy::parse` reads strategies of other operations)"
            )
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strategy_without_an_operation_is_read_as_it_is_printed() {
        for text in ["2x3:SMC", "2x3:SSBC", "6:T,compact", "6:SC"] {
            assert_eq!(text.parse::<Algorithm>().unwrap().to_string(), text);
        }
        for text in ["6:C", "6:S", "2x3:SS", "2x3:CC"] {
            let error = text.parse::<Algorithm>().unwrap_err();
            assert_eq!(error.name(), text);
            assert!(
                error
                    .to_string()
                    .starts_with(&format!("invalid strategy `{text}` for broadcast: the letters for ")),
                "{error}"
            );
        }
        let error = "2x3:SC".parse::<Algorithm>().unwrap_err().to_string();
        assert_eq!(
            error,
            "invalid strategy `2x3:SC` for broadcast: the letters for 2 sides are `SSCC` or `SMC`, where `B` may stand for a `C` \
             and `T` for the `M` (without an operation, write a strategy as for a broadcast; `Strategy::parse` reads strategies of other operations)"
        );
        let error = "shrt".parse::<Algorithm>().unwrap_err().to_string();
        assert!(
            error.starts_with("unknown algorithm `shrt`; did you mean `short`? Known: auto, short, "),
            "{error}"
        );
        assert!(
            error.ends_with("; a strategy is written as for a broadcast, such as 2x3x5:SSMCC"),
            "{error}"
        );
    }

    #[test]
    fn refusals_name_the_alternatives() {
        let refusal = |algorithm: &str, operation, nodes: usize| {
            let machine = format!("line:{nodes}").parse().unwrap();
            let task = Task::builder(&machine, operation).elements(8).build().unwrap();
            algorithm.parse::<Algorithm>().unwrap().check(&task).unwrap_err().to_string()
        };
        assert_eq!(
            refusal("short", Operation::Scan, 4),
            "algorithm `short` is not for scan. Known for scan: auto, doubling, halving, pipeline"
        );
        assert_eq!(
            refusal("2x3:SMC", Operation::AllGather, 12),
            "`2x3:MC` does not apply to this all-gather: it needs sides whose product is the number of ranks (here: product 6, 12 ranks)"
        );
        assert_eq!(
            refusal("blocks", Operation::Broadcast, 2),
            "`blocks` does not apply to this broadcast: it needs at least 3 ranks, at least 2 elements, and a commutative operator (here: 2 ranks and 8 elements)"
        );
    }
}
