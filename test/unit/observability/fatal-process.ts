import { createLogger } from '../../../src/observability/logger.ts';

// Logs its end once nobody reads its output any more: its input closes after that.
const logger = createLogger('info');
logger.info({ event: 'started' });
process.stdin.resume().once('end', () => {
  logger.fatal({ event: 'process_broken' });
  logger.fatal({ event: 'process_broken' });
  process.exit(7);
});
