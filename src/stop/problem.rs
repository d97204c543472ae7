//! An s-to-p broadcast as a problem that plans are made for.

use std::sync::Arc;

use super::{Algorithm, Instance, draft::Draft, instance::Identity};
use crate::{model::Description, plan::Problem, rank::Rank};

impl Problem for Instance {
    type Kind = &'static str;
    type Parameter = ();
    type Workspace = ();
    type Draft = Draft;
    type Key = Identity;

    const AUTO: Algorithm = Algorithm::AUTO;

    fn algorithms() -> Vec<Algorithm> {
        Algorithm::all().collect()
    }

    fn kind(&self) -> &'static str {
        "s-to-p broadcast"
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

    fn unmet(&self, algorithm: &Algorithm, restriction: &str) -> String {
        format!("{algorithm} works only if {restriction}")
    }

    fn plan_name(algorithm: &Algorithm, variant: &str) -> String {
        match variant {
            "" => algorithm.to_string(),
            variant => format!("{algorithm}, {variant}"),
        }
    }
}
