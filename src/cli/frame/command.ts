import { parseArgs, type ParseArgsConfig } from 'node:util';

import { ApiError, ConfigurationError, errorText } from '../../errors.ts';
import type { Connection } from '../../transport/connection.ts';
import { buildPaint, type Paint } from '../text/paint.ts';
import { EXIT, UsageError, type ExitCode } from './exit.ts';
import { processIo, type CommandIo } from './io.ts';
import { RedisAway } from './redis-away.ts';
import { findKubeconfig, isInPod } from './kubeconfig.ts';

type Flags = NonNullable<ParseArgsConfig['options']>;

/** Flags of every command. */
const EVERYWHERE = {
  output: { type: 'string', short: 'o' },
  help: { type: 'boolean', short: 'h', default: false },
} as const satisfies Flags;

/** Flags of every command that has to wait for something. */
const LOCAL = { ...EVERYWHERE, timeout: { type: 'string' } } as const satisfies Flags;

/** Flags of every command that looks at a cluster. */
const COMMON = {
  ...LOCAL,
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  namespace: { type: 'string', short: 'n' },
} as const satisfies Flags;

/** The flags of a command beside its own, by what it has to do with. */
const SHARED = { cluster: COMMON, machine: LOCAL, nothing: EVERYWHERE } as const satisfies Record<string, Flags>;

const NAMESPACE_USAGE =
  'namespace of the operator and of the KubeVirt object (default: the one of the only KubeVirt object, else kubevirt)';
const CLUSTER_USAGE = `  --kubeconfig FILE    how to reach the cluster (default: KUBECONFIG, then the pod's service account, then ~/.kube/config)
  --context NAME       context of the kubeconfig (default: its current one)
`;

/** What a result may be written as: text for people, JSON for programs, YAML for kubectl. */
type Format = 'text' | 'yaml' | 'json';
const FORMATS = ['text', 'json'] as const;
const FORMAT_WORDS: Readonly<Record<Format, string>> = {
  text: 'for people',
  yaml: 'for kubectl',
  json: 'for programs',
};

/** How long a command may take unless it says otherwise. */
const DEFAULT_SECONDS = 60;

/** The values of flags. */
type Values<F extends Flags> = ReturnType<typeof parseArgs<{ options: F }>>['values'];
/** The values of the flags that all commands have. */
type CommonValues = Values<typeof COMMON>;

/** What a command has found out. */
export interface Answer {
  /** For people, or YAML where the command has that instead; ends with a line break. */
  text: (paint: Paint) => string | Promise<string>;
  /** For programs. */
  json: unknown;
  /** Default: good. */
  exit?: ExitCode;
}

/** What a running command works with. */
export interface Session<F extends Flags = Flags> {
  /** Of the command's own flags. */
  flags: Values<F>;
  common: CommonValues;
  io: CommandIo;
  /** Aborts when the time, grace included, is over or the user wants the end. */
  signal: AbortSignal;
  /** Aborts when the time is over. */
  timeout: AbortSignal;
  /** Says something that is not the result, on standard error. */
  tell: (sentence: string) => void;
  /** Connects to the cluster; the same connection every time, closed after the command. */
  connect: () => Promise<Connection>;
}

/** A command of the command line. */
export interface Command<F extends Flags> {
  name: string;
  /** What stands behind the name in the first line of the usage. */
  synopsis: string;
  /** What it does, and its own flags with a line each. */
  usage: string;
  flags: F;
  /** Seconds that it may take when nobody says otherwise; default 60. */
  seconds?: number;
  /** Seconds beyond these for telling what has become of it until then; default none. */
  graceSeconds?: number;
  /** What it has to do with: a cluster, unless it says otherwise; this machine; or nothing but its input. */
  reach?: keyof typeof SHARED;
  /** What its result may be written as, the default first; default: text, JSON. */
  formats?: readonly [Format, ...Format[]];
  /** What `--namespace` means here, where it is not the usual. */
  namespace?: string;
  run: (session: Session<F>) => Promise<Answer>;
}

