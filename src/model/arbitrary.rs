//! Parameters of machines for property tests.

use proptest::prelude::*;

use super::Parameters;

/// The fastest machines and the slowest, with costs of every kind or without, and links of at least so much of the
/// bandwidth of a port; beta is no round number of picoseconds.
pub(crate) fn parameters(least_excess: f64) -> impl Strategy<Value = Parameters> {
    let overhead = || prop_oneof![Just(0.0), Just(65e-6), 1e-7..2e-4];
    let random = (
        (overhead(), overhead(), overhead()),
        (prop_oneof![Just(0.0), 0.0..2e-5], prop_oneof![Just(0.0), 0.0..2e-6]),
        prop_oneof![Just(0.0), Just(50e-9), 1e-10..1e-7],
        prop_oneof![Just(2.0), 1.0..2.0],
        prop_oneof![Just(1.0), least_excess..8.0],
        (prop_oneof![Just(0.0), 1e-9..5e-5], prop_oneof![Just(0.0), 1e-9..5e-8]),
    );
    let random = random.prop_map(
        |((send, receive, exchange), (latency, hop), beta, duplex, excess, (gamma, copy))| {
            let parameters = Parameters::builder()
                .send_overhead(send)
                .receive_overhead(receive)
                .exchange_overhead(exchange)
                .latency(latency)
                .hop(hop)
                .beta(beta)
                .duplex(duplex)
                .link_excess(excess)
                .gamma(gamma)
                .copy(copy);
            parameters.build().expect("all within their limits")
        },
    );
    prop_oneof![Just(Parameters::paragon()), Just(Parameters::hockney()), random.boxed()]
}
