//! Hooks that take some executions of many.

use crate::stock::Scene;

/// Conditions, and how many waves they let through: there is one in each of 4, 4, 4 and 8 workgroups.
const CONDITIONS: [(&str, &str, u32); 5] = [
    ("first", "luthier::among_first(&executions_of_first, 7)", 7),
    ("every", "luthier::sampled(&executions_of_every, 3)", 7),
    ("third", "luthier::in_workgroup(2)", 4),
    ("last", "luthier::in_workgroup(7)", 1),
    ("other", "luthier::in_workgroup(2, 1)", 0),
];

/// Inserts hooks NAME, which INSERT and TELL name.
const TOOL: &str = r#"
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  auto first = luthier_disassemble_kernel_object(packet->kernel_object)[0];
  INSERT
  luthier_override_with_instrumented(packet);
}
void luthier_at_term() { TELL }
"#;

#[test]
fn conditions_let_as_many_through_as_they_say() {
    let Some(scene) = Scene::new() else { return };
    let mut source = "#include <luthier.h>\nMARK_LUTHIER_DEVICE_MODULE\n".to_owned();
    let (mut insert, mut tell) = (String::new(), String::new());
    for (name, condition, _) in CONDITIONS {
        source += &format!(
            "__device__ luthier_u64 executions_of_{name}, taken_by_{name};\n\
             extern \"C\" __device__ void {name}() {{\n\
             if (!{condition}) return;\n\
             luthier::count_wave(&taken_by_{name}, 1);\n}}\n\
             LUTHIER_EXPORT_FUNC({name})\n"
        );
        insert += &format!(
            "luthier_insert_call(first, LUTHIER_GET_HOOK_HANDLE({name}), LUTHIER_IPOINT_BEFORE);\n"
        );
        tell += &format!(
            "printf(\"{name} %lu\\n\", (unsigned long)luthier_copy_from_variable(taken_by_{name}));\n"
        );
    }
    source += &TOOL.replace("INSERT", &insert).replace("TELL", &tell);
    let tool = scene.tool("some", &source);
    let (stdout, stderr) = scene.with(&tool);
    for (name, condition, taken) in CONDITIONS {
        let line = format!("{name} {taken}\n");
        assert!(stdout.contains(&line), "{condition}: {stdout}{stderr}");
    }
}
