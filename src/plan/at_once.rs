//! Several messages at once: where these take long in the network, a node may send to several others before it receives.

use crate::{model::Description, time::Span};

/// The most messages of all nodes: more take long to plan, and much memory.
const MOST: usize = 1 << 16;

/// Each node may send so many all the same.
const MOST_EACH: usize = 24;

/// The most messages that each of so many nodes sends in all rounds together.
pub(crate) fn most_at_once(nodes: usize) -> usize {
    MOST_EACH.max(MOST / nodes.max(1))
}

/// The time of a round in which every node sends an empty message to so many others, and then receives as many, by a closed form:
/// when it has sent all and the first message has come, or when the last one has. All take the longest route, or, where that is
/// not known, one as long as that between the first node and the last.
pub(crate) fn at_once(machine: &Description, partners: usize) -> Span {
    let (parameters, partners) = (machine.parameters(), partners as u64);
    let topology = machine.topology();
    let from_end_to_end = || {
        let mut route = Vec::new();
        topology.route(0, topology.nodes() - 1, &mut route);
        route.len()
    };
    let hops = topology.longest_route().unwrap_or_else(from_end_to_end) as u64;
    let flight = parameters.latency() + parameters.hop().times(hops);
    let (send, receive) = (parameters.send_overhead(), parameters.receive_overhead());
    let first = send.times(partners).max(send + flight) + receive.times(partners);
    let last = send.times(partners) + flight + receive;
    first.max(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_hide_the_latency_or_the_latency_calls() {
        // 0.3 us a call, 0.9 us of latency.
        let mpi: Description = "mpi:64".parse().unwrap();
        let of = |partners| at_once(&mpi, partners).to_string();
        assert_eq!([1, 3, 4, 5].map(of), ["1.5 us", "2.1 us", "2.4 us", "3 us"]);
        let hockney: Description = "hockney:8x8".parse().unwrap();
        assert_eq!([1, 3].map(|partners| at_once(&hockney, partners).to_string()), ["130 us", "390 us"]);
    }
}