/** Runs a command with its arguments. Resolves to the exit code; never rejects. */
export async function runCommand<F extends Flags>(
  command: Command<F>,
  args: string[],
  io: CommandIo = processIo(),
): Promise<ExitCode> {
  const tell = (sentence: string): void => {
    io.err(`${command.name}: ${sentence}\n`);
  };
  try {
    const values = parseValues(command, args);
    if (values.help) {
      await io.out(describeUsage(command));
      return EXIT.good;
    }
    return await runParsed(command, values, { io, tell });
  } catch (error) {
    const text = explain(error);
    tell(text);
    // Programs look at standard output alone; an answer never has this shape.
    if (asksForJson(command, args)) await io.out(toJsonText({ error: text }));
    return isUsage(error) ? EXIT.usage : EXIT.failed;
  }
}

/** Whether the user wants JSON, as far as arguments tell that may not be understood. */
function asksForJson<F extends Flags>(command: Command<F>, args: string[]): boolean {
  const { values } = parseArgs({ args, options: flagsOf(command), strict: false });
  return (values as { output?: unknown }).output === 'json';
}

async function runParsed<F extends Flags>(
  command: Command<F>,
  common: CommonValues,
  { io, tell }: Pick<Session, 'io' | 'tell'>,
): Promise<ExitCode> {
  const seconds = parseSeconds(common.timeout, command.seconds);
  const { graceSeconds = 0 } = command;
  const [timeout, ending] = [openTimer(seconds, seconds), openTimer(seconds + graceSeconds, seconds)];
  const signal = AbortSignal.any([io.signal, ending.signal]);
  let connection: Promise<Connection> | undefined;
  try {
    const connect = () => (connection ??= openConnection(command.name, common, io));
    const session = {
      flags: common as unknown as Values<F>,
      common,
      io,
      signal,
      timeout: timeout.signal,
      tell,
      connect,
    };
    const answer = await command.run(session);
    const isJson = formatOf(command, common) === 'json';
    await io.out(isJson ? toJsonText(answer.json) : await answer.text(buildPaint(io)));
    return answer.exit ?? EXIT.good;
  } finally {
    timeout.stop();
    ending.stop();
    (await connection?.catch(() => undefined))?.close();
  }
}

/** A signal that aborts after some seconds, with the words of the time that the user has given. */
function openTimer(seconds: number, told: number): { signal: AbortSignal; stop: () => void } {
  const ending = new AbortController();
  const timer = setTimeout(() => {
    ending.abort(new Error(`gave up after ${told} seconds; --timeout allows more`));
  }, seconds * 1000);
  return {
    signal: ending.signal,
    stop: () => {
      clearTimeout(timer);
    },
  };
}

function parseValues<F extends Flags>(command: Command<F>, args: string[]): CommonValues {
  let values: CommonValues;
  try {
    values = parseArgs({ args, options: flagsOf(command) }).values as unknown as CommonValues;
  } catch (cause) {
    throw new UsageError(`${firstSentence(errorText(cause))}; "virt-operator ${command.name} --help" lists the flags`);
  }
  formatOf(command, values);
  return values;
}

/** All flags that a command takes, its own and those that it shares with others. */
export function flagsOf<F extends Flags>({ flags, reach = 'cluster' }: Command<F>): Flags {
  return { ...flags, ...SHARED[reach] };
}

/** What Node says besides about arguments that begin with a dash is of no use here: there are none. */
function firstSentence(text: string): string {
  return text.split(/\.\s/)[0] ?? text;
}

function formatOf<F extends Flags>({ formats = FORMATS }: Command<F>, { output }: CommonValues): Format {
  const format = output === undefined ? formats[0] : formats.find((each) => each === output);
  if (format !== undefined) return format;
  throw new UsageError(`-o takes ${formats.join(' or ')}, not "${output ?? ''}"`);
}

