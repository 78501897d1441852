//! comgr, the compiler inside HIP, and what it has made before.
//!
//! HIP 5 compiles its own kernels, which copy and fill memory, anew in every process. A small program spends two thirds of its time on that.
//! [`Cache::act`] stands in the place of `amd_comgr_do_action` and answers such requests from a directory.
//!
//! A request is kept if nothing but what it says decides its result ([`request`]). Its name there ([`request::Request::key`]) is made of all
//! that and of the compiler's files. Everything else is comgr's work, as is a request whose file is missing, damaged, or another user's.

mod kept;
mod library;
mod request;

use std::path::PathBuf;

use kmt_sys::door::Action;
use library::Library;

/// A directory of results. Any number of processes may use it at once.
#[derive(Clone, Debug)]
pub struct Cache(kept::Folder);

/// The variable that names the directory, or says `off`, `0` or `no`.
pub const VARIABLE: &str = "LUTHIER_COMPILER_CACHE";

impl Cache {
    /// Nothing is made on disk before the first result.
    pub fn new(folder: PathBuf) -> Cache {
        Cache(kept::Folder(folder))
    }

    /// The cache that the user's environment names; `None` if it is off, or if there is no place for it.
    pub fn of_user() -> Option<Cache> {
        let named = std::env::var_os(VARIABLE).filter(|value| !value.is_empty());
        let folder = match named {
            Some(off) if ["off", "0", "no"].iter().any(|word| off == *word) => return None,
            Some(folder) => PathBuf::from(folder),
            None => outputs::user_cache(|name| std::env::var_os(name))?.join("compiler"),
        };
        Some(Cache::new(folder))
    }

    /// Does an action, as `amd_comgr_do_action` does. Returns comgr's status.
    ///
    /// # Safety
    /// `action` must be comgr's function of that name, and the handles must be that library's.
    pub unsafe fn act(&self, action: Action, kind: u32, info: u64, input: u64, result: u64) -> i32 {
        // SAFETY: the caller's handles.
        let comgr = || unsafe { action(kind, info, input, result) };
        let known = Library::of(action).and_then(|library| {
            // SAFETY: the caller's handles, which are this library's.
            let request = unsafe { request::Request::read(&library, kind, info, input, result) };
            Some((library, request?.key()))
        });
        let Some((library, key)) = known else {
            return comgr();
        };
        if let Some(made) = self.0.get(&key) {
            // SAFETY: the caller's handle, which is this library's.
            return unsafe { library.add(result, &made) };
        }
        let status = comgr();
        if status == library::SUCCESS {
            // SAFETY: the caller's handle, which is this library's.
            let made = unsafe { library.set(result) };
            made.inspect(|made| self.0.put(&key, made));
        }
        status
    }
}
