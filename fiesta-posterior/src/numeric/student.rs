//! Student's t distribution, tabulated once per degrees of freedom, so that a quadrature over many
//! arms spends a few nanoseconds on each value.
//!
//! With r = c/(x + c), which takes x from 0 to ∞ to r from 1 to 0, the upper tail Q is an analytic
//! function of r on the whole of [0, 1] for any whole number ν of degrees of freedom: its expansion
//! at infinity is one in powers of 1/x. On each step of a uniform grid of r, Q is the quintic
//! Hermite polynomial that has its value and first two derivatives at both ends; the error is below
//! 1e-12. Below 8 degrees of freedom that are no whole number, r^ν is singular at 0; such tails
//! come from the incomplete beta function instead.

pub use fiesta_core::upper_tail;

use statrs::function::beta::ln_beta;
use std::{cell::RefCell, collections::HashMap, rc::Rc};

/// Above this, Student's t is the normal distribution to 1e-12.
const NORMAL_FROM: f64 = 1e12;
/// Constant c of r = c/(x + c): the x at the middle of the grid.
const MIDWAY: f64 = 4.0;
/// Steps of the grid: at most 0.03 in x up to x = 3.
const STEPS: usize = 400;
/// Tables kept per thread; each takes about 20 kB.
const TABLES_KEPT: usize = 1024;

/// The density and both tails of Student's t at one point.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Point {
    /// The density f(x) of the distribution.
    pub density: f64,
    /// The lower tail P(T ≤ x).
    pub below: f64,
    /// The upper tail P(T > x).
    pub above: f64,
}

/// Student's t with fixed degrees of freedom, made for many evaluations.
///
/// # Example
/// ```
/// use fiesta_posterior::student::StudentT;
/// let cauchy = StudentT::new(1.0);
/// let at_one = cauchy.at(1.0);
/// assert!((at_one.below - 0.75).abs() < 1e-12);
/// assert!((at_one.density - 0.5 / std::f64::consts::PI).abs() < 1e-10);
/// ```
#[derive(Debug)]
pub struct StudentT(Form);

#[derive(Debug)]
enum Form {
    Table(Table),
    Direct {
        degrees_of_freedom: f64,
        log_norm: f64,
    },
}

/// Table of the coefficients of Q as a polynomial in t ∈ [0, 1], lowest first, on each step of the
/// grid of r.
#[derive(Debug)]
struct Table(Vec<[f64; 6]>);

impl StudentT {
    /// Builds the table, in about ten microseconds.
    ///
    /// # Panics
    /// If `degrees_of_freedom` is not greater than zero.
    pub fn new(degrees_of_freedom: f64) -> Self {
        assert!(
            degrees_of_freedom > 0.0,
            "degrees of freedom must be positive"
        );
        if degrees_of_freedom < 8.0 && degrees_of_freedom.fract() != 0.0 {
            return Self(Form::Direct {
                degrees_of_freedom,
                log_norm: -0.5 * degrees_of_freedom.ln() - ln_beta(degrees_of_freedom / 2.0, 0.5),
            });
        }
        Self(Form::Table(Table::new(degrees_of_freedom)))
    }

    /// Returns the density and both tails at `x`.
    #[inline]
    pub fn at(&self, x: f64) -> Point {
        let ([density], [tail]) = self.upper(&[x.abs()]);
        let (below, above) = if x >= 0.0 {
            (1.0 - tail, tail)
        } else {
            (tail, 1.0 - tail)
        };
        Point {
            density,
            below,
            above,
        }
    }

    /// Returns the densities and P(T ≤ x) at many points at once, which costs half as much for
    /// each.
    #[inline]
    pub(crate) fn many<const N: usize>(&self, x: &[f64; N]) -> ([f64; N], [f64; N]) {
        let (density, mut below) = self.upper(&x.map(f64::abs));
        for (tail, &x) in below.iter_mut().zip(x) {
            *tail = if x >= 0.0 { 1.0 - *tail } else { *tail };
        }
        (density, below)
    }

    /// Returns densities and upper tails at points from 0 upwards.
    #[inline]
    fn upper<const N: usize>(&self, x: &[f64; N]) -> ([f64; N], [f64; N]) {
        match &self.0 {
            Form::Table(table) => table.upper(x),
            Form::Direct {
                degrees_of_freedom: df,
                log_norm,
            } => {
                let density = |x: f64| log_norm - (df + 1.0) / 2.0 * (x * x / df).ln_1p();
                (x.map(|x| density(x).exp()), x.map(|x| upper_tail(x, *df)))
            }
        }
    }
}

