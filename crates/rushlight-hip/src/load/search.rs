//! The folders in which ROCm's libraries are searched.
use std::path::{Path, PathBuf};

/// The environment variable with the highest priority.
pub(crate) const OWN: &str = "RUSHLIGHT_ROCM_PATH";

/// The search path for libraries: the environment, the default folders, and folders that the program adds.
///
/// The order: `RUSHLIGHT_ROCM_PATH` (a folder with the libraries, one with `lib` or `lib64`, or the file
/// `libamdhip64` itself; if it is set, nothing else is tried); a `libamdhip64` that the process has already loaded
/// (two of them do not share memory or streams); [added folders](Search::folder); `ROCM_PATH`, `ROCM_HOME`,
/// `HIP_PATH`; `/opt/rocm` in its old and new layouts; the linker's own search; and Fedora's folders per GPU.
///
/// ```
/// use rushlight_hip::Search;
/// let search = Search::from_env().folder("/srv/rocm/lib");
/// assert!(search.folders().iter().any(|f| f.ends_with("srv/rocm/lib")));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    own: Option<PathBuf>,
    added: Vec<PathBuf>,
    env: Vec<PathBuf>,
    root: PathBuf,
}

impl Search {
    /// Reads the environment.
    pub fn from_env() -> Self {
        let path = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        Self {
            own: path(OWN).map(absolute),
            added: Vec::new(),
            env: ["ROCM_PATH", "ROCM_HOME", "HIP_PATH"].into_iter().filter_map(path).map(absolute).collect(),
            root: PathBuf::from("/"),
        }
    }

    /// Adds a folder, which is searched after the libraries of the process and before the folders of the environment.
    /// Use it if a package manager reports the folder.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.added.push(absolute(folder.into()));
        self
    }

    /// Uses another folder as `/`, for example the file system of a container.
    pub fn root(mut self, root: impl Into<PathBuf>) -> Self {
        self.root = absolute(root.into());
        self
    }

    /// Returns the value of `RUSHLIGHT_ROCM_PATH`, made absolute.
    pub fn own(&self) -> Option<&Path> {
        self.own.as_deref()
    }

    /// Returns the folders to search, in order: only those of `RUSHLIGHT_ROCM_PATH` if it is set.
    pub fn folders(&self) -> Vec<PathBuf> {
        if let Some(own) = &self.own {
            let own = if own.is_file() { own.parent().unwrap_or(own) } else { own };
            return vec![own.to_path_buf(), own.join("lib"), own.join("lib64")];
        }
        let mut all = self.added.clone();
        for base in &self.env {
            all.extend([base.join("lib"), base.join("lib64")]);
        }
        let opt = self.root.join("opt");
        let rocm = opt.join("rocm");
        let lib = |base: PathBuf| base.join("lib");
        all.push(rocm.join("core/lib"));
        all.extend(versions(&rocm, "core-").into_iter().map(lib));
        all.push(rocm.join("lib"));
        all.extend(versions(&opt, "rocm-").into_iter().map(lib));
        let mut once = Vec::new();
        all.retain(|f| {
            let new = !once.contains(f);
            once.push(f.clone());
            new
        });
        all
    }

    /// Returns the folders to search after the linker's own: Fedora's and openSUSE's builds per GPU.
    pub(super) fn last_folders(&self) -> Vec<PathBuf> {
        let mut found = subfolders(&self.root.join("usr/lib64/rocm"));
        found.sort();
        std::iter::once(self.root.join("usr/lib64/rocm/lib"))
            .chain(found.into_iter().map(|f| f.join("lib")))
            .collect()
    }

    /// Returns the file that `RUSHLIGHT_ROCM_PATH` names, if it names a file.
    pub(super) fn own_file(&self) -> Option<&Path> {
        self.own.as_deref().filter(|p| p.is_file())
    }
}

fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().map(|e| e.path()).filter(|p| p.is_dir()).collect()
}

/// Returns the folders `<prefix>X.Y.Z`, newest version first.
fn versions(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let version = |p: &PathBuf| -> Option<Vec<u64>> {
        let name = p.file_name()?.to_str()?.strip_prefix(prefix)?;
        Some(name.split(['.', '-']).map(|n| n.parse().unwrap_or(0)).collect())
    };
    let mut found: Vec<(Vec<u64>, PathBuf)> =
        subfolders(folder).into_iter().filter_map(|p| Some((version(&p)?, p))).collect();
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, p)| p).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let root = std::env::temp_dir().join(format!("rushlight-hip-search-{}", std::process::id()));
        for f in
            ["opt/rocm/core-7.9/lib", "opt/rocm/core-10.0/lib", "opt/rocm-6.4.1/lib", "opt/rocm-6.10/lib"]
        {
            std::fs::create_dir_all(root.join(f)).unwrap();
        }
        let search =
            Search { own: None, added: vec!["/a".into()], env: vec!["/e".into()], root: root.clone() };
        let found = search.folders();
        let want = [
            "/a".into(),
            "/e/lib".into(),
            "/e/lib64".into(),
            root.join("opt/rocm/core/lib"),
            root.join("opt/rocm/core-10.0/lib"),
            root.join("opt/rocm/core-7.9/lib"),
            root.join("opt/rocm/lib"),
            root.join("opt/rocm-6.10/lib"),
            root.join("opt/rocm-6.4.1/lib"),
        ];
        std::fs::remove_dir_all(&root).unwrap();
        assert_eq!(found, want);
    }
}
