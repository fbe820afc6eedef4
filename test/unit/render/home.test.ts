import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Overview, OverviewEntry } from '../../../src/core/history/overview.ts';
import type { CardView } from '../../../src/core/ports.ts';
import type { Question, Refusal } from '../../../src/core/question/question.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { type HomeContent, renderHistory, renderHome, type ServiceState } from '../../../src/render/home.ts';
import { ACTIONS } from '../../../src/render/ids.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { expectGolden } from '../../support/golden.ts';
import { answered, ended, exampleQuestion } from './example.ts';

const options = { locale: 'en-US', workspaceUrl: 'https://acme.slack.com/', botUserId: 'U0BOT' };
const HOUR_MS = 60 * 60 * 1000;

const OPEN_VIEWS: CardView[] = [
  { kind: 'running', elapsedMs: 41_000, steps: 5, lastStep: 'Reading a.ts' },
  { kind: 'queued', place: 2 },
  { kind: 'waitingForSlot', ahead: 3 },
  { kind: 'starting' },
  { kind: 'unreachable' },
  { kind: 'limited' },
  { kind: 'cancelling' },
  { kind: 'parked', untilMs: 1_700_000_000_000 + HOUR_MS },
  { kind: 'parked', untilMs: 1_700_000_000_000 + 48 * HOUR_MS },
];

function entry(view: CardView, question: Question): OverviewEntry {
  return { question, view };
}

function numbered(index: number, changes: Partial<Question> = {}): Question {
  return exampleQuestion({ id: `q${String(index).padStart(24, '0')}`, ...changes });
}

const overview: Overview = {
  open: OPEN_VIEWS.map((view, index) =>
    entry(view, numbered(index, { text: `What is behind number ${index}?`, card: { ts: '1700000000.000200' } })),
  ),
  ended: [
    entry(
      { kind: 'answered', durationMs: 41_000, steps: 12 },
      answered({}, { delivery: { round: 0, posted: ['1700000000.000300'] } }),
    ),
    entry(
      { kind: 'cancelled', byUserId: 'U0BOB' },
      ended({ kind: 'cancelled' }, { place: { teamId: 'T1', channelId: 'D0ADA', threadTs: '1700000000.000400' } }),
    ),
    entry({ kind: 'failed', durationMs: 3_000 }, ended({ kind: 'failed', failure: { cause: 'service' } })),
    entry({ kind: 'gaveUp', durationMs: 900_000 }, ended({ kind: 'gaveUp' })),
    entry(
      { kind: 'failed', durationMs: 0 },
      ended({ kind: 'undeliverable', canInvite: true }, { place: { teamId: 'T1', channelId: 'C2' } }),
    ),
  ],
  quota: { used: 1710, limit: 2000, resetAtMs: Date.UTC(2023, 11, 1) },
};

const shown: HomeContent = { kind: 'shown', overview, service: 'fine' };

function homeText(content: HomeContent, locale = options.locale): string {
  return JSON.stringify(renderHome(content, { ...options, locale }));
}

describe('the Home tab', () => {
  it.each(['en-US', 'de-DE'])('matches its golden file in %s', (locale) => {
    const views = [
      renderHome(shown, { ...options, locale }),
      renderHome({ kind: 'refused', reason: 'guest', reference: 'e01234567' }, { ...options, locale }),
      renderHistory({ overview }, { ...options, locale }),
    ];
    expectGolden(`render/home.${locale}.txt`, views);
  });

  it('offers to cancel each question that can be cancelled, and a form to ask with', () => {
    const { blocks } = renderHome(shown, options);
    const accessories = blocks.flatMap((block) => ('accessory' in block && block.accessory) || []);
    expect(accessories).toHaveLength(OPEN_VIEWS.length - 1);
    for (const accessory of accessories) expect(accessory).toMatchObject({ action_id: ACTIONS.cancelOwn });
    expect(accessories.at(-1)).toMatchObject({ text: { text: 'Drop' }, value: `q${'8'.padStart(24, '0')}` });
    expect(JSON.stringify(blocks)).toContain(ACTIONS.askForm);
  });

  it('has no status signs, since its words give the status', () => {
    for (const locale of ['en-US', 'de-DE']) {
      expect(homeText(shown, locale)).not.toMatch(/\p{Extended_Pictographic}/u);
    }
  });

  it.each<Refusal>([
    'guest',
    'outsider',
    'unknownPerson',
    'unknownChannel',
    'channelTooLarge',
    'sharedChannel',
    'guestsInChannel',
    'channelRefused',
  ])('of a person refused as %s says so and nothing else', (reason) => {
    const view = renderHome({ kind: 'refused', reason, reference: 'e01234567' }, options);
    expect(slackProblems('views.publish', { view })).toEqual([]);
    expect(view.blocks).toHaveLength(3);
    expect(JSON.stringify(view.blocks[2])).toContain('Reference `e01234567`');
    expect(JSON.stringify(view)).not.toMatch(/"button"|\/deepsearch/);
  });

  it.each<ServiceState>(['fine', 'refused', 'unreachable'])('says that the service is %s', (service) => {
    const view = renderHome({ kind: 'shown', overview: { open: [], ended: [] }, service }, options);
    expect(slackProblems('views.publish', { view })).toEqual([]);
    expect(JSON.stringify(view)).toMatch(
      { fine: /is reachable\./, refused: /does not accept/, unreachable: /not reachable right now/ }[service],
    );
    expect(JSON.stringify(view)).toContain('You have not asked anything yet.');
  });

  it('is never blank, neither while its visitor is unknown nor while nothing can be read', () => {
    const contents: HomeContent[] = [
      { kind: 'checking' },
      { kind: 'shown', unreadable: 'e01234567', service: 'fine', notCancelled: 'q01234567' },
      { kind: 'shown', overview: { open: [], ended: [] }, service: 'fine' },
    ];
    for (const content of contents) {
      const view = renderHome(content, options);
      expect(slackProblems('views.publish', { view })).toEqual([]);
      expect(view.blocks.length).toBeGreaterThan(1);
    }
    expect(homeText({ kind: 'shown', unreadable: 'e01234567', service: 'fine', notCancelled: 'q01234567' })).toMatch(
      /Not cancelled.*`q01234567`.*I cannot read.*`e01234567`/,
    );
  });

  it('of a person with very many questions stays within 100 blocks, and says what is left out', () => {
    const many: Overview = {
      open: Array.from({ length: 90 }, (_, index) => entry({ kind: 'starting' }, numbered(index))),
      ended: Array.from({ length: 40 }, (_, index) => entry({ kind: 'cancelled' }, numbered(100 + index))),
    };
    const view = renderHome({ kind: 'shown', overview: many, service: 'fine' }, options);
    expect(slackProblems('views.publish', { view })).toEqual([]);
    expect(JSON.stringify(view)).toContain('40 more are in progress.');
    expect(JSON.stringify(view)).toContain('`/deepsearch help`');
    expect(JSON.stringify(view.blocks).match(/ · cancelled · /g) ?? []).toHaveLength(0);
    expect(JSON.stringify(view.blocks).match(/\\ncancelled · /g)).toHaveLength(20);
  });
});

