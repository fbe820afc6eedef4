import type { DurationLog, MessageLogRecord } from '../history/lists.ts';
import type { Question, Thread } from '../question/question.ts';
import type { ThreadNotes } from '../question/thread-notes.ts';

/** The person whose data is exported or erased, and how to recognize their questions in other records. */
export interface Subject {
  userId: string;
  /** Absent: the person in every workspace. */
  teamId?: string;
  /** Whether a question with this id is theirs. */
  isOwnQuestion(questionId: string): boolean;
  /** Whether a question of theirs has exactly this text. */
  isOwnText(text: string): boolean;
}

/**
 * What is left of a record without a person's part: the record itself if they have no part in it, undefined if nothing
 * is left, `inUse` if an open question needs that part.
 */
export type Rest<T> = T | undefined | 'inUse';

/** Whether a person of this workspace is the subject. */
export function isSubject({ userId, teamId }: Subject, person: { teamId: string; userId: string }): boolean {
  return person.userId === userId && (teamId === undefined || person.teamId === teamId);
}

/** Whether the question is the subject's own. */
export function isAskedBy(subject: Subject, { askerId, place }: Question): boolean {
  return isSubject(subject, { teamId: place.teamId, userId: askerId });
}

/** What a question says about its asker, or about a person who acted on another one's question. Never a `responseUrl`. */
export function personInQuestion(question: Question, subject: Subject): unknown {
  if (isAskedBy(subject, question)) {
    const { responseUrl: _url, ...own } = question;
    return own;
  }
  if (!isSubject(subject, { teamId: question.place.teamId, userId: subject.userId })) return undefined;
  const { id, cancel, usedFollowUps = [], askedAgain } = question;
  const asked = usedFollowUps.filter(({ byUserId }) => byUserId === subject.userId).map(({ index }) => index);
  const cancelledMs = cancel?.byUserId === subject.userId ? cancel.atMs : undefined;
  const hasAskedAgain = askedAgain?.byUserId === subject.userId;
  if (asked.length === 0 && cancelledMs === undefined && !hasAskedAgain) return undefined;
  return {
    actedOn: id,
    ...(asked.length === 0 ? {} : { askedFollowUps: asked }),
    cancelledMs,
    ...(hasAskedAgain ? { askedAgain: true } : {}),
  };
}

/** A person's own question goes as a whole. Of other people's questions goes what the person did and what quotes them. */
export function questionWithout(question: Question, subject: Subject): Rest<Question> {
  const isOpen = question.phase !== 'closed';
  if (isAskedBy(subject, question)) return isOpen ? 'inUse' : undefined;
  const next = withoutActs(withoutQuotes(question, subject), subject);
  return next !== question && isOpen ? 'inUse' : next;
}

function withoutQuotes(question: Question, subject: Subject): Question {
  const { follows, shares, outcome } = question;
  const repeats = shares !== undefined && subject.isOwnQuestion(shares.questionId);
  const isEmptied = question.text === '' && (outcome?.kind !== 'answered' || outcome.answer.title === '');
  const shared: Question =
    !repeats || isEmptied
      ? question
      : {
          ...question,
          text: '',
          ...(outcome?.kind === 'answered'
            ? { outcome: { ...outcome, answer: { ...outcome.answer, title: '' } } }
            : {}),
        };
  if (follows === undefined) return shared;
  const { follows: _follows, ...rest } = shared;
  if (subject.isOwnText(follows.text)) return rest;
  const { before = [] } = follows;
  const others = before.filter((text) => !subject.isOwnText(text));
  return others.length === before.length ? shared : { ...rest, follows: { ...follows, before: others } };
}

