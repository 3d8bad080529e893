// @ts-check
/** The events of the operator, for as long as the page is open. */

/** The names of all events; each brings one part of the state as JSON. */
const EVENTS = /** @type {const} */ ([
  'hello',
  'beat',
  'redis',
  'progress',
  'situations',
  'leader',
  'queue',
  'wakeUps',
  'passes',
]);
/** The server sends something every ten seconds; a connection that is silent for longer is dead, whatever the browser thinks. */
const SILENCE_MAX_MS = 25_000;
const LOOK_MS = 2000;

/** @typedef {'connecting' | 'live' | 'lost'} Connection */

/**
 * Follows the events; comes back by itself whenever the connection is lost.
 * @param {(event: string, data: any) => void} onEvent
 * @param {(connection: Connection) => void} onConnection
 */
export function followEvents(onEvent, onConnection) {
  let lastSeen = Date.now();
  /** @type {EventSource | undefined} */
  let source;
  const open = () => {
    source?.close();
    lastSeen = Date.now();
    source = new EventSource('events');
    source.onopen = () => onConnection('live');
    source.onerror = () => onConnection('lost');
    for (const event of EVENTS) {
      source.addEventListener(event, (message) => {
        lastSeen = Date.now();
        onEvent(event, JSON.parse(message.data));
      });
    }
  };
  onConnection('connecting');
  open();
  setInterval(async () => {
    const isRefused = source?.readyState === EventSource.CLOSED;
    if (!isRefused && Date.now() - lastSeen < SILENCE_MAX_MS) return;
    onConnection('lost');
    if (isRefused && (await isSignedOut())) location.reload();
    else open();
  }, LOOK_MS);
}

/** The browser does not tell why a stream was refused. */
async function isSignedOut() {
  try {
    const { status } = await fetch('./', { method: 'HEAD', cache: 'no-store' });
    return status === 401;
  } catch {
    // The server is away, which is another matter.
    return false;
  }
}
