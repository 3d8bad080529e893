import { setTimeout as pause } from 'node:timers/promises';

import { objectKey, type KubernetesObject } from '../../../src/api/objects.ts';
import { readAudit, readKubeVirt, type AuditEntry, type Site } from '../install/harness.ts';
import { describeWrite } from './harness.ts';
import { listManaged } from './snapshot.ts';

/** What has happened while nobody wanted anything. */
export interface Idleness {
  /** The operator's writes, as `verb resource name`. */
  writes: string[];
  /** Addresses of what it has read by other requests than watches. */
  reads: string[];
  /** Objects whose resourceVersion is another one, the KubeVirt object included, as `Kind namespace/name`. */
  changed: string[];
}

async function readVersions(site: Site): Promise<Map<string, string | undefined>> {
  // The API server writes into the status of APIServices whether their servers answer, which is nobody's action.
  const managed = (await listManaged(site.plane.api)).filter(({ kind }) => kind !== 'APIService');
  const objects = [...managed, await readKubeVirt(site)];
  return new Map(objects.map(({ kind, metadata }) => [nameOf(kind, metadata), metadata.resourceVersion]));
}

function nameOf(kind: string, { name = '', namespace }: KubernetesObject['metadata']): string {
  return `${kind} ${objectKey(name, namespace)}`;
}

const isRead = ({ verb }: AuditEntry) => verb === 'get' || verb === 'list';

/** Leaves the site alone for so many milliseconds, and tells what has happened in that time. */
export async function whenIdle(site: Site, milliseconds: number): Promise<Idleness> {
  const before = await readVersions(site);
  const from = (await readAudit(site)).length;
  await pause(milliseconds);
  const requests = (await readAudit(site)).slice(from).filter(({ verb }) => verb !== 'watch');
  const after = await readVersions(site);
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return {
    writes: requests.filter((entry) => !isRead(entry)).map(describeWrite),
    reads: requests.filter(isRead).map(({ requestURI }) => requestURI),
    changed: names.filter((name) => before.get(name) !== after.get(name)),
  };
}
