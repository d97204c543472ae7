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
//! | [`ports`](ParametersBuilder::ports) | `P` | - | 1 |
//! | [`exchange_overhead`](ParametersBuilder::exchange_overhead) | `o_x` | s | 0 |
//! | [`unexpected_overhead`](ParametersBuilder::unexpected_overhead) | `o_u` | s | 0 |
//! | [`unexpected_copy`](ParametersBuilder::unexpected_copy) | `copy_u` | s/byte | 0 |
//! | [`call_overhead`](ParametersBuilder::call_overhead) | `o_c` | s | 0 |
//! | [`active_send_overhead`](ParametersBuilder::active_send_overhead) | `a_s` | s | `o_s` |
//! | [`active_receive_overhead`](ParametersBuilder::active_receive_overhead) | `a_r` | s | `o_r` |
//! | [`link_excess`](ParametersBuilder::link_excess) | `k` = `C * beta` | - | 1 |
//! | [`link_capacity`](ParametersBuilder::link_capacity) | `C` = `k / beta` | byte/s | from `k` |
//! | [`gamma`](ParametersBuilder::gamma) | `gamma` | s/element | 0 |
//! | [`copy`](ParametersBuilder::copy) | `copy` | s/byte | 0 |
//! | [`barrier`](ParametersBuilder::barrier) | `barrier` | s | none |
//!
//! Overheads may depend on the length of a message: [`regime`](ParametersBuilder::regime).
//!
//! Times are stored as whole picoseconds ([`Span`]) and rates as `f64`. The product of a rate and a number of bytes or
//! elements is rounded once, to the nearest picosecond.

mod builder;
mod regime;

pub use self::{
    builder::{ParameterError, ParametersBuilder},
    regime::Regime,
};

use serde::Serialize;

use crate::time::Span;

/// The size of an active message in bytes, two words: the payload of a CM-5 packet.
pub const ACTIVE_BYTES: u64 = 16;

