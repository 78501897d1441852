mod barriers;
mod common;
mod init;
mod late;
mod nan;
mod races;
mod waits;
