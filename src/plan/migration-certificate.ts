import { SUPPORTS_MIGRATION_CN_LABEL } from '../api/names.ts';
import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import { podSpecOf } from './workloads.ts';

/**
 * virt-handler's change from one client certificate for everything to one for migrations: first every pod has to know the argument, only then may the
 * old certificate go (spec/apply.md §5.6).
 */
const ARGUMENTS = ['--migration-cn-types', 'migration'] as const;
const ARGUMENT_MARK = 'migration-cn-types';
const OLD_CERTIFICATE = 'kubevirt-virt-handler-certs';

/** Whether the release of this DaemonSet knows the argument. */
export function supportsMigrationCertificate(daemonSet: KubernetesObject): boolean {
  return daemonSet.metadata.labels?.[SUPPORTS_MIGRATION_CN_LABEL] === 'true';
}

/** Whether the first container has the argument. */
export function hasMigrationArgument(daemonSet: KubernetesObject): boolean {
  const [first] = containersOf(podSpecOf(daemonSet));
  const present = (first?.args ?? []) as string[];
  return present.some((argument) => argument.includes(ARGUMENT_MARK));
}

/** Whether pods still mount the old certificate. */
export function hasOldCertificate(daemonSet: KubernetesObject): boolean {
  const volumes = (podSpecOf(daemonSet).volumes ?? []) as JsonObject[];
  return volumes.some(({ name }) => name === OLD_CERTIFICATE);
}

/** A copy with the argument at the end of the first container's; the same object when it is there. */
export function insertMigrationArgument(daemonSet: KubernetesObject): KubernetesObject {
  if (hasMigrationArgument(daemonSet)) return daemonSet;
  const pod = podSpecOf(daemonSet);
  const containers = containersOf(pod).map((container, index) =>
    index === 0 ? { ...container, args: [...((container.args ?? []) as string[]), ...ARGUMENTS] } : container,
  );
  return withPodSpec(daemonSet, { ...pod, containers });
}

/** A copy without volume and mounts of the old certificate; the same object when they are gone. */
export function detachOldCertificate(daemonSet: KubernetesObject): KubernetesObject {
  if (!hasOldCertificate(daemonSet)) return daemonSet;
  const pod = podSpecOf(daemonSet);
  const withoutOld = (list: unknown) =>
    ((list ?? []) as JsonObject[]).filter((entry) => entry.name !== OLD_CERTIFICATE);
  return withPodSpec(daemonSet, {
    ...pod,
    volumes: withoutOld(pod.volumes),
    containers: containersOf(pod).map((container) => ({
      ...container,
      volumeMounts: withoutOld(container.volumeMounts),
    })),
  });
}

function containersOf(pod: JsonObject): JsonObject[] {
  return (pod.containers ?? []) as JsonObject[];
}

function withPodSpec(workload: KubernetesObject, pod: JsonObject): KubernetesObject {
  const template = (workload.spec?.template ?? {}) as JsonObject;
  return { ...workload, spec: { ...workload.spec, template: { ...template, spec: pod } } };
}
