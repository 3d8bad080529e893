import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

import { Redis } from 'ioredis';

import { openRedis } from '../../../src/queue/connection.ts';
import { PassLog } from '../../../src/queue/pass-log.ts';
import {
  createdTwice,
  createKubeVirt,
  NAMESPACE,
  readAudit,
  readKubeVirt,
  whenDeployed,
  type Operator,
} from '../install/harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import { testLog } from '../queue/harness.ts';
import { AUTHORITY, readCertificate } from './certificates.ts';
import { editKubeVirt, findWrongGenerations, markAudit, probeAdmission, replaceSpec, writesSince } from './harness.ts';
import type { FaultySite } from './strikes.ts';

/** A way in which Redis is of no use. */
export interface Outage {
  begin: (faulty: FaultySite) => Promise<unknown>;
  end: (faulty: FaultySite) => Promise<unknown>;
  /** A shorter one may pass between two looks; then every call that failed was repeated, and nothing has to be looked at again. */
  noticedAfterMs: number;
}

/** The outages by their names. */
export const OUTAGES = {
  'stopped, and empty when it is back': {
    begin: ({ site }) => site.redis.crash(),
    end: ({ site }) => site.redis.restart(),
    noticedAfterMs: 0,
  },
  'out of reach, and with its data when it is back': {
    begin: async ({ redis }) => {
      redis.cut();
      return Promise.resolve();
    },
    end: async ({ redis }) => {
      redis.mend();
      return Promise.resolve();
    },
    noticedAfterMs: 0,
  },
  'refusing writes for lack of memory': {
    begin: (faulty) => configure(faulty, '1'),
    end: (faulty) => configure(faulty, '0'),
    noticedAfterMs: 5000,
  },
  emptied: {
    begin: ({ site }) => withRedis(site.redis.url, (redis) => redis.flushall()),
    end: () => Promise.resolve(),
    noticedAfterMs: 0,
  },
} as const satisfies Record<string, Outage>;

/** The name of an outage. */
export type OutageName = keyof typeof OUTAGES;

function configure({ site }: FaultySite, maxmemory: string): Promise<unknown> {
  return withRedis(site.redis.url, (redis) => redis.config('SET', 'maxmemory', maxmemory));
}

async function withRedis<T>(url: string, act: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  try {
    return await act(redis);
  } finally {
    redis.disconnect();
  }
}

/** Something in the middle of which Redis is lost. */
export interface Undertaking {
  begin: (faulty: FaultySite) => Promise<unknown>;
  /** Writes after which it is in its middle. */
  middle: number;
  /** Fails when it does not come to its end in time. */
  end: (faulty: FaultySite, timeoutMs: number) => Promise<unknown>;
}

const LEAF = 'kubevirt-virt-api-certs';
/** Lifetimes of nobody else, so that everything is issued anew; a new authority has five seconds to spread before its leaves are. */
const ROTATION = { ca: { duration: '47h', renewBefore: '15s' }, server: { duration: '23h' } };

/** The undertakings by their names, in an order in which they can follow each other. */
export const UNDERTAKINGS = {
  installation: {
    begin: ({ site }) => createKubeVirt(site),
    middle: 60,
    end: ({ site }, timeoutMs) => whenDeployed(site, timeoutMs),
  },
  update: {
    begin: async ({ site }) => {
      const { spec } = await readKubeVirt(site);
      await replaceSpec(site, { imageTag: spec.imageTag === 'v1.9.1' ? 'v1.9.2' : 'v1.9.1' });
    },
    middle: 30,
    end: ({ site }, timeoutMs) => whenDeployed(site, timeoutMs),
  },
  rotation: {
    begin: async ({ site }) => {
      const { spec } = await readKubeVirt(site);
      const isLong = spec.certificateRotateStrategy?.selfSigned?.ca?.duration === ROTATION.ca.duration;
      const ca = { ...ROTATION.ca, duration: isLong ? '46h' : ROTATION.ca.duration };
      await editKubeVirt(site, { spec: { certificateRotateStrategy: { selfSigned: { ...ROTATION, ca } } } });
    },
    middle: 2,
    end: ({ site }, timeoutMs) =>
      eventually(
        async () => {
          const [leaf, authority] = [await readCertificate(site, LEAF), await readCertificate(site, AUTHORITY)];
          const { spec } = await readKubeVirt(site);
          const hours = parseInt(spec.certificateRotateStrategy?.selfSigned?.ca?.duration ?? '', 10);
          const left = (authority.validToDate.getTime() - Date.now()) / 3_600_000;
          return { isSigned: leaf.verify(authority.publicKey), isNew: left > hours - 1 && left <= hours };
        },
        ({ isSigned, isNew }) => isSigned && isNew,
        timeoutMs,
      ),
  },
} as const satisfies Record<string, Undertaking>;

