import type { ReceivedSpan } from './otlp-receiver.ts';

const columns = 44;

/** Draws a trace as text: one line per span, indented below its parent, with its process and its time. */
export function drawTrace(spans: readonly ReceivedSpan[]): string {
  const ordered = spans.toSorted((one, other) => one.startMs - other.startMs);
  const known = new Set(spans.map(({ spanId }) => spanId));
  const startMs = Math.min(...spans.map((span) => span.startMs));
  const totalMs = Math.max(...spans.map((span) => span.endMs)) - startMs;
  const processes = [...new Set(ordered.map((span) => span.resource['service.instance.id']))];
  const roots = ordered.filter(({ parentSpanId }) => !known.has(parentSpanId));
  return roots.flatMap((root) => lines(root, 0)).join('\n');

  function lines(span: ReceivedSpan, depth: number): string[] {
    const letter = String.fromCharCode(65 + processes.indexOf(span.resource['service.instance.id']));
    const name = `${'  '.repeat(depth)}${span.name}${span.events.length > 0 ? ` (${span.events.join(', ')})` : ''}`;
    const from = Math.floor(((span.startMs - startMs) / totalMs) * columns);
    const to = Math.max(from + 1, Math.ceil(((span.endMs - startMs) / totalMs) * columns));
    const bar = `${' '.repeat(from)}${'█'.repeat(to - from)}`.padEnd(columns);
    const times = `${whole(span.startMs - startMs)} +${whole(span.endMs - span.startMs)} ms`;
    const below = ordered.filter(({ parentSpanId }) => parentSpanId === span.spanId);
    return [`${letter} |${bar}| ${times.padStart(15)}  ${name}`, ...below.flatMap((each) => lines(each, depth + 1))];
  }
}

function whole(ms: number): string {
  return String(Math.round(ms));
}
