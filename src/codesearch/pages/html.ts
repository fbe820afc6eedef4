import { escapeHtml } from '../escape.ts';

/** Escaped HTML; only {@link html} and the Markdown renderer create it. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A template that escapes its values unless they are {@link Html}; lists are joined, undefined is left out. */
export function html(parts: TemplateStringsArray, ...values: (string | number | Html | Html[] | undefined)[]): Html {
  return new Html(
    parts.reduce((text, part, index) => {
      const value = values[index - 1] ?? '';
      const safe =
        value instanceof Html
          ? value.text
          : Array.isArray(value)
            ? value.map((item) => item.text).join('')
            : escapeHtml(String(value));
      return `${text}${safe}${part}`;
    }),
  );
}
