//! Tests of the edges of the F-measure's posterior: nothing, empty documents, empty cells, huge
//! counts, exhausted collections.

use super::{system, systems};
use fiesta_core::{ArmId, Case, Counts, FBeta, Observe, ObserveError, Posterior};
use fiesta_posterior::f_measure::{Concentration, FMeasureArms, FMeasureError, Measure, Prior};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::sync::Arc;

fn arms(count: usize) -> Vec<ArmId> {
    ArmId::all(count).collect()
}

fn observe(posterior: &mut FMeasureArms, arm: usize, cells: [u64; 4]) {
    let case = Case { split: 0, seed: 0 };
    posterior
        .observe(ArmId::new(arm), case, Counts::from_cells(cells))
        .unwrap();
}

#[test]
fn before_the_first_document_nothing_is_said() {
    let posterior = FMeasureArms::new(2);
    let arm = ArmId::new(0);
    assert_eq!((posterior.mean(arm), posterior.marginal(arm)), (None, None));
    assert_eq!(posterior.difference(arm, ArmId::new(1)), None);
    assert_eq!(posterior.variances(arm, &[]), None);
    let mut means = [0.0; 2];
    posterior.draw(&mut ChaCha8Rng::seed_from_u64(1), &mut means);
    assert!(means.iter().all(|mean| mean.is_infinite()));
    assert_eq!(posterior.required(arm), 1);
    assert!(!posterior.settled(arm));
}

#[test]
fn an_empty_document_tells_nothing_but_counts() {
    let full = Counts::from_cells([12, 4, 6, 3]);
    let one = system(&[full], Concentration::Learned);
    let two = system(&[full, Counts::default()], Concentration::Learned);
    let arm = ArmId::new(0);
    let (a, b) = (one.mean(arm).unwrap(), two.mean(arm).unwrap());
    assert!((a - b).abs() < 0.03, "{a} {b}");
    let only = system(&[Counts::default()], Concentration::Learned);
    // The prior's: F is 2T/(2T + E) with T ~ Gamma(¼) and E ~ Gamma(½).
    assert!((only.mean(arm).unwrap() - 0.4).abs() < 0.1);
}

#[test]
fn a_system_without_positives_is_uncertain_and_one_without_hits_is_bad() {
    let nothing = vec![Counts::from_cells([0, 0, 25, 0]); 10];
    let wrong = vec![Counts::from_cells([0, 5, 15, 5]); 10];
    let posterior = systems(&[nothing, wrong], Concentration::Learned);
    let sd = |arm| posterior.marginal(ArmId::new(arm)).unwrap().scale;
    assert!(sd(0) > 0.3 && sd(1) < 0.1, "{} {}", sd(0), sd(1));
    assert!(posterior.mean(ArmId::new(1)).unwrap() < 0.05);
}

