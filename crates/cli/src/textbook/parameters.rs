//! Parameters of the machine, and options that change some of them.

use clap::Args;
use multicomputer::{
    Span,
    model::{MachineSpec, Parameters, presets},
    names,
    units::parse_seconds,
};

use super::super::{error::Error, machine::decimal};

/// Options that change parameters.
#[derive(Args, Debug)]
pub(super) struct ParameterOptions {
    /// Use the parameters of this preset on any network: hockney, paragon, .. [default: hockney, or those of
    /// --machine]
    #[arg(long, value_name = "NAME", value_parser = read_preset)]
    parameters: Option<Parameters>,

    /// Set the speed of links, in multiples of a port's speed, such as 2
    #[arg(long, value_name = "K", visible_alias = "k", allow_negative_numbers = true)]
    link_excess: Option<f64>,

    /// Set the time for combining an element, such as 100ns
    #[arg(long, value_name = "TIME", value_parser = parse_seconds)]
    gamma: Option<f64>,

    /// Use the book's model of a send: it occupies its sender until the message has arrived, and its receiver not at
    /// all (o_s = alpha, L = o_r = 0)
    #[arg(long)]
    pub(super) strict: bool,
}

/// Parses the name of a preset.
fn read_preset(name: &str) -> Result<Parameters, String> {
    let nearest = || names::nearest(name, presets::NAMES);
    let refusal = || names::unknown("preset", name, nearest(), &presets::NAMES.join(", "));
    presets::by_name(name).ok_or_else(refusal)
}

impl ParameterOptions {
    /// Returns the machine with the requested parameters.
    pub(super) fn applied(&self, machine: &MachineSpec) -> Result<MachineSpec, Error> {
        let parameters = self.parameters.as_ref().unwrap_or(machine.parameters());
        let mut builder = parameters.to_builder();
        if let Some(excess) = self.link_excess {
            builder = builder.link_excess(excess);
        }
        if let Some(seconds) = self.gamma {
            builder = builder.gamma(seconds);
        }
        let parameters = builder.build().map_err(Error::usage)?;
        let machine = with(machine, parameters);
        Ok(if self.strict { strict(&machine) } else { machine })
    }
}

/// Returns the machine with other parameters.
pub(super) fn with(machine: &MachineSpec, parameters: Parameters) -> MachineSpec {
    machine.clone().with_parameters(parameters)
}

/// Returns the machine with all of alpha at the sender; unchanged if alpha exceeds the limit of a parameter.
pub(super) fn strict(machine: &MachineSpec) -> MachineSpec {
    let parameters = machine.parameters();
    let builder = parameters.to_builder().send_overhead(parameters.alpha().as_secs_f64());
    match builder.receive_overhead(0.0).latency(0.0).build() {
        Ok(parameters) => with(machine, parameters),
        Err(_) => machine.clone(),
    }
}

/// Formats the parameters in the book's notation: `t_s = alpha = 130 us, t_w = 8 beta = 400 ns, gamma = 0 s, k = 1`.
pub(super) fn line(machine: &MachineSpec, word_bytes: u64) -> String {
    let parameters = machine.parameters();
    let mut parts = vec![
        format!("t_s = alpha = {}", parameters.alpha()),
        format!("t_w = {word_bytes} beta = {}", parameters.transfer(word_bytes)),
        format!("gamma = {}", parameters.combining(1)),
    ];
    let hop = parameters.hop();
    if !hop.is_zero() {
        parts.push(format!("hop = {hop}"));
    }
    if !parameters.exchange_overhead().is_zero() {
        parts.push(format!("o_x = {}", parameters.exchange_overhead()));
    }
    if parameters.unexpected(0).is_some() {
        parts.push(format!("o_u = {}", parameters.unexpected_overhead()));
        parts.push(format!("copy_u = {} s", parameters.unexpected_copy()));
    }
    if !parameters.call_overhead().is_zero() {
        parts.push(format!("o_c = {}", parameters.call_overhead()));
    }
    if parameters.duplex() < 2.0 {
        parts.push(format!("d = {}", decimal(parameters.duplex(), 2)));
    }
    if parameters.ports() > 1 {
        parts.push(format!("P = {}", parameters.ports()));
    }
    parts.push(format!("k = {}", decimal(parameters.link_excess(), 2)));
    parts.join(", ")
}

/// Describes how long a send occupies its sender.
pub(super) fn sends(machine: &MachineSpec) -> String {
    let parameters = machine.parameters();
    match parameters.latency() + parameters.receive_overhead() {
        Span::ZERO => "A send ends when its message has arrived.".to_owned(),
        late => format!("A sender is free {late} before its message has been received."),
    }
}
