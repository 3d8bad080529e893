import type { Router } from 'express';

import { createProfiler } from '../../functions/profiler/index.ts';
import { Recorder } from '../../functions/profiler/recorder.ts';
import type { RedisConnections } from '../queue/connection.ts';
import { Profiling } from '../queue/profiling.ts';
import { errorText } from '../errors.ts';
import { findActive } from './active-kubevirt.ts';
import type { FunctionSources } from './function-sources.ts';
import type { Closers, RoleContext } from './role.ts';

/** What the profiler of a process is made from. */
export interface ProfilerParts {
  context: RoleContext;
  sources: Pick<FunctionSources, 'kubeVirts' | 'onChange'>;
  closers: Closers;
  /** Absent where there is none: then a process knows of no other. */
  redis?: RedisConnections;
}

/** Builds the profiler of a process, which obeys the cluster's switch and, where there is Redis, profiles all processes together. */
export function openProfiler(parts: ProfilerParts): Router {
  const { context, sources, redis, closers } = parts;
  const { config, log } = context;
  const recorder = new Recorder();
  const isEnabled = () => {
    const { configuration } = findActive(sources.kubeVirts())?.spec ?? {};
    return configuration?.developerConfiguration?.clusterProfiler === true;
  };
  const discard = () => {
    recorder.discard().catch((error: unknown) => {
      log.warn({ reason: errorText(error) }, 'a profile was not ended cleanly');
    });
  };
  const stopFollowing = sources.onChange(() => {
    if (recorder.isRecording && !isEnabled()) discard();
  });
  closers.add('profiler', () => {
    stopFollowing();
    return recorder.discard();
  });
  if (redis === undefined) return createProfiler({ recorder, isEnabled, log });
  const name = `${config.role}.${config.hostname}`;
  const others = new Profiling({ redis, name, profiled: recorder, isEnabled, log });
  closers.add('commands of the profiler', others.listen());
  return createProfiler({ recorder, isEnabled, others, log });
}
