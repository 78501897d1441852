//! Other releases of Debian and Ubuntu with their ROCm, each in a folder of its own.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};

/// A distribution, which makes releases.
struct Distribution {
    /// As apt's `Origin` says.
    name: &'static str,
    /// The script of debootstrap that makes all of them; older ones do not know newer releases.
    script: &'static str,
    /// The archive's components that have ROCm and the packages that it needs.
    components: &'static str,
    /// The file in which debootstrap expects the keys with which the archive is signed.
    keyring: &'static str,
    /// Debian's package with these.
    keyring_package: &'static str,
}

const DEBIAN: Distribution = Distribution {
    name: "Debian",
    script: "sid",
    components: "main",
    keyring: "usr/share/keyrings/debian-archive-keyring.gpg",
    keyring_package: "debian-archive-keyring",
};

const UBUNTU: Distribution = Distribution {
    name: "Ubuntu",
    script: "gutsy",
    components: "main,universe",
    keyring: "usr/share/keyrings/ubuntu-archive-keyring.gpg",
    keyring_package: "ubuntu-keyring",
};

/// A release, and what is installed before anything is asked for.
struct Release {
    name: &'static str,
    distribution: &'static Distribution,
    /// The mirror's name for it.
    suite: &'static str,
    /// A suite on top of it, and which versions of ROCm's packages are taken from there.
    newer: Option<(&'static str, &'static str)>,
    packages: &'static str,
}

/// How packages of ROCm begin, as apt's preferences take it.
const ROCM: &str = "lib* roc* hip* amd*";

/// Compiler, runtime, and headers that the programs include.
const NEWER: &str = "hipcc libamdhip64-dev libhsa-runtime-dev libamd-comgr-dev librocprim-dev rocminfo g++ \
     gcc-offload-amdgcn libgomp-plugin-amdgcn1 gfortran";

/// The same with rocRAND, which Debian has for HIP 6 in unstable only.
const NEWEST: &str = "hipcc libamdhip64-dev libhsa-runtime-dev libamd-comgr-dev librocprim-dev librocrand-dev librocrand1 rocminfo \
     g++ gcc-offload-amdgcn libgomp-plugin-amdgcn1 gfortran";

const RELEASES: &[Release] = &[
    Release {
        name: "debian-12",
        distribution: &DEBIAN,
        suite: "bookworm",
        newer: None,
        packages: "hipcc libamdhip64-dev libhsa-runtime-dev libamd-comgr-dev librocprim-dev librocrand-dev \
                   rocm-device-libs lld g++",
    },
    Release {
        name: "debian-13",
        distribution: &DEBIAN,
        suite: "trixie",
        newer: None,
        packages: "hipcc libamdhip64-dev libhsa-runtime-dev libamd-comgr-dev librocprim-dev librocrand-dev \
                   librocrand1 lld-17 g++",
    },
    Release {
        name: "debian-testing",
        distribution: &DEBIAN,
        suite: "testing",
        newer: None,
        packages: NEWER,
    },
    Release {
        name: "debian-unstable",
        distribution: &DEBIAN,
        suite: "unstable",
        newer: None,
        packages: NEWER,
    },
    Release {
        name: "debian-experimental",
        distribution: &DEBIAN,
        suite: "unstable",
        newer: Some(("experimental", "7.2.*")),
        packages: NEWEST,
    },
    Release {
        name: "ubuntu-24.04",
        distribution: &UBUNTU,
        suite: "noble",
        newer: None,
        // (Not GCC for GPUs: its defaults there are options that it refuses for them.)
        packages: "hipcc libamdhip64-dev libhsa-runtime-dev libamd-comgr-dev librocprim-dev librocrand-dev \
                   librocrand1 rocminfo lld-17 g++",
    },
    Release {
        name: "ubuntu-26.04",
        distribution: &UBUNTU,
        suite: "resolute",
        newer: None,
        packages: NEWEST,
    },
];

/// A release that is there.
pub struct Environment {
    pub name: &'static str,
    root: PathBuf,
}

fn release(name: &str) -> Result<&'static Release> {
    let release = RELEASES.iter().find(|release| release.name == name);
    let release = release
        .with_context(|| format!("there is no environment {name}; there are {}", names()))?;
    ensure!(
        is_root()?,
        "{name} is made with debootstrap and entered with chroot: run this as root"
    );
    Ok(release)
}

/// The folder of all environments.
fn folder() -> PathBuf {
    std::env::var_os("LUTHIER_ROCM_ROOT")
        .map_or_else(|| crate::root().join("target/rocm"), PathBuf::from)
}

pub fn names() -> String {
    let names: Vec<_> = RELEASES.iter().map(|release| release.name).collect();
    names.join(", ")
}

