import { STRATEGY_IDENTIFIER_ANNOTATION } from '../api/names.ts';
import { isJsonObject, type KubernetesObject } from '../api/objects.ts';
import { errorText } from '../errors.ts';
import { parseStrategyConfigMap, strategyConfigMapsOf } from './config-map.ts';
import { attemptOf } from './dump-job.ts';
import type { InstallStrategy, TargetDeployment } from '../strategy/types.ts';

/** The KubeVirt release whose objects this program generates itself; every other one is asked for by a Job. */
export const COMPILED_RELEASE = 'v1.9.0';

/** Seconds before a dump Job is tried again: doubled from attempt to attempt up to the limit. */
const RETRY_SECONDS = { first: 10, limit: 300 } as const;

/** What a source is decided from. */
export interface SourceInput {
  target: TargetDeployment;
  /** All strategy ConfigMaps, of any deployment. */
  configMaps: readonly KubernetesObject[];
  /** All dump Jobs, of any deployment. */
  jobs: readonly KubernetesObject[];
  now: Date;
  /** Reads a ConfigMap; default `parseStrategyConfigMap`. Upstream's take the better part of a second: a caller that decides often remembers results. */
  parse?: (configMap: KubernetesObject) => InstallStrategy;
}

/** Where the strategy comes from, or what to do to get it. */
export type StrategySource =
  /** Generate it. Its ConfigMap is to be written all the same: a hand-back to upstream needs it. */
  | { type: 'native'; obsoleteJobs: KubernetesObject[] }
  /** It was in a ConfigMap. `problems`: newer ConfigMaps that could not be read. */
  | {
      type: 'configmap';
      strategy: InstallStrategy;
      configMap: KubernetesObject;
      problems: string[];
      obsoleteJobs: KubernetesObject[];
    }
  /** Create the Job of this attempt (`buildDumpJob`). */
  | { type: 'create-job'; attempt: number; reason: string; obsoleteJobs: KubernetesObject[] }
  /** Nothing to do before a Job changes, or before `until`. `failure`: what has gone wrong so far, to be told. */
  | {
      type: 'wait';
      reason: string;
      until?: Date;
      /** The Job that is under way. */
      job?: KubernetesObject;
      failure?: string;
      obsoleteJobs: KubernetesObject[];
    };

/**
 * Decides where the strategy of a target comes from (spec/strategy.md §3, design decision 6). `obsoleteJobs` are of no use any more and may be deleted.
 *
 * Beyond upstream: a failed Job is tried again, an unreadable ConfigMap does not hide an older good one, and waits grow with each attempt. The failed
 * Job itself carries the count: it stays until its successor exists. A Job for another deployment goes as soon as the strategy is there: where its image
 * cannot be pulled, it would never end.
 */
export function decideStrategySource(input: SourceInput): StrategySource {
  const { target, parse = parseStrategyConfigMap } = input;
  const jobs = input.jobs.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const obsoleteJobs = jobs.filter((job) => isFinished(job) || !isFor(target, job));
  if (target.kubeVirtVersion === COMPILED_RELEASE) return { type: 'native', obsoleteJobs };
  const problems: string[] = [];
  for (const configMap of strategyConfigMapsOf(target, input.configMaps)) {
    try {
      const strategy = parse(configMap);
      return { type: 'configmap', strategy, configMap, problems, obsoleteJobs };
    } catch (error) {
      problems.push(errorText(error));
    }
  }
  return decideJob({ ...input, jobs }, problems);
}

function decideJob({ target, jobs, now }: SourceInput, problems: string[]): StrategySource {
  const own = jobs.filter((job) => isFor(target, job)).sort((a, b) => attemptOf(b) - attemptOf(a));
  const running = own.find((job) => !isFinished(job));
  if (running !== undefined) {
    const reason = `Job ${nameOf(running)} is to write the strategy of ${target.kubeVirtVersion}`;
    const attempt = attemptOf(running);
    const failure = attempt === 1 ? {} : { failure: `${reason}: attempt ${attempt}, the ones before it have failed` };
    return { type: 'wait', reason, job: running, ...failure, obsoleteJobs: jobs.filter(isFinished) };
  }
  const [last, ...older] = own;
  if (last === undefined) {
    const reason = ['there is no strategy yet', ...problems].join('; ');
    return { type: 'create-job', attempt: 1, reason, obsoleteJobs: [] };
  }
  return decideRetry(last, { now, problems, obsoleteJobs: older });
}

/** After a Job that has ended and left no readable ConfigMap. One that succeeded may be ahead of our cache of ConfigMaps: the wait covers that too. */
function decideRetry(
  job: KubernetesObject,
  context: { now: Date; problems: string[]; obsoleteJobs: KubernetesObject[] },
): StrategySource {
  const { now, problems, obsoleteJobs } = context;
  const attempt = attemptOf(job);
  const seconds = Math.min(RETRY_SECONDS.first * 2 ** (attempt - 1), RETRY_SECONDS.limit);
  const until = new Date(endOf(job, now).getTime() + seconds * 1000);
  const failed = failureOf(job);
  const reason = [`Job ${nameOf(job)} ${failed ?? 'ended without leaving a readable strategy'}`, ...problems].join(
    '; ',
  );
  if (now >= until) return { type: 'create-job', attempt: attempt + 1, reason, obsoleteJobs };
  // The first Job that succeeded may only be ahead of our cache of ConfigMaps.
  const isCertain = failed !== undefined || problems.length > 0 || attempt > 1;
  const failure = isCertain ? { failure: `${reason}; the next attempt is at ${until.toISOString()}` } : {};
  return { type: 'wait', reason, until, ...failure, obsoleteJobs };
}

const isFor = ({ id }: TargetDeployment, { metadata }: KubernetesObject): boolean =>
  metadata.annotations?.[STRATEGY_IDENTIFIER_ANNOTATION] === id;

const nameOf = ({ metadata }: KubernetesObject): string => metadata.name ?? '';

interface JobCondition {
  message: string;
  time: string | undefined;
}

/** The true condition of a type; upstream overlooks `Failed`, and so never tries again (spec/strategy.md §5.2). */
function conditionOf(job: KubernetesObject, type: string): JobCondition | undefined {
  const conditions = job.status?.['conditions'];
  const found = (Array.isArray(conditions) ? conditions : [])
    .filter(isJsonObject)
    .find((condition) => condition['type'] === type && condition['status'] === 'True');
  if (found === undefined) return undefined;
  const { message, lastTransitionTime } = found;
  return {
    message: typeof message === 'string' ? message : '',
    time: typeof lastTransitionTime === 'string' ? lastTransitionTime : undefined,
  };
}

const completionOf = (job: KubernetesObject): string | undefined => {
  const time = job.status?.['completionTime'];
  return typeof time === 'string' ? time : undefined;
};

function failureOf(job: KubernetesObject): string | undefined {
  const failure = conditionOf(job, 'Failed');
  return failure === undefined ? undefined : `has failed: ${failure.message}`;
}

/** Whether a dump Job has ended, well or badly. */
function isFinished(job: KubernetesObject): boolean {
  return completionOf(job) !== undefined || conditionOf(job, 'Failed') !== undefined;
}

/** When a Job ended; a time that cannot be read counts as now, so that a wait follows and not a storm of Jobs. */
function endOf(job: KubernetesObject, now: Date): Date {
  const end = new Date(completionOf(job) ?? conditionOf(job, 'Failed')?.time ?? NaN);
  return Number.isNaN(end.getTime()) ? now : end;
}
