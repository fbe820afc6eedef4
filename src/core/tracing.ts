/**
 * Where the trace of a question goes on, in any process: a W3C `traceparent`
 * (`00-<32 hex digits>-<16 hex digits>-<flags>`).
 */
export type TraceContext = string;

/** What a span says, under the names of the log. Ids, codes and numbers, never text of people. */
export interface SpanFields {
  outcome?: string;
  phase?: string;
  origin?: string;
  teamId?: string;
  channelId?: string;
  /** Milliseconds until the next run of the question. */
  nextRunMs?: number;
  /** Status of an HTTP reply. */
  status?: number;
}

/** A part of a trace: what is done between its start and its end. */
export interface Span {
  /** For what belongs under this span in another process. Undefined if nothing is traced. */
  readonly context: TraceContext | undefined;
  note(fields: SpanFields): void;
  /** Refers to a span of another trace. */
  link(context: TraceContext): void;
}

/** A step of a question. */
export interface TracedStep {
  name: 'accept' | 'advance';
  questionId: string;
  /** The question's stored context. Without it the step begins a trace. */
  parent?: TraceContext;
  fields?: SpanFields;
}

/** A request to another program. */
export interface TracedRequest {
  method: string;
  origin: string;
  /** The path, with `{names}` in the place of ids, and without a query. Absent if the path is a secret. */
  path?: string;
}

/**
 * Traces questions. Every method returns what `run` returns and throws what `run` throws, and does not wait for the
 * program that collects the traces.
 */
export interface Tracer {
  /** Whether anything is traced. */
  readonly isOn: boolean;
  /** Runs a step of a question in a span. */
  step<Result>(step: TracedStep, run: (span: Span) => Promise<Result>): Promise<Result>;
  /** Runs one request in a span under the step that runs now. Outside of a step there is no span. */
  request<Result>(request: TracedRequest, run: (span: Span) => Promise<Result>): Promise<Result>;
  /** Adds a named moment to the span that runs now, if there is one. */
  event(name: string): void;
}

/** A span outside of every trace. */
export const untraced: Span = { context: undefined, note: () => {}, link: () => {} };

/** Traces nothing. */
export const noTracer: Tracer = {
  isOn: false,
  step: (_step, run) => run(untraced),
  request: (_request, run) => run(untraced),
  event: () => {},
};
