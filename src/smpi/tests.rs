use super::*;
use crate::{
    goal::{self, Sends},
    model::MachineSpec,
    time::Time,
};

fn machine(nodes: usize) -> MachineSpec {
    // A message of n bytes takes 65 us, n * 50 ns and 65 us.
    format!("hockney:1x{nodes}").parse().unwrap()
}

fn ends(text: &str) -> Result<Vec<String>, String> {
    let trace = Trace::read(&[text]).map_err(|error| error.to_string())?;
    let machine = machine(trace.ranks());
    let program = trace.program(&machine, Some(1e9)).map_err(|error| error.to_string())?;
    let predicted = goal::predict(&machine, &program, Sends::Blocking).map_err(|error| error.to_string())?;
    Ok(predicted.finished.iter().map(Time::to_string).collect())
}

#[test]
fn messages_and_computations_take_their_times() {
    let text = "# two ranks\n0 init\n1 init\n\n0 compute 1e6\n0 send 1 5 1000\n1 recv 0 5 -1\n1 sleep 0.001\n0 finalize\n";
    // 1 ms of computation, the message leaves 115 us later and is received 65 us after that.
    assert_eq!(ends(text).unwrap(), ["1.115 ms", "2.18 ms"]);
    // Doubles.
    assert_eq!(ends("0 init 1\n0 send 1 5 1000\n1 init 1\n1 recv 0 5 1000\n").unwrap(), ["465 us", "530 us"]);
    assert_eq!(ends("0 send 1 5 1000 6\n1 recv 0 5 1000 6\n").unwrap(), ["115 us", "180 us"]);
}

#[test]
fn requests_overlap_with_computation() {
    let text = "1 irecv 0 0 1000\n1 compute 1e6\n1 test 0 1 0\n1 wait 0 1 0\n0 isend 1 0 1000\n0 compute 1e6\n0 wait 0 1 0\n";
    // The computation of rank 1 hides the message except for its own overhead; that of rank 0 begins after o_s.
    assert_eq!(ends(text).unwrap(), ["1.065 ms", "1.065 ms"]);
    let all = "1 irecv 0 0 1000\n1 irecv 0 1 500\n1 waitall\n1 compute 1e6\n0 isend 1 0 1000\n0 isend 1 1 500\n0 waitall\n";
    assert_eq!(ends(all).unwrap().len(), 2);
    assert_eq!(
        ends("0 wait 0 1 0\n1 compute 1\n"),
        Err("rank 0, line 1: no request from rank 0 to rank 1 with tag 0 is open".to_owned())
    );
}

#[test]
fn collective_operations_take_the_time_of_auto() {
    let all = |action: &str| (0..4).map(|rank| format!("{rank} {action}\n")).collect::<String>();
    let of_plan = |operation, elements, element| {
        let task = crate::collective::Task::builder(&machine(4), operation)
            .elements(elements)
            .element_bytes(element)
            .build();
        let plan = crate::collective::Algorithm::AUTO.plan(&task.unwrap()).unwrap();
        plan.prediction().modeled.to_string()
    };
    use crate::collective::Operation;
    let last = |text: &str| {
        let trace = Trace::read(&[text]).unwrap();
        let program = trace.program(&machine(4), Some(1e9)).unwrap();
        goal::predict(&machine(4), &program, Sends::Blocking).unwrap().modeled.to_string()
    };
    assert_eq!(last(&all("bcast 5e4")), of_plan(Operation::Broadcast, 50_000, 1));
    assert_eq!(last(&all("allgather 250 250 0 0")), of_plan(Operation::AllGather, 1000, 8));
    assert_eq!(last(&all("barrier")), "260 us", "two rounds of 130 us");
    for action in [
        "reduce 1000 0 2",
        "allreduce 5e4 5e8",
        "gather 68 68 0 0 0",
        "scatter 68 68 1",
        "scan 10 5",
        "alltoall 500 500",
        "alltoallv 100 1 7 10 12 100 1 7 10 12",
        "gatherv 10 10 10 10 10 0",
        "allgatherv 10 10 10 10 10",
        "scatterv 9 9 9 9 9 0",
        "reducescatter 10 20 30 40 1000 0",
    ] {
        assert!(ends(&all(action)).is_ok(), "{action}: {:?}", ends(&all(action)));
    }
    assert_eq!(
        ends("0 bcast 5\n1 bcast 5\n1 allreduce 5 0\n"),
        Err("rank 1, line 3: all-reduce, while rank 0 calls no more operation: all ranks call the same collective operations".to_owned())
    );
}

#[test]
fn wrong_lines_are_refused() {
    for (text, why) in [
        (
            "send 1 0 8\n",
            "line 1: `send` is not a rank; a line is a rank, an action and numbers; ranks are 0 to ",
        ),
        ("0 init\n0 sned 1 0 8\n", "line 2: unknown action `sned`; known are init, finalize, compute"),
        ("0 send 1 0\n1 init\n", "line 1: `send` needs 3 after the rank and the name, and has 2"),
        ("0 send 1 0 8\n", "line 1: rank 1 has no actions: ranks are 0 to 0"),
        ("0 send 0 x 8\n", "line 1: `x` is not a whole number"),
        ("0 send 0 0 8 99\n", "line 1: `99` is not a datatype of SMPI, 0 to 59"),
        (
            "0 send 0 0 1e10\n",
            "line 1: a message of 10000000000 bytes is too long: the maximum is 1073741824",
        ),
        ("0 compute -1\n", "line 1: `-1` is not a number from 0"),
    ] {
        let error = ends(text).unwrap_err();
        assert!(error.starts_with(why), "{error}");
    }
    let trace = Trace::read(&["0 compute 5\n"]).unwrap();
    let error = trace.program(&machine(1), None).unwrap_err().to_string();
    assert_eq!(
        error,
        "rank 0, line 1: the trace has computations in flops: give the flop/s of a node (`--flops`)"
    );
}
