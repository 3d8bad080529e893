import type { ApiConnection } from '../../api/connection.ts';
import { resourcePath } from '../../api/kinds.ts';
import type { KubeVirt } from '../../api/kubevirt.ts';
import { objectKey, type JsonObject, type KubernetesObject } from '../../api/objects.ts';
import { isNotFound } from '../../errors.ts';
import { decideTarget } from '../../strategy/target.ts';
import type { InstallStrategy } from '../../strategy/types.ts';
import type { Scene } from '../cluster/scene.ts';
import { loadStrategy } from '../cluster/strategy.ts';
import { readOperatorRights, type HeldRights } from '../planning/operator-rights.ts';
import { INSTALLER_RIGHTS, readDeniedRights, type UserRight } from './user-rights.ts';

/** Everything that the checks look at. */
export interface Facts {
  /** As the API server calls itself, for example `v1.34.1`. */
  version: string;
  /** Group versions that are served: `v1`, `apps/v1`. */
  apis: ReadonlySet<string>;
  operatorNamespace: string;
  /** Undefined when it is not there. */
  namespace: KubernetesObject | undefined;
  /** All of the cluster, and the one that the checks are about: the file's or the cluster's. */
  kubeVirts: readonly KubeVirt[];
  kubeVirt: KubeVirt | undefined;
  /** Undefined when the objects of the release are not known. */
  strategy: InstallStrategy | undefined;
  release: string;
  /** CRDs of the strategy that are there, and that of KubeVirt. */
  definitions: readonly KubernetesObject[];
  webhooks: readonly KubernetesObject[];
  apiServices: readonly KubernetesObject[];
  /** Services, as `namespace/name`, that webhooks and APIServices name and that are not there. */
  missingServices: ReadonlySet<string>;
  hasPriorityClass: boolean;
  /** Labels of all nodes. */
  nodes: Scene['nodes'];
  /** Undefined when the operator's account is not there. */
  operatorRights: HeldRights | undefined;
  /** What an installation asks for and whoever runs this lacks. */
  deniedRights: readonly UserRight[];
  deployments: readonly KubernetesObject[];
}

const KUBEVIRT_CRD = 'kubevirts.kubevirt.io';
const PRIORITY_CLASS = '/apis/scheduling.k8s.io/v1/priorityclasses/kubevirt-cluster-critical';

/** Reads what the checks look at. `kubeVirt`: an object that is to be applied. Rejects when something cannot be read. */
export async function readFacts(
  scene: Scene,
  { wanted, now, signal }: { wanted: KubeVirt | undefined; now: Date; signal: AbortSignal },
): Promise<Facts> {
  const { connection, client, operatorNamespace, release, nodes } = scene;
  const kubeVirt = wanted ?? scene.kubeVirt;
  const target = decideTarget(kubeVirt ?? buildPlain(operatorNamespace), release.environment);
  const strategy = await loadStrategy(scene, target, now);
  const read = (path: string) => connection.request({ method: 'GET', path, signal });
  const [version, apis, namespace, webhooks, apiServices, operatorRights, deniedRights, deployments] =
    await Promise.all([
      read('/version'),
      readApis(read),
      client.find({ kind: 'Namespace', name: operatorNamespace }),
      Promise.all([client.list('ValidatingWebhookConfiguration'), client.list('MutatingWebhookConfiguration')]),
      client.list('APIService'),
      readOperatorRights(client, operatorNamespace),
      readDeniedRights(connection, INSTALLER_RIGHTS, { namespace: operatorNamespace, signal }),
      client.list('Deployment', { namespace: operatorNamespace }),
    ]);
  return {
    version: (version as { gitVersion?: string }).gitVersion ?? '',
    apis,
    operatorNamespace,
    namespace,
    kubeVirts: scene.kubeVirts ?? [],
    kubeVirt,
    strategy,
    release: target.kubeVirtVersion,
    definitions: await readDefinitions(scene, strategy),
    webhooks: webhooks.flat(),
    apiServices,
    missingServices: await findMissingServices([...webhooks.flat(), ...apiServices], connection, signal),
    hasPriorityClass: await isThere(() => read(PRIORITY_CLASS)),
    nodes,
    operatorRights,
    deniedRights,
    deployments,
  };
}

function buildPlain(namespace: string): KubeVirt {
  return { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', metadata: { name: 'kubevirt', namespace }, spec: {} };
}

async function readApis(read: (path: string) => Promise<JsonObject>): Promise<Set<string>> {
  const [core, named] = await Promise.all([read('/api'), read('/apis')]);
  const groups = (named['groups'] ?? []) as { versions?: { groupVersion: string }[] }[];
  return new Set([
    ...((core['versions'] ?? []) as string[]),
    ...groups.flatMap(({ versions = [] }) => versions.map(({ groupVersion }) => groupVersion)),
  ]);
}

async function readDefinitions({ client }: Scene, strategy: InstallStrategy | undefined): Promise<KubernetesObject[]> {
  const names = strategy?.ofKind('CustomResourceDefinition').map(({ metadata }) => metadata.name ?? '') ?? [];
  const found = await Promise.all(
    [KUBEVIRT_CRD, ...names].map((name) => client.find({ kind: 'CustomResourceDefinition', name })),
  );
  return found.filter((definition) => definition !== undefined);
}

/** The Services that a webhook configuration or an APIService leads to, as `namespace/name`. */
export function servicesOf(object: KubernetesObject): string[] {
  type Reference = { namespace?: string; name?: string } | undefined;
  const webhooks = (object['webhooks'] ?? []) as { clientConfig?: { service?: Reference } }[];
  const references = [
    ...webhooks.map(({ clientConfig }) => clientConfig?.service),
    object.spec?.['service'] as Reference,
  ];
  return references.flatMap((reference) =>
    reference?.name === undefined ? [] : [objectKey(reference.name, reference.namespace)],
  );
}

async function findMissingServices(
  objects: readonly KubernetesObject[],
  connection: ApiConnection,
  signal: AbortSignal,
): Promise<Set<string>> {
  const keys = [...new Set(objects.flatMap(servicesOf))];
  const missing = await Promise.all(
    keys.map(async (key) => {
      const [namespace = '', name = ''] = key.split('/');
      const path = resourcePath('Service', namespace, name);
      return (await isThere(() => connection.request({ method: 'GET', path, signal }))) ? [] : [key];
    }),
  );
  return new Set(missing.flat());
}

async function isThere(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
