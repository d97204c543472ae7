//! Messages from node to node and to all, receives, probes and message numbers.

use multicomputer::{
    Payload, PayloadError,
    error::{CommError, RunError},
    model::Parameters,
    nx::{ANY, Info, MAX_TYPE, Nx, NxError},
    prelude::*,
};

use super::{Program, kilobyte, micros, parameters, run, run_on, shapes};
use crate::conformance::nx as conformance;

#[test]
fn a_message_takes_what_it_takes_without_nx() {
    let run = run(2, |nx, _| {
        let mut buf = [0_u8; 1000];
        if nx.mynode() == 0 {
            nx.csend(7, kilobyte(), 1, 0)?;
        } else {
            assert_eq!(nx.crecv(7, &mut buf)?, 1000);
        }
        Ok((micros(nx)?, nx.mclock()?))
    });
    assert_eq!(run.outputs, [(20.0, 0), (45.0, 0)]);
}

#[test]
fn an_exchange_with_a_posted_receive_takes_what_sendrecv_takes() {
    let paragon = || Parameters::paragon().to_builder();
    for bytes in [0, 1000, 100_000] {
        let nx = run_on((1, 2), paragon(), |nx, _| {
            let mut buf = vec![0_u8; bytes];
            let other = 1 - nx.mynode();
            let mid = nx.irecv(5, &mut buf)?;
            nx.csend(5, vec![1_u8; bytes], other, 0)?;
            nx.msgwait(mid)?;
            assert_eq!(buf, vec![1; bytes]);
            Ok(())
        });
        let csendrecv = run_on((1, 2), paragon(), |nx, _| {
            let mut buf = vec![0_u8; bytes];
            let other = 1 - nx.mynode();
            Ok(assert_eq!(nx.csendrecv(5, vec![1_u8; bytes], other, 0, 5, &mut buf)?, bytes))
        });
        let plain = run_on((1, 2), paragon(), |_, node| {
            let other = 1 - node.rank();
            node.world().sendrecv(other, vec![1_u8; bytes], other)?;
            Ok(())
        });
        assert_eq!(nx.report.makespan, plain.report.makespan, "{bytes} bytes");
        assert_eq!(csendrecv.report.makespan, plain.report.makespan, "{bytes} bytes");
    }
}

#[test]
fn a_message_that_came_early_costs_nothing_when_it_is_asked_for() {
    let run = run(2, |nx, _| {
        if nx.mynode() == 0 {
            nx.csend(1, [0_u8], 1, 0)?;
            nx.csend(2, [0_u8], 1, 0)?;
            return Ok((0.0, 0.0));
        }
        nx.crecv(2, &mut [0_u8])?;
        let second = micros(nx)?;
        nx.crecv(1, &mut [0_u8])?;
        Ok((second, micros(nx)?))
    });
    // Type 1 arrives at 15.01 and is taken in until 35.01, type 2, there since 25.02, until 55.01.
    assert_eq!(run.outputs[1], (55.01, 55.01));
}

#[test]
fn a_receive_with_x_selects_by_node_too_and_leaves_the_info_calls_alone() {
    let run = run(4, |nx, _| {
        if nx.mynode() > 0 {
            return Ok(nx.csend(9, [nx.mynode()], 0, 0)?);
        }
        assert_eq!(nx.infocount(), Err(NxError::NoMessage));
        let mut buf = [0];
        for node in [3, 1] {
            assert_eq!(nx.cprobex(9, node, ANY)?, Info { mtype: 9, count: 4, node, ptype: 0 });
            assert_eq!(nx.crecvx(9, &mut buf, node, 0)?, Info { mtype: 9, count: 4, node, ptype: 0 });
            assert_eq!(buf, [node]);
        }
        assert_eq!(nx.infotype(), Err(NxError::NoMessage));
        let mid = nx.irecvx(ANY, &mut buf, 2, ANY)?;
        nx.msgwait(mid)?;
        Ok(assert_eq!((buf[0], nx.infonode()?), (2, 2)))
    });
    assert_eq!(run.report.messages, 3);
}

#[test]
fn any_node_of_any_machine_broadcasts_and_everybody_receives_it_as_any_message() {
    for shape in shapes() {
        let nodes = shape.0 * shape.1;
        let run = run_on(shape, parameters(), |nx, _| conformance::broadcasts(nx));
        assert_eq!(run.report.messages as usize, nodes * (nodes - 1), "{shape:?}");
        assert!(run.report.unreceived.is_empty());
    }
}