impl Environment {
    /// The release of that name, made now if it is not there: in `$LUTHIER_ROCM_ROOT/NAME` or `target/rocm/NAME`.
    pub fn open(name: &str) -> Result<Environment> {
        let release = release(name)?;
        let environment = Environment {
            name: release.name,
            root: folder().join(name),
        };
        if !environment.root.join("usr/bin/apt-get").exists() {
            environment.bootstrap(release)?;
        }
        environment.install(release.packages)?;
        Ok(environment)
    }

    /// The release of that name with nothing but what every system has, made anew.
    pub fn clean(name: &str) -> Result<Environment> {
        let release = release(name)?;
        let environment = Environment {
            name: release.name,
            root: folder().join(format!("{name}-clean")),
        };
        environment.bootstrap(release)?;
        Ok(environment)
    }

    /// The release of that name with nothing but what every system has and what was installed since, made now if it is not there.
    pub fn kept(name: &str, purpose: &str) -> Result<Environment> {
        let release = release(name)?;
        let environment = Environment {
            name: release.name,
            root: folder().join(format!("{name}-{purpose}")),
        };
        if !environment.root.join("usr/bin/apt-get").exists() {
            environment.bootstrap(release)?;
        }
        Ok(environment)
    }

    /// Deletes it.
    pub fn remove(self) -> Result<()> {
        fs::remove_dir_all(&self.root)
            .with_context(|| format!("cannot delete {}", self.root.display()))
    }

