//! Random programs on machines with random faults: they end, and alike in every run.

use multicomputer::{
    collective::Sum,
    comm::AnyRequest,
    error::{Failure, RunError},
    model::{Noise, Parameters},
    prelude::*,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{BYTES, faults};
use crate::support::PATIENCE;

/// The story of each node: texts of what it received and of its errors, each with its clock.
type Story = Result<(Vec<Option<Vec<(String, Time)>>>, String), String>;

/// A run's story, which must have an end.
fn story(
    machine: &Machine,
    program: impl Fn(&Node<'_>) -> Result<Vec<(String, Time)>, Failure> + Sync,
) -> Story {
    match machine.run_surviving(program) {
        Ok(run) => {
            // Also of the dead: all that a node did and did not takes the time of its life.
            for node in &run.report.nodes {
                let spans = [node.computing, node.overhead, node.waiting, node.noise];
                assert_eq!(spans.into_iter().sum::<Span>(), node.finished.since_start(), "{node:?}");
            }
            Ok((run.outputs, run.report.to_string()))
        }
        Err(error @ RunError::WallLimit { .. }) => panic!("it hangs: {error}"),
        Err(error) => Err(error.to_string()),
    }
}

/// A node's messages to some nodes and from others, at random, whatever errors there are.
fn chatter(seed: u64) -> impl Fn(&Node<'_>) -> Result<Vec<(String, Time)>, Failure> + Sync {
    move |node| {
        let (world, rank, size) = (node.world(), node.rank(), node.size());
        let mut random = ChaCha8Rng::seed_from_u64(seed * 100 + rank as u64);
        let mut story = Vec::new();
        let mut requests: Vec<Option<AnyRequest<'_>>> = Vec::new();
        for _ in 0..12 {
            let (other, bytes) = (random.random_range(0..size), random.random_range(0..3000));
            let data = vec![1_u8; bytes];
            let met = match random.random_range(0..12) {
                0..3 => world.send(other, &data[..]).map(|()| "sent".to_owned()),
                3 => world.recv(other).map(|message| format!("{} from {}", message.len(), message.source)),
                4 => {
                    world.recv(ANY_SOURCE).map(|message| format!("{} from {}", message.len(), message.source))
                }
                5 => world.isend(other, &data[..]).map(|request| {
                    requests.push(Some(request.into()));
                    "started".to_owned()
                }),
                6 => world.irecv(if bytes < 1500 { Select::from(other) } else { ANY_SOURCE.into() }).map(
                    |request| {
                        requests.push(Some(request.into()));
                        "posted".to_owned()
                    },
                ),
                7 if !requests.is_empty() => {
                    let first = Request::wait_any(&mut requests);
                    requests.retain(Option::is_some);
                    first.map(|(nth, _)| format!("request {nth}"))
                }
                8 => {
                    let deadline = node.now()? + Span::from_micros(bytes as u64);
                    world.recv_until(other, deadline).map(|message| format!("{} in time", message.len()))
                }
                9 => {
                    world.sendrecv(other, &data[..], (rank + size - 1) % size).map(|_| "exchanged".to_owned())
                }
                10 => world.try_probe(ANY_SOURCE).map(|found| format!("{found:?}")),
                _ => node.compute(Span::from_micros(bytes as u64 / 10)).map(|()| "computed".to_owned()),
            };
            match met {
                Err(error @ (CommError::Deadlock | CommError::Ended | CommError::Died { .. })) => {
                    return Err(error.into());
                }
                met => story.push((met.unwrap_or_else(|error| error.to_string()), node.now()?)),
            }
        }
        Ok(story)
    }
}

/// Rounds of library calls of all nodes and of rows, barriers, and a ring of neighbours, whatever errors there are.
fn rounds(node: &Node<'_>) -> Result<Vec<(String, Time)>, Failure> {
    let (world, row, rank, size) = (node.world(), node.row()?, node.rank(), node.size());
    let mut story = Vec::new();
    for round in 0..4_u64 {
        node.compute(Span::from_micros(17 * round * (rank as u64 + 1)))?;
        let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
        let mut sum = rank as u64;
        let met = [
            world.all_reduce(&mut sum, Sum).map(|()| sum).map_err(|error| error.to_string()),
            world
                .sendrecv(right, BYTES, left)
                .map(|message| message.len())
                .map_err(|error| error.to_string()),
            row.all_gather(&(rank as u64), [1; 3])
                .map(|all| all.iter().sum())
                .map_err(|error| error.to_string()),
            world.barrier().map(|()| 0).map_err(|error| error.to_string()),
        ];
        for met in met {
            story.push((format!("{met:?}"), node.now()?));
        }
    }
    Ok(story)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 90, ..ProptestConfig::default() })]

    /// Tests that random programs on machines with random faults end, and alike in every run.
    #[test]
    fn random_programs_with_random_faults_end_alike(
        seed in 0_u64..1_000_000,
        nodes in prop::collection::vec((0_usize..6, 0_u64..1500), 0..3),
        links in prop::collection::vec((0_usize..7, 0_u64..1500, prop::bool::ANY), 0..4),
        detours in prop::bool::ANY,
        ties in prop::bool::ANY,
        noise in prop::option::of(1_u64..100),
        rendezvous in prop::option::of(prop_oneof![Just(0_u64), 0_u64..3000]),
    ) {
        const ENDS: [&str; 7] = ["0-1", "1-2", "3-4", "4-5", "0-3", "1-4", "2->5"];
        let dying = nodes.iter().map(|(rank, at)| format!("node:{rank}@{at}us"));
        let cut = links.iter().map(|&(nth, at, is_slow)| match is_slow {
            true => format!("slow:{}:0.3@{at}us", ENDS[nth]),
            false => format!("dead:{}@{at}us", ENDS[nth]),
        });
        let texts: Vec<String> = dying.chain(cut).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        // Where nothing but bytes takes time, much happens at one instant.
        let parameters = if ties {
            Parameters::builder().beta(100e-9).barrier(0.0).build().unwrap()
        } else {
            Parameters::hockney().to_builder().latency(7e-6).hop(1e-6).exchange_overhead(3e-6).build().unwrap()
        };
        let machine = Machine::mesh(2, 3).parameters(parameters).faults(faults(&texts).detours(detours));
        let machine = match noise {
            Some(length) => {
                let noise = Noise::new(Span::from_micros(150), Span::from_micros(length)).unwrap();
                machine.noise(noise.seed(seed))
            }
            None => machine,
        };
        let machine = match rendezvous {
            Some(from_bytes) => machine.rendezvous(from_bytes),
            None => machine,
        };
        let machine = machine.wall_limit(PATIENCE).build().unwrap();
        let first = story(&machine, chatter(seed));
        prop_assert_eq!(&story(&machine, chatter(seed)), &first);
        prop_assert_eq!(&story(&machine, chatter(seed)), &first);
        let first = story(&machine, rounds);
        prop_assert_eq!(&story(&machine, rounds), &first);
        prop_assert_eq!(&story(&machine, rounds), &first);
    }
}
