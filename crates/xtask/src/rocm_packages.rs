//! Downloads Debian's packages of AMD's real libraries and headers and unpacks them under the target directory. Tests load
//! the libraries and compare prototypes with the headers. Nothing is installed and root is not needed; apt keeps its state
//! in the same folder.
use crate::{Outcome, process, tree};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// A folder, the Debian release, the packages to unpack there, and whether to unpack their dependencies too.
const FOLDERS: &[(&str, &str, &[&str], bool)] = &[
    // HIP 5.2: its runtime and compiler run without a GPU.
    ("bookworm", "bookworm", &["libamdhip64-5", "libhiprtc-builtins5", "libamdhip64-dev"], true),
    // Headers of HIP 5.7.
    ("trixie", "trixie", &["libamdhip64-dev", "librocblas-dev", "librocsolver-dev"], false),
    // Headers of HIP 6 and later.
    (
        "sid",
        "sid",
        &["libamdhip64-dev", "librocblas-dev", "libmiopen-dev", "librocfft-dev", "librocsolver-dev"],
        false,
    ),
    // AMD's mathematical functions as bitcode, for `cargo xtask kernels` where they are not installed.
    ("device-libs", "bookworm", &["rocm-device-libs"], false),
];

/// Packages that every machine has. They are not unpacked, because their libraries must not be mixed with the machine's.
const OWN: [&str; 5] = ["libc6", "libgcc-s1", "libstdc++6", "gcc-", "libcrypt1"];

const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Unpacks the named folders, or all, unless they are complete.
pub fn run(args: &[String]) -> Outcome {
    if let Some(unknown) = args.iter().find(|a| FOLDERS.iter().all(|f| f.0 != *a)) {
        return Err(format!("no folder `{unknown}`").into());
    }
    for (name, suite, packages, recurse) in FOLDERS {
        if !args.is_empty() && args.iter().all(|a| a != name) {
            continue;
        }
        let folder = tree::target().join("rocm-packages").join(name);
        // The file names the packages, so that a folder from before a package was added is made again.
        let done = std::fs::read_to_string(folder.join("complete"));
        if !done.is_ok_and(|d| d == packages.join(" ")) {
            let apt = Command::new("apt-get").arg("--version").output();
            if apt.is_err() || !Path::new(KEYRING).exists() {
                println!(
                    "{name}: skipped, this machine has no apt-get or no {KEYRING}; the tests that need it are skipped too"
                );
                continue;
            }
            unpack(&folder, suite, packages, *recurse)?;
        }
        println!("{name}: {}", folder.display());
    }
    Ok(())
}

fn unpack(folder: &Path, suite: &str, packages: &[&str], recurse: bool) -> Outcome {
    let _ = std::fs::remove_dir_all(folder);
    let (state, cache, debs) = (folder.join("apt/state"), folder.join("apt/cache"), folder.join("apt/debs"));
    for f in [state.join("lists/partial"), cache.join("archives/partial"), debs.clone()] {
        std::fs::create_dir_all(f)?;
    }
    let sources = folder.join("apt/debian.sources");
    let text = format!(
        "Types: deb\nURIs: http://deb.debian.org/debian\nSuites: {suite}\nComponents: main\nSigned-By: {KEYRING}\n"
    );
    std::fs::write(&sources, text)?;
    std::fs::write(folder.join("apt/status"), "")?;
    let show = |p: &Path| p.display().to_string();
    let options: Vec<String> = [
        format!("Dir::State={}", show(&state)),
        format!("Dir::State::status={}", show(&folder.join("apt/status"))),
        format!("Dir::Cache={}", show(&cache)),
        format!("Dir::Etc::SourceList={}", show(&sources)),
        "Dir::Etc::SourceParts=-".into(),
        "APT::Architecture=amd64".into(),
        "APT::Sandbox::User=".into(),
        "Acquire::Languages=none".into(),
        "Acquire::Retries=3".into(),
        "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false".into(),
    ]
    .into_iter()
    .flat_map(|o| ["-o".to_string(), o])
    .collect();
    let apt = |program: &str, args: &[&str]| {
        let all: Vec<&str> = options.iter().map(String::as_str).chain(args.iter().copied()).collect();
        process::stdout_in(&debs, program, &all)
    };
    apt("apt-get", &["-qq", "update"])?;
    let mut wanted: BTreeSet<String> = packages.iter().map(|p| p.to_string()).collect();
    if recurse {
        let no = ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"]
            .map(|n| format!("--no-{n}"));
        let mut args = vec!["depends", "--recurse"];
        args.extend(no.iter().map(String::as_str));
        // Development packages are unpacked for their headers only, so their dependencies are not needed.
        args.extend(packages.iter().filter(|p| !p.ends_with("-dev")));
        let names = apt("apt-cache", &args)?;
        let plain = |l: &&str| {
            l.starts_with(|c: char| c.is_ascii_alphanumeric()) && !OWN.iter().any(|o| l.starts_with(o))
        };
        wanted.extend(names.lines().filter(plain).map(str::to_string));
    }
    let mut args = vec!["-qq", "download"];
    args.extend(wanted.iter().map(String::as_str));
    apt("apt-get", &args)?;
    for entry in std::fs::read_dir(&debs)? {
        let deb = entry?.path();
        process::run_in(&debs, "dpkg-deb", &["-x", &show(&deb), &show(folder)])?;
    }
    std::fs::remove_dir_all(folder.join("apt"))?;
    std::fs::write(folder.join("complete"), packages.join(" "))?;
    Ok(())
}
