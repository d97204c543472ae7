//! A lower bound on the time of broadcasts, by linear programming.
//!
//! **Method.** A linear programme determines how much of each message goes down which tree. It has a variable for every tree of every
//! source; the parts of a message sum to 1, no resource takes longer than `T`, and `T` is minimized. The dual programme gives every
//! resource a price, with prices that sum to 1, and maximizes the cost of all messages when each goes down its cheapest tree. Any prices
//! thus give a lower bound. There are far too many trees to enumerate, so the simplex method uses column generation: it works on the trees
//! found so far and asks for the [cheapest tree](super::arborescence) under the current prices. If no tree is cheaper than the known trees,
//! the solution is optimal. The prices of the first steps oscillate, so every second request averages them with the best prices so far
//! (smoothing).
//!
//! **Cost.** With `m` resources and `s` sources `O((m + s)^2)` per step, and `O(s p^2)` per set of prices. The search ends after a fixed
//! amount of work, with the best prices so far.
//!
//! **Source.** L. R. Ford, D. R. Fulkerson, "A suggested computation for maximal multi-commodity network flows", Management Science 5,
//! 1958, for column generation, there with paths; P. Wentges, "Weighted Dantzig-Wolfe decomposition for linear mixed-integer programming",
//! International Transactions in Operational Research 4, 1997, for the smoothing.

use super::{Network, arborescence::cheapest};
use crate::rank::Rank;

/// A generated tree (a column of the linear programme).
struct Column {
    source: usize,
    /// The time for which the whole message would occupy each resource, in units of the scale.
    loads: Vec<f64>,
}

/// Maximum ratio of the time of the known trees to the lower bound at which the search ends.
const CONVERGED: f64 = 1.0005;

/// The amount of work after which the search ends. A simplex step counts the square of the number of equations; a set of prices counts its
/// tree requests.
const MAX_WORK: usize = 16_000_000;

/// Returns a lower bound in seconds on any broadcast of messages of these sizes, without start-ups.
pub(crate) fn broadcast_lower_bound(network: &Network, sources: &[(Rank, u64)]) -> f64 {
    // Empty messages need no time.
    let sources: Vec<(Rank, u64)> = sources.iter().copied().filter(|&(_, bytes)| bytes > 0).collect();
    if network.nodes() < 2 || network.resources() == 0 || sources.is_empty() {
        return 0.0;
    }
    // With this many equations the first steps would already exceed the work limit.
    if (network.resources() + sources.len()).pow(2) > MAX_WORK / 4 {
        return 0.0;
    }
    let mut search = Search::new(network, &sources);
    search.run();
    let time = search.bound * search.scale;
    // An infinite time (a link without bandwidth) gives no bound.
    if time.is_finite() { time } else { 0.0 }
}

struct Search<'a> {
    network: &'a Network,
    sources: &'a [(Rank, u64)],
    /// The number of seconds per unit.
    scale: f64,
    columns: Vec<Column>,
    master: Master,
    bound: f64,
    best: Vec<f64>,
    /// The total number of resource entries over all pairs.
    uses: usize,
    work: usize,
}

