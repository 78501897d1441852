use crate::{Code, Copied, Edit, Kernel, Launch, Live, PacketBytes, Result, Results, ToolFile};
use std::sync::Arc;

/// The properties of a tool that never change.
#[derive(Clone, Copy, Debug)]
pub struct ToolInfo<'t> {
    /// As given to `luthier run -t`.
    pub name: &'t str,
    /// Hooks and variables.
    pub file: &'t ToolFile,
    /// When kernels that it has instrumented are kept.
    pub cache: Cache,
    /// The costly calls that the tool wants.
    pub wants: Wants,
}

/// When kernels that a tool has instrumented are kept on disk, for later runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    /// Never: only the author knows what the host code depends on.
    #[default]
    Never,
    /// Always: the tool's file with its options, the kernel and the choice decide what [`Tool::instrument`] does.
    Always,
    /// Under the key that [`Tool::cache_key`] gives.
    ByKey,
}

/// The events that a tool wants to hear of, besides kernels to be instrumented, their launches, and the end.
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
    /// The properties of a tool that has the name of its file, wants no further events, and whose kernels are not cached.
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

/// The author of a tool implements this trait. Methods take `&self` because kernels are instrumented in parallel. A tool
/// attaches what it learns about a kernel to that kernel ([`Edit::attach`]).
pub trait Tool: Send + Sync {
    /// The same whenever it is asked.
    fn info(&self) -> ToolInfo<'_>;
    /// Hooks and variables that the tool has loaded since, see [`crate::ToolFile::declare`]. A hook of theirs is called `FILE/HOOK`, by
    /// the file's name, and a variable `FILE/VARIABLE`; those of [`ToolInfo::file`] may be called so, too.
    fn modules(&self) -> Vec<&'static ToolFile> {
        Vec::new()
    }
    /// Inserts hooks into a kernel and changes it. Luthier calls this once per kernel, target and [`Tool::choose`]n variant, however many
    /// attempts the kernel takes. It does not call it if the result is in the cache, see [`Cache`]. It calls it once more if a kernel
    /// does not end, to find the place where the kernel is.
    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()>;
    /// Everything that [`Tool::instrument`] depends on besides the tool's file and the kernel: settings, the environment, an earlier
    /// result. An address that goes into a hook as a constant must be part of it. `None`: this kernel is not cached. Luthier asks only
    /// tools with [`Cache::ByKey`].
    fn cache_key(&self, _kernel: &str, _object_hash: &[u8; 32], _choice: u32) -> Option<Vec<u8>> {
        None
    }
    /// Called once, before the first launch: `live` reaches the tool's variables while the program runs. After an error, the tool is not
    /// used.
    fn connect(&self, _live: &Arc<dyn Live>) -> std::result::Result<(), String> {
        Ok(())
    }
    /// The variant that a launch is to run: 0 for one without this tool, else a number that [`Edit::choice`] returns, so that a kernel
    /// may have several variants. A variant is made at its first launch. `packet` is the launch's packet as it was written to the
    /// queue; changes of it act. Needs [`Wants::choices`].
    fn choose(&self, _launch: &Launch<'_>, _code: &Code, _packet: &mut PacketBytes) -> u32 {
        1
    }
    /// An instrumented kernel is about to be dispatched.
    fn launch(&self, _launch: &Launch<'_>) {}
    /// Packets of any kind that the application has written to a queue of a device, before launches are chosen and before the queue gets
    /// them. The tool may change them. `queue` is that of [`Launch`], `device` its agent's number. Needs [`Wants::packets`].
    fn packets(&self, _queue: u64, _device: u32, _packets: &mut [[u8; 64]]) {}
    /// The launch with this number has run from `start` to `end`, in nanoseconds of a clock that all devices share. Needs
    /// [`Wants::launches`].
    fn ended(&self, _launch: u64, _start: u64, _end: u64) {}
    /// A copy by the runtime has ended; told at the next launch, or in the end. Needs [`Wants::launches`].
    fn copied(&self, _copied: &Copied) {}
    /// Records of a stream. `true`: the tool has used them. Otherwise they go into the stream's file.
    fn records(&self, _stream: &str, _records: &[u8]) -> bool {
        false
    }
    /// The application has ended. Returns the text for the user.
    fn finish(&self, results: &Results<'_>) -> Result<String>;
    /// The same as data, for `NAME.PID.json` in the directory of `--output`.
    fn finish_json(&self, _results: &Results<'_>) -> Result<serde_json::Value> {
        Ok(serde_json::Value::Null)
    }
}
