//! Tests of the order of simultaneous events on real threads. They run the random programs of the kernel's tests; each node's thread sleeps
//! before some of its calls. The results must equal those of the reference engine.

use std::time::Duration;

use parking_lot::Mutex;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Pace, Settings, run};
use crate::{
    endpoint::{Claim, Endpoint, Envelope},
    error::{CommError, RunError},
    kernel::{
        Cause, Op, Outcome, Reply,
        order_tests::{Case, Reference, Runner, Step, cases, random},
    },
    payload::Payload,
    time::Time,
    wire::Parcel,
};

/// A placeholder for the fault in a result, because the endpoint returns faults as errors.
const FAULT: Cause = Cause::Died { at: Time::ZERO };

/// Replaces the fault in a result by the placeholder.
fn without_fault(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Failed(_) => Outcome::Failed(FAULT),
        Outcome::FailedAmong { index, .. } => Outcome::FailedAmong { index, cause: FAULT },
        other => other,
    }
}

/// Makes one call of a program; `None` if the run has ended.
fn make_call(endpoint: &dyn Endpoint, op: Op) -> Option<Outcome> {
    let data = |parcel: &Parcel| Payload::phantom(parcel.bytes);
    let received = |envelope: Envelope| Outcome::Received(envelope.id);
    let id = |envelope: Option<Envelope>| envelope.map(|envelope| envelope.id);
    let result = match op {
        Op::Send { parcel, request: None } => endpoint.send(parcel, data(&parcel)).map(|()| Outcome::Done),
        Op::Send { parcel, .. } => endpoint.isend(parcel, data(&parcel)).map(|_| Outcome::Done),
        Op::Remote { parcel, back, .. } => {
            let effect = Box::new(move |at| (Payload::phantom(back.unwrap_or(0)), at));
            endpoint.remote(parcel, back, effect).map(|_| Outcome::Done)
        }
        Op::SendRecv { parcel, select } => endpoint.send_recv(parcel, data(&parcel), select).map(received),
        Op::Recv { select, request: None } => endpoint.recv(select).map(received),
        Op::Recv { select, .. } => endpoint.irecv(select).map(|_| Outcome::Done),
        Op::RecvUntil { select, deadline } => {
            let result = endpoint.recv_until(select, deadline);
            result.map(|envelope| envelope.map_or(Outcome::TimedOut, received))
        }
        Op::Wait { request } => {
            endpoint.wait(request).map(|envelope| envelope.map_or(Outcome::Done, received))
        }
        Op::WaitAny(wait) if wait.computing => {
            let result = endpoint.compute_until(wait.deadline, wait.requests[0]);
            let result = result.map(|(_, interrupted)| match interrupted {
                Some((envelope, computed)) => Outcome::Interrupted { received: envelope.id, computed },
                None => Outcome::TimedOut,
            });
            match result {
                Err(CommError::LinkDied { .. }) => Ok(Outcome::FailedAmong { index: 0, cause: FAULT }),
                other => other,
            }
        }
        Op::WaitAny(wait) => {
            let result = endpoint.wait_any_until(wait.requests, wait.deadline);
            result.map(|(_, first)| match first {
                Some((index, Ok(envelope))) => Outcome::Completed { index, received: id(envelope) },
                Some((index, Err(_))) => Outcome::FailedAmong { index, cause: FAULT },
                None => Outcome::TimedOut,
            })
        }
        Op::Test { request } => endpoint.test(request, true).map(|(_, complete)| match complete {
            Some(envelope) => Outcome::Completed { index: 0, received: id(envelope) },
            None => Outcome::Nothing,
        }),
        Op::Probe { select, blocking, claims: true } => {
            let claimed = endpoint.probe_claim(select, blocking);
            claimed.map(|claimed| match claimed {
                Some((label, bytes, claim)) => Outcome::Claimed { id: claim.message(), label, bytes },
                None => Outcome::Nothing,
            })
        }
        Op::RecvClaimed { message, request: None } => endpoint.recv_claimed(Claim::of(message)).map(received),
        Op::RecvClaimed { message, .. } => endpoint.irecv_claimed(Claim::of(message)).map(|_| Outcome::Done),
        Op::Probe { select, blocking, .. } => endpoint.probe(select, blocking).map(|found| match found {
            Some((label, bytes)) => Outcome::Found { label, bytes },
            None => Outcome::Nothing,
        }),
        Op::Forget { request } => {
            endpoint.forget(request, None);
            Ok(Outcome::Done)
        }
        Op::Withdraw { request, unless_matched: true } => {
            let withdrawn = endpoint.cancel(request);
            withdrawn.map(|withdrawn| if withdrawn { Outcome::Withdrawn } else { Outcome::Done })
        }
        Op::Withdraw { request, .. } => {
            endpoint.withdraw(request);
            Ok(Outcome::Done)
        }
        Op::Compute { span } => endpoint.compute(span).map(|()| Outcome::Done),
        Op::Charge { span } => endpoint.charge(span).map(|()| Outcome::Done),
        Op::Barrier => endpoint.barrier().map(|()| Outcome::Done),
        Op::Now => endpoint.now().map(|_| Outcome::Done),
        other => unreachable!("no program has {other:?}"),
    };
    match result {
        Ok(outcome) => Some(outcome),
        Err(CommError::LinkDied { .. }) => Some(Outcome::Failed(FAULT)),
        Err(_) => None,
    }
}

