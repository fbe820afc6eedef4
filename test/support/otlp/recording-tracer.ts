import type { SpanFields, TraceContext, TracedRequest, TracedStep, Tracer } from '../../../src/core/tracing.ts';

/** A step as it was traced. */
export interface RecordedStep extends TracedStep {
  context: TraceContext;
  noted: SpanFields;
  links: TraceContext[];
  events: string[];
}

/** A request as it was traced. */
export interface RecordedRequest extends TracedRequest {
  context: TraceContext;
  noted: SpanFields;
}

/** A tracer that keeps the steps and the requests in the order of their start. */
export function createRecordingTracer(): { tracer: Tracer; steps: RecordedStep[]; requests: RecordedRequest[] } {
  const steps: RecordedStep[] = [];
  const requests: RecordedRequest[] = [];
  const hex = (digits: number): string => (steps.length + 1).toString(16).padStart(digits, '0');
  const tracer: Tracer = {
    isOn: true,
    step: (step, run) => {
      const traceId = step.parent?.split('-')[1] ?? hex(32);
      const recorded: RecordedStep = {
        ...step,
        context: `00-${traceId}-${hex(16)}-01`,
        noted: {},
        links: [],
        events: [],
      };
      steps.push(recorded);
      return run({
        context: recorded.context,
        note: (fields) => void Object.assign(recorded.noted, fields),
        link: (context) => void recorded.links.push(context),
      });
    },
    request: (request, run) => {
      const context = `00-${'d'.repeat(32)}-${(requests.length + 1).toString(16).padStart(16, '0')}-01`;
      const recorded: RecordedRequest = { ...request, context, noted: {} };
      requests.push(recorded);
      return run({ context, note: (fields) => void Object.assign(recorded.noted, fields), link: () => {} });
    },
    event: (name) => void steps.at(-1)?.events.push(name),
  };
  return { tracer, steps, requests };
}
