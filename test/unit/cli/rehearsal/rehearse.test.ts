import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { asKubeVirt, type KubeVirtSpec } from '../../../../src/api/kubevirt.ts';
import { KINDS, type KindName } from '../../../../src/api/kinds.ts';
import type { KubernetesObject } from '../../../../src/api/objects.ts';
import { createLog } from '../../../../src/log.ts';
import { buildReport, type PlanReport } from '../../../../src/cli/planning/plan-report.ts';
import { stageKubeVirt, stageNamespace } from '../../../../src/cli/planning/staged.ts';
import { findTroubles } from '../../../../src/cli/cluster/troubles.ts';
import { ObjectTable } from '../../../../src/cli/rehearsal/object-table.ts';
import { rehearse, type Rehearsal } from '../../../../src/cli/rehearsal/rehearse.ts';
import { decideTarget } from '../../../../src/strategy/target.ts';
import { ENVIRONMENT } from '../../plan/drive.ts';
import { buildSnapshot, ReadOnlyApi } from './fixture.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const NODES = Array.from({ length: 3 }, () => ({ 'kubernetes.io/os': 'linux' }));

const TEMPLATES = 'virtualmachinetemplates.template.kubevirt.io';

const silent = createLog({ role: 'test', verbosity: 0 });
silent.level = 'silent';

/** A cluster in which one change follows the other; each is planned from what the one before has left. */
class Theatre {
  readonly table: ObjectTable;
  readonly real = new ReadOnlyApi();
  nodes = NODES;
  now = NOW;

  constructor(objects: readonly KubernetesObject[] = []) {
    this.table = new ObjectTable(buildSnapshot(objects));
  }

  /** With a plain installation. */
  static async installed(): Promise<Theatre> {
    return new Theatre(await installation);
  }

  async plan(spec: KubeVirtSpec): Promise<PlanReport & { rehearsal: Rehearsal }> {
    const { table, real, nodes, now } = this;
    const kubeVirt = stageKubeVirt(table, { name: 'kubevirt', namespace: 'kubevirt', spec }, now);
    const rehearsal = await rehearse('kubevirt/kubevirt', {
      table,
      connection: real,
      nodes,
      release: ENVIRONMENT,
      operatorNamespace: 'kubevirt',
      now,
      log: silent,
      signal: new AbortController().signal,
    });
    const target = decideTarget(kubeVirt, ENVIRONMENT);
    const facts = {
      kubeVirt,
      others: [],
      operatorNamespace: 'kubevirt',
      target,
      releaseSource: 'a test',
      missingRights: [],
      assumptions: [],
      troubles: findTroubles(this.table),
    };
    return { ...buildReport({ ...facts, rehearsal }), rehearsal };
  }
}

const installation = (async () => {
  const theatre = new Theatre();
  await theatre.plan({});
  return (Object.keys(KINDS) as KindName[]).flatMap((kind) => theatre.table.all(kind));
})();

const names = (refs: readonly { kind: string; name: string }[]) => refs.map(({ kind, name }) => `${kind} ${name}`);

