import type { ObjectStore } from '../api/store.ts';
import type { Log } from '../log.ts';
import type { EventRecorder } from '../status/events.ts';

/** The ConfigMap from which releases before the KubeVirt object had a configuration read theirs. */
const LEGACY_CONFIG_MAP = 'kubevirt-config';
const HOUR_MS = 3_600_000;

/** What the watch over the leftover needs. */
export interface LegacyConfigOptions {
  store: Pick<ObjectStore, 'get'>;
  operatorNamespace: string;
  events: EventRecorder;
  log: Log;
  /** Aborts when this process no longer leads. */
  signal: AbortSignal;
  /** Default: an hour. */
  intervalMs?: number;
}

/**
 * Says, at once and then hourly until it is gone, that a ConfigMap `kubevirt-config` left over from an old release is no longer read and where its
 * settings belong. To be called when this process begins to lead and its caches are complete.
 */
export function watchLegacyConfig(options: LegacyConfigOptions): void {
  const { signal } = options;
  warnOfLegacyConfig(options);
  const timer = setInterval(() => {
    warnOfLegacyConfig(options);
  }, options.intervalMs ?? HOUR_MS);
  timer.unref();
  signal.addEventListener('abort', () => {
    clearInterval(timer);
  });
  if (signal.aborted) clearInterval(timer);
}

function warnOfLegacyConfig({ store, operatorNamespace, events, log }: LegacyConfigOptions): void {
  const configMap = store.get('ConfigMap', LEGACY_CONFIG_MAP, operatorNamespace);
  if (configMap === undefined) return;
  const message =
    `ConfigMap ${LEGACY_CONFIG_MAP} is no longer read: move its settings to spec.configuration of the KubeVirt object ` +
    'and delete the ConfigMap';
  log.warn({ namespace: operatorNamespace, name: LEGACY_CONFIG_MAP }, message);
  events.record({
    type: 'Warning',
    reason: 'LegacyConfiguration',
    message,
    about: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: LEGACY_CONFIG_MAP,
      namespace: operatorNamespace,
      ...(configMap.metadata.uid === undefined ? {} : { uid: configMap.metadata.uid }),
    },
  });
}
