//! Algorithm *Forest*: messages in segments down several spanning trees, with the load of the trees matched to the network capacity.
//!
//! **What it does.** For long messages on networks that are not grids (with switches, links of several capacities, or gaps), and between
//! nodes with several ports. The planner assigns a price to every port and link that may be a bottleneck and computes a lower bound on the
//! time. It then searches for trees that come near this bound ([`pattern::forest`](crate::pattern::forest)): one tree for each source, or a
//! cycle that all messages follow, and two, four or eight of them if one is not good enough. Each message is cut into segments, which go
//! down their trees one after the other; nodes forward what has arrived, the oldest segments first.
//!
//! **Restrictions.** 3 to 64 nodes; the bytes must take longer than a start-up. With one port per node, not for meshes, tori, rings and
//! other networks that are symmetric in all nodes.
//!
//! **Cost.** `T + h (alpha + m beta)` for segments of `m` bytes and trees of height `h`, where `T` is the time of the busiest port or link;
//! `o_s + o_r` for each segment must be less than `T`. If ports are the bottleneck, trees are chains and `h` is `p`. The number of segments
//! minimizes this cost, with at most about 16384 messages in total unless one segment per tree needs more.
//!
//! **Source.** The idea: L. Zhao, A. Krishnamurthy, "ForestColl: Throughput-optimal collective communications on heterogeneous network
//! fabrics", arXiv 2402.06787. The search for trees: this project.

use std::sync::Arc;

use super::{Algorithm, Draft, Entry, Instance, Variants, of};
use crate::{
    pattern::Exchange,
    plan::{
        Restriction, Variant,
        forest::{Direction, Forest, ForestProblem, is_candidate, spread, unmet_condition},
    },
    s_to_p::draft::Piece,
};

impl Algorithm {
    /// Messages in segments down spanning trees, with loads matched to the network capacity: for long messages on networks that are not
    /// grids, and between nodes with several ports.
    pub const FOREST: Algorithm = of(&FOREST);
}

static FOREST: Entry = Entry::new("forest", |planning| variants(planning.problem))
    .about("in segments along spanning trees packed into the network (several ports, or no grid)")
    .source("the idea: Zhao, Krishnamurthy, arXiv 2402.06787")
    .cost("`T + h (alpha + m beta)` for segments of `m` bytes and trees of height `h`, where `T` is the time of the busiest port or link")
    .only_if(&[Restriction {
        text: "3 to 64 nodes, several ports or a network that is not a grid, and data that takes longer than a start-up",
        is_met: |instance, ()| is_candidate(instance.machine(), instance.size(), instance.bytes()),
        found: |instance, ()| {
            unmet_condition(instance.machine(), instance.size(), instance.bytes()).unwrap_or_default()
        },
    }]);

fn variants(instance: &Instance) -> Variants {
    let problem = Arc::new(ForestProblem::of(
        instance.machine(),
        instance.members(),
        instance.holders(),
        instance.element_bytes(),
        Direction::Out,
    ));
    let variant = |forest: Forest| {
        let (name, lower_bound, estimate) = (forest.name(), forest.lower_bound, forest.estimate);
        let problem = problem.clone();
        let make = move |instance: &Instance| Ok(draft(instance, &problem, &forest));
        Variant::new(name, make).at_least(lower_bound).estimated(estimate)
    };
    Ok(problem.forests().into_iter().map(variant).collect())
}

