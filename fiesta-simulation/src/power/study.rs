//! The study that is recorded: three arms, one evaluation that fails, one that is retried, and two
//! that take longer than a second.

use fiesta_core::Evaluation;
use fiesta_runner::executor::{Call, Calls};
use serde::{Deserialize, Serialize};
use std::{sync::Arc, thread, time::Duration};

/// Number of evaluations of the study.
pub const EVALUATIONS: usize = 14;
/// Names of the arms.
pub const ARMS: [&str; 3] = ["a", "b", "c"];
/// What the recorded program says when the study has its conclusion.
pub const RETURNED: &str = "returned";
/// Runs that take long, each with its milliseconds. The last one goes on when all others have ended.
const LONG: [(&str, u64); 2] = [("power-3-a0", 1100), ("power-13-a0", 2000)];
/// Run that is lost, and made again.
const LOST: &str = "power-5-a0";

/// What the study's jobs are: functions of a program, or commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jobs {
    /// Functions of the program that runs the study.
    Calls,
    /// Commands, each with a supervisor.
    Commands,
}

/// How long the evaluations take, and whether one is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Evaluations take as long as they do when they are recorded.
    AsTheyAre,
    /// No evaluation takes long, and none is lost.
    Fast,
}

/// An evaluation whose end the user was told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// Number of the evaluation.
    pub id: u64,
    /// Index of the evaluation's arm.
    pub arm: usize,
    /// Split of the evaluation.
    pub split: u64,
    /// Seed of the evaluation.
    pub seed: u64,
    /// Seconds that it took.
    pub seconds: f64,
}

/// Returns what the recorded program says of an evaluation that ended.
///
/// # Panics
/// Never: numbers can always be written.
pub fn said(evaluation: &Evaluation, seconds: f64) -> String {
    let told = Told {
        id: evaluation.id.0,
        arm: evaluation.arm.index(),
        split: evaluation.case.split,
        seed: evaluation.case.seed,
        seconds,
    };
    serde_json::to_string(&told).expect("numbers")
}

/// Text of the study file.
pub fn text(jobs: Jobs) -> String {
    let (kind, command) = match jobs {
        Jobs::Calls => ("executor.kind = \"functions\"", ""),
        Jobs::Commands => (
            "",
            ", command = [\"sh\", \"job.sh\", \"{arm}\", \"{split}\", \"{seed}\"]",
        ),
    };
    let arms = ARMS.map(|arm| format!("{{ name = \"{arm}\"{command} }}"));
    format!(
        "name = \"power\"\n{kind}\nmetric.name = \"score\"\n
         goal.budget.evaluations = {EVALUATIONS}\n\
         design = {{ policy = \"ttts\", posterior = \"pooled\", parallel = 2, seed = 1 }}\n\
         arm = [{}]\n",
        arms.join(", ")
    )
}

/// Text of the script that the commands run. It notes its run outside of the study's directory.
pub fn script() -> String {
    let [(first, first_ms), (last, last_ms)] = LONG;
    format!(
        r#"echo "$FIESTA_RUN" >>../calls
if [ ! -e ../fast ]; then
    case $FIESTA_RUN in
    {first}) sleep {:.1} ;;
    {last}) sleep {:.1} ;;
    {LOST}) kill -9 $$ ;;
    esac
fi
if [ "$1" = b ] && [ "$2" = 1 ]; then exit 3; fi
case $1 in a) base=5 ;; b) base=6 ;; *) base=7 ;; esac
printf '{{"score": 0.%d%03d}}\n' $base $(($3 % 1000))
"#,
        Duration::from_millis(first_ms).as_secs_f64(),
        Duration::from_millis(last_ms).as_secs_f64()
    )
}

/// Returns the score of an evaluation. `None` if it fails.
pub fn score(arm: usize, split: u64, seed: u64) -> Option<f64> {
    let fails = arm == 1 && split == 1;
    let text = format!("0.{}{:03}", 5 + arm, seed % 1000);
    text.parse().ok().filter(|_| !fails)
}

/// Answers the calls of the study in two threads, until there are none. `before` is told of each.
pub fn answer(calls: &Calls, pace: Pace, before: impl Fn(&Call) + Send + Sync + 'static) {
    let before = Arc::new(before);
    for _ in 0..2 {
        let (calls, before) = (calls.clone(), Arc::clone(&before));
        thread::spawn(move || {
            while let Some(call) = calls.next() {
                before(&call);
                let run = call.run().as_str();
                if pace == Pace::AsTheyAre {
                    if run == LOST {
                        call.lose("its program broke down");
                        continue;
                    }
                    let long = LONG.iter().find(|(long, _)| *long == run);
                    let milliseconds = long.map_or(20, |(_, milliseconds)| *milliseconds);
                    thread::sleep(Duration::from_millis(milliseconds));
                }
                let arm = ARMS.iter().position(|arm| *arm == call.arm());
                let split = call.split().unwrap_or_default();
                let score = arm.and_then(|arm| score(arm, split, call.seed()));
                call.finish(score.map(Into::into).ok_or_else(|| "it failed".to_owned()));
            }
        });
    }
}
