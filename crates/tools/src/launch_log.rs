//! `launch-log`: what was launched, in which order.

use luthier::{Edit, Kernel, Launch, Result, Results, Tool, ToolFile};
use std::sync::{Mutex, PoisonError};

pub struct LaunchLog {
    file: ToolFile,
    lines: Mutex<Vec<String>>,
}

impl LaunchLog {
    pub fn new(file: ToolFile) -> LaunchLog {
        LaunchLog {
            file,
            lines: Mutex::default(),
        }
    }
}

impl Tool for LaunchLog {
    fn name(&self) -> &str {
        self.file.name()
    }

    fn file(&self) -> &ToolFile {
        &self.file
    }

    fn instrument(&self, _kernel: &Kernel<'_>, _edit: &mut Edit<'_>) -> Result<()> {
        Ok(())
    }

    fn launch(&self, launch: &Launch<'_>) {
        let [x, y, z] = launch.grid;
        let [a, b, c] = launch.workgroup;
        let line = format!(
            "{:>6}  device {}  grid {x}x{y}x{z}  workgroup {a}x{b}x{c}  {}",
            launch.number, launch.agent.number, launch.kernel
        );
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push(line);
    }

    fn finish(&self, _results: &Results<'_>) -> Result<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(lines.join("\n"))
    }
}
