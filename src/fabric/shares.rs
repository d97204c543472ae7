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

use std::{cmp::Reverse, collections::BinaryHeap};

/// The relative difference below which rates and loads count as the same.
const SAME: f64 = 1e-11;
const NONE: u32 = u32::MAX;

/// One flow on one resource: the flow, and the resource's place on the flow's path.
#[derive(Clone, Copy, Debug)]
struct Member {
    flow: u32,
    hop: u32,
}

#[derive(Debug, Default)]
struct Flow {
    /// The resources on the path, each once.
    path: Vec<u32>,
    /// For each resource of `path` the index of the flow among its members.
    slots: Vec<u32>,
    rate: f64,
    /// The bottleneck, a resource, or `NONE` if the flow runs at its limit.
    bottleneck: u32,
    /// The update in which this flow was last chosen to be re-filled.
    chosen: u32,
    /// The update in which this flow last got its rate at a bottleneck.
    filled: u32,
}

#[derive(Debug)]
struct Resource {
    capacity: f64,
    /// The capacity not used by its members; during a filling, not used by those that have a rate.
    free: f64,
    members: Vec<Member>,
    /// The number of members that have their bottleneck here.
    bound: u32,
    /// During a filling: the number of members that are chosen and have no rate yet.
    open: u32,
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
    /// The number of each resource.
    numbers: Vec<u32>,
    flows: Vec<Flow>,
    /// Resources on the paths of flows that started or ended since the last update, or with another capacity.
    changed: Vec<u32>,
    /// Flows that started since then, or cross a resource with another capacity.
    started: Vec<u32>,
    /// The number of the current update.
    epoch: u32,
    // Buffers, kept between updates only to reuse their memory.
    chosen: Vec<u32>,
    touched: Vec<u32>,
    levels: Vec<Level>,
    risen: BinaryHeap<Reverse<Level>>,
    old_rates: Vec<f64>,
    work: Work,
}

impl Shares {
    /// Creates shares without flows under way and without resources; no flow will be faster than `limit`.
    pub(super) fn new(limit: f64, flows: usize) -> Shares {
        Shares {
            limit,
            resources: Vec::new(),
            numbers: Vec::new(),
            flows: (0..flows).map(|_| Flow { bottleneck: NONE, ..Flow::default() }).collect(),
            changed: Vec::new(),
            started: Vec::new(),
            epoch: 0,
            chosen: Vec::new(),
            touched: Vec::new(),
            levels: Vec::new(),
            risen: BinaryHeap::new(),
            old_rates: Vec::new(),
            work: Work::default(),
        }
    }

    /// Adds a resource, of a capacity in bytes per second that is positive and may be infinite. Paths refer to it by
    /// its index in the order of addition, but the shares do not depend on that order: of two resources that are full
    /// at the same rate, the one of the lower `number` goes first. Each resource has its own number.
    pub(super) fn add(&mut self, number: u32, capacity: f64) {
        self.numbers.push(number);
        self.resources.push(Resource { capacity, free: capacity, members: Vec::new(), bound: 0, open: 0 });
    }

    pub(super) fn work(&self) -> Work {
        self.work
    }

    /// The flows that the last update has shared out again, each with its rate and the number of its bottleneck, if it
    /// has one.
    pub(super) fn shared_out(&self) -> impl Iterator<Item = (u32, f64, Option<u32>)> {
        self.chosen.iter().map(|&flow| {
            let Flow { rate, bottleneck, .. } = self.flows[flow as usize];
            (flow, rate, (bottleneck != NONE).then(|| self.numbers[bottleneck as usize]))
        })
    }

    #[cfg(test)]
    pub(super) fn rate(&self, flow: u32) -> f64 {
        self.flows[flow as usize].rate
    }

    /// The resources on the path of `flow`.
    pub(super) fn path(&self, flow: u32) -> &[u32] {
        &self.flows[flow as usize].path
    }

    /// Changes the capacity of a resource, which is finite; its flows are shared out again.
    pub(super) fn set_capacity(&mut self, resource: u32, capacity: f64) {
        let state = &mut self.resources[resource as usize];
        state.free += capacity - state.capacity;
        state.capacity = capacity;
        if state.members.is_empty() {
            state.free = capacity;
            return;
        }
        // Also those that had no bottleneck here, for it may be one now.
        self.started.extend(state.members.iter().map(|member| member.flow));
        self.changed.push(resource);
    }

