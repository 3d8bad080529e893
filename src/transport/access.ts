import { readFile } from 'node:fs/promises';
import type { Agent, RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Cluster, User } from '@kubernetes/client-node/dist/config_types.js';
import { ExecAuth } from '@kubernetes/client-node/dist/exec_auth.js';
import type { LoadAccess, TlsMaterial } from './credentials.ts';
import type { CurrentContext } from './kubeconfig.ts';

/** Chooses how the access of a kubeconfig's current context is made: by this small reader, or by the whole client library where only that knows how. */
export function chooseLoader(context: CurrentContext): LoadAccess {
  const { authProvider } = context.user as { authProvider?: unknown };
  const needsLibrary = (authProvider !== undefined && authProvider !== null) || context.cluster.proxyUrl !== undefined;
  return needsLibrary ? libraryLoader(context) : plainLoader(context);
}

/** Certificates, tokens, passwords, token files and credential plugins. */
function plainLoader({ cluster, user, extra }: CurrentContext): LoadAccess {
  let plugin = new ExecAuth();
  return async (refused) => {
    // The plugin's own cache has no way to drop a token before its time.
    if (refused) plugin = new ExecAuth();
    const options: RequestOptions = { headers: {} };
    if (plugin.isAuthProvider(user)) await plugin.applyAuthentication(user, options);
    return {
      headers: {
        ...(options.headers as Record<string, string>),
        ...(await loadAuthorization(user, extra.tokenFile)),
        ...impersonation(user, extra.groups),
      },
      tls: dropAbsent({
        ...(await loadClusterTls(cluster)),
        cert: (options.cert as string | undefined) ?? (await loadPem(user.certFile, user.certData)),
        key: (options.key as string | undefined) ?? (await loadPem(user.keyFile, user.keyData)),
      }),
    };
  };
}

/** The service account of the pod that this process runs in: its token and the cluster's CA, both as files. */
export function serviceAccountLoader(directory: string): LoadAccess {
  return async () => ({
    headers: { authorization: `Bearer ${(await readFile(`${directory}/token`, 'utf8')).trim()}` },
    tls: { ca: await readFile(`${directory}/ca.crt`, 'utf8') },
  });
}

/** Old provider plugins (oidc, azure, gcp) and proxies: the client library knows them. Loaded only here; it costs 75 MB of memory. */
function libraryLoader({ cluster, user, extra }: CurrentContext): LoadAccess {
  let config: KubeConfig | undefined;
  return async (refused) => {
    if (config === undefined || refused) {
      const library = await import('@kubernetes/client-node');
      config = new library.KubeConfig();
      config.loadFromClusterAndUser(cluster, user);
    }
    const options: RequestOptions = { headers: {} };
    await config.applyToHTTPSOptions(options);
    return {
      headers: {
        ...(options.headers as Record<string, string>),
        ...(await loadAuthorization(user, extra.tokenFile)),
        ...impersonation(user, extra.groups),
      },
      tls: {},
      // Made with the certificates of user and cluster, and kept by the KubeConfig.
      agent: options.agent as Agent,
    };
  };
}

async function loadClusterTls(cluster: Cluster): Promise<TlsMaterial> {
  return dropAbsent({
    ca: await loadPem(cluster.caFile, cluster.caData),
    servername: cluster.tlsServerName,
    rejectUnauthorized: cluster.skipTLSVerify ? false : undefined,
  });
}

/** A PEM text from a file, or from base64. */
async function loadPem(file: string | undefined, data: string | undefined): Promise<string | undefined> {
  if (typeof file === 'string' && file !== '') return readFile(file, 'utf8');
  return typeof data === 'string' && data !== '' ? Buffer.from(data, 'base64').toString('utf8') : undefined;
}

async function loadAuthorization(user: User, tokenFile: string | undefined): Promise<Record<string, string>> {
  if (tokenFile !== undefined) return { authorization: `Bearer ${(await readFile(tokenFile, 'utf8')).trim()}` };
  if (typeof user.token === 'string' && user.token !== '') return { authorization: `Bearer ${user.token.trim()}` };
  if (typeof user.username !== 'string' || user.username === '') return {};
  return { authorization: `Basic ${Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')}` };
}

function impersonation(user: User, groups: string[] | undefined): Record<string, string | string[]> {
  if (typeof user.impersonateUser !== 'string') return {};
  return { 'impersonate-user': user.impersonateUser, ...(groups === undefined ? {} : { 'impersonate-group': groups }) };
}

/** The same value without fields that are undefined. */
function dropAbsent<T extends object>(value: { [K in keyof T]?: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}
