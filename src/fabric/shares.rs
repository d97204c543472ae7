//! Max-min fair shares, updated incrementally rather than computed anew.
//!
//! A *resource* is anything with a capacity that flows share: a directed link, an in-port, or, where a node is less
//! than full duplex, its two ports together. An out-port carries one flow at a time, so it is no resource but the
//! *limit* of its flow. The allocation is that of progressive filling: raise all rates together; when a resource is
//! full, freeze its flows; go on with the rest. It is the unique allocation in which every flow runs at its limit or
//! has a *bottleneck*: a resource on its path that is full and on which no flow is faster.
//!
//! That condition is local, and so is the update. When flows start and end, only those flows are re-filled that
//! started or had their bottleneck at a resource that changed; all others keep their rates, which are subtracted from
//! the capacities first. Then the condition is checked where anything changed: a kept flow whose bottleneck is no
//! longer full, or which is no longer (or should no longer be) among the fastest there, joins the flows to re-fill,
//! until no flow does. In a large machine with flows everywhere this touches about ten flows per event instead of
//! all.
//!
//! The order in which rates are added to and taken from what is free on a resource decides their last bits, these decide
//! which of two nearly simultaneous ends comes first, and that decides the end of a run in a crowded network. So all rounds of
//! an update are carried out flow by flow, in this order; only what has no effect on a rate is left out.

use std::{cmp::Reverse, collections::BinaryHeap};

use smallvec::SmallVec;

/// The relative difference below which rates and loads count as the same.
const SAME: f64 = 1e-11;
/// In place of a bottleneck: the flow runs at its limit.
const NONE: u32 = u32::MAX;
/// In place of a bottleneck, during a filling: the flow is chosen and has no rate yet.
const OPEN: u32 = u32::MAX - 1;

/// The flows that cross a resource. Most resources have a few, and a large network has very many resources. Where the flow is
/// in this list is kept nowhere: to look for it costs less than it takes to share out the resource again.
type Members = SmallVec<[u32; 4]>;

/// The share of a flow. It is apart from its path: what looks at all members of a resource needs nothing else.
#[derive(Clone, Copy, Debug)]
struct Flow {
    rate: f64,
    /// The bottleneck, a resource, or one of `NONE` and `OPEN`.
    bottleneck: u32,
    /// The update in which this flow was last chosen to be re-filled.
    chosen: u32,
}

/// What fillings change in a resource. All else is apart from it, so that the resources on a path fill few lines of the
/// host's cache.
#[derive(Clone, Copy, Debug)]
struct Resource {
    /// The capacity not used by its members; during a filling, not used by those that have a rate.
    free: f64,
    /// During a filling: the number of members that are chosen and have no rate yet.
    open: u32,
    number: u32,
}

/// The amount of work of the updates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Work {
    /// The number of flows that started or ended.
    pub events: u64,
    /// The number of flows whose rate was computed again.
    pub touched: u64,
}

/// The shares of all flows under way.
#[derive(Debug)]
pub(super) struct Shares {
    /// The rate that its own out-port allows a flow.
    limit: f64,
    resources: Vec<Resource>,
    capacities: Vec<f64>,
    /// The flows that cross each resource.
    members: Vec<Members>,
    /// For each resource the number of members that have their bottleneck there.
    bound: Vec<u32>,
    flows: Vec<Flow>,
    /// The resources on the path of each flow, each once.
    paths: Vec<Vec<u32>>,
    /// Whether any resource has no finite capacity.
    has_unlimited: bool,
    /// Resources on the paths of flows that started or ended since the last update, or with another capacity.
    changed: Vec<u32>,
    /// The number of flows under way.
    under_way: usize,
    /// Flows that started since then, or cross a resource with another capacity.
    started: Vec<u32>,
    /// The number of the current update.
    epoch: u32,
    // Buffers, kept between updates only to reuse their memory.
    chosen: Vec<u32>,
    old_rates: Vec<f64>,
    /// The resources of the chosen flows, each once, where the first of its flows comes to it.
    touched: Vec<u32>,
    /// For each chosen flow the end of its part of `touched`.
    ends: Vec<usize>,
    levels: Vec<Level>,
    risen: BinaryHeap<Reverse<Level>>,
    work: Work,
}

