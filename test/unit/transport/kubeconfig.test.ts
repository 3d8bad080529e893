import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { ConfigurationError } from '../../../src/errors.ts';
import { createLog } from '../../../src/log.ts';
import { chooseLoader } from '../../../src/transport/access.ts';
import { parseKubeconfig } from '../../../src/transport/kubeconfig.ts';
import { loadCredentials } from '../../../src/transport/load-credentials.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'kubeconfig-'));
after(() => {
  rmSync(directory, { recursive: true });
});
const file = (name: string, content: string): string => {
  const full = path.join(directory, name);
  writeFileSync(full, content);
  return full;
};
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const log = createLog({ role: 'test', verbosity: 0 });

/** The text of a kubeconfig with one context. */
function kubeconfig(user: object, cluster: object = {}): string {
  return JSON.stringify({
    'current-context': 'x',
    contexts: [{ name: 'broken' }, { name: 'x', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://api.example:6443/', ...cluster } }],
    users: [{ name: 'u', user }],
  });
}

file('ca.pem', 'CA');
file('cert.pem', 'CERT');
file('key.pem', 'KEY');
file('token', 'from-file\n');
chmodSync(
  file(
    'plugin.sh',
    '#!/bin/sh\necho "$0" >&2\ncat <<E\n{"status":{"token":"T-$(echo "$KUBERNETES_EXEC_INFO" | grep -c api.example)$EXTRA"}}\nE\n',
  ),
  0o755,
);

const rows: { name: string; user: object; cluster?: object; want: { headers: object; tls: object } }[] = [
  {
    name: 'client certificate in files beside the kubeconfig',
    user: { 'client-certificate': 'cert.pem', 'client-key': 'key.pem' },
    cluster: { 'certificate-authority': 'ca.pem' },
    want: { headers: {}, tls: { ca: 'CA', cert: 'CERT', key: 'KEY' } },
  },
  {
    name: 'client certificate as data',
    user: { 'client-certificate-data': base64('C'), 'client-key-data': base64('K') },
    cluster: { 'certificate-authority-data': base64('A'), 'tls-server-name': 'other' },
    want: { headers: {}, tls: { ca: 'A', cert: 'C', key: 'K', servername: 'other' } },
  },
  {
    name: 'token',
    user: { token: 'abc' },
    cluster: { 'insecure-skip-tls-verify': true },
    want: { headers: { authorization: 'Bearer abc' }, tls: { rejectUnauthorized: false } },
  },
  {
    name: 'token file, preferred to a token, without its newline',
    user: { token: 'abc', tokenFile: 'token' },
    want: { headers: { authorization: 'Bearer from-file' }, tls: {} },
  },
  {
    name: 'password',
    user: { username: 'me', password: 'secret' },
    want: { headers: { authorization: `Basic ${base64('me:secret')}` }, tls: {} },
  },
  {
    name: 'impersonation',
    user: { token: 'abc', as: 'other', 'as-groups': ['g1', 'g2'] },
    want: {
      headers: { authorization: 'Bearer abc', 'impersonate-user': 'other', 'impersonate-group': ['g1', 'g2'] },
      tls: {},
    },
  },
  {
    name: 'credential plugin that is told about the cluster',
    user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin.sh', provideClusterInfo: true } },
    want: { headers: { Authorization: 'Bearer T-1' }, tls: {} },
  },
  {
    name: 'credential plugin with variables',
    user: { exec: { command: './plugin.sh', env: [{ name: 'EXTRA', value: '-more' }] } },
    want: { headers: { Authorization: 'Bearer T-0-more' }, tls: {} },
  },
];

for (const { name, user, cluster, want } of rows) {
  test(`kubeconfig: ${name}`, async () => {
    const access = await chooseLoader(parseKubeconfig(kubeconfig(user, cluster), directory))(false);
    assert.deepEqual(access, want);
  });
}

test('kubeconfig: a provider plugin and a proxy bring in the client library', async () => {
  const provider = { 'auth-provider': { name: 'azure', config: { 'access-token': 'azure-token' } } };
  const byProvider = await chooseLoader(parseKubeconfig(kubeconfig(provider), directory))(false);
  assert.equal(byProvider.headers['Authorization'], 'Bearer azure-token');
  const proxy = { 'proxy-url': 'http://user:pw@proxy.example:3128' };
  const byProxy = await chooseLoader(parseKubeconfig(kubeconfig({ token: 'abc' }, proxy), directory))(false);
  assert.equal((byProxy.agent as unknown as { proxy: URL }).proxy.href, 'http://user:pw@proxy.example:3128/');
});

test('kubeconfig: reading one does not load the client library', () => {
  const script = `
    await import(${JSON.stringify(path.resolve('src/transport/load-credentials.ts'))});
    process.stdout.write(String(process.moduleLoadList.length > 0 && process.memoryUsage.rss()));`;
  const rss = Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }));
  assert.ok(rss < 115 * 2 ** 20, `${Math.round(rss / 2 ** 20)} MB; with the library's index it is over 150`);
});

