/** What a span tells. */
type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A span that is under way. */
export interface Span {
  /** Adds to what it tells. */
  set(attributes: Attributes): void;
  /** Marks it as failed for this reason, although the task goes on or ends well. */
  fail(reason: string): void;
}

/** What a span is begun with. */
export interface SpanOptions {
  name: string;
  /** Default `internal`: a part of what this process does by itself. */
  kind?: 'internal' | 'server' | 'client';
  attributes?: Attributes;
  /** W3C `traceparent` of a caller in another process, whose trace goes on here; one that is no such text is passed over. */
  parent?: string | undefined;
  /** Only as a part of something larger: without a span around it there is none. */
  isPart?: true;
}

/** Where spans go. Those that are begun while a task runs, also in what it awaits, are parts of that task's span. */
export interface Trace {
  /** Runs the task as a span. What it rejects with marks the span as failed and is passed on. */
  span<T>(options: SpanOptions, task: (span: Span) => Promise<T>): Promise<T>;
}

/** Tracing of one process. */
export interface OpenTrace {
  trace: Trace;
  /** Sends what has not been sent; never rejects, and waits no longer than a second for a collector that is away. */
  close: () => Promise<void>;
}

const NO_SPAN: Span = { set: () => undefined, fail: () => undefined };

/** Tracing that is off: runs tasks and does nothing else. */
export const NO_TRACE: Trace = { span: (_options, task) => task(NO_SPAN) };
