import { createClient } from '../apply/client.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import {
  createConnection,
  type Connection,
  type ConnectionOptions,
  type RequestRecord,
} from '../transport/connection.ts';
import { whenReachable } from '../transport/when-reachable.ts';
import { PROGRAM_VERSION } from './program-version.ts';
import type { Closers, RoleContext } from './role.ts';

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
  { config, log, trace, signal }: RoleContext,
  closers: Closers,
  onRequest?: (record: RequestRecord) => void,
): Promise<Cluster> {
  const connection = await openConnection(config, log, { trace, ...(onRequest === undefined ? {} : { onRequest }) });
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
  listeners: Pick<ConnectionOptions, 'trace' | 'onRequest'> = {},
): Promise<Connection> {
  return createConnection({
    ...(config.kubeconfig === undefined ? {} : { kubeconfig: config.kubeconfig }),
    ...(config.master === undefined ? {} : { master: config.master }),
    qps: config.clientQps,
    burst: config.clientBurst,
    userAgent: `virt-operator/${PROGRAM_VERSION} (${config.role})`,
    log,
    ...listeners,
  });
}
