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

/// The most links of messages that are looked at: a quarter of a second on a host. Where links are too narrow for the
/// whole exchange rounds stay crowded however they are mixed.
const MOST_LOOKS: usize = 16_000_000;

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
    let mut mixer = Mixer::new(instance.size(), paths);
    let mut is_changed = false;
    let count = rounds.len();
    // A round that has helped another one may be crowded itself.
    for crowded in (0..SWEEPS).flat_map(|_| 0..count) {
        if !loads[crowded].is_crowded() {
            continue;
        }
        // Those with the most room where this one has the least.
        let narrow = loads[crowded].narrowest;
        let others = (0..count).filter(|&other| other != crowded);
        let mut partners: Vec<(u64, usize)> =
            others.map(|other| (loads[other].links[narrow], other)).collect();
        if partners.len() > MOST_PARTNERS {
            partners.select_nth_unstable(MOST_PARTNERS);
            partners.truncate(MOST_PARTNERS);
        }
        partners.sort_unstable();
        for (_, partner) in partners {
            if mixer.looks > MOST_LOOKS {
                return is_changed.then_some(rounds);
            }
            is_changed |= mixer.mix(&mut rounds, &mut loads, [crowded, partner]);
            if !loads[crowded].is_crowded() {
                break;
            }
        }
    }
    is_changed.then_some(rounds)
}

/// Load of the network in a round.
struct Load {
    /// The bytes that each link carries.
    links: Vec<u64>,
    /// The link that needs the longest, the first of several.
    narrowest: usize,
    /// The time that it needs.
    narrow: f64,
    /// The time of the longest message.
    longest: f64,
}

impl Load {
    fn of(paths: &Paths, round: &[Part]) -> Load {
        let mut load = Load { links: vec![0; paths.capacity.len()], narrowest: 0, narrow: 0.0, longest: 0.0 };
        for part in round {
            paths.path(part).iter().for_each(|&link| load.links[link as usize] += part.bytes);
        }
        load.look(paths, round);
        load
    }

    fn look(&mut self, paths: &Paths, round: &[Part]) {
        self.longest = round.iter().map(|part| paths.time(part)).fold(0.0, f64::max);
        (self.narrowest, self.narrow) = (0, 0.0);
        for (link, (&bytes, capacity)) in self.links.iter().zip(&paths.capacity).enumerate() {
            let time = bytes as f64 / capacity;
            if time > self.narrow {
                (self.narrowest, self.narrow) = (link, time);
            }
        }
    }

    fn is_crowded(&self) -> bool {
        self.narrow > SLACK * self.longest
    }
}

/// The 16th power: by multiplication, which is the same on every host, as everybody must plan alike.
fn power(time: f64) -> f64 {
    (0..4).fold(time.max(0.0), |power, _| power * power)
}

fn root(power: f64) -> f64 {
    (0..4).fold(power.max(0.0), |root, _| root.sqrt())
}

/// What is needed to mix two rounds.
struct Mixer<'a> {
    nodes: usize,
    paths: &'a Paths,
    /// The time that a byte takes on each link.
    per_byte: Vec<f64>,
    /// For each link the bytes that an exchange takes from the first round and gives to the second one; 0 between exchanges.
    moved: Vec<i64>,
    /// The links that an exchange touches, some of them twice.
    touched: Vec<u32>,
    /// The number of links of all parts that have been looked at.
    looks: usize,
}

impl<'a> Mixer<'a> {
    fn new(nodes: usize, paths: &'a Paths) -> Mixer<'a> {
        let per_byte: Vec<f64> = paths.capacity.iter().map(|capacity| 1.0 / capacity).collect();
        Mixer { nodes, paths, moved: vec![0; per_byte.len()], per_byte, touched: Vec::new(), looks: 0 }
    }

    /// Exchanges two rounds along some of the paths and rings that they make, and returns whether there were any.
    fn mix(&mut self, rounds: &mut [Vec<Part>], loads: &mut [Load], pair: [usize; 2]) -> bool {
        let nodes = self.nodes;
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
        let mut costs = self.costs(rounds, loads, pair);
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
            let parts = |side: usize| tied.iter().filter_map(|&from| sent[side][from]).collect::<Vec<Part>>();
            if self.exchange(&mut costs, loads, pair, &[parts(0), parts(1)]) {
                is_changed = true;
                for &from in &tied {
                    let (one, other) = (sent[0][from], sent[1][from]);
                    (sent[0][from], sent[1][from]) = (other, one);
                }
            }
        }
        if is_changed {
            for side in 0..2 {
                rounds[pair[side]] = sent[side].iter().copied().flatten().collect();
                loads[pair[side]].look(self.paths, &rounds[pair[side]]);
            }
        }
        is_changed
    }

    fn costs(&self, rounds: &[Vec<Part>], loads: &[Load], pair: [usize; 2]) -> Costs {
        let time = |round: usize| loads[round].narrow.max(loads[round].longest);
        let unit = time(pair[0]).max(time(pair[1])).max(f64::MIN_POSITIVE);
        let powers = pair.map(|round| {
            let links =
                loads[round].links.iter().zip(&self.per_byte).map(|(&bytes, time)| bytes as f64 * time);
            let ports = rounds[round].iter().map(|part| self.paths.time(part));
            links.chain(ports).map(|time| power(time / unit)).sum()
        });
        Costs { unit, powers }
    }

    /// Exchanges some parts of the two rounds if that makes them shorter.
    fn exchange(
        &mut self,
        costs: &mut Costs,
        loads: &mut [Load],
        pair: [usize; 2],
        parts: &[Vec<Part>; 2],
    ) -> bool {
        let mut powers = costs.powers;
        for (side, parts) in parts.iter().enumerate() {
            let sign = 1 - 2 * side as i64;
            for part in parts {
                let port = power(self.paths.time(part) / costs.unit);
                powers[side] -= port;
                powers[1 - side] += port;
                for &link in self.paths.path(part) {
                    let moved = &mut self.moved[link as usize];
                    if *moved == 0 {
                        self.touched.push(link);
                    }
                    *moved += sign * part.bytes as i64;
                }
                self.looks += self.paths.path(part).len();
            }
        }
        // Where a link is here for the second time nothing is moved any more.
        let mut changes = Vec::with_capacity(self.touched.len());
        for link in self.touched.drain(..) {
            let moved = std::mem::take(&mut self.moved[link as usize]);
            if moved == 0 {
                continue;
            }
            changes.push((link as usize, moved));
            for (side, moved) in [-moved, moved].into_iter().enumerate() {
                let before = loads[pair[side]].links[link as usize];
                let time = |bytes: u64| power(bytes as f64 * self.per_byte[link as usize] / costs.unit);
                powers[side] += time(before.saturating_add_signed(moved)) - time(before);
            }
        }
        if cost(powers) >= costs.cost() * (1.0 - 1e-9) {
            return false;
        }
        for (link, moved) in changes {
            for (side, moved) in [-moved, moved].into_iter().enumerate() {
                let bytes = &mut loads[pair[side]].links[link];
                *bytes = bytes.saturating_add_signed(moved);
            }
        }
        costs.powers = powers;
        true
    }
}

/// Cost of two rounds together.
struct Costs {
    /// The unit of all times, with which powers stay numbers.
    unit: f64,
    /// The sum of the 16th powers of each round.
    powers: [f64; 2],
}

impl Costs {
    fn cost(&self) -> f64 {
        cost(self.powers)
    }
}

fn cost(powers: [f64; 2]) -> f64 {
    powers.into_iter().map(root).sum()
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
