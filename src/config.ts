import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { parseArgs } from 'node:util';

import { z } from 'zod';

import { ConfigurationError, errorText } from './errors.ts';
import { readReleaseEnvironment } from './release-environment.ts';
import type { ReleaseEnvironment } from './strategy/types.ts';
import { readTracingEnvironment, type TracingEnvironment } from './tracing-environment.ts';

/** What one process does (design.md §2); `dump` writes the strategy ConfigMap and ends. */
export const ROLES = ['all', 'gateway', 'worker', 'functions', 'dashboard', 'dump'] as const;
/** One of {@link ROLES}. */
export type Role = (typeof ROLES)[number];

/** Sentinels that name the master of a Redis: `REDIS_SENTINELS`, `REDIS_SENTINEL_MASTER`, `REDIS_SENTINEL_PASSWORD`, `REDIS_USERNAME`, `REDIS_DATABASE`, `REDIS_TLS`. */
export interface RedisSentinel {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly master: string;
  /** Of the Sentinels; that of Redis is `redisPassword`. */
  readonly password: string | undefined;
  /** User of Redis. */
  readonly username: string | undefined;
  /** Number of the database. */
  readonly database: number;
  /** TLS to the Sentinels and to Redis. */
  readonly tls: boolean;
}

/** Everything a process is told from outside, checked and deeply frozen. Nothing else reads flags or environment. */
export interface Config {
  readonly role: Role;
  /** Bind address of all servers but the dashboard; `0.0.0.0` means all addresses of both families. */
  readonly listen: string;
  /** Port of metrics, probes and profiler. */
  readonly port: number;
  readonly webhookPort: number;
  /** `--require-client-certificates`: admission turns callers without a certificate away; the API server must be configured to present one. */
  readonly requireClientCertificates: boolean;
  /** `--check-new-objects`: creation of a KubeVirt object is checked as its updates are (spec/field-reports.md B46). */
  readonly checkNewObjects: boolean;
  /** Milliseconds for which admission goes on when the process is asked to end, until the cluster calls other replicas. */
  readonly drainMs: number;
  /** Whether operands are asked which certificates they serve: their addresses lead to them from a pod alone. */
  readonly asksOperands: boolean;
  /** Port of the dashboard, always on loopback unless `dashboardListen` says otherwise. */
  readonly dashboardPort: number;
  readonly dashboardListen: string;
  /** False with `--no-dashboard`: role `all` goes without it. */
  readonly hasDashboard: boolean;
  /** `DASHBOARD_TOKEN` and `DASHBOARD_WRITE_TOKEN`: who may read the dashboard, and who may retry jobs there. */
  readonly dashboardTokens: { readonly read: string | undefined; readonly write: string | undefined };
  readonly kubeconfig: string | undefined;
  readonly master: string | undefined;
  /** Calls per second and bucket size of the client (spec/startup.md §1). */
  readonly clientQps: number;
  readonly clientBurst: number;
  readonly verbosity: number;
  /** Absent for roles that can do without Redis, and where Sentinel names it. May hold a password: never log it. */
  readonly redisUrl: string | undefined;
  /** Who names the Redis to use, instead of an address. */
  readonly redisSentinel: RedisSentinel | undefined;
  /** `REDIS_PASSWORD`, for when it does not stand in the address. */
  readonly redisPassword: string | undefined;
  /** Milliseconds for which Redis may be unusable before the worker goes on without it (design decision 3). */
  readonly redisPatienceMs: number;
  /** `REDIS_MAY_EVICT=true`: a Redis that may drop jobs is warned of instead of refused (spec/field-reports.md L04). */
  readonly redisMayEvict: boolean;
  /** Milliseconds for which an edit of the KubeVirt object lets migrations finish before it rolls virt-handler out; 0: none (spec/field-reports.md B28). */
  readonly migrationPatienceMs: number;
  /** `CLUSTER_UID`, for a dashboard on a Redis that several clusters share: the UID of the namespace kube-system. */
  readonly clusterUid: string | undefined;
  /** Namespace of this pod, where the KubeVirt object and the operands live (spec/startup.md §2.1). */
  readonly operatorNamespace: string;
  /** Name of this pod. */
  readonly hostname: string;
  /** Present for the roles that install: all, worker and dump. */
  readonly release: ReleaseEnvironment | undefined;
  /** `TARGET_DEPLOYMENT_CONFIG`; present for `dump` only. */
  readonly targetDeploymentConfig: string | undefined;
  /** Present when traces are to be sent. */
  readonly tracing: TracingEnvironment | undefined;
  /** Oddities that do not stop the start; to be logged once. */
  readonly warnings: readonly string[];
}

