import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { compareVersions, decidePath, skipsMinor } from '../../../src/plan/path.ts';
import type { TargetDeployment } from '../../../src/strategy/types.ts';
import { buildKubeVirt } from './drive.ts';

describe('compareVersions', () => {
  const rows: { a: string; b: string; want: number | undefined }[] = [
    { a: 'v1.9.0', b: '1.9.0', want: 0 },
    { a: 'v1.10.0', b: 'v1.9.9', want: 1 },
    { a: 'v1.9.0-rc.0', b: 'v1.9.0', want: -1 },
    { a: 'v1.9.0-rc.2', b: 'v1.9.0-rc.10', want: -1 },
    { a: 'v1.9.0-alpha', b: 'v1.9.0-alpha.1', want: -1 },
    { a: 'v1.9.0-1', b: 'v1.9.0-a', want: -1 },
    { a: 'v1.9.0+build', b: 'v1.9.0', want: 0 },
    { a: 'v2.0.0', b: 'v1.99.99', want: 1 },
    { a: 'latest', b: 'v1.9.0', want: undefined },
    { a: 'v1.9', b: 'v1.9.0', want: undefined },
    { a: '01.9.0', b: 'v1.9.0', want: undefined },
  ];
  for (const { a, b, want } of rows) {
    it(`${a} and ${b}: ${want ?? 'not comparable'}`, () => {
      const order = compareVersions(a, b);
      assert.equal(order === undefined ? undefined : Math.sign(order), want);
      const reverse = compareVersions(b, a);
      assert.equal(
        reverse === undefined ? undefined : Math.sign(reverse) + 0,
        want === undefined ? undefined : -want + 0,
      );
    });
  }
});

describe('decidePath', () => {
  const rows: { name: string; observed: string | undefined; target: string; want: string }[] = [
    { name: 'nothing observed', observed: undefined, target: 'v1.9.0', want: 'install' },
    { name: 'a newer release', observed: 'v1.8.4', target: 'v1.9.0', want: 'update' },
    { name: 'the same release', observed: 'v1.9.0', target: 'v1.9.0', want: 'install' },
    { name: 'an older release', observed: 'v1.9.0', target: 'v1.8.4', want: 'install' },
    { name: 'versions that cannot be compared', observed: 'latest', target: 'latest', want: 'update' },
  ];
  for (const { name, observed, target, want } of rows) {
    it(`${name}: ${want}`, () => {
      const status = observed === undefined ? {} : { observedKubeVirtVersion: observed };
      const path = decidePath({ ...buildKubeVirt(), status }, { kubeVirtVersion: target } as TargetDeployment);
      assert.equal(path, want);
    });
  }
});

describe('B24: skipsMinor', () => {
  const rows: { from: string; to: string; want: boolean }[] = [
    { from: 'v1.7.0', to: 'v1.9.0', want: true },
    { from: 'v1.8.4', to: 'v1.9.0', want: false },
    { from: 'v1.9.0', to: 'v1.7.0', want: false },
    { from: 'latest', to: 'v1.9.0', want: false },
  ];
  for (const { from, to, want } of rows) {
    it(`${from} to ${to}: ${want}`, () => {
      assert.equal(skipsMinor(from, to), want);
    });
  }
});
