import { createLogger } from '../../../src/observability/logger.ts';

// Logs its end when its input closes. At that time its output is not read any more.
const logger = createLogger('info');
logger.info({ event: 'started' });
process.stdin.resume().once('end', () => {
  logger.fatal({ event: 'process_broken' });
  logger.fatal({ event: 'process_broken' });
  process.exit(7);
});
