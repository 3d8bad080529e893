import type { Agent } from 'node:http';

/** What a TLS connection to the API server is made with; PEM texts. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Name to expect in the server's certificate instead of the host of the URL. */
  readonly servername?: string;
  /** False only where the kubeconfig says insecure-skip-tls-verify. */
  readonly rejectUnauthorized?: boolean;
}

/** How to reach the API server now. An unchanged `tls` is the same value. */
export interface Access {
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: TlsMaterial;
  /** Set where connections must go through a proxy; `tls` is then already in it. */
  readonly agent?: Agent;
}

/** Where the API server is and how this process proves who it is. */
export interface Credentials {
  readonly server: URL;
  /** Reads again what can change: token, certificate and CA files at most once a minute, plugins when their token expires. */
  read(): Promise<Access>;
  /** The server refused the last answer of `read` (401): the next one is made afresh. */
  forget(): void;
}

/** How long files count as unchanged, in milliseconds; client-go's figure. A rotated token or CA works after at most that long. */
const FRESH_MS = 60_000;

/** Makes an access; `refused` says that the server did not accept the last one, so that what a plugin has cached is worth nothing. */
export type LoadAccess = (refused: boolean) => Promise<Access>;

/**
 * Credentials whose `load` is repeated every minute, and at once after `forget`. While a repeated load fails, the last good access stays in use
 * and `onFailure` is told: a volume may be in the middle of an update.
 */
export function refreshed(
  server: URL,
  load: LoadAccess,
  onFailure: (error: unknown) => void,
  now: () => number = () => performance.now(),
): Credentials {
  let access: Access | undefined;
  let loadedAt = -Infinity;
  let loading: Promise<Access> | undefined;
  let refused = false;

  const reload = async (): Promise<Access> => {
    try {
      const next = await load(refused);
      refused = false;
      access = access === undefined ? next : reuse(access, next);
    } catch (error) {
      if (access === undefined) throw error;
      onFailure(error);
    } finally {
      loadedAt = now();
      loading = undefined;
    }
    return access;
  };

  return {
    server,
    read: async () => {
      if (access !== undefined && now() - loadedAt < FRESH_MS) return access;
      loading ??= reload();
      return loading;
    },
    forget: () => {
      loadedAt = -Infinity;
      refused = true;
    },
  };
}

/** Keeps the identity of unchanged TLS material, so that its connections stay. */
function reuse(old: Access, next: Access): Access {
  return JSON.stringify(old.tls) === JSON.stringify(next.tls) ? { ...next, tls: old.tls } : next;
}
