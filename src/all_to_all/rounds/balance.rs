//! Load balancing of rounds over the links: pairs of rounds are recombined, so that in each round the links need no longer than the
//! ports.
//!
//! Draw an edge from each sender to its receiver in either of two rounds. The edges form paths and cycles on which the two rounds alternate
//! (C. Berge, "Two theorems in graph theory", PNAS 43(9), 1957). On each path or cycle the rounds can be swapped without affecting the
//! rest. A swap is kept if it shortens the two rounds together. The length of a round is estimated by the 16-norm of the times that each
//! link and each message needs for its bytes. This norm is close to the maximum, and decreases if any of the times decreases.

use super::{super::Instance, Part, paths::Paths};

/// Maximum ratio of link time to port time at which a round needs no balancing.
const SLACK: f64 = 1.02;

/// Number of passes over all rounds.
const SWEEPS: usize = 3;

/// Maximum number of other rounds that a round is recombined with.
const MAX_PARTNERS: usize = 24;

/// Limit on inspected links: the larger of `INSPECTIONS_PER_MESSAGE` per message and `MIN_INSPECTION_LIMIT` in all. For 60,000 messages this takes a
/// tenth of a second of host time. The limit matters if links are too slow for the whole exchange: then rounds stay congested however they
/// are recombined.
const INSPECTIONS_PER_MESSAGE: usize = 100;
const MIN_INSPECTION_LIMIT: usize = 6_000_000;

/// Returns the same messages in the same number of rounds, balanced; `None` if no swap improves them.
pub(crate) fn rounds(
    instance: &Instance,
    paths: &Paths,
    mut rounds: Vec<Vec<Part>>,
) -> Option<Vec<Vec<Part>>> {
    if paths.links_never_limit() {
        return None;
    }
    let mut loads: Vec<Load> = rounds.iter().map(|round| Load::of(paths, round)).collect();
    let messages: usize = rounds.iter().map(Vec::len).sum();
    let (mut is_changed, mut inspections, max_inspections) =
        (false, 0, MIN_INSPECTION_LIMIT.max(INSPECTIONS_PER_MESSAGE * messages));
    let count = rounds.len();
    // Several passes: a round that has relieved another round may be congested itself.
    for congested in (0..SWEEPS).flat_map(|_| 0..count) {
        if !loads[congested].is_congested() {
            continue;
        }
        if inspections > max_inspections {
            break;
        }
        let mut partners: Vec<usize> = (0..count).filter(|&other| other != congested).collect();
        // Partners with the least load on the slowest link of this round come first.
        let narrow = loads[congested].narrowest;
        partners.sort_by(|&one, &other| loads[one].links[narrow].total_cmp(&loads[other].links[narrow]));
        for &partner in partners.iter().take(MAX_PARTNERS) {
            is_changed |= recombine(instance.size(), paths, &mut rounds, &mut loads, [congested, partner]);
            let links = |round: usize| rounds[round].iter().map(|part| paths.path(part).len()).sum::<usize>();
            inspections += 2 * (links(congested) + links(partner));
            if !loads[congested].is_congested() {
                break;
            }
        }
    }
    is_changed.then_some(rounds)
}

/// Load of the network in a round.
#[derive(Clone)]
struct Load {
    /// Seconds that each link needs for its bytes.
    links: Vec<f64>,
    /// The link with the longest time; the first one if several are equal.
    narrowest: usize,
    /// Time of the longest message in seconds.
    longest: f64,
}

impl Load {
    fn of(paths: &Paths, round: &[Part]) -> Load {
        let mut load = Load { links: vec![0.0; paths.capacity.len()], narrowest: 0, longest: 0.0 };
        round.iter().for_each(|part| load.add(paths, part, 1.0));
        load.update_extremes(paths, round);
        load
    }

    fn add(&mut self, paths: &Paths, part: &Part, times: f64) {
        for &link in paths.path(part) {
            let link = link as usize;
            self.links[link] += times * part.bytes as f64 / paths.capacity[link];
        }
    }

    fn update_extremes(&mut self, paths: &Paths, round: &[Part]) {
        self.longest = round.iter().map(|part| paths.time(part)).fold(0.0, f64::max);
        let links = &self.links;
        self.narrowest =
            (0..links.len()).rev().max_by(|&one, &other| links[one].total_cmp(&links[other])).unwrap_or(0);
    }

    fn is_congested(&self) -> bool {
        self.links.get(self.narrowest).is_some_and(|&time| time > SLACK * self.longest)
    }
}

/// Swaps two rounds along paths and cycles where a swap shortens them. Returns whether any swap was made.
fn recombine(
    nodes: usize,
    paths: &Paths,
    rounds: &mut [Vec<Part>],
    loads: &mut [Load],
    pair: [usize; 2],
) -> bool {
    // For each of the two rounds: the part that each rank sends, and the sender to each rank.
    let mut sent = [vec![None; nodes], vec![None; nodes]];
    let mut sender = [vec![None; nodes], vec![None; nodes]];
    for side in 0..2 {
        for part in &rounds[pair[side]] {
            sent[side][part.from] = Some(*part);
            sender[side][part.to] = Some(part.from);
        }
    }
    let mut is_seen = vec![false; nodes];
    let mut is_changed = false;
    let mut costs = Costs::new(paths, rounds, loads, pair);
    for start in 0..nodes {
        if is_seen[start] || (sent[0][start].is_none() && sent[1][start].is_none()) {
            continue;
        }
        // `tied`: all senders connected to `start` through common receivers.
        let (mut tied, mut next) = (vec![start], 0);
        is_seen[start] = true;
        while let Some(&from) = tied.get(next) {
            next += 1;
            for side in 0..2 {
                let Some(part): Option<Part> = sent[side][from] else { continue };
                if let Some(other) = sender[1 - side][part.to]
                    && !std::mem::replace(&mut is_seen[other], true)
                {
                    tied.push(other);
                }
            }
        }
        let of = |side: usize| -> Vec<Part> { tied.iter().filter_map(|&from| sent[side][from]).collect() };
        let parts = [of(0), of(1)];
        if costs.exchange(paths, &parts) {
            is_changed = true;
            for &from in &tied {
                let (one, other) = (sent[0][from], sent[1][from]);
                (sent[0][from], sent[1][from]) = (other, one);
            }
        }
    }
    let [one, other] = costs.loads;
    (loads[pair[0]], loads[pair[1]]) = (one, other);
    for side in 0..2 {
        rounds[pair[side]] = sent[side].iter().copied().flatten().collect();
        loads[pair[side]].update_extremes(paths, &rounds[pair[side]]);
    }
    is_changed
}

