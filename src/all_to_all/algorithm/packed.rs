//! *Packed*: a time-triggered list schedule, in which each free node immediately starts its most urgent message with a free path.
//!
//! **What it does.** A message can start when its sender and its receiver are free and every link on its path has capacity for it. Whenever
//! a message ends, the free senders choose in the order of their remaining work. Each takes the free receiver with the most remaining work.
//! Among equally urgent receivers, the receiver of the sender's longest message comes first, then the nearest around the ring of ranks. The
//! end of a message is known in advance or, if the two directions of a port share bandwidth, computed by the fabric model ([`network`]).
//! Long messages can be cut into slices. A slice is followed by the next slice of the same message, unless another receiver has become more
//! urgent. The result gives every node its order of sends and receives; their times follow from the machine.
//!
//! Receivers whose path uses a full link ([`link_receivers`]) are not examined. A sender without a match searches again only among receivers
//! whose links regain capacity, or among receivers that become free ([`waiting`]).
//!
//! **Restrictions.** The algorithm gives up on exchanges that would require examining too many pairs of nodes, or storing too many sets
//! of nodes.
//!
//! **Cost.** Without slow links and with slices of `q` bytes about `t beta + h max(alpha, q beta)`. A dense schedule, in which no node
//! idles without need, takes at most twice the optimum.
//!
//! **Source.** T. Gonzalez, S. Sahni, "Open shop scheduling to minimize finish time", JACM 23(4), 1976; dense schedules are within twice
//! the optimum: I. Bárány, T. Fiala, "Többgépes ütemezési problémák közel optimális megoldása", Szigma 15, 1982. The treatment of link
//! capacities is this project's.

mod link_receivers;
mod network;
mod packer;
mod ranks;
mod waiting;

use self::{network::Network, packer::Packer};
use super::{
    super::{
        Instance, PlanError,
        planner::Variant,
        rounds::{parts, paths::Paths, time_triggered::Planned},
    },
    Algorithm, Entry, Planning, of, refused,
};
use crate::time::Time;

static PACKED: Entry = Entry::new("packed", variants)
    .aliases(&["open-shop"])
    .about("time-triggered schedule that keeps nodes busy and avoids contention")
    .source("Gonzalez, Sahni 1976; this project")
    .cost("with slices of `q` bytes about `t beta + h max(alpha, q beta)`")
    .limits("no schedule if planning would take more than 3e9 inspections of links and nodes, or more than 1 GiB of memory");

impl Algorithm {
    /// A time-triggered list schedule that keeps nodes busy and avoids link contention.
    pub const PACKED: Algorithm = of(&PACKED);
}

/// Returns variants with whole messages and with slices.
fn variants(planning: &Planning<'_>) -> Result<Vec<Variant>, PlanError> {
    let planner = planning.workspace;
    let mut slices = planner.slice_lengths(if planner.is_large() { &[2.0] } else { &[1.0, 4.0] }, false);
    // Omits slice lengths that leave the longest message whole.
    let longest = parts(planner.matrix()).map(|part| part.bytes).max().unwrap_or(0);
    slices.retain(|&slice| is_cut(longest, slice));
    slices.insert(0, u64::MAX);
    let packed = |slice: u64| {
        let name = match slice {
            u64::MAX => "packed".to_owned(),
            slice => format!("packed ({slice} B)"),
        };
        planner.time_triggered(&name, move |planner| {
            planner
                .packed(slice, || plan(planner.instance(), planner.paths(), slice))
                .ok_or_else(too_many_pairs)
        })
    };
    Ok(slices.into_iter().flat_map(packed).collect())
}

/// Returns whether a slice is cut off a message with `left` remaining bytes. At least half a slice must remain.
fn is_cut(left: u64, slice: u64) -> bool {
    left >= slice.saturating_add(slice / 2)
}

