import { BASE_MARK } from '../ask/finding.ts';
import type { QuotaState } from '../conversations/quota.ts';
import {
  type ConversationRecord,
  isOpen,
  type QuestionError,
  type QuestionRecord,
  type StatsRecord,
  type TurnRecord,
} from '../conversations/records.ts';

/**
 * A question as the first generation of the API returns it, its text as the first turn. Links of the answer are absolute, links of the sources
 * relative. The last turn of an answered question holds the answer.
 */
export function questionToWire(question: QuestionRecord, conversationId: number, baseUrl: string) {
  const answer = question.answer?.replaceAll(BASE_MARK, baseUrl);
  const turn = (role: 'user' | 'assistant', { reasoning, atMs }: TurnRecord) => ({
    reasoning,
    timestamp: Math.floor(atMs / 1000),
    role,
  });
  const answerTurn = answer === undefined ? [] : [{ reasoning: answer, atMs: question.updatedMs }];
  // What ended without an answer has the fields of an answer too.
  const ended = question.error === undefined ? {} : { title: question.error.title, answer: '', sources: [] };
  return {
    id: question.id,
    conversation_id: conversationId,
    question: question.text,
    created_at: iso(question.createdMs),
    updated_at: iso(question.updatedMs),
    status: isOpen(question) ? 'processing' : 'completed',
    turns: [
      turn('user', { reasoning: question.text, atMs: question.createdMs }),
      ...[...question.turns, ...answerTurn].map((step) => turn('assistant', step)),
    ],
    ...ended,
    ...(question.title === undefined ? {} : { title: question.title }),
    ...(answer === undefined ? {} : { answer }),
    ...(question.sources === undefined ? {} : { sources: question.sources }),
    ...(question.error === undefined ? {} : { error: errorToWire(question.error) }),
    stats: statsToWire(question.stats),
    suggested_followups: isOpen(question) ? null : (question.followUps ?? []),
  };
}

/** A conversation as the replies of create and list contain it. */
export function conversationToWire(conversation: ConversationRecord, baseUrl: string) {
  return {
    id: conversation.id,
    questions: conversation.questions.map((question) => questionToWire(question, conversation.id, baseUrl)),
    created_at: iso(conversation.createdMs),
    updated_at: iso(conversation.updatedMs),
    user_id: conversation.userId,
    read_token: conversation.readToken,
    share_url: shareUrl(conversation, baseUrl),
    starred: conversation.starred ?? false,
  };
}

/** Adds `viewer` once every question has finished, as for a conversation that is found by its read token. */
export function readConversationToWire(conversation: ConversationRecord, viewerId: number, baseUrl: string) {
  const wire = conversationToWire(conversation, baseUrl);
  if (conversation.questions.some(isOpen)) return wire;
  return { ...wire, viewer: { is_owner: conversation.userId === viewerId } };
}

/** The single-conversation reply: `viewer` and `quota_usage` are added once every question has finished. */
export function singleConversationToWire(
  conversation: ConversationRecord,
  viewerId: number,
  quota: QuotaState,
  baseUrl: string,
) {
  const wire = readConversationToWire(conversation, viewerId, baseUrl);
  if (!('viewer' in wire)) return wire;
  return {
    ...wire,
    quota_usage: { total_quota: quota.used, quota_limit: quota.limit, reset_time: iso(quota.resetMs) },
  };
}

/** The address of a conversation's page, which both generations return. */
export function shareUrl({ readToken }: ConversationRecord, baseUrl: string): string {
  return `${baseUrl}/deepsearch/${readToken}`;
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function errorToWire({ kind, title, message, details }: QuestionError) {
  return { kind, title, message, details };
}

function statsToWire(stats: StatsRecord) {
  return {
    time_millis: stats.timeMs,
    tool_calls: stats.toolCalls,
    total_input_tokens: stats.promptTokens,
    cached_tokens: stats.cachedTokens ?? 0,
    cache_creation_input_tokens: stats.cacheCreationTokens ?? 0,
    prompt_tokens: stats.promptTokens,
    completion_tokens: stats.completionTokens,
    total_tokens: stats.promptTokens + stats.completionTokens,
    credits: stats.credits,
  };
}
