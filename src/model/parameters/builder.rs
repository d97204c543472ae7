//! The builder of parameters, which validates them, and its error.

use thiserror::Error;

use super::{LinkSpeed, Parameters, Regime, port_capacity};
use crate::time::Span;

/// The largest number of ports of a node.
const MAX_PORTS: u32 = 64;

/// The largest time allowed for a parameter, in seconds (per message, byte or element); far below [`Span::MAX`].
const MAX_SECONDS: f64 = 1e6;

/// Collects [`Parameters`] in SI units. Created by [`Parameters::builder`] and [`Parameters::to_builder`].
///
/// The setters take any value; [`build`](ParametersBuilder::build) checks them all.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a builder does nothing until it is built"]
pub struct ParametersBuilder {
    pub(super) send_overhead: f64,
    pub(super) receive_overhead: f64,
    pub(super) latency: f64,
    pub(super) hop: f64,
    pub(super) beta: f64,
    pub(super) duplex: f64,
    pub(super) ports: u32,
    pub(super) exchange_overhead: f64,
    pub(super) unexpected_overhead: f64,
    pub(super) unexpected_copy: f64,
    pub(super) call_overhead: f64,
    pub(super) active_send_overhead: Option<f64>,
    pub(super) active_receive_overhead: Option<f64>,
    pub(super) link: LinkSpeed,
    pub(super) gamma: f64,
    pub(super) copy: f64,
    pub(super) barrier: Option<f64>,
    /// (length, `o_s`, `o_r`): the overheads of messages of this length or more.
    pub(super) regimes: Vec<(u64, f64, f64)>,
}

