mod barriers;
mod common;
mod late;
mod races;
mod waits;
