//! A plan of an exchange, and the code that carries it out on a node.

use std::sync::{Arc, OnceLock};

use super::{
    Algorithm, ExchangeError, Instance,
    procedure::{Procedure, Transport},
};
use crate::{
    comm::{Call, Group, Payload},
    pattern::Schedule,
    predict::{Prediction, predict_among},
    record::Part,
    time::Time,
};

/// The calls of this library, as reports call them.
pub(super) const EXCHANGE: &str = "exchange";

/// That of [`Algorithm::ALL`], and so of those that Auto chooses from.
const FIRST_SEED: u64 = 1;

/// How an exchange is carried out: made once, by [`Algorithm::plan`], and then used by all members.
#[derive(Debug)]
pub struct Plan {
    instance: Instance,
    name: String,
    /// Members must have the same, since it may decide which way data takes.
    seed: u64,
    procedure: Box<dyn Procedure>,
    schedule: Option<Arc<Schedule>>,
    prediction: OnceLock<Option<Prediction>>,
}

impl Plan {
    pub(super) fn new(instance: &Instance, name: String, procedure: Box<dyn Procedure>) -> Plan {
        let schedule = procedure.schedule();
        let instance = instance.clone();
        Plan { instance, name, seed: FIRST_SEED, procedure, schedule, prediction: OnceLock::new() }
    }

    /// The same, made by an algorithm with its seed.
    pub(super) fn by(self, algorithm: Algorithm) -> Plan {
        Plan { seed: algorithm.seed().unwrap_or(FIRST_SEED), ..self }
    }

    /// What is exchanged.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The algorithm, in the way that was chosen.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What every rank does: messages with their lengths, headers included. `None` if that depends on what happens in a
    /// run.
    pub fn schedule(&self) -> Option<&Schedule> {
        self.schedule.as_deref()
    }

    /// What it takes in virtual time if all members start at the same instant and nothing else is under way: exactly
    /// what a run takes. `None` if only a run can tell.
    pub fn prediction(&self) -> Option<&Prediction> {
        self.prediction.get_or_init(|| self.predict_until(Time::MAX)).as_ref()
    }

    pub(super) fn predict_until(&self, limit: Time) -> Option<Prediction> {
        predict_among(self.instance.machine(), self.instance.members(), self.schedule()?, limit)
    }

    /// Carries it out: every member of the group calls it, with what it has for each rank, and gets what has come from
    /// each. Data is moved by reference.
    ///
    /// # Errors
    ///
    /// [`ExchangeError`] if the group or what this rank has is not that of the plan, if another member has another
    /// plan, or if a message cannot be sent or received.
    pub fn carry_out(
        &self,
        group: &Group<'_>,
        outgoing: Vec<Payload>,
    ) -> Result<Vec<Payload>, ExchangeError> {
        let (rank, size) = (group.rank(), group.size());
        let members = self.instance.members();
        if size != members.len() || (0..size).any(|rank| group.node(rank) != members[rank]) {
            return Err(ExchangeError::OtherGroup { plan: members.len(), group: size });
        }
        if outgoing.len() != size {
            return Err(ExchangeError::Payloads { given: outgoing.len(), size });
        }
        let row = self.instance.matrix().row(rank);
        if let Some(to) = (0..size).find(|&to| outgoing[to].len() != row[to]) {
            return Err(ExchangeError::Length { to, given: outgoing[to].len(), expected: row[to] });
        }
        group.library_call(EXCHANGE, || self.carried_out(group, outgoing))
    }

    fn carried_out(&self, group: &Group<'_>, outgoing: Vec<Payload>) -> Result<Vec<Payload>, ExchangeError> {
        let rank = group.rank();
        let text = format!("an exchange by {}", self.name);
        let call = Call::new(EXCHANGE, text, (self.seed, self.instance.matrix()));
        let tag = group.agree(&call)?;
        let private = group.private();
        let own = outgoing[rank].clone();
        let part = || Part::operation(format!("exchange by {}", self.name));
        let mut incoming = group.as_part(part, || {
            let mut transport = Transport::new(&private, tag);
            let incoming = self.procedure.carry_out(&mut transport, outgoing)?;
            transport.finish()?;
            Ok::<_, ExchangeError>(incoming)
        })?;
        incoming[rank] = own;
        for (from, expected) in self.instance.matrix().column(rank).enumerate() {
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
    use crate::{Machine, error::RunError, exchange::Matrix};

    /// A message of three bytes each, by plans of these algorithms.
    fn run(algorithms: [Algorithm; 2]) -> Result<(), String> {
        let instance = Instance::new(&"line:2".parse().unwrap(), Matrix::of(2, |_, _| 3).unwrap()).unwrap();
        let plans = algorithms.map(|algorithm| algorithm.plan(&instance).unwrap());
        let machine = Machine::of(instance.machine().clone()).build().unwrap();
        let run = machine.run(|node| {
            let outgoing = vec![Payload::from(&[1_u8, 2, 3]); 2];
            Ok(plans[node.rank()].carry_out(node.world(), outgoing).map(drop)?)
        });
        match run {
            Ok(_) => Ok(()),
            Err(RunError::Node { source, .. }) => Err(source.to_string()),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn members_must_have_the_same_seed() {
        let shuffled = |seed: u64| Algorithm::Shuffled { seed };
        run([shuffled(1), shuffled(1)]).unwrap();
        run([shuffled(7), shuffled(7)]).unwrap();
        run([Algorithm::TwoStage, Algorithm::TwoStage]).unwrap();
        let text = run([shuffled(1), shuffled(2)]).unwrap_err();
        assert!(text.contains("an exchange by shuffled with other arguments"), "{text}");
    }
}
