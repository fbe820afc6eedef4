import { describe, expect, it } from 'vitest';
import type { CardView } from '../../../src/core/ports.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { renderCard } from '../../../src/render/card.ts';
import { createFormats } from '../../../src/render/formats.ts';
import { renderHelp } from '../../../src/render/help.ts';
import { LIMITS } from '../../../src/render/limits.ts';
import { renderNotice } from '../../../src/render/notices.ts';
import { renderOutcome } from '../../../src/render/outcome.ts';
import { sayIn } from '../../../src/render/say.ts';
import { renderSourcesModal } from '../../../src/render/sources.ts';
import { expectGolden } from '../../support/golden.ts';
import { answered, ended, exampleAnswer, exampleQuestion, QUESTION_ID } from './example.ts';
import { SAMPLES } from './string-samples.ts';

/** Strings that may be the same in both languages, as `surface.name`. They are units and names. */
const SAME_IN_BOTH: ReadonlySet<string> = new Set([
  'words.duration',
  'words.deepSearch',
  'home.heading',
  'usage.channel',
  'modals.channel',
]);

interface Sentence {
  name: string;
  parameters: number;
  /** The text for each of the samples. */
  said: string[];
}

function sentences(locale: string): Sentence[] {
  const samples = new Map<string, readonly unknown[]>(
    Object.entries(SAMPLES).flatMap(([surface, names]) =>
      Object.entries(names).map(([name, all]): [string, readonly unknown[]] => [`${surface}.${name}`, all]),
    ),
  );
  return Object.entries(sayIn(locale)).flatMap(([surface, members]) =>
    Object.entries(members).map(([key, sentence]: [string, (...all: never[]) => string]) => {
      const name = `${surface}.${key}`;
      const all = samples.get(name) ?? [[]];
      return {
        name,
        parameters: sentence.length,
        said: all.map((each) => Reflect.apply(sentence, undefined, Array.isArray(each) ? each : [])),
      };
    }),
  );
}

const english = sentences('en-US');
const german = sentences('de-DE');

