//! Closed-form estimate of the time to forward messages along axes.

use super::{
    super::Instance,
    digits::{Axis, Pace},
    parts,
};
use crate::{pattern::Exchange, rank::Rank, time::Span, topology::LinkId};

/// Closed-form estimate for an exchange whose messages all have the mean length.
pub(in crate::all_to_all) struct ClosedForm<'a> {
    pub(in crate::all_to_all) instance: &'a Instance,
    /// The rank at each place.
    ranks: &'a [Rank],
    /// Mean bytes that a rank has for all other ranks.
    bytes: f64,
}

/// Estimated times of the two paces that the closed form distinguishes: all values of a digit at once, or one after the other. The three
/// paces of the second kind take about the same time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::all_to_all) struct Times {
    pub(in crate::all_to_all) at_once: Span,
    pub(in crate::all_to_all) in_turn: Span,
}

impl Times {
    pub(in crate::all_to_all) fn fastest(self) -> Span {
        self.at_once.min(self.in_turn)
    }

    /// Returns the pace with the shorter estimated time.
    pub(in crate::all_to_all) fn pace(self) -> Pace {
        if self.at_once < self.in_turn { Pace::AtOnce } else { Pace::Each(Exchange::InTurn) }
    }
}

/// Weight of the in-step estimate, fitted to observed link times, for ranks that start several messages at once. Weight 1 assumes that
/// links carry the messages of one digit value at a time; weight 0 assumes that messages pass in arbitrary order.
const IN_STEP_WEIGHT: f64 = 0.75;

/// The messages with one value of a digit: one message from each rank.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    /// Fraction of a rank's bytes in its message.
    share: f64,
    /// Time of the busiest link for these messages, in seconds per byte that a rank has for all other ranks.
    busiest: f64,
    /// Mean number of links on the path of a message.
    links: f64,
}

impl ClosedForm<'_> {
    pub(in crate::all_to_all) fn of<'a>(instance: &'a Instance, ranks: &'a [Rank]) -> ClosedForm<'a> {
        let bytes = parts(instance.matrix()).map(|part| part.bytes).fold(0, u64::saturating_add);
        ClosedForm { instance, ranks, bytes: bytes as f64 / instance.size() as f64 }
    }

    /// Returns the times of all messages along the axes, without link contention.
    pub(in crate::all_to_all) fn contention_free(&self, axes: &[Axis]) -> Times {
        let mut times = [0.0; 2];
        for axis in axes {
            for (weight, values) in axis.digits() {
                let round = |value| Round { share: share(axis, weight, value), ..Round::default() };
                self.add(&mut times, &(1..values).map(round).collect::<Vec<Round>>(), 0.0);
            }
        }
        to_times(times)
    }

    /// Returns the times of all messages along the axes. For each message of a rank they include the calls, the transit through the
    /// network, and the time of the ports or, if longer, of the busiest link.
    pub(in crate::all_to_all) fn times(&self, axes: &[Axis]) -> Times {
        let topology = self.instance.machine().topology();
        let (members, nodes) = (self.instance.members(), self.instance.size());
        let [mut of_value, mut of_digit] = [(); 2].map(|()| LinkLoads::new(self.instance));
        let mut route = Vec::new();
        let mut times = [0.0; 2];
        for axis in axes {
            for (weight, values) in axis.digits() {
                let round = |value: usize| {
                    let (share, mut links) = (share(axis, weight, value), 0);
                    for place in 0..nodes {
                        let to = axis.advanced(place, value * weight);
                        topology.route(members[self.ranks[place]], members[self.ranks[to]], &mut route);
                        links += route.len();
                        of_value.add(&route, share);
                        of_digit.add(&route, share);
                        route.clear();
                    }
                    Round { share, busiest: of_value.take_busiest(), links: links as f64 / nodes as f64 }
                };
                let rounds: Vec<Round> = (1..values).map(round).collect();
                self.add(&mut times, &rounds, of_digit.take_busiest());
            }
        }
        to_times(times)
    }

    /// Adds the seconds that the messages of one digit take at each pace.
    fn add(&self, times: &mut [f64; 2], rounds: &[Round], busiest: f64) {
        times[0] += self.at_once(rounds, busiest);
        times[1] += rounds.iter().map(|round| self.in_turn(round)).sum::<f64>();
    }

    /// Returns the seconds that a message takes if a rank sends one message and then receives one.
    fn in_turn(&self, round: &Round) -> f64 {
        let parameters = self.instance.parameters();
        let transit = parameters.hop().as_secs_f64() * round.links;
        parameters.alpha().as_secs_f64() + transit + self.copied(round) + self.moved(round, 1)
    }

    /// Returns the seconds that messages take if a rank starts all sends before it receives. The time is the maximum of three: all calls,
    /// all bytes, and the sends followed by the transit of the last message. `busiest` is the time of the busiest link for all messages.
    fn at_once(&self, rounds: &[Round], busiest: f64) -> f64 {
        let parameters = self.instance.parameters();
        let messages = rounds.len() as f64;
        let sum = |of: &dyn Fn(&Round) -> f64| rounds.iter().map(of).sum::<f64>();
        let (send, receive) =
            (parameters.send_overhead().as_secs_f64(), parameters.receive_overhead().as_secs_f64());
        let beside = receive + parameters.exchange_overhead().as_secs_f64();
        let hops = parameters.hop().as_secs_f64() * sum(&|round| round.links) / messages;
        let transit = parameters.latency().as_secs_f64() + hops + receive;
        let copied = sum(&|round| self.copied(round));
        let in_step = sum(&|round| self.moved(round, rounds.len()));
        let in_ports = sum(&|round| self.moved(&Round { busiest: 0.0, ..*round }, rounds.len()));
        let moved = IN_STEP_WEIGHT * in_step + (1.0 - IN_STEP_WEIGHT) * in_ports.max(self.bytes * busiest);
        let started = messages * send + copied;
        let bytes = send + copied / messages + moved + transit;
        (started + messages * beside).max(bytes).max(started + transit)
    }

    fn copied(&self, round: &Round) -> f64 {
        round.share * self.bytes * self.instance.parameters().copy()
    }

    /// Returns the seconds that a message occupies ports and links, if `messages` messages share the ports of a rank.
    fn moved(&self, round: &Round, messages: usize) -> f64 {
        let parameters = self.instance.parameters();
        let ports = (parameters.ports() as usize).min(messages) as f64;
        let byte = parameters.beta() / ports * 2.0 / parameters.duplex();
        self.bytes * (round.share * byte).max(round.busiest)
    }
}

