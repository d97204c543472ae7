//! Builds the report of a run from its outcomes.

use crate::{
    kernel::{Lost, Outcomes},
    model::MachineSpec,
    rank::Rank,
    record::{LostMessage, Trace, UnreceivedMessage, UnwaitedSend},
    report::{LinkReport, RealTimeReport, RunReport},
    runtime::{Ended, Pace},
};

/// Returns the report and the trace of a completed run.
pub(super) fn report(machine: &MachineSpec, pace: Option<Pace>, ended: Ended) -> (RunReport, Trace) {
    let Ended { outcomes, wall, unwaited, lateness, contexts, .. } = ended;
    let group = |context| contexts.name(context);
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
        unwaited: unwaited
            .into_iter()
            .map(|(from, send)| UnwaitedSend {
                from: from as Rank,
                to: send.target as Rank,
                tag: send.tag,
                bytes: send.bytes,
                group: group(send.context),
            })
            .collect(),
        ..RunReport::of_nodes(machine.name().into(), nodes)
    };
    (report, trace)
}
