import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { REPOSITORY } from './image.ts';
import { listMissingPlatforms, PLATFORMS } from './platforms.ts';

const index = (...platforms: string[]): string =>
  JSON.stringify({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [
      ...platforms.map((platform) => {
        const [os, architecture] = platform.split('/');
        return { digest: `sha256:${'0'.repeat(64)}`, platform: { os, architecture } };
      }),
      // Provenance, as buildx adds it.
      { digest: `sha256:${'1'.repeat(64)}`, platform: { os: 'unknown', architecture: 'unknown' } },
    ],
  });

describe('B58: the release check', () => {
  const rows: { name: string; platforms: string[]; want: string[] }[] = [
    { name: 'both', platforms: ['linux/amd64', 'linux/arm64'], want: [] },
    { name: 'more', platforms: ['linux/amd64', 'linux/arm64', 'linux/s390x'], want: [] },
    { name: 'no arm64', platforms: ['linux/amd64'], want: ['linux/arm64'] },
    { name: 'no amd64', platforms: ['linux/arm64'], want: ['linux/amd64'] },
    { name: 'another system', platforms: ['windows/amd64', 'linux/arm64'], want: ['linux/amd64'] },
    { name: 'none', platforms: [], want: ['linux/amd64', 'linux/arm64'] },
  ];
  for (const { name, platforms, want } of rows) {
    test(name, () => {
      assert.deepEqual(listMissingPlatforms(index(...platforms)), want);
    });
  }

  const runs: { name: string; input: string; code: number; want: RegExp }[] = [
    { name: 'passes', input: index(...PLATFORMS), code: 0, want: /there for linux\/amd64 and linux\/arm64/ },
    { name: 'fails when one is missing', input: index('linux/amd64'), code: 1, want: /lacks linux\/arm64/ },
    { name: 'fails for an image of one platform', input: '{"layers":[]}', code: 1, want: /not an index/ },
    { name: 'fails for something else', input: 'nonsense', code: 1, want: /no JSON/ },
  ];
  for (const { name, input, code, want } of runs) {
    test(`as a program it ${name}`, () => {
      const { scripts } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
        scripts: Record<string, string>;
      };
      const [program, file = ''] = (scripts['release:check'] ?? '').split(' ');
      assert.equal(program, 'node');
      const run = spawnSync(process.execPath, [file], { cwd: REPOSITORY, input, encoding: 'utf8' });
      assert.equal(run.status, code, run.stderr);
      assert.match(run.stderr, want);
    });
  }

  test('the platforms are those for which the image is built, as the documents say', () => {
    for (const file of ['Dockerfile', 'README.md', 'CONTRIBUTING.md']) {
      const [, built = ''] = /buildx build --platform (\S+)/.exec(readFileSync(join(REPOSITORY, file), 'utf8')) ?? [];
      assert.deepEqual(built.split(','), [...PLATFORMS], file);
    }
  });
});
