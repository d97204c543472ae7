//! The choice of intermediaries, which minimizes the load of the busiest link or port.
//!
//! Bytes occupy *places*: links, out-ports and in-ports. The load of a place is the time that it needs for its bytes. The objective is a
//! high norm of the loads, which is close to the maximum and decreases if any load decreases. Message by message, slices are moved from the
//! path of highest cost to the path of lowest cost, as long as the norm decreases. The cost of a path is the growth of the norm per byte.
//! (L. Fratta, M. Gerla, L. Kleinrock, "The flow deviation method", Networks 3, 1973.) When no slice can be moved any more, or after a
//! number of sweeps, the search repeats with a higher norm. Starting with the highest norm would end in a local minimum.
//!
//! Powers are repeated products, so that every host finds the same result.

use super::super::super::{
    Instance,
    rounds::{Part, parts, paths::Paths},
};
use crate::{random::RandomNumbers, rank::Rank};

/// Maximum ratio of link time to port time at which no link counts as congested.
const CONGESTION_THRESHOLD: f64 = 1.05;

/// Numbers of squarings that give the exponents of the norms: 16 to 128.
const NORM_SQUARINGS: std::ops::RangeInclusive<u32> = 4..=7;

/// Maximum number of passes over all messages with each norm.
const SWEEPS: usize = 10;

/// Approximate maximum number of links on all candidate paths together.
const MAX_LINKS: usize = 2_000_000;

/// All candidate paths of all messages, and the loads of the network.
pub(super) struct Congestion {
    pub(super) layout: Layout,
    /// Seconds per byte at each place. For ports, the value applies if both directions are busy.
    pub(super) times: Vec<f64>,
    pub(super) port: f64,
    pub(super) messages: Vec<Message>,
    /// The intermediary of each path, and the start of its places.
    pub(super) via: Vec<Option<Rank>>,
    starts: Vec<usize>,
    places: Vec<u32>,
    loads: Vec<f64>,
    /// Growth of the norm's power per byte at each place.
    costs: Vec<f64>,
    /// Unit of loads, which keeps powers in the range of `f64`.
    unit: f64,
    doublings: u32,
}

/// A message and the paths of its slices.
pub(super) struct Message {
    pub(super) from: Rank,
    pub(super) to: Rank,
    pub(super) bytes: u64,
    pub(super) slices: u64,
    /// The candidate paths.
    candidate_paths: std::ops::Range<usize>,
    /// The paths in use, each with its number of slices.
    pub(super) used: Vec<(usize, u64)>,
}

/// Numbering of the places: links, out-ports, in-ports.
pub(super) struct Layout {
    instance: Instance,
    pub(super) links: usize,
    pub(super) nodes: usize,
}

impl Layout {
    pub(super) fn links(&self, places: &mut Vec<u32>, from: Rank, to: Rank) {
        let members = self.instance.members();
        let mut route = Vec::new();
        self.instance.machine().topology().route(members[from], members[to], &mut route);
        places.extend(route.into_iter().map(|link| link as u32));
    }

    pub(super) fn ports(&self, from: Rank, to: Rank) -> [usize; 2] {
        [self.links + from, self.links + self.nodes + to]
    }

    fn places(&self, places: &mut Vec<u32>, from: Rank, to: Rank) {
        self.links(places, from, to);
        places.extend(self.ports(from, to).map(|port| port as u32));
    }
}

/// Returns the time that each link needs for direct messages, and the time of the busiest port. `None` if no link needs more than
/// `CONGESTION_THRESHOLD` times as long as that port.
fn link_times_if_congested(instance: &Instance, paths: &Paths) -> Option<(Vec<f64>, f64)> {
    if paths.links_never_limit() {
        return None;
    }
    let matrix = instance.matrix();
    let mut links = vec![0.0; paths.capacity.len()];
    for part in parts(matrix) {
        for &link in paths.path(&part) {
            links[link as usize] += part.bytes as f64 / paths.capacity[link as usize];
        }
    }
    let slowest = links.iter().copied().fold(0.0, f64::max);
    let ports = matrix.without_own().traffic() as f64 / paths.room;
    (slowest > CONGESTION_THRESHOLD * ports).then_some((links, ports))
}

