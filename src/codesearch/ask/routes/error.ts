import { enclosing } from '../../index/symbols.ts';
import { conditionOf } from '../condition.ts';
import { type Asked, type Draft, pointTo } from '../draft.ts';
import { code, fileLink, nameOf, shorten } from '../markdown.ts';
import { coverage } from '../query-words.ts';
import { isFoundWhole, isMessage, type Literal, type VerbatimHit } from '../verbatim.ts';

const RAISES =
  /\b(?:throw|raise|panic!?|bail!?|abort|fatal|reject|fail|errors?\.(?:new|errorf)|fmt\.errorf|new \w*(?:error|exception)|err\(|error!|anyhow!|ensure!|expect\(|assert\w*|warn\w*|logger?\.|console\.|report\w*|FMT_THROW)/i;

/** A message that a program printed: the line that has it, and the condition under which it gets there. */
export async function error(asked: Asked): Promise<Draft | undefined> {
  const { literals, question, words, investigation } = asked;
  const isShown = (literal: Literal): boolean =>
    question.pasted?.isShown === true && literal.text === question.pasted.text;
  const message = literals.find((literal) => literal.hits.length > 0 && (isShown(literal) || isMessage(literal)));
  if (message === undefined || (question.pasted?.isShown !== true && !isFoundWhole(message))) return undefined;
  await investigation.step(`Looking for the line that prints ${code(shorten(message.text, 60))}`);
  const ranked: { hit: VerbatimHit; worth: number; isRaised: boolean }[] = [];
  for (const hit of message.hits.slice(0, 200)) {
    const lines = await investigation.lines(hit.file);
    const around = lines.slice(Math.max(0, hit.line - 3), hit.line + 1).join('\n');
    const role = { source: 3, config: 1, example: 0.5, docs: 1, test: 0.5, generated: 0, vendored: 0 }[hit.file.role];
    const isRaised = RAISES.test(around) && !hit.file.commentLines.has(hit.line);
    ranked.push({
      hit,
      isRaised,
      worth:
        hit.run / message.words.length + role + (isRaised ? 1.5 : 0) + coverage(around, words) - (hit.isImport ? 2 : 0),
    });
  }
  ranked.sort((a, b) => b.worth - a.worth || (a.hit.file.path < b.hit.file.path ? -1 : 1) || a.hit.line - b.hit.line);
  const [best] = ranked;
  if (best === undefined) return undefined;
  const { file, line } = best.hit;
  const lines = await investigation.lines(file);
  const symbol = enclosing(file.symbols, line);
  const condition = await conditionOf(file.path, lines, line);
  const isWhole = isFoundWhole(message) || best.hit.run >= message.words.length - 1;
  const raised = ranked.filter(
    ({ isRaised, hit }) => isRaised && hit.file.role === 'source' && hit.run === best.hit.run,
  );
  const isSure = isWhole && raised.length === 1 && raised[0] === best;
  const within = symbol === undefined ? '' : ` in ${code(symbol.name)}`;
  const others = ranked.filter(({ hit, worth }) => hit !== best.hit && worth > best.worth - 1.6);
  const name = symbol === undefined ? undefined : nameOf(symbol);
  const place = fileLink(file, line);
  const closest = isWhole
    ? raised.length > 1
      ? `The first of ${raised.length} places with this text is`
      : 'The closest is this text'
    : `The closest is a text${part(message, best.hit)}`;
  const lead = isSure ? 'This text is' : `I'm not sure. ${closest}`;
  return {
    title: shorten(message.text, 60),
    sentence: `${lead} at ${place}${within}${condition === undefined ? '' : `, reached when ${code(condition)}`}.`,
    passage: {
      file,
      start: Math.max(symbol?.line ?? 1, line - 9),
      end: Math.min(symbol?.end ?? lines.length, line + 5),
      symbol,
      keyLines: [line],
    },
    pointers: others.slice(0, 3).map(({ hit }) => pointTo(hit.file, enclosingName(hit), hit.line)),
    followUps: [
      ...(name === undefined ? [] : [`Who calls \`${name}\`?`, `Which tests cover \`${name}\`?`]),
      `When was ${question.pasted === undefined ? `\`${shorten(message.text, 40)}\`` : 'this message'} added?`,
    ],
    symbols: symbol === undefined ? [] : [symbol.name],
    files: [file, ...others.slice(0, 3).map(({ hit }) => hit.file)],
  };
}

function part({ words }: Literal, { run }: VerbatimHit): string {
  return ` that shares ${run} of its ${words.length} words,`;
}

function enclosingName({ file, line }: VerbatimHit): string {
  const symbol = enclosing(file.symbols, line);
  return symbol === undefined ? '' : code(symbol.name);
}
