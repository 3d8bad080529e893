import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { JsonObject, KubernetesObject } from '../../../src/api/objects.ts';
import { planDefinitions } from '../../../src/plan/definitions.ts';
import { findLostVersions, planStoredVersions } from '../../../src/plan/stored-versions.ts';
import type { PassContext } from '../../../src/plan/types.ts';
import { buildInstallStrategy } from '../../../src/strategy/install-strategy.ts';
import { Installation } from './drive.ts';

const NAME = 'exports.export.kubevirt.io';

/** A CRD; the version with the asterisk is the one that objects are stored in. */
function definition(versions: string, storedVersions?: string[]): KubernetesObject {
  const entries = versions.split(' ').map((text): JsonObject => ({
    name: text.replace('*', ''),
    storage: text.endsWith('*'),
  }));
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: NAME, generation: 4 },
    spec: { versions: entries },
    ...(storedVersions === undefined ? {} : { status: { storedVersions } }),
  };
}

function contextOf(wanted: string, live: KubernetesObject, emptyDefinitions?: string[]): PassContext {
  return {
    ...new Installation().context(),
    strategy: buildInstallStrategy([definition(wanted)]),
    world: { get: () => live, list: () => [live] },
    ...(emptyDefinitions === undefined ? {} : { emptyDefinitions }),
  };
}

describe('versions that a CRD is to lose', () => {
  const rows: {
    name: string;
    wanted: string;
    live: KubernetesObject;
    empty?: string[];
    want: string[];
    /** People are asked to do something. */
    isProblem?: true;
  }[] = [
    {
      name: 'nothing is stored in them',
      wanted: 'v1beta1*',
      live: definition('v1alpha1 v1beta1*', ['v1beta1']),
      want: [],
    },
    {
      name: 'new objects are still stored in one: no longer',
      wanted: 'v1alpha1 v1beta1*',
      live: definition('v1beta1 v1*', ['v1beta1', 'v1']),
      want: [
        'test /metadata/generation 4',
        'test /spec/versions/0/name "v1beta1"',
        'replace /spec/versions/0/storage true',
        'test /spec/versions/1/name "v1"',
        'replace /spec/versions/1/storage false',
      ],
    },
    {
      name: 'the version that stays is not there',
      wanted: 'v1alpha1*',
      live: definition('v1beta1 v1*', ['v1']),
      want: [],
      isProblem: true,
    },
    {
      name: 'B20: objects may be stored in one: people migrate them',
      wanted: 'v1beta1*',
      live: definition('v1beta1* v1', ['v1beta1', 'v1']),
      want: [],
      isProblem: true,
    },
    {
      name: 'there is no object: it is struck off the list',
      wanted: 'v1beta1*',
      live: definition('v1beta1* v1', ['v1beta1', 'v1']),
      empty: [NAME],
      want: ['test /status/storedVersions ["v1beta1","v1"]', 'replace /status/storedVersions ["v1beta1"]'],
    },
  ];
  for (const { name, wanted, live, empty, want, isProblem = false } of rows) {
    it(name, () => {
      const context = contextOf(wanted, live, empty);
      const { actions, stop } = planStoredVersions(context);
      assert.equal(stop !== undefined, want.length > 0, 'the next pass goes on where something was done');
      assert.equal((planDefinitions(context).problems ?? []).length, isProblem ? 1 : 0);
      const operations = actions.flatMap((action) => (action.verb === 'patch' ? action.operations : []));
      assert.deepEqual(
        operations.map(({ op, path, value }) => `${op} ${path} ${JSON.stringify(value)}`),
        want,
      );
    });
  }

  it('a deleted CRD is left to its deletion', () => {
    const live = definition('v1beta1 v1*', ['v1']);
    live.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    const context = contextOf('v1beta1*', live);
    assert.deepEqual(planStoredVersions(context), { actions: [] });
    assert.deepEqual(planDefinitions(context), { actions: [], problems: [] });
    live.metadata.finalizers = ['kubevirt.io/virtOperatorFinalizer'];
    const emptied = { type: 'Terminating', status: 'False', reason: 'InstanceDeletionCompleted' };
    live.status = { ...live.status, conditions: [emptied] };
    assert.equal(planDefinitions(context).actions.length, 1, 'what only our finalizer holds is let go');
  });

  it('a CRD that does not exist loses nothing', () => {
    assert.equal(findLostVersions(definition('v1*'), { get: () => undefined, list: () => [] }), undefined);
  });
});
