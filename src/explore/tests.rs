//! Tests of the search against brute force: random programs, whose messages have no times, run by a small interpreter.
//!
//! A [`State`] is a program of which some steps have been made, with all matches so far. [`State::moves`] are the possible next steps, by the
//! matching rules of MPI. Brute force makes all moves in all orders, and collects the decisions of all final states. A run for the search makes
//! random moves that the given decisions allow, the same moves for the same decisions.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
};

use parking_lot::Mutex;

use super::{
    Budget,
    driver::explore,
    log::{Decision, Entry, Open, Pick, RankLog, RankScript, Receive, Took},
    order::Waits,
    search::{decisions, stuck_if_calls_wait},
};
use crate::{
    rank::Tag,
    wire::{Label, MessageId, NodeId, Selector},
};

#[derive(Clone, Copy, Debug)]
enum Step {
    Send {
        to: NodeId,
        tag: u32,
        waits: bool,
    },
    /// Sends to the source of the last message.
    Answer {
        waits: bool,
    },
    Recv(Selector),
    Irecv(Selector),
    Probe(Selector),
    /// Waits for the oldest open receive.
    Wait,
    WaitAny,
    /// Tests the newest open receive.
    Test,
    /// Makes the next steps, as many as given, only if the last message came from this source.
    OnlyAfter(NodeId, usize),
}

#[derive(Clone, Debug, Default)]
struct Process {
    /// The number of the next step.
    at: usize,
    /// Whether the step has been made up to its wait.
    begun: bool,
    last: NodeId,
    log: RankLog,
    /// The open receives, by number.
    open: Vec<usize>,
}

/// A message: its identity, its label, and whether a receive has taken it.
type InTransit = (MessageId, Label, bool);

#[derive(Clone, Debug)]
struct State<'p> {
    programs: &'p [Vec<Step>],
    processes: Vec<Process>,
    /// The messages from one rank to another in the order of sending: identity, label, and whether a receive has taken it.
    channels: BTreeMap<(NodeId, NodeId), Vec<InTransit>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Move {
    /// The next step of a rank, with its decision.
    Step(usize, Option<Decision>),
    /// A match of a posted receive with the first message from a source.
    Match(usize, usize, NodeId),
}

impl<'p> State<'p> {
    fn new(programs: &'p [Vec<Step>]) -> State<'p> {
        let processes = vec![Process::default(); programs.len()];
        State { programs, processes, channels: BTreeMap::new() }
    }

    /// The first message of a source that a receive could take.
    fn first(&self, rank: usize, source: NodeId, select: Selector) -> Option<(MessageId, Label)> {
        let channel = self.channels.get(&(rank as NodeId, source))?;
        let first = channel.iter().find(|(_, label, taken)| !taken && select.accepts(label))?;
        Some((first.0, first.1))
    }

    /// Whether a receive posted before this one waits for such a message.
    fn is_awaited(&self, rank: usize, before: usize, label: Label) -> bool {
        let receives = &self.processes[rank].log.receives[..before];
        receives
            .iter()
            .any(|receive| receive.consumes && receive.took.is_none() && receive.select.accepts(&label))
    }

    fn is_met(&self, rank: usize, seq: u64) -> bool {
        let id = MessageId { source: rank as NodeId, seq };
        self.channels.values().flatten().any(|&(other, _, taken)| other == id && taken)
    }

    fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        let sources = 0..self.processes.len() as NodeId;
        for (rank, process) in self.processes.iter().enumerate() {
            for (number, receive) in process.log.receives.iter().enumerate() {
                for source in sources.clone().filter(|_| receive.consumes && receive.took.is_none()) {
                    if let Some((_, label)) = self.first(rank, source, receive.select)
                        && !self.is_awaited(rank, number, label)
                    {
                        moves.push(Move::Match(rank, number, source));
                    }
                }
            }
            let Some(&step) = self.programs[rank].get(process.at) else { continue };
            let receives = &process.log.receives;
            let took = |number: usize| receives[number].took.is_some();
            let last = receives.len().wrapping_sub(1);
            match step {
                Step::Send { waits: true, .. } | Step::Answer { waits: true } if process.begun => {
                    if self.is_met(rank, process.log.sent - 1) {
                        moves.push(Move::Step(rank, None));
                    }
                }
                Step::Recv(_) if process.begun => {
                    if took(last) {
                        moves.push(Move::Step(rank, None));
                    }
                }
                Step::Probe(select) if process.begun => {
                    for source in sources.clone() {
                        if let Some((_, label)) = self.first(rank, source, select)
                            && !self.is_awaited(rank, last, label)
                        {
                            moves.push(Move::Step(rank, Some(Decision::From(source))));
                        }
                    }
                }
                Step::Wait if !process.open.is_empty() => {
                    if took(process.open[0]) {
                        moves.push(Move::Step(rank, None));
                    }
                }
                Step::WaitAny if !process.open.is_empty() => {
                    for (index, _) in (0..).zip(&process.open).filter(|&(_, &number)| took(number)) {
                        moves.push(Move::Step(rank, Some(Decision::From(index))));
                    }
                }
                Step::Test if !process.open.is_empty() => {
                    moves.push(Move::Step(rank, Some(Decision::Nothing)));
                    if took(process.open[process.open.len() - 1]) {
                        moves.push(Move::Step(rank, Some(Decision::From(0))));
                    }
                }
                _ => moves.push(Move::Step(rank, None)),
            }
        }
        moves
    }

