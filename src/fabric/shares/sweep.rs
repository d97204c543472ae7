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
//!
//! Nearly all of the time goes into four loops: over the resources on the path of a flow that becomes open, gets a rate, or is put
//! into the queue, and over the members of a resource. What they look at follows no pattern, so that the host guesses most branches
//! in them wrong. So they choose between values rather than ways to go, and compare products rather than quotients.

use std::mem;

use super::{Flow, NONE, OPEN, Shares, key, queue::Of, resource::NEVER, share_of};

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
    /// The events of the others are not before this place in the order. That is known until more flows become open there, and
    /// those make entries of their own for these resources.
    others: i128,
}

/// Where all open flows are of one batch and at most so many, it costs less to look at a resource for each of them than to give it
/// an entry of its own. When a sweep begins that is so for any number.
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
        let (limit, remainder) = (self.units.limit(), self.units.remainder());
        let few = if from == 0 { u32::MAX } else { FEW };
        for i in from..self.chosen.len() {
            let flow = self.chosen[i];
            let Shares { rooms, numbers, paths, batch, .. } = &*self;
            let (rooms, batch) = (rooms.as_slice(), *batch);
            let (mut first, mut others, mut at) = (key(limit, 0), key(limit, 0), NONE);
            let (mut shared, mut bar) = (NONE, limit + remainder);
            for &r in &paths[flow as usize] {
                let room = &rooms[r as usize];
                if room.is_shared(batch, few) {
                    shared = r;
                    continue;
                }
                // Most of the resources are not among the first two.
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
                self.queue_shared(flow, few);
            }
            if at != NONE {
                self.firsts[flow as usize] = First { resource: at, others };
                self.queue.push(share_of(first), self.numbers[at as usize], Of::Flow(flow));
            }
        }
        self.batch = self.batch.wrapping_add(1);
    }

    /// Makes entries of their own for the resources on the path of a flow that are not left to the entries of flows.
    fn queue_shared(&mut self, flow: u32, few: u32) {
        let (limit, remainder) = (self.units.limit(), self.units.remainder());
        for &r in &self.paths[flow as usize] {
            let room = &self.rooms[r as usize];
            if !room.is_shared(self.batch, few) || room.is_above(limit + remainder) {
                continue;
            }
            let (share, queued) = (room.least_share(), &mut self.queued[r as usize]);
            if share < limit.min(*queued) {
                *queued = share;
                self.queue.push(share, self.numbers[r as usize], Of::Resource(r));
            }
        }
    }

    /// Puts an open flow into the queue again, for the first event on its path; `known` is the event of a resource there.
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

    /// Whether it is clear, without working it out, that the event of a resource is after a place in the order: if all flows had
    /// the share of this place, except those that have less, it would not be full.
    fn is_after(&self, r: u32, (share, number): (i64, u32)) -> bool {
        let room = &self.rooms[r as usize];
        if room.bound > 0 {
            return false;
        }
        let (members, flows) = (self.members[r as usize].as_slice(), self.flows.as_slice());
        // An open flow counts as one without a rate.
        let above = |&member: &u32| (flows[member as usize].rate - share).max(0);
        let free = room.free - i64::from(room.open) * share + members.iter().map(above).sum::<i64>();
        // Sharing out leaves less than a unit for each flow, and may be a little early where rates differ by as little.
        let remainder = i64::from(room.flows);
        let is_near = |&member: &u32| (1..=remainder).contains(&(share - flows[member as usize].rate));
        free >= remainder || free >= 0 && self.numbers[r as usize] > number && !members.iter().any(is_near)
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
        // The flows that are open or bound here, and what they have to share. This may be negative
        // until the flows that take more are counted as well; the share that is returned is not.
        let (bound, count) = (i64::from(room.bound), i64::from(room.open + room.bound));
        let of_bound = bound * room.level;
        let rest = room.free + of_bound;
        let share = (count > 0).then(|| rest / count);
        let number = self.numbers[r as usize];
        if count < i64::from(room.flows) {
            // Of the flows bound here, all or none are faster than a share. They are among the count already.
            let others = |share: i64, (sum, faster): (i64, i64)| match room.level > share {
                true => (sum - of_bound, faster - bound),
                false => (sum, faster),
            };
            // Flows that are slower by more than what is left over in sharing out have their rates before.
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

    /// The sum of the rates of those flows of a resource that are counted, and their number.
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

    /// Gives `share` to all flows of a resource that are open or faster, or have this rate from a resource of a higher number.
    fn freeze(&mut self, r: u32, share: i64) {
        let Shares { units, rooms, numbers, members, flows, paths, chosen, unsettled, is_listed, .. } = self;
        let (number, remainder) = (numbers[r as usize], units.remainder());
        let (rooms, paths, flows) = (rooms.as_mut_slice(), paths.as_slice(), flows.as_mut_slice());
        let mut bound = 0;
        // As long as one more seems to be open here, this resource is not among the unsettled ones.
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
        let share = if room.bound > 0 && room.free >= i64::from(room.bound) {
            // Where flows that are bound here have more room nothing happens before their rate.
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

    /// Whether it is clear that a resource without open or bound flows, which has all that they take, stays as it is:
    /// no flow is faster than the share that the sweep has come to, and the flows at that share have it from resources of lower
    /// numbers. This is so for resources that the same flows cross one after the other: the one of the lowest number is the
    /// bottleneck.
    fn is_full_elsewhere(&self, r: u32) -> bool {
        let (members, flows) = (self.members[r as usize].as_slice(), self.flows.as_slice());
        let (reached, number) = (self.reached, self.numbers[r as usize]);
        let slower = reached - members.len() as i64;
        members.iter().all(|&member| {
            let flow = &flows[member as usize];
            flow.rate <= slower || flow.rate == reached && flow.number < number
        })
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
