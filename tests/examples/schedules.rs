//! Examples with schedules that are not the library's.

use multicomputer::collective::{Algorithm, Operation};

#[path = "../../examples/43_custom.rs"]
pub mod custom;
#[path = "../../examples/42_goal.rs"]
pub mod goal;

#[test]
fn texts_in_goal_take_the_times_of_loggp() {
    // o, L and G in nanoseconds.
    let (o, l, g) = (1500, 2500, 1);
    for ranks in [1, 2, 5, 16] {
        let machine = goal::machine(ranks).unwrap();
        let both = |text: &str| {
            let (predicted, run) = goal::both(&machine, text).unwrap();
            assert_eq!(predicted, run);
            predicted.as_picos() / 1000
        };
        let steps = ranks.next_power_of_two().ilog2() as u64;
        let message = |bytes| 2 * o + l + bytes * g;
        assert_eq!(both(&goal::dissemination(ranks, 1000)), steps * message(1000));
        // The k-th child of a rank gets its message k o later than the first one; all are sent before any could be hindered.
        fn last(got: u64, children: u64, o: u64, message: u64) -> u64 {
            let child = |nth: u64| last(got + nth * o + message, children - 1 - nth, o, message);
            (0..children).map(child).fold(got + children * o, u64::max)
        }
        if ranks.is_power_of_two() {
            assert_eq!(both(&goal::binomial_tree(ranks, 1000)), last(0, steps, o, message(1000)));
        }
        // All overheads one after the other, or a message on its way as long as there are few.
        let others = ranks as u64 - 1;
        let last_comes = if others > 0 { others * o + l + 1000 * g } else { 0 };
        let expected = (2 * others * o).max(last_comes + o.min(others * o));
        assert_eq!(both(&goal::linear_all_to_all(ranks, 1000)), expected);
    }
    let (text, planned, again) = goal::written(&goal::machine(4).unwrap()).unwrap();
    assert!(text.starts_with("num_ranks 4\nrank 0 {\nl1: send 1000b to "), "{text}");
    assert_eq!((planned, again.as_picos()), (again, 13_000_000));
}

#[test]
fn custom_algorithms_are_compared_and_run() {
    for (operation, doubles, snake, auto, bound) in [
        (Operation::AllGather, 1 << 17, "52.2804 ms", "49.938 ms", "49.9376 ms"),
        (Operation::AllReduce, 20_000, "20.14 ms", "15.46 ms", "15.33 ms"),
    ] {
        let task = custom::task(operation, doubles).unwrap();
        let (rows, least) = (custom::compared(&task), task.lower_bound().time());
        let row = |name: &str| rows.iter().find(|(known, _)| known == name).unwrap().1;
        assert_eq!([row("snake"), row("auto"), least].map(|span| span.to_string()), [snake, auto, bound]);
        // Around the ring each message goes to a neighbour, and all links carry one at a time: that is slower than rings in rows
        // and columns, which have fewer start-ups, and faster than a circulant graph, whose messages go far.
        assert_eq!(custom::chosen(&task, &Algorithm::AUTO).unwrap().1, row("auto"));
        let (name, modeled) = custom::chosen(&task, &Algorithm::CIRCULANT).unwrap();
        assert_eq!((&*name, modeled), ("snake", row("snake")));
    }
    let run = custom::sum(20_000).unwrap();
    assert_eq!((run.outputs, run.report.makespan.to_string()), (vec![190.0; 20], "20.14 ms".to_owned()));
    let task = custom::task(Operation::AllGather, 200).unwrap();
    assert_eq!(
        custom::short_ring().plan(&task).unwrap_err().to_string(),
        "the schedule of short does not deliver the data: rank 0 ends with nothing in block 5, expected the data of rank 5"
    );
    let scatter = custom::task(Operation::Scatter, 200).unwrap();
    assert_eq!(
        custom::snake_ring().plan(&scatter).unwrap_err().to_string(),
        "snake has no schedule for this problem: it is for all-gathers and combines, and this is a scatter"
    );
}
