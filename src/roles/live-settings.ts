import type { OperatorMetrics } from '../../functions/metrics/operator-metrics.ts';
import type { KubeVirt } from '../api/kubevirt.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { levelOf, type Log } from '../log.ts';
import { findActive } from './active-kubevirt.ts';
import type { Closers } from './role.ts';

/** Verbosity while the KubeVirt object asks for none (spec/startup.md §6.2). */
const DEFAULT_VERBOSITY = 2;

/** The log verbosity that a KubeVirt object asks of the operator: for the node or pod of this name, else for all (spec/startup.md §6.2). */
export function decideVerbosity(kubeVirt: KubeVirt | undefined, hostname: string): number {
  const wanted = kubeVirt?.spec.configuration?.developerConfiguration?.logVerbosity;
  return wanted?.nodeVerbosity?.[hostname] || wanted?.virtOperator || DEFAULT_VERBOSITY;
}

/**
 * Follows what the KubeVirt object says about the operator itself while it runs: log verbosity and the metric of software emulation. The flag `-v` holds until
 * there is such an object.
 */
export function followSettings(parts: {
  kubeVirts: () => readonly KubernetesObject[];
  onChange: (listener: () => void) => () => void;
  log: Log;
  hostname: string;
  metrics?: OperatorMetrics;
  closers: Closers;
}): void {
  const { kubeVirts, closers } = parts;
  let seen: string | undefined;
  const follow = () => {
    const kubeVirt = findActive(kubeVirts());
    const version = kubeVirt?.metadata.resourceVersion;
    if (kubeVirt === undefined || version === seen) return;
    seen = version;
    apply(kubeVirt, parts);
  };
  closers.add('live settings', parts.onChange(follow));
  follow();
}

function apply(
  kubeVirt: KubeVirt,
  { log, hostname, metrics }: { log: Log; hostname: string; metrics?: OperatorMetrics },
): void {
  const level = levelOf(decideVerbosity(kubeVirt, hostname));
  if (log.level !== level) log.info({ from: log.level, to: level }, 'the log level follows the KubeVirt object');
  log.level = level;
  metrics?.setEmulationEnabled(kubeVirt.spec.configuration?.developerConfiguration?.useEmulation === true);
}