impl<'a> Search<'a> {
    fn new(network: &'a Network, sources: &'a [(Rank, u64)]) -> Search<'a> {
        let resources = network.resources();
        let even = vec![1.0 / resources.max(1) as f64; resources];
        let mut search = Search {
            network,
            sources,
            scale: 1.0,
            columns: Vec::new(),
            master: Master::new(resources, sources.len()),
            bound: 0.0,
            best: even.clone(),
            uses: network.uses(),
            work: 0,
        };
        let costs = network.costs(&even);
        let first: Vec<Column> =
            (0..sources.len()).map(|source| search.tree(source, &even, &costs).0).collect();
        let mut loads = vec![0.0; resources];
        for column in &first {
            loads.iter_mut().zip(&column.loads).for_each(|(load, more)| *load += more);
        }
        let busiest = loads.iter().copied().fold(0.0, f64::max);
        search.scale = if busiest > 0.0 { busiest } else { 1.0 };
        for mut column in first {
            column.loads.iter_mut().for_each(|load| *load /= search.scale);
            search.master.start(&column);
            search.columns.push(column);
        }
        search.master.start_time();
        search
    }

    /// Returns the cheapest tree of a source under these prices, and its cost. `costs` are the edge costs that result from the prices.
    fn tree(&mut self, source: usize, prices: &[f64], costs: &[f64]) -> (Column, f64) {
        let (root, bytes) = self.sources[source];
        let nodes = self.network.nodes();
        self.work += nodes * nodes * 16;
        let parents = cheapest(nodes, root, costs);
        let mut loads = vec![0.0; self.network.resources()];
        let amount = bytes as f64 / self.scale;
        for (to, &from) in parents.iter().enumerate().filter(|&(to, &from)| to != from) {
            for &(resource, seconds) in self.network.pair(from, to) {
                loads[resource as usize] += seconds * amount;
            }
        }
        let cost = loads.iter().zip(prices).map(|(load, price)| load * price).sum();
        (Column { source, loads }, cost)
    }

    fn run(&mut self) {
        let mut is_direct = true;
        while self.work < MAX_WORK {
            self.settle();
            let (prices, costs) = self.master.prices();
            let mut smoothed: Vec<f64> = prices.iter().map(|price| price.max(0.0)).collect();
            let whole: f64 = smoothed.iter().sum();
            smoothed.iter_mut().for_each(|price| *price /= whole);
            if !is_direct {
                smoothed.iter_mut().zip(&self.best).for_each(|(one, best)| *one = 0.5 * (*one + best));
            }
            let of_edges = self.network.costs(&smoothed);
            self.work += self.uses;
            let mut total = 0.0;
            let mut found = false;
            for (source, known) in costs.iter().enumerate() {
                let (column, cost) = self.tree(source, &smoothed, &of_edges);
                total += cost;
                let here: f64 = column.loads.iter().zip(&prices).map(|(load, price)| load * price).sum();
                if here < known - 1e-9 {
                    found = true;
                    self.columns.push(column);
                }
            }
            if total > self.bound {
                self.bound = total;
                self.best = smoothed;
            }
            if self.master.time() <= CONVERGED * self.bound || is_direct && !found {
                break;
            }
            is_direct = !found;
        }
    }

    /// Performs simplex steps until no known tree reduces the time.
    fn settle(&mut self) {
        while self.work < MAX_WORK {
            let (prices, costs) = self.master.prices();
            let gain = |column: &Column| {
                costs[column.source]
                    - column.loads.iter().zip(&prices).map(|(load, price)| load * price).sum::<f64>()
            };
            self.work += self.columns.len() * self.network.resources() / 4;
            let gains = self.columns.iter().map(gain).enumerate();
            let best = gains.max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)));
            let slack = (0..prices.len()).min_by(|&one, &other| prices[one].total_cmp(&prices[other]));
            let slack = slack.filter(|&resource| prices[resource] < -1e-9);
            let entered = match (slack, best) {
                (Some(resource), _) => self.master.enter_slack(resource),
                (None, Some((nth, gain))) if gain > 1e-9 => self.master.enter(&self.columns[nth]),
                _ => return,
            };
            self.work += self.master.size * self.master.size;
            if !entered {
                return;
            }
        }
    }
}

/// The equations: for each resource `loads + slack - time = 0`, with slightly perturbed right-hand sides to avoid degeneracy; for each
/// source `parts = 1`.
struct Master {
    resources: usize,
    size: usize,
    inverse: Vec<f64>,
    values: Vec<f64>,
    time_row: usize,
}

