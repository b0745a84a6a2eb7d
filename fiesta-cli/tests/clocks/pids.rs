//! Test of process ids that are used again, in a pid namespace in which the kernel is told the next
//! id.

use super::support::Bench;
use std::process::Command;

/// Script that runs a study, kills controller, supervisors and jobs, gives the supervisors' process
/// ids to other processes, and resumes.
const SCRIPT: &str = r#"
fiesta=$1
set -m
"$fiesta" run study.toml --quiet >first 2>&1 &
controller=$!
until [ "$(wc -l < pids 2>/dev/null || echo 0)" -ge 2 ]; do sleep 0.02; done
supervisors=$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' study.fiesta/runs/*/meta.json | sort -n)
kill -KILL $controller; wait $controller 2>/dev/null
kill -KILL $supervisors $(cat pids)
sleep 0.3
for pid in $supervisors; do
    [ -e /proc/$pid ] && { echo "still there: $pid"; exit 3; }
    echo $((pid - 1)) > /proc/sys/kernel/ns_last_pid || exit 4
    sleep 300 &
    [ $! = $pid ] || { echo "no stranger at $pid but $!"; exit 5; }
done
touch go
"$fiesta" run study.toml >second 2>&1 || { cat second; exit 6; }
for pid in $supervisors; do
    grep -q sleep /proc/$pid/comm || { echo "a stranger was killed"; exit 7; }
done
grep -q "went without a word" second || { cat second; exit 8; }
kill -KILL $supervisors
"#;

#[test]
fn a_stranger_with_the_number_of_a_dead_supervisor_is_left_alone() {
    let job =
        "echo $$ >> pids\n[ -e go ] || sleep 300\necho '{\"accuracy\": 0.'$((500 + $3 % 99))'}'\n";
    let rest = "[goal]\nbudget = { evaluations = 4 }\n[design]\nparallel = 2\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"";
    let bench = Bench::with_job(job, rest);
    bench.file("script.sh", SCRIPT);
    let namespace = ["--pid", "--fork", "--mount-proc", "--kill-child"];
    let may = Command::new("unshare")
        .args(namespace)
        .args(["sh", "-c", "echo 99 > /proc/sys/kernel/ns_last_pid"])
        .output();
    if !may.as_ref().is_ok_and(|output| output.status.success()) {
        crate::support::skipped_on_this_machine(format_args!(
            "no number can be used again here: {may:?}"
        ));
        return;
    }
    let mut tried = Vec::new();
    // Somebody may have been given the number in between.
    for _ in 0..5 {
        let _ = std::fs::remove_dir_all(bench.path("study.fiesta"));
        for name in ["pids", "go"] {
            let _ = std::fs::remove_file(bench.path(name));
        }
        let ran = Command::new("unshare")
            .args(namespace)
            .args(["bash", "script.sh", env!("CARGO_BIN_EXE_fiesta")])
            .current_dir(bench.path("."))
            .output()
            .unwrap();
        match ran.status.code() {
            Some(0) => {
                let (_, status) = bench.json(&["status", "study.toml"]);
                assert_eq!(
                    (&status["evaluations"], &status["failed"]),
                    (&4.into(), &0.into())
                );
                return;
            }
            Some(3 | 5) => tried.push(ran),
            _ => panic!("{ran:?}"),
        }
    }
    crate::support::skipped_on_this_machine(format_args!(
        "no number could be used again: {tried:?}"
    ));
}