#[test]
fn a_broadcast_takes_a_step_with_a_copy_for_each_doubling() {
    for nodes in [1, 2, 8, 16] {
        for start in [false, true] {
            let run = run(nodes, |nx, _| {
                if nx.mynode() > 0 {
                    let (info, payload) = nx.receive(4, 0)?;
                    assert!(payload.is_phantom());
                    return Ok(assert_eq!((info.count, payload.len()), (1000, 1000)));
                }
                let data = Payload::phantom(1000);
                if start {
                    let mid = nx.isend(4, data, -1, 0)?;
                    return Ok(nx.msgwait(mid)?);
                }
                Ok(nx.csend(4, data, -1, 0)?)
            });
            // alpha = 35 us, 1000 beta = 10 us, the copy 22 us.
            let steps = nodes.ilog2() as f64;
            assert_eq!(run.report.makespan.as_micros_f64(), steps * 67.0, "{nodes} nodes");
        }
    }
}

#[test]
fn a_broadcast_goes_on_through_nodes_that_wait_for_something_else() {
    // The tree of node 0 among 4: 0 -> 2 -> 3. Node 3 needs the broadcast before it sends what node 2 waits for first.
    let programs: [Program; 3] = [
        |nx| match nx.mynode() {
            2 => nx.crecv(8, &mut [0]).map(drop),
            3 => nx.crecv(1, &mut [0]).and_then(|_| nx.csend(8, [1], 2, 0)),
            _ => Ok(()),
        },
        |nx| match nx.mynode() {
            3 => nx.crecv(1, &mut [0]).and_then(|_| nx.gsync()),
            _ => nx.gsync(),
        },
        |nx| match nx.mynode() {
            3 => nx.crecv(1, &mut [0]).and_then(|_| nx.gisum(&mut [1])),
            _ => nx.gisum(&mut [1]),
        },
    ];
    for program in programs {
        run(4, |nx, _| {
            if nx.mynode() == 0 {
                nx.csend(1, [5], -1, 0)?;
            }
            program(nx)?;
            let mut buf = [5];
            if [1, 2].contains(&nx.mynode()) {
                buf = [0];
                nx.crecv(1, &mut buf)?;
            }
            Ok(assert_eq!(buf, [5]))
        });
    }
}

#[test]
fn polling_sees_a_message_when_it_is_there() {
    let run = run(2, |nx, node| {
        let mut looks = Vec::new();
        if nx.mynode() == 0 {
            let mut mid = nx.isend(1, kilobyte(), 1, 0)?;
            while !nx.msgdone(&mut mid)? {
                node.compute(Span::from_micros(3))?;
            }
            assert!(nx.msgdone(&mut mid)?);
            nx.msgwait(mid)?;
            looks.push(micros(nx)?);
            nx.csend(2, [1_u8], 1, 0)?;
            return Ok(looks);
        }
        let mut buf = [9_u8; 1000];
        let mut mid = nx.irecv(1, &mut buf)?;
        while !nx.msgdone(&mut mid)? {
            node.compute(Span::from_micros(4))?;
        }
        drop(mid);
        assert_eq!((buf[999], nx.infocount()?), (0, 1000));
        looks.push(micros(nx)?);
        while !nx.iprobe(2)? {
            assert_eq!(nx.infotype()?, 1);
            node.compute(Span::from_micros(4))?;
        }
        assert_eq!((nx.infotype()?, nx.infocount()?), (2, 1));
        assert!(nx.iprobex(3, 0, 0)?.is_none() && nx.iprobex(2, 1, 0)?.is_none());
        nx.cprobe(ANY)?;
        looks.push(micros(nx)?);
        nx.crecv(2, &mut buf)?;
        looks.push(micros(nx)?);
        Ok(looks)
    });
    // The message leaves at 20 and arrives at 25; the looks are at 21 and 28, where it costs o_r.
    assert_eq!(run.outputs[0], [22.0]);
    assert_eq!(run.outputs[1], [48.0, 68.0, 68.0]);
}

#[test]
fn message_numbers_are_merged_ignored_and_cancelled() {
    run(2, |nx, node| {
        if nx.mynode() == 0 {
            for mtype in 1..=5 {
                nx.csend(mtype, [mtype], 1, 0)?;
            }
            return Ok(());
        }
        let (mut first, mut second, mut other) = ([0], [0], [0]);
        let a = nx.irecv(2, &mut first)?;
        let b = nx.irecv(1, &mut second)?;
        nx.msgwait(nx.msgmerge(a, b))?;
        assert_eq!((first, second), ([2], [1]));
        // The message of type 3 is thrown away, and that of type 4 is there for the next one.
        let ignored = nx.irecv(3, &mut first)?;
        let cancelled = nx.irecv(4, &mut second)?;
        nx.msgignore(ignored);
        node.compute(Span::from_millis(1))?;
        assert!(nx.iprobe(5)?);
        nx.msgcancel(cancelled);
        assert!(!nx.iprobe(3)?);
        nx.crecv(ANY, &mut other)?;
        assert_eq!(other, [4]);
        nx.crecv(ANY, &mut other)?;
        Ok(assert_eq!(other, [5]))
    });
}

