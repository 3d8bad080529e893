import { ConfigurationError } from './errors.ts';

/** How much is traced; absent: nothing. */
export interface TracingEnvironment {
  /** Share of the traces that are kept, 0 to 1. */
  readonly ratio: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

const RATIO_SAMPLERS = ['traceidratio', 'parentbased_traceidratio'];

/**
 * Reads OpenTelemetry's variables: tracing is on when `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` names a collector for OTLP over
 * HTTP, and neither `OTEL_SDK_DISABLED` nor `OTEL_TRACES_EXPORTER` says otherwise. Of the samplers only the two by ratio change anything.
 * @throws ConfigurationError for an address or a share that is none
 */
export function readTracingEnvironment(env: Environment): TracingEnvironment | undefined {
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT || '';
  if (endpoint === '' || isDisabled(env)) return undefined;
  const protocol = URL.parse(endpoint)?.protocol;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new ConfigurationError(
      `OTEL_EXPORTER_OTLP_ENDPOINT takes the address of a collector, for example http://collector.example.com:4318, not ${JSON.stringify(endpoint)}`,
    );
  }
  const isByRatio = RATIO_SAMPLERS.includes(env.OTEL_TRACES_SAMPLER ?? '');
  return { ratio: isByRatio ? readRatio(env.OTEL_TRACES_SAMPLER_ARG) : 1 };
}

function isDisabled(env: Environment): boolean {
  return env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none';
}

function readRatio(text = '1'): number {
  const ratio = Number(text);
  if (text.trim() !== '' && ratio >= 0 && ratio <= 1) return ratio;
  throw new ConfigurationError(`OTEL_TRACES_SAMPLER_ARG takes a number from 0 to 1, not ${JSON.stringify(text)}`);
}
