//! The parameters of a machine: the costs of its processors, its network and its memory.
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
//! | [`active_send_overhead`](ParametersBuilder::active_send_overhead) | `a_s` | s | `o_s` |
//! | [`active_receive_overhead`](ParametersBuilder::active_receive_overhead) | `a_r` | s | `o_r` |
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

/// The size of an active message in bytes, two words: the payload of a CM-5 packet.
pub const ACTIVE_BYTES: u64 = 16;

/// The largest time allowed for a parameter, in seconds (per message, byte or element); far below [`Span::MAX`].
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
/// Two sets are equal if they were given equal values; for the links that is the given `k` or `C`. Serialized under
/// the names of the getters, times in seconds; JSON shows an infinite capacity as `null`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameters {
    send_overhead: Span,
    receive_overhead: Span,
    latency: Span,
    hop: Span,
    beta: f64,
    duplex: f64,
    exchange_overhead: Span,
    active_send_overhead: Span,
    active_receive_overhead: Span,
    /// Whether the send and the receive overhead of active messages were given, rather than taken over from other
    /// messages.
    #[serde(skip)]
    is_active_given: (bool, bool),
    #[serde(skip)]
    link: LinkSpeed,
    link_capacity: f64,
    gamma: f64,
    copy: f64,
    barrier: Option<Span>,
}

/// The capacity of a link in the form in which it was given.
#[derive(Clone, Copy, Debug, PartialEq)]
enum LinkSpeed {
    /// `k`, a multiple of the capacity of a port.
    Excess(f64),
    /// `C`, in bytes per second.
    Capacity(f64),
}

impl Parameters {
    /// Starts a builder from the defaults: no cost at all, full duplex, links as fast as ports, no barrier.
    pub fn builder() -> ParametersBuilder {
        ParametersBuilder::default()
    }

    /// Starts a builder from these parameters, to change some of them.
    ///
    /// Links that were given as an excess `k` keep `k` when `beta` changes; links that were given as a capacity `C`
    /// keep `C`.
    pub fn to_builder(&self) -> ParametersBuilder {
        ParametersBuilder {
            send_overhead: self.send_overhead.as_secs_f64(),
            receive_overhead: self.receive_overhead.as_secs_f64(),
            latency: self.latency.as_secs_f64(),
            hop: self.hop.as_secs_f64(),
            beta: self.beta,
            duplex: self.duplex,
            exchange_overhead: self.exchange_overhead.as_secs_f64(),
            active_send_overhead: self.is_active_given.0.then_some(self.active_send_overhead.as_secs_f64()),
            active_receive_overhead: self
                .is_active_given
                .1
                .then_some(self.active_receive_overhead.as_secs_f64()),
            link: self.link,
            gamma: self.gamma,
            copy: self.copy,
            barrier: self.barrier.map(Span::as_secs_f64),
        }
    }

    /// All parameters as a machine file spells them.
    pub(super) fn spelled(&self) -> Vec<(&'static str, String)> {
        let time = |span: Span| format!("\"{span}\"");
        let mut spelled = vec![
            ("send_overhead", time(self.send_overhead)),
            ("receive_overhead", time(self.receive_overhead)),
            ("latency", time(self.latency)),
            ("hop", time(self.hop)),
            ("exchange_overhead", time(self.exchange_overhead)),
            ("beta", format!("{:e}", self.beta)),
            ("gamma", format!("{:e}", self.gamma)),
            ("copy", format!("{:e}", self.copy)),
            ("duplex", format!("{:e}", self.duplex)),
        ];
        let (sends, receives) = self.is_active_given;
        spelled.extend(sends.then(|| ("active_send_overhead", time(self.active_send_overhead))));
        spelled.extend(receives.then(|| ("active_receive_overhead", time(self.active_receive_overhead))));
        spelled.push(match self.link {
            LinkSpeed::Excess(excess) => ("link_excess", format!("{excess:e}")),
            LinkSpeed::Capacity(capacity) => ("link_capacity", format!("{capacity:e}")),
        });
        spelled.extend(self.barrier.map(|barrier| ("barrier", time(barrier))));
        spelled
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

    /// `d`: the capacity of a node's in-port and out-port together, as a multiple of the capacity of one port; 2 is
    /// full duplex, 1 half duplex.
    pub fn duplex(&self) -> f64 {
        self.duplex
    }

    /// `o_x`: extra processor time of a receive that overlapped a send of the same node.
    pub fn exchange_overhead(&self) -> Span {
        self.exchange_overhead
    }

    /// `a_s`: the time for which an [active message](crate::comm::Active) occupies the processor of its sender.
    pub fn active_send_overhead(&self) -> Span {
        self.active_send_overhead
    }

    /// `a_r`: the time for which an active message occupies the processor of its receiver before its handler starts.
    pub fn active_receive_overhead(&self) -> Span {
        self.active_receive_overhead
    }

    /// `k = C * beta`: the capacity of a link as a multiple of the capacity of a port, its "excess bandwidth".
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

    /// The time from the call that sends an active message over a route of `links` links to the start of its handler,
    /// if the receiver waits: `a_s + 16 beta + L + hop * links + a_r`.
    pub fn active_trip(&self, links: usize) -> Span {
        let packet = self.transfer(ACTIVE_BYTES) + self.latency + self.hop.times(links as u64);
        self.active_send_overhead + packet + self.active_receive_overhead
    }

    /// `n * beta`: the time of `bytes` bytes through a port without conflict.
    pub fn transfer(&self, bytes: u64) -> Span {
        Span::from_secs_f64(bytes as f64 * self.beta)
    }

    /// `m * gamma`: the processor time for combining `elements` elements.
    pub fn combining(&self, elements: u64) -> Span {
        Span::from_secs_f64(elements as f64 * self.gamma)
    }

    /// `n * copy`: the processor time for copying `bytes` bytes in memory.
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
    active_send_overhead: Option<f64>,
    active_receive_overhead: Option<f64>,
    link: LinkSpeed,
    gamma: f64,
    copy: f64,
    barrier: Option<f64>,
}

/// Creates a builder with no cost at all, full duplex, links as fast as ports and no barrier.
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
            active_send_overhead: None,
            active_receive_overhead: None,
            link: LinkSpeed::Excess(1.0),
            gamma: 0.0,
            copy: 0.0,
            barrier: None,
        }
    }
}