/** The name of an undertaking. */
export type UndertakingName = keyof typeof UNDERTAKINGS;

/** One loss of Redis in the middle of something. */
export interface Loss {
  outage: OutageName;
  undertaking: UndertakingName;
  /** How long Redis is lost; undefined: until the undertaking has come to its end without it. */
  lostMs: number | undefined;
}

/** After so long without an end something is wrong. */
const LIMIT_MS = 120_000;
/** Within this time after the return of Redis events are answered again (spec/field-reports.md L03), or within that of the last write of a pass that was running. */
const RESUMED_MS = 15_000;

/**
 * Begins the undertaking, loses Redis in its middle, has it back, and fails when the undertaking does not come to its end, something is created twice, events are not
 * answered soon after, no full resync was queued, admission fails, or the process is another one.
 */
export async function loseRedis(faulty: FaultySite, operator: Operator, loss: Loss): Promise<void> {
  try {
    await loseIt(faulty, operator, loss);
  } catch (error) {
    throw new Error(operator.lines.slice(-40).join('\n'), { cause: error });
  }
}

async function loseIt(faulty: FaultySite, operator: Operator, loss: Loss): Promise<void> {
  const { site } = faulty;
  const { begin, middle, end } = UNDERTAKINGS[loss.undertaking];
  const outage = OUTAGES[loss.outage];
  const mark = await markAudit(site);
  await begin(faulty);
  await eventually(
    async () => (await writesSince(site, mark)).length,
    (writes) => writes >= middle,
    60_000,
  );
  const lost = Date.now();
  await outage.begin(faulty);
  if (loss.lostMs === undefined) await end(faulty, LIMIT_MS);
  else await pause(loss.lostMs);
  await outage.end(faulty);
  await whenRepaired(faulty);
  if ((loss.lostMs ?? Infinity) >= outage.noticedAfterMs) await whenResynced(faulty, lost);
  await end(faulty, LIMIT_MS);
  assert.deepEqual(createdTwice((await readAudit(site)).slice(mark)), []);
  await eventually(
    async () => findWrongGenerations(site, await readKubeVirt(site)),
    (wrong) => wrong.length === 0,
  );
  // The API server serves a new kind a moment after it has called it established.
  await eventually(
    () => probeAdmission(site),
    (trouble) => trouble.length === 0,
  );
  process.kill(operator.pid, 0);
}

/** Spoils a Service, as soon as it is there; resolves when it is as it was. */
export async function whenRepaired({ site }: Pick<FaultySite, 'site'>): Promise<void> {
  const { api } = site.plane;
  const path = `/api/v1/namespaces/${NAMESPACE}/services/virt-api`;
  const labels = { 'kubevirt.io': null };
  await resumes(
    site,
    () => api.call('PATCH', path, { metadata: { labels } }, 'application/merge-patch+json'),
    ({ status }) => status === 200,
  );
  await resumes(
    site,
    () => api.expect('GET', path),
    ({ metadata }) => metadata?.labels?.['kubevirt.io'] === 'virt-api',
  );
}

/** Resolves when a pass has run since then because Redis was lost (spec/field-reports.md L03). */
async function whenResynced({ site }: FaultySite, since: number): Promise<void> {
  const { metadata } = await site.plane.api.expect('GET', '/api/v1/namespaces/kube-system');
  const clusterUid = (metadata as { uid?: string } | undefined)?.uid ?? '';
  const log = testLog();
  const redis = openRedis({ url: site.redis.url }, { clusterUid, name: 'looking', log });
  try {
    await resumes(
      site,
      () => new PassLog(redis, log).read(),
      (passes) =>
        passes.some((pass) => pass.startedAt >= since && pass.causes.some(({ type }) => type === 'recovered')),
    );
  } finally {
    redis.close();
  }
}

/**
 * Like `eventually`, within the time that an operator has to be at work again. One pass begins when the last has ended: while it goes on writing, the time does not
 * run.
 */
async function resumes<T>(
  site: FaultySite['site'],
  ask: () => Promise<T>,
  want: (answer: T) => boolean,
): Promise<void> {
  const mark = await markAudit(site);
  let written = 0;
  let idleSince = performance.now();
  const look = async () => {
    const answer = await ask();
    const writes = (await writesSince(site, mark)).length;
    if (writes > written) idleSince = performance.now();
    written = writes;
    return { answer, isLate: performance.now() - idleSince > RESUMED_MS };
  };
  const { answer } = await eventually(look, (found) => want(found.answer) || found.isLate, LIMIT_MS);
  assert.ok(want(answer), `not within ${RESUMED_MS} ms; last: ${JSON.stringify(answer)}`);
}
