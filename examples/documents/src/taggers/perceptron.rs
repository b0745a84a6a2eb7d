//! The averaged perceptron: a linear classifier that learns from its mistakes.

use std::collections::HashMap;

/// Weights of a classifier: a number for each feature and class.
type Weights = Vec<f64>;

/// A classifier of sets of features.
///
/// For each mistake the weights of the true class grow and those of the mistaken one shrink. The
/// weights used in the end are the means over the whole of the training, which forget the last
/// mistakes' noise.
pub struct Perceptron {
    classes: usize,
    numbers: HashMap<String, usize>,
    weights: Weights,
    /// Sum of the changes of each weight, each multiplied by the number of examples seen before it.
    late: Weights,
    seen: f64,
}

impl Perceptron {
    pub fn new(classes: usize) -> Self {
        Self {
            classes,
            numbers: HashMap::new(),
            weights: Weights::new(),
            late: Weights::new(),
            seen: 1.0,
        }
    }

    /// Returns the numbers of these features. New features get new numbers.
    pub fn number(&mut self, features: Vec<String>) -> Vec<usize> {
        let numbers = features.into_iter().map(|feature| {
            let next = self.numbers.len();
            *self.numbers.entry(feature).or_insert(next)
        });
        let numbers = numbers.collect();
        self.weights.resize(self.numbers.len() * self.classes, 0.0);
        self.late.resize(self.weights.len(), 0.0);
        numbers
    }

    /// Returns the numbers of these features, without unknown features.
    pub fn known(&self, features: &[String]) -> Vec<usize> {
        let numbers = features
            .iter()
            .filter_map(|feature| self.numbers.get(feature));
        numbers.copied().collect()
    }

    /// Returns the class with the greatest sum of weights among those allowed; of equal ones the first.
    pub fn classify(&self, features: &[usize], allowed: impl Fn(usize) -> bool) -> usize {
        let mut sums = vec![0.0; self.classes];
        for &feature in features {
            let of_feature = &self.weights[feature * self.classes..][..self.classes];
            for (sum, weight) in sums.iter_mut().zip(of_feature) {
                *sum += weight;
            }
        }
        let mut best = None;
        for class in (0..self.classes).filter(|&class| allowed(class)) {
            if best.is_none_or(|best: usize| sums[class] > sums[best]) {
                best = Some(class);
            }
        }
        best.expect("a class that is allowed")
    }

    /// Learns from one example with the class `truth`, for which the perceptron had guessed `guess`.
    pub fn learn(&mut self, features: &[usize], truth: usize, guess: usize) {
        if truth != guess {
            for &feature in features {
                for (class, change) in [(truth, 1.0), (guess, -1.0)] {
                    let at = feature * self.classes + class;
                    self.weights[at] += change;
                    self.late[at] += change * self.seen;
                }
            }
        }
        self.seen += 1.0;
    }

    /// Ends the training: each weight becomes its mean over the training.
    pub fn averaged(mut self) -> Self {
        for (weight, late) in self.weights.iter_mut().zip(&self.late) {
            *weight -= late / self.seen;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns features of a number for the question whether it is even: the last digit, and a useless one.
    fn features(number: usize) -> Vec<String> {
        vec![
            format!("last {}", number % 10),
            format!("first {}", number / 10),
        ]
    }

    #[test]
    fn what_is_separable_is_learnt() {
        let mut perceptron = Perceptron::new(2);
        for _ in 0..10 {
            for number in 0..70 {
                let features = perceptron.number(features(number));
                let guess = perceptron.classify(&features, |_| true);
                perceptron.learn(&features, number % 2, guess);
            }
        }
        let perceptron = perceptron.averaged();
        for number in 70..100 {
            let features = perceptron.known(&features(number));
            assert_eq!(perceptron.classify(&features, |_| true), number % 2);
        }
    }

    #[test]
    fn averages_are_over_the_whole_training() {
        let mut perceptron = Perceptron::new(2);
        let features = perceptron.number(vec!["only".into()]);
        // A mistake, then three examples without one: the weight is 1 after each of the four, and 0
        // before.
        perceptron.learn(&features, 1, 0);
        for _ in 0..3 {
            perceptron.learn(&features, 1, 1);
        }
        let perceptron = perceptron.averaged();
        assert!((perceptron.weights[1] - 4.0 / 5.0).abs() < 1e-12);
        assert!((perceptron.weights[0] + 4.0 / 5.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_not_allowed_is_never_chosen() {
        let perceptron = Perceptron::new(3);
        assert_eq!(perceptron.classify(&[], |class| class == 2), 2);
    }
}
