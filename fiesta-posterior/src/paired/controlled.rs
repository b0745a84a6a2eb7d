//! Mean of a probability over draws, with two control variates.

/// Number of batches of draws from which the standard error is estimated.
pub(super) const BATCHES: usize = 16;

/// Sums over the draws of a probability p and of two control variates c and d, whose means are 0.
#[derive(Debug, Clone, Default)]
pub(super) struct Controlled {
    /// Sums of the probability p and of the control variates c and d, in each batch of draws.
    sums: [[f64; 3]; BATCHES],
    /// Sums of the products p·c, p·d, c², c·d and d² over all draws, for the weights of the control variates.
    products: [f64; 5],
    draws: f64,
}

impl Controlled {
    pub(super) fn add(&mut self, batch: usize, values: [f64; 3]) {
        for (sum, value) in self.sums[batch].iter_mut().zip(values) {
            *sum += value;
        }
        let [p, c, d] = values;
        let products = [p * c, p * d, c * c, c * d, d * d];
        for (sum, product) in self.products.iter_mut().zip(products) {
            *sum += product;
        }
        self.draws += 1.0;
    }

    /// Returns the sum of p − v·c − w·d in each batch, with the weights that leave the least
    /// variance.
    pub(super) fn batches(&self) -> [f64; BATCHES] {
        let total = |of: usize| self.sums.iter().map(|sums| sums[of]).sum::<f64>();
        let [p, c, d] = [total(0), total(1), total(2)];
        let [pc, pd, cc, cd, dd] = self.products;
        let covariance = |product: f64, a: f64, b: f64| product - a * b / self.draws;
        let (pc, pd) = (covariance(pc, p, c), covariance(pd, p, d));
        let (cc, dd) = (covariance(cc, c, c), covariance(dd, d, d));
        let cd = covariance(cd, c, d);
        let determinant = cc * dd - cd * cd;
        let [v, w] = if determinant > SINGULAR * cc * dd {
            [
                (pc * dd - pd * cd) / determinant,
                (pd * cc - pc * cd) / determinant,
            ]
        } else if dd > 0.0 {
            [0.0, pd / dd]
        } else {
            [0.0; 2]
        };
        self.sums.map(|[p, c, d]| p - v * c - w * d)
    }
}

/// Share of the product of two variances below which their determinant is rounding.
const SINGULAR: f64 = 1e-9;
