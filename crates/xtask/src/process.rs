//! Commands that tasks start.
use crate::{Outcome, tree};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The variable with the profile in which the pipeline builds: `release` for `make test`, otherwise unset.
pub const PROFILE: &str = "XTASK_PROFILE";

/// The number of commands that [`parallel`] runs at once.
const AT_ONCE: usize = 2;

/// Returns a command that runs in the workspace's root, without the library paths that `cargo run` adds.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(tree::root());
    if let Some(paths) = std::env::var_os("LD_LIBRARY_PATH") {
        let target = tree::target();
        let added = |p: &std::path::PathBuf| {
            let text = p.to_string_lossy();
            p.starts_with(&target) || text.contains("/rustlib/") || text.contains("/toolchains/")
        };
        let kept: Vec<_> = std::env::split_paths(&paths).filter(|p| !added(p)).collect();
        match std::env::join_paths(&kept) {
            Ok(paths) if !kept.is_empty() => command.env("LD_LIBRARY_PATH", paths),
            _ => command.env_remove("LD_LIBRARY_PATH"),
        };
    }
    command
}

/// Returns `cargo` with arguments.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args);
    command
}

/// Returns `make` for a target of the Makefile.
pub fn make(target: &str) -> Command {
    let mut command = command("make");
    command.args(["--no-print-directory", target]);
    command
}

/// Returns another task of this program.
pub fn task(args: &[&str]) -> Command {
    let mut command = cargo(&["xtask"]);
    command.args(args);
    command
}

/// Runs a command that prints to the terminal; its failure is an error.
pub fn run(command: &mut Command) -> Outcome {
    let words = show(command);
    let status = command.status().map_err(|e| format!("{words}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("failed: {words}").into()) }
}

/// Runs a command as [`run`] does, and calls a function with each line of its standard output.
pub fn lines(command: &mut Command, mut each: impl FnMut(&str)) -> Outcome {
    let words = show(command);
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|e| format!("{words}: {e}"))?;
    let out = child.stdout.take().ok_or("no output")?;
    for line in BufReader::new(out).lines() {
        let line = line?;
        println!("{line}");
        each(&line);
    }
    if child.wait()?.success() { Ok(()) } else { Err(format!("failed: {words}").into()) }
}

/// Runs a command and returns its standard output.
pub fn stdout(command: &mut Command) -> Outcome<String> {
    let words = show(command);
    let out = command.output().map_err(|e| format!("{words}: {e}"))?;
    if !out.status.success() {
        return Err(format!("failed: {words}\n{}", String::from_utf8_lossy(&out.stderr)).into());
    }
    Ok(String::from_utf8(out.stdout)?)
}

/// Runs a program in a folder as [`run`] does.
pub fn run_in(folder: &Path, program: &str, args: &[&str]) -> Outcome {
    run(Command::new(program).args(args).current_dir(folder))
}

/// Runs a program in a folder and returns its standard output.
pub fn stdout_in(folder: &Path, program: &str, args: &[&str]) -> Outcome<String> {
    stdout(Command::new(program).args(args).current_dir(folder))
}

/// Returns whether a command can be started and succeeds; prints nothing.
pub fn works(command: &mut Command) -> bool {
    command.output().is_ok_and(|out| out.status.success())
}

/// Returns whether a program is on `PATH`.
pub fn on_path(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}

/// Runs commands two at a time and prints the output of each when it ends. Starts no further one after a failure.
pub fn parallel(commands: Vec<Command>) -> Outcome {
    let count = commands.len();
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let commands: Vec<Mutex<Command>> = commands.into_iter().map(Mutex::new).collect();
    std::thread::scope(|s| {
        for _ in 0..AT_ONCE.min(count) {
            s.spawn(|| {
                while let Some(command) = commands.get(next.fetch_add(1, Relaxed)) {
                    let mut command = command.lock().unwrap_or_else(PoisonError::into_inner);
                    let words = show(&command);
                    let end = match command.output() {
                        Ok(out) => print(&words, &out),
                        Err(e) => Err(format!("{words}: {e}").into()),
                    };
                    if let Err(e) = end {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).push(e.to_string());
                        next.store(count, Relaxed);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n").into()) }
}

/// Prints what a command printed, in one piece.
fn print(words: &str, out: &Output) -> Outcome {
    let mut terminal = std::io::stdout().lock();
    writeln!(terminal, "{words}")?;
    terminal.write_all(&out.stdout)?;
    terminal.write_all(&out.stderr)?;
    terminal.flush()?;
    if out.status.success() { Ok(()) } else { Err(format!("failed: {words}").into()) }
}

/// Returns a command as text: the project's environment variables that it sets, the program and its arguments.
pub fn show(command: &Command) -> String {
    let set = command.get_envs().filter_map(|(k, v)| {
        let (k, v) = (k.to_str()?, v?.to_string_lossy());
        k.starts_with("RUSHLIGHT_").then(|| format!("{k}={v}"))
    });
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words = words.map(|w| w.to_string_lossy().into_owned());
    set.chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_runs_all_and_reports_the_failure() {
        let sh = |script: &str| {
            let mut c = command("sh");
            c.args(["-c", script]);
            c
        };
        assert!(parallel(vec![sh("true"), sh("true"), sh("true")]).is_ok());
        let error = parallel(vec![sh("true"), sh("exit 3")]).unwrap_err().to_string();
        assert_eq!(error, "failed: sh -c exit 3");
    }

    #[test]
    fn lines_are_passed_on() {
        let mut seen = Vec::new();
        let mut c = command("printf");
        lines(c.arg("a\\nb\\n"), |l| seen.push(l.to_string())).unwrap();
        assert_eq!(seen, ["a", "b"]);
        assert!(lines(&mut command("false"), |_| ()).is_err());
    }

    #[test]
    fn shown_commands_have_their_settings() {
        let mut c = command("x");
        c.args(["y", "z"]).env("RUSHLIGHT_SYNC", "1").env("OTHER", "2");
        assert_eq!(show(&c), "RUSHLIGHT_SYNC=1 x y z");
    }
}