    fn make(&mut self, a_move: Move) {
        match a_move {
            Move::Match(rank, number, source) => {
                let select = self.processes[rank].log.receives[number].select;
                let Some((id, _)) = self.first(rank, source, select) else { return };
                let channel = self.channels.get_mut(&(rank as NodeId, source)).unwrap();
                channel.iter_mut().filter(|message| message.0 == id).for_each(|message| message.2 = true);
                self.processes[rank].log.receives[number].took = Some(Took::Message(id));
            }
            Move::Step(rank, decision) => self.step(rank, decision),
        }
    }

    fn step(&mut self, rank: usize, decision: Option<Decision>) {
        let process = &mut self.processes[rank];
        let log = &mut process.log;
        let step = self.programs[rank][process.at];
        let source_of = |log: &RankLog, number: usize| match log.receives[number].took {
            Some(Took::Message(id)) => id.source,
            _ => 0,
        };
        let post = |log: &mut RankLog, select, consumes| {
            let posted = log.entries.len();
            let (may_fail, repeated, withdrawn, request, claimed, took) =
                (false, false, false, None, None, None);
            log.push(Entry::Post);
            log.receives.push(Receive {
                select,
                consumes,
                may_fail,
                repeated,
                withdrawn,
                request,
                posted,
                claimed,
                took,
            });
        };
        let mut ends = true;
        match (step, process.begun) {
            (Step::Send { waits: true, .. } | Step::Answer { waits: true }, true) => {
                let seq = log.sent - 1;
                log.push(Entry::Sent { seq, waits: true });
            }
            (Step::Send { waits, .. } | Step::Answer { waits }, _) => {
                let (to, tag) = match step {
                    Step::Send { to, tag, .. } => (to, tag),
                    _ => (process.last, 0),
                };
                let (source, seq) = (rank as NodeId, log.sent);
                let label = Label { context: 0, source, tag: Tag(tag) };
                log.sent += 1;
                log.push(Entry::Send { seq, target: to, label, note: None });
                let channel = self.channels.entry((to, source)).or_default();
                channel.push((MessageId { source, seq }, label, false));
                ends = !waits;
                if ends {
                    log.push(Entry::Sent { seq, waits });
                }
            }
            (Step::Recv(select), false) => {
                post(log, select, true);
                ends = false;
            }
            (Step::Probe(select), false) => {
                post(log, select, false);
                ends = false;
            }
            (Step::Recv(_), true) => {
                let number = log.receives.len() - 1;
                log.push(Entry::Taken(number));
                process.last = source_of(log, number);
            }
            (Step::Probe(_), true) => {
                let number = log.receives.len() - 1;
                let Some(Decision::From(source)) = decision else { return };
                log.receives[number].took = Some(Took::Saw(source));
                log.push(Entry::Taken(number));
                process.last = source;
            }
            (Step::Irecv(select), _) => {
                process.open.push(log.receives.len());
                post(log, select, true);
            }
            (Step::Wait, _) if !process.open.is_empty() => {
                let number = process.open.remove(0);
                log.push(Entry::Taken(number));
                process.last = source_of(log, number);
            }
            (Step::WaitAny | Step::Test, _) if !process.open.is_empty() => {
                let first = if matches!(step, Step::Test) { process.open.len() - 1 } else { 0 };
                let requests = process.open[first..].iter().map(|&number| Open::Receive(number)).collect();
                log.push(Entry::Pick(log.picks.len()));
                let outcome = decision.unwrap_or(Decision::Nothing);
                let may_fail = matches!(step, Step::Test);
                log.picks.push(Pick { requests, may_fail, repeated: false, outcome });
                if let Decision::From(index) = outcome {
                    let number = process.open.remove(first + index as usize);
                    process.last = source_of(log, number);
                }
            }
            (Step::OnlyAfter(source, steps), _) if process.last != source => process.at += steps,
            _ => {}
        }
        process.begun = !ends;
        process.at += usize::from(ends);
    }

