import type { FindingCode, FindingValues } from '../../core/doctor/finding.ts';

/** What a line says, and what to do about it. A line that passes has nothing to do. */
export type Line = readonly [says: string, mend?: string];

type StorageCode = Extract<FindingCode, `${'redis' | 'eviction' | 'persistence' | 'latency' | 'disk'}${string}`>;

/** The lines of the doctor about the storage. */
export const storageLines: { [Code in StorageCode]: (values: FindingValues[Code]) => Line } = {
  redisReached: ({ where, version }) => [`Redis ${version} at ${where} answers.`],
  redisUnreachable: ({ where, code }) => [
    `Redis at ${where} can't be reached (${code}).`,
    'Start it, and check REDIS_URL and the firewall. Connections to Redis use no proxy.',
  ],
  redisRefuses: ({ where, code }) => [
    `Redis at ${where} refuses the app (${code}).`,
    'Correct name and password in REDIS_URL (percent-encoded), and the rights of that user.',
  ],
  redisTooOld: ({ version, oldest }) => [
    `Redis has version ${version}; the app needs ${oldest} or later, and does not start.`,
    'Upgrade Redis.',
  ],
  redisIsCluster: ({ where }) => [
    `Redis at ${where} is in cluster mode, where a script can't change several keys. The app does not start.`,
    'Use a Redis without cluster mode: one primary, with any number of replicas.',
  ],
  redisCommandsRefused: ({ commands }) => [
    `Redis does not let this user run ${commands}. The app does not start.`,
    'Let the user run the commands that docs/operations.md lists, on the keys ds:*.',
  ],
  redisNotWritable: ({ code }) => [
    `Redis takes no writes (${code}): the app takes no questions.`,
    'READONLY: let REDIS_URL name the primary. OOM: free its memory. MISCONF: free its disk. NOREPLICAS: start its replicas.',
  ],
  redisVersionNotTold: ({ where }) => [
    `Redis at ${where} answers, and does not tell its version.`,
    'Make sure that it is 6.2 or later.',
  ],

  evictionOff: () => ['maxmemory-policy is noeviction.'],
  evictionOn: ({ policy }) => [
    `maxmemory-policy is ${policy}: Redis would drop questions when its memory is full. The app does not start.`,
    'Set maxmemory-policy to noeviction.',
  ],
  evictionNotTold: () => ['Redis does not tell its maxmemory-policy.', 'Make sure that it is noeviction.'],

  persistenceAlways: () => ['appendonly is on, and every write is on disk at once.'],
  persistenceEverySecond: () => ['appendonly is on; a power cut loses the questions of the last second at most.'],
  persistenceLeftToSystem: () => [
    'appendonly is on with appendfsync no: a power cut may lose many questions.',
    'Set appendfsync to everysec or always.',
  ],
  persistenceLog: () => ['appendonly is on.'],
  persistenceSnapshots: () => [
    'Only snapshots: a restart of Redis forgets the questions since the last one.',
    'Set appendonly to yes.',
  ],
  persistenceNone: () => [
    'Redis stores nothing on disk: its restart forgets every open question.',
    'Set appendonly to yes, on a disk that survives the restart.',
  ],
  persistenceFails: () => [
    'Redis could not write its data to disk the last time it tried.',
    'Free or repair the disk of Redis.',
  ],
  persistenceNotTold: () => [
    'Redis does not tell whether it stores its data.',
    'Make sure that appendonly is yes, or what your provider calls persistence.',
  ],

  latencyLow: ({ ms }) => [`A reply takes ${ms} ms.`],
  latencyHigh: ({ ms }) => [
    `A reply takes ${ms} ms; Slack waits 3 s for about five of them.`,
    'Run Redis near the app, and look for slow commands or an overloaded machine.',
  ],

  diskFine: ({ free }) => [`DATA_DIR can be written, and its disk has ${free} free.`],
  diskNotUsedYet: ({ free }) => [`The app creates DATA_DIR when it starts; the disk has ${free} free.`],
  diskLow: ({ free }) => [
    `The disk of DATA_DIR has ${free} free.`,
    'Free disk space. When it is full, the app takes no questions.',
  ],
  diskFull: ({ free }) => [
    `The disk of DATA_DIR is full (${free} free): the app takes no questions.`,
    'Free disk space.',
  ],
  diskNotWritable: ({ code }) => [
    `DATA_DIR can't be written (${code}).`,
    'Give the user of the app the right to write there, or set another DATA_DIR.',
  ],
};
