import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** How a process ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process of a family. */
export interface Member {
  name: string;
  pid: number;
  /** File with what it wrote to standard output and error. */
  logFile: string;
  /** Settles when the process has ended; never rejects. */
  exited: Promise<Exit>;
  /** Sends the signal; after `graceMs` SIGKILL. Resolves when the process has ended; at once when it has already. */
  stop(signal?: NodeJS.Signals, graceMs?: number): Promise<Exit>;
}

/** What to start. */
export interface Command {
  name: string;
  file: string;
  args: readonly string[];
  /** Working directory; default this process's. */
  cwd?: string;
  env?: NodeJS.ProcessEnv | undefined;
  /** Its standard input stays open as long as this process lives; default none. */
  holdInput?: boolean;
}

/** Processes that live and die together, and with this process. */
export interface Family {
  /** Starts one; rejects when the file cannot be executed. */
  start(command: Command): Promise<Member>;
  /** Kills all members that still run and ends the guard. Safe to call twice. */
  end(): Promise<void>;
}

/**
 * Reads "add PID" and "gone PID" until this process has closed the pipe, by its own end too, kill -9 included; then kills what is left and removes
 * the folder. Its own session and the ignored signals keep it alive when a terminal's Ctrl-C goes to the whole process group.
 */
const GUARD = `
trap '' INT TERM HUP
pids=
while read -r word pid; do
  case $word in
    add) pids="$pids $pid" ;;
    gone) left=; for p in $pids; do [ "$p" = "$pid" ] || left="$left $p"; done; pids=$left ;;
  esac
done
[ -z "$pids" ] || kill -9 $pids 2>/dev/null
[ -z "$1" ] || { rm -rf "$1" 2>/dev/null; sleep 0.3; rm -rf "$1"; }
`;

/**
 * Creates a family whose logs lie in `directory`/log. A guard process kills the members and removes `directory` should this process die without
 * having ended the family.
 */
export function createFamily(directory: string): Family {
  const guard = spawn('sh', ['-c', GUARD, 'guard', directory], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  guard.unref();
  // A broken pipe means the guard is gone; the members are then ended by end() alone.
  guard.stdin.on('error', () => undefined);
  const members = new Set<Member>();
  const tell = (line: string) => guard.stdin.write(`${line}\n`);

  return {
    async start(command) {
      const member = await startMember(command, join(directory, 'log', `${command.name}.log`));
      members.add(member);
      tell(`add ${member.pid}`);
      void member.exited.then(() => {
        members.delete(member);
        tell(`gone ${member.pid}`);
      });
      return member;
    },
    async end() {
      await Promise.all([...members].map((member) => member.stop('SIGKILL')));
      if (guard.exitCode === null && guard.signalCode === null) {
        guard.ref();
        const ended = once(guard, 'exit');
        guard.kill('SIGKILL');
        await ended;
      }
    },
  };
}

async function startMember(command: Command, logFile: string): Promise<Member> {
  const log = await open(logFile, 'a');
  const child = spawn(command.file, command.args, {
    stdio: [command.holdInput === true ? 'pipe' : 'ignore', log.fd, log.fd],
    cwd: command.cwd,
    env: command.env ?? process.env,
    // A session of its own: the family decides about the order of stopping, not the terminal.
    detached: true,
  });
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw new Error(`cannot start ${command.file}`, { cause: error });
  } finally {
    await log.close();
  }
  return buildMember(command.name, child, logFile);
}

function buildMember(name: string, child: ChildProcess, logFile: string): Member {
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal });
    });
  });
  if (child.pid === undefined) throw new Error(`${name} has no process id`);
  return {
    name,
    pid: child.pid,
    logFile,
    exited,
    async stop(signal = 'SIGTERM', graceMs = 10_000) {
      child.kill(signal);
      const timer = new AbortController();
      const late = delay(graceMs, undefined, { signal: timer.signal, ref: false }).then(
        () => child.kill('SIGKILL'),
        () => false,
      );
      const exit = await exited;
      timer.abort();
      await late;
      return exit;
    },
  };
}

/** The last lines of a member's log, for an error message. */
export async function readLogTail(member: Member, lines = 15): Promise<string> {
  const text = await readFile(member.logFile, 'utf8');
  return text.trimEnd().split('\n').slice(-lines).join('\n');
}
