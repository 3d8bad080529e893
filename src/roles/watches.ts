import type { ApiConnection } from '../api/connection.ts';
import type { Depth } from '../watch/table.ts';
import { startWatches, type Watches } from '../watch/watches.ts';
import type { Closers, RoleContext } from './role.ts';

/** Starts the one set of watches of a process; they end when the role is stopped. */
export function openWatches(
  { config, log }: RoleContext,
  parts: { connection: ApiConnection; depth: Depth; closers: Closers },
): Watches {
  const ending = new AbortController();
  parts.closers.add('watches', () => {
    ending.abort(new Error('the process ends'));
  });
  return startWatches({
    connection: parts.connection,
    operatorNamespace: config.operatorNamespace,
    depth: parts.depth,
    log,
    signal: ending.signal,
  });
}