fn too_many_pairs() -> PlanError {
    let text = "`packed` does not apply to this all-to-all: planning would take too much time or memory for this number of messages; use `colored`, which has no limit";
    refused(Algorithm::PACKED, text.to_owned())
}

/// Returns the parts in order of their starts, with messages in slices of at most `slice` bytes. `None` if planning would take too long.
fn plan(instance: &Instance, paths: &Paths, slice: u64) -> Option<Vec<Planned>> {
    plan_on(Network::of(instance, paths), instance, paths, slice)
}

/// Returns the parts as [`plan`] does, timed by a given network model.
fn plan_on(mut network: Network<'_>, instance: &Instance, paths: &Paths, slice: u64) -> Option<Vec<Planned>> {
    let mut plan = Packer::new(instance, paths, slice.max(1));
    if plan.is_too_large() {
        return None;
    }
    let mut now = Time::ZERO;
    loop {
        network.start(now, &plan.start_all(now)?);
        let next = [network.next_end(), plan.next_ready()];
        let Some(next) = next.into_iter().flatten().min() else { break };
        now = next;
        while let Some(from) = network.pop_end(now) {
            plan.note_departure(from, now);
        }
        plan.free(now);
    }
    Some(plan.finish())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        all_to_all::{Matrix, rounds::Part},
        model::{MachineSpec, Parameters},
        topology,
    };

    proptest! {
        /// If the directions of a port are independent, ends that are known in advance equal those of the fabric model.
        #[test]
        fn known_ends_equal_those_of_the_network_model(
            name in prop::sample::select(vec!["mesh:3x3", "fat-tree:9", "ring:9", "torus:3x3", "complete:9"]),
            excess in prop::sample::select(vec![0.3, 0.5, 1.0, 2.0, 2.5]),
            bytes in prop::collection::vec(0..900_u64, 81),
            slice in 1..1000_u64
        ) {
            let parameters = Parameters::hockney().to_builder().link_excess(excess).build().unwrap();
            let machine = MachineSpec::new("any", topology::parse(name).unwrap(), parameters);
            let matrix = Matrix::of(9, |from, to| bytes[from * 9 + to] / 3).unwrap();
            let instance = Instance::new(&machine, matrix).unwrap();
            let paths = Paths::of(&instance);
            let known = Network::of(&instance, &paths);
            prop_assert!(matches!(known, Network::Known(_)));
            let text = |network| format!("{:?}", plan_on(network, &instance, &paths, slice).unwrap());
            prop_assert_eq!(text(known), text(Network::shared(&instance)));
        }

        /// No port carries two messages at the same time, all bytes are moved, and the parts are in order of their starts.
        #[test]
        fn ports_have_one_message_at_a_time(
            nodes in 1..10_usize, bytes in prop::collection::vec(0..900_u64, 100), slice in 1..1000_u64
        ) {
            let tree = topology::parse(&format!("fat-tree:{nodes}")).unwrap();
            let machine = MachineSpec::new("tree", tree, Parameters::hockney());
            let matrix = Matrix::of(nodes, |from, to| bytes[from * 10 + to] / 3).unwrap();
            let instance = Instance::new(&machine, matrix.clone()).unwrap();
            let planned = plan(&instance, &Paths::of(&instance), slice).unwrap();
            prop_assert!(planned.is_sorted_by_key(|planned| planned.start));
            let mut left = matrix.without_own();
            for end in [|part: &Part| part.from, |part: &Part| part.to] {
                let mut busy = vec![Time::ZERO; nodes];
                for planned in &planned {
                    let busy = &mut busy[end(&planned.part)];
                    prop_assert!(*busy <= planned.start);
                    *busy = planned.end;
                }
            }
            for planned in &planned {
                let Part { from, to, bytes } = planned.part;
                left = Matrix::of(nodes, |one, other| {
                    left.get(one, other) - if (one, other) == (from, to) { bytes } else { 0 }
                }).unwrap();
            }
            prop_assert_eq!(left.traffic(), 0);
        }
    }
}
