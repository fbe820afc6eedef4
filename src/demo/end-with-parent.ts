// Loaded into each program of the demo before its own code. Standard input is a pipe that the demo holds and never writes
// to: it ends when the demo is gone, also when it was killed and could stop nothing.

/** A program that has not stopped so long after it was told to is ended at once. */
const graceMs = 8_000;

process.stdin.on('end', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), graceMs).unref();
});
process.stdin.on('error', () => undefined);
process.stdin.resume();
// The pipe alone must not keep a program alive that is done.
(process.stdin as NodeJS.ReadStream).unref();
