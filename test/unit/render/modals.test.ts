import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import {
  confirmField,
  parseShareMetadata,
  renderAskForm,
  renderEditForm,
  renderShareForm,
  renderWords,
  type ShownAudience,
} from '../../../src/render/modals.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { QUESTION_ID } from './example.ts';

const locales = fc.constantFrom('en-US', 'de-DE', undefined, 'xx-nonsense');
const hostile = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 9_000 }),
  fc.string({ maxLength: 9_000 }),
  fc.constantFrom(
    '<!channel> <@U1> @here &lt;x&gt;',
    '👩‍👩‍👧‍👦'.repeat(1_000),
    `${'x'.repeat(2_999)}👩‍👩‍👧‍👦`,
    'e\u0301'.repeat(5_000),
    '\u0000\u202e',
    '',
  ),
);
const count = fc.integer({ min: 0, max: 500_000 });
const audiences: fc.Arbitrary<ShownAudience> = fc.record({
  members: count,
  guests: count,
  outsiders: count,
  organizations: fc.integer({ min: 0, max: 250 }),
  isKnown: fc.boolean(),
  fingerprint: fc.string({ unit: fc.constantFrom('0', '7', 'a', 'f'), minLength: 32, maxLength: 32 }),
});

function problems(view: unknown): string[] {
  return slackProblems('views.open', { view });
}

function prefilled(view: ReturnType<typeof renderEditForm>): string {
  const [block] = view.blocks;
  const element = block !== undefined && 'element' in block ? block.element : undefined;
  return element?.type === 'plain_text_input' ? (element.initial_value ?? '') : '';
}

describe('the forms', () => {
  it('fit Slack with any text in them, and keep its beginning', () => {
    fc.assert(
      fc.property(hostile, locales, fc.boolean(), (text, locale, startsPrivately) => {
        for (const view of [
          renderAskForm({ text, startsPrivately }, locale),
          renderAskForm({ text, about: 'C0GENERAL 1700000000.000001' }, locale),
          renderEditForm({ value: { questionId: QUESTION_ID, index: 2 }, text, isDirect: startsPrivately }, locale),
        ]) {
          expect(problems(view)).toEqual([]);
          expect(text.startsWith(prefilled(view))).toBe(true);
          // A grapheme cluster is never divided.
          expect(prefilled(view).length).toBeGreaterThanOrEqual(Math.min(text.length, 2_900));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('for sharing fit Slack with any readers of a channel, and require a tick exactly where some are not members', () => {
    fc.assert(
      fc.property(audiences, locales, fc.boolean(), (audience, locale, withLink) => {
        const view = renderShareForm(
          { questionId: QUESTION_ID, chosen: { channelId: 'C0GENERAL', audience }, withLink },
          locale,
        );
        expect(problems(view)).toEqual([]);
        const isInside = audience.isKnown && audience.guests + audience.outsiders + audience.organizations === 0;
        expect(JSON.stringify(view).includes('"confirm:')).toBe(!isInside);
        expect(parseShareMetadata(view.private_metadata ?? '')).toEqual({
          questionId: QUESTION_ID,
          shownChannelId: 'C0GENERAL',
        });
      }),
    );
    expect(problems(renderShareForm({ questionId: QUESTION_ID }, 'de'))).toEqual([]);
    expect(problems(renderShareForm({ questionId: QUESTION_ID, problem: 'No.' }, 'de'))).toEqual([]);
    expect(problems(renderWords((say) => say.modals.failed(), 'de'))).toEqual([]);
  });

  it('accept a tick for one audience only', () => {
    fc.assert(
      fc.property(audiences, audiences, (one, other) => {
        const isInside = ({ guests, outsiders, organizations, isKnown }: ShownAudience) =>
          isKnown && guests + outsiders + organizations === 0;
        const seen = (audience: ShownAudience) =>
          isInside(audience) ? 'members' : audience.isKnown ? audience.fingerprint : 'unknown';
        fc.pre(seen(one) !== seen(other));
        const fields = [confirmField('C1', one), confirmField('C1', other)];
        expect(fields[0]).not.toBe(fields[1]);
        if (fields[0] !== undefined) expect(fields[0]).not.toBe(confirmField('C2', one));
      }),
    );
  });
});

describe('the value in the form for sharing', () => {
  it.each([
    '',
    'q1',
    `${QUESTION_ID} `,
    `${QUESTION_ID} c0`,
    `${QUESTION_ID} C0 C1`,
    `${QUESTION_ID}\nC0`,
    `${QUESTION_ID} ${'C'.repeat(31)}`,
    `x${QUESTION_ID}`,
  ])('is refused where the app did not write it: %j', (raw) => {
    expect(parseShareMetadata(raw)).toBeUndefined();
  });
});
