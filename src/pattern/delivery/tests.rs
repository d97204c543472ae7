use super::*;
use crate::pattern::{Action, Builder, Combiner, Exchange, Fold, Message, Origin, Step, Transfer};

/// Returns a schedule of transfers, one after another, of one block that is initially at rank 0.
fn passed_on(transfers: &[(Rank, Rank)]) -> Schedule {
    let mut builder = Builder::new(3, &[0], &[8], Exchange::InTurn);
    for &(from, to) in transfers {
        builder.iteration([Transfer { from, to, blocks: [0].into() }]);
    }
    builder.finish()
}

fn checked(schedule: &Schedule, holder: Rank) -> Result<(), DeliveryError> {
    Delivery::new(schedule, &[0], |rank, _| rank == holder).check(|_, _| Some(0..1))
}

#[test]
fn missing_data_is_reported_with_its_rank() {
    checked(&passed_on(&[(0, 1), (1, 2)]), 0).unwrap();
    let error = checked(&passed_on(&[(0, 1), (0, 1)]), 0).unwrap_err();
    assert_eq!(error.to_string(), "rank 2 ends with nothing in block 0, expected the data of rank 0");
    // The block is initially at another rank than the schedule assumes.
    let error = checked(&passed_on(&[(0, 1), (1, 2)]), 1).unwrap_err();
    assert_eq!(error, DeliveryError::NotHeld { rank: 0, step: 0, block: 0 });
    assert_eq!(error.to_string(), "step 0 of rank 0 uses block 0, which the rank does not hold at that step");
    let none = Delivery::new(&passed_on(&[]), &[], |_, _| true).check(|_, _| None).unwrap_err();
    assert_eq!(none.to_string(), "0 pieces are given for a schedule of 1 block");
}

#[test]
fn rendezvous_deadlocks_are_found() {
    let mut builder = Builder::new(2, &[0, 1], &[8, 8], Exchange::InTurn);
    builder.round([(0, 1), (1, 0)].map(|(from, to)| Transfer { from, to, blocks: [from as u32].into() }));
    builder.end_iteration();
    let schedule = builder.finish();
    let check = |schedule: &Schedule, from_bytes| {
        let given = |rank: Rank, block: u32| rank == block as usize;
        let delivery = Delivery::new(schedule, &[0, 1], given).under_rendezvous(from_bytes);
        delivery.check(|_, block| Some(block as usize..block as usize + 1))
    };
    check(&schedule, None).unwrap();
    // Within an iteration both messages are sent at the same time.
    check(&schedule, Some(0)).unwrap();
    // With one direction per iteration the sends do not wait for each other.
    let mut crossed = Builder::new(2, &[0, 1], &[8, 8], Exchange::InTurn);
    crossed.iteration([Transfer { from: 0, to: 1, blocks: [0].into() }]);
    crossed.iteration([Transfer { from: 1, to: 0, blocks: [1].into() }]);
    let crossed = crossed.finish();
    check(&crossed, Some(0)).unwrap();
    let twice = crossed.clone().then(schedule.clone().gathering());
    check(&twice, Some(0)).unwrap();
}

#[test]
fn versions_are_combined_once_and_in_order_where_they_must_be() {
    let sum = |folds: &[(Rank, Rank)]| {
        let mut combiner = Combiner::new(3, &[Origin::Everywhere], &[8], Exchange::InTurn);
        for &(from, to) in folds {
            combiner.iteration([Fold::of(from, to, 0, 0)]);
        }
        combiner.finish()
    };
    let check = |schedule: &Schedule, in_order| {
        let delivery = Delivery::new(schedule, &[0], |_, _| true).in_order(in_order);
        delivery.check(|rank, _| (rank == 0).then_some(0..3))
    };
    check(&sum(&[(2, 1), (1, 0)]), true).unwrap();
    check(&sum(&[(2, 0), (1, 0)]), false).unwrap();
    let error = check(&sum(&[(2, 0), (1, 0)]), true).unwrap_err();
    assert_eq!(error, DeliveryError::OutOfOrder { rank: 0, step: 0, block: 0 });
    let error = check(&sum(&[(1, 0), (1, 0)]), false).unwrap_err();
    assert_eq!(error, DeliveryError::CombinedTwice { rank: 0, step: 2, block: 0 });
    let error = check(&sum(&[(2, 0)]), false).unwrap_err().to_string();
    assert_eq!(
        error,
        "rank 0 ends with the combined data of 2 ranks in block 0, expected the combined data of ranks 0 to 2"
    );
}

