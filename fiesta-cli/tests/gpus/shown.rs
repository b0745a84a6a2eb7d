//! Tests of the information on slots that other processes can read.

use super::{
    stand_in::Machine,
    support::{Bench, code, until},
};
use rustix::process::{Pid, Signal, kill_process};

const WAITS: &str = "until [ -e go ]; do sleep 0.02; done\n";

#[test]
fn status_shows_what_runs_on_which_gpu() {
    let study = "[goal]\nbudget = { evaluations = 4 }\n[design]\nparallel = 2\n[resources]\ngpus_per_job = 2\n";
    let gpus = ["GPU-aaaa", "GPU-bbbb", "GPU-cccc"];
    let Some(machine) = Machine::new(&gpus, WAITS, study) else {
        return;
    };
    let running = machine.start();
    until("a job runs", || machine.state("GPU-bbbb") == "busy");
    let slots = machine.slots();
    let field = |name: &str| {
        slots
            .iter()
            .map(|slot| slot[name].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(field("gpu"), gpus);
    assert_eq!(field("index"), [0, 1, 2]);
    assert_eq!(field("state"), ["busy", "busy", "free"]);
    let run = &slots[0]["runs"][0];
    assert_eq!(
        (&run["run"], &run["arm"], &run["split"]),
        (&"trial-0-a0".into(), &"low".into(), &0.into())
    );
    assert_eq!(slots[0]["runs"][0]["run"], slots[1]["runs"][0]["run"]);
    assert!(run["seconds"].as_f64().unwrap() < 1000.0);
    let text = machine.bench.fiesta(&["status", "study.toml"]).stdout;
    let row = |gpu: &str| {
        let row = text.lines().find(|line| line.starts_with(gpu));
        row.unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    assert!(row("0 Stand-in").contains("low") && row("0 Stand-in").contains("split 0"));
    assert!(row("2 Stand-in").contains("is free"));
    machine.bench.file("go", "");
    running.wait().says(code::DONE, &[]);
    assert!(machine.slots().is_empty());
}

#[test]
fn without_gpus_status_shows_the_jobs_that_run_also_when_nobody_runs_the_study() {
    let bench = Bench::with_job(
        &format!("{WAITS}echo '{{\"accuracy\": 0.5}}'"),
        "[goal]\nbudget = { evaluations = 4 }\n[design]\nparallel = 2\n[[arm]]\nname = \"low\"\n[[arm]]\nname = \"high\"\n",
    );
    let running = bench.start(&["run", "study.toml"]);
    let slots = || {
        let ran = bench.fiesta(&["status", "study.toml", "--format", "json"]);
        let status = serde_json::from_str::<serde_json::Value>(&ran.stdout).ok();
        status.map_or_else(Vec::new, |status| {
            status["slots"].as_array().unwrap().clone()
        })
    };
    until("two jobs run", || slots().len() == 2);
    let check = || {
        for (slot, arm) in slots().iter().zip(["low", "high"]) {
            assert_eq!(
                (&slot["gpu"], &slot["state"]),
                (&serde_json::Value::Null, &"busy".into())
            );
            assert_eq!(slot["runs"][0]["arm"], arm);
        }
        let text = bench.fiesta(&["status", "study.toml"]).stdout;
        let line = text.lines().find(|line| line.contains("trial-1-a0"));
        let line = line.unwrap_or_else(|| panic!("{text}"));
        assert!(
            line.starts_with("high") && line.contains("split 0") && line.contains(" s "),
            "{text}"
        );
        assert!(!bench.path("study.fiesta/slots.json").exists());
    };
    check();
    running.signal(Signal::KILL);
    running.wait();
    check();
    // One that has published its end is over, though its supervisor lives.
    let ended = bench.file("study.fiesta/runs/trial-1-a0/end.json", "");
    assert_eq!(slots().len(), 1);
    std::fs::remove_file(ended).unwrap();
    assert_eq!(slots().len(), 2);
    // One whose supervisor is gone does not go on, though nothing was published.
    let meta = bench.text("study.fiesta/runs/trial-0-a0/meta.json");
    let meta: serde_json::Value = serde_json::from_str(&meta).unwrap();
    let supervisor = i32::try_from(meta["pid"].as_i64().unwrap()).unwrap();
    kill_process(Pid::from_raw(supervisor).unwrap(), Signal::KILL).unwrap();
    until("the supervisor is gone", || slots().len() == 1);
    assert_eq!(slots()[0]["runs"][0]["arm"], "high");
    bench.file("go", "");
    until("the jobs have ended", || slots().is_empty());
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
}
