use crate::{Edit, Kernel, Launch, Result, Results, ToolFile};

/// What someone who writes a tool implements. Methods take `&self` because kernels are instrumented in parallel; what a tool
/// finds out about a kernel it attaches to that ([`Edit::attach`]).
pub trait Tool: Send + Sync {
    /// As given to `luthier run -t`.
    fn name(&self) -> &str;
    /// Hooks and variables.
    fn file(&self) -> &ToolFile;
    /// Says what goes where in a kernel; called once per kernel and target, not at all when the result is in the cache.
    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()>;
    /// An instrumented kernel is about to be dispatched.
    fn launch(&self, _launch: &Launch<'_>) {}
    /// Whether [`Launch::arguments`] and [`Tool::ended`] are wanted, which cost time.
    fn observes_launches(&self) -> bool {
        false
    }
    /// The launch with this number has run, from one time to another, in nanoseconds of a clock that all devices share.
    fn ended(&self, _launch: u64, _start: u64, _end: u64) {}
    /// Records of a stream; `true` when they were taken care of, otherwise they go into the stream's file.
    fn records(&self, _stream: &str, _records: &[u8]) -> bool {
        false
    }
    /// The application has ended: what the user is to read.
    fn finish(&self, results: &Results<'_>) -> Result<String>;
    /// The same as data, for `--format json`.
    fn finish_json(&self, _results: &Results<'_>) -> Result<serde_json::Value> {
        Ok(serde_json::Value::Null)
    }
}