    /// The moves that given decisions allow.
    fn allowed(&self, script: &[RankScript]) -> Vec<Move> {
        let agrees = |wanted: Option<&Option<Decision>>, made: Option<Decision>| {
            wanted.copied().flatten().is_none_or(|wanted| made == Some(wanted))
        };
        let mut moves = self.moves();
        moves.retain(|a_move| match *a_move {
            Move::Match(rank, number, source) => script
                .get(rank)
                .is_none_or(|script| agrees(script.receives.get(number), Some(Decision::From(source)))),
            Move::Step(_, None) => true,
            Move::Step(rank, decision) => script.get(rank).is_none_or(|script| {
                let log = &self.processes[rank].log;
                match self.programs[rank][self.processes[rank].at] {
                    Step::Probe(_) => agrees(script.receives.get(log.receives.len() - 1), decision),
                    _ => agrees(script.picks.get(log.picks.len()), decision),
                }
            }),
        });
        moves
    }

    /// Whether all ranks have ended.
    fn is_done(&self) -> bool {
        self.processes.iter().zip(self.programs).all(|(process, program)| process.at >= program.len())
    }

    fn logs(&self) -> Vec<RankLog> {
        self.processes.iter().map(|process| process.log.clone()).collect()
    }

    /// A text that tells all states apart.
    fn key(&self) -> String {
        let process = |process: &Process| {
            let receives: Vec<_> = process.log.receives.iter().map(|receive| receive.took).collect();
            let picks: Vec<_> = process.log.picks.iter().map(|pick| pick.outcome).collect();
            format!("{} {} {receives:?} {picks:?};", process.at, process.begun)
        };
        self.processes.iter().map(process).collect()
    }
}

/// Returns the decisions of all executions of a program, each with whether all ranks have ended; `None` if there are too many states.
fn brute_force(programs: &[Vec<Step>]) -> Option<BTreeMap<Vec<RankScript>, bool>> {
    let (mut known, mut ends) = (BTreeSet::new(), BTreeMap::new());
    let mut left = vec![State::new(programs)];
    while let Some(state) = left.pop() {
        if !known.insert(state.key()) {
            continue;
        }
        if known.len() > 30_000 {
            return None;
        }
        let moves = state.moves();
        if moves.is_empty() {
            ends.insert(decisions(&state.logs()), state.is_done());
        }
        for a_move in moves {
            let mut next = state.clone();
            next.make(a_move);
            left.push(next);
        }
    }
    Some(ends)
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }
}

/// Makes one run with given decisions, and otherwise random ones; returns its end.
fn run<'p>(programs: &'p [Vec<Step>], script: &[RankScript], seed: u64) -> State<'p> {
    let mut hasher = DefaultHasher::new();
    format!("{seed} {script:?}").hash(&mut hasher);
    let mut random = Random(hasher.finish());
    let mut state = State::new(programs);
    loop {
        let moves = state.allowed(script);
        if moves.is_empty() {
            return state;
        }
        state.make(moves[random.below(moves.len())]);
    }
}

