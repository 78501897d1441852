//! `luthier hardware-check`, with the emulated device behind the real HSA runtime in place of a GPU.

mod common;

use std::{fs, path::Path, process::Output};

use common::luthier;
use hardware::{Child, Job, Kernel, Launch, Machine, Trouble, object};

/// A name that nothing else has.
const PERSON: &str = "jane-roe-of-this-test";

fn checked(directory: &Path, device: &str, only: &str) -> Output {
    let output = luthier(&["run", "--device", device, "--"])
        .arg(env!("CARGO_BIN_EXE_luthier"))
        .args(["hardware-check", "--inputs", "4096", "--only", only, "-o"])
        .arg(directory.join("check.json"))
        .env("USER", PERSON)
        .env("HOSTNAME", PERSON)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{device}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

#[test]
fn the_stand_in_agrees_and_its_file_can_be_shown() {
    let directory = tempfile::tempdir().unwrap();
    let output = checked(directory.path(), "gfx90a", "_f16");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains("instructions agree with the emulated device in every bit"),
        "{said}"
    );
    assert!(said.contains("100.000 % the same"), "{said}");

    let file = directory.path().join("check.json");
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains(PERSON));
    assert!(!text.contains(&directory.path().display().to_string()));
    let page = fs::read_to_string(directory.path().join("check.html")).unwrap();
    assert!(page.contains("v_rcp_f16"), "{page}");

    let shown = luthier(&["hardware-check", "--import"])
        .arg(&file)
        .arg(&file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        shown.status.success() && said.contains("100.000 % same, 0 ulp"),
        "{said}"
    );
}

#[test]
fn a_file_that_is_none_is_named_with_the_reason() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("other.json");
    for (text, reason) in [
        ("{}", "no result of hardware-check"),
        ("{\"version\": 900}", "version 900"),
    ] {
        fs::write(&file, text).unwrap();
        let shown = luthier(&["hardware-check", "--import"])
            .arg(&file)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&shown.stderr).into_owned();
        assert_eq!(shown.status.code(), Some(2));
        assert!(
            said.contains("other.json") && said.contains(reason),
            "{said}"
        );
    }
}

/// Kernels that fault or do not end cost their process, and no other kernel.
#[test]
fn a_kernel_that_goes_wrong_costs_only_itself() {
    let target = gfx::Target::find("gfx90a").unwrap();
    let assembler = isa::Assembler::new(target).unwrap();
    let code = |text: &str| assembler.assemble(text).unwrap();
    // Copies the first word of its input; stores to address 0; goes nowhere.
    let sound = "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_load_dword s8, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\n\
                 v_mov_b32 v1, s8\nv_mov_b32 v2, 0\nglobal_store_dword v2, v1, s[6:7]\ns_endpgm";
    let wild = "v_mov_b32 v0, 0\nv_mov_b32 v1, 0\nglobal_store_dword v[0:1], v0, off\ns_waitcnt vmcnt(0)\ns_endpgm";
    let kernels = [
        ("sound", sound),
        ("wild", wild),
        ("endless", "again: s_branch again"),
    ];
    let kernels = kernels.map(|(name, text)| Kernel {
        name: name.to_owned(),
        code: code(text),
        width: 1,
        scratch: 0,
    });
    let launch = |kernel: &str| Launch {
        kernel: kernel.to_owned(),
        groups: 1,
        block: 64,
        lds: 0,
        scratch: 0,
        input: 0x1234_5678_u32.to_le_bytes().to_vec(),
        output: 4,
        seconds: 1,
    };
    let order = ["sound", "wild", "sound", "endless", "sound"];
    let job = Job {
        object: object(target, 64, &kernels).unwrap(),
        launches: order.map(launch).to_vec(),
    };
    let mut child = Child::new(|| {
        let mut command = luthier(&["run", "--device", "gfx90a", "--"]);
        command
            .arg(env!("CARGO_BIN_EXE_luthier"))
            .args(["hardware-check", "--serve"])
            .stderr(std::process::Stdio::null());
        command
    });
    assert!(child.about().unwrap().isa.contains("gfx90a"));
    for (kernel, outcome) in order.iter().zip(child.run(&job)) {
        match (*kernel, outcome) {
            ("sound", Ok(output)) => assert_eq!(output, 0x1234_5678_u32.to_le_bytes()),
            ("wild", Err(Trouble::Died(_))) => (),
            ("endless", Err(Trouble::Died(why))) => {
                assert!(why.contains("did not end within 1 s"), "{why}")
            }
            (kernel, outcome) => panic!("{kernel}: {outcome:?}"),
        }
    }
}
