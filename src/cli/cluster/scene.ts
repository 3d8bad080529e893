import type { ApiConnection } from '../../api/connection.ts';
import type { KubeVirt } from '../../api/kubevirt.ts';
import { createClient, type ApiClient } from '../../apply/client.ts';
import { createLog, type Log } from '../../log.ts';
import { ObjectTable } from '../rehearsal/object-table.ts';
import { chooseKubeVirt, decideNamespace, readKubeVirts } from './kubevirts.ts';
import { decideRelease, type Release } from './release.ts';
import { readNodeLabels, readSnapshot } from './snapshot.ts';

/** What a command asks of a cluster. */
export interface SceneRequest {
  connection: ApiConnection;
  /** As the user has named it. */
  namespace: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
}

/** Everything about a cluster that the operator's decisions rest on, as it is at one moment. */
export interface Scene {
  connection: ApiConnection;
  client: ApiClient;
  /** Undefined when the cluster does not know the kind. */
  kubeVirts: readonly KubeVirt[] | undefined;
  /** The one that the command is about, as far as there is exactly one. */
  kubeVirt: KubeVirt | undefined;
  operatorNamespace: string;
  release: Release;
  /** The objects that the operator watches. */
  table: ObjectTable;
  /** Labels of all nodes. */
  nodes: readonly Readonly<Record<string, string>>[];
  log: Log;
}

/** Reads a scene. Rejects when something cannot be read. */
export async function openScene(request: SceneRequest): Promise<Scene> {
  const { connection, namespace, env, signal } = request;
  const client = createClient(connection, { signal });
  const kubeVirts = await readKubeVirts(client);
  const operatorNamespace = decideNamespace(kubeVirts ?? [], namespace);
  const [snapshot, nodes, deployments] = await Promise.all([
    readSnapshot(connection, operatorNamespace, signal),
    readNodeLabels(connection, signal),
    client.list('Deployment', { namespace: operatorNamespace }),
  ]);
  const kubeVirt = kubeVirts?.find(({ metadata }) => metadata.namespace === operatorNamespace);
  return {
    connection,
    client,
    kubeVirts,
    kubeVirt,
    operatorNamespace,
    release: decideRelease({ env, deployments, kubeVirt }),
    table: new ObjectTable(snapshot),
    nodes,
    log: silentLog(),
  };
}

/** The KubeVirt object of a scene. Throws an error that says what there is instead. */
export function requireKubeVirt({ kubeVirts }: Pick<Scene, 'kubeVirts'>, namespace: string | undefined): KubeVirt {
  return chooseKubeVirt(kubeVirts, namespace);
}

/** What the operator would log is none of the command's business: its outcome is. */
function silentLog(): Log {
  const log = createLog({ role: 'rehearsal', verbosity: 0 });
  log.level = 'silent';
  return log;
}
