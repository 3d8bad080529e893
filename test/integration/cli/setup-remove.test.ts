import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { ApiClient } from '../../../sandbox/api-client.ts';
import { atEnd } from '../fixtures/cleanup.ts';
import { createNamespace, startOwnControlPlane } from '../fixtures/control-plane.ts';
import { eventually } from '../fixtures/eventually.ts';

const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/kubevirts.kubevirt.io';
const FINALIZER = 'kubevirt.io/foregroundDeleteKubeVirt';
const collection = (namespace: string): string => `/apis/kubevirt.io/v1/namespaces/${namespace}/kubevirts`;

let api: ApiClient;
let kubeconfig: string;
let directory: string;

/** Runs a command in a process of its own. */
function run(command: 'setup' | 'remove', ...args: string[]): Promise<{ code: number | null; text: string }> {
  const file = new URL(`../../../src/cli/${command}.ts`, import.meta.url).href;
  const script = `process.exitCode = await (await import('${file}')).run(process.argv.slice(1))`;
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', script, '--', '--kubeconfig', kubeconfig, ...args],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let text = '';
  child.stderr.on('data', (part: Buffer) => {
    text += part.toString();
  });
  return new Promise((resolve) => {
    child.once('close', (code) => {
      resolve({ code, text });
    });
  });
}

async function writeObject(namespace: string, spec: object): Promise<string> {
  const file = join(directory, `${namespace}.yaml`);
  const object = { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', metadata: { name: 'kubevirt', namespace }, spec };
  await writeFile(file, JSON.stringify(object));
  return file;
}

/** A namespace with a KubeVirt object. */
async function installObject(finalizers: string[] = []): Promise<string> {
  const namespace = await createNamespace(api, 'remove');
  await api.expect('POST', collection(namespace), {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name: 'kubevirt', finalizers },
    spec: {},
  });
  return namespace;
}

const dropFinalizers = (namespace: string) =>
  api.call(
    'PATCH',
    `${collection(namespace)}/kubevirt`,
    { metadata: { finalizers: null } },
    'application/merge-patch+json',
  );

before(async () => {
  ({ api, kubeconfig } = await startOwnControlPlane({ nodes: 1 }));
  directory = await mkdtemp(join(tmpdir(), 'setup-'));
  atEnd(() => rm(directory, { recursive: true }));
});

describe('before the CRD is there', () => {
  test('remove has nothing to do', async () => {
    const { code, text } = await run('remove', '--namespace', 'default');
    assert.match(text, /there is no KubeVirt object in the namespace default/);
    assert.equal(code, 0);
  });

  test('a file that cannot be used is found out about before anything is written', async () => {
    const { code, text } = await run('setup', '--kubevirt', join(directory, 'missing.yaml'));
    assert.match(text, /cannot read the KubeVirt object from .*missing\.yaml: ENOENT/);
    assert.equal(code, 2);
    assert.equal((await api.call('GET', CRD)).status, 404);
  });
});

describe('setup', () => {
  test('installs the CRD and, as soon as it is established, the KubeVirt object', async () => {
    const namespace = await createNamespace(api, 'setup');
    const { code, text } = await run('setup', '--kubevirt', await writeObject(namespace, { imageTag: 'v1.8.4' }));
    assert.equal(code, 0, text);
    const object = await api.expect('GET', `${collection(namespace)}/kubevirt`);
    assert.deepEqual(object['spec'], { imageTag: 'v1.8.4' });
  });

  test('brings both up to date, and changes nothing when there is nothing to change', async () => {
    const namespace = await createNamespace(api, 'setup');
    await run('setup', '--kubevirt', await writeObject(namespace, { imageTag: 'v1.8.4' }));
    const file = await writeObject(namespace, { imageTag: 'v1.9.0' });
    assert.equal((await run('setup', '--kubevirt', file)).code, 0);
    const read = async () => [
      await api.expect('GET', CRD),
      await api.expect('GET', `${collection(namespace)}/kubevirt`),
    ];
    const updated = await read();
    assert.deepEqual(updated[1]?.['spec'], { imageTag: 'v1.9.0' });
    assert.equal((await run('setup', '--kubevirt', file)).code, 0);
    const versions = (objects: typeof updated) => objects.map(({ metadata }) => metadata?.resourceVersion);
    assert.deepEqual(versions(await read()), versions(updated));
  });

  for (const { name, spec, want } of [
    { name: 'what the schema refuses', spec: { imageTag: 7 }, want: /is not valid: spec\.imageTag: .*string/ },
    { name: 'a field that is none', spec: { imageTga: 'v1' }, want: /is not valid: spec\.imageTga is no field of it/ },
  ]) {
    test(`refuses ${name}, at once`, async () => {
      const namespace = await createNamespace(api, 'setup');
      const { code, text } = await run('setup', '--timeout', '10', '--kubevirt', await writeObject(namespace, spec));
      assert.equal(code, 2);
      assert.match(text, want);
      assert.doesNotMatch(text, /gave up|PATCH/);
    });
  }

  test('gives up in time when the API server does not answer', async () => {
    const silent = join(directory, 'silent.kubeconfig');
    const cluster = { name: 'a', cluster: { server: 'https://127.0.0.1:9' } };
    const context = { name: 'a', context: { cluster: 'a', user: 'a' } };
    await writeFile(
      silent,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'a',
        clusters: [cluster],
        contexts: [context],
        users: [{ name: 'a', user: { token: 'x' } }],
      }),
    );
    const { code, text } = await run('setup', '--kubeconfig', silent, '--timeout', '1');
    assert.equal(code, 1);
    assert.match(text, /gave up after 1 seconds.*127\.0\.0\.1:9/);
  });
});

