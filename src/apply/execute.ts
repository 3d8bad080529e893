import { setTimeout as pause } from 'node:timers/promises';

import type { KindName } from '../api/kinds.ts';
import type { GenerationStatus } from '../api/kubevirt.ts';
import type { ObjectStore } from '../api/store.ts';
import { errorText, isNotFound, isTransient, PassAborted } from '../errors.ts';
import type { Log } from '../log.ts';
import { NO_TRACE, type Span, type Trace } from '../trace/trace.ts';
import type { Action, PassContext, PlannedEvent, RolloutHold, Step, StepPlan } from '../plan/types.ts';
import { isWorkloadRefused, isWorthRepeating, runBatch, type FailedAction } from './batch.ts';
import type { ApiClient, Target } from './client.ts';
import { recordGeneration } from './generations.ts';
import { Overlay } from './overlay.ts';
import { describeAction, describeTarget, performAction, targetOf, type Answer } from './perform.ts';

/** What a run of steps needs and whom it tells. Listeners must not throw. */
export interface RunOptions {
  /** Everything that steps decide from, but for what the run itself keeps up to date. */
  context: Omit<PassContext, 'world' | 'generations' | 'rolloutHold'>;
  /** `status.generations` before the run. */
  generations: readonly GenerationStatus[];
  store: Pick<ObjectStore, 'get' | 'list' | 'onChange'>;
  client: ApiClient;
  /** Ends the run: nothing is sent after it, running calls are given up. */
  signal: AbortSignal;
  log: Log;
  /**
   * Every gate is held at least this long, in milliseconds, unless `isOutdated` becomes true: going on within the pass is quicker than coming back.
   * Default: none.
   */
  patienceMs?: number;
  /** True when the object that the run is about asks for something else by now. */
  isOutdated?: () => boolean;
  /** Whether a rollout has to be put off; asked at most once, when a step would start one. Must not reject. Default: it has not. */
  findRolloutHold?: () => Promise<RolloutHold | undefined>;
  /** Gets a span for each step. Default: none. */
  trace?: Trace;
  /** Called after each write. */
  onWrite?: (write: Write) => void;
  onEvent?: (event: PlannedEvent) => void;
  /** Called when a step begins and ends, and at every change while its gate is held, with the world as it then is. */
  onStep?: (progress: { step: string; state: 'begun' | 'held' | 'done'; context: PassContext }) => void;
}

/** One write that reached the API server. */
export interface Write {
  step: string;
  verb: Action['verb'];
  kind: KindName;
  name: string;
  namespace: string | undefined;
  /** Of the object after the write; undefined when it is gone. */
  resourceVersion: string | undefined;
}

/** Why a run ended before its last step: an error of one object, or of the planning of the step. */
export interface Failure {
  step: string;
  /** What was to be written, as `Kind namespace/name`; undefined when the step could not be planned. */
  object: string | undefined;
  error: Error;
}

/** Where a run ended to be continued. */
export interface Stop {
  step: string;
  awaited: string;
  /** Nothing but another look at the cluster is awaited. */
  isResumedAtOnce: boolean;
}

/** What a run did. */
export interface RunReport {
  /** Every step ran to its end, and nothing failed. */
  completed: boolean;
  /** The step at which the run ended to be continued by a later event, and what is awaited. */
  stopped?: Stop;
  /** The failures of the step that ended the run, and before them the problems of steps that did not end it. */
  failures: readonly Failure[];
  /** Every write that reached the API server, in the order of their answers. */
  written: readonly Write[];
  /** `status.generations` after the run. */
  generations: readonly GenerationStatus[];
  /** The context after the last step, with the world as the run left it. */
  context: PassContext;
  steps: readonly { name: string; writes: number; milliseconds: number }[];
}

/** Pause before the first repetition of what nobody can change by reading again; each further one is twice as long. */
const PAUSE_MS = 100;
/** A step that has taken so long is not repeated: a webhook or a store behind the server may take its whole time-out for every call. */
const REPEAT_WITHIN_MS = 60_000;

/**
 * Runs steps in order: plans one, sends its actions at most 16 at a time, takes their answers into the world of the next. Ends at the first step that
 * fails, after its running actions have settled, or that wants to stop. A stale answer (conflict, exists already, gone, failed test), an error of the
 * server itself, and no answer read that object again and plan the step again. Rejects only with `PassAborted`.
 */
export async function runSteps(steps: readonly Step[], options: RunOptions): Promise<RunReport> {
  const run = new Run(options);
  const { trace = NO_TRACE } = options;
  for (const step of steps) {
    const goesOn = await trace.span({ name: step.name, isPart: true }, async (span) => {
      const isHeld = await run.runStep(step);
      describeStep(span, step, run.report());
      return isHeld;
    });
    if (!goesOn) break;
  }
  return run.report();
}