impl Table {
    fn new(degrees_of_freedom: f64) -> Self {
        let step = 1.0 / STEPS as f64;
        let mut grid: Vec<[f64; 3]> = (0..=STEPS)
            .map(|i| {
                let [g, slope, curvature] = density_by_r(degrees_of_freedom, i as f64 * step);
                [g * step, slope * step * step, curvature * step.powi(3)]
            })
            .collect();
        // ∫g over a step from g, g′ and g″ at both ends, exact for polynomials of degree 5.
        let mut tail = 0.0;
        let mut left = grid[0];
        grid[0] = [0.0, left[0], left[1]];
        for point in &mut grid[1..] {
            let right = *point;
            tail += f64::midpoint(left[0], right[0])
                + (left[1] - right[1]) / 10.0
                + (left[2] + right[2]) / 120.0;
            *point = [tail, right[0], right[1]];
            left = right;
        }
        let norm = 0.5 / tail;
        let step = |ends: &[[f64; 3]]| quintic(&ends[0], &ends[1]).map(|c| c * norm);
        Self(grid.windows(2).map(step).collect())
    }

    /// Returns densities and upper tails at points from 0 upwards; step by step, so that the
    /// compiler can take several points at once.
    #[inline]
    #[allow(clippy::needless_range_loop, reason = "several arrays run along")]
    fn upper<const N: usize>(&self, x: &[f64; N]) -> ([f64; N], [f64; N]) {
        let r = x.map(|x| MIDWAY / (x + MIDWAY));
        let mut t = r.map(|r| r * STEPS as f64);
        let mut coefficients = [[0.0; N]; 6];
        for i in 0..N {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between 0 and STEPS, or NaN, which becomes 0"
            )]
            let step = (t[i] as u32).min(STEPS as u32 - 1);
            t[i] -= f64::from(step);
            for (row, &c) in coefficients.iter_mut().zip(&self.0[step as usize]) {
                row[i] = c;
            }
        }
        // Horner's scheme for the polynomial and its derivative together.
        let [lower @ .., mut tail] = coefficients;
        let mut slope = [0.0; N];
        for c in lower.iter().rev() {
            for i in 0..N {
                slope[i] = tail[i] + t[i] * slope[i];
                tail[i] = c[i] + t[i] * tail[i];
            }
        }
        for i in 0..N {
            slope[i] *= STEPS as f64 / MIDWAY * r[i] * r[i];
        }
        (slope, tail)
    }
}

/// Returns the density of r up to a constant, and its first two derivatives.
///
/// With p = ν − 1, m = (ν + 1)/2 and q = (1 − r)² + νr²/c² it is g = r^p q^−m, scaled so that at r
/// = 1 it is the unnormalised density of x times dx/dr.
#[expect(
    clippy::float_cmp,
    reason = "the powers with a value at 0 are exactly 0, 1 and 2"
)]
fn density_by_r(df: f64, r: f64) -> [f64; 3] {
    if df >= NORMAL_FROM {
        if r == 0.0 {
            return [0.0; 3];
        }
        // x = c(1 − r)/r, so ln g = −x²/2 − 2 ln r.
        let x = MIDWAY * (1.0 - r) / r;
        let dx = -MIDWAY / (r * r);
        let ddx = 2.0 * MIDWAY / (r * r * r);
        let first = -x * dx - 2.0 / r;
        let second = -dx * dx - x * ddx + 2.0 / (r * r);
        return from_logarithm(-0.5 * x * x - 2.0 * r.ln(), first, second);
    }
    let (power, order) = (df - 1.0, f64::midpoint(df, 1.0));
    let stretch = df / (MIDWAY * MIDWAY);
    if r == 0.0 {
        // q = 1 and q′ = −2; only the lowest powers of r have a value or a derivative here.
        let at_zero = stretch.powf(order);
        let slope = 2.0 * order * at_zero;
        return if power == 0.0 {
            let curvature = order * (4.0 * (order + 1.0) - 2.0 * (1.0 + stretch)) * at_zero;
            [at_zero, slope, curvature]
        } else if power == 1.0 {
            [0.0, at_zero, 2.0 * slope]
        } else if power == 2.0 {
            [0.0, 0.0, 2.0 * at_zero]
        } else {
            [0.0; 3]
        };
    }
    let x = MIDWAY * (1.0 - r) / r;
    let q = (1.0 - r) * (1.0 - r) + stretch * r * r;
    let dq = (2.0 * stretch * r - 2.0 * (1.0 - r)) / q;
    let ddq = (2.0 * stretch + 2.0) / q;
    let logarithm = -order * (x * x / df).ln_1p() - 2.0 * r.ln();
    let first = power / r - order * dq;
    let second = -power / (r * r) - order * (ddq - dq * dq);
    from_logarithm(logarithm, first, second)
}

