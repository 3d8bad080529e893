import type { KubeVirt } from '../../api/kubevirt.ts';
import { STRATEGY_LABEL } from '../../api/names.ts';
import type { KubernetesObject } from '../../api/objects.ts';
import { customizeStrategy } from '../../customize/customize.ts';
import { decideStrategySource, type StrategySource } from '../../exchange/strategy-source.ts';
import { findMonitorNamespace } from '../../observe/monitor-namespace.ts';
import type { PassContext } from '../../plan/types.ts';
import { generateStrategy } from '../../strategy/generate.ts';
import { monitorAccountOf, monitorNamespaceCandidates } from '../../strategy/target-properties.ts';
import { decideTarget } from '../../strategy/target.ts';
import type { InstallStrategy, TargetDeployment } from '../../strategy/types.ts';
import type { ObjectTable } from '../rehearsal/object-table.ts';
import type { Scene } from './scene.ts';

/** Where the objects of a target would come from, as the cluster is. */
export function findStrategySource(table: ObjectTable, target: TargetDeployment, now: Date): StrategySource {
  const isStrategy = ({ metadata }: KubernetesObject) => STRATEGY_LABEL in (metadata.labels ?? {});
  const configMaps = table.list('ConfigMap').filter(isStrategy);
  const jobs = table.list('Job').filter(isStrategy);
  return decideStrategySource({ target, configMaps, jobs, now });
}

/** The objects of a target before customization; undefined when they are neither generated here nor stored in the cluster. */
export async function loadStrategy(
  scene: Scene,
  target: TargetDeployment,
  now: Date,
): Promise<InstallStrategy | undefined> {
  const { table, client, operatorNamespace, release } = scene;
  const source = findStrategySource(table, target, now);
  if (source.type === 'configmap') return source.strategy;
  if (source.type !== 'native') return undefined;
  const { serviceMonitor, prometheusRule } = table.features();
  const search = { candidates: monitorNamespaceCandidates(target), account: monitorAccountOf(target) };
  const monitorNamespace =
    serviceMonitor || prometheusRule ? await findMonitorNamespace(search, (wanted) => client.find(wanted)) : '';
  const { runbookUrlTemplate } = release.environment;
  return generateStrategy({ target, operatorNamespace, monitorNamespace, runbookUrlTemplate });
}

/** What the operator's decisions about a KubeVirt object rest on; undefined when its strategy is not known. */
export async function buildContext(scene: Scene, kubeVirt: KubeVirt, now: Date): Promise<PassContext | undefined> {
  const { table, operatorNamespace, release } = scene;
  const target = decideTarget(kubeVirt, release.environment);
  const base = await loadStrategy(scene, target, now);
  if (base === undefined) return undefined;
  const { strategy, failures } = customizeStrategy(base, kubeVirt.spec.customizeComponents);
  return {
    kubeVirt,
    target,
    strategy,
    leftAlone: failures.map(({ object }) => object),
    operatorNamespace,
    features: table.features(),
    schedulableNodes: table.schedulableNodes(),
    world: table,
    generations: kubeVirt.status?.generations ?? [],
    now,
  };
}
