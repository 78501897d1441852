//! The session between a tool and a device of host memory.

use crate::common;

use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use crate::common::{Changed, config, launch, object, original, start, variant};
use session::{
    Content, Decision, Dispatch, Finish, Global, Identity, Instrumenter, MemoryKind, Patch,
    PatchKind, Refusal, Request, Symbol, Variant, summary::Status,
};

#[test]
fn the_first_launch_builds_and_the_next_ones_reuse() {
    let bytes = object(&[]);
    let (session, device) = start(&bytes, config(&[]), Arc::new(Identity));
    let first = session.dispatch(&launch(&bytes, "scale"));
    assert_eq!(session.dispatch(&launch(&bytes, "tile")), {
        let executable = variant(first).unwrap() + (1 << 32);
        Decision::Variant(session::Substitute {
            kernel_object: executable,
            private_segment_size: 0,
            group_segment_size: 256,
            launch: 1,
        })
    });
    assert_eq!(
        variant(session.dispatch(&launch(&bytes, "scale"))),
        variant(first)
    );
    let memory = device.memory.lock().unwrap();
    let loaded: Vec<_> = memory.loaded.values().collect();
    assert_eq!(loaded.len(), 2);
    assert!(loaded.iter().all(|(object, _)| **object == *bytes));
    assert_eq!(loaded[0].1, "scale.kd");
}

#[test]
fn packets_keep_what_they_ask_for_beyond_the_descriptor() {
    let bytes = object(&[]);
    let tool = Changed(|_: &Request<'_>, mut variant: Variant| {
        variant.private_segment_size += 32;
        variant.group_segment_size += 128;
        Ok(variant)
    });
    let (session, _) = start(&bytes, config(&[]), Arc::new(tool));
    let mut dispatch = launch(&bytes, "tile");
    // 1000 bytes of dynamic LDS, and a stack for calls that the compiler could not bound.
    dispatch.group_segment_size += 1000;
    dispatch.private_segment_size += 512;
    let Decision::Variant(substitute) = session.dispatch(&dispatch) else {
        panic!("not instrumented")
    };
    assert_eq!(substitute.group_segment_size, 256 + 1000 + 128);
    assert_eq!(substitute.private_segment_size, 512 + 32);
}

#[test]
fn refusals_and_panics_run_the_original_and_are_reported() {
    let bytes = object(&[]);
    let tool = Changed(
        |request: &Request<'_>, variant: Variant| match request.kernel {
            "tile" => panic!("no such register"),
            _ => {
                let _ = variant;
                Err(Refusal::Resources("too few registers".into()))
            }
        },
    );
    let (session, _) = start(&bytes, config(&[]), Arc::new(tool));
    for kernel in ["scale", "tile", "tile"] {
        assert_eq!(
            session.dispatch(&launch(&bytes, kernel)),
            Decision::Original
        );
    }
    // Scripts decide by the kind.
    let json: serde_json::Value = serde_json::from_str(&session.summary().json()).unwrap();
    let mut kernels = json["kernels"].as_array().unwrap().iter();
    let scale = kernels.find(|kernel| kernel["symbol"] == "scale").unwrap();
    assert_eq!(scale["status"], "refused");
    assert_eq!(scale["kind"], "resources");
    assert_eq!(scale["reason"], "too few registers");
    let text = session.summary().text();
    assert!(
        text.contains("2 kernels seen, 0 instrumented, 2 refused"),
        "{text}"
    );
    assert!(text.contains("scale: too few registers"), "{text}");
    assert!(
        text.contains("tile: internal error: no such register"),
        "{text}"
    );
}

#[test]
fn cooperative_launches_need_the_room_that_they_had() {
    let bytes = object(&[]);
    let tool = Changed(|request: &Request<'_>, mut variant: Variant| {
        if request.kernel == "scale" {
            variant.fit.after.waves -= 16;
        }
        Ok(variant)
    });
    let (session, _) = start(&bytes, config(&[]), Arc::new(tool));
    let ran = |kernel, cooperative| {
        let mut dispatch = launch(&bytes, kernel);
        dispatch.cooperative = cooperative;
        dispatch.workgroup = [1024, 1, 1];
        // The launch has so many workgroups that a device with room for one less on each compute unit is too small.
        dispatch.grid = [1024 << 16, 1, 1];
        variant(session.dispatch(&dispatch)).is_some()
    };
    let outcomes = [("scale", false), ("scale", true), ("tile", true)];
    assert_eq!(
        outcomes.map(|(kernel, cooperative)| ran(kernel, cooperative)),
        [true, false, true]
    );
    let text = session.summary().text();
    let told = "not instrumented: 1 launch of scale: it is a cooperative launch";
    assert!(text.contains(told), "{text}");
}

