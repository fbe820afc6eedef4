import { describe, expect, it } from 'vitest';
import { advance } from '../../../src/core/lifecycle/advance.ts';
import { createCoreHarness, createRequests, failing } from '../../support/lifecycle/core-harness.ts';
import { createRecordingTracer } from '../../support/otlp/recording-tracer.ts';

/** The core with a tracer that records, and an `advance` that is traced. */
function traced(options: Parameters<typeof createCoreHarness>[0] = {}) {
  const { life, request, ask, plan } = createCoreHarness(options);
  const { tracer, steps } = createRecordingTracer();
  const ports = { ...life.ports, tracer };
  const accept = createRequests(ports).accept;
  return { life, request, ask, plan, steps, accept, run: (id: string) => advance(ports, id) };
}

describe('a traced question', () => {
  it('stores where its trace began, and each run goes on there', async () => {
    const { life, request, steps, accept, run } = traced();
    const acceptance = await accept(request());
    const [accepted] = steps;
    expect(accepted).toMatchObject({
      name: 'accept',
      fields: { origin: 'mention', teamId: 'T1', channelId: 'C1' },
      noted: { outcome: 'accepted' },
    });
    expect(accepted?.parent).toBeUndefined();
    const { question } = acceptance.kind === 'accepted' ? acceptance : { question: undefined };
    const id = question?.id ?? '';
    expect(life.question(id).trace).toBe(accepted?.context);
    const waitMs = await run(id);
    await run(id);
    expect(steps.slice(1)).toMatchObject([
      { name: 'advance', questionId: id, parent: accepted?.context, fields: { phase: 'waiting' } },
      { name: 'advance', questionId: id, parent: accepted?.context, fields: { phase: 'running' } },
    ]);
    expect(steps[1]?.noted).toEqual({ nextRunMs: waitMs });
    expect(steps[1]?.events).toEqual(expect.arrayContaining(['admit', 'announce', 'ask']));
    expect(life.question(id).trace).toBe(accepted?.context);
  });

  it('keeps its trace when it is delivered again, and the delivery links to it', async () => {
    const { life, request, steps, accept } = traced();
    const same = request();
    await accept(same);
    const again = await accept(same);
    expect(again.kind).toBe('duplicate');
    expect(steps[1]).toMatchObject({ noted: { outcome: 'duplicate' }, links: [steps[0]?.context] });
    if (again.kind === 'duplicate') expect(life.question(again.question.id).trace).toBe(steps[0]?.context);
  });

  it('begins its trace at the next run if it was accepted without one', async () => {
    const { life, ask, steps, run } = traced();
    const { id } = await ask();
    expect(life.question(id).trace).toBeUndefined();
    await run(id);
    await run(id);
    expect(steps).toMatchObject([{ parent: undefined }, { parent: steps[0]?.context }]);
    expect(life.question(id).trace).toBe(steps[0]?.context);
  });

  it('has no span for a question that has ended or is unknown', async () => {
    const { life, ask, steps, run } = traced();
    const { id } = await ask();
    await life.run();
    expect(life.question(id).phase).toBe('closed');
    expect(await run(id)).toBeUndefined();
    expect(await run('q000000000000000000000000')).toBeUndefined();
    expect(steps).toEqual([]);
  });

  it('throws what storage throws', async () => {
    const { ask, plan, run } = traced();
    const { id } = await ask();
    plan('get', [failing('storage')]);
    await expect(run(id)).rejects.toMatchObject({ kind: 'storage' });
  });
});

it('without tracing, a run gives a question no trace', async () => {
  const { life, ask } = createCoreHarness();
  const { id } = await ask();
  await advance(life.ports, id);
  expect(life.question(id)).not.toHaveProperty('trace');
});