/// Loads and cost of two rounds between which messages are swapped.
struct Costs {
    loads: [Load; 2],
    /// Time unit that keeps the 16th powers in the range of `f64`.
    unit: f64,
    /// For each round, the sum of the 16th powers of the times of its links and ports, in units of `unit`.
    powers: [f64; 2],
}

/// Returns the 16th power. Multiplication gives the same result on every host, which is necessary because all members must make the same
/// plan.
fn power(time: f64) -> f64 {
    (0..4).fold(time.max(0.0), |power, _| power * power)
}

fn root(power: f64) -> f64 {
    (0..4).fold(power.max(0.0), |root, _| root.sqrt())
}

impl Costs {
    fn new(paths: &Paths, rounds: &[Vec<Part>], loads: &[Load], pair: [usize; 2]) -> Costs {
        let loads = pair.map(|round| loads[round].clone());
        let time = |load: &Load| load.links.get(load.narrowest).copied().unwrap_or(0.0).max(load.longest);
        let unit = time(&loads[0]).max(time(&loads[1])).max(f64::MIN_POSITIVE);
        let mut costs = Costs { loads, unit, powers: [0.0; 2] };
        for side in 0..2 {
            let links = costs.loads[side].links.iter().copied();
            let ports = rounds[pair[side]].iter().map(|part| paths.time(part));
            costs.powers[side] = links.chain(ports).map(|time| power(time / unit)).sum();
        }
        costs
    }

    /// Swaps parts of the two rounds, and keeps the swap if it shortens them. Returns whether the swap was kept.
    fn exchange(&mut self, paths: &Paths, parts: &[Vec<Part>; 2]) -> bool {
        let before = self.cost();
        let kept = self.powers;
        self.swap(paths, parts);
        if self.cost() < before * (1.0 - 1e-9) {
            return true;
        }
        self.swap(paths, &[parts[1].clone(), parts[0].clone()]);
        self.powers = kept;
        false
    }

    fn cost(&self) -> f64 {
        self.powers.iter().map(|&power| root(power)).sum()
    }

    /// Moves `parts[0]` from the first round to the second, and `parts[1]` from the second to the first.
    fn swap(&mut self, paths: &Paths, parts: &[Vec<Part>; 2]) {
        for (side, parts) in parts.iter().enumerate() {
            for part in parts {
                self.change(paths, part, side, -1.0);
                self.change(paths, part, 1 - side, 1.0);
            }
        }
    }

    fn change(&mut self, paths: &Paths, part: &Part, side: usize, times: f64) {
        let unit = self.unit;
        let port = power(paths.time(part) / unit);
        self.powers[side] += times * port;
        for &link in paths.path(part) {
            let link = link as usize;
            let load = &mut self.loads[side].links[link];
            self.powers[side] -= power(*load / unit);
            *load += times * part.bytes as f64 / paths.capacity[link];
            self.powers[side] += power(*load / unit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        all_to_all::{Matrix, rounds::permutation},
        model::{MachineSpec, Parameters},
        topology,
    };

    /// In a CM-5 of 32 nodes, ten nodes of each half can send over the top at full speed. In 16 rounds of linear permutation all 16 nodes
    /// of a half do so.
    #[test]
    fn no_round_overloads_the_top_of_a_fat_tree() {
        let parameters = Parameters::builder().beta(125e-9).build().unwrap();
        let machine = MachineSpec::new("cm5", topology::parse("fat-tree:32").unwrap(), parameters);
        let instance = Instance::new(&machine, Matrix::of(32, |_, _| 1000).unwrap()).unwrap();
        let paths = Paths::of(&instance);
        let linear = permutation::rounds(instance.matrix());
        let crossing = |round: &[Part]| round.iter().filter(|part| part.from < 16 && part.to >= 16).count();
        assert_eq!(linear.iter().filter(|round| crossing(round) == 16).count(), 16);
        let balanced = rounds(&instance, &paths, linear.clone()).unwrap();
        assert_eq!(balanced.len(), 31);
        assert!(balanced.iter().all(|round| round.len() == 32 && crossing(round) <= 10));
        let sorted = |rounds: Vec<Vec<Part>>| {
            let mut all: Vec<Part> = rounds.concat();
            all.sort_unstable();
            all
        };
        assert_eq!(sorted(balanced.clone()), sorted(linear));
        for round in balanced {
            let distinct = |mut ends: Vec<usize>| {
                ends.sort_unstable();
                ends.dedup();
                ends.len()
            };
            assert_eq!(distinct(round.iter().map(|part| part.from).collect()), 32);
            assert_eq!(distinct(round.iter().map(|part| part.to).collect()), 32);
        }
    }
}
