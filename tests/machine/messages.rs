//! What a message is and which receive takes it: tags, order, sizes, types, data that is not copied.

#![allow(clippy::unit_arg, reason = "programs that end with a call")]

use bytes::Bytes;
use multicomputer::{
    Payload, PayloadError, Run, comm::MAX_MESSAGE, error::Failure, model::Parameters, prelude::*,
};

use crate::support::{self, PATIENCE, failure_of_node_0};

/// o_s = 10 us, o_r = 20 us, L = 5 us, hop = 1 us, beta = 10 ns/byte, k = 1.
fn machine(rows: usize, columns: usize) -> Machine {
    let parameters = Parameters::builder()
        .send_overhead(10e-6)
        .receive_overhead(20e-6)
        .latency(5e-6)
        .hop(1e-6)
        .beta(10e-9)
        .build()
        .unwrap();
    Machine::mesh(rows, columns).parameters(parameters).wall_limit(PATIENCE).build().unwrap()
}

fn run<T: Send>(nodes: usize, program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync) -> Run<T> {
    support::run(&machine(1, nodes), program)
}

/// When each node finished, in microseconds.
fn finished<T>(run: &Run<T>) -> Vec<f64> {
    run.report.nodes.iter().map(|node| node.finished.as_micros_f64()).collect()
}

#[test]
fn a_receive_that_names_source_and_tag_takes_only_that_message() {
    // Nodes 1 and 2 send tags 5 and 6 each; node 0 receives them in the one order in which none came.
    let run = run(3, |node| {
        let world = node.world();
        if node.rank() > 0 {
            for tag in [5, 6] {
                world.send((0, Tag(tag)), [node.rank() as u32 * 10 + tag])?;
            }
            return Ok(Vec::new());
        }
        let wanted = [(2, Tag(6)), (1, Tag(6)), (2, Tag(5)), (1, Tag(5))];
        let mut got = Vec::new();
        for want in wanted {
            let message = world.recv(want)?;
            assert_eq!((message.source, message.tag), want);
            got.extend(message.to_vec::<u32>()?);
        }
        Ok(got)
    });
    assert_eq!(run.outputs[0], [26, 16, 25, 15]);
}

#[test]
fn any_tag_takes_the_first_that_the_source_sent_and_any_source_the_first_that_arrived() {
    let run = run(3, |node| {
        let world = node.world();
        match node.rank() {
            1 => {
                node.compute(Span::from_millis(1))?;
                world.send((0, Tag(9)), [1_u8])?;
                world.send((0, Tag(3)), [2_u8])?;
                Ok(Vec::new())
            }
            2 => {
                world.send((0, Tag(3)), [3_u8])?;
                Ok(Vec::new())
            }
            _ => {
                // The message of node 1 with tag 9 was sent before that with tag 3.
                let first = world.recv((1, ANY_TAG))?.to_vec::<u8>()?;
                // Of the two with tag 3 that of node 2 has been there for long.
                let second = world.recv((ANY_SOURCE, Tag(3)))?.to_vec::<u8>()?;
                let third = world.recv((ANY_SOURCE, ANY_TAG))?.to_vec::<u8>()?;
                Ok([first, second, third].concat())
            }
        }
    });
    assert_eq!(run.outputs[0], [1, 3, 2]);
}

#[test]
fn a_message_to_oneself_arrives_after_the_send_overhead_alone() {
    // No port, no link, no latency: sent at 0, there at o_s = 10; the receive costs o_r = 20.
    let run = run(1, |node| {
        let world = node.world();
        world.send((0, Tag(4)), vec![7_u8; 100_000])?;
        let sent = node.now()?;
        let message = world.recv((0, Tag(4)))?;
        assert_eq!((message.source, message.len(), message.to_vec::<u8>()?[99_999]), (0, 100_000, 7));
        Ok((sent, node.now()?))
    });
    let micros = |time| Time::ZERO + Span::from_micros(time);
    assert_eq!(run.outputs[0], (micros(10), micros(30)));
    assert_eq!((run.report.messages, run.report.links.len()), (1, 0));
}

#[test]
fn an_exchange_with_oneself_costs_both_overheads() {
    let run = run(1, |node| Ok(node.world().sendrecv(0, "me", ANY_SOURCE)?.to_bytes()?));
    assert_eq!((&run.outputs[0][..], finished(&run)[0]), (&b"me"[..], 30.0));
}

#[test]
fn a_message_to_oneself_overtakes_what_comes_through_the_network() {
    // Node 1's message of 1000 bytes leaves at 20 and arrives at 26; node 0's own one, sent at 12, is there at 22.
    let run = run(2, |node| {
        let world = node.world();
        if node.rank() == 1 {
            world.send(0, vec![0_u8; 1000])?;
            return Ok(Vec::new());
        }
        node.compute(Span::from_micros(12))?;
        world.send(0, [0_u8])?;
        Ok(vec![world.recv(ANY_SOURCE)?.source, world.recv(ANY_SOURCE)?.source])
    });
    assert_eq!(run.outputs[0], [0, 1]);
    // 22 + o_r, then the other one, which has waited, + o_r.
    assert_eq!(finished(&run), [62.0, 20.0]);
}

