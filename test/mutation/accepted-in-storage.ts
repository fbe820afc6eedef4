import { type AcceptedSurvivors, likeNothing, neverComes } from './accepted-reasons.ts';

const noProc = 'Changes nothing on Linux, where /proc is always there; the tests have no other system.';
const onlyKeys = 'Changes nothing: the keys are all there is; what stands under them is not read.';
const onlyBlock =
  'Changes nothing: without the block the function gives undefined, which its callers take for the same.';
const powerCut = 'Only a power cut tells whether a write is on disk when its promise resolves.';
const fullDisk =
  'A full disk needs a process of its own (test/contract/storage/embedded-store-processes.test.ts), which has no mutants.';

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
    reason: neverComes,
  },
  {
    file: 'src/storage/lmdb-adapter.ts',
    line: 'if (entry.expiresMs !== undefined) expiries.removeSync([entry.expiresMs, key]);',
    becomes: ['if (true) expiries.removeSync([entry.expiresMs, key]);'],
    reason: 'Changes nothing: removes from the index what is not there.',
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
    reason: 'Changes nothing: removes an entry that is not there.',
  },
  {
    file: 'src/storage/lmdb-adapter.ts',
    line: "const expired = [...expiries.getKeys({ end: [clock(), ''], limit })];",
    becomes: ['const expired = [...expiries.getKeys({ end: [clock(), "Stryker was here!"], limit })];'],
    reason: 'Sweeps some entries a millisecond earlier, whose time is over all the same.',
  },
  {
    file: 'src/storage/lmdb-adapter.ts',
    line: 'on: () => adapter,',
    becomes: ['on: () => undefined,'],
    reason: 'Changes nothing: Keyv does not read what it is given back.',
  },
  {
    file: 'src/storage/repositories.ts',
    line: 'if (next === undefined || next === current) return next;',
    becomes: [
      'if (next === undefined && next === current) return next;',
      'if (false || next === current) return next;',
    ],
    reason: 'Changes nothing: by its type a change gives nothing only where there was nothing.',
  },
  {
    file: 'src/storage/repositories.ts',
    line: 'await wait(Math.random() * Math.min(attempt, LONGEST_UPDATE_WAIT_MS));',
    becomes: [
      'await wait(Math.random() / Math.min(attempt, LONGEST_UPDATE_WAIT_MS));',
      'await wait(Math.random() * Math.max(attempt, LONGEST_UPDATE_WAIT_MS));',
    ],
    reason:
      'How long the waits of writers that lost are makes them succeed sooner or later, which no test may measure.',
  },
  {
    file: 'src/storage/text-serialization.ts',
    line: "if (typeof value !== 'string') throw new TypeError('Only texts are stored');",
    becomes: [`if (typeof value !== 'string') throw new TypeError("");`],
    reason: 'The words of an error that no code of this app can cause.',
  },
  {
    file: 'src/storage/redis-connection.ts',
    line: 'commandOptions: { timeout: QUEUE_TIMEOUT_MS },',
    becomes: ['commandOptions: {},'],
    reason: 'Shows once a command has waited too long to be sent, which test/storm/redis-outages.test.ts waits for.',
  },
  {
    file: 'src/storage/redis-connection.ts',
    line: '} finally {',
    becomes: ['} finally {}'],
    reason: 'Only how much memory is held: closing waits for what is done already, which takes no time.',
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
    reason: likeNothing,
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
    reason: 'When exactly a lost connection is made again, which no test may measure.',
  },
  {
    file: 'src/storage/redis-connection.ts',
    line: String.raw`if (url !== undefined && /^rediss?:$/.test(url.protocol) && /^\/?\d*$/.test(url.pathname) && isDecodable(url)) {`,
    becomes: [
      String.raw`if (url !== undefined && /^rediss?:/.test(url.protocol) && /^\/?\d*$/.test(url.pathname) && isDecodable(url)) {`,
    ],
    reason: 'Changes nothing: nothing follows the colon of a protocol.',
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
    reason: 'Within one process the engine opens a file once, as it was opened first.',
  },
];
