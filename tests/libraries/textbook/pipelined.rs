//! Section 4.2: an all-to-all broadcast is better than as many one-to-all broadcasts, and broadcasts from several
//! sources are better pipelined than one after the other.

use super::*;

/// Broadcasts of 1000 bytes from the first ranks of a network.
fn broadcasts(algorithm: Algorithm, network: &str, parameters: &Parameters, sources: usize) -> Plan {
    let machine = machine(network, parameters);
    let blocks: Vec<u64> = (0..machine.nodes()).map(|rank| if rank < sources { 1000 } else { 0 }).collect();
    let task = Task::builder(&machine, algorithm.operation()).blocks(blocks).build().unwrap();
    algorithm.plan(&task).unwrap()
}

/// "If performed naively, on some architectures this approach may take up to p times as long as a one-to-all
/// broadcast."
#[test]
fn p_broadcasts_take_p_times_as_long_as_one() {
    for network in ["ring:8", "line:8", "hypercube:8", "tree:8"] {
        let one = modeled(&plan(Algorithm::ONE_TO_ALL, &machine(network, &strict()), 1000)).since_start();
        let all = modeled(&broadcasts(Algorithm::IN_TURN, network, &strict(), 8)).since_start();
        assert_eq!(all, one.times(8), "{network}");
        assert_eq!(all.to_string(), "4.32 ms", "8 x 3 x 180 us");
    }
    // With half of the start-up at the receiver the next broadcast begins before the last is over.
    let all = modeled(&broadcasts(Algorithm::IN_TURN, "hypercube:8", &Parameters::hockney(), 8));
    assert_eq!(all.to_string(), "3.67 ms");
}

/// "It is possible to use the communication links more efficiently by performing all p one-to-all broadcasts
/// simultaneously": 7 transfers instead of 24.
#[test]
fn all_to_all_is_faster_than_p_broadcasts() {
    for parameters in [strict(), split(65.0, 0.0, 65.0), split(0.0, 65.0, 65.0)] {
        for size in [4, 8, 16, 32] {
            let network = format!("ring:{size}");
            let in_turn = modeled(&broadcasts(Algorithm::IN_TURN, &network, &parameters, size));
            let all_to_all =
                modeled(&plan(Algorithm::RING_ALL_TO_ALL, &machine(&network, &parameters), 1000));
            assert!(all_to_all < in_turn, "{size}: {all_to_all}, {in_turn}");
        }
    }
}

/// Section 4.2.4: (p - 1) (t_s + t_w m), however many sources there are, against n (t_s + t_w m) log p. On eight nodes
/// the pipeline pays from three sources on.
#[test]
fn pipelining_pays_from_the_third_of_eight_sources_on() {
    for (sources, in_turn) in [(1, "540 us"), (2, "1.08 ms"), (3, "1.62 ms"), (4, "2.16 ms"), (8, "4.32 ms")]
    {
        let pipelined = modeled(&broadcasts(Algorithm::PIPELINED, "ring:8", &strict(), sources));
        assert_eq!(pipelined.to_string(), "1.26 ms", "{sources}: 7 x 180 us");
        let others = broadcasts(Algorithm::IN_TURN, "hypercube:8", &strict(), sources);
        assert_eq!(modeled(&others).to_string(), in_turn, "{sources}");
        assert_eq!(others.estimate().to_string(), in_turn, "{sources}");
        assert_eq!(pipelined < modeled(&others), sources >= 3);
    }
}

/// A pipeline of all sources is algorithm 4.4: the same messages at the same times.
#[test]
fn a_pipeline_of_all_sources_is_the_ring() {
    for size in [2, 5, 8] {
        let machine = hockney(&format!("ring:{size}"));
        let [pipelined, ring] = [Algorithm::PIPELINED, Algorithm::RING_ALL_TO_ALL]
            .map(|algorithm| plan(algorithm, &machine, 100));
        assert_eq!(pipelined.schedule(), ring.schedule());
    }
}

/// "For large messages, a highly connected network like a hypercube is no better than a simple ring": t_w m (p - 1) is
/// the same on all, and a lower bound for nodes that receive through one port.
#[test]
fn for_long_messages_a_ring_is_as_good_as_a_hypercube() {
    let times = |bytes: u64| {
        [
            (Algorithm::RING_ALL_TO_ALL, "ring:16"),
            (Algorithm::MESH_ALL_TO_ALL, "mesh:4x4"),
            (Algorithm::HYPERCUBE_ALL_TO_ALL, "hypercube:16"),
        ]
        .map(|(algorithm, network)| modeled(&plan(algorithm, &hockney(network), bytes)))
    };
    let texts = |bytes| times(bytes).map(|time| time.to_string());
    assert_eq!(texts(1), ["1.95075 ms", "780.75 us", "520.75 us"], "start-ups: 15, 6 and 4");
    assert_eq!(texts(1000), ["2.7 ms", "1.53 ms", "1.27 ms"]);
    assert_eq!(texts(1_000_000), ["751.95 ms", "750.78 ms", "750.52 ms"]);
    let least = Parameters::hockney().transfer(15 * 1_000_000);
    assert!(times(1_000_000).iter().all(|time| time.since_start() >= least));
}
