mod barriers;
mod common;
mod global_races;
mod init;
mod late;
mod races;
mod waits;
