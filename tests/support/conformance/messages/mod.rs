//! Messages from node to node: their order and their matching, requests of all kinds, probes and deadlines, data of all kinds,
//! groups, active messages.

mod data;
mod groups;
mod matching;
mod order;
mod requests;

use multicomputer::{error::Failure, prelude::*};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{Runner, case};

/// What all members of a group do together.
type Check = fn(&Node<'_>, &Group<'_>) -> Result<(), Failure>;

const CHECKS: [(&str, Check); 26] = [
    ("messages to the next rank", order::to_the_next),
    ("messages from everybody", order::from_everybody),
    ("messages to one rank", order::to_one),
    ("messages by their tags", order::by_tag),
    ("posted receives", matching::posted_receives),
    ("receives of many kinds for what comes from everybody", matching::from_everybody),
    ("sends and receives at once", requests::send_and_receive),
    ("messages to oneself", requests::to_oneself),
    ("requests in any order", requests::in_any_order),
    ("requests that are forgotten", requests::forgotten),
    ("waits for any request", requests::first_of_several),
    ("the null process", requests::null_process),
    ("probes", requests::probes),
    ("deadlines", requests::deadlines),
    ("lengths", data::lengths),
    ("long messages", data::long),
    ("chains of pieces", data::chains),
    ("types of elements", data::elements),
    ("phantom payloads", data::phantoms),
    ("what came is sent on", data::passed_on),
    ("groups of the same ranks", groups::same_ranks),
    ("groups of groups", groups::nested),
    ("groups by colors and keys", groups::by_color_and_key),
    ("rows and columns", groups::rows_and_columns),
    ("barriers", groups::barriers),
    ("active messages", groups::active),
];

pub(crate) fn messages(runner: &dyn Runner) {
    runner.run("messages", &|node| {
        // First in the world. Whoever is done goes on and sends, so a barrier has to keep from one check what belongs to the
        // next; a group of its own does the same.
        for (name, check) in CHECKS {
            case(node.world(), name, || check(node, node.world()))?;
            node.world().barrier()?;
        }
        let mut ranks: Vec<Rank> = (0..node.size()).collect();
        for (nth, (name, check)) in CHECKS.into_iter().enumerate() {
            ranks.rotate_left(nth % 2);
            let stirred = node.world().subgroup(&ranks)?;
            case(node.world(), format_args!("{name} in {}", stirred.name()), || check(node, &stirred))?;
        }
        Ok(())
    });
}

/// Pseudo-random numbers that are the same on every rank.
fn random(seed: usize) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed as u64)
}

/// The ranks after and before this one, around the group.
fn neighbours(group: &Group<'_>) -> (Rank, Rank) {
    let (rank, size) = (group.rank(), group.size());
    ((rank + 1) % size, (rank + size - 1) % size)
}

/// Bytes that tell whose they are, which of them, and where in the message each is.
fn bytes(rank: Rank, nth: usize, length: usize) -> Vec<u8> {
    let first = rank * 89 + nth * 41 + length;
    (0..length).map(|at| (first + at * 7 + (at >> 8) * 5 + (at >> 16) * 3) as u8).collect()
}
