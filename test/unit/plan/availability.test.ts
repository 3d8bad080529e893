import assert from 'node:assert/strict';
import { it } from 'node:test';

import fc from 'fast-check';

import type { KindName } from '../../../src/api/kinds.ts';
import { objectKey, type KubernetesObject } from '../../../src/api/objects.ts';
import { isEverythingReady } from '../../../src/plan/components.ts';
import { Installation } from './drive.ts';

/** What an installation by the plainest KubeVirt object on a plain cluster consists of, told without the plan: the strategy, less what is switched off there. */
function listWanted({ strategy }: { strategy: { objects: readonly KubernetesObject[] } }): KubernetesObject[] {
  const unserved = ['SecurityContextConstraints', 'Route', 'ServiceMonitor', 'PrometheusRule'];
  const off = ['virt-launcher-pod-mutator', 'virt-synchronization-controller'];
  return strategy.objects.filter(
    ({ kind, metadata }) =>
      !unserved.includes(kind) && !(kind !== 'ServiceAccount' && off.includes(metadata.name ?? '')),
  );
}

const wanted = listWanted(new Installation().context());

/** One thing that happens to an installation; `index` names an object of the strategy. */
type Happening =
  | { type: 'pass' }
  | { type: 'settle'; ready: boolean }
  | { type: 'vanish' | 'linger' | 'end' | 'leave alone' | 'customize again'; index: number };

const index = fc.nat(wanted.length - 1);
const happenings = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constant<Happening>({ type: 'pass' }) },
    { weight: 4, arbitrary: fc.boolean().map((ready): Happening => ({ type: 'settle', ready })) },
    ...(['vanish', 'linger', 'end', 'leave alone', 'customize again'] as const).map((type) => ({
      weight: 1,
      arbitrary: index.map((chosen): Happening => ({ type, index: chosen })),
    })),
  ),
  { minLength: 4, maxLength: 24 },
);

function happen(installation: Installation, happening: Exclude<Happening, { type: 'pass' }>): void {
  const { cluster } = installation;
  if (happening.type === 'settle') {
    cluster.settle(() => happening.ready);
    return;
  }
  const object = wanted[happening.index];
  assert.ok(object);
  const { name = '', namespace } = object.metadata;
  if (happening.type === 'leave alone') {
    installation.leftAlone = [...installation.leftAlone, { kind: object.kind, name, ...(namespace && { namespace }) }];
  } else if (happening.type === 'customize again') installation.leftAlone = [];
  else if (findLive(installation, object) !== undefined) change(installation, object, happening.type);
}

function change(
  { cluster }: Installation,
  { kind, metadata }: KubernetesObject,
  how: 'vanish' | 'linger' | 'end',
): void {
  const [name, namespace] = [metadata.name ?? '', metadata.namespace];
  const live = cluster.get(kind as KindName, name, namespace);
  if (how === 'vanish' || (how === 'end' && live?.metadata.deletionTimestamp !== undefined)) {
    cluster.remove(kind as KindName, name, namespace);
  } else if (how === 'linger') {
    // Deleted, and held by a finalizer of somebody else.
    cluster.edit(
      kind as KindName,
      name,
      (object) => {
        object.metadata.finalizers = ['example.com/theirs'];
        object.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
      },
      namespace,
    );
  }
}

function findLive({ cluster }: Installation, { kind, metadata }: KubernetesObject): KubernetesObject | undefined {
  return cluster.get(kind as KindName, metadata.name ?? '', metadata.namespace);
}

function listMissing(installation: Installation): string[] {
  return wanted
    .filter((object) => {
      const live = findLive(installation, object);
      return live === undefined || live.metadata.deletionTimestamp !== undefined;
    })
    .map(({ kind, metadata }) => `${kind} ${objectKey(metadata.name ?? '', metadata.namespace)}`);
}

it('whatever happens to an installation, it is never taken for available while an object of the strategy is missing', async () => {
  let available = 0;
  await fc.assert(
    fc.asyncProperty(fc.boolean(), happenings, async (isInstalled, list) => {
      const installation = new Installation();
      if (isInstalled) await installation.converge();
      for (const happening of [...list, { type: 'pass' } as const]) {
        if (happening.type !== 'pass') {
          happen(installation, happening);
          continue;
        }
        const { isComplete } = await installation.pass();
        // What makes the condition true (spec/reconcile.md §5).
        if (!isComplete || !isEverythingReady(installation.context())) continue;
        available += 1;
        assert.deepEqual(listMissing(installation), []);
        installation.observe();
      }
    }),
    // The first two end available whatever the others draw.
    {
      numRuns: 10,
      examples: [
        [true, []],
        [true, [{ type: 'vanish', index: 0 }, { type: 'pass' }]],
      ],
    },
  );
  assert.ok(available > 1, `only ${available} passes ended with everything ready`);
});
