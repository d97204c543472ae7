//! Named phases of node programs and what the report says of them.

use multicomputer::prelude::*;

#[test]
fn phases_may_be_nested_and_repeated() {
    // Two nodes, each twice in "step" for 10 us and within that in "part" for 4 us.
    let machine = Machine::hockney(1, 2).build().unwrap();
    let run = machine.run(|node| {
        for _ in 0..2 {
            let _step = node.phase("step")?;
            node.compute(Span::from_micros(6))?;
            let _part = node.phase("part")?;
            node.compute(Span::from_micros(4))?;
        }
        Ok(())
    });
    let report = run.unwrap().report;
    let times: Vec<_> =
        report.phases.iter().map(|phase| (&*phase.name, phase.nodes, phase.longest)).collect();
    assert_eq!(times, [("part", 2, Span::from_micros(8)), ("step", 2, Span::from_micros(20))]);
}

#[test]
fn phases_may_overlap() {
    // "a" from 0 to 20 us, "b" from 10 to 30 us.
    let machine = Machine::hockney(1, 1).build().unwrap();
    let run = machine.run(|node| {
        let a = node.phase("a")?;
        node.compute(Span::from_micros(10))?;
        let b = node.phase("b")?;
        node.compute(Span::from_micros(10))?;
        drop(a);
        node.compute(Span::from_micros(10))?;
        drop(b);
        Ok(())
    });
    for (phase, begin) in run.unwrap().report.phases.iter().zip([0, 10]) {
        assert_eq!(phase.longest, Span::from_micros(20), "{}", phase.name);
        assert_eq!(phase.begin, Time::ZERO + Span::from_micros(begin), "{}", phase.name);
    }
}
