import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import { readTrustBundle } from './certificates.ts';
import { planObject } from './compare.ts';
import { buildDelete } from './json-patch.ts';
import { buildPodMutator, isPodMutatorWanted, POD_MUTATOR } from './pod-mutator.ts';
import type { Action, PassContext, StepPlan } from './types.ts';
import { wantedObjects } from './wanted.ts';

const ROUTE = 'virt-exportproxy';
/** Kinds that carry the bundle; a strategy without any needs none. */
const TRUSTING_KINDS = [
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'APIService',
  'Route',
] as const;

/** Everything that carries the bundle of the signing authority: webhook configurations, APIServices, the Route (spec/apply.md §5.8–5.12, §5.15). */
export function planTrustingObjects(context: PassContext): StepPlan {
  const bundle = readTrustBundle(context);
  if (bundle === undefined) {
    const isNeeded = TRUSTING_KINDS.some((kind) => wantedObjects(kind, context).length > 0);
    return { actions: [], ...(isNeeded ? { stop: 'ConfigMap kubevirt-ca to hold a bundle' } : {}) };
  }
  const encoded = Buffer.from(bundle).toString('base64');
  const wanted = [
    ...wantedObjects('ValidatingWebhookConfiguration', context).map((object) => withWebhookBundle(object, encoded)),
    ...wantedObjects('MutatingWebhookConfiguration', context).map((object) => withWebhookBundle(object, encoded)),
    ...wantedObjects('APIService', context).map((object) => withSpec(object, { caBundle: encoded })),
    ...wantedObjects('Route', context)
      .slice(0, 1)
      .map((object) => withDestinationBundle(object, bundle)),
  ];
  return {
    actions: [...wanted.flatMap((object) => planObject(object, context)), ...planPodMutator(context, encoded)],
  };
}

function planPodMutator(context: PassContext, bundle: string): Action[] {
  if (isPodMutatorWanted(context)) return planObject(withWebhookBundle(buildPodMutator(context), bundle), context);
  const live = context.world.get('MutatingWebhookConfiguration', POD_MUTATOR);
  return live === undefined || live.metadata.deletionTimestamp !== undefined
    ? []
    : [buildDelete('MutatingWebhookConfiguration', live)];
}

function withWebhookBundle(configuration: KubernetesObject, caBundle: string): KubernetesObject {
  const webhooks = ((configuration.webhooks ?? []) as JsonObject[]).map((webhook) => ({
    ...webhook,
    clientConfig: { ...(webhook.clientConfig as JsonObject | undefined), caBundle },
  }));
  return { ...configuration, webhooks };
}

function withSpec(object: KubernetesObject, fields: JsonObject): KubernetesObject {
  return { ...object, spec: { ...object.spec, ...fields } };
}

function withDestinationBundle(route: KubernetesObject, destinationCACertificate: string): KubernetesObject {
  if (route.metadata.name !== ROUTE) throw new Error(`unknown route ${route.metadata.name ?? ''}`);
  const tls = route.spec?.tls as JsonObject | undefined;
  return withSpec(route, { tls: { ...tls, destinationCACertificate } });
}
