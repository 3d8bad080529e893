import type { Log } from '../log.ts';
import { NO_TRACE, type OpenTrace } from './trace.ts';

/** What tracing is configured by. Where to send, and with which headers, OpenTelemetry's exporter reads from its own variables `OTEL_EXPORTER_OTLP_*`. */
export interface TracingConfig {
  /** Share of the traces that are kept, 0 to 1; those of callers follow the caller. Absent: tracing is off. */
  tracing: { ratio: number } | undefined;
  hostname: string;
  role: string;
}

/** Opens tracing. Where it is off, nothing of OpenTelemetry's SDK is loaded. */
export async function openTrace(config: TracingConfig, version: string, log: Log): Promise<OpenTrace> {
  const { tracing, hostname, role } = config;
  if (tracing === undefined) return { trace: NO_TRACE, close: () => Promise.resolve() };
  const { startTelemetry } = await import('./telemetry.ts');
  return startTelemetry({ ...tracing, version, instance: hostname, role }, log);
}
