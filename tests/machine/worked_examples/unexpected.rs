//! Worked examples of unexpected messages: o_u = 10 us, copy_u = 20 ns/byte.

use super::*;

fn with_copies(parameters: ParametersBuilder) -> ParametersBuilder {
    parameters.unexpected_overhead(10e-6).unexpected_copy(20e-9)
}

/// Node 0 sends node 1 1000 bytes. Node 1 computes before it calls its receive.
fn after(micros: u64) -> impl Fn(&Node<'_>) -> Result<(), Failure> + Sync {
    move |node| {
        match node.rank() {
            0 => node.world().send(1, bytes(1000))?,
            1 => {
                node.compute(Span::from_micros(micros))?;
                node.world().recv(0)?;
            }
            _ => {}
        }
        Ok(())
    }
}

#[test]
fn case_19_a_message_that_is_copied() {
    // The message arrives at 115. The receive called at 300 takes o_r and 10 + 20 for the copy.
    assert_times(&finish_times((1, 4), with_copies, after(300)), &some([115.0, 395.0, 0.0, 0.0]));
    // A receive that is called at the instant of the arrival is in time.
    assert_times(&finish_times((1, 4), with_copies, after(115)), &some([115.0, 180.0, 0.0, 0.0]));
}

#[test]
fn case_19b_three_to_one_with_copies() {
    // All arrive at 215. The second and the third are received from 280 and 375 on.
    assert_times(&finish_times((1, 4), with_copies, three_to_one), &some([470.0, 215.0, 215.0, 215.0]));
    // Posted at 0, all three are expected.
    let posted = finish_times((1, 4), with_copies, |node| {
        if node.rank() > 0 {
            return three_to_one(node);
        }
        let requests: Vec<_> = (1..4).map(|source| node.world().irecv(source)).collect::<Result<_, _>>()?;
        for request in requests {
            request.wait()?;
        }
        Ok(())
    });
    assert_times(&posted, &some([410.0, 215.0, 215.0, 215.0]));
}

#[test]
fn case_19c_a_rendezvous_stores_no_message() {
    let run = machine((1, 4), with_copies).rendezvous(1000).build().unwrap().run(after(300)).unwrap();
    let times: Vec<Time> = run.report.nodes.iter().map(|node| node.finished).collect();
    assert_times(&times, &some([300.0, 365.0, 0.0, 0.0]));
}

#[test]
fn case_19d_a_message_to_the_node_itself() {
    // It arrives at 65, when the send returns. A receive called then is in time, one called 100 later is not.
    for (pause, end) in [(0, 130.0), (100, 260.0)] {
        let times = finish_times((1, 1), with_copies, |node| {
            node.world().send(0, bytes(1000))?;
            node.compute(Span::from_micros(pause))?;
            node.world().recv(0)?;
            Ok(())
        });
        assert_times(&times, &some([end]));
    }
}
