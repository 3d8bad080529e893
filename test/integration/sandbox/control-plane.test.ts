import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { createApiClient } from '../../../sandbox/api-client.ts';
import type { ApiObject } from '../../../sandbox/api-object.ts';
import { createAuthority, type Authority } from '../../../sandbox/certificates.ts';
import { startControlPlane, type ControlPlane } from '../../../sandbox/control-plane.ts';
import { parseKubeconfig } from '../../../sandbox/kubeconfig.ts';
import { createNamespace, requireBinaries, startOwnControlPlane } from '../fixtures/control-plane.ts';
import { eventually } from '../fixtures/eventually.ts';
import { listProcesses } from '../fixtures/processes.ts';

describe('a control plane with fake nodes', () => {
  let plane: ControlPlane;
  let namespace: string;
  let authority: Authority;

  before(async () => {
    plane = await startOwnControlPlane();
    namespace = await createNamespace(plane.api, 'sandbox');
    authority = await createAuthority('test');
  });

  const post = (path: string, body: ApiObject) => plane.api.expect('POST', path, body);
  const deploy = (name: string) => post(`/apis/apps/v1/namespaces/${namespace}/deployments`, buildDeployment(name));
  const readyReplicas = async (name: string) => {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;
    return ((await plane.api.expect('GET', path)) as { status?: { readyReplicas?: number } }).status?.readyReplicas;
  };

  it('has three schedulable nodes of the control plane', async () => {
    const { items } = (await plane.api.expect('GET', '/api/v1/nodes')) as unknown as { items: NodeObject[] };
    assert.equal(items.length, 3);
    for (const node of items) {
      assert.equal(node.metadata.labels['node-role.kubernetes.io/control-plane'], '');
      assert.equal(node.spec.taints, undefined);
    }
  });

  it('makes the pods of a Deployment ready', async () => {
    await deploy('web');
    await eventually(
      () => readyReplicas('web'),
      (ready) => ready === 2,
    );
  });

  it('leaves pods that dump a strategy alone, completes other Jobs and removes deleted pods', async () => {
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
    await post(jobs, buildJob('dump', { 'kubevirt.io': 'virt-operator-strategy-dumper' }));
    await post(jobs, buildJob('other', {}));
    await eventually(
      async () => ((await plane.api.expect('GET', `${jobs}/other`)) as JobObject).status?.succeeded,
      (succeeded) => succeeded === 1,
    );
    const listed = (await plane.api.expect('GET', `${pods}?labelSelector=job-name%3Ddump`)) as unknown as PodList;
    assert.deepEqual(
      listed.items.map((pod) => pod.status.phase),
      ['Pending'],
    );
    await plane.api.expect('DELETE', `${jobs}/dump?propagationPolicy=Background`);
    await eventually(
      async () =>
        ((await plane.api.expect('GET', `${pods}?labelSelector=job-name%3Ddump`)) as unknown as PodList).items,
      (items) => items.length === 0,
    );
  });

  it('writes every request with its User-Agent to the audit log', async () => {
    await plane.api.expect('GET', `/api/v1/namespaces/${namespace}/configmaps?limit=7`);
    const line = readFileSync(plane.auditLog, 'utf8')
      .split('\n')
      .find((text) => text.includes('configmaps?limit=7'));
    const event = JSON.parse(line ?? '{}') as { level?: string; verb?: string; userAgent?: string };
    assert.deepEqual(
      { level: event.level, verb: event.verb, userAgent: event.userAgent },
      { level: 'Metadata', verb: 'list', userAgent: 'virt-operator-sandbox' },
    );
  });

  it('gives a ServiceAccount a kubeconfig with its own rights', async () => {
    await post(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'weak' } });
    const file = await plane.writeServiceAccountKubeconfig(namespace, 'weak');
    const { server, identity } = parseKubeconfig(readFileSync(file, 'utf8'));
    const api = createApiClient(server, identity);
    after(() => {
      api.close();
    });
    const { status, text } = await api.call('GET', '/api/v1/nodes');
    assert.equal(status, 403);
    assert.match(text, new RegExp(`system:serviceaccount:${namespace}:weak`));
  });

  it('brings admission webhooks of the operator to its ports, in turn and past a dead one', async () => {
    const name = `kubevirt-operator-webhook.${namespace}.svc`;
    const pair = await authority.issueServer(name, { dns: [name], ip: [] });
    const servers = await Promise.all(['first', 'second'].map((answer) => startDenier(pair, answer)));
    const ports = servers.map((server) => (server.address() as AddressInfo).port);
    await post(`/api/v1/namespaces/${namespace}/services`, buildService('kubevirt-operator-webhook'));
    await post(
      '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
      buildWebhook(namespace, 'kubevirt-operator-webhook', authority.certificate),
    );
    const tryCreate = () =>
      plane.api.call('POST', `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { generateName: 'x-' } });

    plane.setWebhookPorts(ports);
    const seen = new Set<string>();
    await eventually(
      async () => {
        const { text } = await tryCreate();
        for (const answer of ['first', 'second']) if (text.includes(`denied by ${answer}`)) seen.add(answer);
        // Connections are kept and shared: closing them makes the API server connect again.
        for (const server of servers) server.closeAllConnections();
        return seen.size;
      },
      (size) => size === 2,
    );

    await closeServer(servers[0]!);
    await eventually(
      async () => (await tryCreate()).text,
      (text) => text.includes('denied by second'),
    );
    await closeServer(servers[1]!);
    await eventually(
      async () => (await tryCreate()).text,
      (text) => text.includes('failed calling webhook'),
    );
    await plane.api.expect(
      'DELETE',
      `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${namespace}`,
    );
  });

  it('answers for the webhook of another Service only while one of its pods is ready', async () => {
    const name = `virt-template-webhook-service.${namespace}.svc`;
    const pair = await authority.issueServer(name, { dns: [name], ip: [] });
    await post(`/api/v1/namespaces/${namespace}/secrets`, {
      metadata: { name: 'kubevirt-virt-template-webhook-certs' },
      type: 'kubernetes.io/tls',
      stringData: { 'tls.crt': pair.certificate, 'tls.key': pair.key },
    });
    await post(`/api/v1/namespaces/${namespace}/services`, buildService('virt-template-webhook-service'));
    const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    await post(webhooks, buildWebhook(namespace, 'virt-template-webhook-service', authority.certificate));
    const tryCreate = () =>
      plane.api.call('POST', `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { generateName: 'y-' } });

    await eventually(tryCreate, ({ text }) => text.includes('failed calling webhook'));
    await deploy('virt-template-webhook-service');
    await eventually(tryCreate, ({ status }) => status === 201);
    await plane.api.expect('DELETE', `${webhooks}/${namespace}`);
  });

  it('answers for an aggregated API with the certificate from its Secret', async () => {
    const name = `virt-api.${namespace}.svc`;
    const pair = await authority.issueServer(name, { dns: [name], ip: [] });
    await deploy('virt-api');
    await post(`/api/v1/namespaces/${namespace}/services`, buildService('virt-api'));
    await post(`/api/v1/namespaces/${namespace}/secrets`, {
      metadata: { name: 'kubevirt-virt-api-certs' },
      type: 'kubernetes.io/tls',
      stringData: { 'tls.crt': pair.certificate, 'tls.key': pair.key },
    });
    await post('/apis/apiregistration.k8s.io/v1/apiservices', buildApiService(namespace, authority.certificate));
    const answer = await eventually(
      () => plane.api.call('GET', '/apis/subresources.kubevirt.io/v1'),
      ({ status }) => status === 200,
    );
    assert.deepEqual(answer.body['resources'], []);
  });

  it('restarts the API server under the same address without losing an object', async () => {
    await post(`/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: 'kept' } });
    await plane.restartApiServer({ signal: 'SIGKILL' });
    await plane.api.expect('GET', `/api/v1/namespaces/${namespace}/configmaps/kept`);
  });

  it('adds nodes', async () => {
    await plane.addNodes(5);
    const { items } = (await plane.api.expect('GET', '/api/v1/nodes')) as unknown as { items: unknown[] };
    assert.equal(items.length, 8);
  });
});

describe('what a control plane leaves behind', () => {
  /** Everything is made below this folder, so that its path finds the processes. */
  const folder = mkdtempSync(join(tmpdir(), 'leftovers-'));
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const leftovers = async () => [...readdirSync(folder), ...(await listProcesses(folder))];

  /** Runs a control plane in a process of its own; resolves when it is ready or has failed. */
  const runElsewhere = async (apiServerArgs: string[] = []) => {
    const script = join(import.meta.dirname, '..', 'fixtures', 'run-control-plane.ts');
    const child = spawn(process.execPath, [script, requireBinaries(), ...apiServerArgs], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    return { child, line };
  };

  for (const signal of ['SIGKILL', 'SIGINT', 'SIGTERM'] as const) {
    it(`is nothing when its process ends by ${signal}`, async () => {
      const { child, line } = await runElsewhere();
      assert.equal(line, 'ready');
      assert.ok((await leftovers()).length > 5, 'the search finds a running control plane');
      child.kill(signal);
      await eventually(leftovers, (found) => found.length === 0);
    });
  }

  it('is nothing when the start fails half-way, and the error shows why', async () => {
    const { line } = await runElsewhere(['--no-such-flag']);
    assert.match(line, /kube-apiserver ended while starting.*unknown flag: --no-such-flag/);
    await eventually(leftovers, (found) => found.length === 0);
  });

  it('is nothing after stop, also when it is called twice', async () => {
    const plane = await startControlPlane({ binaries: requireBinaries(), nodes: 1 });
    assert.ok((await listProcesses(plane.directory)).length >= 4);
    await Promise.all([plane.stop(), plane.stop()]);
    assert.deepEqual(await listProcesses(plane.directory), []);
    assert.throws(() => readdirSync(plane.directory), { code: 'ENOENT' });
  });

  it('is an error that says what to do when the programs are missing', async () => {
    await assert.rejects(startControlPlane({ binaries: folder }), /npm run sandbox:bin builds it/);
  });
});

interface NodeObject {
  metadata: { labels: Record<string, string> };
  spec: { taints?: unknown };
}
interface PodList {
  items: { status: { phase: string } }[];
}
interface JobObject {
  status?: { succeeded?: number };
}

function buildPodTemplate(labels: Record<string, string>): ApiObject {
  return { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'example/image' }] } };
}

function buildDeployment(name: string): ApiObject {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: buildPodTemplate(labels) },
  };
}

function buildJob(name: string, labels: Record<string, string>): ApiObject {
  const template = buildPodTemplate(labels) as { spec: Record<string, unknown> };
  template.spec['restartPolicy'] = 'Never';
  return { metadata: { name }, spec: { template } };
}

function buildService(name: string): ApiObject {
  return { metadata: { name }, spec: { selector: { app: name }, ports: [{ port: 443, targetPort: 8443 }] } };
}

function buildWebhook(namespace: string, service: string, ca: string): ApiObject {
  return {
    metadata: { name: namespace },
    webhooks: [
      {
        name: 'configmaps.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        clientConfig: {
          caBundle: Buffer.from(ca).toString('base64'),
          service: { namespace, name: service, path: '/validate' },
        },
      },
    ],
  };
}

function buildApiService(namespace: string, ca: string): ApiObject {
  return {
    metadata: { name: 'v1.subresources.kubevirt.io' },
    spec: {
      group: 'subresources.kubevirt.io',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      caBundle: Buffer.from(ca).toString('base64'),
      service: { namespace, name: 'virt-api' },
    },
  };
}

/** An admission server that says who denied. */
async function startDenier(pair: { certificate: string; key: string }, answer: string): Promise<Server> {
  const server = createServer({ cert: pair.certificate, key: pair.key }, (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(parts).toString()) as { apiVersion: string; request: { uid: string } };
      const status = { message: `denied by ${answer}` };
      const denial = {
        kind: 'AdmissionReview',
        apiVersion: review.apiVersion,
        response: { uid: review.request.uid, allowed: false, status },
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(denial));
    });
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  after(() => server.listening && closeServer(server));
  return server;
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