    /// Whether flows have started or ended since the last [`Shares::update`].
    pub(super) fn is_stale(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Adds a flow whose path is written by `fill`; resources without a finite capacity are left out of it. Returns
    /// whether anything is left that bounds the flow; then its rate is known after the next update.
    pub(super) fn start(&mut self, flow: u32, fill: impl FnOnce(&mut Vec<u32>)) -> bool {
        let state = &mut self.flows[flow as usize];
        debug_assert!(state.path.is_empty(), "flow {flow} is under way already");
        fill(&mut state.path);
        state.path.retain(|&resource| self.resources[resource as usize].capacity.is_finite());
        if state.path.is_empty() {
            return false;
        }
        (state.rate, state.bottleneck) = (0.0, NONE);
        for (hop, &resource) in state.path.iter().enumerate() {
            let members = &mut self.resources[resource as usize].members;
            state.slots.push(members.len() as u32);
            members.push(Member { flow, hop: hop as u32 });
        }
        self.changed.extend_from_slice(&state.path);
        self.started.push(flow);
        self.work.events += 1;
        true
    }

    /// Ends a flow; the next update shares out its capacity again.
    pub(super) fn end(&mut self, flow: u32) {
        let mut path = std::mem::take(&mut self.flows[flow as usize].path);
        let mut slots = std::mem::take(&mut self.flows[flow as usize].slots);
        let Flow { rate, bottleneck, .. } = self.flows[flow as usize];
        if bottleneck != NONE {
            self.resources[bottleneck as usize].bound -= 1;
        }
        for (&r, &slot) in path.iter().zip(&slots) {
            let resource = &mut self.resources[r as usize];
            resource.members.swap_remove(slot as usize);
            // An empty resource is reset to its capacity, which removes rounding errors.
            resource.free =
                if resource.members.is_empty() { resource.capacity } else { resource.free + rate };
            if let Some(moved) = resource.members.get(slot as usize) {
                self.flows[moved.flow as usize].slots[moved.hop as usize] = slot;
            }
        }
        self.changed.extend_from_slice(&path);
        path.clear();
        slots.clear();
        let state = &mut self.flows[flow as usize];
        (state.path, state.slots) = (path, slots);
        self.work.events += 1;
    }

    /// Makes the rates max-min fair again and calls `changed(flow, old, new)` for each flow whose rate has changed.
    pub(super) fn update(&mut self, mut changed: impl FnMut(u32, f64, f64)) {
        self.choose_first();
        let mut checked = 0;
        loop {
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
            let resource = self.changed[i];
            if self.resources[resource as usize].bound == 0 {
                continue;
            }
            for m in 0..self.resources[resource as usize].members.len() {
                let flow = self.resources[resource as usize].members[m].flow;
                if self.flows[flow as usize].bottleneck == resource {
                    self.choose(flow);
                }
            }
        }
    }

    fn choose(&mut self, flow: u32) {
        let state = &mut self.flows[flow as usize];
        if state.chosen != self.epoch && !state.path.is_empty() {
            state.chosen = self.epoch;
            self.chosen.push(flow);
            self.old_rates.push(state.rate);
        }
    }

    /// Progressive filling of the chosen flows with the capacity that the other flows leave.
    fn fill(&mut self) {
        let Shares { limit, resources, numbers, flows, chosen, touched, levels, risen, epoch, .. } = self;
        touched.clear();
        for &flow in chosen.iter() {
            let state = &mut flows[flow as usize];
            state.filled = 0;
            if state.bottleneck != NONE {
                resources[state.bottleneck as usize].bound -= 1;
                state.bottleneck = NONE;
            }
            for &r in &state.path {
                let resource = &mut resources[r as usize];
                resource.free += state.rate;
                if resource.open == 0 {
                    touched.push(r);
                }
                resource.open += 1;
            }
        }
        levels.clear();
        for &r in touched.iter() {
            // A level only rises: a resource with room for all flows at the limit is no bottleneck.
            let share = equal_share(&resources[r as usize]);
            if share < *limit {
                levels.push(Level::new(share, numbers[r as usize], r));
            }
        }
        levels.sort_unstable();
        let mut sorted = levels.iter().copied().peekable();
        loop {
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
                    risen.push(Reverse(Level::new(share, numbers[r as usize], r)));
                }
                continue;
            }
            for m in 0..resources[r as usize].members.len() {
                let flow = resources[r as usize].members[m].flow;
                let state = &mut flows[flow as usize];
                if state.chosen == *epoch && state.filled != *epoch {
                    freeze(state, share, resources);
                    (state.bottleneck, state.filled) = (r, *epoch);
                    resources[r as usize].bound += 1;
                }
            }
        }
        for &flow in chosen.iter() {
            let state = &mut flows[flow as usize];
            if state.filled != *epoch {
                freeze(state, *limit, resources);
            }
        }
    }

    /// Chooses further flows: kept flows for which the condition of their bottleneck fails now.
    fn check(&mut self) {
        for i in 0..self.touched.len() {
            self.check_resource(self.touched[i]);
        }
        for i in 0..self.changed.len() {
            self.check_resource(self.changed[i]);
        }
    }

    fn check_resource(&mut self, r: u32) {
        let resource = &self.resources[r as usize];
        if resource.bound == 0 {
            return;
        }
        let (mut fastest, mut level) = (0.0_f64, f64::INFINITY);
        for member in &resource.members {
            let flow = &self.flows[member.flow as usize];
            fastest = fastest.max(flow.rate);
            if flow.bottleneck == r && flow.chosen == self.epoch {
                level = flow.rate;
            }
        }
        let full = resource.free <= resource.capacity * SAME;
        for m in 0..resource.members.len() {
            let flow = self.resources[r as usize].members[m].flow;
            let state = &self.flows[flow as usize];
            if state.chosen == self.epoch {
                continue;
            }
            let too_fast = state.rate > level * (1.0 + SAME);
            let unbound = state.bottleneck == r && (!full || state.rate < fastest * (1.0 - SAME));
            if too_fast || unbound {
                self.choose(flow);
            }
        }
    }

    /// Sets a new number for an update; the marks are cleared in the rare case that the numbers run out.
    fn next_epoch(&mut self) {
        if self.epoch == u32::MAX {
            self.epoch = 0;
            self.flows.iter_mut().for_each(|flow| (flow.chosen, flow.filled) = (0, 0));
        }
        self.epoch += 1;
    }
}

/// Gives a flow its rate during a filling.
fn freeze(flow: &mut Flow, rate: f64, resources: &mut [Resource]) {
    flow.rate = rate;
    for &r in &flow.path {
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
