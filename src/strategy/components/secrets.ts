import type { KubernetesObject } from '../../api/objects.ts';
import { hasSwitch } from '../target-properties.ts';
import type { GenerateInput } from '../types.ts';
import { CAS, SECRETS } from './names.ts';

const IN_INSTALL_NAMESPACE = [
  SECRETS.api,
  SECRETS.controller,
  SECRETS.exportProxy,
  SECRETS.handlerServer,
  SECRETS.handlerMigrationClient,
  SECRETS.handlerVsockClient,
  SECRETS.handlerMonitoringClient,
  SECRETS.handlerClient,
  SECRETS.synchronizationClient,
  SECRETS.synchronizationServer,
] as const;
const IN_OPERATOR_NAMESPACE = [SECRETS.operator, CAS.components, CAS.export, CAS.backup] as const;
const OF_TEMPLATES = [SECRETS.templateApi, SECRETS.templateWebhook, SECRETS.templateMetrics] as const;

/** Shells of the certificate Secrets; their data are made when they are applied (spec/resources.md §1.6). */
export function buildSecrets({ target, operatorNamespace }: GenerateInput): KubernetesObject[] {
  const templates = hasSwitch(target, 'VirtTemplateDeploymentEnabled') ? OF_TEMPLATES : [];
  return [
    ...IN_INSTALL_NAMESPACE.map((name) => secret(name, target.namespace)),
    ...IN_OPERATOR_NAMESPACE.map((name) => secret(name, operatorNamespace)),
    ...templates.map((name) => secret(name, target.namespace)),
  ];
}

/** Shells of the ConfigMaps with CA bundles (spec/resources.md §1.7). */
export function buildCaConfigMaps({ operatorNamespace }: GenerateInput): KubernetesObject[] {
  return Object.values(CAS).map((name) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: operatorNamespace, labels: {} },
  }));
}

const secret = (name: string, namespace: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  // No labels but those of every managed object: the empty map is what upstream's dump leaves of them.
  metadata: { name, namespace, labels: {} },
  type: 'kubernetes.io/tls',
});
