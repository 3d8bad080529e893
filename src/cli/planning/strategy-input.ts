import { STRATEGY_IDENTIFIER_ANNOTATION, STRATEGY_LABEL } from '../../api/names.ts';
import type { KubernetesObject } from '../../api/objects.ts';
import { buildStrategyConfigMap, parseStrategyConfigMap } from '../../exchange/config-map.ts';
import { decodeManifests } from '../../exchange/manifests.ts';
import { buildInstallStrategy } from '../../strategy/install-strategy.ts';
import type { TargetDeployment } from '../../strategy/types.ts';
import { findStrategySource } from '../cluster/strategy.ts';
import { UsageError } from '../frame/exit.ts';
import type { ObjectTable } from '../rehearsal/object-table.ts';

/** Whether the objects of a target are known without help: generated here, or stored in the cluster. */
export function isStrategyKnown(target: TargetDeployment, table: ObjectTable, now: Date): boolean {
  const { type } = findStrategySource(table, target, now);
  return type === 'native' || type === 'configmap';
}

/**
 * Reads the strategy of a target from a file: a ConfigMap as an operator of that release has stored it, or a stream of its objects. Returns the ConfigMap that
 * such an operator would store for this target. Rejects with a UsageError that names the file.
 */
export async function readStrategyFile(
  file: string,
  target: TargetDeployment,
  read: (file: string) => Promise<string>,
): Promise<KubernetesObject> {
  try {
    return buildStrategyConfigMap(target, await parseStrategy(await read(file)));
  } catch (cause) {
    throw new UsageError(`no install strategy can be read from ${file}`, { cause });
  }
}

async function parseStrategy(text: string) {
  const { parse, parseAllDocuments } = await import('yaml');
  const documents = parseAllDocuments(text).length;
  const single = documents === 1 ? (parse(text) as KubernetesObject | null) : undefined;
  if (single?.kind === 'ConfigMap' && STRATEGY_LABEL in (single.metadata.labels ?? {}))
    return parseStrategyConfigMap(single);
  const objects = decodeManifests(text);
  if (objects.length === 0) throw new Error('it holds no objects');
  return buildInstallStrategy(objects);
}

/** Plays the Job that the operator would start for a target: leaves its ConfigMap, and ends. To be called after each pass of a rehearsal. */
export function playDumpJob(target: TargetDeployment, configMap: KubernetesObject, now: Date) {
  return (table: ObjectTable): boolean => {
    const jobs = table.all('Job').filter((job) => isDumpJobOf(target, job) && job.status?.completionTime === undefined);
    for (const job of jobs) {
      const metadata = { ...configMap.metadata, creationTimestamp: now.toISOString() };
      table.put('ConfigMap', { ...configMap, metadata });
      table.put('Job', { ...job, status: { ...job.status, completionTime: now.toISOString() } });
    }
    return jobs.length > 0;
  };
}

function isDumpJobOf(target: TargetDeployment, { metadata }: KubernetesObject): boolean {
  return metadata.annotations?.[STRATEGY_IDENTIFIER_ANNOTATION] === target.id;
}

/** What to say about a target whose objects nobody here knows. */
export function describeUnknown({ kubeVirtVersion }: TargetDeployment): string {
  return (
    `the objects of ${kubeVirtVersion} are not known here: neither does this program generate them nor does the cluster store them. ` +
    "Name a file that holds them with --strategy, or let a Job with that release's own image write them with --run-job"
  );
}
