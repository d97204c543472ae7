//! One stage: everybody has something for everybody, and each message goes straight to its receiver, or by Bruck's way.

use std::sync::Arc;

use super::{
    ExchangeError, Instance, Matrix,
    announce::{Words, announce},
    bruck, random,
    random::Manner,
    rounds::{Barrier, Order, Rounds, Style},
    walker::{Parts, walk},
};
use crate::{
    comm::{Group, Payload, Request},
    pattern::{Exchange, Schedule, Step},
    rank::Tag,
    record::Part,
};

/// How the messages of a stage go.
#[derive(Clone, Debug)]
enum Way {
    /// Straight to their receivers, in whole or in parts.
    Parts(Arc<Schedule>),
    /// As blocks that are passed on.
    Blocks(Arc<Schedule>),
    /// When their receivers have time for them: only a run can tell.
    Asking(Manner),
}

/// A stage, ready to be carried out.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub(super) matrix: Matrix,
    way: Way,
    /// By which nodes first tell each other how much is to come, if they do.
    words: Option<Arc<Words>>,
}

impl Stage {
    /// In rounds, which send the messages between different ranks in whole or in parts.
    pub(super) fn rounds(matrix: Matrix, rounds: Order, barrier: Barrier, style: Style) -> Stage {
        let rounds = Rounds { nodes: matrix.nodes(), rounds, barrier };
        Stage::scheduled(matrix, rounds.schedule(style))
    }

    /// As a schedule says that sends the messages between different ranks in whole or in parts.
    pub(super) fn scheduled(matrix: Matrix, schedule: Schedule) -> Stage {
        Stage { matrix, way: Way::Parts(Arc::new(schedule)), words: None }
    }

    /// Bruck's way with a radix.
    pub(super) fn bruck(matrix: Matrix, radix: usize, exchange: Exchange) -> Stage {
        let schedule = Arc::new(bruck::schedule(&matrix, radix, exchange));
        Stage { matrix, way: Way::Blocks(schedule), words: None }
    }

    /// When receivers have time, which are asked.
    pub(super) fn asking(matrix: Matrix, manner: Manner) -> Stage {
        Stage { matrix, way: Way::Asking(manner), words: None }.announced()
    }

    /// The same, after all have told each other how much is to come.
    pub(super) fn announced(self) -> Stage {
        Stage { words: Some(Arc::new(Words::new(self.matrix.nodes()))), ..self }
    }

    /// What every node does, with lengths alone; `None` if that is only known in a run.
    pub(super) fn schedule(&self) -> Option<Arc<Schedule>> {
        let (Way::Parts(schedule) | Way::Blocks(schedule)) = &self.way else { return None };
        Some(match &self.words {
            Some(words) => Arc::new(Schedule::of_lengths(joined(steps(&words.schedule), steps(schedule)))),
            None => schedule.clone(),
        })
    }

    /// Carries it out: `outgoing[j]` is for rank `j`, and what is returned has come from each rank. What has been
    /// started and must be waited for in the end is put into `started`.
    pub(super) fn carry_out<'g>(
        &self,
        group: &'g Group<'g>,
        instance: &Instance,
        tag: Tag,
        outgoing: Vec<Payload>,
        started: &mut Vec<Request<'g>>,
    ) -> Result<Vec<Payload>, ExchangeError> {
        if let Some(words) = &self.words {
            let part = || Part::operation("announcing lengths");
            group.as_part(part, || announce(group, words, tag, &self.matrix))?;
        }
        let rank = group.rank();
        let own = outgoing[rank].clone();
        let mut incoming = match &self.way {
            Way::Parts(schedule) => {
                let mut parts = Parts::new(outgoing);
                walk(group, schedule, tag, started, &mut parts)?;
                parts.incoming()
            }
            Way::Blocks(schedule) => {
                bruck::carry_out(group, schedule, tag, started, &self.matrix, |to| outgoing[to].clone())?
            }
            Way::Asking(manner) => random::carry_out(group, instance, &self.matrix, manner, tag, outgoing)?,
        };
        incoming[rank] = own;
        Ok(incoming)
    }
}

/// The steps of all nodes.
pub(super) fn steps(schedule: &Schedule) -> Vec<Vec<Step>> {
    (0..schedule.nodes()).map(|rank| schedule.steps(rank).to_vec()).collect()
}

/// The steps of all nodes one after the other.
pub(super) fn joined(first: Vec<Vec<Step>>, second: Vec<Vec<Step>>) -> Vec<Vec<Step>> {
    let last = first.iter().filter_map(|steps| steps.last()).map(|step| step.iteration + 1).max();
    let last = last.unwrap_or(0);
    let later = move |step: Step| Step { iteration: last + step.iteration, ..step };
    first
        .into_iter()
        .zip(second)
        .map(|(first, second)| first.into_iter().chain(second.into_iter().map(later)).collect())
        .collect()
}
