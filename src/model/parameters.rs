//! The parameters of a machine: what its processors, its network and its memory cost.
//!
//! | parameter | symbol | unit | default |
//! | --- | --- | --- | --- |
//! | [`send_overhead`](ParametersBuilder::send_overhead) | `o_s` | s | 0 |
//! | [`receive_overhead`](ParametersBuilder::receive_overhead) | `o_r` | s | 0 |
//! | [`latency`](ParametersBuilder::latency) | `L` | s | 0 |
//! | [`hop`](ParametersBuilder::hop) | `hop` | s | 0 |
//! | [`beta`](ParametersBuilder::beta) | `beta` | s/byte | 0 |
//! | [`duplex`](ParametersBuilder::duplex) | `d` | - | 2 |
//! | [`exchange_overhead`](ParametersBuilder::exchange_overhead) | `o_x` | s | 0 |
//! | [`link_excess`](ParametersBuilder::link_excess) | `k` = `C * beta` | - | 1 |
//! | [`link_capacity`](ParametersBuilder::link_capacity) | `C` = `k / beta` | byte/s | from `k` |
//! | [`gamma`](ParametersBuilder::gamma) | `gamma` | s/element | 0 |
//! | [`copy`](ParametersBuilder::copy) | `copy` | s/byte | 0 |
//! | [`barrier`](ParametersBuilder::barrier) | `barrier` | s | none |
//!
//! Times are kept as whole picoseconds ([`Span`]); rates stay `f64`, and their product with a number of bytes or
//! elements is rounded once, to the nearest picosecond.

use serde::Serialize;
use thiserror::Error;

use crate::time::Span;

/// The longest time that a parameter may be, in seconds (per message, byte or element); far below [`Span::MAX`].
const LONGEST: f64 = 1e6;

/// The parameters of a machine under the timing model, all checked.
///
/// With no conflict a message of `n` bytes takes [`alpha`](Parameters::alpha)` + n * `[`beta`](Parameters::beta).
///
/// ```
/// use multicomputer::{Span, model::Parameters};
///
/// let parameters = Parameters::builder()
///     .send_overhead(65e-6)
///     .receive_overhead(65e-6)
///     .beta(50e-9)
///     .build()?;
/// assert_eq!(parameters.alpha() + parameters.transfer(1000), Span::from_micros(180));
/// # Ok::<(), multicomputer::model::ParameterError>(())
/// ```
///
/// Two sets are equal if they were given equal values, `k` or `C` being what was given for the links. Serialized
/// under the names of the getters, times in seconds; JSON shows an infinite capacity as `null`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameters {
    send_overhead: Span,
    receive_overhead: Span,
    latency: Span,
    hop: Span,
    beta: f64,
    duplex: f64,
    exchange_overhead: Span,
    #[serde(skip)]
    link: LinkSpeed,
    link_capacity: f64,
    gamma: f64,
    copy: f64,
    barrier: Option<Span>,
}

/// How the capacity of a link was given.
#[derive(Clone, Copy, Debug, PartialEq)]
enum LinkSpeed {
    /// As `k`, a multiple of the capacity of a port.
    Excess(f64),
    /// As `C`, in bytes per second.
    Capacity(f64),
}

impl Parameters {
    /// Starts from the defaults: no cost at all, full duplex, links as fast as ports, no barrier.
    pub fn builder() -> ParametersBuilder {
        ParametersBuilder::default()
    }

    /// Starts from these parameters, to change some of them.
    ///
    /// Where the links were given as an excess `k`, they keep it when `beta` changes; where they were given as a
    /// capacity `C`, they keep that.
    pub fn to_builder(&self) -> ParametersBuilder {
        ParametersBuilder {
            send_overhead: self.send_overhead.as_secs_f64(),
            receive_overhead: self.receive_overhead.as_secs_f64(),
            latency: self.latency.as_secs_f64(),
            hop: self.hop.as_secs_f64(),
            beta: self.beta,
            duplex: self.duplex,
            exchange_overhead: self.exchange_overhead.as_secs_f64(),
            link: self.link,
            gamma: self.gamma,
            copy: self.copy,
            barrier: self.barrier.map(Span::as_secs_f64),
        }
    }

