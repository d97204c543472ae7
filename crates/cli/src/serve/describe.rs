//! The machine of a question: the facts of `multicomputer machine`, its network, and the parameters that a question can change, with sources.

use multicomputer::{
    Rank,
    model::{MachineSpec, Parameters, presets},
    s_to_p::Distribution,
};
use multicomputer_picture::Network;
use multicomputer_study::{Axis, Operation, Study, place_sources};
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

/// Returns the machine of a study's first case as a JSON object, with the ranks of the sources if the operation is an s-to-p broadcast.
pub(super) fn machine(spec: &MachineSpec, study: &Study) -> Result<Value, String> {
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
    object["sources"] = json!(source_ranks(spec, study)?);
    Ok(object)
}

/// The ranks of the sources of an s-to-p broadcast; `None` for other operations.
fn source_ranks(spec: &MachineSpec, study: &Study) -> Result<Option<Vec<Rank>>, String> {
    let first = |axis| study.values(axis).and_then(|values| values.first()).map(String::as_str);
    if first(Axis::Operation).and_then(|name| Operation::named(name).ok()) != Some(Operation::SToP) {
        return Ok(None);
    }
    let distribution = first(Axis::Distribution).unwrap_or("row").parse::<Distribution>();
    let distribution = distribution.map_err(|cause| cause.to_string())?;
    let count = first(Axis::Sources).and_then(|count| count.parse().ok());
    place_sources(spec, &distribution, count).map(Some)
}

fn meaning(parameters: &Parameters, symbol: &str) -> &'static str {
    let all = machine::parameters(parameters);
    all.into_iter().find(|parameter| parameter.1 == symbol).map_or("", |parameter| parameter.3)
}