/// The validated parameters of a machine in the timing model.
///
/// Without contention a message of `n` bytes takes [`alpha`](Parameters::alpha)` + n * `[`beta`](Parameters::beta), plus
/// [`hop`](Parameters::hop) for each link.
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
/// Two sets are equal if they were built from equal values; for links the given `k` or `C` is compared. Serialization uses
/// the names of the getters, and seconds for times; JSON has `null` for an infinite capacity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameters {
    send_overhead: Span,
    receive_overhead: Span,
    latency: Span,
    hop: Span,
    beta: f64,
    duplex: f64,
    ports: u32,
    exchange_overhead: Span,
    #[serde(skip_serializing_if = "is_none")]
    unexpected_overhead: Span,
    #[serde(skip_serializing_if = "is_zero")]
    unexpected_copy: f64,
    #[serde(skip_serializing_if = "is_none")]
    call_overhead: Span,
    active_send_overhead: Span,
    active_receive_overhead: Span,
    /// Whether the send and the receive overhead of active messages were given. Otherwise they are those of other
    /// messages.
    #[serde(skip)]
    is_active_given: (bool, bool),
    #[serde(skip)]
    link: LinkSpeed,
    link_capacity: f64,
    gamma: f64,
    copy: f64,
    barrier: Option<Span>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    regimes: Vec<Regime>,
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
    /// Starts a builder from the defaults: all costs 0, full duplex, links as fast as ports, no barrier.
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
            ports: self.ports,
            exchange_overhead: self.exchange_overhead.as_secs_f64(),
            unexpected_overhead: self.unexpected_overhead.as_secs_f64(),
            unexpected_copy: self.unexpected_copy,
            call_overhead: self.call_overhead.as_secs_f64(),
            active_send_overhead: self.is_active_given.0.then_some(self.active_send_overhead.as_secs_f64()),
            active_receive_overhead: self
                .is_active_given
                .1
                .then_some(self.active_receive_overhead.as_secs_f64()),
            link: self.link,
            gamma: self.gamma,
            copy: self.copy,
            barrier: self.barrier.map(Span::as_secs_f64),
            regimes: self
                .regimes
                .iter()
                .map(|one| {
                    (one.from_bytes, one.send_overhead.as_secs_f64(), one.receive_overhead.as_secs_f64())
                })
                .collect(),
        }
    }

    /// Spells all parameters except regimes as keys and values of a machine file.
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
            ("ports", self.ports.to_string()),
        ];
        if !self.unexpected_overhead.is_zero() {
            spelled.push(("unexpected_overhead", time(self.unexpected_overhead)));
        }
        if self.unexpected_copy > 0.0 {
            spelled.push(("unexpected_copy", format!("{:e}", self.unexpected_copy)));
        }
        if !self.call_overhead.is_zero() {
            spelled.push(("call_overhead", time(self.call_overhead)));
        }
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

    /// `o_s`: the time for which a message occupies the processor of its sender; for the shortest messages, if `o_s`
    /// [depends](Parameters::overheads) on the length.
    pub fn send_overhead(&self) -> Span {
        self.send_overhead
    }

    /// `o_r`: the time for which a message occupies the processor of its receiver; for the shortest messages, if `o_r`
    /// [depends](Parameters::overheads) on the length.
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

    /// The time per byte through a port, between a node and the network, in s/byte.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// `d`: the joint capacity of an in-port and an out-port of a node, as a multiple of the capacity of one port; 2 is full
    /// duplex, 1 half duplex.
    pub fn duplex(&self) -> f64 {
        self.duplex
    }

    /// `P`: the number of out-ports of a node, and of its in-ports.
    pub fn ports(&self) -> u32 {
        self.ports
    }

    /// The time per byte between a node and the network through all its ports in one direction, `beta / P`, in s/byte.
    pub fn node_beta(&self) -> f64 {
        self.beta / f64::from(self.ports)
    }

    /// `o_x`: extra processor time of a receive that overlapped a send of the same node.
    pub fn exchange_overhead(&self) -> Span {
        self.exchange_overhead
    }

    /// `o_u`: extra processor time of the receive of an unexpected message, which arrived before its receive was posted.
    pub fn unexpected_overhead(&self) -> Span {
        self.unexpected_overhead
    }

    /// `copy_u`: extra processor time per byte of the receive of an unexpected message, in s/byte.
    pub fn unexpected_copy(&self) -> f64 {
        self.unexpected_copy
    }

    /// `o_c`: processor time of a node for each call of a collective operation, before the first message of the call.
    pub fn call_overhead(&self) -> Span {
        self.call_overhead
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

    /// The capacity of each in-port and out-port in bytes/s, `1 / beta`; infinite if `beta` is 0.
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

    /// `alpha = o_s + L + o_r`: the start-up time of a message (Hockney's alpha); for the shortest messages, if the start-up
    /// time [depends](Parameters::start_up) on the length.
    pub fn alpha(&self) -> Span {
        self.send_overhead + self.latency + self.receive_overhead
    }

    /// The time from the call that sends an active message over a route of `links` links to the start of its handler,
    /// if the receiver is waiting: `a_s + 16 beta + L + hop * links + a_r`.
    pub fn active_trip(&self, links: usize) -> Span {
        let packet = self.transfer(ACTIVE_BYTES) + self.latency + self.hop.times(links as u64);
        self.active_send_overhead + packet + self.active_receive_overhead
    }

    /// `n * beta`: the time of `bytes` bytes through a port without contention.
    pub fn transfer(&self, bytes: u64) -> Span {
        Span::from_secs_f64(bytes as f64 * self.beta)
    }

    /// `n * beta / P`: the time of `bytes` bytes through all ports of a node in one direction, without contention.
    pub fn node_transfer(&self, bytes: u64) -> Span {
        Span::from_secs_f64(bytes as f64 * self.node_beta())
    }

    /// `m * gamma`: the processor time for combining `elements` elements.
    pub fn combining(&self, elements: u64) -> Span {
        Span::from_secs_f64(elements as f64 * self.gamma)
    }

    /// `o_u + n * copy_u`: the extra processor time of the receive of an unexpected message of `bytes` bytes; `None` if it is 0 for all
    /// lengths.
    ///
    /// ```
    /// use multicomputer::{Span, model::Parameters};
    ///
    /// let parameters = Parameters::builder().unexpected_overhead(5e-6).unexpected_copy(20e-9).build()?;
    /// assert_eq!(parameters.unexpected(1000), Some(Span::from_micros(25)));
    /// assert_eq!(Parameters::paragon().unexpected(1000), None);
    /// # Ok::<(), multicomputer::model::ParameterError>(())
    /// ```
    pub fn unexpected(&self, bytes: u64) -> Option<Span> {
        let is_free = self.unexpected_overhead.is_zero() && self.unexpected_copy == 0.0;
        (!is_free)
            .then(|| self.unexpected_overhead + Span::from_secs_f64(bytes as f64 * self.unexpected_copy))
    }

    /// `n * copy`: the processor time for copying `bytes` bytes in memory.
    pub fn copying(&self, bytes: u64) -> Span {
        Span::from_secs_f64(bytes as f64 * self.copy)
    }
}

/// Whether a time that most machines do not have is left out of serialized parameters.
fn is_none(cost: &Span) -> bool {
    cost.is_zero()
}

/// Whether a rate that most machines do not have is left out of serialized parameters.
fn is_zero(rate: &f64) -> bool {
    *rate == 0.0
}

/// The capacity of a port, `1 / beta`; infinite also for a negative zero.
fn port_capacity(beta: f64) -> f64 {
    beta.abs().recip()
}

#[cfg(test)]
#[path = "parameters_tests.rs"]
mod tests;
