import type { KubeVirtSpec } from '../api/kubevirt.ts';
import { MANAGED_BY_LABEL, MANAGED_BY_VALUE, STRATEGY_LABEL } from '../api/names.ts';
import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import { APP_LABEL, CLUSTER_SERVICES_LABEL } from '../strategy/components/names.ts';
import { customizeObject } from '../customize/customize.ts';
import { nameOrPrefix, strategyAnnotations } from './config-map.ts';
import { sortedEntries } from '../api/go-json.ts';
import { componentImage } from '../strategy/images.ts';
import { injectPlacement } from '../customize/placement.ts';
import { pullPolicyOf, pullSecretsOf } from '../strategy/target-properties.ts';
import type { TargetDeployment } from '../strategy/types.ts';

/** Begin of the names of dump Jobs; upstream lets the API server complete it, and customizations go by it without the dash. */
const NAME_PREFIX = 'virt-operator-install-strategy-';

/** Annotation of ours: how many Jobs for the same deployment there were before this one, and one. */
const ATTEMPT_ANNOTATION = 'kubevirt.io/install-strategy-attempt';

/** What a dump Job is made from. */
export interface DumpJobInput {
  target: TargetDeployment;
  operatorNamespace: string;
  spec: Pick<KubeVirtSpec, 'infra' | 'customizeComponents'>;
  /** Counts from 1. */
  attempt: number;
}

/**
 * The Job that makes a release's own operator image write its strategy into a ConfigMap (spec/strategy.md §4).
 * Throws when customizeComponents cannot be applied to it.
 */
export function buildDumpJob(input: DumpJobInput): KubernetesObject {
  const { target, operatorNamespace, spec, attempt } = input;
  const job: KubernetesObject = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      generateName: NAME_PREFIX,
      namespace: operatorNamespace,
      labels: { [APP_LABEL]: '', [MANAGED_BY_LABEL]: MANAGED_BY_VALUE, [STRATEGY_LABEL]: '' },
      annotations: { ...strategyAnnotations(target), [ATTEMPT_ANNOTATION]: String(attempt) },
    },
    spec: {
      template: {
        metadata: { labels: { [APP_LABEL]: 'virt-operator-strategy-dumper', [CLUSTER_SERVICES_LABEL]: 'true' } },
        spec: injectPlacement(dumpPod(target), spec.infra, 'infra'),
      },
    },
  };
  const customized = customizeObject(job, spec.customizeComponents);
  const { generateName = NAME_PREFIX, ...metadata } = customized.metadata;
  return { ...customized, metadata: { ...metadata, ...nameOrPrefix(generateName, target.id, `-${attempt}`) } };
}

/** Which attempt a Job is; Jobs of upstream count as the first. */
export function attemptOf(job: KubernetesObject): number {
  return Number(job.metadata.annotations?.[ATTEMPT_ANNOTATION] ?? 1) || 1;
}

function dumpPod(target: TargetDeployment): JsonObject {
  const pullSecrets = pullSecretsOf(target) as JsonObject[];
  return {
    serviceAccountName: 'kubevirt-operator',
    restartPolicy: 'Never',
    ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets }),
    containers: [
      {
        name: 'install-strategy-upload',
        image: componentImage(target, 'virtOperatorImage'),
        imagePullPolicy: pullPolicyOf(target),
        command: ['virt-operator', '--dump-install-strategy'],
        env: dumpEnvironment(target),
        securityContext: {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      },
    ],
  };
}

/** Old releases read the namespace and the pull policy; all read the config. */
function dumpEnvironment(target: TargetDeployment): JsonObject[] {
  const variables: [string, string][] = [
    ['VIRT_OPERATOR_IMAGE', componentImage(target, 'virtOperatorImage')],
    ['TARGET_INSTALL_NAMESPACE', target.namespace],
    ['TARGET_IMAGE_PULL_POLICY', pullPolicyOf(target)],
    ['TARGET_DEPLOYMENT_CONFIG', target.json],
    ...sortedEntries(target.passthroughEnv),
  ];
  return variables.map(([name, value]) => ({ name, value }));
}
