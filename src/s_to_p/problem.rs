//! S-to-p broadcasts as a problem for the planner.

use std::sync::Arc;

use super::{Algorithm, Instance, algorithm::unsplit_variants, draft::Draft, instance::Identity};
use crate::{
    model::MachineSpec,
    pattern::{DeliveryError, Exchange},
    plan::{PlanError, Planned, Problem, Registered, Variant, split::Divisible},
    rank::Rank,
    time::Span,
};

impl Problem for Instance {
    type Kind = &'static str;

    fn kind(&self) -> &'static str {
        "s-to-p broadcast"
    }

    fn machine(&self) -> &MachineSpec {
        self.machine()
    }

    fn members(&self) -> &Arc<[Rank]> {
        self.members()
    }
}

impl Planned for Instance {
    type Parameter = ();
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
        draft.check(self)
    }

    fn known(&self) -> Vec<String> {
        Self::algorithms().iter().map(|algorithm| algorithm.name().to_owned()).collect()
    }

    fn plan_name(algorithm: String, variant: &str) -> String {
        match variant {
            "" => algorithm,
            variant => format!("{algorithm}, {variant}"),
        }
    }
}

impl Divisible for Instance {
    const APART: Algorithm = Algorithm::APART;

    fn unsplit_variants(&self) -> Result<Vec<Variant<Instance>>, PlanError> {
        unsplit_variants(self)
    }

    fn lengths(&self) -> Vec<u64> {
        Instance::lengths(self).to_vec()
    }

    fn part(&self, is_in: &[bool]) -> Instance {
        Instance::part(self, is_in)
    }

    fn joined(&self, parts: &[(&[bool], &Draft)]) -> Draft {
        let numbers = |is_in: &[bool]| (0..is_in.len()).filter(|&source| is_in[source]).collect();
        let parts = parts.iter().map(|&(is_in, draft)| draft.renumbered(numbers(is_in)));
        parts.reduce(Draft::then).unwrap_or_else(|| Draft::whole(self, Exchange::InTurn, |_| ()))
    }

    fn quick_lower_bound(&self) -> Span {
        // The bound by spanning trees takes too long to compute for pruning.
        self.bounds_with_trees(Span::ZERO).time()
    }

    fn has_root(&self) -> bool {
        // The messages have different sources, and every rank receives all of them.
        false
    }
}

impl Registered for Instance {
    const AUTO: Algorithm = Algorithm::AUTO;

    fn algorithms() -> Vec<Algorithm> {
        Algorithm::all().chain(Algorithm::FOR_SOME.iter().cloned()).collect()
    }
}