impl Shares {
    /// Creates shares without flows under way and without resources; no flow will be faster than `limit`.
    pub(super) fn new(limit: f64, flows: usize) -> Shares {
        Shares {
            limit,
            resources: Vec::new(),
            capacities: Vec::new(),
            members: Vec::new(),
            bound: Vec::new(),
            flows: vec![Flow { rate: 0.0, bottleneck: NONE, chosen: 0 }; flows],
            paths: vec![Vec::new(); flows],
            has_unlimited: false,
            changed: Vec::new(),
            under_way: 0,
            started: Vec::new(),
            epoch: 0,
            chosen: Vec::new(),
            old_rates: Vec::new(),
            touched: Vec::new(),
            ends: Vec::new(),
            levels: Vec::new(),
            risen: BinaryHeap::new(),
            work: Work::default(),
        }
    }

    /// Adds a resource, of a capacity in bytes per second that is positive and may be infinite. Paths refer to it by
    /// its index in the order of addition, but the shares do not depend on that order: of two resources that are full
    /// at the same rate, the one of the lower `number` goes first. Each resource has its own number.
    pub(super) fn add(&mut self, number: u32, capacity: f64) {
        self.bound.push(0);
        self.has_unlimited |= capacity.is_infinite();
        self.capacities.push(capacity);
        self.members.push(Members::new());
        self.resources.push(Resource { free: capacity, open: 0, number });
    }

    pub(super) fn work(&self) -> Work {
        self.work
    }

    /// The flows that the last update has shared out again, each with its rate and the number of its bottleneck, if it
    /// has one.
    pub(super) fn shared_out(&self) -> impl Iterator<Item = (u32, f64, Option<u32>)> {
        self.chosen.iter().map(|&flow| {
            let Flow { rate, bottleneck, .. } = self.flows[flow as usize];
            (flow, rate, (bottleneck != NONE).then(|| self.resources[bottleneck as usize].number))
        })
    }

    #[cfg(test)]
    pub(super) fn rate(&self, flow: u32) -> f64 {
        self.flows[flow as usize].rate
    }

    /// The resources on the path of `flow`.
    pub(super) fn path(&self, flow: u32) -> &[u32] {
        &self.paths[flow as usize]
    }

    /// Changes the capacity of a resource, which is finite; its flows are shared out again.
    pub(super) fn set_capacity(&mut self, resource: u32, capacity: f64) {
        let (state, members) = (&mut self.resources[resource as usize], &self.members[resource as usize]);
        state.free += capacity - self.capacities[resource as usize];
        self.capacities[resource as usize] = capacity;
        if members.is_empty() {
            state.free = capacity;
            return;
        }
        // Also those that had no bottleneck here, for it may be one now.
        self.started.extend(members.iter());
        self.changed.push(resource);
    }

