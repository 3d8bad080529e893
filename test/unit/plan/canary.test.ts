import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { JsonObject, KubernetesObject } from '../../../src/api/objects.ts';
import { recordGeneration } from '../../../src/apply/generations.ts';
import { decideCanary, startsRollout, type CanaryContext, type CanaryMove } from '../../../src/plan/canary.ts';
import { buildTargetAnnotations } from '../../../src/plan/metadata.ts';
import type { TargetDeployment } from '../../../src/strategy/types.ts';
import { buildKubeVirt } from './drive.ts';
import { MemoryCluster } from './memory-cluster.ts';

const target = { id: 'new', registry: 'quay.io/kubevirt', kubeVirtVersion: 'v1.9.0' } as TargetDeployment;
const OLD_VOLUME = 'kubevirt-virt-handler-certs';

interface Shape {
  /** Annotations of another deployment. */
  old?: boolean;
  supports?: boolean;
  argument?: boolean;
  volume?: boolean;
  image?: string;
}

const SETTLED: Required<Shape> = { old: false, supports: true, argument: true, volume: false, image: 'a' };

function daemonSet(shape: Shape = {}): KubernetesObject {
  const { old, supports, image, argument, volume } = { ...SETTLED, ...shape };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {
      name: 'virt-handler',
      namespace: 'kubevirt',
      labels: supports ? { 'kubevirt.io/supports-migration-cn-types': 'true' } : {},
      annotations: buildTargetAnnotations(old ? { ...target, id: 'old' } : target),
    },
    spec: {
      selector: { matchLabels: { 'kubevirt.io': 'virt-handler' } },
      updateStrategy: { type: 'RollingUpdate' },
      template: {
        metadata: { annotations: { ...buildTargetAnnotations(target) } },
        spec: {
          containers: [
            {
              name: 'virt-handler',
              image,
              args: ['-v', '2', ...(argument ? ['--migration-cn-types', 'migration'] : [])],
              volumeMounts: volume ? [{ name: OLD_VOLUME, mountPath: '/certs' }] : [],
            },
          ],
          volumes: volume ? [{ name: OLD_VOLUME, secret: {} }] : [],
        },
      },
    },
  };
}

interface Row {
  name: string;
  wanted?: Shape;
  /** Undefined: there is no DaemonSet. */
  live: (Shape & { maxUnavailable?: number | string; status?: JsonObject; deleting?: boolean }) | undefined;
  /** Ready pods of the present template, of three nodes. */
  updated?: number;
  crashing?: boolean;
  /** Another deployment was observed: an update is under way. */
  updating?: boolean;
  want: CanaryMove['state'];
  finished: boolean;
  width?: number | string;
}

const rows: Row[] = [
  { name: 'no DaemonSet', live: undefined, wanted: { argument: false, volume: true }, want: 'created', finished: true },
  { name: 'everything as wanted', live: {}, updated: 3, want: 'finished', finished: true },
  { name: 'a node whose pod is not ready makes no rollout', live: {}, updated: 2, want: 'finished', finished: true },
  { name: 'of another deployment', live: { old: true }, updated: 0, want: 'started', finished: false, width: 1 },
  { name: 'another template', live: { image: 'b' }, updated: 3, want: 'started', finished: false, width: 1 },
  { name: 'being deleted', live: { deleting: true }, want: 'waiting', finished: false },
  {
    name: 'not seen by its controller yet',
    live: { status: { observedGeneration: 0 } },
    updated: 3,
    want: 'waiting',
    finished: false,
  },
  {
    name: 'no updated pod yet',
    live: { status: { updatedNumberScheduled: 0 } },
    updated: 0,
    want: 'canary',
    finished: false,
  },
  {
    name: 'the updated pod is starting',
    live: { status: { updatedNumberScheduled: 1 } },
    updated: 0,
    want: 'canary',
    finished: false,
  },
  {
    name: 'the updated pod crashes',
    live: { status: { updatedNumberScheduled: 1 } },
    updated: 1,
    crashing: true,
    want: 'failed',
    finished: false,
  },
  {
    name: 'the canary is ready',
    live: { status: { updatedNumberScheduled: 1 } },
    updated: 1,
    want: 'increasing',
    finished: false,
    width: '10%',
  },
  {
    name: 'rolling on',
    live: { maxUnavailable: '10%', status: { updatedNumberScheduled: 2 } },
    updated: 2,
    want: 'waiting',
    finished: false,
  },
  {
    name: 'all updated, the width still large',
    live: { maxUnavailable: '10%' },
    updated: 3,
    want: 'successful',
    finished: true,
    width: 1,
  },
  { name: 'the last pod is starting', live: { maxUnavailable: '10%' }, updated: 2, want: 'waiting', finished: false },
  { name: 'all updated at the first width', live: {}, updated: 3, updating: true, want: 'finished', finished: true },
  {
    name: 'pods that do not know the argument',
    wanted: { argument: false, volume: true },
    live: { argument: false, volume: true },
    updated: 3,
    updating: true,
    want: 'inserting',
    finished: false,
    width: 1,
  },
  {
    name: 'pods that know it and still mount the old certificate',
    wanted: { argument: false, volume: true },
    live: { volume: true },
    updated: 3,
    updating: true,
    want: 'detaching',
    finished: false,
    width: 1,
  },
  {
    name: 'an old certificate in a settled installation is left alone',
    wanted: { volume: true },
    live: { volume: true },
    updated: 3,
    want: 'finished',
    finished: true,
  },
  {
    name: 'a release that knows no switch',
    wanted: { supports: false, argument: false, volume: true },
    live: { supports: false, argument: false, volume: true },
    updated: 3,
    updating: true,
    want: 'finished',
    finished: true,
  },
  {
    name: 'back to a release that knows no switch',
    wanted: { supports: false, argument: false, volume: true },
    live: { old: true },
    updated: 3,
    updating: true,
    want: 'started',
    finished: false,
    width: 1,
  },
];

