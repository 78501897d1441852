//! Random applications that tools, the scheduler or the runtime could harm. Their kernels fill a compute unit, use registers that do not
//! exist, or have workgroups that wait for each other. They begin HSA again and again, free blocks twice, and raise signals again.

use std::{
    fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, ensure};

use super::{Numbers, Row, Setting, compiled};

/// No run of these needs as long.
const LIMIT: &str = "120";
/// The targets that the distribution's compiler makes code for.
const DEVICES: [&str; 4] = ["gfx906", "gfx908", "gfx90a", "gfx1030"];
const TOOLS: [&str; 8] = [
    "instr-count",
    "bb-count",
    "opcode-histogram",
    "mem-trace",
    "mem-coalesce",
    "branch-divergence",
    "hotspots",
    "lds-conflicts",
];

fn pick<'a, T>(numbers: &mut Numbers, of: &'a [T]) -> &'a T {
    &of[numbers.below(of.len())]
}

/// A program whose text is made here.
fn made(
    setting: &Setting,
    name: &str,
    source: &str,
    compiler: &str,
    flags: &[&str],
) -> Result<PathBuf> {
    let path = setting.folder.join(name);
    fs::write(&path, source).with_context(|| path.display().to_string())?;
    let out = setting.folder.join(name.replace('.', "-"));
    let status = Command::new(compiler)
        .args(["-w", "-O2"])
        .args(flags)
        .arg(&path)
        .arg("-o")
        .arg(&out)
        .args(flags.iter().filter(|flag| flag.starts_with("-l")))
        .status()
        .with_context(|| format!("cannot start {compiler}"))?;
    ensure!(
        status.success(),
        "{compiler} does not compile {}",
        path.display()
    );
    Ok(out)
}

/// A run that is ended if it hangs: `timeout` says 124 then.
fn run(
    setting: &Setting,
    before: &[&str],
    arguments: &[&str],
    program: &Path,
    words: &[String],
) -> Result<Output> {
    Command::new("timeout")
        .args(["--kill-after=5", LIMIT])
        .args(before)
        .arg(&setting.luthier)
        .arg("run")
        .args(arguments)
        .arg("--")
        .arg(program)
        .args(words)
        .env("XDG_CACHE_HOME", setting.folder.join("cache"))
        // The directory in which tools leave their results.
        .current_dir(&setting.folder)
        .stdin(Stdio::null())
        .output()
        .context("cannot start timeout")
}

fn words(output: &Output) -> String {
    let end = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(6)..].join(" | ")
    };
    format!(
        "{:?}: {} | {}",
        output.status,
        end(&output.stdout),
        end(&output.stderr)
    )
}

