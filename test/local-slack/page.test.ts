import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLocalSlack } from '../../src/local-slack/local-slack.ts';
import { readManifest } from '../../src/local-slack/manifest.ts';
import { createPage } from '../../src/local-slack/page/page.ts';

interface Asked {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
}

describe('the page of the local Slack', () => {
  let local: Awaited<ReturnType<typeof startLocalSlack>>;
  const json = { 'content-type': 'application/json', 'content-length': '2' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const join = '/act/join';

  beforeAll(async () => {
    const manifest = readManifest(readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8'));
    local = await startLocalSlack({ manifest, pages: createPage });
  });
  afterAll(() => local.stop());

  function ask({ method = 'GET', path = '/', headers = {} }: Asked) {
    return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
      const asked = request(`${local.url}${path}`, { method, headers }, async (reply) => {
        let text = '';
        for await (const piece of reply.setEncoding('utf8')) text += String(piece);
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text });
      });
      asked.on('error', reject);
      // Of a body with a promised length only the beginning is sent.
      if (Number(headers['content-length']) > 2) asked.write('{}');
      else asked.end(method === 'POST' ? '{}' : undefined);
    });
  }

  it.each([
    ['its own address', {}, 200],
    ['its address as localhost', { headers: { host: 'localhost' } }, 200],
    ['a foreign name that leads here', { headers: { host: 'rebound.example' } }, 403],
    ['a script', { path: '/page/page.js' }, 200],
    ['a script under a foreign name', { path: '/page/page.js', headers: { host: 'rebound.example' } }, 403],
    ['changes under a foreign name', { path: '/page/events', headers: { host: 'rebound.example' } }, 403],
    ['a request of another site', { headers: { origin: 'https://other.example' } }, 403],
    ['a post', { method: 'POST' }, 405],
    ['another method', { method: 'PUT' }, 405],
    ['a page that is not there', { path: '/none' }, 404],
    ['a file that is not there', { path: '/page/files/F0NONE' }, 404],
    ['a link to a message', { path: '/archives/C0GENERAL/p1790000000000100?thread_ts=1790000000.000001' }, 302],
  ] satisfies [string, Asked, number][])('answers %s', async (_, asked: Asked, status) => {
    const { port } = new URL(local.url);
    const given = asked.headers ?? {};
    const named: Record<string, string> = given.host === 'localhost' ? { host: `localhost:${port}` } : {};
    const headers = { ...given, ...named, ...(given.origin === 'OWN' ? { origin: local.url } : {}) };
    const reply = await ask({ ...asked, headers });
    expect(reply.status).toBe(status);
    expect(reply.headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    expect(reply.headers['content-security-policy']).not.toContain('unsafe');
    expect(reply.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('has no script and no style in the page itself', async () => {
    const { text } = await ask({ path: '/?as=U0ADA&channel=C0PAYMENTS' });
    expect(text).toContain('Refunds of yesterday');
    expect(text).not.toMatch(/<script(?! type="module" src="\/page\/page\.js"><\/script>)|<style|\sstyle=|\son\w+=/i);
  });

  it('shows hostile names and texts as they are', async () => {
    const hostile = '"><img src=x onerror=alert(1)>';
    await local.act.post({ person: 'U0BOB', channel: 'C0GENERAL', text: `${hostile} \`${hostile}\`` });
    const query = new URLSearchParams({
      as: hostile,
      channel: 'C0GENERAL',
      thread: hostile,
      edit: hostile,
      at: hostile,
    });
    const { status, text } = await ask({ path: `/?${query}` });
    expect(status).toBe(200);
    expect(text).not.toContain('<img');
  });

  it('edits a message where that began, in its channel or in its thread', async () => {
    const { message } = await local.act.post({ person: 'U0ADA', channel: 'C0GENERAL', text: 'an old text' });
    const { ts } = message as { ts: string };
    const at = `/?as=U0ADA&channel=C0GENERAL&thread=${ts}`;
    for (const key of [ts, `thread-${ts}`])
      expect((await ask({ path: `${at}&edit=${key}` })).text.match(/msg-edit-input/g), key).toHaveLength(1);
  });

  it('keeps people out of private channels that they are not in', async () => {
    expect((await ask({ path: '/?as=U0ADA&channel=C0PRIVATE' })).text).toContain('incident-42');
    expect((await ask({ path: '/?as=U0GERD&channel=C0PRIVATE' })).text).not.toContain('incident-42');
  });

  it('shows the newest 200 messages of a place', async () => {
    for (let number = 1; number <= 210; number += 1)
      await local.act.post({ person: 'U0ADA', channel: 'C0PRIVATE', text: `number ${number}.` });
    const { text } = await ask({ path: '/?as=U0ADA&channel=C0PRIVATE' });
    expect(text.match(/<article/g)).toHaveLength(200);
    expect(text).toContain('number 210.');
    expect(text).not.toContain('number 10.');
  });

  it('sends a file as a download of no kind that a browser shows', async () => {
    const files = [{ name: 'a "page".html', bytes: Buffer.from('<script>alert(1)</script>'), mimetype: 'text/html' }];
    await local.act.post({ person: 'U0ADA', channel: 'C0GENERAL', text: '', files });
    const [, path = ''] = /href="(\/page\/files\/[^"]+)"/.exec((await ask({ path: '/?channel=C0GENERAL' })).text) ?? [];
    const { headers, text } = await ask({ path });
    expect(text).toContain('alert');
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': "attachment; filename*=UTF-8''a%20%22page%22.html",
    });
  });

  it.each([
    ['of the page', { ...json, origin: 'OWN' }, 400],
    ['of a program, which names no origin', json, 400],
    ['of another site', { ...json, origin: 'https://other.example' }, 403],
    ['of a page without an origin', { ...json, origin: 'null' }, 403],
    ['under a foreign name', { ...json, host: 'rebound.example' }, 403],
    ['that is a form, which another site may send', form, 403],
    ['with files that are too large', { ...json, 'content-length': String(29 * 1024 * 1024) }, 413],
    ['that is not there', json, 404, '/act/constructor'],
  ] satisfies [string, Record<string, string>, number, string?][])(
    'answers an act %s',
    async (_, given: Record<string, string>, status, path = join) => {
      const headers = { ...given, ...(given.origin === 'OWN' ? { origin: local.url } : {}) };
      const reply = await ask({ method: 'POST', path, headers });
      expect(reply.status).toBe(status);
      expect(JSON.parse(reply.text)).toEqual({ problem: expect.any(String) });
    },
  );

  it('tells its pages of changes', async () => {
    const events = await fetch(`${local.url}/page/events`);
    const reader = events.body?.getReader();
    const next = async () => Buffer.from((await reader?.read())?.value ?? []).toString();
    expect(await next()).toBe('data: open\n\n');
    await local.act.post({ person: 'U0ADA', channel: 'C0GENERAL', text: 'new' });
    expect(await next()).toBe('data: changed\n\n');
    await reader?.cancel();
  });
});
