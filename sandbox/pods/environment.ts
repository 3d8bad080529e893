import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiClient } from '../api-client.ts';
import type { Container, EnvVariable, Pod } from './pod.ts';

/** What of this machine stands in for a cluster. */
export interface Surroundings {
  api: ApiClient;
  /** Address of the Redis that stands in for the chart's own, whose pod is played. */
  redis: () => Promise<string>;
}

/** The variables of a container, those from Secrets included. Rejects when a Secret or key is missing that is not optional. */
export async function resolveEnvironment(
  { env = [] }: Container,
  namespace: string,
  { api, redis }: Surroundings,
): Promise<Record<string, string>> {
  const entries = await Promise.all(
    env.map(async (variable) => [variable.name, await resolveVariable(variable, namespace, api)] as const),
  );
  const values = Object.fromEntries(
    entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined),
  );
  if (!isInCluster(values['REDIS_URL'])) return values;
  // The stand-in asks for no password.
  delete values['REDIS_PASSWORD'];
  return { ...values, REDIS_URL: await redis() };
}

async function resolveVariable(
  { value, valueFrom }: EnvVariable,
  namespace: string,
  api: ApiClient,
): Promise<string | undefined> {
  const reference = valueFrom?.secretKeyRef;
  if (reference === undefined) return value ?? '';
  const { status, body } = await api.call('GET', `/api/v1/namespaces/${namespace}/secrets/${reference.name}`);
  const encoded = status === 200 ? (body['data'] as Record<string, string> | undefined)?.[reference.key] : undefined;
  if (encoded !== undefined) return Buffer.from(encoded, 'base64').toString();
  if (reference.optional === true) return undefined;
  throw new Error(`the Secret ${namespace}/${reference.name} has no key ${reference.key}`);
}

/** No name of a Service is resolved on this machine. */
function isInCluster(url: string | undefined): boolean {
  return url !== undefined && URL.parse(url)?.hostname.endsWith('.svc') === true;
}

/** Writes the files of the pod's ConfigMaps below `folder`. Returns the arguments of a container with the paths that its files have here. */
export async function mountFiles(
  { spec, metadata }: Pod,
  { args = [], volumeMounts = [] }: Container,
  { api, folder }: { api: ApiClient; folder: string },
): Promise<string[]> {
  let mounted = [...args];
  for (const { name, mountPath } of volumeMounts) {
    const configMap = spec.volumes?.find((volume) => volume.name === name)?.configMap;
    if (configMap === undefined) continue;
    const place = join(folder, name);
    await mkdir(place, { recursive: true });
    const { data = {} } = (await api.expect(
      'GET',
      `/api/v1/namespaces/${metadata.namespace}/configmaps/${configMap.name}`,
    )) as { data?: Record<string, string> };
    for (const [file, text] of Object.entries(data)) await writeFile(join(place, file), text);
    mounted = mounted.map((arg) => (arg.startsWith(`${mountPath}/`) ? join(place, arg.slice(mountPath.length)) : arg));
  }
  return mounted;
}
