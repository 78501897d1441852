//! Destinations of a changed file.

/// A file that is being written, in any order. Bytes that were never written read as zeros.
pub trait Sink<E> {
    /// Writes `bytes` at `offset`, beyond the end too.
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), E>;

    /// Reads what was written.
    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), E>;

    /// Cuts the file off, or adds zeros.
    fn set_len(&mut self, length: u64) -> Result<(), E>;

    /// The first `_done` bytes of the original are done with. An error ends the work.
    fn progress(&mut self, _done: u64) -> Result<(), E> {
        Ok(())
    }
}

impl<E> Sink<E> for Vec<u8> {
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), E> {
        let (start, end) = (offset as usize, offset as usize + bytes.len());
        if self.len() < end {
            self.resize(end, 0);
        }
        self[start..end].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), E> {
        let start = offset as usize;
        bytes.copy_from_slice(&self[start..start + bytes.len()]);
        Ok(())
    }

    fn set_len(&mut self, length: u64) -> Result<(), E> {
        self.resize(length as usize, 0);
        Ok(())
    }
}