impl Master {
    fn new(resources: usize, sources: usize) -> Master {
        let size = resources + sources;
        let mut inverse = vec![0.0; size * size];
        (0..size).for_each(|row| inverse[row * size + row] = 1.0);
        let perturbation = |row: usize| 1e-7 * ((row * 7919 % 1009) as f64 / 1009.0);
        let values = (0..size).map(|row| if row < resources { perturbation(row) } else { 1.0 }).collect();
        Master { resources, size, inverse, values, time_row: 0 }
    }

    /// Adds the first tree of a source to the basis, while the slacks of all resources are still basic.
    fn start(&mut self, column: &Column) {
        let of_source = self.resources + column.source;
        for (row, load) in column.loads.iter().enumerate() {
            self.inverse[row * self.size + of_source] = -load;
            self.values[row] -= load;
        }
    }

    /// Adds the time to the basis, when each source has a tree.
    fn start_time(&mut self) {
        let mut direction = vec![0.0; self.size];
        for (row, along) in direction.iter_mut().enumerate() {
            let columns = &self.inverse[row * self.size..row * self.size + self.resources];
            *along = -columns.iter().sum::<f64>();
        }
        // The slacks are the negated loads so far; the smallest slack belongs to the busiest resource.
        let busiest =
            (0..self.resources).min_by(|&one, &other| self.values[one].total_cmp(&self.values[other]));
        if let Some(row) = busiest {
            self.time_row = row;
            self.pivot(row, &direction);
        }
    }

    /// Returns the prices of the resources, and the cost of each message down its basic trees.
    fn prices(&self) -> (Vec<f64>, Vec<f64>) {
        let row = &self.inverse[self.time_row * self.size..(self.time_row + 1) * self.size];
        let (resources, sources) = row.split_at(self.resources);
        (resources.iter().map(|price| -price).collect(), sources.to_vec())
    }

    fn time(&self) -> f64 {
        self.values[self.time_row]
    }

    fn direction(&self, column: &Column) -> Vec<f64> {
        let of_source = self.resources + column.source;
        self.inverse
            .chunks(self.size)
            .map(|row| {
                row[of_source] + row.iter().zip(&column.loads).map(|(entry, load)| entry * load).sum::<f64>()
            })
            .collect()
    }

    fn enter(&mut self, column: &Column) -> bool {
        let direction = self.direction(column);
        self.enter_along(&direction)
    }

    fn enter_slack(&mut self, resource: usize) -> bool {
        let direction: Vec<f64> = self.inverse.chunks(self.size).map(|row| row[resource]).collect();
        self.enter_along(&direction)
    }

    fn enter_along(&mut self, direction: &[f64]) -> bool {
        let mut leaving: Option<(usize, f64)> = None;
        for (row, &along) in direction.iter().enumerate() {
            if along > 1e-9 && row != self.time_row {
                let most = self.values[row].max(0.0) / along;
                // Among ties of the ratio test, the largest pivot element is numerically the most stable.
                if leaving.is_none_or(|(best, least)| {
                    most < least - 1e-12 || most < least + 1e-12 && along > direction[best]
                }) {
                    leaving = Some((row, most));
                }
            }
        }
        let Some((row, _)) = leaving else { return false };
        self.pivot(row, direction);
        true
    }

    fn pivot(&mut self, row: usize, direction: &[f64]) {
        let size = self.size;
        let along = direction[row];
        let pivot: Vec<f64> =
            self.inverse[row * size..(row + 1) * size].iter().map(|entry| entry / along).collect();
        let amount = self.values[row] / along;
        for (other, &factor) in direction.iter().enumerate() {
            if other == row || factor == 0.0 {
                continue;
            }
            let entries = &mut self.inverse[other * size..(other + 1) * size];
            entries.iter_mut().zip(&pivot).for_each(|(entry, by)| *entry -= factor * by);
            self.values[other] -= factor * amount;
        }
        self.inverse[row * size..(row + 1) * size].copy_from_slice(&pivot);
        self.values[row] = amount;
    }
}
