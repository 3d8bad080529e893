/** The chart in the sandbox, with the very commands of the README, as a user enters them. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { resourcePath } from '../../src/api/kinds.ts';
import { atEnd } from '../integration/fixtures/cleanup.ts';
import { noHelm } from '../chart/render.ts';
import { Walker } from './walker.ts';
import { commandsOf, walk, type Step } from './walk.ts';

const CRD = resourcePath('CustomResourceDefinition', undefined, 'kubevirts.kubevirt.io');
const NAMESPACE = '/api/v1/namespaces/kubevirt';
const INSTALL =
  'helm install virt-operator charts/virt-operator --namespace kubevirt --create-namespace --set kubevirt.enabled=true';
const UPGRADE =
  'helm upgrade virt-operator charts/virt-operator --namespace kubevirt --reset-then-reuse-values --set kubevirt.version=v1.9.1';
const waitFor = (version: string) =>
  `kubectl --namespace kubevirt wait kubevirt kubevirt --for jsonpath='{.status.observedKubeVirtVersion}'=${version} --timeout 5m`;

const walker = new Walker();
let log = '';

async function readShortNames(): Promise<string[]> {
  const { spec } = (await walker.api.expect('GET', CRD)) as unknown as { spec: { names: { shortNames: string[] } } };
  return spec.names.shortNames;
}

const imagesOf = (pod: object): string[] =>
  [...JSON.stringify(pod).matchAll(/"image":"([^"]+)"/g)].map(([, image = '']) => image);

const steps: Record<string, Step> = {
  'eval "$(npm run --silent tools)"': {},
  'eval "$(virt-operator sandbox up)"': {
    after: () => {
      const { kubeconfig } = walker.readState();
      walker.use(kubeconfig);
      log = `${walker.stateFile}.log`;
    },
  },
  [INSTALL]: {
    proves: 'B03, B72: definition, operator and KubeVirt object come with one command, on the first try',
    before: async () => {
      assert.equal(await walker.statusOf(CRD), 404, 'a fresh cluster');
    },
    after: async () => {
      assert.equal(await walker.statusOf(CRD), 200);
      await walker.readKubeVirt();
      const { metadata } = await walker.api.expect('GET', NAMESPACE);
      // --create-namespace sets no labels.
      assert.equal(metadata?.labels?.['pod-security.kubernetes.io/enforce'], 'privileged');
      assert.equal(metadata.labels['kubevirt.io'], '');
    },
  },
  'helm test virt-operator --namespace kubevirt': {
    after: async (output) => {
      assert.match(output, /Phase:\s+Succeeded/);
      await walker.expectVersion('v1.9.0');
    },
  },
  'virt-operator status': {
    after: (output) => {
      assert.match(output, /kubevirt\/kubevirt: Deployed, v1\.9\.0/);
      assert.match(output, /virt-operator 2\/2 ready/);
    },
  },
  'virt-operator images': {
    proves: 'B59: no pod has an image that is not listed',
    after: async (output) => {
      const pods = await walker.listPods();
      const images = [...new Set(pods.flatMap(imagesOf))];
      assert.ok(images.some((image) => image.includes('virt-handler')) && images.some((image) => /redis/.test(image)));
      assert.deepEqual(
        images.filter((image) => !output.includes(`${image} `)),
        [],
      );
      // Those of hooks that have run already.
      assert.match(output, /^virt-operator:\S+ /m);
    },
  },
  'virt-operator certs': {
    after: (output) => {
      assert.match(output, /kubevirt-operator-certs/);
    },
  },
  [UPGRADE]: {
    before: async () => {
      // As an older release of the operator would have left it.
      const change = { spec: { names: { shortNames: ['kv'] } } };
      await walker.api.expect('PATCH', CRD, change, 'application/merge-patch+json');
    },
  },
  [waitFor('v1.9.1')]: {
    proves: 'the definition is brought up to date before the roles start',
    after: async () => {
      await walker.expectVersion('v1.9.1');
      assert.deepEqual(await readShortNames(), ['kv', 'kvs']);
    },
  },
  'helm rollback virt-operator --namespace kubevirt': {},
  [waitFor('v1.9.0')]: {
    after: () => walker.expectVersion('v1.9.0'),
  },
  'helm uninstall virt-operator --namespace kubevirt': {
    proves: 'KubeVirt goes first; definition and namespace stay',
    after: async () => {
      for (const path of [
        resourcePath('KubeVirt', 'kubevirt', 'kubevirt'),
        resourcePath('Deployment', 'kubevirt', 'virt-operator'),
        resourcePath('Deployment', 'kubevirt', 'virt-api'),
        resourcePath('ClusterRole', undefined, 'kubevirt-operator'),
      ]) {
        assert.equal(await walker.statusOf(path), 404, path);
      }
      assert.equal(await walker.statusOf(CRD), 200);
      assert.equal(await walker.statusOf(NAMESPACE), 200);
      assert.doesNotMatch(readFileSync(log, 'utf8'), /forbidden/i, 'no right was missing on the way');
    },
  },
  'virt-operator sandbox down': {
    after: () => {
      assert.equal(existsSync(walker.stateFile), false);
      assert.deepEqual(walker.listLeftovers(), []);
    },
  },
};

describe('README, "Try the chart"', { skip: noHelm, timeout: 480_000 }, () => {
  const commands = commandsOf('Try the chart');
  test('has commands', () => {
    assert.ok(commands.length > 10);
    atEnd(() => undefined);
  });
  walk(commands, steps, { shell: () => walker.shell, describeFailure: () => walker.readLogs() });
});
