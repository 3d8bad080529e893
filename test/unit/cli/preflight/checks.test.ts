import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { apiVersionOf, KINDS, type KindName } from '../../../../src/api/kinds.ts';
import type { KubernetesObject } from '../../../../src/api/objects.ts';
import { runChecks } from '../../../../src/cli/preflight/checks.ts';
import type { Facts } from '../../../../src/cli/preflight/facts.ts';
import { renderFindings } from '../../../../src/cli/preflight/preflight-text.ts';
import { PLAIN } from '../../../../src/cli/text/paint.ts';
import { buildKubeVirt, Installation } from '../../plan/drive.ts';

const strategy = new Installation().context().strategy;
const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
const urls = { verbs: ['*'], nonResourceURLs: ['*'] };

const NODE = {
  'kubernetes.io/os': 'linux',
  'kubernetes.io/arch': 'amd64',
  'node-role.kubernetes.io/control-plane': '',
};

/** A cluster in which nothing is in the way. */
const facts = (more: Partial<Facts> = {}): Facts => ({
  version: 'v1.34.1',
  apis: new Set((Object.keys(KINDS) as KindName[]).map(apiVersionOf)),
  operatorNamespace: 'kubevirt',
  namespace: {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'kubevirt', labels: { 'kubevirt.io': '', 'pod-security.kubernetes.io/enforce': 'privileged' } },
  },
  kubeVirts: [],
  kubeVirt: undefined,
  strategy,
  release: 'v1.9.0',
  definitions: [],
  webhooks: [],
  apiServices: [],
  missingServices: new Set(),
  hasPriorityClass: true,
  nodes: [NODE],
  operatorRights: { clusterWide: [all, urls], inNamespace: [] },
  deniedRights: [],
  deployments: [],
  ...more,
});

const definition = (more: Partial<KubernetesObject['metadata']>, status: object): KubernetesObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'virtualmachines.kubevirt.io', ...more },
  status: status as NonNullable<KubernetesObject['status']>,
});
const established = { conditions: [{ type: 'Established', status: 'True' }] };

const webhook = (
  name: string,
  more: { labels?: Record<string, string>; group?: string; failurePolicy?: string } = {},
): KubernetesObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name, labels: more.labels ?? {} },
  webhooks: [
    {
      clientConfig: { service: { namespace: 'gone', name: 'svc' } },
      failurePolicy: more.failurePolicy ?? 'Fail',
      rules: [{ apiGroups: [more.group ?? 'kubevirt.io'] }],
    },
  ],
});
const gone = { missingServices: new Set(['gone/svc']) };
const managed = { 'app.kubernetes.io/managed-by': 'virt-operator' };
const operator = (image: string, release: string): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'virt-operator', namespace: 'kubevirt' },
  spec: { template: { spec: { containers: [{ image, env: [{ name: 'VIRT_OPERATOR_IMAGE', value: release }] }] } } },
});
const badPatch = {
  resourceType: 'Deployment',
  resourceName: 'virt-api',
  type: 'json',
  patch: '[{"op":"remove","path":"/nope"}]',
};

