import { setTimeout as pause } from 'node:timers/promises';

import { openClient, readMetric, type HttpsClient } from '../functions/harness.ts';
import type { Operator } from '../install/harness.ts';

const EVERY_MS = 50;
const LEADING = 'kubevirt_virt_operator_leading_status';

/** Milliseconds since the epoch; `to` is missing while it leads. */
export interface Tenure {
  from: number;
  to?: number;
}

async function isLeading(client: HttpsClient): Promise<boolean> {
  // A process that starts or has ended does not answer; it does not say either that it leads.
  const answer = await client.send('/metrics').catch(() => undefined);
  return answer !== undefined && readMetric(answer.body, LEADING) === 1;
}

/** Asks processes by their port, again and again until stopped, whether they lead; returns the moments at which more than one said so. */
export function sampleLeaders(ports: readonly number[]): { stop(): Promise<string[]> } {
  const ending = new AbortController();
  const clients = ports.map(openClient);
  const together: string[] = [];
  const sampling = (async () => {
    let samples = 0;
    while (!ending.signal.aborted) {
      const leading = await Promise.all(clients.map(isLeading));
      if (leading.filter(Boolean).length > 1) together.push(new Date().toISOString());
      if (leading.some(Boolean)) samples++;
      await pause(EVERY_MS);
    }
    return samples;
  })();
  return {
    stop: async () => {
      ending.abort();
      const samples = await sampling;
      for (const client of clients) client.close();
      return samples === 0 ? ['nobody ever said that it leads'] : together;
    },
  };
}

/** When processes have led, by their own logs. */
export function tenuresOf(operators: readonly Operator[]): Tenure[] {
  return operators.flatMap(({ lines }) => {
    const [began, ended] = ['started leading', 'stopped leading'].map((text) => timesOf(lines, text));
    return (began ?? []).map((from, index) => {
      const to = ended?.[index];
      return to === undefined ? { from } : { from, to };
    });
  });
}

function timesOf(lines: readonly string[], text: string): number[] {
  return lines
    .filter((line) => line.includes(text))
    .map((line) => Date.parse((JSON.parse(line) as { timestamp: string }).timestamp));
}
