//! A frozen corpus of problems with the times that *Auto* took when it was made (tests/data/corpus.csv): what a change of the planner
//! makes slower.
//!
//! A row spells its problem, so the corpus does not depend on how it was made: on random machines (all topologies, one and several
//! ports, ranks placed at random) collective operations with equal and with unequal blocks, s-to-p broadcasts and exchanges,
//! of which none is a case that some algorithm was made for.
//!
//! `MULTICOMPUTER_TESTS=long cargo test --release --test libraries corpus -- --nocapture` plans all of them, which takes two
//! minutes, and prints how the times and the seconds of planning compare, and the times to the lower bounds.

use std::{fmt::Write as _, fs, sync::Arc, time::Duration};

use multicomputer::{
    Rank, Span, Time,
    collective::{self, Operation, Task},
    exchange::{self, Matrix},
    model::Description,
    stop,
};
use rand::{RngExt, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use rustix::time::{ClockId, clock_gettime};

use crate::support;

const FILE: &str = "tests/data/corpus.csv";

const HEADER: &str = "machine,ports,placement,problem,modeled_ps,plan_us";

/// A row: the problem, with its time and the processor time of its planning when the corpus was made.
#[derive(Clone)]
struct Row {
    machine: String,
    ports: u32,
    placement: String,
    problem: Problem,
    modeled: u64,
    planned: u64,
}

#[derive(Clone)]
enum Problem {
    /// An operation, its root, the bytes of an element, and the elements: of the vector, or of each block.
    Collective { operation: Operation, root: Rank, element: u64, in_order: bool, elements: Vec<u64> },
    /// The sources with their lengths.
    Stop(Vec<(Rank, u64)>),
    /// The law of the lengths of messages, its seed, and up to three numbers that it needs.
    Exchange { law: String, seed: u64, numbers: [u64; 3] },
}

impl Problem {
    /// As a row spells it, with blanks.
    fn spelled(&self) -> String {
        let list = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
        match self {
            Problem::Collective { operation, root, element, in_order, elements } => {
                let order = if *in_order { "in-order" } else { "any-order" };
                format!("{} {root} {element} {order} {}", operation.name(), list(elements))
            }
            Problem::Stop(sources) => {
                let sources = sources.iter().map(|(rank, bytes)| format!("{rank}:{bytes}"));
                format!("s-to-p {}", sources.collect::<Vec<_>>().join(" "))
            }
            Problem::Exchange { law, seed, numbers } => format!("exchange {law} {seed} {}", list(numbers)),
        }
    }

    fn read(text: &str) -> Problem {
        let (name, rest) = text.split_once(' ').unwrap();
        let mut words = rest.split(' ');
        let number = |word: Option<&str>| word.unwrap().parse::<u64>().unwrap();
        match name {
            "s-to-p" => Problem::Stop(
                words
                    .map(|word| word.split_once(':').unwrap())
                    .map(|(rank, bytes)| (number(Some(rank)) as Rank, number(Some(bytes))))
                    .collect(),
            ),
            "exchange" => {
                let law = words.next().unwrap().to_owned();
                let seed = number(words.next());
                let numbers = [(); 3].map(|()| number(words.next()));
                Problem::Exchange { law, seed, numbers }
            }
            operation => Problem::Collective {
                operation: Operation::named(operation).unwrap(),
                root: number(words.next()) as Rank,
                element: number(words.next()),
                in_order: words.next() == Some("in-order"),
                elements: words.map(|word| number(Some(word))).collect(),
            },
        }
    }

    /// The matrix of an exchange.
    fn matrix(law: &str, seed: u64, [first, second, third]: [u64; 3], nodes: usize) -> Matrix {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut entries = vec![0; nodes * nodes];
        for entry in &mut entries {
            *entry = match law {
                // All of one length.
                "even" => first,
                // From nothing to the first number.
                "uniform" => random.random_range(0..=first),
                // With a probability of 1 to the second number.
                "sparse" => {
                    if random.random_range(0..second) == 0 {
                        first
                    } else {
                        0
                    }
                }
                // The second length with a probability of 1 to the third number, otherwise the first.
                "two" => {
                    if random.random_range(0..third) == 0 {
                        second
                    } else {
                        first
                    }
                }
                other => panic!("no law {other}"),
            };
        }
        Matrix::of(nodes, |from, to| if from == to { 0 } else { entries[from * nodes + to] }).unwrap()
    }
}

impl Row {
    fn description(&self) -> Description {
        let machine: Description = self.machine.parse().unwrap();
        let machine = if self.ports > 0 { machine.with_ports(self.ports).unwrap() } else { machine };
        machine.with_placement(self.placement.parse().unwrap()).unwrap()
    }

    fn read(line: &str) -> Row {
        let mut cells = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
        let record = cells.records().next().unwrap().unwrap();
        Row {
            machine: record[0].to_owned(),
            ports: record[1].parse().unwrap(),
            placement: record[2].to_owned(),
            problem: Problem::read(&record[3]),
            modeled: record[4].parse().unwrap(),
            planned: record[5].parse().unwrap(),
        }
    }

    fn line(&self) -> String {
        let Row { machine, ports, placement, problem, modeled, planned } = self;
        format!("\"{machine}\",{ports},{placement},{},{modeled},{planned}", problem.spelled())
    }

    /// Plans the problem: its time, the processor time that this takes, and the lower bound.
    fn plan(&self) -> (Time, Duration, Span) {
        let machine = self.description();
        let nodes = machine.nodes();
        let before = processor_time();
        // Planned within the time that is taken, and bounded behind it.
        let timed = |modeled: Time, bound: &dyn Fn() -> Span| (modeled, processor_time() - before, bound());
        match &self.problem {
            Problem::Collective { operation, root, element, in_order, elements } => {
                let task = Task::builder(&machine, *operation);
                let task = if operation.has_root() { task.root(*root) } else { task };
                let task = task.element_bytes(*element).in_order(*in_order);
                let task = match &elements[..] {
                    [all] => task.elements(*all),
                    blocks => task.blocks(blocks),
                };
                let task = task.build().unwrap();
                let plan = collective::Algorithm::AUTO.plan(&task).unwrap();
                timed(plan.prediction().modeled, &|| task.lower_bound().time())
            }
            Problem::Stop(sources) => {
                let (ranks, lengths): (Vec<Rank>, Vec<u64>) = sources.iter().copied().unzip();
                let instance = stop::Instance::new(&machine, &ranks, &lengths).unwrap();
                let plan = stop::Algorithm::AUTO.plan(&instance).unwrap();
                timed(plan.prediction().modeled, &|| instance.lower_bound().time())
            }
            Problem::Exchange { law, seed, numbers } => {
                let matrix = Arc::new(Problem::matrix(law, *seed, *numbers, nodes));
                let instance = exchange::Instance::new(&machine, matrix).unwrap();
                let plan = exchange::Algorithm::AUTO.plan(&instance).unwrap();
                timed(plan.prediction().unwrap().modeled, &|| instance.lower_bound().time())
            }
        }
    }
}

/// The processor time of this process.
fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

const MACHINES: [&str; 60] = [
    "paragon:4x4",
    "paragon:8x8",
    "paragon:10x10",
    "paragon:16x16",
    "paragon:3x7",
    "paragon:1x16",
    "hockney:1x16",
    "hockney:4x8",
    "hockney:3x5",
    "hockney:12x12",
    "cm5:16",
    "cm5:32",
    "cm5:64",
    "cm5:200",
    "t3d:2x4x4",
    "t3d:4x4x4",
    "t3d:4x8x8",
    "delta:4x8",
    "delta:9x9",
    "ipsc860:16",
    "ipsc860:64",
    "mesh:7x9",
    "mesh:2x3x5",
    "torus:4x4",
    "torus:5x6",
    "torus:9x9",
    "torus:4x4x4",
    "torus:3x3x3",
    "ring:4",
    "ring:9",
    "ring:16",
    "ring:33",
    "line:5",
    "line:16",
    "hypercube:8",
    "hypercube:32",
    "hypercube:128",
    "complete:6",
    "complete:7",
    "complete:12",
    "complete:48",
    "tree:11",
    "tree:64",
    "clos:16:4",
    "clos:60:12",
    "dragonfly:5x2x3:8,2",
    "dragonfly:4x4x4",
    "fat-tree:19",
    "fat-tree:64",
    "h100:8",
    "h100-cluster:2",
    "h100-cluster:4",
    "h100-cluster:8",
    "tpu-v5p:2x4x4",
    "tpu-v5p:4x4x4",
    "ethernet:16",
    "ethernet:48",
    "mpi:7",
    "mpi:64",
    "host:8",
];

/// A random row of the corpus, without its times.
fn random_row(random: &mut ChaCha8Rng) -> Row {
    let machine = (*MACHINES.choose(random).unwrap()).to_owned();
    let nodes = machine.parse::<Description>().unwrap().nodes();
    let ports = [0, 0, 0, 0, 2, 4][random.random_range(0..6)];
    let placement = match random.random_range(0..4) {
        0 => format!("random:{}", random.random_range(1..1000)),
        _ => "identity".to_owned(),
    };
    let power = |random: &mut ChaCha8Rng, exponents: std::ops::Range<u32>| {
        let least = 1_u64 << random.random_range(exponents);
        random.random_range(least..2 * least)
    };
    let problem = match random.random_range(0..8) {
        0..4 => {
            let operation = *Operation::ALL.choose(random).unwrap();
            let element = if operation.combines() { 8 } else { 1 };
            let elements = power(random, 3..26).div_ceil(element);
            let in_order = operation.combines() && random.random_range(0..4) == 0;
            let root = if operation.has_root() { random.random_range(0..nodes) } else { 0 };
            Problem::Collective { operation, root, element, in_order, elements: vec![elements] }
        }
        4 => {
            let blocked =
                [Operation::Collect, Operation::Gather, Operation::Scatter, Operation::DistributedCombine];
            let operation = *blocked.choose(random).unwrap();
            let element = if operation.combines() { 8 } else { 1 };
            let most = power(random, 4..18);
            let elements = match random.random_range(0..2) {
                0 => (0..nodes).map(|_| random.random_range(0..=most)).collect(),
                _ => {
                    let long = random.random_range(0..nodes);
                    (0..nodes).map(|rank| if rank == long { most * 64 } else { most.min(16) }).collect()
                }
            };
            let root = if operation.has_root() { random.random_range(0..nodes) } else { 0 };
            Problem::Collective { operation, root, element, in_order: false, elements }
        }
        5 | 6 => {
            let sources = random.random_range(1..=nodes);
            let sources = if random.random_range(0..2) == 0 { sources.min(5) } else { sources };
            let mut ranks = rand::seq::index::sample(random, nodes, sources).into_vec();
            ranks.sort_unstable();
            let length = power(random, 3..20);
            let is_even = random.random_range(0..2) == 0;
            let bytes = |_: &Rank| if is_even { length } else { random.random_range(1..=length) };
            let lengths: Vec<u64> = ranks.iter().map(bytes).collect();
            Problem::Stop(ranks.into_iter().zip(lengths).collect())
        }
        _ => {
            let law = (*["even", "uniform", "sparse", "two"].choose(random).unwrap()).to_owned();
            let seed = random.random_range(1..1_000_000);
            let numbers = [power(random, 2..14), power(random, 12..17), random.random_range(4..20)];
            let numbers = if law == "sparse" { [numbers[0], random.random_range(2..10), 0] } else { numbers };
            Problem::Exchange { law, seed, numbers }
        }
    };
    Row { machine, ports, placement, problem, modeled: 0, planned: 0 }
}

/// Writes the corpus anew: only for a new one, since it is frozen.
#[test]
#[ignore = "writes tests/data/corpus.csv"]
fn write_the_corpus() {
    let mut random = ChaCha8Rng::seed_from_u64(48);
    let mut text = format!("{HEADER}\n");
    for _ in 0..640 {
        let mut row = random_row(&mut random);
        let (modeled, planned, _) = row.plan();
        (row.modeled, row.planned) = (modeled.since_start().as_picos(), planned.as_micros() as u64);
        writeln!(text, "{}", row.line()).unwrap();
        fs::write(FILE, &text).unwrap();
    }
}

/// A value at a part of a list, which it sorts.
fn at(values: &mut [f64], part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * part).round() as usize]
}

