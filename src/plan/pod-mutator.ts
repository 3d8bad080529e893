import { apiVersionOf } from '../api/kinds.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { isGateEnabled } from '../api/feature-gates.ts';
import { buildMetadata, type MetadataContext } from './metadata.ts';

/** The webhook configuration for virt-launcher pods. It is part of no customisation and exists only while a gate is on (spec/apply.md §5.11). */
export const POD_MUTATOR = 'virt-launcher-pod-mutator';

/** Whether the pod mutator is to exist. */
export function isPodMutatorWanted({ kubeVirt }: MetadataContext): boolean {
  return isGateEnabled('ContainerPathVolumes', kubeVirt.spec.configuration);
}

/** The pod mutator, still without a CA bundle. */
export function buildPodMutator(context: MetadataContext): KubernetesObject {
  const metadata = {
    name: POD_MUTATOR,
    labels: { 'kubevirt.io': POD_MUTATOR },
    annotations: { 'certificates.kubevirt.io/secret': 'kubevirt-virt-api-certs' },
  };
  return {
    apiVersion: apiVersionOf('MutatingWebhookConfiguration'),
    kind: 'MutatingWebhookConfiguration',
    metadata: buildMetadata(metadata, context),
    webhooks: [
      {
        name: `${POD_MUTATOR}.kubevirt.io`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        // A virt-api that does not answer must not keep virtual machines from starting.
        failurePolicy: 'Ignore',
        reinvocationPolicy: 'IfNeeded',
        timeoutSeconds: 10,
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        objectSelector: { matchLabels: { 'kubevirt.io': 'virt-launcher' } },
        clientConfig: {
          service: {
            namespace: context.kubeVirt.metadata.namespace ?? '',
            name: 'virt-api',
            path: '/virt-launcher-pod-mutate',
          },
        },
      },
    ],
  };
}
