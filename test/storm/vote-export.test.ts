import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { hasRedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { runProgram } from '../support/processes/run.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';

const feedbackProgram = await builtProgram('src/cli/feedback.ts');

const writerFile = fileURLToPath(new URL('./vote-writer-process.ts', import.meta.url));

async function openPlace(
  inRedis: boolean,
): Promise<{ place: string; environment: Record<string, string>; close(): unknown }> {
  if (inRedis) {
    const redis = await startRedisServer();
    return { place: redis.url, environment: { REDIS_URL: redis.url }, close: () => redis.stop() };
  }
  const directory = await createTempDir();
  return { place: directory.path, environment: { DATA_DIR: directory.path }, close: () => directory.remove() };
}

describe('the export of votes', () => {
  it.each(
    [
      ['the embedded store', false],
      ['Redis', true],
    ].filter(([, inRedis]) => inRedis === false || hasRedisServer()) as [string, boolean][],
  )(
    'from %s runs beside a process that writes, sees everything it acknowledged, and does not disturb it',
    async (_name, inRedis) => {
      const { place, environment, close } = await openPlace(inRedis);
      const writer = runProgram(writerFile, [place]);
      const written = () => Math.max(0, writer.output().split('\n').length - 2);
      try {
        await eventually(() => expect(written()).toBeGreaterThan(100));
        for (let round = 0; round < 2; round += 1) {
          const before = written();
          const exported = runProgram(feedbackProgram, [], environment);
          expect(await exported.ended).toBe(0);
          const rows = exported.output().trimEnd().split('\r\n').slice(1);
          expect(rows.length).toBeGreaterThanOrEqual(before);
          expect(new Set(rows).size).toBe(rows.length);
          const after = written();
          await eventually(() => expect(written()).toBeGreaterThan(after + 50));
        }
        expect(writer.child.exitCode).toBeNull();
      } finally {
        writer.child.kill('SIGKILL');
        await writer.ended;
        await close();
      }
    },
  );
});