    /// `o_s`: the time for which a message occupies the processor of its sender.
    pub fn send_overhead(&self) -> Span {
        self.send_overhead
    }

    /// `o_r`: the time for which a message occupies the processor of its receiver.
    pub fn receive_overhead(&self) -> Span {
        self.receive_overhead
    }

    /// `L`: the fixed time of a message in the network.
    pub fn latency(&self) -> Span {
        self.latency
    }

    /// The time in the network added for each link of the route.
    pub fn hop(&self) -> Span {
        self.hop
    }

    /// The time per byte between a node and the network, in s/byte.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// `d`: the capacity of a node's in-port and out-port together, as a multiple of that of one; 2 is full duplex,
    /// 1 half duplex.
    pub fn duplex(&self) -> f64 {
        self.duplex
    }

    /// `o_x`: extra processor time of a receive that overlapped a send of the same node.
    pub fn exchange_overhead(&self) -> Span {
        self.exchange_overhead
    }

    /// `k = C * beta`: the capacity of a link as a multiple of that of a port, its "excess bandwidth".
    pub fn link_excess(&self) -> f64 {
        match self.link {
            LinkSpeed::Excess(excess) => excess,
            LinkSpeed::Capacity(capacity) => capacity * self.beta,
        }
    }

    /// `C`: the capacity of a directed link in bytes/s; infinite if it was given as an excess and `beta` is 0.
    pub fn link_capacity(&self) -> f64 {
        self.link_capacity
    }

    /// The capacity of an in-port and of an out-port in bytes/s, `1 / beta`; infinite if `beta` is 0.
    pub fn port_capacity(&self) -> f64 {
        port_capacity(self.beta)
    }

    /// The processor time for combining one element, in s/element.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// The processor time for copying one byte in memory, in s/byte.
    pub fn copy(&self) -> f64 {
        self.copy
    }

    /// The time of a hardware barrier; `None` for a machine without one.
    pub fn barrier(&self) -> Option<Span> {
        self.barrier
    }

    /// `alpha = o_s + L + o_r`: the start-up time of a message, Hockney's alpha.
    pub fn alpha(&self) -> Span {
        self.send_overhead + self.latency + self.receive_overhead
    }

    /// `n * beta`: the time that `bytes` take through a port with no conflict.
    pub fn transfer(&self, bytes: u64) -> Span {
        Span::from_secs_f64(bytes as f64 * self.beta)
    }

    /// `m * gamma`: the processor time for combining `elements`.
    pub fn combining(&self, elements: u64) -> Span {
        Span::from_secs_f64(elements as f64 * self.gamma)
    }

    /// `n * copy`: the processor time for copying `bytes` in memory.
    pub fn copying(&self, bytes: u64) -> Span {
        Span::from_secs_f64(bytes as f64 * self.copy)
    }
}

/// Collects [`Parameters`] in SI units; made by [`Parameters::builder`] and [`Parameters::to_builder`].
///
/// The setters take any value; [`build`](ParametersBuilder::build) checks them all.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a builder does nothing until it is built"]
pub struct ParametersBuilder {
    send_overhead: f64,
    receive_overhead: f64,
    latency: f64,
    hop: f64,
    beta: f64,
    duplex: f64,
    exchange_overhead: f64,
    link: LinkSpeed,
    gamma: f64,
    copy: f64,
    barrier: Option<f64>,
}

/// No cost at all, full duplex, links as fast as ports, no barrier.
impl Default for ParametersBuilder {
    fn default() -> Self {
        ParametersBuilder {
            send_overhead: 0.0,
            receive_overhead: 0.0,
            latency: 0.0,
            hop: 0.0,
            beta: 0.0,
            duplex: 2.0,
            exchange_overhead: 0.0,
            link: LinkSpeed::Excess(1.0),
            gamma: 0.0,
            copy: 0.0,
            barrier: None,
        }
    }
}

impl ParametersBuilder {
    /// `o_s`: processor time at the sender for each message, in seconds. Default 0; from 0 to 1e6.
    pub fn send_overhead(self, seconds: f64) -> Self {
        Self { send_overhead: seconds, ..self }
    }

