//! Families of problems in the battery.

use super::{
    Family,
    recipe::{Recipe, SPREAD},
};
use crate::simulate::{Resolution, Shape, SyntheticArm};

/// Distances of rivals from the best arm, one close and the others far: fewest evaluations are made
/// before a stop, so that a misjudged spread does most harm.
const ALONE: [f64; 7] = [1.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0];
/// Distances from the best arm of rivals that are all near.
const NEAR: [f64; 7] = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6];
/// Standard deviations of eight arms' scores, all about .02, in the order of the means.
const ALIKE: [f64; 8] = [0.020, 0.019, 0.021, 0.018, 0.023, 0.017, 0.022, 0.020];
const EQUAL: [f64; 8] = [0.02; 8];
/// Standard deviations of eight arms' scores that differ widely, in ascending order.
const WIDE: [f64; 8] = [0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06];

/// Returns the arms of [`WIDE`] by number: the best first, then the rivals from the closest.
fn wide(order: [usize; 8]) -> [f64; 8] {
    order.map(|place| WIDE[place])
}

/// Returns all families of the battery.
pub fn all_families() -> Vec<Family> {
    let mut families = alike();
    families.extend(unequal_spreads());
    families.extend(odd_scores());
    families.extend(numbers_of_arms());
    families.extend(by_gap());
    families.extend(nearly_equal());
    families.extend(unequal_costs());
    families
}

/// Returns the families of eight arms whose scores have nearly the same spread.
fn alike() -> Vec<Family> {
    let models = |gap| Recipe::new(&ALIKE, gap);
    vec![
        models(0.5).family(
            "models",
            "eight models, split effects, shared splits; the best is first",
        ),
        models(0.5)
            .order((0..8).rev())
            .family("best-last", "models, in the reverse order"),
        models(0.5)
            .order([5, 2, 7, 1, 0, 6, 4, 3])
            .family("shuffled", "models, in a random order"),
        models(0.5).own_splits().family(
            "independent-splits",
            "models, each evaluation on a split of its own",
        ),
        models(0.5)
            .independent()
            .family("independent", "models without split effects, independent"),
        models(0.5).noise(|noise| noise.split = 0.0).family(
            "no-split-effect",
            "models without split effects, shared splits",
        ),
        models(0.5).noise(|noise| noise.split = 0.1).family(
            "huge-split-effect",
            "split effects five times the noise, shared splits",
        ),
        models(0.5)
            .noise(|noise| noise.interaction = 0.01)
            .family("interaction", "splits also have effects on single arms"),
        Recipe::new(&EQUAL, 0.5).family("equal-sds", "the same standard deviation for all"),
        Recipe::new(&EQUAL, 1.0).family("equal-sds-1", "the same, twice as far apart"),
        models(0.35).family("models-close", "models, closer"),
    ]
}

/// Returns the families whose arms have widely different standard deviations of scores, from .005
/// to .06 in the unit of the scores.
fn unequal_spreads() -> Vec<Family> {
    let noisiest = wide([7, 0, 1, 2, 3, 4, 5, 6]);
    let quietest = wide([0, 1, 2, 3, 4, 5, 6, 7]);
    let rival = wide([3, 7, 0, 1, 2, 4, 5, 6]);
    let random = [
        wide([4, 1, 6, 0, 7, 3, 5, 2]),
        wide([2, 5, 0, 7, 1, 6, 3, 4]),
        wide([6, 3, 2, 5, 4, 0, 7, 1]),
    ];
    let orders = [
        [3, 6, 1, 7, 0, 4, 2, 5],
        [7, 2, 5, 0, 3, 6, 4, 1],
        [1, 4, 0, 6, 2, 7, 5, 3],
    ];
    let recipe = |sds: &[f64; 8], gap| Recipe::new(sds, gap).spread(ALONE);
    vec![
        recipe(&noisiest, 0.5).family(
            "best-noisiest",
            "sd .06 for the best, .005–.05 for the rivals",
        ),
        recipe(&noisiest, 1.0).family("best-noisiest-1", "the same, twice as far apart"),
        recipe(&noisiest, 0.5).independent().family(
            "best-noisiest-independent",
            "the same without split effects, independent",
        ),
        recipe(&noisiest, 0.5)
            .spread(NEAR)
            .family("best-noisiest-near", "the same with all rivals near"),
        recipe(&noisiest, 0.3).family("best-noisiest-close", "the same, closer"),
        recipe(&quietest, 0.5).family(
            "best-quietest",
            "sd .005 for the best, .01–.06 for the rivals",
        ),
        recipe(&quietest, 1.0).family("best-quietest-1", "the same, twice as far apart"),
        recipe(&rival, 0.5).family(
            "rival-noisiest",
            "sd .02 for the best, .06 for the closest rival",
        ),
        recipe(&rival, 1.0).family("rival-noisiest-1", "the same, twice as far apart"),
        recipe(&random[0], 0.5).order(orders[0]).family(
            "random-sds-a",
            "sds .005–.06 in a random order, .03 for the best",
        ),
        recipe(&random[1], 0.5)
            .order(orders[1])
            .family("random-sds-b", "another order, .015 for the best"),
        recipe(&random[2], 0.5)
            .order(orders[2])
            .family("random-sds-c", "another order, .05 for the best"),
        recipe(&random[2], 1.0)
            .order(orders[2])
            .family("random-sds-c-1", "the same, twice as far apart"),
    ]
}