describe('the catalog of texts', () => {
  it('has the same entries with the same parameters in both languages', () => {
    const shape = (all: Sentence[]) => all.map(({ name, parameters }) => `${name}/${parameters}`).sort();
    expect(shape(german)).toEqual(shape(english));
  });

  it.each([...english, ...german])('says something for $name, without shouting or joking', ({ said }) => {
    expect(said.length).toBeGreaterThan(0);
    for (const text of said) {
      expect(text.trim()).not.toBe('');
      expect(text).not.toMatch(/undefined|NaN|\[object/);
      expect(text.replaceAll(/<![^>]*>/g, '')).not.toMatch(/!|oops|sorry|just a bot|hoppla|leider/i);
    }
  });

  it('has every entry in German', () => {
    const inEnglish = new Map(english.map(({ name, said }) => [name, said]));
    const same = german.filter(({ name, said }) => said.some((text, index) => text === inEnglish.get(name)?.[index]));
    expect(same.map(({ name }) => name).filter((name) => !SAME_IN_BOTH.has(name))).toEqual([]);
  });

  it('addresses one person informally', () => {
    for (const { said } of german)
      expect(said.join('\n')).not.toMatch(/\b(?:Ihre?[nmrs]?|Ihnen)\b|\bSie (?:können|haben|sind)\b/);
  });

  it('has labels that fit a button and titles that fit a modal', () => {
    for (const { name, said } of [...english, ...german]) {
      const limit = name.startsWith('buttons.')
        ? LIMITS.buttonText
        : name.endsWith('Title')
          ? LIMITS.modalTitle
          : undefined;
      if (limit !== undefined) for (const text of said) expect(text.length).toBeLessThanOrEqual(limit);
    }
  });
});

describe('plurals', () => {
  it.each([
    [0, '0 steps', '0 Schritte'],
    [1, '1 step', '1 Schritt'],
    [2, '2 steps', '2 Schritte'],
    [5, '5 steps', '5 Schritte'],
    [1000, '1,000 steps', '1.000 Schritte'],
  ])('are, for %i, "%s" and "%s"', (count, en, de) => {
    expect(sayIn('en-US').words.steps(count)).toBe(en);
    expect(sayIn('de-DE').words.steps(count)).toBe(de);
  });

  it('follow the number that is shown', () => {
    expect(sayIn('en').words.credits(1.001)).toBe('1 credit');
    expect(sayIn('de').words.credits(1.5)).toBe('1,5 Credits');
  });

  it('change the verb as well', () => {
    expect([1, 2].map(sayIn('de').notices.queueFull)).toEqual([
      expect.stringContaining('1 Frage wartet schon'),
      expect.stringContaining('2 Fragen warten schon'),
    ]);
  });
});

describe('a locale', () => {
  it.each([
    ['de', 'de', '1.234,5'],
    ['de-DE', 'de', '1.234,5'],
    ['DE-de', 'de', '1.234,5'],
    ['de-AT', 'de', '1\u00A0234,5'],
    ['de-XX', 'de', '1.234,5'],
    ['de-Latn-DE-u-nu-thai', 'de', '1.234,5'],
    ['en-US', 'en', '1,234.5'],
    ['en-GB', 'en', '1,234.5'],
    ['en-u-nu-thai', 'en', '1,234.5'],
    [undefined, 'en', '1,234.5'],
    // The app does not have these languages: words and numbers are English.
    ['fr-FR', 'en', '1,234.5'],
    ['ar-EG', 'en', '1,234.5'],
    ['den', 'en', '1,234.5'],
    ['constructor', 'en', '1,234.5'],
    // These are not locales.
    ['', 'en', '1,234.5'],
    ['de_DE', 'en', '1,234.5'],
    ['d', 'en', '1,234.5'],
    ['de-', 'en', '1,234.5'],
    ['<!here>', 'en', '1,234.5'],
    ['x'.repeat(300), 'en', '1,234.5'],
  ])('is read from %s as %s and writes %s', (locale, language, number) => {
    const formats = createFormats(locale);
    expect(formats.language).toBe(language);
    expect(formats.number(1234.5)).toBe(number);
    expect(sayIn(locale).buttons.cancel()).toBe(language === 'de' ? 'Abbrechen' : 'Cancel');
  });

  it('is created only once', () => {
    expect(sayIn('de-DE')).toBe(sayIn('de-DE'));
    expect(sayIn('fr-FR')).toBe(sayIn('rubbish'));
    expect(createFormats('de-XX')).toBe(createFormats('de-YY'));
  });
});

const VIEWS: CardView[] = [
  { kind: 'queued', place: 2 },
  { kind: 'waitingForSlot', ahead: 3 },
  { kind: 'starting' },
  {
    kind: 'running',
    elapsedMs: 41_000,
    steps: 5,
    expected: { fromMs: 20_000, toMs: 60_000 },
    lastStep: 'Reading a.ts',
  },
  { kind: 'running', elapsedMs: 99_000, steps: 9, expected: { fromMs: 20_000, toMs: 60_000 }, isLate: true },
  { kind: 'unreachable' },
  { kind: 'limited' },
  { kind: 'cancelling' },
  { kind: 'parked', untilMs: Date.UTC(2023, 10, 17, 15, 0) },
  { kind: 'answered', durationMs: 41_000, steps: 12 },
  { kind: 'choosing' },
  { kind: 'answeredPrivately' },
  { kind: 'cancelled', byUserId: 'U0BOB' },
  { kind: 'failed', durationMs: 3_000 },
  { kind: 'gaveUp', durationMs: 900_000 },
  { kind: 'shared' },
];

describe('a German asker', () => {
  const locale = 'de-DE';

  it('gets cards that match their golden file', () => {
    const question = exampleQuestion({ locale, origin: 'command' });
    const messages = VIEWS.map((view) => renderCard(question, view, { format: 'mrkdwn' }));
    for (const message of messages) expect(slackProblems('chat.update', { ...message })).toEqual([]);
    expectGolden('render/de/cards.txt', messages);
  });

  it('gets answers that match their golden file', () => {
    const sources = Array.from({ length: 1200 }, (_, index) => ({
      url: `https://x.example.com/${index}.ts`,
      label: `${index}.ts`,
      repository: `github.com/acme/shop${index % 2}`,
    }));
    const quota = { used: 1710, limit: 2000, resetAtMs: Date.UTC(2023, 11, 1) };
    const upstream = { ...exampleQuestion().upstream, conversationLost: true };
    for (const format of ['markdown', 'mrkdwn', 'plain'] as const) {
      const messages = [
        ...renderOutcome(answered({ sources, quota }, { locale, upstream }), { format }),
        ...renderOutcome(answered({ markdown: '', sources: [] }, { locale }), { format }),
      ];
      for (const message of messages) expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
      if (format === 'markdown') expectGolden('render/de/answers.txt', messages);
    }
  });

  it('gets failures, notices, help and sources without an English word', () => {
    const causes = [
      'service',
      'tooLong',
      'unauthorized',
      'unreachable',
      'limited',
      'gone',
      'refused',
      'threadUnread',
      'internal',
    ] as const;
    const options = { botUserId: 'U0BOT', locale };
    const reasons = [
      'guest',
      'outsider',
      'unknownPerson',
      'unknownChannel',
      'channelTooLarge',
      'sharedChannel',
      'guestsInChannel',
      'channelRefused',
    ] as const;
    const messages = [
      ...causes.flatMap((cause) =>
        renderOutcome(ended({ kind: 'failed', failure: { cause } }, { locale }), { format: 'mrkdwn' }),
      ),
      ...renderOutcome(ended({ kind: 'gaveUp' }, { locale }), { format: 'mrkdwn' }),
      ...reasons.map((reason) =>
        renderNotice({ kind: 'notAllowed', reason, questionId: QUESTION_ID, text: 'Wo?' }, options),
      ),
      renderNotice({ kind: 'questionTooLong', text: 'ß'.repeat(10_001) }, options),
      renderHelp({ commandName: '/deepsearch', ...options }),
    ];
    for (const message of messages) {
      expect(slackProblems('chat.postEphemeral', { ...message })).toEqual([]);
      // The shortcuts have one name in all languages, because Slack can't translate it.
      const written = JSON.stringify(message).replace(/\*Ask Deep Search[^*]*\*/g, '');
      expect(written).not.toMatch(/\b(?:the|this|question|again|ask)\b/i);
    }
    const view = renderSourcesModal(exampleQuestion(), exampleAnswer(), locale);
    expect(slackProblems('views.open', { view })).toEqual([]);
    expect([view.title.text, view.close?.text]).toEqual(['Quellen', 'Schließen']);
  });
});
