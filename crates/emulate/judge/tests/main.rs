mod common;
mod late;
mod waits;
