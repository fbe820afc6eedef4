import { afterEach, expect } from 'vitest';
import { type FakeService, type Quirks, serviceToken, startFakeService } from '../fake-service/fake-service.ts';
import { startWorld, type World, type WorldOptions } from './world.ts';

/**
 * The world and the service of the test that runs, from `beginWorld` on, which ends an earlier world of the test. The end
 * of a world stops it, and fails where the app did what Slack does not allow. It comes by itself with the end of the test;
 * a file whose worlds use something else that it stops calls `endWorld` before.
 */
export function worldOfEachTest() {
  let now: { world: World; service: FakeService } | undefined;
  const begun = () => {
    if (now === undefined) throw new Error('the test has not begun its world');
    return now;
  };

  async function beginWorld({ quirks = {}, ...options }: BeginOptions = {}): Promise<void> {
    await endWorld();
    const service = await startFakeService(quirks);
    const world = await startWorld({ service: { url: service.url, token: serviceToken }, ...options });
    now = { world, service };
  }

  async function endWorld(): Promise<void> {
    if (now === undefined) return;
    const { world, service } = now;
    now = undefined;
    await world.stop();
    await service.stop();
    expect(world.slack.violations).toEqual([]);
  }

  afterEach(endWorld);
  return {
    world: propertiesOf(() => begun().world),
    service: propertiesOf(() => begun().service),
    beginWorld,
    endWorld,
  };
}

type BeginOptions = Omit<WorldOptions, 'service'> & { quirks?: Quirks };

/** An object with the properties of another one, which is looked up at each use. */
function propertiesOf<Looked extends object>(lookUp: () => Looked): Looked {
  return new Proxy({} as Looked, { get: (_, name) => Reflect.get(lookUp(), name) });
}
