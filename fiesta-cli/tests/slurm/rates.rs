//! Measurement of the rate of submissions, compared with `sbatch`'s.

use super::Cluster;
use fiesta::engines::{Batch, Engine, Needs, Slurm, SlurmSettings};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

const BATCHES: u32 = 50;
const TASKS: u32 = 1000;
/// Directory of the submitting process: Slurm's commands find the cluster by the environment.
const PLACE: &str = "FIESTA_RATES_IN";

#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn submissions_one_by_one_and_as_arrays() {
    if let Some(place) = std::env::var_os(PLACE) {
        return submit(Path::new(&place));
    }
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let submitted = Command::new(std::env::current_exe().unwrap())
        .args(["rates::submissions_one_by_one_and_as_arrays", "--exact"])
        .args(["--ignored", "--nocapture"])
        .envs(cluster.variables())
        .env(PLACE, place.path())
        .status();
    assert!(submitted.unwrap().success());
    let began = Instant::now();
    for _ in 0..BATCHES {
        cluster.call("sbatch", &["--hold", "--output=/dev/null", "--wrap=true"]);
    }
    let rate = f64::from(BATCHES) / began.elapsed().as_secs_f64();
    eprintln!("sbatch by itself: {rate:.1} a second");
}

fn batch(place: &Path, number: u32, count: u32) -> Batch {
    Batch {
        name: format!("rates-{number}"),
        needs: Needs::default(),
        count,
        list: place.join("runs"),
        log: PathBuf::from("/dev/null"),
        program: PathBuf::from("/bin/true"),
    }
}

fn submit(place: &Path) {
    let options = Some(vec!["--hold".to_owned()]);
    let mut slurm = Slurm::new(SlurmSettings {
        options,
        ..SlurmSettings::default()
    });
    let began = Instant::now();
    for number in 0..BATCHES {
        slurm.submit(&batch(place, number, 1)).unwrap();
    }
    let single = f64::from(BATCHES) / began.elapsed().as_secs_f64();
    let began = Instant::now();
    for number in [BATCHES, BATCHES + 1] {
        slurm.submit(&batch(place, number, TASKS)).unwrap();
    }
    let arrays = f64::from(2 * TASKS) / began.elapsed().as_secs_f64();
    let names: BTreeSet<String> = (0..BATCHES + 2).map(|n| format!("rates-{n}")).collect();
    let began = Instant::now();
    let listed = slurm.list(&names).unwrap().len();
    let listing = began.elapsed().as_secs_f64();
    eprintln!(
        "one by one: {single:.1} a second; as arrays of {TASKS}: {arrays:.0} a second; a listing of {listed} jobs: {listing:.2} s"
    );
    assert_eq!(listed, (BATCHES + 2 * TASKS) as usize);
    assert!(single >= 5.0 && arrays >= 100.0);
}
