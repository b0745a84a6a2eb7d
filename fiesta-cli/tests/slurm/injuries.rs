//! Tests of real damage to a cluster of Slurm and to the controller of its study.

use super::{
    Cluster, OnCluster, SLURM,
    engine::{self, answered},
    uniform,
};
use crate::support::{code, until, within};
use fiesta::Streams;
use fiesta::runner::run::End;
use rand::RngExt;
use rustix::process::Signal;
use std::{fs, thread, time::Duration};

fn on(cluster: Option<Cluster>, evaluations: u64) -> Option<OnCluster> {
    Some(OnCluster::new(cluster?, &uniform(evaluations), SLURM))
}

/// Starts a study and waits until `count` of its jobs have begun.
fn begun(there: &OnCluster, count: usize) -> crate::support::Running {
    let running = there.start(&["run", "study.toml", "--quiet"]);
    until("jobs have begun", || {
        there.bench.log("began").len() >= count
    });
    running
}

fn end(there: &OnCluster, running: crate::support::Running, evaluations: usize) {
    running
        .wait_for(Duration::from_mins(5))
        .says(code::DONE, &[]);
    there.audit(evaluations);
}

#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn the_controller_is_killed_again_and_again() {
    let kills = crate::support::kills(10);
    let Some(there) = on(Cluster::start(), 12 * kills) else {
        return;
    };
    let mut rng = Streams::new(1).run(0);
    for _ in 0..kills {
        let running = there.start(&["run", "study.toml", "--quiet"]);
        thread::sleep(Duration::from_millis(rng.random_range(0..2500)));
        running.signal(Signal::KILL);
        running.wait();
    }
    there.run();
    there.audit(usize::try_from(12 * kills).unwrap());
    // Each run was carried out once, however often its batch was handed in.
    let answered = answered(&there.bench);
    eprintln!(
        "killed {kills} times; {answered} runs for {} evaluations",
        12 * kills
    );
}

#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn slurmctld_is_gone_for_half_a_minute() {
    let Some(mut there) = on(Cluster::start(), 60) else {
        return;
    };
    let running = begun(&there, 10);
    there.cluster.kill_controller();
    thread::sleep(Duration::from_secs(30));
    there.cluster.start_controller();
    resume_until_answered(&there, 60);
    end(&there, running, 60);
}

/// Waits until `count` jobs have answered under a Slurm controller that was killed. It has lost
/// unsaved state, reuses ids of running jobs, and drains nodes where two such jobs meet, until the
/// administrator resumes them.
fn resume_until_answered(there: &OnCluster, count: usize) {
    let are_answered = || {
        let resume = ["update", "NodeName=n[1-2]", "State=RESUME"];
        there.cluster.call("scontrol", &resume);
        there.bench.log("answered").len() >= count
    };
    assert!(within(Duration::from_mins(4), are_answered));
}

#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn a_node_s_daemon_is_killed_and_comes_back() {
    let Some(mut there) = on(Cluster::start(), 40) else {
        return;
    };
    let running = begun(&there, 10);
    there.cluster.kill_daemon_of(0);
    thread::sleep(Duration::from_secs(3));
    there.cluster.start_node(0);
    end(&there, running, 40);
}

#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn a_node_fails() {
    let Some(mut there) = on(Cluster::start(), 40) else {
        return;
    };
    there.bench.file("slow", "");
    let running = begun(&there, 8);
    there.cluster.kill_node(0);
    there.cluster.call(
        "scontrol",
        &["update", "NodeName=n1", "State=DOWN", "Reason=test"],
    );
    std::fs::remove_file(there.bench.path("slow")).unwrap();
    thread::sleep(Duration::from_secs(2));
    there.cluster.start_node(0);
    there
        .cluster
        .call("scontrol", &["update", "NodeName=n1", "State=RESUME"]);
    running
        .wait_for(Duration::from_mins(5))
        .says(code::DONE, &[]);
    let history = there.audit(40);
    // What was taken away used up no retry.
    let again = history.records.values().filter(|record| record.attempt > 0);
    assert!(again.count() > 0, "nothing was on the node");
}

#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn jobs_are_requeued() {
    let Some(there) = on(Cluster::start(), 30) else {
        return;
    };
    there.bench.file("slow", "");
    let running = begun(&there, 8);
    for task in there.cluster.tasks("R") {
        there.cluster.call("scontrol", &["requeue", &task]);
    }
    std::fs::remove_file(there.bench.path("slow")).unwrap();
    end(&there, running, 30);
}

