//! Tests of gates of several versions.

use super::{closed_testing::rejected, *};

fn gate(arms: usize) -> Gate {
    let evidence = Evidence::of_pool(200, (-1.0, 1.0), -0.05).unwrap();
    let baseline = ArmId::all(arms).next().unwrap();
    Gate::new(arms, baseline, evidence.in_steps_of(1.0), 0.05).unwrap()
}

/// Tests e-Holm against closed testing by its definition, over all subsets.
#[test]
fn the_least_others_suffice() {
    let alpha: f64 = 0.05;
    for all in [
        vec![19.0, 21.0, 22.0],
        vec![21.0, 21.0, 21.0],
        vec![1.0, 25.0, 60.0, 400.0],
        vec![0.0, 39.0, 41.0],
        vec![20.0],
    ] {
        let subsets: Vec<u32> = (1..1_u32 << all.len()).collect();
        let is_rejected = |subset: u32| {
            let members = (0..all.len()).filter(|index| subset >> index & 1 == 1);
            let members: Vec<f64> = members.map(|index| all[index]).collect();
            members.iter().sum::<f64>() / members.len() as f64 >= 1.0 / alpha - 1e-9
        };
        let ln: Vec<f64> = all.iter().map(|m: &f64| m.ln() + 1e-12).collect();
        for (index, found) in rejected(&ln, alpha).into_iter().enumerate() {
            let mut of = subsets.iter().filter(|subset| *subset >> index & 1 == 1);
            assert_eq!(
                found,
                of.all(|&subset| is_rejected(subset)),
                "{all:?} {index}"
            );
        }
    }
}

/// Tests that the order in which answers come in does not matter, and an answer that was made
/// again counts as if it had been so from the start.
#[test]
fn answers_count_by_turn() {
    let arms: Vec<ArmId> = ArmId::all(3).collect();
    let score =
        |arm: usize, turn: u64| f64::from(u8::from(!(turn * 7 + arm as u64).is_multiple_of(5)));
    let (mut forwards, mut backwards) = (gate(3), gate(3));
    for turn in 0..60 {
        for &arm in &arms {
            forwards.score(arm, turn, score(arm.index(), turn));
            let turn = 59 - turn;
            // One answer is wrong at first.
            let first = if turn == 17 {
                0.0
            } else {
                score(arm.index(), turn)
            };
            backwards.score(arm, turn, first);
        }
    }
    for &arm in &arms {
        backwards.score(arm, 17, score(arm.index(), 17));
    }
    for &arm in &arms {
        assert_eq!(forwards.evidence(arm), backwards.evidence(arm));
        assert_eq!(forwards.answer(arm), backwards.answer(arm));
    }
    assert!(forwards.evidence(arms[1]).unwrap().count() > 20);
}

/// Tests that a version that fails wherever it would be wrong does not ship by that, nor by
/// failures of the baseline.
#[test]
fn failures_ship_nothing() {
    let arms: Vec<ArmId> = ArmId::all(2).collect();
    let mut gate = gate(2).on_failure(0.0, 1.0);
    for turn in 0..200 {
        match turn % 4 {
            0 => gate.failure(arms[0], turn),
            _ => gate.score(arms[0], turn, 1.0),
        }
        match turn % 4 {
            0 | 1 => gate.failure(arms[1], turn),
            _ => gate.score(arms[1], turn, 1.0),
        }
    }
    assert_eq!(gate.answer(arms[1]), Answer::Blocked);
    assert_eq!(gate.undecided().count(), 0);
}

#[test]
fn the_first_ends_it_if_wanted() {
    let arms: Vec<ArmId> = ArmId::all(3).collect();
    let mut gate = gate(3).until_first(true);
    for turn in 0..200 {
        gate.score(arms[0], turn, 0.0);
        gate.score(arms[1], turn, 1.0);
        gate.score(arms[2], turn, f64::from(u8::from(turn % 2 == 0)));
    }
    assert_eq!(gate.answer(arms[1]), Answer::Ships);
    assert_eq!(gate.answer(arms[2]), Answer::Undecided);
    assert_eq!(gate.undecided().count(), 0);
}

#[test]
fn what_is_no_gate_is_refused() {
    let evidence = Evidence::gaussian(0.0).unwrap();
    let arms: Vec<ArmId> = ArmId::all(3).collect();
    let refused = |count, arm: usize, alpha| Gate::new(count, arms[arm], evidence.clone(), alpha);
    assert!(matches!(refused(1, 0, 0.05), Err(GateError::Arms(1))));
    assert!(matches!(
        refused(2, 2, 0.05),
        Err(GateError::Baseline(2, 2))
    ));
    assert!(refused(2, 1, 0.0).is_err() && refused(2, 1, f64::NAN).is_err());
    assert!(Evidence::of_pool(9, (0.0, 1.0), 0.5).is_err());
    assert!(Evidence::without_end((-1.0, 1.0), -1.0).is_err());
    assert!(Evidence::gaussian(f64::NAN).is_err());
}