/** Where configuration comes from; tests put their own. */
export interface ConfigSources {
  role: Role;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Content of the service account's namespace file; undefined when there is none. */
  readNamespaceFile: () => string | undefined;
  hostname: string;
}

/** The command line cannot be understood: ends the process with code 2, as upstream does (spec/startup.md §1). */
export class UsageError extends ConfigurationError {
  override name = 'UsageError';
}

const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
const DEFAULT_NAMESPACE = 'kubevirt';
const DEFAULT_QPS = 200;
const DEFAULT_BURST = 400;
/** Long enough for endpoints to change on every node; a part of the pod's termination grace period. */
const DEFAULT_DRAIN_SECONDS = 5;

const FLAGS = {
  listen: { type: 'string', default: '0.0.0.0' },
  port: { type: 'string', default: '8186' },
  'webhook-port': { type: 'string', default: '8444' },
  'require-client-certificates': { type: 'boolean', default: false },
  'check-new-objects': { type: 'boolean', default: false },
  'drain-seconds': { type: 'string', default: '' },
  'dashboard-port': { type: 'string', default: '8189' },
  'dashboard-listen': { type: 'string', default: '127.0.0.1' },
  'no-dashboard': { type: 'boolean', default: false },
  kubeconfig: { type: 'string', default: '' },
  master: { type: 'string', default: '' },
  'client-qps': { type: 'string', default: '0' },
  'client-burst': { type: 'string', default: '0' },
  'redis-url': { type: 'string', default: '' },
  'redis-patience-seconds': { type: 'string', default: '60' },
  'migration-patience-seconds': { type: 'string', default: '0' },
  v: { type: 'string', short: 'v', default: '2' },
  'dump-install-strategy': { type: 'boolean', default: false },
} as const;

/** The flags with one line each, for `--help`. */
export const USAGE = `Roles: all (default), gateway, worker, functions, dashboard
  --listen ADDRESS                 bind address of the servers; 0.0.0.0 means IPv4 and IPv6 (0.0.0.0)
  --port PORT                      metrics, probes and profiler (8186)
  --webhook-port PORT              admission (8444)
  --require-client-certificates    turn away callers of admission that present no client certificate
  --check-new-objects              check new KubeVirt objects as their updates are checked
  --drain-seconds N                go on answering admission for N seconds after SIGTERM (5 in a pod, else 0)
  --dashboard-port PORT            dashboard (8189)
  --dashboard-listen ADDRESS       bind address of the dashboard (127.0.0.1)
  --no-dashboard                   role all: without the dashboard
  --kubeconfig FILE                how to reach the cluster (default: the pod's service account)
  --master URL                     address of the API server, instead of the kubeconfig's
  --client-qps N                   calls to the API server per second (200), also VIRT_OPERATOR_CLIENT_QPS
  --client-burst N                 calls to the API server at once (400), also VIRT_OPERATOR_CLIENT_BURST
  --redis-url URL                  address of Redis, also REDIS_URL
  --redis-patience-seconds N       how long Redis may be unusable before a worker goes on without it (60)
  --migration-patience-seconds N   how long an edit waits for migrations of workload updates before virt-handler is rolled out (0)
  -v, --v N                        log verbosity (2)
  --dump-install-strategy          write the install strategy into a ConfigMap and exit
`;

/** An empty text is no number, although JavaScript takes it for 0: as a port it would mean any port. */
const number = z.string().regex(/\S/, 'a number is needed').pipe(z.coerce.number('a number is needed'));
const integer = number.pipe(z.int());
const port = integer.pipe(z.number().min(0).max(65535));
const flagValues = z.object({
  listen: z.string().min(1),
  port,
  'webhook-port': port,
  'require-client-certificates': z.boolean(),
  'check-new-objects': z.boolean(),
  'drain-seconds': z.union([z.literal(''), number.pipe(z.number().min(0).max(600))]),
  'dashboard-port': port,
  'dashboard-listen': z.string().min(1),
  'no-dashboard': z.boolean(),
  kubeconfig: z.string(),
  master: z.union([z.literal(''), z.url({ protocol: /^https?$/ })]),
  'client-qps': number,
  'client-burst': integer,
  'redis-url': z.string(),
  'redis-patience-seconds': number.pipe(z.number().positive()),
  'migration-patience-seconds': number.pipe(z.number().min(0)),
  v: integer.pipe(z.number().min(0)),
});
type FlagValues = z.infer<typeof flagValues>;

