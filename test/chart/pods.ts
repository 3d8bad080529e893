import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:https';
import { connect } from 'node:net';
import { atEnd } from '../integration/fixtures/cleanup.ts';
import { environmentOf, type Container, type Pod } from './render.ts';

const ROOT = new URL('../../', import.meta.url);

/** What a process on this machine has in place of what a node gives a pod. */
export interface Stand {
  /** A kubeconfig with the token of the pod's ServiceAccount, and no other right; none for a pod without that token. */
  kubeconfig?: string;
  redisUrl: string;
  /** Flags behind those of the container, for ports that are free here; the last one of a name counts. */
  flags?: readonly string[];
  /** Files of the container that lie elsewhere here. */
  files?: Readonly<Record<string, string>>;
}

/** A running container. */
export interface PodProcess {
  readonly text: () => string;
  readonly ended: () => boolean;
  /** Resolves with the exit code. */
  readonly exit: Promise<number | null>;
  stop(): Promise<void>;
}

/** Runs a container of our image as a process: its command, its arguments, its environment, the rights of its account. */
export function runContainer({ command, args }: Container, env: NodeJS.ProcessEnv, stand: Stand): PodProcess {
  if (command.join() !== 'virt-operator') throw new Error(`the container runs ${command.join(' ')}, not our program`);
  const own = args.map((arg) => stand.files?.[arg] ?? arg);
  const child = spawn(
    process.execPath,
    [
      'src/main.ts',
      ...own,
      ...(stand.kubeconfig === undefined ? [] : [`--kubeconfig=${stand.kubeconfig}`]),
      ...(stand.flags ?? []),
    ],
    { cwd: ROOT, env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let text = '';
  child.stderr.on('data', (part: Buffer) => {
    text += part.toString();
  });
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  const running = { text: () => text, ended: () => hasEnded(child), exit, stop: () => stop(child) };
  atEnd(running.stop);
  return running;
}

/** Runs the containers before the main one to their end, then starts that. Throws with what the failing one wrote. */
export async function startPod(pod: Pod, stand: Stand): Promise<PodProcess> {
  for (const container of pod.initContainers ?? []) {
    const running = runContainer(container, {}, { ...stand, flags: [] });
    const code = await running.exit;
    if (code !== 0) throw new Error(`${container.name} ended with ${code ?? 'a signal'}: ${running.text()}`);
  }
  const [container] = pod.containers;
  // Secrets are the kubelet's to read; of those values only the address of Redis matters here.
  const env = environmentOf(pod);
  delete env['REDIS_PASSWORD'];
  return runContainer(container, 'REDIS_URL' in env ? { ...env, REDIS_URL: stand.redisUrl } : env, stand);
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(timer);
}

/** An answer to a plain GET. */
export interface Page {
  /** 0: nobody answered. */
  status: number;
  text: string;
}

/** Reads a page. Certificates are not looked at, as by the kubelet. */
export function readPage(port: number, path: string): Promise<Page> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false }, (answer) => {
      let text = '';
      answer.on('data', (part: Buffer) => (text += part.toString()));
      answer.once('end', () => {
        resolve({ status: answer.statusCode ?? 0, text });
      });
    }).once('error', (error) => {
      resolve({ status: 0, text: error.message });
    });
  });
}

/** Whether somebody listens at a port of this machine. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
