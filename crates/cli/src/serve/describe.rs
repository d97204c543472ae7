//! The machine of a question: the facts of `multicomputer machine`, its network, and the parameters that a question can change, with sources.

use multicomputer::model::{MachineSpec, Parameters, presets};
use multicomputer_picture::Network;
use multicomputer_study::Axis;
use serde_json::{Value, json};

use super::super::machine;

/// Parameters that a question can change: axis, the names of tables (`multicomputer machine --json`), symbol, unit.
#[rustfmt::skip]
const PARAMETERS: [(Axis, &str, &str, &str); 9] = [
    (Axis::SendOverhead, "send_overhead_us", "o_s", "us"),
    (Axis::ReceiveOverhead, "receive_overhead_us", "o_r", "us"),
    (Axis::ExchangeOverhead, "exchange_overhead_us", "o_x", "us"),
    (Axis::Latency, "latency_us", "L", "us"),
    (Axis::Hop, "hop_us", "hop", "us"),
    (Axis::Beta, "beta_ns_per_byte", "beta", "ns/B"),
    (Axis::LinkExcess, "link_excess", "k", ""),
    (Axis::Gamma, "gamma_us_per_element", "gamma", "us"),
    (Axis::Alpha, "alpha_us", "alpha", "us"),
];

/// Returns the machine as a JSON object.
pub(super) fn machine(spec: &MachineSpec) -> Value {
    let mut object = machine::object(spec, None);
    let family = spec.base_name().split(':').next().unwrap_or_default();
    let preset = spec.base_name().parse().ok().map(|preset: MachineSpec| machine::object(&preset, None));
    let sources = presets::sources(family);
    let described = PARAMETERS.map(|(axis, key, symbol, unit)| {
        let source =
            sources.iter().find(|source| source.parameters.split([',', ' ', '=']).any(|name| name == symbol));
        let name = axis.name().replace('-', " ");
        json!({
            "axis": axis.name(),
            "symbol": symbol,
            "name": name,
            "meaning": meaning(spec.parameters(), symbol),
            "unit": unit,
            "value": object[key],
            "preset": preset.as_ref().map(|preset| preset[key].clone()),
            "sure": source.map(|source| source.sure.clone()),
            "source": source.map(|source| source.source.clone()),
        })
    });
    object["parameters"] = json!(described);
    object["network"] = json!(Network::of(&**spec.topology()));
    object
}

fn meaning(parameters: &Parameters, symbol: &str) -> &'static str {
    let all = machine::parameters(parameters);
    all.into_iter().find(|parameter| parameter.1 == symbol).map_or("", |parameter| parameter.3)
}
