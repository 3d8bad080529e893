import type { KubeVirt } from '../../api/kubevirt.ts';
import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { parseTarget } from '../../exchange/deployment-config.ts';
import { COMPILED_RELEASE } from '../../exchange/strategy-source.ts';
import { readReleaseEnvironment } from '../../release-environment.ts';
import { IMAGES } from '../../strategy/images.table.ts';
import type { ReleaseEnvironment, TargetDeployment } from '../../strategy/types.ts';

/** The release that an operator installs, and how this program knows. */
export interface Release {
  environment: ReleaseEnvironment;
  /** Where that stands, in words. */
  source: string;
}

/** Variable that names the release to install (spec/startup.md §2.1). */
const RELEASE_VARIABLE = 'VIRT_OPERATOR_IMAGE';
/** Label of the operator's own pods, ours and upstream's (spec/deployment.md §2). */
export const OPERATOR_POD_LABEL = { key: 'kubevirt.io', value: 'virt-operator' };

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a release may be read from. */
export interface ReleaseFacts {
  /** The environment of this process. */
  env: Environment;
  /** Deployments in the operator's namespace. */
  deployments: readonly KubernetesObject[];
  kubeVirt: KubeVirt | undefined;
}

/**
 * The release that the operator of a cluster installs: as this process's environment says, which inside of the operator's pod is the operator's own;
 * else as the operator's Deployment says; else as the KubeVirt object's status says; else the release that this program was built for.
 */
export function decideRelease({ env, deployments, kubeVirt }: ReleaseFacts): Release {
  if (hasText(env[RELEASE_VARIABLE])) {
    return { environment: readReleaseEnvironment(env), source: `the variable ${RELEASE_VARIABLE}` };
  }
  for (const deployment of deployments) {
    const variables = readVariables(deployment);
    if (hasText(variables[RELEASE_VARIABLE])) {
      const { name = '', namespace = '' } = deployment.metadata;
      const source = `the operator, Deployment ${namespace}/${name}`;
      return { environment: readReleaseEnvironment(variables), source };
    }
  }
  const stored = kubeVirt?.status?.targetDeploymentConfig ?? '';
  if (stored !== '') return { environment: restore(parseTarget(stored)), source: 'the status of the KubeVirt object' };
  const environment = readReleaseEnvironment({
    [RELEASE_VARIABLE]: `quay.io/kubevirt/virt-operator:${COMPILED_RELEASE}`,
    KUBEVIRT_VERSION: COMPILED_RELEASE,
  });
  return { environment, source: 'what this program was built for' };
}

const hasText = (text: string | undefined): boolean => text !== undefined && text !== '';

/** The variables with plain values of all containers of a Deployment. */
function readVariables(deployment: KubernetesObject): Record<string, string> {
  const template = (deployment.spec?.template ?? {}) as { spec?: { containers?: JsonObject[] } };
  const variables = (template.spec?.containers ?? []).flatMap(
    ({ env = [] }) => env as { name: string; value?: string }[],
  );
  return Object.fromEntries(variables.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
}

/** The environment of an operator from what it wrote down; what a KubeVirt object moves to another registry or tag stays moved. */
function restore(target: TargetDeployment): ReleaseEnvironment {
  const { registry, imagePrefix, kubeVirtVersion, images, passthroughEnv } = target;
  const named = IMAGES.map(({ field, variable }): [string, string] => [variable, images[field]]);
  const own = images.virtOperatorImage || `${registry}/${imagePrefix}virt-operator:${kubeVirtVersion}`;
  const variables = { ...Object.fromEntries(named), [RELEASE_VARIABLE]: own, KUBEVIRT_VERSION: kubeVirtVersion };
  return { ...readReleaseEnvironment(variables), passthroughEnv };
}
