//! A container image: Debian with HIP, ROCr and Luthier, as an archive that Docker, Podman and skopeo take. It needs no root.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::{command::done, rocm::environment};

const RELEASE: &str = "bookworm";
/// The packages that Luthier's package recommends there, and those that fetches over HTTPS need.
const PACKAGES: &str = "libamdhip64-5,libhsa-runtime64-1,ca-certificates";
/// Files that are not read in a container. Licences stay.
const LEFT_OUT: [&str; 5] = [
    "path-exclude=/usr/share/man/*",
    "path-exclude=/usr/share/locale/*",
    "path-exclude=/usr/share/doc/*",
    "path-include=/usr/share/doc/*/copyright",
    "path-include=/usr/share/doc/luthier/*",
];
/// The image's name in the archive.
const NAME: &str = "luthier";

/// Writes the archive.
pub fn make(archive: &Path, package: &Path, version: &str, date: &str) -> Result<()> {
    let work = archive.with_extension("making");
    if work.exists() {
        fs::remove_dir_all(&work)?;
    }
    fs::create_dir_all(&work)?;
    let (system, layout) = (work.join("system.tar"), work.join("layout"));
    make_system(&system, &package.canonicalize()?, date)?;
    make_layout(&layout, &system, version, date)?;
    pack(archive, &layout, date)?;
    let size = fs::metadata(archive)?.len();
    ensure!(
        size <= MOST,
        "the image has {size} bytes, and may have {MOST}"
    );
    fs::remove_dir_all(&work).context("cannot remove what the image was made of")
}

/// Runs the demonstration in a container of the image, as Docker would; what is wrong.
pub fn try_out(archive: &Path, work: &Path) -> Result<Vec<String>> {
    if work.exists() {
        fs::remove_dir_all(work)?;
    }
    let (layout, bundle) = (work.join("layout"), work.join("bundle"));
    fs::create_dir_all(&layout)?;
    done(
        Command::new("tar")
            .arg("-xf")
            .arg(archive)
            .arg("-C")
            .arg(&layout),
    )?;
    done(
        Command::new("umoci")
            .args(["unpack", "--image", &format!("{}:{NAME}", layout.display())])
            .arg(&bundle),
    )?;
    let config = bundle.join("config.json");
    let mut value: Value = serde_json::from_slice(&fs::read(&config)?)?;
    value["process"]["args"] = json!(["luthier", "demo"]);
    value["process"]["terminal"] = json!(false);
    fs::write(&config, value.to_string())?;
    let name = format!("luthier-{}", std::process::id());
    let mut container = Command::new("runc");
    container.arg("run").arg("-b").arg(&bundle).arg(name);
    let printed = crate::command::said(&mut container).context("runc runs the image")?;
    fs::remove_dir_all(work)?;
    let is_right = printed.contains("was transposed in three ways, and is right.");
    let complaint = format!("luthier demo in the image printed {printed:?}");
    Ok((!is_right).then_some(complaint).into_iter().collect())
}

/// Debian with the package, as a tar file.
fn make_system(system: &Path, package: &Path, date: &str) -> Result<()> {
    let mut command = Command::new("mmdebstrap");
    command.env("SOURCE_DATE_EPOCH", date).args([
        "--quiet",
        "--variant=minbase",
        "--aptopt=APT::Install-Recommends \"false\"",
        "--aptopt=Acquire::Languages \"none\"",
    ]);
    command.args(LEFT_OUT.map(|option| format!("--dpkgopt={option}")));
    command
        .arg(format!("--include={PACKAGES}"))
        // (From one folder into the other: the package is no part of the image.)
        .arg(format!(
            "--customize-hook=upload {} /tmp/luthier.deb",
            quoted(package)
        ))
        .arg("--customize-hook=chroot \"$1\" apt-get install -y -q --no-install-recommends /tmp/luthier.deb")
        .arg("--customize-hook=rm \"$1/tmp/luthier.deb\"")
        .arg("--customize-hook=rm -rf \"$1\"/var/log/* \"$1\"/var/cache/ldconfig/aux-cache")
        .arg("--customize-hook=mkdir \"$1/work\"")
        .arg(RELEASE)
        .arg(system)
        .arg(environment::debian()?);
    done(&mut command).context("mmdebstrap makes the image's system")
}

