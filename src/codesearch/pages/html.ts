/** Escaped HTML; only {@link html} and the Markdown renderer create it. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
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
