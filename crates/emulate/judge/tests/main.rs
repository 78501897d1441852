mod barriers;
mod common;
mod inexact;
mod init;
mod late;
mod races;
mod waits;
