import { parse } from 'yaml';
import type { ClientIdentity } from './api-client.ts';

/** How a user proves who it is. */
export type Credentials = { token: string } | { certificate: string; key: string };

/**
 * A kubeconfig with one context, `sandbox`, as JSON, which is YAML too. Certificates are PEM and embedded, so that the file can be moved.
 */
export function buildKubeconfig(options: {
  server: string;
  ca: string;
  user: string;
  credentials: Credentials;
  namespace?: string;
}): string {
  const { server, ca, user, credentials, namespace = 'kubevirt' } = options;
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const identity =
    'token' in credentials
      ? { token: credentials.token }
      : {
          'client-certificate-data': base64(credentials.certificate),
          'client-key-data': base64(credentials.key),
        };
  return `${JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'sandbox', cluster: { server, 'certificate-authority-data': base64(ca) } }],
      users: [{ name: user, user: identity }],
      contexts: [{ name: 'sandbox', context: { cluster: 'sandbox', user, namespace } }],
      'current-context': 'sandbox',
    },
    null,
    2,
  )}\n`;
}

/** Server and identity of the current context. Certificates must be embedded, as in the files written here; throws when a part is missing. */
export function parseKubeconfig(text: string): { server: string; identity: ClientIdentity } {
  const config = parse(text) as KubeconfigFile;
  const context = config.contexts?.find(({ name }) => name === config['current-context'])?.context;
  const cluster = config.clusters?.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config.users?.find(({ name }) => name === context?.user)?.user;
  if (cluster === undefined || user === undefined) throw new Error('kubeconfig without a usable current context');
  const decode = (value: string | undefined) => (value === undefined ? undefined : Buffer.from(value, 'base64'));
  return {
    server: cluster.server,
    identity: {
      ca: decode(cluster['certificate-authority-data']),
      cert: decode(user['client-certificate-data']),
      key: decode(user['client-key-data']),
      token: user.token,
    },
  };
}

interface KubeconfigFile {
  'current-context'?: string;
  contexts?: { name: string; context: { cluster: string; user: string } }[];
  clusters?: { name: string; cluster: { server: string; 'certificate-authority-data'?: string } }[];
  users?: {
    name: string;
    user: { token?: string; 'client-certificate-data'?: string; 'client-key-data'?: string };
  }[];
}
