//! Test of a study whose jobs fill the disk that their logs are on.

use super::{Bench, arm, code};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A small file system in memory, mounted at this directory, and unmounted when it is dropped.
struct Mounted(PathBuf);

impl Mounted {
    fn at(path: &Path) -> Option<Self> {
        fs::create_dir_all(path).unwrap();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=3m", "tmpfs"])
            .arg(path)
            .output();
        if mount.as_ref().is_ok_and(|output| output.status.success()) {
            return Some(Self(path.to_owned()));
        }
        crate::support::skipped_on_this_machine(format_args!(
            "no disk can be filled here, as none can be mounted: {mount:?}"
        ));
        None
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn scores_count_whose_logs_found_no_room() {
    // By then, room for the end of the run has been reserved.
    let job = "filler=$(dirname $FIESTA_RESULT)/../filler
rm -f $filler; sleep 1.5
dd if=/dev/zero of=$filler bs=4k 2>> dd
echo 'all is well' || echo failed >> failed
echo '{\"accuracy\": 0.5}' || echo failed >> failed
";
    let rest = format!("[goal]\nbudget = {{ evaluations = 2 }}\n{}", super::TWO);
    let bench = Bench::with_job(job, &rest);
    let Some(_disk) = Mounted::at(&bench.path("study.fiesta/runs")) else {
        return;
    };
    let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
    ran.says(code::DONE, &[]);
    let result = ran.json();
    assert_eq!(
        (&result["evaluations"], &result["failed"]),
        (&2.into(), &0.into())
    );
    assert_eq!(arm(&result, "low")["mean"], 0.5);
    assert_eq!(bench.text("failed"), "", "a job saw an error");
    assert!(
        bench.text("dd").contains("No space left"),
        "{}",
        bench.text("dd")
    );
    for run in ["trial-0-a0", "trial-1-a0"] {
        let end = bench.text(&format!("study.fiesta/runs/{run}/end.json"));
        let end: serde_json::Value = serde_json::from_str(&end).unwrap();
        let rescued = &end["rescued"];
        assert_eq!(rescued["stdout"], "all is well\n{\"accuracy\": 0.5}\n");
        let reason = rescued["reason"].as_str().unwrap();
        assert!(reason.contains("No space left"), "{reason}");
    }
}
