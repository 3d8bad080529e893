import type { ApiConnection } from '../api/connection.ts';
import { resourcePath, type KindName } from '../api/kinds.ts';
import type { KubernetesObject } from '../api/objects.ts';
import type { Log } from '../log.ts';
import { Informer, INFORMER_LIMITS, type InformerLimits } from './informer.ts';
import { projectWhole } from './project.ts';

/** Names one object to watch, or the whole kind in one namespace or all when `name` is absent. */
export interface SingleOptions {
  connection: ApiConnection;
  kind: KindName;
  name?: string;
  namespace?: string;
  log: Log;
  signal: AbortSignal;
  limits?: InformerLimits;
  /** Called after each change. */
  onChange?: () => void;
}

/** A watched object, or a few of them. */
export interface WatchedObjects {
  /** The object, or the first one; undefined when there is none. */
  current(): KubernetesObject | undefined;
  list(): KubernetesObject[];
  /** True when it has been listed once, also when it does not exist. */
  isSynced(): boolean;
  /** Milliseconds since the API server was lost; 0 while it is watched. */
  interruptedMs(): number;
  /** Resolves then; rejects with the signal's reason. */
  whenSynced(signal: AbortSignal): Promise<void>;
}

/**
 * Watches single objects whole, for parts that need no more: the functions read the serving Secret, the authentication ConfigMap of the API server
 * (spec/startup.md §5.2) and the KubeVirt objects this way. Ends with the signal.
 */
export function watchObjects(options: SingleOptions): WatchedObjects {
  const { connection, kind, name, namespace, log, signal, limits = INFORMER_LIMITS } = options;
  const informer = new Informer({
    connection,
    source: {
      path: resourcePath(kind, namespace),
      ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }),
      metadataOnly: false,
    },
    name: name === undefined ? kind : `${kind} ${name}`,
    project: (object) => projectWhole(kind, object),
    log,
    limits,
    ...(options.onChange === undefined ? {} : { onChange: options.onChange }),
  });
  signal.addEventListener(
    'abort',
    () => {
      informer.stop();
    },
    { once: true },
  );
  void informer.run();
  return {
    current: () => informer.list()[0],
    list: () => informer.list(),
    isSynced: () => informer.state !== 'starting',
    interruptedMs: () => informer.interruptedMs,
    whenSynced: async (waiting) => informer.whenSettled(waiting),
  };
}
