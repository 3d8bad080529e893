import type { ApiConnection } from '../api/connection.ts';
import type { KubeVirt } from '../api/kubevirt.ts';
import type { ObjectStore } from '../api/store.ts';
import { createClient, type ApiClient } from '../apply/client.ts';
import type { RunOptions, RunReport } from '../apply/execute.ts';
import { openLedger, type Ledger, type Recorder } from '../apply/ledger.ts';
import type { Log } from '../log.ts';
import type { Observed } from '../observe/gather.ts';
import type { Progress } from '../queue/progress.ts';
import type { Situation } from '../queue/situation.ts';
import type { EventRecorder } from '../status/events.ts';
import type { ReleaseEnvironment } from '../strategy/types.ts';
import type { Trace } from '../trace/trace.ts';
import type { MigrationHold } from './migration-hold.ts';
import type { PassWork } from './run-job.ts';
import type { OutdatedCertificate } from './served-certificates.ts';
import type { StrategyLoader } from './strategy-loader.ts';

/** What all passes of a process share. */
export interface ReconcileParts {
  store: ObjectStore;
  connection: ApiConnection;
  /** Remembers our writes. */
  recorder: Recorder;
  strategies: StrategyLoader;
  /** Displays; none of their methods rejects. */
  progress: { write(progress: Progress): Promise<void>; clear(key: string): Promise<void> };
  situations: { write(situation: Situation): Promise<void>; remove(key: string): Promise<void> };
  events: EventRecorder;
  /** Puts rollouts off while machines migrate; absent: they are never put off, as upstream's. */
  migrationHold?: Pick<MigrationHold, 'find'>;
  /** Operands that serve an old certificate; undefined while nobody knows. Default: nobody knows. */
  outdatedCertificates?: () => readonly OutdatedCertificate[] | undefined;
  release: ReleaseEnvironment;
  operatorNamespace: string;
  /** Default: none. */
  trace?: Trace;
  log: Log;
  /** Default: the clock. */
  now?: () => Date;
  /** Told when a step begins and ends. */
  onStep?: NonNullable<RunOptions['onStep']>;
  /** How long an installation holds a gate within a pass, in milliseconds; default: three seconds. */
  patienceMs?: number;
}

/** One pass: what it is about, and the two clients that it writes with. */
export interface PassState {
  readonly parts: ReconcileParts;
  readonly key: string;
  readonly work: PassWork;
  readonly observed: Observed;
  readonly ledger: Ledger;
  /** For the KubeVirt object itself: status and finalizers have reserved tokens of the rate limit. */
  readonly statusLedger: Ledger;
  readonly client: ApiClient;
  readonly statusClient: ApiClient;
  readonly log: Log;
  /** When the pass began. */
  readonly now: Date;
  /** The object as the API server has it after this pass's last write of it. */
  kubeVirt: KubeVirt;
  /** What the steps of this pass have come to; absent before they have run. */
  report?: RunReport;
}

/** Opens the books of a pass over an object that exists. */
export function openPass(
  parts: ReconcileParts,
  given: { key: string; work: PassWork; observed: Observed; kubeVirt: KubeVirt },
): PassState {
  const { signal, isHeld } = given.work;
  const options = { signal, beforeSend: () => void isHeld?.() };
  const ledger = openLedger(createClient(parts.connection, options), parts.recorder);
  const statusLedger = openLedger(createClient(parts.connection, { ...options, lane: 'reserved' }), parts.recorder);
  return {
    ...given,
    parts,
    ledger,
    statusLedger,
    client: ledger.client,
    statusClient: statusLedger.client,
    log: parts.log.child({ key: given.key, pass: given.work.pass }),
    now: parts.now?.() ?? new Date(),
  };
}

/** Writes to the API server so far. */
export function countWrites({ ledger, statusLedger }: PassState): number {
  return ledger.count() + statusLedger.count();
}

/** Resolves when every write is remembered. */
export async function closePass({ ledger, statusLedger }: PassState): Promise<void> {
  await Promise.all([ledger.settled(), statusLedger.settled()]);
}