/// Tests jobs that are requeued and held, and that nobody releases: their runs are made under
/// another name.
#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn jobs_are_requeued_and_held() {
    let Some(there) = on(Cluster::start(), 30) else {
        return;
    };
    there.bench.file("slow", "");
    let running = begun(&there, 8);
    for task in there.cluster.tasks("R") {
        there.cluster.call("scontrol", &["requeuehold", &task]);
    }
    std::fs::remove_file(there.bench.path("slow")).unwrap();
    running
        .wait_for(Duration::from_mins(5))
        .says(code::DONE, &[]);
    let history = there.audit(30);
    let again = history.records.values().filter(|record| record.attempt > 0);
    assert!(again.count() >= 4, "what was held was made again");
}

/// Checks a study whose jobs are preempted by jobs of a partition of higher rank: no retry is used
/// up, and later attempts continue from saved checkpoints.
fn are_preempted(mode: &str) {
    let lines = format!(
        "PreemptType=preempt/partition_prio\nPreemptMode={mode}\nPartitionName=urgent Nodes=ALL PriorityTier=10\n"
    );
    let Some(there) = on(Cluster::with_lines(&lines), 20) else {
        return;
    };
    there.bench.edit("study.toml", "retries = 2", "retries = 0");
    there.bench.edit(
        "job.sh",
        "[ -e slow ] && sleep 4",
        "half=$FIESTA_CHECKPOINT/half\n[ -e $half ] && echo \"$(cat $half) $FIESTA_RUN\" >> went_on\necho $FIESTA_RUN > $half\nwhile [ -e slow ]; do sleep 0.2; done",
    );
    there.bench.file("slow", "");
    let running = begun(&there, 8);
    there.cluster.call(
        "sbatch",
        &[
            "--partition=urgent",
            "--array=1-8",
            "--job-name=urgent",
            "--output=/dev/null",
            "--wrap=sleep 4",
        ],
    );
    until("the places are taken", || {
        there
            .cluster
            .call("squeue", &["-h", "--name=urgent", "-t", "R"])
            .lines()
            .count()
            == 8
    });
    std::fs::remove_file(there.bench.path("slow")).unwrap();
    running
        .wait_for(Duration::from_mins(5))
        .says(code::DONE, &[]);
    let history = there.audit(20);
    let again = history.records.values().filter(|record| record.attempt > 0);
    assert!(again.count() >= 4, "the study's places were taken");
    let went_on = there.bench.log("went_on");
    assert!(went_on.len() >= 4, "{went_on:?}");
    assert!(went_on.iter().all(|line| line[0] != line[1]), "{went_on:?}");
}

#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn jobs_are_preempted_and_queued_again() {
    are_preempted("REQUEUE");
}

#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn jobs_are_preempted_and_cancelled() {
    are_preempted("CANCEL");
}

/// Tests jobs that end and are forgotten by Slurm without a controller: their results count.
#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn jobs_are_forgotten_by_the_queue() {
    let Some(there) = on(Cluster::with_lines("MinJobAge=2\n"), 30) else {
        return;
    };
    there.bench.file("slow", "");
    let running = begun(&there, 8);
    running.signal(Signal::KILL);
    running.wait();
    std::fs::remove_file(there.bench.path("slow")).unwrap();
    let is_forgotten = || there.cluster.tasks("all").is_empty();
    assert!(
        within(Duration::from_mins(1), is_forgotten),
        "{:?}",
        there.cluster.tasks("all")
    );
    let answered = there.bench.log("answered").len();
    assert!(answered >= 8);
    there.run();
    there.audit(30);
    assert_eq!(
        there.bench.log("answered").len(),
        30,
        "nothing was made twice"
    );
}