    /// Its folder, as seen from outside.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path of the release, as seen from outside.
    pub fn inside(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// The folder with the upstream sources of a package, which are fetched at first.
    pub fn sources(&self, package: &str) -> Result<String> {
        const FETCH: &str = r#"
            mkdir -p "$3.unfinished"
            cd "$3.unfinished"
            echo "deb-src $1" > /etc/apt/sources.list.d/luthier-sources.list
            apt-get -q -o Acquire::Check-Valid-Until=false update
            apt-get -q source --download-only --tar-only "$2"
            rm /etc/apt/sources.list.d/luthier-sources.list
            tar -x --strip-components=1 -f "$2"_*.orig.tar.*
            mv "$3.unfinished" "$3"
        "#;
        let folder = format!("/opt/luthier-sources/{package}");
        if self.inside(&folder).exists() {
            return Ok(folder);
        }
        // The program that most of them are packed with.
        self.install("xz-utils")?;
        let release = release(self.name)?;
        let archive = format!(
            "{} {} {}",
            self.archive()?,
            release.suite,
            release.distribution.components.replace(',', " ")
        );
        let status = self
            .command("sh")
            .args(["-euc", FETCH, "-", &archive])
            .args([package, &folder])
            .stdout(std::io::stderr())
            .status()?;
        ensure!(
            status.success(),
            "the sources of {package} cannot be fetched in {}: {status}",
            self.name
        );
        Ok(folder)
    }

    fn bootstrap(&self, release: &Release) -> Result<()> {
        let distribution = release.distribution;
        let script = Path::new("/usr/share/debootstrap/scripts").join(distribution.script);
        ensure!(
            script.exists(),
            "{} is missing: apt-get install debootstrap",
            script.display()
        );
        let mirror = mirror(distribution)?;
        eprintln!(
            "Making {} from {} in {}",
            release.name,
            if mirror.is_empty() {
                "its own archive"
            } else {
                &mirror
            },
            self.root.display()
        );
        let keyring = keyring(distribution)?;
        // Files that an interrupted attempt left.
        if self.root.exists() {
            fs::remove_dir_all(&self.root)?;
        }
        fs::create_dir_all(&self.root)?;
        let status = Command::new("debootstrap")
            .arg("--variant=minbase")
            .arg(format!("--components={}", distribution.components))
            .arg(format!("--keyring={}", keyring.display()))
            .arg(release.suite)
            .arg(&self.root)
            .arg(&mirror)
            .arg(script)
            .status()
            .context("cannot run debootstrap")?;
        ensure!(status.success(), "debootstrap ended with {status}");
        if let Some((suite, versions)) = release.newer {
            self.add_suite(
                suite,
                &format!("Package: {ROCM}\nPin: version {versions}\nPin-Priority: 600\n"),
            )?;
        }
        Ok(())
    }

    /// The archive that it came from.
    fn archive(&self) -> Result<String> {
        let list = self.root.join("etc/apt/sources.list");
        let text = fs::read_to_string(&list).with_context(|| list.display().to_string())?;
        let mut words = text.split_whitespace().skip_while(|word| *word != "deb");
        let archive = words.nth(1).map(str::to_owned);
        archive.with_context(|| format!("{} names no archive", list.display()))
    }

    /// Lets apt have packages of another suite, as the preferences say.
    fn add_suite(&self, suite: &str, preferences: &str) -> Result<()> {
        let apt = self.root.join("etc/apt");
        fs::write(apt.join("preferences.d").join(suite), preferences)?;
        fs::write(
            apt.join("sources.list.d").join(format!("{suite}.list")),
            format!("deb {} {suite} main\n", self.archive()?),
        )?;
        Ok(())
    }

    /// Installs the packages that are missing. If several have `|` between them, it takes the first that the release has.
    pub fn install(&self, packages: &str) -> Result<()> {
        let is_installed = |package: &str| {
            let (package, _) = package.split_once('/').unwrap_or((package, ""));
            let list = self
                .root
                .join("var/lib/dpkg/info")
                .join(format!("{package}.list"));
            list.exists()
                || list
                    .with_file_name(format!("{package}:amd64.list"))
                    .exists()
        };
        let mut missing = Vec::new();
        for choices in packages.split_whitespace() {
            if !choices.split('|').any(is_installed) {
                missing.push(self.first_known(choices)?);
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        self.apt_install(&missing)
    }

    /// The first of some packages that apt has here; the last one if there is none.
    fn first_known<'a>(&self, choices: &'a str) -> Result<&'a str> {
        let mut last = choices;
        for package in choices.split('|') {
            last = package;
            if package == choices {
                break;
            }
            let mut command = self.command("apt-cache");
            let output = command.args(["madison", package]).output()?;
            if !output.stdout.is_empty() {
                break;
            }
        }
        Ok(last)
    }

    /// Lets apt have packages of Debian unstable where it is asked for them by that name, and only then.
    fn add_unstable(&self) -> Result<()> {
        let release = release(self.name)?;
        if release.suite == "unstable" {
            return Ok(());
        }
        ensure!(
            release.distribution.name == DEBIAN.name,
            "{} has no packages of Debian unstable",
            self.name
        );
        self.add_suite(
            "unstable",
            "Package: *\nPin: release a=unstable\nPin-Priority: 50\n",
        )
    }

    /// Names and versions of those packages that are installed.
    pub fn versions(&self, packages: &[&str]) -> Result<Vec<String>> {
        let mut command = self.command("dpkg-query");
        let output = command
            .args(["-W", "-f", "${Package} ${Version}\n"])
            .args(packages)
            .output()?;
        // (It fails where it does not know one of them, and lists the others.)
        let printed = String::from_utf8_lossy(&output.stdout);
        let lines = printed.lines().filter(|line| !line.ends_with(' '));
        Ok(lines.map(str::to_owned).collect())
    }

    /// Installs packages or package files, with what they need.
    pub fn apt_install(&self, packages: &[&str]) -> Result<()> {
        self.apt(&[&["--no-install-recommends"], packages].concat())
    }

    /// Like a user who knows no options of apt: with the recommended packages.
    pub fn apt_install_recommended(&self, packages: &[&str]) -> Result<()> {
        self.apt(packages)
    }

    fn apt(&self, packages: &[&str]) -> Result<()> {
        eprintln!("Installing in {}: {}", self.name, packages.join(" "));
        if packages
            .iter()
            .any(|package| package.ends_with("/unstable"))
        {
            self.add_unstable()?;
        }
        // Testing's index may be older than it says it is good for.
        let options = ["-q", "-o", "Acquire::Check-Valid-Until=false"];
        for arguments in [
            &["update"][..],
            &[&["install", "-y"], packages].concat(),
            &["clean"],
        ] {
            let status = self
                .command("apt-get")
                .env("DEBIAN_FRONTEND", "noninteractive")
                .args(options)
                .args(arguments)
                .stdout(std::io::stderr())
                .status()?;
            ensure!(
                status.success(),
                "apt-get {} in {} ended with {status}",
                arguments.join(" "),
                self.name
            );
        }
        Ok(())
    }

    /// A program of the release, with the repository where it is outside. Mounts end with it.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        const ENTER: &str = r#"
            root=$1 repository=$2
            shift 2
            mkdir -p "$root$repository"
            mount -t proc proc "$root/proc"
            mount --rbind /sys "$root/sys"
            mount --rbind /dev "$root/dev"
            mount --rbind "$repository" "$root$repository"
            exec chroot "$root" "$@"
        "#;
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "sh", "-euc", ENTER, "-"])
            .arg(&self.root)
            .arg(crate::root())
            .arg(program)
            // Folders outside may not be there inside.
            .env("TMPDIR", "/tmp")
            .env_remove("XDG_CACHE_HOME")
            // A release that lacks a library is no broken machine: programs that need it are left out.
            .env_remove("CI");
        command
    }

    /// Files that match a path with `*` in any of its parts.
    pub fn files(&self, pattern: &str) -> Result<Vec<String>> {
        let mut found = vec![String::new()];
        for part in pattern.split('/').filter(|part| !part.is_empty()) {
            let mut next = Vec::new();
            for folder in found {
                next.extend(self.matching(&folder, part)?);
            }
            found = next;
        }
        // A link leads where it does inside, not here.
        found.retain(|path| fs::symlink_metadata(self.inside(path)).is_ok_and(|it| it.is_file()));
        found.sort();
        if found.is_empty() {
            bail!("{} has no {pattern}", self.name);
        }
        Ok(found)
    }

    /// Paths of what lies in a folder and has a name like that; nothing where there is no such folder.
    fn matching(&self, folder: &str, name: &str) -> Result<Vec<String>> {
        if !name.contains('*') {
            return Ok(vec![format!("{folder}/{name}")]);
        }
        let inside = self.inside(folder);
        if !inside.is_dir() {
            return Ok(Vec::new());
        }
        let mut paths = Vec::new();
        for entry in
            fs::read_dir(&inside).with_context(|| format!("cannot list {}", inside.display()))?
        {
            let found = entry?.file_name().to_string_lossy().into_owned();
            if super::known::matches(name, &found) {
                paths.push(format!("{folder}/{found}"));
            }
        }
        Ok(paths)
    }
}