    /// `o_r`: processor time at the receiver for each message, in seconds. Default 0; from 0 to 1e6.
    pub fn receive_overhead(self, seconds: f64) -> Self {
        Self { receive_overhead: seconds, ..self }
    }

    /// `L`: fixed time of a message in the network, in seconds. Default 0; from 0 to 1e6.
    pub fn latency(self, seconds: f64) -> Self {
        Self { latency: seconds, ..self }
    }

    /// Time in the network for each link of the route, in seconds. Default 0; from 0 to 1e6.
    pub fn hop(self, seconds: f64) -> Self {
        Self { hop: seconds, ..self }
    }

    /// Time per byte between a node and the network, in s/byte: in-port and out-port have the capacity `1 / beta`
    /// each. Default 0, which makes them infinitely fast; from 0 to 1e6.
    pub fn beta(self, seconds_per_byte: f64) -> Self {
        Self { beta: seconds_per_byte, ..self }
    }

    /// `d`: a node's in-port and out-port together move at most `d / beta` bytes per second. Default 2, full
    /// duplex; from 1, half duplex, to 2.
    pub fn duplex(self, factor: f64) -> Self {
        Self { duplex: factor, ..self }
    }

    /// `o_x`: extra processor time of a receive that overlapped a send of the same node, in seconds. Default 0;
    /// from 0 to 1e6.
    pub fn exchange_overhead(self, seconds: f64) -> Self {
        Self { exchange_overhead: seconds, ..self }
    }

    /// `k`: the capacity of each directed link as a multiple of that of a port, `C = k / beta`. Default 1; above 0.
    ///
    /// Replaces an earlier [`link_capacity`](Self::link_capacity).
    pub fn link_excess(self, factor: f64) -> Self {
        Self { link: LinkSpeed::Excess(factor), ..self }
    }

    /// `C`: the capacity of each directed link in bytes/s. Default `1 / beta`; above 0.
    ///
    /// Replaces an earlier [`link_excess`](Self::link_excess).
    pub fn link_capacity(self, bytes_per_second: f64) -> Self {
        Self { link: LinkSpeed::Capacity(bytes_per_second), ..self }
    }

    /// Processor time for combining one element, in s/element. Default 0; from 0 to 1e6.
    pub fn gamma(self, seconds_per_element: f64) -> Self {
        Self { gamma: seconds_per_element, ..self }
    }

    /// Processor time for copying one byte in memory, where an algorithm must concatenate or repack messages, in
    /// s/byte. Default 0; from 0 to 1e6.
    pub fn copy(self, seconds_per_byte: f64) -> Self {
        Self { copy: seconds_per_byte, ..self }
    }

    /// The time of a hardware barrier, in seconds. Default none, a machine without one; from 0 to 1e6.
    pub fn barrier(self, seconds: f64) -> Self {
        Self { barrier: Some(seconds), ..self }
    }

    /// Checks every value and makes the parameters. Times are rounded to the nearest picosecond.
    ///
    /// # Errors
    /// [`ParameterError`] names the first parameter that is outside the limits its setter gives, infinite or not a
    /// number.
    pub fn build(self) -> Result<Parameters, ParameterError> {
        self.check()?;
        Ok(self.finish())
    }

    /// Makes the parameters of values that are known to be within their limits.
    pub(super) fn finish(self) -> Parameters {
        Parameters {
            send_overhead: Span::from_secs_f64(self.send_overhead),
            receive_overhead: Span::from_secs_f64(self.receive_overhead),
            latency: Span::from_secs_f64(self.latency),
            hop: Span::from_secs_f64(self.hop),
            beta: self.beta,
            duplex: self.duplex,
            exchange_overhead: Span::from_secs_f64(self.exchange_overhead),
            link: self.link,
            link_capacity: match self.link {
                LinkSpeed::Excess(excess) => excess * port_capacity(self.beta),
                LinkSpeed::Capacity(capacity) => capacity,
            },
            gamma: self.gamma,
            copy: self.copy,
            barrier: self.barrier.map(Span::from_secs_f64),
        }
    }

