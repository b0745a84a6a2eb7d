//! What is to be said of the stopping rule `anytime` where scores are not Gaussian, as its guarantee supposes.

use fiesta::policies::stopping::anytime::few_values;

/// What users are told if the scores of some arm take few values; none if those of no arm do.
pub(super) fn doubt<'a>(scores: impl IntoIterator<Item = (&'a str, Vec<f64>)>) -> Option<String> {
    let few = scores.into_iter().find_map(|(arm, scores)| {
        let values = few_values(&scores)?;
        Some(format!(
            "the {} scores of {arm} take {values} values",
            scores.len()
        ))
    })?;
    Some(format!(
        "the rate of errors that the stopping rule anytime promises is proven for Gaussian scores only, and {few}: for such scores nothing is proven"
    ))
}
