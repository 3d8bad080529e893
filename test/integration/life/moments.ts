import { createKubeVirt, isWrite, readAudit, type Site } from '../install/harness.ts';
import { eventually } from '../fixtures/eventually.ts';
import { deleteKubeVirt, assertNothingLeft, markAudit } from './harness.ts';

/**
 * Creates a KubeVirt object, deletes it as soon as the operator has made so many writes, and fails when it is not gone within two minutes or something remains
 * (spec/field-reports.md B29).
 */
export async function deleteAfterWrites(site: Site, writes: number): Promise<void> {
  const mark = await markAudit(site);
  await createKubeVirt(site);
  await eventually(
    async () => (await readAudit(site)).slice(mark).filter(isWrite).length,
    (made) => made >= writes,
    60_000,
  );
  await deleteKubeVirt(site);
  await assertNothingLeft(site);
}
