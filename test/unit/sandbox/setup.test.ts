import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { takeLock } from '../../../sandbox/setup/build-lock.cjs';
import { ensureControlPlane, versionFlags } from '../../../sandbox/setup/control-plane.cjs';
import { ensureNode, listStale } from '../../../sandbox/setup/dependencies.cjs';
import { CONTROL_PLANE, controlPlaneCache, findControlPlane, findHelm } from '../../../sandbox/setup/locations.cjs';
import { describeProgress, estimateSeconds, formatDuration } from '../../../sandbox/setup/progress.cjs';
import { ensureRedis } from '../../../sandbox/setup/redis.cjs';
import { makeFolder } from './temporary-folder.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');

/** Makes executable files that run `script`. */
function addPrograms(folder: string, names: readonly string[], script = 'exit 0'): string {
  mkdirSync(folder, { recursive: true });
  for (const name of names) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

describe('estimateSeconds', () => {
  const rows = [
    {
      name: 'at the start: the usual pace',
      state: { done: 0, total: 2816, links: 0, elapsedSeconds: 0, cores: 2 },
      want: [700, 800],
    },
    {
      name: 'with more cores',
      state: { done: 0, total: 2816, links: 0, elapsedSeconds: 0, cores: 8 },
      want: [170, 200],
    },
    {
      name: 'links only',
      state: { done: 6, total: 6, links: 6, elapsedSeconds: 0, cores: 2 },
      want: [25, 40],
    },
    {
      name: 'in the middle: the observed pace',
      state: { done: 1400, total: 2800, links: 0, elapsedSeconds: 1000, cores: 2 },
      want: [880, 1000],
    },
    { name: 'at the end', state: { done: 2816, total: 2816, links: 0, elapsedSeconds: 500, cores: 2 }, want: [0, 0] },
  ];
  for (const { name, state, want } of rows) {
    it(name, () => {
      const seconds = estimateSeconds(state);
      assert.ok(seconds >= want[0]! && seconds <= want[1]!, `${seconds} s`);
    });
  }
});

describe('describeProgress', () => {
  it('tells count, share and what is left', () => {
    const line = describeProgress({ what: 'helm', done: 500, total: 1000, links: 0, elapsedSeconds: 130, cores: 2 });
    assert.equal(line, 'helm: 500 of 1000 packages (50 %), about 2 min left');
  });

  it('tells that links are left when all is compiled', () => {
    const line = describeProgress({ what: 'helm', done: 10, total: 10, links: 0, elapsedSeconds: 1, cores: 2 });
    assert.equal(line, 'helm: all 10 packages compiled, linking');
  });
});

describe('formatDuration', () => {
  for (const [seconds, want] of [
    [0, '0 s'],
    [3, '5 s'],
    [61, '65 s'],
    [200, '3 min'],
    [760, '13 min'],
  ] as const) {
    it(`${seconds} seconds`, () => {
      assert.equal(formatDuration(seconds), want);
    });
  }
});

describe('versionFlags', () => {
  it('takes the version from go.mod', () => {
    const flags = versionFlags('require (\n\tk8s.io/kubernetes v1.37.2\n)\n');
    for (const want of ['gitVersion=v1.37.2', 'gitMajor=1', 'gitMinor=37']) assert.ok(flags.includes(want), flags);
  });

  it('finds one in the real go.mod', () => {
    assert.match(versionFlags(readFileSync(join(ROOT, 'sandbox', 'go.mod'), 'utf8')), /gitVersion=v1\.\d+\.\d+/);
  });
});

describe('findControlPlane', () => {
  const folder = makeFolder();
  const full = addPrograms(join(folder, 'full'), CONTROL_PLANE);
  const other = addPrograms(join(folder, 'other'), CONTROL_PLANE);
  // What setup-envtest installs.
  const partial = addPrograms(join(folder, 'partial'), ['etcd', 'kube-apiserver', 'kubectl']);
  const empty = join(folder, 'empty');
  const cacheHome = join(folder, 'cache');
  const cached = addPrograms(controlPlaneCache({ XDG_CACHE_HOME: cacheHome }), CONTROL_PLANE);

  const rows = [
    {
      name: 'KUBEBUILDER_ASSETS first',
      env: { KUBEBUILDER_ASSETS: full, PATH: other, XDG_CACHE_HOME: cacheHome },
      want: full,
    },
    { name: 'then the PATH', env: { PATH: `${empty}:${other}`, XDG_CACHE_HOME: cacheHome }, want: other },
    { name: 'then the cache', env: { PATH: empty, XDG_CACHE_HOME: cacheHome }, want: cached },
    { name: 'passing over a folder that lacks some', env: { KUBEBUILDER_ASSETS: partial, PATH: other }, want: other },
    { name: 'nothing', env: { PATH: empty, XDG_CACHE_HOME: empty }, want: undefined },
  ];
  for (const { name, env, want } of rows) {
    it(name, () => {
      assert.equal(findControlPlane(env), want);
    });
  }

  it('keys the cache by the versions, below the user’s cache folder', () => {
    assert.match(
      controlPlaneCache({ HOME: '/home/me' }),
      /^\/home\/me\/\.cache\/virt-operator\/control-plane\/[0-9a-f]{16}$/,
    );
  });
});

describe('findHelm', () => {
  const folder = makeFolder();
  const onPath = addPrograms(join(folder, 'bin'), ['helm']);

  it('finds one on the PATH', () => {
    assert.equal(findHelm({ PATH: onPath, HOME: folder }), join(onPath, 'helm'));
  });

  it('finds nothing', () => {
    assert.equal(findHelm({ PATH: '', HOME: folder }), undefined);
  });
});

describe('ensureControlPlane without the programs', () => {
  const folder = makeFolder();

  it('names the choices when Go is missing', async () => {
    const env = { PATH: folder, HOME: folder };
    await assert.rejects(ensureControlPlane(env), (error: Error) => {
      assert.match(error.message, /there is no Go.*Install Go.*KUBEBUILDER_ASSETS/);
      return true;
    });
  });

  it('says which programs a folder lacks, which is passed over therefore', () => {
    const some = addPrograms(join(folder, 'envtest'), ['etcd', 'kube-apiserver', 'kubectl']);
    const script = `require(${JSON.stringify(join(ROOT, 'sandbox', 'setup', 'control-plane.cjs'))}).ensureControlPlane(process.env).catch(() => 0)`;
    const env = { PATH: folder, HOME: folder, KUBEBUILDER_ASSETS: some };
    const { stderr } = spawnSync(process.execPath, ['-e', script], { env, encoding: 'utf8' });
    assert.equal(
      stderr,
      'control plane: KUBEBUILDER_ASSETS is passed over, it has no kube-controller-manager, kube-scheduler, kwok\n',
    );
  });

  it('names the way out when the cache folder cannot be written', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const env = { PATH: addPrograms(join(folder, 'bin'), ['go']), XDG_CACHE_HOME: file };
    await assert.rejects(ensureControlPlane(env), /cannot write to the cache folder .*file.*ENOTDIR.*XDG_CACHE_HOME/);
  });

  it('shows what Go said when the build fails, and leaves no half-built folder', async () => {
    const path = addPrograms(
      join(folder, 'broken'),
      ['go'],
      'case $1 in version) ;; list) echo some/package ;; *) echo "no space left on device" >&2; exit 1 ;; esac',
    );
    const cacheHome = join(folder, 'cache');
    const env = { PATH: `${path}:/usr/bin:/bin`, XDG_CACHE_HOME: cacheHome };
    await assert.rejects(ensureControlPlane(env), /build with Go failed:\n {2}no space left on device/);
    assert.deepEqual(readdirSync(join(cacheHome, 'virt-operator', 'control-plane')), []);
  });

  it('puts what was built in place, etcd under its own name', async () => {
    const path = addPrograms(
      join(folder, 'working'),
      ['go'],
      [
        'case $1 in version) exit 0 ;; list) echo some/package; exit 0 ;; esac',
        'mkdir -p "$GOBIN"; cd "$GOBIN"',
        'for name in server kube-apiserver kube-controller-manager kube-scheduler kwok kubectl; do',
        '  echo "$GOFLAGS/$CGO_ENABLED" > $name; chmod +x $name',
        'done',
      ].join('\n'),
    );
    const env = { PATH: `${path}:/usr/bin:/bin`, XDG_CACHE_HOME: join(folder, 'built'), GOFLAGS: '-mod=vendor' };
    const built = await ensureControlPlane(env);
    assert.equal(built, controlPlaneCache(env));
    assert.deepEqual(readdirSync(built).sort(), [...CONTROL_PLANE].sort());
    assert.equal(readFileSync(join(built, 'etcd'), 'utf8'), '/0\n', 'flags of the user are left out');
    assert.deepEqual(readdirSync(join(built, '..')).length, 1, 'no lock and no temporary folder is left');
  });
});

