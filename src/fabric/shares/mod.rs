//! Max-min fair shares, updated incrementally rather than computed anew.
//!
//! A *resource* is anything with a capacity that flows share: a directed link, an in-port, or, where a node is less
//! than full duplex, its ports both ways together. An out-port carries one flow at a time, so it is no resource but the
//! *limit* of its flow. The allocation is that of progressive filling: raise all rates together; when a resource is
//! full, freeze its flows; go on with the rest. It is the unique allocation in which every flow runs at its limit or
//! has a *bottleneck*: a resource on its path that is full and on which no flow is faster.
//!
//! Rates are counted in whole [units](units), and the filling is this: of all resources that open flows cross, take the one
//! with the least share, which is the capacity that frozen flows leave, divided by the number of open flows and rounded down; at
//! equal shares the one of the lowest number. Freeze its open flows at the share. Flows that no resource freezes below the limit
//! run at the limit. Sums of whole numbers do not depend on their order, and shares never fall during a filling, because
//! they are rounded down. So rates and bottlenecks follow from the flows under way and the capacities alone, to the last bit.
//!
//! An update finds the same without a filling from nothing. It [sweeps](sweep) over the shares from the lowest to the highest
//! and stops where a resource is full with other flows, or at another rate, than before; flows keep what they have until the sweep
//! comes to a share at which their bottleneck is no longer full, or another resource is full that leaves them less. When the
//! sweep is past a share, all below it are final. A flow whose share changes costs a few operations for each resource on its path,
//! one that keeps its share nothing, except that the members of a resource are looked at where it is full: with c flows that
//! change, h resources on a path and m members of a resource, about c (h + m) in a few passes over the members, and a few places of the queue for each of the c
//! flows. In a crowded network of 32 x 32 nodes the start or end of a flow changes some 20 others.
//!
//! Progressive filling: D. Bertsekas and R. Gallager, *Data Networks*, 2nd edition, 1992, section 6.5.2.

mod queue;
mod resource;
mod sweep;
mod units;

use std::collections::BTreeMap;

use queue::Queue;
use resource::{NEVER, Room, UNLIMITED};
use smallvec::SmallVec;
use sweep::First;
use units::Units;
pub(crate) use units::near_whole;

/// In place of a bottleneck: the flow runs at its limit.
const NONE: u32 = u32::MAX;
/// In place of a bottleneck, until the next update or during one: the flow has no rate yet.
const OPEN: u32 = u32::MAX - 1;

/// The flows that cross a resource. Most resources have a few, and a large network has very many resources. Where the flow is
/// in this list is kept nowhere: to look for it costs less than it takes to share out the resource again.
type Members = SmallVec<[u32; 4]>;

/// The share of a flow. It is apart from its path: what looks at all members of a resource needs nothing else.
#[derive(Clone, Copy, Debug)]
struct Flow {
    rate: i64,
    /// The bottleneck, a resource, or one of `NONE` and `OPEN`.
    bottleneck: u32,
    /// The number of the bottleneck, or 0.
    number: u32,
}

impl Flow {
    /// A flow without a rate. In its place is one that is less than any share, so that loops over rates need not look for it.
    const OPEN: Flow = Flow { rate: -(1 << 62), bottleneck: OPEN, number: 0 };

    /// The place of a flow that is not open in the order in which a filling freezes flows.
    #[inline]
    fn key(&self) -> i128 {
        key(self.rate, self.number)
    }
}

/// A place in the order in which a filling freezes flows: by the share, then by the number of the resource. It is one integer,
/// because that is compared without a branch.
#[inline]
fn key(share: i64, number: u32) -> i128 {
    i128::from(share) << 64 | i128::from(number)
}