describe('preflight checks', () => {
  test('nothing is in the way', () => {
    const findings = runChecks(facts());
    assert.deepEqual(
      findings.filter(({ level }) => level !== 'ok'),
      [],
    );
    assert.equal(findings.length, 12);
  });

  const rows: {
    name: string;
    facts: Partial<Facts>;
    want: { check: string; level: string; text: RegExp; remedy?: RegExp }[];
  }[] = [
    {
      name: 'an API that is not served',
      facts: { apis: new Set(['v1']) },
      want: [
        ...new Set(
          (Object.keys(KINDS) as KindName[]).filter((kind) => KINDS[kind].source === 'core').map(apiVersionOf),
        ),
      ]
        .filter((api) => api !== 'v1')
        .map(() => ({ check: 'Kubernetes', level: 'problem', text: /the API \S+ is not served/ })),
    },
    {
      name: 'an old Kubernetes',
      facts: { version: 'v1.29.3' },
      want: [{ check: 'Kubernetes', level: 'warning', text: /v1\.29\.3 is older than 1\.30/ }],
    },
    { name: 'no node', facts: { nodes: [] }, want: [{ check: 'nodes', level: 'problem', text: /no Linux node/ }] },
    {
      name: 'nodes of a strange architecture',
      facts: { nodes: [NODE, { ...NODE, 'kubernetes.io/arch': 'ppc64le' }] },
      want: [
        {
          check: 'nodes',
          level: 'warning',
          text: /ppc64le cannot run KubeVirt/,
          remedy: /spec\.workloads\.nodePlacement/,
        },
      ],
    },
    {
      name: 'Windows nodes are none of its business',
      facts: { nodes: [NODE, { 'kubernetes.io/os': 'windows', 'kubernetes.io/arch': 'x' }] },
      want: [],
    },
    {
      name: 'no node of a control plane',
      facts: { nodes: [{ 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64' }] },
      want: [{ check: 'nodes', level: 'problem', text: /find no place/, remedy: /spec\.infra\.nodePlacement/ }],
    },
    {
      name: 'no node of a control plane, but another place',
      facts: {
        nodes: [{ 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64' }],
        kubeVirt: buildKubeVirt({ infra: { nodePlacement: {} } }),
      },
      want: [],
    },
    {
      name: 'no namespace',
      facts: { namespace: undefined },
      want: [{ check: 'namespace', level: 'warning', text: /not there yet/, remedy: /chart/ }],
    },
    {
      name: 'a namespace without labels',
      facts: { namespace: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kubevirt' } } },
      want: [
        {
          check: 'namespace',
          level: 'warning',
          text: /no label pod-security/,
          remedy: /kubectl label namespace kubevirt --overwrite pod-security\.kubernetes\.io\/enforce=privileged/,
        },
        { check: 'namespace', level: 'warning', text: /no label kubevirt\.io/ },
      ],
    },
    {
      name: 'a namespace that lets no privileged pods in (B72)',
      facts: {
        namespace: {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: {
            name: 'kubevirt',
            labels: { 'kubevirt.io': '', 'pod-security.kubernetes.io/enforce': 'restricted' },
          },
        },
      },
      want: [{ check: 'namespace', level: 'problem', text: /admits only pods of level restricted/ }],
    },
    {
      name: 'no priority class',
      facts: { hasPriorityClass: false },
      want: [{ check: 'priority class', level: 'problem', text: /no pod of KubeVirt can be created/ }],
    },
    {
      name: 'a definition that is being deleted (B05)',
      facts: {
        definitions: [
          definition(
            { deletionTimestamp: 'x', finalizers: ['customresourcecleanup.apiextensions.k8s.io'] },
            { conditions: [{ type: 'Terminating', message: 'instances left' }] },
          ),
        ],
      },
      want: [
        {
          check: 'definitions',
          level: 'problem',
          text: /being deleted and held by customresourcecleanup.*: instances left/,
        },
      ],
    },
    {
      name: 'a definition that is not served',
      facts: {
        definitions: [
          definition({}, { conditions: [{ type: 'NamesAccepted', status: 'False', message: 'kind taken' }] }),
        ],
      },
      want: [{ check: 'definitions', level: 'warning', text: /not served yet: kind taken/ }],
    },
    {
      name: 'objects in a version that goes (B20)',
      facts: { definitions: [definition({}, { ...established, storedVersions: ['v1', 'v0'] })] },
      want: [
        {
          check: 'definitions',
          level: 'problem',
          text: /stored objects in version v0,/,
          remedy: /status\.storedVersions/,
        },
      ],
    },
    {
      name: 'a definition in order',
      facts: { definitions: [definition({}, { ...established, storedVersions: ['v1'] })] },
      want: [],
    },
    {
      name: 'B44: a webhook of an old installation',
      facts: { ...gone, webhooks: [webhook('old', { labels: managed, group: 'x' })] },
      want: [
        {
          check: 'webhooks',
          level: 'problem',
          text: /ValidatingWebhookConfiguration old leads to Service gone\/svc, which is not there: what it has a say in is refused/,
          remedy: /^kubectl delete validatingwebhookconfiguration old$/,
        },
      ],
    },
    {
      name: 'a webhook of others about KubeVirt',
      facts: { ...gone, webhooks: [webhook('theirs', { group: 'snapshot.kubevirt.io', failurePolicy: 'Ignore' })] },
      want: [{ check: 'webhooks', level: 'warning', text: /theirs leads to Service/ }],
    },
    {
      name: 'a webhook of others about others',
      facts: { ...gone, webhooks: [webhook('theirs', { group: 'apps' })] },
      want: [],
    },
    {
      name: 'the webhook of an installation under way',
      facts: {
        ...gone,
        webhooks: [webhook('virt-operator-tmp-webhook1', { labels: managed })],
        kubeVirts: [buildKubeVirt()],
      },
      want: [],
    },
    {
      name: 'that webhook without an installation',
      facts: { ...gone, webhooks: [webhook('virt-operator-tmp-webhook1', { labels: managed })] },
      want: [{ check: 'webhooks', level: 'problem', text: /tmp-webhook1/ }],
    },
    {
      name: 'an APIService of an old installation',
      facts: {
        ...gone,
        apiServices: [
          {
            apiVersion: 'x',
            kind: 'APIService',
            metadata: { name: 'v1.subresources.kubevirt.io' },
            spec: { group: 'subresources.kubevirt.io', service: { namespace: 'gone', name: 'svc' } },
          },
        ],
      },
      want: [
        {
          check: 'API services',
          level: 'warning',
          text: /v1\.subresources\.kubevirt\.io leads to Service gone\/svc/,
          remedy: /kubectl delete apiservice/,
        },
      ],
    },
    {
      name: 'two KubeVirt objects (B01)',
      facts: { kubeVirts: [buildKubeVirt(), { ...buildKubeVirt(), metadata: { name: 'b', namespace: 'b' } }] },
      want: [{ check: 'KubeVirt objects', level: 'problem', text: /several, kubevirt\/kubevirt and b\/b/ }],
    },
    {
      name: 'a KubeVirt object elsewhere',
      facts: { kubeVirts: [{ ...buildKubeVirt(), metadata: { name: 'b', namespace: 'b' } }] },
      want: [
        { check: 'KubeVirt objects', level: 'problem', text: /b\/b is outside of the operator's namespace kubevirt/ },
      ],
    },
    {
      name: 'a patch that cannot be applied (B34)',
      facts: { kubeVirt: buildKubeVirt({ customizeComponents: { patches: [badPatch] } }) },
      want: [{ check: 'customizations', level: 'problem', text: /patches\[0\] cannot be applied/ }],
    },
    {
      name: 'rights that the operator lacks (B06)',
      facts: { operatorRights: { clusterWide: [{ ...all, verbs: ['get'] }, urls], inNamespace: [all] } },
      want: strategy
        .ofKind('ClusterRole')
        .filter((role) =>
          ((role['rules'] ?? []) as { verbs: string[]; resources?: string[] }[]).some(
            ({ verbs, resources }) => resources !== undefined && verbs.some((verb) => verb !== 'get'),
          ),
        )
        .map(() => ({
          check: "operator's rights",
          level: 'problem',
          text: /^ClusterRole \S+ cannot be created: the operator lacks /,
          remedy: /rbac\.escalate/,
        })),
    },
    {
      name: 'no account of the operator',
      facts: { operatorRights: undefined },
      want: [
        {
          check: "operator's rights",
          level: 'unknown',
          text: /ServiceAccount kubevirt\/kubevirt-operator is not there yet/,
        },
      ],
    },
    {
      name: 'a release that is not known',
      facts: { strategy: undefined, release: 'v2' },
      want: [{ check: "operator's rights", level: 'unknown', text: /roles of v2 are not known here/ }],
    },
    {
      name: 'rights that the user lacks',
      facts: { deniedRights: [{ verb: 'create', group: 'apps', resource: 'deployments', isNamespaced: true }] },
      want: [{ check: 'your rights', level: 'warning', text: /you may not create deployments\.apps/ }],
    },
    {
      name: "KubeVirt's own operator",
      facts: { deployments: [operator('q/virt-operator:v1', 'q/virt-operator:v1')] },
      want: [
        {
          check: 'other operators',
          level: 'warning',
          text: /KubeVirt's own operator/,
          remedy: /kubectl --namespace kubevirt delete deployment virt-operator/,
        },
      ],
    },
    { name: 'our own operator', facts: { deployments: [operator('virt-operator:1', 'q/virt-operator:v1')] }, want: [] },
  ];
  for (const { name, facts: given, want } of rows) {
    test(name, () => {
      const findings = runChecks(facts(given)).filter(({ level }) => level !== 'ok');
      assert.equal(findings.length, want.length, JSON.stringify(findings, null, 1));
      want.forEach(({ check, level, text, remedy }, index) => {
        const finding = findings[index];
        assert.deepEqual([finding?.check, finding?.level], [check, level]);
        assert.match(finding?.text ?? '', text);
        if (remedy !== undefined) assert.match(finding?.remedy ?? '', remedy);
      });
    });
  }
});

describe('findings for people', () => {
  test('with the way out below', () => {
    assert.equal(
      renderFindings(
        [
          { check: 'a', level: 'ok', text: 'fine' },
          { check: 'b', level: 'problem', text: 'bad', remedy: 'do this' },
          { check: 'c', level: 'warning', text: 'odd' },
          { check: 'd', level: 'unknown', text: 'who knows' },
        ],
        PLAIN,
      ),
      '✓ a: fine\n✗ b: bad\n    → do this\n! c: odd\n? d: who knows\n\nNot ready to install: 1 problem, 1 warning.\n',
    );
  });

  test('all is well, or nearly', () => {
    assert.match(renderFindings([], PLAIN), /Ready to install\.\n$/);
    const warning = { check: 'a', level: 'warning', text: 'x' } as const;
    assert.match(renderFindings([warning, warning], PLAIN), /Ready to install, with 2 warnings\.\n$/);
  });
});
