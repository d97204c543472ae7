//! One update of the shares: a filling from the lowest share upwards that acts only where the result differs from before.
//!
//! A flow without a rate at the current share of the sweep is *open*: it has just started, or the sweep has reached its old rate and its
//! bottleneck is no longer full. The *event* of a resource is the share at which its state changes next, if all flows that are not open
//! keep their rates, except flows that would get more than the others at this resource. The event is exact when the sweep reaches it,
//! because any rate that changes earlier belongs to a flow that became open, or changed at a lower share. An event only moves to higher
//! shares, unless another flow becomes open at the resource.
//!
//! The queue therefore needs, for each resource with an event, an entry with the same share or a lower one. Each open flow has an entry for
//! the first event on its path. This entry covers all resources at which no flow has become open after the entry was made. A resource at
//! which another flow becomes open gets a separate entry, and so does a resource without open flows whose flows have to change. Few
//! resources need a separate entry, and most resources on the path of a flow are skipped without examining other flows. Flows become open
//! in *batches*, all flows bound at one resource together; if all open flows of a resource belong to the current batch, none of them has an
//! entry yet.
//!
//! Nearly all of the time is spent in four loops: over the resources on the path of a flow that becomes open, gets a rate, or is queued,
//! and over the members of a resource. Their data is irregular, and branches would be mispredicted. The loops therefore select values
//! instead of branching, and compare products instead of quotients.

use std::mem;

use super::{Flow, NONE, OPEN, Shares, key, queue::Of, resource::NEVER, share_of};

/// The next change of the state of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// The resource becomes full: flows that are open or faster get this share.
    Full,
    /// The resource is no longer full at the rate of the flows bound there: these flows become open.
    Slack,
}

/// The meaning of a flow's entry in the queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct First {
    /// The resource on the path with the first event.
    resource: u32,
    /// A lower bound, as a position in the order of the queue, on the events of all other resources on the path. It stays valid until
    /// another flow becomes open at one of these resources; that flow then makes a separate entry for the resource.
    others: i128,
}

/// Maximum number of open flows, all of the current batch, for which a resource gets no separate entry: examining the resource for each
/// of the flows is then cheaper. At the beginning of a sweep there is no maximum.
const MAX_SHARED: u32 = 8;

impl Shares {
    /// Recomputes the shares that are affected by flows that started or ended.
    pub(super) fn sweep(&mut self) {
        self.reached = 0;
        let changed = mem::take(&mut self.changed);
        self.changed = self.look_at_all_again(changed);
        self.queue_opened(0);
        while let Some((share, of)) = self.queue.pop() {
            self.reached = share;
            match of {
                Of::Resource(r) => self.reach(r, share),
                Of::Flow(flow) => self.reach_first(flow, share),
            }
        }
        self.open_the_limit();
    }

    /// Adds the entries of flows that have become open: the flows of `chosen` from index `from` on.
    fn queue_opened(&mut self, from: usize) {
        let (limit, remainder) = (self.units.limit(), self.units.remainder());
        let max_shared = if from == 0 { u32::MAX } else { MAX_SHARED };
        for i in from..self.chosen.len() {
            let flow = self.chosen[i];
            let Shares { rooms, numbers, paths, batch, .. } = &*self;
            let (rooms, batch) = (rooms.as_slice(), *batch);
            let (mut first, mut others, mut at) = (key(limit, 0), key(limit, 0), NONE);
            let (mut shared, mut bar) = (NONE, limit + remainder);
            for &r in &paths[flow as usize] {
                let room = &rooms[r as usize];
                if room.is_shared(batch, max_shared) {
                    shared = r;
                    continue;
                }
                // The events of most resources are after the first two events found so far.
                if room.is_above(bar) {
                    continue;
                }
                let place = key(room.least_share(), numbers[r as usize]);
                at = if place < first { r } else { at };
                others = others.min(place.max(first));
                first = first.min(place);
                bar = share_of(others) + remainder;
            }
            if shared != NONE {
                self.queue_shared(flow, max_shared);
            }
            if at != NONE {
                self.firsts[flow as usize] = First { resource: at, others };
                self.queue.push(share_of(first), self.numbers[at as usize], Of::Flow(flow));
            }
        }
        self.batch = self.batch.wrapping_add(1);
    }

