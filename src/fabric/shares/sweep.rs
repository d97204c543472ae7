//! One update of the shares: progressive filling from the lowest share upwards that stops only where something differs from
//! before.
//!
//! Invariants while the sweep is at a share. A flow without a rate is *open*. The share at which a resource is full next is
//! worked out as if all flows that are not open kept what they have, except those that would get more than it; that is exact
//! as long as it is below their rates, since what changes their rates first makes them open, or has a lower share. So each
//! resource that may be full before its flows have got their rates elsewhere is in the queue with a share that is not higher:
//! one that two open flows cross, or a flow bound there, by itself; those which one open flow alone crosses by the first of
//! them, under the name of this flow. In a large network most resources are of the latter kind.

use super::{
    Flow, NONE, OPEN, Shares,
    queue::Of,
    resource::{NEVER, Resource},
};

/// What happens to a resource at a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// It is full: the flows that are open or faster get this share.
    Full,
    /// It is not full any more at the rate of the flows bound there: they become open.
    Slack,
}

/// What the entry of a flow in the queue stands for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Alone {
    /// The first of the resources that the flow alone crosses, of all open flows.
    first: u32,
    /// Nothing happens to the others of them before this share, and at this share not to those below this number.
    others: (i64, u32),
}

impl Shares {
    /// Shares out what the flows that started and ended have changed.
    pub(super) fn sweep(&mut self) {
        for i in 0..self.changed.len() {
            self.look_again(self.changed[i]);
        }
        self.changed.clear();
        self.queue_open(0);
        while let Some((share, of)) = self.queue.pop() {
            match of {
                Of::Resource(r) => {
                    let queued = &mut self.resources[r as usize].queued;
                    // Another entry with a lower share has taken its place otherwise.
                    if *queued == share {
                        *queued = NEVER;
                        self.reach(r, share);
                    }
                }
                Of::Flow(flow) => self.reach_alone(flow, share),
            }
        }
        self.open_the_limit();
    }

    /// Puts what chosen flows cross into the queue, for those from the place `from` on in their list.
    fn queue_open(&mut self, from: usize) {
        let Shares { units, resources, numbers, paths, alone, chosen, queue, .. } = self;
        let limit = units.limit();
        for &flow in &chosen[from..] {
            let (mut first, mut others, mut at) = ((limit, 0), (limit, 0), 0);
            for &r in &paths[flow as usize] {
                let resource = &mut resources[r as usize];
                if resource.has_room(limit) {
                    continue;
                }
                let share = resource.least_share();
                if resource.open == 1 && resource.queued == NEVER {
                    if share > others.0 {
                        continue;
                    }
                    let place = (share, numbers[r as usize]);
                    if place < first {
                        (first, others, at) = (place, first, r);
                    } else {
                        others = others.min(place);
                    }
                } else if share < resource.queued.min(limit) {
                    resource.queued = share;
                    queue.push(share, numbers[r as usize], Of::Resource(r));
                }
            }
            if first.0 < limit {
                alone[flow as usize] = Alone { first: at, others };
                queue.push(first.0, first.1, Of::Flow(flow));
            }
        }
    }

    /// Puts an open flow into the queue again, for the first of the resources that it alone crosses and that are not in the queue
    /// themselves.
    fn queue_alone(&mut self, flow: u32) {
        let limit = self.units.limit();
        let (mut first, mut at) = ((limit, 0), 0);
        for i in 0..self.paths[flow as usize].len() {
            let r = self.paths[flow as usize][i];
            let (resource, number) = (&self.resources[r as usize], self.numbers[r as usize]);
            if resource.open > 1 || resource.queued != NEVER || resource.has_room(limit) {
                continue;
            }
            if (resource.least_share(), number) < first
                && let Some((share, _)) = self.next_event(r)
                && (share, number) < first
            {
                (first, at) = ((share, number), r);
            }
        }
        if first.0 < limit {
            self.alone[flow as usize] = Alone { first: at, others: (0, 0) };
            self.queue.push(first.0, first.1, Of::Flow(flow));
        }
    }

    fn push(&mut self, r: u32, share: i64) {
        self.resources[r as usize].queued = share;
        self.queue.push(share, self.numbers[r as usize], Of::Resource(r));
    }

    /// Lets happen at a resource what happens there next, or puts it into the queue again if it is not its turn.
    fn reach(&mut self, r: u32, share: i64) {
        let Some((next, event)) = self.next_event(r) else { return };
        if next == share || self.queue.is_first(next, self.numbers[r as usize]) {
            self.happen(r, next, event);
        } else {
            self.push(r, next);
        }
    }

    /// The same for the first of the resources that a flow alone crosses.
    fn reach_alone(&mut self, flow: u32, share: i64) {
        let is_open = |shares: &Shares| shares.flows[flow as usize].bottleneck == OPEN;
        if !is_open(self) {
            return;
        }
        let Alone { first: r, others } = self.alone[flow as usize];
        let Resource { open, queued, .. } = self.resources[r as usize];
        if open == 1
            && queued == NEVER
            && let Some((next, event)) = self.next_event(r)
        {
            let number = self.numbers[r as usize];
            if next == share || (next, number) < others && self.queue.is_first(next, number) {
                self.happen(r, next, event);
            }
        }
        if is_open(self) {
            self.queue_alone(flow);
        }
    }

