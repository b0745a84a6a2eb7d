//! The text of a proposed study file.

use super::{
    Draft, Folds, Machine, fill_in,
    split::{Meaning, is_fold, meaning},
};
use crate::{
    pattern::{basic_string, quoted},
    study::placeholder::Placeholder,
};
use fiesta_core::Foreign;
use fiesta_policies::stopping::LEAST_EVALUATIONS;
use fiesta_records::words::few;

/// Number of arms from which on they are said to be many.
const MANY: usize = 12;
/// The goal of every proposed study.
pub(super) const GOAL: [&str; 5] = [
    "",
    "[goal]",
    "confidence = 0.95            # stop when one arm is the best with this probability …",
    "# budget = { evaluations = 60 }   # … and / or after so many jobs, or cost = \"40h\", wall = \"8h\"",
    "",
];

impl Draft {
    /// Returns the text of the study file, with comments.
    pub fn text(&self) -> String {
        let source = self.source.as_deref().and_then(|path| path.file_name());
        let source = source.map_or_else(
            || self.program_name().to_owned(),
            |name| name.to_string_lossy().into_owned(),
        );
        let mut lines = vec![
            format!(
                "# A study of {source}, proposed by `fiesta init`. What it means: fiesta run study.toml --check"
            ),
            format!("name    = {}", basic_string(&self.name)),
            format!("command = {}", array(&self.command)),
        ];
        if let Some(prompts) = &self.data.prompts {
            let prompts = basic_string(prompts);
            lines.push(format!("inputs  = [{prompts}]   # `run` asks whether old scores still count if it was edited"));
        }
        lines.extend(self.notes().iter().map(|note| format!("# {note}.")));
        let edits = self.edits().into_iter();
        lines.extend(edits.map(|own| format!("# to edit in {source}: {own}")));
        lines.push(String::new());
        lines.extend(self.metric());
        lines.extend(GOAL.map(ToOwned::to_owned));
        lines.extend(self.design());
        lines.push(String::new());
        lines.extend(resources(self.machine, self.uses_gpu));
        lines.push(String::new());
        lines.extend(self.candidates());
        // One line each, whatever a script calls its options.
        let lines = lines.iter().map(|line| format!("{}\n", Foreign::new(line)));
        lines.collect()
    }

