import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readLogTail, type Family, type Member } from '../processes.ts';
import { isPortFree } from '../ports.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** The KubeVirt release that is installed. */
const RELEASE = { image: 'quay.io/kubevirt/virt-operator:v1.9.0', version: 'v1.9.0' };

/** Where the operator listens and what it talks to. */
export interface OperatorSettings {
  kubeconfig: string;
  redisUrl: string;
  listen: string;
  port: number;
  webhookPort: number;
  dashboardPort: number;
}

/** Starts the operator, all roles in one process, from the sources. Resolves when it has been started; waitForServers tells when it serves. */
export function startOperator(family: Family, settings: OperatorSettings): Promise<Member> {
  const flags = {
    kubeconfig: settings.kubeconfig,
    listen: settings.listen,
    port: settings.port,
    'webhook-port': settings.webhookPort,
    'dashboard-port': settings.dashboardPort,
  };
  return family.start({
    name: 'operator',
    file: process.execPath,
    args: [join(ROOT, 'src', 'main.ts'), 'all', ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)],
    env: {
      ...process.env,
      VIRT_OPERATOR_IMAGE: RELEASE.image,
      KUBEVIRT_VERSION: RELEASE.version,
      REDIS_URL: settings.redisUrl,
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'compile'),
    },
  });
}

/** Resolves when something listens at all of the ports. Rejects with the end of the operator's log when it has ended, or when `signal` aborts. */
export async function waitForServers(operator: Member, ports: readonly number[], signal: AbortSignal): Promise<void> {
  const failure = rejectAtEnd(operator);
  const listening = (async () => {
    for (const port of ports) while (await isPortFree(port)) await delay(25, undefined, { signal });
  })();
  await Promise.race([failure, listening]);
}

/** Never resolves; rejects with the end of the operator's log when it ends. */
export async function rejectAtEnd(operator: Member): Promise<never> {
  const { code, signal } = await operator.exited;
  throw new Error(
    `the operator has ended (${signal ?? `exit code ${code}`}); the end of its log:\n${await readLogTail(operator)}`,
  );
}