/// Returns the fraction of messages whose distance around an axis has `value` as its digit of weight `weight`.
fn share(axis: &Axis, weight: usize, value: usize) -> f64 {
    axis.with_value(weight, value) as f64 / axis.extent as f64
}

fn to_times(seconds: [f64; 2]) -> Times {
    let [at_once, in_turn] = seconds.map(Span::from_secs_f64);
    Times { at_once, in_turn }
}

/// Loads of the links.
struct LinkLoads {
    /// Seconds per byte on each link.
    seconds: Vec<f64>,
    carried: Vec<f64>,
    /// The links with load; a link may occur several times.
    used: Vec<LinkId>,
}

impl LinkLoads {
    fn new(instance: &Instance) -> LinkLoads {
        let machine = instance.machine();
        let links = 0..machine.topology().links();
        let seconds: Vec<f64> = links.map(|link| 1.0 / machine.link_capacity(link)).collect();
        LinkLoads { carried: vec![0.0; seconds.len()], seconds, used: Vec::new() }
    }

    fn add(&mut self, route: &[LinkId], share: f64) {
        route.iter().for_each(|&link| self.carried[link] += share * self.seconds[link]);
        self.used.extend_from_slice(route);
    }

    /// Returns the time of the busiest link, and clears the load.
    fn take_busiest(&mut self) -> f64 {
        let busiest = self.used.iter().map(|&link| self.carried[link]).fold(0.0, f64::max);
        self.used.drain(..).for_each(|link| self.carried[link] = 0.0);
        busiest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{all_to_all::Matrix, model::MachineSpec};

    /// Tests 64 ranks in two digits of 8, each with 7 messages of an eighth of the bytes.
    #[test]
    fn start_ups_overlap_with_transfers_and_latency_with_calls() {
        let times = |machine: &str, bytes: u64| {
            let machine: MachineSpec = machine.parse().unwrap();
            let instance = Instance::new(&machine, Matrix::of(64, |_, _| bytes).unwrap()).unwrap();
            let times = ClosedForm::of(&instance, &[]).contention_free(&[8, 1].map(|stride| Axis {
                extent: 8,
                stride,
                radix: 8,
            }));
            [times.at_once, times.in_turn].map(|time| format!("{:.1}", time.as_micros_f64()))
        };
        // 65 us a call; 63 KiB / 8 take 403.2 us: 2 (65 + 7 x 403.2 + 65) and 2 x 7 (130 + 403.2).
        assert_eq!(times("hockney:8x8", 1024), ["5904.8", "7464.8"]);
        // 0.3 us a call, and 0.9 us of latency: about 2 x 7 x 0.6 and 2 x 7 x 1.5.
        assert_eq!(times("mpi:64", 8), ["8.4", "21.1"]);
    }
}
