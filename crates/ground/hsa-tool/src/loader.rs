//! AMD's loader extension: which code lies where, and the file it came from.

use std::{fs::File, mem::ManuallyDrop, os::fd::FromRawFd, os::unix::fs::FileExt, ptr};

use hsa_sys::{
    Handle,
    constants::{EXTENSION_AMD_LOADER, status},
    loader::{KIND_AGENT, LoaderTable, STORAGE_FILE, STORAGE_MEMORY, Segment, object_info},
};

use guest::memory;

use crate::{Error, Tables, Uri, check, function, info};

const OBJECT_INFO: &str = "hsa_ven_amd_loader_loaded_code_object_get_info";
/// Bytes of the longest URI.
const URI_LIMIT: u32 = 1 << 16;

/// The extension of a runtime that is running.
pub struct Loader(LoaderTable);

impl Loader {
    pub fn new(tables: &Tables) -> Result<Loader, Error> {
        let mut table = LoaderTable::default();
        let fill = function!(tables, core.system_get_major_extension_table)?;
        // SAFETY: the runtime writes at most the size given, and the table has that size.
        let status = unsafe {
            fill(
                EXTENSION_AMD_LOADER,
                1,
                size_of::<LoaderTable>(),
                (&raw mut table).cast(),
            )
        };
        check("hsa_system_get_major_extension_table", status)?;
        Ok(Loader(table))
    }

    /// All executables that exist now.
    pub fn executables(&self) -> Result<Vec<Handle>, Error> {
        if let Some(iterate) = self.0.iterate_executables {
            let call = "hsa_ven_amd_loader_iterate_executables";
            // SAFETY: the callback gets the pointer that it expects.
            return info::handles(call, |list| unsafe { iterate(info::each, list) });
        }
        // Extensions before 1.03 list segments only.
        let call = "hsa_ven_amd_loader_query_segment_descriptors";
        let query = self.0.query_segment_descriptors;
        let query = query.ok_or(Error::Missing { call })?;
        let mut count = 0;
        // SAFETY: a null list asks for the number of segments.
        check(call, unsafe { query(ptr::null_mut(), &raw mut count) })?;
        let mut segments = vec![Segment::default(); count];
        // SAFETY: the list has as many entries as `count` says.
        check(call, unsafe {
            query(segments.as_mut_ptr(), &raw mut count)
        })?;
        let executables = segments
            .iter()
            .take(count)
            .map(|segment| segment.executable);
        let mut executables: Vec<Handle> = executables.collect();
        executables.sort_unstable();
        executables.dedup();
        Ok(executables)
    }

    /// The code objects that are loaded into an executable so far; none for one that was destroyed, which ROCr 5.2 still lists.
    pub fn objects(&self, executable: Handle) -> Result<Vec<Handle>, Error> {
        let call = "hsa_ven_amd_loader_executable_iterate_loaded_code_objects";
        let iterate = self.0.iterate_loaded_code_objects;
        let iterate = iterate.ok_or(Error::Missing { call })?;
        // SAFETY: the callback gets the pointer that it expects.
        match info::handles(call, |list| unsafe {
            iterate(executable, info::each_of, list)
        }) {
            Err(Error::Call {
                status: status::INVALID_EXECUTABLE,
                ..
            }) => Ok(Vec::new()),
            objects => objects,
        }
    }

    /// The agent that an object is loaded on; `None` if it belongs to no single one.
    pub fn agent(&self, object: Handle) -> Result<Option<Handle>, Error> {
        // SAFETY: the kind is 32 bits wide, and the agent is a handle.
        unsafe {
            match self.info(object, object_info::KIND, 0u32)? {
                KIND_AGENT => self.info(object, object_info::AGENT, 0u64).map(Some),
                _ => Ok(None),
            }
        }
    }

    /// First address, bytes, and load delta of a frozen object.
    pub fn placement(&self, object: Handle) -> Result<(u64, u64, u64), Error> {
        // SAFETY: both are 64 bits wide.
        let (base, size) = unsafe {
            (
                self.info(object, object_info::LOAD_BASE, 0u64)?,
                self.info(object, object_info::LOAD_SIZE, 0u64)?,
            )
        };
        Ok((base, size, self.load_delta(object)?))
    }

    /// Address on the device less address in the file, for every address of the object.
    pub fn load_delta(&self, object: Handle) -> Result<u64, Error> {
        // SAFETY: it is 64 bits wide.
        unsafe { self.info(object, object_info::LOAD_DELTA, 0u64) }
    }

    /// The URI of the object, see [`Uri`]; empty if the runtime does not say.
    pub fn uri(&self, object: Handle) -> String {
        let text = || {
            let get = self.object_info()?;
            // SAFETY: the length is 32 bits wide, and the text is not longer than that.
            unsafe {
                let length = self.info(object, object_info::URI_LENGTH, 0u32)?;
                let length = length.min(URI_LIMIT);
                info::text(OBJECT_INFO, get, object, object_info::URI, length)
            }
        };
        text().unwrap_or_default()
    }