impl ParametersBuilder {
    /// Sets `o_s`: processor time at the sender for each message, in seconds. Default 0; from 0 to 1e6.
    pub fn send_overhead(self, seconds: f64) -> Self {
        Self { send_overhead: seconds, ..self }
    }

    /// Sets `o_r`: processor time at the receiver for each message, in seconds. Default 0; from 0 to 1e6.
    pub fn receive_overhead(self, seconds: f64) -> Self {
        Self { receive_overhead: seconds, ..self }
    }

    /// Sets `L`: fixed time of a message in the network, in seconds. Default 0; from 0 to 1e6.
    pub fn latency(self, seconds: f64) -> Self {
        Self { latency: seconds, ..self }
    }

    /// Sets the time in the network for each link of the route, in seconds. Default 0; from 0 to 1e6.
    pub fn hop(self, seconds: f64) -> Self {
        Self { hop: seconds, ..self }
    }

    /// Sets the time per byte between a node and the network, in s/byte: in-port and out-port have the capacity
    /// `1 / beta` each. Default 0, which makes them infinitely fast; from 0 to 1e6.
    pub fn beta(self, seconds_per_byte: f64) -> Self {
        Self { beta: seconds_per_byte, ..self }
    }

    /// Sets `d`: a node's in-port and out-port together move at most `d / beta` bytes per second. Default 2, full
    /// duplex; from 1, half duplex, to 2.
    pub fn duplex(self, factor: f64) -> Self {
        Self { duplex: factor, ..self }
    }

    /// Sets `o_x`: extra processor time of a receive that overlapped a send of the same node, in seconds. Default 0;
    /// from 0 to 1e6.
    pub fn exchange_overhead(self, seconds: f64) -> Self {
        Self { exchange_overhead: seconds, ..self }
    }

    /// Sets `a_s`: processor time at the sender for each active message, in seconds. Default the final value of
    /// [`send_overhead`](Self::send_overhead); from 0 to 1e6.
    pub fn active_send_overhead(self, seconds: f64) -> Self {
        Self { active_send_overhead: Some(seconds), ..self }
    }

    /// Sets `a_r`: processor time at the receiver for each active message, before its handler starts, in seconds.
    /// Default the final value of [`receive_overhead`](Self::receive_overhead); from 0 to 1e6.
    pub fn active_receive_overhead(self, seconds: f64) -> Self {
        Self { active_receive_overhead: Some(seconds), ..self }
    }

    /// Sets both [`active_send_overhead`](Self::active_send_overhead) and
    /// [`active_receive_overhead`](Self::active_receive_overhead).
    pub fn active_overheads(self, send: f64, receive: f64) -> Self {
        self.active_send_overhead(send).active_receive_overhead(receive)
    }

