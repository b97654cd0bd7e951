//! `cargo xtask <task> [arguments]`; without a task it lists all of them.
use std::process::ExitCode;
use xtask::tasks;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(name) = args.first() else {
        println!("{}", tasks::usage());
        return ExitCode::SUCCESS;
    };
    if ["help", "--help", "-h"].contains(&name.as_str()) {
        println!("{}", tasks::usage());
        return ExitCode::SUCCESS;
    }
    let Some(task) = tasks::find(name) else {
        eprintln!("no task `{name}`\n{}", tasks::usage());
        return ExitCode::from(2);
    };
    match task.run(&args[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("xtask {name}: {e}");
            ExitCode::FAILURE
        }
    }
}
