//! A collective operation as a problem that plans are made for.

use std::sync::Arc;

use super::{Algorithm, Draft, Operation, Strategy, Task, task::Identity};
use crate::{model::Description, plan::Problem, rank::Rank};

impl Problem for Task {
    type Kind = Operation;
    /// The strategy of an algorithm that is one.
    type Parameter = Option<Strategy>;
    type Workspace = ();
    type Draft = Draft;
    type Key = Identity;

    const AUTO: Algorithm = Algorithm::AUTO;

    fn algorithms() -> Vec<Algorithm> {
        Algorithm::NAMED.to_vec()
    }

    fn kind(&self) -> Operation {
        self.operation()
    }

    fn machine(&self) -> &Description {
        self.machine()
    }

    fn members(&self) -> &Arc<[Rank]> {
        self.members()
    }

    fn key(&self) -> Identity {
        self.identity()
    }

    fn workspace(&self) {}

    /// The same with root 0: what is chosen for it serves all roots.
    fn representative(&self) -> Option<Task> {
        self.operation().has_root().then(|| self.with_root_0())
    }

    fn spelled(text: &str) -> Option<Algorithm> {
        let strategy = Operation::ALL.iter().find_map(|&operation| Strategy::parse(operation, text).ok());
        strategy.map(Algorithm::strategy)
    }

    fn spelling(parameter: &Option<Strategy>) -> Option<String> {
        parameter.as_ref().map(|strategy| strategy.spelled(Operation::Broadcast))
    }

    fn called(&self, algorithm: &Algorithm) -> String {
        algorithm.spelled(self.operation()).into_owned()
    }
}