/// Tests that jobs are recognised by the names of their batches when the cluster reuses job
/// numbers, as after it lost its state.
#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn the_numbers_of_jobs_are_given_again() {
    let Some(mut there) = on(Cluster::start(), 30) else {
        return;
    };
    let running = begun(&there, 8);
    running.signal(Signal::KILL);
    running.wait();
    there.cluster.kill_controller();
    there.cluster.forget_all();
    there.cluster.start_controller();
    // Somebody else's array gets the number that the first batch had.
    there.cluster.call(
        "sbatch",
        &[
            "--array=1-2",
            "--job-name=stranger",
            "--output=/dev/null",
            "--wrap=sleep 1000",
        ],
    );
    let strangers = || {
        let listed = there
            .cluster
            .call("squeue", &["-h", "-r", "--name=stranger", "-o", "%F_%K"]);
        listed.lines().count()
    };
    let resume = || {
        let resume = ["update", "NodeName=n[1-2]", "State=RESUME"];
        there.cluster.call("scontrol", &resume);
        there
            .cluster
            .call("sinfo", &["-h", "-t", "idle,mixed,allocated", "-o", "%D"])
            .trim()
            == "2"
            && strangers() == 2
    };
    let listed = || {
        let jobs = there
            .cluster
            .call("squeue", &["-h", "-r", "-o", "%F_%K %j %T %r %B"]);
        format!(
            "{jobs}\n{}",
            there.cluster.call("sinfo", &["-N", "-o", "%N %T %E"])
        )
    };
    assert!(within(Duration::from_mins(1), resume), "{}", listed());
    let running = there.start(&["run", "study.toml"]);
    // Slurm drains nodes on which numbers of jobs meet.
    let are_answered = || resume() && there.bench.log("answered").len() >= 30;
    assert!(
        within(Duration::from_mins(2), are_answered),
        "{}\n{}",
        running.stderr(),
        listed()
    );
    running
        .wait_for(Duration::from_mins(2))
        .says(code::DONE, &[]);
    assert_eq!(strangers(), 2, "somebody else's jobs are as they were");
    there.cluster.call("scancel", &["--name=stranger"]);
    there.audit(30);
}

/// Tests that another user's `scancel` is not an arm's failure, even if its command then ends with
/// an error.
#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn jobs_are_cancelled_by_somebody_else() {
    let Some(there) = on(Cluster::start(), 30) else {
        return;
    };
    let job = there.bench.text("job.sh");
    there
        .bench
        .file("job.sh", &format!("trap 'exit 7' TERM\n{job}"));
    there.bench.edit(
        "job.sh",
        "sleep 4",
        "for i in 1 2 3 4 5 6 7 8 9; do sleep 0.3; done",
    );
    there.bench.file("slow", "");
    let running = begun(&there, 8);
    for task in there.cluster.tasks("R") {
        there.cluster.call("scancel", &[&task]);
    }
    std::fs::remove_file(there.bench.path("slow")).unwrap();
    running
        .wait_for(Duration::from_mins(5))
        .says(code::DONE, &[]);
    let history = there.audit(30);
    let failed = history.records.values().filter(|record| {
        let end = record
            .ending
            .as_ref()
            .and_then(|ending| ending.end.as_ref());
        !matches!(end, Some(End::Exited(0)))
    });
    assert_eq!(failed.count(), 0);
}

/// Tests a study whose directory is renamed while jobs run and wait, and no controller runs:
/// running jobs go on, and waiting jobs, whose script names the old place, are submitted again.
#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn a_study_is_moved_while_its_jobs_wait() {
    let Some(there) = on(Cluster::start(), 30) else {
        return;
    };
    let bench = &there.bench;
    bench.edit("study.toml", "parallel = 8", "parallel = 12");
    bench.edit("study.toml", "retries = 2", "retries = 0");
    engine::into_old(bench);
    let running = there.start(&["run", "old/study.toml"]);
    until("eight run, and four wait", || {
        bench.log("old/began").len() == 8 && there.cluster.tasks("PD").len() == 4
    });
    running.signal(Signal::KILL);
    running.wait();
    fs::rename(bench.path("old"), bench.path("new")).unwrap();
    let running = there.start(&["run", "new/study.toml"]);
    let withdrawn = there.cluster.tasks("PD");
    // Slurm has no place for them yet: those that wait now are others.
    until("what waited is handed in anew", || {
        let waiting = there.cluster.tasks("PD");
        waiting.len() == 4 && waiting.iter().all(|task| !withdrawn.contains(task))
    });
    fs::remove_file(bench.path("new/slow")).unwrap();
    let ran = running.wait_for(Duration::from_mins(3));
    ran.says(code::DONE, &["the study was moved before its job began"]);
    engine::made_once_in_new(bench, 30);
    assert!(there.cluster.tasks("PD,R,CG,S").is_empty());
}

/// Tests that Ctrl-C twice stops what runs and withdraws what waits, and that the study goes on
/// later.
#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn the_study_is_interrupted() {
    let Some(there) = on(Cluster::start(), 30) else {
        return;
    };
    there
        .bench
        .edit("study.toml", "parallel = 8", "parallel = 12");
    there.bench.edit("job.sh", "sleep 4", "sleep 3600");
    there.bench.file("slow", "");
    let running = begun(&there, 8);
    until("eight run, and four wait", || {
        there.cluster.tasks("R").len() == 8 && there.cluster.tasks("PD").len() == 4
    });
    running.signal(Signal::INT);
    until("what waited is withdrawn", || {
        there.cluster.tasks("PD").is_empty()
    });
    // Two within a tenth of a second are one.
    thread::sleep(Duration::from_millis(500));
    assert_eq!(there.cluster.tasks("R").len(), 8, "what runs is waited for");
    running.signal(Signal::INT);
    running
        .wait_for(Duration::from_secs(30))
        .says(code::INTERRUPTED, &[]);
    until("all are stopped", || there.cluster.tasks("R,CG").is_empty());
    fs::remove_file(there.bench.path("slow")).unwrap();
    there.run();
    there.audit(30);
}

