//! The command of a study: a script, or a command with a script in it.

use super::{InitError, makefile};
use crate::file_error::FileError;
use crate::pattern::is_one;
use std::{
    env, fs,
    io::Read,
    path::{Path, PathBuf},
};

/// A script and the command that runs it.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// The words before the script's own arguments.
    pub(super) program: Vec<String>,
    /// The script's arguments that were given.
    pub(super) arguments: Vec<String>,
    /// The script's source file, if it was found.
    pub(super) path: Option<PathBuf>,
    pub(super) language: Language,
}

/// Languages of scripts whose source `init` can read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    Makefile,
    #[default]
    Other,
}

impl Script {
    /// Reads the script's source. The text is empty if none was found.
    pub(super) fn text(&self) -> Result<String, InitError> {
        let Some(path) = &self.path else {
            return Ok(String::new());
        };
        let text = fiesta_records::read_whole(path).map_err(FileError::of("read", path))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Returns a name for the study: the script's or, if that says nothing, its directory's.
    pub(super) fn name(&self, directory: &Path) -> String {
        let stem = self.path.as_deref().and_then(Path::file_stem);
        let stem = stem.and_then(|stem| stem.to_str()).unwrap_or_default();
        let of_directory = directory.file_name().and_then(|name| name.to_str());
        let says_nothing = is_one("train main run __main__ evaluate experiment", stem);
        let name = if says_nothing || stem.is_empty() || self.language == Language::Makefile {
            of_directory.unwrap_or("study")
        } else {
            stem
        };
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let name = name.chars().map(|c| if fits(c) { c } else { '-' });
        let name: String = name.take(100).collect();
        match name.trim_matches(['.', '-']) {
            "" => "study".to_owned(),
            name => name.to_owned(),
        }
    }
}

/// Names of scripts that are looked for if the user names none.
const USUAL: &str =
    "train.py main.py run.py experiment.py evaluate.py train.R main.R train.sh run.sh";

/// Returns the program that runs files with this path's extension.
fn of_extension(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_lowercase();
    Some(match extension.as_str() {
        "py" => "python",
        "r" => "Rscript",
        "sh" => "sh",
        "bash" | "zsh" => "bash",
        "jl" => "julia",
        "js" => "node",
        "pl" => "perl",
        "rb" => "ruby",
        _ => return None,
    })
}

/// Returns the program that runs a file, from its extension or its first line.
fn interpreter(path: &Path) -> Option<&'static str> {
    let by_extension = of_extension(path);
    if by_extension.is_some_and(|program| program != "sh") {
        return by_extension;
    }
    let mut begin = Vec::new();
    let file = fs::File::open(path).ok()?;
    file.take(200).read_to_end(&mut begin).ok()?;
    let begin = String::from_utf8_lossy(&begin);
    let first = begin
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("#!"));
    let mut known = ["python", "Rscript", "bash", "sh"].into_iter();
    let named = known.find(|name| first.is_some_and(|line| line.contains(name)));
    named.or(by_extension)
}