    /// Adds separate entries for the resources on the path of a flow that the entries of flows do not cover.
    fn queue_shared(&mut self, flow: u32, max_shared: u32) {
        let (limit, remainder) = (self.units.limit(), self.units.remainder());
        for &r in &self.paths[flow as usize] {
            let room = &self.rooms[r as usize];
            if !room.is_shared(self.batch, max_shared) || room.is_above(limit + remainder) {
                continue;
            }
            let (share, queued) = (room.least_share(), &mut self.queued[r as usize]);
            if share < limit.min(*queued) {
                *queued = share;
                self.queue.push(share, self.numbers[r as usize], Of::Resource(r));
            }
        }
    }

    /// Queues an open flow again for the first event on its path; `known` is the event of one resource on the path, if known.
    fn queue_again(&mut self, flow: u32, known: Option<(i64, u32)>) {
        let (mut first, mut at) = ((self.units.limit(), 0), NONE);
        if let Some((share, r)) = known {
            (first, at) = ((share, self.numbers[r as usize]), r);
        }
        let (rooms, remainder) = (self.rooms.as_slice(), self.units.remainder());
        for &r in &self.paths[flow as usize] {
            if rooms[r as usize].is_above(first.0 + remainder) || r == at || self.is_after(r, first) {
                continue;
            }
            let number = self.numbers[r as usize];
            if let Some((share, _)) = self.next_event(r)
                && (share, number) < first
            {
                (first, at) = ((share, number), r);
            }
        }
        if at != NONE {
            self.firsts[flow as usize] = First { resource: at, others: 0 };
            self.queue.push(first.0, first.1, Of::Flow(flow));
        }
    }

    /// Returns whether the event of a resource is certainly after a position in the order, by a cheap test: the resource would not be full
    /// if all flows had the share of this position, except slower flows.
    fn is_after(&self, r: u32, (share, number): (i64, u32)) -> bool {
        let room = &self.rooms[r as usize];
        if room.bound > 0 {
            return false;
        }
        let (members, flows) = (self.members[r as usize].as_slice(), self.flows.as_slice());
        // An open flow has a rate below any share and adds nothing here.
        let above = |&member: &u32| (flows[member as usize].rate - share).max(0);
        let free = room.free - i64::from(room.open) * share + members.iter().map(above).sum::<i64>();
        // Rounding leaves less than one unit per flow, and may cause an earlier event if rates differ by at most this remainder.
        let remainder = i64::from(room.flows);
        let is_near = |&member: &u32| (1..=remainder).contains(&(share - flows[member as usize].rate));
        free >= remainder || free >= 0 && self.numbers[r as usize] > number && !members.iter().any(is_near)
    }

    fn push(&mut self, r: u32, share: i64) {
        self.queued[r as usize] = share;
        self.queue.push(share, self.numbers[r as usize], Of::Resource(r));
    }

    /// Processes the event of a resource whose queue entry at `share` was reached. If the event has moved to a higher share and other
    /// entries now precede it, queues the resource again instead.
    fn reach(&mut self, r: u32, share: i64) {
        if self.queued[r as usize] != share {
            // A later entry with a lower share has replaced this entry.
            return;
        }
        self.queued[r as usize] = NEVER;
        let Some((next, event)) = self.next_event(r) else { return };
        if next == share || self.queue.is_first(next, self.numbers[r as usize]) {
            self.happen(r, next, event);
        } else {
            self.push(r, next);
        }
    }

    /// Processes the first event on the path of a flow, if the flow is still open.
    fn reach_first(&mut self, flow: u32, share: i64) {
        if self.flows[flow as usize].bottleneck != OPEN {
            return;
        }
        let First { resource: r, others } = self.firsts[flow as usize];
        let mut known = None;
        if let Some((next, event)) = self.next_event(r) {
            let number = self.numbers[r as usize];
            let is_before_others = key(next, number) < others;
            if next == share || is_before_others && self.queue.is_first(next, number) {
                self.happen(r, next, event);
            } else if is_before_others {
                self.queue.push(next, number, Of::Flow(flow));
                return;
            } else {
                known = Some((next, r));
            }
        }
        if self.flows[flow as usize].bottleneck == OPEN {
            self.queue_again(flow, known);
        }
    }

