mod barriers;
mod common;
mod late;
mod waits;