function describeUsage<F extends Flags>(command: Command<F>): string {
  const parts = [command.name, command.synopsis, '[flags]'].filter((part) => part !== '');
  return `usage: virt-operator ${parts.join(' ')}

${command.usage}
${describeShared(command)}Exit code: 0, or 1 if the command could not do its work, 2 if its arguments are not understood, 3 if the answer is no.
`;
}

/** The lines of the flags that a command shares with others. */
function describeShared<F extends Flags>(command: Command<F>): string {
  const { reach = 'cluster', formats = FORMATS, namespace = NAMESPACE_USAGE, seconds = DEFAULT_SECONDS } = command;
  const words = formats.map((format) => `${format}, ${FORMAT_WORDS[format]}`).join('; ');
  const output = `  -o, --output FORMAT  ${words} (default: ${formats[0]})\n`;
  const timeout = `  --timeout SECONDS    how long all of it may take (${seconds})\n`;
  const cluster = `  -n, --namespace NS   ${namespace}\n${CLUSTER_USAGE}`;
  return { cluster: cluster + output + timeout, machine: output + timeout, nothing: output }[reach];
}

function parseSeconds(text: string | undefined, fallback = DEFAULT_SECONDS): number {
  if (text === undefined) return fallback;
  const seconds = Number(text);
  if (seconds > 0) return seconds;
  throw new UsageError(`--timeout takes a number of seconds, not "${text}"`);
}

/** What the connections of all commands are made with; the rate is the operator's own. */
async function openConnection(role: string, values: CommonValues, io: CommandIo): Promise<Connection> {
  const { openCluster } = await import('../cluster.ts');
  const kubeconfig = await findKubeconfig(values.kubeconfig, io.env);
  if (kubeconfig === undefined && values.context !== undefined) {
    throw new UsageError(
      '--context names a context of a kubeconfig, and there is none: name its file with --kubeconfig',
    );
  }
  if (kubeconfig === undefined && !isInPod(io.env)) {
    throw new UsageError(
      'there is no cluster to look at: KUBECONFIG is not set and there is no ~/.kube/config; name a kubeconfig with --kubeconfig FILE, or start a cluster to try things on with "sandbox up"',
    );
  }
  return openCluster(role, { kubeconfig, context: values.context });
}

function toJsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function isUsage(error: unknown): boolean {
  return error instanceof UsageError || error instanceof ConfigurationError;
}

/** The error in words, with the way out where one is known. */
function explain(error: unknown): string {
  const text = errorText(error);
  const refusal = findApiError(error);
  if (refusal?.status === 403)
    return `${text}\nThe kubeconfig's user lacks a right: use another one, or have it granted.`;
  if (refusal?.status === 401) return `${text}\nThe API server does not know the kubeconfig's user: log in again.`;
  if (hasCode(error, MISTRUSTED))
    return `${text}\nNo authority that the kubeconfig trusts has signed for this address: is this its cluster? --kubeconfig and --context name another.`;
  if (hasCode(error, UNREACHABLE))
    return `${text}\nIs the cluster up, and is this its kubeconfig? --kubeconfig and --context name another.`;
  return text;
}

/** Codes of the system for an address where nobody answers. */
const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EAI_AGAIN'];

/** Codes of TLS for a certificate that nobody vouches for. */
const MISTRUSTED = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
];

/** Whether an error, or one that it comes from, has one of these codes; that Redis is away says nothing about a cluster. */
function hasCode(error: unknown, codes: readonly string[]): boolean {
  if (!(error instanceof Error) || error instanceof RedisAway) return false;
  const { code } = error as NodeJS.ErrnoException;
  return (code !== undefined && codes.includes(code)) || hasCode(error.cause, codes);
}

function findApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  return error instanceof Error ? findApiError(error.cause) : undefined;
}