describe('takeLock', () => {
  const folder = makeFolder();

  it('waits for a living holder and says so once', async () => {
    const path = join(folder, 'held');
    const release = await takeLock(path, () => assert.fail('nobody holds it'));
    const told: number[] = [];
    const second = takeLock(path, (holder) => told.push(holder));
    release();
    (await second)();
    assert.deepEqual(told, [process.pid]);
    assert.equal(existsSync(path), false);
  });

  it('takes over from a dead one', async () => {
    const path = join(folder, 'stale');
    const child = spawn('true');
    await once(child, 'exit');
    writeFileSync(path, String(child.pid));
    const release = await takeLock(path, () => assert.fail('the holder is dead'));
    assert.equal(readFileSync(path, 'utf8'), String(process.pid));
    release();
  });
});

describe('listStale', () => {
  const rows = [
    { name: 'nothing installed', installed: undefined, want: ['node_modules/a', 'node_modules/b'] },
    { name: 'all installed', installed: { a: '1.0.0', b: '2.0.0' }, want: [] },
    { name: 'another version', installed: { a: '1.0.0', b: '2.0.1' }, want: ['node_modules/b'] },
    { name: 'more than asked for', installed: { a: '1.0.0', b: '2.0.0', c: '1.0.0' }, want: [] },
  ];
  const packages = (versions: Record<string, string>) =>
    Object.fromEntries(Object.entries(versions).map(([name, version]) => [`node_modules/${name}`, { version }]));

  for (const { name, installed, want } of rows) {
    it(name, () => {
      const root = makeFolder();
      const wanted = {
        '': {},
        ...packages({ a: '1.0.0', b: '2.0.0' }),
        'node_modules/d': { version: '1', optional: true },
      };
      writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: wanted }));
      mkdirSync(join(root, 'node_modules'));
      if (installed !== undefined) {
        const text = JSON.stringify({ packages: packages(installed) });
        writeFileSync(join(root, 'node_modules', '.package-lock.json'), text);
      }
      assert.deepEqual(listStale(root), want);
    });
  }
});