#[test]
fn a_message_of_no_bytes_takes_alpha() {
    // o_s = 10 at the sender; L + 2 hops = 7 and o_r = 20 more at the receiver.
    let run = run(3, |node| {
        match node.rank() {
            0 => node.world().send(2, Payload::empty())?,
            2 => assert!(node.world().recv(0)?.is_empty()),
            _ => {}
        }
        Ok(())
    });
    assert_eq!(finished(&run), [10.0, 0.0, 37.0]);
    assert_eq!((run.report.messages, run.report.bytes), (1, 0));
}

#[test]
fn a_phantom_is_timed_like_data_and_cannot_be_read() {
    let send = |real: bool| {
        run(2, move |node| {
            let world = node.world();
            if node.rank() == 0 {
                world.send(1, if real { Payload::from(vec![1_u8; 4000]) } else { Payload::phantom(4000) })?;
                return Ok(None);
            }
            let message = world.recv(0)?;
            assert_eq!(message.len(), 4000);
            Ok(message.to_vec::<u8>().err().map(|error| error.error))
        })
    };
    let (real, phantom) = (send(true), send(false));
    // 10 + 4000 * 0.01 at the sender, + 5 + 1 + 20 at the receiver.
    assert_eq!(finished(&real), [50.0, 76.0]);
    assert_eq!(finished(&phantom), [50.0, 76.0]);
    assert_eq!(real.outputs[1], None);
    assert_eq!(phantom.outputs[1], Some(PayloadError::Phantom { phantom: 4000, len: 4000 }));
}

#[test]
fn a_message_of_one_gibibyte_is_the_longest() {
    assert_eq!(MAX_MESSAGE, 1 << 30);
    let run = run(2, |node| {
        if node.rank() == 0 {
            node.world().send(1, Payload::phantom(1 << 30))?;
            return Ok(0);
        }
        Ok(node.world().recv(0)?.len())
    });
    assert_eq!(run.outputs[1], 1 << 30);
    // 2^30 * 10 ns, and o_s.
    assert_eq!(finished(&run)[0], 10_737_428.24);
}

#[test]
fn a_longer_one_is_an_error_of_every_send() {
    let given = (1 << 30) + 1;
    let too_long = CommError::TooLong { given, most: 1 << 30 };
    let long = || Payload::phantom(given);
    assert_eq!(failure_of_node_0(&machine(1, 2), |node| Ok(node.world().send(1, long())?)), too_long);
    assert_eq!(failure_of_node_0(&machine(1, 2), |node| Ok(drop(node.world().isend(1, long())?))), too_long);
    assert_eq!(
        failure_of_node_0(&machine(1, 2), |node| Ok(drop(node.world().sendrecv(1, long(), 1)?))),
        too_long
    );
    let text = too_long.to_string();
    assert!(text.contains("1073741825") && text.contains("1073741824"), "{text}");
}

#[test]
fn data_comes_as_it_was_sent() {
    // Every type and every way of making a payload, through the network and back.
    let run = run(2, |node| {
        let world = node.world();
        if node.rank() == 1 {
            for _ in 0..4 {
                let message = world.recv(0)?;
                world.send((0, message.tag), message.payload)?;
            }
            return Ok(());
        }
        let numbers: Vec<f64> = (0..1000).map(|i| f64::from(i).sqrt()).collect();
        world.send((1, Tag(1)), &numbers)?;
        world.send((1, Tag(2)), "text")?;
        world.send((1, Tag(3)), Bytes::from_static(b"bytes"))?;
        let chain = Payload::concat([Payload::from([1_u16, 2]), Payload::from(vec![3_u16])]);
        world.send((1, Tag(4)), chain)?;
        assert_eq!(world.recv((1, Tag(1)))?.to_vec::<f64>()?, numbers);
        assert_eq!(world.recv((1, Tag(2)))?.to_bytes()?, "text");
        assert_eq!(world.recv((1, Tag(3)))?.to_bytes()?, "bytes");
        assert_eq!(world.recv((1, Tag(4)))?.to_vec::<u16>()?, [1, 2, 3]);
        Ok(())
    });
    assert_eq!(run.report.messages, 8);
    assert_eq!(run.report.bytes, 2 * (8000 + 4 + 5 + 6));
}