function situation({ live, updated = 0, crashing = false, updating = false }: Row): CanaryContext {
  const world = new MemoryCluster();
  const kubeVirt = { ...buildKubeVirt(), status: { observedDeploymentID: updating ? 'before' : 'new' } };
  if (live === undefined) return { world, target, kubeVirt, generations: [] };
  const counts = { desiredNumberScheduled: 3, currentNumberScheduled: 3, updatedNumberScheduled: 3 };
  world.add({ ...withWidth(live), status: { observedGeneration: 1, ...counts, ...live.status } });
  for (let index = 0; index < updated; index++) world.add(updatedPod(index, crashing));
  const stored = world.get('DaemonSet', 'virt-handler', 'kubevirt');
  assert.ok(stored);
  return { world, target, kubeVirt, generations: recordGeneration([], 'DaemonSet', stored) };
}

function withWidth(live: NonNullable<Row['live']>): KubernetesObject {
  const object = daemonSet(live);
  if (live.deleting === true) object.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  if (live.maxUnavailable === undefined) return object;
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: live.maxUnavailable } };
  return { ...object, spec: { ...object.spec, updateStrategy } };
}

const updatedPod = (index: number, crashing: boolean): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `virt-handler-${index}`,
    namespace: 'kubevirt',
    annotations: buildTargetAnnotations(target),
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'virt-handler', uid: 'u', controller: true }],
  },
  status: { phase: 'Running', containerStatuses: [{ ready: !crashing, restartCount: crashing ? 1 : 0 }] },
});

function widthOf({ action }: CanaryMove): unknown {
  if (action?.verb !== 'patch') return undefined;
  const spec = action.operations.find(({ path }) => path === '/spec')?.value as JsonObject;
  return ((spec.updateStrategy as JsonObject).rollingUpdate as JsonObject).maxUnavailable;
}

describe('decideCanary', () => {
  for (const row of rows) {
    it(`${row.name}: ${row.want}`, () => {
      const move = decideCanary(daemonSet(row.wanted), situation(row));
      assert.deepEqual([move.state, move.isFinished, widthOf(move)], [row.want, row.finished, row.width]);
      assert.equal(move.event !== undefined, row.want === 'failed');
      if (move.action?.verb === 'patch') assert.equal(move.action.operations[0]?.path, '/metadata/generation');
    });
  }

  it('creates with the argument and without the old certificate', () => {
    const move = decideCanary(daemonSet({ argument: false, volume: true }), situation({ live: undefined } as Row));
    const text = JSON.stringify(move.action);
    assert.ok(text.includes('--migration-cn-types') && !text.includes(OLD_VOLUME));
  });

  it("goes back to a release without the switch in that release's own form", () => {
    const row = rows.at(-1);
    assert.ok(row);
    const text = JSON.stringify(decideCanary(daemonSet(row.wanted), situation(row)).action);
    assert.ok(!text.includes('--migration-cn-types') && text.includes(OLD_VOLUME));
  });

  it('gives the argument back that somebody took away, in one rollout', () => {
    const context = { ...situation({ live: { argument: false }, updated: 3 } as Row), generations: [] };
    const move = decideCanary(daemonSet({ argument: false, volume: true }), context);
    const text = JSON.stringify(move.action);
    assert.equal(move.state, 'started');
    assert.ok(text.includes('--migration-cn-types') && !text.includes(OLD_VOLUME));
  });

  it('a template that a foreign webhook alters is not started again and again', () => {
    const context = situation({ live: {}, updated: 3 } as Row);
    const first = decideCanary(daemonSet({ image: 'c' }), context);
    const live = context.world.get('DaemonSet', 'virt-handler', 'kubevirt');
    assert.ok(live && first.action?.verb === 'patch');
    // The API server's answer: the webhook has put another image in.
    const answer = { ...live, metadata: { ...live.metadata, generation: 2 } };
    const world = new MemoryCluster({ objects: [{ ...answer, metadata: { ...answer.metadata, generation: 1 } }] });
    const stored = world.get('DaemonSet', 'virt-handler', 'kubevirt');
    assert.equal(stored?.metadata.generation, 2);
    const generations = recordGeneration([], 'DaemonSet', stored, first.action.hash);
    assert.notEqual(decideCanary(daemonSet({ image: 'c' }), { ...context, world, generations }).state, 'started');
  });

  const rolloutHold = { awaited: 'migrations', until: new Date('2026-01-01T00:00:00Z') };
  const held: { name: string; live: Row['live']; starts: boolean }[] = [
    { name: 'of another deployment with the same pods', live: { old: true }, starts: false },
    { name: 'another template', live: { image: 'b' }, starts: true },
    { name: 'nothing', live: {}, starts: false },
    { name: 'a DaemonSet that is being deleted', live: { image: 'b', deleting: true }, starts: false },
  ];
  for (const { name, live, starts } of held) {
    it(`B28: a hold puts off what renews pods: ${name}`, () => {
      const context = situation({ name, live, updated: 3, want: 'started', finished: false });
      assert.equal(startsRollout(daemonSet(), context), starts);
      assert.equal(decideCanary(daemonSet(), { ...context, rolloutHold }).state === 'held', starts);
    });
  }
});
