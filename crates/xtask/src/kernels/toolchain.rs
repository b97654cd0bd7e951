//! Finds clang, its linker and AMD's mathematical functions as bitcode.
use super::targets::Target;
use crate::{Outcome, tree};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where Debian's package has its bitcode.
const BITCODE: &str = "usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc";

/// A compiler for a target.
pub struct Toolchain {
    /// The compiler: a program and the arguments that come first.
    program: Vec<String>,
    /// A folder with a program named `lld`, if the compiler does not find its linker itself.
    path: Option<PathBuf>,
    /// Options of every compile.
    pub args: Vec<String>,
    /// Its version line.
    pub version: String,
}

impl Toolchain {
    /// Returns the first compiler that supports the target: Debian's clang, else that of ziglang.
    pub fn find(target: &Target, folder: &Path) -> Outcome<Toolchain> {
        let mut tried = Vec::new();
        let python = tree::root().join(".venv/bin/python").display().to_string();
        let words = |w: &[&str]| w.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        for program in [
            words(&["clang-19"]),
            words(&["zig", "clang"]),
            words(&["python-zig", "clang"]),
            words(&[&python, "-m", "ziglang", "clang"]),
            words(&["python3", "-m", "ziglang", "clang"]),
        ] {
            let asked = [
                &program[1..],
                &words(&["-nogpulib", "--target=amdgcn-amd-amdhsa", "-print-supported-cpus"])[..],
            ]
            .concat();
            let Ok(out) = Command::new(&program[0]).args(asked).output() else {
                tried.push(format!("{}: not found", program.join(" ")));
                continue;
            };
            let known =
                String::from_utf8_lossy(&out.stderr).into_owned() + &String::from_utf8_lossy(&out.stdout);
            if !known.split_whitespace().any(|w| w == target.name) {
                let why = if out.status.success() { "does not know the target" } else { "does not work" };
                tried.push(format!("{}: {why}", program.join(" ")));
                continue;
            }
            let version = Command::new(&program[0]).args(&program[1..]).arg("--version").output()?.stdout;
            let version = String::from_utf8_lossy(&version).lines().next().unwrap_or("").to_string();
            let zig = program.len() > 1;
            let path = if zig { Some(linker(folder, &program)?) } else { None };
            let mut tools = Toolchain { program, path, args: Vec::new(), version };
            tools.args = tools.options(target, folder)?;
            return Ok(tools);
        }
        let tried = tried.join("; ");
        Err(format!(
            "no clang for {}: {tried}. `cargo xtask tools kernels` installs what is missing",
            target.name
        )
        .into())
    }

    /// Runs the compiler.
    pub fn clang(&self, args: &[String]) -> Outcome {
        let mut command = Command::new(&self.program[0]);
        if let Some(folder) = &self.path {
            let old = std::env::var_os("PATH").unwrap_or_default();
            let all = std::iter::once(folder.clone()).chain(std::env::split_paths(&old));
            command.env("PATH", std::env::join_paths(all)?);
        }
        let out = command.args(&self.program[1..]).args(args).output()?;
        if out.status.success() {
            return Ok(());
        }
        let (program, args) = (self.program.join(" "), args.join(" "));
        Err(format!("failed: {program} {args}\n{}", String::from_utf8_lossy(&out.stderr)).into())
    }

    /// Returns the options of every compile. clang's own search expects a ROCm of its version, so the options exclude
    /// ROCm's headers and name two bitcode files.
    fn options(&self, target: &Target, folder: &Path) -> Outcome<Vec<String>> {
        let math = bitcode()?.display().to_string();
        let constants = self.constants(target, &folder.join(target.name))?.display().to_string();
        let arch = format!("--offload-arch={}", target.name);
        let object = format!("-mcode-object-version={}", target.object);
        let link = ["-Xclang", "-mlink-builtin-bitcode", "-Xclang"];
        let mut args: Vec<&str> =
            vec!["-x", "hip", "--offload-device-only", "--no-gpu-bundle-output", &arch, &object];
        args.extend(["-nogpuinc", "-nogpulib", "-nostdinc", "-O3"]);
        args.extend(link.into_iter().chain([math.as_str()]).chain(link).chain([constants.as_str()]));
        Ok(args.into_iter().map(String::from).collect())
    }

    /// Compiles the constants that the bitcode reads: the target's number, and flags that ask for exact results.
    fn constants(&self, target: &Target, folder: &Path) -> Outcome<PathBuf> {
        std::fs::create_dir_all(folder)?;
        let mut text = String::from("target triple = \"amdgcn-amd-amdhsa\"\n");
        for (name, bits, value) in [
            ("ISA_version", 32, target.isa),
            ("ABI_version", 32, target.object * 100),
            ("finite_only_opt", 8, 0),
            ("unsafe_math_opt", 8, 0),
            ("daz_opt", 8, 0),
            ("correctly_rounded_sqrt32", 8, 1),
            ("wavefrontsize64", 8, u32::from(target.wave == 64)),
        ] {
            let kind = "linkonce_odr hidden local_unnamed_addr addrspace(4) constant";
            text += &format!("@__oclc_{name} = {kind} i{bits} {value}\n");
        }
        let (source, made) = (folder.join("oclc.ll"), folder.join("oclc.bc"));
        tree::write(&source, &text)?;
        let (from, to) = (source.display().to_string(), made.display().to_string());
        let options =
            ["-nogpulib", "-x", "ir", "--target=amdgcn-amd-amdhsa", "-Wno-override-module", "-emit-llvm"];
        let args = options.into_iter().chain(["-c", &from, "-o", &to]);
        self.clang(&args.map(String::from).collect::<Vec<_>>())?;
        Ok(made)
    }
}

/// Returns the bitcode file with AMD's mathematical functions.
fn bitcode() -> Outcome<PathBuf> {
    let own = std::env::var_os("RUSHLIGHT_DEVICE_LIBS").map(|d| PathBuf::from(d).join("ocml.bc"));
    let unpacked = tree::target().join("rocm-packages/device-libs").join(BITCODE);
    let candidates: Vec<PathBuf> = own.into_iter().chain([Path::new("/").join(BITCODE), unpacked]).collect();
    let found = candidates.iter().find(|p| p.is_file()).cloned();
    found.ok_or_else(|| {
        let tried: Vec<String> = candidates.iter().map(|p| p.display().to_string()).collect();
        let tried = tried.join(", ");
        format!("no AMD device libraries: tried {tried}. `cargo xtask tools kernels` brings them (Debian: rocm-device-libs)").into()
    })
}

/// Makes a folder with a program `lld`, which clang calls as `lld -flavor gnu ..`. ziglang has that linker under another
/// name.
fn linker(folder: &Path, program: &[String]) -> Outcome<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let (bin, zig) = (folder.join("bin"), program[..program.len() - 1].join(" "));
    std::fs::create_dir_all(&bin)?;
    let file = bin.join("lld");
    tree::write(&file, &format!("#!/bin/sh\nshift 2\nexec {zig} ld.lld \"$@\"\n"))?;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755))?;
    Ok(bin)
}