/// Tests that a second Ctrl-C does not wait for Slurm's controller, which is gone: the runs stay on
/// the nodes, and are found again.
#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn the_study_is_interrupted_while_slurmctld_is_gone() {
    let Some(mut there) = on(Cluster::start(), 30) else {
        return;
    };
    there.bench.edit(
        "job.sh",
        "[ -e slow ] && sleep 4",
        "while [ -e slow ]; do sleep 0.2; done",
    );
    there.bench.file("slow", "");
    let running = there.start(&["run", "study.toml"]);
    until("jobs have begun", || there.bench.log("began").len() == 8);
    there.cluster.kill_controller();
    running.signal(Signal::INT);
    thread::sleep(Duration::from_secs(1));
    running.signal(Signal::INT);
    running.wait_for(Duration::from_mins(2)).says(
        code::INTERRUPTED,
        &[
            "left 8 runs on Slurm, which cannot be reached; `fiesta run` finds them again",
            "left 8 jobs running",
        ],
    );
    let left = there.bench.log("began");
    assert_eq!((left.len(), there.bench.log("answered").len()), (8, 0));
    fs::remove_file(there.bench.path("slow")).unwrap();
    until("they have ended on their nodes", || {
        there.bench.log("answered").len() == 8
    });
    there.cluster.start_controller();
    let running = there.start(&["run", "study.toml", "--quiet"]);
    resume_until_answered(&there, 30);
    end(&there, running, 30);
    assert_eq!(answered(&there.bench), 30, "what was left was made again");
}

/// Tests a batch that is submitted twice, as when the first answer is lost.
#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn a_batch_is_submitted_twice() {
    let Some(there) = on(Cluster::start(), 40) else {
        return;
    };
    // A sbatch that hands everything in twice, and then says that it failed.
    let real = there.cluster.call("sh", &["-c", "command -v sbatch"]);
    let fake = format!(
        "#!/bin/sh\ncat > script.$$\n{real} \"$@\" < script.$$ > /dev/null\n{real} \"$@\" < script.$$ > /dev/null\nrm script.$$\necho 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2\nexit 1\n",
        real = real.trim()
    );
    std::fs::create_dir(there.bench.path("bin")).unwrap();
    there.bench.file("bin/sbatch", &fake);
    std::process::Command::new("chmod")
        .args(["+x", "bin/sbatch"])
        .current_dir(there.bench.path(""))
        .status()
        .unwrap();
    let mut command = there.bench.command(&["run", "study.toml", "--quiet"]);
    let path = std::env::var("PATH").unwrap();
    command.envs(there.cluster.variables()).env(
        "PATH",
        format!("{}:{path}", there.bench.path("bin").display()),
    );
    let running = crate::support::Running::start(command);
    end(&there, running, 40);
    answered(&there.bench);
}

#[test]
#[ignore = "a cluster: scripts/test slurm"]
fn the_clocks_of_the_nodes_are_off() {
    let Some(there) = on(Cluster::with_clocks(&[Some("+90s"), Some("-90s")]), 30) else {
        return;
    };
    let running = begun(&there, 1);
    end(&there, running, 30);
}

/// Tests two thousand jobs that wait at a time, submitted as arrays.
#[test]
#[ignore = "heavy: minutes on a cluster"]
fn two_thousand_jobs_are_queued() {
    let Some(there) = on(Cluster::start(), 2100) else {
        return;
    };
    there
        .bench
        .edit("study.toml", "parallel = 8", "parallel = 2000");
    let running = there.start(&["run", "study.toml", "--quiet"]);
    let began = std::time::Instant::now();
    assert!(within(Duration::from_mins(1), || {
        there.cluster.tasks("PD,R,CG,CD").len() >= 1900
    }));
    eprintln!(
        "2,000 jobs were queued within {:.1} s",
        began.elapsed().as_secs_f64()
    );
    running
        .wait_for(Duration::from_mins(20))
        .says(code::DONE, &[]);
    there.audit(2100);
}
