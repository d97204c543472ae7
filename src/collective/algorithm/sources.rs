//! *Sources*: a collect as a broadcast from those ranks that have something.
//!
//! **What it does.** Where a few blocks are much longer than the others, what counts is how these get to all. So the
//! schedules of s-to-p broadcasts are taken, which cut long messages into pieces, deal these out to other nodes, and lay
//! lines so that long messages meet late: see [`stop`](crate::stop). A single block that is not empty is broadcast from its
//! owner, by any algorithm for that. Backwards it is a distributed combine, of a single block a combine-to-one.
//!
//! Where no block is more than twice as long as blocks are in the mean, that is done only by [*Level*](stop::Algorithm::LEVEL), which
//! first brings as many bytes to every rank.
//!
//! **Restrictions.** Some block is longer than blocks are in the mean, rounded up to whole elements; a commutative operator.
//!
//! **Cost.** That of the algorithm for broadcasts.
//!
//! **Source.** This project; those of the algorithms for broadcasts.

use std::sync::Arc;

use super::{
    super::{
        Operation, Task,
        draft::{Draft, Piece},
    },
    Algorithm, Entry, Variants, of, others,
    strategies::IN_ORDER,
};
use crate::{
    pattern::Origin,
    plan::{PlanError, Restriction, Variant, mean_in_elements},
    rank::Rank,
    stop,
    text::count,
};

impl Algorithm {
    /// The schedules of s-to-p broadcasts, for blocks of different lengths.
    pub const SOURCES: Algorithm = of(&SOURCES);
}

static SOURCES: Entry = Entry::new("sources", |planning| variants(planning.problem))
    .about("as a broadcast from those ranks that have something: for blocks of different lengths")
    .source("this project")
    .kinds(|operation| matches!(operation, Operation::Collect | Operation::DistributedCombine))
    .only_if(&[
        Restriction {
            text: "some block must be longer than blocks are in the mean, in whole elements",
            is_met: |task, _| task.longest_block() > mean(task),
            found: |task, _| {
                let [mean, most] = [mean(task), task.longest_block()].map(|bytes| count(bytes, "byte"));
                format!("here that is {mean}, and no block has more than {most}")
            },
        },
        Restriction { text: IN_ORDER, is_met: |task, _| !task.is_in_order(), found: |_, _| String::new() },
    ]);

fn variants(task: &Task) -> Variants {
    let owners = owners(task);
    if let [owner] = owners[..] {
        return Ok(others(&from_one(task, owner))?.into_iter().map(|one| of_one(one, owner)).collect());
    }
    let instance = from_several(task, &owners)?;
    // Backwards there would be no clock.
    let forwards = (task.operation() == Operation::Collect).then_some(&stop::Algorithm::PIPELINE);
    let others = stop::Algorithm::BEYOND.iter().chain(forwards).filter(|_| task.is_uneven());
    let listed = [stop::Algorithm::LEVEL]
        .iter()
        .chain(others)
        .flat_map(|algorithm| algorithm.variants(&instance, &()).unwrap_or_default());
    Ok(listed.map(of_several).collect())
}

/// The bytes that a block has in the mean, in whole elements.
fn mean(task: &Task) -> u64 {
    mean_in_elements(task.bytes(), task.size(), task.element_bytes())
}

/// The ranks whose blocks are not empty.
fn owners(task: &Task) -> Vec<Rank> {
    (0..task.size()).filter(|&rank| !task.block(rank).is_empty()).collect()
}

/// The same task if all but one block are empty.
fn from_one(task: &Task, owner: Rank) -> Task {
    let operation = match task.operation() {
        Operation::DistributedCombine => Operation::CombineToOne,
        _ => Operation::Broadcast,
    };
    task.as_operation(operation, owner)
}

fn of_one(variant: Variant<Task>, owner: Rank) -> Variant<Task> {
    let (least, estimate, messages) = (variant.floor(), variant.estimate(), variant.messages());
    let name = format!("from {owner} by {}", variant.name());
    let moved = Variant::new(name, move |task: &Task| variant.draft(&from_one(task, owner)));
    moved.at_least(least).estimated(estimate).of_messages(messages)
}

/// The broadcast that a collect is, with its elements for the units in which messages are cut.
fn from_several(task: &Task, owners: &[Rank]) -> Result<stop::Instance, PlanError> {
    let lengths: Vec<u64> =
        owners.iter().map(|&rank| task.block(rank).end - task.block(rank).start).collect();
    let instance = stop::Instance::among(task.machine(), task.members().clone(), owners, &lengths);
    let refused = |_| PlanError::MessageTooLong { given: task.bytes() };
    instance.map(|instance| instance.with_elements_of(task.element_bytes())).map_err(refused)
}

fn of_several(variant: Variant<stop::Instance>) -> Variant<Task> {
    // What a broadcast takes at least holds backwards as well.
    let least = variant.floor();
    let algorithm = variant.algorithm().map_or_else(String::new, ToString::to_string);
    let named = |name: &str| match name {
        "" => format!("s-to-p, {algorithm}"),
        name => format!("s-to-p, {algorithm}, {name}"),
    };
    let messages = variant.messages();
    let (name, leads) = (named(variant.name()), variant.leads().iter().map(|lead| named(lead)).collect());
    let variant = Arc::new(variant);
    let moved = Variant::new(name, move |task: &Task| {
        let owners = owners(task);
        let moved = variant.draft(&from_several(task, &owners)?)?;
        let piece = |source: usize, start: u64, bytes: u64| {
            let start = task.block(owners[source]).start + start;
            Piece::of(start..start + bytes, Origin::At(owners[source]))
        };
        let pieces = moved.pieces().map(|(source, start, bytes)| piece(source, start, bytes)).collect();
        let draft = Draft { pieces, schedule: moved.into_schedule().with_elements_of(task.element_bytes()) };
        Ok(if task.operation() == Operation::DistributedCombine { draft.combining() } else { draft })
    });
    moved.at_least(least).of_messages(messages).after(leads)
}
