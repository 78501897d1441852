//! The life of a process that runs kernels for another one.

use std::{
    fs::File,
    io::{self, BufReader, BufWriter},
    os::fd::FromRawFd,
};

use crate::{
    Device, Error, Result,
    protocol::{Answer, Request},
};

/// Answers requests on standard input until its end. Answers go where standard output went; what libraries print there goes to
/// standard error instead.
pub fn serve() -> Result<()> {
    let mut to = BufWriter::new(take_output()?);
    let mut from = BufReader::new(io::stdin().lock());
    let mut device = None;
    let mut loaded = None;
    while let Some(request) = Request::read(&mut from)? {
        let answer = match open(&mut device) {
            Err(error) => Answer::Failed(error.to_string()),
            Ok(device) => match request {
                Request::About => Answer::About(device.about().clone()),
                Request::Load(bytes) => {
                    if let Some(before) = loaded.take() {
                        device.unload(before);
                    }
                    match device.load(bytes) {
                        Ok(object) => {
                            loaded = Some(object);
                            Answer::Loaded
                        }
                        Err(error) => Answer::Failed(error.to_string()),
                    }
                }
                Request::Run(launch) => match &loaded {
                    None => Answer::Failed("no code object is loaded".to_owned()),
                    Some(loaded) => match device.launch(loaded, &launch) {
                        Ok(mut output) => {
                            output.truncate(launch.output as usize);
                            Answer::Output(output)
                        }
                        Err(error) => {
                            Answer::Failed(error.to_string()).write(&mut to)?;
                            // The kernel may still run: only the end of the process ends it.
                            return Err(error);
                        }
                    },
                },
            },
        };
        answer.write(&mut to)?;
    }
    Ok(())
}

fn open(device: &mut Option<Device>) -> Result<&Device> {
    match device {
        Some(device) => Ok(device),
        None => Ok(device.insert(Device::open()?)),
    }
}

/// Standard output for ourselves; its number becomes another name of standard error.
fn take_output() -> Result<File> {
    // SAFETY: both numbers are open in any process that was started with streams, and failures are looked at.
    let own = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_DUPFD_CLOEXEC, 3) };
    if own < 0 {
        return Err(Error::Stream(io::Error::last_os_error()));
    }
    // SAFETY: both numbers are open in any process that was started with streams, and a failure is an error.
    if unsafe { libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) } < 0 {
        return Err(Error::Stream(io::Error::last_os_error()));
    }
    // SAFETY: the descriptor was just made, and no other value owns it.
    Ok(unsafe { File::from_raw_fd(own) })
}
