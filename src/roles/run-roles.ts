import { COMMANDS, describeCommands } from '../cli/commands.ts';
import { hasFlag, processSources, readConfig, ROLES, USAGE, UsageError, type Role } from '../config.ts';
import { ConfigurationError, errorText } from '../errors.ts';
import { createLog, type Log } from '../log.ts';
import { openTrace } from '../trace/open-trace.ts';
import { PROGRAM_VERSION } from './program-version.ts';
import type { Running, StartRole } from './role.ts';

const ROLE_FILES: Record<Role, () => Promise<{ start: StartRole }>> = {
  all: () => import('./all.ts'),
  gateway: () => import('./gateway.ts'),
  worker: () => import('./worker.ts'),
  functions: () => import('./functions.ts'),
  dashboard: () => import('./dashboard.ts'),
  dump: () => import('./dump.ts'),
};

/** Exit codes: as upstream's for the command line and for fatal errors (spec/startup.md §8). */
const EXIT = { done: 0, fatal: 1, usage: 2 } as const;

/** The role that the arguments ask for; upstream's manifests name none and mean all of it. Undefined: no role of ours. */
function decideRole(args: readonly string[]): { role: Role; rest: string[] } | undefined {
  const [first] = args;
  if (hasFlag(args, 'dump-install-strategy')) return { role: 'dump', rest: [...args] };
  if (first === undefined || first.startsWith('-')) return { role: 'all', rest: [...args] };
  const role = ROLES.find((each) => each === first && each !== 'dump');
  return role === undefined ? undefined : { role, rest: args.slice(1) };
}

/** Runs the role that the arguments ask for until it ends, or tells roles and commands. Resolves to the exit code; never rejects. */
export async function runRoles(args: readonly string[]): Promise<number> {
  const [name = ''] = args;
  if (name === '--version') return tell(`virt-operator ${PROGRAM_VERSION}\n`);
  if (name === 'help' || hasFlag(args, 'help')) return tell(describeProgram());
  const asked = decideRole(args);
  if (asked !== undefined) return runRole(asked.role, asked.rest);
  const known = [...ROLES.filter((role) => role !== 'dump'), ...COMMANDS.keys()];
  process.stderr.write(
    `unknown role or command "${name}"; one of: ${known.join(', ')}; --help says what each is for\n`,
  );
  return EXIT.usage;
}

const describeProgram = (): string => `usage: virt-operator [ROLE|COMMAND] [flags]

${describeCommands()}
${USAGE}`;

function tell(text: string): number {
  process.stdout.write(text);
  return EXIT.done;
}

/** Reads the configuration, runs the role until it ends or a signal comes, and stops it. */
async function runRole(role: Role, args: readonly string[]): Promise<number> {
  let log = createLog({ role, verbosity: 2 });
  const signal = untilAsked((name) => {
    log.info({ signal: name }, 'asked to end: handing over');
  });
  try {
    const config = readConfig(processSources(role, args));
    log = createLog({ role, verbosity: config.verbosity });
    for (const warning of config.warnings) log.warn(warning);
    const { start } = await ROLE_FILES[role]();
    const tracing = await openTrace(config, PROGRAM_VERSION, log);
    try {
      await runUntilEnd(await start({ config, log, trace: tracing.trace, signal }), signal);
    } finally {
      await tracing.close();
    }
  } catch (error) {
    // Whatever was being started when the signal came is not worth an error.
    if (!signal.aborted) return reportFatal(error, log);
  }
  log.info('stopped');
  return EXIT.done;
}

async function runUntilEnd(running: Running, signal: AbortSignal): Promise<void> {
  const asked = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
  try {
    await Promise.race([running.ended, asked]);
  } finally {
    await running.stop();
  }
}

/** Aborts at the first SIGTERM or SIGINT; the second one ends the process at once. */
function untilAsked(tell: (signal: string) => void): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(EXIT.fatal);
      tell(name);
      controller.abort(new Error(`the process was asked to end by ${name}`));
    });
  }
  return controller.signal;
}

function reportFatal(error: unknown, log: Log): number {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n`);
    return EXIT.usage;
  }
  log.fatal(error instanceof ConfigurationError ? {} : { err: error }, errorText(error));
  return EXIT.fatal;
}
