import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { KubernetesObject } from '../../../src/api/objects.ts';
import { findMonitorNamespace } from '../../../src/observe/monitor-namespace.ts';
import { generateStrategy } from '../../../src/strategy/generate.ts';
import { monitorAccountOf, monitorNamespaceCandidates } from '../../../src/strategy/target-properties.ts';
import { generateInput, target } from './builders.ts';

/** Where monitoring runs on this cluster: `namespace/account`. The usual place, and one of the administrator's own. */
const ACCOUNTS = [
  'openshift-monitoring/prometheus-k8s',
  'monitoring/prometheus-k8s',
  'monitoring/scraper',
  'observe/prometheus-k8s',
  'observe/scraper',
];

/** A finder on a cluster with these service accounts and their namespaces. */
function clusterOf(accounts: readonly string[]) {
  return ({ kind, name, namespace = '' }: { kind: string; name: string; namespace?: string }) => {
    const isThere =
      kind === 'Namespace'
        ? accounts.some((account) => account.startsWith(`${name}/`))
        : accounts.includes(`${namespace}/${name}`);
    return Promise.resolve<KubernetesObject | undefined>(
      isThere ? { apiVersion: 'v1', kind, metadata: { name } } : undefined,
    );
  };
}

/** What is placed where: nothing, or the namespaces of ServiceMonitor and rule and the subject of the RoleBinding. */
type Placed = { monitor: string; rule: string; subject: string } | undefined;

async function place(
  spec: { monitorNamespace?: string; monitorAccount?: string; serviceMonitorNamespace?: string },
  accounts: readonly string[],
): Promise<Placed> {
  const wanted = target(spec);
  const search = { candidates: monitorNamespaceCandidates(wanted), account: monitorAccountOf(wanted) };
  const monitorNamespace = await findMonitorNamespace(search, clusterOf(accounts));
  const { objects } = generateStrategy({ ...generateInput(), target: wanted, monitorNamespace });
  const [monitor, rule, binding, role] = OBJECTS.map(([kind, name]) =>
    objects.find((object) => object.kind === kind && object.metadata.name === name),
  );
  if (monitor === undefined) {
    assert.deepEqual([rule, binding, role], [undefined, undefined, undefined], 'all or nothing');
    return undefined;
  }
  assert.deepEqual([binding?.metadata.namespace, role?.metadata.namespace], ['kubevirt', 'kubevirt']);
  return { monitor: namespaceOf(monitor), rule: namespaceOf(rule), subject: subjectOf(binding) };
}

const OBJECTS = [
  ['ServiceMonitor', 'prometheus-kubevirt-rules'],
  ['PrometheusRule', 'prometheus-kubevirt-rules'],
  ['RoleBinding', 'kubevirt-monitoring'],
  ['Role', 'kubevirt-monitoring'],
] as const;

const namespaceOf = (object: KubernetesObject | undefined): string => object?.metadata.namespace ?? '';

function subjectOf(binding: KubernetesObject | undefined): string {
  const { subjects } = binding as unknown as { subjects: { namespace: string; name: string }[] };
  return subjects.map(({ namespace, name }) => `${namespace}/${name}`).join();
}

describe('placement of monitoring', () => {
  for (const monitorNamespace of ['', 'observe']) {
    for (const monitorAccount of ['', 'scraper']) {
      for (const serviceMonitorNamespace of ['', 'monitors']) {
        const set = [
          monitorNamespace && 'monitorNamespace',
          monitorAccount && 'monitorAccount',
          serviceMonitorNamespace && 'serviceMonitorNamespace',
        ];
        test(`B64: with ${set.filter(Boolean).join(', ') || 'nothing'} set`, async () => {
          const account = monitorAccount || 'prometheus-k8s';
          // Without a namespace of the CR the first of the two usual ones that holds the account (spec/resources.md §2.2).
          const usual = monitorAccount === '' ? 'openshift-monitoring' : 'monitoring';
          const namespace = monitorNamespace || usual;
          const spec = { monitorNamespace, monitorAccount, serviceMonitorNamespace };
          assert.deepEqual(await place(spec, ACCOUNTS), {
            monitor: serviceMonitorNamespace || namespace,
            rule: 'kubevirt',
            subject: `${namespace}/${account}`,
          });
          const elsewhere = ACCOUNTS.filter((each) => each !== `${namespace}/${account}`);
          const next = monitorNamespace === '' && monitorAccount === '' ? 'monitoring' : undefined;
          assert.deepEqual(
            await place(spec, elsewhere),
            next && { monitor: serviceMonitorNamespace || next, rule: 'kubevirt', subject: `${next}/${account}` },
            'where that account is missing',
          );
        });
      }
    }
  }
});
