import type { ApiConnection } from '../../api/connection.ts';
import type { KindName } from '../../api/kinds.ts';
import type { KubeVirt } from '../../api/kubevirt.ts';
import { objectKey } from '../../api/objects.ts';
import { createClient } from '../../apply/client.ts';
import { errorText } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { createMonitorFinder } from '../../observe/monitor-namespace.ts';
import type { PlannedEvent } from '../../plan/types.ts';
import type { ReleaseEnvironment } from '../../strategy/types.ts';
import type { ReconcileParts } from '../../worker/pass.ts';
import { createReconcile } from '../../worker/reconcile.ts';
import type { Outcome } from '../../worker/outcome.ts';
import { StrategyLoader } from '../../worker/strategy-loader.ts';
import { Controllers } from './controllers.ts';
import { DryApi, type RehearsedWrite } from './dry-api.ts';
import type { ObjectTable } from './object-table.ts';

/** What a rehearsal needs; the table is changed by it. */
export interface RehearsalOptions {
  table: ObjectTable;
  /** For reads of what the table does not hold. */
  connection: ApiConnection;
  /** Labels of all nodes. */
  nodes: readonly Readonly<Record<string, string>>[];
  release: ReleaseEnvironment;
  operatorNamespace: string;
  now: Date;
  log: Log;
  signal: AbortSignal;
  /** Called after each pass, before the controllers go on; for those who play other parts of a cluster. Returns whether it has changed anything. */
  afterPass?: (table: ObjectTable) => boolean;
}

/** What happened during one step of one pass. */
export interface RehearsedStep {
  name: string;
  writes: RehearsedWrite[];
  /** What the pass waited for after this step; the next one went on from there. */
  awaited?: string;
}

/** How a rehearsal went. */
export interface Rehearsal {
  /** Steps that wrote something or were waited after, in order, those of all passes. */
  steps: RehearsedStep[];
  /** Events that the operator would record. */
  events: PlannedEvent[];
  /** Why the last pass failed; empty when it did not. */
  failures: string[];
  /** The object as the operator leaves it; undefined when it is gone. */
  kubeVirt?: KubeVirt;
  /** The operator would have gone on after the last pass that was rehearsed. */
  isEndless: boolean;
}

/** More passes than any installation or update needs. */
const MAX_PASSES = 40;
/** Name of what happens outside of the steps. */
const OUTSIDE = 'stored strategy';
/** Kinds that hold what the operator notes: the status of the KubeVirt object, and Events. They are no part of the installation. */
const OWN_BOOKS: readonly KindName[] = ['KubeVirt', 'Event'];

/**
 * Runs the operator's own passes over a copy of the cluster until nothing is left to do: the same functions as the worker's, so that what they write here is
 * what they would write there. Nothing is changed but the table. Rejects when the cluster cannot be read.
 */
export async function rehearse(key: string, options: RehearsalOptions): Promise<Rehearsal> {
  const stage = new Stage(key, options);
  return stage.run();
}

class Stage {
  readonly #key: string;
  readonly #options: RehearsalOptions;
  readonly #controllers: Controllers;
  readonly #steps: RehearsedStep[] = [];
  readonly #events: PlannedEvent[] = [];
  #step: string | undefined;
  #writes = 0;

  constructor(key: string, options: RehearsalOptions) {
    this.#key = key;
    this.#options = options;
    this.#controllers = new Controllers(options.table, options.nodes);
    options.table.onAwaited = () => this.#controllers.settle();
  }

  async run(): Promise<Rehearsal> {
    const { table, signal, afterPass } = this.#options;
    const reconcile = createReconcile(this.#buildParts());
    let failures: string[] = [];
    let isEndless = true;
    for (let pass = 1; pass <= MAX_PASSES && isEndless; pass++) {
      const writesBefore = this.#writes;
      const outcome = await reconcile(this.#key, {
        causes: [{ type: 'requested', at: this.#options.now.getTime() }],
        versions: {},
        deletes: [],
        pass: String(pass),
        fence: 0,
        signal,
      });
      failures = findFailures(outcome);
      const isElsewhere = afterPass?.(table) === true;
      isEndless = this.#controllers.settle() || isElsewhere || this.#writes > writesBefore;
    }
    const kubeVirt = this.#findKubeVirt();
    return {
      steps: this.#steps.filter(({ writes, awaited }) => writes.length > 0 || awaited !== undefined),
      events: this.#events,
      failures,
      ...(kubeVirt === undefined ? {} : { kubeVirt }),
      isEndless,
    };
  }

  #findKubeVirt(): KubeVirt | undefined {
    const all = this.#options.table.all('KubeVirt') as unknown as KubeVirt[];
    return all.find(({ metadata }) => objectKey(metadata.name ?? '', metadata.namespace) === this.#key);
  }

  #buildParts(): ReconcileParts {
    const { table, connection, operatorNamespace, release, log, now } = this.#options;
    const api = new DryApi({
      table,
      real: connection,
      now: () => now,
      onWrite: (write) => {
        this.#writes++;
        if (!OWN_BOOKS.includes(write.kind)) this.#noteStep(this.#step ?? OUTSIDE).writes.push(write);
      },
    });
    const reader = createClient(api);
    const ignore = () => Promise.resolve();
    return {
      store: table,
      connection: api,
      recorder: { recordWrite: ignore, recordDelete: ignore },
      strategies: new StrategyLoader({
        operatorNamespace,
        runbookUrlTemplate: release.runbookUrlTemplate,
        findMonitorNamespace: createMonitorFinder((target) => reader.find(target)),
        log,
      }),
      progress: { write: ignore, clear: ignore },
      situations: {
        write: ({ waiting }) => {
          if (waiting !== undefined) this.#noteStep(waiting.step).awaited = waiting.awaited;
          return Promise.resolve();
        },
        remove: ignore,
      },
      events: {
        record: (event) => {
          this.#noteEvent(event);
        },
        flush: ignore,
      },
      release,
      operatorNamespace,
      log,
      now: () => now,
      onStep: ({ step, state }) => {
        this.#step = state === 'done' ? undefined : step;
      },
      // Nothing that is waited for comes by itself: the controllers do their part as soon as somebody waits.
      patienceMs: 0,
    };
  }

  /** The running step, or a new one when another has come in between. */
  #noteStep(name: string): RehearsedStep {
    const last = this.#steps.at(-1);
    if (last?.name === name) return last;
    const step: RehearsedStep = { name, writes: [] };
    this.#steps.push(step);
    return step;
  }

  #noteEvent(event: PlannedEvent): void {
    const isKnown = this.#events.some(({ reason, message }) => reason === event.reason && message === event.message);
    if (!isKnown) this.#events.push(event);
  }
}

/** Each failure once: of the objects that failed, or of the pass as a whole. */
function findFailures(outcome: Outcome): string[] {
  if (!('error' in outcome)) return [];
  const errors = (outcome.report?.errors ?? []).map(({ error }) => error);
  return [...new Set(errors.length === 0 ? [errorText(outcome.error)] : errors)];
}
