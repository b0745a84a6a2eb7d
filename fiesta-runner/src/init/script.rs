//! The command of a study: a script, or a command with a script in it.

use super::InitError;
use std::{
    env, fs,
    io::Read,
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
    pub(super) is_python: bool,
}

/// Scripts that are looked for where none is named.
const USUAL: &str =
    "train.py main.py run.py experiment.py evaluate.py train.R main.R train.sh run.sh";

/// The program that runs files with the extension of this one.
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

/// The program that runs a file, by its extension or its first line.
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
                Some("python") if find_program("python").is_none() => {
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
            is_python: interpreter == Some("python"),
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
            is_python: path.is_some(),
            path,
        });
    }
    let missing = words
        .iter()
        .find(|word| of_extension(Path::new(word.as_str())).is_some());
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
        is_python: false,
    })
}

/// The one script of the directory that has a usual name.
fn usual(directory: &Path) -> Result<Script, InitError> {
    let there = USUAL.split_whitespace();
    let there = there.filter(|name| directory.join(name).is_file());
    let there: Vec<String> = there.map(ToOwned::to_owned).collect();
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
