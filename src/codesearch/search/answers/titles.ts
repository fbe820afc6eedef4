import type { QuestionInContext } from '../questions/carry-over.ts';

const LONGEST = 70;

/** A short title: the intent and the name found, or the question without polite phrases. */
export function questionTitle(question: QuestionInContext, name: string | undefined): string {
  const asked = question.text
    .replace(/\s+/g, ' ')
    .replace(/^(?:hi|hey|hello|please|ok|okay|so|and|but)\b[\s,]*/i, '')
    .replace(
      /^(?:can|could|would) (?:you|someone|anyone) (?:please )?(?:tell me|explain|show me|describe|find)?\s*/i,
      '',
    )
    .replace(/[?!.\s]+$/, '')
    .trim();
  if (name !== undefined && question.continues)
    return cut(`${name}: ${asked.charAt(0).toLowerCase()}${asked.slice(1)}`);
  if (asked.length < 4 && name !== undefined) return cut(name);
  return cut(`${asked.charAt(0).toUpperCase()}${asked.slice(1)}`);
}

function cut(text: string): string {
  const plain = text.replace(/`/g, '');
  if (plain.length <= LONGEST) return plain;
  const space = plain.lastIndexOf(' ', LONGEST);
  return `${plain.slice(0, space > 20 ? space : LONGEST)}…`;
}
