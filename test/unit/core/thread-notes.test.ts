import { describe, expect, test } from 'vitest';
import {
  addNote,
  removeNote,
  replaceNote,
  type ThreadNote,
  type ThreadNotes,
  takeNotes,
} from '../../../src/core/question/thread-notes.ts';

function message(ts: number, text = `said at ${ts}`): ThreadNote {
  return { ts: `${ts}.000000`, userId: 'U1', text, files: [] };
}

function notesOf(...messages: ThreadNote[]): ThreadNotes {
  return messages.reduce<ThreadNotes>((notes, each) => addNote(notes, each), { version: 1, messages: [] });
}

function times(messages: readonly ThreadNote[]): number[] {
  return messages.map(({ ts }) => Number(ts));
}

describe('adding a message to the thread notes', () => {
  test('keeps the order of writing, and a repeated delivery once', () => {
    const notes = notesOf(message(3), message(1), message(2), message(3));
    expect(times(notes.messages)).toEqual([1, 2, 3]);
    expect(addNote(notes, message(2))).toBe(notes);
  });

  test('keeps the newest fifty messages', () => {
    const notes = notesOf(...Array.from({ length: 60 }, (_, index) => message(index)));
    expect(times(notes.messages)).toEqual(Array.from({ length: 50 }, (_, index) => index + 10));
  });

  test('keeps at most 20,000 characters, and the newest message whatever its length', () => {
    const notes = notesOf(message(1, 'a'.repeat(9_000)), message(2, 'b'.repeat(9_000)), message(3, 'c'.repeat(9_000)));
    expect(times(notes.messages)).toEqual([2, 3]);
    expect(times(addNote(notes, message(4, 'd'.repeat(40_000))).messages)).toEqual([4]);
  });

  test('removes what was deleted, and stores nothing for a message it never had', () => {
    const notes = notesOf(message(1), message(2));
    expect(times(removeNote(notes, '1.000000').messages)).toEqual([2]);
    expect(removeNote(notes, '9.000000')).toBe(notes);
  });

  test('puts an edited message in its place, and adds no message for an edit', () => {
    const notes = notesOf(message(1), message(2));
    expect(replaceNote(notes, message(1, 'edited')).messages.map(({ text }) => text)).toEqual(['edited', 'said at 2']);
    expect(replaceNote(notes, message(9, 'edited'))).toBe(notes);
    expect(times(replaceNote(notes, message(1, '')).messages)).toEqual([2]);
    expect(times(replaceNote(notes, message(2, 'b'.repeat(30_000))).messages)).toEqual([2]);
    expect(replaceNote(undefined, message(1))).toEqual({ version: 1, messages: [] });
  });

  test('passes the edited text to the question that has the message', () => {
    const { notes } = takeNotes('q1', '2.000000', notesOf(message(1)), false);
    const { given } = takeNotes('q1', '2.000000', replaceNote(notes, message(1, 'edited')), false);
    expect(given.map(({ text }) => text)).toEqual(['edited']);
  });
});

const file = { id: 'F1', name: 'a.log', type: 'text/plain', bytes: 3 };

describe('a message in the thread notes', () => {
  test('is kept for its file after its text is deleted', () => {
    const notes = notesOf(message(1));
    const [edited] = replaceNote(notes, { ...message(1, ''), files: [file] }).messages;
    expect(edited).toEqual({ ...message(1, ''), files: [file] });
  });

  test('makes a record without questions where it is the first', () => {
    expect(addNote(undefined, message(1))).toEqual({ version: 1, messages: [message(1)] });
  });

  test('leaves as it is what a question has, when it is added or edited', () => {
    const { notes } = takeNotes('q1', '1.000000', notesOf(message(1), message(2)), false);
    const taken = { questionId: 'q1', fromTs: '0', toTs: '1.000000' };
    expect(notes.taken).toEqual(taken);
    expect(addNote(notes, message(3)).taken).toEqual(taken);
    expect(replaceNote(notes, message(1, 'edited')).taken).toEqual(taken);
    expect(removeNote(notes, '1.000000').taken).toEqual(taken);
  });

  test('leaves an empty record where it is deleted before any was added', () => {
    expect(removeNote(undefined, '1.000000')).toEqual({ version: 1, messages: [] });
  });

  test('counts with its characters, and 20,000 of them are kept', () => {
    const notes = notesOf(message(1, 'a'.repeat(10_000)), message(2, 'b'.repeat(10_000)));
    expect(times(notes.messages)).toEqual([1, 2]);
    expect(times(addNote(notes, message(3, 'c')).messages)).toEqual([2, 3]);
  });
});

describe('giving the thread notes to a question', () => {
  test('gives nothing where there is nothing, and notes what the question was about', () => {
    expect(takeNotes('q1', '3.000000', undefined, false)).toEqual({
      notes: { version: 1, messages: [], taken: { questionId: 'q1', fromTs: '0', toTs: '3.000000' } },
      given: [],
    });
  });

  test('gives what was said up to the moment of the question, and gives later questions the rest', () => {
    const first = takeNotes('q1', '2.000000', notesOf(message(1), message(2), message(3)), false);
    expect(times(first.given)).toEqual([1, 2]);
    expect(times(takeNotes('q2', '3.000000', first.notes, true).given)).toEqual([3]);
  });

  test('stores nothing for the same question again, unless it is about more by now', () => {
    const first = takeNotes('q1', '2.000000', notesOf(message(1), message(3)), false);
    expect(takeNotes('q1', '2.000000', first.notes, true)).toEqual({ notes: first.notes, given: first.given });
    expect(takeNotes('q1', '2.000000', first.notes, true).notes).toBe(first.notes);
    const later = takeNotes('q1', '3.000000', first.notes, true);
    expect(times(later.given)).toEqual([1, 3]);
    expect(later.notes.taken).toEqual({ questionId: 'q1', fromTs: '0', toTs: '3.000000' });
  });

  test('gives a question what was said before it, gives it the same again, and the next one only the rest', () => {
    const notes = notesOf(message(1), message(2), message(5));
    const first = takeNotes('q1', '3.000000', notes, false);
    expect(times(first.given)).toEqual([1, 2]);
    const again = takeNotes('q1', '3.000000', addNote(first.notes, message(6)), false);
    expect(times(again.given)).toEqual([1, 2]);
    const second = takeNotes('q2', '7.000000', again.notes, true);
    expect(times(second.given)).toEqual([5, 6]);
    expect(times(takeNotes('q3', '8.000000', second.notes, true).given)).toEqual([]);
  });

  test('gives the notes of a question that was never asked to another one', () => {
    const first = takeNotes('q1', '3.000000', notesOf(message(1), message(4)), false);
    expect(times(takeNotes('q2', '5.000000', first.notes, false).given)).toEqual([1, 4]);
  });

  test('removes notes that were used for good when a new message is added', () => {
    const first = takeNotes('q1', '3.000000', notesOf(message(1)), false);
    const second = takeNotes('q2', '5.000000', addNote(first.notes, message(4)), true);
    expect(times(addNote(second.notes, message(6)).messages)).toEqual([4, 6]);
  });
});
