import type { QuestionRules } from '../channels/channel-settings.ts';
import type { Question } from '../question/question.ts';
import { decideScope } from '../question/scope.ts';

/**
 * Whether the channel's settings still decide about the question. Once it may have reached the service, what was sent
 * must not change, because the app searches for it by its text.
 */
export function awaitsChannelRules({ origin, phase, upstream, outcome }: Question): boolean {
  const isSent = upstream.intentMs !== undefined || upstream.askedMs !== undefined;
  return origin !== 'shared' && phase === 'waiting' && !isSent && outcome === undefined;
}

/** Whether the question names repositories that the settings of its channel do not allow. */
export function namesRefusedRepository({ text }: Question, { repositories }: QuestionRules): boolean {
  return decideScope(text, repositories).kind === 'refused';
}

/** Applies the settings of the channel to a question. Pure. Earlier decisions are replaced. */
export function withChannelRules(question: Question, rules: QuestionRules): Question {
  if (!awaitsChannelRules(question)) return question;
  const { scope: _scope, answersPrivately: _private, ...rest } = question;
  const decision = decideScope(question.text, rules.repositories);
  const scope =
    decision.kind === 'limited'
      ? decision.scope
      : decision.kind === 'refused'
        ? { repositories: [...decision.allowed] }
        : undefined;
  return {
    ...rest,
    ...(scope === undefined ? {} : { scope }),
    ...(rules.answersPrivately ? { answersPrivately: true } : {}),
  };
}
