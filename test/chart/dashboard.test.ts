/** Who may see the dashboard that the chart brings, and who may have something done there. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig, type Config } from '../../src/config.ts';
import type { KubernetesObject } from '../../src/api/objects.ts';
import { environmentOf, find, noHelm, podOf, render, type Values } from './render.ts';

const TOKENS = ['DASHBOARD_TOKEN', 'DASHBOARD_WRITE_TOKEN'];

/** What the process behind a Deployment reads from its template; references to Secrets stand for their content when the rendering has it. */
function configOf(objects: KubernetesObject[], deployment: string): Config {
  const pod = podOf(find(objects, 'Deployment', deployment));
  const [{ args }] = pod.containers;
  const [role, ...flags] = args;
  assert.ok(role === 'all' || role === 'dashboard');
  const env = Object.fromEntries(
    Object.entries(environmentOf(pod)).map(([name, value]) => [
      name,
      TOKENS.includes(name) ? readSecret(objects, value ?? '') : value,
    ]),
  );
  return readConfig({ role, args: flags, env, readNamespaceFile: () => undefined, hostname: 'pod' });
}

/** A key of a Secret of the rendering, `name/key`; undefined when it is not there. */
function readSecret(objects: readonly KubernetesObject[], reference: string): string | undefined {
  const [name, key = ''] = reference.split('/');
  const secret = objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name);
  const value = secret?.['data']?.[key];
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString();
}

const servicesTo = (objects: KubernetesObject[], port: number): KubernetesObject[] =>
  objects.filter(({ kind, spec }) => kind === 'Service' && JSON.stringify(spec).includes(String(port)));

describe('L27: the dashboard', { skip: noHelm }, () => {
  test('by default listens on loopback alone, behind no Service, and nobody may change anything', () => {
    const objects = render();
    const config = configOf(objects, 'virt-operator');
    assert.equal(config.dashboardListen, '127.0.0.1');
    assert.deepEqual(config.dashboardTokens, { read: undefined, write: undefined });
    const [{ ports }] = podOf(find(objects, 'Deployment', 'virt-operator')).containers as unknown as [
      { ports: { containerPort: number }[] },
    ];
    assert.deepEqual(
      ports.map(({ containerPort }) => containerPort),
      [8443, 8444],
    );
    assert.deepEqual(servicesTo(objects, 8189), []);
    assert.ok(!objects.some(({ kind }) => ['Ingress', 'Route'].includes(kind)));
  });

  test('in mode split asks for a generated token, is read-only, and its Service is for the cluster alone', () => {
    const objects = render({ mode: 'split' });
    const { dashboardTokens, dashboardListen } = configOf(objects, 'kubevirt-dashboard');
    assert.equal(dashboardListen, '0.0.0.0');
    assert.match(dashboardTokens.read ?? '', /^[A-Za-z0-9]{32}$/);
    assert.equal(dashboardTokens.write, undefined);
    const service = find(objects, 'Service', 'kubevirt-dashboard');
    assert.equal((service.spec as { type?: string }).type, 'ClusterIP');
    assert.ok(!objects.some(({ kind, spec }) => kind === 'Service' && spec?.['type'] === 'LoadBalancer'));
  });

  const off: { mode: string; values: Values }[] = [
    { mode: 'all', values: {} },
    { mode: 'split', values: { mode: 'split' } },
  ];
  for (const { mode, values } of off) {
    test(`can be left out in mode ${mode}`, () => {
      const objects = render({ ...values, 'dashboard.enabled': false, 'dashboard.writeToken': 'w' });
      assert.ok(!objects.some(({ metadata }) => metadata.name === 'kubevirt-dashboard'));
      if (mode === 'all') assert.equal(configOf(objects, 'virt-operator').hasDashboard, false);
    });
  }

  const tokens: { name: string; values: Values; want: Config['dashboardTokens'] }[] = [
    { name: 'to change things', values: { writeToken: 'w' }, want: { read: undefined, write: 'w' } },
    { name: 'to read', values: { token: 'r' }, want: { read: 'r', write: undefined } },
    { name: 'for both', values: { token: 'r', writeToken: 'w' }, want: { read: 'r', write: 'w' } },
  ];
  for (const { name, values, want } of tokens) {
    test(`mode all takes a token ${name}`, () => {
      const given = Object.entries(values).map(([key, value]) => [`dashboard.${key}`, value] as const);
      assert.deepEqual(configOf(render(Object.fromEntries(given)), 'virt-operator').dashboardTokens, want);
    });
  }

  test('a Secret of yours holds the tokens in both modes, and none is made', () => {
    for (const [mode, deployment] of [
      ['all', 'virt-operator'],
      ['split', 'kubevirt-dashboard'],
    ] as const) {
      const objects = render({ mode, 'dashboard.existingSecret': 'mine' });
      const environment = environmentOf(podOf(find(objects, 'Deployment', deployment)));
      assert.equal(environment['DASHBOARD_TOKEN'], 'mine/token');
      assert.equal(environment['DASHBOARD_WRITE_TOKEN'], 'mine/writeToken');
      assert.ok(!objects.some(({ kind, metadata }) => kind === 'Secret' && metadata.name === 'kubevirt-dashboard'));
    }
  });
});
