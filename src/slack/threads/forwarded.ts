import type { Question } from '../../core/question/question.ts';
import type { ForwardedMessage } from '../../core/question/thread-notes.ts';
import { writeForwards } from './thread-quotes.ts';

/** What a question stores of the messages that its message forwards. `read`: Slack's text as people see it. */
export async function quoteForwards(
  forwards: readonly ForwardedMessage[],
  read: (text: string) => Promise<string>,
): Promise<NonNullable<Question['forwarded']> | undefined> {
  if (forwards.length === 0) return undefined;
  const readable = await Promise.all(
    forwards.map(async ({ from, text, ...place }) => ({
      ...place,
      from: (await read(from)).replace(/^@/, ''),
      text: await read(text),
    })),
  );
  return { messages: forwards.length, text: writeForwards(readable) };
}