impl Congestion {
    /// Creates the initial state: all slices, of at most `slice` bytes, are on their direct paths. Adds candidate detours.
    pub(super) fn new(instance: &Instance, paths: &Paths, slice: u64) -> Congestion {
        let (nodes, links, port) = (instance.size(), paths.capacity.len(), 1.0 / paths.room);
        let mut times: Vec<f64> = paths.capacity.iter().map(|capacity| 1.0 / capacity).collect();
        times.extend(vec![port; 2 * nodes]);
        let mut congestion = Congestion {
            layout: Layout { instance: instance.clone(), links, nodes },
            port,
            messages: Vec::new(),
            via: Vec::new(),
            starts: vec![0],
            places: Vec::new(),
            loads: vec![0.0; times.len()],
            costs: vec![0.0; times.len()],
            times,
            unit: 1.0,
            doublings: 0,
        };
        let messages: Vec<Part> = parts(instance.matrix()).collect();
        let congested_links = link_times_if_congested(instance, paths);
        // Messages of up to half a slice take no detours, which would not pay off.
        let is_congested = |part: &Part| {
            let Some((links, ports)) = congested_links.as_ref().filter(|_| 2 * part.bytes > slice) else {
                return false;
            };
            paths.path(part).iter().any(|&link| links[link as usize] > *ports)
        };
        let some = messages.iter().filter(|message| is_congested(message)).count();
        let candidates = MAX_LINKS / (2 * some * (paths.total_links() / messages.len().max(1) + 2)).max(1);
        let mut random = RandomNumbers::new(0);
        for message in messages {
            let Part { from, to, bytes } = message;
            let first = congestion.via.len();
            congestion.add(from, None, to);
            if is_congested(&message) {
                let is_other = |&via: &Rank| via != from && via != to;
                let mut add = |via: Rank| congestion.add(from, Some(via), to);
                match candidates >= nodes {
                    true => (0..nodes).filter(is_other).for_each(&mut add),
                    false => (0..candidates).map(|_| random.below(nodes)).filter(is_other).for_each(&mut add),
                }
            }
            let candidate_paths = first..congestion.via.len();
            congestion.add_load(first, bytes as f64);
            let slices = bytes.div_ceil(slice);
            congestion.messages.push(Message {
                from,
                to,
                bytes,
                slices,
                candidate_paths,
                used: vec![(first, slices)],
            });
        }
        congestion
    }

    /// Adds a candidate path, direct or through `via`.
    fn add(&mut self, from: Rank, via: Option<Rank>, to: Rank) {
        let between = via.unwrap_or(to);
        self.layout.places(&mut self.places, from, between);
        if between != to {
            self.layout.places(&mut self.places, between, to);
        }
        self.starts.push(self.places.len());
        self.via.push(via);
    }

    /// Chooses the intermediaries by moving slices between the candidate paths, with one norm after the other.
    pub(super) fn choose_intermediaries(&mut self) {
        for doublings in NORM_SQUARINGS {
            self.doublings = doublings;
            for _ in 0..SWEEPS {
                self.unit = self.time().max(f64::MIN_POSITIVE);
                for place in 0..self.loads.len() {
                    self.costs[place] = self.power(self.loads[place]).0 * self.times[place];
                }
                let moved = (0..self.messages.len()).filter(|&nth| self.improve(nth)).count();
                if moved == 0 {
                    break;
                }
            }
        }
    }

    /// Returns an upper bound on the number of links that a slice crosses in one hop.
    pub(super) fn max_hop_links(&self) -> usize {
        (1..self.starts.len()).map(|path| self.starts[path] - self.starts[path - 1]).max().unwrap_or(0)
    }

    /// Returns the largest load.
    fn time(&self) -> f64 {
        self.loads.iter().copied().fold(0.0, f64::max)
    }

    /// Moves slices of a message to its cheapest path. Returns whether any slice was moved.
    fn improve(&mut self, nth: usize) -> bool {
        let Message { bytes, slices, ref candidate_paths, .. } = self.messages[nth];
        if candidate_paths.len() == 1 {
            return false;
        }
        let slice = bytes as f64 / slices as f64;
        let mut best = (f64::INFINITY, candidate_paths.start);
        for path in candidate_paths.clone() {
            let cost = self.cost(path);
            if cost < best.0 {
                best = (cost, path);
            }
        }
        let best = best.1;
        let mut is_moved = false;
        loop {
            let used = self.messages[nth].used.iter().enumerate().filter(|(_, (path, _))| *path != best);
            let costs = used.map(|(place, &(path, _))| (self.cost(path), place, path));
            let Some((_, place, worst)) = costs.max_by(|one, other| one.0.total_cmp(&other.0)) else { break };
            let change = self.add_load(worst, -slice) + self.add_load(best, slice);
            // A smaller improvement may be a rounding error.
            if change > -1e-12 {
                self.add_load(best, -slice);
                self.add_load(worst, slice);
                break;
            }
            is_moved = true;
            let used = &mut self.messages[nth].used;
            used[place].1 -= 1;
            if used[place].1 == 0 {
                used.remove(place);
            }
            match used.iter_mut().find(|(path, _)| *path == best) {
                Some((_, slices)) => *slices += 1,
                None => used.push((best, 1)),
            }
        }
        is_moved
    }

