//! One update of the shares: a filling from the lowest share upwards that stops only where something differs from before.
//!
//! A flow that has no rate at the present share of the sweep is *open*: it has just started, or the sweep has come to its old
//! rate and its bottleneck is not full any more. The *event* of a resource is the share at which something happens to it next if
//! all flows that are not open keep what they have, except those that would get more than the others here. That an event
//! is worked out so is exact when the sweep comes to it: what changes a rate first makes the flow open, or does so at a lower
//! share. And an event only gets later, unless one more flow becomes open there.
//!
//! So the queue needs, for each resource with an event, an entry with a share that is not higher. Each open flow has an entry,
//! for the first of the events on its path. That covers all resources where no flow becomes open after the entry was made. One
//! at which another one does gets an entry of its own, and so does one without open flows whose flows cannot stay as they
//! are. Few resources need one, and most of those on the path of a flow are passed over without a look at the other flows
//! there. Flows become open in *batches*, all that are bound at one resource together; where all open flows are of one batch, none
//! has its entry yet.

use std::mem;

use super::{
    Flow, NONE, OPEN, Shares,
    queue::Of,
    resource::{NEVER, Room},
};

/// Something that happens to a resource at a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// It is full: the flows that are open or faster get this share.
    Full,
    /// It is not full any more at the rate of the flows bound there: they become open.
    Slack,
}

/// The meaning of the entry of a flow in the queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct First {
    /// The resource on the path with the first event.
    resource: u32,
    /// The events of the others are not before this share, and at this share not before this number.
    others: (i64, u32),
}

/// Where all open flows are of one batch and at most so many flows cross in all, it costs less to look at a resource for each open
/// flow than to give it an entry of its own. When a sweep begins that is so for any number.
const FEW: u32 = 8;

impl Shares {
    /// Shares out what the flows that started and ended have changed.
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

    /// Makes the entries of flows that have become open: the chosen ones from the place `from` on in their list.
    fn queue_opened(&mut self, from: usize) {
        let Shares { units, rooms, numbers, queued, paths, firsts, chosen, queue, batch, .. } = self;
        let (limit, remainder) = (units.limit(), units.remainder());
        let (rooms, numbers, paths, batch) = (rooms.as_slice(), numbers.as_slice(), paths.as_slice(), *batch);
        for &flow in &chosen[from..] {
            let (mut first, mut others, mut at) = ((limit, 0), (limit, 0), 0);
            for &r in &paths[flow as usize] {
                let room = &rooms[r as usize];
                let is_for_flows = room.oldest == batch && (room.open == 1 || room.flows <= FEW || from == 0);
                // Most of the resources are not among the first.
                if is_for_flows & room.has_for_all(others.0, remainder) {
                    continue;
                }
                if room.has_for_all(limit, if room.open == room.flows { 0 } else { remainder }) {
                    continue;
                }
                let place = (room.least_share(), numbers[r as usize]);
                if !is_for_flows {
                    if place.0 < queued[r as usize].min(limit) {
                        queued[r as usize] = place.0;
                        queue.push(place.0, place.1, Of::Resource(r));
                    }
                    continue;
                }
                if place < first {
                    (first, others, at) = (place, first, r);
                } else {
                    others = others.min(place);
                }
            }
            if first.0 < limit {
                firsts[flow as usize] = First { resource: at, others };
                queue.push(first.0, first.1, Of::Flow(flow));
            }
        }
        self.batch = self.batch.wrapping_add(1);
    }

    /// Puts an open flow into the queue again, for the first event on its path; `known` is the event of a resource there.
    fn queue_again(&mut self, flow: u32, known: Option<(i64, u32)>) {
        let (limit, remainder) = (self.units.limit(), self.units.remainder());
        let (mut first, mut at) = ((limit, 0), NONE);
        if let Some((share, r)) = known {
            (first, at) = ((share, self.numbers[r as usize]), r);
        }
        for i in 0..self.paths[flow as usize].len() {
            let r = self.paths[flow as usize][i];
            let room = self.rooms[r as usize];
            if room.has_for_all(first.0, remainder) || self.is_after(r, room, first) || r == at {
                continue;
            }
            let number = self.numbers[r as usize];
            if let Some((share, _)) = self.next_event(r)
                && (share, number) < first
            {
                (first, at) = ((share, number), r);
            }
        }
        if first.0 < limit {
            self.firsts[flow as usize] = First { resource: at, others: (0, 0) };
            self.queue.push(first.0, first.1, Of::Flow(flow));
        }
    }

    /// Whether it is clear, without working it out, that the event of a resource is after a place in the order: if all flows had
    /// the share of this place, except those that have less, it would not be full.
    fn is_after(&self, r: u32, room: Room, (share, number): (i64, u32)) -> bool {
        if room.bound > 0 {
            return false;
        }
        let mut free = room.free - i64::from(room.open) * share;
        let remainder = i64::from(room.flows);
        let mut is_near = false;
        for &member in self.members[r as usize].as_slice() {
            // An open flow counts as one without a rate.
            let rate = self.flows[member as usize].rate;
            free += (rate - share).max(0);
            is_near |= (rate < share) & (rate + remainder >= share);
        }
        // Sharing out leaves less than a unit for each flow, and may be a little early where rates differ by as little.
        free >= remainder || free >= 0 && !is_near && self.numbers[r as usize] > number
    }