fn draft(instance: &Instance, problem: &ForestProblem, forest: &Forest) -> Draft {
    let pieces = forest.segments().iter();
    let pieces = pieces.map(|one| Piece { source: one.source, start: one.start, bytes: one.bytes }).collect();
    let crossings = problem.order(forest);
    let draft = Draft::moving(instance, pieces, Exchange::Overlapped, |builder| spread(builder, &crossings));
    Draft { schedule: draft.schedule.hoisted(), ..draft }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{MachineSpec, Parameters},
        random::RandomNumbers,
        rank::Rank,
        topology::Network,
    };

    /// A random network of switches. Links are 0.5 to 4 times as fast as ports, which transfer 10 GB/s; each node is attached to a random
    /// switch.
    fn network(seed: u64) -> MachineSpec {
        let mut random = RandomNumbers::new(seed);
        let mut pick = |count: usize| random.below(count - 1);
        let (nodes, switches) = (8 + pick(9), 3 + pick(5));
        let mut ends: Vec<(String, String)> = (1..switches)
            .map(|switch| (format!("'s{switch}'"), format!("'s{}'", pick(switch.max(2)) % switch)))
            .collect();
        ends.extend((0..nodes).map(|node| (node.to_string(), format!("'s{}'", pick(switches)))));
        let links = ends.iter().map(|(one, other)| {
            let capacity = [5, 10, 20, 40][pick(4)];
            format!("{{ between = [{one}, {other}], capacity = '{capacity} GB/s' }}")
        });
        let links: Vec<String> = links.collect();
        let text = format!("nodes = {nodes}\nswitches = {switches}\nlinks = [{}]", links.join(", "));
        let parameters =
            Parameters::builder().send_overhead(5e-7).receive_overhead(5e-7).latency(1e-6).beta(1e-10);
        let network = Network::from_toml(format!("random {seed}"), &text).unwrap();
        MachineSpec::new("random", Arc::new(network), parameters.build().unwrap())
    }

    /// Returns the time of *Forest* and of the fastest other algorithm, each divided by the lower bound.
    fn ratios(machine: &MachineSpec, sources: &[Rank], bytes: u64) -> (f64, f64) {
        let lengths = vec![bytes / sources.len() as u64; sources.len()];
        let instance = Instance::new(machine, sources, &lengths).unwrap();
        let bound = instance.lower_bound().time();
        let over = |algorithm: Algorithm| {
            let plan = algorithm.plan(&instance).ok()?;
            Some(plan.prediction().modeled.since_start().as_secs_f64() / bound.as_secs_f64())
        };
        let alternatives = Algorithm::BEYOND.iter().cloned().filter_map(over);
        let today = alternatives.fold(f64::INFINITY, f64::min);
        (over(Algorithm::FOREST).unwrap(), today)
    }

    /// 8 MiB from one source, and from three, on random networks: *Forest* is near the lower bound and much faster than the others.
    #[test]
    fn long_messages_come_near_the_bound_on_random_networks() {
        for sources in [&[0][..], &[0, 3, 5]] {
            let mut all: Vec<(f64, f64)> =
                (0..8).map(|seed| ratios(&network(seed), sources, 8 << 20)).collect();
            all.sort_by(|one, other| one.0.total_cmp(&other.0));
            let (median, worst) = (all[all.len() / 2].0, all[all.len() - 1].0);
            assert!(median < 1.03 && worst < 1.1, "{all:?}");
            let gained = all.iter().filter(|&&(forest, today)| today > 1.15 * forest).count();
            assert!(gained >= 6, "{all:?}");
        }
    }

    #[test]
    fn forest_refuses_grids_and_short_messages() {
        let unmet = |machine: &str, bytes: u64| {
            let instance = Instance::new(&machine.parse().unwrap(), &[0], &[bytes]).unwrap();
            Algorithm::FOREST
                .plan(&instance)
                .map(|plan| plan.name().to_owned())
                .map_err(|error| error.to_string())
        };
        let refusal = "`forest` does not apply to this s-to-p broadcast: it needs 3 to 64 nodes, several ports or a network that is not a grid, and data that takes longer than a start-up";
        let refused = |found: &str| Err(format!("{refusal} (here: {found})"));
        for (machine, network) in [
            ("paragon:4x4", "mesh:4x4"),
            ("torus:3x3x3", "torus:3x3x3"),
            ("hypercube:8", "hypercube:8"),
            ("ring:7", "ring:7"),
            ("complete:5", "complete:5"),
        ] {
            let found = format!("network {network}, one port per node");
            assert_eq!(unmet(machine, 1 << 20), refused(&found));
        }
        assert_eq!(unmet("tree:128", 1 << 20), refused("128 nodes"));
        assert_eq!(unmet("tree:2", 1 << 20), refused("2 nodes"));
        assert_eq!(unmet("tree:1", 1 << 20), refused("1 node"));
        assert_eq!(unmet("tree:16", 0), refused("only empty messages"));
        assert_eq!(unmet("tree:16", 1000), refused("1000 bytes that take 0.4 start-ups"));
        assert_eq!(unmet("tree:16", 1 << 20), Ok("forest, 1 low tree, 256 segments".to_owned()));
    }
}