    /// Returns notes about what the command does not give the script, with advice, one a line.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.gives(Placeholder::Arm) {
            notes.push("no option that chooses the model was found: put {arm} where it is named, or let the script read FIESTA_ARM".to_owned());
        } else if let Some(prompts) = &self.data.prompts {
            notes.push(format!(
                "{{arm}} and FIESTA_ARM are the name of a prompt in {prompts}"
            ));
        }
        let is_of_items = self.data.questions.is_some();
        let question = [Placeholder::Item, Placeholder::ItemFile];
        if is_of_items && !question.into_iter().any(|own| self.gives(own)) {
            notes.push("nothing gives the script its question: put {item_file} where a file with it, as JSON, is named, or let the script read FIESTA_ITEM, which names this file".to_owned());
        }
        if !is_of_items && !self.gives(Placeholder::Seed) && !self.gives(Placeholder::Split) {
            notes.push("no option for a seed or a split was found: give the script one, and put {seed} or {split} after it, or let it read FIESTA_SEED; else every evaluation of an arm is the same, and there is nothing to learn from a second one".to_owned());
        }
        if let Some(seed) = self
            .roles
            .seed
            .as_ref()
            .filter(|_| self.seed_splits && self.roles.split.is_none())
        {
            notes.push(format!(
                "{} also splits the data: {{split}} gives the k-th evaluation of every arm the same k, so that arms are compared on the same splits",
                seed.written.shown()
            ));
        }
        if let Some(split) = self.counts_from_one() {
            notes.push(format!(
                "{} counts from 1 and the splits of a study from 0: the shell adds 1",
                split.written.shown()
            ));
        }
        notes.extend(self.may_be_split());
        notes.extend(self.not_used());
        notes
    }

    /// Returns the options that were found and that the command does not give, in one line. `None` if
    /// there are none.
    fn not_used(&self) -> Option<String> {
        // A configuration may have hundreds of keys.
        let names = few(self.unused.iter().map(|own| own.written.shown()));
        let defaults = if self.unused.len() == 1 {
            "its default applies"
        } else {
            "their defaults apply"
        };
        (!names.is_empty()).then(|| format!("not used: {names} ({defaults})"))
    }

    /// Suggests what to do with an option that may choose the split, where no option was taken for
    /// the split.
    fn may_be_split(&self) -> Option<String> {
        if self.roles.split.is_some() || self.data.questions.is_some() {
            return None;
        }
        let may_be = |own: &&_| meaning(own) == Meaning::Perhaps && !self.roles.has(own);
        let option = self.options.iter().find(may_be)?;
        Some(format!(
            "{} may choose a split of the data: if it does, give it {{split}} in the command, and write splits = \"shared\" or how many there are",
            option.written.shown()
        ))
    }

    fn metric(&self) -> Vec<String> {
        let Some(score) = &self.score else {
            let what = fill_in("what is printed beside the score, such as accuracy: ([0-9.]+)");
            return vec![
                "[metric]".to_owned(),
                format!("name    = {}", basic_string("score")),
                "# Which line of what the script prints has the score? The parentheses stand around its number. Without".to_owned(),
                "# a pattern, the script prints a line of JSON last: {\"score\": 0.71}".to_owned(),
                format!("pattern = {}", quoted(&what)),
                "# percent = true             # the number is a percentage: the score is a hundredth of it".to_owned(),
                "# direction = \"minimize\"     # if less is better; bounds = [0.0, 1.0] makes any score outside an error".to_owned(),
            ];
        };
        let place = score.place();
        let pattern = match (&score.pattern, &score.printed) {
            (Some(pattern), printed) => format!(
                "pattern = {}   # {place} prints: {}; the last match counts",
                quoted(pattern),
                printed.as_deref().unwrap_or_default()
            ),
            _ => format!(
                "# {place} prints or writes it as JSON: {{\"{}\": …}}",
                score.metric
            ),
        };
        let name = format!("name    = {}", basic_string(&score.metric));
        let mut lines = vec!["[metric]".to_owned(), name, pattern];
        if score.is_percent {
            lines.push("percent = true               # 81.87 is the score 0.8187; leave it out if the number is a share".to_owned());
        }
        if score.is_cost {
            lines.push("direction = \"minimize\"".to_owned());
        }
        let bounds = if score.is_share {
            "bounds  = [0.0, 1.0]         # a score outside is an error"
        } else {
            "# bounds = [0.0, 1.0]        # makes any score outside an error"
        };
        lines.push(bounds.to_owned());
        lines
    }

    fn design(&self) -> Vec<String> {
        const SHARED: &str =
            "splits   = \"shared\"          # the k-th evaluation of every arm uses split k";
        let mut lines = vec!["[design]".to_owned()];
        let option = self.roles.split.as_ref();
        // Folds are those of the script, not of a seed that makes them anew.
        let is_of_seed = self.seed_splits && option.is_none() && !self.reads(Placeholder::Split);
        if let Some(questions) = &self.data.questions {
            lines.push(format!(
                "items    = {}   # {} questions; an evaluation asks one, and as many are asked as the verdict needs",
                basic_string(questions),
                self.data.count
            ));
        } else if !self.gives(Placeholder::Split) {
            lines.push("splits   = \"fixed\"           # one split of the data: evaluations differ in their seeds alone".to_owned());
        } else if let Some(folds) = self.folds.filter(|_| !is_of_seed) {
            let shown = option.map_or("FIESTA_SPLIT".to_owned(), |own| own.written.shown());
            let first = if option.is_some() { folds.first } else { 0 };
            lines.push(splits(&shown, Folds { first, ..folds }));
        } else if option.is_some_and(is_fold) {
            let what = fill_in(
                "how many folds there are, a number without quotes (eight or more, if that can be); without this line: random splits, as many as it takes",
            );
            lines.push(format!("splits   = {}", basic_string(&what)));
        } else if option.is_some() {
            lines.push(format!("{SHARED}; 800 if there are only 0 to 799"));
        } else {
            lines.push(SHARED.to_owned());
        }
        lines.push(parallel(self.machine, self.uses_gpu));
        lines.push("seed     = 1".to_owned());
        lines
    }

    fn candidates(&self) -> Vec<String> {
        let removable = "remove those that are not to be compared";
        let mut lines = vec![match (&self.data.prompts, &self.roles.arm) {
            (Some(prompts), _) => format!("# The prompts of {prompts}; {removable}."),
            (None, Some(option)) if option.choices.len() > 1 => {
                format!("# The values of {}; {removable}.", option.written.shown())
            }
            (None, Some(option)) => format!("# Values of {} to compare.", option.written.shown()),
            (None, None) => "# The candidates: what {arm} or FIESTA_ARM stands for, or a command of their own: command = [\"python\", …].".to_owned(),
        }];
        if self.arms.len() > MANY {
            let count = self.arms.len();
            lines.push(format!(
                "# There are {count}: each takes at least one evaluation."
            ));
        }
        let missing = ["the first candidate", "another candidate, to compare"].map(fill_in);
        let missing = missing.iter().skip(self.arms.len());
        for name in self.arms.iter().chain(missing) {
            lines.push("[[arm]]".to_owned());
            lines.push(format!("name = {}", basic_string(name)));
        }
        lines
    }
}

/// Returns words as an array of a study file.
pub(super) fn array(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| basic_string(word)).collect();
    format!("[{}]", words.join(", "))
}

/// Returns the line of the study file with the number of jobs at a time.
pub(super) fn parallel(Machine { cores, gpus }: Machine, uses_gpu: bool) -> String {
    let (parallel, reason) = if uses_gpu && gpus > 0 {
        (gpus, format!("one job for each of the {gpus} GPUs"))
    } else {
        (
            (cores / 4).clamp(1, 8),
            format!("jobs at a time, on {cores} cores; more if a job uses one core"),
        )
    };
    format!("parallel = {parallel}                 # {reason}")
}

/// Returns the lines of the study file on what a job gets.
pub(super) fn resources(machine: Machine, uses_gpu: bool) -> [String; 3] {
    let gpus = match machine.gpus {
        0 => "# gpus_per_job = 1           # none was found here".to_owned(),
        gpus => format!(
            "gpus_per_job = {}             # of the {gpus} here; 0.5 shares one between two jobs",
            u8::from(uses_gpu)
        ),
    };
    let timeout =
        "# timeout = \"2h\"             # a job that takes longer is stopped and has failed";
    ["[resources]".to_owned(), gpus, timeout.to_owned()]
}

/// Returns the line of the study file with the number of splits.
fn splits(option: &str, Folds { count, first }: Folds) -> String {
    let few = if count < LEAST_EVALUATIONS {
        "; with fewer than 8, no confidence is reached"
    } else {
        ""
    };
    format!(
        "splits   = {count:<17} # {option} from {first} to {}: an arm that has used them all is evaluated no more{few}",
        first + count - 1
    )
}
