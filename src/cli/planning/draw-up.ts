import { objectKey } from '../../api/objects.ts';
import type { KubeVirt } from '../../api/kubevirt.ts';
import { decideTarget } from '../../strategy/target.ts';
import type { TargetDeployment } from '../../strategy/types.ts';
import type { Scene } from '../cluster/scene.ts';
import { findTroubles } from '../cluster/troubles.ts';
import { loadStrategy } from '../cluster/strategy.ts';
import { rehearse } from '../rehearsal/rehearse.ts';
import { findUngrantableRoles, readOperatorRights, type MissingRights } from './operator-rights.ts';
import { buildReport, type PlanReport } from './plan-report.ts';
import type { ObjectTable } from '../rehearsal/object-table.ts';

/** What a plan is drawn up for. */
export interface PlanRequest {
  scene: Scene;
  /** As staged in the scene's table. */
  kubeVirt: KubeVirt;
  now: Date;
  signal: AbortSignal;
  /** What was staged although it is not so. */
  assumptions?: readonly string[];
  /** Plays other parts of the cluster after each pass of the rehearsal. */
  afterPass?: (table: ObjectTable) => boolean;
}

/** Rehearses what the operator would do about a KubeVirt object, and says it. Rejects when the cluster cannot be read. */
export async function drawUpPlan(request: PlanRequest): Promise<PlanReport> {
  const { scene, kubeVirt, now, signal, afterPass, assumptions = [] } = request;
  const { table, connection, nodes, release, operatorNamespace, log } = scene;
  const { name = '', namespace } = kubeVirt.metadata;
  const target = decideTarget(kubeVirt, release.environment);
  const others = table
    .all('KubeVirt')
    .filter((each) => each.metadata.uid !== kubeVirt.metadata.uid) as unknown as KubeVirt[];
  const rehearsal = await rehearse(objectKey(name, namespace), {
    table,
    connection,
    nodes,
    release: release.environment,
    operatorNamespace,
    now,
    log,
    signal,
    ...(afterPass === undefined ? {} : { afterPass }),
  });
  const missingRights = await findMissing(scene, target, now);
  return buildReport({
    kubeVirt,
    others,
    operatorNamespace,
    target,
    releaseSource: release.source,
    rehearsal,
    missingRights,
    assumptions,
    troubles: findTroubles(table),
  });
}

async function findMissing(scene: Scene, target: TargetDeployment, now: Date): Promise<MissingRights[] | undefined> {
  const [held, strategy] = await Promise.all([
    readOperatorRights(scene.client, scene.operatorNamespace),
    loadStrategy(scene, target, now),
  ]);
  return held === undefined || strategy === undefined ? undefined : findUngrantableRoles(strategy, held);
}
