import type { ApiConnection } from '../../api/connection.ts';
import { resourcePath } from '../../api/kinds.ts';
import type { KubeVirtSpec } from '../../api/kubevirt.ts';
import { STRATEGY_LABEL } from '../../api/names.ts';
import { objectKey, type JsonObject, type KubernetesObject } from '../../api/objects.ts';
import { createClient } from '../../apply/client.ts';
import { isNotFound } from '../../errors.ts';
import { strategyConfigMapsOf } from '../../exchange/config-map.ts';
import { buildDumpJob } from '../../exchange/dump-job.ts';
import type { TargetDeployment } from '../../strategy/types.ts';
import { waitForObject } from '../object-watch.ts';

/** What a dump Job is run for. */
export interface DumpRequest {
  connection: ApiConnection;
  target: TargetDeployment;
  operatorNamespace: string;
  spec: KubeVirtSpec;
  signal: AbortSignal;
}

const SILENCE_MS = 60_000;

/**
 * Lets a Job with the image of another release write that release's strategy, and returns the ConfigMap. Job and ConfigMap are removed again; an operator that
 * runs removes the ConfigMap even sooner, so it is caught in flight. Rejects when the Job fails, and with the signal's reason.
 */
export async function runDumpJob(request: DumpRequest): Promise<KubernetesObject> {
  const { connection, target, operatorNamespace, spec, signal } = request;
  const client = createClient(connection, { signal });
  const { metadata, ...job } = buildDumpJob({ target, operatorNamespace, spec, attempt: 1 });
  const name = `${metadata.name ?? metadata.generateName ?? 'kubevirt-'}-plan`;
  const ending = new AbortController();
  const either = AbortSignal.any([signal, ending.signal]);
  const found = catchConfigMap(connection, target, either);
  try {
    await found.ready;
    await client.create('Job', { ...job, metadata: { ...metadata, name } });
    const failed = failWithJob(connection, { name, namespace: operatorNamespace }, either);
    return await Promise.race([found.configMap, failed]);
  } finally {
    ending.abort();
    await removeTraces(connection, { name, operatorNamespace, target });
  }
}

/** Watches from now on; `ready` resolves when nothing that comes can be missed any more. */
function catchConfigMap(connection: ApiConnection, target: TargetDeployment, signal: AbortSignal) {
  const path = resourcePath('ConfigMap', target.namespace);
  const query = { labelSelector: STRATEGY_LABEL };
  const opened = (async () => {
    const { metadata } = await connection.request({ method: 'GET', path, query, signal });
    const { resourceVersion } = metadata as { resourceVersion: string };
    return connection.stream({
      method: 'GET',
      path,
      query: { ...query, watch: true, resourceVersion },
      silenceMs: SILENCE_MS,
      signal,
    });
  })();
  const configMap = (async () => {
    const stream = await opened;
    try {
      for await (const { type, object } of stream.documents) {
        const candidate = object as unknown as KubernetesObject;
        if (type === 'ADDED' && strategyConfigMapsOf(target, [candidate]).length > 0) return candidate;
      }
      throw new Error('the API server ended the watch before the Job had written the strategy');
    } finally {
      stream.close();
    }
  })();
  // Whoever waits for `ready` hears of a failure there.
  configMap.catch(() => undefined);
  return { ready: opened, configMap };
}

/** Never resolves; rejects when the Job has failed. */
async function failWithJob(
  connection: ApiConnection,
  job: { name: string; namespace: string },
  signal: AbortSignal,
): Promise<never> {
  let reason = '';
  await waitForObject(
    connection,
    { kind: 'Job', ...job },
    (object) => {
      const conditions = (object?.status?.['conditions'] ?? []) as JsonObject[];
      const failed = conditions.find(({ type, status }) => type === 'Failed' && status === 'True');
      reason = typeof failed?.['message'] === 'string' ? failed['message'] : '';
      return failed !== undefined;
    },
    signal,
  );
  throw new Error(`the Job ${objectKey(job.name, job.namespace)} has failed: ${reason}; its pod's log says more`);
}

/** Without the signal of the run: what was left behind has to go also after a time-out. */
async function removeTraces(
  connection: ApiConnection,
  { name, operatorNamespace, target }: { name: string; operatorNamespace: string; target: TargetDeployment },
): Promise<void> {
  const client = createClient(connection);
  const configMaps = await client.list('ConfigMap', { namespace: target.namespace, labelSelector: STRATEGY_LABEL });
  const traces = strategyConfigMapsOf(target, configMaps).map(({ metadata }) => ({
    kind: 'ConfigMap' as const,
    name: metadata.name ?? '',
    namespace: target.namespace,
  }));
  const job = { kind: 'Job' as const, name, namespace: operatorNamespace };
  for (const trace of [job, ...traces]) {
    await client.delete(trace, { propagationPolicy: 'Background' }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
