import { acceptedInMarkdown } from './accepted-in-markdown.ts';
import { acceptedInRender } from './accepted-in-render.ts';
import { acceptedInStorage } from './accepted-in-storage.ts';
import { type AcceptedSurvivors, matchesNothing, sameResult, unreachable } from './accepted-reasons.ts';

const delistingChecks =
  'Changes nothing: the code that removes a question from the list checks whether it belongs there.';
const forTheLog = 'Changes only the log.';
const calledTwice = 'Changes nothing: the listener does nothing when it is called again.';
const remembered = 'Changes only how often the links of one answer are parsed, which only affects the duration.';

export const acceptedSurvivors: readonly AcceptedSurvivors[] = [
  ...acceptedInStorage,
  {
    file: 'src/core/intake/accept.ts',
    line: "taken ? settle(ports, 'thread_queue_not_joined', id, () => joinQueue(threads, question)) : undefined,",
    becomes: ['taken ? settle(ports, "", id, () => joinQueue(threads, question)) : undefined,'],
    reason: forTheLog,
  },
  {
    file: 'src/core/intake/accept.ts',
    line: "settle(ports, 'advance_not_scheduled', id, () => scheduler.schedule(id, 0, { isNew: created && taken })),",
    becomes: ['settle(ports, "", id, () => scheduler.schedule(id, 0, { isNew: created && taken })),'],
    reason: forTheLog,
  },
  {
    file: 'src/core/intake/accept.ts',
    line: "taken && !created ? settle(ports, 'not_listed_again', id, () => questions.markOpen(id)) : undefined,",
    becomes: ['taken && !created ? settle(ports, "", id, () => questions.markOpen(id)) : undefined,'],
    reason: forTheLog,
  },
  {
    file: 'src/core/intake/accept.ts',
    line: 'let taken = false;',
    becomes: ['let taken = true;'],
    reason: sameResult,
  },
  {
    file: 'src/core/question/thread-notes.ts',
    line: 'if (messages.some(({ ts }) => ts === message.ts)) return notes ?? { version: 1, messages };',
    becomes: ['if (messages.some(({ ts }) => ts === message.ts)) return notes ?? {};'],
    reason: unreachable,
  },
  {
    file: 'src/core/question/thread-notes.ts',
    line: 'if (isRepeated && notes !== undefined && taken.toTs === toTs) return { notes, given };',
    becomes: ['if (isRepeated && true && taken.toTs === toTs) return { notes, given };'],
    reason: unreachable,
  },
  {
    file: 'src/core/question/thread-notes.ts',
    line: 'characters -= kept.shift()?.text.length ?? 0;',
    becomes: ['characters -= kept.shift().text.length ?? 0;'],
    reason: unreachable,
  },
  {
    file: 'src/core/intake/intents.ts',
    line: 'const rest = trimmed.slice(opening.length).trim();',
    becomes: ['const rest = trimmed.slice(opening.length);'],
    reason: sameResult,
  },
  {
    file: 'src/core/lifecycle/thread-queue.ts',
    line: 'const queue = (await threads.get(place))?.queue ?? [];',
    becomes: ['const queue = (await threads.get(place))?.queue ?? ["Stryker was here"];'],
    reason: sameResult,
  },
  {
    file: 'src/core/lifecycle/thread-queue.ts',
    line: 'if (positionInQueue <= 0 || head === undefined) return { positionInQueue };',
    becomes: ['if (positionInQueue <= 0 || false) return { positionInQueue };'],
    reason: sameResult,
  },
  {
    file: 'src/core/pacing.ts',
    line: 'return retryAfterMs > 0 ? Math.max(waitMs, Math.ceil(retryAfterMs + random * RETRY_AFTER_SPREAD_MS)) : waitMs;',
    becomes: [
      'return true ? Math.max(waitMs, Math.ceil(retryAfterMs + random * RETRY_AFTER_SPREAD_MS)) : waitMs;',
      'return retryAfterMs >= 0 ? Math.max(waitMs, Math.ceil(retryAfterMs + random * RETRY_AFTER_SPREAD_MS)) : waitMs;',
    ],
    reason: sameResult,
  },
  {
    file: 'src/core/run-slots.ts',
    line: '.toSorted((one, other) => one.round - other.round || one.entry.sinceMs - other.entry.sinceMs)',
    becomes: ['.toSorted((one, other) => one.round - other.round || one.entry.sinceMs + other.entry.sinceMs)'],
    reason: sameResult,
  },
  {
    file: 'src/core/lifecycle/card-view.ts',
    line: "if (view.kind !== 'running') return JSON.stringify(view);",
    becomes: ['if (false) return JSON.stringify(view);'],
    reason: sameResult,
  },
  {
    file: 'src/core/lifecycle/delivery.ts',
    line: "if (copies > 0) log.warn({ event: 'copies_removed', outcome: 'ok', questionId: question.id, copies });",
    becomes: [
      "if (true) log.warn({ event: 'copies_removed', outcome: 'ok', questionId: question.id, copies });",
      "if (false) log.warn({ event: 'copies_removed', outcome: 'ok', questionId: question.id, copies });",
      "if (copies >= 0) log.warn({ event: 'copies_removed', outcome: 'ok', questionId: question.id, copies });",
      "if (copies <= 0) log.warn({ event: 'copies_removed', outcome: 'ok', questionId: question.id, copies });",
    ],
    reason: forTheLog,
  },
  {
    file: 'src/core/lifecycle/delivery.ts',
    line: 'const isTooLate = question.endedMs !== undefined && now() - question.endedMs > deliveryPatienceMs;',
    becomes: ['const isTooLate = true && now() - question.endedMs > deliveryPatienceMs;'],
    reason: sameResult,
  },
  {
    file: 'src/core/lifecycle/delivery.ts',
    line: "if (question.outcome?.kind === 'answered' && question.origin !== 'shared') {",
    becomes: ["if (question.outcome.kind === 'answered' && question.origin !== 'shared') {"],
    reason: unreachable,
  },
  {
    file: 'src/core/lifecycle/as-closed.ts',
    line: '...(outcome === undefined ? {} : { outcome: lightened(outcome) }),',
    becomes: ['...(false ? {} : { outcome: lightened(outcome) }),'],
    reason: unreachable,
  },
  {
    file: 'src/core/lifecycle/delivery.ts',
    line: "if (outcome?.kind === 'notAllowed') {",
    becomes: ["if (outcome.kind === 'notAllowed') {"],
    reason: unreachable,
  },
  {
    file: 'src/core/lifecycle/delivery.ts',
    line: "if (outcome?.kind === 'undeliverable' || !isInThread(place)) {",
    becomes: ["if (outcome.kind === 'undeliverable' || !isInThread(place)) {"],
    reason: unreachable,
  },
  {
    file: 'src/core/lifecycle/delivery.ts',
    line: "const canInvite = outcome?.kind === 'undeliverable' && outcome.canInvite;",
    becomes: ["const canInvite = outcome.kind === 'undeliverable' && outcome.canInvite;"],
    reason: unreachable,
  },
  {
    file: 'src/core/lifecycle/delivery.ts',
    line: "if (closed.phase !== 'closed') return closed;",
    becomes: ['if (false) return closed;'],
    reason: delistingChecks,
  },
  {
    file: 'src/core/lifecycle/delivery.ts',
    line: 'if (closed.recheckMs === undefined) await delist(ports, question.id);',
    becomes: ['if (true) await delist(ports, question.id);'],
    reason: delistingChecks,
  },
  {
    file: 'src/core/lifecycle/card-updates.ts',
    line: "const dropped = { event: 'card_edit_dropped', questionId: question.id, kind: error.kind };",
    becomes: ['const dropped = {};', 'const dropped = { event: "", questionId: question.id, kind: error.kind };'],
    reason: forTheLog,
  },
  {
    file: 'src/core/lifecycle/card-updates.ts',
    line: "if (error.kind === 'rateLimited') ports.log.debug(dropped);",
    becomes: [
      'if (true) ports.log.debug(dropped);',
      'if (false) ports.log.debug(dropped);',
      "if (error.kind !== 'rateLimited') ports.log.debug(dropped);",
      'if (error.kind === "") ports.log.debug(dropped);',
    ],
    reason: forTheLog,
  },
  {
    file: 'src/core/lifecycle/decide.ts',
    line: 'return sinceMs !== undefined && nowMs - sinceMs > cancelConfirmMs;',
    becomes: ['return true && nowMs - sinceMs > cancelConfirmMs;'],
    reason: sameResult,
  },
  {
    file: 'src/core/lifecycle/decide.ts',
    line: "if (outcome?.kind !== 'answered' || parts <= messagesWithoutFile) return false;",
    becomes: ["if (outcome.kind !== 'answered' || parts <= messagesWithoutFile) return false;"],
    reason: unreachable,
  },
  {
    file: 'src/core/lifecycle/decide.ts',
    line: "return outcome?.kind === 'cancelled' && card.ts !== undefined && card.gone !== true;",
    becomes: ["return outcome.kind === 'cancelled' && card.ts !== undefined && card.gone !== true;"],
    reason: unreachable,
  },
  {
    file: 'src/slack/access/mention-names.ts',
    line: 'if (lookups.length > 0) await within(Promise.all(lookups.map((lookUp) => lookUp())), namesPatienceMs);',
    becomes: [
      'if (true) await within(Promise.all(lookups.map((lookUp) => lookUp())), namesPatienceMs);',
      'if (lookups.length >= 0) await within(Promise.all(lookups.map((lookUp) => lookUp())), namesPatienceMs);',
    ],
    reason: sameResult,
  },
  {
    file: 'src/slack/access/policy.ts',
    line: 'if (channel === undefined || audience === undefined) return { may: true, ...locale };',
    becomes: [
      'if (channel === undefined && audience === undefined) return { may: true, ...locale };',
      'if (false || audience === undefined) return { may: true, ...locale };',
      'if (channel === undefined || false) return { may: true, ...locale };',
    ],
    reason: unreachable,
  },
  {
    file: 'src/deepsearch/deadline.ts',
    line: "else closing.addEventListener('abort', close, { once: true });",
    becomes: [
      "else closing.addEventListener('abort', close, {});",
      "else closing.addEventListener('abort', close, { once: false });",
    ],
    reason: calledTwice,
  },
  {
    file: 'src/deepsearch/deadline.ts',
    line: "signal.addEventListener('abort', abort, { once: true });",
    becomes: [
      "signal.addEventListener('abort', abort, {});",
      "signal.addEventListener('abort', abort, { once: false });",
    ],
    reason: calledTwice,
  },
  {
    file: 'src/deepsearch/http.ts',
    line: "signal.addEventListener('abort', onAbort, { once: true });",
    becomes: [
      "signal.addEventListener('abort', onAbort, {});",
      "signal.addEventListener('abort', onAbort, { once: false });",
    ],
    reason: calledTwice,
  },
  {
    file: 'src/deepsearch/retry.ts',
    line: "const text = value?.trim() ?? '';",
    becomes: ['const text = value?.trim() ?? "Stryker was here!";'],
    reason: matchesNothing,
  },
  {
    file: 'src/deepsearch/links.ts',
    line: 'if (!/\\](?:\\(|:)/.test(markdown) || !isQuicklyParsed(markdown)) return markdown;',
    becomes: [
      'if (false) return markdown;',
      'if (!/\\](?:\\(|:)/.test(markdown) && !isQuicklyParsed(markdown)) return markdown;',
    ],
    reason: 'Changes only how long hostile texts take; test/unit/deepsearch/hostile-links.test.ts covers it.',
  },
  {
    file: 'src/deepsearch/remembered.ts',
    line: 'if (text.length > MAX_REMEMBERED_LENGTH) return compute(text);',
    becomes: [
      'if (true) return compute(text);',
      'if (false) return compute(text);',
      'if (text.length >= MAX_REMEMBERED_LENGTH) return compute(text);',
      'if (text.length <= MAX_REMEMBERED_LENGTH) return compute(text);',
    ],
    reason: remembered,
  },
  {
    file: 'src/deepsearch/generation-1/deep-search.ts',
    line: "return isCancelled(error.kind ?? '') ? 'cancelled' : 'failed';",
    becomes: ["return isCancelled(error.kind ?? \"Stryker was here!\") ? 'cancelled' : 'failed';"],
    reason: matchesNothing,
  },
  {
    file: 'src/deepsearch/generation-1/deep-search.ts',
    line: "const repository = metadata?.repoName || repositoryOf(path, type ?? '');",
    becomes: ['const repository = metadata?.repoName || repositoryOf(path, type ?? "Stryker was here!");'],
    reason: matchesNothing,
  },
  {
    file: 'src/deepsearch/reply-values.ts',
    line: "const timeMs = Date.parse(iso ?? '');",
    becomes: ['const timeMs = Date.parse(iso ?? "Stryker was here!");'],
    reason: matchesNothing,
  },
  ...acceptedInRender,
  ...acceptedInMarkdown,
];
