import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { FarSide, OperatorState } from '../../../src/observability/health.ts';
import {
  createMetricsServer,
  createOperatorServer,
  type Dependency,
  type Mounts,
  type PageServer,
} from '../../../src/observability/http-server.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';
import { eventually } from '../../support/eventually.ts';
import { exchange, statusOf } from '../../support/http-exchange.ts';
import { freePort } from '../../support/processes/free-port.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

let running: PageServer[] = [];

afterEach(async () => {
  await Promise.all(running.map((server) => server.stop()));
  running = [];
});

async function start({
  dependencies = [],
  mounts = {},
  farSides = [],
}: {
  dependencies?: Dependency[];
  mounts?: Mounts;
  farSides?: FarSide[];
} = {}) {
  const server = createOperatorServer({ port: 0, host: '127.0.0.1', dependencies, farSides, mounts });
  running.push(server);
  const port = await server.start();
  const get = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method });
  return { server, port, get };
}

async function startMetrics({
  countOpen = async () => 3,
  countRuns = async () => ({ delayed: 2, waiting: 1, active: 0 }),
  dependencies = [],
  farSides = [],
  generation = () => undefined,
}: {
  countOpen?: () => Promise<number>;
  countRuns?: () => Promise<{ delayed: number; waiting: number; active: number }>;
  dependencies?: Dependency[];
  farSides?: FarSide[];
  generation?: () => number | undefined;
} = {}) {
  let nowMs = 0;
  const metrics = createMetrics({
    countOpen,
    countRuns,
    dependencies: () => dependencies,
    farSides: () => farSides,
    generation,
    now: () => nowMs,
  });
  const server = createMetricsServer({ port: 0, host: '127.0.0.1', metrics });
  running.push(server);
  const port = await server.start();
  const get = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method });
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { port, get, metrics, pass };
}

const works = { name: 'storage', check: async () => true };
const farSide = (target: string, state: OperatorState): FarSide => ({ target, state: async () => state });

describe('/livez', () => {
  it('answers whatever fails', async () => {
    const { get } = await start({ dependencies: [{ name: 'storage', check: async () => false }] });
    const response = await get('/livez?probe=1');
    expect([response.status, await response.text()]).toEqual([200, 'ok\n']);
    expect((await get('/livez', 'HEAD')).status).toBe(200);
  });
});

describe('/readyz', () => {
  it('is ready when everything is ready', async () => {
    const { get } = await start({ dependencies: [works, { name: 'slack', check: async () => true }] });
    const response = await get('/readyz');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ready: true, storage: 'ok', slack: 'ok', access: {} });
  });

  it.each(['refused', 'unreachable'] as const)('is ready, and shows it, while a far side is %s', async (state) => {
    const { get } = await start({
      dependencies: [works],
      farSides: [farSide('slack', 'fine'), farSide('deepsearch', state)],
    });
    const response = await get('/readyz');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ready: true, storage: 'ok', access: { slack: 'ok', deepsearch: state } });
  });

  it.each<[string, Dependency['check']]>([
    ['returns false', async () => false],
    [
      'throws',
      async () => {
        throw new Error('secret detail');
      },
    ],
    [
      'throws at once',
      () => {
        throw new Error('secret detail');
      },
    ],
  ])('names a check that %s', async (_, check) => {
    const { get } = await start({ dependencies: [works, { name: 'slack', check }] });
    const response = await get('/readyz');
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ ready: false, storage: 'ok', slack: 'unusable', access: {} });
  });

  it('shares one check among all simultaneous requests', async () => {
    let checks = 0;
    const checking: (() => void)[] = [];
    const check = (): Promise<boolean> => {
      checks += 1;
      return new Promise((resolve) => checking.push(() => resolve(true)));
    };
    const { get } = await start({ dependencies: [{ name: 'storage', check }] });
    const early = Array.from({ length: 20 }, () => get('/readyz'));
    await eventually(() => expect(checking).toHaveLength(1));
    const late = get('/readyz');
    expect((await get('/livez')).status).toBe(200);
    checking[0]?.();
    for (const response of await Promise.all(early)) expect(response.status).toBe(200);
    await eventually(() => {
      checking[1]?.();
      expect(checks).toBeLessThanOrEqual(2);
    });
    expect((await late).status).toBe(200);
  });

  it('does not wait for a check that hangs', async () => {
    const hangs = (name: string): Dependency => ({ name, check: () => new Promise(() => undefined) });
    const { get } = await start({ dependencies: [works, hangs('slack'), hangs('started')] });
    const response = await get('/readyz');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ storage: 'ok', slack: 'unusable' });
  });
});

