import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeMessage, hexOf, type Message, messagesOf, numberOf, textOf } from './protobuf.ts';

type Attributes = Record<string, string | number | boolean>;

/** A span as the collector gets it. Field numbers: opentelemetry/proto/trace/v1/trace.proto. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  name: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer' | 'unspecified';
  startMs: number;
  endMs: number;
  attributes: Attributes;
  events: string[];
  /** The ids of linked traces and spans. */
  links: { traceId: string; spanId: string }[];
  isError: boolean;
  resource: Attributes;
}

export interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  requests: { path: string; headers: NodeJS.Dict<string | string[]>; text: string }[];
  /**
   * How it replies from now on: takes the spans, replies with this status, or never replies. A status also ends the requests
   * that were never replied to.
   */
  reply(how: 'takes' | 'hangs' | number): void;
  /** Refuses the requests that were never replied to, so that no exporter tries them again at a port that is free again. */
  stop(): Promise<void>;
}

/** A collector of OTLP over HTTP with protobuf, on a free port of this machine. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: OtlpReceiver['requests'] = [];
  let how: 'takes' | 'hangs' | number = 'takes';
  const held = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      requests.push({ path: request.url ?? '', headers: request.headers, text: body.toString('latin1') });
      if (how === 'hangs') {
        held.add(response);
        return;
      }
      if (how === 'takes') spans.push(...spansOf(decodeMessage(body)));
      finish(response, how === 'takes' ? 200 : how);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    reply,
    stop: async () => {
      reply(400);
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };

  function reply(next: typeof how): void {
    how = next;
    if (typeof next !== 'number') return;
    for (const response of held) finish(response, next);
    held.clear();
  }
}

function finish(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/x-protobuf', connection: 'close' }).end();
}

function spansOf(request: Message): ReceivedSpan[] {
  return messagesOf(request, 1).flatMap((ofResource) => {
    const resource = messagesOf(ofResource, 1).map((each) => attributesOf(messagesOf(each, 1)))[0] ?? {};
    return messagesOf(ofResource, 2)
      .flatMap((ofScope) => messagesOf(ofScope, 2))
      .map((span) => spanOf(span, resource));
  });
}

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

function spanOf(span: Message, resource: Attributes): ReceivedSpan {
  return {
    traceId: hexOf(span, 1),
    spanId: hexOf(span, 2),
    parentSpanId: hexOf(span, 4),
    name: textOf(span, 5),
    kind: kinds[Number(numberOf(span, 6))] ?? 'unspecified',
    startMs: Number(numberOf(span, 7)) / 1e6,
    endMs: Number(numberOf(span, 8)) / 1e6,
    attributes: attributesOf(messagesOf(span, 9)),
    events: messagesOf(span, 11).map((event) => textOf(event, 2)),
    links: messagesOf(span, 13).map((link) => ({ traceId: hexOf(link, 1), spanId: hexOf(link, 2) })),
    isError: messagesOf(span, 15).some((status) => numberOf(status, 3) === 2n),
    resource,
  };
}

function attributesOf(pairs: Message[]): Attributes {
  return Object.fromEntries(
    pairs.map((pair) => [textOf(pair, 1), messagesOf(pair, 2).map(anyValueOf)[0] ?? ''] as const),
  );
}

function anyValueOf(value: Message): string | number | boolean {
  if (value.has(2)) return numberOf(value, 2) === 1n;
  if (value.has(3)) return Number(BigInt.asIntN(64, numberOf(value, 3)));
  if (value.has(4)) return new DataView(new BigUint64Array([numberOf(value, 4)]).buffer).getFloat64(0, true);
  return textOf(value, 1);
}