/// Only a launch knows how large its workgroups are, and which LDS and scratch they get.
#[test]
fn launches_that_the_variant_does_not_fit_run_as_they_are() {
    let bytes = object(&[]);
    let tool = Changed(|_: &Request<'_>, mut variant: Variant| {
        variant.fit.after.waves = 8;
        variant.group_segment_size += 271;
        variant.private_segment_size += 272;
        Ok(variant)
    });
    let (session, _) = start(&bytes, config(&[]), Arc::new(tool));
    let ran = |workgroup, lds, scratch| {
        let dispatch = Dispatch {
            workgroup,
            group_segment_size: lds,
            private_segment_size: scratch,
            ..launch(&bytes, "scale")
        };
        variant(session.dispatch(&dispatch)).is_some()
    };
    assert!(ran([512, 1, 1], 65_536 - 271, 131_056 - 272));
    assert!(!ran([32, 17, 1], 0, 0));
    assert!(!ran([8, 8, 9], 0, 0));
    assert!(!ran([64, 1, 1], 65_536 - 270, 0));
    assert!(!ran([64, 1, 1], 0, 131_056 - 268));
    let summary = session.summary();
    let text = summary.text();
    for told in [
        "1 of 5 launches ran instrumented",
        "not instrumented: 2 launches of scale: with the registers of tools, workgroups of more than 512 work-items do not fit",
        "not instrumented: 1 launch of scale: tools need 271 bytes of LDS",
        "not instrumented: 1 launch of scale: tools need 272 bytes of scratch",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    let json: serde_json::Value = serde_json::from_str(&summary.json()).unwrap();
    let kernel = &json["kernels"][0];
    assert_eq!(
        (&kernel["launches"], &kernel["instrumented_launches"]),
        (&5.into(), &1.into())
    );
    let unfit = kernel["uninstrumented"].as_array().unwrap().iter();
    let launches = unfit.map(|line| line["launches"].as_u64().unwrap());
    assert_eq!(launches.sum::<u64>(), 4);
}

#[test]
fn kernels_whose_stack_launches_decide_get_a_variant_for_each_size() {
    let bytes = object(&[]);
    let tool = Changed(|request: &Request<'_>, mut variant: Variant| {
        let Some(size) = request.stack_size else {
            return Err(Refusal::StackSize("a stack of any size".into()));
        };
        assert_eq!(size % 4, 0);
        variant.private_segment_size += 272;
        Ok(variant)
    });
    let (session, _) = start(&bytes, config(&[]), Arc::new(tool));
    let ran = |size| {
        let mut dispatch = launch(&bytes, "scale");
        dispatch.private_segment_size = size;
        match session.dispatch(&dispatch) {
            Decision::Variant(substitute) => {
                let size = substitute.private_segment_size;
                Some((substitute.kernel_object, size))
            }
            _ => None,
        }
    };
    let first = ran(1024).expect("a variant");
    assert_eq!(first.1, 1024 + 272);
    assert_eq!(ran(1024), Some(first));
    // Stacks end at whole registers.
    let second = ran(2046).expect("a variant");
    assert_eq!(second.1, 2048 + 272);
    assert_ne!(second.0, first.0);
    assert_eq!(ran(2048), Some(second));
    let sizes = 16;
    let more = (2..sizes).filter(|number| ran(4096 * number).is_some());
    assert_eq!(more.count(), 14);
    assert_eq!(ran(0x10_0000), None);
    assert_eq!(ran(1024), Some(first));
    let summary = session.summary();
    let status = |wanted: fn(&Status) -> bool| {
        let lines = summary.kernels.iter();
        let lines = lines.filter(move |line| wanted(&line.status));
        lines.map(|line| line.launches).collect::<Vec<_>>()
    };
    assert_eq!(
        status(|status| matches!(status, Status::Instrumented(_))),
        [19]
    );
    assert_eq!(status(|status| matches!(status, Status::Refused(_))), [1]);
}

