'use strict';
// Keeps two builds of the same programs from running at once. Only time is at stake: each build has its own folder and is put in place by a rename.
const { readFileSync, rmSync, writeFileSync } = require('node:fs');

const POLL_MS = 500;

/** True while a process with this id runs. */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Takes the lock file; the id of the process that holds it when that is another living one. A dead holder's lock is taken over. */
function tryLock(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return undefined;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const holder = Number(readHolder(path));
  if (isRunning(holder)) return holder;
  rmSync(path, { force: true });
  return tryLock(path);
}

/** A holder that has just released the file counts as dead. */
function readHolder(path) {
  try {
    return readFileSync(path, 'utf8') || 'unknown';
  } catch (error) {
    if (error.code === 'ENOENT') return 'unknown';
    throw error;
  }
}

/** Waits for the lock file at `path`; `tellWaiting` is called once with the holder's process id. Resolves to the function that releases it. */
async function takeLock(path, tellWaiting) {
  let told = false;
  for (;;) {
    const holder = tryLock(path);
    if (holder === undefined) return () => rmSync(path, { force: true });
    if (!told) tellWaiting(holder);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

module.exports = { isRunning, takeLock };
