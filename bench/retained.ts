import { until, type Operator } from './installation.ts';

/** What a process holds on to once its garbage is collected, in megabytes. */
export interface Retained {
  /** JavaScript objects and the buffers behind them. */
  held: number;
  /** Of the whole process. */
  resident: number;
}

interface Answer {
  id?: number;
  result?: { result?: { value?: unknown } };
  error?: { message: string };
}

/** Calls methods of the inspector one after the other; the answer to the last. */
async function inspect(url: string, calls: readonly { method: string; params?: object }[]): Promise<Answer> {
  const socket = new WebSocket(url);
  try {
    await once(socket, 'open');
    let answer: Answer = {};
    for (const [id, call] of calls.entries()) {
      socket.send(JSON.stringify({ id, ...call }));
      do answer = JSON.parse(String((await once(socket, 'message')).data)) as Answer;
      while (answer.id !== id);
      if (answer.error !== undefined) throw new Error(`${call.method}: ${answer.error.message}`);
    }
    return answer;
  } finally {
    socket.close();
  }
}

function once(socket: WebSocket, type: 'open' | 'message'): Promise<MessageEvent> {
  const { promise, resolve, reject } = Promise.withResolvers<MessageEvent>();
  socket.addEventListener(type, resolve as (event: Event) => void, { once: true });
  socket.addEventListener('error', () => {
    reject(new Error('the inspector has hung up'));
  });
  return promise;
}

/**
 * Collects the garbage of a running operator by its inspector, which SIGUSR1 starts, and reads what is left. What the inspector itself needs, some megabytes of
 * resident memory, is the same in every process.
 */
export async function readRetained({ member, inspectorPort }: Operator): Promise<Retained> {
  process.kill(member.pid, 'SIGUSR1');
  let url = '';
  await until('the inspector answers', async () => {
    const response = await fetch(`http://127.0.0.1:${inspectorPort}/json/list`).catch(() => undefined);
    const [target] = ((await response?.json()) ?? []) as { webSocketDebuggerUrl: string }[];
    url = target?.webSocketDebuggerUrl ?? '';
    return url !== '';
  });
  const expression = 'const { rss, heapUsed, external } = process.memoryUsage(); [rss, heapUsed + external]';
  const { result } = await inspect(url, [
    { method: 'HeapProfiler.collectGarbage' },
    { method: 'HeapProfiler.collectGarbage' },
    { method: 'Runtime.evaluate', params: { expression: `{ ${expression} }`, returnByValue: true } },
  ]);
  const [rss = Number.NaN, held = Number.NaN] = (result?.result?.value ?? []) as number[];
  return { held: held / 1e6, resident: rss / 1e6 };
}
