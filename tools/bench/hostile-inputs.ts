import { layoutAnswer } from '../../src/render/markdown/layout.ts';
import { openingOf } from '../../src/render/markdown/opening.ts';
import { parseAnswer } from '../../src/render/markdown/parse.ts';
import { absoluteLinks } from '../../src/service/links.ts';
import { hostileAnswers, hostileLinkMarkdown, hostileOpenings } from '../../test/support/hostile/hostile-markdown.ts';
import { hostileTexts, textReaders } from '../../test/support/hostile/hostile-text.ts';
import { percentile, round } from './statistics.ts';

export interface HostileInputRow {
  work: string;
  texts: number;
  medianMs: number;
  slowestMs: number;
  /** Content of the slowest text. */
  slowest: string;
}

const room = { firstWeight: 200, lastWeight: 600, eachWeight: 170, blocks: 10 };

/** Measures the processing of hostile texts and, for comparison, of an ordinary answer of 60,000 characters. */
export function measureHostileInputs(): HostileInputRow[] {
  return [
    measure('divide a hostile answer', hostileAnswers, (markdown) => layoutAnswer(markdown, room)),
    measure('complete the links of a hostile answer', hostileLinkMarkdown, (markdown) =>
      absoluteLinks(`${markdown}\n\n[a](/x)`, 'https://code.example.com'),
    ),
    measure('find the opening words of a hostile answer', hostileOpenings, (markdown) => openingOf(markdown, 600)),
    measure('parse an answer of 60,000 characters', ordinaryAnswers(), parseAnswer),
    measure('divide an answer of 60,000 characters', ordinaryAnswers(), (markdown) => layoutAnswer(markdown, room)),
    ...textReaders.map(([name, read]) => measure(`${name}, 40,000 hostile characters`, namedTexts(), read)),
  ];
}

function measure(
  work: string,
  texts: Iterable<readonly [name: string, text: string]>,
  run: (text: string) => unknown,
): HostileInputRow {
  const took: number[] = [];
  let slowest = '';
  let slowestMs = -1;
  for (const [name, text] of texts) {
    const startMs = performance.now();
    run(text);
    const ms = performance.now() - startMs;
    took.push(ms);
    if (ms > slowestMs) [slowestMs, slowest] = [ms, name];
  }
  return {
    work,
    texts: took.length,
    medianMs: round(percentile(took, 0.5), 2),
    slowestMs: round(slowestMs, 2),
    slowest,
  };
}

/** Different texts, so that no cache helps. */
function ordinaryAnswers(): [string, string][] {
  const sentence = 'The retry policy reads its limits from the configuration of the service. ';
  const part = `## Part\n\n${sentence.repeat(9)} \`code_name\` and **bold** [link](https://e.org/x).\n\n- one\n- two\n\n`;
  return Array.from({ length: 10 }, (_, index) => {
    const name = `answer ${index}`;
    return [name, `${name} ${Math.random()}\n\n${part.repeat(100)}`.slice(0, 60_000)];
  });
}

function* namedTexts(): Generator<[string, string]> {
  for (const { made, text } of hostileTexts()) yield [made, text];
}
