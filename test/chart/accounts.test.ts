/** What the accounts of mode split may do, tried with their own tokens against a real API server. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { createApiClient, type ApiAnswer, type ApiClient } from '../../sandbox/api-client.ts';
import type { ControlPlane } from '../../sandbox/control-plane.ts';
import { parseKubeconfig } from '../../sandbox/kubeconfig.ts';
import { KINDS, resourcePath, type KindName } from '../../src/api/kinds.ts';
import type { KubernetesObject } from '../../src/api/objects.ts';
import { atEnd } from '../integration/fixtures/cleanup.ts';
import { startOwnControlPlane } from '../integration/fixtures/control-plane.ts';
import { eventually } from '../integration/fixtures/eventually.ts';
import { find, noHelm, podOf, render } from './render.ts';

const POLICIES = '/apis/admissionregistration.k8s.io/v1';
const NAMESPACE = 'kubevirt';

const objects = noHelm === false ? render({ mode: 'split' }) : [];
let plane: ControlPlane;

/** A client with the token of the account that a Deployment's pods have, and no other right. */
async function clientOf(deployment: string): Promise<ApiClient> {
  const { serviceAccountName = 'default' } = podOf(find(objects, 'Deployment', deployment));
  const file = await plane.writeServiceAccountKubeconfig(NAMESPACE, serviceAccountName);
  const { server, identity } = parseKubeconfig(readFileSync(file, 'utf8'));
  const client = createApiClient(server, identity);
  atEnd(() => {
    client.close();
  });
  return client;
}

async function create(object: KubernetesObject): Promise<void> {
  const { kind, metadata } = object;
  const collection =
    kind in KINDS ? resourcePath(kind as KindName, metadata.namespace) : `${POLICIES}/${kind.toLowerCase()}s`;
  await plane.api.expect('POST', collection.replace('policys', 'policies'), object);
}

const kinds = (Object.keys(KINDS) as KindName[]).filter((kind) => KINDS[kind].source === 'core');

/** An object of a kind; what it holds is never looked at where the right to create it is missing. */
const bodyOf = (kind: KindName): object => ({
  apiVersion: [KINDS[kind].group, KINDS[kind].version].filter(Boolean).join('/'),
  kind,
  metadata: { name: 'tried' },
});

/** One that would be taken, for kinds of workloads. */
const workload = (kind: KindName): object => ({
  ...bodyOf(kind),
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
  },
});

/** Changes that an account is let through to: those that are not answered with 403. */
async function listAllowedChanges(client: ApiClient): Promise<string[]> {
  const calls = kinds.flatMap((kind) => {
    const namespace = KINDS[kind].namespaced ? NAMESPACE : undefined;
    const patch = 'application/merge-patch+json';
    return [
      { title: `create ${kind}`, call: () => client.call('POST', resourcePath(kind, namespace), workload(kind)) },
      {
        title: `patch ${kind}`,
        call: () => client.call('PATCH', resourcePath(kind, namespace, 'tried'), { metadata: { labels: {} } }, patch),
      },
      { title: `delete ${kind}`, call: () => client.call('DELETE', resourcePath(kind, namespace, 'tried')) },
    ];
  });
  const answers = await Promise.all(calls.map(async ({ title, call }) => ({ title, ...(await call()) })));
  return answers.filter(({ status }) => status !== 403).map(({ title, status }) => `${title}: ${status}`);
}

describe('accounts of mode split', { skip: noHelm }, () => {
  before(async () => {
    plane = await startOwnControlPlane({ nodes: 1 });
    const rights = /^(Namespace|ServiceAccount|(Cluster)?Role(Binding)?|ValidatingAdmissionPolicy(Binding)?)$/;
    const order = (object: KubernetesObject) => ['Namespace', 'ServiceAccount'].indexOf(object.kind) >>> 0;
    for (const object of objects.filter(({ kind }) => rights.test(kind)).toSorted((a, b) => order(a) - order(b))) {
      await create(object);
    }
  });

  for (const kind of ['Deployment', 'DaemonSet'] as const) {
    test(`functions create a ${kind} as a dry run, and not otherwise`, async () => {
      const client = await clientOf('virt-operator');
      const path = resourcePath(kind, NAMESPACE);
      // A new admission policy takes a moment to be in force.
      const refused = await eventually<ApiAnswer>(
        () => client.call('POST', path, { ...workload(kind), metadata: { generateName: 'tried-' } }),
        ({ text }) => text.includes('dry run only'),
      );
      assert.equal(refused.status, 403);
      const dry = await client.call('POST', `${path}?dryRun=All`, workload(kind));
      assert.equal(dry.status, 201, dry.text);
      assert.equal((await plane.api.call('GET', `${path}/tried`)).status, 404);
    });
  }

  test('functions change nothing at all', async () => {
    assert.deepEqual(await listAllowedChanges(await clientOf('virt-operator')), []);
  });

  test('the gateway changes nothing at all', async () => {
    assert.deepEqual(await listAllowedChanges(await clientOf('virt-operator-gateway')), []);
  });

  test('the dashboard reads and changes nothing, and its pod has no token to try it with', async () => {
    const client = await clientOf('kubevirt-dashboard');
    const reads = await Promise.all(
      kinds.map(async (kind) => ({ kind, ...(await client.call('GET', resourcePath(kind))) })),
    );
    assert.deepEqual(
      reads.filter(({ status }) => status !== 403).map(({ kind, status }) => `${kind}: ${status}`),
      [],
    );
    assert.deepEqual(await listAllowedChanges(client), []);
    const pod = podOf(find(objects, 'Deployment', 'kubevirt-dashboard'));
    assert.equal(pod.automountServiceAccountToken, false);
    const account = find(objects, 'ServiceAccount', 'kubevirt-dashboard');
    assert.equal(account['automountServiceAccountToken'], false);
  });

  test('the worker may: what is refused to the others is a matter of rights', async () => {
    const client = await clientOf('virt-operator-worker');
    const { status, text } = await client.call('POST', resourcePath('Deployment', NAMESPACE), workload('Deployment'));
    assert.equal(status, 201, text);
  });
});
