import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Log } from '../core/ports.ts';

type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0];

/** Logs when the collector stops to take traces, and when it takes them again. The SDK itself says nothing. */
export function noteExports(exporter: SpanExporter, log: Log): SpanExporter {
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
