//! Test of a machine that was restarted: a mount namespace of the test shows another boot
//! identifier.

use super::support::{Bench, Running, code, until};
use rustix::process::Signal;
use std::process::Command;

const BOOT: &str = "/proc/sys/kernel/random/boot_id";

fn after_another_boot(bench: &Bench, arguments: &[&str]) -> Option<Command> {
    bench.file("boot_id", "00000000-0000-4000-8000-000000000001\n");
    let script = format!("mount --bind \"$1\" {BOOT} && shift && exec \"$@\"");
    let may = Command::new("unshare")
        .args(["--mount", "sh", "-c", &script, "sh"])
        .arg(bench.path("boot_id"))
        .arg("true")
        .output();
    if !may.as_ref().is_ok_and(|output| output.status.success()) {
        crate::support::skipped_on_this_machine(format_args!(
            "no boot can be pretended here: {may:?}"
        ));
        return None;
    }
    let mut command = Command::new("unshare");
    command
        .args(["--mount", "sh", "-c", &script, "sh"])
        .arg(bench.path("boot_id"))
        .arg(env!("CARGO_BIN_EXE_fiesta"))
        .args(arguments)
        .current_dir(bench.path("."));
    Some(command)
}

#[test]
fn runs_of_an_earlier_boot_are_made_again_and_nobody_is_signalled() {
    let job = "echo $$ >> pids\n[ -e go ] || sleep 30\necho $1 $2 $3 >> made\necho '{\"accuracy\": 0.'$((500 + $3 % 99))'}'\n";
    let rest = "[goal]\nbudget = { evaluations = 4 }\n[design]\nparallel = 2\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"";
    let bench = Bench::with_job(job, rest);
    let running = bench.start(&["run", "study.toml"]);
    until("two jobs run", || bench.log("pids").len() == 2);
    running.signal(Signal::KILL);
    running.wait();
    bench.file("go", "");
    let Some(command) = after_another_boot(&bench, &["run", "study.toml"]) else {
        return;
    };
    let ran = Running::start(command).wait();
    ran.says(code::DONE, &["the machine was started anew"]);
    assert_eq!(bench.log("made").len(), 4);
    // The processes that have the old numbers are strangers, after a boot: they were left alone.
    let old: Vec<String> = bench.log("pids").concat().into_iter().take(2).collect();
    for pid in &old {
        assert!(super::support::is_alive(pid), "{pid} was signalled");
        let _ = Command::new("kill").args(["-KILL", pid]).status();
    }
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&status["evaluations"], &status["failed"]),
        (&4.into(), &0.into())
    );
}
