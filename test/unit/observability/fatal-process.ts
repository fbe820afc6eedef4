import { createLogger } from '../../../src/observability/logger.ts';

// Logs its end when no one reads its output any more. Its input closes after that.
const logger = createLogger('info');
logger.info({ event: 'started' });
process.stdin.resume().once('end', () => {
  logger.fatal({ event: 'process_broken' });
  logger.fatal({ event: 'process_broken' });
  process.exit(7);
});