/** The sources of a real process. */
export function processSources(role: Role, args: readonly string[]): ConfigSources {
  return { role, args, env: process.env, readNamespaceFile, hostname: hostname() };
}

/**
 * Reads flags and environment into one checked value (spec/startup.md §1 and §2).
 * Throws `UsageError` for the command line, `ConfigurationError` for everything else; both name the setting and the way out.
 */
export function readConfig(sources: ConfigSources): Config {
  const { role, env } = sources;
  const flags = parseFlags(sources.args);
  const warnings: string[] = [];
  const config: Config = {
    role,
    ...readServers(flags, env),
    ...readAdmission(flags),
    ...readRedis(role, flags, env),
    migrationPatienceMs: flags['migration-patience-seconds'] * 1000,
    kubeconfig: flags.kubeconfig || undefined,
    master: flags.master || undefined,
    clientQps: decideRate('client-qps', flags['client-qps'], env, warnings) ?? DEFAULT_QPS,
    clientBurst: decideRate('client-burst', flags['client-burst'], env, warnings) ?? DEFAULT_BURST,
    verbosity: flags.v,
    operatorNamespace: sources.readNamespaceFile()?.trim() || DEFAULT_NAMESPACE,
    hostname: sources.hostname,
    release: ['all', 'worker', 'dump'].includes(role) ? readReleaseEnvironment(env) : undefined,
    targetDeploymentConfig: role === 'dump' ? requireTarget(env.TARGET_DEPLOYMENT_CONFIG) : undefined,
    tracing: readTracingEnvironment(env),
    warnings,
  };
  return deepFreeze(config);
}

type Environment = ConfigSources['env'];

function readServers(flags: FlagValues, env: Environment) {
  return {
    listen: flags.listen,
    port: flags.port,
    webhookPort: flags['webhook-port'],
    dashboardPort: flags['dashboard-port'],
    dashboardListen: flags['dashboard-listen'],
    hasDashboard: !flags['no-dashboard'],
    dashboardTokens: { read: env.DASHBOARD_TOKEN || undefined, write: env.DASHBOARD_WRITE_TOKEN || undefined },
  };
}

/** Outside of a cluster nobody sends calls elsewhere. */
function readAdmission(flags: FlagValues) {
  const isInPod = flags.kubeconfig === '' && flags.master === '';
  const drainSeconds = flags['drain-seconds'] === '' ? (isInPod ? DEFAULT_DRAIN_SECONDS : 0) : flags['drain-seconds'];
  return {
    requireClientCertificates: flags['require-client-certificates'],
    checkNewObjects: flags['check-new-objects'],
    drainMs: drainSeconds * 1000,
    asksOperands: isInPod,
  };
}

function readRedis(role: Role, flags: FlagValues, env: Environment) {
  const redisSentinel = readSentinel(env);
  return {
    redisUrl: redisSentinel === undefined ? decideRedisUrl(role, flags['redis-url'] || env.REDIS_URL) : undefined,
    redisSentinel,
    redisPassword: env.REDIS_PASSWORD || undefined,
    redisPatienceMs: flags['redis-patience-seconds'] * 1000,
    redisMayEvict: env.REDIS_MAY_EVICT === 'true',
    clusterUid: env.CLUSTER_UID || undefined,
  };
}

/** True when the arguments ask for help, or for the dump mode of old releases, wherever they stand. */
export function hasFlag(args: readonly string[], flag: 'help' | 'dump-install-strategy'): boolean {
  return args.some((arg) => arg === `--${flag}` || arg === `--${flag}=true` || (flag === 'help' && arg === '-h'));
}

function parseFlags(args: readonly string[]): FlagValues {
  const { values } = parseKnownFlags(args);
  const checked = flagValues.safeParse({ ...values, v: values.v.replace(/^=/, '') });
  if (checked.success) return checked.data;
  const problem = checked.error.issues[0];
  const flag = String(problem?.path[0] ?? 'value');
  const given = values[flag as keyof typeof values];
  throw new UsageError(`--${flag} cannot be ${JSON.stringify(given)}: ${problem?.message ?? 'invalid'}`);
}