#[test]
fn what_a_program_sends_in_groups_does_not_mix_with_nx() {
    run(2, |nx, node| {
        let world = node.world();
        if node.rank() == 0 {
            nx.csend(1, [1], 1, 0)?;
            world.send(1, [2])?;
            return Ok(nx.csend(2, [3], 1, 0)?);
        }
        let mut buf = [0];
        nx.crecv(2, &mut buf)?;
        assert_eq!(buf, [3]);
        assert_eq!(world.recv(ANY_SOURCE)?.to_vec::<i32>()?, [2]);
        nx.crecv(ANY, &mut buf)?;
        assert_eq!(buf, [1]);
        assert!(world.try_probe(ANY_SOURCE)?.is_none());
        Ok(assert_eq!(Nx::new(node).unwrap_err(), NxError::Second))
    });
}

#[test]
fn arguments_out_of_range_are_errors() {
    run(2, |nx, _| {
        let mut buf = [0_i32];
        for given in [-1, -2, MAX_TYPE + 1, i32::MIN] {
            assert_eq!(nx.csend(given, [1], 1, 0), Err(NxError::Type { given }));
        }
        for given in [i32::MAX, MAX_TYPE + 1] {
            let error = NxError::TypeSelector { given };
            assert_eq!(nx.crecv(given, &mut buf), Err(error.clone()));
            assert_eq!(nx.irecv(given, &mut buf).unwrap_err(), error);
            assert_eq!(nx.cprobe(given), Err(error.clone()));
            assert_eq!(nx.iprobe(given), Err(error));
        }
        for given in [2, -2] {
            assert_eq!(nx.csend(1, [1], given, 0), Err(NxError::Node { given, nodes: 2 }));
            assert_eq!(nx.isend(1, [1], given, 0).unwrap_err(), NxError::Node { given, nodes: 2 });
            let error = NxError::NodeSelector { given, nodes: 2 };
            assert_eq!(nx.crecvx(1, &mut buf, given, 0), Err(error.clone()));
            assert_eq!(nx.iprobex(1, given, 0), Err(error));
        }
        assert_eq!(nx.csend(1, [1], 1, 7), Err(NxError::ProcessType { given: 7 }));
        assert_eq!(nx.crecvx(1, &mut buf, 0, -2), Err(NxError::ProcessType { given: -2 }));
        assert_eq!(nx.gcolx(&buf, &[1], &mut [0, 0]), Err(NxError::Parts { given: 1, nodes: 2 }));
        let node = nx.mynode() as usize;
        let wrong = NxError::Part { node, given: 4, expected: 8 };
        assert_eq!(nx.gcolx(&buf, &[2, 2], &mut [0; 4]), Err(wrong));
        let short = NxError::ResultTooShort { needed: 2, given: 1 };
        assert_eq!(nx.gcolx(&buf, &[1, 1], &mut [0]), Err(short.clone()));
        assert_eq!(nx.gcol(&[1], &mut [0]), Err(short));
        Ok(())
    });
    let text = NxError::TypeSelector { given: MAX_TYPE + 7 }.to_string();
    let expected =
        "invalid type selector 1000000006: use a type, 0 to 999999999, -1 for any type, or a mask of types";
    assert_eq!(text, expected);
}

#[test]
fn a_mask_selects_types() {
    run(2, |nx, _| {
        const TYPES: [i32; 5] = [0, 4, 29, 30, MAX_TYPE];
        if nx.mynode() == 0 {
            return Ok(TYPES.into_iter().try_for_each(|mtype| nx.gsendx(mtype, [mtype], &[1]))?);
        }
        let mut buf = [0];
        let mask = |bits: &[i32]| bits.iter().fold(i32::MIN, |mask, bit| mask | 1 << bit);
        for (bits, expected) in
            [(&[4, 29][..], 4), (&[30], 30), (&[30, 0], 0), (&[1, 30], MAX_TYPE), (&[29], 29)]
        {
            nx.crecv(mask(bits), &mut buf)?;
            assert_eq!(buf, [expected], "{bits:?}");
        }
        assert!(!nx.iprobe(ANY)?);
        Ok(())
    });
}