describe('ensureNode', () => {
  /** A tree in which npm has installed the package but not run its script, which writes `version` as node. */
  const buildTree = (version: string) => {
    const root = makeFolder();
    const folder = join(root, 'node_modules', 'node');
    mkdirSync(folder, { recursive: true });
    const program = `#!/bin/sh\necho ${version}\n`;
    writeFileSync(
      join(folder, 'installArchSpecificPackage.js'),
      `const fs = require('fs'); fs.mkdirSync('bin'); fs.writeFileSync('bin/node', ${JSON.stringify(program)}, { mode: 0o755 });`,
    );
    return root;
  };

  it('runs the install script that npm was not allowed to run, and links the result', () => {
    const root = buildTree('v24.1.0');
    ensureNode(root, process.env);
    const { stdout } = spawnSync(join(root, 'node_modules', '.bin', 'node'), ['--version'], { encoding: 'utf8' });
    assert.equal(stdout, 'v24.1.0\n');
  });

  it('says what to do when that does not help', () => {
    const root = buildTree('v20.1.0');
    assert.throws(() => {
      ensureNode(root, process.env);
    }, /Node 24 could not be installed.*found: v20\.1\.0.*npm rebuild node/);
  });
});

describe('ensureRedis', () => {
  const folder = makeFolder();
  const server = addPrograms(join(folder, 'server'), ['redis-server']);
  const docker = addPrograms(join(folder, 'docker'), ['docker']);
  const deadDocker = addPrograms(join(folder, 'dead-docker'), ['docker'], 'exit 1');

  const rows = [
    { name: 'REDIS_URL first', env: { REDIS_URL: 'redis://h', PATH: server }, want: { way: 'url', url: 'redis://h' } },
    { name: 'then the program', env: { PATH: server }, want: { way: 'server' } },
    { name: 'then Docker', env: { PATH: docker }, want: { way: 'docker', image: 'redis:7' } },
  ];
  for (const { name, env, want } of rows) {
    it(name, () => {
      assert.deepEqual(ensureRedis(env), want);
    });
  }

  for (const [name, path] of [
    ['no way', folder],
    ['a Docker that does not run', deadDocker],
  ] as const) {
    it(`names all ways when there is ${name}`, () => {
      assert.throws(
        () => ensureRedis({ PATH: path }),
        /redis-server on the PATH.*package redis-server.*Docker.*REDIS_URL/,
      );
    });
  }
});

describe('bootstrap.cjs', () => {
  it('refuses a part that it does not know', () => {
    const { status, stderr } = spawnSync(process.execPath, ['bootstrap.cjs', 'kitchen'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    assert.equal(status, 1);
    assert.match(stderr, /unknown part "kitchen"; one of: redis, control-plane, helm/);
  });
});
