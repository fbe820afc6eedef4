import type { Verdict } from '../core/history/votes.ts';
import type { Question } from '../core/question/question.ts';

/** The slash command, as in the manifest. */
export const COMMAND = '/deepsearch';

/**
 * Action ids of all buttons. Ids in one message must differ, so `followUp` includes its index: see `followUpAction`.
 */
export const ACTIONS = {
  cancel: 'deepsearch:cancel',
  followUp: 'deepsearch:follow_up',
  allSources: 'deepsearch:all_sources',
  tryAgain: 'deepsearch:try_again',
  askNew: 'deepsearch:ask_new',
  checkAgain: 'deepsearch:check_again',
  drop: 'deepsearch:drop',
  askHere: 'deepsearch:ask_here',
  askInDm: 'deepsearch:ask_in_dm',
  /** Shows an answer that was withheld from a channel. */
  showInDm: 'deepsearch:show_in_dm',
  /** The choices of who sees an answer that was asked with own access. */
  showHere: 'deepsearch:show_here',
  onlyForMe: 'deepsearch:only_for_me',
  alwaysHere: 'deepsearch:always_here',
  /** On Home, takes back a choice of `alwaysHere`. */
  undoAlwaysHere: 'deepsearch:undo_always_here',
  askEdited: 'deepsearch:ask_edited',
  /** Asks a message that the app missed. */
  askMissed: 'deepsearch:ask_missed',
  askCommand: 'deepsearch:ask_command',
  continuePrevious: 'deepsearch:continue_previous',
  followUpMenu: 'deepsearch:follow_up_menu',
  share: 'deepsearch:share',
  /** The channel menu in the form that shares an answer. */
  shareChannel: 'deepsearch:share_channel',
  /** Opens the form for a question. Its value has no question id. */
  askForm: 'deepsearch:ask_form',
  /** Cancels the reader's own question in a list of questions from all places. */
  cancelOwn: 'deepsearch:cancel_own',
  /** Slack's own pair of feedback buttons, whose value says which one was pressed; and the two plain buttons. */
  feedback: 'deepsearch:feedback',
  feedbackUp: 'deepsearch:feedback_up',
  feedbackDown: 'deepsearch:feedback_down',
  /** Opens a channel's settings. Its value is the channel's id. */
  channelSettings: 'deepsearch:channel_settings',
  /** The buttons about a person's own account. They have no value: they are about the person who presses. */
  connect: 'deepsearch:connect',
  connectByToken: 'deepsearch:connect_by_token',
  disconnect: 'deepsearch:disconnect',
  /** Has an address, which Slack opens. */
  signIn: 'deepsearch:sign_in',
} as const;

/** Matches the action id of every follow-up button. */
export const FOLLOW_UP_PATTERN = /^deepsearch:follow_up:\d+$/;

/** Callback ids of the shortcuts, as in the manifest. */
export const SHORTCUTS = { askAbout: 'deepsearch:ask_about', ask: 'deepsearch:ask' } as const;

/** Callback ids of the modals that people submit. */
export const FORMS = {
  ask: 'deepsearch:ask_form',
  editFollowUp: 'deepsearch:edit_follow_up',
  share: 'deepsearch:share_form',
  feedback: 'deepsearch:feedback_form',
  channelSettings: 'deepsearch:channel_settings_form',
  connect: 'deepsearch:connect_form',
} as const;

export const SOURCES_CALLBACK = 'deepsearch:sources';

/** Event type in the metadata of every message about a question. */
export const METADATA_EVENT_TYPE = 'deepsearch_question';

export function followUpAction(index: number): string {
  return `${ACTIONS.followUp}:${index}`;
}

/** The choices of the menu under an answer: edit a follow-up or ask it elsewhere, and take only mentions in the thread. */
export type MenuChoice = 'edit' | 'mute';

/**
 * The value of a button or menu option: the question, for a follow-up its index in the answer and what to do with it,
 * and for a vote which one.
 */
export interface ButtonValue {
  questionId: string;
  index?: number;
  choice?: MenuChoice;
  verdict?: Verdict;
  /** The message in the same channel that the question is in. `threadTs`: of a reply. */
  message?: MessageInChannel;
  /** A command that may have been taken already, with its question. */
  command?: { triggerId: string; text: string };
}

export interface MessageInChannel {
  channelId: string;
  ts: string;
  threadTs?: string;
}

const VALUE_PATTERN =
  /^(q[0-9a-f]{24})(?:\.(0|[1-9]\d?)(?::(edit))?|:(up|down)|:(mute)|@([A-Z0-9]{2,30}):(\d{1,16}\.\d{6})(?:,(\d{1,16}\.\d{6}))?)?$/;

/** Slack's ids of triggers are digits, letters and dots. */
const COMMAND_PATTERN = /^(q[0-9a-f]{24})=([\w.]{1,200}) ([\s\S]{1,2000})$/;

