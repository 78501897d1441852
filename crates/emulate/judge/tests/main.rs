mod barriers;
mod common;
mod init;
mod late;
mod races;
mod waits;
