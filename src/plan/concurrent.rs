//! Concurrent messages: where network latency is high, a node may send to several partners before it receives.

use crate::{model::MachineSpec, time::Span};

/// Maximum number of messages of all nodes: longer schedules take much time and memory to plan.
const MAX_MESSAGES: usize = 1 << 16;

/// Number of messages that each node may send regardless of [`MAX_MESSAGES`].
const ALWAYS_ALLOWED_PER_NODE: usize = 24;

/// Returns the maximum number of messages that each node sends in all rounds together, on this number of nodes.
pub(crate) fn max_concurrent_messages(nodes: usize) -> usize {
    ALWAYS_ALLOWED_PER_NODE.max(MAX_MESSAGES / nodes.max(1))
}

/// Returns the closed-form time of a round in which every node sends an empty message to `partners` others and then receives as many.
/// It is the larger of two times: all sends, the first arrival, then all receives; and all sends, the last arrival, then one receive.
/// Every message takes the longest route, or, if unknown, a route as long as from the first node to the last.
pub(crate) fn concurrent_round_time(machine: &MachineSpec, partners: usize) -> Span {
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
    fn a_round_takes_the_longer_of_calls_and_latency() {
        // A call takes 0.3 us, the latency is 0.9 us.
        let mpi: MachineSpec = "mpi:64".parse().unwrap();
        let of = |partners| concurrent_round_time(&mpi, partners).to_string();
        assert_eq!([1, 3, 4, 5].map(of), ["1.5 us", "2.1 us", "2.4 us", "3 us"]);
        let hockney: MachineSpec = "hockney:8x8".parse().unwrap();
        assert_eq!(
            [1, 3].map(|partners| concurrent_round_time(&hockney, partners).to_string()),
            ["130 us", "390 us"]
        );
    }
}
