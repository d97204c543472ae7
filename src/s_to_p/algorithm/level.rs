//! Algorithm *Level*: balances the load so that all nodes hold equally many bytes, and then runs an all-gather.
//!
//! **What it does.** For long messages that leave some nodes with more bytes than others: the time of an all-gather is determined by the
//! node with the most bytes. In the load balancing step no node keeps more than the mean `m` over all nodes. A source scatters its excess
//! bytes, by halving as in [*Split*](super::split), to nodes that hold less than `m`: in the order of a line, the first excess bytes go to
//! the first of these nodes. The all-gather runs in rings as in [*Bucket*](super::bucket), whose buckets are now equal, by halving, or by
//! [dissemination](crate::pattern::circulant::all_gather).
//!
//! **Restrictions.** Some message is longer than `m`.
//!
//! **Cost.** `ceil(log2 q) alpha + n beta` to scatter at most `n` bytes to at most `q` nodes, and an all-gather of `m` bytes per node: in
//! rings `(r + c - 2) alpha + (p - 1) m beta`, otherwise `ceil(log2 p) alpha + (p - 1) m beta` without contention; half duplex doubles the
//! bytes.
//!
//! **Source.** This project. It extends [*Split*](super::split), for few long messages, to any number of messages of any lengths.

use super::{
    Algorithm, Draft, Entry, Instance, Piece, VariantCost, Variants, br_xy::First, bucket, each_with_cost,
    in_node_order, of, split::deal,
};
use crate::{
    pattern::{Exchange, circulant, line},
    plan::{Restriction, mean_in_elements},
    rank::Rank,
    text::count,
};

impl Algorithm {
    /// Balances the load, so that every node holds equally many bytes, and then runs an all-gather of `(p - 1) m beta` for a mean of `m`
    /// bytes per node. For long messages that leave some nodes with more bytes than others.
    pub const LEVEL: Algorithm = of(&LEVEL);
}

static LEVEL: Entry = Entry::new("level", |planning| variants(planning.problem))
    .about("load balancing step, then all-gather: for long messages of different lengths")
    .source("this project")
    .cost("up to `ceil(log2 q) alpha + n beta` to scatter to `q` nodes, then with a mean of `m` bytes per node `(r + c - 2) alpha + (p - 1) m beta` in rings, otherwise about `ceil(log2 p) alpha + (p - 1) m beta`")
    .only_if(&[Restriction {
        text: "a message longer than the mean number of bytes per node",
        is_met: |instance, ()| mean(instance) < longest(instance),
        found: |instance, ()| {
            format!("no message longer than {}, the mean in whole elements", count(mean(instance), "byte"))
        },
    }]);

fn longest(instance: &Instance) -> u64 {
    instance.lengths().iter().copied().max().unwrap_or(0)
}

/// Returns the mean number of bytes per node, in whole elements. A node keeps at most this number of bytes.
fn mean(instance: &Instance) -> u64 {
    mean_in_elements(instance.bytes(), instance.size(), instance.element_bytes())
}

/// The algorithm of the all-gather.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AllGather {
    Rings(First),
    Halving,
    Dissemination,
}

impl AllGather {
    fn name(self) -> String {
        match self {
            AllGather::Rings(first) => format!("rings, {}", first.name()),
            AllGather::Halving => "halving".to_owned(),
            AllGather::Dissemination => "dissemination".to_owned(),
        }
    }
}

/// Returns a variant for each all-gather algorithm.
fn variants(instance: &Instance) -> Variants {
    let ordered = in_node_order(instance);
    let orders = First::orders(ordered.grid());
    let rings = orders.iter().map(|&first| AllGather::Rings(first));
    let choices = rings.chain([AllGather::Halving, AllGather::Dissemination]);
    let cost = |all_gather| match all_gather {
        AllGather::Rings(first) => {
            let held = teams(&ordered).into_iter().flatten();
            bucket::cost(&ordered, held, first.lines(ordered.grid()), false)
        }
        AllGather::Halving | AllGather::Dissemination => VariantCost::default(),
    };
    each_with_cost(choices, cost, AllGather::name, draft)
}

/// Returns, for each source, the nodes that get a piece of its message and the bytes of each: first the source, then other nodes in line
/// order.
fn teams(instance: &Instance) -> Vec<Vec<(Rank, u64)>> {
    let mean = mean(instance);
    let (sources, lengths) = (instance.sources(), instance.lengths());
    let line = line::bisection(instance.grid());
    let position_of = line::positions(&line);
    let mut teams: Vec<Vec<(Rank, u64)>> =
        sources.iter().zip(lengths).map(|(&rank, &length)| vec![(rank, length.min(mean))]).collect();
    let mut missing = vec![mean; line.len()];
    teams.iter().flatten().for_each(|&(rank, bytes)| missing[position_of[rank]] -= bytes);
    let mut order: Vec<usize> = (0..sources.len()).collect();
    order.sort_unstable_by_key(|&source| position_of[sources[source]]);
    // The first position of the line that may hold less than the mean.
    let mut next = 0;
    for source in order {
        let mut left = lengths[source].saturating_sub(mean);
        while left > 0 {
            let bytes = left.min(missing[next]);
            if bytes > 0 {
                teams[source].push((line[next], bytes));
                left -= bytes;
                missing[next] -= bytes;
            }
            next += usize::from(missing[next] == 0);
        }
    }
    teams
}

