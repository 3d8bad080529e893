import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

/** Prints everything that is made from a KubeVirt object before it is sent, in a process that takes itself for one of another architecture. */
const SCRIPT = `
  const [architecture] = process.argv.slice(1);
  Object.defineProperty(process, 'arch', { value: architecture });
  const os = (await import('node:os')).default;
  os.arch = () => architecture;
  os.machine = () => ({ x64: 'x86_64', arm64: 'aarch64' })[architecture];
  const { generateInput, kubeVirt, target } = await import('./test/unit/strategy/builders.ts');
  const { buildKubeVirtCrd } = await import('./src/strategy/components/kubevirt-crd.ts');
  const { generateStrategy } = await import('./src/strategy/generate.ts');
  const { buildDumpJob } = await import('./src/exchange/dump-job.ts');
  const { buildStrategyConfigMap } = await import('./src/exchange/config-map.ts');
  const { Installation, buildKubeVirt } = await import('./test/unit/plan/drive.ts');
  const strategy = generateStrategy(generateInput({}, { monitorNamespace: 'monitoring' }));
  const job = buildDumpJob({ target: target({ imageTag: 'v1.8.4' }), operatorNamespace: 'kubevirt', spec: {}, attempt: 1 });
  const installation = new Installation(buildKubeVirt());
  await installation.converge();
  // Certificates are random; everything else that was written is compared.
  const written = installation.cluster.all().filter(({ kind }) => kind !== 'Pod');
  const text = (value) => JSON.stringify(value, (key, part) => (['tls.key', 'tls.crt', 'ca-bundle', 'caBundle'].includes(key) ? '' : part));
  process.stdout.write([architecture === process.arch, ...[target(), buildKubeVirtCrd(), job, strategy.objects, buildStrategyConfigMap(target(), strategy), written].map(text)].join('\\n'));
`;

function printObjects(architecture: string): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', SCRIPT, architecture],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, cwd: new URL('../../../', import.meta.url) },
  );
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^true\n/);
  return stdout;
}

test('B62: on amd64 and on arm64 the generated objects are the same, byte by byte', () => {
  const amd64 = printObjects('x64');
  assert.ok(amd64.length > 500_000, `${amd64.length} bytes`);
  assert.ok(printObjects('arm64') === amd64);
});
