import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { ConfigurationError } from '../../src/errors.ts';
import { readReleaseEnvironment } from '../../src/release-environment.ts';

const OPERATOR = { VIRT_OPERATOR_IMAGE: 'r/virt-operator:v1' };

describe('readReleaseEnvironment', () => {
  test('defaults', () => {
    const { images, ...rest } = readReleaseEnvironment(OPERATOR);
    assert.deepEqual(rest, {
      operatorImage: 'r/virt-operator:v1',
      kubeVirtVersion: '',
      passthroughEnv: {},
      runbookUrlTemplate: 'https://kubevirt.io/monitoring/runbooks/%s',
    });
    assert.equal(Object.keys(images).length, 12);
    assert.deepEqual(new Set(Object.values(images)), new Set(['']));
  });

  test('the deprecated name of the operator image counts when the other is empty', () => {
    const both = { VIRT_OPERATOR_IMAGE: '', OPERATOR_IMAGE: 'old' };
    assert.equal(readReleaseEnvironment(both).operatorImage, 'old');
    assert.equal(readReleaseEnvironment({ ...both, ...OPERATOR }).operatorImage, 'r/virt-operator:v1');
  });

  test('component images and version are taken as they are', () => {
    const got = readReleaseEnvironment({
      ...OPERATOR,
      GS_IMAGE: 'gs',
      SIDECAR_SHIM_IMAGE: ' x ',
      KUBEVIRT_VERSION: 'v9',
    });
    assert.deepEqual([got.images.GsImage, got.images.SidecarShimImage, got.kubeVirtVersion], ['gs', ' x ', 'v9']);
  });

  test('passed-through values end at their first equals sign', () => {
    const got = readReleaseEnvironment({
      ...OPERATOR,
      KV_IO_EXTRA_ENV_B: 'a=b',
      KV_IO_EXTRA_ENV_A: '',
      KV_IO_EXTRA_ENV_: 'x',
      KV_IO: 'y',
    });
    assert.deepEqual(Object.entries(got.passthroughEnv), [
      ['A', ''],
      ['B', 'a'],
    ]);
  });

  const bad: { name: string; env: Record<string, string>; want: RegExp }[] = [
    { name: 'no operator image', env: {}, want: /VIRT_OPERATOR_IMAGE is not set; set it to/ },
    {
      name: 'a runbook template without a place',
      env: { ...OPERATOR, RUNBOOK_URL_TEMPLATE: 'https://x' },
      want: /RUNBOOK_URL_TEMPLATE must contain %s exactly once.*"https:\/\/x"/,
    },
    {
      name: 'a runbook template with two places',
      env: { ...OPERATOR, RUNBOOK_URL_TEMPLATE: '%s/%s' },
      want: /exactly once/,
    },
  ];
  for (const { name, env, want } of bad) {
    test(`refuses ${name}`, () => {
      assert.throws(
        () => readReleaseEnvironment(env),
        (error) => error instanceof ConfigurationError && want.test(error.message),
      );
    });
  }
});