describe('setup --namespace (B72)', () => {
  const labelsOf = async (namespace: string) =>
    ((await api.expect('GET', `/api/v1/namespaces/${namespace}`)).metadata as { labels?: Record<string, string> })
      .labels ?? {};

  test('gives the namespace its labels before the KubeVirt object is there', async () => {
    const namespace = await createNamespace(api, 'labels');
    const { code, text } = await run('setup', '--namespace', namespace);
    assert.equal(code, 0, text);
    const { 'kubevirt.io': own, 'pod-security.kubernetes.io/enforce': enforced } = await labelsOf(namespace);
    assert.deepEqual([own, enforced], ['', 'privileged']);
  });

  test('fails at once, and creates no KubeVirt object, where privileged pods are forbidden', async () => {
    const namespace = await createNamespace(api, 'labels');
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const path = `/api/v1/namespaces/${namespace}`;
    await api.expect('PATCH', path, { metadata: { labels } }, 'application/merge-patch+json');
    const file = await writeObject(namespace, {});
    const { code, text } = await run('setup', '--namespace', namespace, '--kubevirt', file, '--timeout', '10');
    assert.equal(code, 1);
    assert.match(text, /level restricted.*kubectl label namespace/);
    assert.doesNotMatch(text, /gave up/);
    assert.equal((await api.call('GET', `${collection(namespace)}/kubevirt`)).status, 404);
    assert.equal((await labelsOf(namespace))['pod-security.kubernetes.io/enforce'], 'restricted');
  });
});

describe('remove', () => {
  test('deletes the object and waits until its finalizer is gone', async () => {
    const namespace = await installObject([FINALIZER]);
    const running = run('remove', '--namespace', namespace);
    await eventually(
      () => api.expect('GET', `${collection(namespace)}/kubevirt`),
      ({ metadata }) => 'deletionTimestamp' in (metadata ?? {}),
    );
    await dropFinalizers(namespace);
    const { code, text } = await running;
    assert.equal(code, 0, text);
    assert.match(text, /is gone/);
  });

  test('says what the operator says when it takes too long', async () => {
    const namespace = await installObject([FINALIZER]);
    const condition = { type: 'Synchronized', status: 'False', reason: 'DeletionFailed', message: 'virt-api is away' };
    await api.expect(
      'PATCH',
      `${collection(namespace)}/kubevirt/status`,
      { status: { phase: 'Deleting', conditions: [condition] } },
      'application/merge-patch+json',
    );
    const { code, text } = await run('remove', '--namespace', namespace, '--timeout', '2');
    assert.equal(code, 1);
    assert.match(text, /Deleting: virt-api is away/);
    assert.match(text, /gave up after 2 seconds/);
    await dropFinalizers(namespace);
  });

  test('passes on a refusal at once', async () => {
    const namespace = await installObject();
    const name = `keep-${namespace}`;
    const policies = '/apis/admissionregistration.k8s.io/v1';
    await api.expect('POST', `${policies}/validatingadmissionpolicies`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: ['kubevirt.io'], apiVersions: ['*'], operations: ['DELETE'], resources: ['kubevirts'] },
          ],
        },
        validations: [{ expression: `request.namespace != '${namespace}'`, message: 'there are still workloads' }],
      },
    });
    await api.expect('POST', `${policies}/validatingadmissionpolicybindings`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    });
    // A new admission policy takes a moment to be in force; a dry run changes nothing meanwhile.
    await eventually(
      () => api.call('DELETE', `${collection(namespace)}/kubevirt?dryRun=All`),
      ({ status }) => status === 422,
    );
    const { code, text } = await run('remove', '--namespace', namespace, '--timeout', '10');
    assert.equal(code, 1);
    assert.match(text, /there are still workloads/);
    assert.doesNotMatch(text, /gave up/);
    assert.equal((await api.call('GET', `${collection(namespace)}/kubevirt`)).status, 200);
  });
});
