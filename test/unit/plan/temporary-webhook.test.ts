import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { JsonObject } from '../../../src/api/objects.ts';
import { planTemporaryWebhook } from '../../../src/plan/temporary-webhook.ts';
import { Installation } from './drive.ts';

const only = (installation: Installation) => planTemporaryWebhook(installation.context()).actions[0];

describe('temporary webhook', () => {
  it('blocks the creation of objects of every new CRD, and has the same name in every pass', () => {
    const installation = new Installation();
    const action = only(installation);
    assert.ok(action?.verb === 'create');
    const { metadata, webhooks } = action.object as unknown as { metadata: { name: string }; webhooks: JsonObject[] };
    assert.equal(metadata.name, `virt-operator-tmp-webhook${installation.context().target.id.slice(0, 10)}`);
    assert.equal(webhooks.length, 21);
    assert.deepEqual(
      webhooks.find(({ name }) => name === 'virtualmachines.kubevirt.io-tmp-validator'),
      {
        name: 'virtualmachines.kubevirt.io-tmp-validator',
        admissionReviewVersions: ['v1', 'v1beta1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        rules: [
          {
            operations: ['CREATE'],
            apiGroups: ['kubevirt.io'],
            apiVersions: ['v1alpha3', 'v1'],
            resources: ['virtualmachines'],
          },
        ],
        clientConfig: {
          service: {
            namespace: 'kubevirt',
            name: 'fake-validation-service',
            path: '/fake-path/virtualmachines.kubevirt.io',
          },
        },
      },
    );
    assert.deepEqual(only(installation), action);
  });

  it('goes as soon as virt-api runs, also one of upstream with a generated name', async () => {
    const installation = new Installation();
    await installation.pass();
    const labels = { 'app.kubernetes.io/managed-by': 'virt-operator' };
    installation.cluster.add({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'virt-operator-tmp-webhookcjqns', labels },
    });
    installation.cluster.settle();
    const { writes } = await installation.pass();
    assert.equal(
      writes.filter((write) => write.includes('delete ValidatingWebhookConfiguration virt-operator-tmp')).length,
      2,
    );
  });

  it('is not wanted when no CRD is new, and not again once a webhook of the target is there', async () => {
    const installation = new Installation();
    await installation.converge();
    installation.edit({ imageTag: 'v1.9.1' });
    assert.equal(only(installation), undefined);
    installation.cluster.remove('CustomResourceDefinition', 'virtualmachineclones.clone.kubevirt.io');
    const action = only(installation);
    assert.ok(action?.verb === 'create');
    assert.equal((action.object.webhooks as unknown[]).length, 1);
    await installation.pass();
    assert.equal(only(installation), undefined);
  });
});