describe('/metrics', () => {
  it('uses the format and the conventions of Prometheus', async () => {
    const { get, metrics } = await startMetrics();
    metrics.count({ event: 'question_closed', outcome: 'answered', durationMs: 41_000 });
    const response = await get('/metrics');
    const text = await response.text();
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const own = [...text.matchAll(/^# TYPE (deepsearch_slack_\S+) (\w+)$/gm)].map(([, name = '', type = '']) => [
      name,
      type,
    ]);
    expect(own.length).toBeGreaterThanOrEqual(3);
    for (const [name = '', type] of own) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(text).toContain(`# HELP ${name} `);
      expect(name.endsWith('_total')).toBe(type === 'counter');
      if (type === 'histogram') expect(name).toMatch(/_(?:seconds|bytes)$/);
    }
    expect(text).toContain('deepsearch_slack_events_total{event="question_closed",outcome="answered"} 1');
    expect(text).toContain('deepsearch_slack_question_duration_seconds_bucket{le="60",outcome="answered"} 1');
    expect(text).toContain('deepsearch_slack_question_duration_seconds_bucket{le="40",outcome="answered"} 0');
    expect(text).toContain('deepsearch_slack_open_questions 3');
    expect(text).toContain('process_cpu_seconds_total');
  });

  it('distinguishes refused tokens from far sides that do not answer', async () => {
    const { get } = await startMetrics({
      farSides: [farSide('slack', 'refused'), farSide('deepsearch', 'unreachable')],
    });
    const text = await (await get('/metrics')).text();
    expect(text).toContain('deepsearch_slack_access{target="slack"} 0');
    expect(text).toContain('deepsearch_slack_access{target="deepsearch"} 1');
    expect(text).toContain('deepsearch_slack_reachable{target="slack"} 1');
    expect(text).toContain('deepsearch_slack_reachable{target="deepsearch"} 0');
  });

  it('counts the runs of questions by their state, and says if that is unknown', async () => {
    const counting = await startMetrics();
    const text = await (await counting.get('/metrics')).text();
    expect(text).toContain('deepsearch_slack_runs{state="delayed"} 2');
    expect(text).toContain('deepsearch_slack_runs{state="waiting"} 1');
    const { get } = await startMetrics({ countRuns: () => Promise.reject(new Error('no storage')) });
    expect(await (await get('/metrics')).text()).toContain('deepsearch_slack_runs{state="waiting"} Nan');
  });

  it('says of each dependency whether it works', async () => {
    const { get } = await startMetrics({
      dependencies: [
        { name: 'storage', check: () => Promise.reject(new Error('away')) },
        { name: 'slack', check: async () => true },
      ],
    });
    const text = await (await get('/metrics')).text();
    expect(text).toContain('deepsearch_slack_ready{dependency="storage"} 0');
    expect(text).toContain('deepsearch_slack_ready{dependency="slack"} 1');
  });

  it('shows a far side without the API that the app has to use as not reachable', async () => {
    const { get } = await startMetrics({ farSides: [farSide('deepsearch', 'apiMissing')] });
    const text = await (await get('/metrics')).text();
    expect(text).toContain('deepsearch_slack_access{target="deepsearch"} 1');
    expect(text).toContain('deepsearch_slack_reachable{target="deepsearch"} 0');
  });

  it('names the generation of the API that is used', async () => {
    const { get } = await startMetrics({ generation: () => 1 });
    const text = await (await get('/metrics')).text();
    expect(text).toContain('deepsearch_slack_api_used{generation="1"} 1');
    expect(text).toContain('deepsearch_slack_api_used{generation="2"} 0');
  });

  it('shows the rest where the number of open questions is unavailable', async () => {
    const { get } = await startMetrics({ countOpen: () => Promise.reject(new Error('no storage')) });
    const response = await get('/metrics');
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('deepsearch_slack_open_questions Nan');
  });

  it('is computed once for all simultaneous requests, and for a second after that', async () => {
    let counted = 0;
    const counting: (() => void)[] = [];
    const countOpen = (): Promise<number> => {
      counted += 1;
      return new Promise((resolve) => counting.push(() => resolve(counted)));
    };
    const { get, metrics, pass } = await startMetrics({ countOpen });
    const scrapes = Array.from({ length: 20 }, async () => (await get('/metrics')).text());
    await eventually(() => expect(counting).toHaveLength(1));
    // Computing takes long, and nothing else is begun meanwhile.
    pass(5_000);
    const late = get('/metrics').then((response) => response.text());
    metrics.count({ event: 'later' });
    counting[0]?.();
    for (const text of await Promise.all([...scrapes, late])) expect(text).toContain('open_questions 1');
    pass(999);
    expect(await (await get('/metrics')).text()).not.toContain('later');
    expect(counted).toBe(1);
    pass(1);
    const next = get('/metrics').then((response) => response.text());
    await eventually(() => expect(counting).toHaveLength(2));
    counting[1]?.();
    const text = await next;
    expect(text).toContain('open_questions 2');
    expect(text).toContain('event="later"');
    expect(counted).toBe(2);
  });

  it('is the only page of its port, and the other port does not serve it', async () => {
    const [scraped, probed] = [await startMetrics(), await start()];
    for (const path of ['/', '/livez', '/readyz', '/slack/events']) expect((await scraped.get(path)).status).toBe(404);
    expect((await probed.get('/metrics')).status).toBe(404);
    expect((await scraped.get('/metrics', 'POST')).status).toBe(405);
    expect((await scraped.get('/metrics', 'HEAD')).status).toBe(200);
  });
});