const hostile = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 400 }),
  fc.constantFrom(
    '&'.repeat(10_000),
    '<!here> <@U0BOB> <https://e.org|x>',
    '@channel @everyone',
    '>'.repeat(500),
    '👩‍👩‍👧'.repeat(80),
  ),
);

describe('lists of questions with hostile text', () => {
  it('stay within the limits of Slack and ping no person', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const of = (index: number) => numbered(index, { text, delivery: { round: 0, posted: ['1700000000.000300'] } });
        const list: Overview = {
          open: Array.from({ length: 50 }, (_, index) => entry({ kind: 'queued', place: 49 }, of(index))),
          ended: Array.from({ length: 20 }, (_, index) =>
            entry({ kind: 'gaveUp', durationMs: 900_000 }, of(50 + index)),
          ),
        };
        const view = renderHome({ kind: 'shown', overview: list, service: 'refused' }, { ...options, locale: 'de-DE' });
        expect(slackProblems('views.publish', { view })).toEqual([]);
        const message = renderHistory({ overview: list }, { ...options, locale: 'de-DE' });
        expect(slackProblems('chat.postEphemeral', { ...message })).toEqual([]);
        for (const written of [JSON.stringify(view), JSON.stringify(message)]) {
          expect(written).not.toMatch(/<!(?!date)|<@U0(?!BOT)|@channel|@everyone|@here/);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('the history', () => {
  it('lists the newest question first, running or not, each with a link to its thread', () => {
    const message = renderHistory({ overview }, options);
    expect(message.blocks).toHaveLength(1 + overview.open.length + overview.ended.length);
    expect(JSON.stringify(message)).toContain(
      '<https://acme.slack.com/archives/C1/p1700000000000300?thread_ts=1700000000.000100&amp;cid=C1|open>',
    );
    expect(JSON.stringify(message)).toContain('<https://acme.slack.com/archives/D0ADA/p1700000000000400|open>');
    expect(JSON.stringify(message)).not.toContain('"button"');
  });

  it('puts the question first that was asked last, whether it runs or has ended', () => {
    const asked = (index: number, acceptedMs: number) =>
      entry({ kind: 'starting' }, numbered(index, { text: `asked at ${acceptedMs}`, acceptedMs }));
    const list: Overview = { open: [asked(1, 1_000), asked(2, 4_000)], ended: [asked(3, 3_000), asked(4, 2_000)] };
    const order = [...JSON.stringify(renderHistory({ overview: list }, options)).matchAll(/asked at (\d)/g)].map(
      ([, at]) => at,
    );
    expect(order).toEqual(['4', '3', '2', '1']);
  });

  it('says when there are no questions, and when they cannot be read', () => {
    expect(renderHistory({ overview: { open: [], ended: [] } }, options).text).toContain('/deepsearch help');
    const unreadable = renderHistory({ unreadable: 'e01234567' }, options);
    expect(unreadable.text).toContain('I cannot read');
    expect(JSON.stringify(unreadable.blocks)).toContain('Reference `e01234567`');
  });
});
