//! A study of closures in a pool of rayon's: `Workers` has three methods.
//!
//! The question is which initial temperature lets simulated annealing find the shortest tour of 80
//! cities. The pool's threads are the program's own; what else it does in parallel shares them.

use fiesta::policies::{TopTwo, stopping::PosteriorThreshold};
use fiesta::posterior::Paired;
use fiesta::{Arms, Evaluation, Event, Limits, Outcome, Selector, SelectorError, Workers};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::{
    sync::mpsc::{Receiver, Sender, channel},
    time::Instant,
};

/// Workers that evaluate in a pool of threads, as many evaluations at a time as it has threads.
struct Tasks<'p, F> {
    pool: &'p ThreadPool,
    evaluate: F,
    running: usize,
    ended: (Sender<Event>, Receiver<Event>),
}

impl<F> Workers<f64> for Tasks<'_, F>
where
    F: Fn(&Evaluation) -> f64 + Copy + Send + 'static,
{
    type Error = SelectorError;

    fn vacancies(&self) -> usize {
        self.pool.current_num_threads() - self.running
    }

    fn start(&mut self, evaluation: Evaluation) -> Result<(), SelectorError> {
        self.running += 1;
        let (evaluate, ended) = (self.evaluate, self.ended.0.clone());
        self.pool.spawn(move || {
            let began = Instant::now();
            let score = evaluate(&evaluation);
            // Nobody listens any more when the selection is over.
            let _ = ended.send(Event::Ended {
                id: evaluation.id,
                outcome: Outcome::Observed(score),
                cost: began.elapsed().as_secs_f64(),
            });
        });
        Ok(())
    }

    fn wait(&mut self, _selector: &Selector) -> Result<Vec<Event>, SelectorError> {
        let first = self.ended.1.recv().map_err(|_| SelectorError::Stalled)?;
        let events: Vec<Event> = [first].into_iter().chain(self.ended.1.try_iter()).collect();
        self.running -= events.len();
        Ok(events)
    }
}

const TEMPERATURES: [f64; 5] = [0.001, 0.01, 0.1, 1.0, 10.0];

/// Returns minus the length of a tour after 60,000 tried reversals of a piece of it. The split
/// decides where the cities are, the seed which pieces are tried.
fn tour(evaluation: &Evaluation) -> f64 {
    let mut map = ChaCha8Rng::seed_from_u64(evaluation.case.split);
    let mut cities: Vec<[f64; 2]> = (0..80).map(|_| [map.random(), map.random()]).collect();
    let distance = |[a, b]: [f64; 2], [c, d]: [f64; 2]| (a - c).hypot(b - d);
    let mut rng = ChaCha8Rng::seed_from_u64(evaluation.case.seed);
    let steps = 60_000;
    for step in 0..steps {
        let cooled = 1.0 - f64::from(step) / f64::from(steps);
        let temperature = TEMPERATURES[evaluation.arm.index()] * cooled.powi(4);
        let i = rng.random_range(1..cities.len() - 1);
        let j = rng.random_range(i + 1..cities.len());
        let after = cities[(j + 1) % cities.len()];
        let longer = distance(cities[i - 1], cities[j]) + distance(cities[i], after)
            - distance(cities[i - 1], cities[i])
            - distance(cities[j], after);
        if longer < 0.0 || rng.random::<f64>() < (-longer / temperature).exp() {
            cities[i..=j].reverse();
        }
    }
    let next = cities.iter().cycle().skip(1);
    -cities
        .iter()
        .zip(next)
        .map(|(&a, &b)| distance(a, b))
        .sum::<f64>()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut selector = Selector::builder(
        Arms::new(TEMPERATURES.map(|temperature| temperature.to_string()))?,
        Paired::new(TEMPERATURES.len()),
        TopTwo::ttps(),
        PosteriorThreshold::new(0.95)?,
    )
    .limits(Limits {
        evaluations: Some(500),
        ..Limits::default()
    })
    .seed(1)
    .build()?;
    let pool = ThreadPoolBuilder::new().build()?;
    let conclusion = selector.drive(&mut Tasks {
        pool: &pool,
        evaluate: tour,
        running: 0,
        ended: channel(),
    })?;
    println!(
        "temperature {} is best with {:.1} % posterior probability, after {} tours",
        selector.arms().name(conclusion.arm),
        100.0 * conclusion.probability.unwrap_or(0.0),
        selector.view().total_ended(),
    );
    Ok(())
}
