import type { SectionBlock } from '@slack/types';
import type { Conversation } from '../core/ports.ts';
import { questionIn } from '../core/question/prompt.ts';
import { section } from './blocks.ts';
import { openingOf } from './markdown/opening.ts';
import { sayIn } from './say.ts';
import { countSources, groupSources } from './sources.ts';
import { inertCut, mrkdwnLink, shownText } from './text.ts';

const MAX_TITLE = 300;
const MAX_QUESTION = 300;
const MAX_OPENING = 600;

/**
 * Renders the preview of a share link: title, question and the beginning of the answer, of the first answered question.
 * Undefined if no question was answered. Uses sections only, since previews allow fewer kinds of blocks than messages.
 * The preview links `url` without the parts that opening it does not need. `locale` is the locale of the person who
 * posted the link.
 */
export function renderPreview(
  { questions }: Pick<Conversation, 'questions'>,
  url: string,
  locale: string | undefined,
): SectionBlock[] | undefined {
  const answered = questions.find(({ state, answer = '' }) => state === 'completed' && answer.trim() !== '');
  if (answered === undefined) return undefined;
  const say = sayIn(locale);
  // A `*` inside the title would end the bold text. It is only decoration there.
  const title = inertCut(answered.title ?? '', MAX_TITLE).replaceAll('*', '');
  const question = inertCut(shownText(questionIn(answered.text), say), MAX_QUESTION);
  const head = [...(title === '' ? [] : [`*${title}*`]), ...(question === '' ? [] : [`> ${question}`])];
  const opening = openingOf(answered.answer ?? '', MAX_OPENING, answered.title);
  const sources = countSources(groupSources(answered.sources));
  const followUps = questions.length - 1;
  const foot = [
    ...(sources === 0 ? [] : [answered.citedOnly === true ? say.preview.cited(sources) : say.preview.sources(sources)]),
    ...(followUps === 0 ? [] : [say.preview.followUps(followUps)]),
    `*${mrkdwnLink(url, say.words.openInDeepSearch())}*`,
  ];
  return [head.join('\n'), opening, foot.join(' · ')].filter((text) => text !== '').map((text) => section(text));
}