/// The share of a place in that order.
#[inline]
fn share_of(key: i128) -> i64 {
    (key >> 64) as i64
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
    units: Units,
    rooms: Vec<Room>,
    /// The order of resources that are full at the same share.
    numbers: Vec<u32>,
    /// The least share with which each resource itself is in the queue, or `NEVER`.
    queued: Vec<i64>,
    /// The capacities in bytes per second of the resources that have less than the limit and no whole number of units.
    odd: BTreeMap<u32, f64>,
    /// The flows that cross each resource.
    members: Vec<Members>,
    flows: Vec<Flow>,
    /// The rate of each flow in bytes per second, as it was after the last update.
    rates: Vec<f64>,
    /// The resources on the path of each flow, each once.
    paths: Vec<Vec<u32>>,
    /// For each open flow in the queue of a sweep, what it stands for.
    firsts: Vec<First>,
    /// Whether any resource has no finite capacity.
    has_unlimited: bool,
    /// Whether anything has changed since the last update.
    is_stale: bool,
    /// Resources whose flows may not be able to stay as they are.
    changed: Vec<u32>,
    /// The flows that have become open since the last update.
    started: Vec<u32>,
    /// The flows that have been shared out again in the current or last update.
    chosen: Vec<u32>,
    queue: Queue,
    /// The number of the batch of flows that become open next.
    batch: u32,
    /// The share that the sweep has come to.
    reached: i64,
    /// Resources without open flows whose flows may not be able to stay as they are, each once; between updates empty.
    unsettled: Vec<u32>,
    is_listed: Vec<bool>,
    work: Work,
}

impl Shares {
    /// Creates shares without flows under way and without resources; no flow will be faster than `limit`. If that is infinite,
    /// `widest` is the largest finite capacity of a resource.
    pub(super) fn new(limit: f64, widest: f64, flows: usize) -> Shares {
        Shares {
            units: Units::new(limit, widest, flows),
            rooms: Vec::new(),
            numbers: Vec::new(),
            queued: Vec::new(),
            odd: BTreeMap::new(),
            members: Vec::new(),
            flows: vec![Flow { rate: 0, bottleneck: NONE, number: 0 }; flows],
            rates: vec![0.0; flows],
            paths: vec![Vec::new(); flows],
            firsts: vec![First::default(); flows],
            has_unlimited: false,
            is_stale: false,
            changed: Vec::new(),
            started: Vec::new(),
            chosen: Vec::new(),
            queue: Queue::default(),
            batch: 0,
            reached: 0,
            unsettled: Vec::new(),
            is_listed: Vec::new(),
            work: Work::default(),
        }
    }

    /// Adds a resource, of a capacity in bytes per second that is positive and may be infinite. Paths refer to it by
    /// its index in the order of addition, but the shares do not depend on that order: of two resources that are full
    /// at the same rate, the one of the lower `number` goes first. Each resource has its own number.
    pub(super) fn add(&mut self, number: u32, capacity: f64) {
        self.has_unlimited |= capacity.is_infinite();
        let resource = self.numbers.len() as u32;
        let units = self.note_capacity(resource, capacity);
        self.rooms.push(Room::new(units));
        self.numbers.push(number);
        self.queued.push(NEVER);
        self.is_listed.push(false);
        self.members.push(Members::new());
    }

    /// Notes the capacity of a resource if units do not tell it, and returns what it is in units.
    fn note_capacity(&mut self, resource: u32, capacity: f64) -> i64 {
        if capacity.is_infinite() {
            return UNLIMITED;
        }
        let units = self.units.count(capacity);
        if units < self.units.limit() && self.units.rate(units) != capacity {
            self.odd.insert(resource, capacity);
        } else {
            self.odd.remove(&resource);
        }
        units
    }

    pub(super) fn work(&self) -> Work {
        self.work
    }

    /// The flows that the last update has shared out again, each with its rate and the number of its bottleneck, if it
    /// has one.
    pub(super) fn shared_out(&self) -> impl Iterator<Item = (u32, f64, Option<u32>)> {
        self.chosen.iter().map(|&flow| {
            let Flow { bottleneck, number, .. } = self.flows[flow as usize];
            (flow, self.rates[flow as usize], (bottleneck != NONE).then_some(number))
        })
    }