fn draft(instance: &Instance, all_gather: AllGather, exchange: Exchange) -> Draft {
    let teams = teams(instance);
    let mut pieces = Vec::new();
    for (source, team) in teams.iter().enumerate() {
        let mut start = 0;
        for &(_, bytes) in team {
            pieces.push(Piece { source, start, bytes });
            start += bytes;
        }
    }
    let ranks = |team: Vec<(Rank, u64)>| team.into_iter().map(|(rank, _)| rank).collect();
    let teams: Vec<Vec<Rank>> = teams.into_iter().map(ranks).collect();
    let grid = instance.grid();
    Draft::moving(instance, pieces, exchange, |builder| {
        deal(builder, &teams);
        match all_gather {
            AllGather::Rings(first) => bucket::all_gather(builder, first.lines(grid), false),
            AllGather::Halving => builder.halve(&[line::bisection(grid)]),
            AllGather::Dissemination => circulant::all_gather(builder, &[line::bisection(grid)], 2),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MachineSpec;

    fn instance(machine: &str, sources: &[Rank], lengths: &[u64]) -> Instance {
        let machine: MachineSpec = machine.parse().unwrap();
        Instance::new(&machine, sources, lengths).unwrap()
    }

    #[test]
    fn excess_bytes_go_to_the_first_deficit() {
        // 21 bytes, at most 4 per node. Node 1 has 8 excess bytes, of which nodes 0, 2 and 3 get 4, 3 and 1; node 5 has one.
        let instance = instance("line:6", &[1, 2, 5, 4], &[12, 1, 5, 3]);
        let line = line::bisection(instance.grid());
        assert_eq!(line, [0, 1, 2, 3, 4, 5]);
        assert_eq!(
            teams(&instance),
            [vec![(1, 4), (0, 4), (2, 3), (3, 1)], vec![(2, 1)], vec![(5, 4), (3, 1)], vec![(4, 3)]]
        );
    }

    #[test]
    fn no_node_keeps_more_than_the_mean() {
        for element in [1, 8] {
            let lengths: Vec<u64> = (0..9).map(|source| source * source % 7 * 100 * element).collect();
            let instance =
                instance("paragon:3x5", &[14, 3, 0, 7, 8, 2, 11, 5, 12], &lengths).with_elements_of(element);
            let mut held = [0; 15];
            for (team, &length) in teams(&instance).iter().zip(&lengths) {
                assert_eq!(team.iter().map(|&(_, bytes)| bytes).sum::<u64>(), length);
                assert!(team[1..].iter().all(|&(_, bytes)| bytes > 0 && bytes % element == 0), "{team:?}");
                team.iter().for_each(|&(rank, bytes)| held[rank] += bytes);
            }
            assert_eq!(held.into_iter().max(), Some(mean(&instance)));
        }
    }

    /// More than half of the nodes have a message, so *Split* is not allowed. In rings without load balancing, all nodes wait for the nodes
    /// with the most bytes.
    #[test]
    fn level_is_the_fastest_for_long_messages() {
        let instance = instance("hockney:4x4", &(0..11).collect::<Vec<Rank>>(), &[65_536; 11]);
        let time = |algorithm: Algorithm| Some(algorithm.plan(&instance).ok()?.prediction().modeled);
        let level = time(Algorithm::LEVEL).unwrap();
        let alternatives = Algorithm::BEYOND.iter().chain(Algorithm::PAPER).cloned().filter_map(time).min();
        assert!(
            level.as_secs_f64() < 0.9 * alternatives.unwrap().as_secs_f64(),
            "{level} and {alternatives:?}"
        );
        assert_eq!(Algorithm::AUTO.plan(&instance).unwrap().algorithm(), &Algorithm::LEVEL);
    }

    #[test]
    fn nothing_is_moved_between_equal_loads() {
        let all = instance("line:4", &[0, 1, 2, 3], &[5; 4]);
        assert_eq!(
            Algorithm::LEVEL.check(&all).unwrap_err().to_string(),
            "`level` does not apply to this s-to-p broadcast: it needs a message longer than the mean number of bytes per node (here: no message longer than 5 bytes, the mean in whole elements)"
        );
        assert_eq!(Algorithm::LEVEL.check(&instance("line:4", &[0, 1, 2], &[5; 3])), Ok(()));
    }
}
