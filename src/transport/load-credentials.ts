import { isIPv6 } from 'node:net';
import { ConfigurationError, errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import { chooseLoader, serviceAccountLoader } from './access.ts';
import { refreshed, type Credentials } from './credentials.ts';

/** Where the API server and the credentials come from. */
export interface ServerOptions {
  /** Path of a kubeconfig file. */
  kubeconfig?: string | undefined;
  /** A context of that file instead of its current one. */
  context?: string | undefined;
  /** URL of the API server; overrides the kubeconfig's. */
  master?: string | undefined;
  log: Log;
  /** Environment that names the API server to a pod; default: the process's own. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Folder of the pod's token and CA. */
  serviceAccountDirectory?: string;
}

const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Finds the API server and the credentials: kubeconfig, URL alone, or the pod's service account (spec/startup.md §4.1). */
export async function loadCredentials(options: ServerOptions): Promise<Credentials> {
  const onFailure = (error: unknown): void => {
    options.log.warn({ reason: errorText(error) }, 'credentials could not be read again; the last ones stay in use');
  };
  const { kubeconfig = '', master = '' } = options;
  if (kubeconfig !== '') {
    // Inside of a pod neither the YAML parser nor the rest of it is needed.
    const { readKubeconfig } = await import('./kubeconfig.ts');
    const context = await readKubeconfig(kubeconfig, options.context);
    return refreshed(parseServer(master === '' ? context.cluster.server : master), chooseLoader(context), onFailure);
  }
  if (master !== '') {
    return refreshed(parseServer(master), () => Promise.resolve({ headers: {}, tls: {} }), onFailure);
  }
  const server = inClusterServer(options.environment ?? process.env);
  return refreshed(
    server,
    serviceAccountLoader(options.serviceAccountDirectory ?? SERVICE_ACCOUNT_DIRECTORY),
    onFailure,
  );
}

function inClusterServer(environment: Readonly<Record<string, string | undefined>>): URL {
  const host = environment['KUBERNETES_SERVICE_HOST'];
  const port = environment['KUBERNETES_SERVICE_PORT'];
  if (host === undefined || host === '' || port === undefined || port === '') {
    throw new ConfigurationError(
      'no API server: this process runs in no pod (KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are unset); name one with --kubeconfig or --master',
    );
  }
  return parseServer(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`);
}

function parseServer(text: string): URL {
  try {
    const url = new URL(text.includes('://') ? text : `https://${text}`);
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      throw new Error(`protocol ${url.protocol} is not supported`);
    return url;
  } catch (cause) {
    throw new ConfigurationError(`the URL of the API server, ${JSON.stringify(text)}, cannot be used`, { cause });
  }
}