describe('a rehearsed installation', () => {
  test('ends Deployed, and a second look finds nothing to do', async () => {
    const theatre = new Theatre();
    const first = await theatre.plan({});
    assert.ok(first.succeeds, JSON.stringify(first.remarks));
    assert.equal(first.undertaking, 'install');
    assert.ok(first.create.length > 200, `${first.create.length} objects`);
    assert.deepEqual(names(first.temporary), [
      `ValidatingWebhookConfiguration virt-operator-tmp-webhook${first.to.deploymentID.slice(0, 10)}`,
    ]);
    assert.equal(first.rehearsal.kubeVirt?.status?.phase, 'Deployed');
    const second = await theatre.plan({});
    assert.deepEqual([second.steps, second.succeeds, second.undertaking], [[], true, 'steady']);
  });

  test('nothing is asked of the real cluster but whether objects exist', async () => {
    const theatre = new Theatre();
    await theatre.plan({});
    assert.ok(theatre.real.asked.length > 100);
    assert.deepEqual(
      theatre.real.asked.filter((call) => !call.startsWith('GET ')),
      [],
    );
  });

  test('a change that restarts nothing names no pods', async () => {
    const theatre = await Theatre.installed();
    const { change, restart, succeeds } = await theatre.plan({ infra: { replicas: 3 } });
    assert.ok(succeeds);
    const api = change.find(({ name }) => name === 'virt-api');
    assert.deepEqual(api?.fields, [{ path: 'spec.replicas', from: 2, to: 3 }]);
    assert.deepEqual(restart, []);
  });

  test('a change of pods rolls virt-handler by one node first', async () => {
    const theatre = await Theatre.installed();
    const { restart, steps, succeeds } = await theatre.plan({ imagePullPolicy: 'Always' });
    assert.ok(succeeds);
    assert.ok(restart.some(({ name, pods }) => name === 'virt-handler' && pods === 3));
    const moves = steps.flatMap(({ writes }) => writes).filter(({ kind }) => kind === 'DaemonSet');
    assert.equal(moves.length, 3, 'started, ten per cent at a time, back to the default');
  });

  test('a component that is switched off goes', async () => {
    const theatre = await Theatre.installed();
    const report = await theatre.plan({
      configuration: { developerConfiguration: { disabledFeatureGates: ['Template'] } },
    });
    assert.ok(report.succeeds, JSON.stringify(report.remarks));
    assert.ok(names(report.delete).includes('Deployment virt-template-apiserver'));
    const last = report.steps.at(-1);
    assert.ok(last !== undefined && /leftover/.test(last.name), `roles go last, after everything: ${last?.name ?? ''}`);
  });

  test('without a node for it, the plan says what would be waited for', async () => {
    const theatre = new Theatre();
    theatre.nodes = [];
    const { succeeds, remarks } = await theatre.plan({});
    assert.equal(succeeds, false);
    assert.deepEqual(
      remarks.map(({ level }) => level),
      ['problem', 'problem'],
    );
    assert.match(remarks[0]?.text ?? '', /the operator would wait for all components to be ready|virt-handler/);
    assert.match(
      remarks[1]?.text ?? '',
      /^DaemonSet virt-handler: no node takes its pods; they have to bear kubernetes\.io\/os=linux/,
    );
  });

  test('a patch that cannot be applied is told, with what goes on all the same', async () => {
    const theatre = new Theatre();
    const patch = {
      resourceType: 'Service',
      resourceName: 'virt-api',
      type: 'json',
      patch: '[{"op":"remove","path":"/spec/nope"}]',
    };
    const { succeeds, remarks, create } = await theatre.plan({ customizeComponents: { patches: [patch] } });
    assert.equal(succeeds, false);
    assert.match(remarks[0]?.text ?? '', /patches\[0\] cannot be applied to Service kubevirt\/virt-api/);
    assert.ok(create.length > 100);
  });

  test('certificates that are due are renewed', async () => {
    const theatre = await Theatre.installed();
    theatre.now = new Date(NOW.getTime() + 20 * 3_600_000);
    const { change, succeeds } = await theatre.plan({});
    assert.ok(succeeds);
    const renewed = change.filter(({ kind }) => kind === 'Secret');
    assert.ok(renewed.length >= 14, `${renewed.length} secrets`);
    assert.ok(renewed.every(({ fields }) => fields.every(({ to }) => to === '(hidden)')));
  });

  for (const { name, reason, others, isAwaited } of [
    { name: 'is awaited no longer than the API server needs', reason: 'InstanceDeletionInProgress', isAwaited: false },
    { name: 'is awaited where its instances do not go', reason: 'InstanceDeletionCheck', isAwaited: true },
    { name: 'is awaited where others hold it', others: ['example.com/theirs'], isAwaited: true },
  ]) {
    test(`a CRD that is being deleted ${name}`, async () => {
      const live = (await installation).find(({ metadata }) => metadata.name === TEMPLATES);
      assert.ok(live !== undefined);
      const metadata = {
        ...live.metadata,
        deletionTimestamp: NOW.toISOString(),
        finalizers: ['customresourcecleanup.apiextensions.k8s.io', ...(others ?? [])],
      };
      const dying: KubernetesObject = { ...live, metadata };
      if (reason !== undefined) dying.status = { conditions: [{ type: 'Terminating', status: 'True', reason }] };
      const theatre = new Theatre((await installation).map((object) => (object === live ? dying : object)));
      theatre.real.hold(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${TEMPLATES}`, dying);
      const { create, remarks, succeeds } = await theatre.plan({});
      const awaited = remarks.filter(({ text }) => text.includes(`${TEMPLATES} to be gone and created again`));
      assert.equal(awaited.length > 0, isAwaited, JSON.stringify(remarks));
      assert.equal(succeeds, !isAwaited);
      assert.equal(names(create).includes(`CustomResourceDefinition ${TEMPLATES}`), !isAwaited);
    });
  }

  test('an object that is being deleted is taken apart', async () => {
    const theatre = await Theatre.installed();
    const live = theatre.table.find('KubeVirt', 'kubevirt', 'kubevirt');
    assert.ok(live !== undefined);
    theatre.table.put('KubeVirt', { ...live, metadata: { ...live.metadata, deletionTimestamp: NOW.toISOString() } });
    theatre.real.asked.length = 0;
    const api = new ReadOnlyApi({ '/api/v1/nodes': { items: [] } });
    const rehearsal = await rehearse('kubevirt/kubevirt', {
      table: theatre.table,
      connection: api,
      nodes: NODES,
      release: ENVIRONMENT,
      operatorNamespace: 'kubevirt',
      now: NOW,
      log: silent,
      signal: new AbortController().signal,
    });
    assert.deepEqual([rehearsal.failures, rehearsal.isEndless, rehearsal.kubeVirt], [[], false, undefined]);
    assert.deepEqual(theatre.table.list('Deployment'), []);
    assert.deepEqual(theatre.table.list('CustomResourceDefinition'), []);
  });
});

describe('what is staged', () => {
  test('a spec that is the same is no edit', () => {
    const { table } = new Theatre();
    const wanted = { name: 'kubevirt', namespace: 'kubevirt', spec: { infra: { replicas: 1 } } };
    assert.equal(stageKubeVirt(table, wanted, NOW).metadata.generation, 1);
    assert.equal(stageKubeVirt(table, wanted, NOW).metadata.generation, 1);
    assert.equal(stageKubeVirt(table, { ...wanted, spec: {} }, NOW).metadata.generation, 2);
    assert.equal(asKubeVirt(table.find('KubeVirt', 'kubevirt', 'kubevirt') ?? {}).spec.infra, undefined);
  });

  test('a namespace that is not there is taken for created, and said to be', () => {
    const { table } = new Theatre();
    assert.deepEqual(stageNamespace(table, 'kubevirt'), []);
    assert.deepEqual(stageNamespace(table, 'other'), [
      'the namespace other is not there; the plan takes it for created',
    ]);
    assert.ok(table.find('Namespace', 'other') !== undefined);
  });
});
