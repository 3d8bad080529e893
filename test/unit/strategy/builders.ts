import { asKubeVirt, type KubeVirt } from '../../../src/api/kubevirt.ts';
import { readReleaseEnvironment } from '../../../src/release-environment.ts';
import { decideTarget } from '../../../src/strategy/target.ts';
import type { GenerateInput, ReleaseEnvironment, TargetDeployment } from '../../../src/strategy/types.ts';

/** The environment of a released operator, with changes. */
export function environment(changes: Record<string, string> = {}): ReleaseEnvironment {
  return readReleaseEnvironment({ VIRT_OPERATOR_IMAGE: 'quay.io/kubevirt/virt-operator:v1.9.0', ...changes });
}

/** A KubeVirt object in the namespace `kubevirt`. */
export function kubeVirt(spec: KubeVirt['spec'] = {}): KubeVirt {
  return asKubeVirt({ metadata: { name: 'kubevirt', namespace: 'kubevirt' }, spec });
}

/** The target of a KubeVirt object and a released operator. */
export function target(spec: KubeVirt['spec'] = {}, env: Record<string, string> = {}): TargetDeployment {
  return decideTarget(kubeVirt(spec), environment(env));
}

/** The input of the generator for that target, without monitoring. */
export function generateInput(spec: KubeVirt['spec'] = {}, changes: Partial<GenerateInput> = {}): GenerateInput {
  const { runbookUrlTemplate } = environment();
  return {
    target: target(spec),
    operatorNamespace: 'kubevirt',
    monitorNamespace: '',
    runbookUrlTemplate,
    ...changes,
  };
}
