import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { parseAllDocuments } from 'yaml';

import { run } from '../../../src/cli/render.ts';
import { MemoryIo } from './io.ts';

const CR = 'apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: kubevirt, namespace: kv}\nspec: {}\n';
const ENV = { VIRT_OPERATOR_IMAGE: 'quay.io/kubevirt/virt-operator:v1.9.0' };

async function render(args: string[], file: string | Error = CR, env: Record<string, string> = ENV) {
  const io = new MemoryIo();
  io.env = env;
  io.read = () => (file instanceof Error ? Promise.reject(file) : Promise.resolve(file));
  const code = await run(args, io);
  return { code, out: io.outText, err: io.errText };
}

describe('render', () => {
  test('prints JSON', async () => {
    const { code, out } = await render(['--cr', 'x']);
    const parsed = JSON.parse(out) as {
      deploymentID: string;
      deploymentConfig: string;
      objects: { metadata: { namespace?: string } }[];
    };
    assert.equal(code, 0);
    assert.match(parsed.deploymentID, /^[0-9a-f]{40}$/);
    assert.equal((JSON.parse(parsed.deploymentConfig) as { id: string }).id, parsed.deploymentID);
    const namespaces = new Set(parsed.objects.map(({ metadata }) => metadata.namespace));
    assert.deepEqual(namespaces, new Set(['kv', undefined, 'kube-system']));
  });

  test('prints YAML documents without anchors', async () => {
    const { code, out } = await render([
      '--cr',
      'x',
      '-o',
      'yaml',
      '--operator-namespace',
      'op',
      '--monitor-namespace',
      'mon',
    ]);
    assert.equal(code, 0);
    assert.doesNotMatch(out, /: &a\d|: \*a\d/);
    const documents = parseAllDocuments(out);
    assert.deepEqual(
      documents.flatMap((document) => ('errors' in document ? document.errors : [])),
      [],
    );
    const text = JSON.stringify(documents.map((document) => document.toJSON() as unknown));
    assert.match(
      text,
      /"kind":"ServiceMonitor","metadata":\{[^}]*\},"name":"prometheus-kubevirt-rules","namespace":"mon"/,
    );
    assert.match(text, /"namespace":"op"/);
  });

  test('takes JSON too, and --help', async () => {
    const json = JSON.stringify({ apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', metadata: { namespace: 'kv' } });
    assert.equal((await render(['--cr', 'x'], json)).code, 0);
    const help = await render(['--help']);
    assert.deepEqual([help.code, help.err], [0, '']);
    assert.match(help.out, /--monitor-namespace/);
  });

  test('takes the KubeVirt object among other documents', async () => {
    const { code, out, err } = await render(
      ['--cr', 'x'],
      `---\nkind: Namespace\nmetadata: {name: kubevirt}\n---\n${CR}`,
    );
    assert.equal(code, 0, err);
    assert.match(out, /virt-api/);
  });

  test('without VIRT_OPERATOR_IMAGE the release is the one that this program was built for', async () => {
    const { code, out } = await render(['--cr', 'x'], CR, {});
    assert.equal(code, 0);
    assert.match(out, /quay\.io\/kubevirt\/virt-api:v1\.9\.0/);
  });

  test('empty fields are unset ones, and unknown ones are told', async () => {
    const file = CR.replace(
      'spec: {}',
      'spec:\n  configuration:\n  imagePullSecrets:\n  imageTga: v1\n  infra: {replica: 3}',
    );
    const { code, out, err } = await render(['--cr', 'cr.yaml'], file);
    assert.equal(code, 0, err);
    assert.match(out, /virt-api:v1\.9\.0/);
    assert.match(err, /warning: cr\.yaml: spec\.imageTga is no field of a KubeVirt object; it is ignored/);
    assert.match(err, /spec\.infra\.replica is no field/);
  });

  const bad: { name: string; args?: string[]; file?: string | Error; env?: Record<string, string>; want: RegExp }[] = [
    { name: 'no file named', args: [], want: /name its file with --cr/ },
    { name: 'an unknown option', args: ['--cr', 'x', '--nonsense'], want: /--nonsense/ },
    { name: 'an unknown format', args: ['--cr', 'x', '-o', 'xml'], want: /-o takes json or yaml, not "xml"/ },
    {
      name: 'a file that cannot be read',
      file: new Error('ENOENT'),
      want: /cannot read the KubeVirt object from cr\.yaml: ENOENT/,
    },
    { name: 'a file that is no YAML', file: 'a: [', want: /cr\.yaml is neither YAML nor JSON/ },
    { name: 'an empty file', file: '', want: /cr\.yaml holds no object/ },
    { name: 'another kind', file: 'kind: Pod\n', want: /cr\.yaml holds a Pod, not a KubeVirt/ },
    { name: 'two objects', file: `${CR}---\n${CR}`, want: /cr\.yaml holds several KubeVirt objects: it takes one/ },
    { name: 'several objects of other kinds', file: 'kind: Pod\n---\nkind: Pod\n', want: /holds no KubeVirt object/ },
    {
      name: 'a fault in a later document',
      file: `${CR}---\na: [`,
      want: /cr\.yaml is neither YAML nor JSON: [^\n]*\n$/,
    },
    { name: 'no kind', file: '[1]', want: /holds an object without a kind/ },
    { name: 'no namespace', file: 'kind: KubeVirt\nmetadata: {name: a}\n', want: /set metadata\.namespace/ },
    {
      name: 'a number for a tag',
      file: CR.replace('{}', '{imageTag: 1.9}'),
      want: /cr\.yaml is not valid: spec\.imageTag: .*string/,
    },
  ];
  for (const row of bad) {
    test(`tells the way out of ${row.name}`, async () => {
      const { code, out, err } = await render(row.args ?? ['--cr', 'cr.yaml'], row.file, row.env);
      assert.deepEqual([code, out], [2, '']);
      assert.match(err, row.want);
    });
  }
});
