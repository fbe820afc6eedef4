import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { people, team } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeService, serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { type FakeSlack, startFakeSlack } from '../support/fake-slack/fake-slack.ts';
import { mentionOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../support/otlp/otlp-receiver.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { runProgram } from '../support/processes/run.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createSlackDeliveries, signingSecret } from '../support/storm/slack-deliveries.ts';
import { superviseApp } from '../support/storm/supervised-app.ts';
import { visibleText } from '../support/world/world.ts';

const columns = 44;

/** Draws a trace as text: one line per span, indented below its parent, with its process and its time. */
function drawTrace(spans: readonly ReceivedSpan[]): string {
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

let mainFile: string;
let folder: string;
let slack: FakeSlack;
let service: FakeService;
let settings: Record<string, string>;

beforeEach(async () => {
  mainFile = await builtProgram('src/main.ts');
  const directory = await createTempDir();
  onTestFinished(directory.remove);
  folder = directory.path;
  slack = await startFakeSlack();
  onTestFinished(slack.stop);
  service = await startFakeService();
  onTestFinished(service.stop);
  settings = {
    SLACK_BOT_TOKEN: team.botToken,
    SLACK_SIGNING_SECRET: signingSecret,
    SLACK_API_URL: slack.url,
    SRC_ENDPOINT: service.url,
    SRC_ACCESS_TOKEN: serviceToken,
    DATA_DIR: join(folder, 'data'),
    OTEL_SERVICE_NAME: 'deep-search-of-acme',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=acme',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
});

test('a question whose process is killed goes on in the same trace in the next process', async () => {
  const collector = await startOtlpReceiver();
  onTestFinished(collector.stop);
  const app = await superviseApp({
    mainFile,
    logFile: join(folder, 'app.log'),
    settings: { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  onTestFinished(app.stop);
  await app.untilReady();
  const ts = slack.say('C0GENERAL', people.ada, 'Where is main?');
  const deliveries = createSlackDeliveries(() => [app.url]);
  expect(await deliveries.event(mentionOf({ user: people.ada, text: 'Where is main?', ts }))).toBe(true);
  const question = await eventually(() => one(service.find('Where is main?')));
  const named = (name: string) => collector.spans.filter((span) => span.name === name);
  const accepted = await eventually(() => one(named('accept question')));
  await eventually(() => expect(named('POST /.api/deepsearch/v1')).toHaveLength(1));
  await eventually(() => expect(named('GET /.api/deepsearch/v1/{id}').length).toBeGreaterThan(0));

  app.kill();
  await eventually(() => expect(app.starts()).toBe(2));
  await app.untilReady();
  service.answer(question);
  await eventually(() => expect(slack.inThread(ts).map(visibleText).join()).toContain('The answer to'));
  await eventually(() => expect(slack.inThread(ts).map(visibleText).join()).toContain('Answered in'));
  await app.stop();

  const trace = collector.spans.filter(({ traceId }) => traceId === accepted.traceId);
  // Each process traced only this question.
  expect(collector.spans).toEqual(trace);
  const processes = [...new Set(trace.map(({ resource }) => resource['service.instance.id']))];
  expect(processes).toHaveLength(2);
  const [first, second] = processes.map((id) => trace.filter(({ resource }) => resource['service.instance.id'] === id));
  expect(first?.map(({ name }) => name)).toContain('accept question');
  expect(second?.flatMap(({ events }) => events)).toContain('post');
  expect(second?.filter(({ name }) => name === 'advance question').map(({ parentSpanId }) => parentSpanId)).toContain(
    accepted.spanId,
  );
  expect(accepted.resource).toMatchObject({
    'service.name': 'deep-search-of-acme',
    'deployment.environment.name': 'test',
  });
  expect(new Set(collector.requests.map(({ headers }) => headers['x-tenant']))).toEqual(new Set(['acme']));
  // Writes the picture of docs/observability/traces.md.
  if (process.env.DRAW_TRACE) await writeFile(process.env.DRAW_TRACE, drawTrace(trace));
});

const coverageSchema = z.object({ result: z.array(z.object({ url: z.string() })) });

/** The metrics library loads the API of OpenTelemetry. Without an SDK it does nothing. */
const always = ['@opentelemetry/api'];

/** The names of the OpenTelemetry packages that the app loads until it is ready. */
async function loadedPackages(more: Record<string, string>): Promise<string[]> {
  const coverage = join(folder, 'coverage');
  const app = runProgram(mainFile, [], {
    ...settings,
    ...more,
    PORT: '0',
    METRICS_PORT: '0',
    HOST: '127.0.0.1',
    NODE_V8_COVERAGE: coverage,
  });
  onTestFinished(app.stop);
  await eventually(() => expect(app.output()).toContain('app_started'));
  await app.stop();
  const files = await readdir(coverage);
  const texts = await Promise.all(files.map((file) => readFile(join(coverage, file), 'utf8')));
  const urls = texts.flatMap((text) => coverageSchema.parse(JSON.parse(text)).result.map(({ url }) => url));
  // The list is of the right process.
  expect(urls.filter((url) => url.includes('/@slack/bolt/'))).not.toEqual([]);
  return [...new Set(urls.map((url) => /node_modules\/(@opentelemetry\/[\w-]+)/.exec(url)?.[1] ?? ''))].filter(Boolean);
}

test('no SDK of OpenTelemetry is loaded unless the setting names a collector', async () => {
  expect(await loadedPackages({})).toEqual(always);
  const withCollector = await loadedPackages({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  expect(withCollector).toContain('@opentelemetry/sdk-trace-base');
});
