import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import type { PlanReport } from '../../../src/cli/planning/plan-report.ts';
import type { StatusReport } from '../../../src/cli/status/status-report.ts';
import { KINDS } from '../../../src/api/kinds.ts';
import { eventually } from '../fixtures/eventually.ts';
import {
  editKubeVirt,
  markAudit,
  startLeader,
  startLifeSite,
  whenQuiet,
  writesSince,
  type LifeSite,
} from '../life/harness.ts';
import {
  createKubeVirt,
  IMAGE,
  KUBEVIRT_PATH,
  NAMESPACE,
  whenDeployed,
  type AuditEntry,
  type Operator,
} from '../install/harness.ts';
import { noGolden, readGoldenSpec } from '../life/snapshot.ts';
import { runCommand, type Ran } from './harness.ts';

const CR = readFileSync(new URL('../../../examples/kubevirt.yaml', import.meta.url), 'utf8');
const ENV = { VIRT_OPERATOR_IMAGE: IMAGE, KUBEVIRT_VERSION: 'v1.9.0' };

let site: LifeSite;
let operator: Operator;

function run(name: string, args: string[] = [], files: Record<string, string> = {}): Promise<Ran> {
  return runCommand(name, args, { kubeconfig: site.plane.kubeconfig, files: { 'cr.yaml': CR, ...files }, env: ENV });
}

async function plan(args: string[], files: Record<string, string> = {}): Promise<PlanReport & { code: number }> {
  const { code, out, err } = await run('plan', [...args, '-o', 'json'], files);
  assert.ok(out !== '', err);
  return { ...(JSON.parse(out) as PlanReport), code };
}

/** A write in words. The audit log counts a namespace among the objects in it. */
function describeWrite(
  verb: string,
  resource: string,
  { namespace = '', name = '' }: { namespace?: string; name?: string },
): string {
  return `${verb} ${resource} ${resource === 'namespaces' ? '' : namespace}/${name}`;
}

/** The writes of a plan, as the audit log names them. */
function plannedWrites({ steps }: Pick<PlanReport, 'steps'>): string[] {
  return steps
    .flatMap(({ writes }) => writes)
    .map((write) =>
      describeWrite(write.verb, [KINDS[write.kind].plural, write.subresource].filter(Boolean).join('/'), write),
    );
}

/** What the operator keeps books with is no part of a plan. */
const BOOKS = ['kubevirts', 'events', 'leases'];

function auditedWrites(entries: readonly AuditEntry[]): string[] {
  return entries.flatMap(({ verb, objectRef = { resource: '' }, requestURI }) => {
    const { resource, subresource } = objectRef;
    // Admission tries the placement of an edit out; nothing comes of it.
    return BOOKS.includes(resource) || requestURI.includes('dryRun=All')
      ? []
      : [describeWrite(verb, [resource, subresource].filter(Boolean).join('/'), objectRef)];
  });
}

/**
 * Fails when the operator has written something else than planned. How often it moves a DaemonSet on depends on how quickly the pods come up: a rollout that
 * is over before it looks again needs no second move.
 */
function assertSameWrites(entries: readonly AuditEntry[], report: PlanReport): void {
  const isMove = (write: string) => write.startsWith('patch daemonsets ');
  const comparable = (writes: readonly string[]) =>
    writes.filter((write, index) => !isMove(write) || writes.indexOf(write) === index).toSorted();
  assert.deepEqual(comparable(auditedWrites(entries)), comparable(plannedWrites(report)));
}

/** Fails when a write of a later step came before one of an earlier step. Steps that come again later are not looked at. */
function assertOrder({ steps }: PlanReport, entries: readonly AuditEntry[]): void {
  const places = new Map(auditedWrites(entries).map((write, index) => [write, index]));
  const once = steps.filter(({ name }) => steps.filter((other) => other.name === name).length === 1);
  let before = { name: '', last: -1 };
  for (const step of once) {
    const indexes = plannedWrites({ steps: [step] }).map((write) => places.get(write) ?? -1);
    if (indexes.length === 0 || step.name === 'stored strategy') continue;
    const first = Math.min(...indexes);
    assert.ok(first > before.last, `${step.name} began before ${before.name} had ended`);
    before = { name: step.name, last: Math.max(...indexes) };
  }
}

