import type { KubernetesObject } from '../api/objects.ts';
import { buildCustomResourceDefinitions } from './components/crds.ts';
import { buildDaemonSets } from './components/daemonset.ts';
import { buildDeployments } from './components/deployments.ts';
import { buildInstancetypes } from './components/instancetypes.ts';
import { buildOptionalApis } from './components/optional-apis.ts';
import { buildAdmissionPolicies } from './components/policies.ts';
import { buildPreferences } from './components/preferences.ts';
import { buildPrometheusRules } from './components/prometheus-rules.ts';
import { buildCaConfigMaps, buildSecrets } from './components/secrets.ts';
import { buildApiServices, buildServices } from './components/services.ts';
import { buildVirtTemplate } from './components/virt-template.ts';
import { buildWebhookConfigurations } from './components/webhooks.ts';
import { buildInstallStrategy } from './install-strategy.ts';
import { buildRbac } from './rbac/roles.ts';
import { withoutAggregation } from './rbac/user-roles.ts';
import { hasSwitch } from './target-properties.ts';
import type { GenerateInput, InstallStrategy } from './types.ts';

/** The components of a release in an order that, sorted by kind, is upstream's (spec/resources.md §1). */
const COMPONENTS: readonly ((input: GenerateInput) => KubernetesObject[])[] = [
  buildRbac,
  buildCustomResourceDefinitions,
  buildServices,
  buildSecrets,
  buildWebhookConfigurations,
  buildAdmissionPolicies,
  buildApiServices,
  buildDeployments,
  buildDaemonSets,
  buildOptionalApis,
  buildPrometheusRules,
  buildCaConfigMaps,
  buildInstancetypes,
  buildPreferences,
  buildVirtTemplate,
];

/** Generates all objects of the compiled-in release for one configuration. Pure: the same input gives the same output. */
export function generateStrategy(input: GenerateInput): InstallStrategy {
  const objects = COMPONENTS.flatMap((build) => build(input));
  const isOptOut = hasSwitch(input.target, 'OptOutRoleAggregation');
  return buildInstallStrategy(
    objects.map((object) => (isOptOut && object.kind === 'ClusterRole' ? withoutAggregation(object) : object)),
  );
}