export function buttonValue({ questionId, index, choice, verdict, message, command }: ButtonValue): string {
  if (command !== undefined) return `${questionId}=${command.triggerId} ${command.text}`;
  if (message !== undefined) {
    const { channelId, ts, threadTs } = message;
    return `${questionId}@${channelId}:${threadTs === undefined ? ts : `${ts},${threadTs}`}`;
  }
  if (verdict !== undefined) return `${questionId}:${verdict}`;
  if (index === undefined) return choice === 'mute' ? `${questionId}:mute` : questionId;
  return choice === undefined ? `${questionId}.${index}` : `${questionId}.${index}:${choice}`;
}

/** Parses a button's value. Undefined for a value that this app did not write. */
export function parseButtonValue(raw: unknown): ButtonValue | undefined {
  if (typeof raw !== 'string') return undefined;
  const [, commandId, triggerId, text] = COMMAND_PATTERN.exec(raw) ?? [];
  if (commandId !== undefined && triggerId !== undefined && text !== undefined) {
    return { questionId: commandId, command: { triggerId, text } };
  }
  const match = VALUE_PATTERN.exec(raw);
  const questionId = match?.[1];
  if (questionId === undefined) return undefined;
  const verdict = match?.[4];
  if (verdict === 'up' || verdict === 'down') return { questionId, verdict };
  if (match?.[5] === 'mute') return { questionId, choice: 'mute' };
  const [channelId, ts, threadTs] = match?.slice(6) ?? [];
  if (channelId !== undefined && ts !== undefined) {
    return { questionId, message: { channelId, ts, threadTs } };
  }
  if (match?.[2] === undefined) return { questionId };
  const choice = match[3] === 'edit' ? 'edit' : undefined;
  return { questionId, index: Number(match[2]), choice };
}

/** The marker of a question's card, to find the card in its thread. */
export function cardMarker(question: Pick<Question, 'id'>): string {
  return `ds:${question.id}:card`;
}

/**
 * The marker of one part of an outcome. Parts count from 0. A delivery that starts again (`round`) gets new markers.
 */
export function partMarker(question: Pick<Question, 'id' | 'delivery'>, part: number): string {
  return `ds:${question.id}:${question.delivery.round}:${part}`;
}

/** A marker at the beginning of a `block_id`. */
const MARKER_PATTERN = /^ds:q[0-9a-f]{24}:(?:card|\d+:\d+)(?=:|$)/;

/**
 * The fields of a message that are searched for a marker. They come from Slack, so each may be missing or malformed.
 */
export interface MarkedMessage {
  blocks?: readonly { block_id?: string }[];
  metadata?: { event_type?: string; event_payload?: object };
}

/**
 * Whether a message has the marker, in its metadata or at the beginning of a `block_id`. A revision follows the marker
 * there, because Slack requires new block ids when a message is edited.
 */
export function hasMarker(message: MarkedMessage, marker: string): boolean {
  if (foundMarker(message) === marker) return true;
  return (message.blocks ?? []).some(({ block_id: id }) => id === marker || id?.startsWith(`${marker}:`) === true);
}

/** Metadata of a message by which it is found again. */
export interface MarkerMetadata {
  event_type: string;
  event_payload: { question_id: string; marker: string };
}

/** The marker of a message about this question, without its revision. Undefined if the message has none. */
export function markerOf(message: MarkedMessage, { id }: Pick<Question, 'id'>): string | undefined {
  const begin = `ds:${id}:`;
  const found = foundMarker(message);
  if (typeof found === 'string' && found.startsWith(begin)) return found;
  for (const { block_id: blockId } of message.blocks ?? []) {
    const [marker] = blockId?.startsWith(begin) === true ? (MARKER_PATTERN.exec(blockId) ?? []) : [];
    if (marker !== undefined) return marker;
  }
  return undefined;
}

function foundMarker({ metadata }: MarkedMessage): unknown {
  const payload = metadata?.event_type === METADATA_EVENT_TYPE ? metadata.event_payload : undefined;
  return payload !== undefined && 'marker' in payload ? payload.marker : undefined;
}

export function markerMetadata(question: Pick<Question, 'id'>, marker: string): MarkerMetadata {
  return { event_type: METADATA_EVENT_TYPE, event_payload: { question_id: question.id, marker } };
}

/** A marker plus a revision that changes with `content`. */
export function markerBlockId(marker: string, content: string): string {
  // FNV-1a. The hash only has to differ between two successive revisions of one message.
  let hash = 0x811c9dc5;
  for (let index = 0; index < content.length; index += 1) {
    hash = Math.imul(hash ^ content.charCodeAt(index), 0x01000193) >>> 0;
  }
  return `${marker}:${hash.toString(36)}`;
}
