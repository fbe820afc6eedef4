import { describe, expect, test } from 'vitest';
import type { CardView } from '../../../src/core/ports.ts';
import type { ThreadContext } from '../../../src/core/question/question.ts';
import { renderCard } from '../../../src/render/card.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';

const running: CardView = { kind: 'running', elapsedMs: 5_000, steps: 2 };
const answered: CardView = { kind: 'answered', durationMs: 41_000, steps: 12 };

function linesOf(view: CardView, read: Partial<ThreadContext>, locale?: string): string[] {
  const context = { messages: 0, total: 0, files: 0, unreadable: 0, text: 'secret', ...read };
  const question = questionWith({ context, ...(locale === undefined ? {} : { locale }) });
  const inBlocks = renderCard(question, view, { format: 'markdown' });
  const plain = renderCard(question, view, { format: 'plain' });
  const lines = plain.text.split('\n');
  const shown = JSON.stringify(inBlocks.blocks);
  for (const line of lines) expect(shown).toContain(line);
  expect(shown).not.toContain('secret');
  return lines;
}

describe('the note about what was read of a thread', () => {
  test.each<[Partial<ThreadContext>, string, string]>([
    [
      { messages: 14, total: 63, files: 1, unreadable: 2 },
      'Read 14 of 63 messages in this thread and 1 file; 2 files could not be read',
      '14 von 63 Nachrichten in diesem Thread und 1 Datei gelesen; 2 Dateien nicht lesbar',
    ],
    [{ messages: 1, total: 1 }, 'Read 1 message in this thread', '1 Nachricht in diesem Thread gelesen'],
    [{ files: 2 }, 'Read 2 files', '2 Dateien gelesen'],
    [{ unreadable: 1 }, '1 file could not be read', '1 Datei nicht lesbar'],
    [{ refused: true }, 'This thread could not be read', 'Dieser Thread konnte nicht gelesen werden'],
  ])('for %j appears below the card while the question runs', (read, english, german) => {
    expect(linesOf(running, read).slice(1)).toEqual([english]);
    expect(linesOf(running, read, 'de-DE').slice(1)).toEqual([german]);
  });

  test('is a part of the final line of the card', () => {
    expect(linesOf(answered, { messages: 14, total: 63, files: 1, unreadable: 2 })).toEqual([
      '✅ Answered in 41 s · 12 steps · read 14 of 63 messages · 2 files not read',
    ]);
    expect(linesOf(answered, { refused: true })).toEqual(['✅ Answered in 41 s · 12 steps · thread not read']);
    expect(linesOf({ kind: 'cancelled' }, { messages: 3, total: 3 })).toEqual(['⏹️ Cancelled']);
  });

  test('is left out where nothing was read', () => {
    expect(linesOf(running, {})).toHaveLength(1);
    expect(linesOf(answered, {})).toEqual(['✅ Answered in 41 s · 12 steps']);
  });
});
