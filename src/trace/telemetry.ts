import {
  context,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace as api,
  type Context,
  type Span as ApiSpan,
  type Tracer,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { errorText } from '../errors.ts';
import type { Log } from '../log.ts';
import type { OpenTrace, Span, SpanOptions, Trace } from './trace.ts';

/** Milliseconds for the last spans when the process ends. */
const CLOSE_MS = 1000;
const SERVICE_NAME = 'virt-operator';

/** What the SDK is started with. */
interface TelemetryOptions {
  /** Share of the traces that are kept, 0 to 1. */
  ratio: number;
  version: string;
  /** Name of this process. */
  instance: string;
  role: string;
}

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

/** Starts OpenTelemetry's SDK: spans go to the OTLP/HTTP collector of its variables. To be called once per process. */
export function startTelemetry(options: TelemetryOptions, log: Log): OpenTrace {
  followDiagnostics(log);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = new TracerProvider({
    resource: describeProcess(options),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.ratio) }),
    // Spans wait in memory for the collector.
    spanLimits: { attributeValueLengthLimit: 1024 },
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  return {
    trace: createTrace(provider.getTracer(SERVICE_NAME, options.version)),
    close: async () => {
      const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
      await Promise.race([
        provider.shutdown().catch((error: unknown) => {
          log.warn({ reason: errorText(error) }, 'the last traces were not sent');
        }),
        late,
      ]);
      context.disable();
      diag.disable();
    },
  };
}

/** Who sends; `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` win. */
function describeProcess({ version, instance, role }: TelemetryOptions) {
  return resourceFromAttributes({
    'service.name': SERVICE_NAME,
    'service.version': version,
    'service.instance.id': instance,
    'virt_operator.role': role,
  }).merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
}

/** A collector that is away is no trouble of ours: told in our log, and seldom. */
function followDiagnostics(log: Log): void {
  let said = '';
  const say = (message: string) => {
    const text = message.slice(0, 500);
    if (text !== said) log.warn({ reason: text }, 'traces cannot be sent');
    said = text;
  };
  const ignore = () => undefined;
  diag.setLogger({ error: say, warn: say, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);
}

function createTrace(tracer: Tracer): Trace {
  return {
    span: async ({ name, kind = 'internal', attributes = {}, parent, isPart }, task) => {
      if (isPart === true && api.getActiveSpan() === undefined) return task(IGNORED);
      const options = { kind: KINDS[kind], attributes };
      return tracer.startActiveSpan(name, options, continueFrom(parent), async (span) => {
        try {
          return await task(wrap(span));
        } catch (error) {
          span.setStatus({ code: SpanStatusCode.ERROR, message: errorText(error) });
          throw error;
        } finally {
          span.end();
        }
      });
    },
  };
}

const IGNORED: Span = { set: () => undefined, fail: () => undefined };

const wrap = (span: ApiSpan): Span => ({
  set: (attributes) => span.setAttributes(attributes),
  fail: (message) => span.setStatus({ code: SpanStatusCode.ERROR, message }),
});

const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

function continueFrom(parent: SpanOptions['parent']): Context {
  const [, traceId, spanId, flags] = TRACE_PARENT.exec(parent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return context.active();
  return api.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
}
