//! Runs whose threads are disturbed, and runs in real time.

use super::*;

/// Rounds of random questions among all nodes, with computing and long messages between them; what it draws depends on
/// what it has seen and when, so that a difference would spread.
fn questions(node: &Node<'_>, run: u64) -> Result<Vec<(Time, u64)>, Failure> {
    use rand::{RngExt, SeedableRng};
    let mut own = rand_chacha::ChaCha8Rng::seed_from_u64(node.rank() as u64);
    let host = Disturbance::new(run, node.rank());
    let (size, sum, answers) = (node.size(), Cell::new(0_u64), Cell::new(0));
    let handling = if node.rank().is_multiple_of(2) { Handling::Polled } else { Handling::AtOnce };
    let active = Active::new(node.world(), handling, |reactions, message| {
        let [word, _] = message.words;
        let mixed = sum.get().wrapping_mul(31).wrapping_add(word ^ reactions.now().as_picos());
        sum.set(mixed);
        if message.tag == ADD {
            reactions.compute(Span::from_nanos(mixed % 1000));
            reactions.send((message.source, WAS), [mixed, 0]);
        } else {
            answers.set(answers.get() + 1);
        }
    })?;
    let mut seen = Vec::new();
    for round in 0..10 {
        for asked in 1..=5 {
            host.strike();
            active.send((own.random_range(0..size), ADD), [own.random(), 0])?;
            match own.random_range(0..4) {
                0 => active.wait_while(|| answers.get() < 5 * round + asked)?,
                1 => active.compute(Span::from_nanos(own.random_range(0..20_000)))?,
                2 => active.poll()?,
                _ => {}
            }
        }
        active.wait_while(|| answers.get() < 5 * round + 5)?;
        let (to, from) = ((node.rank() + round + 1) % size, (node.rank() + 10 * size - round - 1) % size);
        let sent = active.group().isend((to, Tag(round as u32)), Payload::phantom(sum.get() % 5000))?;
        let got = active.recv_data((from, Tag(round as u32)))?;
        sent.wait()?;
        sum.set(sum.get() ^ got.len());
        own = rand_chacha::ChaCha8Rng::seed_from_u64(sum.get());
        seen.push((node.now()?, sum.get()));
        active.sleep_until(node.now()? + Span::from_nanos(own.random_range(0..50_000)), || true)?;
    }
    // Who has all its answers may still be asked.
    active.sleep_until(Time::ZERO + Span::from_millis(20), || true)?;
    seen.push((node.now()?, sum.get()));
    Ok(seen)
}

#[test]
fn disturbed_runs_are_one_and_the_same() {
    use multicomputer::Pinning;
    let story = |nth: u64| {
        let pinning = [Pinning::None, Pinning::OneCore, Pinning::Spread][nth as usize % 3];
        let run =
            cm5(9).pinning(pinning).trace(true).build().unwrap().run(|node| questions(node, nth)).unwrap();
        let mut trace = Vec::new();
        run.write_trace(&mut trace).unwrap();
        assert!(run.report.unreceived.is_empty());
        (serde_json::to_string(&run.report).unwrap(), trace, run.outputs)
    };
    let first = story(0);
    assert!(first.1.len() > 10_000);
    for nth in 1..12 {
        assert!(first == story(nth), "run {nth}");
    }
}

#[test]
fn real_time_has_active_messages() {
    let started = Instant::now();
    let run =
        cm5(4).clock(Clock::RealTime { dilation: Dilation::Fixed(50.0) }).build().unwrap().run(|node| {
            let (sum, done) = (Cell::new(0), Cell::new(0));
            let active =
                Active::new(node.world(), Handling::AtOnce, |reactions, message| match message.tag {
                    ADD => {
                        sum.set(sum.get() + message.words[0]);
                        reactions.send((message.source, WAS), [0; 2]);
                    }
                    _ => done.set(done.get() + 1),
                })?;
            for to in 0..4 {
                active.send((to, ADD), [1 + node.rank() as u64, 0])?;
            }
            active.compute(Span::from_micros(200))?;
            // A loop that only polls: the wall clock carries it on.
            while sum.get() < 10 || done.get() < 4 {
                active.poll()?;
            }
            // So does one that looks at a deadline that has passed.
            let mut never = [Some(node.world().irecv(ANY_SOURCE)?)];
            let begin = node.now()?;
            while node.now()? == begin {
                assert!(Request::wait_any_until(&mut never, Time::ZERO)?.is_none());
            }
            Ok(sum.get())
        });
    let run = run.unwrap();
    assert_eq!(run.outputs, [10; 4]);
    assert!(run.report.makespan >= nanos(200_000) && started.elapsed() >= Duration::from_millis(10));
}
