import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** What the load process is told. */
export interface LoadOrder {
  /** On loopback. */
  port: number;
  path: string;
  body: string;
  connections: number;
  /** Measured after the warm-up. */
  seconds: number;
  warmUpSeconds: number;
  /** Text that every answer must contain. */
  want: string;
}

/** What it has seen. */
export interface LoadReport {
  /** One number per answer. */
  milliseconds: number[];
  seconds: number;
  /** Answers that were not 200, or not as wanted. */
  bad: number;
  firstBad: string;
}

const CLIENT = fileURLToPath(new URL('./load-client.ts', import.meta.url));

/** Puts load on a port from a process of its own. Rejects when the connection breaks or an answer is not as wanted. */
export async function putLoad(order: LoadOrder): Promise<LoadReport> {
  const child = spawn(process.execPath, [CLIENT], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(order));
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number | null]>]);
  if (code !== 0) throw new Error(`the load process ended with code ${String(code)}`);
  const report = JSON.parse(output) as LoadReport;
  if (report.bad > 0) throw new Error(`${report.bad} answers were not as wanted, the first: ${report.firstBad}`);
  return report;
}