/// Creates a builder with all costs 0, full duplex, links as fast as ports and no barrier.
impl Default for ParametersBuilder {
    fn default() -> Self {
        ParametersBuilder {
            send_overhead: 0.0,
            receive_overhead: 0.0,
            latency: 0.0,
            hop: 0.0,
            beta: 0.0,
            duplex: 2.0,
            ports: 1,
            exchange_overhead: 0.0,
            unexpected_overhead: 0.0,
            unexpected_copy: 0.0,
            call_overhead: 0.0,
            active_send_overhead: None,
            active_receive_overhead: None,
            link: LinkSpeed::Excess(1.0),
            gamma: 0.0,
            copy: 0.0,
            barrier: None,
            regimes: Vec::new(),
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

    /// Sets `d`: the `P` in-ports and `P` out-ports of a node together move at most `P d / beta` bytes per second. Default 2,
    /// full duplex; from 1, half duplex, to 2.
    pub fn duplex(self, factor: f64) -> Self {
        Self { duplex: factor, ..self }
    }

    /// Sets `P`: a node has `P` out-ports and `P` in-ports of capacity `1 / beta` each, so `P` messages to different nodes can leave it
    /// simultaneously. Default 1; from 1 to 64.
    pub fn ports(self, ports: u32) -> Self {
        Self { ports, ..self }
    }

    /// Sets `o_x`: extra processor time of a receive that overlapped a send of the same node, in seconds. Default 0;
    /// from 0 to 1e6.
    pub fn exchange_overhead(self, seconds: f64) -> Self {
        Self { exchange_overhead: seconds, ..self }
    }

    /// Sets `o_u`: extra processor time of the receive of an unexpected message, in seconds. A message is *unexpected* if it arrives before
    /// its receive is posted; the library then has stored it, and copies it when the receive is called. Default 0; from 0 to 1e6.
    pub fn unexpected_overhead(self, seconds: f64) -> Self {
        Self { unexpected_overhead: seconds, ..self }
    }

    /// Sets `copy_u`: extra processor time per byte of the receive of an [unexpected](Self::unexpected_overhead) message, in s/byte.
    /// Default 0; from 0 to 1e6.
    pub fn unexpected_copy(self, seconds_per_byte: f64) -> Self {
        Self { unexpected_copy: seconds_per_byte, ..self }
    }

    /// Sets `o_c`: processor time of each member for each call of a collective operation, before its first message, in seconds: the launch
    /// of the operation. Plain messages, barriers and schedules that a program walks by itself do not take it. Default 0; from 0 to 1e6.
    ///
    /// ```
    /// use multicomputer::{collective::{Algorithm, Operation, Task}, model::{MachineSpec, Parameters}};
    ///
    /// let machine: MachineSpec = "hockney:1x2".parse()?;
    /// let slow = machine.parameters().to_builder().call_overhead(9e-6).build()?;
    /// let task = Task::builder(&machine.with_parameters(slow), Operation::Broadcast).elements(1000).element_bytes(1).build()?;
    /// // The call, alpha of 130 us, and 1000 bytes at 50 ns/byte.
    /// assert_eq!(Algorithm::AUTO.plan(&task)?.prediction().modeled.to_string(), "189 us");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn call_overhead(self, seconds: f64) -> Self {
        Self { call_overhead: seconds, ..self }
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

    /// Adds a regime: messages of `from_bytes` bytes or more, up to the next regime, have these overheads, in seconds. Default
    /// none. Lengths are above 0 and strictly increasing; overheads are at least those of shorter messages, and at most 1e6.
    /// Active messages have no regimes.
    ///
    /// ```
    /// use multicomputer::{Span, model::Parameters};
    ///
    /// let builder = Parameters::builder().send_overhead(1e-6).receive_overhead(1e-6).beta(1e-9);
    /// let parameters = builder.regime(4096, 3e-6, 5e-6).build()?;
    /// assert_eq!(parameters.start_up(4095), Span::from_micros(2));
    /// assert_eq!(parameters.start_up(4096), Span::from_micros(8));
    /// # Ok::<(), multicomputer::model::ParameterError>(())
    /// ```
    pub fn regime(mut self, from_bytes: u64, send_overhead: f64, receive_overhead: f64) -> Self {
        self.regimes.push((from_bytes, send_overhead, receive_overhead));
        self
    }

    /// Sets both overheads from `alpha`, the whole start-up time in seconds, which a machine file may give. `alpha` minus
    /// the latency is divided into equal halves for the sender and the receiver; an odd picosecond is added for the
    /// sender.
    pub(in crate::model) fn alpha(self, seconds: f64) -> Result<Self, ParameterError> {
        require("latency", self.latency, (0.0..=MAX_SECONDS).contains(&self.latency), "from 0 to 1e6 s")?;
        let within = (self.latency..=MAX_SECONDS).contains(&seconds);
        require("alpha", seconds, within, "at least the latency, which it includes, and at most 1e6 s")?;
        let overheads = (Span::from_secs_f64(seconds) - Span::from_secs_f64(self.latency)).as_picos();
        let at_the_sender = Span::from_picos(overheads.div_ceil(2)).as_secs_f64();
        Ok(self.send_overhead(at_the_sender).receive_overhead(Span::from_picos(overheads / 2).as_secs_f64()))
    }

    /// Sets `beta` from the bandwidth `1 / beta` in bytes/s, as a machine file may give it.
    pub(in crate::model) fn bandwidth(self, bytes_per_second: f64) -> Result<Self, ParameterError> {
        let within = (MAX_SECONDS.recip()..f64::INFINITY).contains(&bytes_per_second);
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
    /// [`ParameterError`] names the first parameter that is outside the limits documented at its setter, infinite or not
    /// a number.
    pub fn build(self) -> Result<Parameters, ParameterError> {
        self.check()?;
        Ok(self.finish())
    }

    /// Returns the parameters without checks, for values that are known to be within their limits.
    pub(in crate::model) fn finish(self) -> Parameters {
        Parameters {
            send_overhead: Span::from_secs_f64(self.send_overhead),
            receive_overhead: Span::from_secs_f64(self.receive_overhead),
            latency: Span::from_secs_f64(self.latency),
            hop: Span::from_secs_f64(self.hop),
            beta: self.beta,
            duplex: self.duplex,
            ports: self.ports,
            exchange_overhead: Span::from_secs_f64(self.exchange_overhead),
            unexpected_overhead: Span::from_secs_f64(self.unexpected_overhead),
            unexpected_copy: self.unexpected_copy,
            call_overhead: Span::from_secs_f64(self.call_overhead),
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
            regimes: self
                .regimes
                .iter()
                .map(|&(from_bytes, send, receive)| Regime {
                    from_bytes,
                    send_overhead: Span::from_secs_f64(send),
                    receive_overhead: Span::from_secs_f64(receive),
                })
                .collect(),
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
            ("unexpected_overhead", self.unexpected_overhead),
            ("unexpected_copy", self.unexpected_copy),
            ("call_overhead", self.call_overhead),
            ("active_send_overhead", self.active_send_overhead.unwrap_or(0.0)),
            ("active_receive_overhead", self.active_receive_overhead.unwrap_or(0.0)),
            ("gamma", self.gamma),
            ("copy", self.copy),
            ("barrier", self.barrier.unwrap_or(0.0)),
        ];
        for (parameter, given) in times {
            require(parameter, given, (0.0..=MAX_SECONDS).contains(&given), "from 0 to 1e6 s")?;
        }
        require("duplex", self.duplex, (1.0..=2.0).contains(&self.duplex), "from 1 to 2")?;
        require("ports", self.ports.into(), (1..=MAX_PORTS).contains(&self.ports), "from 1 to 64")?;
        let (parameter, given) = match self.link {
            LinkSpeed::Excess(excess) => ("link_excess", excess),
            LinkSpeed::Capacity(capacity) => ("link_capacity", capacity),
        };
        require(parameter, given, given > 0.0 && given.is_finite(), "above 0 and finite")?;
        let mut before = (0, self.send_overhead, self.receive_overhead);
        for &regime in &self.regimes {
            let ((from, send, receive), (from_before, send_before, receive_before)) = (regime, before);
            let longer = "above 0, and longer than that of the regime before";
            require("regimes.from_bytes", from as f64, from > from_before, longer)?;
            let slower = "at least that of shorter messages, and at most 1e6 s";
            let overheads = [
                ("regimes.send_overhead", send, send_before),
                ("regimes.receive_overhead", receive, receive_before),
            ];
            for (parameter, given, before) in overheads {
                require(parameter, given, (before..=MAX_SECONDS).contains(&given), slower)?;
            }
            before = regime;
        }
        Ok(())
    }
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
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{parameter} = {given} is out of range; it must be {allowed}")]
pub struct ParameterError {
    parameter: &'static str,
    given: f64,
    allowed: &'static str,
}

impl ParameterError {
    /// The name of the parameter, which is the name of its setter.
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