/// Finds the script that a command runs, from this directory.
pub(super) fn script(words: &[String], directory: &Path) -> Result<Script, InitError> {
    if words.is_empty() {
        return usual(directory);
    }
    let is_notebook = |word: &&String| {
        Path::new(word)
            .extension()
            .is_some_and(|own| own == "ipynb")
    };
    if let Some(notebook) = words.iter().find(is_notebook) {
        return Err(InitError::Refused(format!(
            "{notebook} is a notebook, and a study runs a command for each evaluation: turn it into a script first (jupyter nbconvert --to script {notebook}), and let it take its model and seed from its options or environment"
        )));
    }
    let is_there = |word: &String| directory.join(word).is_file();
    let is_makefile = makefile::NAMES.contains(&words[0].as_str()) && is_there(&words[0]);
    if words[0] == "make" || is_makefile {
        let mut names = makefile::NAMES.into_iter().map(|name| directory.join(name));
        return Ok(Script {
            program: vec!["make".to_owned()],
            arguments: words[1..].to_vec(),
            path: names.find(|path| path.is_file()),
            language: Language::Makefile,
        });
    }
    // A launcher, which may be a script of its own, stands before the one that it runs.
    let place = |is_script: fn(&Path) -> Option<&'static str>| {
        let fits = |word: &String| is_there(word) && is_script(&directory.join(word)).is_some();
        words.iter().position(fits)
    };
    if let Some(at) = place(of_extension).or_else(|| place(interpreter)) {
        let path = directory.join(&words[at]);
        let interpreter = interpreter(&path);
        let mut program = words[..=at].to_vec();
        if at == 0 {
            // A program of the user's own has no extension, and says itself what runs it.
            program = match interpreter.filter(|_| of_extension(&path).is_some()) {
                // The Python of an environment that is active is called python.
                Some("python") if !is_program("python") => {
                    vec!["python3".to_owned(), words[0].clone()]
                }
                Some(name) => vec![name.to_owned(), words[0].clone()],
                None if words[0].contains('/') => vec![words[0].clone()],
                None => vec![format!("./{}", words[0])],
            };
        }
        return Ok(Script {
            program,
            arguments: words[at + 1..].to_vec(),
            path: Some(path),
            language: match interpreter {
                Some("python") => Language::Python,
                _ => Language::Other,
            },
        });
    }
    // `python -m package.train`.
    if let Some(at) = words.iter().position(|word| word == "-m")
        && let Some(module) = words.get(at + 1)
    {
        let place = module.replace('.', "/");
        let found = [format!("{place}.py"), format!("{place}/__main__.py")];
        let path = found
            .iter()
            .map(|file| directory.join(file))
            .find(|path| path.is_file());
        return Ok(Script {
            program: words[..=at + 1].to_vec(),
            arguments: words[at + 2..].to_vec(),
            language: Language::Python,
            path,
        });
    }
    let is_known = is_there(&words[0]) || is_program(&words[0]);
    let mut scripts = words
        .iter()
        .filter(|word| of_extension(Path::new(word)).is_some());
    let missing = scripts
        .next()
        .or_else(|| words.first().filter(|_| !is_known));
    if let Some(missing) = missing {
        let near = near(directory, missing)
            .map_or_else(String::new, |near| format!("; did you mean {near}?"));
        let path = directory.join(missing);
        return Err(InitError::Refused(format!(
            "there is no {}{near}",
            path.display()
        )));
    }
    let mut program = vec![words[0].clone()];
    if is_there(&words[0]) && !words[0].contains('/') {
        program[0] = format!("./{}", words[0]);
    }
    Ok(Script {
        program,
        arguments: words[1..].to_vec(),
        ..Script::default()
    })
}

/// Returns the only script of the directory that has a usual name.
fn usual(directory: &Path) -> Result<Script, InitError> {
    let there = USUAL.split_whitespace();
    let there = there.filter(|name| directory.join(name).is_file());
    let there: Vec<String> = there.map(ToOwned::to_owned).collect();
    match there.as_slice() {
        [one] => script(std::slice::from_ref(one), directory),
        _ => Err(InitError::Unnamed(there)),
    }
}

/// Returns the file whose name is most like the name of a missing file beside it.
fn near(directory: &Path, missing: &str) -> Option<String> {
    let entries = fs::read_dir(directory).ok()?;
    let names = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    let alike = names.map(|name| (strsim::jaro_winkler(&name, missing), name));
    let best = alike.filter(|(likeness, _)| *likeness > 0.8);
    best.max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// Whether a program of this name is in one of the directories of `PATH`.
fn is_program(name: &str) -> bool {
    if name.contains('/') {
        return Path::new(name).is_file();
    }
    let places = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&places).any(|place| place.join(name).is_file())
}
