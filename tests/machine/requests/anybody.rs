//! Receives from anybody.

use super::*;

#[test]
fn of_messages_that_arrive_at_one_instant_the_lower_rank_is_received_first() {
    // All empty, all there at 15; the thread of the lowest rank is the slowest.
    let run = run(5, |node| {
        let world = node.world();
        if node.rank() == 2 {
            return (0..4).map(|_| Ok(world.recv(ANY_SOURCE)?.source)).collect();
        }
        std::thread::sleep(Duration::from_millis(2 * (5 - node.rank() as u64)));
        world.send(2, Payload::empty())?;
        Ok(Vec::new())
    });
    assert_eq!(run.outputs[2], [0, 1, 3, 4]);
}

#[test]
fn a_receive_from_anybody_takes_what_came_first_even_if_it_asks_late() {
    let run = run(3, |node| {
        let world = node.world();
        match node.rank() {
            0 => {
                node.compute(Span::from_micros(7))?;
                world.send(2, Payload::empty())?;
            }
            1 => world.send(2, Payload::empty())?,
            _ => {
                node.compute(Span::from_micros(500))?;
                return Ok(vec![world.recv(ANY_SOURCE)?.source, world.recv(ANY_SOURCE)?.source]);
            }
        }
        Ok(Vec::new())
    });
    assert_eq!(run.outputs[2], [1, 0]);
}

#[test]
fn posted_receives_match_in_the_order_of_posting() {
    // From node 1 come a, b, c with tags 1, 2, 1. Posted: (any source, tag 2), (1, any tag), any, (1, tag 1).
    // a: the second; b: the first; c: the third, which stands before the fourth.
    let run = run(2, |node| {
        let world = node.world();
        if node.rank() == 1 {
            for (tag, data) in [(1, "a"), (2, "b"), (1, "c"), (1, "d")] {
                world.send((0, Tag(tag)), data)?;
            }
            return Ok(String::new());
        }
        let posted = vec![
            world.irecv((ANY_SOURCE, Tag(2)))?,
            world.irecv((1, ANY_TAG))?,
            world.irecv(ANY_SOURCE)?,
            world.irecv((1, Tag(1)))?,
        ];
        let got = Request::wait_all(posted)?;
        Ok(got.into_iter().map(|m| String::from_utf8(m.to_bytes().unwrap().to_vec()).unwrap()).collect())
    });
    assert_eq!(run.outputs[0], "bacd");
}

#[test]
fn a_named_receive_posted_before_a_wildcard_has_priority_and_after_it_has_not() {
    for named_first in [true, false] {
        let run = run(3, |node| {
            let world = node.world();
            if node.rank() > 0 {
                // Node 1's messages come before node 2's.
                node.compute(Span::from_micros(50 * node.rank() as u64))?;
                for i in 0..2_u8 {
                    world.send(0, [10 * node.rank() as u8 + i])?;
                }
                return Ok(Vec::new());
            }
            let (named, any) = if named_first {
                let named = world.irecv(1)?;
                (named, world.irecv(ANY_SOURCE)?)
            } else {
                let any = world.irecv(ANY_SOURCE)?;
                (world.irecv(1)?, any)
            };
            let rest = [world.recv(2)?, world.recv(2)?];
            let waited = Request::wait_all([named, any])?;
            let all = waited.into_iter().chain(rest);
            Ok(all.map(|message| message.to_vec::<u8>().unwrap()[0]).collect())
        });
        let expected = if named_first { [10, 11, 20, 21] } else { [11, 10, 20, 21] };
        assert_eq!(run.outputs[0], expected, "named first: {named_first}");
    }
}

#[test]
fn blocking_receives_leave_a_posted_wildcard_its_message() {
    // The wildcard is posted first, so it takes the first message of all, whoever asks for that by name afterwards.
    let run = run(2, |node| {
        let world = node.world();
        if node.rank() == 1 {
            for i in 0..4_u8 {
                world.send(0, [i])?;
            }
            return Ok(Vec::new());
        }
        let any = world.irecv(ANY_SOURCE)?;
        let mut got = vec![world.recv(1)?, world.recv((1, Tag(0)))?];
        got.push(any.wait()?);
        got.push(world.recv(1)?);
        Ok(got.into_iter().map(|message| message.to_vec::<u8>().unwrap()[0]).collect())
    });
    assert_eq!(run.outputs[0], [1, 2, 0, 3]);
}
