import type { Check } from './finding.ts';
import type { Facts } from './facts.ts';

/** Architectures that KubeVirt's images are built for (design decision 16). */
const ARCHITECTURES: readonly string[] = ['amd64', 'arm64', 's390x'];
const CONTROL_PLANE: readonly string[] = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];
const ENFORCE = 'pod-security.kubernetes.io/enforce';
const OWN_LABEL = 'kubevirt.io';

/** Nodes that KubeVirt can run on, and among them some for its control plane (spec/apply.md §4.2). */
export function checkNodes({ nodes, kubeVirt }: Facts): ReturnType<Check> {
  const linux = nodes.filter((labels) => labels['kubernetes.io/os'] === 'linux');
  if (linux.length === 0) {
    return [{ level: 'problem', text: 'there is no Linux node', remedy: 'add one' }];
  }
  const strange = linux
    .map((labels) => labels['kubernetes.io/arch'] ?? '')
    .filter((arch) => !ARCHITECTURES.includes(arch));
  const hasPlace = linux.some((labels) => CONTROL_PLANE.some((label) => label in labels));
  const isPlaced = kubeVirt?.spec.infra?.nodePlacement !== undefined;
  return [
    ...[...new Set(strange)].map((arch) => ({
      level: 'warning' as const,
      text: `nodes of architecture ${arch || 'unknown'} cannot run KubeVirt`,
      remedy: 'leave them out with spec.workloads.nodePlacement',
    })),
    ...(hasPlace || isPlaced
      ? []
      : [
          {
            level: 'problem' as const,
            text: 'no node has the role of a control plane: virt-api and virt-controller would find no place',
            remedy: 'set spec.infra.nodePlacement of the KubeVirt object, {} for any node',
          },
        ]),
  ];
}

/** virt-handler and virtual machines run privileged pods (spec/field-reports.md B72). */
export function checkNamespace({ namespace, operatorNamespace }: Facts): ReturnType<Check> {
  if (namespace === undefined) {
    const text = `${operatorNamespace} is not there yet`;
    return [{ level: 'warning', text, remedy: 'the chart creates it with its labels (value namespace.create)' }];
  }
  const { labels = {} } = namespace.metadata;
  const enforced = labels[ENFORCE];
  const command = `kubectl label namespace ${operatorNamespace} --overwrite`;
  return [
    ...(enforced === 'privileged'
      ? []
      : [
          {
            level: enforced === undefined ? ('warning' as const) : ('problem' as const),
            text:
              enforced === undefined
                ? `${operatorNamespace} has no label ${ENFORCE}: where the cluster's default is stricter, virt-handler cannot start`
                : `${operatorNamespace} admits only pods of level ${enforced}: virt-handler cannot start`,
            remedy: `${command} ${ENFORCE}=privileged`,
          },
        ]),
    ...(OWN_LABEL in labels
      ? []
      : [
          {
            level: 'warning' as const,
            text: `${operatorNamespace} has no label ${OWN_LABEL}, by which policies know it`,
            remedy: `${command} ${OWN_LABEL}=`,
          },
        ]),
  ];
}