function describeStep(span: Span, { name }: Step, { steps, stopped, failures }: RunReport): void {
  span.set({ writes: steps.at(-1)?.writes ?? 0, ...(stopped === undefined ? {} : { awaited: stopped.awaited }) });
  const failure = failures.find(({ step }) => step === name);
  if (failure !== undefined) span.fail(errorText(failure.error));
}

class Run {
  readonly #options: RunOptions;
  readonly #world: Overlay;
  readonly #steps: { name: string; writes: number; milliseconds: number }[] = [];
  #generations: readonly GenerationStatus[];
  readonly #failures: Failure[] = [];
  #stopped: Stop | undefined;
  /** Absent until a step has asked. */
  #answer: Pick<PassContext, 'rolloutHold'> | undefined;
  readonly #written: Write[] = [];
  readonly #refused: Target[] = [];

  constructor(options: RunOptions) {
    this.#options = options;
    this.#world = new Overlay(options.store);
    this.#generations = options.generations;
  }

  /** False when the run ends here. */
  async runStep(step: Step): Promise<boolean> {
    const begun = performance.now();
    const writesBefore = this.#written.length;
    this.#options.onStep?.({ step: step.name, state: 'begun', context: this.#context() });
    const plan = await this.#planAndPerform(step);
    const isHeld = plan !== undefined && (await this.#passGates(step, plan));
    this.#steps.push({
      name: step.name,
      writes: this.#written.length - writesBefore,
      milliseconds: Math.round(performance.now() - begun),
    });
    this.#options.onStep?.({ step: step.name, state: 'done', context: this.#context() });
    return isHeld;
  }

  report(): RunReport {
    return {
      completed: this.#stopped === undefined && this.#failures.length === 0,
      ...(this.#stopped === undefined ? {} : { stopped: this.#stopped }),
      failures: this.#failures,
      written: this.#written,
      generations: this.#generations,
      context: this.#context(),
      steps: this.#steps,
    };
  }

  /** The plan whose actions are all done, or undefined when the run ends before. */
  async #planAndPerform(step: Step): Promise<StepPlan | undefined> {
    const begun = performance.now();
    for (let attempt = 0; ; attempt++) {
      const plan = await this.#plan(step);
      if (plan === undefined) return undefined;
      if (attempt === 0) this.#tellEvents(plan);
      const failed = await runBatch(plan.actions, (action) => this.#perform(step, action));
      this.#throwIfAborted();
      if (failed.length === 0) return this.#takeProblems(step, plan);
      const open = this.#leaveAlone(step, failed);
      if (open.length === 0) continue;
      const isLate = performance.now() - begun > REPEAT_WITHIN_MS;
      if (isLate || !isWorthRepeating(open, attempt)) {
        this.#giveUp(step, open);
        return;
      }
      if (this.#options.isOutdated?.() === true) {
        // Nothing has failed for good; what was to be written may not even be wanted any more.
        this.#stopped = { step: step.name, awaited: 'a pass over the object as it is now', isResumedAtOnce: false };
        return;
      }
      await this.#readAgain(open, attempt);
    }
  }

  /** A workload that is refused is a failure of its own: the steps go on as they do without one that cannot be customised. Returns the other failures. */
  #leaveAlone(step: Step, failed: readonly FailedAction[]): FailedAction[] {
    const refused = failed.filter(isWorkloadRefused);
    this.#giveUp(step, refused);
    this.#refused.push(...refused.map(({ action }) => targetOf(action)));
    return failed.filter((each) => !isWorkloadRefused(each));
  }

  #tellEvents(plan: StepPlan): void {
    for (const event of plan.events ?? []) this.#options.onEvent?.(event);
  }

  #takeProblems(step: Step, plan: StepPlan): StepPlan {
    for (const problem of plan.problems ?? []) this.#fail(step, new Error(problem));
    return plan;
  }

  #giveUp(step: Step, failed: readonly FailedAction[]): void {
    for (const { action, error } of failed) {
      const wrapped = new Error(`cannot ${describeAction(action)}`, { cause: error });
      this.#failures.push({ step: step.name, object: describeTarget(action), error: wrapped });
    }
  }

  async #plan(step: Step): Promise<StepPlan | undefined> {
    try {
      await this.#askForHold(step);
      this.#throwIfAborted();
      return step.plan(this.#context());
    } catch (error) {
      this.#throwIfAborted();
      this.#fail(step, error);
      return undefined;
    }
  }

  async #askForHold({ startsRollout }: Step): Promise<void> {
    const { findRolloutHold } = this.#options;
    if (findRolloutHold === undefined || this.#answer !== undefined || startsRollout?.(this.#context()) !== true)
      return;
    const rolloutHold = await findRolloutHold();
    this.#answer = rolloutHold === undefined ? {} : { rolloutHold };
  }

  async #perform(step: Step, action: Action): Promise<void> {
    this.#throwIfAborted();
    const target = targetOf(action);
    const answer = await performAction(this.#options.client, action);
    this.#takeIn(action, answer);
    const write: Write = {
      step: step.name,
      verb: action.verb,
      kind: target.kind,
      name: target.name,
      namespace: target.namespace,
      resourceVersion: answer?.metadata.resourceVersion,
    };
    this.#written.push(write);
    this.#options.onWrite?.(write);
  }

  #takeIn(action: Action, answer: Answer): void {
    const { kind, name, namespace } = targetOf(action);
    if (answer === undefined) {
      this.#world.remove(kind, name, namespace);
      return;
    }
    this.#world.record(kind, answer, action.verb === 'create' ? 'created' : 'changed');
    const isRecorded = action.verb === 'create' || (action.verb === 'patch' && action.unrecorded !== true);
    if (isRecorded) this.#generations = recordGeneration(this.#generations, kind, answer, action.hash);
  }

  async #readAgain(failed: readonly FailedAction[], attempt: number): Promise<void> {
    const { client, log, signal } = this.#options;
    // A path that is not served yet (a CRD just established) has no object to read, and a server that fails needs time: all that helps is a little later.
    if (failed.some(({ action, error }) => isTransient(error) || (action.verb === 'create' && isNotFound(error)))) {
      await pause(PAUSE_MS * 2 ** attempt, undefined, { signal }).catch(() => {
        this.#throwIfAborted();
      });
    }
    const unread = await runBatch(
      failed.map(({ action }) => action),
      async (action) => {
        const target = targetOf(action);
        const object = await client.find(target);
        if (object === undefined) this.#world.remove(target.kind, target.name, target.namespace);
        else this.#world.record(target.kind, object, 'read');
        log.debug(
          { kind: target.kind, name: target.name },
          'read again: the API server has newer data than the cache, or nobody knows what it has done',
        );
      },
    );
    this.#throwIfAborted();
    for (const { action, error } of unread)
      log.warn({ err: error }, `cannot read again what was to ${describeAction(action)}`);
  }

  async #passGates(step: Step, plan: StepPlan): Promise<boolean> {
    const awaited = plan.stop ?? (await this.#hold(step, plan.until));
    if (awaited === undefined) return true;
    this.#stopped = { step: step.name, awaited, isResumedAtOnce: plan.isResumedAtOnce === true };
    return false;
  }

  /** Waits for the store to make the condition true; the text of what keeps the run from going on after the time-out. */
  async #hold(step: Step, until: StepPlan['until']): Promise<string | undefined> {
    if (until === undefined || until.isTrue(this.#world)) return undefined;
    const { store, signal, patienceMs = 0, isOutdated } = this.#options;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const [ms, outcome] =
      until.isOptional === true ? [until.timeoutMs, undefined] : [Math.max(until.timeoutMs, patienceMs), until.awaited];
    const timer = setTimeout(resolve, ms, outcome);
    const evaluate = () => {
      if (signal.aborted || until.isTrue(this.#world)) resolve(undefined);
      else if (isOutdated?.() === true) resolve(until.awaited);
      else this.#options.onStep?.({ step: step.name, state: 'held', context: this.#context() });
    };
    const unsubscribe = store.onChange(evaluate);
    signal.addEventListener('abort', evaluate);
    // A change between the first look and the subscription would otherwise be missed.
    evaluate();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      unsubscribe();
      signal.removeEventListener('abort', evaluate);
      this.#throwIfAborted();
    }
  }

  #context(): PassContext {
    const { context } = this.#options;
    const leftAlone = [...(context.leftAlone ?? []), ...this.#refused.map(asLeftAlone)];
    return { ...context, ...this.#answer, leftAlone, world: this.#world, generations: this.#generations };
  }

  #fail(step: Step, error: unknown): void {
    this.#failures.push({
      step: step.name,
      object: undefined,
      error: error instanceof Error ? error : new Error(String(error)),
    });
  }

  #throwIfAborted(): void {
    const { signal } = this.#options;
    if (signal.aborted) throw new PassAborted(String(signal.reason), { cause: signal.reason });
  }
}

function asLeftAlone({ kind, name, namespace }: Target): NonNullable<PassContext['leftAlone']>[number] {
  return { kind, name, ...(namespace === undefined ? {} : { namespace }) };
}
