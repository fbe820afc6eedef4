/** Escaped HTML. Only this folder's renderers create it. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Part[] | false | undefined;

/**
 * A template that escapes its values unless they are {@link Html}; lists are joined, false and undefined left out. The template's own
 * line breaks and indents are left out too, because white space shows in messages.
 */
export function html(parts: TemplateStringsArray, ...values: Part[]): Html {
  const written = parts.map((part) => part.replace(/\n +/g, ''));
  return new Html(written.reduce((text, part, index) => text + safe(values[index - 1]) + part));
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

function safe(value: Part): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(safe).join('');
  return value === undefined || value === false ? '' : escapeHtml(String(value));
}

/** A field of a payload, of which only its kind is known. */
export type Fields = Record<string, unknown>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