    /// Sets `k`: the capacity of each directed link as a multiple of that of a port, `C = k / beta`. Default 1; above
    /// 0.
    ///
    /// Replaces an earlier [`link_capacity`](Self::link_capacity).
    pub fn link_excess(self, factor: f64) -> Self {
        Self { link: LinkSpeed::Excess(factor), ..self }
    }

    /// Sets `C`: the capacity of each directed link in bytes/s. Default `1 / beta`; above 0.
    ///
    /// Replaces an earlier [`link_excess`](Self::link_excess).
    pub fn link_capacity(self, bytes_per_second: f64) -> Self {
        Self { link: LinkSpeed::Capacity(bytes_per_second), ..self }
    }

    /// Sets the processor time for combining one element, in s/element. Default 0; from 0 to 1e6.
    pub fn gamma(self, seconds_per_element: f64) -> Self {
        Self { gamma: seconds_per_element, ..self }
    }

    /// Sets the processor time for copying one byte in memory, where an algorithm must concatenate or repack
    /// messages, in s/byte. Default 0; from 0 to 1e6.
    pub fn copy(self, seconds_per_byte: f64) -> Self {
        Self { copy: seconds_per_byte, ..self }
    }

    /// Sets the time of a hardware barrier, in seconds. Default none, a machine without one; from 0 to 1e6.
    pub fn barrier(self, seconds: f64) -> Self {
        Self { barrier: Some(seconds), ..self }
    }

    /// Sets both overheads from `alpha`, the whole start-up time in seconds, as a machine file may give it: the part
    /// of `alpha` beyond the latency is divided into halves for the sender and the receiver, with an odd picosecond
    /// at the sender.
    pub(super) fn alpha(self, seconds: f64) -> Result<Self, ParameterError> {
        require("latency", self.latency, (0.0..=LONGEST).contains(&self.latency), "from 0 to 1e6 s")?;
        let within = (self.latency..=LONGEST).contains(&seconds);
        require("alpha", seconds, within, "from the latency, which is a part of it, to 1e6 s")?;
        let overheads = (Span::from_secs_f64(seconds) - Span::from_secs_f64(self.latency)).as_picos();
        let at_the_sender = Span::from_picos(overheads.div_ceil(2)).as_secs_f64();
        Ok(self.send_overhead(at_the_sender).receive_overhead(Span::from_picos(overheads / 2).as_secs_f64()))
    }

    /// Sets `beta` from the bandwidth `1 / beta` in bytes/s, as a machine file may give it.
    pub(super) fn bandwidth(self, bytes_per_second: f64) -> Result<Self, ParameterError> {
        let within = (LONGEST.recip()..f64::INFINITY).contains(&bytes_per_second);
        require(
            "bandwidth",
            bytes_per_second,
            within,
            "at least 1e-6 B/s and finite; `beta = 0` is without limit",
        )?;
        Ok(self.beta(bytes_per_second.recip()))
    }

    /// Checks every value and returns the parameters. Times are rounded to the nearest picosecond.
    ///
    /// # Errors
    /// [`ParameterError`] names the first parameter that is outside the limits its setter gives, infinite or not a
    /// number.
    pub fn build(self) -> Result<Parameters, ParameterError> {
        self.check()?;
        Ok(self.finish())
    }

    /// Returns the parameters without checks, for values that are known to be within their limits.
    pub(super) fn finish(self) -> Parameters {
        Parameters {
            send_overhead: Span::from_secs_f64(self.send_overhead),
            receive_overhead: Span::from_secs_f64(self.receive_overhead),
            latency: Span::from_secs_f64(self.latency),
            hop: Span::from_secs_f64(self.hop),
            beta: self.beta,
            duplex: self.duplex,
            exchange_overhead: Span::from_secs_f64(self.exchange_overhead),
            active_send_overhead: Span::from_secs_f64(
                self.active_send_overhead.unwrap_or(self.send_overhead),
            ),
            active_receive_overhead: Span::from_secs_f64(
                self.active_receive_overhead.unwrap_or(self.receive_overhead),
            ),
            is_active_given: (self.active_send_overhead.is_some(), self.active_receive_overhead.is_some()),
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
            ("active_send_overhead", self.active_send_overhead.unwrap_or(0.0)),
            ("active_receive_overhead", self.active_receive_overhead.unwrap_or(0.0)),
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

/// The capacity of a port, `1 / beta`; infinite also for a negative zero.
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

/// The error for a parameter outside its limits.
#[derive(Clone, PartialEq, Error)]
#[error("{parameter} = {given} is not allowed; it must be {allowed}")]
pub struct ParameterError {
    parameter: &'static str,
    given: f64,
    allowed: &'static str,
}

crate::text::debug_as_text!(ParameterError);

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
#[path = "parameters_tests.rs"]
mod tests;