#[test]
fn identity_refuses_objects_with_data_of_their_own() {
    let bytes = object(&["-DWITH_DATA"]);
    let (session, device) = start(&bytes, config(&[]), Arc::new(Identity));
    assert_eq!(
        session.dispatch(&launch(&bytes, "scale")),
        Decision::Original
    );
    let summary = session.summary();
    let Status::Refused(refusal) = &summary.kernels[0].status else {
        panic!("{:?}", summary.kernels)
    };
    let session::Refusal::Object(reason) = refusal else {
        panic!("{refusal:?}")
    };
    assert!(reason.starts_with("variable hits "), "{reason}");
    assert!(device.memory.lock().unwrap().loaded.is_empty());
}

#[test]
fn code_that_was_never_announced_runs_as_it_is() {
    let bytes = object(&[]);
    let (session, _) = start(&bytes, config(&[]), Arc::new(Identity));
    let mut dispatch = launch(&bytes, "scale");
    dispatch.kernel_object += 8;
    assert_eq!(session.dispatch(&dispatch), Decision::Original);
    dispatch.kernel_object = 0x40;
    assert_eq!(session.dispatch(&dispatch), Decision::Original);
    let summary = session.summary();
    assert_eq!((summary.launches, summary.unknown_launches), (2, 2));
    assert!(
        summary.notes[0].contains("no kernel descriptor"),
        "{:?}",
        summary.notes
    );
}

#[test]
fn only_selected_launches_of_selected_kernels() {
    let bytes = object(&[]);
    let settings = [("LUTHIER_KERNEL", "^sc"), ("LUTHIER_LAUNCH", "1..3")];
    let (session, _) = start(&bytes, config(&settings), Arc::new(Identity));
    let mut ran = |kernel| variant(session.dispatch(&launch(&bytes, kernel))).is_some();
    let outcomes = ["scale", "tile", "scale", "tile", "scale", "scale"].map(&mut ran);
    assert_eq!(outcomes, [false, false, true, false, true, false]);
    let summary = session.summary();
    let line = |name| {
        summary
            .kernels
            .iter()
            .find(|line| line.symbol == name)
            .unwrap()
    };
    assert_eq!(line("tile").status, Status::Unselected);
    assert_eq!(line("scale").launches, 4);
    assert_eq!(line("scale").instrumented_launches, 2);
}

#[test]
fn a_launch_waits_only_so_long() {
    let bytes = object(&[]);
    let tool = Changed(|_: &Request<'_>, variant| {
        std::thread::sleep(Duration::from_millis(1500));
        Ok(variant)
    });
    let settings = config(&[("LUTHIER_BUILD_LIMIT", "0")]);
    let (session, _) = start(&bytes, settings, Arc::new(tool));
    let began = Instant::now();
    assert_eq!(
        session.dispatch(&launch(&bytes, "scale")),
        Decision::Original
    );
    assert!(began.elapsed() < Duration::from_millis(1200));
    assert_eq!(session.summary().kernels[0].status, Status::Late);
    // The variant arrives all the same.
    let deadline = began + Duration::from_secs(20);
    while variant(session.dispatch(&launch(&bytes, "scale"))).is_none() {
        assert!(Instant::now() < deadline, "never arrived");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn kernels_are_built_in_parallel_and_each_once() {
    let bytes = object(&[]);
    // Neither build ends before both have begun.
    let both = Barrier::new(2);
    let builds = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&builds);
    let tool = Changed(move |_: &Request<'_>, variant| {
        count.fetch_add(1, Ordering::Relaxed);
        both.wait();
        Ok(variant)
    });
    let (session, _) = start(&bytes, config(&[]), Arc::new(tool));
    std::thread::scope(|scope| {
        for kernel in ["scale", "tile", "scale", "tile"] {
            let (session, bytes) = (&session, &bytes);
            scope.spawn(move || {
                assert!(variant(session.dispatch(&launch(bytes, kernel))).is_some());
            });
        }
    });
    assert_eq!(builds.load(Ordering::Relaxed), 2);
}

#[test]
fn variants_outlive_their_kernels_until_the_queue_is_drained() {
    let bytes = object(&[]);
    let (session, device) = start(&bytes, config(&[]), Arc::new(Identity));
    let executable = variant(session.dispatch(&launch(&bytes, "scale"))).unwrap() >> 32;
    let mut busy = launch(&bytes, "tile");
    busy.queue = 2;
    assert!(variant(session.dispatch(&busy)).is_some());
    device.memory.lock().unwrap().busy.insert(2);
    session.unloaded(1);
    assert_eq!(device.memory.lock().unwrap().unloaded, [executable]);
    // The same addresses now hold another executable's code.
    session.loaded(original(2, &bytes));
    assert!(
        variant(session.dispatch(&launch(&bytes, "scale")))
            .is_some_and(|new| new >> 32 != executable)
    );
    device.memory.lock().unwrap().busy.clear();
    session.unloaded(2);
    assert_eq!(device.memory.lock().unwrap().unloaded.len(), 3);
    // Both lives of the kernel are one line.
    let summary = session.summary();
    let line = summary
        .kernels
        .iter()
        .find(|line| line.symbol == "scale")
        .unwrap();
    assert_eq!(line.launches, 2);
    assert_eq!(summary.kernels.len(), 2);
    assert_eq!((summary.variants_loaded, summary.variants_unloaded), (3, 3));
}

