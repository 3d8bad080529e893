import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { KubernetesObject } from '../../../../src/api/objects.ts';
import { decideRelease } from '../../../../src/cli/cluster/release.ts';
import { decideTarget } from '../../../../src/strategy/target.ts';
import { buildKubeVirt, ENVIRONMENT } from '../../plan/drive.ts';

const deployment = (env: { name: string; value?: string }[]): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'virt-operator', namespace: 'kubevirt' },
  spec: { template: { spec: { containers: [{ name: 'virt-operator', env }] } } },
});

const OPERATOR = deployment([
  { name: 'VIRT_OPERATOR_IMAGE', value: 'registry.example/kv/virt-operator:v1.9.2' },
  { name: 'KUBEVIRT_VERSION', value: 'v1.9.2' },
  { name: 'VIRT_API_IMAGE', value: 'registry.example/kv/api@sha256:1' },
  { name: 'REDIS_PASSWORD' },
]);

describe('decideRelease', () => {
  test('the own environment first, as inside of the operator', () => {
    const env = { VIRT_OPERATOR_IMAGE: 'quay.io/kubevirt/virt-operator:v1.9.1' };
    const { environment, source } = decideRelease({ env, deployments: [OPERATOR], kubeVirt: undefined });
    assert.equal(environment.operatorImage, env.VIRT_OPERATOR_IMAGE);
    assert.match(source, /VIRT_OPERATOR_IMAGE/);
  });

  test("then the operator's Deployment, whatever else runs there", () => {
    const { environment, source } = decideRelease({
      env: {},
      deployments: [deployment([]), OPERATOR],
      kubeVirt: undefined,
    });
    assert.equal(environment.kubeVirtVersion, 'v1.9.2');
    assert.equal(environment.images.virtApiImage, 'registry.example/kv/api@sha256:1');
    assert.match(source, /Deployment kubevirt\/virt-operator/);
  });

  test('then what the operator has noted, which leads to the very same deployment', () => {
    const kubeVirt = buildKubeVirt({ imageRegistry: 'registry.example', imageTag: 'v1.9.0' });
    const environment = {
      ...ENVIRONMENT,
      passthroughEnv: { HTTPS_PROXY: 'p' },
      images: { ...ENVIRONMENT.images, virtApiImage: 'x/y:z' },
    };
    const target = decideTarget(kubeVirt, environment);
    const noted = { ...kubeVirt, status: { targetDeploymentConfig: target.json } };
    const release = decideRelease({ env: {}, deployments: [], kubeVirt: noted });
    assert.equal(decideTarget(kubeVirt, release.environment).id, target.id);
    assert.match(release.source, /status/);
  });

  test('else what this program was built for', () => {
    const { environment, source } = decideRelease({ env: {}, deployments: [], kubeVirt: buildKubeVirt() });
    assert.equal(environment.operatorImage, 'quay.io/kubevirt/virt-operator:v1.9.0');
    assert.match(source, /built for/);
  });
});
