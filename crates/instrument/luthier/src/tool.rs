use crate::{Code, Copied, Edit, Kernel, Launch, Live, PacketBytes, Result, Results, ToolFile};
use std::sync::Arc;

/// The author of a tool implements this trait. Methods take `&self` because kernels are instrumented in parallel. A tool attaches its facts
/// about a kernel to that kernel ([`Edit::attach`]).
pub trait Tool: Send + Sync {
    /// The name that was given to `luthier run -t`.
    fn name(&self) -> &str;
    /// Hooks and variables.
    fn file(&self) -> &ToolFile;
    /// Hooks and variables that the tool has loaded since, see [`crate::ToolFile::declare`]. A hook of theirs is called `FILE/HOOK`, by
    /// the file's name, and a variable `FILE/VARIABLE`; those of [`Tool::file`] may be called so, too.
    fn modules(&self) -> Vec<&'static ToolFile> {
        Vec::new()
    }
    /// Inserts hooks into a kernel. Called once for each kernel, target and [`Tool::choose`]n variant, however many attempts the kernel
    /// takes; not called if the result is in the cache, see [`Tool::cache_key`]. (Called once more if a kernel does not end and its place
    /// is to be reported.)
    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()>;
    /// Everything besides the tool's file and the kernel that decides what [`Tool::instrument`] does: settings, the environment, an earlier
    /// result. Instrumented kernels are kept on disk under this key. With `None`, the default, they are not kept, because only the author
    /// knows what host code depends on. An address that goes into a hook as a constant must be part of the key.
    fn cache_key(&self, _kernel: &str, _object_hash: &[u8; 32], _choice: u32) -> Option<Vec<u8>> {
        None
    }
    /// Called once, before anything is launched: how to reach the tool's variables while the program runs. An error costs the
    /// tool.
    fn connect(&self, _live: &Arc<dyn Live>) -> std::result::Result<(), String> {
        Ok(())
    }
    /// Whether [`Tool::choose`] is to be asked.
    fn chooses(&self) -> bool {
        false
    }
    /// Chooses what a launch runs of this tool. 0: nothing. Any other number is given back by [`Edit::choice`], so a kernel may have
    /// several variants, which are made when they are first needed. `packet` is the launch's, as it was written to the queue; changes to it
    /// take effect.
    fn choose(&self, _launch: &Launch<'_>, _code: &Code, _packet: &mut PacketBytes) -> u32 {
        1
    }
    /// An instrumented kernel is about to be dispatched.
    fn launch(&self, _launch: &Launch<'_>) {}
    /// Whether [`Launch::arguments`] and [`Tool::ended`] are wanted, which cost time.
    fn observes_launches(&self) -> bool {
        false
    }
    /// Whether [`Tool::packets`] is wanted.
    fn observes_packets(&self) -> bool {
        false
    }
    /// Packets of any kind that the application has written to a queue of a device, before launches are chosen and before the queue gets
    /// them; they may be changed. `queue` is that of [`Launch`], `device` its agent's number.
    fn packets(&self, _queue: u64, _device: u32, _packets: &mut [[u8; 64]]) {}
    /// The launch with this number has run, from one time to another, in nanoseconds of a clock that all devices share.
    fn ended(&self, _launch: u64, _start: u64, _end: u64) {}
    /// A copy by the runtime has ended, if [`Tool::observes_launches`]; told at the next launch, or in the end.
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