/// Explores a program; returns the decisions of all runs, with the number of runs for each, and those of the deadlocks of waiting sends.
fn search(programs: &[Vec<Step>], seed: u64) -> (BTreeMap<Vec<RankScript>, u64>, BTreeSet<Vec<RankScript>>) {
    let (found, stuck) = (Mutex::new(BTreeMap::new()), Mutex::new(BTreeSet::new()));
    let budget = Budget { runs: 100_000, host_time: None, threads: 1 };
    let extent = explore(&budget, &|script| {
        let state = run(programs, script, seed);
        let logs = state.logs();
        *found.lock().entry(decisions(&logs)).or_default() += 1;
        let waits = Waits { sends: true, calls: false };
        let found_stuck = stuck_if_calls_wait(&logs, waits, state.is_done());
        stuck.lock().extend(found_stuck.map(|(_, decisions)| trimmed(decisions)));
        Ok(logs)
    });
    let extent = extent.unwrap();
    assert!(extent.is_complete);
    (found.into_inner(), stuck.into_inner())
}

/// Removes the receives without a decision at the ends of lists.
fn trimmed(mut script: Vec<RankScript>) -> Vec<RankScript> {
    for rank in &mut script {
        while let Some(None) = rank.receives.last() {
            rank.receives.pop();
        }
    }
    script
}

fn random_programs(random: &mut Random, may_wait: bool) -> Vec<Vec<Step>> {
    let ranks = 2 + random.below(3);
    let kinds = 8 + random.below(10);
    let waits = may_wait && random.below(3) == 0;
    (0..ranks)
        .map(|_| {
            (0..1 + random.below(5))
                .map(|_| {
                    let other = random.below(ranks) as NodeId;
                    let tag = random.below(4) / 3;
                    let select = Selector {
                        context: 0,
                        source: (random.below(4) == 0).then_some(other),
                        tag: (random.below(3) == 0).then_some(Tag(tag as u32)),
                    };
                    match random.below(kinds) {
                        0..4 => {
                            Step::Send { to: other, tag: tag as u32, waits: waits && random.below(3) == 0 }
                        }
                        4..6 => Step::Recv(select),
                        6 => Step::Answer { waits: false },
                        7 | 8 => Step::Irecv(select),
                        9 => Step::Wait,
                        10 | 11 => Step::WaitAny,
                        12 => Step::Probe(select),
                        13 => Step::OnlyAfter(other, 1 + random.below(2)),
                        14 => Step::Test,
                        _ => Step::Send { to: (other + 1) % ranks as NodeId, tag: 0, waits: false },
                    }
                })
                .collect()
        })
        .collect()
}

#[test]
fn random_programs_have_each_order_exactly_once() {
    let (mut total, mut skipped, mut most) = (0, 0, 0);
    let cases = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2000);
    for seed in 0..cases {
        let programs = random_programs(&mut Random(seed), true);
        let Some(expected) = brute_force(&programs) else {
            skipped += 1;
            continue;
        };
        let (found, _) = search(&programs, seed);
        let missing: Vec<_> = expected.keys().filter(|order| !found.contains_key(*order)).collect();
        let wrong: Vec<_> = found.keys().filter(|order| !expected.contains_key(*order)).collect();
        let twice: Vec<_> = found.iter().filter(|&(_, &number)| number > 1).collect();
        assert!(
            missing.is_empty() && wrong.is_empty() && twice.is_empty(),
            "seed {seed}: {programs:#?}\nmissing {missing:?}\nwrong {wrong:?}\ntwice {twice:?}"
        );
        total += found.len();
        most = most.max(found.len());
    }
    eprintln!("{total} orders, at most {most}; {skipped} skipped");
    assert!(total > 10 * cases as usize / 10);
}

/// Deadlocks of sends that wait are found in the executions in which no send waits.
#[test]
fn deadlocks_of_waiting_sends_are_those_of_brute_force() {
    let (mut total, cases) = (0, 1000);
    for seed in 0..cases {
        let programs = random_programs(&mut Random(seed), false);
        let mut waiting = programs.clone();
        for step in waiting.iter_mut().flatten() {
            match step {
                Step::Send { waits, .. } | Step::Answer { waits } => *waits = true,
                _ => {}
            }
        }
        let (Some(expected), Some(_)) = (brute_force(&waiting), brute_force(&programs)) else { continue };
        let stuck = expected.into_iter().filter(|(_, all_done)| !all_done);
        let stuck: BTreeSet<_> = stuck.map(|(order, _)| trimmed(order)).collect();
        let (_, found) = search(&programs, seed);
        assert_eq!(found, stuck, "seed {seed}: {programs:#?}");
        total += stuck.len();
    }
    assert!(total > 100, "{total}");
}
