//! Plans of exchanges, and their execution on a node.

use super::{ExchangeError, Instance, procedure::Transport};
use crate::{
    comm::{Call, Group},
    pattern::Schedule,
    payload::Payload,
    plan::{self, Draft, Prediction},
    record::Part,
    time::Time,
};

/// Name of exchange calls in reports.
pub(super) const EXCHANGE: &str = "all-to-all";

/// A plan for an exchange.
pub type Plan = plan::Plan<Instance>;

impl Plan {
    /// Returns the exchange that the plan is for.
    pub fn instance(&self) -> &Instance {
        self.problem()
    }

    /// Returns the steps of every rank: messages with their lengths, headers included. `None` if the steps depend on the run.
    pub fn schedule(&self) -> Option<&Schedule> {
        self.draft.schedule()
    }

    /// Returns the predicted virtual time if all members start at the same instant and no other traffic is under way. The prediction is
    /// exactly the time of a run. `None` if the steps depend on the run, or if the time exceeds the range of [`Time`].
    pub fn prediction(&self) -> Option<&Prediction> {
        let prediction = self.predicted(self.schedule()?);
        (prediction.modeled < Time::MAX).then_some(prediction)
    }

    /// Carries out the plan. Every member of the group calls this method with its payload for each rank, and gets the payload from each
    /// rank. Data is moved by reference.
    ///
    /// # Errors
    ///
    /// [`ExchangeError`] if the group or the payload lengths differ from the plan's, if another member uses another plan, or if a message
    /// cannot be sent or received.
    #[track_caller]
    pub fn carry_out(
        &self,
        group: &Group<'_>,
        outgoing: Vec<Payload>,
    ) -> Result<Vec<Payload>, ExchangeError> {
        let (rank, size) = (group.rank(), group.size());
        let members = self.instance().members();
        if size != members.len() || (0..size).any(|rank| group.node(rank) != members[rank]) {
            return Err(ExchangeError::OtherGroup { plan: members.len(), group: size });
        }
        if outgoing.len() != size {
            return Err(ExchangeError::Payloads { given: outgoing.len(), size });
        }
        let row = self.instance().matrix().row(rank);
        if let Some(to) = (0..size).find(|&to| outgoing[to].len() != row[to]) {
            return Err(ExchangeError::Length { to, given: outgoing[to].len(), expected: row[to] });
        }
        group.library_call(EXCHANGE, || self.carried_out(group, outgoing))
    }

    fn carried_out(&self, group: &Group<'_>, outgoing: Vec<Payload>) -> Result<Vec<Payload>, ExchangeError> {
        let rank = group.rank();
        let text = format_args!("an all-to-all, plan {}", self.name());
        // The seed is an argument of the call too, because it may decide the routes of the data.
        let details = (self.algorithm().seed(), self.instance().matrix());
        let tag = group.agree(&Call::new(EXCHANGE, &text, details))?;
        let private = group.private();
        let own = outgoing[rank].clone();
        let part = || Part::operation(format!("exchange by {}", self.name()));
        let mut incoming = group.as_part(part, || {
            let mut transport = Transport::new(&private, tag);
            let incoming = self.draft.procedure.carry_out(&mut transport, outgoing)?;
            transport.finish()?;
            Ok::<_, ExchangeError>(incoming)
        })?;
        incoming[rank] = own;
        for (from, expected) in self.instance().matrix().column(rank).enumerate() {
            let given = incoming.get(from).map_or(0, Payload::len);
            if given != expected {
                return Err(ExchangeError::Received { from, given, expected });
            }
        }
        Ok(incoming)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Machine,
        all_to_all::{Algorithm, Matrix},
        error::RunError,
    };

    /// Exchanges messages of three bytes, with one algorithm for each of the two ranks.
    fn run(algorithms: [Algorithm; 2]) -> Result<(), String> {
        let instance = Instance::new(&"line:2".parse().unwrap(), Matrix::of(2, |_, _| 3).unwrap()).unwrap();
        let plans = algorithms.map(|algorithm| algorithm.plan(&instance).unwrap());
        let machine = Machine::builder(instance.machine().clone()).build().unwrap();
        let run = machine.run(|node| {
            let outgoing = vec![Payload::from(&[1_u8, 2, 3]); 2];
            Ok(plans[node.rank()].carry_out(node.world(), outgoing).map(drop)?)
        });
        match run {
            Ok(_) => Ok(()),
            Err(RunError::Mismatch(mismatch)) => Err(mismatch.to_string()),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn members_must_have_the_same_seed() {
        let shuffled = |seed: u64| Algorithm::SHUFFLED.with_seed(seed);
        run([shuffled(1), shuffled(1)]).unwrap();
        run([shuffled(7), shuffled(7)]).unwrap();
        run([Algorithm::TWO_STAGE, Algorithm::TWO_STAGE]).unwrap();
        let text = run([shuffled(1), shuffled(2)]).unwrap_err();
        assert!(text.contains("an all-to-all, plan shuffled, with other arguments"), "{text}");
    }
}
