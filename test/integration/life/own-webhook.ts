import assert from 'node:assert/strict';

import { createKubeVirt, NAMESPACE, readAudit, whenDeployed, type AuditEntry, type Site } from '../install/harness.ts';
import { deleteKubeVirt, markAudit } from './harness.ts';

/**
 * Creates and deletes the KubeVirt object again and again. Fails when the operator's own write of it was refused, or when its webhook was configured before there was
 * a certificate to serve (spec/field-reports.md B43).
 */
export async function createAgainAndAgain(site: Site, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    const mark = await markAudit(site);
    await createKubeVirt(site);
    await whenDeployed(site);
    await deleteKubeVirt(site);
    const audit = (await readAudit(site)).slice(mark);
    assert.deepEqual(audit.filter(isRefusedPatch).map(describe), [], `round ${round}`);
    const secret = findCreated(audit, 'secrets', 'kubevirt-operator-certs');
    const webhook = findCreated(audit, 'validatingwebhookconfigurations', 'virt-operator-validator');
    assert.ok(secret >= 0 && secret < webhook, `round ${round}: Secret at ${secret}, webhook at ${webhook}`);
  }
}

/** A conflict is no refusal: somebody else, or the status, was faster. */
function isRefusedPatch({ verb, objectRef, responseStatus }: AuditEntry): boolean {
  const isWrite = ['patch', 'update'].includes(verb) && objectRef?.resource === 'kubevirts';
  return isWrite && responseStatus.code >= 400 && responseStatus.code !== 409;
}

function describe({ verb, requestURI, responseStatus }: AuditEntry): string {
  return `${verb} ${requestURI}: ${responseStatus.code}`;
}

/** Where in the log an object was created; the API server writes an entry when it has answered. */
function findCreated(audit: readonly AuditEntry[], resource: string, name: string): number {
  return audit.findIndex(
    ({ verb, objectRef }) =>
      verb === 'create' &&
      objectRef?.resource === resource &&
      objectRef.name === name &&
      [NAMESPACE, undefined].includes(objectRef.namespace),
  );
}
