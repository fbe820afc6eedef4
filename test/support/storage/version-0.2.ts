import { cp, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from 'redis';
import { z } from 'zod';
import type { SlackMessage } from '../../../src/local-slack/messages.ts';
import type { ServiceConversation } from '../fake-service/fake-service.ts';

/**
 * What version 0.2 stored, on both engines: `embedded/` is a data directory, `redis-commands.jsonl` has the commands that fill a
 * Redis. `…-expected.json` lists the records and sets, and `…-far-side.json` what Slack and the service had then. The times to live
 * end after the year 2126.
 */
const fixture = fileURLToPath(new URL('../../fixtures/store-0.2/', import.meta.url));

const expectedSchema = z.object({
  /** The stored texts by key. */
  records: z.record(z.string(), z.string()),
  sets: z.record(z.string(), z.array(z.string())),
});
export type Stored = z.infer<typeof expectedSchema>;

const farSideSchema = z.object({
  messages: z.array(z.custom<SlackMessage>()),
  conversations: z.array(z.custom<ServiceConversation>()),
});

export async function storedBy02(engine: 'embedded' | 'redis'): Promise<Stored> {
  if (engine === 'embedded') return expectedSchema.parse(await readJson('embedded-expected.json'));
  const stored: Stored = { records: {}, sets: {} };
  for (const [command, key = '', ...rest] of await redisCommands()) {
    if (key.startsWith('ds:bull:')) continue;
    if (command === 'SET') stored.records[key] = rest[0] ?? '';
    if (command === 'SADD') stored.sets[key] = rest.toSorted();
  }
  return stored;
}

export async function farSideOf02(engine: 'embedded' | 'redis'): Promise<z.infer<typeof farSideSchema>> {
  return farSideSchema.parse(await readJson(`${engine}-far-side.json`));
}

/** Copies the data directory. */
export function copyDataDir(dataDir: string): Promise<void> {
  return cp(`${fixture}embedded`, dataDir, { recursive: true });
}

export async function fillRedis(redisUrl: string): Promise<void> {
  const client = createClient({ url: redisUrl });
  await client.connect();
  for (const command of await redisCommands()) await client.sendCommand(command);
  client.destroy();
}

async function redisCommands(): Promise<string[][]> {
  const lines = (await readFile(`${fixture}redis-commands.jsonl`, 'utf8')).trim().split('\n');
  return lines.map((line) => z.array(z.string()).parse(JSON.parse(line)));
}

async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(`${fixture}${file}`, 'utf8'));
}
