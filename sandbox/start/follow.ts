import { setTimeout as delay } from 'node:timers/promises';
import { createLog } from '../../src/log.ts';
import { openRedis } from '../../src/queue/connection.ts';
import { ProgressBoard, type Progress } from '../../src/queue/progress.ts';
import { pathOf, type Installer, type Manifest } from './installation.ts';
import { describeProgress, describeTrouble, isDeployed, type KubeVirtStatus } from './progress-line.ts';

const POLL_MS = 200;

/** What to follow, and how. */
export interface Following {
  api: Installer;
  kubeVirt: Manifest;
  redisUrl: string;
  /** Told every line. */
  tell: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Tells every change on the way of the KubeVirt object to its goal, from the operator's progress record in Redis and from the status; resolves when it is
 * deployed. Rejects when `signal` aborts or the API server does not answer.
 */
export async function followToEnd(following: Following): Promise<void> {
  const board = await openBoard(following);
  let last = '';
  const tellNew = (line: string) => {
    if (line !== last) following.tell(line);
    last = line;
  };
  let trouble: string | undefined;
  try {
    for (;;) {
      const [status, progress] = await Promise.all([readStatus(following), board.read()]);
      if (isDeployed(status)) return;
      tellNew(describeProgress(status, progress));
      const news = describeTrouble(status);
      if (news !== undefined && news !== trouble) following.tell(news);
      trouble = news;
      await delay(POLL_MS, undefined, { signal: following.signal });
    }
  } finally {
    board.close();
  }
}

async function readStatus({ api, kubeVirt }: Following): Promise<KubeVirtStatus> {
  const object = (await api.expect('GET', pathOf(kubeVirt))) as { status?: KubeVirtStatus };
  return object.status ?? {};
}

/** The identity of a cluster, which its keys in Redis bear: the UID of the namespace kube-system. */
export async function readClusterUid(api: Installer): Promise<string> {
  const { metadata } = (await api.expect('GET', '/api/v1/namespaces/kube-system')) as { metadata: { uid: string } };
  return metadata.uid;
}

/** The operator's progress record; reading it is a display and never fails. */
async function openBoard({
  api,
  redisUrl,
}: Following): Promise<{ read(): Promise<Progress | undefined>; close(): void }> {
  const clusterUid = await readClusterUid(api);
  const log = createLog({ role: 'start', verbosity: 0 });
  log.level = 'silent';
  const redis = openRedis({ url: redisUrl }, { clusterUid, name: 'start', log });
  const board = new ProgressBoard(redis, log);
  return {
    read: () => board.read().catch(() => undefined),
    close: () => {
      redis.close();
    },
  };
}