/// The image in the folders and files that OCI describes, of the system as its only layer.
fn make_layout(layout: &Path, system: &Path, version: &str, date: &str) -> Result<()> {
    let when = format!("@{date}");
    let when = crate::command::said(Command::new("date").args([
        "-u",
        "-d",
        &when,
        "+%Y-%m-%dT%H:%M:%SZ",
    ]))?;
    let image = format!("{}:{NAME}", layout.display());
    let umoci =
        |words: &[&str]| done(Command::new("umoci").args(words)).context("umoci makes the image");
    umoci(&["init", "--layout", &layout.display().to_string()])?;
    umoci(&["new", "--image", &image])?;
    umoci(&[
        "raw",
        "add-layer",
        "--image",
        &image,
        "--history.created",
        &when,
        "--history.created_by",
        "mmdebstrap",
        &system.display().to_string(),
    ])?;
    umoci(&[
        "config",
        "--image",
        &image,
        "--created",
        &when,
        "--history.created",
        &when,
        "--history.created_by",
        "umoci config",
        "--os",
        "linux",
        "--architecture",
        "amd64",
        "--config.cmd",
        "luthier",
        "--config.cmd",
        "--help",
        "--config.workingdir",
        "/work",
        "--config.env",
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "--config.label",
        &format!("org.opencontainers.image.version={version}"),
        "--config.label",
        "org.opencontainers.image.title=Luthier",
        "--config.label",
        "org.opencontainers.image.licenses=MIT OR Apache-2.0",
    ])?;
    umoci(&["gc", "--layout", &layout.display().to_string()])?;
    fs::write(
        layout.join("manifest.json"),
        for_docker(layout, &format!("{NAME}:{version}"))?,
    )
    .context("cannot write the image's manifest for docker")
}

/// One file of all that: the same bytes for the same image.
fn pack(archive: &Path, layout: &Path, date: &str) -> Result<()> {
    done(
        Command::new("tar")
            .args([
                "--sort=name",
                "--owner=0",
                "--group=0",
                "--numeric-owner",
                "--mode=u+rwX,go+rX,go-w",
            ])
            .arg(format!("--mtime=@{date}"))
            .arg("-cf")
            .arg(archive)
            .arg("-C")
            .arg(layout)
            .args(["blobs", "index.json", "manifest.json", "oci-layout"]),
    )
}

/// Bytes: what a job fetches each time.
const MOST: u64 = 250_000_000;

/// Returns the text of the file in which `docker load` looks for the blobs of the image and for its name.
fn for_docker(layout: &Path, name: &str) -> Result<String> {
    let json = |path: &str| -> Result<Value> {
        let text = fs::read(layout.join(path)).with_context(|| path.to_owned())?;
        Ok(serde_json::from_slice(&text)?)
    };
    let blob = |value: &Value| -> Result<String> {
        let digest = value["digest"]
            .as_str()
            .and_then(|text| text.split_once(':'));
        let (kind, digest) = digest.context("umoci's layout has no digest")?;
        Ok(format!("blobs/{kind}/{digest}"))
    };
    let manifest = json(&blob(&json("index.json")?["manifests"][0])?)?;
    let layers = manifest["layers"]
        .as_array()
        .context("there are no layers")?;
    let layers = layers.iter().map(blob).collect::<Result<Vec<_>>>()?;
    let image =
        json!([{ "Config": blob(&manifest["config"])?, "RepoTags": [name], "Layers": layers }]);
    Ok(image.to_string())
}

/// For a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}
