import { type AcceptedSurvivors, matchesNothing, unreachable } from './accepted-reasons.ts';

const noProc = 'Changes nothing on Linux, where /proc always exists; the tests run on no other system.';
const onlyKeys = 'Changes nothing: only the keys are used, not their values.';
const onlyBlock =
  'Changes nothing: without the block the function returns undefined, which callers treat the same way.';
const powerCut = 'Only a power cut shows whether a write is on disk when its promise resolves.';
const fullDisk =
  'A full disk needs a separate process (test/contract/storage/embedded-store-processes.test.ts), which has no mutants.';

export const acceptedInStorage: readonly AcceptedSurvivors[] = [
  {
    file: 'src/storage/data-dir-lock.ts',
    line: 'if (holder.bootId !== undefined && bootId !== undefined && holder.bootId !== bootId) return false;',
    becomes: ['if (holder.bootId !== undefined && true && holder.bootId !== bootId) return false;'],
    reason: noProc,
  },
  {
    file: 'src/storage/data-dir-lock.ts',
    line: 'if (holder.startTicks !== undefined && bootId !== undefined) {',
    becomes: ['if (holder.startTicks !== undefined && true) {'],
    reason: noProc,
  },
  {
    file: 'src/storage/data-dir-lock.ts',
    line: 'return { pid, ...(bootId !== undefined && { bootId }), ...(startTicks !== undefined && { startTicks }) };',
    becomes: [
      'return { pid, ...(true && { bootId }), ...(startTicks !== undefined && { startTicks }) };',
      'return { pid, ...(bootId !== undefined && { bootId }), ...(true && { startTicks }) };',
    ],
    reason: noProc,
  },
  {
    file: 'src/storage/data-dir-lock.ts',
    line: "return readSystemFile('/proc/sys/kernel/random/boot_id')?.trim();",
    becomes: ["return readSystemFile('/proc/sys/kernel/random/boot_id').trim();"],
    reason: noProc,
  },
  {
    file: 'src/storage/data-dir-lock.ts',
    line: '} catch {',
    becomes: ['} catch {}'],
    reason: onlyBlock,
  },
  {
    file: 'src/storage/data-dir-lock.ts',
    line: "return error instanceof Error && 'code' in error && error.code === 'EPERM';",
    becomes: [
      "return true && error.code === 'EPERM';",
      "return error instanceof Error || 'code' in error && error.code === 'EPERM';",
    ],
    reason: unreachable,
  },
  {
    file: 'src/storage/lmdb-adapter.ts',
    line: 'if (entry.expiresMs !== undefined) expiries.removeSync([entry.expiresMs, key]);',
    becomes: ['if (true) expiries.removeSync([entry.expiresMs, key]);'],
    reason: 'Changes nothing: removes an entry from the index that does not exist.',
  },
  {
    file: 'src/storage/lmdb-adapter.ts',
    line: 'expiries.putSync([expiresMs, key], true);',
    becomes: ['expiries.putSync([expiresMs, key], false);'],
    reason: onlyKeys,
  },
  {
    file: 'src/storage/lmdb-adapter.ts',
    line: 'const found: string[] = [];',
    becomes: ['const found: string[] = ["Stryker was here"];'],
    reason: 'Changes nothing: removes an entry that does not exist.',
  },
  {
    file: 'src/storage/lmdb-adapter.ts',
    line: "const expired = [...expiries.getKeys({ end: [clock(), ''], limit })];",
    becomes: ['const expired = [...expiries.getKeys({ end: [clock(), "Stryker was here!"], limit })];'],
    reason: 'Removes some entries a millisecond earlier; they have expired in any case.',
  },
  {
    file: 'src/storage/lmdb-adapter.ts',
    line: 'on: () => adapter,',
    becomes: ['on: () => undefined,'],
    reason: 'Changes nothing: Keyv does not use the returned value.',
  },
  {
    file: 'src/storage/repositories.ts',
    line: 'if (next === undefined || next === current) return next;',
    becomes: [
      'if (next === undefined && next === current) return next;',
      'if (false || next === current) return next;',
    ],
    reason: 'Changes nothing: by its type, a change returns undefined only if there was no record.',
  },
  {
    file: 'src/storage/retry-lost.ts',
    line: 'await wait(Math.random() * Math.min(count, LONGEST_WAIT_MS));',
    becomes: [
      'await wait(Math.random() / Math.min(count, LONGEST_WAIT_MS));',
      'await wait(Math.random() * Math.max(count, LONGEST_WAIT_MS));',
    ],
    reason: 'The delays between attempts of a writer only change when it succeeds, which tests must not measure.',
  },
  {
    file: 'src/storage/redis-connection.ts',
    line: 'commandOptions: { timeout: QUEUE_TIMEOUT_MS },',
    becomes: ['commandOptions: {},'],
    reason: 'Has an effect only when a command waits too long to be sent; test/storm/redis-outages.test.ts covers it.',
  },
  {
    file: 'src/storage/redis-connection.ts',
    line: '} finally {',
    becomes: ['} finally {}'],
    reason: 'Changes only memory use: closing also waits for finished work, which takes no time.',
  },
  {
    file: 'src/storage/redis-connection.ts',
    line: '} catch {',
    becomes: ['} catch {}'],
    reason: onlyBlock,
  },
  {
    file: 'src/storage/redis-connection.ts',
    line: "if (!isProven && REFUSALS.has(codeOf(cause) ?? '')) return cause;",
    becomes: ['if (!isProven && REFUSALS.has(codeOf(cause) ?? "Stryker was here!")) return cause;'],
    reason: matchesNothing,
  },
  {
    file: 'src/storage/redis-connection.ts',
    line: 'return Math.round(Math.min(LONGEST_RECONNECT_WAIT_MS, 50 * 2 ** attempt) * (0.5 + Math.random() / 2));',
    becomes: [
      'return Math.round(Math.min(LONGEST_RECONNECT_WAIT_MS, 50 * 2 ** attempt) / (0.5 + Math.random() / 2));',
      'return Math.round(Math.max(LONGEST_RECONNECT_WAIT_MS, 50 * 2 ** attempt) * (0.5 + Math.random() / 2));',
      'return Math.round(Math.min(LONGEST_RECONNECT_WAIT_MS, 50 / 2 ** attempt) * (0.5 + Math.random() / 2));',
      'return Math.round(Math.min(LONGEST_RECONNECT_WAIT_MS, 50 * 2 ** attempt) * (0.5 - Math.random() / 2));',
      'return Math.round(Math.min(LONGEST_RECONNECT_WAIT_MS, 50 * 2 ** attempt) * (0.5 + Math.random() * 2));',
    ],
    reason: 'Changes only when a lost connection is opened again, which tests must not measure.',
  },
  {
    file: 'src/storage/embedded-store.ts',
    line: 'overlappingSync: false,',
    becomes: ['overlappingSync: true,'],
    reason: powerCut,
  },
  {
    file: 'src/storage/embedded-store.ts',
    line: 'eventTurnBatching: false,',
    becomes: ['eventTurnBatching: true,'],
    reason: fullDisk,
  },
  {
    file: 'src/storage/embedded-store.ts',
    line: "if (error instanceof Error && 'commitError' in error) await error.commitError;",
    becomes: [
      'if (true) await error.commitError;',
      'if (false) await error.commitError;',
      "if (error instanceof Error || 'commitError' in error) await error.commitError;",
      'if (error instanceof Error && "" in error) await error.commitError;',
    ],
    reason: fullDisk,
  },
  {
    file: 'src/storage/embedded-store.ts',
    line: "await run('addMember', () => membership.put([set, member], true));",
    becomes: ["await run('addMember', () => membership.put([set, member], false));"],
    reason: onlyKeys,
  },
  {
    file: 'src/storage/embedded-reader.ts',
    line: 'const env = open({ path, maxDbs: 8, readOnly: true });',
    becomes: ['const env = open({ path, maxDbs: 8, readOnly: false });'],
    reason: 'Within one process the engine opens a file only once, with the options of the first time.',
  },
];
