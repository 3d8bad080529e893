import { createHash } from 'node:crypto';

import type { KubeVirt, KubeVirtConfiguration, KubeVirtSpec } from '../api/kubevirt.ts';
import { isGateEnabled } from '../api/feature-gates.ts';
import { encodeGoJson, sortedEntries } from '../api/go-json.ts';
import { IMAGES } from './images.table.ts';
import { parseOperatorImage } from './images.ts';
import type { ReleaseEnvironment, TargetDeployment } from './types.ts';

/** Version of an environment that names none (spec/startup.md §2.1). */
const FALLBACK_VERSION = 'latest';

/**
 * What a KubeVirt object asks to be installed, given the environment of the operator (spec/reconcile.md §2.4).
 * The status of the object is no input, so that the same wish always has the same ID.
 */
export function decideTarget(kubeVirt: KubeVirt, environment: ReleaseEnvironment): TargetDeployment {
  const { spec } = kubeVirt;
  const own = parseOperatorImage(environment.operatorImage);
  const registry = orElse(spec.imageRegistry, own?.registry ?? '');
  const version = orElse(spec.imageTag, ownVersion(own?.suffix, environment.kubeVirtVersion));
  const isMoved = hasText(spec.imageRegistry) || hasText(spec.imageTag);
  return withIdentity({
    namespace: kubeVirt.metadata.namespace ?? '',
    registry,
    imagePrefix: own?.prefix ?? '',
    kubeVirtVersion: version,
    images: {
      ...environment.images,
      // Upstream leaves the prefix out of a moved operator image (spec/startup.md §2.4).
      virtOperatorImage: isMoved ? `${registry}/virt-operator:${version}` : environment.operatorImage,
    },
    additionalProperties: additionalProperties(spec),
    passthroughEnv: Object.fromEntries(sortedEntries(environment.passthroughEnv)),
  });
}

const hasText = (value: string | undefined): value is string => value !== undefined && value !== '';

const orElse = (wanted: string | undefined, fallback: string): string => (hasText(wanted) ? wanted : fallback);

/** The version that the operator's own image stands for; `suffix` is undefined when the image could not be parsed. */
function ownVersion(suffix: string | undefined, environmentVersion: string): string {
  if (suffix === '') return FALLBACK_VERSION;
  if (suffix?.startsWith(':') === true) return suffix.slice(1);
  return orElse(environmentVersion, FALLBACK_VERSION);
}

/** Fields of KubeVirtSpec that upstream cannot print: Go's reflection shows their type instead, also when they are unset (spec/startup.md §2.5). */
const OPAQUE_FIELDS = {
  WorkloadUpdateStrategy: '<v1.KubeVirtWorkloadUpdateStrategy Value>',
  CertificateRotationStrategy: '<v1.KubeVirtCertificateRotateStrategy Value>',
  Configuration: '<v1.KubeVirtConfiguration Value>',
  Infra: '<*v1.ComponentConfig Value>',
  Workloads: '<*v1.ComponentConfig Value>',
  CustomizeComponents: '<v1.CustomizeComponents Value>',
} as const;

function additionalProperties(spec: KubeVirtSpec): Record<string, string> {
  return Object.fromEntries(
    sortedEntries({
      ImagePullPolicy: spec.imagePullPolicy ?? '',
      ImagePullSecrets: pullSecretsJson(spec.imagePullSecrets),
      MonitorNamespace: spec.monitorNamespace ?? '',
      ServiceMonitorNamespace: spec.serviceMonitorNamespace ?? '',
      MonitorAccount: spec.monitorAccount ?? '',
      UninstallStrategy: spec.uninstallStrategy ?? '',
      ProductVersion: spec.productVersion ?? '',
      ProductName: spec.productName ?? '',
      ProductComponent: spec.productComponent ?? '',
      SynchronizationPort: spec.synchronizationPort ?? '',
      ...OPAQUE_FIELDS,
      ...switches(spec.configuration),
    }),
  );
}

function pullSecretsJson(secrets: KubeVirtSpec['imagePullSecrets']): string {
  if (secrets === undefined) return 'null';
  return encodeGoJson(secrets.map(({ name }) => (hasText(name) ? { name } : {})));
}

