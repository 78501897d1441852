//! `luthier hardware-check`, with the emulated device behind the real HSA runtime in place of a GPU.

use std::{fs, path::Path, process::Output};

use crate::common::luthier;
use emulate::Measured;
use hardware::{
    About, Child, Emulated, Job, Kernel, Launch, Machine, Options, Report, Trouble, check,
    frame::HEADER, object,
};

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
        (&b"{}"[..], "no result of hardware-check"),
        (b"\xff\xfe\x00", "no result of hardware-check"),
        (b"{\"version\": 900}", "version 900"),
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

/// A GPU whose results of singles are one, no or minus one unit of the last place off, by turns.
struct Rough(Emulated);

/// Bytes of a record of an instruction on single registers in wave64, and where lanes begin in it.
const RECORD: usize = HEADER + 64 * LANE;
const LANE: usize = 16;

impl Machine for Rough {
    fn run(&mut self, job: &Job) -> Vec<Result<Vec<u8>, Trouble>> {
        let mut outputs = self.0.run(job);
        for output in outputs.iter_mut().flatten() {
            let records = output.chunks_exact_mut(RECORD);
            let lanes = records.flat_map(|record| record[HEADER..].chunks_exact_mut(LANE));
            for (distance, lane) in [1, 0, -1].into_iter().cycle().zip(lanes) {
                let result = &mut lane[12..16];
                let value = u32::from_le_bytes((&*result).try_into().unwrap());
                if f32::from_bits(value).is_normal() {
                    let moved = value.checked_add_signed(distance).unwrap();
                    result.copy_from_slice(&moved.to_le_bytes());
                }
            }
        }
        outputs
    }
}

/// The emulated device returns the results that were measured on a GPU: through ROCr, for all inputs that were measured.
#[test]
fn the_emulated_device_gives_what_was_measured() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let about = About {
        isa: "amdgcn-amd-amdhsa--gfx90a".to_owned(),
        ..Default::default()
    };
    let options = Options {
        only: Some("v_rsq_f32".to_owned()),
        sweep: 4096,
        ..Default::default()
    };
    let mut rough = Rough(Emulated::new());
    let planted = check(
        &about,
        &mut rough,
        &mut Emulated::new(),
        &options,
        &mut |_, _| (),
    );
    let planted = planted.unwrap();
    let histogram = &planted.approximations[0].histogram;
    let distances: Vec<i64> = histogram.iter().map(|(distance, _)| *distance).collect();
    assert_eq!(distances, [-1, 0, 1]);
    fs::write(at("gpu.json"), planted.write()).unwrap();

    let imported = luthier(&["hardware-check", "--import"])
        .arg(at("gpu.json"))
        .arg("--numerics")
        .arg(at("gpu.numerics"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&imported.stderr).into_owned();
    assert!(
        imported.status.success() && said.contains("1 functions of gfx90a"),
        "{said}"
    );

    // The check compares the device behind ROCr, which has the table, with one that has none.
    let compared = luthier(&["run", "--device", "gfx90a", "--numerics"])
        .arg(at("gpu.numerics"))
        .arg("--")
        .arg(env!("CARGO_BIN_EXE_luthier"))
        .args([
            "hardware-check",
            "--inputs",
            "4096",
            "--only",
            "v_rsq_f32",
            "-o",
        ])
        .arg(at("emulated.json"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&compared.stderr).into_owned();
    let emulated = Report::read(&fs::read_to_string(at("emulated.json")).unwrap()).unwrap();
    assert_eq!(&emulated.approximations[0].histogram, histogram, "{said}");
    assert_eq!(
        emulated.approximations[0].distances,
        planted.approximations[0].distances
    );
}

/// The table counts in `luthier emulate`, too, and round numbers keep their exact results.
#[test]
fn tables_of_numerics_are_for_their_target() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let target = gfx::Target::find("gfx90a").unwrap();
    let code = isa::Assembler::new(target).unwrap().assemble(
        "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_and_b32 v0, 0x3ff, v0\nv_lshlrev_b32 v0, 2, v0\n\
         global_load_dword v1, v0, s[4:5]\ns_waitcnt vmcnt(0)\nv_rcp_f32 v1, v1\nglobal_store_dword v0, v1, s[6:7]\ns_endpgm",
    );
    let kernel = Kernel {
        name: "reciprocal".to_owned(),
        code: code.unwrap(),
        width: 1,
        scratch: 0,
    };
    fs::write(at("k.co"), object(target, 64, &[kernel]).unwrap()).unwrap();
    let inputs: Vec<f32> = (0..64)
        .map(|lane| {
            if lane % 2 == 0 {
                4.0
            } else {
                3.3 + lane as f32
            }
        })
        .collect();
    let bytes: Vec<u8> = inputs
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    fs::write(at("in.bin"), bytes).unwrap();
    let table = |target: &str| Measured::write(target, &[("v_rcp_f32".to_owned(), vec![-1; 4096])]);
    fs::write(at("gfx90a.numerics"), table("gfx90a")).unwrap();
    fs::write(at("gfx942.numerics"), table("gfx942")).unwrap();
    let run = |numerics: &str| {
        luthier(&[
            "emulate",
            "-k",
            "reciprocal",
            "--numerics",
            numerics,
            "--arg",
            "file:in.bin",
            "--arg",
            "zero:256",
            "--dump",
            "1:out.bin",
            "k.co",
        ])
        .current_dir(directory.path())
        .output()
        .unwrap()
    };
    let output = run("gfx90a.numerics");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let found = fs::read(at("out.bin")).unwrap();
    for (input, found) in inputs.iter().zip(found.chunks_exact(4)) {
        let rounded = ((1.0 / f64::from(*input)) as f32).to_bits();
        let expected = rounded - u32::from(*input != 4.0);
        assert_eq!(
            u32::from_le_bytes(found.try_into().unwrap()),
            expected,
            "{input}"
        );
    }
    let output = run("gfx942.numerics");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && said.contains("gfx942") && said.contains("gfx90a"),
        "{said}"
    );
    // A program starts with what its user asked for or not at all.
    let whole = fs::read(at("gfx90a.numerics")).unwrap();
    fs::write(at("cut.numerics"), &whole[..100]).unwrap();
    let devices = ["gfx90a", "mi210,gfx942", "gfx942"];
    for (numerics, device, status, words) in [
        ("gfx90a.numerics", devices[0], 0, ""),
        ("gfx90a.numerics", devices[1], 0, ""),
        (
            "gfx90a.numerics",
            devices[2],
            2,
            "is of gfx90a, and the emulated GPU is gfx942",
        ),
        (
            "cut.numerics",
            devices[0],
            2,
            "cut.numerics: it ends too early",
        ),
    ] {
        let output = luthier(&[
            "run",
            "--device",
            device,
            "--numerics",
            numerics,
            "--",
            "true",
        ])
        .current_dir(directory.path())
        .output()
        .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{said}");
        assert!(said.contains(words), "{said}");
    }
}
