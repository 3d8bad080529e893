import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { KubeVirtSpec } from '../../../src/api/kubevirt.ts';
import type { JsonObject, KubernetesObject } from '../../../src/api/objects.ts';
import { buildDumpJob } from '../../../src/exchange/dump-job.ts';
import { target } from '../strategy/builders.ts';
import { buildKubeVirt, Installation } from './drive.ts';

type PodSpec = JsonObject & { nodeSelector?: JsonObject; affinity?: JsonObject; tolerations?: JsonObject[] };

const podSpecOf = ({ spec }: KubernetesObject): PodSpec => (spec?.template as unknown as { spec: PodSpec }).spec;

/** All pods that a spec leads to: those of the dump Job and of every Deployment, and those of the DaemonSet. */
async function placedPods(spec: KubeVirtSpec) {
  const installation = new Installation(buildKubeVirt(spec));
  await installation.converge();
  const deployments = installation.cluster.list('Deployment');
  assert.ok(deployments.length >= 5);
  const job = buildDumpJob({
    target: target({ ...spec, imageTag: 'v1.8.4' }),
    operatorNamespace: 'kubevirt',
    spec,
    attempt: 1,
  });
  const [handler] = installation.cluster.list('DaemonSet');
  assert.ok(handler);
  return {
    infra: [job, ...deployments].map((object) => ({ object, pod: podSpecOf(object) })),
    handler: podSpecOf(handler),
  };
}

/** A term of an affinity, or a toleration, that is about the role of a node. */
const isAboutRoles = (part: unknown): boolean => JSON.stringify(part).includes('node-role.kubernetes.io/');

/** What a pod asks of the roles of nodes; virt-template has demands of its own on architecture and operating system besides. */
function roleDemandsOf({ affinity, tolerations = [] }: PodSpec) {
  const node = (affinity?.nodeAffinity ?? {}) as {
    requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: JsonObject[] };
    preferredDuringSchedulingIgnoredDuringExecution?: JsonObject[];
  };
  return {
    required: (node.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []).filter(isAboutRoles),
    preferred: (node.preferredDuringSchedulingIgnoredDuringExecution ?? []).filter(isAboutRoles),
    tolerations: tolerations.filter(isAboutRoles),
  };
}

const NOTHING = { required: [], preferred: [], tolerations: [] };
const ROLES = ['control-plane', 'master'].map((role) => `node-role.kubernetes.io/${role}`);
/** What v1.9.0 asks for control-plane components (spec/apply.md §4.2). */
const CONTROL_PLANE = {
  required: ROLES.map((key) => ({ matchExpressions: [{ key, operator: 'Exists' }] })),
  preferred: [
    {
      weight: 100,
      preference: { matchExpressions: [{ key: 'node-role.kubernetes.io/worker', operator: 'DoesNotExist' }] },
    },
  ],
  tolerations: ROLES.map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' })),
};

describe('placement of what is installed', () => {
  for (const spec of [{}, { infra: {} }, { infra: { replicas: 2 } }]) {
    it(`B51: ${JSON.stringify(spec)}: the dump Job and every Deployment require a control-plane node, as in v1.9.0`, async () => {
      const { infra, handler } = await placedPods(spec);
      for (const { object, pod } of infra) {
        assert.deepEqual(roleDemandsOf(pod), CONTROL_PLANE, `${object.kind} ${object.metadata.name ?? ''}`);
      }
      assert.deepEqual(roleDemandsOf(handler), NOTHING);
    });
  }

  it('B51: with an empty nodePlacement neither the dump Job nor any operand asks for a role', async () => {
    const { infra, handler } = await placedPods({ infra: { nodePlacement: {} }, workloads: { nodePlacement: {} } });
    for (const { object, pod } of infra) {
      const name = `${object.kind} ${object.metadata.name ?? ''}`;
      assert.deepEqual(roleDemandsOf(pod), NOTHING, name);
      assert.deepEqual(pod.nodeSelector, { 'kubernetes.io/os': 'linux' }, name);
    }
    assert.deepEqual(roleDemandsOf(handler), NOTHING);
  });
});
