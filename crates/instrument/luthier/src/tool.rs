use crate::{Code, Copied, Edit, Kernel, Launch, Live, PacketBytes, Result, Results, ToolFile};
use std::sync::Arc;

/// What a tool is, as long as it lives.
#[derive(Clone, Copy, Debug)]
pub struct ToolInfo<'t> {
    /// As given to `luthier run -t`.
    pub name: &'t str,
    /// Hooks and variables.
    pub file: &'t ToolFile,
    /// When kernels that it has instrumented are kept.
    pub cache: Cache,
    /// Which of the calls that cost something it wants.
    pub wants: Wants,
}

/// When kernels that a tool has instrumented are kept on disk, for later runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    /// Never, because nobody but the author knows what host code depends on.
    #[default]
    Never,
    /// Always: the tool's file with its options, the kernel and the choice decide what [`Tool::instrument`] does.
    Always,
    /// Under the key that [`Tool::cache_key`] gives.
    ByKey,
}

/// What a tool wants to hear of, besides kernels to be instrumented, their launches, and the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// [`Tool::choose`].
    pub choices: bool,
    /// [`Launch::arguments`], [`Tool::ended`] and [`Tool::copied`], which cost time.
    pub launches: bool,
    /// [`Tool::packets`].
    pub packets: bool,
}

impl<'t> ToolInfo<'t> {
    /// Of a tool with the name of its file that wants nothing and whose kernels are not kept.
    pub fn new(file: &'t ToolFile) -> ToolInfo<'t> {
        ToolInfo {
            name: file.name(),
            file,
            cache: Cache::default(),
            wants: Wants::default(),
        }
    }

    /// The same; kernels are kept as `cache` says.
    pub fn cached(self, cache: Cache) -> ToolInfo<'t> {
        ToolInfo { cache, ..self }
    }

    /// The same; the tool wants more.
    pub fn wanting(self, wants: Wants) -> ToolInfo<'t> {
        ToolInfo { wants, ..self }
    }
}

/// What someone who writes a tool implements. Methods take `&self` because kernels are instrumented in parallel; what a tool
/// finds out about a kernel it attaches to that ([`Edit::attach`]).
pub trait Tool: Send + Sync {
    /// The same whenever it is asked.
    fn info(&self) -> ToolInfo<'_>;
    /// Hooks and variables that the tool has loaded since, see [`crate::ToolFile::declare`]. A hook of theirs is called `FILE/HOOK`, by
    /// the file's name, and a variable `FILE/VARIABLE`; those of [`ToolInfo::file`] may be called so, too.
    fn modules(&self) -> Vec<&'static ToolFile> {
        Vec::new()
    }
    /// Says what goes where in a kernel; called once per kernel, target and [`Tool::choose`]n variant, however many
    /// attempts the kernel takes; not at all when the result is in the cache, see [`Cache`]. (Once more if a kernel does not
    /// end and somebody wants to know where it is.)
    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()>;
    /// What decides, besides the tool's file and the kernel, what [`Tool::instrument`] does: settings, the environment, an earlier
    /// result. An address that goes into a hook as a constant must be part of it. `None`: this kernel is not kept. Only asked of tools
    /// with [`Cache::ByKey`].
    fn cache_key(&self, _kernel: &str, _object_hash: &[u8; 32], _choice: u32) -> Option<Vec<u8>> {
        None
    }
    /// Called once, before anything is launched: how to reach the tool's variables while the program runs. An error costs the
    /// tool.
    fn connect(&self, _live: &Arc<dyn Live>) -> std::result::Result<(), String> {
        Ok(())
    }
    /// What a launch is to run, as far as this tool is concerned: 0, nothing of it; else a number that
    /// [`Edit::choice`] gives back, so that a kernel may have several variants. They are made when first wanted.
    /// `packet` is the launch's as it was written to the queue; what is changed in it acts. Needs [`Wants::choices`].
    fn choose(&self, _launch: &Launch<'_>, _code: &Code, _packet: &mut PacketBytes) -> u32 {
        1
    }
    /// An instrumented kernel is about to be dispatched.
    fn launch(&self, _launch: &Launch<'_>) {}
    /// Packets of any kind that the application has written to a queue of a device, before launches are chosen and before the queue gets
    /// them; they may be changed. `queue` is that of [`Launch`], `device` its agent's number. Needs [`Wants::packets`].
    fn packets(&self, _queue: u64, _device: u32, _packets: &mut [[u8; 64]]) {}
    /// The launch with this number has run, from one time to another, in nanoseconds of a clock that all devices share. Needs
    /// [`Wants::launches`].
    fn ended(&self, _launch: u64, _start: u64, _end: u64) {}
    /// A copy by the runtime has ended; told at the next launch, or in the end. Needs [`Wants::launches`].
    fn copied(&self, _copied: &Copied) {}
    /// Records of a stream; `true` when they were taken care of, otherwise they go into the stream's file.
    fn records(&self, _stream: &str, _records: &[u8]) -> bool {
        false
    }
    /// The application has ended: what the user is to read.
    fn finish(&self, results: &Results<'_>) -> Result<String>;
    /// The same as data, for `NAME.PID.json` in the directory of `--output`.
    fn finish_json(&self, _results: &Results<'_>) -> Result<serde_json::Value> {
        Ok(serde_json::Value::Null)
    }
}
