import express, { type RequestHandler, type Router } from 'express';
import { errorText } from '../../src/errors.ts';
import type { Log } from '../../src/log.ts';
import type { ProfileFiles, Recorder } from './recorder.ts';

/** The other processes of the operator, which have no profiler page or another one. */
interface OtherProcesses {
  /** Tells all of them; does not wait until they have done it. Rejects when they cannot be reached. */
  tell(command: 'start' | 'stop'): Promise<void>;
  /** The profiles of those that answer in time, by name of the process. Rejects when they cannot be reached. */
  collect(): Promise<Record<string, ProfileFiles>>;
}

/** What the profiler needs. */
export interface ProfilerOptions {
  recorder: Recorder;
  /** The cluster's switch, `developerConfiguration.clusterProfiler`. */
  isEnabled: () => boolean;
  /** Absent where there is no way to them. */
  others?: OtherProcesses | undefined;
  log: Log;
}

const SWITCHED_OFF =
  'the profiler is off: ClusterProfiler needs spec.configuration.developerConfiguration.clusterProfiler in the KubeVirt object';

/** Upstream's answer: file names to base64. */
function buildDump(own: ProfileFiles, others: Record<string, ProfileFiles>): Record<string, string> {
  const named = Object.entries(others).flatMap(([process, files]) =>
    Object.entries(files).map(([file, content]): [string, Buffer] => [`${process}.${file}`, content]),
  );
  return Object.fromEntries([...Object.entries(own), ...named].map(([name, file]) => [name, file.toString('base64')]));
}

/**
 * The profiler function: `/start-profiler`, `/stop-profiler` and `/dump-profiler` (spec/observability.md §8) for this process and, by way of `others`, for
 * every other one. An answer never waits for the others longer than they may take, and without a way to them it is about this process alone.
 */
export function createProfiler({ recorder, isEnabled, others, log }: ProfilerOptions): Router {
  const router = express.Router();
  const tolerate = async <T>(asked: Promise<T> | undefined, instead: T): Promise<T> => {
    try {
      return (await asked) ?? instead;
    } catch (error) {
      log.warn({ reason: errorText(error) }, 'the other processes are not profiled');
      return instead;
    }
  };
  const serve = (path: string, answer: () => Promise<string>) => {
    router.get(path, requireSwitch(isEnabled), async (_request, response) => {
      try {
        response
          .status(200)
          .type('application/json')
          .send(await answer());
      } catch (error) {
        response.status(500).type('text/plain').send(errorText(error));
      }
    });
    router.all(path, (_request, response) => {
      response.status(405).set('Allow', 'GET').end();
    });
  };
  serve('/start-profiler', async () => {
    await Promise.all([recorder.start(), tolerate(others?.tell('start'), undefined)]);
    return '';
  });
  serve('/stop-profiler', async () => {
    await Promise.all([recorder.stop(), tolerate(others?.tell('stop'), undefined)]);
    return '';
  });
  serve('/dump-profiler', async () => {
    const [own, more] = await Promise.all([recorder.dump(), tolerate(others?.collect(), {})]);
    return JSON.stringify({ pprofData: buildDump(own, more) }, undefined, 4);
  });
  return router;
}

const requireSwitch =
  (isEnabled: () => boolean): RequestHandler =>
  (_request, response, next) => {
    if (isEnabled()) next();
    else response.status(403).type('text/plain').send(SWITCHED_OFF);
  };