/// A kernel that wants so many VGPRs at once, for workgroups of so many work-items with so much LDS.
fn filling(work_items: usize, values: usize, lds: usize) -> String {
    format!(
        r#"#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
constexpr int ITEMS = {work_items}, VALUES = {values}, WORDS = {words};
__global__ void __launch_bounds__(ITEMS) fill(const unsigned *in, unsigned *out) {{
  __shared__ unsigned words[WORDS + 1];
  extern __shared__ unsigned more[];
  unsigned values[VALUES], item = threadIdx.x, sum = 0;
#pragma unroll
  for (int i = 0; i < VALUES; i++) values[i] = in[item * VALUES + i];
  if (item <= WORDS) words[item] = item;
  more[item % 16] = 0;
#pragma unroll
  for (int i = 0; i < VALUES; i++) sum = sum * 31 + values[i];
  out[blockIdx.x * ITEMS + item] = sum;
  __syncthreads();
#pragma unroll
  for (int i = VALUES - 1; i >= 0; i--) sum = sum * 17 + values[i];
  out[blockIdx.x * ITEMS + item] += sum + words[(item * 7) % (WORDS < ITEMS ? WORDS + 1 : ITEMS)] + more[item % 16];
}}
int main(int count, char **arguments) {{
  unsigned dynamic = atoi(arguments[1]), groups = atoi(arguments[2]);
  int per_unit = 0;
  hipDeviceProp_t properties;
  (void)hipGetDeviceProperties(&properties, 0);
  (void)hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, fill, ITEMS, dynamic);
  bool together = count > 3;
  if (together) groups = per_unit * properties.multiProcessorCount / (groups % 2 + 1);
  if (groups == 0) return puts("none fits"), 0;
  std::vector<unsigned> in(ITEMS * VALUES), out(groups * ITEMS);
  for (size_t i = 0; i < in.size(); i++) in[i] = i * 2654435761u;
  unsigned *from, *to;
  (void)hipMalloc(&from, in.size() * 4);
  (void)hipMalloc(&to, out.size() * 4);
  (void)hipMemcpy(from, in.data(), in.size() * 4, hipMemcpyHostToDevice);
  void *values[] = {{&from, &to}};
  hipError_t e = together ? hipLaunchCooperativeKernel((void *)fill, dim3(groups), dim3(ITEMS), values, dynamic, 0)
                          : hipLaunchKernel((void *)fill, dim3(groups), dim3(ITEMS), values, dynamic, 0);
  if (e == hipSuccess) e = hipDeviceSynchronize();
  printf("%s\n", hipGetErrorString(e));
  if (e != hipSuccess) return 3;
  (void)hipMemcpy(out.data(), to, out.size() * 4, hipMemcpyDeviceToHost);
  for (unsigned g = 0; g < groups; g++)
    for (unsigned item = 0; item < ITEMS; item++) {{
      unsigned one = 0, two;
      for (int i = 0; i < VALUES; i++) one = one * 31 + in[item * VALUES + i];
      two = one;
      for (int i = VALUES - 1; i >= 0; i--) two = two * 17 + in[item * VALUES + i];
      unsigned word = (item * 7) % (WORDS < ITEMS ? WORDS + 1 : ITEMS);
      if (out[g * ITEMS + item] != one + two + word) return printf("item %u of %u is wrong\n", item, g), 4;
    }}
  puts("right");
}}
"#,
        words = lds / 4,
    )
}

/// A kernel that fits on the device without tools also fits with them, or runs without them. It may use every register, all LDS, and as
/// many workgroups as the runtime promises.
pub(super) fn room(setting: &Setting) -> Result<Row> {
    let mut numbers = Numbers(0x6a09_e667_f3bc_c908);
    let (mut row, began) = (Row::default(), Instant::now());
    while began.elapsed() < setting.time {
        let device = pick(&mut numbers, &DEVICES);
        let work_items = 64 * (1 + numbers.below(16));
        let values = 8 + numbers.below(if work_items > 512 { 120 } else { 240 });
        // `words` takes 4 bytes more.
        let lds = [0, 1024, 16_384, 65_536 - 64 - 4][numbers.below(4)];
        let source = filling(work_items, values, lds);
        let target = format!("--offload-arch={device}");
        let program = made(setting, "room.hip", &source, "hipcc", &[&target])?;
        for _ in 0..2 {
            let left = 65_536 - (lds + 4).next_multiple_of(64);
            let dynamic = [64, left / 2, left][numbers.below(3)].max(64);
            let mut arguments = vec![dynamic.to_string(), (1 + numbers.below(4)).to_string()];
            if numbers.below(3) == 0 {
                arguments.push("together".to_owned());
            }
            let tools: Vec<&str> = (0..1 + numbers.below(4))
                .map(|_| *pick(&mut numbers, &TOOLS))
                .collect();
            let tools = tools.join(",");
            row.tried += 1;
            let plain = run(setting, &[], &["--device", device], &program, &arguments)?;
            let with = run(
                setting,
                &[],
                &["--device", device, "-t", &tools],
                &program,
                &arguments,
            )?;
            let same = plain.status == with.status && plain.stdout == with.stdout;
            // A launch that the device cannot hold is refused without tools, too.
            if !same || !matches!(plain.status.code(), Some(0 | 3)) {
                let kept = setting
                    .folder
                    .join(format!("room-{}.hip", row.failures.len()));
                fs::write(&kept, &source)?;
                row.failures.push(format!(
                    "{} {arguments:?} on {device} with {tools}: {}; without: {}",
                    kept.display(),
                    words(&with),
                    words(&plain)
                ));
            }
        }
    }
    Ok(row)
}

