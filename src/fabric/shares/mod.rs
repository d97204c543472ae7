//! Max-min fair shares with incremental updates.
//!
//! A *resource* is anything with a capacity that flows share: a directed link, an in-port, or, for a node that is less than full duplex,
//! its in- and out-ports together. An out-port carries one flow at a time, so it is not a resource but the *limit* of its flow. The
//! allocation is computed by progressive filling: raise all rates together; when a resource is full, freeze its flows; continue with the
//! other flows. The result is the unique allocation in which every flow runs at its limit or has a *bottleneck*: a full resource on its
//! path on which no flow is faster.
//!
//! Rates are counted in whole [units](units). A step of the filling selects, among the resources crossed by open flows, the resource with
//! the smallest share; ties go to the lowest number. The share is the capacity left by frozen flows, divided by the number of open flows
//! and rounded down. The open flows of the resource are frozen at this share. Flows that no resource freezes below the limit run at the
//! limit. Sums of integers do not depend on their order, and shares never fall during a filling, because they are rounded down. Rates and
//! bottlenecks are therefore determined to the last bit by the current flows and the capacities.
//!
//! An update computes the same result incrementally. It [sweeps](sweep) over the shares from the lowest to the highest and acts only where
//! a resource is full with other flows, or at another rate, than before. Flows keep their rates until the sweep reaches a share at which
//! their bottleneck is no longer full, or another full resource leaves them less. All shares below the sweep are final. A flow with an
//! unchanged share costs nothing, except that all members of a full resource are examined. With c changed flows, h resources per path and m
//! members per resource, an update costs about c (h + m) in a few passes over the members, and a few queue operations for each changed
//! flow. In a congested network of 32 x 32 nodes the start or end of a flow changes about 20 other flows.
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

/// The value of a bottleneck if the flow runs at its limit.
const NONE: u32 = u32::MAX;
/// The value of a bottleneck if the flow has no rate yet: from its start to the next update, or for a time during an update.
const OPEN: u32 = u32::MAX - 1;

/// The flows that cross a resource. Most resources have few flows, and a large network has very many resources. The index of a flow in this
/// list is not stored: finding it costs less than recomputing the shares of the resource.
type Members = SmallVec<[u32; 4]>;

/// The share of a flow. It is stored apart from the path, because loops over the members of a resource need only the share.
#[derive(Clone, Copy, Debug)]
struct Flow {
    rate: i64,
    /// The bottleneck: a resource, `NONE` or `OPEN`.
    bottleneck: u32,
    /// The unique number of the bottleneck resource, which orders resources that are full at the same share; 0 without a bottleneck.
    number: u32,
}

impl Flow {
    /// A flow without a rate. Its rate is below any share, so that loops over rates need no special case.
    const OPEN: Flow = Flow { rate: -(1 << 62), bottleneck: OPEN, number: 0 };

    /// Returns the position of a frozen flow in the order in which a filling freezes flows.
    #[inline]
    fn key(&self) -> i128 {
        key(self.rate, self.number)
    }
}

/// Returns a position in the order in which a filling freezes flows: by share, then by resource number. The position is one integer, so
/// that the comparison needs no branch.
#[inline]
fn key(share: i64, number: u32) -> i128 {
    i128::from(share) << 64 | i128::from(number)
}

/// Returns the share of a position in this order.
#[inline]
fn share_of(key: i128) -> i64 {
    (key >> 64) as i64
}

/// The work done by the updates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Work {
    /// The number of flows that started or ended.
    pub events: u64,
    /// The number of flows whose rate was recomputed.
    pub touched: u64,
}

/// The shares of all current flows.
#[derive(Debug)]
pub(super) struct Shares {
    units: Units,
    rooms: Vec<Room>,
    /// The number of each resource, which orders resources that are full at the same share.
    numbers: Vec<u32>,
    /// The lowest share at which each resource itself is in the queue, or `NEVER`.
    queued: Vec<i64>,
    /// The capacities in bytes per second of resources whose capacity is below the limit and not a whole number of units.
    odd: BTreeMap<u32, f64>,
    /// The flows that cross each resource.
    members: Vec<Members>,
    flows: Vec<Flow>,
    /// The rate of each flow in bytes per second after the last update.
    rates: Vec<f64>,
    /// The resources on the path of each flow, each listed once.
    paths: Vec<Vec<u32>>,
    /// For each open flow in the queue of a sweep, the meaning of its entry.
    firsts: Vec<First>,
    /// Whether any resource has an infinite capacity.
    has_unlimited: bool,
    /// Whether anything has changed since the last update.
    is_stale: bool,
    /// The resources whose flows may have to change.
    changed: Vec<u32>,
    /// The flows that have become open since the last update.
    started: Vec<u32>,
    /// The flows whose shares are recomputed in the current or last update.
    chosen: Vec<u32>,
    queue: Queue,
    /// The number of the batch that flows join when they next become open.
    batch: u32,
    /// The share that the sweep has reached.
    reached: i64,
    /// Resources without open flows whose flows may have to change, each listed once; empty between updates.
    unsettled: Vec<u32>,
    is_listed: Vec<bool>,
    work: Work,
}

impl Shares {
    /// Creates shares without flows and without resources. No flow will be faster than `limit`; if `limit` is infinite, `widest` is the
    /// largest finite capacity of a resource.
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

    /// Adds a resource with a positive capacity in bytes per second, which may be infinite. Paths refer to a resource by its index in the
    /// order of addition, but shares do not depend on this order: if two resources are full at the same rate, the resource with the lower
    /// `number` comes first. Each number must be unique.
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

    /// Stores the capacity of a resource if units cannot represent it exactly; returns the capacity in units.
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

    /// Returns the flows recomputed by the last update, each with its rate and the number of its bottleneck, if any.
    pub(super) fn shared_out(&self) -> impl Iterator<Item = (u32, f64, Option<u32>)> {
        self.chosen.iter().map(|&flow| {
            let Flow { bottleneck, number, .. } = self.flows[flow as usize];
            (flow, self.rates[flow as usize], (bottleneck != NONE).then_some(number))
        })
    }

    /// Returns the resources on the path of `flow`.
    pub(super) fn path(&self, flow: u32) -> &[u32] {
        &self.paths[flow as usize]
    }

    /// Changes the capacity of a resource to a finite value; the shares of its flows are recomputed.
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

    /// Returns whether flows or capacities have changed since the last [`Shares::update`].
    pub(super) fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Adds a flow whose path is written by `fill`; resources with infinite capacity are removed from the path. Returns whether a resource
    /// is left that limits the flow; its rate is then known after the next update.
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

    /// Ends a flow; the next update redistributes its capacity.
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

    /// Restores max-min fairness and calls `changed(flow, old, new)` for each flow whose rate has changed.
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
                    // A flow that is the only one on a resource gets the exact capacity, even if units cannot represent it.
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
