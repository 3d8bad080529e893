/** Version of the job data that this build writes. A higher one belongs to a newer build and is left alone (design decision 2). */
export const JOB_VERSION = 1;

/**
 * Under which id the jobs of a key are made one. Each version has its own: else the job of a newer build, which an older one leaves alone, would keep that one from
 * its own jobs, during an update of ourselves and for good after a way back.
 */
export function deduplicationIdOf(key: string, version: number = JOB_VERSION): string {
  return `${key} v${version}`;
}

/** Data of a reconcile job. */
export interface JobData {
  version: number;
  key: string;
}

/** What a job's data turned out to be. */
export type ParsedJob = { type: 'ours'; key: string } | { type: 'newer'; version: number } | { type: 'unreadable' };

/** Reads the data of a job. A newer version is not looked into: its fields may mean something else. */
export function parseJobData(data: unknown): ParsedJob {
  if (typeof data !== 'object' || data === null) return { type: 'unreadable' };
  const { version, key } = data as { version?: unknown; key?: unknown };
  if (typeof version !== 'number') return { type: 'unreadable' };
  if (version > JOB_VERSION) return { type: 'newer', version };
  return typeof key === 'string' && key !== '' ? { type: 'ours', key } : { type: 'unreadable' };
}
