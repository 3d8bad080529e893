import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { removeKeys } from '../../../sandbox/start/forget.ts';
import { parseManifests, pathOf } from '../../../sandbox/start/installation.ts';
import { parseOptions, UsageError } from '../../../sandbox/start/options.ts';
import {
  describeProgress,
  describeTrouble,
  isDeployed,
  type KubeVirtStatus,
} from '../../../sandbox/start/progress-line.ts';

const DEFAULTS = {
  kubeconfig: undefined,
  openshift: false,
  monitoring: false,
  port: 8186,
  dashboardPort: 8189,
  nodes: 3,
  bare: false,
  state: undefined,
};

describe('parseOptions', () => {
  const rows = [
    { name: 'nothing', args: [], want: DEFAULTS },
    { name: 'help', args: ['--help'], want: undefined },
    {
      name: 'everything for a sandbox',
      args: ['--nodes=300', '--openshift', '--monitoring', '--port', '1', '--dashboard-port', '65535'],
      want: { ...DEFAULTS, nodes: 300, openshift: true, monitoring: true, port: 1, dashboardPort: 65_535 },
    },
    { name: 'another cluster', args: ['--kubeconfig', 'file'], want: { ...DEFAULTS, kubeconfig: 'file' } },
    {
      name: 'the control plane alone, for scripts',
      args: ['--bare', '--state=where.json'],
      want: { ...DEFAULTS, bare: true, state: 'where.json' },
    },
  ];
  for (const { name, args, want } of rows) {
    it(name, () => {
      assert.deepEqual(parseOptions(args), want);
    });
  }

  const refused = [
    { name: 'unknown flag', args: ['--fast'], want: /--fast/ },
    { name: 'no number', args: ['--port', 'http'], want: /--port must be a number from 1 to 65535, not "http"/ },
    { name: 'hexadecimal', args: ['--port', '0x10'], want: /--port/ },
    { name: 'too many nodes', args: ['--nodes', '1001'], want: /--nodes must be a number from 1 to 1000/ },
    { name: 'no node', args: ['--nodes', '0'], want: /--nodes/ },
    { name: 'one port for two servers', args: ['--port', '8189'], want: /must differ/ },
    { name: 'nodes on another cluster', args: ['--kubeconfig', 'f', '--nodes', '3'], want: /--nodes/ },
    { name: 'nothing but another cluster', args: ['--kubeconfig', 'f', '--bare'], want: /--bare/ },
    { name: 'a word', args: ['now'], want: /now/ },
  ];
  for (const { name, args, want } of refused) {
    it(`refuses: ${name}`, () => {
      assert.throws(
        () => parseOptions(args),
        (error: Error) => error instanceof UsageError && want.test(error.message),
      );
    });
  }
});

const condition = (type: string, status: string, message = '') => ({ type, status, reason: 'Why', message });
const READY: KubeVirtStatus = {
  phase: 'Deployed',
  conditions: [condition('Available', 'True'), condition('Progressing', 'False'), condition('Degraded', 'False')],
};

test('keys are not looked for in a Redis that is away: the end does not wait for it', async () => {
  await assert.rejects(removeKeys('redis://127.0.0.1:1', 'uid'), /ECONNREFUSED/);
});

describe('isDeployed', () => {
  const rows: { name: string; status: KubeVirtStatus; want: boolean }[] = [
    { name: 'phase and conditions', status: READY, want: true },
    { name: 'no status', status: {}, want: false },
    { name: 'phase alone', status: { phase: 'Deployed' }, want: false },
    { name: 'conditions alone', status: { ...READY, phase: 'Deploying' }, want: false },
    {
      name: 'still progressing',
      status: {
        phase: 'Deployed',
        conditions: [condition('Available', 'True'), condition('Progressing', 'True'), condition('Degraded', 'False')],
      },
      want: false,
    },
    {
      name: 'degraded',
      status: {
        phase: 'Deployed',
        conditions: [condition('Available', 'True'), condition('Progressing', 'False'), condition('Degraded', 'True')],
      },
      want: false,
    },
  ];
  for (const { name, status, want } of rows) {
    it(name, () => {
      assert.equal(isDeployed(status), want);
    });
  }
});

describe('describeProgress', () => {
  const progress = {
    key: 'kubevirt/kubevirt',
    phase: 'Deploying',
    step: 'services',
    objectsDone: 82,
    objectsTotal: 240,
    workloadsReady: 1,
    workloadsTotal: 6,
    pass: '1',
    updatedAt: 0,
  };

  it('waits', () => {
    assert.equal(describeProgress({}, undefined), 'waiting for the operator');
  });

  it('tells phase, step, objects and workloads', () => {
    const want = 'Deploying · services · objects 82 of 240 · workloads ready 1 of 6';
    assert.equal(describeProgress({ phase: 'Deploying' }, progress), want);
  });

  it('never says the word before its time', () => {
    for (const status of [{ phase: 'Deployed' }, READY]) {
      const line = describeProgress(status, { ...progress, phase: 'Deployed' });
      assert.doesNotMatch(line, /Deployed/);
    }
    assert.doesNotMatch(describeProgress({}, { ...progress, phase: 'Deployed' }), /Deployed/);
  });
});

describe('describeTrouble', () => {
  const rows = [
    { name: 'none', conditions: READY.conditions ?? [], want: undefined },
    {
      name: 'degraded',
      conditions: [condition('Degraded', 'True', 'virt-api is not there')],
      want: 'Why: virt-api is not there',
    },
    { name: 'not synchronized', conditions: [condition('Synchronized', 'False', 'bad patch')], want: 'Why: bad patch' },
  ];
  for (const { name, conditions, want } of rows) {
    it(name, () => {
      assert.equal(describeTrouble({ conditions }), want);
    });
  }
});

describe('pathOf', () => {
  const rows = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' }, want: '/api/v1/namespaces/a' },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'r', namespace: 'n' },
      want: '/apis/rbac.authorization.k8s.io/v1/namespaces/n/roles/r',
    },
  ];
  for (const { want, ...object } of rows) {
    it(object.kind, () => {
      assert.equal(pathOf(object), want);
    });
  }

  it('refuses a kind that is not installed', () => {
    assert.throws(() => pathOf({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }), /Pod/);
  });
});

describe('parseManifests', () => {
  it('reads several documents and passes over empty ones', () => {
    const objects = parseManifests('---\n# nothing\n---\nkind: A\n---\nkind: B\n');
    assert.deepEqual(
      objects.map(({ kind }) => kind),
      ['A', 'B'],
    );
  });

  it('throws at bad YAML', () => {
    assert.throws(() => parseManifests('a: [1\n'));
  });
});