/// Returns the families whose scores are not Gaussian.
fn odd_scores() -> Vec<Family> {
    let equal = |gap| Recipe::new(&EQUAL, gap);
    let diverging = |arm: SyntheticArm| arm.diverging(0.05, 0.2);
    vec![
        equal(0.5)
            .noise(|noise| noise.shape = Shape::StudentT3)
            .family("t3", "noise of Student's t with 3 degrees of freedom"),
        equal(0.5)
            .noise(|noise| noise.shape = Shape::StudentT3)
            .independent()
            .family(
                "t3-independent",
                "the same without split effects, independent",
            ),
        equal(0.5)
            .arms(0..8, diverging)
            .family("diverging", "5 % of all evaluations score .2"),
        equal(0.5)
            .arms([0], diverging)
            .family("diverging-best", "5 % of those of the best arm do"),
        equal(0.5)
            .arms(1..8, diverging)
            .family("diverging-rivals", "5 % of those of its rivals do"),
        equal(0.5)
            .noise(|noise| noise.resolution = Resolution::Step(0.01))
            .family("rounded", "scores rounded to .01"),
        equal(0.5)
            .noise(|noise| noise.resolution = Resolution::Items(50))
            .family("items", "the share of 50 items that are right"),
    ]
}

/// Returns the families of two, twenty and fifty arms.
fn numbers_of_arms() -> Vec<Family> {
    vec![
        Recipe::new(&[0.02; 2], 0.5).family("two", "two arms"),
        Recipe::new(&[0.02; 2], 1.0).family("two-1", "two arms, twice as far apart"),
        Recipe::new(&[0.02; 20], 0.5)
            .spread((0..19).map(|place| 1.0 + 0.02 * f64::from(place)))
            .order((0..20).map(|place| (place * 7 + 3) % 20))
            .family(
                "twenty-close",
                "twenty arms, all rivals nearly equally close",
            ),
        Recipe::new(&[0.02; 50], 0.5)
            .spread((0..49).map(|place| 1.0 + 0.08 * f64::from(place)))
            .order((0..50).map(|place| (place * 7 + 3) % 50))
            .family("fifty", "fifty arms"),
    ]
}

/// Returns families of two, eight and twenty arms of one standard deviation, on shared and on
/// independent splits, for each gap; and the hardest spreads at the smallest gap.
fn by_gap() -> Vec<Family> {
    let mut families = Vec::new();
    for gap in [0.05, 0.1, 0.2, 0.3, 0.5, 1.0] {
        let twenty = (0..19).map(|place| 1.0 + 0.35 * f64::from(place));
        let twenty = Recipe::new(&[0.02; 20], gap).spread(twenty);
        for (size, about, recipe) in [
            ("two", "two arms", Recipe::new(&[0.02; 2], gap)),
            ("eight", "eight arms", Recipe::new(&EQUAL, gap)),
            ("twenty", "twenty arms", twenty),
        ] {
            let shared = recipe.clone();
            families.push(shared.family(format!("{size}-at-{gap}"), about));
            let independent = recipe.own_splits();
            families.push(independent.family(format!("{size}-independent-at-{gap}"), about));
        }
    }
    let noisiest = wide([7, 0, 1, 2, 3, 4, 5, 6]);
    families.extend([
        Recipe::new(&noisiest, 0.2).spread(ALONE).family(
            "best-noisiest-at-0.2",
            "sd .06 for the best, .005–.05 for the rivals",
        ),
        Recipe::new(&[0.06, 0.005], 0.2).family(
            "two-noisy-best-at-0.2",
            "two arms, sd .06 for the best, .005 for the other",
        ),
        Recipe::new(&[0.005, 0.06], 0.2).family(
            "two-quiet-best-at-0.2",
            "two arms, sd .005 for the best, .06 for the other",
        ),
    ]);
    families
}

/// Returns families with ties, and with gaps of a tenth and a fiftieth of an evaluation's standard deviation.
fn nearly_equal() -> Vec<Family> {
    // A gap of g standard deviations of one is one of g/√2 standard deviations of a difference.
    let (tenth, fiftieth) = (0.1 / f64::sqrt(2.0), 0.02 / f64::sqrt(2.0));
    // The rivals beyond the second are as far as ever.
    let two_of_eight = |gap: f64| {
        let others = SPREAD[1..].iter().map(move |relative| 0.5 * relative / gap);
        Recipe::new(&EQUAL, gap).spread(std::iter::once(1.0).chain(others))
    };
    let tied = Recipe::new(&EQUAL, 1.0)
        .spread(std::iter::once(0.0).chain(SPREAD[1..].iter().map(|relative| 0.5 * relative)));
    let two = |gap| Recipe::new(&[0.02; 2], gap);
    vec![
        tied.family("tied", "the two best are equal"),
        Recipe::new(&EQUAL, 1.0)
            .spread(
                [0.0, 0.0]
                    .into_iter()
                    .chain(SPREAD[2..].iter().map(|relative| 0.5 * relative)),
            )
            .family("three-tied", "the three best are equal"),
        Recipe::new(&EQUAL, 0.0).family("all-equal", "all eight are equal"),
        two_of_eight(tenth).family("gap-0.1", "the second is .1 sd below the best"),
        two_of_eight(fiftieth).family("gap-0.02", "the second is .02 sd below the best"),
        two(0.0).family("two-tied", "two equal arms"),
        two(tenth).family("two-gap-0.1", "two arms, .1 sd apart"),
        two(fiftieth).family("two-gap-0.02", "two arms, .02 sd apart"),
    ]
}

