import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';

import { findFreePort } from '../../../sandbox/ports.ts';
import { startControlPlane, type ControlPlane } from '../../../sandbox/control-plane.ts';
import type { KubeVirt, KubeVirtSpec } from '../../../src/api/kubevirt.ts';
import { buildKubeVirtCrd } from '../../../src/strategy/components/kubevirt-crd.ts';
import { atEnd } from '../fixtures/cleanup.ts';
import { requireBinaries } from '../fixtures/control-plane.ts';
import { eventually } from '../fixtures/eventually.ts';
import { startRedis, type TestRedis } from '../fixtures/redis.ts';

export const NAMESPACE = 'kubevirt';
export const KUBEVIRT_PATH = `/apis/kubevirt.io/v1/namespaces/${NAMESPACE}/kubevirts`;
export const IMAGE = 'quay.io/kubevirt/virt-operator:v1.9.0';

/** A cluster with everything that comes before the operator, and a Redis. */
export interface Site {
  plane: ControlPlane;
  redis: TestRedis;
  /** Has something run when the site's user ends. */
  atEnd: (close: () => unknown) => void;
}

/** A process of the operator. */
export interface Operator {
  role: string;
  pid: number;
  /** What it has logged so far. */
  lines: readonly string[];
  /** Resolves to the first line, past or to come, that contains the text. */
  said(text: string): Promise<string>;
  /** Sends the signal; resolves with the exit code and the milliseconds that it took. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; milliseconds: number }>;
  /** Of metrics and probes. */
  port: number;
  webhookPort: number;
}

/** One entry of the audit log, as far as tests read it. */
export interface AuditEntry {
  verb: string;
  userAgent: string;
  user: { username: string };
  requestReceivedTimestamp: string;
  requestURI: string;
  objectRef?: { resource: string; namespace?: string; name?: string; subresource?: string };
  responseStatus: { code: number };
}

/**
 * Starts a control plane with fake nodes and a Redis, which nobody else uses. They end, as the operators do, with the given test, else with the file: several
 * at a time would be too much for a small machine.
 */
export async function startSite(owner?: { after: (close: () => Promise<void>) => void }, nodes = 3): Promise<Site> {
  const [plane, redis] = await Promise.all([
    startControlPlane({ binaries: requireBinaries(), nodes }),
    startRedis({ own: true }),
  ]);
  const closing: (() => unknown)[] = [() => plane.stop(), () => redis.stop()];
  const close = async () => {
    for (const each of closing.reverse()) await each();
  };
  if (owner === undefined) atEnd(close);
  else owner.after(close);
  const { api } = plane;
  await api.expect('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE },
  });
  await api.expect('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'kubevirt-cluster-critical' },
    value: 1_000_000_000,
  });
  await api.expect('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', buildKubeVirtCrd());
  await eventually(
    () => api.call('GET', '/apis/kubevirt.io/v1/kubevirts'),
    ({ status }) => status === 200,
  );
  return { plane, redis, atEnd: (each) => closing.push(each) };
}

/** Starts a role of the operator from the sources; it is killed at the end of the site at the latest. */
export async function startOperator(
  site: Site,
  role: string,
  more: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Operator> {
  const [port, webhookPort, dashboardPort] = await Promise.all([findFreePort(), findFreePort(), findFreePort()]);
  const child = spawn(
    process.execPath,
    [
      'src/main.ts',
      role,
      `--kubeconfig=${site.plane.kubeconfig}`,
      '--listen=127.0.0.1',
      `--port=${port}`,
      `--webhook-port=${webhookPort}`,
      `--dashboard-port=${dashboardPort}`,
      ...more,
    ],
    {
      cwd: new URL('../../../', import.meta.url),
      env: {
        ...process.env,
        VIRT_OPERATOR_IMAGE: IMAGE,
        KUBEVIRT_VERSION: 'v1.9.0',
        REDIS_URL: site.redis.url,
        ...env,
      },
      stdio: ['ignore', 'inherit', 'pipe'],
    },
  );
  const operator = follow(child, { role, port, webhookPort });
  site.atEnd(() => operator.end('SIGKILL'));
  return operator;
}

function follow(child: ChildProcess, named: Pick<Operator, 'role' | 'port' | 'webhookPort'>): Operator {
  const lines: string[] = [];
  assert.ok(child.stderr !== null);
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  // Later than its exit: when its last lines have been read.
  let isClosed = false;
  child.once('close', () => {
    isClosed = true;
  });
  const said = async (text: string) => {
    const find = () => lines.find((line) => line.includes(text)) ?? '';
    const line = await eventually(find, (found) => found !== '' || isClosed, 60_000);
    const ended = `${named.role} ended (${child.exitCode ?? String(child.signalCode)}) without saying`;
    assert.ok(line !== '', `${ended} "${text}":\n${lines.slice(-5).join('\n')}`);
    return line;
  };
  const end = async (signal: NodeJS.Signals) => {
    const begun = performance.now();
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    }
    return { code: child.exitCode, milliseconds: performance.now() - begun };
  };
  return { ...named, pid: child.pid ?? 0, lines, said, end };
}