describe('commands over the life of an installation', { timeout: 300_000 }, () => {
  test('a cluster without an installation', async (t) => {
    site = await startLifeSite();
    await t.test('status says that there is none', async () => {
      const { code, err } = await run('status');
      assert.equal(code, 1);
      assert.match(err, /there is no KubeVirt object in the cluster; examples\/kubevirt\.yaml is one to begin with/);
    });
    await t.test('diff, certs and images want an object too', async () => {
      for (const name of ['diff', 'certs', 'images']) {
        const { code, err } = await run(name);
        assert.deepEqual([name, code], [name, 1]);
        assert.match(err, /there is no KubeVirt object/);
      }
    });
    await t.test('history is empty', async () => {
      const { code, out, err } = await run('history');
      assert.equal(code, 0);
      assert.equal(out, 'nothing is on record here\n');
      assert.match(err, /only Events are shown/);
    });
    await t.test('an address that is none of Redis, and a version that is none, are mistakes', async () => {
      for (const [name, flag, want] of [
        ['history', '--redis-url=http://redis', /no address of the form redis:/],
        ['plan', '--to=', /--to takes a version/],
        ['plan', '--to=a b', /--to takes a version/],
      ] as const) {
        const { code, out, err } = await run(name, [flag]);
        assert.deepEqual([code, out], [2, '']);
        assert.match(err, want);
      }
    });
    await t.test('preflight names what the namespace lacks, with the way out, and lets go on', async () => {
      const { code, out } = await run('preflight');
      assert.match(out, /! namespace: kubevirt has no label pod-security/);
      assert.match(
        out,
        /→ kubectl label namespace kubevirt --overwrite pod-security\.kubernetes\.io\/enforce=privileged/,
      );
      assert.match(out, /✓ priority class/);
      assert.match(out, /✓ operator's rights: enough for every role of v1\.9\.0/);
      assert.equal(code, 0);
    });
    await t.test('without the object, a plan needs a file', async () => {
      const { code, err } = await run('plan');
      assert.equal(code, 1);
      assert.match(err, /there is no KubeVirt object/);
    });
  });

  test('a plan of the installation is what the audit log then shows', async () => {
    const report = await plan(['--cr', 'cr.yaml']);
    assert.equal(report.code, 0, JSON.stringify(report.remarks));
    assert.equal(report.undertaking, 'install');
    assert.equal(report.from, null);
    assert.deepEqual(report.restart, []);
    assert.deepEqual(
      report.change.map(({ kind, name }) => `${kind} ${name}`),
      ['Namespace kubevirt'],
    );
    assert.deepEqual(report.delete, []);
    operator = await startLeader(site);
    const mark = await markAudit(site);
    await createKubeVirt(site, {
      certificateRotateStrategy: {},
      configuration: { developerConfiguration: { featureGates: [] } },
      customizeComponents: {},
      imagePullPolicy: 'IfNotPresent',
      workloadUpdateStrategy: {},
    });
    const [waited, early] = await Promise.all([run('status', ['--wait']), run('status', ['-o', 'json'])]);
    assert.equal(early.code, 3, 'status of an installation under way is a no');
    assert.equal((JSON.parse(early.out) as StatusReport).ready, false);
    assert.equal(waited.code, 0, waited.err);
    assert.match(waited.err, /status: kubevirt\/kubevirt: it is Deploying: Installing KubeVirt v1\.9\.0/);
    await whenDeployed(site);
    await whenQuiet(site);
    const writes = await writesSince(site, mark);
    assertSameWrites(writes, report);
    assertOrder(report, writes);
  });

  test('a healthy installation', async (t) => {
    await t.test('status', async () => {
      const { code, out } = await run('status');
      assert.equal(code, 0);
      assert.match(out, /^✓ kubevirt\/kubevirt: Deployed, v1\.9\.0\n/);
      assert.match(out, /DaemonSet virt-handler +3\/3 +3\/3 +ready/);
      assert.doesNotMatch(out, /✗/);
    });
    await t.test('diff finds nothing', async () => {
      const { code, out } = await run('diff');
      assert.equal(out, '✓ kubevirt/kubevirt: every object of v1.9.0 is as it should be\n');
      assert.equal(code, 0);
    });
    await t.test('plan finds nothing to do', async () => {
      const { code, out } = await run('plan');
      assert.match(out, /Nothing to do: everything is as it should be\./);
      assert.equal(code, 0);
    });
    await t.test('certs', async () => {
      const { code, out } = await run('certs');
      assert.match(out, /kubevirt-ca +authority +kubevirt\.io@\d+ +itself +6 d 23 h +in 5 d 14 h/);
      assert.match(
        out,
        /kubevirt-operator-certs +leaf +kubevirt-operator-webhook\S+ +kubevirt\.io@\d+ +23 h \d+ min +in 19 h|18 h/,
      );
      assert.match(out, /All certificates are in order\./);
      assert.equal(code, 0);
    });
    await t.test('B59: images are those that pods run, and those of operator, hooks and Redis', async () => {
      const { code, out, err } = await run('images', ['-o', 'json']);
      const all = (JSON.parse(out) as { image: string; when: string }[]).filter(({ when }) => when === 'always');
      const own = ({ image }: { image: string }) => /^virt-operator:|redis:/.test(image);
      assert.equal(all.filter(own).length, 2);
      assert.match(err, /the operator runs outside of the cluster; its own images are the chart's defaults/);
      const listed = all.filter((line) => !own(line));
      const pods = (await site.plane.api.expect('GET', `/api/v1/namespaces/${NAMESPACE}/pods`)) as unknown as {
        items: { spec: { containers: { image: string }[]; initContainers?: { image: string }[] } }[];
      };
      const running = pods.items.flatMap(({ spec }) =>
        [...spec.containers, ...(spec.initContainers ?? [])].map(({ image }) => image),
      );
      assert.deepEqual(listed.map(({ image }) => image).toSorted(), [...new Set(running)].toSorted());
      assert.equal(code, 0);
    });
    await t.test('history tells passes where Redis is named, and Events without', async () => {
      const { out } = await run('history', ['--redis-url', site.redis.url]);
      assert.match(out, /pass +KubeVirt kubevirt\/kubevirt +\d+ writes? in [\d.]+ m?s; because of/);
      const without = await run('history', ['--redis-url', 'redis://127.0.0.1:1']);
      assert.equal(without.code, 1);
      assert.match(without.err, /Redis does not tell the passes/);
    });
    await t.test('nothing of all this has written anything', async () => {
      const mark = await markAudit(site);
      await run('plan', ['--cr', 'cr.yaml']);
      await run('diff');
      await run('preflight');
      const commands = (await writesSince(site, mark)).filter(({ userAgent }) => !userAgent.includes('(all)'));
      // Reviews of rights are created and stored nowhere; a deletion that is only tried is a dry run.
      assert.deepEqual(
        commands.filter(
          ({ objectRef, requestURI }) =>
            objectRef?.resource !== 'selfsubjectaccessreviews' && !requestURI.includes('dryRun=All'),
        ),
        [],
      );
    });
  });

  test('a change of the configuration', async () => {
    const cr = CR.replace(
      'featureGates: []',
      'featureGates: [DecentralizedLiveMigration]\n      disabledFeatureGates: [Template]',
    ).replace('spec:', 'spec:\n  infra: {replicas: 1}');
    const report = await plan(['--cr', 'cr.yaml'], { 'cr.yaml': cr });
    assert.equal(report.code, 0, JSON.stringify(report.remarks));
    assert.equal(report.undertaking, 'reconfigure');
    assert.ok(report.create.some(({ name }) => name === 'virt-synchronization-controller'));
    assert.ok(report.delete.some(({ name }) => name === 'virt-template-apiserver'));
    assert.deepEqual(
      report.restart.find(({ name }) => name === 'virt-handler'),
      { kind: 'DaemonSet', namespace: NAMESPACE, name: 'virt-handler', pods: 3 },
    );
    const api = report.change.find(({ kind, name }) => kind === 'Deployment' && name === 'virt-api');
    assert.deepEqual(
      api?.fields.find(({ path }) => path === 'spec.replicas'),
      { path: 'spec.replicas', from: 2, to: 1 },
    );
    await assertFollowed(report, {
      infra: { replicas: 1 },
      configuration: {
        developerConfiguration: { featureGates: ['DecentralizedLiveMigration'], disabledFeatureGates: ['Template'] },
      },
    });
  });

  test('an update to a release that this program was not built for', async (t) => {
    await t.test('says what it needs to know', async () => {
      const { code, err } = await run('plan', ['--to', 'v1.9.3']);
      assert.equal(code, 1);
      assert.match(err, /the objects of v1\.9\.3 are not known here.*--strategy.*--run-job/);
    });
    let report: Awaited<ReturnType<typeof plan>> | undefined;
    await t.test('asks that release itself, and leaves nothing behind', async () => {
      report = await plan(['--to', 'v1.9.3', '--run-job']);
      assert.equal(report.code, 0, JSON.stringify(report.remarks));
      assert.equal(report.undertaking, 'update');
      assert.deepEqual(report.from?.version, 'v1.9.0');
      const jobs = await eventually(
        () => site.plane.api.expect('GET', `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`),
        ({ items }) => (items as unknown[]).length === 0,
      );
      assert.deepEqual(jobs['items'], []);
      assert.equal((await run('diff')).code, 0);
    });
    await t.test('goes as planned', async () => {
      assert.ok(report !== undefined);
      await assertFollowed(report, { imageTag: 'v1.9.3' });
    });
  });

  test('the way back', async () => {
    const report = await plan(['--to', 'v1.9.0']);
    assert.equal(report.undertaking, 'rollback');
    assert.ok(
      report.remarks.some(
        ({ level, text }) => level === 'warning' && text.startsWith('this goes back from v1.9.3 to v1.9.0'),
      ),
    );
    await assertFollowed(report, { imageTag: 'v1.9.0' });
  });

  test('B24: an update that leaves out a minor release is warned of', async () => {
    const { out } = await run('render', ['--cr', 'cr.yaml', '-o', 'yaml'], {
      'cr.yaml': CR.replace('spec:', 'spec:\n  imageTag: v1.11.0'),
    });
    const report = await plan(['--to', 'v1.11.0', '--strategy', 'objects.yaml'], { 'objects.yaml': out });
    assert.equal(report.code, 0, JSON.stringify(report.remarks));
    assert.ok(report.remarks.some(({ level, text }) => level === 'warning' && /leaves out a minor release/.test(text)));
  });

  test('B45: what was changed by hand while the operator was away, and that deletion is blocked meanwhile', async () => {
    await operator.end('SIGTERM');
    const { api } = site.plane;
    await api.expect('DELETE', `/api/v1/namespaces/${NAMESPACE}/services/virt-api`);
    await api.expect(
      'PATCH',
      `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets/virt-handler`,
      { spec: { template: { spec: { hostPID: false } } } },
      'application/merge-patch+json',
    );
    await api.expect('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'left-over', labels: { 'app.kubernetes.io/managed-by': 'virt-operator' } },
      rules: [],
    });
    const { code, out } = await run('diff');
    assert.equal(code, 3);
    assert.match(out, /1 missing, 1 different, 1 left over/);
    assert.match(out, /\+ Service kubevirt\/virt-api\n/);
    assert.match(
      out,
      /~ DaemonSet kubevirt\/virt-handler\n +spec\.template\.spec\.hostPID: true \(new\)|hostPID: false → true/,
    );
    assert.match(out, /- ClusterRole left-over\n/);
    const status = await run('status');
    assert.match(
      status.out,
      /✗ the KubeVirt object cannot be deleted, because the operator's admission does not answer: start the operator again/,
    );
    operator = await startLeader(site);
    await eventually(
      () => run('diff'),
      ({ code: now }) => now === 0,
      60_000,
    );
  });

  test('a plan of an object that uses everything is what the audit log then shows', { skip: noGolden }, async () => {
    const spec = readGoldenSpec('rich');
    const object = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'KubeVirt',
      metadata: { name: 'kubevirt', namespace: NAMESPACE },
    };
    const report = await plan(['--cr', 'cr.yaml'], { 'cr.yaml': JSON.stringify({ ...object, spec }) });
    assert.equal(report.code, 0, JSON.stringify(report.remarks));
    assert.ok(report.change.length > 20, `${report.change.length} changes`);
    await assertFollowed(report, () =>
      site.plane.api.expect(
        'PATCH',
        `${KUBEVIRT_PATH}/kubevirt`,
        [{ op: 'replace', path: '/spec', value: spec }],
        'application/json-patch+json',
      ),
    );
  });

  test('an object that cannot be carried out', async (t) => {
    const patch = {
      resourceType: 'Deployment',
      resourceName: 'virt-api',
      type: 'json',
      patch: '[{"op":"remove","path":"/spec/nope"}]',
    };
    const cr = CR.replace('customizeComponents: {}', `customizeComponents: ${JSON.stringify({ patches: [patch] })}`);
    await t.test('plan tells what would fail', async () => {
      const { code, out } = await run('plan', ['--cr', 'cr.yaml'], { 'cr.yaml': cr });
      assert.equal(code, 3);
      assert.match(
        out,
        /✗ spec\.customizeComponents\.patches\[0\] cannot be applied to Deployment kubevirt\/virt-api: .*\/spec\/nope does not exist/,
      );
    });
    await t.test('preflight too', async () => {
      const { code, out } = await run('preflight', ['--cr', 'cr.yaml'], { 'cr.yaml': cr });
      assert.equal(code, 3);
      assert.match(out, /✗ customizations: spec\.customizeComponents\.patches\[0\]/);
    });
    await t.test('a file that is no KubeVirt object is refused before the cluster is asked', async () => {
      const { code, err } = await run('plan', ['--cr', 'cr.yaml'], {
        'cr.yaml': CR.replace('featureGates: []', 'featureGates: 7'),
      });
      assert.equal(code, 2);
      assert.match(err, /the KubeVirt object in cr\.yaml is not valid: .*featureGates/);
    });
    await t.test('status tells why the operator cannot go on', async () => {
      await editKubeVirt(site, { spec: { customizeComponents: { patches: [patch] } } });
      const { out } = await eventually(
        () => run('status'),
        ({ code, out: text }) => code === 3 && /cannot go on/.test(text),
        60_000,
      );
      assert.match(out, /the operator cannot go on: .*spec\.customizeComponents\.patches\[0\]/);
      await editKubeVirt(site, { spec: { customizeComponents: null } });
      assert.equal((await run('status', ['--wait', '--timeout', '60'])).code, 0);
    });
    await t.test('a second object is a problem of both', async () => {
      const { api } = site.plane;
      const other = {
        apiVersion: 'kubevirt.io/v1',
        kind: 'KubeVirt',
        metadata: { name: 'other', namespace: 'default' },
        spec: {},
      };
      await operator.end('SIGTERM');
      await api.expect(
        'DELETE',
        '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/virt-operator-validator',
      );
      await eventually(
        () => api.call('POST', '/apis/kubevirt.io/v1/namespaces/default/kubevirts', other),
        ({ status }) => status === 201,
      );
      const preflight = await run('preflight', ['--namespace', NAMESPACE]);
      assert.equal(preflight.code, 3);
      assert.match(
        preflight.out,
        /✗ KubeVirt objects: there are several, default\/other and kubevirt\/kubevirt: none is reconciled/,
      );
      const planned = await plan(['--namespace', NAMESPACE]);
      assert.equal(planned.code, 3);
      assert.equal(planned.undertaking, 'blocked');
      const { code, err } = await run('status');
      assert.equal(code, 1);
      assert.match(err, /there are several KubeVirt objects.*--namespace/);
      assert.match((await run('status', ['-n', NAMESPACE])).out, /✗ there is another KubeVirt object, default\/other/);
      await api.expect('DELETE', '/apis/kubevirt.io/v1/namespaces/default/kubevirts/other');
    });
  });

  test('B44: leftovers of an installation that is gone are named, with the command that removes them', async () => {
    const { api } = site.plane;
    await api.expect('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'old-validator' },
      webhooks: [
        {
          name: 'old.kubevirt.io',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          clientConfig: { service: { namespace: 'gone', name: 'old-api' } },
          rules: [
            { apiGroups: ['kubevirt.io'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['virtualmachines'] },
          ],
        },
      ],
    });
    const { code, out } = await run('preflight');
    assert.equal(code, 3);
    assert.match(
      out,
      /✗ webhooks: ValidatingWebhookConfiguration old-validator leads to Service gone\/old-api, which is not there/,
    );
    assert.match(out, /→ kubectl delete validatingwebhookconfiguration old-validator\n/);
  });

  test('an API server that does not answer', async () => {
    await site.plane.stop();
    const { code, err } = await runCommand('status', [], { kubeconfig: 'nowhere.kubeconfig' });
    assert.equal(code, 2);
    assert.match(err, /kubeconfig nowhere\.kubeconfig cannot be used: ENOENT/);
  });

  /** Edits the object as planned, and fails when the operator does something else than planned. */
  async function assertFollowed(report: PlanReport, edit: object | (() => Promise<unknown>)): Promise<void> {
    const mark = await markAudit(site);
    await (typeof edit === 'function' ? edit() : editKubeVirt(site, { spec: edit }));
    const { code, err } = await run('status', ['--wait', '--timeout', '120']);
    assert.equal(code, 0, err);
    await whenQuiet(site);
    const writes = (await writesSince(site, mark)).filter(({ userAgent }) => userAgent.includes('(all)'));
    assertSameWrites(writes, report);
    assertOrder(report, writes);
  }
});