#[test]
fn a_function_gets_the_message_of_a_receive_when_it_is_waited_for() {
    run(2, |nx, _| {
        if nx.mynode() == 0 {
            return Ok(nx.csend(3, [7_u8, 8], 1, 0)?);
        }
        let received = std::cell::RefCell::new(Vec::new());
        let mid = nx.ireceive(3, ANY, ANY, |info, payload| {
            received.borrow_mut().push((info.count, payload.to_vec::<u8>()?));
            Ok(())
        })?;
        assert!(received.borrow().is_empty());
        nx.msgwait(mid)?;
        assert_eq!(received.into_inner(), [(2, vec![7, 8])]);
        assert_eq!(nx.infocount(), Ok(2));
        Ok(())
    });
}

#[test]
fn a_message_that_does_not_fit_is_an_error_and_is_lost() {
    run(2, |nx, _| {
        if nx.mynode() == 0 {
            for _ in 0..3 {
                nx.csend(6, [1.5, 2.5], 1, 0)?;
            }
            return Ok(nx.csend(6, [0_u8; 3], 1, 0)?);
        }
        let info = Info { mtype: 6, count: 16, node: 0, ptype: 0 };
        assert_eq!(nx.crecv(6, &mut [0.0]), Err(NxError::BufferTooShort { info, buffer: 8 }));
        let error = nx.crecvx(6, &mut [0_i32; 4], ANY, ANY).unwrap_err();
        assert!(matches!(error, NxError::Data(PayloadError::TypeMismatch { .. })), "{error}");
        let mut bytes = [0_u8; 20];
        assert_eq!(nx.crecv(6, &mut bytes)?, 16);
        assert_eq!(bytes[..8], 1.5_f64.to_ne_bytes());
        let error = nx.crecv(6, &mut [0_i16; 4]).unwrap_err();
        assert!(matches!(error, NxError::Data(PayloadError::PartialElement { len: 3, .. })), "{error}");
        Ok(())
    });
}

#[test]
fn a_receive_that_nobody_answers_is_a_deadlock_and_endless_polling_a_livelock() {
    let machine = Machine::mesh(1, 2).build().unwrap();
    let run = machine.run(|node| Ok(Nx::new(node)?.crecv(1, &mut [0])?));
    assert!(matches!(run, Err(RunError::Deadlock(report)) if report.blocked.len() == 2));
    let run = machine.run(|node| {
        let nx = Nx::new(node)?;
        while !nx.iprobe(1)? {}
        Ok(())
    });
    let Err(RunError::Node { source, .. }) = run else { panic!("an endless loop ended") };
    let error = *source.downcast::<NxError>().unwrap();
    assert!(matches!(error, NxError::Comm(CommError::Livelock { .. })), "{error}");
}

#[test]
fn gray_codes_change_one_bit_at_a_time() {
    for number in 0..1000_u32 {
        assert_eq!((Nx::gray(number) ^ Nx::gray(number + 1)).count_ones(), 1);
        assert_eq!(Nx::ginv(Nx::gray(number)), number);
    }
}

#[test]
fn handlers_take_their_messages_while_the_program_waits_for_others() {
    run(3, |nx, _| {
        if nx.mynode() > 0 {
            let mut reply = [0];
            nx.csendrecv(1, [10 * nx.mynode()], 0, 0, 2, &mut reply)?;
            assert_eq!(reply, [nx.mynode() + 1]);
            return Ok(nx.gsync()?);
        }
        let seen = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
        for node in [1, 2] {
            let seen = seen.clone();
            nx.hrecvx(1, node, 0, move |info, payload| {
                seen.borrow_mut().push((info.node, payload.to_vec::<i32>()?));
                Ok(())
            })?;
        }
        // Masked handlers keep their messages until they are unmasked.
        assert!(!nx.masktrap(true)?);
        for node in [1, 2] {
            nx.csend(2, [node + 1], node, 0)?;
        }
        nx.csend(7, [0], 0, 0)?;
        nx.crecv(7, &mut [0])?;
        nx.gsync()?;
        assert!(seen.borrow().is_empty() && nx.masktrap(false)?);
        seen.borrow_mut().sort();
        assert_eq!(*seen.borrow(), [(1, vec![10]), (2, vec![20])]);
        // A message that has come before runs its handler at once.
        nx.csend(3, [5], 0, 0)?;
        nx.cprobe(3)?;
        let late = seen.clone();
        nx.hrecv(3, move |info, _| Ok(late.borrow_mut().push((info.mtype, Vec::new()))))?;
        assert_eq!(seen.borrow().last(), Some(&(3, Vec::new())));
        assert_eq!(nx.infotype(), Ok(3));
        Ok(())
    });
}