    fn push(&mut self, r: u32, share: i64) {
        self.queued[r as usize] = share;
        self.queue.push(share, self.numbers[r as usize], Of::Resource(r));
    }

    /// Lets the event of a resource happen, or puts it into the queue again if it is not its turn.
    fn reach(&mut self, r: u32, share: i64) {
        if self.queued[r as usize] != share {
            // Another entry with a lower share has taken the place of this one.
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

    /// The same for the first event on the path of a flow, if the flow is still open.
    fn reach_first(&mut self, flow: u32, share: i64) {
        if self.flows[flow as usize].bottleneck != OPEN {
            return;
        }
        let First { resource: r, others } = self.firsts[flow as usize];
        let mut known = None;
        if let Some((next, event)) = self.next_event(r) {
            let number = self.numbers[r as usize];
            if next == share || (next, number) < others && self.queue.is_first(next, number) {
                self.happen(r, next, event);
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

    /// The event of a resource.
    ///
    /// It is full when its fastest flows have no rate yet, if the slowest of these would not have got its rate by then. They are
    /// looked for from below: all flows that could be among them get one share, those that have their rates before are left
    /// out, and the share of the others is higher, until nobody is left out any more. By rounding there may be several
    /// such shares; this finds that of the most flows, which in a filling is the first.
    fn next_event(&self, r: u32) -> Option<(i64, Event)> {
        let room = &self.rooms[r as usize];
        let (limit, remainder) = (self.units.limit(), self.units.remainder());
        if room.open == 0 && !room.is_unsettled(remainder) {
            return None;
        }
        // The flows that are open or bound here, and what they have to share.
        let count = i64::from(room.open + room.bound);
        let rest = room.free + i64::from(room.bound) * room.level;
        let share = (count > 0).then(|| rest.div_euclid(count));
        let number = self.numbers[r as usize];
        // Flows that are slower by more than what is left over in sharing out have their rates before.
        let least = share.unwrap_or(0).max(self.reached) - i64::from(room.flows);
        let (mut place, mut before) = ((least.max(0), u32::MAX), 0);
        while count < i64::from(room.flows) {
            let (mut sum, mut faster) = (0, 0);
            for &member in self.members[r as usize].as_slice() {
                let flow = &self.flows[member as usize];
                let is_faster = (flow.rate > place.0) | (flow.rate == place.0) & (flow.number > place.1);
                let is_faster = is_faster & (flow.bottleneck != r);
                sum += if is_faster { flow.rate } else { 0 };
                faster += i64::from(is_faster);
            }
            if faster == 0 {
                break;
            }
            if faster == before {
                return (place.0 < limit).then_some((place.0, Event::Full));
            }
            (place, before) = (((rest + sum).div_euclid(count + faster), number), faster);
        }
        match share {
            Some(share) if room.bound > 0 && share > room.level => Some((room.level, Event::Slack)),
            Some(share) => (share < limit).then_some((share, Event::Full)),
            None => None,
        }
    }

    /// Gives `share` to all flows of a resource that are open or faster, or have this rate from a resource of a higher number.
    fn freeze(&mut self, r: u32, share: i64) {
        let Shares { units, rooms, numbers, members, flows, paths, chosen, unsettled, is_listed, .. } = self;
        let (number, remainder) = (numbers[r as usize], units.remainder());
        let (rooms, paths, flows) = (rooms.as_mut_slice(), paths.as_slice(), flows.as_mut_slice());
        let mut bound = 0;
        for &member in members[r as usize].as_slice() {
            let flow = &mut flows[member as usize];
            let (change, opened) = if flow.bottleneck == OPEN {
                (share, 1)
            } else if flow.key() > (share, number) {
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
                if other != r
                    && room.is_unsettled(remainder)
                    && !mem::replace(&mut is_listed[other as usize], true)
                {
                    unsettled.push(other);
                }
            }
        }
        rooms[r as usize].bound = bound;
        rooms[r as usize].level = share;
        let unsettled = mem::take(&mut self.unsettled);
        self.unsettled = self.look_at_all_again(unsettled);
    }

    /// Looks at resources again, and hands back the empty list.
    fn look_at_all_again(&mut self, mut resources: Vec<u32>) -> Vec<u32> {
        while let Some(r) = resources.pop() {
            self.is_listed[r as usize] = false;
            self.look_again(r);
        }
        resources
    }

    /// Puts a resource without open flows into the queue if its flows cannot stay as they are. An entry that it has may be too
    /// late, as flows may have become open and got other rates since it was made.
    fn look_again(&mut self, r: u32) {
        if self.rooms[r as usize].open > 0 {
            return;
        }
        let room = &self.rooms[r as usize];
        // Where flows that are bound here have more room nothing happens before their rate.
        let share = match room.bound > 0 && room.free >= i64::from(room.bound) {
            true => room.level,
            false => self.next_event(r).map_or(NEVER, |(share, _)| share),
        };
        if share < self.queued[r as usize] {
            self.push(r, share);
        }
    }

    /// Takes their rates from the flows that are bound at a resource, and chooses them.
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

    /// Lets the flows that are still open run at the limit.
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