    fn happen(&mut self, r: u32, share: i64, event: Event) {
        match event {
            Event::Full => self.freeze(r, share),
            Event::Slack => self.release(r),
        }
    }

    /// The share at which something happens to a resource next, and what, if all flows that are not open keep their rates,
    /// except those that would get more than the others here.
    ///
    /// It is looked for from above: if the resource is full while the `count` fastest flows have no rate yet, and the slowest of
    /// these would not have got its rate by then. By rounding there may be several such counts; in a filling the largest is
    /// the first.
    fn next_event(&mut self, r: u32) -> Option<(i64, Event)> {
        let Shares { units, resources, numbers, members, flows, above, .. } = self;
        let resource = &resources[r as usize];
        let Resource { free, level, open, bound, .. } = *resource;
        if open == 0 && resource.is_settled(units.remainder()) {
            return None;
        }
        let (number, members) = (numbers[r as usize], &members[r as usize]);
        let mut rest = free + i64::from(bound) * level;
        let mut count = i64::from(open + bound);
        let mut share = (count > 0).then(|| rest.div_euclid(count));
        // Slower flows by more than what is left over in sharing out have their rates before.
        let least = share.map_or(0, |share| share - members.len() as i64);
        share = share.filter(|&share| bound == 0 || share <= level);
        above.clear();
        let others = members.iter().map(|&member| &flows[member as usize]);
        above.extend(
            others
                .filter(|flow| flow.rate > least && flow.bottleneck != OPEN && flow.bottleneck != r)
                .map(Flow::key),
        );
        above.sort_unstable();
        for &key in above.iter().rev() {
            rest += key.0;
            count += 1;
            let next = rest.div_euclid(count);
            if key > (next, number) {
                share = Some(next);
            }
        }
        match share {
            Some(share) => (share < units.limit()).then_some((share, Event::Full)),
            None => (bound > 0).then_some((level, Event::Slack)),
        }
    }

    /// Gives `share` to all flows of a resource that are open or faster, or have this rate from a resource of a higher number.
    fn freeze(&mut self, r: u32, share: i64) {
        let Shares { units, resources, numbers, members, flows, paths, chosen, unsettled, .. } = self;
        let number = numbers[r as usize];
        let mut bound = 0;
        for &member in &members[r as usize] {
            let flow = &mut flows[member as usize];
            let (change, opened) = if flow.bottleneck == OPEN {
                (share, 1)
            } else if flow.key() > (share, number) {
                chosen.push(member);
                if flow.bottleneck != NONE {
                    resources[flow.bottleneck as usize].bound -= 1;
                }
                (share - flow.rate, 0)
            } else {
                bound += u32::from(flow.bottleneck == r);
                continue;
            };
            *flow = Flow { rate: share, bottleneck: r, number };
            bound += 1;
            for &other in &paths[member as usize] {
                let resource = &mut resources[other as usize];
                resource.free -= change;
                resource.open -= opened;
                if resource.open == 0 && !resource.is_settled(units.remainder()) {
                    unsettled.push(other);
                }
            }
        }
        let resource = &mut resources[r as usize];
        (resource.bound, resource.level) = (bound, share);
        while let Some(other) = self.unsettled.pop() {
            self.look_again(other);
        }
    }

    /// Puts a resource without open flows into the queue if its flows cannot stay as they are.
    fn look_again(&mut self, r: u32) {
        let resource = &self.resources[r as usize];
        if resource.open > 0 || resource.queued != NEVER || resource.is_settled(self.units.remainder()) {
            return;
        }
        if resource.bound > 0 {
            self.push(r, resource.least_share());
        } else if let Some((share, _)) = self.next_event(r) {
            self.push(r, share);
        }
    }

    /// Takes their rates from the flows that are bound at a resource.
    fn release(&mut self, r: u32) {
        let from = self.chosen.len();
        self.open_bound(r);
        self.queue_open(from);
    }

    /// Makes the flows that are bound at a resource open, and chooses them.
    pub(super) fn open_bound(&mut self, r: u32) {
        let Shares { resources, members, flows, paths, chosen, .. } = self;
        for &member in &members[r as usize] {
            let flow = &mut flows[member as usize];
            if flow.bottleneck != r {
                continue;
            }
            chosen.push(member);
            flow.bottleneck = OPEN;
            for &other in &paths[member as usize] {
                let resource = &mut resources[other as usize];
                resource.free += flow.rate;
                resource.open += 1;
            }
        }
        resources[r as usize].bound = 0;
    }

    /// Lets the flows that are still open run at the limit.
    fn open_the_limit(&mut self) {
        let Shares { units, resources, flows, paths, chosen, .. } = self;
        let limit = units.limit();
        for &chosen in chosen.iter() {
            let flow = &mut flows[chosen as usize];
            if flow.bottleneck != OPEN {
                continue;
            }
            *flow = Flow { rate: limit, bottleneck: NONE, number: 0 };
            for &r in &paths[chosen as usize] {
                let resource = &mut resources[r as usize];
                resource.free -= limit;
                resource.open -= 1;
            }
        }
    }
}
