//! The code of a kernel that is about to be launched, for tools that decide per launch.

use crate::{Error, Kernel, Result, SiteFilter};
use codeobj::{CodeObject, SourceLines};
use lift::Module;
use session::Request;
use std::sync::Arc;

/// A kernel's code, not looked at yet. Cheap to copy.
#[derive(Clone, Debug)]
pub struct Code {
    object: Arc<[u8]>,
    hash: [u8; 32],
    kernel: String,
    filter: SiteFilter,
}

impl Code {
    pub(crate) fn new(request: &Request<'_>, object: &Arc<[u8]>, filter: &SiteFilter) -> Code {
        Code {
            filter: filter.clone(),
            object: Arc::clone(object),
            hash: *request.object_hash,
            kernel: request.kernel.to_owned(),
        }
    }

    /// SHA-256 of the code object.
    pub fn object_hash(&self) -> &[u8; 32] {
        &self.hash
    }

    /// The kernel's name in the symbol table.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// The places that the user chose.
    pub fn filter(&self) -> &SiteFilter {
        &self.filter
    }

    /// Lifts the kernel, with source lines where the object has them. Takes milliseconds for a large kernel.
    pub fn with<T>(&self, act: impl FnOnce(&Kernel<'_>) -> T) -> Result<T> {
        let object = CodeObject::parse(&self.object).map_err(Error::Object)?;
        let module = Module::lift_kernel(&object, &self.kernel).map_err(Error::Lift)?;
        let function = module.function(&self.kernel);
        let function = function.ok_or_else(|| Error::NoKernel(self.kernel.to_string()))?;
        // Debug information that cannot be read is none.
        let lines = SourceLines::read(&object).ok().flatten();
        Ok(act(&Kernel::new(
            &object,
            &module,
            lines.as_ref(),
            function,
        )))
    }
}
