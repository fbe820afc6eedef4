import type { QuotaState } from '../conversations/quota.ts';
import { type ConversationRecord, isOpen, type QuestionRecord, type StatsRecord } from '../conversations/records.ts';
import { BASE_MARK } from '../search/finding.ts';

/** A question as the API returns it; links in the answer are absolute, links of sources relative. */
export function questionToWire(question: QuestionRecord, conversationId: number, baseUrl: string) {
  const done = !isOpen(question);
  return {
    id: question.id,
    conversation_id: conversationId,
    question: question.text,
    created_at: iso(question.createdMs),
    updated_at: iso(question.updatedMs),
    status: question.status,
    turns: question.turns.map((turn) => ({
      reasoning: turn.reasoning,
      timestamp: Math.floor(turn.atMs / 1000),
      role: turn.role,
    })),
    ...(question.title === undefined ? {} : { title: question.title }),
    ...(question.answer === undefined ? {} : { answer: question.answer.replaceAll(BASE_MARK, baseUrl) }),
    ...(question.sources === undefined ? {} : { sources: question.sources }),
    ...(question.error === undefined ? {} : { error: question.error }),
    stats: statsToWire(question.stats),
    suggested_followups: done ? (question.followUps ?? []) : null,
  };
}

/** A conversation as lists return it, and, with `extra`, as the single-conversation reply returns it. */
export function conversationToWire(conversation: ConversationRecord, baseUrl: string) {
  return {
    id: conversation.id,
    questions: conversation.questions.map((question) => questionToWire(question, conversation.id, baseUrl)),
    created_at: iso(conversation.createdMs),
    updated_at: iso(conversation.updatedMs),
    user_id: conversation.userId,
    read_token: conversation.readToken,
    share_url: `${baseUrl}/deepsearch/${conversation.readToken}`,
  };
}

/** The single-conversation reply: `viewer` and `quota_usage` are added once every question has finished. */
export function singleConversationToWire(
  conversation: ConversationRecord,
  viewerId: number,
  quota: QuotaState,
  baseUrl: string,
) {
  const wire = conversationToWire(conversation, baseUrl);
  if (conversation.questions.some(isOpen)) return wire;
  return {
    ...wire,
    viewer: { is_owner: conversation.userId === viewerId },
    quota_usage: { total_quota: quota.used, quota_limit: quota.limit, reset_time: iso(quota.resetMs) },
  };
}

function statsToWire(stats: StatsRecord) {
  return {
    time_millis: stats.timeMs,
    tool_calls: stats.toolCalls,
    total_input_tokens: stats.promptTokens,
    cached_tokens: 0,
    cache_creation_input_tokens: 0,
    prompt_tokens: stats.promptTokens,
    completion_tokens: stats.completionTokens,
    total_tokens: stats.promptTokens + stats.completionTokens,
    credits: stats.credits,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
