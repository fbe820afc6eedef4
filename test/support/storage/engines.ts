import { hasRedisServer } from '../processes/redis-server.ts';

/** The stores that can run on this machine. Redis is left out, and named at the end of the run, where it is missing. */
export const engines: readonly { name: string; isRedis: boolean }[] = [
  { name: 'the embedded store', isRedis: false },
  ...(hasRedisServer() ? [{ name: 'Redis', isRedis: true }] : []),
];
