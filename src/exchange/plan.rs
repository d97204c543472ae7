//! How an exchange is carried out.

use std::sync::{Arc, OnceLock};

use thiserror::Error;

use super::{
    Algorithm, Instance,
    calls::EXCHANGE,
    detour::Detour,
    mixed::Mixed,
    sorting::Sorting,
    split::Split,
    stage::{Stage, joined, steps},
};
use crate::{
    comm::{Call, Group, Payload, PayloadError, WalkError},
    error::CommError,
    pattern::Schedule,
    predict::{Prediction, predict_among},
    rank::{Rank, Tag},
    record::Part,
    text::{are, count},
    time::Time,
};

/// That of [`Algorithm::ALL`], and so of those that Auto chooses from.
const FIRST_SEED: u64 = 1;

/// How an exchange is carried out: made once, by [`Algorithm::plan`](super::Algorithm::plan), and then used by all
/// members.
#[derive(Debug)]
pub struct Plan {
    instance: Instance,
    name: String,
    /// Members must have the same, since it may decide which way data takes.
    seed: u64,
    course: Course,
    schedule: Option<Arc<Schedule>>,
    prediction: OnceLock<Option<Prediction>>,
}

/// The way that data takes.
#[derive(Clone, Debug)]
pub(super) enum Course {
    /// From its source to its destination.
    Straight(Stage),
    /// By Bruck's way if it is short, and straight if it is long.
    Mixed(Box<Mixed>),
    /// By way of intermediaries.
    Split(Box<(Split, Stage, Stage)>),
    /// In slices, some of them by way of others.
    Detoured(Arc<Detour>, Arc<Schedule>),
    /// As records that are sorted by destination.
    Sorted(Box<Sorting>),
}

impl Plan {
    pub(super) fn new(instance: &Instance, name: String, course: Course) -> Plan {
        let schedule = course.schedule();
        let instance = instance.clone();
        Plan { instance, name, seed: FIRST_SEED, course, schedule, prediction: OnceLock::new() }
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
        group.library_call(EXCHANGE, || self.carried_out(group, &outgoing))
    }

    fn carried_out(&self, group: &Group<'_>, outgoing: &[Payload]) -> Result<Vec<Payload>, ExchangeError> {
        let rank = group.rank();
        let text = format!("an exchange by {}", self.name);
        let call = Call::new(EXCHANGE, text, (self.seed, self.instance.matrix()));
        let tag = group.agree(&call)?;
        let scenes = group.private();
        let part = || Part::operation(format!("exchange by {}", self.name));
        let incoming = group.as_part(part, || self.move_data(&scenes, tag, outgoing))?;
        for (from, expected) in self.instance.matrix().column(rank).enumerate() {
            let given = incoming.get(from).map_or(0, Payload::len);
            if given != expected {
                return Err(ExchangeError::Received { from, given, expected });
            }
        }
        Ok(incoming)
    }

    /// What has come from each rank.
    fn move_data(
        &self,
        scenes: &Group<'_>,
        tag: Tag,
        outgoing: &[Payload],
    ) -> Result<Vec<Payload>, ExchangeError> {
        let rank = scenes.rank();
        let mut started = Vec::new();
        let started_in = &mut started;
        let mut carry_out = |stage: &Stage, outgoing: Vec<Payload>| {
            stage.carry_out(scenes, &self.instance, tag, outgoing, started_in)
        };
        let incoming = match &self.course {
            Course::Straight(stage) => carry_out(stage, outgoing.to_vec())?,
            Course::Mixed(mixed) => mixed.carry_out(carry_out, outgoing)?,
            Course::Split(stages) => {
                let (split, first, second) = &**stages;
                let came = carry_out(first, split.spread(rank, outgoing)?)?;
                let came = carry_out(second, split.turn(&came)?)?;
                let mut joined = split.join(&came)?;
                joined[rank] = outgoing[rank].clone();
                joined
            }
            Course::Detoured(detour, schedule) => {
                detour.carry_out(scenes, schedule, tag, started_in, outgoing)?
            }
            Course::Sorted(sorting) => sorting.carry_out(scenes, &self.instance, tag, outgoing)?,
        };
        scenes.wait_all(started)?;
        Ok(incoming)
    }
}

impl Course {
    fn schedule(&self) -> Option<Arc<Schedule>> {
        match self {
            Course::Straight(stage) => stage.schedule(),
            Course::Mixed(mixed) => one_after_the_other(&mixed.short, &mixed.long),
            Course::Split(stages) => one_after_the_other(&stages.1, &stages.2),
            Course::Detoured(_, schedule) => Some(schedule.clone()),
            Course::Sorted(sorting) => sorting.schedule().map(Arc::new),
        }
    }
}

fn one_after_the_other(first: &Stage, second: &Stage) -> Option<Arc<Schedule>> {
    let both = joined(steps(&*first.schedule()?), steps(&*second.schedule()?));
    Some(Arc::new(Schedule::of_lengths(both)))
}

/// Why an exchange fails on a rank.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ExchangeError {
    /// The plan is for another group.
    #[error("the plan is for {} of the machine, and the group has {group}, or others", count(*plan as u64, "node"))]
    OtherGroup {
        /// Ranks of the plan.
        plan: usize,
        /// Ranks of the group.
        group: usize,
    },
    /// There is not one payload for each rank.
    #[error("{} given for {}", are(*given, "payload"), count(*size as u64, "rank"))]
    Payloads {
        /// Payloads given.
        given: usize,
        /// Ranks of the group.
        size: usize,
    },
    /// What this rank has for another one has another length than the matrix says.
    #[error("{} for rank {to}, where the matrix says {expected}", count(*given, "byte"))]
    Length {
        /// The receiver.
        to: Rank,
        /// Bytes given.
        given: u64,
        /// Bytes of the matrix.
        expected: u64,
    },
    /// Another rank sent, or told, something else than the plan says.
    #[error(
        "rank {from} sent or announced {} where {expected} should come: all must use the same plan",
        count(*given, "byte")
    )]
    Received {
        /// The sender.
        from: Rank,
        /// Bytes given.
        given: u64,
        /// Bytes expected.
        expected: u64,
    },
    /// A message cannot be sent or received, or another member makes another call.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// A schedule cannot be carried out.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// Data cannot be taken apart.
    #[error(transparent)]
    Payload(#[from] PayloadError),
}

crate::text::debug_as_text!(ExchangeError);

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