const WAITING: &str = r#"#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
// Workgroups pass a number on from the last to the first; all others wait: four ways with barriers between looks, six without.
__device__ bool come(unsigned *turn, unsigned mine, int how) {
  switch (how) {
  case 4: return *(volatile unsigned *)turn == mine;
  case 5: return atomicAdd(turn, 0u) == mine;
  case 6: return atomicCAS(turn, mine, mine) == mine;
  case 7: __builtin_amdgcn_s_sleep(3); break;
  case 8: for (unsigned i = 0; i < mine % 7 + 1; i++) __builtin_amdgcn_s_sleep(1); break;
  case 9: atomicAdd(turn + 1, 1u); break;
  }
  return __hip_atomic_load(turn, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == mine;
}
__global__ void wait(unsigned *turn, unsigned *out, int how, int work) {
  __shared__ unsigned seen;
  unsigned mine = gridDim.x - 1 - blockIdx.x;
  if (how >= 4) while (!come(turn, mine, how));
  for (;;) {
    if (threadIdx.x == 0) seen = __hip_atomic_load(turn, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
    __syncthreads();
    unsigned now = seen;
    __syncthreads();
    if (now == mine) break;
    if (how == 1) __builtin_amdgcn_s_sleep(1);
    if (how == 2) for (int i = 0; i < 8; i++) __syncthreads();
    if (how == 3 && threadIdx.x < 64) for (int i = 0; i < 100; i++) asm volatile("s_nop 0");
  }
  unsigned x = mine;
  for (int i = 0; i < work; i++) x = x * 1664525u + 1013904223u;
  if (threadIdx.x == 0) out[blockIdx.x] = x;
  __syncthreads();
  if (threadIdx.x == 0) __hip_atomic_store(turn, mine + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}
int main(int count, char **arguments) {
  int groups = atoi(arguments[1]), items = atoi(arguments[2]), how = atoi(arguments[3]), work = atoi(arguments[4]);
  unsigned *turn, *out;
  (void)hipMalloc(&turn, 8);
  (void)hipMalloc(&out, groups * 4);
  (void)hipMemset(turn, 0, 8);
  void *values[] = {&turn, &out, &how, &work};
  int per_unit = 0;
  hipDeviceProp_t properties;
  (void)hipGetDeviceProperties(&properties, 0);
  (void)hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, wait, items, 0);
  // The last workgroup goes first, and starts only if the device has room for all.
  if (groups > per_unit * properties.multiProcessorCount) return puts("the device cannot hold so many"), 0;
  hipError_t e = count > 5 ? hipLaunchCooperativeKernel((void *)wait, dim3(groups), dim3(items), values, 0, 0)
                           : hipLaunchKernel((void *)wait, dim3(groups), dim3(items), values, 0, 0);
  if (e == hipSuccess) e = hipDeviceSynchronize();
  puts(hipGetErrorString(e));
  if (e != hipSuccess) return 1;
  std::vector<unsigned> found(groups);
  (void)hipMemcpy(found.data(), out, groups * 4, hipMemcpyDeviceToHost);
  for (int g = 0; g < groups; g++) {
    unsigned x = groups - 1 - g;
    for (int i = 0; i < work; i++) x = x * 1664525u + 1013904223u;
    if (found[g] != x) return printf("%u instead of %u in workgroup %d\n", found[g], x, g), 2;
  }
  return 0;
}
"#;
const WAYS: usize = 10;

/// Other processes that want all processors. They end with the value.
struct Crowd(Vec<std::process::Child>);

impl Crowd {
    fn of(count: usize) -> Result<Crowd> {
        let one = |_| {
            let mut busy = Command::new("sh");
            busy.args(["-c", "while :; do :; done"]);
            busy.spawn().context("cannot start sh")
        };
        Ok(Crowd((0..count).map(one).collect::<Result<_>>()?))
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Workgroups that wait for each other end, with however few host threads, with tools and without.
pub(super) fn waits(setting: &Setting) -> Result<Row> {
    let targets = DEVICES.map(|device| format!("--offload-arch={device}"));
    let program = made(
        setting,
        "waits.hip",
        WAITING,
        "hipcc",
        &targets.each_ref().map(String::as_str),
    )?;
    let mut numbers = Numbers(0xbb67_ae85_84ca_a73b);
    let (mut row, began) = (Row::default(), Instant::now());
    while began.elapsed() < setting.time {
        let device = pick(&mut numbers, &DEVICES);
        let most = [24, 24, 24, 250][numbers.below(4)];
        let mut arguments = [
            1 + numbers.below(most),
            32 << numbers.below(6),
            numbers.below(WAYS),
            [0, 100, 20_000][numbers.below(3)],
        ]
        .map(|number| number.to_string())
        .to_vec();
        if numbers.below(2) == 0 {
            arguments.push("together".to_owned());
        }
        let one: &[&str] = match numbers.below(2) {
            0 => &["taskset", "-c", "0"],
            _ => &[],
        };
        let mut options = vec!["--device", device];
        if numbers.below(2) == 0 {
            options.extend(["-t", *pick(&mut numbers, &TOOLS)]);
        }
        let crowd = Crowd::of([0, 0, 4][numbers.below(3)])?;
        row.tried += 1;
        let done = run(setting, one, &options, &program, &arguments)?;
        drop(crowd);
        if !done.status.success() {
            row.failures.push(format!(
                "waits {arguments:?} {options:?} {one:?}: {}",
                words(&done)
            ));
        }
    }
    Ok(row)
}

const AGAIN: &str = r#"#include <hsa/hsa.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
static hsa_status_t agent(hsa_agent_t it, void *to) {
  hsa_device_type_t type;
  if (hsa_agent_get_info(it, HSA_AGENT_INFO_DEVICE, &type) == HSA_STATUS_SUCCESS && type == HSA_DEVICE_TYPE_GPU) *(hsa_agent_t *)to = it;
  return HSA_STATUS_SUCCESS;
}
static std::atomic<int> bad{0};
static void check(hsa_status_t status, const char *call) {
  if (status != HSA_STATUS_SUCCESS) { bad++; printf("%s: %d\n", call, status); }
}
static void use(int what) {
  check(hsa_init(), "hsa_init");
  if (what & 1) {
    hsa_agent_t gpu = {0};
    check(hsa_iterate_agents(agent, &gpu), "hsa_iterate_agents");
    if (!gpu.handle) { bad++; puts("no GPU"); }
    hsa_signal_t signal;
    check(hsa_signal_create(1, 0, nullptr, &signal), "hsa_signal_create");
    if (what & 2) {
      hsa_queue_t *queue;
      check(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, ~0u, ~0u, &queue), "hsa_queue_create");
      check(hsa_queue_destroy(queue), "hsa_queue_destroy");
    }
    check(hsa_signal_destroy(signal), "hsa_signal_destroy");
  }
  check(hsa_shut_down(), "hsa_shut_down");
}
int main(int, char **arguments) {
  int times = atoi(arguments[1]), threads = atoi(arguments[2]), what = atoi(arguments[3]);
  if (what & 4) {
    // The child of a process that has begun and ended begins anew.
    use(what & 3);
    pid_t child = fork();
    if (child == 0) { use(what & 3); _exit(bad != 0); }
    int status;
    waitpid(child, &status, 0);
    if (status) { bad++; printf("child: %d\n", status); }
  }
  std::vector<std::thread> all;
  for (int i = 0; i < threads; i++) all.emplace_back([=] { for (int k = 0; k < times; k++) use(what & 3); });
  for (auto &thread : all) thread.join();
  return bad != 0;
}
"#;

/// HSA begins and ends as often as a process likes.
pub(super) fn restarts(setting: &Setting) -> Result<Row> {
    let flags = ["-std=c++17", "-lhsa-runtime64", "-lpthread"];
    let program = made(setting, "again.cc", AGAIN, "g++", &flags)?;
    let mut numbers = Numbers(0x3c6e_f372_fe94_f82b);
    let (mut row, began) = (Row::default(), Instant::now());
    while began.elapsed() < setting.time {
        let device = pick(&mut numbers, &DEVICES);
        let arguments = [1 + numbers.below(6), 1 + numbers.below(3), numbers.below(8)]
            .map(|number| number.to_string());
        let mut options = vec!["--device", device];
        if numbers.below(2) == 0 {
            options.extend(["-t", "instr-count"]);
        }
        row.tried += 1;
        let done = run(setting, &[], &options, &program, &arguments)?;
        if !done.status.success() {
            row.failures
                .push(format!("again {arguments:?} {options:?}: {}", words(&done)));
        }
    }
    Ok(row)
}

const FREED: &str = r#"#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
// Blocks come and go; one is freed twice, at once or later. No other block may suffer.
int main(int, char **arguments) {
  srand(atoi(arguments[1]));
  struct Block { unsigned *at; size_t words; unsigned value; };
  std::vector<Block> blocks;
  auto more = [&] {
    Block block = {nullptr, size_t(1) << (rand() % 20), unsigned(rand())};
    if (hipMalloc(&block.at, block.words * 4) != hipSuccess) exit(3);
    if (hipMemsetD32((hipDeviceptr_t)block.at, block.value, block.words) != hipSuccess) exit(4);
    blocks.push_back(block);
  };
  for (int i = 0; i < 8; i++) more();
  unsigned *gone = nullptr;
  for (int round = 0; round < 24; round++) {
    size_t which = rand() % blocks.size();
    Block block = blocks[which];
    blocks.erase(blocks.begin() + which);
    if (hipFree(block.at) != hipSuccess) return puts("a block could not be freed"), 5;
    if (round == 12) gone = block.at;
    bool reused = false;
    for (auto &other : blocks) reused |= gone >= other.at && gone < other.at + other.words;
    if (gone && !reused && rand() % 2) {
      if (hipFree(gone) == hipSuccess) return puts("a block was freed twice"), 6;
      gone = nullptr;
    }
    more();
  }
  for (auto &block : blocks) {
    std::vector<unsigned> seen(block.words);
    if (hipMemcpy(seen.data(), block.at, block.words * 4, hipMemcpyDeviceToHost) != hipSuccess) return 7;
    for (unsigned value : seen) if (value != block.value) return puts("a block has changed"), 8;
    if (hipFree(block.at) != hipSuccess) return puts("a block could not be freed at the end"), 9;
  }
  puts("right");
}
"#;

/// With `--strict`, the second `hipFree` of a block fails and harms no other.
pub(super) fn frees(setting: &Setting) -> Result<Row> {
    let program = made(
        setting,
        "frees.hip",
        FREED,
        "hipcc",
        &["--offload-arch=gfx90a"],
    )?;
    let (mut row, began) = (Row::default(), Instant::now());
    while began.elapsed() < setting.time {
        row.tried += 1;
        let seed = row.tried.to_string();
        let done = run(
            setting,
            &[],
            &["--device", "gfx90a", "--strict"],
            &program,
            &[seed],
        )?;
        if !done.status.success() {
            row.failures
                .push(format!("frees {}: {}", row.tried, words(&done)));
        }
    }
    Ok(row)
}

const NAMING: &str = r##"#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
LUTHIER_TOOL(R"(parameter = [{ name = "reg", type = "u32", default = 0 }, { name = "what", type = "u32", default = 0 }]
hooks = { lanes = ["vector"], wave = ["scalar"], writer = [] })")
__managed__ luthier_u64 calls, sum;
extern "C" __device__ void lanes(unsigned x) { luthier::add(&sum, x); luthier::add(&calls, 1); }
extern "C" __device__ void wave(unsigned x) { luthier::add(&sum, x); luthier::add(&calls, 1); }
extern "C" __device__ void writer() { luthier::write_vgpr(250, 5); luthier::add(&calls, 1); }
LUTHIER_EXPORT_FUNC(lanes)
LUTHIER_EXPORT_FUNC(wave)
LUTHIER_EXPORT_FUNC(writer)
void luthier_at_kernel(luthier_u64 kernel) {
  auto reg = luthier_option_number("reg");
  for (const auto &i : luthier_disassemble_kernel_object(kernel))
    switch (luthier_option_number("what")) {
    case 0: luthier_insert_call(i, LUTHIER_GET_HOOK_HANDLE(lanes), LUTHIER_IPOINT_BEFORE, {{LUTHIER_ARG_VGPR, 0, reg}}); break;
    case 1: luthier_insert_call(i, LUTHIER_GET_HOOK_HANDLE(wave), LUTHIER_IPOINT_BEFORE, {{LUTHIER_ARG_SGPR, 0, reg}}); break;
    case 2: luthier_insert_call(i, LUTHIER_GET_HOOK_HANDLE(lanes), LUTHIER_IPOINT_BEFORE, {{LUTHIER_ARG_AGPR, 0, reg}}); break;
    case 3: luthier_insert_call(i, LUTHIER_GET_HOOK_HANDLE(writer), LUTHIER_IPOINT_BEFORE, {}); break;
    case 4: if (reg > 40) luthier_insert_assembly(i, LUTHIER_IPOINT_BEFORE, ("v_mov_b32 v" + std::to_string(reg) + ", v0").c_str()); break;
    case 5: if (i.is(LUTHIER_CLASS_END)) luthier_remove(i); break;
    }
}
void luthier_at_term() { luthier_report("calls " + std::to_string(calls)); }
"##;

/// Registers that a tool names and a kernel does not have cost the tool a place, and never the application. (The kernel has at most 38 vector
/// registers. The tool may not write one of those.)
pub(super) fn absent(setting: &Setting) -> Result<Row> {
    let targets = DEVICES.map(|device| format!("--offload-arch={device}"));
    let source = filling(64, 16, 0);
    let program = made(
        setting,
        "absent.hip",
        &source,
        "hipcc",
        &targets.each_ref().map(String::as_str),
    )?;
    let (text, tool) = (
        setting.folder.join("naming.hip"),
        setting.folder.join("naming.tool"),
    );
    fs::write(&text, NAMING)?;
    let mut build = Command::new(&setting.luthier);
    build
        .args(["tool", "build"])
        .arg(&text)
        .arg("-o")
        .arg(&tool);
    // Its messages would stand in the middle of the table.
    let output = build.output().context("cannot start luthier")?;
    ensure!(
        output.status.success(),
        "{} does not build: {}",
        text.display(),
        words(&output)
    );
    let mut numbers = Numbers(0xa54f_f53a_5f1d_36f1);
    let (mut row, began) = (Row::default(), Instant::now());
    while began.elapsed() < setting.time {
        let device = pick(&mut numbers, &DEVICES);
        let end = *pick(&mut numbers, &[32, 130, 260, 700]);
        let reg = numbers.below(end);
        let tool = format!("{}:what={},reg={reg}", tool.display(), numbers.below(6));
        let arguments = ["64", "2"].map(str::to_owned);
        row.tried += 1;
        let done = run(
            setting,
            &[],
            &["--device", device, "-t", &tool],
            &program,
            &arguments,
        )?;
        if !done.status.success() {
            row.failures
                .push(format!("absent on {device} with {tool}: {}", words(&done)));
        }
    }
    Ok(row)
}

/// A signal that a program handles and raises again ends it as without Luthier, and the kernel that was running is counted.
/// The counts of a kernel are known when its first time slice has ended. On a busy machine, this takes a while.
pub(super) fn raised(setting: &Setting) -> Result<Row> {
    const SIGNALS: [(&str, i32); 6] = [
        ("HUP", 1),
        ("INT", 2),
        ("QUIT", 3),
        ("ALRM", 14),
        ("TERM", 15),
        ("ABRT", 6),
    ];
    let program = compiled(
        setting,
        "hipcc",
        "raised.hip",
        &["-O2", "-w", "--offload-arch=gfx90a"],
    )?;
    let mut numbers = Numbers(0x510e_527f_ade6_82d1);
    let (mut row, began) = (Row::default(), Instant::now());
    while began.elapsed() < setting.time {
        let (name, number) = *pick(&mut numbers, &SIGNALS);
        let arguments = [
            number.to_string(),
            numbers.below(4).to_string(),
            (2000 + numbers.below(1000)).to_string(),
        ];
        let mut options = vec!["--device", "gfx90a", "--stats"];
        if numbers.below(2) == 0 {
            options.extend(["-t", "instr-count"]);
        }
        row.tried += 1;
        let done = run(setting, &[], &options, &program, &arguments)?;
        let ended =
            done.status.signal() == Some(number) || done.status.code() == Some(128 + number);
        let said = String::from_utf8_lossy(&done.stderr);
        if !ended || !said.contains("spin") {
            row.failures.push(format!(
                "SIG{name} {arguments:?} {options:?}: {}",
                words(&done)
            ));
        }
    }
    Ok(row)
}