    /// The file that was loaded; `None` if the runtime does not say where it is.
    pub fn image(&self, object: Handle) -> Result<Option<Image>, Error> {
        // SAFETY: types are those of the attributes.
        unsafe {
            match self.info(object, object_info::STORAGE_TYPE, 0u32)? {
                STORAGE_MEMORY => Ok(Some(Image::Memory {
                    address: self.info(object, object_info::MEMORY_BASE, 0u64)?,
                    size: self.info(object, object_info::MEMORY_SIZE, 0u64)?,
                })),
                STORAGE_FILE => {
                    let descriptor = self.info(object, object_info::FILE, -1i32)?;
                    Ok(Some(Image::file(descriptor, &self.uri(object))))
                }
                _ => Ok(None),
            }
        }
    }

    fn object_info(&self) -> Result<hsa_sys::tables::GetInfo, Error> {
        let get = self.0.loaded_code_object_get_info;
        get.ok_or(Error::Missing { call: OBJECT_INFO })
    }

    /// # Safety
    /// As [`info::get`].
    unsafe fn info<T>(&self, object: Handle, what: u32, value: T) -> Result<T, Error> {
        // SAFETY: the caller's promise.
        unsafe { info::get(OBJECT_INFO, self.object_info()?, object, what, value) }
    }
}

/// A code object's file, which is there as long as what it was loaded from: its reader's memory, or a descriptor of the
/// application's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Image {
    Memory {
        address: u64,
        size: u64,
    },
    File {
        descriptor: i32,
        offset: u64,
        size: u64,
    },
}

impl Image {
    /// The part of an open file that its URI names: all of it, if that names none.
    fn file(descriptor: i32, uri: &str) -> Image {
        let uri = Uri::parse(uri);
        let offset = uri.as_ref().and_then(|uri| uri.offset).unwrap_or(0);
        let size = uri.and_then(|uri| uri.size).unwrap_or_else(|| {
            let metadata = borrowed(descriptor).and_then(|file| file.metadata().ok());
            metadata.map_or(0, |file| file.len().saturating_sub(offset))
        });
        Image::File {
            descriptor,
            offset,
            size,
        }
    }

    /// Bytes; 0 if they cannot be found out.
    pub fn size(&self) -> u64 {
        match self {
            Image::Memory { size, .. } | Image::File { size, .. } => *size,
        }
    }

    /// Copies what lies so many bytes behind the beginning; false if that cannot be read.
    pub fn read_at(&self, from: u64, into: &mut [u8]) -> bool {
        match *self {
            Image::Memory { address, .. } => {
                let address = address.checked_add(from);
                address.is_some_and(|address| memory::read(address, into))
            }
            Image::File {
                descriptor, offset, ..
            } => {
                let at = offset.saturating_add(from);
                borrowed(descriptor).is_some_and(|file| file.read_exact_at(into, at).is_ok())
            }
        }
    }

    /// A copy of the whole.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(self.size()).ok()?];
        self.read_at(0, &mut bytes).then_some(bytes)
    }
}

/// A file of the application's, which is not closed here.
fn borrowed(descriptor: i32) -> Option<ManuallyDrop<File>> {
    // SAFETY: the owner of the descriptor stays its owner. A number that is no descriptor makes calls fail.
    (descriptor >= 0).then(|| ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn an_image_is_a_part_of_a_file_or_of_memory() {
        // The test's own file is as good as any.
        let path = std::env::current_exe().expect("a path");
        let whole = std::fs::read(&path).expect("a file");
        let file = File::open(&path).expect("a file");
        let length = whole.len() as u64;
        let uri = |range: &str| format!("file://{}{range}", path.display());
        for (range, offset, size) in [
            ("", 0, length),
            ("#offset=16&size=64", 16, 64),
            ("?offset=16&size=64", 16, 64),
            ("#offset=0x20", 32, length - 32),
        ] {
            let image = Image::file(file.as_raw_fd(), &uri(range));
            let part = &whole[offset as usize..(offset + size) as usize];
            assert_eq!(image.size(), size, "{range}");
            assert!(image.bytes().as_deref() == Some(part), "{range}");
            let mut four = [0; 4];
            assert!(image.read_at(8, &mut four), "{range}");
            assert_eq!(four, part[8..12], "{range}");
        }
        assert_eq!(Image::file(-1, &uri("")).size(), 0);
        let image = Image::Memory {
            address: whole.as_ptr() as u64,
            size: 4,
        };
        assert_eq!(image.bytes().as_deref(), Some(&whole[..4]));
        let nowhere = Image::Memory {
            address: 8,
            size: 4,
        };
        assert_eq!(nowhere.bytes(), None);
    }
}