    /// The resources on the path of `flow`.
    pub(super) fn path(&self, flow: u32) -> &[u32] {
        &self.paths[flow as usize]
    }

    /// Changes the capacity of a resource, which is finite; its flows are shared out again.
    pub(super) fn set_capacity(&mut self, resource: u32, capacity: f64) {
        let flows = self.members[resource as usize].iter().map(|&member| &self.flows[member as usize]);
        let taken: i64 = flows.filter(|flow| flow.bottleneck != OPEN).map(|flow| flow.rate).sum();
        self.rooms[resource as usize].free = self.note_capacity(resource, capacity) - taken;
        self.chosen.clear();
        self.open_bound(resource);
        self.started.append(&mut self.chosen);
        self.changed.push(resource);
        self.is_stale = true;
    }

    /// Whether flows have started or ended since the last [`Shares::update`].
    pub(super) fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Adds a flow whose path is written by `fill`; resources without a finite capacity are left out of it. Returns
    /// whether anything is left that bounds the flow; then its rate is known after the next update.
    pub(super) fn start(&mut self, flow: u32, fill: impl FnOnce(&mut Vec<u32>)) -> bool {
        let path = &mut self.paths[flow as usize];
        debug_assert!(path.is_empty(), "flow {flow} is under way already");
        fill(path);
        if self.has_unlimited {
            path.retain(|resource| self.rooms[*resource as usize].free != UNLIMITED);
        }
        if path.is_empty() {
            return false;
        }
        self.flows[flow as usize] = Flow::OPEN;
        self.rates[flow as usize] = 0.0;
        for &r in path.iter() {
            self.members[r as usize].push(flow);
            let room = &mut self.rooms[r as usize];
            room.flows += 1;
            room.opened_in(self.batch);
        }
        self.started.push(flow);
        self.is_stale = true;
        self.work.events += 1;
        true
    }

    /// Ends a flow; the next update shares out its capacity again.
    pub(super) fn end(&mut self, flow: u32) {
        let Shares { units, rooms, members, flows, paths, changed, started, .. } = self;
        let Flow { rate, bottleneck, .. } = flows[flow as usize];
        let is_open = bottleneck == OPEN;
        if is_open {
            started.retain(|&other| other != flow);
        } else if bottleneck != NONE {
            rooms[bottleneck as usize].bound -= 1;
        }
        for &r in &paths[flow as usize] {
            let (room, members) = (&mut rooms[r as usize], &mut members[r as usize]);
            if let Some(at) = members.iter().position(|&member| member == flow) {
                members.swap_remove(at);
            }
            room.flows -= 1;
            if is_open {
                room.open -= 1;
            } else {
                room.free += rate;
            }
            if room.is_unsettled(units.remainder()) {
                changed.push(r);
            }
        }
        self.paths[flow as usize].clear();
        self.is_stale = true;
        self.work.events += 1;
    }

    /// Makes the rates max-min fair again and calls `changed(flow, old, new)` for each flow whose rate has changed.
    pub(super) fn update(&mut self, mut changed: impl FnMut(u32, f64, f64)) {
        self.is_stale = false;
        self.chosen.clear();
        std::mem::swap(&mut self.chosen, &mut self.started);
        self.sweep();
        self.work.touched += self.chosen.len() as u64;
        for &flow in &self.chosen {
            let Flow { rate, bottleneck, .. } = self.flows[flow as usize];
            let new = if bottleneck == NONE {
                self.units.limit_rate()
            } else {
                let has_all = self.members[bottleneck as usize].len() == 1;
                match self.odd.get(&bottleneck) {
                    // A flow that has a resource for itself has its capacity, also if units do not tell it.
                    Some(&capacity) if has_all => capacity,
                    Some(&capacity) => self.units.part_of(rate, capacity),
                    None => self.units.rate(rate),
                }
            };
            let old = std::mem::replace(&mut self.rates[flow as usize], new);
            if old != new {
                changed(flow, old, new);
            }
        }
    }
}

#[cfg(test)]
mod tests;