#[test]
fn counts_of_a_billion_are_taken_and_more_are_not() {
    let mut posterior = FMeasureArms::new(2);
    let most = Counts::LARGEST;
    observe(&mut posterior, 0, [most, 0, most, most]);
    observe(&mut posterior, 1, [1, most, 0, 0]);
    let belief = posterior.belief(&arms(2));
    assert!((belief.probability.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    assert!(belief.of(ArmId::new(0)) > 0.6);
    let case = Case { split: 1, seed: 0 };
    let refused = posterior.observe(ArmId::new(0), case, Counts::from_cells([most + 1, 0, 0, 0]));
    assert_eq!(refused, Err(ObserveError::TooManyCounts(most + 1)));
    let refused = posterior.observe(ArmId::new(2), case, Counts::default());
    assert_eq!(refused, Err(ObserveError::NoSuchArm(2)));
}

#[test]
fn many_alike_documents_approach_the_multinomial() {
    // With α = ∞ the posterior is Dirichlet(¼ + sums).
    let documents = vec![Counts::from_cells([30, 10, 40, 20]); 200];
    let posterior = system(&documents, Concentration::fixed(f64::INFINITY).unwrap());
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let draws = posterior.sample(ArmId::new(0), 50_000, &mut rng).unwrap();
    let theta = draws.summary(|theta, _| theta[0]);
    let (shape, total) = (6000.25, 20_001.0);
    let sd = f64::sqrt(shape * (total - shape) / (total * total * (total + 1.0)));
    assert!((theta.mean - shape / total).abs() < 5.0 * sd / 200.0);
    assert!((theta.standard_deviation / sd - 1.0).abs() < 0.02);
    assert!(draws.effective() > 0.95 * draws.len() as f64);
}

#[test]
fn a_system_that_has_seen_all_documents_is_known_exactly() {
    let mut posterior = FMeasureArms::new(3).documents(2);
    for cells in [[6, 2, 9, 2], [2, 2, 9, 2]] {
        observe(&mut posterior, 0, cells);
        observe(&mut posterior, 1, cells);
    }
    observe(&mut posterior, 2, [1, 9, 0, 9]);
    let arm = ArmId::new(0);
    assert_eq!(posterior.mean(arm), Some(16.0 / 24.0));
    assert!(posterior.marginal(arm).unwrap().scale < 1e-300);
    assert!(posterior.settled(arm) && !posterior.settled(ArmId::new(2)));
    let summary = posterior.summary(arm, 100).unwrap();
    assert_eq!(
        (
            summary.quantiles[0].to_bits(),
            summary.quantiles[4].to_bits()
        ),
        (summary.mean.to_bits(), summary.mean.to_bits())
    );
    let equal = posterior.belief(&arms(2));
    assert_eq!(equal.probability, [0.5, 0.5, 0.0]);
    let mut means = [0.0; 3];
    posterior.draw(&mut ChaCha8Rng::seed_from_u64(1), &mut means);
    assert_eq!(means[0].to_bits(), means[1].to_bits());
    assert_eq!(
        posterior.within(arm, 0.0, &arms(2)).to_bits(),
        1.0_f64.to_bits()
    );
}

#[test]
fn a_collection_without_positives_leaves_its_f_undefined() {
    let mut posterior = FMeasureArms::new(1).documents(1);
    observe(&mut posterior, 0, [0, 0, 7, 0]);
    assert!(posterior.marginal(ArmId::new(0)).unwrap().scale > 0.1);
}

#[test]
fn any_function_of_theta_can_be_compared() {
    let of = |measure: Measure| {
        let mut posterior = FMeasureArms::new(1).measure(measure).draws(20_000);
        observe(&mut posterior, 0, [400, 100, 300, 200]);
        posterior.mean(ArmId::new(0)).unwrap()
    };
    let (precision, recall) = (of(Measure::Precision), of(Measure::Recall));
    assert!(precision > recall);
    let specificity = of(Measure::Function(Arc::new(|&[_, fp, tn, _]| {
        tn / (tn + fp)
    })));
    assert!((0.5..0.9).contains(&specificity), "{specificity}");
    let weighted = of(Measure::F(FBeta::new(0.1).unwrap()));
    assert!(
        (weighted - precision).abs() < 0.02,
        "{weighted} {precision}"
    );
    // Another function than a share: never held back for its scale.
    let mut odds = FMeasureArms::new(1).measure(Measure::Function(Arc::new(|t| t[0] / t[1])));
    observe(&mut odds, 0, [400, 100, 300, 200]);
    assert!(odds.settled(ArmId::new(0)));
}

#[test]
fn what_is_no_prior_is_refused() {
    assert!(matches!(Prior::uniform(0.0), Err(FMeasureError::Shapes(_))));
    assert!(matches!(
        Prior::new([1.0, 1.0, f64::NAN, 1.0]),
        Err(FMeasureError::Shapes(_))
    ));
    assert!(matches!(
        Prior::expecting([1.0, 0.0, 1.0, 1.0], 1.0),
        Err(FMeasureError::Shares(_))
    ));
    for alpha in [0.0, -1.0, f64::NAN, 1e-4] {
        assert!(matches!(
            Concentration::fixed(alpha),
            Err(FMeasureError::Concentration(_))
        ));
    }
}
