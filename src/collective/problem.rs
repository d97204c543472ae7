//! A collective operation as a problem that plans are made for.

use std::sync::Arc;

use super::{Algorithm, Draft, Operation, Strategy, Task, task::Identity};
use crate::{
    model::Description,
    plan::{Planned, Problem, Registered},
    rank::Rank,
};

impl Problem for Task {
    type Kind = Operation;

    fn kind(&self) -> Operation {
        self.operation()
    }

    fn machine(&self) -> &Description {
        self.machine()
    }

    fn members(&self) -> &Arc<[Rank]> {
        self.members()
    }
}

impl Planned for Task {
    /// The strategy of an algorithm that is one.
    type Parameter = Option<Strategy>;
    type Workspace = ();
    type Draft = Draft;
    type Key = Identity;

    fn key(&self) -> Identity {
        self.identity()
    }

    fn workspace(&self) {}

    /// The same with root 0: what is chosen for it serves all roots.
    fn representative(&self) -> Option<Task> {
        self.operation().has_root().then(|| self.with_root_0())
    }

    fn spelling(parameter: &Option<Strategy>) -> Option<String> {
        parameter.as_ref().map(|strategy| strategy.spelled(Operation::Broadcast))
    }

    fn called(&self, algorithm: String, parameter: &Option<Strategy>) -> String {
        parameter.as_ref().map_or(algorithm, |strategy| strategy.spelled(self.operation()))
    }

    fn unmet(&self, algorithm: &str, restriction: &str) -> String {
        format!("{algorithm} does not work for this {}: {restriction}", self.operation())
    }
}

impl Registered for Task {
    const AUTO: Algorithm = Algorithm::AUTO;

    fn algorithms() -> Vec<Algorithm> {
        Algorithm::NAMED.to_vec()
    }

    fn spelled(text: &str) -> Option<Algorithm> {
        let strategy = Operation::ALL.iter().find_map(|&operation| Strategy::parse(operation, text).ok());
        strategy.map(Algorithm::strategy)
    }
}