    /// Whether flows have started or ended since the last [`Shares::update`].
    pub(super) fn is_stale(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Adds a flow whose path is written by `fill`; resources without a finite capacity are left out of it. Returns
    /// whether anything is left that bounds the flow; then its rate is known after the next update.
    pub(super) fn start(&mut self, flow: u32, fill: impl FnOnce(&mut Vec<u32>)) -> bool {
        let path = &mut self.paths[flow as usize];
        debug_assert!(path.is_empty(), "flow {flow} is under way already");
        fill(path);
        if self.has_unlimited {
            path.retain(|resource| self.capacities[*resource as usize].is_finite());
        }
        if path.is_empty() {
            return false;
        }
        let state = &mut self.flows[flow as usize];
        (state.rate, state.bottleneck) = (0.0, NONE);
        path.iter().for_each(|&resource| self.members[resource as usize].push(flow));
        self.changed.extend_from_slice(path);
        self.started.push(flow);
        self.under_way += 1;
        self.work.events += 1;
        true
    }

    /// Ends a flow; the next update shares out its capacity again.
    pub(super) fn end(&mut self, flow: u32) {
        let path = &mut self.paths[flow as usize];
        let Flow { rate, bottleneck, .. } = self.flows[flow as usize];
        if bottleneck != NONE {
            self.bound[bottleneck as usize] -= 1;
        }
        for &r in path.iter() {
            let (resource, members) = (&mut self.resources[r as usize], &mut self.members[r as usize]);
            if let Some(at) = members.iter().position(|&member| member == flow) {
                members.swap_remove(at);
            }
            // An empty resource is reset to its capacity, which removes rounding errors.
            resource.free =
                if members.is_empty() { self.capacities[r as usize] } else { resource.free + rate };
        }
        self.changed.extend_from_slice(path);
        path.clear();
        self.under_way -= 1;
        self.work.events += 1;
    }

    /// Makes the rates max-min fair again and calls `changed(flow, old, new)` for each flow whose rate has changed.
    pub(super) fn update(&mut self, mut changed: impl FnMut(u32, f64, f64)) {
        self.choose_first();
        let mut checked = 0;
        loop {
            self.lift();
            self.list_levels();
            self.fill();
            // Resources that were checked before the new flows joined have to be checked again: their rates may
            // differ.
            let before = self.chosen.len();
            self.check();
            if self.chosen.len() == before {
                break;
            }
            checked += 1;
            debug_assert!(checked <= self.flows.len(), "every round but the last adds a flow");
        }
        self.work.touched += self.chosen.len() as u64;
        for (&flow, &old) in self.chosen.iter().zip(&self.old_rates) {
            let new = self.flows[flow as usize].rate;
            // A difference by rounding alone does not move the flow's end.
            if !same(old, new) {
                changed(flow, old, new);
            }
        }
        self.changed.clear();
        self.started.clear();
    }

    /// Chooses the flows that started and the flows whose bottleneck is a resource that changed.
    fn choose_first(&mut self) {
        self.next_epoch();
        self.chosen.clear();
        self.old_rates.clear();
        for i in 0..self.started.len() {
            self.choose(self.started[i]);
        }
        for i in 0..self.changed.len() {
            let r = self.changed[i];
            if self.bound[r as usize] == 0 {
                continue;
            }
            for m in 0..self.members[r as usize].len() {
                let flow = self.members[r as usize][m];
                if self.flows[flow as usize].bottleneck == r {
                    self.choose(flow);
                }
            }
        }
    }

    fn choose(&mut self, flow: u32) {
        let state = &mut self.flows[flow as usize];
        if state.chosen != self.epoch && !self.paths[flow as usize].is_empty() {
            state.chosen = self.epoch;
            self.chosen.push(flow);
            self.old_rates.push(state.rate);
        }
    }

    /// Takes the chosen flows off their resources, and lists these.
    fn lift(&mut self) {
        let Shares { resources, bound, flows, paths, chosen, touched, ends, .. } = self;
        ends.clear();
        let mut end = 0;
        for &flow in chosen.iter() {
            let state = &mut flows[flow as usize];
            let bottleneck = std::mem::replace(&mut state.bottleneck, OPEN);
            if bottleneck != NONE {
                bound[bottleneck as usize] -= 1;
            }
            let path = &paths[flow as usize];
            // Whether a resource is new to the list cannot be foreseen, so it is written in any case, without a branch.
            touched.resize(end + path.len(), 0);
            for &r in path {
                let resource = &mut resources[r as usize];
                touched[end] = r;
                end += usize::from(resource.open == 0);
                resource.free += state.rate;
                resource.open += 1;
            }
            ends.push(end);
        }
        touched.truncate(end);
    }

    /// Lists, in order, the levels of the resources that may be the bottleneck of a chosen flow.
    ///
    /// A level only rises: a resource with room for all flows at the limit is no bottleneck. And where only one of the
    /// chosen flows crosses a resource, its level stays until that flow has its rate: of several of these, the first one
    /// alone can be the bottleneck. In a large network most resources are of this kind.
    fn list_levels(&mut self) {
        let Shares { limit, resources, touched, ends, levels, .. } = self;
        let (mut begin, mut listed) = (0, 0);
        for &end in ends.iter() {
            levels.resize(listed + end - begin + 1, Level(0));
            // The level of the resource that this flow alone crosses.
            let mut alone = Level::new(*limit, 0, 0);
            for &r in &touched[begin..end] {
                let resource = &resources[r as usize];
                let share = equal_share(resource);
                let level = Level::new(share, resource.number, r);
                if resource.open == 1 {
                    alone = alone.min(level);
                }
                levels[listed] = level;
                listed += usize::from(resource.open > 1 && share < *limit);
            }
            levels[listed] = alone;
            listed += usize::from(alone.share() < *limit);
            begin = end;
        }
        levels.truncate(listed);
        levels.sort_unstable();
    }

    /// Progressive filling of the chosen flows with the capacity that the other flows leave.
    fn fill(&mut self) {
        let Shares { limit, resources, bound, members, flows, paths, chosen, levels, risen, .. } = self;
        let mut left = chosen.len();
        let mut sorted = levels.iter().copied().peekable();
        // Once all of them have their rates, the other levels are of no account.
        while left > 0 {
            let from_risen = match (sorted.peek(), risen.peek()) {
                (None, None) => break,
                (Some(first), Some(Reverse(second))) => second < first,
                (first, _) => first.is_none(),
            };
            let next = if from_risen { risen.pop().map(|Reverse(next)| next) } else { sorted.next() };
            let Some(next) = next else { break };
            let r = next.resource();
            let resource = &resources[r as usize];
            if resource.open == 0 {
                continue;
            }
            let share = equal_share(resource);
            if share > next.share() {
                // Some of its flows were frozen elsewhere at lower rates: its level has risen.
                if share < *limit {
                    risen.push(Reverse(Level::new(share, resource.number, r)));
                }
                continue;
            }
            let before = left;
            for &flow in &members[r as usize] {
                let state = &mut flows[flow as usize];
                if state.bottleneck == OPEN {
                    (state.rate, state.bottleneck) = (share, r);
                    take(&paths[flow as usize], share, resources);
                    left -= 1;
                }
            }
            bound[r as usize] += (before - left) as u32;
        }
        risen.clear();
        for &flow in chosen.iter() {
            let state = &mut flows[flow as usize];
            if state.bottleneck == OPEN {
                (state.rate, state.bottleneck) = (*limit, NONE);
                take(&paths[flow as usize], *limit, resources);
            }
        }
    }

    /// Chooses further flows: kept flows for which the condition of their bottleneck fails now.
    fn check(&mut self) {
        if self.chosen.len() == self.under_way {
            return;
        }
        for i in 0..self.touched.len() {
            self.check_resource(self.touched[i]);
        }
        for i in 0..self.changed.len() {
            self.check_resource(self.changed[i]);
        }
    }

    fn check_resource(&mut self, r: u32) {
        if self.bound[r as usize] == 0 {
            return;
        }
        // The rate of the fastest of all flows, and of the fastest kept one; the rates at the bottleneck, of chosen and of
        // kept flows.
        let (mut fastest, mut fastest_kept) = (0.0_f64, 0.0_f64);
        let (mut level, mut slowest_bound) = (f64::INFINITY, f64::INFINITY);
        for &member in &self.members[r as usize] {
            let flow = &self.flows[member as usize];
            fastest = fastest.max(flow.rate);
            let (is_bound, is_kept) = (flow.bottleneck == r, flow.chosen != self.epoch);
            if is_kept {
                fastest_kept = fastest_kept.max(flow.rate);
            }
            match (is_bound, is_kept) {
                (true, true) => slowest_bound = slowest_bound.min(flow.rate),
                (true, false) => level = flow.rate,
                _ => {}
            }
        }
        let is_full = self.resources[r as usize].free <= self.capacities[r as usize] * SAME;
        let too_fast = level * (1.0 + SAME);
        // Kept flows that have their bottleneck here and are slower than this have none any more.
        let too_slow = if is_full { fastest * (1.0 - SAME) } else { f64::INFINITY };
        if fastest_kept <= too_fast && slowest_bound >= too_slow {
            return;
        }
        for m in 0..self.members[r as usize].len() {
            let flow = self.members[r as usize][m];
            let state = &self.flows[flow as usize];
            if state.chosen == self.epoch {
                continue;
            }
            if state.rate > too_fast || (state.bottleneck == r && state.rate < too_slow) {
                self.choose(flow);
            }
        }
    }

    /// Sets a new number for an update; the marks are cleared in the rare case that the numbers run out.
    fn next_epoch(&mut self) {
        if self.epoch == u32::MAX {
            self.epoch = 0;
            self.flows.iter_mut().for_each(|flow| flow.chosen = 0);
        }
        self.epoch += 1;
    }
}

/// Takes the rate of a flow from what is free on its way.
fn take(path: &[u32], rate: f64, resources: &mut [Resource]) {
    for &r in path {
        let resource = &mut resources[r as usize];
        resource.free -= rate;
        resource.open -= 1;
    }
}

/// The equal share of each open flow of a resource.
fn equal_share(resource: &Resource) -> f64 {
    resource.free.max(0.0) / f64::from(resource.open)
}

/// The rate at which a resource is full, and its number and index: ordered by the rate, then by the number. It is one
/// integer because sorting these is a large part of the work, and one integer is compared faster than three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Level(u128);

impl Level {
    fn new(share: f64, number: u32, resource: u32) -> Level {
        // Non-negative floats are ordered like their bits.
        Level(u128::from(share.to_bits()) << 64 | u128::from(number) << 32 | u128::from(resource))
    }

    fn share(self) -> f64 {
        f64::from_bits((self.0 >> 64) as u64)
    }

    fn resource(self) -> u32 {
        self.0 as u32
    }
}

/// Whether two rates or loads differ by rounding alone.
pub(super) fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * a.abs().min(b.abs())
}

#[cfg(test)]
#[path = "shares_tests.rs"]
mod tests;