const mistakes: { name: string; text: string; want: RegExp }[] = [
  { name: 'empty file', text: '', want: /^Error: it has no current-context$/ },
  { name: 'no YAML', text: 'password: [secret', want: /^Error: it is neither YAML nor JSON: [^\n]*$/ },
  { name: 'unknown context', text: '{"current-context":"y"}', want: /current-context "y" is not among/ },
  {
    name: 'unknown cluster',
    text: '{"current-context":"x","contexts":[{"name":"x","context":{"cluster":"c"}}]}',
    want: /cluster "c" is not among/,
  },
];

for (const { name, text, want } of mistakes) {
  test(`kubeconfig: ${name} is refused with a sentence`, () => {
    assert.throws(() => parseKubeconfig(text, directory), want);
  });
}

test('kubeconfig: a missing file is a configuration error that names it', async () => {
  const loading = loadCredentials({ kubeconfig: path.join(directory, 'none'), log });
  await assert.rejects(loading, (error) => error instanceof ConfigurationError && error.message.includes('none'));
});

const servers: { name: string; options: object; want: string | RegExp }[] = [
  {
    name: 'service account',
    options: { environment: { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' } },
    want: 'https://10.0.0.1/',
  },
  {
    name: 'service account, IPv6',
    options: { environment: { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' } },
    want: 'https://[fd00::1]:6443/',
  },
  { name: 'URL alone', options: { master: 'http://127.0.0.1:8001' }, want: 'http://127.0.0.1:8001/' },
  { name: 'host alone', options: { master: 'api.example:6443' }, want: 'https://api.example:6443/' },
  { name: 'neither, outside of a pod', options: { environment: {} }, want: /--kubeconfig or --master/ },
  {
    name: 'the variable KUBECONFIG is not honoured',
    options: { environment: { KUBECONFIG: 'x' } },
    want: /--kubeconfig/,
  },
  { name: 'no URL', options: { master: 'ftp://x' }, want: /cannot be used/ },
];

for (const { name, options, want } of servers) {
  test(`API server: ${name}`, async () => {
    const loading = loadCredentials({ log, serviceAccountDirectory: directory, ...options });
    if (typeof want === 'string') assert.equal((await loading).server.href, want);
    else await assert.rejects(loading, (error) => error instanceof ConfigurationError && want.test(error.message));
  });
}

test('API server: --master overrides the URL of the kubeconfig', async () => {
  const kubeconfigFile = file('config', kubeconfig({ token: 'abc' }));
  const credentials = await loadCredentials({ log, kubeconfig: kubeconfigFile, master: 'https://other:1' });
  assert.equal(credentials.server.href, 'https://other:1/');
  assert.deepEqual((await credentials.read()).headers, { authorization: 'Bearer abc' });
});

test('another context than the current one, when it is named', () => {
  const config = JSON.parse(kubeconfig({ token: 'current' })) as Record<string, object[]>;
  config['contexts']?.push({ name: 'y', context: { cluster: 'c', user: 'other' } });
  config['users']?.push({ name: 'other', user: { token: 'named' } });
  const text = JSON.stringify(config);
  assert.equal(parseKubeconfig(text, directory).user.token, 'current');
  assert.equal(parseKubeconfig(text, directory, 'y').user.token, 'named');
  assert.throws(() => parseKubeconfig(text, directory, 'z'), /context "z" is not among its contexts/);
});
