//! Rounds mixed with each other, so that no link has more to carry than the ports let through anyway.
//!
//! Take two rounds, and draw a line from each sender to its receiver in either: this makes paths and rings in which the
//! lines belong to the two rounds in turn (C. Berge, "Two theorems in graph theory", PNAS 43(9), 1957). In each of them
//! the rounds can be exchanged without harm to the rest. This is done wherever it makes the two rounds together
//! shorter. The length of a round is estimated by the 16-norm of what each link and each port needs for its bytes,
//! which is close to the largest of these and goes down with any of them.

use super::{super::Instance, Part, paths::Paths};

/// A round is not made better if its links need no longer than its ports, or this little longer.
const SLACK: f64 = 1.02;

/// The number of times that all rounds are looked at.
const SWEEPS: usize = 3;

/// The most other rounds with which a round is mixed.
const MOST_PARTNERS: usize = 24;

/// The most links of messages that are looked at for each message, and in any case: a tenth of a second on a host for 60,000
/// messages. Where links are too narrow for the whole exchange rounds stay crowded however they are mixed.
const MOST_LOOKS: usize = 100;
const LEAST_LOOKS: usize = 6_000_000;

/// The same messages in as many rounds; `None` if there is nothing to be made better.
pub(crate) fn rounds(
    instance: &Instance,
    paths: &Paths,
    mut rounds: Vec<Vec<Part>>,
) -> Option<Vec<Vec<Part>>> {
    if paths.are_wide() {
        return None;
    }
    let mut loads: Vec<Load> = rounds.iter().map(|round| Load::of(paths, round)).collect();
    let messages: usize = rounds.iter().map(Vec::len).sum();
    let (mut is_changed, mut looks, most_looks) = (false, 0, LEAST_LOOKS.max(MOST_LOOKS * messages));
    let count = rounds.len();
    // A round that has helped another one may be crowded itself.
    for crowded in (0..SWEEPS).flat_map(|_| 0..count) {
        if !loads[crowded].is_crowded() {
            continue;
        }
        if looks > most_looks {
            break;
        }
        let mut partners: Vec<usize> = (0..count).filter(|&other| other != crowded).collect();
        // Those with the most room where this one has the least.
        let narrow = loads[crowded].narrowest;
        partners.sort_by(|&one, &other| loads[one].links[narrow].total_cmp(&loads[other].links[narrow]));
        for &partner in partners.iter().take(MOST_PARTNERS) {
            is_changed |= mix(instance.size(), paths, &mut rounds, &mut loads, [crowded, partner]);
            let links = |round: usize| rounds[round].iter().map(|part| paths.path(part).len()).sum::<usize>();
            looks += 2 * (links(crowded) + links(partner));
            if !loads[crowded].is_crowded() {
                break;
            }
        }
    }
    is_changed.then_some(rounds)
}

/// Load of the network in a round.
#[derive(Clone)]
struct Load {
    /// The time that each link needs for its bytes.
    links: Vec<f64>,
    /// The link that needs the longest, the first of several.
    narrowest: usize,
    /// The time of the longest message.
    longest: f64,
}

impl Load {
    fn of(paths: &Paths, round: &[Part]) -> Load {
        let mut load = Load { links: vec![0.0; paths.capacity.len()], narrowest: 0, longest: 0.0 };
        round.iter().for_each(|part| load.add(paths, part, 1.0));
        load.look(paths, round);
        load
    }

    fn add(&mut self, paths: &Paths, part: &Part, times: f64) {
        for &link in paths.path(part) {
            let link = link as usize;
            self.links[link] += times * part.bytes as f64 / paths.capacity[link];
        }
    }

    fn look(&mut self, paths: &Paths, round: &[Part]) {
        self.longest = round.iter().map(|part| paths.time(part)).fold(0.0, f64::max);
        let links = &self.links;
        self.narrowest =
            (0..links.len()).rev().max_by(|&one, &other| links[one].total_cmp(&links[other])).unwrap_or(0);
    }

    fn is_crowded(&self) -> bool {
        self.links.get(self.narrowest).is_some_and(|&time| time > SLACK * self.longest)
    }
}

/// Exchanges two rounds along some of the paths and rings that they make, and returns whether there were any.
fn mix(nodes: usize, paths: &Paths, rounds: &mut [Vec<Part>], loads: &mut [Load], pair: [usize; 2]) -> bool {
    // Of each of the two rounds, the part that each rank sends, and the sender to each.
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
        // All senders that are tied to this one by common receivers.
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
        loads[pair[side]].look(paths, &rounds[pair[side]]);
    }
    is_changed
}

/// Cost of two rounds together.
struct Costs {
    loads: [Load; 2],
    /// The unit of all times, with which powers stay numbers.
    unit: f64,
    /// The sum of the 16th powers of each round.
    powers: [f64; 2],
}

/// The 16th power: by multiplication, which is the same on every host, as everybody must plan alike.
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

    /// Exchanges some parts of the two rounds if that makes them shorter.
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

    /// Moves the first parts from the first round to the second one, and the second ones back.
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
        exchange::{Matrix, rounds::permutation},
        model::{Description, Parameters},
        topology,
    };

    /// On a CM-5 of 32 nodes ten of each half can send over the top at full speed; in 16 rounds of the linear
    /// permutation all 16 want to.
    #[test]
    fn no_round_crowds_the_top_of_a_fat_tree() {
        let parameters = Parameters::builder().beta(125e-9).build().unwrap();
        let machine = Description::new("cm5", topology::parse("fat-tree:32").unwrap(), parameters);
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
