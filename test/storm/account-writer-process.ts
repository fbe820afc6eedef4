import { z } from 'zod';
import type { Person } from '../../src/core/accounts/accounts.ts';
import { Secret } from '../../src/core/secret.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { sampleQuestion } from '../contract/storage/sample-records.ts';
import { createRecordingLog } from '../support/recording-log.ts';

// A separate process, like the app: `account-writer-process.ts <JSON of location, keys and number of people>`. Adds one to the
// time of everyone's account again and again, and prints the person after each acknowledged change, until it is killed. Between,
// it stores questions, so that the data file grows under the eyes of other processes.

const { location, keys, people } = z
  .object({
    location: z.union([z.object({ dataDir: z.string() }), z.object({ redisUrl: z.string() })]),
    keys: z.array(z.object({ id: z.string(), key: z.string() })),
    people: z.number(),
  })
  .parse(JSON.parse(process.argv[2] ?? ''));

const storage = await openStorage(location, {
  clock: Date.now,
  log: createRecordingLog().log,
  encryptionKeys: keys.map(({ id, key }) => ({ id, key: new Secret(key) })),
});

async function write(person: Person): Promise<void> {
  for (let index = 0; ; index++) {
    await storage.accounts.update(person, (current) => {
      const { connectedMs } = current ?? { connectedMs: 0 };
      const credential = { kind: 'token', token: new Secret(`sgp_${person.userId}_${connectedMs + 1}`) } as const;
      return { ...current, person, username: person.userId, credential, connectedMs: connectedMs + 1 };
    });
    process.stdout.write(`${person.userId}\n`);
    if (index % 10 === 0) {
      const id = `q${person.userId}-${index}`;
      await storage.questions.create(sampleQuestion({ id, text: 'x'.repeat(20_000) }));
    }
  }
}

await Promise.all(Array.from({ length: people }, (_, index) => write({ teamId: 'T1', userId: `U${index}` })));
