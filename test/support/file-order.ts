import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest although they compute little, longest first (15 to 75 s on two processors). One that started last
 * would run alone while a processor has nothing to do. A file that is missing here is only started later.
 */
const longest = [
  'test/scenario/token-rotation.test.ts',
  'test/scenario/installing.test.ts',
  'test/codesearch/git/hostile-files.test.ts',
  'test/scenario/doctor.test.ts',
  'test/contract/storage/redis-contract.test.ts',
  'test/contract/rate-limits/limiters.test.ts',
  'test/scenario/faults.test.ts',
  'test/e2e/',
];
/** Starts a git process for most of its tests, which costs the more the larger the worker has grown: it grows with each file. */
const gitTests = 'test/codesearch/';

/** Starts the longest files first and those that use git next; the others as Vitest does, failed and large ones first. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const path = relative(this.ctx.config.root, moduleId);
      const place = longest.findIndex((start) => path.startsWith(start));
      if (place >= 0) return place;
      return path.startsWith(gitTests) ? longest.length : longest.length + 1;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
