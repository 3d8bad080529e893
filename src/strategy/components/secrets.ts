import type { KubernetesObject } from '../../api/objects.ts';
import { objectOf } from '../object.ts';
import { hasSwitch } from '../target-properties.ts';
import type { GenerateInput } from '../types.ts';
import { CAS, OPERATOR_SECRET, SECRETS, TEMPLATE_SECRETS } from './names.ts';

/** Shells of the certificate Secrets; their data are made when they are applied (spec/resources.md §1.6). */
export function buildSecrets({ target, operatorNamespace }: GenerateInput): KubernetesObject[] {
  const templates = hasSwitch(target, 'VirtTemplateDeploymentEnabled') ? Object.values(TEMPLATE_SECRETS) : [];
  const ofOperator = [OPERATOR_SECRET, CAS.components, CAS.export, CAS.backup];
  return [
    ...Object.values(SECRETS).map((name) => secret(name, target.namespace)),
    ...ofOperator.map((name) => secret(name, operatorNamespace)),
    ...templates.map((name) => secret(name, target.namespace)),
  ];
}

/** Shells of the ConfigMaps with CA bundles (spec/resources.md §1.7). */
export function buildCaConfigMaps({ operatorNamespace }: GenerateInput): KubernetesObject[] {
  return Object.values(CAS).map((name) => objectOf('ConfigMap', { name, namespace: operatorNamespace, labels: {} }));
}

// No labels but those of every managed object: the empty map is what upstream's dump leaves of them.
const secret = (name: string, namespace: string): KubernetesObject =>
  objectOf('Secret', { name, namespace, labels: {} }, { type: 'kubernetes.io/tls' });
