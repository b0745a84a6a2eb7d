//! The warning that the guarantee of the rule `anytime` supposes Gaussian scores.

use super::few_values;

/// The warning for scores of some arms, if those of one take so few values that they are not
/// Gaussian; none otherwise.
pub fn doubt<'a>(scores: impl IntoIterator<Item = (&'a str, Vec<f64>)>) -> Option<String> {
    let few = scores.into_iter().find_map(|(arm, scores)| {
        let values = few_values(&scores)?;
        let count = scores.len();
        Some(format!("the {count} scores of {arm} take {values} values"))
    })?;
    Some(format!(
        "the rate of errors that the stopping rule anytime promises is proven for Gaussian scores only, and {few}: for such scores nothing is proven"
    ))
}
