import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildStatus, portFlags, servesWebhooks, type Pod, type PodState } from '../../../sandbox/pods/pod.ts';

const PORTS = { metrics: 1, webhooks: 2, dashboard: 3 };

function pod(labels: Record<string, string> = {}): Pod {
  return {
    metadata: { name: 'virt-operator-0', namespace: 'kubevirt', uid: 'u', labels },
    spec: {
      initContainers: [{ name: 'setup', image: 'i' }],
      containers: [{ name: 'virt-operator', image: 'i', ports: [{ name: 'metrics', containerPort: 8443 }] }],
    },
  };
}

function state(change: Partial<PodState>): PodState {
  const startedAt = '2026-01-01T00:00:00.000Z';
  return { phase: 'Pending', ready: false, prepared: 0, restarts: 0, startedAt, ip: '10.99.0.1', ...change };
}

interface Status {
  phase: string;
  conditions: { type: string; status: string }[];
  initContainerStatuses: { ready: boolean; state: object }[];
  containerStatuses: { ready: boolean; restartCount: number; state: object; lastState?: object }[];
}

describe('status of a pod that runs as a process', () => {
  const rows: {
    name: string;
    given: Partial<PodState>;
    want: { ready: string; init: string; main: string; restarts?: number };
  }[] = [
    { name: 'being prepared', given: {}, want: { ready: 'False', init: 'running', main: 'waiting' } },
    {
      name: 'running',
      given: { phase: 'Running', prepared: 1 },
      want: { ready: 'False', init: 'terminated', main: 'running' },
    },
    {
      name: 'ready',
      given: { phase: 'Running', prepared: 1, ready: true },
      want: { ready: 'True', init: 'terminated', main: 'running' },
    },
    {
      name: 'started again after a failure',
      given: { phase: 'Running', prepared: 1, restarts: 2, message: 'no Redis' },
      want: { ready: 'False', init: 'terminated', main: 'running', restarts: 2 },
    },
    {
      name: 'ended well',
      given: { phase: 'Succeeded', prepared: 1 },
      want: { ready: 'False', init: 'terminated', main: 'terminated' },
    },
    {
      name: 'failed',
      given: { phase: 'Failed', prepared: 1, message: 'refused' },
      want: { ready: 'False', init: 'terminated', main: 'terminated' },
    },
  ];
  for (const { name, given, want } of rows) {
    test(name, () => {
      const status = buildStatus(pod(), state(given)) as Status;
      const [main] = status.containerStatuses;
      assert.equal(status.phase, given.phase ?? 'Pending');
      assert.equal(status.conditions.find(({ type }) => type === 'Ready')?.status, want.ready);
      assert.deepEqual(Object.keys(status.initContainerStatuses[0]?.state ?? {}), [want.init]);
      assert.deepEqual(Object.keys(main?.state ?? {}), [want.main]);
      assert.equal(main?.restartCount, want.restarts ?? 0);
    });
  }

  test('a failure keeps its words', () => {
    const text = (given: Partial<PodState>) => JSON.stringify(buildStatus(pod(), state({ prepared: 1, ...given })));
    assert.match(text({ phase: 'Failed', message: 'refused' }), /"exitCode":1,"reason":"Error","message":"refused"/);
    assert.match(text({ phase: 'Running', message: 'no Redis' }), /"lastState":\{"terminated":\{"exitCode":1/);
    assert.doesNotMatch(text({ phase: 'Running' }), /lastState/);
  });
});

test('a role gets ports of this machine, a command gets no flags', () => {
  const flags = portFlags(pod().spec.containers[0], PORTS);
  assert.ok(flags.includes('--port=1') && flags.includes('--webhook-port=2') && flags.includes('--dashboard-port=3'));
  assert.ok(flags.includes('--listen=127.0.0.1'));
  assert.deepEqual(portFlags({ name: 'hook', image: 'i' }, PORTS), []);
});

test('admission is served by pods with the label of its Service', () => {
  assert.equal(servesWebhooks(pod({ 'kubevirt.io': 'virt-operator' })), true);
  assert.equal(servesWebhooks(pod({ 'kubevirt.io': 'virt-handler' })), false);
  assert.equal(servesWebhooks(pod()), false);
});
