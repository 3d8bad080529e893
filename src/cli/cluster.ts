import { readFileSync } from 'node:fs';
import { createLog } from '../log.ts';
import { createConnection, type Connection } from '../transport/connection.ts';

/** As much as the operator itself: a plan reads what the operator watches. */
const RATE = { qps: 200, burst: 400 };

const VERSION = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/**
 * Opens the connection of a command: with a kubeconfig when one is named, in its current context or another, else as the pod that it runs in. Only
 * errors are logged. Rejects with ConfigurationError when there are no credentials.
 */
export function openCluster(
  command: string,
  access: { kubeconfig: string | undefined; context?: string | undefined },
): Promise<Connection> {
  const log = createLog({ role: command, verbosity: 0 });
  log.level = 'error';
  return createConnection({ ...access, userAgent: `virt-operator/${VERSION} (${command})`, log, ...RATE });
}
