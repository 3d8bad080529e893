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

/** The container of a workload, and what it is started with. */
function startOf({ cluster }: Installation, kind: 'Deployment' | 'DaemonSet', name: string, container: string) {
  const workload = cluster.get(kind, name, 'kubevirt');
  assert.ok(workload);
  const { containers } = podSpecOf(workload) as unknown as {
    containers: { name: string; command: string[]; args: string[] }[];
  };
  return containers.find((each) => each.name === container);
}

async function deployed(spec: KubeVirtSpec): Promise<Installation> {
  const installation = new Installation(buildKubeVirt(spec));
  await installation.converge();
  return installation;
}

const TEMPLATES = [
  ['virt-template-apiserver', 'apiserver'],
  ['virt-template-controller', 'manager'],
] as const;

/** What the containers of virt-template are told of TLS (spec/apply.md §5.5). */
const TLS: { name: string; tls?: object; want: string[] }[] = [
  { name: 'nothing set', want: ['--tls-min-version', 'VersionTLS12'] },
  { name: 'a version', tls: { minTLSVersion: 'VersionTLS13' }, want: ['--tls-min-version', 'VersionTLS13'] },
  {
    name: 'ciphers',
    tls: { minTLSVersion: 'VersionTLS12', ciphers: ['A', 'B'] },
    want: ['--tls-cipher-suites', 'A,B', '--tls-min-version', 'VersionTLS12'],
  },
];

describe('what containers are told', () => {
  for (const { name, tls, want } of TLS) {
    it(`TLS, ${name}: virt-template gets its flags last`, async () => {
      const installation = await deployed(tls === undefined ? {} : { configuration: { tlsConfiguration: tls } });
      for (const [deployment, container] of TEMPLATES) {
        const { args = [] } = startOf(installation, 'Deployment', deployment, container) ?? {};
        assert.deepEqual(args.slice(-want.length), want, deployment);
        assert.equal(
          args.filter((arg) => /^--tls-(min-version|cipher-suites)$/.test(arg)).length,
          want.length / 2,
          deployment,
        );
      }
    });
  }

  it('a limit of machines per node stands at the end of the command of virt-handler', async () => {
    const limited = await deployed({ configuration: { virtualMachineInstancesPerNode: 42 } });
    const { command = [] } = startOf(limited, 'DaemonSet', 'virt-handler', 'virt-handler') ?? {};
    assert.deepEqual(command.slice(-2), ['--max-devices', '42']);
    const unlimited = startOf(await deployed({}), 'DaemonSet', 'virt-handler', 'virt-handler');
    assert.ok(!unlimited?.command.includes('--max-devices'));
  });

  for (const { kind, name, container, configuration } of [
    { kind: 'Deployment', name: 'virt-template-apiserver', container: 'apiserver', configuration: {} },
    {
      kind: 'DaemonSet',
      name: 'virt-handler',
      container: 'virt-handler',
      configuration: { virtualMachineInstancesPerNode: 42 },
    },
  ]) {
    it(`B34: a customization that renames the container of ${name} is told, and everything else goes on`, async () => {
      const installation = await deployed({});
      const patch = '[{"op":"replace","path":"/spec/template/spec/containers/0/name","value":"another"}]';
      installation.edit({
        configuration,
        infra: { replicas: 3 },
        customizeComponents: { patches: [{ resourceType: kind, resourceName: name, type: 'json', patch }] },
      });
      const first = await installation.pass();
      installation.cluster.settle();
      const { problems, writes: rest } = await installation.pass();
      const writes = [...first.writes, ...rest];
      assert.deepEqual(problems, [
        `${kind} kubevirt/${name} has no container ${container}, to which settings have to be passed`,
      ]);
      for (const write of ['virt-api', 'virt-controller', 'virt-exportproxy', 'virt-template-controller'])
        assert.ok(writes.includes(`patch Deployment ${write}`), write);
      assert.ok(writes.includes(`patch ${kind} ${name}`));
    });
  }
});
