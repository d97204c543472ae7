//! Regression test of planning: a frozen corpus of problems with the modeled times that *Auto* reached when the corpus was made
//! (tests/data/corpus.csv).
//!
//! A row specifies its problem in full. The 640 problems were drawn at random at commit efa337c, with seed 48: 60 machines of all
//! topologies, with 1, 2 and 4 ports, a quarter with random placements; collective operations with equal and unequal blocks,
//! s-to-p broadcasts, and exchanges. No problem was chosen for an algorithm.
//!
//! `MULTICOMPUTER_TESTS=long cargo test --release --test libraries corpus -- --nocapture` plans all problems in two minutes. It
//! prints the ratios to the frozen times, the processor time of planning, and the ratios to the lower bounds. Other modes plan a
//! sample.

use std::{fs, sync::Arc, time::Duration};

use multicomputer::{
    Rank, Span, Time,
    all_to_all::{self, Matrix},
    collective::{self, Operation, Task},
    model::MachineSpec,
    s_to_p,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustix::time::{ClockId, clock_gettime};

use crate::support;

const FILE: &str = "tests/data/corpus.csv";

const HEADER: &str = "machine,ports,placement,problem,modeled_ps,plan_us";

/// A problem, with the results when the corpus was made.
#[derive(Clone)]
struct Row {
    machine: String,
    ports: u32,
    placement: String,
    problem: Problem,
    /// The modeled time in picoseconds.
    modeled: u64,
    /// The processor time of planning in microseconds.
    planned: u64,
}

#[derive(Clone)]
enum Problem {
    /// A collective operation. `elements` has the length of the vector, or the lengths of all blocks.
    Collective { operation: Operation, root: Rank, element: u64, in_order: bool, elements: Vec<u64> },
    /// The sources of an s-to-p broadcast, with the lengths of their messages.
    SToP(Vec<(Rank, u64)>),
    /// The distribution of message lengths of an exchange, with its seed and parameters.
    Exchange { law: String, seed: u64, numbers: [u64; 3] },
}

impl Problem {
    fn read(text: &str) -> Problem {
        let (name, rest) = text.split_once(' ').unwrap();
        let mut words = rest.split(' ');
        let number = |word: Option<&str>| word.unwrap().parse::<u64>().unwrap();
        match name {
            "s-to-p" => Problem::SToP(
                words
                    .map(|word| word.split_once(':').unwrap())
                    .map(|(rank, bytes)| (number(Some(rank)) as Rank, number(Some(bytes))))
                    .collect(),
            ),
            "all-to-all" => {
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
                // The first number for all pairs.
                "even" => first,
                // Uniform from 0 to the first number.
                "uniform" => random.random_range(0..=first),
                // The first number with probability 1 / second number, otherwise 0.
                "sparse" => {
                    if random.random_range(0..second) == 0 {
                        first
                    } else {
                        0
                    }
                }
                // The second number with probability 1 / third number, otherwise the first.
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
    fn spec(&self) -> MachineSpec {
        let machine: MachineSpec = self.machine.parse().unwrap();
        let machine = if self.ports > 0 { machine.with_ports(self.ports).unwrap() } else { machine };
        // The presets had no call overhead when the corpus was made.
        let parameters = machine.parameters().to_builder().call_overhead(0.0).build().unwrap();
        let machine = machine.with_parameters(parameters);
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

    /// Plans the problem. Returns the modeled time, the processor time of planning, and the lower bound.
    fn plan(&self) -> (Time, Duration, Span) {
        let machine = self.spec();
        let nodes = machine.nodes();
        let before = processor_time();
        // The lower bound is computed after the processor time has been read.
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
            Problem::SToP(sources) => {
                let (ranks, lengths): (Vec<Rank>, Vec<u64>) = sources.iter().copied().unzip();
                let instance = s_to_p::Instance::new(&machine, &ranks, &lengths).unwrap();
                let plan = s_to_p::Algorithm::AUTO.plan(&instance).unwrap();
                timed(plan.prediction().modeled, &|| instance.lower_bound().time())
            }
            Problem::Exchange { law, seed, numbers } => {
                let matrix = Arc::new(Problem::matrix(law, *seed, *numbers, nodes));
                let instance = all_to_all::Instance::new(&machine, matrix).unwrap();
                let plan = all_to_all::Algorithm::AUTO.plan(&instance).unwrap();
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

/// Returns a quantile, and sorts the values.
fn quantile(values: &mut [f64], fraction: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * fraction).round() as usize]
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
    let rows: Vec<&str> = rows.lines().step_by(stride).collect();
    let (mut ratios, mut before, mut after) = (Vec::new(), Vec::new(), Vec::new());
    let mut bounded = [(); 3].map(|()| Vec::new());
    for &line in &rows {
        let row = Row::read(line);
        let (modeled, planned, bound) = row.plan();
        let family = match &row.problem {
            Problem::Collective { .. } => 0,
            Problem::SToP(_) => 1,
            Problem::Exchange { .. } => 2,
        };
        bounded[family].push(modeled.since_start().as_secs_f64() / bound.as_secs_f64());
        let ratio = modeled.since_start().as_picos() as f64 / row.modeled as f64;
        if ratio > 1.02 {
            println!("{ratio:.3} of the time: {}", line);
        }
        ratios.push(ratio);
        before.push(row.planned as f64 / 1e6);
        after.push(planned.as_secs_f64());
    }
    let share = |is: &dyn Fn(f64) -> bool| ratios.iter().filter(|&&ratio| is(ratio)).count();
    let (slower, faster) = (share(&|ratio| ratio > 1.02), share(&|ratio| ratio < 0.95));
    println!("{} problems: {slower} slower by over 2 %, {faster} faster by over 5 %", rows.len());
    let parts = |values: &mut Vec<f64>| {
        [0.5, 0.9, 1.0].map(|part| format!("{:.3}", quantile(values, part))).join(" / ")
    };
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
    let median = quantile(&mut ratios.clone(), 0.5);
    let worst = ratios.iter().copied().fold(0.0, f64::max);
    assert!(
        median <= 1.0 && slower * 50 <= rows.len() && worst <= 1.1,
        "median {median}, {slower} slower, worst {worst}"
    );
}
