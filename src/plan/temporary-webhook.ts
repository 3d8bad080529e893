import { apiVersionOf } from '../api/kinds.ts';
import { TEMPORARY_WEBHOOK_PREFIX } from '../api/names.ts';
import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import { isComponentReady } from './components.ts';
import { buildDelete } from './json-patch.ts';
import { buildMetadata, matchesTarget } from './metadata.ts';
import type { PassContext, StepPlan } from './types.ts';

const KIND = 'ValidatingWebhookConfiguration';
/** Characters of the deployment ID that stand where upstream lets the API server make up a name (design decision 5). */
const ID_LENGTH = 10;

/**
 * While the virt-api of the target does not run, nobody validates objects of CRDs that are new: a webhook without a server behind it keeps them from
 * being created. Removed as soon as virt-api runs (spec/apply.md §5.10).
 */
export function planTemporaryWebhook(context: PassContext): StepPlan {
  const configurations = context.world.list(KIND);
  if (isComponentReady('api', context)) {
    return {
      actions: configurations
        .filter(isTemporary)
        .filter(isAlive)
        .map((live) => buildDelete(KIND, live)),
    };
  }
  if (configurations.some((configuration) => matchesTarget(configuration, context.target))) return { actions: [] };
  const definitions = context.strategy
    .ofKind('CustomResourceDefinition')
    .filter(({ metadata }) => context.world.get('CustomResourceDefinition', metadata.name ?? '') === undefined);
  if (definitions.length === 0) return { actions: [] };
  return { actions: [{ verb: 'create', kind: KIND, object: buildTemporaryWebhook(definitions, context) }] };
}

/** Whether a webhook configuration is one of these. */
export function isTemporary({ metadata }: KubernetesObject): boolean {
  return metadata.name?.startsWith(TEMPORARY_WEBHOOK_PREFIX) === true;
}

function isAlive({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp === undefined;
}

function buildTemporaryWebhook(definitions: readonly KubernetesObject[], context: PassContext): KubernetesObject {
  const name = `${TEMPORARY_WEBHOOK_PREFIX}${context.target.id.slice(0, ID_LENGTH)}`;
  return {
    apiVersion: apiVersionOf(KIND),
    kind: KIND,
    metadata: buildMetadata({ name }, context),
    webhooks: definitions.map((definition) => buildWebhook(definition, context.kubeVirt.metadata.namespace ?? '')),
  };
}

function buildWebhook({ metadata, spec }: KubernetesObject, namespace: string): JsonObject {
  const { name = '' } = metadata;
  const names = spec?.names as JsonObject | undefined;
  return {
    name: `${name}-tmp-validator`,
    admissionReviewVersions: ['v1', 'v1beta1'],
    sideEffects: 'None',
    failurePolicy: 'Fail',
    rules: [
      {
        operations: ['CREATE'],
        apiGroups: [spec?.group ?? ''],
        apiVersions: ['v1alpha3', 'v1'],
        resources: [names?.plural ?? ''],
      },
    ],
    clientConfig: {
      service: { namespace, name: 'fake-validation-service', path: `/fake-path/${name}` },
    },
  };
}
