//! Checks the optimized algorithm against the rule of [`Blame`], applied share by share and pair by pair.

use super::*;
use crate::{ANY_SOURCE, Machine};

/// Computes the blame by the rule: each losing share is divided among all messages that overlap it.
fn by_the_rule(messages: &Messages, machine: &MachineSpec) -> Blame {
    let mut own: Span = messages.moved.values().map(|moved| moved.own).sum();
    let mut losing: BTreeMap<usize, Span> = BTreeMap::new();
    for moved in messages.moved.values() {
        let lost = moved.shares.clone().zip(&moved.lost);
        losing.extend(lost.filter(|(_, lost)| !lost.is_zero()).map(|(share, &lost)| (share, lost)));
    }
    let mut losses: BTreeMap<(Bottleneck, MessageRef, MessageRef), Span> = BTreeMap::new();
    for (place, shares) in places(messages, &losing, machine) {
        for (share, by) in meetings(&messages.shares, &shares, place, &losing) {
            let (slowed, lost) = (message(&messages.shares[share]), losing[&share]);
            if by.is_empty() {
                own += lost;
            }
            let weights: Vec<f64> = by.values().copied().collect();
            for (&by, part) in by.keys().zip(divide(lost, &weights)).filter(|(_, part)| !part.is_zero()) {
                *losses.entry((place, slowed, by)).or_default() += part;
            }
        }
    }
    // A loss without a bottleneck is a rounding error.
    let nowhere = |share: &usize| messages.shares[*share].bottleneck.is_none();
    own += losing.iter().filter(|(share, _)| nowhere(share)).map(|(_, &lost)| lost).sum();
    let loss = |((place, slowed, by), lost)| Loss { place, slowed, by, lost };
    Blame { losses: losses.into_iter().map(loss).collect(), own }
}

/// Returns, for each losing share with the bottleneck `place`, the messages that moved over `place` at the same time,
/// with the bytes that they moved meanwhile.
fn meetings(
    all: &[Share],
    over: &[usize],
    place: Bottleneck,
    losing: &BTreeMap<usize, Span>,
) -> BTreeMap<usize, BTreeMap<MessageRef, f64>> {
    let loses = |share: usize| all[share].bottleneck == Some(place) && losing.contains_key(&share);
    let mut met: BTreeMap<usize, BTreeMap<MessageRef, f64>> =
        over.iter().filter(|&&share| loses(share)).map(|&share| (share, BTreeMap::new())).collect();
    let mut order = over.to_vec();
    order.sort_by_key(|&share| (all[share].start, all[share].from));
    let mut under_way: Vec<usize> = Vec::new();
    for later in order {
        let begin = all[later].start;
        under_way.retain(|&earlier| all[earlier].end > begin);
        for &earlier in &under_way {
            let together = all[earlier].end.min(all[later].end).since(begin).as_secs_f64();
            for (one, other) in [(earlier, later), (later, earlier)] {
                if let Some(met) = met.get_mut(&one) {
                    *met.entry(message(&all[other])).or_default() += together * all[other].rate;
                }
            }
        }
        under_way.push(later);
    }
    // Messages that moved no bytes get no blame.
    met.values_mut().for_each(|met| met.retain(|_, &mut bytes| bytes > 0.0));
    met
}

#[test]
fn losses_are_divided_by_the_rule_whoever_meets_whom() {
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize % below
    };
    let mut shared = 0;
    for machine in ["complete:12", "mesh:3x4", "torus:4x4", "fat-tree:16", "hypercube:8", "line:7"] {
        let machine = Machine::builder(machine.parse().unwrap()).trace(true).build().unwrap();
        let nodes = machine.spec().nodes();
        for round in 0..4 {
            // In the first round, all nodes send to node 0.
            let to = |rank: usize, drawn: usize| if round == 0 { 0 } else { (rank + drawn) % nodes };
            let sends: Vec<Vec<(usize, usize)>> = (0..nodes)
                .map(|rank| (0..3).map(|_| (to(rank, 1 + random(nodes - 1)), 1000 + random(5000))).collect())
                .collect();
            let coming = |rank| sends.iter().flatten().filter(|(to, _)| *to == rank).count();
            let run = machine.run(|node| {
                for &(to, bytes) in &sends[node.rank()] {
                    node.world().send(to, vec![0_u8; bytes])?;
                }
                (0..coming(node.rank())).try_for_each(|_| node.world().recv(ANY_SOURCE).map(drop))?;
                Ok(())
            });
            let run = run.unwrap();
            let messages = Messages::of(&run.trace, run.machine()).unwrap();
            let blame = Blame::among(&messages, run.machine());
            assert_eq!(blame, by_the_rule(&messages, run.machine()), "{}, {round}", run.report.machine);
            assert_eq!(blame.total(), run.report.lost_to_sharing);
            shared += blame.losses.len();
        }
    }
    assert!(shared > 1000, "{shared}");
}