/// The source of Debian's packages for apt on this machine.
pub fn debian() -> Result<String> {
    mirror(&DEBIAN)
}

fn is_root() -> Result<bool> {
    let output = Command::new("id").arg("-u").output()?;
    Ok(output.stdout.trim_ascii() == b"0")
}

/// The URL from which apt gets packages of the distribution on this machine. For distributions other than Debian there usually is none; the
/// result is then empty, and debootstrap takes the archive that its script names.
fn mirror(distribution: &Distribution) -> Result<String> {
    let output = Command::new("apt-get")
        .args(["indextargets", "--format", "$(REPO_URI)"])
        .args(["Origin", "Label"].map(|field| format!("{field}: {}", distribution.name)))
        .output()
        .context("cannot run apt-get")?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    match printed.lines().next() {
        Some(first) => Ok(first.to_owned()),
        None if distribution.name != DEBIAN.name => Ok(String::new()),
        None => {
            bail!("apt knows no Debian archive here: add one to /etc/apt and run apt-get update")
        }
    }
}

/// The keys with which the distribution signs its archive: those installed here, or else of a package that Debian testing has.
fn keyring(distribution: &Distribution) -> Result<PathBuf> {
    const FETCH: &str = r#"
        mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
        cd "$1"
        echo "deb $2 testing main" > sources.list
        set -- "$3" -q -o Dir::Etc::SourceList="$1/sources.list" -o Dir::Etc::SourceParts=/dev/null \
            -o Dir::State::Lists="$1/lists" -o Dir::Cache="$1/cache" -o Acquire::Check-Valid-Until=false
        package=$1
        shift
        apt-get "$@" update
        apt-get "$@" download "$package"
        dpkg-deb -x "$package"_*.deb .
        rm -r lists cache
    "#;
    let installed = Path::new("/").join(distribution.keyring);
    let folder = folder().join(distribution.keyring_package);
    let fetched = folder.join(distribution.keyring);
    if installed.exists() {
        return Ok(installed);
    }
    if !fetched.exists() {
        let status = Command::new("sh")
            .args(["-euc", FETCH, "-"])
            .arg(&folder)
            .args([&mirror(&DEBIAN)?, distribution.keyring_package])
            .stdout(std::io::stderr())
            .status()?;
        ensure!(
            status.success() && fetched.exists(),
            "{} is missing, and {} cannot be fetched from Debian testing: {status}",
            installed.display(),
            distribution.keyring_package
        );
    }
    Ok(fetched)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_in_any_part_of_a_path_find_files_and_no_links() {
        let root = std::env::temp_dir().join(format!("luthier-files-{}", std::process::id()));
        for folder in ["usr/libblas4-tests", "usr/libblas5-tests", "usr/other"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in ["libblas5-tests/blas-test", "other/blas-test"] {
            fs::write(root.join("usr").join(file), "").unwrap();
        }
        std::os::unix::fs::symlink("/bin/sh", root.join("usr/libblas4-tests/blas-test")).unwrap();
        let environment = Environment {
            name: "here",
            root: root.clone(),
        };
        let found = environment.files("/usr/libblas*-tests/blas-*");
        let missing = environment.files("/usr/libsparse*/test");
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(found.unwrap(), ["/usr/libblas5-tests/blas-test"]);
        assert!(missing.is_err());
    }
}
