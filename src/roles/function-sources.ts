import type { KubernetesObject } from '../api/objects.ts';

/** What the servers read of the cluster; all of it changes while they run. */
export interface FunctionSources {
  secret: () => KubernetesObject | undefined;
  kubeVirts: () => readonly KubernetesObject[];
  /** Secrets whose certificates are watched over; default: the serving one. */
  certificates?: () => readonly KubernetesObject[];
  /** ConfigMap `kube-system/extension-apiserver-authentication`. */
  authentication: () => KubernetesObject | undefined;
  /** What readiness waits for; a sentence while it is missing. */
  missing: () => string | undefined;
  /** Calls back after each change; returns the way to stop that. */
  onChange: (listener: () => void) => () => void;
}