#[test]
fn groupings_are_distinguished_where_they_matter() {
    // Block 0 is the version of a rank, block 1 its combination: (0 + 1) + 2 at rank 0, and (1 + 2) + 0 at rank 1.
    let mut combiner = Combiner::new(3, &[Origin::Everywhere; 2], &[8, 8], Exchange::InTurn);
    for (from, to) in [(1, 0), (2, 0), (2, 1), (0, 1)] {
        combiner.iteration([Fold::of(from, to, 0, 1)]);
    }
    let schedule = combiner.finish();
    let check = |alike| {
        let delivery = Delivery::new(&schedule, &[0, 0], |_, _| true).alike(alike);
        delivery.check(|rank, block| (rank < 2 && block == 1).then_some(0..3))
    };
    check(false).unwrap();
    assert_eq!(check(true), Err(DeliveryError::Grouped { rank: 1, block: 1 }));
}

#[test]
fn only_versions_of_one_part_are_combined() {
    let mut combiner = Combiner::new(1, &[Origin::At(0); 3], &[8; 3], Exchange::InTurn);
    combiner.merge_at(0, 0, 1, 2);
    let schedule = combiner.finish();
    let error = Delivery::new(&schedule, &[0, 1, 0], |_, block| block < 2).check(|_, _| None).unwrap_err();
    assert_eq!(error, DeliveryError::OtherParts { rank: 0, step: 0, left: 0, right: 1, into: 2 });
}

#[test]
fn invalid_empty_messages_and_barriers_are_refused() {
    let step = |action| Step { iteration: 0, action };
    let message = |peer| Message { peer, blocks: [].into(), bytes: 8, combined: false };
    let lengths = [Action::Send(message(1)), Action::Recv(message(0))].map(|action| vec![step(action)]);
    let nothing_wanted = |schedule: &Schedule, barriers| {
        Delivery::new(schedule, &[], |_, _| false).with_barriers(barriers).check(|_, _| None)
    };
    let error = nothing_wanted(&Schedule::of_lengths(lengths.into()), true).unwrap_err();
    assert_eq!(error, DeliveryError::Length { rank: 0, step: 0, given: 8, expected: 0 });
    let barrier = Schedule::of_lengths(vec![vec![step(Action::Barrier)]; 2]);
    assert_eq!(nothing_wanted(&barrier, true), Ok(()));
    assert_eq!(nothing_wanted(&barrier, false), Err(DeliveryError::NoBarrier { rank: 0, step: 0 }));
}

/// The examples of `docs/custom.md`.
#[test]
fn the_page_on_custom_algorithms_has_the_texts_of_errors() {
    let page = include_str!("../../../docs/custom.md");
    let lacks = "rank 2 does not hold it at the start of this all-gather".into();
    let (holds, wanted) = ("nothing".into(), "the data of rank 0".into());
    let errors = [
        DeliveryError::Piece { block: 2, problem: lacks },
        DeliveryError::Covered { rank: 0, byte: 16, is_twice: false },
        DeliveryError::NotHeld { rank: 0, step: 0, block: 0 },
        DeliveryError::OtherBlocks { rank: 1, step: 3, from: 0 },
        DeliveryError::Stuck { rank: 2, step: 1, peer: Some(0), receives: true },
        DeliveryError::CombinedTwice { rank: 0, step: 2, block: 0 },
        DeliveryError::Grouped { rank: 1, block: 1 },
        DeliveryError::Undelivered { rank: 2, block: 0, holds, wanted },
    ];
    for error in errors {
        assert!(page.contains(&format!("| `{error}` |")), "{error}");
    }
}
