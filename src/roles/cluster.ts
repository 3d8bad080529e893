import { readFileSync } from 'node:fs';

import { createClient } from '../apply/client.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { createConnection, type Connection, type RequestRecord } from '../transport/connection.ts';
import { whenReachable } from '../transport/when-reachable.ts';
import type { Closers, RoleContext } from './role.ts';

/** The version of this program, from its package. */
export const PROGRAM_VERSION: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** The cluster that a process works with. */
export interface Cluster {
  connection: Connection;
  /** UID of the namespace kube-system: the identity of the cluster. */
  uid: string;
}

/**
 * Opens the connection and waits until the API server answers; says in the log what is awaited.
 */
export async function connectCluster(
  { config, log, signal }: RoleContext,
  closers: Closers,
  onRequest?: (record: RequestRecord) => void,
): Promise<Cluster> {
  const connection = await openConnection(config, log, onRequest);
  closers.add('connection to the API server', () => {
    connection.close();
  });
  await whenReachable(connection, log, signal);
  const { metadata } = await createClient(connection, { signal, lane: 'reserved' }).get({
    kind: 'Namespace',
    name: 'kube-system',
  });
  return { connection, uid: metadata.uid ?? '' };
}

/** Opens the connection of a process without asking anything of it. */
export function openConnection(
  config: Config,
  log: Log,
  onRequest?: (record: RequestRecord) => void,
): Promise<Connection> {
  return createConnection({
    ...(config.kubeconfig === undefined ? {} : { kubeconfig: config.kubeconfig }),
    ...(config.master === undefined ? {} : { master: config.master }),
    qps: config.clientQps,
    burst: config.clientBurst,
    userAgent: `virt-operator/${PROGRAM_VERSION} (${config.role})`,
    log,
    ...(onRequest === undefined ? {} : { onRequest }),
  });
}