#[test]
fn a_wrong_type_or_length_is_an_error_and_the_data_stays() {
    let run = run(2, |node| {
        let world = node.world();
        if node.rank() == 0 {
            world.send(1, [1.5_f64, 2.5])?;
            world.send(1, vec![0_u8; 7])?;
            return Ok(Vec::new());
        }
        let (typed, plain) = (world.recv(0)?, world.recv(0)?);
        let errors = [typed.to_vec::<u64>().unwrap_err(), plain.to_vec::<u32>().unwrap_err()];
        assert_eq!(typed.to_vec::<f64>()?, [1.5, 2.5]);
        assert_eq!(typed.to_vec::<u8>()?.len(), 16);
        Ok(errors.map(|error| error.error).to_vec())
    });
    let [PayloadError::TypeMismatch { sent, asked }, PayloadError::PartialElement { len: 7, element }] =
        &run.outputs[1][..]
    else {
        panic!("{:?}", run.outputs[1])
    };
    assert_eq!((sent.name(), asked.name(), element.size()), ("f64", "u64", 4));
}

#[test]
fn a_message_is_received_into_a_slice_or_a_number() {
    let run = run(2, |node| {
        let world = node.world();
        if node.rank() == 0 {
            world.send((1, Tag(1)), 2.5_f64)?;
            world.send((1, Tag(2)), vec![1.5_f64; 3])?;
            world.send((1, Tag(3)), vec![1.5_f64; 10])?;
            return Ok(String::new());
        }
        let (mut number, mut slice) = (0.0, [0.0; 8]);
        let one = world.recv_into(ANY_SOURCE, &mut number)?;
        assert_eq!((one.source, one.tag, one.count::<f64>(), number), (0, Tag(1), Some(1), 2.5));
        let three = world.recv_into(0, &mut slice[1..])?;
        assert_eq!((three.count::<f64>(), slice), (Some(3), [0.0, 1.5, 1.5, 1.5, 0.0, 0.0, 0.0, 0.0]));
        let error = world.recv_into(0, &mut slice).unwrap_err();
        assert_eq!(slice[4], 0.0);
        Ok(error.to_string())
    });
    let expected = "the message from rank 0 with tag 3 (80 bytes): the data has 10 elements of f64, the slice 8 \
                    elements of f64: give `recv_into` a longer slice, or use `recv`, and `copy_prefix_to` to take the \
                    first elements";
    assert_eq!(run.outputs[1], expected);
}

#[test]
fn a_forwarded_message_is_the_same_memory_on_every_node() {
    // Around a ring of four, the vector is never copied: the bytes stand where node 0 put them.
    let run = run(4, |node| {
        let (world, rank) = (node.world(), node.rank());
        if rank == 0 {
            let data = vec![42_u64; 10_000];
            let address = data.as_ptr() as usize;
            world.send(1, data)?;
            let back = world.recv(3)?.to_bytes()?;
            assert_eq!(back.as_ptr() as usize, address);
            return Ok(address);
        }
        let message = world.recv(rank - 1)?;
        world.send((rank + 1) % 4, message.payload.clone())?;
        Ok(message.to_bytes()?.as_ptr() as usize)
    });
    assert!(run.outputs.iter().all(|&address| address == run.outputs[0]), "{:?}", run.outputs);
}

#[test]
fn a_combined_message_is_a_chain_of_its_parts() {
    let run = run(3, |node| {
        let world = node.world();
        let mine = Payload::from(vec![node.rank() as u8; 100]);
        let address = mine.to_bytes()?.as_ptr() as usize;
        match node.rank() {
            0 => world.send(1, mine)?,
            1 => {
                let mut both = world.recv(0)?.payload;
                both.append(mine);
                world.send(2, both)?;
            }
            _ => {
                let both = world.recv(1)?.payload;
                assert_eq!(both.segments().len(), 2);
                let (first, second) = (both.slice(..100)?, both.slice(100..)?);
                return Ok([first, second]
                    .iter()
                    .map(|part| part.to_bytes().unwrap().as_ptr() as usize)
                    .collect());
            }
        }
        Ok(vec![address])
    });
    assert_eq!(run.outputs[2], [run.outputs[0][0], run.outputs[1][0]]);
}

#[test]
fn a_machine_of_one_node_does_everything_with_itself() {
    let run = machine(1, 1).run(|node| {
        let world = node.world();
        assert_eq!((node.size(), world.size(), node.row()?.size(), node.column()?.size()), (1, 1, 1, 1));
        world.barrier()?;
        node.row()?.barrier()?;
        let receive = world.irecv(ANY_SOURCE)?;
        let send = world.isend(0, [5_i32])?;
        let message = receive.wait()?;
        send.wait()?;
        assert_eq!(world.try_probe(ANY_SOURCE)?, None);
        Ok(message.to_vec::<i32>()?)
    });
    let run = run.unwrap();
    assert_eq!(run.outputs, [[5]]);
    assert_eq!(finished(&run), [30.0]);
    assert!(run.report.unreceived.is_empty());
}