/// The results of the programs, and their end times or the error of the run.
type Seen = (Vec<Vec<Outcome>>, Result<Vec<Time>, String>);

/// Runs programs on threads that sleep before randomly chosen calls.
fn on_threads(case: &Case, programs: &[Vec<Step>], seed: u64) -> Seen {
    let seen: Vec<Mutex<Vec<Outcome>>> = programs.iter().map(|_| Mutex::default()).collect();
    let ended = run(
        &case.machine,
        Pace::Virtual,
        &Settings::default(),
        &|node| {
            let (endpoint, rank) = (node.endpoint(), node.rank());
            let mut chance = ChaCha8Rng::seed_from_u64(seed << 8 | rank as u64);
            let mut runner = Runner::new(&programs[rank]);
            while let Some(op) = runner.next() {
                if matches!(op, Op::Finish) {
                    break;
                }
                if chance.random_bool(0.15) {
                    std::thread::sleep(Duration::from_micros(chance.random_range(1..200)));
                }
                let is_asked = runner.asked.is_some();
                let Some(outcome) = make_call(endpoint, op) else { return Ok(()) };
                if is_asked {
                    seen[rank].lock().push(outcome);
                    // Only deadlines need the clock. Without the query a program continues without the kernel where possible.
                    let is_timed = runner.steps.iter().any(|step| {
                        matches!(
                            step,
                            Step::RecvUntil { .. } | Step::WaitAny { .. } | Step::ComputeUntil { .. }
                        )
                    });
                    let clock = if is_timed { endpoint.now() } else { Ok(Time::ZERO) };
                    let Ok(clock) = clock else { return Ok(()) };
                    runner.answered(Reply { clock, outcome });
                }
            }
            Ok(())
        },
        |_| {},
    );
    let finished = match ended {
        Ok(ended) => Ok(ended.outcomes.nodes.iter().map(|node| node.finished).collect()),
        Err(error @ RunError::Deadlock { .. }) => Err(error.to_string()),
        Err(error) => panic!("{error}: {programs:#?}"),
    };
    (seen.into_iter().map(Mutex::into_inner).collect(), finished)
}

/// The number of random programs.
fn programs() -> u64 {
    match std::env::var("MULTICOMPUTER_TESTS").as_deref() {
        Ok("long") => 20_000,
        Ok("full") => 600,
        _ => 150,
    }
}

#[test]
fn results_do_not_depend_on_when_threads_make_their_calls() {
    let cases: Vec<Case> = cases().into_iter().filter(|case| !case.has_deaths).collect();
    for nth in 0..programs() {
        let case = &cases[nth as usize % cases.len()];
        let mut chance = ChaCha8Rng::seed_from_u64(nth);
        let mut programs = random(&mut chance, case.machine.nodes() as u32, case.unit);
        // Endpoints have no launch call.
        programs.iter_mut().for_each(|steps| steps.retain(|step| !matches!(step, Step::Launch(_))));
        let due = Reference::run(&case.machine, &programs);
        let replies = due
            .replies
            .iter()
            .map(|replies| replies.iter().map(|reply| without_fault(reply.outcome)).collect());
        let replies: Vec<Vec<Outcome>> = replies.collect();
        let mut deadlock = None;
        for seed in 0..2 {
            let (seen, ended) = on_threads(case, &programs, seed);
            let text = || format!("program {nth} on {:?}: {programs:#?}", case.machine);
            assert_eq!(seen, replies, "{}", text());
            match ended {
                Ok(finished) => assert_eq!(finished, due.finished, "{}", text()),
                Err(error) => {
                    let first = deadlock.get_or_insert_with(|| error.clone());
                    assert_eq!(*first, error, "{}", text());
                }
            }
        }
    }
}
