//! Waits for a process that may never end. Limits are in the processor time of the process itself, without that of the
//! compilers that it starts, so that other programs on a busy machine do not count.
use crate::Outcome;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// The limits beyond which a process is ended.
pub struct Limits {
    /// Total processor time.
    pub late: Duration,
    /// Processor time without a line of output.
    pub hang: Duration,
    /// Real time without a line of output, for a process that waits for ever and computes nothing.
    pub still: Duration,
}

/// The outcome of a process.
pub struct Seen {
    pub status: ExitStatus,
    /// The last line that it printed.
    pub last: String,
    pub hung: bool,
    pub late: bool,
}

/// Returns the processor time of the process itself; `None` once it has ended.
fn computed(pid: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Reads fields 14 and 15 of proc(5), in hundredths of a second, behind the last bracket: the program's name in brackets
    // may contain any text.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (next()? + next()?)))
}

/// Reads the lines of a process, whose stdout is a pipe, until it ends or is given up.
pub fn watch(child: &mut Child, limits: &Limits) -> Outcome<Seen> {
    let out = child.stdout.take().ok_or("no output")?;
    let (tell, told) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        use std::io::BufRead;
        for line in std::io::BufReader::new(out).lines().map_while(Result::ok) {
            if tell.send(line).is_err() {
                return;
            }
        }
    });
    let (mut last, mut spoke, mut at) = (String::new(), Instant::now(), Duration::ZERO);
    let (mut hung, mut late) = (false, false);
    while !hung && !late {
        let word = told.recv_timeout(Duration::from_millis(200));
        let now = computed(child.id()).unwrap_or(at);
        match word {
            Ok(line) => (last, spoke, at) = (line, Instant::now(), now),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                hung = now.saturating_sub(at) > limits.hang || spoke.elapsed() > limits.still;
            }
        }
        late = now > limits.late;
    }
    if hung || late {
        child.kill()?;
    }
    let status = child.wait()?;
    drop(told);
    // Child processes may keep the pipe open.
    if !hung && !late {
        reader.join().map_err(|_| "the reader failed")?;
    }
    Ok(Seen { status, last, hung, late })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    const LIMITS: Limits = Limits {
        late: Duration::from_secs(60),
        hang: Duration::from_millis(300),
        still: Duration::from_secs(60),
    };
    const BUSY: &str = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";

    fn seen(script: &str, limits: &Limits) -> Seen {
        let mut child = Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        watch(&mut child, limits).unwrap()
    }

    #[test]
    fn a_compiler_that_takes_long_does_not_count_as_a_hang() {
        let start = Instant::now();
        let done = seen(&format!("echo a; sh -c '{BUSY}; sleep 1'; echo b; exit 1"), &LIMITS);
        assert!(start.elapsed() > 3 * LIMITS.hang, "it took long");
        assert!(!done.hung && !done.late);
        assert_eq!((done.last.as_str(), done.status.code()), ("b", Some(1)));
    }

    #[test]
    fn a_process_that_computes_and_says_nothing_is_a_hang() {
        let done = seen("echo a; while :; do :; done", &LIMITS);
        assert!(done.hung && !done.late && done.last == "a");
        let still = Limits { still: Duration::from_millis(300), ..LIMITS };
        assert!(seen("echo a; exec sleep 60", &still).hung);
    }

    #[test]
    fn a_process_that_says_much_is_late() {
        let limits = Limits { late: Duration::from_millis(300), ..LIMITS };
        let done = seen("while :; do echo a; done", &limits);
        assert!(done.late && !done.hung);
    }
}
