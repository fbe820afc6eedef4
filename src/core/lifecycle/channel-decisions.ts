import type { QuestionRules } from '../channels/channel-settings.ts';
import type { Outcome, Question } from '../question/question.ts';
import { decideScope } from '../question/scope.ts';

/**
 * Whether the channel's settings still decide about the question. Once it may have reached the service, what was sent
 * must not change, because the app searches for it by its text.
 */
export function awaitsChannelRules({ origin, phase, upstream, outcome }: Question): boolean {
  const isSent = upstream.intentMs !== undefined || upstream.askedMs !== undefined;
  return origin !== 'shared' && phase === 'waiting' && !isSent && outcome === undefined;
}

/** How a question ends that names repositories which the settings of its channel do not allow, or which there are not. */
export function refusedForRepository({ text }: Question, { repositories, known }: QuestionRules): Refused | undefined {
  const decision = decideScope(text, repositories, known);
  if (decision.kind === 'refused') return { kind: 'notAllowed', reason: 'repositoryRefused' };
  if (decision.kind !== 'unknown') return undefined;
  const { name, total } = decision;
  return { kind: 'notAllowed', reason: 'repositoryUnknown', unknown: { name, total } };
}

type Refused = Extract<Outcome, { kind: 'notAllowed' }>;

/** Applies the settings of the channel to a question. Pure. Earlier decisions are replaced. */
export function withChannelRules(question: Question, rules: QuestionRules): Question {
  if (!awaitsChannelRules(question)) return question;
  const { scope: _scope, answersPrivately: _private, ...rest } = question;
  const decision = decideScope(question.text, rules.repositories, rules.known);
  const scope =
    decision.kind === 'limited'
      ? decision.scope
      : decision.kind === 'refused'
        ? { repositories: [...decision.allowed] }
        : decision.kind === 'unknown'
          ? { repositories: decision.nearest }
          : undefined;
  return {
    ...rest,
    ...(scope === undefined ? {} : { scope }),
    ...(rules.answersPrivately ? { answersPrivately: true } : {}),
  };
}