/** Properties that a configuration sets; most only by their presence (spec/startup.md §2.5). */
function switches(configuration: KubeVirtConfiguration = {}): Record<string, string> {
  const isOn = (gate: string): boolean => isGateEnabled(gate, configuration);
  const present: [string, boolean][] = [
    ['PersistentReservationEnabled', isPersistentReservationWanted(configuration)],
    ['VirtTemplateDeploymentEnabled', isOn('Template') && configuration.virtTemplateDeployment?.enabled !== false],
    ['ExternalNetResourceInjection', isOn('ExternalNetResourceInjection')],
    ['VMStatsCollectorEnabled', isOn('VMStatsCollector')],
    ['PluginsEnabled', isOn('Plugins')],
    ['OptOutRoleAggregation', isOn('OptOutRoleAggregation') && configuration.roleAggregationStrategy === 'Manual'],
  ];
  const network = configuration.migrations?.network;
  return {
    ...Object.fromEntries(present.filter(([, isSet]) => isSet).map(([name]) => [name, ''])),
    ...(network !== undefined && { MigrationNetwork: network }),
    HypervisorName: hypervisorName(configuration),
  };
}

/** The field decides; without it the mere mention of the gate, which is generally available otherwise (spec/startup.md §2.5). */
function isPersistentReservationWanted(configuration: KubeVirtConfiguration): boolean {
  const listed = configuration.developerConfiguration?.featureGates?.includes('PersistentReservation');
  return configuration.persistentReservationConfiguration?.enabled ?? listed ?? false;
}

function hypervisorName(configuration: KubeVirtConfiguration): string {
  const [first] = configuration.hypervisors ?? [];
  return first !== undefined && isGateEnabled('ConfigurableHypervisor', configuration) ? (first.name ?? '') : 'kvm';
}

type Unidentified = Omit<TargetDeployment, 'id' | 'json'>;

function withIdentity(target: Unidentified): TargetDeployment {
  const id = createHash('sha1').update(identityText(target)).digest('hex');
  return { ...target, id, json: encodeTarget({ ...target, id }) };
}

const goName = (field: string): string => field.charAt(0).toUpperCase() + field.slice(1);

/** The text under the hash: Go field names and values, without separators (spec/startup.md §2.7). */
function identityText(target: Unidentified): string {
  const map = (entries: Readonly<Record<string, string>>): string =>
    sortedEntries(entries)
      .filter(([key]) => key !== '')
      .flat()
      .join('');
  const properties = Object.entries(target.additionalProperties).filter(
    ([key, value]) => !(key === 'imagePrefix' && value === ''),
  );
  return [
    'ID',
    `Namespace${target.namespace}`,
    `Registry${target.registry}`,
    `ImagePrefix${target.imagePrefix}`,
    `KubeVirtVersion${target.kubeVirtVersion}`,
    'ComponentImages',
    ...IMAGES.map(({ field }) => goName(field) + target.images[field]),
    `AdditionalProperties${map(Object.fromEntries(properties))}`,
    `PassthroughEnvVars${map(target.passthroughEnv)}`,
  ].join('');
}

/** The deployment config as upstream stores it: fixed key order, empty values left out (spec/startup.md §2.6). */
function encodeTarget(target: Omit<TargetDeployment, 'json'>): string {
  const { id, namespace, registry, imagePrefix, kubeVirtVersion } = target;
  const texts = { id, namespace, registry, imagePrefix, kubeVirtVersion };
  const images = IMAGES.map(({ field }): [string, string] => [field, target.images[field]]);
  const maps: [string, Record<string, string>][] = [
    ['additionalProperties', Object.fromEntries(sortedEntries(target.additionalProperties))],
    ['passthroughEnvVars', Object.fromEntries(sortedEntries(target.passthroughEnv))],
  ];
  return encodeGoJson(
    Object.fromEntries([
      ...[...Object.entries(texts), ...images].filter(([, value]) => value !== ''),
      ...maps.filter(([, entries]) => Object.keys(entries).length > 0),
    ]),
  );
}
