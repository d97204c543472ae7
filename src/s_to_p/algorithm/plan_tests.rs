//! Random s-to-p broadcasts on random machines: every byte arrives, and the run takes exactly the predicted time (in picoseconds).

use proptest::prelude::*;

use super::{Algorithm, schedule_tests::instances};
use crate::{Machine, payload::Payload, rank::Rank, time::Time};

/// Returns bytes that depend on the source, the position and the length.
fn message(source: Rank, length: u64) -> Vec<u8> {
    (0..length).map(|place| (source as u64 * 31 + place * 7 + place / 251 + length) as u8).collect()
}

// Each case plans all algorithms and runs them on threads.
proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_byte_arrives_at_the_predicted_time(instance in instances(9)) {
        let (sources, lengths) = (instance.sources(), instance.lengths());
        let messages: Vec<Vec<u8>> =
            sources.iter().zip(lengths).map(|(&source, &length)| message(source, length)).collect();
        let machine = Machine::builder(instance.machine().clone()).deny_unreceived(true).build().unwrap();
        for algorithm in Algorithm::all().chain(Algorithm::FOR_SOME.iter().cloned()) {
            let Ok(plan) = algorithm.plan(&instance) else {
                // Not met: the restriction on the number of long messages, on unequal loads, on the network, on the numbers of sources and
                // nodes, or on empty messages.
                let restricted = [
                    Algorithm::SPLIT,
                    Algorithm::LEVEL,
                    Algorithm::APART,
                    Algorithm::FOREST,
                    Algorithm::PIPELINE,
                    Algorithm::COLLECTIVE,
                ];
                prop_assert!(restricted.contains(&algorithm), "{}", algorithm);
                continue;
            };
            let run = machine.run(|node| {
                let own = sources.iter().position(|&source| source == node.rank());
                let got = plan.broadcast(node.world(), own.map(|source| Payload::from(messages[source].clone())))?;
                let got = got.iter().map(Payload::to_vec::<u8>).collect::<Result<Vec<_>, _>>()?;
                Ok(got == messages)
            });
            let run = run.unwrap();
            prop_assert!(run.outputs.iter().all(|&whole| whole), "{}", algorithm);
            let finished: Vec<Time> = run.report.nodes.iter().map(|node| node.finished).collect();
            prop_assert_eq!(&finished, &plan.prediction().finished, "{}", algorithm);
            prop_assert_eq!(run.report.makespan, plan.prediction().modeled, "{}", algorithm);
        }
    }
}

// Each case plans all algorithms twice.
proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// The plan depends only on the instance, not on the number or speed of the host's cores.
    #[test]
    fn a_plan_depends_only_on_the_problem(instance in instances(9)) {
        for algorithm in Algorithm::all().chain(Algorithm::FOR_SOME.iter().cloned()) {
            let (one, other) = (algorithm.plan(&instance), algorithm.plan(&instance));
            let (Ok(one), Ok(other)) = (one, other) else { continue };
            prop_assert_eq!((one.algorithm(), one.variant()), (other.algorithm(), other.variant()));
            prop_assert_eq!(one.schedule(), other.schedule());
            prop_assert_eq!(one.prediction(), other.prediction());
        }
    }
}