    fn happen(&mut self, r: u32, share: i64, event: Event) {
        match event {
            Event::Full => self.freeze(r, share),
            Event::Slack => {
                let from = self.chosen.len();
                self.open_bound(r);
                self.queue_opened(from);
            }
        }
    }

    /// Returns the next event of a resource.
    ///
    /// If the resource becomes full, its share goes to the open flows and to all flows that would otherwise be faster. The set of these
    /// flows is found by iteration from below: all candidates get an equal share; flows that get their rates earlier are removed, which
    /// raises the share of the others, until no flow is removed. Because of rounding there may be several such shares; the iteration finds
    /// the share of the most flows, which a filling reaches first.
    fn next_event(&self, r: u32) -> Option<(i64, Event)> {
        let room = &self.rooms[r as usize];
        let (limit, remainder) = (self.units.limit(), self.units.remainder());
        if room.open == 0 && !room.is_unsettled(remainder) {
            return None;
        }
        // The number of flows that are open or bound here, and the capacity for them. `rest` may be negative until faster flows are counted
        // too; the returned share is not.
        let (bound, count) = (i64::from(room.bound), i64::from(room.open + room.bound));
        let of_bound = bound * room.level;
        let rest = room.free + of_bound;
        let share = (count > 0).then(|| rest / count);
        let number = self.numbers[r as usize];
        if count < i64::from(room.flows) {
            // The flows bound here are all faster than a share or all not, and are already counted.
            let others = |share: i64, (sum, faster): (i64, i64)| match room.level > share {
                true => (sum - of_bound, faster - bound),
                false => (sum, faster),
            };
            // Flows that are slower by more than the rounding remainder get their rates earlier.
            let least = (share.unwrap_or(0).max(self.reached) - i64::from(room.flows)).max(0);
            let (mut sum, mut faster) = others(least, self.sum_of(r, |flow| flow.rate > least));
            while faster > 0 {
                let (share, before) = ((rest + sum) / (count + faster), faster);
                let place = key(share, number);
                (sum, faster) = others(share, self.sum_of(r, |flow| flow.key() > place));
                if faster == before {
                    return (share < limit).then_some((share, Event::Full));
                }
            }
        }
        match share {
            Some(share) if room.bound > 0 && share > room.level => Some((room.level, Event::Slack)),
            Some(share) => (share < limit).then_some((share, Event::Full)),
            None => None,
        }
    }

    /// Returns the sum of the rates of the counted flows of a resource, and their number.
    #[inline]
    fn sum_of(&self, r: u32, is_counted: impl Fn(&Flow) -> bool) -> (i64, i64) {
        let (members, flows) = (self.members[r as usize].as_slice(), self.flows.as_slice());
        let (mut sum, mut count) = (0, 0);
        for &member in members {
            let flow = &flows[member as usize];
            let is_counted = is_counted(flow);
            sum += if is_counted { flow.rate } else { 0 };
            count += i64::from(is_counted);
        }
        (sum, count)
    }

