import { objectKey, type KubernetesObject } from '../api/objects.ts';
import { isNotFound } from '../errors.ts';
import type { Action, CertificateRequest } from '../plan/types.ts';
import type { ApiClient, Target } from './client.ts';
import { issueCertificate } from './issue-certificate.ts';

/** What came of one action: the object as it now is, or undefined when it is gone. */
export type Answer = KubernetesObject | undefined;

/** The object that an action is about. */
export function targetOf(action: Action): Target {
  if (action.verb !== 'create' && action.verb !== 'replace') {
    return { kind: action.kind, name: action.name, namespace: action.namespace };
  }
  const { name = '', namespace } = action.object.metadata;
  return { kind: action.kind, name, namespace };
}

/** The object of an action in words: `Secret kubevirt/kubevirt-ca`. */
export function describeTarget(action: Action): string {
  const { kind, name, namespace } = targetOf(action);
  return `${kind} ${objectKey(name, namespace)}`;
}

/** The action in words, for errors and logs: `create Secret kubevirt/kubevirt-ca`. */
export function describeAction(action: Action): string {
  return `${action.verb} ${describeTarget(action)}`;
}

/** Sends the one call of an action. A deletion of what is gone already succeeds. */
export async function performAction(client: ApiClient, action: Action): Promise<Answer> {
  switch (action.verb) {
    case 'create':
      return client.create(action.kind, await withCertificate(action.object, action.certificate));
    case 'replace':
      return client.replace(action.kind, await withCertificate(action.object, action.certificate));
    case 'patch':
      return client.patch(targetOf(action), await buildOperations(action), action.subresource);
    case 'merge':
      return client.merge(targetOf(action), action.patch);
    case 'delete':
      try {
        return await client.delete(targetOf(action), action);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
  }
}

async function withCertificate(object: KubernetesObject, request?: CertificateRequest): Promise<KubernetesObject> {
  return request === undefined ? object : { ...object, data: { ...object.data, ...(await buildSecretData(request)) } };
}

async function buildOperations({ operations, certificate }: Action & { verb: 'patch' }) {
  if (certificate === undefined) return operations;
  // `add` replaces a member that exists, and unlike `replace` also repairs a Secret without data.
  return [...operations, { op: 'add' as const, path: '/data', value: await buildSecretData(certificate) }];
}

async function buildSecretData(request: CertificateRequest): Promise<Record<string, string>> {
  const { certificatePem, privateKeyPem } = await issueCertificate(request);
  return { 'tls.crt': encode(certificatePem), 'tls.key': encode(privateKeyPem) };
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