/// Returns g, g′ and g″ from ln g and its derivatives.
fn from_logarithm(logarithm: f64, first: f64, second: f64) -> [f64; 3] {
    let g = logarithm.exp();
    if g == 0.0 {
        [0.0; 3]
    } else {
        [g, g * first, g * (first * first + second)]
    }
}

/// Returns the coefficients in t ∈ [0, 1], lowest first, of the quintic Hermite interpolant of
/// value, first and second derivative at both ends.
fn quintic(left: &[f64; 3], right: &[f64; 3]) -> [f64; 6] {
    let [p, dp, ddp] = *left;
    let [q, dq, ddq] = *right;
    let rise = q - p;
    let c3 = 10.0 * rise - 6.0 * dp - 4.0 * dq - 1.5 * ddp + 0.5 * ddq;
    let c4 = -15.0 * rise + 8.0 * dp + 7.0 * dq + 1.5 * ddp - ddq;
    let c5 = 6.0 * rise - 3.0 * (dp + dq) - 0.5 * (ddp - ddq);
    [p, dp, ddp / 2.0, c3, c4, c5]
}

/// Returns the table for these degrees of freedom, built once per thread.
pub(crate) fn table(degrees_of_freedom: f64) -> Rc<StudentT> {
    thread_local! {
        static TABLES: RefCell<HashMap<u64, Rc<StudentT>>> = RefCell::default();
    }
    TABLES.with_borrow_mut(|tables| {
        if tables.len() >= TABLES_KEPT {
            tables.clear();
        }
        Rc::clone(
            tables
                .entry(degrees_of_freedom.to_bits())
                .or_insert_with(|| Rc::new(StudentT::new(degrees_of_freedom))),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEGREES: [f64; 14] = [
        0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 7.0, 11.3, 30.0, 31.0, 200.0, 5000.0, 1e6,
    ];

    /// Tests the table against the incomplete beta function, an independent computation (itself
    /// good to 2e-10 at a million degrees of freedom).
    #[test]
    fn tails_agree_with_the_incomplete_beta_function() {
        for df in DEGREES {
            let student = StudentT::new(df);
            let tolerance = if df > 1e5 { 2e-10 } else { 1e-12 };
            let grid = (-4000..4000).map(|i| f64::from(i) * 0.005_031);
            for x in grid.chain((1..12).map(|e| 10_f64.powi(e))) {
                let difference = student.at(x).above - upper_tail(x, df);
                assert!(
                    difference.abs() < tolerance,
                    "df {df}, x {x}: {difference:e}"
                );
            }
        }
    }

    /// Tests the normal limit, and a million degrees of freedom, against mpmath's values of 17
    /// digits.
    #[test]
    fn many_degrees_of_freedom() {
        let cases = [
            (f64::INFINITY, 0.5, 0.308_537_538_725_986_9),
            (f64::INFINITY, 2.0, 0.022_750_131_948_179_21),
            (f64::INFINITY, 5.0, 2.866_515_718_791_939e-7),
            (1e6, 0.5, 0.308_537_593_736_185_7),
            (1e6, 2.0, 0.022_750_266_925_659_604),
            (1e6, 5.0, 2.866_998_935_445_371e-7),
        ];
        for (df, x, expected) in cases {
            let tail = StudentT::new(df).at(x).above;
            assert!((tail - expected).abs() < 1e-12, "df {df}, x {x}: {tail}");
        }
        let normal = StudentT::new(f64::INFINITY);
        for i in -100..100 {
            let x = f64::from(i) * 0.1;
            let density = (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
            assert!((normal.at(x).density - density).abs() < 1e-10);
        }
    }

    /// Tests the density against the difference quotient of the tails.
    #[test]
    fn density_is_the_derivative() {
        for df in DEGREES {
            let student = StudentT::new(df);
            for i in 0..100 {
                let (x, h) = (f64::from(i) * 0.1, 1e-4);
                let quotient = (upper_tail(x - h, df) - upper_tail(x + h, df)) / (2.0 * h);
                let difference = student.at(x).density - quotient;
                assert!(
                    difference.abs() < 2e-8 + 1e-6 / df.recip().max(1e-2),
                    "df {df}, x {x}"
                );
            }
        }
    }

    /// Tests the tails against closed forms of ν = 1 and ν = 2.
    #[test]
    fn tails_agree_with_closed_forms() {
        for x in [-30.0, -2.0, -0.1, 0.0, 0.7, 5.0, 1000.0_f64] {
            let cauchy = 0.5 - x.atan() / std::f64::consts::PI;
            assert!((StudentT::new(1.0).at(x).above - cauchy).abs() < 1e-14);
            let two = 0.5 - x / (2.0 * (2.0 + x * x).sqrt());
            assert!((StudentT::new(2.0).at(x).above - two).abs() < 1e-13);
            assert!((upper_tail(x, 2.0) - two).abs() < 1e-14);
        }
    }
}
