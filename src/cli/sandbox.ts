import { rm } from 'node:fs/promises';

import { defaultStateFile, readState, type SandboxState } from './background/state-file.ts';
import { endSandbox, launchSandbox } from './background/launch.ts';
import { runCommand, type Answer, type Command, type Session } from './frame/command.ts';
import { EXIT, type ExitCode } from './frame/exit.ts';
import { processIo, type CommandIo } from './frame/io.ts';

const UP_FLAGS = {
  operator: { type: 'boolean', default: false },
  nodes: { type: 'string' },
  openshift: { type: 'boolean', default: false },
  monitoring: { type: 'boolean', default: false },
  port: { type: 'string' },
  'dashboard-port': { type: 'string' },
  state: { type: 'string' },
} as const;

/** The command `sandbox up`. */
export const UP: Command<typeof UP_FLAGS> = {
  name: 'sandbox up',
  synopsis: '',
  usage: `Starts a Kubernetes control plane with fake nodes in the background, for trying things out; "sandbox down" ends it. It is the same one as that of npm
start, and needs the sources of this program. A file tells scripts where everything is.
  --operator           with Redis, the operator and KubeVirt, as npm start has them
  --nodes N            fake nodes, 1 to 1000 (3)
  --openshift          with the APIs of OpenShift that the operator uses
  --monitoring         with the APIs of the Prometheus operator
  --port PORT          metrics and probes of the operator (8186)
  --dashboard-port PORT  its dashboard (8189)
  --state FILE         the file that tells where everything is (default: one for each user, in the folder for temporary files)`,
  flags: UP_FLAGS,
  reach: 'machine',
  // The first start builds the programs.
  seconds: 1800,
  run: up,
};

const DOWN_FLAGS = { state: { type: 'string' } } as const;

/** The command `sandbox down`. */
export const DOWN: Command<typeof DOWN_FLAGS> = {
  name: 'sandbox down',
  synopsis: '',
  usage: `Stops what "sandbox up" has started; nothing of it remains.
  --state FILE         the file that "sandbox up" was given`,
  flags: DOWN_FLAGS,
  reach: 'machine',
  run: down,
};

const USAGE =
  'usage: virt-operator sandbox up|down [flags]; "virt-operator sandbox up --help" and "virt-operator sandbox down --help" list the flags\n';

/** Starts or ends a control plane in the background; exit codes as docs/cli.md says. */
export async function run([action = '', ...args]: string[], io: CommandIo = processIo()): Promise<ExitCode> {
  if (action === 'up') return runCommand(UP, args, io);
  if (action === 'down') return runCommand(DOWN, args, io);
  const isHelp = action === '--help' || action === '-h';
  if (isHelp) await io.out(USAGE);
  else io.err(`sandbox: ${action === '' ? 'up or down?' : `there is no "${action}"`} ${USAGE}`);
  return isHelp ? EXIT.good : EXIT.usage;
}

async function up({ flags, tell, signal }: Session<typeof UP_FLAGS>): Promise<Answer> {
  const stateFile = flags.state ?? defaultStateFile();
  const running = await readState(stateFile);
  if (running !== undefined) {
    tell('a sandbox is up already; it is left as it is');
    return answer(running, stateFile);
  }
  tell('starting a control plane in the background');
  const { nodes, port, 'dashboard-port': dashboardPort } = flags;
  const state = await launchSandbox({
    flags: [
      ...(flags.operator ? [] : ['--bare']),
      ...(flags.openshift ? ['--openshift'] : []),
      ...(flags.monitoring ? ['--monitoring'] : []),
      ...Object.entries({ nodes, port, 'dashboard-port': dashboardPort }).flatMap(([name, value]) =>
        value === undefined ? [] : [`--${name}=${value}`],
      ),
    ],
    stateFile,
    logFile: logFileOf(stateFile),
    signal,
  });
  return answer(state, stateFile);
}

async function down({ flags, tell, signal }: Session<typeof DOWN_FLAGS>): Promise<Answer> {
  const stateFile = flags.state ?? defaultStateFile();
  const running = await readState(stateFile);
  if (running === undefined) tell('no sandbox is up');
  else {
    await endSandbox(running, signal);
    await rm(logFileOf(stateFile), { force: true });
  }
  return {
    text: () => (running === undefined ? '' : 'the sandbox is gone\n'),
    json: { ended: running !== undefined },
  };
}

const logFileOf = (stateFile: string): string => `${stateFile}.log`;

function answer(state: SandboxState, stateFile: string): Answer {
  return { text: () => renderState(state, stateFile), json: state };
}

/** Lines that a shell can read: `eval "$(… sandbox up)"` sets KUBECONFIG. */
function renderState({ kubeconfig, binaries, metrics, dashboard, redis }: SandboxState, stateFile: string): string {
  const facts = {
    metrics,
    dashboard,
    redis,
    kubectl: binaries === undefined ? undefined : `${binaries}/kubectl`,
    state: stateFile,
  };
  const comments = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [`# ${name}: ${value}\n`],
  );
  return `${comments.join('')}export KUBECONFIG=${kubeconfig}\n`;
}