function withoutActs(question: Question, subject: Subject): Question {
  if (!isSubject(subject, { teamId: question.place.teamId, userId: subject.userId })) return question;
  const { cancel, usedFollowUps = [], askedAgain, ...rest } = question;
  const isCancelledBy = cancel?.byUserId === subject.userId;
  const others = usedFollowUps.filter(({ byUserId }) => byUserId !== subject.userId);
  const hasAskedAgain = askedAgain?.byUserId === subject.userId;
  if (!isCancelledBy && !hasAskedAgain && others.length === usedFollowUps.length) return question;
  return {
    ...rest,
    ...(cancel === undefined || isCancelledBy ? {} : { cancel }),
    ...(others.length === 0 ? {} : { usedFollowUps: others }),
    // The button stays away: it works once.
    ...(askedAgain === undefined ? {} : { askedAgain: hasAskedAgain ? { byUserId: '' } : askedAgain }),
  };
}

/** What a thread says about a person. */
export function personInThread(thread: Thread, subject: Subject): unknown {
  const { teamId, channelId, threadTs, startedBy, ownConversations = [], asked = [], queue } = thread;
  if (subject.teamId !== undefined && teamId !== subject.teamId) return undefined;
  const isStarter = startedBy === subject.userId;
  const conversations = ownConversations.filter(({ userId }) => userId === subject.userId);
  const questions = [...new Set([...asked, ...queue])].filter((id) => subject.isOwnQuestion(id));
  if (!isStarter && conversations.length === 0 && questions.length === 0) return undefined;
  return {
    teamId,
    channelId,
    threadTs,
    ...(isStarter ? { startedThread: true } : {}),
    ...(conversations.length === 0 ? {} : { ownConversations: conversations }),
    questions,
  };
}

/** A thread in which no one else asked goes as a whole. */
export function threadWithout(thread: Thread, subject: Subject): Rest<Thread> {
  if (personInThread(thread, subject) === undefined) return thread;
  if (thread.queue.some((id) => subject.isOwnQuestion(id))) return 'inUse';
  const { startedBy, ownConversations = [], asked = [], ...rest } = thread;
  const conversations = ownConversations.filter(({ userId }) => userId !== subject.userId);
  const others = asked.filter((id) => !subject.isOwnQuestion(id));
  if (others.length === 0 && conversations.length === 0 && thread.queue.length === 0) return undefined;
  return {
    ...rest,
    ...(startedBy === undefined || startedBy === subject.userId ? {} : { startedBy }),
    ...(conversations.length === 0 ? {} : { ownConversations: conversations }),
    asked: others,
  };
}

/** The person's messages among the notes of a thread. */
export function personInNotes({ messages }: ThreadNotes, { userId }: Subject): unknown {
  const own = messages.filter((message) => message.userId === userId);
  return own.length === 0 ? undefined : own;
}

export function notesWithout(notes: ThreadNotes, { userId }: Subject): Rest<ThreadNotes> {
  const messages = notes.messages.filter((message) => message.userId !== userId);
  return messages.length === notes.messages.length ? notes : { ...notes, messages };
}

/** The person's messages in the log of a channel. */
export function personInMessageLog({ entries }: MessageLogRecord, { userId }: Subject): unknown {
  const own = entries.filter((entry) => entry.userId === userId);
  return own.length === 0 ? undefined : own;
}

export function messageLogWithout(record: MessageLogRecord, { userId }: Subject): Rest<MessageLogRecord> {
  const entries = record.entries.filter((entry) => entry.userId !== userId);
  return entries.length === record.entries.length ? record : { ...record, entries };
}

/** The durations of the person's answers. */
export function personInDurations({ entries }: DurationLog, subject: Subject): unknown {
  const own = entries.filter(({ questionId }) => subject.isOwnQuestion(questionId));
  return own.length === 0 ? undefined : own;
}

/** Durations stay for the usual time of the workspace, but without saying whose question it was. */
export function durationsWithout(log: DurationLog, subject: Subject): Rest<DurationLog> {
  if (personInDurations(log, subject) === undefined) return log;
  const entries = log.entries.map((entry) =>
    subject.isOwnQuestion(entry.questionId) ? { ...entry, questionId: '' } : entry,
  );
  return { ...log, entries };
}