    /// Gives `share` to all flows of a resource that are open or faster, or have this rate from a resource with a higher number.
    fn freeze(&mut self, r: u32, share: i64) {
        let Shares { units, rooms, numbers, members, flows, paths, chosen, unsettled, is_listed, .. } = self;
        let (number, remainder) = (numbers[r as usize], units.remainder());
        let (rooms, paths, flows) = (rooms.as_mut_slice(), paths.as_slice(), flows.as_mut_slice());
        let mut bound = 0;
        // A temporary extra open flow keeps this resource out of the unsettled list.
        rooms[r as usize].open += 1;
        for &member in members[r as usize].as_slice() {
            let flow = &mut flows[member as usize];
            let (change, opened) = if flow.bottleneck == OPEN {
                (share, 1)
            } else if flow.key() > key(share, number) {
                chosen.push(member);
                if flow.bottleneck != NONE {
                    rooms[flow.bottleneck as usize].bound -= 1;
                }
                (share - flow.rate, 0)
            } else {
                bound += u32::from(flow.bottleneck == r);
                continue;
            };
            *flow = Flow { rate: share, bottleneck: r, number };
            bound += 1;
            for &other in &paths[member as usize] {
                let room = &mut rooms[other as usize];
                room.free -= change;
                room.open -= opened;
                if room.is_unsettled(remainder) && !mem::replace(&mut is_listed[other as usize], true) {
                    unsettled.push(other);
                }
            }
        }
        rooms[r as usize].open = 0;
        rooms[r as usize].bound = bound;
        rooms[r as usize].level = share;
        let unsettled = mem::take(&mut self.unsettled);
        self.unsettled = self.look_at_all_again(unsettled);
    }

    /// Examines resources again and returns the empty list.
    fn look_at_all_again(&mut self, mut resources: Vec<u32>) -> Vec<u32> {
        while let Some(r) = resources.pop() {
            self.is_listed[r as usize] = false;
            self.look_again(r);
        }
        resources
    }

    /// Queues a resource without open flows if its flows have to change. An existing entry may be too late, because flows may have become
    /// open and received other rates since the entry was made.
    fn look_again(&mut self, r: u32) {
        if self.rooms[r as usize].open > 0 {
            return;
        }
        let room = &self.rooms[r as usize];
        let share = if room.bound > 0 && room.free >= i64::from(room.bound) {
            // If capacity is free for the bound flows, nothing changes at shares below their rate.
            room.level
        } else if room.bound == 0 && room.free >= 0 && self.is_full_elsewhere(r) {
            return;
        } else {
            self.next_event(r).map_or(NEVER, |(share, _)| share)
        };
        if share < self.queued[r as usize] {
            self.push(r, share);
        }
    }

    /// Returns whether a resource without open or bound flows certainly stays as it is: no flow is faster than the share that the sweep has
    /// reached, and the flows at this share have it from resources with lower numbers. Resources in series that the same flows cross are
    /// the usual case: the resource with the lowest number is the bottleneck.
    fn is_full_elsewhere(&self, r: u32) -> bool {
        let (members, flows) = (self.members[r as usize].as_slice(), self.flows.as_slice());
        let (reached, number) = (self.reached, self.numbers[r as usize]);
        let slower = reached - members.len() as i64;
        members.iter().all(|&member| {
            let flow = &flows[member as usize];
            flow.rate <= slower || flow.rate == reached && flow.number < number
        })
    }

    /// Opens the flows that are bound at a resource, and adds them to `chosen`.
    pub(super) fn open_bound(&mut self, r: u32) {
        let Shares { rooms, members, flows, paths, chosen, batch, .. } = self;
        let batch = *batch;
        let (rooms, paths, flows) = (rooms.as_mut_slice(), paths.as_slice(), flows.as_mut_slice());
        for &member in members[r as usize].as_slice() {
            let flow = &mut flows[member as usize];
            if flow.bottleneck != r {
                continue;
            }
            chosen.push(member);
            let rate = mem::replace(flow, Flow::OPEN).rate;
            for &other in &paths[member as usize] {
                let room = &mut rooms[other as usize];
                room.free += rate;
                room.opened_in(batch);
            }
        }
        rooms[r as usize].bound = 0;
    }

    /// Freezes at the limit the flows that are still open.
    fn open_the_limit(&mut self) {
        let Shares { units, rooms, flows, paths, chosen, .. } = self;
        let limit = units.limit();
        for &chosen in chosen.iter() {
            let flow = &mut flows[chosen as usize];
            if flow.bottleneck != OPEN {
                continue;
            }
            *flow = Flow { rate: limit, bottleneck: NONE, number: 0 };
            for &r in &paths[chosen as usize] {
                let room = &mut rooms[r as usize];
                room.free -= limit;
                room.open -= 1;
            }
        }
    }
}
