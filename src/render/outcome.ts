import type { Question } from '../core/question.ts';
import { context, section } from './blocks.ts';
import { markerBlockId, markerMetadata, partMarker } from './ids.ts';
import { LIMITS } from './limits.ts';
import type { RenderedMessage, RenderOptions } from './message.ts';
import { SAY } from './sentences.ts';
import { inertCut, inertMrkdwn, pieces } from './text.ts';

/**
 * The messages that carry a question's outcome, in order; none while it has none. Their number does not depend on the
 * format, so a part can be posted again in a simpler one.
 */
export function renderOutcome(question: Question, _options: RenderOptions): RenderedMessage[] {
  const outcome = question.outcome;
  if (outcome === undefined) return [];
  const text = outcome.kind === 'answered' ? outcome.answer.markdown : SAY.gaveUp(undefined);
  return pieces(text, LIMITS.sectionText, inertMrkdwn).map((piece, index) => {
    const marker = partMarker(question, index);
    return {
      text: inertCut(piece, LIMITS.notificationText),
      blocks: [section(inertMrkdwn(piece)), context(SAY.part(index + 1, 1), markerBlockId(marker, piece))],
      metadata: markerMetadata(question, marker),
    };
  });
}