    /// Refuses the first value that is outside its limits.
    fn check(&self) -> Result<(), ParameterError> {
        let times = [
            ("send_overhead", self.send_overhead),
            ("receive_overhead", self.receive_overhead),
            ("latency", self.latency),
            ("hop", self.hop),
            ("beta", self.beta),
            ("exchange_overhead", self.exchange_overhead),
            ("gamma", self.gamma),
            ("copy", self.copy),
            ("barrier", self.barrier.unwrap_or(0.0)),
        ];
        for (parameter, given) in times {
            require(parameter, given, (0.0..=LONGEST).contains(&given), "from 0 to 1e6 s")?;
        }
        require("duplex", self.duplex, (1.0..=2.0).contains(&self.duplex), "from 1 to 2")?;
        let (parameter, given) = match self.link {
            LinkSpeed::Excess(excess) => ("link_excess", excess),
            LinkSpeed::Capacity(capacity) => ("link_capacity", capacity),
        };
        require(parameter, given, given > 0.0 && given.is_finite(), "above 0 and finite")
    }
}

/// `1 / beta`, and infinite also for a negative zero.
fn port_capacity(beta: f64) -> f64 {
    beta.abs().recip()
}

/// Refuses a value that is not within its limits.
fn require(
    parameter: &'static str,
    given: f64,
    within: bool,
    allowed: &'static str,
) -> Result<(), ParameterError> {
    if within { Ok(()) } else { Err(ParameterError { parameter, given, allowed }) }
}

/// A parameter is outside its limits.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{parameter} = {given} is not allowed; it must be {allowed}")]
pub struct ParameterError {
    parameter: &'static str,
    given: f64,
    allowed: &'static str,
}

impl ParameterError {
    /// The name of the parameter, that of its setter.
    pub fn parameter(&self) -> &'static str {
        self.parameter
    }

    /// The value that was given, in SI units.
    pub fn given(&self) -> f64 {
        self.given
    }

    /// The values that are allowed, in words.
    pub fn allowed(&self) -> &'static str {
        self.allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_default_nothing_costs_anything() {
        let free = Parameters::builder().build().unwrap();
        assert_eq!(free.alpha(), Span::ZERO);
        assert_eq!(free.transfer(u64::MAX), Span::ZERO);
        assert_eq!((free.duplex(), free.link_excess(), free.barrier()), (2.0, 1.0, None));
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
            .exchange_overhead(6e-6)
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
        assert_eq!(parameters.exchange_overhead(), Span::from_micros(6));
        assert_eq!(parameters.link_capacity(), 7e6);
        assert_eq!(parameters.link_excess(), 7e6 * 5e-9);
        assert_eq!(parameters.gamma(), 8e-9);
        assert_eq!(parameters.copy(), 9e-9);
        assert_eq!(parameters.barrier(), Some(Span::from_micros(10)));

        assert_eq!(parameters.alpha(), Span::from_micros(6));
        assert_eq!(parameters.transfer(1000), Span::from_micros(5));
        assert_eq!(parameters.combining(1000), Span::from_micros(8));
        assert_eq!(parameters.copying(1000), Span::from_micros(9));
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
    fn values_outside_their_limits_are_refused_by_name() {
        type Setter = fn(ParametersBuilder, f64) -> ParametersBuilder;
        let times: [(&str, Setter); 9] = [
            ("send_overhead", ParametersBuilder::send_overhead),
            ("receive_overhead", ParametersBuilder::receive_overhead),
            ("latency", ParametersBuilder::latency),
            ("hop", ParametersBuilder::hop),
            ("beta", ParametersBuilder::beta),
            ("exchange_overhead", ParametersBuilder::exchange_overhead),
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
            "hop = -0.5 is not allowed; it must be from 0 to 1e6 s"
        );
    }

    #[test]
    fn a_negative_zero_is_a_zero() {
        let parameters = Parameters::builder().beta(-0.0).build().unwrap();
        assert_eq!(parameters.port_capacity(), f64::INFINITY);
        assert_eq!(parameters.link_capacity(), f64::INFINITY);
    }

    #[test]
    fn serialized_under_the_names_of_the_getters() {
        let json = serde_json::to_value(Parameters::builder().hop(2e-6).build().unwrap()).unwrap();
        assert_eq!(json["hop"], 2e-6);
        assert!(json["link_capacity"].is_null() && json.get("link").is_none());
    }
}
