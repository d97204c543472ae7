//! Builds the report of a run from its outcomes.

use std::time::Duration;

use crate::{
    kernel::{Lost, Outcomes},
    model::MachineSpec,
    rank::Rank,
    record::{LostMessage, Trace, UnreceivedMessage},
    report::{LinkReport, RealTimeReport, RunReport},
    runtime::{LatenessStats, Pace},
};

/// Returns the report and the trace of a completed run. `group` maps a context to the name of its group.
pub(super) fn report(
    machine: &MachineSpec,
    outcomes: Outcomes,
    wall: Duration,
    pace: Option<Pace>,
    lateness: LatenessStats,
    group: impl Fn(u32) -> String,
) -> (RunReport, Trace) {
    let Outcomes { nodes, trace, links, lost_to_sharing, unreceived, lost, .. } = outcomes;
    let modeled = nodes.iter().map(|node| node.finished).max().unwrap_or_default();
    let real_time = match pace {
        None | Some(Pace::Virtual) => None,
        Some(Pace::Real(dilation)) => Some(RealTimeReport::new(dilation, wall, modeled, lateness)),
    };
    let topology = machine.topology();
    let report = RunReport {
        is_modeled: pace.is_some(),
        lost_to_sharing,
        real_time,
        links: links.into_iter().map(|(id, load)| LinkReport { id, link: topology.link(id), load }).collect(),
        lost: lost
            .into_iter()
            .map(|Lost { target, label, bytes, at, .. }| LostMessage {
                from: label.source as Rank,
                to: target as Rank,
                tag: label.tag,
                bytes,
                group: group(label.context),
                at,
            })
            .collect(),
        unreceived: unreceived
            .into_iter()
            .map(|(to, label, bytes)| UnreceivedMessage {
                from: label.source as Rank,
                to: to as Rank,
                tag: label.tag,
                bytes,
                group: group(label.context),
            })
            .collect(),
        ..RunReport::of_nodes(machine.name().into(), nodes)
    };
    (report, trace)
}
