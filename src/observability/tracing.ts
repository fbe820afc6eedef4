import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  isSpanContextValid,
  type Span as OpenTelemetrySpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
  ATTR_URL_FULL,
} from '@opentelemetry/semantic-conventions';
import {
  ATTR_MESSAGING_MESSAGE_ID,
  ATTR_MESSAGING_OPERATION_NAME,
  ATTR_MESSAGING_OPERATION_TYPE,
  ATTR_MESSAGING_SYSTEM_NAME,
  ATTR_URL_TEMPLATE,
} from '@opentelemetry/semantic-conventions/incubating';
import { isAppError } from '../core/errors.ts';
import { within } from '../core/pacing.ts';
import type { Log } from '../core/ports.ts';
import {
  type Span,
  type SpanFields,
  type TraceContext,
  type TracedRequest,
  type TracedStep,
  type Tracer,
  untraced,
} from '../core/tracing.ts';

interface TracingOptions {
  /** Base address of the collector. Traces go to `v1/traces` under it, as OTLP over HTTP with protobuf. */
  endpoint: string;
  /** Version of this application. */
  version: string;
  /** What delivers the runs of `advance`. */
  scheduler: 'bullmq' | 'timers';
  log: Log;
}

export interface Tracing {
  tracer: Tracer;
  /** The trace that the caller belongs to, for the log. */
  traceId(): string | undefined;
  /** Sends what is left, for at most `mostMs`. */
  stop(mostMs: number): Promise<void>;
}

/** Attributes of the fields that have no standard name begin with the app's name. */
const attributeNames: readonly (readonly [keyof SpanFields, string])[] = [
  ['outcome', 'deepsearch_slack.outcome'],
  ['phase', 'deepsearch_slack.question.phase'],
  ['origin', 'deepsearch_slack.question.origin'],
  ['nextRunMs', 'deepsearch_slack.next_run_ms'],
  ['teamId', 'slack.team.id'],
  ['channelId', 'slack.channel.id'],
  ['status', ATTR_HTTP_RESPONSE_STATUS_CODE],
];

/** Stands for a path that is a secret. The semantic conventions of URLs name this word. */
const redacted = 'REDACTED';

/**
 * Starts OpenTelemetry. The SDK reads its other settings (`OTEL_…`) from the environment. Ended spans wait in a bounded queue
 * and are sent in the background, and are dropped if the collector does not take them.
 */
export function startTracing({ endpoint, version, scheduler, log }: TracingOptions): Tracing {
  const ours = resourceFromAttributes({ [ATTR_SERVICE_NAME]: 'deepsearch-slack', [ATTR_SERVICE_VERSION]: version });
  const detected = detectResources({ detectors: [serviceInstanceIdDetector, envDetector] });
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(ours).merge(detected),
    spanProcessors: [new BatchSpanProcessor(noteExports(exporter, log))],
  });
  const spans = provider.getTracer('deepsearch-slack', version);
  const current = new AsyncLocalStorage<OpenTelemetrySpan>();

  return {
    tracer: { isOn: true, step, request, event: (name) => void current.getStore()?.addEvent(name) },
    traceId: () => current.getStore()?.spanContext().traceId,
    // What is not sent is logged by the exporter.
    stop: async (mostMs) =>
      void (await within(
        provider.shutdown().catch(() => undefined),
        mostMs,
      )),
  };

  function step<Result>(traced: TracedStep, run: (span: Span) => Promise<Result>): Promise<Result> {
    const { name, questionId, parent, fields = {} } = traced;
    const attributes: Attributes = {
      [ATTR_MESSAGING_SYSTEM_NAME]: name === 'accept' ? 'slack' : scheduler,
      [ATTR_MESSAGING_OPERATION_NAME]: name,
      [ATTR_MESSAGING_OPERATION_TYPE]: 'process',
      [ATTR_MESSAGING_MESSAGE_ID]: questionId,
      ...attributesOf(fields),
    };
    return inSpan(`${name} question`, { kind: SpanKind.CONSUMER, attributes }, contextOf(parent), run);
  }

  function request<Result>(
    { method, origin, path }: TracedRequest,
    run: (span: Span) => Promise<Result>,
  ): Promise<Result> {
    const parent = current.getStore();
    if (parent === undefined) return run(untraced);
    const { hostname, port, protocol } = new URL(origin);
    const attributes: Attributes = {
      [ATTR_HTTP_REQUEST_METHOD]: method,
      [ATTR_SERVER_ADDRESS]: hostname,
      [ATTR_SERVER_PORT]: Number(port || (protocol === 'https:' ? 443 : 80)),
      [ATTR_URL_FULL]: origin + (path ?? `/${redacted}`),
      ...(path === undefined ? {} : { [ATTR_URL_TEMPLATE]: path }),
    };
    const name = path === undefined ? method : `${method} ${path}`;
    return inSpan(name, { kind: SpanKind.CLIENT, attributes }, parent.spanContext(), run);
  }

  async function inSpan<Result>(
    name: string,
    options: SpanOptions,
    parent: SpanContext | undefined,
    run: (span: Span) => Promise<Result>,
  ): Promise<Result> {
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const span = spans.startSpan(name, options, context);
    try {
      return await current.run(span, () => run(spanOf(span)));
    } catch (error) {
      noteError(span, error);
      throw error;
    } finally {
      span.end();
    }
  }
}

function spanOf(span: OpenTelemetrySpan): Span {
  return {
    context: formatContext(span.spanContext()),
    note: (fields) => {
      span.setAttributes(attributesOf(fields));
      // The conventions of HTTP count these as errors of a client's span.
      if (fields.status !== undefined && fields.status >= 400) fail(span, String(fields.status));
    },
    link: (context) => {
      const linked = contextOf(context);
      if (linked !== undefined) span.addLink({ context: linked });
    },
  };
}

/** Notes the kind of an error, and not its message, which could quote an address. */
function noteError(span: OpenTelemetrySpan, error: unknown): void {
  const code = isAppError(error) ? error.code : undefined;
  if (typeof code === 'number') span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, code);
  fail(span, String(code ?? (isAppError(error) ? error.kind : '_OTHER')));
}

function fail(span: OpenTelemetrySpan, errorType: string): void {
  span.setAttribute(ATTR_ERROR_TYPE, errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function attributesOf(fields: SpanFields): Attributes {
  const attributes: Attributes = {};
  for (const [field, name] of attributeNames) {
    if (fields[field] !== undefined) attributes[name] = fields[field];
  }
  return attributes;
}

function formatContext({ traceId, spanId, traceFlags }: SpanContext): TraceContext {
  return `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`;
}

/** Undefined for a text that is no `traceparent` (https://www.w3.org/TR/trace-context/#traceparent-header). */
function contextOf(context: TraceContext | undefined): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(context ?? '') ?? [];
  const parsed: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(parsed) ? parsed : undefined;
}

type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0];

/** Logs when the collector stops to take traces, and when it takes them again. The SDK itself says nothing. */
function noteExports(exporter: SpanExporter, log: Log): SpanExporter {
  let isLost = false;
  return {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        note(result);
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };

  function note({ error }: Result): void {
    if (isLost === (error !== undefined)) return;
    isLost = error !== undefined;
    if (error === undefined) log.info({ event: 'traces.export', outcome: 'back' });
    else log.warn({ event: 'traces.export', outcome: 'lost', code: codeOf(error) });
  }
}

/** The code of the error and not its message, which could quote the collector's reply. */
function codeOf(error: Error): string {
  return 'code' in error && error.code !== undefined ? String(error.code) : error.name;
}
