//! The command of a study: a script, or a command with a script in it.

use super::{InitError, source::Language};
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// A script and the command that runs it.
#[derive(Debug)]
pub(super) struct Script {
    /// The words before the script's own arguments.
    pub(super) program: Vec<String>,
    /// The script's arguments that were given.
    pub(super) arguments: Vec<String>,
    /// Where its source is, if it was found.
    pub(super) path: Option<PathBuf>,
    pub(super) language: Option<Language>,
}

/// Scripts that are looked for where none is named.
const USUAL: [&str; 9] = [
    "train.py",
    "main.py",
    "run.py",
    "experiment.py",
    "evaluate.py",
    "train.R",
    "main.R",
    "train.sh",
    "run.sh",
];

fn language(path: &Path) -> Option<Language> {
    let extension = path.extension()?.to_str()?;
    match extension.to_lowercase().as_str() {
        "py" => Some(Language::Python),
        "r" => Some(Language::R),
        "sh" | "bash" | "zsh" => Some(Language::Shell),
        _ => None,
    }
}

/// The language that the first line of a script names.
fn language_of(path: &Path) -> Option<Language> {
    language(path).or_else(|| {
        let text = fs::read_to_string(path).ok()?;
        let first = text.lines().next()?.strip_prefix("#!")?.to_owned();
        [
            ("python", Language::Python),
            ("Rscript", Language::R),
            ("sh", Language::Shell),
        ]
        .into_iter()
        .find(|(name, _)| first.contains(name))
        .map(|(_, language)| language)
    })
}

/// The script that these words run, from this directory.
pub(super) fn script(words: &[String], directory: &Path) -> Result<Script, InitError> {
    if words.is_empty() {
        return usual(directory);
    }
    if let Some(notebook) = words.iter().find(|word| {
        Path::new(word)
            .extension()
            .is_some_and(|own| own == "ipynb")
    }) {
        return Err(InitError::Notebook(notebook.clone()));
    }
    let is_there = |word: &String| directory.join(word).is_file();
    let at = words
        .iter()
        .position(|word| is_there(word) && language_of(&directory.join(word)).is_some());
    if let Some(at) = at {
        let path = directory.join(&words[at]);
        let language = language_of(&path);
        let mut program = words[..=at].to_vec();
        if at == 0 {
            // A program of the user's own has no extension, and says itself what runs it.
            program = match self::language(&path) {
                Some(_) => interpreter(language, &path, &words[0]),
                None if words[0].contains('/') => vec![words[0].clone()],
                None => vec![format!("./{}", words[0])],
            };
        }
        return Ok(Script {
            program,
            arguments: words[at + 1..].to_vec(),
            path: Some(path),
            language,
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
            language: path.is_some().then_some(Language::Python),
            path,
        });
    }
    let missing = words
        .iter()
        .find(|word| language(Path::new(word.as_str())).is_some());
    if let Some(missing) = missing {
        return Err(InitError::NoScript {
            path: directory.join(missing),
            near: near(directory, missing),
        });
    }
    if !is_there(&words[0]) && find_program(&words[0]).is_none() {
        return Err(InitError::NoScript {
            path: directory.join(&words[0]),
            near: near(directory, &words[0]),
        });
    }
    let mut program = vec![words[0].clone()];
    if is_there(&words[0]) && !words[0].contains('/') {
        program[0] = format!("./{}", words[0]);
    }
    Ok(Script {
        program,
        arguments: words[1..].to_vec(),
        path: None,
        language: None,
    })
}

/// The one script of the directory that has a usual name.
fn usual(directory: &Path) -> Result<Script, InitError> {
    let there: Vec<String> = USUAL
        .into_iter()
        .filter(|name| directory.join(name).is_file())
        .map(ToOwned::to_owned)
        .collect();
    match there.as_slice() {
        [one] => script(std::slice::from_ref(one), directory),
        _ => Err(InitError::Unnamed(there)),
    }
}

/// The file beside a missing one whose name is most like it.
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

/// The words that run a script that was named alone.
fn interpreter(language: Option<Language>, path: &Path, word: &str) -> Vec<String> {
    let program = match language {
        // That of an environment that is active is called python.
        Some(Language::Python) if find_program("python").is_none() => "python3",
        Some(Language::Python) => "python",
        Some(Language::R) => "Rscript",
        _ => {
            let text = fs::read_to_string(path).unwrap_or_default();
            let first = text.lines().next().unwrap_or_default();
            if first.contains("bash") || path.extension().is_some_and(|own| own == "bash") {
                "bash"
            } else {
                "sh"
            }
        }
    };
    vec![program.to_owned(), word.to_owned()]
}

/// A program in one of the directories of `PATH`.
fn find_program(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        let path = PathBuf::from(name);
        return path.is_file().then_some(path);
    }
    let places = env::var_os("PATH")?;
    env::split_paths(&places)
        .map(|place| place.join(name))
        .find(|path| path.is_file())
}
