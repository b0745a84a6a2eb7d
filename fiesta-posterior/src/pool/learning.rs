//! Answers taken into the posterior of a pool: the sums of each pair of arms follow.

use super::{LikeThese, Pool, pair::outcome};
use crate::score::check;
use fiesta_core::{ArmId, Case, Observe, ObserveError};
use std::sync::OnceLock;

impl Observe<f64> for Pool {
    /// Takes the score of an answer into account. [`ObserveError`] refuses a score that is not finite
    /// or lies beyond the bounds, an arm or item that there is not, and an item that the arm has
    /// answered before unless answers [vary](Pool::repeating).
    fn observe(&mut self, arm: ArmId, case: Case, score: f64) -> Result<(), ObserveError> {
        check(score)?;
        let item = self.place(arm, case, score)?;
        if !(self.low..=self.high).contains(&score) {
            let (low, high) = (self.low, self.high);
            return refused(
                score,
                format!("answers lie between {low} and {high}: give the metric its bounds"),
            );
        }
        self.learn(arm, item, (score - self.low) / (self.high - self.low));
        Ok(())
    }
}

pub(super) fn refused<T>(score: f64, reason: String) -> Result<T, ObserveError> {
    Err(ObserveError::OutOfDomain { score, reason })
}

impl Pool {
    /// Returns the item of a case that this arm can answer.
    pub(super) fn place(&self, arm: ArmId, case: Case, score: f64) -> Result<usize, ObserveError> {
        if arm.index() >= self.arms {
            return Err(ObserveError::NoSuchArm(arm.index()));
        }
        let number = usize::try_from(case.split).ok();
        let Some(item) = number.filter(|&item| item < self.items) else {
            let (item, items) = (case.split, self.items);
            return refused(
                score,
                format!("the pool has {items} items, and none has the number {item}"),
            );
        };
        if self.noise.is_none() && self.answer(item, arm.index()).is_some() {
            return refused(
                score,
                format!("the arm has answered item {item} before, and an answer counts once"),
            );
        }
        Ok(item)
    }

    /// Takes an arm's answer to an item into account, on the scale from 0 to 1.
    pub(super) fn learn(&mut self, arm: ArmId, item: usize, answer: f64) {
        let (place, mut mean) = (item * self.arms + arm.index(), answer);
        if let Some(noise) = &mut self.noise {
            mean = noise.add(item, arm.index(), self.answers[place], answer);
            // What is known of one arm's noise is something about all.
            self.leads.fill(OnceLock::new());
            if noise.asked(item, arm.index()) > 1 {
                self.replace(arm, item, mean);
                return self.follow(arm);
            }
        }
        self.add(arm, item, mean);
        self.follow(arm);
    }

    /// Takes the first answer of an arm to an item into account.
    pub(super) fn add(&mut self, arm: ArmId, item: usize, answer: f64) {
        self.answers[item * self.arms + arm.index()] = answer;
        let own = &mut self.of_arm[arm.index()];
        own.answered[outcome(answer)] += 1.0;
        own.sum += answer;
        own.squares += answer * answer;
        let k = self.arms;
        let row = &self.answers[item * k..(item + 1) * k];
        for (rival, &other) in row.iter().enumerate() {
            let (own, theirs) = (arm.index() * k + rival, rival * k + arm.index());
            self.leads[own] = OnceLock::new();
            for pair in [own, theirs] {
                self.distances[pair] = OnceLock::new();
            }
            if rival != arm.index() && !other.is_nan() {
                let of_other = match &self.noise {
                    Some(noise) => noise.outcome(item, rival),
                    None => outcome(other),
                };
                self.sums[own].add(outcome(answer), [answer, other], 1.0);
                self.sums[theirs].add(of_other, [other, answer], 1.0);
                if let Some(LikeThese { differences, .. }) = &mut self.like_these {
                    differences[own][outcome(answer)].add(answer - other);
                    differences[theirs][of_other].add(other - answer);
                }
                self.leads[theirs] = OnceLock::new();
            }
        }
    }

    /// Replaces the mean of an arm's answers to an item, after one more answer.
    pub(super) fn replace(&mut self, arm: ArmId, item: usize, mean: f64) {
        let (k, arm) = (self.arms, arm.index());
        let before = std::mem::replace(&mut self.answers[item * k + arm], mean);
        let own = &mut self.of_arm[arm];
        own.sum += mean - before;
        own.squares += mean * mean - before * before;
        for rival in (0..k).filter(|&rival| rival != arm) {
            let other = self.answers[item * k + rival];
            if other.is_nan() {
                continue;
            }
            let [of_arm, of_rival] =
                [(arm, mean), (rival, other)].map(|(arm, answer)| self.outcome(item, arm, answer));
            if let Some(LikeThese { differences, .. }) = &mut self.like_these {
                differences[arm * k + rival][of_arm].replace(before - other, mean - other);
                differences[rival * k + arm][of_rival].replace(other - before, other - mean);
            }
            for (answer, count) in [(before, -1.0), (mean, 1.0)] {
                self.sums[arm * k + rival].add(of_arm, [answer, other], count);
                self.sums[rival * k + arm].add(of_rival, [other, answer], count);
            }
        }
    }

    /// Updates the leader after this arm's answer: another arm leads once it is far enough ahead.
    pub(super) fn follow(&mut self, arm: ArmId) {
        let leader = self.leader;
        let rivals = ArmId::all(self.arms).filter(|&rival| arm == leader || rival == arm);
        self.leader = if self.of_arm[leader.index()].count() < 0.5 {
            arm
        } else {
            self.ahead_of(leader, rivals).unwrap_or(leader)
        };
    }
}
