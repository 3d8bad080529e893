import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * The kubeconfig file of a command: the one that the user names, else the first of KUBECONFIG that is there, else none inside of a pod, whose service
 * account then counts, else ~/.kube/config if it is there.
 */
export async function findKubeconfig(
  named: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (named !== undefined) return named;
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  for (const file of listed) if (await isThere(file)) return file;
  // One that is not there is the user's mistake: the error names it.
  if (listed.length > 0) return listed[0];
  if (isInPod(env)) return undefined;
  const usual = join(env['HOME'] ?? homedir(), '.kube', 'config');
  return (await isThere(usual)) ? usual : undefined;
}

/** Whether this process runs in a pod, which has a service account. */
export function isInPod(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env['KUBERNETES_SERVICE_HOST'] ?? '') !== '';
}

async function isThere(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