/** Creates the KubeVirt object. */
export async function createKubeVirt({ plane }: Site, spec: KubeVirtSpec = {}): Promise<void> {
  await plane.api.expect('POST', KUBEVIRT_PATH, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name: 'kubevirt', namespace: NAMESPACE },
    spec,
  });
}

export async function readKubeVirt({ plane }: Site): Promise<KubeVirt> {
  return (await plane.api.expect('GET', `${KUBEVIRT_PATH}/kubevirt`)) as unknown as KubeVirt;
}

/** Resolves when the installation is Deployed and available. */
export async function whenDeployed(site: Site, timeoutMs = 120_000): Promise<KubeVirt> {
  return eventually(() => readKubeVirt(site), isDeployed, timeoutMs);
}

function isDeployed({ status, metadata }: KubeVirt): boolean {
  const isAvailable = (status?.conditions ?? []).some(
    ({ type, status: value }) => type === 'Available' && value === 'True',
  );
  return status?.phase === 'Deployed' && isAvailable && status.observedGeneration === metadata.generation;
}

/** What the operator asked of the API server, oldest first. Only what has come since the last call is read and parsed: tests ask again and again. */
export async function readAudit({ plane }: Site): Promise<AuditEntry[]> {
  const audit = audits.get(plane.auditLog) ?? { offset: 0, rest: '', entries: [], reading: Promise.resolve() };
  audits.set(plane.auditLog, audit);
  audit.reading = audit.reading.then(() => readOn(plane.auditLog, audit));
  await audit.reading;
  return [...audit.entries];
}

/** How far an audit log has been read. */
interface Audit {
  offset: number;
  /** The beginning of a line that was still being written. */
  rest: string;
  entries: AuditEntry[];
  reading: Promise<void>;
}
const audits = new Map<string, Audit>();

async function readOn(path: string, audit: Audit): Promise<void> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(size - audit.offset),
      0,
      size - audit.offset,
      audit.offset,
    );
    audit.offset += bytesRead;
    const lines = (audit.rest + buffer.toString('utf8', 0, bytesRead)).split('\n');
    audit.rest = lines.pop() ?? '';
    const finished = lines.filter((line) => line.includes('"ResponseComplete"') && line.includes('"virt-operator/'));
    const entries = finished.map((line) => JSON.parse(line) as AuditEntry);
    audit.entries.push(...entries.filter(({ userAgent }) => userAgent.startsWith('virt-operator/')));
  } finally {
    await file.close();
  }
}

/** True for a call that changes something and was taken. */
export function isWrite({ verb, responseStatus }: AuditEntry): boolean {
  return !['get', 'list', 'watch'].includes(verb) && responseStatus.code < 300;
}

/** Objects that were created more than once. */
export function createdTwice(entries: readonly AuditEntry[]): string[] {
  const created = new Map<string, number>();
  for (const entry of entries) {
    if (entry.verb !== 'create' || !isWrite(entry) || entry.objectRef?.resource === 'events') continue;
    const { resource, namespace = '', name = '' } = entry.objectRef ?? { resource: '' };
    const key = `${resource} ${namespace}/${name}`;
    created.set(key, (created.get(key) ?? 0) + 1);
  }
  return [...created].filter(([, times]) => times > 1).map(([key]) => key);
}

/** Resolves when the operator has made so many writes. */
export async function whenWritten(site: Site, count: number): Promise<void> {
  await eventually(
    async () => (await readAudit(site)).filter(isWrite).length,
    (writes) => writes >= count,
    60_000,
  );
}
