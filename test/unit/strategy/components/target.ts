import { parseTarget } from '../../../../src/exchange/deployment-config.ts';
import type { GenerateInput } from '../../../../src/strategy/types.ts';

/** An input for generators: release 1.9.0 in the namespace `kubevirt`, with these properties of the target and other differences. */
export function buildInput(
  properties: Record<string, string> = {},
  differences: Partial<GenerateInput> & { registry?: string; namespace?: string } = {},
): GenerateInput {
  const { registry = 'quay.io/kubevirt', namespace = 'kubevirt', ...rest } = differences;
  const config = { id: 'id', namespace, registry, kubeVirtVersion: 'v1.9.0', additionalProperties: properties };
  return {
    target: parseTarget(JSON.stringify(config)),
    operatorNamespace: 'kubevirt',
    monitorNamespace: 'monitoring',
    runbookUrlTemplate: 'https://runbooks.example.com/%s',
    ...rest,
  };
}
