'use strict';
// How far a Go build is, and how long it may still take.

/** CPU seconds that compiling one package of Kubernetes takes on average (25 minutes for 2,816 and six programs, measured). */
const USUAL_CPU_SECONDS = 0.51;
/** Linking one program takes as long as compiling so many packages. */
const PACKAGES_PER_LINK = 20;
/** How many packages' worth of evidence the usual figure counts for; the machine's own pace soon outweighs it. */
const USUAL_WEIGHT = 150;

/** Seconds until the rest of `total` packages is compiled and `links` programs are linked, by the usual pace and, more and more, by the observed one. */
function estimateSeconds({ done, total, links, elapsedSeconds, cores }) {
  const usualPace = USUAL_CPU_SECONDS / cores;
  const pace = (USUAL_WEIGHT * usualPace + elapsedSeconds) / (USUAL_WEIGHT + done);
  return (Math.max(0, total - done) + links * PACKAGES_PER_LINK) * pace;
}

/** A duration for people: `40 s`, `3 min`. */
function formatDuration(seconds) {
  return seconds < 90 ? `${Math.ceil(seconds / 5) * 5} s` : `${Math.round(seconds / 60)} min`;
}

/** One line about the state of a build. */
function describeProgress({ what, ...state }) {
  const { done, total } = state;
  if (done >= total) return `${what}: all ${total} packages compiled, linking`;
  const left = formatDuration(estimateSeconds(state));
  return `${what}: ${done} of ${total} packages (${Math.floor((100 * done) / total)} %), about ${left} left`;
}

/**
 * Shows `describe()` on `stream` until stop() is called: rewritten in place on a terminal, else a new line every 15 s.
 */
function showProgress(describe, stream) {
  const write = () => stream.write(stream.isTTY ? `\r${describe()}\u001b[K` : `${describe()}\n`);
  write();
  const timer = setInterval(write, stream.isTTY ? 1000 : 15_000);
  return {
    stop() {
      clearInterval(timer);
      if (stream.isTTY) stream.write('\r\u001b[K');
    },
  };
}

module.exports = { describeProgress, estimateSeconds, formatDuration, showProgress };
