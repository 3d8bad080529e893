import { setTimeout as pause } from 'node:timers/promises';

import { Redis } from 'ioredis';

import { NAMESPACE, startOperator, type Operator, type Site } from '../install/harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import { openFaultyApi, openFaultyPort, type FaultyApi, type FaultyWay, type Random } from './fault-proxy.ts';
import { startLifeSite, type LifeSite } from './harness.ts';

/** A site whose operator goes faulty ways. */
export interface FaultySite {
  site: LifeSite;
  api: FaultyApi;
  redis: FaultyWay;
  /** Starts role `all` on these ways, with its clock wrong by so much and with further flags. */
  startOperator: (options?: { clockShiftMs?: number; args?: readonly string[] }) => Promise<Operator>;
}

/** Starts a site whose ways are good at first; it ends with its owner, else with the file. */
export async function startFaultySite(
  owner?: NonNullable<Parameters<typeof startLifeSite>[0]>['owner'],
): Promise<FaultySite> {
  const site = await startLifeSite(owner === undefined ? {} : { owner });
  const [api, redis] = await Promise.all([
    openFaultyApi(site.plane),
    openFaultyPort(Number(new URL(site.redis.url).port)),
  ]);
  site.atEnd(() => Promise.all([api.stop(), redis.stop()]));
  const faulty: Site = {
    ...site,
    plane: { ...site.plane, kubeconfig: api.kubeconfig },
    redis: { ...site.redis, url: `redis://127.0.0.1:${redis.port}` },
  };
  const shift = new URL('shift-clock.ts', import.meta.url).href;
  return {
    site,
    api,
    redis,
    startOperator: async ({ clockShiftMs = 0, args = [] } = {}) => {
      const env = { NODE_OPTIONS: `--import=${shift}`, CLOCK_SHIFT_MS: String(clockShiftMs) };
      const operator = await startOperator(faulty, 'all', args, env);
      site.plane.setWebhookPorts([operator.webhookPort]);
      return operator;
    },
  };
}

/** What a strike has to do with. */
export interface Struck {
  faulty: FaultySite;
  random: Random;
  operator: Operator;
}

/** Something that happens at one moment. It resolves when nothing stands in the way of a good end any more. */
export type Strike = (struck: Struck) => Promise<void>;

const FIVE_MINUTES_MS = 300_000;
/** Longer than the lock lives (design decision 5): whoever wakes up leads no more. */
const FREEZE_MS = 12_000;

/** The strikes by their names; `calls go wrong` happens from the begin of a phase to its end, and not at one moment. */
export const STRIKES = {
  'calls go wrong': undefined,
  'worker killed': async (struck) => {
    await struck.operator.end('SIGKILL');
    struck.operator = await struck.faulty.startOperator();
  },
  'network to the API server cut': ({ faulty, random }) => cutFor(faulty.api, random),
  'clock five minutes fast': (struck) => restartWithClock(struck, FIVE_MINUTES_MS),
  'Redis emptied': async ({ faulty }) => {
    const redis = new Redis(faulty.site.redis.url);
    await redis.flushall();
    redis.disconnect();
  },
  'API server restarted': ({ faulty }) => faulty.site.plane.restartApiServer({ signal: 'SIGKILL' }),
  'network to Redis cut': ({ faulty, random }) => cutFor(faulty.redis, random),
  'clock five minutes slow': (struck) => restartWithClock(struck, -FIVE_MINUTES_MS),
  'worker frozen (L01)': async ({ operator }) => {
    process.kill(operator.pid, 'SIGSTOP');
    await pause(FREEZE_MS);
    process.kill(operator.pid, 'SIGCONT');
  },
} as const satisfies Record<string, Strike | undefined>;

/** The name of a strike. */
export type StrikeName = keyof typeof STRIKES;
const NAMES = Object.keys(STRIKES) as StrikeName[];

/**
 * The strikes of a seed, one for each of `phases` phases. Dealt, not drawn: any three seeds in a row from 1, 4, 7 … have every strike once, nine seeds have every strike
 * in every phase.
 */
export function dealStrikes(seed: number, phases = 3): StrikeName[] {
  const round = Math.floor((seed - 1) / phases);
  const first = ((seed - 1) % phases) * phases;
  return Array.from({ length: phases }, (_, phase) => NAMES[(first + phase + round) % NAMES.length] ?? 'worker killed');
}

async function cutFor(way: FaultyWay, random: Random): Promise<void> {
  way.cut();
  await pause(500 + random() * 4000);
  way.mend();
}

/** Another operator goes on, and has to make certificates by its own clock at once: what there is of them is spoilt. */
async function restartWithClock(struck: Struck, shiftMs: number): Promise<void> {
  await struck.operator.end('SIGTERM');
  await spoilCertificates(struck.faulty.site);
  struck.operator = await struck.faulty.startOperator({ clockShiftMs: shiftMs });
}

const CERTIFICATES = ['kubevirt-ca', 'kubevirt-virt-api-certs', 'kubevirt-operator-certs'];

async function spoilCertificates({ plane: { api } }: LifeSite): Promise<void> {
  const spoilt = { data: { 'tls.crt': '', 'tls.key': '' } };
  for (const name of CERTIFICATES) {
    const path = `/api/v1/namespaces/${NAMESPACE}/secrets/${name}`;
    await eventually(
      () => api.call('PATCH', path, spoilt, 'application/merge-patch+json'),
      // Not there yet, or not any more.
      ({ status }) => status === 200 || status === 404,
    );
  }
}
