const DEFAULT_LOCALE = 'en';

/** "41 s", "2 min 5 s", "1 h 3 min"; below a second "less than 1 s". */
export function formatDuration(durationMs: number, locale = DEFAULT_LOCALE): string {
  const format = (value: number) => formatNumber(value, locale);
  const seconds = Math.round(durationMs / 1000);
  if (seconds < 1) return `less than ${format(1)} s`;
  if (seconds < 60) return `${format(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    const rest = seconds % 60;
    return rest === 0 ? `${format(minutes)} min` : `${format(minutes)} min ${format(rest)} s`;
  }
  const restMinutes = minutes % 60;
  const hours = `${format(Math.floor(minutes / 60))} h`;
  return restMinutes === 0 ? hours : `${hours} ${format(restMinutes)} min`;
}

export function formatNumber(value: number, locale = DEFAULT_LOCALE): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(value);
}

/** "1 step", "12 steps": the words are English, so English rules choose between them whatever the numbers' locale. */
export function formatCount(count: number, words: { one: string; other: string }, locale = DEFAULT_LOCALE): string {
  const word = new Intl.PluralRules('en').select(count) === 'one' ? words.one : words.other;
  return `${formatNumber(count, locale)} ${word}`;
}

/** A share between 0 and 1 as whole per cent, never rounded up to the next. */
export function formatShare(share: number, locale = DEFAULT_LOCALE): string {
  return `${formatNumber(Math.floor(share * 100), locale)} %`;
}