    /// Returns the growth of the norm's power per byte on a path.
    fn cost(&self, path: usize) -> f64 {
        let places = &self.places[self.starts[path]..self.starts[path + 1]];
        places.iter().map(|&place| self.costs[place as usize]).sum()
    }

    /// Adds `bytes` bytes to a path, and returns the growth of the norm's power.
    fn add_load(&mut self, path: usize, bytes: f64) -> f64 {
        let mut growth = 0.0;
        for place in self.starts[path]..self.starts[path + 1] {
            let place = self.places[place] as usize;
            let (_, before) = self.power(self.loads[place]);
            self.loads[place] += bytes * self.times[place];
            let (slope, after) = self.power(self.loads[place]);
            self.costs[place] = slope * self.times[place];
            growth += after - before;
        }
        growth
    }

    /// Returns the load to the power of the norm's exponent minus one, and the load to the power of the exponent.
    fn power(&self, load: f64) -> (f64, f64) {
        let base = (load / self.unit).max(0.0);
        let power = (0..self.doublings).fold(base, |power, _| power * power);
        (if base > 0.0 { power / base } else { 0.0 }, power)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        all_to_all::Matrix,
        model::{MachineSpec, Parameters},
        topology,
    };

    fn spread(instance: &Instance, slice: u64) -> [Congestion; 2] {
        let new = || Congestion::new(instance, &Paths::of(instance), slice);
        let mut spread = new();
        spread.choose_intermediaries();
        [new(), spread]
    }

    fn transpose(side: usize, bytes: u64) -> Matrix {
        Matrix::of(side * side, |from, to| {
            if from != to && (from / side, from % side) == (to % side, to / side) { bytes } else { 0 }
        })
        .unwrap()
    }

    /// Fifteen messages turn at a corner, and a link carries eight at port speed. With detours ports are at least 1.12 times as busy: a
    /// link to node (r, r) carries 15 - r messages, and the excess over its capacity is detoured through the 256 nodes.
    #[test]
    fn detours_around_the_diagonal_of_a_transpose_cost_a_seventh() {
        let machine: MachineSpec = "paragon:16x16".parse().unwrap();
        let instance = Instance::new(&machine, transpose(16, 4_000_000)).unwrap();
        let [straight, spread] = spread(&instance, 31_250);
        let ports = 4_000_000.0 * straight.port;
        assert!((1.88..1.90).contains(&(straight.time() / ports)), "{}", straight.time() / ports);
        assert!((1.11..1.16).contains(&(spread.time() / ports)), "{}", spread.time() / ports);
    }

    /// The load of every place is the sum over the slices that use it, forwarded slices included.
    #[test]
    fn loads_are_those_of_all_legs() {
        let parameters = Parameters::builder().duplex(1.5).build().unwrap();
        let machine = MachineSpec::new("mesh", topology::parse("mesh:5x5").unwrap(), parameters);
        let instance = Instance::new(&machine, transpose(5, 100_000)).unwrap();
        let [_, spread] = spread(&instance, 10_000);
        let mut loads = vec![0.0; spread.times.len()];
        let mut detours = 0;
        for message in &spread.messages {
            assert_eq!(message.used.iter().map(|&(_, slices)| slices).sum::<u64>(), message.slices);
            for &(path, slices) in &message.used {
                let via = spread.via[path];
                let legs = match via {
                    None => vec![[message.from, message.to]],
                    Some(via) => vec![[message.from, via], [via, message.to]],
                };
                detours += via.map_or(0, |_| slices);
                let bytes = (message.bytes * slices / message.slices) as f64;
                for [from, to] in legs {
                    let mut places = Vec::new();
                    spread.layout.links(&mut places, from, to);
                    places.extend(
                        [spread.layout.links + from, spread.layout.links + 25 + to].map(|port| port as u32),
                    );
                    for place in places {
                        loads[place as usize] += bytes * spread.times[place as usize];
                    }
                }
            }
        }
        assert!(detours > 0);
        for (one, other) in loads.iter().zip(&spread.loads) {
            assert!((one - other).abs() <= 1e-9 * spread.time(), "{one} {other}");
        }
    }

    /// Four nodes, each with a message for the opposite one, on fast links: no detours.
    #[test]
    fn without_congested_links_all_messages_are_direct() {
        let machine: MachineSpec = "hockney:2x2".parse().unwrap();
        let instance =
            Instance::new(&machine, Matrix::of(4, |from, to| u64::from(from + to == 3)).unwrap()).unwrap();
        let [_, spread] = spread(&instance, 1);
        assert!(spread.via.iter().all(Option::is_none));
    }
}
