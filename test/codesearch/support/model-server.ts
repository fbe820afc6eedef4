import type { ServerResponse } from 'node:http';
import { json, type Reply, startScriptedServer } from '../../support/fake-service/scripted-server.ts';

/** Tokens as an OpenAI-compatible server reports them. */
export interface ReportedTokens {
  input: number;
  output: number;
  cached?: number;
}

export interface ModelMessage {
  role: string;
  content?: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** What the service sent to the model. */
export interface ModelRequest {
  model: string;
  messages: ModelMessage[];
  tools: { function: { name: string; description: string; parameters: Record<string, unknown> } }[];
  tool_choice: string;
  max_tokens: number;
  stream: boolean;
  stream_options?: { include_usage: boolean };
}

export interface ScriptedCall {
  name: string;
  /** An object, or the text that stands for it, which need not be JSON. */
  input: Record<string, unknown> | string;
}

/** An OpenAI-compatible server that replies from a script; a request beyond the script fails with 599, which is not repeated. */
export async function startModelServer() {
  const server = await startScriptedServer();
  const requests = (): ModelRequest[] => server.requests.map(({ body }) => JSON.parse(body) as ModelRequest);
  return {
    ...server,
    baseUrl: `${server.origin}/v1`,
    /** The bodies of all requests so far. */
    sent: requests,
    /** All text that one request sends, as the model sees it. */
    textOf: (index: number): string =>
      (requests()[index]?.messages ?? []).map(({ content }) => content ?? '').join('\n\n'),
  };
}

export type ModelServer = Awaited<ReturnType<typeof startModelServer>>;

interface Ending {
  tokens?: ReportedTokens | undefined;
  finish?: string;
}

/** The model writes a text, in small pieces. */
export function says(text: string, { tokens = { input: 100, output: 10 }, finish = 'stop' }: Ending = {}): Reply {
  return (response) => {
    begin(response);
    for (const piece of text.match(/[\s\S]{1,40}/g) ?? []) send(response, { content: piece });
    end(response, finish, tokens);
  };
}

/** The same, from a server that reports no tokens. */
export function saysWithoutTokens(text: string): Reply {
  return (response) => {
    begin(response);
    send(response, { content: text });
    end(response, 'stop', undefined);
  };
}

/** The model calls tools. */
export function callsTools(
  calls: readonly ScriptedCall[],
  { tokens = { input: 100, output: 10 }, finish = 'tool_calls', text = '' }: Ending & { text?: string } = {},
): Reply {
  return (response) => {
    begin(response);
    if (text !== '') send(response, { content: text });
    for (const [index, { name, input }] of calls.entries()) {
      const given = typeof input === 'string' ? input : JSON.stringify(input);
      const id = `call-${Math.random().toString(36).slice(2)}`;
      send(response, { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
      for (const piece of given.match(/[\s\S]{1,20}/g) ?? []) {
        send(response, { tool_calls: [{ index, function: { arguments: piece } }] });
      }
    }
    end(response, finish, tokens);
  };
}

/** Writes some text, then closes the connection. */
export function cutsOff(text: string): Reply {
  return (response) => {
    begin(response);
    send(response, { content: text });
    response.write('data: {"choices":[{"del', () => response.destroy());
  };
}

/** Writes some text, then ends the stream properly, but without saying that the answer ended. */
export function endsWithoutFinish(text: string): Reply {
  return (response) => {
    begin(response);
    send(response, { content: text });
    response.end();
  };
}

/** Writes some text, then nothing, and keeps the connection open. */
export function stalls(text: string): Reply {
  return (response) => {
    begin(response);
    send(response, { content: text });
  };
}

/** Writes one piece after the other until the connection closes. */
export function drips(piece: string, everyMs: number): Reply {
  return (response) => {
    begin(response);
    const timer = setInterval(() => send(response, { content: piece }), everyMs);
    response.on('close', () => clearInterval(timer));
  };
}

/** A failure of the server; with a short wait, if the client repeats the request. */
export function fails(status: number, message = 'the server failed'): Reply {
  return json({ error: { message, type: 'server_error' } }, status, { 'retry-after-ms': '1' });
}

/** An error within a stream that began well. */
export function failsInStream(message: string): Reply {
  return (response) => {
    begin(response);
    send(response, { content: 'The answer' });
    response.end(`data: ${JSON.stringify({ error: { message } })}\n\n`);
  };
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  send(response, { role: 'assistant', content: '' });
}

function send(response: ServerResponse, delta: object, more: object = { finish_reason: null }): void {
  const chunk = { id: 'reply', object: 'chat.completion.chunk', created: 1, model: 'scripted' };
  response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, ...more }] })}\n\n`);
}

function end(response: ServerResponse, finish: string, tokens: ReportedTokens | undefined): void {
  send(response, {}, { finish_reason: finish });
  if (tokens !== undefined) {
    const usage = {
      prompt_tokens: tokens.input,
      completion_tokens: tokens.output,
      total_tokens: tokens.input + tokens.output,
      prompt_tokens_details: { cached_tokens: tokens.cached ?? 0 },
    };
    response.write(`data: ${JSON.stringify({ id: 'reply', object: 'chat.completion.chunk', choices: [], usage })}\n\n`);
  }
  response.end('data: [DONE]\n\n');
}
