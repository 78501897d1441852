//! Devices that run kernels with the hooks of `mem-check` in them.

use crate::{
    Outcome,
    programs::{Runner, expect},
};
use allocations::facts;
use emulate::Device;
use luthier::{Config, Engine};
use stand_alone::StandAlone;
use std::sync::Arc;

pub struct Hooked {
    alone: StandAlone,
    /// For what the tool writes.
    _output: tempfile::TempDir,
}

impl Hooked {
    pub fn new(object: &[u8]) -> Outcome<Hooked> {
        let list = ["mem-check".to_owned()];
        // Benches lie in a folder beside the tools.
        let program = std::env::current_exe()?;
        let built = program.ancestors().nth(2).ok_or("no folder of programs")?;
        let tools = tools::open_all(&list, &built.join("luthier-tools"))?;
        let output = tempfile::tempdir()?;
        let (mut config, _) = Config::read(|_| None::<String>);
        config.tools = list.into();
        config.output = Some(output.path().to_owned());
        let engine = Engine::new(tools, "", config.output.clone())?;
        let alone = StandAlone::new(object.to_owned(), "", 1, config, Arc::new(engine))?;
        Ok(Hooked {
            alone,
            _output: output,
        })
    }

    pub fn device(&self) -> &Device<'static> {
        self.alone.device()
    }

    /// Tells in place of a runtime. All tools of the process share the facts: the tool that looks at the next launch hears them.
    pub fn tell_what_is_allocated(&self) {
        for (first, size) in self.device().allocated() {
            facts::region_allocated(first, size, "buffer");
        }
    }

    pub fn runner(&self) -> Box<Runner<'_>> {
        Box::new(|prepared| self.alone.launch(prepared, None))
    }

    /// Every kernel had hooks in it, and these have found nothing. No runtime tells of the memory that holds a launch's arguments.
    pub fn finish(&self) -> Outcome<()> {
        let done = self.alone.finish();
        let (summary, said, problems) = done.ok_or("the session has ended")?;
        let said = summary.text() + &said + &problems.concat();
        let is_silent = !["out-of-bounds", "after-free", "not instrumented"]
            .iter()
            .any(|word| said.contains(word));
        expect(is_silent && said.contains(" 0 refused"), &said)
    }
}