/// A tool with globals; its code refers to one of them and to the original object.
struct Counting;

impl Instrumenter for Counting {
    fn name(&self) -> String {
        "counting".into()
    }

    fn fingerprint(&self) -> Vec<u8> {
        Vec::new()
    }

    fn globals(&self) -> Vec<Global> {
        let memory = |name: &str, kind, initial: &[u8]| Global {
            name: name.into(),
            size: 16,
            content: Content::Memory {
                kind,
                initial: initial.to_vec(),
            },
        };
        vec![
            memory("total", MemoryKind::Device, &[9, 8]),
            memory("flag", MemoryKind::Shared, &[]),
        ]
    }

    fn instrument(&self, request: &Request<'_>) -> Result<Variant, Refusal> {
        let mut variant = Identity.instrument(request)?;
        let patch = |file_offset, kind, symbol| Patch {
            file_offset,
            kind,
            symbol,
            addend: 4,
        };
        variant.patches = vec![
            patch(16, PatchKind::Low32, Symbol::Tool("total".into())),
            patch(20, PatchKind::High32, Symbol::Tool("total".into())),
            patch(24, PatchKind::Low32, Symbol::Original(0x1700)),
            patch(28, PatchKind::High32, Symbol::Original(0x1700)),
        ];
        Ok(variant)
    }

    fn finish(&self, globals: &dyn Finish) -> String {
        let launched = |kernel: &session::summary::KernelLine| kernel.launches;
        assert_eq!(globals.kernels().iter().map(launched).sum::<u64>(), 2);
        let agent = &globals.agents()[0];
        let total = globals.global(agent, "total").remove(0).unwrap();
        assert!(globals.global(agent, "none").is_empty());
        format!("total {}", total[0])
    }
}

#[test]
fn addresses_are_filled_in_and_globals_read_at_the_end() {
    let bytes = object(&[]);
    let (session, device) = start(&bytes, config(&[]), Arc::new(Counting));
    session.dispatch(&launch(&bytes, "scale"));
    session.dispatch(&launch(&bytes, "tile"));
    let memory = device.memory.lock().unwrap();
    // One set of globals per agent.
    let kinds: Vec<_> = memory.kinds.iter().map(|(_, kind)| *kind).collect();
    assert_eq!(kinds, [MemoryKind::Device, MemoryKind::Shared]);
    let total = memory.kinds[0].0;
    for (object, _) in memory.loaded.values() {
        let word = |at: usize| u64::from_le_bytes(object[at..at + 8].try_into().unwrap());
        assert_eq!(word(16), total + 4);
        assert_eq!(word(24), common::DELTA + 0x1704);
    }
    drop(memory);
    device.poke(total, &[42]);
    let (_, text) = session.finish().unwrap();
    assert_eq!(text, "total 42");
    assert!(session.finish().is_none());
    assert_eq!(
        session.dispatch(&launch(&bytes, "scale")),
        Decision::Original
    );
}

#[test]
fn the_summary_says_what_changed() {
    let bytes = object(&[]);
    let tool = Changed(|_: &Request<'_>, mut variant: Variant| {
        variant.report.sites = 3;
        variant.report.after.vgprs += 8;
        Ok(variant)
    });
    let (session, _) = start(&bytes, config(&[]), Arc::new(tool));
    session.dispatch(&launch(&bytes, "scale"));
    let summary = session.summary();
    let text = summary.text();
    let row = text.lines().find(|line| line.contains("scale")).unwrap();
    let cells: Vec<_> = row.split_whitespace().collect();
    assert_eq!(cells[..4], ["scale", "1/1", "3", "8>16"], "{text}");
    let json: serde_json::Value = serde_json::from_str(&summary.json()).unwrap();
    let kernel = &json["kernels"][0];
    assert_eq!(kernel["status"], "instrumented");
    assert_eq!(kernel["after"]["vgprs"], 16);
    assert_eq!(kernel["launches"], 1);
}