/// Returns the families in which evaluations of some arms take 20 times as long.
fn unequal_costs() -> Vec<Family> {
    let close = || {
        Recipe::new(&EQUAL, 0.5)
            .spread([1.0, 1.1, 1.2, 2.3, 2.9, 3.6, 4.4])
            .independent()
    };
    let slow = |arm: SyntheticArm| arm.lasting(20.0);
    vec![
        close().arms([1, 2, 3], slow).family(
            "fast-best",
            "three close rivals take 20 times as long as all others",
        ),
        close().arms([0], slow).family(
            "slow-best",
            "the best arm takes 20 times as long as its rivals",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::battery::recipe::BEST;

    fn family(name: &str) -> Family {
        let mut families = all_families().into_iter();
        families.find(|family| family.name == name).unwrap()
    }

    /// Tests that the families' arms have the distances that the recipes state, by independent formulas.
    #[test]
    fn gaps_are_as_stated() {
        let tenth = 0.1 / f64::sqrt(2.0);
        for family in all_families() {
            let stated = match family.name.as_str() {
                name if name.ends_with("tied") || name == "all-equal" => 0.0,
                name if name.contains("-at-") => name.rsplit('-').next().unwrap().parse().unwrap(),
                "models-close" => 0.35,
                "best-noisiest-close" => 0.3,
                name if name.ends_with("gap-0.1") => tenth,
                name if name.ends_with("gap-0.02") => tenth / 5.0,
                name if name.ends_with("-1") => 1.0,
                _ => 0.5,
            };
            let gap = family.gap_in_sds();
            assert!(
                (gap - stated).abs() < 1e-9,
                "{}: {gap}, not {stated}",
                family.name
            );
            assert_eq!(family.must_hold(), stated >= 0.2, "{}", family.name);
        }
    }

    #[test]
    fn gaps_by_hand() {
        let gap = |name: &str, sds: f64, at: usize| {
            let members = family(name).problem.members().to_vec();
            let gap = members[0].true_mean() - members[at].true_mean();
            assert!((gap / sds - 1.0).abs() < 1e-9, "{name}: {gap}, not {sds}");
        };
        // √(σ1² + σ2²) given the split; with the split effects of both where each has a split of
        // its own.
        gap("models", 0.5 * f64::hypot(0.020, 0.019), 1);
        gap(
            "independent-splits",
            0.5 * f64::sqrt(0.0004 + 0.000_361 + 0.0008),
            1,
        );
        gap("best-noisiest-1", f64::hypot(0.06, 0.005), 1);
        gap("best-quietest", 0.5 * 5.0 * f64::hypot(0.005, 0.06), 7);
        // A divergence: .95·.0008 + .0475·.45² of the best; the rival keeps .0004 + .0004; they
        // share .95·.0004.
        let best = 0.95 * 0.0008 + 0.0475 * 0.45 * 0.45;
        gap(
            "diverging-best",
            0.5 * f64::sqrt(best + 0.0008 - 2.0 * 0.95 * 0.0004),
            1,
        );
        gap("gap-0.1", 0.002, 1);
        gap("two-gap-0.02", 0.0004, 1);
    }

    #[test]
    fn spreads_go_to_whom_the_name_says() {
        let sds = |name: &str| -> Vec<f64> {
            let mut members = family(name).problem.members().to_vec();
            members.sort_by(|a, b| b.mean.total_cmp(&a.mean));
            members.iter().map(|arm| arm.sd).collect()
        };
        let most = |sds: &[f64]| sds.iter().copied().fold(0.0, f64::max);
        let noisiest = sds("best-noisiest");
        assert!(noisiest[0] >= most(&noisiest));
        let quietest = sds("best-quietest");
        assert!(quietest.iter().all(|&sd| sd >= quietest[0]));
        for name in ["random-sds-a", "random-sds-b", "random-sds-c"] {
            let mut all = sds(name);
            all.sort_by(f64::total_cmp);
            assert_eq!(all, WIDE, "{name}");
        }
        assert_eq!(
            family("best-last").problem.members()[7].mean.to_bits(),
            BEST.to_bits()
        );
        let costs = |name: &str| family(name).problem.members()[0].duration;
        assert!(costs("slow-best") > 19.0 && costs("fast-best") < 2.0);
    }
}
