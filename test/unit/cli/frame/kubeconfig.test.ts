import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, test } from 'node:test';

import { findKubeconfig } from '../../../../src/cli/frame/kubeconfig.ts';

const home = mkdtempSync(join(tmpdir(), 'home-'));
after(() => {
  rmSync(home, { recursive: true });
});
mkdirSync(join(home, '.kube'));
const usual = join(home, '.kube', 'config');
const other = join(home, 'other');
writeFileSync(usual, '');
writeFileSync(other, '');
const missing = join(home, 'missing');

describe('findKubeconfig', () => {
  const rows = [
    { name: 'the one that is named', named: missing, env: { HOME: home, KUBECONFIG: other }, want: missing },
    { name: 'the variable', env: { HOME: home, KUBECONFIG: other }, want: other },
    {
      name: 'the first of the variable that is there',
      env: { HOME: home, KUBECONFIG: [missing, other].join(delimiter) },
      want: other,
    },
    { name: 'one that is not there is told by its name', env: { HOME: home, KUBECONFIG: missing }, want: missing },
    {
      name: 'inside of a pod the account of the pod',
      env: { HOME: home, KUBERNETES_SERVICE_HOST: '10.0.0.1' },
      want: undefined,
    },
    {
      name: 'the variable wins over the pod',
      env: { KUBECONFIG: other, KUBERNETES_SERVICE_HOST: '10.0.0.1' },
      want: other,
    },
    { name: 'the usual place', env: { HOME: home }, want: usual },
    { name: 'none', env: { HOME: missing }, want: undefined },
  ];
  for (const { name, named, env, want } of rows) {
    test(name, async () => {
      assert.equal(await findKubeconfig(named, env), want);
    });
  }
});
