//! Measurements of the processor time and memory of `fiesta watch`, for a growing study and an idle one.

use super::{
    page::Page,
    support::Bench,
    usage::{memory_of_files, peak_memory, processor_time},
};
use fiesta::runner::{
    Options, Study,
    executor::{Call, Functions},
    observer::Blind,
    run,
    signal::Signals,
};
use std::{
    thread,
    time::{Duration, Instant},
};

/// Runs a study of six functions to `evaluations` evaluations while its page is open. Returns the
/// share of a core and the resident memory that `fiesta watch` took, and how much of that memory is
/// its program's.
fn followed(evaluations: u64, each: Duration) -> (f64, u64, u64) {
    let arms = (0..6).map(|arm| format!("[[arm]]\nname = \"arm {arm}\"\n"));
    let arms = arms.collect::<Vec<_>>().concat();
    let text = format!(
        "name = \"growing\"\nmetric.name = \"accuracy\"\n[goal]\nbudget = {{ evaluations = {evaluations} }}\n\
         [design]\npolicy = \"uniform\"\nparallel = 8\nseed = 1\n[executor]\nkind = \"functions\"\n{arms}"
    );
    let bench = Bench::new();
    let study = Study::write(&text, &bench.path("study.toml")).unwrap();
    let page = Page::of(&bench, &["study.toml"]);
    let mut events = page.events();
    let controller = thread::spawn(move || {
        let mut functions = Functions::new(&study, move |call: &Call| {
            thread::sleep(each);
            let arm: f64 = call.arm()[4..].parse().unwrap();
            Ok(0.6 + arm / 500.0 + (call.seed() % 997) as f64 / 10_000.0)
        })
        .unwrap();
        let (mut signals, _stopper) = Signals::on_request().unwrap();
        let options = Options::default();
        run(&study, &mut functions, &mut signals, &mut Blind, &options).unwrap();
    });
    let limit = Duration::from_mins(8);
    let first = events.next_with("of at most", limit);
    assert!(first.is_some(), "the study is shown");
    let (pid, began) = (page.running.pid(), Instant::now());
    let before = processor_time(pid);
    let mut shown = 0_u32;
    while !events
        .next_with("s0-", limit)
        .expect("its end is shown")
        .contains("finished")
    {
        shown += 1;
    }
    let wall = began.elapsed();
    assert!(
        f64::from(shown) > wall.as_secs_f64() / 3.0,
        "{shown} events in {wall:?}"
    );
    let share = processor_time(pid).saturating_sub(before).as_secs_f64() / wall.as_secs_f64();
    controller.join().unwrap();
    let body = page.get("").body;
    assert!(
        body.contains(&format!(">{evaluations}<")),
        "all are counted"
    );

    // The study has ended: it is looked at, and costs next to nothing.
    let (before, looked) = (processor_time(pid), Duration::from_secs(5));
    thread::sleep(looked);
    let ended = processor_time(pid).saturating_sub(before).as_secs_f64() / looked.as_secs_f64();
    // Nobody has the page open: it is not even looked at.
    events.close();
    thread::sleep(Duration::from_secs(2));
    let before = processor_time(pid);
    thread::sleep(looked);
    let alone = processor_time(pid).saturating_sub(before).as_secs_f64() / looked.as_secs_f64();
    let memory = peak_memory(pid).unwrap();
    let of_files = memory_of_files(pid).unwrap();
    println!(
        "{evaluations} evaluations in {:.0} s: {:.2} % of a core while they came, {:.2} % after the end, {:.2} % with \
         nobody there; {:.1} MB resident at most, {:.1} MB of them of the program and other files",
        wall.as_secs_f64(),
        100.0 * share,
        100.0 * ended,
        100.0 * alone,
        memory as f64 / 1e6,
        of_files as f64 / 1e6
    );
    assert!(
        ended < 0.02 && alone < 0.005,
        "{ended} after the end, {alone} alone"
    );
    page.end();
    (share, memory, of_files)
}

#[test]
fn a_study_is_followed_for_next_to_nothing() {
    let (share, memory, of_files) = followed(600, Duration::from_millis(100));
    // Of a few seconds, most of it reading and drawing for the first time.
    assert!(share < 0.15, "{share}");
    // The program alone has 33 MB in a development build: all of it counts in the other test, which
    // is of an optimised one.
    assert!(memory - of_files < 25_000_000, "{memory}, {of_files}");
}

#[test]
#[ignore = "takes minutes, of which the share means something"]
fn ten_thousand_evaluations_are_followed_at_a_twentieth_of_a_core_in_fifty_megabytes() {
    let (share, memory, _) = followed(10_000, Duration::from_millis(60));
    assert!(share < 0.05, "{share}");
    assert!(memory < 50_000_000, "{memory}");
}