#[test]
fn few_problems_of_the_corpus_have_become_slower() {
    let text = fs::read_to_string(FILE).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    assert_eq!(header, HEADER);
    let stride = if support::is_long() {
        1
    } else if support::is_full() {
        10
    } else {
        40
    };
    let rows: Vec<Row> = rows.lines().step_by(stride).map(Row::read).collect();
    let (mut ratios, mut before, mut after) = (Vec::new(), Vec::new(), Vec::new());
    let mut bounded = [(); 3].map(|()| Vec::new());
    for row in &rows {
        let (modeled, planned, bound) = row.plan();
        let family = match row.problem {
            Problem::Collective { .. } => 0,
            Problem::Stop(_) => 1,
            Problem::Exchange { .. } => 2,
        };
        bounded[family].push(modeled.since_start().as_secs_f64() / bound.as_secs_f64());
        let ratio = modeled.since_start().as_picos() as f64 / row.modeled as f64;
        if ratio > 1.02 {
            println!("{ratio:.3} of the time: {}", row.line());
        }
        assert!(ratio <= 1.1, "{ratio} of the time: {}", row.line());
        ratios.push(ratio);
        before.push(row.planned as f64 / 1e6);
        after.push(planned.as_secs_f64());
    }
    let share = |is: &dyn Fn(f64) -> bool| ratios.iter().filter(|&&ratio| is(ratio)).count();
    let (slower, faster) = (share(&|ratio| ratio > 1.02), share(&|ratio| ratio < 0.95));
    println!("{} problems: {slower} slower by over 2 %, {faster} faster by over 5 %", rows.len());
    let parts =
        |values: &mut Vec<f64>| [0.5, 0.9, 1.0].map(|part| format!("{:.3}", at(values, part))).join(" / ");
    println!(
        "median / p90 / worst; planning, s: {} (when it was made {})",
        parts(&mut after),
        parts(&mut before)
    );
    for (family, values) in ["collective", "s-to-p", "exchange"].iter().zip(&mut bounded) {
        if !values.is_empty() {
            println!("{family}, time over bound: {}", parts(values));
        }
    }
    let median = at(&mut ratios.clone(), 0.5);
    assert!(median <= 1.0 && slower * 50 <= rows.len(), "median {median}, {slower} slower");
}
