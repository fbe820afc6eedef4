import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createLog, createLogger, type LogLevel } from '../../../src/observability/logger.ts';

const secrets = [
  'xoxb-123-456-abcDEF',
  'xoxe.xoxb-1-rotating',
  'xapp-1-A0-9-f00',
  'sgp_a1b2c3_d4e5f6',
  `cst_${'0a'.repeat(32)}`,
  `csr_${'0a'.repeat(32)}`,
  'https://hooks.slack.com/commands/T1/2/three',
  'https://hooks.slack-gov.com/commands/T1/2/three',
];

const line = z.looseObject({ level: z.string(), time: z.iso.datetime() });

function capture(level: LogLevel = 'trace') {
  const lines: string[] = [];
  const logger = createLogger(level, { write: (text) => void lines.push(text) });
  const counted: string[] = [];
  const log = createLog(logger, ({ event }) => void counted.push(event));
  return {
    logger,
    log,
    counted,
    text: () => lines.join(''),
    parsed: () => lines.map((text) => line.parse(JSON.parse(text))),
  };
}

describe('the log', () => {
  it.each(secrets)('never contains %s, in any field', (secret) => {
    const { logger, log, text } = capture();
    log.info({ event: 'a', detail: `is ${secret}, they said` });
    log.warn({ event: 'b' }, new Error(`refused ${secret}`));
    log.error({ event: 'c' }, new AppError('unauthorized', `with ${secret}`, { cause: new Error(`by ${secret}`) }));
    log.error({ event: 'd' }, new Error('outer', { cause: new Error('inner', { cause: new Error(secret) }) }));
    log.error({ event: 'e' }, Object.assign(new Error('http'), { config: { headers: { authorization: secret } } }));
    log.error({ event: 'f' }, secret);
    logger.info({ token: secret, nested: { token: secret, authorization: secret } });
    logger.info({ headers: { authorization: secret, 'x-other': secret } });
    logger.info({ request: { headers: { authorization: secret } }, body: secret });
    logger.info({ responseUrl: secret, payload: { response_url: secret } });
    logger.fatal({ event: 'g', err: new Error(secret) });
    expect(text().split('\n').filter(Boolean)).toHaveLength(11);
    expect(text()).not.toContain(secret);
    expect(text()).toContain('[secret]');
  });

  it('never contains a password of an address, or a bearer token of any form', () => {
    const { log, text } = capture();
    log.error({ event: 'a' }, new Error('connect redis://app:hunter2@redis:6379 failed'));
    log.error({ event: 'b' }, new Error('connect redis://:hunter2@redis:6379 failed'));
    log.error({ event: 'c' }, new Error('sent Authorization: Bearer hunter2.hunter2'));
    log.error({ event: 'd' }, new Error('get https://user:hunter2@host/path failed'));
    log.error({ event: 'e' }, new Error('get https://us@er:p@hunter2@host:1/path failed'));
    log.error({ event: 'f' }, new Error('get https://hunter2@host/path failed'));
    log.error({ event: 'g' }, new Error('sent token-sudo user="ada",token="hunter2"'));
    log.error({ event: 'h' }, new Error('sent token-sudo user="ada",token="a\\"b\\\\hunter2" and more'));
    log.error({ event: 'i' }, new Error('open wss://wss-primary.slack.com/link/?ticket=hunter2-x&app_id=1'));
    log.error({ event: 'j' }, new Error('open wss://wss-primary.slack.com/link/?a=1&ticket=hunter2'));
    log.error({ event: 'k' }, new Error(`sent Authorization: token ${'0123456789abcdef'.repeat(3).slice(0, 40)}`));
    const readToken = '0b7e9c1a-3d52-4f6e-9a10-c0ffee000001';
    log.error({ event: 'l' }, new Error(`unfurl https://host/deepsearch/${readToken}?a failed`));
    log.error({ event: 'm' }, new Error(`unfurl https://host/deepsearch/shared/${readToken} failed`));
    log.error({ event: 'n' }, new Error(`get /v1?filter_read_token=${readToken}&a=1 failed`));
    expect(text()).not.toContain('c0ffee');
    expect(text()).not.toContain('0123456789abcdef');
    expect(text()).not.toContain('hunter2');
    expect(text()).toContain('app_id=1');
    expect(text()).toContain('and more');
    for (const line of text().split('\n').filter(Boolean)) expect(() => JSON.parse(line)).not.toThrow();
    expect(text()).toContain('redis:6379');
  });

  it('never contains a secret of the configuration', () => {
    const { logger, text } = capture();
    logger.info({ config: { SLACK_BOT_TOKEN: new Secret('plain-old-secret') } });
    expect(text()).not.toContain('plain-old-secret');
  });

  it.each(['question', 'answer'])('never contains the text of one %s', (what) => {
    const { logger, log, text } = capture();
    log.info({ event: 'a', text: `the ${what}` });
    logger.info({ [what]: { text: `the ${what}` }, message: { text: `the ${what}` }, body: `the ${what}` });
    expect(text()).not.toContain(`the ${what}`);
  });
});

describe('a line of the log', () => {
  it('is one JSON object with the name of its level and its fields', () => {
    const { log, parsed } = capture();
    log.info({ event: 'question_closed', outcome: 'answered', questionId: 'q1', durationMs: 5 });
    expect(parsed()).toEqual([
      {
        level: 'info',
        time: expect.any(String),
        event: 'question_closed',
        outcome: 'answered',
        questionId: 'q1',
        durationMs: 5,
      },
    ]);
  });

  it('has the kind and causes of an expected error, and for any other also where it happened', () => {
    const { log, parsed } = capture();
    log.warn({ event: 'a' }, new AppError('unavailable', 'no answer', { code: 502, cause: new Error('reset') }));
    log.error({ event: 'b' }, new TypeError('x is not a function'));
    expect(parsed()).toMatchObject([
      { err: { name: 'AppError', kind: 'unavailable', code: 502, message: 'no answer', cause: { message: 'reset' } } },
      { err: { name: 'TypeError', stack: expect.stringContaining('logger.test') } },
    ]);
    expect(parsed()[0]).not.toHaveProperty('err.stack');
  });

  it('has what the far side said, without credentials', () => {
    const { log, parsed } = capture();
    // Put together here, so that no scanner of this repository takes it for real.
    const said = `AKIA${'2E0A8F3B244C9986'} is no key`;
    log.warn({ event: 'a' }, new AppError('refused', 'no', { cause: new AppError('refused', 'no', { said }) }));
    expect(parsed()).toMatchObject([{ err: { cause: { said: '[hidden: AWS key] is no key' } } }]);
  });

  it('is finite, also where causes form a cycle', () => {
    const { log, parsed } = capture();
    const one = new Error('one');
    one.cause = new Error('two', { cause: one });
    log.error({ event: 'a' }, one);
    expect(parsed()).toHaveLength(1);
  });

  it('is written only from its level on, and always counted', () => {
    const { log, parsed, counted } = capture('warn');
    log.debug({ event: 'a' });
    log.info({ event: 'b' });
    log.warn({ event: 'c' });
    log.error({ event: 'd' });
    expect(parsed().map(({ level }) => level)).toEqual(['warn', 'error']);
    expect(counted).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('a process whose output no program reads any more', () => {
  it('continues after lines of any level, also fatal ones, and ends normally', async () => {
    const file = fileURLToPath(new URL('./fatal-process.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), file], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    try {
      await once(child.stdout, 'data');
      child.stdout.destroy();
      child.stdin.end();
      expect(await ended).toEqual([7, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
