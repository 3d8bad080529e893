import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Cluster, Context, User } from '@kubernetes/client-node/dist/config_types.js';
// Single files of the client library: its index costs 75 MB of memory (docs/decisions/memory-of-the-client.md).
import { newClusters, newContexts, newUsers } from '@kubernetes/client-node/dist/config_types.js';
import { parse } from 'yaml';
import { ConfigurationError, errorText } from '../errors.ts';

/** A broken entry that is not in use is no reason to refuse the file. */
const LENIENT = { onInvalidEntry: 'filter' } as const;

/** The current context of a kubeconfig file; relative paths are made absolute. */
export interface CurrentContext {
  cluster: Cluster;
  user: User;
  /** Fields of the user that the client library's reader passes over. */
  extra: { tokenFile?: string; groups?: string[] };
}

/** Reads a kubeconfig file; throws ConfigurationError when it is missing, malformed or has no usable current context. `name`: another context. */
export async function readKubeconfig(file: string, name?: string): Promise<CurrentContext> {
  try {
    return parseKubeconfig(await readFile(file, 'utf8'), path.dirname(path.resolve(file)), name);
  } catch (cause) {
    throw new ConfigurationError(`kubeconfig ${file} cannot be used`, { cause });
  }
}

/** Parses the text of a kubeconfig file. `directory` is what its relative paths start from, `wanted` a context other than the current one. */
export function parseKubeconfig(text: string, directory: string, wanted?: string): CurrentContext {
  const config = parseYaml(text);
  const context = findContext(config, wanted);
  const cluster = newClusters(config?.['clusters'], LENIENT).find((candidate) => candidate.name === context.cluster);
  if (cluster === undefined) throw new Error(`cluster ${JSON.stringify(context.cluster)} is not among its clusters`);
  const user = newUsers(config?.['users'], LENIENT).find((candidate) => candidate.name === context.user) ?? {
    name: '',
  };
  return {
    cluster: { ...cluster, ...absolute(directory, { caFile: cluster.caFile }) },
    user: {
      ...user,
      ...absolute(directory, { certFile: user.certFile, keyFile: user.keyFile }),
      exec: parseExec(user.exec, cluster, directory),
    },
    extra: parseExtra(config?.['users'], context.user, directory),
  };
}

function parseYaml(text: string): Record<string, unknown> | null {
  try {
    return parse(text) as Record<string, unknown> | null;
  } catch (cause) {
    // Below its first line the parser draws a picture of the place, which may hold a password.
    // Without the cause, whose text has the picture too.
    // eslint-disable-next-line preserve-caught-error -- the cause is what must not be told
    throw new Error(`it is neither YAML nor JSON: ${errorText(cause).split(':\n')[0] ?? ''}`);
  }
}

function findContext(config: Record<string, unknown> | null, wanted: string | undefined): Context {
  const name = wanted ?? config?.['current-context'];
  const context = newContexts(config?.['contexts'], LENIENT).find((candidate) => candidate.name === name);
  if (context !== undefined) return context;
  if (name === undefined || name === '') throw new Error('it has no current-context');
  const title = wanted === undefined ? 'current-context' : 'context';
  throw new Error(`${title} ${JSON.stringify(name)} is not among its contexts`);
}

function parseExtra(users: unknown, name: string, directory: string): CurrentContext['extra'] {
  const list = users as { name?: string; user?: { tokenFile?: string; 'as-groups'?: string[] } }[] | undefined;
  const user = list?.find((candidate) => candidate.name === name)?.user;
  const groups = user?.['as-groups'];
  return { ...absolute(directory, { tokenFile: user?.tokenFile }), ...(groups === undefined ? {} : { groups }) };
}

/** Relative paths resolved from `directory`; absent ones left out. */
function absolute<K extends string>(
  directory: string,
  files: Record<K, string | undefined>,
): Partial<Record<K, string>> {
  const entries = Object.entries<string | undefined>(files).filter(
    ([, file]) => typeof file === 'string' && file !== '',
  );
  return Object.fromEntries(entries.map(([key, file]) => [key, path.resolve(directory, file ?? '')])) as Partial<
    Record<K, string>
  >;
}

/** What a kubeconfig says about a credential plugin. */
interface ExecSettings {
  apiVersion?: string;
  command: string;
  env?: { name: string; value: string }[];
  provideClusterInfo?: boolean;
}

/** The plugin's settings with an absolute command, if it is a path, and with the variable that tells the plugin what it is asked for. */
function parseExec(value: unknown, cluster: Cluster, directory: string): ExecSettings | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const exec = value as ExecSettings;
  const info = {
    apiVersion: exec.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(exec.provideClusterInfo === true ? { cluster: describeCluster(cluster) } : {}) },
  };
  return {
    ...exec,
    command: exec.command.includes('/') ? path.resolve(directory, exec.command) : exec.command,
    env: [...(exec.env ?? []), { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }],
  };
}

function describeCluster(cluster: Cluster): Record<string, unknown> {
  return {
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'insecure-skip-tls-verify': cluster.skipTLSVerify,
    'certificate-authority-data': cluster.caData,
  };
}
