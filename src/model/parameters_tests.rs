//! Tests of the parameters of a machine: limits, defaults, derived values.

use super::*;

#[test]
fn by_default_nothing_costs_anything() {
    let free = Parameters::builder().build().unwrap();
    assert_eq!(free.alpha(), Span::ZERO);
    assert_eq!(free.transfer(u64::MAX), Span::ZERO);
    assert_eq!((free.duplex(), free.ports(), free.link_excess(), free.barrier()), (2.0, 1, 1.0, None));
    assert_eq!((free.port_capacity(), free.link_capacity()), (f64::INFINITY, f64::INFINITY));
}

#[test]
fn every_setter_reaches_its_getter() {
    let parameters = Parameters::builder()
        .send_overhead(1e-6)
        .receive_overhead(2e-6)
        .latency(3e-6)
        .hop(4e-6)
        .beta(5e-9)
        .duplex(1.5)
        .ports(4)
        .exchange_overhead(6e-6)
        .unexpected_overhead(13e-6)
        .unexpected_copy(14e-9)
        .active_overheads(11e-6, 12e-6)
        .link_capacity(7e6)
        .gamma(8e-9)
        .copy(9e-9)
        .barrier(10e-6)
        .build()
        .unwrap();
    assert_eq!(parameters.send_overhead(), Span::from_micros(1));
    assert_eq!(parameters.receive_overhead(), Span::from_micros(2));
    assert_eq!(parameters.latency(), Span::from_micros(3));
    assert_eq!(parameters.hop(), Span::from_micros(4));
    assert_eq!(parameters.beta(), 5e-9);
    assert_eq!(parameters.port_capacity(), 2e8);
    assert_eq!(parameters.duplex(), 1.5);
    assert_eq!((parameters.ports(), parameters.node_beta()), (4, 1.25e-9));
    assert_eq!(parameters.exchange_overhead(), Span::from_micros(6));
    assert_eq!(parameters.unexpected_overhead(), Span::from_micros(13));
    assert_eq!(parameters.unexpected_copy(), 14e-9);
    assert_eq!(parameters.active_send_overhead(), Span::from_micros(11));
    assert_eq!(parameters.active_receive_overhead(), Span::from_micros(12));
    assert_eq!(parameters.link_capacity(), 7e6);
    assert_eq!(parameters.link_excess(), 7e6 * 5e-9);
    assert_eq!(parameters.gamma(), 8e-9);
    assert_eq!(parameters.copy(), 9e-9);
    assert_eq!(parameters.barrier(), Some(Span::from_micros(10)));

    assert_eq!(parameters.alpha(), Span::from_micros(6));
    assert_eq!(parameters.transfer(1000), Span::from_micros(5));
    assert_eq!(parameters.combining(1000), Span::from_micros(8));
    assert_eq!(parameters.copying(1000), Span::from_micros(9));
    assert_eq!(parameters.unexpected(1000), Some(Span::from_micros(27)));
    assert_eq!(parameters.active_trip(2), Span::from_nanos(11_000 + 80 + 3_000 + 8_000 + 12_000));
    assert_eq!(parameters.to_builder().build(), Ok(parameters));
}

#[test]
fn the_later_of_excess_and_capacity_wins_and_survives_a_change_of_beta() {
    let base = Parameters::builder().beta(1e-8);
    let excess = base.clone().link_capacity(3.0).link_excess(2.0).build().unwrap();
    let capacity = base.link_excess(2.0).link_capacity(3e8).build().unwrap();
    assert_eq!(excess.link_capacity(), 2e8);
    assert_eq!(capacity.link_capacity(), 3e8);

    let halved = |parameters: Parameters| parameters.to_builder().beta(2e-8).build().unwrap();
    assert_eq!(halved(excess).link_capacity(), 1e8);
    assert_eq!(halved(capacity).link_capacity(), 3e8);
}

#[test]
fn active_overheads_default_to_the_other_overheads() {
    let of = |builder: ParametersBuilder| builder.build().unwrap();
    let overheads =
        |machine: &Parameters| (machine.active_send_overhead(), machine.active_receive_overhead());
    let us = Span::from_micros;
    let base = of(Parameters::builder().send_overhead(5e-6).receive_overhead(6e-6));
    assert_eq!(overheads(&base), (us(5), us(6)));
    assert_eq!(overheads(&of(base.to_builder().send_overhead(7e-6))), (us(7), us(6)));
    let half = of(base.to_builder().active_receive_overhead(1e-6).send_overhead(7e-6));
    assert_eq!(overheads(&half), (us(7), us(1)));
    assert_eq!(overheads(&of(half.to_builder().receive_overhead(9e-6))), (us(7), us(1)));
}

#[test]
fn values_outside_their_limits_are_refused_by_name() {
    type Setter = fn(ParametersBuilder, f64) -> ParametersBuilder;
    let times: [(&str, Setter); 13] = [
        ("send_overhead", ParametersBuilder::send_overhead),
        ("receive_overhead", ParametersBuilder::receive_overhead),
        ("latency", ParametersBuilder::latency),
        ("hop", ParametersBuilder::hop),
        ("beta", ParametersBuilder::beta),
        ("exchange_overhead", ParametersBuilder::exchange_overhead),
        ("unexpected_overhead", ParametersBuilder::unexpected_overhead),
        ("unexpected_copy", ParametersBuilder::unexpected_copy),
        ("active_send_overhead", ParametersBuilder::active_send_overhead),
        ("active_receive_overhead", ParametersBuilder::active_receive_overhead),
        ("gamma", ParametersBuilder::gamma),
        ("copy", ParametersBuilder::copy),
        ("barrier", ParametersBuilder::barrier),
    ];
    let refused = |name: &str, set: Setter, given: f64| {
        let error = set(Parameters::builder(), given).build().unwrap_err();
        assert_eq!(error.parameter(), name);
        assert!(error.given() == given || given.is_nan());
    };
    for (name, set) in times {
        for given in [-1e-12, 1.1e6, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            refused(name, set, given);
        }
        assert!(set(Parameters::builder(), 1e6).build().is_ok());
    }
    for given in [0.99, 2.01, f64::NAN] {
        refused("duplex", ParametersBuilder::duplex, given);
    }
    for given in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused("link_excess", ParametersBuilder::link_excess, given);
        refused("link_capacity", ParametersBuilder::link_capacity, given);
    }
    assert_eq!(
        Parameters::builder().hop(-0.5).build().unwrap_err().to_string(),
        "hop = -0.5 is out of range; it must be from 0 to 1e6 s"
    );
}

#[test]
fn a_negative_zero_is_a_zero() {
    let parameters = Parameters::builder().beta(-0.0).build().unwrap();
    assert_eq!(parameters.port_capacity(), f64::INFINITY);
    assert_eq!(parameters.link_capacity(), f64::INFINITY);
}

#[test]
fn serialized_keys_are_the_names_of_the_getters() {
    let json = serde_json::to_value(Parameters::builder().hop(2e-6).build().unwrap()).unwrap();
    assert_eq!(json["hop"], 2e-6);
    assert_eq!(json["active_send_overhead"], 0.0);
    assert!(json["link_capacity"].is_null() && json.get("link").is_none());
}
