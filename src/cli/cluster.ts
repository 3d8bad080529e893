import { readFileSync } from 'node:fs';
import { errorText } from '../errors.ts';
import { createLog } from '../log.ts';
import { createConnection, type Connection } from '../transport/connection.ts';
import type { Patience } from './patience.ts';

/** As much as the operator itself: a plan reads what the operator watches. */
const RATE = { qps: 200, burst: 400 };

const VERSION = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** How a command reaches the cluster, and how long it may take. */
export interface ClusterOptions {
  kubeconfig: string | undefined;
  timeoutSeconds: number;
}

/**
 * Runs the work of a command with a connection that is closed afterwards. Sentences go to standard error behind the command's name. Resolves to the
 * exit code: 0, or 1 when the work failed or took too long, which is told.
 */
export async function withCluster(
  command: string,
  { kubeconfig, timeoutSeconds }: ClusterOptions,
  work: (connection: Connection, patience: Patience) => Promise<void>,
): Promise<number> {
  const tell = (sentence: string): void => void process.stderr.write(`${command}: ${sentence}\n`);
  const ending = new AbortController();
  const timer = setTimeout(() => {
    ending.abort(new Error(`gave up after ${timeoutSeconds} seconds`));
  }, timeoutSeconds * 1000);
  try {
    const connection = await openCluster(command, { kubeconfig });
    await work(connection, { signal: ending.signal, tell }).finally(() => {
      connection.close();
    });
    return 0;
  } catch (error) {
    tell(errorText(error));
    return 1;
  } finally {
    clearTimeout(timer);
  }
}

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