function parseKnownFlags(args: readonly string[]) {
  try {
    // Booleans of the Go flag library may carry a value.
    const plain = args.flatMap((arg) => {
      const [, name = '', value] = /^--([a-z-]+)=(true|false)$/.exec(arg) ?? [];
      if (!isBooleanFlag(name)) return [arg];
      return value === 'true' ? [`--${name}`] : [];
    });
    return parseArgs({ args: plain, options: FLAGS, allowPositionals: true, strict: true });
  } catch (error) {
    // Node adds how to pass such a thing as a positional argument, of which we know none.
    const [problem = ''] = errorText(error).split('. ');
    throw new UsageError(`${problem}; --help lists the flags`, { cause: error });
  }
}

function isBooleanFlag(name: string): boolean {
  return Object.hasOwn(FLAGS, name) && FLAGS[name as keyof typeof FLAGS].type === 'boolean';
}

/** Flag if not 0, else variable if it parses and is positive, else undefined; says what it passed over (spec/startup.md §1). */
function decideRate(
  flag: 'client-qps' | 'client-burst',
  value: number,
  env: Environment,
  warnings: string[],
): number | undefined {
  if (value > 0) return value;
  if (value < 0) warnings.push(`--${flag} must be positive, not ${value}; the default is used`);
  if (value !== 0) return undefined;
  const variable = `VIRT_OPERATOR_${flag.replace('-', '_').toUpperCase()}`;
  const text = env[variable];
  if (text === undefined || text === '') return undefined;
  const number = Number(text);
  const isValid = flag === 'client-burst' ? Number.isInteger(number) : Number.isFinite(number);
  if (isValid && number > 0) return number;
  warnings.push(`${variable} must be a positive number, not ${JSON.stringify(text)}; the default is used`);
  return undefined;
}

function readSentinel(env: Environment): RedisSentinel | undefined {
  const { REDIS_SENTINELS: text = '', REDIS_SENTINEL_MASTER: master = '' } = env;
  if (text === '') return undefined;
  const nodes = text.split(',').map((node) => URL.parse(`redis://${node.trim()}`));
  if (nodes.some((node) => node === null || node.hostname === '') || master === '') {
    throw new ConfigurationError(
      `REDIS_SENTINELS takes host:port, several separated by commas, and REDIS_SENTINEL_MASTER the name of the master; they are "${text}" and "${master}"`,
    );
  }
  return {
    nodes: nodes.flatMap((node) => (node === null ? [] : { host: node.hostname, port: Number(node.port || 26379) })),
    master,
    password: env.REDIS_SENTINEL_PASSWORD || undefined,
    username: env.REDIS_USERNAME || undefined,
    database: readDatabase(env.REDIS_DATABASE),
    tls: env.REDIS_TLS === 'true',
  };
}

function readDatabase(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new ConfigurationError(`REDIS_DATABASE takes the number of a database, not "${text}"`);
}

function decideRedisUrl(role: Role, text: string | undefined): string | undefined {
  if (text === undefined || text === '') {
    if (role === 'functions' || role === 'dump') return undefined;
    throw new ConfigurationError(
      `role ${role} needs Redis: set REDIS_URL or --redis-url, for example redis://127.0.0.1:6379`,
    );
  }
  const url = URL.parse(text);
  if (url !== null && ['redis:', 'rediss:'].includes(url.protocol)) return text;
  // Not quoted: the text may hold a password.
  throw new ConfigurationError(
    'REDIS_URL or --redis-url is no address of the form redis://host:port or rediss://host:port',
  );
}

function requireTarget(text: string | undefined): string {
  if (text !== undefined && text !== '') return text;
  throw new ConfigurationError(
    '--dump-install-strategy needs TARGET_DEPLOYMENT_CONFIG, the JSON text that the operator puts into the Job',
  );
}

function readNamespaceFile(): string | undefined {
  try {
    return readFileSync(NAMESPACE_FILE, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigurationError(`cannot read the namespace of this pod from ${NAMESPACE_FILE}`, { cause: error });
  }
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value))
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner as object);
  return Object.freeze(value);
}