describe('every other path', () => {
  it.each(['/', '/nowhere', '/livez/x', '/__proto__', '//', '/%'])('is not found where it is %s', async (path) => {
    const { get } = await start();
    expect((await get(path)).status).toBe(404);
    expect((await get(path, 'POST')).status).toBe(404);
  });

  it.each(['POST', 'PUT', 'DELETE'])('is not allowed with %s on a page', async (method) => {
    const { get } = await start();
    const response = await get('/livez', method);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('goes to the handler that is mounted there, with any method', async () => {
    const { get } = await start({ mounts: { '/slack/events': (_, response) => void response.writeHead(202).end() } });
    expect((await get('/slack/events', 'POST')).status).toBe(202);
    expect((await get('/slack/events?x=1')).status).toBe(202);
  });

  it.each(['/slack/events/', '//slack/events', '/slack//events//?x=1'])(
    'goes there also with slashes that people write by mistake: %s',
    async (path) => {
      const { port } = await start({
        mounts: { '/slack/events': (_, response) => void response.writeHead(202).end() },
      });
      const bytes = `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`;
      expect(statusOf(await exchange(port, bytes))).toBe(202);
    },
  );

  it('is not found under a prefix, and one line says which path is right', async () => {
    const { log, lines } = createRecordingLog();
    const mounts = { '/slack/events': (_: unknown, response: ServerResponse) => void response.writeHead(202).end() };
    const server = createOperatorServer({ port: 0, host: '127.0.0.1', dependencies: [], farSides: [], mounts, log });
    running.push(server);
    const port = await server.start();
    for (const path of ['/bot/slack/events', '/bot/slack/events/', '/favicon.ico']) {
      expect((await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST' })).status).toBe(404);
    }
    expect(lines).toEqual([
      {
        event: 'http_path_wrong',
        outcome: 'not_found',
        rule: 'the path must be /slack/events: let the proxy remove what it put before it',
        prefix: '/bot',
      },
    ]);
  });

  it('finds its connection open for longer than load balancers keep it', async () => {
    const { get } = await start();
    const [, seconds] = /^timeout=(\d+)$/.exec((await get('/livez')).headers.get('keep-alive') ?? '') ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(65);
  });

  it('is an error of ours where the mounted handler breaks, and the server continues', async () => {
    const { get } = await start({
      mounts: {
        '/slack/events': () => {
          throw new Error('secret detail');
        },
      },
    });
    const response = await get('/slack/events', 'POST');
    expect([response.status, await response.text()]).toEqual([500, '']);
    expect((await get('/livez')).status).toBe(200);
  });
});

describe('a client that sends slowly', () => {
  it.each([
    ['the headers', 'POST /slack/events HTTP/1.1\r\nhost: a\r\n'],
    ['the body', 'POST /slack/events HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nx'],
    ['a chunked body', 'POST /slack/events HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n'],
  ])('is cut off while it sends %s, and the server answers others', async (_, bytes) => {
    const server = createOperatorServer({
      port: 0,
      host: '127.0.0.1',
      dependencies: [],
      farSides: [],
      mounts: { '/slack/events': (request, response) => void request.resume().on('end', () => response.end()) },
      patience: { requestTimeout: 300, headersTimeout: 200, connectionsCheckingInterval: 50 },
    });
    running.push(server);
    const port = await server.start();
    expect([408, undefined]).toContain(statusOf(await exchange(port, bytes)));
    expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200);
  });
});

describe('the server, when it stops,', () => {
  it('frees the port, and does nothing where it was not started', async () => {
    // Not port 0: a server of another file of tests could get the port in between.
    const port = await freePort();
    const create = () => createOperatorServer({ port, host: '127.0.0.1', dependencies: [], farSides: [], mounts: {} });
    const [server, again] = [create(), create()];
    running.push(server, again);
    expect(await server.start()).toBe(port);
    await server.stop();
    await server.stop();
    expect(await again.start()).toBe(port);
  });

  it('does not wait for a client that never finishes its request', async () => {
    const { server, port } = await start();
    const socket = connect(port, '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) =>
      socket.write('POST /livez HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n', () => resolve()),
    );
    await server.stop();
    await closed;
  });
});

describe('a port that is not available', () => {
  it('is named with its setting and the problem', async () => {
    const { port } = await start();
    const metrics = createMetrics({
      countOpen: async () => 0,
      countRuns: async () => ({ delayed: 0, waiting: 0, active: 0 }),
      dependencies: () => [],
      farSides: () => [],
      generation: () => undefined,
      now: () => 0,
    });
    const host = '127.0.0.1';
    const other = createOperatorServer({ port, host, dependencies: [], farSides: [], mounts: {} });
    await expect(other.start()).rejects.toThrow(`PORT: port ${port} on 127.0.0.1 is taken`);
    await expect(createMetricsServer({ port, host, metrics }).start()).rejects.toThrow(
      `METRICS_PORT: port ${port} on 127.0.0.1 is taken`,
    );
    await expect(createMetricsServer({ port: 0, host: '192.0.2.1', metrics }).start()).rejects.toMatchObject({
      message: 'METRICS_PORT: port 0 on 192.0.2.1 is on an address that this machine does not have',
      cause: { code: 'EADDRNOTAVAIL' },
    });
    await other.stop();
  });
});
